//! What is to be solved: a model of any kind, the noises on it, and until when.

use super::{Bumper, Cascade, Hysteretic, Impact, Isolated, Machine, Network, Oscillator, Planar};
use crate::error::{Error, require};
use crate::law::Law;
use crate::motion::Warning;
use crate::signal::Signal;
use crate::signal::noise::{Noise, PathId};
use std::fmt;

/// Events after which a run that keeps its path is given up, unless the problem allows for more: some 200 MB.
#[doc(hidden)]
pub const MAX_EVENTS: usize = 1_000_000;

/// A model of any kind.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant)] // there is one model to a problem
pub enum Model {
    /// One mass on a spring, with dry friction.
    Oscillator(Oscillator),
    /// One mass held by a cascade of springs and friction elements.
    Cascade(Cascade),
    /// Nodes, springs, dashpots and sliders.
    Network(Network),
    /// One mass between walls.
    Impact(Impact),
    /// A network with more than linear springs and constant friction.
    Machine(Machine),
    /// One mass that slides on a plane.
    Planar(Planar),
    /// A contact whose friction has memory, under a mass or led.
    Hysteretic(Hysteretic),
    /// A rigid slab on isolators, with floors above it.
    Isolated(Isolated),
}

impl From<Oscillator> for Model {
    fn from(model: Oscillator) -> Self {
        Self::Oscillator(model)
    }
}

impl From<Cascade> for Model {
    fn from(model: Cascade) -> Self {
        Self::Cascade(model)
    }
}

impl From<Network> for Model {
    fn from(model: Network) -> Self {
        Self::Network(model)
    }
}

impl From<Machine> for Model {
    fn from(model: Machine) -> Self {
        Self::Machine(model)
    }
}

impl From<Planar> for Model {
    fn from(model: Planar) -> Self {
        Self::Planar(model)
    }
}

impl From<Hysteretic> for Model {
    fn from(model: Hysteretic) -> Self {
        Self::Hysteretic(model)
    }
}

impl From<Isolated> for Model {
    fn from(model: Isolated) -> Self {
        Self::Isolated(model)
    }
}

impl From<Impact> for Model {
    fn from(model: Impact) -> Self {
        Self::Impact(model)
    }
}

impl Model {
    /// The oscillator, if it is one.
    pub fn as_oscillator(&self) -> Option<&Oscillator> {
        if let Self::Oscillator(o) = self { Some(o) } else { None }
    }

    /// The cascade, if it is one.
    pub fn as_cascade(&self) -> Option<&Cascade> {
        if let Self::Cascade(c) = self { Some(c) } else { None }
    }

    /// The network, if it is one.
    pub fn as_network(&self) -> Option<&Network> {
        if let Self::Network(n) = self { Some(n) } else { None }
    }

    /// The mass between walls, if it is one.
    pub fn as_impact(&self) -> Option<&Impact> {
        if let Self::Impact(i) = self { Some(i) } else { None }
    }

    /// The machine, if it is one.
    pub fn as_machine(&self) -> Option<&Machine> {
        if let Self::Machine(m) = self { Some(m) } else { None }
    }

    /// The mass on a plane, if it is one.
    pub fn as_planar(&self) -> Option<&Planar> {
        if let Self::Planar(p) = self { Some(p) } else { None }
    }

    /// The contact with memory, if it is one.
    pub fn as_hysteretic(&self) -> Option<&Hysteretic> {
        if let Self::Hysteretic(h) = self { Some(h) } else { None }
    }

    /// The slab on isolators, if it is one.
    pub fn as_isolated(&self) -> Option<&Isolated> {
        if let Self::Isolated(i) = self { Some(i) } else { None }
    }

    /// The nodes and sliders of a network or a machine: the network that it is, or that is in it.
    pub fn network_in(&self) -> Option<&Network> {
        match self {
            Self::Network(n) => Some(n),
            Self::Machine(m) => Some(m.network()),
            Self::Oscillator(_) | Self::Cascade(_) | Self::Impact(_) => None,
            Self::Planar(_) | Self::Hysteretic(_) | Self::Isolated(_) => None,
        }
    }

