//! A rigid rim: closed forms, the interval between rigid stops, the limit of soft rims, rest at the rim, and time steps.

use crate::common::Random;
use stickslip::model::{Planar, Stops};
use stickslip::scheme::oscillator;
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::scheme::planar::{self, PlanarPath, euler_steps};
use stickslip::{EventKind, Law, Oscillator, Signal};

const MASS: f64 = 1.3;

fn times(path: &PlanarPath, kind: EventKind) -> Vec<f64> {
    path.events().iter().filter(|e| e.kind == kind).map(|e| e.time).collect()
}

/// Without friction and load the mass goes by chords: one that leaves the rim with the speeds u across it and v along it takes
/// 2 a u/(u² + v²), turns about the middle by 2 atan u/v, and comes back with the same speeds; then u becomes e u. With e < 1 the series
/// ends, and the mass goes on along the rim with v.
#[test]
fn chords_become_shorter_until_the_mass_goes_along_the_rim() {
    let (a, v) = (1.5, 0.7);
    for e in [0.0, 0.3, 0.8] {
        let end = 30.0;
        let path = planar::solve(
            &Planar::new(MASS, Law::coulomb(0.0).unwrap())
                .with_rigid_rim(a, e)
                .starting_at([a, 0.0], [-1.0, v]),
            end,
            Options::tolerance(1e-11),
        )
        .unwrap();
        let (mut t, mut angle, mut u) = (0.0, 0.0, 1.0f64);
        let mut wanted = Vec::new();
        while u > 1e-17 {
            t += 2.0 * a * u / (u * u + v * v);
            angle += 2.0 * u.atan2(v);
            wanted.push((t, MASS * (1.0 + e) * u));
            u *= e;
        }
        let impacts: Vec<_> =
            path.events().iter().filter(|e| e.kind == EventKind::Impact).collect();
        let one_by_one = impacts.len() - usize::from(e > 0.0);
        for (found, (time, impulse)) in impacts[..one_by_one].iter().zip(&wanted) {
            assert!((found.time - time).abs() < 1e-9, "{e}: {found:?} {time}");
            assert!((found.impulse - impulse).abs() < 1e-9 && found.place == 1, "{found:?}");
        }
        // The impulses that were summed are those that are missing.
        let left: f64 = wanted[one_by_one..].iter().map(|w| w.1).sum();
        if e > 0.0 {
            let summed = impacts[one_by_one].impulse;
            assert!((summed - left).abs() < 1e-6 * left, "{e}: {summed} {left}");
        }
        let touch = times(&path, EventKind::Touch);
        assert!(touch.len() == 1 && (touch[0] - t).abs() < 1e-9, "{e}: {touch:?} {t}");
        let s = path.state(end);
        let angle = angle + v * (end - t) / a;
        assert!((s.x[0] - a * angle.cos()).hypot(s.x[1] - a * angle.sin()) < 1e-9, "{s:?}");
        let energy = path.energy();
        assert!((energy.impacts - 0.5 * MASS).abs() < 1e-10, "{energy:?}");
        assert!(energy.defect().abs() < 1e-10, "{energy:?}");
    }
}

