//! Logs: their pieces, their repetitions, their spikes.

use super::{LOAD, angles, log, small};
use crate::joint::gear::Load;
use crate::joint::logs::{LeftOut, Log};
use crate::joint::repetitions::repetitions;
use stickslip::portable;

/// A parabola has its own angle and speed at every anchor.
#[test]
fn pieces_begin_as_they_were_measured() {
    let mut one = log(3, LOAD);
    one.position = one.time.iter().map(|t| 0.2 + 1.5 * t - 0.8 * t * t).collect();
    let cut = one.in_pieces(0.4);
    // 6 s at 100 Hz in pieces of 0.4 s.
    assert_eq!(cut.anchors.len(), 14, "{:?}", cut.anchors);
    for anchor in &cut.anchors {
        let t = one.time[anchor.row];
        let [angle, speed] = anchor.state;
        assert!((angle - one.position[anchor.row]).abs() < 1e-12, "{anchor:?}");
        assert!((speed - (1.5 - 1.6 * t)).abs() < 1e-9, "{anchor:?}");
    }
    // After an anchor the replay goes on from there: the row behind it is one of a motion that began with its state.
    let simulated = angles(&small(), &cut);
    let anchor = cut.anchors[2];
    let begins = one.time[anchor.row];
    let rest = Log {
        time: one.time[anchor.row..].iter().map(|t| t - begins).collect(),
        goal: one.goal[anchor.row..].to_vec(),
        position: vec![0.0; one.time.len() - anchor.row],
        start: anchor.state,
        ..one.clone()
    };
    let own = angles(&small(), &rest);
    assert!((simulated[anchor.row + 5] - own[5]).abs() < 1e-9);
    // A row without an angle is no anchor.
    one.position[40] = f64::NAN;
    assert!(one.in_pieces(0.4).anchors.iter().all(|a| a.row.abs_diff(40) > 3));
}

/// Two noises on one motion differ by the noise; a third log with another load is no repetition.
#[test]
fn repetitions_are_found_by_their_goals() {
    let mut first = log(1, LOAD);
    first.position = angles(&small(), &first);
    let mut second = first.clone();
    second.position.iter_mut().for_each(|p| *p += 0.003);
    let other = Log { load: Load { inertia: 0.006, gravity: 0.7 }, ..first.clone() };
    let near = repetitions(&[&first, &second, &other]);
    let of_first = near[0].unwrap();
    assert!(of_first.nearest == 1 && (of_first.apart - 0.003).abs() < 1e-12);
    assert!(near[1].is_some_and(|r| r.nearest == 0) && near[2].is_none());
}

/// Four repetitions, two and two near each other: all of them are one observation.
#[test]
fn repetitions_that_are_near_in_pairs_are_one_cluster() {
    let by = |apart: f64| {
        let mut one = log(1, LOAD);
        one.position = angles(&small(), &one);
        one.position.iter_mut().for_each(|p| *p += apart);
        one
    };
    let logs = [by(0.0), by(0.02), by(0.001), by(0.021)];
    let all: Vec<&Log> = logs.iter().collect();
    let near: Vec<_> = repetitions(&all).into_iter().flatten().collect();
    assert_eq!(near.iter().map(|r| r.nearest).collect::<Vec<_>>(), [2, 3, 0, 1]);
    assert_eq!(near.iter().map(|r| r.first).collect::<Vec<_>>(), [0; 4]);
}

/// Single rows far from both neighbours are spikes; a fast motion is not.
#[test]
fn a_fast_motion_is_no_spike() {
    let mut log = log(1, LOAD);
    log.position = log.time.iter().map(|t| 1.5 * portable::sin(12.0 * t)).collect();
    assert_eq!(log.clone().cleaned(), LeftOut::default());
    log.position[77] -= 0.3;
    log.position[333] += 0.9;
    assert_eq!(log.cleaned().spikes, 2);
    assert!(log.position[77].is_nan() && log.position[333].is_nan());
}
