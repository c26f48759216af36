//! What motions settle to over a number: their states after each period of the load, with the number rising and falling, and how fast
//! small differences grow.

use super::forced::Forced;
use crate::error::Error;
use crate::study::parallel::try_over;

/// Periods before the first state that is listed, of a motion that begins at the model's own start.
const FROM_THE_START: usize = 400;
/// The same of a motion that begins where that of the neighbouring point ended.
const FROM_THE_NEIGHBOUR: usize = 100;
/// Points that follow each other from one start; the next ones begin anew, on another core.
const TOGETHER: usize = 32;
/// Periods in which the directions of small differences settle before their growth is measured.
const TURNING: usize = 50;

/// States nearer to each other than this, relative to the largest, are the same.
const SAME: f64 = 1e-6;
/// Attractors whose extremes differ by more than this, relative to the largest, are different.
const APART: f64 = 1e-4;

/// The states of one point: displacement, m, and velocity, m/s, after each period.
pub type States = Vec<[f64; 2]>;

/// What motions settle to at each point of a sweep.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Settled {
    /// The states with the number rising: each point starts where the one before ended.
    pub up: Vec<States>,
    /// The states with the number falling.
    pub down: Vec<States>,
    /// The Lyapunov exponents with the number rising, 1/s, the larger one first; see [`Forced::lyapunov`].
    pub exponents: Vec<[f64; 2]>,
}

impl Settled {
    /// The points at which the motion depends on where it comes from: their number.
    pub fn apart(&self) -> usize {
        self.up.iter().zip(&self.down).filter(|(a, b)| are_apart(a, b)).count()
    }
}

/// What the motions of the models `make(0)` … `make(count − 1)`, neighbours on a line, settle to: `states` after as many periods of the load
/// each, and the exponents over so many periods, where they are asked for.
///
/// # Errors
/// The first of `make`, and those of the solver.
///
/// ```
/// use std::f64::consts::TAU;
/// use stickslip::study::orbit::{Forced, Method, repeats_after, settled};
/// use stickslip::{Error, Law, Oscillator, Signal};
/// # fn main() -> Result<(), Error> {
/// // Driven with friction, far from where motions are complicated: the motion repeats after each period of the load.
/// let make = |i: usize| -> Result<Forced, Error> {
///     let omega = 1.2 + 0.1 * i as f64;
///     let o = Oscillator::new(1.0, 1.0, Law::coulomb(0.3)?).with_damping(0.2);
///     let o = o.with_force(Signal::harmonic(1.0, omega, 0.0));
///     Forced::new(&o.into(), TAU / omega, Method::Best)
/// };
/// let found = settled(make, 3, Some(4), None)?;
/// assert!(found.up.iter().all(|states| repeats_after(states) == Some(1)));
/// assert_eq!(found.apart(), 0);
/// # Ok(()) }
/// ```
pub fn settled<E: From<Error> + Send>(
    make: impl Fn(usize) -> Result<Forced, E> + Sync,
    count: usize,
    states: Option<usize>,
    exponents: Option<usize>,
) -> Result<Settled, E> {
    let all: Vec<usize> = (0..count).collect();
    let rising = all.chunks(TOGETHER).map(<[usize]>::to_vec).collect();
    let falling = all.chunks(TOGETHER).map(|c| c.iter().rev().copied().collect()).collect();
    let kept = states.unwrap_or(0);
    let (up, exponents) = runs(&make, rising, kept, exponents)?;
    let down = match states {
        Some(_) => runs(&make, falling, kept, None)?.0,
        None => Vec::new(),
    };
    Ok(Settled { up, down, exponents })
}

/// What is found at a point.
struct SettledPoint {
    point: usize,
    states: States,
    exponents: Option<[f64; 2]>,
}

/// The states along some runs of points, in the order of the points, and their exponents.
fn runs<E: From<Error> + Send>(
    make: &(impl Fn(usize) -> Result<Forced, E> + Sync),
    runs: Vec<Vec<usize>>,
    kept: usize,
    exponents: Option<usize>,
) -> Result<(Vec<States>, Vec<[f64; 2]>), E> {
    let found = try_over(runs, |run| -> Result<Vec<SettledPoint>, E> {
        let mut out = Vec::with_capacity(run.len());
        let mut from = None;
        for point in run {
            let forced = make(point)?;
            let start = from.unwrap_or_else(|| forced.start());
            let before = if out.is_empty() { FROM_THE_START } else { FROM_THE_NEIGHBOUR };
            let mut states = forced.states(&start, before + kept)?;
            let end = states.last().map_or(start, |s| s.to_vec());
            let states = states.split_off(before);
            let exponents = exponents.map(|n| forced.lyapunov(&end, TURNING, n)).transpose()?;
            from = Some(end);
            out.push(SettledPoint { point, states, exponents });
        }
        Ok(out)
    })?;
    let mut all: Vec<SettledPoint> = found.into_iter().flatten().collect();
    all.sort_by_key(|f| f.point);
    let exponents = all.iter().filter_map(|f| f.exponents).collect();
    Ok((all.into_iter().map(|f| f.states).collect(), exponents))
}

/// After how many periods states repeat, if they do.
pub fn repeats_after(states: &[[f64; 2]]) -> Option<usize> {
    let size = states.iter().flatten().fold(0.0f64, |a, x| a.max(x.abs()));
    let near =
        |a: &[f64; 2], b: &[f64; 2]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SAME * size);
    let n = states.len();
    (1..n).find(|k| (0..n - k).all(|i| near(&states[i], &states[i + k])))
}

/// Whether two sets of states do not belong to one attractor, as far as their extremes tell. States that do not repeat have extremes that
/// depend on which of them are listed, and say nothing.
fn are_apart(a: &States, b: &States) -> bool {
    let range = |s: &States| {
        s.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), s| (l.min(s[0]), h.max(s[0])))
    };
    let (l, h) = range(a);
    let (m, k) = range(b);
    let size = h.abs().max(l.abs()).max(k.abs()).max(m.abs());
    repeats_after(a).is_some()
        && repeats_after(b).is_some()
        && ((l - m).abs() > APART * size || (h - k).abs() > APART * size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_repeat_after_the_period_of_their_orbit() {
        let a = [1.0, 0.0];
        let b = [0.5, -1.0];
        let c = [0.25, 2.0];
        assert_eq!(repeats_after(&[a, a, a]), Some(1));
        assert_eq!(repeats_after(&[a, b, c, a, b]), Some(3));
        assert_eq!(repeats_after(&[a, b, c]), None);
        // One state says nothing.
        assert_eq!(repeats_after(&[a]), None);
        assert!(are_apart(&vec![a, a], &vec![b, b]) && !are_apart(&vec![a, a], &vec![a, a]));
        assert!(!are_apart(&vec![a, a], &vec![a, b, c]));
    }
}
