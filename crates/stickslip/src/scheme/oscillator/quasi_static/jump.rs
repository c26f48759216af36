//! The slip of a mass whose drive stands still, in closed form.
//!
//! At breakaway the load is f_s; with y, the way into the slip,
//!
//! ```text
//! m ÿ + c ẏ + K y = f_s − f_d,   y = ẏ = 0 at the start
//! ```
//!
//! Without a damper y comes to rest at 2 (f_s − f_d)/K after π/ω; with the damping ratio ζ < 1 at
//! (1 + e^{−πζ/√(1−ζ²)}) (f_s − f_d)/K after π/(ω √(1−ζ²)). For ζ ≥ 1 it approaches (f_s − f_d)/K without overshooting:
//! as long as the drive moves on, the mass slides behind it.

use crate::model::Oscillator;
use crate::motion::{LinearArc, Medium, State, Stretch};
use crate::portable;
use crate::signal::Signal;
use std::f64::consts::PI;
use std::sync::Arc;

/// Time constants after which a mass that never comes to rest counts as having arrived: less than a thousandth of its way is
/// left, (1 + 10) e^{−10} at most.
const SETTLED: f64 = 10.0;

/// How the mass of one oscillator slips.
pub(super) struct Jump {
    medium: Arc<Medium>,
    /// 0 N, the load of the arcs.
    nothing: Arc<Signal>,
    /// ω, rad/s.
    omega: f64,
    /// ζ.
    zeta: f64,
    /// (f_s − f_d)/K, m: how far the sliding friction balances the spring from the start of a slip.
    half: f64,
    /// Length of a slip that comes to rest, m (`half` for ζ ≥ 1).
    pub length: f64,
    /// Duration of a slip that comes to rest, s (∞ for ζ ≥ 1).
    pub duration: f64,
    /// After which a mass that does not come to rest has arrived, s.
    pub settling: f64,
    /// The share of its way that it has gone then.
    arrived: f64,
}

impl Jump {
    /// The slips of `o`.
    pub fn of(o: &Oscillator) -> Self {
        let omega = o.natural_frequency();
        let zeta = 0.5 * o.damping / (o.mass * omega);
        let half = (o.friction.breakaway() - o.friction.sliding()) / o.stiffness;
        let shape = ((1.0 - zeta) * (1.0 + zeta)).max(0.0).sqrt();
        let overshoot = if shape > 0.0 { portable::exp(-PI * zeta / shape) } else { 0.0 };
        let slowest = zeta + ((zeta - 1.0) * (zeta + 1.0)).max(0.0).sqrt();
        // Of an overdamped mass the slower of the two time constants.
        let rate = if zeta < 1.0 { omega * zeta } else { omega / slowest };
        let mut jump = Self {
            medium: Arc::new(Medium::new(o.mass, o.damping, o.stiffness, &[])),
            nothing: Arc::new(Signal::default()),
            omega,
            zeta,
            half,
            // Without a damper the jump is that of the paper, to the last bit.
            length: if zeta == 0.0 { 2.0 * half } else { (1.0 + overshoot) * half },
            // For ζ ≥ 1 the shape is 0, and the duration infinite: the mass only settles.
            duration: PI / (omega * shape),
            settling: SETTLED / rate,
            arrived: 1.0,
        };
        if zeta > 0.0 {
            jump.arrived = jump.way([0.0, jump.settling], [0.0, 1.0]).state(jump.settling).x;
        }
        jump
    }

    /// Whether a mass that breaks away behind a drive of this `speed` (m/s, in the direction of the slip) comes to rest,
    /// while the drive keeps its speed.
    ///
    /// Its velocity is v (1 − g) − (f_s − f_d)/K g′ with the free return g from 1. It is least at its second extremum, where
    /// tan θ = ω′ (f_s − f_d)/K / (ζω (f_s − f_d)/K − v), θ = ω′ s in (π, 2π), ω′ = ω √(1 − ζ²).
    pub(crate) fn comes_to_rest(&self, speed: impl Fn() -> f64) -> bool {
        let Self { omega, zeta, half, .. } = *self;
        if zeta >= 1.0 || zeta == 0.0 {
            return zeta < 1.0;
        }
        let speed = speed();
        // A drive that stands still or goes back lets the mass come to rest as a free one does.
        if speed <= 0.0 {
            return true;
        }
        let decay = zeta * omega;
        let frequency = PI / self.duration;
        // The angle from atan2 is in (0, π), for its first argument is positive: with π added it is that of the
        // second extremum.
        let theta = portable::atan2(frequency * half, decay * half - speed) + PI;
        let fade = portable::exp(-decay * theta / frequency);
        let (sin, cos) = portable::sin_cos(theta);
        let free = fade * (cos + decay / frequency * sin);
        let free_rate = -omega * omega / frequency * fade * sin;
        speed * (1.0 - free) - half * free_rate <= 0.0
    }

