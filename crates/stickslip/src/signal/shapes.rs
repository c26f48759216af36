//! Shapes that test rigs and controllers are driven with: sweeps, pulses, trapezoids.

use super::{Bounds, Knot, Signal};
use crate::error::{Error, require};
use crate::portable;

/// How the frequency of a [`Chirp`] goes from one value to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sweep {
    /// By equal amounts in equal times.
    #[default]
    Linear,
    /// By equal factors in equal times: as many seconds for each octave.
    Logarithmic,
}

/// A harmonic whose frequency is swept,
///
/// ```text
/// s(t) = A cos φ(t),   φ′ = ω(t),   φ(0) = phase
/// linear:       ω = ω₀ + (ω₁ − ω₀) t/T
/// logarithmic:  ω = ω₀ (ω₁/ω₀)^(t/T)
/// ```
///
/// until t = T; from then on the frequency stays at ω₁, and the phase goes on without a jump.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chirp {
    /// A.
    pub amplitude: f64,
    /// ω₀ ≥ 0 at t = 0, rad/s; > 0 where the sweep is logarithmic.
    pub from: f64,
    /// ω₁ ≥ 0 from t = T on, rad/s; > 0 where the sweep is logarithmic.
    pub to: f64,
    /// T > 0, s.
    pub duration: f64,
    /// φ at t = 0, rad.
    pub phase: f64,
    /// How ω gets from one to the other.
    pub sweep: Sweep,
}

/// One trapezoid after the other: from `offset` up by `amplitude` within `rise`, there for `top`, and down within `fall`,
/// once in each `period`. Without `rise` and `fall` it is a train of pulses, without `top` a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trapezoid {
    /// Height; may be negative.
    pub amplitude: f64,
    /// From the start of one to the start of the next, s.
    pub period: f64,
    /// Time of the rise, s; 0 is a jump.
    pub rise: f64,
    /// Time at the height, s.
    pub top: f64,
    /// Time of the fall, s; 0 is a jump.
    pub fall: f64,
    /// When the first one begins, s.
    pub start: f64,
    /// Value between them.
    pub offset: f64,
}

/// The most trapezoids of one signal: each of them has up to four breakpoints that are kept.
pub const MOST_TRAPEZOIDS: usize = 1_000_000;

impl Signal {
    /// A harmonic whose frequency is swept. It has no closed form in a mechanical system: the adaptive scheme and the
    /// time-stepping schemes take it. Its derivatives are known in closed form.
    ///
    /// # Errors
    /// If a number is not finite, a frequency is negative (or 0 in a logarithmic sweep), or the duration is not > 0.
    ///
    /// ```
    /// use stickslip::Signal;
    /// use stickslip::signal::{Chirp, Sweep};
    /// # fn main() -> Result<(), stickslip::Error> {
    /// let sweep = Chirp { amplitude: 2.0, from: 1.0, to: 3.0, duration: 4.0, phase: 0.0, sweep: Sweep::Linear };
    /// let s = Signal::chirp(sweep)?;
    /// // After 4 s at 2 rad/s on average the phase is 8, and it goes on with 3 rad/s.
    /// assert!((s.value(4.0) - 2.0 * 8f64.cos()).abs() < 1e-15);
    /// assert!((s.value(5.0) - 2.0 * 11f64.cos()).abs() < 1e-15);
    /// # Ok(()) }
    /// ```
    pub fn chirp(chirp: Chirp) -> Result<Self, Error> {
        let bounds = chirp.bounds()?;
        let name = format!("{chirp:?}");
        let value = move |t: f64| chirp.derivatives(t)[0];
        let derivatives = move |t: f64| {
            let [_, first, second] = chirp.derivatives(t);
            [first, second]
        };
        Self::named(name, Box::new(value), Box::new(derivatives), &[chirp.duration], bounds)
    }

