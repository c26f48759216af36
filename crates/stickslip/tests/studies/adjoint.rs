//! Reverse mode: against forward mode, closed forms, and differences of motions.

use crate::common::Random;
use stickslip::model::Inlet;
use stickslip::scheme::impact;
use stickslip::scheme::oscillator::{adaptive, exact};
use stickslip::signal::{Chirp, Sweep};
use stickslip::study::sensitivity::{
    Gradient, Loss, Number, Samples, Why, derivatives, gradient, impact_derivatives,
    impact_gradient,
};
use stickslip::{Error, Impact, Law, Oscillator, Signal, State, Stops, Trajectory};

type Make = dyn Fn(&[f64]) -> Result<Oscillator, Error>;

fn solved(o: &Oscillator, end: f64) -> Trajectory {
    let mut options = adaptive::Options::default();
    (options.rtol, options.atol) = (1e-12, 1e-14);
    exact::solve(o, end).or_else(|_| adaptive::solve(o, end, options)).unwrap()
}

/// A model, its motion, and the models aside for each of its numbers.
struct Case {
    o: Oscillator,
    path: Trajectory,
    numbers: Vec<Number<Oscillator>>,
}

impl Case {
    fn new(make: &Make, p: &[f64], end: f64) -> Self {
        let aside = |k: usize| {
            Number::around(p[k], |value| {
                let mut q = p.to_vec();
                q[k] = value;
                make(&q)
            })
        };
        let o = make(p).unwrap();
        let path = solved(&o, end);
        Self { path, numbers: (0..p.len()).map(|k| aside(k).unwrap()).collect(), o }
    }

    fn seen(&self) -> Vec<Number<&Oscillator>> {
        self.numbers.iter().map(|n| n.of(Some).unwrap()).collect()
    }

