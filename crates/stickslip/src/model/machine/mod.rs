//! Networks with more than linear springs and constant friction: machines on lines and shafts.
//!
//! A [`Machine`] is a [`Network`] to which parts are added that change the kind of problem: friction laws that depend on
//! the speed, moving surfaces, springs with powers or a sine. It is solved by `adaptive`
//! ([`scheme::machine`](crate::scheme::machine)).

mod check;
mod spring;
mod stop;

pub use spring::{Curve, Spring};
pub(crate) use stop::FITS;
pub use stop::Stop;

use super::network::{Ends, Network, Part, PartKind, Slider};
use super::{Bumper, Inlet};
use crate::error::Error;
use crate::law::Law;
use crate::signal::Signal;

/// What rubs in a slider.
#[derive(Debug, Clone, PartialEq)]
pub struct Friction {
    /// The law; its numbers are forces, N, or coefficients where the slider has a normal force.
    pub law: Law,
    /// v_s(t), m/s: the velocity of the surface. The sliding speed is ẋ_first − ẋ_second − v_s.
    pub support: Signal,
}

/// A network with parts that power series cannot follow:
///
/// ```text
/// M ẍ + C ẋ + K x + Σ f_k(z_k) + Gᵀλ = F(t),     −λ_e ∈ N_e(t) A_e((Gẋ)_e − v_e(t))
/// ```
///
/// with springs f_k of the elongation z = x_first − x_second and any law A_e on any slider (see [`law`](crate::law)).
///
/// ```
/// use stickslip::model::{Machine, Network};
/// use stickslip::{Law, Problem, Scheme, Signal, solve};
/// # fn main() -> Result<(), stickslip::Error> {
/// // A drill string: the table turns the bit through a spring, and the rock holds it by a law that falls with the speed.
/// let network = Network::builder()
///     .node("table", 2122.0)
///     .node("bit", 374.0)
///     .spring("table", "bit", 473.0)
///     .slider("rock", "bit", "ground", 8000.0, 8000.0)
///     .force("table", Signal::constant(6000.0))
///     .build()?;
/// let law = Law::stribeck_exponential(8000.0, 4000.0, 1.0, 1.0, 0.0)?;
/// let machine = Machine::new(network)?.with_law("rock", law)?;
/// let scheme = Scheme::suited_to(&machine.clone().into(), None)?.scheme;
/// let solution = solve(&Problem::new(machine, 100.0), &scheme)?;
/// // At rest the spring pulls with 6000·(1 − cos ωt), ω² = 473/2122: 8000 N where cos ωt = −1/3.
/// let omega = (473.0f64 / 2122.0).sqrt();
/// assert!((solution.events[0].time - (-1.0f64 / 3.0).acos() / omega).abs() < 1e-9);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    network: Network,
    /// One for each slider of the network.
    frictions: Vec<Friction>,
    springs: Vec<Spring>,
    stops: Vec<Stop>,
}

/// An error at one part of a machine.
fn bad(place: Part, reason: impl Into<String>, remedy: impl Into<String>) -> Error {
    Error::BadNetwork { place, reason: reason.into(), remedy: remedy.into() }
}

impl Machine {
    /// The machine that a network is before anything is added to it: each slider has the law of its two forces.
    ///
    /// # Errors
    /// If a node without prescribed motion has no mass, or the masses do not make a positive kinetic energy.
    pub fn new(network: Network) -> Result<Self, Error> {
        check::masses(&network)?;
        let friction = |s: &Slider| {
            let law = Law::static_dynamic(s.breakaway, s.dynamic)?;
            Ok(Friction { law, support: Signal::default() })
        };
        let frictions = network.sliders().iter().map(friction).collect::<Result<_, Error>>()?;
        Ok(Self { network, frictions, springs: Vec::new(), stops: Vec::new() })
    }

    /// With another law in the slider of this name.
    ///
    /// # Errors
    /// If there is no such slider.
    pub fn with_law(mut self, slider: &str, law: Law) -> Result<Self, Error> {
        let e = self.slider(slider, "friction")?;
        self.frictions[e].law = law;
        Ok(self)
    }

    /// With a surface that moves at `support` (m/s) under the slider of this name.
    ///
    /// # Errors
    /// If there is no such slider, or a number of the signal is not finite.
    pub fn with_support(mut self, slider: &str, support: Signal) -> Result<Self, Error> {
        support.check("the velocity of a support")?;
        let e = self.slider(slider, "support")?;
        self.frictions[e].support = support;
        Ok(self)
    }

    /// With one more spring between two nodes, or a node and `"ground"`.
    ///
    /// # Errors
    /// If a name is unknown, both ends are the same, or a number of its curve is not finite.
    pub fn with_spring(mut self, between: [&str; 2], curve: Curve) -> Result<Self, Error> {
        let place = |property| Part::new(PartKind::Spring, self.springs.len(), "", property);
        let ends = self.ends(between, &place)?;
        curve.check(&place)?;
        self.springs.push(Spring { ends, curve });
        Ok(self)
    }

