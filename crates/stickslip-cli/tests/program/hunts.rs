//! Loops that hunt, as the program tells them.

use super::sandbox::Sandbox;

/// A mass that a PID brings to 1 m; case M6-a of an independent program.
const LOOP: &str = "title = 'An axis'\n[[network.node]]\nname = 'axis'\nmass = 1.0\n\
    [[network.slider]]\nname = 'guide'\nbetween = ['axis', 'ground']\nstatic = 1.0\ndynamic = 0.7\n\
    [[network.controller]]\nname = 'pid'\nof = 'axis'\non = 'axis'\nreference = 1.0\n\
    proportional = 6.5\nintegral = 8.5\nderivative = 3.0\n[run]\nend = 20.0\n";

fn json(s: &Sandbox, file: &str) -> serde_json::Value {
    serde_json::from_str(&s.read(file)).unwrap()
}

#[test]
fn a_loop_that_hunts_is_told() {
    let s = Sandbox::new();
    s.write("loop.toml", LOOP);
    let said = s.run(&["hunt", "loop.toml"]).done().stdout;
    s.run(&["hunt", "loop.toml", "--out", "h"]).done();
    assert!(said.contains("The loop of `pid` hunts from 5 of 5 starts"), "{said}");
    let found = json(&s, "h/hunt.json");
    assert_eq!(found["verdict"], "hunts");
    let of = |key: &str| found["cycles"][0][key].as_f64().unwrap();
    // Period and half of the distance between the places at which it rests, in the case.
    assert!((of("period") - 14.99567536641).abs() < 1e-9, "{found}");
    assert!((of("amplitude") - 0.02997012983188513).abs() < 1e-10, "{found}");
    assert_eq!(s.read("h/starts.csv").lines().count(), 6);
    assert!(s.read("h/cycles.csv").starts_with("cycle,period,amplitude,"));
}

#[test]
fn a_loop_that_rests_is_told() {
    let s = Sandbox::new();
    s.write("loop.toml", LOOP.replace("integral = 8.5\n", ""));
    let said = s.run(&["hunt", "loop.toml", "--starts", "1,-2"]).done().stdout;
    s.run(&["hunt", "loop.toml", "--out", "h", "--starts", "1,-2"]).done();
    assert!(said.contains("comes to rest within ± "), "{said}");
    assert!(said.contains("from all 2 starts that were tried"), "{said}");
    let found = json(&s, "h/hunt.json");
    assert!(found["rest_error"].as_f64().unwrap() <= 1.0 / 6.5);
    assert!((found["starts"][1]["error"].as_f64().unwrap() + 2.0).abs() < 1e-12);
}

/// Without friction s³ + 3 s² + 6.5 s + I is stable for I < 19.5; without an integral friction ends it.
#[test]
fn gains_make_a_map() {
    let s = Sandbox::new();
    s.write("loop.toml", LOOP);
    let gains = "network.controller.0.integral=0:24:3";
    s.run(&["hunt", "loop.toml", "--out", "h", "--vary", gains, "--within", "600"]).done();
    let table = s.read("h/hunt.csv");
    let rows: Vec<Vec<&str>> = table.lines().map(|l| l.split(',').collect()).collect();
    assert_eq!(rows[0][1..5], ["hunts", "rests", "unstable", "undecided"]);
    assert_eq!(rows[1][..5], ["0.0", "0", "1", "0", "0"]);
    assert_eq!(rows[2][..5], ["12.0", "1", "0", "0", "0"]);
    assert_eq!(rows[3][..5], ["24.0", "0", "0", "1", "0"]);
}

#[test]
fn what_is_no_loop_is_refused() {
    let s = Sandbox::new();
    s.run(&["hunt", "model.toml"]).failed(1, &["network.controller"]);
    let moving = LOOP.replace("reference = 1.0", "reference = [{ ramp = { rate = 0.1 } }]");
    s.write("loop.toml", moving).run(&["hunt", "loop.toml"]).failed(1, &["constant"]);
    s.write("loop.toml", LOOP);
    s.run(&["orbit", "loop.toml"]).failed(3, &["nothing drives the loop", "`hunt` says"]);
    s.run(&["hunt", "loop.toml", "--within", "-1"]).failed(2, &["expected a finite number > 0"]);
}
