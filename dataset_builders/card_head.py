"""The YAML head of a dataset card."""

from typing import Any

import yaml

from dataset_builders.publishing.licensing import MIXED, hub_identifier

_CC = (
    "cc0-1.0 cc-by-2.0 cc-by-2.5 cc-by-3.0 cc-by-4.0 cc-by-sa-3.0 cc-by-sa-4.0 cc-by-nc-2.0 cc-by-nc-3.0 "
    "cc-by-nc-4.0 cc-by-nc-sa-2.0 cc-by-nc-sa-3.0 cc-by-nc-sa-4.0"
)
_HUB_LICENCES = frozenset(_CC.split())
"""What the Hub calls the licences that it knows, as far as pictures here can have them."""


def hub_licence(licence: str) -> dict[str, str]:
    """Return the card's fields for the licence of the whole, as SPDX names it.

    The licence is `other` where the Hub has no word, and then its name follows where there is one.
    """
    name = hub_identifier(licence)
    if name in _HUB_LICENCES:
        return {"license": name}
    return {"license": "other"} if licence == MIXED else {"license": "other", "license_name": name}


def to_yaml(value: Any) -> str:
    """Write a value as YAML, its keys in their order, without anchors: few parsers of cards know them."""
    return yaml.dump(value, Dumper=_NoAliases, sort_keys=False, allow_unicode=True, width=110)


def size_category(rows: int) -> str:
    """Return the Hub's word for a number of rows; one for at most 100,000 is enough here."""
    return "n<1K" if rows < 1000 else "1K<n<10K" if rows < 10_000 else "10K<n<100K"


class _NoAliases(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:
        return True
