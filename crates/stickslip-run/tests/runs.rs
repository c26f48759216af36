//! Runs on files in memory: what they read, what they return.

use std::borrow::Cow;
use std::fmt::Write;
use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use stickslip::portable;
use stickslip::study::sweep::Span;
use stickslip_file::{Document, Memory, Reading, Resources};
use stickslip_run::sensitivity::{Backward, Sensitivities, Sensitivity, gradient, sensitivity};
use stickslip_run::{
    Axis, Calibrate, Context, Ensemble, Input, Orbit, Product, Response, Simulate, Sweep,
    calibrate, ensemble, orbit, response, simulate, sweep,
};

/// Files that count how often they are read.
struct Counted(Memory, Arc<AtomicUsize>);

impl Resources for Counted {
    fn read(&self, name: &str) -> io::Result<Cow<'_, [u8]>> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.read(name)
    }
}

/// A drive of `rows` rows: a triangle of 6 m.
fn drive(rows: usize) -> String {
    (0..rows).fold("t,d\n".to_owned(), |mut text, i| {
        let phase = (i % 400) as f64 / 400.0;
        let _ = writeln!(text, "{:?},{:?}", i as f64 * 0.05, 6.0 * (2.0 * phase - 1.0).abs());
        text
    })
}

const DRIVEN: &str = "[oscillator]\nmass = 1.0\nstiffness = 1.0\n\
    [oscillator.friction.static-dynamic]\nstatic = 1.2\ndynamic = 1.0\n\
    [[oscillator.drive]]\nsampled = { file = \"drive.csv\", time = \"t\", value = \"d\" }\n\
    [run]\nend = 100.0\nscheme = \"euler\"\nstep = 0.02\nseed = 3\n";

fn axis(key: &str, from: f64, to: f64, count: usize) -> Axis {
    Axis::new(key, Span { from, to, count })
}

/// A map of `side` × `side` points, and how often files were read for it.
fn map(model: &str, side: usize, rows: usize) -> (Product, usize) {
    let count = Arc::new(AtomicUsize::new(0));
    let files = Memory::default().with("drive.csv", drive(rows));
    let reading = Reading::new(Counted(files, count.clone()));
    let document = Document::parse("model.toml", model).unwrap();
    let law = "oscillator.friction.static-dynamic";
    let axes = vec![
        axis(&format!("{law}.static"), 1.0, 2.0, side),
        axis("oscillator.stiffness", 0.5, 2.0, side),
    ];
    let input = Input::new(&document, &reading);
    let product = sweep(&Sweep::new(axes), &input, &Context::silent()).unwrap();
    (product, count.load(Ordering::Relaxed))
}

/// However many points, and whether it is noisy or not: the drive is read once.
#[test]
fn a_sweep_reads_its_drive_once() {
    let noise = "[[oscillator.force]]\nornstein-uhlenbeck = { rate = 1.0, intensity = 0.1 }\n[run]";
    let exact = DRIVEN.replace("\"euler\"", "\"exact\"");
    let noisy = DRIVEN.replace("[run]", noise);
    for (model, side) in [(DRIVEN, 12), (exact.as_str(), 5), (noisy.as_str(), 3)] {
        let (product, reads) = map(model, side, 2101);
        assert_eq!(reads, 1);
        assert_eq!(
            product.table_named("sweep").unwrap().numbers("slips").unwrap().len(),
            side * side
        );
    }
}

/// A point of a sweep is the simulation with its numbers.
#[test]
fn a_point_of_a_sweep_is_its_simulation() {
    let exact = DRIVEN.replace("\"euler\"", "\"exact\"");
    let (product, _) = map(&exact, 3, 2101);
    let swept = product.table_named("sweep").unwrap();
    let last = swept.numbers("end_x").unwrap();
    let reading = Reading::new(Memory::default().with("drive.csv", drive(2101)));
    let mut document = Document::parse("model.toml", exact).unwrap();
    document.set("oscillator.friction.static-dynamic.static", 1.5).unwrap();
    document.set("oscillator.stiffness", 2.0).unwrap();
    let input = Input::new(&document, &reading);
    let alone = simulate(&Simulate::default(), &input, &Context::silent()).unwrap();
    let x = alone.table_named("trajectory").unwrap().numbers("x").unwrap();
    assert_eq!(last[7], x[x.len() - 1]);
}

