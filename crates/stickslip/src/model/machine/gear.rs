//! Gears and levers: x_first = ratio · x_second, exactly, with friction that grows with what they hand on.
//!
//! Nodes that gears join make a *train*, which has one coordinate: x_i = ρ_i X. A gear hands the force T to its second
//! side, and −T/ratio to its first; T is what the nodes behind the gear need beyond what acts on them,
//!
//! ```text
//! T = Σ ζ_i (m_i ẍ_i − f_i)
//! ```
//!
//! over the nodes of the side on which no motion is prescribed, ζ being the velocities with which that side would leave the
//! other at the unit speed of the second node.

use super::{Machine, bad};
use crate::error::{Error, Part, PartKind};
use crate::model::Network;
use crate::model::network::{Ends, Name};
use crate::motion::State;
use crate::numeric::{determinant, inverse};

/// Friction on the first side of a gear: f₀ + μ |T|, T being the force (N) or torque (N·m) handed to the second side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GearFriction {
    /// f₀ ≥ 0, N or N·m.
    pub force: f64,
    /// μ ≥ 0 while the first side moves forward.
    pub forward: f64,
    /// μ ≥ 0 while it moves backward.
    pub backward: f64,
}

impl GearFriction {
    /// f₀ + μ |T| with the same μ in both directions.
    pub fn new(force: f64, coefficient: f64) -> Self {
        Self { force, forward: coefficient, backward: coefficient }
    }

    /// μ where the first side moves, or would move, towards `side`.
    pub fn coefficient(&self, side: f64) -> f64 {
        if side > 0.0 { self.forward } else { self.backward }
    }

    /// The greater μ.
    pub(crate) fn steepest(&self) -> f64 {
        self.forward.max(self.backward)
    }
}

/// A gear or a lever between two nodes: x_first = ratio · x_second at every instant.
#[derive(Debug, Clone, PartialEq)]
pub struct Gear {
    /// Its name, unique among gears, stops and sliders.
    pub name: Name,
    pub(super) ends: Ends,
    /// ẋ_first/ẋ_second, not 0; negative where the two turn against each other.
    pub ratio: f64,
    /// Of its first side, if it has any.
    pub friction: Option<GearFriction>,
}

impl Gear {
    /// Its two nodes.
    pub fn nodes(&self) -> [usize; 2] {
        let [a, b] = self.ends.places();
        [a, b]
    }

    /// An error at `place` unless its numbers are in their ranges.
    fn check(&self, place: &impl Fn(&'static str) -> Part) -> Result<(), Error> {
        if !(self.ratio.is_finite() && self.ratio != 0.0) {
            let reason =
                format!("its ratio is {}; expected a finite number other than 0", self.ratio);
            return Err(bad(place("ratio"), reason, "give ẋ_first/ẋ_second"));
        }
        let Some(GearFriction { force, forward, backward }) = self.friction else { return Ok(()) };
        let numbers =
            [("force", force, "N"), ("forward", forward, "1"), ("backward", backward, "1")];
        match numbers.into_iter().find(|(_, n, _)| !(n.is_finite() && *n >= 0.0)) {
            None => Ok(()),
            Some((name, n, unit)) => {
                let reason = format!(
                    "the `{name}` of its friction is {n}; expected a finite number ≥ 0, {unit}"
                );
                Err(bad(place("friction"), reason, "leave `friction` out where there is none"))
            }
        }
    }
}

/// A gear as it is given to [`Machine::geared`]: by the names of its two nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct GearBetween<'a> {
    /// Its name, unique among gears, stops and sliders.
    pub name: &'a str,
    /// The first and the second side.
    pub between: [&'a str; 2],
    /// x_first/x_second.
    pub ratio: f64,
    /// Of the first side.
    pub friction: Option<GearFriction>,
}

/// Nodes that gears join.
#[derive(Debug, Clone)]
pub(crate) struct Trains {
    /// The node whose displacement stands for that of each node's train.
    pub root: Vec<usize>,
    /// ρ of each node: x = ρ x_root.
    pub ratio: Vec<f64>,
    /// Of each gear: the nodes of one side, with the velocities ζ with which they leave the other.
    pub sides: Vec<Vec<(usize, f64)>>,
}

impl Trains {
    /// Those of a network with these gears.
    ///
    /// # Errors
    /// If gears close a ring, or the motions of two nodes of a train are prescribed.
    pub fn new(network: &Network, gears: &[Gear]) -> Result<Self, Error> {
        let n = network.nodes().len();
        let led = |i: usize| network.nodes()[i].motion.is_some();
        let mut trains = Self { root: vec![usize::MAX; n], ratio: vec![1.0; n], sides: Vec::new() };
        let mut used = vec![false; gears.len()];
        // A node with a prescribed motion stands for its train.
        let order = (0..n).filter(|i| led(*i)).chain((0..n).filter(|i| !led(*i)));
        for first in order {
            if trains.root[first] == usize::MAX {
                trains.root[first] = first;
                trains.grow(network, gears, first, &mut used)?;
            }
        }
        for g in 0..gears.len() {
            let side = trains.side(gears, g, &led);
            trains.sides.push(side);
        }
        Ok(trains)
    }

