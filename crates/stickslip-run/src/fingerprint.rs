//! Whether a run is asked for the same thing as one before.

/// A number that is the same for the same text, words and series, and for hardly any others; another version of the program
/// has other numbers.
pub fn fingerprint(asked: &str, words: [u64; 2], series: &[&[f64]]) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut lanes = [0xcbf2_9ce4_8422_2325u64, 0x9e37_79b9_7f4a_7c15];
    let mut mix = |word: u64| {
        lanes[0] = (lanes[0] ^ word).wrapping_mul(0x0100_0000_01b3);
        lanes[1] = (lanes[1].rotate_left(23) ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        lanes[0] ^= lanes[0] >> 32;
    };
    for byte in version.bytes().chain(asked.bytes()) {
        mix(byte.into());
    }
    words.into_iter().for_each(&mut mix);
    for values in series {
        mix(values.len() as u64);
        // Whatever stands for a missing value, it is missing.
        let bits = |x: &f64| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() };
        values.iter().for_each(|x| mix(bits(x)));
    }
    format!("{:016x}{:016x}", lanes[0], lanes[1])
}
