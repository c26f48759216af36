//! A friction element: a contact between two flanges whose relative motion somebody else owns.
//!
//! The flanges are given by their relative velocity w (m/s, or rad/s with torques), piecewise linear in time; the element
//! answers with the force that its contact holds. At rest the contact is a spring and a damper, so that the force is known
//! at zero velocity too:
//!
//! ```text
//! stick:            ż = w,  F = k z + c w             until |F| would exceed the limit  N f_s(side, time at rest)
//! slip to side s:   F = s N f(|w|),  z = F/k          until s w reaches zero
//! ```
//!
//! A slip therefore ends in a stick at the force that the contact still bears, and a motion that turns round unloads the
//! spring before it slips back. The spring keeps what it holds: nothing creeps under a force below the limit. The energy
//! lost is the work done on the element less what its spring has stored.

use crate::error::{Error, require};
use crate::law::Law;
use crate::motion::{Event, EventKind, Phase, State};

/// Halvings of a panel that is looked at for the end of a stick.
const HALVINGS: u32 = 60;

/// Abscissae and weights of Gauss's rule with five points on [−1, 1].
const GAUSS: [(f64, f64); 5] = [
    (-0.906_179_845_938_664, 0.236_926_885_056_189_1),
    (-0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
    (0.0, 0.568_888_888_888_888_9),
    (0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
    (0.906_179_845_938_664, 0.236_926_885_056_189_1),
];

/// A contact between two flanges.
///
/// ```
/// use stickslip::scheme::element::{Element, Held};
/// use stickslip::{EventKind, Law};
/// # fn main() -> Result<(), stickslip::Error> {
/// let element = Element::new(1000.0, Law::static_dynamic(12.0, 10.0)?)?;
/// let mut grip = element.at_rest();
/// grip.velocity = Held { value: 0.1, rate: 0.0 };
/// let mut events = Vec::new();
/// element.advance(&mut grip, 1.0, &mut events);
/// // The spring of the contact bears 12 N after 12 mm, that is after 0.12 s; from then on friction is 10 N.
/// assert_eq!((events.len(), events[0].kind), (1, EventKind::Slip));
/// assert!((events[0].time - 0.12).abs() < 1e-14);
/// assert_eq!(element.force(&grip), 10.0);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Element {
    /// k > 0, stiffness of the contact at rest, N/m.
    pub stiffness: f64,
    /// c ≥ 0, damping of the contact at rest, N·s/m.
    pub damping: f64,
    /// The friction law: its numbers are forces, or coefficients where there is a normal force.
    pub friction: Law,
    /// N(t) ≥ 0, N, if the law's numbers are coefficients: what holds until it is set.
    pub normal: Option<f64>,
}

/// A number that is linear in time from the present instant on.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Held {
    /// Its value now.
    pub value: f64,
    /// Its rate, per second.
    pub rate: f64,
}

impl Held {
    fn after(self, s: f64) -> f64 {
        self.value + self.rate * s
    }
}

/// What an element is doing. A copy goes on like the original.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grip {
    /// When it is, s.
    pub time: f64,
    /// z, deflection of the contact, m.
    pub deflection: f64,
    /// What the contact does.
    pub phase: Phase,
    /// Since when it sticks, s.
    pub since: f64,
    /// Work done on the element so far, J.
    pub work: f64,
    /// w, relative velocity of the flanges, m/s.
    pub velocity: Held,
    /// N, normal force, N; 1 where the law's numbers are forces.
    pub normal: Held,
}

impl Element {
    /// An element of this stiffness (N/m), without damping and without a normal force.
    ///
    /// # Errors
    /// If the stiffness is not a finite number above 0.
    pub fn new(stiffness: f64, friction: Law) -> Result<Self, Error> {
        Self { stiffness, damping: 0.0, friction, normal: None }.checked()
    }

    /// With a damping (N·s/m) of the contact at rest.
    ///
    /// # Errors
    /// If it is not a finite number ≥ 0.
    pub fn with_damping(self, damping: f64) -> Result<Self, Error> {
        Self { damping, ..self }.checked()
    }

    /// Under a normal force (N): the law's numbers are then coefficients.
    ///
    /// # Errors
    /// If it is not a finite number ≥ 0.
    pub fn with_normal(self, normal: f64) -> Result<Self, Error> {
        Self { normal: Some(normal), ..self }.checked()
    }

