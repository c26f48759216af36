//! Derivatives against certified ones, closed forms and other models of the same motion.

use super::*;
use serde_json::Value;
use stickslip::EventKind;
use stickslip_file::Memory;

fn found(text: &str, keys: &[&str], times: &[f64]) -> Result<Sensitivities> {
    let asked = Sensitivity::new(keys.iter().map(|k| (*k).to_owned()).collect(), times.to_vec());
    let document = Document::parse("m.toml", text)?;
    let reading = Reading::new(Memory::default());
    sensitivity(&asked, &document, &reading, &Context::silent())
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}

/// The largest difference, relative to the number, or to 1 % of the largest of its row where it is smaller than that.
fn apart(mine: &[f64], reference: &[f64]) -> f64 {
    assert_eq!(mine.len(), reference.len());
    let largest = reference.iter().fold(0.0, |most: f64, r| most.max(r.abs()));
    let one = |(m, r): (&f64, &f64)| {
        let apart = (m - r).abs() / r.abs().max(1e-2 * largest);
        if apart.is_nan() { f64::INFINITY } else { apart }
    };
    mine.iter().zip(reference).map(one).fold(0.0, f64::max)
}

/// Fourth-order differences of runs in quadruple precision by an independent program.
#[test]
fn the_reference_derivatives_are_met() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("tests/values/derivatives.json")).unwrap();
    let cases: Value = serde_json::from_str(&text).unwrap();
    for case in cases.as_array().unwrap() {
        let name = case["id"].as_str().unwrap();
        let keys: Vec<&str> =
            case["wrt"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let end = case["end"].as_f64().unwrap();
        let s = found(case["toml"].as_str().unwrap(), &keys, &[end]).unwrap();
        assert_eq!(s.doubtful, [], "{name}");
        let of_x = apart(&s.x, &numbers(&case["dx"]));
        let of_v = apart(&s.v, &numbers(&case["dv"]));
        let events = case["events"].as_array().unwrap();
        let frictionless = name == "M14-d";
        // Without friction a velocity that changes its sign is an event here, and none there.
        let counts = |e: &&(usize, &Event)| !(frictionless && e.1.kind == EventKind::Reversal);
        let mine: Vec<_> = s.events.iter().enumerate().collect();
        let mine: Vec<_> = mine.iter().filter(counts).collect();
        assert_eq!(mine.len(), events.len(), "{name}");
        let mut of_t = 0.0f64;
        for ((i, mine), (j, event)) in mine.into_iter().zip(events.iter().enumerate()) {
            assert!((mine.time - event[1].as_f64().unwrap()).abs() < 1e-9);
            // One case has no derivatives of its events.
            let Some(reference) = case["dt"].get(j) else { continue };
            let times = &s.event_times[i * keys.len()..][..keys.len()];
            of_t = of_t.max(apart(times, &numbers(reference)));
        }
        println!("{name}: {of_x:.1e} {of_v:.1e} {of_t:.1e}");
        // What the guide says. The friction of the last one is no constant, so it is solved by `adaptive`.
        let steps = name == "M14-e";
        let of_states = if steps { 2e-11 } else { 1e-13 };
        let of_times = if steps { 2e-10 } else { 3e-14 };
        assert!(
            of_x.max(of_v) < of_states && of_t < of_times,
            "{name}: {of_x:e} {of_v:e} {of_t:e}"
        );
    }
}

/// A ball that falls onto a floor from h: impacts at √(2h/g) (1 + 2e + 2e² + …), in closed form.
#[test]
fn a_bouncing_ball_has_the_derivatives_of_its_closed_form() {
    let text = "[impact]\nmass = 1.0\nwall = 0.0\nrestitution = 0.6\n\
                force = [{ constant = -9.81 }]\ninitial.displacement = 1.3\n[run]\nend = 1.2\n";
    let keys = ["impact.restitution", "impact.initial.displacement", "impact.force.0.constant"];
    let s = found(text, &keys, &[0.3, 0.9]).unwrap();
    let h = 1.3f64;
    let g = 9.81f64;
    let e = 0.6f64;
    let fall = (2.0 * h / g).sqrt();
    assert_eq!(s.worth, None);
    for (n, rates) in s.event_times.chunks(3).take(2).enumerate() {
        let sum = if n == 0 { 1.0 } else { 1.0 + 2.0 * e };
        let exact = [
            if n == 0 { 0.0 } else { 2.0 * fall },
            sum / (2.0 * g * h).sqrt() * 1.0,
            sum * fall / (2.0 * g),
        ];
        for (rate, exact) in rates.iter().zip(exact) {
            assert!((rate - exact).abs() < 1e-12, "{n}: {rates:?} {exact:?}");
        }
    }
    // Before the first impact x = h − g t²/2; after it u = e √(2 g h) upwards.
    assert!((s.x[1] - 1.0).abs() < 1e-12 && (s.x[2] - 0.045).abs() < 1e-12);
    let t = 0.9 - fall;
    let up = (2.0 * g * h).sqrt();
    let of_e = up * t;
    assert!((s.x[3] - of_e).abs() < 1e-12, "{} {of_e}", s.x[3]);
}

