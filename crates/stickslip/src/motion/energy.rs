//! Where the work went.

use crate::interrupt::Interrupt;
use crate::numeric::GAUSS;

/// The energies of a run, J. They balance: work = kinetic + elastic + friction + viscous + impacts + jumps.
///
/// Whatever a model does not have is zero. Forces that are not linear in x and v count as load; so does a moving
/// support, whose work is ∫ φ v_s dt with φ its force on the mass.
///
/// Sums over millions of periods take long: where somebody asks to stop meanwhile (see [`Interrupt`]), all energies are NaN.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Energy {
    /// Work of drives, forces, moving supports and prescribed motions on the masses.
    pub work: f64,
    /// ∫ |power of the load| dt ≥ |work|: what went in and out. |work| where it is not integrated.
    pub gross_work: f64,
    /// Change of Σ m ẋ²/2.
    pub kinetic: f64,
    /// Change of the energy of all springs, those of soft stops among them.
    pub elastic: f64,
    /// Lost to dry friction, ≥ 0.
    pub friction: f64,
    /// Lost in the dampers, ≥ 0.
    pub viscous: f64,
    /// Lost at stops and walls, in impacts or in their dashpots; what moving walls give counts negative.
    pub impacts: f64,
    /// Lost in the instants in which nodes without mass jump, by friction and by the quick motion that a mass
    /// however small would make; ≥ 0. A time-stepping scheme has it among its losses.
    pub jumps: f64,
    /// Largest kinetic and elastic energy together at the beginning of a motion between events, where it is looked at
    /// (machines, masses on contacts with memory); 0 otherwise. What goes back and forth between masses, springs and stops need not change in the end.
    pub level: f64,
}

impl Energy {
    /// work − (kinetic + elastic + friction + viscous + impacts + jumps), J: zero for an exact solution, O(h)
    /// for a time-stepping scheme.
    pub fn defect(&self) -> f64 {
        let Self { kinetic, elastic, friction, viscous, impacts, jumps, .. } = *self;
        self.work - (kinetic + elastic + friction + viscous + impacts + jumps)
    }

    /// |defect| over all the energy that passed through the system or was stored on the way; 0 if there was none.
    pub fn relative_defect(&self) -> f64 {
        let gross = self.gross_work.max(self.work.abs());
        let stored = self.kinetic.abs() + self.elastic.abs();
        let lost = self.friction.abs() + self.viscous.abs() + self.impacts.abs() + self.jumps.abs();
        let turnover = gross + stored + lost + self.level;
        if turnover == 0.0 { 0.0 } else { self.defect().abs() / turnover }
    }

    /// These energies if their sums are complete; NaN if somebody has asked to stop, for then they may have ended early.
    pub(crate) fn if_complete(self) -> Self {
        if !Interrupt::is_current_requested() {
            return self;
        }
        let [work, gross_work, kinetic, elastic, friction, viscous, impacts, jumps, level] =
            [f64::NAN; 9];
        Self { work, gross_work, kinetic, elastic, friction, viscous, impacts, jumps, level }
    }
}

/// The instants at which Gauss's rule of eight points looks on [`from`, `to`], in the order of its sum.
pub(crate) fn gauss_times(from: f64, to: f64) -> [f64; 2 * GAUSS.len()] {
    let half = 0.5 * (to - from);
    let middle = from + half;
    std::array::from_fn(|k| {
        let [before, after] = [-half * GAUSS[k / 2].0, half * GAUSS[k / 2].0];
        middle + if k % 2 == 0 { before } else { after }
    })
}

/// ∫ over [`from`, `to`] of several functions at once, where all of them follow from what is costly to look at: `f` has their values
/// at the instant of this number of [`gauss_times`].
pub(crate) fn gauss_each<const N: usize>(
    from: f64,
    to: f64,
    mut f: impl FnMut(usize) -> [f64; N],
) -> [f64; N] {
    let half = 0.5 * (to - from);
    let mut sums = [0.0; N];
    if Interrupt::parts_of(0..1).next().is_none() {
        return sums;
    }
    for (pair, (_, weight)) in GAUSS.iter().enumerate() {
        let before = f(2 * pair);
        let after = f(2 * pair + 1);
        for (sum, (a, b)) in sums.iter_mut().zip(before.iter().zip(after)) {
            *sum += weight * (a + b);
        }
    }
    sums.map(|sum| half * sum)
}

/// ∫ f over [`from`, `to`] by Gauss's rule on `panels` equal parts; a part of it where somebody asks to stop.
pub(crate) fn gauss(from: f64, to: f64, panels: usize, f: impl Fn(f64) -> f64) -> f64 {
    let half = 0.5 * (to - from) / panels as f64;
    let panel = |i: usize| {
        let middle = from + half * (2 * i + 1) as f64;
        let pair = |&(node, weight): &(f64, f64)| {
            weight * (f(middle - half * node) + f(middle + half * node))
        };
        half * GAUSS.iter().map(pair).sum::<f64>()
    };
    Interrupt::parts_of(0..panels).map(panel).sum()
}
