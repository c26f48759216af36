//! What the instants of the slips say about the thresholds when the drive is not known exactly.
//!
//! Least squares charges a slip that comes a row early or late with the square of a whole jump, though a little noise
//! of the drive is enough to cause it: its intervals are then far too narrow. Where the response shows at which level n the
//! slider rests (`levels`), the likelihood can be written down instead. The bearing slips by T + e, with e normal of
//! standard deviation σ and independent from row to row. With y = (ρ_d, δ, ℓ) and
//!
//! ```text
//! U(n) = ℓ + δ(n + ½) + ρ_d,    D(n) = ℓ + δ(n − ½) − ρ_d
//! ```
//!
//! a row at which it stays at n has the probability Φ((U(n) − T)/σ) Φ((T − D(n))/σ), one at which it slips from n up to n + k
//! Φ((T − U(n + k − 1))/σ) Φ((U(n + k) − T)/σ), and down likewise: a probit regression (Bliss 1934) in y and σ. A
//! time constant or a shift that is fitted enters as T + θ ∂T/∂θ. The likelihood, with a flat prior in y, σ and θ, is sampled by an
//! ensemble of walkers (Goodman and Weare 2010; ter Braak 2006).
//!
//! The prior of σ matters. With twenty slips the three thresholds can often be chosen so that no row contradicts them, though the
//! noise is 0.1 °C. The likelihood is then as large as it can be for every σ below the smallest margin; with a prior that is flat in ln σ those
//! many orders of magnitude outweigh the true one, and the intervals are those of a drive without noise.

use crate::bearing::intervals::levels::{Levels, levels};
use crate::bearing::intervals::sizes::Excess;
use crate::bearing::intervals::uncertainty::Spread;
use crate::bearing::search::linear::Linear;
use crate::bearing::search::point::{Point, Scored};
use crate::bearing::search::prepared::{Prepared, Sampled};
use crate::parallel;
use crate::statistics::random::Draws;
use crate::statistics::stats::{median, quantile, sd};
use stickslip::numeric::erfc;
use stickslip::portable;

/// Rests beyond which the instants of slips are certain enough; and beyond which the nearest rows of each are.
const MOST: usize = 4000;
const MANY: usize = 800;
/// Rows of a rest that come nearest to slipping up, and as many to slipping down.
const NEAREST: usize = 6;
/// ln of the probability that a row is as it is for another reason.
const OTHERWISE: f64 = -9.0;
/// Walkers, in two halves, and their sweeps: on the way, kept.
const WALKERS: usize = 20;
const HALF: usize = WALKERS / 2;
const SWEEPS: [usize; 2] = [120, 160];
/// The walkers have settled if half of them are no further below the best than this.
const SETTLED: f64 = 8.0;
/// Largest stretch, and the share of moves that are differences of others.
const STRETCH: f64 = 2.0;
const DIFFERENCES: f64 = 0.6;
/// From so many bounds on the walkers of a half are moved in parallel.
const PARALLEL: usize = 4000;
/// Beyond so many standard deviations a probability is 1.
const CERTAIN: f64 = 6.0;
/// Below so many it is less than that of another reason.
const HARDLY: f64 = -4.0;
/// The table has so many places to a standard deviation.
const PLACES: usize = 64;
/// Bounds between two looks at the sum.
const AT_ONCE: usize = 32;
/// The smallest noise that is looked at, as a share of ρ, and the largest, as a share of δ.
const SMALLEST: f64 = 1e-4;
const LARGEST: f64 = 1.0 / 3.0;

/// (ρ_d, δ, ℓ, ln σ, θ).
type Place = [f64; 5];

/// sign · (along · ρ_d + levels · δ + ℓ − T − rate · θ) > 0, but for the noise.
struct Bound {
    sign: f64,
    along: f64,
    levels: f64,
    drive: f64,
    rate: f64,
}

