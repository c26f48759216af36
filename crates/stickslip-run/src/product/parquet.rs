//! Tables as Parquet: numbers as doubles, counts as 64-bit integers, texts in UTF-8, times in microseconds.

use super::{Cell, Column, Stop, Table};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical, ZstdLevel};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::io::{self, Write};
use std::sync::Arc;

/// Rows of a group: so many are held in memory.
const ROWS: usize = 1 << 16;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq)]
enum ColumnKind {
    Numbers,
    Wholes,
    Texts,
    /// Times; true for instants, false for calendar times without a zone.
    Times(bool),
}

/// The cells of a column in a group.
enum Held {
    Numbers(Vec<f64>),
    Wholes(Vec<i64>),
    Texts(Vec<ByteArray>),
}

/// The values of a column that are there, and where.
struct Filling {
    kind: ColumnKind,
    held: Held,
    levels: Vec<i16>,
}

/// Microseconds since 1970, and whether the text names a zone.
fn microseconds(text: &str) -> Option<(i64, bool)> {
    if let Ok(instant) = text.parse::<jiff::Timestamp>() {
        return Some((instant.as_microsecond(), true));
    }
    let civil: DateTime = text.parse().ok()?;
    Some((TimeZone::UTC.to_timestamp(civil).ok()?.as_microsecond(), false))
}

/// What each column holds, by its first cells that are not empty.
fn kinds(table: &Table) -> Vec<ColumnKind> {
    let mut found: Vec<Option<ColumnKind>> = vec![None; table.columns.len()];
    let _ = table.each(&mut |row| {
        for ((kind, cell), column) in found.iter_mut().zip(row).zip(&table.columns) {
            if kind.is_none() {
                *kind = of(cell, column);
            }
        }
        if found.iter().all(Option::is_some) { Err(Stop) } else { Ok(()) }
    });
    found.into_iter().map(|k| k.unwrap_or(ColumnKind::Numbers)).collect()
}

fn of(cell: &Cell<'_>, column: &Column) -> Option<ColumnKind> {
    match cell {
        Cell::Empty => None,
        Cell::Number(_) => Some(ColumnKind::Numbers),
        Cell::Whole(_) => Some(ColumnKind::Wholes),
        Cell::Text(text) => Some(match microseconds(text).filter(|_| column.stamps) {
            Some((_, zoned)) => ColumnKind::Times(zoned),
            None => ColumnKind::Texts,
        }),
    }
}

impl Filling {
    fn new(kind: ColumnKind) -> Self {
        let held = match kind {
            ColumnKind::Numbers => Held::Numbers(Vec::new()),
            ColumnKind::Wholes | ColumnKind::Times(_) => Held::Wholes(Vec::new()),
            ColumnKind::Texts => Held::Texts(Vec::new()),
        };
        Self { kind, held, levels: Vec::new() }
    }

    /// Takes a cell; false if it is of another kind than those before.
    fn push(&mut self, cell: &Cell<'_>) -> bool {
        let times = matches!(self.kind, ColumnKind::Times(_));
        match (&mut self.held, cell) {
            (_, Cell::Empty) => {
                self.levels.push(0);
                return true;
            }
            (Held::Numbers(all), Cell::Number(x)) => all.push(*x),
            (Held::Numbers(all), Cell::Whole(n)) => all.push(*n as f64),
            (Held::Wholes(all), Cell::Whole(n)) if !times => all.push(*n as i64),
            (Held::Wholes(all), Cell::Text(text)) if times => match microseconds(text) {
                Some((t, zoned)) if self.kind == ColumnKind::Times(zoned) => all.push(t),
                _ => return false,
            },
            (Held::Texts(all), Cell::Text(text)) => all.push(ByteArray::from(text.as_ref())),
            _ => return false,
        }
        self.levels.push(1);
        true
    }

