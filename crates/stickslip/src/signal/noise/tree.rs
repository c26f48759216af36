//! Paths of a filter, several side by side, a chunk of steps at a time.
//!
//! # What a path is
//!
//! Grid point i of level l is the time i H/2^l ([`Dyadic`]). Point 0 is zero; point 1 of level 0
//! is drawn from the law at H; an even point is the point i/2 one level up; an odd one lies in the
//! middle of interval (i − 1)/2 one level up and is drawn by its bridge. Every number is addressed by
//! (seed, path, channel, level, interval), so a point has one value, however it is reached:
//! `Tree::interval` is that definition, [`Tree::fill`] the same in order of time.

use super::filter::{Bridge, Filter, Matrix};
use super::grid::{CHUNK, DEPTH, Dyadic};
use super::normal::{Address, normal_pair};
use super::philox::philox4x32;
use crate::error::Error;

/// Level in the address of the number that the point H is drawn with.
const TOP: u8 = 255;

/// Values of `D` components in `N` lanes.
pub(crate) type Lanes<const D: usize, const N: usize> = [[f64; N]; D];

/// Who is in the lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Group<const N: usize> {
    pub seed: u64,
    pub paths: [u64; N],
}

/// The coefficients of a filter at every level down to a grid.
#[derive(Debug, Clone)]
pub(crate) struct Tree<const D: usize> {
    /// `bridges[l]` halves an interval of level l.
    bridges: Vec<Bridge<D>>,
    /// Spread of the point H.
    spread: Matrix<D>,
    channel: u8,
}

/// Where `N` paths are.
#[derive(Debug, Clone)]
pub(crate) struct Branch<const D: usize, const N: usize> {
    /// State at the right end of the current interval of each level.
    right: Vec<Lanes<D, N>>,
    /// State at the end of the last chunk.
    last: Lanes<D, N>,
    /// The second number of the last pair of each level: for the next interval.
    second: Vec<[f64; N]>,
}

/// Room for one chunk, which paths share that are made one after the other: it stays in the
/// processor's nearest memory.
#[derive(Debug, Clone)]
pub(crate) struct Room<const D: usize, const N: usize> {
    /// States at the chunk's points, both ends included.
    pub values: Vec<Lanes<D, N>>,
    /// The numbers they are made with.
    numbers: Vec<Lanes<D, N>>,
}

impl<const D: usize, const N: usize> Room<D, N> {
    pub fn new() -> Self {
        let zero = [[0.0; N]; D];
        Self { values: vec![zero; CHUNK + 1], numbers: vec![zero; CHUNK] }
    }
}

impl Tree<1> {
    pub fn new(filter: Filter<1>, grid: Dyadic, channel: u8) -> Result<Self, Error> {
        let bridges = (1..=grid.level).map(|l| filter.bridge(grid.length(l))).collect();
        Self { bridges, spread: filter.spread(grid.horizon), channel }.checked()
    }
}

impl Tree<2> {
    pub fn new(filter: Filter<2>, grid: Dyadic, channel: u8) -> Result<Self, Error> {
        let bridges = (1..=grid.level).map(|l| filter.bridge(grid.length(l))).collect();
        Self { bridges, spread: filter.spread(grid.horizon), channel }.checked()
    }
}

impl<const D: usize> Tree<D> {
    /// Coefficients can only overflow where the filter's numbers are absurd against the step.
    fn checked(self) -> Result<Self, Error> {
        let all = self.bridges.iter().flat_map(|b| [b.left, b.right, b.root]).chain([self.spread]);
        match all.flatten().flatten().find(|x| !x.is_finite()) {
            Some(found) => Err(Error::OutOfRange {
                what: "a coefficient of the noise filter",
                found,
                expected: "a finite number: an intensity, rate or frequency nearer to the magnitudes of the rest",
            }),
            None => Ok(self),
        }
    }

    /// The numbers that halve interval `i` of `level`, or draw the point H.
    #[cfg(test)]
    fn numbers(&self, seed: u64, path: u64, level: u8, i: u64) -> [f64; D] {
        let a = Address { seed, path, channel: self.channel };
        match D {
            1 => {
                let z = a.normals(level, i >> 1);
                [if i & 1 == 0 { z.0 } else { z.1 }; D]
            }
            _ => {
                let z = a.normals(level, i);
                std::array::from_fn(|d| if d == 0 { z.0 } else { z.1 })
            }
        }
    }

