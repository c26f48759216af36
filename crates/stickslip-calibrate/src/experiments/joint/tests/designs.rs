//! What a design of further logs promises.

use super::{LOAD, angles, log, small};
use crate::control::Unwatched;
use crate::joint::logs::Log;
use crate::joint::search::{derivatives, starts, sum};
use crate::joint::{Joined, Known, Limits, Recorded, Slot, Sought, Ways, design};
use crate::statistics::random::Draws;

/// Two pendulums that only differ by k and R with k/R the same cannot be told apart while the motor is always on and the viscous
/// friction is sought: no designed log promises to tell them, while the friction is known better. Limits hold with every joint
/// within the errors, and limits that nothing meets are refused.
#[test]
fn a_design_promises_nothing_for_what_no_log_can_show() {
    let mut of = small();
    of.set(Slot::Viscous(Ways::Both), 0.05);
    let mut logs: Vec<Log> = (0..3).map(|k| log(k, LOAD)).collect();
    for log in &mut logs {
        log.position = angles(&of, log);
        log.cleaned();
    }
    let slots = [
        Slot::TorqueConstant,
        Slot::Resistance,
        Slot::Viscous(Ways::Both),
        Slot::Dynamic(Ways::Both),
    ];
    // The joint lies in the middle of each, so that joints within the errors are not cut off at one end.
    let ranges = [[0.1, 0.7], [1.0, 7.0], [0.0, 0.1], [0.0, 0.06]];
    let sought: Vec<Sought> =
        slots.iter().zip(ranges).map(|(slot, range)| Sought { slot: *slot, range }).collect();
    let all: Vec<&Log> = logs.iter().collect();
    let spread = 1e-6;
    let part = sum(&derivatives(&of, &slots, &all, &starts(&all)));
    let known = Known {
        names: slots.iter().map(|s| format!("{s:?}")).collect(),
        above: vec![None; 4],
        precision: part.curvature.iter().map(|c| c / spread).collect(),
        sought,
        spread,
        rigs: vec![Recorded::of("0.csv", &logs[0])],
    };
    let noise = |k: u64| {
        let mut draws = Draws::new(k, 5);
        (0..600).map(|_| 1e-3 * draws.normal()).collect()
    };
    let found = Joined { joint: of, known, errors: (0..2).map(noise).collect() };
    let limits = Limits { torque: 0.6, speed: 6.0, angle: 0.9, seconds: 6.0, logs: 6 };
    let made = design(&found, &limits, &Unwatched).unwrap();
    let [k, resistance, viscous, dynamic] = [0, 1, 2, 3].map(|i| &made.expected[i]);
    assert!(dynamic.then < dynamic.now, "{dynamic:?}");
    // k and R stay as unknown as they are: only their ratio and c + k²/R are seen.
    for open in [k, resistance, viscous] {
        assert!(open.then > 0.5 * open.now, "{open:?}");
    }
    let [torque, speed, angle] = made.trajectories[0].largest;
    assert!(torque <= 0.6 && speed <= 6.0 && angle <= 0.9);
    assert!(made.refused < made.candidates);
    let narrow = Limits { torque: 1e-3, ..limits };
    let said = design(&found, &narrow, &Unwatched).unwrap_err().to_string();
    assert!(said.contains("goes beyond a limit"), "{said}");
}
