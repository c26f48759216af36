//! The laws that are compared, and the numbers that are sought of each.

use super::gap::{Gap, along};
use super::path::Path;
use crate::statistics::stats::{mean, square};
use stickslip::law::memory::{Dahl, ElastoPlastic, Lugre, Remembers, Run, StribeckLimit, Way};
use stickslip::portable;

/// A law with memory, or one behind a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Law {
    /// Dahl's bristle.
    Dahl,
    /// A bristle with damping and Stribeck's limit.
    Lugre,
    /// As LuGre's, and elastic while the bristle is bent by less than a part of its length.
    ElastoPlastic,
    /// The hysteretic spring of Bouc and Wen.
    BoucWen,
    /// Eight elements in parallel that stick and slide, at displacements that are sought.
    MaxwellSlip,
    /// A bristle behind a gap, with a force of its own for each side.
    Backlash,
}

/// How large the columns are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sizes {
    /// Root mean square of the force about its mean, N.
    pub force: f64,
    /// Range of the displacement, m.
    pub range: f64,
    /// Root mean square of the velocity, m/s.
    pub speed: f64,
    /// How far one row goes after a turn, m.
    pub step: f64,
}

impl Sizes {
    pub fn of(paths: &[&Path]) -> Self {
        let all: Vec<f64> = paths.iter().flat_map(|p| p.force.iter().copied()).collect();
        let middle = mean(&all);
        let force = all.iter().map(|f| (f - middle).powi(2)).sum::<f64>() / all.len() as f64;
        let speed = paths.iter().map(|p| square(&p.speeds)).sum::<f64>() / all.len() as f64;
        let range = |p: &&Path| {
            let high = p.x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            high - p.x.iter().copied().fold(f64::INFINITY, f64::min)
        };
        Self {
            // Above 0, since the bounds of the search are logarithms of these.
            force: force.sqrt().max(f64::MIN_POSITIVE),
            range: paths.iter().map(range).fold(0.0, f64::max),
            speed: speed.sqrt().max(f64::MIN_POSITIVE),
            step: paths.iter().map(|p| p.step).fold(f64::INFINITY, f64::min),
        }
    }
}

/// A number that is sought.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number {
    /// Where it may lie.
    pub range: [f64; 2],
    /// Where the search begins.
    pub start: f64,
    /// Whether it is sought by its logarithm.
    pub log: bool,
}

impl Number {
    fn log(range: [f64; 2], start: f64) -> Self {
        Self { range, start, log: true }
    }

    fn linear(range: [f64; 2], start: f64) -> Self {
        Self { range, start, log: false }
    }

    /// Whether it is sought at all.
    pub fn is_free(&self) -> bool {
        self.range[1] > self.range[0]
    }

    /// The value of a coordinate of the search.
    pub fn value(&self, at: f64) -> f64 {
        if self.log { portable::exp(at) } else { at }
    }

    /// The coordinate of a value.
    pub fn at(&self, value: f64) -> f64 {
        if self.log { portable::ln(value) } else { value }
    }
}

/// Elements of Maxwell slip.
const ELEMENTS: usize = 8;
/// The search for their thresholds begins up to this share of the range.
const LARGEST: f64 = 0.3;
/// The least and the greatest length of a bristle as shares of the range.
const LENGTHS: [f64; 2] = [1e-5, 1.0];
/// Lengths of bristles from which searches begin.
const STARTS: [f64; 3] = [0.003, 0.03, 0.15];
/// Half gaps, as shares of the range, and powers of springs from which searches begin.
const GAPS: [[f64; 2]; 4] = [[0.0, 1.0], [0.0, 1.8], [0.03, 1.0], [0.08, 1.0]];

/// What every law goes with: a constant force, a spring and a damper.
pub const COMMON: usize = 3;

