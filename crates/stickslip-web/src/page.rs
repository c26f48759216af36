//! What the worker offers to the library: files that were dropped, a clock, and somebody who looks at progress.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};
use stickslip_file::{Pieces, Resources};
use stickslip_run::Context;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen::prelude::wasm_bindgen;

#[cfg(target_arch = "wasm32")]
#[wasm_bindgen]
extern "C" {
    /// The length of a file in bytes; negative if there is none of that name.
    #[wasm_bindgen(js_name = stickslipLength)]
    fn length(name: &str) -> f64;
    /// A part of a file.
    #[wasm_bindgen(js_name = stickslipRead)]
    fn part(name: &str, from: f64, length: f64) -> Vec<u8>;
    /// So many parts of so many are done.
    #[wasm_bindgen(js_name = stickslipProgress)]
    fn progress(done: f64, total: f64);
    /// The library has a defect.
    #[wasm_bindgen(js_name = stickslipDefect)]
    pub fn defect(message: &str);
    /// Milliseconds since some instant.
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;
}

#[cfg(not(target_arch = "wasm32"))]
pub use elsewhere::defect;
#[cfg(not(target_arch = "wasm32"))]
use elsewhere::{length, now, part, progress};

/// Where there is no worker, in tests of this crate: no files, and a clock that stands.
#[cfg(not(target_arch = "wasm32"))]
mod elsewhere {
    pub fn length(_name: &str) -> f64 {
        -1.0
    }

    pub fn part(_name: &str, _from: f64, _length: f64) -> Vec<u8> {
        Vec::new()
    }

    pub fn progress(_done: f64, _total: f64) {}

    pub fn defect(_message: &str) {}

    pub fn now() -> f64 {
        0.0
    }
}

/// What a run is told of its surroundings. It is stopped by stopping the worker.
pub const CONTEXT: Context<'static> = Context {
    clock: &|| now() / 1e3,
    progress: &|done, total| progress(done as f64, total as f64),
    warn: &|_| {},
    cancelled: &|| false,
    journal: None,
};

/// Files of the page, read piece by piece: a large one is never held whole.
#[derive(Debug, Clone, Copy)]
pub struct Dropped;

/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

impl Resources for Dropped {
    fn read(&self, name: &str) -> io::Result<Cow<'_, [u8]>> {
        let mut bytes = Vec::new();
        self.open(name)?.read_to_end(&mut bytes)?;
        Ok(Cow::Owned(bytes))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn BufRead + '_>> {
        Ok(Box::new(BufReader::with_capacity(PIECE, File::new(name)?)))
    }

    fn pieces(&self, name: &str) -> io::Result<Option<Box<dyn Pieces>>> {
        Ok(Some(Box::new(File::new(name)?)))
    }

    fn resolve(&self, _beside: &str, name: &str) -> String {
        name.to_owned()
    }
}

struct File {
    name: String,
    at: f64,
    length: f64,
}

impl File {
    fn new(name: &str) -> io::Result<Self> {
        let length = length(name);
        if length < 0.0 {
            return Err(io::Error::new(io::ErrorKind::NotFound, "there is no such file here"));
        }
        Ok(Self { name: name.to_owned(), at: 0.0, length })
    }
}

impl Pieces for File {
    fn length(&self) -> u64 {
        self.length as u64
    }

    fn read(&self, start: u64, piece: &mut [u8]) -> io::Result<()> {
        let bytes = part(&self.name, start as f64, piece.len() as f64);
        if bytes.len() != piece.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        piece.copy_from_slice(&bytes);
        Ok(())
    }
}

impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let wanted = (self.length - self.at).min(buffer.len() as f64);
        if wanted <= 0.0 {
            return Ok(0);
        }
        let bytes = part(&self.name, self.at, wanted);
        let count = bytes.len().min(buffer.len());
        buffer[..count].copy_from_slice(&bytes[..count]);
        self.at += count as f64;
        Ok(count)
    }
}
