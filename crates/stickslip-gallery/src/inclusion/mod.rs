//! Bastien, Bernardin and Lamarque (2013), chapter 1: why an inclusion and not a sign; other laws; impacts; noise.

mod brownian;
mod corner;
mod impact;
mod kanai_tajimi;
mod law;
mod resolvent;
mod schatzman;
mod sign;
mod soft;
mod solvers;
mod stribeck;
mod white_noise;

use super::{Item, Work};

/// Its figures and claims.
pub const ITEMS: [Item; 15] = [
    Item {
        name: "sign-euler",
        place: "Fig. 1.3",
        title: "the explicit scheme with sign(0) = 0",
        claim: "u′ + sign u = t from u(0) = 0, sign 0 = 0: the explicit Euler scheme oscillates; |u_{n}| ≤ 2h (1.23).",
        ours: "The same scheme (1.18) with two steps, and the solution of the inclusion, which stays at rest.",
        run: sign::oscillates,
    },
    Item {
        name: "sign-extremes",
        place: "Fig. 1.4",
        title: "extreme values of |u_{n}/h| against N",
        claim: "the maximum of |u_{n}/h| stays below 2; the minimum over n ≥ 2 seems to lie between two curves, the upper one of values that are not zero, of the order of 10^{−5}.",
        ours: "The same for 120 values of N from 10 to 10^{5.5}.",
        run: sign::extremes,
    },
    Item {
        name: "sign-changes",
        place: "Fig. 1.5",
        title: "number of sign changes P(N)",
        claim: "P(N) ≈ 0.5000000232 N − 1.3748 with a correlation of 0.9999999999074: every second step changes the sign.",
        ours: "The same count for 120 values of N from 10 to 10^{5.5}, and the least-squares line. The book does not give its values of N.",
        run: sign::changes,
    },
    Item {
        name: "sign-implicit",
        place: "§1.2.2, 2",
        title: "the implicit scheme with sign(0) = 0",
        claim: "u_{1} = 0, and no u_{2} exists: neither u_{2} = 0, nor u_{2} > 0, nor u_{2} < 0 satisfies (1.27).",
        ours: "The scheme stops with an error that names the step without a solution.",
        run: sign::implicit,
    },
    Item {
        name: "sign-solvers",
        place: "Figs. 1.6, 1.7",
        title: "two general-purpose solvers with sign(0) = 0",
        claim: "two MATLAB solvers oscillate on [0, 1] with a velocity that is not zero, and slip without oscillation after t = 1.",
        ours: "The same pairs of Runge–Kutta formulas, 3(2) and 5(4), from an independent library with MATLAB's default tolerances.",
        run: solvers::run,
    },
    Item {
        name: "inclusion",
        place: "Fig. 1.8",
        title: "the implicit scheme on the inclusion",
        claim: "rigorously 0 on [0, 1] without oscillation, then (t − 1)²/2 with an error O(h).",
        ours: "u^{+} = prox(u + hF) for eight steps; the error against (1.31).",
        run: resolvent::run,
    },
    Item {
        name: "stribeck",
        place: "Fig. 1.10",
        title: "Stribeck's law",
        claim: "A(w) = D/(A|w|³ + Bw² + C|w| + 1) σ(w), A = 0.01, B = 0.2, C = 0.01, D = 900.",
        ours: "The graph of the law. Because the friction decreases with the velocity, an implicit step has several solutions if it is long.",
        run: stribeck::run,
    },
    Item {
        name: "impact",
        place: "§1.3.1",
        title: "one impact with its impulse, and infinitely many impacts",
        claim: "from u_{0} > 0, v_{0} < 0: impact at t_{1} = −u_{0}/v_{0}, velocity −e v_{0} after it, the reaction R_{1}δ with R_{1} the jump of the velocity.",
        ours: "The elastic case of the book, and a ball with e = 0.9, whose infinitely many bounces end at a known time.",
        run: impact::run,
    },
    Item {
        name: "penalisation",
        place: "§1.3.1",
        title: "a stiff spring, and Yosida's regularisation",
        claim: "a spring of stiffness K engaged below l, Kl = 1, and Yosida's ∂ψ_{λ} tend to the impact with e = 1 as K → ∞ and λ → 0.",
        ours: "Both up to K = 10^{10} with exact event times: duration of the contact, velocity after it, and distance from the rigid motion.",
        run: soft::run,
    },
    Item {
        name: "corner",
        place: "§1.3.2",
        title: "a point sent into a corner",
        claim: "u_{0} = (1 − h, ½ + h), v_{0} = (−1, −½): the solution as a function of h is continuous on one side of h = 0 only.",
        ours: "Both limits h → 0^{±} for wedges of many angles, and the energy-conserving rule. The book leaves the angle open; the limits agree for angles π/n only.",
        run: corner::run,
    },
    Item {
        name: "schatzman",
        place: "§1.3.2",
        title: "Schatzman's smooth force with two solutions",
        claim: "a force f ∈ C^{∞} under which a mass on a wall may rest, or bounce infinitely often with amplitudes that vanish as t → 0^{+}.",
        ours: "A force of this kind in closed form. Both solutions are verified at each impact by an independent integration.",
        run: schatzman::run,
    },
    Item {
        name: "brownian",
        place: "Figs. 1.11, 1.12",
        title: "white noise: the explicit scheme does not oscillate",
        claim: "du = −sign(u) dt + dB by the explicit scheme, h from 10^{−4} to 2·10^{−3}: the six paths cannot be told apart, and zooming in shows no oscillation.",
        ours: "The same six steps on one Brownian path.",
        run: brownian::run,
    },
    Item {
        name: "brownian-law",
        place: "§1.4",
        title: "the exact distribution under white noise",
        claim: "the law of u(t) is known (Shreve); the set of times with u = 0 has measure zero.",
        ours: "200 000 sample paths of the resolvent scheme at t = 1, compared with the closed form of the density.",
        run: law::run,
    },
    Item {
        name: "white-noise",
        place: "next to §1.4",
        title: "white noise removes static friction",
        claim: "the distribution under white noise is given for Coulomb's law, f_{s} = f_{d}.",
        ours: "The scheme with f_{s} = 5 f_{d} and with f_{s} = f_{d}: as h → 0 the share of time in stick tends to 0 as h^{3/2}, and the distribution of the velocity no longer depends on f_{s}.",
        run: white_noise::run,
    },
    Item {
        name: "kanai-tajimi",
        place: "Figs. 1.14, 1.15",
        title: "filtered noise: sign against inclusion",
        claim: "under Kanai–Tajimi noise the scheme with sign(0) = 0 oscillates as in the deterministic case (1.14); the scheme for the inclusion does not (1.15).",
        ours: "Both schemes with the six steps of the book on one sample path of the noise, and the exact motion under that path.",
        run: kanai_tajimi::run,
    },
];
