//! Derivatives of motions of machines, against closed forms and where there are none. Random machines are with the others, see
//! `machines/everything/derivatives.rs`.

use stickslip::law::memory::{BoucWen, Dahl, MaxwellSlip, Memory, Shape, StribeckLimit};
use stickslip::law::{Ageing, Growth};
use stickslip::model::machine::{
    ControlLaw, Curve, Gains, GearBetween, GearFriction, Quantity, Sampling,
};
use stickslip::model::{Bumper, Inlet, Machine, Network};
use stickslip::scheme::oscillator::adaptive;
use stickslip::study::sensitivity::{
    NetworkDerivatives, NetworkLoss, Number, Samples, Why, derivatives, machine_derivatives,
    machine_distance, machine_gradient,
};
use stickslip::{Error, Event, EventKind, Law, Oscillator, Signal};

/// Each of the numbers from which `model` is made.
fn numbers<const N: usize, M>(values: [f64; N], model: impl Fn([f64; N]) -> M) -> Vec<Number<M>> {
    let with = |i: usize, x: f64| {
        let mut values = values;
        values[i] = x;
        Ok::<_, Error>(model(values))
    };
    (0..N).map(|i| Number::around(values[i], |x| with(i, x)).unwrap()).collect()
}

/// The derivatives of `model` with respect to each of its numbers.
fn found<const N: usize>(
    values: [f64; N],
    model: impl Fn([f64; N]) -> Machine,
    times: &[f64],
    end: f64,
) -> (NetworkDerivatives, Vec<Event>) {
    let own = model(values);
    let numbers = numbers(values, model);
    let seen: Vec<_> = numbers.iter().map(|n| n.of(Some).unwrap()).collect();
    machine_derivatives(&own, &seen, times, end).unwrap()
}

/// The derivatives of a closed form with respect to each of its numbers, by differences of order six.
fn rates<const N: usize>(values: [f64; N], of: impl Fn([f64; N]) -> f64) -> [f64; N] {
    std::array::from_fn(|i| {
        let h = 2e-3 * values[i];
        let at = |k: f64| {
            let mut values = values;
            values[i] += k * h;
            of(values)
        };
        let pair = |k: f64| at(k) - at(-k);
        (45.0 * pair(1.0) - 9.0 * pair(2.0) + pair(3.0)) / (60.0 * h)
    })
}

#[track_caller]
fn near(found: &[f64], exact: &[f64], within: f64) {
    assert_eq!(found.len(), exact.len());
    let size = exact.iter().fold(0.0, |m: f64, e| m.max(e.abs()));
    for (f, e) in found.iter().zip(exact) {
        assert!((f - e).abs() <= within * size, "{found:?} instead of {exact:?}");
    }
}

/// Differences of order four between machines 0.1 % apart are exact where a number enters linearly; of 1/m they miss some 4·10⁻¹².
const MASS: f64 = 1e-11;

fn ball([height, gravity, restitution]: [f64; 3]) -> Machine {
    let network = Network::builder()
        .unjoined()
        .node("ball", 2.0)
        .starting_at("ball", height, 0.0)
        .force("ball", Signal::constant(-2.0 * gravity))
        .build()
        .unwrap();
    let floor = [Some(Signal::constant(0.0)), None];
    let rigid = Bumper::Rigid { restitution };
    Machine::new(network).unwrap().with_stop("floor", ["ball", "ground"], floor, rigid).unwrap()
}

/// A ball that falls from h: impacts at t_k = t₀ (1 + 2 (e + … + e^k)), t₀ = √(2h/g), and rest from t₀ (1 + e)/(1 − e) on. After impact k it
/// leaves with e^k √(2 g h).
#[test]
fn a_bouncing_ball_has_the_derivatives_of_its_closed_form() {
    let values = [1.3, 9.81, 0.7];
    let times = [0.4, 0.9, 1.6];
    let (found, events) = found(values, ball, &times, 5.0);
    assert_eq!(found.doubtful, []);
    let impact = |[h, g, e]: [f64; 3], k: i32| {
        let sum: f64 = (1..=k).map(|j| e.powi(j)).sum();
        (2.0 * h / g).sqrt() * (1.0 + 2.0 * sum)
    };
    let place = |[h, g, e]: [f64; 3], t: f64| {
        let k = (0..100).take_while(|k| impact(values, *k) <= t).count() as i32;
        if k == 0 {
            return h - 0.5 * g * t * t;
        }
        let since = t - impact([h, g, e], k - 1);
        e.powi(k) * (2.0 * g * h).sqrt() * since - 0.5 * g * since * since
    };
    for (i, t) in times.iter().enumerate() {
        near(&found.x[3 * i..3 * i + 3], &rates(values, |p| place(p, *t)), 1e-12);
    }
    let impacts = events.iter().filter(|e| e.kind == EventKind::Impact).count();
    assert!(impacts > 40, "{impacts}");
    for (k, event) in events.iter().enumerate() {
        let rests = |[h, g, e]: [f64; 3]| (2.0 * h / g).sqrt() * (1.0 + e) / (1.0 - e);
        let of = |p| if event.kind == EventKind::Impact { impact(p, k as i32) } else { rests(p) };
        // What is left of a bounce is known to the rounding of the instant.
        near(&found.event_times[3 * k..3 * k + 3], &rates(values, of), 1e-11);
    }
}

