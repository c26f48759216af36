//! Records in Parquet, as other programs write them.
#![cfg(feature = "parquet")]

use parquet::basic::{Compression, ZstdLevel};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::sync::Arc;
use stickslip_file::fit::{Fit, Records};
use stickslip_file::{Document, FitFile, Memory, Reading};

const ROWS: usize = 300;
/// 2013-01-01T00:00:00Z.
const START: i64 = 1_356_998_400;

/// How times are stored.
#[derive(Clone, Copy)]
enum Times {
    /// So many ticks in a second.
    Ticks(i64),
    Texts(fn(usize) -> String),
}

fn temperature(i: usize) -> f64 {
    9.0 * (0.26 * i as f64).sin()
}

fn displacement(i: usize) -> f64 {
    3.0 * (0.26 * i as f64 + 0.3).sin()
}

/// Three row groups; every fiftieth temperature is missing.
fn written(time: &str, times: Times, compression: Compression) -> Vec<u8> {
    let schema = format!(
        "message m {{ required {time}; optional double temperature; required float displacement; }}"
    );
    let schema = Arc::new(parse_message_type(&schema).unwrap());
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties)).unwrap();
    for rows in [0..100, 100..101, 101..ROWS] {
        let mut group = writer.next_row_group().unwrap();
        while let Some(mut column) = group.next_column().unwrap() {
            match (column.untyped(), times) {
                (ColumnWriter::Int64ColumnWriter(w), Times::Ticks(ticks)) => {
                    let tick = |i| ticks * (START + 3600 * i as i64);
                    w.write_batch(&rows.clone().map(tick).collect::<Vec<_>>(), None, None)
                }
                (ColumnWriter::ByteArrayColumnWriter(w), Times::Texts(text)) => {
                    let text = |i| ByteArray::from(text(i).as_str());
                    w.write_batch(&rows.clone().map(text).collect::<Vec<_>>(), None, None)
                }
                (ColumnWriter::DoubleColumnWriter(w), _) => {
                    let present = |i: &usize| !i.is_multiple_of(50);
                    let values: Vec<_> = rows.clone().filter(present).map(temperature).collect();
                    let levels: Vec<_> = rows.clone().map(|i| i16::from(present(&i))).collect();
                    w.write_batch(&values, Some(&levels), None)
                }
                (ColumnWriter::FloatColumnWriter(w), _) => {
                    let value = |i| displacement(i) as f32;
                    w.write_batch(&rows.clone().map(value).collect::<Vec<_>>(), None, None)
                }
                _ => panic!("another column"),
            }
            .unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.close().unwrap();
    bytes
}

fn read(more: &str, bytes: &[u8]) -> Result<(Fit, Vec<String>), String> {
    let text = format!(
        "[data]\nfile = \"r.parquet\"\ntime = \"time\"\ndrive = \"temperature\"\n\
         response = \"displacement\"\nresponse_unit = \"mm\"\n{more}\n\
         [model]\nkind = \"thermal-bearing\"\n"
    );
    let document = Document::parse("fit.toml", text).unwrap();
    let memory = Memory::default().with("r.parquet", bytes);
    let file = FitFile::read(&document, &Reading::new(memory)).map_err(|e| e.to_string())?;
    match file.records {
        Records::Bearings { mut fits, .. } => {
            Ok((fits.remove(0), [file.notices, file.warnings].concat()))
        }
        other => Err(format!("{other:?}")),
    }
}

#[track_caller]
fn is_the_record(fit: &Fit) {
    let data = &fit.data;
    assert_eq!(data.seconds.len(), ROWS);
    for i in 0..ROWS {
        assert_eq!(data.seconds[i], 3600.0 * i as f64);
        let t = data.drive_values[i];
        assert!(if i % 50 == 0 { t.is_nan() } else { t == temperature(i) }, "row {i}: {t}");
        assert_eq!(data.response_values[i], f64::from(displacement(i) as f32) * 1e-3);
    }
}

fn hour(i: usize) -> String {
    format!("{:02}.01.2013 {:02}:00", 1 + i / 24, i % 24)
}

#[test]
fn times_of_every_kind() {
    let snappy = Compression::SNAPPY;
    for (time, ticks) in [
        ("int64 time (TIMESTAMP(MILLIS,true))", 1000),
        ("int64 time (TIMESTAMP(MICROS,true))", 1_000_000),
        ("int64 time (TIMESTAMP(NANOS,false))", 1_000_000_000),
        ("int64 time (TIMESTAMP_MICROS)", 1_000_000),
        ("int64 time", 1),
    ] {
        let (fit, said) = read("", &written(time, Times::Ticks(ticks), snappy)).unwrap();
        is_the_record(&fit);
        assert!(said.is_empty(), "{said:?}");
        assert_eq!(fit.data.epoch.is_some(), time != "int64 time");
    }
    let (fit, said) =
        read("", &written("binary time (STRING)", Times::Texts(hour), snappy)).unwrap();
    is_the_record(&fit);
    assert!(said.is_empty(), "{said:?}");
    let zoned = "start = \"2013-01-03T00:00\"\ntime_zone = \"Europe/Berlin\"";
    let time = "int64 time (TIMESTAMP(MILLIS,true))";
    let (fit, _) = read(zoned, &written(time, Times::Ticks(1000), snappy)).unwrap();
    assert_eq!(fit.data.seconds[0], 47.0 * 3600.0);
}

#[test]
fn compressions() {
    let time = "int64 time (TIMESTAMP(MICROS,true))";
    let zstd = Compression::ZSTD(ZstdLevel::default());
    for compression in [Compression::UNCOMPRESSED, Compression::LZ4_RAW, zstd] {
        is_the_record(&read("", &written(time, Times::Ticks(1_000_000), compression)).unwrap().0);
    }
}

#[test]
fn what_is_wrong_is_named() {
    let time = "int64 time (TIMESTAMP(MICROS,true))";
    let bytes = written(time, Times::Ticks(1_000_000), Compression::SNAPPY);
    let refused = |bytes: &[u8], said: &[&str]| {
        let message = read("", bytes).unwrap_err();
        said.iter().for_each(|s| assert!(message.contains(s), "{message:?} lacks {s:?}"));
    };
    refused(&bytes[..bytes.len() / 2], &["r.parquet: cannot be read as Parquet"]);
    refused(b"time,temperature\n", &["cannot be read as Parquet"]);
    let other = written(&time.replace(" time ", " t "), Times::Ticks(1), Compression::SNAPPY);
    refused(&other, &["no column is called `time`"]);
    let soon = Times::Texts(|i| if i == 120 { "soon".to_owned() } else { hour(i) });
    let bytes = written("binary time (STRING)", soon, Compression::SNAPPY);
    refused(&bytes, &["r.parquet, row 121, column `time`: `soon` is not a time"]);
    let back = Times::Texts(|i| hour(if i == 120 { 7 } else { i }));
    let bytes = written("binary time (STRING)", back, Compression::SNAPPY);
    refused(&bytes, &["row 121, column `time`", "repeats the time of row 8 with other values"]);
}

/// A truncated file is one bearing without a record; the others are read.
#[test]
fn a_truncated_file_of_a_fleet_is_one_bad_record() {
    let ticks = Times::Ticks(1_000_000);
    let bytes = written("int64 time (TIMESTAMP(MICROS,true))", ticks, Compression::UNCOMPRESSED);
    let files = Memory::default().with("a.parquet", &bytes).with("c.parquet", &bytes);
    for cut in [200, bytes.len() / 2, bytes.len() - 3] {
        let files = files.clone().with("b.parquet", &bytes[..bytes.len() - cut]);
        let text = "[data]\nfile = \"*.parquet\"\ntime = \"time\"\ndrive = \"temperature\"\n\
                    response = \"displacement\"\nresponse_unit = \"mm\"\n[model]\nkind = \"thermal-bearing\"\n";
        let document = Document::parse("fleet.toml", text).unwrap();
        let fleet = stickslip_file::FleetFile::read(&document, &Reading::new(files)).unwrap();
        let shelf = fleet.open(0..3).unwrap();
        assert!(shelf.fit(0).is_ok() && shelf.fit(2).is_ok());
        let said = shelf.fit(1).unwrap_err().to_string();
        assert!(said.contains("b.parquet: cannot be read as Parquet"), "{said}");
    }
}
