//! Many random models: every lane on every instruction set has the bits of one path alone, and that path is the one of
//! the solvers for every cascade and every network, to rounding.

use super::super::{ContactStep, PathId, Walker};
use super::*;
use crate::model::{Cascade, Network, Place};
use crate::scheme::cascade::walk_implicit_euler;
use crate::scheme::network;
use crate::signal::Signal;
use crate::signal::noise::Noise;

/// Numbers from 0 to 1, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() * n as f64) as usize
    }
}

const STEP: f64 = 0.01;

fn noise(r: &mut Random) -> Noise {
    match r.below(3) {
        0 => Noise::White { intensity: 0.3 + r.next() },
        1 => Noise::OrnsteinUhlenbeck { rate: 1.0 + r.next(), intensity: 1.0, scale: 2.0 },
        _ => Noise::KanaiTajimi {
            angular_frequency: 3.0,
            damping_ratio: 0.4,
            intensity: 0.7,
            scale: 0.6,
        },
    }
}

/// A cascade of up to ten elements.
fn cascade(r: &mut Random, end: f64) -> Problem {
    let n = 1 + r.below(10);
    let stiffness = (0..=n).map(|_| 0.3 + 2.0 * r.next()).collect();
    let threshold: Vec<f64> = (0..n).map(|_| 0.4 * r.next()).collect();
    let prestress = threshold.iter().map(|a| a * (2.0 * r.next() - 1.0)).collect();
    let mut c = Cascade::new(0.5 + r.next(), stiffness, threshold)
        .with_force(Signal::harmonic(r.next(), 2.0, 0.3))
        .starting_at(r.next() - 0.5, r.next());
    if r.below(2) == 0 {
        c = c.with_prestress(prestress);
    }
    let mut problem = Problem::new(c, end);
    for _ in 0..=r.below(2) {
        problem = problem.with_noise(Place::Force, noise(r));
    }
    problem
}

/// A network of up to nine nodes: trees or grids of springs, some dashpots, nodes without mass, a plate that is pulled, sliders
/// to the ground, to the plate or to a neighbour, pressed by forces that change.
fn network(r: &mut Random, end: f64) -> Problem {
    let n = 1 + r.below(9);
    let name = |i: usize| format!("n{i}");
    let mut b = Network::builder().node("plate", 0.0).motion("plate", Signal::ramp(0.3, 0.1));
    for i in 0..n {
        let mass = if i > 0 && r.below(5) == 0 { 0.0 } else { 0.5 + r.next() };
        b = b.node(name(i), mass).spring(name(i), "ground", 0.2 + r.next());
        if i == 0 || r.below(3) == 0 {
            b = b.spring(name(i), "plate", r.next()).dashpot(name(i), "plate", 0.2 * r.next());
        }
        let before = if i > 0 { name(r.below(i)) } else { "ground".into() };
        b = b.spring(name(i), &before, 1.0 + 20.0 * r.next());
        if r.below(4) == 0 {
            b = b.dashpot(name(i), &before, 0.3 * r.next());
        }
        let limit = 0.1 + 0.5 * r.next();
        let dynamic = if r.below(2) == 0 { limit } else { limit * r.next() };
        let other = match r.below(5) {
            0 => continue,
            1 => before,
            2 => "plate".into(),
            _ => "ground".into(),
        };
        let slider = format!("s{i}");
        b = b.slider(&slider, name(i), other, limit, dynamic);
        if r.below(3) == 0 {
            b = b.normal(Signal::constant(1.0) + Signal::harmonic(0.8, 3.0, 0.1));
        }
    }
    let k = r.below(n);
    b = b.starting_at(name(0), r.next() - 0.5, r.next() - 0.5);
    b = b.force(name(k), Signal::harmonic(2.0 * r.next(), 1.5, 0.0));
    let mut problem = Problem::new(b.build().unwrap(), end);
    for _ in 0..=r.below(3) {
        let node = problem.model.as_network().unwrap().nodes().len() - 1 - r.below(n);
        problem = problem.with_noise(Place::Node(node), noise(r));
    }
    problem
}

/// Of one path: states of the points and what the contacts did in each step.
type Rows = Vec<(Vec<State>, Vec<ContactStep>)>;

const RULES: [Rule; 2] = [Rule::Theta, Rule::ImplicitEuler];

fn alone(problem: &Problem, path: u64, rule: Rule) -> Rows {
    let mut rows = Rows::new();
    let mut walker = Walker::new(problem, STEP, rule).unwrap();
    let id = PathId { seed: 7, path };
    let inexact = walker.walk(id, |_, u, c| rows.push((u.to_vec(), c.to_vec()))).unwrap();
    assert_eq!(inexact, 0);
    rows
}

fn bundle<const N: usize>(problem: &Problem, on: Instructions, rule: Rule) -> Bundle<'_, N> {
    let request = Request { step: STEP, rule, level: 0.3, on };
    Bundle::new(problem, request).unwrap().expect("goes side by side")
}

