//! Masses on a plane: against references, closed forms, the interval's solver and independent integrations.

mod bowl;
mod independent;
mod line;
mod pressure;
mod reference;
mod rim;
mod steps;
