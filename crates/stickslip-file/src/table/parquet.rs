//! Parquet: columns by name, one row group after the other.

use super::builder::{Builder, Built};
use super::calendar::{self, Found};
use super::numbers::Numbers;
use super::rows::column;
use super::time::{Clock, Looks, Moment, Style, looks};
use super::{Complaint, DateOrder, Manner, Missing, Record, Wanted};
use crate::diagnostic::{Diagnostic, Result};
use crate::resources::{Resources, open};
use bytes::Bytes;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use parquet::basic::{ConvertedType, LogicalType, TimeUnit};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType, Int96};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;
use std::io::Read;

/// One column of a row group.
enum Column {
    Numbers(Vec<f64>),
    Times(Vec<Option<Moment>>),
    Texts(Vec<Option<String>>),
}

/// Where a complaint about a value comes from.
struct At<'a> {
    name: &'a str,
    column: &'a str,
    row: u64,
}

impl At<'_> {
    fn fault(&self, (message, help): Complaint) -> Diagnostic {
        let Self { name, column, row } = self;
        Diagnostic::new(format!("{name}, row {row}, column `{column}`: {message}")).help(help)
    }
}

/// See [`super::read`].
pub fn read(
    resources: &dyn Resources,
    name: &str,
    wanted: &Wanted,
    manner: &Manner,
) -> Result<Record> {
    let mut bytes = Vec::new();
    open(resources, name)
        .map_err(|f| f.or_at(&wanted.place))?
        .read_to_end(&mut bytes)
        .map_err(|e| Diagnostic::new(format!("{name}: cannot be read: {e}")))?;
    let damaged = |e: ParquetError| {
        Diagnostic::new(format!("{name}: cannot be read as Parquet: {e}"))
            .help("check that the file is whole, or export the table as CSV")
    };
    let file = SerializedFileReader::new(Bytes::from(bytes)).map_err(damaged)?;
    let schema = file.metadata().file_metadata().schema_descr();
    let header: Vec<String> = schema.columns().iter().map(|c| c.path().string()).collect();
    let time = wanted.time.iter().map(|w| column(name, &header, w)).collect::<Result<Vec<_>>>()?;
    let columns =
        wanted.columns.iter().map(|w| column(name, &header, w)).collect::<Result<Vec<_>>>()?;
    let mut table = Table { name, header: &header, manner, time, columns, builder: None, row: 0 };
    let mut warnings = Vec::new();
    let groups = Groups { file: &file, damaged: &damaged };
    for group in 0..file.num_row_groups() {
        table.take(&groups, group, &mut warnings)?;
    }
    let builder = table.builder.ok_or_else(|| {
        Diagnostic::new(format!("{name}: the table has no rows"))
            .help("check that the whole table was exported")
    })?;
    let Built { clock, seconds, values } = builder.finish(&mut warnings)?;
    let units = vec![None; wanted.columns.len()];
    Ok(Record { seconds, values, units, clock, warnings })
}

/// The row groups of a file.
struct Groups<'a> {
    file: &'a SerializedFileReader<Bytes>,
    damaged: &'a dyn Fn(ParquetError) -> Diagnostic,
}

impl Groups<'_> {
    /// A column of a row group.
    fn column(&self, group: usize, column: usize) -> Result<Column> {
        let group = self.file.get_row_group(group).map_err(self.damaged)?;
        let descriptor = group.metadata().column(column).column_descr_ptr();
        values(&*group, column, &descriptor).map_err(self.damaged)
    }
}

struct Table<'a> {
    name: &'a str,
    header: &'a [String],
    manner: &'a Manner,
    time: Vec<usize>,
    columns: Vec<usize>,
    builder: Option<Builder<'a>>,
    row: u64,
}

