//! Speed of cascades and networks, each beside the bare kernel in the same run.

use divan::{Bencher, black_box, counter::ItemsCount};
use stickslip::hysteresis::{Clamps, TurningPoints};
use stickslip::onestep::{Chain, Element, Sparse};
use stickslip::scheme::{cascade, network};
use stickslip::{Cascade, Network, Signal};

fn main() {
    divan::main();
}

const SIZES: [usize; 4] = [100, 1000, 10_000, 1_000_000];

/// All springs alike, thresholds alike: at the amplitude used some n/10 elements slip.
fn alike(n: usize) -> Cascade {
    let threshold = (0..n).map(|i| 1.0 + 0.1 * ((i * 7919) % 13) as f64).collect();
    Cascade::new(1.0, vec![1.0; n + 1], threshold)
}

fn reach(c: &Cascade) -> f64 {
    c.backbone().breakpoints()[(c.elements() / 10).max(1)]
}

/// Thomas's algorithm, nothing else: the yardstick.
#[divan::bench(args = SIZES, sample_count = 40, sample_size = 16)]
fn bare_tridiagonal_solve(bencher: Bencher, n: usize) {
    let (d, r) = (vec![2.0; n], vec![1.0; n]);
    let e = vec![1.0; n];
    let (mut c, mut x) = (vec![0.0; n], vec![0.0; n]);
    bencher.counter(ItemsCount::new(n)).bench_local(|| {
        let (d, e, r) = (black_box(&d), black_box(&e), black_box(&r));
        let mut last = (0.0, 0.0);
        for i in 0..n {
            let w = 1.0 / (d[i] - e[i] * last.0);
            last = (e[i] * w, (r[i] + e[i] * last.1) * w);
            (c[i], x[i]) = last;
        }
        let mut y = 0.0;
        for i in (0..n).rev() {
            y = x[i] + c[i] * y;
            x[i] = y;
        }
        x[0]
    });
}

/// The projection of one implicit step, W carried on, along a triangle of 400 steps.
#[divan::bench(args = SIZES, sample_count = 40, sample_size = 16)]
fn implicit_step_warm(bencher: Bencher, n: usize) {
    let c = alike(n);
    let diagonal = vec![2.0; n];
    let mut chain = Chain::new(diagonal, vec![1.0; n - 1]).expect("a chain");
    let mut w = vec![0.0; n];
    let dx = reach(&c) / 100.0;
    let mut step = 0;
    let mut advance = || {
        w[0] -= if step % 400 < 200 { dx } else { -dx };
        step += 1;
        let outcome = chain.solve(&w, &c.threshold);
        for ((w, l), a) in w.iter_mut().zip(chain.lambda()).zip(&c.threshold) {
            *w = l.clamp(-a, *a);
        }
        outcome.iterations
    };
    (0..150).for_each(|_| {
        advance();
    });
    bencher.counter(ItemsCount::new(n)).bench_local(advance);
}

/// The step after a turning point: 300 steps there and back, and the slowest of them.
#[divan::bench(args = SIZES, sample_count = 40, sample_size = 16)]
fn implicit_turning_point(bencher: Bencher, n: usize) {
    let c = alike(n);
    let (mut chain, mut w) =
        (Chain::new(vec![2.0; n], vec![1.0; n - 1]).expect("a chain"), vec![0.0; n]);
    let dx = reach(&c) / 100.0;
    let mut advance = |dx: f64| {
        w[0] -= dx;
        let outcome = chain.solve(&w, &c.threshold);
        for ((w, l), a) in w.iter_mut().zip(chain.lambda()).zip(&c.threshold) {
            *w = l.clamp(-a, *a);
        }
        outcome.iterations
    };
    advance(100.0 * dx);
    let mut way = 1.0;
    bencher.counter(ItemsCount::new(n)).bench_local(|| {
        way = -way;
        advance(way * dx)
    });
}

