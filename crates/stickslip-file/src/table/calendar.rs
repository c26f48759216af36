//! Dates as people and instruments write them: 31.01.2013 14:00, 1/31/2013 2:00 PM, 31-Jan-2013.

use jiff::civil::{Date, DateTime, Time};
use jiff::{Span, ToSpan};

/// Which of the numbers of a date is which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// 2013/01/31.
    Year,
    /// 31/01/2013.
    Day,
    /// 01/31/2013.
    Month,
}

/// What a date may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PossibleDate {
    /// This, in this order.
    Sure(DateTime, Order),
    /// Day first, or month first.
    Either(DateTime, DateTime),
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// A date with or without a time of day; `None` if it is no date.
pub fn find(text: &str) -> Option<PossibleDate> {
    let (date, clock) = split(text)?;
    let time = time_of_day(clock)?;
    let [a, b, c] = parts(date)?;
    let at = |y: &str, m: &str, d: &str| instant(y, m, d, time);
    if is_year(a) {
        return at(a, b, c).map(|t| PossibleDate::Sure(t, Order::Year));
    }
    if !is_year(c) {
        return None;
    }
    // A date with dots, or with the name of a month, begins with the day.
    if date.contains('.') || b.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return at(c, b, a).map(|t| PossibleDate::Sure(t, Order::Day));
    }
    match (at(c, b, a), at(c, a, b)) {
        (Some(day), Some(month)) if day != month => Some(PossibleDate::Either(day, month)),
        (Some(day), Some(_)) => Some(PossibleDate::Either(day, day)),
        (Some(day), None) => Some(PossibleDate::Sure(day, Order::Day)),
        (None, Some(month)) => Some(PossibleDate::Sure(month, Order::Month)),
        (None, None) => None,
    }
}

/// A date in a known order.
pub fn parse(text: &str, order: Order) -> Option<DateTime> {
    match (find(text)?, order) {
        (PossibleDate::Sure(t, found), _) if found == order => Some(t),
        (PossibleDate::Either(day, _), Order::Day) => Some(day),
        (PossibleDate::Either(_, month), Order::Month) => Some(month),
        _ => None,
    }
}

/// The date and the time of day.
fn split(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let end = text.find([' ', 'T']).unwrap_or(text.len());
    let (date, clock) = text.split_at(end);
    Some((date.trim_end_matches(','), clock.trim_start_matches([' ', 'T'])))
}

fn parts(date: &str) -> Option<[&str; 3]> {
    let separator = date.chars().find(|c| matches!(c, '.' | '/' | '-'))?;
    let mut parts = date.split(separator);
    let found = [parts.next()?, parts.next()?, parts.next()?];
    // German dates may end in a dot: 31.1.2013.
    matches!(parts.next(), None | Some("")).then_some(found)
}

fn is_year(part: &str) -> bool {
    part.len() == 4 && part.bytes().all(|b| b.is_ascii_digit())
}

fn number(part: &str, most: usize) -> Option<i16> {
    let plain = (1..=most).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| part.parse().ok()).flatten()
}

fn instant(year: &str, month: &str, day: &str, (time, later): (Time, Span)) -> Option<DateTime> {
    let named = || MONTHS.iter().position(|m| month.to_ascii_lowercase().starts_with(m));
    let month = match number(month, 2) {
        Some(m) => m,
        None if month.len() >= 3 => i16::try_from(named()? + 1).ok()?,
        None => return None,
    };
    let month = i8::try_from(month).ok()?;
    let day = i8::try_from(number(day, 2)?).ok()?;
    let date = Date::new(number(year, 4)?, month, day).ok()?;
    date.to_datetime(time).checked_add(later).ok()
}

/// `14:00`, `14:00:00.25`, `2:00 PM`, `24:00` (the end of the day), nothing: midnight.
fn time_of_day(text: &str) -> Option<(Time, Span)> {
    if text.is_empty() {
        return Some((Time::midnight(), Span::new()));
    }
    let lower = text.to_ascii_lowercase();
    let half = ["am", "a.m.", "pm", "p.m."].into_iter().find(|h| lower.ends_with(h));
    let digits = text[..text.len() - half.map_or(0, str::len)].trim_end();
    let mut parts = digits.split(':');
    let hour = number(parts.next()?, 2)?;
    let minute = number(parts.next()?, 2)?;
    let (second, fraction) = seconds(parts.next().unwrap_or("0"))?;
    if parts.next().is_some() {
        return None;
    }
    let hour = match half.map(|h| h.starts_with('p')) {
        None => hour,
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some(after_noon) => hour % 12 + if after_noon { 12 } else { 0 },
    };
    let [hour, minute, second] = [hour, minute, second].map(i8::try_from);
    let hour = hour.ok()?;
    let minute = minute.ok()?;
    let second = second.ok()?;
    if (hour, minute, second, fraction) == (24, 0, 0, 0) {
        return Some((Time::midnight(), 1.day()));
    }
    Time::new(hour, minute, second, fraction).ok().map(|t| (t, Span::new()))
}

/// Whole seconds and nanoseconds.
fn seconds(text: &str) -> Option<(i16, i32)> {
    let Some((whole, fraction)) = text.split_once(['.', ',']) else {
        return Some((number(text, 2)?, 0));
    };
    let plain = !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit());
    let nine: String = fraction.chars().chain("000000000".chars()).take(9).collect();
    plain.then(|| Some((number(whole, 2)?, nine.parse().ok()?))).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sure(text: &str) -> String {
        match find(text) {
            Some(PossibleDate::Sure(t, _)) => t.to_string(),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn dates_that_can_be_read_in_one_way() {
        for text in [
            "31.01.2013 14:05",
            "31.1.2013 14:05:00",
            "2013/01/31 14:05",
            "2013/1/31 2:05 PM",
            "31/01/2013 14:05",
            "1/31/2013 2:05:00 pm",
            "31-Jan-2013 14:05",
            "31-january-2013 14:05",
            "31-01-2013T14:05",
        ] {
            assert_eq!(sure(text), "2013-01-31T14:05:00", "{text}");
        }
        assert_eq!(sure("31.12.2013 24:00"), "2014-01-01T00:00:00");
        assert_eq!(sure("31.12.2013"), "2013-12-31T00:00:00");
        assert_eq!(sure("31.12.2013 00:00:01,25"), "2013-12-31T00:00:01.25");
        assert_eq!(sure("2013/12/31 12:30 AM"), "2013-12-31T00:30:00");
    }

    #[test]
    fn dates_that_can_be_read_in_two_ways_or_in_none() {
        assert!(matches!(find("03/04/2013 10:00"), Some(PossibleDate::Either(a, b)) if a != b));
        assert_eq!(parse("03/04/2013", Order::Day).unwrap().to_string(), "2013-04-03T00:00:00");
        assert_eq!(parse("03/04/2013", Order::Month).unwrap().to_string(), "2013-03-04T00:00:00");
        assert_eq!(parse("31/01/2013", Order::Month), None);
        for text in
            ["31.02.2013", "31.01.13", "noon", "1.5", "2013-01", "31.01.2013 25:00", "1.2.3"]
        {
            assert_eq!(find(text), None, "{text}");
        }
    }
}
