//! Fig. 1.8: the inclusion.

use super::super::verdict::Tolerance::{Absolute, AtMost, Equal};
use super::Work;
use super::sign::exact_velocity;
use stickslip::Oscillator;
use stickslip::scheme::oscillator::{exact, implicit_euler};
use stickslip::study::order::with_orders;
use stickslip_file::Result;
use stickslip_report::compose::{Convergence, Errors};
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

pub fn run(w: &mut Work) -> Result<()> {
    let file = w.oscillator("inclusion.toml", include_str!("../../models/inclusion.toml"))?;
    let o = &file.model;
    let mut errors = Vec::new();
    let mut rest: f64 = 0.0;
    let time = || Axis::linear("time t", "s").tight();
    let mut panel = Panel::new(time(), Axis::linear("u", "m/s"));
    let mut error = Panel::new(time(), Axis::linear("error", "m/s"));
    for j in 0..8 {
        let h = 0.1 / f64::from(1 << j);
        let path = implicit_euler::solve(o, 2.0, h)?;
        let count = (2.0f64 / h).round() as usize + 1;
        let (t, u): (Vec<f64>, Vec<f64>) = path.sample(count).map(|(t, s, _)| (t, s.v)).unzip();
        let off: Vec<f64> = t.iter().zip(&u).map(|(t, u)| u - exact_velocity(*t)).collect();
        let at_rest = t.iter().zip(&u).filter(|p| *p.0 <= 1.0).map(|p| p.1.abs());
        rest = rest.max(at_rest.fold(0.0, f64::max));
        errors.push((h, off.iter().fold(0.0, |m: f64, e| m.max(e.abs()))));
        if j == 0 {
            panel = panel.line(t.clone(), u, Style::new(Ink::Vermillion).label("h = 0.1"));
            error = error.line(t, off, Style::new(Ink::Vermillion));
        } else if j == 3 {
            error = error.line(t, off, Style::new(Ink::Green).dashed().label("h = 0.0125"));
        }
    }
    let t: Vec<f64> = (0..=400).map(|i| 0.005 * f64::from(i)).collect();
    let u: Vec<f64> = t.iter().map(|t| exact_velocity(*t)).collect();
    let panel = panel.line(t, u, Style::new(Ink::Black).dashed().label("exact"));
    w.figure("inclusion.svg", &Figure::new().describe("The inclusion, solved").stack([panel.height(180.0), error.height(120.0)]), "(a) the scheme with h = 0.1 and the exact solution, (b) the error: exactly 0 while the mass rests.");
    let rows = with_orders(&errors);
    let (h, e): (Vec<f64>, Vec<f64>) = errors.iter().copied().unzip();
    let series = [Errors { label: "max |u_{n} − u(t_{n})|", h: &h, error: &e }];
    w.figure(
        "inclusion-order.svg",
        &Convergence {
            series: &series,
            order: 1.0,
            error: ("error of u", "m/s"),
            ..Convergence::default()
        }
        .figure(),
        "The error against the step.",
    );

    w.verdict(
        "max |u_{n}| on [0, 1] for all eight steps",
        (0.0, "the book: rigorously null"),
        rest,
        Equal,
    );
    w.verdict(
        "largest error over h",
        (1.0, "O(h)"),
        errors.iter().map(|e| e.1 / e.0).fold(0.0, f64::max),
        AtMost,
    );
    let last = rows.iter().rev().find_map(|r| r.order).unwrap_or(f64::NAN);
    w.verdict("order at the smallest steps", (1.0, "O(h)"), last, Absolute(0.02));
    exactly(w, o)?;
    w.command("stickslip simulate gallery/inclusion.toml --out inclusion");
    Ok(())
}

/// The exact scheme.
fn exactly(w: &mut Work, o: &Oscillator) -> Result<()> {
    let truth = exact::solve(o, 2.0)?;
    w.verdict(
        "exact scheme: the slip begins at, s",
        (1.0, "closed form"),
        truth.events().first().map_or(f64::NAN, |e| e.time),
        Absolute(1e-15),
    );
    w.verdict("exact scheme: u(2), m/s", (0.5, "(1.31)"), truth.state(2.0).v, Absolute(1e-15));
    Ok(())
}
