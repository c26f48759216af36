//! Random impact problems: no wall passed, the equation of motion satisfied on every segment, impulses
//! by the law, reactions that push.

use crate::common::campaign::campaign;
use crate::common::{Random, sized};
use stickslip::motion::Segment;
use stickslip::scheme::impact::{
    self,
    penalised::{self, Penalty},
};
use stickslip::{EventKind, Impact, ImpactArc, ImpactPath, Motion, Signal, State, Touching, Wall};

fn problem(r: &mut Random) -> (Impact, f64) {
    let signal = |r: &mut Random, size: f64| {
        let mut s = Signal::constant(r.uniform(-size, size));
        if r.chance(0.6) {
            s = s + Signal::harmonic(
                r.uniform(0.0, size),
                r.uniform(0.3, 6.0),
                r.uniform(-3.0, 3.0),
            );
        }
        if r.chance(0.3) {
            s = s + Signal::ramp(r.uniform(-0.05, 0.05) * size, 0.0);
        }
        if r.chance(0.3) {
            let times: Vec<f64> = (0..=30).map(f64::from).collect();
            let values: Vec<f64> = times.iter().map(|_| r.uniform(-size, size)).collect();
            s = s + Signal::sampled(&times, &values).unwrap();
        }
        s
    };
    let e = [0.0, 0.3, 0.8, 0.95, 1.0][(r.next() % 5) as usize];
    let mut model = Impact::new(r.uniform(0.2, 3.0), e);
    if r.chance(0.6) {
        model = model.with_spring(
            r.uniform(0.0, 20.0),
            if r.chance(0.5) { r.uniform(0.0, 3.0) } else { 0.0 },
        );
    }
    let mut force = signal(r, 6.0);
    if r.chance(0.3) {
        force = force + Signal::step(r.uniform(0.0, 20.0), 0.0, r.uniform(-5.0, 5.0));
    }
    let lower = signal(r, 0.1);
    let upper = r.chance(0.5).then(|| signal(r, 0.1) + Signal::constant(r.uniform(2.5, 4.0)));
    // A force that lets the mass go for good is dull.
    let force = if upper.is_none() { force + Signal::constant(-4.0) } else { force };
    let start = lower.value(0.0) + if r.chance(0.2) { 0.0 } else { r.uniform(0.0, 1.0) };
    (
        model
            .with_force(force)
            .between(Some(lower), upper)
            .starting_at(start, r.uniform(-2.0, 2.0)),
        19.7,
    )
}

/// Gauss's rule with 8 points on panels of `length`.
fn integral(f: impl Fn(f64) -> f64, from: f64, to: f64, length: f64) -> f64 {
    const GAUSS: [(f64, f64); 4] = [
        (0.183_434_642_495_649_8, 0.362_683_783_378_362),
        (0.525_532_409_916_329, 0.313_706_645_877_887_3),
        (0.796_666_477_413_626_7, 0.222_381_034_453_374_5),
        (0.960_289_856_497_536_2, 0.101_228_536_290_376_3),
    ];
    let panels = ((to - from) / length).ceil().max(1.0);
    let half = 0.5 * (to - from) / panels;
    (0..panels as usize)
        .map(|i| {
            let middle = from + half * (2.0 * i as f64 + 1.0);
            GAUSS
                .iter()
                .map(|&(x, w)| half * w * (f(middle - half * x) + f(middle + half * x)))
                .sum::<f64>()
        })
        .sum()
}

/// Positions of the walls, continued over the segment from its start.
fn gap(model: &Impact, wall: Wall, segment: f64, t: f64, x: f64) -> Option<f64> {
    let at = model.wall(wall)?.piece_at(segment).derivatives(t)[0];
    Some(wall.sign() * (x - at))
}

fn check(model: &Impact, s: &Segment<ImpactArc>, tolerance: f64) -> Result<(), String> {
    let at = |t: f64| s.arc.state(t);
    let length = s.end - s.start;
    let piece = model.force.piece_at(s.start);
    let net = |t: f64| {
        let State { x, v } = at(t);
        piece.derivatives(t)[0] - model.stiffness * x - model.damping * v + s.arc.reaction(t)
    };
    let (a, b) = (at(s.start), at(s.end));
    let (moved, gained) =
        (integral(|t| at(t).v, s.start, s.end, 0.05), integral(net, s.start, s.end, 0.05));
    if (b.x - a.x - moved).abs() > tolerance
        || (model.mass * (b.v - a.v) - gained).abs() > tolerance
    {
        return Err(format!(
            "x by {:e}, m v by {:e}",
            b.x - a.x - moved,
            model.mass * (b.v - a.v) - gained
        ));
    }
    let reaction = integral(|t| s.arc.reaction(t), s.start, s.end, 0.05);
    if (reaction - s.arc.impulse(s.start, s.end)).abs() > tolerance {
        return Err("the impulse of the reaction".into());
    }
    let points = if length < 0.01 { 4 } else { 200 };
    for i in 0..=points {
        let t = s.start + length * f64::from(i) / f64::from(points);
        let x = at(t).x;
        for wall in Wall::ALL {
            let Some(g) = gap(model, wall, s.start, t, x) else { continue };
            if g < -1e-12 {
                return Err(format!("beyond the {} wall by {g:e} at {t}", wall.name()));
            }
            if s.phase == Touching::Contact(wall)
                && (g.abs() > 1e-14 || wall.sign() * s.arc.reaction(t) < -1e-12)
            {
                return Err(format!(
                    "contact at {t}: distance {g:e}, reaction {:e}",
                    s.arc.reaction(t)
                ));
            }
        }
    }
    Ok(())
}

