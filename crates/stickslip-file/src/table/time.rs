//! Times of a table: numbers, ISO 8601 with or without a zone, the dates of instruments, or a format
//! that is given.

use super::calendar::{self, Order, PossibleDate};
use super::numbers::usual;
use super::{Complaint, clip};
use jiff::civil::{DateTime, Weekday};
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// How the times of a table are written.
#[derive(Debug, Clone, PartialEq)]
pub enum Style {
    /// Numbers in a unit of so many seconds.
    Number(f64),
    /// Hours, minutes and seconds since some instant.
    Elapsed,
    /// Calendar times with a zone or an offset: instants.
    Instant,
    /// ISO 8601 without a zone.
    Plain,
    /// Dates of people and instruments.
    Date(Order),
    /// A format with `%` directives.
    Format(String),
}

/// How the times of a table are written, and the first of them: t = 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Clock {
    style: Style,
    first: First,
}

#[derive(Debug, Clone, PartialEq)]
enum First {
    /// In the unit.
    Number(f64),
    /// With the zone in which times without one are meant.
    Instant(Timestamp, TimeZone),
    /// Taken as that of one uniform clock.
    Calendar(DateTime),
    /// A calendar time of a zone that was named.
    Local(Timestamp, TimeZone),
}

/// One time of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Moment {
    /// In the unit.
    Number(f64),
    /// An instant.
    Instant(Timestamp),
    /// A calendar time without a zone.
    Calendar(DateTime),
}

impl Moment {
    /// As text, for messages.
    #[cfg(feature = "parquet")]
    pub fn text(self) -> String {
        match self {
            Self::Number(x) => x.to_string(),
            Self::Instant(t) => t.to_string(),
            Self::Calendar(t) => t.to_string(),
        }
    }

    fn kind(self) -> &'static str {
        match self {
            Self::Number(_) => "a number",
            Self::Instant(_) => "a calendar time with a zone",
            Self::Calendar(_) => "a calendar time without a zone",
        }
    }
}

/// What the first time of a table says about all of them.
pub enum Looks {
    /// They are written so.
    Like(Style),
    /// Day first or month first: other rows must tell.
    DayOrMonth,
}

/// How times are written, seen from the first; `unit` is that of numbers, s.
pub fn looks(stamp: &str, unit: Option<f64>) -> Result<Looks, Complaint> {
    if number(stamp).is_some() {
        if unit.is_none() && is_compact_date(stamp) {
            return Err((
                format!("`{stamp}` may be a date or a number"),
                "write `time_format = \"%Y%m%d\"` (with %H%M%S where they stand) for a date, or \
                 `time_unit` for a number"
                    .to_owned(),
            ));
        }
        return Ok(Looks::Like(Style::Number(unit.unwrap_or(1.0))));
    }
    if elapsed(stamp).is_some() {
        return Ok(Looks::Like(Style::Elapsed));
    }
    if stamp.parse::<Timestamp>().is_ok() {
        return Ok(Looks::Like(Style::Instant));
    }
    if stamp.parse::<DateTime>().is_ok() {
        return Ok(Looks::Like(Style::Plain));
    }
    match calendar::find(stamp) {
        Some(PossibleDate::Sure(_, order)) => Ok(Looks::Like(Style::Date(order))),
        Some(PossibleDate::Either(..)) => Ok(Looks::DayOrMonth),
        None => Err(unreadable(stamp)),
    }
}

/// A finite number, with a decimal point or a decimal comma.
fn number(stamp: &str) -> Option<f64> {
    let stamp = usual(stamp);
    let plain = stamp.parse::<f64>();
    plain.or_else(|_| stamp.replacen(',', ".", 1).parse()).ok().filter(|x: &f64| x.is_finite())
}

/// `hh:mm:ss`, with or without a fraction, as seconds; the hours may be any number. `mm:ss.fff` too, which only its fraction tells
/// from hours and minutes.
fn elapsed(stamp: &str) -> Option<f64> {
    let (whole, fraction) = match stamp.split_once(['.', ',']) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (stamp, None),
    };
    let digits = |s: &str| !s.is_empty() && s.len() < 10 && s.bytes().all(|b| b.is_ascii_digit());
    let parts: Vec<&str> = whole.split(':').collect();
    let minutes_only = parts.len() == 2 && fraction.is_some();
    if !(parts.len() == 3 || minutes_only) || !parts.iter().all(|p| digits(p)) {
        return None;
    }
    if fraction.is_some_and(|f| !digits(f)) || parts[1..].iter().any(|p| p.len() != 2) {
        return None;
    }
    let numbers: Vec<f64> = parts.iter().filter_map(|p| p.parse().ok()).collect();
    if numbers[1..].iter().any(|n| *n >= 60.0) {
        return None;
    }
    let seconds = numbers.iter().fold(0.0, |sum, n| 60.0 * sum + n);
    let fraction: f64 = fraction.map_or(Some(0.0), |f| format!("0.{f}").parse().ok())?;
    Some(seconds + fraction)
}

