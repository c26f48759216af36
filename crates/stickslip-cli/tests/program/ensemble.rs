//! `stickslip ensemble`, `merge`, and noise in the other commands.

use super::sandbox::{Sandbox, columns, numbers};
use std::path::Path;

/// Shaw's oscillator under a perturbed drive, briefly.
const NOISY: &str = r#"[oscillator]
mass = 1.0
stiffness = 1.0
[oscillator.friction.static-dynamic]
static = 1.2
dynamic = 1.0
[[oscillator.drive]]
harmonic = { amplitude = 6.0, angular_frequency = 0.5 }
[[oscillator.drive]]
ornstein-uhlenbeck = { rate = 1.0, intensity = 1.0, scale = 1.5 }
[run]
end = 10.0
scheme = "euler"
step = 0.02
seed = 5
"#;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("noisy.toml", NOISY);
    sandbox
}

/// Two masses, one of them shaken, on two contacts.
const SHAKEN: &str = r#"title = "shaken"
[[network.node]]
name = "a"
mass = 1.0
[[network.node]]
name = "b"
mass = 0.5
[[network.spring]]
between = ["a", "ground"]
stiffness = 2.0
[[network.spring]]
between = ["a", "b"]
stiffness = 3.0
[[network.slider]]
name = "base"
between = ["a", "ground"]
static = 0.5
dynamic = 0.4
[[network.slider]]
name = "joint"
between = ["a", "b"]
static = 0.3
[[network.force]]
on = "b"
kanai-tajimi = { angular_frequency = 4.0, damping_ratio = 0.5, intensity = 0.6 }
[run]
end = 5.0
scheme = "implicit-euler"
step = 0.02
"#;

/// A cascade of three elements under noise; its scheme has no step, its noise needs one.
const CASCADE: &str = r#"[cascade]
mass = 1.0
stiffness = [3.0, 2.0, 1.5, 1.0]
threshold = [0.5, 0.8, 0.3]
[[cascade.force]]
ornstein-uhlenbeck = { rate = 1.0, intensity = 2.5 }
[run]
end = 5.0
step = 0.02
"#;

#[test]
fn networks_have_named_columns_and_merge() {
    let s = sandbox();
    s.write("shaken.toml", SHAKEN);
    let run = |paths: &str, out: &str| {
        let args = ["ensemble", "shaken.toml", "--paths", paths, "--out", out, "--final"];
        s.run(&args).done();
    };
    run("60", "whole");
    run("0..13", "a");
    run("13..60", "b");
    s.run(&["merge", "b/partial.json", "a/partial.json", "--out", "merged"]).done();
    let written =
        ["ensemble.csv", "durations.csv", "durations.svg", "partial.json", "spectrum.csv"];
    for file in written {
        assert!(s.read(&format!("whole/{file}")) == s.read(&format!("merged/{file}")), "{file}");
    }
    let table = s.read("whole/ensemble.csv");
    let last = s.read("whole/final.csv");
    // The last row is the law of the final states.
    for name in ["x_a", "v_a", "x_b", "v_b"] {
        let states = numbers(&last, name);
        let mean = states.iter().sum::<f64>() / states.len() as f64;
        let column = numbers(&table, &format!("mean_{name}"));
        assert!((column[column.len() - 1] - mean).abs() < 1e-12, "{name}");
    }
    assert_eq!(numbers(&table, "stick_fraction_joint")[0], 1.0);
    let durations = s.read("whole/durations.csv");
    assert!(durations.starts_with("contact,from,to,count\nbase,"), "{durations:.80}");
    let summary: serde_json::Value = serde_json::from_str(&s.read("whole/summary.json")).unwrap();
    let single = &summary["contacts"]["joint"]["slip_duration"]["count"];
    let joint = durations.lines().filter(|l| l.starts_with("joint,"));
    let counted: u64 = joint.map(|l| l.rsplit(',').next().unwrap().parse::<u64>().unwrap()).sum();
    assert_eq!(single.as_u64(), Some(counted));
    assert_eq!(summary["scheme"], "implicit-euler");
}

