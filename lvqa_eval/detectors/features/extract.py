"""From a run to features of its answers: each conversation as it was sent, with its last reply, read once."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lvqa_eval.benchmarks import find_benchmark
from lvqa_eval.detectors.features.batches import ahead, batches, read_halving
from lvqa_eval.detectors.features.columns import FeatureRow
from lvqa_eval.detectors.features.errors import FeaturesError
from lvqa_eval.detectors.features.forward import AnswerFeatures
from lvqa_eval.detectors.features.inputs import InputMaker, ModelInput
from lvqa_eval.detectors.features.model import Device, Dtype, ReadingModel, load_model, same_model
from lvqa_eval.detectors.features.read import text_sha256
from lvqa_eval.detectors.features.store import FEATURES, FeatureStore
from lvqa_eval.files import file_name
from lvqa_eval.progress import Advance, progress
from lvqa_eval.runs.questions import benchmark_of
from lvqa_eval.runs.records import ConversationRecord
from lvqa_eval.runs.sent_messages import SentConversations
from lvqa_eval.runs.store import IDENTITY, RunStore
from lvqa_eval.seeds import seed_of
from lvqa_eval.statuses import Status
from lvqa_eval.tokens import text_tokens

RULES: Final = 1
"""Version of what is read and kept; features of two are not mixed."""

PART_ROWS: Final = 16
"""Answers after which a part is written: what a killed process reads again is hardly more."""

_PICTURE_TOKENS: Final = 1000
"""What a picture is taken to have where a server told nothing; only the order of reading hangs on it."""

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Settings:
    """What can be chosen; `lvqa features --help` says what each is. `share`: (i, n), the i-th of n shares."""

    model: str
    model_revision: str | None = None
    conditions: tuple[str, ...] = ()
    name: str | None = None
    dataset: str | None = None
    device: Device = "auto"
    dtype: Dtype = "auto"
    batch_tokens: int = 8192
    share: tuple[int, int] = (1, 1)


@dataclass(frozen=True)
class Outcome:
    """What came of it: the folder, how many answers were asked for, and those left out by reason."""

    folder: Path
    answers: int
    left_out: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class _Ready:
    """An answer that is ready for the model."""

    conversation: ConversationRecord
    input: ModelInput

    def row(self, features: AnswerFeatures) -> FeatureRow:
        """Return the row of the answer."""
        text = text_sha256(_reply(self.conversation))
        return FeatureRow(self.conversation.key, text, self.input.prompt, self.input.grids, features)


def extract(run: RunStore, settings: Settings, tell: Tell) -> Outcome:
    """Write the features of a run's answers; `tell` is given a line at each step.

    Answers that have them are passed over. Raises an LvqaError for what does not fit: conditions, dataset,
    prompts, the model, a folder of other features.
    """
    answers = _answers(run, settings)
    sent = _as_sent(run, settings)
    model = load_model(settings.model, settings.model_revision, settings.device, settings.dtype)
    maker = model.inputs(_template_settings(run))
    folder = run.folder / FEATURES / file_name(settings.name or model.name)
    store = FeatureStore.create_or_resume(folder, _identity(run, model, maker))
    finished = store.finished()
    missing = [one for one in answers if (one.key, text_sha256(_reply(one))) not in finished]
    tell(f"{folder}: {len(answers)} answers, {len(answers) - len(missing)} done")
    left_out: Counter[str] = Counter()
    with progress("answers", len(missing)) as advance:

        def leave_out(reason: str) -> None:
            left_out[reason] += 1
            advance()

        ready = _prepared(missing, sent, maker, model.context, leave_out)
        with closing(ahead(ready)) as coming:
            _write(coming, model, settings.batch_tokens, store, advance)
    return Outcome(folder, len(answers), left_out)


def _prepared(
    conversations: Sequence[ConversationRecord],
    sent: SentConversations,
    maker: InputMaker,
    context: int | None,
    leave_out: Callable[[str], None],
) -> Iterator[_Ready]:
    """Yield what can be read, in order; `leave_out` is told why an answer cannot."""
    with asyncio.Runner() as runner:
        for one in conversations:
            made = maker.make(runner.run(sent.messages(one)), _reply(one))
            if made is None:
                leave_out("no tokens")
            elif context is not None and made.length > context:
                leave_out("too long for the model")
            else:
                yield _Ready(one, made)


def _write(
    ready: Iterable[_Ready], model: ReadingModel, batch_tokens: int, store: FeatureStore, advance: Advance
) -> None:
    """Read answers batch by batch and write them part by part; a part ends where a batch does."""
    rows: list[FeatureRow] = []
    for batch in batches(ready, batch_tokens, lambda one: one.input):
        read = read_halving(model.read, [one.input for one in batch])
        rows += [one.row(features) for one, features in zip(batch, read, strict=True)]
        if len(rows) >= PART_ROWS:
            store.add(rows)
            rows = []
        for _ in batch:
            advance()
    if rows:
        store.add(rows)


def _answers(run: RunStore, settings: Settings) -> list[ConversationRecord]:
    """Return the answers that are asked for, the longest first: what is too much shows at once."""
    benchmark = find_benchmark(benchmark_of(run.identity.settings))
    conditions = settings.conditions or (benchmark.usual or benchmark.conditions)[:1]
    held = run.conversations().values()
    known = sorted({one.condition for one in held})
    if strange := [name for name in conditions if name not in known]:
        allowed = ", ".join(known) or "none, the run has no conversations"
        raise FeaturesError(f"{run.folder}: condition: found {', '.join(strange)}, held: {allowed}")
    number, shares = settings.share
    answers = [
        one
        for one in held
        if one.condition in conditions
        and one.status is Status.OK
        and seed_of(":".join(map(str, one.key))) % shares == number - 1
    ]
    return sorted(answers, key=lambda one: (-_tokens(one), one.key))


def _tokens(conversation: ConversationRecord) -> int:
    """Guess how many tokens a conversation has, by what its server said of the last prompt."""
    turns = conversation.turns
    answer = text_tokens(_reply(conversation))
    if turns[-1].prompt_tokens is not None:
        return turns[-1].prompt_tokens + answer
    pictures = sum(len(turn.layers) + turn.composite for turn in turns)
    earlier = sum(text_tokens(turn.reply or "") for turn in turns[:-1])
    return pictures * _PICTURE_TOKENS + sum(text_tokens(turn.user) for turn in turns) + earlier + answer


def _reply(conversation: ConversationRecord) -> str:
    return conversation.turns[-1].reply or ""


def _as_sent(run: RunStore, settings: Settings) -> SentConversations:
    sent = SentConversations(run, settings.dataset)
    if sent.changed_prompts:
        raise FeaturesError(
            f"{run.folder / IDENTITY}: prompts: {', '.join(sent.changed_prompts)} had other words when the "
            f"run was made; lvqa {run.identity.settings.get('lvqa')} has them"
        )
    return sent


def _template_settings(run: RunStore) -> Mapping[str, Any]:
    sampling = run.identity.settings.get("sampling")
    found = sampling.get("chat_template_kwargs") if isinstance(sampling, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _identity(run: RunStore, model: ReadingModel, maker: InputMaker) -> dict[str, Any]:
    """Return all that features depend on but the run; device and batches change the last digits alone."""
    about = model.identity()
    answering = run.identity.settings.get("model")
    native = isinstance(answering, Mapping) and same_model(about["model"], answering)
    return {"rules": RULES, "native": native, **about, "template_settings": maker.template_settings}
