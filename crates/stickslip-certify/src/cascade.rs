//! Certificates of cascades: one mass on springs and friction elements, led without inertia or pushed by a force.
//!
//! As long as the same nodes slip, the force is straight in the displacement. An arc ends where the displacement turns (its velocity
//! has a root there), where it reaches the next yield (which lies at a known displacement, and is reached once, for the velocity has
//! one sign), or at a knot of what drives it. So one chain for each arc proves that nothing happens inside.
//!
//! Where a periodic drive comes back to the value at which it turned before, the nodes that slipped there stand just at their
//! thresholds again when it turns. No interval proves that; but both values are the same sum of two doubles, and by the memory of
//! turning points the elements are then in the same state.

use super::ball::{Ball, up};
use super::curve::{Curve, ORDERS};
use super::nodes::{Lead, Nodes};
use super::pieces::Pieces;
use super::proof::{Positive, unproved};
use super::slip::{Medium, Start, arc, refused};
use super::{Certificate, CertifiedArc, CertifiedEnergy, Ending, ProofStep, in_order};
use stickslip::error::Error;
use stickslip::model::Cascade;
use stickslip::motion::{CascadeArc, CascadePath, CascadePhase, Segment};
use stickslip::scheme::cascade;

/// Solves `cascade` on [0, `end`] (s) exactly without inertia, led by its displacement or its force, and proves what it finds.
///
/// # Errors
/// As [`cascade::quasi_static`]; [`Error::Uncertified`] for functions of users, and where what leads it turns or stops so near to a yield
/// that nothing can be proved.
///
/// ```
/// use stickslip::{Cascade, Signal};
/// use stickslip_certify::{Ending, cascade};
/// # fn main() -> Result<(), stickslip::Error> {
/// // The element slips once the spring before it pulls with its 1 N, after 1 m of way.
/// let c = Cascade::new(1.0, vec![1.0, 1.0], vec![1.0]).with_displacement(Signal::ramp(1.0, 0.0));
/// let proof = cascade::certify_quasi_static(&c, 2.0)?;
/// assert_eq!(proof.arcs[0].ending, Ending::Yield);
/// assert!(proof.arcs[0].to[0] <= 1.0 && 1.0 <= proof.arcs[0].to[1]);
/// # Ok(()) }
/// ```
pub fn certify_quasi_static(
    cascade: &Cascade,
    end: f64,
) -> Result<Certificate<CascadePhase>, Error> {
    let lead = if cascade.displacement.is_some() { Lead::Displacement } else { Lead::Force };
    let led = cascade.displacement.as_ref().unwrap_or(&cascade.force);
    let mut walk = Walk::new(cascade, led)?;
    (walk.lead, walk.inertia) = (lead, false);
    in_order(walk.along(&cascade::quasi_static(cascade, end)?)?, &[led])
}

/// Solves `cascade`, a mass under a force, on [0, `end`] (s) exactly and proves what it finds.
///
/// # Errors
/// As [`cascade::exact`]; [`Error::Uncertified`] for functions of users, and where the mass turns so near to a yield or comes to rest so
/// nearly in equilibrium that nothing can be proved.
///
/// ```
/// use stickslip::{Cascade, Signal};
/// use stickslip_certify::{Ending, cascade};
/// # fn main() -> Result<(), stickslip::Error> {
/// let c = Cascade::new(1.0, vec![3.0, 2.0, 1.5], vec![0.5, 0.8]).with_force(Signal::harmonic(2.5, 0.9, 0.0));
/// let proof = cascade::certify(&c, 10.0)?;
/// assert!(proof.arcs.iter().filter(|a| a.ending == Ending::Reversal).count() > 1);
/// # Ok(()) }
/// ```
pub fn certify(cascade: &Cascade, end: f64) -> Result<Certificate<CascadePhase>, Error> {
    let proof = Walk::new(cascade, &cascade.force)?.along(&cascade::exact(cascade, end)?)?;
    in_order(proof, &[&cascade.force])
}

