"""What became of a reply, a conversation or a judgement, and how each outcome counts.

A failure is a status and never a wrong answer by accident: what counts as wrong is listed here, once.
"""

from enum import StrEnum


class Status(StrEnum):
    """The outcome of one reply; a conversation has the status of its last reply.

    A transport failure, a timeout or an overflow ends a conversation at once and is its status.
    """

    OK = "ok"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    EMPTY = "empty"
    UNPARSABLE = "unparsable"
    TRANSPORT_ERROR = "transport_error"
    TIMEOUT = "timeout"
    SERVER_ERROR = "server_error"
    CONTEXT_OVERFLOW = "context_overflow"


MODEL_FAILED = frozenset({Status.TRUNCATED, Status.REFUSED, Status.EMPTY, Status.UNPARSABLE})
"""The model failed: counted as wrong, and the share of each is printed."""

INFRASTRUCTURE_FAILED = frozenset({Status.TRANSPORT_ERROR, Status.TIMEOUT, Status.SERVER_ERROR})
"""The serving failed: excluded, lowers the coverage, tried again on resume."""

EXCLUDED = INFRASTRUCTURE_FAILED | {Status.CONTEXT_OVERFLOW}
"""Not scored; an overflow is final and has a column of its own."""

FINAL = frozenset(Status) - INFRASTRUCTURE_FAILED
"""Never tried again on resume."""


class JudgeStatus(StrEnum):
    """The outcome of one judgement; all but `ok` are excluded and lower the coverage."""

    OK = "ok"
    PARSE_ERROR = "parse_error"
    NO_QUORUM = "no_quorum"
    TRANSPORT_ERROR = "transport_error"
