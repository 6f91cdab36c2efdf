"""A legend that stands outside of all panels."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def legend_above(*panels: "Axes", columns: int = 4) -> None:
    """Name all series of `panels`, each once, above the figure, in room of its own: it covers no data."""
    named: dict[str, Any] = {}
    for axes in panels:
        handles, labels = axes.get_legend_handles_labels()
        for handle, label in zip(handles, labels, strict=True):
            named.setdefault(label, handle)
    if named:
        figure = panels[0].figure
        figure.legend(
            list(named.values()), list(named), loc="outside upper left", ncols=min(columns, len(named))
        )
