//! Clocks of effort and motion that run apart.

use super::laws::{Design, Term};
use super::rows::Rows;
use super::solve::{FoundCurve, candidates};
use super::{Asked, FrictionCurveFit, Record};
use crate::models::Named;
use crate::record::clocks::{Clocks, Found, Look, earlier};
use crate::record::steady::{Part, another_gain_of, gain_said, matters};
use crate::statistics::stats::robust;

/// Rows whose residuals are so many robust standard deviations contradict all others.
const FAR: f64 = 6.0;
/// Fewer rows are no sign of a clock.
const FEW: usize = 4;
/// The shares of those that contradict that another delay must bring back, and a rate beyond it.
const MOST: f64 = 0.4;
const SOME: f64 = 0.2;
/// Steps of the search, rows, and how far it goes.
const ROWS: [f64; 6] = [8.0, 4.0, 2.0, 1.0, 0.5, 0.25];
const FARTHEST: f64 = 25.0;
/// Rows that the search looks at; of a longer record, so many pieces all along it.
const ENOUGH: usize = 30_000;
const PIECES: usize = 30;

/// Pieces of a record that is long, each as it is: a row belongs to its neighbours.
struct Excerpt {
    time: Vec<f64>,
    velocity: Option<Vec<f64>>,
    position: Option<Vec<f64>>,
    effort: Vec<f64>,
    weight: Option<Vec<f64>>,
    temperature: Option<Vec<f64>>,
    load: Option<Vec<f64>>,
}

impl Excerpt {
    fn of(record: &Record<'_>, time: &[f64]) -> Self {
        let count = time.len();
        let long = ENOUGH / PIECES;
        let pieces: Vec<std::ops::Range<usize>> = if count <= ENOUGH {
            std::iter::once(0..count).collect()
        } else {
            let start = |k: usize| k * (count - long) / (PIECES - 1);
            (0..PIECES).map(|k| start(k)..start(k) + long).collect()
        };
        let of = |values: &[f64]| -> Vec<f64> {
            pieces.iter().flat_map(|piece| values[piece.clone()].iter().copied()).collect()
        };
        Self {
            time: of(time),
            velocity: record.velocity.map(of),
            position: record.position.map(of),
            effort: of(record.effort),
            weight: record.weight.map(of),
            temperature: record.temperature.map(of),
            load: record.load.map(of),
        }
    }

    fn record(&self) -> Record<'_> {
        Record {
            time: Some(&self.time),
            velocity: self.velocity.as_deref(),
            position: self.position.as_deref(),
            effort: &self.effort,
            weight: self.weight.as_deref(),
            temperature: self.temperature.as_deref(),
            load: self.load.as_deref(),
        }
    }
}

/// Positions and velocities at the times of the effort.
fn aligned(values: Option<&[f64]>, time: &[f64], clocks: &Clocks) -> Option<Vec<f64>> {
    let values = values?;
    let known: Vec<usize> = (0..time.len()).filter(|i| values[*i].is_finite()).collect();
    Some(earlier(time, values, &known, |t| clocks.late_at(t)))
}

/// The rows of a record with its clocks put right.
fn shifted(record: &Record<'_>, asked: &Asked, clocks: &Clocks) -> Option<Rows> {
    let time = record.time?;
    let [velocity, position] =
        [record.velocity, record.position].map(|values| aligned(values, time, clocks));
    let other = Record { velocity: velocity.as_deref(), position: position.as_deref(), ..*record };
    Rows::of(&other, asked).ok()
}

/// What the clocks do, where rows next to reversals contradict all others and other clocks bring most of them back. `law` is a fit with the
/// clocks as they are.
///
/// A shift in time of c v is an inertia, and one of J a nearly a damper: what shows it are the rows at which the effort still has the sign of
/// the motion before a reversal. They are few, and no derivative knows of them: the squares, none of which counts for more than a contradiction,
/// are searched for the shifts at the beginning and at the end of the record, in steps down to a quarter of a row (Hooke and Jeeves 1961).
pub fn found(record: &Record<'_>, asked: &Asked, rows: &Rows, law: &FoundCurve) -> Option<Found> {
    let time = record.time?;
    let [first, last] = [*time.first()?, *time.last()?];
    let residuals = law.residuals(rows);
    let limit = FAR * robust(residuals.iter().copied());
    let contradict = residuals.iter().filter(|r| r.abs() > limit).count();
    if contradict < FEW {
        return None;
    }
    let clocks = |ends: [f64; 2]| Clocks {
        middle: 0.5 * (first + last),
        late: 0.5 * (ends[0] + ends[1]) * rows.step,
        rate: (ends[1] - ends[0]) * rows.step / (last - first),
    };
    let excerpt = Excerpt::of(record, time);
    let looked = excerpt.record();
    // In rows that contradict, of those that count.
    let missed = |ends: [f64; 2]| -> f64 {
        let Some(rows) = shifted(&looked, asked, &clocks(ends)) else { return f64::INFINITY };
        let all = law.refitted(&rows);
        let squares = all.iter().map(|r| r.powi(2).min(limit * limit)).sum::<f64>();
        squares / (limit * limit) * residuals.len() as f64 / all.len() as f64
    };
    let now = missed([0.0; 2]);
    let [late, by_delay] = searched(&[[1.0, 1.0]], [0.0; 2], now, &missed);
    let ways = [[1.0, 1.0], [1.0, -1.0], [1.0, 0.0], [0.0, 1.0]];
    let [apart, by_rate] = searched(&ways, late, by_delay[0], &missed);
    let brings = |before: f64, after: f64, share: f64| {
        before - after > (FEW as f64).max(share * contradict as f64)
    };
    let alone = brings(now, by_delay[0], MOST);
    if brings(by_delay[0], by_rate[0], SOME) && (apart[1] - apart[0]).abs() >= 0.5 {
        return Some(Found::Apart(clocks(apart), true));
    }
    alone.then(|| Found::Late(clocks(late)))
}

