//! `cargo xtask speed`: our work compared with bare loops, in one run on this machine.

use crate::growth::{self, Sample, shown};
use crate::shell::{Outcome, root, target};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::Command;

/// Work whose times are compared: what it is, our bench, the bare one, the aim as a ratio or a time, and what was found when the
/// aims were set.
struct Row {
    work: &'static str,
    ours: &'static str,
    bare: Option<&'static str>,
    aim: Aim,
    before: &'static str,
}

enum Aim {
    /// At most so many times the bare loop.
    Times(f64),
    /// At most so long, ns.
    Time(f64),
}

const fn row(
    work: &'static str,
    (ours, bare): (&'static str, &'static str),
    aim: Aim,
    before: &'static str,
) -> Row {
    let bare = if bare.is_empty() { None } else { Some(bare) };
    Row { work, ours, bare, aim, before }
}

const SWEEP: &str = "oscillator/sweep/bare";
const NORMALS: &str = "noise/normals";
const MASSES_ONE: &str = "20 steps, threads: 1/1000000";
const MASSES_TWO: &str = "20 steps, threads: 2/1000000";
const LONG_ONE: &str = "calibration, threads: 1/5260000";
const LONG_TWO: &str = "calibration, threads: 2/5260000";

const ROWS: [Row; 28] = [
    row(
        "sweep in lanes, one harmonic drive for all; a lane-step",
        ("oscillator/sweep/one_harmonic_for_all", SWEEP),
        Aim::Times(1.5),
        "2.4 ns",
    ),
    row(
        "… a frequency for each lane",
        ("oscillator/sweep/a_frequency_for_each", SWEEP),
        Aim::Times(4.0),
        "17–21 ns",
    ),
    row(
        "… a sampled drive of 10⁵ knots",
        ("oscillator/sweep/one_sampled_drive_for_all", SWEEP),
        Aim::Times(1.5),
        "5.4–6.1 ns",
    ),
    row(
        "Euler scheme, harmonic drive; a step",
        ("oscillator/euler_step/harmonic_ours", "oscillator/euler_step/harmonic_bare"),
        Aim::Times(1.1),
        "1.15 ×",
    ),
    row(
        "… sampled drive",
        ("oscillator/euler_step/sampled_ours", "oscillator/euler_step/sampled_bare"),
        Aim::Times(1.1),
        "",
    ),
    row(
        "… harmonic drive, the path kept, against the same without",
        ("oscillator/euler_step/harmonic_kept", "oscillator/euler_step/harmonic_ours"),
        Aim::Times(2.0),
        "26.2 ns",
    ),
    row(
        "… sampled drive, the path kept, against the same without",
        ("oscillator/euler_step/sampled_kept", "oscillator/euler_step/sampled_ours"),
        Aim::Times(2.0),
        "38.6 ns",
    ),
    row(
        "exact scheme, 39 events (`peer_P3`)",
        ("oscillator/exact_peer_p3", ""),
        Aim::Time(18e3),
        "37 µs",
    ),
    row(
        "exact scheme, Shaw's oscillator over 40 s",
        ("oscillator/exact_shaw", ""),
        Aim::Time(5e3),
        "11.4 µs",
    ),
    row(
        "chain of 10² masses, implicit; a mass and step",
        ("cascade/chain_of_two_phases/100", "cascade/bare_tridiagonal_solve/100"),
        Aim::Times(4.0),
        "2.5–5 ×",
    ),
    row(
        "… of 10⁴",
        ("cascade/chain_of_two_phases/10000", "cascade/bare_tridiagonal_solve/10000"),
        Aim::Times(4.0),
        "",
    ),
    row(
        "… of 10⁶, 20 steps with their preparation",
        ("cascade/chain_of_two_phases/1000000", "cascade/bare_tridiagonal_solve/1000000"),
        Aim::Times(4.0),
        "20 ×",
    ),
    row("… on two threads against one", (MASSES_TWO, MASSES_ONE), Aim::Times(0.588), "0.83 ×"),
    row(
        "… of 10⁴, f_s = f_d",
        ("cascade/chain_of_coulomb/10000", "cascade/bare_tridiagonal_solve/10000"),
        Aim::Times(4.0),
        "",
    ),
    row(
        "grid of 200 × 200 masses, 20 steps with their preparation; a step",
        ("cascade/grid_of_masses/200", ""),
        Aim::Time(10e6),
        "35 ms",
    ),
    row(
        "ensemble of cascades of two elements; a step of a path, against a normal number",
        ("noise/ensemble/of_cascades/1", NORMALS),
        Aim::Times(3.0),
        "329 ns",
    ),
    row(
        "ensemble of networks of three masses",
        ("noise/ensemble/of_networks/1", NORMALS),
        Aim::Times(10.0),
        "",
    ),
    row(
        "ensemble of oscillators under Ornstein–Uhlenbeck noise",
        ("noise/ensemble/few_rows/1", NORMALS),
        Aim::Times(1.4),
        "1.6–2.4 ×",
    ),
    row("… with 101 rows", ("noise/ensemble/many_rows/1", NORMALS), Aim::Times(1.4), "1.6–2.4 ×"),
    row(
        "… on two threads",
        ("noise/ensemble/few_rows/2", "noise/ensemble/few_rows/1"),
        Aim::Times(0.526),
        "0.50–0.53 ×",
    ),
    row(
        "the usual scheme of ensembles: one mass under white noise, compared with a normal number",
        ("noise/rules/one_mass_and_white_noise/Theta", NORMALS),
        Aim::Times(2.0),
        "",
    ),
    row(
        "… compared with the explicit one that was usual before",
        (
            "noise/rules/one_mass_and_white_noise/Theta",
            "noise/rules/one_mass_and_white_noise/Euler",
        ),
        Aim::Times(1.25),
        "",
    ),
    row(
        "… one mass under filtered noise, compared with the explicit one",
        (
            "noise/rules/one_mass_and_filtered_noise/Theta",
            "noise/rules/one_mass_and_filtered_noise/Euler",
        ),
        Aim::Times(1.25),
        "",
    ),
    row(
        "… a cascade, compared with the implicit one that was usual before",
        ("noise/rules/a_cascade/Theta", "noise/rules/a_cascade/ImplicitEuler"),
        Aim::Times(1.25),
        "",
    ),
    row(
        "… a network, compared with the implicit one",
        ("noise/rules/a_network/Theta", "noise/rules/a_network/ImplicitEuler"),
        Aim::Times(1.25),
        "",
    ),
    row(
        "calibration of 43,200 samples, 134 slips, one core",
        ("calibration/global/1", ""),
        Aim::Time(150e6),
        "",
    ),
    row("… 5010 slips", ("calibration/global/0.33", ""), Aim::Time(150e6), "0.38 s"),
    row(
        "calibration of 5.26·10⁶ samples, on two threads against one",
        (LONG_TWO, LONG_ONE),
        Aim::Times(0.6),
        "1.00 ×",
    ),
];

