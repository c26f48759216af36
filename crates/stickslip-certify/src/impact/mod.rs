//! Certificates of impact models: flights between rigid walls, contacts, and the ends of infinitely many impacts.
//!
//! A flight is followed as seen from the wall that the mass left last, y = x − a(t), where it is the motion under the load
//! q = f − m ä − c ȧ − K a. That the mass meets no wall in between is one step where the load presses it to the wall all the time (y is concave), else a chain.

mod bounces;
mod flight;

use super::ball::Ball;
use super::curve::{Curve, Wave};
use super::pieces::Pieces;
use super::proof::{Positive, unproved};
use super::slip::{Medium, refused};
use super::{Certificate, CertifiedArc, CertifiedEnergy, Ending, ProofStep, in_order};
use stickslip::error::Error;
use stickslip::model::{Impact, Wall};
use stickslip::motion::{EventKind, ImpactArc, ImpactPath, Segment, Touching};
use stickslip::scheme::impact;
use stickslip::signal::Signal;

/// Solves `impact` on [0, `end`] (s) exactly and proves what it finds.
///
/// # Errors
/// As [`impact::solve`]; [`Error::Uncertified`] for functions of users, for a wall that jumps away from a mass at rest on it, and where a
/// distance, a speed or a load comes so near to zero that nothing can be proved.
///
/// ```
/// use stickslip::{Impact, Signal};
/// use stickslip_certify::{Ending, impact};
/// # fn main() -> Result<(), stickslip::Error> {
/// let ball = Impact::new(1.0, 0.5).with_force(Signal::constant(-8.0)).starting_at(1.0, 0.0);
/// let proof = impact::certify(&ball, 2.0)?;
/// // It falls for ½ s, and comes to rest after (1 + e)/(1 − e) times that.
/// let rest = proof.arcs.iter().find(|a| a.ending == Ending::Rest).unwrap().to;
/// assert!(rest[0] <= 1.5 && 1.5 <= rest[1] && rest[1] - rest[0] < 1e-15);
/// # Ok(()) }
/// ```
pub fn certify(impact: &Impact, end: f64) -> Result<Certificate<Touching>, Error> {
    let signals = [Some(&impact.force), impact.lower.as_ref(), impact.upper.as_ref()];
    if signals.iter().flatten().any(|s| !s.user_functions().is_empty()) {
        return Err(refused("functions of users are not certified: no bound of theirs is proved"));
    }
    let path = impact::solve(impact, end)?;
    let signals: Vec<&Signal> = signals.into_iter().flatten().collect();
    in_order(Walk::new(impact)?.along(&path, end)?, &signals)
}

/// Where a certified motion has come to.
struct Walk<'a> {
    model: &'a Impact,
    medium: Medium,
    force: Pieces<'a>,
    /// Those that there are.
    walls: Vec<(Wall, Pieces<'a>)>,
    /// The wall that it is seen from, by its place in `walls`.
    frame: usize,
    bracket: [f64; 2],
    time: Ball,
    /// Place (m) and velocity (m/s) relative to that wall.
    y: Ball,
    u: Ball,
    /// The highest derivative by which the mass leaves that wall: 0 where it is not at it.
    leaves: usize,
    touching: Touching,
    lost: Ball,
    arcs: Vec<CertifiedArc<Touching>>,
}

type Passage = (Vec<Vec<ProofStep>>, Ending, Vec<f64>);
type Free = Option<[[f64; 2]; 2]>;

impl<'a> Walk<'a> {
    fn new(model: &'a Impact) -> Result<Self, Error> {
        let walls = Wall::ALL.into_iter().filter_map(|w| Some((w, Pieces::new(model.wall(w)?))));
        let medium = Medium {
            mass: model.mass,
            damping: Ball::from(model.damping),
            stiffness: Ball::from(model.stiffness),
        };
        let mut walk = Self {
            model,
            medium,
            force: Pieces::new(&model.force),
            walls: walls.collect(),
            frame: 0,
            bracket: [0.0; 2],
            time: Ball::ZERO,
            y: Ball::ZERO,
            u: Ball::ZERO,
            leaves: 0,
            touching: Touching::Flight,
            lost: Ball::ZERO,
            arcs: Vec::new(),
        };
        let [x, v] = [model.initial.displacement, model.initial.velocity].map(Ball::from);
        let touched = (0..walk.walls.len()).find(|&i| walk.wall(i, 0.0)[0] == x);
        walk.frame = touched.unwrap_or(0);
        let [a, w] = walk.wall(walk.frame, 0.0);
        walk.y = if touched.is_some() { Ball::ZERO } else { x - a };
        walk.u = if w == v { Ball::ZERO } else { v - w };
        if touched.is_some() {
            walk.met(0.0)?;
        }
        Ok(walk)
    }

