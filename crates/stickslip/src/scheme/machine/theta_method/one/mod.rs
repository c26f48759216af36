//! One step of a machine.
//!
//! With w the velocities of the masses at its end, F the forces of springs, dashpots, soft stops, loads and sampled controllers,
//! and J the rows of sliders and rigid contacts,
//!
//! ```text
//! M (w − v) = h (θ F(t⁺, x⁺, w) + (1 − θ) F(t, x, v)) + Jᵀ p,      x⁺ = x + h (θ w + (1 − θ) v)
//! −p_e ∈ h N_e A_e(w_e) on sliders,      −p_g ∈ h (f₀ + μ |T|) sgn(w_g) on gears,      0 ≤ gap⁺ − min(gap, 0) ⊥ p ≥ 0 on contacts that are closed at the start
//! ```
//!
//! by Newton's method in w; each of its linear problems, r = W p + q over the rows, goes to [`Rows`]. A contact is asked for its
//! place, not for its velocity, so that no penetration can grow. Impacts follow at the end of the step.

mod arrive;
mod begin;
mod bend;
mod grip;
mod impacts;
mod newton;
mod show;

use crate::error::{Error, Obstacle};
use crate::model::Bumper;
use crate::model::machine::FITS;
use crate::motion::Energy;
use crate::scheme::machine::flow::Instant;
use crate::scheme::machine::parts::{Lists, OPEN, Parts, Window};
use crate::scheme::machine::theta_method::account::{Account, Step};
use crate::scheme::machine::theta_method::control::{Loops, aim};
use crate::scheme::machine::theta_method::matrix::Matrix;
use crate::scheme::machine::theta_method::node::{Node, Sizes};
use crate::scheme::machine::theta_method::places::{place, push, reach, window_bound};
use crate::scheme::machine::theta_method::rows::Rows;
use crate::scheme::machine::unsuitable;
use arrive::Holds;
use grip::Grasp;
use impacts::Impacts;
use newton::Search;
use std::sync::Arc;

/// A machine, made ready for steps of one length. Everything that a step writes to is made once and used by all of them.
#[derive(Debug, Clone)]
pub(super) struct One {
    pub parts: Arc<Parts>,
    pub sizes: Sizes,
    pub h: f64,
    pub theta: f64,
    /// At the start and at the end of the step.
    before: Instant,
    after: Instant,
    /// What soft contacts and continuous controllers do there.
    statuses: [Vec<i8>; 2],
    /// Displacements at the end but for what w adds.
    base: Vec<f64>,
    rows: Rows,
    loops: Loops,
    matrix: Matrix,
    search: Search,
    holds: Holds,
    impacts: Impacts,
    account: Account,
    grasp: Grasp,
    /// The signals of a step, and those at its end where others hold there.
    lists: [Lists; 2],
    /// Newton's steps of all steps so far, and what is left of the equations of the last one.
    pub iterations: usize,
    pub residual: f64,
    /// What the last step did.
    pub energy: Energy,
}

/// Signals are looked at this share of a step after its start, so that a knot on the grid is one whatever its rounding.
pub(super) const ON_GRID: f64 = 1e-9;
/// What is left after all steps that still counts as solved.
pub(super) const NEARLY: f64 = 1e-9;

impl One {
    /// `None` if a controller has no step of this length.
    pub fn new(parts: Arc<Parts>, h: f64, theta: f64) -> Option<Self> {
        let [before, after] = [Instant::of(&parts), Instant::of(&parts)];
        let statuses = [vec![OPEN; parts.statuses()], vec![OPEN; parts.statuses()]];
        let mut one = Self {
            sizes: Sizes::of(&parts),
            h,
            theta,
            before,
            after,
            statuses,
            base: vec![0.0; parts.masses()],
            rows: grip::rows(&parts, h),
            loops: Loops::of(&parts, h, theta)?,
            matrix: Matrix::of(&parts, h * theta),
            search: Search::of(&parts),
            holds: Holds::default(),
            impacts: Impacts::default(),
            account: Account::default(),
            grasp: Grasp::default(),
            lists: Default::default(),
            iterations: 0,
            residual: 0.0,
            energy: Energy::default(),
            parts,
        };
        let rows = one.parts.rows.len();
        let sliders = one.parts.sliders;
        for status in &mut one.statuses {
            status[..sliders].fill(0);
            status[rows..].fill(0);
        }
        Some(one)
    }

