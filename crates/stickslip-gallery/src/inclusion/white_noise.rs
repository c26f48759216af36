//! White noise removes static friction: the share of time in stick tends to 0 with the step, whatever f_s is.

use super::super::verdict::Tolerance::{Absolute, Equal, Relative};
use super::Work;
use stickslip::scheme::stochastic::Rule;
use stickslip::study::ensemble::{self, Plan};
use stickslip::study::inclusion::density;
use stickslip::{Law, Oscillator, Problem};
use stickslip_file::Result;
use stickslip_report::html::Table;

/// (f_s in N, h in s, paths).
const RUNS: [(f64, f64, u64); 5] = [
    (5.0, 0.1, 2000),
    (5.0, 0.01, 2000),
    (5.0, 0.001, 1000),
    (1.0, 0.01, 2000),
    (1.0, 0.001, 1000),
];

/// The mean over [0, end] of the density of u(t) at 0; in s = √t it has no singularity.
fn mean_density(end: f64) -> f64 {
    let n = 4000;
    let ds = end.sqrt() / f64::from(n);
    let at = |i: i32| (f64::from(i) + 0.5) * ds;
    (0..n).map(|i| 2.0 * at(i) * density(at(i) * at(i), 0.0)).sum::<f64>() * ds / end
}

pub fn run(w: &mut Work) -> Result<()> {
    let file = w.oscillator("white-noise.toml", include_str!("../../models/white-noise.toml"))?;
    let problem = file.noisy();
    let end = file.end();
    // m = f_d = s_B = 1: the share in stick is about 2 √(2/π) ρ(0) f_s² h^{3/2}, to leading order in f_s √h.
    let leading = |f_s: f64, h: f64| {
        2.0 * (2.0 / std::f64::consts::PI).sqrt() * mean_density(end) * f_s * f_s * h.powf(1.5)
    };
    let mut table =
        Table::new(["f_{s} [N]", "h [s]", "share in stick", "formula", "var v [m²/s²]"]);
    let mut found = Vec::new();
    for (f_s, h, paths) in RUNS {
        let mass = Oscillator::new(1.0, 0.0, Law::static_dynamic(f_s, 1.0)?);
        let posed = Problem { model: mass.into(), ..problem.clone() };
        let plan = Plan::new(posed, h, file.seed()).with_rows(2).with_rule(Rule::Euler);
        let many = ensemble::run(&plan, 0..paths, 0, &mut ())?;
        let share = many.contacts[0].stick_share.mean();
        let variance = many.points[0].rows[1].v.variance();
        let shown = [share, leading(f_s, h), variance].map(|x| format!("{x:.2e}"));
        table = table.row([vec![f_s.to_string(), h.to_string()], shown.to_vec()].concat());
        found.push((share, variance));
    }
    w.table(table);

    let long = found[1].0;
    let short = found[2].0;
    w.verdict(
        "f_{s} = 5 N: exponent of h in the share in stick, from h = 0.01 s to 0.001 s",
        (1.5, "proportional to h^{3/2}, to leading order"),
        (long / short).log10(),
        Absolute(0.1),
    );
    for (i, what) in [(2, "f_{s} = 5 N, h = 0.001 s"), (3, "f_{s} = 1 N, h = 0.01 s")] {
        let (f_s, h, _) = RUNS[i];
        w.verdict(
            format!("{what}: share of time in stick"),
            (leading(f_s, h), "2√(2/π) ρ(0) f_{s}² h^{3/2}/(m s_{B}), to leading order"),
            found[i].0,
            Relative(0.1),
        );
    }
    // The same noise: what is left of f_s is the share of the time in stick.
    w.verdict(
        "h = 0.001 s: var v with f_{s} = 5 N over var v with f_{s} = 1 N",
        (1.0, "f_{s} has no influence in the limit"),
        found[2].1 / found[4].1,
        Relative(0.01),
    );
    w.verdict(
        "warnings about this model",
        (1.0, "white noise acts on friction that is greater at rest than in slip"),
        problem.warnings().len() as f64,
        Equal,
    );
    w.remark("If static friction matters, take noise with a correlation time.");
    w.command(
        "stickslip ensemble gallery/white-noise.toml --paths 2000 --step 0.001 --out white-noise",
    );
    Ok(())
}
