"""The lines of a submission as types: what each may hold, and nothing else.

Nothing is converted and nothing has a default that the harness does not write: a line that does not fit is
refused with every field that is wrong.
"""

import json
from typing import Annotated, Any, Final, NamedTuple, TypeAlias

import msgspec
from msgspec import Meta

from leaderboard.submissions.faults import schema_faults
from leaderboard.submissions.plain_text import shown
from leaderboard.submissions.records import FORMAT, About, Header, Openness, Problem
from lvqa_eval.runs.records import Attempt, ConversationRecord, JudgementRecord, Key, TurnRecord
from lvqa_eval.statuses import JudgeStatus, Status

Whole = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Name = Annotated[str, Meta(min_length=1, max_length=200)]
Words = Annotated[str, Meta(max_length=400_000)]
Note = Annotated[str, Meta(max_length=40_000)]
Places = Annotated[tuple[Whole, ...], Meta(max_length=1000)]


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What has the fields named here and no others."""


class AboutLine(_Strict, frozen=True):
    """`About` as it stands in the header; `names.py` and `header.py` look at its words."""

    model: Annotated[str, Meta(max_length=1000)]
    revision: Annotated[str, Meta(max_length=1000)] | None = None
    weights: Openness | None = None
    parameters: float | None = None
    link: Annotated[str, Meta(max_length=1000)] | None = None
    note: Annotated[str, Meta(max_length=1000)] = ""


class HeaderLine(_Strict, frozen=True, tag_field="kind", tag="header"):
    """The first line."""

    format: Whole
    about: AboutLine
    settings: dict[str, Any]
    judges: dict[str, dict[str, Any]]
    conversations: Whole
    judgements: Whole

    def record(self) -> Header:
        """Return the header."""
        about = About(**{name: getattr(self.about, name) for name in AboutLine.__struct_fields__})
        return Header(
            about, self.settings, self.judges, self.conversations, self.judgements, format=self.format
        )


class TurnLine(_Strict, frozen=True):
    """A `TurnRecord` without what was thought, its probabilities and the words of errors."""

    user: Words
    question: bool
    shards: Places
    layers: Places
    composite: bool
    seed: Whole
    status: Status
    reply: Words | None
    finish_reason: Name | None = None
    prompt_tokens: Whole | None = None
    completion_tokens: Whole | None = None
    cached_tokens: Whole | None = None
    user_fallback: bool = False
    user_prompt_tokens: Whole | None = None
    user_completion_tokens: Whole | None = None


class ConversationLine(_Strict, frozen=True, tag_field="kind", tag="conversation"):
    """A `ConversationRecord`."""

    condition: Name
    question_id: Name
    run: Whole
    status: Status
    turns: Annotated[tuple[TurnLine, ...], Meta(min_length=1, max_length=1000)]
    misalignment: Name | None = None

    @property
    def key(self) -> Key:
        """The conversation's name."""
        return Key(self.condition, self.question_id, self.run)

    def record(self) -> ConversationRecord:
        """Return the conversation."""
        turns = tuple(TurnRecord(**_fields(turn)) for turn in self.turns)
        return ConversationRecord(*self.key, self.status, turns, self.misalignment)


class AttemptLine(_Strict, frozen=True):
    """An `Attempt`."""

    turn: Whole
    answer: Words
    correct: bool


class JudgementLine(_Strict, frozen=True, tag_field="kind", tag="judgement"):
    """A `JudgementRecord` of the judge `judge`, without what it said where that could not be read."""

    judge: Name
    condition: Name
    question_id: Name
    run: Whole
    status: JudgeStatus
    final_turn_correct: bool | None
    first_correct_turn: Whole | None
    attempts: Annotated[tuple[AttemptLine, ...], Meta(max_length=1000)] = ()
    flags: Annotated[tuple[Note, ...], Meta(max_length=100)] = ()
    is_correct: bool | None = None
    answer_span: Words | None = None
    reasoning: Words | None = None
    prompt_tokens: Whole | None = None
    completion_tokens: Whole | None = None

    @property
    def key(self) -> Key:
        """The name of the conversation that was judged."""
        return Key(self.condition, self.question_id, self.run)

    def record(self) -> JudgementRecord:
        """Return the judgement."""
        fields = _fields(self)
        del fields["judge"]
        attempts = tuple(Attempt(**_fields(one)) for one in self.attempts)
        return JudgementRecord(**fields | {"attempts": attempts})


Line: TypeAlias = HeaderLine | ConversationLine | JudgementLine

KINDS: Final[dict[str, type[Line]]] = {
    "header": HeaderLine,
    "conversation": ConversationLine,
    "judgement": JudgementLine,
}

_decode = msgspec.json.Decoder(Line).decode
_encode = msgspec.json.Encoder().encode


