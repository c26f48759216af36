//! The periodic motion of a block that is shaken, and whether it is stable.
//!
//! `cargo run -p stickslip --example orbit`

use stickslip::study::orbit::{Method, Search, orbits};
use stickslip::{Law, Oscillator, Signal};

fn main() -> Result<(), stickslip::Error> {
    let block = Oscillator::new(1.0, 1.0, Law::coulomb(0.3)?)
        .with_damping(0.05)
        .with_force(Signal::harmonic(1.0, 0.9, 0.0));
    let found = orbits(&block.into(), Method::Exact, &Search::default())?;
    for orbit in &found.orbits {
        println!(
            "period {:.4} s, amplitude {:.4} m: {}, its largest multiplier is {:.4}",
            orbit.period,
            orbit.amplitude(),
            if orbit.stable { "stable" } else { "unstable" },
            orbit.multiplier(),
        );
    }
    Ok(())
}
