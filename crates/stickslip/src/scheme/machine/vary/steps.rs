//! The variational equation of a mode, δ̇ = A δ + ∂ₚf(t), by the steps of `exact`: collocation at Radau's seven nodes.
//!
//! In a mode of a machine of linear parts A is constant, and steps are as long as in `exact`. Elsewhere A follows the motion: it is
//! taken at each node, and steps are those by which the motion was made, halved where the derivative asks for it.

use super::super::flow::Instant;
use super::super::linear::{
    Factors, ITERATES, MOST_DOUBLINGS, RESOLVES, Room, SPARE, rounds, spectral_radius,
};
use super::look::{LARGE, Look};
use super::slopes::{OTHERS, Slopes};
use crate::numeric::dot;
use crate::portable;
use crate::scheme::collocation::{NODES, RADAU, integrals};

/// Factors that are kept of a mode.
const KEPT: usize = 6;
/// The last coefficient of a step over its size where A follows the motion: at its end the derivative is far better. That before it may be
/// larger.
const LAST: f64 = 1e-10;
const BEFORE: f64 = 100.0;
/// What A is wrong by where it is known by differences.
const DIFFERENCED: f64 = 1e-11;
/// What a rounding may be more than its bound, where steps are judged by it.
const UNSURE: f64 = 4.0;
/// Halvings of a step of the motion: next to a kink, which it passes unnoticed, what is left of it is nothing then.
const MOST_HALVINGS: i32 = 22;
/// The shortest step, over the length of the run.
const SHORTEST: f64 = 1e-11;
/// Behind a kink a step whose last coefficients are this share of what they may be can be twice as long.
const EASY: f64 = 0.1;

/// A of a mode, and the steps that were made with it.
#[derive(Debug)]
pub(super) struct Steps {
    n: usize,
    /// By rows; where it follows the motion, at each node of a step.
    a: Vec<Vec<f64>>,
    /// The numbers of the state on which it depends, and the differences that tell how.
    bent: Vec<(usize, Slopes)>,
    /// The rounding of their columns of A in this step, one after the other.
    unsure: Vec<f64>,
    /// The length of the shortest step, s.
    least: f64,
    radius: f64,
    /// The length of a step that resolves everything, s.
    base: f64,
    /// The power of two by which the last step was longer, and the greatest that does not pass over a wave of a load.
    doublings: i32,
    most: i32,
    /// Whether a step was made that is as short as any and rough.
    passed: bool,
    factors: Vec<(f64, Option<Factors>)>,
    /// Room.
    sizes: Vec<f64>,
}

impl Steps {
    /// Of the mode in which the machine is looked at in the state `y`, whose fastest load has `fastest` rad/s, not longer than
    /// `longest` (s). `bent` are the differences by those numbers of the state on which something depends that is not linear in them.
    pub fn new(
        look: &Look<'_>,
        y: &[f64],
        t: f64,
        [fastest, longest]: [f64; 2],
        bent: Vec<(usize, Slopes)>,
        at: &mut Instant,
    ) -> Self {
        let n = y.len();
        let mut y = y.to_vec();
        let mut rates = vec![0.0; n];
        let mut a = vec![0.0; n * n];
        for j in (0..n).filter(|j| bent.iter().all(|b| b.0 != *j)) {
            let here = std::mem::replace(&mut y[j], LARGE);
            look.rates(t, &y, &mut rates, at);
            y[j] = here;
            for i in 0..n {
                let entry = rates[i] / LARGE;
                // What does not depend on it leaves something below every rounding.
                a[i * n + j] = if entry.abs() > 1e-40 { entry } else { 0.0 };
            }
        }
        if !bent.is_empty() {
            return Self {
                n,
                a: vec![a; NODES],
                unsure: vec![0.0; n * bent.len()],
                bent,
                least: SHORTEST * longest,
                radius: f64::INFINITY,
                base: longest,
                doublings: 0,
                most: 0,
                passed: false,
                factors: Vec::new(),
                sizes: Vec::new(),
            };
        }
        let radius = spectral_radius(&a, n);
        let rate = fastest.max(radius);
        let base = if rate > 0.0 { (RESOLVES / rate).min(longest) } else { longest };
        let waves =
            if fastest > 0.0 { portable::ln(1.0 / (fastest * base)) } else { f64::INFINITY };
        let most = (waves / std::f64::consts::LN_2).floor().clamp(0.0, f64::from(MOST_DOUBLINGS));
        Self {
            n,
            a: vec![a],
            bent,
            unsure: Vec::new(),
            least: base,
            radius,
            base,
            doublings: 0,
            most: most as i32,
            passed: true,
            factors: Vec::new(),
            sizes: Vec::new(),
        }
    }

