//! What users bring and drive themselves: laws, functions of time, cursors.

use crate::common::Random;
use stickslip::law::Contact;
use stickslip::scheme::cursor::Advance;
use stickslip::scheme::oscillator::adaptive::{self, Options};
use stickslip::scheme::oscillator::{euler, exact, implicit_euler, theta};
use stickslip::signal::Bounds;
use stickslip::{Error, Event, Law, Oscillator, Signal, State, Stops, Trajectory};

/// f_s at rest, and an exponential of the speed from f₀ to f_d in motion.
#[derive(Debug, Clone)]
struct Peaked {
    holds: f64,
    starts: f64,
    drags: f64,
    velocity: f64,
}

impl Contact for Peaked {
    fn force(&self, _: f64, speed: f64) -> f64 {
        self.drags + (self.starts - self.drags) * (-speed / self.velocity).exp()
    }
    fn slope_range(&self, _: f64, lo: f64, hi: f64) -> (f64, f64) {
        let slope =
            |s: f64| -(self.starts - self.drags) / self.velocity * (-s / self.velocity).exp();
        (slope(lo), slope(hi))
    }
    fn limit(&self, _: f64, _: f64) -> f64 {
        self.holds
    }
}

/// A built-in law behind the trait.
#[derive(Debug)]
struct Copied(Law);

impl Contact for Copied {
    fn force(&self, side: f64, speed: f64) -> f64 {
        self.0.force(side, speed)
    }
    fn slope_range(&self, side: f64, lo: f64, hi: f64) -> (f64, f64) {
        self.0.slope_range(side, lo, hi)
    }
    fn limit(&self, side: f64, age: f64) -> f64 {
        self.0.limit(side, age)
    }
    fn ages(&self) -> bool {
        self.0.ages()
    }
    fn next_kink(&self, age: f64) -> f64 {
        self.0.next_kink(age)
    }
    fn constants(&self) -> Option<[(f64, f64); 2]> {
        self.0.constants()
    }
}

fn swung(law: Law) -> Oscillator {
    Oscillator::new(1.0, 1.0, law)
        .with_drive(Signal::harmonic(4.0, 0.5, 0.0))
        .with_damping(0.05)
        .starting_at(4.0, 0.0)
}

/// A user's copy of each built-in law moves as the built-in one does, in every scheme.
#[test]
fn a_copy_of_a_law_is_that_law() {
    use stickslip::law::{Ageing, Growth};
    let laws = [
        Law::coulomb(1.0).unwrap(),
        Law::static_dynamic(1.2, 0.8).unwrap(),
        Law::stribeck(0.01, 0.2, 0.3, 1.0).unwrap(),
        Law::stribeck_exponential(1.2, 0.7, 0.3, 2.0, 0.05).unwrap(),
        Law::Ageing(Ageing::new(0.7, Growth::Exponential { breakaway: 1.1, time: 0.4 }).unwrap()),
        Law::asymmetric(Law::coulomb(0.5).unwrap(), Law::stribeck(0.0, 0.0, 3.0, 1.0).unwrap())
            .unwrap(),
    ];
    for law in laws {
        let (own, copy) =
            (swung(law.clone()), swung(Law::custom("copy", Copied(law.clone())).unwrap()));
        assert_eq!(copy.friction.is_rule(), law.is_rule());
        let same = |a: &Trajectory, b: &Trajectory, tolerance: f64| {
            assert_eq!(a.events().len(), b.events().len(), "{law:?}");
            assert!((a.state(30.0).x - b.state(30.0).x).abs() < tolerance, "{law:?}");
        };
        let tolerance = Options::tolerance(1e-10);
        same(
            &adaptive::solve(&own, 30.0, tolerance).unwrap(),
            &adaptive::solve(&copy, 30.0, tolerance).unwrap(),
            1e-7,
        );
        same(
            &euler::solve(&own, 30.0, 1e-3).unwrap(),
            &euler::solve(&copy, 30.0, 1e-3).unwrap(),
            1e-9,
        );
        same(
            &implicit_euler::solve(&own, 30.0, 1e-3).unwrap(),
            &implicit_euler::solve(&copy, 30.0, 1e-3).unwrap(),
            1e-9,
        );
        match exact::solve(&copy, 30.0) {
            Ok(path) => same(&exact::solve(&own, 30.0).unwrap(), &path, 1e-13),
            Err(e) => assert!(law.constants().is_none() && e.to_string().contains("adaptive")),
        }
    }
}

