//! Masses on a plane: against references, closed forms, the interval's solver and independent integrations.

mod bowl;
mod ensembles;
mod independent;
mod isolated;
mod isolated_adaptive;
mod line;
mod pressure;
mod reference;
mod rigid_independent;
mod rigid_rim;
mod rim;
mod steps;
