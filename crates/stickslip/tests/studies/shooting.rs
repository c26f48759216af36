//! Periodic motions by shooting against closed forms and against the motion itself.

use crate::common::sized;
use std::f64::consts::{FRAC_PI_2, TAU};
use std::sync::OnceLock;
use stickslip::law::memory::{BoucWen, Dahl, Lugre, Shape, StribeckLimit};
use stickslip::model::hysteretic::{Body, Hysteretic};
use stickslip::model::{Oscillator, Planar};
use stickslip::solution::Tolerances;
use stickslip::study::orbit::{Forced, Method, Options, Point, Response, Search, TIGHT, search};
use stickslip::study::shooting::{Repeating, extremes, repeating, responding};
use stickslip::{Error, EventKind, Law, Model, Problem, Scheme, Signal, Stops, solve};

fn found(model: impl Into<Model>) -> Repeating {
    repeating(&model.into(), TIGHT, &Search::default()).unwrap()
}

/// Dahl's loop over ±A: along the way F falls back to F_c by e^(−σ x/F_c), so that it ends at F_c tanh(σ A/F_c).
#[test]
fn the_loop_of_dahl_is_that_of_its_closed_form() {
    let (force, stiffness, way) = (1.3, 150.0, 0.006);
    let orbit = found(Hysteretic::led(
        Dahl::new(force, stiffness, 1.0).unwrap(),
        Signal::harmonic(way, 3.0, -FRAC_PI_2), // way·sin(3 t): from the middle of the rising branch
    ));
    let end = force * (stiffness * way / force).tanh();
    let start = force - (force + end) * (-stiffness * way / force).exp();
    assert!((orbit.state[0] * stiffness - start).abs() < 1e-10, "{:?} {start}", orbit.state);
    let forgets = (-4.0 * stiffness * way / force).exp();
    assert!((orbit.multipliers[0].re - forgets).abs() < 1e-5 && orbit.stable && !orbit.family);
    let friction = orbit.solution.columns().iter().position(|c| c.name == "friction").unwrap();
    let [low, high] = extremes(&orbit.solution, friction);
    assert!((high - end).abs() < 1e-10 && (low + end).abs() < 1e-10, "{low} {high} {end}");
}

/// A force of constant size that turns: the mass goes round a circle with (K − m ω²)² R² + f² = P² (M13).
#[test]
fn a_force_that_turns_leads_to_a_circle() {
    let (mass, stiffness, f, p, omega) = (1.0, 4.0, 0.5, 2.0, 1.2);
    let turning = [Signal::harmonic(p, omega, FRAC_PI_2), Signal::harmonic(p, omega, 0.0)];
    let disc = Planar::new(mass, Law::coulomb(f).unwrap())
        .with_stiffness([stiffness; 2])
        .with_force(turning);
    let orbit = found(disc);
    let radius = (p * p - f * f).sqrt() / (stiffness - mass * omega * omega);
    assert!((orbit.state[0].hypot(orbit.state[1]) - radius).abs() < 1e-10);
    assert!((orbit.state[2].hypot(orbit.state[3]) - omega * radius).abs() < 1e-10);
    assert!(orbit.stable && (orbit.period - TAU / omega).abs() < 1e-14);
    // det DP = exp of the divergence over a period: −(f/m)/(R ω) for friction across the velocity, nothing along it.
    let product: f64 = orbit.multipliers.iter().map(|m| m.norm()).product();
    let fades = (-f / (mass * radius * omega) * orbit.period).exp();
    assert!((product - fades).abs() < 1e-5, "{product} {fades}");
}

