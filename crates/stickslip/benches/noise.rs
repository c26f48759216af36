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

/// The bare generator.
#[divan::bench(args = SETS)]
fn normals(bencher: Bencher, on: Instructions) {
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