/// A block that slides down a slope to a stop and comes back: with a = (F − f)/m it is there at t₁ = √(2L/a), leaves with e √(2aL), and turns
/// when friction and slope have taken that away.
#[test]
fn a_block_on_a_slope_has_the_derivatives_of_its_closed_form() {
    let model = |[mass, pull, rub, way, restitution]: [f64; 5]| {
        let network = Network::builder()
            .unjoined()
            .node("block", mass)
            .slider("slope", "block", "ground", 1.0, 1.0)
            .force("block", Signal::constant(pull))
            .build()
            .unwrap();
        let stop = [None, Some(Signal::constant(way))];
        Machine::new(network)
            .unwrap()
            .with_law("slope", Law::coulomb(rub).unwrap())
            .unwrap()
            .with_stop("stop", ["block", "ground"], stop, Bumper::Rigid { restitution })
            .unwrap()
    };
    let values = [2.0, 5.0, 1.5, 0.8, 0.6];
    let meets = |[m, p, f, l, _]: [f64; 5]| (2.0 * l * m / (p - f)).sqrt();
    let back = |[m, p, f, l, e]: [f64; 5]| e * (2.0 * (p - f) * l / m).sqrt();
    let turns = |q: [f64; 5]| meets(q) + back(q) * q[0] / (q[1] + q[2]);
    let times = [0.5 * (meets(values) + turns(values)), turns(values) + 0.01];
    let place = |q: [f64; 5], t: f64| {
        let [m, p, f, l, _] = q;
        let up = |s: f64| l - back(q) * s + 0.5 * (p + f) / m * s * s;
        let after = t - turns(q);
        if t < turns(values) {
            up(t - meets(q))
        } else {
            up(turns(q) - meets(q)) + 0.5 * (p - f) / m * after * after
        }
    };
    let (found, events) = found(values, model, &times, times[1] + 0.01);
    assert_eq!(found.doubtful, []);
    let kinds: Vec<EventKind> = events.iter().map(|e| e.kind).collect();
    // The impact turns what rubs as well.
    assert_eq!(kinds, [EventKind::Reversal, EventKind::Impact, EventKind::Reversal]);
    near(&found.event_times[..5], &rates(values, meets), MASS);
    near(&found.event_times[5..10], &rates(values, meets), MASS);
    near(&found.event_times[10..], &rates(values, turns), MASS);
    for (i, t) in times.iter().enumerate() {
        near(&found.x[5 * i..5 * i + 5], &rates(values, |q| place(q, *t)), MASS);
    }
}

/// A motor that lifts a load through a gear of which the friction grows with what it hands on (worked out by hand from T = J_l a/n + T_l and
/// J_m a = τ − T/n − f₀ − μ T): a = (τ − f₀ − T_l (1/n + μ))/(J_m + J_l/n (1/n + μ)). The difference of models 0.1 % apart is of the same sign of T.
#[test]
fn a_geared_pair_has_the_derivatives_of_its_closed_form() {
    let model = |[motor, load, ratio, mu, torque, weight]: [f64; 6]| {
        let network = Network::builder()
            .unjoined()
            .node("motor", motor)
            .node("load", load)
            .force("motor", Signal::constant(torque))
            .force("load", Signal::constant(-weight))
            .build()
            .unwrap();
        let friction = GearFriction { force: 0.1, forward: mu, backward: mu };
        let gear = GearBetween {
            name: "gear",
            between: ["motor", "load"],
            ratio,
            friction: Some(friction),
        };
        Machine::geared(network, [gear]).unwrap()
    };
    let values = [0.4, 3.0, 2.5, 0.2, 4.0, 1.2];
    let climbs = |[motor, load, n, mu, torque, weight]: [f64; 6]| {
        let share = 1.0 / n + mu;
        (torque - 0.1 - weight * share) / (motor + load / n * share)
    };
    let (found, events) = found(values, model, &[1.5], 2.0);
    assert_eq!((found.doubtful.len(), events.len()), (0, 0));
    near(&found.x[..6], &rates(values, |q| 0.5 * climbs(q) * 2.25), MASS);
    near(&found.x[6..], &rates(values, |q| 0.5 * climbs(q) * 2.25 / q[2]), MASS);
    near(&found.v[..6], &rates(values, |q| climbs(q) * 1.5), MASS);
}

