//! Bastien and Lamarque: the cascade.

mod gephyroid;
mod loops;
mod order;
mod prandtl;

use super::{Item, Work};

/// Its claims, which the paper makes without figures.
pub const ITEMS: [Item; 4] = [
    Item {
        name: "cascade-loops",
        place: "§2, §3",
        title: "hysteresis loops for n = 1, 2, 5, 50",
        claim: "one mass on n + 1 springs and n Saint-Venant elements in cascade; the quasi-static behaviour can be investigated with the same model.",
        ours: "The force is shown against a prescribed displacement of rising amplitude, and the energy lost in a closed loop is compared with its closed form. The more elements, the rounder the loops.",
        run: loops::run,
    },
    Item {
        name: "cascade-order",
        place: "Eq. (4.1)",
        title: "the order of the implicit scheme",
        claim: "the scheme is convergent with optimal order 1.",
        ours: "The scheme, with one projection on a box in the metric K^{−1} per step, is compared with the exact event-driven solution.",
        run: order::run,
    },
    Item {
        name: "prandtl-ishlinskii",
        place: "next to Eq. (3.12)",
        title: "the cascade is a Prandtl–Ishlinskii operator",
        claim: "a system that cannot be described by classical assemblies of springs and Saint-Venant elements.",
        ours: "From the unloaded state, the force on the mass is that of n stop operators in parallel. A step therefore needs n clamps and no system of equations.",
        run: prandtl::run,
    },
    Item {
        name: "gephyroid",
        place: "§1",
        title: "a gephyroid for comparison",
        claim: "the cascade is not Persoz's gephyroid, an assembly with a bridge.",
        ours: "The gephyroid is solved as a network: its loop, its stiffness before the first slip and while both sliders slide, and Masing's rule. Seen from the mass, its closed loop also obeys Masing's rule; the two assemblies differ in which slider slides.",
        run: gephyroid::run,
    },
];
