//! Columns of Parquet that are compressed by zstd, for programs without the C library that decompresses them: the pages are
//! unpacked here, and then read as those of a file that was never compressed.
//!
//! Of a header only the size of the page changes.

use crate::page::Header;
use bytes::Bytes;
use parquet::errors::ParquetError;
use std::io::Read;

type Result<T> = std::result::Result<T, ParquetError>;

/// The pages of a column, unpacked.
pub fn unpacked(column: &Bytes) -> Result<Bytes> {
    let mut out = Vec::with_capacity(4 * column.len());
    let mut rest = &column[..];
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

impl Header {
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
        use crate::Column;
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
            let table = crate::Table::of_bytes(bytes).unwrap();
            [table.column(0, 0).unwrap(), table.column(0, 1).unwrap()]
        };
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let packed = rows(version, Compression::ZSTD(ZstdLevel::try_new(7).unwrap()));
            let plain = rows(version, Compression::UNCOMPRESSED);
            let [Column::Numbers(x), Column::Texts(names)] = &packed else { panic!("{packed:?}") };
            let [Column::Numbers(known), Column::Texts(known_names)] = &plain else {
                panic!("{plain:?}")
            };
            assert_eq!(x.len(), 5000);
            assert!(x[0].is_nan() && x[8] == 8f64.sin());
            assert_eq!(names[8].as_deref(), Some("slider 4"));
            assert!(x.iter().zip(known).all(|(a, b)| a.to_bits() == b.to_bits()), "{version:?}");
            assert!(names == known_names, "{version:?}");
        }
    }
}