/// What a long run comes to is the orbit; and motions near it come nearer by the largest multiplier.
#[test]
fn long_runs_come_to_the_orbit() {
    let limit = StribeckLimit::new(1.5, 1.0, 0.05, 2.0).unwrap();
    let force = Signal::harmonic(2.0, 3.0, 0.0);
    let body = Body { force: force.clone(), ..Body::new(1.0, 25.0) };
    let shape = Shape { a: 1.0, beta: 5.0, gamma: 5.0, exponent: 1.0 };
    let models: [Model; 3] = [
        Hysteretic::carrying(Lugre::new(limit, 1e3, 2.0, 1.4).unwrap(), body.clone()).into(),
        Hysteretic::carrying(
            BoucWen::new(40.0, 0.1, shape).unwrap(),
            Body { damping: 0.3, ..body },
        )
        .into(),
        Planar::new(1.0, Law::static_dynamic(0.7, 0.5).unwrap())
            .with_stiffness([4.0, 6.0])
            .with_damping([0.1; 2])
            .with_force([force, Signal::harmonic(1.1, 1.5, 0.4)])
            .into(),
    ];
    for model in models {
        let orbit = found(model.clone());
        let period = orbit.period;
        let run = solve(&Problem::new(model, 60.0 * period), &Scheme::Adaptive(TIGHT)).unwrap();
        let mut off = 0.0f64;
        let width = run.columns().len();
        let (mut long, mut one) = (vec![0.0; width], vec![0.0; width]);
        for k in 0..8 {
            let t = period * f64::from(k) / 8.0;
            run.row(59.0 * period + t, &mut long);
            orbit.solution.row(t, &mut one);
            // The state alone: friction may jump where the velocity turns.
            off = off.max((long[0] - one[0]).abs()).max((long[1] - one[1]).abs());
        }
        let left = orbit.multipliers[0].norm().powi(59);
        assert!(orbit.stable && off < 1e-8 + 10.0 * left, "{off} {left} {:?}", orbit.multipliers);
    }
}

/// Nothing repeats that nothing drives, or that a ramp drives; and a Duffing-like doubling is told.
#[test]
fn what_does_not_repeat_is_said() {
    let law = || Dahl::new(1.0, 150.0, 1.0).unwrap();
    let told = |model: Hysteretic| match repeating(&model.into(), TIGHT, &Search::default()) {
        Err(Error::NoOrbit { reason }) => reason,
        other => panic!("{other:?}"),
    };
    let free = told(Hysteretic::carrying(law(), Body::new(1.0, 25.0)));
    assert!(free.contains("no load that repeats"), "{free}");
    let pulled = Body { drive: Signal::ramp(0.1, 0.0), ..Body::new(1.0, 25.0) };
    let pulled = told(Hysteretic::carrying(law(), pulled));
    assert!(pulled.contains("ramp"), "{pulled}");
    // A weak dashpot alone settles in thousands of periods.
    let force = Signal::harmonic(1.0, 4.9, 0.0);
    let body = Body { damping: 1e-4, force, ..Body::new(1.0, 25.0) };
    let mut few = Search::default();
    few.transient = 3;
    let slow = Hysteretic::carrying(Dahl::new(1e-3, 1.0, 1.0).unwrap(), body);
    let slow = repeating(&slow.into(), TIGHT, &few);
    assert!(
        matches!(&slow, Err(Error::NoOrbit { reason }) if reason.contains("slow to settle")),
        "{slow:?}"
    );
}

/// A mass on LuGre's friction under a force of this frequency, rad/s.
fn on_lugre(frequency: f64) -> Result<Model, Error> {
    let limit = StribeckLimit::new(1.5, 1.0, 0.05, 2.0)?;
    let law = Lugre::new(limit, 1e3, 2.0, 1.4)?;
    let body = Body { force: Signal::harmonic(2.0, frequency, 0.0), ..Body::new(1.0, 25.0) };
    Ok(Hysteretic::carrying(law, body).into())
}

/// Its response over frequencies that rise, and over those that fall.
fn responses_of_lugre(falls: bool) -> &'static Response {
    static BOTH: [OnceLock<Response>; 2] = [OnceLock::new(), OnceLock::new()];
    BOTH[usize::from(falls)].get_or_init(|| {
        let (from, to) = if falls { (4.0, 2.0) } else { (2.0, 4.0) };
        let options = Options::new(from, to).with_count(sized(5, 17));
        responding(on_lugre, sized(Tolerances::tolerance(1e-10), TIGHT), &options).unwrap()
    })
}

