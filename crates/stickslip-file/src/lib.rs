//! What users write: model files, fit files and tables of measurements, read into checked problems.

pub mod fault;
pub mod file;
pub mod number;
pub mod table;
