//! Measured series to friction parameters.