    fn backward(&self, samples: &[Samples<'_>], loss: &Loss<'_>) -> Gradient {
        gradient(&self.o, &self.path, &self.seen(), samples, loss).unwrap()
    }
}

/// A loss with derivatives at random: at `count` times, and of every event.
fn weights(path: &Trajectory, count: usize, r: &mut Random) -> (Vec<f64>, Vec<State>, Vec<f64>) {
    let end = path.span().1;
    let mut times: Vec<f64> = (0..count).map(|_| end * r.uniform(0.0, 1.0)).collect();
    times.sort_by(f64::total_cmp);
    let mut draw = || r.uniform(-1.0, 1.0);
    let states = times.iter().map(|_| State { x: draw(), v: draw() }).collect();
    let events = path.events().iter().map(|_| draw()).collect();
    (times, states, events)
}

/// The largest difference of reverse from forward mode, relative to the terms that are summed.
fn apart(case: &Case, r: &mut Random) -> f64 {
    let (times, states, events) = weights(&case.path, 7, r);
    let loss = Loss { times: &times, states: &states, event_times: &events };
    let back = case.backward(&[], &loss);
    let ahead = derivatives(&case.o, &case.path, &case.seen(), &times).unwrap();
    assert_eq!(back.doubtful, ahead.doubtful);
    let count = case.numbers.len();
    let mut worst = 0.0f64;
    for k in 0..count {
        let of_states = states.iter().enumerate().flat_map(|(i, w)| {
            let d = ahead.states[i * count + k];
            [w.x * d.x, w.v * d.v]
        });
        let of_times = events.iter().enumerate().map(|(i, w)| w * ahead.event_times[i * count + k]);
        let (sum, size) = of_states
            .chain(of_times)
            .fold((0.0, 1e-30), |(s, m): (f64, f64), t| (s + t, m + t.abs()));
        worst = worst.max((back.numbers[k] - sum).abs() / size);
    }
    worst
}

fn waves(p: &[f64]) -> Signal {
    Signal::harmonic(p[0], p[1], p[2])
}

/// m, K, c, f_s, f_d, amplitude, frequency, phase, x₀, v₀.
fn plain(p: &[f64]) -> Result<Oscillator, Error> {
    Ok(Oscillator::new(p[0], p[1], Law::static_dynamic(p[3], p[4])?)
        .with_damping(p[2])
        .with_drive(waves(&p[5..8]))
        .starting_at(p[8], p[9]))
}

fn start(r: &mut Random) -> Vec<f64> {
    let mut u = |a: f64, b: f64| r.uniform(a, b);
    let dynamic = u(0.2, 1.2);
    let more = u(1.05, 1.6);
    vec![
        u(0.5, 2.0),
        u(0.5, 9.0),
        u(0.01, 0.5),
        more * dynamic,
        dynamic,
        u(1.0, 4.0),
        u(0.4, 2.0),
        u(0.0, 6.0),
        u(-2.0, 2.0),
        u(-2.0, 2.0),
    ]
}

#[test]
fn it_is_forward_mode_turned_round() {
    let mut r = Random(7);
    let mut events = 0;
    for _ in 0..150 {
        let case = Case::new(&plain, &start(&mut r), 25.0);
        events += case.path.events().len();
        let worst = apart(&case, &mut r);
        assert!(worst < 1e-11, "{worst:e} {:?}", case.o);
    }
    assert!(events > 1500, "{events}");
}

/// Normal forces and supports that move, other friction back than ahead.
#[test]
fn it_is_so_with_all_that_acts() {
    let make = |p: &[f64]| {
        let law =
            Law::asymmetric(Law::static_dynamic(p[3], p[4])?, Law::static_dynamic(p[10], p[11])?)?;
        let o = plain(p)?
            .with_force(waves(&p[12..15]) + Signal::step(p[16], 0.0, p[15]))
            .with_normal(Signal::constant(1.0) + waves(&[p[17], p[18], p[19]]))
            .with_support(waves(&p[20..23]));
        Ok(Oscillator { friction: law, ..o })
    };
    let mut r = Random(8);
    for _ in 0..60 {
        let mut p = start(&mut r);
        let mut u = |a: f64, b: f64| r.uniform(a, b);
        let dynamic = u(0.2, 1.0);
        p.extend([
            1.3 * dynamic,
            dynamic,
            u(0.2, 1.0),
            u(1.0, 3.0),
            u(0.0, 6.0),
            u(-0.5, 0.5),
            u(3.0, 9.0),
        ]);
        p.extend([u(0.1, 0.4), u(0.5, 2.0), u(0.0, 6.0), u(0.05, 0.4), u(0.5, 2.0), u(0.0, 6.0)]);
        let case = Case::new(&make, &p, 20.0);
        let worst = apart(&case, &mut r);
        assert!(worst < 1e-10, "{worst:e} {:?}", case.o);
    }
}

/// Laws that depend on the speed, springs that are not linear, contacts that open: along adaptive steps.
#[test]
fn it_is_so_along_adaptive_steps() {
    let make = |p: &[f64]| {
        let law = Law::stribeck_exponential(p[3], p[4], p[10], p[11], p[12])?;
        let o = plain(p)?
            .with_polynomial_stiffness(&[p[13], p[14]])
            .with_quadratic_damping(p[15])
            .with_normal_slope(p[16]);
        Ok(Oscillator { friction: law, ..o })
    };
    let mut r = Random(9);
    for _ in 0..4 {
        let mut p = start(&mut r);
        let mut u = |a: f64, b: f64| r.uniform(a, b);
        p.extend([
            u(0.1, 0.5),
            u(0.9, 1.6),
            u(0.0, 0.2),
            u(0.01, 0.2),
            u(0.05, 0.3),
            u(0.01, 0.1),
            u(-0.1, 0.1),
        ]);
        let case = Case::new(&make, &p, 6.0);
        let worst = apart(&case, &mut r);
        assert!(worst < 2e-8, "{worst:e} {:?}", case.o);
    }
}

#[test]
fn it_is_so_at_stops_and_with_contacts_that_age() {
    let stopped = |soft: bool| {
        move |p: &[f64]| {
            let stops = if soft {
                Stops::soft(Some(p[10]), Some(p[11]), p[12], p[13])
            } else {
                Stops::rigid(Some(p[10]), Some(p[11]), p[12])
            };
            Ok(plain(p)?.with_stops(stops))
        }
    };
    let mut r = Random(10);
    for i in 0..80 {
        let mut p = start(&mut r);
        (p[8], p[9]) = (0.3 * p[8], p[9]);
        let mut u = |a: f64, b: f64| r.uniform(a, b);
        let soft = i % 2 == 0;
        p.extend([u(-1.5, -0.7), u(0.7, 1.5)]);
        p.extend(if soft { vec![u(20.0, 80.0), u(0.1, 2.0)] } else { vec![u(0.3, 0.9)] });
        let case = Case::new(&stopped(soft), &p, 12.0);
        let worst = apart(&case, &mut r);
        assert!(worst < 1e-9 || worst.is_nan(), "{soft} {worst:e} {:?}", case.o);
    }
}

/// 500 samples of a force on a mass that sticks and slips: against motions with a changed sample, by differences of order four.
#[test]
fn samples_have_the_derivatives_of_differences() {
    let times: Vec<f64> = (0..500).map(|i| 0.05 * f64::from(i)).collect();
    let values: Vec<f64> =
        times.iter().map(|t| 2.0 * (1.1 * t).sin() + 0.7 * (2.9 * t).cos()).collect();
    for held in [false, true] {
        let model = |values: &[f64]| {
            let force = if held {
                Signal::stepwise(&times, values)
            } else {
                Signal::sampled(&times, values)
            };
            Oscillator::new(1.3, 4.0, Law::static_dynamic(1.0, 0.7).unwrap())
                .with_damping(0.2)
                .with_force(force.unwrap() + Signal::harmonic(0.4, 1.7, 0.2))
        };
        let o = model(&values);
        let path = exact::solve(&o, 24.0).unwrap();
        assert!(path.events().len() > 10, "{}", path.events().len());
        let mut r = Random(11);
        let (at, states, of_events) = weights(&path, 5, &mut r);
        let loss = Loss { times: &at, states: &states, event_times: &of_events };
        let samples = [Samples { of: Inlet::Force, times: &times, held }];
        let found = gradient(&o, &path, &[], &samples, &loss).unwrap();
        assert_eq!(found.doubtful, []);
        let value = |values: &[f64]| {
            let path = exact::solve(&model(values), 24.0).unwrap();
            let states = at.iter().zip(&states).map(|(t, w)| {
                let u = path.state(*t);
                w.x * u.x + w.v * u.v
            });
            states.chain(path.events().iter().zip(&of_events).map(|(e, w)| w * e.time)).sum::<f64>()
        };
        let largest = found.samples[0].iter().fold(0.0, |most: f64, g| most.max(g.abs()));
        for k in (0..480).step_by(13) {
            let aside = |by: f64| {
                let mut changed = values.clone();
                changed[k] += by;
                value(&changed)
            };
            let h = 2e-4;
            let difference =
                (8.0 * (aside(h) - aside(-h)) - aside(2.0 * h) + aside(-2.0 * h)) / (12.0 * h);
            let apart = (found.samples[0][k] - difference).abs();
            assert!(apart < 1e-8 * largest, "{held} {k}: {} {difference}", found.samples[0][k]);
        }
        // After the end nothing counts.
        assert_eq!(found.samples[0][490], 0.0);
    }
}

/// A slide to rest: t* = v₀/f and x = v₀²/(2 f), with m = 1.
#[test]
fn a_slide_to_rest_in_closed_form() {
    let make =
        |p: &[f64]| Ok(Oscillator::new(1.0, 0.0, Law::coulomb(p[0])?).starting_at(0.0, p[1]));
    let (f, v) = (0.7, 2.0);
    let case = Case::new(&make, &[f, v], 9.0);
    let found = case.backward(
        &[],
        &Loss { times: &[8.0], states: &[State { x: 3.0, v: 1.0 }], event_times: &[0.5] },
    );
    let exact = [-3.0 * v * v / (2.0 * f * f) - 0.5 * v / (f * f), 3.0 * v / f + 0.5 / f];
    for (g, e) in found.numbers.iter().zip(exact) {
        assert!((g - e).abs() < 1e-13, "{g} {e}");
    }
}

/// A limit that the load only touches: before it all is known, after it nothing is, as in forward mode.
#[test]
fn after_an_instant_without_a_derivative_there_is_no_gradient() {
    let make = |p: &[f64]| {
        let force = Signal::sampled(&[0.0, 1.0, 2.0, 9.0], &[0.0, p[0], 0.0, 5.0])?;
        Ok(Oscillator::new(1.0, 1.0, Law::coulomb(1.0)?).with_force(force))
    };
    let case = Case::new(&make, &[1.0], 8.0);
    let loss = |t: &'static [f64]| Loss {
        times: t,
        states: &[State { x: 1.0, v: 0.0 }],
        event_times: &[],
    };
    let early = case.backward(&[], &loss(&[0.5]));
    let late = case.backward(&[], &loss(&[7.0]));
    let ahead = derivatives(&case.o, &case.path, &case.seen(), &[0.5, 7.0]).unwrap();
    assert_eq!(early.numbers, [0.0]);
    assert_eq!(late.numbers[0].is_nan(), ahead.states[1].x.is_nan());
    assert!(late.numbers[0].is_nan() && !late.doubtful.is_empty(), "{:?}", case.path.warnings());
    assert!(late.doubtful[0].why == Why::AtLimit && late.doubtful[0].time == 1.0, "{late:?}");
    assert_eq!(late.doubtful, ahead.doubtful);
}

