//! What the first paths tell about where histograms should look.

use super::distribution::Frame;
use super::durations::Durations;
use super::looks::Looks;
use super::plan::Plan;
use super::whole::Whole;
use super::worker::{Method, Sink};
use crate::error::Error;

/// How many paths are looked at first.
const PATHS: u64 = 64;

/// Smallest and largest of some numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
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

    fn of(numbers: &[f64]) -> Self {
        let mut extent = Self::default();
        numbers.iter().for_each(|&x| extent.add(x));
        extent
    }

    /// Where to look.
    pub fn frame(&self) -> Frame {
        if self.low > self.high {
            Frame { from: 0.0, to: 0.0 }
        } else {
            Frame::around(self.low, self.high)
        }
    }
}

/// Displacement and velocity by rows.
pub(super) type Rows = Vec<(Extent, Extent)>;

/// Of one contact.
#[derive(Debug, Clone, Default)]
pub(super) struct Extents {
    pub slips: Extent,
    pub largest: Extent,
    pub slid: Extent,
    pub dissipated: Extent,
}

/// Of the first paths.
#[derive(Debug, Clone)]
pub(super) struct Pilot {
    pub points: Vec<Rows>,
    pub contacts: Vec<Extents>,
    pub dissipated: Extent,
}

impl Pilot {
    /// Of no paths.
    pub fn nothing(rows: usize, points: usize, contacts: usize) -> Self {
        let none = vec![(Extent::default(), Extent::default()); rows];
        let contacts = vec![Extents::default(); contacts];
        Self { points: vec![none; points], contacts, dissipated: Extent::default() }
    }

    /// Runs paths 0 to 63, or gives up when `proceed` says no.
    pub fn run(
        plan: &Plan,
        method: &Method<'_>,
        mut proceed: impl FnMut() -> bool,
    ) -> Result<Option<Self>, Error> {
        let (points, contacts) = (plan.model.points().len(), plan.model.contacts().len());
        let batch = method.batch();
        let mut looks = Looks::new(plan.rows, points, contacts, PATHS as usize);
        let mut durations = vec![Durations::default(); contacts];
        let mut extents = vec![Extents::default(); contacts];
        let mut dissipated = Extent::default();
        let mut see = |w: &Whole| {
            dissipated.add(w.dissipated());
            for (e, c) in extents.iter_mut().zip(&w.contacts) {
                e.slips.add(c.slips as f64);
                e.largest.add(c.largest);
                e.slid.add(c.slid);
                e.dissipated.add(c.dissipated);
            }
        };
        let mut worker = method.worker();
        // Without noise they are all the same.
        let paths = if plan.model.is_known() { batch } else { PATHS };
        for first in (0..paths).step_by(batch as usize) {
            if !proceed() {
                return Ok(None);
            }
            let (looks, durations) = (&mut looks, durations.as_mut_slice());
            worker.run(first, batch, &mut Sink { looks, durations, whole: &mut see })?;
            looks.hold(batch as usize, 0);
        }
        let rows = |p: usize| -> Rows {
            let row = |r: usize| {
                let (x, v) = looks.column(r, p);
                (Extent::of(x), Extent::of(v))
            };
            (0..plan.rows).map(row).collect()
        };
        let points: Vec<Rows> = (0..points).map(rows).collect();
        let finite = |e: &Extent| e.low.is_finite() && e.high.is_finite();
        if !points.iter().flatten().all(|(x, v)| finite(x) && finite(v)) {
            return Err(Error::NotFinite { time: plan.end, step: plan.step });
        }
        Ok(Some(Self { points, contacts: extents, dissipated }))
    }
}
