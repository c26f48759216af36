//! Units by their names in files, durations, and numbers that are written with a unit.

use crate::diagnostic::{Diagnostic, Result};
use crate::place::Placed;
use std::f64::consts::{PI, TAU};

/// Units of time, in s.
pub const TIMES: [(&str, f64); 7] = [
    ("s", 1.0),
    ("min", 60.0),
    ("h", 3600.0),
    ("d", 86_400.0),
    ("ms", 1e-3),
    ("us", 1e-6),
    ("ns", 1e-9),
];

/// Units of length, in m.
pub const LENGTHS: [(&str, f64); 8] = [
    ("m", 1.0),
    ("cm", 1e-2),
    ("mm", 1e-3),
    ("um", 1e-6),
    ("µm", 1e-6),
    ("in", 0.0254),
    ("ft", 0.3048),
    ("mil", 2.54e-5),
];

/// The unit of the same quantity where angles take the place of displacements; none for what is the same along a line and
/// about an axis, such as a time. A force that presses stays one: whoever asks knows which forces press.
pub fn about_an_axis(straight: &str) -> Option<&'static str> {
    const TURNED: [(&str, &str); 30] = [
        ("m", "rad"),
        ("m/s", "rad/s"),
        ("m/s²", "rad/s²"),
        ("m and m/s", "rad and rad/s"),
        ("kg", "kg·m²"),
        ("N", "N·m"),
        ("N/s", "N·m/s"),
        ("N·s", "N·m·s"),
        ("N²", "N²·m²"),
        ("m²", "rad²"),
        ("N/m", "N·m/rad"),
        ("N/mⁿ", "N·m/radⁿ"),
        ("N/m, N/m², …", "N·m/rad, N·m/rad², …"),
        ("N/m²", "N·m/rad²"),
        ("N/m³", "N·m/rad³"),
        ("N·s/m", "N·m·s/rad"),
        ("N·s²/m²", "N·m·s²/rad²"),
        ("N·s²/m", "N·m·s²/rad"),
        ("N/(m·s)", "N·m/(rad·s)"),
        ("1/m", "1/rad"),
        ("s/m", "s/rad"),
        ("N·√s", "N·m·√s"),
        ("1/mⁿ", "1/radⁿ"),
        ("(s/m)²", "(s/rad)²"),
        ("(s/m)³", "(s/rad)³"),
        ("N·s³/m³", "N·m·s³/rad³"),
        ("m/N", "rad/(N·m)"),
        ("m²/s²", "rad²/s²"),
        ("m²/Hz", "rad²/Hz"),
        ("(m/s)²/Hz", "(rad/s)²/Hz"),
    ];
    TURNED.iter().find(|(one, _)| *one == straight).map(|(_, turned)| *turned)
}

/// Units of angle, in rad.
pub const ANGLES: [(&str, f64); 4] =
    [("rad", 1.0), ("deg", PI / 180.0), ("°", PI / 180.0), ("rev", TAU)];

/// What it takes to make degrees Celsius: a factor and what is added before it.
pub const TEMPERATURES: [(&str, (f64, f64)); 7] = [
    ("°C", (1.0, 0.0)),
    ("C", (1.0, 0.0)),
    ("degC", (1.0, 0.0)),
    ("K", (1.0, -273.15)),
    ("°F", (5.0 / 9.0, -32.0)),
    ("F", (5.0 / 9.0, -32.0)),
    ("degF", (5.0 / 9.0, -32.0)),
];

/// Twice the powers of kg, m, s, rad and A: roots of seconds stand in intensities of noise.
type Powers = [i8; 5];

