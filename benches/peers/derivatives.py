"""Derivatives through stick and slip: others and stickslip on certified numbers of the reference set, in one run.

    pip install scipy diffrax mujoco-mjx torchdiffeq target/wheels/dist/*.whl
    python benches/peers/derivatives.py

`shaw`: ten events in 40 s; derivatives of the times of all events and of the last displacement with respect to the numbers of the model file. `free-decay`:
derivatives of the displacement after 12.5 s, where friction is one force, which is what MuJoCo has. The truth is that of `reference/NAME/certified.json`, twenty
digits by a program that shares nothing with any of these. An error is relative to the largest derivative of its kind with respect to the same number, and the largest
error counts. What cannot be imported is left out. Each as its documentation advises:
  * diffrax: slips and sticks are smooth equations that end at events found by Newton's method, one solve after the other in the known order, `jax.jacrev` through all of it
    (RecursiveCheckpointAdjoint); and friction as fd tanh(v/1e-3) by Kvaerno5;
  * torchdiffeq: the same chain by `odeint_event` (dopri8), the numbers being part of the state, as in its example of a bouncing ball, so that events may depend on them;
  * SciPy: central differences of motions by DOP853 with events, each number moved by 1e-5 of itself;
  * MJX: a slide joint with `frictionloss`, steps of 2 ms, `jax.jacfwd`;
  * stickslip: `ss.sensitivity`, and `ss.value_and_grad(method="reverse")` for each output.
"""

import json
import pathlib
import time

import numpy as np
from scipy.integrate import solve_ivp

import stickslip as ss

REFERENCE = pathlib.Path(__file__).resolve().parents[2] / "reference"
EPSILON = 1e-3


def certified(name):
    case = json.loads((REFERENCE / name / "certified.json").read_text())
    return case, case["derivatives"]


SHAW, RATES = certified("shaw")
KEYS = [
    "oscillator.mass",
    "oscillator.stiffness",
    "oscillator.friction.static-dynamic.static",
    "oscillator.friction.static-dynamic.dynamic",
    "oscillator.drive.0.harmonic.amplitude",
    "oscillator.drive.0.harmonic.angular_frequency",
    "oscillator.drive.0.harmonic.phase",
    "oscillator.initial.displacement",
]
AT = np.array([1.0, 1.0, 1.2, 1.0, 6.0, 0.5, 0.0, 6.0])
END = 40.0
KINDS = [e["event"] for e in SHAW["events"]]


def numbers(table, keys):
    columns = [RATES["wrt"].index(key) for key in keys]
    return np.array([[float(row[c]) for c in columns] for row in table])


#: Derivatives of the times, and of the last displacement.
TIMES = numbers(RATES["event_times"], KEYS)
STATES = numbers([s["x"] for s in RATES["states"]], KEYS)
TRUTH = np.vstack([TIMES, STATES[-1:]])
#: The largest of each kind with respect to each number.
SCALE = np.vstack([np.abs(TIMES).max(axis=0)] * len(TIMES) + [np.abs(STATES).max(axis=0)])


def sides():
    """Which way each event leads: the sign of the velocity after it, 0 in a stick."""
    x = [float(e["x"]) for e in SHAW["events"]]
    out, side = [], 0
    for i, kind in enumerate(KINDS):
        if kind == "stick":
            side = 0
        elif kind == "reversal":
            side = -side
        else:
            after = x[i + 1] if i + 1 < len(x) else -np.inf
            side = 1 if after > x[i] else -1
        out.append(side)
    return out


SIDES = sides()


def pull(cos, p, t, x):
    return p[1] * (p[4] * cos(p[5] * t + p[6]) - x)


def by_scipy(p, rtol=1e-11):
    """Times of the events and the last displacement, in the known order."""
    t, x, v, side, out = 0.0, p[7], 0.0, 0, []
    options = {"method": "DOP853", "rtol": rtol, "atol": 1e-2 * rtol}
    for after in [*SIDES, None]:
        if side == 0:
            reach = lambda t, y, s=after: s * pull(np.cos, p, t, y[0]) - p[2]  # noqa: E731
            motion, event, start = (lambda t, y: [0.0]), reach, [x]
            event.direction, more = 1, {"max_step": 0.5}
        else:
            motion = lambda t, y, s=side: [y[1], (pull(np.cos, p, t, y[0]) - s * p[3]) / p[0]]  # noqa: E731
            event = lambda t, y, s=side: s * y[1]  # noqa: E731
            event.direction, more, start = -1, {"first_step": 1e-4}, [x, 0.0]
        event.terminal = after is not None
        found = solve_ivp(motion, (t, END), start, events=event if after is not None else None, **options, **more)
        t, x = found.t[-1], found.y[0, -1]
        if after is None:
            return np.array([*out, x])
        side = after
        out.append(t)


