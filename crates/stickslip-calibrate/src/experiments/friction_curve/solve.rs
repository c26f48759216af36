//! Least squares of each law, with errors from leaving out one block of the record after the other.

use super::Motion;
use super::laws::{Design, Fall, Shape, Term};
use super::products::{Column, Tables, total};
use super::rows::Rows;
use crate::models::Named;
use crate::parallel;
use crate::statistics::estimate::Estimate;
use crate::statistics::memory::autocorrelation_time;
use crate::statistics::nonnegative::{Gather, Normal};
use crate::statistics::stats::{mean, student};
use stickslip::portable;

/// Speeds v_s that are tried for each exponent.
const SPEEDS: usize = 24;
/// Gauss–Newton steps after that.
const STEPS: usize = 20;
/// A column of which the others leave less than this share of its square cannot be told from them.
const PARALLEL: f64 = 1e-7;

/// A law fitted to the rows.
#[derive(Debug, Clone)]
pub struct FoundCurve {
    pub shape: Shape,
    pub terms: Vec<Term>,
    pub fall: Option<Fall>,
    pub coefficients: Vec<f64>,
    /// Terms that the record cannot tell from the ones before them.
    pub parallel: Vec<bool>,
    /// Coefficients without one of the blocks each, and ln v_s last if there is one.
    without: Vec<Vec<f64>>,
    /// Σ w r².
    pub rss: f64,
    /// Numbers that were sought.
    pub unknowns: usize,
    /// Error on the half that was not fitted, root mean square.
    pub held_out: f64,
}

/// Every law that the record can have, in the order of [`Shape::ALL`].
pub fn candidates(rows: &Rows, design: &Design) -> Vec<FoundCurve> {
    let laws: Vec<(Shape, Vec<Term>)> =
        Shape::ALL.into_iter().filter_map(|s| Some((s, design.terms(s)?))).collect();
    let mut columns: Vec<Term> = Vec::new();
    for term in laws.iter().flat_map(|(_, terms)| terms) {
        // The only one that depends on the fall.
        if *term != Term::Excess && !columns.contains(term) {
            columns.push(*term);
        }
    }
    let tables = Tables::of(rows, &columns);
    let few = rows.few();
    let few = few.as_ref().map(|rows| (rows, Tables::of(rows, &columns)));
    let few = few.as_ref().map(|(rows, tables)| (*rows, tables));
    parallel::map(laws, |(shape, terms)| fitted((rows, &tables), few, shape, terms))
}

/// Rows with their tables.
type Tabled<'a> = (&'a Rows, &'a Tables<'a>);

/// Σ w r² of a law where the effort is taken from `most` rows before to `most` rows after each row: 2 `most` + 1 numbers,
/// all of the same rows, namely those next to which so many have an effort. `None` if these are few.
pub fn shifted(rows: &Rows, law: &FoundCurve, most: usize) -> Option<Vec<f64>> {
    // The effort is that of the whole record: a row of rest next to one that counts has an effort, too.
    let all = &rows.all_efforts;
    let inner: Vec<usize> = (0..rows.index.len())
        .filter(|&n| {
            let i = rows.index[n];
            i >= most
                && i + most < all.len()
                && all[i - most..=i + most].iter().all(|e| e.is_finite())
        })
        .collect();
    // A fifth of the rows or less may be a part of the record that is unlike the rest.
    if 5 * inner.len() < rows.index.len() {
        return None;
    }
    // The columns stay, and with them their products; only the effort is shifted.
    let columns: Vec<Vec<f64>> = inner
        .iter()
        .map(|&n| law.terms.iter().map(|t| t.at(rows, n, law.fall)).collect())
        .collect();
    let mut products = Gather::new(law.terms.len());
    columns.iter().for_each(|row| products.add(row, 0.0));
    let normal = products.finish();
    let left = |late: usize| {
        let mut with = normal.clone();
        for (row, &n) in columns.iter().zip(&inner) {
            let effort = all[rows.index[n] + late - most];
            with.right.iter_mut().zip(row).for_each(|(r, value)| *r += value * effort);
            with.square += effort * effort;
        }
        missed(&with, &solved(&with).0)
    };
    Some(parallel::each(2 * most + 1, left))
}

