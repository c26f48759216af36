//! The angle of a vector.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// arctan x for x ≥ 0; 1 ulp (fdlibm, `s_atan.c`).
fn atan_above(x: f64) -> f64 {
    // arctan x = arctan c + arctan((x − c)/(1 + c x)) for c = ½, 1, 1½ and ∞: the second is below 7/16.
    let (high, low, t) = if x < 0.4375 {
        (0.0, 0.0, x)
    } else if x < 0.6875 {
        (
            0.463_647_609_000_806_093_515,
            2.269_877_745_296_168_709_24e-17,
            (2.0 * x - 1.0) / (2.0 + x),
        )
    } else if x < 1.1875 {
        (FRAC_PI_4, 3.061_616_997_868_383_017_93e-17, (x - 1.0) / (x + 1.0))
    } else if x < 2.4375 {
        (
            0.982_793_723_247_329_054_082,
            1.390_331_103_123_099_845_16e-17,
            (x - 1.5) / (1.0 + 1.5 * x),
        )
    } else {
        (FRAC_PI_2, 6.123_233_995_736_766_035_87e-17, -1.0 / x)
    };
    let z = t * t;
    let w = z * z;
    let even = z
        * (3.333_333_333_333_293_180_27e-1
            + w * (1.428_571_427_250_346_637_11e-1
                + w * (9.090_887_133_436_506_561_96e-2
                    + w * (6.661_073_137_387_531_206_69e-2
                        + w * (4.976_877_994_615_932_360_17e-2
                            + w * 1.628_582_011_536_578_236_23e-2)))));
    let odd = w
        * (-1.999_999_999_987_648_324_76e-1
            + w * (-1.111_111_040_546_235_578_80e-1
                + w * (-7.691_876_205_044_829_994_95e-2
                    + w * (-5.833_570_133_790_573_486_45e-2
                        + w * -3.653_157_274_421_691_552_70e-2))));
    high - ((t * (even + odd) - low) - t)
}

/// The angle of the vector (x, y), rad, in (−π, π]; 2 ulp. Of two zeros it is 0 or π, by the sign of x alone.
pub fn atan2(y: f64, x: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    let a = y.abs();
    let b = x.abs();
    let angle = if a == b { if a == 0.0 { 0.0 } else { 0.25 * PI } } else { atan_above(a / b) };
    let angle =
        if x.is_sign_negative() { PI - (angle - 1.224_646_799_147_353_2e-16) } else { angle };
    if y.is_sign_negative() { -angle } else { angle }
}

/// arctan x, rad; 1 ulp.
pub fn atan(x: f64) -> f64 {
    atan_above(x.abs()).copysign(x)
}

/// arcsin x for |x| ≤ 1, rad; 3 ulp.
pub fn asin(x: f64) -> f64 {
    atan2(x, ((1.0 - x) * (1.0 + x)).sqrt())
}
