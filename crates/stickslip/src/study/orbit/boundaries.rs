//! What responses have over two numbers: the curves on which orbits bifurcate, and the largest orbit.
//!
//! At each value of the second number the response over the first one is followed. Bifurcations of a kind that lead from one value to the
//! next are one curve; what curves do between two values, and where the largest orbit is least, is looked for afterwards.

use super::forced::Forced;
use super::kind::Kind;
use super::response::{Options, Response, response};
use super::turns::{Branches, Pair, Turn, across};
use crate::error::Error;
use crate::numeric::try_golden;

/// Neighbours on a curve differ by less than this part of the range of the first number from where the curve leads.
const NEXT: f64 = 0.25;
/// Bifurcations that several branches go through are one: parts of the range.
const SAME: f64 = 1e-8;
/// Golden sections for the least peak: its place is known to 1/1000 of the distance of two values.
const SECTIONS: usize = 14;

/// A curve on which orbits bifurcate.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Boundary {
    /// How they bifurcate there.
    pub kind: Kind,
    /// [second, first] in their order along the curve.
    pub points: Vec<[f64; 2]>,
    /// Whether it leads back to its first point.
    pub closed: bool,
}

/// Where the largest stable orbit is.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Peak {
    /// The second number.
    pub second: f64,
    /// The first number at which the orbit is largest.
    pub first: f64,
    /// The amplitude there, m.
    pub amplitude: f64,
}

/// Where a curve turns back in the second number.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct TurningPoint {
    /// The second number.
    pub second: f64,
    /// The first number.
    pub first: f64,
    /// What bifurcates on the curve.
    pub kind: Kind,
}

/// What there is over two numbers.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Boundaries {
    /// The curves.
    pub curves: Vec<Boundary>,
    /// Where they turn back.
    pub turns: Vec<TurningPoint>,
    /// The largest stable orbit at each value of the second number that has one.
    pub peaks: Vec<Peak>,
    /// Where it is least over the second number: the optimal slip load, for one.
    pub least_peak: Option<Peak>,
}

/// Follows the response that `options` ask for at each of the values `seconds` of a second number. `make` gives the model and its period
/// at a value of the first number and one of the second; errors that `is_passed_over` takes mean that there are no orbits at a value.
/// `see` is told how many values are done.
///
/// # Errors
/// The first error of `make` that is not passed over; see [`response`].
///
/// ```
/// use std::f64::consts::TAU;
/// use stickslip::study::orbit::{Forced, Kind, Method, Options, boundaries};
/// use stickslip::{Error, Law, Oscillator, Signal};
/// # fn main() -> Result<(), Error> {
/// // Den Hartog 1931: x″ + x = cos ωt − f sgn x′. With more friction there are sticks up to a higher frequency.
/// let make = |omega: f64, f: f64| -> Result<Forced, Error> {
///     let force = Signal::harmonic(1.0, omega, 0.0);
///     let o = Oscillator::new(1.0, 1.0, Law::coulomb(f)?).with_force(force);
///     Forced::new(&o.into(), TAU / omega, Method::Best)
/// };
/// let options = Options::new(0.3, 0.8).with_count(20);
/// let found = boundaries(&make, &options, &[0.5, 0.6], |_| false, |_| {})?;
/// assert!(found.curves.iter().any(|c| c.kind != Kind::Fold && c.points.len() > 1));
/// assert_eq!(found.peaks.len(), 2);
/// # Ok(()) }
/// ```
pub fn boundaries<E: From<Error>>(
    make: &(impl Fn(f64, f64) -> Result<Forced, E> + Sync),
    options: &Options,
    seconds: &[f64],
    is_passed_over: impl Fn(&E) -> bool,
    mut see: impl FnMut(usize),
) -> Result<Boundaries, E> {
    let over = Over { make, options };
    let (from, to) = options.range;
    let mut all = Gathered::new((to - from).abs());
    let mut branches = Vec::new();
    for (i, second) in seconds.iter().enumerate() {
        let found = match over.follow(*second) {
            Ok(found) => found,
            Err(e) if is_passed_over(&e) => Response::default(),
            Err(e) => return Err(e),
        };
        all.add(*second, &found, over.peak(*second, &found));
        branches.push((*second, Branches::of(&found)));
        see(i + 1);
    }
    let between = all.beside_least().and_then(|(a, b)| over.least_peak(a, b));
    let turns = all.pairs().into_iter().filter_map(|pair| over.turn(pair, &branches)).collect();
    let (curves, turns) = all.joined(turns);
    let peaks = all.peaks;
    let least = peaks.iter().copied().chain(between);
    let least_peak = least.min_by(|p, q| p.amplitude.total_cmp(&q.amplitude));
    Ok(Boundaries { curves, turns, peaks, least_peak })
}

