//! Hysteresis loops without inertia: against Masing's rules, the clamps and the exact scheme.

use crate::common::Random;
use crate::common::campaign::campaign;
use stickslip::hysteresis::Clamps;
use stickslip::scheme::cascade::{self, Replay};
use stickslip::{Cascade, EventKind, Signal};

fn four_elements() -> Cascade {
    Cascade::new(1.0, vec![3.0, 2.0, 1.5, 1.0, 0.7], vec![0.5, 0.8, 0.3, 1.1])
}

/// A cosine displacement: after the first quarter the loop is the backbone at twice the scale, and the
/// area of a period is the closed form.
#[test]
fn a_cosine_displacement_gives_masings_loop() {
    let b = four_elements().backbone();
    let amplitude = 3.0;
    let period = std::f64::consts::TAU;
    let sine = Signal::harmonic(amplitude, 1.0, -std::f64::consts::FRAC_PI_2);
    let c = four_elements().with_displacement(sine);
    let path = cascade::quasi_static(&c, 3.0 * period).unwrap();
    for (t, u, _) in path.sample(4001) {
        let quarter = 0.25 * period;
        let want = if t <= quarter {
            b.value(u.x)
        } else if (((t - quarter) / (0.5 * period)) as usize).is_multiple_of(2) {
            b.branch((amplitude, b.value(amplitude)), u.x)
        } else {
            b.branch((-amplitude, b.value(-amplitude)), u.x)
        };
        assert!((u.force - want).abs() < 1e-12, "{t}: {} {want}", u.force);
    }
    // First loading, then five whole branches with yields at 2 r_j from the turn, and half a branch.
    let slipping = b.breakpoints().iter().filter(|&&r| r < amplitude).count();
    let turns = path.events().iter().filter(|e| e.kind == EventKind::Reversal).count();
    let half = b.breakpoints().iter().filter(|&&r| 2.0 * r < amplitude).count();
    assert_eq!((turns, path.events().len() - turns), (6, 6 * slipping + half));
    let mut replay = Replay::new(&c, &path);
    let mut lost = [0.0; 2];
    for (lost, t) in lost.iter_mut().zip([1.25 * period, 2.25 * period]) {
        *lost = replay.to(t).lost();
    }
    let area = b.dissipated_per_cycle(amplitude);
    assert!((lost[1] - lost[0] - area).abs() < 1e-12 * area, "{lost:?} {area}");
}

/// A force goes there and back: the displacement is the inverse of the backbone, by hand.
#[test]
fn a_prescribed_force_by_hand() {
    // Slopes 2 up to force 1 (x = 0.5), then 1. Up to 2: x = 1.5. Back to −2: 2 down, elastic for
    // 2 N (1 m), then 2 N at slope 1: x = 1.5 − 1 − 2 = −1.5.
    let force = Signal::sampled(&[0.0, 2.0, 6.0], &[0.0, 2.0, -2.0]).unwrap();
    let c = Cascade::new(1.0, vec![2.0, 2.0], vec![1.0]).with_force(force);
    let path = cascade::quasi_static(&c, 6.0).unwrap();
    let events: Vec<_> = path.events().iter().map(|e| (e.kind, e.time, e.x)).collect();
    use EventKind::{Reversal, Yield};
    assert_eq!(events, [(Yield, 1.0, 0.5), (Reversal, 2.0, 1.5), (Yield, 4.0, 0.5)]);
    let end = path.state(6.0);
    assert!((end.x + 1.5).abs() < 1e-14 && (end.force + 2.0).abs() < 1e-14, "{end:?}");
    // ∫ F dx = 1.75 − 1 + 2 J; the node slips 0.5 m and 1 m against 1 N; the springs pull with 2 N and 1 N.
    let e = path.energy(&c);
    let found = [e.work, e.kinetic, e.friction, e.elastic];
    for (found, want) in found.into_iter().zip([2.75, 0.0, 1.5, 1.25]) {
        assert!((found - want).abs() < 1e-14, "{e:?}");
    }
    assert!((path.state(1.5).v - 1.0).abs() < 1e-14);
}