impl Law {
    /// Its name, as in model files; `backlash` stands for itself.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dahl => "dahl",
            Self::Lugre => "lugre",
            Self::ElastoPlastic => "elasto-plastic",
            Self::BoucWen => "bouc-wen",
            Self::MaxwellSlip => "maxwell-slip",
            Self::Backlash => "backlash",
        }
    }

    /// All of them.
    pub fn all() -> [Self; 6] {
        [
            Self::Dahl,
            Self::Lugre,
            Self::ElastoPlastic,
            Self::BoucWen,
            Self::MaxwellSlip,
            Self::Backlash,
        ]
    }

    /// The numbers that are sought: its own, then those that every law goes with.
    pub(super) fn numbers(self, of: &Sizes) -> Vec<Number> {
        let Sizes { force, range, speed, .. } = *of;
        // Far beyond the force that was measured: a bristle that the record bends only a little yields later.
        let strong = Number::log([1e-3 * force, 30.0 * force], force);
        let length = Number::log(LENGTHS.map(|l| l * range), 0.03 * range);
        let bristle = [
            strong,
            // The dynamic force as a share of the static one. Never above 1: Stribeck's curve falls.
            Number::linear([0.05, 1.0], 0.8),
            Number::log([1e-3 * speed, 10.0 * speed], 0.1 * speed),
            length,
            Number::linear([0.0, 10.0 * force / speed], 0.0),
        ];
        let mut all = match self {
            Self::Dahl => vec![strong, length],
            Self::Lugre => bristle.into(),
            // The elastic part, as a share of what the dynamic force bends the bristle by: the law asks for less than all of it.
            Self::ElastoPlastic => {
                bristle.into_iter().chain([Number::linear([0.01, 0.99], 0.5)]).collect()
            }
            Self::BoucWen => vec![
                strong,
                length,
                Number::linear([1.0, 6.0], 1.5),
                // Within |γ| ≤ β: a spring that is no softer on its way back than at z = 0, as dampers and isolators are.
                Number::linear([-2.0, 0.5], 0.2),
            ],
            Self::MaxwellSlip => {
                let forces = [Number::linear([0.0, 10.0 * force], 0.1 * force); ELEMENTS];
                forces.into_iter().chain(Self::thresholds(of)).collect()
            }
            Self::Backlash => vec![
                strong,
                strong,
                // Half of the gap. With half of the range no motion of the record would ever cross it.
                Number::linear([0.0, 0.4 * range], 0.03 * range),
                length,
                length,
                Number::linear([1.0, 4.0], 1.0),
                Number::linear([0.3, 6.0], 1.0),
            ],
        };
        // A gap shows where the force is zero, and its two forces give what a constant one would.
        let most = if self == Self::Backlash { 0.0 } else { 3.0 * force };
        all.push(Number::linear([-most, most], 0.0));
        all.push(Number::linear([0.0, 100.0 * force / range], 0.0));
        all.push(Number::linear([0.0, 10.0 * force / speed], 0.0));
        all
    }

    /// The places from which searches begin, as values.
    pub(super) fn starts(self, of: &Sizes) -> Vec<Vec<f64>> {
        let usual: Vec<f64> = self.numbers(of).iter().map(|n| n.start).collect();
        // Only lengths are varied. Where a bristle is an order of magnitude too short or too long the forces hardly
        // change with it, and no search finds back; the other numbers find their way from one start.
        let with = |changes: &[(usize, f64)]| {
            let mut all = usual.clone();
            changes.iter().for_each(|&(i, share)| all[i] = share * of.range);
            all
        };
        match self {
            Self::Dahl | Self::BoucWen => STARTS.map(|l| with(&[(1, l)])).into(),
            Self::Lugre | Self::ElastoPlastic => STARTS.map(|l| with(&[(3, l)])).into(),
            // The thresholds spread over the range of lengths already.
            Self::MaxwellSlip => vec![usual],
            Self::Backlash => {
                let one = |[g, power]: [f64; 2]| {
                    let mut start = with(&[(2, g), (3, 0.08), (4, 0.08)]);
                    start[5] = power;
                    start
                };
                GAPS.map(one).into()
            }
        }
    }

    /// The thresholds of Maxwell slip, m: a factor apart where the search begins, and each sought up to the middle of the way to the
    /// next, so that no two of them change places.
    fn thresholds(of: &Sizes) -> [Number; ELEMENTS] {
        let low = (0.003 * of.range).max(of.step).min(0.1 * LARGEST * of.range);
        let by = LARGEST * of.range / low;
        let at = |place: f64| low * portable::pow(by, place / (ELEMENTS - 1) as f64);
        std::array::from_fn(|j| {
            let place = j as f64;
            Number::log([at(place - 0.5), at(place + 0.5)], at(place))
        })
    }

    /// The forces along a path with these values, N; `None` where they make no law.
    pub(super) fn forces(self, p: &[f64], path: &Path) -> Option<Vec<f64>> {
        let [o, k, c] = p[p.len() - COMMON..] else { return None };
        let common = path.x.iter().zip(&path.speeds).map(|(x, w)| o + k * x + c * w);
        let mut out: Vec<f64> = common.collect();
        match self {
            Self::Backlash => gap(p).add(path, &mut out),
            Self::MaxwellSlip => elements(p, path, &mut out),
            Self::Dahl => led(&Dahl::new(p[0], p[0] / p[1], 1.0).ok()?, path, &mut out),
            Self::Lugre => {
                led(&Lugre::new(limit(p)?, p[0] / p[3], p[4], 0.0).ok()?, path, &mut out);
            }
            Self::ElastoPlastic => {
                let law = ElastoPlastic::new(limit(p)?, p[0] / p[3], p[4], 0.0, elastic(p)).ok()?;
                led_by(&law, path, |way, z| yielding(&law, p[3], way, z), &mut out);
            }
            Self::BoucWen => bouc_wen(p, path, &mut out),
        }
        out.iter().all(|f| f.is_finite()).then_some(out)
    }

    /// What is told of it: keys, units and values.
    pub(super) fn told(self, p: &[f64]) -> Vec<(&'static str, &'static str, f64)> {
        let [o, k, c] = [0, 1, 2].map(|i| p[p.len() - COMMON + i]);
        let mut all = match self {
            Self::Dahl => vec![("force", "N", p[0]), ("stiffness", "N/m", p[0] / p[1])],
            Self::Lugre => bristle(p).into(),
            Self::ElastoPlastic => {
                bristle(p).into_iter().chain([("breakaway", "m", elastic(p))]).collect()
            }
            Self::BoucWen => vec![
                ("force", "N", p[0]),
                ("stiffness", "N/m", p[0] / p[1]),
                ("beta", "1/m^n", shape(p)[0]),
                ("gamma", "1/m^n", shape(p)[1]),
                ("exponent", "1", p[2]),
            ],
            Self::MaxwellSlip => {
                let [forces, thresholds] = [&p[..ELEMENTS], &p[ELEMENTS..2 * ELEMENTS]];
                let springs = forces.iter().zip(thresholds).map(|(f, r)| f / r);
                vec![("force", "N", forces.iter().sum()), ("stiffness", "N/m", springs.sum())]
            }
            Self::Backlash => vec![
                ("force_up", "N", p[0]),
                ("force_down", "N", p[1]),
                ("gap", "m", 2.0 * p[2]),
                ("length_up", "m", p[3]),
                ("length_down", "m", p[4]),
                ("power", "1", p[5]),
                ("exponent", "1", p[6]),
            ],
        };
        all.extend([("offset", "N", o), ("spring", "N/m", k), ("damper", "N·s/m", c)]);
        all
    }

    /// Which of its numbers is the length of a bristle.
    pub(super) fn bristle(self) -> Option<usize> {
        match self {
            Self::Dahl | Self::BoucWen => Some(1),
            Self::Lugre | Self::ElastoPlastic => Some(3),
            Self::MaxwellSlip | Self::Backlash => None,
        }
    }
}

