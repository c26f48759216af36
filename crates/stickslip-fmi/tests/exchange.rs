//! Model exchange with a small importer: Runge and Kutta's method in each phase, events by bisection of the indicators.

use crate::machines::{BRAKE, DRIVE, PLAY, TABLE};
use crate::units::{Resources, reference};
use stickslip::{EventKind, Problem, Solution, solve};
use stickslip_file::interface::Exported;
use stickslip_file::{Document, Memory, Reading};
use stickslip_fmi::Unit;

/// An importer with its instance.
struct Importer {
    unit: Unit,
    time: f64,
    states: Vec<f64>,
}

impl Importer {
    fn of(kept: &Resources) -> Self {
        let mut unit = Unit::new_exchange(&kept.folder(), &kept.1).unwrap();
        unit.set_span(0.0, Some(40.0)).unwrap();
        unit.enter_initialization().unwrap();
        unit.exit_initialization().unwrap();
        let mut importer = Self { states: vec![0.0; unit.sizes().0], unit, time: 0.0 };
        importer.event();
        importer
    }

    /// Event Mode: the time of the next event that is known.
    fn event(&mut self) -> f64 {
        self.unit.enter_event_mode().unwrap();
        let update = self.unit.update_discrete_states().unwrap();
        self.unit.enter_continuous_time().unwrap();
        self.unit.states(&mut self.states).unwrap();
        update.next.unwrap_or(f64::INFINITY)
    }

    fn rates(&mut self, t: f64, states: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; states.len()];
        self.unit.set_time(t).unwrap();
        self.unit.set_states(states).unwrap();
        self.unit.derivatives(&mut out).unwrap();
        out
    }

    /// The states after a step of `h` (s), and the least of the indicators there.
    fn step(&mut self, h: f64) -> (Vec<f64>, f64) {
        let (t, from) = (self.time, self.states.clone());
        let on = |k: &[f64], h: f64| -> Vec<f64> {
            from.iter().zip(k).map(|(x, k)| x + h * k).collect()
        };
        let a = self.rates(t, &from);
        let b = self.rates(t + 0.5 * h, &on(&a, 0.5 * h));
        let c = self.rates(t + 0.5 * h, &on(&b, 0.5 * h));
        let d = self.rates(t + h, &on(&c, h));
        let slope: Vec<f64> =
            (0..from.len()).map(|i| (a[i] + 2.0 * (b[i] + c[i]) + d[i]) / 6.0).collect();
        let to = on(&slope, h);
        self.unit.set_time(t + h).unwrap();
        self.unit.set_states(&to).unwrap();
        let mut signs = vec![0.0; self.unit.sizes().1];
        self.unit.indicators(&mut signs).unwrap();
        (to, signs.into_iter().fold(f64::INFINITY, f64::min))
    }

    /// To `end` (s), by steps of `h` (s) at most.
    fn run(&mut self, end: f64, h: f64) {
        let mut next = self.event();
        while self.time < end {
            let length = h.min(end - self.time).min(next - self.time);
            let (mut to, least) = self.step(length);
            let mut taken = length;
            if least <= 0.0 {
                let (mut low, mut high) = (0.0, length);
                while high - low > 1e-15 * (1.0 + self.time) {
                    let middle = 0.5 * (low + high);
                    if self.step(middle).1 > 0.0 { low = middle } else { high = middle }
                }
                (taken, to) = (high, self.step(high).0);
            }
            self.time = if taken == length && next - self.time == length {
                next
            } else {
                self.time + taken
            };
            self.states = to;
            self.unit.completed_step().unwrap();
            if least <= 0.0 || self.time == next {
                next = self.event();
            }
        }
    }

    fn has(&self, name: &str) -> bool {
        (0..).map_while(|r| self.unit.variable(r).ok()).any(|v| v.name == name)
    }

    fn get(&mut self, name: &str) -> f64 {
        let r = reference(&self.unit, name);
        self.unit.get(r).unwrap()
    }
}

