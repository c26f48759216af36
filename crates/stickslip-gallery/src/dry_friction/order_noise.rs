//! Table 1 (b).

use super::{HALVINGS, Work, columns, orders, slope};
use crate::verdict::Tolerance::{Absolute, AtMost};
use stickslip::scheme::stochastic::Rule;
use stickslip::study::order::noisy::{NoisyStudy, Norm};
use stickslip::study::order::{Halving, Row};
use stickslip_file::Result;
use stickslip_report::compose::{Convergence, Errors};
use stickslip_report::html::number;

/// ‖u^h − u^{h/2}‖ as printed, h = 0.05, halved six times.
const PRINTED: [f64; 7] = [0.41406, 0.18955, 0.09506, 0.04935, 0.02302, 0.01181, 0.00562];

pub fn run(w: &mut Work) -> Result<()> {
    let file = w.oscillator("order-noise.toml", include_str!("../../models/order-noise.toml"))?;
    let problem = file.noisy();
    let rows = NoisyStudy {
        problem: &problem,
        rule: Rule::Law,
        seed: file.seed(),
        paths: 200,
        halving: Halving { step: file.step()?, halvings: HALVINGS },
        norm: Norm::Interpolants,
    }
    .table()?;
    let plain: Vec<Row> = rows.iter().map(|r| r.row).collect();
    let beside: Vec<String> = rows
        .iter()
        .zip(PRINTED)
        .map(|(r, p)| format!("± {}; printed {}", number(r.spread, 2), number(p, 4)))
        .collect();
    w.table(
        orders(&plain, "spread from path to path", &beside)
            .caption("mean of ‖u^{h} − u^{h/2}‖ over 200 paths"),
    );
    let (h, error) = columns(&plain);
    let series = [
        Errors { label: "mean over 200 paths", h: &h, error: &error },
        Errors { label: "printed, one path", h: &h, error: &PRINTED },
    ];
    let figure = Convergence { title: "", series: &series, order: 1.0, error: "" }.figure();
    w.figure("order-noise.svg", &figure, "Errors under noise against the step, and slope 1.");
    w.verdict(
        "order: slope of log mean error over log h",
        (1.0, "the paper: order 1"),
        slope(&h, &error),
        Absolute(0.05),
    );
    w.verdict(
        "order of the printed column, by the same slope",
        (1.0, "the paper: order 1"),
        slope(&h, &PRINTED),
        Absolute(0.05),
    );
    let off = rows.iter().zip(PRINTED).map(|(r, p)| ((p - r.row.error) / r.spread).abs());
    w.verdict(
        "largest distance of a printed error from our mean, in standard deviations between paths",
        (3.0, "Table 1 (b): one path among ours"),
        off.fold(0.0, f64::max),
        AtMost,
    );
    w.deviation(
        "Bensoussan et al. 2021, Table 1 (b)",
        "one path of the noise",
        "mean and spread over 200 paths",
        "neither x(0) nor the path is given; the printed column lies among ours",
    );
    w.command("stickslip converge gallery/order-noise.toml --paths 200 --out order-noise");
    Ok(())
}
