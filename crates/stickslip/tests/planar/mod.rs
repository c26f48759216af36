//! Masses on a plane: against references, closed forms, the interval's solver and independent integrations.

mod line;
mod reference;
