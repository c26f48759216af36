"""Gradients in reverse mode: those of forward mode, of differences in quadruple steps, of closed forms; and through JAX."""

from __future__ import annotations

import json

import numpy as np
import pytest
import stickslip as ss
from conftest import WORKSPACE

T = np.array([3.0, 9.0, 14.5, 21.0])
TIMES = np.arange(0.0, 25.0, 0.05)
VALUES = 2.0 * np.sin(1.1 * TIMES) + 0.7 * np.cos(2.9 * TIMES)
SAMPLED = "oscillator.force.0.sampled"


def rig(values=VALUES, hold="linear"):
    force = ss.sampled(TIMES, values, hold=hold) + ss.harmonic(0.4, 1.7, 0.2)
    return ss.Oscillator(mass=1.3, stiffness=4.0, damping=0.2, friction=ss.static_dynamic(1.0, 0.7), force=force)


def loss(out):
    value = (out.x**2).sum() + out.v[1] + 0.5 * out.event_times[2]
    return value, {"x": 2 * out.x, "v": [0, 1, 0, 0], "event_times": 0.5 * (np.arange(len(out.event_times)) == 2)}


KEYS = [
    "oscillator.mass",
    "oscillator.stiffness",
    "oscillator.damping",
    "oscillator.friction.static-dynamic.static",
    "oscillator.friction.static-dynamic.dynamic",
    "oscillator.initial.displacement",
    "oscillator.initial.velocity",
    "oscillator.force.1.harmonic.amplitude",
    "oscillator.force.1.harmonic.angular_frequency",
    "oscillator.force.1.harmonic.phase",
]


@pytest.mark.parametrize("scheme", ["exact", "adaptive"])
def test_both_modes_agree(scheme):
    model = rig().replace(x0=0.3, v0=1.0)
    tight = {} if scheme == "exact" else {"rtol": 1e-12, "atol": 1e-14}
    ways = [ss.value_and_grad(model, loss, KEYS, 22, scheme, t=T, method=m, **tight) for m in ("forward", "reverse")]
    assert ways[0].value == ways[1].value and ways[0].sensitivity is not None and ways[1].sensitivity is None
    assert ways[1].grad == pytest.approx(ways[0].grad, rel=1e-11 if scheme == "exact" else 1e-8)
    # More than eight numbers: it is reverse mode without being asked.
    assert ss.value_and_grad(model, loss, KEYS, 22, scheme, t=T, **tight).grad.tobytes() == ways[1].grad.tobytes()
    assert ss.value_and_grad(model, loss, KEYS[:3], 22, scheme, t=T, **tight).sensitivity is not None
    assert ways[1].of("oscillator.damping") == ways[1].grad[2]


@pytest.mark.parametrize("hold", ["linear", "zero"])
def test_samples_are_unknowns(hold):
    model = rig(hold=hold)
    found = ss.value_and_grad(model, loss, ["oscillator.mass", SAMPLED], t_end=22, t=T)
    assert found.grad.shape == (1 + len(TIMES),) and found.sizes == (1, len(TIMES)) and not found.doubtful
    grad = found.of(SAMPLED)
    assert (grad == found.grad[1:]).all() and found.of("oscillator.mass") == found.grad[0]

    def value(k, by):
        moved = VALUES.copy()
        moved[k] += by
        path = ss.solve(rig(moved, hold), t_end=22)
        x, v = path(T)
        return loss(ss.Outputs(T, x, v, path.events["t"]))[0]

    h = 2e-4
    for k in range(3, 440, 29):
        wanted = (8 * (value(k, h) - value(k, -h)) - value(k, 2 * h) + value(k, -2 * h)) / (12 * h)
        assert abs(grad[k] - wanted) < 1e-8 * np.abs(grad).max(), k
    # What comes after the last look has no say.
    assert (grad[TIMES > 22.1] == 0.0).all()


