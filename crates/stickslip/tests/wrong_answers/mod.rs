//! Answers that once were wrong without a word, each against theory or an independent integrator.

mod belts;
mod doubts;
mod jumps;
mod last_digits;
mod magnitudes;
mod narrow_laws;
mod oracle;
