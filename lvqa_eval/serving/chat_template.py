"""The chat template of a local model, as the identity of a run knows it."""

import hashlib
import json
from pathlib import Path


def chat_template_hash(folder: Path) -> str | None:
    """Return the SHA-256 of the chat template of a local model, in hex; None where the folder has none.

    The places in the order in which loaders look: chat_template.jinja, chat_template.json, and the
    tokenizer's own configuration, where it may be one text or a list of named ones.
    """
    plain = folder / "chat_template.jinja"
    if plain.is_file():
        return hashlib.sha256(plain.read_bytes()).hexdigest()
    for name in ("chat_template.json", "tokenizer_config.json"):
        file = folder / name
        template = json.loads(file.read_bytes()).get("chat_template") if file.is_file() else None
        if template is not None:
            words = template if isinstance(template, str) else json.dumps(template, sort_keys=True)
            return hashlib.sha256(words.encode()).hexdigest()
    return None