/// A mass on 10⁶ elements, 1,000 steps of implicit Euler, all slipping in turn.
#[divan::bench(sample_count = 1, sample_size = 1)]
fn million_elements_thousand_steps(bencher: Bencher) {
    let c = alike(1_000_000);
    let c = Cascade { mass: 1e4, ..c }.with_force(Signal::harmonic(3e3, 0.05, 0.0));
    bencher.bench_local(|| {
        let counts = cascade::run_implicit_euler(&c, 100.0, 0.1, |_, _, _| ()).expect("a run");
        println!("{counts:?}");
    });
}

/// What memory allows: the traffic of the clamps, three arrays read and one of them written.
#[divan::bench(args = SIZES, sample_count = 40, sample_size = 16)]
fn bare_triad(bencher: Bencher, n: usize) {
    let (mut a, b, c) = (vec![1.0; n], vec![0.5; n], vec![1.0; n]);
    bencher.counter(ItemsCount::new(n)).bench_local(|| {
        let (b, c) = (black_box(&b[..]), black_box(&c[..]));
        for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
            *a = b * *a + 0.5 * c;
        }
        a[0]
    });
}

#[divan::bench(args = SIZES, sample_count = 40, sample_size = 16)]
fn clamps_step(bencher: Bencher, n: usize) {
    let c = alike(n);
    let mut clamps = Clamps::new(&c);
    let dx = reach(&c) / 100.0;
    let mut step = 0i64;
    bencher.counter(ItemsCount::new(n)).bench_local(|| {
        step += 1;
        clamps.advance(dx * ((step % 400) - 200).abs() as f64)
    });
}

#[divan::bench(args = SIZES, sample_count = 40, sample_size = 16)]
fn turning_points_step(bencher: Bencher, n: usize) {
    let c = alike(n);
    let mut stack = TurningPoints::new(&c);
    let dx = reach(&c) / 100.0;
    let mut step = 0i64;
    bencher.counter(ItemsCount::new(1usize)).bench_local(|| {
        step += 1;
        stack.advance(dx * ((step % 400) - 200).abs() as f64)
    });
}

/// A pulled chain of masses with friction; an item is one mass in one step.
fn chain_of_masses(bencher: Bencher, count: usize, sliding: f64) {
    let n = Network::burridge_knopoff(count, 1.0, 20.0, 1.0, (1.0, sliding), 0.1)
        .force("b3", Signal::harmonic(2.0, 1.0, 0.0))
        .build()
        .expect("a network");
    let steps = (200_000 / count).clamp(20, 2000);
    bencher
        .counter(ItemsCount::new(steps * count))
        .bench_local(|| network::run(&n, 0.01 * steps as f64, 0.01, 1.0, |_, _, _, _, _| ()));
}

/// By the rule of two phases.
#[divan::bench(args = [100usize, 10_000, 1_000_000], max_time = 20)]
fn chain_of_two_phases(bencher: Bencher, count: usize) {
    chain_of_masses(bencher, count, 0.6);
}

/// With one law, f_s = f_d.
#[divan::bench(args = [100usize, 10_000, 1_000_000], max_time = 20)]
fn chain_of_coulomb(bencher: Bencher, count: usize) {
    chain_of_masses(bencher, count, 1.0);
}

/// A square grid of masses, each on a slider: the general sparse problem with its own LDLᵀ, 20 steps of a ramp that
/// makes them slip one after the other.
#[divan::bench(args = [10usize, 30, 60, 200])]
fn grid_of_masses(bencher: Bencher, side: usize) {
    let name = |i: usize, j: usize| format!("n{i}_{j}");
    let mut b = Network::builder();
    for i in 0..side {
        for j in 0..side {
            let limit = 0.3 + 0.1 * ((7 * i + 3 * j) % 5) as f64;
            b = b.node(name(i, j), 1.0).slider(name(i, j), name(i, j), "ground", limit, limit);
            b = b.force(name(i, j), Signal::ramp(4.0, 0.0));
            if i > 0 {
                b = b.spring(name(i - 1, j), name(i, j), 20.0);
            }
            if j > 0 {
                b = b.spring(name(i, j - 1), name(i, j), 20.0);
            }
        }
    }
    let n = b.build().expect("a network");
    bencher
        .counter(ItemsCount::new(20usize))
        .bench_local(|| network::run(&n, 0.2, 0.01, 1.0, |_, _, _, _, _| ()));
}

