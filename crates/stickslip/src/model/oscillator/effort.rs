//! How much there is to do, before it is done.

use super::Oscillator;
use crate::error::{Error, require};
use crate::numeric::natural_frequency;

/// Periods of the fastest motion or load beyond which a run is not begun: hours at best.
const MOST_PERIODS: f64 = 1e8;

/// Magnitudes beyond which squares and works are no finite numbers any more.
const LARGEST: f64 = 1e140;

/// What a run over some time consists of: see [`Oscillator::effort`].
#[derive(Debug, Clone, PartialEq)]
pub struct Effort {
    /// Periods of the fastest free motion and of all harmonics, added.
    pub periods: f64,
    /// Breakpoints of the signals.
    pub breakpoints: usize,
    /// Events that there can hardly be more of: two for each half period.
    pub events: f64,
    /// Rate of the free motion and of the fastest signal, rad/s, and the length of the run, s.
    own: f64,
    fastest: f64,
    end: f64,
}

impl Effort {
    /// Refuses what nobody waits for.
    ///
    /// # Errors
    /// [`Error::TooLong`] with the numbers.
    pub fn check(&self) -> Result<(), Error> {
        if self.periods <= MOST_PERIODS {
            return Ok(());
        }
        let Self { own, fastest, end, .. } = self;
        let reason = if fastest > own {
            format!("a signal varies with {fastest:.1e} rad/s over {end:.1e} s")
        } else {
            format!("the mass swings with {own:.1e} rad/s over {end:.1e} s")
        };
        Err(Error::TooLong { what: "periods", count: self.periods, most: MOST_PERIODS, reason })
    }
}

impl Oscillator {
    /// An estimate of what a run of `end` (s) by events or adaptive steps consists of, from rates and times
    /// alone: for a decision whether to begin, and for showing how far one is.
    ///
    /// ```
    /// use stickslip::{Law, Oscillator, Signal};
    /// # fn main() -> Result<(), stickslip::Error> {
    /// let o = Oscillator::new(1.0, 1.0, Law::coulomb(0.1)?).with_drive(Signal::harmonic(1.0, 1e9, 0.0));
    /// let effort = o.effort(40.0);
    /// assert!(effort.periods > 6e9 && effort.check().is_err());
    /// assert!(o.effort(1e-3).check().is_ok());
    /// # Ok(()) }
    /// ```
    pub fn effort(&self, end: f64) -> Effort {
        self.estimate(end, |own| self.own_periods(own, end))
    }

    /// The periods of a run of `end` (s) if friction never stopped the mass.
    pub(crate) fn periods_without_rest(&self, end: f64) -> f64 {
        self.estimate(end, |own| own * end / std::f64::consts::TAU).periods
    }

    /// With so many periods of the mass itself at a rate.
    fn estimate(&self, end: f64, own_periods: impl Fn(f64) -> f64) -> Effort {
        let stops = self.stops.and_then(|s| s.spring()).map_or(0.0, |s| s.0);
        let own = natural_frequency(self.stiffness + stops, self.mass);
        let signals =
            [Some(&self.drive), Some(&self.force), Some(&self.support), self.normal.as_ref()];
        let all = || signals.into_iter().flatten();
        let fastest = all().map(|s| s.fastest()).fold(0.0, f64::max);
        let turn = end / std::f64::consts::TAU;
        let waves: f64 =
            all().flat_map(|s| s.harmonics()).map(|h| turn * h.angular_frequency).sum();
        let functions = all().filter(|s| s.has_functions()).map(|s| turn * s.fastest());
        let periods = own_periods(own) + waves + functions.sum::<f64>();
        let breakpoints = all().map(|s| s.breakpoints(0.0, end).count()).sum();
        let events = 4.0 * (periods + 1.0) + 2.0 * breakpoints as f64;
        Effort { periods, breakpoints, events, own, fastest, end }
    }

    /// Refuses what nobody waits for; the loads are looked at only where the mass, if nothing stopped it, would take that long.
    ///
    /// # Errors
    /// [`Error::TooLong`] with the numbers.
    pub(crate) fn check_effort(&self, end: f64) -> Result<(), Error> {
        let freely = self.estimate(end, |own| own * end / std::f64::consts::TAU);
        if freely.check().is_ok() { Ok(()) } else { self.effort(end).check() }
    }

    /// Periods of the mass itself, at `own` rad/s: friction stops it after each push, unless something drags it.
    fn own_periods(&self, own: f64, end: f64) -> f64 {
        let all = own * end / std::f64::consts::TAU;
        let constants = self.friction.constants().map(|[a, b]| a.1.min(b.1)).filter(|f| *f > 0.0);
        let stands = self.support.is_zero() && self.normal.is_none() && self.is_linear();
        match constants {
            // A period that the clock cannot tell at the end is not resolved, however few there are.
            Some(sliding) if stands && all < 1e12 => {
                let pushes = self.load_signal().total_variation(end)
                    + self.load(self.initial.displacement, 0.0, 0.0).abs()
                    + self.mass * own * self.initial.velocity.abs();
                all.min(1.0 + pushes / (4.0 * sliding))
            }
            _ => all,
        }
    }

    /// Refuses magnitudes whose squares or works would not be finite numbers.
    pub(super) fn check_magnitudes(&self, end: f64) -> Result<(), Error> {
        let size = |s: &crate::Signal| s.largest_magnitude(end);
        let m = self.mass;
        let k = self.stiffness;
        let c = self.damping;
        let own = natural_frequency(k, m);
        let swing = end.min(1.0 / own); // 1/0 = ∞
        let normal = self.normal.as_ref().map_or(1.0, size);
        let held = normal * self.friction.breakaway().max(self.friction.sliding());
        let slope = held * self.nonlinear.normal_slope.abs();
        let start = self.initial.displacement.abs() + size(&self.drive);
        let pushes = k * start + size(&self.force);
        let belt = size(&self.support);
        let speed = self.initial.velocity.abs() + belt + pushes / m * swing;
        let length = start + speed * swing;
        let rate = [&self.drive, &self.force, &self.support]
            .iter()
            .map(|s| s.fastest())
            .fold(own.max(c / m), f64::max);
        let largest = |what: &'static str, found: f64, expected: &'static str| {
            require(what, found, found < LARGEST, expected)
        };
        let advice = "less than 1e140, so that its square is a finite number: check the magnitudes and units of the model";
        largest(
            "the largest force in the model (N)",
            held.max(pushes).max(c * speed).max(slope * length),
            advice,
        )?;
        largest("the largest speed in the model (m/s)", speed, advice)?;
        largest("the largest displacement in the model (m)", length, advice)?;
        let jerk = (pushes / m).max(speed * rate) * rate.max(1.0).powi(2);
        largest("the largest rate of the acceleration in the model (m/s⁴)", jerk, advice)
    }
}
