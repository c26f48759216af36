//! The right-hand side of a step.

use super::convex_step::{Given, Kinematics, velocity};
use super::layout::Layout;
use crate::model::Network;
use crate::onestep::in_pieces;

impl Layout {
    /// Of the end of the step what is `known` of x, and the `impulse` M v + h Θ f⁺ + h (1 − Θ) f of each free node. A long
    /// network is cut into pieces: each goes through the springs and dashpots that touch it.
    pub(super) fn load(
        &self,
        network: &Network,
        from: &Kinematics,
        known: &mut [f64],
        impulse: &mut [f64],
        given: &Given<'_>,
    ) {
        let h = self.h;
        let theta = self.theta;
        // What of X⁺ the known velocities make, (1 − θ) h v; the unknown ones add θ h v⁺ when they are found.
        let drift = |first: usize, known: &mut [f64]| {
            let piece = first..first + known.len();
            let x = &from.x[piece.clone()];
            let v = &from.v[piece.clone()];
            for (((known, x), v), light) in known.iter_mut().zip(x).zip(v).zip(&self.light[piece]) {
                *known = x + h * (1.0 - if *light { 1.0 } else { theta }) * v;
            }
        };
        in_pieces(&mut *known, &drift);
        for &(i, x, _) in given.motion {
            known[i] = x;
        }
        let known = &*known;
        let push = |first: usize, impulse: &mut [f64]| {
            self.begin(first, &from.v, impulse, given);
            self.pull_springs(network, first, &from.x, known, impulse);
            self.pull_dashpots(network, first, &from.v, impulse, given.motion);
        };
        if self.is_local() { in_pieces(impulse, &push) } else { push(0, impulse) }
    }

    /// The momenta of the nodes from `first` on and the impulses of the loads.
    #[inline(always)]
    fn begin(&self, first: usize, v: &[f64], impulse: &mut [f64], given: &Given<'_>) {
        let piece = first..first + impulse.len();
        let own = v[piece.clone()].iter().zip(&self.mass[piece.clone()]);
        for (impulse, (v, mass)) in impulse.iter_mut().zip(own) {
            *impulse = mass * v + 0.0; // never −0
        }
        for s in &self.shared[self.near.shared.of(&piece)] {
            let [i, j] = s.between;
            // An index before the piece wraps round to a huge one, so a single comparison tells whether the node is in it.
            if let Some(impulse) = impulse.get_mut(i.wrapping_sub(first)) {
                *impulse += s.mass * v[j];
            }
            if let Some(impulse) = impulse.get_mut(j.wrapping_sub(first)) {
                *impulse += s.mass * v[i];
            }
        }
        // The forces come in the order of the nodes, so those of a piece stand together.
        let before = |i: usize| given.forces.partition_point(|f| f.0 < i);
        for &(i, before, after) in &given.forces[before(piece.start)..before(piece.end)] {
            let th = self.theta(i);
            impulse[i - first] += self.h * (th * after + (1.0 - th) * before);
        }
    }

    /// Adds the springs' impulses on the nodes from `first` on, `known` being what is known of x at the end of the step.
    #[inline(always)]
    fn pull_springs(
        &self,
        network: &Network,
        first: usize,
        x: &[f64],
        known: &[f64],
        impulse: &mut [f64],
    ) {
        let h = self.h;
        let n = known.len();
        // All of one length, which the loop then need not look up again.
        let x = &x[..n];
        let light = &self.light[..n];
        let at = |u: &[f64], i: usize| u.get(i).map_or(0.0, |u| *u);
        let piece = first..first + impulse.len();
        for s in &network.springs()[self.near.springs.of(&piece)] {
            let [a, b] = s.places();
            let new = s.coefficient * (at(known, a) - at(known, b));
            let old = s.coefficient * (at(x, a) - at(x, b));
            let th = |i: usize| if light.get(i) == Some(&true) { 1.0 } else { self.theta };
            let weighted = |th: f64| h * (th * new + (1.0 - th) * old);
            // Both ends feel the same force, except where one of them has no mass and takes it at the end of the step.
            let pull = weighted(th(a));
            if let Some(to) = impulse.get_mut(a.wrapping_sub(first)) {
                *to -= pull;
            }
            if let Some(to) = impulse.get_mut(b.wrapping_sub(first)) {
                *to += if th(b) == th(a) { pull } else { weighted(th(b)) };
            }
        }
    }

    /// Adds the part of the dashpots' impulses that the unknown velocities do not enter, on the nodes from `first` on, `v`
    /// being the velocities before.
    #[inline(always)]
    fn pull_dashpots(
        &self,
        network: &Network,
        first: usize,
        v: &[f64],
        impulse: &mut [f64],
        motion: &[(usize, f64, f64)],
    ) {
        let near = self.near.dashpots.of(&(first..first + impulse.len()));
        for (s, implicit) in network.dashpots()[near.clone()].iter().zip(&self.implicit[near]) {
            // Both ends of a dashpot have the same θ: if one of them has no mass, all of its force is that at the end
            // of the step.
            let weight = if *implicit { 1.0 } else { self.theta };
            let end = |i: usize| if self.unknown(i).is_some() { 0.0 } else { velocity(motion, i) };
            let at = |i: usize| v.get(i).map_or(0.0, |v| *v);
            let [a, b] = s.places();
            let f = s.coefficient * (weight * (end(a) - end(b)) + (1.0 - weight) * (at(a) - at(b)));
            if let Some(to) = impulse.get_mut(a.wrapping_sub(first)) {
                *to -= self.h * f;
            }
            if let Some(to) = impulse.get_mut(b.wrapping_sub(first)) {
                *to += self.h * f;
            }
        }
    }
}
