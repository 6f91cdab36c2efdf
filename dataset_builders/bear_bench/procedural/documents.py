"""Procedural documents: a world, a look, and a scenario for each page."""

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import count
from random import Random
from typing import Any

from dataset_builders.bear_bench.procedural.content import Block, Heading, Title
from dataset_builders.bear_bench.procedural.languages.numbers import Language
from dataset_builders.bear_bench.procedural.looks import look_of, plain_look
from dataset_builders.bear_bench.procedural.options import PageOptions
from dataset_builders.bear_bench.procedural.scenarios import (
    approval,
    best_branch,
    bonus,
    enough_gain,
    evaluate,
    export_at_rate,
    found_in_sample,
    loop,
    mean_gain,
    overtaking,
    plan_and_growth,
    share_of_costs,
    slice_of_revenue,
    staff_below,
    tariff,
    trace,
    triage,
)
from dataset_builders.bear_bench.procedural.scenarios.draft import Draft, Numbering, Problem, UnluckyError
from dataset_builders.bear_bench.procedural.texts import running
from dataset_builders.bear_bench.procedural.typesetting.marks import Sheet
from dataset_builders.bear_bench.procedural.typesetting.pages import DoesNotFitError, Furniture, compose
from dataset_builders.bear_bench.procedural.typesetting.style import Look
from dataset_builders.bear_bench.procedural.worlds.company import Company, draw_company
from dataset_builders.bear_bench.procedural.worlds.study import Study, draw_study
from dataset_builders.bear_bench.records import Domain

Scenario = Callable[[Draft[Any]], Problem]

CELLS: tuple[tuple[Language, Domain], ...] = (
    ("en", "business"),
    ("ru", "business"),
    ("en", "science"),
    ("ru", "science"),
)
_KINDS: dict[Domain, dict[str, tuple[Scenario, ...]]] = {
    "business": {
        "report": (
            share_of_costs.make,
            plan_and_growth.make,
            slice_of_revenue.make,
            export_at_rate.make,
            best_branch.make,
        ),
        "regulations": (approval.make, staff_below.make, bonus.make, tariff.make),
        "presentation": (
            staff_below.make,
            plan_and_growth.make,
            slice_of_revenue.make,
            export_at_rate.make,
            best_branch.make,
        ),
    },
    "science": {
        "paper": (
            mean_gain.make,
            loop.make,
            overtaking.make,
            evaluate.make,
            enough_gain.make,
            trace.make,
        ),
        "notes": (
            evaluate.make,
            trace.make,
            found_in_sample.make,
            triage.make,
            loop.make,
            overtaking.make,
        ),
    },
}
SCENARIOS: dict[str, tuple[Domain, Scenario]] = {
    scenario.__module__.rpartition(".")[2]: (domain, scenario)
    for domain, kinds in _KINDS.items()
    for scenarios in kinds.values()
    for scenario in scenarios
}
"""Every scenario by its name, with its domain."""
_SCENARIOS_OF = {name: scenarios for kinds in _KINDS.values() for name, scenarios in kinds.items()}
_MOST_ATTEMPTS, _MOST_SIZES, _MOST_WORLDS = 400, 12, 20

LEAST, MOST = 2_000, 3_500
"""How many characters a page has, white space left out; simple pages have fewer."""


@dataclass(frozen=True)
class Plan:
    """A document to be made."""

    language: Language
    domain: Domain
    kind: str
    index: int
    pages: int


@dataclass(frozen=True)
class TypesetPage:
    """A page before it is drawn: its sheet, all blocks in reading order, and its question."""

    sheet: Sheet
    blocks: tuple[Block, ...]
    problem: Problem


def plans(options: PageOptions) -> Iterator[Plan]:
    """Yield the documents of a set, cell by cell; the cells differ by a page at most."""
    for number, (language, domain) in enumerate(CELLS):
        left = options.pages // len(CELLS) + (number < options.pages % len(CELLS))
        kinds = list(_KINDS[domain])
        for index in count():
            if left == 0:
                break
            kind = kinds[index % len(kinds)]
            rng = Random(f"{options.seed} {language} {domain} {index} length")
            size = min(left, rng.randint(3, len(_SCENARIOS_OF[kind])))
            yield Plan(language, domain, kind, index, size)
            left -= size


def characters(sheet: Sheet) -> int:
    """Return how many characters are typeset on a page, white space left out."""
    return sum(len("".join(mark.text.split())) for mark in sheet.written())


