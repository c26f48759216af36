//! Random machines with every part at once against an independent integration: Gragg's midpoint rule extrapolated to the
//! tenth order on all nodes, with the forces of everything that is held from one linear system, and events by the secant.
//!
//! Nothing of it is shared with the scheme: it knows no groups, no coordinates of modes, no interpolation and no margins. What
//! is held together (a slider at rest, a closed stop, a gear) is a row of constraints with a force of its own, and the sign
//! of that force says when it lets go.

use crate::common::Random;
use stickslip::law::General;
use stickslip::law::memory::{BoucWen, Dahl, Lugre, Memory, Shape, StribeckLimit};
use stickslip::model::machine::{
    AntiWindup, ControlLaw, Curve, Gains, GearBetween, GearFriction, Sampling,
};
use stickslip::model::{Bumper, Machine, Network};
use stickslip::scheme::machine::solve;
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::{EventKind, Law, Signal};

type Ends = [Option<usize>; 2];

/// a + b sin(ω t + φ).
#[derive(Debug, Clone, Copy, Default)]
struct Wave {
    mean: f64,
    size: f64,
    frequency: f64,
    phase: f64,
}

impl Wave {
    fn at(self, t: f64) -> f64 {
        self.mean + self.size * (self.frequency * t + self.phase).sin()
    }

    fn rate(self, t: f64) -> f64 {
        self.size * self.frequency * (self.frequency * t + self.phase).cos()
    }

    fn bend(self, t: f64) -> f64 {
        -self.size * self.frequency.powi(2) * (self.frequency * t + self.phase).sin()
    }

    fn signal(self) -> Signal {
        let quarter = std::f64::consts::FRAC_PI_2;
        Signal::constant(self.mean)
            + Signal::harmonic(self.size, self.frequency, self.phase - quarter)
    }
}

/// A law with memory, as it is written in the literature.
#[derive(Debug, Clone, Copy)]
enum Bristle {
    /// F_c, σ.
    Dahl([f64; 2]),
    /// Limits at rest and at speed, the speed of the fall, σ₀, σ₁, σ₂.
    Lugre([f64; 6]),
    /// k, β, γ.
    BoucWen([f64; 3]),
}

impl Bristle {
    fn rate(self, w: f64, z: f64) -> f64 {
        match self {
            Self::Dahl([force, sigma]) => w - w.abs() * sigma * z / force,
            Self::Lugre([rest, fast, speed, sigma, ..]) => {
                let limit = fast + (rest - fast) * (-(w / speed).powi(2)).exp();
                w - sigma * w.abs() * z / limit
            }
            Self::BoucWen([_, beta, gamma]) => w - beta * w.abs() * z - gamma * w * z.abs(),
        }
    }

    /// Against the motion.
    fn force(self, w: f64, z: f64) -> f64 {
        match self {
            Self::Dahl([_, sigma]) => sigma * z,
            Self::Lugre([.., sigma, damping, viscous]) => {
                sigma * z + damping * self.rate(w, z) + viscous * w
            }
            Self::BoucWen([stiffness, ..]) => stiffness * z,
        }
    }

    fn memory(self) -> Memory {
        match self {
            Self::Dahl([force, sigma]) => Dahl::new(force, sigma, 1.0).unwrap().into(),
            Self::Lugre([rest, fast, speed, sigma, damping, viscous]) => {
                let limit = StribeckLimit::new(rest, fast, speed, 2.0).unwrap();
                Lugre::new(limit, sigma, damping, viscous).unwrap().into()
            }
            Self::BoucWen([stiffness, beta, gamma]) => {
                let shape = Shape { a: 1.0, beta, gamma, exponent: 1.0 };
                BoucWen::new(stiffness, 0.0, shape).unwrap().into()
            }
        }
    }
}

/// What rubs in a slider.
#[derive(Debug, Clone)]
enum Rubs {
    /// A law and the speeds at which it has kinks.
    Law(Law, Vec<f64>),
    Bristle(Bristle),
}

#[derive(Debug, Clone)]
struct Slider {
    ends: Ends,
    rubs: Rubs,
    surface: Wave,
    /// Of what the forces are coefficients; 1 without.
    normal: Option<Wave>,
    /// What presses it besides, and by how much of its force.
    pressed: Option<(Presser, f64)>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Presser {
    Link(usize),
    Stop(usize),
}

#[derive(Debug, Clone, Copy)]
enum Pull {
    /// k, and a cubic part.
    Powers([f64; 2]),
    /// A, κ.
    Sine([f64; 2]),
    /// k beyond the free travel between the two others.
    Play([f64; 3]),
    /// Four elongations with their pulls.
    Table([[f64; 2]; 4]),
}

impl Pull {
    fn at(self, z: f64) -> f64 {
        match self {
            Self::Powers([k, cubic]) => k * z + cubic * z.powi(3),
            Self::Sine([a, kappa]) => a * (kappa * z).sin(),
            Self::Play([k, lower, upper]) => k * (z - z.clamp(lower, upper)),
            Self::Table(p) => {
                let i = if z < p[1][0] { 0 } else { 1 + usize::from(z >= p[2][0]) };
                p[i][1] + (p[i + 1][1] - p[i][1]) * (z - p[i][0]) / (p[i + 1][0] - p[i][0])
            }
        }
    }

    fn kinks(self) -> Option<[f64; 2]> {
        match self {
            Self::Play([_, lower, upper]) => Some([lower, upper]),
            Self::Table(p) => Some([p[1][0], p[2][0]]),
            _ => None,
        }
    }

    fn curve(self) -> Curve {
        match self {
            Self::Powers([k, cubic]) => Curve::Powers(vec![k, 0.0, cubic]),
            Self::Sine([amplitude, wave_number]) => Curve::Sine { amplitude, wave_number },
            Self::Play([k, lower, upper]) => Curve::Powers(vec![k]).with_play([lower, upper]),
            Self::Table(p) => Curve::table(&p.map(|p| p[0]), &p.map(|p| p[1])).unwrap(),
        }
    }
}

/// A spring and a dashpot.
#[derive(Debug, Clone, Copy)]
struct Link {
    ends: Ends,
    pull: Pull,
    damping: f64,
}

#[derive(Debug, Clone, Copy)]
struct Stop {
    ends: Ends,
    /// Below and above.
    bounds: [Option<Wave>; 2],
    bumper: Bumper,
}

#[derive(Debug, Clone, Copy)]
struct Gear {
    ends: [usize; 2],
    ratio: f64,
    /// f₀, μ forward and backward.
    friction: Option<[f64; 3]>,
}

#[derive(Debug, Clone, Copy)]
struct Loop {
    of: Ends,
    on: usize,
    reference: Wave,
    gains: Gains,
    /// The limit, and of a sampled controller whether the integral is clamped.
    limit: Option<(f64, bool)>,
    sampling: Option<Sampling>,
}

/// A machine.
#[derive(Debug, Clone)]
struct Plant {
    mass: Vec<f64>,
    v0: Vec<f64>,
    force: Vec<Wave>,
    links: Vec<Link>,
    sliders: Vec<Slider>,
    stops: Vec<Stop>,
    gears: Vec<Gear>,
    loops: Vec<Loop>,
}

/// What a stop does: nothing, is closed at a side, or is a soft one that has been touched, and pushes or not.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Touch {
    Open,
    Closed(i8),
    Soft(i8, bool),
}

/// What a sampled controller remembers.
#[derive(Debug, Clone, Default)]
struct Ticks {
    k: u64,
    sum: f64,
    before: Option<f64>,
    rate: f64,
    pending: Vec<(f64, f64)>,
    applied: f64,
}

