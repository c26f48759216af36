//! What the pieces of a file are taken from.

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use std::io::{self, BufReader, Read};
use std::sync::Arc;

/// A file of which pieces are read wherever they lie.
pub trait Source: Send + Sync {
    /// Its length, bytes.
    fn length(&self) -> u64;

    /// Fills `piece` with the bytes from `start` on.
    ///
    /// # Errors
    /// Where the file ends before, or cannot be read.
    fn read(&self, start: u64, piece: &mut [u8]) -> io::Result<()>;
}

/// A file, whole in memory or read piece by piece.
#[derive(Clone)]
pub enum Bits {
    Whole(Bytes),
    Pieces(Arc<dyn Source>),
}

impl Length for Bits {
    fn len(&self) -> u64 {
        match self {
            Self::Whole(bytes) => bytes.len() as u64,
            Self::Pieces(pieces) => pieces.length(),
        }
    }
}

impl ChunkReader for Bits {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(match self {
            Self::Whole(bytes) => Box::new(bytes.get_read(start)?),
            Self::Pieces(pieces) => {
                Box::new(BufReader::new(Rest { pieces: pieces.clone(), at: start }))
            }
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        match self {
            Self::Whole(bytes) => bytes.get_bytes(start, length),
            Self::Pieces(pieces) => {
                let beyond = start.checked_add(length as u64).is_none_or(|e| e > pieces.length());
                if beyond {
                    return Err(ParquetError::EOF("the file ends before its tables do".to_owned()));
                }
                let mut piece = vec![0; length];
                pieces.read(start, &mut piece)?;
                Ok(piece.into())
            }
        }
    }
}

/// Everything from a place on.
struct Rest {
    pieces: Arc<dyn Source>,
    at: u64,
}

impl Read for Rest {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = self.pieces.length().saturating_sub(self.at);
        let count = out.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        self.pieces.read(self.at, &mut out[..count])?;
        self.at += count as u64;
        Ok(count)
    }
}