    /// Whether A follows the motion.
    pub fn follows(&self) -> bool {
        !self.bent.is_empty()
    }

    /// Sets out on a step of the motion that takes `length` (s), where A follows it.
    pub fn set_out(&mut self, length: f64) {
        self.base = length;
        self.doublings = 0;
        self.passed = false;
    }

    /// Lets differences reach as far as befits numbers of the state of these sizes.
    pub fn reach(&mut self, size: impl Fn(usize) -> f64) {
        self.bent.iter_mut().for_each(|(j, slopes)| slopes.reach(size(*j)));
    }

    /// Notes A at node number `i`, at `t` (s) in the state `y`, where it follows the motion.
    pub fn look(&mut self, i: usize, look: &Look<'_>, t: f64, y: &mut [f64], at: &mut Instant) {
        let Self { n, a, bent, unsure, .. } = self;
        if i == 0 {
            unsure.fill(0.0);
        }
        for ((j, slopes), unsure) in bent.iter_mut().zip(unsure.chunks_mut(*n)) {
            let here = y[*j];
            let column = slopes.at(|by, rates| {
                y[*j] = here + by;
                look.rates(t, y, rates, at);
            });
            column.iter().enumerate().for_each(|(p, rate)| a[i][p * *n + *j] = *rate);
            y[*j] = here;
            let rounding = unsure.iter_mut().zip(slopes.rounding());
            rounding.for_each(|(unsure, rounding)| *unsure = unsure.max(*rounding));
        }
    }

    /// The length of the next step where `left` (s) are left, and whether it is one of the usual ones.
    pub fn length(&self, left: f64) -> (f64, bool) {
        let h = self.base * 2f64.powi(self.doublings);
        if h < left { (h, true) } else { (left, false) }
    }

    /// A step of `h` (s) of each derivative in `rooms`, whose ∂ₚf at the nodes are in `right` there; whether its equations have a solution.
    pub fn step(&mut self, h: f64, rooms: &mut [Room]) -> bool {
        let Self { n, a, radius, factors, bent, .. } = self;
        let n = *n;
        let of = |i: usize| &a[if bent.is_empty() { 0 } else { i }][..];
        for room in rooms.iter_mut() {
            for i in 0..NODES {
                let a = of(i);
                for p in 0..n {
                    room.right[i * n + p] += dot(&a[p * n..(p + 1) * n], &room.from);
                }
            }
            room.rates.copy_from_slice(&room.right);
        }
        if !bent.is_empty() {
            let Some(factors) = Factors::new(of, h) else { return false };
            rooms.iter_mut().for_each(|room| room.solve(&factors));
        } else if h * *radius <= ITERATES {
            let rounds = rounds(h * *radius);
            for room in rooms.iter_mut() {
                if room.is_even() {
                    room.iterate_even(h, of(0), rounds);
                } else {
                    room.iterate(h, of(0), rounds);
                }
            }
        } else {
            let place = match factors.iter().position(|f| f.0 == h) {
                Some(place) => place,
                None => {
                    if factors.len() == KEPT {
                        factors.remove(0);
                    }
                    factors.push((h, Factors::new(of, h)));
                    factors.len() - 1
                }
            };
            let Some(factors) = &factors[place].1 else { return false };
            rooms.iter_mut().for_each(|room| room.solve(factors));
        }
        rooms.iter_mut().for_each(Room::resolve);
        true
    }

