//! The gradient of a fit.

use super::super::{Sensor, Unknown};
use super::*;
use crate::control::Unwatched;
use stickslip::sorted;
use stickslip::{Error, Law, Signal};

/// m, K, c, f_d, f_s − f_d of a shaken mass.
struct Rig;

impl Family for Rig {
    fn problem(&self, p: &[f64]) -> Result<Problem, Error> {
        let times: Vec<f64> = (0..=300).map(|i| 0.05 * f64::from(i)).collect();
        let base: Vec<f64> =
            times.iter().map(|t| (1.3 * t).sin() + 0.3 * (0.4 * t).cos()).collect();
        let o = Oscillator::new(p[0], p[1], Law::static_dynamic(p[4], p[3])?)
            .with_damping(p[2])
            .with_drive(Signal::sampled(&times, &base)?);
        Ok(Problem::new(o, 15.0))
    }
}

fn question() -> Question {
    let time: Vec<f64> = (0..=300).map(|i| 0.05 * f64::from(i)).collect();
    let values: Vec<f64> = time.iter().map(|t| 0.8 * (1.3 * t - 0.3).sin()).collect();
    let sensor = |what: &str, gain| Sensor {
        what: what.to_owned(),
        unit: "m",
        values: values.clone(),
        gain,
        offset: Sought::Within([-1.0, 1.0]),
        delay: Sought::Within([-0.1, 0.1]),
    };
    let unknown = |(name, above): (&str, Option<usize>)| Unknown {
        name: name.to_owned(),
        unit: "",
        range: [0.0, 20.0],
        above,
    };
    let names = [("m", None), ("K", None), ("c", None), ("dynamic", None), ("static", Some(3))];
    Question {
        breaks: Vec::new(),
        sensors: vec![
            sensor("x", Sought::Within([0.5, 2.0])),
            sensor("v", Sought::Known(1.0)),
            sensor("friction", Sought::Known(1.0)),
        ],
        unknowns: names.into_iter().map(unknown).collect(),
        time,
        scheme: Scheme::Exact,
        start: true,
        pieces: None,
        compare: false,
        profile: false,
        seed: 1,
    }
}

/// Every column of the gradient against divided differences of the solution, in pieces and in one.
#[test]
fn the_gradient_agrees_with_divided_differences() {
    let question = question();
    let base = Setup::new(&Rig, &question, &Unwatched);
    let whole = std::iter::once(0..301).collect();
    for pieces in [whole, vec![0..150, 150..301]] {
        let setup = base.in_pieces(&pieces, true);
        let mut p = vec![1.2, 4.0, 0.3, 0.5, 0.15, 1.1, 0.05, 0.013, -0.02, 0.007, 0.03, -0.011];
        for piece in &setup.pieces {
            p.extend([piece.guess.x, piece.guess.v + 0.3]);
        }
        let solutions = setup.solutions(&p).unwrap();
        assert!(setup.exactly(&p, &solutions).is_some());
        let (_, columns) = setup.gradient(&p).unwrap();
        assert_eq!(columns.len(), p.len());
        for (k, column) in columns.iter().enumerate() {
            let other = setup.by_differences(&p, k).unwrap();
            let most = other.iter().fold(1e-6, |m: f64, v| m.max(v.abs()));
            let mut apart: Vec<f64> =
                column.iter().zip(&other).map(|(a, b)| (a - b).abs() / most).collect();
            // A row beside an event may lie on either side of it in one of the solutions.
            sorted::ascending(&mut apart);
            assert!(apart[apart.len() - 4] < 2e-4, "{k} {:?}", &apart[apart.len() - 6..]);
        }
    }
}
