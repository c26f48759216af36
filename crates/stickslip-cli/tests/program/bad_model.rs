//! Model files that are wrong: each error names the place and the remedy; no file is left.

use super::sandbox::{MODEL, Sandbox};

/// Runs the model with `from` replaced by `to` and expects exit code 1, the place `line:column`,
/// and the parts.
#[track_caller]
fn wrong(from: &str, to: &str, place: &str, parts: &[&str]) {
    assert!(MODEL.contains(from), "{from}");
    let sandbox = Sandbox::new();
    sandbox.write("model.toml", MODEL.replace(from, to));
    let place = format!("model.toml:{place}");
    let parts: Vec<&str> = parts.iter().copied().chain([place.as_str(), "help: "]).collect();
    sandbox.run(&["simulate", "model.toml", "--out", "results"]).failed(1, &parts);
    assert_eq!(sandbox.list("."), ["model.toml"]);
}

#[test]
fn unknown_keys_and_names() {
    wrong("mass =", "mas =", "4:1", &["unknown key `oscillator.mas`; did you mean `mass`?"]);
    wrong("end =", "End =", "18:1", &["`run.End`; did you mean `end`?"]);
    wrong("phase", "fase", "12:56", &["unknown key `oscillator.drive.0.harmonic.fase`"]);
    wrong("title", "tittle", "1:1", &["did you mean `title`?"]);
    wrong(
        "[oscillator.initial]",
        "[pendulum.initial]",
        "14:2",
        &["unknown table or key `pendulum`", "oscillator"],
    );
    wrong("harmonic", "pink", "12:1", &["unknown signal `pink`", "ramp"]);
    wrong(
        "harmonic",
        "white",
        "12:1",
        &["white noise cannot act on `drive`", "[[oscillator.force]]"],
    );
    wrong("static-dynamic]", "prandtl]", "7:22", &["unknown friction law `prandtl`", "coulomb"]);
    wrong("static-dynamic]", "static_dynamic]", "7:22", &["did you mean `static-dynamic`?"]);
    wrong("\"exact\"", "\"rk4\"", "19:10", &["unknown scheme `rk4`", "quasi-static"]);
    let of_others = [
        ("moreau", "the scheme `moreau` is not for this model, but for [impact]"),
        ("hysteresis", "the scheme `hysteresis` is not for this model, but for [cascade]"),
    ];
    for (name, message) in of_others {
        wrong("\"exact\"", &format!("\"{name}\""), "19:10", &[message, "quasi-static"]);
    }
}

#[test]
fn wrong_types() {
    wrong(
        "mass = 1.0",
        "mass = \"1.0\"",
        "4:8",
        &["text \"1.0\"", "> 0, in kg", "remove the quotes"],
    );
    wrong("mass = 1.0", "mass = \"1,5\"", "4:8", &["decimal point"]);
    wrong("mass = 1.0", "mass = true", "4:8", &["`oscillator.mass` is true"]);
    wrong("mass = 1.0", "mass = [1]", "4:8", &["a list of 1"]);
    wrong("mass = 1.0", "mass = {}", "4:8", &["a table"]);
    wrong("mass = 1.0", "mass = 2024-01-01", "4:8", &["a date"]);
    wrong(
        "[[oscillator.drive]]",
        "[oscillator.drive]",
        "11:13",
        &["expected a list of signals", "[[oscillator.drive]]"],
    );
    wrong(
        "{ amplitude = 6.0, angular_frequency = 0.5, phase = 0.0 }",
        "6.0",
        "12:12",
        &["expected a table"],
    );
    wrong("rows = 401", "rows = \"all\"", "21:8", &["\"steps\""]);
    wrong("rows = 401", "rows = 1.5", "21:8", &["whole number"]);
    wrong("scheme = \"exact\"", "scheme = 3", "19:10", &["exact, adaptive, euler"]);
    wrong("title = \"test\"", "title = 3", "1:9", &["expected a text"]);
}

