//! The headers of pages: a column is a row of pages, each with a header in the compact protocol of Thrift (Apache Parquet
//! Format 2.11, `PageHeader`).

use super::thrift::Compact;
use parquet::errors::ParquetError;

type Result<T> = std::result::Result<T, ParquetError>;

/// The kind of a page whose levels are not compressed: `DATA_PAGE_V2`.
const SECOND_VERSION: i64 = 3;

/// What a header says of its page.
#[derive(Default)]
pub struct Header {
    /// Bytes of the header.
    pub length: usize,
    kind: i64,
    /// Values in the page; none in one that is a dictionary.
    pub values: usize,
    /// Words in the dictionary that the page is.
    pub words: usize,
    pub unpacked: usize,
    pub packed: usize,
    /// Where the size of the page stands in the header.
    pub size_at: std::ops::Range<usize>,
    /// Bytes of a page of the second version that are not compressed.
    pub levels: usize,
    pub is_plain: bool,
}

impl Header {
    /// The header that `bytes` begin with.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let mut header = Self::default();
        let mut reader = Compact::new(bytes);
        reader.fields(&mut |reader, field, kind| {
            let begin = reader.at;
            match (field, kind) {
                (1, Compact::I32) => header.kind = reader.number()?,
                (2, Compact::I32) => header.unpacked = reader.size()?,
                (3, Compact::I32) => {
                    header.packed = reader.size()?;
                    header.size_at = begin..reader.at;
                }
                (5, Compact::STRUCT) => reader.fields(&mut |reader, field, kind| {
                    match (field, kind) {
                        (1, Compact::I32) => header.values = reader.size()?,
                        _ => reader.skip(kind, 2)?,
                    }
                    Ok(())
                })?,
                (7, Compact::STRUCT) => reader.fields(&mut |reader, field, kind| {
                    match (field, kind) {
                        (1, Compact::I32) => header.words = reader.size()?,
                        _ => reader.skip(kind, 2)?,
                    }
                    Ok(())
                })?,
                (8, Compact::STRUCT) => reader.fields(&mut |reader, field, kind| {
                    match (field, kind) {
                        (1, Compact::I32) => header.values = reader.size()?,
                        (5 | 6, Compact::I32) => {
                            header.levels = header.levels.saturating_add(reader.size()?);
                        }
                        (7, Compact::FALSE) => header.is_plain = true,
                        _ => reader.skip(kind, 2)?,
                    }
                    Ok(())
                })?,
                _ => reader.skip(kind, 1)?,
            }
            Ok(())
        })?;
        if header.size_at.is_empty() {
            return Err(ParquetError::General("a page does not say how long it is".to_owned()));
        }
        if header.kind != SECOND_VERSION {
            (header.levels, header.is_plain) = (0, false);
        }
        header.length = reader.at;
        Ok(header)
    }
}
