//! Machines: networks with any law on any slider and with stops, against references and independent solutions.

mod bristles;
mod controllers;
mod degradation;
mod everything;
mod exact;
mod gears;
mod hunting;
mod independent;
mod loops;
mod memory;
mod near;
mod orders;
mod pieces;
mod reference;
mod rock_campaign;
mod rocks;
mod sliders;
mod steps;
mod stops;
mod which_law;