    /// With a stop between two nodes, or a node and `"ground"`: lower(t) ≤ x_first − x_second ≤ upper(t).
    ///
    /// # Errors
    /// If a name is unknown or comes twice, both ends are the same, there is no bound, or a number is outside its range.
    ///
    /// ```
    /// use stickslip::model::{Bumper, Machine, Network};
    /// use stickslip::scheme::{machine, oscillator::adaptive::Options};
    /// use stickslip::{EventKind, Signal};
    /// # fn main() -> Result<(), stickslip::Error> {
    /// // A mass of 1 kg hits one of 2 kg at 3 m/s and stays with it.
    /// let network = Network::builder()
    ///     .unjoined()
    ///     .node("a", 1.0)
    ///     .starting_at("a", -1.0, 3.0)
    ///     .node("b", 2.0)
    ///     .build()?;
    /// let plastic = Bumper::Rigid { restitution: 0.0 };
    /// let bounds = [None, Some(Signal::constant(0.0))];
    /// let pair = Machine::new(network)?.with_stop("gap", ["a", "b"], bounds, plastic)?;
    /// let path = machine::solve(&pair, 1.0, Options::default())?;
    /// assert_eq!(path.events()[0].kind, EventKind::Contact);
    /// assert!((path.state(1.0).v[1] - 1.0).abs() < 1e-12);
    /// # Ok(()) }
    /// ```
    pub fn with_stop(
        mut self,
        name: &str,
        between: [&str; 2],
        [lower, upper]: [Option<Signal>; 2],
        bumper: Bumper,
    ) -> Result<Self, Error> {
        let place = |property| Part::new(PartKind::Stop, self.stops.len(), name, property);
        let ends = self.ends(between, &place)?;
        let taken = self.network.sliders().iter().any(|s| s.name == name)
            || self.stops.iter().any(|s| s.name == name);
        if taken {
            let reason = "another stop or a slider has this name";
            return Err(bad(place("name"), reason, "give each a name of its own"));
        }
        let stop = Stop { name: name.into(), ends, lower, upper, bumper };
        stop.check(&place)?;
        self.stops.push(stop);
        Ok(self)
    }

    /// The number of the slider with this name.
    fn slider(&self, name: &str, property: &'static str) -> Result<usize, Error> {
        let found = self.network.sliders().iter().position(|s| s.name == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = self.network.sliders().iter().map(|s| &*s.name).collect();
            bad(
                Part::new(PartKind::Slider, 0, name, property),
                "there is no slider of this name",
                format!("name one of: {}", names.join(", ")),
            )
        })
    }

    /// The ends with these names, of a part at `place`.
    fn ends(
        &self,
        between: [&str; 2],
        place: &impl Fn(&'static str) -> Part,
    ) -> Result<Ends, Error> {
        let nodes = self.network.nodes();
        let end = |name: &str| match nodes.iter().position(|n| n.name == name) {
            None if name == "ground" => Ok(None),
            None => {
                let names: Vec<&str> = nodes.iter().map(|n| &*n.name).collect();
                let reason = format!("there is no node `{name}`");
                let remedy = format!("name one of: {}, ground", names.join(", "));
                Err(bad(place("between"), reason, remedy))
            }
            found => Ok(found),
        };
        let [a, b] = [end(between[0])?, end(between[1])?];
        if a == b {
            let reason = format!("both of its ends are `{}`", between[0]);
            return Err(bad(place("between"), reason, "name two different ends"));
        }
        Ok(Ends::new([a, b]))
    }

    /// An error at the first node that no part touches: a name mistyped, most likely.
    ///
    /// # Errors
    /// With that node.
    pub fn check_joined(&self) -> Result<(), Error> {
        check::joined(self)
    }

    /// Checks that no rigid stop is passed where a run begins.
    pub(crate) fn check_start(&self) -> Result<(), Error> {
        check::within_stops(self)
    }

    /// Nodes, linear springs and dashpots, forces and motions, and where the sliders are. The two forces of each slider
    /// are not used: see [`frictions`](Self::frictions).
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// What rubs in each slider, in the order of the network's sliders.
    pub fn frictions(&self) -> &[Friction] {
        &self.frictions
    }

    /// The springs that are not linear.
    pub fn springs(&self) -> &[Spring] {
        &self.springs
    }

    /// Its stops.
    pub fn stops(&self) -> &[Stop] {
        &self.stops
    }

    /// What of it a network cannot hold, in words.
    pub fn beyond_networks(&self) -> &'static str {
        let by_speed = |f: &Friction| f.law.constants().is_none_or(|[a, b]| a != b);
        if !self.stops.is_empty() {
            "it has stops"
        } else if self.frictions.iter().any(by_speed) {
            "the friction of a slider depends on the speed, the direction or the time at rest"
        } else if !self.springs.is_empty() {
            "a spring is not linear"
        } else if self.frictions.iter().any(|f| !f.support.is_zero()) {
            "the surface under a slider moves"
        } else {
            "it was stated as a machine"
        }
    }

    /// The signal at an inlet, if the machine has one there.
    pub(super) fn at_inlet(&mut self, inlet: Inlet) -> Option<&mut Signal> {
        self.network.at_inlet(inlet)
    }

    /// The force on node number `node`, N, if there is one.
    pub(crate) fn force_on(&mut self, node: usize) -> Option<&mut Signal> {
        self.network.force_on(node)
    }

    /// Checks that the signals cover [0, `end`] (s), and that no normal force is negative and the bounds of no stop pass each
    /// other there.
    ///
    /// # Errors
    /// If a signal is too short, or with the first instant at which a normal force is negative or bounds pass each other.
    pub fn check_until(&self, end: f64) -> Result<(), Error> {
        self.network.check_until(end)?;
        let mut bounds = self.stops.iter().flat_map(|s| s.lower.iter().chain(&s.upper));
        bounds.try_for_each(|b| b.require_domain("position of a stop", 0.0, end))?;
        check::bounds_apart(self, end)?;
        let mut supports = self.frictions.iter().map(|f| &f.support);
        supports.try_for_each(|s| s.require_domain("velocity of a support", 0.0, end))
    }
}