/// Units with names of their own that the tables above do not have, in SI units, and their powers of kg, m, s, rad, A.
const NAMED: [(&str, f64, [i8; 5]); 59] = [
    ("km", 1e3, [0, 1, 0, 0, 0]),
    ("nm", 1e-9, [0, 1, 0, 0, 0]),
    ("µs", 1e-6, [0, 0, 1, 0, 0]),
    ("kg", 1.0, [1, 0, 0, 0, 0]),
    ("g", 1e-3, [1, 0, 0, 0, 0]),
    ("mg", 1e-6, [1, 0, 0, 0, 0]),
    ("t", 1e3, [1, 0, 0, 0, 0]),
    ("lb", 0.453_592_37, [1, 0, 0, 0, 0]),
    ("oz", 0.028_349_523_125, [1, 0, 0, 0, 0]),
    ("slug", 14.593_902_937_206_364, [1, 0, 0, 0, 0]),
    ("N", 1.0, [1, 1, -2, 0, 0]),
    ("uN", 1e-6, [1, 1, -2, 0, 0]),
    ("µN", 1e-6, [1, 1, -2, 0, 0]),
    ("mN", 1e-3, [1, 1, -2, 0, 0]),
    ("kN", 1e3, [1, 1, -2, 0, 0]),
    ("MN", 1e6, [1, 1, -2, 0, 0]),
    ("lbf", 4.448_221_615_260_5, [1, 1, -2, 0, 0]),
    ("kgf", 9.806_65, [1, 1, -2, 0, 0]),
    ("daN", 10.0, [1, 1, -2, 0, 0]),
    ("cN", 1e-2, [1, 1, -2, 0, 0]),
    ("ozf", 0.278_013_850_953_781_2, [1, 1, -2, 0, 0]),
    ("klbf", 4_448.221_615_260_5, [1, 1, -2, 0, 0]),
    ("kip", 4_448.221_615_260_5, [1, 1, -2, 0, 0]),
    ("Nm", 1.0, [1, 2, -2, 0, 0]),
    ("mNm", 1e-3, [1, 2, -2, 0, 0]),
    ("Nmm", 1e-3, [1, 2, -2, 0, 0]),
    ("Ncm", 1e-2, [1, 2, -2, 0, 0]),
    ("cNm", 1e-2, [1, 2, -2, 0, 0]),
    ("kNm", 1e3, [1, 2, -2, 0, 0]),
    ("J", 1.0, [1, 2, -2, 0, 0]),
    ("mJ", 1e-3, [1, 2, -2, 0, 0]),
    ("kJ", 1e3, [1, 2, -2, 0, 0]),
    ("W", 1.0, [1, 2, -3, 0, 0]),
    ("mW", 1e-3, [1, 2, -3, 0, 0]),
    ("kW", 1e3, [1, 2, -3, 0, 0]),
    ("Pa", 1.0, [1, -1, -2, 0, 0]),
    ("kPa", 1e3, [1, -1, -2, 0, 0]),
    ("MPa", 1e6, [1, -1, -2, 0, 0]),
    ("GPa", 1e9, [1, -1, -2, 0, 0]),
    ("bar", 1e5, [1, -1, -2, 0, 0]),
    ("psi", 6_894.757_293_168_361, [1, -1, -2, 0, 0]),
    ("mph", 0.447_04, [0, 1, -1, 0, 0]),
    ("mrad", 1e-3, [0, 0, 0, 1, 0]),
    ("turn", TAU, [0, 0, 0, 1, 0]),
    ("rpm", TAU / 60.0, [0, 0, -1, 1, 0]),
    ("rps", TAU, [0, 0, -1, 1, 0]),
    ("Hz", TAU, [0, 0, -1, 1, 0]),
    ("kHz", TAU * 1e3, [0, 0, -1, 1, 0]),
    ("MHz", TAU * 1e6, [0, 0, -1, 1, 0]),
    ("A", 1.0, [0, 0, 0, 0, 1]),
    ("mA", 1e-3, [0, 0, 0, 0, 1]),
    ("V", 1.0, [1, 2, -3, 0, -1]),
    ("mV", 1e-3, [1, 2, -3, 0, -1]),
    ("Ω", 1.0, [1, 2, -3, 0, -2]),
    ("Ohm", 1.0, [1, 2, -3, 0, -2]),
    ("mOhm", 1e-3, [1, 2, -3, 0, -2]),
    ("kOhm", 1e3, [1, 2, -3, 0, -2]),
    ("%", 1e-2, [0, 0, 0, 0, 0]),
    ("1", 1.0, [0, 0, 0, 0, 0]),
];

/// A unit, read from a text such as `kN/mm`, `N·s/m`, `kg*m^2` or `1/√s`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// How much it is in SI units.
    pub factor: f64,
    powers: Powers,
}

/// Longest unit that anybody writes.
const LONGEST: usize = 40;

impl Unit {
    const ONE: Self = Self { factor: 1.0, powers: [0; 5] };

