"""Models as FMUs, for other simulators."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path as FilePath

from ._arguments import Number, Scheme, described, flag, path_of
from ._errors import Error, InputError, MotionWarning, suggesting, warn, without_place
from ._fit import Fit
from ._load import ModelLike, model_of
from ._solve import used_settings
from ._stickslip import check_file, fmu, joint_fmu, write_file


def _libraries() -> tuple[list[str], dict[str, str]]:
    """The possible paths of the library for this platform (in the package `stickslip-fmi`, or given by an environment
    variable), and the libraries of that package for other platforms."""
    named = os.environ.get("STICKSLIP_FMI_LIBRARY")
    places = [named] if named else []
    try:
        import stickslip_fmi
    except ImportError:
        return places, {}
    own = stickslip_fmi.library
    others = {name: str(path) for name, path in stickslip_fmi.libraries.items() if path != own}
    return places + ([str(own)] if own else []), others


def _libraries_with(asked: Mapping[str, str | os.PathLike[str]] | None) -> tuple[list[str], list[tuple[str, str]]]:
    """The same, with the libraries that the caller asks for."""
    if asked is not None and not isinstance(asked, Mapping):
        raise InputError(f"`libraries` is {described(asked)}; expected a dictionary from platforms to files")
    own, others = _libraries()
    named = {name: os.path.abspath(os.fspath(where)) for name, where in (asked or {}).items()}
    return own, list({**others, **named}.items())


def _export_joint(
    fit: Fit,
    file: str | os.PathLike[str],
    fmi: int,
    libraries: Mapping[str, str | os.PathLike[str]] | None,
    overwrite: bool,
) -> None:
    if "joint" not in fit.summary["fit"]:
        raise InputError("`model` is not the fit of a servo to many logs; expected a model, or what `joint` returned")
    path = str(FilePath(path_of("file", file)))
    check_file(path, None, [], overwrite)
    own, others = _libraries_with(libraries)
    with tempfile.TemporaryDirectory() as folder:
        (FilePath(folder) / "fit.json").write_text(json.dumps(fit.summary["fit"]), encoding="utf-8")
        content, read, _ = joint_fmu(folder, fmi, others, own)
    write_file(path, content, read, overwrite)


@suggesting
def export_fmu(
    model: ModelLike | Fit,
    file: str | os.PathLike[str],
    *,
    fmi: int = 2,
    t_end: Number | None = None,
    scheme: Scheme | None = None,
    step: Number | None = None,
    libraries: Mapping[str, str | os.PathLike[str]] | None = None,
    overwrite: bool = False,
) -> None:
    """Exports a model as an FMU, for use in other simulators.

    The FMU contains the model and the library that computes its motion (see the installation page). Its inputs have the
    names of the model's signals and are added to them. Its outputs are the columns of `solve`; its parameters are the
    numbers of the model file, named by their keys.
    The FMU of a servo that was fitted by `joint` moves like `JointMotion`. It has the inputs ``goal``, ``supply`` and
    ``enabled`` and the outputs ``position`` and ``velocity``.

    Parameters
    ----------
    model : Model, path-like, mapping or Fit
        The model; or a fit by `joint`, for which `t_end`, `scheme` and `step` do not apply.
    file : path-like
        The FMU to write.
    fmi : int, optional
        Version of the FMI standard, 2 or 3.
    t_end : float, optional
        Default stop time, s; by default that of the model file.
    scheme : str, optional
        The scheme; by default that of the model file, or one that suits the model: see `solve`.
    step : float, optional
        Step of a time-stepping scheme, s.
    libraries : mapping, optional
        Libraries for further platforms, as a dictionary from platforms such as ``"x86_64-windows"`` to files. The
        libraries in the package `stickslip-fmi` are included automatically.
    overwrite : bool, optional
        Whether to replace any existing file. By default an existing file is replaced only if it is an FMU that this
        package or the program made and nobody has changed since. Symbolic links are never followed, and input files are never replaced.

    Raises
    ------
    InputError
        If the model cannot be solved or contains a Python function, or there is no library for this platform.
    FileError
        If something else exists at this path, or the file cannot be written.

    Examples
    --------
    >>> import stickslip as ss
    >>> shaw = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(1.0), drive=ss.harmonic(6.0, 0.5))
    >>> ss.export_fmu(shaw, "shaw.fmu", t_end=40)  # doctest: +SKIP
    """
    if isinstance(fmi, bool) or fmi not in (2, 3):
        raise InputError(f"`fmi` is {fmi!r}; expected 2 or 3")
    if isinstance(model, Fit):
        if not (t_end is None and scheme is None and step is None):
            raise InputError("a fitted servo moves by steps of its own: leave `t_end`, `scheme` and `step` out")
        _export_joint(model, file, int(fmi), libraries, flag("overwrite", overwrite))
        return
    made = model_of(model)
    if t_end is None and "end" not in made.run:
        raise InputError("`t_end` is missing; expected where a simulation ends by default, a number > 0 in s")
    if made.kind == "element" and not (scheme is None and step is None):
        raise InputError("an element has no motion of its own: leave `scheme` and `step` out")
    chosen = used_settings(made, t_end, scheme, step)
    if made.kind != "element":
        # Whatever is wrong is said of the arguments here, and not of a file that is made of them.
        made._problem(chosen)
    path = FilePath(path_of("file", file))
    replaces = flag("overwrite", overwrite)
    inputs = [os.path.abspath(os.fspath(model))] if isinstance(model, (str, os.PathLike)) else []
    # Before the work, and again when it is done.
    check_file(str(path), None, inputs, replaces)
    own, others = _libraries_with(libraries)
    with tempfile.TemporaryDirectory() as folder:
        text = FilePath(folder) / f"{path.stem}.toml"
        made.replace(run={**made.run, **dict(chosen)}).to_toml(text)
        try:
            content, read, warned = fmu(str(text), None, int(fmi), others, own)
        except Error as e:
            raise without_place(e, str(text)) from None
    write_file(str(path), content, inputs + read, replaces)
    warn(warned, MotionWarning)
