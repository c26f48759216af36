//! Networks under a periodic load: the state after some periods, and its derivative.

use super::extremes::crossing;
use super::meshed::Meshed;
use super::passage::{Passage, Tie};
use super::phases::cyclic;
use crate::error::Error;
use crate::model::Network;
use crate::motion::{Motion, NetworkState};
use crate::numeric::Matrix;
use crate::scheme::network::exact::{Layout, along, flow};
use crate::scheme::network::{NetworkPath, exact_cursor};
use crate::signal::Signal;

/// A network, and which numbers are its state.
#[derive(Debug, Clone)]
pub(super) struct Mesh {
    pub network: Network,
    pub layout: Layout,
    /// The node whose displacement is looked at.
    pub node: usize,
}

/// Parts into which an arc is divided where a velocity may change its sign inside.
const PARTS: usize = 6;

impl Mesh {
    /// The network, looked at the first node.
    pub fn new(network: &Network) -> Self {
        Self { network: network.clone(), layout: Layout::of(network), node: 0 }
    }

    /// The initial state.
    pub fn start(&self) -> Vec<f64> {
        let nodes = self.network.nodes();
        let x: Vec<f64> = nodes.iter().map(|n| n.displacement).collect();
        let v: Vec<f64> = nodes.iter().map(|n| n.velocity).collect();
        self.layout.state(&x, &v)
    }

    /// The motion from `u` over `time` (s).
    pub fn path(&self, u: &[f64], time: f64) -> Result<NetworkPath, Error> {
        let nodes = self.network.nodes().len();
        let mut x = vec![0.0; nodes];
        let mut v = vec![0.0; nodes];
        let (displacements, velocities) = u.split_at(self.layout.displacements.len());
        self.layout.displacements.iter().zip(displacements).for_each(|(i, u)| x[*i] = *u);
        self.layout.velocities.iter().zip(velocities).for_each(|(i, u)| v[*i] = *u);
        let mut cursor = exact_cursor(&self.network, time)?;
        cursor.set_state(NetworkState { x, v, friction: Vec::new() })?;
        let mut path = NetworkPath::default();
        cursor.advance(time, &mut path)?;
        Ok(path)
    }

    /// The state at the end of a path.
    fn end(&self, path: &NetworkPath) -> Result<Vec<f64>, Error> {
        let time = path.span().1;
        let u = path.state(time);
        let end = self.layout.state(&u.x, &u.v);
        if end.iter().all(|u| u.is_finite()) {
            return Ok(end);
        }
        Err(Error::NotFinite { time, step: 0.0 })
    }

    /// The state after `time` (s) from `u`.
    pub fn advance(&self, u: &[f64], time: f64) -> Result<Vec<f64>, Error> {
        self.end(&self.path(u, time)?)
    }

    /// The derivative of the state with respect to time at the end of a path.
    pub fn flow(&self, path: &NetworkPath) -> Option<Vec<f64>> {
        flow(path, &self.layout)
    }

    /// Which number of the state is the velocity of a mass that may always turn: of the node that is looked at, or else of the
    /// first one without a contact with the ground, where it would rest.
    pub fn turning(&self) -> Option<usize> {
        let rubs = |i: usize| {
            let mut sliders = self.network.sliders().iter().map(|s| s.between());
            sliders.any(|between| match between {
                [Some(a), Some(b)] => {
                    let other = if a == i { b } else { a };
                    let motion = self.network.nodes()[other].motion.as_ref();
                    (a == i || b == i) && motion.is_some_and(|m| m.knots()[0].rate == 0.0)
                }
                [a, b] => a == Some(i) || b == Some(i),
            })
        };
        let free = |i: &&usize| !rubs(**i);
        let all = || self.layout.velocities.iter().filter(free);
        let node = all().find(|i| **i == self.node).or_else(|| all().next())?;
        let row = self.layout.velocities.iter().position(|i| i == node)?;
        Some(self.layout.displacements.len() + row)
    }

    /// Where the displacement and the velocity of the node that is looked at are in the state.
    pub fn looked(&self) -> Option<[usize; 2]> {
        let place = |of: &[usize]| of.iter().position(|i| *i == self.node);
        let x = place(&self.layout.displacements)?;
        Some([x, self.layout.displacements.len() + place(&self.layout.velocities)?])
    }

