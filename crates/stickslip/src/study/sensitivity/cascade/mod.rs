//! Derivatives of the exact motion of a cascade: forward for a few numbers, in reverse for many.
//!
//! With the plays p_j of half-width r_j (see [`hysteresis`](crate::hysteresis)) a mass that goes in the direction s while elements 1 … J slip
//! obeys
//!
//! ```text
//! m ẍ = F − S_J x + Σ_{j>J} κ_j p_j − s T_J          T_J = Σ_{j≤J} κ_j r_j
//! ```
//!
//! Its force is continuous where an element gives way and where the mass turns, so that the derivative of the state does not jump there.
//! What changes is which plays it depends on:
//!
//! ```text
//! yield of j   h = s (x − p_j) − r_j       δt = −(s δx − s δp_j − δr_j)/|v|       p_j is forgotten
//! turn         h = v                       δt = −δv/a                             δp_j ← δx − s δr_j for j ≤ J
//! ```
//!
//! A mass that turns just where an element would give way has no derivative, unless that element keeps its distance whatever changes.

mod back;
mod rates;

pub use back::cascade_gradient;

use super::derivatives::unsuitable;
use super::doubt::{Doubt, Why};
use super::gauss::Parts;
use super::network::NetworkDerivatives;
use super::number::Number;
use crate::error::Error;
use crate::hysteresis::Elements;
use crate::model::Cascade;
use crate::motion::{CascadeArc, CascadePath, Event, EventKind, Motion, Segment, State};
use crate::numeric::natural_frequency;
use crate::portable;
use crate::signal::Piece;
use rates::Rates;

/// A play that misses its limit by less than this share of what it is measured against may be at it.
const MET: f64 = 1e-12;
/// Derivatives of what keeps its distance agree to this share.
const AGREE: f64 = 1e-6;

/// The numbers in the equation of motion, element 1 in place 0.
#[derive(Debug)]
struct Chain<'a> {
    own: &'a Cascade,
    /// C_0 … C_n, the compliance of the first springs in a row, m/N.
    compliance: Vec<f64>,
    /// S_0 … S_n, N/m.
    stiffness: Vec<f64>,
    /// κ_1 … κ_n, N/m, and r_1 … r_n, m.
    weight: Vec<f64>,
    reach: Vec<f64>,
    /// p_1 … p_n at first, m.
    plays: Vec<f64>,
    /// The fastest wave of the load, rad/s.
    fastest: f64,
}

impl<'a> Chain<'a> {
    fn new(own: &'a Cascade) -> Self {
        let backbone = own.backbone();
        let stiffness = backbone.stiffness().to_vec();
        let compliance: Vec<f64> = stiffness.iter().map(|s| 1.0 / s).collect();
        let Elements { pull, displacement, .. } = Elements::from(own);
        let mut x = displacement;
        let play = |(q, c): (&f64, &f64)| {
            x -= q * c;
            x
        };
        Self {
            plays: pull.iter().zip(&compliance).map(play).collect(),
            weight: backbone.weights(),
            reach: backbone.breakpoints().to_vec(),
            fastest: own
                .force
                .harmonics()
                .iter()
                .fold(0.0, |w, h| w.max(h.angular_frequency.abs())),
            own,
            compliance,
            stiffness,
        }
    }

    /// The elements that are just at their limit where a mass that went in the direction `s` turns at `x`.
    fn just_met(&self, plays: &[f64], s: f64, x: f64) -> Vec<usize> {
        let near = |j: &usize| {
            let (p, r) = (plays[*j], self.reach[*j]);
            (s * (x - p) - r).abs() <= MET * (x.abs() + p.abs() + r)
        };
        // An element that slips at once is always at its limit.
        (0..plays.len()).filter(|j| self.reach[*j] > 0.0).filter(near).collect()
    }

    /// Whether all elements stay where they are under a small push either way.
    fn is_inside(&self, plays: &[f64], x: f64) -> bool {
        plays.iter().zip(&self.reach).all(|(p, r)| (x - p).abs() < r * (1.0 - MET))
    }
}

/// A segment as the equation of motion sees it.
struct Leg<'a> {
    segment: &'a Segment<CascadeArc>,
    /// s, 0 at rest.
    way: f64,
    /// J.
    slipping: usize,
    mass: f64,
    stiffness: f64,
    piece: Piece<'a>,
}

impl<'a> Leg<'a> {
    fn new(chain: &Chain<'a>, segment: &'a Segment<CascadeArc>) -> Result<Self, Error> {
        if !matches!(segment.arc, CascadeArc::Rest(_) | CascadeArc::Free(..)) {
            return Err(unsuitable("derivatives of cascades are those of the scheme exact"));
        }
        let slipping = segment.phase.slipping;
        Ok(Self {
            segment,
            way: f64::from(segment.phase.direction),
            slipping,
            mass: chain.own.mass,
            stiffness: chain.stiffness[slipping],
            piece: chain.own.force.piece_at(segment.start),
        })
    }