/// 20130131, 201301311400 or 20130131140000.
fn is_compact_date(stamp: &str) -> bool {
    let digits = stamp.bytes().all(|b| b.is_ascii_digit());
    let number =
        |range: std::ops::Range<usize>| stamp.get(range).and_then(|s| s.parse::<u32>().ok());
    let within =
        |range, least: u32, most: u32| number(range).is_none_or(|n| (least..=most).contains(&n));
    digits
        && matches!(stamp.len(), 8 | 12 | 14)
        && within(0..4, 1900, 2100)
        && within(4..6, 1, 12)
        && within(6..8, 1, 31)
        && within(8..10, 0, 23)
        && within(10..12, 0, 59)
}

impl Style {
    /// The time `stamp`, if it is written in this style; `number` reads numbers.
    pub fn parse(&self, stamp: &str) -> Option<Moment> {
        match self {
            Self::Number(_) => number(stamp).map(Moment::Number),
            Self::Elapsed => elapsed(stamp).map(Moment::Number),
            Self::Instant => stamp.parse().ok().map(Moment::Instant),
            Self::Plain => {
                // An offset must not be dropped silently.
                match stamp.get(10..).is_some_and(|rest| rest.contains(['+', '-', '[', 'Z', 'z'])) {
                    true => stamp.parse().ok().map(Moment::Instant),
                    false => stamp.parse().ok().map(Moment::Calendar),
                }
            }
            Self::Date(order) => calendar::parse(stamp, *order).map(Moment::Calendar),
            Self::Format(format) => {
                let parts = BrokenDownTime::parse(format, stamp).ok()?;
                match parts.to_timestamp() {
                    Ok(instant) => Some(Moment::Instant(instant)),
                    Err(_) => parts.to_datetime().ok().map(Moment::Calendar),
                }
            }
        }
    }

    /// The time `stamp`, or what is wrong with it.
    pub fn read(&self, stamp: &str) -> Result<Moment, Complaint> {
        if let Some(found) = self.parse(stamp) {
            return Ok(found);
        }
        if let Self::Format(format) = self {
            return Err((
                format!("`{}` is not written as `time_format` says", clip(stamp)),
                format!("the format is \"{format}\""),
            ));
        }
        // Another kind of time is told from another way of writing, and both from no time at all.
        let other = match looks(stamp, Some(1.0))? {
            Looks::Like(style) => style.parse(stamp).ok_or_else(|| unreadable(stamp))?,
            Looks::DayOrMonth => return Err(unreadable(stamp)),
        };
        if other.kind() != self.kind() {
            return Ok(other);
        }
        Err((
            format!("`{}` is not written like the first time", clip(stamp)),
            "write every time in the same way; `time_format` says how, such as \"day-first\" or \
             \"%d.%m.%Y %H:%M\""
                .to_owned(),
        ))
    }

    /// The kind of its times, as that of a [`Moment`].
    fn kind(&self) -> &'static str {
        match self {
            Self::Number(_) | Self::Elapsed => Moment::Number(0.0).kind(),
            Self::Instant => Moment::Instant(Timestamp::UNIX_EPOCH).kind(),
            Self::Plain | Self::Date(_) | Self::Format(_) => {
                Moment::Calendar(DateTime::ZERO).kind()
            }
        }
    }
}

impl Clock {
    /// The clock of times in `style`, of which the first is `stamp`; times without a zone are those
    /// of `zone`.
    pub fn of(style: Style, stamp: &str, zone: Option<&TimeZone>) -> Result<Self, Complaint> {
        let first = match (style.read(stamp)?, zone) {
            (Moment::Number(x), _) => First::Number(x),
            (Moment::Instant(t), Some(zone)) => First::Instant(t, zone.clone()),
            (Moment::Instant(t), None) => First::Instant(t, own_zone(stamp)),
            (Moment::Calendar(t), None) => First::Calendar(t),
            (Moment::Calendar(t), Some(zone)) => {
                let instant = zone.to_ambiguous_timestamp(t).compatible();
                First::Local(instant.map_err(|_| unreadable(stamp))?, zone.clone())
            }
        };
        Ok(Self { style, first })
    }

