"""The wrong answers of a judged run over pages, each to be tagged with the types of its errors."""

import asyncio
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from dataset_builders.annotator.naming import address
from dataset_builders.annotator.pictures import keep, url_of
from dataset_builders.annotator.store import Store, StoreError
from lvqa_eval.progress import progress
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord, Key, PageRecord
from lvqa_eval.runs.sent_messages import SentConversations, png_of
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import JudgeStatus


def open_run(folder: Path) -> RunStore:
    """Open a run over pages; RunFolderError for any other."""
    run = RunStore.open(folder)
    run.questions_of(PageRecord)
    return run


def add_wrong_answers(store: Store, run: RunStore, judge: str, dataset: str | None = None) -> int:
    """Add every answer that `judge` holds wrong, with its page as it was sent; returns how many there are.

    `dataset` is a folder or a name on the Hub, by default what the run names. Raises StoreError where the
    judge has not judged the run, or found nothing wrong; SentPictureError where the dataset is another.
    """
    if judge not in run.judges():
        known = ", ".join(run.judges()) or "none has judged it"
        raise StoreError(f"{run.folder}: judge: found {judge!r}, allowed: {known}")
    rulings = run.judgements(judge)
    conversations = run.conversations()
    wrong = [key for key, ruling in rulings.items() if _is_wrong(ruling) and key in conversations]
    if not wrong:
        raise StoreError(f"{run.folder}: found no wrong answer by judge {judge}, at least 1 is needed")
    known_items = {one.id for one in store.items()}
    fresh = [key for key in wrong if address(*map(str, key)) not in known_items]
    for key, picture in _pictures(run, (conversations[key] for key in fresh), store.folder, dataset):
        subject = _subject(run, conversations[key], rulings[key], judge)
        store.add_item(address(*map(str, key)), {**subject, **picture})
    return len(wrong)


def _is_wrong(ruling: JudgementRecord) -> bool:
    return ruling.status is JudgeStatus.OK and ruling.final_turn_correct is False


def _subject(
    run: RunStore, conversation: ConversationRecord, ruling: JudgementRecord, judge: str
) -> dict[str, Any]:
    asked = run.questions_of(PageRecord)[conversation.question_id]
    model = run.identity.settings.get("model")
    return {
        **conversation.key._asdict(),
        "title": asked.question,
        "question": asked.question,
        "reference": asked.answer,
        "reply": conversation.turns[-1].reply or "",
        "language": asked.language,
        "model": str(model.get("name", "")) if isinstance(model, dict) else "",
        "judge": judge,
        "reasoning": ruling.reasoning,
    }


def _pictures(
    run: RunStore, conversations: Iterable[ConversationRecord], work: Path, dataset: str | None
) -> Iterator[tuple[Key, dict[str, Any]]]:
    """Yield of each conversation its key and its page as it was sent, kept below `work`."""
    chosen = list(conversations)
    sent = SentConversations(run, dataset)
    with progress("answers", len(chosen)) as advance, asyncio.Runner() as runner:
        for conversation in chosen:
            shown: dict[str, Any] = {}
            for _, key in sent.pictures(conversation)[:1]:
                picture = runner.run(sent.picture(key))
                sha256 = keep(work, png_of(picture))
                shown = {"picture": url_of(sha256), "width": picture.width, "height": picture.height}
            yield conversation.key, shown
            advance()
