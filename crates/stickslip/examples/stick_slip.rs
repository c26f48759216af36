//! A mass on a spring whose far end swings: when it sticks, when it slips, and where the work goes.
//!
//! `cargo run -p stickslip --example stick_slip`

use stickslip::{EventKind, Law, Oscillator, Phase, Problem, Scheme, Signal, solve};

fn main() -> Result<(), stickslip::Error> {
    // Shaw (1986): m = 1 kg, K = 1 N/m, breakaway at 1.2 N, sliding friction of 1 N.
    let mass = Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 1.0)?)
        .with_drive(Signal::harmonic(6.0, 0.5, 0.0)) // 6 cos(t/2) m
        .starting_at(6.0, 0.0);
    let solution = solve(&Problem::new(mass, 40.0), &Scheme::Exact)?;

    for event in &solution.events {
        println!("{:9.6} s  {}", event.time, event.kind);
    }
    let stuck = solution.phases(0).into_iter().filter(|(phase, ..)| *phase == Phase::Stick);
    let stuck: f64 = stuck.map(|(_, from, to)| to - from).sum();
    println!(
        "it sticks for {stuck:.3} s of 40 s, and turns {} times",
        solution.count(EventKind::Reversal)
    );

    let energy = solution.energy();
    println!(
        "friction takes {:.3} J; the balance closes to {:.1e}",
        energy.friction,
        energy.relative_defect()
    );
    Ok(())
}
