//! Paths in a plane under noise: against the equation of Lyapunov without friction, against the stationary law of dry friction, and path
//! by path.

use crate::common::sized;
use stickslip::model::Planar;
use stickslip::model::isolated::{Isolated, Isolator};
use stickslip::scheme::stochastic::{PathId, Rule, walk, warnings};
use stickslip::study::ensemble::{Plan, run};
use stickslip::{Error, Law, Noise, Place, Problem, Scheme, Signal, solve};

/// Stationary variances (x, v) of ẍ + 2ζωẋ + ω²x = −a under the acceleration a = −s (2ξΩ y + Ω² z) of a ground that white noise of
/// intensity σ shakes, dz = y dt, dy = −(2ξΩ y + Ω² z) dt + σ dB: A P + P Aᵀ + B Bᵀ = 0 by elimination.
fn lyapunov(omega: f64, zeta: f64, ground: f64, xi: f64, noise: f64) -> [f64; 2] {
    // State (x, v, z, y).
    let a = [
        [0.0, 1.0, 0.0, 0.0],
        [-omega * omega, -2.0 * zeta * omega, ground * ground, 2.0 * xi * ground],
        [0.0, 0.0, 0.0, 1.0],
        [0.0, 0.0, -ground * ground, -2.0 * xi * ground],
    ];
    let at = |i: usize, j: usize| 4 * i + j;
    let mut m = vec![vec![0.0; 17]; 16];
    for i in 0..4 {
        for j in 0..4 {
            for k in 0..4 {
                m[at(i, j)][at(k, j)] += a[i][k];
                m[at(i, j)][at(i, k)] += a[j][k];
            }
        }
    }
    m[at(3, 3)][16] = -noise * noise;
    for c in 0..16 {
        let pivot = (c..16).max_by(|&p, &q| m[p][c].abs().total_cmp(&m[q][c].abs())).unwrap();
        m.swap(c, pivot);
        for r in 0..16 {
            if r != c {
                let factor = m[r][c] / m[c][c];
                for k in c..17 {
                    let of = m[c][k];
                    m[r][k] -= factor * of;
                }
            }
        }
    }
    [at(0, 0), at(1, 1)].map(|i| m[i][16] / m[i][i])
}

/// Two grounds of Kanai and Tajimi of their own along x and y, without friction: the variances of Lyapunov along each, for a mass and for a
/// slab on two isolators.
#[test]
fn without_friction_variances_are_those_of_lyapunov() {
    let (omega, zeta, ground, xi) = ([2.0, 3.0], 0.2, [4.0, 2.5], 0.5);
    let intensity = [1.0, 0.7];
    let noise = |i: usize| Noise::KanaiTajimi {
        angular_frequency: ground[i],
        damping_ratio: xi,
        intensity: intensity[i],
        scale: 1.0,
    };
    let mass = 1.5;
    let stiffness = omega.map(|w: f64| mass * w * w);
    let damping = omega.map(|w: f64| 2.0 * zeta * mass * w);
    let free = Law::coulomb(0.0).unwrap();
    let alone = Planar::new(mass, free.clone()).with_stiffness(stiffness).with_damping(damping);
    let halves = [-1.0, 1.0].map(|x| {
        let half = |k: [f64; 2]| [[0.5 * k[0], 0.0], [0.0, 0.5 * k[1]]];
        Isolator::new(format!("{x}"), [x, 0.0], free.clone())
            .with_stiffness(half(stiffness))
            .with_damping(half(damping))
    });
    let slab = Isolated::new(mass, 1.0, halves.to_vec());
    let paths = sized(200, 800);
    let want = [0, 1].map(|i| lyapunov(omega[i], zeta, ground[i], xi, intensity[i]));
    for model in [Problem::new(alone, 9.0), Problem::new(slab, 9.0)] {
        let problem = model
            .with_noise(Place::PlaneBase(0), noise(0))
            .with_noise(Place::PlaneBase(1), noise(1));
        let plan = Plan::new(problem, 3e-3, 5).with_rows(2);
        let ensemble = run(&plan, 0..paths, 2, &mut ()).unwrap();
        for axis in 0..2 {
            let row = &ensemble.points[axis].rows[1];
            for (found, want) in [row.x.variance(), row.v.variance()].iter().zip(want[axis]) {
                // 4.5 standard errors √(2/n), and what the steps damp (ω h/4ζ = 1.1 %).
                let bound = 4.5 * (2.0 / paths as f64).sqrt() + 0.015;
                assert!((found / want - 1.0).abs() < bound, "{axis}: {found} {want}");
            }
        }
    }
}

