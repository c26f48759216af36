//! A signal at many equidistant times: its harmonics side by side in vectors.

use super::{Cursor, Harmonic, Knot, Signal};
use crate::instructions::{Instructions, Kernel, dispatch};
use crate::portable;

/// So many times side by side.
const WIDTH: usize = 16;

impl Cursor<'_> {
    /// s(n h) for n = `first`, `first` + 1, … into `out`: the bits of [`value`](Self::value) at each of these times (s). The first
    /// need not be a whole number: schemes look at loads inside their steps.
    pub(crate) fn fill(&mut self, on: Instructions, first: f64, h: f64, out: &mut [f64]) {
        let Some(last) = out.len().checked_sub(1) else { return };
        let time = |i: usize| (first + i as f64) * h;
        let near =
            |w: &Harmonic| [0, last].iter().all(|&i| w.angle(time(i)).abs() < portable::NEAR);
        let knot = self.piece(time(0));
        if self.functions.is_empty() && self.harmonics.iter().all(near) && self.until() > time(last)
        {
            dispatch(on, Smooth { knot, waves: self.harmonics, first, h, out });
        } else {
            out.iter_mut().enumerate().for_each(|(i, x)| *x = self.value(time(i)));
        }
    }
}

/// So many values are made at a time.
const BLOCK: usize = 128;

/// A signal at the times n h, read in turn and made in blocks.
pub(crate) struct StepReader<'a> {
    cursor: Cursor<'a>,
    on: Instructions,
    h: f64,
    /// Number of the first value there is.
    first: u64,
    values: [f64; BLOCK],
}

impl<'a> StepReader<'a> {
    /// With steps `h`, s.
    pub fn new(signal: &'a Signal, h: f64) -> Self {
        let cursor = signal.cursor();
        let on = Instructions::best();
        Self { cursor, on, h, first: u64::MAX / 2, values: [0.0; BLOCK] }
    }

    /// s(n h); n never goes back.
    #[inline]
    pub fn value(&mut self, n: usize) -> f64 {
        let i = (n as u64).wrapping_sub(self.first);
        if i < BLOCK as u64 { self.values[i as usize] } else { self.next(n as u64) }
    }

    #[cold]
    fn next(&mut self, n: u64) -> f64 {
        self.cursor.fill(self.on, n as f64, self.h, &mut self.values);
        self.first = n;
        self.values[0]
    }
}

/// 0, 1, 2, …: whole numbers do not become floating point numbers in vectors.
const COUNT: [f64; WIDTH] =
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0];

/// One affine piece with its harmonics.
struct Smooth<'a> {
    knot: Knot,
    waves: &'a [Harmonic],
    first: f64,
    h: f64,
    out: &'a mut [f64],
}

impl Kernel for Smooth<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { knot, waves, first, h, out } = self;
        for (k, chunk) in out.chunks_mut(WIDTH).enumerate() {
            let first = first + (k * WIDTH) as f64;
            let mut times = COUNT;
            times.iter_mut().for_each(|t| *t = (first + *t) * h);
            // −0 is what a sum of floating point numbers begins with.
            let mut sum = [-0.0; WIDTH];
            for w in waves {
                for l in 0..WIDTH {
                    sum[l] += w.amplitude * portable::sin_cos_near(w.angle(times[l])).1;
                }
            }
            for l in 0..WIDTH {
                times[l] = knot.at(times[l]) + sum[l];
            }
            chunk.copy_from_slice(&times[..chunk.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On every instruction set, at the first times and late ones, for one harmonic, for several and beyond what vectors do.
    #[test]
    fn the_bits_are_those_of_one_time_after_the_other() {
        let sampled = Signal::sampled(&[0.0, 1.0, 2.5, 100.0], &[1.0, -4.0, 5.0, 2.0]).unwrap();
        let wave = Signal::harmonic(6.0, 0.5, 0.3);
        let signals = [
            wave.clone(),
            sampled.clone(),
            sampled + wave.clone() + Signal::harmonic(-2.0, 7.7, 1.0),
            wave.clone() + Signal::harmonic(0.1, 3e5, 0.0),
            Signal::constant(3.0),
        ];
        for on in [Instructions::Portable, Instructions::Avx2, Instructions::Avx512] {
            for (s, first) in
                signals.iter().flat_map(|s| [0.0, 1701.0, 1701.5, 250_000.0].map(|n| (s, n)))
            {
                let h = if first == 250_000.0 { 4e-4 } else { 0.013 };
                let mut out = [0.0; 77];
                s.cursor().fill(on, first, h, &mut out);
                for (i, x) in out.iter().enumerate() {
                    let want = s.value((first + i as f64) * h);
                    assert_eq!(x.to_bits(), want.to_bits(), "{s:?} {first} {i}");
                }
            }
        }
    }
}
