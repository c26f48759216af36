//! What every reader and every scheme must survive: any bytes at all. A target returns, whatever it is given; it panics
//! where something is wrong.
//!
//! The tests of this crate run the targets on a corpus and on some thousand changes of it (`STICKSLIP_FUZZ=1000000 cargo
//! test -p stickslip-fuzz --release` for more). `fuzz/coverage` runs the same targets guided by coverage, which needs
//! a nightly toolchain: see CONTRIBUTING.

mod change;
mod corpus;

pub use change::Random;
pub use corpus::corpus;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;
use stickslip::{Error, Interrupt, Solution};
use stickslip_file::{Document, FitFile, Memory, ModelFile, Reading};
use stickslip_fmi::Unit;
use stickslip_run::ensemble::SomePaths;

/// A target: what it takes, and the function.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// Takes any bytes, and panics where something is wrong.
    pub run: fn(&[u8]),
}

/// All of them.
pub const TARGETS: &[Target] = &[
    Target { name: "model", run: model },
    Target { name: "solve", run: solve },
    Target { name: "fit", run: fit },
    Target { name: "table", run: table },
    #[cfg(feature = "parquet")]
    Target { name: "parquet", run: parquet },
    Target { name: "fmu", run: fmu },
    Target { name: "calibrate", run: calibrate },
    Target { name: "partial", run: partial },
];

/// The target of this name; without one, a target that takes nothing.
pub fn find(name: &str) -> fn(&[u8]) {
    TARGETS.iter().find(|t| t.name == name).map_or(|_| {}, |t| t.run)
}

/// Between the files of an input.
const BORDER: &[u8] = b"\n=====\n";
/// The name under which a second file is found.
const TABLE: &str = "data.csv";
/// A computation is asked to stop after this.
const PATIENCE: Duration = Duration::from_millis(100);
/// Processor time after which it must have stopped then: no step is longer.
const STEP: Duration = Duration::from_secs(1);
/// A computation that goes on for so long after that hangs.
const HANG: Duration = Duration::from_secs(60);
/// Every scheme by its name in files.
const SCHEMES: [&str; 14] = [
    "exact",
    "adaptive",
    "euler",
    "implicit-euler",
    "theta",
    "quasi-static",
    "hysteresis",
    "moreau",
    "spring",
    "yosida",
    "sign-euler",
    "sign-implicit",
    "sign-rk23",
    "sign-rk45",
];

/// The first file as text, and a reading that knows the second as `data.csv`.
fn files(data: &[u8]) -> Option<(Document, Reading)> {
    let cut = data.windows(BORDER.len()).position(|w| w == BORDER);
    let (first, second) = match cut {
        Some(at) => (&data[..at], &data[at + BORDER.len()..]),
        None => (data, &[][..]),
    };
    let text = std::str::from_utf8(first).ok()?;
    let document = Document::parse("fuzz.toml", text).ok()?;
    Some((document, Reading::new(Memory::default().with(TABLE, second))))
}

/// Any text is a model or is refused.
pub fn model(data: &[u8]) {
    let _ = check_model(data);
}

/// Whether `data` is a model in order, and if not, why.
///
/// # Errors
/// What the reader says.
pub fn check_model(data: &[u8]) -> Result<(), String> {
    let (document, reading) = files(data).ok_or("it is no document")?;
    ModelFile::read(&document, &reading).map(|_| ()).map_err(|e| e.to_string())
}

/// Any model is solved by every scheme that takes it, to finite numbers, or is refused with a reason.
pub fn solve(data: &[u8]) {
    let Some((document, reading)) = files(data) else { return };
    if ModelFile::read(&document, &reading).is_err() {
        return;
    }
    for scheme in SCHEMES {
        let mut document = document.clone();
        if document.set("run.scheme", scheme).is_err() {
            return;
        }
        let Ok(file) = ModelFile::read(&document, &reading) else { continue };
        patiently(data, || {
            let Ok(problem) = file.known() else { return };
            match stickslip::solve(&problem, &file.run.scheme) {
                Ok(solution) => look(scheme, &solution),
                Err(Error::Interrupted { .. }) => {}
                Err(error) => assert!(error.to_string().len() > 10, "{scheme}: {error:?}"),
            }
        });
    }
}

