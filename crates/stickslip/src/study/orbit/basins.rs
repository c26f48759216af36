//! Basins of attraction: to which orbit each start leads.

use super::forced::{Forced, Moving, difference};
use super::found::Orbit;
use super::runner::Runner;
use crate::error::{Error, require};
use crate::study::parallel::map;
use crate::study::sweep::Span;

/// A grid of starting states, and to which orbit each leads.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Basins {
    /// The displacements of the starts, m.
    pub x: Span,
    /// Their velocities, m/s.
    pub v: Span,
    /// For each start, the displacements varying fastest: the number of the orbit from 1, 0 where none was reached.
    pub reached: Vec<u32>,
}

impl Basins {
    /// How many starts lead to each orbit; the first entry counts those that reach none.
    pub fn counts(&self, orbits: usize) -> Vec<usize> {
        let mut counts = vec![0; orbits + 1];
        for &k in &self.reached {
            if let Some(count) = counts.get_mut(k as usize) {
                *count += 1;
            }
        }
        counts
    }
}

/// How near to an orbit a motion must come to count as on it, relative to typical sizes.
const THERE: f64 = 1e-4;
/// Motions of a continuum that change by less than this in a period, relative to typical sizes, are on it.
const REST: f64 = 1e-9;

/// What the motions of a model come to.
#[derive(Debug, Clone)]
pub struct Attraction<'a> {
    forced: &'a Forced,
    /// The states of isolated orbits after each period of the load, with their numbers.
    targets: Vec<(Vec<f64>, u32)>,
    /// The order of phases in continua of orbits, their periods and numbers.
    families: Vec<(&'a Orbit, u32)>,
    periods: usize,
    /// Of an oscillator.
    ready: Option<Runner>,
    /// The state of the start but for the displacement and the velocity that vary, and where these are in it.
    start: (Vec<f64>, [usize; 2]),
}

impl<'a> Attraction<'a> {
    /// By the stable ones of `orbits`, within so many periods.
    ///
    /// # Errors
    /// As the solver's.
    pub fn new(forced: &'a Forced, orbits: &'a [Orbit], periods: usize) -> Result<Self, Error> {
        require("the number of periods", periods as f64, periods > 0, "1 or more")?;
        let mut targets = Vec::new();
        let mut families = Vec::new();
        for (orbit, number) in orbits.iter().zip(1..).filter(|o| o.0.stable) {
            if orbit.family {
                families.push((orbit, number));
                continue;
            }
            let mut u = orbit.state.clone();
            for _ in 0..orbit.periods.max(1) {
                u = forced.advance(&u, 1)?;
                targets.push((u.clone(), number));
            }
        }
        let ready = match forced.model {
            Moving::Oscillator(_) => Some(Runner::new(forced, periods)?),
            _ => None,
        };
        let start = (forced.start(), forced.looked()?);
        Ok(Self { forced, targets, families, periods, ready, start })
    }

    /// The whole state of a start: of a network or a machine what does not vary is as in the model.
    fn state(&self, start: [f64; 2]) -> Vec<f64> {
        let (mut u, at) = self.start.clone();
        at.iter().zip(start).for_each(|(i, s)| u[*i] = s);
        u
    }

    /// The number of the orbit, from 1, to which the motion from `start` leads, a displacement (m) and a velocity (m/s) of the node
    /// that is looked at; 0 if it reaches none.
    pub fn reached(&self, start: [f64; 2]) -> u32 {
        let period = self.forced.period;
        match (&self.ready, &self.forced.model) {
            (Some(ready), _) => {
                let Ok(mut run) = ready.starting_at(start) else { return 0 };
                self.follow(start.to_vec(), |k, _| {
                    run.advance(period * k as f64).ok().map(|u| u.to_vec())
                })
            }
            (None, Moving::Machine(engine)) => {
                let start = self.state(start);
                let Ok(mut run) = engine.cursor(&start, period * self.periods as f64) else {
                    return 0;
                };
                self.follow(start, |k, _| engine.after(&mut run, period * k as f64).ok())
            }
            _ => self.follow(self.state(start), |_, u| self.forced.advance(u, 1).ok()),
        }
    }

    /// The same; `after` gives the state after so many periods from the one a period before.
    fn follow(
        &self,
        start: Vec<f64>,
        mut after: impl FnMut(usize, &[f64]) -> Option<Vec<f64>>,
    ) -> u32 {
        let mut before = start;
        for k in 1..=self.periods {
            let Some(u) = after(k, &before) else { return 0 };
            let near = |t: &&(Vec<f64>, u32)| self.apart(&t.0, &u) <= THERE;
            if let Some((_, number)) = self.targets.iter().find(near) {
                return *number;
            }
            if !self.families.is_empty() && self.apart(&before, &u) <= REST {
                return self.family_at(&u);
            }
            before = u;
        }
        0
    }

    fn apart(&self, a: &[f64], b: &[f64]) -> f64 {
        self.forced.size(&difference(a, b))
    }

    /// The continuum whose orbits have the order of phases of the one through `u`.
    fn family_at(&self, u: &[f64]) -> u32 {
        let Ok(passage) = self.forced.passage(u, 1) else { return 0 };
        let same = self.families.iter().find(|f| f.0.pattern == passage.pattern);
        same.map_or(0, |f| f.1)
    }

    /// The numbers of a row of starts: at the velocity `v`, m/s, and these displacements, m.
    pub fn row(&self, x: &Span, v: f64) -> Vec<u32> {
        (0..x.count).map(|i| self.reached([x.value(i), v])).collect()
    }
}

/// Which of the stable `orbits` the starts of a grid of displacements `x` (m) and velocities `v` (m/s) lead to within
/// `periods` periods, over all cores.
///
/// # Errors
/// If a range is not one, and as the solver's.
pub fn basins(
    forced: &Forced,
    orbits: &[Orbit],
    x: Span,
    v: Span,
    periods: usize,
) -> Result<Basins, Error> {
    x.check()?;
    v.check()?;
    let attraction = Attraction::new(forced, orbits, periods)?;
    let rows = map(v.count, |j| Ok::<_, Error>(attraction.row(&x, v.value(j))))?;
    Ok(Basins { x, v, reached: rows.into_iter().flatten().collect() })
}