/// Where a certified motion has come to.
struct Walk<'a> {
    mass: f64,
    drive: Pieces<'a>,
    lead: Lead,
    inertia: bool,
    nodes: Nodes,
    bracket: [f64; 2],
    time: Ball,
    /// Velocity of the mass with inertia, m/s.
    v: Ball,
    /// Whether the arc begins with a velocity of exactly 0.
    still: bool,
    /// How far the true motion is from the one that is followed at most, as √(2 J): see [`follow_on`](Self::follow_on).
    doubt: f64,
    /// What is not known of the instant at which the one that is followed came here, s.
    own: f64,
    arcs: Vec<CertifiedArc<CascadePhase>>,
}

type Passage = (Vec<ProofStep>, Ending, Vec<f64>);
type Free = Option<[[f64; 2]; 2]>;

impl<'a> Walk<'a> {
    fn new(cascade: &Cascade, drive: &'a stickslip::signal::Signal) -> Result<Self, Error> {
        if !drive.user_functions().is_empty() {
            return Err(refused(
                "functions of users are not certified: no bound of theirs is proved",
            ));
        }
        cascade.check()?;
        Ok(Self {
            mass: cascade.mass,
            drive: Pieces::new(drive),
            lead: Lead::Displacement,
            inertia: true,
            nodes: Nodes::new(cascade),
            bracket: [0.0; 2],
            time: Ball::ZERO,
            v: Ball::from(cascade.initial.velocity),
            still: false,
            doubt: 0.0,
            own: 0.0,
            arcs: Vec::new(),
        })
    }

    /// Certifies `path`.
    fn along(mut self, path: &CascadePath) -> Result<Certificate<CascadePhase>, Error> {
        let segments: Vec<_> = path.segments().iter().filter(|s| s.end > s.start).collect();
        let first = self.energy();
        let Some(begin) = segments.first() else { return Err(unproved(0.0)) };
        if !self.inertia {
            let u = self.drive.at(Ball::ZERO, 0.0);
            self.nodes.jump(self.lead, u).ok_or_else(|| unproved(0.0))?;
        }
        let mut phase = self.depart(0.0)?;
        if phase != begin.phase {
            return Err(unproved(0.0));
        }
        let mut now = [Ball::ZERO; 3];
        for (i, segment) in segments.iter().enumerate() {
            // A node that only touches its threshold where the mass turns does not yield.
            let mark = self.drive.extreme(segment.start, self.nodes.direction);
            let touches = !self.inertia && phase.direction != 0 && self.nodes.touches(mark);
            let next = segments.get(i + 1).map(|s| s.phase);
            let from = self.bracket;
            if !self.drive.is_smooth(from[0], [segment.start, segment.end]) {
                return Err(unproved(segment.start));
            }
            let (curve, free) = self.curve(segment)?;
            let state = self.state(&curve);
            let late = self.time.radius();
            let loss = self.nodes.loss();
            let (steps, ending, margins) = if phase.direction == 0 {
                self.rest(segment, next)?
            } else {
                self.pass(segment, next, (&curve, touches))?
            };
            let [x, v, force] = state.map(Ball::enclosure);
            if self.inertia && phase.direction != 0 {
                self.follow_on(&curve, late, loss);
            }
            if !margins.iter().all(|m| *m > 0.0) {
                return Err(unproved(segment.end));
            }
            let to = self.bracket;
            let steps = vec![steps];
            let force = Some(force);
            self.arcs.push(CertifiedArc {
                phase,
                from,
                to,
                x,
                v,
                force,
                free,
                steps,
                ending,
                margins,
            });
            now = self.state(&curve);
            phase = CascadePhase { slipping: self.nodes.slipping, ..next.unwrap_or(phase) };
            if next.is_some_and(|n| n != phase) {
                return Err(unproved(segment.end));
            }
        }
        let [x, v, force] = now.map(Ball::enclosure);
        let last = self.energy();
        let unsure = up(self.doubt * up((2.0 * last.size()).sqrt() + self.doubt));
        let last = last.widened(unsure);
        let supplied = last - first + self.nodes.lost;
        let [first, last, friction, supplied] =
            [first, last, self.nodes.lost, supplied].map(Ball::enclosure);
        let energy = CertifiedEnergy { first, last, friction, supplied };
        let pulls = self.nodes.pull.iter().enumerate();
        let elements =
            pulls.map(|(i, q)| (-*q).widened(self.nodes.pull_off(i, self.doubt)).enclosure());
        let elements = elements.collect();
        Ok(Certificate { arcs: self.arcs, x, v, force: Some(force), elements, energy })
    }