/// States, contacts and counts have the bits of each path alone.
fn check_lanes(problem: &Problem, steps: u64, rule: Rule) {
    const N: usize = 16;
    let rows: Vec<Rows> = (0..N as u64).map(|l| alone(problem, 40 + l, rule)).collect();
    for on in [Instructions::Portable, Instructions::Avx2, Instructions::Avx512] {
        if !on.available() {
            continue;
        }
        let mut many = bundle::<N>(problem, on, rule);
        // A bundle that has been used has the bits of a new one.
        many.restart(Group { seed: 9, paths: std::array::from_fn(|l| l as u64) }, N);
        many.advance(steps / 3);
        many.restart(Group { seed: 7, paths: std::array::from_fn(|l| 40 + l as u64) }, N);
        let mut at = 0;
        while at < steps {
            at = (at + 1 + at % 90).min(steps);
            many.advance(at);
            for (l, rows) in rows.iter().enumerate() {
                let (states, contacts) = &rows[at as usize];
                for (p, u) in states.iter().enumerate() {
                    let found = many.state(p, l);
                    let bits = |u: State| (u.x.to_bits(), u.v.to_bits());
                    assert_eq!(bits(found), bits(*u), "{on:?} {at} {l} {p}");
                }
                for (e, c) in contacts.iter().enumerate() {
                    assert_eq!(many.contact(e).rest[l] != 0.0, c.rests);
                }
            }
        }
        check_counts(&mut many, &rows, steps);
    }
}

/// What the lanes count is what the rows say, by the definitions.
fn check_counts<const N: usize>(many: &mut Bundle<'_, N>, rows: &[Rows], steps: u64) {
    for (l, rows) in rows.iter().enumerate() {
        for p in 0..rows[0].0.len() {
            let first = rows.iter().position(|r| r.0[p].x.abs() > 0.3);
            assert_eq!(many.passage(p, l), first.map_or(f64::INFINITY, |n| n as f64));
        }
        for e in 0..many.contact_count() {
            let tally = many.contact(e).tally(l, steps);
            let rests: Vec<bool> = rows.iter().map(|r| r.1[e].rests).collect();
            let sticks = |n: usize| rests[n - 1] && rests[n];
            let all = 1..rests.len();
            assert_eq!(tally.moving, all.clone().filter(|&n| !sticks(n)).count() as u64);
            // Before the first step it sticks: a slip may begin with that, from rest or not.
            let stuck_before = |n: usize| n == 1 || sticks(n - 1);
            let begins = all.clone().filter(|&n| !sticks(n) && stuck_before(n));
            assert_eq!(tally.slips, begins.count() as u64);
            let slides = rows.iter().map(|r| r.1[e].slide);
            let slid: f64 = slides.clone().map(f64::abs).sum();
            let lost: f64 = rows.iter().map(|r| r.1[e].lost).sum();
            let mut net = 0.0;
            let mut largest = 0f64;
            for (n, slide) in slides.enumerate().skip(1) {
                net += slide;
                if sticks(n) || n + 1 == rests.len() {
                    largest = largest.max(f64::abs(net));
                    net = 0.0;
                }
            }
            for (found, want) in
                [(tally.slid, slid), (tally.dissipated, lost), (tally.largest, largest)]
            {
                assert!((found - want).abs() <= 1e-11 * (1.0 + want), "{found} {want}");
            }
        }
    }
}

#[test]
fn cascades_have_the_bits_of_one_path_alone() {
    let mut r = Random(3);
    for _ in 0..12 {
        let problem = cascade(&mut r, 3.0);
        RULES.into_iter().for_each(|rule| check_lanes(&problem, 300, rule));
    }
}

#[test]
fn networks_have_the_bits_of_one_path_alone() {
    let mut r = Random(4);
    for _ in 0..30 {
        let problem = network(&mut r, 3.0);
        RULES.into_iter().for_each(|rule| check_lanes(&problem, 300, rule));
    }
}

/// The plays are the projection that the active set with tridiagonal solves finds, and its slides.
#[test]
fn cascades_are_those_of_the_tridiagonal_solver() {
    let mut r = Random(5);
    let mut slips = 0;
    for _ in 0..60 {
        let problem = cascade(&mut r, 8.0);
        let known = problem.known(PathId { seed: 7, path: 3 }, STEP).unwrap();
        let rows = alone(&problem, 3, Rule::ImplicitEuler);
        let c = known.model.as_cascade().unwrap();
        walk_implicit_euler(c, 8.0, STEP, |n, u, _, slides| {
            let (states, contacts) = &rows[n];
            assert!((states[0].x - u.x).abs() < 1e-11 && (states[0].v - u.v).abs() < 1e-11);
            for (e, slide) in slides.iter().enumerate().filter(|_| n > 0) {
                // V⁺ = V − P.
                let found = contacts[e];
                assert!((found.slide + slide).abs() < 1e-12, "{n} {e}: {} {slide}", found.slide);
                assert!((found.lost - c.threshold[e] * slide.abs()).abs() < 1e-12);
                // Where one rests and the other does not, it is by rounding.
                assert!(found.rests == (*slide == 0.0) || slide.abs() < 1e-14);
                slips += usize::from(!found.rests);
            }
        })
        .unwrap();
    }
    assert!(slips > 10_000, "{slips}");
}

