//! The reference set: its list, its cases, and scores.

use super::sandbox::Sandbox;
use serde_json::Value;

#[test]
fn a_case_is_listed_written_solved_and_scored() {
    let sandbox = Sandbox::new();
    let listed = sandbox.run(&["reference", "list"]).done().stdout;
    assert!(listed.lines().count() >= 40 && listed.contains("peer-p3"), "{listed}");
    let said = sandbox.run(&["reference", "shaw"]).done().stdout;
    assert!(said.starts_with("# Shaw's harmonic case") && said.contains("f_s = 1.2"), "{said}");
    sandbox.run(&["reference", "shaw", "--out", "case", "-q"]).done();
    assert!(sandbox.read("case/statement.md") == said);
    sandbox.run(&["simulate", "case/model.toml", "--out", "run", "-q"]).done();
    let args = ["score", "run/events.csv", "--case", "shaw", "--json"];
    let score: Value = serde_json::from_str(&sandbox.run(&args).done().stdout).unwrap();
    assert_eq!((&score["missed"], &score["invented"]), (&0.into(), &0.into()), "{score}");
    assert!(score["digits_times"].as_f64().unwrap() > 12.0, "{score}");
    // The file holds events only: no state was given.
    assert!(score["states_missing"].as_u64().unwrap() > 10, "{score}");
}

#[test]
fn our_own_solutions_are_scored_as_a_list() {
    let sandbox = Sandbox::new();
    let args = ["score", "--self", "--case", "incline-hold", "--json"];
    let scores: Value = serde_json::from_str(&sandbox.run(&args).done().stdout).unwrap();
    let one = &scores.as_array().unwrap()[0];
    for key in
        ["case", "grade", "unique", "digits", "missed", "invented", "creep", "energy", "reported"]
    {
        assert!(one.get(key).is_some(), "{key}");
    }
    assert_eq!((one["creep"].as_f64(), one["digits"].as_f64()), (Some(0.0), Some(16.0)));
}

#[test]
fn wrong_requests_are_refused() {
    let sandbox = Sandbox::new();
    for (args, code, what) in [
        (&["score"][..], 2, "--case"),
        (&["score", "x.csv", "--self"], 2, "--self"),
        (&["score", "x.csv", "--case", "shwa"], 2, "no case `shwa`"),
        (&["score", "x.csv", "--case", "shaw"], 1, "cannot read x.csv"),
        (&["reference", "shwa"], 2, "did you mean"),
        (&["reference", "foo"], 2, "`stickslip reference list` lists the cases"),
    ] {
        let ended = sandbox.run(args);
        assert_eq!(ended.code, Some(code), "{args:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(what), "{args:?}: {}", ended.stderr);
    }
}
