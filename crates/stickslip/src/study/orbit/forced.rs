//! A periodically driven model as a map of its state from one period to the next.

use super::engine::Engine;
use super::mesh::Mesh;
use super::passage::{Method, Passage, advance, passage};
use super::period::moving_frame;
use crate::error::Error;
use crate::model::{Model, Oscillator};
use crate::numeric::Matrix;

/// What moves.
#[derive(Debug, Clone)]
pub(super) enum Moving {
    /// As seen from the far end of its spring, if that runs away.
    Oscillator(Box<Oscillator>),
    Network(Box<Mesh>),
    Machine(Box<Engine>),
}

/// The error of a model of a kind that has no period map.
pub(super) fn of_other_kind(model: &Model) -> Error {
    let kind = model.kind();
    let reason = format!(
        "periodic orbits are known of oscillators, networks and machines only, and this is a {kind}"
    );
    Error::NoOrbit { reason }
}

/// A model, the period of what drives it, and how it is solved.
#[derive(Debug, Clone)]
pub struct Forced {
    pub(super) model: Moving,
    /// The period, s.
    pub(super) period: f64,
    pub(super) method: Method,
    /// Velocity of the frame, m/s.
    pub(super) drift: f64,
    /// Typical sizes of the components of the state.
    pub(super) scale: Vec<f64>,
    /// Whether the end of a passage is looked at in a mirror: see [`Forced::half`].
    pub(super) mirrored: bool,
    /// Of a model that nothing drives: the number of the state that is zero on the section to which its motions return.
    pub(super) section: Option<usize>,
}

/// A state that comes back, and the passage from it.
#[derive(Debug, Clone)]
pub struct Fixed {
    /// The state.
    pub state: Vec<f64>,
    /// The passage from there.
    pub passage: Passage,
    /// How far its end is from its start, relative to the typical sizes.
    pub residual: f64,
}

/// Newton's steps before a start is given up.
const STEPS: usize = 40;
/// Relative singular values that count as zero: directions along which orbits are not isolated.
pub(super) const SINGULAR: f64 = 1e-9;

impl Forced {
    /// `model` with whatever drives it repeating every `period` (s).
    ///
    /// # Errors
    /// If the model is of a kind that has no period map here, or cannot be solved by `method`.
    pub fn new(model: &Model, period: f64, method: Method) -> Result<Self, Error> {
        match model {
            Model::Oscillator(o) => Self::of_oscillator(o, period, method),
            Model::Network(n) => {
                if let Method::Adaptive(_) = method {
                    let reason = "adaptive steps are for oscillators, and orbits of networks are found by closed forms";
                    return Err(Error::NoOrbit { reason: reason.into() });
                }
                let mesh = Mesh::new(n);
                let scale = mesh.scale(period);
                let model = Moving::Network(Box::new(mesh));
                Ok(Self {
                    model,
                    period,
                    method: Method::Exact,
                    drift: 0.0,
                    scale,
                    mirrored: false,
                    section: None,
                })
            }
            Model::Machine(m) => {
                let engine = Engine::new(m, period, method.of_machine())?;
                let scale = engine.scale(period);
                Ok(Self {
                    model: Moving::Machine(Box::new(engine)),
                    period,
                    method,
                    drift: 0.0,
                    scale,
                    mirrored: false,
                    section: None,
                })
            }
            _ => Err(of_other_kind(model)),
        }
    }

    fn of_oscillator(o: &Oscillator, period: f64, method: Method) -> Result<Self, Error> {
        let (model, drift) = moving_frame(o)?;
        let scale = scale(&model, period);
        let model = Moving::Oscillator(Box::new(model));
        Ok(Self { model, period, method, drift, scale, mirrored: false, section: None })
    }

    /// The same, its amplitude being that of node number `node` of a network; without it that of the first. Where nothing drives the
    /// network, its motions are cut where this node turns, if it may always turn.
    #[must_use]
    pub fn looked_at(mut self, node: usize) -> Self {
        match &mut self.model {
            Moving::Network(mesh) if node < mesh.network.nodes().len() => {
                mesh.node = node;
                self.section = self.section.and(mesh.turning());
            }
            Moving::Machine(engine) if node < engine.machine.network().nodes().len() => {
                engine.node = node;
                self.section = self.section.and(engine.turning());
            }
            _ => {}
        }
        self
    }

    /// Whether it is a machine, whose state has numbers behind the displacements and velocities.
    pub(super) fn is_machine(&self) -> bool {
        matches!(self.model, Moving::Machine(_))
    }

