//! The files of the page "Coming from Modelica", against integrations that share no code with the program.

use std::f64::consts::{FRAC_PI_2, PI};
use std::path::Path;
use stickslip::solution::{Role, Solution};
use stickslip::solve;
use stickslip_file::{Document, Memory, ModelFile, Reading};

/// A file of the page, solved as it is.
struct Solved(Solution);

fn solved(name: &str) -> Solved {
    solved_with(name, &[])
}

/// The same with parts of its text replaced.
fn solved_with(name: &str, changes: &[(&str, &str)]) -> Solved {
    let page = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = page.join("../../book/src/how-to/coming-from-modelica.md");
    let page = std::fs::read_to_string(page).unwrap();
    let start = page.find(&format!("# {name}.toml\n")).unwrap();
    let mut text = page[start..start + page[start..].find("```").unwrap()].to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    let reading = Reading::new(Memory::default());
    let file = ModelFile::read(&Document::parse(name, text).unwrap(), &reading).unwrap();
    let solution = solve(&file.problem, &file.run.scheme).unwrap();
    assert!(solution.warnings.is_empty(), "{name}: {:?}", solution.warnings);
    Solved(solution)
}

impl Solved {
    /// x and v of node `i` at `t`, s.
    fn at(&self, t: f64, i: usize) -> [f64; 2] {
        let mut row = vec![0.0; self.0.columns().len()];
        self.0.row(t, &mut row);
        [Role::Position, Role::Velocity].map(|role| {
            let of = self.0.columns().iter().zip(&row).filter(|(c, _)| c.role == role);
            of.map(|(_, x)| *x).nth(i).unwrap()
        })
    }

    fn agrees(&self, t: f64, wanted: &[f64], tolerance: f64) {
        let n = wanted.len() / 2;
        for i in 0..n {
            let found = self.at(t, i);
            let want = [wanted[i], wanted[n + i]];
            for (found, want) in found.iter().zip(want) {
                let size = tolerance * (1.0 + want.abs());
                assert!((found - want).abs() < size, "node {i} at {t} s: {found} but {want}");
            }
        }
    }
}

/// The classical method of order four in equal steps: u' = f(t, u).
fn runge_kutta(u: &mut [f64], end: f64, steps: usize, f: impl Fn(f64, &[f64]) -> Vec<f64>) {
    let h = end / steps as f64;
    for i in 0..steps {
        let t = h * i as f64;
        let ahead =
            |k: &[f64], by: f64| -> Vec<f64> { u.iter().zip(k).map(|(u, k)| u + by * k).collect() };
        let k1 = f(t, u);
        let k2 = f(t + 0.5 * h, &ahead(&k1, 0.5 * h));
        let k3 = f(t + 0.5 * h, &ahead(&k2, 0.5 * h));
        let k4 = f(t + h, &ahead(&k3, h));
        for (j, u) in u.iter_mut().enumerate() {
            *u += h / 6.0 * (k1[j] + 2.0 * k2[j] + 2.0 * k3[j] + k4[j]);
        }
    }
}

/// A contact of the time-stepping scheme: between the masses `i` and `j` (to the ground without), with the largest friction at
/// a time and a relative velocity, by sign.
struct Rubs {
    i: usize,
    j: Option<usize>,
    /// (t, |w|, whether it rests) to the largest friction forwards and backwards.
    limit: Box<dyn Fn(f64, f64, bool) -> [f64; 2]>,
}

/// Moreau's scheme with impulses by Gauss and Seidel: of order one, and without any event. x and v at the end.
fn stepped(
    mass: &[f64],
    start: &[f64],
    force: impl Fn(f64, &[f64], &[f64]) -> Vec<f64>,
    rubs: &[Rubs],
    (end, steps): (f64, usize),
) -> Vec<f64> {
    let n = mass.len();
    let h = end / steps as f64;
    let (mut x, mut v) = (start[..n].to_vec(), start[n..].to_vec());
    let mut impulse = vec![0.0; rubs.len()];
    let mut rests = vec![false; rubs.len()];
    for step in 0..steps {
        let t = h * (step as f64 + 0.5);
        let before: Vec<f64> = rubs.iter().map(|c| v[c.i] - c.j.map_or(0.0, |j| v[j])).collect();
        let f = force(t, &x, &v);
        for i in 0..n {
            v[i] += h * f[i] / mass[i];
        }
        for (c, p) in rubs.iter().zip(&impulse) {
            v[c.i] += p / mass[c.i];
            c.j.iter().for_each(|j| v[*j] -= p / mass[*j]);
        }
        for _ in 0..60 {
            let mut moved: f64 = 0.0;
            for (k, c) in rubs.iter().enumerate() {
                let w = v[c.i] - c.j.map_or(0.0, |j| v[j]);
                let soft = 1.0 / mass[c.i] + c.j.map_or(0.0, |j| 1.0 / mass[j]);
                let [ahead, back] = (c.limit)(t, before[k].abs(), rests[k]);
                let wanted = (impulse[k] - w / soft).clamp(-h * ahead, h * back);
                let by = wanted - impulse[k];
                impulse[k] = wanted;
                v[c.i] += by / mass[c.i];
                c.j.iter().for_each(|j| v[*j] -= by / mass[*j]);
                moved = moved.max(by.abs());
            }
            if moved < 1e-15 {
                break;
            }
        }
        for (k, c) in rubs.iter().enumerate() {
            let w = v[c.i] - c.j.map_or(0.0, |j| v[j]);
            rests[k] = w.abs() < 1e-12;
        }
        for i in 0..n {
            x[i] += h * v[i];
        }
    }
    [x, v].concat()
}