/// 100 × 100 points over a long drive: read once, and never more than a few points in memory.
#[test]
#[ignore = "takes a minute; run it alone to look at its memory"]
fn a_large_map_over_a_long_drive() {
    let model = DRIVEN.replace("end = 100.0", "end = 20.0");
    let (_, reads) = map(&model, 100, 43_200);
    assert_eq!(reads, 1);
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        let peak = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap();
        let kilobytes: f64 = peak.split_whitespace().nth(1).unwrap().parse().unwrap();
        println!("{peak}");
        assert!(kilobytes < 200e3, "{peak}");
    }
}

fn paths(model: &str, options: &Ensemble) -> Result<Product, stickslip_file::Diagnostic> {
    let document = Document::parse("model.toml", model).unwrap();
    let reading = Reading::new(Memory::default());
    ensemble(options, &Input::new(&document, &reading), &Context::silent())
}

const NOISY: &str = "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction.coulomb = { force = 0.5 }\n\
    [[oscillator.force]]\nornstein-uhlenbeck = { rate = 1.0, intensity = 1.0 }\n\
    [run]\nend = 5.0\nstep = 0.01\n";

/// The file says how many rows an ensemble keeps; without that it keeps the usual number.
#[test]
fn an_ensemble_has_the_rows_of_its_file() {
    let rows = |model: &str| {
        let product = paths(model, &Ensemble::new(0..8))?;
        let times = product.table_named("ensemble").unwrap().numbers("t").unwrap();
        Ok::<_, stickslip_file::Diagnostic>(times.len())
    };
    assert_eq!(rows(NOISY).unwrap(), 201);
    assert_eq!(rows(&format!("{NOISY}rows = 26\n")).unwrap(), 26);
    assert_eq!(rows(&format!("{NOISY}rows = \"steps\"\n")).unwrap(), 501);
    let refused = rows(&format!("{NOISY}rows = 502\n")).unwrap_err();
    assert!(refused.message().contains("`run.rows` is 502"), "{refused}");
}

/// A node without mass between a light mass, to which two sliders join it, and a heavy one: rounding leaves a residual in some steps,
/// which are counted. With a mass none is.
#[test]
fn steps_that_were_not_solved_are_counted() {
    let inexact = |mass: f64| {
        let model = format!(
            r#"[[network.node]]
name = "a"
mass = 0.00596
[[network.node]]
name = "b"
mass = {mass:?}
[[network.node]]
name = "c"
mass = 6.04
[[network.spring]]
between = ["a", "b"]
stiffness = 0.0171
[[network.spring]]
between = ["b", "c"]
stiffness = 0.19
[[network.spring]]
between = ["c", "ground"]
stiffness = 63.7
[[network.slider]]
name = "s"
between = ["b", "a"]
static = 1.35
dynamic = 1.1
[[network.slider]]
name = "t"
between = ["a", "b"]
static = 3.7
dynamic = 2.3
[[network.force]]
on = "a"
ornstein-uhlenbeck = {{ rate = 1.0, intensity = 157.0 }}
[run]
end = 2.0
step = 0.01
"#
        );
        let said = paths(&model, &Ensemble::new(0..8)).unwrap().remarks;
        said.iter().any(|r| r.text.contains("steps of all paths were not solved"))
    };
    assert!(inexact(0.0) && !inexact(1.0));
}

/// What is cancelled returns what is complete by then, and says so.
#[test]
fn a_cancelled_ensemble_returns_what_is_complete() {
    let document = Document::parse("model.toml", NOISY).unwrap();
    let reading = Reading::new(Memory::default());
    let input = Input::new(&document, &reading);
    let asked = AtomicUsize::new(0);
    let cancelled = || asked.fetch_add(1, Ordering::Relaxed) > 2;
    let context = Context { cancelled: &cancelled, ..Context::silent() };
    let product = ensemble(&Ensemble::new(0..1_000_000), &input, &context).unwrap();
    let count = product.summary["paths"].as_u64().unwrap();
    assert!(product.interrupted && (1..1_000_000).contains(&count), "{count}");
    assert!(product.remarks.iter().any(|r| r.text.contains("complete and kept")));
    let at_once = Context { cancelled: &|| true, ..Context::silent() };
    match ensemble(&Ensemble::new(0..1_000_000), &input, &at_once) {
        Ok(product) => assert!(product.interrupted),
        Err(e) => assert_eq!(e.kind(), stickslip_file::FailureKind::Interrupted),
    }
}

