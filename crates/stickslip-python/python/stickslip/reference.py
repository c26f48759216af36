"""The reference set for dry friction: certified motions, with which any simulator can be scored.

>>> import stickslip as ss
>>> shaw = ss.reference.case("shaw")
>>> shaw.grade, len(shaw.events)
('average', 10)

A simulator is a function that receives a `Case` and returns rows ``(event, t, where, x, v)``: see `score`.
"""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Union

from . import _frames
from ._arguments import described
from ._errors import InputError
from ._load import load
from ._model import Model
from ._stickslip import reference_cases, reference_own, reference_score

if TYPE_CHECKING:
    import pandas

#: The columns of a table of results.
COLUMNS = ("event", "t", "where", "x", "v")

#: What stands before a key in the column of a derivative: ``dt/oscillator.mass`` is that of the time of an event.
RATES = ("dt/", "dx/", "dv/")

#: What a simulator may return: rows, the text of a CSV file, or a data frame.
Results = Union[str, Iterable[Union[Sequence[Any], Mapping[str, Any]]], "pandas.DataFrame"]


@dataclass(frozen=True)
class Case:
    """A case of the reference set.

    Attributes
    ----------
    name : str
        Name of the case.
    grade : str
        ``lower``, ``average``, ``higher`` or ``adversarial``.
    title : str
        Title in one line.
    unique : bool
        Whether the case has exactly one solution, which is certified.
    toml : str
        The model file.
    statement : str
        The problem in formulas, the requested results, and typical mistakes.
    certified : dict
        All certified numbers, as texts with 20 digits.

    Examples
    --------
    >>> import stickslip as ss
    >>> slide = ss.reference.case("free-slide")
    >>> slide.unique, [e["event"] for e in slide.events]
    (True, ['stick'])
    """

    name: str
    grade: str
    title: str
    unique: bool
    toml: str = field(repr=False)
    statement: str = field(repr=False)
    certified: dict[str, Any] = field(repr=False)

    @property
    def model(self) -> Model:
        """The model."""
        return load(self.toml)

    @property
    def end(self) -> float:
        """The last instant, s."""
        return float(self.certified["end"])

    @property
    def times(self) -> list[float]:
        """The times at which states are requested, s."""
        return list(dict.fromkeys(float(s["t"]) for s in self.certified.get("states", [])))

    @property
    def nodes(self) -> list[str]:
        """The nodes whose states are requested; ``[""]`` for a single mass."""
        return list(dict.fromkeys(s["where"] for s in self.certified.get("states", [])))

    @property
    def wrt(self) -> list[str]:
        """The keys of the parameters for which derivatives are certified; empty if there are none."""
        return list(self.certified.get("derivatives", {}).get("wrt", []))

    @property
    def events(self) -> list[dict[str, Any]]:
        """The certified events, with numbers as floats."""
        rows = self.certified.get("events", [])
        return [{k: float(v) if k in ("t", "x", "v") else v for k, v in row.items()} for row in rows]


def cases(grade: str | None = None) -> list[Case]:
    """The cases of the reference set, easiest first.

    Parameters
    ----------
    grade : str, optional
        ``lower``, ``average``, ``higher`` or ``adversarial``.

    Returns
    -------
    list of Case
        The cases.

    Raises
    ------
    InputError
        If there is no such grade.

    Examples
    --------
    >>> import stickslip as ss
    >>> [case.name for case in ss.reference.cases("average")][:2]
    ['shaw', 'peer-p3']
    """
    grades = ("lower", "average", "higher", "adversarial")
    if grade is not None and grade not in grades:
        raise InputError(f"`grade` is {described(grade)}; expected one of {', '.join(grades)}")
    found = []
    for name, toml, statement, certified in reference_cases():
        known = json.loads(certified)
        if grade in (None, known["grade"]):
            found.append(Case(name, known["grade"], known["title"], known["unique"], toml, statement, known))
    return found


def case(name: str) -> Case:
    """Returns the case with this name.

    Parameters
    ----------
    name : str
        Name of a folder of the set. Upper case and underscores are read as lower case and hyphens.

    Returns
    -------
    Case
        The case.

    Raises
    ------
    InputError
        If there is no case with this name.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.reference.case("peer_P3").name
    'peer-p3'
    """
    found = {c.name: c for c in cases()}
    plain = name.lower().replace("_", "-")
    if plain not in found:
        raise InputError(f"the reference set has no case {name!r}; there are {', '.join(found)}")
    return found[plain]


class Scores(Sequence[dict[str, Any]]):
    """The scores of a simulator, with one dictionary for each case.

    Examples
    --------
    >>> import stickslip as ss
    >>> scores = ss.reference.score(cases=["free-slide", "free-decay"])
    >>> len(scores), scores["free-slide"]["missed"]
    (2, 0)
    """

    def __init__(self, scores: list[dict[str, Any]]) -> None:
        self._scores = scores

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, str):
            return next(s for s in self._scores if s["case"] == index)
        return self._scores[index]

    def __len__(self) -> int:
        return len(self._scores)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._scores)

    def to_frame(self) -> pandas.DataFrame:
        """The scores as a pandas data frame."""
        keys = list(self._scores[0]) if self._scores else []
        return _frames.frame({k: [s[k] for s in self._scores] for k in keys})

    def __repr__(self) -> str:
        lines = [f"{'case':<22} {'digits':>6} {'missed':>6} {'invented':>8} {'states missing':>14} {'creep':>8}"]
        for s in self._scores:
            digits = "–" if s["digits"] is None else f"{s['digits']:.1f}"
            note = s["error"] or ""
            counts = f"{s['missed']:>6} {s['invented']:>8} {s['states_missing']:>14}"
            lines.append(f"{s['case']:<22} {digits:>6} {counts} {s['creep']:>8.1e} {note}".rstrip())
        return "\n".join(lines)


