"""The running text of a document: topics in an order of its own, none twice before all have come."""

from collections.abc import Callable
from random import Random

from dataset_builders.bear_bench.procedural.languages.numbers import Language
from dataset_builders.bear_bench.procedural.scenarios.draft import Numbering
from dataset_builders.bear_bench.procedural.texts.topic import Topic, texts_of
from dataset_builders.bear_bench.procedural.typesetting.pages import Filler, Section
from dataset_builders.bear_bench.procedural.worlds.company import Company
from dataset_builders.bear_bench.procedural.worlds.study import Study
from dataset_builders.bear_bench.records import Domain


class RunningText:
    """The text of one document; a paper keeps to its own words for its task, its data, its device."""

    def __init__(self, language: Language, domain: Domain, world: Company | Study, rng: Random) -> None:
        texts = texts_of(language, domain)
        self.grammar = texts.grammar
        self.given = world.words if isinstance(world, Study) else {}
        # A paper begins with its introduction; a report has no such order.
        first = list(texts.topics[:1]) if domain == "science" else []
        rest = list(texts.topics[len(first) :])
        rng.shuffle(rest)
        self.opening, self.topics = first, rest
        self.seed = rng.randrange(2**32)

    def abstract(self) -> str:
        """Return a few sentences that begin a paper."""
        rng = Random(f"{self.seed} abstract")
        slots = self.opening[0].slots
        return " ".join(self.grammar.paragraph([*slots[:3], slots[-1]], rng, self.given))

    def on_page(self, page: int, opened: bool) -> "PageText":
        """Return the text of a page; every page goes on with other topics.

        One that is `opened` begins with a section of its own, others with the end of an earlier one.
        """
        return PageText(self, page, opened)


class PageText:
    """The text of one page."""

    def __init__(self, text: RunningText, page: int, opened: bool) -> None:
        self.text, self.rng = text, Random(f"{text.seed} {page}")
        self.opened = opened
        self.opening = list(text.opening) if opened else []
        # A page uses about four topics, one of two columns more.
        self.next = 5 * (page - 1)

    def sections(self, numbering: Numbering) -> Filler:
        """Return what fills the room above and below the blocks that must stand on the page."""
        return Filler(
            above=self._above(),
            below=lambda: self._section(str(numbering.coming("section"))),
            used=lambda: numbering.next("section"),
        )

    def _above(self) -> Callable[[], Section]:
        numbers = iter(["1"] if self.opened else [])
        return lambda: self._section(next(numbers, ""))

    def _section(self, number: str) -> Section:
        topic = self._topic()
        heading = f"{number}. {self.rng.choice(topic.headings)}" if number else ""
        paragraphs = [self._paragraph(topic)]
        if self.rng.random() < 0.35:
            paragraphs.append(self._paragraph(self._topic()))
        return Section(heading, tuple(paragraphs))

    def _topic(self) -> Topic:
        if self.opening:
            return self.opening.pop(0)
        self.next += 1
        return self.text.topics[(self.next - 1) % len(self.text.topics)]

    def _paragraph(self, topic: Topic) -> tuple[str, ...]:
        return tuple(self.text.grammar.paragraph(topic.slots, self.rng, self.text.given))
