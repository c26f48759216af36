//! A table in Parquet as the text of a CSV file.

use super::{Column, Opened, text};
use crate::diagnostic::Result;
use crate::place::{Place, Source};
use crate::resources::Resources;
use std::io::Write;
use std::sync::Arc;

/// The Parquet file `name` as the text of a CSV file that is read with the same numbers: each number is the shortest one that is
/// read as the same, a time is written as in ISO 8601 (with `Z` where the file says that it is one of UTC), and a value that is
/// missing is empty. So is a column of lists or pictures, which no fit file can name.
///
/// A program whose reader of Parquet is apart from the rest hands this text on, and says so by
/// [`Resources::is_converted`].
///
/// # Errors
/// Where the file cannot be read as Parquet.
pub fn csv(resources: &dyn Resources, name: &str) -> Result<Vec<u8>> {
    let source = Arc::new(Source { name: name.to_owned(), text: String::new() });
    let file = Opened::new(resources, name, &Place::new(&source, 0..0))?;
    let mut out = Vec::new();
    line(&mut out, file.header.iter().map(|name| quoted(name)));
    for group in 0..file.groups() {
        let read: Vec<_> = (0..file.header.len()).map(|c| file.column(group, c).ok()).collect();
        for i in 0..usize::try_from(file.rows(group)).unwrap_or(0) {
            line(&mut out, read.iter().map(|c| c.as_ref().map_or(String::new(), |c| field(c, i))));
        }
    }
    Ok(out)
}

fn line(out: &mut Vec<u8>, fields: impl Iterator<Item = String>) {
    for (i, field) in fields.enumerate() {
        // Memory never refuses.
        let _ = write!(out, "{}{field}", if i > 0 { "," } else { "" });
    }
    out.push(b'\n');
}

fn field(column: &Column, i: usize) -> String {
    match column {
        Column::Numbers(x) if x[i].is_nan() => String::new(),
        // With an exponent where the digits would be many.
        Column::Numbers(x) => format!("{:?}", x[i]),
        other => quoted(&text(other, i)),
    }
}

fn quoted(text: &str) -> String {
    match text.contains([',', ';', '"', '\t', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
