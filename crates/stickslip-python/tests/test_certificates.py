"""Certificates, checked in ball arithmetic by a program that shares nothing with the package."""

from __future__ import annotations

import copy
import importlib.util
import random
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import stickslip as ss

TOOLS = Path(__file__).resolve().parents[3] / "tools"


@pytest.fixture(scope="module")
def checker() -> ModuleType:
    pytest.importorskip("flint")
    source = TOOLS / "check_certificate.py"
    if not source.exists():
        pytest.skip("this is not a checkout")
    spec = importlib.util.spec_from_file_location("check_certificate", source)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
    assert all(a["to"][0] <= t <= a["to"][1] for a, t in zip(proof["arcs"], path.events["t"]))
    places, r = numbers(proof), random.Random(1)
    for _ in range(60):
        changed = copy.deepcopy(proof)
        *where, last = r.choice(places)
        inner = changed
        for key in where:
            inner = inner[key]
        inner[last] = inner[last] * (1.0 + 10.0 ** r.uniform(-6.0, -1.0)) + 10.0 ** r.uniform(-6.0, -1.0)
        with pytest.raises(checker.Rejected):
            checker.check(changed)


@pytest.mark.parametrize("seed", range(12))
def test_any_model_is_proved(seed, checker):
    model, end = any_model(seed)
    checker.check(ss.solve(model, t_end=end).certificate())


def test_what_cannot_be_proved_is_refused(shaw):
    with pytest.raises(ss.Error, match="cannot be certified"):
        ss.solve(ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(1.0), support=0.1), t_end=3.0).certificate()
    with pytest.raises(ss.InputError, match="only exact runs"):
        ss.solve(shaw, t_end=3.0, scheme="euler", step=0.01).certificate()