    /// Adds to the train of node `root` what gears join to it.
    fn grow(
        &mut self,
        network: &Network,
        gears: &[Gear],
        root: usize,
        used: &mut [bool],
    ) -> Result<(), Error> {
        let mut reached = vec![root];
        while let Some(i) = reached.pop() {
            for (g, gear) in gears.iter().enumerate().filter(|(_, g)| g.nodes().contains(&i)) {
                if used[g] {
                    continue;
                }
                used[g] = true;
                let [a, b] = gear.nodes();
                let (next, factor) = if a == i { (b, 1.0 / gear.ratio) } else { (a, gear.ratio) };
                let place = || Part::new(PartKind::Gear, g, &gear.name, "between");
                if self.root[next] == root {
                    let reason =
                        "it closes a ring: the nodes at its ends are joined by other gears already";
                    return Err(bad(place(), reason, "leave out one gear of the ring"));
                }
                if network.nodes()[next].motion.is_some() {
                    let [p, q] = [root, next].map(|i| &network.nodes()[i].name);
                    let reason = format!(
                        "the motions of both `{p}` and `{q}`, which gears join, are prescribed"
                    );
                    return Err(bad(place(), reason, "prescribe one of them"));
                }
                self.root[next] = root;
                self.ratio[next] = factor * self.ratio[i];
                reached.push(next);
            }
        }
        Ok(())
    }

    /// The side of gear `g` on which no motion is prescribed: the second where there is a choice.
    fn side(&self, gears: &[Gear], g: usize, led: &impl Fn(usize) -> bool) -> Vec<(usize, f64)> {
        let [a, b] = gears[g].nodes();
        let behind = |start: usize| {
            let mut nodes = vec![start];
            let mut k = 0;
            while k < nodes.len() {
                for (h, gear) in gears.iter().enumerate() {
                    let [p, q] = gear.nodes();
                    let next = if p == nodes[k] { q } else { p };
                    let joined = p == nodes[k] || q == nodes[k];
                    if h != g && joined && !nodes.contains(&next) {
                        nodes.push(next);
                    }
                }
                k += 1;
            }
            nodes
        };
        let second = behind(b);
        if !second.iter().any(|i| led(*i)) {
            return second.into_iter().map(|i| (i, self.ratio[i] / self.ratio[b])).collect();
        }
        let turned = -gears[g].ratio / self.ratio[a];
        behind(a).into_iter().map(|i| (i, turned * self.ratio[i])).collect()
    }

