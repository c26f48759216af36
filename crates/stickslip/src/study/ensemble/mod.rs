//! Many paths of one noisy model, and what is kept of them.
//!
//! Paths of plain oscillators run side by side in lanes ([`lanes`](crate::lanes)), 64 at a time, those of cascades
//! and of networks of up to 32 nodes 16 at a time; those of any other model one after the other. They leave statistics only, so the memory does not depend
//! on their number. All sums are exact ([`Distribution`], [`Durations`]), so the result has the same
//! bits on one thread or many, in one run or merged from parts that were computed on different
//! machines.
//!
//! Where histograms look is decided by paths 0 to 63 of the plan, which every part computes first.

mod bundles;
mod distribution;
mod exact_sum;
mod lanes;
mod path_summary;
mod pilot;
mod plan;
mod row_buffer;
mod run;
mod sink;
mod worker;

pub use crate::lanes::Durations;
pub use distribution::Distribution;
#[doc(hidden)]
pub use distribution::Frame;
#[doc(hidden)]
pub use exact_sum::ExactSum;
use path_summary::PathSummary;
use pilot::Pilot;
pub use plan::Plan;
pub use run::{Control, run};
use std::ops::Range;

/// What the paths are at one time, at one point.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Row {
    /// Displacement, m.
    pub x: Distribution,
    /// Velocity, m/s.
    pub v: Distribution,
}

/// One point of the model over time.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Point {
    /// Its name; none where it is the only one.
    pub name: String,
    /// By rows of the plan.
    pub rows: Vec<Row>,
    /// First time at which |x| exceeds the level, s; of paths that do.
    pub passage: Distribution,
}

/// What one contact has been from 0 to the end.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contact {
    /// Its name; none where it is the only one.
    pub name: String,
    /// How many paths have it at rest, by rows.
    at_rest: Vec<u64>,
    /// Share of time in stick.
    pub stick_share: Distribution,
    /// Number of slips: of stretches without stick, that which a path begins in among them.
    pub slips: Distribution,
    /// Durations of all single slips that began and ended, in steps.
    pub slip_steps: Durations,
    /// Largest slip of a path, from one stick to the next, m.
    pub largest_slip: Distribution,
    /// Length of the way slid, ∫|w| dt, m: the accumulated plastic displacement.
    pub slid: Distribution,
    /// Energy lost to its friction, J.
    pub dissipated: Distribution,
}

impl Contact {
    /// Share of paths that have it at rest at row `row`.
    pub fn stick_fraction(&self, row: usize) -> f64 {
        self.at_rest[row] as f64 / self.stick_share.count() as f64
    }

    fn all(&self) -> [&Distribution; 5] {
        [&self.stick_share, &self.slips, &self.largest_slip, &self.slid, &self.dissipated]
    }

    fn all_mut(&mut self) -> [&mut Distribution; 5] {
        [
            &mut self.stick_share,
            &mut self.slips,
            &mut self.largest_slip,
            &mut self.slid,
            &mut self.dissipated,
        ]
    }
}

