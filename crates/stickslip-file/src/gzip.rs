//! Files that gzip has compressed (RFC 1952), read as a stream.
//!
//! The check sum is our own: the usual library for it carries a table of 16 kB that no compression makes smaller, in every
//! module of the lab and in the Python package. The tables here are made when they are needed.

use flate2::bufread::DeflateDecoder;
use std::io::{self, BufRead, Read};

/// The first two bytes of every such file.
pub const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// What a file holds: that of its members, one after the other.
pub struct Gunzip<R> {
    at: At<R>,
    sum: Crc32,
    length: u32,
}

enum At<R> {
    /// Before a member; whether another one has come before it.
    Header(R, bool),
    Data(DeflateDecoder<R>),
    End,
}

impl<R: BufRead> Gunzip<R> {
    /// What is in `compressed`.
    pub fn new(compressed: R) -> Self {
        Self { at: At::Header(compressed, false), sum: Crc32::new(), length: 0 }
    }

    /// From the header of a member to its data, or from its data to the next member.
    fn go_on(&mut self) -> io::Result<()> {
        self.at = match std::mem::replace(&mut self.at, At::End) {
            At::End => At::End,
            At::Header(mut from, _) => {
                header(&mut from)?;
                At::Data(DeflateDecoder::new(from))
            }
            At::Data(data) => {
                let mut from = data.into_inner();
                if [number(&mut from)?, number(&mut from)?] != [self.sum.value(), self.length] {
                    return Err(damaged("its check sum differs"));
                }
                (self.sum.state, self.length) = (!0, 0);
                At::Header(from, true)
            }
        };
        Ok(())
    }
}

impl<R: BufRead> Read for Gunzip<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            match &mut self.at {
                At::End => return Ok(0),
                At::Header(from, later) => {
                    if *later && from.fill_buf()?.is_empty() {
                        return Ok(0);
                    }
                }
                At::Data(data) => {
                    let count = data.read(out)?;
                    if count > 0 || out.is_empty() {
                        self.sum.take(&out[..count]);
                        self.length = self.length.wrapping_add(count as u32);
                        return Ok(count);
                    }
                }
            }
            self.go_on()?;
        }
    }
}

/// Reads over the header of a member.
fn header(from: &mut impl BufRead) -> io::Result<()> {
    let mut fixed = [0; 10];
    from.read_exact(&mut fixed)?;
    let [a, b, method, flags, ..] = fixed;
    // The bits of flags: text, check sum of the header, an extra field, a name, a comment.
    if [a, b] != MAGIC || method != 8 || flags & 0xe0 != 0 {
        return Err(damaged("no header of gzip where one is expected"));
    }
    let is = |bit: u8| flags >> bit & 1 == 1;
    if is(2) {
        let mut length = [0; 2];
        from.read_exact(&mut length)?;
        skip(from, u16::from_le_bytes(length))?;
    }
    for _ in [is(3), is(4)].into_iter().filter(|given| *given) {
        while byte(from)? != 0 {}
    }
    if is(1) { skip(from, 2) } else { Ok(()) }
}

fn skip(from: &mut impl Read, count: u16) -> io::Result<()> {
    (0..count).try_for_each(|_| byte(from).map(|_| ()))
}

fn byte(from: &mut impl Read) -> io::Result<u8> {
    let mut byte = [0];
    from.read_exact(&mut byte)?;
    Ok(byte[0])
}

fn number(from: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    from.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

fn damaged(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// The check sum of gzip, ZIP and PNG (CRC-32 of ISO 3309), of eight bytes at a time (Kounavis and Berry, 2008).
#[derive(Debug)]
pub struct Crc32 {
    /// What a byte adds that so many others follow.
    tables: Box<[[u32; 256]; 8]>,
    state: u32,
}

impl Default for Crc32 {
    fn default() -> Self {
        Self::new()
    }
}

impl Crc32 {
    /// That of nothing.
    pub fn new() -> Self {
        let mut tables = Box::new([[0; 256]; 8]);
        for byte in 0..256 {
            let bit = |c: u32, _| if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 };
            tables[0][byte] = (0..8).fold(byte as u32, bit);
        }
        for (k, byte) in (1..8).flat_map(|k| (0..256).map(move |byte| (k, byte))) {
            let last = tables[k - 1][byte];
            tables[k][byte] = tables[0][last as usize & 0xff] ^ (last >> 8);
        }
        Self { tables, state: !0 }
    }

    /// Goes on with these bytes.
    pub fn take(&mut self, bytes: &[u8]) {
        let (eights, rest) = bytes.as_chunks::<8>();
        let t = &self.tables;
        for eight in eights {
            let mixed = u64::from_le_bytes(*eight) ^ u64::from(self.state);
            let parts = mixed.to_le_bytes();
            self.state = (0..8).fold(0, |sum, k| sum ^ t[7 - k][usize::from(parts[k])]);
        }
        for byte in rest {
            self.state = t[0][usize::from(self.state as u8 ^ byte)] ^ (self.state >> 8);
        }
    }

    /// That of all bytes so far.
    pub fn value(&self) -> u32 {
        !self.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::GzEncoder;
    use flate2::{Compression, GzBuilder};
    use std::io::Write;

    fn packed(content: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    fn unpacked(file: &[u8]) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        Gunzip::new(file).read_to_end(&mut out)?;
        Ok(out)
    }

    #[test]
    fn the_check_sum_is_the_known_one_however_it_is_cut() {
        // The check value of the catalogue of CRC algorithms.
        for cut in 0..9 {
            let (a, b) = b"123456789".split_at(cut);
            let mut sum = Crc32::new();
            sum.take(a);
            sum.take(b);
            assert_eq!(sum.value(), 0xcbf4_3926, "{cut}");
        }
        assert_eq!(Crc32::default().value(), 0);
    }

    #[test]
    fn members_follow_each_other_and_headers_may_hold_more() {
        let text = "0,1.5\n".repeat(30_000).into_bytes();
        assert_eq!(unpacked(&packed(&text)).unwrap(), text);
        assert_eq!(unpacked(&packed(b"")).unwrap(), b"");
        let named = GzBuilder::new().filename("a.csv").comment("c").extra([1, 2, 3]);
        let mut named = named.write(Vec::new(), Compression::best());
        named.write_all(b"end").unwrap();
        let two = [packed(&text), packed(b""), named.finish().unwrap()].concat();
        assert_eq!(unpacked(&two).unwrap(), [&text[..], b"end"].concat());
    }

    #[test]
    fn damage_is_found() {
        let whole = packed(&b"0,1.5\n".repeat(100));
        for length in 0..whole.len() {
            assert!(unpacked(&whole[..length]).is_err(), "{length}");
        }
        for at in whole.len() - 8..whole.len() {
            let mut wrong = whole.clone();
            wrong[at] ^= 4;
            assert!(unpacked(&wrong).is_err(), "{at}");
        }
        assert!(unpacked(&[&whole[..], b"something else"].concat()).is_err());
    }
}
