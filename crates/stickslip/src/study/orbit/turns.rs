//! Where curves of bifurcations over two numbers turn back in the second one.
//!
//! Two curves of one kind that both end at a value s of the second number may be one curve that turns back before the next value. Over
//! straight lines from s towards that value, all of them parallel to the midline of both curves,
//!
//! ```text
//! first = a + m (second − s),     a between the ends of the two curves
//! ```
//!
//! the bifurcation is located as over the first number alone. The second number S(a) at which it is found is s at both ends, and the turn
//! is where it is furthest from s: golden sections.
//!
//! Folds may also meet in a cusp. There the distance w of the two first numbers goes as the power 3/2 of the distance from the cusp: w^⅔
//! is extrapolated to zero, ever nearer to it.

use super::kind::Kind;
use super::response::{Options, Point, Response};
use crate::portable;

/// Points of the branches on each line.
const POINTS: usize = 16;
/// Points over the first number beside a cusp.
const ACROSS: usize = 60;
/// Parts into which the distance between the ends is divided first.
const PARTS: usize = 8;
/// Golden sections: to the rounding of the distance of the ends.
const SECTIONS: usize = 60;
/// Second numbers nearer to each other than this part of a step are the same.
const SAME: f64 = 1e-14;
/// Around a smooth turn they are the same over this part of the distance of the ends.
const FLAT: f64 = 1e-6;
/// Steps towards a cusp, and the share of the way of each.
const PASSES: usize = 12;
const NEARER: f64 = 0.7;
/// The place of a cusp is settled to this part of a step.
const SETTLED: f64 = 1e-8;
/// How near to each other both sides come at a turn, in steps.
const JOINED: f64 = 1e-5;

/// Two curves of a kind that end at one value of the second number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pair {
    pub kind: Kind,
    /// The numbers of the curves, that with the lesser first number before.
    pub curves: [usize; 2],
    /// The first numbers at their ends.
    pub ends: [f64; 2],
    /// The second number there, and its next value, at which there is no such curve.
    pub second: [f64; 2],
    /// d first/d second of the midline.
    pub slope: f64,
    /// Whether the curves end here as the second number goes on; they begin here otherwise.
    pub last: bool,
}

/// The part of a curve around a turn.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Turn {
    pub pair: Pair,
    /// (second, first) from the first curve of the pair to the other one, the turn among them.
    pub points: Vec<[f64; 2]>,
    /// (second, first) of the turn.
    pub at: [f64; 2],
}

impl Pair {
    /// The first number on the line through `a` at this value of the second.
    pub fn on_line(&self, a: f64, second: f64) -> f64 {
        a + self.slope * (second - self.second[0])
    }

    /// The turn, if there is one. `locate` gives the second numbers of the bifurcations of this kind on the line through a place
    /// between the ends.
    pub fn turn(&self, locate: &dyn Fn(f64) -> Vec<f64>) -> Option<Turn> {
        let [s, end] = self.second;
        let [low, high] = self.ends;
        let step = (end - s).abs();
        let mut found: Vec<[f64; 2]> = Vec::new(); // (a, second)
        // How far from s the bifurcation is: the nearest one, for others belong to other curves.
        let mut see = |a: f64| {
            let nearest =
                locate(a).into_iter().min_by(|p, q| (p - s).abs().total_cmp(&(q - s).abs()));
            found.extend(nearest.map(|second| [a, second]));
            nearest.map_or(0.0, |second| (second - s).abs())
        };
        let at = |i: usize| low + (high - low) * i as f64 / PARTS as f64;
        let far: Vec<f64> = (1..PARTS).map(|i| see(at(i))).collect();
        let best = (0..far.len()).max_by(|&i, &j| far[i].total_cmp(&far[j]))?;
        if far.contains(&0.0) {
            return None; // they are not joined
        }
        let mut a = at(best);
        let mut b = at(best + 2);
        let golden = 0.5 * (5f64.sqrt() - 1.0);
        let inner = |a: f64, b: f64| (b - golden * (b - a), a + golden * (b - a));
        let (mut c, mut d) = inner(a, b);
        let mut at_c = see(c);
        let mut at_d = see(d);
        for _ in 0..SECTIONS {
            let alike = (at_c - at_d).abs() <= SAME * step;
            if !(a < c && c < d && d < b) || alike && b - a <= FLAT * (high - low) {
                break;
            }
            if alike {
                (a, b) = (c, d);
                (c, d) = inner(a, b);
                (at_c, at_d) = (see(c), see(d));
            } else if at_c > at_d {
                (b, d, at_d) = (d, c, at_c);
                c = inner(a, b).0;
                at_c = see(c);
            } else {
                (a, c, at_c) = (c, d, at_d);
                d = inner(a, b).1;
                at_d = see(d);
            }
        }
        // Two curves that end at others come to different places.
        let joined = (see(a) - see(b)).abs() <= JOINED * step;
        joined.then(|| self.among(&found))?
    }