#[test]
fn losses_that_do_not_fit_are_refused() {
    let case = Case::new(&plain, &[1.0, 2.0, 0.1, 1.0, 0.8, 2.0, 0.9, 0.0, 0.5, 0.0], 5.0);
    let one = [State { x: 1.0, v: 0.0 }];
    let two = [one[0]; 2];
    for loss in [
        Loss { times: &[1.0, 2.0], states: &one, event_times: &[] },
        Loss { times: &[2.0, 1.0], states: &two, event_times: &[] },
        Loss { times: &[1.0], states: &one, event_times: &[1.0; 99] },
    ] {
        assert!(gradient(&case.o, &case.path, &[], &[], &loss).is_err());
    }
}

/// A mass that a spring and a sampled force throw between two walls: numbers against forward mode, samples against motions with a changed sample, by
/// differences of order four.
#[test]
fn a_mass_between_walls_has_gradients() {
    let times: Vec<f64> = (0..60).map(|i| 0.2 * f64::from(i)).collect();
    let values: Vec<f64> =
        times.iter().map(|t| 1.5 * (1.1 * t).sin() + 0.7 * (2.9 * t).cos()).collect();
    let model = |p: [f64; 3], values: &[f64], held: bool| {
        let force =
            if held { Signal::stepwise(&times, values) } else { Signal::sampled(&times, values) };
        let mut mass = Impact::new(p[0], p[1]);
        (mass.stiffness, mass.force) = (1.0, force?);
        (mass.lower, mass.upper) = (Some(Signal::constant(-0.4)), Some(Signal::constant(p[2])));
        mass.initial.velocity = 1.0;
        Ok::<_, Error>(mass)
    };
    let (p, end) = ([1.3, 0.9, 0.5], 10.0);
    for held in [false, true] {
        let own = model(p, &values, held).unwrap();
        let path = impact::solve(&own, end).unwrap();
        assert!(path.events().len() > 3, "{}", path.events().len());
        let numbers: Vec<_> = (0..3)
            .map(|i| {
                let with = |x: f64| {
                    let mut p = p;
                    p[i] = x;
                    model(p, &values, held)
                };
                Number::around(p[i], with).unwrap()
            })
            .collect();
        let mut r = Random(12);
        let at: Vec<f64> = [1.7, 4.1, 6.6, 9.3].into();
        let mut weight = || r.uniform(-1.0, 1.0);
        let states: Vec<State> = at.iter().map(|_| State { x: weight(), v: weight() }).collect();
        let of_events: Vec<f64> = path.events().iter().map(|_| weight()).collect();
        let loss = Loss { times: &at, states: &states, event_times: &of_events };
        let samples = [Samples { of: Inlet::Force, times: &times, held }];
        let found = impact_gradient(&own, path.events(), &numbers, &samples, &loss, end).unwrap();
        assert_eq!(found.doubtful, []);
        let forward = impact_derivatives(&own, path.events(), &numbers, &at, end).unwrap();
        for k in 0..3 {
            let of_states = states.iter().enumerate();
            let of_states =
                of_states.map(|(i, w)| w.x * forward.x[3 * i + k] + w.v * forward.v[3 * i + k]);
            let of_times = of_events.iter().enumerate();
            let of_times = of_times.map(|(i, w)| w * forward.event_times[3 * i + k]);
            let terms: Vec<f64> = of_states.chain(of_times).collect();
            let size = terms.iter().fold(0.0, |m: f64, t| m.max(t.abs()));
            let wanted: f64 = terms.iter().sum();
            assert!((found.numbers[k] - wanted).abs() < 1e-10 * size, "{k}: {wanted}");
        }
        let value = |values: &[f64]| {
            let path = impact::solve(&model(p, values, held).unwrap(), end).unwrap();
            let of_states = at.iter().zip(&states).map(|(t, w)| {
                let u = path.state(*t);
                w.x * u.x + w.v * u.v
            });
            let of_times = path.events().iter().zip(&of_events).map(|(e, w)| w * e.time);
            of_states.chain(of_times).sum::<f64>()
        };
        let largest = found.samples[0].iter().fold(0.0, |most: f64, g| most.max(g.abs()));
        for k in (1..50).step_by(4) {
            let aside = |by: f64| {
                let mut changed = values.clone();
                changed[k] += by;
                value(&changed)
            };
            let h = 2e-4;
            let difference =
                (8.0 * (aside(h) - aside(-h)) - aside(2.0 * h) + aside(-2.0 * h)) / (12.0 * h);
            let apart = (found.samples[0][k] - difference).abs();
            assert!(apart < 1e-8 * largest, "{held} {k}: {} {difference}", found.samples[0][k]);
        }
    }
}

