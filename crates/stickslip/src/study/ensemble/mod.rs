//! Many paths of one noisy model, and what is kept of them.
//!
//! Paths run side by side in lanes ([`lanes`](crate::lanes)), 64 at a time, and leave statistics
//! only, so the memory does not depend on their number. All sums are exact
//! ([`Distribution`]), so the result has the same bits on one thread or many, in one run or merged
//! from parts that were computed on different machines.
//!
//! Where histograms look is decided by paths 0 to 63 of the plan, which every part computes first.

mod batch;
mod distribution;
mod exact_sum;
mod plan;
mod run;

pub use distribution::{Distribution, Frame};
pub use exact_sum::ExactSum;
pub use plan::Plan;
pub use run::{Control, run};

use batch::{Look, Whole};
use std::ops::Range;

/// What the paths are at one time.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Row {
    /// Displacement, m.
    pub x: Distribution,
    /// Velocity, m/s.
    pub v: Distribution,
    /// How many are at rest.
    at_rest: u64,
}

impl Row {
    /// Share of paths that are at rest.
    pub fn stick_fraction(&self) -> f64 {
        self.at_rest as f64 / self.x.count() as f64
    }
}

/// What the paths have been from 0 to the end.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct History {
    /// Share of time in stick.
    pub stick_share: Distribution,
    /// Number of slips.
    pub slips: Distribution,
    /// Mean duration of a path's slips, s; of paths that slipped.
    pub slip_duration: Distribution,
    /// Largest slip of a path, from one stick to the next, m.
    pub largest_slip: Distribution,
    /// Length of the way slid, ∫|w| dt, m: the accumulated plastic displacement.
    pub slid: Distribution,
    /// Energy lost to friction, f_d times that, J.
    pub dissipated: Distribution,
    /// First time at which |x| exceeds the level, s; of paths that do.
    pub passage: Distribution,
}

/// Statistics of some paths of a plan.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ensemble {
    /// [`Plan::fingerprint`] of the plan.
    plan: String,
    /// Which paths are in it: disjoint ranges in order.
    paths: Vec<Range<u64>>,
    /// By rows of the plan.
    pub rows: Vec<Row>,
    /// Over whole paths.
    pub history: History,
}

/// Why two partial results cannot be merged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// They are of different models, schemes, seeds, rows or versions.
    #[error(
        "the partial results are of different plans ({left} and {right}): expected the same model, scheme, step, \
         end, rows, seed and version of stickslip; run the parts again from one model file"
    )]
    DifferentPlans {
        /// One fingerprint.
        left: String,
        /// The other.
        right: String,
    },
    /// They share paths.
    #[error(
        "paths {from} to {to} are in both partial results; expected parts without common paths"
    )]
    CommonPaths {
        /// First common path.
        from: u64,
        /// One past the last.
        to: u64,
    },
    /// Their tables do not fit.
    #[error("a partial result is damaged: its tables do not fit its plan; run that part again")]
    Damaged,
}

impl Ensemble {
    /// Of no paths, its frames taken from the first ones.
    fn new(plan: &Plan, pilot: &Pilot) -> Self {
        let rows = pilot.rows.iter().map(|r| Row {
            x: Distribution::new(r.0.frame()),
            v: Distribution::new(r.1.frame()),
            at_rest: 0,
        });
        let of = |e: &Extent| Distribution::new(e.frame());
        let unit = Distribution::new(Frame { from: 0.0, to: 1.0 });
        let history = History {
            stick_share: unit,
            slips: of(&pilot.slips),
            slip_duration: of(&pilot.duration),
            largest_slip: of(&pilot.largest),
            slid: of(&pilot.slid),
            dissipated: of(&pilot.dissipated),
            passage: Distribution::new(Frame { from: 0.0, to: plan.end }),
        };
        Self { plan: plan.fingerprint(), paths: Vec::new(), rows: rows.collect(), history }
    }

    /// Which paths are in it.
    pub fn paths(&self) -> &[Range<u64>] {
        &self.paths
    }

    /// How many paths are in it.
    pub fn count(&self) -> u64 {
        self.paths.iter().map(|r| r.end - r.start).sum()
    }

    /// Fingerprint of its plan.
    pub fn plan(&self) -> &str {
        &self.plan
    }