    /// The clock of a table that gives its times as numbers (in a unit of `unit` s) or instants, of which
    /// this is the first.
    #[cfg(feature = "parquet")]
    pub fn at(first: Moment, unit: f64, zone: Option<&TimeZone>) -> Result<Self, Complaint> {
        let (style, first) = match (first, zone) {
            (Moment::Number(x), _) => (Style::Number(unit), First::Number(x)),
            (Moment::Instant(t), zone) => {
                (Style::Instant, First::Instant(t, zone.cloned().unwrap_or(TimeZone::UTC)))
            }
            (Moment::Calendar(t), None) => (Style::Plain, First::Calendar(t)),
            (Moment::Calendar(t), Some(zone)) => {
                let instant = zone.to_ambiguous_timestamp(t).compatible();
                let instant = instant.map_err(|_| unreadable(&t.to_string()))?;
                (Style::Plain, First::Local(instant, zone.clone()))
            }
        };
        Ok(Self { style, first })
    }

    /// The clock whose first time is this one of the same table.
    pub fn starting_at(&self, moment: Moment) -> Self {
        let local = |t: DateTime, zone: &TimeZone| zone.to_ambiguous_timestamp(t).compatible();
        let first = match (&self.first, moment) {
            (First::Number(_), Moment::Number(x)) => First::Number(x),
            (First::Instant(_, zone), Moment::Instant(t)) => First::Instant(t, zone.clone()),
            (First::Calendar(_), Moment::Calendar(t)) => First::Calendar(t),
            (First::Local(first, zone), Moment::Calendar(t)) => {
                First::Local(local(t, zone).unwrap_or(*first), zone.clone())
            }
            (first, _) => first.clone(),
        };
        Self { style: self.style.clone(), first }
    }

    /// The time `stamp` of the table.
    pub fn read(&self, stamp: &str) -> Result<Moment, Complaint> {
        self.style.read(stamp)
    }

    /// Seconds from the first time to another; `stamp` is how it was written.
    pub fn since_first(&self, moment: Moment, stamp: &str) -> Result<f64, Complaint> {
        match (&self.first, moment) {
            (First::Number(first), Moment::Number(t)) => Ok((t - first) * self.unit()),
            (First::Instant(first, _), Moment::Instant(t)) => Ok(between(*first, t)),
            (First::Calendar(first), Moment::Calendar(t)) => {
                let instant =
                    |d: &DateTime| TimeZone::UTC.to_timestamp(*d).map_err(|_| unreadable(stamp));
                Ok(between(instant(first)?, instant(&t)?))
            }
            (First::Local(first, zone), Moment::Calendar(t)) => {
                let instant = zone.to_ambiguous_timestamp(t).compatible();
                Ok(between(*first, instant.map_err(|_| unreadable(stamp))?))
            }
            (_, found) => Err((
                format!(
                    "`{}` is {}, but the first row is {}",
                    clip(stamp),
                    found.kind(),
                    self.kind()
                ),
                "write every time in the same way".to_owned(),
            )),
        }
    }

    /// Seconds from the first time to one that is given beside the table: as in the table or in ISO
    /// 8601; without a zone, in that of the table.
    pub fn seconds(&self, text: &str) -> Result<f64, Complaint> {
        let iso = || Style::Plain.parse(text).or_else(|| Style::Instant.parse(text));
        let moment = match self.style.parse(text).or_else(iso) {
            Some(moment) => moment,
            None => self.read(text)?,
        };
        match (&self.first, moment) {
            (First::Instant(first, zone), Moment::Calendar(t)) => {
                let instant = zone.to_ambiguous_timestamp(t).compatible();
                Ok(between(*first, instant.map_err(|_| unreadable(text))?))
            }
            (First::Local(first, _), Moment::Instant(t)) => Ok(between(*first, t)),
            _ => self.since_first(moment, text),
        }
    }

    /// Seconds from the first time of another clock to that of this one, if both count alike.
    pub fn after(&self, other: &Self) -> Option<f64> {
        match (&other.first, &self.first) {
            (First::Number(a), First::Number(b)) if self.unit() == other.unit() => {
                Some((b - a) * self.unit())
            }
            (First::Calendar(a), First::Calendar(b)) => {
                let instant = |d: &DateTime| TimeZone::UTC.to_timestamp(*d).ok();
                Some(between(instant(a)?, instant(b)?))
            }
            (
                First::Instant(a, _) | First::Local(a, _),
                First::Instant(b, _) | First::Local(b, _),
            ) => Some(between(*a, *b)),
            _ => None,
        }
    }

