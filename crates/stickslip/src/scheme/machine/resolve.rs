//! What comes after an event: who rests, who slips.

use super::complementarity::{self, Stand};
use super::flow::{Instant, stretch};
use super::guards::Ends;
use super::mode::Mode;
use super::parts::Window;
use super::{Masses, System, unsuitable};
use crate::error::Error;
use crate::motion::{Event, EventKind, NetworkPhase, Phase, State};
use crate::scheme::event_loop::Begins;

/// A relative velocity below this share of its terms is zero.
const ZERO: f64 = 1e-13;
/// An acceleration below this share of its terms is zero.
const STILL: f64 = 1e-11;

impl System {
    /// What begins at `t` in a state that was not reached by a motion: what does not move rests if it can.
    pub(super) fn set_out(&mut self, t: f64, mut state: Masses) -> Result<Begins<Self>, Error> {
        let parts = self.parts.clone();
        let window = parts.window(t);
        let given: Vec<f64> = window.given.iter().map(|g| g.at(t)[1]).collect();
        let mut status: Vec<i8> = vec![0; parts.rows.len()];
        for (e, row) in parts.rows.iter().enumerate() {
            let [w, size] = speed(row, &state.v, &given);
            if w.abs() > ZERO * size {
                status[e] = if w > 0.0 { 1 } else { -1 };
            }
        }
        self.decide(t, &window, &mut state, &mut status)?;
        Ok((state, status.into()))
    }

    /// What comes after a motion in `phase` that is over at `t` in `state`, adding to `events` what happened.
    pub(super) fn resolve(
        &mut self,
        t: f64,
        mut state: Masses,
        phase: &NetworkPhase,
        hit: Option<Ends>,
        mode: &Mode,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        let parts = self.parts.clone();
        let window = parts.window(t);
        let mut status = phase.to_vec();
        match hit {
            Some(Ends::Rests(e)) => status[e] = 0,
            Some(Ends::GivesWay(d)) => {
                for (e, w) in &mode.directions[d].rows {
                    status[*e] = if *w > 0.0 { 1 } else { -1 };
                }
            }
            Some(Ends::Pauses) => {}
            None => {
                // What is given may jump to another velocity, and carries nothing along that only friction holds.
                let given: Vec<f64> = window.given.iter().map(|g| g.at(t)[1]).collect();
                for (e, row) in parts.rows.iter().enumerate() {
                    let [w, size] = speed(row, &state.v, &given);
                    let kicked = w.abs() > ZERO * size;
                    if kicked && (status[e] == 0 || w * f64::from(status[e]) < 0.0) {
                        status[e] = if w > 0.0 { 1 } else { -1 };
                    } else if !kicked {
                        status[e] = 0;
                    }
                }
            }
        }
        self.decide(t, &window, &mut state, &mut status)?;
        for e in 0..status.len() {
            let changed = EventKind::between(Phase::of_sign(phase[e]), Phase::of_sign(status[e]));
            let Some(kind) = changed else { continue };
            state.since[e] = t;
            events.push(self.event(kind, t, e, &state, &window));
        }
        Ok((state, status.into()))
    }

    /// An event of slider `e`.
    fn event(
        &self,
        kind: EventKind,
        t: f64,
        e: usize,
        state: &Masses,
        window: &Window<'_>,
    ) -> Event {
        let mut at = Instant::of(&self.parts);
        self.show(t, state, window, &mut at);
        let ends = self.parts.machine.network().sliders()[e].between();
        let u = State { x: stretch(&at.node_x, ends), v: stretch(&at.node_v, ends) };
        Event::new(kind, t, e, u)
    }

    /// Displacements and velocities in `state` at `t`.
    fn show(&self, t: f64, state: &Masses, window: &Window<'_>, at: &mut Instant) {
        for (now, piece) in at.given.iter_mut().zip(&window.given) {
            *now = piece.at(t);
        }
        at.x.copy_from_slice(&state.x);
        at.v.copy_from_slice(&state.v);
        self.parts.nodes(t, at);
    }

    /// Lets those of the rows at rest slip that cannot rest, and gives what rests one velocity.
    fn decide(
        &mut self,
        t: f64,
        window: &Window<'_>,
        state: &mut Masses,
        status: &mut [i8],
    ) -> Result<(), Error> {
        let parts = self.parts.clone();
        let n = parts.masses();
        let mut at = Instant::of(&parts);
        loop {
            let held: Vec<usize> =
                (0..status.len()).filter(|&e| parts.holds(e, status[e])).collect();
            self.join(window, t, state, status)?;
            self.show(t, state, window, &mut at);
            parts.forces(t, window, status, &mut at);
            let free: Vec<f64> = (0..n)
                .map(|i| (0..n).map(|j| parts.inverse[i * n + j] * at.force[j]).sum())
                .collect();
            let u: Vec<f64> =
                held.iter().map(|e| parts.rows[*e].value(&free, |g| at.given[g][2])).collect();
            let limits: Vec<[f64; 2]> = held
                .iter()
                .map(|&e| {
                    let limit = |side: f64| {
                        let age = (t - state.since[e]).max(0.0);
                        parts.limit(e, side, age, window.normal(e, t))
                    };
                    [-limit(1.0), limit(-1.0)]
                })
                .collect();
            let a = parts.compliance(&held);
            let Some((lambda, stands)) = complementarity::solve(&a, &u, &limits) else {
                return Err(unsuitable("what its sliders do at one instant cannot be decided"));
            };
            let mut gives = false;
            for (k, &e) in held.iter().enumerate() {
                let m = held.len();
                let terms = (0..m).map(|j| a[k * m + j] * lambda[j]);
                let acceleration = terms.clone().sum::<f64>() + u[k];
                let size = terms.map(f64::abs).sum::<f64>() + u[k].abs();
                if stands[k] != Stand::Inside && acceleration.abs() > STILL * size {
                    status[e] = if acceleration > 0.0 { 1 } else { -1 };
                    gives = true;
                }
            }
            if !gives {
                return Ok(());
            }
        }
    }

    /// Gives masses that are held together one velocity: that which keeps their momentum.
    fn join(
        &mut self,
        window: &Window<'_>,
        t: f64,
        state: &mut Masses,
        status: &[i8],
    ) -> Result<(), Error> {
        let mode = self.mode(status)?;
        let given: Vec<f64> = window.given.iter().map(|g| g.at(t)[1]).collect();
        let groups = mode.group_velocities(&self.parts, &state.v, |g| given[g]);
        for (v, carried) in state.v.iter_mut().zip(&mode.carried) {
            let own = carried.group.map_or(0.0, |g| carried.ratio * groups[g]);
            *v = own + carried.given.iter().map(|(g, c)| c * given[*g]).sum::<f64>();
        }
        Ok(())
    }
}

/// The relative velocity of a row and the size of its terms.
fn speed(row: &super::parts::Row, v: &[f64], given: &[f64]) -> [f64; 2] {
    let masses = row.masses.iter().map(|(i, c)| c * v[*i]);
    let terms = masses.chain(row.given.iter().map(|(g, c)| c * given[*g]));
    [terms.clone().sum(), terms.map(f64::abs).sum()]
}