/// One header for the events of all kinds of model; an impulse where there are impacts.
#[test]
fn events_have_one_header() {
    let header = |model: &str| {
        let document = Document::parse("model.toml", model).unwrap();
        let reading = Reading::new(Memory::default());
        let input = Input::new(&document, &reading);
        let product = simulate(&Simulate::default(), &input, &Context::silent()).unwrap();
        let columns = &product.table_named("events").unwrap().columns;
        for key in ["relative_defect", "defect", "work"] {
            assert!(product.summary["energy"][key].is_number(), "{key}");
        }
        assert!(product.summary["counts"]["steps"].is_number());
        columns.iter().map(|c| c.name.clone()).collect::<Vec<_>>().join(",")
    };
    let run = "[run]\nend = 2.0\nstep = 0.01\n";
    let o = "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction.coulomb = { force = 0.5 }\n";
    let start = "initial = { displacement = 2.0 }\n";
    let stops = "stops = { lower = -1.0, restitution = 0.5 }\n";
    assert_eq!(header(&format!("{o}{start}{run}")), "event,t,where,x,v");
    assert_eq!(header(&format!("{o}{start}{stops}{run}")), "event,t,where,x,v,impulse");
    let cascade = "[cascade]\nmass = 1.0\nstiffness = [3.0, 2.0]\nthreshold = [0.5]\n";
    assert_eq!(header(&format!("{cascade}{start}{run}")), "event,t,where,x,v");
    let network = "[[network.node]]\nname = \"a\"\nmass = 1.0\ndisplacement = 1.0\n\
        [[network.slider]]\nname = \"s\"\nbetween = [\"a\", \"ground\"]\nstatic = 0.2\n";
    assert_eq!(header(&format!("{network}{run}")), "event,t,where,x,v");
    let impact = "[impact]\nmass = 1.0\nwall = 0.0\nrestitution = 0.5\ninitial = { displacement = 1.0, velocity = -1.0 }\n";
    assert_eq!(header(&format!("{impact}{run}")), "event,t,where,x,v,impulse");
}

const SHAKEN: &str = "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction.coulomb = { force = 0.4 }\n\
    [[oscillator.force]]\nharmonic = { amplitude = 1.0, angular_frequency = 1.25 }\n";

/// A passage of the model takes `passage` seconds by the clock of the run: what is said before a response of 50 points.
fn estimate(passage: f64) -> Vec<String> {
    let document = Document::parse("model.toml", SHAKEN).unwrap();
    let reading = Reading::new(Memory::default());
    let (ticks, said) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    let clock = || passage * ticks.fetch_add(1, Ordering::Relaxed) as f64;
    let warn = |w: &str| said.lock().unwrap().push(w.to_owned());
    let context = Context { clock: &clock, warn: &warn, ..Context::silent() };
    let mut asked = Response::new("oscillator.friction.coulomb.force", 0.3, 0.5);
    asked.count = 50;
    let done = response(&asked, &Input::new(&document, &reading), &context);
    assert_eq!(done.is_err(), passage > 216.0, "{passage}");
    if let Err(e) = done {
        said.lock().unwrap().push(e.message().to_owned());
    }
    said.into_inner().unwrap()
}

/// Fifty points of eight passages each: 400 of them.
#[test]
fn a_response_that_takes_minutes_says_so_before() {
    assert!(estimate(0.14).is_empty());
    assert_eq!(estimate(0.16), ["this response takes about 64 s"]);
    assert_eq!(estimate(3.0), ["this response takes about 20 minutes"]);
    // A day is 216 s for each passage.
    let refused = estimate(300.0);
    assert!(refused.len() == 1 && refused[0].contains("33 hours"), "{refused:?}");
}

const PLANE: &str = "[planar]\nmass = 1.0\nfriction.coulomb.force = 1.0\n\
    [[planar.base_x]]\nsampled = { file = \"a.csv\", time = \"t\", value = \"ax\" }\n\
    [[planar.base_y]]\nsampled = { file = \"a.csv\", time = \"t\", value = \"ay\" }\n\
    [run]\nend = 1.0\n";