def differences():
    columns = []
    for i, value in enumerate(AT):
        h = 1e-5 * (abs(value) or 1.0)
        columns.append((by_scipy(AT + h * np.eye(len(AT))[i]) - by_scipy(AT - h * np.eye(len(AT))[i])) / (2 * h))
    return np.stack(columns, axis=1)


def by_diffrax():
    import diffrax
    import jax
    import jax.numpy as jnp
    import optimistix

    jax.config.update("jax_enable_x64", True)
    newton = optimistix.Newton(1e-12, 1e-12)

    def solved(motion, event, t, y, args, **more):
        control = diffrax.PIDController(rtol=1e-10, atol=1e-10, **more)
        out = diffrax.diffeqsolve(
            diffrax.ODETerm(motion), diffrax.Dopri8(), t, END, None, y, args=args, event=event, stepsize_controller=control, max_steps=4096, throw=False
        )
        return out.ts[-1], out.ys[-1]

    def with_events(p):
        t, x, side, out = 0.0, p[7], 0, []
        for after in [*SIDES, None]:
            if side == 0:
                event = diffrax.Event(lambda t, y, args, s=after, **_: s * pull(jnp.cos, args, t, y[0]) - args[2], newton, direction=True)
                t, _ = solved(lambda t, y, args: jnp.zeros(1), event, t, jnp.array([x]), p, dtmax=0.5)
            else:
                motion = lambda t, y, args, s=side: jnp.array([y[1], (pull(jnp.cos, args, t, y[0]) - s * args[3]) / args[0]])  # noqa: E731
                event = None if after is None else diffrax.Event(lambda t, y, args, s=side, **_: s * y[1], newton, direction=False)
                t, y = solved(motion, event, t, jnp.array([x, 0.0]), p)
                x = y[0]
            side = after
            out.append(t)
        return jnp.array([*out[:-1], x])

    def with_tanh(p):
        motion = lambda t, y, args: jnp.array([y[1], (pull(jnp.cos, args, t, y[0]) - args[3] * jnp.tanh(y[1] / EPSILON)) / args[0]])  # noqa: E731
        out = diffrax.diffeqsolve(
            diffrax.ODETerm(motion), diffrax.Kvaerno5(), 0.0, END, None, jnp.array([p[7], 0.0]), args=p, max_steps=100_000,
            stepsize_controller=diffrax.PIDController(rtol=1e-8, atol=1e-8),
        )
        return out.ys[-1, 0]

    at = jnp.array(AT)
    events, tanh = jax.jit(jax.jacrev(with_events)), jax.jit(jax.grad(with_tanh))
    yield f"diffrax {diffrax.__version__} Dopri8 with events, jax.jacrev", lambda: np.asarray(events(at))
    yield f"diffrax {diffrax.__version__} Kvaerno5, tanh(v/0.001), jax.grad", lambda: np.asarray(tanh(at))[None]


def by_torchdiffeq():
    import torch
    from torchdiffeq import odeint, odeint_event

    options = {"method": "dopri8", "rtol": 1e-10, "atol": 1e-10}

    def slip(side):
        def motion(t, y):
            a = (pull(torch.cos, y[2:], t, y[0]) - side * y[5]) / y[2]
            return torch.cat([y[1:2], a[None], torch.zeros(len(AT), dtype=y.dtype)])

        return motion

    def jacobian():
        p = torch.tensor(AT, requires_grad=True)
        t, x, side, out = torch.tensor(0.0, dtype=torch.float64), p[7], 0, []
        for after in [*SIDES, None]:
            y = torch.cat([x[None], torch.zeros(1, dtype=torch.float64), p])
            if after is None:
                x = odeint(slip(side), y, torch.stack([t, torch.tensor(END, dtype=torch.float64)]), **options)[-1, 0]
                break
            if side == 0:
                motion, event = (lambda t, y: torch.zeros_like(y)), (lambda t, y, s=after: s * pull(torch.cos, y[2:], t, y[0]) - y[4])
                more = {"options": {"max_step": 0.5}}
            else:
                # The velocity is zero at the start, which is no event yet: the slip is followed past it first.
                motion, more = slip(side), {}
                event = lambda t, y, s=side: y[1] * s  # noqa: E731
                later = t + 0.05
                y = odeint(motion, y, torch.stack([t, later]), **options)[-1]
                t = later
            t, ys = odeint_event(motion, y, t, event_fn=event, odeint_interface=odeint, **options, **more)
            x, side = ys[-1, 0], after
            out.append(t)
        rows = [torch.autograd.grad(one, p, retain_graph=True)[0] for one in [*out, x]]
        return torch.stack(rows).numpy()

    import torchdiffeq

    yield f"torchdiffeq {torchdiffeq.__version__} dopri8 with events, backward", jacobian