    /// Whether a step of `h` (s) is to be made anew with half the length; otherwise the next one may be longer. `rounding` is that of ∂ₚf for each
    /// derivative. Those behind the first `numbers` are factors of other derivatives: they need be known to a share of what drives them, and not
    /// of what may be left of that.
    pub fn judge(
        &mut self,
        h: f64,
        usual: bool,
        rooms: &[Room],
        rounding: &[Vec<f64>],
        numbers: usize,
    ) -> bool {
        let follows = self.follows();
        let mut sizes = std::mem::take(&mut self.sizes);
        let rough = rooms.iter().zip(rounding).enumerate().map(|(c, (room, rounding))| {
            if follows {
                let known = if c < numbers { DIFFERENCED } else { LAST };
                self.roughness(h, known, room, rounding, &mut sizes)
            } else {
                room.roughness(h, |_| 0.0)
            }
        });
        let rough = rough.fold(0.0, f64::max);
        self.sizes = sizes;
        let [least, spare] = if follows {
            [(self.base * 2f64.powi(-MOST_HALVINGS)).max(self.least), EASY]
        } else {
            [self.base, SPARE]
        };
        if rough > 1.0 && h > least {
            // A step that is shorter than the usual ones, because little was left, is one between two of them.
            self.doublings = if usual {
                self.doublings - 1
            } else {
                (portable::ln(h / self.base) / std::f64::consts::LN_2).ceil() as i32 - 1
            };
            return true;
        }
        // Up to a kink steps only become shorter, so that they come near it at once.
        self.passed |= rough > 1.0;
        if usual && rough <= spare && self.passed && self.doublings < self.most {
            self.doublings += 1;
        }
        false
    }

    /// The last coefficients over what they may be where A follows the motion and its products are `known` to this share. `sizes` is room for how
    /// large each derivative is in the step.
    fn roughness(
        &self,
        h: f64,
        known: f64,
        room: &Room,
        rounding: &[f64],
        sizes: &mut Vec<f64>,
    ) -> f64 {
        let n = self.n;
        let fastest = |m: usize| {
            let rates = room.rates.iter().skip(m).step_by(n);
            rates.fold(0.0, |m: f64, r| m.max(r.abs()))
        };
        sizes.clear();
        // One that begins with nothing is as uncertain as what A makes of those that drive it in the step.
        sizes.extend((0..n).map(|m| room.from[m].abs() + h * fastest(m)));
        // Of a column of differences small entries are not known better than large ones.
        let steepest =
            |j: usize| (0..n).fold(0.0, |most: f64, m| most.max(self.a[0][m * n + j].abs()));
        let coarse: f64 = self.bent.iter().map(|(j, _)| OTHERS * steepest(*j) * sizes[*j]).sum();
        let one = |m: usize| {
            let row = &self.a[0][m * n..(m + 1) * n];
            let terms: f64 = row.iter().zip(&*sizes).map(|(a, size)| a.abs() * size).sum();
            let columns = self.bent.iter().zip(self.unsure.chunks(n));
            let unsure: f64 = columns.map(|((j, _), u)| u[m] * sizes[*j]).sum();
            let unknown = h * (known * terms + UNSURE * unsure + rounding[m] + coarse);
            let may = LAST * (room.from[m].abs() + h * fastest(m) / RESOLVES) + unknown;
            let [before, last] = [room.terms[m][NODES - 2], room.terms[m][NODES - 1]];
            let off = h * last.abs().max(before.abs() / BEFORE);
            if off > 0.0 { off / may } else { 0.0 }
        };
        (0..n).map(one).fold(0.0, f64::max)
    }
}

/// The derivatives at the share `theta` of a step of `h` (s) that is made.
pub(super) fn within(room: &Room, h: f64, theta: f64, out: &mut [f64]) {
    let whole = integrals(theta);
    for (m, (out, from)) in out.iter_mut().zip(&room.from).enumerate() {
        *out = from + h * dot(&room.terms[m], &whole);
    }
}

/// The derivatives at its end.
pub(super) fn end(room: &Room, h: f64, out: &mut [f64]) {
    let n = room.from.len();
    for (m, (out, from)) in out.iter_mut().zip(&room.from).enumerate() {
        let sum: f64 = (0..NODES).map(|j| RADAU.b[j] * room.rates[j * n + m]).sum();
        *out = from + h * sum;
    }
}
