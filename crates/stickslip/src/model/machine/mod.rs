//! Networks with more than linear springs and constant friction: machines on lines and shafts.
//!
//! A [`Machine`] is a [`Network`] to which parts are added that change the kind of problem: friction laws that depend on
//! the speed, moving surfaces, springs with powers or a sine. It is solved by `adaptive`
//! ([`scheme::machine`](crate::scheme::machine)).

mod check;
mod controller;
mod gear;
mod press;
mod spring;
mod stop;

pub(crate) use check::MOST_PARTS;
pub use controller::{
    AntiWindup, ControlLaw, Controller, FeedForward, Gains, Limit, Quantity, Rule, Sampling,
    StateSpace,
};
pub(crate) use gear::{Ambiguous, TOGETHER, Trains, jams, too_many, unique};
pub use gear::{Gear, GearBetween, GearFriction};
pub use press::{Press, Presser};
pub use spring::{Curve, Spring};
pub(crate) use stop::FITS;
pub use stop::Stop;

use super::network::{Ends, Network, Part, PartKind, Slider};
use super::{Bumper, Inlet};
use crate::error::Error;
use crate::law::Law;
use crate::law::memory::Memory;
use crate::signal::Signal;

/// What rubs in a slider.
#[derive(Debug, Clone, PartialEq)]
pub struct Friction {
    /// The law; its numbers are forces, N, or coefficients where the slider has a normal force.
    pub law: Law,
    /// v_s(t), m/s: the velocity of the surface. The sliding speed is ẋ_first − ẋ_second − v_s.
    pub support: Signal,
    /// A law with memory in place of `law`.
    pub bristle: Option<Bristle>,
    /// What presses it, in addition to its normal force.
    pub press: Option<Press>,
}

