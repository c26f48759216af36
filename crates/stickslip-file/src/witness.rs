//! Files whose contents are known by their SHA-256, so that what was made of them can be told to belong to them.

use crate::resources::{Pieces, Resources};
use crate::sha256::Sha256;
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, BufRead, Cursor};
use std::sync::{Arc, Mutex, PoisonError};

/// Files of other resources, each read as a whole. A file that has changed when it is read again is an error: what is made of both
/// readings would be of neither.
pub(crate) struct Witness {
    from: Arc<dyn Resources>,
    digests: Mutex<HashMap<String, String>>,
}

impl Witness {
    pub fn new(from: Arc<dyn Resources>) -> Self {
        Self { from, digests: Mutex::default() }
    }

    /// The SHA-256 of a file that was read.
    pub fn digest(&self, name: &str) -> Option<String> {
        self.digests.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    fn get(&self, name: &str) -> io::Result<Vec<u8>> {
        let bytes = self.from.read(name)?.into_owned();
        let digest = Sha256::of(&bytes);
        let mut digests = self.digests.lock().unwrap_or_else(PoisonError::into_inner);
        match digests.get(name) {
            Some(known) if *known != digest => Err(io::Error::other(
                "the file has changed since it was first read; run again when nothing writes to it",
            )),
            Some(_) => Ok(bytes),
            None => {
                digests.insert(name.to_owned(), digest);
                Ok(bytes)
            }
        }
    }
}

impl Resources for Witness {
    fn read(&self, name: &str) -> io::Result<Cow<'_, [u8]>> {
        self.get(name).map(Cow::Owned)
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn BufRead + '_>> {
        Ok(Box::new(Cursor::new(self.get(name)?)))
    }

    fn exists(&self, name: &str) -> bool {
        self.from.exists(name)
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        self.from.list(folder)
    }

    fn pieces(&self, name: &str) -> io::Result<Option<Box<dyn Pieces>>> {
        if self.from.pieces(name)?.is_none() {
            return Ok(None);
        }
        Ok(Some(Box::new(Held(self.get(name)?))))
    }

    fn version(&self, name: &str) -> Option<u64> {
        self.from.version(name)
    }

    fn is_held(&self, name: &str) -> bool {
        self.from.is_held(name)
    }

    fn signal(&self, name: &str) -> Option<stickslip::Signal> {
        self.from.signal(name)
    }

    fn law(&self, name: &str) -> Option<stickslip::Law> {
        self.from.law(name)
    }

    fn load(&self, name: &str) -> Option<stickslip::model::Load> {
        self.from.load(name)
    }

    fn resolve(&self, beside: &str, name: &str) -> String {
        self.from.resolve(beside, name)
    }
}

/// A whole file of which pieces are taken.
struct Held(Vec<u8>);

impl Pieces for Held {
    fn length(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, start: u64, piece: &mut [u8]) -> io::Result<()> {
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        let end = start.saturating_add(piece.len());
        let found = self.0.get(start..end).ok_or(io::ErrorKind::UnexpectedEof)?;
        piece.copy_from_slice(found);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::Memory;

    /// Another content each time.
    struct Changing(Mutex<u8>);

    impl Resources for Changing {
        fn read(&self, _: &str) -> io::Result<Cow<'_, [u8]>> {
            let mut next = self.0.lock().unwrap();
            *next += 1;
            Ok(Cow::Owned(vec![*next]))
        }
    }

    #[test]
    fn a_file_is_known_by_its_sha_256() {
        let witness = Witness::new(Arc::new(Memory::default().with("a", "abc").with("b", "")));
        assert_eq!(witness.digest("a"), None);
        for _ in 0..2 {
            assert_eq!(witness.read("a").unwrap().as_ref(), b"abc");
        }
        // FIPS 180-2, appendix B.1
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(witness.digest("a").unwrap(), known);
        assert_eq!(witness.digest("b"), None);
    }

    #[test]
    fn a_file_that_changes_is_an_error() {
        let witness = Witness::new(Arc::new(Changing(Mutex::new(0))));
        witness.read("a").unwrap();
        let error = witness.open("a").err().unwrap().to_string();
        assert!(error.contains("has changed since it was first read"), "{error}");
        witness.read("b").unwrap();
    }
}
