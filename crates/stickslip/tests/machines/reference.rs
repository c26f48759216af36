//! Machines against cases of 10 to 16 digits that an independent program made in quadruple precision and a second
//! formulation confirmed: every event, in order, and the states at five times.

use crate::common::machine_cases;
use serde_json::Value;
use stickslip::model::machine::{AntiWindup, ControlLaw, Gains, Rule, Sampling};
use stickslip::model::machine::{GearBetween, GearFriction};
use stickslip::model::{Bumper, Machine, Network};
use stickslip::scheme::machine::{MachinePath, MachineState};
use stickslip::scheme::{machine, oscillator::adaptive::Options};
use stickslip::{Error, Event, EventKind, Law, Signal};

/// The numbers of a parameter in the coding of the cases.
fn numbers(case: &Value, key: &str) -> Vec<f64> {
    let text = case["parameters"][key].as_str().unwrap_or_default();
    text.split(',').filter(|t| !t.is_empty()).map(|t| t.trim().parse().unwrap()).collect()
}

fn number(case: &Value, key: &str, default: f64) -> f64 {
    numbers(case, key).first().copied().unwrap_or(default)
}

/// The law of four numbers: limit at rest, sliding resistance fd + (fk − fd) exp(−(w/ws)ⁿ) + cv w.
fn law(n: f64, cv: f64, [fs, fk, fd, ws]: [f64; 4]) -> Law {
    if ws > 0.0 {
        assert_eq!(fs, fk, "the laws of these cases are continuous where they fall");
        Law::stribeck_exponential(fs, fd, ws, n, cv).unwrap()
    } else {
        // Without a width the fall is at once.
        assert_eq!(cv, 0.0);
        Law::static_dynamic(fs, fd).unwrap()
    }
}

/// Piecewise linear through pairs of time and value, constant outside; two pairs at one time are a jump.
fn through(pairs: &[f64]) -> Signal {
    let mut sum = Signal::constant(pairs[1]);
    for k in pairs.windows(4).step_by(2) {
        let [t0, a, t1, b] = [k[0], k[1], k[2], k[3]];
        if t0 == t1 {
            sum = sum + Signal::step(t1, 0.0, b - a);
        } else {
            let rate = (b - a) / (t1 - t0);
            sum = sum + bent(t0, rate) + bent(t1, -rate);
        }
    }
    sum
}

/// rate·(t − start) from `start` on.
fn bent(start: f64, rate: f64) -> Signal {
    let far = 1e4;
    let samples = Signal::sampled(&[start - far, start, start + far], &[0.0, 0.0, rate * far]);
    samples.unwrap()
}