class DocumentMaker:
    """Makes the pages of one document."""

    def __init__(self, plan: Plan, options: PageOptions) -> None:
        self.plan, self.options = plan, options
        self.key = f"{options.seed} {plan.language} {plan.domain} {plan.index}"
        self._draw("")

    def _draw(self, again: str) -> None:
        """Draw what the document is about; `again` makes another one of it."""
        plan, options = self.plan, self.options
        rng = Random(f"{self.key} document{again}")
        self.world: Company | Study = (
            draw_company(plan.language, rng, options.simple)
            if plan.domain == "business"
            else draw_study(plan.language, rng, options.simple)
        )
        self.look: Look = (
            plain_look(plan.language, plan.domain == "science")
            if options.simple
            else look_of(plan.kind, plan.language, rng)
        )
        # The first pages are the same however many there are.
        every = _SCENARIOS_OF[plan.kind]
        self.scenarios = rng.sample(every, len(every))[: plan.pages]
        self.text = running.RunningText(plan.language, plan.domain, self.world, rng)

    def pages(self) -> Sequence[TypesetPage]:
        """Return the pages in order; numbers of tables, figures and sections run through them.

        A company or a study of which some question cannot be asked, however it is put, is drawn anew.
        """
        for again in range(_MOST_WORLDS):
            if again:
                self._draw(f" {again}")
            try:
                return self._attempted()
            except UnluckyError as error:
                missing = error
        raise RuntimeError(f"{self.key}: {missing}, in the last of {_MOST_WORLDS} draws")

    def _attempted(self) -> Sequence[TypesetPage]:
        numbering, pages = Numbering(), []
        for number, scenario in enumerate(self.scenarios, start=1):
            page, numbering = self._page(number, scenario, numbering)
            pages.append(page)
        return pages

    @property
    def title(self) -> str:
        """The title of the document."""
        return self._names()[0]

    def _page(self, number: int, scenario: Scenario, before: Numbering) -> tuple[TypesetPage, Numbering]:
        """Return a page, and the numbering after it."""
        for attempt in range(_MOST_ATTEMPTS):
            try:
                if number == 1 and not self.options.simple:
                    page, after = self._attempt(number, scenario, before, attempt, opened=True)
                    headings = (block.text for block in page.blocks if isinstance(block, Heading))
                    if next(headings).startswith("1. "):
                        return page, after
                    # There was no room for a section before that of the scenario.
                return self._attempt(number, scenario, before, attempt, opened=False)
            except (UnluckyError, DoesNotFitError):
                continue
        raise UnluckyError(f"no page from {scenario.__module__} in {_MOST_ATTEMPTS} attempts")

    def _attempt(
        self, number: int, scenario: Scenario, before: Numbering, attempt: int, *, opened: bool
    ) -> tuple[TypesetPage, Numbering]:
        """Make a page; one that is `opened` begins with a numbered section of running text."""
        numbering = deepcopy(before)
        if opened:
            numbering.next("section")
        rng = Random(f"{self.key} {number} {attempt}")
        draft = Draft(self.plan.language, self.world, rng, numbering, self.options.simple)
        if number == 1:
            draft.add(self._title())
        problem = scenario(draft)
        return self._typeset(number, draft, problem, opened)

    def _typeset(
        self, number: int, draft: Draft[Any], problem: Problem, opened: bool
    ) -> tuple[TypesetPage, Numbering]:
        """Set a page; where it is too full or too empty, its letters are made a little larger or smaller."""
        share, look = draft.rng.uniform(0.0, 0.5), self.look
        for _ in range(_MOST_SIZES):
            numbering = deepcopy(draft.numbering)
            text = self.text.on_page(number, opened)
            filler = None if self.options.simple else text.sections(numbering)
            sheet, blocks = compose(draft.blocks, look, self._furniture(number), filler, share)
            count = characters(sheet)
            if filler is None or LEAST <= count <= MOST:
                return TypesetPage(sheet, blocks, problem), numbering
            look = replace(look, size=look.size * (1.025 if count > MOST else 0.975))
        raise DoesNotFitError(f"{count} characters even at {look.size:.1f} pixels")

    def _names(self) -> tuple[str, str, str]:
        """Return the title of the document, and what stands at the top of its pages, left and right."""
        world = self.world
        if isinstance(world, Study):
            first = world.authors[0]
            some = {"en": f"{first} et al.", "ru": f"{first} и др."}[world.language]
            kind = {"en": ("Preprint", "Lecture notes"), "ru": ("Препринт", "Конспект лекций")}[
                world.language
            ]
            return world.title, some, f"{kind[self.plan.kind == 'notes']}, {world.year}"
        said = {
            "report": ("Annual report", "Годовой отчёт"),
            "regulations": ("Internal regulations", "Внутренний регламент"),
            "presentation": ("Investor presentation", "Презентация для инвесторов"),
        }[self.plan.kind][world.language == "ru"]
        return f"{world.name}: {said[0].lower()}{said[1:]} {world.year}", world.name, f"{said} {world.year}"

    def _title(self) -> Title:
        world = self.world
        if isinstance(world, Study) and not self.options.simple:
            return Title(world.title, (", ".join(world.authors), world.institute), self.text.abstract())
        return Title(self._names()[0], ())

    def _furniture(self, page: int) -> Furniture:
        return Furniture(*self._names()[1:], page)
