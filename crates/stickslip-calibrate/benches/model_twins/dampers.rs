//! A damper on a testing machine: friction elements, a spring and a viscous force.

use crate::draws::Draws;
use crate::table::{Number, Record};
use stickslip_calibrate::hysteresis::{Hysteresis, hysteresis};

/// The damper of a seed, fitted: one to three elements that slide at 2 to 30 % of the range of the displacement, forces with a
/// noise of 0.5 to 5 % of the friction.
pub fn fitted(seed: u64) -> Record {
    let mut draws = Draws(seed, 2 << 32);
    let range = 10e-3;
    let count = draws.within(1.0, 4.0) as usize;
    let elements: Vec<[f64; 2]> = (0..count)
        .map(|_| [range * 0.02 * 15f64.powf(draws.within(0.0, 1.0)), draws.within(20.0, 100.0)])
        .collect();
    let friction: f64 = elements.iter().map(|e| e[1]).sum();
    let (spring, damping) = (draws.within(0.0, 3e4), draws.within(0.0, 500.0));
    let offset = draws.within(-0.2, 0.2) * friction;
    let noise = draws.within(0.005, 0.05) * friction;
    let waves: Vec<[f64; 3]> = (0..2)
        .map(|_| [draws.within(0.3, 1.0), draws.within(0.5, 4.0), draws.within(0.0, 6.2)])
        .collect();
    let size: f64 = 2.0 * waves.iter().map(|w| w[0]).sum::<f64>();
    let at =
        |t: f64| waves.iter().map(|[a, w, p]| range * a / size * (w * t + p).sin()).sum::<f64>();
    let speed = |t: f64| {
        waves.iter().map(|[a, w, p]| range * a / size * w * (w * t + p).cos()).sum::<f64>()
    };
    let time: Vec<f64> = (0..3000).map(|i| 0.01 * f64::from(i)).collect();
    let (mut stretch, mut before) = (vec![0.0f64; count], at(0.0));
    let (mut x, mut force) = (Vec::new(), Vec::new());
    for &t in &time {
        let mut f = offset + spring * at(t) + damping * speed(t) + noise * draws.normal();
        for (s, [r, most]) in stretch.iter_mut().zip(&elements) {
            *s = (*s + at(t) - before).clamp(-r, *r);
            f += most * *s / r;
        }
        before = at(t);
        x.push(before);
        force.push(f);
    }
    let found = match hysteresis(&time, &x, &force, &Hysteresis::default()) {
        Ok(found) => found,
        Err(e) => {
            println!("damper {seed}: {e}");
            return Record::default();
        }
    };
    let p = found.parameters;
    let stiffness = spring + elements.iter().map(|[r, f]| f / r).sum::<f64>();
    let all = [
        ("friction", friction, p.friction),
        ("stiffness at a reversal", stiffness, p.stiffness),
        ("spring", spring, p.spring),
        ("damping", damping, p.damping),
    ];
    let number =
        |(name, truth, found): (&str, f64, _)| Number { name: name.to_owned(), truth, found };
    Record {
        numbers: all.into_iter().map(number).collect(),
        believed: found.warnings.is_empty(),
        misjudged: false,
        left: [found.rmse, noise],
    }
}
