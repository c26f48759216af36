//! A mass between rigid walls in model exchange.
//!
//! ```text
//! flight:   x − a_lower  and  a_upper − x                 contact:  the force that presses the mass to its wall
//! ```
//!
//! At a wall the velocity relative to it turns, by the restitution; where nothing is left of it and the load presses, the
//! mass rests there and moves as the wall does, until the load lifts it.

use super::{BLUR, Counts, Integrated, Shared, rebound};
use stickslip::model::{Impact, Inlet};
use stickslip::{Error, EventKind, Model, Signal, State, Wall};
use stickslip_file::interface::Meaning;

/// An impact model that somebody else integrates. A copy goes on like the original.
#[derive(Debug, Clone)]
pub struct ImpactMotion {
    shared: Shared,
    /// The model under its own loads and those of the importer, from the last event or change of them on.
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

/// Where a wall is, and how it moves.
#[derive(Debug, Clone, Copy)]
struct AtWall {
    x: f64,
    v: f64,
    a: f64,
}

impl ImpactMotion {
    /// The model `i` at t = 0.
    ///
    /// # Errors
    /// If its loads are none.
    pub fn new(i: &Impact, shared: Shared) -> Result<Self, Error> {
        let state = State { x: i.initial.displacement, v: i.initial.velocity };
        let (lost, on, impulse, fastest) = (0.0, None, 0.0, 0.0);
        let mut motion = Self { shared, i: i.clone(), state, lost, on, impulse, fastest };
        motion.load()?;
        motion.meet();
        Ok(motion)
    }

    fn wall(&self, wall: Wall) -> Option<AtWall> {
        let signal: &Signal = self.i.wall(wall)?;
        let t = self.shared.time;
        let [x, v, a, _] = signal.piece_at(t).derivatives(t);
        Some(AtWall { x, v, a })
    }

    /// The wall that it rests on.
    fn rest(&self) -> Option<(Wall, AtWall)> {
        let wall = self.on?;
        Some((wall, self.wall(wall)?))
    }

    /// The force on a mass that moves as a wall at `at` does, less its inertia, N; and the size of what it is made of.
    fn load_on(&self, at: AtWall) -> (f64, f64) {
        let i = &self.i;
        let force = i.force.value(self.shared.time);
        let parts = [force, -i.mass * at.a, -i.damping * at.v, -i.stiffness * at.x];
        (parts.iter().sum(), parts.iter().map(|p| p.abs()).sum())
    }

    /// How far rounding may take a mass at a wall from it, m.
    fn blur(at: AtWall) -> f64 {
        BLUR * at.x.abs().max(1.0)
    }

    /// Goes on from where it is: an impact at a wall that it has come to, if there is one, and whether it rests there.
    fn meet(&mut self) {
        self.impulse = 0.0;
        let was = self.on.take();
        for wall in Wall::ALL {
            let Some(at) = self.wall(wall) else { continue };
            let u = self.state.v - at.v;
            let still = u.abs() <= BLUR * self.state.v.abs().max(at.v.abs());
            let away = wall.sign() * (self.state.x - at.x);
            if was != Some(wall) && away > Self::blur(at) || wall.sign() * u > 0.0 && !still {
                continue;
            }
            let left = if still { 0.0 } else { self.bounce((wall, at), u) };
            if left == 0.0 {
                self.settle((wall, at), was == Some(wall));
            }
        }
        if was.is_some() && self.on.is_none() {
            self.shared.counts.add(EventKind::Release);
        }
    }

    /// The impact of a mass that comes to a wall at the velocity `u` relative to it; with which it leaves.
    fn bounce(&mut self, (wall, at): (Wall, AtWall), u: f64) -> f64 {
        let Impact { mass, restitution, .. } = self.i;
        self.fastest = self.fastest.max(u.abs());
        let back = (-wall.sign() * self.load_on(at).0 / mass).max(0.0);
        let beyond = (self.state.x - at.x).abs() + 2.0 * Self::blur(at);
        let left = -u.signum() * rebound(restitution, [u.abs(), self.fastest], back, beyond);
        let (before, v) = (self.state.v, at.v + left);
        self.state = State { x: at.x, v };
        self.lost += 0.5 * mass * (before - v) * (before + v);
        self.impulse += mass * (v - before);
        self.shared.counts.add(EventKind::Impact);
        left
    }

