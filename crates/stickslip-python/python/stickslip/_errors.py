"""Exceptions and warnings, and the wording of the library's messages for Python."""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from ._stickslip import plain

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

#: What the text made of a model's arguments is called: a place in it means nothing to anybody.
ARGUMENTS = "<arguments>"


class Error(Exception):
    """Base class of all errors of this package.

    Attributes
    ----------
    help : str or None
        How to fix the problem, if that is known.

    Examples
    --------
    >>> import stickslip as ss
    >>> try:
    ...     ss.Oscillator(mass=-1, stiffness=1, friction=ss.coulomb(0.4))
    ... except ss.Error as e:
    ...     print(type(e).__name__)
    InputError
    """

    help: str | None = None

    def __init__(self, *args: object) -> None:
        # Names and cells of files may hold what a terminal obeys.
        super().__init__(*(plain(arg) if isinstance(arg, str) else arg for arg in args))


class InputError(Error, ValueError):
    """Wrong input: a number out of range, an unknown key, a signal that is too short.

    Examples
    --------
    >>> import stickslip as ss
    >>> try:
    ...     ss.solve(ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.4)), -1.0)
    ... except ss.InputError as e:
    ...     print(str(e).split(";")[0])
    `t_end` is -1.0
    """


class KeywordError(InputError, TypeError):
    """A keyword argument that the function does not have.

    Examples
    --------
    >>> import stickslip as ss
    >>> try:
    ...     ss.Oscillator(mas=1)
    ... except ss.KeywordError as e:
    ...     print(e)
    Oscillator() has no argument `mas`; did you mean `mass`?
    """


class FileError(InputError, OSError):
    """A file or folder cannot be written, or holds something that this package did not write.

    Examples
    --------
    >>> import stickslip as ss
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "not-a-folder"
    >>> _ = file.write_text("")
    >>> block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), v0=2.0)
    >>> try:
    ...     ss.simulate(block, 9.0).write(file)
    ... except ss.FileError as e:
    ...     print(type(e).__name__)
    FileError
    """


class UnsolvableError(Error, RuntimeError):
    """The input is valid, but the problem cannot be solved as asked.

    Examples
    --------
    >>> import stickslip as ss
    >>> block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), v0=2.0)
    >>> block = block.replace(run={"step": 0.1})
    >>> try:  # a scheme with steps has no exact derivatives
    ...     ss.sensitivity(block, "oscillator.mass", t_end=9, scheme="implicit-euler")
    ... except ss.UnsolvableError as e:
    ...     print(type(e).__name__)
    UnsolvableError
    """


class SchemeError(UnsolvableError):
    """The scheme, its step or its tolerance does not suit the problem; another one may.

    Examples
    --------
    A friction law that depends on the velocity has no closed-form motion between events:

    >>> import stickslip as ss
    >>> mass = ss.Oscillator(mass=1, stiffness=1, friction=ss.stribeck_exponential(1.2, 1.0, 0.1), x0=5.0)
    >>> try:
    ...     ss.solve(mass, 10.0, "exact")
    ... except ss.SchemeError:
    ...     print(len(ss.solve(mass, 10.0, "adaptive").events) > 0)
    True
    """


class StickslipWarning(UserWarning):
    """Base class of all warnings of this package.

    The texts are also in the attribute ``warnings`` of the result. Warnings can be silenced or turned into errors as
    usual: ``warnings.simplefilter("error", stickslip.StickslipWarning)``.

    Examples
    --------
    >>> import stickslip as ss
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", ss.StickslipWarning)
    ...     path = ss.solve(ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(1.0), force=ss.ramp(0.1)), 20.0)
    >>> path.events["t"].round(12).tolist()
    [10.0]
    """


class MotionWarning(StickslipWarning):
    """A warning about a motion, such as a sensitive instant, a coarse step or an ensemble that drifts.

    Examples
    --------
    If a mass comes to rest where its spring pulls with exactly f_s, it may stick or slip back:

    >>> import stickslip as ss
    >>> import warnings
    >>> mass = ss.Oscillator(mass=1, stiffness=1, friction=ss.static_dynamic(7.5, 1.0), x0=11.5)
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     path = ss.solve(mass, 20.0)
    >>> any(issubclass(w.category, ss.MotionWarning) for w in told)
    True
    """


