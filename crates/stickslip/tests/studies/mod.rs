//! Ensembles, sweeps, orders, sets of solutions and ill-posed problems.

mod adjoint;
mod cascade_sensitivity;
mod ensembles;
mod ill_posed_impacts;
mod machine_sensitivity;
mod memory_ensembles;
mod network_adjoint;
mod network_sensitivity;
mod noise_bias;
mod sensitivity;
mod shooting;
mod signs_and_solutions;
mod stochastic;
mod sweeps;
