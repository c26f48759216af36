//! Derivatives of cascades: against those of the network that moves alike, closed forms, and differences of motions.

use crate::common::Random;
use crate::common::campaign::{Tally, campaign};
use stickslip::model::{Inlet, Network};
use stickslip::motion::CascadePath;
use stickslip::scheme::{cascade, network};
use stickslip::study::sensitivity::{
    Gradient, Loss, Number, Samples, Why, cascade_derivatives, cascade_gradient,
    network_derivatives,
};
use stickslip::{Cascade, Error, EventKind, Signal, State};

/// A cascade by its numbers: m, k_0 … k_n, α_1 … α_n, the amplitude and the frequency of its load, x, v, and W_1 … W_n where it starts
/// under load.
fn by_numbers(elements: usize, p: &[f64]) -> Result<Cascade, Error> {
    let (springs, rest) = p[1..].split_at(elements + 1);
    let (limits, rest) = rest.split_at(elements);
    let force = Signal::harmonic(rest[0], rest[1], 0.4) + Signal::harmonic(0.3 * rest[0], 2.7, 1.0);
    let cascade = Cascade::new(p[0], springs.to_vec(), limits.to_vec())
        .with_force(force)
        .starting_at(rest[2], rest[3])
        .with_prestress(rest[4..].to_vec());
    cascade.check()?;
    Ok(cascade)
}

/// Random numbers for it.
fn drawn(r: &mut Random, elements: usize, loaded: bool) -> Vec<f64> {
    let mut p = vec![r.uniform(0.5, 2.0)];
    p.extend((0..=elements).map(|i| r.uniform(1.0, 4.0) / (1.0 + i as f64)));
    p.extend((0..elements).map(|_| r.uniform(0.2, 1.5)));
    p.extend([r.uniform(1.0, 4.0), r.uniform(0.4, 1.8)]);
    p.extend([if loaded { r.uniform(-1.0, 1.0) } else { 0.0 }, r.uniform(-1.0, 1.0)]);
    if loaded {
        let limits = p[elements + 2..2 * elements + 2].to_vec();
        p.extend(limits.iter().map(|a| 0.9 * a * r.uniform(-1.0, 1.0)));
    }
    p
}

fn numbers(elements: usize, p: &[f64], which: impl Iterator<Item = usize>) -> Vec<Number<Cascade>> {
    let aside = |k: usize| {
        move |x: f64| {
            let mut p = p.to_vec();
            p[k] = x;
            by_numbers(elements, &p)
        }
    };
    which.map(|k| Number::around(p[k], aside(k)).unwrap()).collect()
}

/// What is smaller is nothing: an element that does not yield changes nothing.
const NOTHING: f64 = 1e-3;

/// The largest difference of two lists, relative to the largest of the second.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let size = b.iter().fold(NOTHING, |m: f64, x| m.max(x.abs()));
    a.iter().zip(b).map(|(a, b)| (a - b).abs() / size).fold(0.0, f64::max)
}

