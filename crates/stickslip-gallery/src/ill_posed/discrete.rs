//! The solutions of the discrete problem.

use super::{Work, read};
use crate::verdict::Tolerance::{AtMost, Equal};
use stickslip::study::solutions::{self, Family};
use stickslip_file::Result;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

pub fn run(w: &mut Work) -> Result<()> {
    let (file, end) = read(w)?;
    let o = &file.model;
    let mut worst: f64 = 0.0;
    for n in [4, 20, 100] {
        let h = end / f64::from(n);
        let family = solutions::discrete(o, end, h, 1000)?;
        let left = family.members.iter().filter(|m| !m.leaves.is_empty()).count();
        w.verdict(
            format!("N = {n}: solutions that leave"),
            (f64::from(n), "the paper: N"),
            left as f64,
            Equal,
        );
        let stay = family.members.len() - left;
        w.verdict(
            format!("N = {n}: solutions that never leave"),
            (1.0, "(31)"),
            stay as f64,
            Equal,
        );
        worst = worst.max(off(&family));
        if n == 20 {
            draw(w, &family);
        }
    }
    w.verdict(
        "largest distance of any Z_{m} from its closed form, m/s",
        (1e-14, "(33) summed"),
        worst,
        AtMost,
    );
    w.deviation(
        "Schatzman et al. 1999, §4",
        "N solutions",
        "N + 1",
        "N that leave, and the one that stays, which (31) allows at every step",
    );
    w.command("stickslip solutions gallery/ill-posed.toml --out solutions");
    Ok(())
}

/// How far any solution is from its closed form. Leaving with Z_n first:
/// Z_m = δ Σ_{j = n}^{m} (h(t_j) − h(0)) = δ² Σ j.
fn off(family: &Family) -> f64 {
    let h = family.step;
    let mut worst = 0.0f64;
    for m in &family.members {
        let first = m.leaves.first().copied().unwrap_or(usize::MAX);
        let mut z = 0.0;
        for (j, s) in m.states.iter().enumerate() {
            if j >= first {
                z += h * h * j as f64;
            }
            worst = worst.max((s.v - z).abs());
        }
    }
    worst
}

/// Every solution against time.
fn draw(w: &mut Work, family: &Family) {
    let h = family.step;
    let mut panel = Panel::new(Axis::linear("time t", "s").tight(), Axis::linear("Z_{n}", "m/s"));
    for (i, m) in family.members.iter().enumerate() {
        let t: Vec<f64> = (0..m.states.len()).map(|k| h * k as f64).collect();
        let z: Vec<f64> = m.states.iter().map(|s| s.v).collect();
        panel = panel.line(t.clone(), z.clone(), Style::new(Ink::series(i % 6)).width(1.0)).points(
            t,
            z,
            Style::new(Ink::series(i % 6)).size(3.0),
        );
    }
    w.figure(
        "discrete-solutions.svg",
        &Figure::new().describe("All discrete solutions").panel(panel),
        "All solutions of the scheme for N = 20.",
    );
}
