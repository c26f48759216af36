"""MuJoCo: a slide joint with a spring, a damper and `frictionloss`; the other forces are applied."""

from __future__ import annotations

import math

import mujoco as mj

from cases import Unsupported

PACKAGES = ["mujoco"]
MOST_STEPS = 1_000_000


def model_of(case, step, hard):
    solver = 'solreffriction="0.0004 1" solimpfriction="0.9999 0.9999 0.001 0.5 2"' if hard else ""
    friction, limit = 0.0, ""
    if case.kind == "oscillator":
        friction = check(case)
    elif case.kind == "impact":
        limit = limits(case, step)
    else:
        raise Unsupported("its friction is one force at a joint, with no breakaway force above it and no elements without mass")
    return mj.MjModel.from_xml_string(f"""<mujoco>
    <option timestep="{step}" gravity="0 0 0" integrator="implicitfast" iterations="100" tolerance="1e-12"/>
    <worldbody><body><joint type="slide" axis="1 0 0" stiffness="{case.k}" damping="{case.c}" frictionloss="{friction}" {solver} {limit}/>
    <geom size="0.1" mass="{case.m}"/></body></worldbody></mujoco>""")


def check(case):
    law = case.forward
    if case.white:
        raise Unsupported("it has no noise")
    if case.moving_support:
        raise Unsupported("its friction acts against the parent body, which would have to be moved")
    if not case.same or not law.two_forces or law.kind == "ageing" or case.normal.harmonics:
        raise Unsupported("its friction is one constant force")
    if case.stops or len(case.polynomial) > 1:
        raise Unsupported("a case with one friction force and such a spring or stop is not in the set")
    # A mass that never moves needs the limit at rest only.
    if law.static != law.dynamic and case.certified.get("counts", case.report):
        raise Unsupported("its friction is one force, with no breakaway force above it")
    return case.normal(0.0) * law.static


def limits(case, step):
    """Soft limits whose damping ratio gives the restitution, as its documentation says; a time constant of two steps."""
    if any(w.rate for w in case.walls.values()):
        raise Unsupported("its limits do not move")
    lower = case.walls["lower"](0.0) if "lower" in case.walls else -1e3
    upper = case.walls["upper"](0.0) if "upper" in case.walls else 1e3
    ratio = 1.0 if case.e == 0.0 else -math.log(case.e) / math.hypot(math.pi, math.log(case.e))
    stiffness = 1.0 / (10 * step) ** 2
    return (f'limited="true" range="{lower} {upper}" solreflimit="{-stiffness} {-2 * ratio * math.sqrt(stiffness)}" '
            'solimplimit="0.9999 0.9999 0.001 0.5 2"')


def steps(step, hard):
    def run(case):
        model = model_of(case, step, hard)
        stiffness = case.k
        if case.end / step > MOST_STEPS:
            raise TimeoutError(f"more than {MOST_STEPS} steps")
        data = mj.MjData(model)
        data.qpos[0], data.qvel[0] = case.x0, case.v0
        rows, wanted = [], list(case.times)
        before = (0.0, case.x0, case.v0)
        drive = getattr(case, "drive", lambda t: 0.0)
        while wanted:
            case.hold(data.time)
            data.qfrc_applied[0] = stiffness * drive(data.time) + case.force(data.time)
            mj.mj_step(model, data)
            now = (data.time, data.qpos[0], data.qvel[0])
            while wanted and wanted[0] <= now[0]:
                s = wanted.pop(0)
                share = (s - before[0]) / (now[0] - before[0])
                rows.append(("state", s, "", *(a + share * (b - a) for a, b in zip(before[1:], now[1:]))))
            before = now
        return rows

    return run


PEERS = {"MuJoCo frictionloss": (False, [steps(h, k) for h, k in ((2e-3, False), (2e-3, True), (2e-4, True))])}