/// Two balls of one machine, each above a floor of its own: x = h − g t²/2, and after the impact at t₁ = √(2h/g) x = e √(2 g h) (t − t₁)
/// − g (t − t₁)²/2. Their gaps are no displacements of bodies.
#[test]
fn bodies_above_stops_have_derivatives_of_their_own() {
    let [g, e, h]: [f64; 3] = [9.81, 0.6, 1.3];
    let ball = |name: &str, h: f64| {
        format!(
            "[[network.node]]\nname = \"{name}\"\nmass = 1.0\ndisplacement = {h}\n\
             [[network.force]]\non = \"{name}\"\nconstant = -9.81\n\
             [[network.stop]]\nname = \"floor of {name}\"\nbetween = [\"{name}\", \"ground\"]\n\
             lower = 0.0\nrestitution = {e}\n"
        )
    };
    let text = format!("{}{}[run]\nend = 1.2\n", ball("a", h), ball("b", 2.0 * h));
    let keys = ["network.stop.0.restitution", "network.node.1.displacement"];
    let times = [0.3, 0.9];
    let s = found(&text, &keys, &times).unwrap();
    assert_eq!((s.bodies, s.x.len(), s.v.len()), (2, 8, 8));
    let fall = (2.0 * h / g).sqrt();
    let speed = g * fall;
    // By time, body and number; the second ball falls until 0.728 s.
    let second = (4.0 * h / g).sqrt();
    let after = 0.9 - second;
    // Of x = e g t₁ (t − t₁) − g (t − t₁)²/2 with ∂t₁/∂h = 1/(g t₁).
    let by_height = (e * (after - second) + after) / second;
    let x = [0.0, 0.0, 0.0, 1.0, speed * (0.9 - fall), 0.0, 0.0, by_height];
    let v = [0.0, 0.0, 0.0, 0.0, speed, 0.0, 0.0, (e + 1.0) / second];
    for (found, exact) in s.x.iter().chain(&s.v).zip(x.iter().chain(&v)) {
        assert!((found - exact).abs() < 1e-11, "{:?} {x:?}, {:?} {v:?}", s.x, s.v);
    }
    // The file names no scheme, so `adaptive` solves it: the derivatives are those of its equation all the same, along the exact motion.
    assert!(s.worth.is_none() && s.doubtful.is_empty(), "{s:?}");
}

/// A machine whose numbers switch a part of it on has differences, which say what they are worth: with a gain of 0 the controller has no
/// integral. x″ = −k_p x from x = 1 is x = cos ω t, and ∂x/∂k_i obeys δ″ = −k_p δ − ∫x, ∫x = sin ω t/ω: δ = (t cos ω t − sin ω t/ω)/(2 ω²).
#[test]
fn a_gain_of_nothing_has_differences() {
    let text = "[network]\nnode = [{ name = \"a\", mass = 1.0, displacement = 1.0 }]\n\
        stop = [{ name = \"far\", between = [\"a\", \"ground\"], upper = 9.0, restitution = 0.4 }]\n\
        controller = [{ name = \"pi\", of = \"a\", on = \"a\", proportional = 4.0, integral = 0.0, reference = 0.0 }]\n\
        [run]\nend = 1.5\nscheme = \"exact\"\n";
    let keys = ["network.controller.0.integral", "network.controller.0.proportional"];
    let both = found(text, &keys, &[1.0]).unwrap();
    assert!(both.worth.is_some(), "{both:?}");
    let (sin, cos) = 2f64.sin_cos();
    assert!((both.x[0] - (cos - sin / 2.0) / 8.0).abs() < 1e-8, "{:?}", both.x);
    // ∂x/∂k_p = −t sin ω t/(2 ω).
    let one = found(text, &keys[1..], &[1.0]).unwrap();
    assert!(one.worth.is_none() && (one.x[0] + sin / 4.0).abs() < 1e-12, "{one:?}");
}

