"""What a detector is, and every detector by its name."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, Protocol

from lvqa_eval.detectors.answers import Answers, Places
from lvqa_eval.detectors.signals import Signals
from lvqa_eval.extensions import Registry
from lvqa_eval.metrics.bootstrap import Floats

Need = Literal["answer", "tokens", "hidden", "patches", "verdicts"]
"""What a detector reads: the words of the answer alone, or one kind of `Signals`."""


@dataclass(frozen=True, eq=False)
class Scored:
    """Scores of a detector that nothing is fitted for, (answers,): higher is more likely incorrect.

    NaN where it has nothing to say. With `binary` they are verdicts, 1 for incorrect, and have no ranking.
    `upper`: what the scores would be with the upper bounds of signals that are only bounded.
    """

    values: Floats
    binary: bool = False
    upper: Floats | None = None


class FoldScores(NamedTuple):
    """Scores of a fitted detector: of its training answers, which give the threshold, and of the others.

    Those of the training answers come from fits that had not seen the answer. `chosen` says what was chosen.
    """

    train: Floats
    test: Floats
    chosen: str = ""


@dataclass(frozen=True, eq=False)
class Fitted:
    """A detector that learns: `fold(train, test)` fits on the answers at `train` alone and scores both."""

    fold: Callable[[Places, Places], FoldScores]


class Detector(Protocol):
    """Tells how likely an answer is wrong, without its verdict.

    Others add theirs in the entry-point group `lvqa.detectors`: a class that is made without arguments.
    """

    @property
    def name(self) -> str:
        """The name under which the detector is registered and its scores are written."""

    @property
    def needs(self) -> Need:
        """What it reads; it is asked once for each source that has this."""

    def read(self, answers: Answers, signals: Signals) -> Scored | Fitted:
        """Return its scores of `answers`, or how it learns them.

        The reference answers in `answers` are not for detectors to read, and `incorrect` only for the answers
        that a fold gives to learn from.
        """


DETECTORS: Final[Registry] = Registry(
    "lvqa.detectors",
    {
        "answer-length": "lvqa_eval.detectors.answer_length:AnswerLength",
        "max_prob": "lvqa_eval.detectors.uncertainty:MaxProb",
        "mean_prob": "lvqa_eval.detectors.uncertainty:MeanProb",
        "log_likelihood": "lvqa_eval.detectors.uncertainty:LogLikelihood",
        "log_likelihood_sum": "lvqa_eval.detectors.uncertainty:LogLikelihoodSum",
        "max_entropy": "lvqa_eval.detectors.uncertainty:MaxEntropy",
        "mean_entropy": "lvqa_eval.detectors.uncertainty:MeanEntropy",
        "perplexity": "lvqa_eval.detectors.uncertainty:Perplexity",
        "weakest_token": "lvqa_eval.detectors.uncertainty:WeakestToken",
        "contextual_lens": "lvqa_eval.detectors.contextual_lens:ContextualLens",
        "contextual_lens_top10": "lvqa_eval.detectors.contextual_lens:ContextualLensTop10",
        "contextual_lens_chosen": "lvqa_eval.detectors.contextual_lens:ContextualLensChosen",
        "suq_probe": "lvqa_eval.detectors.probe:LogisticProbe",
        "suq_probe_mlp": "lvqa_eval.detectors.mlp_probe:MlpProbe",
        "model_as_judge": "lvqa_eval.detectors.model_as_judge:ModelAsJudge",
        "model_as_judge_prob": "lvqa_eval.detectors.model_as_judge:ModelAsJudgeProb",
    },
)
"""Every detector by its name, in the order of tables: a class, or anything that makes one when called."""
