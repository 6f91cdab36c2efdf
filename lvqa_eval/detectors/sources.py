"""The sources of signals that a run has, and how one lacks what a detector needs."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Final

from lvqa_eval.detectors.answers import Answers
from lvqa_eval.detectors.detector import Detector, Need
from lvqa_eval.detectors.signals import NATIVE, Signals, TokenSignals
from lvqa_eval.errors import LvqaError
from lvqa_eval.runs.store import RunStore

ANSWER: Final = "answer"
"""The source that every run has: the words of its answers."""

_NEEDED: Final[dict[Need, tuple[str, str]]] = {
    "answer": ("the words of answers", "lvqa run"),
    "tokens": (
        "log-probabilities of tokens",
        "lvqa features {run} --model PATH, or a run with --logprobs 20",
    ),
    "hidden": ("hidden states", "lvqa features {run} --model PATH"),
    "patches": ("states of image patches", "lvqa features {run} --model PATH"),
    "verdicts": ("verdicts without the reference", "lvqa verdicts {run} --judge NAME@URL"),
}
"""What a detector reads in words, and which command makes it."""


class SourcesError(LvqaError, ValueError):
    """Features that are not there, or that two folders hold of one model."""


def has(signals: Signals, need: Need) -> bool:
    """Say whether a source holds anything of what a detector needs."""
    match need:
        case "answer":
            return signals.source == ANSWER
        case "tokens":
            return any(one is not None for one in signals.tokens)
        case "patches":
            return any(one is not None for one in signals.patches)
        case "hidden":
            return bool(signals.hidden)
        case "verdicts":
            return signals.verdicts is not None


def missing(detectors: Sequence[Detector], sources: Sequence[Signals], run: Path) -> Iterator[str]:
    """Yield a sentence for each kind of signals that detectors need and no source of `run` holds."""
    for need, (what, command) in _NEEDED.items():
        names = [one.name for one in detectors if one.needs == need]
        if names and not any(has(source, need) for source in sources):
            told = f"{', '.join(names)}: {'needs' if len(names) == 1 else 'need'} {what}"
            yield f"{told}; make them: {command.format(run=quote(str(run)))}"


def read_sources(store: RunStore, answers: Answers, features: Sequence[str] = ()) -> tuple[Signals, ...]:
    """Return the words of the answers, then what the model itself gave, then proxies, then judges.

    `features` names the feature folders to read; all are read without a name. SourcesError for a name that
    is not there, and where two folders hold features of one source.
    """
    from lvqa_eval.detectors.native_signals import native_tokens
    from lvqa_eval.detectors.verdicts.read import verdict_signals
    from lvqa_eval.detectors.vocabulary import vocabulary

    read = _read_features(store.folder, answers, features)
    tokens = native_tokens(answers, vocabulary(store.identity.settings))
    native = _native(read.pop(NATIVE, None), tokens)
    own = () if native is None else (native,)
    return (Signals(ANSWER), *own, *read.values(), *verdict_signals(store.folder, answers))


def _read_features(run: Path, answers: Answers, wanted: Sequence[str]) -> dict[str, Signals]:
    from lvqa_eval.detectors.features.read import feature_folders, read_features

    folders = {folder.name: folder for folder in feature_folders(run)}
    if strange := [name for name in wanted if name not in folders]:
        allowed = ", ".join(folders) or f"none yet; make some: lvqa features {quote(str(run))} --model PATH"
        raise SourcesError(f"{run}: features: found {', '.join(strange)}, allowed: {allowed}")
    found: dict[str, Signals] = {}
    holders: dict[str, str] = {}
    for name, folder in folders.items():
        if wanted and name not in wanted:
            continue
        signals = read_features(folder, answers)
        if signals.source in found:
            both = f"{holders[signals.source]} and {name}"
            raise SourcesError(f"{run}: {both} hold features of {signals.source}: choose one with --features")
        found[signals.source], holders[signals.source] = signals, name
    return dict(sorted(found.items()))


def _native(features: Signals | None, tokens: Sequence[TokenSignals | None]) -> Signals | None:
    """Return what the model itself gave: the tokens as its server told them, the rest from its features.

    The two kinds of tokens are not mixed: entropies of the one are bounds where those of the other are exact.
    """
    if all(one is None for one in tokens):
        return features
    if features is None:
        return Signals(NATIVE, tokens=tokens)
    return replace(features, tokens=tokens, about={**features.about, "tokens": "as the server told them"})
