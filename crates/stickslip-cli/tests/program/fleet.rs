//! Fleets: the same bits whatever ends a run and however it is divided, and one bad record among good ones.

use crate::sandbox::Sandbox;
use std::time::{Duration, Instant};

/// What the template says of a wide table, and what files for each bearing need instead.
pub const RESPONSES: &str = r#"responses = ["b1", "b2", "b3", "b4", "b5"]"#;
pub const RESPONSE: &str = r#"response = "displacement""#;

/// Bearings with records of fifty days, one of them broken; `more` goes into the fleet file.
fn fleet(count: usize, more: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run(&["new", "fleet", "fleet.toml"]).code, Some(0));
    sandbox.run(&["new", "calibrate", "fit.toml"]).done();
    let record = sandbox.read("bearing.csv");
    let lines: Vec<&str> = record.lines().collect();
    std::fs::create_dir(sandbox.path("data")).unwrap();
    for i in 0..count {
        let rows = &lines[1 + 60 * i..1201 + 60 * i];
        let text = format!("{}\n{}\n", lines[0], rows.join("\n"));
        sandbox.write(&format!("data/b{i}.csv"), text);
    }
    sandbox.write("data/broken.csv", "time,temperature,displacement\n2024-03-01T00:00:00Z,1,2\n");
    let text = sandbox.read("fleet.toml").replace("\"bridge.csv\"", "\"data/*.csv\"");
    let text = text.replace(RESPONSES, RESPONSE);
    let text = text.replace("changes = true", "changes = false");
    sandbox.write("fleet.toml", text + "[fit]\ndiagnose = false\n" + more);
    sandbox
}

/// The results that do not hold a time.
fn results(sandbox: &Sandbox, folder: &str) -> [String; 2] {
    ["fleet.csv", "index.html"].map(|f| sandbox.read(&format!("{folder}/{f}")))
}