    /// The cusp in which two folds meet, if they do. `across` gives the response over a range of the first number at a value of
    /// the second, from the orbits of the branches that it is given.
    pub fn cusp(&self, known: &Branches, across: &Across<'_>) -> Option<Turn> {
        let [s, end] = self.second;
        let [low, high] = self.ends;
        let mut far = f64::NAN;
        let mut last = (s, self.ends, known.clone());
        let mut points = Vec::new();
        let width = |e: [f64; 2]| e[1] - e[0];
        let middle = |e: [f64; 2]| 0.5 * (e[0] + e[1]);
        // The pair at a value of the second number, looked for around a place.
        let pair = |second: f64, middle: f64, half: f64, known: &Branches| {
            // Between the folds the states differ by the cube root of their distance.
            let weight = 10.0 * portable::cbrt(width(self.ends) / half);
            let found = across([middle - half, middle + half], weight, second, known)?;
            let mut folds: Vec<f64> =
                found.bifurcations().filter(|b| b.1 == self.kind).map(|b| b.0).collect();
            folds.sort_unstable_by(f64::total_cmp);
            let [a, b] = folds[..] else { return None };
            Some((second, [a, b], Branches::of(&found)))
        };
        let mut next = (2..8).find_map(|k| {
            let second = s + (end - s) * 0.5f64.powi(k);
            pair(second, self.on_line(0.5 * (low + high), second), width(self.ends), known)
        });
        for _ in 0..PASSES {
            let here = next?;
            let size = [width(last.1), width(here.1)].map(|w| portable::pow(w, 2.0 / 3.0));
            let tip = here.0 + (here.0 - last.0) * size[1] / (size[0] - size[1]);
            let share = (tip - here.0) / (here.0 - last.0);
            let first = middle(here.1) + share * (middle(here.1) - middle(last.1));
            points.push([here.0, here.1[0]]);
            points.insert(0, [here.0, here.1[1]]);
            // Beyond the next value there are none.
            if !((tip - here.0) * (end - here.0) > 0.0 && (tip - s) / (end - s) < 1.0) {
                return None;
            }
            if (tip - far).abs() <= SETTLED * (end - s).abs() {
                let half = points.len() / 2;
                points.rotate_left(half);
                points.insert(half, [tip, first]);
                return Some(Turn { pair: *self, points, at: [tip, first] });
            }
            let second = here.0 + NEARER * (tip - here.0);
            let there = middle(here.1) + NEARER * (first - middle(here.1));
            let half = 4.0 * width(here.1) * portable::pow(1.0 - NEARER, 1.5);
            next = pair(second, there, half, &here.2);
            (far, last) = (tip, here);
        }
        None
    }

    /// Where to look on the line through `a`: between the two values of the second number, from the orbits that are known at
    /// each of them.
    pub fn options(&self, a: f64, branches: &[(f64, Branches)], periods: usize) -> Options {
        let near = |second: f64| {
            let known = branches.iter().filter(move |b| b.0 == second);
            let states = known.flat_map(move |b| b.1.at(self.on_line(a, second)));
            states.map(move |state| (second, state))
        };
        let mut options = Options::new(self.second[0], self.second[1]).with_count(POINTS);
        options = options.with_periods(periods);
        (options.seeds, options.known) = (0, self.second.into_iter().flat_map(near).collect());
        options
    }

    /// The turn among bifurcations at (a, second), the first of which are those at even distances.
    fn among(&self, found: &[[f64; 2]]) -> Option<Turn> {
        let far = |p: &[f64; 2]| (p[1] - self.second[0]).abs();
        let top = *found.iter().max_by(|p, q| far(p).total_cmp(&far(q)))?;
        let place = |p: &[f64; 2]| [p[1], self.on_line(p[0], p[1])];
        let mut arc: Vec<[f64; 2]> = found[..PARTS - 1].to_vec();
        arc.push(top);
        arc.sort_by(|a, b| a[0].total_cmp(&b[0]));
        arc.dedup();
        Some(Turn { pair: *self, points: arc.iter().map(place).collect(), at: place(&top) })
    }
}

/// The response over a range of the first number, states having a weight, at a value of the second, from orbits that are known.
pub(super) type Across<'a> = dyn Fn([f64; 2], f64, f64, &Branches) -> Option<Response> + 'a;

/// The values of a number and the states along each branch of a response.
#[derive(Clone)]
pub(super) struct Branches(Vec<Vec<(f64, Vec<f64>)>>);

/// How a response over a range is followed from the orbits at its ends.
pub(super) fn across(range: [f64; 2], weight: f64, known: &Branches, periods: usize) -> Options {
    let mut options = Options::new(range[0], range[1]).with_count(ACROSS).with_periods(periods);
    options.seeds = 0;
    options.known =
        range.into_iter().flat_map(|v| known.near(v).into_iter().map(move |u| (v, u))).collect();
    options.weight = weight;
    options
}

