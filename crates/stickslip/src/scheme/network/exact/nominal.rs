//! The motion of a network along which its derivatives are taken: arc by arc, and what happens between two of them.

use super::arc::ExactArc;
use super::cuts::Cut;
use super::mode::{ClusterMotion, Mode, Series};
use super::power::{ORDER, Power};
use super::tangent::Reached;
use crate::motion::Segment;
use crate::scheme::gap::Gap;
use crate::scheme::network::NetworkArc;
use std::borrow::Cow;

/// What differs by less than this share of its size is taken for equal.
pub(super) const EQUAL: f64 = 1e-9;
/// An event is met to this share of what reaches zero there, however inexactly its instant is known.
const MET: f64 = 1e-6;
/// Times of one event by several guards agree to this share of the largest.
pub(super) const AGREE: f64 = 1e-6;
/// Parts of one arc after which it is not followed any further.
pub(super) const MOST_PARTS: usize = 20_000;
/// The order of series that show forces and how fast these change.
pub(super) const RATES: usize = 4;

/// An arc of the motion with its series.
pub(super) struct Nominal<'a> {
    pub arc: &'a ExactArc,
    pub series: Series,
    pub start: f64,
    pub end: f64,
}

/// The motion about an instant: x of each node and N of each slider.
pub(super) struct About<'a> {
    pub t: f64,
    pub x: Cow<'a, [Power]>,
    pub normal: Cow<'a, [Power]>,
}

impl<'a> Nominal<'a> {
    pub fn new(arc: &'a ExactArc, s: &Segment<NetworkArc>) -> Self {
        Self { arc, series: arc.series(), start: s.start, end: s.end }
    }

    /// The motion about another instant of the arc.
    pub fn about(&self, t: f64) -> About<'_> {
        let by = t - self.start;
        let x = &self.series.x[..];
        let normal = &self.series.normal[..];
        if by == 0.0 {
            return About { t, x: x.into(), normal: normal.into() };
        }
        let all = |of: &[Power]| of.iter().map(|p| shifted(p, by)).collect::<Vec<_>>().into();
        About { t, x: all(x), normal: all(normal) }
    }
}

/// The same polynomial about a point that is `by` farther on.
fn shifted(p: &Power, by: f64) -> Power {
    let mut c = *p;
    for first in 0..ORDER {
        for k in (first..ORDER).rev() {
            c.0[k] += by * c.0[k + 1];
        }
    }
    c
}

/// What reaches zero at an event, and how fast.
pub(super) struct Guard {
    pub reached: Reached,
    pub rate: f64,
    /// Whether a slider changes its phase by it; else its event is the next one, at the same instant.
    changes: bool,
}

/// What happens between two arcs.
pub(super) struct Passage {
    /// Whether all sliders stick or slip as before.
    pub goes_on: bool,
    /// Whether a signal is not smooth then.
    breaks: bool,
    pub guards: Vec<Guard>,
    /// Why there is no derivative from then on.
    pub gaps: Vec<Gap>,
}

impl Passage {
    /// Whether what sticks may be something else from then on.
    pub fn joins(&self) -> bool {
        !self.goes_on || self.breaks
    }
}

