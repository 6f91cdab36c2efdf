"""Stage quality: items on which several models agree and the judge calls all wrong; a person decides."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dataset_builders.bear_bench.decisions import FORM, Decision, read_decisions, write_decisions
from dataset_builders.bear_bench.records import Page, Record
from dataset_builders.bear_bench.work import Work
from lvqa_eval.errors import LvqaError
from lvqa_eval.judging.answers import declared_answer
from lvqa_eval.judging.audit.folder import open_runs
from lvqa_eval.judging.text import normalise
from lvqa_eval.metrics.bear.conditions import DEFAULT
from lvqa_eval.reports.choice import choose_judge
from lvqa_eval.runs.overview import named
from lvqa_eval.runs.records import ConversationRecord, PageRecord
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import JudgeStatus, Status

NAME = "flags"
LEAST = 3
"""Models with the same answer that make a flag."""


class QualityError(LvqaError, ValueError):
    """Runs that items cannot be checked by."""


class Flag(Record):
    """An item whose reference may be wrong: `answer` is what `models` said alike, in the words of the first.

    `others` are the answers of the other models.
    """

    page_id: str
    question: str
    reference: str
    answer: str
    models: tuple[str, ...]
    others: tuple[str, ...]


@dataclass(frozen=True)
class Given:
    """One model's answer to one item; `right` is the judge's verdict, None without one."""

    model: str
    answer: str
    right: bool | None


@dataclass(frozen=True)
class Checked:
    """What was found: `flags` of `items` that `models` answered, and how many of them wait for a decision."""

    items: int
    models: tuple[str, ...]
    flags: tuple[Flag, ...]
    undecided: int
    form: Path


def run(work: Work, run_folders: Sequence[Path], judge: str | None = None, least: int = LEAST) -> Checked:
    """Flag items by the runs, one a model, and write flags.jsonl and the form that a person fills.

    Decisions that stand in the form stay; a flag that was decided is not raised again. Raises QualityError
    for runs of one model, and AuditError for runs over different datasets.
    """
    stores = open_runs(run_folders)
    questions: dict[str, PageRecord] = {}
    given: dict[str, list[Given]] = defaultdict(list)
    models = _models(stores)
    for name, store in stores.items():
        asked = store.questions_of(PageRecord)
        questions |= asked
        for question_id, one in _answers(store, models[name], choose_judge(store, judge)):
            given[question_id].append(one)
    flags = [
        flag
        for question_id in sorted(given)
        if (flag := flagged(questions[question_id], given[question_id], least)) is not None
    ]
    decided = [one for one in read_decisions(work) if one.decision]
    known = {one.subject for one in decided}
    fresh = [one for one in _undecided(work, flags) if one.subject not in known]
    work.write(NAME, flags)
    write_decisions(work, [*decided, *fresh])
    return Checked(len(given), tuple(models.values()), tuple(flags), len(fresh), work.folder / FORM)


def flagged(question: PageRecord, given: Sequence[Given], least: int = LEAST) -> Flag | None:
    """Return the flag of an item where `least` models say the same and no answer is right, else None.

    Answers are the same where they are after `normalise`, of what an answer declares itself to be. Only those
    that the judge ruled on count; where one was ruled right, nothing is wrong with the item.
    """
    if any(one.right for one in given):
        return None
    groups: dict[str, list[Given]] = defaultdict(list)
    for one in given:
        if one.right is not None:
            groups[_spelling(one.answer, question)].append(one)
    same = max(groups.values(), key=len, default=[])
    if len(same) < least:
        return None
    models = tuple(one.model for one in same)
    return Flag(
        page_id=question.question_id,
        question=question.question,
        reference=question.answer,
        answer=(declared_answer(same[0].answer) or same[0].answer).strip(),
        models=models,
        others=tuple(one.answer.strip() for one in given if one.model not in models),
    )


def _spelling(answer: str, question: PageRecord) -> str:
    return normalise(declared_answer(answer) or answer, "ru" if question.language == "ru" else "en")


def _answers(store: RunStore, model: str, judge: str) -> Iterator[tuple[str, Given]]:
    """Yield the first whole answer of the run to every page, with its verdict."""
    first: dict[str, ConversationRecord] = {}
    for key, conversation in store.conversations().items():
        if key.condition == DEFAULT and conversation.status is Status.OK:
            first.setdefault(key.question_id, conversation)
    rulings = store.judgements(judge)
    for question_id, conversation in first.items():
        ruling = rulings.get(conversation.key)
        ruled = ruling is not None and ruling.status is JudgeStatus.OK
        right = ruling.final_turn_correct if ruling is not None and ruled else None
        yield question_id, Given(model, conversation.turns[-1].reply or "", right)


def _models(stores: Mapping[str, RunStore]) -> dict[str, str]:
    """Return the model of each run; QualityError where two have the same, which would count twice."""
    models: dict[str, str] = {}
    for name, store in stores.items():
        model = named(store.identity.settings.get("model"))
        if model in models.values():
            raise QualityError(f"RUN: found two runs of {model}, allowed: one a model; leave {name} out")
        models[name] = model
    return models


def _undecided(work: Work, flags: Sequence[Flag]) -> list[Decision]:
    """Return a row of the form for each flag, with the picture of its page where pages were rendered here."""
    pages = work.read("pages", Page, "render") if work.has("pages") else []
    files = {page.page_id: page.file for page in pages}
    return [
        Decision(
            page_id=flag.page_id,
            picture=files.get(flag.page_id, ""),
            question=flag.question,
            reference=flag.reference,
            answer=flag.answer,
            models=", ".join(flag.models),
            others=" | ".join(flag.others),
        )
        for flag in flags
    ]