/// Two records of constant acceleration, 5 and 1 m/s², on 1 m/s² of friction: after 1 s the mass is (s a − 1)/2 m away.
#[test]
fn a_sweep_over_records_has_their_quantiles() {
    let files = Memory::default()
        .with("a.csv", "t,ax,ay\n0,3,4\n1,3,4\n")
        .with("b.csv", "t,ax,ay\n0,-0.6,0.8\n1,-0.6,0.8\n");
    let reading = Reading::new(files);
    let document = Document::parse("model.toml", PLANE).unwrap();
    let input = Input::new(&document, &reading);
    let mut options = Sweep::new(vec![axis("planar.base_scale", 1.0, 2.0, 2)]);
    options.records = vec!["a.csv".to_owned(), "b.csv".to_owned()];
    let product = sweep(&options, &input, &Context::silent()).unwrap();
    let swept = product.table_named("sweep").unwrap();
    let wanted = [2.0, 0.0, 4.5, 0.5];
    for column in ["peak", "residual"] {
        let found = swept.numbers(column).unwrap();
        let near = found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(near && found.len() == 4, "{column}: {found:?}");
    }
    let quantiles = product.table_named("quantiles").unwrap();
    let of = |name: &str| quantiles.numbers(name).unwrap().to_vec();
    let near = |a: Vec<f64>, b: [f64; 2]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(near(of("peak_median"), [1.0, 2.5]), "{:?}", of("peak_median"));
    assert!(near(of("residual_q84"), [1.68, 0.5 + 0.84 * 4.0]), "{:?}", of("residual_q84"));
    // One record alone, and no number that varies.
    options.axes.clear();
    options.records.truncate(1);
    let product = sweep(&options, &input, &Context::silent()).unwrap();
    assert!((product.table_named("sweep").unwrap().numbers("peak").unwrap()[0] - 2.0).abs() < 1e-9);
}

#[test]
fn records_need_a_place_in_the_model() {
    let reading = Reading::new(Memory::default());
    let model = "[planar]\nmass = 1.0\nfriction.coulomb.force = 1.0\n[run]\nend = 1.0\n";
    let document = Document::parse("model.toml", model).unwrap();
    let mut options = Sweep::new(Vec::new());
    options.records = vec!["a.csv".to_owned()];
    let input = Input::new(&document, &reading);
    let said = sweep(&options, &input, &Context::silent()).unwrap_err().to_string();
    assert!(said.contains("no sampled signal"), "{said}");
}

/// A mass on a plane under a force that turns.
const TURNED: &str = "[planar]\nmass = 1.0\nstiffness = [4.0, 4.0]\nfriction.coulomb.force = 0.5\n\
    [[planar.force_x]]\nharmonic = { amplitude = 2.0, angular_frequency = 1.2, phase = 1.5707963267948966 }\n\
    [[planar.force_y]]\nharmonic = { amplitude = 2.0, angular_frequency = 1.2 }\n\
    [run]\nend = 10.0\n";

/// A turning force leads a mass round a circle of the radius √(P² − f²)/(K − m ω²).
#[test]
fn the_orbit_of_a_mass_on_a_plane_has_its_numbers() {
    let reading = Reading::new(Memory::default());
    let document = Document::parse("model.toml", TURNED).unwrap();
    let input = Input::new(&document, &reading);
    let product = orbit(&Orbit::default(), &input, &Context::silent()).unwrap();
    let radius = (4.0f64 - 0.25).sqrt() / (4.0 - 1.44);
    let amplitude = product.summary["amplitude"].as_f64().unwrap();
    assert!((amplitude - radius).abs() < 1e-9, "{amplitude} {radius}");
    assert_eq!(product.summary["stable"], true);
    let x = product.table_named("orbit").unwrap().numbers("x").unwrap();
    assert!((x[0] - x[x.len() - 1]).abs() < 1e-9);
    assert!(product.figures.iter().any(|f| f.name == "orbit"));
}

fn sensitivities(model: &str, key: &str, t: f64) -> Sensitivities {
    let reading = Reading::new(Memory::default());
    let document = Document::parse("model.toml", model).unwrap();
    let asked = Sensitivity::new(vec![key.to_owned()], vec![t]);
    sensitivity(&asked, &document, &reading, &Context::silent()).unwrap()
}

/// A puck at 5 m/s rests m v²/(2 f) away, after m v/f.
#[test]
fn a_puck_goes_less_far_with_more_friction() {
    let model = "[planar]\nmass = 2.0\nfriction.coulomb.force = 5.0\ninitial.velocity = [3.0, 4.0]\n\
        [run]\nend = 3.0\n";
    let found = sensitivities(model, "planar.friction.coulomb.force", 3.0);
    // Displacements along x and y, then velocities.
    assert!((found.x[0] + 0.6).abs() < 1e-8 && (found.x[1] + 0.8).abs() < 1e-8, "{:?}", found.x);
    assert!((found.event_times[0] + 0.4).abs() < 1e-8, "{:?}", found.event_times);
}