    /// Its kind: `oscillator`, `cascade`, `network`, `impact` or `planar`, as model files name it, `machine`, a network with
    /// parts that only a machine has, `hysteretic`, an oscillator or an element whose friction has memory, or `isolated`, a planar
    /// model of a slab on isolators.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Oscillator(_) => "oscillator",
            Self::Cascade(_) => "cascade",
            Self::Network(_) => "network",
            Self::Impact(_) => "impact",
            Self::Machine(_) => "machine",
            Self::Planar(_) => "planar",
            Self::Hysteretic(_) => "hysteretic",
            Self::Isolated(_) => "isolated",
        }
    }

    /// Schemes for oscillators, by their names in files.
    pub const OSCILLATOR: &'static [&'static str] = &[
        "exact",
        "adaptive",
        "euler",
        "implicit-euler",
        "theta",
        "quasi-static",
        "sign-euler",
        "sign-implicit",
    ];

    /// Schemes for cascades.
    pub const CASCADE: &'static [&'static str] =
        &["exact", "implicit-euler", "hysteresis", "theta", "quasi-static"];

    /// Schemes for networks.
    pub const NETWORK: &'static [&'static str] =
        &["exact", "implicit-euler", "theta", "sign-euler"];

    /// Schemes for a mass between walls.
    pub const IMPACT: &'static [&'static str] = &["exact", "moreau", "spring", "yosida"];

    /// Schemes for machines.
    pub const MACHINE: &'static [&'static str] = &["exact", "adaptive", "implicit-euler", "theta"];

    /// Schemes for a mass on a plane.
    pub const PLANAR: &'static [&'static str] = &["adaptive", "euler", "implicit-euler"];

    /// Schemes for contacts with memory.
    pub const HYSTERETIC: &'static [&'static str] = &["adaptive", "implicit-euler"];

    /// Schemes for a slab on isolators.
    pub const ISOLATED: &'static [&'static str] = &["adaptive", "implicit-euler"];

    /// The names of the schemes that treat models of this kind.
    pub fn schemes(&self) -> &'static [&'static str] {
        match self {
            Self::Oscillator(_) => Self::OSCILLATOR,
            Self::Cascade(_) => Self::CASCADE,
            Self::Network(_) => Self::NETWORK,
            Self::Impact(_) => Self::IMPACT,
            Self::Machine(_) => Self::MACHINE,
            Self::Planar(_) => Self::PLANAR,
            Self::Hysteretic(_) => Self::HYSTERETIC,
            Self::Isolated(_) => Self::ISOLATED,
        }
    }

    /// Names of the points whose motion is watched; one without a name where there is no other. The coordinates of a mass on a
    /// plane count as points.
    pub fn points(&self) -> Vec<String> {
        match self {
            Self::Network(n) => n.nodes().iter().map(|n| n.name.to_string()).collect(),
            Self::Machine(m) => m.network().nodes().iter().map(|n| n.name.to_string()).collect(),
            Self::Planar(_) => vec!["x".into(), "y".into()],
            Self::Isolated(i) => i.coordinates(),
            _ => vec![String::new()],
        }
    }

    /// Which points have a mass, so that their velocity is a state.
    pub fn have_mass(&self) -> Vec<bool> {
        match self {
            Self::Network(n) => n.nodes().iter().map(|n| n.mass > 0.0).collect(),
            Self::Machine(m) => m.network().nodes().iter().map(|n| n.mass > 0.0).collect(),
            Self::Planar(_) => vec![true; 2],
            Self::Isolated(i) => vec![true; 3 * (1 + i.floors.len())],
            _ => vec![true],
        }
    }

    /// Whether bodies meet rigid stops or walls, at which velocities jump.
    #[doc(hidden)]
    pub fn velocities_jump(&self) -> bool {
        match self {
            Self::Oscillator(o) => o.stops.is_some_and(|stops| stops.restitution().is_some()),
            Self::Planar(p) => p.rigid_rim().is_some(),
            Self::Machine(m) => {
                m.stops().iter().any(|stop| matches!(stop.bumper, Bumper::Rigid { .. }))
            }
            Self::Impact(_) => true,
            Self::Cascade(_) | Self::Network(_) | Self::Hysteretic(_) | Self::Isolated(_) => false,
        }
    }

    /// Names of the contacts with friction: one without a name of an oscillator or a mass on a
    /// plane, the elements' numbers from 1
    /// of a cascade, the sliders of a network, the isolators of a slab, none of an impact model.
    pub fn contacts(&self) -> Vec<String> {
        match self {
            Self::Oscillator(_) | Self::Planar(_) | Self::Hysteretic(_) => vec![String::new()],
            Self::Cascade(c) => (1..=c.elements()).map(|i| i.to_string()).collect(),
            Self::Network(n) => n.sliders().iter().map(|s| s.name.to_string()).collect(),
            Self::Machine(m) => m.network().sliders().iter().map(|s| s.name.to_string()).collect(),
            Self::Isolated(i) => i.isolators.iter().map(|k| k.name.to_string()).collect(),
            Self::Impact(_) => Vec::new(),
        }
    }

    /// Checks every number, and that the signals cover [0, `end`] (s).
    ///
    /// # Errors
    /// If a number is outside its range, or a signal too short.
    pub fn check_until(&self, end: f64) -> Result<(), Error> {
        match self {
            Self::Oscillator(m) => m.check_until(end),
            Self::Cascade(m) => m.check_until(end),
            Self::Network(m) => m.check_until(end),
            Self::Impact(m) => m.check_until(end),
            Self::Machine(m) => m.check_until(end),
            Self::Planar(m) => m.check_until(end),
            Self::Hysteretic(m) => m.check_until(end),
            Self::Isolated(m) => m.check_until(end),
        }
    }

    /// The signal at `place`, if the model has one there that noise may be added to.
    fn signal_at(&mut self, place: Place) -> Option<&mut Signal> {
        match (self, place) {
            (Self::Oscillator(o), Place::Drive) => Some(&mut o.drive),
            (Self::Oscillator(o), Place::Force) => Some(&mut o.force),
            (Self::Oscillator(o), Place::Support) => Some(&mut o.support),
            (Self::Hysteretic(h), Place::Drive) => h.at_inlet(super::Inlet::Drive),
            (Self::Hysteretic(h), Place::Force) => h.at_inlet(super::Inlet::Force),
            (Self::Hysteretic(h), Place::Support) => h.at_inlet(super::Inlet::Support),
            (Self::Cascade(c), Place::Force) => Some(&mut c.force),
            (Self::Impact(i), Place::Force) => Some(&mut i.force),
            (Self::Network(n), Place::Node(node)) => n.force_on(node),
            (Self::Machine(m), Place::Node(node)) => m.force_on(node),
            (Self::Planar(p), Place::PlaneForce(axis)) => p.force.get_mut(axis),
            (Self::Planar(p), Place::PlaneBase(axis)) => p.base.get_mut(axis),
            (Self::Isolated(i), Place::PlaneForce(axis)) => i.force.get_mut(axis),
            (Self::Isolated(i), Place::PlaneBase(axis)) => i.base.get_mut(axis),
            _ => None,
        }
    }

    /// An error unless a noise can act at `place`.
    fn check_place(&self, place: Place) -> Result<(), Error> {
        let known = match (self, place) {
            (Self::Oscillator(_), Place::Drive | Place::Force | Place::Support) => true,
            (Self::Hysteretic(h), Place::Drive | Place::Force | Place::Support) => {
                h.body().is_some()
            }
            (Self::Cascade(_) | Self::Impact(_), Place::Force) => true,
            (Self::Network(n), Place::Node(node)) => node < n.nodes().len(),
            (Self::Machine(m), Place::Node(node)) => node < m.network().nodes().len(),
            (
                Self::Planar(_) | Self::Isolated(_),
                Place::PlaneForce(axis) | Place::PlaneBase(axis),
            ) => axis < 2,
            _ => false,
        };
        let kind = self.kind();
        let found = place.to_string();
        if known { Ok(()) } else { Err(Error::NoSuchPlace { kind, place: found }) }
    }
}

