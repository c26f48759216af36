"""Figures on Matplotlib axes, with the words, units and marks of the program's own figures, in the style that the user
has chosen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._errors import Error
from ._stickslip import column_in_words, key_in_words, turned

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Of several lines on the same axes each has a dash of its own: they are told apart without colours, too.
DASHES = ("-", "--", "-.", ":")
#: Colours of classes (Okabe and Ito's), for light and for dark axes: neighbours differ in lightness.
CLASSES = (
    ("#0072b2", "#5aa9e6"),
    ("#e69f00", "#f5bd41"),
    ("#009e73", "#2fc99b"),
    ("#56b4e9", "#a5dcff"),
    ("#d55e00", "#ff8548"),
    ("#b5568a", "#e59cc6"),
)
#: Of what belongs to no class.
NO_CLASS = ("#6b7380", "#9aa3b0")
#: What was measured, a wide line, and what a model says of it, a thin line on it.
MEASURED, MODELLED = CLASSES[3], CLASSES[4]
#: More stretches of rest would be a grey page.
_MOST_RESTS = 400

#: Columns whose name is a word, of which a model has one for each of its parts.
_WORDS = ("friction", "force", "impulse", "phase")


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
    """One line, with both axes labelled."""
    ax = axes(ax)
    ax.plot(x, y)
    ax.set_xlabel(of_x)
    ax.set_ylabel(of_y)
    return ax


# --- Words ---------------------------------------------------------------------------------------------


def turns(model: Mapping[str, Any]) -> bool:
    """Whether a model, with its defaults filled in, rotates about an axis and so has angles and torques."""
    # The `rotation` of a slab is the angle at which it starts.
    return any(isinstance(part, Mapping) and part.get("rotation") is True for part in model.values())


def owner(column: str) -> tuple[str, str]:
    """A column's quantity and the name of its owner: ``x_a`` is ``x`` of ``a``."""
    own = column
    while own:
        if own in _WORDS or column_in_words("", own) is not None:
            return own, column[len(own) + 1 :]
        own = own.rpartition("_")[0]
    return column, ""


def words(column: str, turning: bool = False, table: str = "") -> str:
    """The words for a column of a table along an axis, with the name of its owner."""
    own, of = owner(column)
    said = column_in_words(table, own) or own.replace("_", " ")
    said = turned(said) if turning else said
    return f"{said} of {of}" if of else said


def label(said: str, unit: str) -> str:
    """The label of an axis: words, and the unit where there is one."""
    return f"{said} ({unit})" if unit not in ("", "1") else said


def column_label(column: str, unit: str, turning: bool = False, table: str = "") -> str:
    """The label of an axis along which a column of a table is drawn."""
    return label(words(column, turning, table), unit)


def key_label(key: str, turning: bool = False) -> str:
    """The label of an axis along which the number at a key of a model varies."""
    return label(*key_in_words(key, turning))


# --- Marks ---------------------------------------------------------------------------------------------


def is_dark(ax: Axes) -> bool:
    """Whether the background of the axes is dark."""
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(ax.get_facecolor())
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.5


def on(ax: Axes, both: tuple[str, str]) -> str:
    """The one of two colours (for light and for dark axes) that suits these axes."""
    return both[is_dark(ax)]


def ink(ax: Axes) -> Any:
    """The colour of marks that belong to no series: the text colour."""
    return ax.xaxis.label.get_color()


def dashes(i: int, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The dash of the i-th of several lines, unless the user has chosen one."""
    return {} if {"ls", "linestyle"} & kwargs.keys() else {"linestyle": DASHES[i % len(DASHES)]}


def rests(ax: Axes, stretches: Sequence[tuple[float, float]], name: str) -> bool:
    """Shades the intervals at rest, unless there are too many to be distinguished. Returns whether it did."""
    if not 0 < len(stretches) <= _MOST_RESTS:
        return False
    colour = on(ax, NO_CLASS)
    # A second motion on the same axes needs no second entry in the legend.
    named = any(patch.get_label() == name for patch in ax.patches)
    for i, (start, end) in enumerate(stretches):
        # A name that begins with an underscore stands in no legend.
        label = name if i == 0 and not named else "_"
        ax.axvspan(start, end, color=colour, alpha=0.2, linewidth=0, zorder=0.5, label=label)
    return True


def legend(ax: Axes) -> None:
    """The legend in a row above the axes, where it covers no line."""
    handles, names = ax.get_legend_handles_labels()
    if names:
        columns = min(len(names), 4)
        place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.2}
        ax.legend(handles, names, ncols=columns, frameon=False, handlelength=2.4, columnspacing=1.4, **place)


def title(ax: Axes, said: str) -> None:
    """The title, above the legend where there is one."""
    drawn = ax.get_legend()
    rows = 0 if drawn is None else -(-len(drawn.get_texts()) // 4)
    ax.set_title(said, pad=6.0 + 20.0 * rows)


def in_common(a: Sequence[tuple[float, float]], b: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The intersection of two lists of intervals, both in the order of time."""
    both: list[tuple[float, float]] = []
    i = k = 0
    while i < len(a) and k < len(b):
        start, end = max(a[i][0], b[k][0]), min(a[i][1], b[k][1])
        if start < end:
            both.append((start, end))
        if a[i][1] < b[k][1]:
            i += 1
        else:
            k += 1
    return both


def classes(ax: Axes, numbers: Iterable[int]) -> tuple[Any, Any, dict[int, str]]:
    """A colour map for classes numbered from 1 (0 for none), its norm, and the colour of each class."""
    from matplotlib.colors import ListedColormap, NoNorm

    colours = {n: on(ax, NO_CLASS if n == 0 else CLASSES[(n - 1) % len(CLASSES)]) for n in numbers}
    of_all = [colours.get(n, on(ax, NO_CLASS)) for n in range(max(colours, default=0) + 1)]
    return ListedColormap(of_all), NoNorm(), colours


def few_decades(ax: Axes, values: Any) -> None:
    """Labels also 2 and 5 between the powers of ten, along a logarithmic axis with few of them."""
    from matplotlib.ticker import LogFormatterSciNotation, LogLocator

    if max(values) < 100.0 * min(values):
        ax.xaxis.set_minor_locator(LogLocator(subs=(2.0, 5.0)))
        ax.xaxis.set_minor_formatter(LogFormatterSciNotation(minor_thresholds=(float("inf"), float("inf"))))


def dates(ax: Axes) -> None:
    """Makes the date labels below the axes short enough not to overlap."""
    import matplotlib.dates

    # Without types: matplotlib gives these none.
    typeless: Any = matplotlib.dates
    locator = typeless.AutoDateLocator()
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(typeless.ConciseDateFormatter(locator))


def svg(draw: Any) -> str:
    """The drawing that `draw` makes on axes, as SVG; empty without Matplotlib."""
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
