//! The torques of a public servo row by row, without any motion that is computed: why one Coulomb force does not fit its logs.

use crate::public_servo::{SINES, VOLTS, rows_of};
use crate::servo_logs::LOAD;

/// What solves the normal equations of these columns for `right`, and the rms that it leaves.
fn regressed(columns: &[Vec<f64>], right: &[f64]) -> (Vec<f64>, f64) {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let count = columns.len();
    let mut m: Vec<Vec<f64>> = columns
        .iter()
        .map(|a| columns.iter().map(|b| dot(a, b)).chain([dot(a, right)]).collect())
        .collect();
    for i in 0..count {
        let pivot = (i..count).max_by(|a, b| m[*a][i].abs().total_cmp(&m[*b][i].abs())).unwrap();
        m.swap(i, pivot);
        let row = m[i].clone();
        for (_, other) in m.iter_mut().enumerate().filter(|(j, _)| *j != i) {
            let by = other[i] / row[i];
            other.iter_mut().zip(&row).for_each(|(o, r)| *o -= by * r);
        }
    }
    let found: Vec<f64> = (0..count).map(|i| m[i][count] / m[i][i]).collect();
    let left = |i: usize| right[i] - found.iter().zip(columns).map(|(p, c)| p * c[i]).sum::<f64>();
    let squares: f64 = (0..right.len()).map(|i| left(i).powi(2)).sum();
    (found, (squares / right.len() as f64).sqrt())
}

/// Angle, speed and acceleration at row `i`, of the cubic through 21 rows.
fn local(time: &[f64], angle: &[f64], i: usize) -> [f64; 3] {
    let rows = i - 10..i + 11;
    let powers: Vec<Vec<f64>> =
        (0..4).map(|k| rows.clone().map(|j| (time[j] - time[i]).powi(k)).collect()).collect();
    let (c, _) = regressed(&powers, &angle[rows]);
    [c[0], c[1], 2.0 * c[2]]
}

/// Of one log: k/R, c + k²/R, the Coulomb friction, and the share of the torques that is left with one Coulomb force and with
/// a friction that grows with the torque of the motor.
fn balanced(name: &str) -> Option<([f64; 3], [f64; 2])> {
    let rows = rows_of(name)?;
    let column = |k: usize| rows.iter().map(|r| r[k]).collect::<Vec<f64>>();
    let (time, angle, goal) = (column(0), column(1), column(3));
    let gain = VOLTS * name.rsplit_once("kp").unwrap().1.parse::<f64>().unwrap();
    let (mut columns, mut right) = (vec![Vec::new(); 6], Vec::new());
    for i in 10..time.len() - 10 {
        let [q, w, a] = local(&time, &angle, i);
        let volts = gain * (goal[i] - q);
        // Neither at rest nor at the limit.
        if w.abs() < 0.3 || volts.abs() > 7.2 {
            continue;
        }
        // Of the motor, with the published numbers.
        let torque = 0.386_696 / 4.017_129 * (volts - 0.386_696 * w);
        let row = [volts, -w, -w.signum(), -a, -LOAD.gravity * q.cos(), -w.signum() * torque.abs()];
        columns.iter_mut().zip(row).for_each(|(c, v)| c.push(v));
        right.push(LOAD.inertia * a + LOAD.gravity * q.sin());
    }
    let mean = right.iter().sum::<f64>() / right.len() as f64;
    let spread = right.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / right.len() as f64;
    let (found, left) = regressed(&columns[..5], &right);
    let (_, loaded) = regressed(&columns, &right);
    Some(([found[0], found[1], found[2]], [left, loaded].map(|l| l / spread.sqrt())))
}

/// Motor and damping come out as they were published, and the Coulomb friction three to ten times as large, and larger at the
/// upper gains: it grows with the torque. A fit of motions under one Coulomb force for all gains has to put the rest into the damping.
#[test]
fn friction_of_a_public_servo_grows_with_its_torque() {
    let mut coulomb = Vec::new();
    for name in SINES {
        let Some(([motor, damping, friction], [left, loaded])) = balanced(name) else { return };
        println!(
            "{name}: k/R {motor:.4}, c + k²/R {damping:.4}, Coulomb {friction:.4} N·m; left {left:.3}, {loaded:.3}"
        );
        let published = 0.386_696 / 4.017_129;
        assert!((motor / published - 1.0).abs() < 0.15, "{motor}");
        let published = 0.003_662 + 0.386_696 * published;
        assert!((damping / published - 1.0).abs() < 0.25, "{damping}");
        assert!(loaded < 0.75 * left, "{loaded} {left}");
        coulomb.push(friction);
    }
    // The lower two gains ask for little torque, the upper two for more and more.
    let low = coulomb[0].max(coulomb[1]);
    assert!(coulomb[2] > 1.5 * low && coulomb[3] > 2.0 * low, "{coulomb:?}");
    assert!(coulomb.iter().all(|f| *f > 3.0 * 0.012_833), "{coulomb:?}");
}
