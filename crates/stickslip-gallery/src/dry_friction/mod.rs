//! Bensoussan et al. (2021): the two-phase oscillator.

mod bearing;
mod order;
mod order_noise;
mod quasi_static;
mod rate;
mod shaw;
mod shaw_noise;
mod sub_phases;

use super::{Item, Work};
use stickslip::study::order::Row;
use stickslip_report::html::{Table, number};

/// Its figures and tables.
pub const ITEMS: [Item; 9] = [
    Item {
        name: "shaw",
        place: "Fig. 1",
        title: "harmonic forcing, stick and slip",
        claim: "Shaw's oscillator (m = K = 1, f_{d} = 1, f_{s} = 1.2, β = 6, ω = 1/2) sticks and slips in turn; the times τ_{j} and τ_{j+1/2} are marked on the trajectory.",
        ours: "The exact solution, phase by phase: each τ is the root of a closed form. The paper does not give the start; here it is x(0) = 6, where the spring is relaxed.",
        run: shaw::run,
    },
    Item {
        name: "shaw-noise",
        place: "Fig. 2 A–C",
        title: "the same under an Ornstein–Uhlenbeck perturbation",
        claim: "with T = cos(ωt) + ρv, dv = −v dt + dw, ρ = 0.25, displacement (A), velocity and forces (B) and the plane of relative displacement and velocity (C); sub-phases occur in the dynamic phases.",
        ours: "One sample path of the noise, which has the exact distribution on any grid; the Euler scheme of the paper and the exact solution are computed under the same path.",
        run: shaw_noise::run,
    },
    Item {
        name: "order",
        place: "Table 1 (a)",
        title: "empirical order under harmonic forcing",
        claim: "‖u^{h} − u^{h/2}‖ over [0, 5] halves with h: the Euler scheme is empirically of order 1.",
        ours: "The same table from x(0) = 1.7, and the error against the exact solution. The paper does not give the start; this one comes closest to its numbers.",
        run: order::run,
    },
    Item {
        name: "order-noise",
        place: "Table 1 (b)",
        title: "empirical order under noise",
        claim: "the same on one noisy path: empirically of order 1.",
        ours: "Mean and spread over 200 sample paths, each refined through the same points, and the order of the mean.",
        run: order_noise::run,
    },
    Item {
        name: "rate",
        place: "§5, open question",
        title: "the rate for f_{d} ≠ f_{s} over six decades of h",
        claim: "for f_{d} = f_{s} the order is 1 by a theorem; for f_{d} ≠ f_{s} the rate is an open question, and the tests point to 1.",
        ours: "The error against the exact solution for h from 5·10^{−2} down to 5·10^{−8} s in two cases and 5·10^{−7} s in two more. One further case must fail: a slip ends with |b| = f_{s}, where the solution itself is not continuous in the data.",
        run: rate::run,
    },
    Item {
        name: "sub-phases",
        place: "§2.3.1",
        title: "sub-phases of a dynamic phase, exact",
        claim: "a dynamic phase splits at the instants τ_{j}^{k} with ẋ = 0 and |b| > f_{s}; it ends at the first with |b| ≤ f_{s}.",
        ours: "A free decay, whose sub-phases are known in closed form, and an independent computation with 30 digits.",
        run: sub_phases::run,
    },
    Item {
        name: "quasi-static",
        place: "§2.3.4",
        title: "the quasi-static approximation as the drive slows down",
        claim: "if the drive is slow against π/ω, a slip is a jump of 2(f_{s} − f_{d})/K and lasts π/ω.",
        ours: "Both solutions of one problem for slower and slower drives: where the mass comes to rest, and how fast the difference decreases.",
        run: quasi_static::run,
    },
    Item {
        name: "bearing-runs",
        place: "Table 2",
        title: "ten calibrations of a bridge bearing",
        claim: "ten runs of a genetic algorithm give ten sets of parameters: coefficients of variation of 2 to 5 %.",
        ours: "Ten evolutionary searches over all five parameters, and one systematic search over the two nonlinear parameters. The paper's data are not public, so the record is synthetic, with the paper's mean parameters. The results of the evolution scatter; the systematic search is deterministic.",
        run: bearing::runs,
    },
    Item {
        name: "bearing-fit",
        place: "Figs. 4 and 5",
        title: "measured and fitted displacement",
        claim: "displacement over nine months with two enlargements, and displacement against temperature in March and April: loops of similar width and height.",
        ours: "The same figures for a synthetic record, which the model made with 0.05 mm of noise. The fit does not know its parameters.",
        run: bearing::fit,
    },
];

/// So many rows need so many halvings.
const HALVINGS: u32 = 7;

fn columns(rows: &[Row]) -> (Vec<f64>, Vec<f64>) {
    rows.iter().map(|r| (r.h, r.error)).unzip()
}

/// A table of steps, errors, ratios and orders, with a column beside it.
fn orders(rows: &[Row], head: &str, beside: &[String]) -> Table {
    let mut table = Table::new(["h [s]", "error", "q(h)", "p(h)", head]);
    for (i, r) in rows.iter().enumerate() {
        let cell = |v: Option<f64>| v.map_or(String::new(), |v| number(v, 5));
        table = table.row([
            number(r.h, 5),
            number(r.error, 5),
            cell(r.ratio),
            cell(r.order),
            beside.get(i).cloned().unwrap_or_default(),
        ]);
    }
    table
}

/// Slope of log error over log h by least squares.
fn slope(h: &[f64], error: &[f64]) -> f64 {
    let n = h.len().min(error.len()) as f64;
    let points = || h.iter().zip(error).map(|(h, e)| (h.ln(), e.ln()));
    let (mx, my) = points().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / n, b + y / n));
    let (sxx, sxy) = points()
        .fold((0.0, 0.0), |(a, b), (x, y)| (a + (x - mx) * (x - mx), b + (x - mx) * (y - my)));
    sxy / sxx
}