    /// `count` trapezoids; afterwards the signal stays at the offset.
    ///
    /// # Errors
    /// If a number is not finite, a time is negative, the period is not > 0 or shorter than one trapezoid, all of a
    /// trapezoid takes no time, or there are none or more than [`MOST_TRAPEZOIDS`] of them.
    ///
    /// ```
    /// use stickslip::Signal;
    /// use stickslip::signal::Trapezoid;
    /// # fn main() -> Result<(), stickslip::Error> {
    /// let shape = Trapezoid { amplitude: 2.0, period: 5.0, rise: 1.0, top: 2.0, fall: 1.0, start: 0.0, offset: 0.5 };
    /// let s = Signal::trapezoids(shape, 3)?;
    /// assert_eq!([0.5, 2.0, 3.5, 4.5, 7.0, 15.5].map(|t| s.value(t)), [1.5, 2.5, 1.5, 0.5, 2.5, 0.5]);
    /// # Ok(()) }
    /// ```
    pub fn trapezoids(shape: Trapezoid, count: usize) -> Result<Self, Error> {
        shape.check()?;
        let most = (1..=MOST_TRAPEZOIDS).contains(&count);
        require("a number of trapezoids", count as f64, most, "1 to 1,000,000 of them")?;
        let before = shape.start.min(0.0) - shape.period;
        let mut knots = vec![Knot { time: before, value: shape.offset, rate: 0.0 }];
        (0..count).for_each(|k| shape.push(k, &mut knots));
        Ok(Self::affine(knots))
    }

    /// `count` pulses of this height and `width` (s), each at the start of a `period` (s), from t = `start` (s) on; between
    /// them the signal is `offset`. Both edges are jumps.
    ///
    /// # Errors
    /// As [`trapezoids`](Self::trapezoids), of which they are those without rise and fall.
    ///
    /// ```
    /// use stickslip::Signal;
    /// let s = Signal::pulses(3.0, 1.0, 0.25, 0.0, 0.0, 2)?;
    /// assert_eq!([0.0, 0.25, 1.1, 2.1].map(|t| s.value(t)), [3.0, 0.0, 3.0, 0.0]);
    /// # Ok::<(), stickslip::Error>(())
    /// ```
    pub fn pulses(
        amplitude: f64,
        period: f64,
        width: f64,
        start: f64,
        offset: f64,
        count: usize,
    ) -> Result<Self, Error> {
        let shape =
            Trapezoid { amplitude, period, rise: 0.0, top: width, fall: 0.0, start, offset };
        Self::trapezoids(shape, count)
    }
}

impl Chirp {
    /// λ of ω = ω₀ exp(λ t), 1/s.
    fn growth(&self) -> f64 {
        portable::log(self.to / self.from) / self.duration
    }

    /// φ, ω and ω′ at `t`, s.
    fn phase(&self, t: f64) -> [f64; 3] {
        let Self { to, duration, phase, .. } = *self;
        if t >= duration {
            let [end, ..] = self.swept(duration);
            return [phase + end + to * (t - duration), to, 0.0];
        }
        let [angle, frequency, slope] = self.swept(t);
        [phase + angle, frequency, slope]
    }

    /// φ − φ(0), ω and ω′ of the sweep at `t`, s.
    fn swept(&self, t: f64) -> [f64; 3] {
        let Self { from, to, duration, .. } = *self;
        let growth = if self.sweep == Sweep::Linear { 0.0 } else { self.growth() };
        if growth == 0.0 {
            let slope = (to - from) / duration;
            return [t * (from + 0.5 * slope * t), from + slope * t, slope];
        }
        let gained = portable::exp_m1(growth * t);
        let frequency = from * (1.0 + gained);
        [from * gained / growth, frequency, growth * frequency]
    }

    /// s, s′ and s″ at `t`, s.
    fn derivatives(&self, t: f64) -> [f64; 3] {
        let [angle, w, slope] = self.phase(t);
        let (sin, cos) = portable::sin_cos(angle);
        let a = self.amplitude;
        [a * cos, -a * w * sin, -a * (w * w * cos + slope * sin)]
    }

