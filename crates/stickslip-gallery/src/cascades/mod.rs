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
        ours: "force against a prescribed displacement of rising amplitude; the energy lost in a closed loop against its closed form. With more elements the loops round off.",
        run: loops::run,
    },
    Item {
        name: "cascade-order",
        place: "Eq. (4.1)",
        title: "the order of the implicit scheme",
        claim: "the scheme is convergent with optimal order 1.",
        ours: "the scheme, one projection on a box in the metric K^{−1} a step, against the exact event-driven solution.",
        run: order::run,
    },
    Item {
        name: "prandtl-ishlinskii",
        place: "beside Eq. (3.12)",
        title: "the cascade is a Prandtl–Ishlinskii operator",
        claim: "a system that cannot be described by classical assemblies of springs and Saint-Venant elements.",
        ours: "from the unloaded state the force on the mass is that of n stops side by side: a step costs n clamps and no solve.",
        run: prandtl::run,
    },
    Item {
        name: "gephyroid",
        place: "§1",
        title: "a gephyroid beside it",
        claim: "the cascade is not Persoz's gephyroid, an assembly with a bridge.",
        ours: "the gephyroid as a network: its loop, its stiffness before the first slip and when both sliders slide, and Masing's rule: seen from the mass its closed loop is again of that kind; what tells the two apart is who slides inside.",
        run: gephyroid::run,
    },
];
