"""diffrax: `Event` with a root finder for the phases of one mass; a stochastic equation by Euler's scheme."""

from __future__ import annotations

import math

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
import optimistix

import cases
from automaton import Rows, oscillator
from cases import Unsupported

PACKAGES = ["diffrax", "jax"]
jax.config.update("jax_enable_x64", True)
MOST_HARMONICS = 2
MOST_TIMES = 64


def wave(p, t):
    return p[0] + p[1] * t + sum(p[2 + 3 * i] * jnp.cos(p[3 + 3 * i] * t + p[4 + 3 * i]) for i in range(MOST_HARMONICS))


def padded(signal):
    p = [signal.offset + signal.held, signal.rate]
    for i in range(MOST_HARMONICS):
        p += signal.harmonics[i] if i < len(signal.harmonics) else (0.0, 1.0, 0.0)
    return jnp.array(p)


def load(t, x, v, a):
    z = wave(a["drive"], t) - x
    return a["k"][0] * z + a["k"][1] * z**2 + a["k"][2] * z**3 - a["c"] * v + wave(a["force"], t)


def friction(speed, t, a):
    """A constant, or one of two formulas: numbers that are not needed are zero."""
    speed = jnp.maximum(speed, 0.0)
    l = a["law"]
    peak = l[1] * jnp.exp(-((speed / l[2]) ** l[3])) + l[4] * speed
    return wave(a["normal"], t) * (l[0] / (l[5] * speed**3 + l[6] * speed**2 + l[7] * speed + 1.0) + peak)


def slipping(t, y, a):
    w = a["sign"] * (y[1] - wave(a["support"], t))
    return jnp.array([y[1], (load(t, y[0], y[1], a) - a["sign"] * friction(w, t, a)) / a["m"]])


def turns(t, y, args, **_):
    # Past the start, where the velocity is zero too.
    return jnp.where(t > args["start"], args["sign"] * (y[1] - wave(args["support"], t)), 1e-300)


def sticking(t, y, a):
    return jnp.array([wave(a["support"], t), 0.0])


def needed(t, y, a):
    acceleration = jax.grad(wave, 1)(a["support"], t)
    return load(t, y[0], wave(a["support"], t), a) - a["m"] * acceleration


def exceeds(sign):
    return lambda t, y, args, **_: wave(args["normal"], t) * args["limits"][0 if sign > 0 else 1] - sign * needed(t, y, args)


def solver(field, conditions, rtol):
    event = diffrax.Event(conditions, optimistix.Newton(1e-13, 1e-13, optimistix.rms_norm), direction=[False] * len(conditions))
    step = lambda a: diffrax.PIDController(rtol=rtol, atol=rtol * 1e-2, dtmax=a["most"])

    def solve(t0, t1, y, a, times):
        save = diffrax.SaveAt(subs=[diffrax.SubSaveAt(t1=True), diffrax.SubSaveAt(ts=times)])
        return diffrax.diffeqsolve(
            diffrax.ODETerm(field), diffrax.Dopri8(), t0, t1, None, y, a, event=event, stepsize_controller=step(a),
            max_steps=65536, saveat=save)

    return jax.jit(solve)


def with_events(rtol, share):
    solvers = {"slip": solver(slipping, [turns], rtol), "stick": solver(sticking, [exceeds(1.0), exceeds(-1.0)], rtol)}

    def run(case):
        if case.kind != "oscillator":
            raise Unsupported("each new set of phases would be compiled anew; the automaton here is that of one mass")
        if case.white:
            return noise(case)
        if case.stops or case.forward.kind == "ageing":
            raise Unsupported("stops and ageing are not part of the automaton here")
        rows = Rows()
        oscillator(case, advance_with(case, solvers, share), rows)
        return rows

    return run


def numbers(case, sign, share):
    law = case.law(sign or 1.0)
    p = law.p
    if law.kind == "stribeck":
        own = [p["d"], 0.0, 1.0, 1.0, 0.0, p["a"], p["b"], p["c"]]
    elif law.kind == "stribeck-exponential":
        own = [p["dynamic"], p["static"] - p["dynamic"], p["velocity"], p["exponent"], p["viscous"], 0.0, 0.0, 0.0]
    else:
        own = [law.dynamic, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    k = jnp.array((case.polynomial + [0.0, 0.0])[:3])
    signals = {n: padded(getattr(case, n)) for n in ("drive", "force", "support", "normal")}
    limits = jnp.array([case.forward.static, case.backward.static])
    return signals | {"m": case.m, "c": case.c, "k": k, "law": jnp.array(own), "limits": limits, "sign": sign, "most": share * case.end}


def advance_with(case, solvers, share):
    """The automaton's integrator: one coordinate is a stick, two are a slip in the direction in which w may not fall."""

    def advance(f, t, y, until, events, wanted, first):
        assert len(wanted) <= MOST_TIMES
        sticks = len(y) == 1
        sign = 0.0 if sticks else float(-events[0][1])
        a = numbers(case, sign, share) | {"start": t}
        y = jnp.array([y[0], 0.0] if sticks else y)
        # As many instants in every phase, so that nothing is compiled anew.
        times = np.full(MOST_TIMES, until)
        times[: len(wanted)] = wanted
        out = solvers["stick" if sticks else "slip"](t, until, y, a, times)
        (last,), states = (np.asarray(p) for p in out.ys)
        end, mask = float(out.ts[0][-1]), [bool(m) for m in out.event_mask]
        found = mask.index(True) if any(mask) else None
        here = [s for s in wanted if s < end or (s == end and found is None)]
        read = lambda z: [float(z[0])] if sticks else [float(z[0]), float(z[1])]
        return end, read(last), [(s, read(z)) for s, z in zip(here, states)], found

    return advance


def noise(case, paths=20_000, steps=2_000):
    """Euler's scheme with the sign of the velocity, as the documentation integrates stochastic equations."""
    size = case.force.white
    drift = diffrax.ODETerm(lambda t, v, a: -case.forward.dynamic * jnp.sign(v) / case.m)

    def path(key):
        motion = diffrax.UnsafeBrownianPath(shape=(), key=key)
        terms = diffrax.MultiTerm(drift, diffrax.ControlTerm(lambda t, v, a: jnp.asarray(size / case.m), motion))
        return diffrax.diffeqsolve(terms, diffrax.Euler(), 0.0, case.end, case.end / steps, 0.0, max_steps=steps + 1,
                                   adjoint=diffrax.ForwardMode(), saveat=diffrax.SaveAt(t1=True)).ys[-1]

    v = jax.jit(jax.vmap(path))(jax.random.split(jax.random.PRNGKey(1), paths))
    return [("sample", case.end, "", math.nan, float(a)) for a in v]


SETTINGS = [with_events(1e-11, 1 / 200), with_events(1e-13, 1 / 5000)]
PEERS = {"diffrax Dopri8, events": (True, SETTINGS)}


def prepare():
    """Compiles, which is not counted: a case with a stick and a slip."""
    for run in SETTINGS:
        run(cases.load("free-slide"))