/// An oscillator with its noises, as the schemes for it want them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NoisyOscillator<'a> {
    /// With its deterministic signals.
    pub oscillator: &'a Oscillator,
    /// What else acts on it.
    pub noises: &'a [NoiseOn],
}

impl NoisyOscillator<'_> {
    /// Whether the lanes can take it: two constant forces, a linear load, a support that moves at most by noise.
    pub fn is_plain(&self) -> bool {
        matches!(self.oscillator.friction, Law::Coulomb(_) | Law::StaticDynamic(_))
            && self.oscillator.is_plain()
    }
}

/// Where a noise acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// It moves the far end of an oscillator's spring, m.
    Drive,
    /// It is a force on the mass, N (white noise: impulses, N·s).
    Force,
    /// It is the velocity of the rubbing support of an oscillator, m/s: friction sees ẋ minus it.
    Support,
    /// It is a force on this node of a network, N.
    Node(usize),
    /// It is a force along x (0) or y (1) on a mass on a plane, or on a slab, N (white noise: impulses, N·s).
    PlaneForce(usize),
    /// It is the acceleration along x (0) or y (1) of the ground of one of these, m/s² (white noise: jumps of velocity, m/s).
    PlaneBase(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Drive => f.pad("drive"),
            Self::Force => f.pad("force"),
            Self::Support => f.pad("support"),
            Self::Node(i) => write!(f, "node number {i}"),
            Self::PlaneForce(axis) => write!(f, "force_{}", if *axis == 0 { 'x' } else { 'y' }),
            Self::PlaneBase(axis) => write!(f, "base_{}", if *axis == 0 { 'x' } else { 'y' }),
        }
    }
}

