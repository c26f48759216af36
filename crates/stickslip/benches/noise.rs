//! Random numbers and ensembles: path-steps per second beside the bare generator, in one run.
//!
//! `cargo bench -p stickslip --bench noise`

use divan::{Bencher, counter::ItemsCount};
use stickslip::lanes::{Instructions, fill_normals};
use stickslip::signal::noise::{Address, Noise, Reader};

fn main() {
    divan::main();
}

const SETS: [Instructions; 3] = [Instructions::Portable, Instructions::Avx2, Instructions::Avx512];

/// The bare generator, by the best instructions of this machine: what ensembles are compared with.
#[divan::bench]
fn normals(bencher: Bencher) {
    normals_by(bencher, Instructions::best());
}

/// By those that are named, where the machine has them, and by the portable ones elsewhere.
#[divan::bench(args = SETS)]
fn normals_by(bencher: Bencher, on: Instructions) {
    let mut out = vec![0.0; 4096];
    bencher.counter(ItemsCount::new(out.len())).bench_local(|| fill_normals(on, 1, 0, &mut out));
}

/// One path, one number at a time.
#[divan::bench]
fn normals_one_by_one(bencher: Bencher) {
    bencher.counter(ItemsCount::new(2000usize)).bench_local(|| {
        let a = Address { seed: 1, path: 0, channel: 0 };
        (0..1000).map(|i| a.normals(0, i)).map(|(z, w)| z + w).sum::<f64>()
    });
}

/// One OU path, in order of time.
#[divan::bench]
fn ornstein_uhlenbeck_one_path(bencher: Bencher) {
    let noise = Noise::OrnsteinUhlenbeck { rate: 1.0, intensity: 1.0, scale: 1.0 };
    let address = Address { seed: 1, path: 0, channel: 0 };
    let mut path = Reader::new(&noise, address, 0.001).expect("a valid noise");
    bencher
        .counter(ItemsCount::new(1000usize))
        .bench_local(|| path.by_ref().take(1000).sum::<f64>());
}

mod ensemble {
    use super::*;
    use stickslip::model::{Cascade, Network};
    use stickslip::study::ensemble::{Plan, run};
    use stickslip::{Law, Oscillator, Place, Problem, Signal};

    const PATHS: u64 = 4096;
    const STEPS: usize = 10_000;
    /// Threads.
    const THREADS: [usize; 2] = [1, 2];

    /// S6: Shaw's oscillator under an Ornstein–Uhlenbeck perturbed drive.
    fn plan(rows: usize) -> Plan {
        let law = Law::static_dynamic(1.2, 1.0).expect("a valid law");
        let shaw = Oscillator::new(1.0, 1.0, law).with_drive(Signal::harmonic(6.0, 0.5, 0.0));
        let ou = Noise::OrnsteinUhlenbeck { rate: 1.0, intensity: 1.0, scale: 1.5 };
        let problem = Problem::new(shaw, 0.01 * STEPS as f64).with_noise(Place::Drive, ou);
        Plan::new(problem, 0.01, 1).with_rows(rows)
    }

    /// Path-steps, few rows: the kernel.
    #[divan::bench(args = THREADS, sample_count = 10)]
    fn few_rows(bencher: Bencher, threads: usize) {
        let plan = plan(2);
        let count = ItemsCount::new(PATHS as usize * STEPS);
        bencher.counter(count).bench_local(|| run(&plan, 0..PATHS, threads, &mut ()));
    }

    /// Path-steps, 101 rows of statistics: what users get.
    #[divan::bench(args = THREADS, sample_count = 10)]
    fn many_rows(bencher: Bencher, threads: usize) {
        let plan = plan(101);
        let count = ItemsCount::new(PATHS as usize * STEPS);
        bencher.counter(count).bench_local(|| run(&plan, 0..PATHS, threads, &mut ()));
    }
    /// Path-steps of a cascade of two elements under white noise.
    #[divan::bench(args = THREADS, sample_count = 5)]
    fn of_cascades(bencher: Bencher, threads: usize) {
        let cascade = Cascade::new(1.0, vec![0.5, 1.0, 2.0], vec![0.3, 0.6]);
        let white = Noise::White { intensity: 0.8 };
        let problem = Problem::new(cascade, 10.0).with_noise(Place::Force, white);
        let plan = Plan::new(problem, 0.01, 1).with_rows(2);
        bencher
            .counter(ItemsCount::new(PATHS as usize * 1000))
            .bench_local(|| run(&plan, 0..PATHS, threads, &mut ()));
    }