    /// The unit that a text names; nothing if it names none, or one of which it is not clear what stands below the line, as
    /// in `N/m·s`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() || text.len() > LONGEST {
            return None;
        }
        let mut scan = Scan { left: text };
        let unit = scan.product()?;
        scan.left.is_empty().then_some(unit)
    }

    /// Whether numbers of this unit are numbers of `other` but for a factor. Where `other` counts angles, a unit without
    /// angles is taken for one with radians, as `N·m` for `N·m/rad`.
    pub fn is_like(&self, other: &Self) -> bool {
        let plain = |p: Powers| [p[0], p[1], p[2], p[4]];
        let angles = self.powers[3] == other.powers[3] || self.powers[3] == 0;
        plain(self.powers) == plain(other.powers) && angles
    }

    /// Whether it counts angles, as rpm and rad/s do and 1/s does not.
    pub fn has_angles(&self) -> bool {
        self.powers[3] != 0
    }

    /// Which of these units it is but for a factor; a pure number is only `1`.
    pub fn one_of(&self, all: &[&str]) -> Option<usize> {
        let pure = self.powers == [0; 5];
        all.iter().position(|other| {
            (*other == "1") == pure && Self::parse(other).is_some_and(|o| self.is_like(&o))
        })
    }

    fn of(name: &str) -> Option<Self> {
        // The micro sign has a twin among the Greek letters.
        let name = &*name.replace('μ', "µ");
        let of = |list: &[(&str, f64)], powers: Powers| {
            let factor = list.iter().find(|u| u.0 == name)?.1;
            Some(Self { factor, powers })
        };
        let named = || {
            let (_, factor, powers) = NAMED.iter().find(|u| u.0 == name)?;
            Some(Self { factor: *factor, powers: powers.map(|p| 2 * p) })
        };
        of(&TIMES, [0, 0, 2, 0, 0])
            .or_else(|| of(&LENGTHS, [0, 2, 0, 0, 0]))
            .or_else(|| of(&ANGLES, [0, 0, 0, 2, 0]))
            .or_else(named)
    }

    /// Its square root.
    fn root(self) -> Option<Self> {
        let odd = self.powers.iter().any(|p| p % 2 != 0);
        (!odd).then(|| Self { factor: self.factor.sqrt(), powers: self.powers.map(|p| p / 2) })
    }

    fn to_power(self, n: i8) -> Option<Self> {
        let mut powers = self.powers;
        for p in &mut powers {
            *p = p.checked_mul(n)?;
        }
        Some(Self { factor: self.factor.powi(i32::from(n)), powers })
    }

    fn over(self, other: Self) -> Option<Self> {
        // One division: the inverse of a factor would be rounded once more.
        let quotient = self.times(Self { factor: 1.0, ..other }.to_power(-1)?)?;
        Some(Self { factor: self.factor / other.factor, ..quotient })
    }

    fn times(self, other: Self) -> Option<Self> {
        let mut powers = self.powers;
        for (p, q) in powers.iter_mut().zip(other.powers) {
            *p = p.checked_add(q)?;
        }
        Some(Self { factor: self.factor * other.factor, powers })
    }
}

/// What is left of the text of a unit.
struct Scan<'a> {
    left: &'a str,
}

