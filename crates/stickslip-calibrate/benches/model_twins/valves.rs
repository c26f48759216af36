//! Control loops that oscillate: because the valve sticks, because they are driven from outside, or because the controller is
//! too fast.

use crate::draws::Draws;
use crate::table::{Number, Record};
use stickslip_calibrate::valve::valve;

/// A valve whose stem rests until spring and actuator are `at_rest` apart, and then moves to where they are `in_slip` apart, in
/// % of the output (He et al. 2007).
struct Stem {
    at_rest: f64,
    in_slip: f64,
    place: f64,
}

impl Stem {
    fn moved(&mut self, output: f64) -> f64 {
        let apart = output - self.place;
        if apart.abs() > self.at_rest {
            self.place = output - apart.signum() * self.in_slip;
        }
        self.place
    }
}

/// The loop of a seed, judged. Every second valve sticks. The process is a flow: it
/// follows the valve within a tenth of a row to three rows.
pub fn fitted(seed: u64) -> Record {
    let mut draws = Draws(seed, 3 << 32);
    let sticks = seed.is_multiple_of(2);
    let in_slip = draws.within(0.5, 2.0);
    let at_rest = in_slip * draws.within(1.3, 2.5);
    let mut stem = Stem {
        at_rest: if sticks { at_rest } else { 0.0 },
        in_slip: if sticks { in_slip } else { 0.0 },
        place: 50.0,
    };
    let (gain, lag) = (draws.within(0.6, 1.5), draws.within(0.1, 3.0));
    let proportional = draws.within(0.1, 0.3) / gain;
    let integral = proportional / draws.within(3.0, 8.0);
    let (amplitude, period) = (draws.within(1.0, 4.0), draws.within(30.0, 90.0));
    let noise = draws.within(0.01, 0.05) * if sticks { gain * at_rest } else { amplitude };
    let (mut y, mut sum, mut u) = (50.0 * gain, 0.0, 50.0);
    let goal = 50.0 * gain + draws.within(-1.0, 1.0);
    let (mut time, mut outputs, mut readings) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..1400 {
        let outside = if sticks {
            0.0
        } else {
            amplitude * (std::f64::consts::TAU * f64::from(i) / period).sin()
        };
        let place = stem.moved(u);
        y += (gain * place + outside - y) * (1.0 - (-1.0 / lag).exp());
        let seen = y + noise * draws.normal();
        if i >= 400 {
            time.push(f64::from(i));
            outputs.push(u);
            readings.push(seen);
        }
        sum += goal - seen;
        u = 50.0 + proportional * (goal - seen) + integral * sum;
    }
    let found = match valve(&time, &outputs, &readings, None) {
        Ok(found) => found,
        Err(e) => {
            println!("valve {seed}: {e}");
            return Record::default();
        }
    };
    let wrong = if sticks { "does-not-stick" } else { "sticks" };
    let width = Number {
        name: "width of the dead zone".to_owned(),
        truth: stem.at_rest + stem.in_slip,
        found: found.stiction.clone(),
    };
    Record {
        numbers: vec![width],
        believed: found.warnings.is_empty() && found.verdict != "undecided",
        misjudged: found.verdict == wrong,
        left: [noise, noise],
    }
}