    /// The passage from `u` over `time` (s).
    pub fn passage(&self, u: &[f64], time: f64) -> Result<Passage, Error> {
        let path = self.path(u, time)?;
        let tangent = along(&path, &self.layout);
        let n = self.layout.size();
        let jacobian = Matrix::from_fn(n, |i, j| tangent.columns[j][i]);
        let end = self.end(&path)?;
        let ties = self.ties(&path);
        let pattern = pattern(&path);
        let network = Some(Meshed { path, node: self.node });
        let transversality = tangent.transversality;
        Ok(Passage {
            end,
            jacobian,
            transversality,
            pattern,
            ties,
            path: Default::default(),
            network,
            machine: None,
        })
    }

    /// What sticks at the end of a path.
    fn ties(&self, path: &NetworkPath) -> Vec<Tie> {
        let Some(last) = path.segments().last() else { return Vec::new() };
        let first = self.layout.displacements.len();
        let index = |node: Option<usize>| {
            let k = self.layout.velocities.iter().position(|i| Some(*i) == node)?;
            Some(first + k)
        };
        let sliders = self.network.sliders().iter().zip(last.phase.iter());
        let ties = sliders.filter(|s| *s.1 == 0).filter_map(|(s, _)| {
            let [a, b] = s.between().map(index);
            let massless = |n: Option<usize>| {
                n.is_some_and(|n| {
                    let node = &self.network.nodes()[n];
                    node.mass == 0.0 && node.motion.is_none()
                })
            };
            match (a, b) {
                _ if s.between().into_iter().any(massless) => None,
                (Some(of), with) => Some(Tie { of, with, ratio: 1.0 }),
                (None, Some(of)) => Some(Tie { of, with: None, ratio: 1.0 }),
                (None, None) => None,
            }
        });
        ties.collect()
    }

    /// Typical sizes of the state.
    pub fn scale(&self, period: f64) -> Vec<f64> {
        let waves = |s: &Signal| s.harmonics().iter().map(|h| h.amplitude.abs()).sum::<f64>();
        let nodes = self.network.nodes();
        let level = |n: &Signal| n.as_constant().unwrap_or(0.0).abs() + waves(n);
        let limit =
            |s: &crate::model::network::Slider| s.breakaway * s.normal.as_ref().map_or(1.0, level);
        let load = nodes.iter().map(|n| waves(&n.force)).sum::<f64>()
            + self.network.sliders().iter().map(limit).fold(0.0, f64::max);
        let given = nodes.iter().filter_map(|n| n.motion.as_ref()).map(waves).fold(0.0, f64::max);
        let rate = std::f64::consts::TAU / period;
        let mass = nodes.iter().map(|n| n.mass).filter(|m| *m > 0.0).fold(f64::INFINITY, f64::min);
        let springs = self.network.springs().iter().map(|s| s.coefficient).filter(|k| *k > 0.0);
        let soft = springs.fold(f64::INFINITY, f64::min);
        let soft = if soft.is_finite() { soft } else { mass * rate * rate };
        let length = (load / soft).max(given);
        let length = if length > 0.0 { length } else { self.moved(rate, soft) };
        let length = length.max(f64::MIN_POSITIVE);
        if let Some(lengths) = self.held_lengths(&waves, &limit, rate) {
            let of = |nodes: &[usize], rate: f64| -> Vec<f64> {
                nodes.iter().map(|&i| (lengths[i] * rate).max(f64::MIN_POSITIVE)).collect()
            };
            return [of(&self.layout.displacements, 1.0), of(&self.layout.velocities, rate)]
                .concat();
        }
        let x = self.layout.displacements.len();
        let v = self.layout.velocities.len();
        [vec![length; x], vec![(length * rate).max(f64::MIN_POSITIVE); v]].concat()
    }

    /// How far belts, constant loads and the start move a network without friction and waves, m; `rate` is a typical frequency, rad/s, and
    /// `soft` the least stiffness, N/m.
    fn moved(&self, rate: f64, soft: f64) -> f64 {
        let fastest = |s: &Signal| s.knots().iter().map(|k| k.rate.abs()).fold(0.0, f64::max);
        let one = |n: &crate::model::network::Node| {
            let belt = n.motion.as_ref().map_or(0.0, fastest);
            let held = n.force.as_constant().unwrap_or(0.0).abs() / soft;
            let start = n.displacement.abs().max(n.velocity.abs() / rate);
            start.max(held).max(belt / rate)
        };
        self.network.nodes().iter().map(one).fold(0.0, f64::max)
    }

