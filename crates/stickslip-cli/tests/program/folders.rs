//! Folders of results that somebody else has made, or that something else lies in: nothing is deleted, replaced or followed
//! that this program did not write.

use super::sandbox::{MODEL, Sandbox};
use std::fs;

/// A line of a record, with the sum behind it.
fn line(text: &str) -> String {
    stickslip_file::summed(text)
}

/// The record of a run that was killed when it had announced `files` and begun to exchange them.
fn record_of_a_killed_run(token: &str, files: &[(&str, &str)]) -> String {
    let known = |what: &str, name: &str, content: &str| {
        let digest = stickslip_file::Sha256::of(content.as_bytes());
        line(&format!("{what}\t{name}\t{}\t{digest}", content.len()))
    };
    let begun = line(&format!("run\tsimulate\t{token}"));
    let wrote: String = files.iter().map(|(name, text)| known("wrote", name, text)).collect();
    let older: String = files.iter().map(|(name, text)| known("older", name, text)).collect();
    begun + &wrote + &older + &line("exchange")
}

const TOKEN: &str = "0123456789abcdef";

/// What an older version left, and what somebody can put there in its place: a list of files to be removed.
#[test]
fn lists_of_files_in_a_folder_delete_nothing() {
    let s = Sandbox::new();
    fs::create_dir(s.path("r")).unwrap();
    s.write("rel.txt", "keep").write("abs.txt", "keep");
    let names = format!("../rel.txt\n{}\n", s.path("abs.txt").display());
    s.write("r/.run.77777.tmp", &names);
    s.run(&["simulate", "model.toml", "--out", "r"]).done();
    assert_eq!([s.read("rel.txt"), s.read("abs.txt")], ["keep", "keep"]);
    assert_eq!(s.read("r/.run.77777.tmp"), names, "somebody's file");

    // The same in the form of this version: with every sum and digest right.
    for name in ["../rel.txt", s.path("abs.txt").to_str().unwrap(), "paper.tex", ".bashrc"] {
        let s = Sandbox::new();
        fs::create_dir(s.path("r")).unwrap();
        s.write("rel.txt", "keep").write("r/paper.tex", "keep").write("r/.bashrc", "keep");
        s.write("r/.stickslip", record_of_a_killed_run(TOKEN, &[(name, "keep")]));
        let before = s.list_all("r");
        let out = ["simulate", "model.toml", "--out", "r"];
        s.run(&out).failed(1, &[".stickslip", "has no meaning", "give another output directory"]);
        assert_eq!(s.list_all("r"), before, "{name}");
        assert_eq!(["rel.txt", "r/paper.tex", "r/.bashrc"].map(|f| s.read(f)), ["keep"; 3]);
    }
}

