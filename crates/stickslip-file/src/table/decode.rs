//! From the bytes of a file to UTF-8 text: compressed files and UTF-16 are recognised by their first
//! bytes.

use crate::diagnostic::{Diagnostic, Result};
use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

/// The first two bytes of every file that gzip has compressed (RFC 1952).
const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Longest row of a table, bytes.
pub const LONGEST: usize = 1 << 20;

/// So much of a file is looked at to find out how it is written.
const HEAD: usize = 1 << 16;

#[cfg(feature = "parquet")]
const PARQUET: &str = "a Parquet file, although its name does not end in .parquet";
#[cfg(not(feature = "parquet"))]
const PARQUET: &str = "a Parquet file, which is not available in this version";

/// The text of a file: its beginning, and all of it.
pub struct Text<'a> {
    /// The first rows.
    pub head: Vec<u8>,
    /// Everything, the beginning included.
    pub all: Chain<Cursor<Vec<u8>>, Box<dyn BufRead + 'a>>,
}

/// The text in `bytes`; `name` is what messages call the file.
pub fn decode<'a>(name: &str, bytes: Box<dyn BufRead + 'a>) -> Result<Text<'a>> {
    let unreadable = |e: io::Error| Diagnostic::new(format!("{name}: cannot be read: {e}"));
    let (mut start, mut bytes) = peek(bytes, 4).map_err(unreadable)?;
    if start.starts_with(&MAGIC) {
        let plain = MultiGzDecoder::new(Cursor::new(start).chain(bytes));
        let damaged = |e| unreadable(e).help("the compressed file is damaged: unpack it by hand");
        (start, bytes) =
            peek(Box::new(BufReader::with_capacity(HEAD, plain)), 4).map_err(damaged)?;
    }
    let wide = match start.as_slice() {
        [0xff, 0xfe, ..] => Some(u16::from_le_bytes as fn([u8; 2]) -> u16),
        [0xfe, 0xff, ..] => Some(u16::from_be_bytes as fn([u8; 2]) -> u16),
        // Without a mark: a letter, a zero, a letter, a zero.
        [a, 0, b, 0] if *a != 0 && *b != 0 => Some(u16::from_le_bytes as fn([u8; 2]) -> u16),
        [0, a, 0, b] if *a != 0 && *b != 0 => Some(u16::from_be_bytes as fn([u8; 2]) -> u16),
        _ => None,
    };
    if let Some(unit) = wide {
        let wide = Wide { from: Cursor::new(start).chain(bytes), unit, text: Vec::new(), at: 0 };
        (start, bytes) = (Vec::new(), Box::new(BufReader::with_capacity(HEAD, wide)));
    }
    let is_end = |b: &u8| matches!(b, b'\n' | b'\r');
    let mut head = start;
    while head.len() < HEAD || (head.len() <= LONGEST && !head.iter().any(is_end)) {
        let more = bytes.fill_buf().map_err(unreadable)?;
        let count = more.len();
        if count == 0 {
            break;
        }
        head.extend_from_slice(more);
        bytes.consume(count);
    }
    if head.starts_with(&[0xEF, 0xBB, 0xBF]) {
        head.drain(..3);
    }
    if head.len() > LONGEST && !head.iter().any(is_end) {
        return Err(too_long(name, 1));
    }
    Ok(Text { all: Cursor::new(head.clone()).chain(bytes), head })
}

/// The text that a file begins with, of its first bytes, which may end anywhere.
pub fn beginning(name: &str, bytes: &[u8]) -> Result<Vec<u8>> {
    if !bytes.starts_with(&MAGIC) {
        return Ok(decode(name, Box::new(bytes))?.head);
    }
    let mut plain = Vec::new();
    // Where the bytes end inside a member, what came before is there.
    let _ = MultiGzDecoder::new(bytes).take(HEAD as u64).read_to_end(&mut plain);
    Ok(decode(name, Box::new(plain.as_slice()))?.head)
}

/// A row without end.
pub fn too_long(name: &str, line: u64) -> Diagnostic {
    Diagnostic::new(format!("{name}, line {line}: longer than 1 MiB; expected a row of a table"))
        .help("check that this is a CSV file with line ends, and that every quote is closed")
}

/// The first `count` bytes, and the rest.
fn peek<'a>(
    mut bytes: Box<dyn BufRead + 'a>,
    count: u64,
) -> io::Result<(Vec<u8>, Box<dyn BufRead + 'a>)> {
    let mut start = Vec::new();
    (&mut bytes).take(count).read_to_end(&mut start)?;
    Ok((start, bytes))
}

/// UTF-16 read as UTF-8.
struct Wide<R> {
    from: R,
    unit: fn([u8; 2]) -> u16,
    text: Vec<u8>,
    at: usize,
}