    /// The state and the acceleration, m/s².
    fn at(&self, t: f64) -> (State, f64) {
        let u = self.segment.arc.state(t);
        let [f, ..] = self.piece.derivatives(t);
        (State { x: u.x, v: u.v }, (f - u.force) / self.mass)
    }

    /// ω, rad/s.
    fn frequency(&self) -> f64 {
        natural_frequency(self.stiffness, self.mass)
    }

    /// How the state `tau` (s) later depends on that now.
    fn propagator(&self, tau: f64) -> [[f64; 2]; 2] {
        let w = self.frequency();
        let (sin, cos) = portable::sin_cos(w * tau);
        [[cos, sin / w], [-w * sin, cos]]
    }

    fn parts(&self, chain: &Chain<'_>, span: [f64; 2]) -> Parts {
        Parts::new(self.frequency() + chain.fastest, span)
    }

    /// Whether the mass turns, or stops, before `next`.
    fn turns_before(&self, next: &Self) -> bool {
        self.way != 0.0 && next.way != self.way
    }

    /// Where a segment ends: what the instant means for the events that fall on it.
    fn end<'b>(&self, chain: &'b Chain<'_>, next: Option<&Self>) -> Instant<'b> {
        let t = self.segment.end;
        let (u, a) = self.at(t);
        let jumps = next.map_or(0.0, |n| n.piece.derivatives(t)[0] - self.piece.derivatives(t)[0]);
        Instant { reach: &chain.reach, way: self.way, u, a, jumps: jumps / self.mass }
    }
}

/// An instant at which something happens, as the motion before it sees it.
struct Instant<'a> {
    reach: &'a [f64],
    way: f64,
    u: State,
    a: f64,
    /// By how much the acceleration jumps because the load does, m/s².
    jumps: f64,
}

/// What reaches zero at an event, and how fast.
enum Reaches {
    /// The limit of an element, by |v|.
    Limit(usize, f64),
    /// The velocity, by the acceleration.
    Rest(f64),
    /// Something, and it does not pass through zero.
    Nothing(Why),
}

impl Instant<'_> {
    fn reaches(&self, e: &Event) -> Reaches {
        let j = e.place.wrapping_sub(1);
        match e.kind {
            EventKind::Yield if self.way * self.u.v > 0.0 => Reaches::Limit(j, self.u.v.abs()),
            // Gives way as soon as the mass moves the other way.
            EventKind::Yield if self.reach.get(j) == Some(&0.0) => self.rest(),
            EventKind::Yield => Reaches::Nothing(Why::Grazes),
            _ => self.rest(),
        }
    }

    fn rest(&self) -> Reaches {
        match (self.jumps != 0.0, self.a != 0.0) {
            // A load that jumps just then stops the mass whatever its velocity is.
            (true, _) => Reaches::Nothing(Why::Together),
            (false, false) => Reaches::Nothing(Why::Grazes),
            (false, true) => Reaches::Rest(self.a),
        }
    }
}

/// How many events there are up to the start of a path, and up to the end of each of its segments.
fn ends(path: &CascadePath) -> Vec<usize> {
    let until = |t: f64| path.events().partition_point(|e| e.time <= t);
    let segments = path.segments();
    let start = segments.first().map_or(0, |s| until(s.start));
    std::iter::once(start).chain(segments.iter().map(|s| until(s.end))).collect()
}

/// The derivatives of the motion with respect to one number.
struct Variation<'a> {
    rates: Rates<'a>,
    now: State,
    /// δp_j.
    plays: Vec<f64>,
    /// What the plays and the limits add to the force of the springs on the mass, N for each unit of the number.
    push: f64,
    /// Whether there is no derivative from here on.
    lost: bool,
}

