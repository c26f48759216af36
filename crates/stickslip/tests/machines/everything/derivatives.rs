//! Derivatives of random machines, of linear parts and of any, with respect to every number of them, against differences of order four of
//! their own motions at several distances.

use super::*;
use stickslip::law::{Ageing, Growth};
use stickslip::model::Inlet;
use stickslip::model::Machine;
use stickslip::study::sensitivity::{
    NetworkLoss, Number, Samples, Sides, machine_derivatives, machine_gradient,
};

/// A number of a machine.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Part {
    Mass(usize),
    Velocity(usize),
    /// Mean, amplitude and frequency of the force on a node.
    Force(usize, usize),
    /// Stiffness, or one of the numbers of a spring of pieces.
    Pull(usize, usize),
    Damping(usize),
    /// A factor of all forces of a slider.
    Law(usize),
    /// A number of its law.
    Rubs(usize, usize),
    Surface(usize, usize),
    Normal(usize),
    Press(usize),
    Bound(usize, usize, usize),
    Bumper(usize, usize),
    Ratio,
    Friction(usize),
    Gain(usize),
    Reference(usize),
    Limit,
    Period,
    Delay,
}

fn of_wave(wave: &mut Wave, k: usize) -> &mut f64 {
    [&mut wave.mean, &mut wave.size, &mut wave.frequency].into_iter().nth(k).unwrap()
}

/// Where a number stands; nowhere for a factor of a law.
fn slot(plant: &mut Plant, part: Part) -> Option<&mut f64> {
    match part {
        Part::Mass(i) => plant.mass.get_mut(i),
        Part::Velocity(i) => plant.v0.get_mut(i),
        Part::Force(i, k) => plant.force.get_mut(i).map(|w| of_wave(w, k)),
        Part::Pull(l, k) => match &mut plant.links.get_mut(l)?.pull {
            Pull::Powers(numbers) | Pull::Sine(numbers) => numbers.get_mut(k),
            Pull::Play(numbers) => numbers.get_mut(k),
            Pull::Table(points) => points.as_flattened_mut().get_mut(k),
        },
        Part::Damping(l) => plant.links.get_mut(l).map(|l| &mut l.damping),
        Part::Law(_) => None,
        Part::Rubs(e, k) => match &mut plant.sliders.get_mut(e)?.rubs {
            Rubs::Bristle(Bristle::Dahl(numbers)) => numbers.get_mut(k),
            Rubs::Bristle(Bristle::Lugre(numbers)) => numbers.get_mut(k),
            Rubs::Bristle(Bristle::BoucWen(numbers)) => numbers.get_mut(k),
            Rubs::Law(..) => None,
        },
        Part::Surface(e, k) => plant.sliders.get_mut(e).map(|s| of_wave(&mut s.surface, k)),
        Part::Normal(e) => plant.sliders.get_mut(e)?.normal.as_mut().map(|w| &mut w.mean),
        Part::Press(e) => plant.sliders.get_mut(e)?.pressed.as_mut().map(|p| &mut p.1),
        Part::Bound(s, side, k) => {
            plant.stops.get_mut(s)?.bounds[side].as_mut().map(|w| of_wave(w, k))
        }
        Part::Bumper(s, k) => match &mut plant.stops.get_mut(s)?.bumper {
            Bumper::Rigid { restitution } => (k == 0).then_some(restitution),
            Bumper::Soft { stiffness, damping } => [stiffness, damping].into_iter().nth(k),
            _ => None,
        },
        Part::Ratio => plant.gears.first_mut().map(|g| &mut g.ratio),
        Part::Friction(k) => plant.gears.first_mut()?.friction.as_mut()?.get_mut(k),
        Part::Gain(k) => {
            let g = &mut plant.loops.first_mut()?.gains;
            [&mut g.proportional, &mut g.integral, &mut g.derivative, &mut g.filter]
                .into_iter()
                .nth(k)
        }
        Part::Reference(k) => plant.loops.first_mut().map(|l| of_wave(&mut l.reference, k)),
        Part::Limit => plant.loops.first_mut()?.limit.as_mut().map(|l| &mut l.0),
        Part::Period => plant.loops.first_mut()?.sampling.as_mut().map(|s| &mut s.time),
        Part::Delay => plant.loops.first_mut()?.sampling.as_mut().map(|s| &mut s.delay),
    }
}

