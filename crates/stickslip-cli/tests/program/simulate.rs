//! `stickslip simulate` on models that are right.

use super::sandbox::{MODEL, Sandbox, columns, numbers};
use std::path::Path;
use stickslip::scheme::oscillator::{euler, exact};
use stickslip::{Law, Oscillator, Signal};

fn shaw() -> Oscillator {
    Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 1.0).unwrap())
        .with_drive(Signal::harmonic(6.0, 0.5, 0.0))
        .starting_at(6.0, 0.0)
}

#[test]
fn files_hold_the_numbers_of_the_library_to_the_last_bit() {
    let sandbox = Sandbox::new();
    sandbox.run(&["simulate", "model.toml", "--out", "results"]).done();
    let files = ["events.csv", "motion.svg", "planes.svg", "summary.json", "trajectory.csv"];
    assert_eq!(sandbox.list("results"), files);
    let path = exact::solve(&shaw(), 40.0).unwrap();

    let events = sandbox.read("results/events.csv");
    assert!(events.starts_with("event,t,where,x,v\nslip,"));
    let times: Vec<f64> = path.events().iter().map(|e| e.time).collect();
    assert_eq!(numbers(&events, "t"), times);

    let table = sandbox.read("results/trajectory.csv");
    assert!(table.starts_with("t,x,v,friction,phase\n"));
    let expected: Vec<_> = path.sample(401).collect();
    assert_eq!(numbers(&table, "t"), expected.iter().map(|r| r.0).collect::<Vec<_>>());
    assert_eq!(numbers(&table, "x"), expected.iter().map(|r| r.1.x).collect::<Vec<_>>());
    assert_eq!(numbers(&table, "v"), expected.iter().map(|r| r.1.v).collect::<Vec<_>>());

    // The support holds the load in stick and opposes a slip: never beyond its law, never pushing.
    let phases = &columns(&table)[4].1;
    for ((f, v), phase) in numbers(&table, "friction").iter().zip(numbers(&table, "v")).zip(phases)
    {
        match phase.as_str() {
            "stick" => assert!(f.abs() <= 1.2 * (1.0 + 1e-12) && v == 0.0),
            "slip+" => assert!(*f == -1.0 && v >= -1e-12),
            "slip-" => assert!(*f == 1.0 && v <= 1e-12),
            other => panic!("{other}"),
        }
    }
}

