//! Periodic orbits and their bifurcations, by several authors.

mod belt;
mod den_hartog;
mod feeny_moon;
mod frame;
mod grazing;
mod matrices;

use super::{Item, Work};

/// Their figures and tables.
pub const ITEMS: [Item; 8] = [
    Item {
        name: "den-hartog",
        place: "Den Hartog 1931",
        title: "amplitudes and the limit of motion without stops",
        claim: "without stops the amplitude is A² = V² − f²U², V = 1/(1 − β²), U = tan(π/2β)/β; from some friction on the mass stops twice in a period.",
        ours: "branches of periodic orbits at six frequencies over the friction, with the onset of stops located on them.",
        run: den_hartog::limits,
    },
    Item {
        name: "shaw-stability",
        place: "Shaw 1986",
        title: "the stability of Den Hartog's orbits",
        claim: "the multipliers are the squares of the eigenvalues of −diag(1, r) R(π/β); the orbits are stable wherever they exist.",
        ours: "the eigenvalues of the exact derivative of the period map.",
        run: den_hartog::stability,
    },
    Item {
        name: "belt",
        place: "Leine et al. 1998",
        title: "stick-slip on a belt with a falling law",
        claim: "a mass on a belt under friction 1/(1 + 3|w|) sticks and slips in turn.",
        ours: "the orbit that the model moves on by itself; its period is found with it.",
        run: belt::run,
    },
    Item {
        name: "grazing-sliding",
        place: "di Bernardo, Kowalczyk and Nordmark 2003",
        title: "grazing-sliding of a mass on a belt",
        claim: "under a load of frequency ν an orbit of four periods that does not stick touches the velocity of the belt at ν = 1.7077997; below there is stick-slip chaos at once.",
        ours: "the branch of that orbit by adaptive steps, with the bifurcation located and named, and the states after each period around it.",
        run: grazing::run,
    },
    Item {
        name: "feeny-moon",
        place: "Feeny and Moon 1994",
        title: "chaos where the normal force depends on the displacement",
        claim: "ẍ + 2ζẋ + x + (1 + 1.5 x) sgn ẋ = 1.9 cos 1.25 t, without friction where 1 + 1.5 x < 0, is chaotic, and its stuck positions make a map of a line.",
        ours: "adaptive steps that stop where the contact opens and closes, and the exponents from the derivatives of the period map.",
        run: feeny_moon::run,
    },
    Item {
        name: "beam",
        place: "Krack and Gross 2019",
        title: "a beam with a friction contact",
        claim: "a steel beam of 2 m rubs on a support at 0.75 m from the clamp; friction was made smooth by a hyperbolic tangent.",
        ours: "the matrices of the condensed beam with Coulomb's law itself; compared with the full model of 16 degrees of freedom.",
        run: matrices::beam,
    },
    Item {
        name: "under-platform",
        place: "a model of two blades",
        title: "blades with a damper under their platforms",
        claim: "a wedge pressed against the platforms of two blades takes energy out of the vibration in which they move against each other, and shifts its frequency.",
        ours: "matrices of two blades and a wedge with contacts along the inclined platforms.",
        run: matrices::blades,
    },
    Item {
        name: "two-storeys",
        place: "a model of a frame",
        title: "friction dampers in the braces of a frame of two storeys",
        claim: "under harmonic ground motion there is a slip load at which the largest amplitude over all frequencies is least.",
        ours: "the amplitude of the roof over the frequency, its peak over the slip load, and the least of these.",
        run: frame::run,
    },
];
