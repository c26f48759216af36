//! Implicit steps of machines with sliders with memory: collocation, stable however slowly they creep and however stiff their bristles are.

use super::flow::{Flow, Instant};
use crate::motion::{Poly, TERMS};
use crate::scheme::memory::FINEST;
use crate::scheme::memory::collocation::{self, Equations};
use crate::scheme::oscillator::adaptive::Options;
use std::cell::RefCell;

/// Rounding of the force of a spring relative to its stiffness times the displacements of its ends.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The steps of a motion, and the room for them.
#[derive(Debug)]
pub(super) struct Implicit {
    pub step: collocation::Step,
    /// The step before, from whose polynomials the next one sets out.
    before: collocation::Step,
    warm: bool,
    options: Options,
}

/// The equations of a mode, for whom a step asks at many states.
struct Of<'a, 'b> {
    flow: &'a Flow<'b>,
    at: RefCell<&'a mut Instant>,
    options: Options,
    /// The way whose force on the stiffest spring is what the least friction may be wrong by, m.
    fine: f64,
    /// The tolerance of levels: no less than what the rounding of spring forces moves them by.
    level: f64,
}

impl Implicit {
    /// Room for `n` numbers.
    pub fn of(n: usize, options: Options) -> Self {
        let step = || collocation::Step::of(n);
        Self { step: step(), before: step(), warm: false, options }
    }

    /// Sets out from `u` at `t` (s); after a step, whose polynomials lead on.
    pub fn begin(&mut self, t: f64, u: &[f64], flow: &Flow<'_>, at: &mut Instant, goes_on: bool) {
        if goes_on {
            std::mem::swap(&mut self.step, &mut self.before);
        }
        self.warm = goes_on;
        self.step.begin(t, u, &Of::new(flow, at, t, self.options));
    }

    /// A step of `h` (s): its error over the tolerance, infinite where its equations are not solved.
    pub fn make(&mut self, h: f64, flow: &Flow<'_>, at: &mut Instant) -> f64 {
        let of = Of::new(flow, at, self.step.t, self.options);
        let guess = self.warm.then_some(&self.before);
        match self.step.make(h, guess, &of) {
            Ok(()) => self.step.error(),
            Err(collocation::Unsolved) => f64::INFINITY,
        }
    }

    /// The same step, `h` (s) long; whether it was solved.
    pub fn shorten(&mut self, h: f64, flow: &Flow<'_>, at: &mut Instant) -> bool {
        let guess = self.step.clone();
        let of = Of::new(flow, at, self.step.t, self.options);
        let solved = self.step.make(h, Some(&guess), &of).is_ok();
        if !solved {
            self.step = guess;
        }
        solved
    }

    /// The polynomials of the step.
    pub fn dense(&self, polys: &mut Vec<Poly>) {
        let own = self.step.poly.chunks_exact(collocation::STAGES);
        polys.extend(self.step.from.iter().zip(own).map(|(from, own)| {
            let mut terms = [0.0; TERMS];
            terms[0] = *from;
            terms[1..=own.len()].copy_from_slice(own);
            Poly(terms)
        }));
    }
}

impl<'a, 'b> Of<'a, 'b> {
    fn new(flow: &'a Flow<'b>, at: &'a mut Instant, t: f64, options: Options) -> Self {
        let parts = flow.parts;
        let network = parts.machine.network();
        let stiffest = network.springs().iter().fold(0.0, |m: f64, s| m.max(s.coefficient));
        let mut least = f64::INFINITY;
        for b in &parts.bristles {
            let Some(law) = parts.rock(b) else { continue };
            let normal = flow.window.normals[b.row].map_or(1.0, |n| n.value(t));
            // Friction that vanishes is in no balance with springs, and asks for nothing finer.
            if normal != 0.0 {
                least = least.min((normal * law.direct()).abs());
            }
        }
        let fine = if stiffest > 0.0 {
            options.rtol.max(FINEST) * least / stiffest
        } else {
            f64::INFINITY
        };
        let pulls = network.springs().iter().map(|s| {
            let [a, b] = s.between().map(|n| n.map_or(0.0, |n| at.node_x[n].abs()));
            s.coefficient * (a + b)
        });
        let rough =
            if least.is_finite() { ROUNDING * pulls.fold(0.0, f64::max) / least } else { 0.0 };
        let level = options.rtol.max(FINEST).max(rough);
        Self { flow, at: RefCell::new(at), options, fine, level }
    }
}

impl Equations for Of<'_, '_> {
    fn rates(&self, t: f64, y: &[f64], rates: &mut [f64]) {
        self.flow.derivative(t, y, rates, &mut self.at.borrow_mut());
    }

    fn weight(&self, i: usize, y: &[f64]) -> Option<[f64; 2]> {
        let mode = self.flow.mode;
        let group = i.checked_sub(mode.groups)?;
        let level = mode.levels.all.iter().find(|l| l.group == group)?;
        let b = &self.flow.parts.bristles[level.bristle];
        let law = self.flow.parts.rock(b)?;
        Some(law.spread(y[i], law.psi(y[2 * mode.groups + b.state])))
    }

    fn tolerance(&self, i: usize, y: f64) -> f64 {
        let mode = self.flow.mode;
        let Options { rtol, atol, .. } = self.options;
        if i < mode.groups {
            // A displacement whose error moves no spring by more than that of u moves the friction.
            let x = (self.flow.x0[mode.first[i]] + y).abs();
            return (atol + rtol * x).min(self.fine).max(f64::EPSILON * x).max(f64::MIN_POSITIVE);
        }
        if let Some(g) = i.checked_sub(mode.groups).filter(|g| *g < mode.groups) {
            let takes = mode.levels.all.iter().any(|l| l.group == g);
            return if takes { self.level } else { atol + rtol * y.abs() };
        }
        let state = i - 2 * mode.groups;
        let parts = self.flow.parts;
        match parts.bristles.iter().find(|b| (b.state..b.state + b.states).contains(&state)) {
            // ln θ.
            Some(b) if parts.rock(b).is_some() => rtol.max(FINEST),
            Some(b) => {
                let law = parts.memory(b.row).map(|m| m.law().scale(state - b.state));
                rtol * law.unwrap_or(1.0)
            }
            None => atol + rtol * y.abs(),
        }
    }
}
