//! Random machines with every part at once against an independent integration: Gragg's midpoint rule extrapolated to the
//! tenth order on all nodes, with the forces of everything that is held from one linear system, and events by the secant.
//!
//! Nothing of it is shared with the scheme: it knows no groups, no coordinates of modes, no interpolation and no margins. What
//! is held together (a slider at rest, a closed stop, a gear) is a row of constraints with a force of its own, and the sign
//! of that force says when it lets go.

mod derivatives;
mod forces;
mod random;
mod run;

use crate::common::sized;
use random::{bent, random, straight};
use run::Run;
use stickslip::law::General;
use stickslip::law::memory::{BoucWen, Dahl, Lugre, Memory, Shape, StribeckLimit};
use stickslip::model::Bumper;
use stickslip::model::machine::{Curve, Gains, GearFriction, Sampling};
use stickslip::scheme::machine::{MachinePath, exact, solve};
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::{Error, EventKind, Law, Signal};

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
    // So has what gives way and is turned at once: it slips from then on.
    let turns = |e: &Told| {
        let other = |o: &Told| o.1 == e.1 && o.2 == EventKind::Slip && (o.0 - e.0).abs() < 1e-9;
        e.2 == EventKind::Reversal && told.iter().any(other)
    };
    let counts =
        |e: &Told| (e.2 != EventKind::LoadReversal || !begins(e)) && !rests(e) && !turns(e);
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
    let later = fine.told.iter().zip(&coarse.told).map(|(a, b)| (a.0 - b.0).abs());
    if itself > 1e-7 || fine.told.len() != coarse.told.len() || later.fold(0.0, f64::max) > 1e-7 {
        return Ok(Outcome::Sensitive);
    }
    let machine = plant.machine();
    let adaptive = solve(&machine, end, Options::tolerance(1e-12).with_atol(1e-13));
    let mut events = agrees(&plant, &fine, adaptive).map_err(|e| format!("seed {seed}: {e}"))?;
    match exact(&machine, end) {
        // Not of linear parts.
        Err(Error::Unsuitable { .. }) => {}
        path => {
            events = agrees(&plant, &fine, path).map_err(|e| format!("seed {seed} exact: {e}"))?;
        }
    }
    Ok(Outcome::Agrees(events))
}

/// Compares a solution with the independent one: how many events agree, or what does not.
fn agrees(
    plant: &Plant,
    fine: &Run<'_>,
    path: Result<MachinePath, Error>,
) -> Result<usize, String> {
    let end = 5.0;
    let path = path.map_err(|e| format!("{e}\n{plant:#?}"))?;
    let last = path.state(end);
    let own: Vec<f64> = last.x.iter().chain(&last.v).copied().collect();
    let off = fine.y.iter().zip(&own).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
    if off > 1e-6 {
        return Err(format!("states differ by {off:e}"));
    }
    let quiet = windows(fine);
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
            "events differ from number {k}:\n  {}\n  {}",
            near(&told),
            near(&wanted)
        ));
    }
    let defect = path.energy().relative_defect();
    if defect > 1e-8 {
        return Err(format!("the energies miss {defect:e}"));
    }
    Ok(told.len())
}

/// Solves these seeds: how many agree, are too sensitive, are not decided, and the events that were compared.
fn campaign(seeds: impl Iterator<Item = u64>, made: fn(u64) -> Plant) -> [usize; 4] {
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
            println!("{seed}, straight: {:?}", one(seed, straight));
        }
    }
}

/// Of the first 60 machines 56 agree in 759 events and 4 are not decided by the independent integration: there several sliders
/// give way at one instant, or a stop is met by what another one holds.
#[test]
fn machines_with_every_part_agree_with_an_independent_integration() {
    let count = sized(36, 60);
    let [agree, sensitive, _, events] = campaign(0..count as u64, random);
    let enough = 12 * agree >= 11 * count && events > sized(400, 700);
    assert!(enough && sensitive == 0, "{agree} {sensitive} {events}");
}

/// With springs of pieces and sliders that forces of the machine press.
#[test]
fn machines_of_pieces_agree_with_an_independent_integration() {
    let count = sized(24, 40);
    let [agree, sensitive, _, events] = campaign(0..count as u64, bent);
    let enough = 10 * agree >= 9 * count && 4 * events > 45 * count;
    assert!(enough && sensitive == 0, "{agree} {sensitive} {events}");
}

#[test]
#[ignore = "takes minutes"]
fn many_machines_of_pieces_agree_with_an_independent_integration() {
    let [agree, ..] = campaign(1_000..1_400, bent);
    assert!(agree >= 300, "{agree}");
}

/// Of parts that are linear between events, which `exact` solves as well: of the first 40 machines 35 agree and 5 are not decided.
#[test]
fn machines_of_linear_parts_agree_with_an_independent_integration() {
    let count = sized(24, 40);
    // In two more a slider that gives way is driven back by others at once, and in one a slider comes to rest and goes on, because another
    // gives way.
    let seeds = (0..count as u64).chain([20_037, 20_195, 21_259]);
    let [agree, sensitive, _, events] = campaign(seeds, straight);
    let enough = 6 * agree >= 5 * count && events > 8 * count;
    assert!(enough && sensitive == 0, "{agree} {sensitive} {events}");
}

/// With a machine in which an end comes back within a step of the integration, after an impact that it would miss. Two of the thousand are not
/// asked: among their bounces are many that are shorter than a step, and the integration differs by 2·10⁻⁶; without its search within steps it
/// differed by 6·10⁻⁴, and came to the scheme's states as its steps were shortened.
#[test]
#[ignore = "takes minutes"]
fn many_machines_of_linear_parts_agree_with_an_independent_integration() {
    let coarse = [21_024, 21_435];
    let seeds = (20_500..21_500).filter(|seed| !coarse.contains(seed));
    let [agree, ..] = campaign(seeds.chain([20_406]), straight);
    assert!(agree >= 800, "{agree}");
}

/// Many more, for those who change the scheme.
#[test]
#[ignore = "takes minutes"]
fn many_machines_with_every_part_agree_with_an_independent_integration() {
    let [agree, ..] = campaign(10_000..11_000, random);
    assert!(agree >= 800, "{agree}");
}