/// The same ball above a floor that rises slowly: no oscillator moves alike, so its derivatives are differences. Before the impact x =
/// h − g t²/2, and it meets the floor w t where h − g t²/2 = w t.
#[test]
fn differences_of_a_ball_above_a_floor_that_rises_are_its_derivatives() {
    let text = "[impact]\nmass = 1.0\nwall = [{ ramp = { rate = 0.1 } }]\nrestitution = 0.6\n\
                force = [{ constant = -9.81 }]\ninitial.displacement = 1.3\n[run]\nend = 0.8\n";
    let s = found(text, &["impact.initial.displacement"], &[0.3]).unwrap();
    assert!(s.worth.clone().unwrap()[0] < 1e-9 && (s.x[0] - 1.0).abs() < 1e-9);
    let t = (-0.1 + (0.01f64 + 2.0 * 9.81 * 1.3).sqrt()) / 9.81;
    assert!((s.event_times[0] - 1.0 / (9.81 * t + 0.1)).abs() < 1e-9, "{:?}", s.event_times);
}

/// A cascade of which no element yields is its first spring, from rest under F cos ω t: x = F (cos ω t − cos Ω t)/(Ω² − ω²). It turns
/// where ω sin ω t = Ω sin Ω t.
#[test]
fn a_cascade_has_the_derivatives_of_its_closed_form() {
    let text = "[cascade]\nmass = 1.0\nstiffness = [2.0, 1.0]\nthreshold = [9.0]\n\
                force = [{ harmonic = { amplitude = 1.5, angular_frequency = 0.9, phase = 0.0 } }]\n\
                [run]\nend = 9.0\n";
    let w = 0.9f64;
    let f = 1.5f64;
    let s = found(text, &["cascade.stiffness.0"], &[2.0, 7.0]).unwrap();
    assert!(s.worth.is_none() && s.doubtful.is_empty() && !s.events.is_empty(), "{s:?}");
    let own = 2f64.sqrt();
    // dΩ/dK = 1/(2 Ω).
    let of = |t: f64| {
        let d = own * own - w * w;
        f * (t * (own * t).sin() / (2.0 * own * d) - ((w * t).cos() - (own * t).cos()) / (d * d))
    };
    for (x, t) in s.x.iter().zip([2.0, 7.0]) {
        assert!((x - of(t)).abs() < 1e-12, "{x} {}", of(t));
    }
    for (rate, e) in s.event_times.iter().zip(&s.events) {
        let t = e.time;
        // g = Ω sin Ω t − ω sin ω t.
        let by_own = (own * t).sin() + own * t * (own * t).cos();
        let slope = own * own * (own * t).cos() - w * w * (w * t).cos();
        let exact = -by_own / (2.0 * own) / slope;
        assert!((rate - exact).abs() < 1e-11 * (1.0 + exact.abs()), "{rate} {exact}");
    }
}

/// Energies of a slide to rest, of a bounce, and of a machine of one mass, in closed form or by their balance.
#[test]
fn energies_have_their_derivatives() {
    let found = |text: &str, keys: &[&str]| {
        let asked = Sensitivity::new(keys.iter().map(|k| (*k).to_owned()).collect(), Vec::new());
        let document = Document::parse("m.toml", text).unwrap();
        let reading = Reading::new(Memory::default());
        energies(&asked, &document, &reading, &Context::silent()).unwrap()
    };
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-8, "{a} {b}");
    // ½ m v₀² goes into friction, whatever the force.
    let slide = "[oscillator]\nmass = 1.5\nstiffness = 0.0\nfriction.coulomb.force = 0.7\n\
                 initial.velocity = 2.0\n[run]\nend = 9.0\n";
    let keys =
        ["oscillator.mass", "oscillator.friction.coulomb.force", "oscillator.initial.velocity"];
    let s = found(slide, &keys);
    near(s.energy.friction, 3.0);
    for (rate, exact) in s.rates.iter().zip([2.0, 0.0, 3.0]) {
        near(rate.friction, exact);
        near(rate.kinetic, -exact);
        near(rate.work, 0.0);
    }
    // A ball that falls from h bounces once: m g h (1 − e²) is lost.
    let ball = "[impact]\nmass = 1.2\nwall = 0.0\nrestitution = 0.6\n\
                force = [{ constant = -9.0 }]\ninitial.displacement = 1.3\n[run]\nend = 0.7\n";
    let s = found(ball, &["impact.restitution", "impact.initial.displacement"]);
    near(s.energy.impacts, 9.0 * 1.3 * (1.0 - 0.36));
    near(s.rates[0].impacts, -2.0 * 0.6 * 9.0 * 1.3);
    near(s.rates[1].impacts, 9.0 * (1.0 - 0.36));
    // Where nothing is known in closed form, what goes in is what is lost or kept.
    let shaw = "[oscillator]\nmass = 1.0\nstiffness = 1.0\ndamping = 0.1\n\
                friction.static-dynamic = { static = 1.2, dynamic = 1.0 }\n\
                drive = [{ harmonic = { amplitude = 6.0, angular_frequency = 0.5, phase = 0.0 } }]\n\
                initial.displacement = 6.0\n[run]\nend = 37.0\n";
    let s = found(shaw, &["oscillator.mass", "oscillator.drive.0.harmonic.amplitude"]);
    assert!(s.worth.iter().all(|w| *w < 1e-7), "{:?}", s.worth);
    for e in &s.rates {
        let balance = e.work - e.kinetic - e.elastic - e.friction - e.viscous;
        assert!(balance.abs() < 1e-7 * e.work.abs() && e.work.abs() > 1.0, "{e:?}");
    }
    // A mass at the limit of its stick: with more drive it slips, so there is no derivative.
    let limit = "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction.coulomb.force = 1.0\n\
                 drive = [{ harmonic = { amplitude = 1.0, angular_frequency = 1.0, phase = 0.0 } }]\n\
                 [run]\nend = 9.0\n";
    let s = found(limit, &["oscillator.drive.0.harmonic.amplitude"]);
    assert!(s.rates[0].work.is_nan() && s.doubtful.len() == 1, "{s:?}");
}

