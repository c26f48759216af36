//! Schatzman, Lamarque and Bastien (1999): friction that ages, and more than one solution.

mod discrete;
mod family;
mod jump;

use super::{Item, Work};
use crate::work::Given;
use stickslip::Oscillator;
use stickslip_file::Result;

const MODEL: &str = include_str!("../../models/ill-posed.toml");

/// The items of this paper.
pub const ITEMS: [Item; 3] = [
    Item {
        name: "family",
        place: "Eq. (20)",
        title: "a family y_{u} of solutions",
        claim: "with v = 0, y(0) = 0 and F = h every y_{u}, 0 on [0, u] and ∫_{u}^{t} h − h(0)(t − u) after, solves the problem.",
        ours: "With h(a) = 1 + a, y_{u}(t) = (t² − u²)/2 after u. The program reports from when on the solution is not unique, and computes the member that leaves at u.",
        run: family::run,
    },
    Item {
        name: "jump",
        place: "Eqs. (23), (25)",
        title: "a solution that is not continuous in its data",
        claim: "with F = h + ε the solution Y_{ε} tends to y_{0} as ε → 0^{+} and to 0 as ε → 0^{−}.",
        ours: "Y_{ε} for ε from ±1 down to ±10^{−10}, against y_{0}(t) + εt and 0.",
        run: jump::run,
    },
    Item {
        name: "discrete-solutions",
        place: "§4, (27)",
        title: "the N solutions of the scheme",
        claim: "the implicit scheme has a solution for every step at which one leaves: N of them.",
        ours: "All solutions for N = 20, and their number for other N. The search follows both branches wherever both solve the step.",
        run: discrete::run,
    },
];

/// y_u(t).
fn member(u: f64, t: f64) -> f64 {
    if t <= u { 0.0 } else { 0.5 * (t * t - u * u) }
}

fn read(w: &mut Work) -> Result<(Given<Oscillator>, f64)> {
    let file = w.oscillator("ill-posed.toml", MODEL)?;
    let end = file.end();
    Ok((file, end))
}