/// A mass under a sampled proportional controller: between two ticks it flies along a parabola, under the force that was read at the first
/// of them. The period is a number as well: the ticks move with it.
#[test]
fn a_sampled_controller_has_the_derivatives_of_its_closed_form() {
    let model = |[mass, gain, reference, start, speed, period]: [f64; 6]| {
        let network = Network::builder()
            .unjoined()
            .node("cart", mass)
            .starting_at("cart", start, speed)
            .build()
            .unwrap();
        let gains = Gains { proportional: gain, ..Gains::default() };
        let mut law = ControlLaw::pid(gains).following(Signal::constant(reference));
        law.sampling = Some(Sampling { time: period, ..Sampling::default() });
        let machine = Machine::new(network).unwrap();
        machine.with_controller("p", ["cart", "ground"], "cart", law).unwrap()
    };
    let values = [1.5, 4.0, 0.7, 0.2, 0.3, 0.25];
    let state = |[m, k, r, x, v, period]: [f64; 6], t: f64| {
        let (mut x, mut v) = (x, v);
        let ticks = (t / values[5]).floor();
        for _ in 0..ticks as u32 {
            let a = k * (r - x) / m;
            x += v * period + 0.5 * a * period * period;
            v += a * period;
        }
        let a = k * (r - x) / m;
        let left = t - ticks * period;
        [x + v * left + 0.5 * a * left * left, v + a * left]
    };
    let times = [0.1, 0.4, 1.1];
    let (found, _) = found(values, model, &times, 1.3);
    assert_eq!(found.doubtful, []);
    for (i, t) in times.iter().enumerate() {
        let range = 6 * i..6 * i + 6;
        near(&found.x[range.clone()], &rates(values, |q| state(q, *t)[0]), MASS);
        near(&found.v[range], &rates(values, |q| state(q, *t)[1]), MASS);
    }
}

/// Two blocks that slide to rest under a force each, at the speeds v₀.
fn blocks([first, second, both]: [f64; 3]) -> Machine {
    let network = Network::builder()
        .unjoined()
        .node("a", 1.0)
        .node("b", 1.0)
        .starting_at("a", 0.0, 2.0)
        .starting_at("b", 0.0, 2.0)
        .spring("a", "b", 3.0)
        .slider("of a", "a", "ground", 1.0, 1.0)
        .slider("of b", "b", "ground", 1.0, 1.0)
        .build()
        .unwrap();
    let law = |own: f64| Law::coulomb(own * both).unwrap();
    let machine = Machine::new(network).unwrap().with_law("of a", law(first)).unwrap();
    machine.with_law("of b", law(second)).unwrap()
}

/// Two blocks that are alike come to rest at v₀/f. With another friction of one of them the other one comes to rest at another instant, and pulls
/// on it meanwhile; another friction of both leaves them alike.
#[test]
fn events_at_one_instant_are_doubted_where_a_number_parts_them() {
    let (one, events) = found([1.0, 1.0, 1.0], blocks, &[1.0, 3.0], 4.0);
    assert_eq!(events.len(), 2);
    assert!(one.doubtful.iter().all(|d| d.why == Why::Together && (d.time - 2.0).abs() < 1e-12));
    assert!(!one.doubtful.is_empty());
    // By the time, the node and the number: before the instant there are all derivatives, afterwards one.
    assert!(one.x[..6].iter().all(|x| x.is_finite()));
    assert!(one.x[6..].iter().enumerate().all(|(i, x)| x.is_nan() == (i % 3 != 2)), "{:?}", one.x);
    near(&[one.x[8], one.x[11], one.event_times[2]], &[-2.0, -2.0, -2.0], 1e-12);
    // Where they are not alike nothing is doubted.
    let (apart, _) = found([1.0, 1.2, 1.0], blocks, &[1.0, 3.0], 4.0);
    assert_eq!(apart.doubtful, []);
    assert!(apart.x.iter().all(|x| x.is_finite()));
}

/// A block that slides to rest under a load that is all that its friction can hold rests or goes on with the last digit; under another one it rests.
#[test]
fn rest_at_the_limit_is_doubted() {
    let model = |[load]: [f64; 1]| {
        let network = Network::builder()
            .unjoined()
            .node("block", 1.0)
            .starting_at("block", 0.0, -2.0)
            .slider("pad", "block", "ground", 1.0, 1.0)
            .force("block", Signal::constant(load))
            .build()
            .unwrap();
        Machine::new(network).unwrap().with_law("pad", Law::coulomb(1.0).unwrap()).unwrap()
    };
    let (found, _) = found([1.0], model, &[0.5, 1.5], 2.0);
    assert_eq!(found.doubtful.len(), 1);
    assert_eq!(found.doubtful[0].why, Why::AtLimit);
    assert!(found.x[0].is_finite() && found.x[1].is_nan());
    let (rests, _) = self::found([0.9], model, &[1.5], 2.0);
    assert_eq!(rests.doubtful, []);
    // x = −v₀²/(2 (F + f)).
    near(&rests.x, &[2.0 / (1.9 * 1.9)], 1e-12);
}

/// A gain of 0 has no such derivatives: with another one the controller has an integral.
#[test]
fn a_number_that_switches_a_part_on_is_refused() {
    let network = || Network::builder().unjoined().node("cart", 1.0).spring("cart", "ground", 1.0);
    let model = |integral: f64| {
        let gains = Gains { proportional: 1.0, integral, ..Gains::default() };
        let machine = Machine::new(network().build()?)?;
        machine.with_controller("pi", ["cart", "ground"], "cart", ControlLaw::pid(gains))
    };
    let (own, number) = (model(0.0).unwrap(), Number::around(0.0, model).unwrap());
    let refused = machine_derivatives(&own, &[number.of(Some).unwrap()], &[1.0], 2.0);
    assert!(matches!(refused, Err(Error::NotOffered { .. })), "{refused:?}");
}