/// A summary that lists files of other kinds.
#[test]
fn a_summary_deletes_nothing() {
    let s = Sandbox::new();
    fs::create_dir(s.path("r")).unwrap();
    s.write("r/paper.tex", "keep").write("r/.bashrc", "keep");
    let files = r#"["paper.tex", ".bashrc", "events.csv", "summary.json"]"#;
    let summary = format!(r#"{{"program":"stickslip","command":"simulate","files":{files}}}"#);
    s.write("r/summary.json", &summary);
    s.run(&["simulate", "model.toml", "--out", "r"]).failed(1, &["summary.json", "somebody else"]);
    assert_eq!(s.list_all("r"), [".bashrc", "paper.tex", "summary.json"]);
    // Where the list is in the summary of a run of this program, it means nothing either.
    fs::remove_file(s.path("r/summary.json")).unwrap();
    s.run(&["simulate", "model.toml", "--out", "r"]).done();
    s.run(&["simulate", "model.toml", "--out", "r"]).done();
    assert_eq!(["r/paper.tex", "r/.bashrc"].map(|f| s.read(f)), ["keep"; 2]);
}

#[test]
fn results_of_another_command_stay() {
    let s = Sandbox::new();
    s.run(&["simulate", "model.toml", "--out", "r"]).done();
    let before = s.list_all("r");
    let all: Vec<_> = before.iter().map(|f| s.read(&format!("r/{f}"))).collect();
    for args in [["orbit", "model.toml"], ["reproduce", "corner"], ["reference", "shaw"]] {
        let ended = s.run(&[&args[..], &["--out", "r"]].concat());
        let said = format!(
            "holds results of `simulate`; expected an empty directory or results of `{}`",
            args[0]
        );
        ended.failed(1, &[&said, "give another output directory"]);
    }
    assert_eq!(s.list_all("r"), before);
    let after: Vec<_> = before.iter().map(|f| s.read(&format!("r/{f}"))).collect();
    assert!(after == all);
}

/// A file with the name of a result that was there before, or that was changed since.
#[test]
fn files_with_the_names_of_results_stay() {
    let s = Sandbox::new();
    fs::create_dir(s.path("r")).unwrap();
    s.write("r/events.csv", "mine");
    let out = ["simulate", "model.toml", "--out", "r"];
    s.run(&out).failed(1, &["events.csv", "somebody else", "move it elsewhere"]);
    assert_eq!(
        (s.list_all("r"), s.read("r/events.csv")),
        (vec!["events.csv".into()], "mine".into())
    );
    fs::remove_file(s.path("r/events.csv")).unwrap();
    s.run(&out).done();
    let drawn = s.read("r/motion.svg").replace("</svg>", "<!-- my note --></svg>");
    s.write("r/motion.svg", &drawn);
    s.run(&out).failed(1, &["motion.svg", "is not as `stickslip simulate` has left it"]);
    assert_eq!(s.read("r/motion.svg"), drawn);
    fs::rename(s.path("r/motion.svg"), s.path("r/noted.svg")).unwrap();
    s.run(&out).done();
    assert_eq!(s.read("r/noted.svg"), drawn);
    // One that a run would remove because it has none of its own.
    s.run(&["simulate", "model.toml", "--perturb", "1e-3", "--out", "p"]).done();
    s.write("p/perturbation.csv", "mine");
    s.run(&["simulate", "model.toml", "--out", "p"]).failed(1, &["perturbation.csv"]);
    assert_eq!(s.read("p/perturbation.csv"), "mine");
}

/// A record that others wrote, whatever it says, is not written to.
#[test]
fn a_record_of_somebody_is_left_alone() {
    let good = line(&format!("run\tsimulate\t{TOKEN}"));
    let whole = good.clone() + &line("done") + &line("end");
    let texts = [
        "my notes\n".to_owned(),
        "my notes".to_owned(),
        whole.clone() + "my notes\n",
        whole.clone() + "my notes",
        whole.clone() + &line("notes"),
        good.replace("simulate", "simulatE"),
        line("run\tsimulate\t../../etc"),
        line("run\trm\t0123456789abcdef"),
        good.clone() + &line("wrote\tevents.csv\t1\tnone"),
        line("done"),
        good.clone() + &good,
        "\0\0\0\0".to_owned(),
        // A run gives the record its name when it has a line.
        String::new(),
        line("stickslip").trim_end().to_owned(),
    ];
    for text in texts {
        let s = Sandbox::new();
        fs::create_dir(s.path("r")).unwrap();
        s.write("r/.stickslip", &text);
        s.run(&["simulate", "model.toml", "--out", "r"]).failed(1, &["r/.stickslip: cannot be"]);
        assert_eq!((s.read("r/.stickslip"), s.list_all("r").len()), (text.clone(), 1), "{text:?}");
    }
}

/// A run that was killed while it made the record, before and after this had its name.
#[cfg(unix)]
#[test]
fn a_record_that_was_being_made_is_in_nobodys_way() {
    let out = ["simulate", "model.toml", "--out", "r"];
    let (first, hidden) = (line("stickslip"), format!("r/.stickslip.{TOKEN}.new"));
    for named in [false, true] {
        let s = Sandbox::new();
        fs::create_dir(s.path("r")).unwrap();
        s.write(&hidden, &first);
        if named {
            fs::hard_link(s.path(&hidden), s.path("r/.stickslip")).unwrap();
        }
        s.run(&out).done();
        let all = s.list_all("r");
        assert!(all.contains(&"summary.json".to_owned()) && !s.path(&hidden).exists(), "{all:?}");
    }
    // What holds something else is somebody's, and so is a second name of it elsewhere.
    let s = Sandbox::new();
    fs::create_dir(s.path("r")).unwrap();
    s.write(&hidden, "mine").write("r/.stickslip.notes.new", &first);
    s.run(&out).done();
    assert_eq!([s.read(&hidden), s.read("r/.stickslip.notes.new")], ["mine".to_owned(), first]);
    // A run that fails takes the record away that it found without results.
    let s = Sandbox::new();
    fs::create_dir(s.path("r")).unwrap();
    s.write("r/.stickslip", line("stickslip")).write("wrong.toml", "[oscillator]\n");
    s.run(&["simulate", "wrong.toml", "--out", "r"]).failed(1, &["error"]);
    assert!(s.list_all("r").is_empty(), "{:?}", s.list_all("r"));
}

/// Names that depend on what is read or made are looked for before the work, too.
#[test]
fn names_by_pattern_are_looked_for_before_the_work() {
    let s = Sandbox::new();
    fs::create_dir(s.path("r")).unwrap();
    let cases: [(&[&str], &str); 4] = [
        (&["reproduce", "corner"], "r/mine.svg"),
        (&["reproduce", "corner"], "r/mine.toml"),
        (&["merge", "no-such-1.json", "no-such-2.json"], "r/report-b1.html"),
        (&["fleet", "no-such-fleet.toml"], "r/report-b1.html"),
    ];
    for (args, mine) in cases {
        s.write(mine, "keep");
        let said = ["a result may get this name", "move it elsewhere"];
        s.run(&[args, &["--out", "r"]].concat()).failed(1, &said);
        assert_eq!((s.read(mine), s.list_all("r").len()), ("keep".to_owned(), 1));
        fs::remove_file(s.path(mine)).unwrap();
    }
}

/// What a run that was killed has left is undone; what only looks like it stays.
#[test]
fn only_what_a_killed_run_wrote_is_undone() {
    let known = [("events.csv", "old events"), ("motion.svg", "old motion")];
    let prepare = |s: &Sandbox| {
        fs::create_dir(s.path("r")).unwrap();
        s.write("r/.stickslip", record_of_a_killed_run(TOKEN, &known));
    };
    let out = ["simulate", "model.toml", "--out", "r"];
    let s = Sandbox::new();
    prepare(&s);
    for (name, text) in known {
        s.write(&format!("r/.{name}.{TOKEN}.new"), text);
    }
    s.write("r/.trajectory.csv.0123456789abcdef.new", "of nobody known");
    s.write("r/.events.csv.fedcba9876543210.new", "old events").write("r/.vimrc.tmp", "mine");
    s.run(&out).done();
    let hidden: Vec<String> = s.list("r").into_iter().filter(|n| n.starts_with('.')).collect();
    let kept =
        [".events.csv.fedcba9876543210.new", ".trajectory.csv.0123456789abcdef.new", ".vimrc.tmp"];
    assert_eq!(hidden, kept);

    // With the name that is recorded and other content.
    let s = Sandbox::new();
    prepare(&s);
    for (name, ending) in [("events.csv", "new"), ("motion.svg", "old")] {
        s.write(&format!("r/.{name}.{TOKEN}.{ending}"), "mine");
    }
    let ended = s.run(&out).done();
    for (name, ending) in [("events.csv", "new"), ("motion.svg", "old")] {
        let hidden = format!("r/.{name}.{TOKEN}.{ending}");
        assert_eq!(s.read(&hidden), "mine");
        assert!(
            ended.stderr.contains(&format!("{hidden}: may come from a run")),
            "{}",
            ended.stderr
        );
    }
    assert!(s.read("r/motion.svg").starts_with("<svg"));
}

/// The system writes by pages: where a run is killed while a file is written, it may hold some of them.
#[test]
fn a_file_that_a_kill_cut_at_a_page_is_undone() {
    let s = Sandbox::new();
    let out = ["simulate", "model.toml", "--out", "r"];
    s.run(&out).done();
    let (record, path) = (s.read("r/.stickslip"), s.read("r/trajectory.csv"));
    assert!(path.is_ascii() && path.len() > 3 * 4096, "{}", path.len());
    let until = record.find("exchange\t").unwrap();
    let begun = record[..until].lines().find(|line| line.starts_with("run\t")).unwrap();
    let token = begun.split('\t').nth(2).unwrap();
    let hidden = format!("r/.trajectory.csv.{token}.new");
    for (length, changed, goes) in [
        (4096, false, true),
        (8192, false, true),
        (path.len() / 4096 * 4096, false, true),
        (path.len(), false, true),
        // No write of the system ends there, and this is another text.
        (4097, false, false),
        (8192, true, false),
    ] {
        fs::remove_dir_all(s.path("r")).unwrap();
        fs::create_dir(s.path("r")).unwrap();
        let mut found = path[..length].to_owned();
        if changed {
            found.replace_range(5000..5001, "?");
        }
        s.write("r/.stickslip", &record[..until]).write(&hidden, &found);
        s.run(&out).done();
        assert_eq!(s.path(&hidden).exists(), !goes, "{length} bytes, changed: {changed}");
        assert_eq!(s.read("r/trajectory.csv"), path);
    }
}

#[cfg(unix)]
mod links {
    use super::*;
    use std::os::unix::fs::symlink;

    /// Links with the names of results, of the record and of unfinished files.
    #[test]
    fn no_link_is_followed() {
        let out = ["simulate", "model.toml", "--out", "r"];
        for name in ["summary.json", "events.csv", "motion.svg", ".stickslip"] {
            for target in ["../outside.txt", "../nowhere.txt"] {
                let s = Sandbox::new();
                fs::create_dir(s.path("r")).unwrap();
                s.write("outside.txt", "keep");
                symlink(target, s.path(&format!("r/{name}"))).unwrap();
                s.run(&out).failed(1, &[name, "symbolic link"]);
                assert_eq!(s.read("outside.txt"), "keep");
                assert!(!s.path("nowhere.txt").exists());
                assert_eq!(s.list_all("r"), [name]);
            }
        }
        // A record that leads to the links of a killed run.
        let s = Sandbox::new();
        fs::create_dir(s.path("r")).unwrap();
        s.write("outside.txt", "old events");
        s.write("r/.stickslip", record_of_a_killed_run(TOKEN, &[("events.csv", "old events")]));
        for ending in ["new", "old"] {
            symlink("../outside.txt", s.path(&format!("r/.events.csv.{TOKEN}.{ending}"))).unwrap();
        }
        s.run(&out).done();
        assert_eq!(s.read("outside.txt"), "old events");
        assert!(!s.read("r/events.csv").contains("old events"));
    }

    /// A record that is somebody's file under a second name.
    #[test]
    fn a_record_with_two_names_is_not_written_to() {
        let s = Sandbox::new();
        fs::create_dir(s.path("r")).unwrap();
        s.write("outside.txt", "");
        fs::hard_link(s.path("outside.txt"), s.path("r/.stickslip")).unwrap();
        s.run(&["simulate", "model.toml", "--out", "r"]).failed(1, &["2 names (hard links)"]);
        assert_eq!((s.read("outside.txt"), s.list_all("r").len()), (String::new(), 1));
    }
}

/// A second run in the same folder is refused as long as the first one lives, and goes on afterwards.
#[test]
fn one_run_at_a_time_writes_to_a_folder() {
    let s = Sandbox::new();
    let out = ["simulate", "model.toml", "--out", "r"];
    s.run(&out).done();
    let alive = fs::File::open(s.path("r/.stickslip")).unwrap();
    alive.lock().unwrap();
    let before = s.read("r/summary.json");
    s.write("model.toml", MODEL.replace("static = 1.2", "static = 1.3"));
    s.run(&out).failed(1, &["another run is writing to it", "wait until it ends"]);
    assert_eq!(s.read("r/summary.json"), before);
    alive.unlock().unwrap();
    s.run(&out).done();
    assert_ne!(s.read("r/summary.json"), before);
}

/// A folder with a library for FMUs: what one for this platform begins with, and what every library of ours holds.
fn with_library() -> Sandbox {
    let s = Sandbox::new();
    let version = env!("CARGO_PKG_VERSION");
    let head = format!("\x7fELF{}\x3e\0", "\0".repeat(14));
    s.write("lib.so", format!("{head}stickslip library for FMUs, version {version}\0"));
    s
}

/// A kill at any call that makes, fills or names an FMU leaves at most a hidden file, which the next one that is written into the folder
/// takes away, whatever its name; an interruption leaves none. A hidden file of somebody else stays.
#[cfg(target_os = "linux")]
#[test]
fn an_fmu_leaves_no_hidden_file() {
    use std::os::unix::process::ExitStatusExt;
    let Some(library) = super::faults::library() else { return };
    let s = with_library();
    let args = |out| ["fmu", "model.toml", "--library", "x86_64-linux=lib.so", "--out", out];
    let foreign = ".x.fmu.0123456789abcdef.new";
    s.write(foreign, "mine");
    let hidden = || s.list_all(".").into_iter().filter(|n| n.starts_with('.')).collect::<Vec<_>>();
    let mut left = 0;
    for (call, signal) in [("open", 9), ("write", 9), ("link", 9), ("unlink", 9), ("write", 2)] {
        for out in ["x.fmu", "y.fmu"] {
            let mut ended = 0;
            // The calls before the one that matters read the model and the library.
            for at in 1.. {
                // A name that nobody has is given by a link, one that is taken by renaming.
                let _ = fs::remove_file(s.path("y.fmu"));
                let mut command = s.command(&args(out));
                command.env("LD_PRELOAD", &library).env("FAULT_CALL", call);
                command.env("FAULT_AT", at.to_string()).env("FAULT_SIGNAL", signal.to_string());
                let found = command.output().unwrap();
                if found.status.success() {
                    break;
                }
                ended += 1;
                if signal == 9 {
                    assert_eq!(found.status.signal(), Some(9), "{call} {at}");
                } else {
                    assert_eq!(found.status.code(), Some(130), "{call} {at}");
                    assert_eq!(hidden(), [foreign], "{call} {at}");
                }
                left += hidden().len() - 1;
                assert!(hidden().contains(&foreign.to_owned()), "{call} {at}");
                s.run(&args("x.fmu")).done();
                assert_eq!(hidden(), [foreign], "{call} {at}");
                assert!(at < 100, "{call}");
            }
            assert!(ended > 0 || call != "write", "{call} {signal} {out}");
        }
    }
    // If no kill had left one, nothing would have been tested.
    assert!(left >= 4, "{left}");
    assert_eq!(s.read(foreign), "mine");
}

/// An FMU replaces an older FMU of this program, and nothing else.
#[test]
fn an_fmu_replaces_no_other_file() {
    let s = with_library();
    s.write("x.part", "mine").write("paper.pdf", "mine");
    s.write("u.csv", "t,u\n0,0\n1,1\n");
    let sampled = "sampled = { file = \"u.csv\", time = \"t\", value = \"u\" }";
    let start = MODEL.find("harmonic").unwrap();
    let rest = start + MODEL[start..].find('\n').unwrap();
    s.write("driven.toml", format!("{}{sampled}{}", &MODEL[..start], &MODEL[rest..]));
    let fmu = |out: &str| {
        let library = "x86_64-linux=lib.so";
        s.run(&["fmu", "driven.toml", "--set", "run.end=1", "--library", library, "--out", out])
    };
    fmu("x.fmu").done();
    assert_eq!(s.read("x.part"), "mine");
    let first = fs::read(s.path("x.fmu")).unwrap();
    fmu("x.fmu").done();
    assert!(first == fs::read(s.path("x.fmu")).unwrap());
    for input in ["driven.toml", "u.csv", "lib.so", "./u.csv"] {
        let before = s.read(input);
        fmu(input).failed(1, &[input, "is an input of this run"]);
        assert_eq!(s.read(input), before);
    }
    fmu("paper.pdf").failed(1, &["paper.pdf: is there already", "another name"]);
    assert_eq!(s.read("paper.pdf"), "mine");
    let changed = [&first[..], b"my own resource"].concat();
    s.write("x.fmu", &changed);
    fmu("x.fmu").failed(1, &["x.fmu: is there already", "changed since"]);
    assert!(changed == fs::read(s.path("x.fmu")).unwrap());
    fs::create_dir(s.path("d.fmu")).unwrap();
    fmu("d.fmu").failed(1, &["d.fmu: is a directory"]);
    fmu("..").failed(1, &["is a directory"]);
    fmu("nowhere/x.fmu").failed(1, &["nowhere/x.fmu: cannot be written"]);
    #[cfg(unix)]
    {
        s.write("outside.txt", "keep");
        for (name, target) in
            [("y.part", "outside.txt"), ("y.fmu", "outside.txt"), ("z.fmu", "none")]
        {
            std::os::unix::fs::symlink(target, s.path(name)).unwrap();
        }
        fmu("y.fmu").failed(1, &["y.fmu: is a symbolic link"]);
        fmu("z.fmu").failed(1, &["z.fmu: is a symbolic link"]);
        fs::remove_file(s.path("y.fmu")).unwrap();
        fmu("y.fmu").done();
        assert!(s.read("outside.txt") == "keep" && !s.path("none").exists());
        // The model under another name.
        fs::hard_link(s.path("driven.toml"), s.path("model.fmu")).unwrap();
        fmu("model.fmu").failed(1, &["model.fmu: is an input of this run"]);
    }
    let hidden: Vec<_> = s.list_all(".").into_iter().filter(|n| n.starts_with('.')).collect();
    assert!(hidden.is_empty(), "{hidden:?}");
}

/// The files in which long runs keep what they have done are theirs, or they are left alone.
#[test]
fn states_of_somebody_stay() {
    let s = Sandbox::new();
    s.run(&["new", "fleet", "fleet.toml"]).done();
    let text = s.read("fleet.toml").replace("changes = true", "changes = false");
    s.write("fleet.toml", text + "[fit]\ndiagnose = false\n");
    s.run(&["new", "calibrate", "fit.toml"]).done();
    fs::create_dir(s.path("r")).unwrap();
    let fleet = ["fleet", "fleet.toml", "--threads", "1", "-q", "--out", "r"];
    let fit = ["calibrate", "fit.toml", "-q", "--out", "r"];
    let resumed = [&fleet[..], &["--resume"]].concat();
    for (args, state) in
        [(&fleet[..], "r/fleet.state"), (&resumed, "r/fleet.state"), (&fit, "r/fit.state")]
    {
        for text in ["", "mine", "mine\n", "t,x\n0,1\n", "0123456789abcdef\n"] {
            s.write(state, text);
            s.run(args).failed(1, &[state, "holds nothing of an earlier run", "move it elsewhere"]);
            assert_eq!(s.read(state), text);
        }
        fs::remove_file(s.path(state)).unwrap();
        #[cfg(unix)]
        {
            s.write("outside.txt", "");
            std::os::unix::fs::symlink("../outside.txt", s.path(state)).unwrap();
            s.run(args).failed(1, &[state, "symbolic link"]);
            fs::remove_file(s.path(state)).unwrap();
            let made = std::process::Command::new("mkfifo").arg(s.path(state)).status();
            assert!(made.unwrap().success());
            s.run(args).failed(1, &[state, "a pipe"]);
            fs::remove_file(s.path(state)).unwrap();
            assert_eq!(s.read("outside.txt"), "");
        }
    }
}
