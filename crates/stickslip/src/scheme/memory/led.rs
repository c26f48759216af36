//! Motions whose way is given, in closed form.

use super::arc::led;
use super::ends::Ends;
use super::flow::{Flow, Window, shown};
use super::{Held, System};
use crate::law::memory::Run;
use crate::model::Hysteretic;
use crate::roots::{GivenUp, Jet, Touch, first_root};
use crate::scheme::event_loop::{Failure, Hit};

/// Parts of a way to one side at whose ends the margins of the law are looked at.
const LOOKS: usize = 32;
/// Halvings of a part in the search for an event.
const HALVINGS: usize = 100;

impl System {
    /// What ends the way to one side from `t` to `until` (s).
    pub(super) fn follow_way(
        &mut self,
        t: f64,
        held: &Held,
        until: f64,
    ) -> Result<Option<Hit<Ends>>, Failure> {
        let model = self.model.clone();
        let run = Run { side: held.side, regions: &held.regions };
        let flow = Flow::new(&model, t, run, self.options);
        let turn = turns(&flow, t, until)?;
        let to = turn.unwrap_or(until);
        self.fastest = (0..=8)
            .map(|k| flow.point(t + (to - t) * 0.125 * f64::from(k), &[]).w.abs())
            .fold(self.fastest, f64::max);
        let leaves = leaves(&model, &flow, t, held, to);
        Ok(leaves.or(turn.map(|time| Hit { time, what: Ends::Turns })))
    }
}

/// When the given velocity first leaves the side of the motion.
fn turns(flow: &Flow<'_>, t: f64, until: f64) -> Result<Option<f64>, GivenUp> {
    let Window::Led(way) = &flow.window else { return Ok(None) };
    let side = flow.run.side;
    if way.is_affine() {
        return Ok((side * way.derivatives(t)[1] < 0.0).then_some(t));
    }
    // |x⁗| bounds the third derivative of the velocity.
    let bound = way.derivative_bound(4);
    let size = way.derivatives(t).map(f64::abs);
    let noise = 4.0 * f64::EPSILON * size[1].max(way.derivative_bound(1));
    let root = first_root(t, until, noise, Touch::Passes, |s| {
        let [_, v, a, j] = way.derivatives(s);
        [Jet { value: side * v, first: side * a, second: side * j, third: 0.0, bound, growth: 0.0 }]
    })?;
    Ok(root.map(|r| r.at))
}

/// When a part of the law first leaves its region on the way from `t` to `to` (s). Along a way to one side the margins of
/// rate-independent laws are monotone.
fn leaves(model: &Hysteretic, flow: &Flow<'_>, t: f64, held: &Held, to: f64) -> Option<Hit<Ends>> {
    let parts = flow.law.parts();
    let mut from = held.y.clone();
    shown(model, &mut from);
    let mut z = from.clone();
    let mut margins = vec![0.0; 1 + parts];
    let mut margin = |s: f64, part: usize| {
        z.copy_from_slice(&from);
        led(flow, t, s, &mut z);
        flow.margins(s, &z, &mut margins);
        margins[1 + part]
    };
    let mut first: Option<Hit<Ends>> = None;
    for part in 0..parts {
        let ends = |k: usize| t + (to - t) * (k as f64 / LOOKS as f64);
        // An element that slides at a constant limit stays where its margin ends. At the start that is what it has come from.
        let ended = |k: &usize, margin: f64| if *k == 0 { margin < 0.0 } else { margin <= 0.0 };
        let Some(k) = (0..=LOOKS).find(|k| ended(k, margin(ends(*k), part))) else { continue };
        let mut a = ends(k.saturating_sub(1));
        let mut b = ends(k);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (a + b);
            if middle <= a || middle >= b {
                break;
            }
            if margin(middle, part) <= 0.0 { b = middle } else { a = middle }
        }
        if first.as_ref().is_none_or(|f| b < f.time) {
            first = Some(Hit { time: b, what: Ends::Leaves(part) });
        }
    }
    first
}