    fn checked(self) -> Result<Self, Error> {
        let expected = "a finite stiffness > 0 N/m";
        require("the stiffness of the contact", self.stiffness, self.stiffness > 0.0, expected)?;
        let expected = "a finite damping ≥ 0 N·s/m";
        require("the damping of the contact", self.damping, self.damping >= 0.0, expected)?;
        let normal = self.normal.unwrap_or(1.0);
        require("the normal force", normal, normal >= 0.0, "a finite force ≥ 0 N")?;
        Ok(self)
    }

    /// Where it begins: unloaded, at t = 0, its flanges at rest.
    pub fn at_rest(&self) -> Grip {
        Grip {
            time: 0.0,
            deflection: 0.0,
            phase: Phase::Stick,
            since: 0.0,
            work: 0.0,
            velocity: Held::default(),
            normal: Held { value: self.normal.unwrap_or(1.0), rate: 0.0 },
        }
    }

    /// F, the force of the contact against the motion, N.
    pub fn force(&self, grip: &Grip) -> f64 {
        self.force_after(grip, 0.0)
    }

    /// The same `s` (s) later, if the contact goes on doing what it does. Where the limit sinks below what the spring
    /// holds while nothing pushes it further, the spring gives way.
    fn force_after(&self, grip: &Grip, s: f64) -> f64 {
        let w = grip.velocity.after(s);
        let normal = grip.normal.after(s);
        match grip.phase {
            Phase::Stick => {
                let force = self.elastic_after(grip, s);
                let side = 1f64.copysign(force);
                // Nothing pushes it further, so a limit that sinks lets the spring slip back without an event.
                let gives = side * w <= 0.0;
                if gives { side * force.abs().min(self.limit_after(grip, side, s)) } else { force }
            }
            slip => {
                let side = slip.sign();
                side * normal * self.friction.force(side, (side * w).max(0.0))
            }
        }
    }

    /// k z + c w in a stick, N.
    fn elastic_after(&self, grip: &Grip, s: f64) -> f64 {
        let Held { value, rate } = grip.velocity;
        let way = s * (value + 0.5 * s * rate);
        self.stiffness * (grip.deflection + way) + self.damping * grip.velocity.after(s)
    }

    /// The force beyond which a stick ends towards `side` (±1), N.
    pub fn limit(&self, grip: &Grip, side: f64) -> f64 {
        self.limit_after(grip, side, 0.0)
    }

    fn limit_after(&self, grip: &Grip, side: f64, s: f64) -> f64 {
        let age = (grip.time + s - grip.since).max(0.0);
        grip.normal.after(s) * self.friction.limit(side, age)
    }

    /// Energy lost so far, J.
    pub fn lost(&self, grip: &Grip) -> f64 {
        let z = self.deflection(grip);
        grip.work - 0.5 * self.stiffness * z * z
    }

    /// z, m: in a slip what the force of the contact bends it by.
    pub fn deflection(&self, grip: &Grip) -> f64 {
        match grip.phase {
            Phase::Stick => grip.deflection,
            _ => self.force(grip) / self.stiffness,
        }
    }

    /// What the contact does under the present velocity and force, adding what happens at once to `events`.
    pub fn settle(&self, grip: &mut Grip, events: &mut Vec<Event>) {
        let side = grip.phase.sign();
        let w = grip.velocity.value;
        let turned = side * w < 0.0 || (w == 0.0 && side * grip.velocity.rate <= 0.0);
        if grip.phase != Phase::Stick && turned {
            // At zero velocity: what the contact bears there is what it goes on with.
            let borne = side * grip.normal.value * self.friction.force(side, 0.0);
            grip.deflection = borne / self.stiffness;
            grip.phase = Phase::Stick;
            grip.since = grip.time;
            events.push(self.event(EventKind::Stick, grip));
        }
        if grip.phase == Phase::Stick {
            let force = self.force(grip);
            let side = 1f64.copysign(force);
            if force.abs() > self.limit(grip, side) && side * w > 0.0 {
                self.let_go(grip, side, events);
            }
        }
    }

    fn event(&self, kind: EventKind, grip: &Grip) -> Event {
        Event::new(kind, grip.time, 0, State { x: grip.deflection, v: grip.velocity.value })
    }

    fn let_go(&self, grip: &mut Grip, side: f64, events: &mut Vec<Event>) {
        grip.phase = Phase::slip(side);
        events.push(self.event(EventKind::Slip, grip));
    }

    /// Advances to `until` (s), adding what happens to `events`; its velocity and its normal force go on with their rates.
    pub fn advance(&self, grip: &mut Grip, until: f64, events: &mut Vec<Event>) {
        self.settle(grip, events);
        while grip.time < until && !self.advance_to_event(grip, until, events) {}
    }

