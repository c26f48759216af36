//! Instants at which several sliders may be the first to give way, and at which that decides what all of them do.
//!
//! A slider that breaks away holds less than before, and what it no longer holds is passed on at once by others that stick. Where several ways
//! to break reach their limits together, each of them is tried as the first: what gives way with it, and what is relieved by it. If the
//! outcomes differ the motion is not the only one.

use super::flow::{Flow, Instant};
use super::mode::Mode;
use super::parts::{OPEN, Window};
use super::{Masses, System};
use crate::error::Error;
use crate::motion::Warning;

/// Loads nearer to their limits than this part of their terms may be at them.
const KNOWN: f64 = 1e-10;
/// What is relieved is further from its limit than this part: what others do not reach stays where it was, and gives way next.
const RELIEVED: f64 = 1e-6;

/// Loads of a motion with errors are known to this many times the relative tolerance, as those of one mass are.
const BLURRED: f64 = 100.0;

/// The end of a motion in some mode.
pub(super) struct Over<'a> {
    pub mode: &'a Mode,
    pub t: f64,
    pub window: &'a Window<'a>,
    pub state: &'a Masses,
}

/// Rows that give way together, each with its new status.
type Way = Vec<(usize, i8)>;

/// Whether a row that begins to slip with the sign of `w` holds less then than at rest.
fn falls(flow: &Flow<'_>, at: &Instant, over: &Over<'_>, (e, w): (usize, f64)) -> bool {
    flow.fall(e, w.signum(), over.t, over.t - over.state.since[e], at) > 0.0
}

impl System {
    /// Warns where what rests in `base` could also have given way to something else than `chosen`. `reached` is the way in the mode that is over
    /// whose limit has just been reached, if that is what has happened.
    pub(super) fn note_orders(
        &mut self,
        over: &Over<'_>,
        base: &[i8],
        chosen: &[i8],
        reached: Option<usize>,
    ) -> Result<(), Error> {
        let sliders = 0..self.parts.sliders;
        if !sliders.clone().any(|e| base[e] == 0 && chosen[e] != 0) {
            return Ok(());
        }
        let (ways, falls) = if over.mode.status == base {
            self.ways(over, reached)
        } else {
            // What has been reached is a way of the mode that is over.
            let mode = self.mode(base)?;
            self.ways(&Over { mode: &mode, ..*over }, None)
        };
        let Over { t, window, state, .. } = *over;
        if ways.len() < 2 || !falls {
            return Ok(());
        }
        let mut apart = false;
        for way in &ways {
            let mut status = base.to_vec();
            way.iter().for_each(|(e, s)| status[*e] = *s);
            let mut state = state.clone();
            if self.decide(t, window, &mut state, &mut status).is_err() {
                continue; // it cannot be the first
            }
            let began = sliders.clone().filter(|e| base[*e] == 0 && status[*e] != 0);
            let began: Vec<usize> = began.collect();
            if self.driven_back(t, window, &state, &status, &began)?.is_some() {
                continue; // others drive it back at once
            }
            for e in sliders.clone().filter(|e| status[*e] != chosen[*e]) {
                let rests = if status[e] == 0 { &status[..] } else { chosen };
                let mode = self.mode(rests)?;
                let then = Over { mode: &mode, t, window, state: &state };
                apart |= rests[e] != 0 || self.is_relieved(&then, e);
            }
        }
        if apart {
            let sliders = self.names(|e| ways.iter().flatten().any(|(row, _)| *row == e));
            self.warnings.push(match reached {
                Some(_) => Warning::ReachedTogether { sliders, time: t },
                None => Warning::OrderDecides { sliders, time: t },
            });
        }
        Ok(())
    }

    /// Warns where slider `e` comes to rest under a load that is the one it gives way to, as far as the scheme knows it. In `base` it rests.
    pub(super) fn note_rest(
        &mut self,
        over: &Over<'_>,
        base: &[i8],
        e: usize,
    ) -> Result<(), Error> {
        let known =
            if self.linear.is_some() { KNOWN } else { (BLURRED * self.options.rtol).min(0.1) };
        let mut nearest = f64::INFINITY;
        let mut sliders = Vec::new();
        let mode = self.mode(base)?;
        self.margins(&Over { mode: &mode, ..*over }, |flow, at, d, [margin, size]| {
            let rows = &flow.mode.directions[d].rows;
            // The limit and the load, which are the terms of the margin, are alike there.
            let distance = 2.0 * margin.abs() / size;
            let falls = || rows.iter().any(|row| falls(flow, at, over, *row));
            if distance <= known && rows.iter().any(|row| row.0 == e) && falls() {
                nearest = distance.min(nearest);
                sliders.extend(rows.iter().map(|row| row.0));
            }
        });
        if nearest <= known {
            let sliders = self.names(|row| sliders.contains(&row));
            self.warnings.push(Warning::SlidersRestAtLimit {
                sliders,
                time: over.t,
                margin: nearest,
            });
        }
        Ok(())
    }

    /// The names of these sliders.
    pub(super) fn names(&self, which: impl Fn(usize) -> bool) -> Vec<String> {
        let all = self.parts.machine.network().sliders().iter().enumerate();
        all.filter(|(e, _)| which(*e)).map(|(_, s)| s.name.to_string()).collect()
    }

    /// The ways to break that are at their limits or beyond them where everything in `base` is held, and whether any slider in them holds less
    /// in slip than at rest.
    fn ways(&self, over: &Over<'_>, reached: Option<usize>) -> (Vec<Way>, bool) {
        let mut any_falls = false;
        let mut ways = Vec::new();
        self.margins(over, |flow, at, d, [margin, size]| {
            if margin > KNOWN * size && reached != Some(d) {
                return;
            }
            let parts = flow.parts;
            let rows = &flow.mode.directions[d].rows;
            any_falls |= rows.iter().any(|row| falls(flow, at, over, *row));
            let status = |(e, w): &(usize, f64)| match (*e < parts.sliders, *w > 0.0) {
                (true, ahead) => (*e, if ahead { 1 } else { -1 }),
                (false, _) => (*e, OPEN),
            };
            ways.push(rows.iter().map(status).collect());
        });
        (ways, any_falls)
    }

    /// Whether every way to break in which row `e` moves is clearly within its limit.
    fn is_relieved(&self, over: &Over<'_>, e: usize) -> bool {
        let mut relieved = true;
        self.margins(over, |flow, _, d, [margin, size]| {
            let moves = flow.mode.directions[d].rows.iter().any(|(row, _)| *row == e);
            relieved &= !moves || margin > RELIEVED * size;
        });
        relieved
    }

    /// Shows how far each way to break is from its limit, N, and the size of the terms of that.
    fn margins(&self, over: &Over<'_>, mut each: impl FnMut(&Flow<'_>, &Instant, usize, [f64; 2])) {
        let Over { mode, t, window, state } = *over;
        let flow = self.flow_in(mode, window, state);
        let at = flow.look(t, state);
        for d in 0..mode.directions.len() {
            each(&flow, &at, d, flow.margin(d, t, &state.since, &at));
        }
    }
}
