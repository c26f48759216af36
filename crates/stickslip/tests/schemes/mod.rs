//! The schemes: each kind of model against closed forms, references and independent solutions.

mod absurd_runs;
mod adaptive;
mod cascade;
mod cascade_quasi_static;
mod exact_random;
mod exact_reference;
mod exact_surroundings;
mod extending;
mod impact_exact;
mod impact_random;
mod impact_stepping;
mod loads_in_pieces;
mod loads_that_jump;
mod modelica;
mod network_exact;
mod network_instants;
mod network_led_by_sums;
mod network_matrices;
mod network_stepping;
mod network_two_masses;
mod network_two_phase;
mod onestep_oracle;
mod oscillator;
mod quasi_static;
mod stops;
mod supports;