impl Nominal<'_> {
    /// Why there is no derivative from the start of the motion on, which begins with this arc.
    pub fn gaps_at_start(&self) -> Vec<Gap> {
        let nodes = self.arc.mode.parts.network.nodes();
        let places: Vec<f64> = nodes.iter().map(|n| n.displacement).chain([0.0]).collect();
        let jumps = self.jumps_from(&places).then_some(Gap::Jumps);
        let limit = self.is_at_limit(None, &[]);
        jumps.into_iter().chain(limit.then_some(Gap::AtLimit)).collect()
    }

    /// What happens where the arc ends and `n` begins.
    pub fn passage(&self, n: &Nominal<'_>) -> Passage {
        let t = n.start;
        let mode = &n.arc.mode;
        let breaks = mode.parts.breakpoints.binary_search_by(|at| at.total_cmp(&t)).is_ok();
        let goes_on = self.arc.mode.signs == mode.signs;
        let (guards, why) = if goes_on { (Vec::new(), self.touches()) } else { self.guards(n) };
        let mut gaps: Vec<Gap> = why.into_iter().collect();
        if !goes_on && (guards.is_empty() != breaks) {
            // Nothing tells why sliders change their phase, or two things do.
            gaps.push(Gap::Together);
        }
        if (!goes_on || breaks) && n.is_at_limit(Some(self), &self.pending(&guards)) {
            gaps.push(Gap::AtLimit);
        }
        if !goes_on {
            let was: Vec<f64> = self.series.x.iter().map(|x| x.at(t - self.start)).collect();
            if n.jumps_from(&was) {
                gaps.push(Gap::Jumps);
            }
        }
        Passage { goes_on, breaks, guards, gaps }
    }

    /// By how much the velocity and the acceleration of a node fall where the arc ends and `n` begins.
    pub fn jump(&self, n: &Nominal<'_>, node: usize) -> [f64; 2] {
        let tau = n.start - self.start;
        let before = self.series.x[node].derivative();
        let after = &n.series.x[node].0;
        [before.at(tau) - after[1], before.derivative().at(tau) - 2.0 * after[2]]
    }

    /// What reaches zero at the end of the arc, where `n` begins in other phases, and why there is no derivative.
    fn guards(&self, n: &Nominal<'_>) -> (Vec<Guard>, Option<Gap>) {
        let tau = n.start - self.start;
        let mode = &self.arc.mode;
        let [from, to] = [&mode.signs, &n.arc.mode.signs];
        let slow = (0..from.len()).filter(|e| from[*e] != 0);
        let slow = slow.map(|e| (from[e] != to[e], Reached::Speed(e)));
        let cuts = mode.clusters.cuts.iter().enumerate();
        let loose = cuts.flat_map(|(i, c)| {
            let opens = |side: i8| c.sliders.iter().all(|&(e, way)| to[e] == side * way);
            [1, -1].map(|side| (opens(side), Reached::Margin(i, side)))
        });
        let mut found: Vec<(f64, Guard)> = Vec::new();
        let mut why = None;
        for (changes, reached) in slow.chain(loose) {
            let (value, rate, sizes) = mode.measured(&self.series, &reached, tau);
            // Without friction there is no limit that could be reached.
            if sizes.0 == 0.0 {
                continue;
            }
            let near = value.abs() / sizes.0;
            if near >= if changes { MET } else { EQUAL } {
                continue;
            }
            if let Reached::Margin(i, side) = reached
                && self.stays_at(&mode.clusters.cuts[i], side)
            {
                // It is at its limit since it came to rest there, whatever the numbers are, and goes on when something reaches it.
                continue;
            }
            if rate >= -EQUAL * sizes.1 {
                why = Some(if changes { Gap::Grazes } else { Gap::Together });
            }
            found.push((near, Guard { reached, rate, changes }));
        }
        found.sort_by(|a, b| b.1.changes.cmp(&a.1.changes).then(a.0.total_cmp(&b.0)));
        // What is farther from zero than the first changes because the first does.
        let guards = found.into_iter().enumerate().filter(|(i, g)| *i == 0 || g.0 < EQUAL);
        let guards: Vec<Guard> = guards.map(|g| g.1.1).collect();
        if guards.first().is_some_and(|g| !g.changes) {
            // Something else has changed the phases, and this comes with it.
            why = Some(Gap::Together);
        }
        (guards, why)
    }

    /// Sliders whose event is the next one, at the same instant.
    fn pending(&self, guards: &[Guard]) -> Vec<usize> {
        let sliders = |g: &Guard| match g.reached {
            Reached::Speed(e) => vec![e],
            Reached::Margin(i, _) => {
                self.arc.mode.clusters.cuts[i].sliders.iter().map(|s| s.0).collect()
            }
        };
        guards.iter().filter(|g| !g.changes).flat_map(sliders).collect()
    }

    /// Why there is no derivative where the arc ends although nothing changes: the velocity of a slip has touched zero.
    fn touches(&self) -> Option<Gap> {
        let mode = &self.arc.mode;
        let tau = self.end - self.start;
        let slips = (0..mode.signs.len()).filter(|e| mode.signs[*e] != 0);
        let mut touching = slips.filter(|e| {
            let c = &mode.parts.contacts[*e];
            let [a, b] = [c.a, c.b].map(|i| self.series.x[i].derivative());
            (a.at(tau) - b.at(tau)).abs() < 1e-3 * EQUAL * (a.size(tau) + b.size(tau))
        });
        touching.next().map(|_| Gap::Grazes)
    }

    /// Whether what sticks from the start of the arc on is at its limit there. Sliders that slid that way in the arc `before` are where nodes
    /// have no mass, for there the force does not jump when the slip ends; and they stay there as long as nothing reaches them, whatever the
    /// numbers are.
    /// Those that are `pending` give way next.
    fn is_at_limit(&self, before: Option<&Nominal<'_>>, pending: &[usize]) -> bool {
        let mode = &self.arc.mode;
        let cuts = mode.clusters.cuts.iter().enumerate();
        let slid = |c: &Cut, side: i8| {
            before.is_some_and(|b| {
                let signs = &b.arc.mode.signs;
                c.sliders.iter().all(|&(e, way)| signs[e] == side * way) || b.stays_at(c, side)
            })
        };
        let mut sides = cuts.flat_map(|(i, c)| [1, -1].map(|side| (i, c, side)));
        sides.any(|(i, c, side)| {
            if slid(c, side) || c.sliders.iter().all(|(e, _)| pending.contains(e)) {
                return false;
            }
            let (value, _, sizes) = mode.measured(&self.series, &Reached::Margin(i, side), 0.0);
            sizes.0 > 0.0 && value.abs() < EQUAL * sizes.0
        })
    }

    /// Whether a cut is at its limit towards that side as long as the arc lasts.
    fn stays_at(&self, cut: &Cut, side: i8) -> bool {
        let mode = &self.arc.mode;
        let mut cuts = mode.clusters.cuts.iter().enumerate();
        let Some((i, _)) = cuts.find(|(_, c)| c.sliders == cut.sliders) else { return false };
        [0.0, self.end - self.start].into_iter().all(|tau| {
            let (value, _, sizes) = mode.measured(&self.series, &Reached::Margin(i, side), tau);
            sizes.0 > 0.0 && value.abs() < EQUAL * sizes.0
        })
    }

    /// Whether nodes without mass jump from these places in a way that a balance of forces alone does not tell.
    fn jumps_from(&self, places: &[f64]) -> bool {
        let mode = &self.arc.mode;
        let parts = &mode.parts;
        let free = |i: &usize| parts.mass[*i] == 0.0 && !parts.given[*i];
        let size = places.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let jump = |i: usize| self.series.x[i].0[0] - places[i];
        let alike = |a: f64, b: f64| (a - b).abs() <= EQUAL * size;
        let mut first: Vec<Option<f64>> = vec![None; parts.ground + 1];
        (0..parts.ground).filter(free).any(|i| match mode.rests_on_springs(i) {
            // All nodes that move as one by their springs jump by the same.
            Some(vertex) => !alike(jump(i), *first[vertex].get_or_insert(jump(i))),
            None => !alike(jump(i), 0.0),
        })
    }
}

impl Mode {
    /// The number of the set of nodes without mass that springs alone hold in place, if node `i` is in one.
    fn rests_on_springs(&self, i: usize) -> Option<usize> {
        (self.motion[self.clusters.set[i]] == ClusterMotion::Massless)
            .then(|| self.statics.vertex[i])?
    }
}
