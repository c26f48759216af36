//! A record, and the ways to write it into a file.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use stickslip_file::fit::{Fit, Records};
use stickslip_file::{Document, FitFile, Memory, Reading};

/// Rows of the record: three weeks of hours.
pub const ROWS: usize = 504;

pub const DATA: &str = "file = \"r.csv\"\ntime = \"time\"\ndrive = \"temperature\"\n\
                    response = \"displacement\"\nresponse_unit = \"mm\"\n";

/// °C.
pub fn temperature(i: usize) -> f64 {
    (900.0 * (0.26 * i as f64).sin()).round() / 100.0
}

/// mm.
pub fn displacement(i: usize) -> f64 {
    (3000.0 * (0.26 * i as f64 + 0.3).sin()).round() / 1000.0 + 4.0
}

/// Day of January 2013 and hour.
pub fn day(i: usize) -> (usize, usize) {
    (1 + i / 24, i % 24)
}

pub fn iso(i: usize) -> String {
    let (day, hour) = day(i);
    format!("2013-01-{day:02}T{hour:02}:00:00Z")
}

pub fn row(i: usize) -> String {
    format!("{},{},{}", iso(i), temperature(i), displacement(i))
}

/// A table with this header and these rows.
pub fn table(header: &str, row: impl Fn(usize) -> String) -> String {
    let rows: Vec<String> = (0..ROWS).map(row).collect();
    format!("{header}\n{}\n", rows.join("\n"))
}

pub fn plain() -> String {
    table("time,temperature,displacement", row)
}

pub fn comma(x: f64) -> String {
    x.to_string().replace('.', ",")
}

pub fn fit_of(data: &str, files: &[(&str, &[u8])]) -> Result<(Fit, Vec<String>), String> {
    let text = format!("[data]\n{data}\n[model]\nkind = \"thermal-bearing\"\n");
    let mut memory = Memory::default();
    files.iter().for_each(|f| memory.insert(f.0, f.1));
    let document = Document::parse("fit.toml", text).map_err(|e| e.to_string())?;
    let read = FitFile::read(&document, &Reading::new(memory));
    let file = read.map_err(|e| format!("{e} help: {}", e.help_text().unwrap_or_default()))?;
    match file.records {
        Records::Bearings { mut fits, .. } => {
            Ok((fits.remove(0), [file.notices, file.warnings].concat()))
        }
        other => Err(format!("{other:?}")),
    }
}

#[track_caller]
pub fn is_the_record(fit: &Fit) {
    let data = &fit.data;
    assert_eq!(data.seconds.len(), ROWS);
    for i in 0..ROWS {
        assert!((data.seconds[i] - 3600.0 * i as f64).abs() < 1e-6, "row {i}: {}", data.seconds[i]);
        let [t, z] = [data.drive_values[i], 1e3 * data.response_values[i]];
        assert!((t - temperature(i)).abs() < 1e-9, "row {i}: {t} °C");
        assert!((z - displacement(i)).abs() < 1e-9, "row {i}: {z} mm");
    }
}

pub fn with(more: &str) -> String {
    format!("{DATA}{more}\n")
}

/// The usual keys with other values.
pub fn but(from: &str, to: &str) -> String {
    assert!(DATA.contains(from));
    DATA.replace(from, to)
}

pub fn gzip(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes.as_ref()).unwrap();
    encoder.finish().unwrap()
}

pub fn wide(text: &str, little: bool) -> Vec<u8> {
    let bytes = |u: u16| if little { u.to_le_bytes() } else { u.to_be_bytes() };
    text.encode_utf16().flat_map(bytes).collect()
}
