"""What the command line lets one choose of a judge that is a model."""

from dataclasses import dataclass, field
from pathlib import Path

from lvqa_eval.serving.request import Sampling
from lvqa_eval.tally import Prices


@dataclass(frozen=True)
class JudgeOptions:
    """What `lvqa judge` lets one choose; its help says what each is."""

    protocols: tuple[str, ...] = ("final-turn",)
    sampling: Sampling = field(default_factory=lambda: Sampling(temperature=0.0, max_tokens=2048))
    structured: bool = True
    seed: int = 0
    retest: bool = False
    in_flight: int = 64
    deadline: float = 600.0
    prices: Prices = field(default_factory=Prices)
    max_cost: float | None = None
    context: int | None = None
    gpus: int = 1
    servers: int = 1
    server_arguments: tuple[str, ...] = ()
    log: Path | None = None
    workers: int | None = None