    fn energy(&self) -> Ball {
        let elastic = self.nodes.elastic_energy();
        if !self.inertia {
            return elastic;
        }
        elastic + (Ball::from(self.mass) * self.v * self.v).scaled(0.5)
    }

    /// Displacement, velocity and force where the true motion has come to on `curve`.
    fn state(&self, curve: &Curve) -> [Ball; 3] {
        let v = match (self.inertia, self.lead) {
            (true, _) => self.v,
            (_, Lead::Displacement) => curve.two(self.time, 1)[0],
            (_, Lead::Force) => curve.two::<Ball>(self.time, 1)[0] / self.nodes.slope(),
        };
        let state = [self.nodes.x, v, self.nodes.force];
        if !self.inertia {
            return state;
        }
        let r = self.time.radius();
        let until = self.bracket[1];
        let [fast, bent] = [1, 2].map(|n| up(curve.bound(n, until) + curve.spread[n]));
        let stiff = up(self.nodes.stiffest() * fast * r);
        let off = self.nodes.off(self.doubt, self.mass);
        let off = [up(off[0] + fast * r), up(off[1] + bent * r), up(off[2] + stiff)];
        [0, 1, 2].map(|i| state[i].widened(off[i]))
    }

    /// What moves: the displacement, or the force that leads; and the coefficients of its free part.
    ///
    /// With inertia it is the motion from exactly the state that was written down, in which the true one is to be found within `spread`.
    fn curve(&self, segment: &Segment<CascadeArc>) -> Result<(Curve, Free), Error> {
        let origin = self.time.middle();
        let drive = self.drive.curve(Ball::ONE, origin, segment.start);
        if !self.inertia || segment.phase.direction == 0 {
            return Ok((drive, None));
        }
        let x = self.nodes.x;
        let k = self.nodes.slope();
        let m = self.mass;
        let medium = Medium { mass: m, damping: Ball::ZERO, stiffness: k };
        let mut load = drive;
        load.cubic[0] = load.cubic[0] - (self.nodes.force - k * x);
        let start = Start { time: origin, x, v: self.v };
        let (mut arc, free) = arc(&medium, (start, start), &load, segment.end)?;
        let r = self.time.radius();
        let rate = (self.nodes.stiffest() / m).sqrt();
        if r * rate > 1e-9 || r.is_nan() {
            return Err(unproved(segment.start));
        }
        // In the same phase the difference is a free motion, also for the 10⁻⁹ of a period by which one begins earlier.
        let [x, v, force] = self.nodes.off(self.doubt, m);
        let apart = &mut arc.spread;
        (apart[0], apart[1], apart[2]) =
            (x * (1.0 + 1e-8), v * (1.0 + 1e-8), force / m * (1.0 + 1e-8));
        for n in 3..ORDERS {
            apart[n] = up(k.size() * apart[n - 2] / m);
        }
        let [fast, bent] = [1, 2].map(|n| up(arc.bound(n, segment.end) * r));
        let unsure = up(arc.spread[0] + fast + (arc.spread[1] + bent) / (k.lower() / m).sqrt());
        Ok((arc, Some(free.map(|c| c.widened(unsure).enclosure()))))
    }

    /// Goes on from exactly the state that is written down here; how far the true motion may be from that.
    ///
    /// Friction is monotone: the difference of two motions under the same force has an energy ½ m δv² + Σ δf²/(2 k) that never
    /// grows. So what each such step leaves out just adds up. The motion that is followed reaches an event by `time.radius()` earlier or later than
    /// the middle; meanwhile it is in another phase than the one that is written down.
    fn follow_on(&mut self, curve: &Curve, late: f64, loss: f64) {
        let m = self.mass;
        let until = self.bracket[1];
        let [fast, bent] = [1, 2].map(|n| up(curve.bound(n, until) + curve.spread[n]));
        let r = self.own;
        let left_out = self.nodes.settle_down(up(fast * r));
        let speed = up(self.v.radius() + 2.0 * bent * r);
        self.v = self.v.middle();
        self.doubt = up(self.doubt + up(m.sqrt() * speed) + left_out);
        let x = self.nodes.off(self.doubt, m)[0];
        let apart = up(2.0 * x + fast * (late + self.time.radius()));
        self.nodes.lost = self.nodes.lost.widened(up(loss * apart));
        self.own = 0.0;
    }

