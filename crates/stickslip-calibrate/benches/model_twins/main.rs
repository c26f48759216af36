//! Twins: synthetic records of known numbers, fitted, and how often the 95 % intervals hold the truth: shaken rigs, servos, dampers
//! and control valves. Then one record of 10⁴ samples with five unknowns, timed (RAYON_NUM_THREADS=1: on one core).
//!
//! `cargo bench -p stickslip-calibrate --bench model_twins -- 100`: a hundred of each, and a table. Further arguments: kinds (`rig`,
//! `servo`, `damper`, `valve`, `long`) and the first seed, as in `-- 24 servo damper 200`. Without a number, as where cargo runs every
//! bench, it does nothing.
//! STICKSLIP_SHOW=1 names every interval that misses the truth.

#![allow(
    clippy::disallowed_methods,
    reason = "records that are made up may differ in the last digit"
)]
#![allow(clippy::unwrap_used, reason = "a study that cannot go on should stop")]

mod dampers;
mod draws;
mod rig;
mod servos;
mod table;
mod valves;

use table::Kind;

fn main() {
    // Cargo adds a flag of its own.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let numbers: Vec<u64> = arguments.iter().filter_map(|a| a.parse().ok()).collect();
    let Some(&count) = numbers.first() else {
        println!("model_twins: give the number of records of each kind, as in `-- 100`");
        return;
    };
    let first = numbers.get(1).copied().unwrap_or(0);
    let kinds: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|a| a.parse::<u64>().is_err()).collect();
    let asked = |kind: &str| kinds.is_empty() || kinds.contains(&kind);
    let shown = std::env::var_os("STICKSLIP_SHOW").is_some();
    let seeds = || first..first + count;
    let mut all = Vec::new();
    if asked("rig") {
        all.push(Kind::count("rig", seeds(), shown, |seed| rig::fitted(seed, 1200, 0.05).0));
    }
    if asked("servo") {
        all.push(Kind::count("servo", seeds(), shown, servos::fitted));
    }
    if asked("damper") {
        all.push(Kind::count("damper", seeds(), shown, dampers::fitted));
    }
    if asked("valve") {
        all.push(Kind::count("valve", seeds(), shown, valves::fitted));
    }
    table::print(&all);
    if asked("long") {
        long();
    }
}

/// 10⁴ samples with five unknowns.
fn long() {
    let (record, found, seconds) = rig::fitted(1000, 10_000, 0.01);
    let found = found.unwrap();
    println!(
        "\n10000 samples, five unknowns: {seconds:.2} s, {} motions, gradient {}",
        found.evaluations, found.gradient
    );
    println!(
        "  {:.3e} left, noise of the readings {:.3e}, in {} piece(s), believed: {}, {:?}",
        found.rmse, found.measured[0].noise, found.pieces, found.plausible, found.warnings
    );
    for n in record.numbers {
        println!(
            "  {:<32} {:?} ± {:?}, truth {:.5}",
            n.name, n.found.value, n.found.stderr, n.truth
        );
    }
}