/// A model over two numbers, and how its responses are followed.
struct Over<'a, M> {
    make: &'a M,
    options: &'a Options,
}

impl<E: From<Error>, M: Fn(f64, f64) -> Result<Forced, E> + Sync> Over<'_, M> {
    fn follow(&self, second: f64) -> Result<Response, E> {
        response(|first| (self.make)(first, second), self.options)
    }

    /// The largest stable orbit of a response, if there is one.
    fn peak(&self, second: f64, found: &Response) -> Option<Peak> {
        let periods = self.options.periods;
        let (first, amplitude) = found.peak(|first| (self.make)(first, second), periods)?;
        Some(Peak { second, first, amplitude })
    }

    /// Where the peak is least between two values of the second number, between which there is a third with a lower peak.
    fn least_peak(&self, low: f64, high: f64) -> Option<Peak> {
        let mut best: Option<Peak> = None;
        let amplitude = |second: f64| {
            let found = self.follow(second).ok().and_then(|found| self.peak(second, &found));
            let peak = found.ok_or(())?;
            if best.is_none_or(|b| peak.amplitude < b.amplitude) {
                best = Some(peak);
            }
            Ok::<_, ()>(peak.amplitude)
        };
        try_golden(low, high, SECTIONS, amplitude).ok()?;
        best
    }

    /// Where two curves turn into each other, if they do, beginning at the orbits that are known on both sides.
    fn turn(&self, pair: Pair, branches: &[(f64, Branches)]) -> Option<Turn> {
        let periods = self.options.periods;
        let known = branches.iter().find(|b| b.0 == pair.second[0]);
        let cusp = known.filter(|_| pair.kind == Kind::Fold).and_then(|(_, known)| {
            pair.cusp(known, &|range, weight, second, known| {
                let options = across(range, weight, known, periods);
                response(|first| (self.make)(first, second), &options).ok()
            })
        });
        cusp.or_else(|| {
            pair.turn(&|a| {
                let options = pair.options(a, branches, periods);
                let on_line = |second: f64| (self.make)(pair.on_line(a, second), second);
                let found = response(on_line, &options).unwrap_or_default();
                found.bifurcations().filter(|b| b.1 == pair.kind).map(|b| b.0).collect()
            })
        })
    }
}

/// A bifurcation at a value of the second number.
#[derive(Clone, Copy)]
struct At {
    second: f64,
    first: f64,
    kind: Kind,
    /// The number of its curve, from 1.
    curve: usize,
}

/// Curves that are one.
struct Line {
    kind: Kind,
    points: Vec<[f64; 2]>,
    /// The curves at its two ends, and whether each is at the end that has the last value of the second number.
    ends: [(usize, bool); 2],
    closed: bool,
}

/// What was found at the values of the second number.
struct Gathered {
    /// The length of the range of the first number.
    length: f64,
    all: Vec<At>,
    /// The values of the second number.
    seconds: Vec<f64>,
    curves: usize,
    peaks: Vec<Peak>,
}

impl Gathered {
    fn new(length: f64) -> Self {
        Self { length, all: Vec::new(), seconds: Vec::new(), curves: 0, peaks: Vec::new() }
    }

    /// Adds the response at the next value of the second number, and its peak.
    fn add(&mut self, second: f64, r: &Response, peak: Option<Peak>) {
        let begin = self.all.len();
        let last = self.seconds.last().copied();
        self.seconds.push(second);
        for (first, kind) in r.bifurcations() {
            let here = &self.all[begin..];
            if here.iter().any(|b| b.kind == kind && (b.first - first).abs() <= SAME * self.length)
            {
                continue;
            }
            let curve = last.and_then(|last| self.leads_to(last, second, first, kind, begin));
            let curve = curve.unwrap_or_else(|| {
                self.curves += 1;
                self.curves
            });
            self.all.push(At { second, first, kind, curve });
        }
        self.peaks.extend(peak);
    }

    /// The values of the second number on both sides of the least peak, if there are some.
    fn beside_least(&self) -> Option<(f64, f64)> {
        let pairs = self.peaks.iter().enumerate();
        let i = pairs.min_by(|p, q| p.1.amplitude.total_cmp(&q.1.amplitude))?.0;
        Some((self.peaks.get(i.checked_sub(1)?)?.second, self.peaks.get(i + 1)?.second))
    }

