//! The goal as the controller follows it.

use super::{LOAD, log, small, twin, twins};
use crate::joint::goal::Followed;
use crate::joint::logs::Log;
use crate::joint::search::{derivatives, starts, sum};
use crate::joint::{Joint, Slot};

/// The loss changes evenly with the delay where a row of the goal passes a step of the motion, in all logs at once: a corner
/// there is a minimum that means nothing. 7 steps of 2.5 ms are 17.5 ms.
#[test]
fn the_delay_has_no_corner_where_rows_pass_steps() {
    let mut of = twin();
    let logs: Vec<Log> = twins(6, 40).into_iter().map(|g| g.log).collect();
    let logs: Vec<&Log> = logs.iter().collect();
    let slope =
        |of: &Joint| sum(&derivatives(of, &[Slot::Delay], &logs, &starts(&logs))).gradient[0];
    let mut at = |delay: f64| {
        of.drive.delay = delay;
        slope(&of)
    };
    let across = (at(0.0175 + 1e-9) - at(0.0175 - 1e-9)).abs();
    let along = (at(0.0175 + 1e-4) - at(0.0175 - 1e-4)).abs();
    assert!(across < 1e-3 * along, "{across} {along}");
}

/// By hand. The goal leaps from 0 to 0.1 rad between 0.1 and 0.11 s and holds; what follows it does so by 2 rad/s from 0.1 s on after a delay of
/// 4 ms, and meets it after 0.05 s. Rows that ask for less than 2 rad/s are followed as they are. A goal that turns round while it is
/// being met is left again.
#[test]
fn the_goal_is_followed_with_its_speed_limited() {
    let time: Vec<f64> = (0..=40).map(|i| 0.01 * f64::from(i)).collect();
    let followed = |goal: &dyn Fn(f64) -> f64| {
        let mut of = small().drive;
        of.delay = 0.004;
        of.speed_limit = 2.0;
        let goal = time.iter().map(|t| goal(*t)).collect();
        let log = Log { time: time.clone(), goal, position: vec![0.0; 41], ..log(1, LOAD) };
        let mut path = Followed::of(&of, &log);
        // Means over 1 µs are values, to rounding of the difference of times.
        move |t: f64| path.mean(t - 5e-7, t + 5e-7)
    };
    let mut leap = followed(&|t| if t < 0.105 { 0.0 } else { 0.1 });
    for (t, goal) in
        [(0.05, 0.0), (0.103, 0.0), (0.114, 0.02), (0.144, 0.08), (0.153, 0.098), (0.16, 0.1)]
    {
        let found = leap(t);
        assert!((found - goal).abs() < 1e-9, "{t}: {found} {goal}");
    }
    let mut slow = followed(&|t| 0.3 - 1.5 * t);
    let found = slow(0.2);
    assert!((found - (0.3 - 1.5 * 0.196)).abs() < 1e-9, "{found}");
    // Up by 1 rad from 0.1 s on, and from 0.12 s on down by 5 rad/s: they meet where 2 (t − 0.104) = 1 − 5 (t − 0.124).
    let mut turns = followed(&|t| if t < 0.105 { 0.0 } else { (1.0 - 5.0 * (t - 0.12)).min(1.0) });
    let meets = (1.0 + 5.0 * 0.124 + 2.0 * 0.104) / 7.0;
    let top = 2.0 * (meets - 0.104);
    for (t, goal) in [(0.2, 0.192), (meets + 0.03, top - 2.0 * 0.03)] {
        let found = turns(t);
        assert!((found - goal).abs() < 1e-9, "{t}: {found} {goal}");
    }
    // A mean over a corner: flat until 0.104 s, then 2 rad/s, over ± 1 ms: 2 · 1e-3²/2 / 2e-3.
    let mut of = small().drive;
    (of.delay, of.speed_limit) = (0.004, 2.0);
    let goal = time.iter().map(|t| if *t < 0.105 { 0.0 } else { 0.1 }).collect();
    let log = Log { time: time.clone(), goal, position: vec![0.0; 41], ..log(1, LOAD) };
    let mean = Followed::of(&of, &log).mean(0.103, 0.105);
    assert!((mean - 5e-4).abs() < 1e-12, "{mean}");
}
