//! Table 1 (b).

use super::{HALVINGS, Work, columns, orders, slope};
use crate::verdict::Tolerance::{Absolute, AtMost};
use stickslip::scheme::stochastic::Rule;
use stickslip::study::order::noisy::{NoisyStudy, Norm};
use stickslip::study::order::{Halving, Row};
use stickslip_file::Result;
use stickslip_report::compose::{Convergence, Errors};
use stickslip_report::html::number;

const PATHS: u64 = 1000;

/// ‖u^h − u^{h/2}‖ as printed, h = 0.05, halved six times.
const PRINTED: [f64; 7] = [0.41406, 0.18955, 0.09506, 0.04935, 0.02302, 0.01181, 0.00562];

pub fn run(w: &mut Work) -> Result<()> {
    let file = w.oscillator("order-noise.toml", include_str!("../../models/order-noise.toml"))?;
    let problem = file.noisy();
    let study = NoisyStudy {
        problem: &problem,
        rule: Rule::Euler,
        seed: file.seed(),
        paths: PATHS,
        halving: Halving { step: file.step()?, halvings: HALVINGS },
        norm: Norm::Interpolants,
    };
    let errors = study.errors()?;
    let rows = study.summary(&errors);
    let plain: Vec<Row> = rows.iter().map(|r| r.row).collect();
    let beside: Vec<String> = rows
        .iter()
        .zip(PRINTED)
        .map(|(r, p)| format!("± {}; printed {}", number(r.spread, 2), number(p, 4)))
        .collect();
    w.table(
        orders(&plain, "spread from path to path", &beside)
            .caption("mean of ‖u^{h} − u^{h/2}‖ over 1000 paths"),
    );
    let (h, error) = columns(&plain);
    let series = [
        Errors { label: "mean over 1000 paths", h: &h, error: &error },
        Errors { label: "printed, one path", h: &h, error: &PRINTED },
    ];
    let figure = Convergence::of_states(&series).figure();
    w.figure("order-noise.svg", &figure, "Errors under noise against the step, and slope 1.");
    w.verdict(
        "order: slope of log mean error over log h",
        (1.0, "the paper: order 1"),
        slope(&h, &error),
        Absolute(0.02),
    );
    w.verdict(
        "order of the printed column, by the same slope",
        (1.0, "the paper: order 1"),
        slope(&h, &PRINTED),
        Absolute(0.03),
    );
    let smoother = judge(w, &errors, &error);
    w.deviation(
        "Bensoussan et al. 2021, Table 1 (b)",
        "one path of the noise",
        "mean and spread over 1000 paths",
        format!(
            "neither x(0) nor the path is given; the printed column lies among ours, but {:.1} % of our paths have ratios that \
             scatter more: it may be a mean of several",
            100.0 * smoother
        ),
    );
    w.command("stickslip converge gallery/order-noise.toml --paths 1000 --out order-noise");
    Ok(())
}

/// Where the printed column lies among our paths: its seven numbers come from one path, so they are one constant and the
/// scatter about it. The share of our paths whose ratios scatter more.
fn judge(w: &mut Work, errors: &[Vec<f64>], means: &[f64]) -> f64 {
    let shape = |path: &[f64]| {
        let n = path.len() as f64;
        let logs: Vec<f64> = path.iter().zip(means).map(|(e, m)| (e / m).ln()).collect();
        let constant = logs.iter().sum::<f64>() / n;
        let squares: f64 = logs.iter().map(|l| (l - constant).powi(2)).sum();
        (constant, (squares / (n - 1.0)).sqrt())
    };
    let (constant, scatter) = shape(&PRINTED);
    let ours: Vec<(f64, f64)> = errors.iter().map(|path| shape(path)).collect();
    let share = |below: &dyn Fn(&(f64, f64)) -> bool| {
        ours.iter().filter(|path| below(path)).count() as f64 / ours.len() as f64
    };
    w.verdict(
        "share of our paths whose constant is below that of the printed column",
        (0.5, "one path among ours: all but 2.5 % on each side"),
        share(&|path| path.0 < constant),
        Absolute(0.475),
    );
    let smoother = share(&|path| path.1 > scatter);
    w.verdict(
        "share of our paths whose seven ratios scatter less about their constant",
        (0.975, "one path among ours"),
        share(&|path| path.1 < scatter),
        AtMost,
    );
    smoother
}
