"""`eval.yaml`: with it the Hub lists a dataset as a benchmark and gathers results that models report."""

from collections.abc import Sequence

import yaml

BENCHMARK = "eval.yaml"


def benchmark_file(name: str, description: str, framework: str, conditions: Sequence[str]) -> str:
    """Return the file's text: each condition is a task of its own.

    `framework` is the name of the evaluation framework; the Hub checks the file when it is pushed and takes
    only the frameworks that it knows, so this project writes the file on request alone.
    """
    content = {
        "name": name,
        "description": description,
        "evaluation_framework": framework,
        "tasks": [{"id": condition, "config": condition, "split": "test"} for condition in conditions],
    }
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=110)
