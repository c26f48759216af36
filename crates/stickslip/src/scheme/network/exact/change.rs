//! How a network changes with a number of it.

use super::mode::{Mode, Series};
use super::nominal::{About, EQUAL, Nominal, RATES};
use super::power::Power;
use super::tangent::Reached;
use crate::signal::SignalRate;

/// How everything in the equations of a network changes with a number.
#[derive(Debug, Default)]
pub(crate) struct Change<'a> {
    /// Displacement and velocity of each node at the start.
    pub start: Vec<[f64; 2]>,
    /// Of what changes alone: its index, and by how much.
    pub masses: Vec<(usize, f64)>,
    pub shared: Vec<(usize, f64)>,
    pub springs: Vec<(usize, f64)>,
    pub dashpots: Vec<(usize, f64)>,
    pub breakaway: Vec<(usize, f64)>,
    pub dynamic: Vec<(usize, f64)>,
    /// By nodes.
    pub forces: Vec<(usize, SignalRate<'a>)>,
    pub motions: Vec<(usize, SignalRate<'a>)>,
    /// By sliders.
    pub normals: Vec<(usize, SignalRate<'a>)>,
}

impl Change<'_> {
    /// What a number does to the loads along the motion.
    pub(super) fn push(&self, mode: &Mode, about: &About<'_>, from: f64, s: &mut Series) {
        let parts = &mode.parts;
        for (i, rate) in &self.motions {
            rate.add_series(from, about.t, &mut s.x[*i].0);
        }
        for (i, rate) in &self.forces {
            rate.add_series(from, about.t, &mut s.rest[*i].0);
        }
        let velocity = |p: &Power| p.derivative();
        let acceleration = |p: &Power| p.derivative().derivative();
        for (i, m) in &self.masses {
            s.rest[*i] = s.rest[*i].plus(-m, &acceleration(&about.x[*i]));
        }
        for (i, m) in &self.shared {
            let [a, b] = parts.shared[*i].between;
            s.rest[a] = s.rest[a].plus(-m, &acceleration(&about.x[b]));
            s.rest[b] = s.rest[b].plus(-m, &acceleration(&about.x[a]));
        }
        for (i, k) in &self.springs {
            let b = &parts.springs[*i];
            let stretch = about.x[b.a].plus(-1.0, &about.x[b.b]);
            s.rest[b.a] = s.rest[b.a].plus(-k, &stretch);
            s.rest[b.b] = s.rest[b.b].plus(*k, &stretch);
        }
        for (i, c) in &self.dashpots {
            let b = &parts.dashpots[*i];
            let rate = velocity(&about.x[b.a].plus(-1.0, &about.x[b.b]));
            s.rest[b.a] = s.rest[b.a].plus(-c, &rate);
            s.rest[b.b] = s.rest[b.b].plus(*c, &rate);
        }
        let mut slides = |e: usize, by: f64, of: &Power| {
            if mode.signs[e] == 0 {
                return;
            }
            let c = &parts.contacts[e];
            let by = f64::from(mode.signs[e]) * by;
            s.lambda[e] = s.lambda[e].plus(by, of);
            s.rest[c.a] = s.rest[c.a].plus(-by, of);
            s.rest[c.b] = s.rest[c.b].plus(by, of);
        };
        for (e, f) in &self.dynamic {
            slides(*e, *f, &about.normal[*e]);
        }
        for (e, rate) in &self.normals {
            let mut normal = Power::ZERO;
            rate.add_series(from, about.t, &mut normal.0);
            slides(*e, mode.sliding[*e], &normal);
        }
    }

    /// What prescribed node `i` does with it from the start of an arc on: the change of its displacement and of its velocity.
    pub(super) fn given(&self, n: &Nominal<'_>, i: usize) -> [f64; 2] {
        let mut first = [0.0; RATES];
        for (_, rate) in self.motions.iter().filter(|m| m.0 == i) {
            rate.add_series(n.start, n.start, &mut first);
        }
        [first[0], first[1]]
    }

    /// Whether the number, whose changes of x and ẋ are these, pushes at the start what rests there, so that a push the other way has another effect. One that stops at
    /// once does not count: a cluster whose sliders would all stop it takes it as a whole.
    pub(super) fn pushes(&self, n: &Nominal<'_>, [x, v]: [&[f64]; 2], room: &mut Series) -> bool {
        let mode = &n.arc.mode;
        let parts = &mode.parts;
        let joined = mode.join(v, &vec![0.0; v.len()]).velocity;
        let heavy = |i: usize| parts.mass[i] > 0.0 && !parts.given[i];
        let pushed: Vec<usize> = (0..parts.ground)
            .filter(|&i| heavy(i) && v[i] != joined[i])
            .map(|i| mode.clusters.set[i])
            .collect();
        let stops = |e: usize| {
            let c = &parts.contacts[e];
            let sliding = c.dynamic * n.series.normal[e].0[0];
            !mode.clusters.looped.contains(&e)
                && n.series.lambda[e].0[0].abs() < sliding * (1.0 - EQUAL)
        };
        for (e, c) in parts.contacts.iter().enumerate().filter(|c| mode.signs[c.0] == 0) {
            if pushed.contains(&mode.clusters.set[c.a]) && !stops(e) {
                return true;
            }
        }
        let about = n.about(n.start);
        let given = |s: &mut Series| self.push(mode, &about, n.start, s);
        mode.vary_with(x, &joined, RATES, room, given);
        let slow = |e: usize| {
            let c = &parts.contacts[e];
            let [a, b] = [c.a, c.b].map(|i| n.series.x[i].0[1]);
            let rubs = c.dynamic.max(c.breakaway) * n.series.normal[e].0[0] > 0.0;
            rubs && (a - b).abs() <= EQUAL * (a.abs() + b.abs()) && room.slip(c.a, c.b).0[0] != 0.0
        };
        (0..mode.signs.len()).any(|e| mode.signs[e] != 0 && slow(e))
    }

    /// Whether prescribed nodes that move as one still do so with another value of the number.
    pub(super) fn leads_alike(&self, n: &Nominal<'_>) -> bool {
        if self.motions.is_empty() {
            return true;
        }
        let rate = |i: usize| {
            let mut first = [0.0; RATES];
            self.motions
                .iter()
                .filter(|m| m.0 == i)
                .for_each(|m| m.1.add_series(n.start, n.start, &mut first));
            [first[1], first[2], first[3]]
        };
        let mode = &n.arc.mode;
        let alike = &mode.clusters.alike;
        let stick = |i: usize| {
            let mut contacts = mode.parts.contacts.iter().zip(&mode.signs);
            contacts.any(|(c, s)| *s == 0 && mode.clusters.set[c.a] == mode.clusters.set[i])
        };
        (0..mode.parts.ground)
            .filter(|&i| mode.parts.given[i] && alike[i] != i && stick(i))
            .all(|i| rate(i) == rate(alike[i]))
    }

    /// Whether it is no load on the motion in this mode.
    pub(super) fn is_idle(&self, mode: &Mode) -> bool {
        let alone = [&self.masses, &self.shared, &self.springs, &self.dashpots];
        let signals = [&self.forces, &self.motions, &self.normals];
        alone.iter().all(|l| l.is_empty())
            && signals.iter().all(|l| l.is_empty())
            && self.dynamic.iter().all(|(e, _)| mode.signs[*e] == 0)
    }

    /// By how much the breakpoint of the signals at `t` comes later, s.
    pub(super) fn breakpoint(&self, t: f64) -> f64 {
        let all = self.forces.iter().chain(&self.motions).chain(&self.normals);
        all.filter_map(|(_, r)| r.breakpoint(t)).find(|moved| *moved != 0.0).unwrap_or(0.0)
    }

    /// What it adds to the limit of a cut.
    pub(super) fn limit(
        &self,
        mode: &Mode,
        reached: &Reached,
        about: &About<'_>,
        from: f64,
    ) -> f64 {
        let Reached::Margin(i, _) = *reached else { return 0.0 };
        let mut sum = 0.0;
        for &(e, _) in &mode.clusters.cuts[i].sliders {
            let own = self.breakaway.iter().filter(|b| b.0 == e);
            sum += own.map(|b| b.1 * about.normal[e].0[0]).sum::<f64>();
            for (_, rate) in self.normals.iter().filter(|n| n.0 == e) {
                let mut first = [0.0; RATES];
                rate.add_series(from, about.t, &mut first);
                sum += mode.parts.contacts[e].breakaway * first[0];
            }
        }
        sum
    }
}
