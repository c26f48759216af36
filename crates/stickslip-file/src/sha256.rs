//! SHA-256 (FIPS 180-4): the digest by which a file is known again.

/// The fractional parts of the cube roots of the first 64 primes.
const CONSTANTS: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

/// The fractional parts of the square roots of the first 8 primes.
const START: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

const BLOCK: usize = 64;

/// The digest of bytes that come piece by piece.
#[derive(Debug, Clone)]
pub struct Sha256 {
    state: [u32; 8],
    /// The beginning of a block that is not whole yet.
    rest: [u8; BLOCK],
    length: u64,
}

impl Default for Sha256 {
    fn default() -> Self {
        Self { state: START, rest: [0; BLOCK], length: 0 }
    }
}

impl Sha256 {
    /// The digest of `bytes` in hexadecimal digits.
    ///
    /// ```
    /// let digest = stickslip_file::Sha256::of(b"abc");
    /// assert_eq!(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    /// ```
    pub fn of(bytes: &[u8]) -> String {
        let mut digest = Self::default();
        digest.update(bytes);
        digest.hex()
    }

    /// Takes more bytes.
    pub fn update(&mut self, mut bytes: &[u8]) {
        let filled = (self.length % BLOCK as u64) as usize;
        self.length += bytes.len() as u64;
        if filled > 0 {
            let taken = bytes.len().min(BLOCK - filled);
            self.rest[filled..filled + taken].copy_from_slice(&bytes[..taken]);
            if filled + taken < BLOCK {
                return;
            }
            bytes = &bytes[taken..];
            let block = self.rest;
            mix(&mut self.state, &block);
        }
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        blocks.iter().for_each(|block| mix(&mut self.state, block));
        self.rest[..rest.len()].copy_from_slice(rest);
    }

    /// The digest of all bytes so far, as 64 hexadecimal digits.
    pub fn hex(&self) -> String {
        let mut whole = self.clone();
        let filled = (self.length % BLOCK as u64) as usize;
        // One bit, zeros up to 8 bytes before the end of a block, and the number of bits.
        let zeros = (2 * BLOCK - 9 - filled) % BLOCK;
        let mut end = vec![0x80];
        end.resize(1 + zeros, 0);
        end.extend((self.length * 8).to_be_bytes());
        whole.update(&end);
        whole.state.iter().map(|word| format!("{word:08x}")).collect()
    }
}

/// Mixes a block into the state.
fn mix(state: &mut [u32; 8], block: &[u8; BLOCK]) {
    let mut words = [0u32; 64];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks::<4>().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    for i in 16..64 {
        let early = words[i - 15];
        let late = words[i - 2];
        let first = early.rotate_right(7) ^ early.rotate_right(18) ^ (early >> 3);
        let second = late.rotate_right(17) ^ late.rotate_right(19) ^ (late >> 10);
        words[i] =
            words[i - 16].wrapping_add(first).wrapping_add(words[i - 7]).wrapping_add(second);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (constant, word) in CONSTANTS.iter().zip(&words) {
        let turned = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let first =
            h.wrapping_add(turned).wrapping_add(choice).wrapping_add(*constant).wrapping_add(*word);
        let turned = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let second = turned.wrapping_add(majority);
        h = g;
        g = f;
        f = e;
        e = d.wrapping_add(first);
        d = c;
        c = b;
        b = a;
        a = first.wrapping_add(second);
    }
    for (word, mixed) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(mixed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of FIPS 180-4 and of NIST's test vectors.
    #[test]
    fn the_examples_of_the_standard() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Sha256::of(b""), empty);
        let two_blocks = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        let digest = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";
        assert_eq!(Sha256::of(two_blocks), digest);
        let million = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
        assert_eq!(Sha256::of(&[b'a'; 1_000_000]), million);
    }

    /// However the bytes come, the digest is the same.
    #[test]
    fn pieces_give_the_digest_of_the_whole() {
        let bytes: Vec<u8> = (0..1000u32).map(|i| (i * 7 % 251) as u8).collect();
        for size in [1, 3, 63, 64, 65, 129, 999] {
            let mut digest = Sha256::default();
            bytes.chunks(size).for_each(|piece| digest.update(piece));
            assert_eq!(digest.hex(), Sha256::of(&bytes), "{size}");
        }
    }
}