fn fitted(
    (rows, tables): Tabled<'_>,
    few: Option<Tabled<'_>>,
    shape: Shape,
    terms: Vec<Term>,
) -> FoundCurve {
    let search = Search { rows, tables, terms: &terms };
    let few = few.map(|(rows, tables)| Search { rows, tables, terms: &terms });
    // Where v_s is searched, each half chooses its own on the grid.
    let (fall, held_out) = match shape {
        Shape::Stribeck => search.fall(few.as_ref()),
        _ => (None, search.held_out(&[search.problem(None)])),
    };
    let problem = search.problem(fall);
    let whole = total(&problem.fitted);
    let (coefficients, parallel) = solved(&whole);
    let rss = missed(&total(&problem.missed), &coefficients);
    // Sums without a block are the sums of all less its own: no row is read again.
    let without = match fall {
        None => problem.fitted.iter().map(|b| solved(&whole.plus(-1.0, b)).0).collect(),
        Some(fall) => search.without(fall, &coefficients),
    };
    FoundCurve {
        shape,
        unknowns: terms.len() + usize::from(fall.is_some()),
        terms,
        fall,
        coefficients,
        parallel,
        without,
        rss,
        held_out,
    }
}

/// The solution of normal equations, column after column; a column that those before it nearly make up gets 0 and is marked.
fn solved(normal: &Normal) -> (Vec<f64>, Vec<bool>) {
    let n = normal.right.len();
    // Columns of unit length, so that units do not decide which of them are parallel.
    let size: Vec<f64> = (0..n).map(|i| normal.product[i][i].sqrt()).collect();
    let mut a: Vec<Vec<f64>> = vec![vec![0.0; n]; n];
    let mut b = vec![0.0; n];
    for i in 0..n {
        for j in 0..n {
            let scale = size[i] * size[j];
            a[i][j] = if scale > 0.0 { normal.product[i][j] / scale } else { 0.0 };
        }
        b[i] = if size[i] > 0.0 { normal.right[i] / size[i] } else { 0.0 };
    }
    let mut dropped = vec![false; n];
    for k in 0..n {
        if a[k][k].is_nan() || a[k][k] < PARALLEL {
            dropped[k] = true;
            continue;
        }
        // Gauss and Jordan without exchange: the order of the terms decides which of two that cannot be told
        // apart is kept.
        for i in (0..n).filter(|&i| i != k) {
            let factor = a[i][k] / a[k][k];
            for j in 0..n {
                let pivot = a[k][j];
                a[i][j] -= factor * pivot;
            }
            b[i] -= factor * b[k];
        }
    }
    let value = |i: usize| if dropped[i] { 0.0 } else { b[i] / a[i][i] / size[i] };
    ((0..n).map(value).collect(), dropped)
}

/// Σ w r² of given coefficients.
fn missed(normal: &Normal, coefficients: &[f64]) -> f64 {
    let mut sum = normal.square;
    for (i, a) in coefficients.iter().enumerate() {
        sum -= 2.0 * a * normal.right[i];
        for (j, b) in coefficients.iter().enumerate() {
            sum += a * b * normal.product[i][j];
        }
    }
    // The terms cancel where little is left, and rounding may leave less than nothing.
    sum.max(0.0)
}

/// The search for v_s and δ, and what a law misses on rows that it was not fitted to.
struct Search<'a> {
    rows: &'a Rows,
    tables: &'a Tables<'a>,
    terms: &'a [Term],
}

