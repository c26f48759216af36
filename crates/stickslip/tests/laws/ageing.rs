//! Laws whose limit grows with the time at rest.

use stickslip::law::{Ageing, Growth};
use stickslip::scheme::oscillator::adaptive::{self, Options};
use stickslip::scheme::oscillator::implicit_euler;
use stickslip::{EventKind, Law, Oscillator, Signal};

fn ageing(growth: Growth) -> Law {
    Law::Ageing(Ageing::new(1.0, growth).unwrap())
}

/// The load grows slower than the limit: the mass never leaves; faster: it leaves where they meet.
#[test]
fn creep_of_ageing_laws() {
    type Case = (Growth, fn(f64) -> f64);
    let laws: [Case; 3] = [
        (Growth::Exponential { breakaway: 3.0, time: 2.0 }, |a| 3.0 - 2.0 * (-a / 2.0).exp()),
        (Growth::Logarithmic { breakaway: 3.0, time: 2.0 }, |a| 1.0 + 2.0 * (a / 2.0).ln_1p()),
        (Growth::Power { breakaway: 3.0, time: 2.0, exponent: 0.5 }, |a| {
            1.0 + 2.0 * (a / 2.0).sqrt()
        }),
    ];
    for (growth, h) in laws {
        let o = Oscillator::new(1.0, 0.0, ageing(growth)).with_force(Signal::ramp(0.9, 0.0));
        let path = adaptive::solve(&o, 10.0, Options::tolerance(1e-11)).unwrap();
        let slip = path.events()[0];
        assert_eq!(slip.kind, EventKind::Slip);
        // bisection on 0.9 t = h(t), the only crossing in (1, 10)
        let (mut a, mut b) = (1.0, 10.0);
        for _ in 0..200 {
            let mid = 0.5 * (a + b);
            if 0.9 * mid < h(mid) { a = mid } else { b = mid }
        }
        assert!((slip.time - a).abs() < 1e-11, "{slip:?} {a}");
        // time stepping gets there to first order
        let coarse = implicit_euler::solve(&o, 10.0, 0.01).unwrap().events()[0].time;
        assert!((coarse - a).abs() < 0.02);
    }
}
