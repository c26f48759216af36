//! Two instruments with clocks of their own: the response brought to the times of the drive.

use crate::error::Error;
use crate::record::series::Series;

/// The response at the rows that hold a drive but no response, linear between the values on either side, if both are
/// no further away than `tolerance` s. Rows that hold both stay as they are; rows that hold a response only are used
/// and then left without one where they helped.
pub fn matched(series: &Series, tolerance: f64) -> Result<(Vec<f64>, usize), Error> {
    if !(tolerance.is_finite() && tolerance > 0.0) {
        let expected = "a time > 0 s, the furthest that a value may be away";
        return Err(Error::OutOfRange { what: "the tolerance", found: tolerance, expected });
    }
    let time = series.time();
    let drive = series.drive();
    let response = series.response();
    let mut out = response.to_vec();
    let mut last = None::<usize>;
    let mut next = 0;
    let mut filled = 0;
    for i in 0..time.len() {
        if !response[i].is_nan() {
            last = Some(i);
            continue;
        }
        if drive[i].is_nan() {
            continue;
        }
        // Both indices only move on: the whole record is passed once.
        next = next.max(i);
        while next < time.len() && response[next].is_nan() {
            next += 1;
        }
        // A value further away than the tolerance may have seen a slip in between.
        let Some(before) = last.filter(|&j| time[i] - time[j] <= tolerance) else { continue };
        if next < time.len() && time[next] - time[i] <= tolerance {
            let share = (time[i] - time[before]) / (time[next] - time[before]);
            out[i] = response[before] + share * (response[next] - response[before]);
            filled += 1;
        }
    }
    Ok((out, filled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpolated_within_the_tolerance_only() {
        // The drive on even rows, the response on odd ones; a hole in the response from 200 to 220.
        let time: Vec<f64> = (0..600).map(|i| 300.0 * f64::from(i)).collect();
        let on = |i: usize, odd: bool| (i % 2 == 1) == odd;
        let drive: Vec<f64> =
            (0..600).map(|i| if on(i, false) { i as f64 } else { f64::NAN }).collect();
        let response: Vec<f64> = (0..600)
            .map(
                |i| if on(i, true) && !(200..220).contains(&i) { 2.0 * i as f64 } else { f64::NAN },
            )
            .collect();
        let series = Series::apart(&time, &drive, &response).unwrap();
        let (out, filled) = matched(&series, 300.0).unwrap();
        for i in (2..598).step_by(2) {
            let near = !(199..221).contains(&i) || i < 200;
            assert_eq!(out[i].is_nan(), !near, "{i}");
            assert!(!near || (out[i] - 2.0 * i as f64).abs() < 1e-9);
        }
        assert!(filled > 280 && matched(&series, 0.0).is_err());
    }
}
