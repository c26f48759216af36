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

/// A rule of Gauss with `N` points: pairs around the middle of [−1, 1], each with its place and its weight, and the weight of the middle
/// where that is one of its points.
pub(crate) struct Rule<const N: usize> {
    pairs: &'static [(f64, f64)],
    middle: Option<f64>,
}

/// The rule that is right to the degree 15.
pub(crate) const EIGHT: Rule<{ 2 * GAUSS.len() }> = Rule { pairs: &GAUSS, middle: None };
/// The rule that is right to the degree 9.
pub(crate) const FIVE: Rule<5> = Rule {
    pairs: &[
        (0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
        (0.906_179_845_938_664, 0.236_926_885_056_189_1),
    ],
    middle: Some(128.0 / 225.0),
};

impl<const N: usize> Rule<N> {
    /// The instants at which it looks on [`from`, `to`], in the order of its sum.
    pub fn times(&self, from: f64, to: f64) -> [f64; N] {
        let half = 0.5 * (to - from);
        let middle = from + half;
        std::array::from_fn(|k| {
            let Some((node, _)) = self.pairs.get(k / 2) else { return middle };
            let [before, after] = [-half * node, half * node];
            middle + if k % 2 == 0 { before } else { after }
        })
    }

    /// ∫ over [`from`, `to`] of several functions at once, where all of them follow from what is costly to look at: `f` has their
    /// values at the instant of this number of [`times`](Self::times).
    pub fn each<const M: usize>(
        &self,
        from: f64,
        to: f64,
        mut f: impl FnMut(usize) -> [f64; M],
    ) -> [f64; M] {
        let half = 0.5 * (to - from);
        let mut sums = [0.0; M];
        if Interrupt::parts_of(0..1).next().is_none() {
            return sums;
        }
        for (pair, (_, weight)) in self.pairs.iter().enumerate() {
            let before = f(2 * pair);
            let after = f(2 * pair + 1);
            for (sum, (a, b)) in sums.iter_mut().zip(before.iter().zip(after)) {
                *sum += weight * (a + b);
            }
        }
        if let Some(weight) = self.middle {
            sums.iter_mut().zip(f(N - 1)).for_each(|(sum, a)| *sum += weight * a);
        }
        sums.map(|sum| half * sum)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Over [1, 3] the mean of (t − 2)ᵏ is 1/(k + 1) where k is even; a rule of n points is right up to k = 2n − 1, and not beyond.
    #[test]
    fn rules_are_right_to_their_degrees() {
        fn off<const N: usize>(rule: &Rule<N>, k: i32) -> f64 {
            let times = rule.times(1.0, 3.0);
            let [mean] = rule.each(1.0, 3.0, |i| [0.5 * (times[i] - 2.0).powi(k)]);
            (mean - 1.0 / f64::from(k + 1)).abs()
        }
        for k in (0..=8).step_by(2) {
            assert!(off(&FIVE, k) < 1e-15, "{k}");
        }
        for k in (0..=14).step_by(2) {
            assert!(off(&EIGHT, k) < 1e-15, "{k}");
        }
        assert!(off(&FIVE, 10) > 1e-4 && off(&EIGHT, 16) > 1e-6);
    }
}
