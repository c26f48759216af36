//! The figure of the page "Which law?".

use super::super::verdict::Tolerance::{AtMost, Relative};
use super::Work;
use std::f64::consts::{FRAC_PI_2, TAU};
use stickslip::law::memory::{
    BoucWen, Dahl, Direct, ElastoPlastic, Evolution, Lugre, MaxwellSlip, Memory, Own, RateAndState,
    Remembers, Run, Shape, StribeckLimit,
};
use stickslip::model::hysteretic::{Body, Hysteretic};
use stickslip::scheme::memory::{self, MemoryPath};
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::{Error, Signal, portable};
use stickslip_file::Result;
use stickslip_report::figure::{Axis, Figure, Panel, Style};

const MODEL: &str = include_str!("../../models/which-law.toml");

/// Points of each line.
const POINTS: u32 = 400;
/// Amplitude of the loop, m: too little for a slip.
const AMPLITUDE: f64 = 0.5e-3;
/// The rising force, N/s, and how long it rises, s.
const RISE: [f64; 2] = [0.1, 13.0];
/// The spring of the stick-slip, N/m, the speed of its end, m/s, and how long it pulls, s.
const PULL: [f64; 3] = [25.0, 0.05, 12.0];

/// A law and its name.
struct Driven {
    name: &'static str,
    law: Memory,
}

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
        self.force * portable::tanh(w / self.speed)
    }

    fn canonical(&self) -> String {
        format!("tanh {:?}, {:?}", self.force, self.speed)
    }
}

/// One contact, as well as each law can say it: 1 N in a slide, 1.2 N before it, 1000 N/m before it slips. Pressed by 1 N: forces are coefficients.
fn laws() -> Result<[Driven; 7], Error> {
    let limit = StribeckLimit::new(1.2, 1.0, 0.05, 2.0)?;
    let shape = Shape { a: 1.0, beta: 500.0, gamma: 500.0, exponent: 1.0 };
    let stiffness = vec![600.0, 300.0, 100.0];
    let weight = vec![0.3, 0.4, 0.3];
    let direct = Direct { coefficient: 1.0, a: 0.01, b: 0.04 };
    let one = |name, law| Driven { name, law };
    Ok([
        one("Dahl", Dahl::new(1.0, 1000.0, 1.0)?.into()),
        one("Bouc–Wen", BoucWen::new(1000.0, 0.0, shape)?.into()),
        one("LuGre", Lugre::new(limit, 1000.0, 2.0, 0.4)?.into()),
        one("elasto-plastic", ElastoPlastic::new(limit, 1000.0, 2.0, 0.4, 0.7e-3)?.into()),
        one("Maxwell slip", MaxwellSlip::new(limit, stiffness, weight, 30.0, 0.4)?.into()),
        one("rate and state", RateAndState::new(direct, 1e-3, 0.05, Evolution::Ageing)?.into()),
        one("tanh", Own::new(Tanh { force: 1.0, speed: 1e-3 }).into()),
    ])
}

fn solved(model: Hysteretic, end: f64) -> Result<MemoryPath, Error> {
    memory::solve(&model.with_normal(Signal::constant(1.0)), end, Options::tolerance(1e-9))
}

/// A sine that begins at zero.
fn sine(amplitude: f64, frequency: f64) -> Signal {
    Signal::harmonic(amplitude, frequency, -FRAC_PI_2)
}

/// The third period of a motion of ±0.5 mm at 1 rad/s.
fn pre_sliding(law: &Memory) -> Result<MemoryPath, Error> {
    solved(Hysteretic::led(law.clone(), sine(AMPLITUDE, 1.0)), 3.0 * TAU)
}

fn breakaway(law: &Memory) -> Result<MemoryPath, Error> {
    let [rise, end] = RISE;
    let body = Body { force: Signal::ramp(rise, 0.0), ..Body::new(1.0, 0.0) };
    solved(Hysteretic::carrying(law.clone(), body), end)
}

fn stick_slip(law: &Memory) -> Result<MemoryPath, Error> {
    let [stiffness, speed, end] = PULL;
    let body = Body { drive: Signal::ramp(speed, 0.0), ..Body::new(1.0, stiffness) };
    solved(Hysteretic::carrying(law.clone(), body), end)
}

/// Values at evenly spaced times from `from` to `to` (s).
fn along(from: f64, to: f64, of: impl Fn(f64) -> [f64; 2]) -> (Vec<f64>, Vec<f64>) {
    let at = |k: u32| of(from + (to - from) * f64::from(k) / f64::from(POINTS));
    (0..=POINTS).map(at).map(|[x, y]| (x, y)).unzip()
}

