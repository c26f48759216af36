//! The program as users meet it: what it is given, prints, writes, and how it ends.

mod bad_fit;
mod bad_model;
mod converge;
mod delivery;
mod hostile;
mod sandbox;
mod simulate;
mod start;
