//! Folders of results with anything in them, made by chance with a fixed seed: whatever a command finds where it is to write, it
//! touches nothing that is not its own, follows nothing, and says why it stops. And runs that begin in one folder at one moment.

use super::faults::{NOISE, PULLED};
use super::sandbox::{MODEL, Sandbox, asked, sized};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use stickslip_file::{Sha256, summed};

/// Numbers by chance, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

/// Every command that writes files, quickly.
const COMMANDS: [&[&str]; 16] = [
    &["simulate", "model.toml"],
    &["converge", "model.toml", "--end", "2", "--step", "0.1", "--halvings", "2"],
    &["solutions", "model.toml", "--limit", "2"],
    &["certify", "model.toml"],
    &["ensemble", "noisy.toml", "--paths", "4"],
    &["sweep", "model.toml", "--vary", "oscillator.stiffness=0.5:2:2"],
    &["orbit", "damper.toml"],
    &["response", "damper.toml", "--vary", "oscillator.friction.coulomb.force=0.5:0.6:2"],
    &["basins", "damper.toml", "--x", "-2:2:2", "--v", "-1:1:2"],
    &["merge", "a1/partial.json", "a2/partial.json"],
    &["reproduce", "corner"],
    &["reference", "shaw"],
    &["score", "results.csv", "--case", "shaw"],
    &["calibrate", "fit.toml"],
    &["fleet", "fleet.toml", "--threads", "1"],
    &["fmu", "model.toml", "--library", "x86_64-linux=lib.so"],
];

/// Names that somebody may give to what lies in the folder: those of results, of states, of earlier versions' and of this
/// one's hidden files, and others.
const NAMES: [&str; 30] = [
    "summary.json",
    "events.csv",
    "trajectory.csv",
    "motion.svg",
    "fit.json",
    "fit.csv",
    "report.html",
    "index.html",
    "partial.json",
    "ensemble.csv",
    "orbit.json",
    "orbit.csv",
    "certificate.json",
    "model.toml",
    "fleet.csv",
    "fleet.state",
    "fit.state",
    "report-b0.html",
    "paper.tex",
    ".bashrc",
    "x.fmu",
    "x.part",
    ".run.77777.tmp",
    ".done.77777.tmp",
    ".events.csv.77777.tmp",
    ".events.csv.0123456789abcdef.new",
    ".motion.svg.0123456789abcdef.old",
    ".summary.json.0123456789abcdef.new",
    ".stickslip",
    ".stickslip.busy",
];

/// What the commands read, and a folder with things that nobody may touch.
fn prepared() -> Sandbox {
    let s = Sandbox::new();
    s.write("model.toml", MODEL.replace("end = 40.0", "end = 4.0"));
    let noisy = MODEL.replace("[oscillator.initial]", &format!("{NOISE}[oscillator.initial]"));
    s.write(
        "noisy.toml",
        noisy.replace("end = 40.0", "end = 4.0").replace("scheme = \"exact\"\n", ""),
    );
    s.write(
        "damper.toml",
        "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction.coulomb = { force = 0.4 }\n\
         [[oscillator.force]]\nharmonic = { amplitude = 1.0, angular_frequency = 1.25 }\n",
    );
    for part in ["1", "2"] {
        let (k, out) = (format!("{part}/2"), format!("a{part}"));
        s.run(&["ensemble", "noisy.toml", "--paths", "4", "--part", &k, "--out", &out]).done();
    }
    s.write("results.csv", "kind,t,x,v\nstate,0,0,0\n").write("lib.so", "a library");
    let rows = (0..3000).map(|i| (f64::from(i) * 0.01, 8.0 + (f64::from(i) * 0.01) % 4.0));
    let text: String = rows.map(|(t, f)| format!("{t},{f}\n")).collect();
    s.write("force.csv", format!("time,force\n{text}")).write("fit.toml", PULLED);
    s.run(&["new", "fleet", "fleet.toml"]).done();
    let fleet = s.read("fleet.toml").replace("changes = true", "changes = false");
    s.write("fleet.toml", fleet + "[fit]\ndiagnose = false\n");
    let short: Vec<String> = s.read("bridge.csv").lines().take(300).map(str::to_owned).collect();
    s.write("bridge.csv", short.join("\n") + "\n");
    fs::create_dir(s.path("outside")).unwrap();
    s.write("outside/rel.txt", "keep").write("outside/events.csv", "keep");
    s.write("outside/empty", "");
    s
}