    /// Bounds on the derivatives; an error if it is no chirp.
    ///
    /// |s‴| ≤ A (ω³ + 3 ω |ω′| + |ω″|), and ω, |ω′| and |ω″| are monotonous.
    fn bounds(&self) -> Result<Bounds, Error> {
        let Self { amplitude, from, to, duration, phase, sweep } = *self;
        let least = if sweep == Sweep::Linear { 0.0 } else { f64::MIN_POSITIVE };
        let expected = match sweep {
            Sweep::Linear => "a finite number ≥ 0, in rad/s",
            Sweep::Logarithmic => "a finite number > 0, in rad/s, as a logarithmic sweep needs it",
        };
        require("the amplitude of a chirp", amplitude, true, "a finite number")?;
        require("the phase of a chirp", phase, true, "a finite number, in rad")?;
        require("a frequency of a chirp", from, from >= least, expected)?;
        require("a frequency of a chirp", to, to >= least, expected)?;
        require("the duration of a chirp", duration, duration > 0.0, "a finite number > 0, in s")?;
        let a = amplitude.abs();
        let w = from.max(to);
        let (slope, curve) = match sweep {
            Sweep::Linear => ((to - from).abs() / duration, 0.0),
            Sweep::Logarithmic => {
                let growth = self.growth().abs();
                (growth * w, growth * growth * w)
            }
        };
        let bounds = Bounds {
            first: a * w,
            second: a * (w * w + slope),
            third: a * (w * w * w + 3.0 * w * slope + curve),
        };
        let expected =
            "derivatives within the range of numbers: lower frequencies or a longer sweep";
        require("a bound on the derivatives of a chirp", bounds.third, true, expected)?;
        Ok(bounds)
    }
}

impl Trapezoid {
    /// An error if it cannot be drawn.
    fn check(&self) -> Result<(), Error> {
        let Self { amplitude, period, rise, top, fall, start, offset } = *self;
        require("the amplitude of a trapezoid", amplitude, true, "a finite number")?;
        require("the offset of a trapezoid", offset, true, "a finite number")?;
        require("the start of a trapezoid", start, true, "a finite number, in s")?;
        require("the period of a trapezoid", period, period > 0.0, "a finite number > 0, in s")?;
        for (what, time) in [
            ("the rise of a trapezoid", rise),
            ("the top of a trapezoid", top),
            ("the fall of a trapezoid", fall),
        ] {
            require(what, time, time >= 0.0, "a finite number ≥ 0, in s")?;
        }
        let whole = rise + top + fall;
        let fits = whole > 0.0 && whole <= period * (1.0 + TOGETHER);
        require(
            "the length of a trapezoid",
            whole,
            fits,
            "rise + top + fall > 0 and within the period, in s",
        )
    }

    /// Adds the breakpoints of number `k`.
    fn push(&self, k: usize, knots: &mut Vec<Knot>) {
        let Self { amplitude, period, rise, top, fall, start, offset } = *self;
        let [t, next] = [k, k + 1].map(|k| start + k as f64 * period);
        let high = offset + amplitude;
        let whole = rise + top + fall;
        // One that fills its period ends where the next one begins, whose breakpoint takes the place of this one.
        let fills = whole >= period * (1.0 - TOGETHER);
        let end = if fills { next } else { t + whole };
        let risen = t + rise;
        let falls = if fall > 0.0 { t + (rise + top) } else { end };
        let mut add = |time: f64, until: f64, from: f64, to: f64| {
            // Slopes go by the rounded times, so that pieces meet. What is shorter than the times can tell has no length.
            let rate = if from == to { 0.0 } else { (to - from) / (until - time) };
            match knots.last_mut() {
                _ if until <= time => {}
                Some(last) if last.time >= time => {
                    *last = Knot { time: last.time, value: from, rate };
                }
                _ => knots.push(Knot { time, value: from, rate }),
            }
        };
        add(t, risen, offset, high);
        add(risen, falls, high, high);
        add(falls, end, high, offset);
        add(end, f64::INFINITY, offset, offset);
    }
}