def header_line(header: Header) -> HeaderLine:
    """Return a header as its line."""
    about = AboutLine(**{name: getattr(header.about, name) for name in AboutLine.__struct_fields__})
    judges = {name: dict(settings) for name, settings in header.judges.items()}
    return HeaderLine(FORMAT, about, dict(header.settings), judges, header.conversations, header.judgements)


def conversation_line(record: ConversationRecord) -> ConversationLine:
    """Return a conversation as its line."""
    turns = tuple(
        TurnLine(**{name: getattr(turn, name) for name in TurnLine.__struct_fields__})
        for turn in record.turns
    )
    return ConversationLine(*record.key, record.status, turns, record.misalignment)


def judgement_line(judge: str, record: JudgementRecord) -> JudgementLine:
    """Return a judgement by `judge` as its line."""
    fields = {name: getattr(record, name) for name in JudgementLine.__struct_fields__ if name != "judge"}
    attempts = tuple(AttemptLine(one.turn, one.answer, one.correct) for one in record.attempts)
    return JudgementLine(judge, **fields | {"attempts": attempts})


def encode_line(line: Line) -> bytes:
    """Return a line as JSON with a line feed; half a surrogate pair becomes U+FFFD."""
    try:
        return _encode(line) + b"\n"
    except UnicodeEncodeError:
        text = json.dumps(msgspec.to_builtins(line), ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode() + b"\n"


class Faulty(NamedTuple):
    """A line that is no record: everything that is wrong with it, and what it seems to be.

    `kind` is None where that cannot be told, `key` where the line names no conversation.
    """

    problems: tuple[Problem, ...]
    kind: type[Line] | None = None
    key: Key | None = None


def read_line(number: int, line: bytes) -> Line | Faulty:
    """Return the record of a line, or what is wrong with it."""
    try:
        return _read(number, line)
    except RecursionError:
        return _faulty(number, "JSON", "objects nested too deeply", "a few levels")


def _faulty(number: int, field: str, found: str, allowed: str) -> Faulty:
    return Faulty((Problem(number, "", field, found, allowed),))


def _read(number: int, line: bytes) -> Line | Faulty:
    try:
        if not line.isascii():
            line.decode()
        record = _decode(line)
    except UnicodeDecodeError as error:
        found = f"the byte 0x{line[error.start]:02x} at byte {error.start + 1}"
        return _faulty(number, "text", found, "UTF-8")
    except msgspec.ValidationError as error:
        return _refused(number, line, error)
    except (msgspec.MsgspecError, ValueError) as error:
        found = _told(error) if line.strip() else "an empty line"
        return _faulty(number, "JSON", found, "one JSON object")
    if (twice := _repeated(line, record)) is not None:
        problem = Problem(number, identity(record), twice, "the key twice in one object", "once")
        return Faulty((problem,), type(record), None if isinstance(record, HeaderLine) else record.key)
    return record


def identity(record: Any) -> str:
    """Return what a line is about, for an answer: the conversation, and the judge of a judgement."""
    if isinstance(record, HeaderLine):
        return ""
    if not isinstance(record, dict):
        record = {name: getattr(record, name, None) for name in _NAMING}
    told = [
        f"{before}{shown(record[name], 40)}" for name, before in _NAMING.items() if _names(record.get(name))
    ]
    return ", ".join(told).replace('"', "")


_NAMING: Final = {"condition": "", "question_id": "", "run": "run ", "judge": "by "}


def _names(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _refused(number: int, line: bytes, error: msgspec.ValidationError) -> Faulty:
    try:
        value = msgspec.json.decode(line)
    except msgspec.MsgspecError:
        # A number that no JSON reader here can hold.
        return _faulty(number, "JSON", _told(error), "numbers of 64 bits")
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        what, allowed = ("kind", ", ".join(KINDS)) if isinstance(value, dict) else ("line", "an object")
        found = "nothing" if isinstance(value, dict) and "kind" not in value else shown(kind or value)
        return Faulty((Problem(number, identity(value), what, found, allowed),))
    faults = schema_faults(value, KINDS[kind])
    problems = tuple(Problem(number, identity(value), one.field, one.found, one.allowed) for one in faults)
    key = Key(*(value.get(name) for name in Key._fields))
    return Faulty(problems, KINDS[kind], key if all(map(_names, key)) else None)


def _repeated(line: bytes, record: Line) -> str | None:
    """Return a key that stands twice in one object; of two values the parser would take the last."""
    if _encode(record) == line:
        return None
    twice: list[str] = []

    def check(pairs: list[tuple[str, Any]]) -> None:
        names = [name for name, _ in pairs]
        twice.extend(shown(name).strip('"') for name in names if names.count(name) > 1)

    # What a number is does not matter here, and one of many digits costs much to make.
    json.loads(line, object_pairs_hook=check, parse_int=len, parse_float=len)
    return twice[0] if twice else None


def _told(error: Exception) -> str:
    return " ".join(str(error).split())[:100]


def _fields(line: msgspec.Struct) -> dict[str, Any]:
    return {name: getattr(line, name) for name in line.__struct_fields__}
