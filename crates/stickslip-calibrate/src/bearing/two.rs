//! A path whose thresholds change at one instant, and its search.

use std::sync::Arc;

use stickslip::lanes::{SlipPath, Sums};

use crate::bearing::intervals::profile::LIMIT;
use crate::bearing::search::linear::{Linear, Moments};
use crate::bearing::search::point::{Point, Scored, sums};
use crate::bearing::search::prepared::{Sampled, Track, openings};
use crate::statistics::random::Draws;
use stickslip::portable;

/// Ratios: from 1/2 to 2, so many, and lattices for each.
const RATIOS: usize = 47;
const LATTICES: usize = 6;
/// How long a path is refined.
const GENERATIONS: usize = 24;
const SIZE: usize = 32;
/// Generations after which a path that is still hopeless is given up.
const TRIED: usize = 5;
/// The first step away from the best ratio, its growth from step to step, and steps at most.
const FIRST_STEP: f64 = 0.004;
const GROWTH: f64 = 1.25;
const STEPS: u64 = 24;
/// Steps beyond the limit of D after which no other valley is looked for, and the multiple of the limit beyond which there is none.
const WALLS: u32 = 3;
const HIGH: f64 = 20.0;

/// A record in two parts.
pub struct Split {
    /// The first sample of the second.
    at: usize,
    /// The part with more samples, whose thresholds are known better.
    longer: usize,
    parts: [Track; 2],
}

/// Thresholds before, and their ratio, lattice and starts after.
#[derive(Debug, Clone)]
pub struct Two {
    /// Before.
    pub before: Point,
    /// Friction after over that before.
    pub ratio: f64,
    /// One rest after.
    pub lattice: f64,
    /// The starting states after.
    pub starts: Arc<[f64]>,
    /// The common line.
    pub line: Linear,
}

/// How a path with a change is refined.
#[derive(Debug, Clone, Copy)]
pub struct Steps {
    /// Whether the ratio is kept.
    fixed: bool,
    /// A path whose squared error stays above this is given up.
    hopeless: f64,
}

impl Steps {
    /// All numbers are free.
    pub const FREE: Self = Self { fixed: false, hopeless: f64::INFINITY };
    /// The ratio is kept.
    pub const FIXED: Self = Self { fixed: true, hopeless: f64::INFINITY };

    /// All numbers are free, until the squared error is seen to stay above a limit.
    pub const fn below(hopeless: f64) -> Self {
        Self { fixed: false, hopeless }
    }
}

impl Two {
    /// The path after the change.
    pub fn after(&self) -> Point {
        Point {
            sliding: self.ratio * self.before.sliding,
            delta: self.ratio * self.before.delta,
            lattice: self.lattice,
            starts: self.starts.clone(),
        }
    }
}

impl Split {
    /// The second part begins at sample `at`.
    pub fn new(sampled: &Sampled, range: f64, at: usize) -> Self {
        let Sampled { samples, starts, .. } = *sampled;
        // A stretch that begins at the instant itself is the second part's first.
        let first: Vec<usize> = starts.iter().copied().filter(|&s| s < at).collect();
        let later = starts.iter().filter(|&&s| s > at).map(|s| s - at);
        let second: Vec<usize> = std::iter::once(0).chain(later).collect();
        let track = |samples: &[(f64, f64, f64)], starts: &[usize]| {
            Track::new(samples, starts, openings(samples, starts), range, &[])
        };
        let longer = usize::from(2 * at < samples.len());
        Self { at, longer, parts: [track(&samples[..at], &first), track(&samples[at..], &second)] }
    }

    /// Each with its best line.
    pub fn score(&self, all: Vec<Two>) -> Vec<Two> {
        let after: Vec<Point> = all.iter().map(Two::after).collect();
        let [first, second] = &self.parts;
        let before = sums(first, all.iter().map(|t| &t.before));
        let after = sums(second, after.iter());
        let fitted = |((two, a), b): ((Two, _), _)| Two {
            // One line through both parts: only the thresholds change.
            line: Moments::joined(&[(first, a), (second, b)]).fit(),
            ..two
        };
        let both = before.iter().zip(&after);
        all.into_iter().zip(both).map(|(t, (a, b))| fitted(((t, a), b))).collect()
    }