/// Why an aim is not kept, by counting.
const REASONS: &str = include_str!("speed_reasons.md");

/// Whole programs and calls of Python, measured by `benches/aims.py`, `wheel.py` and `many.py` and written by hand.
const FELT: &str = include_str!("speed_felt.md");

/// Runs the benches and writes `docs/speed.md`.
pub fn measure() -> Outcome {
    match measured() {
        Ok(()) => Outcome::Passed("docs/speed.md is written".to_owned()),
        Err(what) => Outcome::Failed(what),
    }
}

fn measured() -> Result<(), String> {
    let mut times = BTreeMap::new();
    for (package, bench) in [
        ("stickslip", "oscillator"),
        ("stickslip", "noise"),
        ("stickslip", "cascade"),
        ("stickslip-calibrate", "calibration"),
    ] {
        // Long chains take every core by themselves; the other benches say how many they take.
        let threads = usize::from(bench == "cascade");
        let text = output_on(threads, &["bench", "-p", package, "--bench", bench])?;
        read(&text, &mut times);
    }
    let long_record = |rows, threads| {
        let call = ["bench", "-p", "stickslip-calibrate", "--bench", "long_record", "--", rows];
        output_on(threads, &call)
    };
    let campaign =
        |name, threads| output_on(threads, &["bench", "-p", "stickslip", "--bench", name]);
    let mut grown = campaign("growth", 1)?;
    for rows in ["5260", "52600", "526000", "5260000"] {
        grown += &long_record(rows, 1)?;
    }
    let long = long_record("5260000", 2)?;
    let tables =
        output_on(1, &["run", "--profile", "dist", "-p", "stickslip-run", "--example", "csv"])?;
    let masses = campaign("million_masses", 1)?;
    let two = [long.clone(), masses.clone(), campaign("million_masses", 2)?];
    let samples = growth::samples(&[grown, tables.clone()].concat());
    for s in samples.iter().chain(&growth::samples(&two.concat())) {
        times.insert(format!("{}/{}", s.work, s.size), 1e9 * s.seconds);
    }
    let said = [&tables, &long, &masses].map(|text| growth::other_lines(text)).join("\n");
    let page = page(&times, &samples, &said)?;
    std::fs::write(root().join("docs").join("speed.md"), page).map_err(|e| e.to_string())
}

