//! Derivatives of a motion beside the motion itself: Shaw's oscillator over ten events, with one, three and ten numbers.

use divan::Bencher;
use stickslip::scheme::oscillator::exact;
use stickslip::study::sensitivity::{Number, derivatives};
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
