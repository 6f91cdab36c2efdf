"""The address of one OpenAI-compatible server, and the header that carries its key."""

import ipaddress
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass

from yarl import URL

from lvqa_eval.errors import LvqaError

ERROR_LENGTH = 500
"""Characters of a server's words that are kept; some servers answer with whole pages."""


class AddressError(LvqaError, ValueError):
    """A base URL that leads to no server, or that carries what belongs elsewhere."""


@dataclass(frozen=True)
class Endpoint:
    """One server: `api` is the base of its OpenAI routes, `root` that of the rest (/health, /version)."""

    api: URL
    root: URL

    @classmethod
    def parse(cls, base_url: str) -> "Endpoint":
        """Read a base URL; without a path, /v1 is meant. Raises AddressError on anything but http(s)."""
        url = URL(base_url.strip().rstrip("/"))
        if url.scheme not in {"http", "https"} or not url.host:
            raise AddressError(f"base URL: found {base_url!r}, needed one such as http://127.0.0.1:8000/v1")
        if url.user or url.password:
            raise AddressError("base URL: found a user name or password; keys come from the environment")
        api = url if url.path.strip("/") else url / "v1"
        return cls(api, api.parent if api.name == "v1" else api)

    def __str__(self) -> str:
        return str(self.api)


def named_endpoint(address: str) -> tuple[str, str]:
    """Return the model and the base URL of NAME@URL, such as org/model@http://host:8000/v1.

    NAME may hold "@" itself. Raises AddressError for anything else.
    """
    found = re.fullmatch(r"\s*(.*?\S)\s*@\s*(https?://\S+)\s*", address)
    if found is None:
        raise AddressError(f"judge: found {address!r}, needed NAME@URL such as org/model@http://host:8000/v1")
    Endpoint.parse(found[2])
    return found[1], found[2]


def providers(base_urls: Iterable[str]) -> list[str]:
    """Return the public hosts among the addresses, sorted: who serves a model can change its answers.

    Addresses of one's own (loopback, private ones, names without a dot) tell nothing of that.
    """
    hosts = {URL(url.strip()).host or "" for url in base_urls}
    return sorted(host for host in hosts if _is_public(host))


def _is_public(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        return "." in host and not host.endswith((".local", ".internal", ".lan"))


def key_from_environment() -> str | None:
    """Return the key for others' servers, None where the environment has none."""
    return os.environ.get("LVQA_API_KEY") or os.environ.get("OPENAI_API_KEY")


def headers(api_key: str | None) -> dict[str, str]:
    """Return the headers of every request."""
    json = {"Content-Type": "application/json", "Accept": "application/json"}
    return json | ({"Authorization": f"Bearer {api_key}"} if api_key else {})


def redacted(words: str, api_key: str | None) -> str:
    """Return a server's words on one line, cut to length, without the key should it quote it."""
    line = " ".join(words.split())
    if api_key:
        line = line.replace(api_key, "***")
    return line if len(line) <= ERROR_LENGTH else line[: ERROR_LENGTH - 1] + "…"