/// A law no built-in one has: f_s above the force with which a Stribeck curve begins. Both steppers converge
/// to the adaptive scheme.
#[test]
fn a_stribeck_curve_with_a_breakaway_force_of_its_own() {
    let law = Law::custom("peaked", Peaked { holds: 1.4, starts: 1.0, drags: 0.6, velocity: 0.2 })
        .unwrap();
    let o = swung(law);
    let path = adaptive::solve(&o, 20.0, Options::tolerance(1e-11)).unwrap();
    assert!(path.events().len() > 4 && path.energy(&o).relative_defect() < 1e-9);
    for solve in [euler::solve, implicit_euler::solve] {
        let error = |h: f64| {
            let steps = solve(&o, 20.0, h).unwrap();
            path.sample(200).map(|(t, u, _)| (u.x - steps.state(t).x).abs()).fold(0.0, f64::max)
        };
        let (coarse, fine) = (error(4e-3), error(5e-4));
        assert!(fine < 0.3 * coarse && fine < 1e-2, "{coarse:e} {fine:e}");
    }
    let o = Oscillator {
        friction: Law::custom(
            "peaked",
            Peaked { holds: 0.4, starts: 1.0, drags: 0.6, velocity: 0.2 },
        )
        .unwrap_or_else(|e| {
            assert!(
                matches!(e, Error::BadLaw { .. }) && e.to_string().contains("\"peaked\""),
                "{e}"
            );
            Law::coulomb(1.0).unwrap()
        }),
        ..o
    };
    assert_eq!(o.friction, Law::coulomb(1.0).unwrap());
}

/// Drives, forces, supports and normal forces as functions do what the same harmonics and steps do.
#[test]
fn functions_of_time_are_signals() {
    let bounds = Bounds { first: 2.0, second: 1.0, third: 0.5 };
    let drive = Signal::function("wave", |t| 4.0 * (0.5 * t).cos(), &[], bounds).unwrap();
    let small = Bounds { first: 0.4, second: 0.6, third: 0.9 };
    let belt = |t: f64| if t < 9.0 { 0.3 * (1.3 * t).sin() } else { 0.2 };
    let belt = Signal::function("belt", belt, &[9.0], small).unwrap();
    let press = Signal::function("press", |t| 1.0 + 0.3 * (0.7 * t).cos(), &[], small).unwrap();
    let plain_belt = Signal::function_with_derivatives(
        "belt",
        |t| {
            let (s, c) = (1.3 * t).sin_cos();
            if t < 9.0 { [0.3 * s, 0.39 * c, -0.507 * s] } else { [0.2, 0.0, 0.0] }
        },
        &[9.0],
        small,
    )
    .unwrap();
    let law = Law::static_dynamic(1.2, 0.8).unwrap();
    let wave = Signal::harmonic(4.0, 0.5, 0.0);
    let pressed = Signal::constant(1.0) + Signal::harmonic(0.3, 0.7, 0.0);
    let base = || Oscillator::new(1.0, 1.0, law.clone()).with_damping(0.05).starting_at(4.0, 0.0);
    let pairs = [
        (base().with_drive(drive.clone()), base().with_drive(wave.clone())),
        (
            base().with_drive(drive.clone()).with_normal(press.clone()),
            base().with_drive(wave.clone()).with_normal(pressed.clone()),
        ),
        (
            base().with_drive(drive.clone()).with_support(belt),
            base().with_drive(drive.clone()).with_support(plain_belt),
        ),
    ];
    for (own, plain) in pairs {
        let tolerance = Options::tolerance(1e-11);
        let (a, b) = (
            adaptive::solve(&own, 25.0, tolerance).unwrap(),
            adaptive::solve(&plain, 25.0, tolerance).unwrap(),
        );
        assert_eq!(a.events().len(), b.events().len());
        assert!(
            (a.state(25.0).x - b.state(25.0).x).abs() < 1e-8,
            "{} {}",
            a.state(25.0).x,
            b.state(25.0).x
        );
        assert!(a.energy(&own).relative_defect() < 1e-9);
        for solve in [euler::solve, implicit_euler::solve] {
            let (c, d) = (solve(&own, 25.0, 1e-3).unwrap(), solve(&plain, 25.0, 1e-3).unwrap());
            assert!((c.state(25.0).x - d.state(25.0).x).abs() < 1e-10);
        }
        let refused = exact::solve(&own, 25.0).unwrap_err().to_string();
        assert!(refused.contains("the function") && refused.contains("closed form"), "{refused}");
    }
    // a support that stops at once at 9 s kicks the mass that it carries
    let o = base().with_support(
        Signal::function(
            "belt",
            |t| if t < 9.0 { 0.5 } else { 0.0 },
            &[9.0],
            Bounds { first: 0.0, second: 0.0, third: 0.0 },
        )
        .unwrap(),
    );
    let same = base().with_support(Signal::step(9.0, 0.5, 0.0));
    let (a, b) = (
        adaptive::solve(&o, 20.0, Options::default()).unwrap(),
        exact::solve(&same, 20.0).unwrap(),
    );
    assert_eq!(a.events().len(), b.events().len());
    assert!((a.state(20.0).x - b.state(20.0).x).abs() < 1e-6);
}

