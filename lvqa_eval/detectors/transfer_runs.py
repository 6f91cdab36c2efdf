"""Which features of several runs a probe is carried over by: those of one reader that all of them have."""

from collections.abc import Sequence

from lvqa_eval.detectors.answers import Answers
from lvqa_eval.detectors.signals import Signals
from lvqa_eval.detectors.sources import read_sources
from lvqa_eval.detectors.transfer import Target, TransferError
from lvqa_eval.runs.store import RunStore


def transfer_targets(
    stores: Sequence[RunStore], answers: Sequence[Answers], features: Sequence[str] = ()
) -> list[Target]:
    """Return the answers of each run with the hidden states that the one common reader of them has.

    `features` names the feature folders to look in, all without a name. TransferError where no reader, or
    more than one, has read the answers of every run.
    """
    by_run = [_readers(store, asked, features) for store, asked in zip(stores, answers, strict=True)]
    readers = sorted(set.intersection(*(set(one) for one in by_run)))
    if len(readers) != 1:
        held = "; ".join(f"{one.folder}: {_named(read)}" for one, read in zip(stores, by_run, strict=True))
        raise TransferError(
            f"transfer: readers of all runs: found {len(readers)} ({held}), needed 1: let one model read all "
            "runs (lvqa features RUN… --model PATH), or name its folder with --features"
        )
    return [Target(asked, read[readers[0]]) for asked, read in zip(answers, by_run, strict=True)]


def _readers(store: RunStore, answers: Answers, features: Sequence[str]) -> dict[str, Signals]:
    """Return what each model made that gave hidden states, by the model as its features record it."""
    sources = read_sources(store, answers, features)
    return {str(one.about.get("model")): one for one in sources if one.hidden}


def _named(read: dict[str, Signals]) -> str:
    return ", ".join(sorted(read)) or "none"
