//! Philox4x32-10, a counter-based generator.
//!
//! J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, “Parallel random numbers: as easy as 1, 2, 3”,
//! SC'11. Any 128-bit counter gives its 128 random bits at once, so a path's numbers are addressed,
//! not drawn: no order, no state, no streams to keep apart.

/// Multipliers and key increments of the paper.
const M: (u64, u64) = (0xD251_1F53, 0xCD9E_8D57);
const W: (u32, u32) = (0x9E37_79B9, 0xBB67_AE85);
const LOW: u64 = 0xFFFF_FFFF;

/// Ten rounds. Words are kept in the low halves of 64-bit lanes, where 32 × 32 → 64 bit products
/// are one vector instruction on every x86-64.
#[inline(always)]
pub fn philox4x32(counter: [u64; 4], key: [u32; 2]) -> [u64; 4] {
    let [mut c0, mut c1, mut c2, mut c3] = counter;
    let [mut k0, mut k1] = key;
    let mut round = 0;
    while round < 10 {
        let p0 = M.0 * (c0 & LOW);
        let p1 = M.1 * (c2 & LOW);
        (c0, c1, c2, c3) =
            ((p1 >> 32) ^ c1 ^ u64::from(k0), p1 & LOW, (p0 >> 32) ^ c3 ^ u64::from(k1), p0 & LOW);
        k0 = k0.wrapping_add(W.0);
        k1 = k1.wrapping_add(W.1);
        round += 1;
    }
    [c0, c1, c2, c3]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `kat_vectors` of the Random123 distribution, lines `philox4x32 10`.
    #[test]
    fn published_test_vectors() {
        let cases: [([u64; 4], [u32; 2], [u64; 4]); 3] = [
            ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            (
                [0xffff_ffff; 4],
                [0xffff_ffff; 2],
                [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd],
            ),
            (
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ];
        for (counter, key, expected) in cases {
            assert_eq!(philox4x32(counter, key), expected);
        }
    }
}