    fn write(&mut self, writer: &mut ColumnWriter<'_>) -> Result<(), ParquetError> {
        let levels = Some(self.levels.as_slice());
        match (writer, &self.held) {
            (ColumnWriter::DoubleColumnWriter(w), Held::Numbers(all)) => {
                w.write_batch(all, levels, None)?
            }
            (ColumnWriter::Int64ColumnWriter(w), Held::Wholes(all)) => {
                w.write_batch(all, levels, None)?
            }
            (ColumnWriter::ByteArrayColumnWriter(w), Held::Texts(all)) => {
                w.write_batch(all, levels, None)?
            }
            _ => return Err(ParquetError::General("a column of another kind".to_owned())),
        };
        *self = Self::new(self.kind);
        Ok(())
    }
}

fn field(column: &Column, kind: ColumnKind) -> Result<Arc<Type>, ParquetError> {
    let (physical, logical) = match kind {
        ColumnKind::Numbers => (Physical::DOUBLE, None),
        ColumnKind::Wholes => (Physical::INT64, None),
        ColumnKind::Texts => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        ColumnKind::Times(zoned) => {
            (Physical::INT64, Some(LogicalType::timestamp(zoned, TimeUnit::MICROS)))
        }
    };
    let made = Type::primitive_type_builder(&column.name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical);
    made.build().map(Arc::new)
}

/// The units of the columns, by their names.
fn metadata(table: &Table) -> Vec<KeyValue> {
    let units: serde_json::Map<_, _> = table
        .columns
        .iter()
        .filter(|c| !c.unit.is_empty())
        .map(|c| (c.name.clone(), c.unit.into()))
        .collect();
    let units = serde_json::Value::Object(units).to_string();
    vec![
        KeyValue::new("units".to_owned(), units),
        KeyValue::new("table".to_owned(), table.name.clone()),
    ]
}

/// Writes a table; no more than a group of its rows is in memory.
pub fn write(table: &Table, w: &mut (dyn Write + Send)) -> io::Result<()> {
    whole(table, w).map_err(|e| match e {
        ParquetError::External(e) => io::Error::other(e),
        e => io::Error::other(e),
    })
}

fn whole(table: &Table, w: &mut (dyn Write + Send)) -> Result<(), ParquetError> {
    let kinds = kinds(table);
    let fields = table.columns.iter().zip(&kinds).map(|(c, k)| field(c, *k));
    let fields = fields.collect::<Result<Vec<_>, _>>()?;
    let schema = Type::group_type_builder("table").with_fields(fields).build()?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by(concat!("stickslip ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(metadata(table)))
        .build();
    let mut writer = SerializedFileWriter::new(w, Arc::new(schema), Arc::new(properties))?;
    let mut filling: Vec<Filling> = kinds.into_iter().map(Filling::new).collect();
    let mut rows = 0;
    let mut failed = None;
    let _ = table.each(&mut |row| {
        let mut fits = filling
            .iter_mut()
            .zip(row)
            .zip(&table.columns)
            .map(|((f, c), column)| if f.push(c) { None } else { Some(column.name.as_str()) });
        let other = fits.find_map(|wrong| wrong);
        let error = other.map(|name| {
            ParquetError::General(format!("the column `{name}` holds values of several kinds"))
        });
        rows += 1;
        let full = error.is_none() && rows % ROWS == 0;
        let error =
            error.or_else(|| if full { group(&mut writer, &mut filling).err() } else { None });
        match error {
            Some(error) => {
                failed = Some(error);
                Err(Stop)
            }
            None => Ok(()),
        }
    });
    if let Some(error) = failed {
        return Err(error);
    }
    if rows % ROWS > 0 {
        group(&mut writer, &mut filling)?;
    }
    writer.close().map(|_| ())
}

fn group<W: Write + Send>(
    writer: &mut SerializedFileWriter<W>,
    filling: &mut [Filling],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for column in filling {
        let Some(mut next) = group.next_column()? else { break };
        column.write(next.untyped())?;
        next.close()?;
    }
    group.close().map(|_| ())
}