class RecordWarning(StickslipWarning):
    """A warning about a measured record or its fit.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> import warnings
    >>> hours = 3600.0 * np.arange(400)
    >>> warm = 10 + 8 * np.sin(hours / 4e4)
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     fit = ss.calibrate(hours, warm, 3e-4 * warm)
    >>> all(issubclass(w.category, ss.RecordWarning) for w in told), fit.parameters["f_s"].value
    (True, None)
    """


def warn(messages: Iterable[str], category: type[StickslipWarning]) -> None:
    """Issues each message once, as a warning that points to the line which called this package."""
    import sys
    import warnings

    level, frame = 1, sys._getframe()
    while frame is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == __package__:
        back = frame.f_back
        if back is None:
            break
        level, frame = level + 1, back
    for message in dict.fromkeys(map(plain, messages)):
        warnings.warn(message, category, stacklevel=level)


def suggestion(name: str, known: Iterable[str]) -> str:
    """``; did you mean …?`` for a name that is close to one of `known`, or nothing."""
    # Needed when something is wrong only.
    import difflib

    public = [k for k in known if not k.startswith("_")]
    near = difflib.get_close_matches(name.lower(), public, n=1, cutoff=0.6)
    return f"; did you mean `{near[0]}`?" if near else ""


def suggestion_of_path(name: str, kind: str, known: list[str]) -> str:
    """The same as `suggestion`, for a `name` that may be a key of a model file, such as
    ``oscillator.initial.velocity``."""
    parts = name.removeprefix(f"{kind}.").split(".")
    renamed = _RENAMED.get(parts[-1], "")
    return f"; did you mean `{renamed}`?" if renamed in known else suggestion(parts[0], known)


def _wrong_keywords(call: str, names: list[str], given: Iterable[str]) -> None:
    for name in given:
        if name not in names:
            error = KeywordError(f"{call} has no argument `{name}`{suggestion(name, names)}")
            error.help = f"its arguments are {', '.join(names)}"
            raise error from None


def suggesting(function: F) -> F:
    """Makes the error for a misspelt keyword suggest the right one, and accepts ``kinetic`` for ``dynamic``."""
    parameters = inspect.signature(function).parameters
    names = [n for n, p in parameters.items() if p.kind is not p.VAR_KEYWORD]
    call = f"{function.__name__}()"
    if len(names) < len(parameters):
        # It passes its keywords on.
        return function

    takes_dynamic = "dynamic" in parameters

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        if takes_dynamic and "kinetic" in kwargs:
            if "dynamic" in kwargs:
                raise KeywordError(f"{call} has `kinetic` and `dynamic`, two names of one force; keep one of them")
            kwargs["dynamic"] = kwargs.pop("kinetic")
        try:
            return function(*args, **kwargs)
        except TypeError:
            # Looked at only now: nearly every call is right, and most take a few microseconds.
            if not kwargs.keys() <= parameters.keys():
                _wrong_keywords(call, names, kwargs)
            raise

    return called  # type: ignore[return-value]


def suggesting_class(cls: type[T]) -> type[T]:
    """The same as `suggesting`, for the arguments of a class."""
    plain = cls.__init__
    names = [n for n in inspect.signature(plain).parameters if n != "self"]
    call = f"{cls.__name__}()"
    known = frozenset(names)

    @functools.wraps(plain)
    def __init__(self: T, *args: Any, **kwargs: Any) -> None:
        try:
            plain(self, *args, **kwargs)
        except TypeError:
            if not kwargs.keys() <= known:
                _wrong_keywords(call, names, kwargs)
            raise

    setattr(cls, "__init__", __init__)
    return cls


# --- The library's messages ------------------------------------------------------------------------

_KINDS: dict[str, type[Error]] = {
    "input": InputError,
    "file": FileError,
    "unsolvable": UnsolvableError,
    "scheme": SchemeError,
}

#: What the library advises, worded for Python: the name of its remedy and how to say it.
_REMEDIES: dict[str, str] = {
    "perturb": "solve again with a slightly smaller and a slightly larger force, and compare",
    "list-solutions": "stickslip.solutions(model) lists the solutions",
    "use-adaptive": 'pass scheme="adaptive"',
    "shorten-step": "pass a smaller step=",
    "tighten-tolerances": "pass smaller rtol= and atol=",
    "loosen-tolerances": "pass larger rtol= and atol=",
    "calibrate": "this is a fit file: pass it to stickslip.calibrate",
    "overwrite": "to replace it, pass overwrite=True",
    "parquet": 'or install a wheel of the package, which reads it; one from the source needs the feature "parquet"',
    "fmu-library": "install the wheel stickslip-fmi, which is built with that of this package, or pass the library of a platform as libraries=",
    "simulate": "this is a model file: pass it to stickslip.load",
}