#[test]
fn damaged_parts_are_told_and_names_are_quoted() {
    let s = sandbox();
    s.write("shaken.toml", SHAKEN.replace("\"joint\"", "'a, \"b\"'"));
    s.run(&["ensemble", "shaken.toml", "--paths", "8", "--out", "e"]).done();
    let header = s.read("e/ensemble.csv").lines().next().unwrap().to_owned();
    assert!(header.contains(",\"stick_fraction_a, \"\"b\"\"\","), "{header}");
    assert!(s.read("e/durations.csv").contains("\n\"a, \"\"b\"\"\","));
    let part = s.read("e/partial.json");
    let damage = |from: &str, to: &str| {
        assert!(part.contains(from), "{from}");
        s.write("bad.json", part.replacen(from, to, 1));
        s.run(&["merge", "bad.json", "e/partial.json"])
            .failed(1, &["bad.json", "run that part again"]);
    };
    damage("\"at_rest\":[8,", "\"at_rest\":[");
    damage("\"bins\":[0,", &format!("\"bins\":[{}", "0,".repeat(20_000)));
    damage("\"bins\":[0,", "\"bins\":[1,");
    damage("\"v\":[", "\"v\":[0.5,");
    damage("{\"start\":0,\"end\":8}", "{\"start\":8,\"end\":0}");
}

#[test]
fn cascades_and_networks_in_the_other_studies() {
    let s = sandbox();
    s.write("shaken.toml", SHAKEN);
    s.write("cascade.toml", CASCADE);
    let text = s.run(&["ensemble", "cascade.toml", "--paths", "20"]).done().stdout;
    assert!(text.contains("contact 3") && text.contains("lost to all of them"), "{text}");
    let args =
        ["sweep", "cascade.toml", "--vary", "cascade.mass=1:2:3", "--paths", "8", "--out", "w"];
    s.run(&args).done();
    let swept = s.read("w/sweep.csv");
    assert!(swept.starts_with("cascade.mass,slips,stick_share,dissipated,end_x,end_sd\n1.0,"));
    // A mass between walls has impacts in place of slips; parts of the sweep know that, too.
    let ball = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/bouncing-ball/model.toml");
    let args = ["sweep", ball, "--vary", "impact.mass=1:2:3"];
    s.run(&[&args[..], &["--out", "b"]].concat()).done();
    let whole = s.read("b/sweep.csv");
    let header = "impact.mass,impacts,rest_share,lost_in_impacts,end_x,end_sd\n1.0,";
    assert!(whole.starts_with(header), "{whole}");
    assert!(numbers(&whole, "impacts").iter().all(|n| *n > 1.0), "{whole}");
    for part in ["1/2", "2/2"] {
        let out = format!("p{}", &part[..1]);
        s.run(&[&args[..], &["--part", part, "--out", &out]].concat()).done();
    }
    s.run(&["merge", "p1/partial.json", "p2/partial.json", "--out", "m"]).done();
    assert_eq!(s.read("m/sweep.csv"), whole);
    let args =
        ["sweep", "shaken.toml", "--vary", "network.slider.0.static=0.4:0.8:2", "--paths", "8"];
    let text = s.run(&args).done().stdout;
    assert!(text.contains("end_x_a") && text.contains("end_sd_b"), "{text}");
    let text =
        s.run(&["converge", "shaken.toml", "--halvings", "3", "--paths", "10"]).done().stdout;
    assert!(text.contains("mean of 10 paths"), "{text}");
    s.run(&["simulate", "shaken.toml", "--scheme", "sign-euler"]).done();
    s.run(&["ensemble", "shaken.toml", "--paths", "5", "--explicit-sign"]).done();
    // Each scheme of a network is halved by itself.
    let quiet = SHAKEN.replace(
        "kanai-tajimi = { angular_frequency = 4.0, damping_ratio = 0.5, intensity = 0.6 }",
        "constant = 1.5",
    );
    assert!(quiet != SHAKEN);
    s.write("quiet.toml", &quiet);
    let errors = ["implicit-euler", "theta", "sign-euler"].map(|scheme| {
        s.run(&["converge", "quiet.toml", "--scheme", scheme, "--halvings", "2", "--out", scheme])
            .done();
        numbers(&s.read(&format!("{scheme}/convergence.csv")), "error")[0]
    });
    assert!(
        errors[0] != errors[1] && errors[0] != errors[2] && errors[1] != errors[2],
        "{errors:?}"
    );
    // What has no meaning is told.
    let refused = |args: &[&str], code: i32, said: &[&str]| s.run(args).failed(code, said);
    refused(&["ensemble", "cascade.toml", "--paths", "3", "--explicit-sign"], 3, &["no mass"]);
    refused(
        &["ensemble", "shaken.toml", "--paths", "3", "--scheme", "exact"],
        2,
        &["under noise paths advance in steps", "`theta`, `implicit-euler`, `sign-euler`"],
    );
    refused(&["converge", "shaken.toml", "--against", "exact"], 2, &["leave --against out"]);
    let rows = ["ensemble", "shaken.toml", "--paths", "3", "--rows", "9000", "--step", "0.0001"];
    refused(&rows, 1, &["2 to 5000 rows"]);
}

