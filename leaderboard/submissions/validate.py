"""Everything that is wrong with a submission, found in one reading; `lvqa submit --check` runs it as well."""

from collections import Counter
from collections.abc import Iterator

from leaderboard.submissions.faults import Fault
from leaderboard.submissions.findings import Findings
from leaderboard.submissions.header import Claim, header_faults
from leaderboard.submissions.lines import ConversationLine, Faulty, HeaderLine, JudgementLine, Line, identity
from leaderboard.submissions.plain_text import shown
from leaderboard.submissions.reading import Parsed
from leaderboard.submissions.records import Problem
from leaderboard.submissions.scheduled import conversation_faults
from leaderboard.submissions.standing import BoardStanding
from lvqa_eval.runs.records import Key
from lvqa_eval.scheduled import ScheduledRow
from lvqa_eval.statuses import EXCLUDED, JudgeStatus, Status


def validate(parsed: Parsed, standing: BoardStanding) -> list[Problem]:
    """Read a submission to its end and return every problem, by line; none: the board takes it.

    Of one kind a number is listed and the rest counted. Raises DatasetError where the board's own dataset
    cannot be read.
    """
    check = _Check(parsed, standing)
    for number, record in parsed.records():
        if isinstance(record, Faulty):
            check.take_faulty(record)
        else:
            check.take(number, record)
    check.end()
    return check.findings.problems()


class _Check:
    """What was read so far: the claim of the header, and the lines of the conversations."""

    def __init__(self, parsed: Parsed, standing: BoardStanding) -> None:
        self.findings = Findings()
        self._parsed, self._standing = parsed, standing
        self._header: HeaderLine | None = None
        self._claim: Claim | None = None
        self._expected: dict[Key, ScheduledRow] = {}
        self._seen: dict[Key, tuple[int, Status, int]] = {}
        self._faulty: set[Key] = set()
        self._judged: dict[str, set[Key]] = {}
        self._counts: Counter[type[Line] | None] = Counter()

    def take_faulty(self, line: Faulty) -> None:
        """Take down a line that is no record; what it is about is neither missing nor looked at again."""
        for problem in line.problems:
            self.findings.add(problem)
        self._counts[line.kind] += 1
        if line.key is not None and line.kind is ConversationLine:
            self._faulty.add(line.key)

    def take(self, number: int, record: Line) -> None:
        """Check one line."""
        self._counts[type(record)] += 1
        if (number == 1) != isinstance(record, HeaderLine):
            allowed = "the header" if number == 1 else "a conversation or a judgement"
            self._add(number, record, Fault("kind", str(type(record).__struct_config__.tag), allowed))
        elif isinstance(record, HeaderLine):
            self._take_header(number, record)
        elif isinstance(record, ConversationLine):
            self._take_conversation(number, record)
        else:
            for fault in self._judgement(record):
                self._add(number, record, fault)

    def end(self) -> None:
        """Check what can be told at the end: what is missing, and the counts."""
        for problem in self._parsed.problems:
            self.findings.add(problem)
        if self._parsed.problems:
            return
        for key in self._expected:
            if key not in self._seen and key not in self._faulty:
                name = f"{key.condition}, {key.question_id}, run {key.run}"
                self.findings.add(
                    Problem(None, name, "conversation", "nothing", "one conversation"),
                    "missing conversations",
                )
        if self._header is not None and not self._counts[None]:
            for field, kind, count in (
                ("conversations", ConversationLine, self._header.conversations),
                ("judgements", JudgementLine, self._header.judgements),
            ):
                if self._counts[kind] != count:
                    found = f"{count:,}, but {self._counts[kind]:,} such lines follow"
                    self.findings.add(Problem(1, "", field, found, "the number of lines"))

    def _take_header(self, number: int, header: HeaderLine) -> None:
        self._header = header
        faults, claim = header_faults(header, self._standing, self._parsed.limits)
        for fault in faults:
            self._add(number, header, fault)
        if claim is None:
            return
        self._claim = claim
        plan = claim.standing.plan(claim.conditions, claim.runs, claim.baselines, claim.split)
        self._expected = {work.key: work.row for work in plan.work()}

    def _take_conversation(self, number: int, record: ConversationLine) -> None:
        key = record.key
        if key in self._seen:
            fault = Fault("conversation", f"it again, first on line {self._seen[key][0]}", "once")
            self._add(number, record, fault, "repeated conversations")
            return
        if len(self._seen) < self._parsed.limits.conversations:
            self._seen[key] = (number, record.status, len(record.turns))
        if self._claim is None:
            return
        row = self._expected.get(key)
        if row is None:
            fault = Fault(
                "conversation", "one that is not claimed", "conditions, questions, runs of the header"
            )
            self._add(number, record, fault, "unknown conversations")
            return
        for fault in conversation_faults(record, row, self._claim):
            self._add(number, record, fault)

    def _judgement(self, record: JudgementLine) -> Iterator[Fault]:
        if self._header is not None and record.judge not in self._header.judges:
            allowed = ", ".join(map(shown, self._header.judges)) or "none"
            yield Fault("judge", shown(record.judge), f"{allowed}, as in the header")
            return
        judged = self._judged.setdefault(record.judge, set())
        if record.key in judged:
            yield Fault("judgement", "it again", "once by a judge")
            return
        if record.key in self._faulty:
            return
        if record.key not in self._seen:
            yield Fault("judgement", "one of no conversation before it", "the conversation first")
            return
        judged.add(record.key)
        _, status, turns = self._seen[record.key]
        yield from _verdict(record, status, turns)

    def _add(self, number: int, record: Line, fault: Fault, kind: str | None = None) -> None:
        self.findings.add_fault(number, identity(record), fault, kind)


def _verdict(record: JudgementLine, status: Status, turns: int) -> Iterator[Fault]:
    """Yield what cannot be of a verdict on a conversation of so many turns."""
    if status in EXCLUDED:
        yield Fault("judgement", "a verdict", f"none, since the conversation ended with {status.value}")
        return
    ruled = record.status is JudgeStatus.OK
    if ruled != (record.final_turn_correct is not None):
        allowed = "true or false" if ruled else "null"
        yield Fault(
            "final_turn_correct", str(record.final_turn_correct), f"{allowed}: its status is {record.status}"
        )
    if record.first_correct_turn is not None and record.first_correct_turn > turns:
        yield Fault("first_correct_turn", str(record.first_correct_turn), f"0 to {turns}")
    for number, attempt in enumerate(record.attempts):
        if not 1 <= attempt.turn <= turns:
            yield Fault(f"attempts[{number}].turn", str(attempt.turn), f"1 to {turns}")