    /// Position and velocity of a wall now, on its piece that holds at `look` (s).
    fn wall(&self, wall: usize, look: f64) -> [Ball; 2] {
        let pieces = &self.walls[wall].1;
        if pieces.signal.harmonics().is_empty() {
            return [pieces.at(self.time, look), pieces.line(look).rate];
        }
        pieces.curve(Ball::ONE, self.time.middle(), look).two(self.time, 0)
    }

    /// Into the room from the wall that it is seen from.
    fn inwards(&self) -> f64 {
        self.walls[self.frame].0.sign()
    }

    /// q from `origin` on, on the pieces that hold at `look`.
    fn load(&self, origin: Ball, look: f64) -> Curve {
        let m = Ball::from(self.medium.mass);
        let c = self.medium.damping;
        let k = self.medium.stiffness;
        let mut load = self.force.curve(Ball::ONE, origin, look);
        let wall = &self.walls[self.frame].1;
        let line = wall.line(look);
        load.cubic[0] = load.cubic[0] - c * line.rate - k * line.at(origin);
        load.cubic[1] = load.cubic[1] - k * line.rate;
        for h in wall.signal.harmonics() {
            let [a, w] = [h.amplitude, h.angular_frequency].map(Ball::from);
            load.waves.push(Wave::of_harmonic(h, [a * (m * w * w - k), c * w * a]));
        }
        load
    }

    fn pushed(&self, look: f64) -> Ball {
        self.load(self.time.middle(), look).two(self.time, 0)[0]
    }

    /// At rest on the wall: what begins, and by how much the load holds or lifts the mass, N.
    fn settle(&mut self, look: f64) -> Result<f64, Error> {
        let lift = Ball::from(self.inwards()) * self.pushed(look);
        if lift.may_be_zero() {
            return Err(unproved(look));
        }
        (self.y, self.u) = (Ball::ZERO, Ball::ZERO);
        let lifts = lift.value() > 0.0;
        self.leaves = if lifts { 2 } else { 0 };
        self.touching =
            if lifts { Touching::Flight } else { Touching::Contact(self.walls[self.frame].0) };
        Ok(if lifts { lift } else { -lift }.lower())
    }

    /// At the wall with the velocity `u`: the impact if there is one, and what begins.
    fn met(&mut self, look: f64) -> Result<Vec<f64>, Error> {
        self.y = Ball::ZERO;
        let speed = Ball::from(self.inwards()) * self.u;
        let still = self.u == Ball::ZERO;
        let mut margins = Vec::new();
        if !still {
            if speed.may_be_zero() {
                return Err(unproved(look));
            }
            margins.push(if speed.value() < 0.0 { -speed } else { speed }.lower());
            if speed.value() < 0.0 {
                let e = Ball::from(self.model.restitution);
                let before = Ball::from(self.medium.mass) * self.u * self.u;
                self.lost = self.lost + (before * (Ball::ONE - e * e)).scaled(0.5);
                self.u = -(e * self.u);
            }
            (self.touching, self.leaves) = (Touching::Flight, 2);
        }
        if still || (speed.value() < 0.0 && self.model.restitution == 0.0) {
            margins.push(self.settle(look)?);
        }
        Ok(margins)
    }