    /// Path-steps of three masses in a row under white noise on one of them.
    #[divan::bench(args = THREADS, sample_count = 5)]
    fn of_networks(bencher: Bencher, threads: usize) {
        let network = Network::burridge_knopoff(3, 1.0, 20.0, 1.0, (1.0, 0.6), 0.1);
        let network = network.build().expect("a network");
        let white = Noise::White { intensity: 0.8 };
        let problem = Problem::new(network, 10.0).with_noise(Place::Node(1), white);
        let plan = Plan::new(problem, 0.01, 1).with_rows(2);
        bencher
            .counter(ItemsCount::new(PATHS as usize * 1000))
            .bench_local(|| run(&plan, 0..PATHS, threads, &mut ()));
    }
}

/// The rule that ensembles have without a name against those that they had before: explicit steps of one mass, implicit ones of
/// the others. Path-steps on one thread.
mod rules {
    use super::*;
    use stickslip::model::{Cascade, Model, Network};
    use stickslip::scheme::stochastic::Rule;
    use stickslip::study::ensemble::{Plan, run};
    use stickslip::{Law, Oscillator, Place, Problem, Signal};

    const PATHS: u64 = 2048;
    const STEPS: usize = 1000;

    fn measure(
        bencher: Bencher,
        model: impl Into<Model>,
        (place, noise): (Place, Noise),
        rule: Rule,
    ) {
        let problem = Problem::new(model, 0.01 * STEPS as f64).with_noise(place, noise);
        let plan = Plan::new(problem, 0.01, 1).with_rows(2).with_rule(rule);
        bencher
            .counter(ItemsCount::new(PATHS as usize * STEPS))
            .bench_local(|| run(&plan, 0..PATHS, 1, &mut ()));
    }

    fn shaw() -> Oscillator {
        let law = Law::static_dynamic(1.2, 1.0).expect("a valid law");
        Oscillator::new(1.0, 1.0, law).with_drive(Signal::harmonic(6.0, 0.5, 0.0))
    }

    #[divan::bench(args = [Rule::Euler, Rule::Theta], sample_count = 10)]
    fn one_mass_and_filtered_noise(bencher: Bencher, rule: Rule) {
        let noise = Noise::OrnsteinUhlenbeck { rate: 1.0, intensity: 1.0, scale: 1.5 };
        measure(bencher, shaw(), (Place::Drive, noise), rule);
    }

    #[divan::bench(args = [Rule::Euler, Rule::Theta], sample_count = 10)]
    fn one_mass_and_white_noise(bencher: Bencher, rule: Rule) {
        measure(bencher, shaw(), (Place::Force, Noise::White { intensity: 0.8 }), rule);
    }

    #[divan::bench(args = [Rule::ImplicitEuler, Rule::Theta], sample_count = 5)]
    fn a_cascade(bencher: Bencher, rule: Rule) {
        let cascade = Cascade::new(1.0, vec![0.5, 1.0, 2.0], vec![0.3, 0.6]);
        measure(bencher, cascade, (Place::Force, Noise::White { intensity: 0.8 }), rule);
    }

    #[divan::bench(args = [Rule::ImplicitEuler, Rule::Theta], sample_count = 5)]
    fn a_network(bencher: Bencher, rule: Rule) {
        let network = Network::burridge_knopoff(3, 1.0, 20.0, 1.0, (1.0, 0.6), 0.1);
        let network = network.build().expect("a network");
        measure(bencher, network, (Place::Node(1), Noise::White { intensity: 0.8 }), rule);
    }
}
