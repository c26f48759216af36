//! In which status a controller goes on after an event.

use super::{BEYOND, CLAMPED, FREE, HELD, Switch};
use crate::error::Error;
use crate::scheme::machine::flow::{Flow, Instant};
use crate::scheme::machine::guards::Ends;
use crate::scheme::machine::mode::Mode;
use crate::scheme::machine::parts::Window;
use crate::scheme::machine::{Masses, System};

/// A force that is so near its limit, over the size of its terms, is at it.
const AT_LIMIT: f64 = 1e-12;
/// A velocity below this share of its greatest is zero.
const TURNS: f64 = 1e-12;

impl System {
    /// Everything at `t` in these statuses, accelerations included.
    pub(in crate::scheme::machine) fn look(
        &mut self,
        t: f64,
        window: &Window<'_>,
        state: &Masses,
        status: &[i8],
    ) -> Result<Instant, Error> {
        let mode = self.mode(status)?;
        Ok(self.flow_in(&mode, window, state).look(t, state))
    }

    /// The equations of motion in a mode that begins in `state`.
    pub(in crate::scheme::machine) fn flow_in<'a>(
        &'a self,
        mode: &'a Mode,
        window: &Window<'a>,
        state: &'a Masses,
    ) -> Flow<'a> {
        Flow {
            parts: &self.parts,
            mode,
            window: window.clone(),
            x0: &state.x,
            gap0: &state.gap,
            applied: &state.control.applied,
            pieces: &state.pieces,
        }
    }

    /// The statuses of continuous controllers at `t`, as far as they follow from displacements and velocities. At a limit, to
    /// rounding, the status before is kept, and [`level`](Self::level) looks at accelerations too.
    pub(in crate::scheme::machine) fn aim(
        &self,
        t: f64,
        window: &Window<'_>,
        state: &Masses,
        status: &mut [i8],
        hit: Option<Ends>,
    ) {
        let parts = &self.parts;
        if parts.loops.is_empty() {
            return;
        }
        // Displacements and velocities are enough here: no acceleration is known before the statuses are.
        let mut at = Instant::of(parts);
        self.show(t, state, window, &mut at);
        for c in 0..parts.loops.len() {
            let place = parts.status_of(c);
            let own = match hit {
                Some(Ends::Switches(k, switch)) if k == c => Some(switch),
                _ => None,
            };
            // The sign is taken anew only where it may have changed: elsewhere rounding would decide.
            if hit.is_none() || own == Some(Switch::Turns) {
                status[place + 1] = self.heading(c, t, window);
            }
            let Some(limit) = parts.limit_of(c) else { continue };
            let [u, size] = parts.wanted(c, t, status[place + 1], window, &at);
            let e = parts.deviation(c, t, window, &at).value;
            let beyond = |upper: i8| {
                // The integral stands still only while the error drives it further out.
                let pushes = f64::from(upper) * parts.gains(c).integral * e > 0.0;
                upper * if parts.clamps(c) && pushes { CLAMPED } else { BEYOND }
            };
            let upper = status[place].signum();
            // A switch that was found says by itself what comes next; rounding of its guard must not contradict
            // it.
            status[place] = match own {
                Some(Switch::Reaches(up)) => beyond(if up { 1 } else { -1 }),
                Some(Switch::Returns | Switch::Sinks) => FREE,
                Some(Switch::Pushes | Switch::Leaves) => upper * CLAMPED,
                Some(Switch::Relents) => upper * BEYOND,
                Some(Switch::Turns) | None => {
                    let over = u.abs() - limit.force;
                    // At the limit to rounding, the force says nothing about the side: `level` looks at how it
                    // changes.
                    if over.abs() <= AT_LIMIT * (limit.force + size) {
                        status[place]
                    } else if over <= 0.0 {
                        FREE
                    } else if status[place].abs() >= BEYOND && upper == sign(u) {
                        // Beyond the same limit as before: whether the integral runs has not changed either.
                        status[place]
                    } else {
                        beyond(sign(u))
                    }
                }
            };
        }
    }

    /// The sign of the velocity for which controller `c` feeds forward from `t` on.
    fn heading(&self, c: usize, t: f64, window: &Window<'_>) -> i8 {
        let [w, rate, second] = self.parts.expected(c, t, window);
        let size = self.parts.expected_size(c, t, window);
        let scale = [size, rate.abs(), second.abs()];
        // Where the velocity passes zero, its first derivative that does not vanish tells the sign from now on.
        let first = [w, rate, second].into_iter().zip(scale).find(|(d, s)| d.abs() > TURNS * s);
        first.map_or(0, |(d, _)| sign(d))
    }

    /// Where a force is at its limit and its integral is clamped, what follows depends on how the rest of the force changes:
    /// beyond the limit, back inside, or along it.
    ///
    /// # Errors
    /// If the motion that follows cannot be stated.
    pub(in crate::scheme::machine) fn level(
        &mut self,
        t: f64,
        window: &Window<'_>,
        state: &mut Masses,
        status: &mut [i8],
        hit: Option<Ends>,
    ) -> Result<(), Error> {
        let parts = self.parts.clone();
        for c in 0..parts.loops.len() {
            let place = parts.status_of(c);
            let crosses = match hit {
                Some(Ends::Switches(k, Switch::Reaches(up))) if k == c => {
                    Some(if up { 1 } else { -1 })
                }
                Some(Ends::Switches(k, Switch::Returns)) if k == c => {
                    self.left(c, window, t, state, status)
                }
                _ => None,
            };
            // What was held at its limit may not be held any longer after any event.
            let stays = (status[place].abs() == HELD).then(|| status[place].signum());
            let Some(upper) = crosses.or(stays).filter(|_| parts.clamps(c)) else { continue };
            let at = self.look(t, window, state, status)?;
            let pull = f64::from(upper);
            let e = parts.deviation(c, t, window, &at).value;
            let integral = parts.gains(c).integral;
            // The two rates at which the force can change: with the integral standing still, and with it
            // running.
            let without = pull * parts.drift(c, t, window, &at);
            let with = without + pull * integral * e;
            // The error drives outwards: beyond the limit the integral stands still, inside it runs. Where the
            // first of these rates goes out and the second comes in, neither lasts, and the force stays at the
            // limit.
            status[place] = if pull * integral * e > 0.0 {
                if without >= 0.0 {
                    upper * CLAMPED
                } else if with <= 0.0 {
                    FREE
                } else {
                    upper * HELD
                }
            } else if with > 0.0 {
                // The error drives inwards, so that the integral runs on both sides of the limit: one rate decides.
                upper * BEYOND
            } else {
                FREE
            };
            if status[place].abs() == HELD {
                self.snap(t, window, state, status);
            }
        }
        Ok(())
    }

    /// Through which limit the force of controller `c` has just come back.
    fn left(
        &self,
        c: usize,
        window: &Window<'_>,
        t: f64,
        state: &Masses,
        status: &[i8],
    ) -> Option<i8> {
        let mut at = Instant::of(&self.parts);
        self.show(t, state, window, &mut at);
        let side = status[self.parts.status_of(c) + 1];
        Some(sign(self.parts.wanted(c, t, side, window, &at)[0]))
    }

    /// Sets the integrals of controllers that are held at a limit to what holds them there, without what steps have missed.
    pub(in crate::scheme::machine) fn snap(
        &self,
        t: f64,
        window: &Window<'_>,
        state: &mut Masses,
        status: &[i8],
    ) {
        let parts = &self.parts;
        let held = |c: &usize| status[parts.status_of(*c)].abs() == HELD;
        for c in (0..parts.loops.len()).filter(held) {
            let mut at = Instant::of(parts);
            self.show(t, state, window, &mut at);
            let Some(limit) = parts.limit_of(c) else { continue };
            let place = parts.status_of(c);
            let [u, _] = parts.wanted(c, t, status[place + 1], window, &at);
            let wanted = f64::from(status[place].signum()) * limit.force;
            // Only the integral is free to take up the rounding of the step.
            state.control.states[parts.loops[c].first] += (wanted - u) / parts.gains(c).integral;
        }
    }
}

fn sign(x: f64) -> i8 {
    if x > 0.0 { 1 } else { -1 }
}
