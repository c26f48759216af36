//! Derivatives of what bends, by differences at a distance over which it is smooth.

use super::super::linear::is_curved;
use super::super::parts::{Parts, Place};
use super::look::Layout;
use crate::law::Law;
use crate::law::memory::Memory;
use crate::model::Machine;
use crate::model::machine::{Press, Presser};

/// Differences of order four and six that are nearer to each other than this are those of something smooth: the latter one misses some
/// 10⁻¹² then. Rounding may be as large a share of the largest of them.
const SMOOTH: f64 = 1e-8;
/// What is so much smoother, or where rounding takes this share of what it may, is differenced over a longer distance the next time.
const SMOOTHER: f64 = 1e-3;
const BLURRED: f64 = 0.03;
const GROWS: f64 = 2.0;
/// What is small next to the other rates is not known better than they are.
pub(super) const OTHERS: f64 = 1e-12;
/// The rounding of what is differenced.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// The factor by which a distance falls that is too long, and how often it may. Over a corner the two orders stay as far apart as they are until the
/// corner is out of reach, so it falls until rounding alone is more than was missed before.
const FALLS: f64 = 0.25;
const TRIES: usize = 20;
/// The first distance, over the size of what is moved.
const FIRST: f64 = 1.0 / 32.0;

/// Differences of order six of a list of numbers, at a distance that is kept from one place to the next.
#[derive(Debug, Clone)]
pub(super) struct Slopes {
    /// The longest distance, and the one that was taken last.
    longest: f64,
    distance: f64,
    /// The numbers at ±1, ±2 and ±3 distances.
    around: [Vec<f64>; 6],
    found: Vec<f64>,
    /// The rounding of what was found.
    rounding: Vec<f64>,
}

impl Slopes {
    /// Of `count` numbers, where what is moved has this `size`.
    pub fn new(count: usize, size: f64) -> Self {
        let longest = FIRST * if size > 0.0 { size } else { 1.0 };
        let around = std::array::from_fn(|_| vec![0.0; count]);
        let [found, rounding] = [vec![0.0; count], vec![0.0; count]];
        Self { longest, distance: longest, around, found, rounding }
    }

    /// Lets it look as far as befits what is moved, which has this `size` now.
    pub fn reach(&mut self, size: f64) {
        if FIRST * size > GROWS * self.longest {
            self.longest = FIRST * size;
            self.distance = self.longest;
        }
    }

    /// The derivatives of what `of` writes for a move by its first argument.
    pub fn at(&mut self, mut of: impl FnMut(f64, &mut [f64])) -> &[f64] {
        let mut least = f64::INFINITY;
        let mut h = self.distance;
        // Where no distance is good a corner is near, and the next look begins far away again.
        self.distance = self.longest;
        for _ in 0..TRIES {
            for (k, around) in self.around.iter_mut().enumerate() {
                let steps = (k / 2 + 1) as f64;
                of(if k % 2 == 0 { steps * h } else { -steps * h }, around);
            }
            let Quality { off, missed, blur } = self.quality(h);
            let good = off <= 1.0 && blur <= 1.0;
            if good || missed < least {
                least = missed;
                for (i, found) in self.found.iter_mut().enumerate() {
                    *found = differences(&self.around, i, h)[1];
                    self.rounding[i] = ROUNDING * size(&self.around, i) / h;
                }
            }
            if good {
                let grows = off <= SMOOTHER || blur > BLURRED;
                self.distance = if grows { (GROWS * h).min(self.longest) } else { h };
            }
            if good || blur > least {
                break;
            }
            h *= FALLS;
        }
        &self.found
    }

    /// The rounding of the derivatives that were found last: large where a corner is near, which leaves little room.
    pub fn rounding(&self) -> &[f64] {
        &self.rounding
    }

    /// How good differences over the distance `h` are.
    fn quality(&self, h: f64) -> Quality {
        let count = self.found.len();
        let largest = (0..count).map(|i| differences(&self.around, i, h)[1].abs());
        let largest = largest.fold(0.0, f64::max);
        let mut quality = Quality { off: 0.0, missed: 0.0, blur: 0.0 };
        for i in 0..count {
            let [four, six] = differences(&self.around, i, h);
            // What does not change at all needs no tolerance.
            if four == six {
                continue;
            }
            let apart = (six - four).abs();
            let may = SMOOTH * six.abs() + OTHERS * largest;
            let rounding = ROUNDING * size(&self.around, i) / h;
            let raise = |most: &mut f64, by: f64| {
                *most = if by.is_nan() { f64::INFINITY } else { most.max(by) };
            };
            raise(&mut quality.off, apart / (may + rounding));
            raise(&mut quality.missed, (apart + rounding) / (SMOOTH * largest));
            raise(&mut quality.blur, rounding / (SMOOTH * largest));
        }
        quality
    }
}

/// How good differences are.
struct Quality {
    /// How far those of both orders are apart, over what those of something smooth may be: ≤ 1 where they are good.
    off: f64,
    /// What they miss at most and what rounding makes of them, over what the largest of them may miss; the latter alone.
    missed: f64,
    blur: f64,
}

/// The greatest size of number `i`.
fn size(around: &[Vec<f64>; 6], i: usize) -> f64 {
    around.iter().fold(0.0, |m: f64, a| m.max(a[i].abs()))
}

