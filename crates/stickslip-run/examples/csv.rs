//! Reading and writing of tables beside what the crate `csv` alone takes for the same bytes, and how both grow with the number of
//! rows: `cargo run --release -p stickslip-run --example csv`.

#![allow(clippy::disallowed_methods, reason = "an example makes data as its user would")]

use std::sync::Arc;
use std::time::Instant;
use stickslip_file::table::{self, Manner, Wanted};
use stickslip_file::{Memory, Place, Placed, Source};
use stickslip_run::product::{Column, Table};

const ROWS: usize = 300_000;

fn row(i: usize) -> [f64; 3] {
    let t = i as f64;
    [300.0 * t, 20.0 + 9.0 * (0.001 * t).sin(), 0.01 * (0.0007 * t).cos()]
}

/// The least of some repeats, s.
fn least(work: impl Fn()) -> f64 {
    let time = |()| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    [(); 9].into_iter().map(time).fold(f64::INFINITY, f64::min)
}

/// In MB/s.
fn rate(bytes: usize, work: impl Fn()) -> f64 {
    bytes as f64 / least(work) / 1e6
}

fn table(rows: usize) -> Table {
    let columns = ["time", "temperature", "displacement"].map(|name| Column::new(name, ""));
    Table::new("record", columns.to_vec(), move |out| {
        (0..rows).try_for_each(|i| out(&row(i).map(Into::into)))
    })
}

fn write(table: &Table, out: &mut Vec<u8>) {
    out.clear();
    table.write_csv(out).expect("room");
}

/// The two columns of `record.csv` beside its times.
fn read(memory: &Memory, rows: usize) {
    let place =
        Place::new(&Arc::new(Source { name: "fit.toml".into(), text: String::new() }), 0..0);
    let named = |name: &str| Placed { value: name.to_owned(), place: place.clone() };
    let columns = vec![named("temperature"), named("displacement")];
    let wanted =
        Wanted { place: place.clone(), time: vec![named("time")], columns, says: Vec::new() };
    let record = table::read(memory, "record.csv", &wanted, &Manner::default());
    assert_eq!(record.expect("a record").seconds.len(), rows);
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut text = Vec::new();
    write(&table(ROWS), &mut text);
    let size = text.len();

    let by_us = rate(size, || write(&table(ROWS), &mut Vec::with_capacity(size)));
    let by_csv = rate(size, || {
        let mut out = csv::Writer::from_writer(Vec::with_capacity(size));
        (0..ROWS).for_each(|i| out.serialize(row(i)).expect("room"));
    });
    println!("writing: {by_us:.0} MB/s, csv with serde {by_csv:.0} MB/s");

    let reading_csv = rate(size, || {
        let (mut reader, mut record) =
            (csv::Reader::from_reader(&text[..]), csv::ByteRecord::new());
        let mut columns = [const { Vec::new() }; 3];
        while reader.read_byte_record(&mut record).expect("a row") {
            for (column, field) in columns.iter_mut().zip(&record) {
                let field = std::str::from_utf8(field).expect("text");
                column.push(field.parse::<f64>().expect("a number"));
            }
        }
    });
    let memory = Memory::default().with("record.csv", &text);
    let reading_us = rate(size, || read(&memory, ROWS));
    println!("reading: {reading_us:.0} MB/s, csv with std's parse {reading_csv:.0} MB/s");

    for rows in [1_000, 10_000, 100_000, 1_000_000] {
        let time = least(|| write(&table(rows), &mut Vec::new()));
        println!("writing a table of three columns | rows | {rows} | {time:e}");
        write(&table(rows), &mut text);
        let memory = Memory::default().with("record.csv", &text);
        println!("reading it | rows | {rows} | {:e}", least(|| read(&memory, rows)));
    }
    Ok(())
}
