//! `method = "evolution"`: the procedure of Bensoussan et al. 2021 §4.2.
//!
//! All five parameters at once by an evolutionary search from random starts, several independent runs,
//! and their mean, standard deviation (n − 1) and coefficient of variation: Table 2. The search
//! variables are the unit cube mapped to
//!
//! ```text
//! c = z₀ + βT̄      within three standard deviations of the response of its mean (T̄: middle of the drive's range)
//! β                0.2 to 5 times the slope of a straight line through response against drive
//! κ = K/K_BP       0 to 1
//! ρ = f_s/(Kβ)     R/200 to R/2, geometric (R: range of the drive)
//! 1 − f_d/f_s      0 to 1
//! ```
//!
//! from which z₀, K, f_d, f_s follow. The starting state is no parameter: it is the one that the
//! first samples show for the candidate's z₀, β and κ. No linear least squares helps here; that is
//! what `global` does better.

use stickslip::lanes::Sums;

use crate::bearing::search::global::FoundPaths;
use crate::bearing::search::linear::{Linear, Moments};
use crate::bearing::search::point::{Point, Scored, on_trend, score, seen};
use crate::bearing::search::prepared::{Prepared, Track};
use crate::parallel;
use crate::statistics::optimise::{DifferentialEvolution, Optimiser};
use crate::statistics::random::Draws;
use stickslip::portable;

/// Members of a population: a multiple of the lanes.
const MEMBERS: usize = 64;
/// Generations on the thinned record, and on the whole.
const GENERATIONS: [usize; 2] = [170, 16];
const DIMENSION: usize = 5;
/// The parameters' box, see the module.
const SLOPES: (f64, f64) = (0.2, 5.0);
const SMALLEST_RHO: f64 = 1.0 / 200.0;

/// One run's end: the path and the line, which is not the least-squares one.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The path.
    pub point: Point,
    /// c.
    pub constant: f64,
    /// β.
    pub beta: f64,
    /// κ.
    pub kappa: f64,
    /// Σ of squared errors over the whole record.
    pub rss: f64,
}

impl Outcome {
    /// The path with the run's own line, and the least-squares line's covariance.
    pub fn scored(&self, track: &Track) -> Scored {
        let mut scored = score(track, vec![self.point.clone()]).remove(0);
        // The line that the run has found, as the paper reports it, with the covariance of the best one.
        let own = [self.constant, self.beta * (1.0 - self.kappa), self.beta * self.kappa];
        scored.line = scored.line.with(own, self.rss);
        scored
    }
}

/// A candidate: the unit cube's point as parameters.
struct Candidate {
    constant: f64,
    beta: f64,
    kappa: f64,
    point: Point,
}

/// How the unit cube is mapped.
struct Box5 {
    level: f64,
    half: f64,
    slope: f64,
    range: f64,
}

impl Box5 {
    fn new(track: &Track) -> Self {
        let n = track.record.weight();
        let [_, z] = track.record.first_moments();
        let straight = straight(track);
        // Three standard deviations of the response on either side of its mean.
        let deviation = (track.record.second_moments()[2] / n).sqrt();
        Self { level: z / n, half: 3.0 * deviation, slope: straight.on_drive, range: track.range }
    }

    fn candidate(&self, track: &Track, x: &[f64]) -> Candidate {
        let constant = self.level + self.half * (2.0 * x[0] - 1.0);
        // In equal factors: β and ρ are sizes, and nothing says of which order.
        let beta = self.slope * SLOPES.0 * portable::pow(SLOPES.1 / SLOPES.0, x[1]);
        let kappa = x[2];
        let rho = 0.5 * self.range * portable::pow(2.0 * SMALLEST_RHO, 1.0 - x[3]);
        let delta = seen(2.0 * rho * x[4], track);
        // Mean lead and jump, as the search of paths has them.
        let sliding = rho - 0.5 * delta;
        let mut point = Point { sliding, delta, lattice: 0.0, starts: Vec::new().into() };
        let line = Linear {
            constant,
            on_path: beta * (1.0 - kappa),
            on_drive: beta * kappa,
            ..Linear::default()
        };
        // The state that the first samples show; with one rest position there the lattice is known.
        let blind = Scored {
            point: Point { starts: vec![0.0; track.openings.len()].into(), ..point.clone() },
            line,
            jumps: 0.0,
        };
        point.starts = blind.seen_starts(track);
        if let Some(o) = track.openings.first() {
            point.lattice = o.first + rho * point.starts[0];
        }
        Candidate { constant, beta, kappa, point }
    }
}

