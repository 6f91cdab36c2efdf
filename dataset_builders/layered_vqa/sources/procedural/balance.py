"""Which of the questions that could be asked are asked: answers stay even, and words do not give them away.

Scenes are taken in order and earlier choices are never changed, so a longer set extends a shorter one.
Choosing only ever leaves true questions out; it changes nothing about the worlds.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from dataset_builders.layered_vqa.sources.procedural.questions.candidate import Candidate

SAME_ANSWER = 3.0
SAME_KIND = 1.0
SAME_WORDS = 1.0
"""What it costs to ask again for an answer, in a kind of question, or in words that go with an answer."""

Offer = Callable[[str], Sequence[Candidate]]
"""Gives the candidates of a category in one scene."""


@dataclass
class Balance:
    """What has been asked so far, and the choice of what to ask next."""

    categories: Sequence[str]
    asked: Counter[str] = field(default_factory=Counter)
    _answers: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    _kinds: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    _words: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def choose(self, offer: Offer, count: int, rng: Random) -> list[Candidate]:
        """Return up to `count` questions about one scene, of as many categories as it allows."""
        chosen: list[Candidate] = []
        while len(chosen) < count:
            following = self._next(offer, chosen, rng)
            if following is None:
                break
            self._record(following)
            chosen.append(following)
        return chosen

    def _next(self, offer: Offer, chosen: Sequence[Candidate], rng: Random) -> Candidate | None:
        used = Counter(one.category for one in chosen)
        order = sorted(self.categories, key=lambda name: (used[name], self.asked[name], rng.random()))
        # A scene without any question would be worse than an answer too often: the first one is always asked.
        for lenient in (False, True) if not chosen else (False,):
            for category in order:
                open_ones = [
                    one
                    for one in offer(category)
                    if (lenient or self._is_allowed(one)) and not _repeats(one, chosen)
                ]
                if open_ones:
                    return min(open_ones, key=lambda one: self._cost(one) + rng.random())
        return None

    def _is_allowed(self, one: Candidate) -> bool:
        """Tell whether no answer of the category comes to cover more than a third of it."""
        total = self.asked[one.category] + 1
        return self._answers[one.category][one.answer] + 1 <= max(2, total // 3)

    def _cost(self, one: Candidate) -> float:
        """Return how much a candidate would add to what the words of a question tell about its answer."""
        # In the order of the question: a sum over a set would be rounded differently from run to run.
        words = dict.fromkeys(one.question.split())
        told = sum(self._words[word][one.answer] / (1 + self._words[word].total()) for word in words)
        return (
            SAME_ANSWER * self._answers[one.category][one.answer]
            + SAME_KIND * self._kinds[one.category][one.kind]
            + SAME_WORDS * told
        )

    def _record(self, one: Candidate) -> None:
        self.asked[one.category] += 1
        self._answers[one.category][one.answer] += 1
        self._kinds[one.category][one.kind] += 1
        for word in set(one.question.split()):
            self._words[word][one.answer] += 1


def _repeats(one: Candidate, chosen: Sequence[Candidate]) -> bool:
    """Tell whether a question for the same thing has been chosen: of the same layers, or so answered."""
    return any(
        one.asks == other.asks and (one.minimal_sets == other.minimal_sets or one.answer == other.answer)
        for other in chosen
    )
