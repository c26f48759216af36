//! Clocks of force and displacement that run apart.

use super::linear::{Device, Path};
use super::{Element, HysteresisFit, HysteresisParameters, Record, Searched, Thresholds, solved};
use crate::record::clocks::{self, Clocks, Found, Look, earlier};
use crate::record::steady::{Change, Part, another_gain_of, matters};

/// Rows that are looked at; of more, one in every few.
const ENOUGH: usize = 8_000;

/// A record whose displacement stands at the times of the force.
pub struct Aligned {
    pub found: Found,
    pub displacement: Vec<f64>,
    pub rows: Vec<usize>,
    pub fit: HysteresisFit,
}

/// The record with the clocks put right, where they run apart and that changes a number by more than half of its interval. Where they may do so,
/// which is not sure, the intervals of what was `found` reach to what other clocks would give.
pub fn aligned(
    record: &Record<'_>,
    found: &mut HysteresisFit,
    grid: &[f64],
    viscous: bool,
) -> Option<Aligned> {
    let Record { time, displacement, force, rows, lag } = *record;
    let at = |clocks: &Clocks| {
        let moved = earlier(time, displacement, rows, |t| clocks.late_at(t));
        let kept: Vec<usize> = rows.iter().copied().filter(|&i| moved[i].is_finite()).collect();
        (moved, kept)
    };
    let [first, last] = [rows.first(), rows.last()].map(|i| i.map_or(0.0, |&i| time[i]));
    let as_given = &*found;
    let late = clocks::sought(Clocks::alike(first, last), |clocks| {
        if clocks.rate == 0.0 && clocks.late == 0.0 {
            return look(record, &Shown::by(as_given), grid[0], viscous);
        }
        let (moved, kept) = at(clocks);
        let other = Record { time, displacement: &moved, force, rows: &kept, lag };
        // The errors are needed only of what is found in the end.
        let searched = Searched::of(&other, grid, Thresholds::Chosen, viscous);
        let seen = searched.device(&other, viscous);
        let shown = Shown { spectrum: &seen.spectrum, fitted: &seen.fitted, first: seen.first };
        look(&other, &shown, grid[0], viscous)
    })?;
    let (displacement, rows) = at(late.clocks());
    let other = Record { time, displacement: &displacement, force, rows: &rows, lag };
    let fit = solved(&other, grid, Thresholds::Chosen, viscous);
    if !differ(&found.parameters, &fit.parameters) {
        return None;
    }
    if let Found::Perhaps(_) = late {
        found.parameters.reach(&fit.parameters);
        return None;
    }
    Some(Aligned { found: late, displacement, rows, fit })
}

/// Whether a number of the second lies outside of the interval of the first.
fn differ(one: &HysteresisParameters, other: &HysteresisParameters) -> bool {
    let pairs = [
        (&one.friction, &other.friction),
        (&one.stiffness, &other.stiffness),
        (&one.spring, &other.spring),
        (&one.damping, &other.damping),
    ];
    pairs.into_iter().any(|(a, b)| a.excludes(b))
}

/// From when on the force or a part of it is larger, where that matters to a number.
pub fn another_gain(
    record: &Record<'_>,
    found: &HysteresisFit,
    rigid: f64,
    viscous: bool,
) -> Option<Change> {
    let p = &found.parameters;
    let numbers = [&p.friction, &p.stiffness, &p.spring, &p.damping];
    let look = look(record, &Shown::by(found), rigid, viscous)?;
    // As `look` has them: elements, spring, damper and offset, then what moves the thresholds of all elements but a rigid one.
    let elements = found.spectrum.len();
    let moving = elements - found.spectrum.iter().filter(|e| e.threshold <= rigid).count();
    let count = look.columns.len();
    let mut parts = vec![
        Part {
            name: "dry friction",
            columns: (0..elements).chain(count - moving..count).collect(),
        },
        Part { name: "force of the spring", columns: vec![elements] },
    ];
    if viscous {
        parts.push(Part { name: "viscous friction", columns: vec![elements + 1] });
    }
    another_gain_of(look, &parts).filter(|change| matters(change, numbers))
}

/// A device that was found, or that a search sees.
struct Shown<'a> {
    spectrum: &'a [Element],
    fitted: &'a [f64],
    first: usize,
}

impl<'a> Shown<'a> {
    fn by(fit: &'a HysteresisFit) -> Self {
        Self { spectrum: &fit.spectrum, fitted: &fit.fitted, first: fit.first }
    }
}

/// The rows that count, with the columns of the elements that the fit has.
fn look(record: &Record<'_>, fit: &Shown<'_>, rigid: f64, viscous: bool) -> Option<Look> {
    let Record { time, displacement, force, rows, lag } = *record;
    let path = Path::new(time, displacement, rows).behind(lag);
    let others = fit.spectrum.iter().map(|e| e.threshold).filter(|r| *r > rigid);
    let grid: Vec<f64> = std::iter::once(rigid).chain(others).collect();
    let n = grid.len();
    let has_rigid = fit.spectrum.iter().any(|e| e.threshold <= rigid);
    // Elements, spring, damper, offset, and how the force changes with each threshold.
    let used: Vec<usize> = (usize::from(!has_rigid)..=n)
        .chain(viscous.then_some(n + 1))
        .chain([n + 2])
        .chain(n + 4..2 * n + 3)
        .collect();
    let every = (rows.len() / ENOUGH).max(1);
    let slope = |k: usize| {
        let [a, b] = [k.saturating_sub(1), (k + 1).min(rows.len() - 1)].map(|k| rows[k]);
        (fit.fitted[b] - fit.fitted[a]) / (time[b] - time[a])
    };
    let mut out = Look {
        columns: vec![Vec::new(); used.len()],
        force: Vec::new(),
        slope: Vec::new(),
        time: Vec::new(),
        may_grow: true,
    };
    let counts = |k: usize| {
        let has_force = k >= fit.first && force[rows[k]].is_finite();
        has_force && !(viscous && path.corners[k]) && k.is_multiple_of(every)
    };
    let looked: Vec<usize> = (0..rows.len()).filter(|k| counts(*k)).collect();
    let few = path.few(&looked);
    // Of fewer rows of the path all count.
    let is_few = few.is_some();
    Device { path: few.as_ref().unwrap_or(&path), grid: &grid, viscous, moving: true }.each(
        |n, row| {
            if !is_few && !counts(n) {
                return;
            }
            let k = if is_few { looked[n] } else { n };
            let i = rows[k];
            out.columns.iter_mut().zip(&used).for_each(|(c, j)| c.push(row[*j]));
            out.force.push(force[i]);
            out.slope.push(slope(k));
            out.time.push(time[i]);
        },
    );
    Some(out)
}