/// The name of a law and all of its numbers.
fn told(law: &Law) -> (String, Vec<f64>) {
    let text = law.canonical().unwrap();
    let numbers = text.split(|c: char| !(c.is_ascii_digit() || "+-.e".contains(c)));
    let numbers = numbers.filter_map(|n| n.parse().ok()).collect();
    (text, numbers)
}

/// The law of this text with other numbers.
fn remade(text: &str, n: &[f64]) -> Result<Law, Error> {
    match text.split_once('(').unwrap().0 {
        "coulomb" => Law::coulomb(n[0]),
        "static-dynamic" => Law::static_dynamic(n[0], n[1]),
        "stribeck" => Law::stribeck(n[0], n[1], n[2], n[3]),
        "stribeck-exponential" => Law::stribeck_exponential(n[0], n[1], n[2], n[3], n[4]),
        "velocity-strengthening" => Law::velocity_strengthening(n[0], n[1], n[2]),
        "cubic" => Law::cubic(n[0], n[1], n[2]),
        "ageing" => {
            let growth = Growth::Power { breakaway: n[1], time: n[2], exponent: n[3] };
            Ageing::new(n[0], growth).map(Law::Ageing)
        }
        "table" => {
            // Behind the points the bounds of the slope follow.
            let points = n[..n.len() - 2].chunks(2);
            let (speeds, forces): (Vec<f64>, Vec<f64>) = points.map(|p| (p[0], p[1])).unzip();
            General::table(&speeds, &forces).map(Law::General)
        }
        "asymmetric" => {
            let side = |text: &str, n: &[f64]| remade(text, n);
            let (_, both) = text.split_once('(').unwrap();
            let count = if both.starts_with("coulomb") { 1 } else { 2 };
            let second = both.split_once(')').unwrap().1.trim_start_matches([',', ' ']);
            Law::asymmetric(side(both, &n[..count])?, side(second, &n[count..])?)
        }
        other => panic!("{other}"),
    }
}

/// The numbers of a law that may change by themselves: forces that are one above the other do not, and an exponent decides how smooth a law is.
fn own_numbers(rubs: &Rubs) -> Vec<(usize, f64)> {
    let numbers = match rubs {
        Rubs::Bristle(Bristle::Dahl(numbers)) => numbers.to_vec(),
        Rubs::Bristle(Bristle::Lugre(numbers)) if numbers[1] > 0.98 * numbers[0] => Vec::new(),
        Rubs::Bristle(Bristle::Lugre(numbers)) => numbers.to_vec(),
        Rubs::Bristle(Bristle::BoucWen(numbers)) => numbers.to_vec(),
        Rubs::Law(law, _) => {
            let (text, mut numbers) = told(law);
            let count = match text.split_once('(').unwrap().0 {
                "stribeck" | "velocity-strengthening" | "cubic" | "ageing" => numbers.len(),
                "stribeck-exponential" => {
                    numbers[3] = 0.0;
                    numbers.len()
                }
                "table" => numbers.len() - 2,
                _ => 0,
            };
            numbers[..count].to_vec()
        }
    };
    numbers.into_iter().enumerate().filter(|n| n.1 != 0.0).collect()
}

fn with(plant: &Plant, part: Part, to: f64) -> Result<Plant, Error> {
    let mut plant = plant.clone();
    if let Some(number) = slot(&mut plant, part) {
        *number = to;
        return Ok(plant);
    }
    let (Part::Law(e) | Part::Rubs(e, _)) = part else { return Ok(plant) };
    let Rubs::Law(law, _) = &mut plant.sliders[e].rubs else { return Ok(plant) };
    let (text, mut numbers) = told(law);
    match part {
        Part::Rubs(_, k) => numbers[k] = to,
        _ => numbers.iter_mut().for_each(|n| *n *= to),
    }
    *law = remade(&text, &numbers)?;
    Ok(plant)
}

