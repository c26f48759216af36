//! Derivatives of a motion beside the motion itself, with one, three and ten numbers: Shaw's oscillator over ten events, and a chain of three
//! blocks.

use divan::Bencher;
use stickslip::model::Network;
use stickslip::scheme::network;
use stickslip::scheme::oscillator::exact;
use stickslip::study::sensitivity::{Number, derivatives, network_derivatives};
use stickslip::{Error, Law, Oscillator, Signal};

fn main() {
    divan::main();
}

/// The numbers of the model, in the order in which they are varied.
const NUMBERS: [f64; 10] = [1.0, 1.0, 0.01, 1.2, 1.0, 6.0, 0.5, 0.1, 6.0, 0.0];
/// Ten events.
const END: f64 = 40.0;

fn shaw(p: &[f64; 10]) -> Result<Oscillator, Error> {
    let [mass, stiffness, damping, rest, sliding, amplitude, omega, phase, x, v] = *p;
    Ok(Oscillator::new(mass, stiffness, Law::static_dynamic(rest, sliding)?)
        .with_damping(damping)
        .with_drive(Signal::harmonic(amplitude, omega, phase))
        .starting_at(x, v))
}

#[divan::bench]
fn motion(bencher: Bencher<'_, '_>) {
    let Ok(o) = shaw(&NUMBERS) else { return };
    bencher.bench(|| exact::solve(&o, END).map(|p| p.events().len()));
}

/// Derivatives of a motion that is known, with respect to the first `count` numbers.
#[divan::bench(args = [1, 3, 10])]
fn derivatives_of_it(bencher: Bencher<'_, '_>, count: usize) {
    let Ok(o) = shaw(&NUMBERS) else { return };
    let Ok(path) = exact::solve(&o, END) else { return };
    let number = |i: usize| {
        Number::around(NUMBERS[i], |value| {
            let mut p = NUMBERS;
            p[i] = value;
            shaw(&p)
        })
    };
    let Ok(numbers) = (0..count).map(number).collect::<Result<Vec<_>, Error>>() else { return };
    let seen: Vec<_> = numbers.iter().filter_map(|n| n.of(Some)).collect();
    bencher.bench(|| derivatives(&o, &path, &seen, &[END]).map(|d| d.states.len()));
}

/// Three blocks in a row, the last of which is shaken: the numbers, in the order in which they are varied.
const BLOCKS: [f64; 10] = [1.0, 1.3, 0.7, 4.0, 3.0, 2.0, 0.6, 0.5, 2.5, 0.8];

fn blocks(p: &[f64; 10]) -> Result<Network, Error> {
    Network::builder()
        .node("a", p[0])
        .node("b", p[1])
        .node("c", p[2])
        .spring("a", "ground", p[3])
        .spring("a", "b", p[4])
        .spring("b", "c", p[5])
        .slider("s", "a", "ground", p[6], p[7])
        .slider("t", "b", "ground", 0.5, 0.4)
        .slider("u", "c", "ground", 0.4, 0.4)
        .force("c", Signal::harmonic(p[8], p[9], 0.0))
        .build()
}

#[divan::bench]
fn motion_of_blocks(bencher: Bencher<'_, '_>) {
    let Ok(n) = blocks(&BLOCKS) else { return };
    bencher.bench(|| network::exact(&n, END).map(|p| p.events().len()));
}

/// Derivatives of a motion of the blocks that is known, with respect to the first `count` numbers.
#[divan::bench(args = [1, 3, 10])]
fn derivatives_of_blocks(bencher: Bencher<'_, '_>, count: usize) {
    let Ok(n) = blocks(&BLOCKS) else { return };
    let Ok(path) = network::exact(&n, END) else { return };
    let number = |i: usize| {
        Number::around(BLOCKS[i], |value| {
            let mut p = BLOCKS;
            p[i] = value;
            blocks(&p)
        })
    };
    let Ok(numbers) = (0..count).map(number).collect::<Result<Vec<_>, Error>>() else { return };
    let seen: Vec<_> = numbers.iter().filter_map(|n| n.of(Some)).collect();
    bencher.bench(|| network_derivatives(&n, &path, &seen, &[END]).map(|d| d.x.len()));
}
