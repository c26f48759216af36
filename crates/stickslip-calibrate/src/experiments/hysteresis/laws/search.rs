//! The search for the numbers of one law, on all cycles and without a part of them.

use super::super::super::curvature::Curvature;
use super::candidates::{Law, Number, Sizes};
use super::path::Path;
use super::{LawFit, Parameter, Predicted};
use crate::error::Error;
use crate::models::least_squares::{Ends, Least, Misfit, least_squares, least_squares_until};
use crate::parallel::each;
use crate::statistics::estimate::Estimate;
use crate::statistics::stats::{mean, sd, square, student_between};

/// Parts of the cycles that are left out one after the other.
const PARTS: usize = 8;
/// Steps of a search from afar, and of one that begins at the minimum of nearly the same cycles.
const FAR: usize = 80;
const NEAR: usize = 25;
/// Of the minima on parts of a long record, those whose squares are at most so many times the least are followed to the whole.
const RIVAL: f64 = 1.05;
/// Two minima whose squares differ by less than this share are one.
const SAME: f64 = 1e-3;
/// A law that leaves so many times more of the whole than of the parts is searched for on all rows.
const LOST: f64 = 1.5;
/// The step of differences, relative to the range of a number or in its logarithm.
const STEP: f64 = 1e-5;

/// The misfit of a law on the cycles that are not left out.
#[derive(Clone, Copy)]
struct Against<'a> {
    law: Law,
    paths: &'a [Path],
    numbers: &'a [Number],
    /// The part that each cycle belongs to, and which is left out.
    part: &'a [usize],
    without: Option<usize>,
}

impl Against<'_> {
    fn values(&self, at: &[f64]) -> Vec<f64> {
        at.iter().zip(self.numbers).map(|(at, n)| n.value(*at)).collect()
    }

    /// The coordinates of the search of these values.
    fn at(&self, values: &[f64]) -> Vec<f64> {
        values.iter().zip(self.numbers).map(|(v, n)| n.at(*v)).collect()
    }

    fn squares(&self, at: &[f64]) -> f64 {
        self.residuals(at).map_or(f64::INFINITY, |r| square(&r))
    }

    /// Σ of the squared errors in each cycle, 0 in those that are not left out, N².
    fn squares_left_out(&self, values: &[f64]) -> Vec<f64> {
        let mut squares = vec![0.0; self.part.len()];
        for path in self.paths.iter().filter(|path| !path.held) {
            let Some(forces) = self.law.forces(values, path) else { continue };
            for (row, (f, g)) in path.force.iter().zip(&forces).enumerate().skip(path.first) {
                if Some(self.part[path.cycle[row]]) == self.without {
                    squares[path.cycle[row]] += (f - g).powi(2);
                }
            }
        }
        squares
    }

    fn counts(&self, path: &Path, row: usize) -> bool {
        row >= path.first && Some(self.part[path.cycle[row]]) != self.without
    }

    /// The part of each row that counts.
    fn part_of_rows(&self) -> impl Iterator<Item = usize> {
        let fitted = self.paths.iter().filter(|p| !p.held);
        let cycles = fitted.flat_map(|p| (p.first..p.force.len()).map(|row| p.cycle[row]));
        cycles.map(|cycle| self.part[cycle]).filter(|part| Some(*part) != self.without)
    }

    /// The forces of the rows that count.
    fn forces(&self, at: &[f64]) -> Option<Vec<f64>> {
        let values = self.values(at);
        let mut all = Vec::new();
        for path in self.paths.iter().filter(|p| !p.held) {
            let forces = self.law.forces(&values, path)?;
            let kept = forces.into_iter().enumerate().filter(|(row, _)| self.counts(path, *row));
            all.extend(kept.map(|(_, f)| f));
        }
        Some(all)
    }

    fn measured(&self) -> Vec<f64> {
        let fitted = self.paths.iter().filter(|p| !p.held);
        let of = |p: &Path| {
            (0..p.force.len()).filter(|&i| self.counts(p, i)).map(|i| p.force[i]).collect()
        };
        fitted.flat_map(|p| -> Vec<f64> { of(p) }).collect()
    }
}

