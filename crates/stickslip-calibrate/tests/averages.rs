//! Records of a logger that writes means over its intervals.

use crate::common::Noise;
use crate::common::asked::{question, sensor, unknown};
use stickslip::{Error, Law, Network, Oscillator, Problem, Scheme, Signal, solve};
use stickslip_calibrate::Unwatched;
use stickslip_calibrate::models::{Family, ModelFit, Question, Sensor, Unknown, fit};

/// The logger writes a row every so many seconds, in which the mass below moves through a tenth of a swing.
const INTERVAL: f64 = 0.25;
const ROWS: usize = 320;
const END: f64 = INTERVAL * ROWS as f64;

/// K and f of a mass under a force of two frequencies.
struct Shaken;

impl Family for Shaken {
    fn problem(&self, p: &[f64]) -> Result<Problem, Error> {
        let o = Oscillator::new(1.0, p[0], Law::coulomb(p[1])?)
            .with_damping(0.3)
            .with_force(Signal::harmonic(3.0, 1.3, 0.0) + Signal::harmonic(2.0, 0.37, 0.4));
        Ok(Problem::new(o, END))
    }
}

const TRUTH: [f64; 2] = [4.0, 1.2];

fn forces() -> Vec<Unknown> {
    vec![unknown("stiffness", [2.0, 8.0]), unknown("force", [0.0, 4.0])]
}

fn times() -> Vec<f64> {
    (0..=ROWS).map(|i| INTERVAL * i as f64).collect()
}

/// Means over `length` (s) up to the time of each row, by the trapezoidal rule in 500 steps: it knows no events, and is good to
/// 1e-5 of what it integrates. The first row has no interval before it.
fn means(family: &dyn Family, truth: &[f64], what: &str, length: f64, noise: f64) -> Vec<f64> {
    const STEPS: usize = 500;
    let solution = solve(&family.problem(truth).unwrap(), &Scheme::Exact).unwrap();
    let at = solution.columns().iter().position(|c| c.name == what).unwrap();
    let mut row = vec![0.0; solution.columns().len()];
    let mut draw = Noise::new(11);
    let mut mean = |t: &f64| {
        if *t < length {
            return f64::NAN;
        }
        let mut sum = 0.0;
        for k in 0..=STEPS {
            solution.row(t - length * (1.0 - k as f64 / STEPS as f64), &mut row);
            sum += row[at] * if k == 0 || k == STEPS { 0.5 } else { 1.0 };
        }
        sum / STEPS as f64 + noise * draw.normal()
    };
    times().iter().map(&mut mean).collect()
}

fn of_means(what: &str, values: Vec<f64>, average: f64) -> Sensor {
    Sensor { average, ..sensor(what, values) }
}

fn asked(sensors: Vec<Sensor>) -> Question {
    question(times(), sensors, forces())
}

/// Distances from the truth in standard errors, and the largest standard error as a share of its number.
fn apart(found: &ModelFit) -> (Vec<f64>, f64) {
    let of = |(n, truth): (&stickslip_calibrate::models::Named, &f64)| {
        let e = &n.estimate;
        let (value, error) = (e.value.unwrap(), e.stderr.unwrap());
        ((value - truth).abs() / error, error / truth)
    };
    let all: Vec<(f64, f64)> = found.parameters.iter().zip(&TRUTH).map(of).collect();
    (all.iter().map(|a| a.0).collect(), all.iter().fold(0.0, |m: f64, a| m.max(a.1)))
}

/// Means of displacements alone, and with those of velocity and friction: the numbers hold if the interval is given, and the noise of
/// the readings is all that is left. Taken for readings they are neither right nor believed.
#[test]
fn means_are_compared_with_means() {
    let noise = 0.005;
    let x = || means(&Shaken, &TRUTH, "x", INTERVAL, noise);
    let v = || means(&Shaken, &TRUTH, "v", INTERVAL, noise);
    let force = || means(&Shaken, &TRUTH, "friction", INTERVAL, noise);
    let sensors = |average: f64| {
        vec![
            vec![of_means("x", x(), average)],
            vec![
                of_means("x", x(), average),
                of_means("v", v(), average),
                of_means("friction", force(), average),
            ],
        ]
    };
    // A mean of friction contains its jumps, whose instants move with the numbers: its derivatives are divided differences.
    for (asked_of, gradient) in sensors(INTERVAL).into_iter().zip(["exact", "differences"]) {
        let found = fit(&Shaken, &asked(asked_of), &Unwatched).unwrap();
        let (sigmas, error) = apart(&found);
        assert!(sigmas.iter().all(|s| *s < 4.0) && error < 0.01, "{sigmas:?} {error}");
        assert_eq!(found.gradient, gradient);
        for m in &found.measured {
            assert!((m.rmse / noise - 1.0).abs() < 0.15, "{} {}", m.what, m.rmse);
        }
        assert!(found.plausible, "{:?}", found.warnings);
    }
    for asked_of in sensors(0.0) {
        let found = fit(&Shaken, &asked(asked_of), &Unwatched).unwrap();
        assert!(!found.plausible && !found.warnings.is_empty(), "{found:?}");
    }
}

/// An interval of three rows, as of a running mean, and a logger whose rows carry the time at which the interval begins.
#[test]
fn intervals_may_overlap_and_rows_may_carry_their_beginning() {
    let noise = 0.002;
    let length = 3.0 * INTERVAL;
    let running = of_means("x", means(&Shaken, &TRUTH, "x", length, noise), length);
    let mut earlier = means(&Shaken, &TRUTH, "x", INTERVAL, noise);
    earlier.remove(0);
    earlier.push(f64::NAN);
    let delay = stickslip_calibrate::models::Sought::Known(-INTERVAL);
    let begins = Sensor { delay, ..of_means("x", earlier, INTERVAL) };
    for s in [running, begins] {
        let found = fit(&Shaken, &asked(vec![s]), &Unwatched).unwrap();
        let (sigmas, error) = apart(&found);
        assert!(sigmas.iter().all(|s| *s < 4.0) && error < 0.01, "{sigmas:?} {error}");
        assert!((found.rmse / noise - 1.0).abs() < 0.15, "{}", found.rmse);
    }
}

/// Two masses, whose arcs nobody knows: the interval is cut at the events.
#[test]
fn means_of_a_network() {
    struct Pair;
    impl Family for Pair {
        fn problem(&self, p: &[f64]) -> Result<Problem, Error> {
            let n = Network::builder()
                .node("a", 1.0)
                .node("b", 1.0)
                .spring("a", "b", 3.0)
                .spring("b", "ground", 2.0)
                .slider("s", "a", "ground", p[0], p[0])
                .force("a", Signal::harmonic(2.0, 1.1, 0.0));
            Ok(Problem::new(n.build()?, END))
        }
    }
    let noise = 0.002;
    for what in ["x_b", "v_a"] {
        let values = means(&Pair, &[0.6], what, INTERVAL, noise);
        let unknowns = vec![unknown("static", [0.0, 2.0])];
        let asked = question(times(), vec![of_means(what, values, INTERVAL)], unknowns);
        let found = fit(&Pair, &asked, &Unwatched).unwrap();
        let e = &found.parameters[0].estimate;
        let (value, error) = (e.value.unwrap(), e.stderr.unwrap());
        assert!((value - 0.6).abs() < 4.0 * error && error < 0.006, "{what} {value} {error}");
        assert!((found.rmse / noise - 1.0).abs() < 0.15, "{what} {}", found.rmse);
    }
}