impl<'a> Table<'a> {
    /// Takes the rows of a row group.
    fn take(
        &mut self,
        groups: &Groups<'_>,
        group: usize,
        warnings: &mut Vec<String>,
    ) -> Result<()> {
        let time =
            self.time.iter().map(|c| groups.column(group, *c)).collect::<Result<Vec<_>>>()?;
        let mut columns = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            columns.push(self.numbers(*column, groups.column(group, *column)?)?);
        }
        let rows = columns.first().map_or(0, Vec::len);
        let mut row = vec![0.0; columns.len()];
        for i in 0..rows {
            self.row += 1;
            let at = At { name: self.name, column: &self.header[self.time[0]], row: self.row };
            row.iter_mut().zip(&columns).for_each(|(x, column)| *x = column[i]);
            let stamp = stamp(&time, i);
            if self.builder.is_none() {
                let clock = clock(self.manner, &time, i, groups, (&self.time, warnings));
                let clock = clock.map_err(|e| match e {
                    Trouble::Time(e) => at.fault(e),
                    Trouble::File(e) => e,
                })?;
                self.builder = Some(
                    Builder::new(self.name, clock, self.columns.len(), self.manner).by("rows"),
                );
            }
            let Some(builder) = &mut self.builder else { continue };
            let moment = match &time[0] {
                Column::Texts(_) => builder.clock().read(&stamp).map_err(|e| at.fault(e))?,
                known => of(known, i).ok_or_else(|| at.fault(super::time::unreadable("")))?,
            };
            builder.take(moment, &stamp, &row, self.row).map_err(|e| at.fault(e))?;
        }
        Ok(())
    }

    /// A column as numbers, NaN where one is missing.
    fn numbers(&self, index: usize, column: Column) -> Result<Vec<f64>> {
        let at = |i: usize| At {
            name: self.name,
            column: &self.header[index],
            row: self.row + 1 + i as u64,
        };
        let is_missing =
            |x: f64| self.manner.missing.iter().any(|m| matches!(m, Missing::Number(n) if *n == x));
        match column {
            Column::Numbers(mut numbers) => {
                if let Some(i) = numbers.iter().position(|x| x.is_infinite()) {
                    let message = "the value is not finite; expected a number".to_owned();
                    return Err(at(i).fault((message, "leave a missing value empty".to_owned())));
                }
                numbers.iter_mut().filter(|x| is_missing(**x)).for_each(|x| *x = f64::NAN);
                Ok(numbers)
            }
            Column::Texts(texts) => {
                let mut numbers = Numbers::new(self.manner.decimal, &self.manner.missing);
                let one = |(i, text): (usize, Option<String>)| {
                    let text = text.unwrap_or_default();
                    numbers.parse(text.trim(), 0).map_err(|e| at(i).fault(e))
                };
                texts.into_iter().enumerate().map(one).collect()
            }
            Column::Times(_) => Err(at(0).fault((
                "the column holds times; expected numbers".to_owned(),
                "check that the right column is named".to_owned(),
            ))),
        }
    }
}

enum Trouble {
    Time(Complaint),
    File(Diagnostic),
}

/// The time of a row, where it is known without being parsed.
fn of(column: &Column, i: usize) -> Option<Moment> {
    match column {
        Column::Numbers(x) => Some(Moment::Number(x[i])).filter(|_| x[i].is_finite()),
        Column::Times(times) => times[i],
        Column::Texts(_) => None,
    }
}

