//! Reverse mode of networks and cascades: against forward mode, closed forms, and differences of motions.

use super::network_sensitivity::{Part, loaded, parts, with};
use crate::common::Random;
use crate::common::campaign::{Tally, campaign};
use crate::common::networks::{Features, random};
use stickslip::model::{Inlet, Network};
use stickslip::scheme::cascade;
use stickslip::scheme::network::{NetworkPath, exact};
use stickslip::study::sensitivity::{
    Gradient, Loss, NetworkLoss, Number, Samples, Why, cascade_derivatives, cascade_gradient,
    network_derivatives, network_gradient,
};
use stickslip::{Cascade, Error, EventKind, Signal, State};

/// A loss with derivatives at random: at some times, and of the events.
struct Weights {
    times: Vec<f64>,
    x: Vec<f64>,
    v: Vec<f64>,
    event_times: Vec<f64>,
}

impl Weights {
    fn new(nodes: usize, path: &NetworkPath, r: &mut Random) -> Self {
        let mut times: Vec<f64> = (0..4).map(|_| r.uniform(0.0, path.span().1)).collect();
        times.sort_by(f64::total_cmp);
        let mut draw = |count: usize| (0..count).map(|_| r.uniform(-1.0, 1.0)).collect::<Vec<_>>();
        let x = draw(4 * nodes);
        let v = draw(4 * nodes);
        Self { times, x, v, event_times: draw(path.events().len()) }
    }

    fn loss(&self) -> NetworkLoss<'_> {
        NetworkLoss { times: &self.times, x: &self.x, v: &self.v, event_times: &self.event_times }
    }

    /// The gradient by the way forward: of each number the sum, and the sum of the sizes of what is summed.
    fn forward(
        &self,
        n: &Network,
        path: &NetworkPath,
        numbers: &[Number<Network>],
    ) -> Option<(Vec<[f64; 2]>, Vec<Why>)> {
        let seen: Vec<_> = numbers.iter().map(|n| n.of(Some).unwrap()).collect();
        let found = network_derivatives(n, path, &seen, &self.times).ok()?;
        let count = numbers.len();
        let sum = |k: usize| {
            let weights = self.x.iter().chain(&self.v).chain(&self.event_times);
            let rates = [&found.x, &found.v, &found.event_times];
            let rows = rates.into_iter().flat_map(|r| r.chunks(count).map(|row| row[k]));
            weights.zip(rows).fold([0.0, 1e-30], |[s, m], (w, r)| {
                let term = if r == 0.0 { 0.0 } else { w * r };
                [s + term, m + term.abs()]
            })
        };
        Some(((0..count).map(sum).collect(), found.doubtful.into_iter().map(|d| d.why).collect()))
    }
}

/// Terms that are smaller than this are summed to nothing: the weights are some tenths, and so are the numbers.
const NOTHING: f64 = 1e-3;

/// The largest difference of one gradient from the other, relative to the terms that are summed. Where the way forward finds one, the way
/// back does, too; what is told forward alone is counted: there numbers that hardly move an event are doubted by their rounding.
fn apart(back: &[f64], ahead: &[[f64; 2]]) -> f64 {
    assert_eq!(back.len(), ahead.len());
    let one = |(b, [s, size]): (&f64, &[f64; 2])| match (b.is_nan(), s.is_nan()) {
        (_, true) => 0.0,
        (true, false) => f64::INFINITY,
        (false, false) => (b - s).abs() / size.max(NOTHING),
    };
    back.iter().zip(ahead).map(one).fold(0.0, f64::max)
}

/// One random network and all of its numbers.
fn turned(seed: u64, tally: &mut Tally) {
    let mut r = Random(seed);
    let features = Features { loops: seed % 3 == 2, two_phase: !seed.is_multiple_of(3) };
    let own = random(&mut r, features);
    let path = exact(&own, 12.0).unwrap();
    let weights = Weights::new(own.nodes().len(), &path, &mut r);
    let all = parts(&own);
    // A wave of another frequency is an addition here, which the network itself has not.
    let all = all.into_iter().filter(|p| !matches!(p.0, Part::Frequency(_)));
    let numbers: Vec<_> = all
        .filter_map(|(part, value)| Number::around(value, |x| with(&own, part, x)).ok())
        .collect();
    let Some((ahead, why)) = weights.forward(&own, &path, &numbers) else { return };
    let seen: Vec<_> = numbers.iter().map(|n| n.of(Some).unwrap()).collect();
    let back = network_gradient(&own, &path, &seen, &[], &weights.loss()).unwrap();
    let doubts: Vec<Why> = back.doubtful.iter().map(|d| d.why.clone()).collect();
    assert!(why.iter().all(|w| *w == Why::Together || doubts.contains(w)), "{seed}: {why:?}");
    let alone = |(b, a): &(&f64, &[f64; 2])| !b.is_nan() && a[0].is_nan();
    tally.add("doubted forward alone", back.numbers.iter().zip(&ahead).filter(alone).count());
    let off = apart(&back.numbers, &ahead);
    tally.worst("off", off, seed);
    tally.add("numbers", back.numbers.iter().filter(|g| g.is_finite()).count());
    tally.add("without", back.numbers.iter().filter(|g| g.is_nan()).count());
    tally.add("events", path.events().len());
    tally.add("massless", own.nodes().iter().filter(|n| n.mass == 0.0).count());
}

