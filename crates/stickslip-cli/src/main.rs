//! The `stickslip` program.

fn main() {}
