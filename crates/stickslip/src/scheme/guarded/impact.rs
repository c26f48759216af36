//! A mass between rigid walls that is integrated from outside.
//!
//! ```text
//! flight:   x − a_lower  and  a_upper − x                 contact:  the force that presses the mass to its wall
//! ```
//!
//! At a wall the velocity relative to it turns, by the restitution; where nothing is left of it and the load presses, the
//! mass rests there and moves as the wall does, until the load lifts it.

use super::{BLUR, Equations, Known, Shared, Unknown, rebound};
use crate::model::{Impact, Inlet};
use crate::{Error, EventKind, Model, Signal, State, Wall};

/// An impact model that somebody else integrates. A copy goes on like the original.
#[derive(Debug, Clone)]
pub struct ImpactMotion {
    /// The model under its own loads and those of the integrator, from the last event or change of them on.
    i: Impact,
    /// The state, and the energy lost so far, J.
    state: State,
    lost: f64,
    /// The wall that it rests on.
    on: Option<Wall>,
    /// The impulse of the walls at the last event, N·s.
    impulse: f64,
    /// The fastest that it has come to a wall, m/s.
    fastest: f64,
}

/// Where a wall is at a time, and how it moves.
#[derive(Debug, Clone, Copy)]
struct AtWall {
    t: f64,
    x: f64,
    v: f64,
    a: f64,
}

impl ImpactMotion {
    /// The model `i` at t = 0.
    ///
    /// # Errors
    /// If a load is not finite.
    pub fn new(i: &Impact, at: &mut Shared) -> Result<Self, Error> {
        let state = State { x: i.initial.displacement, v: i.initial.velocity };
        let lost = 0.0;
        let on = None;
        let impulse = 0.0;
        let fastest = 0.0;
        let mut motion = Self { i: i.clone(), state, lost, on, impulse, fastest };
        motion.load(at)?;
        motion.meet(at);
        Ok(motion)
    }

    fn wall(&self, t: f64, wall: Wall) -> Option<AtWall> {
        let signal: &Signal = self.i.wall(wall)?;
        let [x, v, a, _] = signal.piece_at(t).derivatives(t);
        Some(AtWall { t, x, v, a })
    }

    /// The wall that it rests on.
    fn rest(&self, t: f64) -> Option<(Wall, AtWall)> {
        let wall = self.on?;
        Some((wall, self.wall(t, wall)?))
    }

    /// The force on a mass that moves as a wall does, less its inertia, N; and the size of what it is made of.
    fn load_on(&self, there: AtWall) -> (f64, f64) {
        let i = &self.i;
        let force = i.force.value(there.t);
        let parts = [force, -i.mass * there.a, -i.damping * there.v, -i.stiffness * there.x];
        (parts.iter().sum(), parts.iter().map(|p| p.abs()).sum())
    }

    /// How far rounding may take a mass at a wall from it, m.
    fn blur(there: AtWall) -> f64 {
        BLUR * there.x.abs().max(1.0)
    }

    /// Goes on from where it is: an impact at a wall that it has come to, if there is one, and whether it rests there.
    fn meet(&mut self, at: &mut Shared) {
        self.impulse = 0.0;
        let was = self.on.take();
        for wall in Wall::ALL {
            let Some(there) = self.wall(at.time, wall) else { continue };
            let u = self.state.v - there.v;
            let still = u.abs() <= BLUR * self.state.v.abs().max(there.v.abs());
            let away = wall.sign() * (self.state.x - there.x);
            if was != Some(wall) && away > Self::blur(there) || wall.sign() * u > 0.0 && !still {
                continue;
            }
            let left = if still { 0.0 } else { self.bounce(wall, there, u, at) };
            if left == 0.0 && self.settle(wall, there) && was != Some(wall) && at.time > 0.0 {
                at.counts.add(EventKind::Rest);
            }
        }
        if was.is_some() && self.on.is_none() {
            at.counts.add(EventKind::Release);
        }
    }

    /// The impact of a mass that comes to a wall at the velocity `u` relative to it; with which it leaves.
    fn bounce(&mut self, wall: Wall, there: AtWall, u: f64, at: &mut Shared) -> f64 {
        let Impact { mass, restitution, .. } = self.i;
        self.fastest = self.fastest.max(u.abs());
        let back = (-wall.sign() * self.load_on(there).0 / mass).max(0.0);
        let beyond = (self.state.x - there.x).abs() + 2.0 * Self::blur(there);
        let left = -u.signum() * rebound(restitution, [u.abs(), self.fastest], back, beyond);
        let before = self.state.v;
        let v = there.v + left;
        self.state = State { x: there.x, v };
        self.lost += 0.5 * mass * (before - v) * (before + v);
        self.impulse += mass * (v - before);
        at.counts.add(EventKind::Impact);
        left
    }

    /// Rests on a wall where the load presses; whether it does.
    fn settle(&mut self, wall: Wall, there: AtWall) -> bool {
        let (load, size) = self.load_on(there);
        let presses = wall.sign() * load <= BLUR * size;
        if presses {
            (self.on, self.state) = (Some(wall), State { x: there.x, v: there.v });
        }
        presses
    }
}