/// A law with memory in a slider.
#[derive(Debug, Clone, PartialEq)]
pub struct Bristle {
    /// The law.
    pub law: Memory,
    /// What it remembers at t = 0, in the law's unit.
    pub remembers: Vec<f64>,
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
    controllers: Vec<Controller>,
    gears: Vec<Gear>,
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
        Self::geared(network, [])
    }

    /// The same, whose nodes may still lack masses.
    fn ungeared(network: Network) -> Result<Self, Error> {
        let friction = |s: &Slider| {
            let law = Law::static_dynamic(s.breakaway, s.dynamic)?;
            Ok(Friction { law, support: Signal::default(), bristle: None, press: None })
        };
        let frictions = network.sliders().iter().map(friction).collect::<Result<_, Error>>()?;
        Ok(Self {
            network,
            frictions,
            springs: Vec::new(),
            stops: Vec::new(),
            controllers: Vec::new(),
            gears: Vec::new(),
        })
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

    /// With a law with memory in the slider of this name, which remembers these numbers at t = 0 (in its unit), its fresh ones if there are
    /// none.
    ///
    /// # Errors
    /// If there is no such slider, the law has more than 16 numbers or parts, or cannot remember that.
    ///
    /// ```
    /// use stickslip::law::memory::Dahl;
    /// use stickslip::model::{Machine, Network};
    /// use stickslip::scheme::{machine, oscillator::adaptive::Options};
    /// # fn main() -> Result<(), stickslip::Error> {
    /// // A mass at 1 m/s on a bristle, which is soon bent by F_c/σ and bears F_c.
    /// let network = Network::builder()
    ///     .node("mass", 1.0)
    ///     .starting_at("mass", 0.0, 1.0)
    ///     .slider("rail", "mass", "ground", 0.0, 0.0)
    ///     .build()?;
    /// let rail = Machine::new(network)?.with_memory("rail", Dahl::new(1.0, 150.0, 1.0)?, [])?;
    /// let path = machine::solve(&rail, 1.0, Options::default())?;
    /// let state = path.state(0.5);
    /// assert!((150.0 * state.bristles[0] - 1.0).abs() < 1e-6);
    /// assert!((state.friction[0] + 1.0).abs() < 1e-6);
    /// # Ok(()) }
    /// ```
    pub fn with_memory(
        mut self,
        slider: &str,
        law: impl Into<Memory>,
        remembered: impl IntoIterator<Item = f64>,
    ) -> Result<Self, Error> {
        let e = self.slider(slider, "friction")?;
        let law = law.into();
        let mut remembers: Vec<f64> = remembered.into_iter().collect();
        if remembers.is_empty() {
            remembers = (0..law.law().states()).map(|i| law.law().fresh(i)).collect();
        }
        check::bristle(&Part::new(PartKind::Slider, e, slider, "friction"), &law, &remembers)?;
        self.frictions[e].bristle = Some(Bristle { law, remembers });
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
        self.springs.push(Spring { name: None, ends, curve });
        Ok(self)
    }

    /// The same, by whose `name` a slider is [pressed](Self::pressed_by_spring).
    ///
    /// # Errors
    /// As [`with_spring`](Self::with_spring); and if another spring has this name.
    pub fn with_named_spring(
        self,
        name: &str,
        between: [&str; 2],
        curve: Curve,
    ) -> Result<Self, Error> {
        if self.springs.iter().any(|s| s.name.as_ref().is_some_and(|n| n == name)) {
            let place = Part::new(PartKind::Spring, self.springs.len(), name, "name");
            let reason = "another spring has this name";
            return Err(bad(place, reason, "give each a name of its own"));
        }
        let mut machine = self.with_spring(between, curve)?;
        if let Some(spring) = machine.springs.last_mut() {
            spring.name = Some(name.into());
        }
        Ok(machine)
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
        self.check_name(name, &place)?;
        let stop = Stop { name: name.into(), ends, lower, upper, bumper };
        stop.check(&place)?;
        self.check_moves(&stop, &place)?;
        self.stops.push(stop);
        Ok(self)
    }

    /// With a controller that measures its first end relative to the second one, a node or `"ground"`, and acts with a
    /// force on the node `on`.
    ///
    /// # Errors
    /// If a name is unknown or comes twice, both ends are the same, the motion of `on` is prescribed, or gears join it to a
    /// node whose motion is, or a number is outside its range.
    ///
    /// ```
    /// use stickslip::model::machine::{ControlLaw, Gains};
    /// use stickslip::model::{Machine, Network};
    /// use stickslip::scheme::{machine, oscillator::adaptive::Options};
    /// use stickslip::Signal;
    /// # fn main() -> Result<(), stickslip::Error> {
    /// // A mass that rests 0.1 m from where it should be: the integral grows until friction gives way.
    /// let network = Network::builder()
    ///     .unjoined()
    ///     .node("axis", 1.0)
    ///     .slider("rail", "axis", "ground", 1.0, 0.7)
    ///     .build()?;
    /// let gains = Gains { proportional: 4.0, integral: 2.0, ..Gains::default() };
    /// let law = ControlLaw::pid(gains).following(Signal::constant(0.1));
    /// let loop_ = Machine::new(network)?.with_controller("pi", ["axis", "ground"], "axis", law)?;
    /// let path = machine::solve(&loop_, 4.0, Options::default())?;
    /// // 4 · 0.1 + 2 · 0.1 t = 1
    /// assert!((path.events()[0].time - 3.0).abs() < 1e-12);
    /// # Ok(()) }
    /// ```
    pub fn with_controller(
        mut self,
        name: &str,
        of: [&str; 2],
        on: &str,
        law: ControlLaw,
    ) -> Result<Self, Error> {
        let place =
            |property| Part::new(PartKind::Controller, self.controllers.len(), name, property);
        let ends = self.ends(of, &|_| place("of"))?;
        if self.controllers.iter().any(|c| c.name == name) {
            let reason = "another controller has this name";
            return Err(bad(place("name"), reason, "give each a name of its own"));
        }
        let acts = match on {
            "ground" => None,
            _ => self.ends([on, "ground"], &|_| place("on"))?.nodes()[0],
        };
        let Some(on) = acts else {
            let reason = "a force on the ground moves nothing";
            return Err(bad(place("on"), reason, "name the node that gets the force"));
        };
        if self.network.nodes()[on].motion.is_some() {
            let reason = "the motion of that node is prescribed, and no force changes it";
            let remedy = "name a node that is free to move: with a mass and a stiff controller of its displacement it follows \
                          what another controller asks for";
            return Err(bad(place("on"), reason, remedy));
        }
        let root = self.trains()?.root[on];
        if self.network.nodes()[root].motion.is_some() {
            let reason = format!(
                "gears join that node to `{}`, whose motion is prescribed: no force changes it",
                self.network.nodes()[root].name
            );
            return Err(bad(place("on"), reason, "name a node that is free to move"));
        }
        law.check(&place)?;
        self.controllers.push(Controller { name: name.into(), ends, on, law });
        Ok(self)
    }

    /// An error at `place` if a slider, a stop or a gear has this name.
    fn check_name(&self, name: &str, place: &impl Fn(&'static str) -> Part) -> Result<(), Error> {
        let sliders = self.network.sliders().iter().map(|s| &s.name);
        let mut names = sliders
            .chain(self.stops.iter().map(|s| &s.name))
            .chain(self.gears.iter().map(|g| &g.name));
        if names.all(|n| n != name) {
            return Ok(());
        }
        let reason = "another slider, stop or gear has this name";
        Err(bad(place("name"), reason, "give each a name of its own"))
    }

    /// An error at `place` if no node at the ends of a rigid stop can be stopped, because the motions of both are prescribed.
    fn check_moves(&self, stop: &Stop, place: &impl Fn(&'static str) -> Part) -> Result<(), Error> {
        let roots = self.trains()?.root;
        let moves = |i: &usize| self.network.nodes()[roots[*i]].motion.is_none();
        let soft = matches!(stop.bumper, Bumper::Soft { .. });
        if soft || stop.between().iter().flatten().any(moves) {
            return Ok(());
        }
        let reason = "the motions of both of its ends are prescribed, and it can stop neither";
        Err(bad(place("between"), reason, "name a node that is free to move, or leave it out"))
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

    /// Checks that no rigid stop is passed and that gears hold where a run begins.
    pub(crate) fn check_start(&self) -> Result<(), Error> {
        gear::begins(self)?;
        check::carried(self)?;
        check::pressed(self)?;
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

    /// The sliders whose limit grows with the time at rest.
    pub(crate) fn ageing(&self) -> impl Iterator<Item = usize> {
        let ages = |f: &Friction| f.bristle.is_none() && f.law.ages();
        (0..self.frictions.len()).filter(move |e| ages(&self.frictions[*e]))
    }

    /// How many places events have: sliders, stops and gears; behind them stand the elements of laws with memory.
    pub(crate) fn places(&self) -> usize {
        self.frictions.len() + self.stops.len() + self.gears.len()
    }

    /// What its sliders remember, as columns of a solution are called, and the unit: `z_NAME`, or `z_NAME_1` and so on where there are
    /// several numbers.
    pub fn remembered(&self) -> Vec<(String, &'static str)> {
        let mut all = Vec::new();
        for (slider, friction) in self.network.sliders().iter().zip(&self.frictions) {
            let Some(bristle) = &friction.bristle else { continue };
            let law = bristle.law.law();
            let name = format!("z_{}", slider.name);
            match law.states() {
                1 => all.push((name, law.unit(0))),
                n => all.extend((0..n).map(|i| (format!("{name}_{}", i + 1), law.unit(i)))),
            }
        }
        all
    }

    /// Whether the law of a slider has memory.
    pub fn has_memory(&self) -> bool {
        self.frictions.iter().any(|f| f.bristle.is_some())
    }

    /// The springs that are not linear.
    pub fn springs(&self) -> &[Spring] {
        &self.springs
    }

    /// Its stops.
    pub fn stops(&self) -> &[Stop] {
        &self.stops
    }

    /// Its controllers.
    pub fn controllers(&self) -> &[Controller] {
        &self.controllers
    }

    /// The first of its signals that is not constant, in words.
    pub(crate) fn driven(&self) -> Option<String> {
        let varies = |s: &Signal| !s.is_zero() && s.as_constant().is_none();
        let n = &self.network;
        for node in n.nodes() {
            if varies(&node.force) {
                return Some(format!("the force on node `{}`", node.name));
            }
            if node.motion.as_ref().is_some_and(varies) {
                return Some(format!("the motion of node `{}`", node.name));
            }
        }
        for (s, friction) in n.sliders().iter().zip(&self.frictions) {
            if varies(&friction.support) {
                return Some(format!("the velocity of the surface under slider `{}`", s.name));
            }
            if s.normal.as_ref().is_some_and(varies) {
                return Some(format!("the normal force of slider `{}`", s.name));
            }
        }
        for s in &self.stops {
            if s.lower.iter().chain(&s.upper).any(varies) {
                return Some(format!("a bound of stop `{}`", s.name));
            }
        }
        let loops = self.controllers.iter();
        let drives = |c: &&Controller| varies(&c.law.reference) || varies(&c.law.dither);
        loops
            .clone()
            .find(drives)
            .map(|c| format!("the reference or the dither of controller `{}`", c.name))
    }

    /// Whether no rigid stop is passed where the nodes are at `x` (m) and all signals at their first values.
    pub(crate) fn allows(&self, x: &[f64]) -> bool {
        self.stops.iter().all(|s| {
            let [a, b] = s.between().map(|end| end.map_or(0.0, |i| x[i]));
            let within = |bound: &Option<Signal>, side: f64| {
                bound.as_ref().is_none_or(|p| side * (a - b - p.value(0.0)) >= 0.0)
            };
            matches!(s.bumper, Bumper::Soft { .. })
                || (within(&s.lower, 1.0) && within(&s.upper, -1.0))
        })
    }

    /// What of it a network cannot hold, in words.
    pub fn beyond_networks(&self) -> &'static str {
        let by_speed = |f: &Friction| f.law.constants().is_none_or(|[a, b]| a != b);
        if !self.controllers.is_empty() {
            "it has controllers"
        } else if !self.gears.is_empty() {
            "it has gears"
        } else if !self.stops.is_empty() {
            "it has stops"
        } else if self.has_memory() {
            "the friction of a slider has memory"
        } else if self.frictions.iter().any(by_speed) {
            "the friction of a slider depends on the speed, the direction or the time at rest"
        } else if !self.springs.is_empty() {
            "a spring is not linear"
        } else if self.frictions.iter().any(|f| f.press.is_some()) {
            "a force of the machine presses a slider"
        } else if self.frictions.iter().any(|f| !f.support.is_zero()) {
            "the surface under a slider moves"
        } else {
            "it was stated as a machine"
        }
    }

    /// Every signal that the machine follows all the time: a sampled controller looks at its own at ticks.
    pub(crate) fn signals(&self) -> impl Iterator<Item = &Signal> {
        let network = self.network();
        let nodes = network.nodes().iter().flat_map(|n| n.motion.iter().chain([&n.force]));
        let normals = network.sliders().iter().filter_map(|s| s.normal.as_ref());
        let bounds = self.stops().iter().flat_map(|s| s.lower.iter().chain(&s.upper));
        let supports = self.frictions().iter().map(|f| &f.support);
        let controllers = self.controllers().iter().map(|c| &c.law);
        // What a sampled controller follows has its jumps at ticks, not in between.
        let controllers = controllers.filter(|law| law.sampling.is_none());
        let controllers = controllers.flat_map(|law| [&law.reference, &law.dither]);
        nodes.chain(normals).chain(supports).chain(bounds).chain(controllers)
    }

    /// The signal at an inlet, if the machine has one there.
    pub(crate) fn at_inlet(&mut self, inlet: Inlet) -> Option<&mut Signal> {
        match inlet {
            Inlet::SliderSupport(i) => self.frictions.get_mut(i).map(|f| &mut f.support),
            Inlet::Reference(i, _) => self.controllers.get_mut(i).map(|c| &mut c.law.reference),
            _ => self.network.at_inlet(inlet),
        }
    }

    /// The inlets that its network does not have.
    pub(crate) fn inlets(&self) -> impl Iterator<Item = Inlet> {
        let carried = self.frictions.iter().enumerate().filter(|(_, f)| !f.support.is_zero());
        let led = self.controllers.iter().enumerate();
        carried
            .map(|(i, _)| Inlet::SliderSupport(i))
            .chain(led.map(|(i, c)| Inlet::Reference(i, c.law.quantity)))
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
        supports.try_for_each(|s| s.require_domain("velocity of a support", 0.0, end))?;
        self.controllers.iter().try_for_each(|c| {
            c.law.reference.require_domain("reference of a controller", 0.0, end)?;
            c.law.dither.require_domain("dither of a controller", 0.0, end)?;
            c.check_ticks(end)
        })
    }
}
