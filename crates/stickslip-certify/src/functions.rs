//! Exponential, sine and cosine with proved errors: reductions and Taylor sums of balls, and a bound on what the sums leave
//! out. Nothing of the machine's own functions is used.

use super::ball::{Ball, up};
use super::near::Number;
use std::f64::consts;

/// π/16 and ln 2, to 32 digits.
const SIXTEENTH: Ball = Ball::constant([0.196_349_540_849_362_07, 7.654_042_494_670_958e-18]);
const LN_2: Ball = Ball::constant([consts::LN_2, 2.319_046_813_846_299_6e-17]);

/// 1/n!.
const INVERSE_FACTORIALS: [[f64; 2]; 20] = [
    [1.0, 0.0],
    [1.0, 0.0],
    [0.5, 0.0],
    [0.166_666_666_666_666_66, 9.251_858_538_542_97e-18],
    [0.041_666_666_666_666_664, 2.312_964_634_635_742_7e-18],
    [0.008_333_333_333_333_333, 1.156_482_317_317_871_4e-19],
    [0.001_388_888_888_888_889, -5.300_543_954_373_577e-20],
    [0.000_198_412_698_412_698_4, 1.720_955_829_342_070_5e-22],
    [2.480_158_730_158_73e-05, 2.151_194_786_677_588_2e-23],
    [2.755_731_922_398_589_3e-06, -1.858_393_274_046_472e-22],
    [2.755_731_922_398_589e-07, 2.376_771_462_225_029_7e-23],
    [2.505_210_838_544_172e-08, -1.448_814_070_935_912e-24],
    [2.087_675_698_786_81e-09, -1.207_345_059_113_26e-25],
    [1.605_904_383_682_161_3e-10, 1.258_529_458_875_209_8e-26],
    [1.147_074_559_772_972_5e-11, 2.065_551_275_283_074_5e-28],
    [7.647_163_731_819_816e-13, 7.038_728_777_334_53e-30],
    [4.779_477_332_387_385e-14, 4.399_205_485_834_081e-31],
    [2.811_457_254_345_520_6e-15, 1.650_884_273_086_143_3e-31],
    [1.561_920_696_858_622_5e-16, 1.191_067_966_027_375_4e-32],
    [8.220_635_246_624_33e-18, 2.214_189_411_960_426_5e-34],
];

/// sin(j π/16), j = 0 … 8.
const SINES: [[f64; 2]; 9] = [
    [0.0, 0.0],
    [0.195_090_322_016_128_28, -7.991_079_068_461_731e-18],
    [0.382_683_432_365_089_8, -1.005_077_269_646_158_8e-17],
    [0.555_570_233_019_602_2, 4.709_410_940_561_677e-17],
    [consts::FRAC_1_SQRT_2, -4.833_646_656_726_457e-17],
    [0.831_469_612_302_545_2, 1.407_385_698_472_802_4e-18],
    [0.923_879_532_511_286_7, 1.764_504_708_433_667_7e-17],
    [0.980_785_280_403_230_4, 1.854_693_999_782_500_6e-17],
    [1.0, 0.0],
];

/// Σ x^i / (first + step·i)! with alternating signs where `step` is 2, for `count` terms.
fn sum<N: Number>(x: N, first: usize, step: usize, count: usize) -> N {
    let term = |i: usize| N::of(Ball::constant(INVERSE_FACTORIALS[first + step * i]));
    (0..count - 1)
        .rev()
        .fold(term(count - 1), |s, i| if step == 2 { term(i) - s * x } else { term(i) + s * x })
}

/// e^x for |x| ≤ 690; beyond it nothing is known but that it lies between 0 and 1 where x < 0.
pub(super) fn exp<N: Number>(x: N) -> N {
    let turns = (x.value() / LN_2.value()).round();
    if turns.abs() > 1000.0 || turns.is_nan() {
        let unknown =
            if x.size() < f64::INFINITY && x.value() < -x.error() { 0.5 } else { f64::NAN };
        return N::of(Ball::from(0.5).widened(unknown));
    }
    // |r| ≤ 0.35, divided by a power of two and squared as often: the terms leave out less than the first of them.
    let r = x.less(turns, LN_2).scaled(N::SHARE);
    let left_out = if r.size() < 0.36 * N::SHARE { N::EXPONENTIAL.1 } else { f64::NAN };
    let mut power = sum(r, 0, 1, N::EXPONENTIAL.0).widened(left_out);
    let mut share = N::SHARE;
    while share < 1.0 {
        power = power * power;
        share *= 2.0;
    }
    power.scaled(2f64.powi(turns as i32))
}

/// sin x and cos x.
pub(super) fn sin_cos<N: Number>(x: N) -> (N, N) {
    let parts = (x.value() / SIXTEENTH.value()).round();
    if parts.abs() >= 1e15 || parts.is_nan() {
        let unknown = N::of(Ball::ZERO.widened(1.0));
        return (unknown, unknown);
    }
    // |r| ≤ 0.0982 but for the error: the sums leave out less than the first term that they have not.
    let r = x.less(parts, SIXTEENTH);
    let (terms, next) = N::TERMS;
    let size = r.size();
    let left_out =
        if size < 0.1 { up(2.0 * up(size.powi(2 * terms as i32)) * next) } else { f64::NAN };
    let square = r * r;
    let sine = (r * sum(square, 1, 2, terms)).widened(left_out);
    let cosine = sum(square, 0, 2, terms).widened(left_out);
    let j = parts.rem_euclid(32.0) as usize;
    let s = table::<N>(j);
    let c = table::<N>(j + 8);
    (s * cosine + c * sine, c * cosine - s * sine)
}

