"""Models that several tests use, and the program of the command line."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import stickslip as ss

try:
    from hypothesis import settings
except ImportError:  # The tests that need it are skipped.
    pass
else:
    # The same examples in every build, others each night: a change is not refused for what it did not do.
    settings.register_profile("build", derandomize=True)
    settings.register_profile("night", derandomize=False)
    settings.load_profile("night" if os.environ.get("STICKSLIP_NIGHTLY") else "build")

WORKSPACE = Path(__file__).resolve().parents[3]
REFERENCE = WORKSPACE / "crates" / "stickslip" / "tests" / "schemes" / "reference"


@pytest.fixture
def jax():
    """JAX in double precision; other tests find it as it was."""
    jax = pytest.importorskip("jax")
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield jax
    jax.config.update("jax_enable_x64", before)


@pytest.fixture
def shaw() -> ss.Oscillator:
    """Shaw (1986), figure 8."""
    return ss.Oscillator(
        mass=1, stiffness=1, friction=ss.static_dynamic(1.2, 1.0), drive=ss.harmonic(6.0, 0.5), x0=6.0
    )


@pytest.fixture
def ball() -> ss.Impact:
    """A ball that is dropped from 1 m."""
    return ss.Impact(mass=1, restitution=0.5, wall=0, force=-9.81, x0=1.0)


@pytest.fixture
def cascade() -> ss.Cascade:
    """Four elements under a harmonic force."""
    return ss.Cascade(
        mass=1,
        stiffness=[3.0, 2.0, 1.5, 1.0, 0.7],
        threshold=[0.5, 0.8, 0.3, 1.1],
        force=ss.harmonic(2.5, 0.9),
    )


@pytest.fixture
def network() -> ss.Network:
    """Two masses, one of which rubs."""
    return ss.Network(
        nodes=[ss.node("a", 1.0), ss.node("b", 2.0, x0=0.1)],
        springs=[ss.spring("a", "b", 3.0), ss.spring("b", "ground", 1.0)],
        dashpots=[ss.dashpot("a", "ground", 0.1)],
        sliders=[ss.slider("a", "ground", 1.2, 1.0)],
        forces={"a": ss.harmonic(2.0, 1.0)},
    )


@pytest.fixture
def noisy(shaw: ss.Oscillator) -> ss.Oscillator:
    """Shaw's oscillator under filtered noise."""
    return shaw.replace(force=ss.ornstein_uhlenbeck(1.0, 0.5))


@pytest.fixture(scope="session")
def program():
    """Runs the command line: its arguments to its output."""
    given = [os.environ.get("STICKSLIP_PROGRAM"), shutil.which("stickslip")]
    built = [str(WORKSPACE / "target" / p / "stickslip") for p in ("release", "debug")]
    # Of those that cargo has built, the last one.
    built.sort(key=lambda f: -os.path.getmtime(f) if os.path.exists(f) else 0)
    found = next((f for f in [*given, *built] if f and os.path.isfile(f) and os.access(f, os.X_OK)), None)
    if found is None:
        pytest.skip("there is no program of the command line; build it with cargo build")

    def run(*arguments: str) -> str:
        done = subprocess.run([found, *arguments], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
