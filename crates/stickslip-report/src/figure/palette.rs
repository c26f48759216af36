//! Colours: Okabe and Ito's palette, safe for colour-blind readers, in a light and a dark cut.

/// What a mark is drawn with. The page decides the colour: light or dark by the reader's setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ink {
    /// The first series.
    #[default]
    Blue,
    /// The second series.
    Vermillion,
    /// The third series.
    Green,
    /// The fourth series.
    Orange,
    /// The fifth series.
    Purple,
    /// The sixth series.
    Sky,
    /// Like the text.
    Black,
    /// Reference lines, phases.
    Grey,
}

/// All inks: (ink, class suffix, light, dark).
const INKS: [(Ink, char, &str, &str); 8] = [
    (Ink::Blue, 'b', "#0072b2", "#5aa9e6"),
    (Ink::Vermillion, 'v', "#d55e00", "#ff8548"),
    (Ink::Green, 'g', "#009e73", "#2fc99b"),
    (Ink::Orange, 'o', "#e69f00", "#f5bd41"),
    (Ink::Purple, 'p', "#b5568a", "#e59cc6"),
    (Ink::Sky, 's', "#56b4e9", "#a5dcff"),
    (Ink::Black, 'k', "#1b1f24", "#e6e9ee"),
    (Ink::Grey, 'y', "#6b7380", "#9aa3b0"),
];

impl Ink {
    /// The ink of the i-th series; it starts over after six.
    pub fn series(i: usize) -> Self {
        INKS[i % 6].0
    }

    /// The ink of the i-th class of a map: neighbours differ in lightness, so that they are told apart in print without colours.
    pub fn class(i: usize) -> Self {
        [Self::Blue, Self::Orange, Self::Green, Self::Sky, Self::Vermillion, Self::Purple][i % 6]
    }

    fn row(self) -> (Self, char, &'static str, &'static str) {
        INKS[self as usize]
    }

    /// Red, green and blue on a light or a dark page.
    pub(crate) fn rgb(self, dark: bool) -> [u8; 3] {
        let (light, night) = self.colours();
        let colour = if dark { night } else { light };
        let all = u32::from_str_radix(&colour[1..], 16).unwrap_or_default();
        [16, 8, 0].map(|shift| (all >> shift) as u8)
    }

    /// Letter of the CSS classes `s…` (stroke) and `f…` (fill).
    pub(crate) fn letter(self) -> char {
        self.row().1
    }

    /// Colour on a light and on a dark page.
    pub fn colours(self) -> (&'static str, &'static str) {
        (self.row().2, self.row().3)
    }
}

/// Background, axis, grid and text, light and dark.
const PAGE: [(&str, &str, &str); 5] = [
    (".bg{fill:", "#ffffff", "#14171c"),
    (".ax{fill:none;stroke:", "#59616d", "#9aa3b0"),
    (".gr{fill:none;stroke:", "#e3e6ea", "#2b3038"),
    ("text{fill:", "#1b1f24", "#e6e9ee"),
    (".ha{paint-order:stroke;stroke-width:4px;stroke-linejoin:round;stroke:", "#ffffff", "#14171c"),
];

/// The style sheet of a figure. Rules with literal colours, since some viewers know no variables;
/// paper is always light.
pub(crate) fn style() -> String {
    let sheet = |dark: bool| {
        let pick = |light: &'static str, night: &'static str| if dark { night } else { light };
        let mut css = String::new();
        for (rule, light, night) in PAGE {
            css += &format!(".ss {rule}{}}}", pick(light, night));
        }
        for (_, letter, light, night) in INKS {
            let c = pick(light, night);
            css += &format!(".ss .s{letter}{{stroke:{c}}}.ss .f{letter}{{fill:{c}}}");
        }
        css
    };
    format!(
        "<style>.ss text{{font-family:'Helvetica Neue',Arial,'Liberation Sans','DejaVu Sans',sans-serif}}\
         .ss .t{{font-weight:bold}}.ss .n{{fill:none;stroke-linejoin:round}}{}\
         @media screen and (prefers-color-scheme:dark){{{}}}</style>\n",
        sheet(false),
        sheet(true)
    )
}

/// Control points of viridis (van der Walt and Smith, CC0), equally spaced.
const VIRIDIS: [[u8; 3]; 9] = [
    [0x44, 0x01, 0x54],
    [0x47, 0x2d, 0x7b],
    [0x3b, 0x52, 0x8b],
    [0x2c, 0x72, 0x8e],
    [0x21, 0x91, 0x8c],
    [0x28, 0xae, 0x80],
    [0x5e, 0xc9, 0x62],
    [0xad, 0xdc, 0x30],
    [0xfd, 0xe7, 0x25],
];

/// Colour of s ∈ [0, 1] in viridis, as red, green, blue.
pub fn viridis(s: f64) -> [u8; 3] {
    let s = if s.is_nan() { 0.0 } else { s.clamp(0.0, 1.0) } * (VIRIDIS.len() - 1) as f64;
    let i = (s as usize).min(VIRIDIS.len() - 2);
    let f = s - i as f64;
    std::array::from_fn(|c| {
        let a = f64::from(VIRIDIS[i][c]);
        let b = f64::from(VIRIDIS[i + 1][c]);
        (a + f * (b - a)).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ink_is_its_own_row() {
        for (ink, ..) in INKS {
            assert_eq!(ink.row().0, ink);
        }
    }

    /// Contrast of two colours as the Web Content Accessibility Guidelines (2.2) define it.
    fn contrast(a: &str, b: &str) -> f64 {
        let light = |colour: &str| {
            let all = u32::from_str_radix(&colour[1..], 16).unwrap();
            let part = |shift: u32| {
                let c = f64::from((all >> shift) & 255) / 255.0;
                if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
            };
            0.05 + 0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0)
        };
        let (a, b) = (light(a), light(b));
        a.max(b) / a.min(b)
    }

    /// Letters and axes keep the ratios of the guidelines, 4.5 and 3, on both pages. So do inks on the dark one; Okabe and Ito's
    /// orange and sky blue are lighter on the light one, where lines have dashes and widths of their own.
    #[test]
    fn everything_stands_out_from_its_page() {
        let [ground, axis, _, text, _] = PAGE;
        for (name, least) in [(text, 4.5), (axis, 3.0)] {
            assert!(contrast(name.1, ground.1) >= least && contrast(name.2, ground.2) >= least);
        }
        for (ink, _, light, dark) in INKS {
            let pale = matches!(ink, Ink::Orange | Ink::Sky);
            let on_light = contrast(light, ground.1);
            assert!(on_light >= if pale { 2.0 } else { 3.0 }, "{ink:?}: {on_light}");
            assert!(contrast(dark, ground.2) >= 4.5, "{ink:?}");
        }
        // Classes next to each other in their order stand apart in a map without colours.
        for i in 0..4 {
            for night in [false, true] {
                let colour = |i: usize| {
                    let (light, dark) = Ink::class(i).colours();
                    if night { dark } else { light }
                };
                let apart = contrast(colour(i), colour(i + 1));
                // Paper, which may lack colours, is always light.
                assert!(apart > if night { 1.2 } else { 1.25 }, "{i}, {night}: {apart}");
            }
        }
    }

    #[test]
    fn viridis_gets_lighter() {
        let light = |s: f64| {
            let [r, g, b] = viridis(s).map(f64::from);
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        for i in 0..100 {
            assert!(light((i + 1) as f64 / 100.0) > light(i as f64 / 100.0));
        }
        assert_eq!(viridis(f64::NAN), viridis(0.0));
    }
}