impl Search<'_> {
    /// The fall with the least squares, and the error on the half that is not fitted.
    fn fall(&self, few: Option<&Self>) -> (Option<Fall>, f64) {
        let [slowest, fastest] = self.rows.speeds();
        // Slower than the slowest row the law cannot be seen to fall, and beyond half of the fastest it cannot be told from a line.
        let low = 0.5 * slowest.max(1e-4 * fastest);
        let high = 0.5 * fastest;
        let speed = |k: usize| low * portable::pow(high / low, k as f64 / (SPEEDS - 1) as f64);
        let tried: Vec<Fall> = [1, 2]
            .into_iter()
            .flat_map(|exponent| (0..SPEEDS).map(move |k| (k, exponent)))
            .map(|(k, exponent)| Fall { speed: speed(k), exponent })
            .collect();
        // Of very many rows some show which of these is best.
        let looks = few.unwrap_or(self);
        let all = parallel::map(tried.clone(), |fall| looks.problem(Some(fall)));
        let misses = |k: usize| {
            let whole = total(&all[k].fitted);
            missed(&whole, &solved(&whole).0)
        };
        // Both exponents are refined: their best places on the grid may lie unequally far from their minima.
        let best_of = |exponent: i32| {
            let own = (0..tried.len()).filter(|&k| tried[k].exponent == exponent);
            own.min_by(|&a, &b| misses(a).total_cmp(&misses(b)))
        };
        let refined = [1, 2].into_iter().filter_map(best_of);
        let refined = refined.map(|k| looks.refined(tried[k], [low, high]));
        let mut best = refined.min_by(|a, b| a.1.total_cmp(&b.1)).map(|b| b.0);
        if few.is_some() {
            best = best.map(|fall| self.refined(fall, [low, high]).0);
        }
        let held_out = match few {
            None => self.held_out(&all),
            // Each half has chosen by what it has of those rows, and errs by what it has of all.
            Some(_) => self.held_out_by([0, 1].map(|odd| {
                let chosen = chosen(&all, odd);
                self.problem(chosen.map(|k| tried[k]))
            })),
        };
        (best, held_out)
    }

    /// Gauss–Newton steps in ln v_s; a step that does not help is halved.
    fn refined(&self, start: Fall, [low, high]: [f64; 2]) -> (Fall, f64) {
        let at = |fall: Fall| {
            let whole = total(&self.normals(fall, None));
            let (coefficients, _) = solved(&whole);
            (missed(&whole, &coefficients), coefficients)
        };
        let mut fall = start;
        let (mut least, mut coefficients) = at(start);
        for _ in 0..STEPS {
            let column = self.bend(fall, &coefficients);
            let whole = total(&self.normals(fall, Some(&column)));
            // By a factor of two at most: further away the tangent says little.
            let mut by = solved(&whole).0.last().copied().unwrap_or(0.0).clamp(-0.7, 0.7);
            let mut moved = false;
            while by.abs() > 1e-9 {
                let speed = (fall.speed * portable::exp(by)).clamp(low, high);
                let next = Fall { speed, ..fall };
                let (value, numbers) = at(next);
                if value < least {
                    (fall, least, coefficients) = (next, value, numbers);
                    moved = true;
                    break;
                }
                by *= 0.5;
            }
            if !moved {
                break;
            }
        }
        (fall, least)
    }

    /// (F_s − F_c) ∂/∂ln v_s of the fall, for each row.
    fn bend(&self, fall: Fall, coefficients: &[f64]) -> Vec<f64> {
        let excess = self.terms.iter().position(|t| *t == Term::Excess);
        let size = excess.map_or(0.0, |k| coefficients[k]);
        let of = |v: &f64| size * fall.slope(v.abs()) * v.signum();
        self.rows.velocity.iter().map(of).collect()
    }

    /// Coefficients and ln v_s without one block each, by one Gauss–Newton step from those of all rows.
    fn without(&self, fall: Fall, coefficients: &[f64]) -> Vec<Vec<f64>> {
        // One block moves the numbers little, so that one step is enough.
        let column = self.bend(fall, coefficients);
        let all = self.normals(fall, Some(&column));
        let whole = total(&all);
        let one = |b: &Normal| {
            let mut found = solved(&whole.plus(-1.0, b)).0;
            if let Some(by) = found.last_mut() {
                *by += portable::ln(fall.speed);
            }
            found
        };
        all.iter().map(one).collect()
    }

    /// The columns of the law, that of its fall among them.
    fn columns<'c>(&self, excess: &'c [f64]) -> Vec<Column<'c>> {
        let of = |term: &Term| match term {
            Term::Excess => Column::Values(excess),
            term => Column::Of(*term),
        };
        self.terms.iter().map(of).collect()
    }

    /// The column of the fall, for each row; none where there is no fall.
    fn excess(&self, fall: Option<Fall>) -> Vec<f64> {
        let velocity = &self.rows.velocity;
        let rows = if fall.is_some() { velocity.len() } else { 0 };
        parallel::each_row(rows, |n| Term::Excess.at_speed(velocity[n], fall))
    }

    /// The normal equations of each block with this fall, and one column more.
    fn normals(&self, fall: Fall, more: Option<&[f64]>) -> Vec<Normal> {
        let excess = self.excess(Some(fall));
        let mut columns = self.columns(&excess);
        columns.extend(more.map(Column::Values));
        self.tables.fitted.normals(&columns)
    }

    /// The linear problem with this fall.
    fn problem(&self, fall: Option<Fall>) -> Problem {
        let excess = self.excess(fall);
        let columns = self.columns(&excess);
        let fitted = self.tables.fitted.normals(&columns);
        let missed = match self.tables.are_one() {
            true => fitted.clone(),
            false => self.tables.missed().normals(&columns),
        };
        Problem { fitted, missed }
    }

    /// Root mean square of what each half misses when the law is fitted to the other, by the best of these problems.
    fn held_out(&self, several: &[Problem]) -> f64 {
        let mut sum = 0.0;
        // The place on the grid is chosen by the half that is fitted: the other must have no part in it.
        for odd in [0, 1] {
            sum += chosen(several, odd).map_or(f64::NAN, |k| several[k].errs(odd));
        }
        (sum / self.rows.weight.iter().sum::<f64>()).sqrt()
    }

    /// The same by a problem for each half.
    fn held_out_by(&self, both: [Problem; 2]) -> f64 {
        let sum: f64 = [0, 1].into_iter().map(|odd| both[odd].errs(odd)).sum();
        (sum / self.rows.weight.iter().sum::<f64>()).sqrt()
    }
}

