//! The values of a column: numbers, times or texts.

use crate::texts::check_room;
use parquet::basic::{ConvertedType, LogicalType, TimeUnit};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType, Int96};
use parquet::errors::ParquetError;
use parquet::schema::types::ColumnDescriptor;

/// One column of a row group.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// NaN where a value is missing.
    Numbers(Vec<f64>),
    /// Dates and times of the calendar.
    Times(Vec<Option<Time>>),
    /// In UTF-8; what is no UTF-8 is replaced.
    Texts(Vec<Option<String>>),
}

/// A time of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Time {
    /// Since the beginning of 1970, ns.
    pub nanoseconds: i128,
    /// Whether the file says that it is one of UTC. Otherwise it is a time of no zone, counted as if it were one of UTC.
    pub is_utc: bool,
}

/// The values of a column.
pub fn values(
    reader: impl FnOnce() -> Result<ColumnReader, ParquetError>,
    rows: usize,
    descriptor: &ColumnDescriptor,
) -> Result<Column, ParquetError> {
    if descriptor.max_rep_level() > 0 {
        let message = format!("the column `{}` holds lists", descriptor.name());
        return Err(ParquetError::General(message));
    }
    let read = Values { rows, most: descriptor.max_def_level() };
    let scale = 10f64.powi(-descriptor.type_scale().max(0));
    Ok(match reader()? {
        ColumnReader::DoubleColumnReader(r) => read.numbers(r, |x| *x)?,
        ColumnReader::FloatColumnReader(r) => read.numbers(r, |x| f64::from(*x))?,
        ColumnReader::Int32ColumnReader(r) if is_date(descriptor) => {
            let day = |d: &i32| instant(i128::from(*d) * 86_400_000_000_000, false);
            Column::Times(read.all(r)?.iter().map(|d| d.as_ref().map(day)).collect())
        }
        ColumnReader::Int32ColumnReader(r) => read.numbers(r, |x| f64::from(*x) * scale)?,
        ColumnReader::Int64ColumnReader(r) => match instants(descriptor) {
            Some((ticks, utc)) => {
                let at = |t: &i64| instant(i128::from(*t) * ticks, utc);
                Column::Times(read.all(r)?.iter().map(|t| t.as_ref().map(at)).collect())
            }
            None => read.numbers(r, |x| *x as f64 * scale)?,
        },
        ColumnReader::Int96ColumnReader(r) => {
            let at = |t: &Int96| instant(i128::from(t.to_nanos()), false);
            Column::Times(read.all(r)?.iter().map(|t| t.as_ref().map(at)).collect())
        }
        ColumnReader::ByteArrayColumnReader(r) => {
            let text = |t: &ByteArray| String::from_utf8_lossy(t.data()).into_owned();
            let all = read.all(r)?;
            // In a dictionary each stands once, however often it is there.
            check_room(all.iter().flatten().fold(0, |sum, t| t.len().saturating_add(sum)))?;
            Column::Texts(all.iter().map(|t| t.as_ref().map(text)).collect())
        }
        ColumnReader::BoolColumnReader(_) | ColumnReader::FixedLenByteArrayColumnReader(_) => {
            let message =
                format!("the column `{}` holds neither numbers nor times", descriptor.name());
            return Err(ParquetError::General(message));
        }
    })
}

/// Rows that are read at once: there is room for them before it is known whether they are there.
const PORTION: usize = 1 << 16;

/// What is read of each column.
struct Values {
    rows: usize,
    /// The definition level of a value that is there.
    most: i16,
}

impl Values {
    fn all<T: DataType>(
        &self,
        mut reader: ColumnReaderImpl<T>,
    ) -> Result<Vec<Option<T::T>>, ParquetError> {
        let mut values = Vec::new();
        let mut levels = Vec::new();
        let mut read = 0;
        while read < self.rows {
            let next = (self.rows - read).min(PORTION);
            let (records, ..) = reader.read_records(next, Some(&mut levels), None, &mut values)?;
            if records == 0 {
                return Err(short());
            }
            read += records;
        }
        if self.most == 0 {
            return Ok(values.into_iter().map(Some).collect());
        }
        let mut values = values.into_iter();
        Ok(levels
            .iter()
            .map(|level| if *level == self.most { values.next() } else { None })
            .collect())
    }

    fn numbers<T: DataType>(
        &self,
        reader: ColumnReaderImpl<T>,
        number: impl Fn(&T::T) -> f64,
    ) -> Result<Column, ParquetError> {
        let one = |x: &Option<T::T>| x.as_ref().map_or(f64::NAN, &number);
        Ok(Column::Numbers(self.all(reader)?.iter().map(one).collect()))
    }
}

#[cold]
fn short() -> ParquetError {
    ParquetError::General("a column is shorter than its row group".to_owned())
}

fn is_date(descriptor: &ColumnDescriptor) -> bool {
    matches!(descriptor.logical_type_ref(), Some(LogicalType::Date))
        || descriptor.converted_type() == ConvertedType::DATE
}

/// Nanoseconds of a tick, and whether times are those of UTC; `None` if the numbers are no times.
fn instants(descriptor: &ColumnDescriptor) -> Option<(i128, bool)> {
    match (descriptor.logical_type_ref(), descriptor.converted_type()) {
        (Some(LogicalType::Timestamp(t)), _) => {
            let ticks = match t.unit {
                TimeUnit::MILLIS => 1_000_000,
                TimeUnit::MICROS => 1000,
                TimeUnit::NANOS => 1,
            };
            Some((ticks, t.is_adjusted_to_u_t_c))
        }
        (None, ConvertedType::TIMESTAMP_MILLIS) => Some((1_000_000, true)),
        (None, ConvertedType::TIMESTAMP_MICROS) => Some((1000, true)),
        _ => None,
    }
}

fn instant(nanoseconds: i128, is_utc: bool) -> Time {
    Time { nanoseconds, is_utc }
}