impl Misfit for Against<'_> {
    type Seen = Vec<f64>;

    fn bounds(&self) -> Vec<[f64; 2]> {
        self.numbers.iter().map(|n| n.range.map(|v| n.at(v))).collect()
    }

    fn see(&self, p: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
        let forces = self.forces(p)?;
        let left = self.measured().iter().zip(&forces).map(|(f, g)| f - g).collect();
        Some((forces, left))
    }

    fn columns(&self, p: &[f64], seen: &Vec<f64>) -> Option<Vec<Vec<f64>>> {
        let bounds = self.bounds();
        let column = |k: usize| {
            if !self.numbers[k].is_free() {
                return Some(vec![0.0; seen.len()]);
            }
            let [low, high] = bounds[k];
            let size = if self.numbers[k].log { 1.0 } else { high - low };
            // Towards the inside, where the law exists.
            let by = if p[k] + STEP * size <= high { STEP * size } else { -STEP * size };
            let mut there = p.to_vec();
            there[k] += by;
            let moved = self.forces(&there)?;
            Some(moved.iter().zip(seen).map(|(a, b)| (a - b) / by).collect())
        };
        each(p.len(), column).into_iter().collect()
    }

    fn stop(&self) -> bool {
        stickslip::Interrupt::current().is_requested()
    }
}

/// The share of the force about its mean that the best numbers of a law leave in each of these paths, however many cycles they have. NaN of a
/// force that does not change.
pub fn left_by(law: Law, paths: &[Path], sizes: &Sizes) -> Option<Vec<f64>> {
    let numbers = law.numbers(sizes);
    let part = all_together(paths);
    let all = Against { law, paths, numbers: &numbers, part: &part, without: None };
    let starts = law.starts(sizes);
    let ends = each(starts.len(), |i| least_squares(&all, &all.at(&starts[i]), NEAR));
    let best = ends.into_iter().flatten().min_by(|a, b| a.rss.total_cmp(&b.rss))?;
    let values = all.values(&best.p);
    let share = |path: &Path| {
        let forces = law.forces(&values, path)?;
        let from = path.first;
        let left: Vec<f64> =
            path.force[from..].iter().zip(&forces[from..]).map(|(f, g)| f - g).collect();
        Some(sd(&left) / sd(&path.force[from..]))
    };
    paths.iter().map(share).collect()
}

/// The part that each cycle belongs to, where none is left out.
fn all_together(paths: &[Path]) -> Vec<usize> {
    vec![0; paths.iter().map(|p| p.cycles).max().unwrap_or(0)]
}

/// The least squares of a law, from all its starts; of long records, of which there are `parts`, by the minima that those have.
fn best(all: &Against<'_>, parts: &[Path], starts: &[Vec<f64>]) -> Option<Least> {
    let from = |misfit: &Against<'_>, starts: &[Vec<f64>], until: Ends<'_>| {
        let ends = each(starts.len(), |i| least_squares_until(misfit, &starts[i], until));
        let mut ends: Vec<Least> = ends.into_iter().flatten().collect();
        ends.sort_by(|a, b| a.rss.total_cmp(&b.rss));
        ends
    };
    let left = |least: &Least| (least.rss / least.residuals.len() as f64).sqrt();
    let together = all_together(parts);
    let short = Against { paths: parts, part: &together, without: None, ..*all };
    let mut minima =
        if parts.is_empty() { Vec::new() } else { from(&short, starts, Ends::after(FAR)) };
    minima.dedup_by(|next, least| next.rss < (1.0 + SAME) * least.rss);
    if let Some(least) = minima.first() {
        // A step that changes the squares by less than a tenth of what one row leaves is the last.
        let settled = 0.1 / all.part_of_rows().count() as f64;
        let until = Ends { settled, ..Ends::after(NEAR) };
        let near = minima.iter().take_while(|m| m.rss <= RIVAL * least.rss);
        let found = from(all, &near.map(|m| m.p.clone()).collect::<Vec<_>>(), until);
        let kept = found.into_iter().next().filter(|found| left(found) < LOST * left(least));
        if kept.is_some() || all.stop() {
            return kept;
        }
    }
    from(all, starts, Ends::after(FAR)).into_iter().next()
}

