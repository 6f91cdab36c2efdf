"""One pass of a model over a batch of answers: exact log-probabilities, entropies, states and cosines.

Answers are padded behind, where a causal model does not look, so that a batch changes nothing but the last
digits. Logits are made for the tokens of answers alone. Of image positions only cosines leave the pass.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.detectors.features.depths import Depths
from lvqa_eval.detectors.features.errors import FeaturesError
from lvqa_eval.detectors.features.inputs import ModelInput

if TYPE_CHECKING:
    import torch

Singles = NDArray[np.float32]

_ROWS: Final = 256
"""Rows of logits that are turned to single precision at once."""


@dataclass(frozen=True, eq=False)
class AnswerFeatures:
    """What a model says of one answer of so many tokens.

    - `logprobs`, `entropies`: of each token, and of the distribution before it, in nats, (tokens,).
    - `hidden`: by layer the state of the last token, (width,).
    - `cosines`: by (text layer, image layer) the cosine between the mean state of the tokens and the state of
      each image position, (positions,).
    """

    logprobs: Singles
    entropies: Singles
    hidden: Mapping[int, Singles]
    cosines: Mapping[tuple[int, int], Singles]


def read_answers(network: Any, batch: Sequence[ModelInput], depths: Depths, pad: int) -> list[AnswerFeatures]:
    """Return what `network`, a causal image-text model of transformers, says of each answer of a batch.

    `pad` is the id behind shorter ones. Raises FeaturesError for figures that are not finite.
    """
    import torch

    places = _Places.of(batch)
    with torch.inference_mode(), _tapped(network, places.to(network.device), depths) as states:
        inputs = _collated(batch, pad)
        placed = {name: tensor.to(network.device) for name, tensor in inputs.items()}
        logits = network(**placed, use_cache=False).logits[0]
        chosen = torch.cat([one.tokens["input_ids"][one.prompt :] for one in batch]).to(logits.device)
        logprobs, entropies = _token_figures(logits, chosen)
        del logits
        if not (np.isfinite(logprobs).all() and np.isfinite(entropies).all()):
            raise FeaturesError(
                f"the model in {network.dtype}: found log-probabilities that are not finite; "
                "try --dtype bfloat16 or float32"
            )
        return list(_parted(batch, logprobs, entropies, states, depths))


@dataclass(frozen=True, eq=False)
class _Places:
    """Where in a padded batch, laid out in one row, what is read stands: indices of tokens."""

    tokens: int
    before: "torch.Tensor"
    answers: "torch.Tensor"
    images: "torch.Tensor"

    @classmethod
    def of(cls, batch: Sequence[ModelInput]) -> "_Places":
        import torch

        width = max(one.length for one in batch)
        answers = [
            torch.arange(row * width + one.prompt, row * width + one.length) for row, one in enumerate(batch)
        ]
        images = [
            torch.tensor(one.image_places, dtype=torch.long) + row * width for row, one in enumerate(batch)
        ]
        joined = torch.cat(answers)
        # What stands before a token is what it is predicted from.
        return cls(len(batch) * width, joined - 1, joined, torch.cat(images))

    def to(self, device: Any) -> "_Places":
        return _Places(self.tokens, self.before.to(device), self.answers.to(device), self.images.to(device))


@dataclass(eq=False)
class _States:
    """States of a batch by layer: of the tokens of answers, and of image positions, one row each."""

    answers: "dict[int, torch.Tensor]"
    images: "dict[int, torch.Tensor]"


@contextmanager
def _tapped(network: Any, places: _Places, depths: Depths) -> Iterator[_States]:
    """Keep the states of the layers of `depths` in the next pass, and give the output layer answers alone.

    The state of a layer is what the next one reads; that of the last is what the output layer reads.
    """
    states = _States({}, {})

    def keep(layer: int, hidden: "torch.Tensor") -> None:
        rows = hidden.flatten(0, 1)
        states.answers[layer] = rows[places.answers]
        if layer in depths.lens:
            states.images[layer] = rows[places.images]

    def tap(layer: int) -> Any:
        def hook(_module: Any, given: tuple[Any, ...], named: dict[str, Any]) -> None:
            keep(layer, given[0] if given else named["hidden_states"])

        return hook

    def output(_module: Any, given: tuple[Any, ...]) -> tuple["torch.Tensor"]:
        (hidden,) = given
        if hidden.shape[0] * hidden.shape[1] != places.tokens:
            raise FeaturesError(
                f"{type(network).__name__}: its output layer reads {tuple(hidden.shape[:2])} tokens of "
                f"{places.tokens}, needed all"
            )
        keep(depths.depth, hidden)
        return (hidden.flatten(0, 1)[places.before][None],)

    layers = network.get_decoder().layers
    with ExitStack() as stack:
        for layer in depths.all:
            if layer < depths.depth:
                handle = layers[layer].register_forward_pre_hook(tap(layer), with_kwargs=True)
                stack.callback(handle.remove)
        stack.callback(network.get_output_embeddings().register_forward_pre_hook(output).remove)
        yield states


def _collated(batch: Sequence[ModelInput], pad: int) -> dict[str, "torch.Tensor"]:
    """Return the tensors of a batch: tokens padded behind, pictures one after the other."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    found = {
        name: pad_sequence(
            [one.tokens[name] for one in batch],
            batch_first=True,
            padding_value=pad if name == "input_ids" else 0,
        )
        for name in batch[0].tokens
    }
    # An answer without pictures has none of their tensors.
    names = sorted({name for one in batch for name in one.pictures})
    return found | {
        name: torch.cat([one.pictures[name] for one in batch if name in one.pictures]) for name in names
    }