/// What a call of cargo prints, on so many threads where it uses several; 0: on all cores.
fn output_on(threads: usize, arguments: &[&str]) -> Result<String, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    eprintln!("> {cargo} {}", arguments.join(" "));
    let mut run = Command::new(&cargo);
    run.env("RAYON_NUM_THREADS", threads.to_string());
    let run = run.args(arguments).current_dir(root()).output();
    let run = run.map_err(|e| format!("{cargo} could not be started: {e}"))?;
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    let named = arguments.iter().position(|a| ["--bench", "--example"].contains(a));
    let name = named.and_then(|at| arguments.get(at + 1)).unwrap_or(&"run");
    std::fs::write(target().join(format!("speed-{name}.txt")), &text).map_err(|e| e.to_string())?;
    match run.status.success() {
        true => Ok(text),
        false => Err(String::from_utf8_lossy(&run.stderr).into_owned()),
    }
}

/// The least times, ns, of one item each where items are counted, by the path of their names.
fn read(text: &str, times: &mut BTreeMap<String, f64>) {
    let mut path: Vec<String> = Vec::new();
    for line in text.lines() {
        if let Some(at) = line.find("─ ") {
            let depth = line[..at].chars().count() / 3 + 1;
            let rest = &line[at + "─ ".len()..];
            let (name, least) = rest.split_once("  ").unwrap_or((rest, ""));
            path.truncate(depth);
            path.push(name.trim().to_owned());
            if let Some(ns) = time(least) {
                times.insert(path.join("/"), ns);
            }
        } else if let Some(rate) = line.split("item/s").next().filter(|_| line.contains("item/s")) {
            let rate = rate.trim_start_matches(|c: char| !c.is_ascii_digit());
            let (number, unit) = rate.split_once(' ').unwrap_or((rate, ""));
            let scale = match unit.trim() {
                "G" => 1e9,
                "M" => 1e6,
                "K" => 1e3,
                _ => 1.0,
            };
            if let Ok(rate) = number.parse::<f64>() {
                times.insert(path.join("/"), 1e9 / (rate * scale));
            }
        } else if let Some((name, _)) = line.split_once("  ")
            && !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        {
            path = vec![name.to_owned()];
        }
    }
}