/// Every number that is not zero, with its value.
fn numbers(plant: &Plant) -> Vec<(Part, f64)> {
    let mut parts = Vec::new();
    for i in 0..plant.n() {
        parts.extend([Part::Mass(i), Part::Velocity(i)]);
        parts.extend((0..3).map(|k| Part::Force(i, k)));
    }
    for l in 0..plant.links.len() {
        parts.push(Part::Damping(l));
        parts.extend((0..8).map(|k| Part::Pull(l, k)));
    }
    for e in 0..plant.sliders.len() {
        parts.extend([Part::Law(e), Part::Normal(e), Part::Press(e)]);
        parts.extend(own_numbers(&plant.sliders[e].rubs).iter().map(|n| Part::Rubs(e, n.0)));
        parts.extend((0..3).map(|k| Part::Surface(e, k)));
    }
    for s in 0..plant.stops.len() {
        parts.extend((0..2).map(|k| Part::Bumper(s, k)));
        parts.extend((0..6).map(|k| Part::Bound(s, k / 3, k % 3)));
    }
    parts.push(Part::Ratio);
    parts.extend((0..3).map(Part::Friction));
    parts.extend((0..4).map(Part::Gain));
    parts.extend((0..3).map(Part::Reference));
    parts.extend([Part::Limit, Part::Period, Part::Delay]);
    let sliders = plant.sliders.clone();
    let mut plant = plant.clone();
    let value = |part: Part| match part {
        // Where all numbers of a law are forces.
        Part::Law(e) => {
            let Rubs::Law(law, _) = &sliders[e].rubs else { return None };
            law.constants().filter(|_| !law.ages()).map(|_| (part, 1.0))
        }
        Part::Rubs(e, k) => {
            own_numbers(&sliders[e].rubs).iter().find(|n| n.0 == k).map(|n| (part, n.1))
        }
        _ => slot(&mut plant, part).map(|v| (part, *v)).filter(|(_, v)| *v != 0.0),
    };
    parts.into_iter().filter_map(value).collect()
}

/// Displacements and velocities at the times, then the times of the events.
struct Motion {
    path: MachinePath,
}

impl Motion {
    fn of(machine: &Machine, end: f64, straight: bool) -> Option<Self> {
        let mut sharp = Options::tolerance(1e-13);
        sharp.atol = 1e-16;
        let path = if straight { exact(machine, end) } else { solve(machine, end, sharp) };
        path.ok().map(|path| Self { path })
    }

    fn begun(&self, t: f64) -> usize {
        self.path.events().iter().filter(|e| e.time <= t).count()
    }

    fn alike(&self, other: &Self) -> bool {
        let [a, b] = [self, other].map(|m| m.path.events());
        let same =
            |(a, b): (&stickslip::Event, &stickslip::Event)| a.kind == b.kind && a.place == b.place;
        a.len() == b.len() && a.iter().zip(b).all(same)
    }

    fn numbers(&self, times: &[f64]) -> Vec<f64> {
        let mut all = Vec::new();
        for t in times {
            let s = self.path.state(*t);
            all.extend(s.x.iter().chain(&s.v));
        }
        all.extend(self.path.events().iter().map(|e| e.time));
        all
    }
}

const SHARES: [f64; 4] = [1.0 / 4096.0, 1.0 / 32_768.0, 1.0 / 262_144.0, 1.0 / 2_097_152.0];
const STENCIL: [(f64, f64); 4] =
    [(-2.0, 1.0 / 12.0), (-1.0, -8.0 / 12.0), (1.0, 8.0 / 12.0), (2.0, -1.0 / 12.0)];

