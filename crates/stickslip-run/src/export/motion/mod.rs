//! What one motion becomes, of whatever model: tables, a summary, a text, and figures by kind.

mod cascade;
mod hysteretic;
pub mod impact;
mod isolated;
mod network;
pub mod oscillator;
mod planar;
mod slips;
mod summary;
mod tables;
mod text;

pub use summary::summary;
pub use tables::event_columns;

use crate::heading::Heading;
use crate::product::{Lazy, Product, printed};
use crate::shown::Shown;
use serde_json::Value;
use std::sync::Arc;
use stickslip::{EventKind, Model, Phase, Problem, Solution};
use stickslip_file::model::Rows;
use stickslip_report::figure::{Ink, Style};

/// Points of a curve: more than a screen has columns.
const POINTS: usize = 4000;

/// More stretches of rest than this would be a grey page.
const MOST_BANDS: usize = 400;

/// The stretches of time in which every contact sticks, and how they are shaded and named; none where there are too many.
fn resting(solution: &Solution) -> (Vec<(f64, f64)>, Style) {
    let places = solution.contact_places();
    let name = if places.len() > 1 { "all stick" } else { "stick" };
    let sticks = |place: usize| -> Vec<(f64, f64)> {
        let phases = solution.phases(place).into_iter();
        phases.filter(|p| p.0 == Phase::Stick).map(|(_, start, end)| (start, end)).collect()
    };
    let all = places.map(sticks).reduce(|a, b| common(&a, &b)).unwrap_or_default();
    let all = if all.len() > MOST_BANDS { Vec::new() } else { all };
    (all, Style::new(Ink::Grey).label(name))
}

/// What two lists of stretches have in common; both are in the order of time.
fn common(a: &[(f64, f64)], b: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut all = Vec::new();
    let (mut i, mut k) = (0, 0);
    while let (Some(one), Some(other)) = (a.get(i), b.get(k)) {
        let both = (one.0.max(other.0), one.1.min(other.1));
        all.extend((both.0 < both.1).then_some(both));
        if one.1 < other.1 { i += 1 } else { k += 1 }
    }
    all
}

/// A problem that has been solved.
#[derive(Debug)]
pub struct Solved {
    /// Heading of figures, and the units of the model.
    pub heading: Heading,
    /// The scheme's name.
    pub scheme: &'static str,
    /// Of a scheme that was chosen for the model: a sentence that says why.
    pub chosen: Option<String>,
    /// What was solved, its noises known.
    pub problem: Problem,
    /// How it moves.
    pub solution: Solution,
    /// Rows of the trajectory.
    pub rows: Rows,
    /// K_BP, N/m: adds the column z = x + K (d − x)/K_BP.
    pub bearing_stiffness: Option<f64>,
}

impl Solved {
    /// Kinds of event that this kind of model has, in the order of summaries.
    fn kinds(&self) -> &'static [EventKind] {
        use EventKind::{
            Contact, Impact, LoadReversal, Release, Rest, Reversal, Slip, Stick, Touch, Yield,
        };
        match &self.problem.model {
            // A soft stop with a damper lets go before the mass has left it; a rigid one lets go where a support rubs.
            Model::Oscillator(o) => match o.stops {
                Some(s) if s.spring().is_some_and(|s| s.1 > 0.0) => {
                    &[Slip, Stick, Reversal, Impact, Release, Touch]
                }
                Some(s) if s.spring().is_none() && !o.support.is_zero() => {
                    &[Slip, Stick, Reversal, Impact, Rest, Release, Touch]
                }
                Some(_) => &[Slip, Stick, Reversal, Impact, Touch],
                None => &[Slip, Stick, Reversal],
            },
            Model::Machine(m) => match (m.stops().is_empty(), m.has_loads()) {
                (true, false) => &[Slip, Stick, Reversal],
                (true, true) => &[Slip, Stick, Reversal, LoadReversal],
                (false, false) => &[Slip, Stick, Reversal, Impact, Contact, Release],
                (false, true) => &[Slip, Stick, Reversal, LoadReversal, Impact, Contact, Release],
            },
            Model::Cascade(_) => &[Yield, Reversal],
            Model::Hysteretic(h) if h.law().elements() > 0 => &[Slip, Stick, Reversal, Yield],
            Model::Planar(p) => match p.rim {
                Some(rim) if rim.restitution().is_some() => {
                    &[Slip, Stick, Reversal, Impact, Touch, Release]
                }
                Some(_) => &[Slip, Stick, Reversal, Touch, Release],
                None => &[Slip, Stick, Reversal],
            },
            Model::Impact(_) => &[Impact, Rest, Release, Touch],
            _ => &[Slip, Stick, Reversal],
        }
    }

    /// Its columns, and that of a bearing.
    fn shown(&self) -> Shown<'_> {
        let turns = self.heading.rotation();
        Shown::new(&self.problem, &self.solution, self.bearing_stiffness).turning(turns)
    }

    /// Whether there are walls that the mass can hit.
    fn has_impacts(&self) -> bool {
        self.kinds().contains(&EventKind::Impact)
    }

    /// The values of all columns at the end.
    fn last(&self) -> Vec<f64> {
        let mut row = vec![0.0; self.solution.columns().len()];
        self.solution.row(self.solution.span().1, &mut row);
        row
    }
}

