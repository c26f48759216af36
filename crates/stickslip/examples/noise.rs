//! A resting block under random forces: how far 4,096 paths have crept after a while.
//!
//! `cargo run --release -p stickslip --example noise`

use stickslip::study::ensemble::{Plan, run};
use stickslip::{Law, Noise, Oscillator, Place, Problem};

fn main() -> Result<(), stickslip::Error> {
    // Without a spring: what holds the block is its friction of 1 N alone.
    let block = Oscillator::new(1.0, 0.0, Law::coulomb(1.0)?);
    let shaking = Noise::OrnsteinUhlenbeck { rate: 5.0, intensity: 5.0, scale: 1.0 };
    let problem = Problem::new(block, 20.0).with_noise(Place::Force, shaking);

    // The same seed gives the same bits on any number of threads.
    let plan = Plan::new(problem, 0.01, 1).with_rows(5);
    let paths = run(&plan, 0..4096, 0, &mut ())?;
    println!("t/s   mean x/m   deviation of x/m");
    for (i, row) in paths.points[0].rows.iter().enumerate() {
        println!(
            "{:4.1} {:9.4} {:12.4}",
            plan.time_of_row(i),
            row.x.mean(),
            row.x.variance().sqrt()
        );
    }
    Ok(())
}