/// A trapezoid whose length differs from its period by no more than this share fills it.
const TOGETHER: f64 = 1e-12;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::Integral;

    fn chirp(from: f64, to: f64, sweep: Sweep) -> Chirp {
        Chirp { amplitude: 1.5, from, to, duration: 3.0, phase: 0.4, sweep }
    }

    /// The phase is the integral of the frequency, summed here by Simpson's rule; and the derivatives are those of differences.
    #[test]
    fn the_phase_is_the_integral_of_the_frequency() {
        for (from, to, sweep) in [
            (2.0, 9.0, Sweep::Linear),
            (9.0, 0.0, Sweep::Linear),
            (2.0, 9.0, Sweep::Logarithmic),
            (9.0, 0.5, Sweep::Logarithmic),
            (4.0, 4.0, Sweep::Logarithmic),
        ] {
            let c = chirp(from, to, sweep);
            let frequency = |t: f64| match sweep {
                _ if t >= 3.0 => to,
                Sweep::Linear => from + (to - from) * t / 3.0,
                Sweep::Logarithmic => from * (to / from).powf(t / 3.0),
            };
            let s = Signal::chirp(c).unwrap();
            let n = 30_000;
            let end = 5.0;
            let h = end / f64::from(n);
            let mut angle: f64 = 0.4;
            for i in 0..n {
                let t = h * f64::from(i);
                if i % 1000 == 0 {
                    let [want, w] = [1.5 * angle.cos(), frequency(t)];
                    assert!(
                        (s.value(t) - want).abs() < 1e-10,
                        "{c:?} at {t}: {} {want}",
                        s.value(t)
                    );
                    let rate = -1.5 * w * angle.sin();
                    assert!((s.derivative(t) - rate).abs() < 1e-8, "{c:?} at {t}");
                }
                let simpson =
                    frequency(t) + 4.0 * frequency(t + 0.5 * h) + frequency(t + h * (1.0 - 1e-12));
                angle += h / 6.0 * simpson;
            }
            assert_eq!(s.breakpoints(0.0, 9.0).collect::<Vec<_>>(), [3.0]);
            let d = 1e-4;
            for t in [0.3, 1.7, 2.9, 3.6] {
                let [before, at, after] = [t - d, t, t + d].map(|t| s.piece_at(t).derivatives(t));
                assert!((after[0] - before[0] - 2.0 * d * at[1]).abs() < 1e-9);
                assert!((after[1] - before[1] - 2.0 * d * at[2]).abs() < 1e-6);
                for (order, found) in at.iter().enumerate().skip(1).take(2) {
                    assert!(
                        found.abs() <= s.derivative_bound(order as i32).max(at[1].abs()) + 1e-9
                    );
                }
                let third = (after[2] - before[2]) / (2.0 * d);
                assert!(third.abs() <= s.derivative_bound(3) * 1.0001, "{c:?} at {t}: {third}");
            }
            let integral = Integral::new(s.clone());
            let mut sum = 0.0;
            for i in 0..4000 {
                let t = 1e-3 * f64::from(i);
                sum += 1e-3 / 6.0 * (s.value(t) + 4.0 * s.value(t + 5e-4) + s.value(t + 1e-3));
            }
            assert!((integral.value(4.0) - sum).abs() < 1e-10, "{c:?}");
        }
    }

    #[test]
    fn chirps_are_equal_where_their_numbers_are() {
        let [a, b] = [2.0, 2.0].map(|w| Signal::chirp(chirp(w, 9.0, Sweep::Linear)).unwrap());
        assert_eq!(a, b);
        assert_ne!(a, Signal::chirp(chirp(2.0, 8.0, Sweep::Linear)).unwrap());
        assert_ne!(a, Signal::chirp(chirp(2.0, 9.0, Sweep::Logarithmic)).unwrap());
    }

    #[test]
    fn trapezoids_are_where_their_times_say() {
        let shape = Trapezoid {
            amplitude: -3.0,
            period: 0.7,
            rise: 0.1,
            top: 0.25,
            fall: 0.05,
            start: 0.2,
            offset: 1.0,
        };
        let s = Signal::trapezoids(shape, 1000).unwrap();
        for i in 0..7000 {
            let t = 0.1003 * f64::from(i);
            let part = if t < 0.2 { -1.0 } else { (t - 0.2) % 0.7 };
            let share = match part {
                p if p < 0.0 => 0.0,
                p if p < 0.1 => p / 0.1,
                p if p < 0.35 => 1.0,
                p if p < 0.4 => (0.4 - p) / 0.05,
                _ => 0.0,
            };
            let want = if t < 700.2 { 1.0 - 3.0 * share } else { 1.0 };
            assert!((s.value(t) - want).abs() < 1e-9, "{t}: {} {want}", s.value(t));
        }
        assert!(s.jumps().is_empty());
    }

    /// Triangles and pulses that fill their period leave no piece between one and the next.
    #[test]
    fn shapes_may_fill_their_period() {
        let triangle = Trapezoid {
            amplitude: 1.0,
            period: 0.3,
            rise: 0.1,
            top: 0.0,
            fall: 0.2,
            start: 0.0,
            offset: 0.0,
        };
        let s = Signal::trapezoids(triangle, 50).unwrap();
        assert_eq!(s.breakpoints(-1.0, 100.0).count(), 101);
        assert!(s.jumps().is_empty());
        let square = Signal::pulses(1.0, 0.1, 0.1, 0.0, 0.0, 50).unwrap();
        let found: Vec<(f64, f64)> = square.jumps();
        assert_eq!(found.iter().filter(|j| j.1 != 0.0).count(), 2, "{found:?}");
        let pulses = Signal::pulses(2.0, 1.0, 0.25, -0.1, 0.0, 2).unwrap();
        let found = pulses.jumps();
        assert_eq!(found.iter().map(|j| j.1).collect::<Vec<_>>(), [2.0, -2.0, 2.0, -2.0]);
        let want = [-0.1, 0.15, 0.9, 1.15];
        assert!(found.iter().zip(want).all(|(j, t)| (j.0 - t).abs() < 1e-15), "{found:?}");
    }

    #[test]
    fn what_is_no_shape_is_refused() {
        let fails = |c: Chirp, says: &str| {
            let said = Signal::chirp(c).unwrap_err().to_string();
            assert!(said.contains(says), "{said}");
        };
        fails(chirp(-1.0, 2.0, Sweep::Linear), "frequency");
        fails(chirp(0.0, 2.0, Sweep::Logarithmic), "logarithmic");
        fails(Chirp { duration: 0.0, ..chirp(1.0, 2.0, Sweep::Linear) }, "duration");
        fails(Chirp { amplitude: f64::NAN, ..chirp(1.0, 2.0, Sweep::Linear) }, "amplitude");
        fails(chirp(1.0, 1e200, Sweep::Linear), "lower frequencies");
        let pulses = |period: f64, width: f64, count: usize| {
            Signal::pulses(1.0, period, width, 0.0, 0.0, count).unwrap_err().to_string()
        };
        assert!(pulses(1.0, 1.1, 1).contains("within the period"));
        assert!(pulses(1.0, 0.0, 1).contains("> 0"));
        assert!(pulses(0.0, 0.0, 1).contains("period"));
        assert!(pulses(1.0, 0.5, 0).contains("number of trapezoids"));
        assert!(pulses(1.0, 0.5, usize::MAX).contains("1,000,000"));
    }
}