    /// Seconds from the first time to `moment`, the second time that it comes: an hour repeats in
    /// autumn.
    pub fn second_time(&self, moment: Moment) -> Option<f64> {
        match (&self.first, moment) {
            (First::Local(first, zone), Moment::Calendar(t)) => {
                zone.to_ambiguous_timestamp(t).later().ok().map(|t| between(*first, t))
            }
            _ => None,
        }
    }

    /// Whether clocks without a zone may be changed about this time: before five in the morning of
    /// a Sunday.
    pub fn may_change(&self, moment: Moment) -> bool {
        matches!((&self.first, moment), (First::Calendar(_), Moment::Calendar(t))
            if t.hour() < 5 && matches!(t.month(), 3 | 4 | 9 | 10 | 11) && t.weekday() == Weekday::Sunday)
    }

    /// Whether times are dates rather than numbers.
    pub fn is_calendar(&self) -> bool {
        !matches!(self.first, First::Number(_))
    }

    /// Whether times are hours, minutes and seconds.
    pub fn is_elapsed(&self) -> bool {
        self.style == Style::Elapsed
    }

    /// The first time, where times are written as numbers.
    pub fn first_number(&self) -> Option<f64> {
        match self.first {
            First::Number(first) if !self.is_elapsed() => Some(first),
            _ => None,
        }
    }

    /// The first time in seconds of the Unix epoch, if times are dates (without a zone: as if UTC).
    pub fn epoch(&self) -> Option<f64> {
        let instant = match &self.first {
            First::Number(_) => return None,
            First::Instant(t, _) | First::Local(t, _) => *t,
            First::Calendar(t) => TimeZone::UTC.to_timestamp(*t).ok()?,
        };
        Some(instant.as_nanosecond() as f64 / 1e9)
    }

    /// The first time, as text.
    pub fn origin(&self) -> String {
        match &self.first {
            First::Number(first) => format!("{first}"),
            First::Instant(t, _) | First::Local(t, _) => t.to_string(),
            First::Calendar(t) => t.to_string(),
        }
    }

    /// The time `seconds` after the first, as a date in the zone of the record; `None` where times are numbers.
    pub fn stamp(&self, seconds: f64) -> Option<String> {
        // Sums of floating-point numbers are right to a microsecond.
        let later = SignedDuration::from_micros((1e6 * seconds).round() as i64);
        match &self.first {
            First::Number(_) => None,
            First::Calendar(t) => Some(t.checked_add(later).ok()?.to_string()),
            First::Instant(t, zone) | First::Local(t, zone) => {
                let instant = t.checked_add(later).ok()?;
                let offset = zone.to_offset(instant);
                Some(format!("{}{}", offset.to_datetime(instant), difference(offset.seconds())))
            }
        }
    }

    /// The time `seconds` after the first as it may be written beside the table: [`seconds`](Self::seconds) reads it back.
    pub fn written(&self, seconds: f64) -> String {
        match &self.first {
            First::Number(first) => (first + seconds / self.unit()).to_string(),
            _ => self.stamp(seconds).unwrap_or_default(),
        }
    }

    fn unit(&self) -> f64 {
        if let Style::Number(unit) = self.style { unit } else { 1.0 }
    }

    fn kind(&self) -> &'static str {
        match self.first {
            First::Number(_) => "a number",
            First::Instant(..) => "a calendar time with a zone",
            First::Calendar(_) | First::Local(..) => "a calendar time without a zone",
        }
    }
}

/// Whether clocks are set on at this time: the hours and Sundays of Europe (the last of March) and of
/// America (the second).
pub fn springs(moment: Moment) -> bool {
    matches!(moment, Moment::Calendar(t)
        if t.month() == 3 && t.minute() == 0 && matches!(t.hour(), 2..=4)
            && (t.day() > 24 || matches!(t.day(), 8..=14)))
}

/// The zone or offset that an instant was written with.
fn own_zone(stamp: &str) -> TimeZone {
    let zoned = stamp.parse::<jiff::Zoned>().map(|z| z.time_zone().clone());
    let offset = || {
        let parts = ["%Y-%m-%dT%H:%M:%S%.f%:z", "%Y-%m-%d %H:%M:%S%.f%:z"];
        let parts = parts.iter().find_map(|f| BrokenDownTime::parse(f, stamp).ok())?;
        parts.offset().map(TimeZone::fixed)
    };
    zoned.ok().or_else(offset).unwrap_or(TimeZone::UTC)
}

