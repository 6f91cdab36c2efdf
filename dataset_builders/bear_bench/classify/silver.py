"""Silver labels: what a strong model, behind an OpenAI-compatible endpoint, sees on a sample of the pages."""

import asyncio
import shutil
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dataset_builders.bear_bench.classify.contract import SCHEMA, LabelsError, prompt, read_labels
from dataset_builders.bear_bench.classify.stratified import PAGES, SEED, stratified
from dataset_builders.bear_bench.counts import StageCount
from dataset_builders.bear_bench.records import Document, Page, Record
from dataset_builders.bear_bench.work import Work, read_records
from lvqa_eval.errors import LvqaError
from lvqa_eval.images import PictureError, PictureKey, PictureStore, Rendering
from lvqa_eval.runs.identity import RunIdentity, check_same
from lvqa_eval.runs.lines import AppendLog
from lvqa_eval.seeds import seed_of
from lvqa_eval.serving.asking import ask_each
from lvqa_eval.serving.client import ChatClient
from lvqa_eval.serving.endpoint import providers
from lvqa_eval.serving.preflight import Requirements
from lvqa_eval.serving.request import Message, Route, Sampling
from lvqa_eval.serving.structured import held_to
from lvqa_eval.simulation.messages import user_message
from lvqa_eval.simulation.replies import Reply
from lvqa_eval.statuses import FINAL, Status

NAME = "silver"
ATTEMPTS = 2
"""A reply that cannot be read is asked for once more, with the reason; then the page has no label."""

_SETTINGS = "silver.yaml"
_REPLIES = "replies.jsonl"
_LONGEST_KEPT = 2000


class SilverError(LvqaError, ValueError):
    """Silver labels that cannot be made, or that there are none of."""


class SilverLabel(Record):
    """What became of one page: `labels` where `status` is ok, None otherwise, with the reason in `error`.

    `sha256` is that of the page's picture. `reply` is what was said where that could not be read. Token
    counts are those of all attempts.
    """

    page_id: str
    sha256: str
    status: Status
    labels: tuple[str, ...] | None
    error: str | None = None
    reply: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True)
class SilverOptions:
    """Who is asked, about how many pages, and how.

    With `structured` the server is asked to hold replies to a JSON schema; they are read strictly either way.
    A page of more than `max_pixels` pixels is sent smaller. `deadline` is that of one request in seconds.
    """

    base_urls: tuple[str, ...]
    model: str
    size: int = PAGES
    seed: int = SEED
    sampling: Sampling = field(default_factory=lambda: Sampling(temperature=0.0, max_tokens=2048))
    structured: bool = True
    max_pixels: int | None = 2_000_000
    in_flight: int = 16
    deadline: float = 600.0

    @property
    def rendering(self) -> Rendering:
        """How pages are sent."""
        return Rendering(background="white", max_pixels=self.max_pixels)

    @property
    def drawn(self) -> Sampling:
        """The sampling, with the schema where replies are held to it."""
        return held_to(self.sampling, "labels", SCHEMA) if self.structured else self.sampling

    def identity(self) -> dict[str, Any]:
        """Return all that a label depends on, but for its page and the model's own server.

        How many pages are asked about is not among it: a sample may grow.
        """
        asked = (prompt("silver_labels"), prompt("silver_again"))
        return {
            "model": self.model,
            "providers": providers(self.base_urls),
            "prompts": {one.name: one.sha256 for one in asked},
            "sampling": self.sampling.fields(),
            "structured": self.structured,
            "images": self.rendering.identity(),
            "seed": self.seed,
        }


def run(work: Work, options: SilverOptions) -> StageCount:
    """Ask a model about the sample, and write silver.jsonl, with the settings beside it.

    What stands there already is not asked again, nor what a killed run had; failures of the serving are.
    Raises IdentityChangedError where labels of other settings stand there, PreflightError for a server that
    cannot serve, ServerGoneError where it ends: what came before is kept.
    """
    documents = {one.document_id: one for one in work.read("documents", Document, "collect")}
    chosen = stratified(work.read("pages", Page, "render"), documents, options.size, options.seed)
    identity = RunIdentity(options.identity())
    partial = work.partial(NAME)
    settings = [path for path in (work.folder / _SETTINGS, partial / _SETTINGS) if path.exists()]
    for path in settings:
        check_same(path, RunIdentity.read(path), identity)
    if not settings:
        identity.write(partial / _SETTINGS)
    labels = _kept(work, partial / _REPLIES, chosen)
    left = [page for page in chosen if page.page_id not in labels]
    if left:
        with AppendLog(partial / _REPLIES) as log:
            labels |= _ask(work, options, left, log)
    identity.write(work.folder / _SETTINGS)
    work.write(NAME, [labels[page.page_id] for page in chosen])
    shutil.rmtree(partial)
    return counted(labels[page.page_id] for page in chosen)


