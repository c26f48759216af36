//! Whether the forces of a record are as large at its end as at its beginning, by the same motion.

use crate::record::clocks::Look;
use crate::statistics::estimate::Estimate;
use crate::statistics::memory::autocorrelation_time;
use crate::statistics::regress::solve;
use crate::statistics::stats::square;
use stickslip::portable;

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

/// A part of the force of a fit, and which columns make it up.
pub struct Part {
    pub name: &'static str,
    pub columns: Vec<usize>,
}

/// Forces that are larger or smaller from some time on.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// From when on, s.
    pub start: f64,
    /// By which share, all of them together.
    pub gain: f64,
    /// Of one part, where the others have not changed.
    pub part: Option<PartChange>,
}

/// One part of the force is larger from then on.
#[derive(Debug, Clone, PartialEq)]
pub struct PartChange {
    pub name: &'static str,
    /// By which share.
    pub share: f64,
}

/// The same of the rows of a fit whose numbers may grow along the record: a friction that wears is no other gain. Which of the `parts` of the
/// force it is, where only one of them has changed.
pub fn another_gain_of(look: Look, parts: &[Part]) -> Option<Change> {
    let Look { columns, force, time, .. } = look.thinned();
    let [first, last] = [*time.first()?, *time.last()?];
    let grows = |c: &Vec<f64>| -> Vec<f64> {
        c.iter().zip(&time).map(|(c, t)| c * (t - first) / (last - first)).collect()
    };
    let part_of = |k: usize| parts.iter().position(|p| p.columns.contains(&k));
    let (owners, alike): (Vec<Option<usize>>, Vec<Vec<f64>>) = columns
        .into_iter()
        .enumerate()
        .filter(|(_, c)| c.iter().any(|v| *v != 0.0))
        .map(|(k, c)| (part_of(k), c))
        .unzip();
    let columns: Vec<Vec<f64>> = alike.iter().cloned().chain(alike.iter().map(grows)).collect();
    let left = solve(&columns, &force)?.residuals;
    let fitted: Vec<f64> = force.iter().zip(&left).map(|(f, r)| f - r).collect();
    let (start, gain) = another_gain(&time, &fitted, &left, &columns)?;
    let stepped = Stepped { time: &time, columns: &alike, force: &force };
    let part = stepped.one_part(&owners, parts.len());
    Some(part.map_or(Change { start, gain, part: None }, |(k, step)| Change {
        start: step.start,
        gain,
        part: Some(PartChange { name: parts[k].name, share: step.share }),
    }))
}

/// 2 ln L by which a change of one part must explain more than a gain of all to be told from it.
const TOLD: f64 = 10.0;
/// The other parts stay as they are if they change by less than this share of what the one does, or by no more than so many standard errors.
const STAYS: f64 = 0.2;
const UNSURE: f64 = 2.0;
/// Steps by which the share of a change is found, and where it has settled; no change is larger.
const STEPS: usize = 10;
const SETTLED: f64 = 1e-4;
const LARGEST: f64 = 20.0;

/// A fit of which some columns are larger from some time on.
struct Stepped<'a> {
    time: &'a [f64],
    columns: &'a [Vec<f64>],
    force: &'a [f64],
}

/// Where a change leaves least.
struct Step {
    start: f64,
    /// By which share the columns are larger from there on.
    share: f64,
    residuals: Vec<f64>,
}