/// What goes on between two events.
#[derive(Debug, Clone)]
struct Mode {
    slips: Vec<i8>,
    since: Vec<f64>,
    stops: Vec<Touch>,
    /// The side to which the first side moves, and the sign of the torque.
    gears: Vec<(i8, i8)>,
    /// 0 within the limit, or the side.
    limits: Vec<i8>,
    ticks: Vec<Ticks>,
    /// Sliders that give way just now, and still resist with what they held.
    giving: Vec<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Row {
    Slider(usize),
    Stop(usize),
    Gear(usize),
    /// A gear at rest.
    Hold(usize),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Change {
    Slips(usize, i8),
    Halts(usize),
    Turns(usize),
    Opens(usize),
    Hits(usize, i8),
    Pushes(usize),
    Ceases(usize),
    Leaves(usize),
    Starts(usize, i8),
    Stalls(usize),
    Flips(usize),
    Limit(usize, i8),
}

/// Accelerations, and the force of each row on its first end.
type Balance = (Vec<f64>, Vec<(Row, f64)>);

/// When, at which part, and what: the kinds of the library. The parts are numbered as there: sliders, stops, gears.
type Told = (f64, usize, EventKind);

/// Why a motion is not compared.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Left {
    /// An impact on what is held by another contact, or more forces than equations.
    Ambiguous,
    /// More events than it takes.
    Endless,
}

fn across(u: &[f64], ends: Ends) -> f64 {
    let at = |end: Option<usize>| end.map_or(0.0, |i| u[i]);
    at(ends[0]) - at(ends[1])
}

/// Solves A x = b by elimination with pivots; `a` by rows.
fn eliminate(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()))?;
        if a[pivot][k].abs() < 1e-11 {
            return None;
        }
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let f = a[i][k] / a[k][k];
            if f != 0.0 {
                for j in k..n {
                    a[i][j] -= f * a[k][j];
                }
                b[i] -= f * b[k];
            }
        }
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - sum) / a[k][k];
    }
    Some(b)
}

/// Rounding of a force or a velocity of the size of 1.
const SMALL: f64 = 1e-10;
/// The error of a step, by one of an order less, above which it is halved; and steps that are not.
const EXACT: f64 = 1e-12;
const SHORTEST: f64 = 1e-5;
/// Impacts below this are not compared, m/s: they may be without end.
const SLOW: f64 = 1e-3;

impl Plant {
    fn n(&self) -> usize {
        self.mass.len()
    }

    /// Where the inner numbers of a loop begin in the state, and that of a bristle.
    fn inner(&self, c: usize) -> usize {
        2 * self.n() + 2 * c
    }

    fn bristle(&self, e: usize) -> usize {
        2 * self.n() + 2 * self.loops.len() + e
    }

    fn slide(&self, e: usize, t: f64, y: &[f64]) -> f64 {
        across(&y[self.n()..], self.sliders[e].ends) - self.sliders[e].surface.at(t)
    }

    fn press(&self, e: usize, t: f64, y: &[f64], mode: &Mode) -> f64 {
        self.pressing(e, t, y, mode).max(0.0)
    }

    /// Before what would lift it off is cut off.
    fn pressing(&self, e: usize, t: f64, y: &[f64], mode: &Mode) -> f64 {
        let s = &self.sliders[e];
        let own = s.normal.map(|n| n.at(t));
        match s.pressed {
            None => own.unwrap_or(1.0),
            Some((Presser::Link(l), factor)) => {
                let z = across(y, self.links[l].ends);
                own.unwrap_or(0.0) + factor * self.links[l].pull.at(z)
            }
            Some((Presser::Stop(k), factor)) => {
                let push = match mode.stops[k] {
                    Touch::Soft(side, true) => self.passed(k, side, t, y)[1],
                    _ => 0.0,
                };
                own.unwrap_or(0.0) + factor * push
            }
        }
    }

    fn error(&self, c: usize, t: f64, y: &[f64]) -> f64 {
        self.loops[c].reference.at(t) - across(y, self.loops[c].of)
    }

    /// The force of a continuous controller without its limit.
    fn raw(&self, c: usize, t: f64, y: &[f64]) -> f64 {
        let g = &self.loops[c].gains;
        let e = self.error(c, t, y);
        let at = self.inner(c);
        let d = if g.derivative != 0.0 { (e - y[at + 1]) / g.filter } else { 0.0 };
        g.proportional * e + g.integral * y[at] + g.derivative * d
    }

    fn control(&self, c: usize, t: f64, y: &[f64], mode: &Mode) -> f64 {
        let l = &self.loops[c];
        match (l.sampling, l.limit, mode.limits[c]) {
            (Some(_), ..) => mode.ticks[c].applied,
            (None, Some((limit, _)), side) if side != 0 => f64::from(side) * limit,
            _ => self.raw(c, t, y),
        }
    }

    /// How far a soft stop is passed on this side, and its force.
    fn passed(&self, s: usize, side: i8, t: f64, y: &[f64]) -> [f64; 2] {
        let stop = &self.stops[s];
        let bound = stop.bounds[usize::from(side > 0)].unwrap();
        let side = f64::from(side);
        let p = side * (across(y, stop.ends) - bound.at(t));
        let rate = side * (across(&y[self.n()..], stop.ends) - bound.rate(t));
        match stop.bumper {
            Bumper::Soft { stiffness, damping } => [p, stiffness * p + damping * rate],
            _ => [p, 0.0],
        }
    }

    /// What is held, with its line of the constraints and the rate at which the velocity across must change.
    fn rows(&self, t: f64, mode: &Mode) -> Vec<(Row, Vec<f64>, f64)> {
        let n = self.n();
        let line = |ends: Ends, factor: f64| {
            let mut line = vec![0.0; n];
            if let Some(i) = ends[0] {
                line[i] += 1.0;
            }
            if let Some(i) = ends[1] {
                line[i] -= factor;
            }
            line
        };
        let mut rows = Vec::new();
        for (e, s) in self.sliders.iter().enumerate() {
            if mode.slips[e] == 0 && matches!(s.rubs, Rubs::Law(..)) {
                rows.push((Row::Slider(e), line(s.ends, 1.0), s.surface.rate(t)));
            }
        }
        for (s, stop) in self.stops.iter().enumerate() {
            if let Touch::Closed(side) = mode.stops[s] {
                let bound = stop.bounds[usize::from(side > 0)].unwrap();
                rows.push((Row::Stop(s), line(stop.ends, 1.0), bound.bend(t)));
            }
        }
        for (g, gear) in self.gears.iter().enumerate() {
            let ends = gear.ends.map(Some);
            rows.push((Row::Gear(g), line(ends, gear.ratio), 0.0));
            if gear.friction.is_some() && mode.gears[g].0 == 0 {
                rows.push((Row::Hold(g), line([ends[0], None], 1.0), 0.0));
            }
        }
        rows
    }

    /// Accelerations, and the force of each row on its first end.
    fn solve(&self, t: f64, y: &[f64], mode: &Mode) -> Option<Balance> {
        let n = self.n();
        let rows = self.rows(t, mode);
        let mut b = self.loads(t, y, mode);
        let m = n + rows.len();
        let mut a = vec![vec![0.0; m]; m];
        for i in 0..n {
            a[i][i] = self.mass[i];
        }
        for (k, (row, line, wanted)) in rows.iter().enumerate() {
            for i in 0..n {
                a[n + k][i] = line[i];
                a[i][n + k] = -line[i];
            }
            if let Row::Gear(g) = row
                && let Some(friction) = self.gears[*g].friction
            {
                // The torque is −ratio times the force on the first side; friction takes s μ σ of it from there.
                let (side, sign) = mode.gears[*g];
                let mu = if side > 0 { friction[1] } else { friction[2] };
                let taken = f64::from(side) * mu * f64::from(sign) * self.gears[*g].ratio;
                a[self.gears[*g].ends[0]][n + k] -= taken;
            }
            b.push(*wanted);
        }
        let found = eliminate(a, b)?;
        let forces = rows.iter().enumerate().map(|(k, r)| (r.0, found[n + k])).collect();
        Some((found[..n].to_vec(), forces))
    }

