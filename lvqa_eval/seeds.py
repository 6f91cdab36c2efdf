"""Seeds of requests, derived from what names each request."""

import hashlib


def seed_of(name: str) -> int:
    """Return the first 31 bits of the SHA-256 of `name`."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") >> 1
