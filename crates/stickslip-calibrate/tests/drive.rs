//! Drives whose truth is known, and a measured one.

use crate::common::{Noise, shared};
use stickslip::{Law, Oscillator, Signal, scheme::oscillator::exact};
use stickslip_calibrate::rigid_drive::{Controller, DriveFit, RigidDrive, drive};
use stickslip_calibrate::{Error, Estimate};

const TRUTH: [f64; 4] = [95.0, 203.0, 20.4, -3.2];
const LOOP: Controller = Controller { position: 160.0, velocity: 243.0, gain: 35.0 };

/// A drive under control that follows a sum of sines, by the exact scheme; noise in position (m) and force (N).
fn made(noise: [f64; 2], pauses: bool) -> [Vec<f64>; 4] {
    let time: Vec<f64> = (0..20_000).map(|i| 1e-3 * f64::from(i)).collect();
    let wave = |t: f64| 0.06 * (1.1 * t).sin() + 0.02 * (3.7 * t).sin();
    // With pauses, the reference stands still every other second.
    let along = |t: f64| if pauses { t.div_euclid(2.0) + t.rem_euclid(2.0).min(1.0) } else { t };
    let reference: Vec<f64> = time.iter().map(|t| wave(along(*t))).collect();
    let [m, fv, fc, o] = TRUTH;
    let damping = LOOP.gain * LOOP.velocity;
    let oscillator = Oscillator::new(m, damping * LOOP.position, Law::coulomb(fc).unwrap())
        .with_damping(fv + damping)
        .with_drive(Signal::sampled(&time, &reference).unwrap())
        .with_force(Signal::constant(-o));
    let path = exact::solve(&oscillator, 19.999).unwrap();
    let mut draw = Noise::new(3);
    let (mut position, mut force) = (Vec::new(), Vec::new());
    for (t, r) in time.iter().zip(&reference) {
        let s = path.state(*t);
        position.push(s.x + noise[0] * draw.normal());
        force.push(damping * (LOOP.position * (r - s.x) - s.v) + noise[1] * draw.normal());
    }
    [time, position, force, reference]
}

fn fit([time, position, force, reference]: &[Vec<f64>; 4]) -> DriveFit {
    let asked = RigidDrive { controller: Some(LOOP), ..RigidDrive::default() };
    drive(time, position, force, Some(reference), &asked).unwrap()
}

fn all(fit: &DriveFit) -> [&Estimate; 4] {
    let p = &fit.parameters;
    [&p.mass, &p.viscous, &p.coulomb, &p.offset]
}

#[test]
fn a_simulated_drive_is_recovered() {
    for noise in [[0.0, 0.0], [2e-6, 1.0]] {
        for pauses in [false, true] {
            let fit = fit(&made(noise, pauses));
            println!("noise {noise:?}, pauses {pauses}: {:?}", fit.parameters);
            for ((e, truth), within) in all(&fit).iter().zip(TRUTH).zip([0.01, 0.03, 0.03, 0.05]) {
                let (found, error) = (e.value.unwrap(), e.stderr.unwrap());
                // Pauses take half of the record away: then as sure as is said.
                let within = if pauses {
                    (3.0 * error).max(0.02 * truth.abs())
                } else {
                    within * truth.abs()
                };
                assert!((found - truth).abs() < within, "{found} ± {error} for {truth}");
            }
            let closed = &fit.simulations[0];
            println!(
                "{closed:?}",
                closed = (closed.name, closed.position_error, closed.force_error)
            );
            assert!(closed.name == "closed loop" && closed.position_error < 1e-3);
            assert!(closed.force_error.unwrap() < 0.08);
            assert_eq!(fit.simulations[1].name, "open loop");
        }
    }
}

#[test]
fn rests_are_left_out_and_breakaway_is_unknown_without_them() {
    let moving = fit(&made([2e-6, 1.0], false));
    let e = &moving.parameters.breakaway;
    assert!(e.value.is_none() && e.reason.as_ref().unwrap().contains("add pauses"));
    assert!(fit(&made([2e-6, 1.0], true)).resting > 0);
}