_TOP = ("oscillator", "cascade", "network", "impact", "planar", "element", "corner", "schatzman")
_RENAMED = {"end": "t_end", "lambda": "lambda_", "displacement": "x0", "velocity": "v0"}
_PLURAL = {
    "node": "nodes",
    "spring": "springs",
    "dashpot": "dashpots",
    "slider": "sliders",
    "force": "forces",
    "motion": "motions",
}


def argument(path: str) -> str:
    """The Python argument for a key `path` of a model file, in words.

    >>> argument("oscillator.mass")
    '`mass`'
    >>> argument("oscillator.drive.0.harmonic.amplitude")
    '`amplitude` of harmonic(…) in `drive`'
    >>> argument("oscillator.initial.velocity")
    '`v0`'
    """
    parts = path.split(".")
    if parts[0] == "run" and len(parts) == 2:
        return f"`{_RENAMED.get(parts[1], parts[1])}`"
    if parts[0] not in _TOP or len(parts) < 2:
        return f"`{path}`"
    kind, rest = parts[0], parts[1:]
    if rest[0] == "initial" and len(rest) == 2:
        return f"`{_RENAMED[rest[1]]}`" if rest[1] in ("displacement", "velocity") else f"`{rest[1]}`"
    if rest[0] == "friction" and len(rest) > 1:
        return _in_law(rest[1:])
    if len(rest) == 2 and rest[1].isdigit():
        return f"`{rest[0]}[{rest[1]}]`"
    if kind == "network" and rest[0] in _PLURAL:
        return _in_network(rest)
    if len(rest) >= 3 and rest[1].isdigit():
        signal = rest[2].replace("-", "_")
        inner = f"`{rest[3]}` of " if len(rest) > 3 else ""
        return f"{inner}{signal}(…) in `{rest[0]}`"
    if len(rest) == 2:
        return f"`{_RENAMED.get(rest[1], rest[1])}` of `{rest[0]}`"
    return f"`{'.'.join(rest)}`"


def _in_law(parts: list[str]) -> str:
    sides = [p for p in parts if p in ("forward", "backward")]
    rest = [p for p in parts if p not in sides]
    side = f" ({sides[0]})" if sides else ""
    if not rest:
        return f"`friction`{side}"
    law = rest[0].replace("-", "_")
    return f"`{rest[1]}` of {law}(…){side}" if len(rest) > 1 else f"{law}(…){side}"


def _in_network(parts: list[str]) -> str:
    list_ = _PLURAL[parts[0]]
    if len(parts) == 1 or not parts[1].isdigit():
        return f"`{list_}`"
    item = f"`{list_}[{parts[1]}]`"
    if len(parts) == 2:
        return item
    name = {"displacement": "x0", "velocity": "v0"}.get(parts[2], parts[2])
    if len(parts) > 3 and not parts[-1].isdigit():
        return f"`{parts[-1]}` of {item}"
    return f"`{name}` of {item}"


_PATH = re.compile(r"`((?:run|" + "|".join(_TOP) + r")\.[\w.-]+)`")
_RUN = re.compile(r"`(run\.[\w-]+)`")
_LIST = re.compile(r"\[\[(?:" + "|".join(_TOP) + r")\.([\w-]+)\]\]")
_ADD_LINE = re.compile(r"add a line `([\w-]+) = …` here")
_SET = re.compile(r"add a line `([\w-]+) = ([^`]*)` to \[run\](?:, or give --\w+)?")
_WRITE = re.compile(r"write `([\w-]+) = ([^`]*)`, without quotes, or a number and its unit in quotes")
_CHANGE = re.compile(r"change `([\w-]+)` to")
_LAW = re.compile(r"(?<![\w.])friction\.([a-z]+(?:-[a-z]+)*)(?: = \{ ([^}]*) \})?(?![\w.])")
# What advises a command, and not what names the results of one.
_COMMAND = re.compile(r"`stickslip (\w+)`(?= (?:finds|solves|with) )")