/// Where a control comes back just to where it turned before, the elements that had slipped there reach their thresholds and
/// do not pass them: nothing yields, by the memory of turning points (Madelung's rules). Whatever moves it, and however the sum rounds.
#[test]
fn a_threshold_that_is_reached_and_not_passed_is_no_yield() {
    let yields = |c: &Cascade, end: f64| -> Vec<f64> {
        let path = cascade::quasi_static(c, end).unwrap();
        path.events().iter().filter(|e| e.kind == EventKind::Yield).map(|e| e.time).collect()
    };
    for offset in [2.0, 2.1, 3.3, 7.7] {
        for amplitude in [0.05, 0.1, 0.15] {
            // Loaded past 0.5 / 3 and 0.8 / (3 + …): two elements slip on the way to the top and none on the way back.
            let wave = Signal::constant(offset) + Signal::harmonic(amplitude, 1.3, 0.0);
            let top = offset + amplitude;
            let low = offset - amplitude;
            let times: Vec<f64> = (0..20).map(f64::from).collect();
            let values: Vec<f64> = (0..20).map(|i| if i % 2 == 0 { top } else { low }).collect();
            let triangle = Signal::sampled(&times, &values).unwrap();
            let steps = Signal::constant(top)
                + (1..20).fold(Signal::default(), |s, i| {
                    let by = if i % 2 == 0 { low - top } else { top - low };
                    s + Signal::step(f64::from(i), 0.0, -by)
                });
            for control in [wave, triangle, steps] {
                let led = four_elements().with_displacement(control.clone());
                let pushed = four_elements().with_force(control.clone() + Signal::constant(-1.5));
                for c in [led, pushed] {
                    let after: Vec<f64> =
                        yields(&c, 19.0).into_iter().filter(|&t| t > 0.0).collect();
                    assert!(after.is_empty(), "{offset} {amplitude}: {after:?}");
                }
            }
        }
    }
    // Passed by a hair, it is one, at the instant of the closed form; and where the control stops at the threshold and goes on later,
    // it yields when it goes on.
    let back = |over: f64| {
        let way = Signal::sampled(
            &[0.0, 2.0, 3.0, 5.0, 6.0, 7.0],
            &[0.0, 2.0, 1.5, 2.0 + over, 2.0 + over, 3.0],
        );
        yields(&Cascade::new(1.0, vec![1.0, 1.0], vec![1.0]).with_displacement(way.unwrap()), 7.0)
    };
    let passed: Vec<f64> = back(1e-9);
    assert!(passed.len() == 2 && (passed[1] - (5.0 - 4e-9)).abs() < 1e-12, "{passed:?}");
    assert_eq!(back(0.0), [1.0, 6.0]);
}

/// A sampled sine has the turns and the yields of the sine, at its knots too and where every element slips.
#[test]
fn a_sampled_sine_has_the_events_of_the_sine() {
    let sine = Signal::harmonic(3.0, 1.0, -std::f64::consts::FRAC_PI_2);
    let times: Vec<f64> = (0..=4000).map(|i| 0.005 * f64::from(i)).collect();
    let values: Vec<f64> = times.iter().map(|t| 3.0 * t.sin()).collect();
    let sampled = Signal::sampled(&times, &values).unwrap();
    for n in 1..=4 {
        let Cascade { stiffness, threshold, .. } = four_elements();
        let c = Cascade::new(1.0, stiffness[..=n].to_vec(), threshold[..n].to_vec());
        type Led = fn(Cascade, Signal) -> Cascade;
        for lead in [Cascade::with_displacement as Led, Cascade::with_force] {
            let kinds = |by: &Signal| -> Vec<(EventKind, usize)> {
                let path = cascade::quasi_static(&lead(c.clone(), by.clone()), 20.0).unwrap();
                path.events().iter().map(|e| (e.kind, e.place)).collect()
            };
            let turns = kinds(&sine).iter().filter(|e| e.0 == EventKind::Reversal).count();
            assert_eq!(turns, 6); // at π/2 + kπ below 20
            assert_eq!(kinds(&sampled), kinds(&sine), "{n}");
        }
    }
}

/// Random displacement signals of every kind, jumps and pauses included, against the clamps on a fine
/// grid through all turning points.
#[test]
fn random_displacements_against_the_clamps() {
    campaign("cascades-quasi-static", 40, |seed, tally| {
        let r = &mut Random(seed);
        let n = 1 + (r.next() % 20) as usize;
        let stiffness = (0..=n).map(|_| r.uniform(0.2, 3.0)).collect();
        let threshold: Vec<f64> = (0..n).map(|_| r.uniform(0.0, 0.5)).collect();
        let x = Signal::harmonic(r.uniform(0.0, 3.0), r.uniform(0.3, 2.0), 1.0)
            + match r.next() % 4 {
                0 => Signal::step(3.0, -1.0, 1.5),
                1 => Signal::ramp(0.3, 0.0),
                2 => Signal::sampled(&[0.0, 2.0, 4.0, 12.0], &[0.0, 1.0, 1.0, -2.0]).unwrap(),
                _ => Signal::harmonic(0.7, 5.0, 0.0),
            };
        let c = Cascade::new(1.0, stiffness, threshold.clone()).with_displacement(x.clone());
        let path = cascade::quasi_static(&c, 10.0).unwrap();
        let mut clamps = Clamps::new(&c);
        let mut replay = Replay::new(&c, &path);
        // Yields on the way to x(0) come before it.
        let mut events = path.events().iter().peekable();
        for i in 0..=10_000 {
            let t = 1e-3 * f64::from(i);
            while let Some(e) = events.next_if(|e| e.time <= t) {
                clamps.advance(e.x);
            }
            let (u, want) = (path.state(t), clamps.advance(x.value(t)));
            assert!((u.x - x.value(t)).abs() < 1e-12, "seed {seed} at {t}");
            assert!((u.force - want).abs() < 1e-10, "seed {seed} at {t}: {} {want}", u.force);
            let elements = replay.to(t);
            assert!((elements.force() - want).abs() < 1e-10, "seed {seed} at {t}");
            let inside = elements.pulls().iter().zip(&threshold).all(|(q, a)| q.abs() <= a + 1e-12);
            assert!(inside, "seed {seed} at {t}");
        }
        tally.add("events", path.events().len());
    });
}