impl Bound {
    fn margin(&self, y: &Place) -> f64 {
        let threshold = self.along * y[0] + self.levels * y[1] + y[2];
        self.sign * (threshold - self.drive - self.rate * y[4])
    }
}

/// What the instants of the slips say.
#[derive(Debug, Clone)]
pub struct Timing {
    /// Paths, equally weighted.
    pub draws: Vec<Scored>,
    /// The noise of the drive, in its unit: the middle of its distribution.
    pub sigma: f64,
    /// Variance of a residual about the rests, times its autocorrelation time.
    pub variance: f64,
    /// Standard deviation and 95 % interval of θ, as an excess over the value that is fitted, s.
    pub number: Excess,
}

/// What is known besides the record.
pub struct Known<'a> {
    /// The noise of the drive, if it was stated.
    pub sigma: Option<f64>,
    /// ∂T/∂θ at every sample, and the standard deviation of θ so far; empty: no θ.
    pub rate: &'a [f64],
    /// See there.
    pub spread: f64,
    /// Whether rows are means: then the response shows one level for each of them, and the drive what happens between.
    pub means: bool,
    /// Seed of the walkers.
    pub seed: u64,
}

/// Samples the likelihood of the slips' instants around the best path; `None` where the response does not show them.
pub fn timing(prepared: &Prepared, spread: &Spread, known: &Known) -> Option<Timing> {
    let sampled = prepared.light();
    let centre = &spread.centre;
    let levels = levels(&sampled, centre)?;
    let (bounds, rests) = match known.means {
        true => bounds_of_means(&sampled, &levels.of, &centre.point),
        false => bounds(&sampled, &levels.of, &centre.point, known.rate),
    };
    // Fewer rests do not determine ρ, δ and the lattice; with more than MOST least squares is certain enough by itself.
    if !(3..=MOST).contains(&rests) {
        return None;
    }
    let sampler = Sampler::new(bounds, centre, known);
    Some(summary(&sampler.run(&spread.draws)?, centre, &levels))
}

/// Where a path lies, with θ = 0.
fn place(point: &Point) -> Place {
    [point.sliding, point.delta, point.lattice, 0.0, 0.0]
}

/// What the levels of the samples say of the thresholds, and the number of rests.
fn bounds(sampled: &Sampled, of: &[i32], point: &Point, rate: &[f64]) -> (Vec<Bound>, usize) {
    let begin = place(point);
    let rate = |i: usize| rate.get(i).copied().unwrap_or(0.0);
    let mut bounds = Vec::new();
    let mut rest: Vec<Bound> = Vec::new();
    let mut rests = 0;
    let mut unseen = false;
    let slips = of.windows(2).filter(|w| w[0] != w[1]).count();
    let nearest = if slips > MANY { 1 } else { NEAREST };
    for (i, &(drive, _, weight)) in sampled.samples.iter().enumerate() {
        let now = of[i];
        let fresh = sampled.starts.binary_search(&i).is_ok();
        // A stretch begins with a rest, at which nothing has slipped.
        let by = if fresh { 0 } else { now - of[i - 1] };
        if fresh || by != 0 {
            rests += 1;
            keep_nearest(&mut rest, nearest, &begin, &mut bounds);
        }
        let bound = |sign, along: f64, half: f64| {
            let levels = f64::from(now) + half;
            Bound { sign, along, levels, drive, rate: rate(i) }
        };
        // Where the response was missing, nobody knows at which row it slipped.
        if by == 0 && !fresh {
            rest.extend([bound(1.0, 1.0, 0.5), bound(-1.0, -1.0, -0.5)]);
        } else if by > 0 && !unseen {
            bounds.extend([bound(-1.0, 1.0, -0.5), bound(1.0, 1.0, 0.5)]);
        } else if by < 0 && !unseen {
            bounds.extend([bound(1.0, -1.0, 0.5), bound(-1.0, -1.0, -0.5)]);
        }
        unseen = weight == 0.0;
    }
    keep_nearest(&mut rest, nearest, &begin, &mut bounds);
    (bounds, rests)
}

