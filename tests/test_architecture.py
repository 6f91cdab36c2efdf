"""What the house promises of imports: one direction, and nothing heavy before it is used."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HEAVY = {
    *("numpy", "scipy", "pandas", "PIL", "cv2", "datasets", "huggingface_hub", "transformers", "torch"),
    *("vllm", "aiohttp", "orjson", "pydantic", "sklearn", "ray", "gradio", "asyncio"),
}
PURE = [
    *("lvqa_eval/metrics", "lvqa_eval/judging/answers.py", "lvqa_eval/judging/numbers.py"),
    *(
        f"lvqa_eval/judging/{name}.py"
        for name in ("text", "consensus", "rulings", "verdicts", "xml_verdicts")
    ),
    *(
        f"lvqa_eval/judging/{name}.py"
        for name in ("elements", "quotation", "delimiting", "layer_sets", "grounding")
    ),
    "dataset_builders/layered_vqa/example.py",
    *("dataset_builders/layered_vqa/conditions.py", "dataset_builders/layered_vqa/assignment.py"),
]


def imported(path):
    """Return the top-level names that a file imports when it is loaded."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names


def test_the_ground_floor_imports_no_other():
    files = list((ROOT / "lvqa_eval").rglob("*.py"))
    assert len(files) > 50
    found = {str(path) for path in files for name in ast.walk(ast.parse(path.read_text())) if _leads_up(name)}
    assert found == set()


def _leads_up(node):
    modules = []
    if isinstance(node, ast.Import):
        modules = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        modules = [node.module or ""]
    return any(module.split(".")[0] in {"dataset_builders", "leaderboard", "cards"} for module in modules)


@pytest.mark.parametrize("place", PURE)
def test_pure_code_loads_nothing_heavy_but_numpy(place):
    path = ROOT / place
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    assert {name for one in files for name in imported(one)} & HEAVY <= {"numpy"}


def test_help_loads_nothing_heavy():
    program = """
import json, sys
from click.testing import CliRunner
from lvqa_eval.main import main
before = set(sys.modules)
result = CliRunner().invoke(main, ["--help"])
print(json.dumps([result.output, sorted({name.split(".")[0] for name in set(sys.modules) - before})]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    shown, loaded = json.loads(done.stdout)
    assert all(f"  {name} " in shown for name in ("build", "validate", "run", "judge", "report", "detect"))
    assert set(loaded) & HEAVY == set()


def test_every_command_has_a_help_with_an_example():
    from click.testing import CliRunner

    from lvqa_eval.main import COMMANDS, main

    for name in COMMANDS.names():
        command = [name, "layered-vqa"] if name == "build" else [name]
        result = CliRunner().invoke(main, [*command, "--help"])
        assert result.exit_code == 0, result.output
        assert "Example" in result.output, name