/// A lightly damped mass under white noise, whose variance is s_B²/(2 c K) = 3.125 in the end.
const LIGHT: &str = r#"[oscillator]
mass = 1.0
stiffness = 1.0
damping = 0.04
friction.coulomb = { force = 0.0 }
[[oscillator.force]]
white = { intensity = 0.5 }
[run]
end = 150.0
step = 0.1
"#;

/// The scheme that a file or the command line names is the one in which paths advance, in every study, or it is refused. Without
/// one the variance is right at T/63; the scheme of the papers and implicit Euler are off by what they say.
/// A mass on a law with memory has paths, by the one scheme that it has for them, and says what the steps take.
#[test]
fn paths_of_a_law_with_memory_advance_by_implicit_euler() {
    let s = Sandbox::new();
    let model = "[oscillator]\nmass = 1.0\nstiffness = 25.0\ndamping = 0.5\n\
                 friction.lugre = { static = 1.5, dynamic = 1.0, velocity = 0.05, stiffness = 1e3, damping = 5.0, viscous = 0.4 }\n\
                 force = [{ white = { intensity = 0.7 } }]\n[run]\nend = 2.0\nstep = 1e-3\n";
    s.write("m.toml", model);
    s.run(&["ensemble", "m.toml", "--paths", "4", "--out", "r"]).done();
    let summary: serde_json::Value = serde_json::from_str(&s.read("r/summary.json")).unwrap();
    assert_eq!(summary["scheme"], "implicit-euler");
    let said = summary["warnings"].to_string();
    assert!(said.contains("as long as the contact does not slip"), "{said}");
    s.run(&["ensemble", "m.toml", "--paths", "4", "--scheme", "theta"])
        .failed(3, &["theta", "implicit-euler"]);
}

