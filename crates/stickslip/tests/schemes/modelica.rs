//! Published runs of the Modelica Standard Library 4.0.0 (Dymola, tolerance 1e-6).

use std::io::Write;
use stickslip::law::General;
use stickslip::scheme::oscillator::adaptive::{self, Options};
use stickslip::scheme::oscillator::exact;
use stickslip::{EventKind, Law, Oscillator, Signal, Stops, Trajectory};

/// Columns of a published run, or a line on standard error and None when the data are not there.
fn published(file: &str, columns: &[&str]) -> Option<Vec<Vec<f64>>> {
    let root =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/modelica");
    let text = match std::fs::read_to_string(root.join(file)) {
        Ok(text) => text,
        Err(_) => {
            // Not by a macro, whose output a test that passes does not show.
            let _ = writeln!(std::io::stderr(), "skipped: the published run {file} is not here");
            return None;
        }
    };
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').map(|c| c.trim_matches('"')).collect();
    let places: Vec<usize> =
        columns.iter().map(|c| head.iter().position(|h| h == c).unwrap()).collect();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        places.iter().map(|&i| cells[i].parse().unwrap()).collect()
    };
    Some(lines.map(row).collect())
}

fn worst(path: &Trajectory, rows: &[Vec<f64>]) -> (f64, f64) {
    rows.iter().fold((0.0f64, 0.0f64), |(x, v), r| {
        let s = path.state(r[0]);
        (x.max((s.x - r[1]).abs()), v.max((s.v - r[2]).abs()))
    })
}

/// A mass of 1 kg at 1 m/s, braked with 1 N from 0.1 s: stops at 1.1 s, 0.6 m.
#[test]
fn brake() {
    let o = Oscillator::new(1.0, 0.0, Law::coulomb(1.0).unwrap())
        .with_normal(Signal::step(0.1, 0.0, 1.0))
        .starting_at(0.0, 1.0);
    let path = exact::solve(&o, 3.0).unwrap();
    let [stop] = path.events() else { panic!("{:?}", path.events()) };
    assert_eq!(stop.kind, EventKind::Stick);
    assert!((stop.time - 1.1).abs() < 1e-14 && (stop.x - 0.6).abs() < 1e-14);
    if let Some(rows) = published("Translational_Brake.csv", &["time", "mass1.s", "mass1.v"]) {
        let (x, v) = worst(&path, &rows);
        println!("brake: {} rows, within {x:.1e} m and {v:.1e} m/s", rows.len());
        assert!(x < 1e-6 && v < 1e-3);
    }
}

/// F = 25 sin(2π t/4) on 1 kg with 5 + |v| + 10 exp(−2|v|).
fn friction(law: Law) -> Oscillator {
    let force = Signal::harmonic(25.0, 0.5 * std::f64::consts::PI, -std::f64::consts::FRAC_PI_2);
    Oscillator::new(1.0, 0.0, law).with_force(force)
}

#[test]
fn friction_with_stribecks_law() {
    let o = friction(Law::stribeck_exponential(15.0, 5.0, 0.5, 1.0, 1.0).unwrap());
    let path = adaptive::solve(&o, 5.0, Options::tolerance(1e-11)).unwrap();
    // an independent event-driven integration: break-away 0.409666, reversals 2.442691, 4.441942, end 1.7685178
    let times: Vec<f64> = path.events().iter().map(|e| e.time).collect();
    assert_eq!(times.len(), 3, "{:?}", path.events());
    for (t, want) in times.iter().zip([0.409666, 2.442691, 4.441942]) {
        assert!((t - want).abs() < 1e-6, "{t} {want}");
    }
    assert!((path.state(5.0).x - 1.7685178).abs() < 1e-6);
    // break-away in closed form: 25 sin(πt/2) = 15
    assert!((times[0] - 0.6f64.asin() / (0.5 * std::f64::consts::PI)).abs() < 1e-12);
    if let Some(rows) = published("Translational_Friction.csv", &["time", "stop1.s", "stop1.v"]) {
        let (x, v) = worst(&path, &rows);
        println!("friction (1): {} rows, within {x:.1e} m and {v:.1e} m/s", rows.len());
        assert!(x < 1e-4 && v < 1e-3);
        // Why not closer: the library breaks away at 1.001 f_s only, which is a third of it. The rest is
        // the published run's own: each of its rows integrated from the one before misses the next by up
        // to 3e-6 m/s, 2.5e-4 m/s in all, and these defects add up to −8e-5 m/s by t = 2.7 s, which is how
        // far its velocity is from ours.
        let late = 0.6006f64.asin() / (0.5 * std::f64::consts::PI);
        let (last, rest) = (rows.len() - 1, |r: &&Vec<f64>| r[2].abs() < 1e-6);
        let start = rows.iter().take_while(rest).count();
        println!("published break-away by {} s, 1.001 f_s at {late} s", rows[start][0]);
        assert!((rows[start.saturating_sub(1)][0] - late).abs() < 5e-4);
        let mut delayed = o.clone();
        let phase = 0.5 * std::f64::consts::PI * (late - 1.0);
        delayed.force = Signal::harmonic(25.0, 0.5 * std::f64::consts::PI, phase);
        let path = adaptive::solve(&delayed, 5.0 - late, Options::tolerance(1e-11)).unwrap();
        let later: Vec<_> =
            rows[start..=last].iter().map(|r| vec![r[0] - late, r[1], r[2]]).collect();
        let ((closer, v), before) = (worst(&path, &later), x);
        println!("friction (1) from 1.001 f_s on: within {closer:.1e} m and {v:.1e} m/s");
        assert!(closer < 0.75 * before && v < 1e-4);
    }
}