/// Advances in pieces of random length, keeping a copy now and then, and going on with the copy.
fn in_pieces<C>(mut cursor: C, seed: u64) -> (Vec<Event>, State)
where
    C: Advance<State = State> + Clone,
{
    let (mut r, mut events, mut kept) = (Random(seed), Vec::new(), None);
    let end = cursor.end();
    while cursor.time() < end {
        let until = (cursor.time() + r.uniform(0.0, 0.8)).min(end);
        cursor.advance_to(until, &mut events).unwrap();
        let _ = cursor.state();
        match kept.take() {
            None if r.chance(0.2) => kept = Some((cursor.clone(), events.clone())),
            Some((before, then)) if r.chance(0.3) => (cursor, events) = (before, then),
            other => kept = other,
        }
    }
    (events, cursor.state())
}

#[test]
fn pieces_are_the_whole_to_the_last_bit() {
    for seed in 0..40 {
        let (mut o, end) = crate::common::problem(&mut Random(seed));
        if seed % 3 == 0 {
            o = o.with_support(
                Signal::sampled(&[0.0, 2.0, 5.0, 50.0], &[0.0, 0.3, -0.2, 0.1]).unwrap(),
            );
        } else if seed % 3 == 1 {
            o = o.with_stops(Stops::rigid(Some(-3.0), Some(4.0), 0.6));
        }
        let whole = exact::solve(&o, end).unwrap();
        let (events, last) = in_pieces(exact::cursor(&o, 0.0, end).unwrap(), seed);
        assert_eq!((events, last), (whole.events().to_vec(), whole.state(end)), "seed {seed}");

        let options = Options::default();
        let whole = adaptive::solve(&o, end, options).unwrap();
        let (events, last) = in_pieces(adaptive::cursor(&o, 0.0, end, options).unwrap(), seed);
        assert_eq!((events, last), (whole.events().to_vec(), whole.state(end)), "seed {seed}");

        if seed % 3 == 1 {
            continue; // rigid stops are not for steps
        }
        let h = 1e-2;
        let end = (end / h).floor() * h;
        let explicit = in_pieces(euler::cursor(&o, 0.0, end, h).unwrap(), seed);
        let implicit = in_pieces(implicit_euler::cursor(&o, 0.0, end, h).unwrap(), seed);
        let middle = in_pieces(theta::cursor(&o, 0.0, end, h, 0.5).unwrap(), seed);
        for (whole, (events, last)) in [
            (euler::solve(&o, end, h).unwrap(), explicit),
            (implicit_euler::solve(&o, end, h).unwrap(), implicit),
            (theta::solve(&o, end, h, 0.5).unwrap(), middle),
        ] {
            assert_eq!(events, whole.events(), "seed {seed}");
            let want = whole.state(end);
            assert!(
                (last.x - want.x).abs() + (last.v - want.v).abs() < 1e-11 * (1.0 + want.x.abs()),
                "seed {seed}"
            );
        }
    }
}