#[test]
fn values_out_of_range() {
    wrong(
        "mass = 1.0",
        "mass = -1.0",
        "4:8",
        &["`oscillator.mass` is -1.0; expected a finite number > 0, in kg"],
    );
    wrong("mass = 1.0", "mass = 0", "4:8", &["`oscillator.mass` is 0"]);
    wrong("stiffness = 1.0", "stiffness = -0.1", "5:13", &["≥ 0, in N/m"]);
    wrong("dynamic = 1.0", "dynamic = 1.3", "9:11", &["above `static` = 1.2", "swap"]);
    wrong("end = 40.0", "end = 0.0", "18:7", &["`run.end` is 0.0", "in s"]);
    wrong("end = 40.0", "end = -1", "18:7", &["`run.end` is -1"]);
    wrong("step = 0.01", "step = 0", "20:8", &["`run.step` is 0", "in s"]);
    let exact = "scheme = \"exact\"\nstep = 0.01";
    let stepping = |step: &str| format!("scheme = \"euler\"\nstep = {step}");
    wrong(exact, &stepping("1e-9"), "20:8", &["4.000e10 steps"]);
    wrong(exact, &stepping("50.0"), "20:8", &["longer than the run"]);
    wrong("rows = 401", "rows = 0", "21:8", &["`run.rows` is 0"]);
    wrong("rows = 401", "seed = -1", "21:8", &["`run.seed` is -1"]);
}

#[test]
fn not_finite_anywhere() {
    for (from, place) in [
        ("mass = 1.0", "4:8"),
        ("stiffness = 1.0", "5:13"),
        ("dynamic = 1.0", "9:11"),
        ("displacement = 6.0", "15:16"),
        ("end = 40.0", "18:7"),
        ("step = 0.01", "20:8"),
    ] {
        let key = from.split_once('=').unwrap().0;
        for (bad, shown) in [("nan", "NaN"), ("inf", "inf"), ("-inf", "-inf"), ("1e999", "inf")] {
            wrong(from, &format!("{key}= {bad}"), place, &[shown, "finite"]);
        }
    }
    wrong(
        "amplitude = 6.0",
        "amplitude = nan",
        "12:26",
        &["`oscillator.drive.0.harmonic.amplitude`"],
    );
}

#[test]
fn missing_parts() {
    wrong("mass = 1.0\n", "", "3:2", &["`oscillator.mass` is missing", "in kg"]);
    wrong("end = 40.0\n", "", "17:2", &["`run.end` is missing", "in s"]);
    wrong(
        "static = 1.2\n",
        "",
        "7:22",
        &["`oscillator.friction.static-dynamic.static` is missing"],
    );
    wrong(
        "scheme = \"exact\"\nstep = 0.01",
        "scheme = \"euler\"",
        "19:10",
        &["`run.step` is missing", "--step"],
    );
    wrong(
        "[oscillator.friction.static-dynamic]\nstatic = 1.2\ndynamic = 1.0",
        "",
        "3:2",
        &["friction law `oscillator.friction` is missing"],
    );
    wrong(
        "harmonic = {",
        "constant = 1\nharmonic = {",
        "13:1",
        &["holds 2 signals (constant, harmonic)"],
    );
}

#[test]
fn what_is_no_toml() {
    wrong("mass = 1.0", "mass = 1.0.0", "4:11", &["not TOML"]);
    wrong("[run]", "[run", "17:5", &["not TOML"]);
    wrong("mass = 1.0", "mass = 1.0\nmass = 2.0", "5:1", &["duplicate key"]);
    wrong("mass = 1.0", "mass = 99999999999999999999", "4:8", &["64 bits", "2.0e20"]);
}

