"""Question files: questions about scenes, written by hand in YAML, for any scene source.

A file is a list of entries:

    - scene: 397133                 # the source's name of the scene
      id: kitchen-person
      category: direct_ask
      question: What is the person by the table doing?
      answer: washing up
      answer_description: the activity     # may be left out
      gold: [200887]                       # layers by the source's keys, not by number
      minimal_sets: [[200887], [background]]   # may be left out: then [gold]
      dependencies: [[200887, background]]     # pairs before, after; may be left out
      shards:
        - text: I want to know what someone is doing.
          support: []

Evidence names layers by key, so a file outlives another choice of layers: keys that were merged into one
layer stand for that layer. Every value is read as text, so numbers and yes or no need no quotes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from dataset_builders.layered_vqa.example import Example, Shard, problems
from dataset_builders.layered_vqa.sources.source import SourceError


@dataclass(frozen=True)
class LayerKeys:
    """How one scene's layers are named in question files: its number of layers, and key -> layer."""

    depth: int
    layer_of: Mapping[str, int]


class ShardEntry(BaseModel):
    """One shard as written; `support` holds keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str
    support: tuple[str, ...] = ()


class QuestionEntry(BaseModel):
    """One question as written; layers by key."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    scene: str
    id: str
    category: str
    question: str
    answer: str
    answer_description: str | None = None
    gold: tuple[str, ...]
    minimal_sets: tuple[tuple[str, ...], ...] | None = None
    dependencies: tuple[tuple[str, str], ...] = ()
    shards: tuple[ShardEntry, ...]

    def key_lists(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield every list of keys with the name of its field."""
        yield "gold", self.gold
        for index, keys in enumerate(self.minimal_sets or ()):
            yield f"minimal_sets[{index}]", keys
        for index, pair in enumerate(self.dependencies):
            yield f"dependencies[{index}]", pair
        for index, shard in enumerate(self.shards):
            yield f"shards[{index}].support", shard.support


@dataclass(frozen=True)
class QuestionFile:
    """The entries of a file that have the right form, each with its place, and the faults of the others."""

    name: str
    entries: tuple[tuple[str, QuestionEntry], ...]
    faults: tuple[str, ...]

    def scene_ids(self) -> frozenset[str]:
        """Return the scenes that are asked about."""
        return frozenset(entry.scene for _, entry in self.entries)

    def examples(self, scenes: Mapping[str, LayerKeys]) -> tuple[Example, ...]:
        """Return every question as an example, in file order; `scenes` has the keys of every known scene.

        Raises SourceError with all problems of the file: form, unknown scenes and keys, ids that stand twice,
        and every invariant that an example breaks.
        """
        found = list(self.faults)
        examples = []
        first: dict[str, str] = {}
        for place, entry in self.entries:
            here = [f"{place}: {line}" for line in _key_problems(entry, scenes)]
            if entry.id in first:
                here.append(f"{place}: id: found it before, at {first[entry.id]}, allowed: each id once")
            first.setdefault(entry.id, place)
            if entry.scene in scenes and not here:
                example = _example(entry, scenes[entry.scene])
                here = [
                    f"{place}: {one.field}: {one.rule}: found {one.found}, allowed: {one.allowed}"
                    for one in problems(example)
                ]
                examples.append(example)
            found += here
        if found:
            raise SourceError([f"{self.name}: {line}" for line in found])
        return tuple(examples)


def load_questions(path: Path) -> QuestionFile:
    """Read a question file; raises SourceError only where it is no YAML list at all."""
    try:
        text = path.read_text(encoding="utf-8")
        # An alias can stand inside its own anchor, or grow a short file without end.
        aliases = [event for event in yaml.parse(text, yaml.BaseLoader) if isinstance(event, yaml.AliasEvent)]
        root = None if aliases else yaml.compose(text, yaml.BaseLoader)
    except OSError as error:
        raise SourceError([f"{path.name}: cannot be opened: {error.strerror}"]) from error
    except UnicodeDecodeError as error:
        raise SourceError([f"{path.name}: byte {error.start}: not UTF-8"]) from error
    except yaml.YAMLError as error:
        raise SourceError([f"{path.name}: not YAML: {' '.join(str(error).split())}"]) from error
    if aliases:
        line = _line(aliases[0])
        raise SourceError(
            [f"{path.name}: line {line}: found the alias *{aliases[0].anchor}, allowed: no aliases"]
        )
    if not isinstance(root, yaml.SequenceNode) or not root.value:
        raise SourceError([f"{path.name}: found no list of questions, allowed: a list of at least one entry"])
    entries: list[tuple[str, QuestionEntry]] = []
    faults: list[str] = []
    for number, node in enumerate(root.value, start=1):
        value = _plain(node)
        place = _place(value, number, _line(node))
        faults += [f"{place}: {line}" for line in _repeated_fields(node)]
        try:
            entries.append((place, QuestionEntry.model_validate(value)))
        except ValidationError as error:
            faults += [f"{place}: {line}" for line in _structure(error)]
    return QuestionFile(path.name, tuple(entries), tuple(faults))


def _line(thing: yaml.Node | yaml.Event) -> int:
    return thing.start_mark.line + 1 if thing.start_mark else 0


def _plain(node: yaml.Node) -> Any:
    loader = yaml.BaseLoader("")
    return loader.construct_document(node)


def _place(value: Any, number: int, line: int) -> str:
    name = value.get("id") if isinstance(value, dict) else None
    return f"{name} (line {line})" if isinstance(name, str) and name else f"entry {number} (line {line})"


def _repeated_fields(node: yaml.Node) -> Iterator[str]:
    """YAML takes the last of two equal fields in silence."""
    if isinstance(node, yaml.MappingNode):
        names = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        yield from (
            f"{name}: found the field {names.count(name)} times, allowed: once"
            for name in dict.fromkeys(names)
            if names.count(name) > 1
        )
        children = [child for _, child in node.value]
    else:
        children = node.value if isinstance(node, yaml.SequenceNode) else []
    for child in children:
        yield from _repeated_fields(child)


def _structure(error: ValidationError) -> Iterator[str]:
    for one in error.errors():
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in one["loc"])
        where = where.lstrip(".") or "entry"
        if one["type"] == "missing":
            yield f"{where}: found no such field, allowed: it must be given"
        elif one["type"] == "extra_forbidden":
            model = ShardEntry if where.startswith("shards[") else QuestionEntry
            yield f"{where}: found an unknown field, allowed: {', '.join(model.model_fields)}"
        else:
            yield f"{where}: found {one['input']!r:.80}, allowed: {_wanted(one['msg'])}"


def _wanted(message: str) -> str:
    return message.removeprefix("Input should be ").removeprefix("a valid ").replace("tuple", "list")


def _key_problems(entry: QuestionEntry, scenes: Mapping[str, LayerKeys]) -> Iterator[str]:
    if entry.scene not in scenes:
        yield f"scene: found {entry.scene!r}, allowed: {_some(sorted(scenes))}"
        return
    known = scenes[entry.scene].layer_of
    for field, keys in entry.key_lists():
        for key in dict.fromkeys(keys):
            if key not in known:
                yield f"{field}: found the key {key!r}, allowed: {_some(list(known))}"
            if keys.count(key) > 1:
                yield f"{field}: found the key {key!r} {keys.count(key)} times, allowed: once"


def _some(names: Sequence[str], most: int = 30) -> str:
    if not names:
        return "nothing (the source has no scene with layers)"
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest


def _example(entry: QuestionEntry, keys: LayerKeys) -> Example:
    def layers(names: Sequence[str]) -> tuple[int, ...]:
        return tuple(sorted({keys.layer_of[name] for name in names}))

    written = [entry.gold] if entry.minimal_sets is None else list(entry.minimal_sets)
    # Sets and pairs that fall together because their layers were merged say nothing more than once.
    minimal_sets = tuple(dict.fromkeys(layers(names) for names in written))
    pairs = [(keys.layer_of[before], keys.layer_of[after]) for before, after in entry.dependencies]
    evidence = {layer for minimal in minimal_sets for layer in minimal}
    return Example(
        question_id=entry.id,
        scene_id=entry.scene,
        depth=keys.depth,
        question=entry.question,
        answer=entry.answer,
        answer_description=entry.answer_description,
        category=entry.category,
        gold_layers=layers(entry.gold),
        minimal_sets=minimal_sets,
        dependencies=tuple(dict.fromkeys(pair for pair in pairs if pair[0] != pair[1])),
        shards=tuple(
            Shard(id=index, text=shard.text, support=layers(shard.support))
            for index, shard in enumerate(entry.shards, start=1)
        ),
        distractors=tuple(sorted(set(range(keys.depth)) - evidence)),
    )