/// Normal equations by blocks: those that are solved, and those of the rows themselves, which tell what is missed.
struct Problem {
    fitted: Vec<Normal>,
    missed: Vec<Normal>,
}

/// Every other block, so that both halves reach over the whole record.
fn half(blocks: &[Normal], odd: usize) -> Normal {
    let part: Vec<Normal> = blocks.iter().skip(odd).step_by(2).cloned().collect();
    total(&part)
}

/// Which of these problems leaves least of the half that is fitted.
fn chosen(several: &[Problem], odd: usize) -> Option<usize> {
    let left = |k: &usize| several[*k].trained(odd).1;
    (0..several.len()).min_by(|a, b| left(a).total_cmp(&left(b)))
}

impl Problem {
    /// The numbers of the half that is fitted, and what they leave of it.
    fn trained(&self, odd: usize) -> (Vec<f64>, f64) {
        let train = half(&self.fitted, odd);
        let numbers = solved(&train).0;
        let left = missed(&train, &numbers);
        (numbers, left)
    }

    /// What these numbers miss of the other half.
    fn errs(&self, odd: usize) -> f64 {
        missed(&half(&self.missed, 1 - odd), &self.trained(odd).0)
    }
}

impl FoundCurve {
    /// Rows whose residuals count as one.
    pub fn together(&self, rows: &Rows) -> f64 {
        // Dwells have no neighbours in time.
        if rows.in_time { autocorrelation_time(&[self.residuals(rows)]) } else { 1.0 }
    }

    /// Measured less fitted, for each row that counts.
    pub fn residuals(&self, rows: &Rows) -> Vec<f64> {
        (0..rows.index.len()).map(|n| rows.effort[n] - self.sum(rows, n, |_| true)).collect()
    }

    /// Measured less fitted for each of other rows, to which the coefficients are fitted anew, with the fall as it is.
    pub fn refitted(&self, rows: &Rows) -> Vec<f64> {
        let columns: Vec<Vec<f64>> = (0..rows.index.len())
            .map(|n| self.terms.iter().map(|t| t.at(rows, n, self.fall)).collect())
            .collect();
        let mut products = Gather::new(self.terms.len());
        columns.iter().zip(&rows.effort).for_each(|(row, effort)| products.add(row, *effort));
        let numbers = solved(&products.finish()).0;
        let sum = |row: &Vec<f64>| row.iter().zip(&numbers).map(|(a, b)| a * b).sum::<f64>();
        columns.iter().zip(&rows.effort).map(|(row, effort)| effort - sum(row)).collect()
    }

    fn sum(&self, rows: &Rows, n: usize, of: impl Fn(Term) -> bool) -> f64 {
        let both = self.terms.iter().zip(&self.coefficients).filter(|(t, _)| of(**t));
        both.map(|(t, c)| c * t.at(rows, n, self.fall)).sum()
    }

    /// The inertia, or 0 where none was fitted.
    pub fn inertia(&self) -> f64 {
        let both = self.terms.iter().zip(&self.coefficients);
        both.filter(|(t, _)| **t == Term::Inertia).map(|(_, c)| *c).sum()
    }

    /// Inertia, gravity and offset at a row.
    pub fn besides_friction(&self, rows: &Rows, n: usize) -> f64 {
        self.sum(rows, n, |t| !t.is_friction())
    }

    /// The friction of the law over the range of velocities, without what load and temperature change in it.
    pub fn curve(&self, rows: &Rows, design: &Design) -> Vec<(f64, f64)> {
        const POINTS: i32 = 120;
        let [slowest, fastest] = rows.speeds();
        let force = |v: f64| {
            let both = self.terms.iter().zip(&self.coefficients);
            both.map(|(t, c)| c * t.at_speed(v, self.fall)).sum::<f64>()
        };
        // Points lie closer together at low speed, where laws bend.
        let speed =
            |k: i32| slowest + (fastest - slowest) * f64::from(k * k) / f64::from(POINTS * POINTS);
        let forwards = (0..=POINTS).map(speed);
        let backwards = (0..=POINTS).rev().map(|k| -speed(k));
        let all: Vec<f64> = match (design.one_way, rows.forwards() > 0.5) {
            (true, true) => forwards.collect(),
            (true, false) => backwards.collect(),
            (false, _) => backwards.chain(forwards).collect(),
        };
        all.into_iter().map(|v| (v, force(v))).collect()
    }

