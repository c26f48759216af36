//! Heat maps: a grid of values as a picture of one pixel a cell.

use super::numbers::{Numbers, range};
use super::palette::{Ink, viridis};
use super::text::Text;
use std::borrow::Cow;

/// The page on which a picture lies: its pixels, other than everything else, cannot take their colours from the reader's setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Page {
    Light,
    Dark,
}

/// Values over a rectangle, drawn in viridis with a colour bar.
#[derive(Debug, Clone)]
pub struct Heat<'a> {
    pub(crate) x: (f64, f64),
    pub(crate) y: (f64, f64),
    pub(crate) columns: usize,
    pub(crate) values: Numbers<'a>,
    pub(crate) label: Text,
    pub(crate) unit: String,
    pub(crate) log: bool,
    /// Whether the values are numbers of classes, which have the inks of series.
    pub(crate) classes: bool,
    /// Makes the picture, [`png`]: named here, a program that draws no heat map holds no compressor.
    drawn: fn(usize, &[u8], Page) -> Vec<u8>,
}

impl<'a> Heat<'a> {
    /// Cells of equal size over `x` × `y`, row by row from low y to high, `columns` in a row; a
    /// non-finite value leaves its cell empty.
    pub fn new(
        x: (f64, f64),
        y: (f64, f64),
        columns: usize,
        values: impl Into<Cow<'a, [f64]>>,
    ) -> Self {
        let proper = |(a, b): (f64, f64)| a < b && (b - a).is_finite();
        let unit = (0.0, 1.0);
        // An empty rectangle has no cells.
        let (x, y, values) = if proper(x) && proper(y) {
            (x, y, values.into())
        } else {
            (unit, unit, vec![].into())
        };
        Self {
            x,
            y,
            columns: columns.max(1),
            values,
            label: Text::default(),
            unit: String::new(),
            log: false,
            classes: false,
            drawn: png,
        }
    }

    /// What the colours mean.
    pub fn label(mut self, label: impl Into<Text>, unit: impl Into<String>) -> Self {
        (self.label, self.unit) = (label.into(), unit.into());
        self
    }

    /// Values are the numbers of classes from 1 on, or [`NO_CLASS`]: cells have the inks of the series, and there is no colour bar.
    /// The legend belongs to whoever names the classes.
    pub fn classes(mut self) -> Self {
        (self.classes, self.drawn) = (true, png_of_classes);
        self
    }

    /// Colours by the logarithm; values ≤ 0 leave their cells empty.
    pub fn log(mut self) -> Self {
        self.log = true;
        self
    }

    /// Whether the values are counts: all of them whole. Then the bar has no tick between two of them.
    pub(crate) fn is_whole(&self) -> bool {
        !self.log && self.values.iter().all(|v| !v.is_finite() || v.fract() == 0.0)
    }

    /// Least and greatest value shown.
    pub(crate) fn range(&self) -> Option<(f64, f64)> {
        if !self.log {
            return range(&self.values);
        }
        let shown: Vec<f64> = self.values.iter().copied().filter(|v| *v > 0.0).collect();
        range(&shown)
    }

    /// A PNG as a data address. Cells beyond 400 in a direction are joined; a joined cell shows its least
    /// value, so that a narrow minimum is not lost.
    pub(crate) fn data_url(&self, page: Page) -> Option<String> {
        const MOST: usize = 400;
        let (low, high) = self.range()?;
        let rows = self.values.len() / self.columns;
        if rows == 0 {
            return None;
        }
        let join = |n: usize| n.div_ceil(MOST);
        let by = join(rows);
        let bx = join(self.columns);
        let height = rows.div_ceil(by);
        let width = self.columns.div_ceil(bx);
        let mut cells = vec![f64::INFINITY; width * height];
        for (i, &v) in self.values[..rows * self.columns].iter().enumerate() {
            let row = i / self.columns;
            let column = i % self.columns;
            // Row 0 of a picture is at the top.
            let cell = &mut cells[(height - 1 - row / by) * width + column / bx];
            if v.is_finite() {
                *cell = cell.min(v);
            }
        }
        let index = |v: f64| {
            if self.classes {
                return if v.is_finite() { 1 + (v as u8).min(250) } else { 0 };
            }
            let s = if self.log {
                (v / low).ln() / (high / low).ln()
            } else {
                (v - low) / (high - low)
            };
            match v.is_finite() && (!self.log || v > 0.0) {
                true if s.is_nan() => 1,
                true => 1 + (s.clamp(0.0, 1.0) * 254.0).round() as u8,
                false => 0,
            }
        };
        let pixels: Vec<u8> = cells.into_iter().map(index).collect();
        Some(format!(
            "data:image/png;base64,{}",
            crate::base64::encode(&(self.drawn)(width, &pixels, page))
        ))
    }
}

