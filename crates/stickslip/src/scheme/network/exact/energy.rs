//! Where the work went, for an exact path.

use super::arc::ExactArc;
use super::parts::Branch;
use crate::interrupt::Interrupt;
use crate::model::Network;
use crate::motion::Energy;
use crate::numeric::GAUSS;
use crate::scheme::network::{NetworkArc, NetworkPath};

impl NetworkPath {
    /// The energy audit of an exact motion of `network`: work, friction and damping by quadrature along the path,
    /// independently of how it was found. For a time-stepping scheme see
    /// [`NetworkRun`](crate::scheme::network::NetworkRun).
    pub fn energy(&self, network: &Network) -> Energy {
        let mut e = Energy::default();
        let mut before: Option<Vec<f64>> = None;
        let mut initial = None;
        for s in Interrupt::parts_of(self.segments()) {
            let NetworkArc::Exact(arc) = &s.arc else { continue };
            let stored = arc.stored(s.start);
            initial.get_or_insert(stored);
            // Between arcs only nodes without mass may be elsewhere: they have jumped.
            if let Some(before) = before {
                arc.jump(&before, &mut e);
            }
            let half = 0.5 * (s.end - s.start);
            arc.add(half, &mut e);
            let end = arc.kinematics(s.end);
            let last = arc.stored(s.end);
            let first = initial.unwrap_or(last);
            // Kept up to date arc by arc, so that the audit of a path that is cut short is one of what there is.
            e.kinetic = last.0 - first.0;
            e.elastic = last.1 - first.1;
            before = Some(end.x);
        }
        debug_assert!(network.nodes().len() == before.map_or(network.nodes().len(), |b| b.len()));
        e.if_complete()
    }
}

impl ExactArc {
    /// Kinetic and elastic energy at `t`, J.
    fn stored(&self, t: f64) -> (f64, f64) {
        let p = &*self.mode.parts;
        let u = self.kinematics(t);
        let x = |i: usize| if i == p.ground { 0.0 } else { u.x[i] };
        // What moves a prescribed node moves its mass.
        let free = (0..p.ground).filter(|&i| !p.given[i]);
        let kinetic: f64 = free.map(|i| 0.5 * p.mass[i] * u.v[i] * u.v[i]).sum();
        let shared = p.shared.iter().map(|s| s.mass * u.v[s.between[0]] * u.v[s.between[1]]);
        let elastic = |s: &Branch| 0.5 * s.coefficient * (x(s.a) - x(s.b)).powi(2);
        (kinetic + shared.sum::<f64>(), p.springs.iter().map(elastic).sum())
    }

    /// Energy lost to friction and in the dampers over [start, start + 2 `half`], J.
    pub(super) fn lost(&self, half: f64) -> f64 {
        let mut e = Energy::default();
        self.add(half, &mut e);
        e.friction + e.viscous
    }

    /// Adds ∫ over [start, start + 2 `half`].
    fn add(&self, half: f64, e: &mut Energy) {
        let p = &*self.mode.parts;
        let s = self.series();
        let v: Vec<_> = s.x.iter().map(|x| x.derivative()).collect();
        let forces: Vec<_> = p
            .forces
            .iter()
            // What leads a prescribed node takes up the force on it.
            .filter(|f| !p.given[f.0])
            .map(|(i, f)| (*i, f.piece_at(self.start)))
            .collect();
        for (node, weight) in GAUSS.iter().flat_map(|&(x, w)| [(x, w), (-x, w)]) {
            let tau = half * (1.0 + node);
            let w = half * weight;
            let rate = |a: usize, b: usize| v[a].at(tau) - v[b].at(tau);
            // The work of prescribed ends against a branch force f (positive pulls a towards b).
            let ends = |a: usize, b: usize, f: f64| {
                let at = |i: usize| if p.given[i] { f * v[i].at(tau) } else { 0.0 };
                at(a) - at(b)
            };
            for (i, f) in &forces {
                e.work += w * f.value(self.start + tau) * v[*i].at(tau);
            }
            for b in &p.springs {
                let f = b.coefficient * (s.x[b.a].at(tau) - s.x[b.b].at(tau));
                e.work += w * ends(b.a, b.b, f);
            }
            for b in &p.dashpots {
                let u = rate(b.a, b.b);
                e.viscous += w * b.coefficient * u * u;
                e.work += w * ends(b.a, b.b, b.coefficient * u);
            }
            for (c, l) in p.contacts.iter().zip(&s.lambda) {
                let l = l.at(tau);
                e.friction += w * l * rate(c.a, c.b);
                e.work += w * ends(c.a, c.b, l);
            }
        }
    }

    /// Nodes without mass have jumped from `before` to the start of this arc: what the forces did, less what the
    /// springs took.
    pub(super) fn jump(&self, before: &[f64], e: &mut Energy) {
        let p = &*self.mode.parts;
        let x = |of: &[f64], i: usize| if i == p.ground { 0.0 } else { of[i] };
        let now = self.kinematics(self.start).x;
        let moved = |i: usize| x(&now, i) - x(before, i);
        // At most events nothing jumps, and rounding is not to be counted as a loss.
        if (0..p.ground).all(|i| p.given[i] || p.mass[i] > 0.0 || moved(i) == 0.0) {
            return;
        }
        let still = |i: &usize| p.given[*i] || p.mass[*i] > 0.0;
        let mut lost = 0.0;
        for (i, f) in p.forces.iter().filter(|f| !still(&f.0)) {
            let work = f.value(self.start) * moved(*i);
            e.work += work;
            lost += work;
        }
        for s in &p.springs {
            let d = x(&now, s.a) - x(&now, s.b);
            let was = x(before, s.a) - x(before, s.b);
            if !(still(&s.a) && still(&s.b)) {
                // As a product: the difference of two nearly equal squares would lose what a small jump stores.
                lost -= 0.5 * s.coefficient * (d - was) * (d + was);
            }
        }
        e.jumps += lost;
    }
}
