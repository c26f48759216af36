//! Axes: what is measured along them, and where a value lies on the page.

use super::text::Text;
use super::ticks::{self, Ticks};

/// How values are laid out along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Scale {
    /// Proportionally.
    #[default]
    Linear,
    /// By their logarithm; values ≤ 0 are not shown.
    Log,
    /// As dates: value 0 is `origin`, Unix seconds; the clock on the wall is `offset` seconds ahead of UTC.
    Calendar {
        /// Unix seconds of the value 0.
        origin: f64,
        /// Seconds that the shown clock is ahead of UTC.
        offset: i32,
    },
}

/// An axis: label, unit, scale, limits.
#[derive(Debug, Clone, Default)]
pub struct Axis {
    pub(crate) label: Text,
    pub(crate) unit: String,
    pub(crate) scale: Scale,
    pub(crate) limits: Option<(f64, f64)>,
    pub(crate) tight: bool,
    pub(crate) names: Vec<Text>,
    pub(crate) kept: bool,
    /// Exponent of ten by which numbers of this unit are divided, where the figure, or several, have agreed on one.
    pub(crate) power: Option<i32>,
}

impl Axis {
    /// A linear axis. SI units get a prefix when the numbers ask for one; `unit` may be empty.
    pub fn linear(label: impl Into<Text>, unit: impl Into<String>) -> Self {
        let mut unit = unit.into();
        // Tables call the unit of a plain number 1; on an axis it says nothing.
        if unit == "1" {
            unit.clear();
        }
        Self { label: label.into(), unit, ..Self::default() }
    }

    /// Places 1, 2, … with names instead of numbers, each half a place from the ends. Where there is no room for all
    /// names, those of some are left out.
    pub fn places(label: impl Into<Text>, names: impl IntoIterator<Item = String>) -> Self {
        let names: Vec<Text> = names.into_iter().map(Text::plain).collect();
        let axis = Self::linear(label, "").limits(0.5, names.len() as f64 + 0.5);
        Self { names, ..axis }
    }

    /// A logarithmic axis.
    pub fn log(label: impl Into<Text>, unit: impl Into<String>) -> Self {
        Self { scale: Scale::Log, ..Self::linear(label, unit) }
    }

    /// A calendar axis: values are seconds after `origin` (Unix seconds; 0 when the values are Unix
    /// seconds themselves), shown in UTC. It is tight.
    pub fn calendar(origin: f64) -> Self {
        Self { scale: Scale::Calendar { origin, offset: 0 }, tight: true, ..Self::default() }
    }

    /// Divides its numbers by this power of ten, as the other axes of its unit in a figure do.
    pub(crate) fn with_power(mut self, power: Option<&i32>) -> Self {
        self.power = power.copied();
        self
    }

    /// Shows its numbers in the prefix of the unit that suits numbers up to this one, which another figure shows.
    pub fn next_to(mut self, greatest: f64) -> Self {
        if greatest.is_finite() && greatest != 0.0 && !self.unit.is_empty() {
            self.power = Some(ticks::thousands(0.0, greatest, &self.unit));
        }
        self
    }

    /// Keeps its unit in a [figure with other units](super::Figure::turned).
    pub fn with_unit_kept(mut self) -> Self {
        self.kept = true;
        self
    }

    /// Takes the unit that `of` knows for its own, and then the words for what is measured in it.
    pub(crate) fn change_unit(
        &mut self,
        of: fn(&str) -> Option<&'static str>,
        words: &[(&str, &str)],
    ) {
        if let Some(unit) = of(&self.unit).filter(|_| !self.kept) {
            self.unit = unit.to_owned();
            self.label.replace(words);
        }
    }

    /// The name of what is measured.
    pub fn label(mut self, label: impl Into<Text>) -> Self {
        self.label = label.into();
        self
    }

