//! Derivatives of a motion beside the motion itself, with one, three and ten numbers: Shaw's oscillator over ten events, a chain of three
//! blocks, and a cascade, of which also the gradient over a thousand samples.

use divan::Bencher;
use stickslip::model::{Inlet, Network};
use stickslip::scheme::oscillator::exact;
use stickslip::scheme::{cascade, network};
use stickslip::study::sensitivity::{
    Loss, Number, Samples, cascade_derivatives, cascade_gradient, derivatives, network_derivatives,
};
use stickslip::{Cascade, Error, Law, Oscillator, Signal, State};

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

/// A cascade of four elements: m, k_0 … k_4, α_1 … α_4.
const ELEMENTS: [f64; 10] = [1.0, 3.0, 2.0, 1.5, 1.0, 0.7, 0.5, 0.8, 0.3, 1.1];

fn elements(p: &[f64; 10], force: &Signal) -> Result<Cascade, Error> {
    let cascade = Cascade::new(p[0], p[1..6].to_vec(), p[6..].to_vec()).with_force(force.clone());
    cascade.check().map(|()| cascade)
}

fn wave() -> Signal {
    Signal::harmonic(2.5, 0.9, 0.0)
}

/// The wave as 1,001 samples.
fn sampled() -> Result<(Vec<f64>, Signal), Error> {
    let times: Vec<f64> = (0..1001).map(|i| END * f64::from(i) / 1000.0).collect();
    let values: Vec<f64> = times.iter().map(|t| wave().value(*t)).collect();
    let signal = Signal::sampled(&times, &values)?;
    Ok((times, signal))
}

#[divan::bench]
fn motion_of_elements(bencher: Bencher<'_, '_>) {
    let Ok(c) = elements(&ELEMENTS, &wave()) else { return };
    bencher.bench(|| cascade::exact(&c, END).map(|p| p.events().len()));
}

/// Derivatives of a motion of the elements that is known, with respect to the first `count` numbers.
#[divan::bench(args = [1, 3, 10])]
fn derivatives_of_elements(bencher: Bencher<'_, '_>, count: usize) {
    let Ok(c) = elements(&ELEMENTS, &wave()) else { return };
    let Ok(path) = cascade::exact(&c, END) else { return };
    let number = |i: usize| {
        Number::around(ELEMENTS[i], |value| {
            let mut p = ELEMENTS;
            p[i] = value;
            elements(&p, &wave())
        })
    };
    let Ok(numbers) = (0..count).map(number).collect::<Result<Vec<_>, Error>>() else { return };
    bencher.bench(|| cascade_derivatives(&c, &path, &numbers, &[END]).map(|d| d.x.len()));
}

#[divan::bench]
fn motion_of_sampled_elements(bencher: Bencher<'_, '_>) {
    let Ok((_, force)) = sampled() else { return };
    let Ok(c) = elements(&ELEMENTS, &force) else { return };
    bencher.bench(|| cascade::exact(&c, END).map(|p| p.events().len()));
}

/// The gradient of the last state along a motion that is known, with respect to all samples.
#[divan::bench]
fn gradient_of_elements(bencher: Bencher<'_, '_>) {
    let Ok((times, force)) = sampled() else { return };
    let Ok(c) = elements(&ELEMENTS, &force) else { return };
    let Ok(path) = cascade::exact(&c, END) else { return };
    let samples = [Samples { of: Inlet::Force, times: &times, held: false }];
    let loss = Loss { times: &[END], states: &[State { x: 1.0, v: 1.0 }], event_times: &[] };
    bencher.bench(|| cascade_gradient(&c, &path, &[], &samples, &loss).map(|g| g.samples.len()));
}