/// A noise and where it acts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoiseOn {
    /// Where.
    pub place: Place,
    /// What.
    pub noise: Noise,
}

impl NoiseOn {
    /// Checks the numbers of the noise, and that it may act where it does.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.noise.check()?;
        if self.noise.is_white() && matches!(self.place, Place::Drive | Place::Support) {
            return Err(Error::BadModel {
                reason: "white noise has no values at instants, so it cannot be a drive or the \
                         motion of a support; make it a force, or filter it (Ornstein–Uhlenbeck)"
                    .into(),
            });
        }
        Ok(())
    }
}

/// A model, the noises on it, and the end of the run.
///
/// Channel number i of a path's address is noise number i.
///
/// ```
/// use stickslip::{Law, Noise, Oscillator, PathId, Place, Problem, Scheme, Signal, solve};
/// # fn main() -> Result<(), stickslip::Error> {
/// let shaw = Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 1.0)?)
///     .with_drive(Signal::harmonic(6.0, 0.5, 0.0))
///     .starting_at(6.0, 0.0);
/// let problem = Problem::new(shaw, 40.0);
/// assert_eq!(solve(&problem, &Scheme::Exact)?.events.len(), 10);
///
/// // With noise, one path at a time:
/// let noise = Noise::OrnsteinUhlenbeck { rate: 1.0, intensity: 0.3, scale: 1.0 };
/// let noisy = problem.with_noise(Place::Force, noise);
/// let known = noisy.known(PathId { seed: 1, path: 0 }, 0.01)?;
/// assert!(solve(&known, &Scheme::Exact)?.events.len() > 3);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// What moves.
    pub model: Model,
    /// What acts on it at random.
    pub noises: Vec<NoiseOn>,
    /// The end of the run, s.
    pub end: f64,
    /// Events after which the run is given up; a million unless something else is asked for.
    pub most_events: usize,
}

impl Problem {
    /// `model` from 0 to `end` (s), without noise.
    pub fn new(model: impl Into<Model>, end: f64) -> Self {
        Self { model: model.into(), noises: Vec::new(), end, most_events: MAX_EVENTS }
    }

    /// Given up after so many events only.
    #[must_use]
    pub fn with_most_events(self, most_events: usize) -> Self {
        Self { most_events, ..self }
    }

    /// With one more noise.
    pub fn with_noise(mut self, place: Place, noise: Noise) -> Self {
        self.noises.push(NoiseOn { place, noise });
        self
    }

