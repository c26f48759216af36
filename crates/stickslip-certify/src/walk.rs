//! From arc to arc: the state at each event as a ball, the next arc from there, and the rules on the way.

use super::ball::{Ball, up};
use super::curve::Curve;
use super::proof::{Positive, unproved};
use super::scene::Scene;
use super::slip::{self, Medium, Start, arc};
use super::{Certificate, CertifiedArc, CertifiedEnergy, Ending, ProofStep};
use stickslip::error::{Error, Short};
use stickslip::model::Wall;
use stickslip::motion::{EventKind, Phase, Segment, Stretch, Trajectory};

/// Where a certified motion has come to.
pub(super) struct Walk<'a> {
    scene: &'a Scene<'a>,
    /// When: doubles around it, and the instant.
    bracket: [f64; 2],
    time: Ball,
    /// Displacement and velocity relative to the support.
    x: Ball,
    v: Ball,
    /// The rigid stop that the mass rests against, or the soft one that it is in.
    stop: Option<Wall>,
    /// Lost to dry friction, J.
    friction: Ball,
    arcs: Vec<CertifiedArc>,
}

/// What an arc has led to.
struct Passage {
    steps: Vec<Vec<ProofStep>>,
    free: Option<[[f64; 2]; 2]>,
    ending: Ending,
    margins: Vec<f64>,
}

/// A slip on its way to where it ends.
struct Way<'a> {
    sign: f64,
    load: Curve,
    velocity: Positive<'a>,
    /// 2 where it begins at rest, by whose derivatives it leaves; else 0.
    rises: usize,
    end: f64,
}

impl<'a> Walk<'a> {
    pub fn new(scene: &'a Scene<'a>) -> Result<Self, Error> {
        let x = Ball::from(scene.o.initial.displacement);
        let time = Ball::ZERO;
        let friction = Ball::ZERO;
        let v = scene.first_velocity();
        let bracket = [0.0; 2];
        let stop = scene.first_stop()?;
        let arcs = Vec::new();
        Ok(Self { scene, bracket, time, x, v, stop, friction, arcs })
    }

    /// Certifies `path`.
    pub fn along(mut self, path: &Trajectory) -> Result<Certificate, Error> {
        let segments: Vec<&Segment> = path.segments().iter().filter(|s| s.end > s.start).collect();
        self.check_start(segments.first().map(|s| s.phase))?;
        let first = self.energy(0.0);
        for (i, segment) in segments.iter().enumerate() {
            let from = self.bracket;
            let [x, v] = self.seen(segment.start).map(Ball::enclosure);
            if !self.scene.is_smooth(from[0], [segment.start, segment.end]) {
                return Err(unproved(segment.start));
            }
            let next = segments.get(i + 1).map(|s| s.phase);
            let passage = match segment.phase {
                Phase::Stick => self.stick(segment, next)?,
                phase => {
                    let met = met(path, segment)?;
                    self.slip(segment, phase.sign(), (next, met))?
                }
            };
            let Passage { steps, free, ending, margins } = passage;
            let phase = segment.phase;
            let to = self.bracket;
            if !margins.iter().all(|m| *m > 0.0) {
                return Err(unproved(segment.end));
            }
            self.arcs.push(CertifiedArc {
                phase,
                from,
                to,
                x,
                v,
                force: None,
                free,
                steps,
                ending,
                margins,
            });
        }
        let look = segments.last().map_or(0.0, |s| s.start);
        let last = self.energy(look);
        let supplied = last - first + self.friction;
        let [first, last, friction, supplied] =
            [first, last, self.friction, supplied].map(Ball::enclosure);
        let energy = CertifiedEnergy { first, last, friction, supplied };
        let [x, v] = self.seen(look).map(Ball::enclosure);
        Ok(Certificate { arcs: self.arcs, x, v, force: None, elements: Vec::new(), energy })
    }

    /// Displacement and velocity as seen from the ground, on the piece of the support's motion that holds at `look` (s).
    fn seen(&self, look: f64) -> [Ball; 2] {
        if self.scene.o.support.is_zero() {
            return [self.x, self.v];
        }
        let [x, v] = self.scene.support(self.time, look);
        [self.x + x, self.v + v]
    }

