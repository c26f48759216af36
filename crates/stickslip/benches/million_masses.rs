//! Time and memory of a pulled chain of a million masses with friction, from its description to twenty steps:
//! `cargo bench -p stickslip --bench million_masses`.

use std::time::Instant;
use stickslip::scheme::network;
use stickslip::{Network, Signal};

const MASSES: usize = 1_000_000;
const STEPS: usize = 20;

/// The memory of this process, present and greatest, where the system tells.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let of = |key: &str| {
        let line = status.lines().find_map(|l| l.strip_prefix(key)?.split_whitespace().nth(1));
        line.and_then(|kb| kb.parse::<f64>().ok()).map(|kb| kb / 1024.0)
    };
    match (of("VmRSS"), of("VmHWM")) {
        (Some(now), Some(most)) => format!("{now:.0} MiB, {most:.0} MiB at the most"),
        _ => "not told by this system".to_owned(),
    }
}

fn main() -> Result<(), stickslip::Error> {
    let start = Instant::now();
    let builder = Network::burridge_knopoff(MASSES, 1.0, 20.0, 1.0, (1.0, 0.6), 0.1);
    let network = builder.force("b3", Signal::harmonic(2.0, 1.0, 0.0)).build()?;
    println!(
        "{MASSES} masses described in {:.2} s; memory {}",
        start.elapsed().as_secs_f64(),
        memory()
    );
    let mut last = Instant::now();
    let mut steps = Vec::new();
    let start = last;
    network::run(&network, 0.01 * STEPS as f64, 0.01, 1.0, |_, _, _, _, _| {
        steps.push(last.elapsed().as_secs_f64());
        last = Instant::now();
    })?;
    let took = start.elapsed().as_secs_f64();
    let least = steps[1..].iter().copied().fold(f64::INFINITY, f64::min);
    println!(
        "{STEPS} steps in {:.2} s, prepared in {:.2} s, the quickest {:.1} ns a mass; memory {}",
        took,
        steps[0],
        1e9 * least / MASSES as f64,
        memory()
    );
    #[cfg(feature = "parallel")]
    println!(
        "{STEPS} steps, threads: {} | masses | {MASSES} | {took:e}",
        rayon::current_num_threads()
    );
    Ok(())
}
