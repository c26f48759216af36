//! A frame of two storeys with friction dampers in its braces, under harmonic ground motion.

use super::super::verdict::Tolerance::{Absolute, Relative};
use super::Work;
use std::f64::consts::TAU;
use stickslip::study::orbit::{Forced, Method, Orbit, Search, search};
use stickslip_file::{Document, Memory, ModelFile, Reading, Result};
use stickslip_report::figure::{Axis, Figure, Ink, Marker, Panel, Style};
use stickslip_run::each_of;

const MODEL: &str = include_str!("../../models/two-storeys.toml");
const SOURCE: &str = "independent integration by Runge and Kutta's steps with events";
const ROOF: usize = 1;
/// The slip load with the least peak, and that peak.
const BEST: (f64, f64) = (2.2465, 7.8214);
/// Frequencies of the ground motion in the figure, and those around the peaks.
const RANGE: (f64, f64, usize) = (0.5, 1.0, 101);
const AROUND: (f64, f64, usize) = (0.72, 0.82, 26);
/// Slip loads at which the peak is computed.
const LOADS: (f64, f64, usize) = (2.1, 2.4, 7);

/// Equidistant numbers.
fn grid((from, to, count): (f64, f64, usize)) -> Vec<f64> {
    (0..count).map(|i| from + (to - from) * i as f64 / (count - 1) as f64).collect()
}

/// The frame under ground motion of this frequency, with dampers of this slip load.
fn frame(omega: f64, load: f64) -> Result<Forced> {
    let mut document = Document::parse("two-storeys.toml", MODEL)?;
    for i in 0..2 {
        document.set(&format!("network.force.{i}.harmonic.angular_frequency"), omega)?;
        document.set(&format!("network.slider.{i}.static"), load)?;
    }
    let model = ModelFile::read(&document, &Reading::new(Memory::default()))?.problem.model;
    Ok(Forced::new(&model, TAU / omega, Method::Best)?.looked_at(ROOF))
}

/// The orbit to which a start at rest leads.
fn orbit(omega: f64, load: f64) -> Result<Orbit> {
    let mut wanted = Search::default();
    (wanted.starts, wanted.unstable) = (1, false);
    Ok(search(&frame(omega, load)?, &wanted)?.orbits.swap_remove(0))
}

/// The amplitude of the roof at some frequencies.
fn curve(frequencies: &[f64], load: f64) -> Result<Vec<f64>> {
    each_of(frequencies.to_vec(), |omega| -> Result<f64> { Ok(orbit(omega, load)?.amplitude()) })
}

/// The place of an extreme of y(x) and its value, by the parabola through the three points around the largest y.
fn top(x: &[f64], y: &[f64]) -> (f64, f64) {
    let inside = 1..y.len().saturating_sub(1);
    let Some(i) = inside.max_by(|&i, &j| y[i].total_cmp(&y[j])) else {
        return (f64::NAN, f64::NAN);
    };
    let p = x[i - 1] - x[i];
    let q = x[i + 1] - x[i];
    let r = (y[i - 1] - y[i]) / p;
    let s = (y[i + 1] - y[i]) / q;
    let bend = (s - r) / (q - p);
    let rate = r - bend * p;
    let at = -0.5 * rate / bend;
    (x[i] + at, y[i] + at * (rate + bend * at))
}

pub fn run(w: &mut Work) -> Result<()> {
    w.network("two-storeys.toml", MODEL)?;
    let found = orbit(0.7, 1.5)?;
    let first = found.amplitude_of(0).unwrap_or(f64::NAN);
    for (name, want, ours, error) in [
        ("roof at frequency 0.7 and slip load 1.5", 10.155_916_78, found.amplitude(), 1e-8),
        ("first floor", 7.276_591_580, first, 1e-9),
        ("lost to friction in a period", 46.355_017_72, found.dissipated, 1e-9),
    ] {
        w.verdict(name, (want, SOURCE), ours, Relative(error));
    }
    // In the shoulder, where the third harmonic meets the second mode.
    let shoulder = orbit(0.71, BEST.0)?.amplitude();
    let steps = "independent integration by small steps, extrapolated";
    let name = "roof at frequency 0.71 and the best slip load";
    w.verdict(name, (6.424_926_98, steps), shoulder, Relative(2e-7));
    let loads = grid(LOADS);
    let around = grid(AROUND);
    let peak = |load: &f64| -> Result<f64> { Ok(top(&around, &curve(&around, *load)?).1) };
    let peaks = loads.iter().map(peak).collect::<Result<Vec<f64>>>()?;
    let (best, least) = top(&loads, &peaks.iter().map(|p| -p).collect::<Vec<_>>());
    w.verdict("slip load with the least peak", (BEST.0, SOURCE), best, Absolute(0.01));
    w.verdict("that peak, of the roof", (BEST.1, SOURCE), -least, Relative(2e-4));
    figures(w, &loads, &peaks, best, -least)
}

/// The amplitude over the frequency for three slip loads, and the peak over the slip load.
fn figures(w: &mut Work, loads: &[f64], peaks: &[f64], best: f64, least: f64) -> Result<()> {
    let x = grid(RANGE);
    let mut panel = Panel::new(
        Axis::linear("angular frequency of the ground motion", "rad/s").tight(),
        Axis::log("amplitude of the roof", "m"),
    );
    let shown = [
        (1.0, "slip load 1 N".to_owned()),
        (best, format!("{best:.2} N")),
        (1e3, "stuck".to_owned()),
    ];
    for (i, (load, label)) in shown.into_iter().enumerate() {
        let y = curve(&x, load)?;
        panel = panel.line(x.clone(), y, Style::series(i).label(label));
    }
    let figure = Figure::new().describe("Response of a frame").panel(panel.height(280.0));
    w.figure(
        "two-storeys.svg",
        &figure,
        "Amplitude of the roof over the frequency of the ground motion. Near the best slip load there is a shoulder from 0.68 to 0.72: the \
         dampers slip only part of the time there, and three times the frequency meets the second mode, which is at 1.62 with free dampers \
         and at 2.29 with stuck ones. The third harmonic of the roof grows to 8 % of the first.",
    );
    let panel =
        Panel::new(Axis::linear("slip load", "N").tight(), Axis::linear("peak of the roof", "m"))
            .line(loads.to_vec(), peaks.to_vec(), Style::new(Ink::Blue))
            .points(
                vec![best],
                vec![least],
                Style::new(Ink::Vermillion).marker(Marker::Diamond).label("least"),
            );
    let figure = Figure::new().describe("Peak over the slip load").panel(panel.height(220.0));
    w.figure(
        "two-storeys-peak.svg",
        &figure,
        "The largest amplitude over the frequency, over the slip load.",
    );
    Ok(())
}