/// The time of a row as messages show it, and as texts give it.
fn stamp(time: &[Column], i: usize) -> String {
    let one = |c: &Column| match c {
        Column::Numbers(x) => x[i].to_string(),
        Column::Texts(texts) => texts[i].clone().unwrap_or_default().trim().to_owned(),
        Column::Times(times) => times[i].map(Moment::text).unwrap_or_default(),
    };
    time.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// How times are counted, seen from row `i`.
fn clock(
    manner: &Manner,
    time: &[Column],
    i: usize,
    groups: &Groups<'_>,
    (columns, warnings): (&[usize], &mut Vec<String>),
) -> Result<Clock, Trouble> {
    let zone = manner.zone.as_ref();
    let first = stamp(time, i);
    let unit = match &manner.time {
        Some(Style::Number(unit)) => Some(*unit),
        _ => None,
    };
    if let Some(moment) = of(&time[0], i) {
        return Clock::at(moment, unit.unwrap_or(1.0), zone).map_err(Trouble::Time);
    }
    let style = match &manner.time {
        Some(style @ (Style::Format(_) | Style::Date(_))) => style.clone(),
        _ => match looks(&first, unit).map_err(Trouble::Time)? {
            Looks::Like(style) => style,
            Looks::DayOrMonth => {
                let order = day_or_month(groups, columns).map_err(Trouble::File)?;
                let order = order.ok_or_else(|| Trouble::Time(super::ambiguous_date(&first)))?;
                let way = if order == DateOrder::Day { "the day" } else { "the month" };
                warnings.push(format!("dates such as {first} begin with {way}"));
                Style::Date(order)
            }
        },
    };
    Clock::of(style, &first, zone).map_err(Trouble::Time)
}

/// Looks through the whole file for a date that can only be read in one way.
fn day_or_month(groups: &Groups<'_>, columns: &[usize]) -> Result<Option<DateOrder>> {
    for group in 0..groups.file.num_row_groups() {
        let time: Vec<_> =
            columns.iter().map(|c| groups.column(group, *c)).collect::<Result<_>>()?;
        let Column::Texts(texts) = &time[0] else { continue };
        for i in 0..texts.len() {
            if let Some(Found::Sure(_, order)) = calendar::find(&stamp(&time, i)) {
                return Ok(Some(order));
            }
        }
    }
    Ok(None)
}

/// The values of a column.
fn values(
    group: &dyn RowGroupReader,
    column: usize,
    descriptor: &ColumnDescriptor,
) -> Result<Column, ParquetError> {
    if descriptor.max_rep_level() > 0 {
        let message = format!("the column `{}` holds lists", descriptor.name());
        return Err(ParquetError::General(message));
    }
    let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
    let read = Values { rows, most: descriptor.max_def_level() };
    let scale = 10f64.powi(-descriptor.type_scale().max(0));
    Ok(match group.get_column_reader(column)? {
        ColumnReader::DoubleColumnReader(r) => read.numbers(r, |x| *x)?,
        ColumnReader::FloatColumnReader(r) => read.numbers(r, |x| f64::from(*x))?,
        ColumnReader::Int32ColumnReader(r) if is_date(descriptor) => {
            let day = |d: &i32| Timestamp::from_second(i64::from(*d) * 86_400).ok().map(plain);
            Column::Times(read.all(r)?.iter().map(|d| d.as_ref().and_then(day)).collect())
        }
        ColumnReader::Int32ColumnReader(r) => read.numbers(r, |x| f64::from(*x) * scale)?,
        ColumnReader::Int64ColumnReader(r) => match instants(descriptor) {
            Some((ticks, utc)) => {
                let at = |t: &i64| instant(i128::from(*t) * ticks, utc);
                Column::Times(read.all(r)?.iter().map(|t| t.as_ref().and_then(at)).collect())
            }
            None => read.numbers(r, |x| *x as f64 * scale)?,
        },
        ColumnReader::Int96ColumnReader(r) => {
            let at = |t: &Int96| instant(i128::from(t.to_nanos()), false);
            Column::Times(read.all(r)?.iter().map(|t| t.as_ref().and_then(at)).collect())
        }
        ColumnReader::ByteArrayColumnReader(r) => {
            let text = |t: &ByteArray| String::from_utf8_lossy(t.data()).into_owned();
            Column::Texts(read.all(r)?.iter().map(|t| t.as_ref().map(text)).collect())
        }
        ColumnReader::BoolColumnReader(_) | ColumnReader::FixedLenByteArrayColumnReader(_) => {
            let message =
                format!("the column `{}` holds neither numbers nor times", descriptor.name());
            return Err(ParquetError::General(message));
        }
    })
}

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
        let (mut values, mut levels) = (Vec::with_capacity(self.rows), Vec::new());
        let mut read = 0;
        while read < self.rows {
            let (records, ..) =
                reader.read_records(self.rows - read, Some(&mut levels), None, &mut values)?;
            if records == 0 {
                break;
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

fn instant(nanoseconds: i128, utc: bool) -> Option<Moment> {
    let t = Timestamp::from_nanosecond(nanoseconds).ok()?;
    Some(if utc { Moment::Instant(t) } else { plain(t) })
}

/// A time without a zone, which is stored as if it were one of UTC.
fn plain(t: Timestamp) -> Moment {
    Moment::Calendar(t.to_zoned(TimeZone::UTC).datetime())
}
