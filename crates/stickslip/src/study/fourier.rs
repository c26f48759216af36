//! The discrete Fourier transform, of any length and with the same bits on every machine.
//!
//! ```text
//! ẑ_k = Σ zₙ e^{−2πi kn/N}
//! ```
//!
//! Powers of two by Cooley and Tukey (1965) in place; any other length as a convolution with a chirp, whose length is one
//! (Bluestein 1970): since kn = (k² + n² − (k − n)²)/2,
//!
//! ```text
//! ẑ_k = c_k Σ (zₙ cₙ) c̄_{k−n},      cₙ = e^{−πi n²/N}.
//! ```
//!
//! The angles are those of [`portable`], each computed by itself: libraries for this take them from the system, whose
//! last digits differ from one to the next.

use crate::portable;
use num_complex::Complex64;
use std::f64::consts::PI;

/// A transform of one length.
pub struct Fourier {
    length: usize,
    /// e^{−2πi k/M}, k < M/2, of the power of two M that is transformed.
    turns: Vec<Complex64>,
    chirp: Option<Chirp>,
}

/// What a length needs that is no power of two.
struct Chirp {
    /// cₙ.
    wave: Vec<Complex64>,
    /// The transform of c̄, divided by its length.
    kernel: Vec<Complex64>,
}

/// e^{−πi a/b}.
fn turn(a: usize, b: usize) -> Complex64 {
    let (sin, cos) = portable::sin_cos(PI * a as f64 / b as f64);
    Complex64::new(cos, -sin)
}

impl Fourier {
    /// For `length` numbers, one at least.
    pub fn new(length: usize) -> Self {
        let power = length.is_power_of_two();
        let whole = if power { length } else { (2 * length).next_power_of_two() };
        let turns = (0..whole / 2).map(|k| turn(2 * k, whole)).collect();
        let mut fourier = Self { length, turns, chirp: None };
        if !power && length > 0 {
            // n² is reduced before it becomes an angle.
            let square = |n: usize| (n as u128 * n as u128 % (2 * length as u128)) as usize;
            let wave: Vec<Complex64> = (0..length).map(|n| turn(square(n), length)).collect();
            let mut kernel = vec![Complex64::default(); whole];
            for (n, c) in wave.iter().enumerate() {
                kernel[n] = c.conj() / whole as f64;
                kernel[(whole - n) % whole] = kernel[n];
            }
            fourier.by_halves(&mut kernel);
            fourier.chirp = Some(Chirp { wave, kernel });
        }
        fourier
    }

    /// Replaces `length` numbers by their transform; `room` is used as it needs to be, and can be kept for the next call.
    ///
    /// ```
    /// use num_complex::Complex64;
    /// use stickslip::study::fourier::Fourier;
    ///
    /// let mut z = [1.0, 2.0, 4.0].map(Complex64::from);
    /// Fourier::new(3).transform(&mut z, &mut Vec::new());
    /// let at_one = Complex64::new(1.0 - 3.0, 3f64.sqrt());
    /// assert!((z[0] - 7.0).norm() < 1e-14 && (z[1] - at_one).norm() < 1e-14);
    /// ```
    ///
    /// # Panics
    /// If there are not as many numbers as the length says.
    pub fn transform(&self, numbers: &mut [Complex64], room: &mut Vec<Complex64>) {
        assert_eq!(numbers.len(), self.length, "a transform is of one length");
        let Some(Chirp { wave, kernel }) = &self.chirp else {
            return self.by_halves(numbers);
        };
        room.clear();
        room.extend(numbers.iter().zip(wave).map(|(z, c)| z * c));
        room.resize(kernel.len(), Complex64::default());
        self.by_halves(room);
        // Back by the conjugate of the transform of conjugates.
        room.iter_mut().zip(kernel).for_each(|(z, k)| *z = (*z * k).conj());
        self.by_halves(room);
        for ((z, r), c) in numbers.iter_mut().zip(room.iter()).zip(wave) {
            *z = r.conj() * c;
        }
    }

    /// The transform of a power of two.
    fn by_halves(&self, z: &mut [Complex64]) {
        let n = z.len();
        for i in 0..n {
            // Its bits the other way round.
            let j = if n > 1 { i.reverse_bits() >> (n.leading_zeros() + 1) } else { 0 };
            if i < j {
                z.swap(i, j);
            }
        }
        let mut half = 1;
        while half < n {
            let stride = n / (2 * half);
            for block in z.chunks_exact_mut(2 * half) {
                let (first, second) = block.split_at_mut(half);
                for ((a, b), w) in
                    first.iter_mut().zip(second).zip(self.turns.iter().step_by(stride))
                {
                    let turned = *b * w;
                    (*a, *b) = (*a + turned, *a - turned);
                }
            }
            half *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the sum itself, at lengths of every kind.
    #[test]
    fn a_transform_is_its_sum() {
        let mut seed = 1u64;
        let mut number = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let mut room = Vec::new();
        for n in [1, 2, 3, 4, 5, 8, 12, 64, 97, 100, 128, 210] {
            let z: Vec<Complex64> = (0..n).map(|_| Complex64::new(number(), number())).collect();
            let mut found = z.clone();
            Fourier::new(n).transform(&mut found, &mut room);
            for (k, f) in found.iter().enumerate() {
                let sum: Complex64 = (0..n).map(|i| z[i] * turn(2 * (i * k % n), n)).sum();
                assert!((f - sum).norm() < 1e-13, "{k} of {n}: {f} for {sum}");
            }
        }
        Fourier::new(0).transform(&mut [], &mut room);
    }
}
