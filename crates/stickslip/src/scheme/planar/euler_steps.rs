//! Time steps in a plane, friction at the end of the step: what rests is at rest to the last bit, whatever the step.
//!
//! `euler` takes everything but friction from the start of the step, `implicit_euler` everything that is linear from its end:
//!
//! ```text
//! euler           w⁺ = prox(w + v_s − v_s⁺ + (h/m) b(t, r, ṙ)),                       r⁺ = r + h ṙ
//! implicit Euler  (m + h C + h² K)(w⁺ + v_s⁺) + h N f E² w⁺/|E w⁺| ∋ m ṙ + h (F⁺ − m a⁺ − K r),   r⁺ = r + h ṙ⁺
//! ```
//!
//! On a bowl W/√(R² − |r|²) of the start of the step joins K. A rim that pushes at the end of a step of `implicit_euler` without it does so
//! with its force at the end, along the radius of that end. The prox takes h N f/m off the length of its argument (a projection of the force on the disc), and gives zero where the
//! disc with f_s can hold it. A rigid rim gives an impulse in a step in whose middle the mass would be beyond it. Both are of first order.

use super::PlanarPath;
use super::arc::{Course, Node, PlanarArc, shown};
use super::polar::Sliding;
use super::side::Side;
use super::window::{Window, length};
use crate::error::Error;
use crate::grid::{kept_count, step_count};
use crate::interrupt::Interrupt;
use crate::model::planar::{Cushion, Rim};
use crate::model::{Model, Planar, planar_times as times};
use crate::motion::{
    Blend, Event, EventKind, Grid, PlanarPhase, PlanarState, Segment, State, Warning,
};
use crate::scheme::contact_step::ContactStep;
use crate::scheme::event_loop::fixed_signals;
use crate::scheme::stepper::{self, Stepper, Stepping};
use std::sync::Arc;

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// All but friction from the start of the step.
    Euler,
    /// All that is linear from its end.
    ImplicitEuler,
}

/// Solves `planar` on [0, `end`] (s) with steps `step` (s), friction at the end of the step and all else at its start.
///
/// # Errors
/// If a number is outside its range, a signal too short, a normal force negative, or the motion leaves the range of finite
/// numbers.
///
/// ```
/// use stickslip::scheme::planar::euler_steps;
/// use stickslip::{Law, model::Planar};
/// # fn main() -> Result<(), stickslip::Error> {
/// let puck = Planar::new(2.0, Law::coulomb(5.0)?).starting_at([0.0, 0.0], [3.0, 4.0]);
/// let path = euler_steps::euler(&puck, 3.0, 1e-4)?;
/// assert!((path.state(3.0).x[0] - 3.0).abs() < 1e-3 && path.state(2.5).v == [0.0, 0.0]);
/// # Ok(()) }
/// ```
pub fn euler(planar: &Planar, end: f64, step: f64) -> Result<PlanarPath, Error> {
    solve(planar, end, step, Rule::Euler)
}

/// The same with everything that is linear at the end of the step: stiffness limits no step.
///
/// # Errors
/// As [`euler`].
pub fn implicit_euler(planar: &Planar, end: f64, step: f64) -> Result<PlanarPath, Error> {
    solve(planar, end, step, Rule::ImplicitEuler)
}

/// The run up to `end` (s at the latest) by `rule`, at the caller's pace: see [`Stepper`]. Its nodes are those of the whole
/// run, to the last bit.
///
/// # Errors
/// As [`euler`].
pub fn cursor(planar: &Planar, end: f64, step: f64, rule: Rule) -> Result<Stepper<Steps>, Error> {
    planar.check_until(end)?;
    planar.normal.iter().try_for_each(|n| n.require_pressing(0.0, end))?;
    let scheme = Steps { model: Arc::new(planar.clone()), rule };
    let start = Timed { t: 0.0, node: first(planar), before: PlanarPhase::Slip };
    Stepper::new(scheme, start, step, [0.0, end])
}

