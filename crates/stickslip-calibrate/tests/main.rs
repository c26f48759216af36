//! All integration tests of the crate, in one program. A new file joins by one line here.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![allow(clippy::disallowed_methods, reason = "tests compare with the C library")]

mod averages;
mod campaign;
mod changes;
mod common;
mod contaminations;
mod corners;
mod coverage;
mod dampers;
mod devices;
mod drive;
mod evolution;
mod friction_curve;
mod honesty;
mod instruments;
mod instruments_of_rigs;
mod isolator;
mod loggers;
mod memory_laws;
mod models;
mod public_servo;
mod real_data;
mod real_temperature;
mod records;
mod recovery;
mod rig;
mod rock_friction;
mod said;
mod servo;
mod servo_logs;
mod servo_torques;
mod slider;
mod valves;
mod verdicts;