/// A record as this version writes them, with something in it that it would not write.
fn forged(random: &mut Random, outside: &Path) -> String {
    let absolute = outside.join("rel.txt").display().to_string();
    let name =
        random.of(&["../outside/rel.txt", &absolute, "paper.tex", ".bashrc", "..", "a/b", "x\\y"]);
    let digest = Sha256::of(b"keep");
    let known = |what: &str, name: &str| summed(&format!("{what}\t{name}\t4\t{digest}"));
    let run = summed("run\tsimulate\t0123456789abcdef");
    let (exchange, done, end) = (summed("exchange"), summed("done"), summed("end"));
    match random.below(6) {
        0 => run + &known("wrote", name) + &exchange,
        1 => run + &known("wrote", "events.csv") + &known("older", name) + &exchange,
        2 => run + &known("wrote", name) + &exchange + &done + &end,
        3 => run + &done + &end + "../outside/rel.txt\n",
        4 => summed("run\tsimulate\t../../outside") + &known("wrote", "events.csv") + &exchange,
        _ => {
            (0..1 + random.below(200))
                .map(|_| char::from(random.below(128) as u8))
                .collect::<String>()
                + "\u{1}\n"
        }
    }
}

/// Puts something into the folder.
fn plant(s: &Sandbox, random: &mut Random) {
    let name = random.of(&NAMES);
    let at = s.path(&format!("r/{name}"));
    if fs::symlink_metadata(&at).is_ok() {
        return;
    }
    if name == ".stickslip" && random.below(3) > 0 {
        return fs::write(at, forged(random, &s.path("outside"))).unwrap();
    }
    let list = format!("../outside/rel.txt\n{}\npaper.tex\n", s.path("outside/rel.txt").display());
    let summary = r#"{"program":"stickslip","command":"simulate","files":["paper.tex",".bashrc","../outside/rel.txt","summary.json"]}"#;
    match random.below(10) {
        0 => fs::write(at, "mine").unwrap(),
        1 => fs::write(at, list).unwrap(),
        2 => fs::write(at, summary).unwrap(),
        3 => symlink("../outside/rel.txt", at).unwrap(),
        4 => symlink("../outside/nowhere.txt", at).unwrap(),
        5 => symlink("../outside", at).unwrap(),
        6 => {
            fs::create_dir(&at).unwrap();
            fs::write(at.join("events.csv"), "mine").unwrap();
        }
        8 => drop(fs::File::create(&at).unwrap()),
        7 if name != ".stickslip" || random.below(2) == 0 => {
            assert!(Command::new("mkfifo").arg(&at).status().unwrap().success());
        }
        // Larger than what anybody reads, with no bytes on the disk.
        _ => fs::File::create(&at).unwrap().set_len(1 << 34).unwrap(),
    }
}

/// What an entry is, without following it.
fn seen(path: &Path) -> String {
    let found = fs::symlink_metadata(path).unwrap();
    match () {
        () if found.is_symlink() => format!("link to {}", fs::read_link(path).unwrap().display()),
        () if found.is_dir() => format!("folder {:?}", tree(path)),
        () if found.is_file() && found.len() > 1 << 20 => format!("{} bytes", found.len()),
        () if found.is_file() => format!("{:?}", fs::read(path).unwrap()),
        () => "special".to_owned(),
    }
}

fn tree(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).unwrap().map(|e| e.unwrap());
    entries.map(|e| (e.file_name().into_string().unwrap(), seen(&e.path()))).collect()
}