/// Fits a law, and predicts with it. `pieces` are parts of the paths, if these are long.
pub fn fitted(
    law: Law,
    paths: &[Path],
    pieces: &[Path],
    sizes: &Sizes,
    cycles: usize,
) -> Result<LawFit, Error> {
    let numbers = law.numbers(sizes);
    let parts = PARTS.min(cycles);
    // Parts of neighbouring cycles and not every eighth cycle: neighbours are alike, and what is left out must be
    // strange to the rest.
    let part: Vec<usize> = (0..cycles).map(|c| c * parts / cycles).collect();
    let against = |without| Against { law, paths, numbers: &numbers, part: &part, without };
    let all = against(None);
    let starts: Vec<Vec<f64>> = law.starts(sizes).iter().map(|s| all.at(s)).collect();
    let least = best(&all, pieces, &starts);
    if all.stop() {
        return Err(Error::Interrupted);
    }
    let best = least.ok_or_else(|| {
        Error::Unfit(format!("the law `{}` gives no forces along these records", law.name()))
    })?;
    let spread = Spread::of(&all, &best, parts);
    // Each part is predicted by a fit that has not seen it.
    let others = each(parts, |without| {
        let near = against(Some(without));
        // Of a long record a part is so little that one step from the best numbers of all arrives.
        let stepped = if pieces.is_empty() { None } else { spread.stepped(without) };
        let p = stepped.filter(|p| near.squares(p) <= spread.squares_without(without));
        let p = p.or_else(|| Some(least_squares(&near, &best.p, NEAR)?.p));
        let values = near.values(p.as_ref().unwrap_or(&best.p));
        let squares = near.squares_left_out(&values);
        (values, squares)
    });
    if all.stop() {
        return Err(Error::Interrupted);
    }
    let mut squares = vec![0.0; cycles];
    for (cycle, square) in squares.iter_mut().enumerate() {
        *square = others[part[cycle]].1[cycle];
    }
    let others: Vec<Vec<f64>> = others.into_iter().map(|o| o.0).collect();
    let rows = best.residuals.len() as f64;
    let rmse = (best.rss / rows).sqrt();
    let held_out = (squares.iter().sum::<f64>() / rows).sqrt();
    let values = all.values(&best.p);
    let predicted = |path: &Path| predicted(law, &values, path);
    let bristle = law.bristle().map(|i| {
        let lengths: Vec<f64> = others.iter().map(|o| o[i]).collect();
        let freedom = spread.freedom(|values| values[i]);
        known(values[i], &lengths, freedom, "m").unless_vague()
    });
    Ok(LawFit {
        law: law.name(),
        parameters: parameters(&spread, &values, &others),
        sought: numbers.iter().filter(|n| n.is_free()).count(),
        rmse,
        held_out,
        relative: held_out / sizes.force,
        worse: false,
        records: paths.iter().map(predicted).collect(),
        bristle,
        squares,
    })
}

/// What the rows of each part of the cycles say of the numbers.
struct Spread<'a> {
    all: &'a Against<'a>,
    least: &'a Least,
    /// The part of each row that counts.
    part: Vec<usize>,
    parts: usize,
    curvature: Curvature<'a>,
}