    /// Advances from `from` at the first to `to` at the second instant (s).
    ///
    /// # Errors
    /// If a bound of a rigid stop jumps past what it stops, or no impulses keep within all bounds.
    pub fn advance(&mut self, span: [f64; 2], from: &Node, to: &mut Node) -> Result<(), Error> {
        let parts = self.parts.clone();
        let [t, next] = span;
        let slack = ON_GRID * self.h;
        let start = self.lists[0].window(&parts, t + slack);
        let ends = |s: &crate::signal::Signal| s.next_breakpoint(t + slack) < next - slack;
        // A jump at the end of the step belongs to the next one; only where one lies inside are there other signals at its end.
        let inside = parts.machine.signals().any(ends).then(|| self.lists[1].window(&parts, next));
        let end = inside.as_ref().unwrap_or(&start);

        self.set_out(t, &start, from)?;
        to.v.copy_from_slice(&from.v);
        self.solve(next, end, from, to);
        if let Some(gear) = self.grasp.jams.take() {
            let gear = parts.machine.gears()[gear].name.to_string();
            return Err(unsuitable(Obstacle::JamsInStep { gear, step: self.h }));
        }
        self.arrive(next, end, from, to);
        self.audit(span, [&start, end], to);
        self.lists[0].keep(start);
        if let Some(end) = inside {
            self.lists[1].keep(end);
        }
        self.collide(next, to)?;
        self.tick(next, to);
        self.show(to);
        Ok(())
    }

    /// The forces at the start of a step.
    fn set_out(&mut self, t: f64, window: &Window<'_>, from: &Node) -> Result<(), Error> {
        let parts = &self.parts;
        let at = &mut self.before;
        at.x.copy_from_slice(&from.x);
        at.v.copy_from_slice(&from.v);
        place(parts, t, window, &from.control, at);
        for (c, contact) in parts.contacts.iter().enumerate() {
            let rigid = matches!(contact.bumper, Bumper::Rigid { .. });
            let bound = window_bound(parts, window, c, t);
            // The gap changes between two steps only where a bound jumps.
            if rigid
                && at.gap[c] < from.gap[c].min(0.0) - FITS * (bound.abs() + reach(parts, c, at))
            {
                let stop = parts.machine.stops()[contact.stop].name.to_string();
                return Err(unsuitable(Obstacle::BoundJumps { stop, time: t }));
            }
        }
        push(parts, at, &mut self.statuses[0]);
        aim(parts, t, window, at, &mut self.statuses[0]);
        parts.forces(t, window, &self.statuses[0], at);
        parts.control_rates(t, window, &self.statuses[0], at, &mut self.loops.rates);
        Ok(())
    }

    /// What sampled controllers do at `t` (s).
    pub fn tick(&mut self, t: f64, to: &mut Node) {
        let due = t + ON_GRID * self.h;
        if self.parts.next_tick(&to.control) > due {
            return;
        }
        let parts = self.parts.clone();
        let window = self.lists[1].window(&parts, t + ON_GRID * self.h);
        // A tick on the grid is one whatever its rounding.
        loop {
            let tick = parts.next_tick(&to.control);
            if tick > due {
                break;
            }
            parts.tick(tick.max(t), &window, &self.after, &mut to.control);
        }
        self.lists[1].keep(window);
    }

    /// Adds what the step from the first to the second instant did to the energies, before its impacts.
    fn audit(&mut self, span: [f64; 2], windows: [&Window<'_>; 2], to: &mut Node) {
        let parts = self.parts.clone();
        let energy = Step {
            parts: &parts,
            theta: self.theta,
            h: self.h,
            at: [&self.before, &self.after],
            statuses: [&self.statuses[0], &self.statuses[1]],
            impulse: &to.impulse,
        }
        .energy(span, windows, &mut self.account);
        to.lost = energy.friction + energy.viscous + energy.impacts;
        self.energy = energy;
    }

    /// How far a slider slid in the last step, m.
    pub fn slide(&self, slider: usize) -> f64 {
        Step {
            parts: &self.parts,
            theta: self.theta,
            h: self.h,
            at: [&self.before, &self.after],
            statuses: [&self.statuses[0], &self.statuses[1]],
            impulse: &[],
        }
        .slide(slider)
    }

    /// Kinetic and elastic energy and that in soft stops at the end of the last step, J.
    pub fn stored(&self) -> [f64; 3] {
        crate::scheme::machine::energy::stored(&self.parts, &self.statuses[1], &self.after)
    }
}