/// A network of n masses as the sparse problem sees it.
#[derive(Clone, Copy, Debug)]
enum Graph {
    Chain(usize),
    Grid(usize),
    /// Each mass with springs to two others, anywhere.
    Random(usize),
}

impl Graph {
    fn order(self) -> usize {
        match self {
            Self::Chain(n) | Self::Random(n) => n,
            Self::Grid(side) => side * side,
        }
    }

    fn springs(self) -> Vec<(usize, usize)> {
        match self {
            Self::Chain(n) => (1..n).map(|i| (i - 1, i)).collect(),
            Self::Grid(side) => (0..side * side)
                .flat_map(|k| {
                    let across = (k % side > 0).then(|| (k - 1, k));
                    let down = (k >= side).then(|| (k - side, k));
                    across.into_iter().chain(down)
                })
                .collect(),
            Self::Random(n) => {
                let mut seed = 1u64;
                let mut next = || {
                    seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    (seed >> 33) as usize % n
                };
                (0..2 * n).map(|i| (i / 2, next())).filter(|(i, j)| i != j).collect()
            }
        }
    }
}

fn graphs() -> impl Iterator<Item = Graph> {
    let grids = [30, 60, 100, 250].map(Graph::Grid).into_iter();
    grids.chain([
        Graph::Chain(10_000),
        Graph::Random(300),
        Graph::Random(1000),
        Graph::Random(2000),
    ])
}

/// A step in which all masses slip but for one that sticks every other time: a factorisation and two
/// solves. The worst case: what sticks to the ground is left out of the factorisation.
#[divan::bench(args = graphs())]
fn sparse_step_that_factors(bencher: Bencher, graph: &Graph) {
    let n = graph.order();
    let mut entries: Vec<_> = (0..n).map(|i| (i, i, 1.0)).collect();
    for (i, j) in graph.springs() {
        entries.extend([(i, i, 0.3), (j, j, 0.3), (i, j, -0.3)]);
    }
    let elements = (0..n).map(|a| Element { a, b: None }).collect();
    let mut problem = Sparse::new(n, &entries, elements);
    let (alpha, offset, mut r) = (vec![1.0; n], vec![0.0; n], vec![3.0; n]);
    bencher.bench_local(|| {
        r[n / 2] = 1.0 - r[n / 2]; // 3 or −2: with what its neighbours pull, it sticks
        problem.solve(&r, &alpha, &offset).iterations
    });
}

/// A node of a grid without masses pulled there and back: a few of the nodes slip, another set in most
/// steps. Factorising only those is what our own factorisation gains.
#[divan::bench(args = graphs().filter(|g| matches!(g, Graph::Grid(_))), sample_count = 5, sample_size = 60)]
fn sparse_front_on_a_grid(bencher: Bencher, graph: &Graph) {
    let n = graph.order();
    let mut entries: Vec<_> = (0..n).map(|i| (i, i, 1e-3)).collect();
    for (i, j) in graph.springs() {
        entries.extend([(i, i, 1.0), (j, j, 1.0), (i, j, -1.0)]);
    }
    let elements = (0..n).map(|a| Element { a, b: None }).collect();
    let mut problem = Sparse::new(n, &entries, elements);
    let alpha: Vec<f64> = (0..n).map(|i| 0.3 + 0.1 * ((7 * i) % 5) as f64).collect();
    let (offset, mut w) = (vec![0.0; n], vec![0.0; n]);
    let mut step = 0;
    bencher.bench_local(|| {
        w[0] += if step % 40 < 20 { 5.0 } else { -5.0 };
        step += 1;
        let outcome = problem.solve(&w, &alpha, &offset);
        w.copy_from_slice(problem.lambda());
        outcome.iterations
    });
}

/// The event-driven scheme on a spring–block chain of 20: 30 s with all its events.
#[divan::bench]
fn exact_chain_of_20_masses(bencher: Bencher) {
    let n = Network::burridge_knopoff(20, 1.0, 20.0, 1.0, (1.0, 0.6), 0.1)
        .starting_at("b7", 0.2, 0.0)
        .build()
        .expect("a network");
    bencher.bench_local(|| network::exact(&n, 30.0).map(|path| path.events().len()));
}