fn first(planar: &Planar) -> Node {
    let surface = Window::new(planar, 0.0).surface(0.0);
    let w = [0, 1].map(|i| planar.velocity[i] - surface[i]);
    Node { r: planar.displacement, w, ..Node::default() }
}

fn solve(planar: &Planar, end: f64, h: f64, rule: Rule) -> Result<PlanarPath, Error> {
    planar.check_until(end)?;
    let lifts = planar.lifts_off(end)?;
    let end = lifts.unwrap_or(end);
    let count = step_count(end, h)?;
    let mut nodes = Vec::with_capacity(kept_count(end, h)? + 1);
    let take = |from: Node, [t, next]: [f64; 2]| {
        let to = advance(planar, rule, [t, next], h, &from);
        planar.check_place(next, to.r)?;
        let finite = to.r.iter().chain(&to.w).all(|x| x.is_finite());
        if finite { Ok(to) } else { Err(Error::NotFinite { time: next, step: h }) }
    };
    stepper::march(count, h, first(planar), take, |_, node| nodes.push(node))?;
    Interrupt::current().check(end)?;
    let mut path = path(planar, nodes, h, end);
    lifts.into_iter().for_each(|time| path.warn(Warning::LiftsOff { time }));
    Ok(path)
}

/// Implicit Euler steps that show (n, x and y, what the contact did), n = 0 … N, to `observe` and keep nothing.
///
/// # Errors
/// As [`euler`].
pub(crate) fn run(
    planar: &Planar,
    end: f64,
    h: f64,
    mut observe: impl FnMut(usize, [State; 2], ContactStep),
) -> Result<(), Error> {
    planar.check_until(end)?;
    planar.normal.iter().try_for_each(|n| n.require_pressing(0.0, end))?;
    let count = step_count(end, h)?;
    let mut now = first(planar);
    let seen = |t: f64, node: &Node| {
        let surface = Window::new(planar, t).surface(t);
        [0, 1].map(|i| State { x: node.r[i], v: node.w[i] + surface[i] })
    };
    let start = ContactStep { rests: now.w == [0.0; 2], ..ContactStep::default() };
    observe(0, seen(0.0, &now), start);
    let interrupt = Interrupt::current();
    for steps in interrupt.ranges(count) {
        for n in steps {
            let [t, next] = [n as f64 * h, (n + 1) as f64 * h];
            now = advance(planar, Rule::ImplicitEuler, [t, next], h, &now);
            planar.check_place(next, now.r)?;
            if !now.r.iter().chain(&now.w).all(|x| x.is_finite()) {
                return Err(Error::NotFinite { time: next, step: h });
            }
            let rests = now.w == [0.0; 2];
            let slide = h * length(now.w);
            let lost = match rests {
                true => 0.0,
                false => {
                    let force = Window::new(planar, next).friction(next, now.w);
                    -h * (force[0] * now.w[0] + force[1] * now.w[1])
                }
            };
            observe(n + 1, seen(next, &now), ContactStep { slide, lost, rests });
        }
    }
    interrupt.check(end)
}

/// F − m a at `t` (s), N; at a jump from the left, for a load that jumps at the end of a step belongs to the next.
fn given_before(model: &Planar, t: f64) -> [f64; 2] {
    [0, 1].map(|i| model.force[i].value_before(t) - model.mass * model.base[i].value_before(t))
}

