//! The cascade and the Prandtl–Ishlinskii operator.

use super::super::verdict::Tolerance::{AtMost, Relative};
use super::Work;
use stickslip::Cascade;
use stickslip::hysteresis::{Clamps, Sweep, TurningPoints};
use stickslip::scheme::cascade;
use stickslip::signal::noise::Address;
use stickslip_file::Result;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};
use stickslip_report::html::{Table, number};

pub fn run(w: &mut Work) -> Result<()> {
    let file = w.cascade("cascade.toml", include_str!("../../models/cascade.toml"))?;
    let c = file.model.clone();
    // One scheme solves a box problem with a tridiagonal matrix in each step, the other clamps.
    let end = file.end();
    let h = 1e-3;
    let mut solved = Vec::new();
    let mut clamped = Vec::new();
    cascade::run_implicit_euler(&c, end, h, |_, u, _| solved.push(u))?;
    cascade::run_hysteresis(&c, end, h, |_, u| clamped.push(u))?;
    let apart =
        solved.iter().zip(&clamped).map(|(a, b)| (a.x - b.x).abs().max((a.force - b.force).abs()));
    let off: Vec<f64> = apart.collect();
    w.verdict(
        "(4.1) by projection against n clamps, 20 000 steps: largest distance in x and force",
        (1e-10, "one operator"),
        off.iter().copied().fold(0.0, f64::max),
        AtMost,
    );

    wild(w, &c);
    stops(w, &c);
    w.deviation(
        "Bastien and Lamarque, §5",
        "cannot be described by classical assemblies",
        "its force on the mass is that of n Jenkins elements side by side",
        "true of the springs and sliders inside, which move otherwise; the force on the mass is the same operator, checked to rounding",
    );
    w.command("stickslip simulate gallery/cascade.toml --scheme hysteresis --out cascade");
    Ok(())
}

/// The stops that make the cascade: r_1 = α_1/k_0; Σκ + κ_∞ = k_0; κ_∞ = all springs in series.
fn stops(w: &mut Work, c: &Cascade) {
    let b = c.backbone();
    let mut table = Table::new(["j", "r_{j} [m]", "κ_{j} [N/m]"]);
    for (j, (r, k)) in b.breakpoints().iter().zip(b.weights()).enumerate() {
        table = table.row([(j + 1).to_string(), number(*r, 8), number(k, 8)]);
    }
    let last = c.elements();
    table = table.row(["∞".to_owned(), String::new(), number(b.stiffness()[last], 8)]);
    w.table(table.caption("thresholds r_{j} and stiffnesses κ_{j} of the stops that make the cascade of the model file"));
    w.verdict("r_{1}, m", (0.5 / 3.0, "α_{1}/k_{0}"), b.breakpoints()[0], Relative(1e-15));
    let total: f64 = b.weights().iter().sum::<f64>() + b.stiffness()[last];
    w.verdict(
        "Σκ_{j} + κ_{∞}, N/m",
        (3.0, "k_{0}: nothing slips at first"),
        total,
        Relative(1e-14),
    );
    let series = 1.0 / (1.0 / 3.0 + 1.0 / 2.0 + 1.0 / 1.5 + 1.0 + 1.0 / 0.7);
    w.verdict(
        "κ_{∞}, N/m",
        (series, "all springs in series"),
        b.stiffness()[last],
        Relative(1e-14),
    );
}

/// A wild displacement: three ways to follow it.
fn wild(w: &mut Work, c: &Cascade) {
    let mut x = 0.0;
    let walk: Vec<f64> = (0..20_000u64)
        .map(|i| {
            let (a, _) = Address { seed: 5, ..Address::default() }.normals(0, i);
            x = 0.99 * x + 0.5 * a;
            x
        })
        .collect();
    let mut clamps = Clamps::new(c);
    let mut turns = TurningPoints::new(c);
    let mut sweep = Sweep::new(c);
    let mut first = 0.0f64;
    let mut second = 0.0f64;
    let mut largest = 0.0f64;
    let mut force = Vec::new();
    for &x in &walk {
        let f = clamps.advance(x);
        first = first.max((turns.advance(x) - f).abs());
        sweep.advance(x);
        second = second.max((sweep.force() - f).abs());
        largest = largest.max(f.abs());
        force.push(f);
    }
    w.verdict(
        "stack of turning points against clamps: largest distance, of the largest force",
        (1e-12, "one operator"),
        first / largest,
        AtMost,
    );
    w.verdict(
        "node by node against clamps: largest distance, of the largest force",
        (1e-12, "one operator"),
        second / largest,
        AtMost,
    );
    let panel = Panel::new(Axis::linear("x", "m"), Axis::linear("force", "N")).line(
        walk[..120].to_vec(),
        force[..120].to_vec(),
        Style::new(Ink::Blue).width(1.0),
    );
    w.figure(
        "prandtl-ishlinskii.svg",
        &Figure::new().describe("Force along a random displacement").panel(panel),
        "The first 120 of 20 000 random displacements and the force: nested loops.",
    );
}