    /// Starting states of a part that the response shows, for a line.
    pub fn starts(&self, part: usize, point: &Point, line: &Linear) -> Arc<[f64]> {
        let track = &self.parts[part];
        let blank = vec![0.0; track.openings.len()].into();
        let point = Point { starts: blank, ..point.clone() };
        Scored { point, line: *line, jumps: 0.0 }.seen_starts(track)
    }

    /// The best of a row of ratios and lattices, with the thresholds of `known` in one part.
    pub fn best(&self, known: &Scored, own: usize) -> Option<Two> {
        let p = &known.point;
        let mine = Point { starts: self.starts(own, p, &known.line), ..p.clone() };
        let mut all = Vec::with_capacity(RATIOS * LATTICES);
        for i in 0..RATIOS {
            // Downwards as far as upwards, in equal factors.
            let ratio = 0.5 * portable::pow(4.0, i as f64 / (RATIOS - 1) as f64);
            let other = Point { sliding: ratio * p.sliding, delta: ratio * p.delta, ..p.clone() };
            let starts = self.starts(1 - own, &other, &known.line);
            all.extend((0..LATTICES).map(|l| {
                let lattice = other.delta * l as f64 / LATTICES as f64;
                (ratio, Point { lattice, starts: starts.clone(), ..other.clone() })
            }));
        }
        let [before, after] = &self.parts;
        // The known part is the same for all ratios and lattices: one path.
        let my = *sums(&self.parts[own], std::iter::once(&mine)).first()?;
        let others = sums(&self.parts[1 - own], all.iter().map(|a| &a.1));
        let line = |other: &Sums| {
            let (first, second) = if own == 0 { (&my, other) } else { (other, &my) };
            Moments::joined(&[(before, first), (after, second)]).fit()
        };
        let lines = others.iter().map(line);
        let ((ratio, other), line) =
            all.into_iter().zip(lines).min_by(|a, b| a.1.rss.total_cmp(&b.1.rss))?;
        let (ratio, before, after) =
            // The ratio is that of after to before, whichever of them was known.
            if own == 0 { (ratio, mine, other) } else { (ratio.recip(), other, mine) };
        Some(Two { ratio, lattice: after.lattice, starts: after.starts, before, line })
    }

    /// Random steps of many sizes away from the best.
    pub fn refine(
        &self,
        mut best: Two,
        Steps { fixed, hopeless }: Steps,
        mut draws: Draws,
        seen: &mut Vec<(f64, f64)>,
    ) -> Two {
        let range = self.parts[0].range;
        let mut idle = 0;
        for generation in 0..GENERATIONS {
            if generation >= TRIED && best.line.rss > hopeless {
                break;
            }
            let mut trial: Vec<Two> = (0..SIZE)
                .map(|i| {
                    let p = &best.before;
                    // 2⁻¹² to 1, as in the search: from the width of a funnel to that of a cell.
                    let size = portable::pow(2.0, -12.0 * draws.unit());
                    let jump = p.delta.max(0.05 * p.sliding).max(1e-3 * range);
                    let mut two = best.clone();
                    let q = &mut two.before;
                    // A quarter of the steps moves only what is after, a quarter only what is before.
                    if i % 4 != 1 {
                        q.sliding = (p.sliding + 0.5 * size * jump * draws.signed()).abs();
                        q.lattice = p.lattice + 0.5 * size * jump * draws.signed();
                        // A change of δ moves the far end of many small jumps by whole ones: half of these
                        // steps are as fine as that.
                        let fine = if i % 8 < 4 { (p.delta / range).min(1.0) } else { 1.0 };
                        q.delta = (p.delta + 0.5 * size * fine * p.delta * draws.signed()).abs();
                    }
                    if i % 4 != 2 {
                        two.lattice += 0.5 * size * jump * draws.signed();
                        if !fixed {
                            let factor = portable::exp(0.2 * size * draws.signed());
                            two.ratio *= factor;
                            // Those of the longer part stay, of all steps with another ratio in half: its funnel is narrow, and
                            // steps that leave it find nothing.
                            if self.longer == 1 && i % 8 < 4 {
                                let q = &mut two.before;
                                q.sliding = (q.sliding / factor).abs();
                                q.delta /= factor;
                            }
                        }
                    }
                    if i % 8 == 5 {
                        two.starts = restarted(&two.starts, &mut draws);
                    } else if i % 8 == 6 {
                        two.before.starts = restarted(&two.before.starts, &mut draws);
                    }
                    two
                })
                .collect();
            let seen_before = self.starts(0, &best.before, &best.line);
            let seen_after = self.starts(1, &best.after(), &best.line);
            // One trial is the best path with the starting states that its own residuals ask for.
            trial[0] = Two { starts: seen_after, ..best.clone() };
            trial[0].before.starts = seen_before;
            idle += 1;
            for two in self.score(trial) {
                seen.push((two.ratio, two.line.rss));
                if two.line.rss < best.line.rss {
                    (best, idle) = (two, 0);
                }
            }
            // Nothing better in seven generations of steps of all sizes: from here it does not get lower.
            if idle > 6 {
                break;
            }
        }
        best
    }

