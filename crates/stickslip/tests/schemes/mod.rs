//! The schemes: each kind of model against closed forms, references and independent solutions.

mod adaptive;
mod cascade;
mod cascade_quasi_static;
mod exact_random;
mod exact_reference;
mod impact_exact;
mod impact_random;
mod impact_stepping;
mod modelica;
mod network_exact;
mod network_stepping;
mod network_two_masses;
mod network_two_phase;
mod onestep_oracle;
mod oscillator;
mod stops;
mod supports;
