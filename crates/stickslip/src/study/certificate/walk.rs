//! From arc to arc: the state at each event as a ball, the next arc from there, and the rules on the way.

use super::ball::{Ball, up};
use super::curve::Curve;
use super::proof::{Positive, unproved};
use super::slip::{self, Start, arc, load};
use super::{Certificate, CertifiedArc, CertifiedEnergy, Ending, ProofStep};
use crate::error::{Error, Short};
use crate::model::Oscillator;
use crate::motion::{Phase, Segment, Trajectory};

/// Where a certified motion has come to.
pub(super) struct Walk<'a> {
    o: &'a Oscillator,
    limits: [(f64, f64); 2],
    /// When: doubles around it, and the instant.
    bracket: [f64; 2],
    time: Ball,
    x: Ball,
    v: Ball,
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

impl<'a> Walk<'a> {
    pub fn new(o: &'a Oscillator, limits: [(f64, f64); 2]) -> Self {
        let [x, v] = [o.initial.displacement, o.initial.velocity].map(Ball::from);
        let (time, friction) = (Ball::ZERO, Ball::ZERO);
        Self { o, limits, bracket: [0.0; 2], time, x, v, friction, arcs: Vec::new() }
    }

    /// Certifies `path`.
    pub fn along(mut self, path: &Trajectory) -> Result<Certificate, Error> {
        let first = self.energy();
        let segments: Vec<&Segment> = path.segments().iter().filter(|s| s.end > s.start).collect();
        self.check_start(segments.first().map(|s| s.phase))?;
        for (i, segment) in segments.iter().enumerate() {
            let (from, x, v) = (self.bracket, self.x.enclosure(), self.v.enclosure());
            self.check_piece(segment)?;
            let next = segments.get(i + 1).map(|s| s.phase);
            let passage = match segment.phase {
                Phase::Stick => self.stick(segment, next)?,
                phase => self.slip(segment, phase.sign(), next)?,
            };
            let Passage { steps, free, ending, margins } = passage;
            let (phase, to) = (segment.phase, self.bracket);
            if !margins.iter().all(|m| *m > 0.0) {
                return Err(unproved(segment.end));
            }
            self.arcs.push(CertifiedArc { phase, from, to, x, v, free, steps, ending, margins });
        }
        let last = self.energy();
        let supplied = last - first + self.friction;
        let [first, last, friction, supplied] =
            [first, last, self.friction, supplied].map(Ball::enclosure);
        let energy = CertifiedEnergy { first, last, friction, supplied };
        let (x, v) = (self.x.enclosure(), self.v.enclosure());
        Ok(Certificate { arcs: self.arcs, x, v, energy })
    }

    fn energy(&self) -> Ball {
        let [m, k] = [self.o.mass, self.o.stiffness].map(Ball::from);
        (m * self.v * self.v + k * self.x * self.x).scaled(0.5)
    }

    /// (f_s, f_d) towards `side`, N.
    fn limit(&self, side: f64) -> [Ball; 2] {
        let (fs, fd) = self.limits[usize::from(side < 0.0)];
        [fs, fd].map(Ball::from)
    }

    /// The load on a mass that rests at `x`, under what loads it.
    fn at_rest(&self, load: &Curve, t: Ball, x: Ball) -> Ball {
        load.two::<Ball>(t, 0)[0] - Ball::from(self.o.stiffness) * x
    }

    /// How far the load `b` is inside the limits, ahead and back, N.
    fn inside(&self, b: Ball) -> Vec<f64> {
        vec![(self.limit(1.0)[0] - b).lower(), (self.limit(-1.0)[0] + b).lower()]
    }

    /// The phase at t = 0 follows from the initial state.
    fn check_start(&self, phase: Option<Phase>) -> Result<(), Error> {
        let b = self.at_rest(&load(self.o, Ball::ZERO, 0.0), Ball::ZERO, self.x);
        let holds = match phase {
            None => true,
            Some(_) if self.o.initial.velocity != 0.0 => true,
            Some(Phase::Stick) => self.inside(b).iter().all(|m| *m > 0.0),
            Some(slip) => {
                let side = slip.sign();
                (Ball::from(side) * b - self.limit(side)[0]).lower() > 0.0
            }
        };
        if holds { Ok(()) } else { Err(unproved(0.0)) }
    }

    /// The loads have no knot inside the arc, which may begin or end at one.
    fn check_piece(&self, segment: &Segment) -> Result<(), Error> {
        let signals = [&self.o.drive, &self.o.force];
        let clear = signals.iter().all(|s| {
            let piece = s.piece(segment.start);
            (piece == 0 || s.knots()[piece].time <= self.bracket[0])
                && s.next_breakpoint(segment.start) >= segment.end
        });
        if clear { Ok(()) } else { Err(unproved(segment.start)) }
    }

    /// The arc ends at a double: a knot or the end of the run.
    fn arrive_exactly(&mut self, t: f64) {
        (self.bracket, self.time) = ([t, t], Ball::from(t));
    }