    /// Everything that acts on the nodes but what is held.
    fn loads(&self, t: f64, y: &[f64], mode: &Mode) -> Vec<f64> {
        let n = self.n();
        let mut f: Vec<f64> = self.force.iter().map(|w| w.at(t)).collect();
        let mut add = |ends: Ends, force: f64| {
            for (end, sign) in ends.into_iter().zip([1.0, -1.0]) {
                if let Some(i) = end {
                    f[i] += sign * force;
                }
            }
        };
        for l in &self.links {
            let z = across(y, l.ends);
            add(l.ends, -l.pull.at(z) - l.damping * across(&y[n..], l.ends));
        }
        for (e, s) in self.sliders.iter().enumerate() {
            let w = self.slide(e, t, y);
            match &s.rubs {
                Rubs::Law(law, _) if mode.slips[e] != 0 => {
                    let side = f64::from(mode.slips[e]);
                    let size = match mode.giving[e] {
                        true => law.limit(side, t - mode.since[e]),
                        false => law.force(side, side * w),
                    };
                    add(s.ends, -side * self.press(e, t, y, mode) * size);
                }
                Rubs::Law(..) => {}
                Rubs::Bristle(b) => {
                    add(s.ends, -self.press(e, t, y, mode) * b.force(w, y[self.bristle(e)]));
                }
            }
        }
        for (s, stop) in self.stops.iter().enumerate() {
            if let Touch::Soft(side, true) = mode.stops[s] {
                add(stop.ends, -f64::from(side) * self.passed(s, side, t, y)[1]);
            }
        }
        for (g, gear) in self.gears.iter().enumerate() {
            let constant = gear.friction.map_or(0.0, |f| f[0]);
            add([Some(gear.ends[0]), None], -f64::from(mode.gears[g].0) * constant);
        }
        for (c, l) in self.loops.iter().enumerate() {
            add([Some(l.on), None], self.control(c, t, y, mode));
        }
        f
    }

    fn slope(&self, t: f64, y: &[f64], mode: &Mode) -> Option<Vec<f64>> {
        let n = self.n();
        let mut dy = y[n..2 * n].to_vec();
        dy.extend(self.solve(t, y, mode)?.0);
        for (c, l) in self.loops.iter().enumerate() {
            if l.sampling.is_some() {
                dy.extend([0.0, 0.0]);
                continue;
            }
            let e = self.error(c, t, y);
            let filtered = l.gains.derivative != 0.0;
            let z = if filtered { (e - y[self.inner(c) + 1]) / l.gains.filter } else { 0.0 };
            dy.extend([e, z]);
        }
        for (e, s) in self.sliders.iter().enumerate() {
            let bristle = match &s.rubs {
                Rubs::Bristle(b) => Some(b),
                Rubs::Law(..) => None,
            };
            let z = y[self.bristle(e)];
            dy.push(bristle.map_or(0.0, |b| b.rate(self.slide(e, t, y), z)));
        }
        Some(dy)
    }

    /// One step by Gragg's midpoint rule with 2, 4, … 10 parts, extrapolated; and how far it is from the one of an order less.
    fn step(&self, t: f64, y: &[f64], h: f64, mode: &Mode) -> Option<(Vec<f64>, f64)> {
        let first = self.slope(t, y, mode)?;
        let mut table: Vec<Vec<f64>> = Vec::new();
        let mut error = f64::INFINITY;
        for j in 1..=5usize {
            let parts = 2 * j;
            let d = h / parts as f64;
            let mut before = y.to_vec();
            let mut now: Vec<f64> = y.iter().zip(&first).map(|(y, f)| y + d * f).collect();
            for k in 1..parts {
                let f = self.slope(t + d * k as f64, &now, mode)?;
                let next = before.iter().zip(&f).map(|(y, f)| y + 2.0 * d * f).collect();
                before = std::mem::replace(&mut now, next);
            }
            let mut row = now;
            let mut new = vec![row.clone()];
            for (k, older) in table.iter().enumerate() {
                let ratio = (parts as f64 / (2 * (j - 1 - k)) as f64).powi(2) - 1.0;
                row = row.iter().zip(older).map(|(a, b)| a + (a - b) / ratio).collect();
                new.push(row.clone());
            }
            if let [.., before, last] = &new[..] {
                let off = |(a, b): (&f64, &f64)| (a - b).abs() / (1.0 + a.abs());
                error = before.iter().zip(last).map(off).fold(0.0, f64::max);
            }
            table = new;
        }
        Some((table.pop()?, error))
    }

    /// Where laws and springs have kinks, and sliders are lifted off: which side of each of them a state is on.
    fn sides(&self, t: f64, y: &[f64], mode: &Mode) -> Vec<bool> {
        let mut all = Vec::new();
        for l in &self.links {
            let z = across(y, l.ends);
            all.extend(l.pull.kinks().into_iter().flatten().map(|k| z > k));
        }
        for (e, s) in self.sliders.iter().enumerate() {
            if matches!(s.pressed, Some((Presser::Link(_), _))) {
                all.push(self.pressing(e, t, y, mode) > 0.0);
            }
        }
        for (e, s) in self.sliders.iter().enumerate() {
            let w = self.slide(e, t, y);
            match &s.rubs {
                Rubs::Law(_, kinks) => all.extend(kinks.iter().map(|k| w.abs() > *k)),
                Rubs::Bristle(Bristle::BoucWen(_)) => all.push(y[self.bristle(e)] > 0.0),
                Rubs::Bristle(_) => {}
            }
        }
        all
    }

    /// What ends a mode where it becomes negative.
    fn margins(&self, t: f64, y: &[f64], mode: &Mode) -> Option<Vec<(Change, f64)>> {
        let n = self.n();
        let forces = self.solve(t, y, mode)?.1;
        let of = |row: Row| forces.iter().find(|f| f.0 == row).map_or(0.0, |f| f.1);
        let mut all = Vec::new();
        for (e, s) in self.sliders.iter().enumerate() {
            let side = f64::from(mode.slips[e]);
            match &s.rubs {
                Rubs::Bristle(_) => all.push((Change::Turns(e), side * self.slide(e, t, y))),
                Rubs::Law(..) if side != 0.0 => {
                    all.push((Change::Halts(e), side * self.slide(e, t, y)));
                }
                Rubs::Law(law, _) => {
                    for side in [1i8, -1] {
                        let to = f64::from(side);
                        let limit = self.press(e, t, y, mode) * law.limit(to, t - mode.since[e]);
                        all.push((Change::Slips(e, side), limit + to * of(Row::Slider(e))));
                    }
                }
            }
        }
        for (s, stop) in self.stops.iter().enumerate() {
            match mode.stops[s] {
                Touch::Open => {
                    for side in [1i8, -1] {
                        if stop.bounds[usize::from(side > 0)].is_some() {
                            all.push((Change::Hits(s, side), -self.passed(s, side, t, y)[0]));
                        }
                    }
                }
                Touch::Closed(side) => {
                    all.push((Change::Opens(s), -f64::from(side) * of(Row::Stop(s))));
                }
                Touch::Soft(side, true) => {
                    all.push((Change::Ceases(s), self.passed(s, side, t, y)[1]));
                }
                Touch::Soft(side, false) => {
                    let [p, f] = self.passed(s, side, t, y);
                    all.extend([(Change::Pushes(s), -f), (Change::Leaves(s), p)]);
                }
            }
        }
        for (g, gear) in self.gears.iter().enumerate() {
            let Some([constant, forward, backward]) = gear.friction else { continue };
            let (side, sign) = mode.gears[g];
            let load = -f64::from(sign) * gear.ratio * of(Row::Gear(g));
            all.push((Change::Flips(g), load));
            if side != 0 {
                all.push((Change::Stalls(g), f64::from(side) * y[n + gear.ends[0]]));
                continue;
            }
            let held = of(Row::Hold(g));
            all.push((Change::Starts(g, 1), constant + forward * load + held));
            all.push((Change::Starts(g, -1), constant + backward * load - held));
        }
        for (c, l) in self.loops.iter().enumerate() {
            let Some((limit, _)) = l.limit.filter(|_| l.sampling.is_none()) else { continue };
            let raw = self.raw(c, t, y);
            match mode.limits[c] {
                0 => {
                    all.push((Change::Limit(c, 1), limit - raw));
                    all.push((Change::Limit(c, -1), limit + raw));
                }
                side => all.push((Change::Limit(c, 0), f64::from(side) * raw - limit)),
            }
        }
        Some(all)
    }
}

/// A motion as it is followed.
struct Run<'a> {
    plant: &'a Plant,
    t: f64,
    y: Vec<f64>,
    mode: Mode,
    told: Vec<Told>,
    /// Instants of impacts that are not compared.
    slow: Vec<f64>,
}

