"""Derivatives through stick and slip: diffrax, differences, and stickslip in both modes, in one run.

    pip install diffrax target/wheels/dist/*.whl
    python benches/peers/derivatives.py

Shaw's oscillator over 28 s, and the derivatives of its last displacement and of the time of its last event with respect to mass, stiffness,
friction at rest and in slip, amplitude and frequency of the drive, and its first displacement. The truth is that of Richardson's
extrapolation of exact motions at two distances, which are compared with each other first. What is compared, each as its documentation advises:
  * events: slips and sticks are smooth equations that diffrax leaves at terminal events, found by Newton's method, one solve after the other in
    the known order; jax.grad goes through all of it (RecursiveCheckpointAdjoint);
  * tanh: friction as fd tanh(v/1e-3), by Kvaerno5 with tolerances of 1e-8, and jax.grad through it;
  * stickslip: `ss.sensitivity` and `ss.value_and_grad(method="reverse")`.
torchdiffeq is not here: PyPI has PyTorch for Linux only with CUDA's libraries.
"""

import statistics
import time

import numpy as np

import stickslip as ss

END, EPSILON = 28.0, 1e-3
KEYS = [
    "oscillator.mass",
    "oscillator.stiffness",
    "oscillator.friction.static-dynamic.static",
    "oscillator.friction.static-dynamic.dynamic",
    "oscillator.drive.0.harmonic.amplitude",
    "oscillator.drive.0.harmonic.angular_frequency",
    "oscillator.initial.displacement",
]
AT = np.array([1.05, 1.0, 1.2, 1.0, 6.0, 0.5, 6.1])


def model(p):
    m, k, fs, fd, a, w, x0 = p.tolist()
    return ss.Oscillator(mass=m, stiffness=k, friction=ss.static_dynamic(fs, fd), drive=ss.harmonic(a, w), x0=x0)


def shown(p):
    path = ss.solve(model(p), END)
    return np.array([path(np.array([END]))[0, 0], path.events["t"][-1]])


def truth():
    """By Richardson's extrapolation of central differences; and how far that at half the distance is from it."""

    def rates(h):
        columns = []
        for i in range(len(AT)):
            step = np.eye(len(AT))[i] * h * AT[i]
            near, far = shown(AT + step) - shown(AT - step), shown(AT + 2 * step) - shown(AT - 2 * step)
            columns.append((8 * near - far) / (12 * h * AT[i]))
        return np.stack(columns, axis=1)

    found = rates(2.0**-13)
    return found, np.abs(found - rates(2.0**-14)).max() / np.abs(found).max()


def by_diffrax():
    """Both of diffrax's ways: functions of the numbers, with their gradients."""
    import diffrax
    import jax
    import jax.numpy as jnp
    import optimistix

    jax.config.update("jax_enable_x64", True)
    newton = optimistix.Newton(1e-12, 1e-12)
    events = ss.solve(model(AT), END).events
    kinds = [str(k) for k in events["event"]]
    sides = np.sign([ss.solve(model(AT), END)(np.array([t + 1e-3]))[1, 0] for t in events["t"]])

    def pull(p, t, x):
        return p[1] * (p[4] * jnp.cos(p[5] * t) - x)

    def solved(motion, event, t, y, args, **more):
        control = diffrax.PIDController(rtol=1e-10, atol=1e-10, **more)
        out = diffrax.diffeqsolve(
            diffrax.ODETerm(motion), diffrax.Dopri8(), t, END, None, y, args=args, event=event,
            stepsize_controller=control, max_steps=4096, throw=False,
        )
        return out.ts[-1], out.ys[-1]

    def stick(p, t, x):
        event = diffrax.Event(lambda t, y, args, **_: jnp.abs(pull(args, t, y[0])) - args[2], newton, direction=True)
        return solved(lambda t, y, args: jnp.zeros(1), event, t, jnp.array([x]), p, dtmax=0.5)[0]

    def slip(p, t, x, side):
        motion = lambda t, y, args: jnp.array([y[1], (pull(args, t, y[0]) - side * args[3]) / args[0]])  # noqa: E731
        event = diffrax.Event(lambda t, y, args, **_: side * y[1], newton, direction=False)
        return solved(motion, event, t, jnp.array([x, 0.0]), p)

    def with_events(p):
        t, x, last = 0.0, p[6], 0.0
        if kinds[0] == "slip":
            t = last = stick(p, t, x)
        for i, kind in enumerate(kinds):
            if kind == "slip" and i > 0:
                t = last = stick(p, t, x)
            if kind == "stick":
                continue
            t, y = slip(p, t, x, float(sides[i]))
            x = y[0]
            last = t if i + 1 < len(kinds) else last
        return jnp.array([x, last])

    def with_tanh(p):
        motion = lambda t, y, args: jnp.array(  # noqa: E731
            [y[1], (pull(args, t, y[0]) - args[3] * jnp.tanh(y[1] / EPSILON)) / args[0]]
        )
        out = diffrax.diffeqsolve(
            diffrax.ODETerm(motion), diffrax.Kvaerno5(), 0.0, END, None, jnp.array([p[6], 0.0]), args=p, max_steps=100_000,
            stepsize_controller=diffrax.PIDController(rtol=1e-8, atol=1e-8),
        )
        return out.ys[-1, 0]

    both = jax.jit(jax.jacrev(with_events)), jax.jit(jax.grad(with_tanh))
    value = np.asarray(jax.jit(with_events)(jnp.array(AT)))
    at = jnp.array(AT)
    return value, lambda: np.asarray(both[0](at)), lambda: np.asarray(both[1](at))[None]


def by_stickslip():
    s = ss.sensitivity(model(AT), KEYS, END, t=[END])
    return np.stack([s.x[0], s.event_times[-1]])


def by_stickslip_back():
    found = []
    for which in ("x", "event_times"):

        def loss(out, which=which):
            rate = np.zeros(len(getattr(out, which)))
            rate[-1] = 1.0
            return getattr(out, which)[-1], {which: rate}

        found.append(ss.value_and_grad(model(AT), loss, KEYS, END, t=[END], method="reverse").grad)
    return np.stack(found)


def main():
    wanted, apart = truth()
    print(f"Shaw's oscillator, {END:.0f} s, events {ss.solve(model(AT), END).events['event'].tolist()}")
    print(f"differences at two distances agree to {apart:.0e} of the largest\n")
    value, events, tanh = by_diffrax()
    print(f"diffrax with events finds the motion: x and the time differ by {np.abs(value - shown(AT)).max():.0e}\n")
    ways = {
        "stickslip, forward": by_stickslip,
        "stickslip, reverse, both outputs": by_stickslip_back,
        "diffrax Dopri8 with events, jax.jacrev": events,
        "diffrax Kvaerno5, tanh(v/0.001), jax.grad": tanh,
    }
    print("| derivatives by | error of ∂x | error of ∂t | processor time |")
    print("|---|---|---|---|")
    for label, way in ways.items():
        found, took = way(), []
        for _ in range(5):
            start = time.process_time()
            found = way()
            took.append(time.process_time() - start)
        errors = [f"{np.abs(f - w).max() / np.abs(w).max():.0e}" for f, w in zip(found, wanted)] + ["–"] * (2 - len(found))
        print(f"| {label} | {errors[0]} | {errors[1]} | {1e3 * statistics.median(took):.2f} ms |", flush=True)


if __name__ == "__main__":
    main()
