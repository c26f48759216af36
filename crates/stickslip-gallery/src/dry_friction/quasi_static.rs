//! Exact and quasi-static motion as ω_drive/ω falls.

use super::super::verdict::Tolerance::{Absolute, AtMost, Equal, Relative};
use super::{Work, slope};
use crate::double_logarithmic;
use std::f64::consts::{PI, TAU};
use stickslip::scheme::oscillator::{exact, quasi_static};
use stickslip::{EventKind, Oscillator, Phase, Signal, Trajectory};
use stickslip_file::Result;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};
use stickslip_report::html::{Table, number};

/// Instants compared in one period of the drive.
const LOOKS: usize = 20_001;

/// Exact against quasi-static motion as the drive slows down.
struct Slowing {
    /// ω_drive/ω.
    slow: Vec<f64>,
    /// Mean distance of the two, m.
    means: Vec<f64>,
    /// |mean duration of a slip/(π/ω) − 1|.
    durations: Vec<f64>,
}

pub fn run(w: &mut Work) -> Result<()> {
    let file = w.oscillator("quasi-static.toml", include_str!("../../models/quasi-static.toml"))?;
    let o = &file.model;
    let slowing = slower_and_slower(w, o)?;

    // One slow period, and one slip of it.
    let rate = 0.01;
    let driven = o.clone().with_drive(Signal::harmonic(1.5, rate, 0.0));
    let end = file.end();
    let truth = exact::solve(&driven, end)?;
    let jumps = quasi_static::solve(&driven, end)?;
    draw(w, &truth, &jumps);
    judge(w, &slowing, &truth, &jumps);
    w.command(
        "stickslip simulate gallery/quasi-static.toml --scheme quasi-static --out quasi-static",
    );
    Ok(())
}

/// What is computed beside what the formulas say.
fn judge(w: &mut Work, slowing: &Slowing, truth: &Trajectory, jumps: &Trajectory) {
    let Slowing { slow, means, durations } = slowing;
    let k = means.len();
    w.verdict(
        "slope of log mean distance over log ω_{drive}/ω, the five slowest",
        (1.0, "a slip lasts π/ω: order 1"),
        slope(&slow[k - 5..], &means[k - 5..]),
        Absolute(0.15),
    );
    w.verdict(
        "mean duration of a slip at the slowest drive, s",
        (PI, "π/ω"),
        PI * (1.0 + durations[k - 1]),
        Relative(0.01),
    );
    let jump = 2.0 * (1.2 - 0.8);
    let worst = jumps
        .events()
        .windows(2)
        .filter(|e| e[1].kind == EventKind::Stick)
        .map(|e| ((e[1].x - e[0].x).abs() - jump).abs())
        .fold(0.0, f64::max);
    w.verdict(
        "quasi-static: largest error of a jump, m",
        (1e-12, "(26): 2(f_{s} − f_{d})/K"),
        worst,
        AtMost,
    );
    let slips =
        |p: &Trajectory| p.events().iter().filter(|e| e.kind == EventKind::Slip).count() as f64;
    w.verdict(
        "slips in the period shown, quasi-static as exact",
        (slips(truth), "exact"),
        slips(jumps),
        Equal,
    );
}

/// One slow period, and one slip of it.
fn draw(w: &mut Work, truth: &Trajectory, jumps: &Trajectory) {
    let end = truth.span().1;
    let curve = |p: &Trajectory, from: f64, to: f64| -> (Vec<f64>, Vec<f64>) {
        (0..4000)
            .map(|i| from + (to - from) * f64::from(i) / 3999.0)
            .map(|t| (t, p.state(t).x))
            .unzip()
    };
    let panel = |from: f64, to: f64, names: bool| {
        let (t, x) = curve(truth, from, to);
        let (s, y) = curve(jumps, from, to);
        let name = |style: Style, name: &str| if names { style.label(name) } else { style };
        Panel::new(Axis::linear("time t", "s").tight(), Axis::linear("x", "m"))
            .line(t, x, name(Style::new(Ink::Sky).width(3.2), "exact"))
            .line(s, y, name(Style::new(Ink::Vermillion).width(1.2), "quasi-static"))
    };
    let first = truth.events().first().map_or(0.0, |e| e.time);
    let figure = Figure::new()
        .describe("Exact and quasi-static displacement")
        .panel(panel(0.0, end, true))
        .beside([panel(first - 2.0, first + 8.0, false), panel(first - 5.0, first + 60.0, false)]);
    w.figure("quasi-static.svg", &figure, "One period of a drive with ω_{drive}/ω = 0.01; below, the first slip and the first few, enlarged.");
}

/// The drive slows down by factors of two.
fn slower_and_slower(w: &mut Work, o: &Oscillator) -> Result<Slowing> {
    let slow: Vec<f64> = (3..=11).map(|j| 0.5f64.powi(j)).collect();
    let mut means = Vec::new();
    let mut durations = Vec::new();
    let mut table = Table::new([
        "ω_{drive}/ω",
        "mean |x − x_{qs}| [m]",
        "slips, exact",
        "slips, quasi-static",
        "mean slip [s]",
    ]);
    for &rate in &slow {
        let driven = o.clone().with_drive(Signal::harmonic(1.5, rate, 0.0));
        let end = TAU / rate;
        let truth = exact::solve(&driven, end)?;
        let jumps = quasi_static::solve(&driven, end)?;
        let apart: f64 = truth
            .sample(LOOKS)
            .zip(jumps.sample(LOOKS))
            .map(|((_, a, _), (_, b, _))| (a.x - b.x).abs())
            .sum();
        means.push(apart / LOOKS as f64);
        let mut slips = truth.durations(&Phase::SlipForward);
        slips.extend(truth.durations(&Phase::SlipBackward));
        let mean = slips.iter().sum::<f64>() / slips.len() as f64;
        durations.push((mean / PI - 1.0).abs());
        let count = |p: &Trajectory| {
            p.events().iter().filter(|e| e.kind == EventKind::Slip).count().to_string()
        };
        table = table.row([
            number(rate, 3),
            number(apart / LOOKS as f64, 3),
            count(&truth),
            count(&jumps),
            number(mean, 6),
        ]);
    }
    w.table(table);
    let figure = double_logarithmic(
        Axis::log("ω_{drive}/ω", ""),
        Axis::log("distance", ""),
        &[("mean |x − x_{qs}|, m", &slow, &means), ("|mean slip/(π/ω) − 1|", &slow, &durations)],
    );
    w.figure(
        "quasi-static-rate.svg",
        &figure,
        "How the two solutions come together as the drive slows down.",
    );
    Ok(Slowing { slow, means, durations })
}