#[test]
fn a_scheme_is_honoured_or_refused() {
    let s = Sandbox::new();
    s.write("light.toml", LIGHT);
    let network = SHAKEN.replace("scheme = \"implicit-euler\"\n", "");
    s.write("net.toml", &network);
    let cascade = "[cascade]\nmass = 1.0\nstiffness = [3.0, 2.0, 1.5]\nthreshold = [0.5, 0.8]\n\
                   [[cascade.force]]\nornstein-uhlenbeck = { rate = 1.0, intensity = 1.5 }\n\
                   [run]\nend = 5.0\nstep = 0.02\n";
    s.write("cascade.toml", cascade);
    let scheme = |args: &[&str], out: &str| {
        s.run(&[args, &["--out", out]].concat()).done();
        let summary: serde_json::Value =
            serde_json::from_str(&s.read(&format!("{out}/summary.json"))).unwrap();
        let warnings = summary["warnings"].to_string();
        (summary["scheme"].as_str().unwrap().to_owned(), warnings)
    };
    for (file, names) in [
        ("light.toml", &["theta", "euler", "implicit-euler", "sign-euler"][..]),
        ("net.toml", &["theta", "implicit-euler", "sign-euler"]),
        ("cascade.toml", &["theta", "implicit-euler"]),
    ] {
        let args = ["ensemble", file, "--paths", "3", "--end", "5"];
        assert_eq!(scheme(&args, "usual").0, "theta", "{file}");
        for name in names {
            let (text, out) = (s.read(file), format!("{file}-{name}"));
            s.write(
                "named.toml",
                text.replace("[run]\n", &format!("[run]\nscheme = \"{name}\"\n")),
            );
            let named = ["ensemble", "named.toml", "--paths", "3", "--end", "5"];
            assert_eq!(scheme(&named, &out).0, *name, "{file}");
            assert_eq!(scheme(&[&args[..], &["--scheme", name]].concat(), &out).0, *name, "{file}");
            let converge =
                ["converge", "named.toml", "--paths", "2", "--end", "2", "--halvings", "1"];
            if *name != "sign-euler" {
                assert_eq!(scheme(&converge, &format!("{out}-converge")).0, *name, "{file}");
            }
        }
        let text = s.read(file).replace("[run]\n", "[run]\nscheme = \"exact\"\n");
        s.write("exact.toml", text);
        let refused = ["ensemble", "exact.toml", "--paths", "3"];
        // The advice works as it stands: one file serves `simulate` and `ensemble`.
        s.run(&refused).failed(1, &["the scheme is `exact`", "by `theta`", "give --scheme theta"]);
        let with = [&refused[..], &["--scheme", "theta"]].concat();
        assert_eq!(scheme(&with, "exact-file").0, "theta");
    }
    let sweep =
        ["sweep", "light.toml", "--vary", "oscillator.mass=1:2:2", "--paths", "3", "--end", "5"];
    assert_eq!(scheme(&sweep, "s").0, "theta");
    let (name, warnings) = scheme(&[&sweep[..], &["--scheme", "euler"]].concat(), "s");
    assert!(name == "euler" && warnings.contains("drives the motion"), "{warnings}");

    let ensemble = |scheme_: &str| {
        let all =
            scheme(&["ensemble", "light.toml", "--paths", "2000", "--scheme", scheme_], scheme_);
        let variance = numbers(&s.read(&format!("{scheme_}/ensemble.csv")), "var_x");
        // The mean over the last quarter of the run: the spread of one variance of 2000 paths is 3.2 %.
        let last = &variance[150..];
        (last.iter().sum::<f64>() / last.len() as f64, all.1)
    };
    // s_B²/(2cK) (1 − e^{−c t}) on average over the last quarter.
    let exact = 3.125 * (1.0 - (f64::exp(-4.5) - f64::exp(-6.0)) / 1.5);
    let (variance, warnings) = ensemble("theta");
    assert!((variance / exact - 1.0).abs() < 0.08 && warnings == "[]", "{variance} {warnings}");
    let (variance, warnings) = ensemble("euler");
    assert!(variance > 10.0 * exact && warnings.contains("drives the motion"), "{variance}");
    // hK = 0.1 beside c = 0.04.
    let (variance, warnings) = ensemble("implicit-euler");
    assert!((variance / (3.125 * 0.04 / 0.14) - 1.0).abs() < 0.15, "{variance}");
    assert!(warnings.contains("damps the motion"), "{warnings}");
}

#[test]
fn parts_merge_to_the_bytes_of_one_run() {
    let s = sandbox();
    let run = |paths: &str, out: &str, threads: &str| {
        let args = [
            "ensemble",
            "noisy.toml",
            "--paths",
            paths,
            "--threads",
            threads,
            "--out",
            out,
            "--final",
        ];
        s.run(&args).done();
    };
    run("300", "whole", "1");
    run("0..101", "a", "2");
    run("101..300", "b", "1");
    s.run(&["merge", "b/partial.json", "a/partial.json", "--out", "merged"]).done();
    let written = ["ensemble.csv", "partial.json", "ensemble.svg", "histogram.svg", "spectrum.csv"];
    for file in written {
        assert!(s.read(&format!("whole/{file}")) == s.read(&format!("merged/{file}")), "{file}");
    }
    let (table, last) = (s.read("whole/ensemble.csv"), s.read("whole/final.csv"));
    assert!(table.starts_with("t,mean_x,var_x,mean_v,var_v,p05_x,p50_x,p95_x,stick_fraction"));
    assert_eq!(numbers(&table, "t").len(), 201);
    assert!(last.starts_with("path,x,v\n0,"));
    // The last row is the mean of the final states, and the parts' states are the whole's.
    let x = numbers(&last, "x");
    let mean = x.iter().sum::<f64>() / 300.0;
    assert!((numbers(&table, "mean_x")[200] - mean).abs() < 1e-12);
    assert_eq!(numbers(&s.read("b/final.csv"), "x"), x[101..]);

    let spectrum = s.read("whole/spectrum.csv");
    assert!(spectrum.starts_with("f,psd_x,psd_v\n"));
    assert!(numbers(&spectrum, "psd_x").iter().all(|p| *p > 0.0));

    // Quantiles on request, from the final states.
    let merge = ["merge", "a/partial.json", "b/partial.json", "--quantiles", "0.1,0.985"];
    s.run(&[&merge[..], &["--out", "q"]].concat()).done();
    let table = s.read("q/ensemble.csv");
    assert!(table.lines().next().is_some_and(|l| l.ends_with(",p10_x,p98.5_x,p10_v,p98.5_v")));
    let mut sorted = x.clone();
    sorted.sort_by(f64::total_cmp);
    let high = numbers(&table, "p98.5_x")[200];
    assert!(sorted[293] <= high && high <= sorted[297], "{high}");
    s.run(&["merge", "a/partial.json", "b/partial.json", "--quantiles", "1.5"])
        .failed(2, &["between 0 and 1"]);

    s.run(&["merge", "a/partial.json", "whole/partial.json"])
        .failed(1, &["paths 0 to 101", "each once"]);
    s.run(&["ensemble", "noisy.toml", "--paths", "300..310", "--seed", "6", "--out", "c"]).done();
    s.run(&["merge", "a/partial.json", "c/partial.json"]).failed(1, &["different plans"]);
    s.write("old.json", s.read("a/partial.json").replacen(env!("CARGO_PKG_VERSION"), "0.0.1", 1));
    s.run(&["merge", "a/partial.json", "old.json"]).failed(1, &["stickslip 0.0.1", "one version"]);
    s.write("torn.json", &s.read("a/partial.json")[..5000]);
    s.run(&["merge", "a/partial.json", "torn.json"])
        .failed(1, &["torn.json", "not a partial result"]);
}

