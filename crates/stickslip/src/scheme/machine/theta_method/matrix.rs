//! The matrix of Newton's method, and what impulses do by it.

use super::control::Loops;
use crate::model::Bumper;
use crate::numeric::invert_into;
use crate::scheme::machine::flow::{Instant, stretch};
use crate::scheme::machine::parts::{PUSHES, Parts, Place};

/// M + h θ C + h² θ² K and its inverse B.
#[derive(Debug, Clone, Default)]
pub(super) struct Matrix {
    /// h θ, s.
    share: f64,
    /// What of it never changes: masses, linear springs, dashpots.
    base: Vec<f64>,
    /// Where the machine is.
    now: Vec<f64>,
    /// The one that was inverted last, and its inverse.
    of: Vec<f64>,
    pub inverse: Vec<f64>,
    /// The rows that were asked last, and B Jᵀ of these, one after the other.
    asked: Vec<usize>,
    pub reach: Vec<f64>,
    room: Vec<f64>,
}

impl Matrix {
    /// For steps of which the end counts for `share` (s).
    pub fn of(parts: &Parts, share: f64) -> Self {
        let mut matrix = Self { share, now: parts.mass.clone(), ..Self::default() };
        let network = parts.machine.network();
        for spring in network.springs() {
            matrix.add(parts, spring.between(), spring.coefficient, 0.0);
        }
        for dashpot in network.dashpots() {
            matrix.add(parts, dashpot.between(), 0.0, dashpot.coefficient);
        }
        matrix.base = matrix.now.clone();
        matrix
    }

    /// Adds a part between two nodes.
    fn add(&mut self, parts: &Parts, ends: [Option<usize>; 2], stiffness: f64, damping: f64) {
        let n = parts.masses();
        let by = self.share * (damping + self.share * stiffness);
        let mut row = [(0, 0.0); 2];
        for (entry, (end, sign)) in row.iter_mut().zip(ends.into_iter().zip([1.0, -1.0])) {
            if let Some(Place::With(k, ratio)) = end.map(|i| parts.places[i]) {
                *entry = (k, sign * ratio);
            }
        }
        for (i, c) in row {
            for (j, d) in row {
                self.now[i * n + j] += by * c * d;
            }
        }
    }

    /// Puts together what it is where the machine is `at`, with these statuses.
    fn assemble(&mut self, parts: &Parts, loops: &Loops, status: &[i8], at: &Instant) {
        let n = parts.masses();
        self.now.copy_from_slice(&self.base);
        for (k, s) in parts.machine.springs().iter().enumerate() {
            let z = stretch(&at.node_x, s.between());
            self.add(parts, s.between(), parts.spring_pull(k, z, at)[1], 0.0);
        }
        for (c, contact) in parts.contacts.iter().enumerate() {
            if let Bumper::Soft { stiffness, damping } = contact.bumper
                && status[parts.sliders + c] == PUSHES
            {
                let ends = parts.machine.stops()[contact.stop].between();
                self.add(parts, ends, stiffness, damping);
            }
        }
        loops.entries(parts, status, |i, j, by| self.now[i * n + j] += by);
    }

    /// Inverts it where the machine is, and finds what impulses along the rows `asked` do to the masses and, in `compliance`, to
    /// the velocities of these rows.
    pub fn factor(
        &mut self,
        parts: &Parts,
        loops: &Loops,
        status: &[i8],
        at: &Instant,
        asked: &[usize],
        compliance: &mut Vec<f64>,
    ) {
        let n = parts.masses();
        self.assemble(parts, loops, status, at);
        // Most machines have the same matrix in every step, and inverting it costs more than all the rest of a step.
        let same = self.of == self.now;
        if !same {
            self.room.clone_from(&self.now);
            if !invert_into(&mut self.room, n, &mut self.inverse) {
                // A softening spring may take so much away that nothing is left; the run then says that its numbers are not
                // finite.
                self.inverse.fill(f64::NAN);
            }
            self.of.clone_from(&self.now);
        }
        if same && self.asked == asked {
            return;
        }
        self.asked.clear();
        self.asked.extend_from_slice(asked);
        self.reach.clear();
        for e in asked {
            let masses = &parts.rows[*e].masses;
            let of =
                |i: usize| masses.iter().map(|(j, c)| self.inverse[i * n + j] * c).sum::<f64>();
            self.reach.extend((0..n).map(of));
        }
        compliance.clear();
        for e in asked {
            let row = &parts.rows[*e];
            let columns = (0..asked.len()).map(|k| &self.reach[k * n..(k + 1) * n]);
            compliance.extend(columns.map(|column| row.of_masses(column)));
        }
    }
}