/// The frequency of a load whose waves come apart by a turn until the end is refused between models 0.1 % apart, and not between nearer ones.
#[test]
fn waves_that_come_apart_are_refused() {
    let model = |frequency: f64| {
        let network = Network::builder().unjoined().node("cart", 1.0).spring("cart", "ground", 9.0);
        let load = Signal::harmonic(2.0, frequency, 0.0);
        Machine::new(network.force("cart", load).build()?)
    };
    let own = model(50.0).unwrap();
    let number = |by: f64| Number::near(50.0, by, model).unwrap();
    let at = |number: &Number<Machine>| {
        machine_derivatives(&own, &[number.of(Some).unwrap()], &[100.0], 100.0)
    };
    assert!(matches!(at(&number(1.0)), Err(Error::NotOffered { .. })));
    let by = machine_distance(&own, 100.0);
    let (found, _) = at(&number(by)).unwrap();
    // x = A (cos ωt − cos Ωt)/(Ω² − ω²).
    let (w, t, d) = (50.0f64, 100.0, 9.0 - 2500.0);
    let waves = (w * t).cos() - (3.0 * t).cos();
    near(&found.x, &[2.0 * (2.0 * w * waves / (d * d) - t * (w * t).sin() / d)], 1e-9);
}

/// A block that viscous friction slows down: with τ = m/c it rests after τ ln(1 + c v₀/f).
fn viscous([mass, speed, force, rate]: [f64; 4]) -> Machine {
    let network = Network::builder()
        .unjoined()
        .node("block", mass)
        .starting_at("block", 0.0, speed)
        .slider("pad", "block", "ground", 1.0, 1.0)
        .build()
        .unwrap();
    let law = Law::stribeck_exponential(force, force, 1.0, 1.0, rate).unwrap();
    Machine::new(network).unwrap().with_law("pad", law).unwrap()
}

#[test]
fn viscous_friction_has_the_derivatives_of_its_closed_form() {
    let values = [1.5, 2.0, 0.6, 0.4];
    let rests = |[m, v, f, c]: [f64; 4]| m / c * (1.0 + c * v / f).ln();
    let place = |q: [f64; 4], t: f64| {
        let [m, v, f, c] = q;
        (v + f / c) * m / c * (1.0 - (-c * t / m).exp()) - f / c * t
    };
    let times = [1.0, 5.0];
    let (found, events) = found(values, viscous, &times, 6.0);
    assert_eq!((events.len(), &found.doubtful[..]), (1, &[][..]));
    near(&found.x[..4], &rates(values, |q| place(q, 1.0)), MASS);
    near(&found.event_times, &rates(values, rests), MASS);
    near(&found.x[4..], &rates(values, |q| place(q, rests(q))), MASS);
}

/// A slider on a belt under Stribeck's friction and a spring that is not linear, as a machine and as an oscillator.
#[test]
fn a_machine_of_one_mass_has_the_derivatives_of_the_oscillator() {
    let law = |[_, rest, fast, scale, _]: [f64; 5]| {
        Law::stribeck_exponential(rest, fast, scale, 2.0, 0.1)
    };
    let machine = |q: [f64; 5]| {
        let network = Network::builder()
            .unjoined()
            .node("block", q[0])
            .starting_at("block", 0.4, 0.0)
            .slider("belt", "block", "ground", 1.0, 1.0)
            .force("block", Signal::harmonic(0.3, 1.7, 0.0))
            .build()
            .unwrap();
        Machine::new(network)
            .unwrap()
            .with_law("belt", law(q).unwrap())
            .unwrap()
            .with_support("belt", Signal::constant(0.25))
            .unwrap()
            .with_spring(["block", "ground"], Curve::Powers(vec![q[4], 0.0, 0.7]))
            .unwrap()
    };
    let values = [1.2, 1.0, 0.5, 0.3, 2.0];
    let times = [1.3, 4.1, 7.7, 11.9];
    let (found, events) = found(values, machine, &times, 12.0);
    let oscillator = |q: [f64; 5]| {
        let mut o = Oscillator::new(q[0], q[4], law(q).unwrap());
        o.initial.displacement = 0.4;
        o.nonlinear.stiffness = vec![0.0, 0.7];
        o.force = Signal::harmonic(0.3, 1.7, 0.0);
        o.support = Signal::constant(0.25);
        o
    };
    let own = oscillator(values);
    let mut sharp = adaptive::Options::tolerance(1e-13);
    sharp.atol = 1e-16;
    let path = adaptive::solve(&own, 12.0, sharp).unwrap();
    let numbers = numbers(values, oscillator);
    let seen: Vec<_> = numbers.iter().map(|n| n.of(Some).unwrap()).collect();
    let other = derivatives(&own, &path, &seen, &times).unwrap();
    assert!(events.len() > 3 && events.len() == path.events().len(), "{}", events.len());
    assert_eq!((found.doubtful.len(), other.doubtful.len()), (0, 0));
    for i in 0..5 {
        let of = |list: &[f64]| -> Vec<f64> { list.iter().skip(i).step_by(5).copied().collect() };
        let states = |of: fn(&stickslip::State) -> f64| -> Vec<f64> {
            other.states.iter().skip(i).step_by(5).map(of).collect()
        };
        near(&of(&found.x), &states(|s| s.x), 1e-8);
        near(&of(&found.v), &states(|s| s.v), 1e-8);
        near(&of(&found.event_times), &of(&other.event_times), 1e-8);
    }
}