/// A random cascade that starts unloaded at 0, and the network of nodes without mass that moves as it does.
fn as_network(seed: u64, tally: &mut Tally) {
    let mut r = Random(seed);
    let elements = 1 + seed as usize % 5;
    let p = drawn(&mut r, elements, false);
    let own = by_numbers(elements, &p).unwrap();
    let path = cascade::exact(&own, 15.0).unwrap();
    // All but the place at the start, which the network has at 0.
    let numbers = numbers(elements, &p, (0..2 * elements + 4).chain([2 * elements + 5]));
    let times = [3.1, 8.2, 15.0];
    let found = cascade_derivatives(&own, &path, &numbers, &times).unwrap();
    assert_eq!(found.doubtful, [], "{seed}");
    let alike = Network::cascade(&own).build().unwrap();
    let moved = network::exact(&alike, 15.0).unwrap();
    let of = |c: &Cascade| Network::cascade(c).build().ok();
    let networks: Vec<_> = numbers.iter().map(|n| n.of(of).unwrap()).collect();
    let seen: Vec<_> = networks.iter().map(|n| n.of(Some).unwrap()).collect();
    let wanted = network_derivatives(&alike, &moved, &seen, &times).unwrap();
    if !wanted.doubtful.is_empty() {
        return tally.add("doubted by the network", 1);
    }
    let count = numbers.len();
    let mass = |all: &[f64]| -> Vec<f64> {
        let rows = all.chunks(count * (elements + 1));
        rows.flat_map(|row| row[..count].to_vec()).collect()
    };
    tally.worst("x", apart(&found.x, &mass(&wanted.x)), seed);
    tally.worst("v", apart(&found.v, &mass(&wanted.v)), seed);
    let yields = path.events().iter().zip(found.event_times.chunks(count));
    for (e, rates) in yields.filter(|(e, _)| e.kind == EventKind::Yield) {
        let same = |s: &stickslip::Event| {
            s.kind == EventKind::Slip && s.place + 1 == e.place && (s.time - e.time).abs() < 1e-9
        };
        if let Some(i) = moved.events().iter().position(same) {
            tally.add("yields", 1);
            tally.worst("t", apart(rates, &wanted.event_times[i * count..][..count]), seed);
        }
    }
    tally.add("numbers", count);
}

#[test]
fn cascades_have_the_derivatives_of_the_network_that_moves_alike() {
    let tally = campaign("cascades_as_networks", 60, as_network);
    assert!(tally.sum("numbers") > 500 && tally.sum("yields") > 400, "{tally:?}");
    for what in ["x", "v", "t"] {
        assert!(tally.largest(what) < 1e-9, "{tally:?}");
    }
}

/// A random cascade that starts under load and away from 0: the way back against the way forward, and that against differences of motions.
fn loaded(seed: u64, tally: &mut Tally) {
    let mut r = Random(seed);
    let elements = 1 + seed as usize % 5;
    let p = drawn(&mut r, elements, true);
    let own = by_numbers(elements, &p).unwrap();
    let end = 9.0;
    let path = cascade::exact(&own, end).unwrap();
    let numbers = numbers(elements, &p, 0..p.len());
    let times = [2.3, 5.2, 8.9];
    let count = p.len();
    let found = cascade_derivatives(&own, &path, &numbers, &times).unwrap();
    assert_eq!(found.doubtful, [], "{seed}");
    let events = path.events();
    let states: Vec<State> =
        times.iter().map(|_| State { x: r.uniform(-1.0, 1.0), v: r.uniform(-1.0, 1.0) }).collect();
    let of_events: Vec<f64> = events.iter().map(|_| r.uniform(-1.0, 1.0)).collect();
    let loss = Loss { times: &times, states: &states, event_times: &of_events };
    let back = cascade_gradient(&own, &path, &numbers, &[], &loss).unwrap();
    assert_eq!(back.doubtful, [], "{seed}");
    for k in 0..count {
        let of_states = states
            .iter()
            .enumerate()
            .flat_map(|(i, w)| [w.x * found.x[i * count + k], w.v * found.v[i * count + k]]);
        let of_times =
            of_events.iter().enumerate().map(|(i, w)| w * found.event_times[i * count + k]);
        let terms: Vec<f64> = of_states.chain(of_times).collect();
        let size: f64 = terms.iter().map(|t| t.abs()).sum();
        tally.worst("back", (back.numbers[k] - terms.iter().sum::<f64>()).abs() / size, seed);
    }
    for k in 0..count {
        let h = 1e-5 * p[k].abs();
        let aside = |by: f64| {
            let mut p = p.clone();
            p[k] += by * h;
            let path = cascade::exact(&by_numbers(elements, &p).ok()?, end).ok()?;
            let kinds =
                |e: &[stickslip::Event]| e.iter().map(|e| (e.kind, e.place)).collect::<Vec<_>>();
            (kinds(path.events()) == kinds(events)).then_some(path)
        };
        let Some(all) = [-2.0, -1.0, 1.0, 2.0].map(aside).into_iter().collect::<Option<Vec<_>>>()
        else {
            tally.add("other events", 1);
            continue;
        };
        let slope = |of: &dyn Fn(&CascadePath) -> f64| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|i| of(&all[i]));
            (8.0 * (c - b) - (d - a)) / (12.0 * h)
        };
        let (mut ahead, mut wanted) = (vec![], vec![]);
        for (i, t) in times.iter().enumerate() {
            ahead.extend([found.x[i * count + k], found.v[i * count + k]]);
            wanted.extend([slope(&|p| p.state(*t).x), slope(&|p| p.state(*t).v)]);
        }
        for i in 0..events.len() {
            ahead.push(found.event_times[i * count + k]);
            wanted.push(slope(&|p| p.events()[i].time));
        }
        tally.worst("differences", apart(&ahead, &wanted), seed);
        tally.add("numbers", 1);
    }
}