#[test]
fn what_cannot_be_is_refused() {
    let s = sandbox();
    let ensemble = |more: &[&str]| {
        let mut args = vec!["ensemble", "noisy.toml"];
        args.extend_from_slice(more);
        s.run(&args)
    };
    for paths in ["0", "-3", "5..5", "9..2", "many"] {
        ensemble(&["--paths", paths]).failed(2, &["expected"]);
    }
    ensemble(&["--paths", "10", "--scheme", "exact"])
        .failed(2, &["under noise paths advance in steps", "leave --scheme out"]);
    ensemble(&["--paths", "10", "--rows", "1"]).failed(1, &["`run.rows` is 1"]);
    ensemble(&["--paths", "10", "--rows", "700"]).failed(1, &["`run.rows` is 700", "2 to 501"]);
    let ou = "oscillator.drive.1.ornstein-uhlenbeck";
    for (key, value) in [("rate", "0"), ("rate", "-1"), ("intensity", "0"), ("intensity", "nan")] {
        let set = format!("{ou}.{key}={value}");
        ensemble(&["--paths", "10", "--set", &set]).failed(1, &[key, "> 0"]);
    }
    s.write(
        "white.toml",
        NOISY.replace(
            "ornstein-uhlenbeck = { rate = 1.0, intensity = 1.0, scale = 1.5 }",
            "white = { intensity = 1.0 }",
        ),
    );
    s.run(&["simulate", "white.toml"]).failed(1, &["white.toml:10:1", "[[oscillator.force]]"]);
    s.write("stepless.toml", NOISY.replace("step = 0.02", "").replace("euler", "exact"));
    s.run(&["simulate", "stepless.toml"]).failed(1, &["`run.step` is missing", "path of a noise"]);
    s.write("stepless.toml", NOISY.replace("step = 0.02", "").replace("scheme = \"euler\"", ""));
    s.run(&["ensemble", "stepless.toml", "--paths", "3"]).failed(1, &["`run.step` is missing"]);
    s.run(&["converge", "noisy.toml", "--against", "exact"]).failed(2, &["leave --against out"]);
    let coarse = ensemble(&["--paths", "3", "--step", "1"]).done();
    assert!(coarse.stderr.contains("coarse for the noise"), "{}", coarse.stderr);
    s.run(&["ensemble", "model.toml", "--paths", "3"]).failed(1, &["no noise"]);
    let calm = s.run(&["ensemble", "model.toml", "--paths", "3", "--scheme", "theta"]).done();
    assert!(calm.stderr.contains("no noise"), "{}", calm.stderr);
}

/// One path by two schemes, and refined: halving the step halves the distance.
#[test]
fn one_path_by_steps_and_by_events() {
    let s = sandbox();
    let end = |scheme: &str, step: &str| {
        let args = ["simulate", "noisy.toml", "--scheme", scheme, "--step", step, "--json"];
        let summary: serde_json::Value = serde_json::from_str(&s.run(&args).done().stdout).unwrap();
        summary["end_state"]["x"].as_f64().unwrap()
    };
    let exact = end("exact", "0.0003125");
    let far = |step| (end("euler", step) - exact).abs();
    assert!(far("0.00125") < 0.3 * far("0.01"), "{} {}", far("0.00125"), far("0.01"));
    assert!(far("0.00125") < 0.05);
}