/// Each stable orbit of a response is one that is found at its value alone, or the mirror image of one; and where the stability
/// changes, a multiplier has modulus 1.
fn is_made_of_its_orbits(response: &Response) {
    for (k, branch) in response.branches.iter().enumerate() {
        let ends = [&branch.points[0], &branch.points[branch.points.len() - 1]];
        println!("branch {k}: {:?} {:?}", ends.map(|p| p.value), branch.ends);
    }
    for p in response.branches.iter().flat_map(|b| &b.points) {
        let largest = p.orbit.multiplier();
        println!("{} {:?} {} {largest}", p.value, p.kind, p.orbit.stable);
        assert!(p.kind.is_none() || (largest - 1.0).abs() < 1e-3, "{largest}");
    }
    for value in [2.0, 2.5, 3.0, 4.0] {
        let [low, high] = extremes(&found(on_lugre(value).unwrap()).solution, 0);
        let same = |p: &Point| {
            let [a, b] = [p.orbit.min, p.orbit.max];
            let off = |c: f64, d: f64| (a - c).abs().max((b - d).abs());
            p.value == value && p.orbit.stable && off(low, high).min(off(-high, -low)) < 1e-8
        };
        assert!(response.branches.iter().flat_map(|b| &b.points).any(same), "{value}");
    }
}

/// The response of a plane over `options`.
fn of_a_plane(make: impl Fn(f64) -> Planar, options: &Options) -> Response {
    responding(|value| Ok::<Model, Error>(make(value).into()), TIGHT, options).unwrap()
}

/// Over the frequency of a force that turns the mass goes round circles, (K − m ω²)² R² + f² = P² (M13), below the resonance and
/// above it; and the multipliers have the product exp(−(f/m)/(R ω) T).
#[test]
fn a_response_to_a_force_that_turns_is_made_of_circles() {
    let (mass, stiffness, f, p) = (1.0, 4.0, 0.5, 2.0);
    let turned = |omega: f64| {
        let turning = [Signal::harmonic(p, omega, FRAC_PI_2), Signal::harmonic(p, omega, 0.0)];
        Planar::new(mass, Law::coulomb(f).unwrap())
            .with_stiffness([stiffness; 2])
            .with_force(turning)
    };
    for range in [(0.6, 1.6), (3.2, 2.4)] {
        let found = of_a_plane(turned, &Options::new(range.0, range.1).with_count(sized(5, 41)));
        assert!(found.is_whole() && found.branches.len() == 1 && found.bifurcations().count() == 0);
        for Point { value: omega, orbit, .. } in &found.branches[0].points {
            let radius = (p * p - f * f).sqrt() / (stiffness - mass * omega * omega).abs();
            let plane = orbit.plane.unwrap();
            let off = [orbit.amplitude(), plane.amplitude_y(), plane.peak].map(|a| a - radius);
            assert!(off.iter().all(|off| off.abs() < 1e-9), "{omega}: {off:?}");
            let work = TAU * radius * f;
            assert!((orbit.dissipated - work).abs() < 1e-8 * work && orbit.stable, "{omega}");
            let product: f64 = orbit.multipliers.iter().map(|m| m.norm()).product();
            let fades = (-f / (mass * radius * omega) * orbit.period).exp();
            assert!((product - fades).abs() < 1e-5, "{product} {fades}");
            assert!(orbit.stops == 0 && orbit.equivalent_damping().is_none());
        }
    }
}

/// Along a line at an angle the response is that of an oscillator, with and without rests.
#[test]
fn a_response_along_a_line_is_that_of_an_oscillator() {
    let (along_x, along_y) = (0.6, 0.8);
    let law = || Law::static_dynamic(0.75, 0.6).unwrap();
    let load = |omega: f64| Signal::harmonic(1.0, omega, 0.0);
    let slanted = |omega: f64| {
        Planar::new(1.0, law()).with_stiffness([1.0; 2]).with_damping([0.05; 2]).with_force([
            Signal::harmonic(along_x, omega, 0.0),
            Signal::harmonic(along_y, omega, 0.0),
        ])
    };
    let straight = |omega: f64| {
        let o = Oscillator::new(1.0, 1.0, law()).with_damping(0.05).with_force(load(omega));
        let forced = Forced::new(&o.into(), TAU / omega, Method::Adaptive(TIGHT)).unwrap();
        search(&forced, &Search::default()).unwrap().orbits.swap_remove(0)
    };
    let options = Options::new(0.5, 1.5).with_count(sized(5, 41));
    let plane = of_a_plane(slanted, &options);
    assert!(plane.is_whole() && plane.branches.len() == 1);
    let mut rested = 0;
    for Point { value, orbit, .. } in &plane.branches[0].points {
        let one = straight(*value);
        let [x, y] = [orbit.amplitude(), orbit.plane.unwrap().amplitude_y()];
        let off = [x / along_x, y / along_y].map(|a| (a - one.amplitude()).abs());
        assert!(off.iter().all(|off| *off < 1e-8), "{value}: {off:?}");
        assert!((orbit.dissipated - one.dissipated).abs() < 1e-8, "{value}");
        assert!((orbit.stuck_fraction - one.stuck_fraction).abs() < 1e-8, "{value}");
        assert_eq!((orbit.stops, orbit.stable), (one.stops, one.stable), "{value}");
        // Its multipliers are among those of the plane, which has those across the line as well.
        for m in &one.multipliers {
            let nearest = orbit.multipliers.iter().map(|n| (n - m).norm());
            assert!(nearest.fold(f64::INFINITY, f64::min) < 1e-4, "{value}: {m}");
        }
        rested += usize::from(orbit.stops > 0);
    }
    assert!(rested > 0 && rested < plane.branches[0].points.len(), "{rested}");
}

