//! Columns of Parquet that are compressed by zstd, for programs without the C library that decompresses them: the pages are
//! unpacked here, and then read as those of a file that was never compressed.
//!
//! A column is a row of pages, each with a header in the compact protocol of Thrift (Apache Parquet Format 2.11, `PageHeader`).
//! Of a header only the size of the page changes.

use bytes::Bytes;
use parquet::errors::ParquetError;
use std::io::Read;

type Result<T> = std::result::Result<T, ParquetError>;

/// Structures in structures in a header; a file whose headers go deeper is damaged.
const DEEPEST: usize = 8;
/// The kind of a page whose levels are not compressed: `DATA_PAGE_V2`.
const SECOND_VERSION: i64 = 3;

/// The pages of a column, unpacked.
pub fn unpacked(column: &Bytes) -> Result<Bytes> {
    let (mut out, mut rest) = (Vec::with_capacity(4 * column.len()), &column[..]);
    while !rest.is_empty() {
        let header = Header::read(rest)?;
        let page = &rest[header.length..];
        if page.len() < header.packed {
            return Err(cut());
        }
        let (page, after) = page.split_at(header.packed);
        // The size of what follows comes before it and is known after it.
        let begin = out.len();
        header.page(page, &mut out)?;
        let size = out.len() - begin;
        out.splice(begin..begin, header.with_size(&rest[..header.length], size));
        rest = after;
    }
    Ok(out.into())
}

/// What a header says of its page.
#[derive(Default)]
struct Header {
    /// Bytes of the header.
    length: usize,
    kind: i64,
    unpacked: usize,
    packed: usize,
    /// Where the size of the page stands in the header.
    size_at: std::ops::Range<usize>,
    /// Bytes of a page of the second version that are not compressed.
    levels: usize,
    is_plain: bool,
}

