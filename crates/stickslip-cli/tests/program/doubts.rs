//! What runs of motions, ensembles, sections and lists of solutions say, each where it is right and where it would be wrong.

use super::sandbox::{Sandbox, numbers};

/// A mass that a noise shakes against friction.
fn shaken(noise: &str, law: &str) -> String {
    format!(
        "[oscillator]\nmass = 1.0\nstiffness = 1.0\ndamping = 0.2\nfriction.{law}\n\
         [[oscillator.force]]\n{noise}\n[run]\nend = 20.0\nscheme = \"euler\"\nstep = 0.02\nseed = 3\n"
    )
}

const WHITE: &str = "white = { intensity = 1.0 }";
const DROPS: &str = "static-dynamic = { static = 0.9, dynamic = 0.4 }";

/// Under white noise the share of time in stick falls with the step, under filtered noise it does not.
#[test]
fn white_noise_on_friction_that_drops_is_told() {
    let s = Sandbox::new();
    let said = "white noise acts on friction that is greater at rest than in slip";
    let stuck = |step: &str| {
        let set = format!("run.step={step}");
        let args = ["ensemble", "m.toml", "--paths", "60", "--set", &set, "--out", "e"];
        let ended = s.run(&args).done();
        let shares = numbers(&s.read("e/ensemble.csv"), "stick_fraction");
        (shares.iter().sum::<f64>() / shares.len() as f64, ended.stderr.contains(said))
    };
    let filtered = "ornstein-uhlenbeck = { rate = 1.0, intensity = 1.0, scale = 1.0 }";
    s.write("m.toml", shaken(WHITE, DROPS));
    let (coarse, fine) = (stuck("0.02"), stuck("0.000625"));
    assert!(coarse.1 && fine.1);
    assert!(fine.0 < 0.5 * coarse.0, "{} {}", fine.0, coarse.0);
    s.write("m.toml", shaken(filtered, DROPS));
    let (coarse, fine) = (stuck("0.02"), stuck("0.000625"));
    assert!(!coarse.1 && !fine.1);
    assert!(coarse.0 > 0.05 && (fine.0 / coarse.0 - 1.0).abs() < 0.2, "{} {}", fine.0, coarse.0);
    s.write("m.toml", shaken(WHITE, "coulomb = { force = 0.4 }"));
    assert!(!stuck("0.02").1);
}

#[test]
fn an_ensemble_without_noise_is_told() {
    let s = Sandbox::new();
    let said = "this model has no noise: all paths are equal";
    let ended = |text: &str| {
        s.write("m.toml", text);
        let args = ["ensemble", "m.toml", "--paths", "3", "--out", "e"];
        let stderr = s.run(&args).done().stderr;
        // The standard deviation over the paths is 0 if, and only if, they are equal.
        let spread = numbers(&s.read("e/ensemble.csv"), "var_x");
        (stderr.contains(said), spread.iter().all(|v| *v == 0.0))
    };
    let noisy = shaken(WHITE, "coulomb = { force = 0.4 }");
    assert_eq!(ended(&noisy), (false, false));
    let harmonic = "harmonic = { amplitude = 1.0, angular_frequency = 0.7 }";
    assert_eq!(ended(&noisy.replace(WHITE, harmonic)), (true, true));
}

#[test]
fn paths_that_are_missing_between_parts_are_told() {
    let s = Sandbox::new();
    s.write("m.toml", shaken(WHITE, "coulomb = { force = 0.4 }"));
    for range in ["0..3", "3..5", "7..9"] {
        let out = format!("p{}", &range[..1]);
        s.run(&["ensemble", "m.toml", "--paths", range, "--out", &out]).done();
    }
    let said = |parts: &[&str], out: &str| {
        let args = [&["merge"], parts, &["--out", out]].concat();
        s.run(&args).done().stderr
    };
    let gap = said(&["p0/partial.json", "p3/partial.json", "p7/partial.json"], "m1");
    assert!(gap.contains("paths are missing between 0..5 and 7..9"), "{gap}");
    let whole = said(&["p0/partial.json", "p3/partial.json"], "m2");
    assert!(!whole.contains("paths are missing"), "{whole}");
}

/// `solutions` and `converge` take a step of their own where the file has none.
#[test]
fn a_step_that_is_not_given_is_told() {
    let s = Sandbox::new();
    let model = "[oscillator]\nmass = 1.0\nstiffness = 1.0\n\
                 friction.static-dynamic = { static = 1.2, dynamic = 1.0 }\n\
                 initial = { displacement = 3.0 }\n[run]\nend = 8.0\n";
    s.write("m.toml", model);
    s.write("step.toml", format!("{model}step = 0.1\n"));
    let ended = |command: &str, file: &str, more: &[&str]| {
        s.run(&[&[command, file, "--json"], more].concat()).done()
    };
    let short = ["--halvings", "2"];
    for (command, said, step, more) in [
        ("solutions", "the discrete problem takes end/20 = 0.4 s", 0.4, &[][..]),
        ("converge", "the table begins with end/100 = 0.08 s", 0.08, &short),
    ] {
        let without = ended(command, "m.toml", more);
        assert!(without.stderr.contains(said), "{command}: {}", without.stderr);
        let summary: serde_json::Value = serde_json::from_str(&without.stdout).unwrap();
        let taken =
            if command == "solutions" { &summary["step"] } else { &summary["table"][0]["h"] };
        assert_eq!(taken.as_f64(), Some(step), "{summary}");
        let with = ended(command, "step.toml", more);
        assert!(!with.stderr.contains("is not given"), "{command}: {}", with.stderr);
    }
}