impl Stepped<'_> {
    /// `force` from a start on, and nothing before it.
    fn after(&self, start: f64, force: impl Fn(usize) -> f64) -> Vec<f64> {
        let at = |i: usize| if self.time[i] >= start { force(i) } else { 0.0 };
        (0..self.time.len()).map(at).collect()
    }

    /// Columns of which those that `change` are larger by a share from a start on.
    fn changed(&self, change: &[bool], start: f64, share: f64) -> Vec<Vec<f64>> {
        let of = |(c, changes): (&Vec<f64>, &bool)| match changes {
            true => {
                let more = self.after(start, |i| share * c[i]);
                c.iter().zip(more).map(|(c, m)| c + m).collect()
            }
            false => c.clone(),
        };
        self.columns.iter().zip(change).map(of).collect()
    }

    /// What a fit has of the columns that change, or of the others, as if nothing changed.
    fn sum(&self, coefficients: &[f64], change: &[bool], which: bool, i: usize) -> f64 {
        let all = self.columns.iter().zip(coefficients).zip(change);
        all.filter(|(_, is)| **is == which).map(|((c, b), _)| b * c[i]).sum()
    }

    /// The share by which these columns change at a start, by Gauss and Newton.
    fn at(&self, change: &[bool], start: f64) -> Option<Step> {
        let mut share = 0.0;
        for _ in 0..STEPS {
            let mut all = self.changed(change, start, share);
            let fit = solve(&all, self.force)?;
            let coefficients = fit.coefficients;
            all.push(self.after(start, |i| self.sum(&coefficients, change, true, i)));
            let by = *solve(&all, self.force)?.coefficients.last()?;
            share += by;
            if share.is_nan() || share.abs() >= LARGEST {
                return None;
            }
            if by.abs() < SETTLED {
                break;
            }
        }
        let residuals = solve(&self.changed(change, start, share), self.force)?.residuals;
        Some(Step { start, share, residuals })
    }

    /// The start at which they leave least.
    fn best(&self, change: &[bool]) -> Option<Step> {
        let [first, last] = [self.time[0], self.time[self.time.len() - 1]];
        let starts = PLACES.into_iter().map(|share| first + share * (last - first));
        let all = starts.filter_map(|start| self.at(change, start));
        all.min_by(|a, b| square(&a.residuals).total_cmp(&square(&b.residuals)))
    }

    /// The one part whose change explains clearly more than one of all forces, while the others stay as they are.
    fn one_part(&self, owners: &[Option<usize>], parts: usize) -> Option<(usize, Step)> {
        let by_gain = self.best(&vec![true; owners.len()])?;
        let is_of = |k: usize| owners.iter().map(|o| *o == Some(k)).collect::<Vec<bool>>();
        let each = |k: usize| self.best(&is_of(k)).map(|step| (k, step));
        let (k, step) = (0..parts)
            .filter_map(each)
            .min_by(|a, b| square(&a.1.residuals).total_cmp(&square(&b.1.residuals)))?;
        let together = autocorrelation_time(std::slice::from_ref(&step.residuals));
        let more = portable::ln(square(&by_gain.residuals) / square(&step.residuals));
        if self.time.len() as f64 / together * more <= TOLD {
            return None;
        }
        let change = is_of(k);
        let mut all = self.changed(&change, step.start, step.share);
        let coefficients = solve(&all, self.force)?.coefficients;
        // How far the others change, next to what the one may still change.
        for which in [false, true] {
            all.push(self.after(step.start, |i| self.sum(&coefficients, &change, which, i)));
        }
        let fit = solve(&all, self.force)?;
        let place = self.columns.len();
        let others = fit.coefficients[place].abs();
        let stay = others <= (STAYS * step.share.abs()).max(UNSURE * fit.error(place));
        stay.then_some((k, step))
    }
}

/// Whether that is more than half of the interval of one of these numbers, which then holds for neither part of the record.
pub fn matters<'e>(change: &Change, numbers: impl IntoIterator<Item = &'e Estimate>) -> bool {
    numbers.into_iter().any(|e| {
        let both = e.value.zip(e.ci95);
        both.is_some_and(|(value, [low, high])| (change.gain * value).abs() > 0.5 * (high - low))
    })
}

/// What is said of it; `forces`: "the force is", say.
pub fn gain_said(forces: &str, change: &Change) -> String {
    let start = change.start;
    let share = change.part.as_ref().map_or(change.gain, |part| part.share);
    let percent = format!("{:.1}", 100.0 * share.abs());
    let way = if share > 0.0 { "larger" } else { "smaller" };
    match &change.part {
        Some(PartChange { name, .. }) => format!(
            "from {start:.4} s on the {name} is {percent} % {way} than before, while the rest of the force is as it was: the device has changed \
             there, and not the gain of the sensor; fit the parts of the record before and after it separately"
        ),
        None => format!(
            "from {start:.4} s on {forces} {percent} % {way} than before for the same motion: another gain of the sensor, heating, or a load that is \
             not measured; fit the parts before and after it separately"
        ),
    }
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
