"""A piece of HTML taken apart by the standard library's parser, for tests of what it holds."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"col", "img", "wbr"}


@dataclass
class Element:
    """One element: its tag, attributes, and children, which are elements and texts."""

    tag: str
    attributes: dict[str, str | None]
    children: list["Element | str"] = field(default_factory=list)

    def walk(self) -> Iterator["Element"]:
        """Yield this element and everything inside, in the order of the document."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    @property
    def text(self) -> str:
        """All text inside."""
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    @property
    def classes(self) -> list[str]:
        """Its classes."""
        return (self.attributes.get("class") or "").split()

    def all(self, tag: str = "", class_: str = "", **attributes: str) -> list["Element"]:
        """Return the elements inside with this tag, class and these attributes, in order."""
        wanted = {name.replace("_", "-"): value for name, value in attributes.items()}
        return [
            one
            for one in self.walk()
            if one is not self
            and (not tag or one.tag == tag)
            and (not class_ or class_ in one.classes)
            and all(one.attributes.get(name) == value for name, value in wanted.items())
        ]

    def one(self, tag: str = "", class_: str = "", **attributes: str) -> "Element":
        """Return the only such element."""
        (found,) = self.all(tag, class_, **attributes)
        return found

    def rows(self) -> list[list[str]]:
        """Return the texts of the cells of every row inside."""
        return [[cell.text for cell in row.children if isinstance(cell, Element)] for row in self.all("tr")]


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("", {})]

    def handle_starttag(self, tag, attrs):
        assert len(dict(attrs)) == len(attrs), f"an attribute twice: {attrs}"
        element = Element(tag, dict(attrs))
        self.open[-1].children.append(element)
        if tag not in _VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data):
        self.open[-1].children.append(data)

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")

    def handle_decl(self, decl):
        raise AssertionError(f"a declaration: {decl}")

    def handle_pi(self, data):
        raise AssertionError(f"an instruction: {data}")


def parsed(html: str) -> Element:
    """Return the root of `html`; an AssertionError for what does not nest, or is no element or text."""
    parser = _Parser()
    parser.feed(html)
    parser.close()
    assert len(parser.open) == 1, f"<{parser.open[-1].tag}> is not closed"
    return parser.open[0]