    /// The curve that was at the value `last` of the second number and leads nearest to a bifurcation of this kind at these numbers.
    fn leads_to(
        &self,
        last: f64,
        second: f64,
        first: f64,
        kind: Kind,
        begin: usize,
    ) -> Option<usize> {
        let taken = |curve: usize| self.all[begin..].iter().any(|b| b.curve == curve);
        let ends = self.all[..begin].iter().filter(|b| b.second == last && b.kind == kind);
        let distance = |b: &At| {
            let mut before = self.all[..begin].iter().rev().filter(|a| a.curve == b.curve).skip(1);
            let rate = before.next().map_or(0.0, |a| (b.first - a.first) / (b.second - a.second));
            (b.first + rate * (second - last) - first).abs()
        };
        let open = ends.filter(|b| !taken(b.curve)).map(|b| (distance(b), b.curve));
        let nearest = open.min_by(|a, b| a.0.total_cmp(&b.0))?;
        (nearest.0 <= NEXT * self.length).then_some(nearest.1)
    }

    /// The points of a curve, in the order of the second number.
    fn points(&self, curve: usize) -> Vec<At> {
        self.all.iter().filter(|b| b.curve == curve).copied().collect()
    }

    /// The curves that may be one: neighbours of a kind that both end at one value of the second number, or both begin there.
    fn pairs(&self) -> Vec<Pair> {
        let steps = || self.seconds.windows(2).map(|w| [w[0], w[1]]);
        let ways = steps().map(|w| (w, true)).chain(steps().map(|[a, b]| ([b, a], false)));
        let mut all = Vec::new();
        for (second, last) in ways {
            let mut ends: Vec<(At, f64)> = Vec::new();
            for curve in 1..=self.curves {
                let mut points = self.points(curve);
                if last {
                    points.reverse();
                }
                if points[0].second == second[0] {
                    let before = points
                        .get(1)
                        .map(|p| (points[0].first - p.first) / (points[0].second - p.second));
                    ends.push((points[0], before.unwrap_or(f64::NAN)));
                }
            }
            ends.sort_by(|a, b| a.0.first.total_cmp(&b.0.first));
            for kind in Kind::ALL {
                let of: Vec<_> = ends.iter().filter(|e| e.0.kind == kind).collect();
                all.extend(of.windows(2).map(|w| {
                    let slope = 0.5 * (w[0].1 + w[1].1);
                    Pair {
                        kind,
                        curves: [w[0].0.curve, w[1].0.curve],
                        ends: [w[0].0.first, w[1].0.first],
                        second,
                        slope: if slope.is_finite() { slope } else { 0.0 },
                        last,
                    }
                }));
            }
        }
        all
    }

    /// The curves, those that turn back joined, and where they do.
    fn joined(&self, turns: Vec<Turn>) -> (Vec<Boundary>, Vec<TurningPoint>) {
        let mut lines: Vec<Line> = (1..=self.curves)
            .map(|curve| {
                let points = self.points(curve);
                let kind = points[0].kind;
                let points = points.iter().map(|p| [p.second, p.first]).collect();
                Line { kind, points, ends: [(curve, false), (curve, true)], closed: false }
            })
            .collect();
        let mut places = Vec::new();
        for Turn { pair, points, at } in turns {
            let [a, b] = pair.curves.map(|c| (c, pair.last));
            let of = |end| lines.iter().position(|l| l.ends.contains(&end));
            let (Some(i), Some(j)) = (of(a), of(b)) else { continue };
            let [second, first] = at;
            places.push(TurningPoint { second, first, kind: pair.kind });
            if i == j {
                let line = &mut lines[i];
                let around =
                    if line.ends[1] == a { points } else { points.into_iter().rev().collect() };
                line.points.extend(around);
                (line.closed, line.ends) = (true, [(0, false); 2]);
                continue;
            }
            let mut second = lines.remove(j);
            let first = &mut lines[if j < i { i - 1 } else { i }];
            // An end is joined once only.
            if first.ends[1] != a {
                first.turn_round();
            }
            if second.ends[0] != b {
                second.turn_round();
            }
            first.points.extend(points.into_iter().chain(second.points));
            first.ends[1] = second.ends[1];
        }
        let boundary = |l: Line| Boundary { kind: l.kind, points: l.points, closed: l.closed };
        (lines.into_iter().map(boundary).collect(), places)
    }
}

impl Line {
    /// The other way round.
    fn turn_round(&mut self) {
        self.points.reverse();
        self.ends.reverse();
    }
}