impl<'a> Run<'a> {
    fn begin(plant: &'a Plant) -> Result<Self, Left> {
        let n = plant.n();
        let mut y = vec![0.0; 2 * n + 2 * plant.loops.len() + plant.sliders.len()];
        y[n..2 * n].copy_from_slice(&plant.v0);
        for c in 0..plant.loops.len() {
            y[plant.inner(c) + 1] = plant.error(c, 0.0, &y);
        }
        let side = |e: usize| match plant.slide(e, 0.0, &y) {
            0.0 => 0,
            w => w.signum() as i8,
        };
        let slips: Vec<i8> = (0..plant.sliders.len()).map(side).collect();
        let turning =
            |g: &Gear| if y[n + g.ends[0]] == 0.0 { 0 } else { y[n + g.ends[0]].signum() as i8 };
        let bristles = plant.sliders.iter().zip(&slips);
        if bristles.into_iter().any(|(s, side)| matches!(s.rubs, Rubs::Bristle(_)) && *side == 0) {
            return Err(Left::Ambiguous);
        }
        let limit = |c: usize| match plant.loops[c].limit {
            Some((limit, _)) if plant.loops[c].sampling.is_none() => {
                let raw = plant.raw(c, 0.0, &y);
                if raw.abs() > limit { raw.signum() as i8 } else { 0 }
            }
            _ => 0,
        };
        let mode = Mode {
            since: vec![0.0; slips.len()],
            slips,
            stops: vec![Touch::Open; plant.stops.len()],
            gears: plant.gears.iter().map(|g| (turning(g), 1)).collect(),
            limits: (0..plant.loops.len()).map(limit).collect(),
            ticks: vec![Ticks::default(); plant.loops.len()],
            giving: vec![false; plant.sliders.len()],
        };
        let mut run = Self { plant, t: 0.0, y, mode, told: Vec::new(), slow: Vec::new() };
        run.tick();
        run.settle(None)?;
        run.told.clear();
        Ok(run)
    }

    fn tell(&mut self, part: Row, kind: EventKind) {
        let place = match part {
            Row::Slider(e) => e,
            Row::Stop(s) => self.plant.sliders.len() + s,
            Row::Gear(g) | Row::Hold(g) => self.plant.sliders.len() + self.plant.stops.len() + g,
        };
        self.told.push((self.t, place, kind));
    }

    /// Lets go what cannot be held, one after the other; what has just come to rest came from a side.
    fn settle(&mut self, mut fresh: Option<(Row, i8)>) -> Result<(), Left> {
        for _ in 0..40 {
            let margins = self.plant.margins(self.t, &self.y, &self.mode).ok_or(Left::Ambiguous)?;
            let gives = |(change, margin): &(Change, f64)| {
                let held = matches!(
                    change,
                    Change::Slips(..) | Change::Opens(_) | Change::Starts(..) | Change::Flips(_)
                );
                (held && *margin < -SMALL).then_some(*change)
            };
            let Some(change) = margins.iter().find_map(gives) else {
                // All that give way under what the others hold are known: now they slip.
                if self.mode.giving.iter().any(|g| *g) {
                    self.mode.giving.fill(false);
                    continue;
                }
                return Ok(());
            };
            let was = |row: Row, fresh: &mut Option<(Row, i8)>| {
                fresh.take_if(|f| f.0 == row).map_or(EventKind::Slip, |_| EventKind::Reversal)
            };
            match change {
                Change::Slips(e, side) => {
                    self.mode.slips[e] = side;
                    self.mode.giving[e] = true;
                    // One after the other is not how several give way: that is left to those who solve for all at once.
                    if self.t > 0.0 && self.mode.giving.iter().filter(|g| **g).count() > 1 {
                        return Err(Left::Ambiguous);
                    }
                    let kind = was(Row::Slider(e), &mut fresh);
                    self.tell(Row::Slider(e), kind);
                }
                Change::Starts(g, side) => {
                    self.mode.gears[g].0 = side;
                    let kind = was(Row::Gear(g), &mut fresh);
                    self.tell(Row::Gear(g), kind);
                }
                Change::Opens(s) => {
                    self.mode.stops[s] = Touch::Open;
                    self.tell(Row::Stop(s), EventKind::Release);
                }
                Change::Flips(g) => {
                    self.mode.gears[g].1 *= -1;
                    // A tick may turn the torque of a gear that slides.
                    if self.mode.gears[g].0 != 0 {
                        self.tell(Row::Gear(g), EventKind::LoadReversal);
                    }
                }
                _ => {}
            }
        }
        Err(Left::Ambiguous)
    }

    /// Velocities that fit what is held: the least change, weighted by the masses.
    fn project(&mut self) -> Result<(), Left> {
        let plant = self.plant;
        let n = plant.n();
        let rows = plant.rows(self.t, &self.mode);
        let m = n + rows.len();
        let (mut a, mut b) = (vec![vec![0.0; m]; m], vec![0.0; m]);
        for i in 0..n {
            a[i][i] = plant.mass[i];
        }
        for (k, (row, line, _)) in rows.iter().enumerate() {
            let wanted = match *row {
                Row::Slider(e) => plant.sliders[e].surface.at(self.t),
                Row::Stop(s) => match self.mode.stops[s] {
                    Touch::Closed(side) => {
                        plant.stops[s].bounds[usize::from(side > 0)].unwrap().rate(self.t)
                    }
                    _ => 0.0,
                },
                Row::Gear(_) | Row::Hold(_) => 0.0,
            };
            for i in 0..n {
                a[n + k][i] = line[i];
                a[i][n + k] = -line[i];
                b[n + k] -= line[i] * self.y[n + i];
            }
            b[n + k] += wanted;
        }
        let found = eliminate(a, b).ok_or(Left::Ambiguous)?;
        (0..n).for_each(|i| self.y[n + i] += found[i]);
        Ok(())
    }

    /// What sampled controllers read and do at this instant.
    fn tick(&mut self) {
        let plant = self.plant;
        for (c, l) in plant.loops.iter().enumerate() {
            let Some(s) = l.sampling else { continue };
            if self.mode.ticks[c].k as f64 * s.time <= self.t {
                let raw = across(&self.y, l.of);
                let read =
                    if s.quantum > 0.0 { (raw / s.quantum).round() * s.quantum } else { raw };
                let e = l.reference.at(self.t) - read;
                let m = &mut self.mode.ticks[c];
                m.rate = (l.gains.filter * m.rate + e - m.before.unwrap_or(e))
                    / (l.gains.filter + s.time);
                m.before = Some(e);
                let sum = m.sum + l.gains.integral * s.time * e;
                let u = l.gains.proportional * e + sum + l.gains.derivative * m.rate;
                let (cut, clamp) =
                    l.limit.map_or((u, false), |(most, clamp)| (u.clamp(-most, most), clamp));
                if !(clamp && (u - cut) * (sum - m.sum) > 0.0) {
                    m.sum = sum;
                }
                m.pending.push((m.k as f64 * s.time + s.delay, cut));
                m.k += 1;
            }
            let m = &mut self.mode.ticks[c];
            while m.pending.first().is_some_and(|p| p.0 <= self.t + 1e-12) {
                m.applied = m.pending.remove(0).1;
            }
        }
    }

    /// The next instant at which something is due.
    fn due(&self) -> f64 {
        let own = |(l, m): (&Loop, &Ticks)| {
            let tick = l.sampling.map_or(f64::INFINITY, |s| m.k as f64 * s.time);
            m.pending.first().map_or(tick, |p| p.0.min(tick))
        };
        self.plant.loops.iter().zip(&self.mode.ticks).map(own).fold(f64::INFINITY, f64::min)
    }

    fn state(&self, s: f64) -> Result<Vec<f64>, Left> {
        Ok(self.made(s)?.0)
    }

    /// The state after a step of `s`, and its error.
    fn made(&self, s: f64) -> Result<(Vec<f64>, f64), Left> {
        self.plant.step(self.t, &self.y, s, &self.mode).ok_or(Left::Ambiguous)
    }

    fn margins(&self, s: f64, y: &[f64]) -> Result<Vec<(Change, f64)>, Left> {
        self.plant.margins(self.t + s, y, &self.mode).ok_or(Left::Ambiguous)
    }

