//! Questions about records of one sensor, as most tests ask them.

use stickslip::Scheme;
use stickslip_calibrate::models::{Question, Sensor, Sought, Unknown};

/// A displacement that the sensor shows as it is.
pub fn sensor(what: &str, values: Vec<f64>) -> Sensor {
    let [gain, offset, delay] = [1.0, 0.0, 0.0].map(Sought::Known);
    Sensor { what: what.to_owned(), unit: "m", values, gain, offset, delay, average: 0.0 }
}

pub fn unknown(name: &str, range: [f64; 2]) -> Unknown {
    Unknown { name: name.to_owned(), unit: "", range, above: None }
}

/// In one motion whose start is found too, by the scheme `exact`.
pub fn question(time: Vec<f64>, sensors: Vec<Sensor>, unknowns: Vec<Unknown>) -> Question {
    Question {
        time,
        breaks: Vec::new(),
        sensors,
        unknowns,
        scheme: Scheme::Exact,
        start: true,
        pieces: None,
        compare: false,
        profile: false,
        seed: 1,
    }
}