def _token_figures(logits: "torch.Tensor", chosen: "torch.Tensor") -> tuple[Singles, Singles]:
    """Return the log-probability of each chosen token and the entropy of its distribution, in nats."""
    import torch

    logprobs, entropies = [], []
    for start in range(0, len(chosen), _ROWS):
        rows, ids = logits[start : start + _ROWS], chosen[start : start + _ROWS]
        every = torch.log_softmax(rows.float(), dim=-1)
        logprobs.append(every.gather(-1, ids[:, None])[:, 0])
        # entr(0) is 0, where p log p of a probability too small for its type would be no number.
        entropies.append(torch.special.entr(every.exp()).sum(-1))
    return _array(torch.cat(logprobs)), _array(torch.cat(entropies))


def _parted(
    batch: Sequence[ModelInput], logprobs: Singles, entropies: Singles, states: _States, depths: Depths
) -> Iterator[AnswerFeatures]:
    """Yield the features of each answer from what a batch has in one row."""
    token = image = 0
    for one in batch:
        tokens = slice(token, token + one.answer)
        images = slice(image, image + len(one.image_places))
        token, image = tokens.stop, images.stop
        yield AnswerFeatures(
            logprobs[tokens],
            entropies[tokens],
            {layer: _array(states.answers[layer][tokens.stop - 1]) for layer in depths.hidden},
            _cosines(states, tokens, images, depths) if one.image_places else {},
        )


def _cosines(states: _States, tokens: slice, images: slice, depths: Depths) -> dict[tuple[int, int], Singles]:
    from torch.nn.functional import normalize

    means = {layer: normalize(states.answers[layer][tokens].float().mean(0), dim=0) for layer in depths.lens}
    found: dict[tuple[int, int], Singles] = {}
    for layer in depths.lens:
        patches = normalize(states.images[layer][images].float(), dim=-1)
        found |= {(text, layer): _array(patches @ mean) for text, mean in means.items()}
    return {pair: found[pair] for pair in depths.pairs}


def _array(tensor: "torch.Tensor") -> Singles:
    array: Singles = tensor.float().cpu().numpy()
    return array