/// A machine in the coding of the cases of networks.
fn coded(case: &Value) -> Machine {
    let masses = numbers(case, "m");
    let name = |i: f64| format!("x{i}");
    let end = |i: f64| match i as i64 {
        0 => "ground".to_owned(),
        -1 => "D".to_owned(),
        _ => name(i),
    };
    let mut b = Network::builder().unjoined();
    let initial = |key: &str, i: usize| numbers(case, key).get(i).copied().unwrap_or(0.0);
    for (i, m) in masses.iter().enumerate() {
        let name = name((i + 1) as f64);
        b = b.node(&*name, *m).starting_at(&*name, initial("x0", i), initial("v0", i));
        let [a, w, p] = ["FA", "Fw", "Fp"].map(|k| initial(k, i));
        b = b.force(&*name, Signal::harmonic(a, w, p - std::f64::consts::FRAC_PI_2));
        let table = numbers(case, &format!("FT{}", i + 1));
        if !table.is_empty() {
            b = b.force(&*name, through(&table));
        }
    }
    let elements = case["parameters"].as_object().unwrap().keys();
    let of = |kind: &'static str| {
        let numbered =
            move |k: &&String| k.strip_prefix(kind).is_some_and(|n| n.parse::<u32>().is_ok());
        elements.clone().filter(numbered)
    };
    if of("el").any(|k| numbers(case, k)[1] == -1.0) {
        let [v, a, w] = ["DV", "DA", "Dw"].map(|k| number(case, k, 0.0));
        b = b.node("D", 0.0).motion("D", Signal::ramp(v, 0.0));
        b = b.motion("D", Signal::harmonic(a, w, -std::f64::consts::FRAC_PI_2));
    }
    for key in of("el") {
        let n = numbers(case, key);
        let ends = [end(n[0]), end(n[1])];
        if n[2] != 0.0 {
            b = b.spring(&*ends[0], &*ends[1], n[2]);
        }
        if n[3] != 0.0 {
            b = b.dashpot(&*ends[0], &*ends[1], n[3]);
        }
    }
    let mut laws = Vec::new();
    for key in of("fr") {
        let n = numbers(case, key);
        let slider = format!("body{}", n[0]);
        b = b.slider(&*slider, &*name(n[0]), "ground", 1.0, 1.0);
        let forward = law(n[2], n[3], [n[4], n[5], n[6], n[7]]);
        let both = match n.get(8..12) {
            Some(back) => {
                let backward = law(n[2], n[3], [back[0], back[1], back[2], back[3]]);
                Law::asymmetric(forward, backward).unwrap()
            }
            None => forward,
        };
        laws.push((slider, both, n[1]));
    }
    let mut machine = Machine::new(b.build().unwrap()).unwrap();
    for (slider, law, surface) in laws {
        machine = machine.with_law(&slider, law).unwrap();
        if surface != 0.0 {
            machine = machine.with_support(&slider, Signal::constant(surface)).unwrap();
        }
    }
    for key in of("ct") {
        let n = numbers(case, key);
        let number = &key[2..];
        let table = numbers(case, &format!("ctT{number}"));
        let bound = if table.is_empty() { Signal::constant(n[3]) } else { through(&table) };
        // The sign of the coding is that of the side: 1 bounds above, −1 below.
        let bounds = if n[0] > 0.0 { [None, Some(bound)] } else { [Some(bound), None] };
        let rigid = Bumper::Rigid { restitution: n[4] };
        let ends = [end(n[1]), end(n[2])];
        let name = format!("contact{number}");
        machine = machine.with_stop(&name, [&ends[0], &ends[1]], bounds, rigid).unwrap();
    }
    machine
}

/// A wagon and a buffer that only pushes.
fn wagon(case: &Value) -> Machine {
    let of = |key: &str| number(case, key, 0.0);
    let quarter = std::f64::consts::FRAC_PI_2;
    let mut b = Network::builder()
        .unjoined()
        .node("x", of("m"))
        .starting_at("x", of("x0"), of("v0"))
        .force("x", Signal::constant(of("F0")))
        .force("x", Signal::harmonic(of("A"), of("w"), of("ph") - quarter));
    if of("k2") > 0.0 {
        b = b.spring("x", "ground", of("k2"));
    }
    if of("c2") > 0.0 {
        b = b.dashpot("x", "ground", of("c2"));
    }
    let soft = Bumper::Soft { stiffness: of("k"), damping: of("c") };
    let bounds = [None, Some(Signal::constant(of("xb")))];
    let machine = Machine::new(b.build().unwrap()).unwrap();
    machine.with_stop("buffer", ["x", "ground"], bounds, soft).unwrap()
}

