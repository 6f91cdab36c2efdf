"""Make an audit folder: the form as CSV and as a page for a browser, the pictures, and apart the key."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dataset_builders.bear_bench.audit.aspects import ASPECTS, VERDICT, WORDS, Aspect
from dataset_builders.bear_bench.audit.sample import NO_RUN, PER_CELL, SEED, Ruled, draw_pages, ruled_answers
from dataset_builders.bear_bench.forms import write_form
from lvqa_eval.files import write_whole
from lvqa_eval.judging.audit.folder import open_runs
from lvqa_eval.judging.audit.items import AUDIT, KEYS, PICTURES, AuditError, ItemKey, words_sha256
from lvqa_eval.judging.audit.sample import Sample
from lvqa_eval.pages import PageDataset, PageRow, open_pages
from lvqa_eval.reports.templates import load_template
from lvqa_eval.runs.identity import RunIdentity, check_same
from lvqa_eval.runs.objects import encode

if TYPE_CHECKING:
    from jinja2 import Template

FORM = "form.csv"
PAGE = "form.html"
NOTE = "note"

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Shown:
    """What a person sees of a page; the last three are empty where no model's answer is audited."""

    item: str
    cell: str
    picture: str
    asked: str
    reference: str
    answered: str = ""
    ruled: str = ""
    because: str = ""


SHOWN = tuple(Shown.__dataclass_fields__)


def make_audit(
    dataset: str,
    run_folders: Sequence[Path],
    out: Path,
    per_cell: int = PER_CELL,
    seed: int = SEED,
    judge: str | None = None,
) -> Sample:
    """Draw pages of a dataset, with answers of the runs, and write the form to `out`.

    Without runs there is no verdict to audit. The same call again completes a folder that is incomplete and
    leaves a complete one as it is. Raises AuditError for runs over another dataset, or a folder with other
    content; IdentityChangedError where `out` holds another sample.
    """
    pages = open_pages(dataset)
    stores = open_runs(run_folders)
    for name, store in stores.items():
        recorded = store.identity.settings.get("dataset")
        found = recorded.get("manifest_sha256") if isinstance(recorded, dict) else None
        if found != pages.manifest_sha256:
            raise AuditError(f"{name}: a run over another dataset, or version of it, than {dataset}")
    ruled = {name: ruled_answers(store, judge) for name, store in stores.items()}
    rows = pages.rows()
    sample = draw_pages(rows, ruled, per_cell, seed)
    _claim(out, _identity(pages, sample, sorted(stores), judge, seed))
    if (out / PAGE).exists():
        return sample
    _write(out, pages, {row.id: row for row in rows}, sample, ruled)
    return sample


def aspects_of(has_answers: bool) -> tuple[Aspect, ...]:
    """Return what is looked at: the verdict only where there are models' answers."""
    return tuple(one for one in ASPECTS if has_answers or one.name != VERDICT)


def _identity(
    pages: PageDataset, sample: Sample, runs: Sequence[str], judge: str | None, seed: int
) -> RunIdentity:
    return RunIdentity(
        {
            "dataset": {"version": pages.version, "manifest_sha256": pages.manifest_sha256},
            "runs": list(runs),
            "judge": judge,
            "seed": seed,
            "groups": dict(sample.quotas),
        }
    )


def _claim(out: Path, found: RunIdentity) -> None:
    """Write what the audit is into an empty folder, or check that the same stands there."""
    path = out / AUDIT
    if path.exists():
        check_same(path, RunIdentity.read(path), found)
        return
    out.mkdir(parents=True, exist_ok=True)
    if others := sorted(one.name for one in out.iterdir()):
        told = ", ".join(others[:5])
        raise AuditError(f"{out}: no {AUDIT}, but other content ({told}); name an empty folder")
    found.write(path)


def _write(
    out: Path, pages: PageDataset, rows: dict[str, PageRow], sample: Sample, ruled: dict[str, Any]
) -> None:
    (out / PICTURES).mkdir(exist_ok=True)
    shown, keys = [], []
    for number, (cell, (run, key)) in enumerate(sample.chosen, start=1):
        answer = None if run == NO_RUN else ruled[run][key]
        item = f"{number:04}"
        # Named by the item: a name of the page would tell what the key keeps apart.
        picture = f"{PICTURES}/{item}.png"
        write_whole(out / picture, pages.picture(key.question_id))
        shown.append(_shown(item, cell, picture, rows[key.question_id], answer))
        said = "" if answer is None else words_sha256(answer.conversation)
        keys.append(ItemKey(item, run, *key, cell, said))
    write_whole(out / KEYS, b"".join(map(encode, keys)))
    aspects = aspects_of(any(one.ruled for one in shown))
    empty = dict.fromkeys((*(one.name for one in aspects), NOTE), "")
    columns = (*SHOWN, *empty)
    write_form(out / FORM, columns, ({**asdict(one), **empty} for one in shown))
    # Last, since it says that the audit is complete.
    write_whole(out / PAGE, _page(shown, aspects, out))


def _shown(item: str, cell: str, picture: str, row: PageRow, answer: Ruled | None) -> Shown:
    if answer is None:
        return Shown(item, cell, picture, row.question, row.answer)
    right = answer.ruling.final_turn_correct
    return Shown(
        item,
        cell,
        picture,
        row.question,
        row.answer,
        answered=answer.conversation.turns[-1].reply or "",
        ruled="correct" if right else "incorrect",
        because=answer.ruling.reasoning or "",
    )


def _page(shown: Sequence[Shown], aspects: Sequence[Aspect], out: Path) -> str:
    from markupsafe import Markup

    own = {kind: (_HERE / f"form.{kind}").read_text(encoding="utf-8") for kind in ("css", "js")}
    return _template().render(
        shown=shown,
        aspects=aspects,
        words=WORDS,
        note=NOTE,
        name=out.resolve().name,
        # What a browser keeps is told apart by it.
        key=hashlib.sha256(b"".join(map(encode, shown))).hexdigest()[:16],
        style=Markup(own["css"]),
        script=Markup(own["js"]),
    )


@cache
def _template() -> "Template":
    return load_template("form.html", _HERE)
