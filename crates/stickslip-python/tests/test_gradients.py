"""Losses and their gradients, and the bridges to JAX and PyTorch."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import stickslip as ss

KEYS = ["oscillator.friction.static-dynamic.dynamic", "oscillator.mass", "oscillator.initial.displacement"]
AT = np.array([1.1, 1.05, 6.1])
T = np.array([3.0, 9.0, 14.5, 21.0])


@pytest.fixture
def rig(shaw):
    return shaw.replace(friction=ss.static_dynamic(1.2, 1.1), mass=1.05, x0=6.1)


def wanted(rig, h=1e-5):
    """Derivatives of x and v by differences of motions, (T, k) each."""
    columns = []
    for k, key in enumerate(KEYS):
        many = ss.solve_many(rig, {key: AT[k] + h * np.array([-1.0, 1.0])}, t_end=22, t=T)
        columns.append([(many.x[1] - many.x[0]) / (2 * h), (many.v[1] - many.v[0]) / (2 * h)])
    x, v = np.moveaxis(np.array(columns), 0, -1)
    return x, v


def test_a_loss_and_its_gradient(rig):
    x, v = wanted(rig)

    def loss(out):
        assert out.x.shape == out.v.shape == out.t.shape == (4,) and len(out.event_times) > 2
        value = (out.x**2).sum() + out.v[1] + 0.5 * out.event_times[2]
        return value, {"x": 2 * out.x, "v": [0, 1, 0, 0], "event_times": 0.5 * (np.arange(len(out.event_times)) == 2)}

    found = ss.value_and_grad(rig, loss, KEYS, t_end=22, t=T)
    path = ss.solve(rig, t_end=22)
    assert found.value == pytest.approx((path(T)[0] ** 2).sum() + path(T)[1, 1] + 0.5 * path.events["t"][2], rel=1e-14)
    of_time = found.sensitivity.event_times[2]
    assert found.grad == pytest.approx(2 * path(T)[0] @ x + v[1] + 0.5 * of_time, rel=1e-6) and not found.doubtful


@pytest.mark.parametrize(
    ("loss", "match"),
    [
        (lambda out: 1.0, "expected the loss and a dictionary"),
        (lambda out: (1.0, {"y": 0.0}), "expected x, v, event_times"),
        (lambda out: (1.0, {"x": [0.0]}), r"has the shape \(1,\); expected \(4,\)"),
        (lambda out: ("1", {}), "the loss"),
        (3, "expected a function of the outputs"),
    ],
)
def test_a_loss_that_is_none(rig, loss, match):
    with pytest.raises(ss.InputError, match=match):
        ss.value_and_grad(rig, loss, KEYS, t_end=22, t=T)


def test_a_loss_of_a_mass_between_walls(ball):
    def height(out):
        return out.x[0], {"x": [1.0]}

    # x = h − g t²/2 before the ball falls onto the floor.
    found = ss.value_and_grad(ball, height, "impact.initial.displacement", t_end=0.4, t=[0.2])
    assert found.value == pytest.approx(1.0 - 9.81 * 0.02, rel=1e-12) and found.grad == pytest.approx([1.0], rel=1e-9)


def test_jax_differentiates_jits_and_maps(rig, jax):
    import jax.numpy as jnp
    from stickslip.jax import simulator

    motion = simulator(rig, KEYS, t_end=22, t=T)
    p = jnp.array(AT)
    x, v = motion(p)
    path = ss.solve(rig, t_end=22)
    assert np.asarray(x).tobytes() == path(T)[0].tobytes() and np.asarray(v).tobytes() == path(T)[1].tobytes()
    of_x, of_v = wanted(rig)
    for jacobian in (jax.jacfwd(motion)(p), jax.jit(jax.jacrev(motion))(p)):
        assert np.asarray(jacobian[0]) == pytest.approx(of_x, rel=1e-5, abs=1e-6)
        assert np.asarray(jacobian[1]) == pytest.approx(of_v, rel=1e-5, abs=1e-6)
    batch = jnp.array([AT, AT * 1.001, AT * 0.999])
    for each in (jax.vmap(motion), jax.jit(jax.vmap(motion))):
        xs, _ = each(batch)
        assert xs.shape == (3, 4) and (xs[0] == x).all()
        assert np.asarray(xs[1]).tobytes() == np.asarray(motion(batch[1])[0]).tobytes()
    grads = jax.vmap(jax.grad(lambda q: (motion(q)[0] ** 2).sum()))(batch)
    one = jax.grad(lambda q: (motion(q)[0] ** 2).sum())(batch[2])
    assert grads.shape == (3, 3) and np.asarray(grads[2]) == pytest.approx(np.asarray(one), rel=1e-14)


def test_torch_passes_gradcheck(rig):
    torch = pytest.importorskip("torch")
    from stickslip.torch import simulator

    motion = simulator(rig, KEYS, t_end=22, t=T)
    p = torch.tensor(AT, requires_grad=True)
    assert torch.autograd.gradcheck(motion, (p,), eps=1e-6, atol=1e-5, rtol=1e-4)
    batch = torch.tensor(np.array([AT, AT * 1.001]), requires_grad=True)
    x, v = motion(batch)
    assert x.shape == v.shape == (2, 4)
    assert x[0].detach().numpy().tobytes() == ss.solve(rig, t_end=22)(T)[0].tobytes()
    assert torch.autograd.gradcheck(motion, (batch,), eps=1e-6, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("name", ["jax", "torch"])
def test_without_the_frameworks_the_reason_is_said(name):
    # In a process of its own: what this one has imported stays.
    missing = f"import sys; sys.modules[{name!r}] = None; import stickslip.{name}"
    done = subprocess.run([sys.executable, "-c", missing], capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1 and "Error: stickslip." in last and last.endswith(f"pip install {name}")


def test_the_shape_of_the_numbers_is_looked_at(rig):
    from stickslip._simulated import Simulated

    core = Simulated(rig, KEYS, t_end=22, t=T)
    with pytest.raises(ss.InputError, match=r"shape \(2,\); expected \(…, 3\)"):
        core.states(np.ones(2))
    disc = ss.Planar(mass=1, stiffness=[4.0, 4.0], friction=ss.coulomb(0.5))
    with pytest.raises(ss.InputError, match="a Cascade, a Network or an Impact; this is a model of the kind `planar`"):
        Simulated(disc, ["planar.mass"], t_end=1, t=[1.0])