#[test]
fn a_fleet_is_the_same_however_it_is_run() {
    let sandbox = fleet(4, "");
    let ended = sandbox.run(&["fleet", "fleet.toml", "--out", "whole", "--threads", "2"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let [table, page] = results(&sandbox, "whole");
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows.len(), 6);
    assert!(
        rows[0].starts_with("bearing,K,K_low,K_high,f_d,") && rows[0].contains(",change_time,")
    );
    let broken = rows.iter().find(|r| r.starts_with("broken,")).unwrap();
    assert!(broken.contains(",unusable,") && broken.contains("expected 100 or more"), "{broken}");
    assert!(rows[1].starts_with("b0,") && !rows[1].contains("unusable"), "{}", rows[1]);
    assert!(page.contains("Benjamini and Yekutieli") && !page.contains("src=\"http"), "{page}");

    // What is known is not computed again; a torn line is.
    let state = sandbox.read("whole/fleet.state");
    assert_eq!(state.lines().count(), 4);
    sandbox.write("whole/fleet.state", &state[..state.len() - 40]);
    let ended = sandbox.run(&["fleet", "fleet.toml", "--out", "whole", "--resume", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("\"reused\": 3"), "{}", ended.stdout);
    assert_eq!(results(&sandbox, "whole"), [table.clone(), page.clone()]);
    // A record that has changed is fitted again, and only that one.
    let longer = sandbox.read("data/b1.csv") + "2024-12-01T00:00:00Z,9.0,11.0\n";
    sandbox.write("data/b1.csv", longer);
    let ended = sandbox.run(&["fleet", "fleet.toml", "--out", "whole", "--resume", "--json"]);
    assert!(ended.stdout.contains("\"reused\": 3"), "{}", ended.stdout);
    assert_ne!(results(&sandbox, "whole")[0], table);
}

/// Parts in shell jobs, merged, give the bits of one run.
#[test]
fn parts_of_a_fleet_are_merged() {
    let sandbox = fleet(3, "");
    assert_eq!(sandbox.run(&["fleet", "fleet.toml", "--out", "whole"]).code, Some(0));
    let parts = ["1/3", "2/3", "3/3"];
    let jobs: Vec<_> = parts
        .iter()
        .map(|part| {
            let out = format!("part-{}", &part[..1]);
            let args = ["fleet", "fleet.toml", "-q", "--part", part, "--out", &out];
            sandbox.command(&args).spawn().unwrap()
        })
        .collect();
    for mut job in jobs {
        assert!(job.wait().unwrap().success());
    }
    let files = ["part-3/partial.json", "part-1/partial.json", "part-2/partial.json"];
    let merged = sandbox.run(&[&["merge"], &files[..], &["--out", "merged"]].concat());
    assert_eq!(merged.code, Some(0), "{}", merged.stderr);
    assert_eq!(results(&sandbox, "merged"), results(&sandbox, "whole"));
    let lacking = sandbox.run(&["merge", files[0], files[1]]);
    assert_eq!(lacking.code, Some(1));
    assert!(lacking.stderr.contains("are in none of the parts"), "{}", lacking.stderr);
    let twice = sandbox.run(&["merge", files[0], files[1], files[1]]);
    assert!(twice.stderr.contains("another part holds too"), "{}", twice.stderr);
}

/// Whatever kills a run, the next one goes on, to the same bits.
#[cfg(unix)]
#[test]
fn a_killed_run_goes_on() {
    let sandbox = fleet(6, "bootstrap = 20\n");
    let args = ["fleet", "fleet.toml", "-q", "--threads", "1", "--out", "killed"];
    let mut run = sandbox.command(&args).spawn().unwrap();
    let state = sandbox.path("killed/fleet.state");
    let patience = Instant::now() + Duration::from_secs(120);
    let whole = || std::fs::read_to_string(&state).is_ok_and(|s| s.contains('\n'));
    while !whole() && Instant::now() < patience && run.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    // SIGKILL.
    run.kill().unwrap();
    run.wait().unwrap();
    let resumed = sandbox.run(&["fleet", "fleet.toml", "--out", "killed", "--resume", "--json"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert!(resumed.stdout.contains("\"reused\""), "{}", resumed.stdout);
    assert_eq!(sandbox.run(&["fleet", "fleet.toml", "--out", "whole"]).code, Some(0));
    assert_eq!(results(&sandbox, "killed"), results(&sandbox, "whole"));
}

/// Reports of a merged fleet are those of one run; they need the records.
#[test]
fn a_merged_fleet_has_reports() {
    let sandbox = fleet(2, "");
    sandbox.run(&["fleet", "fleet.toml", "--out", "whole", "--reports", "all"]).done();
    for part in ["1/2", "2/2"] {
        let out = format!("part-{}", &part[..1]);
        sandbox.run(&["fleet", "fleet.toml", "-q", "--part", part, "--out", &out]).done();
    }
    let merge = |more: &[&str]| {
        let parts = ["merge", "part-1/partial.json", "part-2/partial.json", "--out", "merged"];
        sandbox.run(&[&parts[..], more].concat())
    };
    merge(&["--reports", "all"]).done();
    assert_eq!(results(&sandbox, "merged"), results(&sandbox, "whole"));
    for file in ["report-b0.html", "report-b1.html"] {
        let [merged, whole] = ["merged", "whole"].map(|f| sandbox.read(&format!("{f}/{file}")));
        assert!(merged == whole && merged.contains("<svg"), "{file}");
    }
    // A record that is not what it was when it was judged has no report.
    let record = sandbox.read("data/b1.csv");
    let half = record.lines().take(600).collect::<Vec<_>>().join("\n");
    sandbox.write("data/b1.csv", half);
    merge(&["--reports", "all"]).done();
    let report = sandbox.read("merged/report-b1.html");
    assert!(report.contains("no longer the one that was judged"), "{report}");
    std::fs::remove_file(sandbox.path("data/b1.csv")).unwrap();
    merge(&["--reports", "all"]).failed(1, &["names other bearings than the parts hold"]);
    merge(&[]).done();
}

/// What a full disk ends goes on when there is space again: of what was said to be kept, nothing is lost.
#[cfg(unix)]
#[test]
fn a_full_disk_loses_nothing() {
    let sandbox = fleet(4, "");
    sandbox.run(&["fleet", "fleet.toml", "--out", "whole"]).done();
    let state = sandbox.read("whole/fleet.state");
    let page = sandbox.read("whole/index.html").len();
    // No file may grow beyond so many blocks of 512 bytes: in the middle of the third bearing, and where the page is written.
    let second: usize = state.split_inclusive('\n').take(2).map(str::len).sum();
    assert!(page > state.len() + 1024);
    for (blocks, kept) in [(second / 512 + 1, "2"), (state.len() / 512 + 1, "4")] {
        let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let ended = std::process::Command::new("sh")
            .args(["-c", &limited, crate::sandbox::PROGRAM])
            .args(["fleet", "fleet.toml", "--threads", "1", "--out", "full", "-q"])
            .current_dir(sandbox.root())
            .output()
            .unwrap();
        let stderr = String::from_utf8(ended.stderr).unwrap();
        assert!(matches!(ended.status.code(), Some(1)), "{stderr}");
        if kept == "2" {
            assert!(stderr.contains("cannot be kept") && stderr.contains("2 of 5"), "{stderr}");
        }
        assert!(!sandbox.path("full/index.html").exists(), "half a page");
        let resumed = sandbox.run(&["fleet", "fleet.toml", "--out", "full", "--resume", "--json"]);
        let said = format!("\"reused\": {kept}");
        assert!(resumed.done().stdout.contains(&said), "{said}");
        assert_eq!(results(&sandbox, "full"), results(&sandbox, "whole"));
        std::fs::remove_dir_all(sandbox.path("full")).unwrap();
    }
}

#[test]
fn parts_of_sweeps_and_ensembles_are_merged() {
    let sandbox = Sandbox::new();
    let vary = "oscillator.stiffness=0.5:2:7";
    let sweep = |more: &[&str]| {
        let ended = sandbox.run(&[&["sweep", "model.toml", "-q", "--vary", vary], more].concat());
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    };
    sweep(&["--out", "whole"]);
    sweep(&["--part", "1/2", "--out", "a"]);
    sweep(&["--part", "2/2", "--out", "b"]);
    let merged = sandbox.run(&["merge", "b/partial.json", "a/partial.json", "--out", "merged"]);
    assert_eq!(merged.code, Some(0), "{}", merged.stderr);
    for file in ["sweep.csv", "sweep.svg"] {
        assert_eq!(sandbox.read(&format!("whole/{file}")), sandbox.read(&format!("merged/{file}")));
    }
    let wrong = sandbox.run(&["sweep", "model.toml", "--vary", vary, "--part", "3/2"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("is no part"), "{}", wrong.stderr);

    assert_eq!(sandbox.run(&["new", "ensemble", "noisy.toml"]).code, Some(0));
    let ensemble = |more: &[&str]| {
        let head = ["ensemble", "noisy.toml", "-q", "--end", "0.2", "--paths", "40"];
        let ended = sandbox.run(&[&head, more].concat());
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    };
    ensemble(&["--out", "paths"]);
    ensemble(&["--part", "1/2", "--out", "c"]);
    ensemble(&["--part", "2/2", "--out", "d"]);
    let merged = sandbox.run(&["merge", "c/partial.json", "d/partial.json", "--out", "merged"]);
    assert_eq!(merged.code, Some(0), "{}", merged.stderr);
    assert_eq!(sandbox.read("paths/ensemble.csv"), sandbox.read("merged/ensemble.csv"));
    let parts = ["merge", "c/partial.json", "d/partial.json", "--out", "o", "--reports", "all"];
    sandbox.run(&parts).failed(2, &["parts of an ensemble have none", "leave --reports out"]);
}

#[test]
fn options_that_do_not_apply_are_refused() {
    let sandbox = Sandbox::new();
    for (args, said) in [
        (vec!["fleet", "fleet.toml", "--resume"], "--out"),
        (vec!["fleet", "model.toml", "--out", "o", "--reports", "some"], "is no choice of reports"),
        (vec!["merge", "a", "b", "--reports", "all"], "--out"),
        (vec!["simulate", "model.toml", "--format", "parquet"], "--out"),
        (vec!["simulate", "model.toml", "--out", "o", "--format", "xls"], "is no format of tables"),
    ] {
        let ended = sandbox.run(&args);
        assert_eq!(ended.code, Some(2), "{args:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(said), "{args:?}: {}", ended.stderr);
    }
    let ended = sandbox.run(&["fleet", "model.toml"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("this is a model file"), "{}", ended.stderr);
}

#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_is_refused_where_it_is_not_built_in() {
    let sandbox = Sandbox::new();
    let ended = sandbox.run(&["simulate", "model.toml", "--out", "o", "--format", "parquet"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("this program cannot write it"), "{}", ended.stderr);
}

#[cfg(feature = "parquet")]
#[test]
fn tables_are_written_as_parquet() {
    let sandbox = Sandbox::new();
    let ended = sandbox.run(&["simulate", "model.toml", "--out", "o", "--format", "parquet"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let bytes = std::fs::read(sandbox.path("o/trajectory.parquet")).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    assert!(!sandbox.path("o/trajectory.csv").exists());
}