impl Variation<'_> {
    /// `push` on a leg.
    fn start(&mut self, chain: &Chain<'_>, plays: &[f64], leg: &Leg<'_>) {
        let first = leg.slipping;
        let stuck = self.plays[first..].iter().zip(&chain.weight[first..]);
        let moved: f64 = stuck.map(|(dp, k)| k * dp).sum();
        let weighed = plays[first..].iter().zip(&self.rates.weight[first..]);
        self.push =
            moved + weighed.map(|(p, dk)| p * dk).sum::<f64>() - leg.way * self.rates.held[first];
    }

    /// ∂ₚ of the acceleration at `t` where x and ẍ are these.
    fn pushed(&self, leg: &Leg<'_>, t: f64, x: f64, a: f64) -> f64 {
        let force = self.rates.force.as_ref().map_or(0.0, |f| f.at(leg.segment.start, t)[0]);
        let rates = &self.rates;
        (force - rates.stiffness[leg.slipping] * x + self.push - rates.mass * a) / leg.mass
    }

    /// What a play at its limit makes of `s (x − p) − r`.
    fn beyond(&self, s: f64, j: usize) -> f64 {
        s * (self.now.x - self.plays[j]) - self.rates.reach[j]
    }

    /// Whether an element that is just at its limit does not stay there.
    fn parts(&self, leg: &Leg<'_>, j: usize) -> bool {
        // What the velocity changes by shows how large a displacement is that is nothing just now.
        let swing = self.now.x.abs() + self.now.v.abs() / leg.frequency();
        let size = swing + self.plays[j].abs() + self.rates.reach[j].abs();
        self.beyond(leg.way, j).abs() > AGREE * size
    }

    fn is_still(&self, leg: &Leg<'_>, t: f64, x: f64) -> bool {
        self.now.x == 0.0 && self.now.v == 0.0 && self.pushed(leg, t, x, 0.0) == 0.0
    }
}

/// The derivatives of `path`, the exact motion of `cascade`, with respect to `numbers`, at `times` (s, not decreasing) and of the times of its
/// events, as those of [`network_derivatives`](super::network_derivatives()), of which the mass is the only node.
///
/// ```
/// use stickslip::scheme::cascade;
/// use stickslip::study::sensitivity::{Number, cascade_derivatives};
/// use stickslip::{Cascade, Error, Signal};
/// // As long as no element gives way, x = F/K (1 − cos ωt) with K = 1/(1/4 + 1/1)… of the first spring alone: ω² = 4.
/// let held = |force: f64| {
///     Ok::<_, Error>(Cascade::new(1.0, vec![4.0, 1.0], vec![9.0]).with_force(Signal::constant(force)))
/// };
/// let path = cascade::exact(&held(2.0)?, 3.0)?;
/// let found = cascade_derivatives(&held(2.0)?, &path, &[Number::around(2.0, held)?], &[1.0])?;
/// assert!((found.x[0] - (1.0 - 2f64.cos()) / 4.0).abs() < 1e-14);
/// // It turns every half period, however large the force is.
/// assert!(found.event_times.iter().all(|t| t.abs() < 1e-14));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// [`Error::NotOffered`] for paths of other schemes, and numbers that switch a part of the cascade on or off.
pub fn cascade_derivatives(
    cascade: &Cascade,
    path: &CascadePath,
    numbers: &[Number<Cascade>],
    times: &[f64],
) -> Result<NetworkDerivatives, Error> {
    let chain = Chain::new(cascade);
    let begin = |number| {
        let rates = Rates::new(&chain, number)?;
        let (now, plays) = (rates.start, rates.plays.clone());
        Ok(Variation { rates, now, plays, push: 0.0, lost: false })
    };
    let all = numbers.iter().map(begin).collect::<Result<Vec<_>, Error>>()?;
    let mut walk =
        Walk { plays: chain.plays.clone(), chain, all, out: NetworkDerivatives::default() };
    walk.along(path, times)?;
    Ok(walk.out)
}

struct Walk<'a> {
    chain: Chain<'a>,
    /// p_1 … p_n where they stuck last, m.
    plays: Vec<f64>,
    all: Vec<Variation<'a>>,
    out: NetworkDerivatives,
}

