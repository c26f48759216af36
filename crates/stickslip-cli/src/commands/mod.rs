//! What users can ask for, one file each.

pub mod calibrate;
pub mod converge;
mod converge_assembly;
mod converge_impact;
mod converge_noisy;
pub mod ensemble;
mod experiment;
pub mod merge;
pub mod new;
mod record;
pub mod reproduce;
pub mod simulate;
pub mod solutions;
pub mod sweep;
mod work_precision;

use crate::export::Product;
use crate::fault::Result;
use std::path::PathBuf;

/// A problem that has been read and checked, and waits to be solved.
pub trait Job {
    /// What is going on, for people who wait.
    fn title(&self) -> &'static str;

    /// Files that were read.
    fn inputs(&self) -> &[PathBuf];

    /// What users should know before the computing starts.
    fn warnings(&self) -> &[String];

    /// Solves it.
    fn solve(self: Box<Self>) -> Result<Product>;
}
