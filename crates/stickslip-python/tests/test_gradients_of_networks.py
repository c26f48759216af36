"""Gradients of losses of networks and machines: forward and reverse mode, samples as unknowns, JAX and PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
import stickslip as ss

T = np.array([1.5, 3.0, 7.25, 9.0])
TIMES = np.arange(0.0, 10.25, 0.25)
PUSH = 2.0 * np.sin(1.1 * TIMES) + 0.7 * np.cos(2.9 * TIMES)
NORMAL = 1.0 + 0.3 * np.sin(0.7 * TIMES)
OF_FORCE, OF_NORMAL = "network.force.1.sampled", "network.slider.0.normal.0.sampled"
KEYS = ["network.node.0.mass", "network.spring.1.stiffness", "network.slider.0.dynamic", "network.force.0.harmonic.amplitude"]


def pair(push=PUSH, normal=NORMAL, hold="linear", **parts):
    """Two masses, one of which rubs under a normal force that changes."""
    return ss.Network(
        nodes=[ss.node("a", 1.0, x0=0.4), ss.node("b", 2.0, x0=0.1)],
        springs=[ss.spring("a", "b", 3.0), ss.spring("b", "ground", 1.0)],
        dashpots=[ss.dashpot("a", "ground", 0.1)],
        sliders=[ss.slider("a", "ground", 1.2, 1.0, normal=ss.sampled(TIMES, normal))],
        forces={"a": ss.harmonic(2.0, 1.0) + ss.sampled(TIMES, push, hold=hold)},
        **parts,
    )


def machine(**changed):
    """The same between stops, and a controller that pulls the second mass back."""
    stop = ss.stop("b", "ground", lower=-0.9, upper=0.9, restitution=0.6)
    return pair(stops=[stop], controllers=[ss.controller(of="b", on="b", proportional=2.0, derivative=0.3)], **changed)


def loss(out):
    assert out.x.shape == out.v.shape == (2, 4)
    value = (out.x**2).sum() + out.v[1, 1] + 0.5 * out.event_times[2:3].sum()
    of_v = np.zeros((2, 4))
    of_v[1, 1] = 1.0
    return value, {"x": 2 * out.x, "v": of_v, "event_times": 0.5 * (np.arange(len(out.event_times)) == 2)}


def states_of(model):
    path = ss.solve(model, t_end=10)
    return path(T).reshape(2, 2, -1), path.events["t"]


def value_of(model):
    (x, v), times = states_of(model)
    return loss(ss.Outputs(T, x, v, times))[0]


def slope(at, h=2e-4):
    return (8 * (at(h) - at(-h)) - at(2 * h) + at(-2 * h)) / (12 * h)


@pytest.mark.parametrize("model", [pair, machine])
def test_both_modes_agree(model):
    ways = [ss.value_and_grad(model(), loss, KEYS, 10, t=T, method=m) for m in ("forward", "reverse")]
    assert ways[0].value == ways[1].value == pytest.approx(value_of(model()), rel=1e-13)
    assert ways[0].sensitivity is not None and ways[1].sensitivity is None
    assert ways[1].grad == pytest.approx(ways[0].grad, rel=1e-9)
    assert ss.value_and_grad(model(), loss, KEYS, 10, t=T).sensitivity is not None


@pytest.mark.parametrize("model", [pair, machine])
@pytest.mark.parametrize("hold", ["linear", "zero"])
def test_samples_are_unknowns(model, hold):
    found = ss.value_and_grad(model(hold=hold), loss, [OF_NORMAL, KEYS[0], OF_FORCE], 10, t=T)
    assert found.sizes == (len(TIMES), 1, len(TIMES)) and not found.doubtful
    wanted = slope(lambda by: value_of(model(hold=hold).replace(nodes=[ss.node("a", 1.0 + by, x0=0.4), ss.node("b", 2.0, x0=0.1)])))
    assert found.of(KEYS[0]) == pytest.approx(wanted, rel=1e-7)
    for key, name, values in ((OF_FORCE, "push", PUSH), (OF_NORMAL, "normal", NORMAL)):
        grad = found.of(key)
        for k in range(1, 38, 4):

            def moved(by, name=name, values=values, k=k):
                values = values.copy()
                values[k] += by
                return value_of(model(**{name: values}, hold=hold))

            assert abs(grad[k] - slope(moved)) < 1e-7 * np.abs(grad).max(), (key, k)


OF_REFERENCE, OF_SURFACE = "network.controller.0.reference.1.sampled", "network.slider.0.support.0.sampled"
GOAL = 0.3 * np.sin(0.9 * TIMES) + 0.1 * np.sin(2.3 * TIMES)
SPEED = 0.4 + 0.2 * np.sin(0.8 * TIMES)


@pytest.mark.parametrize("hold", ["linear", "zero"])
@pytest.mark.parametrize("quantity, sample_time", [("displacement", None), ("velocity", None), ("displacement", 0.125)])
def test_samples_of_references_and_surfaces_are_unknowns(quantity, sample_time, hold):
    def servo(goal=GOAL, speed=SPEED):
        reference = ss.harmonic(0.2, 0.5) + ss.sampled(TIMES, goal, hold=hold)
        gains = {"proportional": 8.0, "integral": 1.0, "derivative": 1.5, "filter": 0.05}
        return ss.Network(
            nodes=[ss.node("a", 1.0, x0=0.4), ss.node("b", 2.0, x0=0.1)],
            springs=[ss.spring("a", "b", 9.0), ss.spring("b", "ground", 1.0)],
            sliders=[ss.slider("a", "ground", 0.8, 0.5, support=ss.sampled(TIMES, speed))],
            controllers=[ss.controller(of="b", on="b", reference=reference, quantity=quantity, sample_time=sample_time, **gains)],
        )

    found = ss.value_and_grad(servo(), loss, [OF_REFERENCE, OF_SURFACE], 10, t=T)
    assert not found.doubtful
    for key, name, values in ((OF_REFERENCE, "goal", GOAL), (OF_SURFACE, "speed", SPEED)):
        grad = found.of(key)
        for k in range(0, 37, 4):

            def moved(by, name=name, values=values, k=k):
                values = values.copy()
                values[k] += by
                return value_of(servo(**{name: values}))

            assert abs(grad[k] - slope(moved)) < 1e-7 * np.abs(grad).max(), (key, k)


def test_a_signal_that_is_zero_has_a_gradient():
    # On a spring x(2) = ∫ sin(ω (2 − t)) F(t) dt / (m ω), of a force that is not there yet.
    push = ss.sampled([0, 1, 2], [0.0, 0.0, 0.0])
    pulled = ss.Network(nodes=[ss.node("a", 2.0)], springs=[ss.spring("a", "ground", 3.0)], forces={"a": push})
    found = ss.value_and_grad(pulled, lambda out: (out.x[0, 0], {"x": [[1.0]]}), "network.force.0.sampled", 2, t=[2.0])
    node, weight = np.polynomial.legendre.leggauss(20)
    wanted, rate = np.zeros(3), np.sqrt(1.5)
    for piece in (0, 1):
        share = 0.5 * (1.0 + node)
        of = 0.5 * weight * np.sin(rate * (2.0 - piece - share)) / (2.0 * rate)
        wanted[piece : piece + 2] += [(of * (1.0 - share)).sum(), (of * share).sum()]
    assert found.value == 0.0 and found.grad == pytest.approx(wanted, abs=1e-12)


def test_what_rests_at_the_start_has_a_gradient():
    # Held by 1.2 N under 0.9 N of the spring, however large the push becomes later.
    nodes, springs = [ss.node("a", 1.0, x0=0.3), ss.node("b", 2.0)], [ss.spring("a", "b", 3.0), ss.spring("b", "ground", 1.0)]
    rest = ss.Network(nodes=nodes, springs=springs, sliders=[ss.slider("a", "ground", 1.2, 1.0)], forces={"a": ss.sampled([0, 2, 9], [0.0, 9.0, -9.0])})
    found = ss.value_and_grad(rest, lambda out: (out.x[0, 0], {"x": [[1.0], [0.0]]}), "network.force.0.sampled", 6, t=[5.0])
    assert not found.doubtful and (found.grad != 0.0).all()

    def end(values):
        return ss.solve(rest.replace(forces={"a": ss.sampled([0, 2, 9], values)}), 6)(5.0)[0]

    wanted = [slope(lambda by, k=k: end(np.array([0.0, 9.0, -9.0]) + by * (np.arange(3) == k))) for k in range(3)]
    assert found.grad == pytest.approx(wanted, rel=1e-7)


@pytest.mark.parametrize(
    ("wrt", "match"),
    [
        ("network.force.0.sampled", "expected samples that were given as ss.sampled"),
        ("network.force.7.sampled", "no samples of this model"),
        ("network.slider.1.normal.0.sampled", "no samples of this model"),
        ("network.motion.0.sampled", "no samples of this model"),
        ("network.slider.0.support.0.sampled", "no samples of this model"),
        ("network.controller.0.reference.0.sampled", "no samples of this model"),
    ],
)
def test_what_is_wrong_is_said(wrt, match):
    with pytest.raises(ss.InputError, match=match):
        ss.value_and_grad(pair(), loss, wrt, 10, t=T)


def test_after_a_doubt_there_is_no_gradient():
    # A block that comes to rest just at its limit: with a smaller load it stays, with a larger one it goes on.
    block = ss.Network(
        nodes=[ss.node("a", 1.0, v0=-2.0)],
        sliders=[ss.slider("a", "ground", 1.0, 1.0)],
        forces={"a": ss.sampled([0, 5], [1.0, 1.0])},
    )

    def end(out):
        return out.x[0, 0], {"x": [[1.0]]}

    for at, known in ((0.5, True), (2.5, False)):
        found = ss.value_and_grad(block, end, "network.force.0.sampled", 3, t=[at])
        assert np.isfinite(found.grad).all() == known and np.isnan(found.grad).all() != known
        assert known or [round(t, 9) for t, _ in found.doubtful] == [1.0]


def test_where_there_is_none_the_remedy_is_said():
    # Friction by a table has corners, where its derivatives are differences of motions: there is no way back along those.
    law = ss.table([0.0, 0.5, 2.0], [1.0, 0.8, 0.9])
    parts = {"nodes": [ss.node("a", 1.0, v0=2.0)], "forces": {"a": ss.sampled([0, 5], [0.1, 0.2])}}
    model = ss.Network(sliders=[ss.slider("a", "ground", friction=law)], **parts)

    def end(out):
        return out.x[0, 0], {"x": [[1.0]]}

    for wrt, method, remedy in (
        ("network.node.0.mass", "reverse", "take derivatives in forward mode"),
        ("network.force.0.sampled", None, "leave the samples out"),
    ):
        with pytest.raises(ss.UnsolvableError, match=remedy):
            ss.value_and_grad(model, end, wrt, 3, t=[1.0], method=method)


def test_nodes_without_mass_have_gradients():
    # c x' = F - k x: x(2) = ∫ exp(-k (2 - t)/c) F/c dt, of the last sample ∫₁² exp(t - 2) (t - 1) dt = 1/e.
    push = ss.sampled([0, 1, 2], [1.0, 2.0, 3.0])
    creeping = ss.Network(nodes=[ss.node("a", 0.0)], springs=[ss.spring("a", "ground", 1.0)], dashpots=[ss.dashpot("a", "ground", 1.0)], forces={"a": push})
    keys = ["network.force.0.sampled", "network.spring.0.stiffness"]

    def end(out):
        return out.x[0, 0], {"x": [[1.0]]}

    found = ss.value_and_grad(creeping, end, keys, 2, t=[2.0])
    assert found.of(keys[0])[2] == pytest.approx(np.exp(-1.0), abs=1e-14) and not found.doubtful
    forward = ss.value_and_grad(creeping, end, keys[1], 2, t=[2.0], method="forward")
    assert found.of(keys[1]) == pytest.approx(forward.grad[0], rel=1e-12)


def test_beside_a_graze_there_are_derivatives_on_both_sides():
    """A ball that is thrown up and just reaches a ceiling at 1 m: x = v₀ t - t². Faster than 2 m/s it meets the ceiling at t₁ = (v₀ - u)/2 with the
    speed u = √(v₀² - 4), and falls from it with e u: x = 1 - e u τ - τ², τ = t - t₁."""
    e, t, v = 0.5, np.array([0.5, 1.5]), 2.0
    thrown = ss.Network(
        nodes=[ss.node("a", 1.0, v0=v)],
        forces={"a": ss.constant(-2.0)},
        stops=[ss.stop("a", "ground", upper=1.0, restitution=e)],
    )
    s = ss.sensitivity(thrown, ["network.node.0.velocity"], 1.9, t=t)
    # Slower it turns before the ceiling.
    assert s.below.x[:, 0, 0] == pytest.approx(t, rel=1e-9) and s.below.v[:, 0, 0] == pytest.approx([1.0, 1.0], rel=1e-9)
    # `above` moves the velocity by 1e-7 of itself.
    v *= 1.0 + 1e-7
    u = np.sqrt(v**2 - 4.0)
    later, of_u, of_t = 1.5 - (v - u) / 2.0, v / u, (1.0 - v / u) / 2.0
    of_x = -e * of_u * later + (e * u + 2.0 * later) * of_t
    of_v = -e * of_u + 2.0 * of_t
    # √(v₀² - 4) has lost seven digits.
    assert s.above.x[:, 0, 0] == pytest.approx([0.5, of_x], rel=1e-6) and abs(of_x) > 1000
    assert s.above.v[:, 0, 0] == pytest.approx([1.0, of_v], rel=1e-6)


def test_a_loss_has_the_shape_of_the_outputs():
    with pytest.raises(ss.InputError, match=r"has the shape \(4,\); expected \(2, 4\)"):
        ss.value_and_grad(pair(), lambda out: (0.0, {"x": np.zeros(4)}), KEYS, 10, t=T)


def test_jax_differentiates_a_machine(jax):
    import jax.numpy as jnp
    from stickslip.jax import simulator

    s = ss.sensitivity(machine(), KEYS, 10, t=T)
    motion = simulator(machine(), KEYS, 10, t=T)
    at = jnp.array([1.0, 1.0, 1.0, 2.0])
    (x, v), _ = states_of(machine())
    assert np.asarray(motion(at)).tobytes() == np.stack([x, v]).tobytes()
    for way in (jax.jacfwd, jax.jacrev):
        of_x, of_v = way(motion)(at)
        assert of_x.shape == (2, 4, 4)
        assert np.asarray(of_x) == pytest.approx(s.x.swapaxes(0, 1), rel=1e-12)
        assert np.asarray(of_v) == pytest.approx(s.v.swapaxes(0, 1), rel=1e-12)
    batch = jnp.stack([at, 1.01 * at])
    xs, _ = jax.jit(jax.vmap(motion))(batch)
    assert xs.shape == (2, 2, 4) and np.asarray(xs[1]).tobytes() == np.asarray(motion(batch[1])[0]).tobytes()
    # Samples go back.
    back = simulator(machine(), [KEYS[0], OF_FORCE], 10, t=T)
    p = jnp.concatenate([jnp.array([1.0]), jnp.array(PUSH)])

    def value(q):
        x, v = back(q)
        return (x**2).sum() + v[1, 1]

    def plain(out):
        of_v = np.zeros((2, 4))
        of_v[1, 1] = 1.0
        return (out.x**2).sum() + out.v[1, 1], {"x": 2 * out.x, "v": of_v}

    wanted = ss.value_and_grad(machine(), plain, [KEYS[0], OF_FORCE], 10, t=T)
    grads = jax.vmap(jax.grad(value))(jnp.stack([p, 1.001 * p]))
    assert np.asarray(jax.grad(value)(p)) == pytest.approx(wanted.grad, rel=1e-12)
    assert np.asarray(grads[0]) == pytest.approx(wanted.grad, rel=1e-12) and np.isfinite(grads[1]).all()


def test_torch_checks_gradients_of_a_machine():
    torch = pytest.importorskip("torch")
    from stickslip.torch import simulator

    model = machine()
    for keys, at in ((KEYS, [1.0, 1.0, 1.0, 2.0]), ([OF_NORMAL, KEYS[0]], [*NORMAL, 1.0])):
        motion = simulator(model, keys, 10, t=T[:3])
        p = torch.tensor(np.array(at), requires_grad=True)
        assert torch.autograd.gradcheck(motion, (p,), eps=1e-6, atol=1e-5, rtol=1e-4)
    batch = torch.tensor(np.array([at, at]), requires_grad=True)
    x, _ = motion(batch)
    assert x.shape == (2, 2, 3)
    x[1].sum().backward()
    assert (batch.grad[0] == 0.0).all() and (batch.grad[1] != 0.0).any()