    /// The nodes of each train without prescribed motion, by the node that stands for it.
    fn roots(&self, network: &Network) -> Vec<usize> {
        let free = |i: &usize| self.root[*i] == *i && network.nodes()[*i].motion.is_none();
        (0..self.root.len()).filter(free).collect()
    }
}

/// How the forces handed on answer to friction: T = T₀ + B R, R being the frictions on the first sides.
///
/// The accelerations are unique for every load if and only if det(I + B diag(±μ)) > 0 for every choice of signs: the
/// equation T + B diag(s μ) |T| = T₀ has one solution for each T₀ just then, because the determinant is affine in each
/// sign. For one gear this is μ |B| < 1, and between two inertias 1/|B| = 1/n + n J_first/J_second.
pub(crate) fn unique(b: &[f64], coefficients: &[f64]) -> Result<(), Ambiguous> {
    let n = coefficients.len();
    for (g, mu) in coefficients.iter().enumerate() {
        let own = b[g * n + g].abs();
        if mu * own >= 1.0 {
            return Err(Ambiguous::Alone { gear: g, bound: 1.0 / own });
        }
    }
    let row = |i: usize| (0..n).map(|j| (b[i * n + j] * coefficients[j]).abs()).sum::<f64>();
    if (0..n).all(|i| row(i) < 1.0) {
        return Ok(());
    }
    if n > MOST_SIGNS {
        return Err(Ambiguous::TooMany);
    }
    for signs in 0..1u32 << n {
        let sign = |j: usize| if signs >> j & 1 == 0 { 1.0 } else { -1.0 };
        let entry = |i: usize, j: usize| {
            f64::from(u8::from(i == j)) + b[i * n + j] * sign(j) * coefficients[j]
        };
        let a: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
        if determinant(a, n) <= 0.0 {
            return Err(Ambiguous::Together);
        }
    }
    Ok(())
}

/// Gears whose signs are tried one by one.
const MOST_SIGNS: usize = 14;

/// Why the accelerations of gears with friction may not be unique.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Ambiguous {
    /// μ of this gear is not below its bound.
    Alone { gear: usize, bound: f64 },
    /// Each would do alone, but they act on each other.
    Together,
    /// Too many act on each other to try them all.
    TooMany,
}

/// An error at the first node without mass or prescribed motion whose train has none either.
pub(super) fn masses(network: &Network, trains: &Trains) -> Result<(), Error> {
    for root in trains.roots(network) {
        let nodes = || (0..trains.root.len()).filter(|i| trains.root[*i] == root);
        if nodes().all(|i| network.nodes()[i].mass <= 0.0) {
            let alone = nodes().count() == 1;
            let reason = if alone {
                "it has no mass in a network with laws, springs, gears or supports that only `adaptive` can treat"
            } else {
                "neither it nor what gears join it to has a mass"
            };
            let place = Part::new(PartKind::Node, root, &network.nodes()[root].name, "mass");
            let remedy = "give the node a mass > 0, in kg, or prescribe its motion";
            return Err(bad(place, reason, remedy));
        }
    }
    Ok(())
}

/// An error at the first node that gears join to a prescribed motion and the mass matrix to another node: what its acceleration
/// asks of that node would be missing.
fn shared(network: &Network, trains: &Trains) -> Result<(), Error> {
    let nodes = network.nodes();
    let led = |i: usize| {
        let mut train = (0..nodes.len()).filter(|j| trains.root[*j] == trains.root[i]);
        train.any(|j| nodes[j].motion.is_some())
    };
    match network.shared_masses().iter().flat_map(|s| s.between).find(|i| led(*i)) {
        None => Ok(()),
        Some(i) => Err(bad(
            Part::new(PartKind::Node, i, &nodes[i].name, "name"),
            "gears join it to a prescribed motion, but the mass matrix joins it to another node",
            "leave out the mass that it shares; its acceleration is then a force −M a on the other node",
        )),
    }
}

/// Checks that what gears join begins together.
pub(super) fn begins(machine: &Machine) -> Result<(), Error> {
    let nodes = machine.network().nodes().iter().map(|node| match &node.motion {
        None => State { x: node.displacement, v: node.velocity },
        Some(motion) => State { x: motion.value(0.0), v: motion.derivative(0.0) },
    });
    let at: Vec<State> = nodes.collect();
    match apart(machine, &at) {
        None => Ok(()),
        Some((g, reason, remedy)) => {
            let place = Part::new(PartKind::Gear, g, &machine.gears()[g].name, "ratio");
            Err(bad(place, format!("at the start {reason}"), remedy))
        }
    }
}