/// One step of length `h` (s) from `from` at the first to the second instant.
fn advance(model: &Planar, rule: Rule, [t, next]: [f64; 2], h: f64, from: &Node) -> Node {
    let m = model.mass;
    let now = Window::new(model, t);
    let then = Window::new(model, next);
    let before = now.surface(t);
    let after = then.surface(next);
    let v = [0, 1].map(|i| from.w[i] + before[i]);
    match rule {
        Rule::Euler => {
            let given = now.given(t);
            let spring = model.restoring(from.r);
            let damper = times(&model.damping, v);
            let rim = model.rim.map_or([0.0; 2], |rim| rim.force(from.r, v));
            // w⁺ is relative to the surface at the end of the step, where friction acts.
            let q = [0, 1]
                .map(|i| m * (v[i] - after[i]) + h * (given[i] + rim[i] - spring[i] - damper[i]));
            let inertia = [[m, 0.0], [0.0, m]];
            let balance = Balance { inertia, q, lambda: h * then.normal(next).max(0.0) };
            let free = balance.resolve(model, from.w);
            let w = match model.rigid_rim() {
                Some((rim, e)) => struck(model, rim, e, &balance, h, from, free),
                None => free,
            };
            Node { r: [0, 1].map(|i| from.r[i] + h * v[i]), w, ..Node::default() }
        }
        Rule::ImplicitEuler => {
            let given = given_before(model, next);
            let spring = model.restoring(from.r);
            let secant = model.bowl.map_or(0.0, |bowl| bowl.secant(from.r));
            let inertia = [0, 1].map(|i| {
                [0, 1].map(|j| {
                    // C acts on v⁺ and K on r + h v⁺: what of it belongs to v⁺ joins the mass.
                    let own = if i == j { m + h * h * secant } else { 0.0 };
                    own + h * (model.damping[i][j] + h * model.stiffness[i][j])
                })
            });
            // The surface's part of M v⁺ is known, and goes to the other side.
            let carried = times(&inertia, after);
            let q = [0, 1].map(|i| m * v[i] + h * (given[i] - spring[i]) - carried[i]);
            let lambda = h * then.normal(next).max(0.0);
            let balance = Balance { inertia, q, lambda };
            let w = balance.resolve(model, from.w);
            let r = [0, 1].map(|i| from.r[i] + h * (w[i] + after[i]));
            let free = Node { r, w, ..Node::default() };
            match (model.cushion(), model.rigid_rim()) {
                (Some(rim), _) if rim.presses(r, w) => {
                    pressed(model, rim, &balance, h, from, &free)
                }
                (_, Some((rim, e))) => {
                    let w = struck(model, rim, e, &balance, h, from, free.w);
                    Node { r: [0, 1].map(|i| from.r[i] + h * w[i]), w, ..free }
                }
                _ => free,
            }
        }
    }
}

/// What w⁺ obeys at the end of a step: M w⁺ + λ f(|w⁺|) E² w⁺/|E w⁺| ∋ q.
#[derive(Debug, Clone, Copy)]
struct Balance {
    /// M, kg.
    inertia: [[f64; 2]; 2],
    /// N·s.
    q: [f64; 2],
    /// What multiplies the friction, N·s.
    lambda: f64,
}

/// The end of an implicit step whose `free` end, without the rim, lies where the rim pushes: along the radius n of that end
///
/// ```text
/// δ⁺ = δ₀ + h n·w⁺,      P⁺ = k δ⁺ + c n·w⁺
/// ```
///
/// What of P⁺ belongs to w⁺ joins the mass. Where there is a rim the surface stands.
fn pressed(
    model: &Planar,
    rim: Cushion,
    balance: &Balance,
    h: f64,
    from: &Node,
    free: &Node,
) -> Node {
    let n = Rim::outward(free.r);
    let first = rim.depth(free.r) - h * (n[0] * free.w[0] + n[1] * free.w[1]);
    let own = h * (rim.damping + h * rim.stiffness);
    let Balance { inertia, q, lambda } = *balance;
    let inertia = [0, 1].map(|i| [0, 1].map(|j| inertia[i][j] + own * n[i] * n[j]));
    let q = [0, 1].map(|i| q[i] - h * rim.stiffness * first * n[i]);
    let w = Balance { inertia, q, lambda }.resolve(model, from.w);
    let r = [0, 1].map(|i| from.r[i] + h * w[i]);
    Node { r, w, ..Node::default() }
}