/// The solutions of v′ = v + h (F − r), r in the graph of the law without the rule, counted step by step: the mass may rest where
/// |v/h + F| ≤ f_s, and slips with f_d where that leaves it a velocity of this sign. m = 1 kg, and no spring.
fn count(loads: &[f64], v: f64, h: f64) -> usize {
    let Some((load, rest)) = loads.split_first() else { return 1 };
    let rests = if (v / h + load).abs() <= 1.0 { count(rest, 0.0, h) } else { 0 };
    let slips = |side: f64| {
        let w = v + h * (load - side * 0.5);
        if side * w > 1e-12 { count(rest, w, h) } else { 0 }
    };
    rests + slips(1.0) + slips(-1.0)
}

/// A load that stays at the limit from 2 s to 6 s can let the mass go at each step between.
#[test]
fn a_list_of_solutions_that_is_cut_short_is_told() {
    let s = Sandbox::new();
    s.write("load.csv", "t,f\n0,0\n2,1\n6,1\n8,0\n");
    s.write(
        "m.toml",
        "[oscillator]\nmass = 1.0\nstiffness = 0.0\nfriction.static-dynamic = { static = 1.0, dynamic = 0.5 }\n\
         [[oscillator.force]]\nsampled = { file = \"load.csv\", time = \"t\", value = \"f\" }\n\
         [run]\nend = 8.0\nstep = 0.5\n",
    );
    let ended =
        |limit: &[&str]| s.run(&[&["solutions", "m.toml", "--json"], limit].concat()).done();
    let found = |ended: &super::sandbox::Ended| {
        let summary: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
        (summary["solutions"].as_u64().unwrap() as usize, summary["truncated"] == true)
    };
    let load = |t: f64| (0.5 * t).min(1.0).min(0.5 * (8.0 - t));
    let loads: Vec<f64> = (1..=16).map(|n| load(0.5 * f64::from(n))).collect();
    let all = count(&loads, 0.0, 0.5);
    let whole = ended(&[]);
    assert_eq!(found(&whole), (all, false));
    assert!(!whole.stderr.contains("discrete solutions"), "{}", whole.stderr);
    let cut = ended(&["--limit", "10"]);
    assert!(all > 10 && found(&cut) == (10, true), "{all}");
    assert!(
        cut.stderr.contains("there are more than 10 discrete solutions; the first 10 are listed")
    );
}

/// The upper branch of a mass on a soft stop overhangs: the same frequency has another motion on the way up than on the way down.
#[test]
fn a_section_that_depends_on_where_it_comes_from_is_told() {
    let s = Sandbox::new();
    s.write(
        "m.toml",
        "[oscillator]\nmass = 1.0\nstiffness = 1.0\ndamping = 0.05\nfriction.coulomb = { force = 0.0 }\n\
         stops = { lower = -1.0, upper = 1.0, stiffness = 3.0 }\n\
         [[oscillator.force]]\nharmonic = { amplitude = 0.4, angular_frequency = 1.0 }\n",
    );
    let said = |range: &str| {
        let vary = format!("oscillator.force.0.harmonic.angular_frequency={range}");
        let args =
            ["sweep", "m.toml", "--end", "1", "--vary", &vary, "--section", "6", "--out", "p"];
        let ended = s.run(&args).done();
        let x = |name: &str| numbers(&s.read(&format!("p/{name}.csv")), "x");
        let (up, down) = (x("section"), x("section_down"));
        let points = up.chunks(6).zip(down.chunks(6));
        let apart = points.filter(|(a, b)| (a[5] - b[5]).abs() > 0.05).count();
        (ended.stderr, apart)
    };
    let (across, apart) = said("1.0:2.0:21");
    let (_, told) = across.split_once("at ").unwrap();
    let (told, rest) = told.split_once(" points or more ").unwrap();
    assert!(rest.starts_with("the motion depends on where it comes from"), "{across}");
    let told: usize = told.parse().unwrap();
    assert!(0 < told && told <= apart, "{told} {apart}");
    let (above, apart) = said("2.4:3.0:5");
    assert!(apart == 0 && !above.contains("depends on where it comes from"), "{above}");
}

