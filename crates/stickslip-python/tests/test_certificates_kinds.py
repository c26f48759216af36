"""Certificates of cascades and impact models, checked in ball arithmetic by a program that shares nothing with the package."""

from __future__ import annotations

import copy
import random
from typing import Any

import numpy as np
import pytest
import stickslip as ss
from test_certificates import STRANGE, checker, counted  # noqa: F401

IMPACTS = ("ball", "table", "two walls", "sampled wall")
KINDS = ("led", "sampled", "stepped", "by force", "moved")


def drive_of(kind: str, r: random.Random, end: float, size: float) -> Any:
    """Harmonics, samples, ramps and steps of about this size."""
    swings = ss.harmonic(size * r.uniform(0.3, 1.0), r.uniform(0.3, 2.0), r.uniform(-3.0, 3.0))
    if kind == "sampled":
        times = np.linspace(0.0, end, 13)
        return ss.sampled(times, [size * r.uniform(-1.0, 1.0) for _ in times])
    if kind == "stepped":
        return swings + ss.step(r.uniform(1.0, end), size * r.uniform(-1.0, 1.0))
    return swings + ss.harmonic(size * r.uniform(0.1, 0.6), r.uniform(0.3, 4.0), r.uniform(-3.0, 3.0)) + ss.ramp(0.02 * size * r.uniform(-1.0, 1.0))


def any_cascade(kind: str, seed: int) -> tuple[ss.Cascade, float, str]:
    r = random.Random(f"{kind} {seed}")
    n, end = r.randint(1, 6), r.uniform(5.0, 20.0)
    k: dict[str, Any] = {"mass": r.uniform(0.3, 2.0), "stiffness": [r.uniform(0.3, 4.0) for _ in range(n + 1)]}
    k["threshold"] = [r.choice([r.uniform(0.1, 1.5), r.uniform(0.1, 1.5), 0.5]) for _ in range(n)]
    if r.random() < 0.3:
        k["prestress"] = [r.choice([r.uniform(-a, a), a, -a]) for a in k["threshold"]]
    k["x0"] = r.choice([0.0, r.uniform(-1.0, 1.0)])
    if kind == "moved":
        return ss.Cascade(force=drive_of(r.choice(["led", "sampled", "stepped"]), r, end, 3.0), v0=r.choice([0.0, r.uniform(-2.0, 2.0)]), **k), end, "exact"
    if kind == "by force":
        return ss.Cascade(force=drive_of(r.choice(["led", "sampled", "stepped"]), r, end, 2.0), **k), end, "quasi-static"
    return ss.Cascade(displacement=drive_of(kind, r, end, 3.0), **k), end, "quasi-static"


def any_impact(kind: str, seed: int) -> tuple[ss.Impact, float, str]:
    r = random.Random(f"{kind} {seed}")
    end = r.uniform(3.0, 10.0)
    k: dict[str, Any] = {"mass": r.uniform(0.3, 2.0), "restitution": r.choice([0.0, r.uniform(0.2, 0.9)])}
    swings = ss.harmonic(r.uniform(0.05, 0.4), r.uniform(1.0, 6.0), r.uniform(-3.0, 3.0))
    if kind == "ball":
        k |= {"wall": r.choice([0.0, ss.ramp(r.uniform(-0.5, 0.5))]), "force": -r.uniform(2.0, 10.0), "x0": r.uniform(0.2, 2.0), "v0": r.uniform(-1.0, 1.0)}
    elif kind == "table":
        k |= {"wall": swings, "force": -r.uniform(2.0, 10.0), "x0": r.uniform(0.5, 2.0), "v0": r.uniform(-1.0, 1.0)}
    elif kind == "two walls":
        k |= {"wall": -r.uniform(0.3, 1.0), "upper_wall": swings + r.uniform(0.5, 1.2), "stiffness": r.uniform(0.0, 8.0)}
        k |= {"damping": r.choice([0.0, r.uniform(0.0, 1.0)]), "x0": r.uniform(-0.2, 0.05)}
        k["force"] = ss.harmonic(r.uniform(1.0, 6.0), r.uniform(0.5, 4.0), r.uniform(-3.0, 3.0)) + r.uniform(-1.0, 1.0)
    else:
        times = np.linspace(0.0, end, 11)
        k |= {"wall": ss.sampled(times, [r.uniform(-0.5, 0.3) for _ in times]), "x0": r.uniform(0.5, 1.0)}
        k["force"] = ss.harmonic(r.uniform(0.5, 4.0), r.uniform(0.3, 3.0), r.uniform(-3.0, 3.0)) - r.uniform(1.0, 6.0)
    return ss.Impact(**k), end, "exact"


