"""Certificates, checked in ball arithmetic by a program that shares nothing with the package."""

from __future__ import annotations

import copy
import importlib
import json
import math
import random
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import stickslip as ss
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

TOOLS = Path(__file__).resolve().parents[3] / "tools"


@pytest.fixture(scope="module")
def checker() -> ModuleType:
    pytest.importorskip("flint")
    if not (TOOLS / "check_certificate.py").exists():
        pytest.skip("this is not a checkout")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(TOOLS))
        return importlib.import_module("check_certificate")


def any_model(seed: int) -> tuple[ss.Oscillator, float]:
    r = random.Random(seed)
    dynamic = r.uniform(0.1, 1.2)
    end = r.uniform(5.0, 20.0)
    force = ss.harmonic(r.uniform(0.5, 3.0), r.uniform(0.2, 3.0), r.uniform(-3.0, 3.0))
    if r.random() < 0.5:
        force = force + ss.step(r.uniform(1.0, end), r.uniform(-3.0, 3.0))
    drive = ss.ramp(r.uniform(-0.2, 0.2))
    if r.random() < 0.5:
        times = np.linspace(0.0, end, 9)
        drive = drive + ss.sampled(times, [r.uniform(-2.0, 2.0) for _ in times])
    model = ss.Oscillator(
        mass=r.uniform(0.2, 3.0),
        stiffness=r.uniform(0.2, 8.0),
        damping=r.choice([0.0, r.uniform(0.0, 0.5), r.uniform(0.0, 8.0)]),
        friction=ss.static_dynamic(dynamic + r.choice([0.0, r.uniform(0.0, 1.0)]), dynamic),
        force=force,
        drive=drive,
        x0=r.uniform(-3.0, 3.0),
    )
    return model, end


KINDS = ("belt", "sampled belt", "kicks", "rigid", "dead", "soft", "critical", "resonance", "normal")


def another_model(kind: str, seed: int) -> tuple[ss.Oscillator, float]:
    """One mass on a support that moves, between stops, with critical damping, at resonance, pressed."""
    r = random.Random(f"{kind} {seed}")
    end, dynamic = r.uniform(5.0, 15.0), r.uniform(0.1, 1.2)
    force = ss.harmonic(r.uniform(0.5, 3.0), r.uniform(0.2, 3.0), r.uniform(-3.0, 3.0))
    k: dict[str, Any] = {"mass": r.uniform(0.2, 3.0), "stiffness": r.uniform(0.2, 8.0), "x0": r.uniform(-3.0, 3.0)}
    k["damping"] = r.choice([0.0, r.uniform(0.0, 0.5), r.uniform(0.0, 4.0)])
    if kind == "belt":
        k["support"] = ss.harmonic(r.uniform(0.0, 0.8), r.uniform(0.3, 3.0), r.uniform(-3.0, 3.0)) + r.uniform(-1.0, 1.0)
    elif kind == "sampled belt":
        times = np.linspace(0.0, end, 9)
        k["support"] = ss.sampled(times, [r.uniform(-0.8, 0.8) for _ in times])
    elif kind == "kicks":
        k["support"] = ss.step(r.uniform(1.0, end), r.uniform(-0.6, 0.6)) + r.uniform(-0.6, 0.6)
    elif kind in ("rigid", "dead", "soft"):
        lower, upper = r.uniform(-2.5, -0.2), r.uniform(0.2, 2.5)
        soft = {"stiffness": r.uniform(2.0, 40.0), "damping": r.choice([0.0, r.uniform(0.0, 1.0)])}
        made = soft if kind == "soft" else {"restitution": r.uniform(0.3, 0.9) if kind == "rigid" else 0.0}
        k |= {"stops": ss.Stops(lower, upper, **made), "x0": 0.98 * r.uniform(lower, upper)}
    elif kind == "normal":
        k["normal"] = r.uniform(0.2, 2.0)
    else:
        mass, frequency = r.choice([0.5, 1.0, 2.0]), r.choice([0.75, 1.0, 1.5])
        k |= {"mass": mass, "stiffness": mass * frequency**2, "damping": 0.0}
        if kind == "critical":
            k["damping"] = 2.0 * mass * frequency
        else:
            force = ss.harmonic(r.uniform(0.5, 3.0), frequency, r.uniform(-3.0, 3.0))
    static = dynamic + r.choice([0.0, r.uniform(0.0, 1.0)])
    return ss.Oscillator(friction=ss.static_dynamic(static, dynamic), force=force, **k), end