/// Along a slanted diameter under a constant load F > f towards the rim the mass is slowed down by (F + f)/m on its way back and gains
/// (F − f)/m on its way to the rim: its bounces are a geometric series with the ratio e √((F − f)/(F + f)).
#[test]
fn straight_bounces_under_friction_are_a_geometric_series() {
    let (a, load, f, e) = (0.8, 2.0, 0.7, 0.6);
    for angle in [0.0f64, 0.9, 4.0] {
        let n = [angle.cos(), angle.sin()];
        let force = n.map(|n| Signal::constant(load * n));
        let mass = Planar::new(MASS, Law::static_dynamic(1.2 * f, f).unwrap())
            .with_rigid_rim(a, e)
            .with_force(force)
            .starting_at([0.0; 2], n);
        let path = planar::solve(&mass, 8.0, Options::tolerance(1e-11)).unwrap();
        let (towards, away) = ((load - f) / MASS, (load + f) / MASS);
        let first = (1.0 + 2.0 * towards * a).sqrt();
        let mut t = (first - 1.0) / towards;
        let mut speed = e * first;
        let impacts = times(&path, EventKind::Impact);
        assert!((impacts[0] - t).abs() < 1e-10, "{impacts:?} {t}");
        for found in &impacts[1..impacts.len() - 1] {
            let back = speed * (towards / away).sqrt();
            t += speed / away + back / towards;
            speed = e * back;
            assert!((found - t).abs() < 1e-9, "{impacts:?} {t}");
        }
        let ratio = e * (towards / away).sqrt();
        let last = t + speed * (1.0 / away + 1.0 / (towards * away).sqrt()) / (1.0 - ratio);
        let rests = times(&path, EventKind::Stick);
        assert!(rests.len() == 1 && (rests[0] - last).abs() < 1e-9, "{rests:?} {last}");
        let s = path.state(8.0);
        assert!(s.v == [0.0; 2] && (s.x[0] - a * n[0]).hypot(s.x[1] - a * n[1]) < 1e-12, "{s:?}");
        // The rim carries what presses the mass to it.
        assert!(s.friction[0].hypot(s.friction[1]) < 1e-12, "{s:?}");
        assert!(path.energy().relative_defect() < 1e-11, "{:?}", path.energy());
    }
}

/// Along the rim friction stops the mass after m v/f and m v²/(2 f), measured along it.
#[test]
fn friction_stops_a_mass_along_the_rim() {
    let (a, f, v) = (0.4, 0.5, 1.1);
    for side in [1.0, -1.0] {
        let mass = Planar::new(MASS, Law::coulomb(f).unwrap())
            .with_rigid_rim(a, 0.5)
            .starting_at([0.0, -a], [side * v, 0.0]);
        let path = planar::solve(&mass, 4.0, Options::tolerance(1e-12)).unwrap();
        let stops = times(&path, EventKind::Stick);
        assert!(path.events().len() == 1, "{:?}", path.events());
        assert!((stops[0] - MASS * v / f).abs() < 1e-10, "{stops:?}");
        let angle = side * MASS * v * v / (2.0 * f * a);
        let s = path.state(4.0).x;
        assert!((s[0] - a * angle.sin()).hypot(s[1] + a * angle.cos()) < 1e-10, "{s:?}");
        assert!(path.energy().relative_defect() < 1e-11, "{:?}", path.energy());
    }
}