    /// Which way the motion goes from here, by the piece that holds at `look`; the nodes turn with it.
    fn depart(&mut self, look: f64) -> Result<CascadePhase, Error> {
        let way = self.trend(look).ok_or_else(|| unproved(look))?;
        if way != 0.0 && way != self.nodes.direction {
            let mark = self.drive.exactly(look).filter(|_| !self.inertia);
            self.nodes.turn(way, mark);
        } else if way != 0.0 && self.nodes.margin() == Some(Ball::ZERO) {
            return Err(unproved(look)); // a node that touches its threshold would yield just here
        }
        Ok(CascadePhase { direction: way as i8, slipping: self.nodes.slipping })
    }

    /// The sign of the velocity from here on, if it is certain.
    fn trend(&mut self, look: f64) -> Option<f64> {
        let sign = |b: Ball| (!b.may_be_zero()).then(|| b.value().signum());
        let line = self.drive.line(look);
        let harmonics = self.drive.signal.harmonics();
        let curve = self.drive.curve(Ball::ONE, self.time.middle(), look);
        let [value, rate] = curve.two::<Ball>(self.time, 0);
        self.still = false;
        if !self.inertia {
            if self.drive.is_constant(look) {
                return Some(0.0);
            }
            let turns = line.rate == Ball::ZERO && harmonics.iter().all(|h| h.phase == 0.0);
            if self.time == Ball::ZERO && turns {
                self.still = true;
                return sign(curve.two(self.time, 2)[0]);
            }
            return sign(rate);
        }
        if self.v != Ball::ZERO {
            return sign(self.v);
        }
        self.still = true;
        if harmonics.is_empty() && line.at(self.time) == self.nodes.force {
            return if self.drive.is_constant(look) { Some(0.0) } else { sign(rate) };
        }
        sign(value - self.nodes.force)
    }

    /// At rest until a knot or the end.
    fn rest(
        &mut self,
        segment: &Segment<CascadeArc>,
        next: Option<CascadePhase>,
    ) -> Result<Passage, Error> {
        if !self.drive.is_constant(segment.start) {
            return Err(unproved(segment.start));
        }
        self.arrive_exactly(segment.end);
        let (ending, margins) = self.after(segment.end, next)?;
        Ok((Vec::new(), ending, margins))
    }

    fn arrive_exactly(&mut self, t: f64) {
        (self.bracket, self.time) = ([t, t], Ball::from(t));
    }

