"""Paths, as returned by `solve`."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from . import _frames, _plots
from ._arguments import Array, Number, Numbers, described, read_only, unmasked
from ._errors import InputError, suggestion
from ._model import Model
from ._models import Oscillator
from ._stickslip import Solution, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Points of a drawn line: more than a screen has.
_POINTS = 2001
#: Events that are marked in a figure; more would be a black band.
_MARKS = 400
_PHASES = np.array(["slip-", "stick", "slip+"])
_KINDS = np.array(Solution.kinds())


@dataclass(frozen=True)
class Energy:
    """The energy balance of a motion, J: work = kinetic + elastic + friction + viscous + impacts + jumps + defect.

    Attributes
    ----------
    work : float
        Work of drives, forces, moving supports and prescribed motions on the masses.
    gross_work : float
        ∫ \\|power of the load\\| dt: the energy exchanged with the loads in both directions.
    kinetic, elastic : float
        Changes of the kinetic energy of the masses and of the elastic energy of the springs.
    friction, viscous, impacts, jumps : float
        Energy lost to dry friction, in dampers, in impacts, and in jumps of nodes without mass.
    defect : float
        Error of the balance: zero for an exact solution up to rounding, O(h) for a time-stepping scheme with the step
        h.
    relative_defect : float
        \\|defect\\| divided by all the energy that passed through the system.

    Examples
    --------
    >>> import stickslip as ss
    >>> block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), v0=2.0)

    >>> energy = ss.solve(block, 9.0).energy
    >>> energy.kinetic, energy.friction, energy.defect
    (-2.0, 2.0, 0.0)
    """

    work: float
    gross_work: float
    kinetic: float
    elastic: float
    friction: float
    viscous: float
    impacts: float
    jumps: float
    defect: float
    relative_defect: float


class Path:
    """The solution of a problem: the motion at every instant, its events and its energies.

    The arrays hold the motion at events and breakpoints, or at every step of a time-stepping scheme. Calling the path
    gives the motion at any time. Each array is computed when it is first used and then kept. It is read-only;
    ``path.x.copy()`` can be changed.

    A path can be pickled. The copy holds the arrays. If it is asked for the motion at other times or for a certificate,
    it solves its problem again, with the same result bit for bit. It then reads the model's data files again, which
    must have the same SHA-256 as when the path was computed.

    Attributes
    ----------
    t : numpy.ndarray, shape (n,)
        Times, s.
    x, v : numpy.ndarray, shape (n,) or (nodes, n)
        Displacement (m) and velocity (m/s); for a network one row per node.
    friction : numpy.ndarray, shape (n,) or (sliders, n)
        Force of the support on the mass, N; for a network one row per slider, then one per gear with friction.
    phase : numpy.ndarray of str, shape (n,) or (sliders, n)
        ``stick``, ``slip+`` or ``slip-``; for a mass on a plane ``stick`` or ``slip``.
    events : numpy.ndarray, structured
        The events, with the fields ``event``, ``t`` (s), ``where``, ``x`` (m) and ``v`` (m/s, after the event); with
        walls also ``impulse`` (N·s). For a mass on a plane ``x`` and ``v`` are the components along x, and there are
        ``y`` and ``vy``.
    energy : Energy
        The energy balance, J.
    warnings : tuple of str
        The warnings about this path.
    columns : tuple of str
        Names of the columns, which are read as in ``path["x_a"]``.
    units : dict of str to str
        Their units.
    counts : dict of str to int
        Steps, segments and iterations.
    places : tuple of str
        The places at which events can happen.

    Examples
    --------
    >>> import stickslip as ss
    >>> block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), v0=2.0)

    >>> path = ss.solve(block, 9.0)
    >>> path.events["event"].tolist(), path.events["t"].tolist()
    (['stick'], [4.0])
    >>> float(path(2.0)[0]), path.warnings
    (3.0, ())
    """

    def __init__(self, model: Model, settings: tuple[tuple[str, Any], ...], solution: Solution | None) -> None:
        self._model = model
        self._settings = settings
        self._solution = solution
        self._kept: dict[str, Any] = {}
        if solution is not None:
            self._kept["files"] = model._problem(settings).files

    # --- What it was made of -----------------------------------------------------------------------

    @property
    def model(self) -> Model:
        """The model that was solved."""
        return self._model

    @property
    def scheme(self) -> str:
        """The name of the scheme."""
        return str(self._keep("scheme", lambda: self._model._problem(self._settings).scheme))

    @property
    def t_end(self) -> float:
        """The last instant, s."""
        return float(self._keep("span", lambda: self._solved().span)[1])

    def _solved(self) -> Solution:
        if self._solution is None:
            problem = self._model._problem(self._settings)
            self._check_files(problem.files)
            self._solution = problem.solve()
        return self._solution

    def _check_files(self, files: list[tuple[str, str]]) -> None:
        """Checks that the files from which a pickled path is solved again have not changed."""
        then = dict(self._kept.get("files", files))
        for name, digest in files:
            if then.get(name) != digest:
                where = os.path.join(self._model.folder, name)
                error = InputError(
                    f"{where} has changed since this path was solved: its SHA-256 was {then.get(name)} and is {digest}; "
                    "another motion would follow"
                )
                error.help = "put the file back as it was, or solve the model again"
                raise error

    def _keep(self, name: str, make: Any) -> Any:
        try:
            return self._kept[name]
        except KeyError:
            made = self._kept[name] = make()
            return made

    # --- Numbers at events, breakpoints and steps --------------------------------------------------

    @property
    def t(self) -> Array:
        return self._keep("t", lambda: read_only(self._solved().nodes()))  # type: ignore[no-any-return]

    @property
    def _columns(self) -> list[tuple[str, str, str]]:
        return self._keep("columns", lambda: self._solved().columns())  # type: ignore[no-any-return]

    @property
    def _table(self) -> Array:
        return self._keep("table", lambda: read_only(self._solved().table(self.t)))  # type: ignore[no-any-return]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for name, _, _ in self._columns)

    @property
    def units(self) -> dict[str, str]:
        return {name: unit for name, unit, _ in self._columns}

    @property
    def places(self) -> tuple[str, ...]:
        return tuple(self._keep("places", lambda: self._solved().places))

    def _rows(self, role: str) -> list[int]:
        return [i for i, c in enumerate(self._columns) if c[2] == role]

    def __getitem__(self, name: str) -> Array:
        """The column `name` at the times `t`."""
        names = self.columns
        if name not in names:
            if name == "t":
                return self.t
            raise InputError(f"the path has no column {described(name)}{suggestion(str(name), names)}; it has {', '.join(names)}")
        column: Array = self._table[names.index(name)]
        return column

    def _of(self, role: str, single: str) -> Array:
        if single in self.columns:
            return self[single]
        return self._taken(self._rows(role))

    def _taken(self, rows: list[int]) -> Array:
        """These rows of the table; a view if they are equally spaced."""
        view = range(rows[0], rows[-1] + 1, rows[1] - rows[0] if len(rows) > 1 else 1)
        return self._table[view.start : view.stop : view.step] if rows == [*view] else read_only(self._table[rows])

    @property
    def x(self) -> Array:
        return self._of("position", "x")

    @property
    def v(self) -> Array:
        return self._of("velocity", "v")

    @property
    def friction(self) -> Array:
        names = [c for c in self.columns if c.startswith("friction_")]
        if "friction" in self.columns:
            return self["friction"]
        if not names:
            self._lacks("friction")
        return self._taken([self.columns.index(name) for name in names])

    @property
    def phase(self) -> npt.NDArray[np.str_]:
        return self._keep("phase", lambda: read_only(self._phases()))  # type: ignore[no-any-return]

    def _phases(self) -> npt.NDArray[np.str_]:
        solved, kind = self._solved(), self._model.kind
        if kind == "network":
            codes = [solved.phases(i, self.t) for i in solved.contacts]
            return _PHASES[np.array(codes, dtype=np.int64).reshape(len(codes), len(self.t)) + 1]
        if kind == "impact":
            self._lacks("phase")
        if kind == "planar":
            # A slip in a plane turns, so it has no sign.
            if self._is_slab:
                return np.where(np.array([solved.phases(i, self.t) for i in range(len(self.places))]) == 0, "stick", "slip")
            return np.where(solved.phases(0, self.t) == 0, "stick", "slip")
        return _PHASES[solved.phases(0, self.t).astype(np.int64) + 1]

    @property
    def _is_slab(self) -> bool:
        return self._model.kind == "planar" and getattr(self._model, "inertia", None) is not None

    def _lacks(self, name: str) -> NoReturn:
        raise AttributeError(f"a path of a model of the kind {self._model.kind} has no {name}; it has {', '.join(self.columns)}")

    def __getattr__(self, name: str) -> Array:
        # `force`, `impulse`, `stop`, `z`: whatever columns the model has.
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self.columns:
            return self[name]
        raise AttributeError(f"a path of this model has no `{name}`{suggestion(name, (*self.columns, *dir(type(self))))}")

    # --- What happened -----------------------------------------------------------------------------

    @property
    def events(self) -> npt.NDArray[np.void]:
        return self._keep("events", lambda: read_only(self._events()))  # type: ignore[no-any-return]

    def _events(self) -> npt.NDArray[np.void]:
        solved = self._solved()
        kinds, times, places, (x, _, v, impulse) = solved.events()
        names = np.array(self.places or ("",))
        dtype: list[tuple[str, Any]] = [("event", _KINDS.dtype), ("t", "f8"), ("where", names.dtype)]
        dtype += [("x", "f8"), ("v", "f8")]
        with_walls = self._model.kind == "impact" or getattr(self._model, "stops", None) is not None
        if with_walls:
            dtype.append(("impulse", "f8"))
        plane = self._model.kind == "planar"
        if plane:
            dtype += [("y", "f8"), ("vy", "f8")]
        out = np.empty(len(times), dtype)
        out["event"], out["t"], out["where"] = _KINDS[kinds], times, names[places]
        out["x"], out["v"] = x, v
        if plane:
            rows = solved.table(np.ascontiguousarray(times))
            if self._is_slab:
                # The isolator moves as its place of the slab does, whose own columns stand first.
                along = np.array([isolator["at"][0] for isolator in self._model.isolator])[places]  # type: ignore[attr-defined]
                out["y"], out["vy"] = rows[1] + rows[2] * along, rows[4] + rows[5] * along
            else:
                out["y"], out["vy"] = rows[1], rows[3]
        if with_walls:
            out["impulse"] = impulse
        return out

    @property
    def energy(self) -> Energy:
        return self._keep("energy", lambda: Energy(**self._solved().energy()))  # type: ignore[no-any-return]

    @property
    def warnings(self) -> tuple[str, ...]:
        return self._keep("warnings", lambda: tuple(self._solved().warnings()))  # type: ignore[no-any-return]

    @property
    def counts(self) -> dict[str, int]:
        return dict(self._keep("counts", lambda: self._solved().counts()))

    def phases(self, where: str | int = 0) -> list[tuple[str, float, float]]:
        """The intervals of time that a contact spends in one phase.

        Parameters
        ----------
        where : str or int
            The place, by its name in `places` or by its index.

        Returns
        -------
        list of (str, float, float)
            Phase, start (s) and end (s).

        Examples
        --------
        >>> import stickslip as ss
        >>> block = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.5), x0=2.25)
        >>> path = ss.solve(block, t_end=10)
        >>> [(phase, round(start, 6), round(end, 6)) for phase, start, end in path.phases()]
        [('slip-', 0.0, 3.141593), ('slip+', 3.141593, 6.283185), ('stick', 6.283185, 10.0)]
        """
        places = self.places
        if isinstance(where, bool) or not isinstance(where, (str, int, np.integer)):
            raise InputError(f"`where` is {described(where)}; expected the name of a place, or its number")
        if isinstance(where, str):
            if where not in places:
                raise InputError(f"`where` is {where!r}; expected one of {', '.join(places)}{suggestion(where, places)}")
            where = places.index(where)
        if not 0 <= where < len(places):
            raise InputError(f"`where` is {where}; expected a number from 0 to {len(places) - 1}")
        stretches = self._solved().stretches(where)
        if self._model.kind == "planar":
            return [("stick" if phase == "stick" else "slip", start, end) for phase, start, end in stretches]
        return stretches

    def certificate(self) -> dict[str, Any]:
        """The certificate of an exact run: a proof that its events lie between neighbouring doubles, that there are no
        other events, and that the solution is unique.

        Returns
        -------
        dict
            The contents of ``certificate.json`` as written by ``stickslip certify``. The independent program ``python
            -m stickslip_checker``, which uses nothing of this package, checks it.

        Raises
        ------
        InputError
            If the scheme is not exact, or the model is a network.
        UnsolvableError
            If the motion cannot be certified.

        Notes
        -----
        The certificate names the model's data files, with their SHA-256 at the time when the path was computed.

        Examples
        --------
        >>> import stickslip as ss
        >>> block = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.5), x0=2.25)
        >>> proof = ss.solve(block, t_end=10).certificate()
        >>> [arc["ending"] for arc in proof["arcs"]]
        ['reversal', 'stick', 'end']
        """
        document: dict[str, Any] = json.loads(self._solved().certificate())
        return document

    # --- The motion anywhere -----------------------------------------------------------------------

    def _at(self, ts: Number | Numbers) -> tuple[Array, Array]:
        """Times as an array, and all columns at these times."""
        try:
            given = np.array(unmasked(ts), ndmin=1, order="C")
        except (TypeError, ValueError):
            raise InputError(f"`ts` is {described(ts)}; expected times in s") from None
        if given.dtype.kind not in "fiu":
            raise InputError(f"`ts` is {described(ts)}; expected times in s")
        times: Array = given.astype(np.float64, copy=False)
        if times.ndim != 1:
            raise InputError(f"`ts` has the shape {times.shape}; expected one dimension")
        end = self.t_end
        # A last time that differs by rounding is meant to be the end.
        outside = ~((times >= 0.0) & (times <= end * (1.0 + 1e-12)))
        if outside.any():
            raise InputError(f"`ts` holds {times[outside][0]!r}; expected times from 0 to {end!r} s")
        times = np.minimum(times, end)
        if (times[1:] >= times[:-1]).all():
            return times, self._solved().table(times)
        order = np.argsort(times, kind="stable")
        table = self._solved().table(times[order])
        out = np.empty_like(table)
        out[:, order] = table
        return times, out

    def __call__(self, ts: Number | Numbers) -> Array:
        """Displacement and velocity at any times.

        Parameters
        ----------
        ts : float or array_like, shape (n,)
            Times from 0 to `t_end`, s, in any order.

        Returns
        -------
        numpy.ndarray, shape (2, n)
            x (m) and v (m/s); for a network, the displacements of all nodes followed by their velocities. For a single
            time there is no last dimension.

        Examples
        --------
        >>> import stickslip as ss
        >>> block = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.5), x0=2.25)
        >>> x, v = ss.solve(block, t_end=10)([0.0, 10.0])
        >>> x.round(6).tolist(), v.round(6).tolist()
        ([2.25, 0.25], [0.0, 0.0])
        """
        _, table = self._at(ts)
        rows = self._rows("position") + self._rows("velocity")
        out = table[:2] if rows == [0, 1] else table[rows]
        return out[:, 0] if np.ndim(ts) == 0 else out  # type: ignore[arg-type]

    def sample(self, ts: int | Number | Numbers | None = None) -> dict[str, npt.NDArray[Any]]:
        """All columns and phases at any times.

        Parameters
        ----------
        ts : int or array_like, shape (n,), optional
            Times, s; or a number of equally spaced times; by default the times `t`.

        Returns
        -------
        dict of str to numpy.ndarray
            ``t``, every column, and ``phase`` where the model has phases.

        Examples
        --------
        >>> import stickslip as ss
        >>> block = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.5), x0=2.25)
        >>> rows = ss.solve(block, t_end=10).sample([1.0, 9.0])
        >>> rows["x"].round(6).tolist(), rows["phase"].tolist()
        ([1.445529, 0.25], ['slip-', 'stick'])
        """
        if ts is None:
            times, table = self.t, self._table
        else:
            if isinstance(ts, (int, np.integer)) and not isinstance(ts, bool):
                if ts < 2:
                    raise InputError(f"`ts` is {ts}; expected 2 times or more")
                ts = np.linspace(0.0, self.t_end, int(ts))
            times, table = self._at(ts)
        out: dict[str, npt.NDArray[Any]] = {"t": times}
        out.update(zip(self.columns, table))
        if self._model.kind in ("oscillator", "cascade"):
            order = np.argsort(times, kind="stable")
            codes = np.empty(len(times), dtype=np.int64)
            codes[order] = self._solved().phases(0, np.ascontiguousarray(times[order]))
            out["phase"] = _PHASES[codes + 1]
        if self._model.kind == "planar" and not self._is_slab:
            order = np.argsort(times, kind="stable")
            held = np.empty(len(times), dtype=bool)
            held[order] = self._solved().phases(0, np.ascontiguousarray(times[order])) == 0
            out["phase"] = np.where(held, "stick", "slip")
        return out

    # --- Tables and pictures -----------------------------------------------------------------------

    def to_frame(self, ts: int | Number | Numbers | None = None) -> Any:
        """All columns as a data frame: pandas if it is installed, otherwise Polars.

        Parameters
        ----------
        ts : int or array_like, optional
            As for `sample`.

        Examples
        --------
        >>> import stickslip as ss
        >>> block = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.5), x0=2.25)
        >>> frame = ss.solve(block, t_end=10).to_frame(5)
        >>> frame["t"].tolist()
        [0.0, 2.5, 5.0, 7.5, 10.0]
        """
        return _frames.frame(self.sample(ts))

    def plot(self, ax: Axes | None = None, *, columns: str | Sequence[str] | None = None, **kwargs: Any) -> Axes:
        """Plots displacements against time, with events as dots. Intervals in which every contact sticks are shaded.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Axes to draw on; by default those of a new figure.
        columns : str or sequence of str, optional
            Columns to draw instead of the displacements.
        **kwargs
            Passed to ``Axes.plot``.

        Returns
        -------
        matplotlib.axes.Axes

        Examples
        --------
        >>> import stickslip as ss
        >>> block = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.5), x0=2.25)
        >>> axes = ss.solve(block, t_end=10).plot()
        >>> axes.get_xlabel(), axes.get_ylabel()
        ('time (s)', 'displacement (m)')
        """
        axes = _plots.axes(ax)
        names = [columns] if isinstance(columns, str) else list(columns or self._displacements())
        for name in names:
            self[name]
        data = self.sample(self._times_to_draw())
        # The `rotation` of a slab is an angle.
        turning = getattr(self.model, "rotation", False) is True
        plane = "y" in self.columns
        said = ["displacement along x" if plane and name == "x" else _plots.words(name, turning) for name in names]
        owners = [_plots.owner(name) for name in names]
        # What all lines show stands at the axis; the legend says whose each of them is.
        same = len({own for own, _ in owners}) == 1 and all(of for _, of in owners)
        for i, name in enumerate(names):
            label: dict[str, Any] = {"label": plain(owners[i][1] if same else said[i])} if len(names) > 1 else {}
            axes.plot(data["t"], data[name], **{**label, **_plots.dashes(i, kwargs), **kwargs})
        events = self.events
        if names == ["x"] and 0 < len(events) <= _MARKS:
            # Without a label of its own the legend leaves it out.
            axes.plot(events["t"], events["x"], ".", color=_plots.ink(axes), markersize=4, zorder=3)
        shaded = _plots.rests(axes, self._rests(), "all stick" if len(self._solved().contacts) > 1 else "stick")
        units = dict.fromkeys(self.units[n] for n in names)
        # Whose it is, and which way it goes, is said in the legend.
        quantities = [_plots.words(own, turning).split(" along ")[0] for own, _ in owners] if len(names) > 1 else said
        axes.set_xlabel("time (s)")
        axes.set_ylabel(plain(_plots.label(", ".join(dict.fromkeys(quantities)), ", ".join(units))))
        if len(names) > 1 or shaded:
            _plots.legend(axes)
        if self.model.title:
            _plots.title(axes, plain(self.model.title))
        return axes

    def _rests(self) -> list[tuple[float, float]]:
        """The intervals in which every contact sticks; none if there is no contact, as between walls."""
        solved = self._solved()
        all_stick: list[tuple[float, float]] = [(0.0, self.t_end)] if solved.contacts else []
        for place in solved.contacts:
            sticks = [(start, end) for phase, start, end in solved.stretches(place) if phase == "stick"]
            all_stick = _plots.in_common(all_stick, sticks)
        return all_stick

    def _displacements(self) -> list[str]:
        return [name for name, _, role in self._columns if role == "position"]

    def _times_to_draw(self) -> Any:
        """Equally spaced times and all events, so that corners of the motion are drawn."""
        even = np.linspace(0.0, self.t_end, _POINTS)
        at = self.events["t"]
        return np.union1d(even, at) if len(at) <= _POINTS else even

    def __repr__(self) -> str:
        kinds, counts = np.unique(self.events["event"], return_counts=True)
        found = ", ".join(f"{n} × {k}" for k, n in zip(kinds.tolist(), counts.tolist())) or "no events"
        title = f" {self._model.title!r}" if self._model.title else ""
        warned = f", {len(self.warnings)} warning{'s' * (len(self.warnings) > 1)}" if self.warnings else ""
        return f"<Path of {self._model.kind}{title} by {self.scheme}, 0 … {self.t_end:g} s: {found}{warned}>"

    def _repr_html_(self) -> str:
        from html import escape

        warned = "".join(f"<li>{escape(w)}</li>" for w in self.warnings)
        head = f"<p><code>{escape(repr(self))}</code></p>"
        return f"<div>{head}{_plots.svg(self.plot)}{f'<ul>{warned}</ul>' if warned else ''}</div>"

    # --- Pickling ----------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        for name in ("t", "_columns", "_table", "places", "events", "energy", "warnings", "counts", "scheme", "t_end"):
            getattr(self, name)
        if isinstance(self._model, Oscillator):
            self.phase  # noqa: B018
        return {"model": self._model, "settings": self._settings, "kept": self._kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["model"], state["settings"], None)  # type: ignore[misc]
        self._kept = state["kept"]
