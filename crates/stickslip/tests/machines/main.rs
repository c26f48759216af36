//! Machines: networks with any law on any slider, against references and independent solutions.

#[path = "../common/random.rs"]
mod random;

mod independent;
mod reference;
mod sliders;
