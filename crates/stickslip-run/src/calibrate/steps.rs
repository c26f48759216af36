//! The steps of a fit that are kept, so that one that was ended goes on from there to the same bits.

use super::Watch;
use crate::fingerprint::fingerprint;
use std::sync::atomic::{AtomicUsize, Ordering};
use stickslip_calibrate::Control;
use stickslip_file::Reading;

/// Grows when the steps of a fit become others.
const COMPUTED: u64 = 2;

/// Keeps what each step gives, one line for each: what was asked for, and the bits of the numbers.
pub struct Steps<'a> {
    watch: Watch<'a>,
    /// The same for the same fit of the same record.
    print: String,
    /// What an earlier run has kept, step by step.
    kept: Vec<Vec<f64>>,
    /// Steps that were recalled.
    recalled: AtomicUsize,
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
        let mut steps =
            Self { watch, print: String::new(), kept: Vec::new(), recalled: AtomicUsize::new(0) };
        let Some(journal) = steps.watch.context.journal else { return steps };
        steps.print = fingerprint(asked, [COMPUTED, digest], &[]);
        match journal.lines() {
            Ok(lines) => steps.kept = lines.iter().filter_map(|l| steps.read(l)).collect(),
            Err(e) => steps.lost(&e),
        }
        if !steps.kept.is_empty() {
            let said = "the fit continues an earlier run of it that was ended";
            (steps.watch.context.warn)(said);
        }
        steps
    }

    /// The numbers of a line, if it is of this fit.
    fn read(&self, line: &str) -> Option<Vec<f64>> {
        let numbers = line.strip_prefix(&self.print)?.split_ascii_whitespace();
        numbers.map(|n| u64::from_str_radix(n, 16).ok().map(f64::from_bits)).collect()
    }

    fn lost(&self, e: &std::io::Error) {
        let said =
            format!("what is done cannot be kept, so that a fit that is ended begins anew: {e}");
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
        let numbers = self.kept.get(self.recalled.load(Ordering::Relaxed))?;
        self.recalled.fetch_add(1, Ordering::Relaxed);
        Some(numbers.clone())
    }

    fn keep(&self, numbers: &[f64]) {
        let Some(journal) = self.watch.context.journal else { return };
        let mut line = self.print.clone();
        for n in numbers {
            line.push_str(&format!(" {:x}", n.to_bits()));
        }
        if let Err(e) = journal.add(&line) {
            self.lost(&e);
        }
    }
}
