//! Figs. 1.14, 1.15: filtered noise.

use super::super::verdict::Tolerance::{AtLeast, AtMost, Equal};
use super::Work;
use super::brownian::FACTORS;
use stickslip::scheme::oscillator::{euler, exact, sign as usual_sign};
use stickslip::scheme::stochastic::PathId;
use stickslip::{EventKind, Oscillator, Phase, State, Trajectory};
use stickslip_file::Result;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};
use stickslip_report::html::number;

fn velocities(o: &Oscillator, end: f64, h: f64, sign: bool) -> Result<Vec<f64>> {
    let mut u = Vec::new();
    let observe = |_: usize, s: State| u.push(s.v);
    if sign {
        usual_sign::run_sign_euler(o, end, h, observe)?
    } else {
        euler::run(o, end, h, observe)?
    };
    Ok(u)
}

fn changes(u: &[f64]) -> f64 {
    u.windows(2).filter(|p| p[0] * p[1] < 0.0).count() as f64
}

pub fn run(w: &mut Work) -> Result<()> {
    let file = w.oscillator("kanai-tajimi.toml", include_str!("../../models/kanai-tajimi.toml"))?;
    let h = file.step()?;
    let end = file.end();
    let id = PathId { seed: file.seed(), path: 0 };
    let known = file.known(id, h)?;
    let truth = exact::solve(&known, end)?;

    let mut tables = [Vec::new(), Vec::new()];
    for (k, sign) in [(0, true), (1, false)] {
        for factor in FACTORS {
            tables[k].push(velocities(&known, end, h * factor as f64, sign)?);
        }
    }
    draw(w, &truth, &tables, h);
    oscillations(w, &truth, &tables, h);
    at_rest(w, &truth, &tables[1][0], h);
    w.command(
        "stickslip ensemble gallery/kanai-tajimi.toml --paths 1000 --explicit-sign --out sign",
    );
    w.command("stickslip simulate gallery/kanai-tajimi.toml --scheme exact --out exact");
    Ok(())
}

/// Inside the rests of the exact motion, well away from their ends, the inclusion's velocity is 0.
fn at_rest(w: &mut Work, truth: &Trajectory, u: &[f64], h: f64) {
    let phases = truth.phases();
    let inside =
        |t: f64| phases.iter().any(|p| p.0 == Phase::Stick && p.1 + 0.02 < t && t < p.2 - 0.02);
    let moving = u
        .iter()
        .enumerate()
        .step_by(7)
        .filter(|(n, u)| **u != 0.0 && inside(*n as f64 * h))
        .count();
    w.verdict(
        "inclusion, h = 10^{−4}: steps that move inside a rest",
        (0.0, "rest"),
        moving as f64,
        Equal,
    );
    let apart =
        u.iter().enumerate().step_by(10).map(|(n, u)| (u - truth.state(n as f64 * h).v).abs());
    w.verdict(
        "inclusion, h = 10^{−4}, against the exact motion: largest distance, m/s",
        (50.0 * h, "order 1"),
        apart.fold(0.0, f64::max),
        AtMost,
    );
}

/// How often the sign changes, by both schemes.
fn oscillations(w: &mut Work, truth: &Trajectory, tables: &[Vec<Vec<f64>>; 2], h: f64) {
    let at_rest: f64 = truth.durations(&Phase::Stick).iter().sum();
    w.verdict(
        "time at rest by the exact scheme, s",
        (1.0, "there is a rest to see"),
        at_rest,
        AtLeast,
    );
    for (u, factor) in tables[0].iter().zip(FACTORS).filter(|p| [1, 20].contains(&p.1)) {
        let step = h * factor as f64;
        w.verdict(
            format!("sign(0) = 0, h = {step:.0e}: changes of sign"),
            (0.4 * at_rest / step, "about half the steps at rest"),
            changes(u),
            AtLeast,
        );
    }
    let jumps: f64 = tables[1].iter().map(|u| changes(u)).fold(0.0, f64::max);
    let reversals = truth.events().iter().filter(|e| e.kind == EventKind::Reversal).count() as f64;
    w.verdict(
        "inclusion: changes of sign from one step to the next, all six",
        (reversals + 2.0, "reversals of the exact motion"),
        jumps,
        AtMost,
    );
}

/// The motion, and both schemes at the end of its longest rest.
fn draw(w: &mut Work, truth: &Trajectory, tables: &[Vec<Vec<f64>>; 2], h: f64) {
    let stick: Vec<(f64, f64)> = truth
        .phases()
        .into_iter()
        .filter(|p| p.0 == Phase::Stick && p.2 - p.1 > 0.05)
        .map(|p| (p.1, p.2))
        .collect();
    let longest = stick
        .iter()
        .copied()
        .fold((0.0, 0.0), |a: (f64, f64), b| if b.1 - b.0 > a.1 - a.0 { b } else { a });
    let from = longest.1 - 0.03;
    let to = longest.1 + 0.05;
    let zoom = |paths: &[Vec<f64>], name: &'static str| {
        let mut panel =
            Panel::new(Axis::linear("time t", "s").limits(from, to), Axis::linear("u", "m/s"));
        for (i, (u, factor)) in paths.iter().zip(FACTORS).enumerate().rev() {
            let step = h * factor as f64;
            let points = u.iter().enumerate().map(|(n, u)| (n as f64 * step, *u));
            let (t, u): (Vec<f64>, Vec<f64>) = points.filter(|p| from <= p.0 && p.0 <= to).unzip();
            panel = panel.line(
                t,
                u,
                Style::series(i).width(1.2).label(format!("h = {} s", number(step, 1))),
            );
        }
        panel.title(name)
    };
    let (t, u): (Vec<f64>, Vec<f64>) = truth.sample(4001).map(|(t, s, _)| (t, s.v)).unzip();
    let whole = Panel::new(Axis::linear("time t", "s").tight(), Axis::linear("u", "m/s"))
        .bands(stick, Style::new(Ink::Grey).label("rest"))
        .line(t, u, Style::new(Ink::Blue).label("exact under this path"));
    w.figure(
        "kanai-tajimi.svg",
        &Figure::new().describe("Motion under filtered noise").panel(whole),
        "The motion under one path of the noise, by the exact scheme.",
    );
    w.figure(
        "kanai-tajimi-sign.svg",
        &Figure::new()
            .describe("With sign(0) = 0 the velocity oscillates")
            .panel(zoom(&tables[0], "sign(0) = 0 (Fig. 1.14), at the end of a stick")),
        "The scheme with sign(0) = 0, six steps: it oscillates where the mass should stick.",
    );
    w.figure(
        "kanai-tajimi-inclusion.svg",
        &Figure::new()
            .describe("The inclusion does not")
            .panel(zoom(&tables[1], "the inclusion (Fig. 1.15), same stretch")),
        "The scheme for the inclusion, the same six steps: rest is rest.",
    );
}
