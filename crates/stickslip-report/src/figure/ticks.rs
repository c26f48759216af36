//! Ticks at 1, 2 or 5 times a power of ten, as many as their labels have room for.

use super::text::Text;

/// The place that labels have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// Length of the axis, px.
    pub length: f64,
    /// Font size, px.
    pub size: f64,
    /// Labels stand side by side (a horizontal axis) and not one above the other.
    pub across: bool,
}

impl Room {
    /// The most ticks worth having.
    pub fn most(&self) -> usize {
        let each = if self.across { 4.2 * self.size } else { 2.3 * self.size };
        ((self.length / each) as usize).clamp(2, 8)
    }

    /// Whether labels at these places (fractions of the axis) keep their distance.
    pub fn fits<'a>(&self, labels: impl Iterator<Item = (f64, &'a Text)>) -> bool {
        let mut end = f64::NEG_INFINITY;
        for (at, label) in labels {
            let half = 0.5 * if self.across { label.width(self.size) } else { self.size };
            let gap = if self.across { 0.7 * self.size } else { 0.25 * self.size };
            let middle = at * self.length;
            if middle - half < end + gap {
                return false;
            }
            end = middle + half;
        }
        true
    }
}

/// The ticks of an axis.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ticks {
    /// Value and label, in rising order.
    pub major: Vec<(f64, Text)>,
    /// Second line of labels (the year below the months).
    pub context: Vec<(f64, Text)>,
    /// Values of short ticks without labels.
    pub minor: Vec<f64>,
    /// The unit as it belongs to the labels: with an SI prefix or a power of ten.
    pub unit: Text,
}

impl Ticks {
    /// No ticks: an axis without data.
    pub fn named(unit: &str) -> Self {
        Self { unit: Text::plain(unit), ..Self::default() }
    }
}

/// k · mantissa · 10^exponent, rounded once.
fn multiple(k: f64, mantissa: f64, exponent: i32) -> f64 {
    let n = k * mantissa;
    if exponent >= 0 { n * 10f64.powi(exponent) } else { n / 10f64.powi(-exponent) }
}

/// A number with `decimals` decimals, a true minus sign, and thin spaces in groups of three from
/// 10 000 on.
pub fn fixed(value: f64, decimals: usize) -> String {
    let digits = format!("{:.decimals$}", value.abs());
    let negative = value < 0.0 && digits.bytes().any(|b| matches!(b, b'1'..=b'9'));
    let (whole, part) =
        digits.split_once('.').map_or((digits.as_str(), None), |(w, p)| (w, Some(p)));
    let mut out = String::new();
    if negative {
        out.push('−');
    }
    for (i, c) in whole.chars().enumerate() {
        if i > 0 && whole.len() > 4 && (whole.len() - i).is_multiple_of(3) {
            out.push('\u{2009}');
        }
        out.push(c);
    }
    if let Some(part) = part {
        out.push('.');
        out.push_str(part);
    }
    out
}

/// Powers of a thousand, with the SI prefix for each from 10⁻¹² on.
const PREFIXES: [&str; 8] = ["p", "n", "µ", "m", "", "k", "M", "G"];

/// The greatest power of ten for which a unit takes a prefix; none for a unit that takes no prefix. Seconds are not counted in
/// kiloseconds, nor metres of a run in Gm.
fn greatest(unit: &str) -> i32 {
    match unit.split(['/', '·']).next().unwrap_or_default() {
        "N" | "Pa" | "J" | "W" | "V" | "A" | "Hz" => 9,
        "m" => 3,
        "s" | "rad" => -3,
        _ => i32::MIN,
    }
}

/// The unit for numbers divided by 10^exponent.
fn prefixed(unit: &str, exponent: i32) -> Text {
    if exponent == 0 {
        return Text::plain(unit);
    }
    if (-12..=greatest(unit)).contains(&exponent) {
        let prefix = PREFIXES[(exponent / 3 + 4) as usize];
        return Text::plain(format!("{prefix}{unit}"));
    }
    let power = Text::from(format!("10^{{{}}}", fixed(f64::from(exponent), 0)));
    if unit.is_empty() { power } else { power.then(Text::plain(format!(" {unit}"))) }
}

