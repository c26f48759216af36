//! Damaged files. The library of Parquet panics at some of them, which is an error of the file, and counts through lists as
//! long as a header says, or makes room for as many words, so headers are looked through before.

use crate::bits::Bits;
use crate::contents;
use crate::page::Header;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length};
use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How many times as long as a page is what it unpacks to, at most: a block of zstd has 128 kB and takes three bytes or more. The
/// library makes room for what a page says.
const DENSEST: usize = 1 << 16;

thread_local! {
    /// Whether this thread is inside the library.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// What is wrong with a file that cannot be read.
#[derive(Debug)]
pub struct Damaged(ParquetError);

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Damaged {}

/// Whether this thread is inside the reader of Parquet, where a panic becomes an error of the file.
///
/// The message of such a panic is printed all the same, unless the program has a hook that asks for this. A library sets none: hooks are
/// those of the whole program.
pub fn is_reading() -> bool {
    INSIDE.get()
}

/// Does `work` with the reader of Parquet. Where panics end the program, as in the browser, they still do.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, Damaged> {
    let before = INSIDE.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    INSIDE.set(before);
    let contradiction = || ParquetError::General("its parts contradict each other".to_owned());
    done.unwrap_or_else(|_| Err(contradiction())).map_err(Damaged)
}

/// Looks through the table of contents at the end of a file: its length (4 bytes) and `PAR1` come after it.
pub fn check_contents(bits: &Bits) -> Result<(), ParquetError> {
    let Some(end) = bits.len().checked_sub(8) else { return Ok(()) };
    let last = bits.get_bytes(end, 8)?;
    let length = u32::from_le_bytes([last[0], last[1], last[2], last[3]]);
    match end.checked_sub(u64::from(length)) {
        Some(start) if last.ends_with(b"PAR1") => {
            contents::check(&bits.get_bytes(start, length as usize)?)
        }
        // The library says what is wrong.
        _ => Ok(()),
    }
}

/// Rows of a row group, at most: a column of one value takes a few bytes for all of them, and room for each.
const MOST_ROWS: usize = 1 << 27;

/// Looks through the headers of a column's pages, as many as hold so many rows. A column that says that it begins before the
/// file is refused.
pub fn check_pages(
    bits: &Bits,
    chunk: &ColumnChunkMetaData,
    rows: usize,
) -> Result<(), ParquetError> {
    if rows > MOST_ROWS {
        let why = format!(
            "a row group has {rows} rows; expected {MOST_ROWS} at most: write the table with smaller row groups"
        );
        return Err(ParquetError::General(why));
    }
    let start = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
    let (Ok(start), Ok(length), true) = (
        u64::try_from(start),
        usize::try_from(chunk.compressed_size()),
        chunk.data_page_offset() >= 0,
    ) else {
        let name = chunk.column_descr().name();
        let why = format!("the column `{name}` lies before the beginning of the file");
        return Err(ParquetError::General(why));
    };
    let pages = bits.get_bytes(start, length)?;
    let mut rest = &pages[..];
    let mut left = rows;
    while left > 0 && !rest.is_empty() {
        let header = Header::read(rest)?;
        if header.words > header.unpacked || header.unpacked / DENSEST > header.packed {
            return Err(ParquetError::General("a page cannot hold what it says".to_owned()));
        }
        rest = rest[header.length..].get(header.packed..).unwrap_or_default();
        left = left.saturating_sub(header.values);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::basic::Type as PhysicalType;
    use parquet::schema::types::{SchemaDescriptor, Type};

    #[test]
    fn a_panic_of_the_library_is_an_error_of_the_file() {
        let fault = guarded::<()>(|| panic!("index out of bounds")).unwrap_err();
        assert!(fault.to_string().contains("its parts contradict each other"), "{fault}");
        assert!(!is_reading() && guarded(|| Ok(is_reading())).unwrap());
    }

    /// Eight bytes that hold no page: what is said of the column is looked at before them.
    #[test]
    fn a_column_before_the_file_is_refused() {
        let column = Type::primitive_type_builder("t", PhysicalType::DOUBLE).build().unwrap();
        let schema = Type::group_type_builder("rows").with_fields(vec![column.into()]);
        let schema = SchemaDescriptor::new(schema.build().unwrap().into());
        let bits = Bits::Whole(bytes::Bytes::from_static(&[0; 8]));
        let refused = |page: i64, dictionary: Option<i64>, rows: usize| {
            let chunk = ColumnChunkMetaData::builder(schema.column(0))
                .set_data_page_offset(page)
                .set_dictionary_page_offset(dictionary)
                .set_total_compressed_size(8)
                .build()
                .unwrap();
            check_pages(&bits, &chunk, rows).unwrap_err().to_string()
        };
        for (page, dictionary) in [(-4, None), (0, Some(-4)), (-4, Some(0))] {
            let said = refused(page, dictionary, 1);
            assert!(said.contains("`t` lies before the beginning of the file"), "{said}");
        }
        // From here on the page is looked at, or the number of rows.
        for (rows, why) in [
            (1, "how long it is"),
            (MOST_ROWS, "how long it is"),
            (MOST_ROWS + 1, "smaller row groups"),
        ] {
            assert!(refused(0, None, rows).contains(why), "{}", refused(0, None, rows));
        }
    }
}
