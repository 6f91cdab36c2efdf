"""The ways in which a request comes to nothing."""

import re

from dataset_builders.bear_bench.collect.candidate import Reason
from lvqa_eval.errors import LvqaError


class RefusedError(Exception):
    """A document or page that is not to be had; trying again would not help, or is not wanted."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason: Reason = reason
        self.detail = detail


class TransientError(Exception):
    """A failure that may pass. `retry_after` are the seconds that the server asks to wait.

    `reason` is the one to give if no attempt does better, `status` that of the answer, None without one.
    """

    def __init__(
        self,
        message: str,
        *,
        reason: Reason = "unreachable",
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.retry_after = status, retry_after
        self.reason: Reason = reason


class HostDownError(LvqaError):
    """A host that cannot be asked now; what was fetched before is kept."""

    def __init__(self, host: str, why: str) -> None:
        super().__init__(f"{host}: {why}; nothing is lost, the same command goes on from here")


class AgentError(LvqaError, ValueError):
    """A User-Agent that does not say who asks."""


def agent_of(user_agent: str | None) -> str:
    """Return the User-Agent to send; AgentError for none, or one without an address."""
    agent = (user_agent or "").strip()
    contact = re.search(r"[\w.+-]+@[\w-]+\.[\w.-]+|https?://[\w-]+\.[\w.-]+", agent)
    if contact is None or contact.start() == 0 or not agent.isascii() or not agent.isprintable():
        raise AgentError(
            f"--user-agent: found {agent or 'none'}; it names your organisation and an address of a person "
            "who answers for the requests, in Latin letters: "
            '--user-agent "Example University jane@example.edu". '
            "The SEC asks every program for this and refuses those without, and so should everybody else"
        )
    return agent