    fn energy(&self, look: f64) -> Ball {
        let [m, k] = [self.scene.o.mass, self.scene.o.stiffness].map(Ball::from);
        let [x, v] = self.seen(look);
        (m * v * v + k * x * x).scaled(0.5)
    }

    /// What the mass is in, and the load on it from `time` on.
    fn surroundings(&self, time: Ball, look: f64) -> (Medium, Curve) {
        let bed = self.stop.filter(|_| !self.is_rigid());
        (self.scene.medium(bed), self.scene.load(time, look, bed))
    }

    fn is_rigid(&self) -> bool {
        self.scene.o.stops.is_some_and(|s| s.restitution().is_some())
    }

    /// Whether a rigid stop keeps the mass from going the way of `side`.
    fn blocks(&self, side: f64) -> bool {
        self.is_rigid() && self.stop.is_some_and(|wall| wall.sign() * side < 0.0)
    }

    /// The load on the mass at rest where it is now, on the pieces that hold at `look`.
    fn at_rest(&self, look: f64) -> Ball {
        let (medium, load) = self.surroundings(self.time.middle(), look);
        load.two::<Ball>(self.time, 0)[0] - medium.stiffness * self.x
    }

    /// How far the load `b` is inside the limits, ahead and back, N; not towards a rigid stop.
    fn inside(&self, b: Ball) -> Vec<f64> {
        let free = [1.0, -1.0].into_iter().filter(|side| !self.blocks(*side));
        free.map(|side| (self.scene.limit(side)[0] - Ball::from(side) * b).lower()).collect()
    }

    /// How far the load `b` is beyond the limit towards `side`, N; not at all towards a rigid stop.
    fn beyond(&self, b: Ball, side: f64) -> Vec<f64> {
        let beyond = (Ball::from(side) * b - self.scene.limit(side)[0]).lower();
        vec![if self.blocks(side) { f64::NAN } else { beyond }]
    }

    /// By how much the rule for what follows a rest holds.
    fn rule(&self, look: f64, next: Phase) -> Vec<f64> {
        let b = self.at_rest(look);
        if next == Phase::Stick { self.inside(b) } else { self.beyond(b, next.sign()) }
    }

    /// The phase at t = 0 follows from the initial state.
    fn check_start(&mut self, phase: Option<Phase>) -> Result<(), Error> {
        let Some(phase) = phase else { return Ok(()) };
        let holds = if self.v == Ball::ZERO {
            self.rule(0.0, phase).iter().all(|m| *m > 0.0)
        } else {
            (Ball::from(phase.sign()) * self.v).lower() > 0.0
        };
        if holds { Ok(()) } else { Err(unproved(0.0)) }
    }

    /// The arc ends at a double: a knot or the end of the run.
    fn arrive_exactly(&mut self, t: f64) {
        (self.bracket, self.time) = ([t, t], Ball::from(t));
    }

    fn stick(&mut self, segment: &Segment, next: Option<Phase>) -> Result<Passage, Error> {
        let (medium, mut b) = self.surroundings(self.time.middle(), segment.start);
        b.cubic[0] = b.cubic[0] - medium.stiffness * self.x;
        let b = b;
        let limit = |sign: f64| self.scene.limit(sign)[0];
        let side = |sign: f64| Positive { curve: &b, sign: -sign, base: 0, shift: limit(sign) };
        let mut to = segment.end;
        let exit = next.filter(|p| *p != Phase::Stick && !self.scene.is_knot(segment.end));
        let mut found = None;
        if let Some(slip) = exit {
            if self.blocks(slip.sign()) {
                return Err(unproved(segment.end));
            }
            let (bracket, time, slope) = side(slip.sign()).root(segment.end)?;
            to = bracket[1];
            found = Some((bracket, time, slope.lower()));
        }
        let steps = [1.0, -1.0].map(|sign| {
            let falls = exit.is_some_and(|p| p.sign() == sign);
            if self.blocks(sign) {
                return Ok(Vec::new());
            }
            side(sign).chain([self.bracket[0], to], 0, falls)
        });
        let steps = steps.into_iter().collect::<Result<Vec<_>, _>>()?;
        self.v = Ball::ZERO;
        let (ending, margins) = if let Some((bracket, time, slope)) = found {
            (self.bracket, self.time) = (bracket, time);
            (Ending::Slip, vec![slope])
        } else {
            self.arrive_exactly(segment.end);
            next.map_or((Ending::End, Vec::new()), |phase| self.after_knot(segment.end, phase))
        };
        if next.is_some_and(|p| p != Phase::Stick) && self.is_rigid() {
            self.stop = None;
        }
        Ok(Passage { steps, free: None, ending, margins })
    }

