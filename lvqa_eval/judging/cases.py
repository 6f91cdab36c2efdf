"""What is put before judges: the conversations of one or more runs, read once, question by question."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, groupby
from typing import Any, NamedTuple

from lvqa_eval.runs.identity import RunIdentity, check_same
from lvqa_eval.runs.records import ConversationRecord, Question
from lvqa_eval.runs.store import JUDGEMENTS, RunFolderError, RunStore
from lvqa_eval.serving.request import Route
from lvqa_eval.statuses import EXCLUDED, JudgeStatus


class Case(NamedTuple):
    """One conversation of the run `store`, with its question."""

    store: RunStore
    question: Question
    conversation: ConversationRecord


class Cases:
    """The conversations of `stores` that judges rule on: all but those of an excluded status.

    They come without log-probabilities. All of one question follow each other, across runs, so that a server
    finds what they share in its cache. Raises RunFolderError for conversations of unknown questions.
    """

    def __init__(self, stores: Sequence[RunStore]) -> None:
        self.stores = tuple(stores)
        found = [(place, case) for place, store in enumerate(stores) for case in _of_run(store)]
        found.sort(key=lambda one: _order(*one))
        self.all = tuple(case for _, case in found)

    def left(self, judge: str) -> list[list[Case]]:
        """Return what `judge` has no ruling on, by question; what its transport broke is left too."""
        ruled = {store.folder: _ruled(store, judge) for store in self.stores}
        return by_question(case for case in self.all if case.conversation.key not in ruled[case.store.folder])

    def check_begun(self, judge: str, asked: Mapping[str, Any], later: Sequence[str]) -> None:
        """Raise IdentityChangedError where a run was judged by a judge of this name with other settings.

        `asked` are those known by now; those named in `later` are compared once they are known.
        """
        for store in self.stores:
            path = store.folder / JUDGEMENTS / f"{judge}.yaml"
            if path.is_file():
                begun = store.judge_identity(judge).settings
                known = {name: value for name, value in begun.items() if name not in later}
                check_same(path, RunIdentity(known), RunIdentity(asked))


def by_question(cases: Iterable[Case]) -> list[list[Case]]:
    """Return cases that are in order, those of one question together."""
    return [list(group) for _, group in groupby(cases, lambda case: case.question.question_id)]


def routed(groups: list[list[Case]], loads: list[int]) -> Iterator[tuple[Route, Case]]:
    """Yield every case with its route: all of a group to one endpoint, each next one to the idlest.

    `loads` has for each endpoint how many cases are in flight there; it counts up here, down by the caller.
    """
    waiting = iter(groups)
    at_hand: list[Iterator[Case]] = [iter(()) for _ in loads]
    supplied = set(range(len(loads)))
    numbers = count()
    while supplied:
        endpoint = min(supplied, key=lambda place: (loads[place], place))
        case = next(at_hand[endpoint], None)
        if case is not None:
            loads[endpoint] += 1
            yield Route(endpoint, next(numbers)), case
        elif (group := next(waiting, None)) is not None:
            at_hand[endpoint] = iter(group)
        else:
            supplied.discard(endpoint)


def _of_run(store: RunStore) -> list[Case]:
    questions = store.questions()
    held = [one for one in store.conversations().values() if one.status not in EXCLUDED]
    unknown = sorted({one.question_id for one in held} - questions.keys())
    if unknown:
        raise RunFolderError(f"{store.folder}: conversations of unknown questions: {', '.join(unknown)}")
    return [Case(store, questions[one.question_id], _light(one)) for one in held]


def _light(conversation: ConversationRecord) -> ConversationRecord:
    """Return a conversation without log-probabilities, which would fill the memory where runs keep them."""
    if all(turn.logprobs is None for turn in conversation.turns):
        return conversation
    return replace(conversation, turns=tuple(replace(turn, logprobs=None) for turn in conversation.turns))


def _order(place: int, case: Case) -> tuple[str, str, int, int]:
    key = case.conversation.key
    return key.question_id, key.condition, place, key.run


def _ruled(store: RunStore, judge: str) -> set[Any]:
    statuses = store.read_judgement_statuses(judge).records
    return {key for key, record in statuses.items() if record.status is not JudgeStatus.TRANSPORT_ERROR}