    /// Certifies `path` until `end` (s).
    fn along(mut self, path: &ImpactPath, end: f64) -> Result<Certificate<Touching>, Error> {
        let segments: Vec<_> = path.segments().iter().filter(|s| s.end > s.start).collect();
        let first = self.energy(self.initial());
        let mut look = 0.0;
        let mut i = 0;
        while i < segments.len() {
            let segment = segments[i];
            look = segment.start;
            if let Some((rest, margins)) = self.bounces(look, end) {
                i += segments[i..].iter().take_while(|s| s.phase == Touching::Flight).count();
                let begins = segments.get(i).map_or(end, |s| s.start);
                let same = (begins - rest.value()).abs() <= 1e-9 * (1.0 + begins);
                if !same {
                    return Err(unproved(begins));
                }
                let steps = vec![Vec::new(); self.walls.len()];
                let phase = self.touching;
                let state = self.state(look);
                let from = self.bracket;
                let to = rest.enclosure();
                (self.time, self.bracket) = (rest, to);
                (self.y, self.u, self.leaves) = (Ball::ZERO, Ball::ZERO, 0);
                self.touching = Touching::Contact(self.walls[self.frame].0);
                self.push(phase, [from, to], state, None, (steps, Ending::Rest, margins))?;
                continue;
            }
            let phase = self.touching;
            let from = self.bracket;
            let state = self.state(look);
            let signals = self.walls.iter().map(|w| &w.1).chain([&self.force]);
            let smooth = |p: &Pieces<'_>| p.is_smooth(from[0], [segment.start, segment.end]);
            if phase != segment.phase || !signals.into_iter().all(smooth) {
                return Err(unproved(look));
            }
            let last = i + 1 == segments.len();
            let (passage, free) = match phase {
                Touching::Flight => self.fly(segment, hit(path, segment), last)?,
                Touching::Contact(_) => (self.press(segment, last)?, None),
            };
            self.push(phase, [from, self.bracket], state, free, passage)?;
            i += 1;
        }
        let state = self.state(look);
        let last = self.energy(state);
        let supplied = last - first + self.lost;
        let [first, last, friction, supplied] =
            [first, last, self.lost, supplied].map(Ball::enclosure);
        let energy = CertifiedEnergy { first, last, friction, supplied };
        let [x, v] = state.map(Ball::enclosure);
        Ok(Certificate { arcs: self.arcs, x, v, force: None, elements: Vec::new(), energy })
    }

    fn push(
        &mut self,
        phase: Touching,
        [from, to]: [[f64; 2]; 2],
        state: [Ball; 2],
        free: Free,
        (steps, ending, margins): Passage,
    ) -> Result<(), Error> {
        if !margins.iter().all(|m| *m > 0.0) {
            return Err(unproved(to[0]));
        }
        let [x, v] = state.map(Ball::enclosure);
        let force = None;
        self.arcs.push(CertifiedArc { phase, from, to, x, v, force, free, steps, ending, margins });
        Ok(())
    }

    fn initial(&self) -> [Ball; 2] {
        [self.model.initial.displacement, self.model.initial.velocity].map(Ball::from)
    }

    /// Displacement and velocity as seen from the ground.
    fn state(&self, look: f64) -> [Ball; 2] {
        let [a, w] = self.wall(self.frame, look);
        [self.y + a, self.u + w]
    }

    fn energy(&self, [x, v]: [Ball; 2]) -> Ball {
        (Ball::from(self.medium.mass) * v * v + self.medium.stiffness * x * x).scaled(0.5)
    }

    fn is_knot(&self, t: f64) -> bool {
        self.force.is_knot(t) || self.walls.iter().any(|w| w.1.is_knot(t))
    }