/// What the oscillator that moves alike does not know is refused: a wall that moves, a mass that comes to rest, samples of a wall.
#[test]
fn a_mass_between_walls_says_why_there_is_no_gradient() {
    let times = [0.0, 1.0];
    let asked = |ball: &Impact, of: Inlet| {
        let path = impact::solve(ball, 9.0).unwrap();
        let samples = [Samples { of, times: &times, held: false }];
        let loss = Loss { times: &[0.2], states: &[State { x: 1.0, v: 0.0 }], event_times: &[] };
        impact_gradient(ball, path.events(), &[], &samples, &loss, 9.0).unwrap_err().to_string()
    };
    let mut ball = Impact::new(1.0, 0.5);
    ball.force = Signal::constant(-2.0);
    ball.lower = Some(Signal::constant(0.0));
    ball.initial.displacement = 1.0;
    assert!(asked(&ball, Inlet::Force).contains("comes to rest"));
    ball.force = Signal::harmonic(0.5, 1.0, 0.0);
    ball.initial.velocity = 1.0;
    assert!(asked(&ball, Inlet::LowerWall).contains("those of its force"));
    ball.lower = Some(Signal::harmonic(0.1, 0.3, 0.0));
    assert!(asked(&ball, Inlet::Force).contains("a wall moves"));
}

