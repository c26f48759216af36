//! Measured records, where they are there.

mod drive;
mod slider;
mod temperature;

use super::{Item, Work};

/// The items.
pub const ITEMS: [Item; 3] = [
    Item {
        name: "pulled-slider",
        place: "measured",
        title: "stick-slip of paper on paper",
        claim: "the oscillator of Bensoussan et al. (2021) with a ramp for the drive: a slip lasts π√(m/k), and the force falls from μ_{s} to 2μ_{d} − μ_{s}. Measured by Colas et al. (2019).",
        ours: "Every slip of the record is detected at a given rate of false alarms, and the friction is compared with the numbers of a crude detector.",
        run: slider::run,
    },
    Item {
        name: "rigid-drive",
        place: "measured",
        title: "a positioning drive",
        claim: "M a + F_{v} v + F_{c} sign v + offset = force, published with the record by Janot, Gautier and Brunot (2019).",
        ours: "The four parameters are fitted to position and force.",
        run: drive::run,
    },
    Item {
        name: "temperature",
        place: "measured",
        title: "344 days of temperature every ten minutes",
        claim: "the bridge of Bensoussan et al. (2021) was driven by the temperature of nearly a year.",
        ours: "A measured year of temperature (Lyngby, Denmark), with its gaps, drives a bearing with the parameters of Table 2. The calibration recovers them.",
        run: temperature::run,
    },
];