    /// How far the ratio may lie from the best one, upward or downward: where the least error with the ratio held reaches
    /// the 95 % limit of D for the last time; and whether it never does, so that the record does not bound the ratio there.
    ///
    /// The thresholds of the longer part stay where they are at first, and those of the shorter one give way: a record tells the former
    /// so well that no search finds them again once they have been left.
    pub fn reach(
        &self,
        best: &Two,
        direction: f64,
        seed: u64,
        deviance: &impl Fn(f64) -> f64,
    ) -> (f64, bool) {
        let mut two = best.clone();
        let mut step = FIRST_STEP;
        let mut end = None;
        let mut beyond = 0;
        for i in 0..STEPS {
            let factor = portable::exp(direction * step);
            let mut trial = Two { ratio: two.ratio * factor, ..two.clone() };
            // With another ratio the slider may rest elsewhere at first.
            if self.longer == 1 {
                trial.before.sliding /= factor;
                trial.before.delta /= factor;
                trial.before.starts = self.starts(0, &trial.before, &trial.line);
            } else {
                trial.starts = self.starts(1, &trial.after(), &trial.line);
            }
            let Some(trial) = self.score(vec![trial]).pop() else { break };
            let draws = Draws::new(seed, 83_000 + i);
            let trial = self.refine(trial, Steps::FIXED, draws, &mut Vec::new());
            let [near, far] = [&two, &trial].map(|t| deviance(t.line.rss));
            if far > LIMIT {
                if near <= LIMIT {
                    // D is nearly linear over so short a step: between its two ends the limit is interpolated.
                    let share = ((LIMIT - near) / (far - near)).clamp(0.0, 1.0);
                    end = Some(two.ratio * portable::exp(direction * step * share));
                }
                // Behind a wall, where one slip moves by a row, there may be another valley.
                beyond += 1;
                if beyond > WALLS || far > HIGH * LIMIT {
                    break;
                }
            } else {
                (end, beyond) = (None, 0);
            }
            (two, step) = (trial, GROWTH * step);
        }
        (end.unwrap_or(two.ratio), end.is_none())
    }

    /// What is left at the samples, NaN where the response is missing, and the number of slips.
    pub fn residuals(&self, sampled: &Sampled, two: &Two) -> (Vec<f64>, f64) {
        let mut slips = 0.0;
        let Linear { constant, on_path, on_drive, .. } = two.line;
        let mut left = Vec::with_capacity(sampled.samples.len());
        for (part, point) in [two.before.clone(), two.after()].into_iter().enumerate() {
            let (from, to) =
                if part == 0 { (0, self.at) } else { (self.at, sampled.samples.len()) };
            let set = point.thresholds();
            let mut path = SlipPath { rho: set.rho, delta: set.delta, xi: 0.0 };
            let mut stretch = 0;
            for i in from..to {
                let (t, z, w) = sampled.samples[i];
                // The state begins anew at the change, wherever the stretch began.
                if i == from || sampled.starts.binary_search(&i).is_ok() {
                    path.xi = point.start(stretch, t);
                    stretch += 1;
                }
                slips += path.advance(t).abs();
                let fitted = constant + on_path * path.xi + on_drive * t;
                left.push(if w > 0.0 { z - fitted } else { f64::NAN });
            }
        }
        (left, slips)
    }
}

fn restarted(starts: &[f64], draws: &mut Draws) -> Arc<[f64]> {
    let mut starts = starts.to_vec();
    let s = ((draws.unit() * starts.len() as f64) as usize).min(starts.len().saturating_sub(1));
    if let Some(u) = starts.get_mut(s) {
        *u = (*u + 0.5 * draws.signed()).clamp(-1.0, 1.0);
    }
    starts.into()
}