/// On a line a rigid rim is a pair of rigid stops: the orbit with impacts has the states of the oscillator's, and its multipliers among
/// those of the plane. It may be unstable across the line nevertheless, for a round rim throws the mass further to the side.
#[test]
fn an_orbit_in_a_rigid_rim_is_that_between_rigid_stops() {
    let (radius, e, omega) = (0.6, 0.6, 1.4);
    let law = || Law::coulomb(0.15).unwrap();
    let load = Signal::harmonic(1.2, omega, 0.3);
    let between = Oscillator::new(1.0, 0.5, law())
        .with_damping(0.1)
        .with_force(load.clone())
        .with_stops(Stops::rigid(Some(-radius), Some(radius), e));
    let forced = Forced::new(&between.into(), TAU / omega, Method::Adaptive(TIGHT)).unwrap();
    let one = search(&forced, &Search::default()).unwrap().orbits.swap_remove(0);
    let orbit = found(
        Planar::new(1.0, law())
            .with_stiffness([0.5; 2])
            .with_damping([0.1; 2])
            .with_force([load, Signal::default()])
            .with_rigid_rim(radius, e),
    );
    assert_eq!(orbit.solution.count(EventKind::Impact), 2);
    let off = [(orbit.state[0], one.state[0]), (orbit.state[2], one.state[1])];
    assert!(off.iter().all(|(a, b)| (a - b).abs() < 1e-8), "{:?} {:?}", orbit.state, one.state);
    for m in &one.multipliers {
        let nearest = orbit.multipliers.iter().map(|n| (n - m).norm());
        assert!(nearest.fold(f64::INFINITY, f64::min) < 1e-4, "{m}: {:?}", orbit.multipliers);
    }
}

/// Off a line: the traces of the derivative of a period and of its square, by central differences ten times as wide, are the sums of
/// the multipliers and of their squares.
#[test]
fn multipliers_of_impacts_are_those_of_the_flow() {
    let omega = 2.0;
    let force = [Signal::harmonic(4.0, omega, 2.8), Signal::harmonic(1.0, omega, 3.8)];
    let inside = Planar::new(1.0, Law::coulomb(0.15).unwrap())
        .with_stiffness([0.5, 0.8])
        .with_damping([0.3; 2])
        .with_force(force)
        .with_rigid_rim(0.6, 0.8);
    let orbit = found(inside.clone());
    let impacts = orbit.solution.count(EventKind::Impact);
    assert!(impacts > 0 && orbit.residual < 1e-9, "{impacts} {}", orbit.residual);
    let after = |u: &[f64]| {
        let start = inside.clone().starting_at([u[0], u[1]], [u[2], u[3]]);
        let solution = solve(&Problem::new(start, orbit.period), &Scheme::Adaptive(TIGHT)).unwrap();
        let mut row = vec![0.0; solution.columns().len()];
        solution.row(orbit.period, &mut row);
        row
    };
    let by = 1e-5;
    let column = |j: usize| {
        let [ahead, behind] = [by, -by].map(|by| {
            let mut u = orbit.state.clone();
            u[j] += by;
            after(&u)
        });
        [0, 1, 2, 3].map(|i| (ahead[i] - behind[i]) / (2.0 * by))
    };
    let d = [0, 1, 2, 3].map(column);
    let trace: f64 = (0..4).map(|i| d[i][i]).sum();
    let of_square: f64 = (0..16).map(|k| d[k / 4][k % 4] * d[k % 4][k / 4]).sum();
    let sum: f64 = orbit.multipliers.iter().map(|m| m.re).sum();
    let of_squares: f64 = orbit.multipliers.iter().map(|m| (m * m).re).sum();
    assert!((trace - sum).abs() < 1e-4, "{trace} {sum}");
    assert!((of_square - of_squares).abs() < 1e-4, "{of_square} {of_squares}");
}

