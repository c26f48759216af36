//! Where the work went on a plane.

use super::PlanarPath;
use super::arc::{Course, PlanarArc};
use super::euler_steps::lost_at_rim;
use super::polar::Sliding;
use super::slip::Link;
use super::window::{Window, dot, length};
use crate::interrupt::Interrupt;
use crate::model::{Planar, planar_times as times};
use crate::motion::{Energy, Segment};
use crate::numeric::GAUSS;
use crate::portable;

/// Powers, W.
#[derive(Default)]
struct Powers {
    work: f64,
    friction: f64,
    viscous: f64,
}

impl PlanarPath {
    /// Where the work went, J. The work of the ground is that of −m a on the motion relative to it.
    pub fn energy(&self) -> Energy {
        self.audited().unwrap_or_else(|| self.summed())
    }

    /// The same, summed over the path.
    fn summed(&self) -> Energy {
        let (Some(first), Some(last)) = (self.segments().first(), self.segments().last()) else {
            return Energy::default();
        };
        let stored = |s: &Segment<PlanarArc>, t: f64| {
            let window = s.arc.window(t);
            stored(&s.arc.model, &window, &s.arc.sliding(&window, t))
        };
        let before = stored(first, first.start);
        let after = stored(last, last.end);
        let mut energy = Energy {
            kinetic: after[0] - before[0],
            elastic: after[1] - before[1],
            ..Energy::default()
        };
        Interrupt::parts_of(self.segments()).for_each(|s| add(s, &mut energy));
        // The surface stands within a rim, so that only impacts on a rigid one change the velocity at once.
        if first.arc.model.rigid_rim().is_some() {
            for pair in self.segments().windows(2) {
                let [before, after] =
                    [stored(&pair[0], pair[0].end), stored(&pair[1], pair[1].start)];
                energy.impacts += before[0] - after[0];
            }
        }
        energy.if_complete()
    }
}

/// m|ṙ|²/2, and what springs and a bowl hold, J.
fn stored(model: &Planar, window: &Window<'_>, at: &Sliding) -> [f64; 2] {
    let s = window.surface(at.t);
    let v = [at.w[0] + s[0], at.w[1] + s[1]];
    [0.5 * model.mass * dot(v, v), model.elastic(at.r)]
}

/// What is done at one instant.
fn powers(window: &Window<'_>, at: &Sliding, slips: bool) -> Powers {
    let surface = window.surface(at.t);
    let v = [at.w[0] + surface[0], at.w[1] + surface[1]];
    // What rests, or is about to slide, is held by just what its load needs.
    let friction = match slips && at.w != [0.0; 2] {
        true => window.friction(at.t, at.w),
        false => window.load(at.t, at.r, [0.0; 2]).map(|b| -b),
    };
    let rim = window.model.cushion().filter(|rim| rim.depth(at.r) > 0.0);
    let rim = rim.map_or(0.0, |rim| rim.loss(at.r, v, window.pressing(at.r, v).is_some()));
    Powers {
        work: dot(window.given(at.t), v) + dot(friction, surface),
        friction: -dot(friction, at.w),
        viscous: dot(v, times(&window.model.damping, v)) + rim,
    }
}

/// Adds `weight` (s) of what is done at one instant.
fn gather(energy: &mut Energy, weight: f64, p: &Powers) {
    energy.work += weight * p.work;
    energy.gross_work += weight * p.work.abs();
    energy.friction += weight * p.friction;
    energy.viscous += weight * p.viscous;
}

/// Gauss's rule: the nodes and weights on [0, 1].
fn nodes() -> impl Iterator<Item = (f64, f64)> {
    GAUSS
        .iter()
        .flat_map(|&(node, weight)| [-node, node].map(|node| (0.5 * (1.0 + node), 0.5 * weight)))
}

/// Gauss's rule of five nodes: the nodes and weights on [0, 1].
const FIVE: [(f64, f64); 5] = [
    (0.046_910_077_030_668_0, 0.118_463_442_528_094_54),
    (0.230_765_344_947_158_45, 0.239_314_335_249_683_23),
    (0.5, 0.284_444_444_444_444_44),
    (0.769_234_655_052_841_5, 0.239_314_335_249_683_23),
    (0.953_089_922_969_332, 0.118_463_442_528_094_54),
];

/// Adds what happens in a segment.
fn add(segment: &Segment<PlanarArc>, energy: &mut Energy) {
    let arc = &segment.arc;
    let start = segment.start;
    let end = segment.end;
    match &arc.course {
        Course::Rest { .. } => rest(arc, start, end, energy),
        Course::Slip(links) => {
            let window = arc.window(start);
            for link in links.iter() {
                slip(&window, link, end, energy);
            }
        }
        Course::Steps { grid, .. } => {
            let h = grid.step;
            // A segment of steps begins at a node: rounding alone keeps its start from being a multiple of the
            // step.
            let first = (start / h).round() as usize;
            for n in first..grid.steps() {
                let t = n as f64 * h;
                // A segment ends at a node or with the run, which may come before the last node.
                if t >= end {
                    break;
                }
                steps(arc, t, (t + h).min(end), energy);
                if let Some((rim, _)) = arc.model.rigid_rim() {
                    let [from, to] = [&grid.states[n], &grid.states[n + 1]];
                    energy.impacts += lost_at_rim(arc.model.mass, rim, h, from, to);
                }
            }
        }
    }
}