    /// For a calendar axis: the clock shown is `seconds` ahead of UTC.
    pub fn utc_offset(mut self, seconds: i32) -> Self {
        if let Scale::Calendar { offset, .. } = &mut self.scale {
            *offset = seconds;
        }
        self
    }

    /// Shows exactly this range; ignored unless `low < high`, both finite (both > 0 on a log axis).
    pub fn limits(mut self, low: f64, high: f64) -> Self {
        let shown = self.scale != Scale::Log || low > 0.0;
        if low < high && (high - low).is_finite() && shown {
            self.limits = Some((low, high));
        }
        self
    }

    /// Ends at the first and last value, without a margin.
    pub fn tight(mut self) -> Self {
        self.tight = true;
        self
    }
}

/// An axis laid out: from values to pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ruler {
    scale: Scale,
    /// Ends, in values.
    pub low: f64,
    pub high: f64,
    /// Where they lie, px.
    pub from: f64,
    pub to: f64,
}

impl Ruler {
    /// Lays `axis` over a range of data (`None`: no data) and a stretch of the page.
    pub fn new(axis: &Axis, data: Option<(f64, f64)>, from: f64, to: f64) -> Self {
        let log = axis.scale == Scale::Log;
        let (low, high) = match axis.limits {
            Some(limits) => limits,
            None => {
                widen(data.unwrap_or(if log { (1.0, 10.0) } else { (0.0, 1.0) }), log, axis.tight)
            }
        };
        Self { scale: axis.scale, low, high, from, to }
    }

    /// The same range over another stretch.
    pub fn over(self, from: f64, to: f64) -> Self {
        Self { from, to, ..self }
    }

    fn along(&self, value: f64) -> f64 {
        if self.scale == Scale::Log {
            if value > 0.0 {
                (value.ln() - self.low.ln()) / (self.high.ln() - self.low.ln())
            } else {
                f64::NAN
            }
        } else {
            // Halved, so that a range as wide as the numbers themselves does not overflow.
            (0.5 * value - 0.5 * self.low) / (0.5 * self.high - 0.5 * self.low)
        }
    }

    /// Position on the page; NaN for what has none.
    pub fn px(&self, value: f64) -> f64 {
        self.from + self.along(value) * (self.to - self.from)
    }

    /// The position, if the value is within the ends.
    pub fn inside(&self, value: f64) -> Option<f64> {
        let s = self.along(value);
        (-1e-9..=1.0 + 1e-9).contains(&s).then_some(self.from + s * (self.to - self.from))
    }

    /// Length on the page.
    pub fn length(&self) -> f64 {
        (self.to - self.from).abs()
    }

    /// Ticks whose labels at `size` px do not touch; `across`: labels stand side by side.
    pub fn ticks(&self, axis: &Axis, size: f64, across: bool) -> Ticks {
        let room = ticks::Room { length: self.length(), size, across };
        match axis.scale {
            _ if !axis.names.is_empty() => self.names(axis, &room),
            Scale::Linear => {
                let own = ticks::thousands(self.low, self.high, &axis.unit);
                // Numbers more than a thousand times smaller would have too many zeros in the unit of the others.
                let agreed = axis.power.filter(|power| (power - own).abs() <= 3).unwrap_or(own);
                ticks::scaled(self.low, self.high, &axis.unit, agreed, &room)
            }
            Scale::Log => ticks::log(self.low, self.high, &room),
            Scale::Calendar { origin, offset } => {
                super::calendar::ticks(self.low, self.high, origin, offset, &room)
                    .unwrap_or_else(|| ticks::linear(self.low, self.high, "s", &room))
            }
        }
    }