#[test]
fn files_that_are_no_model() {
    let sandbox = Sandbox::new();
    let fails = |name: &str, parts: &[&str]| {
        sandbox.run(&["simulate", name, "--out", "results"]).failed(1, parts);
        assert!(!sandbox.path("results").exists());
    };
    sandbox
        .write("empty.toml", "")
        .write("blank.toml", " \n\n")
        .write("latin.toml", b"a = 1\nb = \"\xb0\"");
    sandbox.write("fit.toml", "[data]\nfile = \"x.csv\"").write("long.toml", vec![b'#'; 17 << 20]);
    sandbox.write("wide.toml", format!("a = \"{}\"\nb = ", "x".repeat(5000)));
    std::fs::create_dir(sandbox.path("folder")).unwrap();
    fails("empty.toml", &["empty.toml: the file is empty", "stickslip new simulate"]);
    fails("blank.toml", &["blank.toml: the file is empty"]);
    fails("latin.toml", &["latin.toml, line 2: not UTF-8", "save"]);
    fails("fit.toml", &["fit.toml:1:2", "this is a fit file", "stickslip calibrate"]);
    fails("long.toml", &["long.toml: longer than 16 MiB"]);
    fails("wide.toml", &["wide.toml:2:"]);
    fails("folder", &["folder: is a directory"]);
    fails("nowhere.toml", &["nowhere.toml: cannot be opened", "check the path"]);
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_fine() {
    let sandbox = Sandbox::new();
    sandbox.write("model.toml", format!("\u{feff}{}", MODEL.replace('\n', "\r\n")));
    sandbox.run(&["simulate", "model.toml"]).done();
}

#[test]
fn values_of_the_command_line_are_pointed_at_there() {
    let sandbox = Sandbox::new();
    let fails = |args: &[&str], code: i32, parts: &[&str]| {
        let args: Vec<&str> =
            ["simulate", "model.toml", "--out", "results"].iter().chain(args).copied().collect();
        sandbox.run(&args).failed(code, parts);
        assert!(!sandbox.path("results").exists());
    };
    fails(&["--set", "oscillator.mass=-1"], 1, &["command line, --set:1:17", "in kg"]);
    fails(&["--set", "oscillator.mas=1"], 1, &["--set:1:12", "did you mean `mass`?"]);
    fails(&["--set", "oscillator.mass.x=1"], 1, &["`oscillator.mass` is 1.0: it holds no key `x`"]);
    fails(&["--set", "run.scheme=eulr"], 1, &["did you mean `euler`?"]);
    fails(&["--set", "oscillator.drive.1.constant=1"], 1, &["is a list of 1", "count from 0"]);
    fails(&["--end", "-1"], 1, &["command line:1:7", "`run.end` is -1"]);
    fails(&["--end", "nan"], 1, &["`run.end` is NaN"]);
    fails(&["--step", "0"], 1, &["`run.step` is 0"]);
    fails(&["--rows", "-5"], 1, &["`run.rows` is -5"]);
    fails(&["--set", "oscillator.mass"], 2, &["there is no `=`"]);
    fails(&["--set", "a b=1"], 2, &["not a key path"]);
}

/// A key that `--vary` names is not blamed on `--set`, nor on the file.
#[test]
fn a_key_that_is_varied_is_pointed_at_on_the_command_line() {
    let sandbox = Sandbox::new();
    sandbox.write("model.toml", MODEL);
    let vary = ["--vary", "oscillator.mas=1:2:2"];
    let message = ["command line, --vary:1:12", "did you mean `mass`?"];
    for command in ["sweep", "response"] {
        let args: Vec<&str> = [command, "model.toml"].iter().chain(&vary).copied().collect();
        sandbox.run(&args).failed(1, &message);
    }
}

#[test]
fn a_command_line_that_does_not_parse_ends_with_two() {
    let sandbox = Sandbox::new();
    for args in [
        &["simulate"][..],
        &["simulate", "model.toml", "--end", "soon"],
        &["simulate", "model.toml", "--scheme", "magic"],
        &["simulate", "model.toml", "--rows", "all"],
        &["simulate", "model.toml", "--seed", "-1"],
        &["simulate", "model.toml", "--frobnicate"],
        &["converge", "model.toml", "--against", "hope"],
        &["converge", "model.toml", "--halvings", "0"],
        &["converge", "model.toml", "--scheme", "exact"],
        &["dance"],
        &[],
    ] {
        let ended = sandbox.run(args);
        assert_eq!(ended.code, Some(2), "{args:?}: {}", ended.stderr);
        assert!(ended.stdout.is_empty() && !ended.stderr.is_empty());
    }
}

#[test]
fn what_the_scheme_cannot_do_ends_with_three() {
    let sandbox = Sandbox::new();
    let args = [
        "simulate",
        "model.toml",
        "--scheme",
        "quasi-static",
        "--set",
        "oscillator.initial.velocity=1",
        "--out",
        "results",
    ];
    sandbox.run(&args).failed(3, &["quasi-static", "use exact"]);
    sandbox
        .run(&["simulate", "model.toml", "--scheme", "euler", "--set", "oscillator.stiffness=1e12"])
        .failed(3, &["not finite", "too large"]);
    assert_eq!(sandbox.list("."), ["model.toml"]);
}

#[test]
fn an_output_directory_that_cannot_be_written_is_told_before_computing() {
    let sandbox = Sandbox::new();
    // The run itself would fail with 3: the directory is looked at first.
    let args = |out| {
        [
            "simulate",
            "model.toml",
            "--scheme",
            "quasi-static",
            "--set",
            "oscillator.initial.velocity=1",
            "--out",
            out,
        ]
    };
    sandbox
        .run(&args("model.toml"))
        .failed(1, &["output directory model.toml: cannot be written: it is a file", "help: "]);
    sandbox.run(&args("model.toml/deeper")).failed(1, &["cannot be written"]);
    sandbox
        .run(&args("/proc/nowhere"))
        .failed(1, &["output directory /proc/nowhere: cannot be written"]);
    assert_eq!(sandbox.list("."), ["model.toml"]);
}

/// Words of other programs and habits: each is told what to write here.
#[test]
fn words_of_other_programs_are_translated() {
    wrong(
        "mass =",
        "inertia =",
        "4:1",
        &["is for a motion about an axis", "or write `mass`, in kg"],
    );
    wrong("stiffness =", "gravity = 9.81\nstiffness =", "5:1", &["[[oscillator.normal]]"]);
    wrong("stiffness =", "mu = 0.3\nstiffness =", "5:1", &["coefficients"]);
    wrong(
        "stiffness =",
        "normal = 0.462\nstiffness =",
        "5:1",
        &["normal = [{ constant = 0.462 }]"],
    );
    wrong("harmonic", "sine", "12:1", &["unknown signal `sine`", "-1.5707963267948966"]);
    wrong("[[oscillator.drive]]", "[[oscillator.belt]]", "11:14", &["[[oscillator.support]]"]);
    let law = "[oscillator.friction.static-dynamic]\nstatic = 1.2\ndynamic = 1.0";
    let inline = "friction.coulomb = { force = 3 N }";
    wrong(
        law,
        inline,
        "7:30",
        &["`3 N`: expected a number; a number with a unit stands in quotes", "force = \"3 N\""],
    );
    let text = "friction.coulomb = { force = \"3 kg\" }";
    wrong(law, text, "7:30", &["in N", "`kg` is a unit of something else"]);
    let rising = "friction.stribeck-exponential = { static = 0.4, dynamic = 0.9, velocity = 0.1 }";
    wrong(law, rising, "7:59", &["friction.velocity-strengthening"]);
    let falling = "friction.velocity-strengthening = { slow = 0.9, fast = 0.4, rate = 3.0 }";
    wrong(law, falling, "7:56", &["friction.stribeck-exponential"]);
}