impl<R: Read> Read for Wide<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.at == self.text.len() {
            self.refill()?;
        }
        let count = out.len().min(self.text.len() - self.at);
        out[..count].copy_from_slice(&self.text[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

impl<R: Read> Wide<R> {
    fn refill(&mut self) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(HEAD);
        (&mut self.from).take(HEAD as u64).read_to_end(&mut bytes)?;
        let mut units: Vec<u16> =
            bytes.chunks_exact(2).map(|pair| (self.unit)([pair[0], pair[1]])).collect();
        // A character may be cut in two at the end of the block.
        if units.last().is_some_and(|u| (0xD800..0xDC00).contains(u)) {
            let mut pair = [0; 2];
            if self.from.read_exact(&mut pair).is_ok() {
                units.push((self.unit)(pair));
            }
        }
        self.text.clear();
        self.at = 0;
        for c in char::decode_utf16(units) {
            let c = c.unwrap_or(char::REPLACEMENT_CHARACTER);
            self.text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        Ok(())
    }
}

/// Whether a file begins as a workbook of Excel does: a ZIP archive with parts of one, or the container of older versions.
fn is_workbook(head: &[u8]) -> bool {
    const OLDER: [u8; 8] = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
    let holds = |part: &[u8]| head.windows(part.len()).any(|w| w == part);
    let parts = || holds(b"[Content_Types].xml") || holds(b"xl/");
    head.starts_with(&OLDER) || head.starts_with(b"PK\x03\x04") && parts()
}

/// Complains about a beginning that cannot be that of a CSV file.
pub fn refuse_other_formats(name: &str, head: &[u8]) -> Result<()> {
    let first = head.split(|b| matches!(b, b'\n' | b'\r')).next().unwrap_or(head);
    let what = if head.starts_with(b"PAR1") {
        PARQUET
    } else if is_workbook(head) {
        let message = format!("{name}: this is an Excel workbook; expected CSV text");
        return Err(Diagnostic::new(message).help(format!(
            "save its sheet as CSV: in Excel by File, Save As, `CSV UTF-8`; without Excel by `soffice --headless --convert-to csv {name}`; \
             in Python give the frame of `pandas.read_excel(\"{name}\")` itself"
        )));
    } else if head.starts_with(b"PK\x03\x04") {
        "a spreadsheet or archive"
    } else if first.contains(&0) {
        "a binary file"
    } else {
        return Ok(());
    };
    Err(Diagnostic::new(format!("{name}: this is {what}; expected CSV text"))
        .help("export the table as CSV in UTF-8, with a header row"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::GzEncoder;
    use flate2::{Compression, GzBuilder};
    use std::io::Write;

    fn text(bytes: &[u8]) -> String {
        let mut all = String::new();
        decode("f", Box::new(bytes)).unwrap().all.read_to_string(&mut all).unwrap();
        all
    }

    #[test]
    fn a_workbook_is_told_from_an_archive() {
        let told = |head: &[u8]| refuse_other_formats("a.xlsx", head).unwrap_err();
        for head in [
            b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0[Content_Types].xml".as_slice(),
            b"PK\x03\x04\x14\0\0\0\x08\0xl/worksheets/sheet1.xml",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0",
        ] {
            let said = told(head);
            assert!(said.to_string().contains("an Excel workbook"), "{said}");
            let help = said.help_text().unwrap();
            assert!(help.contains("CSV UTF-8") && help.contains("soffice"), "{help}");
        }
        let archive = told(b"PK\x03\x04\x14\0\0\0\x08\0a.csv");
        assert!(archive.to_string().contains("a spreadsheet or archive"), "{archive}");
        assert!(refuse_other_formats("a.csv", b"time,x\n0,1\n").is_ok());
    }

    #[test]
    fn wide_characters_and_marks_are_understood() {
        let plain = "time,Δ °C,𝛽\n1,2,3\n".repeat(20_000);
        let units = || plain.encode_utf16();
        let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
        assert_eq!(text(&little), plain);
        assert_eq!(text(&big), plain);
        let marked = |mark: [u8; 2], rest: &[u8]| [&mark, rest].concat();
        assert_eq!(text(&marked([0xff, 0xfe], &little)), plain);
        assert_eq!(text(&marked([0xfe, 0xff], &big)), plain);
        assert_eq!(text("\u{feff}a,b".as_bytes()), "a,b");
        assert_eq!(text(b""), "");
    }

    #[test]
    fn a_line_without_end_is_refused_in_bounded_memory() {
        let endless = Box::new(BufReader::new(io::repeat(b'1')));
        let message = decode("endless", endless).err().unwrap().to_string();
        assert!(message.contains("endless, line 1: longer than 1 MiB"), "{message}");
    }

    fn packed(content: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    /// All of the text of a file that gzip has compressed.
    fn unpacked(file: &[u8]) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        let text = decode("a.csv.gz", Box::new(file));
        text.map_err(|d| io::Error::other(d.to_string()))?.all.read_to_end(&mut all)?;
        Ok(all)
    }

    #[test]
    fn compressed_members_follow_each_other_and_headers_may_hold_more() {
        let text = "0,1.5\n".repeat(30_000).into_bytes();
        assert_eq!(unpacked(&packed(&text)).unwrap(), text);
        assert_eq!(unpacked(&packed(b"")).unwrap(), b"");
        let named = GzBuilder::new().filename("a.csv").comment("c").extra([1, 2, 3]);
        let mut named = named.write(Vec::new(), Compression::best());
        named.write_all(b"end").unwrap();
        let two = [packed(&text), packed(b""), named.finish().unwrap()].concat();
        assert_eq!(unpacked(&two).unwrap(), [&text[..], b"end"].concat());
    }

    #[test]
    fn damage_of_a_compressed_file_is_found() {
        let whole = packed(&b"0,1.5\n".repeat(100));
        // A file of two bytes or less is too short to be known as a compressed one.
        for length in 2..whole.len() {
            assert!(unpacked(&whole[..length]).is_err(), "{length}");
        }
        // The check sum and the length at the end.
        for at in whole.len() - 8..whole.len() {
            let mut wrong = whole.clone();
            wrong[at] ^= 4;
            assert!(unpacked(&wrong).is_err(), "{at}");
        }
        assert!(unpacked(&[&whole[..], b"something else"].concat()).is_err());
    }

    #[test]
    fn the_beginning_of_a_compressed_file_is_what_its_first_bytes_hold() {
        let text = "0,1.5\n".repeat(30_000).into_bytes();
        let whole = packed(&text);
        let half = beginning("a.csv.gz", &whole[..whole.len() / 2]).unwrap();
        assert!(half.len() > 1000 && text.starts_with(&half), "{}", half.len());
    }
}