/// The same of rows that are means: between one that shows a level and the next the drive went beyond the thresholds that lie between their
/// levels at its greatest or least, and not beyond the one after.
fn bounds_of_means(sampled: &Sampled, of: &[i32], point: &Point) -> (Vec<Bound>, usize) {
    let begin = place(point);
    let samples = sampled.samples;
    let mut bounds = Vec::new();
    let mut rest = Vec::new();
    let mut rests = 1;
    let shown: Vec<usize> = (0..samples.len()).filter(|i| samples[*i].2 > 0.0).collect();
    let slips = shown.windows(2).filter(|w| of[w[0]] != of[w[1]]).count();
    let nearest = if slips > MANY { 1 } else { NEAREST };
    for pair in shown.windows(2) {
        let before = of[pair[0]];
        let now = of[pair[1]];
        let between = pair[0] + 1..pair[1] + 1;
        if sampled.starts.iter().any(|s| between.contains(s)) {
            rests += 1;
            keep_nearest(&mut rest, nearest, &begin, &mut bounds);
            continue;
        }
        let drives = samples[between].iter().map(|s| s.0);
        let least = drives.clone().fold(f64::INFINITY, f64::min);
        let most = drives.fold(f64::NEG_INFINITY, f64::max);
        let bound = |sign, along: f64, half: f64, drive| {
            let levels = f64::from(now) + half;
            Bound { sign, along, levels, drive, rate: 0.0 }
        };
        let stays = [bound(1.0, 1.0, 0.5, most), bound(-1.0, -1.0, -0.5, least)];
        if now == before {
            rest.extend(stays);
            continue;
        }
        rests += 1;
        keep_nearest(&mut rest, nearest, &begin, &mut bounds);
        let [up, down] = stays;
        bounds.extend(match now > before {
            true => [bound(-1.0, 1.0, -0.5, most), up],
            false => [bound(1.0, -1.0, 0.5, least), down],
        });
    }
    keep_nearest(&mut rest, nearest, &begin, &mut bounds);
    (bounds, rests)
}

/// The bounds of a rest that are nearest to be broken, up and down.
fn keep_nearest(rest: &mut Vec<Bound>, count: usize, at: &Place, into: &mut Vec<Bound>) {
    // Up and down apart: a rest at which the drive only rose says nothing about slipping down.
    for along in [1.0, -1.0] {
        let mut side: Vec<Bound> = Vec::new();
        let mut others = Vec::new();
        for bound in rest.drain(..) {
            if bound.along == along { side.push(bound) } else { others.push(bound) }
        }
        *rest = others;
        side.sort_by(|a, b| a.margin(at).total_cmp(&b.margin(at)));
        into.extend(side.into_iter().take(count));
    }
    rest.clear();
}

struct Sampler<'a> {
    /// sign · (along, levels, 1, drive, rate) of every bound, side by side; those that are nearest to be broken at the centre
    /// come first.
    bounds: [Vec<f64>; 5],
    /// Their margins there.
    margins: Vec<f64>,
    /// The largest of their levels and rates.
    largest: [f64; 2],
    centre: &'a Scored,
    known: &'a Known<'a>,
    table: &'static Table,
}

impl<'a> Sampler<'a> {
    fn new(mut bounds: Vec<Bound>, centre: &'a Scored, known: &'a Known<'a>) -> Self {
        let at = place(&centre.point);
        bounds.sort_by(|a, b| a.margin(&at).total_cmp(&b.margin(&at)));
        let margins = bounds.iter().map(|b| b.margin(&at)).collect();
        let largest = |of: fn(&Bound) -> f64| bounds.iter().map(of).fold(0.0, f64::max);
        let largest = [largest(|b| b.levels.abs()), largest(|b| b.rate.abs())];
        let numbers: [fn(&Bound) -> f64; 5] =
            [|b| b.along, |b| b.levels, |_| 1.0, |b| b.drive, |b| b.rate];
        let bounds = numbers.map(|of| bounds.iter().map(|b| b.sign * of(b)).collect());
        Self { bounds, margins, largest, centre, known, table: Table::get() }
    }