    fn fly(
        &mut self,
        segment: &Segment<ImpactArc>,
        hit: Option<Wall>,
        last: bool,
    ) -> Result<(Passage, Free), Error> {
        let look = segment.start;
        let end = segment.end;
        let flight = self.flight(look, end + 64.0 * f64::EPSILON * end + 1e-6 * (end - look))?;
        let arrives = last || self.is_knot(end);
        let hit = hit.and_then(|w| self.walls.iter().position(|own| own.0 == w));
        let hit = hit.filter(|_| !arrives);
        if hit.is_none() && !arrives {
            return Err(unproved(end));
        }
        let from = self.bracket[0];
        let mut to = end;
        let mut landing = None;
        if let Some(wall) = hit {
            let found = self.land(wall, &flight, (look, end))?;
            to = found.0[1];
            landing = Some((wall, found));
        }
        let mut steps = Vec::new();
        for (i, (wall, _)) in self.walls.iter().enumerate() {
            let seen = self.seen_from(i, &flight.truth, look);
            let gap = Positive { curve: &seen, sign: wall.sign(), base: 0, shift: Ball::ZERO };
            let falls = hit == Some(i);
            let leaves = if i == self.frame { self.leaves } else { 0 };
            let concave = (falls && leaves > 0).then(|| gap.step([from, to], 2, true)).flatten();
            steps.push(match concave {
                Some(step) => vec![step],
                None => gap.chain([from, to], leaves, falls)?,
            });
        }
        let free = Some(flight.free.map(Ball::enclosure));
        let Some((wall, (bracket, time, [y, u]))) = landing else {
            (self.bracket, self.time) = ([end, end], Ball::from(end));
            [self.y, self.u] = flight.truth.two(self.time, 0);
            self.leaves = 0;
            let ending = if last { Ending::End } else { Ending::Knot };
            let margins = if last { Vec::new() } else { self.cross(look, end)? };
            return Ok(((steps, ending, margins), free));
        };
        (self.bracket, self.time, self.y, self.u) = (bracket, time, y, u);
        if wall != self.frame {
            let [own, other] = [self.frame, wall].map(|i| self.wall(i, look)[1]);
            (self.u, self.frame) = (self.u + own - other, wall);
        }
        let margins = self.met(look)?;
        Ok(((steps, Ending::Impact, margins), free))
    }

    /// A flight comes to a knot: how far the walls are after it, m.
    fn cross(&mut self, look: f64, t: f64) -> Result<Vec<f64>, Error> {
        let wall = &self.walls[self.frame].1;
        let [before, after] = [look, t].map(|look| *wall.line(look));
        if wall.jumps(t) {
            self.y = self.y + (before.at(self.time) - after.at(self.time));
        }
        if before.rate != after.rate {
            self.u = self.u + (before.rate - after.rate);
        }
        let [x, _] = self.state(t);
        let gaps = (0..self.walls.len()).map(|i| {
            let [a, _] = self.wall(i, t);
            (Ball::from(self.walls[i].0.sign()) * (x - a)).lower()
        });
        Ok(gaps.collect())
    }

    /// The mass is pressed to the wall until the load lifts it, the wall turns, or the end.
    fn press(&mut self, segment: &Segment<ImpactArc>, last: bool) -> Result<Passage, Error> {
        let look = segment.start;
        let end = segment.end;
        let sign = self.inwards();
        let load = self.load(self.time.middle(), look);
        let pressed = Positive { curve: &load, sign: -sign, base: 0, shift: Ball::ZERO };
        let from = self.bracket[0];
        if !last && !self.is_knot(end) {
            let (bracket, time, slope) = pressed.root(end)?;
            let steps = pressed.chain([from, bracket[1]], 0, true)?;
            (self.bracket, self.time) = (bracket, time);
            (self.touching, self.leaves) = (Touching::Flight, 3);
            return Ok((vec![steps], Ending::Release, vec![slope.lower()]));
        }
        let steps = vec![pressed.chain([from, end], 0, false)?];
        (self.bracket, self.time) = ([end, end], Ball::from(end));
        if last {
            return Ok((steps, Ending::End, Vec::new()));
        }
        let wall = &self.walls[self.frame].1;
        if wall.jumps(end) {
            return Err(refused(
                "a wall that jumps away from a mass at rest on it is not certified",
            ));
        }
        let [before, after] = [look, end].map(|t| wall.line(t).rate);
        if before != after {
            self.u = before - after;
            let margins = self.met(end)?;
            return Ok((steps, Ending::Kick, margins));
        }
        let margin = self.settle(end)?;
        let stays = self.touching != Touching::Flight;
        Ok((steps, if stays { Ending::Knot } else { Ending::Release }, vec![margin]))
    }
}

/// The wall that the mass meets at the end of `segment`, if it does.
fn hit(path: &ImpactPath, segment: &Segment<ImpactArc>) -> Option<Wall> {
    let events = path.events();
    let first = events.partition_point(|e| e.time < segment.end);
    let mut here = events[first..].iter().take_while(|e| e.time == segment.end);
    let met = here.find(|e| matches!(e.kind, EventKind::Impact | EventKind::Rest))?;
    Wall::ALL.get(met.place).copied()
}