    fn stick(&mut self, segment: &Segment, next: Option<Phase>) -> Result<Passage, Error> {
        let mut b = load(self.o, self.time.middle(), segment.start);
        b.cubic[0] = b.cubic[0] - Ball::from(self.o.stiffness) * self.x;
        let b = b;
        let side =
            |sign: f64| Positive { curve: &b, sign: -sign, base: 0, shift: self.limit(sign)[0] };
        let (sides, mut to) = ([side(1.0), side(-1.0)], segment.end);
        let jumps = self.is_knot(segment.end);
        let exit = next.filter(|p| *p != Phase::Stick && !jumps);
        let mut found = None;
        if let Some(slip) = exit {
            let (bracket, time, slope) = side(slip.sign()).root(segment.end)?;
            to = bracket[1];
            found = Some((bracket, time, slope.lower()));
        }
        let steps = [1.0, -1.0].into_iter().zip(&sides).map(|(sign, g)| {
            let falls = exit.is_some_and(|p| p.sign() == sign);
            g.chain([self.bracket[0], to], false, falls)
        });
        let steps = steps.collect::<Result<Vec<_>, _>>()?;
        self.v = Ball::ZERO;
        let (ending, margins) = match (found, next) {
            (Some((bracket, time, slope)), _) => {
                (self.bracket, self.time) = (bracket, time);
                (Ending::Slip, vec![slope])
            }
            (None, next) => {
                self.arrive_exactly(segment.end);
                match next {
                    None => (Ending::End, Vec::new()),
                    Some(phase) => self.after_knot(segment.end, phase),
                }
            }
        };
        Ok(Passage { steps, free: None, ending, margins })
    }

    /// A stick goes on at a knot, or the load has jumped beyond a limit.
    fn after_knot(&self, t: f64, phase: Phase) -> (Ending, Vec<f64>) {
        let b = self.at_rest(&load(self.o, self.time, t), self.time, self.x);
        if phase == Phase::Stick {
            return (Ending::Knot, self.inside(b));
        }
        let side = phase.sign();
        (Ending::Jump, vec![(Ball::from(side) * b - self.limit(side)[0]).lower()])
    }

    fn is_knot(&self, t: f64) -> bool {
        [&self.o.drive, &self.o.force].iter().any(|s| s.knots()[1..].iter().any(|k| k.time == t))
    }

    fn slip(
        &mut self,
        segment: &Segment,
        sign: f64,
        next: Option<Phase>,
    ) -> Result<Passage, Error> {
        let from_rest = self.v == Ball::ZERO;
        let load = load(self.o, self.time.middle(), segment.start);
        let friction = Ball::from(sign) * self.limit(sign)[1];
        let start = self.start(&load, friction, segment.end, from_rest)?;
        let (arc, free) = arc(self.o, start, &load, friction, segment.end)?;
        let velocity = Positive { curve: &arc, sign, base: 1, shift: Ball::ZERO };
        let rests = next.is_some_and(|p| p != segment.phase);
        let begin = self.bracket[0];
        let before = self.x;
        let (steps, ending, margins);
        if rests {
            let (bracket, time, _) = velocity.root(segment.end)?;
            steps = velocity.chain([begin, bracket[1]], from_rest, true)?;
            let [x, v] = arc.two::<Ball>(time.middle(), 0);
            let (r, bend) = (time.radius(), arc.bound(2, bracket[1]));
            self.x = x.widened(up(r * up(v.size() + bend * r)));
            (self.v, self.bracket, self.time) = (Ball::ZERO, bracket, time);
            let b = self.at_rest(&load, time, self.x);
            (ending, margins) = match next {
                Some(Phase::Stick) | None => (Ending::Stick, self.inside(b)),
                Some(_) => {
                    let beyond = -(Ball::from(sign) * b) - self.limit(-sign)[0];
                    (Ending::Reversal, vec![beyond.lower()])
                }
            };
        } else {
            steps = velocity.chain([begin, segment.end], from_rest, false)?;
            self.arrive_exactly(segment.end);
            [self.x, self.v] = arc.two(self.time, 0);
            let speed = (Ball::from(sign) * self.v).lower();
            (ending, margins) = match next {
                None => (Ending::End, Vec::new()),
                Some(_) => (Ending::Knot, vec![speed]),
            };
        }
        let way = Ball::from(sign) * (self.x - before);
        self.friction = self.friction + self.limit(sign)[1] * way;
        Ok(Passage { steps: vec![steps], free: Some(free.map(Ball::enclosure)), ending, margins })
    }

    /// The state at the middle of the instant at which a slip begins: one that begins from rest a little earlier or later has a
    /// little speed there.
    fn start(
        &self,
        load: &Curve,
        friction: Ball,
        until: f64,
        from_rest: bool,
    ) -> Result<Start, Error> {
        let (time, r) = (self.time.middle(), self.time.radius());
        if !from_rest || r == 0.0 {
            return Ok(Start { time, x: self.x, v: self.v });
        }
        let (m, c, k) = (self.o.mass, self.o.damping, self.o.stiffness);
        let a = (self.at_rest(load, self.time, self.x) - friction) / Ball::from(m);
        // |a| ≤ A on the way if A ≥ |a₀| + r (L + c A + K A r)/m, L the largest rate of the load: hardly more than what A = 0
        // gives will do. And the waves of the arc grow by 10⁻¹² at most before its origin: see `Wave::bound`.
        if r * (c + k * r) > 1e-12 * m || r.is_nan() {
            return Err(slip::refused(&format!(
                "from t = {} s on the instants of the events are not known well enough; end the run before",
                Short(time.value())
            )));
        }
        let most = up((1.0 + 1e-11) * up(a.size() + r * load.bound(1, until) / m));
        let speed = up(most * r);
        Ok(Start { time, x: self.x.widened(up(speed * r)), v: Ball::ZERO.widened(speed) })
    }
}
