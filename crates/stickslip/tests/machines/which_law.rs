//! What each law with memory makes of the same four motions. The table of the page "Which law?" is held against it.

use std::f64::consts::{FRAC_PI_2, TAU};
use stickslip::law::memory::{
    BoucWen, Dahl, Direct, ElastoPlastic, Evolution, Lugre, MaxwellSlip, Memory, Own, RateAndState,
    Remembers, Run, Shape, StribeckLimit,
};
use stickslip::model::hysteretic::{Body, Hysteretic};
use stickslip::scheme::memory::{self, MemoryPath};
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::{Error, Signal};

/// F = f tanh(w/w₀), which many programs use in place of a law. It remembers nothing: its one number stays what it is.
#[derive(Debug)]
struct Tanh {
    /// f, N.
    force: f64,
    /// w₀, m/s.
    speed: f64,
}

impl Remembers for Tanh {
    fn scale(&self, _: usize) -> f64 {
        1e-3
    }

    fn check_state(&self, _: &[f64]) -> Result<(), Error> {
        Ok(())
    }

    fn enter(&self, _: f64, _: f64, _: &[f64], _: bool, regions: &mut [u8]) {
        regions.fill(0);
    }

    fn margins(&self, _: Run<'_>, _: f64, _: &[f64], margins: &mut [f64]) {
        margins.fill(1.0);
    }

    fn leave(&self, _: usize, region: u8) -> u8 {
        region
    }

    fn slips(&self, _: &[u8]) -> bool {
        false
    }

    fn rates(&self, _: Run<'_>, _: f64, _: &[f64], rates: &mut [f64]) {
        rates.fill(0.0);
    }

    fn force(&self, _: f64, w: f64, _: &[f64], _: &[f64]) -> f64 {
        self.force * (w / self.speed).tanh()
    }

    fn canonical(&self) -> String {
        format!("tanh {:?}, {:?}", self.force, self.speed)
    }
}

/// One contact, as well as each law can say it: 1 N in a slide, 1.2 N before it, 1000 N/m before it slips. Pressed by 1 N: forces are coefficients.
fn laws() -> [(&'static str, Memory); 7] {
    let limit = StribeckLimit::new(1.2, 1.0, 0.05, 2.0).unwrap();
    let shape = Shape { a: 1.0, beta: 500.0, gamma: 500.0, exponent: 1.0 };
    let direct = Direct { coefficient: 1.0, a: 0.01, b: 0.04 };
    let (stiffness, weight) = (vec![600.0, 300.0, 100.0], vec![0.3, 0.4, 0.3]);
    [
        ("dahl", Dahl::new(1.0, 1000.0, 1.0).unwrap().into()),
        ("bouc-wen", BoucWen::new(1000.0, 0.0, shape).unwrap().into()),
        ("lugre", Lugre::new(limit, 1000.0, 2.0, 0.4).unwrap().into()),
        ("elasto-plastic", ElastoPlastic::new(limit, 1000.0, 2.0, 0.4, 0.7e-3).unwrap().into()),
        ("maxwell-slip", MaxwellSlip::new(limit, stiffness, weight, 30.0, 0.4).unwrap().into()),
        (
            "rate-and-state",
            RateAndState::new(direct, 1e-3, 0.05, Evolution::Ageing).unwrap().into(),
        ),
        ("tanh", Own::new(Tanh { force: 1.0, speed: 1e-3 }).into()),
    ]
}

fn sine(amplitude: f64, frequency: f64) -> Signal {
    Signal::harmonic(amplitude, frequency, -FRAC_PI_2)
}

fn solved(model: Hysteretic, end: f64) -> MemoryPath {
    memory::solve(&model.with_normal(Signal::constant(1.0)), end, Options::tolerance(1e-9)).unwrap()
}

/// ∮ F dx of the third period of a motion of ±0.5 mm at 1 rad/s, µJ: Simpson's rule.
fn pre_sliding(law: &Memory) -> f64 {
    let path = solved(Hysteretic::led(law.clone(), sine(0.5e-3, 1.0)), 3.0 * TAU);
    let n = 20_000;
    let h = TAU / f64::from(n);
    let power = |k: i32| {
        let at = path.state(2.0 * TAU + h * f64::from(k));
        -at.friction * at.v
    };
    let weight = |k: i32| if k == 0 || k == n { 1.0 } else { 2.0 + 2.0 * f64::from(k % 2) };
    1e6 * h / 3.0 * (0..=n).map(|k| weight(k) * power(k)).sum::<f64>()
}

/// The force, rising by 0.1 N/s on 1 kg, at which the speed passes 10 mm/s, N.
fn breakaway(law: &Memory) -> f64 {
    let body = Body { force: Signal::ramp(0.1, 0.0), ..Body::new(1.0, 0.0) };
    let path = solved(Hysteretic::carrying(law.clone(), body), 20.0);
    let (mut a, mut b) = (0.0, 20.0);
    while b - a > 1e-9 {
        let t = 0.5 * (a + b);
        if path.state(t).v > 0.01 { b = t } else { a = t }
    }
    0.1 * b
}

/// The drift per period under 0.35 N ± 0.25 N at 2 rad/s on 1 kg, from the fifth to the twentieth period, µm.
fn drift(law: &Memory) -> f64 {
    let force = Signal::constant(0.35) + sine(0.25, 2.0);
    let body = Body { force, ..Body::new(1.0, 0.0) };
    let period = 0.5 * TAU;
    let path = solved(Hysteretic::carrying(law.clone(), body), 20.0 * period);
    1e6 * (path.state(20.0 * period).x - path.state(5.0 * period).x) / 15.0
}

/// Half the range of the force in a spring of 25 N/m that pulls 1 kg at 50 mm/s, over the last 20 s of 60, N.
fn stick_slip(law: &Memory) -> f64 {
    let body = Body { drive: Signal::ramp(0.05, 0.0), ..Body::new(1.0, 25.0) };
    let path = solved(Hysteretic::carrying(law.clone(), body), 60.0);
    let force = |k: i32| {
        let t = 40.0 + 1e-3 * f64::from(k);
        25.0 * (0.05 * t - path.state(t).x)
    };
    let (lo, hi) = (0..=20_000)
        .map(force)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), f| (lo.min(f), hi.max(f)));
    0.5 * (hi - lo)
}

