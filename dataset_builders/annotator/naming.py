"""Names of items that can stand in an address, and names of annotators."""

import hashlib
import re
import unicodedata
from typing import Final

LONGEST_NAME: Final = 60

_STRANGE = re.compile(r"[^\w.-]+")


def address(*names: str) -> str:
    """Return names joined by dots; with a hash where something was replaced, so that none fall together.

    Letters of any script, digits, "_", "." and "-" are kept; the first is a letter, a digit or "_".
    """
    joined = ".".join(names)
    plain = _STRANGE.sub("-", joined).lstrip(".-")[:120]
    if plain == joined:
        return plain
    digest = hashlib.sha256("\0".join(names).encode()).hexdigest()[:8]
    return f"{plain}-{digest}" if plain else digest


def annotator_name(text: str) -> str | None:
    """Return an annotator's name without white space around it, in NFC; None where it is none.

    Allowed are 1 to 60 characters that can be seen, with single spaces between words.
    """
    name = " ".join(unicodedata.normalize("NFC", text).split())
    return name if 0 < len(name) <= LONGEST_NAME and name.isprintable() else None