/// A block that a law with memory slows down.
fn slowed(mass: f64, speed: f64, law: impl Into<Memory>) -> Machine {
    let network = Network::builder()
        .unjoined()
        .node("block", mass)
        .starting_at("block", 0.0, speed)
        .slider("pad", "block", "ground", 1.0, 1.0)
        .build()
        .unwrap();
    Machine::new(network).unwrap().with_memory("pad", law, []).unwrap()
}

/// When it is at `x`: ∫ dx/v by Simpson's rule between the places where its friction has corners, of which the steps are so short that its error is a
/// rounding.
fn passes(speed: impl Fn(f64) -> f64, x: f64, corners: &[f64]) -> f64 {
    let mut ends = vec![0.0];
    ends.extend(corners.iter().filter(|c| **c < x));
    ends.push(x);
    let piece = |a: f64, b: f64| {
        let h = (b - a) / 2000.0;
        let weight = |k: u32| if k % 2 == 1 { 4.0 } else { 2.0 };
        let inner: f64 = (1..2000).map(|k| weight(k) / speed(a + h * f64::from(k))).sum();
        h / 3.0 * (1.0 / speed(a) + inner + 1.0 / speed(b))
    };
    ends.windows(2).map(|e| piece(e[0], e[1])).sum()
}

/// Where it is at `t`, from a first guess.
fn arrives(speed: impl Fn(f64) -> f64, t: f64, mut x: f64, corners: &[f64]) -> f64 {
    for _ in 0..30 {
        x -= (passes(&speed, x, corners) - t) * speed(x);
    }
    x
}

/// A block that Dahl's bristle slows down: v² = v₀² − 2/m ∫ F dx with F = f (1 − e^(−σx/f)), and t = ∫ dx/v.
#[test]
fn a_bristle_has_the_derivatives_of_its_closed_form() {
    let model = |[mass, speed, force, sigma]: [f64; 4]| {
        slowed(mass, speed, Dahl::new(force, sigma, 1.0).unwrap())
    };
    let speed = |[m, v, f, s]: [f64; 4], x: f64| {
        let work = f * x - f * f / s * (1.0 - (-s * x / f).exp());
        (v * v - 2.0 / m * work).sqrt()
    };
    let values = [1.5, 1.2, 0.8, 6.0];
    let at = 0.9;
    let place = |q: [f64; 4]| arrives(|x| speed(q, x), at, 1.0, &[]);
    let (found, _) = found(values, model, &[at], 1.0);
    assert_eq!(found.doubtful, []);
    near(&found.x, &rates(values, place), 1e-9);
    near(&found.v, &rates(values, |q| speed(q, place(q))), 1e-9);
}

/// The same by Bouc and Wen's spring with n = 1: F = α k x + (1 − α) k (1 − e^(−qx))/q, q = β + γ.
#[test]
fn a_hysteretic_spring_has_the_derivatives_of_its_closed_form() {
    let model = |[mass, speed, stiffness, ratio, beta, gamma]: [f64; 6]| {
        let shape = Shape { a: 1.0, beta, gamma, exponent: 1.0 };
        slowed(mass, speed, BoucWen::new(stiffness, ratio, shape).unwrap())
    };
    let speed = |[m, v, k, alpha, b, g]: [f64; 6], x: f64| {
        let q = b + g;
        let bent = x / q - (1.0 - (-q * x).exp()) / (q * q);
        (v * v - 2.0 / m * (0.5 * alpha * k * x * x + (1.0 - alpha) * k * bent)).sqrt()
    };
    let values = [1.5, 1.6, 5.0, 0.1, 4.0, 1.5];
    let at = 0.5;
    let place = |q: [f64; 6]| arrives(|x| speed(q, x), at, 0.6, &[]);
    let (found, _) = found(values, model, &[at], 0.6);
    assert_eq!(found.doubtful, []);
    near(&found.x, &rates(values, place), 1e-9);
    near(&found.v, &rates(values, |q| speed(q, place(q))), 1e-9);
}

