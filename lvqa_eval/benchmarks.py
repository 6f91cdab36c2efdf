"""What an evaluation is, as a record: how a row becomes turns, under which contract and sampling.

A benchmark is data, not code: running, storing and reporting read it and know no benchmark by name.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from lvqa_eval.baselines import BASELINES
from lvqa_eval.dataset import Row
from lvqa_eval.judging.grounding import parse_grounding
from lvqa_eval.judging.layer_sets import LayersError
from lvqa_eval.prompts import Prompt, load_prompt
from lvqa_eval.serving.request import Sampling


@dataclass(frozen=True)
class Benchmark:
    """One benchmark.

    - `conditions`: the published ones, in the order of the tables; losses are taken against the first.
    - `condition_contract`: which of the prompts `contracts` the conversation of a condition's row has.
    - `breach`: says in words what in a last reply breaks the form that its contract asks for, None where it
      does not; a reply that does is `unparsable`.
    - `sampling`, `runs`: the published defaults.
    """

    name: str
    conditions: tuple[str, ...]
    condition_contract: Callable[[Row], str]
    contracts: tuple[str, ...]
    breach: Callable[[Row, str], str | None] = lambda _row, _reply: None
    labels: tuple[str, str] = ("layer_label", "composite_label")
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

    def contract(self, row: Row) -> str:
        """Return which of `prompts` is the system prompt of a row's conversation."""
        return row.condition if row.condition in BASELINES.names() else self.condition_contract(row)


def _layered_vqa_contract(row: Row) -> str:
    if row.condition == "all-layers":
        return "grounding"
    return "single_turn" if len(row.turns) == 1 else "multi_turn"


def _layered_vqa_breach(row: Row, reply: str) -> str | None:
    if row.condition != "all-layers":
        return None
    try:
        found = parse_grounding(reply, row.depth)
    except LayersError as error:
        return str(error)
    return None if found.answer else "answer: found no line that gives it, needed one such as Answer: red"


LAYERED_VQA = Benchmark(
    name="layered-vqa",
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
