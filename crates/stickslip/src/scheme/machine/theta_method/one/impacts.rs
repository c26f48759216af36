//! Impacts at the end of a step.

use super::One;
use crate::error::Error;
use crate::model::Bumper;
use crate::scheme::machine::impact::{STAYS, Strike, TOUCHES};
use crate::scheme::machine::parts::{CLOSED, OPEN, ZERO, speed};
use crate::scheme::machine::theta_method::node::Node;
use crate::scheme::machine::theta_method::places::reach;
use crate::scheme::machine::theta_method::rows::sign;

/// Rounds of impacts at one instant, in the last of which nothing bounces.
const MOST_ROUNDS: usize = 50;
/// The share of what an impulse does to a velocity that may be its rounding.
const ROUNDING: f64 = 1e-10;

/// What impacts write to.
#[derive(Debug, Clone, Default)]
pub(super) struct Impacts {
    /// The velocity of what is given, m/s.
    given: Vec<f64>,
    /// The rows that close or are closed; the restitution of those that are met.
    rows: Vec<usize>,
    restitution: Vec<Option<f64>>,
    strike: Strike,
}

impl One {
    /// Impacts at the end of the step: contacts that are passed and close. One that pushed all the step long does not bounce:
    /// what would come back within a step is over. Where an impact makes another contact close, that one is met next.
    pub(super) fn collide(&mut self, next: f64, to: &mut Node) -> Result<(), Error> {
        to.blows.clear();
        let mut room = std::mem::take(&mut self.impacts);
        let met = self.collide_in(next, to, &mut room);
        self.impacts = room;
        met
    }

    fn collide_in(&mut self, next: f64, to: &mut Node, room: &mut Impacts) -> Result<(), Error> {
        let parts = self.parts.clone();
        let Impacts { given, rows, restitution, strike } = room;
        given.clear();
        given.extend(self.after.given.iter().map(|g| g[1]));
        for round in 0..MOST_ROUNDS {
            // Blows that follow each other without an end are over at last.
            let bounces = round + 1 < MOST_ROUNDS;
            self.closing(to, given, bounces, rows, restitution);
            if restitution.iter().all(Option::is_none) {
                break;
            }
            parts.strike_in(next, rows, restitution, given, &mut to.v, strike)?;
            for (k, met) in strike.met.iter().enumerate() {
                let row = &parts.rows[rows[k]];
                let mean = 0.5 * (met.before + speed(row, &to.v, given)[0]);
                let bound: f64 = row.given.iter().map(|(g, c)| c * given[*g]).sum();
                // On the masses a contact does p times the mean of their part of its velocity.
                self.energy.impacts -= met.impulse * mean;
                self.energy.work -= met.impulse * bound;
                to.lost -= met.impulse * mean;
                if restitution[k].is_some() {
                    to.note(met);
                }
            }
        }
        if to.blows.is_empty() {
            return Ok(());
        }
        for blow in &mut to.blows {
            let row = parts.sliders + blow.contact;
            let [after, size] = speed(&parts.rows[row], &to.v, given);
            blow.after = after;
            let pushed = parts.compliance_of(row, row) * blow.impulse;
            let stays = after <= STAYS * size + ROUNDING * pushed;
            to.doing[row] = if stays { CLOSED } else { OPEN };
        }
        for e in 0..parts.rows.len() {
            let [w, size] = speed(&parts.rows[e], &to.v, given);
            let moves = w.abs() > STAYS * size;
            if e >= parts.sliders {
                // What pushed and was not met may have been torn open.
                let met = to.blows.iter().any(|b| parts.sliders + b.contact == e);
                let leaves = w > self.slack(e, to) + STAYS * size;
                if to.doing[e] == CLOSED && !met && leaves {
                    to.doing[e] = OPEN;
                }
                continue;
            }
            if parts.memory(e).is_some() {
                continue;
            }
            let now = if moves { sign(w) } else { 0 };
            if now != to.doing[e] {
                to.doing[e] = now;
                to.since[e] = next;
            }
        }
        self.struck(to);
        self.after.v.copy_from_slice(&to.v);
        parts.node_velocities(&mut self.after);
        Ok(())
    }

    /// The rows of rigid contacts that close, each with its restitution, and those that push and are at rest.
    fn closing(
        &self,
        to: &Node,
        given: &[f64],
        bounces: bool,
        rows: &mut Vec<usize>,
        restitution: &mut Vec<Option<f64>>,
    ) {
        let parts = &self.parts;
        rows.clear();
        restitution.clear();
        for (c, contact) in parts.contacts.iter().enumerate() {
            let Bumper::Rigid { restitution: e } = contact.bumper else { continue };
            let row = parts.sliders + c;
            let pressed = to.arrived[row] == CLOSED;
            let [u, size] = speed(&parts.rows[row], &to.v, given);
            let slack = ZERO * size + if pressed { self.slack(row, to) } else { 0.0 };
            let touches = to.gap[c] <= TOUCHES * reach(parts, c, &self.after);
            if (pressed || touches) && u < -slack {
                rows.push(row);
                restitution.push(Some(if pressed || !bounces { 0.0 } else { e }));
            } else if pressed && u <= slack {
                rows.push(row);
                restitution.push(None);
            }
        }
    }

    /// The velocity with which a contact that pushes may seem to open, m/s: its place is right to rounding, its velocity to what a
    /// bound gains in a step, and to the rounding of what its impulse does.
    fn slack(&self, row: usize, to: &Node) -> f64 {
        let given = self.parts.rows[row].given.iter();
        let gained: f64 = given.map(|(g, c)| (c * self.after.given[*g][2]).abs()).sum();
        2.0 * self.h * gained + ROUNDING * self.parts.compliance_of(row, row) * to.impulse[row]
    }
}
