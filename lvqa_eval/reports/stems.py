"""Where the files of an exhibit stand in a report, and how places on its page are called."""

from collections.abc import Iterable
from typing import Final

from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.table import Table

TABLES: Final = "tables"
FIGURES: Final = "figures"
PAGE: Final = "index.html"
MANIFEST: Final = "report.json"

CONDITIONS: Final = "conditions"
DEPTHS: Final = "depths"
"""The tables of one run that no paper has."""

PLACES: Final = ("contents", "runs", "measured", "reading", "again")
"""The places of a page that are no exhibit's; those of the condition table begin with "by-"."""

_PREFIXES: Final = {"layered-vqa": "", "bear-bench": "bear-"}


def stem(exhibit: Exhibit) -> str:
    """Return the name of an exhibit's files, and of its place on the page: both papers have a Table 1."""
    prefix = _PREFIXES[exhibit.paper]
    return exhibit.name if exhibit.name.startswith(prefix) else prefix + exhibit.name


def table_stems(exhibit: Exhibit) -> list[tuple[str, Table]]:
    """Return each table of an exhibit with the name of its files; what the paper prints comes last."""
    own = stem(exhibit)
    names = [own] if len(exhibit.tables) == 1 else [f"{own}-{n + 1}" for n in range(len(exhibit.tables))]
    reported = [(f"{own}-reported", exhibit.reported)] if exhibit.reported is not None else []
    return [*zip(names, exhibit.tables, strict=True), *reported]


def table_paths(name: str) -> list[str]:
    """Return the files of a table, relative to the report."""
    return [f"{TABLES}/{name}.{kind}" for kind in ("csv", "md", "tex")]


def file_links(paths: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return files by what they are, such as ("CSV", "tables/table-1.csv")."""
    kinds = {"md": "Markdown", "tex": "LaTeX"}
    ends = ((path.rpartition(".")[2], path) for path in paths)
    return tuple((kinds.get(end, end.upper()), path) for end, path in ends)


def figure_paths(exhibit: Exhibit) -> list[str]:
    """Return the files of an exhibit's figure, relative to the report; none for one without."""
    return [f"{FIGURES}/{stem(exhibit)}.{kind}" for kind in ("svg", "png")] if exhibit.plot else []


def check_names(exhibits: Iterable[Exhibit]) -> None:
    """Raise ValueError where two exhibits would have the same files or place, or one of the page's own."""
    names = [*PLACES, CONDITIONS, DEPTHS, *(stem(one) for one in exhibits)]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"exhibits: found the name(s) {', '.join(twice)} more than once, allowed: once")