impl Scan<'_> {
    fn take(&mut self, any: &[char]) -> bool {
        let trimmed = self.left.trim_start();
        match trimmed.strip_prefix(any) {
            Some(rest) => {
                self.left = rest.trim_start();
                true
            }
            None => false,
        }
    }

    /// Whether the next factor follows after nothing but a space, as in `kN s/m`, or a hyphen, as in `lbf-ft`: both are products.
    fn juxtaposed(&mut self) -> bool {
        let rest = self.left.strip_prefix('-').unwrap_or(self.left).trim_start();
        let begins = |c: char| c.is_alphabetic() || matches!(c, '(' | '√');
        let follows = rest.len() < self.left.len() && rest.starts_with(begins);
        if follows {
            self.left = rest;
        }
        follows
    }

    /// Factors, and quotients after them.
    fn product(&mut self) -> Option<Unit> {
        let mut unit = self.power()?;
        let mut below = false;
        loop {
            if self.take(&['/']) {
                below = true;
                unit = unit.over(self.power()?)?;
            } else if self.take(&['·', '⋅', '*', '.']) || self.juxtaposed() {
                // Whether this one is below the line, too, is anybody's guess.
                if below {
                    return None;
                }
                unit = unit.times(self.power()?)?;
            } else {
                return Some(unit);
            }
        }
    }

    fn power(&mut self) -> Option<Unit> {
        let unit = self.factor()?;
        match self.exponent()? {
            1 => Some(unit),
            n => unit.to_power(n),
        }
    }

    fn factor(&mut self) -> Option<Unit> {
        if self.take(&['√']) {
            return self.factor()?.root();
        }
        if self.take(&['(']) {
            let unit = self.product()?;
            return self.take(&[')']).then_some(unit);
        }
        let is_name = |c: char| c.is_alphabetic() && c != 'ⁿ' || matches!(c, '°' | '%');
        let end = self.left.find(|c: char| !is_name(c)).unwrap_or(self.left.len());
        let end = if end == 0 && self.left.starts_with('1') { 1 } else { end };
        let (name, rest) = self.left.split_at(end);
        self.left = rest;
        Unit::of(name)
    }

    /// `^2`, `²`, `2`, `^-1`, or nothing: 1.
    fn exponent(&mut self) -> Option<i8> {
        const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
        let marked = self.left.starts_with('^');
        let text = self.left.strip_prefix('^').unwrap_or(self.left);
        let negative = text.starts_with(['-', '⁻']);
        let text = text.strip_prefix(['-', '⁻']).unwrap_or(text);
        let first = text.chars().next();
        let raised = first.and_then(|c| RAISED.iter().position(|r| *r == c));
        let digit = first.and_then(|c| c.to_digit(10)).map(|d| d as usize);
        // A hyphen before a name is a product.
        let Some(n) = raised.or(digit) else { return (!marked).then_some(1) };
        let n = i8::try_from(n).ok()?;
        self.left = &text[first.map_or(0, char::len_utf8)..];
        Some(if negative { -n } else { n })
    }
}

/// `12 kN/mm`, `3000rpm`: a number and the unit behind it, if there is one.
pub fn quantity(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) {
        return None;
    }
    // The longest beginning that is a number: in `2e3 N` the exponent belongs to it.
    let ends = text.char_indices().map(|(i, c)| i + c.len_utf8()).take(LONGEST);
    let numbers = ends.filter_map(|end| Some((end, text[..end].parse::<f64>().ok()?)));
    let (end, number) = numbers.last()?;
    let unit = text[end..].trim();
    let is_unit =
        unit.starts_with(|c: char| c.is_alphabetic() || matches!(c, '°' | '%' | '1' | '√' | '('));
    is_unit.then_some((number, unit))
}

/// What a number with a unit is where a number of `expected` stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Converted {
    /// The number in that unit.
    Is(f64),
    /// A unit that is not known.
    Unknown,
    /// A unit of something else.
    Other,
}

/// `number` of `unit` as a number of `expected`, whose power `ⁿ` is `n`, if it is known: that of an entry of a list.
/// `coefficient` where a force is divided by the normal force.
pub fn convert(
    number: f64,
    unit: &str,
    expected: &str,
    n: Option<usize>,
    coefficient: bool,
) -> Converted {
    let Some(given) = Unit::parse(unit) else { return Converted::Unknown };
    let expected = match expected {
        "" => "1",
        "N/m, N/m², …" => "N/mⁿ",
        "N·m/rad, N·m/rad², …" => "N·m/radⁿ",
        other => other,
    };
    let power = n.map_or_else(|| "ⁿ".to_owned(), |n| format!("^{n}"));
    let Some(mut wanted) = Unit::parse(&expected.replace('ⁿ', &power)) else {
        return Converted::Other;
    };
    if coefficient && expected.starts_with('N') {
        let force = Unit::of("N").unwrap_or(Unit::ONE).to_power(-1).unwrap_or(Unit::ONE);
        wanted = wanted.times(force).unwrap_or(wanted);
    }
    if given.is_like(&wanted) { Converted::Is(number * given.factor) } else { Converted::Other }
}

/// A number with a unit in SI units; angular where it is Hz or rpm.
pub fn in_si(text: &str) -> Option<f64> {
    let (number, unit) = quantity(text)?;
    Some(number * Unit::parse(unit)?.factor)
}

/// `6h`, `30 min`: seconds.
pub fn duration(text: &Placed<String>) -> Result<f64> {
    seconds_in(&text.value).map_err(|(m, h)| Diagnostic::at(&text.place, m).help(h))
}

