//! A law of your own: friction that falls from f_s to f_d with e^(−s/v), on a belt that runs slowly.
//!
//! `cargo run -p stickslip --example own_law`

#![allow(
    clippy::disallowed_methods,
    reason = "a law of one's own may use the functions of the standard library"
)]

use stickslip::law::Curve;
use stickslip::solution::Tolerances;
use stickslip::{EventKind, Law, Oscillator, Problem, Scheme, Signal, solve};

/// A(s) = f_d + (f_s − f_d) e^(−s/v).
#[derive(Debug)]
struct Falling {
    breakaway: f64,
    dynamic: f64,
    speed: f64,
}

impl Curve for Falling {
    fn at(&self, s: f64) -> f64 {
        self.dynamic + (self.breakaway - self.dynamic) * (-s / self.speed).exp()
    }

    fn slope(&self, s: f64) -> f64 {
        -(self.breakaway - self.dynamic) / self.speed * (-s / self.speed).exp()
    }

    /// The slope rises with the speed, so that its bounds are at the ends. Steps rely on them: they must be true.
    fn slope_range(&self, lo: f64, hi: f64) -> (f64, f64) {
        (self.slope(lo), self.slope(hi))
    }

    fn weakening(&self) -> f64 {
        -self.slope(0.0)
    }
}

fn main() -> Result<(), stickslip::Error> {
    let law = Law::custom("falling", Falling { breakaway: 1.2, dynamic: 0.8, speed: 0.3 })?;
    let block = Oscillator::new(1.0, 1.0, law).with_support(Signal::constant(0.1));
    let solution = solve(&Problem::new(block, 60.0), &Scheme::Adaptive(Tolerances::default()))?;

    let slips: Vec<f64> =
        solution.events.iter().filter(|e| e.kind == EventKind::Slip).map(|e| e.time).collect();
    println!("on the belt it breaks away {} times, at {slips:.3?} s", slips.len());
    Ok(())
}
