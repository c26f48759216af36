//! Reverse mode of networks: against forward mode, closed forms, and differences of motions.

use super::network_sensitivity::{Part, loaded, parts, with};
use crate::common::Random;
use crate::common::campaign::{Tally, campaign};
use crate::common::networks::{Features, random};
use stickslip::Signal;
use stickslip::model::{Inlet, Network};
use stickslip::scheme::network::{NetworkPath, exact};
use stickslip::study::sensitivity::{
    NetworkLoss, Number, Samples, Why, network_derivatives, network_gradient,
};

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