/// A slow force on a light mass moves it as the quasi-static scheme says, to the vibration's size.
#[test]
fn it_is_the_limit_of_slow_motion() {
    let force = Signal::harmonic(3.0, 0.001, -std::f64::consts::FRAC_PI_2);
    let c = Cascade { mass: 1e-4, ..four_elements() }.with_force(force);
    let slow = cascade::quasi_static(&c, 6000.0).unwrap();
    let exact = cascade::exact(&c, 60.0).unwrap();
    let gap =
        (0..=600).map(|i| 0.1 * f64::from(i)).map(|t| (slow.state(t).x - exact.state(t).x).abs());
    assert!(gap.fold(0.0, f64::max) < 1e-4);
    assert!(slow.events().len() > 8);
}

#[test]
fn what_it_cannot_do_is_said() {
    let both =
        four_elements().with_force(Signal::constant(1.0)).with_displacement(Signal::ramp(1.0, 0.0));
    assert!(cascade::quasi_static(&both, 1.0).is_err());
    assert!(cascade::quasi_static(&four_elements().starting_at(0.0, 1.0), 1.0).is_err());
    let moved = four_elements().with_displacement(Signal::ramp(1.0, 0.0));
    assert!(cascade::exact(&moved, 1.0).unwrap_err().to_string().contains("quasi-static"));
    assert!(cascade::implicit_euler(&moved, 1.0, 0.1).is_err());
}

/// What is prescribed jumps: the elements pass through all values between, and the work of the jump counts. By hand, with
/// slopes 2 up to 1 N, then 1.
#[test]
fn a_jump_does_work_and_leaves_the_elements_where_it_went() {
    let c = Cascade::new(1.0, vec![2.0, 2.0], vec![1.0]);
    // To 2 N at once at t = 1 s (x = 1.5, 1.75 J), then down to 1 N (x = 1, −0.75 J).
    let jump = |to: f64, back: f64| {
        Signal::step(1.0, 0.0, to) + Signal::sampled(&[0.0, 1.0, 2.0], &[0.0, 0.0, -back]).unwrap()
    };
    let forced = c.clone().with_force(jump(2.0, 1.0));
    let led = c.clone().with_displacement(jump(1.5, 0.5));
    let held = c.with_force(Signal::constant(2.0));
    for (c, work) in [(&forced, 1.0), (&led, 1.0), (&held, 1.75)] {
        let path = cascade::quasi_static(c, 2.0).unwrap();
        let e = path.energy(c);
        // The node has slipped 0.5 m against 1 N, whatever came then.
        assert!((e.work - work).abs() < 1e-14 && (e.friction - 0.5).abs() < 1e-14, "{e:?}");
        assert!(e.defect().abs() < 1e-14, "{e:?}");
    }
    // Rows after the jump know how far it went: the pull is 1 N less what the mass went back, times 2 N/m.
    let path = cascade::quasi_static(&forced, 2.0).unwrap();
    for t in [1.5, 2.0] {
        let mut friction = [f64::NAN];
        Replay::new(&forced, &path).friction(t, &mut friction);
        assert!((friction[0] + 1.0 - (t - 1.0)).abs() < 1e-14, "{t}: {friction:?}");
    }
}

/// A cascade that is led from elsewhere than where it starts is led there at once, and that is said.
#[test]
fn a_lead_that_begins_elsewhere_is_told() {
    use stickslip::Warning;
    let led = |start: f64, lead: Signal| {
        let mut c = Cascade::new(1.0, vec![1.0, 1.0], vec![0.5]).with_displacement(lead);
        c.initial.displacement = start;
        cascade::quasi_static(&c, 1.0).unwrap().warnings().to_vec()
    };
    let told = |start, lead| [Warning::LedFromElsewhere { start, lead }];
    assert_eq!(led(0.0, Signal::constant(2.0)), told(0.0, 2.0));
    assert_eq!(led(1.0, Signal::harmonic(2.0, 1.0, 0.0)), told(1.0, 2.0));
    assert_eq!(led(0.0, Signal::sampled(&[0.0, 1.0], &[1.3e-3, 0.0]).unwrap()), told(0.0, 1.3e-3));
    assert_eq!(led(2.0, Signal::constant(2.0)), []);
    assert_eq!(led(0.0, Signal::ramp(1.0, 0.0)), []);
    // Zero but for a rounding.
    assert_eq!(led(0.0, Signal::harmonic(1.0, 1.0, std::f64::consts::FRAC_PI_2)), []);
}