def numbers(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [p for k, v in value.items() for p in numbers(v, (*path, k))]
    if isinstance(value, list):
        return [p for i, v in enumerate(value) for p in numbers(v, (*path, i))]
    return [path] if isinstance(value, float) else []


def test_shaw_is_proved_and_no_number_of_the_proof_can_be_changed(shaw, checker):
    path = ss.solve(shaw, t_end=40.0)
    proof = path.certificate()
    checker.check(proof)
    endings = [a["ending"] for a in proof["arcs"]]
    assert endings[:-1] == list(path.events["event"])
    # The brackets are a few units in the last place wide; the run's own times are right to two.
    for arc, t in zip(proof["arcs"], path.events["t"]):
        assert arc["to"][0] - 2 * math.ulp(t) <= t <= arc["to"][1] + 2 * math.ulp(t)
    for changed in changes(proof, 60):
        with pytest.raises(checker.Rejected):
            checker.check(changed)


def changes(proof: dict[str, Any], count: int) -> Iterator[dict[str, Any]]:
    """The same certificate with one number changed."""
    places, r = numbers(proof), random.Random(1)
    for _ in range(count):
        changed = copy.deepcopy(proof)
        *where, last = r.choice(places)
        inner = changed
        for key in where:
            inner = inner[key]
        inner[last] = inner[last] * (1.0 + 10.0 ** r.uniform(-6.0, -1.0)) + 10.0 ** r.uniform(-6.0, -1.0)
        yield changed


def counted(proof: dict[str, Any], checker: Any, count: int) -> int:
    """How many of so many certificates with one changed number are rejected."""
    rejected = 0
    for changed in changes(proof, count):
        try:
            checker.check(changed)
        except checker.Rejected:
            rejected += 1
    return rejected


@pytest.mark.parametrize("kind", KINDS)
def test_belts_stops_and_special_dampings_are_proved(kind, checker):
    model, end = another_model(kind, 0)
    proof = ss.solve(model, t_end=end).certificate()
    checker.check(proof)
    # What is then still true is not rejected, such as friction towards a side to which the mass never slides.
    assert counted(proof, checker, 5) >= 4


STRANGE = (None, True, "", "1", [], {}, [[]], 0, -1, 0.0, -1.0, 1e308, math.nan, math.inf, 10**400)


@settings(max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_the_checker_answers_whatever_it_is_given(data, shaw, checker):
    """Any part of a certificate replaced by anything, or left out: it is proved or rejected, and nothing else."""
    changed = copy.deepcopy(ss.solve(shaw, t_end=8.0).certificate())
    for _ in range(data.draw(st.integers(1, 3))):
        inner: Any = changed
        while True:
            keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
            if not keys:
                break
            key = data.draw(st.sampled_from(keys))
            if isinstance(inner[key], (dict, list)) and data.draw(st.integers(0, 3)):
                inner = inner[key]
                continue
            if data.draw(st.booleans()):
                inner[key] = data.draw(st.sampled_from(STRANGE))
            else:
                del inner[key]
            break
    try:
        checker.check(changed)
    except checker.Rejected:
        pass
    for strange in STRANGE:
        with pytest.raises(checker.Rejected):
            checker.check(strange)


def test_two_proofs_of_one_problem_agree(checker):
    """The corpus of the fuzzer is proved; of 600 changes of it each is proved or rejected, and no proof contradicts another."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(TOOLS))
        fuzzing = importlib.import_module("fuzz_certificates")
    survives, seeds = fuzzing.Survives(checker), fuzzing.SEEDS
    assert len(seeds) > 4 and all(map(survives, seeds))
    for i in range(600):
        chance = random.Random(i)
        changed = fuzzing.changed(json.loads(seeds[i % len(seeds)]), chance)
        survives(json.dumps(changed).encode())
    # It would notice: another end of the same motion.
    first, *_ = survives.proved.values()
    first[-1] = (first[-1][0], "another", *first[-1][2:])
    with pytest.raises(AssertionError):
        any(map(survives, seeds))
    for torn in (b"", b"\xff", b"[" * 100_000, seeds[0].rstrip()[:-1]):
        assert not survives(torn)


def test_a_stop_cannot_be_left_out_of_a_certificate(checker):
    # The first of these models that meets a stop.
    met = (ss.solve(model, t_end=end) for model, end in (another_model("rigid", seed) for seed in range(50)))
    proof = next(path for path in met if "impact" in path.events["event"]).certificate()
    assert any(arc["ending"] == "impact" for arc in proof["arcs"])
    for stops in (None, proof["problem"]["stops"] | {"upper": None, "lower": None}):
        changed = copy.deepcopy(proof)
        changed["problem"]["stops"] = stops
        with pytest.raises(checker.Rejected):
            checker.check(changed)


@pytest.mark.parametrize("seed", range(12))
def test_any_model_is_proved(seed, checker):
    model, end = any_model(seed)
    checker.check(ss.solve(model, t_end=end).certificate())


def test_what_cannot_be_proved_is_refused(shaw):
    with pytest.raises(ss.Error, match="cannot be certified"):
        swings = ss.harmonic(0.1, 1.0) + 1.0
        ss.solve(ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(1.0), normal=swings), t_end=3.0).certificate()
    with pytest.raises(ss.InputError, match="only exact runs"):
        ss.solve(shaw, t_end=3.0, scheme="euler", step=0.01).certificate()
