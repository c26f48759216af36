//! `stickslip new KIND`: every template runs as it is, and every line that it offers is valid.

use super::sandbox::{Sandbox, sized};

/// Every kind, and the commands that take it; MODEL stands for the file.
const KINDS: [(&str, &[&[&str]]); 22] = [
    (
        "simulate",
        &[&["simulate", "MODEL"], &["converge", "MODEL", "--halvings", "2", "--end", "5"]],
    ),
    ("ensemble", &[&["ensemble", "MODEL", "--paths", "20"], &["simulate", "MODEL"]]),
    ("sweep", &[&["sweep", "MODEL", "--vary", "oscillator.stiffness=0.5:2:4"]]),
    ("solutions", &[&["solutions", "MODEL"], &["simulate", "MODEL", "--perturb", "1e-6"]]),
    ("network", &[&["simulate", "MODEL"], &["simulate", "MODEL", "--scheme", "theta"]]),
    ("loop", &[&["hunt", "MODEL"], &["simulate", "MODEL"]]),
    (
        "cascade",
        &[
            &["simulate", "MODEL"],
            &["simulate", "MODEL", "--scheme", "hysteresis"],
            &["converge", "MODEL", "--halvings", "2", "--end", "5"],
        ],
    ),
    (
        "impact",
        &[
            &["simulate", "MODEL"],
            &["simulate", "MODEL", "--scheme", "moreau"],
            &["simulate", "MODEL", "--scheme", "spring", "--end", "2"],
            &["simulate", "MODEL", "--scheme", "yosida", "--end", "2"],
        ],
    ),
    ("corner", &[&["solutions", "MODEL"]]),
    ("schatzman", &[&["solutions", "MODEL"]]),
    ("calibrate", &[&["calibrate", "MODEL"]]),
    ("pulled-slider", &[&["calibrate", "MODEL"]]),
    ("rigid-drive", &[&["calibrate", "MODEL"]]),
    ("base-driven", &[&["calibrate", "MODEL"]]),
    ("servo", &[&["calibrate", "MODEL"]]),
    ("servo-logs", &[&["calibrate", "MODEL"]]),
    ("hysteresis", &[&["calibrate", "MODEL"]]),
    ("hysteresis-laws", &[&["calibrate", "MODEL"]]),
    ("rock-friction", &[&["calibrate", "MODEL"]]),
    ("isolator", &[&["calibrate", "MODEL"]]),
    ("valve", &[&["calibrate", "MODEL"]]),
    ("friction-curve", &[&["calibrate", "MODEL"]]),
];

fn runs(sandbox: &Sandbox, file: &str, commands: &[&[&str]]) {
    for command in commands {
        let args: Vec<&str> =
            command.iter().map(|a| if *a == "MODEL" { file } else { a }).collect();
        let ended = sandbox.run(&args);
        assert_eq!(ended.code, Some(0), "{args:?}: {}", ended.stderr);
    }
}

/// Fits that take seconds. By day their templates run as they are written in other tests: that of a servo in the guide, that of
/// many logs in `servo_logs`, that of laws with memory below.
const SLOW: [&str; 3] = ["servo", "servo-logs", "hysteresis-laws"];

/// What is printed runs in an empty folder, and what is written runs too.
fn run_as_they_are(which: impl Fn(&str) -> bool) {
    let help = Sandbox::new().run(&["new", "--help"]).done().stdout;
    for (kind, commands) in KINDS {
        if !which(commands[0][0]) {
            continue;
        }
        assert!(help.contains(kind), "{kind}");
        let sandbox = Sandbox::new();
        let printed = sandbox.run(&["new", kind]).done().stdout;
        assert!(printed.starts_with("# ") && !printed.contains("FILE"), "{kind}");
        sandbox.write("printed.toml", &printed);
        let runs_here = sized(!SLOW.contains(&kind), true);
        if runs_here {
            runs(&sandbox, "printed.toml", commands);
        }
        let said = sandbox.run(&["new", kind, "mine.toml"]).done().stderr;
        assert!(sandbox.read("mine.toml").contains("mine.toml"), "{kind}");
        // The command that is offered is the first that takes it.
        let offered = said.lines().find_map(|l| l.split_once("try: stickslip ")).unwrap().1;
        let args: Vec<&str> = offered.split(' ').collect();
        assert_eq!(args[..2], [commands[0][0], "mine.toml"], "{said}");
        if runs_here {
            sandbox.run(&args).done();
        }
    }
}

