//! What sticking elements hold together moves as one.

use super::{Element, Sparse};

impl Sparse {
    /// An element whose force is at the threshold but that does not move sticks: the forces feel no difference, neither
    /// on its ends nor on what sticks to them.
    pub(super) fn settle(&mut self, g: &[f64], scale: f64) {
        let slow = |e: usize, heavy: f64| {
            let y = self.stretch(e, &self.p) + g[e];
            self.signs[e] != 0 && heavy * y.abs() <= 1e-14 * scale
        };
        // What sticks to an end only makes it heavier: where no element is slow by itself, none is.
        if !(0..g.len()).any(|e| slow(e, self.diagonal[self.elements[e].a])) {
            return;
        }
        self.join(|_| true);
        self.trial.fill(0.0);
        for i in 0..self.n {
            let c = root(&mut self.cluster, i);
            if c != self.n {
                self.trial[c] = self.trial[c].max(self.diagonal[i]);
            }
        }
        for (e, g) in g.iter().enumerate() {
            if self.signs[e] == 0 {
                continue;
            }
            let Element { a, b } = self.elements[e];
            let ends = [a, b.unwrap_or(self.n)].map(|i| root(&mut self.cluster, i));
            let known = ends.iter().filter_map(|&c| self.trial.get(c));
            let heavy = known.fold(self.diagonal[a], |m, d| m.max(*d));
            let y = self.stretch(e, &self.p) + g;
            if heavy * y.abs() <= 1e-14 * scale {
                self.signs[e] = 0;
                self.factored = false;
            }
        }
    }

    /// Joins in `cluster` what elements that stick hold together, of those that `counts` says; the ground is the last.
    fn join(&mut self, counts: impl Fn(usize) -> bool) {
        let ground = self.n;
        for (i, c) in self.cluster.iter_mut().enumerate() {
            *c = i;
        }
        for (e, x) in self.elements.iter().enumerate() {
            if self.signs[e] == 0 && counts(e) {
                let a = root(&mut self.cluster, x.a);
                let b = root(&mut self.cluster, x.b.unwrap_or(ground));
                self.cluster[a.min(b)] = a.max(b);
            }
        }
    }

    /// Makes p equal across every sticking element, to the last bit.
    pub(super) fn snap(&mut self, g: &[f64]) {
        let ground = self.n;
        // An element with an offset sticks to something that moves: first who moves together, then how.
        self.join(|e| g[e] == 0.0);
        for (e, x) in self.elements.iter().enumerate() {
            if self.signs[e] == 0 && g[e] != 0.0 && x.b.is_none() {
                let a = root(&mut self.cluster, x.a);
                if a != ground {
                    self.p[a] = -g[e];
                }
            }
        }
        for i in 0..self.n {
            let c = root(&mut self.cluster, i);
            self.p[i] = if c == ground { 0.0 } else { self.p[c] };
        }
    }
}

/// The last of those that `i` is joined with.
fn root(cluster: &mut [usize], mut i: usize) -> usize {
    while cluster[i] != i {
        cluster[i] = cluster[cluster[i]];
        i = cluster[i];
    }
    i
}