/// sin(j π/16).
fn table<N: Number>(j: usize) -> N {
    let half = j / 16 % 2;
    let j = j % 16;
    let s = Ball::constant(SINES[if j > 8 { 16 - j } else { j }]);
    N::of(if half == 1 { -s } else { s })
}

#[cfg(test)]
mod tests {
    use super::super::near::Near;
    use super::*;

    /// A number, and e^x (0: not compared), sin x and cos x of it, each as the sum of two doubles.
    type Row = (f64, [[f64; 2]; 3]);

    /// Computed with 500 bits by mpmath, which shares nothing with this library.
    #[rustfmt::skip]
    #[allow(clippy::excessive_precision, clippy::approx_constant, clippy::unreadable_literal)]
    const REFERENCE: [Row; 15] = [
        (-600.25, [[2.0641309109295095e-261, -2.1403995749322006e-280], [0.20435344104114728, 1.2564064093111749e-18], [-0.9788971708686477, 4.762593972894627e-17]]),
        (-87.5, [[9.982350930569248e-39, -5.412148383948367e-57], [0.44806014160260915, 2.4327640652070198e-17], [0.8940034169437217, -2.1963054237704313e-18]]),
        (-3.0000000000000004, [[0.049787068367863924, -2.7763571096534915e-18], [-0.14112000805986677, -1.3021494064297479e-17], [-0.9899924966004455, 6.292168023075118e-18]]),
        (-0.34657359027997264, [[0.7071067811865476, -4.013739792746569e-17], [-0.3396771251026685, -2.407863101366759e-17], [0.9405421046832438, 2.9772912915839984e-17]]),
        (-1e-09, [[0.999999999, -2.778193152587354e-17], [-1e-09, 1.6666666666666669e-28], [1.0, -5e-19]]),
        (1e-300, [[1.0, 0.0], [1e-300, 0.0], [1.0, 0.0]]),
        (0.09817477042468103, [[1.1031555672286844, -1.8074254151029208e-17], [0.0980171403295606, -5.443175456242504e-18], [0.9951847266721969, -4.2111799999660116e-17]]),
        (0.7853981633974483, [[2.1932800507380152, 1.4835800897400694e-16], [0.7071067811865475, 4.1036934489363755e-17], [0.7071067811865476, -2.6687565161377232e-17]]),
        (1.5707963267948966, [[4.810477380965351, -1.8499756920692447e-17], [1.0, -1.874699728327322e-33], [6.123233995736766e-17, -1.4973849048591698e-33]]),
        (3.141592653589793, [[23.140692632779267, -6.300785466776646e-16], [1.2246467991473532e-16, -2.99476980971834e-33], [-1.0, 7.498798913309288e-33]]),
        (22.0, [[3584912846.131592, -2.3519384005402157e-07], [-0.008851309290403876, 2.8485303089220057e-19], [-0.9999608263946371, -8.51603380017413e-19]]),
        (355.0, [[0.0, 0.0], [-3.014435335948845e-05, 1.3012643991046347e-21], [-0.999999999545659, 1.0574612846643521e-17]]),
        (100000.1, [[0.0, 0.0], [-0.06419940098945935, -2.3116918316007342e-18], [-0.9979370906588223, -4.252010560977194e-17]]),
        (123456789.25, [[0.0, 0.0], [0.9940352824752119, 9.44063083140845e-18], [-0.10905896200874868, 1.5733391253587477e-18]]),
        (-6086308450.78955, [[0.0, 0.0], [-0.7076950692689294, 2.5685531529605118e-17], [0.7065180032613785, -1.4375404864351513e-17]]),
    ];

    #[test]
    fn balls_hold_what_five_hundred_bits_give() {
        for (x, expected) in REFERENCE {
            let (sin, cos) = sin_cos(Ball::from(x));
            let found = [exp(Ball::from(x)), sin, cos];
            for (ball, [high, low]) in found.into_iter().zip(expected) {
                if high == 0.0 {
                    continue;
                }
                let off = (ball - Ball::from(high)) - Ball::from(low);
                assert!(off.may_be_zero(), "{x}: {ball:?} against {high:?} + {low:?}");
                assert!(
                    ball.radius() <= 1e-28 * (1.0 + x.abs()) * (1.0 + ball.size()),
                    "{x}: {ball:?}"
                );
            }
        }
    }

    /// The cheaper numbers hold the same, and know ten digits.
    #[test]
    fn doubles_hold_it_too() {
        for (x, [e, s, c]) in REFERENCE {
            let x = Near::of(Ball::from(x));
            let (sin, cos) = sin_cos(x);
            for (near, [high, low]) in [exp(x), sin, cos].into_iter().zip([e, s, c]) {
                if high == 0.0 {
                    continue;
                }
                assert!(((near.value() - high) - low).abs() <= near.error(), "{near:?} {high}");
                assert!(near.error() <= 1e-14 * (1.0 + x.size()) * (1.0 + near.size()), "{near:?}");
            }
        }
    }

    #[test]
    fn what_is_out_of_reach_is_not_claimed() {
        assert!(sin_cos(Ball::from(1e30)).0.radius() >= 1.0);
        let vanished = exp(Ball::from(-1e6));
        assert!(vanished.lower() <= 0.0 && vanished.upper() >= 1.0);
        assert!(exp(Ball::from(1e6)).may_be_zero());
    }
}