#[test]
fn every_template_runs_as_it_is() {
    run_as_they_are(|command| command != "calibrate");
}

#[test]
fn every_template_of_a_fit_runs_as_it_is() {
    run_as_they_are(|command| command == "calibrate");
}

/// A line `# key = …`, or a block `# [[table]]` with its lines, that a template offers.
fn offers(template: &str) -> Vec<Vec<usize>> {
    let lines: Vec<&str> = template.lines().collect();
    let is = |i: usize, head: bool| {
        let text = lines.get(i).and_then(|l| l.strip_prefix("# ")).unwrap_or_default();
        let key = text.split([' ', '=']).next().unwrap_or_default();
        let word =
            !key.is_empty() && key.chars().all(|c| c.is_ascii_lowercase() || "_-".contains(c));
        if head { text.starts_with("[[") } else { word && text.contains(" = ") }
    };
    let (mut all, mut i) = (Vec::new(), 0);
    while i < lines.len() {
        let start = i;
        i += 1;
        if is(start, true) {
            while is(i, false) {
                i += 1;
            }
        } else if !is(start, false) {
            continue;
        }
        all.push((start..i).collect());
    }
    all
}

/// The template with one offer taken. What it replaces goes: a key that stands above it already.
fn taken(template: &str, offer: &[usize]) -> String {
    let lines: Vec<&str> = template.lines().collect();
    let mut out: Vec<String> = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        if !offer.contains(&i) {
            out.push((*line).to_owned());
            continue;
        }
        let text = line.strip_prefix("# ").unwrap();
        let key = text.split(" = ").next().unwrap();
        let table = out.iter().rposition(|l| l.starts_with('[')).map_or(0, |t| t + 1);
        if offer.len() == 1
            && let Some(at) = out[table..].iter().position(|l| l.starts_with(&format!("{key} = ")))
        {
            out.remove(table + at);
        }
        out.push(text.to_owned());
    }
    out.join("\n")
}

/// Without the block that begins with `head`, up to the next empty line.
fn without(text: &str, head: &str) -> String {
    let (before, rest) = text.split_once(head).unwrap();
    let (_, after) = rest.split_once("\n\n").unwrap();
    format!("{before}{after}")
}

#[test]
fn every_line_that_a_template_offers_is_valid() {
    let schemes = |line: &str| match line {
        l if l.contains("quadratic_damping") => "adaptive",
        l if l.contains("cascade.displacement") => "quasi-static",
        _ => "",
    };
    for kind in ["simulate", "ensemble", "network", "cascade", "impact", "planar", "corner"] {
        let sandbox = Sandbox::new();
        sandbox.write("drive.csv", "time,position\n0,0\n40,1\n");
        let template = sandbox.run(&["new", kind]).done().stdout;
        let lines: Vec<&str> = template.lines().collect();
        let all = offers(&template);
        assert!(!all.is_empty(), "{kind}");
        for offer in all {
            let mut text = taken(&template, &offer);
            // A prescribed displacement takes the place of the force.
            if lines[offer[0]].contains("cascade.displacement") {
                text = without(&text, "[[cascade.force]]");
            }
            sandbox.write("one.toml", text);
            let command = if kind == "corner" { "solutions" } else { "simulate" };
            let mut args = vec![command, "one.toml"];
            let scheme = schemes(lines[offer[0]]);
            if !scheme.is_empty() {
                args.extend(["--scheme", scheme]);
            }
            let ended = sandbox.run(&args);
            assert_eq!(ended.code, Some(0), "{kind}: {}: {}", lines[offer[0]], ended.stderr);
        }
    }
}

