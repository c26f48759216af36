//! Texts whose lengths are written as differences (Apache Parquet Format 2.11, `DELTA_LENGTH_BYTE_ARRAY` and
//! `DELTA_BYTE_ARRAY`): the library makes room for as many lengths as a page says, and for what a few bytes grow to.

use crate::thrift::{Compact, Result, damaged};
use bytes::Bytes;
use parquet::basic::{Encoding, Type};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::ParquetError;
use parquet::schema::types::ColumnDescriptor;

/// Bytes that the texts of a column may take in a row group.
pub const MOST: usize = 1 << 30;

/// Refuses texts that take more than [`MOST`] bytes.
pub fn check_room(bytes: usize) -> Result<()> {
    if bytes <= MOST {
        return Ok(());
    }
    Err(ParquetError::General(format!(
        "the texts of a column take more than {MOST} bytes in a row group: write the table with smaller row groups"
    )))
}

/// The pages of a column, looked through before the library reads what is in them.
pub struct Checked {
    pages: Box<dyn PageReader>,
    /// Where they hold texts.
    texts: Option<Texts>,
}

impl Checked {
    pub fn new(pages: Box<dyn PageReader>, column: &ColumnDescriptor) -> Self {
        let level = i16::BITS - column.max_def_level().leading_zeros();
        let is_text = column.physical_type() == Type::BYTE_ARRAY;
        Self { pages, texts: is_text.then_some(Texts { level, room: 0 }) }
    }
}

/// What is known of the texts of a column.
struct Texts {
    /// Bits of a definition level; none where every value is there.
    level: u32,
    /// Bytes of the texts so far, of those whose lengths are written as differences.
    room: usize,
}

impl Texts {
    fn check(&mut self, page: &Page) -> Result<()> {
        let (count, levels) = match page {
            Page::DataPage { num_values, def_level_encoding, buf, .. } => {
                (num_values, self.levels(*num_values, *def_level_encoding, buf))
            }
            Page::DataPageV2 {
                num_values, def_levels_byte_len: d, rep_levels_byte_len: r, ..
            } => (num_values, *d as usize + *r as usize),
            Page::DictionaryPage { .. } => return Ok(()),
        };
        let texts = page.buffer().get(levels..).unwrap_or_default();
        let texts = match page.encoding() {
            // How much of the text before each begins with, then what is its own.
            Encoding::DELTA_BYTE_ARRAY => {
                let (shared, rest) = lengths(texts, *count as usize)?;
                self.room = self.room.saturating_add(shared);
                rest
            }
            Encoding::DELTA_LENGTH_BYTE_ARRAY => texts,
            _ => return Ok(()),
        };
        let (own, _) = lengths(texts, *count as usize)?;
        self.room = self.room.saturating_add(own);
        check_room(self.room)
    }

    /// Bytes of the definition levels at the beginning of a page of the first version.
    fn levels(&self, count: u32, encoding: Encoding, page: &Bytes) -> usize {
        match (self.level, page.first_chunk()) {
            (0, _) | (_, None) => 0,
            (_, Some(length)) if encoding == Encoding::RLE => {
                4usize.saturating_add(u32::from_le_bytes(*length) as usize)
            }
            (bits, _) => (count as usize).saturating_mul(bits as usize).div_ceil(8),
        }
    }
}