/// The velocities, the slips and the energy lost are those of the scheme for every network with the same noise made known.
#[test]
fn networks_are_those_of_the_general_scheme() {
    let mut r = Random(6);
    let mut slips = 0;
    let mut sticks = 0;
    for rule in (0..120).flat_map(|_| RULES) {
        let problem = network(&mut r, 5.0);
        let known = problem.known(PathId { seed: 7, path: 3 }, STEP).unwrap();
        let rows = alone(&problem, 3, rule);
        let model = known.model.as_network().unwrap();
        let mut before = vec![0.0; model.sliders().len()];
        let mut was = vec![0; model.sliders().len()];
        network::run(model, 5.0, STEP, rule.theta().unwrap(), |n, x, v, lambda, signs| {
            let (states, contacts) = &rows[n];
            for (u, (x, v)) in states.iter().zip(x.iter().zip(v)) {
                assert!((u.x - x).abs() < 1e-9 && (u.v - v).abs() < 1e-8, "{n}: {u:?} {x} {v}");
            }
            for (e, slider) in model.sliders().iter().enumerate() {
                let at = |i: Option<usize>| i.map_or(0.0, |i| x[i]);
                let now = at(slider.between()[0]) - at(slider.between()[1]);
                let slide = now - std::mem::replace(&mut before[e], now);
                assert_eq!(contacts[e].rests, signs[e] == 0, "{n} {e}");
                // Where a node has no mass and the other end has, their ways count the velocities differently.
                let light = |i: Option<usize>| i.is_some_and(|i| model.nodes()[i].mass == 0.0);
                let free = |i: Option<usize>| i.is_some_and(|i| model.nodes()[i].motion.is_none());
                let [a, b] = slider.between();
                let mixed = light(a) != light(b) && free(a) && free(b);
                if n > 0 && (rule == Rule::ImplicitEuler || !mixed) {
                    let lost = lambda[e] * slide;
                    assert!((contacts[e].slide.abs() - slide.abs()).abs() < 1e-9);
                    // In a step in which it stops or turns the general scheme knows by how much friction slowed it; the lanes
                    // count the limit all along.
                    let steady = rule == Rule::ImplicitEuler || signs[e] == was[e];
                    let most = if steady { 0.0 } else { 2.0 * slider.breakaway * slide.abs() };
                    let excess = contacts[e].lost - lost;
                    assert!((-1e-8..=1.8 * most + 1e-8).contains(&excess), "{n} {e} {excess}");
                    was[e] = signs[e];
                    slips += usize::from(signs[e] != 0);
                    sticks += usize::from(signs[e] == 0);
                }
            }
        })
        .unwrap();
    }
    assert!(slips > 10_000 && sticks > 10_000, "{slips} {sticks}");
}

/// A lane that is handed to the solver for every network has the motion that corrections find.
#[test]
fn a_lane_that_is_given_away_keeps_its_motion() {
    let mut r = Random(8);
    for _ in 0..30 {
        let problem = network(&mut r, 2.0);
        let group = Group { seed: 7, paths: std::array::from_fn(|l| l as u64) };
        let mut lanes = bundle::<4>(&problem, Instructions::Portable, Rule::Theta);
        let mut given = lanes.clone();
        if let Bundle::Network(n) = &mut given {
            n.give_away_at_once();
        }
        for bundle in [&mut lanes, &mut given] {
            bundle.restart(group, 4);
            bundle.advance(200);
        }
        for p in 0..problem.points().len() {
            for l in 0..4 {
                let a = lanes.state(p, l);
                let b = given.state(p, l);
                assert!((a.x - b.x).abs() < 1e-10 && (a.v - b.v).abs() < 1e-9, "{a:?} {b:?}");
            }
        }
    }
}

#[test]
fn what_has_no_lanes_is_refused() {
    let pair = || {
        let b = Network::builder().node("a", 1.0).node("b", 1.0).spring("a", "b", 1.0);
        b.slider("s", "a", "ground", 1.0, 0.5).slider("t", "a", "b", 1.0, 0.5)
    };
    let request = Request { step: STEP, rule: Rule::Theta, level: 0.3, on: Instructions::Portable };
    let goes = |network: Network, rule: Rule| {
        let problem = Problem::new(network, 1.0);
        Bundle::<4>::new(&problem, Request { rule, ..request }).unwrap().is_some()
    };
    assert!(goes(pair().build().unwrap(), Rule::Theta));
    assert!(!goes(pair().build().unwrap(), Rule::ExplicitSign));
    assert!(!goes(pair().slider("u", "b", "ground", 1.0, 0.5).build().unwrap(), Rule::Theta));
    let chain = |n| Network::burridge_knopoff(n, 1.0, 20.0, 1.0, (1.0, 0.6), 0.1);
    assert!(goes(chain(32).build().unwrap(), Rule::Theta));
    assert!(!goes(chain(33).build().unwrap(), Rule::Theta));
}