def read_silver(work: Work, pages: Iterable[Page]) -> dict[str, tuple[str, ...]]:
    """Return page id -> labels, of the pages whose picture is the one that was labelled."""
    standing = {page.page_id: page.sha256 for page in pages}
    return {
        one.page_id: one.labels
        for one in work.read(NAME, SilverLabel, "classify")
        if one.labels is not None and standing.get(one.page_id) == one.sha256
    }


def counted(labels: Iterable[SilverLabel]) -> StageCount:
    """Return how many pages have labels, by label, and how many have none, by status."""
    statuses: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for one in labels:
        statuses[one.status.value] += 1
        found.update(one.labels or ())
    kept = statuses.pop(Status.OK.value, 0)
    return StageCount(NAME, "labelled pages", kept, dict(statuses), dict(sorted(found.items())))


def _kept(work: Work, replies: Path, chosen: Sequence[Page]) -> dict[str, SilverLabel]:
    """Return what is settled already; a page that was drawn anew since is not."""
    standing = work.read(NAME, SilverLabel, "classify") if work.has(NAME) else []
    if replies.exists():
        AppendLog(replies).close()  # cuts off what a killed writer left of a line
        standing += read_records(replies, SilverLabel)
    hashes = {page.page_id: page.sha256 for page in chosen}
    return {
        one.page_id: one for one in standing if one.status in FINAL and hashes.get(one.page_id) == one.sha256
    }


def _ask(work: Work, options: SilverOptions, pages: Sequence[Page], log: AppendLog) -> dict[str, SilverLabel]:
    labels: dict[str, SilverLabel] = {}

    def asker(client: ChatClient) -> Callable[[Page, Route], Awaitable[None]]:
        about = _Asker(work, options, client)

        async def ask(page: Page, route: Route) -> None:
            labels[page.page_id] = found = await about.label(page, route)
            log.append(found.model_dump(mode="json"))

        return ask

    asyncio.run(ask_each(pages, asker, options, options.drawn, Requirements("a page", 1), "silver labels"))
    return labels


class _Asker:
    """Asks about one page at a time."""

    def __init__(self, work: Work, options: SilverOptions, client: ChatClient) -> None:
        self._folder, self._options, self._client = work.folder, options, client
        self._pictures = PictureStore(options.rendering)
        self._prompt, self._again = prompt("silver_labels"), prompt("silver_again")

    async def label(self, page: Page, route: Route) -> SilverLabel:
        """Return the labels of a page, or why it has none."""
        none = SilverLabel(page_id=page.page_id, sha256=page.sha256, status=Status.UNPARSABLE, labels=None)
        try:
            picture = await self._pictures.picture(
                PictureKey(page.page_id, None, page.file), lambda name: self._folder / name
            )
        except PictureError as error:
            raise SilverError(f"{error}; first: lvqa build bear render {self._folder}") from error
        asked, spent = self._prompt.text, (0, 0)
        for attempt in range(1, ATTEMPTS + 1):
            message: Message = user_message([("Page:", picture)], asked)
            seed = seed_of(f"silver:{self._options.seed}:{attempt}:{page.page_id}")
            reply = await self._client.complete([message], seed=seed, route=route)
            spent = (spent[0] + (reply.prompt_tokens or 0), spent[1] + (reply.completion_tokens or 0))
            found = _read(none, reply)
            if found.status is not Status.UNPARSABLE:
                break
            asked = f"{self._prompt.text}\n\n{self._again.fill(fault=found.error)}"
        return found.model_copy(update={"prompt_tokens": spent[0], "completion_tokens": spent[1]})


def _read(none: SilverLabel, reply: Reply) -> SilverLabel:
    """Return what a reply says of a page; a reply that failed is a status, never a label."""
    said = None if reply.text is None else reply.text[:_LONGEST_KEPT]
    if reply.status is not Status.OK:
        return none.model_copy(update={"status": reply.status, "error": reply.error, "reply": said})
    try:
        labels = read_labels(reply.text or "")
    except LabelsError as error:
        return none.model_copy(update={"error": str(error), "reply": said})
    return none.model_copy(update={"status": Status.OK, "labels": labels})