/// What the library itself makes of a model file.
fn solved(text: &str, end: f64) -> Solution {
    let document = Document::parse("model.toml", text).unwrap();
    let (file, _) = Exported::read(&document, &Reading::new(Memory::default())).unwrap();
    let Exported::Model(file) = file else { panic!("not a model") };
    let problem = Problem { end, ..file.known().unwrap() };
    solve(&problem, &file.run.scheme).unwrap()
}

/// Compares a run with the library's own: every column but forces, the counts and the energy lost.
fn compare(name: &str, text: &str, counts: &[(&str, EventKind)], tolerance: f64) {
    let kept = Resources::of(name, text);
    let mut importer = Importer::of(&kept);
    for end in [3.0, 7.0, 12.0] {
        let want = solved(text, end);
        importer.run(end, 2e-3);
        let mut row = vec![0.0; want.columns().len()];
        want.row(end, &mut row);
        for (column, want) in want.columns().iter().zip(&row) {
            // The forces of a cascade are always unique.
            let moves = column.name.starts_with(['x', 'v']) || text.starts_with("[cascade]");
            let named = if column.name == "force" { "spring_force" } else { &column.name };
            let found = importer.get(named);
            assert!(
                !moves || (found - want).abs() < tolerance,
                "{end} {}: {found} {want}",
                column.name
            );
        }
        for (variable, kind) in counts {
            assert_eq!(
                importer.get(variable),
                want.count(*kind) as f64,
                "{variable} until {end} s"
            );
        }
        if !importer.has("energy_lost") {
            continue; // a machine counts none on the way
        }
        let e = want.energy();
        let (lost, found) = (e.friction + e.viscous + e.impacts, importer.get("energy_lost"));
        assert!((found - lost).abs() < 10.0 * tolerance && lost > 0.1, "{found} {lost}");
    }
}

const SLIDES: [(&str, EventKind); 3] =
    [("slips", EventKind::Slip), ("sticks", EventKind::Stick), ("reversals", EventKind::Reversal)];

/// The machines that importers step, in the hands of one that integrates: play, tables, a shoe on a spring, gears with a sampled
/// controller between stops.
#[test]
fn machines_in_the_hands_of_an_importer_move_as_solve_does() {
    // The motion with play is the most sensitive: of the importer's steps of 2 ms 1.3e-7 is left, of half of them 6e-9, of a quarter 5e-10.
    compare("play-outside", PLAY, &SLIDES, 5e-7);
    compare("table-outside", TABLE, &SLIDES, 1e-8);
    compare("brake-outside", BRAKE, &SLIDES, 1e-8);
    compare("drive-outside", DRIVE, &SLIDES, 1e-8);
    compare("loop-outside", CONTINUOUS, &SLIDES, 1e-8);
    compare("bristle-outside", BRISTLE, &SLIDES[..0], 1e-6);
    compare("worm-outside", WORM, &LOADED, 1e-7);
}

/// Sliders, and gears whose load changes its sign.
const LOADED: [(&str, EventKind); 4] =
    [SLIDES[0], SLIDES[1], SLIDES[2], ("load_reversals", EventKind::LoadReversal)];

/// A cart with dry friction under a continuous controller with a limited force, whose integral stands still there.
const CONTINUOUS: &str = "[network]\n\
    node = [{ name = \"cart\", mass = 1.0 }]\n\
    slider = [{ name = \"s\", between = [\"cart\", \"ground\"], static = 0.5, dynamic = 0.4 }]\n\
    controller = [{ name = \"pid\", of = \"cart\", on = \"cart\", proportional = 20.0, integral = 10.0, derivative = 4.0, filter = 0.02,\n\
                    limit = 3.0, reference = [{ harmonic = { amplitude = 1.0, angular_frequency = 1.3 } }] }]\n\
    [run]\nend = 40.0\nscheme = \"adaptive\"\nrtol = 1e-11\natol = 1e-12\n";

/// A mass on a rail whose friction is a bristle.
const BRISTLE: &str = "[network]\n\
    node = [{ name = \"a\", mass = 1.0 }]\n\
    spring = [{ between = [\"a\", \"ground\"], stiffness = 10.0 }]\n\
    slider = [{ name = \"rail\", between = [\"a\", \"ground\"],\n\
      friction.lugre = { static = 1.5, dynamic = 1.0, velocity = 0.05, stiffness = 1e3, damping = 5.0, viscous = 0.4 } }]\n\
    force = [{ on = \"a\", harmonic = { amplitude = 3.0, angular_frequency = 1.3 } }]\n\
    [run]\nend = 40.0\nrtol = 1e-10\natol = 1e-12\n";