/// w⁺ of a step at a rigid rim that without it has w⁺ = `free`. Where the mass is beyond the rim in the middle of the step, the
/// rim gives it the impulse P ≥ 0 along its radius n with
///
/// ```text
/// 0 ≤ P  ⊥  n·w⁺ + e max(0, n·w) ≤ 0
/// ```
///
/// Source: Moreau 1988, the implicit scheme with a coefficient of restitution. Where there is a rim the surface stands.
fn struck(
    model: &Planar,
    rim: Rim,
    restitution: f64,
    balance: &Balance,
    h: f64,
    from: &Node,
    free: [f64; 2],
) -> [f64; 2] {
    let middle = middle(h, from);
    if rim.depth(middle) <= 0.0 {
        return free;
    }
    let n = Rim::outward(middle);
    let along = |w: [f64; 2]| n[0] * w[0] + n[1] * w[1];
    let back = restitution * along(from.w).max(0.0);
    let with = |impulse: f64| {
        let q = [0, 1].map(|i| balance.q[i] - impulse * n[i]);
        Balance { q, ..*balance }.resolve(model, from.w)
    };
    let excess = |impulse: f64| along(with(impulse)) + back;
    let first = along(free) + back;
    if first <= 0.0 {
        return free;
    }
    // n·w⁺ falls with P: the impulse lies between none and one that throws the mass back faster.
    let mut low = 0.0;
    let mut high = model.mass * first;
    for _ in 0..60 {
        if excess(high) <= 0.0 {
            break;
        }
        low = high;
        high *= 2.0;
    }
    for _ in 0..200 {
        let half = 0.5 * (low + high);
        if half <= low || half >= high {
            break;
        }
        if excess(half) > 0.0 {
            low = half;
        } else {
            high = half;
        }
    }
    with(high)
}

/// Where a mass that is `from` at the start of a step of `h` (s) would be in its middle, m.
fn middle(h: f64, from: &Node) -> [f64; 2] {
    [0, 1].map(|i| from.r[i] + 0.5 * h * from.w[i])
}

/// What a rigid `rim` takes in a step of `h` (s), J: the energy of the motion across it.
pub(super) fn lost_at_rim(mass: f64, rim: Rim, h: f64, from: &Node, to: &Node) -> f64 {
    let middle = middle(h, from);
    if rim.depth(middle) <= 0.0 {
        return 0.0;
    }
    let n = Rim::outward(middle);
    let across = |w: [f64; 2]| n[0] * w[0] + n[1] * w[1];
    let before = across(from.w).max(0.0);
    let after = across(to.w);
    // What comes back faster than it went was pulled back, not thrown.
    (0.5 * mass * (before * before - after * after)).max(0.0)
}

impl Balance {
    /// w⁺. What the limit can hold rests. Where friction that falls with the speed leaves several solutions, the one nearest to the speed
    /// `before`.
    fn resolve(&self, model: &Planar, before: [f64; 2]) -> [f64; 2] {
        let Self { inertia, q, lambda } = *self;
        let law = &model.friction;
        let e = model.ellipse;
        if e.gauge(q) <= lambda * law.limit(1.0, 0.0) {
            return [0.0; 2];
        }
        // On a disc with equal masses the direction is that of q, and only the size has to be found.
        let scalar = inertia[0][1] == 0.0 && inertia[0][0] == inertia[1][1] && e.is_disc();
        if scalar {
            let size = length(q);
            let m = inertia[0][0];
            let step = law.step(size / m, lambda * e.0[0] / m, 0.0, length(before));
            return q.map(|q| q / size * step.w);
        }
        sliding(model, &inertia, q, lambda, length(before))
    }
}

