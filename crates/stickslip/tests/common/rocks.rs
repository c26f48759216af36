//! Random networks of masses that rub by laws of rate and state.

use super::Random;
use stickslip::Signal;
use stickslip::law::memory::{Direct, Evolution, RateAndState};
use stickslip::model::{Machine, Network};

/// Ten to a random power.
fn power(random: &mut Random, low: f64, high: f64) -> f64 {
    10f64.powf(random.uniform(low, high))
}

fn law(random: &mut Random) -> RateAndState {
    let a = power(random, -3.0, -1.5);
    let direct =
        Direct { coefficient: random.uniform(0.3, 0.8), a, b: a * random.uniform(0.0, 2.0) };
    let evolution = if random.chance(0.5) { Evolution::Ageing } else { Evolution::Slip };
    let distance = power(random, -6.0, -3.0);
    RateAndState::new(direct, distance, power(random, -7.0, -2.0), evolution).unwrap()
}

fn load(random: &mut Random, friction: f64) -> Signal {
    match random.next() % 4 {
        0 => Signal::default(),
        1 => Signal::constant(friction * random.uniform(-1.5, 1.5)),
        2 => {
            let [before, after] = [0, 1].map(|_| friction * random.uniform(-2.0, 2.0));
            Signal::step(random.uniform(0.0, 8.0), before, after)
        }
        _ => {
            let w = power(random, -1.0, 1.5);
            Signal::harmonic(friction * random.uniform(0.0, 3.0), w, random.uniform(0.0, 6.0))
        }
    }
}

/// Two to four masses in a chain with springs, dashpots and one to three sliders, drawn by a spring whose end moves or shaken by
/// forces, some from rest and some in motion.
pub fn network(random: &mut Random) -> Machine {
    let masses = 2 + (random.next() % 3) as usize;
    let sliders = 1 + (random.next() % masses.min(3) as u64) as usize;
    let normal = power(random, -1.0, 2.0);
    let friction = 0.5 * normal;
    let mass = power(random, -1.0, 1.0);
    let names: Vec<String> = (0..masses).map(|i| format!("m{i}")).collect();
    let mut builder = Network::builder();
    for name in &names {
        builder = builder.node(name, mass * power(random, -1.0, 1.0));
        if random.chance(0.5) {
            let [x, v] = [random.uniform(-0.1, 0.1), random.uniform(-1.0, 1.0)];
            builder = builder.starting_at(name, x, v);
        }
    }
    for i in 0..masses {
        // A chain, whose first mass hangs on the ground.
        let other = if i == 0 { "ground" } else { &names[i - 1] };
        let stiffness = friction * power(random, 0.0, 4.0);
        if i > 0 || random.chance(0.5) {
            builder = builder.spring(&names[i], other, stiffness);
        }
        if random.chance(0.3) {
            builder = builder.dashpot(&names[i], other, friction * random.uniform(0.0, 2.0));
        }
        if random.chance(0.5) {
            builder = builder.force(&names[i], load(random, friction));
        }
    }
    if random.chance(0.5) {
        let speed = power(random, -3.0, 0.0) * if random.chance(0.5) { 1.0 } else { -1.0 };
        builder = builder.node("end", 1.0).motion("end", Signal::ramp(speed, 0.0)).spring(
            &names[masses - 1],
            "end",
            friction * power(random, 0.0, 4.0),
        );
    }
    for i in 0..sliders {
        let other = if i == 0 || random.chance(0.5) { "ground" } else { &names[i - 1] };
        let share = random.uniform(0.2, 2.0);
        let pressed = if random.chance(0.5) {
            Signal::constant(share * normal)
        } else {
            let swing = share * normal * random.uniform(0.0, 0.9);
            Signal::constant(share * normal)
                + Signal::harmonic(swing, power(random, -1.0, 1.0), 0.0)
        };
        builder = builder.slider(format!("s{i}"), &names[i], other, 0.0, 0.0).normal(pressed);
    }
    let mut machine = Machine::new(builder.build().unwrap()).unwrap();
    for i in 0..sliders {
        let law = law(random);
        let age = if random.chance(0.5) { vec![] } else { vec![power(random, -2.0, 2.0)] };
        machine = machine.with_memory(&format!("s{i}"), law, age).unwrap();
    }
    machine
}