impl Iterator for Checked {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Checked {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        if let (Some(texts), Some(page)) = (&mut self.texts, &page) {
            texts.check(page)?;
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}

/// The sum of at most `most` lengths that are written as differences (`DELTA_BINARY_PACKED`), and what comes after them.
fn lengths(bytes: &[u8], most: usize) -> Result<(usize, &[u8])> {
    let mut reader = Compact::new(bytes);
    let block = reader.varint()? as usize;
    let parts = reader.varint()? as usize;
    let count = reader.varint()? as usize;
    let mut length = reader.number()? as i32;
    if count > most {
        return Err(damaged("a page has more texts than values"));
    }
    let each = block.checked_div(parts).unwrap_or(0);
    if each == 0 || !each.is_multiple_of(32) {
        return Err(damaged("the differences of lengths are not in groups of 32"));
    }
    let mut sum = 0_usize;
    // A length below zero is refused by the library.
    let mut add = |length: i32| sum = sum.saturating_add(usize::try_from(length).unwrap_or(0));
    if count > 0 {
        add(length);
    }
    let mut left = count.saturating_sub(1);
    while left > 0 {
        let least = reader.number()? as i32;
        for &width in reader.take(parts)? {
            let width = if left > 0 { usize::from(width) } else { 0 };
            let packed = reader.take((each / 8).saturating_mul(width))?;
            let some = each.min(left);
            for i in 0..some {
                length = length.wrapping_add(least).wrapping_add(number(packed, i, width) as i32);
                add(length);
            }
            left -= some;
        }
    }
    Ok((sum, &bytes[reader.at..]))
}

/// Number `i` of those of `width` bits.
fn number(packed: &[u8], i: usize, width: usize) -> u64 {
    let bit = |k: usize| u64::from(packed[k / 8] >> (k % 8) & 1);
    (0..width.min(64)).fold(0, |sum, k| sum | bit(i * width + k) << k)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

    use super::*;
    use crate::values::{Column, values};
    use parquet::column::reader::get_column_reader;
    use parquet::data_type::{ByteArray, ByteArrayType};
    use parquet::file::properties::{WriterProperties, WriterVersion};
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    const ENCODINGS: [Encoding; 2] =
        [Encoding::DELTA_BYTE_ARRAY, Encoding::DELTA_LENGTH_BYTE_ARRAY];

    /// Texts of 0 to 4 kB that begin alike, some of them missing, and then a page without any.
    fn some() -> Vec<Option<String>> {
        let text = |i: usize| format!("{}{i}", "pier ".repeat(i * i % 7 * (i % 13) * (i % 11)));
        (0..3000)
            .map(|i| (i % 5 != 3).then(|| if i % 17 == 0 { String::new() } else { text(i) }))
            .chain(vec![None; 1500])
            .collect()
    }

    fn written(all: &[Option<String>], encoding: Encoding, version: WriterVersion) -> Vec<u8> {
        let schema = parse_message_type("message m { optional binary name (UTF8); }").unwrap();
        let how = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_writer_version(version)
            .set_encoding(encoding)
            .set_data_page_row_count_limit(700)
            .set_write_batch_size(100);
        let mut bytes = Vec::new();
        let mut file =
            SerializedFileWriter::new(&mut bytes, schema.into(), how.build().into()).unwrap();
        let mut group = file.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let there: Vec<ByteArray> = all.iter().flatten().map(|t| t.as_str().into()).collect();
        let levels: Vec<i16> = all.iter().map(|t| i16::from(t.is_some())).collect();
        column.typed::<ByteArrayType>().write_batch(&there, Some(&levels), None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
        file.close().unwrap();
        bytes
    }

    /// The bytes that the texts take are counted before they are read, to the last one, and they are read as they were written.
    #[test]
    fn the_room_for_texts_is_known_before() {
        let all = some();
        for encoding in ENCODINGS {
            for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
                let bytes = Bytes::from(written(&all, encoding, version));
                let file = SerializedFileReader::new(bytes).unwrap();
                let group = file.get_row_group(0).unwrap();
                let column = group.metadata().column(0).column_descr_ptr();
                let pages = || Checked::new(group.get_column_page_reader(0).unwrap(), &column);
                let mut checked = pages();
                assert!(checked.by_ref().map(Result::unwrap).count() > 3);
                let expected: usize = all.iter().flatten().map(String::len).sum();
                assert_eq!(checked.texts.unwrap().room, expected, "{encoding} {version:?}");
                let reader = || Ok(get_column_reader(column.clone(), Box::new(pages())));
                let Column::Texts(read) = values(reader, all.len(), &column).unwrap() else {
                    panic!("not read as texts")
                };
                assert!(read == all, "{encoding} {version:?}");
            }
        }
    }

    /// `count` lengths of `length`, in one block.
    fn alike(count: u32, length: u32) -> Vec<u8> {
        let varint = |mut v: u64| {
            let mut bytes = Vec::new();
            while v >= 0x80 {
                bytes.push(v as u8 | 0x80);
                v >>= 7;
            }
            bytes.push(v as u8);
            bytes
        };
        let block = 1 << 31;
        [varint(block), vec![1], varint(count.into()), varint(u64::from(length) << 1), vec![0, 0]]
            .concat()
    }

    fn refused(count: u32, encoding: Encoding, values: Vec<u8>) -> Option<String> {
        let page = Page::DataPage {
            buf: values.into(),
            num_values: count,
            encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        Texts { level: 0, room: 0 }.check(&page).err().map(|e| e.to_string())
    }

    #[test]
    fn a_few_bytes_do_not_grow_to_gigabytes() {
        let [shared, own] = ENCODINGS;
        let more = refused(10, own, alike(1 << 30, 0)).unwrap();
        assert!(more.contains("more texts than values"), "{more}");
        let cut = refused(10, own, vec![0x80, 1, 4, 10, 2, 0, 0]).unwrap();
        assert!(cut.contains("ends too soon"), "{cut}");
        let odd = refused(10, own, vec![0x7c, 4, 10, 2, 0, 0, 0, 0, 0]).unwrap();
        assert!(odd.contains("groups of 32"), "{odd}");
        // 10⁵ texts that begin with the 10⁵ bytes of the one before take 10 GB.
        let grown = refused(100_000, shared, [alike(100_000, 100_000), alike(100_000, 0)].concat());
        assert!(grown.as_ref().is_some_and(|e| e.contains("1073741824 bytes")), "{grown:?}");
        let fits = [alike(10_000, 100_000), alike(10_000, 0)].concat();
        assert_eq!(refused(10_000, shared, fits), None);
    }

    /// Pages that are made by hand.
    struct Made(std::vec::IntoIter<Page>);

    impl Iterator for Made {
        type Item = Result<Page>;

        fn next(&mut self) -> Option<Self::Item> {
            self.get_next_page().transpose()
        }
    }

    impl PageReader for Made {
        fn get_next_page(&mut self) -> Result<Option<Page>> {
            Ok(self.0.next())
        }

        fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
            Ok(None)
        }

        fn skip_next_page(&mut self) -> Result<()> {
            Ok(())
        }
    }

    /// A word of a megabyte in a dictionary, then how often it is there, in four bytes.
    #[test]
    fn a_word_that_is_repeated_takes_room_each_time() {
        let schema = parse_message_type("message m { required binary name; }").unwrap();
        let column = parquet::schema::types::SchemaDescriptor::new(schema.into()).column(0);
        let word = 1_u32 << 20;
        let read = |rows: u32| {
            let words = Page::DictionaryPage {
                buf: [word.to_le_bytes().to_vec(), vec![b'x'; word as usize]].concat().into(),
                num_values: 1,
                encoding: Encoding::PLAIN,
                is_sorted: false,
            };
            // Indices of one bit: a run of 2 · rows in the header, of the index 0.
            let run = [(2 * rows) as u8 | 0x80, (rows >> 6) as u8];
            let page = Page::DataPage {
                buf: [&[1], &run[..], &[0]].concat().into(),
                num_values: rows,
                encoding: Encoding::RLE_DICTIONARY,
                def_level_encoding: Encoding::RLE,
                rep_level_encoding: Encoding::RLE,
                statistics: None,
            };
            let pages = Checked::new(Box::new(Made(vec![words, page].into_iter())), &column);
            let reader = || Ok(get_column_reader(column.clone(), Box::new(pages)));
            values(reader, rows as usize, &column).map(|_| ()).map_err(|e| e.to_string())
        };
        assert_eq!(read(70), Ok(()));
        let refused = read(1025).unwrap_err();
        assert!(refused.contains("more than 1073741824 bytes"), "{refused}");
    }
}