/// A duration as text in seconds.
///
/// # Errors
/// A message and its remedy.
pub fn seconds_in(text: &str) -> std::result::Result<f64, (String, String)> {
    signed_seconds(text).filter(|s| *s > 0.0).ok_or_else(|| no_duration(text, "a number > 0"))
}

/// The length of windows and the step between them as text, `30d` or `30d:7d`, in seconds. Without a step they do not
/// overlap.
///
/// # Errors
/// What is wrong with it.
pub fn windows_in(text: &str) -> std::result::Result<(f64, f64), String> {
    let (length, step) = text.split_once(':').unwrap_or((text, text));
    let seconds = |part: &str| seconds_in(part).map_err(|(m, _)| m);
    Ok((seconds(length)?, seconds(step)?))
}

/// `-1h`, `90 s`: seconds of either sign.
pub fn shift(text: &Placed<String>) -> Result<f64> {
    signed_seconds(&text.value).ok_or_else(|| {
        let (m, h) = no_duration(&text.value, "a number");
        Diagnostic::at(&text.place, m).help(h)
    })
}

fn no_duration(text: &str, number: &str) -> (String, String) {
    let text = text.trim();
    (
        format!("`{text}` is not a duration; expected {number} and a unit: s, min, h or d"),
        "write it as \"6h\" or \"30 min\"".to_owned(),
    )
}

