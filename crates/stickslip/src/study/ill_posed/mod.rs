//! Two impact problems that are not well posed (Bastien, Bernardin, Lamarque 2013, §1.3.2, after M. Schatzman 1978).
//!
//! * [`corner`]: a point that meets the corner between two walls: the solution jumps with the data;
//! * [`schatzman`]: a smooth force under which a mass on a wall may rest, or bounce out of nothing.

pub mod corner;
pub mod schatzman;