/// The same by two elements in parallel under one limit f: the first slides from x = α₁ f/k₁ on, the second from α₂ f/k₂ on, each under α_i f.
#[test]
fn elements_that_yield_have_the_derivatives_of_their_closed_form() {
    let share = [0.4, 0.6];
    let model = |[mass, speed, limit, first, second]: [f64; 5]| {
        let limit = StribeckLimit::new(limit, limit, 1.0, 2.0).unwrap();
        let stiffness = vec![first, second];
        let law = MaxwellSlip::new(limit, stiffness, share.to_vec(), 10.0, 0.0).unwrap();
        slowed(mass, speed, law)
    };
    let yields = |q: [f64; 5]| [0, 1].map(|i| share[i] * q[2] / q[3 + i]);
    let speed = |q: [f64; 5], x: f64| {
        let work = |i: usize| {
            let bent = x.min(yields(q)[i]);
            q[3 + i] * (0.5 * bent * bent + bent * (x - bent))
        };
        (q[1] * q[1] - 2.0 / q[0] * (work(0) + work(1))).sqrt()
    };
    let values = [1.5, 1.6, 1.2, 6.0, 2.0];
    let at = 0.6;
    let place = |q: [f64; 5]| arrives(|x| speed(q, x), at, 0.7, &yields(q));
    let (found, events) = found(values, model, &[at], 0.65);
    assert_eq!(found.doubtful, []);
    near(&found.x, &rates(values, place), 1e-9);
    near(&found.v, &rates(values, |q| speed(q, place(q))), 1e-9);
    let told: Vec<_> = events.iter().enumerate().filter(|e| e.1.kind == EventKind::Yield).collect();
    assert_eq!(told.len(), 2, "{events:?}");
    for (i, (k, _)) in told.into_iter().enumerate() {
        let exact = rates(values, |q| passes(|x| speed(q, x), yields(q)[i], &yields(q)));
        near(&found.event_times[5 * k..5 * k + 5], &exact, 1e-9);
    }
}

/// A block that slides to rest under a load r t, and holds the more the longer it has rested: t₀ is where v₀ − f t/m + r t²/(2 m) vanishes, and it
/// gives way where r t = f + (F − f)(t − t₀)/τ.
#[test]
fn a_limit_that_ages_depends_on_when_its_rest_began() {
    let model = |[mass, speed, force, most, time, ramp]: [f64; 6]| {
        let network = Network::builder()
            .unjoined()
            .node("block", mass)
            .starting_at("block", 0.0, speed)
            .slider("pad", "block", "ground", 1.0, 1.0)
            .force("block", Signal::ramp(ramp, 0.0))
            .build()
            .unwrap();
        let growth = Growth::Power { breakaway: most, time, exponent: 1.0 };
        let law = Law::Ageing(Ageing::new(force, growth).unwrap());
        Machine::new(network).unwrap().with_law("pad", law).unwrap()
    };
    let values = [1.5, 0.4, 1.0, 1.6, 2.0, 0.5];
    let rests = |[m, v, f, _, _, r]: [f64; 6]| (f - (f * f - 2.0 * r * m * v).sqrt()) / r;
    let slips = |q: [f64; 6]| {
        let [_, _, f, most, time, r] = q;
        let grows = (most - f) / time;
        (f - grows * rests(q)) / (r - grows)
    };
    let (found, events) = found(values, model, &[], 6.0);
    let kinds: Vec<EventKind> = events.iter().map(|e| e.kind).collect();
    assert_eq!(kinds, [EventKind::Stick, EventKind::Slip]);
    near(&found.event_times[..6], &rates(values, rests), MASS);
    near(&found.event_times[6..], &rates(values, slips), MASS);
}

/// A block that slides to rest under a load just as large as its friction: with a smaller load it rests, with a larger one it goes on, and v̇ = ((F − f) − c
/// v)/m makes of that a way that grows with the load.
#[test]
fn there_are_derivatives_on_both_sides_of_a_limit() {
    for rate in [0.0, 0.4] {
        let model = |[load]: [f64; 1]| {
            let network = Network::builder()
                .unjoined()
                .node("block", 1.0)
                .starting_at("block", 0.0, -2.0)
                .slider("pad", "block", "ground", 1.0, 1.0)
                .force("block", Signal::constant(load))
                .build()
                .unwrap();
            let law = Law::stribeck_exponential(1.0, 1.0, 1.0, 1.0, rate).unwrap();
            Machine::new(network).unwrap().with_law("pad", law).unwrap()
        };
        let end = 2.5;
        let (at, _) = found([1.0], model, &[end], end);
        assert!(at.x[0].is_nan() && at.doubtful[0].why == Why::AtLimit, "{at:?}");
        let aside = 1e-7;
        let [(below, _), (above, _)] =
            [-aside, aside].map(|by| found([1.0 + by], model, &[end], end));
        // The block rests after t₀ and x₀: with g = F + f, t₀ = ln(1 + c v₀/g)/c and x₀ = −(v₀ − g t₀)/c.
        let rest = |load: f64| {
            let g = 1.0 + load;
            if rate == 0.0 {
                (2.0 / g, -2.0 / g)
            } else {
                let t = (1.0 + rate * 2.0 / g).ln() / rate;
                (t, -(2.0 - g * t) / rate)
            }
        };
        let rests = (rest(1.0 + 1e-4).1 - rest(1.0 - 1e-4).1) / 2e-4;
        let left = end - rest(1.0).0;
        let goes = if rate == 0.0 {
            0.5 * left * left
        } else {
            left / rate - (1.0 - (-rate * left).exp()) / (rate * rate)
        };
        near(&below.x, &[rests], 1e-6);
        near(&above.x, &[rests + goes], 1e-6);
        assert!((goes / rests).abs() > 0.5);
    }
}