    /// How many bounds may be broken at y: the others have the probability 1.
    fn near(&self, y: &Place) -> usize {
        let at = place(&self.centre.point);
        let by: Place = std::array::from_fn(|i| (y[i] - at[i]).abs());
        let [levels, rate] = self.largest;
        // How far any margin can have moved since the centre, so that the sorted list is cut without looking at each.
        let shift = by[0] + levels * by[1] + by[2] + rate * by[4];
        let far = shift + 1.001 * CERTAIN * portable::exp(y[3]);
        self.margins.partition_point(|margin| *margin <= far)
    }

    /// The margins of some bounds, by [`Bound::margin`] to the bit, times `sharp`.
    fn margins(&self, from: usize, y: &Place, sharp: f64, out: &mut [f64]) {
        let [along, levels, one, drive, rate] =
            self.bounds.each_ref().map(|all| &all[from..][..out.len()]);
        for (i, v) in out.iter_mut().enumerate() {
            let threshold = along[i] * y[0] + levels[i] * y[1] + one[i] * y[2];
            *v = sharp * (threshold - drive[i] - rate[i] * y[4]);
        }
    }

    /// ln σ, from and to.
    fn range(&self) -> [f64; 2] {
        let set = self.centre.point.thresholds();
        match self.known.sigma {
            // A noise that was stated is a range of one point.
            Some(sigma) => [portable::log(sigma.max(SMALLEST * set.rho)); 2],
            None => [portable::log(SMALLEST * set.rho), portable::log(LARGEST * set.delta)],
        }
    }

    /// ln of the likelihood; −∞ as soon as it is seen to lie below `least`.
    fn likelihood(&self, y: &Place, least: f64) -> f64 {
        let [low, high] = self.range();
        let inside = y[0] >= 0.0 && y[1] > 0.0 && (low - 1e-12..=high + 1e-12).contains(&y[3]);
        if !inside {
            return f64::NEG_INFINITY;
        }
        let sharp = portable::exp(-y[3]);
        // Flat in σ, for walkers in ln σ.
        let prior = if low < high { y[3] } else { 0.0 };
        let mut sum = 0.0;
        let near = self.near(y);
        for from in (0..near).step_by(AT_ONCE) {
            let mut room = [0.0; AT_ONCE];
            let values = &mut room[..AT_ONCE.min(near - from)];
            self.margins(from, y, sharp, values);
            values.iter_mut().for_each(|v| *v = self.table.at(*v));
            sum += values.iter().sum::<f64>();
            // No bound adds anything.
            if sum + prior < least {
                return f64::NEG_INFINITY;
            }
        }
        sum + prior
    }

    /// Walkers begin at draws from the least-squares likelihood.
    fn begin(&self, all: &[Scored], draws: &mut Draws) -> Vec<Place> {
        let centre = &self.centre.point;
        let [low, high] = self.range();
        // A tenth of what least squares leaves open, for walkers must not lie in a plane.
        let of = |f: fn(&Point) -> f64| {
            let values: Vec<f64> = all.iter().map(|s| f(&s.point)).collect();
            0.1 * sd(&values).clamp(1e-5 * centre.delta, 0.1 * centre.delta)
        };
        let jitter = [of(|p| p.sliding), of(|p| p.delta)];
        (0..WALKERS)
            .map(|i| {
                let p = all.get(i * all.len() / WALKERS).map_or(centre, |s| &s.point);
                let near = if (p.delta / centre.delta - 1.0).abs() < 0.05 { p } else { centre };
                // Its levels may be counted from another rest.
                let apart = ((centre.lattice - near.lattice) / near.delta).round();
                let mut about = |value: f64, scale: f64| value + scale * draws.normal();
                [
                    about(near.sliding, jitter[0]).abs(),
                    about(near.delta, jitter[1]),
                    about(near.lattice + apart * near.delta, jitter[0]),
                    high - 0.5 * draws.unit() * (high - low),
                    self.known.spread * draws.normal(),
                ]
            })
            .collect()
    }