    /// Whether there is friction at all.
    pub(super) fn rubs(&self) -> bool {
        match &self.model {
            Moving::Oscillator(o) => o.friction.breakaway() > 0.0 || o.friction.sliding() > 0.0,
            Moving::Network(_) | Moving::Machine(_) => true,
        }
    }

    /// The oscillator, as seen from the far end of its spring if that runs away.
    ///
    /// # Errors
    /// If something else moves.
    pub(super) fn oscillator(&self) -> Result<&Oscillator, Error> {
        match &self.model {
            Moving::Oscillator(o) => Ok(o),
            Moving::Network(_) | Moving::Machine(_) => {
                let reason = "it is computed for oscillators only, and the model is a network";
                Err(Error::NotOffered {
                    what: "a section or a Lyapunov exponent",
                    reason: reason.into(),
                })
            }
        }
    }

    /// How many numbers of the state are displacements; velocities follow.
    pub(super) fn displacements(&self) -> usize {
        match &self.model {
            Moving::Oscillator(_) => 1,
            Moving::Network(mesh) => mesh.layout.displacements.len(),
            Moving::Machine(engine) => engine.masses(),
        }
    }

    /// The state after so many periods from `u`, without its derivative.
    ///
    /// # Errors
    /// As the solver's.
    pub(super) fn advance(&self, u: &[f64], periods: usize) -> Result<Vec<f64>, Error> {
        let time = match self.section {
            Some(row) => self.returns_at(u, row, periods)?,
            None => self.period * periods as f64,
        };
        match &self.model {
            Moving::Network(mesh) => mesh.advance(u, time),
            Moving::Machine(engine) => engine.advance(u, time),
            Moving::Oscillator(o) => advance(o, u, time, self.method),
        }
    }

    /// The passage from `u` through so many periods.
    ///
    /// # Errors
    /// As the solver's.
    pub fn passage(&self, u: &[f64], periods: usize) -> Result<Passage, Error> {
        if let Some(row) = self.section {
            return self.returned(u, row, periods);
        }
        let time = self.period * periods as f64;
        let mut p = match &self.model {
            Moving::Oscillator(o) => passage(o, u, time, self.method),
            Moving::Network(mesh) => mesh.passage(u, time),
            Moving::Machine(engine) => engine.passage(u, time, &self.scale),
        }?;
        if self.mirrored {
            p.end.iter_mut().for_each(|u| *u = -*u);
            p.jacobian = Matrix::from_fn(self.scale.len(), |i, j| -p.jacobian.at(i, j));
        }
        Ok(p)
    }

    /// The map of half a period, and a mirror after it. Its fixed points are the orbits that half a period later are
    /// their own mirror image about zero, and the squares of its multipliers are theirs.
    pub(super) fn half(self) -> Self {
        Self { period: 0.5 * self.period, mirrored: true, ..self }
    }

    /// The initial state of the model.
    pub fn start(&self) -> Vec<f64> {
        match &self.model {
            Moving::Oscillator(o) => {
                let at_rest = [0.0].into_iter().take(self.scale.len() - 2);
                [o.initial.displacement, o.initial.velocity].into_iter().chain(at_rest).collect()
            }
            Moving::Network(mesh) => mesh.start(),
            Moving::Machine(engine) => engine.start(),
        }
    }

    /// Where the displacement and the velocity of the node that is looked at are in the state.
    ///
    /// # Errors
    /// If that node has none of its own: it has no mass, its motion is given, or a gear joins it to another one.
    pub fn looked(&self) -> Result<[usize; 2], Error> {
        let of = match &self.model {
            Moving::Oscillator(_) => Some([0, 1]),
            Moving::Network(mesh) => mesh.looked(),
            Moving::Machine(engine) => engine.looked(),
        };
        of.ok_or_else(|| Error::NoOrbit {
            reason: "the starts vary in the displacement and the velocity of a node, and this one has none of its own: it has no \
                     mass, its motion is given, or a gear joins it to another one; name another node"
                .into(),
        })
    }

    /// Whether no rigid stop of a machine is passed at `u`.
    pub(super) fn allows(&self, u: &[f64]) -> bool {
        match &self.model {
            Moving::Machine(engine) => engine.allows(u),
            _ => true,
        }
    }

    /// The period, s.
    pub fn period(&self) -> f64 {
        self.period
    }

    /// Typical sizes of the components of the state: a displacement, m, and a velocity, m/s.
    pub fn typical(&self) -> &[f64] {
        &self.scale
    }