    /// Where in a step of length `hi` the margin of a change becomes negative: by the secant of Illinois.
    fn root(&self, change: Change, mut hi: f64) -> Result<f64, Left> {
        let at = |s: f64| -> Result<f64, Left> {
            let y = self.state(s)?;
            let margins = self.margins(s, &y)?;
            Ok(margins.iter().find(|m| m.0 == change).map_or(-1.0, |m| m.1))
        };
        let mut above = at(0.0)?;
        let mut lo = 0.0;
        // A margin that begins at zero and grows first: what is sought is where it comes back.
        let mut k = 0;
        while above <= 1e-12 {
            k += 1;
            if k > 30 {
                return Ok(0.0);
            }
            let s = hi * 0.5f64.powi(k);
            above = at(s)?;
            lo = s;
        }
        let mut below = at(hi)?;
        let mut last = 0;
        for _ in 0..100 {
            if hi - lo < 1e-14 * (1.0 + self.t) {
                break;
            }
            let mut s = (lo * below - hi * above) / (below - above);
            if !(s > lo && s < hi) {
                s = 0.5 * (lo + hi);
            }
            let f = at(s)?;
            if f > 0.0 {
                (lo, above) = (s, f);
                below *= if last == 1 { 0.5 } else { 1.0 };
                last = 1;
            } else {
                (hi, below) = (s, f);
                above *= if last == -1 { 0.5 } else { 1.0 };
                last = -1;
            }
            // From either side: the upper end may still be far away.
            if f.abs() < 1e-15 {
                return Ok(s);
            }
        }
        Ok(hi)
    }

    /// Where in a step of length `hi` a kink of a law is passed.
    fn kink(&self, mut hi: f64) -> Result<f64, Left> {
        let before = self.plant.sides(self.t, &self.y, &self.mode);
        let mut lo = 0.0;
        for _ in 0..45 {
            let s = 0.5 * (lo + hi);
            if self.plant.sides(self.t + s, &self.state(s)?, &self.mode) == before {
                lo = s
            } else {
                hi = s
            }
        }
        Ok(hi)
    }

    /// One step of at most `h`, to the first thing that happens in it.
    fn advance(&mut self, h: f64) -> Result<(), Left> {
        let (there, error) = self.made(h)?;
        let before = self.plant.sides(self.t, &self.y, &self.mode);
        let negative = |margins: &[(Change, f64)], but: Option<Change>, least: f64| {
            margins.iter().find(|m| m.1 < -least && Some(m.0) != but).map(|m| m.0)
        };
        let margins = self.margins(h, &there)?;
        let mut target = negative(&margins, None, 0.0);
        let passes = self.plant.sides(self.t + h, &there, &self.mode) != before;
        if target.is_none() && !passes {
            if error > EXACT && h > SHORTEST {
                return self.advance(0.5 * h);
            }
            self.t += h;
            self.y = there;
            return Ok(());
        }
        let mut hi = h;
        let (s, y, error) = loop {
            let s = match target {
                Some(change) => self.root(change, hi)?,
                None => self.kink(hi)?,
            };
            let (y, error) = self.made(s)?;
            let margins = self.margins(s, &y)?;
            let other = negative(&margins, target, 1e-11).filter(|_| s > 0.0 && s < hi);
            if let Some(other) = other {
                (hi, target) = (s, Some(other));
                continue;
            }
            if target.is_some() && s < hi && self.plant.sides(self.t + s, &y, &self.mode) != before
            {
                (hi, target) = (s, None);
                continue;
            }
            break (s, y, error);
        };
        if error > EXACT && s > SHORTEST {
            return self.advance(0.5 * s);
        }
        self.t += s;
        self.y = y;
        target.map_or(Ok(()), |change| self.apply(change))
    }

    fn apply(&mut self, change: Change) -> Result<(), Left> {
        match change {
            Change::Slips(e, side) => {
                self.mode.slips[e] = side;
                self.mode.giving[e] = true;
                self.tell(Row::Slider(e), EventKind::Slip);
            }
            Change::Starts(g, side) => {
                self.mode.gears[g].0 = side;
                self.tell(Row::Gear(g), EventKind::Slip);
            }
            Change::Halts(e) => return self.rest(Row::Slider(e)),
            Change::Stalls(g) => return self.rest(Row::Gear(g)),
            Change::Turns(e) => {
                self.mode.slips[e] *= -1;
                self.tell(Row::Slider(e), EventKind::Reversal);
            }
            Change::Flips(g) => {
                self.mode.gears[g].1 *= -1;
                if self.mode.gears[g].0 != 0 {
                    self.tell(Row::Gear(g), EventKind::LoadReversal);
                }
            }
            Change::Opens(s) => {
                self.mode.stops[s] = Touch::Open;
                self.tell(Row::Stop(s), EventKind::Release);
            }
            Change::Pushes(s) | Change::Ceases(s) => {
                let pushes = matches!(change, Change::Pushes(_));
                if let Touch::Soft(side, _) = self.mode.stops[s] {
                    self.mode.stops[s] = Touch::Soft(side, pushes);
                }
                let kind = if pushes { EventKind::Contact } else { EventKind::Release };
                self.tell(Row::Stop(s), kind);
            }
            Change::Leaves(s) => self.mode.stops[s] = Touch::Open,
            Change::Limit(c, to) => self.mode.limits[c] = to,
            Change::Hits(s, side) => return self.hit(s, side),
        }
        self.settle(None)
    }

    /// A slider or a gear whose velocity has come to zero.
    fn rest(&mut self, row: Row) -> Result<(), Left> {
        let was = match row {
            Row::Slider(e) => std::mem::take(&mut self.mode.slips[e]),
            Row::Gear(g) | Row::Hold(g) => std::mem::take(&mut self.mode.gears[g].0),
            Row::Stop(_) => 0,
        };
        if let Row::Slider(e) = row {
            self.mode.since[e] = self.t;
        }
        self.project()?;
        let place = self.told.len();
        self.settle(Some((row, was)))?;
        let rests = match row {
            Row::Slider(e) => self.mode.slips[e] == 0,
            Row::Gear(g) | Row::Hold(g) => self.mode.gears[g].0 == 0,
            Row::Stop(_) => false,
        };
        if rests {
            self.tell(row, EventKind::Stick);
            let stick = self.told.pop().unwrap();
            self.told.insert(place, stick);
        }
        Ok(())
    }

    /// Two ends meet.
    fn hit(&mut self, s: usize, side: i8) -> Result<(), Left> {
        let plant = self.plant;
        let stop = plant.stops[s];
        let Bumper::Rigid { restitution } = stop.bumper else {
            self.mode.stops[s] = Touch::Soft(side, true);
            self.tell(Row::Stop(s), EventKind::Contact);
            return self.settle(None);
        };
        if self.mode.stops.iter().any(|t| matches!(t, Touch::Closed(_))) {
            return Err(Left::Ambiguous);
        }
        let n = plant.n();
        let bound = stop.bounds[usize::from(side > 0)].unwrap();
        let met = across(&self.y[n..], stop.ends) - bound.rate(self.t);
        let closing = f64::from(side) * met;
        let slides: Vec<f64> =
            (0..plant.sliders.len()).map(|e| plant.slide(e, self.t, &self.y)).collect();
        let still = closing < 1e-9;
        let e = if still { 0.0 } else { restitution };
        let (share, weight) = self.blow(stop.ends)?;
        for (i, share) in share.iter().enumerate() {
            self.y[n + i] -= (1.0 + e) * met / weight * share;
        }
        if closing.abs() < SLOW {
            self.slow.push(self.t);
        }
        if e > 0.0 {
            self.tell(Row::Stop(s), EventKind::Impact);
        } else {
            self.mode.stops[s] = Touch::Closed(side);
            self.tell(Row::Stop(s), EventKind::Contact);
        }
        if !still {
            self.torn(&slides);
        }
        if e == 0.0 {
            self.project()?;
        }
        self.settle(None)?;
        // What the stop holds still does not slide: stop and slider hold one mass together, more forces than equations.
        let still_slides = |e: usize| {
            let slides = self.mode.slips[e] != 0 && matches!(plant.sliders[e].rubs, Rubs::Law(..));
            slides && plant.slide(e, self.t, &self.y).abs() < SMALL
        };
        let holds = matches!(self.mode.stops[s], Touch::Closed(_));
        if holds && (0..plant.sliders.len()).any(still_slides) {
            return Err(Left::Ambiguous);
        }
        // A stop that lets go at once has been hit, no more.
        if e == 0.0 && !still && self.mode.stops[s] == Touch::Open {
            let here = (self.t, plant.sliders.len() + s);
            self.told.retain(|e| (e.0, e.1) != here || e.2 != EventKind::Release);
            for told in self.told.iter_mut().filter(|e| (e.0, e.1) == here) {
                told.2 = EventKind::Impact;
            }
        }
        Ok(())
    }