/// The sliding velocity where masses or friction differ with the direction: in the friction's size f the velocity w(f) is a
/// resolvent, and f is the root of f(|w(f)|) = f nearest to the speed `before`, m/s, by sections between bounds.
fn sliding(
    model: &Planar,
    inertia: &[[f64; 2]; 2],
    q: [f64; 2],
    lambda: f64,
    before: f64,
) -> [f64; 2] {
    let law = &model.friction;
    let w = |f: f64| coupled(model, inertia, q, lambda * f);
    let excess = |f: f64| law.force(1.0, length(w(f))) - f;
    let start = law.force(1.0, before);
    let off = excess(start);
    if off == 0.0 {
        return w(start);
    }
    // A root lies between the friction that was assumed and the largest or the least that the law has.
    let slow = law.force(1.0, 0.0);
    let fast = law.force(1.0, length(w(0.0)));
    let bound = if off > 0.0 { slow.max(fast).max(start) } else { slow.min(fast).min(start) };
    let mut low = start;
    let mut high = bound;
    let mut at_low = off;
    let mut at_high = excess(bound);
    for _ in 0..80 {
        // Regula falsi with the Illinois rule.
        let middle = (low * at_high - high * at_low) / (at_high - at_low);
        if !middle.is_finite() {
            break;
        }
        let at = excess(middle);
        if at == 0.0 || (high - low).abs() <= 4.0 * f64::EPSILON * high.abs() {
            low = middle;
            break;
        }
        if (at > 0.0) == (at_high > 0.0) {
            high = middle;
            at_high = at;
            at_low *= 0.5;
        } else {
            low = middle;
            at_low = at;
            at_high *= 0.5;
        }
    }
    w(low)
}

/// w with M w + λ E² w/|E w| = q for a symmetric M: in its own axes where E is a disc; else σ = |E w| is the root of
/// |E (σ M + λ E²)⁻¹ q| = 1, by Newton's method on the reciprocal, as [`Ellipse::resolvent`](crate::model::planar::Ellipse).
fn coupled(model: &Planar, m: &[[f64; 2]; 2], q: [f64; 2], lambda: f64) -> [f64; 2] {
    let ellipse = model.ellipse;
    if m[0][1] == 0.0 {
        return ellipse.resolvent(q, [m[0][0], m[1][1]], lambda);
    }
    if ellipse.gauge(q) <= lambda {
        return [0.0; 2];
    }
    let e = ellipse.0;
    // (σ M + λ E²)⁻¹ u
    let solve = |sigma: f64, u: [f64; 2]| {
        let a = sigma * m[0][0] + lambda * e[0] * e[0];
        let d = sigma * m[1][1] + lambda * e[1] * e[1];
        let b = sigma * m[0][1];
        let det = a * d - b * b;
        [(d * u[0] - b * u[1]) / det, (a * u[1] - b * u[0]) / det]
    };
    if lambda == 0.0 {
        // Without friction w = M⁻¹ q.
        return solve(1.0, q);
    }
    // The reciprocal of the norm is almost straight in σ, so that few steps lead from zero to the root.
    let mut sigma = 0.0;
    for _ in 0..60 {
        let u = solve(sigma, q);
        let eu = [0, 1].map(|i| e[i] * e[i] * u[i]);
        let sum = u[0] * eu[0] + u[1] * eu[1];
        let du = solve(sigma, times(m, u));
        // Half the derivative of |E u|², since u′ = −(σ M + λ E²)⁻¹ M u.
        let slope = -(eu[0] * du[0] + eu[1] * du[1]);
        let by = (sum.sqrt() - 1.0) * sum / -slope;
        if by.is_nan() || by.abs() <= f64::EPSILON * sigma {
            break;
        }
        sigma = (sigma + by).max(0.0);
    }
    solve(sigma, q).map(|u| u * sigma)
}

/// The phase of a step between two nodes: at rest where both are.
fn phase(from: &Node, to: &Node) -> PlanarPhase {
    let rests = from.w == [0.0; 2] && to.w == [0.0; 2];
    if rests { PlanarPhase::Stick } else { PlanarPhase::Slip }
}

/// What happens at a node between two steps in these phases.
fn between(before: PlanarPhase, after: PlanarPhase) -> Option<EventKind> {
    match (before, after) {
        (PlanarPhase::Stick, PlanarPhase::Slip) => Some(EventKind::Slip),
        (PlanarPhase::Slip, PlanarPhase::Stick) => Some(EventKind::Stick),
        _ => None,
    }
}