/// How far a clock is ahead of UTC, as RFC 3339 writes it; with seconds where clocks were set by the sun.
fn difference(seconds: i32) -> String {
    let sign = if seconds < 0 { '-' } else { '+' };
    let s = seconds.unsigned_abs();
    let text = format!("{sign}{:02}:{:02}", s / 3600, s / 60 % 60);
    if s.is_multiple_of(60) { text } else { format!("{text}:{:02}", s % 60) }
}

fn between(first: Timestamp, t: Timestamp) -> f64 {
    (t.as_nanosecond() - first.as_nanosecond()) as f64 / 1e9
}

/// What is said of a text that is no time.
pub fn unreadable(stamp: &str) -> Complaint {
    let found = if stamp.is_empty() {
        "the time is missing".to_owned()
    } else {
        format!("`{}` is not a time", clip(stamp))
    };
    let help = "write times as 2013-01-31T14:00:00Z, 2013-01-31 14:00, 2013-01-31, 31.01.2013 14:00, \
                or as numbers with `time_unit`; give other ways in `time_format`, as in \
                \"%d %b %y %H.%M\"";
    (format!("{found}; expected ISO-8601 or a number"), help.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(first: &str) -> Clock {
        match looks(first, Some(3600.0)).unwrap() {
            Looks::Like(style) => Clock::of(style, first, None).unwrap(),
            Looks::DayOrMonth => panic!("{first}"),
        }
    }

    #[test]
    fn every_way_of_writing_a_time() {
        let from = |first: &str, t: &str| {
            let clock = clock(first);
            clock.since_first(clock.read(t).unwrap(), t).unwrap()
        };
        assert_eq!(from("2.5", "4"), 5400.0);
        assert_eq!(from("2013-01-31", "2013-02-01"), 86_400.0);
        assert_eq!(from("2013-01-31 14:00", "2013-01-31T14:00:00.25"), 0.25);
        assert_eq!(from("2013-01-31T14:00:00Z", "2013-01-31T16:00:00+01:00"), 3600.0);
        assert_eq!(from("2013-10-27T02:30:00+02:00", "2013-10-27T02:30:00+01:00"), 3600.0);
        assert_eq!(from("2013-01-31T14:00Z", "2013-01-31T15:00+01:00[Europe/Paris]"), 0.0);
        assert_eq!(from("31.01.2013 23:00", "01.02.2013 00:00"), 3600.0);
        assert_eq!(from("1/31/2013 11:00 PM", "2/1/2013 12:00 AM"), 3600.0);
        assert_eq!(from("0,5", "1,0"), 1800.0);
        assert_eq!(from("0.5000D+00", "0.1000D+01"), 1800.0);
        assert_eq!(from("\u{2212}0.5", "0.5"), 3600.0);
        assert_eq!(from("00:59:59.5", "1:00:00"), 0.5);
        assert_eq!(from("23:59:59", "24:00:01,25"), 2.25);
        assert_eq!(from("59:59.5", "1:00:00.0"), 0.5);
    }

    #[test]
    fn what_is_no_time_or_another_kind_of_time_is_refused() {
        for bad in ["", "31/02/2013", "noon", "2013-02-30", "inf", "NaN", "2013-01-31T25:00"] {
            assert!(looks(bad, None).is_err(), "{bad}");
        }
        let clock = clock("2013-01-31T14:00:00Z");
        for t in ["2013-01-31T14:00:00", "17"] {
            assert!(clock.since_first(clock.read(t).unwrap(), t).is_err());
        }
        assert!(matches!(looks("03/04/2013", None), Ok(Looks::DayOrMonth)));
        assert!(looks("20130131", None).is_err_and(|e| e.0.contains("may be a date")));
        assert!(looks("20130131", Some(1.0)).is_ok());
    }

    #[test]
    fn times_given_beside_a_table_need_no_zone() {
        let seconds = |first: &str, text: &str| clock(first).seconds(text).unwrap();
        assert_eq!(seconds("2013-01-31T14:00:00+02:00", "2013-01-31T15:00:00"), 3600.0);
        assert_eq!(seconds("2013-01-31T14:00:00Z", "2013-02-01"), 36_000.0);
        assert_eq!(seconds("31.01.2013 14:00", "2013-02-01"), 36_000.0);
        assert_eq!(seconds("31.01.2013 14:00", "1.2.2013"), 36_000.0);
        let format = Style::Format("%d %b %y %H.%M".into());
        let clock = Clock::of(format, "31 Jan 13 14.00", None).unwrap();
        assert_eq!(clock.seconds("31 Jan 13 15.30").unwrap(), 5400.0);
        assert_eq!(clock.seconds("2013-02-01").unwrap(), 36_000.0);
        assert!(clock.seconds("soon").is_err());
    }
}