/// Differences of order four, each with how far it is from that at another distance; nothing where no motions have the same events.
fn differences(
    plant: &Plant,
    (part, value): (Part, f64),
    own: &Motion,
    times: &[f64],
    (end, straight): (f64, bool),
) -> Option<Vec<(f64, f64)>> {
    let here = own.numbers(times);
    let width = 2 * plant.n();
    let at = |share: f64| -> Option<Vec<f64>> {
        let h = share * value.abs();
        let mut sum = vec![0.0; here.len()];
        for (k, weight) in STENCIL {
            let machine = with(plant, part, value + k * h).ok()?.machine();
            let motion = Motion::of(&machine, end, straight)?;
            if !motion.alike(own) {
                return None;
            }
            for (i, there) in motion.numbers(times).iter().enumerate() {
                sum[i] += weight / h * (there - here[i]);
            }
            for (i, t) in times.iter().enumerate() {
                if motion.begun(*t) != own.begun(*t) {
                    sum[i * width..(i + 1) * width].fill(f64::NAN);
                }
            }
        }
        Some(sum)
    };
    let all = SHARES.map(at);
    // States and times of events each by the two distances whose differences are nearest to each other.
    let states = width * times.len();
    let mut best = Vec::new();
    for range in [0..states, states..here.len()] {
        let mut kept: Option<(f64, Vec<(f64, f64)>)> = None;
        for pair in all.windows(2) {
            let [Some(a), Some(b)] = pair else { continue };
            let apart = range.clone().map(|i| (a[i] - b[i]).abs()).filter(|d| d.is_finite());
            let apart = apart.fold(0.0, f64::max);
            if kept.as_ref().is_none_or(|kept| apart < kept.0) {
                kept = Some((apart, range.clone().map(|i| (b[i], apart)).collect()));
            }
        }
        best.extend(kept?.1);
    }
    Some(best)
}

/// What was compared of one machine.
#[derive(Debug, Default)]
struct Count {
    machines: usize,
    refused: usize,
    /// Numbers of machines whose friction has corners.
    corners: usize,
    numbers: usize,
    compared: usize,
    doubted: usize,
    /// The largest difference over the largest derivative of its kind.
    worst: f64,
    wrong: Vec<String>,
}

/// Of which parts random machines are.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Straight,
    Any,
}

/// Whether friction has corners of which no event tells, or remembers by Bouc and Wen's law next to a gear, or a sampled controller has a limit
/// or a quantum.
fn has_corners(plant: &Plant) -> bool {
    let ticks = plant
        .loops
        .iter()
        .any(|l| l.sampling.is_some_and(|s| s.quantum > 0.0 || l.limit.is_some()));
    ticks
        || plant.sliders.iter().any(|s| match &s.rubs {
            Rubs::Law(law, _) => matches!(law, Law::General(_)),
            Rubs::Bristle(bristle) => {
                matches!(bristle, Bristle::BoucWen(_)) && !plant.gears.is_empty()
            }
        })
}

impl Kind {
    fn plant(self, seed: u64) -> Plant {
        match self {
            Self::Straight => straight(seed),
            Self::Any if seed.is_multiple_of(2) => random(seed),
            Self::Any => bent(seed),
        }
    }
}

