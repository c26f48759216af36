//! Times of a table: ISO-8601 with or without a zone, or numbers.

use super::clip;
use jiff::Timestamp;
use jiff::civil::{DateTime, Weekday};
use jiff::tz::TimeZone;

/// Unit of numeric times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// `s`.
    Second,
    /// `min`.
    Minute,
    /// `h`.
    Hour,
    /// `d`.
    Day,
}

/// Every unit by its name in files.
pub const TIME_UNITS: [(&str, TimeUnit); 4] = [
    ("s", TimeUnit::Second),
    ("min", TimeUnit::Minute),
    ("h", TimeUnit::Hour),
    ("d", TimeUnit::Day),
];

impl TimeUnit {
    /// Its length, s.
    pub fn seconds(self) -> f64 {
        match self {
            Self::Second => 1.0,
            Self::Minute => 60.0,
            Self::Hour => 3600.0,
            Self::Day => 86_400.0,
        }
    }
}

/// How the times of a table are written, and the first of them: t = 0.
#[derive(Debug, Clone, PartialEq)]
pub enum Clock {
    /// Numbers in a unit.
    Number {
        /// First time, in the unit.
        first: f64,
        /// Length of the unit, s.
        unit: f64,
    },
    /// Instants: calendar times with a zone or an offset.
    Instant(Timestamp),
    /// Calendar times without a zone, taken as those of one uniform clock.
    Calendar(DateTime),
    /// Calendar times of a zone that was named.
    Local {
        /// First time.
        first: Timestamp,
        /// The zone.
        zone: TimeZone,
    },
}

/// A message and its remedy.
type Complaint = (String, String);

impl Clock {
    /// The clock whose first time is `stamp`.
    pub fn of(stamp: &str, unit: Option<TimeUnit>) -> Result<Self, Complaint> {
        if let Ok(first) = stamp.parse::<f64>() {
            let unit = unit.unwrap_or(TimeUnit::Second).seconds();
            return if first.is_finite() {
                Ok(Self::Number { first, unit })
            } else {
                Err(unreadable(stamp))
            };
        }
        if let Ok(instant) = stamp.parse::<Timestamp>() {
            return Ok(Self::Instant(instant));
        }
        stamp.parse::<DateTime>().map(Self::Calendar).map_err(|_| unreadable(stamp))
    }

    /// The same clock, of a place.
    pub fn at(self, zone: &TimeZone) -> Result<Self, Complaint> {
        let Self::Calendar(first) = self else { return Ok(self) };
        let zone = zone.clone();
        let stamp = first.to_string();
        let first = zone.to_ambiguous_timestamp(first).compatible();
        Ok(Self::Local { first: first.map_err(|_| unreadable(&stamp))?, zone })
    }

    /// Seconds from the first time to `stamp`, the second time that it comes: an hour repeats in autumn.
    pub fn second_time(&self, stamp: &str) -> Option<f64> {
        match (self, Self::of(stamp, None)) {
            (Self::Local { first, zone }, Ok(Self::Calendar(t))) => {
                zone.to_ambiguous_timestamp(t).later().ok().map(|t| between(*first, t))
            }
            _ => None,
        }
    }

    /// Whether clocks without a zone may be changed about `stamp`: before five in the morning of a Sunday.
    pub fn may_change(&self, stamp: &str) -> bool {
        matches!((self, Self::of(stamp, None)), (Self::Calendar(_), Ok(Self::Calendar(t)))
            if t.weekday() == Weekday::Sunday && t.hour() < 5 && matches!(t.month(), 3 | 4 | 9 | 10 | 11))
    }

    /// Whether clocks are set on at `stamp`: the hours and Sundays of Europe (the last of March) and of America (the
    /// second).
    pub fn springs(&self, stamp: &str) -> bool {
        matches!(Self::of(stamp, None), Ok(Self::Calendar(t))
            if t.month() == 3 && t.minute() == 0 && matches!(t.hour(), 2..=4)
                && (t.day() > 24 || matches!(t.day(), 8..=14)))
    }