    /// A number that is made of the coefficients and ln v_s, with its error.
    fn estimate(&self, unit: &'static str, of: impl Fn(&[f64]) -> f64) -> Estimate {
        let mut all = self.coefficients.clone();
        all.extend(self.fall.map(|f| portable::ln(f.speed)));
        let value = of(&all);
        let others: Vec<f64> = self.without.iter().map(|w| of(w)).collect();
        // Two blocks or fewer give no scatter to speak of.
        let count = others.len();
        if count < 3 {
            return Estimate::unknown(unit, "the record has too few rows to tell how sure it is");
        }
        let middle = mean(&others);
        // The jackknife's variance for leaving out one of so many blocks (Künsch 1989).
        let variance: f64 = others.iter().map(|v| (v - middle).powi(2)).sum();
        let error = (variance * (count - 1) as f64 / count as f64).sqrt();
        let t = student(count - 1);
        Estimate::within(value, error, [value - t * error, value + t * error], unit)
    }

    /// Whether friction is left as the speed goes to 0: the dry part, with what falls off added to it, exceeds so many of its standard
    /// errors.
    pub fn is_dry(&self, errors: f64) -> bool {
        let dry = |t: &Term| matches!(t, Term::Coulomb | Term::Excess);
        let at: Vec<usize> = (0..self.terms.len()).filter(|k| dry(&self.terms[*k])).collect();
        let sum = |c: &[f64]| at.iter().map(|k| c[*k]).sum::<f64>();
        let error = self.estimate("", sum).stderr.unwrap_or(0.0);
        sum(&self.coefficients) > errors * error
    }

    fn of_term(&self, k: usize, motion: Motion) -> Estimate {
        let term = self.terms[k];
        if self.parallel[k] {
            let before = self.terms[..k].iter().map(|t| t.name()).collect::<Vec<_>>().join(", ");
            let why = format!("in this record it cannot be told apart from {before}");
            return Estimate::unknown(term.unit(motion), why);
        }
        self.estimate(term.unit(motion), |c| c[k])
    }

    /// All numbers by name.
    pub fn parameters(&self, rows: &Rows, design: &Design, motion: Motion) -> Vec<Named> {
        let mut all = Vec::new();
        let mut add = |name: &str, estimate| all.push(Named { name: name.to_owned(), estimate });
        let force = Term::Coulomb.unit(motion);
        for (k, term) in self.terms.iter().enumerate() {
            let found = self.of_term(k, motion);
            match term {
                Term::Coulomb if design.one_speed => {
                    let why = "all rows have nearly one speed, at which dry and viscous friction are one number";
                    add("coulomb", Estimate::unknown(force, why));
                    add("viscous", Estimate::unknown(Term::Viscous.unit(motion), why));
                    add(if design.one_way { "friction_and_offset" } else { "friction" }, found);
                }
                Term::Coulomb if design.one_way => {
                    let why = "the joint moves one way only, so that dry friction and a constant effort are one number";
                    add("coulomb", Estimate::unknown(force, why));
                    add("coulomb_and_offset", found);
                }
                Term::Excess => {
                    // F_s is the sum of two numbers that are strongly correlated: the blocks are left out of
                    // the sum, not of each.
                    let dry = self.terms.iter().position(|t| *t == Term::Coulomb).unwrap_or(0);
                    add(
                        "static",
                        self.estimate(force, |c| c[dry] + c[k]).unless_slow(self, rows, force),
                    );
                    let unit = match motion {
                        Motion::Translation => "m/s",
                        Motion::Rotation => "rad/s",
                    };
                    let last = self.terms.len();
                    let speed = self.estimate(unit, |c| portable::exp(c[last]));
                    add("stribeck_velocity", speed.unless_vague());
                }
                _ => add(term.name(), found),
            }
        }
        all
    }
}

impl Estimate {
    /// The friction at rest is an extrapolation: unknown where no row is slower than the speed over which the friction falls.
    fn unless_slow(self, found: &FoundCurve, rows: &Rows, unit: &'static str) -> Self {
        let [slowest, _] = rows.speeds();
        match found.fall {
            Some(fall) if slowest > fall.speed => {
                let why = format!(
                    "the slowest row moves at {slowest:.3e}, and the friction falls within {:.3e}: the friction at rest is not seen",
                    fall.speed
                );
                Self::unknown(unit, why)
            }
            _ => self,
        }
    }
}
