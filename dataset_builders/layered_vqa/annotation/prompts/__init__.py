"""The prompts of the three calls, rules for each category, and lists of words: templates and their hash."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template

import yaml

from dataset_builders.layered_vqa.annotation.records import CallName
from dataset_builders.layered_vqa.annotation.words import WordLists
from dataset_builders.layered_vqa.example import CATEGORIES
from lvqa_eval.errors import LvqaError
from lvqa_eval.prompts import Prompt, load_prompt

_PARTS: Mapping[CallName, tuple[str, ...]] = {
    "shard": ("## Shards",),
    "evidence": ("## Evidence",),
    "verify": ("## Shards", "## Evidence"),
}
"""Which parts of the rules of a category each call is given, by their headings."""

_CATEGORY_FILES = tuple(f"category_{category}.md" for category in CATEGORIES)
_WORDS = "words.yaml"
_HOLES: Mapping[str, frozenset[str]] = {
    **{f"{call}.md": frozenset({"rules"}) for call in _PARTS},
    "repair.md": frozenset({"reply", "faults"}),
    **dict.fromkeys((*_CATEGORY_FILES, _WORDS), frozenset[str]()),
}
"""The files of a folder of prompts, with the holes that each must have."""

_LABELS = ("composite_label", "layer_label")
_LISTS = ("free", "connectives", "benchmark")


class PromptsError(LvqaError, ValueError):
    """A folder of prompts that cannot be used; one line for each reason."""


@dataclass(frozen=True)
class Prompts:
    """Everything that models are told, by file name without its suffix, and the words that checks know.

    `labels` are those of the composite and of a layer.
    """

    texts: Mapping[str, Prompt]
    words: WordLists
    labels: tuple[Prompt, Prompt]

    @property
    def hashes(self) -> dict[str, str]:
        """The SHA-256 of each text, by name, in the order of the names."""
        every = [*self.texts.values(), *self.labels]
        return {one.name: one.sha256 for one in sorted(every, key=lambda one: one.name)}

    @property
    def sha256(self) -> str:
        """One hash over all texts."""
        lines = "".join(f"{name} {sha256}\n" for name, sha256 in self.hashes.items())
        return hashlib.sha256(lines.encode()).hexdigest()

    def rules(self, call: CallName, category: str) -> str:
        """Return what the model of a call is told before it sees its question."""
        parts = _parts(self.texts[f"category_{category}"].text)
        return self.texts[call].fill(rules="\n\n".join(parts[heading] for heading in _PARTS[call]))

    def again(self, reply: str, faults: str) -> str:
        """Return what is added where a reply breaks rules."""
        return self.texts["repair"].fill(reply=reply, faults=faults)


def load_prompts(folder: Path | None = None) -> Prompts:
    """Load the project's prompts, or those of a folder: a file that it lacks is the project's own.

    Raises PromptsError, with all problems, where no file of the folder has the name of one of ours, where
    one has another name, lacks a hole or has one too many, or is not UTF-8.
    """
    texts, found = dict(_read(files(__name__), _HOLES)), list[str]()
    if folder is not None:
        own = sorted(path.name for path in folder.glob("*") if path.suffix in {".md", ".yaml"})
        allowed = ", ".join(sorted(_HOLES))
        found += [f"{name}: found this name, allowed: {allowed}" for name in own if name not in _HOLES]
        if not own:
            found.append(f"found no prompts, allowed: some of {allowed}")
        try:
            texts |= _read(folder, [name for name in own if name in _HOLES])
        except (OSError, UnicodeDecodeError) as error:
            found.append(f"found a file that cannot be read as UTF-8 text: {error}")
    found += [line for name, text in texts.items() for line in _faults(name, text)]
    if found:
        raise PromptsError("\n".join(f"{folder}: {line}" for line in found))
    prompts = {name.partition(".")[0]: _prompt(name, text) for name, text in texts.items()}
    composite, layer = (load_prompt(name) for name in _LABELS)
    return Prompts(prompts, _word_lists(texts[_WORDS]), (composite, layer))


def _read(folder: Traversable, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        yield name, folder.joinpath(name).read_text(encoding="utf-8").rstrip("\n")


def _prompt(name: str, text: str) -> Prompt:
    return Prompt(name.partition(".")[0], text, hashlib.sha256(text.encode()).hexdigest())


def _faults(name: str, text: str) -> Iterator[str]:
    if name == _WORDS:
        yield from _faults_of_words(text)
        return
    if name in _CATEGORY_FILES:
        parts = _parts(text)
        for heading in _PARTS["verify"]:
            if not parts.get(heading):
                yield f"{name}: found nothing under the heading {heading!r}, allowed: some text"
        return
    template = Template(text)
    if not template.is_valid():
        yield f"{name}: found a $ that begins no name, allowed: $name, and $$ for the sign itself"
        return
    holes, needed = set(template.get_identifiers()), _HOLES[name]
    if holes != needed:
        yield f"{name}: found the holes {_listed(holes)}, allowed: exactly {_listed(needed)}"


def _listed(holes: set[str] | frozenset[str]) -> str:
    return ", ".join(f"${hole}" for hole in sorted(holes)) or "(none)"


def _parts(text: str) -> dict[str, str]:
    """Return what stands under each heading of a category's rules."""
    parts: dict[str, str] = {}
    heading = ""
    for line in text.splitlines():
        if line.startswith("## "):
            heading = line.strip()
            continue
        parts[heading] = f"{parts.get(heading, '')}\n{line}"
    return {heading: words.strip() for heading, words in parts.items()}


def _faults_of_words(text: str) -> Iterator[str]:
    try:
        # Every value as text: "no" and "on" are words here.
        lists = yaml.load(text, yaml.BaseLoader)
    except yaml.YAMLError as error:
        yield f"{_WORDS}: not YAML: {' '.join(str(error).split())}"
        return
    if not isinstance(lists, dict) or sorted(lists) != sorted(_LISTS):
        yield f"{_WORDS}: found {_fields(lists)}, allowed: the fields {', '.join(_LISTS)}"
        return
    for name, words in lists.items():
        if not isinstance(words, str):
            yield f"{_WORDS}: {name}: found a {type(words).__name__}, allowed: words with spaces between them"


def _fields(lists: object) -> str:
    return f"the fields {', '.join(map(str, lists)) or '(none)'}" if isinstance(lists, dict) else "no fields"


def _word_lists(text: str) -> WordLists:
    lists = yaml.load(text, yaml.BaseLoader)
    return WordLists(*(frozenset(lists[name].casefold().split()) for name in _LISTS))