fn event(model: &Planar, kind: EventKind, t: f64, at: &Node) -> Event {
    super::event(kind, t, &Window::new(model, t), at)
}

/// The path over `nodes`, with its phases and events.
fn path(planar: &Planar, nodes: Vec<Node>, h: f64, end: f64) -> PlanarPath {
    let model = Arc::new(planar.clone());
    let grid = Arc::new(Grid { step: h, states: nodes });
    let mut path = PlanarPath::default();
    let mut start = 0.0;
    let last = grid.steps();
    for n in 0..last {
        // A segment takes in the steps of one phase, up to the first of another.
        let now = phase(&grid.states[n], &grid.states[n + 1]);
        let next = (n + 1 < last).then(|| phase(&grid.states[n + 1], &grid.states[n + 2]));
        if next == Some(now) {
            continue;
        }
        let stop = if next.is_none() { end } else { (n + 1) as f64 * h };
        let course = Course::Steps { grid: grid.clone(), phase: now };
        path.push(Segment {
            phase: now,
            start,
            end: stop,
            arc: PlanarArc { model: model.clone(), start, side: Side::Inside, course },
        });
        start = stop;
        if let Some(kind) = next.and_then(|next| between(now, next)) {
            path.record(event(planar, kind, stop, &grid.states[n + 1]));
        }
    }
    path
}

/// The schemes one step at a time.
#[derive(Debug, Clone)]
pub struct Steps {
    model: Arc<Planar>,
    rule: Rule,
}

/// A node with its time, s, and the phase of the step that leads to it.
#[derive(Debug, Clone, Copy)]
pub struct Timed {
    t: f64,
    node: Node,
    before: PlanarPhase,
}

impl Stepping for Steps {
    type Node = Timed;
    type State = PlanarState;
    type Phase = PlanarPhase;

    fn step(&mut self, span: [f64; 2], h: f64, from: &Timed, to: &mut Timed) {
        let node = advance(&self.model, self.rule, span, h, &from.node);
        *to = Timed { t: span[1], node, before: phase(&from.node, &node) };
    }

    fn arrive(&mut self, t: f64, nodes: &[Timed], events: &mut Vec<Event>) {
        let Some(next) = nodes.get(1) else { return };
        if let Some(kind) = between(nodes[0].before, next.before) {
            events.push(event(&self.model, kind, t, &nodes[0].node));
        }
    }

    fn state(&self, nodes: &[Timed], s: f64) -> PlanarState {
        let from = nodes[0];
        let (node, t) = match nodes.get(1) {
            Some(to) if s > 0.0 => (from.node.blend(to.node, s), from.t + s * (to.t - from.t)),
            _ => (from.node, from.t),
        };
        let window = Window::new(&self.model, t);
        shown(&window, &Sliding { t, r: node.r, w: node.w }, Stepping::phase(self, nodes))
    }

    fn phase(&self, nodes: &[Timed]) -> PlanarPhase {
        nodes.get(1).map_or(nodes[0].before, |to| to.before)
    }

    fn is_finite(&self, at: &Timed) -> bool {
        at.node.r.iter().chain(&at.node.w).all(|x| x.is_finite())
    }

    fn place(&mut self, t: f64, at: PlanarState, _: &[Timed], _: f64) -> Result<Timed, Error> {
        self.model.check_place(t, at.x)?;
        let surface = Window::new(&self.model, t).surface(t);
        let w = [at.v[0] - surface[0], at.v[1] - surface[1]];
        Ok(Timed { t, node: Node { r: at.x, w, ..Node::default() }, before: PlanarPhase::Slip })
    }

    fn change(&mut self, model: &Model) -> Result<(), Error> {
        let Model::Planar(planar) = model else { return Err(fixed_signals()) };
        self.model = Arc::new(planar.clone());
        Ok(())
    }
}