/// The differences of order four and six of number `i`.
fn differences(around: &[Vec<f64>; 6], i: usize, h: f64) -> [f64; 2] {
    let pair = |k: usize| (around[2 * k][i] - around[2 * k + 1][i]) / (2.0 * (k + 1) as f64 * h);
    let [a, b, c] = [pair(0), pair(1), pair(2)];
    [(4.0 * a - b) / 3.0, (15.0 * a - 6.0 * b + c) / 10.0]
}

/// Whether no sampled controller has a limit or a quantum: the map of a tick bends or jumps there, and differences of it reach over that.
fn tick_smoothly(machine: &Machine) -> bool {
    machine.controllers().iter().all(|c| {
        let law = &c.law;
        law.sampling.as_ref().is_none_or(|s| s.quantum == 0.0 && law.limit.is_none())
    })
}

/// Whether all laws of friction have slopes that do not jump between events, so that differences along the motion are derivatives: tables and laws
/// of users have corners of which no event tells. Regions of what sliders remember end at events; a law of rate and state is followed in
/// logarithms, of which the state here knows nothing.
pub(super) fn are_smooth(machine: &Machine) -> bool {
    tick_smoothly(machine)
        && machine.frictions().iter().all(|f| match &f.bristle {
            Some(bristle) => remembers_smoothly(&bristle.law, machine),
            None => is_smooth(&f.law),
        })
}

/// Dahl's and LuGre's laws have one formula on each side. Those of the others are known to be right where no gear hands on their forces.
fn remembers_smoothly(law: &Memory, machine: &Machine) -> bool {
    match law {
        Memory::Dahl(_) | Memory::Lugre(_) => true,
        Memory::BoucWen(_) | Memory::MaxwellSlip(_) => machine.gears().is_empty(),
        _ => false,
    }
}

fn is_smooth(law: &Law) -> bool {
    match law {
        Law::General(_) | Law::Custom(_) => false,
        Law::Asymmetric(both) => is_smooth(both.forward()) && is_smooth(both.backward()),
        // Its slope has no bound at rest where the exponent is below 1.
        other => other.weakening().is_finite(),
    }
}

/// Which numbers of the state something depends on that is not linear in them; none in a machine of linear parts.
pub(super) fn bent(parts: &Parts, layout: Layout) -> Vec<bool> {
    let n = layout.masses;
    let mut bent = vec![false; layout.size()];
    let places = |ends: [Option<usize>; 2]| {
        ends.into_iter().flatten().filter_map(|i| match parts.places[i] {
            Place::With(k, _) => Some(k),
            Place::Led(..) => None,
        })
    };
    let machine = &parts.machine;
    let spring = |k: usize, bent: &mut [bool]| {
        places(machine.springs()[k].between()).for_each(|i| bent[i] = true);
    };
    let curved = machine.springs().iter().enumerate().filter(|(_, s)| is_curved(&s.curve));
    curved.for_each(|(k, _)| spring(k, &mut bent));
    // That by which the numbers of a law are multiplied.
    let pressed = |press: Option<Press>, bent: &mut [bool]| match press.map(|p| p.by) {
        Some(Presser::Spring(k)) => spring(k, bent),
        Some(Presser::Stop(s)) => {
            for (c, _) in parts.contacts.iter().enumerate().filter(|(_, c)| c.stop == s) {
                bent[layout.gaps() + c] = true;
                parts.rows[parts.sliders + c].masses.iter().for_each(|m| bent[n + m.0] = true);
            }
        }
        None => {}
    };
    for (e, friction) in machine.frictions().iter().enumerate() {
        let remembers = friction.bristle.is_some();
        if !remembers && friction.law.constants().is_some() {
            continue;
        }
        parts.rows[e].masses.iter().for_each(|m| bent[n + m.0] = true);
        pressed(friction.press, &mut bent);
        if remembers {
            places(machine.network().sliders()[e].between()).for_each(|i| bent[i] = true);
        }
    }
    for b in &parts.bristles {
        bent[layout.inner() + b.state..][..b.states].fill(true);
    }
    bent
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is moved begins at nothing: at its own size there is nothing to see, and it is looked at from as far as numbers of its kind have been.
    #[test]
    fn what_begins_at_nothing_is_looked_at_from_afar() {
        let mut slopes = Slopes::new(2, 1e-19);
        slopes.reach(1.0);
        let found = slopes.at(|by, out| {
            let z = 1e-19 + by;
            out.copy_from_slice(&[7.0 + 3.0 * z, 10.0 + z * z]);
        });
        assert!((found[0] - 3.0).abs() < 1e-12 && found[1].abs() < 1e-12, "{found:?}");
    }

    /// From far too long distances, next to a corner, and with a large number that does not change.
    #[test]
    fn differences_find_a_distance_at_which_they_are_good() {
        let mut slopes = Slopes::new(3, 1e3);
        for at in [0.3f64, 0.31, 2.0, -1.0] {
            let found = slopes.at(|by, out| {
                let x = at + by;
                out.copy_from_slice(&[(50.0 * x).sin(), (x - 1.99).abs(), 1e3 + x]);
            });
            let exact = [50.0 * (50.0 * at).cos(), (at - 1.99).signum(), 1.0];
            for (f, e) in found.iter().zip(exact) {
                assert!((f - e).abs() < 1e-9 * 50.0, "{found:?} instead of {exact:?}");
            }
        }
    }
}