/// The rows of the table on the page, by law.
fn page() -> Vec<(String, Vec<f64>)> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../book/src/explanation/which-law.md");
    let text = std::fs::read_to_string(path).unwrap();
    let table = text.split("<!-- measured -->").nth(1).unwrap();
    let rows = table.lines().filter(|l| l.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let numbers = cells[2..6].iter().map(|c| c.replace('−', "-").parse().unwrap()).collect();
        (cells[1].trim_matches('`').to_owned(), numbers)
    })
    .collect()
}

#[test]
fn the_table_of_the_page_which_law_is_measured() {
    let mut measured = Vec::new();
    for (name, law) in laws() {
        let numbers = [pre_sliding(&law), breakaway(&law), drift(&law), stick_slip(&law)];
        println!("{name}: {numbers:?}");
        measured.push((name, numbers));
    }
    let page = page();
    assert_eq!(page.len(), measured.len());
    for ((name, ours), (law, theirs)) in measured.iter().zip(&page) {
        assert_eq!(name, law);
        for (ours, theirs) in ours.iter().zip(theirs) {
            // Three digits stand there.
            assert!(
                (ours - theirs).abs() <= 0.006 * ours.abs().max(0.1),
                "{name}: {ours} {theirs}"
            );
        }
    }
}

/// Below its breakaway the elastic bristle is a spring and a damper, so that the mass comes back to F/σ₀ for ever.
#[test]
fn the_elasto_plastic_law_does_not_drift_below_its_breakaway_and_lugre_does() {
    let [_, _, (_, lugre), (_, elastic), ..] = laws();
    assert!(drift(&elastic).abs() < 1e-6, "{} µm", drift(&elastic));
    assert!(drift(&lugre) > 1.0, "{} µm", drift(&lugre));
}

/// Without its mass tanh creeps at w₀ artanh F: over a period of the load by the mean of evenly spaced values, exact to rounding. Rate and state creeps by
/// w = V₀ e^((F − μ₀)/a): nothing that can be seen.
#[test]
fn tanh_creeps_as_its_formula_says_and_rate_and_state_by_nothing() {
    let [.., (_, rock), (_, tanh)] = laws();
    let n = 1000;
    let speed = |k: i32| (0.35 + 0.25 * (TAU * f64::from(k) / f64::from(n)).sin()).atanh();
    let expected = 1e6 * 1e-3 * 0.5 * TAU * (0..n).map(speed).sum::<f64>() / f64::from(n);
    assert!((drift(&tanh) / expected - 1.0).abs() < 1e-3, "{} {expected}", drift(&tanh));
    assert!(drift(&rock).abs() < 1e-6, "{}", drift(&rock));
}
