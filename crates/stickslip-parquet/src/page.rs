//! The headers of pages: a column is a row of pages, each with a header in the compact protocol of Thrift (Apache Parquet
//! Format 2.11, `PageHeader`).

use crate::contents::check_statistics;
use crate::thrift::Compact;
use parquet::errors::ParquetError;

type Result<T> = std::result::Result<T, ParquetError>;

/// The kind of a page of values: `DATA_PAGE`.
const FIRST_VERSION: i64 = 0;
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
        let mut count = 0;
        reader.fields(&mut |reader, field, kind| {
            let begin = reader.at;
            expect(kind, field, &[(1, 4, Compact::I32), (5, 8, Compact::STRUCT)])?;
            match field {
                1 => header.kind = reader.number()?,
                2 => header.unpacked = reader.size()?,
                3 => {
                    header.packed = reader.size()?;
                    header.size_at = begin..reader.at;
                }
                // Numbers come first, statistics last.
                5 | 7 | 8 => reader.fields(&mut |reader, inner, kind| {
                    let numbers = match field {
                        5 => 4,
                        7 => 2,
                        _ => 6,
                    };
                    if matches!((field, inner), (5, 5) | (8, 8)) {
                        return check_statistics(reader, kind);
                    }
                    if !(1..=numbers).contains(&inner) {
                        header.is_plain |= (field, inner, kind) == (8, 7, Compact::FALSE);
                        return reader.skip(kind, 2);
                    }
                    expect(kind, inner, &[(1, numbers, Compact::I32)])?;
                    let number = reader.size()?;
                    match (field, inner) {
                        (5, 1) => header.values = number,
                        (7, 1) => header.words = number,
                        (8, 1) => count = number,
                        (8, 5 | 6) => header.levels = header.levels.saturating_add(number),
                        _ => {}
                    }
                    Ok(())
                })?,
                _ => reader.skip(kind, 1)?,
            }
            Ok(())
        })?;
        match header.kind {
            FIRST_VERSION => {}
            SECOND_VERSION => header.values = count,
            _ => header.values = 0,
        }
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

/// Refuses a field of a known number that is of another kind than the format says: readers disagree on what that means.
fn expect(kind: u8, field: i64, known: &[(i64, i64, u8)]) -> Result<()> {
    if known.iter().all(|(from, to, of)| field < *from || *to < field || kind == *of) {
        return Ok(());
    }
    Err(ParquetError::General(
        "a field of a page is of another kind than the format says".to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::Header;

    /// A page of three values that takes eight bytes, with `more` behind the numbers of its values.
    fn page(more: &[u8]) -> Vec<u8> {
        let sizes = [0x15, 0, 0x15, 16, 0x15, 16];
        let values = [0x2c, 0x15, 6, 0x15, 0, 0x15, 0, 0x15, 0];
        [&sizes[..], &values, more, &[0, 0]].concat()
    }

    #[test]
    fn a_header_says_how_long_its_page_is() {
        // Nothing; statistics that are empty; a field that a later version may add, a list of two numbers.
        for more in [&[][..], &[0x1c, 0], &[0x59, 0x25, 2, 4]] {
            let bytes = page(more);
            let header = Header::read(&[&bytes[..], &[7; 8]].concat()).unwrap();
            assert_eq!((header.values, header.packed, header.unpacked), (3, 8, 8));
            assert_eq!((header.length, header.size_at), (bytes.len(), 5..6));
        }
    }

    #[test]
    fn lists_without_an_end_are_not_counted_through() {
        // As statistics, and as a field that a later version may add: 2³⁵ truth values, which take no bytes.
        let many = [0xf1, 0xff, 0xff, 0xff, 0xff, 0x7f];
        for (field, why) in [(0x19, "of another kind"), (0x59, "a list of truth values")] {
            let refused = Header::read(&page(&[&[field][..], &many].concat())).map(|h| h.length);
            assert!(refused.as_ref().is_err_and(|e| e.to_string().contains(why)), "{refused:?}");
        }
    }
}
