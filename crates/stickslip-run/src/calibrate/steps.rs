//! The steps of a fit that are kept, so that one that was ended goes on from there to the same bits.

use super::Watch;
use crate::fingerprint::fingerprint;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use stickslip_calibrate::Control;
use stickslip_file::Reading;

/// Grows when the steps of a fit become others.
const COMPUTED: u64 = 3;

/// Keeps what each step gives, one line for each: what was asked for, which step it is, and the bits of the numbers. A disk that was
/// full for a while leaves steps that are not there, and one that took the place of another would give wrong numbers without a word.
pub struct Steps<'a> {
    watch: Watch<'a>,
    /// The same for the same fit of the same record.
    print: String,
    /// What an earlier run has kept, step by step.
    kept: Vec<Vec<f64>>,
    /// Steps that were recalled or kept.
    done: AtomicUsize,
    /// Whether a step could not be kept: those after it are of no use.
    lost: AtomicBool,
}

/// A number that changes with any byte of these files: FNV-1a over all of them.
pub fn digest(files: &[String], reading: &Reading) -> u64 {
    let bytes = files.iter().filter_map(|f| reading.resources().read(f).ok());
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, b| b.iter().fold(hash, mix))
}

impl<'a> Steps<'a> {
    /// Goes on from what the journal of the context holds of this fit, `asked` for with all defaults, of files with this
    /// [`digest`].
    pub fn new(watch: Watch<'a>, (asked, digest): (&str, u64)) -> Self {
        let done = AtomicUsize::new(0);
        let lost = AtomicBool::new(false);
        let mut steps = Self { watch, print: String::new(), kept: Vec::new(), done, lost };
        let Some(journal) = steps.watch.context.journal else { return steps };
        steps.print = fingerprint(asked, [COMPUTED, digest], &[]);
        match journal.lines() {
            Ok(lines) => lines.iter().for_each(|l| steps.take(l)),
            Err(e) => steps.lost(&e),
        }
        if !steps.kept.is_empty() {
            let said = "the fit continues an earlier run of it that was interrupted";
            (steps.watch.context.warn)(said);
        }
        steps
    }

    /// Takes a line that is the next step of this fit.
    fn take(&mut self, line: &str) {
        let read = || {
            let mut numbers = line.strip_prefix(&self.print)?.split_ascii_whitespace();
            let step = numbers.next()?.parse::<usize>().ok()?;
            let numbers = numbers.map(|n| u64::from_str_radix(n, 16).ok().map(f64::from_bits));
            numbers.collect::<Option<Vec<f64>>>().filter(|_| step == self.kept.len())
        };
        if let Some(numbers) = read() {
            self.kept.push(numbers);
        }
    }

    fn lost(&self, e: &std::io::Error) {
        self.lost.store(true, Ordering::Relaxed);
        let said = format!(
            "progress cannot be saved, so a fit that is interrupted has to start again: {e}"
        );
        (self.watch.context.warn)(&said);
    }
}

impl Control for Steps<'_> {
    fn progress(&self, share: f64) {
        self.watch.progress(share);
    }

    fn stop(&self) -> bool {
        self.watch.stop()
    }

    fn recall(&self) -> Option<Vec<f64>> {
        let numbers = self.kept.get(self.done.load(Ordering::Relaxed))?;
        self.done.fetch_add(1, Ordering::Relaxed);
        Some(numbers.clone())
    }

    fn keep(&self, numbers: &[f64]) {
        let Some(journal) = self.watch.context.journal else { return };
        let step = self.done.fetch_add(1, Ordering::Relaxed);
        if self.lost.load(Ordering::Relaxed) {
            return;
        }
        let mut line = format!("{} {step}", self.print);
        for n in numbers {
            line.push_str(&format!(" {:x}", n.to_bits()));
        }
        if let Err(e) = journal.add(&line) {
            self.lost(&e);
        }
    }
}
