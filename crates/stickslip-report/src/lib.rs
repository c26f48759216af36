//! Figures and reports.