    /// What an impact does to sliders and gears.
    fn torn(&mut self, before: &[f64]) {
        let plant = self.plant;
        let n = plant.n();
        for e in 0..plant.sliders.len() {
            let w = plant.slide(e, self.t, &self.y);
            let changed = (w - before[e]).abs() > 1e-13;
            let (was, now) = (self.mode.slips[e], w.signum() as i8);
            if changed && was != now {
                self.mode.slips[e] = now;
                let kind = if was == 0 { EventKind::Slip } else { EventKind::Reversal };
                self.tell(Row::Slider(e), kind);
            }
        }
        for (g, gear) in plant.gears.iter().enumerate() {
            let v = self.y[n + gear.ends[0]];
            let (was, now) = (self.mode.gears[g].0, v.signum() as i8);
            if gear.friction.is_some() && v.abs() > 1e-13 && was != now {
                self.mode.gears[g].0 = now;
                let kind = if was == 0 { EventKind::Slip } else { EventKind::Reversal };
                self.tell(Row::Gear(g), kind);
            }
        }
    }

    /// What an impulse of 1 between these ends does to the velocities, through gears, and across the ends.
    fn blow(&self, ends: Ends) -> Result<(Vec<f64>, f64), Left> {
        let plant = self.plant;
        let n = plant.n();
        let m = n + plant.gears.len();
        let (mut a, mut b) = (vec![vec![0.0; m]; m], vec![0.0; m]);
        for i in 0..n {
            a[i][i] = plant.mass[i];
        }
        for (g, gear) in plant.gears.iter().enumerate() {
            for (i, f) in gear.ends.into_iter().zip([1.0, -gear.ratio]) {
                a[n + g][i] = f;
                a[i][n + g] = -f;
            }
        }
        for (end, sign) in ends.into_iter().zip([1.0, -1.0]) {
            if let Some(i) = end {
                b[i] = sign;
            }
        }
        let mut found = eliminate(a, b).ok_or(Left::Ambiguous)?;
        found.truncate(n);
        let weight = across(&found, ends);
        Ok((found, weight))
    }

    fn run(mut self, end: f64, h: f64) -> Result<Self, Left> {
        let mut rounds = 0;
        while self.t < end {
            rounds += 1;
            if rounds > 200_000 || self.told.len() > 2000 {
                return Err(Left::Endless);
            }
            let due = self.due();
            if due <= self.t {
                self.tick();
                self.settle(None)?;
                continue;
            }
            let until = due.min(end);
            let left = until - self.t;
            if left <= h * (1.0 + 1e-9) {
                self.advance(left)?;
                if (self.t - until).abs() < 1e-13 * (1.0 + until) {
                    self.t = until;
                }
            } else {
                self.advance(h)?;
            }
        }
        self.told.retain(|e| e.0 > 0.0);
        Ok(self)
    }
}

impl Plant {
    fn solved(&self, end: f64, h: f64) -> Result<Run<'_>, Left> {
        Run::begin(self)?.run(end, h)
    }
}

fn wave(r: &mut Random, mean: f64, size: f64) -> Wave {
    Wave {
        mean: r.uniform(-mean, mean),
        size: r.uniform(0.2 * size, size),
        frequency: r.uniform(0.5, 3.0),
        phase: r.uniform(-3.0, 3.0),
    }
}

/// Any law that has no memory, and its kinks.
fn law(r: &mut Random) -> Rubs {
    let rest = r.uniform(0.3, 1.2);
    let fast = rest * r.uniform(0.4, 0.95);
    let speed = r.uniform(0.1, 0.6);
    let two = |r: &mut Random| {
        let rest = r.uniform(0.3, 1.2);
        Law::static_dynamic(rest, rest * r.uniform(0.5, 1.0)).unwrap()
    };
    let (law, kinks) = match r.next() % 9 {
        0 => (Law::coulomb(rest), vec![]),
        1 => (Law::static_dynamic(rest, fast), vec![]),
        2 => {
            let exponent = if r.chance(0.5) { 1.0 } else { 2.0 };
            (Law::stribeck_exponential(rest, fast, speed, exponent, r.uniform(0.0, 0.2)), vec![])
        }
        3 => (Law::stribeck(r.uniform(0.0, 0.5), r.uniform(0.0, 0.8), 0.3, rest), vec![]),
        4 => (Law::velocity_strengthening(fast, rest, r.uniform(1.0, 5.0)), vec![]),
        5 => (Law::cubic(rest, rest * r.uniform(0.1, 0.3), rest * r.uniform(0.02, 0.1)), vec![]),
        6 => {
            let speeds = [0.0, 0.2, 0.7, 1.5];
            {
                let table = General::table(&speeds, &[rest, fast, 0.8 * rest, rest]);
                (table.map(Law::General), speeds[1..].to_vec())
            }
        }
        7 => {
            let growth = stickslip::law::Growth::Power {
                breakaway: rest,
                time: r.uniform(0.3, 2.0),
                exponent: 1.0,
            };
            let aged = stickslip::law::Ageing::new(fast, growth).map(Law::Ageing);
            (aged, vec![])
        }
        _ => (Law::asymmetric(two(r), two(r)), vec![]),
    };
    Rubs::Law(law.unwrap(), kinks)
}

fn bristle(r: &mut Random) -> Bristle {
    let rest = r.uniform(0.3, 1.0);
    let sigma = r.uniform(20.0, 80.0);
    match r.next() % 3 {
        0 => Bristle::Dahl([rest, sigma]),
        1 => {
            let fast = rest * r.uniform(0.6, 1.0);
            Bristle::Lugre([rest, fast, r.uniform(0.2, 0.6), sigma, r.uniform(0.5, 2.0), 0.2])
        }
        _ => Bristle::BoucWen([r.uniform(5.0, 20.0), r.uniform(5.0, 15.0), r.uniform(1.0, 5.0)]),
    }
}