    /// The likelihood of places, in order, of which each is looked at as long as it may be above a limit.
    fn all(&self, moves: Vec<(Place, f64)>) -> Vec<(Place, f64)> {
        let one = |(y, least)| (y, self.likelihood(&y, least));
        if self.margins.len() > PARALLEL {
            parallel::map(moves, one)
        } else {
            moves.into_iter().map(one).collect()
        }
    }

    /// The kept places; `None` if the walkers have not settled.
    fn run(&self, all: &[Scored]) -> Option<Vec<Place>> {
        let mut draws = Draws::new(self.known.seed, 90_000);
        // Only numbers that move count in the dimension of the stretch.
        let free =
            3 + usize::from(self.known.sigma.is_none()) + usize::from(self.known.spread > 0.0);
        let mut walkers = self.begin(all, &mut draws);
        let mut values: Vec<f64> =
            walkers.iter().map(|y| self.likelihood(y, f64::NEG_INFINITY)).collect();
        let mut kept = Vec::with_capacity(WALKERS * SWEEPS[1]);
        let mut below = Vec::with_capacity(WALKERS * SWEEPS[1]);
        for sweep in 0..SWEEPS[0] + SWEEPS[1] {
            for half in [0, HALF] {
                let moves: Vec<(Place, f64)> =
                    (0..HALF).map(|l| proposed(&walkers, half, l, free, &mut draws)).collect();
                // A move is accepted with the probability factor · exp(value − value before): from which value on?
                let limits = moves.into_iter().zip(&values[half..]);
                let limits = limits
                    .map(|((y, factor), value)| (y, value + portable::log(draws.unit() / factor)));
                let limits: Vec<(Place, f64)> = limits.collect();
                let least: [f64; HALF] = std::array::from_fn(|l| limits[l].1);
                for (l, (y, value)) in self.all(limits).into_iter().enumerate() {
                    if value > least[l] {
                        (walkers[half + l], values[half + l]) = (y, value);
                    }
                }
            }
            // Half-way, so that those that start again have time to spread.
            if sweep == SWEEPS[0] / 2 {
                rescue(&mut walkers, &mut values);
            }
            if sweep >= SWEEPS[0] {
                kept.extend(walkers.iter().copied());
                below.extend(values.iter().copied());
            }
        }
        // Walkers that are still far below the best are on their way: their places are not draws.
        let best = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (best - median(&mut below) < SETTLED).then_some(kept)
    }
}

/// Where walker `l` of the half that begins at `half` may go, and by what the acceptance is multiplied: along the line to a
/// walker of the other half, or by the difference of two of those.
fn proposed(
    walkers: &[Place],
    half: usize,
    l: usize,
    free: usize,
    draws: &mut Draws,
) -> (Place, f64) {
    let own = &walkers[half + l];
    let mut other = || (draws.unit() * HALF as f64) as usize;
    // The second is never the first: the difference of a walker to itself would be no move.
    let first = other();
    let step = 1 + other() % (HALF - 1);
    let at = |l: usize| &walkers[HALF - half + l % HALF];
    let a = at(first);
    let b = at(first + step);
    if draws.unit() < DIFFERENCES {
        // Now and then from one valley to another.
        let far = draws.unit() < 0.1;
        // 2.38/√(2d) of d numbers (ter Braak 2006).
        let scale = if far { 1.0 } else { 1.68 / (free as f64).sqrt() };
        return (std::array::from_fn(|i| own[i] + scale * (a[i] - b[i])), 1.0);
    }
    // Goodman and Weare's density 1/√z on [½, 2], and their factor z^(d−1).
    let root = 1.0 + (STRETCH - 1.0) * draws.unit();
    let by = root * root / STRETCH;
    (std::array::from_fn(|i| a[i] + by * (own[i] - a[i])), by.powi(free as i32 - 1))
}