/// What does not fit is refused: a loss with weights for other events than there are, and samples of what has none.
#[test]
fn gradients_ask_for_what_fits() {
    let machine = ball([1.0, 2.0, 0.5]);
    let asked = |weights: &[f64], samples: &[Samples<'_>]| {
        let loss = NetworkLoss { times: &[0.5], x: &[1.0], v: &[0.0], event_times: weights };
        machine_gradient(&machine, &[], samples, &loss, 1.2)
    };
    let (_, events) = asked(&[], &[]).unwrap();
    assert_eq!(events.len(), 1);
    let times = [0.0, 1.0];
    let force = Samples { of: Inlet::NodeForce(0), times: &times, held: true };
    assert!(asked(&[1.0], &[force]).is_ok());
    for count in [2, 3, 9] {
        let error = asked(&vec![1.0; count], &[force]).unwrap_err();
        assert!(
            error.to_string().contains("expected 1, one for each event of the motion"),
            "{error}"
        );
    }
    let nothing = Samples { times: &[], ..force };
    let elsewhere = [Inlet::Drive, Inlet::NodeMotion(0), Inlet::SliderSupport(0)];
    let elsewhere = elsewhere.map(|of| (Samples { of, ..force }, "the force on a node"));
    for (samples, said) in [(nothing, "is empty")].into_iter().chain(elsewhere) {
        let error = asked(&[], &[samples]).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
    }
    let free = Samples { of: Inlet::NodeForce(7), ..force };
    assert!(asked(&[], &[free]).is_err());
}

/// Every second of five samples, s.
const SAMPLED: [f64; 5] = [0.0, 0.5, 1.0, 1.5, 2.0];
/// When the motions under them are looked at, s.
const LOOKED: f64 = 1.7;

/// What the sample number `i` gives at `t`, where it is 1 and the others are 0.
fn hat(i: usize, t: f64) -> f64 {
    (1.0 - ((t - SAMPLED[i]) / 0.5).abs()).max(0.0)
}

/// ∫ kernel(t) hat(t) dt up to [`LOOKED`] for each sample, by Simpson's rule between corners.
fn responses(kernel: impl Fn(f64) -> f64) -> [f64; 5] {
    std::array::from_fn(|i| {
        let parts = SAMPLED.iter().zip(SAMPLED[1..].iter().map(|b| b.min(LOOKED)));
        let parts = parts.map(|(a, b)| {
            let h = (b - a) / 400.0;
            let term = |k: i32| {
                let t = a + h * f64::from(k);
                let weight = if k == 0 || k == 400 { 1 } else { 2 + 2 * (k % 2) };
                f64::from(weight) * kernel(t) * hat(i, t)
            };
            (0..=400).map(term).sum::<f64>() * h / 3.0
        });
        parts.sum()
    })
}

/// Samples of what a controller follows, and of how fast a surface moves.
#[test]
fn samples_of_every_inlet_have_the_derivatives_of_their_closed_forms() {
    let values = [0.3, 0.5, 0.2, 0.4, 0.6];
    let wave = || Signal::sampled(&SAMPLED, &values).unwrap();
    // A mass of 2 kg without friction, for controllers.
    let cart = || Network::builder().unjoined().node("cart", 2.0).build().unwrap();
    let led = |law: ControlLaw| {
        Machine::new(cart()).unwrap().with_controller("c", ["cart", "ground"], "cart", law).unwrap()
    };
    let gains = Gains { proportional: 3.0, ..Gains::default() };
    let speed = ControlLaw::pid(gains).measuring(Quantity::Velocity).following(wave());
    let ticks = Sampling { time: 0.125, delay: 0.0, quantum: 0.0 };
    let place = |reference: Signal| ControlLaw {
        sampling: Some(ticks),
        ..ControlLaw::pid(gains).following(reference)
    };
    // And one on a surface with 0.5 N + 3 N·s/m, which is always faster.
    let carried = Network::builder()
        .unjoined()
        .node("mass", 2.0)
        .starting_at("mass", 0.0, -1.0)
        .slider("pad", "mass", "ground", 0.5, 0.5)
        .build()
        .unwrap();
    let rubbed = Law::stribeck_exponential(0.5, 0.5, 1.0, 1.0, 3.0).unwrap();
    let carried = Machine::new(carried).unwrap().with_law("pad", rubbed).unwrap();
    let carried = carried.with_support("pad", wave()).unwrap();

    // m v′ = 3 (r − v), as on the surface.
    let first_order = responses(|t| 1.5 * (-1.5 * (LOOKED - t)).exp());
    // From tick to tick the force is held.
    let steps = |hat: fn(usize, f64) -> f64| -> [f64; 5] {
        std::array::from_fn(|i| {
            let (mut x, mut v) = (0.0, 0.0);
            for k in 0..14 {
                let from = 0.125 * f64::from(k);
                let (a, h) = (1.5 * (hat(i, from) - x), (LOOKED - from).min(0.125));
                (x, v) = (x + h * (v + 0.5 * h * a), v + h * a);
            }
            x
        })
    };
    let block = |i: usize, t: f64| f64::from(u8::from((0.0..0.5).contains(&(t - SAMPLED[i]))));
    let stairs = Signal::stepwise(&SAMPLED, &values).unwrap();
    let place_of = Inlet::Reference(0, Quantity::Displacement);
    let all = [
        (led(speed), Inlet::Reference(0, Quantity::Velocity), [0.0, 1.0], first_order),
        (led(place(wave())), place_of, [1.0, 0.0], steps(hat)),
        (led(place(stairs)), place_of, [1.0, 0.0], steps(block)),
        (carried, Inlet::SliderSupport(0), [0.0, 1.0], first_order),
    ];
    for (case, (machine, of, [x, v], exact)) in all.into_iter().enumerate() {
        let loss = NetworkLoss { times: &[LOOKED], x: &[x], v: &[v], event_times: &[] };
        let samples = [Samples { of, times: &SAMPLED, held: case == 2 }];
        let (found, events) = machine_gradient(&machine, &[], &samples, &loss, 2.0).unwrap();
        assert!(events.is_empty(), "{of}: {events:?}");
        near(&found.samples[0], &exact, 1e-11);
    }
}

