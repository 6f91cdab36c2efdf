"""How many tokens a run's model chooses from, where its files are at hand."""

from collections.abc import Mapping
from typing import Any

from lvqa_eval.serving.model import find_model
from lvqa_eval.serving.model_files import read_json


def vocabulary(settings: Mapping[str, Any]) -> int | None:
    """Return the width of the output layer of the model in a run's identity; None where it is not known.

    That is `vocab_size` of its config.json at the run's revision, in the Hub's cache on this machine. A model
    behind somebody's endpoint, or from a local folder, has no revision, and is not looked for.
    """
    model = settings.get("model")
    if not isinstance(model, Mapping) or not model.get("revision"):
        return None
    found = find_model(str(model["name"]), str(model["revision"]), fetch=False)
    config = read_json(found.folder, "config.json")
    size = config.get("text_config", config).get("vocab_size")
    return size if isinstance(size, int) else None