/// The first gear whose sides are not where it needs them, with what is wrong and what would be right.
fn apart(machine: &Machine, at: &[State]) -> Option<(usize, String, String)> {
    for (g, gear) in machine.gears().iter().enumerate() {
        let [a, b] = gear.nodes();
        let pairs = [
            ("displacement", "m", at[a].x, gear.ratio * at[b].x),
            ("velocity", "m/s", at[a].v, gear.ratio * at[b].v),
        ];
        for (what, unit, first, second) in pairs {
            if (first - second).abs() > FITS * first.abs().max(second.abs()) + ROUNDED {
                let [p, q] = [a, b].map(|i| &machine.network().nodes()[i].name);
                let reason = format!(
                    "the {what} of `{p}` is {first} {unit}, but {} times that of `{q}` is {second} {unit}",
                    gear.ratio
                );
                return Some((g, reason, format!("let the {what} of `{p}` be {second} {unit}")));
            }
        }
    }
    None
}

/// Differences below this share of the displacements are rounding.
const FITS: f64 = 1e-12;
/// So are differences below this, m or m/s: a harmonic motion that begins at 0 does so but for a rounding of its phase.
const ROUNDED: f64 = 1e-14;

/// Checks friction that grows with the load: it needs a side that moves by itself, and unique accelerations while nothing
/// else holds the nodes together.
pub(super) fn friction(machine: &Machine, trains: &Trains) -> Result<(), Error> {
    let network = machine.network();
    let gears = machine.gears();
    let place = |g: usize| Part::new(PartKind::Gear, g, &gears[g].name, "friction");
    let nodes = network.nodes();
    for (g, gear) in gears.iter().enumerate().filter(|(_, gear)| gear.friction.is_some()) {
        let root = trains.root[gear.nodes()[0]];
        if nodes[root].motion.is_some() {
            let reason = format!(
                "the motion of `{}` is prescribed, and with it that of both sides: friction would change nothing",
                nodes[root].name
            );
            return Err(bad(
                place(g),
                reason,
                "leave `friction` out, or drive the node by a force",
            ));
        }
    }
    let loaded: Vec<usize> = (0..gears.len()).filter(|g| steepest(&gears[*g]) > 0.0).collect();
    if loaded.is_empty() {
        return Ok(());
    }
    let mu: Vec<f64> = loaded.iter().map(|g| steepest(&gears[*g])).collect();
    unique(&response(network, gears, trains, &loaded)?, &mu).map_err(|why| {
        let (g, reason) = match why {
            Ambiguous::Alone { gear, bound } => {
                (loaded[gear], jams(&gears[loaded[gear]], mu[gear], bound))
            }
            Ambiguous::Together => (loaded[0], TOGETHER.to_owned()),
            Ambiguous::TooMany => (loaded[0], too_many()),
        };
        bad(place(g), reason, "take a smaller coefficient, or a greater inertia on the first side")
    })
}

/// The greatest coefficient of a gear.
fn steepest(gear: &Gear) -> f64 {
    gear.friction.map_or(0.0, |f| f.steepest())
}

/// Why a gear would jam.
pub(crate) fn jams(gear: &Gear, mu: f64, bound: f64) -> String {
    format!(
        "its friction would jam: under some loads it has two accelerations or none. They are unique while \
         coefficient < 1/n + n·J_first/J_second (n = {}, J the inertias of the two sides), which is {bound:.6}; the \
         coefficient is {mu}",
        gear.ratio.abs()
    )
}

/// What is said of several gears.
pub(crate) const TOGETHER: &str = "gears with friction that act on each other would jam: under some loads they have several \
     accelerations or none, since det(I + B diag(±coefficient)) ≤ 0 for a choice of signs, B being what their frictions \
     do to the loads of each other";