#[test]
fn it_is_forward_mode_turned_round() {
    let tally = campaign("network_gradients", 60, turned);
    assert!(tally.sum("numbers") > 700 && tally.sum("massless") > 60, "{tally:?}");
    assert!(tally.sum("events") > 1000 && tally.largest("off") < 1e-9, "{tally:?}");
    assert!(100 * tally.sum("doubted forward alone") < tally.sum("numbers"), "{tally:?}");
}

/// One random network with a sampled force on one of its nodes, and on one of its sliders a sampled normal force: samples against the way
/// forward with respect to each of them.
fn sampled(seed: u64, tally: &mut Tally) {
    let mut r = Random(seed);
    let own = random(&mut r, Features { loops: seed % 3 == 2, two_phase: seed.is_multiple_of(2) });
    let held = seed % 5 == 1;
    let free: Vec<usize> =
        (0..own.nodes().len()).filter(|i| own.nodes()[*i].motion.is_none()).collect();
    let node = free[r.next() as usize % free.len()];
    let slider = (!own.sliders().is_empty()).then(|| r.next() as usize % own.sliders().len());
    let count = 10;
    let times: Vec<f64> = (0..count).map(|i| 1.1 * f64::from(i)).collect();
    let values: Vec<f64> = (0..2 * count)
        .map(|i| if i < count { r.uniform(-2.0, 2.0) } else { r.uniform(0.3, 1.5) })
        .collect();
    let signal = |values: &[f64]| {
        if held { Signal::stepwise(&times, values) } else { Signal::sampled(&times, values) }
    };
    let end = 9.7;
    let model = |values: &[f64]| {
        let (force, normal) = values.split_at(count as usize);
        let [force, normal] = [signal(force)?, signal(normal)?];
        loaded(
            &own,
            (Part::Mass(usize::MAX), 0.0),
            |i| (i == node).then(|| force.clone()),
            |e| (Some(e) == slider).then(|| normal.clone()),
        )
    };
    let moves = model(&values).unwrap();
    let path = exact(&moves, end).unwrap();
    let weights = Weights::new(own.nodes().len(), &path, &mut r);
    let lists = if slider.is_some() { 2 * count } else { count } as usize;
    let number = |k: usize| {
        Number::around(values[k], |x| {
            let mut changed = values.clone();
            changed[k] = x;
            model(&changed)
        })
    };
    let numbers: Vec<_> = (0..lists).map(|k| number(k).unwrap()).collect();
    let Some((ahead, why)) = weights.forward(&moves, &path, &numbers) else { return };
    let force = Samples { of: Inlet::NodeForce(node), times: &times, held };
    let mut samples = vec![force];
    samples.extend(slider.map(|e| Samples { of: Inlet::SliderNormal(e), ..force }));
    let back = network_gradient(&moves, &path, &[], &samples, &weights.loss()).unwrap();
    let found = back.samples.concat();
    if why.is_empty() && found.iter().any(|g| g.is_nan()) {
        // Events that stay together whatever any of the samples is.
        tally.add("not told", 1);
        return;
    }
    if why.is_empty() {
        let off = apart(&found, &ahead);
        tally.worst("off", off, seed);
        tally.add("networks", 1);
        tally.add("samples", lists);
        tally.add("events", path.events().len());
        return;
    }
    tally.add("doubtful", 1);
    assert!(ahead.iter().zip(&found).all(|(a, f)| a[0].is_nan() || !f.is_nan() || why.len() > 1));
}

#[test]
fn samples_are_those_of_forward_mode_one_by_one() {
    let tally = campaign("network_samples", 60, sampled);
    assert!(tally.sum("samples") > 600 && tally.sum("events") > 800, "{tally:?}");
    assert!(tally.largest("off") < 1e-9, "{tally:?}");
    assert!(5 * tally.sum("not told") < tally.sum("networks"), "{tally:?}");
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
        cascade_gradient(&own, &path, path.events(), numbers, &samples, &loss, 4.0).unwrap()
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
        let found: Gradient =
            cascade_gradient(&own, &path, events, &numbers, &samples, &loss, end).unwrap();
        assert_eq!(found.doubtful, [], "{case}");
        let ahead = cascade_derivatives(&own, &path, events, &numbers, &at, end).unwrap();
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
