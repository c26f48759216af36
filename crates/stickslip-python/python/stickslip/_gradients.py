"""Gradients of losses: a scalar function of a motion and its derivatives with respect to parameters of the model."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from ._arguments import Array, Number, Numbers, Scheme, choice, described, matrix, number, numbers
from ._errors import InputError, MotionWarning, suggesting, warn
from ._executors import key_of, values_of
from ._load import ModelLike, model_of
from ._model import Model
from ._network import Network
from ._path import Path
from ._sensitivity import Doubt, Sensitivity, sensitivity
from ._signals import SAMPLES, Samples, Signal, signal
from ._solve import used_settings
from ._stickslip import gradient as gradient_

#: Up to so many unknowns forward mode costs no more.
FEW = 8
#: The signals of models of one mass of which samples may be unknowns.
_SIGNALS = {"oscillator": ("drive", "force", "support", "normal"), "cascade": ("force",), "impact": ("force",)}
#: Where samples of a network may be.
_OF_NETWORKS = re.compile(r"network\.(?:force|slider\.(\d+)\.(normal|support)|controller\.(\d+)\.(reference))\.(\d+)\.sampled")


class Outputs(NamedTuple):
    """The motion that a loss function receives.

    Attributes
    ----------
    t : numpy.ndarray, shape (T,)
        Times, s.
    x, v : numpy.ndarray, shape (T,) or (nodes, T)
        Displacement (m) and velocity (m/s) at these times; for a network one row per node.
    event_times : numpy.ndarray, shape (n,)
        Times of the events, s.

    Examples
    --------
    A loss function receives the outputs. It returns its value, and its derivatives with respect to the outputs that it
    uses:

    >>> import stickslip as ss
    >>> block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), v0=2.0)
    >>> def late(out):
    ...     return out.event_times[0], {"event_times": [1.0]}
    >>> found = ss.value_and_grad(block, late, "oscillator.initial.velocity", t_end=9, t=[9.0])
    >>> round(found.value, 12), found.grad.round(12).tolist()
    (4.0, [2.0])
    """

    t: Array
    x: Array
    v: Array
    event_times: Array


class Gradient(NamedTuple):
    """A loss and its gradient, as returned by `value_and_grad`.

    Attributes
    ----------
    value : float
        The loss.
    grad : numpy.ndarray, shape (k,)
        Derivatives of the loss with respect to the parameters in the order of `wrt`, and to each value of samples; NaN
        where there is none.
    doubtful : tuple of Doubt
        Instants at which the motion is not differentiable.
    sensitivity : Sensitivity or None
        The derivatives of the motion; None in reverse mode, which does not need them.
    wrt : tuple of str
        The keys of the parameters. ``found.of(key)`` is the derivative with respect to one of them; an array for
        samples.
    sizes : tuple of int
        The number of values at each key.

    Examples
    --------
    >>> import stickslip as ss
    >>> block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), v0=2.0)
    >>> def end(out):
    ...     return out.x[-1], {"x": [1.0]}
    >>> found = ss.value_and_grad(block, end, ["oscillator.mass", "oscillator.initial.velocity"], t_end=9, t=[9.0])
    >>> round(float(found.of("oscillator.initial.velocity")), 12), found.doubtful
    (4.0, ())
    """

    value: float
    grad: Array
    doubtful: tuple[Doubt, ...]
    sensitivity: Sensitivity | None
    wrt: tuple[str, ...]
    sizes: tuple[int, ...]

    def of(self, key: str) -> Any:
        """The derivative with respect to one of the keys.

        Examples
        --------
        >>> import stickslip as ss
        >>> block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), v0=2.0)
        >>> def end(out):
        ...     return out.x[-1], {"x": [1.0]}
        >>> found = ss.value_and_grad(block, end, ["oscillator.mass"], t_end=9, t=[9.0])
        >>> round(found.of("oscillator.mass"), 12)  # x = m v²/2f
        4.0
        """
        if key not in self.wrt:
            raise InputError(f"`{key}` is not in `wrt`: {', '.join(self.wrt)}")
        i = self.wrt.index(key)
        first = sum(self.sizes[:i])
        found = self.grad[first : first + self.sizes[i]]
        return found if key.endswith(".sampled") else float(found[0])


class Unknowns:
    """What derivatives are taken with respect to: parameters of a model and values of samples."""

    def __init__(self, model: Model, wrt: Sequence[str] | str) -> None:
        if isinstance(wrt, str):
            wrt = [wrt]
        if not isinstance(wrt, Sequence) or not wrt:
            raise InputError(f"`wrt` is {described(wrt)}; expected a list of keys, such as [\"{model.kind}.mass\"]")
        self.wrt = tuple(key if _is_sampled(key) else key_of("wrt", model, key) for key in wrt)
        located = {key: _samples(model, key) for key in self.wrt if _is_sampled(key)}
        self.samples = {key: found for key, (_, found) in located.items()}
        self.places = {key: place for key, (place, _) in located.items()}
        self.keys = [key for key in self.wrt if key not in self.samples]
        self.sizes = tuple(len(self.samples[key].time) if key in self.samples else 1 for key in self.wrt)

    def joined(self, of_numbers: Array, of_samples: Sequence[Array]) -> Array:
        """The derivatives in the order of the keys."""
        plain, lists = iter(of_numbers.tolist()), iter(of_samples)
        return np.concatenate([next(lists) if key in self.samples else [next(plain)] for key in self.wrt])

    def parted(self, values: Array) -> tuple[dict[str, float], dict[str, Array]]:
        """Parameters and samples by their keys, from one array with all of them."""
        ends = np.cumsum(self.sizes)
        rows = {key: values[end - size : end] for key, end, size in zip(self.wrt, ends, self.sizes)}
        plain = {key: float(row[0]) for key, row in rows.items() if key not in self.samples}
        return plain, {key: rows[key] for key in self.samples}

    def model(self, model: Model, samples: Mapping[str, Array]) -> Model:
        """The model with other values of its samples."""
        for key, values in samples.items():
            place, own = self.places[key], self.samples[key]
            held = place.signal(model)
            terms = list(held.terms)
            terms[place.term] = (SAMPLES, Samples(own.time, np.array(values), own.hold))
            model = place.put(model, Signal(*terms))
        return model

    def back(
        self, model: Model, values: dict[str, Any], solution: Any, looked: tuple[Array, Array, Array, Array]
    ) -> tuple[Array, list[str], tuple[Doubt, ...]]:
        """The gradient in reverse mode, for a loss with these derivatives with respect to x and v (at the times, one
        row per node of a network) and to the event times."""
        places = ((self.places[key], own) for key, own in self.samples.items())
        asked = [(place.inlet(model), place.at, own.time, own.hold == "zero") for place, own in places]
        t, x, v, of_events = looked
        # The nodes at one time are next to each other there.
        x, v = (np.ascontiguousarray(of.T).ravel() for of in (x, v))
        found, lists, sides, doubts = gradient_(model._checked, values, solution, self.keys, asked, [t, x, v], of_events)
        return self.joined(found, lists), sides, tuple(Doubt(*d) for d in doubts)


class _Place(NamedTuple):
    """Where samples are: term number `term` of the signal with this name, of one mass or of a part of a network: the
    force on a node, the normal force of a slider or the velocity of the surface under it, or the reference of a
    controller. A part has a number."""

    part: str | None
    at: int
    name: str
    term: int

    def signal(self, model: Any) -> Signal:
        if self.part == "node":
            return signal("force", model.forces[model.nodes[self.at].name])
        if self.part == "controller":
            found: Signal = model.controllers[self.at].signals[self.name]
        elif self.part == "slider":
            found = getattr(model.sliders[self.at], self.name)
        else:
            found = getattr(model, self.name)
        return found

    def put(self, model: Any, by: Signal) -> Any:
        if self.part == "node":
            return model.replace(forces={**model.forces, model.nodes[self.at].name: by})
        if self.part is None:
            return model.replace(**{self.name: by})
        parts = list(model.controllers if self.part == "controller" else model.sliders)
        own = parts[self.at]
        changed = {"signals": {**own.signals, self.name: by}} if self.part == "controller" else {self.name: by}
        parts[self.at] = dataclasses.replace(own, **changed)
        return model.replace(**{f"{self.part}s": parts})

    def inlet(self, model: Any) -> str:
        """What the core calls the signal."""
        if self.part == "controller":
            return f"controller.{model.controllers[self.at].keys.get('quantity', 'displacement')}"
        return self.name if self.part is None else "node" if self.part == "node" else f"slider.{self.name}"


def _is_sampled(key: object) -> bool:
    return isinstance(key, str) and key.endswith(".sampled")


def _place(model: Model, key: str) -> _Place | None:
    """The place of a key such as ``oscillator.force.0.sampled``, if the model has it."""
    if isinstance(model, Network):
        found = _OF_NETWORKS.fullmatch(key)
        return None if found is None else _of_network(model, found)
    parts = key.split(".")
    if len(parts) != 4 or parts[0] != model.kind or parts[1] not in _SIGNALS.get(model.kind, ()) or not parts[2].isdigit():
        return None
    own = getattr(model, parts[1])
    return _Place(None, 0, parts[1], int(parts[2])) if own is not None and int(parts[2]) < len(own.terms) else None


def _of_network(model: Network, found: re.Match[str]) -> _Place | None:
    slider, of_slider, controller, of_controller, term = found.groups()
    own: Signal | None = None
    if slider is not None and int(slider) < len(model.sliders):
        own, place = getattr(model.sliders[int(slider)], of_slider), _Place("slider", int(slider), of_slider, int(term))
    elif controller is not None and int(controller) < len(model.controllers):
        own = model.controllers[int(controller)].signals.get(of_controller)
        place = _Place("controller", int(controller), of_controller, int(term))
    if slider is not None or controller is not None:
        return place if own is not None and place.term < len(own.terms) else None
    names, force = [node.name for node in model.nodes], int(term)
    # A model file lists all terms of all forces in one array.
    for name, on in model.forces.items():
        count = len(signal("force", on).terms)
        if force < count:
            return _Place("node", names.index(name), "force", force)
        force -= count
    return None


def _samples(model: Model, key: str) -> tuple[_Place, Samples]:
    """The samples at a key, and where they are."""
    place = _place(model, key)
    if place is None:
        raise InputError(
            f"`wrt` names `{key}`, which are no samples of this model; expected samples of an Oscillator, as in "
            '"oscillator.force.0.sampled", of a Network, as in "network.force.0.sampled", "network.slider.0.normal.0.sampled" or '
            '"network.controller.0.reference.0.sampled", or of the force of a Cascade or an Impact, as in "cascade.force.0.sampled"'
        )
    kind, found = place.signal(model).terms[place.term]
    if kind != SAMPLES:
        raise InputError(f"`{key}` is not held in memory; expected samples that were given as ss.sampled(times, values)")
    return place, found


@suggesting
def value_and_grad(
    model: ModelLike,
    loss: Callable[[Outputs], tuple[Number, Mapping[str, Any]]],
    wrt: Sequence[str] | str,
    t_end: Number | None = None,
    scheme: Scheme | None = None,
    *,
    t: Numbers | None = None,
    rtol: Number | None = None,
    atol: Number | None = None,
    method: Literal["forward", "reverse"] | None = None,
) -> Gradient:
    """A loss of a motion, and its gradient with respect to parameters of the model and to the values of sampled
    signals.

    Parameters
    ----------
    model : Oscillator, Cascade, Network or Impact
        The model.
    loss : callable
        A function of `Outputs` that returns the loss and a dictionary of its derivatives with respect to ``x``, ``v``
        and ``event_times``. Derivatives that the dictionary does not contain are taken as zero.
    wrt : str or sequence of str
        Keys of parameters, as for `sensitivity`. The key of samples that a model holds in memory stands for all their
        values: any signal of an `Oscillator`, such as ``"oscillator.force.0.sampled"``, of a `Network` the forces on
        nodes, the normal forces of sliders, the velocities of the surfaces under them and the references of
        controllers, such as ``"network.force.0.sampled"``, ``"network.slider.0.normal.0.sampled"`` and
        ``"network.controller.0.reference.0.sampled"``, and the force of a `Cascade` or an `Impact`.
    t_end, scheme, t, rtol, atol
        As for `sensitivity`.
    method : {"forward", "reverse"}, optional
        Forward mode follows the derivatives with respect to each parameter along the motion. Reverse mode goes back
        along the motion once, for any number of samples and of parameters; only the parameters of a network that has
        parts beside springs, dashpots and sliders, or is not solved by ``exact``, cost as much as in forward mode.
        Reverse mode exists where `sensitivity` needs no finite differences. By default it is used for samples, and for
        more than 8 parameters of an `Oscillator`.

    Returns
    -------
    Gradient

    Raises
    ------
    InputError
        If the loss returns something else, or an array of the wrong shape; also the errors of `sensitivity`.

    Examples
    --------
    By how much a block misses a target at 0.3 m, and how its speed changes that. It slides x = v₀²/(2 μ g) = 0.408 m,
    so ∂x/∂v₀ = v₀/(μ g):

    >>> import stickslip as ss
    >>> block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), normal=9.81, v0=2.0)
    >>> def miss(out):
    ...     return 0.5 * (out.x[-1] - 0.3) ** 2, {"x": [out.x[-1] - 0.3]}
    >>> found = ss.value_and_grad(block, miss, "oscillator.initial.velocity", t_end=2, t=[2.0])
    >>> round(found.value, 6), found.grad.round(6)
    (0.005805, array([0.043934]))

    The influence of each sample of a force on x(2). Without friction, x(2) = ∫ (2 − t) F(t) dt:

    >>> pulled = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0), force=ss.sampled([0, 1, 2], [1.0, 2.0, 3.0]), v0=1.0)
    >>> reach = ss.value_and_grad(pulled, lambda out: (out.x[0], {"x": [1.0]}), "oscillator.force.0.sampled", t_end=2, t=[2.0])
    >>> reach.grad.round(6)
    array([0.833333, 1.      , 0.166667])
    """
    model = model_of(model)
    if not callable(loss):
        raise InputError(f"`loss` is {described(loss)}; expected a function of the outputs")
    unknowns = Unknowns(model, wrt)
    many = bool(unknowns.samples) or (model.kind == "oscillator" and len(unknowns.keys) > FEW)
    chosen = ("reverse" if many else "forward") if method is None else choice("method", method, ("forward", "reverse"))
    if chosen == "reverse":
        return _reverse(model, loss, unknowns, used_settings(model, t_end, scheme, None, rtol, atol), t)
    if unknowns.samples:
        raise InputError("`method` is \"forward\" and `wrt` names samples, whose derivatives are found in reverse mode only")
    s = sensitivity(model, wrt, t_end, scheme, t=t, rtol=rtol, atol=atol)
    x, v = states_at(s.path, s.t)
    value, rates = _looked(loss, Outputs(s.t, x, v, np.asarray(s.events["t"])))
    # Nodes first, as in the outputs.
    tables = {"x": np.swapaxes(s.x, 0, -2), "v": np.swapaxes(s.v, 0, -2), "event_times": s.event_times}
    grad = np.zeros(len(s.wrt))
    for name, row in rates.items():
        # What does not enter the loss does not matter: 0 · NaN is left out.
        used = row != 0.0
        grad += row[used] @ tables[name][used]
    return Gradient(value, grad, s.doubtful, s, s.wrt, unknowns.sizes)


def states_at(path: Path, times: Array) -> Array:
    """Displacements and velocities of a path, as two rows, or of a network as two tables with one row per node."""
    both = path(times)
    return both.reshape(2, -1, len(times)) if path._model.kind == "network" else both


def _looked(loss: Callable[[Outputs], Any], out: Outputs) -> tuple[float, dict[str, Array]]:
    """The loss and its derivatives with respect to the outputs."""
    returned = loss(out)
    if not (isinstance(returned, tuple) and len(returned) == 2 and isinstance(returned[1], Mapping)):
        raise InputError(f"`loss` returned {described(returned)}; expected the loss and a dictionary of its derivatives")
    shapes = {"x": out.x.shape, "v": out.v.shape, "event_times": out.event_times.shape}
    rates: dict[str, Array] = {}
    for name, rate in returned[1].items():
        if name not in shapes:
            raise InputError(f"`loss` returned a derivative with respect to {described(name)}; expected {', '.join(shapes)}")
        rates[name] = np.ascontiguousarray(matrix(f"the derivative with respect to {name}", rate))
        if rates[name].shape != shapes[name]:
            raise InputError(f"the derivative of the loss with respect to {name} has the shape {rates[name].shape}; expected {shapes[name]}")
    return number("the loss", returned[0]), rates


def _reverse(
    model: Model,
    loss: Callable[[Outputs], Any],
    unknowns: Unknowns,
    chosen: tuple[tuple[str, Any], ...],
    t: Numbers | None,
) -> Gradient:
    path = Path(model, chosen, model._problem(chosen).solve())
    times = np.asarray(path.t) if t is None else numbers("t", t, 1)
    x, v = states_at(path, times)
    value, rates = _looked(loss, Outputs(times, x, v, np.asarray(path.events["t"])))
    none = np.zeros(x.shape)
    looked = (np.ascontiguousarray(times), rates.get("x", none), rates.get("v", none), rates.get("event_times", np.zeros(0)))
    grad, _, doubtful = unknowns.back(model, values_of(chosen), path._solved(), looked)
    if doubtful:
        warn([f"the motion has no derivative at {len(doubtful)} instants; the first: {doubtful[0].why}"], MotionWarning)
    return Gradient(value, grad, doubtful, None, unknowns.wrt, unknowns.sizes)
