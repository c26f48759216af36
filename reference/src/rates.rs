//! The score of derivatives: of the times of events, and of states, with respect to numbers of the model file.

use crate::certified::{Certified, Row};
use crate::digits::digits;
use crate::results::{Entry, Results};

/// How well derivatives are met.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Rated {
    /// The least number of correct digits of those that are given; none where none is given.
    pub digits: Option<f64>,
    /// Certified ones that are not given.
    pub missing: usize,
}

/// What is differentiated: where it stands in a row of results.
#[derive(Debug, Clone, Copy)]
enum Of {
    Time = 0,
    Displacement = 1,
    Velocity = 2,
}

/// The score of the derivatives of a table of results, whose events and states belong to these certified ones. A table without columns
/// of derivatives is not asked for them.
pub(crate) fn rated(
    certified: &Certified,
    results: &Results,
    events: &[(&Row, &Entry)],
    states: &[(&Row, &Entry)],
) -> Rated {
    let Some(right) = certified.derivatives.as_ref().filter(|_| !results.wrt.is_empty()) else {
        return Rated::default();
    };
    let mut rated = Rated::default();
    for (number, key) in right.wrt.iter().enumerate() {
        let at = results.wrt.iter().position(|k| k == key);
        let given = |entry: Option<&Entry>, of: Of| {
            Some(entry?.rates.get(at?)?[of as usize]).filter(|a| a.is_finite())
        };
        let times = right.event_times.iter().zip(&certified.events).map(|(row, event)| {
            let pair = events.iter().find(|(r, _)| std::ptr::eq(*r, event));
            (given(pair.map(|p| p.1), Of::Time), row.0[number])
        });
        rated.count(times.collect());
        for of in [Of::Displacement, Of::Velocity] {
            let of_states = right.states.iter().map(|row| {
                let here = |r: &Row| r.t == row.t && r.r#where == row.r#where;
                let pair = states.iter().find(|(r, _)| here(r));
                let wanted = if matches!(of, Of::Displacement) { &row.x } else { &row.v };
                (given(pair.map(|p| p.1), of), wanted.0[number])
            });
            rated.count(of_states.collect());
        }
    }
    rated
}

impl Rated {
    /// Counts numbers of one kind, given and certified; errors are relative to the largest certified one.
    fn count(&mut self, all: Vec<(Option<f64>, f64)>) {
        let scale = all.iter().map(|(_, right)| right.abs()).fold(0.0, f64::max);
        for (given, right) in all {
            match given {
                Some(given) => {
                    let here = digits(given - right, scale);
                    self.digits = Some(self.digits.map_or(here, |least| least.min(here)));
                }
                None => self.missing += 1,
            }
        }
    }
}