def proved(kind: str, seed: int) -> dict[str, Any]:
    model, end, scheme = (any_impact if kind in IMPACTS else any_cascade)(kind, seed)
    return ss.solve(model, t_end=end, scheme=scheme).certificate()


@pytest.mark.parametrize("kind", KINDS + IMPACTS)
@pytest.mark.parametrize("seed", range(2))
def test_cascades_and_impacts_are_proved(kind, seed, checker):  # noqa: F811
    proof = proved(kind, seed)
    checker.check(proof)
    # What is then still true is not rejected, such as the threshold of an element that never yields.
    assert counted(proof, checker, 5) >= 4


@pytest.mark.parametrize(("kind", "seed"), [("stepped", 3), ("moved", 1), ("table", 1), ("two walls", 2)])
def test_the_checker_answers_whatever_it_is_given(kind, seed, checker):  # noqa: F811
    """Any part replaced by anything, or left out: it is proved or rejected, and nothing else."""
    proof, r = proved(kind, seed), random.Random(kind)
    for _ in range(60):
        changed = copy.deepcopy(proof)
        inner: Any = changed
        while isinstance(inner, (dict, list)) and inner:
            key = r.choice(list(inner) if isinstance(inner, dict) else range(len(inner)))
            if isinstance(inner[key], (dict, list)) and inner[key] and r.random() < 0.8:
                inner = inner[key]
                continue
            if r.random() < 0.7:
                inner[key] = r.choice(STRANGE)
            else:
                del inner[key]
            break
        try:
            checker.check(changed)
        except checker.Rejected:
            pass


def test_nothing_can_be_left_out(checker):  # noqa: F811
    """An arc, a wall, an element, a knot or the mass: what then stands there is not true."""
    table, moved, stepped = proved("table", 0), proved("moved", 1), proved("stepped", 3)
    assert {"impact", "rest"} <= {a["ending"] for a in table["arcs"]}
    assert {"yield", "reversal"} <= {a["ending"] for a in moved["arcs"]} & {a["ending"] for a in stepped["arcs"]}
    changed = [copy.deepcopy(p) for p in (table, moved, stepped, table, moved, stepped)]
    for proof in changed[:3]:
        del proof["arcs"][1]
    changed[3]["problem"] |= {"lower": None, "upper": {"pieces": [[0.0, 9.0, 0.0]], "harmonics": []}}
    changed[4]["problem"]["mass"] = None
    changed[5]["problem"]["displacement"]["pieces"] = changed[5]["problem"]["displacement"]["pieces"][:1]
    for proof in changed:
        with pytest.raises(checker.Rejected):
            checker.check(proof)


#: What has no certificate: other schemes and noise, networks, machines, normal forces that vary, loads and velocities that touch a limit,
#: more reversals than can be followed, walls that meet.
NOT_CERTIFIED = {
    "adaptive": "ageing-above ageing-below ageing-ill-posed belt belt-hyperbolic brownian duffing stribeck-force stribeck-formula stribeck-gauss stribeck-stops",
    "network": "drive-line equal-blocks limit-touched-network mass-ratio stacked-blocks three-blocks two-blocks",
    "machine": "backlash backlash-and-wall buffer buffer-again buffer-driven drill-bit drill-string driven-back flanks-change gate-bounces "
    "gate-opens gate-opens-early gate-retreats pd-rests pid-hunts pid-hunts-filtered pid-hunts-stribeck piling-bounces plastic-backlash "
    "pushed-apart sampled-follows sampled-pd sampled-pi stribeck-train stribeck-train-exponential stribeck-twins two-ways worm-gear",
    "other": "double-root-stop grazing-load grazing-slip light-mass limit-held limit-touched million-cycles pulsating-normal triple-root-rest walls-meet",
}


def test_the_reference_set_is_proved(checker):  # noqa: F811
    refused = set()
    for case in ss.reference.cases():
        try:
            proof = ss.solve(case.model, t_end=case.end).certificate()
        except ss.Error:
            refused.add(case.name)
            continue
        checker.check(proof)
    assert refused == set(" ".join(NOT_CERTIFIED.values()).split())