    /// Rests on a wall where the load presses; it may have done so `before`.
    fn settle(&mut self, (wall, at): (Wall, AtWall), before: bool) {
        let (load, size) = self.load_on(at);
        if wall.sign() * load > BLUR * size {
            return;
        }
        (self.on, self.state) = (Some(wall), State { x: at.x, v: at.v });
        if !before && self.shared.time > 0.0 {
            self.shared.counts.add(EventKind::Rest);
        }
    }
}

impl Integrated for ImpactMotion {
    fn copy(&self) -> Box<dyn Integrated> {
        Box::new(self.clone())
    }

    fn shared(&self) -> &Shared {
        &self.shared
    }

    fn shared_mut(&mut self) -> &mut Shared {
        &mut self.shared
    }

    fn load(&mut self) -> Result<(), Error> {
        if let Some(Model::Impact(i)) = self.shared.model()? {
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

    fn derivatives(&self, out: &mut [f64]) {
        let (i, State { x, v }) = (&self.i, self.state);
        out.copy_from_slice(&match self.rest() {
            // What the wall gives or takes as it moves is what the load presses with.
            Some((_, at)) => [at.v, at.a, (i.damping * at.v + self.load_on(at).0) * at.v],
            None => {
                let force = i.force.value(self.shared.time) - i.damping * v - i.stiffness * x;
                [v, force / i.mass, i.damping * v * v]
            }
        });
    }

    fn indicators(&self, out: &mut [f64]) {
        let State { x, v } = self.state;
        let pressed = self.rest().map_or(1.0, |(wall, at)| {
            let (load, size) = self.load_on(at);
            2.0 * BLUR * size.max(f64::MIN_POSITIVE) - wall.sign() * load
        });
        // A mass that leaves a wall is far from it in its velocity, whatever the importer's rounding of x.
        let distance = |wall: Wall| match self.wall(wall) {
            Some(at) if self.on != Some(wall) => {
                let leaves = (wall.sign() * (v - at.v)).max(0.0);
                wall.sign() * (x - at.x) + 2.0 * Self::blur(at) + leaves
            }
            _ => 1.0,
        };
        out.copy_from_slice(&[pressed, distance(Wall::Lower), distance(Wall::Upper)]);
    }

    fn update(&mut self) -> Result<bool, Error> {
        self.load()?;
        let was = self.state;
        self.meet();
        Ok(self.state != was)
    }

    fn partial(&self, unknown: Meaning, known: Meaning) -> Option<f64> {
        let (i, rest) = (&self.i, self.rest());
        let input = self.shared.input_with(known);
        let inlet = input.and_then(|(input, ..)| self.shared.inlet(input));
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
            Meaning::Output(0) if rest.is_none() => (1.0, 0.0),
            Meaning::Output(1) if rest.is_none() => (0.0, 1.0),
            Meaning::Output(0 | 1) | Meaning::Lost => (0.0, 0.0),
            _ if inlet.is_none() => return None,
            _ if own.is_some() && inlet == own => (value, rate),
            _ => (0.0, 0.0),
        };
        let pull = force - i.damping * v - i.stiffness * x;
        Some(match (unknown, rest) {
            (Meaning::Derivative(0), _) => v,
            (Meaning::Derivative(1), None) => pull / i.mass,
            (Meaning::Derivative(1), Some(_)) => 0.0,
            (Meaning::Derivative(2), None) => 2.0 * i.damping * self.state.v * v,
            (Meaning::Derivative(2), Some((_, at))) => {
                (i.damping * v + pull) * at.v + (i.damping * at.v + self.load_on(at).0) * v
            }
            _ => return None,
        })
    }

    fn row(&self, out: &mut Vec<f64>) {
        out.clear();
        out.extend([self.state.x, self.state.v, self.impulse]);
    }

    fn lost(&self) -> f64 {
        self.lost
    }

    fn phase(&self, _: usize) -> i32 {
        0
    }

    fn numbers(&self) -> Vec<f64> {
        let State { x, v } = self.state;
        let on = self.on.map_or(0.0, Wall::sign);
        let own = [x, v, self.lost, on, self.impulse, self.fastest];
        own.into_iter().chain(self.shared.counts.numbers()).collect()
    }

    fn put_back(&mut self, numbers: &[f64]) -> bool {
        let Some((&[x, v, lost, on, impulse, fastest], counts)) = numbers.split_first_chunk::<6>()
        else {
            return false;
        };
        let Some((counts, [])) = Counts::read(counts) else { return false };
        self.on = Wall::ALL.into_iter().find(|wall| wall.sign() == on);
        (self.state, self.lost, self.impulse) = (State { x, v }, lost, impulse);
        (self.fastest, self.shared.counts) = (fastest, counts);
        true
    }
}
