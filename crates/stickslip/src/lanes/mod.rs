//! Many paths side by side.
//!
//! A processor's vectors hold two, four or eight numbers; loops over lanes in fixed order, one lane
//! a path, become such vectors. The module `instructions` compiles each kernel for several
//! instruction sets and picks at run time; no result depends on the choice, to the last bit.
//!
//! Three kernels: the quasi-static path for many parameter sets, below, ensembles of oscillators
//! under noise ([`study::ensemble`](crate::study::ensemble)), and the Euler scheme for many
//! oscillators ([`study::sweep`](crate::study::sweep)).
//!
//! # The quasi-static path
//!
//! The quasi-static path of a slowly driven slider, for many parameter sets side by side.
//!
//! Bensoussan et al. 2021, §2.3.4 with x = βξ and d = βT: the path ξ depends on the drive T only through
//!
//! ```text
//! ρ = f_s/(Kβ)            the drive's lead at which the slider breaks away
//! δ = 2(f_s − f_d)/(Kβ)   how far it then jumps, 0 ≤ δ ≤ 2ρ
//!
//! stick while |T − ξ| ≤ ρ;  otherwise  ξ ← ξ + δ sign(T − ξ)  until it sticks again
//! δ = 0:  the play operator,  ξ ← min(max(ξ, T − ρ), T + ρ)
//! ```
//!
//! (ρ, δ and ξ have the drive's unit.) [`SlipPath`] is that rule, one sample at a time, and the
//! reference for everything else; [`jumps`] adds where, inside a sampling interval, each jump falls.
//! [`Record::sums`] is the same rule for sixteen parameter sets at once, with the sums that a linear
//! least-squares fit of a response to (1, ξ, T) needs. That is what a calibration spends its time on.
//!
//! # How the lanes go fast
//!
//! Trying a set means one pass over the record. Three things keep it short, chosen by measurement
//! (`benches/quasi_static.rs`):
//!
//! * **Nothing to add while it sticks.** ξ is constant between jumps, so Σ ξ y over the record is,
//!   by summation by parts, `ξ_end P(n) − Σ (ξ_new − ξ_old) P(i)` over the jumps, with `P` the running
//!   sum of y, made once per record. The four sums cost nothing but at a jump.
//! * **Blocks that cannot slip are skipped.** If the smallest and the largest drive of sixteen
//!   samples stay within ρ of ξ in all lanes, none of their states can change.
//! * **Sixteen lanes in an array**, which the compiler turns into AVX-512, AVX2 or SSE2 vectors; the
//!   instruction set is chosen at run time. Where slips are rare more lanes are no gain, because a
//!   block is skipped only if no lane slips in it; where they are dense the time is the latency of
//!   one update, and two vectors in flight hide half of it. Neighbouring parameter sets slip nearly
//!   together, so callers should keep neighbours together.
//!
//! The result does not depend on the instruction set, to the last bit: no fused multiply-add is
//! used, and lanes never mix.

mod durations;
mod kernel;
mod normals;
pub(crate) mod oscillators;
mod path;
mod record;
mod rests;
pub(crate) mod sweep;

pub use crate::instructions::Instructions;
pub(crate) use crate::instructions::{Kernel, dispatch, dispatch_narrow};
pub use durations::Durations;
pub use kernel::{LANES, Sums};
pub use normals::fill_normals;
pub use path::{Jump, SlipPath, jumps};
pub use record::{Record, Thresholds};
pub use rests::Rest;
pub use sweep::Counted;