/// Exponent of a thousand to divide by, so that the labels stay short: 12 kN and not 12 000 N.
pub(crate) fn thousands(low: f64, high: f64, unit: &str) -> i32 {
    let size = low.abs().max(high.abs());
    let most = if greatest(unit) >= 3 { 1e4 } else { 1e5 };
    if size == 0.0 || (0.01..most).contains(&size) {
        0
    } else {
        (size.log10() / 3.0).floor() as i32 * 3
    }
}

/// Ticks of a linear axis from `low` to `high`, as [`scaled`] by what suits its own numbers.
pub(crate) fn linear(low: f64, high: f64, unit: &str, room: &Room) -> Ticks {
    scaled(low, high, unit, thousands(low, high, unit), room)
}

/// Ticks of a linear axis from `low` to `high`, their labels divided by 10^`shift`: the finest step with no more than the wanted
/// number of ticks; where that leaves one or two, the next finer step if its labels still keep apart.
pub(crate) fn scaled(low: f64, high: f64, unit: &str, shift: i32, room: &Room) -> Ticks {
    let range = high - low;
    let most = room.most();
    let first = (range / (2.0 * most as f64 + 2.0)).log10().floor() as i32;
    let mut major: Vec<(f64, Text)> = Vec::new();
    for (m, e) in (first..first + 4).flat_map(|e| [1.0, 2.0, 5.0].map(|m| (m, e))) {
        let step = multiple(1.0, m, e);
        let a = (low / step - 1e-6).ceil();
        let b = (high / step + 1e-6).floor();
        let count = (b - a + 1.0).max(0.0) as usize;
        if !(step > 0.0 && step.is_finite()) || count > 2 * most {
            continue;
        }
        if count < 3 && (major.len() >= 3 || count < major.len()) {
            break;
        }
        let decimals = (shift - e).max(0) as usize;
        let tick = |i: usize| {
            let k = a + i as f64;
            (multiple(k, m, e), Text::plain(fixed(multiple(k, m, e - shift), decimals)))
        };
        let ticks: Vec<_> = (0..count).map(tick).collect();
        if count > 2 && !room.fits(ticks.iter().map(|(v, l)| ((v - low) / range, l))) {
            continue;
        }
        major = ticks;
        if count <= most {
            break;
        }
    }
    Ticks { major, unit: prefixed(unit, shift), ..Ticks::default() }
}