def test_a_pull_in_closed_form():
    # x(2) = v₀ 2 + ∫ (2 − t) F(t) dt / m, of a support's and a drive's samples likewise.
    pulled = ss.Oscillator(mass=2, stiffness=0, friction=ss.coulomb(0), force=ss.sampled([0, 1, 2], [1.0, 2.0, 3.0]), v0=1.0)
    found = ss.value_and_grad(pulled, lambda out: (out.x[0], {"x": [1.0]}), SAMPLED, t_end=2, t=[2.0])
    assert found.grad == pytest.approx(np.array([5 / 6, 1.0, 1 / 6]) / 2, abs=1e-14)


def test_the_reference_derivatives_are_met():
    """Differences of order four of runs in quadruple precision by an independent program."""
    file = WORKSPACE / "crates" / "stickslip-run" / "tests" / "values" / "derivatives.json"
    for case in json.loads(file.read_text()):
        model, end = ss.load(case["toml"]), case["end"]
        # The friction of the last one is no constant, so it is solved by `adaptive`.
        tight = {"rtol": 1e-12, "atol": 1e-14} if case["id"] == "M14-e" else {}

        def of(name, place, model=model, end=end, wrt=case["wrt"], tight=tight):
            def seen(out):
                rate = np.zeros(len(getattr(out, name)))
                rate[place] = 1.0
                return getattr(out, name)[place], {name: rate}

            return ss.value_and_grad(model, seen, wrt, end, t=[end], method="reverse", **tight).grad

        rows = [(of("x", 0), case["dx"]), (of("v", 0), case["dv"])]
        # Without friction a velocity that changes its sign is an event here, and none there.
        times = [] if case["id"] == "M14-d" else case["dt"]
        rows += [(of("event_times", i), row) for i, row in enumerate(times)]
        for mine, wanted in rows:
            assert np.abs(mine - wanted).max() <= (1e-11 if tight else 1e-13) * np.abs(wanted).max(), case["id"]


def test_after_a_doubt_there_is_no_gradient():
    # The pull just reaches the friction, and no more.
    force = ss.sampled([0.0, 1.0, 2.0, 9.0], [0.0, 1.0, 0.0, 5.0])
    model = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(1.0), force=force)
    with pytest.warns(ss.MotionWarning, match="has no derivative at 1 instants"):
        late = ss.value_and_grad(model, lambda out: (out.x[0], {"x": [1.0]}), SAMPLED, t_end=8, t=[7.0])
    assert np.isnan(late.grad).all() and [d.t for d in late.doubtful] == [1.0]
    with pytest.warns(ss.MotionWarning):
        early = ss.value_and_grad(model, lambda out: (out.x[0], {"x": [1.0]}), SAMPLED, t_end=8, t=[0.5])
    assert (early.grad == 0.0).all()


@pytest.mark.parametrize(
    ("wrt", "more", "match"),
    [
        ("oscillator.force.7.sampled", {}, "no samples of this model"),
        ("oscillator.force.1.sampled", {}, "expected samples that were given as ss.sampled"),
        ("oscillator.mass.0.sampled", {}, "no samples of this model"),
        (SAMPLED, {"method": "forward"}, "found in reverse mode only"),
        (SAMPLED, {"method": "backward"}, "expected one of forward, reverse"),
    ],
)
def test_what_is_wrong_is_said(wrt, more, match):
    with pytest.raises(ss.InputError, match=match):
        ss.value_and_grad(rig(), loss, wrt, t_end=22, t=T, **more)


def test_a_mass_that_comes_to_rest_at_a_wall_has_no_reverse_mode(ball):
    with pytest.raises(ss.UnsolvableError, match="comes to rest at a wall"):
        ss.value_and_grad(ball, lambda out: (0.0, {}), "impact.mass", t_end=9, t=[0.2], method="reverse")