    /// A stick goes on at a knot, the load has jumped beyond a limit, or the support to another velocity.
    fn after_knot(&mut self, t: f64, phase: Phase) -> (Ending, Vec<f64>) {
        if let Some(kick) = self.kicked(t, phase) {
            return kick;
        }
        let ending = if phase == Phase::Stick { Ending::Knot } else { Ending::Jump };
        (ending, self.rule(t, phase))
    }

    /// What the mass does where the support's velocity jumps.
    fn kicked(&mut self, t: f64, next: Phase) -> Option<(Ending, Vec<f64>)> {
        let jump = self.scene.jump(t)?;
        self.v = if self.v == Ball::ZERO { -jump } else { self.v - jump };
        Some((Ending::Kick, vec![(Ball::from(next.sign()) * self.v).lower()]))
    }

    fn slip(
        &mut self,
        segment: &Segment,
        sign: f64,
        (next, met): (Option<Phase>, Option<Wall>),
    ) -> Result<Passage, Error> {
        let rises = if self.v == Ball::ZERO { 2 } else { 0 };
        let (medium, load) = self.surroundings(self.time.middle(), segment.start);
        let mut pushed = load.clone();
        pushed.cubic[0] = pushed.cubic[0] - Ball::from(sign) * self.scene.limit(sign)[1];
        let here = Start { time: self.time, x: self.x, v: self.v };
        let start = slip::widened(&medium, &pushed, here, segment.end)?;
        let (arc, free) = arc(&medium, (start, here), &pushed, segment.end)?;
        let velocity = Positive { curve: &arc, sign, base: 1, shift: Ball::ZERO };
        let way = Way { sign, load, velocity, rises, end: segment.end };
        let before = self.x;
        let ahead = self.ahead(sign);
        let rests =
            next.is_some_and(|p| p != segment.phase) && self.scene.jump(segment.end).is_none();
        let (steps, ending, margins) = match (met, next) {
            (Some(wall), _) if ahead != Some(wall) => return Err(unproved(segment.end)),
            (Some(wall), next) => self.meet(&way, wall, next)?,
            (None, Some(next)) if rests => self.rest(&way, &medium, next)?,
            (None, next) => self.arrive(&way, next)?,
        };
        // A slip does not turn back: what it has not reached at its end it has not met.
        let clear = |wall: Wall| {
            let gap = self.scene.stop(wall).map(|a| Ball::from(sign) * (a - self.x));
            gap.is_none_or(|g| g.lower() > 0.0)
        };
        if met.is_none() && !ahead.is_none_or(clear) {
            return Err(unproved(segment.end));
        }
        let length = Ball::from(sign) * (self.x - before);
        self.friction = self.friction + self.scene.limit(sign)[1] * length;
        Ok(Passage { steps: vec![steps], free: Some(free.map(Ball::enclosure)), ending, margins })
    }

    /// The stop whose position a slip towards `sign` comes to next.
    fn ahead(&self, sign: f64) -> Option<Wall> {
        let towards = if sign > 0.0 { Wall::Upper } else { Wall::Lower };
        let wall = match self.stop {
            Some(wall) if wall == towards => return None, // deeper into its spring
            Some(wall) => wall,
            None => towards,
        };
        self.scene.stop(wall).map(|_| wall)
    }