/// ∮ F dx of the third period, J: Simpson's rule.
fn work(path: &MemoryPath) -> f64 {
    let n = 20_000;
    let h = TAU / f64::from(n);
    let power = |k: i32| {
        let at = path.state(2.0 * TAU + h * f64::from(k));
        -at.friction * at.v
    };
    let weight = |k: i32| if k == 0 || k == n { 1.0 } else { 2.0 + 2.0 * f64::from(k % 2) };
    h / 3.0 * (0..=n).map(|k| weight(k) * power(k)).sum::<f64>()
}

/// What the mass creeps in 15 periods of a load of 0.35 N ± 0.25 N, m: never above half of the breakaway.
fn drift(law: &Memory) -> Result<f64, Error> {
    let force = Signal::constant(0.35) + sine(0.25, 2.0);
    let body = Body { force, ..Body::new(1.0, 0.0) };
    let period = 0.5 * TAU;
    let path = solved(Hysteretic::carrying(law.clone(), body), 20.0 * period)?;
    Ok(path.state(20.0 * period).x - path.state(5.0 * period).x)
}

/// What tanh creeps in a period of that load, m, where its mass is nothing: ∫ w₀ artanh F dt, by the mean of evenly spaced values, which for a
/// periodic function is exact to rounding.
fn creeps() -> f64 {
    let n = 1000;
    let speed = |k: u32| {
        let load = 0.35 + 0.25 * portable::sin(TAU * f64::from(k) / f64::from(n));
        1e-3 * 0.5 * (portable::ln_1p(load) - portable::ln_1p(-load))
    };
    0.5 * TAU * (0..n).map(speed).sum::<f64>() / f64::from(n)
}

pub fn run(w: &mut Work) -> Result<()> {
    w.document("which-law.toml", MODEL)?;
    let laws = laws()?;
    // F = F_c (1 − u) with u falling by e^(−dx/δ), δ = 1 mm, between F₀ = ∓F_c tanh(A/δ) at the turns.
    let strength = portable::tanh(AMPLITUDE / 1e-3);
    let closed = 2.0
        * (2.0 * AMPLITUDE
            - (1.0 + strength) * 1e-3 * (1.0 - portable::exp(-2.0 * AMPLITUDE / 1e-3)));
    let dahl = work(&pre_sliding(&laws[0].law)?);
    w.verdict("work of Dahl's loop, J", (closed, "closed form"), dahl, Relative(1e-2));
    let source = "1 mm/s artanh of the load, integrated over 15 periods";
    let creep = drift(&laws[6].law)?;
    w.verdict("drift of tanh in 15 periods, m", (15.0 * creeps(), source), creep, Relative(1e-3));
    let elastic = drift(&laws[3].law)?.abs();
    let source = "an elastic bristle comes back";
    w.verdict("drift of the elasto-plastic law in 15 periods, m", (1e-10, source), elastic, AtMost);
    let figure = figure(&laws)?;
    w.figure(
        "which-law.svg",
        &figure,
        "Six laws with memory for one contact, and tanh. Above: friction against displacement in a loop before the slip. Middle: displacement under a force that \
         rises by 0.1 N/s. Below: the force of a spring that pulls the mass at 50 mm/s.",
    );
    Ok(())
}

fn figure(laws: &[Driven]) -> Result<Figure<'static>> {
    let mut before = Panel::new(Axis::linear("displacement", "mm"), Axis::linear("friction", "N"));
    let mut away =
        Panel::new(Axis::linear("force", "N").tight(), Axis::linear("displacement", "mm"));
    let mut pulled =
        Panel::new(Axis::linear("time t", "s").tight(), Axis::linear("force of the spring", "N"));
    for (i, Driven { name, law }) in laws.iter().enumerate() {
        let style = || Style::series(i).width(1.4);
        let path = pre_sliding(law)?;
        let (x, force) = along(2.0 * TAU, 3.0 * TAU, |t| {
            let at = path.state(t);
            [1e3 * at.x, -at.friction]
        });
        before = before.line(x, force, style().label(*name));
        let path = breakaway(law)?;
        let [rise, end] = RISE;
        let (force, x) = along(0.0, end, |t| [rise * t, 1e3 * path.state(t).x]);
        // Beyond 3 mm it has broken away, and would hide what came before.
        let shown = x.iter().position(|x| *x > 3.0).unwrap_or(x.len());
        away = away.line(force[..shown].to_vec(), x[..shown].to_vec(), style());
        let path = stick_slip(law)?;
        let [stiffness, speed, end] = PULL;
        let (t, force) = along(0.0, end, |t| [t, stiffness * (speed * t - path.state(t).x)]);
        pulled = pulled.line(t, force, style());
    }
    let describe =
        "Six laws with memory and tanh in a loop before the slip, at breakaway and in stick-slip";
    Ok(Figure::new()
        .describe(describe)
        .panel(before.height(220.0))
        .panel(away.height(200.0))
        .panel(pulled.height(200.0)))
}
