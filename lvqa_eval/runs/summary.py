"""One run in figures: what it is, what became of its conversations, how many tokens they took."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lvqa_eval.runs.overview import named
from lvqa_eval.runs.plan import RunPlan, plan_faults, read_plan
from lvqa_eval.runs.records import ConversationRecord
from lvqa_eval.runs.store import IDENTITY, RunFolderError, RunStore, is_final
from lvqa_eval.runs.terminal import Column
from lvqa_eval.statuses import JudgeStatus, Status

Table = tuple[list[Column], list[list[str]]]


@dataclass
class ConditionCount:
    """What is there of one condition. Token counts are the servers' own, the simulated user's apart."""

    done: int = 0
    statuses: Counter[Status] = field(default_factory=Counter)
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    user_tokens: int = 0

    def add(self, record: ConversationRecord) -> None:
        """Count one conversation."""
        self.done += is_final(record)
        self.statuses[record.status] += 1
        for turn in record.turns:
            self.prompt_tokens += turn.prompt_tokens or 0
            self.cached_tokens += turn.cached_tokens or 0
            self.completion_tokens += turn.completion_tokens or 0
            self.user_tokens += (turn.user_prompt_tokens or 0) + (turn.user_completion_tokens or 0)


def plan_of(store: RunStore) -> RunPlan:
    """Return what the run planned; raises RunFolderError where its settings do not tell."""
    if faults := plan_faults(store.identity.settings):
        raise RunFolderError("\n".join(f"{store.folder / IDENTITY}: {fault}" for fault in faults))
    return read_plan(store.identity.settings, store.questions())


def count_conditions(plan: RunPlan, records: Iterable[ConversationRecord]) -> dict[str, ConditionCount]:
    """Return the counts of every planned condition; conversations outside the plan are left out."""
    counts = {condition: ConditionCount() for condition in plan.conditions}
    for record in records:
        if plan.fault(record.key) is None:
            counts[record.condition].add(record)
    return counts


def facts(store: RunStore) -> list[tuple[str, str]]:
    """Return what identifies the run, as pairs of a label and its text."""
    settings = store.identity.settings
    dataset, model = settings.get("dataset"), settings.get("model")
    server = settings.get("server")
    found = [
        ("Model", _joined(named(model), _revision(model))),
        ("Dataset", _joined(named(dataset, "name", "version"), _manifest(dataset), _revision(dataset))),
        ("Questions", str(len(store.questions()))),
        ("Split", _pairs(settings.get("split"))),
        ("Runs", str(settings.get("runs", ""))),
        ("User", _pairs(settings.get("user"))),
        ("Sampling", _pairs(settings.get("sampling"))),
        ("Seed", str(settings.get("seed", ""))),
        ("Pictures", _pairs(settings.get("images"))),
        ("Server", _pairs(server) if isinstance(server, Mapping) else ""),
        ("Made with", f"lvqa {settings['lvqa']}" if settings.get("lvqa") else ""),
        ("Identity", f"{store.identity.digest()}, in full in {store.folder / IDENTITY}"),
    ]
    return [(label, text) for label, text in found if text]


def condition_rows(counts: Mapping[str, ConditionCount], planned: int) -> Table:
    """Return the table of conditions, `planned` conversations each; statuses without any are left out."""
    seen = [status for status in Status if any(count.statuses[status] for count in counts.values())]
    with_user = any(count.user_tokens for count in counts.values())
    heads = ["Done", "Planned", *seen, "Tokens in", "Cached", "Tokens out"] + ["User's tokens"] * with_user

    def cells(count: ConditionCount, of: int) -> list[str]:
        tokens = [count.prompt_tokens, count.cached_tokens, count.completion_tokens]
        tokens += [count.user_tokens] * with_user
        numbers = [count.done, of, *(count.statuses[status] for status in seen), *tokens]
        return [f"{number:,}" if number else "-" for number in numbers]

    total = ConditionCount()
    for count in counts.values():
        total.done += count.done
        total.statuses += count.statuses
        total.prompt_tokens += count.prompt_tokens
        total.cached_tokens += count.cached_tokens
        total.completion_tokens += count.completion_tokens
        total.user_tokens += count.user_tokens
    rows = [[condition, *cells(count, planned)] for condition, count in counts.items()]
    rows.append(["all", *cells(total, planned * len(counts))])
    return [Column("Condition"), *(Column(head, "right") for head in heads)], rows


def judge_rows(judgements: Mapping[str, Iterable[JudgeStatus]]) -> Table:
    """Return the table of judges from the statuses of their judgements."""
    counts = {judge: Counter(statuses) for judge, statuses in judgements.items()}
    seen = [status for status in JudgeStatus if any(count[status] for count in counts.values())]
    rows = [
        [judge, *(f"{count[status]:,}" if count[status] else "-" for status in seen)]
        for judge, count in counts.items()
    ]
    return [Column("Judge"), *(Column(status.value, "right") for status in seen)], rows


def _pairs(setting: Any) -> str:
    """Return the plain values of a mapping; what is nested stands in the run's file."""
    if not isinstance(setting, Mapping):
        return str(setting or "")
    plain = {key: value for key, value in setting.items() if not isinstance(value, Mapping | list)}
    return ", ".join(f"{key} {value}" for key, value in plain.items() if value is not None)


def _revision(setting: Any) -> str:
    revision = setting.get("revision") if isinstance(setting, Mapping) else None
    return f"revision {revision}" if revision else ""


def _manifest(setting: Any) -> str:
    digest = setting.get("manifest_sha256") if isinstance(setting, Mapping) else None
    return f"manifest sha256 {digest[:16]}" if digest else ""


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)