/// A mass under a controller.
pub fn controlled(case: &Value) -> Machine {
    let of = |key: &str| number(case, key, 0.0);
    let mut b = Network::builder()
        .unjoined()
        .node("x", of("m"))
        .starting_at("x", of("x0"), 0.0)
        .slider("body", "x", "ground", of("fs"), of("fd"));
    if of("c") > 0.0 {
        b = b.dashpot("x", "ground", of("c"));
    }
    if of("k") > 0.0 {
        b = b.spring("x", "ground", of("k"));
    }
    let gains = Gains {
        proportional: of("Kp"),
        integral: of("Ki"),
        derivative: of("Kd"),
        filter: of("tau"),
    };
    let wave = Signal::harmonic(of("r1"), of("wr"), -std::f64::consts::FRAC_PI_2);
    let mut rule = ControlLaw::pid(gains).following(Signal::constant(of("r") + of("r0")) + wave);
    if of("Ts") > 0.0 {
        let sampling = Sampling { time: of("Ts"), delay: of("Ts"), quantum: 0.0 };
        rule = rule.sampled(sampling).limited(of("umax"), AntiWindup::None);
    }
    let mut machine = Machine::new(b.build().unwrap()).unwrap();
    if of("ws") > 0.0 {
        let falls = law(of("n"), 0.0, ["fs", "fk", "fd", "ws"].map(of));
        machine = machine.with_law("body", falls).unwrap();
    }
    machine.with_controller("pid", ["x", "ground"], "x", rule).unwrap()
}

/// What the states of the cases are, of a machine with a controller: they have the other sign.
fn inner(machine: &Machine, name: &str, state: &MachineState) -> Option<f64> {
    let states = state.control.states();
    let filtered = machine.controllers().iter().any(|c| match &c.law.rule {
        Rule::Pid(g) => g.filter > 0.0,
        Rule::StateSpace(_) => false,
    });
    match name {
        // Without a gain nothing is summed.
        "q" if !sums(machine) => None,
        "q" => Some(-states[0]),
        "z" if filtered => Some(-states[1]),
        _ => None,
    }
}

/// Whether a controller has an integral gain.
fn sums(machine: &Machine) -> bool {
    let integral = |rule: &Rule| matches!(rule, Rule::Pid(g) if g.integral != 0.0);
    machine.controllers().iter().any(|c| integral(&c.law.rule))
}

/// A motor that lifts a load through a gear whose friction grows with the torque.
fn hoist(case: &Value) -> Machine {
    let of = |key: &str| number(case, key, 0.0);
    let mut b = Network::builder()
        .unjoined()
        .node("q", of("Jm"))
        .node("load", of("Jl"))
        .force("q", through(&numbers(case, "tau")))
        .force("load", Signal::constant(-of("Tl")));
    if of("b") > 0.0 {
        b = b.dashpot("q", "ground", of("b"));
    }
    let gear = GearBetween {
        name: "gear",
        between: ["q", "load"],
        ratio: of("n"),
        friction: Some(GearFriction::new(of("f0"), of("mu"))),
    };
    Machine::geared(b.build().unwrap(), [gear]).unwrap()
}

/// The kind of an event in the words of the cases.
fn kind(event: &Event) -> &'static str {
    match event.kind {
        EventKind::Slip => "slip",
        EventKind::Stick => "stick",
        EventKind::Reversal => "reverse",
        EventKind::Impact => "impact",
        EventKind::Contact => "close",
        EventKind::Release => "open",
        EventKind::LoadReversal => "T",
        _ => "another",
    }
}

/// What an error may be.
#[derive(Debug, Clone, Copy)]
enum Within {
    /// Of a time, s, and of a state.
    Tolerance(f64),
    /// So many digits: of a time later than 1 s, of the time.
    Digits(f64),
}