#[test]
fn faults_name_the_finding_and_the_remedy() {
    let [time, position, force, _] = made([2e-6, 1.0], false);
    let refused = |asked: &RigidDrive, x: &[f64]| {
        drive(&time, x, &force, None, asked).unwrap_err().to_string()
    };
    let fast = RigidDrive { cutoff: Some(600.0), ..RigidDrive::default() };
    assert!(refused(&fast, &position).contains("0.45 of the sampling rate, in Hz"));
    let crossed = RigidDrive { cutoff: Some(10.0), parallel: Some(20.0), ..RigidDrive::default() };
    assert!(refused(&crossed, &position).contains("parallel filter is 20"));
    let mut hole = position.clone();
    hole[700..720].fill(f64::NAN);
    let said = refused(&RigidDrive::default(), &hole);
    assert!(said.starts_with("row 700: the position is missing for 20 samples"), "{said}");
    let back: Vec<f64> = force.iter().map(|f| -f).collect();
    let fit = drive(&time, &position, &back, None, &RigidDrive::default()).unwrap();
    assert!(
        fit.warnings.iter().any(|w| w.contains("same direction")) && fit.simulations.is_empty()
    );
    let still = drive(&time, &position, &vec![3.0; time.len()], None, &RigidDrive::default());
    assert!(matches!(still, Err(Error::Constant { column: "force", .. })));
}

/// EMPS, a benchmark of system identification (Janot, Gautier and Brunot 2019), against its authors' values.
#[test]
fn the_measured_drive() {
    let Some(path) = shared("emps/emps.csv") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let mut columns = vec![Vec::new(); 5];
    for line in text.lines().skip(1) {
        line.split(',').zip(&mut columns).for_each(|(v, c)| c.push(v.parse::<f64>().unwrap()));
    }
    let controller = Some(Controller { position: 160.18, velocity: 243.45, gain: 35.15065 });
    let asked = RigidDrive { controller, ..RigidDrive::default() };
    let fit = drive(&columns[0], &columns[1], &columns[4], Some(&columns[2]), &asked).unwrap();
    println!(
        "{:#?}",
        (
            &fit.parameters,
            &fit.filtering,
            fit.rows,
            fit.resting,
            fit.relative_residual,
            &fit.warnings
        )
    );
    for c in &fit.simulations {
        println!(
            "{}: position {:e} ({:e} m), velocity {:e}, force {:?}",
            c.name, c.position_error, c.position_rmse, c.velocity_error, c.force_error
        );
    }
    let published = [(95.1089, 0.01), (203.5034, 0.01), (20.3935, 0.01), (-3.1648, 0.03)];
    for (e, (value, within)) in all(&fit).iter().zip(published) {
        let found = e.value.unwrap();
        assert!((found / value - 1.0).abs() < within, "{found} for {value}");
    }
    assert_eq!(fit.simulations.len(), 2);
    assert!(fit.simulations[0].position_error < 0.01);
}

/// A position in mm that is declared as m: the numbers are a thousand times too small, and are not believed.
#[test]
fn a_position_in_another_unit_is_not_believed() {
    let [time, position, force, reference] = made([2e-6, 1.0], true);
    let [position, reference] = [position, reference].map(|v| v.iter().map(|x| 1e3 * x).collect());
    let found = fit(&[time.clone(), position, force.clone(), reference]);
    assert!(found.parameters.mass.value.unwrap() < 1.0);
    assert!(!found.believable);
    let said = |part: &str| found.warnings.iter().any(|w| w.contains(part));
    assert!(said("check the unit of the position"), "{:?}", found.warnings);
    assert!(said("simulated with its controller"), "{:?}", found.warnings);
    // In the other direction, too slow to be seen at first sight: the controller betrays it.
    let [time, position, force, reference] = made([2e-6, 1.0], true);
    let [position, reference] = [position, reference].map(|v| v.iter().map(|x| 1e-3 * x).collect());
    assert!(!fit(&[time, position, force, reference]).believable);
}

/// A force that comes 10 ms late makes the dry friction a quarter too small; the delay is measured and reported.
#[test]
fn a_force_that_comes_late_is_seen() {
    let [time, position, force, reference] = made([2e-6, 1.0], true);
    let on_time = fit(&[time.clone(), position.clone(), force.clone(), reference.clone()]);
    assert!(on_time.believable, "{:?}", on_time.warnings);
    let late: Vec<f64> = (0..force.len()).map(|i| force[i.saturating_sub(10)]).collect();
    let found = fit(&[time, position, late, reference]);
    let delay = found.delay.value.unwrap();
    assert!((delay / 10e-3 - 1.0).abs() < 0.1, "{delay}");
    assert!(!found.believable);
    assert!(found.warnings.iter().any(|w| w.contains("later than the position says")));
}