/// What is said of many.
pub(crate) fn too_many() -> String {
    format!(
        "more than {MOST_SIGNS} gears whose friction grows with the load act on each other so strongly that whether they jam \
         would have to be tried for all signs of their loads"
    )
}

/// B of these gears while nothing but gears holds nodes together, by rows.
fn response(
    network: &Network,
    gears: &[Gear],
    trains: &Trains,
    loaded: &[usize],
) -> Result<Vec<f64>, Error> {
    let roots = trains.roots(network);
    let at = |i: usize| roots.iter().position(|r| *r == trains.root[i]);
    let n = roots.len();
    let mut mass = vec![0.0; n * n];
    for (i, node) in network.nodes().iter().enumerate() {
        if let Some(k) = at(i) {
            mass[k * n + k] += trains.ratio[i] * trains.ratio[i] * node.mass;
        }
    }
    for s in network.shared_masses() {
        let [i, j] = s.between;
        if let (Some(p), Some(q)) = (at(i), at(j)) {
            let both = trains.ratio[i] * trains.ratio[j] * s.mass;
            mass[p * n + q] += both;
            mass[q * n + p] += both;
        }
    }
    let compliance = inverse(&mass, n).ok_or_else(|| Error::BadModel {
        reason: "its masses do not make a positive kinetic energy".into(),
    })?;
    let mut b = Vec::with_capacity(loaded.len() * loaded.len());
    for &g in loaded {
        for &h in loaded {
            let first = gears[h].nodes()[0];
            // The accelerations of all nodes under a force of 1 on the first side of gear h.
            let a = |i: usize| match (at(i), at(first)) {
                (Some(p), Some(q)) => trains.ratio[i] * compliance[p * n + q] * trains.ratio[first],
                _ => 0.0,
            };
            let side = &trains.sides[g];
            let zeta = |i: usize| side.iter().find(|s| s.0 == i).map_or(0.0, |s| s.1);
            let own: f64 = side.iter().map(|(i, z)| z * network.nodes()[*i].mass * a(*i)).sum();
            let shared = network.shared_masses().iter();
            let shared = shared.map(|s| {
                let [i, j] = s.between;
                s.mass * (zeta(i) * a(j) + zeta(j) * a(i))
            });
            b.push(own + shared.sum::<f64>() - zeta(first));
        }
    }
    Ok(b)
}

