//! `stickslip calibrate` on records that are right.

use super::sandbox::{Sandbox, columns, numbers};
use std::path::Path;

/// The parameters behind both made-up records.
const TRUTH: [(&str, f64, f64); 5] = [
    ("z0", 9.67e-3, 0.01),
    ("K", 1.89e8, 0.03),
    ("f_d", 0.42e6, 0.03),
    ("f_s", 0.47e6, 0.03),
    ("beta", 3.06e-4, 0.01),
];

fn check(fit: &serde_json::Value) {
    for (name, truth, tolerance) in TRUTH {
        let found = &fit["parameters"][name];
        let value = found["value"].as_f64().unwrap();
        assert!((value / truth - 1.0).abs() < tolerance, "{name}: {value} for {truth}");
        assert_eq!(found["identifiable"], true);
        assert!(found["stderr"].is_f64() && found["ci95"].is_array() && found["unit"].is_string());
    }
    for (name, truth) in [("f_s_over_K", 0.47e6 / 1.89e8), ("f_d_over_K", 0.42e6 / 1.89e8)] {
        let value = fit[name]["value"].as_f64().unwrap();
        assert!((value / truth - 1.0).abs() < 0.01, "{name}: {value} for {truth}");
    }
}

#[test]
fn the_bundled_year() {
    let example =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bearing-year/fit.toml");
    let sandbox = Sandbox::new();
    let ended =
        sandbox.run(&["calibrate", example.to_str().unwrap(), "--out", "r", "--json"]).done();
    assert!(
        ended.stderr.contains("warning (worth knowing): the drive is missing for more than 6.0 h")
    );
    assert_eq!(
        sandbox.list("r"),
        [
            "events.csv",
            "fit.csv",
            "fit.json",
            "plane.svg",
            "profiles.svg",
            "record.svg",
            "report.html",
            "residuals.svg",
            "summary.json",
            "surface.svg"
        ]
    );
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let (fit, summary) = (json(&sandbox.read("r/fit.json")), json(&ended.stdout));
    check(&fit);
    assert_eq!(summary["fit"], fit);
    assert_eq!((&summary["command"], &summary["scheme"]), (&"calibrate".into(), &"global".into()));
    assert!(fit["seconds"].as_f64().unwrap() > 0.0);

    let table = sandbox.read("r/fit.csv");
    let names: Vec<String> = columns(&table).into_iter().map(|c| c.0).collect();
    assert_eq!(names, ["t", "drive", "measured", "fitted", "x", "phase", "time"]);
    let count = |key: &str| fit[key].as_u64().unwrap();
    let samples = count("samples") + count("missing") + count("outliers");
    assert_eq!(columns(&table)[0].1.len() as u64, samples);
    let events = sandbox.read("r/events.csv");
    assert_eq!(numbers(&events, "t").len() as u64, 2 * fit["slips"].as_u64().unwrap());

    let report = sandbox.read("r/report.html");
    assert!(report.starts_with("<!DOCTYPE html>") && report.contains("<svg"));
    for outside in ["src=\"http", "href=\"http", "@import", "url(http"] {
        assert!(!report.contains(outside), "{outside}");
    }
}

#[test]
fn the_template_and_its_record() {
    let sandbox = Sandbox::new();
    sandbox.run(&["new", "calibrate", "fit.toml"]).done();
    let printed = sandbox.run(&["calibrate", "fit.toml", "--json"]).done().stdout;
    check(&serde_json::from_str::<serde_json::Value>(&printed).unwrap()["fit"]);
    let printed = sandbox.run(&["calibrate", "fit.toml"]).done().stdout;
    assert!(printed.contains("slips") && printed.contains("95 % interval"), "{printed}");
}

#[test]
fn without_a_bearing_stiffness_no_number_is_printed_for_k() {
    let sandbox = Sandbox::new();
    sandbox.run(&["new", "calibrate", "fit.toml"]).done();
    let fit = sandbox.read("fit.toml").replace("bearing_stiffness", "# bearing_stiffness");
    sandbox.write("fit.toml", fit);
    let printed = sandbox.run(&["calibrate", "fit.toml", "--json"]).done().stdout;
    let summary: serde_json::Value = serde_json::from_str(&printed).unwrap();
    let stiffness = &summary["fit"]["parameters"]["K"];
    assert!(stiffness["value"].is_null() && stiffness["identifiable"] == false);
    assert!(summary["fit"]["f_s_over_K"]["value"].is_f64());
    let printed = sandbox.run(&["calibrate", "fit.toml"]).done().stdout;
    assert!(printed.contains("unknown") && printed.contains("K_BP is not given"), "{printed}");
}

#[test]
fn a_part_of_the_record() {
    let sandbox = Sandbox::new();
    sandbox.run(&["new", "calibrate", "fit.toml"]).done();
    let fit = sandbox.read("fit.toml");
    let fit = fit.replace("# start = \"2013-03-01\"", "start = \"2024-04-01T00:00:00Z\"");
    let fit = fit.replace("# end = \"2013-09-01\"", "end = \"2024-05-01T00:00:00Z\"");
    sandbox.write("fit.toml", fit);
    let printed = sandbox.run(&["calibrate", "fit.toml", "--json"]).done().stdout;
    let summary: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(summary["fit"]["samples"], 30 * 24 + 1);
}

/// Local times jump over an hour in spring, some rows come twice: the same fit as in UTC, with remarks.
#[test]
fn local_times_and_repeated_rows() {
    let sandbox = Sandbox::new();
    sandbox.run(&["new", "calibrate", "fit.toml"]).done();
    let fitted = |remarks: &[&str]| -> serde_json::Value {
        let ended = sandbox.run(&["calibrate", "fit.toml", "--json"]).done();
        let summary: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
        // Rows that repeat are a footnote, a clock that was changed is a remark.
        let said = format!("{}{}", ended.stderr, summary["notices"]);
        remarks.iter().for_each(|remark| assert!(said.contains(remark), "{remark}: {said}"));
        summary["fit"]["parameters"].clone()
    };
    let (template, data) = (sandbox.read("fit.toml"), sandbox.read("bearing.csv"));
    let utc = fitted(&[]);
    let mut local = String::new();
    for (i, line) in data.lines().enumerate() {
        let Some((stamp, rest)) = line.split_once("Z,") else {
            local += &format!("{line}\n");
            continue;
        };
        let instant: jiff::Timestamp = format!("{stamp}Z").parse().unwrap();
        // Berlin: an hour ahead, two from 31 March 2024, 01:00 UTC, on.
        let ahead = if stamp >= "2024-03-31T01:00:00" { 2 } else { 1 };
        let shown = (instant + jiff::SignedDuration::from_hours(ahead)).to_string();
        let row = format!("{},{rest}\n", shown.trim_end_matches('Z'));
        local += &if i % 500 == 7 { row.repeat(2) } else { row };
    }
    sandbox.write("bearing.csv", &local);
    assert_eq!(fitted(&["6 rows repeat earlier ones", "set on an hour at 2024-03-31"]), utc);
    if jiff::tz::TimeZone::get("Europe/Berlin").is_ok() {
        let zone = "time = \"time\"\ntime_zone = \"Europe/Berlin\"\n#";
        sandbox.write("fit.toml", template.replacen("time = \"time\"", zone, 1));
        assert_eq!(fitted(&["6 rows repeat earlier ones"]), utc);
    }
    sandbox
        .write("fit.toml", template.replacen("[data]", "[data]\ntime_zone = \"Mars/Olympus\"", 1));
    sandbox.run(&["calibrate", "fit.toml"]).failed(1, &["not a known time zone", "Europe/Berlin"]);
}