/// `stribeck-exponential` with an exponent of ½ weakens infinitely fast near rest: F(w) = ½ + ½ exp(−√(w/0.2)). An explicit step from
/// Friction of 1.2 N that falls by 10 N·s/m at most: steps of 0.15 s have several solutions for 1 kg, and steps below 0.1 s one; that the mass may leave at
/// any time is not said. It is where the friction falls infinitely fast at rest, at any step.
#[test]
fn solutions_that_come_from_the_steps_are_told_as_such() {
    let s = Sandbox::new();
    let said = |velocity: f64, exponent: f64, step: f64| {
        s.write(
            "m.toml",
            format!(
                "[oscillator]\nmass = 1.0\nstiffness = 0.0\n\
                 friction.stribeck-exponential = {{ static = 1.2, dynamic = 1.0, velocity = {velocity:?}, exponent = {exponent:?} }}\n\
                 [[oscillator.force]]\nconstant = 1.2\n[run]\nend = 1.5\nstep = {step:?}\n"
            ),
        );
        s.run(&["solutions", "m.toml"]).done().stdout
    };
    let any = "lets the mass leave at any time";
    let long = said(0.02, 1.0, 0.15);
    assert!(long.contains("with a step below 0.1 s there is one") && !long.contains(any), "{long}");
    let short = said(0.02, 1.0, 0.075);
    assert!(short.contains("the same one solution") && !short.contains(any), "{short}");
    for step in [0.15, 0.05] {
        let falls = said(0.1, 0.5, step);
        assert!(falls.contains(any) && !falls.contains("with a step below"), "{falls}");
    }
}

/// w over a load p solves w′ + h F(w′) = w + h p, and h F falls faster than w′ grows near w′ = 0, however short h is; with an
/// exponent of 1 the slope of F is at most 2.5, and steps below 0.4 s have one solution.
#[test]
fn weakening_without_bounds_is_told_as_such() {
    let left = |w: f64, h: f64, n: f64| w + h * (0.5 + 0.5 * (-(w / 0.2).powf(n)).exp());
    let falls = |h: f64, n: f64| {
        let w = |i: i32| 1e-12 * 10f64.powf(f64::from(i) / 20.0);
        (0..280).any(|i| left(w(i + 1), h, n) < left(w(i), h, n))
    };
    let s = Sandbox::new();
    let said = |exponent: f64, step: f64| {
        s.write(
            "m.toml",
            format!(
                "[oscillator]\nmass = 1.0\nstiffness = 0.0\n\
                 friction.stribeck-exponential = {{ static = 1.0, dynamic = 0.5, velocity = 0.2, exponent = {exponent:?} }}\n\
                 initial = {{ velocity = 1.0 }}\n[[oscillator.force]]\nharmonic = {{ amplitude = 1.5, angular_frequency = 0.4 }}\n\
                 [run]\nend = 300.0\nscheme = \"euler\"\nstep = {step:?}\n"
            ),
        );
        s.run(&["simulate", "m.toml"]).done().stderr
    };
    let mut told = 0;
    for step in [0.6, 0.5, 0.38, 0.2, 0.1] {
        assert!(falls(step, 0.5) && (falls(step, 1.0) == (step > 0.4)), "{step}");
        let text = said(0.5, step);
        // Where a step met it, what is said is that no step is small enough.
        let met = text.contains("had several solutions");
        assert_eq!(met, text.contains("the friction weakens infinitely fast near rest"), "{text}");
        assert_eq!(met, text.contains("no step is small enough"), "{text}");
        told += usize::from(met);
        let bounded = said(1.0, step);
        assert!(!bounded.contains("infinitely fast"), "{bounded}");
        assert!(step > 0.4 || !bounded.contains("several solutions"), "{bounded}");
    }
    assert!(told >= 2, "{told}");
}

/// A step that the scheme at hand does not use, but another command may, does not stop a long run.
#[test]
fn a_step_that_nothing_uses_stops_no_run() {
    let s = Sandbox::new();
    s.write(
        "m.toml",
        "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction.coulomb = { force = 0.1 }\n\
         initial = { displacement = 1.0 }\n[run]\nend = 10.0\nscheme = \"exact\"\nstep = 0.01\n",
    );
    s.run(&["simulate", "m.toml", "--end", "1e9"]).done();
    let args = ["simulate", "m.toml", "--end", "1e9", "--scheme", "euler"];
    s.run(&args).failed(1, &["`run.step` is 0.01 s: that makes 1.000e11 steps"]);
}

/// From 1 m a mass against 0.1 N turns at 0.8, 0.6, 0.4, 0.2 and 0 m, where it stays: five events.
#[test]
fn a_run_with_too_many_events_says_which_key_allows_more() {
    let s = Sandbox::new();
    let run = |events: &str| {
        s.write(
            "m.toml",
            format!(
                "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction.coulomb = {{ force = 0.1 }}\n\
                 initial = {{ displacement = 1.0 }}\n[run]\nend = 100.0\nscheme = \"exact\"\n{events}"
            ),
        );
        s.run(&["simulate", "m.toml"])
    };
    run("events = 3\n").failed(3, &["more than 3 events before t = ", "`run.events`"]);
    let all = run("").done().stdout;
    assert_eq!(run("events = 6\n").done().stdout, all);
    run("events = 0\n").failed(1, &["`run.events` is 0", "a whole number ≥ 1"]);
}
