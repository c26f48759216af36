//! The table of contents at the end of a file: what each of its structures holds (parquet.thrift of Apache Parquet).
//!
//! The library reads a field that it knows as what it should be, whatever kind the file says that it is. Where these differ it
//! goes on in the middle of something else, takes that for a list, and counts through it for hours. Such a file is refused.

use crate::thrift::{Compact, Result, damaged};
use Inside::{Bool, Byte, Double, List, Number, Struct, Text};

/// What is expected in a field or a list.
#[derive(Clone, Copy)]
enum Inside {
    Bool,
    Byte,
    /// An integer of any width: all are written the same way.
    Number,
    Double,
    Text,
    /// Its fields by their numbers. Others are passed over, by the library too.
    Struct(&'static [(i64, Inside)]),
    List(&'static Inside),
}

const EMPTY: Inside = Struct(&[]);
const NUMBERS: Inside = List(&Number);
const FILE: Inside = Struct(&[
    (1, Number),
    (2, List(&SCHEMA)),
    (3, Number),
    (4, List(&GROUP)),
    (5, List(&Struct(&[(1, Text), (2, Text)]))),
    (6, Text),
    (7, List(&Struct(&[(1, EMPTY), (2, EMPTY)]))),
]);
const SCHEMA: Inside = Struct(&[
    (1, Number),
    (2, Number),
    (3, Number),
    (4, Text),
    (5, Number),
    (6, Number),
    (7, Number),
    (8, Number),
    (9, Number),
    (10, LOGICAL),
]);
const LOGICAL: Inside = Struct(&[
    (1, EMPTY),
    (2, EMPTY),
    (3, EMPTY),
    (4, EMPTY),
    (5, Struct(&[(1, Number), (2, Number)])),
    (6, EMPTY),
    (7, TIME),
    (8, TIME),
    (10, Struct(&[(1, Byte), (2, Bool)])),
    (11, EMPTY),
    (12, EMPTY),
    (13, EMPTY),
    (14, EMPTY),
    (15, EMPTY),
    (16, Struct(&[(1, Byte)])),
    (17, Struct(&[(1, Text)])),
    (18, Struct(&[(1, Text), (2, Number)])),
    (19, EMPTY),
]);
const TIME: Inside = Struct(&[(1, Bool), (2, Struct(&[(1, EMPTY), (2, EMPTY), (3, EMPTY)]))]);
const GROUP: Inside = Struct(&[
    (1, List(&CHUNK)),
    (2, Number),
    (3, Number),
    (4, List(&Struct(&[(1, Number), (2, Bool), (3, Bool)]))),
    (5, Number),
    (6, Number),
    (7, Number),
]);
const CHUNK: Inside = Struct(&[
    (1, Text),
    (2, Number),
    (3, COLUMN),
    (4, Number),
    (5, Number),
    (6, Number),
    (7, Number),
]);
const COLUMN: Inside = Struct(&[
    (1, Number),
    (2, NUMBERS),
    (4, Number),
    (5, Number),
    (6, Number),
    (7, Number),
    (9, Number),
    (10, Number),
    (11, Number),
    (12, STATISTICS),
    (13, List(&Struct(&[(1, Number), (2, Number), (3, Number)]))),
    (14, Number),
    (15, Number),
    (16, Struct(&[(1, Number), (2, NUMBERS), (3, NUMBERS)])),
    (17, Struct(&[(1, BOX), (2, NUMBERS)])),
]);
const STATISTICS: Inside = Struct(&[
    (1, Text),
    (2, Text),
    (3, Number),
    (4, Number),
    (5, Text),
    (6, Text),
    (7, Bool),
    (8, Bool),
    (9, Number),
]);
const BOX: Inside = Struct(&[
    (1, Double),
    (2, Double),
    (3, Double),
    (4, Double),
    (5, Double),
    (6, Double),
    (7, Double),
    (8, Double),
]);

/// Looks through a table of contents.
pub fn check(contents: &[u8]) -> Result<()> {
    expect(&mut Compact::new(contents), Compact::STRUCT, FILE, 0)
}

/// Goes beyond the statistics in the header of a page, which are those of a column.
pub fn check_statistics(reader: &mut Compact<'_>, kind: u8) -> Result<()> {
    expect(reader, kind, STATISTICS, 2)
}

/// Goes beyond a value that is to be what is expected.
fn expect(reader: &mut Compact<'_>, kind: u8, inside: Inside, depth: usize) -> Result<()> {
    let fits = match inside {
        Bool => matches!(kind, Compact::TRUE | Compact::FALSE),
        Byte => kind == Compact::BYTE,
        Number => (Compact::I16..=Compact::I64).contains(&kind),
        Double => kind == Compact::DOUBLE,
        Text => kind == Compact::BINARY,
        Struct(_) => kind == Compact::STRUCT,
        List(_) => kind == Compact::LIST,
    };
    if !fits {
        return Err(damaged("a field is of another kind than the format says"));
    }
    match inside {
        Struct(fields) => {
            reader.fields(&mut |reader, field, kind| match fields.iter().find(|f| f.0 == field) {
                Some(&(_, inside)) => expect(reader, kind, inside, depth + 1),
                None => reader.skip(kind, depth + 1),
            })
        }
        List(inside) => reader.list(&mut |reader, kind| expect(reader, kind, *inside, depth + 1)),
        _ => reader.skip(kind, depth),
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn a_field_that_is_not_what_it_should_be_is_refused() {
        // The version, field 1, is a number; unknown fields are passed over.
        let passed: [&[u8]; 3] = [&[0x15, 4, 0], &[0x16, 4, 0], &[0x15, 4, 0xe8, 1, b'x', 0]];
        assert!(passed.iter().all(|contents| check(contents).is_ok()));
        let double: &[u8] = &[0x17, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let cut: &[u8] = &[0x15];
        // Field 5, a list of one pair of texts, of which the first is said to be a number.
        let key: &[u8] = &[0x59, 0x1c, 0x15, 4, 0, 0];
        assert!([double, cut, key].iter().all(|contents| check(contents).is_err()));
        let text: &[u8] = &[0x59, 0x1c, 0x18, 1, b'x', 0, 0];
        assert!(check(text).is_ok());
    }
}