    #[cfg(test)]
    /// State of one path at both ends of interval `i` of `level`: the definition, one halving after
    /// the other.
    pub fn interval(&self, seed: u64, path: u64, level: usize, i: u64) -> ([f64; D], [f64; D]) {
        let Some(above) = level.checked_sub(1) else {
            let z = self.numbers(seed, path, TOP, 0);
            let h = std::array::from_fn(|d| (0..=d).map(|k| self.spread[d][k] * z[k]).sum());
            return ([0.0; D], h);
        };
        let (left, right) = self.interval(seed, path, above, i >> 1);
        let z = self.numbers(seed, path, above as u8, i >> 1);
        let z: Lanes<D, 1> = z.map(|z| [z]);
        let mut middle = [[0.0; 1]; D];
        halve(&self.bridges[above], &left.map(|x| [x]), &right.map(|x| [x]), &z, &mut middle);
        let middle = middle.map(|x| x[0]);
        if i & 1 == 0 { (left, middle) } else { (middle, right) }
    }

    /// Paths before their first chunk.
    pub fn branch<const N: usize>(&self) -> Branch<D, N> {
        let zero = [[0.0; N]; D];
        let levels = self.bridges.len() + 1;
        Branch { right: vec![zero; levels], last: zero, second: vec![[0.0; N]; levels] }
    }

    /// Makes chunk number `chunk` in `room`; chunks come in order from 0.
    #[inline(always)]
    pub fn fill<const N: usize>(
        &self,
        group: &Group<N>,
        chunk: u64,
        branch: &mut Branch<D, N>,
        room: &mut Room<D, N>,
    ) {
        let top = self.bridges.len() - DEPTH;
        let Branch { right, last, second } = branch;
        // Intervals that begin with this chunk: all of them at the start, otherwise those below
        // the level at which the chunk is a right child.
        let first = match chunk {
            0 => {
                let mut even = [0.0; N];
                let mut odd = [0.0; N];
                normals(group, self.channel, TOP, 0, &mut even, &mut odd);
                let z = [even, odd];
                for d in 0..D {
                    for l in 0..N {
                        right[0][d][l] = (0..=d).map(|k| self.spread[d][k] * z[k][l]).sum();
                    }
                }
                *last = [[0.0; N]; D];
                0
            }
            _ => {
                let first = top - chunk.trailing_zeros() as usize;
                right[first] = right[first - 1];
                first
            }
        };
        for level in first..top {
            let z = self.single(group, level, chunk >> (top - level), &mut second[level]);
            let (above, below) = right.split_at_mut(level + 1);
            halve(&self.bridges[level], last, &above[level], &z, &mut below[0]);
        }
        room.values[0] = *last;
        room.values[CHUNK] = right[top];
        *last = right[top];
        room.numbers[1] = self.single(group, top, chunk, &mut second[top]);
        self.inside(group, chunk, top, room);
    }

    /// Halves the chunk's interval DEPTH times. Interval i of the d-th halving is node 2^d + i of a
    /// heap, and the number of node 1 is there: first the numbers of the others, then all middles, each
    /// loop short enough for the processor to look ahead.
    #[inline(always)]
    fn inside<const N: usize>(
        &self,
        group: &Group<N>,
        chunk: u64,
        top: usize,
        room: &mut Room<D, N>,
    ) {
        let Room { values, numbers } = room;
        let level = top as u32;
        let first = chunk;
        for (pair, out) in numbers.as_chunks_mut::<2>().0.iter_mut().enumerate().skip(1) {
            let depth = (2 * pair).ilog2();
            let level = (level + depth) as u8;
            let i = (first << depth) + (2 * pair - (1 << depth)) as u64;
            self.pair(group, level, i, out);
        }
        for (depth, bridge) in self.bridges[top..].iter().enumerate() {
            let half = CHUNK >> (depth + 1);
            for (i, z) in numbers[1 << depth..2 << depth].iter().enumerate() {
                // Opaque to the compiler, lest it make vectors of nodes instead of lanes.
                let i = std::hint::black_box(i);
                middle(bridge, values, (2 * i + 1) * half, half, z);
            }
        }
    }

    /// The numbers of interval `i` of `level`. Intervals come in order: with one component a pair of
    /// numbers serves two, and the second waits in `second`.
    #[inline(always)]
    fn single<const N: usize>(
        &self,
        group: &Group<N>,
        level: usize,
        i: u64,
        second: &mut [f64; N],
    ) -> Lanes<D, N> {
        if D == 1 && i & 1 == 1 {
            return [*second; D];
        }
        let mut first = [0.0; N];
        let mut other = [0.0; N];
        let pair = if D == 1 { i >> 1 } else { i };
        normals(group, self.channel, level as u8, pair, &mut first, &mut other);
        *second = other;
        std::array::from_fn(|d| if d == 0 { first } else { other })
    }

