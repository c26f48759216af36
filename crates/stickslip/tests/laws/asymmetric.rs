//! Laws that differ with the direction.

use crate::common::paths::differences;
use stickslip::scheme::oscillator::adaptive::{self, Options};
use stickslip::scheme::oscillator::exact;
use stickslip::{Law, Oscillator, Signal};

#[test]
fn different_forwards_and_backwards() {
    let law = Law::asymmetric(Law::static_dynamic(1.0, 0.7).unwrap(), Law::coulomb(0.4).unwrap())
        .unwrap();
    let o = Oscillator::new(1.0, 1.0, law)
        .with_drive(Signal::harmonic(3.0, 0.4, 0.0))
        .starting_at(2.0, 0.0);
    let a = exact::solve(&o, 60.0).unwrap();
    let b = adaptive::solve(&o, 60.0, Options::tolerance(1e-12)).unwrap();
    let (state, time) = differences(&a, &b);
    assert!(state < 1e-8 && time < 1e-8 && a.events().len() > 8, "{state:e} {time:e}");
    // its mirror image: x → −x with the two laws exchanged
    let mirror =
        Law::asymmetric(Law::coulomb(0.4).unwrap(), Law::static_dynamic(1.0, 0.7).unwrap())
            .unwrap();
    let m = Oscillator::new(1.0, 1.0, mirror)
        .with_drive(Signal::harmonic(-3.0, 0.4, 0.0))
        .starting_at(-2.0, 0.0);
    let c = exact::solve(&m, 60.0).unwrap();
    for (p, q) in a.sample(500).zip(c.sample(500)) {
        assert!((p.1.x + q.1.x).abs() < 1e-12 && (p.1.v + q.1.v).abs() < 1e-12);
    }
}