/// A motor drives a load through a gear that rubs with what it hands on.
const WORM: &str = "[network]\n\
    node = [{ name = \"motor\", mass = 0.4, displacement = 1.0 }, { name = \"load\", mass = 1.0, displacement = 0.5 }]\n\
    gear = [{ name = \"g\", between = [\"motor\", \"load\"], ratio = 2.0, friction = { force = 0.05, coefficient = 0.1 } }]\n\
    spring = [{ between = [\"load\", \"ground\"], stiffness = 2.0 }]\n\
    force = [{ on = \"motor\", harmonic = { amplitude = 0.7, angular_frequency = 0.9 } }]\n\
    [run]\nend = 40.0\nscheme = \"adaptive\"\nrtol = 1e-11\natol = 1e-12\n";

/// A ball on a floor.
const BALL: &str = "[network]\n\
    node = [{ name = \"ball\", mass = 1.0, displacement = 1.0 }]\n\
    stop = [{ name = \"floor\", between = [\"ball\", \"ground\"], lower = 0.0, restitution = 0.5 }]\n\
    force = [{ on = \"ball\", constant = -9.81 }]\n\
    [run]\nend = 40.0\nscheme = \"adaptive\"\n";

/// Of an importer that takes a step of 1 ms beyond the floor, and locates nothing, each bounce has the energy of that way more. The ball bounces
/// ten times or so, until it rises no higher than that, and then rests. It bounced at every second step for ever.
#[test]
fn an_importer_that_locates_no_event_brings_a_ball_to_rest() {
    let kept = Resources::of("ball-outside", BALL);
    let mut importer = Importer::of(&kept);
    let mut next = f64::INFINITY;
    while importer.time < 5.0 {
        let h = 1e-3f64.min(next - importer.time);
        let (to, least) = importer.step(h);
        importer.time += h;
        importer.states = to;
        if least <= 0.0 || importer.time >= next {
            next = importer.event();
        }
    }
    let impacts = importer.get("impacts");
    assert!((6.0..15.0).contains(&impacts), "{impacts}");
    assert_eq!(importer.get("contacts"), 1.0);
    assert_eq!(importer.get("v_ball"), 0.0);
    assert!(importer.get("x_ball").abs() < 5e-3, "{}", importer.get("x_ball"));
}

/// A controller and a slider with memory of one name have states of their own.
#[test]
fn a_controller_and_a_slider_may_have_one_name() {
    let controller = "controller = [{ name = \"rail\", of = \"a\", on = \"a\", proportional = 5.0, integral = 2.0 }]\n[run]";
    let text = BRISTLE.replace("[run]", controller);
    compare("one-name", &text, &SLIDES[..0], 1e-6);
    let kept = Resources::of("one-name-again", &text);
    let mut importer = Importer::of(&kept);
    importer.run(2.0, 2e-3);
    let [state, memory] = ["state_rail_1", "memory_rail_1"].map(|name| importer.get(name));
    assert!(state != memory && state != 0.0 && memory != 0.0, "{state} {memory}");
}

/// Two masses on springs, sliders to the ground and between them, static friction above dynamic.
const PAIR: &str = "[network]\n\
    node = [{ name = \"a\", mass = 1.0, displacement = 2.0 }, { name = \"b\", mass = 2.0 }]\n\
    spring = [{ between = [\"a\", \"b\"], stiffness = 3.0 }, { between = [\"b\", \"ground\"], stiffness = 1.0 }]\n\
    dashpot = [{ between = [\"a\", \"ground\"], damping = 0.05 }]\n\
    slider = [{ name = \"s\", between = [\"a\", \"ground\"], static = 0.4, dynamic = 0.3 },\n\
              { name = \"r\", between = [\"b\", \"a\"], static = 0.7, dynamic = 0.5 }]\n\
    force = [{ on = \"b\", harmonic = { amplitude = 2.0, angular_frequency = 1.3 } }]\n\
    [run]\nend = 40.0\nscheme = \"exact\"\n";

