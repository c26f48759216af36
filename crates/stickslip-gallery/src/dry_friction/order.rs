//! Table 1 (a).

use super::super::verdict::Tolerance::{Absolute, AtLeast, AtMost, Relative};
use super::{HALVINGS, Work, columns, orders, slope};
use stickslip::study::order::{self, Against, Halving, Row};
use stickslip::{Oscillator, Problem, Scheme, solve};
use stickslip_file::Result;
use stickslip_report::compose::{Convergence, Errors};
use stickslip_report::html::number;

/// ‖u^h − u^{h/2}‖ as printed, h = 0.05, halved six times.
const PRINTED: [f64; 7] = [0.26284, 0.12984, 0.06295, 0.03125, 0.01557, 0.00777, 0.00395];

pub fn run(w: &mut Work) -> Result<()> {
    let file = w.oscillator("order.toml", include_str!("../../models/order.toml"))?;
    let o = &file.model;
    let h = file.step()?;
    let end = file.end();
    let own = table(o, end, Halving { step: h, halvings: HALVINGS }, Against::Itself)?;
    let exact = table(o, end, Halving { step: h, halvings: HALVINGS }, Against::Exact)?;
    let printed: Vec<String> = PRINTED.iter().map(|p| number(*p, 5)).collect();
    w.table(
        orders(&own, "printed", &printed).caption("‖u^{h} − u^{h/2}‖ over [0, 5] from x(0) = 1.7"),
    );
    w.table(orders(&exact, "", &[]).caption("‖u^{h} − u‖ against the exact solution"));
    let (h1, e1) = columns(&own);
    let (h2, e2) = columns(&exact);
    let series = [
        Errors { label: "against itself", h: &h1, error: &e1 },
        Errors { label: "against the exact solution", h: &h2, error: &e2 },
        Errors { label: "printed", h: &h1, error: &PRINTED },
    ];
    let figure = Convergence::of_states(&series).figure();
    w.figure("order.svg", &figure, "Errors of the Euler scheme against its step, and slope 1.");

    w.verdict(
        "order: slope of log error over log h",
        (1.0, "the paper: order 1"),
        slope(&h1, &e1),
        Absolute(0.02),
    );
    w.verdict(
        "the same against the exact solution",
        (1.0, "the paper: order 1"),
        slope(&h2, &e2),
        Absolute(0.015),
    );
    let off = e1.iter().zip(PRINTED).map(|(e, p)| (e / p - 1.0).abs()).fold(0.0, f64::max);
    w.verdict("largest relative distance from a printed error", (0.06, "Table 1 (a)"), off, AtMost);
    // With order 1 exactly, ‖u^h − u^{h/2}‖ is half of ‖u^h − u‖ in the limit.
    let ratio = e2.last().zip(e1.last()).map_or(f64::NAN, |(exact, own)| 2.0 * exact / own);
    w.verdict(
        "‖u^{h} − u‖ over ‖u^{h} − u^{h/2}‖ at the last h",
        (2.0, "order 1"),
        ratio,
        Relative(0.05),
    );
    compare_constants(w, &Problem::new(o.clone(), end), h, &e1)?;
    let start = nearest_start(o, end, h)?;
    w.deviation(
        "Bensoussan et al. 2021, Table 1 (a)",
        format!("{} … {}", number(PRINTED[0], 5), number(PRINTED[6], 5)),
        format!("{} … {}, within {:.1} %", number(e1[0], 5), number(e1[6], 5), 100.0 * off),
        format!("x(0) is not given; {} comes closest from −8 to 8 by 0.1", number(start, 2)),
    );
    w.command("stickslip converge gallery/order.toml --out order");
    w.command("stickslip converge gallery/order.toml --against exact --out order-exact");
    Ok(())
}

/// One constant and a slope are what order 1 leaves free: the printed column must have ours, and a neighbouring scheme's
/// must not be taken for it.
fn compare_constants(w: &mut Work, problem: &Problem, h: f64, ours: &[f64]) -> Result<()> {
    let constant = |e: &[f64]| {
        let ratios = e.iter().zip(PRINTED).map(|(e, p)| (p / e).ln());
        (ratios.sum::<f64>() / PRINTED.len() as f64).exp()
    };
    w.verdict(
        "constant of the printed errors over ours, in the mean of the logarithms",
        (1.0, "Table 1 (a)"),
        constant(ours),
        Absolute(0.01),
    );
    let implicit = |step| solve(problem, &Scheme::ImplicitEuler { step });
    let halving = Halving { step: h, halvings: HALVINGS };
    let others = order::table(problem, halving, Against::Itself, implicit)?;
    w.verdict(
        "the same of the implicit Euler scheme, which must not fit",
        (1.05, "another scheme: 5 % apart or more"),
        constant(&columns(&others).1),
        AtLeast,
    );
    Ok(())
}

/// The order table of the Euler scheme.
fn table(o: &Oscillator, end: f64, halving: Halving, against: Against) -> Result<Vec<Row>> {
    let problem = Problem::new(o.clone(), end);
    let euler = |step| solve(&problem, &Scheme::Euler { step });
    Ok(order::table(&problem, halving, against, euler)?)
}

/// The start, by 0.1 m, whose first five errors are nearest to the printed ones in their logarithms.
fn nearest_start(o: &Oscillator, end: f64, h: f64) -> Result<f64> {
    let mut best = (f64::INFINITY, f64::NAN);
    for i in -80..=80 {
        let x0 = 0.1 * f64::from(i);
        let rows = table(
            &o.clone().starting_at(x0, 0.0),
            end,
            Halving { step: h, halvings: 5 },
            Against::Itself,
        )?;
        let off = rows.iter().zip(PRINTED).map(|(r, p)| (r.error / p).ln().abs());
        let worst = off.fold(0.0, f64::max);
        if worst < best.0 {
            best = (worst, x0);
        }
    }
    Ok(best.1)
}
