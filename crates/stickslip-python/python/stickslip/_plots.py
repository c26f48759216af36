"""Figures on matplotlib's axes, in the style that users have chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import Error
from ._stickslip import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._path import Path

#: Points of a line: more than a screen has.
_POINTS = 2001
#: Events that are marked; more would be a black band.
_MARKS = 400


def axes(ax: Axes | None) -> Axes:
    """`ax`, or the axes of a new figure."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise Error('there is no matplotlib; install it: pip install matplotlib') from None
    _, made = pyplot.subplots()
    return made


def curve(ax: Axes | None, x: Any, y: Any, of_x: str, of_y: str) -> Axes:
    """One line, with words at both axes."""
    ax = axes(ax)
    ax.plot(x, y)
    ax.set_xlabel(of_x)
    ax.set_ylabel(of_y)
    return ax


def dates(ax: Axes) -> None:
    """Dates below the axes that do not run into each other."""
    import matplotlib.dates

    # Without types: matplotlib gives these none.
    typeless: Any = matplotlib.dates
    locator = typeless.AutoDateLocator()
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(typeless.ConciseDateFormatter(locator))


def _times(path: Path) -> Any:
    """Equally spaced times and all events, so that no corner is cut."""
    even = np.linspace(0.0, path.t_end, _POINTS)
    at = path.events["t"]
    return np.union1d(even, at) if len(at) <= _POINTS else even


def path(path: Path, ax: Axes | None, columns: str | Sequence[str] | None, kwargs: dict[str, Any]) -> Axes:
    """Columns of a path against time, with its events."""
    ax = axes(ax)
    names = [columns] if isinstance(columns, str) else list(columns or _displacements(path))
    for name in names:
        path[name]
    data = path.sample(_times(path))
    for name in names:
        label: dict[str, Any] = {"label": plain(name)} if len(names) > 1 else {}
        ax.plot(data["t"], data[name], **{**label, **kwargs})
    events = path.events
    if names == ["x"] and 0 < len(events) <= _MARKS:
        # Without a label of its own the legend leaves it out.
        ax.plot(events["t"], events["x"], ".", color="black", markersize=4, zorder=3)
    units = sorted({path.units[n] for n in names})
    ax.set_xlabel("t (s)")
    ax.set_ylabel(f"{plain(', '.join(names)) if len(names) < 4 else 'x'} ({', '.join(units)})")
    if len(names) > 1:
        ax.legend()
    if path.model.title:
        ax.set_title(plain(path.model.title))
    return ax


def _displacements(path: Path) -> list[str]:
    return [name for name, _, role in path._columns if role == "position"]


def svg(draw: Any) -> str:
    """What `draw` draws on axes, as SVG; nothing without matplotlib."""
    try:
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
    except ImportError:
        return ""
    import io

    figure = Figure(figsize=(6.4, 3.2), layout="constrained")
    FigureCanvasSVG(figure)
    draw(figure.add_subplot())
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    text = out.getvalue()
    return text[text.index("<svg") :]


def html(path: Path) -> str:
    """A path in a notebook: its figure and its warnings."""
    from html import escape

    warned = "".join(f"<li>{escape(w)}</li>" for w in path.warnings)
    head = f"<p><code>{escape(repr(path))}</code></p>"
    return f"<div>{head}{svg(path.plot)}{f'<ul>{warned}</ul>' if warned else ''}</div>"