/// Of a network with one mass, those of the oscillator that it is.
#[test]
fn a_network_of_one_mass_has_the_derivatives_of_an_oscillator() {
    let oscillator = "[oscillator]\nmass = 1.0\nstiffness = 1.0\ndamping = 0.1\n\
                      friction.static-dynamic = { static = 1.2, dynamic = 1.0 }\n\
                      force = [{ harmonic = { amplitude = 3.0, angular_frequency = 0.5, phase = 0.0 } }]\n\
                      [run]\nend = 20.0\n";
    let network = "[[network.node]]\nname = \"a\"\nmass = 1.0\n\
                   [[network.spring]]\nbetween = [\"a\", \"ground\"]\nstiffness = 1.0\n\
                   [[network.dashpot]]\nbetween = [\"a\", \"ground\"]\ndamping = 0.1\n\
                   [[network.slider]]\nbetween = [\"a\", \"ground\"]\nstatic = 1.2\ndynamic = 1.0\n\
                   [[network.force]]\non = \"a\"\nharmonic = { amplitude = 3.0, angular_frequency = 0.5, phase = 0.0 }\n\
                   [run]\nend = 20.0\n";
    let times = [3.0, 7.7, 19.0];
    let keys = [
        "oscillator.mass",
        "oscillator.friction.static-dynamic.static",
        "oscillator.force.0.harmonic.amplitude",
    ];
    let one = found(oscillator, &keys, &times).unwrap();
    let keys =
        ["network.node.0.mass", "network.slider.0.static", "network.force.0.harmonic.amplitude"];
    let other = found(network, &keys, &times).unwrap();
    assert!(one.worth.is_none() && one.doubtful.is_empty() && one.events.len() > 3);
    assert!(other.worth.is_none() && other.doubtful.is_empty() && other.bodies == 1);
    for (mine, theirs) in
        [(&one.x, &other.x), (&one.v, &other.v), (&one.event_times, &other.event_times)]
    {
        assert!(apart(theirs, mine) < 1e-12, "{mine:?} {theirs:?}");
    }
}

/// A node without mass that is out of balance at the start jumps until friction holds it: how far is told by no balance of forces alone,
/// so that its derivatives are differences, which say what they are worth. It jumps to x = x₀ − f/k.
#[test]
fn nodes_that_jump_until_they_are_held_are_differenced() {
    let text = "[[network.node]]\nname = \"a\"\nmass = 0.0\ndisplacement = 1.0\n\
                [[network.spring]]\nbetween = [\"a\", \"ground\"]\nstiffness = 2.0\n\
                [[network.slider]]\nbetween = [\"a\", \"ground\"]\nstatic = 0.5\ndynamic = 0.5\n\
                [run]\nend = 1.0\n";
    let s = found(text, &["network.spring.0.stiffness"], &[0.5]).unwrap();
    // It stops where k x = f.
    assert!((s.x[0] + 0.5 / 4.0).abs() < 1e-9 && s.worth.is_some(), "{:?}", s.x);
}