/// Everything that a motion leaves; `summary` is complete.
pub fn product(summary: Value, solved: &Arc<Solved>) -> Product {
    let said = solved.clone();
    let text = Lazy::new(move || printed(|w| text::text(w, &said)));
    let product =
        Product::new(summary, text).table(tables::trajectory(solved)).table(tables::events(solved));
    let make = |of: fn(&Solved) -> String| {
        let solved = solved.clone();
        move || of(&solved)
    };
    let product = match &solved.problem.model {
        Model::Oscillator(_) => product
            .figure("motion", make(oscillator::motion_of))
            .figure("planes", make(oscillator::planes_of)),
        Model::Cascade(_) => product
            .figure("motion", make(cascade::motion))
            .figure("loops", make(cascade::loops))
            .figure("slips", make(cascade::slips)),
        Model::Network(_) | Model::Machine(_) => product
            .figure("motion", make(network::motion))
            .figure("loops", make(network::loops))
            .figure("slips", make(network::slips)),
        Model::Hysteretic(_) => product
            .figure("motion", make(hysteretic::motion))
            .figure("loops", make(hysteretic::loops)),
        Model::Impact(_) => product
            .figure("motion", make(impact::motion_of))
            .figure("bounces", make(impact::bounces_of))
            .figure("plane", make(impact::plane_of)),
        Model::Planar(_) => product
            .figure("motion", make(planar::motion))
            .figure("orbit", make(planar::orbit))
            .figure("loops", make(planar::loops)),
        Model::Isolated(_) => product
            .figure("motion", make(isolated::motion))
            .figure("orbit", make(isolated::orbit))
            .figure("loops", make(isolated::loops)),
        _ => product,
    };
    solved.heading.units_of(product)
}

/// The figure of a motion that comes back to its start: its path in the plane, or the loop of its force.
pub fn round(solved: &Solved) -> String {
    match &solved.problem.model {
        Model::Planar(_) => planar::orbit(solved),
        _ => hysteretic::loops(solved),
    }
}

/// The columns of a solution as curves: equally spaced, and both ends of what happens between.
struct Curves {
    /// When, s.
    t: Vec<f64>,
    /// By column.
    columns: Vec<Vec<f64>>,
}

impl Curves {
    fn of(solution: &Solution) -> Self {
        let mut t: Vec<f64> = solution.equally_spaced(POINTS + 1).collect();
        t.extend(solution.events.iter().take(POINTS).map(|e| e.time));
        t.sort_unstable_by(f64::total_cmp);
        t.dedup();
        let mut columns = vec![Vec::with_capacity(t.len()); solution.columns().len()];
        let mut rows = solution.rows();
        let mut row = vec![0.0; columns.len()];
        for &t in &t {
            rows.at(t, &mut row);
            columns.iter_mut().zip(&row).for_each(|(column, value)| column.push(*value));
        }
        Self { t, columns }
    }

    /// The column `name`; empty if there is none.
    fn take(&mut self, solution: &Solution, name: &str) -> Vec<f64> {
        let at = solution.columns().iter().position(|c| c.name == name);
        at.map(|i| std::mem::take(&mut self.columns[i])).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::common;

    #[test]
    fn what_two_lists_of_stretches_share() {
        let a = [(0.0, 2.0), (3.0, 4.0), (6.0, 9.0)];
        let b = [(1.0, 3.5), (4.0, 5.0), (6.0, 7.0), (8.0, 10.0)];
        let both = [(1.0, 2.0), (3.0, 3.5), (6.0, 7.0), (8.0, 9.0)];
        assert_eq!(common(&a, &b), both);
        assert_eq!(common(&b, &a), both);
        assert!(common(&a, &[]).is_empty());
    }
}