/// A pressed puck at 1 m/s rests m v²/(2 μ N c) away with c = e^{−(N − N₀)/N_s}, and a larger N_s by (N − N₀)/N_s² of it nearer.
#[test]
fn the_pressure_of_a_file_is_that_of_the_library() {
    let model = "[planar]\nmass = 2.0\nfriction.coulomb.force = 0.2\ninitial.velocity = [0.6, 0.8]\n\
        normal = [{ constant = 3.0 }]\npressure = { reference = 1.0, scale = 4.0 }\n[run]\nend = 8.0\n";
    let found = sensitivities(model, "planar.pressure.scale", 8.0);
    let far = 1.0 / (0.2 * 3.0 * portable::exp(-0.5));
    let wanted = -far * 2.0 / 16.0;
    assert!((found.x[0] - 0.6 * wanted).abs() < 1e-7, "{:?} {wanted}", found.x);
    assert!((found.x[1] - 0.8 * wanted).abs() < 1e-7, "{:?} {wanted}", found.x);
    let alone = model.replace("normal = [{ constant = 3.0 }]\n", "");
    let read = solved(&alone).unwrap_err();
    assert!(read.contains("`planar.pressure` stands without `planar.normal`"), "{read}");
}

/// A run of this file, or what is said of it.
fn solved(model: &str) -> Result<Product, String> {
    let reading = Reading::new(Memory::default());
    let document = Document::parse("model.toml", model).unwrap();
    let input = Input::new(&document, &reading);
    simulate(&Simulate::default(), &input, &Context::silent()).map_err(|e| e.to_string())
}

/// Released without friction at x₀ a pendulum passes the middle with √(2 W (R − √(R² − x₀²))/m), and with √(W/(m R)) x₀ if its force
/// is that of small angles.
#[test]
fn a_pendulum_of_a_file_has_the_force_that_it_names() {
    let fastest = |restoring: &str| {
        let model = format!(
            "[planar]\nmass = 1.3\npendulum = {{ radius = 2.0, weight = 5.0{restoring} }}\nfriction.coulomb.force = 0.0\n\
             initial.displacement = [1.6, 0.0]\n[run]\nend = 3.0\nrows = 3001\nrtol = 1e-11\n"
        );
        let product = solved(&model).unwrap();
        let v = product.table_named("trajectory").unwrap().numbers("vx").unwrap().to_vec();
        v.iter().fold(0.0f64, |m, v| m.max(v.abs()))
    };
    // A row lies within 0.5 ms of the middle, where the velocity is flat.
    let exact = (2.0f64 * 5.0 * (2.0 - 1.2) / 1.3).sqrt();
    let small = (5.0f64 / (1.3 * 2.0)).sqrt() * 1.6;
    assert!((fastest(", restoring = \"exact\"") - exact).abs() < 1e-5);
    assert!((fastest(", restoring = \"small-angle\"") - small).abs() < 1e-5);
    assert!((fastest("") - small).abs() < 1e-5);
}

/// Shot along x at the rim: with k and c the mass is in it for atan2(c ω, c d − k)/ω, ω² = k/m − d², d = c/2m.
#[test]
fn the_rim_of_a_file_pushes_and_does_not_pull() {
    let model = "[planar]\nmass = 1.3\nfriction.coulomb.force = 0.0\ninitial.velocity = [1.7, 0.0]\n\
        rim = { radius = 0.5, stiffness = 30.0, damping = 2.0 }\n[run]\nend = 1.0\nrtol = 1e-11\n";
    let product = solved(model).unwrap();
    let times = product.table_named("events").unwrap().numbers("t").unwrap().to_vec();
    let d = 1.0 / 1.3;
    let omega = (30.0f64 / 1.3 - d * d).sqrt();
    let lasts = portable::atan2(2.0 * omega, 2.0 * d - 30.0) / omega;
    let wanted = [0.5 / 1.7, 0.5 / 1.7 + lasts];
    // Between the two it turns.
    assert!(times.len() == 3, "{times:?}");
    assert!(
        [times[0], times[2]].iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-9),
        "{times:?} {wanted:?}"
    );
    let counted = &product.summary["counts"]["events"];
    assert!(counted["touch"] == 1 && counted["release"] == 1, "{counted}");
}