/// Ticks of a logarithmic axis.
pub(crate) fn log(low: f64, high: f64, room: &Room) -> Ticks {
    let place = |v: f64| (v.ln() - low.ln()) / (high.ln() - low.ln());
    let a = (low.log10() - 1e-9).ceil() as i32;
    let b = (high.log10() + 1e-9).floor() as i32;
    let plain = low >= 0.9e-3 && high <= 1.1e4;
    let label = |m: f64, e: i32| {
        if plain {
            return Text::plain(fixed(multiple(1.0, m, e), (-e).max(0) as usize));
        }
        let power = format!("10^{{{}}}", fixed(f64::from(e), 0));
        Text::from(if m == 1.0 { power } else { format!("{m}×{power}") })
    };
    let sub = |mantissas: &[f64]| -> Vec<(f64, Text)> {
        (a - 1..=b)
            .flat_map(|e| mantissas.iter().map(move |&m| (multiple(1.0, m, e), m, e)))
            .filter(|&(v, ..)| (-1e-9..=1.0 + 1e-9).contains(&place(v)))
            .map(|(v, m, e)| (v, label(m, e)))
            .collect()
    };
    let fits = |t: &[(f64, Text)]| {
        t.len() <= room.most() + 1 && room.fits(t.iter().map(|(v, l)| (place(*v), l)))
    };
    let mut out = Ticks::default();
    if b - a < 12 {
        out.minor =
            sub(&[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]).into_iter().map(|t| t.0).collect();
    }
    let fine: [&[f64]; 3] =
        [&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], &[1.0, 2.0, 5.0], &[1.0, 3.0]];
    if b - a <= 1 {
        for mantissas in fine {
            let t = sub(mantissas);
            if t.len() >= 2 && fits(&t) {
                out.major = t;
                return out;
            }
        }
        if (high / low) < 2.0 {
            // So narrow that it is as good as linear.
            return linear(low, high, "", room);
        }
    }
    for every in [1, 2, 3, 5, 10, 20, 50, 100, 200] {
        let t: Vec<_> = (a..=b)
            .filter(|e| e.rem_euclid(every) == 0)
            .map(|e| (multiple(1.0, 1.0, e), label(1.0, e)))
            .collect();
        if fits(&t) {
            out.major = t;
            if every > 1 {
                out.minor = (a..=b).map(|e| multiple(1.0, 1.0, e)).collect();
            }
            break;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(t: &Ticks) -> Vec<String> {
        t.major.iter().map(|(_, l)| l.flat()).collect()
    }

    const WIDE: Room = Room { length: 500.0, size: 15.0, across: true };

    #[test]
    fn numbers_look_like_si() {
        assert_eq!(labels(&linear(-1.0, 1.0, "m", &WIDE)), ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        let t = linear(0.0, 0.004, "m", &WIDE);
        assert_eq!(
            (labels(&t), t.unit.flat()),
            (["0", "1", "2", "3", "4"].map(String::from).into(), "mm".into())
        );
        let t = linear(0.0, 2e8, "N/m", &WIDE);
        assert_eq!(
            (labels(&t), t.unit.flat()),
            (["0", "50", "100", "150", "200"].map(String::from).into(), "MN/m".into())
        );
        assert_eq!(linear(0.0, 2e6, "s", &WIDE).unit.flat(), "106 s");
        assert_eq!(linear(0.0, 2e6, "°C", &WIDE).unit.flat(), "106 °C");
        assert_eq!(labels(&linear(0.0, 43_200.0, "", &WIDE))[1], "10\u{2009}000");
        assert_eq!(fixed(-0.001, 1), "0.0");
    }

    #[test]
    fn decades() {
        assert_eq!(
            labels(&log(1e-6, 1.0, &WIDE)),
            ["10−6", "10−5", "10−4", "10−3", "10−2", "10−1", "100"]
        );
        assert_eq!(labels(&log(1.0, 100.0, &WIDE)), ["1", "10", "100"]);
        assert_eq!(labels(&log(0.02, 0.3, &WIDE)), ["0.02", "0.05", "0.1", "0.2"]);
        assert!(log(1e-200, 1e200, &WIDE).major.len() >= 2);
    }

    proptest! {
        #[test]
        fn linear_ticks_keep_the_rules(middle in -1e6..1e6f64, e in -9..9i32, length in 120.0..900.0f64, across: bool) {
            let half = 10f64.powi(e).max(1e-9 * middle.abs());
            let low = middle - half;
            let high = middle + half;
            let room = Room { length, size: 15.0, across };
            let t = linear(low, high, "m", &room);
            prop_assert!(!t.major.is_empty() && t.major.len() <= 16);
            let step = t.major.windows(2).map(|w| w[1].0 - w[0].0).next();
            for w in t.major.windows(2) {
                prop_assert!(w[0].0 < w[1].0);
                prop_assert!(w[0].1 != w[1].1, "two ticks, one label: {:?}", labels(&t));
                prop_assert!((w[1].0 - w[0].0 - step.unwrap()).abs() < 1e-6 * step.unwrap() + 1e-12 * middle.abs());
            }
            let slack = 1e-6 * (high - low);
            prop_assert!(t.major.iter().all(|(v, _)| *v >= low - slack && *v <= high + slack));
            if t.major.len() > 2 && length > 400.0 {
                prop_assert!(room.fits(t.major.iter().map(|(v, l)| ((v - low) / (high - low), l))));
            }
        }

        #[test]
        fn log_ticks_keep_the_rules(low in -12.0..12.0f64, decades in 0.05..20.0f64, length in 150.0..900.0f64) {
            let (low, high) = (10f64.powf(low), 10f64.powf(low + decades));
            let t = log(low, high, &Room { length, size: 15.0, across: true });
            prop_assert!(t.major.windows(2).all(|w| w[0].0 < w[1].0));
            prop_assert!(t.major.iter().all(|(v, _)| *v >= low * (1.0 - 1e-6) && *v <= high * (1.0 + 1e-6)));
        }
    }
}