/// Walkers far below the best start again from it.
fn rescue(walkers: &mut [Place], values: &mut [f64]) {
    let best = (0..values.len()).max_by(|a, b| values[*a].total_cmp(&values[*b]));
    let Some(best) = best else { return };
    let mut good: Vec<usize> =
        // e⁻¹² of the best is no place where a draw would be.
        (0..values.len()).filter(|&i| values[i] > values[best] - 12.0).collect();
    good.sort_by(|a, b| values[*b].total_cmp(&values[*a]));
    let bad: Vec<usize> = (0..values.len()).filter(|i| !good.contains(i)).collect();
    for (k, i) in bad.into_iter().enumerate() {
        let from = good[k % good.len()];
        (walkers[i], values[i]) = (walkers[from], values[from]);
    }
}

/// ln Φ(v), for v that are not so far below 0 that Φ vanishes.
fn log_normal(v: f64) -> f64 {
    if v > CERTAIN {
        return 0.0;
    }
    let tail = 0.5 * erfc(v.abs() * std::f64::consts::FRAC_1_SQRT_2);
    if v < 0.0 { portable::log(tail) } else { portable::ln_1p(-tail) }
}

/// max(ln Φ(v), `OTHERWISE`), by third-order interpolation between values and slopes, as exact as [`log_normal`]: the
/// coefficients from each place to the next, and 0 from the last on.
struct Table(Vec<[f64; 4]>);

impl Table {
    fn get() -> &'static Self {
        static TABLE: std::sync::OnceLock<Table> = std::sync::OnceLock::new();
        TABLE.get_or_init(|| {
            let places = (CERTAIN - HARDLY) as usize * PLACES;
            let step = 1.0 / PLACES as f64;
            let at = |i: usize| {
                let v = HARDLY + step * i as f64;
                let value = log_normal(v);
                // φ(v)/Φ(v), over one step.
                let density = portable::exp(-0.5 * v * v) / (2.0 * std::f64::consts::PI).sqrt();
                [value, step * density / portable::exp(value)]
            };
            let between = |i: usize| {
                let [a, da] = at(i);
                let [b, db] = at(i + 1);
                [a, da, 3.0 * (b - a) - 2.0 * da - db, 2.0 * (a - b) + da + db]
            };
            Self((0..places).map(between).chain([[0.0; 4]]).collect())
        })
    }

    /// Without a branch: half of all bounds lie beyond an end, and none says so before.
    #[inline(always)]
    fn at(&self, v: f64) -> f64 {
        let last = self.0.len() - 1;
        let place = ((v - HARDLY) * PLACES as f64).clamp(0.0, last as f64);
        let i = place as u32;
        let x = place - f64::from(i);
        let [a, b, c, d] = self.0[(i as usize).min(last)];
        (a + x * (b + x * (c + x * d))).max(OTHERWISE)
    }
}