/// z = c + bT.
pub fn straight(track: &Track) -> Linear {
    let none = track.columns.iter().map(|_| 0.0);
    Moments::new(track, &Sums::default(), none).fit()
}

/// Errors of whole generations, in lanes.
fn errors(track: &Track, candidates: &[Candidate]) -> Vec<f64> {
    let sets: Vec<_> = candidates.iter().map(|c| c.point.thresholds()).collect();
    let start = |c: &Candidate| {
        let openings = track.openings.iter().enumerate();
        openings.map(|(s, o)| c.point.start(s, o.first)).collect::<Vec<_>>()
    };
    let starts: Vec<f64> = candidates.iter().flat_map(start).collect();
    let mut sums = vec![Sums::default(); sets.len()];
    track.record.sums(&sets, &starts, &mut sums);
    let on_trend = on_trend(track, &sets, &starts);
    let error = |(i, (c, sums)): (usize, (&Candidate, &Sums))| {
        // For the candidate's own line, which need not be the best for its path.
        let moments = Moments::new(track, sums, on_trend.iter().map(|q| q[i].xi_response));
        moments.rss(c.constant, c.beta * (1.0 - c.kappa), c.beta * c.kappa)
    };
    candidates.iter().zip(&sums).enumerate().map(error).collect()
}

/// One run: its end, and the paths tried.
fn run(prepared: &Prepared, draws: Draws) -> (Outcome, usize) {
    let rough = prepared.thin.as_ref().unwrap_or(&prepared.full);
    let cube = Box5::new(rough);
    let mut search = DifferentialEvolution::new(DIMENSION, MEMBERS, draws);
    let mut tried = 0;
    let mut stage = |search: &mut DifferentialEvolution, track: &Track, generations: usize| {
        for _ in 0..generations {
            let asked = search.ask();
            let candidates: Vec<_> = asked.iter().map(|x| cube.candidate(track, x)).collect();
            search.tell(asked, &errors(track, &candidates));
            tried += MEMBERS;
            if search.settled() {
                break;
            }
        }
    };
    stage(&mut search, rough, GENERATIONS[0]);
    if prepared.thin.is_some() {
        // The thinned record's errors mean nothing for the whole: every member starts anew there.
        search.forget();
        stage(&mut search, &prepared.full, GENERATIONS[1]);
    }
    let (x, rss) = search.best();
    let Candidate { constant, beta, kappa, point } = cube.candidate(&prepared.full, x);
    (Outcome { point, constant, beta, kappa, rss }, tried)
}

/// Independent runs in parallel, in order; then the best run's path with its least-squares line.
pub fn evolve(prepared: &Prepared, seed: u64, runs: usize) -> (Vec<Outcome>, FoundPaths) {
    let one = |i: usize| run(prepared, Draws::new(seed, 50_000 + i as u64));
    let all: Vec<(Outcome, usize)> = parallel::each(runs.max(1), one);
    let evaluations = all.iter().map(|r| r.1).sum();
    let outcomes: Vec<Outcome> = all.into_iter().map(|r| r.0).collect();
    let points = outcomes.iter().map(|o| o.point.clone()).collect();
    // The runs report their own lines; what goes on from here is the path with its best one.
    let minima = score(&prepared.full, points);
    (outcomes, FoundPaths::of(minima, evaluations))
}