    /// Adds the paths of another part of the same plan: the same bits as one run over all.
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        if self.plan != other.plan {
            let (left, right) = (self.plan.clone(), other.plan.clone());
            return Err(MergeError::DifferentPlans { left, right });
        }
        for a in &self.paths {
            for b in &other.paths {
                let (from, to) = (a.start.max(b.start), a.end.min(b.end));
                if from < to {
                    return Err(MergeError::CommonPaths { from, to });
                }
            }
        }
        let fits = self.rows.len() == other.rows.len()
            && self.rows.iter().zip(&other.rows).all(|(a, b)| a.x.fits(&b.x) && a.v.fits(&b.v))
            && self.history.all().zip(other.history.all()).all(|(a, b)| a.fits(b));
        if !fits {
            return Err(MergeError::Damaged);
        }
        self.absorb(other);
        other.paths.iter().for_each(|p| self.include(p.clone()));
        Ok(())
    }

    /// Adds what another one has seen, its list of paths aside.
    fn absorb(&mut self, other: &Self) {
        for (a, b) in self.rows.iter_mut().zip(&other.rows) {
            a.x.merge(&b.x);
            a.v.merge(&b.v);
            a.at_rest += b.at_rest;
        }
        for (a, b) in self.history.all_mut().into_iter().zip(other.history.all()) {
            a.merge(b);
        }
    }

    /// Notes paths, neighbouring ranges joined.
    fn include(&mut self, paths: Range<u64>) {
        if paths.is_empty() {
            return;
        }
        self.paths.push(paths);
        self.paths.sort_by_key(|r| r.start);
        let mut joined: Vec<Range<u64>> = Vec::new();
        for r in self.paths.drain(..) {
            match joined.last_mut() {
                Some(last) if last.end == r.start => last.end = r.end,
                _ => joined.push(r),
            }
        }
        self.paths = joined;
    }

    fn look(&mut self, row: usize, look: Look) {
        let row = &mut self.rows[row];
        row.x.add(look.x);
        row.v.add(look.v);
        row.at_rest += u64::from(look.rest);
    }

    fn whole(&mut self, scale: &Scale, w: &Whole) {
        let h = &mut self.history;
        h.stick_share.add(w.stick / scale.steps);
        h.slips.add(w.slips);
        if w.slips > 0.0 {
            h.slip_duration.add(scale.duration(w));
        }
        h.largest_slip.add(w.largest);
        h.slid.add(w.slid);
        h.dissipated.add(scale.sliding * w.slid);
        if w.passage < f64::INFINITY {
            h.passage.add(w.passage * scale.step);
        }
    }
}

impl History {
    fn all(&self) -> impl Iterator<Item = &Distribution> {
        [
            &self.stick_share,
            &self.slips,
            &self.slip_duration,
            &self.largest_slip,
            &self.slid,
            &self.dissipated,
            &self.passage,
        ]
        .into_iter()
    }

    fn all_mut(&mut self) -> [&mut Distribution; 7] {
        [
            &mut self.stick_share,
            &mut self.slips,
            &mut self.slip_duration,
            &mut self.largest_slip,
            &mut self.slid,
            &mut self.dissipated,
            &mut self.passage,
        ]
    }
}

/// Units of what a path counts.
#[derive(Debug, Clone, Copy)]
struct Scale {
    steps: f64,
    step: f64,
    sliding: f64,
}

impl Scale {
    /// Mean duration of a path's slips, s.
    fn duration(&self, w: &Whole) -> f64 {
        (self.steps - w.stick) * self.step / w.slips
    }
}

/// Smallest and largest of some numbers.
#[derive(Debug, Clone, Copy)]
struct Extent {
    low: f64,
    high: f64,
}

impl Default for Extent {
    fn default() -> Self {
        Self { low: f64::MAX, high: f64::MIN }
    }
}

impl Extent {
    fn add(&mut self, x: f64) {
        self.low = self.low.min(x);
        self.high = self.high.max(x);
    }

    fn frame(&self) -> Frame {
        if self.low > self.high {
            Frame { from: 0.0, to: 0.0 }
        } else {
            Frame::around(self.low, self.high)
        }
    }
}

/// What the first paths tell about where to look.
#[derive(Debug, Clone, Default)]
struct Pilot {
    rows: Vec<(Extent, Extent)>,
    slips: Extent,
    duration: Extent,
    largest: Extent,
    slid: Extent,
    dissipated: Extent,
}

impl Pilot {
    fn whole(&mut self, scale: &Scale, w: &Whole) {
        self.slips.add(w.slips);
        if w.slips > 0.0 {
            self.duration.add(scale.duration(w));
        }
        self.largest.add(w.largest);
        self.slid.add(w.slid);
        self.dissipated.add(scale.sliding * w.slid);
    }
}