#[test]
fn converge_averages_over_paths() {
    let s = sandbox();
    let args =
        ["converge", "noisy.toml", "--end", "5", "--step", "0.05", "--paths", "40", "--out", "r"];
    s.run(&args).done();
    let table = s.read("r/convergence.csv");
    assert!(table.starts_with("h,error,ratio,order,spread,standard_error\n"));
    let orders = columns(&table)[3].1.clone();
    assert!(
        orders[..6].iter().all(|o| (o.parse::<f64>().unwrap() - 1.0).abs() < 0.2),
        "{orders:?}"
    );
}

#[test]
fn sweeps_with_and_without_noise() {
    let s = sandbox();
    let scale = "oscillator.drive.1.ornstein-uhlenbeck.scale=0:3:4";
    s.run(&["sweep", "noisy.toml", "--vary", scale, "--paths", "64", "--out", "r"]).done();
    let table = s.read("r/sweep.csv");
    assert_eq!(
        numbers(&table, "oscillator.drive.1.ornstein-uhlenbeck.scale"),
        [0.0, 1.0, 2.0, 3.0]
    );
    let sd = numbers(&table, "end_sd");
    assert!(sd[0] == 0.0 && sd.windows(2).all(|w| w[0] < w[1]), "{sd:?}");
    let fs = "oscillator.friction.static-dynamic.static=1:200:3";
    let a = "oscillator.drive.0.harmonic.amplitude=1:6:2";
    s.run(&["sweep", "model.toml", "--vary", fs, "--vary", a, "--out", "m"]).done();
    let table = s.read("m/sweep.csv");
    let slips = numbers(&table, "slips");
    assert_eq!(slips.len(), 6);
    assert_eq!((slips[2], slips[5]), (0.0, 0.0), "friction enough");
    assert!(slips[3] > 0.0);
    assert!(s.read("m/sweep.svg").contains("data:image/png"));
    // By the Euler scheme the points go side by side, and each is what it is alone.
    let euler = ["--scheme", "euler", "--step", "0.01"];
    let all = ["sweep", "model.toml", "--vary", fs, "--vary", a, "--out", "e"];
    s.run(&[&all[..], &euler].concat()).done();
    let one = ["simulate", "model.toml", "--set", "oscillator.drive.0.harmonic.amplitude=6.0"];
    let law = ["--set", "oscillator.friction.static-dynamic.static=1.0", "--out", "one"];
    s.run(&[&one[..], &law, &euler].concat()).done();
    let (swept, alone) = (s.read("e/sweep.csv"), s.read("one/trajectory.csv"));
    assert_eq!(numbers(&swept, "end_x")[3], numbers(&alone, "x")[numbers(&alone, "x").len() - 1]);
    let slips = s.read("one/events.csv").lines().filter(|l| l.starts_with("slip,")).count();
    assert_eq!(numbers(&swept, "slips")[3], slips as f64);
    for (bad, said) in [
        ("x", "--vary"),
        ("a=1:2", "--vary"),
        ("a=1:2:0", "the number of values is 0"),
        ("a=1:b:3", "--vary"),
        ("oscillator.mass=1:2:2000000", "more than 1000000 points"),
    ] {
        s.run(&["sweep", "model.toml", "--vary", bad]).failed(2, &[said]);
    }
    s.run(&["sweep", "model.toml", "--vary", "oscillator.mas=1:2:2"])
        .failed(1, &["did you mean `mass`"]);
}

/// Every example with noise, shortened.
#[test]
fn examples() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for name in ["shaw-noise", "brownian-inclusion", "kanai-tajimi"] {
        let file = folder.join(name).join("model.toml");
        let s = Sandbox::new();
        let args =
            ["ensemble", file.to_str().unwrap(), "--paths", "200", "--end", "2", "--out", "r"];
        s.run(&args).done();
        let summary: serde_json::Value = serde_json::from_str(&s.read("r/summary.json")).unwrap();
        assert_eq!(summary["paths"], 200);
        assert_eq!(summary["exact_law"].is_object(), name == "brownian-inclusion");
    }
}