/// The value of a cell that is in no class.
pub const NO_CLASS: f64 = 0.0;

/// A PNG with viridis as its palette, the same on every page; index 0 is transparent.
fn png(width: usize, pixels: &[u8], _: Page) -> Vec<u8> {
    picture(width, pixels, (0..255).map(|i| viridis(f64::from(i) / 254.0)))
}

/// A PNG with grey for no class and the inks of classes for the others; index 0 is transparent.
fn png_of_classes(width: usize, pixels: &[u8], page: Page) -> Vec<u8> {
    let class = |i: usize| match i {
        0 => Ink::Grey.rgb(page == Page::Dark),
        i => Ink::class(i - 1).rgb(page == Page::Dark),
    };
    picture(width, pixels, (0..255).map(class))
}

/// A PNG of indices into a palette, of which index 0 is transparent and not listed.
fn picture(width: usize, pixels: &[u8], colours: impl Iterator<Item = [u8; 3]>) -> Vec<u8> {
    let height = pixels.len() / width;
    let mut raw = Vec::with_capacity(pixels.len() + height);
    for row in pixels.chunks_exact(width) {
        raw.push(0);
        raw.extend_from_slice(row);
    }
    let mut header = Vec::new();
    header.extend((width as u32).to_be_bytes());
    header.extend((height as u32).to_be_bytes());
    // 8 bits, palette, the only compression, the only filter method, not interlaced.
    header.extend([8, 3, 0, 0, 0]);
    let palette: Vec<u8> = [[0; 3]].into_iter().chain(colours).flatten().collect();
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let parts: [(&[u8; 4], &[u8]); 5] = [
        (b"IHDR", &header),
        (b"PLTE", &palette),
        (b"tRNS", &[0]),
        (b"IDAT", &miniz_oxide::deflate::compress_to_vec_zlib(&raw, 9)),
        (b"IEND", &[]),
    ];
    for (name, data) in parts {
        out.extend((data.len() as u32).to_be_bytes());
        let start = out.len();
        out.extend_from_slice(name);
        out.extend_from_slice(data);
        let sum = crc32(&out[start..]);
        out.extend(sum.to_be_bytes());
    }
    out
}

/// The check sum of PNG, bit by bit: the pictures are small.
fn crc32(data: &[u8]) -> u32 {
    !data.iter().fold(!0, |crc, &byte| {
        (0..8).fold(
            crc ^ u32::from(byte),
            |c, _| if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 },
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_sum_is_the_known_one() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b"IEND"), 0xae42_6082);
    }

    #[test]
    fn a_rectangle_without_an_inside_is_empty() {
        for x in [(f64::NEG_INFINITY, 1.0), (-f64::MAX, f64::MAX), (1.0, 1.0), (0.0, f64::NAN)] {
            assert_eq!(Heat::new(x, (0.0, 1.0), 1, vec![1.0]).data_url(Page::Light), None);
        }
    }

    #[test]
    fn classes_have_their_inks_on_both_pages() {
        let heat = || Heat::new((0.0, 1.0), (0.0, 1.0), 2, vec![1.0, 2.0]);
        let [light, dark] = [Page::Light, Page::Dark].map(|page| heat().classes().data_url(page));
        assert_ne!(light, dark);
        assert_eq!(heat().data_url(Page::Light), heat().data_url(Page::Dark));
        // What the legend draws in CSS is what the cells have.
        let (_, bright) = Ink::class(1).colours();
        let hex = Ink::class(1).rgb(true).map(|c| format!("{c:02x}")).concat();
        assert_eq!(bright, format!("#{hex}"));
    }

    #[test]
    fn a_minimum_survives_joining() {
        let mut values = vec![1.0; 1000 * 1000];
        values[777_777] = 0.0;
        let heat = Heat::new((0.0, 1.0), (0.0, 1.0), 1000, values);
        let with = heat.data_url(Page::Light).unwrap();
        assert!(with.len() < 20_000);
        let without = Heat::new((0.0, 1.0), (0.0, 1.0), 1000, vec![1.0; 1_000_000])
            .data_url(Page::Light)
            .unwrap();
        assert_ne!(with, without);
        assert_eq!(
            Heat::new((0.0, 1.0), (0.0, 1.0), 3, vec![f64::NAN; 9]).data_url(Page::Light),
            None
        );
        assert_eq!(Heat::new((0.0, 1.0), (0.0, 1.0), 3, vec![]).data_url(Page::Light), None);
    }
}