/// β and γ, 1/mⁿ: β + γ bounds z by its length.
fn shape(p: &[f64]) -> [f64; 2] {
    let sum = portable::pow(p[1], -p[2]);
    [(1.0 - p[3]) * sum, p[3] * sum]
}

/// Adds the force of the hysteretic spring of Bouc and Wen: dz/dx = 1 − |z|ⁿ (γ + β sgn(w z)).
fn bouc_wen(p: &[f64], path: &Path, out: &mut [f64]) {
    let [force, length, exponent, share] = [p[0], p[1], p[2], p[3]];
    // In z by its length, where the bound is 1.
    let follows = |side: f64, z: f64| {
        let bent = if side * z >= 0.0 { 1.0 } else { 2.0 * share - 1.0 };
        1.0 - bent * portable::pow(z.abs(), exponent)
    };
    let mut z = 0.0f64;
    for (ways, out) in path.ways.iter().zip(out) {
        for way in ways {
            z = along(way.length / length, 1.0, [-1.0, 1.0], z, follows);
        }
        *out += force * z;
    }
}

fn gap(p: &[f64]) -> Gap {
    Gap { force: [p[0], p[1]], gap: p[2], length: [p[3], p[4]], power: p[5], exponent: p[6] }
}

/// What LuGre's bristle yields at.
fn limit(p: &[f64]) -> Option<StribeckLimit> {
    StribeckLimit::new(p[0], p[0] * p[1], p[2], 2.0).ok()
}

