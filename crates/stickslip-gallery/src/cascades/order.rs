//! Order of scheme (4.1).

use super::super::verdict::Tolerance::Absolute;
use super::Work;
use stickslip::Cascade;
use stickslip::scheme::cascade;
use stickslip::study::order::with_orders;
use stickslip_file::Result;
use stickslip_report::compose::{Convergence, Errors};
use stickslip_report::html::{Table, number};
use stickslip_run::each_of;

const HALVINGS: i32 = 10;

fn errors(c: &Cascade, end: f64, coarsest: f64) -> Result<Vec<(f64, f64)>> {
    let truth = cascade::exact(c, end)?;
    let one = |j: i32| -> Result<(f64, f64)> {
        let h = coarsest * 0.5f64.powi(j);
        let mut worst: f64 = 0.0;
        cascade::run_implicit_euler(c, end, h, |n, u, _| {
            // Nodes of the coarsest grid and some between.
            if n % (1 << (j - 3).max(0)) == 0 {
                let s = truth.state(n as f64 * h);
                worst = worst.max((u.x - s.x).hypot(u.v - s.v));
            }
        })?;
        Ok((h, worst))
    };
    each_of((0..=HALVINGS).collect(), one)
}

pub fn run(w: &mut Work) -> Result<()> {
    let file = w.cascade("cascade.toml", include_str!("../../models/cascade.toml"))?;
    let c = file.model.clone();
    let end = file.end();
    let h0 = file.file.run.step.unwrap_or(0.05);
    // Fifty elements of the same total strength.
    let many = Cascade {
        stiffness: (0..=50).map(|i| if i == 0 { 3.0 } else { 30.0 }).collect(),
        threshold: vec![0.054; 50],
        ..c.clone()
    };
    let few = errors(&c, end, h0)?;
    let many = errors(&many, end, h0)?;
    let rows = with_orders(&few);
    let mut table = Table::new(["h [s]", "error, n = 4", "ratio", "order", "error, n = 50"]);
    for (r, m) in rows.iter().zip(&many) {
        let cell = |v: Option<f64>| v.map_or(String::new(), |v| number(v, 5));
        table = table.row([
            number(r.h, 4),
            number(r.error, 5),
            cell(r.ratio),
            cell(r.order),
            number(m.1, 5),
        ]);
    }
    w.table(table.caption("sup |(x, ẋ) − exact| over [0, 20]"));
    let unzip = |e: &[(f64, f64)]| -> (Vec<f64>, Vec<f64>) { e.iter().copied().unzip() };
    let (h, e4) = unzip(&few);
    let (_, e50) = unzip(&many);
    let series = [
        Errors { label: "n = 4", h: &h, error: &e4 },
        Errors { label: "n = 50", h: &h, error: &e50 },
    ];
    w.figure(
        "cascade-order.svg",
        &Convergence::of_states(&series).figure(),
        "Error of scheme (4.1) against the exact solution.",
    );
    for (name, e) in [("n = 4", &few), ("n = 50", &many)] {
        let a = e[e.len() - 6];
        let b = e[e.len() - 1];
        let slope = (a.1 / b.1).ln() / (a.0 / b.0).ln();
        w.verdict(
            format!("{name}: order over the last five halvings"),
            (1.0, "the paper: optimal order 1"),
            slope,
            Absolute(0.03),
        );
    }
    w.command("stickslip simulate gallery/cascade.toml --scheme implicit-euler --out cascade");
    Ok(())
}
