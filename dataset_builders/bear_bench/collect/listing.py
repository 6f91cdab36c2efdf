"""Reading what sources list: HTML tables and links, and JSON."""

import re
from collections.abc import Iterator
from typing import Any


def parsed(html: str) -> Any:
    """Return the root of an HTML page (lxml), an empty one for an empty page."""
    import lxml.html

    text = re.sub(r"^\s*<\?xml[^>]*>", "", html).strip()  # lxml takes no text that declares an encoding
    return lxml.html.fromstring(text) if text else lxml.html.Element("html")


def not_json(body: bytes) -> str | None:
    """Return what is wrong with an answer that is to be JSON, None for nothing."""
    import orjson

    try:
        orjson.loads(body)
    except orjson.JSONDecodeError as error:
        return f"not JSON: {error}"
    return None


def text_of(node: Any) -> str:
    """Return the text of a node, white space made single."""
    return " ".join(node.text_content().split())


def rows(table: Any) -> Iterator[list[Any]]:
    """Yield the rows of a table that have cells: the cells of each."""
    for row in table.iter("tr"):
        if cells := row.findall("td"):
            yield cells


def links(node: Any) -> Iterator[tuple[str, str]]:
    """Yield address (as it is written) and text of each link."""
    for link in node.iter("a"):
        if href := (link.get("href") or "").strip():
            yield href, text_of(link)