/// A mass that sticks to a belt and slips on it, and is pulled by a servo: every sample beside the same by itself, whatever happens.
#[test]
fn samples_of_every_inlet_have_the_derivatives_of_numbers() {
    let times: Vec<f64> = (0..=16).map(|i| 0.5 * f64::from(i)).collect();
    let wave = |from: f64, a: f64, w: f64| -> Vec<f64> {
        times.iter().map(|t| from + a * (w * t).sin()).collect()
    };
    let (goal, speed) = (wave(0.1, 0.8, 1.1), wave(0.3, 0.5, 0.7));
    let looks = [0.4, 1.0, 2.3, 3.9, 5.5, 7.7];
    for (quantity, sampling, held) in [
        (Quantity::Displacement, None, [false, false]),
        (Quantity::Velocity, None, [true, false]),
        (Quantity::Displacement, Some(0.25), [false, false]),
        (Quantity::Displacement, Some(0.25), [true, true]),
        (Quantity::Velocity, Some(0.1), [false, true]),
    ] {
        let signal = |held: bool, values: &[f64]| {
            let made = if held { Signal::stepwise } else { Signal::sampled };
            made(&times, values).unwrap()
        };
        let model = |goal: &[f64], speed: &[f64]| {
            let network = Network::builder()
                .node("a", 1.0)
                .node("b", 2.0)
                .spring("a", "b", 9.0)
                .spring("b", "ground", 1.0)
                .slider("belt", "a", "ground", 0.8, 0.5)
                .build()
                .unwrap();
            let gains = Gains { proportional: 6.0, derivative: 1.5, filter: 0.1, integral: 0.5 };
            let law = ControlLaw {
                sampling: sampling.map(|time| Sampling { time, delay: 0.04, quantum: 0.0 }),
                ..ControlLaw::pid(gains).measuring(quantity).following(signal(held[0], goal))
            };
            let machine = Machine::new(network).unwrap();
            let machine = machine.with_support("belt", signal(held[1], speed)).unwrap();
            machine.with_controller("servo", ["b", "ground"], "b", law).unwrap()
        };
        let own = model(&goal, &speed);
        let numbers: Vec<_> = (0..2 * times.len())
            .map(|i| {
                let with = |x: f64| {
                    let mut both = [goal.clone(), speed.clone()];
                    both[i / times.len()][i % times.len()] = x;
                    Ok::<_, Error>(model(&both[0], &both[1]))
                };
                Number::around(if i < times.len() { goal[i] } else { speed[i - times.len()] }, with)
            })
            .collect::<Result<_, _>>()
            .unwrap();
        let seen: Vec<_> = numbers.iter().map(|n| n.of(Some).unwrap()).collect();
        let (forward, events) = machine_derivatives(&own, &seen, &looks, 8.0).unwrap();
        assert!(events.len() > 2, "{events:?}");
        assert_eq!(forward.doubtful, [], "{quantity:?} {sampling:?} {held:?}");
        let samples =
            [(Inlet::Reference(0, quantity), held[0]), (Inlet::SliderSupport(0), held[1])];
        let samples = samples.map(|(of, held)| Samples { of, times: &times, held });
        // Each look and each event by itself.
        let shown = 2 * looks.len();
        for one in 0..2 * shown + events.len() {
            let unit = |from: usize, count: usize| {
                (from..from + count).map(|i| f64::from(u8::from(i == one))).collect::<Vec<_>>()
            };
            let (x, v) = (unit(0, shown), unit(shown, shown));
            let event_times = unit(2 * shown, events.len());
            let loss = NetworkLoss { times: &looks, x: &x, v: &v, event_times: &event_times };
            let (found, _) = machine_gradient(&own, &[], &samples, &loss, 8.0).unwrap();
            let rows = [&forward.x[..], &forward.v, &forward.event_times].concat();
            let count = 2 * times.len();
            let want = &rows[one * count..(one + 1) * count];
            assert_eq!(found.doubtful, [], "{quantity:?} {sampling:?} {held:?}");
            near(&found.samples.concat(), want, 1e-8);
        }
    }
}