impl<'a> Spread<'a> {
    fn of(all: &'a Against<'a>, least: &'a Least, parts: usize) -> Self {
        let part = all.part_of_rows().collect();
        let bounds = all.bounds();
        // A number at the end of its range does not move with the rows, nor does one that changes nothing, such as the threshold of an
        // element without force.
        let inside = |k: usize| least.p[k] > bounds[k][0] && least.p[k] < bounds[k][1];
        let moves = |k: &usize| inside(*k) && least.columns[*k].iter().any(|c| *c != 0.0);
        let free = (0..least.p.len()).filter(moves).collect();
        // Only ratios of covariances are asked for, from which the memory of the residuals cancels.
        Self { all, least, part, parts, curvature: Curvature::new(least, free, 1.0) }
    }

    /// The numbers that one step without a part of the cycles leads to.
    fn stepped(&self, without: usize) -> Option<Vec<f64>> {
        self.least.stepped(&self.all.bounds(), |row| self.part[row] != without)
    }

    /// Σ r² of the best numbers of all without a part of the cycles.
    fn squares_without(&self, without: usize) -> f64 {
        let rows = self.part.iter().zip(&self.least.residuals);
        rows.filter(|(part, _)| **part != without).map(|(_, r)| r * r).sum()
    }

    /// How many degrees of freedom the fits without one part leave the error of a number: one less than the parts where all of them
    /// say equally much of it, fewer where some say more (Satterthwaite 1946). `number` is what it is of the values of the search.
    fn freedom(&self, number: impl Fn(&[f64]) -> f64) -> f64 {
        let p = &self.least.p;
        let all = p.len();
        let changes = |k: usize| {
            let at = |by: f64| {
                let mut there = p.clone();
                there[k] += by;
                number(&self.all.values(&there))
            };
            let by = STEP * if self.all.numbers[k].log { 1.0 } else { p[k].abs().max(1e-300) };
            (at(by) - at(-by)) / (2.0 * by)
        };
        let gradient: Vec<f64> = (0..all).map(changes).collect();
        // How the number moves with the residual of a row, but for a factor.
        let weight = |j: usize| -> f64 {
            let moved = |k: usize| gradient[k] * self.curvature.covariance(k, j);
            (0..all).filter(|&k| gradient[k] != 0.0).map(moved).filter(|m| m.is_finite()).sum()
        };
        let weights: Vec<f64> = (0..all).map(weight).collect();
        let mut shares = vec![0.0; self.parts];
        for (row, part) in self.part.iter().enumerate() {
            let moves = |j: usize| weights[j] * self.least.columns[j][row];
            let free = (0..all).filter(|&j| weights[j] != 0.0);
            shares[*part] += free.map(moves).sum::<f64>().powi(2);
        }
        let whole: f64 = shares.iter().sum();
        let freedom = whole * whole / square(&shares) - 1.0;
        let most = (self.parts - 1) as f64;
        if freedom.is_finite() { freedom.clamp(1.0, most) } else { most }
    }
}

/// A value with what the fits without one part say of its error, by its degrees of freedom and unit.
fn known(value: f64, others: &[f64], freedom: f64, unit: &'static str) -> Estimate {
    let parts = others.len() as f64;
    let middle = mean(others);
    // The jackknife: fits without one part have nearly all cycles in common and differ little, so that their squares are
    // summed and not averaged.
    let variance: f64 = others.iter().map(|v| (v - middle).powi(2)).sum();
    let error = (variance * (parts - 1.0) / parts).sqrt();
    let half = student_between(freedom) * error;
    Estimate::within(value, error, [value - half, value + half], unit)
}

fn parameters(spread: &Spread<'_>, values: &[f64], others: &[Vec<f64>]) -> Vec<Parameter> {
    let law = spread.all.law;
    let there: Vec<_> = others.iter().map(|o| law.told(o)).collect();
    let one = |(i, (name, unit, value)): (usize, (&'static str, &'static str, f64))| {
        let others: Vec<f64> = there.iter().map(|t| t[i].2).collect();
        let freedom = spread.freedom(|values| law.told(values)[i].2);
        Parameter { name, estimate: known(value, &others, freedom, unit) }
    };
    law.told(values).into_iter().enumerate().map(one).collect()
}

