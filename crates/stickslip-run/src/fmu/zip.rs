//! A ZIP archive in memory.

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use stickslip_file::Sha256;

/// A file in an archive.
struct Entry {
    name: String,
    crc: u32,
    packed: u32,
    size: u32,
    offset: u32,
}

/// An archive that grows. Every file has the same date, so that the same files make the same archive.
#[derive(Default)]
pub struct Zip {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

/// 1 January 2000, midnight, in the format of DOS.
const DATE: u32 = (20 << 25) | (1 << 21) | (1 << 16);

impl Zip {
    /// Adds a file.
    ///
    /// # Errors
    /// If it is too large for the format.
    pub fn add(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        let packed = if content.len() < LARGE { deflated(content)?.into() } else { kept(content)? };
        let entry = Entry {
            name: name.to_owned(),
            crc: crc(content),
            packed: length(packed.len())?,
            size: length(content.len())?,
            offset: length(self.bytes.len())?,
        };
        self.bytes.extend(0x0403_4b50_u32.to_le_bytes());
        entry.header(&mut self.bytes);
        self.bytes.extend(entry.name.bytes());
        self.bytes.extend(&*packed);
        self.entries.push(entry);
        Ok(())
    }

    /// The whole archive.
    ///
    /// # Errors
    /// If it is too large for the format.
    pub fn finish(mut self) -> io::Result<Vec<u8>> {
        let start = length(self.bytes.len())?;
        for e in &self.entries {
            self.bytes.extend(0x0201_4b50_u32.to_le_bytes());
            self.bytes.extend(20_u16.to_le_bytes()); // made by version 2.0
            e.header(&mut self.bytes);
            self.bytes.extend([0; 10]); // no comment, one disk, no attributes
            self.bytes.extend(e.offset.to_le_bytes());
            self.bytes.extend(e.name.bytes());
        }
        let size = length(self.bytes.len())? - start;
        let count = self.entries.len() as u16;
        self.bytes.extend(0x0605_4b50_u32.to_le_bytes());
        self.bytes.extend([0; 4]);
        self.bytes.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
        self.bytes.extend([size.to_le_bytes(), start.to_le_bytes()].concat());
        // The comment of the archive, by which it is known again.
        self.bytes.extend(((COMMENT.len() + DIGEST) as u16).to_le_bytes());
        self.bytes.extend(COMMENT.as_bytes());
        let digest = Sha256::of(&self.bytes);
        self.bytes.extend(digest.as_bytes());
        Ok(self.bytes)
    }
}

fn deflated(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content)?;
    encoder.finish()
}

/// Files of so many bytes are libraries, which are the same in one archive after the other and take nearly all of the time.
const LARGE: usize = 1 << 20;
/// Libraries that are kept: one for each of the usual systems.
const KEPT: usize = 4;
/// Contents, and what they are packed to.
type Packed = VecDeque<(Arc<[u8]>, Arc<[u8]>)>;
static PACKED: Mutex<Packed> = Mutex::new(VecDeque::new());

/// A large file, packed; those that were packed last are not packed again. Where another thread has the list, nobody waits for it, and the file is
/// packed: in a process that was forked meanwhile, that thread would never give it back.
fn kept(content: &[u8]) -> io::Result<Arc<[u8]>> {
    let find = |all: &mut Packed| {
        let at = all.iter().position(|(known, _)| **known == *content)?;
        all.swap(0, at);
        Some(Arc::clone(&all[0].1))
    };
    if let Some(packed) = PACKED.try_lock().ok().and_then(|mut all| find(&mut all)) {
        return Ok(packed);
    }
    let packed: Arc<[u8]> = deflated(content)?.into();
    if let Ok(mut all) = PACKED.try_lock() {
        all.push_front((content.into(), Arc::clone(&packed)));
        all.truncate(KEPT);
    }
    Ok(packed)
}

/// What the comment says before the digest of everything in front of the digest.
const COMMENT: &str = "made by stickslip, sha256 ";
/// Hexadecimal digits of a digest.
const DIGEST: usize = 64;

/// Whether an archive was made here, and not changed since.
pub fn is_ours(bytes: &[u8]) -> bool {
    let Some((before, digest)) = bytes.split_last_chunk::<DIGEST>() else { return false };
    before.ends_with(COMMENT.as_bytes()) && Sha256::of(before).as_bytes() == digest
}

impl Entry {
    /// What a file's own header and the directory have in common.
    fn header(&self, out: &mut Vec<u8>) {
        out.extend(20_u16.to_le_bytes()); // needs version 2.0
        out.extend(0x0800_u16.to_le_bytes()); // names in UTF-8
        out.extend(8_u16.to_le_bytes()); // deflated
        out.extend(DATE.to_le_bytes());
        let numbers = [self.crc, self.packed, self.size];
        numbers.iter().for_each(|n| out.extend(n.to_le_bytes()));
        out.extend((self.name.len() as u16).to_le_bytes());
        out.extend(0_u16.to_le_bytes()); // nothing extra
    }
}

fn length(n: usize) -> io::Result<u32> {
    let large = || io::Error::other("the archive would be larger than 4 GB");
    u32::try_from(n).map_err(|_| large())
}

/// The checksum of ZIP.
fn crc(content: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(content);
    crc.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_is_known_until_it_is_changed() {
        let mut zip = Zip::default();
        zip.add("a.txt", b"some text").unwrap();
        let bytes = zip.finish().unwrap();
        assert!(is_ours(&bytes));
        for i in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[i] ^= 1;
            assert!(!is_ours(&changed), "byte {i}");
            assert!(!is_ours(&bytes[..i]), "{i} bytes");
        }
        assert!(!is_ours(&[&bytes[..], b"x"].concat()));
    }

    /// A library that was packed before makes the same archive, and another one its own.
    #[test]
    fn libraries_are_packed_once() {
        let archive = |content: &[u8]| {
            let mut zip = Zip::default();
            zip.add("library", content).unwrap();
            zip.finish().unwrap()
        };
        let library = |seed: usize| -> Vec<u8> {
            (0..LARGE + seed).map(|i| (i * (i + seed) % 251) as u8).collect()
        };
        for seed in 0..=KEPT {
            let content = library(seed);
            let first = archive(&content);
            assert_eq!(archive(&content), first);
            let packed = kept(&content).unwrap();
            let mut unpacked = Vec::new();
            let mut decoder = flate2::write::DeflateDecoder::new(&mut unpacked);
            decoder.write_all(&packed).unwrap();
            decoder.finish().unwrap();
            assert!(unpacked == content, "{seed}");
        }
    }
}
