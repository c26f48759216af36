//! How far two paths of an oscillator are apart.

use stickslip::Trajectory;

/// The largest distances of two paths in state and in the times of their events, which must be of the same kinds.
pub fn differences(a: &Trajectory, b: &Trajectory) -> (f64, f64) {
    let kinds = |p: &Trajectory| p.events().iter().map(|e| e.kind).collect::<Vec<_>>();
    assert_eq!(kinds(a), kinds(b), "{:?}\n{:?}", a.events(), b.events());
    let times = a.events().iter().zip(b.events()).map(|(a, b)| (a.time - b.time).abs());
    (distance(a, b), times.fold(0.0, f64::max))
}

/// The largest distance of two paths in state, at 2001 times.
pub fn distance(a: &Trajectory, b: &Trajectory) -> f64 {
    let states =
        a.sample(2001).zip(b.sample(2001)).map(|(a, b)| (a.1.x - b.1.x).hypot(a.1.v - b.1.v));
    states.fold(0.0, f64::max)
}