fn check_events(model: &Impact, path: &ImpactPath) -> Result<(), String> {
    for e in path.events() {
        let wall = model.wall(Wall::ALL[e.place]).unwrap();
        let (at, speed) = (wall.value(e.time), wall.derivative(e.time));
        let (before, after) = (e.before - speed, e.v - speed);
        let fine = match e.kind {
            EventKind::Impact => {
                (after + model.restitution * before).abs() < 1e-12
                    && Wall::ALL[e.place].sign() * before <= 1e-14
                    && (e.impulse - model.mass * (after - before)).abs() < 1e-12
            }
            EventKind::Rest => after == 0.0,
            _ => Wall::ALL[e.place].sign() * after >= 0.0,
        };
        if (e.x - at).abs() > 1e-12 || !fine {
            return Err(format!("{e:?} on a wall at {at} with velocity {speed}"));
        }
    }
    for pair in path.segments().windows(2) {
        let (a, b) = (pair[0].arc.state(pair[0].end), pair[1].arc.state(pair[1].start));
        if pair[0].end != pair[1].start || (a.x - b.x).abs() > 1e-12 {
            return Err(format!("a gap at {}: {a:?} {b:?}", pair[0].end));
        }
    }
    // Momentum over the whole run: forces and impulses.
    let (start, end) = path.span();
    // A run that was given up ends with an impact, after which nothing is kept.
    let last = path.events().last().filter(|e| e.time == end);
    let (a, b) = (model.initial.velocity, last.map_or(path.state(end).v, |e| e.v));
    let forces: f64 = path
        .segments()
        .iter()
        .map(|s| {
            let piece = model.force.piece_at(s.start);
            let force = |t: f64| {
                let State { x, v } = s.arc.state(t);
                piece.derivatives(t)[0] - model.stiffness * x - model.damping * v
            };
            integral(force, s.start, s.end, 0.05)
        })
        .sum();
    let late = path.impulse(start, end);
    let first: f64 = path.events().iter().filter(|e| e.time == 0.0).map(|e| e.impulse).sum();
    let defect = model.mass * (b - a) - forces - late - first;
    if defect.abs() > 1e-9 { Err(format!("momentum by {defect:e}")) } else { Ok(()) }
}

#[test]
fn every_flight_and_contact_is_what_it_says() {
    let found = campaign("impacts", sized(100, 150), |seed, tally| {
        let (model, end) = problem(&mut Random(seed));
        let mut path = ImpactPath::default();
        match impact::run(&model, end, 20_000, &mut path) {
            Ok(()) => {}
            Err(stickslip::Error::WallsMeet { .. }) => return tally.add("refused", 1),
            // An elastic mass that is pressed against its wall never rests: one that begins slowly bounces fast, and with a
            // damper its speeds fall like 1/n, so that the number of impacts grows like e^t. What it did until then counts.
            Err(stickslip::Error::TooManyEvents { .. }) if model.restitution == 1.0 => {
                tally.add("refused", 1);
            }
            Err(e) => panic!("problem {seed}: {e}\n{model:?}"),
        }
        for s in path.segments() {
            check(&model, s, 1e-11).unwrap_or_else(|e| {
                panic!("problem {seed}, {:?} {}..{}: {e}\n{model:?}", s.phase, s.start, s.end)
            });
            tally.add("contacts", usize::from(s.phase != Touching::Flight));
        }
        check_events(&model, &path).unwrap_or_else(|e| panic!("problem {seed}: {e}\n{model:?}"));
        tally.add("events", path.events().len());
    });
    assert!(found.sum("events") > sized(600, 1000) && found.sum("contacts") > sized(60, 100));
}

/// Soft walls: the same equation with the wall's force in it; and close to the rigid path where e = 1.
#[test]
fn soft_walls_obey_the_equation_of_motion() {
    for seed in 0..100 {
        let (mut model, _) = problem(&mut Random(seed));
        model.restitution = model.restitution.max(0.2);
        for penalty in [Penalty::yosida(1e-4), Penalty::spring(3000.0, 0.02)] {
            let path = match penalised::solve(&model, penalty, 3.0) {
                Ok(path) => path,
                Err(stickslip::Error::WallsMeet { .. }) => continue,
                Err(e) => panic!("problem {seed}: {e}\n{model:?}"),
            };
            for s in path.segments() {
                let at = |t: f64| s.arc.state(t);
                let piece = model.force.piece_at(s.start);
                let net = |t: f64| {
                    let State { x, v } = at(t);
                    piece.derivatives(t)[0] - model.stiffness * x - model.damping * v
                        + s.arc.reaction(t)
                };
                let gained = integral(net, s.start, s.end, 0.005);
                let change = model.mass * (at(s.end).v - at(s.start).v);
                assert!(
                    (gained - change).abs() < 1e-9,
                    "problem {seed} {penalty:?}: {gained} {change}"
                );
                let impulse = integral(|t| s.arc.reaction(t), s.start, s.end, 0.005);
                assert!((impulse - s.arc.impulse(s.start, s.end)).abs() < 1e-9);
                for i in 1..100 {
                    let t = s.start + (s.end - s.start) * f64::from(i) / 100.0;
                    let x = at(t).x;
                    let near = Wall::ALL.iter().filter_map(|&w| gap(&model, w, s.start, t, x));
                    let near = near.fold(f64::INFINITY, f64::min) - penalty.engagement;
                    let inside = s.phase != Touching::Flight;
                    assert!(
                        near.abs() < 1e-11 || inside == (near < 0.0),
                        "problem {seed} {penalty:?}: {near} at {t}"
                    );
                }
            }
        }
    }
}
