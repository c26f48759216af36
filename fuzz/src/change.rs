//! Small changes of an input, by chance and repeatable.

/// Words that mean something to a reader, and numbers at the edges of what there is.
const WORDS: [&str; 48] = [
    "0",
    "-0.0",
    "1",
    "-1",
    "1e-300",
    "5e-324",
    "1e308",
    "-1e308",
    "nan",
    "inf",
    "-inf",
    "1e9",
    "1e-9",
    "0.5",
    "2147483648",
    "18446744073709551616",
    "true",
    "\"\"",
    "[]",
    "{}",
    "[[0, 0], [1, 1]]",
    "\"exact\"",
    "\"euler\"",
    "\"theta\"",
    "stiffness = ",
    "mass = ",
    "damping = ",
    "end = ",
    "step = ",
    "rows = ",
    "[run]\n",
    "[oscillator]\n",
    "[network]\n",
    "friction = ",
    "coulomb = { force = 1 }",
    "static-dynamic = { static = 2, dynamic = 1 }",
    "drive = ",
    "harmonic = { amplitude = 1, angular_frequency = 1 }",
    "step = { time = 0, before = 0, after = 1 }",
    "sampled = { file = \"data.csv\" }",
    ",",
    ";",
    "\t",
    "\n",
    "\r\n",
    "\u{feff}",
    "-999",
    "2024-02-30T25:61:00Z",
];

/// SplitMix64: the same seed gives the same changes.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.bits() % n.max(1) as u64) as usize
    }

    /// A number below `n`, or `n` itself.
    pub fn below_count(&mut self, n: u32) -> u32 {
        self.below(n as usize + 1) as u32
    }

    /// A number as people and programs may give it.
    pub fn number(&mut self) -> f64 {
        let edges = [0.0, -1.0, 1.0, 1e-300, 1e300, f64::NAN, f64::INFINITY, 1e9, -1e-9];
        match self.below(2 * edges.len()) {
            n if n < edges.len() => edges[n],
            _ => self.below(1000) as f64 / 300.0,
        }
    }

    /// `data` with one to four changes, some of them taken from `other`.
    pub fn changed(&mut self, data: &[u8], other: &[u8]) -> Vec<u8> {
        let mut out = data.to_vec();
        for _ in 0..=self.below(4) {
            self.change(&mut out, other);
        }
        out
    }

    fn change(&mut self, out: &mut Vec<u8>, other: &[u8]) {
        let at = self.below(out.len() + 1);
        match self.below(8) {
            0 => {
                if let Some(byte) = out.get_mut(at) {
                    *byte ^= 1 << (self.bits() % 8);
                }
            }
            1 => {
                let end = (at + 1 + self.below(20)).min(out.len());
                out.drain(at..end);
            }
            2 => self.insert_word(out, at),
            3 | 4 => self.replace_number(out, at),
            5 => {
                // A line twice, or somewhere else.
                let lines: Vec<Vec<u8>> = out.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
                let (from, to) = (self.below(lines.len()), self.below(lines.len() + 1));
                let mut lines = lines;
                lines.insert(to, lines[from].clone());
                *out = lines.join(&b'\n');
            }
            6 => {
                let from = self.below(other.len() + 1);
                let to = (from + self.below(80)).min(other.len());
                let tail = out.split_off(at.min(out.len()));
                out.extend_from_slice(&other[from..to]);
                out.extend(tail);
            }
            _ => out.truncate(at),
        }
    }

    fn insert_word(&mut self, out: &mut Vec<u8>, at: usize) {
        let word = WORDS[self.below(WORDS.len())];
        let tail = out.split_off(at.min(out.len()));
        out.extend_from_slice(word.as_bytes());
        out.extend(tail);
    }

    /// The number next after `at`, if there is one, by another.
    fn replace_number(&mut self, out: &mut Vec<u8>, at: usize) {
        let digit = |b: &u8| b.is_ascii_digit() || *b == b'.';
        let Some(start) = out.iter().skip(at).position(digit).map(|i| at + i) else { return };
        let length = out[start..].iter().position(|b| !digit(b)).unwrap_or(out.len() - start);
        let word = WORDS[self.below(16)];
        out.splice(start..start + length, word.bytes());
    }
}
