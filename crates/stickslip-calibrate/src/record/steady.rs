//! Whether the forces of a record are as large at its end as at its beginning, by the same motion.

use crate::record::clocks::Look;
use crate::statistics::estimate::Estimate;
use crate::statistics::regress::solve;

/// Shares of the record at which another gain may begin.
const PLACES: [f64; 7] = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
/// A gain counts that is so many standard errors from one, and by so much.
const SURE: f64 = 5.0;
const MATTERS: f64 = 0.01;

/// From when on forces are larger by which share (s, 1): of a fit with these `fitted` forces, what it has `left` and how it changes with its
/// numbers (`columns`).
pub fn another_gain(
    time: &[f64],
    fitted: &[f64],
    left: &[f64],
    columns: &[Vec<f64>],
) -> Option<(f64, f64)> {
    let [first, last] = [time.first()?, time.last()?];
    let from = |share: f64| -> Option<(f64, f64, f64)> {
        let start = first + share * (last - first);
        let after = |(t, f): (&f64, &f64)| if *t >= start { *f } else { 0.0 };
        let mut all = columns.to_vec();
        all.push(time.iter().zip(fitted).map(after).collect());
        let fit = solve(&all, left)?;
        let gain = *fit.coefficients.last()?;
        Some((start, gain, (gain / fit.error(columns.len())).abs()))
    };
    let found = PLACES.into_iter().filter_map(from).max_by(|a, b| a.2.total_cmp(&b.2))?;
    let (start, gain, sure) = found;
    (sure > SURE && gain.abs() > MATTERS).then_some((start, gain))
}

/// The same of the rows of a fit whose numbers may grow along the record: a friction that wears is no other gain.
pub fn another_gain_of(look: Look) -> Option<(f64, f64)> {
    let Look { mut columns, force, time, .. } = look.thinned();
    let [first, last] = [*time.first()?, *time.last()?];
    let grows = |c: &Vec<f64>| -> Vec<f64> {
        c.iter().zip(&time).map(|(c, t)| c * (t - first) / (last - first)).collect()
    };
    let grown: Vec<Vec<f64>> = columns.iter().map(grows).collect();
    columns.extend(grown);
    columns.retain(|c| c.iter().any(|v| *v != 0.0));
    let left = solve(&columns, &force)?.residuals;
    let fitted: Vec<f64> = force.iter().zip(&left).map(|(f, r)| f - r).collect();
    another_gain(&time, &fitted, &left, &columns)
}

/// Whether that is more than half of the interval of one of these numbers, which then holds for neither part of the record.
pub fn matters<'e>((_, gain): (f64, f64), numbers: impl IntoIterator<Item = &'e Estimate>) -> bool {
    numbers.into_iter().any(|e| {
        let both = e.value.zip(e.ci95);
        both.is_some_and(|(value, [low, high])| (gain * value).abs() > 0.5 * (high - low))
    })
}

/// What is said of it; `forces`: "the force is", say.
pub fn gain_said(forces: &str, (start, gain): (f64, f64)) -> String {
    format!(
        "from {start:.4} s on {forces} {:.1} % {} than before for the same motion: another gain of the sensor, heating, or a load that is not \
         measured; fit the parts before and after it separately",
        100.0 * gain.abs(),
        if gain > 0.0 { "larger" } else { "smaller" }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::random::Draws;

    /// A gain that changes by a tenth in the middle is seen where the spring it belongs to is fitted, too; noise is none.
    #[test]
    fn a_gain_that_changes_is_seen() {
        for by in [0.0, 0.1] {
            let mut draws = Draws::new(5, 3);
            let time: Vec<f64> = (0..2000).map(|i| 0.01 * f64::from(i)).collect();
            let column: Vec<f64> = time.iter().map(|t| (2.0 * t).sin()).collect();
            let gain = |t: f64| if t >= 10.0 { 1.0 + by } else { 1.0 };
            let force: Vec<f64> = time
                .iter()
                .zip(&column)
                .map(|(t, c)| 3.0 * gain(*t) * c + 0.05 * draws.normal())
                .collect();
            let columns = vec![column];
            let fit = solve(&columns, &force).unwrap();
            let fitted: Vec<f64> = force.iter().zip(&fit.residuals).map(|(f, r)| f - r).collect();
            let found = another_gain(&time, &fitted, &fit.residuals, &columns);
            if by == 0.0 {
                assert_eq!(found, None);
            } else {
                let (start, gain) = found.unwrap();
                assert!((start - 10.0).abs() < 0.02 && (gain / by - 1.0).abs() < 0.2, "{gain}");
            }
        }
    }
}