/// Bouc and Wen's spring alone, ratio = 1, next to another one: x = cos √((K + k)/m) t.
#[test]
fn a_contact_with_memory_has_derivatives() {
    let model = "[oscillator]\nmass = 2.0\nstiffness = 3.0\n\
        friction.bouc-wen = { stiffness = 5.0, ratio = 1.0, beta = 1.0, gamma = 1.0 }\n\
        initial.displacement = 1.0\n[run]\nend = 3.0\n";
    let found = sensitivities(model, "oscillator.stiffness", 2.5);
    let sin_5 = -0.958_924_274_663_138_5;
    let wanted = -sin_5 * 2.5 / (2.0 * 2.0 * 2.0);
    assert!((found.x[0] - wanted).abs() < 1e-7, "{:?} {wanted}", found.x);
}

/// A puck at 5 m/s on 1 m/s² of friction, measured along x and y by two displacements: r = (v t − t²/2) v/|v|.
#[test]
fn the_friction_of_a_mass_on_a_plane_is_fitted() {
    let mut record = "t,x,y\n".to_owned();
    for i in 0..=60 {
        let t = 0.1 * f64::from(i);
        let s = if t < 5.0 { 5.0 * t - 0.5 * t * t } else { 12.5 };
        let _ = writeln!(record, "{t:?},{:?},{:?}", 0.6 * s, 0.8 * s);
    }
    let fit = "[data]\nfile = \"r.csv\"\ntime = \"t\"\ntime_unit = \"s\"\n\
        [[data.measured]]\nwhat = \"x\"\ncolumn = \"x\"\nunit = \"m\"\n\
        [[data.measured]]\nwhat = \"y\"\ncolumn = \"y\"\nunit = \"m\"\n\
        [model]\nkind = \"model\"\nfile = \"puck.toml\"\n[fit]\ncompare = false\n\
        [fit.unknown]\nplanar.friction.coulomb.force = { from = 0.1, to = 10.0 }\n";
    let puck = "[planar]\nmass = 2.0\nfriction.coulomb.force = 1.0\ninitial.velocity = [3.0, 4.0]\n[run]\nend = 6.0\n";
    // The model stands in a file of its own, or below [model] itself.
    let inline = fit.replace("file = \"puck.toml\"\n", "")
        + "[model.planar]\nmass = 2.0\nfriction.coulomb.force = 1.0\ninitial.velocity = [3.0, 4.0]\n[model.run]\nend = 6.0\n";
    for fit in [fit.to_owned(), inline] {
        let files = Memory::default().with("r.csv", record.clone()).with("puck.toml", puck);
        let reading = Reading::new(files);
        let document = Document::parse("fit.toml", &fit).unwrap();
        let input = Input::new(&document, &reading);
        let product = calibrate(&Calibrate::default(), &input, &Context::silent()).unwrap();
        let fit = product.documents.iter().find(|d| d.name == "fit").unwrap().content.get();
        let fit: serde_json::Value = serde_json::from_str(&fit).unwrap();
        // m · 1 m/s².
        let value = fit["parameters"]["planar.friction.coulomb.force"]["value"].as_f64();
        assert!(value.is_some_and(|f| (f - 2.0).abs() < 1e-6), "{fit}");
    }
}

/// A contact with memory has a response: an orbit at each value, of which that at the first is the one that `orbit` finds. Two numbers
/// at once are refused.
#[test]
fn a_contact_with_memory_has_a_response() {
    let text = "[oscillator]\nmass = 1.0\nstiffness = 25.0\ndamping = 0.5\n\
        friction.dahl = { force = 1.0, stiffness = 1000.0 }\n\
        [[oscillator.force]]\nharmonic = { amplitude = 3.0, angular_frequency = 4.0 }\n[run]\nend = 6.0\n";
    let document = Document::parse("m.toml", text).unwrap();
    let reading = Reading::new(Memory::default());
    let input = Input::new(&document, &reading);
    let asked = Response::parse("oscillator.stiffness=25:30:3").unwrap();
    let done = response(&asked, &input, &Context::silent()).unwrap();
    let table = done.table_named("response").unwrap();
    let value = table.numbers("value").unwrap();
    assert_eq!(value, [25.0, 27.5, 30.0]);
    let alone = orbit(&Orbit::default(), &input, &Context::silent()).unwrap();
    let max = alone.summary["max"].as_f64().unwrap();
    assert!((table.numbers("max").unwrap()[0] - max).abs() < 1e-9);
    let mut both = asked;
    both.second = Some(axis("oscillator.mass", 1.0, 2.0, 2));
    let said = response(&both, &input, &Context::silent()).unwrap_err().to_string();
    assert!(said.contains("without memory only"), "{said}");
}

