"""What an evaluation is, as a record: how a row becomes turns, under which contract and sampling.

A benchmark is data, not code: running, storing and reporting read it and know no benchmark by name.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from lvqa_eval.baselines import BASELINES
from lvqa_eval.dataset import Dataset
from lvqa_eval.dataset_folder import DatasetError, open_manifest
from lvqa_eval.images import Background
from lvqa_eval.judging.grounding import parse_grounding
from lvqa_eval.judging.layer_sets import LayersError
from lvqa_eval.metrics.bear.conditions import CONDITIONS, COT, DEFAULT, FACTORS, at_factor
from lvqa_eval.pages import DOMAINS, LANGUAGES
from lvqa_eval.prompts import Prompt, load_prompt
from lvqa_eval.runs.questions import UnknownBenchmarkError
from lvqa_eval.scheduled import ScheduledDataset, ScheduledRow
from lvqa_eval.scheduled_pages import ScheduledPages
from lvqa_eval.serving.request import Sampling


class Reader(Protocol):
    """Makes a dataset of a folder and its manifest."""

    def __call__(
        self, folder: Path, manifest: dict[str, Any], manifest_sha256: str, revision: str | None
    ) -> ScheduledDataset:
        """Return the dataset."""


def _any_form(_row: ScheduledRow, _reply: str) -> None:
    """Find nothing wrong with the form of a reply."""


@dataclass(frozen=True)
class Benchmark:
    """One benchmark.

    - `name`: its own, and that of its datasets in their manifests. `dataset` reads these; `manifest` names
      what theirs must have.
    - `conditions`: the published ones, in the order of the tables; losses are taken against the first.
      `usual`: those that run where none are named, None for all.
    - `condition_contract`: which of the prompts `contracts` the conversation of a condition's row has as its
      system prompt, None for none.
    - `breach`: says in words what in a last reply breaks the form that its contract asks for, None where it
      does not; a reply that does is `unparsable`.
    - `labels`: the prompts that stand above a layer and above the scene; none where pictures go unnamed.
    - `factors`: what the sides of pictures are divided by, of the conditions that make them smaller.
    - `splits`: the fields of its questions by which a run may take a part of them, and their values.
    - `background`: what lies behind pictures where neither the user nor the dataset says.
    - `users`: who may speak the user's turns. `protocol`: how a judge model is asked.
    - `whole`: what a picture that is no layer is called. `cluster`: what the bootstrap draws together.
    - `sampling`, `runs`: the published defaults.
    """

    name: str
    dataset: Reader
    manifest: tuple[str, ...]
    conditions: tuple[str, ...]
    condition_contract: Callable[[ScheduledRow], str | None]
    contracts: tuple[str, ...]
    usual: tuple[str, ...] | None = None
    breach: Callable[[ScheduledRow, str], str | None] = _any_form
    labels: tuple[str, ...] = ("layer_label", "composite_label")
    factors: Mapping[str, float] = field(default_factory=dict)
    splits: Mapping[str, Sequence[str]] = field(default_factory=dict)
    background: Background = "checkerboard"
    users: tuple[str, ...] = ("scripted", "llm")
    protocol: str = "final-turn"
    whole: str = "composite"
    cluster: str = "scene"
    sampling: Sampling = field(default_factory=Sampling)
    runs: int = 3

    @property
    def own_prompts(self) -> tuple[str, ...]:
        """The names of the prompts that its conditions use."""
        return (*self.contracts, *self.labels)

    def prompts(self) -> dict[str, Prompt]:
        """Load every prompt that conversations use: its own by name, a baseline's by the baseline's."""
        return {name: load_prompt(name) for name in self.own_prompts} | {
            name: BASELINES.get(name).contract() for name in BASELINES.names()
        }

    def contract(self, row: ScheduledRow) -> str | None:
        """Return which of `prompts` is the system prompt of a row's conversation, None for none."""
        return row.condition if row.condition in BASELINES.names() else self.condition_contract(row)

    def factor(self, condition: str) -> float:
        """Return what the sides of the pictures of a condition are divided by."""
        return self.factors.get(condition, 1.0)

    def open(self, name: str, revision: str | None = None) -> ScheduledDataset:
        """Open a dataset folder, or fetch a dataset of the Hub (ORG/NAME) at `revision`.

        A local folder comes first and has no revisions. Raises DatasetError where neither is there, and for
        the dataset of another benchmark.
        """
        opened = open_manifest(name, revision)
        told = f"{opened.folder}: manifest.json:"
        if opened.kind != self.name:
            other = f"; --benchmark {opened.kind} runs it" if opened.kind in BENCHMARKS else ""
            raise DatasetError([f"{told} dataset: found {opened.kind!r}, needed {self.name!r}{other}"])
        if missing := [key for key in self.manifest if key not in opened.manifest]:
            raise DatasetError([f"{told} {key}: missing" for key in missing])
        return self.dataset(
            folder=opened.folder,
            manifest=opened.manifest,
            manifest_sha256=opened.manifest_sha256,
            revision=opened.revision,
        )


def _layered_vqa_contract(row: ScheduledRow) -> str:
    if row.condition == "all-layers":
        return "grounding"
    return "single_turn" if len(row.turns) == 1 else "multi_turn"


def _layered_vqa_breach(row: ScheduledRow, reply: str) -> str | None:
    if row.condition != "all-layers":
        return None
    try:
        found = parse_grounding(reply, len(row.turns[-1].layers))
    except LayersError as error:
        return str(error)
    return None if found.answer else "answer: found no line that gives it, needed one such as Answer: red"


LAYERED_VQA = Benchmark(
    name="layered-vqa",
    dataset=Dataset,
    manifest=("conditions",),
    conditions=(
        "full",
        "concat-q",
        "shuffled-concat",
        "sharded-q",
        "recap-q",
        "snowball-q",
        "concat-v",
        "sharded-v",
        "recap-v",
        "snowball-v",
        "evidence-first",
        "evidence-last",
        "aligned-vq",
        "misaligned-vq",
        "all-layers",
        "oracle",
    ),
    condition_contract=_layered_vqa_contract,
    contracts=("single_turn", "multi_turn", "grounding"),
    breach=_layered_vqa_breach,
)


def _bear_bench_contract(row: ScheduledRow) -> str | None:
    return "page_steps" if row.condition == COT else None


BEAR_BENCH = Benchmark(
    name="bear-bench",
    dataset=ScheduledPages,
    manifest=("cells",),
    conditions=CONDITIONS,
    condition_contract=_bear_bench_contract,
    contracts=("page_steps",),
    usual=(DEFAULT,),
    labels=(),
    factors={at_factor(factor): factor for factor in FACTORS if factor != 1},
    splits={"language": LANGUAGES, "domain": DOMAINS},
    background="white",
    users=("scripted",),
    protocol="xml",
    whole="page",
    cluster="document",
    sampling=Sampling(temperature=0.6, max_tokens=16_384),
    runs=1,
)

BENCHMARKS: Final[Mapping[str, Benchmark]] = {one.name: one for one in (LAYERED_VQA, BEAR_BENCH)}

_SHORT: Final = {"bear": BEAR_BENCH.name}
"""Further names by which a benchmark may be asked for."""


def find_benchmark(name: str) -> Benchmark:
    """Return the benchmark of a name, or of a short one; UnknownBenchmarkError with those known."""
    found = BENCHMARKS.get(_SHORT.get(name, name))
    if found is None:
        raise UnknownBenchmarkError(f"benchmark: found {name!r}, allowed: {', '.join(BENCHMARKS)}")
    return found