fn predicted(law: Law, values: &[f64], path: &Path) -> Predicted {
    let nothing = || vec![f64::NAN; path.force.len()];
    let forces = law.forces(values, path).unwrap_or_else(nothing);
    let left: Vec<f64> = path.force.iter().zip(&forces).map(|(f, g)| f - g).collect();
    let rows = left.len() as f64;
    let rmse = (square(&left) / rows).sqrt();
    let size = (square(&path.force) / rows).sqrt();
    let peak = path.force.iter().fold(0.0, |m: f64, f| m.max(f.abs()));
    let mut force = vec![f64::NAN; path.length];
    path.rows.iter().zip(&forces).for_each(|(&row, f)| force[row] = *f);
    Predicted {
        record: path.name.clone(),
        held: path.held,
        rmse,
        of_force: rmse / size,
        of_peak: rmse / peak,
        dissipated: [path.work(&path.force), path.work(&forces)],
        force,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Record, path_of, pieces_of};
    use super::*;
    use crate::record::parts::LONG;
    use crate::statistics::random::Draws;

    /// What the parts of a long record lead to is what all of its rows do, and so are the intervals.
    #[test]
    fn parts_lead_where_all_rows_do() {
        let rows = LONG + 10_000;
        let time: Vec<f64> = (0..rows).map(|i| 0.01 * i as f64).collect();
        let wave = |t: &f64| 4e-3 * (1.1 * t).sin() + 3e-3 * (0.27 * t + 0.4).sin();
        let displacement: Vec<f64> = time.iter().map(wave).collect();
        // Dahl's bristle of 2 N and 0.5 mm, and a spring of 50 N/m.
        let (mut z, mut draws) = (0.0f64, Draws::new(3, 1));
        let force = |i: usize| {
            let by = displacement[i] - displacement[i.saturating_sub(1)];
            let end = 5e-4 * by.signum();
            z = end + (z - end) * (-by.abs() / 5e-4).exp();
            4000.0 * z + 50.0 * displacement[i] + 0.05 * draws.normal()
        };
        let force: Vec<f64> = (0..rows).map(force).collect();
        let record = Record {
            name: "long",
            time: &time,
            displacement: &displacement,
            force: &force,
            held: false,
        };
        let paths = [path_of(&record, 0).unwrap()];
        // A short record beside it has no parts of its own.
        let short = Record {
            time: &time[..500],
            displacement: &displacement[..500],
            force: &force[..500],
            ..record
        };
        let pieces = pieces_of(&[record, short]);
        assert!(pieces.len() > 1 && pieces.iter().all(|p| p.x.len() < rows / 8));
        let sizes = Sizes::of(&[&paths[0]]);
        for law in [Law::Dahl, Law::BoucWen] {
            let of = |pieces| fitted(law, &paths, pieces, &sizes, paths[0].cycles).unwrap();
            let [some, all] = [of(&pieces[..]), of(&[])];
            assert!((some.rmse / all.rmse - 1.0).abs() < 1e-6, "{} {}", some.rmse, all.rmse);
            assert!((some.held_out / all.held_out - 1.0).abs() < 1e-5);
            for (a, b) in some.parameters.iter().zip(&all.parameters) {
                let of = |e: &Estimate| (e.value.unwrap_or(0.0), e.stderr.unwrap_or(0.0));
                let ((value, error), (whole, other)) = (of(&a.estimate), of(&b.estimate));
                assert!((value - whole).abs() <= 0.05 * other, "{law:?} {}: {a:?} {b:?}", a.name);
                assert!((error - other).abs() <= 0.1 * other, "{law:?} {}: {a:?} {b:?}", a.name);
            }
        }
    }
}
