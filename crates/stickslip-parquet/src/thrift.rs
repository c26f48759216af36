//! Headers and the table of contents of a file, as Thrift's compact protocol writes them.

use parquet::errors::ParquetError;

pub type Result<T> = std::result::Result<T, ParquetError>;

/// Structures and lists in one another; a header that goes deeper is damaged.
const DEEPEST: usize = 16;

pub fn damaged(what: impl std::fmt::Display) -> ParquetError {
    ParquetError::General(format!("a header is damaged: {what}"))
}

fn cut() -> ParquetError {
    damaged("it ends too soon")
}

/// Thrift's compact protocol.
pub struct Compact<'a> {
    bytes: &'a [u8],
    /// How far it has read.
    pub at: usize,
}

impl<'a> Compact<'a> {
    pub const TRUE: u8 = 1;
    pub const FALSE: u8 = 2;
    pub const BYTE: u8 = 3;
    pub const I16: u8 = 4;
    pub const I32: u8 = 5;
    pub const I64: u8 = 6;
    pub const DOUBLE: u8 = 7;
    pub const BINARY: u8 = 8;
    pub const LIST: u8 = 9;
    const SET: u8 = 10;
    pub const STRUCT: u8 = 12;

    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    fn byte(&mut self) -> Result<u8> {
        let byte = *self.bytes.get(self.at).ok_or_else(cut)?;
        self.at += 1;
        Ok(byte)
    }

    pub fn varint(&mut self) -> Result<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(damaged("a number is too long"))
    }

    /// So many bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let bytes = self.bytes.get(self.at..).and_then(|rest| rest.get(..count)).ok_or_else(cut)?;
        self.at += count;
        Ok(bytes)
    }

    pub fn number(&mut self) -> Result<i64> {
        let zigzag = self.varint()?;
        Ok((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
    }

    pub fn size(&mut self) -> Result<usize> {
        usize::try_from(self.number()?).map_err(|_| damaged("a size is negative"))
    }

    /// Each field of a structure by its number and kind; `see` goes on beyond it.
    pub fn fields(&mut self, see: &mut dyn FnMut(&mut Self, i64, u8) -> Result<()>) -> Result<()> {
        let mut field = 0;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Ok(());
            }
            field = match head >> 4 {
                0 => self.number()?,
                more => field + i64::from(more),
            };
            if i16::try_from(field).is_err() {
                return Err(damaged("the number of a field is too large"));
            }
            see(self, field, head & 0xf)?;
        }
    }

    /// Each element of a list by its kind; `see` goes on beyond it.
    pub fn list(&mut self, see: &mut dyn FnMut(&mut Self, u8) -> Result<()>) -> Result<()> {
        let head = self.byte()?;
        let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
        for _ in 0..count {
            match head & 0xf {
                // No header has them, and readers disagree on how long they are.
                Self::TRUE | Self::FALSE => {
                    return Err(damaged("it holds a list of truth values"));
                }
                kind => see(self, kind)?,
            }
            if self.at > self.bytes.len() {
                return Err(cut());
            }
        }
        Ok(())
    }

    /// Goes beyond a value of some kind.
    pub fn skip(&mut self, kind: u8, depth: usize) -> Result<()> {
        if depth > DEEPEST {
            return Err(damaged("it goes too deep"));
        }
        match kind {
            // In fields, they stand in the kind itself.
            Self::TRUE | Self::FALSE => {}
            Self::BYTE => self.at += 1,
            Self::I16..=Self::I64 => {
                self.varint()?;
            }
            Self::DOUBLE => self.at += 8,
            Self::BINARY => {
                let length = usize::try_from(self.varint()?).map_err(|_| cut())?;
                self.at = self.at.checked_add(length).ok_or_else(cut)?;
            }
            Self::LIST | Self::SET => {
                self.list(&mut |reader, kind| reader.skip(kind, depth + 1))?;
            }
            Self::STRUCT => {
                self.fields(&mut |reader, _, kind| reader.skip(kind, depth + 1))?;
            }
            other => return Err(damaged(format!("it holds a value of kind {other}"))),
        }
        if self.at > self.bytes.len() { Err(cut()) } else { Ok(()) }
    }
}