#[test]
fn a_network_in_the_hands_of_an_importer_moves_as_solve_does() {
    compare("pair", PAIR, &SLIDES, 1e-8);
}

/// A belt that carries a mass, a node without mass between springs that slides too, and a normal force that changes.
const BELT: &str = "[network]\n\
    node = [{ name = \"a\", mass = 1.0 }, { name = \"m\", mass = 0.0 }, { name = \"belt\", mass = 0.0 }]\n\
    spring = [{ between = [\"a\", \"m\"], stiffness = 4.0 }, { between = [\"m\", \"ground\"], stiffness = 2.0 }]\n\
    slider = [{ name = \"s\", between = [\"a\", \"belt\"], static = 0.8, dynamic = 0.6,\n\
                normal = [{ constant = 1.0 }, { harmonic = { amplitude = 0.4, angular_frequency = 0.9 } }] },\n\
              { name = \"r\", between = [\"m\", \"ground\"], static = 0.3, dynamic = 0.3 }]\n\
    motion = [{ on = \"belt\", ramp = { rate = 0.5 } }]\n\
    [run]\nend = 40.0\nscheme = \"exact\"\n";

/// Two sliders side by side hold one mass: their forces are not unique, the motion is.
const LOOP: &str = "[network]\n\
    node = [{ name = \"a\", mass = 1.0, displacement = 1.0 }, { name = \"b\", mass = 0.5 }]\n\
    spring = [{ between = [\"a\", \"ground\"], stiffness = 4.0 }, { between = [\"b\", \"ground\"], stiffness = 1.0 }]\n\
    slider = [{ name = \"s\", between = [\"a\", \"b\"], static = 0.4, dynamic = 0.4 },\n\
              { name = \"r\", between = [\"a\", \"b\"], static = 0.5, dynamic = 0.3 }]\n\
    dashpot = [{ between = [\"b\", \"ground\"], damping = 0.2 }]\n\
    [run]\nend = 40.0\nscheme = \"exact\"\n";

#[test]
fn so_do_nodes_without_mass_prescribed_ones_and_sliders_in_loops() {
    compare("belt", BELT, &SLIDES, 1e-7);
    compare("loop", LOOP, &SLIDES, 1e-8);
}

/// A damped mass on a spring between a wall that shakes and one that rests, thrown about by a force.
const SHAKEN: &str = "[impact]\nmass = 1.5\nstiffness = 2.0\ndamping = 0.1\nrestitution = 0.5\n\
    [[impact.wall]]\nharmonic = { amplitude = 0.3, angular_frequency = 2.0 }\n\
    [[impact.upper_wall]]\nconstant = 1.1\n\
    [[impact.force]]\nharmonic = { amplitude = 4.0, angular_frequency = 1.1 }\n\
    [impact.initial]\ndisplacement = 0.6\n[run]\nend = 40.0\nscheme = \"exact\"\n";

#[test]
fn a_mass_between_walls_in_the_hands_of_an_importer_moves_as_solve_does() {
    // A Zeno sequence is cut at a rebound of 1e-8: its impacts are counted as far as each tells them apart.
    let rests = [("rests", EventKind::Rest), ("releases", EventKind::Release)];
    compare("shaken", SHAKEN, &rests, 1e-6);
}

#[test]
fn a_wall_says_whether_the_mass_stays_at_it() {
    let text = SHAKEN.replace("amplitude = 4.0", "amplitude = 8.0").replace("0.5", "0.1");
    let kept = Resources::of("at-walls", &text);
    let mut importer = Importer::of(&kept);
    let want = solved(&text, 12.0);
    let mut seen = [false; 4];
    for k in 1..120 {
        let t = 0.1 * f64::from(k);
        importer.run(t, 2e-3);
        for (place, name, away) in [(0, "phase_wall", 1.0), (1, "phase_upper_wall", -1.0)] {
            let stays = want.phases(place).iter().any(|(_, from, to)| (*from..=*to).contains(&t));
            assert_eq!(importer.get(name), if stays { 0.0 } else { away }, "{name} at {t} s");
            seen[2 * place + usize::from(stays)] = true;
        }
    }
    assert_eq!(seen, [true; 4], "both, at each wall");
}