#: Where keys stand that were given as keys, as in ``{"oscillator.mass": [1, 2]}``.
VALUES = "values given"
_UNKNOWN = re.compile(r"unknown (?:table or )?key `([\w.-]+)\.[\w-]+`; did you mean `([\w-]+)`")
_RANGE = re.compile(r"`fit\.unknown\.([\w.-]+)\.(from|to)`")


def _in_python(text: str) -> str:
    """Replaces the names of laws and commands by those of Python."""
    text = _LAW.sub(lambda m: f"{m[1].replace('-', '_')}({m[2] or '…'})", text)
    text = _COMMAND.sub(lambda m: f"`stickslip.{'solve' if m[1] == 'simulate' else m[1]}`", text)
    return text.replace("`--end`", "`t_end`")


def reworded(text: str) -> str:
    """Turns a message about the model file made from a model's arguments into one about the arguments."""
    text = _PATH.sub(lambda m: argument(m[1]), text)
    text = _LIST.sub(lambda m: f"`{m[1]}`", text)
    text = _ADD_LINE.sub(lambda m: f"pass {_RENAMED.get(m[1], m[1])}=…", text)
    text = _SET.sub(lambda m: f"pass {_RENAMED.get(m[1], m[1])}={m[2]}", text)
    text = _WRITE.sub(lambda m: f"pass a number for {m[1]}", text)
    text = text.replace("unknown key ", "unknown argument ").replace("unknown table or key ", "unknown argument ")
    return _in_python(text.replace("in this table", "here"))


def _of_keys(text: str) -> str:
    """A message about keys that the user gave as keys: they stay, and a suggestion is a key too."""
    text = _UNKNOWN.sub(lambda m: m[0].replace(f"did you mean `{m[2]}`", f"did you mean `{m[1]}.{m[2]}`"), text)
    text = _RUN.sub(lambda m: argument(m[1]), text)
    return _in_python(text.replace("in this table", "here"))


def _help_for(message: str, help: str) -> str:
    """Advice to change a key, under the first name that `message` gives it."""
    change = _CHANGE.search(help)
    first = re.search(r"`([^`]+)`", message)
    return help.replace(change[0], f"change `{first[1]}` to") if change and first else help


def error(
    kind: str,
    message: str,
    help: str | None,
    remedy: str | None,
    place: tuple[str, int, int] | None,
    names_keys: bool,
) -> Error:
    """The exception for a diagnostic of the library. `_stickslip` calls this.

    `names_keys` says that the user gave the keys in it as keys.
    """
    remedy = remedy and _REMEDIES.get(remedy, remedy)
    arguments = place is None or place[0] in (ARGUMENTS, VALUES)
    if arguments:
        in_words = _of_keys if names_keys or (place and place[0] == VALUES) else reworded
        message = in_words(_RANGE.sub(lambda m: f"`unknown['{m[1]}'][{int(m[2] == 'to')}]`", message))
        help = help and _help_for(message, in_words(help))
    elif place is not None:
        message = "{}:{}:{}: {}".format(*place, message)
        help = help and _in_python(help)
    advice = "; ".join(part for part in (help, remedy) if part)
    made = _KINDS.get(kind, Error)(f"{message}\n{advice}" if advice else message)
    made.help = plain(advice) or None
    return made


def without_place(error: Error, name: str) -> Error:
    """The error without its line number, if it is about a text with this name that was made from a model's arguments."""
    place = re.match(re.escape(name) + r":\d+:\d+: ", str(error))
    if place is None:
        return error
    made = type(error)(reworded(str(error)[place.end() :]))
    made.help = error.help and reworded(error.help)
    return made


def _renamed(text: str, name: str, own: str) -> str:
    return re.sub(rf"`{name}`|\b{name}(?==)", lambda m: m[0].replace(name, own), text)


@contextlib.contextmanager
def naming(names: Mapping[str, str]) -> Iterator[None]:
    """Makes messages use a function's own argument names where these differ from those of `solve`."""
    try:
        yield
    except Error as e:
        for name, own in names.items():
            e.args = tuple(_renamed(str(a), name, own) for a in e.args)
            e.help = e.help and _renamed(e.help, name, own)
        raise


def warning(message: str, remedy: str | None) -> str:
    """A warning of the library with its remedy in words of Python. `_stickslip` calls this."""
    advice = remedy and _REMEDIES.get(remedy, remedy)
    return f"{message}; {advice}" if advice else message
