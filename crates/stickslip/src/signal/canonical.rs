//! Signals as text.

use super::Signal;
use std::fmt::Write;

impl Signal {
    /// The signal as text, its numbers with all their digits: equal for equal signals, and for functions of users
    /// where their names and bounds are.
    pub fn canonical(&self) -> String {
        let mut text = String::new();
        let mut add = |part: std::fmt::Arguments<'_>| {
            // Writing to a text cannot fail.
            let _ = text.write_fmt(part);
        };
        for k in &self.parts.knots {
            add(format_args!("k({:?}, {:?}, {:?})", k.time, k.value, k.rate));
        }
        for h in &self.parts.harmonics {
            add(format_args!("h({:?}, {:?}, {:?})", h.amplitude, h.angular_frequency, h.phase));
        }
        for f in &self.parts.functions {
            add(format_args!("f({f:?})"));
        }
        add(format_args!("d{:?}", self.parts.domain));
        text
    }
}