    /// The kind of its model: see [`Model::kind`].
    pub fn kind(&self) -> &'static str {
        self.model.kind()
    }

    /// Names of the points whose motion is watched: see [`Model::points`].
    pub fn points(&self) -> Vec<String> {
        self.model.points()
    }

    /// Names of the contacts with friction: see [`Model::contacts`].
    pub fn contacts(&self) -> Vec<String> {
        self.model.contacts()
    }

    /// Whether some of its noises are white.
    pub fn has_white_noise(&self) -> bool {
        self.noises.iter().any(|n| n.noise.is_white())
    }

    /// What its results should not be read without, as far as it is known before the problem is solved: laws with memory
    /// whose numbers let them give out energy, and white noise on contacts that hold more at rest than in slip. (The impulse of
    /// a step of length h is of the order √h, what f_s can hold back of the order h.)
    ///
    /// ```
    /// use stickslip::{Law, Noise, Oscillator, Place, Problem, Warning};
    /// # fn main() -> Result<(), stickslip::Error> {
    /// let white = Noise::White { intensity: 1.0 };
    /// let problem = |law| Problem::new(Oscillator::new(1.0, 1.0, law), 1.0).with_noise(Place::Force, white);
    /// assert_eq!(problem(Law::static_dynamic(1.2, 1.0)?).warnings(), [Warning::WhiteNoise]);
    /// assert!(problem(Law::coulomb(1.0)?).warnings().is_empty());
    /// # Ok(()) }
    /// ```
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.active_laws();
        let holds_more = match &self.model {
            Model::Oscillator(o) => o.friction.is_rule(),
            Model::Network(n) => n.sliders().iter().any(|s| s.dynamic < s.breakaway),
            Model::Machine(m) => m.frictions().iter().any(|f| f.law.is_rule()),
            Model::Cascade(_) | Model::Impact(_) | Model::Hysteretic(_) => false,
            Model::Planar(p) => p.friction.is_rule(),
            Model::Isolated(i) => i.isolators.iter().any(|k| k.friction.is_rule()),
        };
        warnings.extend((self.has_white_noise() && holds_more).then_some(Warning::WhiteNoise));
        warnings
    }

    /// The laws with memory whose numbers let them give out energy.
    fn active_laws(&self) -> Vec<Warning> {
        match &self.model {
            Model::Hysteretic(h) => {
                let active = h.law().active();
                let active = active.map(|condition| Warning::ActiveLaw { slider: None, condition });
                active.into_iter().collect()
            }
            Model::Machine(m) => {
                let sliders = m.network().sliders().iter().zip(m.frictions());
                let active = sliders.filter_map(|(slider, friction)| {
                    let condition = friction.bristle.as_ref()?.law.law().active()?;
                    Some(Warning::ActiveLaw { slider: Some(slider.name.to_string()), condition })
                });
                active.collect()
            }
            _ => Vec::new(),
        }
    }

    /// Checks every number, and that the signals cover the run.
    ///
    /// # Errors
    /// If a number is outside its range, a signal too short, or a noise where it cannot be.
    pub fn check(&self) -> Result<(), Error> {
        self.model.check_until(self.end)?;
        // A channel is a byte.
        let count = self.noises.len();
        require("the number of noises", count as f64, count < 256, "255 at most")?;
        for on in &self.noises {
            self.model.check_place(on.place)?;
            on.check()?;
        }
        Ok(())
    }

    /// The problem with the noises of one path made known: each becomes the piecewise linear function through
    /// its values every `step` (s), white noise its mean force over each step. With smaller steps it goes
    /// through the same points and more between them.
    ///
    /// # Errors
    /// As [`check`](Self::check), or if `step` does not fit the run.
    pub fn known(&self, path: PathId, step: f64) -> Result<Self, Error> {
        self.check()?;
        let mut model = self.model.clone();
        for (place, signal) in self.realized(path, step)? {
            if let Some(at) = model.signal_at(place) {
                *at = std::mem::take(at) + signal;
            }
        }
        Ok(Self { model, noises: Vec::new(), end: self.end, most_events: self.most_events })
    }

    /// The noises of one path alone, made known every `step` (s), and where they act.
    pub(crate) fn realized(&self, path: PathId, step: f64) -> Result<Vec<(Place, Signal)>, Error> {
        let known = |(channel, on): (usize, &NoiseOn)| {
            Ok((on.place, on.noise.realize(path.address(channel as u8), self.end, step)?))
        };
        self.noises.iter().enumerate().map(known).collect()
    }

    /// The oscillator with its noises, if it is one.
    pub(crate) fn noisy_oscillator(&self) -> Option<NoisyOscillator<'_>> {
        match &self.model {
            Model::Oscillator(oscillator) => {
                Some(NoisyOscillator { oscillator, noises: &self.noises })
            }
            _ => None,
        }
    }
}
