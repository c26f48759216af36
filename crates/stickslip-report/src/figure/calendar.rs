//! Ticks at round dates and times of day.

use super::text::Text;
use super::ticks::{Room, Ticks};
use jiff::civil::{Date, DateTime};
use jiff::{Timestamp, ToSpan, tz::Offset};

/// A distance between ticks.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    Seconds(i64),
    /// These days of every month.
    Days(&'static [i8]),
    Months(i8),
    Years(i16),
}

const EVERY_OTHER: [i8; 15] = [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29];
const EVERY: [i8; 31] = {
    let mut days = [0; 31];
    let mut i = 0;
    while i < 31 {
        days[i] = i as i8 + 1;
        i += 1;
    }
    days
};

/// From fine to coarse.
const STEPS: [Step; 37] = {
    use Step::{Days, Months, Seconds, Years};
    [
        Seconds(1),
        Seconds(2),
        Seconds(5),
        Seconds(10),
        Seconds(15),
        Seconds(30),
        Seconds(60),
        Seconds(120),
        Seconds(300),
        Seconds(600),
        Seconds(900),
        Seconds(1800),
        Seconds(3600),
        Seconds(2 * 3600),
        Seconds(3 * 3600),
        Seconds(6 * 3600),
        Seconds(12 * 3600),
        Days(&EVERY),
        Days(&EVERY_OTHER),
        Days(&[1, 6, 11, 16, 21, 26]),
        Days(&[1, 8, 15, 22]),
        Days(&[1, 15]),
        Months(1),
        Months(2),
        Months(3),
        Months(6),
        Years(1),
        Years(2),
        Years(5),
        Years(10),
        Years(20),
        Years(50),
        Years(100),
        Years(200),
        Years(500),
        Years(1000),
        Years(2000),
    ]
};

/// More candidates than this are not worth making into labels.
const MANY: usize = 40;

impl Step {
    /// About how long it is, s.
    fn seconds(self) -> f64 {
        const DAY: f64 = 86_400.0;
        match self {
            Self::Seconds(s) => s as f64,
            Self::Days(days) => 30.4 * DAY / days.len() as f64,
            Self::Months(n) => 30.4 * DAY * f64::from(n),
            Self::Years(n) => 365.25 * DAY * f64::from(n),
        }
    }

    /// The ticks within [from, to].
    fn between(self, from: DateTime, to: DateTime) -> Option<Vec<DateTime>> {
        let mut out = Vec::new();
        match self {
            Self::Seconds(s) => {
                let midnight = from.date().to_datetime(jiff::civil::Time::midnight());
                let mut at = midnight;
                // From midnight on, so that every step that divides a day falls on round times.
                let skip = (i64::from(from.hour()) * 3600
                    + i64::from(from.minute()) * 60
                    + i64::from(from.second()))
                    / s;
                at = at.checked_add((skip * s).seconds()).ok()?;
                while at <= to {
                    if at >= from {
                        out.push(at);
                    }
                    at = at.checked_add(s.seconds()).ok()?;
                }
            }
            Self::Days(days) => {
                let mut month = from.date().first_of_month();
                while month.at(0, 0, 0, 0) <= to {
                    let dates =
                        days.iter().filter_map(|&d| Date::new(month.year(), month.month(), d).ok());
                    out.extend(dates.map(|d| d.at(0, 0, 0, 0)).filter(|d| (from..=to).contains(d)));
                    month = month.checked_add(1.month()).ok()?;
                }
            }
            Self::Months(n) => {
                let start = (from.month() - 1) / n * n + 1;
                let mut at = Date::new(from.year(), start, 1).ok()?.at(0, 0, 0, 0);
                while at <= to {
                    if at >= from {
                        out.push(at);
                    }
                    at = at.checked_add(n.months()).ok()?;
                }
            }
            Self::Years(n) => {
                let mut year = from.year().div_euclid(n) * n;
                while year <= to.year() {
                    let at = Date::new(year, 1, 1).ok()?.at(0, 0, 0, 0);
                    if at >= from && at <= to {
                        out.push(at);
                    }
                    year = year.checked_add(n)?;
                }
            }
        }
        Some(out)
    }