def test_a_mass_between_walls_has_gradients():
    # A ball of 2 kg falls from 1 m and is at the floor at t = 1 s with -2 m/s: ∂t = -∂x/v, ∂x = ∫ (1 - s) ∂F/m ds.
    ball = ss.Impact(mass=2, restitution=0.8, wall=0, force=ss.sampled([0, 1, 2], [-4.0, -4.0, -4.0]), x0=1.0)

    def first(out):
        return out.event_times[0], {"event_times": [1.0] + [0.0] * (len(out.event_times) - 1)}

    found = ss.value_and_grad(ball, first, ["impact.force.0.sampled", "impact.mass"], t_end=1.5, t=[0.5])
    assert found.value == pytest.approx(1.0, rel=1e-14)
    assert found.of("impact.force.0.sampled") == pytest.approx([1 / 12, 1 / 24, 0.0], abs=1e-13)
    assert found.of("impact.mass") == pytest.approx(0.25, rel=1e-11)  # t = √(2 m/4)
    forward = ss.value_and_grad(ball, first, "impact.mass", t_end=1.5, t=[0.5], method="forward")
    assert forward.grad == pytest.approx([0.25], rel=1e-11)


HELD = "cascade.force.0.sampled"


def cascade(values=(1.0, 1.0), **changed):
    """Two elements on a mass of 1 kg and a first spring of 4 N/m."""
    return ss.Cascade(mass=1, stiffness=[4.0, 1.0], threshold=[9.0], force=ss.sampled([0, 2], values)).replace(**changed)


def test_a_cascade_has_gradients():
    # No element yields: x(2) = ∫ sin(ω (2 - t)) F/(m ω) dt with ω² = K/m, of both samples together (1 - cos 2ω)/K.
    def end(out):
        return out.x[0], {"x": [1.0]}

    found = ss.value_and_grad(cascade(), end, [HELD, "cascade.mass"], t_end=2, t=[2.0])
    w, f = 2.0, 1.0
    assert found.of(HELD).sum() == pytest.approx((1 - np.cos(2 * w)) / 4, abs=1e-14)
    # x = F (1 - cos ω t)/K, and ∂ω/∂m = -ω/2.
    assert found.of("cascade.mass") == pytest.approx(-f * 2 * np.sin(2 * w) * w / 2 / 4, rel=1e-11)
    assert found.sensitivity is None and not found.doubtful


def test_a_cascade_that_yields_has_gradients():
    values = 3.0 * np.sin(0.9 * TIMES) + 1.1 * np.cos(2.3 * TIMES)

    def chain(values):
        return ss.Cascade(mass=1, stiffness=[3.0, 2.0, 1.5], threshold=[0.5, 0.8], force=ss.sampled(TIMES, values))

    keys = ["cascade.mass", "cascade.threshold.0", "cascade.stiffness.1"]
    found = ss.value_and_grad(chain(values), loss, [*keys, HELD], 22, t=T)
    forward = ss.value_and_grad(chain(values), loss, keys, 22, t=T, method="forward")
    assert forward.sensitivity.worth is None and len(forward.sensitivity.events) > 15
    assert found.grad[:3] == pytest.approx(forward.grad, rel=1e-9) and not found.doubtful

    def value(k, by):
        path = ss.solve(chain(values + by * (np.arange(len(TIMES)) == k)), 22)
        x, v = path(T)
        return loss(ss.Outputs(T, x, v, path.events["t"]))[0]

    h, grad = 2e-4, found.of(HELD)
    for k in range(3, 440, 49):
        wanted = (8 * (value(k, h) - value(k, -h)) - value(k, 2 * h) + value(k, -2 * h)) / (12 * h)
        assert abs(grad[k] - wanted) < 1e-7 * np.abs(grad).max(), k