    /// How far the loads, as large as `waves` says (N), and the contacts' `limit`s (N) would move each node at rest, m: of
    /// networks given by matrices, whose coordinates may differ in their units. `None` for others, and where nothing holds the network.
    fn held_lengths(
        &self,
        waves: &dyn Fn(&Signal) -> f64,
        limit: &dyn Fn(&crate::model::network::Slider) -> f64,
        rate: f64,
    ) -> Option<Vec<f64>> {
        let n = &self.network;
        if n.shared_masses().is_empty() && n.springs().iter().all(|s| s.coefficient > 0.0) {
            return None;
        }
        let size = n.nodes().len();
        let free = |i: usize| n.nodes()[i].motion.is_none();
        let mut loads: Vec<f64> = n.nodes().iter().map(|node| waves(&node.force)).collect();
        for s in n.sliders() {
            s.between().into_iter().flatten().for_each(|i| loads[i] += limit(s));
        }
        let mut entries: Vec<((usize, usize), f64)> =
            (0..size).map(|i| ((i, i), if free(i) { 0.0 } else { 1.0 })).collect();
        for s in n.springs() {
            for i in s.between().into_iter().flatten().filter(|&i| free(i)) {
                entries.push(((i, i), s.coefficient));
            }
            if let [Some(i), Some(j)] = s.between()
                && free(i)
                && free(j)
            {
                entries.push(((i.min(j), i.max(j)), -s.coefficient));
            }
        }
        let mut sum = std::collections::BTreeMap::<(usize, usize), f64>::new();
        entries.into_iter().for_each(|(at, v)| *sum.entry(at).or_default() += v);
        let (pairs, values): (Vec<_>, Vec<f64>) = sum.into_iter().unzip();
        let mut ldl = crate::onestep::Ldl::new(size, &pairs);
        ldl.factor(&values);
        let moved = |loads: &[f64]| {
            let mut lengths = vec![0.0; size];
            for (j, load) in loads.iter().enumerate().filter(|l| *l.1 != 0.0) {
                let mut column = vec![0.0; size];
                column[j] = *load;
                ldl.solve_in(&mut column, &mut vec![0.0; size]);
                lengths.iter_mut().zip(&column).for_each(|(l, c): (&mut f64, _)| *l += c.abs());
            }
            lengths
        };
        // Loads at rest, and the inertia of what these move.
        let mut lengths = moved(&loads);
        let mut inertia: Vec<f64> =
            n.nodes().iter().zip(&lengths).map(|(n, l)| rate * rate * n.mass * l).collect();
        for s in n.shared_masses() {
            let [i, j] = s.between;
            inertia[i] += rate * rate * s.mass.abs() * lengths[j];
            inertia[j] += rate * rate * s.mass.abs() * lengths[i];
        }
        lengths.iter_mut().zip(moved(&inertia)).for_each(|(l, more)| *l += more);
        let most = lengths.iter().fold(0.0, |m: f64, l| m.max(*l));
        // A coordinate that neither moves may well move.
        lengths.iter_mut().for_each(|l| *l = l.max(1e-3 * most));
        (most > 0.0 && lengths.iter().all(|l| l.is_finite())).then_some(lengths)
    }
}

/// The largest and the smallest displacement of a node on a path, m.
pub(super) fn extremes(path: &NetworkPath, node: usize) -> (f64, f64) {
    let mut least = f64::INFINITY;
    let mut greatest = f64::NEG_INFINITY;
    let mut see = |x: f64| (least, greatest) = (least.min(x), greatest.max(x));
    for s in path.segments() {
        let of = |t: f64| {
            let u = s.arc.state(t);
            (u.x[node], u.v[node])
        };
        let mut before = of(s.start);
        see(before.0);
        let mut from = s.start;
        for i in 1..=PARTS {
            let t = s.start + (s.end - s.start) * (i as f64 / PARTS as f64);
            let now = of(t);
            see(now.0);
            if before.1 * now.1 < 0.0 {
                see(of(crossing(|t| of(t).1, from, t)).0);
            }
            (before, from) = (now, t);
        }
    }
    (greatest, least)
}

/// The order of slip patterns, the same for all cyclic shifts: each as long as there are sliders.
fn pattern(path: &NetworkPath) -> Vec<i8> {
    let mut all: Vec<&[i8]> = Vec::new();
    for s in path.segments().iter().filter(|s| s.end > s.start) {
        if all.last() != Some(&&s.phase[..]) {
            all.push(&s.phase);
        }
    }
    cyclic(all).concat()
}
