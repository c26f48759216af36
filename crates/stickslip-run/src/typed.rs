//! The values of options as they are typed on a command line.

use crate::axis::{Axis, Values};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::ops::Range;
use std::result::Result;
use stickslip::study::order::Against;

/// A whole number that counts something.
pub(crate) fn count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if (1..=1_000_000).contains(&n) => Ok(n),
        _ => Err("expected a whole number from 1 to 1000000".to_owned()),
    }
}

/// The most solutions that are listed.
pub(crate) fn limit(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if (1..=100_000).contains(&n) => Ok(n),
        _ => Err("expected a whole number from 1 to 100000".to_owned()),
    }
}

/// A force, N.
pub(crate) fn epsilon(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(e) if e.is_finite() && e > 0.0 => Ok(e),
        _ => Err("expected a finite number > 0, in N".to_owned()),
    }
}

/// A share between 0 and 1.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(p) if p > 0.0 && p < 1.0 => Ok(p),
        _ => {
            Err(format!("`{text}` is not a number between 0 and 1; expected a share such as 0.99"))
        }
    }
}

/// `N` or `FROM..TO`.
pub(crate) fn paths(text: &str) -> Result<Range<u64>, String> {
    let number = |s: &str| {
        s.trim()
            .replace('_', "")
            .parse::<u64>()
            .map_err(|_| format!("`{s}` is not a whole number ≥ 0; expected N paths, or FROM..TO"))
    };
    let range = match text.split_once("..") {
        Some((from, to)) => number(from)?..number(to)?,
        None => 0..number(text)?,
    };
    match range.is_empty() {
        true => {
            Err("this range is empty; expected 1 path or more, or FROM..TO with FROM < TO"
                .to_owned())
        }
        false => Ok(range),
    }
}

/// What a scheme is compared with.
pub(crate) fn against() -> impl TypedValueParser<Value = Against> {
    PossibleValuesParser::new(["self", "exact"])
        .map(|what| if what == "self" { Against::Itself } else { Against::Exact })
}

/// `30d` or `30d:7d`: length and distance, s.
pub(crate) fn windows(text: &str) -> Result<(f64, f64), String> {
    stickslip_file::windows_in(text).map_err(|m| format!("{m}; write 30d or 30d:7d"))
}

/// `KEY.PATH=FROM:TO:COUNT`.
pub(crate) fn axis(text: &str) -> Result<Axis, String> {
    let found = Axis::parse(text).filter(|a| matches!(a.values, Values::Span(_)));
    found.map(|a| a.given_at("command line, --vary")).ok_or_else(|| {
        "expected KEY.PATH=FROM:TO:COUNT, for example oscillator.drive.0.harmonic.amplitude=0.5:3:31"
            .to_owned()
    })
}