/// Parts of a random machine in the order in which they are joined.
fn random(seed: u64) -> Plant {
    let mut r = Random(seed.wrapping_mul(0x9e37_79b9));
    let n = 2 + (r.next() % 5) as usize;
    let mut plant = Plant {
        mass: (0..n).map(|_| r.uniform(0.5, 2.0)).collect(),
        v0: (0..n).map(|_| if r.chance(0.3) { 0.0 } else { r.uniform(-1.0, 1.0) }).collect(),
        force: (0..n)
            .map(|_| if r.chance(0.6) { wave(&mut r, 0.5, 1.5) } else { Wave::default() })
            .collect(),
        links: Vec::new(),
        sliders: Vec::new(),
        stops: Vec::new(),
        gears: Vec::new(),
        loops: Vec::new(),
    };
    for i in 0..n {
        let before = i.checked_sub(1);
        let pull = match r.next() % 4 {
            0 => Pull::Sine([r.uniform(1.0, 5.0), r.uniform(0.5, 1.5)]),
            1 => Pull::Powers([r.uniform(1.0, 8.0), r.uniform(0.1, 1.0)]),
            _ => Pull::Powers([r.uniform(2.0, 15.0), 0.0]),
        };
        plant.links.push(Link { ends: [Some(i), before], pull, damping: r.uniform(0.05, 0.6) });
    }
    // The last two nodes may be geared: with friction in the gear nothing else rubs there.
    let geared = n > 2 && r.chance(0.4);
    if geared {
        let ratio = r.uniform(0.7, 3.0) * if r.chance(0.3) { -1.0 } else { 1.0 };
        let friction = r
            .chance(0.6)
            .then(|| [r.uniform(0.05, 0.3), r.uniform(0.0, 0.25), r.uniform(0.0, 0.25)]);
        plant.gears.push(Gear { ends: [n - 2, n - 1], ratio, friction });
        plant.v0[n - 2] = 0.0;
        plant.v0[n - 1] = 0.0;
    }
    let rubbing = geared && plant.gears[0].friction.is_some();
    for i in 0..n {
        let taken = geared && (i == n - 1 || (rubbing && i == n - 2));
        if taken || r.chance(0.25) {
            continue;
        }
        let moving = plant.v0[i] != 0.0;
        let other = (i > 0 && r.chance(0.25)).then(|| i - 1).filter(|j| !geared || *j < n - 2);
        let rubs =
            if moving && r.chance(0.2) { Rubs::Bristle(bristle(&mut r)) } else { law(&mut r) };
        let surface = if r.chance(0.2) { wave(&mut r, 0.3, 0.3) } else { Wave::default() };
        let normal = r.chance(0.2).then(|| Wave { mean: 1.5, ..wave(&mut r, 0.0, 0.8) });
        let ends = [Some(i), other];
        plant.sliders.push(Slider { ends, rubs, surface, normal, pressed: None });
    }
    for _ in 0..(r.next() % 3).min(2) {
        let i = (r.next() % n as u64) as usize;
        let other = (i > 0 && r.chance(0.5)).then(|| i - 1);
        if plant.stops.iter().any(|s| s.ends == [Some(i), other])
            || (geared && other == Some(n - 2))
        {
            continue;
        }
        let bumper = if r.chance(0.5) {
            Bumper::Rigid { restitution: r.uniform(0.0, 0.8) * f64::from(r.chance(0.85)) }
        } else {
            Bumper::Soft { stiffness: r.uniform(20.0, 80.0), damping: r.uniform(0.0, 2.0) }
        };
        let mut bound = |sign: f64| {
            let at = sign * r.uniform(0.15, 0.5);
            let moves = r.chance(0.3);
            Wave { mean: at, size: if moves { 0.05 } else { 0.0 }, frequency: 1.3, phase: 0.0 }
        };
        let bounds = [Some(bound(-1.0)), Some(bound(1.0))];
        let bounds = if r.chance(0.3) { [None, bounds[1]] } else { bounds };
        plant.stops.push(Stop { ends: [Some(i), other], bounds, bumper });
    }
    if r.chance(0.45) {
        let of = (r.next() % n as u64) as usize;
        let sampled = r.chance(0.5);
        let time = r.uniform(0.05, 0.2);
        let delay = [0.0, 0.37 * time, time][(r.next() % 3) as usize];
        let quantum = if r.chance(0.3) { 0.02 } else { 0.0 };
        let gains = Gains {
            proportional: r.uniform(1.0, 8.0),
            integral: if r.chance(0.7) { r.uniform(0.5, 4.0) } else { 0.0 },
            derivative: if r.chance(0.7) { r.uniform(0.3, 2.0) } else { 0.0 },
            filter: r.uniform(0.05, 0.2),
        };
        let clamp = sampled && r.chance(0.5);
        plant.loops.push(Loop {
            of: [Some(of), None],
            on: of,
            reference: wave(&mut r, 0.5, 0.4),
            gains,
            limit: r.chance(0.5).then(|| (r.uniform(0.8, 3.0), clamp)),
            sampling: sampled.then_some(Sampling { time, delay, quantum }),
        });
    }
    plant
}

/// The same machine with springs by tables or with play, and sliders that springs and soft stops press.
fn bent(seed: u64) -> Plant {
    let mut plant = random(seed);
    let mut r = Random(seed.wrapping_mul(0x9e37_79b9) ^ 0x5bd1_e995);
    for l in plant.links.iter_mut().skip(1) {
        if r.chance(0.7) {
            let [lower, upper] = [r.uniform(-0.3, -0.02), r.uniform(0.02, 0.3)];
            let k = r.uniform(3.0, 20.0);
            l.pull = if r.chance(0.5) {
                Pull::Play([k, lower, upper])
            } else {
                let soft = k * r.uniform(0.1, 0.6);
                let [a, b] = [soft * lower, soft * upper];
                Pull::Table([[lower - 1.0, a - k], [lower, a], [upper, b], [upper + 1.0, b + k]])
            };
        }
    }
    let soft = |s: &Stop| matches!(s.bumper, Bumper::Soft { .. });
    let soft: Vec<usize> = (0..plant.stops.len()).filter(|k| soft(&plant.stops[*k])).collect();
    for s in &mut plant.sliders {
        let by_stop = !soft.is_empty() && r.chance(0.5);
        let factor = r.uniform(0.2, 1.0);
        if r.chance(0.3) {
            continue;
        }
        let own = r.uniform(0.2, 1.0);
        s.normal = Some(Wave { mean: own, size: 0.3 * own, frequency: 1.7, phase: 0.4 });
        s.pressed = Some(if by_stop {
            (Presser::Stop(soft[0]), factor)
        } else {
            let l = (r.next() % plant.links.len() as u64) as usize;
            (Presser::Link(l), if r.chance(0.5) { factor } else { -factor })
        });
    }
    plant
}

impl Plant {
    /// The stiffness of a link that the network itself holds.
    fn linear(&self, k: usize) -> Option<f64> {
        let presses = |s: &Slider| matches!(s.pressed, Some((Presser::Link(l), _)) if l == k);
        match self.links[k].pull {
            Pull::Powers([stiffness, 0.0]) if !self.sliders.iter().any(presses) => Some(stiffness),
            _ => None,
        }
    }

    fn machine(&self) -> Machine {
        let name = |i: usize| format!("n{i}");
        let end = |i: Option<usize>| i.map_or("ground".to_owned(), name);
        let mut b = Network::builder().unjoined();
        for i in 0..self.n() {
            b = b.node(&*name(i), self.mass[i]).starting_at(&*name(i), 0.0, self.v0[i]);
            b = b.force(&*name(i), self.force[i].signal());
        }
        for (k, l) in self.links.iter().enumerate() {
            let ends = l.ends.map(end);
            if let Some(k) = self.linear(k) {
                b = b.spring(&*ends[0], &*ends[1], k);
            }
            b = b.dashpot(&*ends[0], &*ends[1], l.damping);
        }
        for (e, s) in self.sliders.iter().enumerate() {
            let ends = s.ends.map(end);
            b = b.slider(&*format!("s{e}"), &*ends[0], &*ends[1], 1.0, 1.0);
            if let Some(normal) = s.normal {
                b = b.normal(normal.signal());
            }
        }
        let names: Vec<[String; 2]> = self.gears.iter().map(|g| g.ends.map(name)).collect();
        let gears = self.gears.iter().zip(&names).map(|(g, ends)| GearBetween {
            name: "gear",
            between: [&ends[0], &ends[1]],
            ratio: g.ratio,
            friction: g.friction.map(|[force, forward, backward]| GearFriction {
                force,
                forward,
                backward,
            }),
        });
        let mut machine = Machine::geared(b.build().unwrap(), gears).unwrap();
        for (e, s) in self.sliders.iter().enumerate() {
            let slider = format!("s{e}");
            machine = match &s.rubs {
                Rubs::Law(law, _) => machine.with_law(&slider, law.clone()).unwrap(),
                Rubs::Bristle(b) => machine.with_memory(&slider, b.memory(), []).unwrap(),
            };
            machine = machine.with_support(&slider, s.surface.signal()).unwrap();
        }
        for (k, l) in self.links.iter().enumerate().filter(|(k, _)| self.linear(*k).is_none()) {
            let ends = l.ends.map(end);
            let between = [&*ends[0], &*ends[1]];
            machine = machine.with_named_spring(&format!("l{k}"), between, l.pull.curve()).unwrap();
        }
        for (s, stop) in self.stops.iter().enumerate() {
            let ends = stop.ends.map(end);
            let bounds = stop.bounds.map(|b| b.map(Wave::signal));
            let name = format!("stop{s}");
            machine = machine.with_stop(&name, [&ends[0], &ends[1]], bounds, stop.bumper).unwrap();
        }
        for (e, s) in self.sliders.iter().enumerate() {
            let slider = format!("s{e}");
            machine = match s.pressed {
                None => machine,
                Some((Presser::Link(l), factor)) => {
                    machine.pressed_by_spring(&slider, &format!("l{l}"), factor).unwrap()
                }
                Some((Presser::Stop(k), factor)) => {
                    machine.pressed_by_stop(&slider, &format!("stop{k}"), factor).unwrap()
                }
            };
        }
        for (c, l) in self.loops.iter().enumerate() {
            let mut rule = ControlLaw::pid(l.gains).following(l.reference.signal());
            if let Some((limit, clamp)) = l.limit {
                let way = if clamp { AntiWindup::Clamp } else { AntiWindup::None };
                rule = rule.limited(limit, way);
            }
            rule.sampling = l.sampling;
            let of = l.of.map(end);
            let name_of = format!("c{c}");
            machine =
                machine.with_controller(&name_of, [&of[0], &of[1]], &name(l.on), rule).unwrap();
        }
        machine
    }
}