/// Compares every event and the states of a solution; the greatest errors.
fn compare(case: &Value, machine: &Machine, path: &MachinePath, within: Within) -> [f64; 2] {
    let id = case["id"].as_str().unwrap();
    let wanted = case["events"].as_array().unwrap();
    let sliders = machine.network().sliders().iter().map(|s| s.name.to_string());
    let names: Vec<String> =
        sliders.chain(machine.stops().iter().map(|s| s.name.to_string())).collect();
    let names = match machine.gears() {
        [] => names,
        gears => gears.iter().map(|g| g.name.to_string()).collect(),
    };
    let said = |e: &Event| format!("{:.9} {} {}", e.time, kind(e), names[e.place]);
    let list: Vec<String> = path.events().iter().map(said).collect();
    let mut worst = [0.0f64; 2];
    // At one instant the order of the places is the caller's.
    // Impacts below 1e-4 m/s are not listed, nor what an impact does to sliders.
    let sliders = machine.network().sliders().len();
    let struck = |t: f64| path.events().iter().any(|e| e.time == t && e.impulse != 0.0);
    let listed = |e: &&Event| match e.kind {
        EventKind::Impact => {
            let stop = &machine.stops()[e.place - sliders];
            let bounds = stop.lower.iter().chain(&stop.upper);
            let moves: f64 = bounds.map(|b| b.derivative(e.time)).sum();
            (e.before - moves).abs() >= 1e-4
        }
        EventKind::Slip | EventKind::Reversal => !struck(e.time),
        _ => true,
    };
    let mut left: Vec<&Event> = path.events().iter().filter(listed).collect();
    // A buffer has no event where it is left without a force.
    let soft = |kind: &str| match kind {
        "touch" | "reload" => "close".to_owned(),
        "unload" => "open".to_owned(),
        kind => kind.trim_end_matches(['+', '-']).to_owned(),
    };
    // What begins to slip where the run begins has no event.
    let begins = |w: &&Value| w["t"].as_f64() == Some(0.0);
    for w in wanted.iter().filter(|w| w["kind"] != "leave" && !begins(w)) {
        let (t, place) = (w["t"].as_f64().unwrap(), w["where"].as_str().unwrap());
        let want = w["kind"].as_str().unwrap();
        // A gear has its friction on the side of the motor.
        let place = if place == "motor" { "gear" } else { place };
        let of = left.iter().position(|e| names[e.place] == place);
        let event = of.map(|k| left.remove(k));
        let event = event.unwrap_or_else(|| panic!("{id}: {w} is missing in {list:#?}"));
        assert_eq!(kind(event), soft(want), "{id}: {w} in {list:#?}");
        let late = (event.time - t).abs();
        assert!(late < 1e-5, "{id}: {w} comes at {} in {list:#?}", event.time);
        let unit = match within {
            Within::Tolerance(_) => 1.0,
            Within::Digits(_) => t.max(1.0),
        };
        worst[0] = worst[0].max(late / unit);
    }
    assert!(left.is_empty(), "{id}: {} events too many in {list:#?}", left.len());
    let nodes = machine.network().nodes();
    for s in case["states"].as_array().unwrap() {
        let t = s["t"].as_f64().unwrap();
        let state = path.state(t);
        let columns = case["state_names"].as_array().unwrap();
        for (name, want) in columns.iter().zip(s["values"].as_array().unwrap()) {
            let (name, want) = (name.as_str().unwrap(), want.as_f64().unwrap());
            if !machine.controllers().is_empty() && (name == "q" || name == "z") {
                let got = inner(machine, name, &state).unwrap_or(want);
                worst[1] = worst[1].max((got - want).abs() / want.abs().max(1.0));
                continue;
            }
            let of = |n: &stickslip::model::network::Node| n.name[1..] == name[1..];
            let got = match name {
                "T" => state.load[0],
                "q" => state.x[0],
                "q'" => state.v[0],
                _ => {
                    let i = nodes.iter().position(of).unwrap_or_else(|| panic!("{id}: no {name}"));
                    if name.starts_with('x') { state.x[i] } else { state.v[i] }
                }
            };
            worst[1] = worst[1].max((got - want).abs() / want.abs().max(1.0));
        }
    }
    worst[1] = worst[1].max(ticks(case, path));
    let defect = path.energy().relative_defect();
    println!("{id}: times {:.1e}, states {:.1e}, energies {defect:.1e}", worst[0], worst[1]);
    let (Within::Tolerance(most) | Within::Digits(most)) = within;
    assert!(worst[0] < most && worst[1] < most, "{id}: {worst:?}");
    assert!(defect < 1e-9, "{id}: the energies miss {defect:.1e}: {:?}", path.energy());
    worst
}

