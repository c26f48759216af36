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
    s.write("wall.toml", "[impact]\nmass = 1.0\nwall = 0.0\nrestitution = 0.5\n[impact.initial]\ndisplacement = 1.0\n[run]\nend = 1.0\n");
    s.run(&["certify", "wall.toml"]).failed(1, &["expected an [oscillator]"]);
}