impl Walk<'_> {
    fn along(&mut self, path: &CascadePath, times: &[f64]) -> Result<(), Error> {
        let segments = path.segments();
        let events = path.events();
        let ends = ends(path);
        self.at_start(&events[..ends[0]]);
        let mut warnings: Vec<_> =
            path.warnings().iter().filter(|w| w.parts_neighbours()).collect();
        let mut left = times;
        let mut legs = segments
            .iter()
            .map(|s| Leg::new(&self.chain, s))
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .peekable();
        let mut i = 0;
        while let Some(leg) = legs.next() {
            self.begin(&leg);
            let last = legs.peek().is_none();
            let mut t = leg.segment.start;
            while let Some((&at, rest)) =
                left.split_first().filter(|(at, _)| **at < leg.segment.end || last)
            {
                let to = at.clamp(t, leg.segment.end);
                self.follow(&leg, [t, to]);
                self.read();
                (t, left) = (to, rest);
            }
            self.follow(&leg, [t, leg.segment.end]);
            warnings.retain(|w| {
                let reached = w.time().is_some_and(|t| t <= leg.segment.end);
                if reached {
                    self.lose(leg.segment.end, &Why::Warned((*w).clone()), |_| true);
                }
                !reached
            });
            self.pass(&leg, legs.peek(), &events[ends[i]..ends[i + 1]]);
            i += 1;
        }
        Ok(())
    }

    /// The derivatives of the state as they are now.
    fn read(&mut self) {
        let of = |v: &Variation<'_>, part: f64| if v.lost { f64::NAN } else { part };
        self.out.x.extend(self.all.iter().map(|v| of(v, v.now.x)));
        self.out.v.extend(self.all.iter().map(|v| of(v, v.now.v)));
    }

    fn doubt(&mut self, time: f64, why: &Why) {
        let doubt = Doubt { time, why: why.clone() };
        if !self.out.doubtful.contains(&doubt) {
            self.out.doubtful.push(doubt);
        }
    }

    /// There is no derivative from `t` on with respect to the numbers `which`.
    fn lose(&mut self, t: f64, why: &Why, which: impl Fn(&Variation<'_>) -> bool) {
        let mut any = false;
        for v in self.all.iter_mut().filter(|v| !v.lost) {
            v.lost = which(v);
            any |= v.lost;
        }
        if any {
            self.doubt(t, why);
        }
    }

    /// Elements that give way at the start do so whatever the state is, if they stay at their limit.
    fn at_start(&mut self, events: &[Event]) {
        for e in events {
            let t = e.time;
            let j = e.place.wrapping_sub(1);
            let stays = |v: &Variation<'_>| e.kind == EventKind::Yield && v.rates.stays(j);
            let rates: Vec<f64> =
                self.all.iter().map(|v| if stays(v) { 0.0 } else { f64::NAN }).collect();
            if rates.iter().any(|r| r.is_nan()) {
                self.doubt(t, &Why::StartsAtRest);
            }
            self.out.event_times.extend(rates);
        }
    }

    fn begin(&mut self, leg: &Leg<'_>) {
        for v in &mut self.all {
            v.start(&self.chain, &self.plays, leg);
        }
        if leg.way != 0.0 {
            return;
        }
        // At rest between its limits the mass is held by the first spring alone; elsewhere a push either way has another effect.
        let t = leg.segment.start;
        let (u, _) = leg.at(t);
        if leg.slipping > 0 || !self.chain.is_inside(&self.plays, u.x) {
            self.lose(t, &Why::StartsAtRest, |v| !v.is_still(leg, t, u.x));
        }
    }

    fn follow(&mut self, leg: &Leg<'_>, span: [f64; 2]) {
        if span[1] <= span[0] || self.all.is_empty() {
            return;
        }
        let parts = leg.parts(&self.chain, span);
        let half = parts.half;
        let whole = leg.propagator(2.0 * half);
        for i in 0..parts.count {
            for v in &mut self.all {
                let State { x, v: speed } = v.now;
                v.now = State {
                    x: whole[0][0] * x + whole[0][1] * speed,
                    v: whole[1][0] * x + whole[1][1] * speed,
                };
            }
            for (node, weight) in parts.nodes {
                let t = parts.middle(i) + half * node;
                let later = leg.propagator(half * (1.0 - node));
                let (u, a) = leg.at(t);
                for v in &mut self.all {
                    let by = 2.0 * half * weight * v.pushed(leg, t, u.x, a);
                    v.now.x += by * later[0][1];
                    v.now.v += by * later[1][1];
                }
            }
        }
    }

    /// The end of a leg, at which these events fall.
    fn pass(&mut self, leg: &Leg<'_>, next: Option<&Leg<'_>>, events: &[Event]) {
        let t = leg.segment.end;
        let instant = leg.end(&self.chain, next);
        let Instant { u, jumps, .. } = instant;
        let all: Vec<Reaches> = events.iter().map(|e| instant.reaches(e)).collect();
        for reaches in all {
            if let Reaches::Nothing(why) = &reaches {
                self.doubt(t, why);
            }
            let time = |v: &Variation<'_>| match reaches {
                _ if v.lost => f64::NAN,
                Reaches::Limit(j, speed) => -v.beyond(leg.way, j) / speed,
                Reaches::Rest(a) => -v.now.v / a,
                Reaches::Nothing(_) => f64::NAN,
            };
            self.out.event_times.extend(self.all.iter().map(time));
        }
        if jumps != 0.0 {
            for v in &mut self.all {
                v.now.v -= jumps * v.rates.breakpoint(t);
            }
        }
        if next.is_some_and(|n| leg.turns_before(n)) {
            for j in self.chain.just_met(&self.plays, leg.way, u.x) {
                self.lose(t, &Why::Grazes, |v| v.parts(leg, j));
            }
            for j in 0..leg.slipping {
                self.plays[j] = u.x - leg.way * self.chain.reach[j];
                for v in &mut self.all {
                    v.plays[j] = v.now.x - leg.way * v.rates.reach[j];
                }
            }
        }
    }
}