/// Under a force that turns and presses it to the rim, a mass slides round behind the force by sin λ = (f + c R ω)/P. Its swings about that
/// decay by c/2m, so that two multipliers have the modulus exp(−c T/2m), and the rim forgets the others.
#[test]
fn an_orbit_along_a_rigid_rim_follows_the_force() {
    let (mass, damping, f, p, omega, radius) = (1.0, 0.3, 0.4, 2.0, 1.2, 0.5);
    let turned = |radius: f64| {
        Planar::new(mass, Law::coulomb(f).unwrap())
            .with_damping([damping; 2])
            .with_force([Signal::harmonic(p, omega, FRAC_PI_2), Signal::harmonic(p, omega, 0.0)])
            .with_rigid_rim(radius, 0.5)
            .starting_at([0.3, 0.0], [0.0; 2])
    };
    let period = TAU / omega;
    let fades = (-0.5 * damping / mass * period).exp();
    let angle = |radius: f64| FRAC_PI_2 - ((f + damping * radius * omega) / p).asin();
    let orbit = found(turned(radius));
    let (sin, cos) = angle(radius).sin_cos();
    let [x, y, vx, vy] = [cos, sin, -omega * sin, omega * cos].map(|unit| radius * unit);
    let off = orbit.state.iter().zip([x, y, vx, vy]).map(|(found, exact)| (found - exact).abs());
    assert!(off.clone().all(|off| off < 1e-8), "{:?}", off.collect::<Vec<_>>());
    let sizes: Vec<f64> = orbit.multipliers.iter().map(|m| m.norm()).collect();
    assert!((sizes[0] - fades).abs() < 1e-4 && (sizes[1] - fades).abs() < 1e-4, "{sizes:?}");
    assert!(sizes[2] < 1e-4 && sizes[3] < 1e-4 && orbit.stable, "{sizes:?}");
    let response = of_a_plane(turned, &Options::new(0.4, 0.6).with_count(3));
    for Point { value, orbit, .. } in &response.branches[0].points {
        let work = TAU * value * f;
        assert!((orbit.plane.unwrap().peak - value).abs() < 1e-9, "{value}");
        assert!((orbit.dissipated - work).abs() < 1e-7 * work, "{value} {}", orbit.dissipated);
    }
}

/// A load that is the same for both sides at one value only does not end a branch there.
#[test]
fn a_branch_goes_on_where_the_load_becomes_lopsided() {
    let second = |share: f64| {
        let along_x = Signal::harmonic(2.0, 1.2, 0.0) + Signal::harmonic(0.4 * share, 2.4, 0.3);
        Planar::new(1.0, Law::coulomb(0.5).unwrap())
            .with_stiffness([4.0, 5.0])
            .with_force([along_x, Signal::harmonic(1.5, 1.2, 1.0)])
    };
    for range in [(0.0, 1.0), (-1.0, 1.0)] {
        let found = of_a_plane(second, &Options::new(range.0, range.1).with_count(3));
        assert!(found.is_whole() && found.branches.len() == 1, "{:?}", found.branches[0].ends);
        assert!(found.bifurcations().next().is_none());
    }
}

#[test]
fn a_response_of_lugre_is_made_of_its_orbits() {
    is_made_of_its_orbits(responses_of_lugre(false));
}

#[test]
fn so_is_one_over_frequencies_that_fall() {
    let falls = responses_of_lugre(true);
    // From whichever end, the bifurcations are the same.
    assert_eq!(responses_of_lugre(false).bifurcations().count(), falls.bifurcations().count());
    is_made_of_its_orbits(falls);
}