    /// Seconds from the first time to `stamp`.
    pub fn seconds(&self, stamp: &str) -> Result<f64, Complaint> {
        match (self, Self::of(stamp, None)?) {
            (Self::Number { first, unit }, Self::Number { first: t, .. }) => Ok((t - first) * unit),
            (Self::Instant(first), Self::Instant(t)) => Ok(between(*first, t)),
            (Self::Calendar(first), Self::Calendar(t)) => {
                let instant =
                    |d: &DateTime| TimeZone::UTC.to_timestamp(*d).map_err(|_| unreadable(stamp));
                Ok(between(instant(first)?, instant(&t)?))
            }
            (Self::Local { first, zone }, Self::Calendar(t)) => {
                let instant = zone.to_ambiguous_timestamp(t).compatible();
                Ok(between(*first, instant.map_err(|_| unreadable(stamp))?))
            }
            (expected, found) => Err((
                format!(
                    "`{}` is {}, but the first row is {}",
                    clip(stamp),
                    found.kind(),
                    expected.kind()
                ),
                "write every time in the same way".to_owned(),
            )),
        }
    }

    /// Whether times are dates rather than numbers.
    pub fn is_calendar(&self) -> bool {
        !matches!(self, Self::Number { .. })
    }

    /// The first time in seconds of the Unix epoch, if times are dates (without a zone: as if UTC).
    pub fn epoch(&self) -> Option<f64> {
        let instant = match self {
            Self::Number { .. } => return None,
            Self::Instant(t) | Self::Local { first: t, .. } => *t,
            Self::Calendar(t) => TimeZone::UTC.to_timestamp(*t).ok()?,
        };
        Some(instant.as_nanosecond() as f64 / 1e9)
    }

    /// The first time, as text.
    pub fn origin(&self) -> String {
        match self {
            Self::Number { first, .. } => format!("{first}"),
            Self::Instant(t) | Self::Local { first: t, .. } => t.to_string(),
            Self::Calendar(t) => t.to_string(),
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Number { .. } => "a number",
            Self::Instant(_) => "a calendar time with a zone",
            Self::Calendar(_) | Self::Local { .. } => "a calendar time without a zone",
        }
    }
}

fn between(first: Timestamp, t: Timestamp) -> f64 {
    (t.as_nanosecond() - first.as_nanosecond()) as f64 / 1e9
}

fn unreadable(stamp: &str) -> Complaint {
    let found = if stamp.is_empty() {
        "the time is missing".to_owned()
    } else {
        format!("`{}` is not a time", clip(stamp))
    };
    (
        format!("{found}; expected ISO-8601 or a number"),
        "write times as 2013-01-31T14:00:00Z, 2013-01-31 14:00, 2013-01-31, or as \
                 numbers with `time_unit`"
            .to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_of_writing_a_time() {
        let from = |first: &str, t: &str| {
            Clock::of(first, Some(TimeUnit::Hour)).unwrap().seconds(t).unwrap()
        };
        assert_eq!(from("2.5", "4"), 5400.0);
        assert_eq!(from("2013-01-31", "2013-02-01"), 86_400.0);
        assert_eq!(from("2013-01-31 14:00", "2013-01-31T14:00:00.25"), 0.25);
        assert_eq!(from("2013-01-31T14:00:00Z", "2013-01-31T16:00:00+01:00"), 3600.0);
        assert_eq!(from("2013-10-27T02:30:00+02:00", "2013-10-27T02:30:00+01:00"), 3600.0);
        assert_eq!(from("2013-01-31T14:00Z", "2013-01-31T15:00+01:00[Europe/Paris]"), 0.0);
    }

    #[test]
    fn what_is_no_time_or_another_kind_of_time_is_refused() {
        for bad in ["", "31/01/2013", "noon", "2013-02-30", "inf", "NaN", "2013-01-31T25:00"] {
            assert!(Clock::of(bad, None).is_err(), "{bad}");
        }
        let clock = Clock::of("2013-01-31T14:00:00Z", None).unwrap();
        assert!(clock.seconds("2013-01-31T14:00:00").is_err());
        assert!(clock.seconds("17").is_err());
    }
}