/// Adds a stretch at rest: nothing is done unless the surface moves.
fn rest(arc: &PlanarArc, start: f64, end: f64, energy: &mut Energy) {
    let window = arc.window(start);
    if !window.moves {
        return;
    }
    // A panel for each radian of the fastest wave.
    let panels = 1 + ((end - start) * window.fastest()).min(1e6) as usize;
    let width = (end - start) / panels as f64;
    for k in 0..panels {
        for (x, weight) in nodes() {
            let t = start + (k as f64 + x) * width;
            gather(energy, weight * width, &powers(&window, &arc.sliding(&window, t), false));
        }
    }
}

/// Adds a step of a slip, as far as it lies before `end`, s.
fn slip(window: &Window<'_>, link: &Link, end: f64, energy: &mut Energy) {
    let [from, to] = link.times();
    if from >= end {
        return;
    }
    match link {
        // In units of s the integrand is smooth.
        Link::Polar(polar) => {
            // A segment may end inside a step, whose parameter is not the time.
            let part = if to > end { polar.fraction(end - polar.frame.start) } else { 1.0 };
            let mut add = |x: f64, weight: f64| {
                let at = polar.at(x);
                gather(energy, weight * polar.h * length(at.w), &powers(window, &at, true));
            };
            if changes_little(window, to - from, |x| polar.at(x * part)) {
                FIVE.iter().for_each(|(x, weight)| add(x * part, weight * part));
                return;
            }
            let panels = panels(&polar.at(0.0), &polar.at(part));
            let width = part / panels as f64;
            for k in 0..panels {
                for (x, weight) in nodes() {
                    add((k as f64 + x) * width, weight * width);
                }
            }
        }
        // Its direction turns as it dies: what comes of that is known in closed form, and not from the line that is drawn there.
        Link::Last(last) if to <= end => {
            let [work, friction] = last.spent(window);
            energy.work += work;
            energy.gross_work += work.abs();
            energy.friction += friction;
            for (x, weight) in nodes() {
                let at = link.at(from + x * (to - from));
                energy.viscous += weight * (to - from) * powers(window, &at, true).viscous;
            }
        }
        Link::Bounces(bounces) => {
            let span = to.min(end) - from;
            let mut done = Energy::default();
            for (x, weight) in nodes() {
                gather(&mut done, weight * span, &powers(window, &link.at(from + x * span), true));
            }
            energy.work += done.work;
            energy.gross_work += done.gross_work;
            energy.viscous += done.viscous;
            energy.friction += match to <= end {
                true => bounces.rubs(window, done.work, done.viscous),
                false => done.friction,
            };
        }
        Link::Cartesian(_) | Link::Gauss(_) | Link::Last(_) | Link::Along(_) => {
            let span = to.min(end) - from;
            let mut add = |x: f64, weight: f64| {
                gather(energy, weight * span, &powers(window, &link.at(from + x * span), true));
            };
            match changes_little(window, span, |x| link.at(from + x * span)) {
                true => FIVE.iter().for_each(|&(x, weight)| add(x, weight)),
                false => nodes().for_each(|(x, weight)| add(x, weight)),
            }
        }
    }
}

/// Whether the velocity changes by a tenth at most in the middle and at the end of a step of `span` (s), over which no wave turns by more
/// than 0.6 rad. Then five nodes see all powers to rounding: |w| is analytic up to ten lengths of the step away, and their error for
/// a wave is 0.6¹¹ (5!)⁴/(11 (10!)³) = 1e-15 of it.
fn changes_little(window: &Window<'_>, span: f64, at: impl Fn(f64) -> Sliding) -> bool {
    let [from, middle, to] = [0.0, 0.5, 1.0].map(|x| at(x).w);
    let little = |w: [f64; 2]| length([w[0] - from[0], w[1] - from[1]]) <= 0.1 * length(from);
    span * window.fastest() <= 0.6 && little(middle) && little(to)
}

/// Into how many parts a step from one velocity to another is divided. In units of s the powers go with the speed squared, which
/// may fall by e⁸ in one step: eight nodes see e² to rounding.
fn panels(from: &Sliding, to: &Sliding) -> usize {
    let [before, after] = [from, to].map(|at| length(at.w));
    let slows = portable::log(after / before).abs();
    let across = from.w[0] * to.w[1] - from.w[1] * to.w[0];
    let turns = portable::atan2(across, dot(from.w, to.w)).abs();
    let sum = slows + turns;
    if sum.is_finite() { 1 + sum.min(64.0) as usize } else { 64 }
}

/// Adds a step of a stepping scheme: the trapezoidal rule.
fn steps(arc: &PlanarArc, from: f64, to: f64, energy: &mut Energy) {
    let Course::Steps { phase, .. } = arc.course else { return };
    let slips = phase == crate::motion::PlanarPhase::Slip;
    // At a breakpoint each end of a step has the window that begins there.
    for t in [from, to] {
        let window = arc.window(t);
        let at = arc.sliding(&window, t);
        gather(energy, 0.5 * (to - from), &powers(&window, &at, slips));
    }
}