#[test]
fn every_law_that_the_model_template_offers_is_valid() {
    let sandbox = Sandbox::new();
    let template = sandbox.run(&["new", "simulate"]).done().stdout;
    let laws: Vec<&str> =
        template.lines().filter_map(|l| l.strip_prefix("#   friction.")).collect();
    assert_eq!(laws.len(), 10);
    for law in laws {
        let text = format!(
            "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction.{law}\n[[oscillator.drive]]\nramp = {{ rate = 0.5, offset = 0.0 }}\n\
             [run]\nend = 8.0\nstep = 0.01\n"
        );
        sandbox.write("law.toml", text);
        for scheme in ["adaptive", "euler", "implicit-euler", "sign-euler"] {
            sandbox.run(&["simulate", "law.toml", "--scheme", scheme]).done();
        }
        sandbox.run(&["converge", "law.toml", "--against", "exact", "--halvings", "2"]).done();
    }
}

#[test]
fn a_fit_template_in_a_file_comes_with_its_record() {
    let sandbox = Sandbox::new();
    sandbox.run(&["new", "calibrate", "fit.toml"]).done();
    assert_eq!(sandbox.list("."), ["bearing.csv", "fit.toml", "model.toml"]);
    assert!(
        sandbox
            .read("bearing.csv")
            .starts_with("time,temperature,displacement\n2024-03-01T00:00:00Z,")
    );
    // The built-in record is the same one.
    let written = sandbox.run(&["calibrate", "fit.toml", "--json"]).done().stdout;
    let printed = sandbox.run(&["new", "calibrate"]).done().stdout;
    assert!(printed.contains("file = \"example:bearing.csv\""));
    sandbox.write("printed.toml", printed);
    let printed = sandbox.run(&["calibrate", "printed.toml", "--json"]).done().stdout;
    let [a, b] = [written, printed].map(|t| serde_json::from_str::<serde_json::Value>(&t).unwrap());
    assert_eq!(a["fit"]["parameters"], b["fit"]["parameters"]);
}

/// The records of both templates were made from known numbers, which the fits find.
#[test]
fn the_templates_of_laws_with_memory_find_how_their_records_were_made() {
    let sandbox = Sandbox::new();
    let fit = |kind: &str| {
        sandbox.run(&["new", kind, &format!("{kind}.toml")]).done();
        let json = sandbox.run(&["calibrate", &format!("{kind}.toml"), "--json"]).done().stdout;
        serde_json::from_str::<serde_json::Value>(&json).unwrap()["fit"].clone()
    };
    // Three elements of 40, 60 and 30 N next to a spring of 8 N/mm and a damper: no bristle has such corners.
    let found = fit("hysteresis-laws");
    let first = &found["laws"][0];
    assert_eq!(first["law"], "maxwell-slip");
    let of = |name: &str| {
        let all = first["parameters"].as_array().unwrap();
        all.iter().find(|p| p["name"] == name).unwrap()
    };
    for (name, truth) in [("force", 130.0), ("spring", 8e3)] {
        let [low, high] = [0, 1].map(|i| of(name)["ci95"][i].as_f64().unwrap());
        // 95 % intervals, widened by half: one seed must not decide.
        let half = 0.75 * (high - low);
        assert!((0.5 * (low + high) - truth).abs() < half && half < 0.1 * truth, "{name}: {first}");
    }
    assert!(found["laws"].as_array().unwrap().iter().any(|l| l["worse"] == true), "{found}");
    // a = 0.008, b = 0.012, D_c = 8 µm and k = 4,000 /m under the ageing law.
    let found = fit("rock-friction");
    let first = &found["laws"][0];
    assert!(first["evolution"] == "ageing" && found["told_apart"] == true, "{found}");
    let p = &first["parameters"];
    for (name, truth) in [("a", 0.008), ("b", 0.012), ("distance", 8e-6), ("stiffness", 4000.0)] {
        let [low, high] = [0, 1].map(|i| p[name]["ci95"][i].as_f64().unwrap());
        // 95 % intervals, widened by half: one seed must not decide.
        let half = 0.75 * (high - low);
        assert!((0.5 * (low + high) - truth).abs() < half && half < 0.15 * truth, "{name}: {p}");
    }
}