/// The same law as a table of 50 points up to 12 m/s: the published run ends 0.021 m elsewhere, and so do we.
#[test]
fn friction_with_a_table() {
    let speeds: Vec<f64> = (0..50).map(|i| 12.0 * f64::from(i) / 49.0).collect();
    let forces: Vec<f64> = speeds.iter().map(|v| 5.0 + v + 10.0 * (-2.0 * v).exp()).collect();
    let o = friction(Law::General(General::table(&speeds, &forces).unwrap()));
    let path = adaptive::solve(&o, 5.0, Options::tolerance(1e-9)).unwrap();
    println!("friction (3) ends at {}", path.state(5.0).x);
    assert!((path.state(5.0).x - 1.7472).abs() < 1e-3, "{}", path.state(5.0).x);
    if let Some(rows) = published("Translational_Friction.csv", &["time", "mass.s", "mass.v"]) {
        let (x, v) = worst(&path, &rows);
        println!("friction (3): {} rows, within {x:.1e} m and {v:.1e} m/s", rows.len());
        assert!(x < 1e-3 && v < 2e-3);
    }
}

/// The second mass: on a spring, between stops that take all its speed. The library writes the stops as
/// places of the mass's ends (±0.9 m), and it is 1 m long: its middle stops at ±0.4 m. The spring, fixed at
/// −1.75 m, slack at 1 m and tied to the mass's left end, is slack where the middle is at −0.25 m.
///
/// Differences are to be expected from what Modelica adds for its solver's sake: it breaks away at 1.001 f_s, keeps
/// friction at its limit without the exponential until v_small = 1e-3 m/s has been passed once after rest,
/// and its Dymola run has a tolerance of 1e-6.
#[test]
fn friction_between_stops() {
    let law = Law::stribeck_exponential(8.0, 3.0, 0.5, 1.0, 1.0).unwrap();
    let o = Oscillator::new(1.0, 500.0, law)
        .with_drive(Signal::constant(-0.25))
        .with_stops(Stops::rigid(Some(-0.4), Some(0.4), 0.0))
        .starting_at(0.0, -5.0);
    let path = adaptive::solve(&o, 5.0, Options::tolerance(1e-11)).unwrap();
    let hit = path.events()[0];
    assert_eq!((hit.kind, hit.x, hit.v), (EventKind::Impact, -0.4, 0.0));
    assert_eq!(path.events().iter().filter(|e| e.kind == EventKind::Impact).count(), 1);
    let rest = path.events().last().unwrap();
    assert_eq!(rest.kind, EventKind::Stick);
    // At rest the spring is within the limit: |500 (x + 0.25)| ≤ 8.
    assert!((500.0 * (rest.x + 0.25)).abs() <= 8.0);
    let energy = path.energy(&o);
    assert!(energy.relative_defect() < 1e-10, "{energy:?}");
    // All the kinetic energy at the impact is lost there.
    assert!((energy.impacts - 0.5 * hit.impulse * hit.impulse).abs() < 1e-10);
    println!(
        "friction (2): impact at {} s with {} N·s, rest at {} s, {} m",
        hit.time, hit.impulse, rest.time, rest.x
    );
    let Some(rows) = published("Translational_Friction.csv", &["time", "stop2.s", "stop2.v"])
    else {
        return;
    };
    // The published impact: its two rows at the stop, before and after.
    let at = rows.windows(2).find(|r| r[0][0] == r[1][0] && r[1][2] == 0.0).unwrap();
    println!("published impact at {} s with {} m/s", at[0][0], at[0][2]);
    assert!((hit.time - at[0][0]).abs() < 1e-6 && (hit.impulse + at[0][2]).abs() < 1e-4);
    let stuck = &rows[rows.iter().rposition(|r| r[2].abs() > 1e-6).unwrap() + 1];
    println!("published rest at {} s, {} m", stuck[0], stuck[1]);
    assert!((rest.time - stuck[0]).abs() < 1e-5 && (rest.x - stuck[1]).abs() < 1e-5);
    let apart = |r: &&Vec<f64>| (r[0] - hit.time).abs() > 1e-5;
    let rows: Vec<_> = rows.iter().filter(apart).cloned().collect();
    let (x, v) = worst(&path, &rows);
    println!("friction (2): {} rows, within {x:.1e} m and {v:.1e} m/s", rows.len());
    assert!(x < 1e-5 && v < 1e-3);
}
