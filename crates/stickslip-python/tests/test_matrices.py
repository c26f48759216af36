"""Networks from matrices."""

from __future__ import annotations

import numpy as np
import pytest
import stickslip as ss

M = np.diag([1.0, 2.0, 1.5])
K = np.array([[5.0, -3.0, 0.0], [-3.0, 4.0, -1.0], [0.0, -1.0, 1.0]])
C = np.array([[0.1, 0.0, 0.0], [0.0, 0.2, -0.2], [0.0, -0.2, 0.2]])


def by_hand():
    return ss.Network(
        nodes=[ss.node(f"n{i}", M[i, i], x0=0.1 * i) for i in range(3)],
        springs=[ss.spring("n0", "n1", 3.0), ss.spring("n1", "n2", 1.0), ss.spring("n0", "ground", 2.0)],
        dashpots=[ss.dashpot("n1", "n2", 0.2), ss.dashpot("n0", "ground", 0.1)],
        sliders=[ss.slider("n0", "ground", 1.2, 1.0), ss.slider("n1", "n2", 0.5, 0.4)],
        forces={"n2": ss.harmonic(2.0, 1.0)},
    )


@pytest.mark.parametrize("sparse", [False, True])
def test_the_same_network_as_by_hand(sparse):
    given = (M, C, K)
    contacts = np.array([[1, 0, 0], [0, 1, -1]])
    if sparse:
        scipy = pytest.importorskip("scipy.sparse")
        given = tuple(scipy.csr_matrix(m) for m in given)
        contacts = scipy.coo_matrix(contacts)
    limits, x0 = [[1.2, 1.0], [0.5, 0.4]], [0.0, 0.1, 0.2]
    net = ss.Network.from_matrices(*given, contacts, limits, forces={2: ss.harmonic(2.0, 1.0)}, x0=x0)
    one, other = ss.solve(net, 10.0, "exact"), ss.solve(by_hand(), 10.0, "exact")
    assert (one.events["event"] == other.events["event"]).all()
    assert one.events["t"] == pytest.approx(other.events["t"], rel=1e-9)
    again = ss.Network.from_matrices(M, C, K, [0, (1, 2)], limits, forces={"n2": ss.harmonic(2.0, 1.0)}, x0=x0)
    assert again == ss.Network.from_matrices(M, C, K, contacts if not sparse else [0, (1, 2)], limits, forces={2: ss.harmonic(2.0, 1.0)}, x0=x0)


def test_free_vibration_has_the_eigenvalues_of_the_matrices():
    net = ss.Network.from_matrices(M, None, K, x0=[1.0, 0.0, 0.0])
    ts = np.linspace(0.0, 10.0, 50)
    root = np.diag(1.0 / np.sqrt(np.diag(M)))
    values, vectors = np.linalg.eigh(root @ K @ root)
    start = vectors.T @ np.linalg.inv(root) @ [1.0, 0.0, 0.0]
    want = root @ vectors @ (start[:, None] * np.cos(np.sqrt(values)[:, None] * ts))
    assert ss.solve(net, 10.0, "exact")(ts)[:3] == pytest.approx(want, abs=1e-9)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((np.ones((2, 2)),), "kinetic energy"),
        ((np.ones((2, 3)),), "square"),
        ((np.array([[1.0, 0.2], [0.1, 1.0]]),), "symmetric"),
        ((M, None, K[:2, :2]), "`K` has the shape"),
        ((M, None, np.triu(K)), "symmetric"),
        ((M, None, np.full((3, 3), np.nan)), "not finite"),
        ((M, None, K, [0]), "`limits` is missing"),
        ((M, None, K, [7], [1.0]), "contacts"),
        ((M, None, K, [0], [1.0, 2.0]), "`limits` has the shape"),
        ((M, None, K, np.array([[0, 0, 0]]), [1.0]), "row 0 of `contacts`"),
        ((M, None, K, np.array([[0.6, 0.8, 0], [1.2, 1.6, 0]]), [1.0, 1.0]), "other contacts"),
        (("x",), "matrix"),
    ],
)
def test_what_is_wrong(arguments, message):
    with pytest.raises(ss.InputError, match=message):
        ss.Network.from_matrices(*arguments)


def test_other_coordinates_have_the_same_motion():
    S = np.array([[1.0, 0.4, -0.2], [0.3, 1.0, 0.5], [-0.6, 0.2, 1.0]])
    G = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, -1.0]])
    force = np.array([0.5, 0.0, 2.0])
    x0 = np.array([0.3, -0.2, 0.1])
    limits = [[1.2, 1.0], [0.5, 0.4]]

    def made(M, K, G, force, x0):
        forces = {i: ss.harmonic(float(f), 1.0) for i, f in enumerate(force) if f != 0.0}
        return ss.Network.from_matrices(M, 0.1 * M, K, G, limits, forces=forces, x0=x0)

    plain = made(M, K, G, force, x0)
    other = made(S.T @ M @ S, S.T @ K @ S, G @ S, S.T @ force, np.linalg.solve(S, x0))
    assert not plain.matrices and set(other.matrices) == {"mass", "damping", "stiffness"}
    one, two = ss.solve(plain, 10.0, "exact"), ss.solve(other, 10.0, "exact")
    assert len(one.events) > 4
    assert one.events["t"] == pytest.approx(two.events["t"], abs=1e-9)
    ts = np.linspace(0.0, 10.0, 40)
    a, b = one.sample(ts), two.sample(ts)
    assert a["x_n0"] == pytest.approx(b["x_s1"], abs=1e-9)
    assert a["x_n1"] - a["x_n2"] == pytest.approx(b["x_s2"], abs=1e-9)
    assert a["friction_s2"] == pytest.approx(b["friction_s2"], abs=1e-8)