/// One torque, a gear and a shaft: motor and gear wheel are one inertia of 2 + 10² 0.1, on which the torque is tenfold.
#[test]
fn first() {
    let path = solved("modelica-first");
    let f = |t: f64, u: &[f64]| {
        let [a, b, va, vb] = u else { panic!("four numbers") };
        let shaft = 1e4 * (a - b);
        let torque = 10.0 * 10.0 * (10.0 * PI * t).sin();
        vec![*va, *vb, (torque - 10.0 * va - shaft) / 12.0, shaft / 2.0]
    };
    let mut u = [0.0; 4];
    runge_kutta(&mut u, 1.0, 20_000, f);
    let [a, b, va, vb] = u;
    path.agrees(1.0, &[10.0 * a, a, b, 10.0 * va, va, vb], 1e-9);
}

#[test]
fn coupled_clutches() {
    let path = solved("modelica-clutches");
    let clutch = |i: usize, normal: fn(f64) -> f64| Rubs {
        i,
        j: Some(i + 1),
        limit: Box::new(move |t, _, rests| {
            let most = if rests { 0.55 } else { 0.5 } * normal(t);
            [most, most]
        }),
    };
    let rubs = [
        clutch(0, |t| 20.0 * (0.4 * PI * t).cos()),
        clutch(1, |t| if t < 0.4 { 0.0 } else { 20.0 }),
        clutch(2, |t| if t < 0.9 { 0.0 } else { 20.0 }),
    ];
    let torque = |t: f64, _: &[f64], _: &[f64]| vec![10.0 * (10.0 * PI * t).sin(), 0.0, 0.0, 0.0];
    let start = [0.0, 0.0, 0.0, 0.0, 10.0, 0.0, 0.0, 0.0];
    for end in [0.39, 0.89, 1.2] {
        let want = stepped(&[1.0; 4], &start, torque, &rubs, (end, 120_000));
        path.agrees(end, &want, 2e-4);
    }
}

/// By the formula of the gear: J₁ α = τ − b ω − T/n − s(f₀ + μ_s T), T = J₂ α/n + T_l with the load T_l > 0 that pulls backwards.
/// T stays positive.
fn lossy_gear(bearing: [f64; 2], end: f64) -> Vec<f64> {
    let steps = 200_000;
    let h = end / steps as f64;
    let [constant, viscous] = bearing;
    let (mut q, mut w) = (0.0, 0.0_f64);
    for i in 0..steps {
        let t = h * (i as f64 + 0.5);
        let (tau, load) = (10.0 * (2.0 * PI * t).sin(), 10.0 - 2.5 * t);
        let acceleration = |s: f64| {
            let g = 0.5 + s * if s > 0.0 { 0.5 } else { 0.25 };
            let found = (tau - viscous * w - s * constant - load * g) / (1.0 + 1.5 * g / 2.0);
            assert!(1.5 * found / 2.0 + load > 0.0, "the load changes its sign at {t} s");
            found
        };
        let side = if w != 0.0 {
            w.signum()
        } else if acceleration(1.0) > 0.0 {
            1.0
        } else if acceleration(-1.0) < 0.0 {
            -1.0
        } else {
            0.0
        };
        if side != 0.0 {
            let next = w + h * acceleration(side);
            w = if next * side < 0.0 { 0.0 } else { next };
        }
        q += h * w;
    }
    vec![q, 0.5 * q, w, 0.5 * w]
}