def by_stickslip():
    law = ss.static_dynamic(1.2, 1.0)
    model = ss.Oscillator(mass=1, stiffness=1, friction=law, drive=ss.harmonic(6.0, 0.5), x0=6.0)

    def forward():
        s = ss.sensitivity(model, KEYS, END, t=[END])
        return np.vstack([s.event_times, s.x])

    def reverse():
        found = []
        for which, place in [("event_times", i) for i in range(len(KINDS))] + [("x", 0)]:

            def loss(out, which=which, place=place):
                rate = np.zeros(len(getattr(out, which)))
                rate[place] = 1.0
                return getattr(out, which)[place], {which: rate}

            found.append(ss.value_and_grad(model, loss, KEYS, END, t=[END], method="reverse").grad)
        return np.array(found)

    yield "stickslip, forward", forward
    yield f"stickslip, reverse, {len(TRUTH)} outputs one by one", reverse


def shown(label, way, runs=3):
    try:
        found = way()
    except Exception as why:  # noqa: BLE001 - a peer that fails is a result too
        print(f"| {label} | failed: {type(why).__name__}: {str(why).splitlines()[0][:80]} | | |", flush=True)
        return
    took = []
    for _ in range(runs):
        start = time.process_time()
        found = way()
        took.append(time.process_time() - start)
    if len(found) == 1:  # only the last displacement
        errors = ["–", f"{(np.abs(found - TRUTH[-1:]) / SCALE[-1:]).max():.0e}"]
    else:
        off = np.abs(found - TRUTH) / SCALE
        errors = [f"{off[:-1].max():.0e}", f"{off[-1].max():.0e}"]
    print(f"| {label} | {errors[0]} | {errors[1]} | {1e3 * min(took):.2f} ms |", flush=True)


def decay():
    """One friction force: MuJoCo's."""
    case, rates = certified("free-decay")
    keys = ["oscillator.mass", "oscillator.stiffness", "oscillator.friction.coulomb.force", "oscillator.initial.displacement"]
    right = np.array([float(rates["states"][0]["x"][rates["wrt"].index(k)]) for k in keys])
    t = float(rates["states"][0]["t"])
    print(f"\n`free-decay`, displacement after {t} s: ∂x/∂m, ∂x/∂K, ∂x/∂f, ∂x/∂x₀\n")
    print("| derivatives by | | | | |\n|---|---|---|---|---|")
    row = lambda label, values: print("| " + " | ".join([label, *(f"{a:.6g}" for a in values)]) + " |", flush=True)  # noqa: E731
    row("certified", right)
    row("stickslip", ss.sensitivity(ss.load(str(REFERENCE / "free-decay" / "model.toml")), keys, t=[t]).x[0])
    try:
        import jax
        import jax.numpy as jnp
        import mujoco
        from mujoco import mjx
    except ImportError as why:
        print(f"\nMJX is left out: {why}")
        return
    jax.config.update("jax_enable_x64", True)
    for integrator, solver, iterations in (("implicitfast", "Newton", 8), ("Euler", "CG", 50)):
        text = f"""<mujoco><option timestep="0.002" gravity="0 0 0" integrator="{integrator}" solver="{solver}" iterations="{iterations}"/>
        <worldbody><body><joint type="slide" axis="1 0 0" stiffness="1" frictionloss="1"/><geom type="sphere" size="0.1" mass="1" contype="0" conaffinity="0"/></body></worldbody></mujoco>"""
        model = mjx.put_model(mujoco.MjModel.from_xml_string(text))
        data = mjx.make_data(model)

        def last(p, model=model, data=data):
            changed = model.replace(
                body_mass=model.body_mass.at[1].set(p[0]), jnt_stiffness=model.jnt_stiffness.at[0].set(p[1]), dof_frictionloss=model.dof_frictionloss.at[0].set(p[2])
            )
            begun = data.replace(qpos=jnp.array([p[3]]))
            ended, _ = jax.lax.scan(lambda d, _: (mjx.step(changed, d), None), begun, None, length=round(t / 0.002))
            return ended.qpos[0]

        found = np.asarray(jax.jit(jax.jacfwd(last))(jnp.array([1.0, 1.0, 1.0, 11.5])))
        row(f"MJX {mujoco.__version__}, {integrator}, {solver}", found)


def main():
    right = ss.reference.case("shaw").events
    gap = np.abs(by_scipy(AT)[:-1] - [e["t"] for e in right]).max()
    print(f"`shaw`, {END:.0f} s, {len(KINDS)} events, {len(KEYS)} numbers; SciPy's times differ from the certified ones by {gap:.0e}\n")
    print("| derivatives by | error of ∂t | error of ∂x | processor time |\n|---|---|---|---|")
    for label, way in by_stickslip():
        shown(label, way)
    shown("SciPy DOP853 with events, central differences", differences, 1)
    for ways in (by_diffrax, by_torchdiffeq):
        try:
            for label, way in ways():
                shown(label, way)
        except ImportError as why:
            print(f"| {ways.__name__.removeprefix('by_')} | left out: {why} | | |")
    decay()


if __name__ == "__main__":
    main()
