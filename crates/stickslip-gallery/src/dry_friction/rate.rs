//! The open question of §5: the rate for f_d ≠ f_s.

use super::super::verdict::Tolerance::{Absolute, AtLeast};
use super::{Work, slope};
use stickslip::scheme::oscillator::{euler, exact};
use stickslip::{Law, Oscillator, Signal, Trajectory};
use stickslip_file::Result;
use stickslip_report::compose::{Convergence, Errors};
use stickslip_run::each_of;

/// Instants at which a long run is compared.
const LOOKS: usize = 2000;

/// sup over some 2000 instants of the distance from the exact motion, N = `steps` steps on [0, `end`].
fn error(o: &Oscillator, truth: &Trajectory, end: f64, steps: usize) -> Result<f64> {
    let h = end / steps as f64;
    let stride = (steps / LOOKS).max(1);
    let mut worst: f64 = 0.0;
    euler::run(o, end, h, |n, u| {
        if n % stride == 0 {
            let s = truth.state(n as f64 * h);
            worst = worst.max((u.x - s.x).hypot(u.v - s.v));
        }
    })?;
    Ok(worst)
}

/// For each number of steps, the longest runs first and side by side.
fn errors_of(o: &Oscillator, truth: &Trajectory, end: f64, counts: &[usize]) -> Result<Vec<f64>> {
    let longest_first = counts.iter().rev().copied().collect();
    let mut all = each_of(longest_first, |n| error(o, truth, end, n))?;
    all.reverse();
    Ok(all)
}

/// Six decades of h for four pairs of forces, and the case that fails.
pub fn run(w: &mut Work) -> Result<()> {
    let file = w.oscillator("rate.toml", include_str!("../../models/rate.toml"))?;
    let shaw = file.model.clone();
    let end = file.end();
    let cases = cases(&shaw)?;
    // N = 10^2 … 10^8 by half decades, the one before the last left out.
    let counts: Vec<usize> = (0..=12)
        .filter(|j| *j != 11)
        .map(|j| 10f64.powf(2.0 + 0.5 * f64::from(j)).round() as usize)
        .collect();
    let h: Vec<f64> = counts.iter().map(|&n| end / n as f64).collect();
    let mut errors = Vec::new();
    for (i, (name, o)) in cases.iter().enumerate() {
        let truth = exact::solve(o, end)?;
        // The last decade is nine tenths of the work: for the first and the last case.
        let (reach, decades) =
            if i == 0 || i + 1 == cases.len() { (counts.len(), "six") } else { (11, "five") };
        let all = errors_of(o, &truth, end, &counts[..reach])?;
        w.verdict(
            format!("{name}: slope of log error over log h, {decades} decades"),
            (1.0, "order 1"),
            slope(&h, &all),
            Absolute(0.03),
        );
        w.verdict(
            format!("{name}: the same over the last three decades"),
            (1.0, "order 1"),
            slope(&h[reach - 7..], &all[reach - 7..]),
            Absolute(0.01),
        );
        errors.push(all);
    }

    let (steps, stays) = where_it_fails(w, &counts)?;
    let mut series: Vec<Errors<'_>> = cases
        .iter()
        .zip(&errors)
        .map(|((label, _), error)| Errors { label, h: &h[..error.len()], error })
        .collect();
    series.push(Errors { label: "|b| = f_{s} at the end of a slip", h: &steps, error: &stays });
    let figure = Convergence::of_states(&series).figure();
    w.figure(
        "rate.svg",
        &figure,
        "Error of the Euler scheme against the exact solution over six decades of h. The first three curves lie on each other: before t = 5 they differ in f_{s} only, and so in when the slip begins.",
    );
    w.remark(
        "These numbers support order 1 for f_d ≠ f_s too, wherever the solution is continuous in its data. If a slip ends with |b| = f_s exactly, it is not continuous (the mass may stick or slip on), and no scheme of this kind converges there.",
    );
    w.deviation(
        "Bensoussan et al. 2021, §5",
        "the rate for f_{d} ≠ f_{s} is an open question",
        format!("order {:.3} to {:.3} over six decades of h", least(&h, &errors), most(&h, &errors)),
        "measured against the exact solution; order 0 where the solution is discontinuous in its data",
    );
    w.command("stickslip converge gallery/rate.toml --against exact --halvings 20 --out rate");
    Ok(())
}

fn least(h: &[f64], errors: &[Vec<f64>]) -> f64 {
    errors.iter().map(|e| slope(h, e)).fold(f64::INFINITY, f64::min)
}

fn most(h: &[f64], errors: &[Vec<f64>]) -> f64 {
    errors.iter().map(|e| slope(h, e)).fold(f64::NEG_INFINITY, f64::max)
}

/// Where a slip ends with |b| = f_s there is no order; nearby there is.
fn where_it_fails(w: &mut Work, counts: &[usize]) -> Result<(Vec<f64>, Vec<f64>)> {
    let file = w.oscillator("rate-jump.toml", include_str!("../../models/rate-jump.toml"))?;
    let jump = file.model.clone();
    let end = file.end();
    let truth = exact::solve(&jump, end)?;
    let few: Vec<usize> =
        counts.iter().copied().filter(|n| (1000..=10_000_000).contains(n)).collect();
    let steps: Vec<f64> = few.iter().map(|&n| end / n as f64).collect();
    let stays: Vec<f64> = errors_of(&jump, &truth, end, &few)?;
    w.verdict(
        "|b| = f_{s} at the end of a slip: error at the smallest h",
        (1.0, "the other solution is 2 m away or more"),
        stays.last().copied().unwrap_or_default(),
        AtLeast,
    );
    let near = Oscillator { friction: Law::static_dynamic(7.6, 1.0)?, ..jump };
    let truth = exact::solve(&near, end)?;
    let all: Vec<f64> = errors_of(&near, &truth, end, &few)?;
    w.verdict(
        "the same with f_{s} larger by 0.1 N: slope, last three decades",
        (1.0, "order 1"),
        slope(&steps[few.len() - 7..], &all[few.len() - 7..]),
        Absolute(0.01),
    );
    Ok((steps, stays))
}

/// Four pairs of forces, by their names.
fn cases(shaw: &Oscillator) -> Result<[(&'static str, Oscillator); 4]> {
    let with = |breakaway: f64, dynamic: f64| -> Result<Oscillator> {
        let friction = Law::static_dynamic(breakaway, dynamic)?;
        Ok(Oscillator { friction, ..shaw.clone() })
    };
    // Slips that end at rest each time: 1.5 sin 1.2 t.
    let resting = with(16.0, 11.2)?
        .with_drive(Signal::harmonic(1.5, 1.2, -std::f64::consts::FRAC_PI_2))
        .starting_at(0.0, 0.0);
    Ok([
        ("f_{s} = 1.2 f_{d}, Shaw's", with(19.2, 16.0)?),
        ("f_{s} = 1.5 f_{d}", with(24.0, 16.0)?),
        ("f_{s} = f_{d}: the theorem", with(16.0, 16.0)?),
        ("f_{s} = 1.43 f_{d}, a stick after each slip", resting),
    ])
}
