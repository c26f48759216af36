//! Our own solutions against the certified values.

use stickslip_reference::{CASES, Counts, own};
use stickslip_run::{Context, each_of};

/// Correct digits that every case must have.
const DIGITS: f64 = 12.0;

#[test]
fn our_solutions_have_twelve_digits_miss_nothing_and_invent_nothing() {
    let scores = each_of(CASES.to_vec(), |case| own(&case, &Context::silent())).unwrap();
    let mut wrong = Vec::new();
    for s in scores {
        let right = match s.counts {
            Counts::Motion => {
                s.unique
                    && s.digits.is_some_and(|d| d >= DIGITS)
                    && s.states_missing == 0
                    && s.energy < 1e-12
            }
            Counts::Report => !s.unique && s.reported == Some(true),
            Counts::Law => !s.unique && s.probability.is_some_and(|p| p > 1e-3),
        };
        // Creep is zero exactly, not to a tolerance.
        let still = s.creep == 0.0;
        if !right || !still || s.missed + s.invented > 0 || s.error.is_some() {
            wrong.push(format!("{s:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
