//! Misprints of the papers that their formulas or numbers prove.

/// A misprint: paper and place, what it says, what it should say, and how we know.
pub type Misprint = [&'static str; 4];

/// All that were found.
pub const MISPRINTS: [Misprint; 13] = [
    [
        "Bensoussan et al. 2021, (23)",
        "τ_{j} in the integral and the sine",
        "τ_{j+1/2}",
        "the slip begins there; with τ_{j} the stick would count as slip, see shaw",
    ],
    [
        "Bensoussan et al. 2021, §2.3.3",
        "τ_{j+1} ≜ τ_{j}^{k}",
        "τ_{j}^{k+1}",
        "the sub-phase just computed ends there, see sub-phases",
    ],
    [
        "Bensoussan et al. 2021, (27)",
        "(ẋ − φ)",
        "(φ − ẋ), as in (15)",
        "with the printed sign friction would drive the motion",
    ],
    [
        "Bensoussan et al. 2021, Theorem 1, step 2",
        "|b| ≤ f_{s} from the V.I.",
        "≤ f_{d}",
        "the inequality contains f_{d} only",
    ],
    [
        "Bensoussan et al. 2021, Theorem 1, step 4",
        "x(t*) = 0",
        "ẋ(t*) = 0",
        "zeros of the velocity are meant",
    ],
    [
        "Bensoussan et al. 2021, Table 2, run 1",
        "K = 1.75·10^{5}",
        "1.75·10^{8}",
        "the printed mean needs it: recomputed in bearing-runs",
    ],
    [
        "Bensoussan et al. 2021, Table 2",
        "f in N",
        "MN",
        "f_{s}/K = 0.47·10^{6}/1.89·10^{8} = 2.5 mm fits the displacements",
    ],
    [
        "Bensoussan et al. 2021, §4.1",
        "K_{BP} = 2.0·10^{6} N/m",
        "2.0·10^{9} N/m, an input here",
        "κ = K/K_{BP} would be 94, but it is a share of 1",
    ],
    [
        "Schatzman et al. 1999, after (33)",
        "σ strictly increasing",
        "h strictly increasing",
        "σ is constant on each side of 0; used is h(t) > h(0)",
    ],
    ["Bastien et al. 2013, (1.38)", "Stibek", "Stribeck", "a name"],
    [
        "Bastien and Lamarque, (2.2)",
        "g_{i} ∈ α_{i}σ(v̇_{i})",
        "−α_{i}σ(v̇_{i})",
        "friction opposes the slip; (3.2) has the sign",
    ],
    [
        "Bastien and Lamarque, (3.4) and (3.12)",
        "+α_{1}σ; u_{n}; k_{1}v_{1}",
        "−α_{1}σ; v_{n}; k_{0}v_{1}",
        "(3.1) to (3.3) put together; cascade-order converges with these only",
    ],
    [
        "Bastien and Lamarque, (3.13), (3.17)",
        "[K^{−1}u]_{1}, u = (1, …, 1)",
        "[K^{−1}e_{1}]_{1}",
        "Z = k_{0}x e_{1} in (3.7)",
    ],
];