/// What a solution says is finite, and in order.
fn look(scheme: &str, solution: &Solution) {
    let (start, end) = solution.span();
    let mut last = start;
    for e in &solution.events {
        let inside = e.time >= last && e.time <= end * (1.0 + 4.0 * f64::EPSILON);
        assert!(inside, "{scheme}: an event at {} after {last} in a run to {end}", e.time);
        assert!(e.x.is_finite() && e.v.is_finite(), "{scheme}: {e:?}");
        last = e.time;
    }
    let energy = solution.energy();
    if Interrupt::current().is_requested() {
        return; // sums may have ended early
    }
    let all = [energy.work, energy.kinetic, energy.elastic, energy.friction, energy.viscous];
    assert!(all.iter().all(|e| e.is_finite()), "{scheme}: {energy:?}");
    // Work is found along the path, whatever scheme made it: an event that is missed shows in it.
    let closes = match scheme {
        "exact" => 1e-9,
        "quasi-static" if solution.cascade().is_some() => 1e-9,
        "adaptive" => 1e-5,
        _ => f64::INFINITY,
    };
    let defect = energy.relative_defect();
    assert!(defect <= closes || !solution.warnings.is_empty(), "{scheme}: {defect} of {energy:?}");
    let mut row = vec![0.0; solution.columns().len()];
    solution.row(0.5 * (start + end), &mut row);
    assert!(row.iter().all(|x| x.is_finite()), "{scheme}: {row:?}");
}

/// Any fit file and any table: read, or refused.
pub fn fit(data: &[u8]) {
    if let Some((document, reading)) = files(data) {
        let _ = FitFile::read(&document, &reading);
    }
}

/// Any table under a fit file that is in order.
pub fn table(data: &[u8]) {
    let reading = Reading::new(Memory::default().with(TABLE, data));
    for fit in corpus::TABLE_READERS {
        if let Ok(document) = Document::parse("fuzz.toml", fit) {
            let _ = FitFile::read(&document, &reading);
        }
    }
}

#[cfg(feature = "parquet")]
/// Any bytes as a table in Parquet, under a fit file that is in order.
pub fn parquet(data: &[u8]) {
    // The hook of the fuzzer takes every panic for a defect; those that the reader catches are errors of the file.
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |defect| {
            if !stickslip_file::is_reading_parquet() {
                usual(defect);
            }
        }));
    });
    let reading = Reading::new(Memory::default().with("data.parquet", data));
    for fit in corpus::TABLE_READERS {
        let fit = fit.replace(TABLE, "data.parquet");
        if let Ok(document) = Document::parse("fuzz.toml", &fit) {
            let _ = FitFile::read(&document, &reading);
        }
    }
}

/// Any text as the model of an FMU, and any bytes as a state of it: it moves, with any numbers set, or refuses to.
pub fn fmu(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let folder = std::env::temp_dir().join(format!("stickslip-fuzz-{}", std::process::id()));
    let put = || {
        std::fs::create_dir_all(&folder)
            .and_then(|()| std::fs::write(folder.join("model.toml"), text))
    };
    let reading = Reading::new(Memory::default());
    let Ok(document) = Document::parse("model.toml", text) else { return };
    let Ok((_, interface)) = stickslip_file::interface::Exported::read(&document, &reading) else {
        return;
    };
    let token = interface.token(text);
    assert!(put().is_ok(), "the folder of temporary files takes nothing");
    let location = folder.display().to_string();
    assert!(Unit::new(&location, "another").is_err());
    for made in [Unit::new(&location, &token), Unit::new_exchange(&location, &token)] {
        let Ok(mut unit) = made else { continue };
        let variables = (0..).take_while(|i| unit.variable(*i).is_ok()).count() as u32;
        patiently(data, || {
            let mut random = Random::new(data.len() as u64);
            let _ = unit.set_span(0.0, Some(1e3));
            let _ = unit.enter_initialization();
            let _ = unit.exit_initialization();
            for _ in 0..20 {
                let _ = unit.set(random.below_count(variables), random.number());
                let moved = unit.step(unit.time(), random.number(), false);
                for i in 0..variables {
                    let (value, at) = (unit.get(i).unwrap_or(0.0), unit.time());
                    assert!(value.is_finite(), "{:?} is {value} at {at} s", unit.variable(i));
                }
                if let Ok(state) = unit.to_bytes() {
                    // The motion to there is computed anew, unless it has ended or somebody has asked to stop.
                    let again = unit.of_bytes(&state);
                    let ends = moved.is_err() || Interrupt::current().is_requested();
                    assert!(again.is_ok() || ends, "{again:?} at {} s", unit.time());
                    let _ = unit.of_bytes(&random.changed(&state, &state));
                }
            }
            unit.reset();
        });
    }
}

