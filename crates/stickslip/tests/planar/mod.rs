//! Masses on a plane: against references, closed forms, the interval's solver and independent integrations.

mod independent;
mod line;
mod reference;
mod steps;