/// Statistics of some paths of a plan.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ensemble {
    /// [`Plan::fingerprint`] of the plan; empty if it has none.
    plan: String,
    /// Which paths are in it: disjoint ranges in order.
    paths: Vec<Range<u64>>,
    /// What moves: one point, or the nodes of a network.
    pub points: Vec<Point>,
    /// Where it rubs: one contact, the elements of a cascade or the sliders of a network.
    pub contacts: Vec<Contact>,
    /// Energy lost to all of them, J.
    pub dissipated: Distribution,
    /// Steps of all paths whose one-step problem was not solved to its tolerance.
    pub inexact: u64,
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
    /// A plan contains a function of the user without a name.
    #[error(
        "a partial result is of a model with a function that has no name, so nobody can tell whether the other one \
         is of the same model; name the function and run the parts again"
    )]
    Unnamed,
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
        let of = |e: &pilot::Extent| Distribution::new(e.frame());
        let unit = || Distribution::new(Frame { from: 0.0, to: 1.0 });
        let names = plan.problem.points().into_iter().zip(&pilot.points);
        let point = |(name, rows): (String, &pilot::Rows)| Point {
            name,
            rows: rows.iter().map(|r| Row { x: of(&r.0), v: of(&r.1) }).collect(),
            passage: Distribution::new(Frame { from: 0.0, to: plan.problem.end }),
        };
        let points = names.map(point).collect();
        let names = plan.problem.contacts().into_iter().zip(&pilot.contacts);
        let contact = |(name, c): (String, &pilot::Extents)| Contact {
            name,
            at_rest: vec![0; plan.rows],
            stick_share: unit(),
            slips: of(&c.slips),
            slip_steps: Durations::default(),
            largest_slip: of(&c.largest),
            slid: of(&c.slid),
            dissipated: of(&c.dissipated),
        };
        let contacts = names.map(contact).collect();
        // Without a name nothing can be merged with it.
        let plan = plan.fingerprint().unwrap_or_default();
        let paths = Vec::new();
        Self { plan, paths, points, contacts, dissipated: of(&pilot.dissipated), inexact: 0 }
    }

    /// Of no paths, and without frames.
    fn empty(plan: &Plan) -> Self {
        let points = plan.problem.points().len();
        let contacts = plan.problem.contacts().len();
        Self::new(plan, &Pilot::nothing(plan.rows, points, contacts))
    }

    /// Which paths are in it.
    pub fn paths(&self) -> &[Range<u64>] {
        &self.paths
    }

    /// How many paths are in it.
    pub fn count(&self) -> u64 {
        self.paths.iter().map(|r| r.end - r.start).sum()
    }

    fn rows(&self) -> usize {
        self.points.first().map_or(0, |p| p.rows.len())
    }

    /// Whether its tables fit together and have so many `rows`: what a file holds may be damaged.
    pub fn is_whole(&self, rows: usize) -> bool {
        let contact = |c: &Contact| c.at_rest.len() == rows && c.slip_steps.is_whole();
        !self.points.is_empty()
            && self.points.iter().all(|p| p.rows.len() == rows)
            && self.contacts.iter().all(contact)
            && self.paths.iter().all(|r| r.start < r.end)
    }

    /// Fingerprint of its plan; empty if a function of the user in it has no name.
    pub fn plan(&self) -> &str {
        &self.plan
    }

    /// Adds the paths of another part of the same plan: the same bits as one run over all.
    ///
    /// # Errors
    /// If a function of the user in one of the plans has no name, the plans differ, or a path is in both.
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        if self.plan.is_empty() || other.plan.is_empty() {
            return Err(MergeError::Unnamed);
        }
        if self.plan != other.plan {
            let left = self.plan.clone();
            let right = other.plan.clone();
            return Err(MergeError::DifferentPlans { left, right });
        }
        for a in &self.paths {
            for b in &other.paths {
                let from = a.start.max(b.start);
                let to = a.end.min(b.end);
                if from < to {
                    return Err(MergeError::CommonPaths { from, to });
                }
            }
        }
        let shape = |e: &Self| (e.points.len(), e.contacts.len(), e.rows());
        let whole = self.is_whole(self.rows()) && other.is_whole(other.rows());
        let mut pairs = self.all().into_iter().zip(other.all());
        let fits = whole && shape(self) == shape(other) && pairs.all(|(a, b)| a.fits(b));
        if !fits {
            return Err(MergeError::Damaged);
        }
        self.absorb(other);
        other.paths.iter().for_each(|p| self.include(p.clone()));
        Ok(())
    }

    /// Every distribution, in a fixed order.
    fn all(&self) -> Vec<&Distribution> {
        let rows = self.points.iter().flat_map(|p| &p.rows).flat_map(|r| [&r.x, &r.v]);
        let passages = self.points.iter().map(|p| &p.passage);
        let contacts = self.contacts.iter().flat_map(Contact::all);
        rows.chain(passages).chain(contacts).chain([&self.dissipated]).collect()
    }

    /// Adds what another one has seen, its list of paths aside.
    fn absorb(&mut self, other: &Self) {
        for (a, b) in self.points.iter_mut().zip(&other.points) {
            for (a, b) in a.rows.iter_mut().zip(&b.rows) {
                a.x.merge(&b.x);
                a.v.merge(&b.v);
            }
            a.passage.merge(&b.passage);
        }
        for (a, b) in self.contacts.iter_mut().zip(&other.contacts) {
            a.at_rest.iter_mut().zip(&b.at_rest).for_each(|(a, b)| *a += b);
            a.slip_steps.merge(&b.slip_steps);
            a.all_mut().into_iter().zip(b.all()).for_each(|(a, b)| a.merge(b));
        }
        self.dissipated.merge(&other.dissipated);
        self.inexact += other.inexact;
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

    /// Adds one path of `steps` steps `step` (s); its rows come by themselves.
    fn whole(&mut self, steps: f64, step: f64, w: &PathSummary) {
        for (point, passage) in self.points.iter_mut().zip(&w.passages) {
            if *passage < f64::INFINITY {
                point.passage.add_size(passage * step);
            }
        }
        for (contact, c) in self.contacts.iter_mut().zip(&w.contacts) {
            contact.stick_share.add_size(1.0 - c.moving as f64 / steps);
            contact.slips.add_size(c.slips as f64);
            contact.largest_slip.add_size(c.largest);
            contact.slid.add_size(c.slid);
            contact.dissipated.add_size(c.dissipated);
        }
        self.dissipated.add_size(w.dissipated());
        self.inexact += w.inexact;
    }
}