    /// Whether the mass overshoots, so that it can come to rest: ζ < 1.
    pub fn oscillates(&self) -> bool {
        self.zeta < 1.0
    }

    /// What a drive of this `speed` (m/s) does while a slip lasts, over what the slip is: its way over twice that by which the
    /// mass overshoots; how far a mass that slides lags behind over its own way. For f_s = f_d both over the width of
    /// the play of this `reach` (m).
    pub(crate) fn haste(&self, speed: f64, reach: f64) -> f64 {
        let Self { omega, zeta, half, .. } = *self;
        let lag = 2.0 * zeta / omega;
        if half == 0.0 {
            return speed * lag.max(PI / omega) / (2.0 * reach);
        }
        let overshoot = self.length - half;
        if zeta < 1.0 { speed * self.duration / (2.0 * overshoot) } else { speed * lag / half }
    }

    /// The arc of a slip from `start` (s) and `x` (m) by `jump` (m), of which it goes on to `until` (s).
    pub fn arc(&self, [start, until]: [f64; 2], x: f64, jump: f64) -> Stretch {
        if self.zeta == 0.0 {
            let angular_frequency = PI / self.duration;
            return Stretch::HalfPeriod { start, x, jump, angular_frequency };
        }
        let centre = x + jump * (self.half / self.length);
        Stretch::Frozen(Box::new(self.way([start, until], [x, centre])))
    }

    /// The arc of a mass that settles after having moved from `x` (m) by `way` (m).
    pub fn settle(&self, [start, until]: [f64; 2], x: f64, way: f64) -> Stretch {
        // The centre lies a little farther, so that the arc is at the end of its way when it counts as settled.
        Stretch::Frozen(Box::new(self.way([start, until], [x, x + way / self.arrived])))
    }

    /// From rest at x about `centre` (m).
    fn way(&self, [start, until]: [f64; 2], [x, centre]: [f64; 2]) -> LinearArc {
        let resistance = -self.medium.stiffness * centre;
        let rest = State { x, v: 0.0 };
        LinearArc::new(&self.medium, &self.nothing, 0, start, rest, resistance, until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Law;

    fn jump(damping: f64) -> Jump {
        let law = Law::static_dynamic(1.0, 0.8).unwrap();
        Jump::of(&Oscillator::new(1.0, 2.0, law).with_damping(damping))
    }

    /// Explicit steps of m ÿ + c ẏ + K y = f_s − f_d + K v s: where y first comes to rest, if it does within `end`.
    fn stops(damping: f64, speed: f64, end: f64) -> Option<(f64, f64)> {
        let h = 1e-5;
        let mut y = 0.0;
        let mut v = 0.0;
        let mut s = 0.0;
        let rate = |y: f64, v: f64, s: f64| 0.2 + 2.0 * (speed * s - y) - damping * v;
        while s < end {
            // The midpoint rule.
            let ym = y + 0.5 * h * v;
            let vm = v + 0.5 * h * rate(y, v, s);
            let y1 = y + h * vm;
            let v1 = v + h * rate(ym, vm, s + 0.5 * h);
            if v1 <= 0.0 && s > 0.0 {
                return Some((s, y));
            }
            (y, v, s) = (y1, v1, s + h);
        }
        None
    }

    #[test]
    fn lengths_and_durations_are_those_of_the_equation_of_motion() {
        for damping in [0.0, 0.1, 0.5, 1.5] {
            let j = jump(damping);
            let (duration, length) = stops(damping, 0.0, 20.0).unwrap();
            assert!((j.duration - duration).abs() < 1e-4, "{damping}: {} {duration}", j.duration);
            assert!((j.length - length).abs() < 1e-8, "{damping}: {} {length}", j.length);
        }
        // ζ = 1 and above: no rest.
        for damping in [8f64.sqrt(), 4.0, 40.0] {
            let j = jump(damping);
            assert!(j.duration.is_infinite() && (j.length - 0.1).abs() < 1e-15);
            assert!(stops(damping, 0.0, j.settling).is_none());
        }
    }

    #[test]
    fn whether_the_mass_comes_to_rest_behind_a_moving_drive_is_decided_right() {
        let mut seen = [0, 0];
        for damping in [0.2, 1.0, 1.8, 2.4, 2.7] {
            for speed in [1e-4, 1e-3, 1e-2, 0.05, 0.2] {
                let rests = stops(damping, speed, 12.0).is_some();
                assert_eq!(jump(damping).comes_to_rest(|| speed), rests, "{damping} {speed}");
                seen[usize::from(rests)] += 1;
            }
        }
        assert!(seen[0] > 5 && seen[1] > 5, "{seen:?}");
    }
}