fn derivatives_of(kind: Kind, seed: u64, most: usize, count: &mut Count) {
    let plant = kind.plant(seed);
    let straight = kind == Kind::Straight && std::env::var_os("ADAPTIVE").is_none();
    let end = 2.5;
    let machine = plant.machine();
    let Some(own) = Motion::of(&machine, end, straight) else { return };
    let times = [0.31, 0.83, 1.37, 1.91, 2.43];
    count.machines += 1;
    let all = numbers(&plant);
    // Differences take sixteen motions for each number: of many machines some numbers each, others of each machine.
    let stride = all.len().div_ceil(most);
    let parts: Vec<_> = all.into_iter().skip(seed as usize % stride).step_by(stride).collect();
    let width = 2 * plant.n();
    let given: Vec<Number<Machine>> = parts
        .iter()
        .map(|(part, value)| {
            let model = |x: f64| Ok::<_, Error>(with(&plant, *part, x)?.machine());
            Number::around(*value, model).unwrap()
        })
        .collect();
    let both = |(_, n): &(_, &Number<Machine>)| n.sides() == Sides::Both;
    for ((part, value), number) in parts.iter().zip(&given).filter(both) {
        let seen = number.of(Some).unwrap();
        let Ok((found, events)) =
            machine_derivatives(&machine, std::slice::from_ref(&seen), &times, end)
        else {
            if has_corners(&plant) {
                count.corners += 1;
                continue;
            }
            count.refused += 1;
            if std::env::var_os("SHOW").is_some() {
                println!("{seed} {part:?} is refused");
            }
            continue;
        };
        assert!(!has_corners(&plant), "{seed}");
        assert_eq!(events.len(), own.path.events().len(), "{seed}");
        let Some(known) = differences(&plant, (*part, *value), &own, &times, (end, straight))
        else {
            continue;
        };
        count.numbers += 1;
        let mut mine = Vec::new();
        for i in 0..times.len() {
            let of = |list: &[f64]| list[i * width / 2..(i + 1) * width / 2].to_vec();
            mine.extend(of(&found.x).into_iter().chain(of(&found.v)));
        }
        mine.extend(&found.event_times);
        if !found.doubtful.is_empty() && std::env::var_os("SHOW").is_some() {
            println!("{seed} {part:?}: {:?}", found.doubtful);
        }
        let states = width * times.len();
        let largest = |list: &[(f64, f64)]| {
            list.iter().filter(|k| k.0.is_finite()).fold(0.0, |m: f64, k| m.max(k.0.abs()))
        };
        let kinds = [0..states, states..known.len()];
        for range in kinds {
            let size = largest(&known[range.clone()]);
            for i in range {
                let (want, apart) = known[i];
                if !want.is_finite() {
                    continue;
                }
                if mine[i].is_nan() {
                    count.doubted += 1;
                    continue;
                }
                count.compared += 1;
                let off = (mine[i] - want).abs();
                if off > 10.0 * apart + 1e-9 * size.max(1e-3 / value.abs()) {
                    count.wrong.push(format!(
                        "{seed} {part:?}: number {i} is {} instead of {want} ± {apart:.1e}; {:?}",
                        mine[i], found.doubtful
                    ));
                    break;
                }
                if apart < 1e-10 * size {
                    count.worst = count.worst.max(off / size);
                }
            }
        }
    }
}

fn derivatives_agree(kind: Kind, seeds: impl Iterator<Item = u64>, most: usize) -> Count {
    let mut count = Count::default();
    seeds.for_each(|seed| derivatives_of(kind, seed, most, &mut count));
    println!(
        "{} machines, {} numbers, {} compared, {} doubted, {} refused, worst {:.1e}",
        count.machines, count.numbers, count.compared, count.doubted, count.refused, count.worst
    );
    assert!(count.wrong.is_empty(), "{} wrong:\n{}", count.wrong.len(), count.wrong.join("\n"));
    count
}

#[test]
fn derivatives_of_random_machines_agree_with_differences() {
    let machines = sized(40, 200);
    let count = derivatives_agree(Kind::Straight, 0..machines as u64, 5);
    let enough = count.machines * 10 >= 9 * machines && count.compared > 100 * machines;
    assert!(enough && count.refused == 0 && 20 * count.doubted < count.compared, "{count:?}");
}

#[test]
fn derivatives_of_random_machines_of_any_parts_agree_with_differences() {
    let machines = sized(20, 200);
    let count = derivatives_agree(Kind::Any, 0..machines as u64, 5);
    let enough = count.machines * 10 >= 9 * machines && count.compared > 60 * machines;
    let few = 20 * count.refused <= count.numbers && 10 * count.doubted < count.compared;
    assert!(enough && few && count.corners > 0, "{count:?}");
}

#[test]
#[ignore = "takes minutes"]
fn derivatives_of_many_machines_agree_with_differences() {
    let count = derivatives_agree(Kind::Straight, 1_000..1_400, 12);
    assert!(count.machines >= 350, "{count:?}");
}

/// Machines whose bounces against a bound that moves are summed when their velocity is next to nothing beside that of the bound.
#[test]
fn derivatives_of_the_ends_of_summed_bounces_agree_with_differences() {
    let count = derivatives_agree(Kind::Straight, [2207, 2364, 2368, 2792].into_iter(), 5);
    assert!(count.machines == 4 && count.doubted == 0, "{count:?}");
}