/// Where `missed` is least, from a start on in some directions: both ends, and what is missed there.
fn searched(
    ways: &[[f64; 2]],
    start: [f64; 2],
    value: f64,
    missed: &impl Fn([f64; 2]) -> f64,
) -> [[f64; 2]; 2] {
    let mut best = start;
    let mut least = value;
    for step in ROWS {
        // A step that helps is taken once more.
        for _ in 0..3 {
            let mut moved = false;
            for way in ways {
                for side in [step, -step] {
                    let to = [best[0] + side * way[0], best[1] + side * way[1]];
                    if to.iter().any(|e| e.abs() > FARTHEST) {
                        continue;
                    }
                    let there = missed(to);
                    if there < least {
                        best = to;
                        least = there;
                        moved = true;
                        break;
                    }
                }
            }
            if !moved {
                break;
            }
        }
    }
    [best, [least; 2]]
}

/// What is said of the clocks, where they move a number out of its interval.
pub fn said(
    record: &Record<'_>,
    asked: &Asked,
    fit: &FrictionCurveFit,
    late: Found,
) -> Option<String> {
    let time = record.time?;
    let rows = shifted(record, asked, late.clocks())?;
    let design = Design::of(&rows, asked);
    let found = candidates(&rows, &design).into_iter().find(|f| f.shape == fit.law)?;
    let numbers = found.parameters(&rows, &design, asked.motion);
    let changed: Vec<String> = fit
        .parameters
        .iter()
        .filter_map(|was| {
            let now = numbers.iter().find(|n| n.name == was.name)?;
            let (old, new) = was.estimate.value.zip(now.estimate.value)?;
            let unit = was.estimate.unit;
            let moved = was.estimate.excludes(&now.estimate);
            moved.then(|| format!("{} = {new:.4} {unit} in place of {old:.4}", was.name))
        })
        .collect();
    if changed.is_empty() {
        return None;
    }
    let changed = changed.join(", ");
    Some(match late {
        Found::Apart(clocks, _) => format!(
            "{}; with the clocks put right {changed}: set them from one source, or record both with one instrument",
            clocks.said(["motion", "effort"], time.last()? - time.first()?)
        ),
        Found::Late(Clocks { late, .. }) | Found::Perhaps(Clocks { late, .. }) => {
            late_said(asked.effort_delay + late)
        }
    })
}

/// What is said where the effort has another gain from some time on and that matters to a number.
pub fn another_gain(
    record: &Record<'_>,
    rows: &Rows,
    law: &FoundCurve,
    numbers: &[Named],
) -> Option<String> {
    let time = record.time?;
    let column = |term: &Term| -> Vec<f64> {
        (0..rows.index.len()).map(|n| term.at(rows, n, law.fall)).collect()
    };
    let look = Look {
        columns: law.terms.iter().map(column).collect(),
        force: rows.effort.clone(),
        slope: Vec::new(),
        time: rows.index.iter().map(|&i| time[i]).collect(),
        may_grow: true,
    };
    let part = |name: &'static str, is_its: fn(&Term) -> bool| Part {
        name,
        columns: (0..law.terms.len()).filter(|k| is_its(&law.terms[*k])).collect(),
    };
    let parts = [
        part("dry friction", Term::is_dry),
        part("viscous friction", Term::is_viscous),
        part("effort for inertia", |term| *term == Term::Inertia),
        part("gravity", |term| matches!(term, Term::GravitySin | Term::GravityCos)),
    ];
    another_gain_of(look, &parts)
        .filter(|gain| matters(gain, numbers.iter().map(|n| &n.estimate)))
        .map(|gain| gain_said("the effort is", &gain))
}

/// What is said of an effort that comes `late` s after the motion.
pub fn late_said(late: f64) -> String {
    format!(
        "the effort fits better if it is taken {:.2} ms {} the motion: set `effort_delay = {late:.5}` if the logger delays it, for a delay \
         makes the dry friction come out wrong{}",
        1e3 * late.abs(),
        if late > 0.0 { "after" } else { "before" },
        if late > 0.0 {
            "; an effort that comes late may have a slow sensor, too, whose effort no delay puts right"
        } else {
            ""
        }
    )
}
