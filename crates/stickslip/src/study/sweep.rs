//! Many runs side by side: parameters over a grid.

use crate::error::{Error, require};
pub use crate::lanes::Counted;
use crate::lanes::oscillators::LANES;
use crate::lanes::{Instructions, sweep};
use crate::law::Law;
use crate::model::Oscillator;
use crate::scheme::euler::step_count;

/// The values of one parameter: `count` of them, equally spaced from `from` to `to`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// First value.
    pub from: f64,
    /// Last value.
    pub to: f64,
    /// How many, ends included; 1: only the first.
    pub count: usize,
}

impl Span {
    /// Checks the numbers.
    pub fn check(&self) -> Result<(), Error> {
        require("the first value of the sweep", self.from, true, "a finite number")?;
        require("the last value of the sweep", self.to, true, "a finite number")?;
        require("the number of values", self.count as f64, self.count > 0, "1 or more")
    }

    /// Value number `i`; the last is `to` itself.
    pub fn value(&self, i: usize) -> f64 {
        if i > 0 && i + 1 == self.count {
            return self.to;
        }
        let last = self.count.saturating_sub(1).max(1) as f64;
        self.from + (self.to - self.from) * (i as f64 / last)
    }
}

/// `work(0)` … `work(count − 1)` in that order, over all cores with the feature `parallel`. Each
/// result depends on its number alone, so neither cores nor schedule change any.
pub fn each<T: Send, E: Send>(
    count: usize,
    work: impl Fn(usize) -> Result<T, E> + Send + Sync,
) -> Result<Vec<T>, E> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        (0..count).into_par_iter().map(work).collect()
    }
    #[cfg(not(feature = "parallel"))]
    {
        (0..count).map(work).collect()
    }
}

/// Whether [`euler`] takes it: two constant forces, equal both ways, on resting ground, under a load
/// that is linear in x and v.
pub fn fits_lanes(o: &Oscillator) -> bool {
    matches!(o.friction, Law::Coulomb(_) | Law::StaticDynamic(_)) && o.is_plain()
}

/// The Euler scheme for many oscillators on [0, `end`] with steps `step` (s), side by side in lanes
/// and over all cores: the bits of [`scheme::euler`](crate::scheme::euler) for each.
pub fn euler(models: &[Oscillator], end: f64, step: f64) -> Result<Vec<Counted>, Error> {
    step_count(end, step)?;
    for o in models {
        o.check_until(end)?;
        if !fits_lanes(o) {
            return Err(Error::Unsuitable {
                scheme: "euler in lanes",
                reason:
                    "friction must be coulomb or static-dynamic on resting ground, and the load \
                         linear; solve the points one by one"
                        .into(),
            });
        }
    }
    let groups: Vec<&[Oscillator]> = models.chunks(LANES).collect();
    let counted = each(groups.len(), |g| {
        let group: Vec<&Oscillator> = groups[g].iter().collect();
        Ok::<_, Error>(sweep::run(Instructions::best(), &group, end, step))
    })?;
    let all: Vec<Counted> = counted.into_iter().flatten().collect();
    match all.iter().all(|c| c.last.x.is_finite() && c.last.v.is_finite()) {
        true => Ok(all),
        false => Err(Error::NotFinite { time: end, step }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::{EventKind, Phase};
    use crate::scheme;
    use crate::signal::Signal;

    /// Nineteen oscillators: every lane has the bits of the scalar scheme, on every instruction set,
    /// and the counts of its trajectory.
    #[test]
    fn every_lane_is_the_scalar_scheme() {
        let sampled = Signal::sampled(&[0.0, 7.0, 31.0], &[1.0, -4.0, 5.0]).unwrap();
        let model = |i: usize| {
            let z = i as f64;
            let law = Law::static_dynamic(1.2 + 0.05 * z, 1.0 + 0.02 * z).unwrap();
            let drive = Signal::harmonic(6.0 - 0.1 * z, 0.5, 0.1 * z) + sampled.clone();
            let o = Oscillator::new(1.0 + 0.1 * z, 1.0 + 0.03 * z, law).with_drive(drive);
            let o = if i.is_multiple_of(3) { o.with_damping(0.05 * z) } else { o };
            let o =
                if i.is_multiple_of(4) { o.with_force(Signal::harmonic(0.4, 2.0, 0.0)) } else { o };
            o.starting_at(0.3 * z, if i.is_multiple_of(2) { 0.0 } else { -0.4 })
        };
        let models: Vec<Oscillator> = (0..19).map(model).collect();
        let (end, h) = (30.0, 0.013);
        let all = euler(&models, end, h).unwrap();
        for on in [Instructions::Portable, Instructions::Avx2, Instructions::Avx512] {
            let group: Vec<&Oscillator> = models[..LANES].iter().collect();
            if on.available() {
                assert_eq!(sweep::run(on, &group, end, h), all[..LANES]);
            }
        }
        for (o, c) in models.iter().zip(&all) {
            let mut states = Vec::new();
            scheme::euler::run(o, end, h, |_, u| states.push(u)).unwrap();
            let last = states[states.len() - 1];
            assert_eq!(
                (c.last.x.to_bits(), c.last.v.to_bits()),
                (last.x.to_bits(), last.v.to_bits())
            );
            let whole = (states.len() - 1) as f64 * h;
            let path = scheme::euler::solve(o, whole, h).unwrap();
            let slips = path.events().iter().filter(|e| e.kind == EventKind::Slip).count();
            assert_eq!(c.slips, slips as u64);
            let stick: f64 = path.durations(&Phase::Stick).iter().sum();
            assert!((c.stick as f64 * h - stick).abs() < 1e-9);
            let slid: f64 = states.windows(2).map(|w| (w[1].x - w[0].x).abs()).sum();
            assert!((c.slid - slid).abs() < 1e-9 * slid);
        }
        let belt = models[0].clone().with_support(Signal::constant(1.0));
        assert!(!fits_lanes(&belt) && euler(&[belt], end, h).is_err());
    }

    #[test]
    fn values_include_both_ends_and_results_come_in_order() {
        let span = Span { from: -1.0, to: 0.7, count: 18 };
        assert_eq!((span.value(0), span.value(17)), (-1.0, 0.7));
        assert!((span.value(10) - 0.0).abs() < 1e-15);
        assert_eq!(Span { from: 2.0, to: 9.0, count: 1 }.value(0), 2.0);
        assert!(Span { from: 0.0, to: f64::NAN, count: 3 }.check().is_err());
        assert!(Span { from: 0.0, to: 1.0, count: 0 }.check().is_err());
        let squares = each(100, |i| Ok::<_, ()>(i * i)).unwrap();
        assert!(squares.into_iter().eq((0..100).map(|i| i * i)));
        assert_eq!(each(10, |i| if i == 7 { Err("seven") } else { Ok(i) }), Err("seven"));
    }
}
