//! Certificates of exact runs.

use super::sandbox::Sandbox;
use serde_json::Value;

#[test]
fn an_exact_run_is_proved() {
    let s = Sandbox::new();
    s.run(&["certify", "model.toml", "--out", "c"]).done();
    assert_eq!(s.list("c"), ["certificate.json", "summary.json"]);
    let proof: Value = serde_json::from_str(&s.read("c/certificate.json")).unwrap();
    let arcs = proof["arcs"].as_array().unwrap();
    // 6 cos(t/2) = 6 − 1.2
    let (exit, bounds) = (2.0 * 0.8f64.acos(), arcs[0]["to"].as_array().unwrap());
    let [low, high] = [0, 1].map(|i| bounds[i].as_f64().unwrap());
    assert!(low <= exit.next_up() && exit.next_down() <= high && high - low < 1e-15);
    let summary: Value = serde_json::from_str(&s.read("c/summary.json")).unwrap();
    assert!(summary["events"] == 10 && summary["arcs"] == 11 && summary["unique"] == true);
    let printed = s.run(&["certify", "model.toml"]).done().stdout;
    assert!(printed.starts_with("Proved: 10 events"), "{printed}");
    assert_eq!(printed.lines().filter(|l| l.starts_with("reversal ")).count(), 3);
}

#[test]
fn what_cannot_be_proved_is_refused() {
    let s = Sandbox::new();
    let refused = |args: &[&str], code: i32, parts: &[&str]| {
        s.run(&[&["certify", "model.toml"], args].concat()).failed(code, parts);
    };
    refused(&["--scheme", "euler"], 1, &["only exact runs are certified", "euler"]);
    refused(&["--rows", "10"], 2, &["--rows"]);
    refused(
        &[
            "--set",
            "oscillator.normal=[{constant=1},{harmonic={amplitude=0.1,angular_frequency=1}}]",
        ],
        3,
        &["cannot be certified", "normal force that varies"],
    );
    s.write("net.toml", NETWORK);
    s.run(&["certify", "net.toml"]).failed(1, &["networks are not certified"]);
    s.write("led.toml", LED);
    s.run(&["certify", "led.toml", "--scheme", "hysteresis"])
        .failed(1, &["only exact runs are certified", "hysteresis", "exact or quasi-static"]);
}

const NETWORK: &str = "[[network.node]]\nname = \"a\"\nmass = 1.0\n[[network.spring]]\nbetween = [\"a\", \"ground\"]\nstiffness = 1.0\n[run]\nend = 1.0\nscheme = \"exact\"\n";

/// One element that yields after 1 m.
const LED: &str = "[cascade]\nmass = 1.0\nstiffness = [1.0, 1.0]\nthreshold = [1.0]\n[[cascade.displacement]]\nramp = { rate = 0.5 }\n[run]\nend = 3.0\nscheme = \"quasi-static\"\nstep = 0.1\n";

/// A ball that falls from 1 m under 8 N, and is at rest after 1.5 s.
const BALL: &str = "[impact]\nmass = 1.0\nwall = 0.0\nrestitution = 0.5\n[[impact.force]]\nconstant = -8.0\n[impact.initial]\ndisplacement = 1.0\n[run]\nend = 2.0\n";

#[test]
fn cascades_and_impacts_are_proved() {
    let s = Sandbox::new();
    let certified = |name: &str, model: &str, ending: &str, t: f64| {
        s.write("other.toml", model);
        s.run(&["certify", "other.toml", "--out", name]).done();
        let text = s.read(&format!("{name}/certificate.json"));
        let proof: Value = serde_json::from_str(&text).unwrap();
        let arcs = proof["arcs"].as_array().unwrap();
        let event = arcs.iter().find(|a| a["ending"] == ending).unwrap();
        let [low, high] = [0, 1].map(|i| event["to"][i].as_f64().unwrap());
        assert!(low <= t && t <= high && high - low < 2e-15, "{low} {high}");
        proof
    };
    let led = certified("led", LED, "yield", 2.0);
    // At 1.5 m: 1 N and 0.25 N more.
    let force = [0, 1].map(|i| led["force"][i].as_f64().unwrap());
    assert!(force[0] <= 1.25 && 1.25 <= force[1] && led["elements"].as_array().unwrap().len() == 1);
    let ball = certified("ball", BALL, "rest", 1.5);
    let lost = [0, 1].map(|i| ball["energy"]["impacts"][i].as_f64().unwrap());
    assert!(lost[0] <= 8.0 && 8.0 <= lost[1] && ball["energy"]["friction"].is_null());
}

/// The honest certificates that the checker is tested with are those that the program writes, and name the files that were sampled.
#[test]
fn the_certificates_of_the_corpus_are_those_of_the_program() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let s = Sandbox::new();
    let mut models = Vec::new();
    for entry in std::fs::read_dir(corpus.join("certificate-models")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        s.write(&name, std::fs::read(&path).unwrap());
        models.extend(name.strip_suffix(".toml").map(str::to_owned));
    }
    assert!(models.len() >= 30);
    for name in models {
        s.run(&["certify", &format!("{name}.toml"), "--out", &name]).done();
        let known = std::fs::read_to_string(corpus.join(format!("certificates/{name}.json")));
        assert!(s.read(&format!("{name}/certificate.json")) == known.unwrap(), "{name}");
    }
    let proof: Value = serde_json::from_str(&s.read("creeping/certificate.json")).unwrap();
    // By another program: sha256sum drive.csv
    let known = "faaa2b5366e51bb3b9d062a36f0c181375bb7f7104b80702c865e59d9d689c39";
    assert_eq!(proof["model"]["files"][0]["name"], "drive.csv");
    assert_eq!(proof["model"]["files"][0]["sha256"], known);
    let printed = s.run(&["certify", "creeping.toml"]).done().stdout;
    assert!(printed.contains(&format!("drive.csv: SHA-256 {known}")), "{printed}");
    // What was asked for on the command line is in the model that is bound.
    s.run(&["certify", "slips.toml", "--set", "oscillator.mass=1.5", "--out", "heavy"]).done();
    let heavy: Value = serde_json::from_str(&s.read("heavy/certificate.json")).unwrap();
    let slips: Value = serde_json::from_str(&s.read("slips/certificate.json")).unwrap();
    assert_eq!(heavy["problem"]["mass"], 1.5);
    assert_eq!(heavy["model"]["resolved"]["oscillator"]["mass"], 1.5);
    assert_ne!(heavy["model"]["sha256"], slips["model"]["sha256"]);
}
