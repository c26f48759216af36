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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

    use super::csv;
    use parquet::data_type::{ByteArrayType, DoubleType, Int64Type};
    use parquet::file::writer::SerializedFileWriter;
    use std::sync::Arc;

    /// One over three and the least number greater than 1 have 16 digits and more; 1e300 has an exponent.
    #[test]
    fn every_value_is_written_so_that_it_is_read_as_the_same() {
        let schema = "message m { required int64 at (TIMESTAMP(MICROS, true)); optional double x; \
                      required binary name (UTF8); }";
        let schema = Arc::new(parquet::schema::parser::parse_message_type(schema).unwrap());
        let mut bytes = Vec::new();
        let mut file = SerializedFileWriter::new(&mut bytes, schema, Arc::default()).unwrap();
        let mut group = file.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let times = [0, 1_500_000, 86_400_000_001, 90_000_000_000];
        column.typed::<Int64Type>().write_batch(&times, None, None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let numbers = [1.0 / 3.0, 1.0 + f64::EPSILON, 1e300];
        column.typed::<DoubleType>().write_batch(&numbers, Some(&[1, 0, 1, 1]), None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let names = ["pier", "a, b", "the \"old\" one", ""].map(Into::into);
        column.typed::<ByteArrayType>().write_batch(&names, None, None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
        file.close().unwrap();
        let text = csv(&crate::Memory::default().with("t.parquet", bytes), "t.parquet").unwrap();
        let want = "at,x,name\n1970-01-01T00:00:00Z,0.3333333333333333,pier\n\
                    1970-01-01T00:00:01.5Z,,\"a, b\"\n\
                    1970-01-02T00:00:00.000001Z,1.0000000000000002,\"the \"\"old\"\" one\"\n\
                    1970-01-02T01:00:00Z,1e300,\n";
        assert_eq!(String::from_utf8(text).unwrap(), want);
    }
}