#[test]
fn the_summary_is_json_and_the_model_can_be_read_from_it() {
    let sandbox = Sandbox::new();
    let printed = sandbox
        .run(&["simulate", "model.toml", "--json", "--out", "results", "--seed", "7"])
        .done()
        .stdout;
    assert_eq!(printed, sandbox.read("results/summary.json"));
    let summary: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(summary["scheme"], "exact");
    assert_eq!(summary["seed"], 7);
    assert_eq!(summary["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(summary["counts"]["events"]["total"], 10);
    assert_eq!(summary["model"]["oscillator"]["friction"]["static-dynamic"]["static"], 1.2);
    assert_eq!(summary["model"]["oscillator"]["damping"], 0.0);
    assert_eq!(summary["model"]["run"]["rows"], 401);
    assert!(summary["solve_seconds"].as_f64().unwrap() > 0.0);
    assert!(summary["energy"]["relative_defect"].as_f64().unwrap() < 1e-12);
    assert!(summary["warnings"].as_array().unwrap().is_empty());
}

#[test]
fn every_step_of_the_euler_scheme() {
    let sandbox = Sandbox::new();
    let args = ["simulate", "model.toml", "--scheme", "euler", "--rows", "steps", "--out", "r"];
    sandbox.run(&args).done();
    let table = sandbox.read("r/trajectory.csv");
    let mut expected = Vec::new();
    euler::run(&shaw(), 40.0, 0.01, |_, s| expected.push((s.x, s.v))).unwrap();
    assert_eq!(numbers(&table, "x"), expected.iter().map(|s| s.0).collect::<Vec<_>>());
    assert_eq!(numbers(&table, "v"), expected.iter().map(|s| s.1).collect::<Vec<_>>());
    // A last step beyond the end of the run is cut there.
    sandbox
        .run(&[
            "simulate",
            "model.toml",
            "--scheme",
            "euler",
            "--rows",
            "steps",
            "--end",
            "1.005",
            "--out",
            "r",
        ])
        .done();
    let times = numbers(&sandbox.read("r/trajectory.csv"), "t");
    assert_eq!((times.len(), times[101]), (102, 1.005));
}

#[test]
fn values_of_the_command_line_win() {
    let sandbox = Sandbox::new();
    let summary = |args: &[&str]| -> serde_json::Value {
        let args: Vec<&str> =
            ["simulate", "model.toml", "--json"].iter().chain(args).copied().collect();
        serde_json::from_str(&sandbox.run(&args).done().stdout).unwrap()
    };
    let s = summary(&[
        "--set",
        "oscillator.mass=2.5",
        "--set",
        "oscillator.drive.0.harmonic.amplitude=3",
        "--end",
        "5",
    ]);
    assert_eq!(s["model"]["oscillator"]["mass"], 2.5);
    assert_eq!(s["model"]["oscillator"]["drive"][0]["harmonic"]["amplitude"], 3.0);
    assert_eq!(s["model"]["run"]["end"], 5.0);
    let s = summary(&[
        "--set",
        "oscillator.friction={coulomb={force=0.5}}",
        "--set",
        "run.scheme=quasi-static",
    ]);
    assert_eq!(s["model"]["oscillator"]["friction"]["coulomb"]["force"], 0.5);
    assert_eq!(s["scheme"], "quasi-static");
    let s = summary(&[
        "--set",
        "oscillator.force=[{constant=0.1},{ramp={rate=0.01}}]",
        "--set",
        "run.end=9",
        "--end",
        "8",
    ]);
    assert_eq!(s["model"]["oscillator"]["force"][1]["ramp"]["rate"], 0.01);
    assert_eq!(s["model"]["run"]["end"], 8.0);
}

#[test]
fn a_bearing_stiffness_adds_its_column() {
    let sandbox = Sandbox::new();
    sandbox
        .run(&["simulate", "model.toml", "--set", "oscillator.bearing_stiffness=4", "--out", "r"])
        .done();
    let table = sandbox.read("r/trajectory.csv");
    assert!(table.starts_with("t,x,v,friction,phase,z\n"));
    let (t, x, z) = (numbers(&table, "t"), numbers(&table, "x"), numbers(&table, "z"));
    let d = Signal::harmonic(6.0, 0.5, 0.0);
    for i in 0..t.len() {
        assert_eq!(z[i], x[i] + 1.0 * (d.value(t[i]) - x[i]) / 4.0);
    }
}

#[test]
fn a_sampled_drive_is_read_beside_the_model() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("deep")).unwrap();
    let drive = "sampled = { file = \"drive.csv\", time = \"when\", value = \"d [mm]\", scale = 0.001, offset = 1.0 }";
    let model = |end: &str| {
        let start = MODEL.find("harmonic").unwrap();
        let rest = start + MODEL[start..].find('\n').unwrap();
        format!("{}{drive}{}", &MODEL[..start], &MODEL[rest..]).replace("end = 40.0", end)
    };
    sandbox.write("deep/model.toml", model("end = 7200.0"));
    // Semicolons, quotes, a byte-order mark, Windows line ends, a comment, a Latin-1 header beside.
    let mut csv = b"\xEF\xBB\xBF# logger 7\r\n\"when\";\"d [mm]\";\"T [\xb0C]\"\r\n".to_vec();
    csv.extend(b"2013-01-31T23:00;0;20\r\n2013-02-01T00:00;\"5000\";21\r\n\r\n2013-02-01T01:00;-2.5e3;22\r\n");
    sandbox.write("deep/drive.csv", csv);
    let ended = sandbox.run(&["simulate", "deep/model.toml", "--json"]).done();
    assert!(ended.stderr.contains("columns are separated by semicolons"), "{}", ended.stderr);
    let summary: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let signal = &summary["model"]["oscillator"]["drive"][0]["sampled"];
    assert_eq!((&signal["samples"], &signal["origin"]), (&3.into(), &"2013-01-31T23:00:00".into()));

    sandbox.write("deep/model.toml", model("end = 7201.0"));
    let short = ["model.toml:18:7", "samples only until 7200.0 s", "separated by semicolons"];
    sandbox.run(&["simulate", "deep/model.toml"]).failed(1, &short);
    sandbox.write("deep/model.toml", model("end = 7200.0"));
    sandbox.write("deep/drive.csv", "when,d [mm]\n0,0\n3600,NA\n7200,1\n");
    sandbox
        .run(&["simulate", "deep/model.toml"])
        .failed(1, &["row 2", "column `d [mm]`", "missing", "remove the row"]);
    sandbox.write("deep/drive.csv", "when,d [mm]\n0,0\n");
    sandbox.run(&["simulate", "deep/model.toml"]).failed(1, &["one row"]);
}

#[test]
fn the_examples_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/shaw/model.toml");
    let sandbox = Sandbox::new();
    let printed = sandbox.run(&["simulate", root.to_str().unwrap()]).done().stdout;
    assert!(printed.contains("exact, 0 to 40.0 s: 4 slips, 3 sticks, 3 reversals"), "{printed}");
}