/// A run that is taken out at its middle and put back into a new cursor, at that time and in that state, goes on
/// as the whole run does; one put elsewhere moves as theory says.
#[test]
fn a_state_can_be_set() {
    let o = Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 1.0).unwrap())
        .with_drive(Signal::harmonic(6.0, 0.5, 0.0))
        .starting_at(6.0, 0.0);
    let whole = exact::solve(&o, 40.0).unwrap();
    let middle = 17.3;
    let mut first = exact::cursor(&o, 0.0, 40.0).unwrap();
    let mut events = Vec::new();
    first.advance(middle, &mut events).unwrap();
    assert!(first.phase() == whole.phase(middle) && first.state() == whole.state(middle));
    let put_back = o.clone().starting_at(first.state().x, first.state().v);
    let mut second = exact::cursor(&put_back, middle, 40.0).unwrap();
    let mut third = first.clone();
    third.set_state(first.state()).unwrap();
    for cursor in [&mut second, &mut third] {
        let mut later = events.clone();
        cursor.advance(40.0, &mut later).unwrap();
        assert_eq!(later.len(), whole.events().len());
        for (a, b) in later.iter().zip(whole.events()) {
            assert!((a.time - b.time).abs() < 1e-12 && a.kind == b.kind);
        }
        assert!((cursor.state().x - whole.state(40.0).x).abs() < 1e-12);
    }
    // put at −11.5 m on an undriven spring it moves half a period about −1 m, to 9.5 m
    let free =
        Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 1.0).unwrap()).starting_at(0.5, 0.0);
    let state = State { x: -11.5, v: 0.0 };
    fn half_period<C: Advance<State = State>>(mut cursor: C, state: State, tolerance: f64) {
        let mut events = Vec::new();
        cursor.advance_to(2.0, &mut events).unwrap();
        assert!(events.is_empty() && cursor.state() == State { x: 0.5, v: 0.0 });
        cursor.set_state(state).unwrap();
        cursor.advance_to(2.0 + std::f64::consts::PI, &mut events).unwrap();
        // it slips about −1: x = −1 − 10.5 cos(t − 2)
        assert!((cursor.state().x - 9.5).abs() < tolerance, "{}", cursor.state().x);
        assert!(cursor.advance_to(1.0, &mut events).is_err());
    }
    half_period(exact::cursor(&free, 0.0, 10.0).unwrap(), state, 1e-13);
    half_period(adaptive::cursor(&free, 0.0, 10.0, Options::default()).unwrap(), state, 1e-7);
    half_period(euler::cursor(&free, 0.0, 10.0, 1e-4).unwrap(), state, 5e-3);
    half_period(implicit_euler::cursor(&free, 0.0, 10.0, 1e-4).unwrap(), state, 5e-3);
}

/// An observer stops a run, and has what was until then.
#[test]
fn a_run_can_be_stopped() {
    use stickslip::motion::{Segment, Stretch};
    use stickslip::scheme::event_loop::Observer;
    struct Until(f64, Vec<Event>);
    impl Observer<Stretch> for Until {
        fn segment(&mut self, _: Segment<Stretch>) {}
        fn event(&mut self, event: Event) {
            self.1.push(event);
        }
        fn goes_on(&mut self, t: f64) -> bool {
            t < self.0
        }
    }
    let o = swung(Law::static_dynamic(1.2, 1.0).unwrap());
    let mut observer = Until(15.0, Vec::new());
    let error = exact::run(&o, 40.0, 1000, &mut observer).unwrap_err();
    let Error::Interrupted { time } = error else { panic!("{error}") };
    let whole = exact::solve(&o, 40.0).unwrap();
    let until: Vec<Event> = whole.events().iter().filter(|e| e.time <= time).copied().collect();
    assert!((15.0..40.0).contains(&time));
    assert_eq!(observer.1, until);
}

/// Cascades and masses between walls in pieces: the bits of the whole.
#[test]
fn other_models_have_cursors_too() {
    use stickslip::scheme::{cascade, impact};
    use stickslip::{Cascade, EventKind, Impact};
    let c = Cascade::new(1.0, vec![3.0, 2.0, 1.5, 1.0, 0.7], vec![0.5, 0.8, 0.3, 1.1])
        .with_force(Signal::harmonic(2.5, 0.9, 0.0));
    let (whole, mut events) = (cascade::exact(&c, 20.0).unwrap(), Vec::new());
    let mut cursor = cascade::exact_cursor(&c, 20.0).unwrap();
    for i in 1..=77 {
        cursor.advance(20.0 * f64::from(i) / 77.0, &mut events).unwrap();
        cursor = cursor.clone();
    }
    assert_eq!(events, whole.events());
    assert_eq!(cursor.state().x, whole.state(20.0).x);
    assert!(cursor.set_state(cursor.state()).is_err());

    let ball = Impact::new(1.0, 0.9).with_force(Signal::constant(-9.81)).starting_at(1.0, 0.0);
    let whole = impact::solve(&ball, 12.0).unwrap();
    let (mut cursor, mut events) = impact::cursor(&ball, 12.0).unwrap();
    for i in 1..=500 {
        cursor.advance(0.02 * f64::from(i), &mut events).unwrap();
    }
    let until: Vec<Event> = whole.events().iter().filter(|e| e.time <= 10.0).copied().collect();
    assert_eq!(events, until);
    // lifted again at t = 10 s it falls for √(2·2/g)
    cursor.set_state(State { x: 2.0, v: 0.0 }).unwrap();
    events.clear();
    cursor.advance(11.0, &mut events).unwrap();
    assert_eq!(events[0].kind, EventKind::Impact);
    assert!((events[0].time - 10.0 - (4.0f64 / 9.81).sqrt()).abs() < 1e-13);
    assert!(cursor.set_state(State { x: -1.0, v: 0.0 }).is_err());
}