/// The response of a plane to a force that turns, over the frequency of both its shares: circles of the radius √(P² − f²)/|K − m ω²|.
#[test]
fn a_mass_on_a_plane_has_a_response() {
    let document = Document::parse("m.toml", TURNED).unwrap();
    let reading = Reading::new(Memory::default());
    let input = Input::new(&document, &reading);
    let [of_x, of_y] =
        ["x", "y"].map(|axis| format!("planar.force_{axis}.0.harmonic.angular_frequency"));
    let mut asked = Response::parse(&format!("{of_x}+{of_y}=0.8:1.2:3")).unwrap();
    let done = response(&asked, &input, &Context::silent()).unwrap();
    let table = done.table_named("response").unwrap();
    let of = |name: &str| table.numbers(name).unwrap();
    assert_eq!(of("value"), [0.8, 1.0, 1.2]);
    for (i, omega) in of("value").iter().enumerate() {
        let radius = (4.0f64 - 0.25).sqrt() / (4.0 - omega * omega);
        let all = ["amplitude", "amplitude_y", "max_y", "min_y", "peak"].map(|name| of(name)[i]);
        let off = all.map(|a| (a.abs() - radius).abs());
        assert!(off.iter().all(|off| *off < 1e-9), "{omega}: {all:?} {radius}");
    }
    let svg = done.figures[0].content.get();
    assert!(svg.contains("amplitude along y (m)"), "{svg}");
    assert!(svg.contains("angular frequency of force x 0 and force y 0 (rad/s)"), "{svg}");
    let said = done.text.get();
    assert!(said.contains("amplitude up to 0.756442 m along x and 0.756442 m along y"), "{said}");
    asked.second = Some(axis("planar.mass", 1.0, 2.0, 2));
    let said = response(&asked, &input, &Context::silent()).unwrap_err().to_string();
    assert!(said.contains("[oscillator] and [network] models without memory only"), "{said}");
}

/// A mass that a force presses to a rigid rim comes to it in a sweep, and no farther.
#[test]
fn a_rigid_rim_is_swept() {
    let model = TURNED.replace("friction", "rim = { radius = 0.4, restitution = 0.5 }\nfriction");
    let document = Document::parse("m.toml", model.as_str()).unwrap();
    let reading = Reading::new(Memory::default());
    let input = Input::new(&document, &reading);
    let over = Sweep::new(vec![axis("planar.rim.restitution", 0.0, 1.0, 3)]);
    let swept = sweep(&over, &input, &Context::silent()).unwrap();
    let peak = swept.table_named("sweep").unwrap().numbers("peak").unwrap();
    assert!(peak.len() == 3 && peak.iter().all(|p| (p - 0.4).abs() < 1e-9), "{peak:?}");
}

/// Where a frequency is written in Hz, in the range or else in the file, figure and text are in Hz; the table has rad/s.
#[test]
fn a_frequency_in_hertz_is_drawn_in_hertz() {
    let text = |frequency: &str| {
        format!(
            "[oscillator]\nmass = 1.0\nstiffness = 1.0\ndamping = 0.1\nfriction.coulomb.force = 0.1\n\
             [[oscillator.force]]\nharmonic = {{ amplitude = 1.0, angular_frequency = {frequency} }}\n[run]\nend = 1.0\n"
        )
    };
    let key = "oscillator.force.0.harmonic.angular_frequency";
    let drawn = |frequency: &str, range: &str| {
        let document = Document::parse("m.toml", text(frequency)).unwrap();
        let reading = Reading::new(Memory::default());
        let asked = Response::parse(&format!("{key}={range}")).unwrap();
        let input = Input::new(&document, &reading);
        let done = response(&asked, &input, &Context::silent()).unwrap();
        let first = done.table_named("response").unwrap().numbers("value").unwrap()[0];
        (first, done.figures[0].content.get().to_string(), done.text.get().to_string())
    };
    for (frequency, range) in [("1.5", "0.2 Hz:0.25 Hz:3"), ("'0.2 Hz'", "1.25:1.5:3")] {
        let (first, figure, text) = drawn(frequency, range);
        assert!((1.2..1.3).contains(&first), "{first}");
        assert!(figure.contains("(Hz)") && !figure.contains("rad/s"), "{figure}");
        assert!(
            text.contains(&format!("from {:.6} Hz to ", first / std::f64::consts::TAU)),
            "{text}"
        );
    }
    // Of several keys the first is asked.
    let turned = TURNED.replace("angular_frequency = 1.2", "angular_frequency = '0.2 Hz'");
    let document = Document::parse("m.toml", turned).unwrap();
    let reading = Reading::new(Memory::default());
    let both = ["x", "y"].map(|k| format!("planar.force_{k}.0.harmonic.angular_frequency"));
    let asked = Response::parse(&format!("{}=1.1:1.2:2", both.join("+"))).unwrap();
    let done = response(&asked, &Input::new(&document, &reading), &Context::silent()).unwrap();
    assert!(done.figures[0].content.get().contains("frequency of force x 0 and force y 0 (Hz)"));
    let (_, figure, text) = drawn("1.5", "1.25:1.5:3");
    assert!(figure.contains("(rad/s)") && !figure.contains("Hz"), "{figure}");
    assert!(text.contains("from 1.250000 to 1.500000,"), "{text}");
}