/// The first time of a line, ns.
fn time(text: &str) -> Option<f64> {
    let mut words = text.split_whitespace();
    let number: f64 = words.next()?.parse().ok()?;
    let unit = match words.next()? {
        "ps" => 1e-3,
        "ns" => 1.0,
        "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return None,
    };
    Some(number * unit)
}
fn page(times: &BTreeMap<String, f64>, samples: &[Sample], said: &str) -> Result<String, String> {
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpus.lines().find_map(|l| l.strip_prefix("model name")?.split(": ").nth(1));
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load
        .split(' ')
        .next()
        .map(|l| format!("; {l} programs waited for them in the last minute"));
    let mut page = format!(
        "# Speed\n\nWritten by `cargo xtask speed` from `cargo bench`, in one run on this machine: {}, {cores} cores{}. Times are the least of many \
         repeats; on one core where nothing else is said. A bare loop does the same work by hand, for one model and without checks; \
         *before* is what was found when the aims were set.\n\n| work | bare loop | ours | ratio | aim | kept | before |\n\
         |---|---|---|---|---|---|---|\n",
        model.unwrap_or("a processor without a name"),
        load.unwrap_or_default(),
    );
    let at =
        |name: &str| times.get(name).copied().ok_or_else(|| format!("no bench `{name}` has run"));
    for Row { work, ours, bare, aim, before } in &ROWS {
        let time = at(ours)?;
        let bare = bare.map(at).transpose()?;
        let ratio = bare.map(|b| time / b);
        let (aim, kept) = match aim {
            Aim::Times(most) => (format!("≤ {most} ×"), ratio.is_some_and(|r| r <= *most)),
            Aim::Time(most) => (format!("≤ {}", shown(*most)), time <= *most),
        };
        let bare = bare.map(shown);
        let ratio = ratio.map(|r| format!("{r:.2} ×"));
        let bare = bare.as_deref().unwrap_or("–");
        let ratio = ratio.as_deref().unwrap_or("–");
        let time = shown(time);
        let kept = if kept { "yes" } else { "no" };
        let before = if before.is_empty() { "–" } else { before };
        let _ =
            writeln!(page, "| {work} | {bare} | {time} | {ratio} | {aim} | {kept} | {before} |");
    }
    let _ = writeln!(
        page,
        "\n## Growth\n\nTimes on one core grow with the size to this power (`cargo bench -p stickslip --bench growth`, and the calls \
         below):\n\n{}\n\
         Tables (`cargo run --profile dist -p stickslip-run --example csv`), a record of 5.26·10⁶ samples on two threads \
         (`cargo bench -p stickslip-calibrate --bench long_record -- 5260000`; aim: 300 MB) and a chain of 10⁶ masses \
         (`cargo bench -p stickslip --bench million_masses`; aim: 300 MB):\n\n```text\n{said}\n```\n\n{FELT}\n{REASONS}",
        growth::table(samples),
    );
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_times_are_read_by_their_paths() {
        let text = "\
oscillator               fastest       │ slowest       │ median
├─ exact_peer_p3         25.1 µs       │ 40 µs         │ 30 µs
├─ sweep                               │               │
│  ├─ bare               796 µs        │ 1 ms          │ 1 ms
│  │                     1.6 Gitem/s   │ 1 Gitem/s     │ 1 Gitem/s
│  ╰─ of                               │               │
│     ╰─ 100             2 ms          │ 3 ms          │ 4 ms
╰─ last                  1.5 s         │ 2 s           │ 2 s
";
        let mut times = BTreeMap::new();
        read(text, &mut times);
        let near = |name: &str, ns: f64| (times[name] / ns - 1.0).abs() < 1e-12;
        assert!(near("oscillator/exact_peer_p3", 25.1e3) && near("oscillator/sweep/bare", 0.625));
        assert!(near("oscillator/sweep/of/100", 2e6) && near("oscillator/last", 1.5e9));
        assert_eq!(times.len(), 4);
    }
}
