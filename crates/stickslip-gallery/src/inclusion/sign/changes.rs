//! Fig. 1.5: how often the sign changes.

use super::oscillation::{Oscillation, line as line_through};
use super::{MODEL, Work, numbers, runs};
use crate::verdict::Tolerance::{AtMost, Equal, Relative};
use stickslip_file::Result;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

pub fn run(w: &mut Work) -> Result<()> {
    w.file("sign.toml", MODEL);
    let runs = runs()?;
    let line = line_through(&runs);
    let n = numbers(runs.iter().map(|r| r.steps));
    let count = numbers(runs.iter().map(|r| r.changes));
    let ends = vec![0.0, 10f64.powf(5.5)];
    let on: Vec<f64> = ends.iter().map(|n| line.slope * n + line.intercept).collect();
    let panel = Panel::new(Axis::linear("N", ""), Axis::linear("P(N)", ""))
        .line(ends, on, Style::new(Ink::Vermillion).label("least squares"))
        .points(n, count, Style::new(Ink::Blue).label("changes of sign").size(5.0));
    w.figure(
        "sign-changes.svg",
        &Figure::new().describe("Changes of sign against N").panel(panel),
        "Changes of sign against the number of steps.",
    );
    w.verdict("slope", (0.5000000232, "the book"), line.slope, Relative(1e-5));
    w.verdict("1 − correlation", (1e-9, "the book: 10^{−10}"), 1.0 - line.correlation, AtMost);
    let mut clear = 0;
    let mut others = 0;
    let mut whole = Vec::new();
    for run in &runs {
        let (changes, zeros) = in_whole_numbers(run.steps as i64);
        whole.push(Oscillation { changes, ..*run });
        if zeros == 0 {
            clear += 1;
            others += usize::from(changes != run.changes);
        }
    }
    w.verdict(
        format!("runs that count otherwise than whole numbers do, of {clear} in which no u_{{n}} is exactly zero"),
        (0.0, "exact arithmetic"),
        others as f64,
        Equal,
    );
    w.deviation(
        "Bastien et al. 2013, Fig. 1.5",
        "slope 0.5000000232, ordinate −1.3748",
        format!("slope {:.10}, ordinate {:.4}", line.slope, line.intercept),
        format!(
            "the book does not list its N, and where a u_{{n}} is exactly zero, rounding decides whether the sign changes there: \
             in whole numbers the same N give the ordinate {:.4}",
            line_through(&whole).intercept
        ),
    );
    Ok(())
}

/// P(N) in exact arithmetic, and how many u_n are zero, 1 ≤ n ≤ N: N u_n/h is a whole number.
fn in_whole_numbers(steps: i64) -> (usize, usize) {
    let mut u = 0i64;
    let mut last = 0i64;
    let mut changes = 0;
    let mut zeros = 0;
    for n in 0..steps {
        u += n - steps * u.signum();
        zeros += usize::from(n > 0 && u == 0);
        changes += usize::from(n >= 2 && last.signum() * u.signum() < 0);
        last = u;
    }
    (changes, zeros)
}
