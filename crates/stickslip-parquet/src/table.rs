//! A file, of which the columns of row groups are read when they are needed.

use crate::bits::{Bits, Source};
use crate::guard::{Damaged, check_contents, check_pages, guarded};
use crate::texts::Checked;
use crate::values::{Column, values};
use crate::zstd;
use parquet::basic::{Compression, Type};
use parquet::column::page::PageReader;
use parquet::column::reader::get_column_reader;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader, SerializedPageReader};
use std::fmt;
use std::sync::Arc;

/// A table in Parquet.
pub struct Table {
    file: SerializedFileReader<Bits>,
    bits: Bits,
    header: Vec<String>,
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("header", &self.header).finish_non_exhaustive()
    }
}

impl Table {
    /// The table in a file of which pieces are read when they are needed.
    ///
    /// # Errors
    /// Where the file is not one of Parquet, or damaged.
    pub fn open(file: Arc<dyn Source>) -> Result<Self, Damaged> {
        Self::new(Bits::Pieces(file))
    }

    /// The table in the bytes of a file.
    ///
    /// # Errors
    /// As [`Table::open`].
    ///
    /// ```
    /// let damaged = stickslip_parquet::Table::of_bytes(b"PAR1, and then nothing".to_vec());
    /// assert!(damaged.is_err());
    /// ```
    pub fn of_bytes(bytes: Vec<u8>) -> Result<Self, Damaged> {
        Self::new(Bits::Whole(bytes.into()))
    }

    fn new(bits: Bits) -> Result<Self, Damaged> {
        let file = guarded(|| {
            check_contents(&bits)?;
            SerializedFileReader::new(bits.clone())
        })?;
        let schema = file.metadata().file_metadata().schema_descr();
        let header = schema.columns().iter().map(|c| c.path().string()).collect();
        Ok(Self { file, bits, header })
    }

    /// The names of its columns, with the names of the structures that they stand in.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// How many row groups it has.
    pub fn groups(&self) -> usize {
        self.file.num_row_groups()
    }

    /// The rows of a row group; 0 where the file says that they are fewer than none.
    pub fn rows(&self, group: usize) -> u64 {
        u64::try_from(self.file.metadata().row_group(group).num_rows()).unwrap_or(0)
    }

    /// The values of a column in a row group.
    ///
    /// # Errors
    /// Where the file is damaged there, and for a column that holds lists, or neither numbers nor times nor texts.
    pub fn column(&self, group: usize, column: usize) -> Result<Column, Damaged> {
        guarded(|| {
            let group = self.file.get_row_group(group)?;
            let chunk = group.metadata().column(column);
            let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
            check_pages(&self.bits, chunk, rows)?;
            let reader = || {
                let is_packed = matches!(chunk.compression(), Compression::ZSTD(_));
                // The tests take the way of programs without the library.
                let pages = if is_packed && (cfg!(test) || !cfg!(feature = "zstd")) {
                    self.unpacked(chunk, rows)?
                } else {
                    group.get_column_page_reader(column)?
                };
                let column = chunk.column_descr_ptr();
                let pages = Box::new(Checked::new(pages, &column));
                Ok(get_column_reader(column, pages))
            };
            values(reader, rows, &chunk.column_descr_ptr())
        })
    }

    /// The pages of a column that is compressed by zstd, without the library of zstd.
    fn unpacked(
        &self,
        chunk: &ColumnChunkMetaData,
        rows: usize,
    ) -> Result<Box<dyn PageReader>, ParquetError> {
        let (start, length) = chunk.byte_range();
        let length = usize::try_from(length).map_err(|e| ParquetError::External(e.into()))?;
        let pages = zstd::unpacked(&self.bits.get_bytes(start, length)?)?;
        let plain = chunk.clone().into_builder();
        let plain = plain
            .set_compression(Compression::UNCOMPRESSED)
            .set_total_compressed_size(pages.len() as i64)
            .set_dictionary_page_offset(None)
            .set_data_page_offset(0)
            .build()?;
        Ok(Box::new(SerializedPageReader::new(Arc::new(pages), &plain, rows, None)?))
    }

    /// The least and the greatest text of a column in a row group, in the order of their bytes, where the file says so.
    pub fn extremes(&self, group: usize, column: usize) -> Option<(&[u8], &[u8])> {
        let column = self.file.metadata().row_group(group).column(column);
        let known = column.statistics().filter(|_| column.column_type() == Type::BYTE_ARRAY);
        known.and_then(|s| Some((s.min_bytes_opt()?, s.max_bytes_opt()?)))
    }
}