/// Dry friction in a plane under white noise both ways, m dv = −f v/|v| dt + s dB: the stationary density is ∝ e^{−k|v|} with
/// k = 2 f m/s² (Caughey and Dienes 1961 on a line), in two dimensions with E|v|² = 6/k².
#[test]
fn dry_friction_in_a_plane_has_its_stationary_law() {
    let puck = Planar::new(1.0, Law::coulomb(1.0).unwrap());
    let white = Noise::White { intensity: 1.0 };
    let problem = Problem::new(puck, 8.0)
        .with_noise(Place::PlaneForce(0), white)
        .with_noise(Place::PlaneForce(1), white);
    let paths = sized(600, 1200);
    let plan = Plan::new(problem, 2e-3, 11).with_rows(2);
    let ensemble = run(&plan, 0..paths, 2, &mut ()).unwrap();
    let found: f64 = (0..2).map(|i| ensemble.points[i].rows[1].v.variance()).sum();
    // k = 2: E|v|² = 1.5. E|v|⁴ = 120/k⁴ = 7.5: the standard error of the mean of |v|² is √((7.5 − 2.25)/n).
    let error = ((7.5 - 2.25) / paths as f64).sqrt();
    assert!((found - 1.5).abs() < 4.5 * error, "{found} ± {error}");
}

/// A rim with e = 1 throws a mass back with its speed, so that its stationary law inside is the product of that of the velocity without a
/// rim and of the uniform one of the place: E|r|² = a²/2. One with e < 1 takes energy.
#[test]
fn in_a_rigid_rim_the_stationary_law_is_uniform_in_place() {
    let (radius, paths) = (0.5, sized(600, 1200));
    let white = Noise::White { intensity: 1.0 };
    let of = |restitution: f64| {
        let puck = Planar::new(1.0, Law::coulomb(1.0).unwrap()).with_rigid_rim(radius, restitution);
        let problem = Problem::new(puck, 8.0)
            .with_noise(Place::PlaneForce(0), white)
            .with_noise(Place::PlaneForce(1), white);
        let ensemble =
            run(&Plan::new(problem, 2e-3, 11).with_rows(2), 0..paths, 2, &mut ()).unwrap();
        let rows = [0, 1].map(|i| &ensemble.points[i].rows[1]);
        [rows.iter().map(|r| r.x.variance()).sum(), rows.iter().map(|r| r.v.variance()).sum()]
    };
    let [places, speeds]: [f64; 2] = of(1.0);
    // As without a rim. E|r|⁴ = a⁴/3: the standard error of the mean of |r|² is a² √((1/3 − 1/4)/n).
    let speed_error = ((7.5 - 2.25) / paths as f64).sqrt();
    assert!((speeds - 1.5).abs() < 4.5 * speed_error, "{speeds} ± {speed_error}");
    let a2 = radius * radius;
    let error = a2 * (1.0 / 12.0 / paths as f64).sqrt();
    assert!((places - 0.5 * a2).abs() < 4.5 * error, "{places} ± {error}");
    let [_, slower] = of(0.3);
    assert!(slower < speeds - 4.5 * speed_error, "{slower} {speeds}");
}