impl Machine {
    /// A network whose nodes gears join: x_first = ratio · x_second at every instant. A node without a mass may be a side of a
    /// gear as long as a mass hangs on one of the others.
    ///
    /// # Errors
    /// If a name is unknown, a number is outside its range, gears close a ring, two nodes that they join have prescribed motions,
    /// what they join has no mass, or their friction grows so steeply with the load that accelerations are not unique:
    /// between two inertias this needs μ < 1/n + n J_first/J_second. Drives that lock themselves, μ ≥ 1/n, are within that.
    ///
    /// ```
    /// use stickslip::model::machine::{GearBetween, GearFriction};
    /// use stickslip::model::{Machine, Network};
    /// use stickslip::scheme::{machine, oscillator::adaptive::Options};
    /// use stickslip::Signal;
    /// # fn main() -> Result<(), stickslip::Error> {
    /// // A motor lowers a load through a worm gear that locks itself: μ n = 1.2.
    /// let network = Network::builder()
    ///     .unjoined()
    ///     .node("motor", 0.02)
    ///     .node("load", 4.0)
    ///     .force("motor", Signal::constant(-1.0))
    ///     .force("load", Signal::constant(-30.0))
    ///     .build()?;
    /// let worm = GearBetween {
    ///     name: "worm",
    ///     between: ["motor", "load"],
    ///     ratio: 20.0,
    ///     friction: Some(GearFriction::new(0.15, 0.06)),
    /// };
    /// let hoist = Machine::geared(network, [worm])?;
    /// let path = machine::solve(&hoist, 2.0, Options::default())?;
    /// // a = [τ + f₀ − T_l (1/n − μ)]/[J_m + (J_l/n)(1/n − μ)]
    /// let g = 1.0 / 20.0 - 0.06;
    /// let a = (-1.0 + 0.15 - 30.0 * g) / (0.02 + 4.0 / 20.0 * g);
    /// assert!((path.state(2.0).v[0] - 2.0 * a).abs() < 1e-9 * a.abs());
    /// # Ok(()) }
    /// ```
    pub fn geared<'a>(
        network: Network,
        gears: impl IntoIterator<Item = GearBetween<'a>>,
    ) -> Result<Self, Error> {
        let mut machine = Self::ungeared(network)?;
        for gear in gears {
            let index = machine.gears.len();
            let place = |property| Part::new(PartKind::Gear, index, gear.name, property);
            let ends = machine.ends(gear.between, &place)?;
            if gear.between.contains(&"ground") {
                let reason = "one of its sides is the ground, which does not move";
                return Err(bad(place("between"), reason, "name two nodes"));
            }
            machine.check_name(gear.name, &place)?;
            let made =
                Gear { name: gear.name.into(), ends, ratio: gear.ratio, friction: gear.friction };
            made.check(&place)?;
            machine.gears.push(made);
        }
        let trains = machine.trains()?;
        masses(&machine.network, &trains)?;
        shared(&machine.network, &trains)?;
        friction(&machine, &trains)?;
        Ok(machine)
    }

    /// Its gears.
    pub fn gears(&self) -> &[Gear] {
        &self.gears
    }

    /// An error unless nodes in these states are where its gears need them.
    pub(crate) fn check_together(&self, at: &[State]) -> Result<(), Error> {
        match apart(self, at) {
            None => Ok(()),
            Some((_, reason, _)) => Err(Error::BadState { reason }),
        }
    }

    /// Whether the friction of a gear grows with what it hands on.
    pub fn has_loads(&self) -> bool {
        self.gears.iter().any(|g| steepest(g) > 0.0)
    }

    /// What its gears join.
    pub(crate) fn trains(&self) -> Result<Trains, Error> {
        Trains::new(&self.network, &self.gears)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// det(I + B diag(±μ)) > 0 for all signs, against the number of solutions of T + B diag(s μ)|T| = T₀ found by trying all
    /// signs of T for many T₀: one each where unique, another number for some T₀ where not.
    #[test]
    fn uniqueness_is_that_of_the_loads() {
        let mut seed = 7u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let mut yes = 0;
        let mut no = 0;
        for _ in 0..300 {
            let b: Vec<f64> = (0..4).map(|_| 2.0 * random()).collect();
            let mu = [1.2 + random(), 1.2 + random()];
            let unique = unique(&b, &mu).is_ok();
            let mut always_one = true;
            for k in 0..4000 {
                let angle = k as f64 * 0.0015707963;
                let load = [angle.cos(), angle.sin()];
                for s in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] {
                    always_one &= count(&b, [s[0] * mu[0], s[1] * mu[1]], load) == 1;
                }
            }
            assert_eq!(unique, always_one, "{b:?} {mu:?}");
            if unique { yes += 1 } else { no += 1 }
        }
        assert!(yes > 30 && no > 30, "{yes} {no}");
    }

    /// How many (T₁, T₂) solve T + B diag(d) |T| = `load`.
    fn count(b: &[f64], d: [f64; 2], load: [f64; 2]) -> usize {
        let mut found = 0;
        for sign in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] {
            let a = [
                1.0 + b[0] * d[0] * sign[0],
                b[1] * d[1] * sign[1],
                b[2] * d[0] * sign[0],
                1.0 + b[3] * d[1] * sign[1],
            ];
            let det = a[0] * a[3] - a[1] * a[2];
            let t =
                [(load[0] * a[3] - a[1] * load[1]) / det, (a[0] * load[1] - a[2] * load[0]) / det];
            if t[0] * sign[0] > 0.0 && t[1] * sign[1] > 0.0 {
                found += 1;
            }
        }
        found
    }
}