impl Header {
    fn read(bytes: &[u8]) -> Result<Self> {
        let mut header = Self::default();
        let mut reader = Compact { bytes, at: 0 };
        reader.fields(&mut |reader, field, kind| {
            let begin = reader.at;
            match (field, kind) {
                (1, Compact::I32) => header.kind = reader.number()?,
                (2, Compact::I32) => header.unpacked = reader.size()?,
                (3, Compact::I32) => {
                    header.packed = reader.size()?;
                    header.size_at = begin..reader.at;
                }
                (8, Compact::STRUCT) => reader.fields(&mut |reader, field, kind| {
                    match (field, kind) {
                        (5 | 6, Compact::I32) => header.levels += reader.size()?,
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
            return Err(damaged("a page without its size"));
        }
        if header.kind != SECOND_VERSION {
            (header.levels, header.is_plain) = (0, false);
        }
        header.length = reader.at;
        Ok(header)
    }

    /// Appends the page.
    fn page(&self, packed: &[u8], out: &mut Vec<u8>) -> Result<()> {
        if self.is_plain {
            out.extend_from_slice(packed);
            return Ok(());
        }
        let Some((levels, mut values)) = packed.split_at_checked(self.levels) else {
            return Err(cut());
        };
        out.extend_from_slice(levels);
        let expected = self.unpacked.checked_sub(self.levels).ok_or_else(cut)?;
        let begin = out.len();
        // A page without values holds nothing at all; a page may be made of several frames.
        while !values.is_empty() {
            // One byte more than there may be, to see that there is none.
            let before = out.len();
            let left = expected.checked_sub(before - begin).ok_or_else(cut)? as u64 + 1;
            ruzstd::decoding::StreamingDecoder::new(&mut values)
                .map_err(|e| damaged(&e))?
                .take(left)
                .read_to_end(out)
                .map_err(|e| damaged(&e))?;
            if out.len() == before {
                break;
            }
        }
        if out.len() - begin == expected { Ok(()) } else { Err(cut()) }
    }

    /// The bytes of the header for a page of another size.
    fn with_size(&self, header: &[u8], size: usize) -> Vec<u8> {
        let mut out = header[..self.size_at.start].to_vec();
        // Zigzag: signs in the lowest bit; seven bits a byte, the lowest first.
        let mut left = 2 * size as u64;
        while left > 0x7f {
            out.push(left as u8 | 0x80);
            left >>= 7;
        }
        out.push(left as u8);
        out.extend_from_slice(&header[self.size_at.end..]);
        out
    }
}

fn damaged(what: impl std::fmt::Display) -> ParquetError {
    ParquetError::General(format!("a page compressed by zstd is damaged: {what}"))
}

fn cut() -> ParquetError {
    damaged("it does not have the length that its header says")
}

/// Thrift's compact protocol.
struct Compact<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Compact<'_> {
    const TRUE: u8 = 1;
    const FALSE: u8 = 2;
    const BYTE: u8 = 3;
    const I32: u8 = 5;
    const I64: u8 = 6;
    const DOUBLE: u8 = 7;
    const BINARY: u8 = 8;
    const LIST: u8 = 9;
    const SET: u8 = 10;
    const STRUCT: u8 = 12;

    fn byte(&mut self) -> Result<u8> {
        let byte = *self.bytes.get(self.at).ok_or_else(cut)?;
        self.at += 1;
        Ok(byte)
    }

    fn varint(&mut self) -> Result<u64> {
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

    fn number(&mut self) -> Result<i64> {
        let zigzag = self.varint()?;
        Ok((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
    }

    fn size(&mut self) -> Result<usize> {
        usize::try_from(self.number()?).map_err(|_| damaged("a size is negative"))
    }

    /// Each field of a structure by its number and kind; `see` goes on beyond it.
    fn fields(&mut self, see: &mut dyn FnMut(&mut Self, i64, u8) -> Result<()>) -> Result<()> {
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
            see(self, field, head & 0xf)?;
        }
    }

    /// Goes beyond a value of some kind.
    fn skip(&mut self, kind: u8, depth: usize) -> Result<()> {
        if depth > DEEPEST {
            return Err(damaged("its header goes too deep"));
        }
        match kind {
            // In fields, they stand in the kind itself.
            Self::TRUE | Self::FALSE => {}
            Self::BYTE => self.at += 1,
            4..=Self::I64 => {
                self.varint()?;
            }
            Self::DOUBLE => self.at += 8,
            Self::BINARY => {
                let length = usize::try_from(self.varint()?).map_err(|_| cut())?;
                self.at = self.at.checked_add(length).ok_or_else(cut)?;
            }
            Self::LIST | Self::SET => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                for _ in 0..count {
                    match head & 0xf {
                        // In lists, they are bytes.
                        Self::TRUE | Self::FALSE => self.byte().map(|_| ())?,
                        kind => self.skip(kind, depth + 1)?,
                    }
                    if self.at > self.bytes.len() {
                        return Err(cut());
                    }
                }
            }
            Self::STRUCT => {
                self.fields(&mut |reader, _, kind| reader.skip(kind, depth + 1))?;
            }
            other => return Err(damaged(format!("its header holds a value of kind {other}"))),
        }
        if self.at > self.bytes.len() { Err(cut()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Headers as the specification has them: of a page of the first version with one field that is not known, and of one of
    /// the second version whose levels have 3 + 2 bytes.
    fn first(packed: u8) -> Vec<u8> {
        // 1: i32 0, 2: i32 6, 3: i32 size, 5: {1: i32 1, 5: {6: binary "ab"}}, 15: list of two i32
        vec![
            0x15,
            0,
            0x15,
            12,
            0x15,
            2 * packed,
            0x2c,
            0x15,
            2,
            0x4c,
            0x68,
            2,
            b'a',
            b'b',
            0,
            0,
            0xa9,
            0x25,
            2,
            0x80,
            1,
            0,
        ]
    }

    fn second(packed: u8, is_packed: bool) -> Vec<u8> {
        let flag = if is_packed { 0x11 } else { 0x12 };
        vec![0x15, 6, 0x15, 22, 0x15, 2 * packed, 0x5c, 0x15, 2, 0x45, 6, 0x15, 4, flag, 0, 0]
    }

    /// A frame of zstd with these bytes as they are (RFC 8878: no checksum, one segment, one raw block, the last).
    fn frame(bytes: &[u8]) -> Vec<u8> {
        let n = u8::try_from(bytes.len()).unwrap();
        [&[0x28, 0xb5, 0x2f, 0xfd, 0x20, n, n << 3 | 1, 0, 0][..], bytes].concat()
    }

    fn whole(pages: &[(Vec<u8>, Vec<u8>)]) -> Bytes {
        pages.iter().flat_map(|(h, p)| [h.as_slice(), p].concat()).collect::<Vec<u8>>().into()
    }

    #[test]
    fn pages_of_both_versions_are_unpacked() {
        let packed = frame(b"sliding");
        let packed = &packed[..];
        let n = packed.len() as u8;
        let levels = [b"LEVEL", &frame(b"sticks")[..]].concat();
        let pages = whole(&[
            (first(15), frame(b"sticks")),
            (second(levels.len() as u8, true), levels.clone()),
            (second(11, false), b"LEVELsticks".to_vec()),
        ]);
        let want = whole(&[
            (first(6), b"sticks".to_vec()),
            (second(11, true), b"LEVELsticks".to_vec()),
            (second(11, false), b"LEVELsticks".to_vec()),
        ]);
        assert_eq!(unpacked(&pages).unwrap(), want);
        // Seven bytes where six are said to be, four where more are, and what is no frame.
        for (size, page) in [(n, packed), (20, packed), (4, &packed[..4]), (15, &[7; 15])] {
            assert!(unpacked(&whole(&[(first(size), page.to_vec())])).is_err(), "{size}");
        }
    }

    #[test]
    fn headers_that_end_nowhere_are_refused() {
        let good = first(3);
        for end in 0..good.len() {
            assert!(Header::read(&good[..end]).is_err(), "{end}");
        }
        assert!(Header::read(&[0x1c; 64]).is_err());
        // A list of 2⁶³ structures without fields would take for ever, a binary of that length is not there.
        let long = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
        for head in [[0x19, 0xfc], [0x18, 0xff]] {
            assert!(Header::read(&[&head[..], &long, &[0]].concat()).is_err());
        }
    }

    /// What the library of zstd has packed, in pages of both versions, with dictionaries and missing values.
    #[cfg(feature = "zstd")]
    #[test]
    fn a_table_that_zstd_has_packed_is_read_like_one_that_was_never_packed() {
        use crate::place::{Place, Placed, Source};
        use parquet::basic::{Compression, ZstdLevel};
        use parquet::data_type::{ByteArrayType, DoubleType};
        use parquet::file::properties::{WriterProperties, WriterVersion};
        use parquet::file::writer::SerializedFileWriter;
        use std::sync::Arc;

        let rows = |version, compression| {
            let schema = "message m { optional double x; required binary name (UTF8); }";
            let schema = Arc::new(parquet::schema::parser::parse_message_type(schema).unwrap());
            let properties = WriterProperties::builder()
                .set_writer_version(version)
                .set_compression(compression)
                .set_data_page_row_count_limit(900)
                .build();
            let mut bytes = Vec::new();
            let mut file =
                SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties)).unwrap();
            let mut group = file.next_row_group().unwrap();
            let levels: Vec<i16> = (0..5000).map(|i| i16::from(i % 7 != 0)).collect();
            let x: Vec<f64> =
                (0..5000).filter(|i| i % 7 != 0).map(|i| f64::from(i).sin()).collect();
            let names = (0..5000).map(|i| format!("slider {}", i * i % 60).as_str().into());
            let names: Vec<parquet::data_type::ByteArray> = names.collect();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<DoubleType>().write_batch(&x, Some(&levels), None).unwrap();
            column.close().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<ByteArrayType>().write_batch(&names, None, None).unwrap();
            column.close().unwrap();
            group.close().unwrap();
            file.close().unwrap();
            let files = crate::Memory::default().with("t.parquet", bytes);
            let source = Arc::new(Source { name: "t".to_owned(), text: String::new() });
            let known = Placed { value: "t.parquet".to_owned(), place: Place::new(&source, 0..0) };
            let mut seen = Vec::new();
            super::super::texts(&files, "t.parquet", &known, &mut |_| Ok(vec![0, 1]), &mut |row| {
                seen.push(row.to_vec());
                Ok(())
            })
            .unwrap();
            seen
        };
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let packed = rows(version, Compression::ZSTD(ZstdLevel::try_new(7).unwrap()));
            assert_eq!(packed.len(), 5000);
            assert!(packed[0][0].is_empty() && packed[8][1] == "slider 4");
            assert!(packed == rows(version, Compression::UNCOMPRESSED), "{version:?}");
        }
    }
}