    /// The numbers of the intervals `i`, even, and `i` + 1 of `level`.
    #[inline(always)]
    fn pair<const N: usize>(
        &self,
        group: &Group<N>,
        level: u8,
        i: u64,
        out: &mut [Lanes<D, N>; 2],
    ) {
        let [a, b] = out;
        if D == 1 {
            normals(group, self.channel, level, i >> 1, &mut a[0], &mut b[0]);
        } else {
            for (i, z) in [(i, a), (i + 1, b)] {
                let (first, second) = z.split_at_mut(1);
                normals(group, self.channel, level, i, &mut first[0], &mut second[0]);
            }
        }
    }
}

/// A pair of normal numbers in every lane.
#[inline(always)]
pub(crate) fn normals<const N: usize>(
    group: &Group<N>,
    channel: u8,
    level: u8,
    pair: u64,
    even: &mut [f64; N],
    odd: &mut [f64; N],
) {
    // Two loops: their chains of operations are long, and a processor looks only so far ahead.
    let mut u = [0; N];
    let mut v = [0; N];
    for l in 0..N {
        let counter = Address::counter(group.paths[l], channel, level, pair);
        let [c0, c1, c2, c3] = philox4x32(counter, Address::key(group.seed));
        (u[l], v[l]) = (c0 | c1 << 32, c2 | c3 << 32);
    }
    for l in 0..N {
        (even[l], odd[l]) = normal_pair(u[l], v[l]);
    }
}

/// Point `at` of the chunk from the points `half` before and after.
#[inline(always)]
fn middle<const D: usize, const N: usize>(
    bridge: &Bridge<D>,
    values: &mut [Lanes<D, N>],
    at: usize,
    half: usize,
    z: &Lanes<D, N>,
) {
    let (before, after) = values.split_at_mut(at);
    let (this, after) = after.split_at_mut(1);
    halve(bridge, &before[at - half], &after[half - 1], z, &mut this[0]);
}

/// middle = left·L + right·R + root·z.
#[inline(always)]
fn halve<const D: usize, const N: usize>(
    bridge: &Bridge<D>,
    left: &Lanes<D, N>,
    right: &Lanes<D, N>,
    z: &Lanes<D, N>,
    middle: &mut Lanes<D, N>,
) {
    for d in 0..D {
        for l in 0..N {
            let mut m = bridge.left[d][0] * left[0][l] + bridge.right[d][0] * right[0][l];
            for k in 1..D {
                m += bridge.left[d][k] * left[k][l] + bridge.right[d][k] * right[k][l];
            }
            for k in 0..=d {
                m += bridge.root[d][k] * z[k][l];
            }
            middle[d][l] = m;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kanai_tajimi() -> Filter<2> {
        Filter { a: [[0.0, 1.0], [-1.0, -0.6]], g: [0.0, 1.0] }
    }

    /// In order of time and straight from the definition, to the last bit, in one lane and in four.
    #[test]
    fn filled_in_order_is_the_definition() {
        let grid = Dyadic::new(0.03).unwrap();
        let tree = Tree::<2>::new(kanai_tajimi(), grid, 3).unwrap();
        let four = Group { seed: 9, paths: [5, 0, 17, 1 << 35] };
        let one = Group { seed: 9, paths: [17] };
        let mut b4 = tree.branch::<4>();
        let mut b1 = tree.branch::<1>();
        let (mut r4, mut r1) = (Room::<2, 4>::new(), Room::<2, 1>::new());
        for chunk in 0..9 {
            tree.fill(&four, chunk, &mut b4, &mut r4);
            tree.fill(&one, chunk, &mut b1, &mut r1);
            for i in 0..CHUNK {
                let n = chunk * CHUNK as u64 + i as u64;
                for (lane, &path) in four.paths.iter().enumerate() {
                    let (a, b) = tree.interval(9, path, grid.level, n);
                    assert_eq!(a, r4.values[i].map(|x| x[lane]), "{n}");
                    assert_eq!(b, r4.values[i + 1].map(|x| x[lane]), "{n}");
                }
                assert_eq!(r1.values[i].map(|x| x[0]), r4.values[i].map(|x| x[2]));
            }
        }
    }

    #[test]
    fn halving_the_step_keeps_the_path() {
        let at = |halvings: i32, i: u64| {
            let grid = Dyadic::new(0.05 * super::super::grid::power_of_two(-halvings)).unwrap();
            let tree = Tree::<1>::new(Filter { a: [[-1.0]], g: [1.0] }, grid, 0).unwrap();
            tree.interval(1, 2, grid.level, i << halvings).0
        };
        for i in 0..50 {
            assert!((1..9).all(|k| at(k, i) == at(0, i)));
        }
    }
}