    /// The slip comes to rest.
    fn rest(
        &mut self,
        way: &Way<'_>,
        medium: &Medium,
        next: Phase,
    ) -> Result<(Vec<ProofStep>, Ending, Vec<f64>), Error> {
        let (bracket, time, _) = way.velocity.root(way.end)?;
        let steps = way.velocity.chain([self.bracket[0], bracket[1]], way.rises, true)?;
        let arc = way.velocity.curve;
        let [x, v] = arc.two::<Ball>(time.middle(), 0);
        let r = time.radius();
        let bend = arc.bound(2, bracket[1]);
        self.x = x.widened(up(r * up(v.size() + bend * r)));
        (self.v, self.bracket, self.time) = (Ball::ZERO, bracket, time);
        let b = way.load.two::<Ball>(time, 0)[0] - medium.stiffness * self.x;
        if next == Phase::Stick {
            return Ok((steps, Ending::Stick, self.inside(b)));
        }
        Ok((steps, Ending::Reversal, self.beyond(b, -way.sign)))
    }

    /// The slip goes on to a knot or to the end of the run.
    fn arrive(
        &mut self,
        way: &Way<'_>,
        next: Option<Phase>,
    ) -> Result<(Vec<ProofStep>, Ending, Vec<f64>), Error> {
        let steps = way.velocity.chain([self.bracket[0], way.end], way.rises, false)?;
        self.arrive_exactly(way.end);
        [self.x, self.v] = way.velocity.curve.two(self.time, 0);
        let (ending, margins) = match next {
            None => (Ending::End, Vec::new()),
            Some(next) => self.kicked(way.end, next).unwrap_or_else(|| {
                let speed = (Ball::from(way.sign) * self.v).lower();
                (Ending::Knot, vec![speed])
            }),
        };
        Ok((steps, ending, margins))
    }

    /// The slip meets a stop, or leaves the spring of a soft one.
    fn meet(
        &mut self,
        way: &Way<'_>,
        wall: Wall,
        next: Option<Phase>,
    ) -> Result<(Vec<ProofStep>, Ending, Vec<f64>), Error> {
        let arc = way.velocity.curve;
        let sign = way.sign;
        let a = self.scene.stop(wall).ok_or_else(|| unproved(way.end))?;
        let gap = Positive { curve: arc, sign: -sign, base: 0, shift: Ball::from(sign) * a };
        let (bracket, time, _) = gap.root(way.end)?;
        let steps = way.velocity.chain([self.bracket[0], bracket[1]], way.rises, false)?;
        let [v, _] = arc.two::<Ball>(time.middle(), 1);
        (self.x, self.v) = (a, v.widened(up(time.radius() * arc.bound(2, bracket[1]))));
        (self.bracket, self.time) = (bracket, time);
        let mut margins = vec![(Ball::from(sign) * self.v).lower()];
        let Some(e) = self.scene.o.stops.and_then(|s| s.restitution()) else {
            let ending = if self.stop.is_none() { Ending::Touch } else { Ending::Leave };
            self.stop = if self.stop.is_none() { Some(wall) } else { None };
            return Ok((steps, ending, margins));
        };
        self.v = -(Ball::from(e) * self.v);
        if e == 0.0 {
            (self.v, self.stop) = (Ball::ZERO, Some(wall));
            let next = next.ok_or_else(|| unproved(way.end))?;
            margins.extend(self.rule(bracket[0], next));
            self.stop = self.stop.filter(|_| next == Phase::Stick);
        }
        Ok((steps, Ending::Impact, margins))
    }
}

/// The stop at which `segment` ends, if it does.
fn met(path: &Trajectory, segment: &Segment) -> Result<Option<Wall>, Error> {
    if matches!(segment.arc, Stretch::Rest(_)) {
        return Err(slip::refused(&format!(
            "from t = {} s on the mass bounces infinitely often within a moment; end the run before",
            Short(segment.start)
        )));
    }
    let events = path.events();
    let first = events.partition_point(|e| e.time < segment.end);
    let here = events[first..].iter().take_while(|e| e.time == segment.end);
    let mut contacts =
        here.filter(|e| matches!(e.kind, EventKind::Touch | EventKind::Impact) && e.place > 0);
    Ok(contacts.next().and_then(|e| Wall::ALL.into_iter().find(|w| w.stop_place() == e.place)))
}
