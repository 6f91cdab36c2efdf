"""What detectors read beside the words of an answer: signals of its tokens, hidden states, image patches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from lvqa_eval.metrics.bootstrap import Floats

NATIVE: Final = "native"
"""The source of signals that the answering model gave itself: any other is the name of a proxy."""


@dataclass(frozen=True, eq=False)
class TokenSignals:
    """Signals of the tokens of one answer, thinking and special tokens left out; arrays of one length.

    - `logprobs`: natural log-probability of each token; NaN where it is not known.
    - `entropies`: of the distribution that the token was drawn from, in nats; NaN where it is not known.
      A lower bound where only the k most likely alternatives are known, and then
    - `entropies_upper` is an upper bound; the same array where entropies are exact.
    """

    logprobs: Floats
    entropies: Floats
    entropies_upper: Floats


@dataclass(frozen=True, eq=False)
class PatchSignals:
    """How like an answer each patch of its pictures is.

    - `cosines`: by (text layer, image layer) as counted in `Signals.depth`, the cosine between the mean
      hidden state of the answer's tokens and the hidden state of each image position, (patches,).
    - `grids`: rows and columns of the patches of each picture, in the order of the positions.
    """

    cosines: Mapping[tuple[int, int], Floats]
    grids: tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Signals:
    """The signals of one source for a list of answers, in its order; None where an answer has none.

    - `source`: `NATIVE`, or the name of the proxy or judge that read the answers of another model.
    - `about`: what made them: model, revision, layers, pixel limits, versions; empty for a server's own.
    - `depth`: the number of text layers. Layer 0 is the embeddings, layer `depth` comes after the final norm.
    - `hidden`: by layer the state of the last token of each answer, (answers, width) float32, a row of NaN
      for an answer without.
    - `verdicts`: of a judge that saw no reference, 1 incorrect, 0 correct, NaN for none, (answers,);
    - `verdict_scores`: how likely it held each answer incorrect, NaN where its server did not tell.
    """

    source: str
    tokens: Sequence[TokenSignals | None] = ()
    hidden: Mapping[int, Floats] = field(default_factory=dict)
    patches: Sequence[PatchSignals | None] = ()
    depth: int = 0
    about: Mapping[str, object] = field(default_factory=dict)
    verdicts: Floats | None = None
    verdict_scores: Floats | None = None
