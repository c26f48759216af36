"""The base class of models: a model is immutable and can be written as a model file."""

from __future__ import annotations

import dataclasses
import functools
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, ClassVar

from . import _toml
from ._arguments import flag, number, path_of, text
from ._errors import InputError, suggestion_of_path
from ._laws import PythonLaw
from ._signals import Given, Samples, Signal, SignalLike, from_tables, signal
from ._stickslip import Document, check_file, write_file

if TYPE_CHECKING:
    from typing_extensions import Self

#: What `[run]` may hold besides the end and the scheme; see `solve`.
_KEPT = 8


def set_fields(model: object, **values: object) -> None:
    """Sets fields of a frozen dataclass, from its own `__post_init__`."""
    for name, value in values.items():
        object.__setattr__(model, name, value)


class Model:
    """Base class of all models. A model is immutable: `replace` makes a changed copy.

    A model that was read from a file keeps the file's settings of the run. `solve` uses them unless they are given as
    arguments.

    Examples
    --------
    >>> import stickslip as ss
    >>> block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), v0=2.0)
    >>> heavy = block.replace(mass=2.0)
    >>> isinstance(heavy, ss.Model), heavy.kind, block.mass, heavy.mass
    (True, 'oscillator', 1.0, 2.0)
    """

    #: Its table in a model file.
    kind: ClassVar[str]
    title: str | None
    #: `[run]` of the file it was read from.
    run: Mapping[str, Any]
    #: The folder that the names of files in it are relative to.
    folder: str

    def _table(self, given: Given) -> dict[str, Any]:
        """The model's table in a model file."""
        raise NotImplementedError

    @classmethod
    def _from_table(cls, table: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of the model whose table this is."""
        raise NotImplementedError

    def _document(self, given: Given) -> dict[str, Any]:
        document: dict[str, Any] = {} if self.title is None else {"title": self.title}
        document[self.kind] = self._table(given)
        if self.run:
            document["run"] = dict(self.run)
        return document

    @functools.cached_property
    def _checked(self) -> Document:
        """The document as the library reads it; made once."""
        given = Given()
        document = self._document(given)
        friction = getattr(self, "friction", None)
        laws = {}
        if isinstance(friction, PythonLaw):
            laws["python"] = (friction.force, friction.slope, friction.limit, friction.kinks)
        load = getattr(self, "load", None)
        loads = {} if load is None else {"python": load}
        return given.read(document, self.folder, laws, loads)

    def _calls_python(self, given: Given) -> bool:
        """Whether it holds a Python function, which cannot be written as text."""
        law = isinstance(getattr(self, "friction", None), PythonLaw)
        return bool(given.functions) or law or getattr(self, "load", None) is not None

    @functools.cached_property
    def _problems(self) -> dict[Any, Any]:
        """Recently read problems, by the settings of their runs."""
        return {}

    def _problem(self, settings: tuple[tuple[str, Any], ...]) -> Any:
        """The checked problem under these settings of `[run]`."""
        problems = self._problems
        found = problems.get(settings)
        if found is None:
            found = self._checked.read(dict(settings))
            while len(problems) >= _KEPT:
                problems.pop(next(iter(problems)), None)
            problems[settings] = found
        return found

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings that follow from the model alone, before anything is computed: a law with memory that is not passive
        and can return more energy than it has taken up; noise for which the motion has no limit as the step becomes
        shorter.

        Every result that is computed from the model repeats them.

        Examples
        --------
        >>> import stickslip as ss
        >>> law = ss.lugre(1.5, 1.0, 0.001, stiffness=1e5, damping=300.0, viscous=0.4)
        >>> ss.Oscillator(mass=1, stiffness=2, friction=law).warnings[0].partition(": ")[2]
        'viscous ≥ damping·(static − dynamic)/dynamic does not hold (0.4 < 150 N·s/m)'
        """
        if self.kind in ("corner", "schatzman") or (self.kind == "element" and not getattr(self, "displacement", None)):
            return ()
        return tuple(self._problem(tuple({"end": 1.0, **self.run}.items())).warnings)

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}  # type: ignore[arg-type]

    def __setstate__(self, state: dict[str, Any]) -> None:
        set_fields(self, **state)

    def replace(self, **changes: Any) -> Self:
        """A copy of the model with some arguments changed.

        Examples
        --------
        >>> import stickslip as ss
        >>> ss.Impact(mass=1, restitution=0.9, wall=0).replace(restitution=0.5).restitution
        0.5
        """
        known = [f.name for f in dataclasses.fields(self)]  # type: ignore[arg-type]
        for name in changes:
            if name not in known:
                raise InputError(f"{type(self).__name__} has no `{name}`{suggestion_of_path(name, self.kind, known)}")
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]

    def to_dict(self) -> dict[str, Any]:
        """The contents of the model file as nested dictionaries. Samples in memory appear as ``{"samples": Samples}``.

        Examples
        --------
        >>> import stickslip as ss
        >>> block = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.5), x0=2.25)
        >>> block.to_dict()["oscillator"]["friction"]
        {'coulomb': {'force': 0.5}}
        """

        class Kept(Given):
            def _table(self, kind: str, it: Any) -> dict[str, Any]:
                return {kind: it}

        return self._document(Kept())

    def to_toml(self, file: str | os.PathLike[str] | None = None, *, overwrite: bool = False) -> str:
        """The model as the text of a model file.

        Parameters
        ----------
        file : path-like, optional
            File to write. Samples in memory are written next to it, each to its own CSV file. The names of other files
            are written relative to it.
        overwrite : bool, optional
            Whether to replace existing files. By default it is an error if a file exists, unless it already has the
            same contents. Symbolic links are never followed, and files that the model reads are never replaced.

        Returns
        -------
        str
            The text, from which `load` makes the same model.

        Raises
        ------
        InputError
            If the model holds a Python function; or if it holds samples in memory and `file` is not given.
        FileError
            If one of these files exists with other contents or cannot be written. Then nothing is written.

        Examples
        --------
        >>> import stickslip as ss
        >>> block = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.5), x0=2.25)
        >>> print(block.to_toml().splitlines()[1])
        mass = 1.0
        """
        replaces = flag("overwrite", overwrite)
        given = Given()
        document = self._document(given)
        if self._calls_python(given):
            raise InputError("a model with a Python function has no text: sample the function, or pickle the model")
        if file is None:
            if given.samples:
                raise InputError("the model holds samples in memory; pass file=, and they are written next to that file")
            if self.folder and os.path.abspath(self.folder) != os.getcwd():
                # A text lies nowhere.
                self._rename(document, os.path.abspath)
            return _toml.dumps(document)
        path = FilePath(path_of("file", file))
        to = os.path.dirname(os.path.abspath(path))
        inputs = self._files(document)
        self._rename(document, lambda whole: _seen_from(to, whole))
        names = {name: f"{path.stem}-{name}.csv" for name in given.samples}
        for table in _tables_of(document[self.kind]):
            it = table.get("sampled")
            if it and it["file"] in names:
                it["file"] = names[it["file"]]
        written = _toml.dumps(document)
        files = [(path.parent / names[name], samples_as_csv(samples)) for name, samples in given.samples.items()]
        files.append((path, written))
        for where, content in files:
            check_file(str(where), content.encode(), inputs, replaces)
        for where, content in files:
            write_file(str(where), content.encode(), inputs, replaces)
        return written

    def _files(self, document: dict[str, Any]) -> list[str]:
        """The files that the model reads."""
        tables = (table.get("sampled") for table in _tables_of(document[self.kind]))
        names = (it["file"] for it in tables if isinstance(it, dict) and not _is_held(it.get("file")))
        return [os.path.abspath(os.path.join(self.folder, name)) for name in names]

    def _rename(self, document: dict[str, Any], rename: Callable[[str], str]) -> None:
        """Replaces names of files relative to the model's folder by names made from their absolute paths."""
        for table in _tables_of(document[self.kind]):
            it = table.get("sampled")
            if not isinstance(it, dict) or _is_held(it.get("file")) or os.path.isabs(it["file"]):
                continue
            it["file"] = rename(os.path.abspath(os.path.join(self.folder, it["file"])))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        # A law by functions of Python stands in the document by its name only.
        own, others = (getattr(m, "friction", None) for m in (self, other))
        if isinstance(own, PythonLaw) and isinstance(others, PythonLaw) and own != others:
            return False
        if getattr(self, "load", None) != getattr(other, "load", None):
            return False
        return self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(repr(self))}</pre>"


