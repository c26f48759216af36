//! A fit that was ended goes on from what was kept of it.

use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use stickslip::portable;
use stickslip_file::{Document, Journal, Memory, Reading};
use stickslip_run::{Calibrate, Context, Input, calibrate};

const FIT: &str = "[data]\nfile = \"r.csv\"\ntime = \"t\"\ntime_unit = \"s\"\n[[data.measured]]\nwhat = \"x\"\n\
    column = \"x\"\nunit = \"m\"\n[model]\nkind = \"model\"\n[model.oscillator]\nmass = 1.0\nstiffness = 100.0\n\
    damping = 0.1\nfriction.coulomb = { force = 0.4 }\n[fit.unknown]\n\
    oscillator.friction.coulomb.force = { from = 0.0, to = 2.0 }\noscillator.damping = { from = 0.0, to = 3.0 }\n";

/// A journal on a disk that is full for some lines.
#[derive(Default)]
struct Full {
    lines: Mutex<Vec<String>>,
    asked: AtomicUsize,
    /// The first line that is lost, and the first after it that is not.
    lost: [usize; 2],
}

impl Journal for Full {
    fn lines(&self) -> io::Result<Vec<String>> {
        Ok(self.lines.lock().unwrap().clone())
    }

    fn add(&self, line: &str) -> io::Result<()> {
        let n = self.asked.fetch_add(1, Ordering::Relaxed);
        if (self.lost[0]..self.lost[1]).contains(&n) {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        self.lines.lock().unwrap().push(line.to_owned());
        Ok(())
    }
}

/// A ring-down under dry friction f = 0.5 N: half waves x = (A − f/k) cos ωt about ±f/k.
fn record() -> String {
    let (at, turns) = (0.5 / 100.0, 10.0);
    let mut out = "t,x\n".to_owned();
    for i in 0..120 {
        let t = 0.02 * f64::from(i);
        let half = (t * turns / std::f64::consts::PI).floor();
        let side = if half % 2.0 == 0.0 { 1.0 } else { -1.0 };
        // Each half wave loses 2 f/k.
        let size = 0.1 - 2.0 * at * half;
        let x = side * at + (size - at) * portable::cos(turns * t);
        out.push_str(&format!("{t},{x}\n"));
    }
    out
}

fn fitted(journal: &Full) -> (serde_json::Value, usize) {
    let reading = Reading::new(Memory::default().with("r.csv", record()));
    let document = Document::parse("fit.toml", FIT).unwrap();
    let warned = Mutex::new(Vec::new());
    let warn = |said: &str| warned.lock().unwrap().push(said.to_owned());
    let context = Context { journal: Some(journal), warn: &warn, ..Context::silent() };
    let found = calibrate(&Calibrate::default(), &Input::new(&document, &reading), &context);
    let product = found.unwrap();
    let lost = warned.lock().unwrap().iter().filter(|w| w.contains("cannot be saved")).count();
    (product.summary["fit"]["parameters"].clone(), lost)
}

/// A disk is full for some steps and then not: a fit that goes on gives the numbers of one that was never ended, whichever steps are
/// missing. The step after a hole took its place, and other numbers came out, or none.
#[test]
fn a_step_that_was_lost_is_done_again() {
    let whole = Full::default();
    let (right, lost) = fitted(&whole);
    assert_eq!(lost, 0);
    let force = right["oscillator.friction.coulomb.force"]["value"].as_f64().unwrap();
    assert!((force - 0.5).abs() < 1e-3, "{right}");
    let steps = whole.lines.lock().unwrap().len();
    assert!(steps > 3, "{steps}");
    for first in 0..steps - 1 {
        let journal = Full { lost: [first, first + 1], ..Full::default() };
        assert_eq!(fitted(&journal), (right.clone(), 1), "lost from {first} on");
        assert_eq!(fitted(&journal), (right.clone(), 0), "after a loss at {first}");
    }
    // Steps of a version that went on after a hole.
    for missing in 0..steps - 1 {
        let mut lines = whole.lines.lock().unwrap().clone();
        lines.remove(missing);
        let journal = Full { lines: Mutex::new(lines), ..Full::default() };
        assert_eq!(fitted(&journal).0, right, "without {missing}");
    }
}