impl Branches {
    pub fn of(response: &Response) -> Self {
        let states = |p: &Point| (p.value, p.orbit.state.clone());
        Self(response.branches.iter().map(|b| b.points.iter().map(states).collect()).collect())
    }

    /// Near the orbits at this value.
    pub fn at(&self, value: f64) -> Vec<Vec<f64>> {
        let pairs = self.0.iter().flat_map(|b| b.windows(2));
        pairs
            .filter(|w| (w[0].0 - value) * (w[1].0 - value) <= 0.0 && w[0].0 != w[1].0)
            .map(|w| {
                let share = (value - w[0].0) / (w[1].0 - w[0].0);
                w[0].1.iter().zip(&w[1].1).map(|(a, b)| a + share * (b - a)).collect()
            })
            .collect()
    }

    /// The same, and where there are none those at the nearest values.
    pub fn near(&self, value: f64) -> Vec<Vec<f64>> {
        let here = self.at(value);
        if !here.is_empty() {
            return here;
        }
        let far = |p: &&(f64, Vec<f64>)| (p.0 - value).abs();
        let nearest = |b: &Vec<(f64, Vec<f64>)>| {
            b.iter().min_by(|p, q| far(p).total_cmp(&far(q))).map(|p| p.1.clone())
        };
        self.0.iter().filter_map(nearest).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::orbit::{Forced, Method, response};
    use crate::{Law, Oscillator, Signal};
    use std::f64::consts::TAU;

    /// A pair that ends at the second number 0.
    fn pair(ends: [f64; 2], second: [f64; 2], slope: f64) -> Pair {
        Pair { kind: Kind::Fold, curves: [1, 2], ends, second, slope, last: true }
    }

    /// The curve first = ±√(1 − second), whose turn is at (0, 1), and a line that another curve ends.
    #[test]
    fn a_parabola_turns_at_its_top() {
        let pair = pair([-0.5f64.sqrt() - 0.2, 0.5f64.sqrt() - 0.2], [0.5, 1.5], 0.1);
        // On first = a + m (s − 1/2) it is met where (first)² = 1 − s.
        let met = |a: f64| {
            let f = |s: f64| (a + 0.2 + 0.1 * (s - 0.5)).powi(2) + s - 1.0;
            let mut low = 0.5;
            let mut high = 1.5;
            for _ in 0..60 {
                let s = 0.5 * (low + high);
                if f(s) < 0.0 { low = s } else { high = s }
            }
            vec![low]
        };
        let turn = pair.turn(&met).unwrap();
        assert!((turn.at[0] - 1.0).abs() < 1e-13 && (turn.at[1] + 0.2).abs() < 1e-6, "{turn:?}");
        assert!(turn.points.len() > 7 && pair.turn(&|_| Vec::new()).is_none());
        // Two curves that end at different places are not one.
        assert!(pair.turn(&|a| vec![if a < -0.3 { 0.9 + 0.3 * a } else { 0.7 }]).is_none());
    }

    /// A hardening spring with damping and friction: its two folds over the frequency meet in a cusp over the load. By SciPy:
    /// half a period at 3e-14, over the phase at the turning point by Chebyshev's polynomials, where ω′ = ω″ = 0.
    #[test]
    fn folds_meet_in_a_cusp() {
        let make = |omega: f64, load: f64| {
            let mut o = Oscillator::new(1.0, 1.0, Law::coulomb(0.1).unwrap())
                .with_damping(0.1)
                .with_force(Signal::harmonic(load, omega, 0.0));
            o = o.with_polynomial_stiffness(&[1.0, 0.0, 0.5]);
            Forced::new(&o.into(), TAU / omega, Method::Best)
        };
        let loads = [0.23, 0.22];
        let all = loads.map(|load| {
            let mut options = Options::new(1.1, 1.2).with_count(60);
            options.seeds = 2;
            response(|w| make(w, load), &options).unwrap()
        });
        let mut folds: Vec<f64> = all[0].bifurcations().map(|b| b.0).collect();
        folds.sort_unstable_by(f64::total_cmp);
        assert!(folds.len() == 2 && all[1].bifurcations().next().is_none(), "{folds:?}");
        let branches = loads.map(|l| (l, Branches::of(&all[usize::from(l == loads[1])])));
        let pair = pair([folds[0], folds[1]], loads, 1.5);
        let turn = pair.cusp(&branches[0].1, &|range, weight, load, known| {
            response(|w| make(w, load), &across(range, weight, known, 1)).ok()
        });
        let [load, omega] = turn.unwrap().at;
        assert!((load - 0.226112693389).abs() < 1e-9, "{load}");
        assert!((omega - 1.142306103419).abs() < 1e-9, "{omega}");
    }
}