    /// The size of a difference of states, relative to what is typical.
    pub fn size(&self, difference: &[f64]) -> f64 {
        difference.iter().zip(&self.scale).map(|(d, s)| (d / s).abs()).fold(0.0, f64::max)
    }

    /// How small a residual must be for a state to count as coming back.
    pub(super) fn accepted(&self) -> f64 {
        match &self.model {
            Moving::Oscillator(o) => 1e-12f64.max(100.0 * self.method.resolved(o).rounding()),
            Moving::Network(_) => 1e-11,
            // The derivative is known to some 1e-8 only: Newton's method ends where the steps round.
            Moving::Machine(_) => 1e-10f64.max(1e3 * self.method.rounding()),
        }
    }

    /// Newton's method from `u` for a state that comes back after so many periods.
    pub fn newton(&self, u: &[f64], periods: usize) -> Option<Fixed> {
        let mut best: Option<Fixed> = None;
        let mut u = u.to_vec();
        let mut stalls = 0;
        for _ in 0..STEPS {
            let Ok(passage) = self.passage(&u, periods) else { break };
            let r = difference(&passage.end, &u);
            let spurious = passage.lets_go(&u);
            let residual = if spurious { f64::INFINITY } else { self.size(&r) };
            let better = best.as_ref().is_none_or(|b| residual < b.residual);
            // The method converges quadratically: below what is accepted, a step that is no better has met rounding.
            if !better && best.as_ref().is_some_and(|b| b.residual <= self.accepted()) {
                break;
            }
            stalls = if better { 0 } else { stalls + 1 };
            let step = self.correction(&passage.jacobian, &r);
            let state = u.clone();
            // A step far beyond what is typical leaves the region where the linearisation holds.
            let most = (10.0 / self.size(&step)).min(1.0);
            u.iter_mut().zip(&step).for_each(|(u, d)| *u += most * d);
            passage.hold(&mut u, |_| 1.0); // what sticks has the velocity of its support, to the last bit
            if better {
                best = Some(Fixed { state, passage, residual });
            }
            if residual == 0.0 || stalls > 8 || residual.is_nan() {
                break;
            }
        }
        best.filter(|b| b.residual <= self.accepted() && self.moves(&b.passage))
    }

    /// The Newton step d with (D − I) d = −r, in the typical sizes.
    fn correction(&self, jacobian: &Matrix, r: &[f64]) -> Vec<f64> {
        let n = self.scale.len();
        let scaled = |i: usize, j: usize| {
            (jacobian.at(i, j) - f64::from(u8::from(i == j))) * self.scale[j] / self.scale[i]
        };
        let b: Vec<f64> = r.iter().zip(&self.scale).map(|(r, s)| -r / s).collect();
        let (d, _) = Matrix::from_fn(n, scaled).solve(&b, SINGULAR);
        d.iter().zip(&self.scale).map(|(d, s)| d * s).collect()
    }
}

/// a − b.
pub(super) fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// Typical displacement and velocity, and the time in which friction ages.
fn scale(o: &Oscillator, period: f64) -> Vec<f64> {
    let waves = |s: &crate::Signal| s.harmonics().iter().map(|h| h.amplitude.abs()).sum::<f64>();
    let rate = std::f64::consts::TAU / period;
    let natural = o.natural_frequency();
    let fastest = o.load_signal().fastest().max(o.support.fastest()).max(rate);
    let normal = o.normal.as_ref().map_or(1.0, |n| n.as_constant().unwrap_or(1.0).abs() + waves(n));
    let load = waves(&o.load_signal()) + normal * o.friction.breakaway();
    let stiffness = if natural > 0.0 { o.stiffness } else { o.mass * rate * rate };
    let belt = o.support.as_constant().unwrap_or(0.0).abs() + waves(&o.support);
    let omega = natural.max(rate);
    let mut length = (load / stiffness).max(belt / omega);
    if length == 0.0 {
        // Only its own start sets the model in motion, about where its springs leave it.
        let held = o.load_signal().as_constant().unwrap_or(0.0) / stiffness;
        length = (o.initial.displacement - held).abs().max(o.initial.velocity.abs() / omega);
    }
    let length = length.max(f64::MIN_POSITIVE);
    let velocity = (length * natural.max(rate.min(fastest))).max(belt).max(f64::MIN_POSITIVE);
    if o.friction.ages() { vec![length, velocity, period] } else { vec![length, velocity] }
}