    /// Every name, or every second, fifth, tenth, …
    fn names(&self, axis: &Axis, room: &ticks::Room) -> Ticks {
        let names = || (1..).zip(&axis.names);
        let every = |n: usize| move |(i, _): &(usize, &Text)| i % n == 0;
        let mut steps = (0..9).flat_map(|e| [1, 2, 5].map(|m| m * 10usize.pow(e)));
        let fits = |n: &usize| {
            room.fits(names().filter(every(*n)).map(|(i, name)| (self.along(i as f64), name)))
        };
        let step = steps.find(fits).unwrap_or(usize::MAX);
        let shown = names().filter(every(step));
        let major = shown.map(|(i, name)| (i as f64, name.clone())).collect();
        Ticks { major, ..Ticks::named(&axis.unit) }
    }
}

/// The range to show for data in a range: a margin, and room around a single value.
fn widen((low, high): (f64, f64), log: bool, tight: bool) -> (f64, f64) {
    const MARGIN: f64 = 0.05;
    if log {
        let low = low.clamp(1e-150, 1e150);
        let high = high.clamp(1e-150, 1e150);
        if high / low < 1.0 + 1e-9 {
            return (low / 2.0, high * 2.0);
        }
        let m = if tight { 1.0 } else { (high / low).powf(MARGIN) };
        return (low / m, high * m);
    }
    let low = low.max(-1e300);
    let high = high.min(1e300);
    let middle = 0.5 * low + 0.5 * high;
    let size = low.abs().max(high.abs());
    // Data that differ by rounding only are one value.
    if high - low <= 1e-12 * size || high <= low {
        let half = if size == 0.0 { 1.0 } else { 0.05 * size };
        return (middle - half, middle + half);
    }
    let m = if tight { 0.0 } else { MARGIN * (high - low) };
    (low - m, high + m)
}

/// A label with the unit that belongs to its ticks.
pub(crate) fn axis_title(label: &Text, from_ticks: &Text, unit: &str, scale: Scale) -> Text {
    let unit = match scale {
        Scale::Linear => from_ticks.clone(),
        Scale::Log => Text::plain(unit),
        Scale::Calendar { .. } => Text::default(),
    };
    match (label.is_empty(), unit.is_empty()) {
        (_, true) => label.clone(),
        (true, false) => unit,
        (false, false) => label.clone().then(" (").then(unit).then(")"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 16 px a line at 12 px: all of five names in 100 px, every second of twelve in 120 px.
    #[test]
    fn names_stand_where_there_is_room() {
        let shown = |n: usize, length: f64| -> Vec<f64> {
            let axis = Axis::places("who", (1..=n).map(|i| format!("s{i}")));
            let ticks = Ruler::new(&axis, None, length, 0.0).ticks(&axis, 12.0, false);
            ticks.major.iter().map(|t| t.0).collect()
        };
        assert_eq!(shown(5, 100.0), [1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(shown(12, 120.0), [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]);
        assert_eq!(shown(1000, 300.0).len(), 10);
    }

    #[test]
    fn values_lie_where_they_should() {
        let r = Ruler::new(&Axis::linear("", "").tight(), Some((2.0, 4.0)), 100.0, 0.0);
        assert_eq!((r.px(2.0), r.px(3.0), r.px(4.0)), (100.0, 50.0, 0.0));
        assert_eq!(r.inside(4.1), None);
        assert_eq!(r.inside(f64::NAN), None);
        let r = Ruler::new(&Axis::log("", "").limits(1.0, 100.0), None, 0.0, 100.0);
        assert!((r.px(10.0) - 50.0).abs() < 1e-9 && r.px(0.0).is_nan());
    }

    #[test]
    fn one_value_and_no_value_have_a_range() {
        for data in [
            None,
            Some((3.0, 3.0)),
            Some((0.0, 0.0)),
            Some((-f64::MAX, f64::MAX)),
            Some((1.0, 1.0 + 1e-15)),
        ] {
            for axis in [Axis::linear("", ""), Axis::log("", "")] {
                let r = Ruler::new(&axis, data, 0.0, 10.0);
                assert!(r.low < r.high && r.low.is_finite() && r.high.is_finite(), "{data:?}");
            }
        }
    }
}