/// Runs a command into the folder; it must end, in order.
fn run(s: &Sandbox, args: &[&str], what: &str) -> (i32, String) {
    let out = if args[0] == "fmu" { "r/x.fmu" } else { "r" };
    let mut command = s.command(&[args, &["-q", "--out", out]].concat());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let patience = Instant::now() + Duration::from_secs(120);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > patience {
            child.kill().unwrap();
            panic!("{what} waits for something");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    (ended.status.code().unwrap_or_else(|| panic!("{what}: {said}")), said)
}

/// How many of `folders` folders were refused, each by so many commands.
fn survive(folders: u64, each: usize) -> usize {
    let s = prepared();
    let mut refused = 0;
    for seed in 0..folders {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1);
        let _ = fs::remove_dir_all(s.path("r"));
        fs::create_dir(s.path("r")).unwrap();
        for _ in 0..1 + random.below(5) {
            plant(&s, &mut random);
        }
        for k in 0..each {
            let args = COMMANDS[(seed as usize + k) % COMMANDS.len()];
            let (inside, around) = (tree(&s.path("r")), tree(s.root()));
            let what = format!("folder {seed} with {:?}, {args:?}", inside.keys());
            let (code, said) = run(&s, args, &what);
            assert!(matches!(code, 0 | 1) && !said.contains("panicked"), "{what}: {code}: {said}");
            let after = tree(&s.path("r"));
            for (name, was) in &inside {
                assert_eq!(after.get(name), Some(was), "{name} after {what}: {said}");
            }
            if code == 1 {
                refused += 1;
                assert!(said.starts_with("error: ") && said.contains("help:"), "{what}: {said}");
                let more: Vec<_> = after.keys().filter(|n| !inside.contains_key(*n)).collect();
                assert!(more.is_empty(), "{more:?} after {what}: {said}");
            }
            let others = |mut all: BTreeMap<String, String>| {
                all.remove("r");
                all
            };
            assert!(others(tree(s.root())) == others(around), "{what} changed something outside");
            // What the command wrote is not there for the next one.
            for name in after.keys().filter(|n| !inside.contains_key(*n)) {
                fs::remove_file(s.path(&format!("r/{name}"))).unwrap();
            }
        }
    }
    refused
}

#[test]
fn folders_of_somebody_are_left_as_they_are() {
    // Each command twice; each night four times.
    let folders = sized(32, 64);
    let refused = survive(folders, 1) as u64;
    let some = folders * 5 / 16..folders * 15 / 16;
    assert!(some.contains(&refused), "{refused} of {folders} were refused: the others are no test");
}

/// 300 folders by every command: some minutes.
#[test]
#[ignore = "takes minutes"]
fn many_folders_of_somebody_are_left_as_they_are() {
    println!("{} of {} were refused", survive(300, COMMANDS.len()), 300 * COMMANDS.len());
}

/// Two runs that begin at one moment in one folder: its results are those of one of them. Six times, each night a dozen times,
/// unless `STICKSLIP_RACES` says otherwise.
#[test]
fn runs_in_one_folder_do_not_mix() {
    let s = Sandbox::new();
    let races = asked("STICKSLIP_RACES").unwrap_or_else(|| sized(6, 12));
    let models = ["one.toml", "two.toml"];
    s.write(models[0], MODEL.replace("end = 40.0", "end = 3.0"));
    s.write(models[1], MODEL.replace("end = 40.0", "end = 3.0").replace("1.2", "1.3"));
    let results = |folder: &str| {
        let mut all = tree(&s.path(folder));
        let hidden: Vec<_> = all.keys().filter(|n| n.starts_with('.')).cloned().collect();
        assert_eq!(hidden, [".stickslip"], "{folder}");
        // They hold durations.
        all.remove("summary.json").unwrap();
        all.remove(".stickslip").unwrap();
        all
    };
    let whole = models.map(|model| {
        s.run(&["simulate", model, "--out", "whole"]).done();
        results("whole")
    });
    assert!(whole[0] != whole[1] && whole[0].len() == 4);
    let (mut both, mut one) = (0, 0);
    for race in 0..races {
        if race % 2 == 0 {
            let _ = fs::remove_dir_all(s.path("r"));
        }
        let runs = models.map(|model| {
            if model == models[1] {
                // At every stage of the first run, and after its end.
                std::thread::sleep(Duration::from_millis(race * 84 / races % 60));
            }
            let mut command = s.command(&["simulate", model, "-q", "--out", "r"]);
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        });
        let ended = runs.map(|run| run.wait_with_output().unwrap());
        let codes = [&ended[0], &ended[1]].map(|e| e.status.code());
        let said = [&ended[0], &ended[1]].map(|e| String::from_utf8_lossy(&e.stderr).into_owned());
        let found = results("r");
        let of = (0..2).find(|i| found == whole[*i]);
        let of = of
            .unwrap_or_else(|| panic!("race {race}: mixed: {:?} {codes:?} {said:?}", found.keys()));
        assert_eq!(codes[of], Some(0), "race {race}: {said:?}");
        let other = 1 - of;
        if codes[other] == Some(0) {
            both += 1;
        } else {
            one += 1;
            let refused = said[other].contains("another run is writing to it");
            assert!(codes[other] == Some(1) && refused, "race {race}: {said:?}");
        }
    }
    println!("{races} races: {both} one after the other, in {one} the second run was refused");
}
