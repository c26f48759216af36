//! Figs. 1.11, 1.12: white noise.

use super::super::verdict::Tolerance::{Absolute, AtLeast, AtMost};
use super::Work;
use stickslip::scheme::oscillator::{euler, sign as usual_sign};
use stickslip::scheme::stochastic::PathId;
use stickslip::{Oscillator, Signal, State};
use stickslip_file::Result;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};
use stickslip_report::html::number;

/// Steps of the book over the finest.
pub const FACTORS: [usize; 6] = [1, 2, 4, 5, 10, 20];

/// u_n of one scheme.
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

/// The same Brownian path with longer steps: its mean force over each of them.
fn coarser(o: &Oscillator, h: f64, factor: usize) -> Result<Oscillator> {
    let values: Vec<f64> = o.force.knots().iter().map(|k| k.value).collect();
    let mean: Vec<f64> =
        values.chunks(factor).map(|c| c.iter().sum::<f64>() / factor as f64).collect();
    // As the scheme counts them: n times its step, to the last bit.
    let step = h * factor as f64;
    let times: Vec<f64> = (0..mean.len()).map(|n| n as f64 * step).collect();
    Ok(Oscillator { force: Signal::stepwise(&times, &mean)?, ..o.clone() })
}

pub fn run(w: &mut Work) -> Result<()> {
    let file = w.oscillator("brownian.toml", include_str!("../../models/brownian.toml"))?;
    let h = file.step()?;
    let end = file.end();
    let id = PathId { seed: file.seed(), path: 0 };
    let known = file.known(id, h)?;
    let mut paths = Vec::new();
    for factor in FACTORS {
        let o = coarser(&known, h, factor)?;
        paths.push(velocities(&o, end, h * factor as f64, true)?);
    }
    let finest = &paths[0];
    draw(w, &paths, end, h);

    let range = finest.iter().fold(0.0, |m: f64, u| m.max(u.abs()));
    let mut apart = Vec::new();
    for (u, factor) in paths.iter().zip(FACTORS).skip(1) {
        let off = u.iter().zip(finest.iter().step_by(factor)).map(|(a, b)| (a - b).abs());
        apart.push(off.fold(0.0, f64::max));
    }
    let worst = apart.iter().copied().fold(0.0, f64::max);
    w.verdict(
        "largest distance of a path from the finest, over max |u|",
        (0.05, "Fig. 1.11: not to be told apart"),
        worst / range,
        AtMost,
    );
    w.verdict(
        "distance with h = 2·10^{−4} over that with h = 2·10^{−3}",
        (1.0 / 3.0, "it converges"),
        apart[0] / worst,
        AtMost,
    );
    finest_path(w, &coarser(&known, h, 1)?, end, finest)?;
    w.verdict("max |u|, m/s", (0.5, "it moves"), range, AtLeast);
    w.command(
        "stickslip ensemble gallery/brownian.toml --paths 10000 --explicit-sign --out brownian",
    );
    Ok(())
}

/// Every path, and an enlargement.
fn draw(w: &mut Work, paths: &[Vec<f64>], end: f64, h: f64) {
    let time = |from: f64, to: f64| Axis::linear("time t", "s").limits(from, to);
    let draw = |mut panel: Panel<'static>, from: f64, to: f64, names: bool| {
        for (i, (u, factor)) in paths.iter().zip(FACTORS).enumerate().rev() {
            let step = h * factor as f64;
            let points = u.iter().enumerate().map(|(n, u)| (n as f64 * step, *u));
            let (t, u): (Vec<f64>, Vec<f64>) = points.filter(|p| from <= p.0 && p.0 <= to).unzip();
            let style = Style::new(Ink::series(i)).width(if names { 1.0 } else { 1.3 });
            panel = panel.line(
                t,
                u,
                if names { style.label(format!("h = {} s", number(step, 1))) } else { style },
            );
        }
        panel
    };
    let whole = draw(Panel::new(time(0.0, end), Axis::linear("u", "m/s")), 0.0, end, true);
    let zoom = draw(Panel::new(time(4.0, 4.2), Axis::linear("u", "m/s")), 4.0, 4.2, false);
    w.figure("brownian.svg", &Figure::new().describe("Six paths under white noise").panel(whole).panel(zoom.title("enlarged")), "Figs. 1.11 and 1.12: six steps, one Brownian path, sign(0) = 0; below, two tenths of a second of it.");
}

/// The finest path: beside the resolvent scheme, how often it changes its sign, and its quadratic variation.
fn finest_path(w: &mut Work, o: &Oscillator, end: f64, finest: &[f64]) -> Result<()> {
    let h = end / (finest.len() - 1) as f64;
    let inclusion = velocities(o, end, h, false)?;
    let both = inclusion.iter().zip(finest).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    w.verdict(
        "sign(0) = 0 against the resolvent scheme, h = 10^{−4}: largest distance, m/s",
        (0.02, "both converge to one path"),
        both,
        AtMost,
    );
    let changes =
        |u: &[f64]| u.windows(2).filter(|p| p[0] * p[1] < 0.0).count() as f64 / u.len() as f64;
    let share = changes(finest);
    w.verdict(
        "share of steps that change the sign, h = 10^{−4}",
        (0.05, "no oscillation: it was ½"),
        share,
        AtMost,
    );
    let variance: f64 = finest.windows(2).map(|p| (p[1] - p[0]).powi(2)).sum();
    w.verdict(
        "quadratic variation over the time",
        (1.0, "that of B"),
        variance / end,
        Absolute(0.03),
    );
    Ok(())
}
