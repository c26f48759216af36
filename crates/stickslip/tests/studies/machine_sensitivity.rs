//! Derivatives of exact motions of machines, against closed forms and where there are none. Random machines are with the others, see
//! `machines/everything/derivatives.rs`.

use stickslip::model::machine::{ControlLaw, Gains, GearBetween, GearFriction, Sampling};
use stickslip::model::{Bumper, Machine, Network};
use stickslip::study::sensitivity::{NetworkDerivatives, Number, Why, machine_derivatives};
use stickslip::{Error, Event, EventKind, Law, Signal};

/// The derivatives of `model` with respect to each of its numbers.
fn found<const N: usize>(
    values: [f64; N],
    model: impl Fn([f64; N]) -> Machine,
    times: &[f64],
    end: f64,
) -> (NetworkDerivatives, Vec<Event>) {
    let own = model(values);
    let numbers: Vec<Number<Machine>> = (0..N)
        .map(|i| {
            let with = |x: f64| {
                let mut values = values;
                values[i] = x;
                Ok::<_, Error>(model(values))
            };
            Number::around(values[i], with).unwrap()
        })
        .collect();
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

/// What is not linear between events has no such derivatives, and neither has a gain of 0, with which a controller has no integral.
#[test]
fn what_is_not_linear_is_refused() {
    let network = || Network::builder().unjoined().node("cart", 1.0).spring("cart", "ground", 1.0);
    let model = |friction: f64| {
        let network = network().slider("pad", "cart", "ground", 1.0, 1.0).build()?;
        let law = Law::stribeck_exponential(friction, 0.5, 0.1, 1.0, 0.0)?;
        Machine::new(network)?.with_law("pad", law)
    };
    let (own, number) = (model(1.0).unwrap(), Number::around(1.0, model).unwrap());
    let refused = machine_derivatives(&own, &[number.of(Some).unwrap()], &[1.0], 2.0);
    assert!(matches!(refused, Err(Error::NotOffered { .. })), "{refused:?}");
    let model = |integral: f64| {
        let gains = Gains { proportional: 1.0, integral, ..Gains::default() };
        let machine = Machine::new(network().build()?)?;
        machine.with_controller("pi", ["cart", "ground"], "cart", ControlLaw::pid(gains))
    };
    let (own, number) = (model(0.0).unwrap(), Number::around(0.0, model).unwrap());
    let refused = machine_derivatives(&own, &[number.of(Some).unwrap()], &[1.0], 2.0);
    assert!(matches!(refused, Err(Error::NotOffered { .. })), "{refused:?}");
}