/// What came of a seed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Outcome {
    /// So many events agree.
    Agrees(usize),
    /// The independent integration differs from itself with other steps.
    Sensitive,
    /// It does not decide.
    Left(Left),
}

/// Windows around impacts that are not compared, in which sliders are torn and stop again.
fn windows(run: &Run<'_>) -> Vec<[f64; 2]> {
    run.slow.iter().map(|t| [t - 1e-6, t + 0.05]).collect()
}

/// Without the changes of a torque's sign at the very instant at which its gear begins to slide, which are none.
fn plain(told: &[Told]) -> Vec<Told> {
    let begins = |e: &Told| {
        let other =
            |o: &Told| o.1 == e.1 && o.2 != EventKind::LoadReversal && (o.0 - e.0).abs() < 1e-9;
        told.iter().any(other)
    };
    // What turns and comes to rest at once has come to rest.
    let rests = |e: &Told| {
        let other = |o: &Told| o.1 == e.1 && o.2 == EventKind::Stick && (o.0 - e.0).abs() < 1e-9;
        e.2 == EventKind::Reversal && told.iter().any(other)
    };
    let counts = |e: &Told| (e.2 != EventKind::LoadReversal || !begins(e)) && !rests(e);
    told.iter().copied().filter(counts).collect()
}

impl Plant {
    /// Of a slider with memory only the turns are known here: whether it slips by the criterion of its law is not.
    fn turning(&self, (time, place, kind): Told) -> Option<Told> {
        let bristle = self.sliders.get(place).is_some_and(|s| matches!(s.rubs, Rubs::Bristle(_)));
        match kind {
            EventKind::Slip if bristle => None,
            EventKind::Stick if bristle => Some((time, place, EventKind::Reversal)),
            _ => Some((time, place, kind)),
        }
    }
}

fn one(seed: u64, made: fn(u64) -> Plant) -> Result<Outcome, String> {
    let plant = made(seed);
    let end = 5.0;
    let fine = match plant.solved(end, 0.01) {
        Ok(run) => run,
        Err(left) => return Ok(Outcome::Left(left)),
    };
    let Ok(coarse) = plant.solved(end, 0.017) else { return Ok(Outcome::Sensitive) };
    let n = plant.n();
    let apart = |a: &[f64], b: &[f64]| {
        a.iter().zip(b).take(2 * n).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
    };
    let itself = apart(&fine.y, &coarse.y);
    let machine = plant.machine();
    let path = match solve(&machine, end, Options::tolerance(1e-12).with_atol(1e-13)) {
        Ok(path) => path,
        Err(e) => return Err(format!("seed {seed}: {e}\n{plant:#?}")),
    };
    let last = path.state(end);
    let own: Vec<f64> = last.x.iter().chain(&last.v).copied().collect();
    let off = apart(&fine.y, &own);
    let later = fine.told.iter().zip(&coarse.told).map(|(a, b)| (a.0 - b.0).abs());
    if itself > 1e-7 || fine.told.len() != coarse.told.len() || later.fold(0.0, f64::max) > 1e-7 {
        return Ok(Outcome::Sensitive);
    }
    if off > 1e-6 {
        return Err(format!("seed {seed}: states differ by {off:e}, its own by {itself:e}"));
    }
    let quiet = windows(&fine);
    let listed = |e: &Told| !quiet.iter().any(|w| w[0] <= e.0 && e.0 <= w[1]);
    let told = path.events().iter().map(|e| (e.time, e.place, e.kind));
    let told: Vec<Told> = told.filter_map(|e| plant.turning(e)).collect();
    let mut told: Vec<Told> = plain(&told).into_iter().filter(listed).collect();
    let mut wanted: Vec<Told> = plain(&fine.told).into_iter().filter(listed).collect();
    // At one instant the order of the places is the caller's.
    for list in [&mut told, &mut wanted] {
        list.sort_by_key(|e| ((e.0 * 1e5).round() as i64, e.1));
    }
    let same = |(a, b): (&Told, &Told)| (a.1, a.2) == (b.1, b.2) && (a.0 - b.0).abs() < 1e-5;
    if told.len() != wanted.len() || !told.iter().zip(&wanted).all(same) {
        let first = told.iter().zip(&wanted).position(|p| !same(p));
        let k = first.unwrap_or(told.len().min(wanted.len()));
        let near =
            |list: &[Told]| format!("{:?}", &list[k.saturating_sub(2)..(k + 3).min(list.len())]);
        return Err(format!(
            "seed {seed}: events differ from number {k}:\n  {}\n  {}",
            near(&told),
            near(&wanted)
        ));
    }
    let defect = path.energy().relative_defect();
    if defect > 1e-8 {
        return Err(format!("seed {seed}: the energies miss {defect:e}"));
    }
    Ok(Outcome::Agrees(told.len()))
}

/// Solves these seeds: how many agree, are too sensitive, are not decided, and the events that were compared.
fn campaign(seeds: std::ops::Range<u64>, made: fn(u64) -> Plant) -> [usize; 4] {
    let [mut agree, mut sensitive, mut left, mut events] = [0; 4];
    let mut wrong = Vec::new();
    for seed in seeds {
        match one(seed, made) {
            Ok(Outcome::Agrees(count)) => {
                agree += 1;
                events += count;
            }
            Ok(Outcome::Sensitive) => sensitive += 1,
            Ok(Outcome::Left(_)) => left += 1,
            Err(said) => wrong.push(said),
        }
    }
    println!("{agree} agree in {events} events, {sensitive} too sensitive, {left} left out");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    [agree, sensitive, left, events]
}

/// Seeds by hand: `SEEDS=33..34`.
#[test]
#[ignore = "for those who look at single machines"]
fn machines_of_these_seeds_agree() {
    let Ok(seeds) = std::env::var("SEEDS") else { return };
    for seed in seeds.split(',') {
        let (from, to) = seed.split_once("..").unwrap_or((seed, seed));
        let [from, to]: [u64; 2] = [from, to].map(|n| n.parse().unwrap());
        let to = if from == to { from + 1 } else { to };
        for seed in from..to {
            println!("{seed}: {:?}, bent: {:?}", one(seed, random), one(seed, bent));
        }
    }
}

/// Of the first 60 machines 56 agree in 759 events and 4 are not decided by the independent integration: there several sliders
/// give way at one instant, or a stop is met by what another one holds.
#[test]
fn machines_with_every_part_agree_with_an_independent_integration() {
    let [agree, sensitive, _, events] = campaign(0..60, random);
    assert!(agree >= 55 && sensitive == 0 && events > 700, "{agree} {sensitive} {events}");
}

/// With springs of pieces and sliders that forces of the machine press.
#[test]
fn machines_of_pieces_agree_with_an_independent_integration() {
    let [agree, sensitive, _, events] = campaign(0..40, bent);
    assert!(agree >= 36 && sensitive == 0 && events > 450, "{agree} {sensitive} {events}");
}

#[test]
#[ignore = "takes minutes"]
fn many_machines_of_pieces_agree_with_an_independent_integration() {
    let [agree, ..] = campaign(1_000..1_400, bent);
    assert!(agree >= 300, "{agree}");
}

/// Many more, for those who change the scheme.
#[test]
#[ignore = "takes minutes"]
fn many_machines_with_every_part_agree_with_an_independent_integration() {
    let [agree, ..] = campaign(10_000..11_000, random);
    assert!(agree >= 800, "{agree}");
}