def score(
    simulate: Callable[[Case], Results] | None = None,
    cases: Iterable[Case | str] | None = None,
) -> Scores:
    """Scores a simulator on the reference set.

    Parameters
    ----------
    simulate : callable, optional
        A function that receives a `Case` and returns its events and states: rows ``(event, t, where, x, v)`` or
        dictionaries with these keys, a data frame, or the text of a CSV file. A state at one of ``case.times`` is a row
        with the event ``"state"``. A row ``"not-unique"`` or ``"no-solution"`` with its instant reports that a case is
        ill-posed.
        Derivatives with respect to the parameters at the keys ``case.wrt`` go into further columns, or keys of the
        dictionaries: ``"dt/oscillator.mass"`` for an event, ``"dx/oscillator.mass"`` and ``"dv/oscillator.mass"`` for a
        state, and so on for each key.
        If the function raises an exception, it is kept in the score under ``error``, and the other cases are still
        scored. The function receives the case without its certified numbers. By default the solutions of this package
        are scored.
    cases : iterable of Case or str, optional
        The cases; all by default.

    Returns
    -------
    Scores
        A sequence of dictionaries with the keys ``case``, ``grade``, ``unique``, ``digits``, ``missed``, ``invented``,
        ``states_missing``, ``creep``, ``energy``, ``reported``, ``seconds``, ``error`` and others. A missing event or
        state, or a number that is NaN, counts as 0 digits. ``digits_derivatives`` has the digits of the derivatives
        that were returned; if some were, ``derivatives_missing`` counts the others.

    Examples
    --------
    >>> import stickslip as ss
    >>> def simulate(case):
    ...     if case.name != "free-slide":
    ...         raise NotImplementedError
    ...     return [("stick", 4.0, "", 4.0, 0.0)] + [("state", t, "", 4.0, 0.0) for t in case.times if t >= 4]
    >>> ss.reference.score(simulate, ["free-slide"])[0]["digits"]
    16.0
    """
    chosen = [case(c) if isinstance(c, str) else c for c in cases] if cases is not None else _all()
    return Scores([_one(simulate, c) for c in chosen])


def _all() -> list[Case]:
    return cases()


def _one(simulate: Callable[[Case], Results] | None, one: Case) -> dict[str, Any]:
    if simulate is None:
        found: dict[str, Any] = json.loads(reference_own(one.name))
        return found
    clock = time.perf_counter()
    text, error = "", None
    try:
        results = simulate(_asked(one))
        # Rows may be made as they are asked for, so that this belongs to the simulator too.
        text = results if isinstance(results, str) else _table(results)
    except Exception as raised:  # noqa: BLE001 - whatever a simulator cannot do is part of its score
        error = _said(raised)
    seconds = time.perf_counter() - clock
    try:
        scored: dict[str, Any] = json.loads(reference_score(one.name, text, seconds, error))
    except InputError as raised:
        # A table that cannot be read ends the score of its case, and not those of the others.
        scored = json.loads(reference_score(one.name, "", seconds, _said(raised)))
    return scored


def _said(raised: Exception) -> str:
    return f"{type(raised).__name__}: {raised}".rstrip(": ")


def _asked(one: Case) -> Case:
    """The case as a simulator sees it, without the certified numbers."""
    states = [{"t": s["t"], "where": s["where"]} for s in one.certified.get("states", [])]
    kept = {k: v for k, v in one.certified.items() if k in ("case", "grade", "title", "end", "unique")}
    return replace(one, certified={**kept, "states": states, "derivatives": {"wrt": one.wrt}})


def _table(results: Any) -> str:
    """Rows as the text of a CSV file."""
    if hasattr(results, "to_dict") and hasattr(results, "columns"):
        results = results.to_dict("records")
    out = io.StringIO()
    writer = csv.writer(out)
    rows = list(results)
    rates = dict.fromkeys(k for row in rows if isinstance(row, Mapping) for k in row if isinstance(k, str) and k.startswith(RATES))
    writer.writerow([*COLUMNS, *rates])
    for row in rows:
        if isinstance(row, Mapping):
            writer.writerow([_cell(row.get(c, "")) for c in (*COLUMNS, *rates)])
            continue
        cells = list(row)
        if len(cells) != len(COLUMNS):
            raise InputError(f"a row of results is {described(row)}; expected {', '.join(COLUMNS)}")
        writer.writerow([_cell(c) for c in (*cells, *[""] * len(rates))])
    return out.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return "" if value != value else repr(float(value))
