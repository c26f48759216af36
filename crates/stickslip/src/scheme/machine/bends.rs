//! Springs and normal forces that are made of pieces.
//!
//! A spring by a table, or with play, has a formula for each piece of its elongation; a slider that a spring presses has one
//! where it is pressed and one where it is lifted off. The machine remembers on which piece each of them is. Steps go on with
//! that formula beyond its end, which is an event, so that no step crosses a kink.

use super::flow::{Flow, Instant, stretch};
use super::guards::Ends;
use super::parts::{PUSHES, Parts, Window, ZERO};
use super::pieces::Of;
use super::{Masses, System};
use crate::model::Bumper;
use crate::model::machine::{Press, Presser};

/// A number, its rate, and the sizes of their terms.
#[derive(Debug, Clone, Copy, Default)]
struct Moving {
    value: f64,
    size: f64,
    rate: f64,
    rate_size: f64,
}

/// A number this near to the end of a piece, over the size of its terms, is there.
const AT_EDGE: f64 = 1e-12;

impl Parts {
    /// Adds the ends of the pieces on which everything is.
    pub fn edges(&self, pieces: &[u32], guards: &mut Vec<Ends>) {
        for (b, (bend, piece)) in self.bends.all.iter().zip(pieces).enumerate() {
            if (*piece as usize) < bend.edges.len() {
                guards.push(Ends::Bends(b, true));
            }
            if *piece > 0 {
                guards.push(Ends::Bends(b, false));
            }
        }
    }

    /// The pull of spring number `k` at its elongation `z` (m) on the piece where it is, and its slope.
    pub fn spring_pull(&self, k: usize, z: f64, at: &Instant) -> [f64; 2] {
        let piece = self.bends.of_spring[k].map_or(0, |b| at.pieces[b] as usize);
        self.machine.springs()[k].curve.along(piece, z)
    }

    /// What the numbers of the law of slider `e` are multiplied by at `t` (s).
    pub fn normal(
        &self,
        e: usize,
        t: f64,
        window: &Window<'_>,
        status: &[i8],
        at: &Instant,
    ) -> f64 {
        let Some(press) = self.machine.frictions().get(e).and_then(|f| f.press) else {
            return window.normal(e, t);
        };
        match press.by {
            // On the piece where it is lifted off nothing is left; beyond the end of the other one, where stages may look, its
            // formula goes on.
            Presser::Spring(_) => match self.bends.of_slider[e] {
                Some(b) if at.pieces[b] == 0 => 0.0,
                _ => self.pressing(e, press, t, window, at).value,
            },
            Presser::Stop(stop) => {
                let sides = self.contacts.iter().enumerate().filter(|(_, c)| c.stop == stop);
                let pushes = sides.filter(|(c, _)| status[self.sliders + c] == PUSHES);
                let push = pushes.map(|(c, _)| self.push_of(c, at)).sum::<f64>();
                window.own_normal(e, t)[0] + press.factor * push
            }
        }
    }

    /// N₀ + factor · f of the slider `e` that a spring presses, before what is negative is cut off.
    fn pressing(
        &self,
        e: usize,
        press: Press,
        t: f64,
        window: &Window<'_>,
        at: &Instant,
    ) -> Moving {
        let Presser::Spring(k) = press.by else { return Moving::default() };
        let ends = self.machine.springs()[k].between();
        let [own, own_rate] = window.own_normal(e, t);
        let [pull, slope] = self.spring_pull(k, stretch(&at.node_x, ends), at);
        let speeds: f64 = ends.iter().flatten().map(|i| at.node_v[*i].abs()).sum();
        let ways: f64 = ends.iter().flatten().map(|i| at.node_x[*i].abs()).sum();
        let [factor, steep] = [press.factor, (press.factor * slope).abs()];
        Moving {
            value: own + factor * pull,
            size: own.abs() + (factor * pull).abs() + steep * ways,
            rate: own_rate + factor * slope * stretch(&at.node_v, ends),
            rate_size: own_rate.abs() + steep * speeds,
        }
    }