/// The greatest error of what a sampled controller read and did at its ticks.
fn ticks(case: &Value, path: &MachinePath) -> f64 {
    let list = case["ticks"].as_array().map_or(&[][..], |l| l);
    let time = number(case, "Ts", 0.0);
    let end = case["T"].as_f64().unwrap();
    let mut worst = 0.0f64;
    for tick in list {
        let of = |key: &str| tick[key].as_f64().unwrap();
        let t = of("k") * time;
        if t >= end {
            continue;
        }
        let state = path.state(t);
        for (got, key) in [(state.x[0], "x"), (state.v[0], "v"), (state.u[0], "u_applied")] {
            worst = worst.max((got - of(key)).abs() / of(key).abs().max(1.0));
        }
    }
    worst
}

/// All cases of some families.
fn compare_all(families: &[&str]) -> usize {
    let all = machine_cases();
    let of = |c: &&Value| {
        let id = c["id"].as_str().unwrap();
        families.contains(&id.split('-').next().unwrap())
    };
    let cases: Vec<&Value> = all["cases"].as_array().unwrap().iter().filter(of).collect();
    cases.iter().for_each(|case| {
        let machine = match case["family"].as_str() {
            Some("M4") => wagon(case),
            Some("M6" | "M7") => controlled(case),
            Some("M8") => hoist(case),
            _ => coded(case),
        };
        let end = case["T"].as_f64().unwrap();
        let options = Options::tolerance(1e-12).with_atol(1e-14);
        let path = machine::solve(&machine, end, options).unwrap();
        compare(case, &machine, &path, Within::Tolerance(1e-9));
        // A machine of linear parts to rounding, which is what the case itself is trusted to where that is less.
        match machine::exact(&machine, end) {
            Err(Error::Unsuitable { .. }) => {}
            path => {
                let digits = case["digits_trusted"].as_f64().unwrap();
                let most = 10f64.powf(-digits).max(1e-11);
                compare(case, &machine, &path.unwrap(), Within::Digits(most));
            }
        }
    });
    cases.len()
}

/// Blocks with Stribeck friction on a drive through springs, and sliders by direction.
#[test]
fn stribeck_blocks_and_directions() {
    let count = compare_all(&["M1", "M2"]);
    assert!(count == 0 || count >= 6, "{count} cases");
}

/// Backlash, impacts, accumulating bounces and contacts that close and open.
#[test]
fn contacts_and_impacts() {
    let count = compare_all(&["M3"]);
    assert!(count == 0 || count >= 5, "{count} cases");
}

/// Buffers that only push.
#[test]
fn buffers() {
    let count = compare_all(&["M4"]);
    assert!(count == 0 || count >= 3, "{count} cases");
}

/// A box on a belt and a gate that opens or retreats.
#[test]
fn belt_and_gate() {
    let count = compare_all(&["M5"]);
    assert!(count == 0 || count >= 4, "{count} cases");
}

/// A mass under a continuous controller: it hunts, or comes to rest.
#[test]
fn continuous_controllers() {
    let count = compare_all(&["M6"]);
    assert!(count == 0 || count >= 4, "{count} cases");
}

/// A mass under a sampled controller with a delay and a limit.
#[test]
fn sampled_controllers() {
    let count = compare_all(&["M7"]);
    assert!(count == 0 || count >= 3, "{count} cases");
}

/// Gears whose friction grows with the torque: they lock themselves, are driven back, and change the flank that carries.
#[test]
fn gears_under_load() {
    let count = compare_all(&["M8"]);
    assert!(count == 0 || count >= 3, "{count} cases");
}
