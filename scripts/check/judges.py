"""Judges and a panel over real runs; each line that is printed is checked.

The models have random weights, so that verdicts mean nothing. Held to the schema they can be read; left to
themselves they cannot, and then nothing of them enters a mean.

    judges.py WORK [--at MODEL@URL]    two models that are started by turns, or one that runs
"""

import argparse
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from lvqa_eval.metrics.scores import score_run
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import JudgeStatus, Status

ROOT = Path(__file__).resolve().parents[2]
LVQA = Path(sys.executable).with_name("lvqa")
ARCHITECTURES = ("qwen2_5_vl", "qwen3_vl")
CONDITIONS = "full,sharded-v"
SERVED = ("--context", "16384")
# A random model that always takes the likeliest token writes blanks between two fields for ever.
DRAWN = ("--temperature", "1")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("--at", metavar="MODEL@URL")
    arguments = parser.parse_args()
    work, at = arguments.work, arguments.at
    run_lvqa("build", "layered-vqa", "--scenes", "2" if at else "6", "--out", work / "layered-vqa")
    models = [] if at else [tiny_model(work / f"tiny-{arch}", arch) for arch in ARCHITECTURES]
    judges = [at] if at else list(map(str, models))
    hold(work / "runs" / "structured", work / "layered-vqa", at, models)
    shutil.copytree(work / "runs" / "structured", work / "runs" / "plain")

    held = judged(work / "runs" / "structured", judges, at)
    free = judged(work / "runs" / "plain", judges[:1], at, "--no-structured")
    assert min(held) >= 0.9, "held to the schema, verdicts cannot be read"
    assert max(free) <= 0.1, "random words were read as verdicts"
    check_panel(work / "runs" / "structured")
    check_panel(work / "runs" / "plain", least=JudgeStatus.NO_QUORUM)


def tiny_model(folder: Path, arch: str) -> Path:
    script = ROOT / "scripts/tiny_model.py"
    command = [sys.executable, script, folder, "--arch", arch]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder


def hold(run: Path, dataset: Path, at: str | None, models: list[Path]) -> None:
    name, _, url = (at or "").partition("@")
    served = ("--model", name, "--base-url", url) if at else ("--model", models[0], *SERVED)
    limit = ("--limit", "2" if at else "12")
    fixed = ("--conditions", CONDITIONS, "--runs", "1", "--max-tokens", "12", *limit)
    run_lvqa("run", *served, "--dataset", dataset, "--out", run, *fixed)


def judged(run: Path, judges: list[str], at: str | None, *options: str) -> list[float]:
    """Judge a run, also by exact match; print statuses and parse rates, and return the latter."""
    named = [part for judge in ("exact-match", *judges) for part in ("--judge", judge)]
    served = () if at else SERVED
    run_lvqa("judge", run, *named, *served, *DRAWN, *options)
    store = RunStore.open(run)
    rates = []
    for judge in store.judges():
        rate = check_judge(store, judge)
        rates += [rate] if judge != "exact-match" else []
    return rates


def check_judge(store: RunStore, judge: str) -> float:
    """Print what became of a judge's verdicts; see that only those that were read are scored."""
    conversations, judgements = store.conversations(), store.judgements(judge)
    statuses = Counter(str(one.status) for one in judgements.values())
    asked = [one for key, one in judgements.items() if conversations[key].status is Status.OK]
    read = [one for one in asked if one.status is JudgeStatus.OK]
    scores = score_run(store, conversations, judgements)
    failed = sum(one.status is not Status.OK for one in conversations.values())
    valid = int((scores.correct >= 0).sum())
    rate = len(read) / len(asked)
    print(
        f"{store.folder.name}, {judge}: statuses {dict(statuses)}, parse rate {rate:.0%}, "
        f"scored {valid} = {len(read)} read + {failed} failed by the model"
    )
    assert valid == len(read) + failed
    assert all(one.final_turn_correct is None for one in asked if one not in read)
    return rate


def check_panel(run: Path, least: JudgeStatus | None = None) -> None:
    """Form the panel of all judges of a run, and see that it has no verdict where too few could be read."""
    judges = ",".join(name for name in RunStore.open(run).judges())
    shown = run_lvqa("panel", run, "--judges", judges)
    store = RunStore.open(run)
    votes = {name: store.judgements(name) for name in judges.split(",")}
    found = store.judgements("consensus")
    for key, one in found.items():
        valid = [
            vote[key].final_turn_correct for vote in votes.values() if vote[key].status is JudgeStatus.OK
        ]
        quorum = 2 * len(valid) > len(votes)
        assert (one.status is JudgeStatus.OK) == quorum, key
        assert one.final_turn_correct == ((2 * sum(map(bool, valid)) > len(valid)) if quorum else None), key
    statuses = Counter(str(one.status) for one in found.values())
    print(f"{run.name}, panel of {judges}: {dict(statuses)}")
    print(shown[shown.index("The panel") : shown.index("Parse rate by")])
    assert least is None or statuses[least]


def run_lvqa(*arguments: str | Path) -> str:
    done = subprocess.run([LVQA, *arguments], check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"lvqa {arguments[0]} ended with exit code {done.returncode}: {done.stdout[-500:]}")
    return done.stdout


if __name__ == "__main__":
    main()