/// What is told of LuGre's bristle.
fn bristle(p: &[f64]) -> [(&'static str, &'static str, f64); 5] {
    [
        ("static", "N", p[0]),
        ("dynamic", "N", p[0] * p[1]),
        ("velocity", "m/s", p[2]),
        ("stiffness", "N/m", p[0] / p[3]),
        ("damping", "N·s/m", p[4]),
    ]
}

/// What the elasto-plastic bristle is bent by before it yields, m.
fn elastic(p: &[f64]) -> f64 {
    p[5] * p[1] * p[3]
}

/// Moves the elasto-plastic bristle along `way`: straight as long as it is elastic, and from there in steps that suit the part in which it
/// begins to yield. `longest` is what the static force bends it by, m.
fn yielding(law: &ElastoPlastic, longest: f64, way: Way, z: &mut f64) {
    let side = way.side();
    let steady = law.steady(if way.time > 0.0 { way.length / way.time } else { 0.0 });
    let elastic = way.length.abs().min((law.breakaway() - side * *z).max(0.0));
    let left = way.length - side * elastic;
    let follows = |side: f64, z: f64| law.follows(side * z, steady);
    let begins = steady - law.breakaway();
    *z = along(left, begins, [-longest, longest], *z + side * elastic, follows);
}

/// Adds the force of a bristle that begins straight and follows in closed form.
fn led(law: &impl Remembers, path: &Path, out: &mut [f64]) {
    led_by(law, path, |way, z| law.flow(way, std::slice::from_mut(z)), out);
}

/// Adds the force of a bristle that begins straight and that `lead` moves along each way.
fn led_by(law: &impl Remembers, path: &Path, lead: impl Fn(Way, &mut f64), out: &mut [f64]) {
    let mut z = [0.0];
    let mut rate = [0.0];
    for ((ways, &w), out) in path.ways.iter().zip(&path.speeds).zip(out) {
        for way in ways.iter().filter(|way| way.length != 0.0) {
            lead(*way, &mut z[0]);
        }
        // The force at the row needs how fast the bristle bends there: LuGre's law damps it.
        let side = 1f64.copysign(w);
        let mut regions = [0];
        law.enter(side, w.abs(), &z, false, &mut regions);
        law.rates(Run { side, regions: &regions }, w, &z, &mut rate);
        *out += law.force(0.0, w, &z, &rate);
    }
}

/// Adds the forces of elements: `p` begins with the force of each, N, and the displacement at which each slides, m.
fn elements(p: &[f64], path: &Path, out: &mut [f64]) {
    for (force, threshold) in p[..ELEMENTS].iter().zip(&p[ELEMENTS..2 * ELEMENTS]) {
        let mut z = 0.0f64;
        for (ways, out) in path.ways.iter().zip(out.iter_mut()) {
            for way in ways {
                z = (z + way.length).clamp(-threshold, *threshold);
            }
            *out += force * z / threshold;
        }
    }
}