#[test]
fn lossy_gears() {
    let path = solved("modelica-lossy-gear");
    for t in [0.1, 0.2, 0.3, 0.5] {
        path.agrees(t, &lossy_gear([0.5, 0.5], t), 1e-4);
    }
    let page = "[[network.slider]]\nname = \"bearingFriction\"\nbetween = [\"Inertia1\", \"ground\"]\n\
                friction.stribeck-exponential = { static = 0.5, dynamic = 0.5, velocity = 1.0, viscous = 0.5 }\n";
    let path = solved_with("modelica-lossy-gear", &[(page, "")]);
    for t in [0.1, 0.2, 0.3, 0.5] {
        path.agrees(t, &lossy_gear([0.0, 0.0], t), 1e-4);
    }
}

/// A spring and a damper that push only, behind a play.
fn pushed(play: f64, stiffness: f64, damping: f64, x: f64, v: f64) -> f64 {
    let inside = |side: f64| {
        let depth = side * x - play;
        if depth > 0.0 { -side * (stiffness * depth + damping * side * v).max(0.0) } else { 0.0 }
    };
    inside(1.0) + inside(-1.0)
}

#[test]
fn backlash() {
    let path = solved("modelica-backlash");
    let f = |_: f64, u: &[f64]| vec![u[1], pushed(0.125 * PI, 20e3, 50.0, u[0], u[1]) / 5.0];
    for end in [0.02, 0.3, 1.0] {
        let mut u = [FRAC_PI_2, 0.0];
        runge_kutta(&mut u, end, 400_000, f);
        path.agrees(end, &u, 1e-4);
    }
}

#[test]
fn elasto_gap() {
    let path = solved("modelica-elasto-gap");
    let f = |_: f64, u: &[f64]| {
        let [a, b, va, vb] = u else { panic!("four numbers") };
        vec![*va, *vb, -20.0 * a - 3.0 * va, pushed(0.5, 10.0, 1.5, *b, *vb)]
    };
    let mut u = [2.0, 2.0, 0.0, 0.0];
    runge_kutta(&mut u, 1.5, 400_000, f);
    path.agrees(1.5, &u, 1e-5);
}

#[test]
fn one_way_clutch() {
    let path = solved("modelica-one-way-clutch");
    let clutch = Rubs {
        i: 1,
        j: Some(0),
        limit: Box::new(|t, _, rests| {
            let normal = if (0.3..0.95).contains(&t) { 3.0 } else { 0.0 };
            [if rests { 12.5 } else { 0.5 } * normal, 1e4 * normal]
        }),
    };
    let torque = |t: f64, _: &[f64], _: &[f64]| vec![10.0 * (6.0 * PI * t).sin(), 0.0];
    for end in [0.29, 0.5, 0.7, 0.9] {
        let start = [0.0, 0.0, -0.5, 0.0];
        let want = stepped(&[1.0; 2], &start, torque, std::slice::from_ref(&clutch), (end, 90_000));
        path.agrees(end, &want, 3e-4);
    }
}

/// The first mass has Stribeck's friction and no stop in reach; the second one hits a wall without a rebound.
#[test]
fn friction_with_stops() {
    let path = solved("modelica-friction");
    let law = |drop: f64, coulomb: f64| {
        move |_: f64, w: f64, _: bool| {
            let most = coulomb + drop * (-2.0 * w).exp() + w;
            [most, most]
        }
    };
    let rubs = [Rubs { i: 0, j: None, limit: Box::new(law(10.0, 5.0)) }];
    let force = |t: f64, _: &[f64], _: &[f64]| vec![25.0 * (0.5 * PI * t).sin()];
    for end in [1.0, 2.5, 5.0] {
        let [x, v] = path.at(end, 0);
        let want = stepped(&[1.0], &[0.0, 0.0], force, &rubs, (end, 200_000));
        assert!(
            (x - want[0]).abs() < 2e-3 && (v - want[1]).abs() < 2e-3,
            "{end}: {x} {v} {want:?}"
        );
    }
    // The wall is met before the mass turns: it stands there until the spring pulls it off.
    let slide = |_: f64, u: &[f64]| {
        let w = -u[1];
        vec![u[1], -500.0 * (u[0] + 0.25) + 3.0 + 5.0 * (-2.0 * w).exp() + w]
    };
    let mut u = [0.0, -5.0];
    runge_kutta(&mut u, 0.05, 20_000, slide);
    let [x, v] = path.at(0.05, 1);
    assert!((x - u[0]).abs() < 1e-8 && (v - u[1]).abs() < 1e-8, "{x} {v} {u:?}");
}

/// 1 N from 0.1 s on: at rest at 1.1 s, after 0.6 m.
#[test]
fn brake() {
    let path = solved("modelica-brake");
    for (t, x, v) in [(0.1, 0.1, 1.0), (0.6, 0.475, 0.5), (1.1, 0.6, 0.0), (2.0, 0.6, 0.0)] {
        path.agrees(t, &[x, v], 1e-12);
    }
}