    /// The same as far as the first event, or to where the motion turns round in a stick; whether `until` is reached.
    pub fn advance_to_event(&self, grip: &mut Grip, until: f64, events: &mut Vec<Event>) -> bool {
        let left = until - grip.time;
        let Held { value, rate } = grip.velocity;
        let side = match grip.phase {
            Phase::Stick if value == 0.0 => rate.signum() * f64::from(u8::from(rate != 0.0)),
            Phase::Stick => value.signum(),
            slip => slip.sign(),
        };
        let turn = rest_after(grip.velocity, side);
        let part = left.min(if turn > 0.0 { turn } else { left });
        let exit = match grip.phase {
            Phase::Stick if side != 0.0 => self.exit(grip, side, 0.0, part, 0),
            _ => None,
        };
        self.pass(grip, exit.unwrap_or(part));
        if exit.is_some() {
            self.let_go(grip, side, events);
        } else if part < left {
            grip.velocity.value = 0.0; // only rounding leads past the turning point
            self.settle(grip, events);
        } else {
            grip.time = until;
        }
        grip.time >= until
    }

    /// Goes on by `s` (s) in the same phase.
    fn pass(&self, grip: &mut Grip, s: f64) {
        let power = |at: f64| self.force_after(grip, at) * grip.velocity.after(at);
        let half = 0.125 * s;
        let panel = |i: i32| -> f64 {
            let middle = half * f64::from(2 * i + 1);
            GAUSS.iter().map(|(x, weight)| half * weight * power(middle + half * x)).sum()
        };
        let work: f64 = (0..4).map(panel).sum();
        grip.work += work;
        if grip.phase == Phase::Stick {
            let force = self.force_after(grip, s);
            let free = force == self.elastic_after(grip, s);
            let way = s * (grip.velocity.value + 0.5 * s * grip.velocity.rate);
            grip.deflection = if free { grip.deflection + way } else { force / self.stiffness };
        }
        for held in [&mut grip.velocity, &mut grip.normal] {
            held.value = held.after(s);
        }
        grip.time += s;
    }

    /// When a stick that is pushed towards `side` first passes its limit between `from` and `to` (s from now on): panels in
    /// which the force stays below the limit for certain are left out, the others halved.
    fn exit(&self, grip: &Grip, side: f64, from: f64, to: f64, depth: u32) -> Option<f64> {
        let limits = [from, to].map(|s| self.limit_after(grip, side, s));
        if self.greatest(grip, side, from, to) <= self.least(grip, limits, from, to) {
            return None;
        }
        let middle = 0.5 * (from + to);
        // As far as the clock can tell: the end of the panel is the event, if it is beyond at all.
        if depth == HALVINGS || middle <= from || middle >= to {
            return (side * self.elastic_after(grip, to) > limits[1]).then_some(to);
        }
        let first = self.exit(grip, side, from, middle, depth + 1);
        first.or_else(|| self.exit(grip, side, middle, to, depth + 1))
    }

    /// A lower bound on the limit between `from` and `to` (s from now on), at which it is `a` and `b`: the factor with the
    /// time at rest and the normal force are
    /// both monotone between two kinks.
    fn least(&self, grip: &Grip, [a, b]: [f64; 2], from: f64, to: f64) -> f64 {
        let [p, q] = [from, to].map(|s| grip.normal.after(s).max(0.0));
        if p == q || !self.friction.ages() {
            return a.min(b);
        }
        let per = |limit: f64, normal: f64| if normal > 0.0 { limit / normal } else { 0.0 };
        per(a, p).min(per(b, q)) * p.min(q)
    }

    /// An upper bound on the force towards `side` between `from` and `to` (s from now on): a parabola's.
    fn greatest(&self, grip: &Grip, side: f64, from: f64, to: f64) -> f64 {
        let ends = [from, to].map(|s| side * self.elastic_after(grip, s));
        let Held { value, rate } = grip.velocity;
        let turn = -(self.stiffness * value + self.damping * rate) / (self.stiffness * rate);
        let inside = rate != 0.0 && from < turn && turn < to;
        let top = if inside { side * self.elastic_after(grip, turn) } else { ends[0] };
        ends[0].max(ends[1]).max(top)
    }
}

/// When a slip towards `side` comes to rest, s from now on (+∞: never).
fn rest_after(velocity: Held, side: f64) -> f64 {
    let w = side * velocity.value;
    let a = side * velocity.rate;
    if a < 0.0 { (-w / a).max(0.0) } else { f64::INFINITY }
}
