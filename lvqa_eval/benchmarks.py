"""What an evaluation is, as a record: how a row becomes turns, under which contract and sampling.

A benchmark is data, not code: running, storing and reporting read it and know no benchmark by name.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from lvqa_eval.dataset import Row
from lvqa_eval.prompts import Prompt, load_prompt
from lvqa_eval.serving.request import Sampling


@dataclass(frozen=True)
class Benchmark:
    """One benchmark.

    - `conditions`: the published ones, in the order of the tables; losses are taken against the first.
    - `contract`: which system prompt a row's conversation has, by the prompt's name.
    - `sampling`, `runs`: the published defaults.
    """

    name: str
    conditions: tuple[str, ...]
    contract: Callable[[Row], str]
    contracts: tuple[str, ...]
    labels: tuple[str, str] = ("layer_label", "composite_label")
    sampling: Sampling = field(default_factory=Sampling)
    runs: int = 3

    def prompts(self) -> dict[str, Prompt]:
        """Load every prompt that conversations of this benchmark use, by name."""
        return {name: load_prompt(name) for name in (*self.contracts, *self.labels)}


def _layered_vqa_contract(row: Row) -> str:
    if row.condition == "all-layers":
        return "grounding"
    return "single_turn" if len(row.turns) == 1 else "multi_turn"


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
    contract=_layered_vqa_contract,
    contracts=("single_turn", "multi_turn", "grounding"),
)