/// A chirp is a function of which nothing says how it changes with its numbers, and of two steps that are near each other the models aside
/// have the second one first: there the derivatives are left to differences of the motion.
#[test]
fn chirps_and_knots_that_pass_each_other_are_refused() {
    let block = |force: Signal| {
        Oscillator::new(1.0, 1.0, Law::coulomb(0.3).unwrap())
            .with_force(force)
            .starting_at(2.0, 0.0)
    };
    let refused = |model: &dyn Fn(f64) -> Oscillator, value: f64| {
        let number = Number::around(value, |x| Ok::<_, Error>(model(x))).unwrap();
        let own = model(value);
        let path = exact::solve(&own, 8.0)
            .or_else(|_| adaptive::solve(&own, 8.0, adaptive::Options::tolerance(1e-10)));
        let path = path.unwrap();
        matches!(
            derivatives(&own, &path, &[number.of(Some).unwrap()], &[7.0]),
            Err(Error::NotOffered { .. })
        )
    };
    let chirp = |amplitude: f64| {
        let chirp = Chirp {
            amplitude,
            from: 1.0,
            to: 3.0,
            duration: 8.0,
            phase: 0.0,
            sweep: Sweep::Linear,
        };
        block(Signal::chirp(chirp).unwrap())
    };
    assert!(refused(&chirp, 1.5));
    let steps = |apart: f64| {
        move |time: f64| block(Signal::step(time, 0.0, 1.0) + Signal::step(5.0 + apart, 0.0, -0.5))
    };
    assert!(refused(&steps(0.003), 5.0));
    assert!(!refused(&steps(0.5), 5.0));
}
