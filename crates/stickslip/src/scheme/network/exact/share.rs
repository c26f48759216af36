//! Forces in sliders that stick in loops.

use super::mode::Mode;
use crate::onestep::{Element, Sparse};

impl Mode {
    /// Of the many sets of forces within the limits that balance the loads of sliders in loops, the one that the
    /// one-step problem finds from zero. `lambda` holds one that balances them; `normal` is N of each slider.
    pub fn share(&self, lambda: &mut [f64], normal: impl Fn(usize) -> f64) {
        let looped = &self.clusters.looped;
        if looped.is_empty() {
            return;
        }
        let parts = &*self.parts;
        let alike = &self.clusters.alike;
        let mut index = vec![None; alike.len()];
        let mut r = Vec::new();
        for &e in looped {
            let c = &parts.contacts[e];
            // What the sliders in loops hold together at each node is unique; only how they share it is not.
            for (i, f) in [(alike[c.a], lambda[e]), (alike[c.b], -lambda[e])] {
                if parts.given[i] {
                    continue;
                }
                let k = *index[i].get_or_insert(r.len());
                if k == r.len() {
                    r.push(0.0);
                }
                r[k] += f;
            }
        }
        let mut elements = Vec::new();
        let mut alpha = Vec::new();
        let mut flips = Vec::new();
        for &e in looped {
            let c = &parts.contacts[e];
            let (a, b, flip) = match (index[alike[c.a]], index[alike[c.b]]) {
                (Some(a), b) => (a, b, 1.0),
                (None, Some(b)) => (b, None, -1.0),
                (None, None) => continue,
            };
            elements.push(Element { a, b });
            alpha.push(c.breakaway * normal(e));
            flips.push((e, flip));
        }
        // The cluster holds, so forces within the limits do balance the loads, and p = 0 solves the problem with any
        // matrix: the unit matrix only sets the way in which the solver gets there.
        let unit: Vec<_> = (0..r.len()).map(|k| (k, k, 1.0)).collect();
        let mut problem = Sparse::new(r.len(), &unit, elements);
        problem.solve(&r, &alpha, &vec![0.0; alpha.len()]);
        for ((e, flip), l) in flips.into_iter().zip(problem.lambda()) {
            lambda[e] = flip * l;
        }
    }
}
