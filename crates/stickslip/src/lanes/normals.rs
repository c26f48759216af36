//! Normal numbers in bulk: the bare generator, to measure by.

use super::{Instructions, Kernel, dispatch};
use crate::signal::noise::{Group, normals};

/// Paths per pass.
const LANES: usize = 16;

/// The normal numbers of 16 paths at `address`'s seed and channel: for each pair number from 0 on,
/// 16 first ones and 16 second ones, until `out` is full (whole 32s only).
pub fn fill_normals(on: Instructions, seed: u64, first_path: u64, out: &mut [f64]) {
    dispatch(on, Fill { seed, first_path, out });
}

struct Fill<'a> {
    seed: u64,
    first_path: u64,
    out: &'a mut [f64],
}

impl Kernel for Fill<'_> {
    #[inline(always)]
    fn run(self) {
        let paths = std::array::from_fn(|l| self.first_path + l as u64);
        let group = Group::<LANES> { seed: self.seed, paths };
        for (pair, out) in self.out.chunks_exact_mut(2 * LANES).enumerate() {
            if let [even, odd] = out.as_chunks_mut().0 {
                normals(&group, 0, 0, pair as u64, even, odd);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::noise::Address;

    #[test]
    fn the_same_bits_on_every_instruction_set_as_one_at_a_time() {
        let sets = [Instructions::Portable, Instructions::Avx2, Instructions::Avx512];
        for on in sets.into_iter().filter(|i| i.available()) {
            let mut out = vec![0.0; 32 * 50];
            fill_normals(on, 3, 1_000_000, &mut out);
            for (pair, out) in out.chunks(32).enumerate() {
                for l in 0..16 {
                    let a = Address { seed: 3, path: 1_000_000 + l as u64, channel: 0 };
                    let (z, w) = a.normals(0, pair as u64);
                    assert_eq!(
                        (z.to_bits(), w.to_bits()),
                        (out[l].to_bits(), out[16 + l].to_bits())
                    );
                }
            }
        }
    }
}