@pytest.mark.parametrize("changed", [{"x0": 0.5, "prestress": [0.0]}, {"prestress": [1.0]}])
def test_a_cascade_that_starts_loaded_has_gradients(changed):
    # The element, which pushes with its force, stays at u, where 4 (x₀ - u) = u - force: around u + 1/4 the mass goes with ω = 2.
    start, force = changed.get("x0", 0.0), changed["prestress"][0]
    rest = (4.0 * start + force) / 5.0 + 0.25
    w, t = 2.0, 1.3
    keys = ["cascade.mass", "cascade.prestress.0"]
    found = ss.value_and_grad(
        cascade(**changed), lambda out: (out.x[0], {"x": [1.0]}), keys, t_end=2, t=[t], method="reverse"
    )
    assert found.value == pytest.approx(rest + (start - rest) * np.cos(w * t), rel=1e-12)
    # ∂ω/∂m = -ω/2, and the rest moves by 1/5 of the force.
    wanted = [(start - rest) * np.sin(w * t) * t * w / 2, (1 - np.cos(w * t)) / 5]
    assert list(found.grad) == pytest.approx(wanted, rel=1e-9)
    assert not found.doubtful


def test_jax_and_torch_take_a_cascade(jax):
    import jax.numpy as jnp
    from stickslip.jax import simulator

    motion = simulator(cascade(), HELD, 2, t=[2.0])
    grad = jax.grad(lambda p: motion(p)[0][0])(jnp.array([1.0, 1.0]))
    assert float(grad.sum()) == pytest.approx((1 - np.cos(4.0)) / 4, abs=1e-14)
    torch = pytest.importorskip("torch")
    from stickslip.torch import simulator

    p = torch.tensor([1.0, 1.0], dtype=torch.float64, requires_grad=True)
    simulator(cascade(), HELD, 2, t=[2.0])(p)[0].sum().backward()
    assert p.grad.numpy() == pytest.approx(np.asarray(grad), rel=1e-14)
    forward = simulator(cascade(), "cascade.mass", 2, t=[2.0])
    assert torch.autograd.gradcheck(forward, (torch.tensor([1.0], dtype=torch.float64, requires_grad=True),), eps=1e-6, atol=1e-6)


def test_a_function_has_no_derivatives_and_it_is_said_what_has():
    pulled = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.5), x0=2.0, load=lambda x, v, t: -0.1 * x)
    for method in ("forward", "reverse"):
        with pytest.raises(ss.InputError, match="`load` as a polynomial in `stiffness`"):
            ss.value_and_grad(pulled, lambda out: (out.x[0], {"x": [1.0]}), "oscillator.mass", 2, t=[2.0], method=method)


def test_jax_takes_a_mass_between_walls(jax):
    import jax.numpy as jnp
    from stickslip.jax import simulator

    ball = ss.Impact(mass=2, restitution=0.5, wall=0, force=ss.sampled([0, 1, 2], [-4.0, -4.0, -4.0]), x0=1.0)
    motion = simulator(ball, ["impact.restitution", "impact.force.0.sampled"], 1.5, t=[1.25])
    at = jnp.array([0.5, -4.0, -4.0, -4.0])
    # After the impact x = e v (t - 1) - (t - 1)²: ∂x/∂e = 2 · 0.25.
    x, _ = motion(at)
    assert np.asarray(x) == pytest.approx([0.25 - 0.0625], rel=1e-13)
    assert float(jax.grad(lambda p: motion(p)[0][0])(at)[0]) == pytest.approx(0.5, rel=1e-11)