/// A slab that turns: a moment M on two isolators at ±2 m, each with f, gives θ̈ = (M − 4 f)/J; and a sweep of it.
#[test]
fn a_slab_on_isolators_is_simulated_and_swept() {
    const SLAB: &str = "[planar]\nmass = 4.0\ninertia = 9.0\nfriction.coulomb.force = 3.0\n\
        [[planar.isolator]]\nname = \"west\"\nat = [-2.0, 0.0]\n[[planar.isolator]]\nname = \"east\"\nat = [2.0, 0.0]\n\
        [[planar.floor]]\nname = \"roof\"\nmass = 1.0\ninertia = 1.0\nstiffness = [9.0, 9.0]\ntorsion = 5.0\n";
    let model =
        format!("{SLAB}[[planar.moment]]\nconstant = 12.9\n[run]\nend = 0.4\nstep = 1e-3\n");
    let document = Document::parse("m.toml", model.as_str()).unwrap();
    let reading = Reading::new(Memory::default());
    let input = Input::new(&document, &reading);
    let product = simulate(&Simulate::default(), &input, &Context::silent()).unwrap();
    let state = &product.summary["end_state"];
    let turned = state["slab"]["theta"].as_f64().unwrap();
    // The roof is soft enough to lag behind: the slab turns as if alone, to a few per cent.
    let alone = 0.5 * (12.9 - 12.0) / 9.0 * 0.4 * 0.4;
    assert!((turned / alone - 1.0).abs() < 0.03, "{turned} {alone}");
    assert_eq!(state["isolators"]["west"]["phase"], "slip");
    let east = state["isolators"]["east"]["y"].as_f64().unwrap();
    assert!((east - 2.0 * turned).abs() < 1e-15);
    assert!(state["floors"]["roof"]["theta"].as_f64().unwrap() > 0.0);
    let options = Sweep::new(vec![axis("planar.inertia", 9.0, 18.0, 2)]);
    let product = sweep(&options, &input, &Context::silent()).unwrap();
    let swept = product.table_named("sweep").unwrap();
    let [peak, residual] = ["peak", "residual"].map(|c| swept.numbers(c).unwrap().to_vec());
    assert!((peak[0] - 2.0 * turned).abs() < 1e-15 && peak == residual, "{peak:?} {residual:?}");
    assert!((peak[1] / peak[0] - 0.5).abs() < 0.02, "{peak:?}");
}

/// The gradient of a mass between walls is that of its exact motion, and not offered for the motion of another scheme.
#[test]
fn gradients_between_walls_are_those_of_the_exact_motion() {
    let asked = |scheme: &str| {
        let text = format!(
            "[impact]\nmass = 2.0\nwall = 0.0\nrestitution = 0.8\n[[impact.force]]\nconstant = -4.0\n\
             [impact.initial]\ndisplacement = 1.0\n[run]\nend = 1.5\n{scheme}"
        );
        let document = Document::parse("m.toml", &text).unwrap();
        let mut asked = Backward::new(vec!["impact.mass".to_owned()]);
        asked.event_times = vec![1.0];
        let reading = Reading::new(Memory::default());
        gradient(&asked, &document, &reading, None, &Context::silent())
    };
    // It is at the floor at t = √(2 m/4).
    assert!((asked("").unwrap().numbers[0] - 0.25).abs() < 1e-11);
    let refused = asked("scheme = \"moreau\"\nstep = 0.001\n").unwrap_err();
    assert!(refused.to_string().contains("this is `moreau`"), "{refused}");
}
