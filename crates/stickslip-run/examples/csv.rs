//! Reading and writing of tables beside what the crate `csv` alone takes for the same bytes:
//! `cargo run --release -p stickslip-run --example csv`.

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

/// The least of some repeats, in MB/s.
fn rate(bytes: usize, work: impl Fn()) -> f64 {
    let time = |()| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    let least = [(); 9].into_iter().map(time).fold(f64::INFINITY, f64::min);
    bytes as f64 / least / 1e6
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let columns = ["time", "temperature", "displacement"].map(|name| Column::new(name, ""));
    let table = Table::new("record", columns.to_vec(), |rows| {
        (0..ROWS).try_for_each(|i| rows(&row(i).map(Into::into)))
    });
    let mut text = Vec::new();
    table.write_csv(&mut text)?;
    let size = text.len();

    let by_us = rate(size, || {
        let mut out = Vec::with_capacity(size);
        table.write_csv(&mut out).expect("room");
    });
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
    let place =
        Place::new(&Arc::new(Source { name: "fit.toml".into(), text: String::new() }), 0..0);
    let named = |name: &str| Placed { value: name.to_owned(), place: place.clone() };
    let columns = vec![named("temperature"), named("displacement")];
    let wanted = Wanted { place: place.clone(), time: vec![named("time")], columns };
    let reading_us = rate(size, || {
        let record = table::read(&memory, "record.csv", &wanted, &Manner::default());
        assert_eq!(record.expect("a record").seconds.len(), ROWS);
    });
    println!("reading: {reading_us:.0} MB/s, csv with std's parse {reading_csv:.0} MB/s");
    Ok(())
}