#[test]
fn cascades_that_start_under_load_have_derivatives() {
    let tally = campaign("loaded_cascades", 60, loaded);
    assert!(tally.sum("numbers") > 600 && tally.sum("other events") < 30, "{tally:?}");
    assert!(tally.largest("back") < 1e-11 && tally.largest("differences") < 1e-5, "{tally:?}");
}

/// Under a constant force x = F/k₀ (1 − cos ωt) turns at 2F/k₀, and with α = 2F that is just where the element would give way: with a little
/// more force it does. How heavy the mass is does not matter to that.
#[test]
fn a_mass_that_turns_where_its_element_would_yield_has_no_derivative_in_general() {
    let model = |mass: f64, force: f64| {
        let force = Signal::sampled(&[0.0, 9.0], &[force, force])?;
        Ok::<_, Error>(Cascade::new(mass, vec![4.0, 1.0], vec![2.0]).with_force(force))
    };
    let own = model(1.0, 1.0).unwrap();
    let path = cascade::exact(&own, 3.0).unwrap();
    let mass = Number::around(1.0, |m| model(m, 1.0)).unwrap();
    let force = Number::around(1.0, |f| model(1.0, f)).unwrap();
    let times = [1.0, 2.5];
    let found = cascade_derivatives(&own, &path, &[mass.clone(), force.clone()], &times).unwrap();
    assert_eq!(found.doubtful.iter().map(|d| d.why.clone()).collect::<Vec<_>>(), [Why::Grazes]);
    assert!((found.doubtful[0].time - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
    // ∂x/∂m = −F/k₀ sin(ωt) ωt/(2m).
    let by_mass = |t: f64| -0.25 * (2.0 * t).sin() * t;
    for (i, t) in times.iter().enumerate() {
        assert!((found.x[2 * i] - by_mass(*t)).abs() < 1e-12, "{t}: {:?}", found.x);
    }
    assert!((found.x[1] - 0.25 * (1.0 - 2f64.cos())).abs() < 1e-14 && found.x[3].is_nan());
    // The same on the way back, where samples are asked for, too: those that are looked at before the turn have theirs.
    let samples = [Samples { of: Inlet::Force, times: &[0.0, 9.0], held: false }];
    for (t, known) in [(1.0, true), (2.5, false)] {
        let states = [State { x: 1.0, v: 0.0 }];
        let loss = Loss { times: &[t], states: &states, event_times: &[] };
        let back =
            cascade_gradient(&own, &path, &[mass.clone(), force.clone()], &samples, &loss).unwrap();
        assert!((back.numbers[0] - by_mass(t)).abs() < 1e-12, "{t}: {:?}", back.numbers);
        assert_eq!(back.numbers[1].is_finite(), known);
        assert_eq!(back.samples[0].iter().all(|s| s.is_finite()), known);
        assert_eq!(back.doubtful.is_empty(), known);
    }
}

/// A mass in equilibrium between the limits of its element: what pushes it finds the first spring alone, x = v₀/ω sin ωt. With an element that
/// slips at once there is no such motion.
#[test]
fn a_cascade_at_rest_is_pushed_against_its_first_spring() {
    for (threshold, known) in [(2.0, true), (0.0, false)] {
        let model = |v: f64| {
            Ok::<_, Error>(Cascade::new(1.0, vec![4.0, 1.0], vec![threshold]).starting_at(0.0, v))
        };
        let own = model(0.0).unwrap();
        let path = cascade::exact(&own, 2.0).unwrap();
        let number = Number::around(0.0, model).unwrap();
        let found = cascade_derivatives(&own, &path, &[number], &[1.3]).unwrap();
        let times = [0.0, 2.0];
        let samples = [Samples { of: Inlet::Force, times: &times, held: false }];
        let states = [State { x: 1.0, v: 0.0 }];
        let loss = Loss { times: &[1.3], states: &states, event_times: &[] };
        let back = cascade_gradient(&own, &path, &[], &samples, &loss).unwrap();
        assert_eq!((found.doubtful.is_empty(), back.doubtful.is_empty()), (known, known));
        if known {
            assert!((found.x[0] - 0.5 * 2.6f64.sin()).abs() < 1e-15);
            let both: f64 = back.samples[0].iter().sum();
            assert!((both - 0.25 * (1.0 - 2.6f64.cos())).abs() < 1e-15);
        } else {
            assert!(found.x[0].is_nan() && back.samples[0].iter().all(|s| s.is_nan()));
        }
    }
}

/// In a steady vibration the mass turns where it turned a period before, to the last digit: elements are at their limits then whatever the
/// numbers are, and the derivatives go on.
#[test]
fn a_steady_vibration_has_derivatives() {
    let p = [1.0, 4.0, 1.5, 0.8, 0.6, 0.9, 2.2, 1.1, 0.0, 0.0];
    let elements = 2;
    let model = |k: usize| {
        move |x: f64| {
            let mut p = p;
            p[k] = x;
            let c = Cascade::new(p[0], p[1..4].to_vec(), p[4..6].to_vec())
                .with_force(Signal::harmonic(p[6], p[7], 0.0));
            Ok::<_, Error>(c)
        }
    };
    let own = model(0)(p[0]).unwrap();
    assert_eq!(own.elements(), elements);
    // The last of them tells whether the vibration has become steady.
    let period = std::f64::consts::TAU / p[7];
    let (before, at) = (199.3 * period, 200.3 * period);
    let path = cascade::exact(&own, at).unwrap();
    let [a, b] = [before, at].map(|t| path.state(t).x);
    assert!((a - b).abs() < 1e-11, "{a} {b}");
    for k in [0, 1, 4, 6] {
        let number = Number::around(p[k], model(k)).unwrap();
        let found = cascade_derivatives(&own, &path, &[number], &[before, at]).unwrap();
        assert_eq!(found.doubtful, [], "{k}");
        assert!((found.x[0] - found.x[1]).abs() < 1e-9 * found.x[0].abs(), "{k}: {:?}", found.x);
        let h = 1e-3 * p[k];
        let x =
            |by: f64| cascade::exact(&model(k)(p[k] + by * h).unwrap(), at).unwrap().state(at).x;
        let wanted = (8.0 * (x(1.0) - x(-1.0)) - (x(2.0) - x(-2.0))) / (12.0 * h);
        assert!((found.x[1] - wanted).abs() < 1e-7 * wanted.abs(), "{k}: {:?} {wanted}", found.x);
    }
}

/// m, k₀, k₁, α, F.
type Held = [f64; 5];

/// A mass that a constant force pulls from rest, on one element: it yields at x₁ = α/k₀, and moves on as on a spring
/// k₀k₁/(k₀ + k₁) under F − α k₀/(k₀ + k₁). When it yields, when it turns, and its place at `t` between both.
fn pulled([m, k, l, a, f]: Held, t: f64) -> [f64; 3] {
    let fast = (k / m).sqrt();
    let yields = a / k;
    // x = (F/k₀) (1 − cos ω t).
    let first = (1.0 - a / f).acos() / fast;
    let speed = (2.0 * f * yields / m - k * yields * yields / m).sqrt();
    let slow = (k * l / (k + l) / m).sqrt();
    let rest = (f - a * k / (k + l)) / (slow * slow * m);
    let x = |t: f64| {
        let (sin, cos) = (slow * (t - first)).sin_cos();
        rest + (yields - rest) * cos + speed / slow * sin
    };
    // Where tan Ω(t − t₁) = (v₁/Ω)/(x₁ − x*), past the quarter turn.
    let turns = first + (speed / slow).atan2(yields - rest) / slow;
    [first, turns, x(t)]
}

fn element([m, k, l, a, f]: Held) -> Cascade {
    let force = Signal::sampled(&[0.0, 9.0], &[f, f]).unwrap();
    Cascade::new(m, vec![k, l], vec![a]).with_force(force)
}

/// Derivatives of order six of a function of one number.
fn slope(of: impl Fn(f64) -> f64, at: f64) -> f64 {
    let h = 4e-3 * at;
    let pair = |n: f64| of(at + n * h) - of(at - n * h);
    (45.0 * pair(1.0) - 9.0 * pair(2.0) + pair(3.0)) / (60.0 * h)
}

#[test]
fn an_element_that_yields_has_the_gradient_of_its_closed_form() {
    let p = [1.3, 4.0, 1.5, 0.7, 1.1];
    let t = 2.0;
    let own = element(p);
    let path = cascade::exact(&own, 4.0).unwrap();
    let [yields, turns, place] = pulled(p, t);
    let kinds: Vec<_> = path.events().iter().take(2).map(|e| e.kind).collect();
    assert_eq!(kinds, [EventKind::Yield, EventKind::Reversal]);
    assert!((path.events()[0].time - yields).abs() < 1e-13);
    assert!((path.events()[1].time - turns).abs() < 1e-13);
    assert!(yields < t && t < turns && (path.state(t).x - place).abs() < 1e-13);
    // L = 0.3 t₁ − 0.8 t₂ + 1.7 x.
    let value = |p: Held| {
        let [yields, turns, x] = pulled(p, t);
        0.3 * yields - 0.8 * turns + 1.7 * x
    };
    let aside = |k: usize, x: f64| {
        let mut p = p;
        p[k] = x;
        p
    };
    let numbers: Vec<_> = (0..4)
        .map(|k| Number::around(p[k], |x| Ok::<_, Error>(element(aside(k, x)))).unwrap())
        .collect();
    let mut of_events = vec![0.0; path.events().len()];
    (of_events[0], of_events[1]) = (0.3, -0.8);
    let states = [State { x: 1.7, v: 0.0 }];
    let loss = Loss { times: &[t], states: &states, event_times: &of_events };
    let samples = [Samples { of: Inlet::Force, times: &[0.0, 9.0], held: false }];
    let gradient = |numbers: &[Number<Cascade>]| {
        cascade_gradient(&own, &path, numbers, &samples, &loss).unwrap()
    };
    let found = gradient(&numbers);
    assert_eq!(found.doubtful, []);
    for k in 0..4 {
        let wanted = slope(|x| value(aside(k, x)), p[k]);
        assert!((found.numbers[k] - wanted).abs() < 1e-10, "{k} {} {wanted}", found.numbers[k]);
    }
    let both: f64 = found.samples[0].iter().sum();
    let wanted = slope(|x| value(aside(4, x)), p[4]);
    assert!((both - wanted).abs() < 1e-10, "{both} {wanted}");
    // Samples alone are the same.
    assert_eq!(gradient(&[]).samples, found.samples);
}

/// Cascades of two to five elements under a thousand samples: numbers against forward mode, and samples against motions with a changed sample,
/// by differences of order four.
#[test]
fn cascades_have_gradients() {
    let mut r = Random(3);
    let mut yields = 0;
    for case in 0..12 {
        let elements = 2 + case % 4;
        let count = if case == 0 { 1000 } else { 60 };
        let times: Vec<f64> = (0..count).map(|i| 12.0 * i as f64 / f64::from(count - 1)).collect();
        let values: Vec<f64> = times
            .iter()
            .map(|t| 3.0 * (0.9 * t).sin() + 1.1 * (2.3 * t + case as f64).cos())
            .collect();
        let mut p = vec![r.uniform(0.8, 1.5)];
        p.extend((0..=elements).map(|i| 3.0 / f64::from(i + 1) * r.uniform(0.8, 1.2)));
        p.extend((0..elements).map(|_| r.uniform(0.3, 1.2)));
        let held = case % 3 == 1;
        let model = |p: &[f64], values: &[f64]| {
            let springs = p[1..elements as usize + 2].to_vec();
            let limits = p[elements as usize + 2..].to_vec();
            let force = if held {
                Signal::stepwise(&times, values)
            } else {
                Signal::sampled(&times, values)
            };
            Ok::<_, Error>(
                Cascade::new(p[0], springs, limits).with_force(force?).starting_at(0.0, 0.4),
            )
        };
        let end = 11.5;
        let own = model(&p, &values).unwrap();
        let path = cascade::exact(&own, end).unwrap();
        let numbers: Vec<_> = (0..p.len())
            .map(|k| {
                let aside = |x: f64| {
                    let mut p = p.clone();
                    p[k] = x;
                    model(&p, &values)
                };
                Number::around(p[k], aside).unwrap()
            })
            .collect();
        let at = [1.7, 4.1, 6.6, 11.3];
        let mut weight = || r.uniform(-1.0, 1.0);
        let states: Vec<State> = at.iter().map(|_| State { x: weight(), v: weight() }).collect();
        // A load that jumps just where the mass turns leaves that instant without a derivative.
        let jumps = |e: f64| held && own.force.knots().iter().any(|k| (k.time - e).abs() < 1e-9);
        let of_events: Vec<f64> =
            path.events().iter().map(|e| if jumps(e.time) { 0.0 } else { weight() }).collect();
        let loss = Loss { times: &at, states: &states, event_times: &of_events };
        let samples = [Samples { of: Inlet::Force, times: &times, held }];
        let events = path.events();
        let found: Gradient = cascade_gradient(&own, &path, &numbers, &samples, &loss).unwrap();
        assert_eq!(found.doubtful, [], "{case}");
        let ahead = cascade_derivatives(&own, &path, &numbers, &at).unwrap();
        for k in 0..p.len() {
            let terms: Vec<f64> = states
                .iter()
                .enumerate()
                .flat_map(|(i, w)| {
                    let row = i * p.len() + k;
                    [w.x * ahead.x[row], w.v * ahead.v[row]]
                })
                .chain((0..events.len()).map(|i| of_events[i] * ahead.event_times[i * p.len() + k]))
                .collect();
            let size: f64 = terms.iter().map(|t| t.abs()).sum();
            let wanted: f64 = terms.iter().sum();
            let off = (found.numbers[k] - wanted).abs();
            assert!(off <= 1e-11 * size, "{case} {k}: {wanted} {off}");
        }
        let value = |values: &[f64]| {
            let path = cascade::exact(&model(&p, values).unwrap(), end).unwrap();
            let of_states = at.iter().zip(&states).map(|(t, w)| {
                let u = path.state(*t);
                w.x * u.x + w.v * u.v
            });
            let of_times = path.events().iter().zip(&of_events).map(|(e, w)| w * e.time);
            of_states.chain(of_times).sum::<f64>()
        };
        let largest = found.samples[0].iter().fold(0.0, |most: f64, g| most.max(g.abs()));
        for k in (1..count as usize).step_by(count as usize / 8) {
            let aside = |by: f64| {
                let mut changed = values.clone();
                changed[k] += by;
                value(&changed)
            };
            let h = 1e-4;
            let difference =
                (8.0 * (aside(h) - aside(-h)) - aside(2.0 * h) + aside(-2.0 * h)) / (12.0 * h);
            let off = (found.samples[0][k] - difference).abs();
            assert!(off < 1e-7 * largest, "{case} {k}: {} {difference}", found.samples[0][k]);
        }
        yields += events.iter().filter(|e| e.kind == EventKind::Yield).count();
    }
    assert!(yields > 60, "{yields}");
}
