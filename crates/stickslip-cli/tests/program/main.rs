//! The program as users meet it: what it is given, prints, writes, and how it ends.

#![allow(clippy::unwrap_used)] // a test that cannot go on should stop

mod assemblies;
mod attractors;
mod bad_fit;
mod bad_model;
mod calibrate;
mod certify;
mod converge;
mod delivery;
mod doubts;
mod ensemble;
mod experiments;
#[cfg(target_os = "linux")]
mod faults;
#[cfg(unix)]
mod fits;
mod fleet;
mod folders;
mod guide;
mod hostile;
#[cfg(unix)]
mod hostile_folders;
mod hunts;
mod impact;
#[cfg(target_os = "linux")]
mod interruptions;
mod laws;
mod limits;
mod modelica;
mod options;
mod orbits;
mod pages;
mod reference;
mod reproduce;
mod said;
mod sandbox;
mod servo_logs;
mod simulate;
mod start;
mod stops;
mod templates;
mod verdicts;
