"""Make an audit folder from runs: draw, render the pictures as they were sent, write what people see."""

import hashlib
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lvqa_eval.benchmarks import find_benchmark
from lvqa_eval.files import write_whole
from lvqa_eval.judging.audit.items import (
    AUDIT,
    ITEMS,
    KEYS,
    PICTURES,
    AuditError,
    Item,
    ItemKey,
    ShownPicture,
    ShownTurn,
    words_sha256,
)
from lvqa_eval.judging.audit.sample import Candidate, Sample, draw
from lvqa_eval.progress import progress
from lvqa_eval.runs.identity import RunIdentity, check_same
from lvqa_eval.runs.objects import encode
from lvqa_eval.runs.questions import benchmark_of
from lvqa_eval.runs.records import ConversationRecord, Key, PageRecord
from lvqa_eval.runs.sent_pictures import save_pictures
from lvqa_eval.runs.store import IDENTITY, RunStore
from lvqa_eval.runs.transcript import Labels
from lvqa_eval.statuses import EXCLUDED, Status


def make_audit(
    run_folders: Sequence[Path],
    out: Path,
    size: int,
    seed: int,
    dataset: str | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Sample:
    """Draw `size` conversations of the runs, balanced over their conditions, and write the audit to `out`.

    Runs over pages are balanced over the cells of domain and language too, inside each condition.
    Baselines are left out, and so is what the serving failed. The same call again completes a folder that is
    incomplete and leaves a complete one as it is. `dataset` is a folder or a name on the Hub, by default what
    the runs name. `tell` hears what a person should know of the items. Raises AuditError for runs that do not
    go together, or a folder with other content; IdentityChangedError where `out` holds another sample;
    SentPictureError where pictures are not those that were sent.
    """
    stores = open_runs(run_folders)
    held = {name: _judgeable(store) for name, store in stores.items()}
    conditions = list(dict.fromkeys(one for name in sorted(stores) for one in _conditions(stores[name])))
    cells = {key: cell for store in stores.values() for key, cell in _cells(store).items()}
    sample = draw(
        (Candidate(name, key) for name, own in held.items() for key in own),
        _groups(conditions, cells),
        lambda one: _group(one.key.condition, cells.get(one.key.question_id)),
        size,
        seed,
    )
    _claim(out, identity(stores, sample, size, seed))
    if (out / ITEMS).exists():
        return sample
    for name, store in stores.items():
        if _labels(store).changed(store.identity.settings.get("prompts")):
            tell(f"{name}: the run's labels of pictures had other words than this version's, which are shown")
    (out / PICTURES).mkdir(exist_ok=True)
    items, keys = [], []
    with progress("sampling", len(sample.chosen)) as advance:
        for number, (group, (name, key)) in enumerate(sample.chosen, start=1):
            conversation = held[name][key]
            own = f"{number:04}"
            items.append(_item(own, stores[name], conversation, out / PICTURES, dataset))
            keys.append(ItemKey(own, name, *key, group, words_sha256(conversation)))
            advance()
    write_whole(out / KEYS, b"".join(map(encode, keys)))
    # Last, since it says that the audit is complete.
    write_whole(out / ITEMS, b"".join(map(encode, items)))
    return sample


def open_runs(folders: Sequence[Path]) -> dict[str, RunStore]:
    """Open runs by the names of their folders; AuditError where two have one name, or other datasets."""
    stores: dict[str, RunStore] = {}
    for folder in folders:
        name = folder.resolve().name
        if name in stores:
            raise AuditError(f"RUN: found two folders called {name}, allowed: one; rename one of them")
        stores[name] = RunStore.open(folder)
    sets = {name: str(_dataset(store)) for name, store in stores.items()}
    if len(set(sets.values())) > 1:
        told = "\n".join(f"  {name}: {found}" for name, found in sets.items())
        raise AuditError(f"RUN: found runs over different datasets, allowed: one for all:\n{told}")
    return stores


def identity(stores: Mapping[str, RunStore], sample: Sample, size: int, seed: int) -> RunIdentity:
    """Return what makes a sample the same sample."""
    return RunIdentity(
        {
            "runs": {name: {"model": store.identity.settings.get("model")} for name, store in stores.items()},
            "dataset": _dataset(next(iter(stores.values()))),
            "seed": seed,
            "size": size,
            "groups": dict(sample.quotas),
        }
    )


def _dataset(store: RunStore) -> dict[str, Any]:
    recorded = store.identity.settings.get("dataset")
    recorded = recorded if isinstance(recorded, Mapping) else {}
    return {key: recorded.get(key) for key in ("version", "manifest_sha256")}


def _conditions(store: RunStore) -> list[str]:
    planned = store.identity.settings.get("conditions")
    if not isinstance(planned, list):
        raise AuditError(
            f"{store.folder / IDENTITY}: conditions: found {planned!r}, allowed: a list of names"
        )
    return planned


def _cells(store: RunStore) -> dict[str, str]:
    """Return the cell of each page that is asked about; nothing for scenes, which have none."""
    asked = store.questions()
    return {name: one.category for name, one in asked.items() if isinstance(one, PageRecord)}


def _groups(conditions: Sequence[str], cells: Mapping[str, str]) -> list[str]:
    there: list[str | None] = [*sorted(set(cells.values()))] or [None]
    return [_group(condition, cell) for condition in conditions for cell in there]


def _group(condition: str, cell: str | None) -> str:
    return condition if cell is None else f"{condition}, {cell}"


def _judgeable(store: RunStore) -> dict[Key, ConversationRecord]:
    conversations = store.conversations()
    unknown = sorted({key.question_id for key in conversations} - store.questions().keys())
    if unknown:
        raise AuditError(f"{store.folder}: conversations of unknown questions: {', '.join(unknown[:5])}")
    return {key: one for key, one in conversations.items() if one.status not in EXCLUDED}


def _claim(out: Path, found: RunIdentity) -> None:
    """Write what the sample is into an empty folder, or check that the same stands there."""
    path = out / AUDIT
    if path.exists():
        check_same(path, RunIdentity.read(path), found)
        return
    out.mkdir(parents=True, exist_ok=True)
    others = sorted(one.name for one in out.iterdir() if one.name != f".{AUDIT}.new")
    if others:
        raise AuditError(
            f"{out}: no {AUDIT}, but other content ({', '.join(others[:5])}); name an empty folder"
        )
    found.write(path)


def _labels(store: RunStore) -> Labels:
    return Labels.of(find_benchmark(benchmark_of(store.identity.settings)))


def _item(
    name: str, store: RunStore, conversation: ConversationRecord, pictures: Path, dataset: str | None
) -> Item:
    question = store.questions()[conversation.question_id]
    labels = _labels(store)
    sent = iter(_keep_pictures(store, conversation, pictures, dataset))
    turns = []
    for turn in conversation.turns:
        own = tuple(
            ShownPicture(sha256, label, width, height)
            for (_, label), (sha256, width, height) in zip(labels.of_turn(turn), sent, strict=False)
        )
        ended = None if turn.status is Status.OK else turn.status
        turns.append(ShownTurn(turn.user, own, turn.reply, ended))
    return Item(name, question.question, question.answer, question.answer_description, tuple(turns))


def _keep_pictures(
    store: RunStore, conversation: ConversationRecord, folder: Path, dataset: str | None
) -> list[tuple[str, int, int]]:
    """Keep the pictures of a conversation by their hash; return hash, width and height of each one sent."""
    from PIL import Image

    kept = []
    with tempfile.TemporaryDirectory() as draft:
        for path in save_pictures(store, conversation, Path(draft), dataset):
            png = path.read_bytes()
            sha256 = hashlib.sha256(png).hexdigest()
            if not (folder / f"{sha256}.png").exists():
                write_whole(folder / f"{sha256}.png", png)
            with Image.open(path) as picture:
                kept.append((sha256, *picture.size))
    return kept