/// Any record that can be read is calibrated, or refused.
pub fn calibrate(data: &[u8]) {
    let Some((document, reading)) = files(data) else { return };
    let input = stickslip_run::Input::new(&document, &reading);
    let silent = stickslip_run::Context::silent();
    patiently(data, || {
        let _ = stickslip_run::calibrate(&stickslip_run::Calibrate::default(), &input, &silent);
    });
}

/// Any partial result is read, or refused; what is read is written again as it was.
pub fn partial(data: &[u8]) {
    let Ok(read) = SomePaths::read("fuzz.json", data) else { return };
    let text = read.to_json();
    let again = SomePaths::read("again.json", text.as_bytes()).map(|p| p.to_json());
    assert_eq!(again.ok(), Some(text));
}

/// Does `work`, asking it to stop after a moment. It panics where that takes longer than [`STEP`]; a computation that does
/// not end at all ends the process.
fn patiently(data: &[u8], work: impl FnOnce()) {
    let input = data.to_vec();
    let stop = Interrupt::new();
    let (done, waits) = channel::<()>();
    let (theirs, clock) = (stop.clone(), Clock::of_this_thread());
    let read = clock.clone();
    let watch = std::thread::spawn(move || {
        if waits.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
            return None;
        }
        let asked = read.spent();
        theirs.request();
        if waits.recv_timeout(HANG) == Err(RecvTimeoutError::Timeout) {
            let input = String::from_utf8_lossy(&input);
            eprintln!("it hangs, asked to stop {HANG:?} ago:\n{input}");
            std::process::abort();
        }
        asked
    });
    let finished: Sender<()> = done; // dropped at the end, also after a panic
    stop.during(work);
    let now = clock.spent();
    drop(finished);
    if let (Ok(Some(asked)), Some(now)) = (watch.join(), now) {
        let late = now.saturating_sub(asked);
        assert!(late <= STEP, "it went on for {late:?} after it was asked to stop");
    }
}

/// The processor time of a thread, which does not pass while others have the processor. Known on Linux only.
#[derive(Clone)]
struct Clock(Option<PathBuf>);

impl Clock {
    fn of_this_thread() -> Self {
        let thread = std::fs::read_link("/proc/thread-self").ok();
        Self(thread.map(|thread| Path::new("/proc").join(thread).join("schedstat")))
    }

    fn spent(&self) -> Option<Duration> {
        let text = std::fs::read_to_string(self.0.as_ref()?).ok()?;
        text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// Keeps the processor busy for `time` once somebody asks to stop.
    fn late_by(time: Duration) {
        let stop = Interrupt::current();
        while !stop.is_requested() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let clock = Clock::of_this_thread();
        let begun = clock.spent();
        while clock.spent().zip(begun).is_some_and(|(now, begun)| now - begun < time) {
            std::hint::spin_loop();
        }
    }

    #[test]
    fn a_step_may_take_a_second_and_no_more() {
        patiently(b"in time", || late_by(STEP / 4));
        let late = std::panic::catch_unwind(|| patiently(b"late", || late_by(STEP + STEP / 4)));
        assert!(late.is_err());
    }
}