/// A mass with friction that falls with the speed, as an oscillator and as a machine, each by its own variational equation.
#[test]
fn a_machine_of_one_mass_has_the_derivatives_of_an_oscillator() {
    let law = "friction.stribeck-exponential = { static = 1.2, dynamic = 1.0, velocity = 0.3 }\n";
    let wave = "harmonic = { amplitude = 3.0, angular_frequency = 0.5, phase = 0.0 }";
    let oscillator = format!(
        "[oscillator]\nmass = 1.0\nstiffness = 1.0\ndamping = 0.1\n{law}force = [{{ {wave} }}]\n\
         [run]\nend = 20.0\nrtol = 1e-13\natol = 1e-16\n"
    );
    let machine = format!(
        "[[network.node]]\nname = \"a\"\nmass = 1.0\n\
         [[network.spring]]\nbetween = [\"a\", \"ground\"]\nstiffness = 1.0\n\
         [[network.dashpot]]\nbetween = [\"a\", \"ground\"]\ndamping = 0.1\n\
         [[network.slider]]\nbetween = [\"a\", \"ground\"]\n{law}\
         [[network.force]]\non = \"a\"\n{wave}\n[run]\nend = 20.0\n"
    );
    let times = [3.0, 7.7, 19.0];
    let of = "friction.stribeck-exponential";
    let keys = |to: &str, wave: &str, law: &str| {
        [
            format!("{to}.mass"),
            format!("{law}.{of}.static"),
            format!("{law}.{of}.velocity"),
            format!("{wave}.harmonic.amplitude"),
        ]
    };
    let own = keys("oscillator", "oscillator.force.0", "oscillator");
    let one = found(&oscillator, &own.each_ref().map(String::as_str), &times).unwrap();
    let own = keys("network.node.0", "network.force.0", "network.slider.0");
    let other = found(&machine, &own.each_ref().map(String::as_str), &times).unwrap();
    assert!(one.worth.is_none() && one.events.len() > 3, "{:?}", one.events);
    assert!(other.doubtful.is_empty() && other.worth.is_none(), "{other:?}");
    for (mine, theirs) in
        [(&one.x, &other.x), (&one.v, &other.v), (&one.event_times, &other.event_times)]
    {
        assert!(apart(theirs, mine) < 1e-8, "{mine:?} {theirs:?}");
    }
}

/// A ball that lies on the floor, and one that is thrown up ever so little: it bounces, so there is no derivative with respect
/// to its velocity. With another mass it lies there as well.
#[test]
fn a_number_whose_neighbours_have_other_events_is_told() {
    let text = "[impact]\nmass = 1.0\nwall = 0.0\nrestitution = 0.5\n\
                force = [{ constant = -9.81 }]\n[run]\nend = 1.0\n";
    let keys = ["impact.initial.velocity", "impact.mass"];
    let s = found(text, &keys, &[0.5]).unwrap();
    assert_eq!(s.doubtful.len(), 1, "{:?}", s.doubtful);
    let said =
        "where `impact.initial.velocity` differs by a few millionths, the motion has other events";
    assert_eq!(s.doubtful[0].1, said);
    assert!(s.x[0].is_nan() && s.x[1] == 0.0 && s.v[1] == 0.0, "{:?}", s.x);
}

/// A machine that slips from the start: what its slider holds at rest changes nothing, and its derivative is 0.
#[test]
fn a_number_without_effect_has_the_derivative_zero() {
    let text = "[network]\nnode = [{ name = \"a\", mass = 1.0 }, { name = \"b\", mass = 2.0 }]\n\
        spring = [{ between = [\"a\", \"b\"], stiffness = 30.0 }]\n\
        slider = [{ name = \"s\", between = [\"b\", \"ground\"], static = 0.8, dynamic = 0.5 }]\n\
        stop = [{ name = \"gap\", between = [\"a\", \"b\"], upper = 0.5, restitution = 0.4 }]\n\
        force = [{ on = \"b\", harmonic = { amplitude = 2.5, angular_frequency = 0.7 } }]\n\
        [run]\nend = 1.0\nscheme = \"exact\"\n";
    let keys = ["network.slider.0.static", "network.slider.0.dynamic"];
    let s = found(text, &keys, &[1.0]).unwrap();
    assert!(s.doubtful.is_empty(), "{:?}", s.doubtful);
    // Of each node the derivative by both numbers.
    let effects: Vec<[bool; 2]> = s.x.chunks(2).map(|d| [d[0] != 0.0, d[1] != 0.0]).collect();
    assert_eq!(effects, [[false, true]; 2], "{:?}", s.x);
}