/// Springs and sliders in a row whose end is led to and fro.
const LED: &str = "[cascade]\nmass = 1.0\nstiffness = [100.0, 50.0, 20.0]\nthreshold = [1.0, 2.0]\n\
    [[cascade.displacement]]\nharmonic = { amplitude = 0.2, angular_frequency = 1.0 }\n\
    [[cascade.displacement]]\nharmonic = { amplitude = 0.1, angular_frequency = 2.7, phase = 0.4 }\n\
    [run]\nend = 40.0\nscheme = \"quasi-static\"\n";

#[test]
fn a_cascade_whose_displacement_is_prescribed_has_events_and_nothing_to_integrate() {
    let counts = [("yields", EventKind::Yield), ("reversals", EventKind::Reversal)];
    compare("led", LED, &counts, 1e-11);
}

#[test]
fn an_importer_may_prescribe_a_displacement_without_its_rate() {
    let text = LED
        .replace(
            "[[cascade.displacement]]\nharmonic = { amplitude = 0.2, angular_frequency = 1.0 }\n",
            "",
        )
        .replace(
            "harmonic = { amplitude = 0.1, angular_frequency = 2.7, phase = 0.4 }",
            "constant = 0.0",
        );
    let kept = Resources::of("led-by-hand", &text);
    let mut importer = Importer::of(&kept);
    // There and back by small steps, on to the other side and back again, as closely as it is told of the turns.
    let turns: [f64; 4] = [0.0, 0.25, -0.3, 0.1];
    let displacement = reference(&importer.unit, "displacement");
    let h = 1e-3;
    for way in turns.windows(2) {
        let steps = ((way[1] - way[0]).abs() / h).round() as u32;
        for k in 1..=steps {
            importer.time += h;
            importer.unit.set_time(importer.time).unwrap();
            let x = way[0] + (way[1] - way[0]) * f64::from(k) / f64::from(steps);
            importer.unit.set(displacement, x).unwrap();
            let mut signs = [0.0; 3];
            importer.unit.indicators(&mut signs).unwrap();
            if signs.iter().any(|z| *z <= 0.0) {
                importer.event();
            }
            importer.unit.completed_step().unwrap();
        }
    }
    // The force depends on the places where it turned, and on nothing else.
    assert!(importer.get("reversals") == 2.0 && (importer.get("x") - 0.1).abs() < 1e-15);
    let mut sweep = stickslip::hysteresis::Sweep::new(&stickslip::Cascade::new(
        1.0,
        vec![100.0, 50.0, 20.0],
        vec![1.0, 2.0],
    ));
    turns[1..].iter().for_each(|x| sweep.advance(*x));
    assert!((importer.get("spring_force") - sweep.force()).abs() < 1e-12);
    assert!((importer.get("energy_lost") - sweep.lost()).abs() < 1e-12);
    // In co-simulation, by jumps: the energy is lost all the same.
    let mut unit = Unit::new(&kept.folder(), &kept.1).unwrap();
    unit.set_span(0.0, Some(40.0)).unwrap();
    unit.enter_initialization().unwrap();
    unit.exit_initialization().unwrap();
    for (k, x) in turns.iter().enumerate() {
        unit.set(displacement, *x).unwrap();
        unit.step(k as f64, 1.0, false).unwrap();
    }
    let lost = unit.get(reference(&unit, "energy_lost")).unwrap();
    assert!((lost - sweep.lost()).abs() < 1e-12 && lost > 0.1, "{lost} {}", sweep.lost());
}

