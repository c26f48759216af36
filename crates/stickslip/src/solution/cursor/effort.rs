//! How much is left to do, before it is done.

use super::Cursor;
use crate::model::{Model, Network, Wall};
use crate::numeric::natural_frequency;
use crate::signal::Signal;

/// What a run in progress would have to do up to some time: see [`Cursor::effort`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Remaining {
    /// Steps in time; 0 for a scheme without steps of a given length.
    pub steps: f64,
    /// Periods of the fastest free motion and of the loads; 0 for a scheme with steps.
    pub periods: f64,
}

impl Cursor {
    /// An estimate of the work from the present time to `until` (s), from rates and times alone: for a decision whether to
    /// advance so far at once, and for showing how far one is. A run in progress is never refused for being long; this, and
    /// [`advance_while`](Self::advance_while), are for those who want to.
    ///
    /// ```
    /// use stickslip::{Law, Oscillator, Problem, Scheme, Signal, start};
    /// # fn main() -> Result<(), stickslip::Error> {
    /// let shaw = Oscillator::new(1.0, 1.0, Law::coulomb(1.0)?)
    ///     .with_drive(Signal::harmonic(6.0, 0.5, 0.0));
    /// let problem = Problem::new(shaw, 1e11);
    /// let cursor = start(&problem, &Scheme::Exact)?;
    /// assert!(cursor.effort(100.0).periods < 50.0 && cursor.effort(1e11).periods > 1e9);
    /// let cursor = start(&problem, &Scheme::Euler { step: 1e-3 })?;
    /// assert_eq!(cursor.effort(1e11).steps, 1e14);
    /// # Ok(()) }
    /// ```
    pub fn effort(&self, until: f64) -> Remaining {
        let span = (until.min(self.end()) - self.time()).max(0.0);
        let mut work = self.effort_of(span);
        if let (None, Model::Oscillator(o)) = (self.scheme.step(), &self.problem.model) {
            // Friction may stop the mass: an estimate for the whole time, of which this is a part.
            let until = self.time() + span;
            work.periods = o.effort(until).periods * (span / until.max(f64::MIN_POSITIVE));
        }
        work
    }

    /// The same for so many seconds (s) from the present time, wherever the run ends and whatever the loads become in
    /// it: as if friction never stopped a mass.
    pub fn effort_of(&self, span: f64) -> Remaining {
        if let Some(step) = self.scheme.step() {
            return Remaining { steps: (span / step).ceil(), periods: 0.0 };
        }
        let turns = span / std::f64::consts::TAU;
        let periods = match &self.problem.model {
            Model::Oscillator(o) => o.periods_without_rest(span),
            Model::Cascade(c) => {
                let own = natural_frequency(c.stiffness[0], c.mass);
                turns * fastest(own, c.displacement.iter().chain([&c.force]))
            }
            Model::Network(n) => turns * fastest_of_network(n),
            Model::Machine(m) => turns * fastest_of_network(m.network()),
            Model::Planar(p) => turns * fastest(p.swings(), p.signals()),
            Model::Hysteretic(h) => {
                turns * fastest(h.swings(), h.signals().into_iter().map(|(_, s)| s))
            }
            // Only steps treat it.
            Model::Isolated(_) => 0.0,
            Model::Impact(i) => {
                let walls = Wall::ALL.into_iter().filter_map(|w| i.wall(w));
                turns * fastest(natural_frequency(i.stiffness, i.mass), walls.chain([&i.force]))
            }
        };
        Remaining { steps: 0.0, periods }
    }
}

/// The largest of an angular frequency and those of signals, rad/s.
fn fastest<'a>(own: f64, signals: impl Iterator<Item = &'a Signal>) -> f64 {
    signals.map(Signal::fastest).fold(own, f64::max)
}

/// A bound on the free motion of a network's masses, √(2 Σk/m), and its signals, rad/s.
fn fastest_of_network(n: &Network) -> f64 {
    let mut stiffness = vec![0.0; n.nodes().len()];
    for spring in n.springs() {
        spring
            .between()
            .into_iter()
            .flatten()
            .for_each(|i| stiffness[i] += spring.coefficient.abs());
    }
    let masses = n.nodes().iter().zip(stiffness).filter(|(node, _)| node.mass > 0.0);
    let own = masses.map(|(node, k)| (2.0 * k / node.mass).sqrt());
    let signals = n.nodes().iter().flat_map(|node| [Some(&node.force), node.motion.as_ref()]);
    let normals = n.sliders().iter().map(|s| s.normal.as_ref());
    fastest(own.fold(0.0, f64::max), signals.chain(normals).flatten())
}
