//! The two ill-posed impact problems of Bastien, Bernardin, Lamarque 2013, §1.3.2.

use std::f64::consts::PI;
use stickslip::study::ill_posed::corner::{self, Vector};
use stickslip::study::ill_posed::schatzman::Schatzman;

/// The direction folded back into the wedge: the line in the unfolded plane.
fn folded(direction: f64, angle: f64) -> Vector {
    let r = direction.rem_euclid(2.0 * angle);
    let a = if r > angle { 2.0 * angle - r } else { r };
    [1.25f64.sqrt() * a.cos(), 1.25f64.sqrt() * a.sin()]
}

fn apart(a: Vector, b: Vector) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// By unfolding: seen from the corner the point comes from the direction φ = arctan ½ and goes on in the
/// direction φ ± π, folded at each multiple of β.
#[test]
fn the_limits_at_the_corner_are_those_of_the_unfolded_line() {
    let phi = 0.5f64.atan();
    for i in 1..2000 {
        let angle = phi + (PI - phi) * f64::from(i) / 2000.0;
        // Where φ ± π falls on a wall to rounding, the point leaves along it.
        let c = corner::limits(angle).unwrap();
        assert!(apart(c.above, folded(phi + PI, angle)) < 1e-12, "β = {angle}: {c:?}");
        assert!(apart(c.below, folded(phi - PI, angle)) < 1e-12, "β = {angle}: {c:?}");
        let count = |sum: f64| (sum / angle).ceil() as usize - 1;
        assert_eq!(c.reflections[0], count(phi + PI), "β = {angle}");
        assert_eq!(c.reflections[1], count(angle - phi + PI), "β = {angle}");
        for v in [c.above, c.below, c.rule] {
            assert!((v[0].hypot(v[1]) - 1.25f64.sqrt()).abs() < 1e-12, "energy at β = {angle}");
        }
    }
}

/// The projection onto the wedge is the nearest of a fine fan of its points.
#[test]
fn the_rule_projects_onto_the_wedge() {
    let v = [-1.0, -0.5];
    for i in 1..60 {
        let angle = 0.47 + (PI - 0.47) * f64::from(i) / 60.0;
        let rule = corner::rule(angle, v);
        let projection = [0.5 * (rule[0] + v[0]), 0.5 * (rule[1] + v[1])];
        let nearest = (0..=20_000)
            .map(|j| {
                let a = angle * f64::from(j) / 20_000.0;
                let r = (v[0] * a.cos() + v[1] * a.sin()).max(0.0);
                [r * a.cos(), r * a.sin()]
            })
            .min_by(|a, b| apart(*a, v).total_cmp(&apart(*b, v)))
            .unwrap();
        assert!(apart(projection, nearest) < 1e-4, "β = {angle}: {projection:?} {nearest:?}");
    }
}

/// The limits agree for β = π/n and nowhere else; with the rule for n = 1 and even n.
#[test]
fn the_corner_is_continuous_at_submultiples_of_two_right_angles_only() {
    for n in 1..=6 {
        let c = corner::limits(PI / f64::from(n)).unwrap();
        assert!(c.jump() < 1e-12, "π/{n}: {c:?}");
        let agrees = n == 1 || n % 2 == 0;
        assert_eq!(c.off_rule()[0] < 1e-12, agrees, "π/{n}: {c:?}");
    }
    let right = corner::limits(0.5 * PI).unwrap();
    assert!(apart(right.above, [1.0, 0.5]) < 1e-15 && apart(right.below, [1.0, 0.5]) < 1e-15);
    for i in 0..500 {
        let angle = 0.47 + (PI - 0.001 - 0.47) * (f64::from(i) + 0.5) / 500.0;
        let near = (1..=6).any(|n| (angle - PI / f64::from(n)).abs() < 1e-3);
        assert!(near || corner::limits(angle).unwrap().jump() > 1e-3, "β = {angle}");
    }
    // "Continuous on the right, but not on the left": a blunt wedge, beyond 90° + φ.
    let blunt = corner::limits(2.4).unwrap();
    assert!(blunt.off_rule()[0] < 1e-12 && blunt.off_rule()[1] > 0.1);
}

#[test]
fn a_corner_that_cannot_be_is_said() {
    assert!(corner::limits(0.4).is_err() && corner::limits(3.2).is_err());
    assert!(corner::solve(1.0, 0.0, 5.0).is_err() && corner::solve(0.5, 0.4, 5.0).is_err());
}

/// Impulse by impulse, down to bounces whose speed is 1e-60 of the last.
#[test]
fn both_of_schatzmans_solutions_obey_the_equation_of_motion() {
    let f = Schatzman::new(2.0, 0.5, 1.0).unwrap();
    assert!(f.gain() > 1.2);
    let verdicts = f.verify(200, 4000);
    for v in &verdicts {
        assert!(v.miss < 1e-10 && v.inelastic < 1e-10 && v.energy < 1e-9, "{v:?}");
        assert!(v.lowest >= 0.0, "{v:?}");
        assert!(v.largest_force <= 0.0, "{v:?}"); // so rest, with the reaction −f, is the other solution
    }
    assert!(f.bounces(200)[0].after < 1e-15);
    // The impulses are those that the momentum needs: Σ 2 v_n = −∫ f + u̇(1⁻), over (0, 1).
    let n = 2_000_000;
    let force: f64 = (1..n).map(|i| f.force(f64::from(i) / f64::from(n)) / f64::from(n)).sum();
    let impulses: f64 = f.bounces(2000).iter().filter(|b| b.index > 1).map(|b| b.impulse).sum();
    assert!((impulses + force + f.bounces(1)[0].after).abs() < 1e-9, "{impulses} {force}");
}

/// Away from the impacts ü = f, by differences of the solution as it is evaluated.
#[test]
fn the_bouncing_solution_has_the_force_as_its_acceleration() {
    let f = Schatzman::new(2.0, 0.5, 1.0).unwrap();
    for i in 1..400 {
        let t = 0.05 + 0.95 * f64::from(i) / 400.0;
        let n = (1.0 / t).floor();
        let h = 1e-4 * (1.0 / n - 1.0 / (n + 1.0));
        if t - h < 1.0 / (n + 1.0) || t + h > 1.0 / n {
            continue;
        }
        let ((u, v), (a, va), (b, vb)) = (f.bouncing(t), f.bouncing(t - h), f.bouncing(t + h));
        assert!(u > 0.0);
        let scale = v.abs().max(f.speed(n as u32 + 1)) / (1.0 / n - 1.0 / (n + 1.0));
        assert!(((vb - va) / (2.0 * h) - f.force(t)).abs() < 1e-5 * scale, "t = {t}");
        assert!(((b - a) / (2.0 * h) - v).abs() < 1e-5 * scale, "t = {t}");
    }
}

/// C^∞ at 0: every difference quotient of the force up to the eighth order vanishes there.
#[test]
fn the_force_is_flat_at_zero() {
    let f = Schatzman::new(2.0, 0.5, 1.0).unwrap();
    for order in 0..=8 {
        // |f| ≤ C t^k for every k: t^{−order} f(t) → 0.
        let size = |t: f64| {
            (0..200)
                .map(|i| f.force(t * (1.0 - 0.5 * f64::from(i) / 200.0)).abs())
                .fold(0.0, f64::max)
                / t.powi(order)
        };
        assert!(size(1.0 / 400.0) < 1e-12 * size(1.0 / 20.0), "order {order}");
    }
}