/// The record was made with μ_slow = 0.04, μ_fast = 0.09, 40 s/m and 1,000 kN on a radius of 2 m.
#[test]
fn the_template_of_an_isolator_finds_how_its_record_was_made() {
    let sandbox = Sandbox::new();
    sandbox.run(&["new", "isolator", "i.toml"]).done();
    let json = sandbox.run(&["calibrate", "i.toml", "--json"]).done().stdout;
    let fit = serde_json::from_str::<serde_json::Value>(&json).unwrap()["fit"].clone();
    for (name, truth) in [("slow", 0.04), ("fast", 0.09), ("rate", 40.0), ("stiffness", 5e5)] {
        let [low, high] = [0, 1].map(|i| fit["parameters"][name]["ci95"][i].as_f64().unwrap());
        // 95 % intervals, widened by half: one seed must not decide.
        let half = 0.75 * (high - low);
        assert!((0.5 * (low + high) - truth).abs() < half && half < 0.05 * truth, "{name}: {fit}");
    }
    assert_eq!(fit["warnings"].as_array().unwrap().len(), 0, "{fit}");
}

#[test]
fn a_template_replaces_nothing() {
    let sandbox = Sandbox::new();
    sandbox.run(&["new", "simulate", "model.toml"]).failed(1, &["model.toml: exists already"]);
    sandbox.run(&["new", "simulate", "nowhere/model.toml"]).failed(1, &["cannot be written"]);
    sandbox.run(&["new", "oscillator"]).failed(2, &["oscillator", "simulate"]);
    sandbox.write("bearing.csv", "mine");
    sandbox.run(&["new", "calibrate", "fit.toml"]).done();
    assert_eq!(sandbox.read("bearing.csv"), "mine");
}

/// The template of a plane is case M13-g of the references: 25 events, the first two and the last state from there.
#[test]
fn the_template_of_a_plane_moves_as_an_independent_program_says() {
    let sandbox = Sandbox::new();
    sandbox.run(&["new", "planar", "m.toml"]).done();
    sandbox.run(&["simulate", "m.toml", "--out", "r"]).done();
    let events = sandbox.read("r/events.csv");
    let rows: Vec<Vec<&str>> = events.lines().map(|l| l.split(',').collect()).collect();
    assert_eq!(rows[0], ["event", "t", "where", "x", "v", "y", "vy"]);
    assert_eq!(rows.len(), 1 + 25, "{events}");
    let near = |cell: &str, want: f64| {
        let found: f64 = cell.parse().unwrap();
        assert!((found - want).abs() < 1e-8, "{found} {want}");
    };
    assert_eq!((rows[1][0], rows[2][0]), ("slip", "stick"));
    near(rows[1][1], 0.151_676_092_069_211_5);
    near(rows[2][1], 0.795_515_796_571_153_5);
    near(rows[2][3], 0.004_885_837_989_811_598);
    near(rows[2][5], 0.005_307_601_194_148_573);
    assert_eq!((rows[2][4], rows[2][6]), ("0.0", "0.0"), "at rest");
    let trajectory = sandbox.read("r/trajectory.csv");
    assert!(trajectory.starts_with("t,x,y,vx,vy,friction_x,friction_y,phase\n"));
    let last: Vec<&str> = trajectory.lines().last().unwrap().split(',').collect();
    near(last[1], 0.002_418_785_834_358_57);
    near(last[2], 0.003_807_616_817_810_091);
    near(last[3], 0.000_123_562_929_495_1);
    near(last[4], 0.002_163_998_512_946_22);
    assert_eq!(last[7], "slip");
    for figure in ["motion", "orbit", "loops"] {
        assert!(sandbox.read(&format!("r/{figure}.svg")).contains("</svg>"), "{figure}");
    }
}