    /// First and second line of the label of a tick.
    fn label(self, at: DateTime) -> (String, String) {
        let month = MONTHS[(at.month() - 1) as usize];
        let year = format!("{:04}", at.year());
        let day = format!("{} {month}", at.day());
        let time = format!("{:02}:{:02}", at.hour(), at.minute());
        match self {
            Self::Seconds(s) if s < 60 => {
                (format!("{time}:{:02}", at.second()), format!("{day} {year}"))
            }
            Self::Seconds(_) => (time, format!("{day} {year}")),
            Self::Days(_) => (day, year),
            Self::Months(_) => (month.to_owned(), year),
            Self::Years(_) => (year, String::new()),
        }
    }
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Ticks from `low` to `high`, values in seconds after `origin` (Unix seconds). `None` when the range is
/// shorter than some seconds or beyond the calendar.
pub(crate) fn ticks(low: f64, high: f64, origin: f64, offset: i32, room: &Room) -> Option<Ticks> {
    let offset = Offset::from_seconds(offset).ok()?;
    let civil = |value: f64| {
        let unix = value + origin;
        // The conversion saturates; jiff refuses what it cannot hold.
        Timestamp::new(unix.floor() as i64, 0).ok().map(|t| offset.to_datetime(t))
    };
    let value = |at: DateTime| offset.to_timestamp(at).ok().map(|t| t.as_second() as f64 - origin);
    let from = civil(low)?;
    let to = civil(high)?;
    let range = high - low;
    if range < 3.0 {
        return None;
    }
    for step in STEPS.into_iter().filter(|s| range / s.seconds() <= MANY as f64) {
        let dates = step.between(from, to)?;
        let place = |v: f64| (v - low) / range;
        let mut major = Vec::new();
        let mut second: Vec<(f64, Text)> = Vec::new();
        let mut last = String::new();
        for at in dates {
            let v = value(at)?;
            if !(0.0..=1.0).contains(&place(v)) {
                continue;
            }
            let (first, context) = step.label(at);
            major.push((v, Text::plain(first)));
            if context != last {
                second.push((v, Text::plain(context.clone())));
                last = context;
            }
        }
        if major.len() > room.most() + 5 || !room.fits(major.iter().map(|(v, l)| (place(*v), l))) {
            continue;
        }
        if major.len() < 2 && range / step.seconds() < 1.0 {
            return None;
        }
        // Where two contexts would touch, the later one names a change and stays.
        let mut context: Vec<(f64, Text)> = Vec::new();
        for (v, l) in second.into_iter().rev() {
            let next = context.last().map(|(w, m)| (place(*w), m));
            if l.is_empty() || !room.fits([(place(v), &l)].into_iter().chain(next)) {
                continue;
            }
            context.push((v, l));
        }
        context.reverse();
        return Some(Ticks { major, context, ..Ticks::default() });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DAY: f64 = 86_400.0;
    /// 2013-01-01T00:00Z.
    const ORIGIN: f64 = 1_356_998_400.0;
    const WIDE: Room = Room { length: 560.0, size: 15.0, across: true };

    fn lines(low: f64, high: f64, offset: i32) -> (Vec<String>, Vec<String>) {
        let t = ticks(low, high, ORIGIN, offset, &WIDE).unwrap();
        let flat = |v: &[(f64, Text)]| v.iter().map(|(_, l)| l.flat()).collect();
        (flat(&t.major), flat(&t.context))
    }

    #[test]
    fn a_year_in_months() {
        let (major, context) = lines(0.0, 365.0 * DAY, 0);
        assert_eq!(major[..4], ["Jan", "Feb", "Mar", "Apr"]);
        assert_eq!(context, ["2013", "2014"]);
    }

    #[test]
    fn a_day_in_hours_and_the_clock_on_the_wall() {
        let (major, context) = lines(0.0, DAY, 0);
        assert_eq!(
            major,
            ["00:00", "03:00", "06:00", "09:00", "12:00", "15:00", "18:00", "21:00", "00:00"]
        );
        assert_eq!(context, ["1 Jan 2013", "2 Jan 2013"]);
        let t = ticks(0.0, DAY, ORIGIN, -5 * 3600, &WIDE).unwrap();
        // Five hours west of Greenwich, midnight comes five hours later.
        let midnight = t.major.iter().find(|(_, l)| l.flat() == "00:00").unwrap();
        assert_eq!(midnight.0, 5.0 * 3600.0);
    }

    #[test]
    fn weeks_and_years() {
        assert_eq!(
            lines(0.0, 30.0 * DAY, 0).0,
            ["1 Jan", "6 Jan", "11 Jan", "16 Jan", "21 Jan", "26 Jan"]
        );
        assert_eq!(lines(0.0, 7305.0 * DAY, 0).0[..2], ["2014", "2016"]);
    }

    proptest! {
        #[test]
        fn dates_rise_and_fit(low in -3e9..3e9f64, e in 0.7..10.0f64, length in 180.0..900.0f64) {
            let high = low + 10f64.powf(e);
            let room = Room { length, ..WIDE };
            if let Some(t) = ticks(low, high, 0.0, 0, &room) {
                prop_assert!(t.major.windows(2).all(|w| w[0].0 < w[1].0));
                prop_assert!(t.major.iter().all(|(v, _)| *v >= low && *v <= high));
                let place = |v: f64| (v - low) / (high - low);
                prop_assert!(room.fits(t.major.iter().map(|(v, l)| (place(*v), l))));
                prop_assert!(room.fits(t.context.iter().map(|(v, l)| (place(*v), l))));
            }
        }

        #[test]
        fn no_range_panics(low: f64, high: f64, origin: f64, offset: i32) {
            let _ = ticks(low, high, origin, offset, &WIDE);
        }
    }
}