impl Equations for ImpactMotion {
    fn load(&mut self, at: &Shared) -> Result<(), Error> {
        if let Some(Model::Impact(i)) = at.model()? {
            self.i = i;
        }
        Ok(())
    }

    fn states(&self, out: &mut [f64]) {
        out.copy_from_slice(&[self.state.x, self.state.v, self.lost]);
    }

    fn set_states(&mut self, states: &[f64]) {
        if let &[x, v, lost] = states {
            (self.state, self.lost) = (State { x, v }, lost);
        }
    }

    fn derivatives(&self, at: &Shared, out: &mut [f64]) {
        let i = &self.i;
        let State { x, v } = self.state;
        out.copy_from_slice(&match self.rest(at.time) {
            // What the wall gives or takes as it moves is what the load presses with.
            Some((_, there)) => {
                let pressed = i.damping * there.v + self.load_on(there).0;
                [there.v, there.a, pressed * there.v]
            }
            None => {
                let force = i.force.value(at.time) - i.damping * v - i.stiffness * x;
                [v, force / i.mass, i.damping * v * v]
            }
        });
    }

    fn indicators(&self, at: &Shared, out: &mut [f64]) {
        let State { x, v } = self.state;
        let pressed = self.rest(at.time).map_or(1.0, |(wall, there)| {
            let (load, size) = self.load_on(there);
            2.0 * BLUR * size.max(f64::MIN_POSITIVE) - wall.sign() * load
        });
        // A mass that leaves a wall is far from it in its velocity, whatever the integrator's rounding of x.
        let distance = |wall: Wall| match self.wall(at.time, wall) {
            Some(there) if self.on != Some(wall) => {
                let leaves = (wall.sign() * (v - there.v)).max(0.0);
                wall.sign() * (x - there.x) + 2.0 * Self::blur(there) + leaves
            }
            _ => 1.0,
        };
        out.copy_from_slice(&[pressed, distance(Wall::Lower), distance(Wall::Upper)]);
    }

    fn update(&mut self, at: &mut Shared) -> Result<bool, Error> {
        let was = self.state;
        self.meet(at);
        Ok(self.state != was)
    }

    fn partial(&self, at: &Shared, unknown: Unknown, known: Known) -> Option<f64> {
        let i = &self.i;
        let rest = self.rest(at.time);
        let input = at.input_with(known);
        let inlet = input.and_then(|(input, ..)| at.inlet(input));
        let value = input.map_or(0.0, |(_, value, _)| value);
        let rate = input.map_or(0.0, |(_, _, rate)| rate);
        let own = match rest.map(|r| r.0) {
            Some(Wall::Lower) => Some(Inlet::LowerWall),
            Some(Wall::Upper) => Some(Inlet::UpperWall),
            None => None,
        };
        let force = if inlet == Some(Inlet::Force) { value } else { 0.0 };
        // By how much the place and the velocity go with it: of a mass at rest as those of its wall.
        let (x, v) = match known {
            Known::Value(0) if rest.is_none() => (1.0, 0.0),
            Known::Value(1) if rest.is_none() => (0.0, 1.0),
            Known::Value(0 | 1) | Known::Lost => (0.0, 0.0),
            _ if inlet.is_none() => return None,
            _ if own.is_some() && inlet == own => (value, rate),
            _ => (0.0, 0.0),
        };
        let pull = force - i.damping * v - i.stiffness * x;
        Some(match (unknown, rest) {
            (Unknown::Derivative(0), _) => v,
            (Unknown::Derivative(1), None) => pull / i.mass,
            (Unknown::Derivative(1), Some(_)) => 0.0,
            (Unknown::Derivative(2), None) => 2.0 * i.damping * self.state.v * v,
            (Unknown::Derivative(2), Some((_, there))) => {
                let pressed = i.damping * there.v + self.load_on(there).0;
                (i.damping * v + pull) * there.v + pressed * v
            }
            _ => return None,
        })
    }

    fn row(&self, _at: &Shared, out: &mut Vec<f64>) {
        out.extend([self.state.x, self.state.v, self.impulse]);
    }

    fn lost(&self, _at: &Shared) -> f64 {
        self.lost
    }

    /// 0 where it rests on the wall, else the direction into the room.
    fn phase(&self, _at: &Shared, wall: usize) -> i32 {
        let wall = Wall::ALL.get(wall).filter(|w| self.on != Some(**w));
        wall.map_or(0, |w| w.sign() as i32)
    }

    fn numbers(&self) -> Vec<f64> {
        let State { x, v } = self.state;
        let on = self.on.map_or(0.0, Wall::sign);
        vec![x, v, self.lost, on, self.impulse, self.fastest]
    }

    fn put_back(&mut self, _at: &Shared, numbers: &[f64]) -> bool {
        let &[x, v, lost, on, impulse, fastest] = numbers else { return false };
        self.on = Wall::ALL.into_iter().find(|wall| wall.sign() == on);
        (self.state, self.lost, self.impulse) = (State { x, v }, lost, impulse);
        self.fastest = fastest;
        true
    }
}
