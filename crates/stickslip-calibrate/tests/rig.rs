//! A frame shaken at its base whose mass rubs under three weights (Marino and Cicirello 2023, arXiv 2303.03858): what a normal
//! force that depends on the displacement explains.

use crate::common::asked::{question, sensor, unknown};
use crate::common::shared;
use stickslip::scheme::oscillator::adaptive;
use stickslip::{Error, Law, Oscillator, Problem, Scheme, Signal};
use stickslip_calibrate::Unwatched;
use stickslip_calibrate::models::{Family, ModelFit, Sensor, Sought, fit};

/// Stiffness, damping, friction, and the slope of the normal force where it is sought; the mass is weighed.
struct Frame {
    base: Signal,
    end: f64,
}

impl Family for Frame {
    fn problem(&self, p: &[f64]) -> Result<Problem, Error> {
        let o = Oscillator::new(3.0799, p[0], Law::coulomb(p[2])?)
            .with_damping(p[1])
            .with_drive(self.base.clone())
            .with_normal_slope(p.get(3).copied().unwrap_or(0.0));
        Ok(Problem::new(o, self.end))
    }
}

/// The fit of the record under `grams`, from millimetres.
fn fitted(grams: u32, slope: bool) -> Option<ModelFit> {
    let text = std::fs::read_to_string(shared(&format!("experiments/shaken_rig_{grams}g.csv"))?);
    let text = text.unwrap();
    let rows = text.lines().skip(1).map(|l| l.split(',').map(|v| v.parse::<f64>().unwrap()));
    let rows: Vec<Vec<f64>> = rows.map(Iterator::collect).collect();
    let column = |k: usize, by: f64| rows.iter().map(|r| by * r[k]).collect::<Vec<f64>>();
    let (time, base, values) = (column(0, 1.0), column(1, 1e-3), column(2, 1e-3));
    let family = Frame { base: Signal::sampled(&time, &base).unwrap(), end: time[time.len() - 1] };
    let offset = Sought::Within([-1e-3, 1e-3]);
    let displacement = Sensor { offset, ..sensor("x", values) };
    let all = [
        unknown("stiffness", [500.0, 2500.0]),
        unknown("damping", [0.0, 20.0]),
        unknown("friction.force", [0.0, 4.0]),
        unknown("normal_slope", [-100.0, 100.0]),
    ];
    let unknowns = all.into_iter().take(if slope { 4 } else { 3 }).collect();
    let mut question = question(time, vec![displacement], unknowns);
    question.compare = std::env::var_os("STICKSLIP_COMPARE").is_some();
    if slope {
        question.scheme = Scheme::Adaptive(adaptive::Options::default());
    }
    Some(fit(&family, &question, &Unwatched).unwrap())
}

/// Under one Coulomb force what is left swings at twice the frequency of the shaking, which no force that is the same on both
/// sides of the middle makes. With a normal force that depends on the displacement two thirds of it are gone, and friction is
/// proportional to the weight, which nothing in the fit asks for.
#[test]
#[ignore = "minutes: adaptive steps through every row of three records"]
fn friction_of_a_shaken_frame_grows_with_its_weight() {
    let mut ratios = Vec::new();
    for grams in [250, 350, 450, 550] {
        let begun = std::time::Instant::now();
        let (Some(plain), Some(sloped)) = (fitted(grams, false), fitted(grams, true)) else {
            return;
        };
        for found in [&plain, &sloped] {
            let numbers =
                found.parameters.iter().map(|n| (&n.name, n.estimate.value, n.estimate.ci95));
            println!(
                "{grams} g: {:.4} {:?} {} motions {:?} {:?} {:.1} alike, {:?}",
                found.measured[0].relative,
                numbers.collect::<Vec<_>>(),
                found.evaluations,
                found.combinations,
                found.measured[0].tuned,
                found.autocorrelation,
                begun.elapsed()
            );
            if let Some(c) = &found.comparison {
                for a in &c.answers {
                    println!("   {} {} {}", a.what, a.verdict, a.sentence);
                }
                for c in &c.candidates {
                    println!("   {c:?}");
                }
            }
        }
        assert!(sloped.measured[0].relative < 0.03, "{}", sloped.measured[0].relative);
        assert!(sloped.rmse < 0.75 * plain.rmse, "{} {}", sloped.rmse, plain.rmse);
        ratios
            .push(sloped.parameters[2].estimate.value.unwrap() / (1e-3 * f64::from(grams) * 9.81));
    }
    let mean = ratios.iter().sum::<f64>() / 3.0;
    assert!(ratios.iter().all(|r| (r / mean - 1.0).abs() < 0.04), "{ratios:?}");
}