/// A path is the motion of the same scheme under its noise made known, and its friction takes what the motion's does.
#[test]
fn paths_are_motions_under_known_noise() {
    let ground = Noise::KanaiTajimi {
        angular_frequency: 5.0,
        damping_ratio: 0.4,
        intensity: 0.3,
        scale: 1.0,
    };
    let push = [Signal::harmonic(0.5, 2.0, 0.0), Signal::default()];
    let alone = Planar::new(1.0, Law::static_dynamic(0.7, 0.5).unwrap())
        .with_stiffness([1.0, 1.5])
        .with_force(push.clone());
    let pads = [[-1.0, 0.3], [1.0, 0.0], [0.2, -1.0]].map(|at| {
        let law = Law::coulomb(0.2).unwrap();
        Isolator::new(format!("{at:?}"), at, law).with_stiffness([[0.5, 0.0], [0.0, 0.5]])
    });
    let slab = Isolated::new(1.0, 1.0, pads.to_vec()).with_force(push);
    let (id, step) = (PathId { seed: 3, path: 7 }, 2e-3);
    let inside = alone.clone().with_rigid_rim(0.1, 0.5);
    for problem in
        [alone, inside].map(|p| Problem::new(p, 5.0)).into_iter().chain([Problem::new(slab, 5.0)])
    {
        let problem = problem
            .with_noise(Place::PlaneBase(0), ground)
            .with_noise(Place::PlaneForce(1), Noise::White { intensity: 0.01 });
        let known = problem.known(id, step).unwrap();
        let motion = solve(&known, &Scheme::ImplicitEuler { step }).unwrap();
        let columns: Vec<String> = motion.columns().iter().map(|c| c.name.clone()).collect();
        let at = |name: &str| columns.iter().position(|c| c == name).unwrap();
        let places = [at("x"), at("y"), at("vx"), at("vy")];
        let mut row = vec![0.0; columns.len()];
        let (mut lost, mut rests) = (0.0, 0);
        walk(&problem, id, step, Rule::ImplicitEuler, |n, states, contacts| {
            motion.row(step * n as f64, &mut row);
            let want = places.map(|i| row[i]);
            assert_eq!([states[0].x, states[1].x, states[0].v, states[1].v], want, "{n}");
            lost += contacts.iter().map(|c| c.lost).sum::<f64>();
            rests += usize::from(contacts.iter().all(|c| c.rests));
        })
        .unwrap();
        let taken = motion.energy().friction;
        assert!((lost / taken - 1.0).abs() < 0.02, "{lost} {taken}");
        assert!(rests > 50 && rests < 2450, "{rests}");
    }
}

#[test]
fn what_is_not_offered_is_said() {
    let puck = Planar::new(1.0, Law::coulomb(1.0).unwrap()).with_stiffness([400.0, 400.0]);
    let noisy =
        Problem::new(puck, 1.0).with_noise(Place::PlaneForce(0), Noise::White { intensity: 1.0 });
    assert_eq!(Rule::of(&noisy.model), [Rule::ImplicitEuler]);
    for rule in [Rule::Theta, Rule::Euler, Rule::ExplicitSign] {
        let plan = Plan::new(noisy.clone(), 0.01, 1).with_rule(rule).with_rows(2);
        let said = run(&plan, 0..2, 1, &mut ()).unwrap_err();
        assert!(matches!(said, Error::Unsuitable { .. }), "{said}");
        assert!(said.to_string().contains("implicit-euler"), "{said}");
    }
    assert!(warnings(&noisy, 0.01, Rule::ImplicitEuler).join(" ").contains("too small"));
    let nowhere = noisy.with_noise(Place::Drive, Noise::White { intensity: 1.0 });
    assert!(nowhere.check().is_err());
}

/// With a step by which the variances without friction lack less than one per cent nothing is said.
#[test]
fn short_steps_are_not_warned_of() {
    let mass = Planar::new(1.0, Law::coulomb(0.1).unwrap())
        .with_stiffness([4.0, 4.0])
        .with_damping([0.8, 0.8]);
    let noise = Noise::OrnsteinUhlenbeck { rate: 2.0, intensity: 1.0, scale: 1.0 };
    let problem = Problem::new(mass, 10.0).with_noise(Place::PlaneBase(0), noise);
    // The trace of the stiffness bounds ω² by 8: 4 h/(0.4 + 4 h) is one per cent at h = 1 ms.
    assert!(warnings(&problem, 9e-4, Rule::ImplicitEuler).is_empty());
    assert_eq!(warnings(&problem, 1.2e-3, Rule::ImplicitEuler).len(), 1);
}