/// A state that was written down in the middle of a motion goes on in another instance with the same bits.
#[test]
fn a_state_of_every_kind_goes_on_from_where_it_was() {
    let kinds = [("pair", PAIR), ("belt", BELT), ("shaken", SHAKEN), ("led", LED)];
    let machines = [("drive", DRIVE), ("pid", CONTINUOUS), ("bristle", BRISTLE), ("worm", WORM)];
    for (name, text) in kinds.into_iter().chain(machines) {
        let kept = Resources::of(&format!("kept-{name}"), text);
        let mut one = Importer::of(&kept);
        one.run(4.3, 0.02);
        let bytes = one.unit.to_bytes().unwrap();
        let other = Unit::new_exchange(&kept.folder(), &kept.1).unwrap();
        let unit = other.of_bytes(&bytes).unwrap();
        let mut other = Importer { unit, time: one.time, states: one.states.clone() };
        one.run(9.0, 0.02);
        other.run(9.0, 0.02);
        assert_eq!(one.states, other.states, "{name}");
        if one.has("energy_lost") {
            assert_eq!(one.get("energy_lost").to_bits(), other.get("energy_lost").to_bits());
        }
        assert!(one.unit.of_bytes(&bytes[..bytes.len() - 8]).is_err());
    }
}

/// Directional derivatives are those of central differences, in stick and in slip.
#[test]
fn directional_derivatives_of_networks_and_impacts_are_those_of_the_formulas() {
    for (name, text, times) in
        [("pair", PAIR, [0.3, 5.0]), ("belt", BELT, [0.2, 3.1]), ("shaken", SHAKEN, [0.2, 4.0])]
    {
        let kept = Resources::of(&format!("along-{name}"), text);
        let mut importer = Importer::of(&kept);
        for time in times {
            importer.run(time, 0.01);
            let unit = &mut importer.unit;
            let all: Vec<u32> = (0..).take_while(|r| unit.variable(*r).is_ok()).collect();
            let called = |r: &u32| unit.variable(*r).unwrap().name.clone();
            let prescribed = |n: &str| n.ends_with("_belt") && n.starts_with(['x', 'v']);
            let states = ["x", "v", "energy_lost"];
            let known: Vec<u32> = (all.iter().copied())
                .filter(|r| {
                    let n = called(r);
                    let massless = n == "v_m";
                    let state = states.contains(&&*n) || n.starts_with("x_") || n.starts_with("v_");
                    let input = n.starts_with("force")
                        || n.starts_with("motion")
                        || n.starts_with("normal");
                    (state && !prescribed(&n) && !massless)
                        || input
                        || n == "upper_wall"
                        || n.ends_with("wall_rate")
                })
                .collect();
            let of: Vec<u32> =
                all.iter().copied().filter(|r| called(r).starts_with("der(")).collect();
            assert!(known.len() > 4 && of.len() > 2, "{known:?} {of:?}");
            for of in of {
                for by in &known {
                    let mut out = [0.0];
                    unit.directional(&[of], &[*by], &[1.0], &mut out).unwrap();
                    let mut ends = [0.0; 2];
                    for (end, h) in ends.iter_mut().zip([1e-5, -1e-5]) {
                        let mut moved = unit.clone();
                        let value = moved.get(*by).unwrap();
                        moved.set(*by, value + h).unwrap();
                        *end = moved.get(of).unwrap();
                    }
                    let want = (ends[0] - ends[1]) / 2e-5;
                    let names = [of, *by].map(|r| unit.variable(r).unwrap().name.clone());
                    assert!(
                        (out[0] - want).abs() < 1e-7,
                        "{name} {time} {names:?}: {} {want}",
                        out[0]
                    );
                }
            }
        }
    }
}

/// A load that is tuned at an event, against the closed form.
#[test]
fn a_number_of_a_load_is_tuned_while_the_importer_integrates() {
    use crate::units::{PULLED, PULLS, pulled};
    let kept = Resources::of("exchange-tuned", PULLED);
    let mut importer = Importer::of(&kept);
    let force = reference(&importer.unit, "oscillator.force.0.constant");
    for (end, value) in PULLS.into_iter().chain([(5.0, 3.0)]) {
        importer.run(end, 1e-2);
        let [x, v] = [importer.get("x"), importer.get("v")];
        let want = pulled(end);
        assert!(
            (x - want[0]).abs() < 1e-9 && (v - want[1]).abs() < 1e-9,
            "{end}: {x} {v} {want:?}"
        );
        importer.unit.enter_event_mode().unwrap();
        importer.unit.set(force, value).unwrap();
    }
    assert_eq!(importer.get("sticks"), 1.0);
}
