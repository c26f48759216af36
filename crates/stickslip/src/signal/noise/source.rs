//! A noise on a grid: its filter's tree and what of the state is the signal.

use super::grid::Dyadic;
use super::tree::{Branch, Group, Room, Tree};
use super::{Filter, Noise};
use crate::error::Error;
use crate::instructions::{Instructions, Kernel, dispatch};

/// A noise, ready to be made on one grid.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    /// B; the signal is its increments.
    White(Tree<1>),
    /// η, and s.
    First(Tree<1>, f64),
    /// (ωx, y), and their factors in the signal.
    Second(Tree<2>, [f64; 2]),
}

/// `N` paths of a source.
#[derive(Debug, Clone)]
pub(crate) enum SourceState<const N: usize> {
    First(Branch<1, N>),
    Second(Branch<2, N>),
}

/// Room for one chunk of any source.
#[derive(Debug, Clone)]
pub(crate) struct Scratch<const N: usize> {
    first: Room<1, N>,
    second: Room<2, N>,
}

impl<const N: usize> Scratch<N> {
    pub fn new() -> Self {
        Self { first: Room::new(), second: Room::new() }
    }
}

impl Source {
    /// The noise as channel `channel` of a model, multiplied by `gain`.
    pub fn new(noise: &Noise, gain: f64, step: f64, channel: u8) -> Result<Self, Error> {
        noise.check()?;
        let grid = Dyadic::new(step)?;
        Ok(match *noise {
            Noise::White { intensity } => {
                let filter = Filter { a: [[0.0]], g: [gain * intensity] };
                Self::White(Tree::<1>::new(filter, grid, channel)?)
            }
            Noise::OrnsteinUhlenbeck { rate, intensity, scale } => {
                let filter = Filter { a: [[-rate]], g: [intensity] };
                Self::First(Tree::<1>::new(filter, grid, channel)?, gain * scale)
            }
            Noise::KanaiTajimi { angular_frequency: w, damping_ratio, intensity, scale } => {
                // With ωx for x all coefficients are of the size of ω.
                let damping = 2.0 * damping_ratio * w;
                let filter = Filter { a: [[0.0, w], [-w, -damping]], g: [0.0, intensity] };
                let factors = [-gain * scale * w, -gain * scale * damping];
                Self::Second(Tree::<2>::new(filter, grid, channel)?, factors)
            }
        })
    }

    /// Whether it gives impulses and no values.
    pub fn is_white(&self) -> bool {
        matches!(self, Self::White(_))
    }

    /// Paths before their first chunk.
    pub fn source_state<const N: usize>(&self) -> SourceState<N> {
        match self {
            Self::White(tree) | Self::First(tree, _) => SourceState::First(tree.branch()),
            Self::Second(tree, _) => SourceState::Second(tree.branch()),
        }
    }

    /// [`make`](Self::make) with chosen instructions, compiled once for whoever needs it: the generators are longer than
    /// most schemes. One path alone gains nothing by vectors.
    #[inline(never)]
    pub fn make_on<const N: usize>(
        &self,
        on: Instructions,
        group: &Group<N>,
        chunk: u64,
        source_state: &mut SourceState<N>,
        scratch: &mut Scratch<N>,
        target: Target<'_, N>,
    ) {
        let make = Make { source: self, group, chunk, source_state, scratch, target };
        if N == 1 { make.run() } else { dispatch(on, make) }
    }

    /// Makes chunk number `chunk`: values at the chunk's points (CHUNK of them, or CHUNK + 1 with the far end), or, of a white noise, the
    /// impulses that begin there.
    #[inline(always)]
    fn make<const N: usize>(
        &self,
        group: &Group<N>,
        chunk: u64,
        source_state: &mut SourceState<N>,
        scratch: &mut Scratch<N>,
        target: Target<'_, N>,
    ) {
        let Target { add, values: out } = target;
        match (self, source_state) {
            (Self::White(tree), SourceState::First(branch)) => {
                tree.fill(group, chunk, branch, &mut scratch.first);
                for (out, ends) in out.iter_mut().zip(scratch.first.values.windows(2)) {
                    if let [[before], [after]] = ends {
                        put(out, add, |l| after[l] - before[l]);
                    }
                }
            }
            (Self::First(tree, factor), SourceState::First(branch)) => {
                tree.fill(group, chunk, branch, &mut scratch.first);
                for (out, [value]) in out.iter_mut().zip(&scratch.first.values) {
                    put(out, add, |l| factor * value[l]);
                }
            }
            (Self::Second(tree, factors), SourceState::Second(branch)) => {
                tree.fill(group, chunk, branch, &mut scratch.second);
                let [first, second] = *factors;
                for (out, [x, y]) in out.iter_mut().zip(&scratch.second.values) {
                    put(out, add, |l| first * x[l] + second * y[l]);
                }
            }
            _ => debug_assert!(false, "a source_state of another source"),
        }
    }
}

/// Where a chunk goes.
pub(crate) struct Target<'a, const N: usize> {
    /// Whether it is added to what is there; it takes its place otherwise.
    pub add: bool,
    pub values: &'a mut [[f64; N]],
}

struct Make<'a, const N: usize> {
    source: &'a Source,
    group: &'a Group<N>,
    chunk: u64,
    source_state: &'a mut SourceState<N>,
    scratch: &'a mut Scratch<N>,
    target: Target<'a, N>,
}

impl<const N: usize> Kernel for Make<'_, N> {
    #[inline(always)]
    fn run(self) {
        let Self { source, group, chunk, source_state, scratch, target } = self;
        source.make(group, chunk, source_state, scratch, target);
    }
}

/// Sets every lane, or adds to it.
#[inline(always)]
fn put<const N: usize>(out: &mut [f64; N], add: bool, value: impl Fn(usize) -> f64) {
    // A local list cannot overlap with what it is made of, so it becomes vectors; and what is opaque
    // to the compiler keeps it from making vectors of points instead of lanes.
    let mut lanes = [0.0; N];
    for l in 0..N {
        lanes[l] = value(l);
    }
    let out = std::hint::black_box(out);
    if add {
        for l in 0..N {
            lanes[l] += out[l];
        }
    }
    *out = lanes;
}
