"""The conversations of a board: what there is, and one of them with all that its page shows."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Final

from leaderboard.board.records import Board
from leaderboard.examples.choices import Choices
from leaderboard.examples.exchange import Held, Layer, exchange_of
from leaderboard.examples.pictures import Origin, PictureFolder
from leaderboard.examples.runs import Judges, RunShown
from leaderboard.html.exchange import Exchange, Picture
from leaderboard.html.layers import Layer as LayerShown
from leaderboard.html.layers import Scene
from leaderboard.html.words import Words
from leaderboard.store.folder import RUNS, SUBMISSIONS, BoardFolder, Submission
from leaderboard.store.receipts import LOG
from leaderboard.store.settings import BOARD
from lvqa_eval.dataset import Row
from lvqa_eval.dataset_folder import DatasetError
from lvqa_eval.images import PictureError, PictureKey
from lvqa_eval.prompts import Prompt
from lvqa_eval.runs.records import ConversationRecord, Key, QuestionRecord
from lvqa_eval.runs.sent_messages import SentPictureError
from lvqa_eval.runs.store import CONVERSATIONS, IDENTITY, QUESTIONS
from lvqa_eval.scheduled import ScheduledRow

_OPEN: Final = 8
"""Runs that are kept open: where the records of a full one stand takes some nine million bytes."""


@dataclass(frozen=True)
class Wanted:
    """Names one conversation, each part one of the board's own.

    `a` and `b` are submissions, `b` empty for none.
    """

    benchmark: str
    question: str
    condition: str
    a: str
    b: str = ""
    run: int = 1

    @property
    def key(self) -> Key:
        """The name of the conversation in every run."""
        return Key(self.condition, self.question, self.run)


@dataclass(frozen=True)
class Side:
    """One model of an example: its run, whose verdicts are shown, and its conversation, None for none.

    `sent` has for each of its turns the SHA-256 of every picture, in the order of sending.
    """

    model: str
    run: RunShown
    judges: Judges
    conversation: ConversationRecord | None
    sent: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Example:
    """One conversation of one or two models.

    `contract` is the system prompt, None for none; `layered` tells a scene from a page. Where there are no
    pictures, there is no `scene`, and `missing` says why.
    """

    exchange: Exchange
    sides: tuple[Side, ...]
    scene: Scene | None
    contract: Prompt | None
    layered: bool
    missing: str = ""


class Library:
    """The runs in the folder of a board, their pictures from `pictures`.

    `now` gives the board as it is shown: models are offered in its order. What is asked for is looked up
    among what there is: no text of a visitor becomes a path.
    """

    def __init__(self, board: BoardFolder, pictures: PictureFolder, now: Callable[[], Board]) -> None:
        self.board = board
        self.pictures = pictures
        self._now = now
        self._choices: Mapping[str, Choices] = {}
        self._state: tuple[object, ...] | None = None
        self._runs: OrderedDict[Path, RunShown] = OrderedDict()
        self._mutex = Lock()

    def choices(self) -> Mapping[str, Choices]:
        """Return what can be chosen, by benchmark; those without a run are left out."""
        shown = self._now()
        with self._mutex:
            state = (shown.state, *self._stamps())
            if state != self._state:
                self._choices, self._state = self._found(shown), state
            return self._choices

    def run(self, submission: Submission) -> RunShown:
        """Return the run of a submission, opened once."""
        path = self.board.run(submission.id)
        with self._mutex:
            if path not in self._runs:
                self._runs[path] = RunShown(path, self.board.settings.panel)
            self._runs.move_to_end(path)
            while len(self._runs) > _OPEN:
                self._runs.popitem(last=False)
            return self._runs[path]

    def example(self, wanted: Wanted, words: Words) -> Example:
        """Return a conversation whose names are all of `choices`."""
        choices = self.choices()[wanted.benchmark]
        row = choices.row(wanted.condition, wanted.question)
        sides, held = [], []
        drawn: list[Mapping[Layer, Picture]] = []
        missing = ""
        for name in filter(None, (wanted.a, wanted.b)):
            run = self.run(choices.models[name])
            judges, model = run.judges, choices.title(name, words)
            try:
                drawn.append(self._drawn(row, choices, run))
            except (SentPictureError, PictureError, DatasetError) as error:
                drawn.append({})
                # Visitors need not know where the dataset lies.
                missing = str(error).replace(f"{choices.standing.dataset.folder}/", "")
            conversation = run.conversation(wanted.key)
            final, by_turn = (run.judgement(judge, wanted.key) for judge in (judges.final, judges.by_turn))
            held.append(Held(model, conversation, final, by_turn, drawn[-1]))
            sides.append(Side(model, run, judges, conversation, held[-1].sent))
        return Example(
            exchange_of(row, held, choices.label),
            tuple(sides),
            self._scene(row, choices, drawn[0]) if drawn[0] else None,
            choices.contract(row),
            choices.layered,
            missing,
        )

    def _drawn(self, row: ScheduledRow, choices: Choices, run: RunShown) -> Mapping[Layer, Picture]:
        """Return the scene and all its layers, or the page, as a run sends them."""
        keys = _keys(row, choices.standing.benchmark.factor(row.condition))
        origin = Origin(choices.standing.dataset, run.rendering, run.sent)
        return dict(zip((key.layer for key in keys), self.pictures.pictures(keys, origin), strict=True))

    def _scene(self, row: ScheduledRow, choices: Choices, pictures: Mapping[Layer, Picture]) -> Scene:
        question = row.record()
        captions = choices.captions.get(row.scene_id, ())
        layers = sorted(layer for layer in pictures if layer is not None)
        return Scene(
            pictures[None],
            tuple(
                LayerShown(layer, pictures[layer], captions[layer] if layer < len(captions) else "")
                for layer in layers
            ),
            question.answer,
            question.category,
            question.gold_layers if isinstance(question, QuestionRecord) else (),
        )

    def _stamps(self) -> tuple[int, ...]:
        """Return what changes with every submission, withdrawal and removal, at the price of four looks."""
        paths = (self.board.folder / name for name in (BOARD, LOG, SUBMISSIONS, RUNS))
        return tuple(path.stat().st_mtime_ns if path.exists() else 0 for path in paths)

    def _readable(self, submission: Submission) -> bool:
        folder = self.board.run(submission.id)
        return all((folder / name).is_file() for name in (IDENTITY, QUESTIONS, CONVERSATIONS))

    def _found(self, shown: Board) -> Mapping[str, Choices]:
        ranks = {name: rank for rank, name in enumerate(_order(shown))}
        standing = [one for one in self.board.submissions() if one.withdrawn is None and self._readable(one)]
        # The newest of a model are on the board; those before them stand behind.
        standing.sort(key=lambda one: (not one.newest, ranks.get(one.id, len(ranks))))
        found = {}
        for name, told in self.board.settings.benchmarks.items():
            dataset = (name, told.manifest_sha256)
            own = [one for one in standing if (one.receipt.benchmark, one.receipt.manifest_sha256) == dataset]
            if own:
                found[name] = Choices.of(self.board.benchmark(name), own)
        return found


def _order(shown: Board) -> Iterator[str]:
    """Yield the ids of submissions as the tables have them, the best first."""
    for one in (shown.layered, shown.bear):
        yield from (row.entry.id for row in one.rows if row.entry.id) if one is not None else ()


def _keys(row: ScheduledRow, factor: float) -> list[PictureKey]:
    """Return the scene and all its layers, whether they are sent or not; of a page, the page."""
    if isinstance(row, Row):
        layers = enumerate(row.layers_file_names)
        return [
            PictureKey(row.scene_id, None, row.composite_file_name),
            *(PictureKey(row.scene_id, layer, name) for layer, name in layers),
        ]
    sent = (key for turn in range(len(row.turns)) for key in row.pictures(turn))
    return [key._replace(factor=factor) for key in dict.fromkeys(sent)]