fn signed_seconds(text: &str) -> Option<f64> {
    let s = text.trim();
    let split = s.find(|c: char| c.is_ascii_alphabetic() && !matches!(c, 'e' | 'E'));
    let (number, unit) = s.split_at(split.unwrap_or(s.len()));
    let unit = TIMES.iter().find(|u| u.0 == unit.trim())?.1;
    number.trim().parse::<f64>().ok().map(|n| n * unit).filter(|s| s.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_number_and_a_unit() {
        assert_eq!(seconds_in("6h"), Ok(21_600.0));
        assert_eq!(seconds_in(" 30 min "), Ok(1800.0));
        assert_eq!(signed_seconds("-1h"), Some(-3600.0));
        for bad in ["", "6", "6 weeks", "0h", "-1h", "inf h", "h"] {
            assert!(seconds_in(bad).is_err(), "{bad}");
        }
    }

    /// Against factors that are worked out by hand.
    #[test]
    fn units_are_converted() {
        for (text, expected, want) in [
            ("12 kN/mm", "N/m", 1.2e7),
            ("3000 rpm", "rad/s", 100.0 * PI),
            ("25 Hz", "rad/s", 50.0 * PI),
            ("90 deg", "rad", 0.5 * PI),
            ("-90°", "rad", -0.5 * PI),
            ("2 min", "s", 120.0),
            ("2e3N", "N", 2e3),
            ("5 µm", "m", 5e-6),
            ("5 μm", "m", 5e-6),
            ("7.2 km/h", "m/s", 2.0),
            ("3 N*s/mm", "N·s/m", 3e3),
            ("4 kg·cm^2", "kg·m²", 4e-4),
            ("4 g/cm3", "kg/m³", 4e3),
            ("6 N/(mm·ms)", "N/(m·s)", 6e6),
            ("6 N/mm/ms", "N/(m·s)", 6e6),
            ("2 kN·√ms", "N·√s", 2e3 * 1e-3f64.sqrt()),
            ("8 mm/s^2", "m/s²", 8e-3),
            ("8 mm·s⁻²", "m/s²", 8e-3),
            ("10 N·m", "N·m/rad", 10.0),
            ("10 mN.m", "N·m", 1e-2),
            ("10 Nm/deg", "N·m/rad", 1800.0 / PI),
            ("5 1/s", "rad/s", 5.0),
            ("30 %", "", 0.3),
            ("1 lbf/in", "N/m", 4.448_221_615_260_5 / 0.0254),
            ("3 daN", "N", 30.0),
            // A pound is 0.45359237 kg and the standard gravity 9.80665 m/s²; a kip is a thousand of its weights.
            ("2 kip", "N", 2e3 * 0.453_592_37 * 9.806_65),
            ("2 klbf", "N", 2e3 * 0.453_592_37 * 9.806_65),
            ("2 MPa", "N/m²", 2e6),
            // A space between two units, or a hyphen, is a product.
            ("200 kN s/m", "N·s/m", 2e5),
            ("4 kg cm^2", "kg·m²", 4e-4),
            ("3 kg m s^-2", "N", 3.0),
            ("7 N m s rad-1", "N·m·s/rad", 7.0),
            ("5 lbf-ft", "N·m", 5.0 * 4.448_221_615_260_5 * 0.304_8),
            ("2 ozf·in", "N·m", 2.0 * 4.448_221_615_260_5 / 16.0 * 0.025_4),
            ("35 kgf cm", "N·m", 35.0 * 9.806_65e-2),
            ("3 Ncm", "N·m", 3e-2),
            ("1 psi", "N/m²", 4.448_221_615_260_5 / (0.025_4 * 0.025_4)),
            ("1 slug", "kg", 4.448_221_615_260_5 / 0.304_8),
            ("45 mph", "m/s", 45.0 * 1609.344 / 3600.0),
            ("2 rps", "rad/s", 4.0 * PI),
        ] {
            let (number, unit) = quantity(text).unwrap_or_else(|| panic!("{text}"));
            match convert(number, unit, expected, None, false) {
                Converted::Is(x) => {
                    assert!((x - want).abs() <= 1e-15 * want.abs(), "{text}: {x} {want}")
                }
                other => panic!("{text}: {other:?}"),
            }
        }
        // Entries of lists of powers, and coefficients of a normal force.
        assert_eq!(convert(2.0, "N/mm^2", "N/mⁿ", Some(2), false), Converted::Is(2.0 / 1e-6));
        assert_eq!(convert(2.0, "N/mm", "N/mⁿ", Some(2), false), Converted::Other);
        assert_eq!(
            convert(2.0, "N/mm^3", "N/m, N/m², …", Some(3), false),
            Converted::Is(2.0 * 1e-3f64.powi(-3))
        );
        assert_eq!(convert(30.0, "%", "N", None, true), Converted::Is(0.3));
        assert_eq!(convert(2.0, "s/mm", "N·s/m", None, true), Converted::Is(2.0 / 1e-3));
        assert_eq!(convert(2.0, "N", "N", None, true), Converted::Other);
    }

    #[test]
    fn a_unit_is_one_of_several() {
        let which = |text: &str, all: &[&str]| Unit::parse(text).unwrap().one_of(all);
        assert_eq!(which("mm", &["m", "rad"]), Some(0));
        assert_eq!(which("deg", &["m", "rad"]), Some(1));
        assert_eq!(which("rpm", &["m/s", "rad/s"]), Some(1));
        assert_eq!(which("1/min", &["m/s", "rad/s"]), Some(1));
        assert!(!Unit::parse("1/min").unwrap().has_angles());
        assert_eq!(which("kN", &["m", "rad"]), None);
        // A pure number is no angle.
        assert_eq!(which("%", &["m", "rad"]), None);
        assert_eq!(which("%", &["N", "N·m", "A", "V", "1"]), Some(4));
        assert_eq!(which("mA", &["N", "N·m", "A", "V", "1"]), Some(2));
    }

    #[test]
    fn other_dimensions_are_other() {
        for (unit, expected) in [
            ("N", "kg"),
            ("mm", "N/m"),
            ("Hz", "s"),
            ("Hz", "1/s"),
            ("rad/s", "m/s"),
            ("deg", "m"),
            ("N·m", "N"),
            ("m", ""),
            ("s", "m and m/s"),
            ("1/m", "1/mⁿ"),
            ("m", "displacement of the first node over that of the second"),
        ] {
            assert_eq!(
                convert(1.0, unit, expected, None, false),
                Converted::Other,
                "{unit} {expected}"
            );
        }
        for unit in [
            "x", "N/", "N/m·s", "N/(m", "N)", "N^", "N^x", "N/√", "kN/mm^99", "()", "√m√", "n",
            "KG", "e",
        ] {
            assert_eq!(convert(1.0, unit, "N", None, false), Converted::Unknown, "{unit}");
        }
        for text in ["", "12", "N", "inf N", "nan m", "- N", "--1 N", "12 !"] {
            assert_eq!(quantity(text), None, "{text}");
        }
        assert_eq!(Unit::parse(&"(".repeat(39)), None);
        assert_eq!(Unit::parse("m^9·m^9·m^9·m^9·m^9·m^9·m^9·m^9"), None);
    }
}