/// Paths and lines of the places.
fn summary(kept: &[Place], centre: &Scored, levels: &Levels) -> Timing {
    let point = &centre.point;
    let line = &centre.line;
    let draws = kept
        .iter()
        .map(|y| {
            let [sliding, delta, lattice, ..] = *y;
            let ratio = delta / point.delta;
            // The response shows aδ, so that a follows from the δ of the draw.
            let on_path = levels.step / delta;
            let line = Linear {
                constant: levels.constant - on_path * lattice,
                on_path,
                on_drive: levels.on_drive,
                // ξ = ℓ + δn instead of the ξ of the best path.
                mean_path: lattice + ratio * (line.mean_path - point.lattice),
                inverse: [
                    line.inverse[0] / (ratio * ratio),
                    line.inverse[1] / ratio,
                    line.inverse[2],
                ],
                ..*line
            };
            let starts = point.starts.clone();
            Scored { point: Point { sliding, delta, lattice, starts }, line, jumps: centre.jumps }
        })
        .collect();
    let sigma = portable::exp(median(&mut kept.iter().map(|y| y[3]).collect::<Vec<_>>()));
    let mut number: Vec<f64> = kept.iter().map(|y| y[4]).collect();
    number.sort_unstable_by(f64::total_cmp);
    let ends = [quantile(&number, 0.025), quantile(&number, 0.975)];
    Timing { draws, sigma, variance: levels.variance, number: (sd(&number), ends) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip::lanes::SlipPath;

    /// Temperatures that a bearing has felt, with noise of 0.1 in what was read, and the rests it took: ρ = 5, δ = 1.5.
    fn felt(seed: u64) -> (Vec<(f64, f64, f64)>, Vec<i32>) {
        let mut draws = Draws::new(seed, 1);
        let mut path = SlipPath { rho: 5.0, delta: 1.5, xi: 0.0 };
        let mut weather = 0.0;
        (0..1500)
            .map(|i| {
                let hour = f64::from(i);
                weather = 0.99 * weather + 0.35 * draws.normal();
                let t = 4.0 * (0.004 * hour).sin() + 3.0 * (0.2618 * hour).sin() + weather;
                path.advance(t);
                ((t + 0.1 * draws.normal(), 0.0, 1.0), (path.xi / 1.5).round() as i32)
            })
            .unzip()
    }

    /// Intervals of both thresholds from the instants alone hold the truth as often as they say: 114 of 120, less three
    /// standard deviations. (A prior that is flat in ln σ, and a third of the sweeps: see the module.)
    #[test]
    fn intervals_from_instants_hold_the_truth() {
        let records = 120;
        let known = Known { sigma: None, rate: &[], spread: 0.0, means: false, seed: 3 };
        let point = Point { sliding: 4.25, delta: 1.5, lattice: 0.0, starts: vec![0.0].into() };
        let centre = Scored { point, line: Linear::default(), jumps: 20.0 };
        let mut inside = [0; 2];
        for seed in 0..records {
            let (samples, levels) = felt(seed);
            let sampled = Sampled { samples: &samples, times: &[], starts: &[0], columns: &[] };
            let (bounds, _) = bounds(&sampled, &levels, &centre.point, &[]);
            let sampler = Sampler::new(bounds, &centre, &known);
            let kept = sampler.run(&[centre.clone(), centre.clone()]).unwrap();
            for (k, truth) in [4.25, 1.5].into_iter().enumerate() {
                let mut all: Vec<f64> = kept.iter().map(|y| y[k]).collect();
                all.sort_unstable_by(f64::total_cmp);
                inside[k] +=
                    i32::from(quantile(&all, 0.025) <= truth && truth <= quantile(&all, 0.975));
            }
        }
        println!("{inside:?} of {records}");
        assert!(inside.iter().all(|&n| n >= 107), "{inside:?}");
    }

    #[test]
    fn logarithm_of_the_normal_distribution() {
        // Abramowitz and Stegun 1964, tables 26.1 and 26.2.
        let known = [(0.0, 0.5), (1.0, 0.841_344_746), (-1.0, 0.158_655_254), (-3.0, 1.349_898e-3)];
        for (v, p) in known {
            assert!((log_normal(v) - f64::ln(p)).abs() < 1e-6, "{v}");
        }
        assert!((log_normal(-5.0) + 15.064_998).abs() < 1e-5 && log_normal(9.0) == 0.0);
    }

    #[test]
    fn the_table_is_the_logarithm_between_its_ends() {
        let table = Table::get();
        for i in -700..700 {
            let v = 0.01 * f64::from(i) + 1e-3;
            let exact = log_normal(v).max(OTHERWISE);
            assert!((table.at(v) - exact).abs() < 1e-7, "{v}: {} {exact}", table.at(v));
        }
    }
}
