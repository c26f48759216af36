//! Sines of large angles.

use super::sin_cos_quarters;

/// 2/π in binary, 64 digits a number.
const TWO_OVER_PI: [u64; 20] = [
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
    0xf0cfbc209af4361d,
];

/// 64 binary digits of 2/π from this one on; 0 is the first after the point, and before it there are none.
fn digits(from: i64) -> u64 {
    let word = |i: i64| usize::try_from(i).ok().and_then(|i| TWO_OVER_PI.get(i)).copied();
    let at = from.div_euclid(64);
    let shift = from.rem_euclid(64) as u32;
    let [a, b] = [at, at + 1].map(|i| word(i).unwrap_or(0));
    if shift == 0 { a } else { a << shift | b >> (64 - shift) }
}

/// sin x and cos x for |x| ≥ 2 and finite; 2 ulp (Payne and Hanek, SIGNUM Newsletter 18 (1983) 19).
///
/// x = m 2ᵉ with a whole m: the digits of 2/π that give x · 2/π multiples of 4 do not matter, and those that give it less than
/// 2⁻¹³⁶ do not either, for no double is nearer to a multiple of π/2 than 2⁻⁶².
pub(crate) fn sin_cos_large(x: f64) -> (f64, f64) {
    let bits = x.to_bits();
    let m = u128::from(bits & 0x000f_ffff_ffff_ffff | 0x0010_0000_0000_0000);
    let e = (bits >> 52 & 0x7ff) as i64 - 1075;
    // x · 2/π in units of 4: what is behind the point, in three numbers.
    let low = m * u128::from(digits(e - 2 + 128));
    let middle = m * u128::from(digits(e - 2 + 64)) + (low >> 64);
    let high = m * u128::from(digits(e - 2)) + (middle >> 64);
    let turns = high << 64 | middle & u128::from(u64::MAX);
    // The nearest quarter, and what is left of it in units of 2⁻¹²⁸.
    let quarter = turns.wrapping_add(1 << 125) >> 126;
    let rest = (turns << 2 | (low & u128::from(u64::MAX)) >> 62) as i128;
    let unit = f64::from_bits((1023 - 128) << 52);
    let (sin, cos) = sin_cos_quarters(quarter as u64, rest as f64 * unit);
    (if x < 0.0 { -sin } else { sin }, cos)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x, sin x, cos x by 1400-digit arithmetic (mpmath 1.3), rounded to the nearest double. The sixth is the one that is nearest
    /// to a multiple of π/2 of all doubles.
    #[rustfmt::skip]
    const LARGE: [[f64; 3]; 18] = [
        [1e7, 0.4205477931907825, -0.9072703861817396],
        [10000000.1, 0.32787090380023665, -0.9447225362196119],
        [-3500000000.0, 0.9004089717894866, 0.4350444615450234],
        [1e15, 0.8582727931702359, -0.5131937377869703],
        [-1e17, 0.4645301048353727, -0.8855573282976307],
        [5.319372648326541e255, 1.0, -4.687165924254628e-19],
        [1e300, -0.8178819121159085, -0.5753861119575491],
        [-1.7976931348623157e308, -0.004961954789184062, -0.9999876894265599],
        [5.5e22, -0.9748086908703202, -0.2230426331527058],
        [1.043487357899166e271, 0.38852837932352896, -0.9214367577106048],
        [3.11465653116959e194, 0.8414648694154263, 0.5403118299090625],
        [-1.8961983637350565e230, 0.9713085717366858, -0.2378227459071975],
        [2.255605969443014e246, -0.648882116514954, 0.7608889530457605],
        [-4.759216010070231e290, 0.6460171717218742, 0.7633228765342163],
        [5.122370606394067e229, -0.0184283484330878, -0.9998301835682041],
        [-4.167004757459116e284, -0.9001795065271946, -0.4355190650573824],
        [5377416969754485.0, 0.8989261747406949, -0.43810013965537786],
        [-1.4204271598436991e147, 0.6864404370137497, 0.7271860328914276],
    ];

    #[test]
    fn sines_of_large_angles_against_many_digits() {
        for [x, sin, cos] in LARGE {
            let got = sin_cos_large(x);
            for (got, want) in [(got.0, sin), (got.1, cos)] {
                assert!((got / want - 1.0).abs() <= 2.0 * f64::EPSILON, "{x}: {got:e}, {want:e}");
            }
        }
    }

    /// Where both ways apply.
    #[test]
    fn sines_of_large_and_of_near_angles_agree() {
        for i in 1..200_000 {
            let x = 2.0 + 0.0123 * f64::from(i) * f64::from(i).sqrt();
            let large = sin_cos_large(-x);
            let near = super::super::sin_cos_near(-x);
            for (a, b) in [(large.0, near.0), (large.1, near.1)] {
                assert!((a / b - 1.0).abs() < 4.0 * f64::EPSILON, "{x}: {a:e}, {b:e}");
            }
        }
    }
}