/// Without friction, pulled by F along x and started with v₀ at the rim on the x axis, the mass has the speed v² = v₀² − 2 (F a/m)(1 − cos θ)
/// at the angle θ and leaves the rim where m v²/a + F cos θ = 0, after ∫ a dθ/v; then it flies on a parabola.
#[test]
fn a_mass_leaves_the_rim_where_its_push_ends() {
    let (a, load) = (0.9, 2.3);
    let g = load / MASS;
    let start = (3.5 * g * a).sqrt();
    let leaves = 2.0 * std::f64::consts::FRAC_PI_3;
    let speed = |angle: f64| (start * start - 2.0 * g * a * (1.0 - angle.cos())).sqrt();
    let count = 2000;
    let h = leaves / f64::from(count);
    let sum: f64 = (0..=count)
        .map(|i| {
            let weight = if i == 0 || i == count { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
            weight * a / speed(h * f64::from(i))
        })
        .sum();
    let time = sum * h / 3.0;
    let mass = Planar::new(MASS, Law::coulomb(0.0).unwrap())
        .with_rigid_rim(a, 0.5)
        .with_force([Signal::constant(load), Signal::default()])
        .starting_at([a, 0.0], [0.0, start]);
    let path = planar::solve(&mass, time + 0.2, Options::tolerance(1e-12)).unwrap();
    let found = times(&path, EventKind::Release);
    assert!(found.len() == 1 && (found[0] - time).abs() < 1e-9, "{found:?} {time}");
    let v = speed(leaves);
    let s = path.state(time + 0.2);
    let wanted = [
        a * leaves.cos() - 0.2 * v * leaves.sin() + 0.5 * g * 0.04,
        a * leaves.sin() + 0.2 * v * leaves.cos(),
    ];
    assert!((s.x[0] - wanted[0]).hypot(s.x[1] - wanted[1]) < 1e-8, "{s:?} {wanted:?}");
    assert!(path.energy().relative_defect() < 1e-11);
}

/// Pressed to the rim by P and pulled along it by a load that grows the mass breaks away along the rim where that load is f_s, whatever P; pulled
/// inwards it breaks away where the load is f_s; and at an angle in between where the component along the rim is, or the whole load.
#[test]
fn a_mass_at_the_rim_breaks_away_along_it_or_inwards() {
    let (a, f_s, f_d) = (0.6, 0.8, 0.6);
    let n = [0.6, 0.8];
    let t = [-0.8, 0.6];
    for (press, along) in [(2.0, 0.1), (2.0, -0.1), (0.0, 0.1), (-0.3, 0.1), (-0.1, 0.0)] {
        // The load outwards is constant unless nothing grows along the rim.
        let outward = if along == 0.0 { Signal::ramp(press, 0.0) } else { Signal::constant(press) };
        let across = Signal::ramp(along, 0.0);
        let force = [0, 1].map(|i| n[i] * outward.clone() + t[i] * across.clone());
        let mass = Planar::new(MASS, Law::static_dynamic(f_s, f_d).unwrap())
            .with_rigid_rim(a, 0.5)
            .with_force(force)
            .starting_at(n.map(|x| a * x), [0.0; 2]);
        let due = match (press, along) {
            (p, 0.0) => f_s / p.abs(),
            (p, r) if p < 0.0 => (f_s * f_s - p * p).sqrt() / f64::abs(r),
            (_, r) => f_s / f64::abs(r),
        };
        let path = planar::solve(&mass, due + 0.4, Options::tolerance(1e-11)).unwrap();
        let off = times(&path, EventKind::Slip);
        assert!((off[0] - due).abs() < 1e-9, "{press} {along}: {off:?} {due}");
        let s = path.state(due + 0.4);
        let far = s.x[0].hypot(s.x[1]);
        let released = times(&path, EventKind::Release).len();
        if press > 0.0 {
            assert!((far - a).abs() < 1e-12 && released == 0, "{far} {released}");
            // The load exceeds f_d by f_s − f_d and grows; in so short a time the mass does not come far round.
            let v = path.state(due + 0.01).v;
            let ahead = v[0] * t[0] + v[1] * t[1];
            let wanted = along.signum() * (0.01 * (f_s - f_d) + 5e-5 * along.abs()) / MASS;
            assert!((ahead - wanted).abs() < 1e-6, "{ahead} {wanted}");
        } else if press < 0.0 {
            assert!(far < a - 1e-4 && released == 1, "{far} {released}");
        }
        assert!(path.energy().relative_defect() < 1e-10, "{:?}", path.energy());
    }
}

/// The plane's rim on a line is a pair of rigid stops.
#[test]
fn on_a_line_a_rigid_rim_is_two_rigid_stops() {
    let mut events = 0;
    let mut compared = 0;
    for seed in 0..80 {
        let mut r = Random(seed);
        let f = r.uniform(0.2, 0.6);
        let law = match r.next() % 3 {
            0 => Law::coulomb(f),
            1 => Law::static_dynamic(f * r.uniform(1.0, 1.5), f),
            _ => Law::velocity_strengthening(f, f * r.uniform(1.01, 2.0), r.uniform(0.5, 5.0)),
        };
        let a = r.uniform(0.2, 0.6);
        let e = r.uniform(0.0, 0.95);
        let wave = |r: &mut Random| {
            Signal::harmonic(r.uniform(0.4, 1.2), r.uniform(0.5, 2.0), r.uniform(0.0, 6.0))
        };
        let force = wave(&mut r) + wave(&mut r);
        let mut o = Oscillator::new(r.uniform(0.5, 2.0), r.uniform(0.0, 1.0), law.unwrap())
            .with_damping(r.uniform(0.0, 0.2))
            .with_force(force)
            .starting_at(a * r.uniform(-0.9, 0.9), r.uniform(-1.0, 1.0));
        o.stops = Some(Stops::rigid(Some(-a), Some(a), e));
        let end = 15.0;
        let options = Options::tolerance(1e-11);
        let want = oscillator::adaptive::solve(&o, end, options).unwrap();
        if !want.warnings().is_empty() {
            continue;
        }
        let plane = Planar::new(o.mass, o.friction.clone())
            .with_stiffness([o.stiffness; 2])
            .with_damping([o.damping; 2])
            .with_force([o.force.clone(), Signal::default()])
            .with_rigid_rim(a, e)
            .starting_at([o.initial.displacement, 0.0], [o.initial.velocity, 0.0]);
        let path = planar::solve(&plane, end, options).unwrap();
        // The two sum up the bounces, between which the mass turns round, at different impacts.
        let told = |kind| want.events().iter().filter(move |e| e.kind == kind).map(|e| e.time);
        for kind in [EventKind::Slip, EventKind::Stick] {
            let [found, told] = [times(&path, kind), told(kind).collect::<Vec<_>>()];
            assert_eq!(
                found.len(),
                told.len(),
                "seed {seed}: {:?} {:?}",
                path.events(),
                want.events()
            );
            for (a, b) in found.iter().zip(&told) {
                assert!((a - b).abs() < 1e-8, "seed {seed}: {kind} {a:?} {b:?}");
            }
        }
        for i in 0..=100 {
            let t = end * f64::from(i) / 100.0;
            let (u, s) = (want.state(t), path.state(t));
            assert!((s.x[0] - u.x).abs() < 1e-7 && s.x[1] == 0.0, "seed {seed}, {t}: {s:?} {u:?}");
        }
        assert!(path.energy().relative_defect() < 1e-9, "seed {seed}: {:?}", path.energy());
        compared += 1;
        events += times(&path, EventKind::Impact).len();
    }
    assert!(compared > 50 && events > 200, "{compared} motions, {events} impacts");
}

/// A model that goes along the rim, rests at it, and bounces.
fn driven() -> Planar {
    let phase = std::f64::consts::FRAC_PI_2 - 1.5;
    Planar::new(MASS, Law::static_dynamic(0.6, 0.5).unwrap())
        .with_force([Signal::harmonic(2.2, 1.1, phase), Signal::harmonic(1.6, 0.7, phase)])
        .starting_at([0.2, -0.1], [0.5, 0.2])
}

/// How far the two are apart, on average over [0, `end`], m.
fn apart(a: &PlanarPath, b: &PlanarPath, end: f64) -> f64 {
    let off = |i: u32| {
        let t = end * f64::from(i) / 500.0;
        let [p, q] = [a.state(t).x, b.state(t).x];
        (p[0] - q[0]).hypot(p[1] - q[1])
    };
    (1..=500).map(off).sum::<f64>() / 500.0
}

/// A soft rim with the damping c = 2 ζ √(k m) throws a mass back with e(ζ), whatever k; as k grows its motion goes to that of a rigid
/// rim, the time in contact and the depth going like 1/√k.
#[test]
fn soft_rims_go_to_the_rigid_one() {
    let end = 5.0;
    for zeta in [0.0f64, 0.2] {
        let omega = (1.0 - zeta * zeta).sqrt();
        let lasts = if zeta == 0.0 {
            std::f64::consts::PI
        } else {
            (2.0 * zeta * omega).atan2(2.0 * zeta * zeta - 1.0) / omega
        };
        let (sin, cos) = (omega * lasts).sin_cos();
        let e = -(-zeta * lasts).exp() * (cos - zeta / omega * sin);
        let rigid = driven().with_rigid_rim(0.5, e);
        let rigid = planar::solve(&rigid, end, Options::tolerance(1e-10)).unwrap();
        assert!(times(&rigid, EventKind::Impact).len() > 1, "{:?}", rigid.events());
        let off = [1e4, 1.6e5, 2.56e6].map(|k: f64| {
            let soft = driven().with_rim(0.5, k, 2.0 * zeta * (k * MASS).sqrt());
            let soft = planar::solve(&soft, end, Options::tolerance(1e-10)).unwrap();
            apart(&soft, &rigid, end)
        });
        for pair in off.windows(2) {
            let order = (pair[0] / pair[1]).log(4.0);
            assert!((0.7..1.4).contains(&order), "ζ = {zeta}, e = {e}: {off:?}");
        }
    }
}

#[test]
fn both_stepping_schemes_go_to_the_motion_in_a_rigid_rim() {
    let end = 6.0;
    for e in [0.0, 0.5] {
        let mass = driven().with_rigid_rim(0.5, e);
        let exact = planar::solve(&mass, end, Options::tolerance(1e-11)).unwrap();
        assert!(!times(&exact, EventKind::Touch).is_empty(), "{:?}", exact.events());
        for rule in [euler_steps::euler, euler_steps::implicit_euler] {
            let runs = [2e-3, 5e-4, 1.25e-4].map(|h| rule(&mass, end, h).unwrap());
            let off = runs.each_ref().map(|path| apart(path, &exact, end));
            for pair in off.windows(2) {
                let order = (pair[0] / pair[1]).log2() / 2.0;
                assert!((0.6..1.6).contains(&order), "order {order:.2} of {off:?}");
            }
            let defect = runs.map(|path| path.energy().relative_defect());
            assert!(defect[2] < 0.5 * defect[0] && defect[2] < 2e-3, "{defect:?}");
        }
    }
}

/// To go on from any state in the middle, in contact as well, is to go the whole way.
#[test]
fn a_run_can_be_taken_up_at_a_rigid_rim() {
    use stickslip::scheme::cursor::Advance;
    let mass = driven().with_rigid_rim(0.5, 0.5);
    let end = 6.0;
    let options = Options::tolerance(1e-11);
    let whole = planar::solve(&mass, end, options).unwrap();
    let mut cursor = planar::cursor(&mass, end, options).unwrap();
    let mut events = Vec::new();
    for i in 1..=60 {
        let t = f64::from(i) * 0.1;
        cursor.advance_to(t.min(end), &mut events).unwrap();
        let state = cursor.state();
        let wanted = whole.state(t.min(end));
        assert!(state == wanted || t >= end, "{t}: {state:?} {wanted:?}");
        if t < end {
            let mut again = cursor.clone();
            again.set_state(state).unwrap();
            again.advance_to(end, &mut Vec::new()).unwrap();
            let [p, q] = [again.state().x, whole.state(end).x];
            assert!((p[0] - q[0]).hypot(p[1] - q[1]) < 1e-7, "from {t}: {p:?} {q:?}");
        }
    }
    let kinds = |all: &[stickslip::Event]| all.iter().map(|e| e.kind).collect::<Vec<_>>();
    assert_eq!(kinds(&events), kinds(whole.events()));
    let mut state = cursor.state();
    state.x = [0.6, 0.0];
    let mut fresh = planar::cursor(&mass, end, options).unwrap();
    assert!(fresh.set_state(state).unwrap_err().to_string().contains("rim"));
}

#[test]
fn a_rigid_rim_has_numbers_in_their_ranges() {
    let plain = Planar::new(MASS, Law::coulomb(0.1).unwrap());
    assert!(plain.clone().with_rigid_rim(1.0, 1.0).check().is_ok());
    for [radius, e] in [[0.0, 0.5], [1.0, -0.1], [1.0, 1.1]] {
        assert!(plain.clone().with_rigid_rim(radius, e).check().is_err());
    }
    let beyond = plain.clone().with_rigid_rim(1.0, 0.5).starting_at([0.8, 0.7], [0.0; 2]);
    assert!(beyond.check().unwrap_err().to_string().contains("rigid rim"));
    let carried = plain.with_rigid_rim(1.0, 0.5);
    let carried = carried.with_support([Signal::constant(0.1), Signal::default()]);
    assert!(carried.check().is_err());
}