def _is_held(file: object) -> bool:
    """Whether this is the name of samples in memory."""
    return not isinstance(file, str) or re.fullmatch(r"samples-\d+", file) is not None


def _seen_from(folder: str, file: str) -> str:
    """The path of a file relative to a folder; the absolute path if the two are on different drives."""
    try:
        return os.path.relpath(file, folder).replace(os.sep, "/")
    except ValueError:
        return file


def _tables_of(it: Any) -> list[dict[str, Any]]:
    """Every table inside a document's table."""
    if isinstance(it, dict):
        return [it, *(t for v in it.values() for t in _tables_of(v))]
    if isinstance(it, list):
        return [t for v in it for t in _tables_of(v)]
    return []


def samples_as_csv(samples: Samples) -> str:
    """Samples as CSV text, from which the same numbers are read back."""
    if samples.time[0] != 0.0:
        raise InputError(
            f"samples begin at t = {samples.time[0]!r} s; in a model file times count from the first row, so they "
            "must begin at 0 to be written"
        )
    rows = zip(samples.time.tolist(), samples.value.tolist())
    lines = ["t,x\n", *(f"{t!r},{x!r}\n" for t, x in rows)]
    return "".join(lines)


def signal_or_none(name: str, value: SignalLike | None) -> Signal | None:
    return None if value is None else signal(name, value)


def title_of(value: object) -> str | None:
    return None if value is None else text("title", value)


def without_none(**values: Any) -> dict[str, Any]:
    return {k: v for k, v in values.items() if v is not None}


def put_initial(table: dict[str, Any], x0: float, v0: float, z0: float | None = None) -> None:
    given = {"displacement": x0, "velocity": v0} if x0 != 0.0 or v0 != 0.0 else {}
    if z0 is not None:
        given["z"] = z0
    if given:
        table["initial"] = given


def started(table: dict[str, Any]) -> dict[str, Any]:
    """The arguments `x0` and `v0` in place of the table `initial`."""
    initial = dict(table.pop("initial", {}))
    out = {"x0": initial.pop("displacement", 0.0), "v0": initial.pop("velocity", 0.0)}
    if initial:
        raise InputError(f"unknown key `initial.{next(iter(initial))}`; expected displacement and velocity")
    return {**table, **out}


def set_numbers(model: Any, *names: str) -> None:
    for name in names:
        set_fields(model, **{name: number(name, getattr(model, name))})


def set_signals(model: Any, *names: str) -> None:
    for name in names:
        set_fields(model, **{name: signal_or_none(name, getattr(model, name))})


def lists(model: Any, given: Given, *names: str) -> dict[str, Any]:
    found = ((n, getattr(model, n)) for n in names)
    return {n: given.tables(s) for n, s in found if s is not None}


def read_signals(table: dict[str, Any], *names: str) -> dict[str, Any]:
    return {k: from_tables(k, v) if k in names else v for k, v in table.items()}