/// The gradient of a loss with random weights, with respect to a number of the machine and to samples of a force on its first node, against
/// the derivatives with respect to each sample in forward mode, which know nothing of the way back. How many samples were compared, how many had
/// no derivative, and whether the way back was refused.
fn gradient_of(kind: Kind, seed: u64) -> [usize; 3] {
    let plant = kind.plant(seed);
    if has_corners(&plant) {
        return [0; 3];
    }
    let mut rng = crate::common::Random(seed.wrapping_mul(0x5851_f42d) + 1);
    let end = 2.5;
    let held = seed.is_multiple_of(3);
    let mut times: Vec<f64> =
        (0..14).map(|i| 0.2 * f64::from(i) + 0.07 * rng.uniform(0.0, 1.0)).collect();
    times[0] = 0.0;
    let values: Vec<f64> = times.iter().map(|_| rng.uniform(-0.5, 0.5)).collect();
    let model = |values: &[f64]| {
        let signal = if held { Signal::stepwise } else { Signal::sampled };
        plant.pushed(&signal(&times, values).unwrap())
    };
    let own = model(&values);
    let seen: Vec<Number<Machine>> = (0..values.len())
        .map(|i| {
            let with = |x: f64| {
                let mut values = values.clone();
                values[i] = x;
                Ok::<_, Error>(model(&values))
            };
            Number::around(values[i], with).unwrap()
        })
        .collect();
    let seen: Vec<_> = seen.iter().map(|n| n.of(Some).unwrap()).collect();
    let looks = [0.0, 0.31, 0.83, 1.37, 1.91, 2.43, end];
    let Ok((forward, events)) = machine_derivatives(&own, &seen, &looks, end) else {
        return [0; 3];
    };
    let mut weights =
        |count: usize| -> Vec<f64> { (0..count).map(|_| rng.uniform(-0.5, 0.5)).collect() };
    let x = weights(plant.n() * looks.len());
    let v = weights(plant.n() * looks.len());
    let event_times = weights(events.len());
    let loss = NetworkLoss { times: &looks, x: &x, v: &v, event_times: &event_times };
    let samples = [Samples { of: Inlet::NodeForce(0), times: &times, held }];
    let Ok((found, again)) = machine_gradient(&own, &seen[3..4], &samples, &loss, end) else {
        return [0, 0, 1];
    };
    assert_eq!(again.len(), events.len(), "{seed}");
    let count = values.len();
    let wanted: Vec<[f64; 2]> = (0..count)
        .map(|i| {
            let terms = [(&x, &forward.x), (&v, &forward.v), (&event_times, &forward.event_times)];
            let all = terms.iter().flat_map(|(weights, rates)| {
                weights.iter().zip(rates.chunks(count)).map(|(w, row)| w * row[i])
            });
            let all: Vec<f64> = all.collect();
            [all.iter().sum(), all.iter().map(|a| a.abs()).sum()]
        })
        .collect();
    let mut out = [0; 3];
    let size = wanted.iter().fold(0.0, |m: f64, w| m.max(w[1]));
    let mine = found.samples[0].iter().chain(&found.numbers);
    for (i, (found, [want, terms])) in mine.zip(wanted.iter().chain(&wanted[3..4])).enumerate() {
        if found.is_nan() || want.is_nan() {
            // A number by which two events at one instant move together has a derivative, where samples in general have none.
            assert!(found.is_nan(), "{seed}: number {i}: {found} instead of {want}");
            out[1] += 1;
            continue;
        }
        out[0] += 1;
        let off = (found - want).abs();
        assert!(
            off <= 1e-9 * (terms + 1e-3 * size),
            "{seed}: number {i}: {found} instead of {want}"
        );
    }
    out
}

fn gradients_agree(kind: Kind, seeds: std::ops::Range<u64>) -> [usize; 3] {
    let mut sum = [0; 3];
    for seed in seeds {
        let found = gradient_of(kind, seed);
        (0..3).for_each(|i| sum[i] += found[i]);
    }
    println!("{kind:?}: {} compared, {} without derivative, {} refused", sum[0], sum[1], sum[2]);
    sum
}