    fn pass(
        &mut self,
        segment: &Segment<CascadeArc>,
        next: Option<CascadePhase>,
        (curve, touches): (&Curve, bool),
    ) -> Result<Passage, Error> {
        let s = self.nodes.direction;
        let end = segment.end;
        let velocity = Positive { curve, sign: s, base: 1, shift: Ball::ZERO };
        let from = self.bracket[0];
        let rises = if self.still { 2 } else { 0 };
        let Some(phase) = next.filter(|_| !self.drive.is_knot(end)) else {
            let steps = velocity.chain([from, end], rises, false)?;
            self.arrive_exactly(end);
            let followed = Curve { spread: [0.0; ORDERS], ..curve.clone() };
            let [u, u1] = followed.two(self.time, 0);
            (self.v, self.still) = (u1, false);
            self.nodes.shift(self.lead, u);
            if touches && self.drive.signal.harmonics().is_empty() && self.drive.is_knot(end) {
                self.nodes.touch();
            }
            let (ending, margins) = self.after(end, next)?;
            return Ok((steps, ending, margins));
        };
        let followed = &Curve { spread: [0.0; ORDERS], ..curve.clone() };
        let off = self.nodes.off(self.doubt, self.mass);
        if f64::from(phase.direction) == s {
            let level = self.nodes.level(self.lead).ok_or_else(|| unproved(end))?;
            let shift = Ball::from(s) * level;
            let gap = Positive { curve: followed, sign: -s, base: 0, shift };
            let early = self.nodes.pull_off(self.nodes.slipping, self.doubt);
            let early = if early == 0.0 { 0.0 } else { up(early / self.nodes.slope().lower()) };
            let slope = self.arrive_between(gap.root(end)?, early, followed.bound(2, end), end)?;
            let steps = velocity.chain([from, self.bracket[1]], rises, false)?;
            let [v, _] = followed.two::<Ball>(self.time.middle(), 1);
            let bent = up(self.own * followed.bound(2, self.bracket[1]));
            (self.v, self.still) = (v.widened(bent), false);
            self.nodes.give_way(self.lead, level);
            let margins = std::iter::once(slope - off[1]).chain(self.left()).collect();
            return Ok((steps, Ending::Yield, margins));
        }
        let turning = Positive { curve: followed, ..velocity };
        let bend = followed.bound(3, end);
        let slope = self.arrive_between(turning.root(end)?, off[1], bend, end)?;
        let steps = velocity.chain([from, self.bracket[1]], rises, true)?;
        let [u, v] = followed.two::<Ball>(self.time.middle(), 0);
        let r = self.own;
        let bend = followed.bound(2, self.bracket[1]);
        self.nodes.shift(self.lead, u.widened(up(r * up(v.size() + bend * r))));
        if touches {
            self.nodes.touch();
        }
        let slope = slope - if self.inertia { up(off[2] / self.mass) } else { 0.0 };
        let margins = std::iter::once(slope).chain(self.left()).collect();
        (self.v, self.still) = (Ball::ZERO, true);
        let mark = self.drive.extreme(segment.start, s).filter(|_| !self.inertia);
        self.nodes.turn(-s, mark);
        Ok((steps, Ending::Reversal, margins))
    }

    /// The motion that is followed comes to the `root` of a function of which that of the true motion is `off` apart; how fast that falls
    /// at least, with its second derivative `bend` at most.
    fn arrive_between(
        &mut self,
        root: ([f64; 2], Ball, Ball),
        off: f64,
        bend: f64,
        end: f64,
    ) -> Result<f64, Error> {
        let ([low, high], time, slope) = root;
        let late = if off == 0.0 { 0.0 } else { up(2.0 * off / slope.lower()) };
        let changed = up(bend * late);
        if changed > 0.25 * slope.lower() || late.is_nan() {
            return Err(unproved(end));
        }
        (self.own, self.time) = (time.radius(), time.widened(late));
        self.bracket = [low, high];
        if late > 0.0 {
            let outer = [self.time.lower().next_down(), self.time.upper().next_up()];
            self.bracket = [low.min(outer[0]), high.max(outer[1])];
        }
        Ok((slope.lower() - changed).next_down())
    }

    /// How far the next yield of the true motion is at least, N.
    fn left(&self) -> Option<f64> {
        let unsure = self.nodes.pull_off(self.nodes.slipping, self.doubt);
        self.nodes.left().map(|left| (left - unsure).next_down())
    }

    /// At a knot of what drives, or at the end: how far the next yield is, and how fast the motion goes on.
    fn after(&mut self, t: f64, next: Option<CascadePhase>) -> Result<(Ending, Vec<f64>), Error> {
        let mut margins: Vec<f64> = self.left().into_iter().collect();
        let Some(next) = next else { return Ok((Ending::End, margins)) };
        let jumps = !self.inertia && self.drive.jumps(t);
        if jumps {
            let u = self.drive.at(self.time, t);
            self.nodes.jump(self.lead, u).ok_or_else(|| unproved(t))?;
            margins.extend(self.left());
        }
        if self.depart(t)? != next {
            return Err(unproved(t));
        }
        Ok((if jumps { Ending::Jump } else { Ending::Knot }, margins))
    }
}
