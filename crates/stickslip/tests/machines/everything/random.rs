//! Random machines, and each as the library has it.

use super::*;
use crate::common::Random;
use stickslip::model::machine::{AntiWindup, ControlLaw, GearBetween};
use stickslip::model::{Machine, Network};

pub(super) fn wave(r: &mut Random, mean: f64, size: f64) -> Wave {
    Wave {
        mean: r.uniform(-mean, mean),
        size: r.uniform(0.2 * size, size),
        frequency: r.uniform(0.5, 3.0),
        phase: r.uniform(-3.0, 3.0),
    }
}

/// Any law that has no memory, and its kinks.
pub(super) fn law(r: &mut Random) -> Rubs {
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

pub(super) fn bristle(r: &mut Random) -> Bristle {
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
pub(super) fn random(seed: u64) -> Plant {
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
pub(super) fn bent(seed: u64) -> Plant {
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

/// A machine of parts that are linear between events: those of the other two kinds with constant friction, by direction or not,
/// and no spring that bends.
pub(super) fn straight(seed: u64) -> Plant {
    let mut plant = if seed.is_multiple_of(2) { random(seed) } else { bent(seed) };
    let mut r = Random(seed.wrapping_mul(0x9e37_79b9) ^ 0x2545_f491);
    for l in &mut plant.links {
        l.pull = match l.pull {
            Pull::Sine([k, _]) | Pull::Powers([k, _]) => Pull::Powers([k, 0.0]),
            of_pieces => of_pieces,
        };
    }
    for s in &mut plant.sliders {
        let rest = r.uniform(0.3, 1.2);
        let two = |r: &mut Random| Law::static_dynamic(rest, rest * r.uniform(0.5, 1.0)).unwrap();
        let law = match r.next() % 3 {
            0 => Law::coulomb(rest).unwrap(),
            1 => two(&mut r),
            _ => Law::asymmetric(two(&mut r), Law::coulomb(rest).unwrap()).unwrap(),
        };
        s.rubs = Rubs::Law(law, vec![]);
    }
    plant
}

impl Plant {
    /// The stiffness of a link that the network itself holds.
    pub(super) fn linear(&self, k: usize) -> Option<f64> {
        let presses = |s: &Slider| matches!(s.pressed, Some((Presser::Link(l), _)) if l == k);
        match self.links[k].pull {
            Pull::Powers([stiffness, 0.0]) if !self.sliders.iter().any(presses) => Some(stiffness),
            _ => None,
        }
    }

    pub(super) fn machine(&self) -> Machine {
        self.pushed(&Signal::constant(0.0))
    }

    /// With another force on its first node.
    pub(super) fn pushed(&self, by: &Signal) -> Machine {
        let name = |i: usize| format!("n{i}");
        let end = |i: Option<usize>| i.map_or("ground".to_owned(), name);
        let mut b = Network::builder().unjoined();
        for i in 0..self.n() {
            b = b.node(&*name(i), self.mass[i]).starting_at(&*name(i), 0.0, self.v0[i]);
            let more = if i == 0 { by.clone() } else { Signal::constant(0.0) };
            b = b.force(&*name(i), self.force[i].signal() + more);
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