def test_jax_goes_back_through_samples():
    jax = pytest.importorskip("jax")
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        import jax.numpy as jnp
        from stickslip.jax import simulator

        motion = simulator(rig(), ["oscillator.mass", SAMPLED], t_end=22, t=T)
        p = jnp.concatenate([jnp.array([1.3]), jnp.array(VALUES)])

        def value(q):
            x, v = motion(q)
            return (x**2).sum() + v[1]

        def plain(out):
            return (out.x**2).sum() + out.v[1], {"x": 2 * out.x, "v": [0, 1, 0, 0]}

        wanted = ss.value_and_grad(rig(), plain, ["oscillator.mass", SAMPLED], t_end=22, t=T)
        assert float(value(p)) == wanted.value
        for grad in (jax.grad(value)(p), jax.jit(jax.grad(value))(p)):
            assert np.asarray(grad) == pytest.approx(wanted.grad, rel=1e-13, abs=1e-15)
        batch = jnp.stack([p, 1.01 * p])
        grads = jax.vmap(jax.grad(value))(batch)
        assert grads.shape == batch.shape and np.asarray(grads[0]) == pytest.approx(wanted.grad, rel=1e-13, abs=1e-15)
        one = jax.grad(value)(batch[1])
        assert np.asarray(grads[1]) == pytest.approx(np.asarray(one), rel=1e-13, abs=1e-15)
        many = simulator(rig(), KEYS, t_end=22, t=T)
        at = jnp.array([1.3, 4.0, 0.2, 1.0, 0.7, 0.0, 0.0, 0.4, 1.7, 0.2])
        rows = jax.jacrev(lambda q: many(q)[0])(at)
        # The mass starts at rest, where a push to either side has another effect.
        with pytest.warns(ss.MotionWarning):
            s = ss.sensitivity(rig(), KEYS, t_end=22, t=T)
        known = np.isfinite(s.x)
        assert np.asarray(rows)[known] == pytest.approx(s.x[known], rel=1e-9, abs=1e-12)
    finally:
        jax.config.update("jax_enable_x64", before)


def test_torch_goes_back_through_samples():
    torch = pytest.importorskip("torch")
    from stickslip.torch import simulator

    motion = simulator(rig(), ["oscillator.mass", SAMPLED], t_end=22, t=T)
    p = torch.tensor(np.concatenate([[1.3], VALUES]), requires_grad=True)
    x, v = motion(p)
    value = (x**2).sum() + v[1]
    value.backward()

    def plain(out):
        return (out.x**2).sum() + out.v[1], {"x": 2 * out.x, "v": [0, 1, 0, 0]}

    wanted = ss.value_and_grad(rig(), plain, ["oscillator.mass", SAMPLED], t_end=22, t=T)
    assert value.item() == wanted.value and p.grad.numpy() == pytest.approx(wanted.grad, rel=1e-13, abs=1e-15)
    # A batch, in which each motion has a push of its own.
    batch = torch.stack([p.detach(), 1.01 * p.detach()]).requires_grad_()
    xs, vs = motion(batch)
    assert xs.shape == vs.shape == (2, 4)
    ((xs**2).sum() + vs[:, 1].sum()).backward()
    assert batch.grad[0].numpy() == pytest.approx(wanted.grad, rel=1e-13, abs=1e-15)
    assert not np.allclose(batch.grad[1].numpy(), wanted.grad, rtol=1e-3)


def test_torch_checks_gradients_of_samples():
    torch = pytest.importorskip("torch")
    from stickslip.torch import simulator

    # Ten values of a push, and more numbers than forward mode is taken for.
    push = ss.sampled(np.linspace(0.0, 9.0, 10), [0.0, 2.1, -1.9, 2.4, -2.2, 1.7, -1.8, 2.3, -2.0, 1.9])
    model = ss.Oscillator(mass=1.3, stiffness=4.0, damping=0.2, friction=ss.static_dynamic(1.0, 0.7), force=push, x0=0.3, v0=1.0)
    keys = [SAMPLED, *KEYS[:7]]
    motion = simulator(model, keys, t_end=8.5, t=[1.3, 4.0, 8.4])
    numbers = [*np.asarray([0.0, 2.1, -1.9, 2.4, -2.2, 1.7, -1.8, 2.3, -2.0, 1.9]), 1.3, 4.0, 0.2, 1.0, 0.7, 0.3, 1.0]
    p = torch.tensor(numbers, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(motion, (p,), eps=1e-6, atol=1e-6, rtol=1e-5)
