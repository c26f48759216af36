"""Figures on matplotlib's axes, in the style that users have chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._errors import Error

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