    /// The force with which the soft contact `c` pushes while it does, N.
    pub fn push_of(&self, c: usize, at: &Instant) -> f64 {
        let Bumper::Soft { stiffness, damping } = self.contacts[c].bumper else { return 0.0 };
        let u = self.rows[self.sliders + c].value(&at.v, |g| at.given[g][1]);
        -stiffness * at.gap[c] - damping * u
    }

    /// That of which bend number `b` is a function, on the pieces of `at`.
    fn bent(&self, b: usize, t: f64, window: &Window<'_>, at: &Instant) -> Moving {
        match self.bends.all[b].of {
            Of::Spring(k) => {
                let ends = self.machine.springs()[k].between();
                let size = |u: &[f64]| ends.iter().flatten().map(|i| u[*i].abs()).sum::<f64>();
                Moving {
                    value: stretch(&at.node_x, ends),
                    size: size(&at.node_x),
                    rate: stretch(&at.node_v, ends),
                    rate_size: size(&at.node_v),
                }
            }
            Of::Press(e) => match self.machine.frictions()[e].press {
                Some(press) => self.pressing(e, press, t, window, at),
                None => Moving::default(),
            },
        }
    }

    /// The piece on which everything is where the machine is `at` at `t` (s), by places alone: for steps, which may cross kinks.
    pub fn find_pieces(&self, t: f64, window: &Window<'_>, at: &mut Instant) {
        for (b, bend) in self.bends.all.iter().enumerate() {
            // Springs come first, so what they press is known when it is asked for.
            let now = self.bent(b, t, window, at).value;
            at.pieces[b] = bend.edges.partition_point(|edge| *edge <= now) as u32;
        }
    }

    /// Where the instants stand at which each of them came to its piece, among those of all statuses.
    pub fn since_of_bend(&self, b: usize) -> usize {
        self.statuses() + b
    }
}

impl Flow<'_> {
    /// How far bend number `b` is from the upper or the lower end of its piece, and the size of its terms.
    pub fn to_edge(&self, b: usize, up: bool, t: f64, at: &Instant) -> [f64; 2] {
        let now = self.parts.bent(b, t, &self.window, at);
        let piece = at.pieces[b] as usize;
        let edges = &self.parts.bends.all[b].edges;
        let edge = if up { edges[piece] } else { edges[piece - 1] };
        [if up { edge - now.value } else { now.value - edge }, now.size + edge.abs()]
    }
}

impl System {
    /// On which piece everything goes on at `t`: at the end of one, on that to which it moves.
    pub(super) fn enter_pieces(
        &self,
        t: f64,
        window: &Window<'_>,
        state: &mut Masses,
        hit: Option<Ends>,
    ) {
        let parts = &self.parts;
        if parts.bends.all.is_empty() {
            return;
        }
        let mut at = Instant::of(parts);
        self.show(t, state, window, &mut at);
        for b in 0..parts.bends.all.len() {
            let now = parts.bent(b, t, window, &at);
            let edges = &parts.bends.all[b].edges;
            let before = at.pieces[b] as usize;
            let near = |edge: &f64| {
                // The instant of an event is known to a rounding, in which it moves on.
                let moves = 4.0 * f64::EPSILON * t.abs() * now.rate.abs();
                (now.value - edge).abs() <= AT_EDGE * (now.size + edge.abs()) + moves
            };
            let crossed = match hit {
                Some(Ends::Bends(k, up)) if k == b => {
                    Some((if up { before } else { before - 1 }, up))
                }
                _ => None,
            };
            let edge = crossed.map(|c| c.0).or_else(|| edges.iter().position(near));
            let clear = now.rate.abs() > ZERO * now.rate_size;
            let piece = match edge {
                None => edges.partition_point(|e| *e < now.value),
                Some(k) if clear => k + usize::from(now.rate > 0.0),
                Some(k) => crossed.map_or(before.clamp(k, k + 1), |(_, up)| k + usize::from(up)),
            };
            // At an end, and with no velocity that tells the way, the step that follows looks.
            let since = if edge.is_some() && !clear { f64::NEG_INFINITY } else { t };
            if piece != before || edge.is_some() {
                state.since[parts.since_of_bend(b)] = since;
            }
            at.pieces[b] = piece as u32;
        }
        state.pieces.copy_from_slice(&at.pieces);
    }
}