#[test]
fn gradients_of_random_machines_are_those_of_each_sample() {
    let machines = sized(16, 200);
    let [compared, lost, refused] = gradients_agree(Kind::Straight, 0..machines as u64);
    assert!(compared > 8 * machines && 10 * lost < compared && refused == 0);
    let [compared, lost, refused] = gradients_agree(Kind::Any, 52..52 + machines as u64);
    assert!(compared > 5 * machines && 20 * lost < compared && 20 * refused <= machines);
}

/// Derivatives with respect to the samples of a force on the first node of machine 63 of any parts, in which what a bristle remembers passes through
/// zero, against differences of its motions. They were off by a third of themselves: dependence was looked for over a share of what was there
/// just then, which was nothing.
#[test]
fn derivatives_where_a_memory_passes_through_zero_agree_with_differences() {
    let plant = Kind::Any.plant(63);
    let times = [0.0, 0.4, 0.8, 1.2, 1.6, 2.0, 2.6];
    let values = [0.3, -0.4, 0.2, 0.45, -0.3, 0.1, -0.2];
    let looks = [0.5, 1.1, 1.7, 2.4];
    let n = plant.n();
    let model = |i: usize, x: f64| {
        let mut values = values;
        values[i] = x;
        Ok::<_, Error>(plant.pushed(&Signal::stepwise(&times, &values).unwrap()))
    };
    let own = model(0, values[0]).unwrap();
    for i in 0..6 {
        let number = Number::around(values[i], |x| model(i, x)).unwrap();
        let seen = [number.of(Some).unwrap()];
        let (found, _) = machine_derivatives(&own, &seen, &looks, 2.5).unwrap();
        let at = |k: f64| {
            let machine = model(i, values[i] + k * 1e-4).unwrap();
            Motion::of(&machine, 2.5, false).unwrap().numbers(&looks)
        };
        let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(at);
        for (t, node) in (0..looks.len()).flat_map(|t| (0..n).map(move |node| (t, node))) {
            let slope = |j: usize| (8.0 * (c[j] - b[j]) - d[j] + a[j]) / 12e-4;
            let of = [found.x[t * n + node], found.v[t * n + node]];
            let wanted = [0, n].map(|part| slope(t * 2 * n + part + node));
            for (found, wanted) in of.iter().zip(wanted) {
                assert!((found - wanted).abs() < 1e-7, "{i} {t} {node}: {found} {wanted}");
            }
        }
    }
}

/// Seeds by hand, as below.
#[test]
#[ignore = "for those who look at single machines"]
fn gradients_of_these_seeds_are_those_of_each_sample() {
    let Ok(seeds) = std::env::var("SEEDS") else { return };
    let (from, to) = seeds.split_once("..").unwrap();
    let kind = if std::env::var_os("ANY").is_some() { Kind::Any } else { Kind::Straight };
    gradients_agree(kind, from.parse().unwrap()..to.parse().unwrap());
}

/// Seeds by hand: `SEEDS=33..34`; with `ANY=1` of machines of any parts, with `ADAPTIVE=1` by differences of motions by that scheme.
#[test]
#[ignore = "for those who look at single machines"]
fn derivatives_of_these_seeds_agree_with_differences() {
    let Ok(seeds) = std::env::var("SEEDS") else { return };
    let (from, to) = seeds.split_once("..").unwrap();
    let kind = if std::env::var_os("ANY").is_some() { Kind::Any } else { Kind::Straight };
    if std::env::var_os("SHOW").is_some() {
        let plant = kind.plant(from.parse().unwrap());
        println!("{plant:#?}");
        let own = Motion::of(&plant.machine(), 2.5, kind == Kind::Straight).unwrap();
        let other = Motion::of(&plant.machine(), 2.5, kind != Kind::Straight).unwrap();
        for (i, (e, o)) in own.path.events().iter().zip(other.path.events()).enumerate() {
            let apart = e.time - o.time;
            println!("{i}: {} {:?} {} {:?} {apart:.1e}", e.time, e.kind, e.place, e.before);
        }
    }
    derivatives_agree(kind, from.parse().unwrap()..to.parse().unwrap(), 5);
}
