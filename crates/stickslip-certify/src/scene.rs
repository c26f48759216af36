//! What a certified motion goes on in: limits, loads, the support and the stops, with proved errors.

use super::ball::Ball;
use super::curve::{Curve, ORDERS, Wave};
use super::ground::Ground;
use super::pieces::is_smooth;
use super::slip::{Medium, refused};
use stickslip::error::Error;
use stickslip::model::{Oscillator, Wall};
use stickslip::signal::Signal;

/// An oscillator that can be certified.
#[derive(Debug)]
pub(super) struct Scene<'a> {
    pub o: &'a Oscillator,
    /// f_s and f_d ahead and back, N.
    limits: [[Ball; 2]; 2],
    ground: Option<Ground<'a>>,
}

impl<'a> Scene<'a> {
    /// The scene of `o`; an error for what is not certified.
    pub fn new(o: &'a Oscillator) -> Result<Self, Error> {
        let signals = [&o.drive, &o.force, &o.support];
        if !o.is_linear_in_pieces() || signals.iter().any(|s| !s.user_functions().is_empty()) {
            return Err(refused(
                "nonlinear forces and functions of users are not certified: no bound of theirs is proved",
            ));
        }
        let normal = match o.normal.as_ref().map(Signal::as_constant) {
            None => 1.0,
            Some(Some(normal)) => normal,
            Some(None) => {
                return Err(refused("a normal force that varies is not certified"));
            }
        };
        if o.stops.and_then(|s| s.spring()).is_some_and(|s| s.1 > 0.0) {
            return Err(refused(
                "a soft stop with a damper is not certified: where it ceases to push is not proved",
            ));
        }
        let constants = o.friction.constants().ok_or_else(|| {
            refused("friction that is not constant in each direction is not certified")
        })?;
        if o.support.is_zero() || o.stops.is_none() {
            let limits = constants.map(|(fs, fd)| {
                [fs, fd].map(|f| match o.normal {
                    None => Ball::from(f),
                    Some(_) => Ball::from(f) * Ball::from(normal),
                })
            });
            let ground = (!o.support.is_zero()).then(|| Ground::new(&o.support)).transpose()?;
            return Ok(Self { o, limits, ground });
        }
        Err(refused("a support that moves past stops is not certified"))
    }

    /// (f_s, f_d) towards `side`, N.
    pub fn limit(&self, side: f64) -> [Ball; 2] {
        self.limits[usize::from(side < 0.0)]
    }

    /// What the mass moves in, inside the soft stop `bed` or outside.
    pub fn medium(&self, bed: Option<Wall>) -> Medium {
        let [damping, stiffness] = [self.o.damping, self.o.stiffness].map(Ball::from);
        let mass = self.o.mass;
        match bed.and_then(|_| self.o.stops?.spring()) {
            None => Medium { mass, damping, stiffness },
            Some((k, c)) => {
                let add = |a: Ball, b: f64| if b == 0.0 { a } else { a + Ball::from(b) };
                Medium { mass, damping: add(damping, c), stiffness: add(stiffness, k) }
            }
        }
    }

    /// The load at rest at x = 0 from `time` on, on the pieces that hold at `look` (s): K d + f, what a soft stop adds, and
    /// what the motion of the support adds to a mass at rest on it.
    pub fn load(&self, time: Ball, look: f64, bed: Option<Wall>) -> Curve {
        let o = self.o;
        let cubic = [Ball::ZERO; 4];
        let waves = Vec::new();
        let spread = [0.0; ORDERS];
        let mut load = Curve { origin: time, cubic, waves, spread };
        for (factor, signal) in [(Ball::from(o.stiffness), &o.drive), (Ball::ONE, &o.force)] {
            load.add_affine(factor, signal, signal.piece(look));
            let waves = signal.harmonics().iter();
            load.waves.extend(
                waves.map(|h| Wave::of_harmonic(h, [factor * Ball::from(h.amplitude), Ball::ZERO])),
            );
        }
        if let Some(((k, _), a)) = bed.and_then(|wall| Some((o.stops?.spring()?, self.stop(wall)?)))
        {
            load.cubic[0] = load.cubic[0] + Ball::from(k) * a;
        }
        if let Some(ground) = &self.ground {
            ground.add_to(&mut load, &self.medium(None), look);
        }
        load
    }

    /// Position of a stop, m.
    pub fn stop(&self, wall: Wall) -> Option<Ball> {
        self.o.stops?.at(wall).map(Ball::from)
    }

    /// The stop that a mass at x₀ rests against or is in the spring of, at t = 0.
    pub fn first_stop(&self) -> Result<Option<Wall>, Error> {
        let Some(stops) = &self.o.stops else { return Ok(None) };
        let x = self.o.initial.displacement;
        let v = self.o.initial.velocity;
        let Some(wall) = stops.touched(x) else { return Ok(None) };
        let touches = stops.at(wall) == Some(x);
        if stops.restitution().is_some() {
            return Ok((v == 0.0).then_some(wall));
        }
        if touches && v == 0.0 {
            return Err(refused("the mass begins at rest just where a soft stop begins"));
        }
        Ok((!touches || wall.sign() * v < 0.0).then_some(wall))
    }

    /// Way (m) and velocity (m/s) of the support at `t`, on the piece that holds at `look` (s).
    pub fn support(&self, t: Ball, look: f64) -> [Ball; 2] {
        self.ground.as_ref().map_or([Ball::ZERO; 2], |g| g.at(t, look))
    }

    /// The velocity relative to the support at t = 0, m/s.
    pub fn first_velocity(&self) -> Ball {
        let v = Ball::from(self.o.initial.velocity);
        let support = self.support(Ball::ZERO, 0.0)[1];
        if support == v { Ball::ZERO } else { v - support }
    }

    /// By how much the support's velocity jumps at `t`, m/s, if it does.
    pub fn jump(&self, t: f64) -> Option<Ball> {
        self.ground.as_ref()?.jump(t)
    }

    fn signals(&self) -> [&Signal; 3] {
        [&self.o.drive, &self.o.force, &self.o.support]
    }

    /// Whether a load or the support's velocity has a knot at `t`.
    pub fn is_knot(&self, t: f64) -> bool {
        self.signals().iter().any(|s| s.knots()[1..].iter().any(|k| k.time == t))
    }

    /// Whether nothing has a knot inside an arc from `from` (s, at the latest) to `end`, which was looked at from `start` on.
    pub fn is_smooth(&self, from: f64, [start, end]: [f64; 2]) -> bool {
        self.signals().iter().all(|s| is_smooth(s, from, [start, end]))
    }
}
