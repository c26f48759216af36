//! Laws with memory: the same motions for each of them.

mod which_law;

use super::{Item, Work};

/// The items.
pub const ITEMS: [Item; 1] = [Item {
    name: "which-law",
    place: "guide",
    title: "five laws with memory in the same three motions",
    claim: "the laws of Dahl (1968), Bouc and Wen (1976), LuGre (1995), elasto-plastic (2002) and Maxwell slip (2005), written for one contact, differ before the slip, at breakaway, and in stick-slip.",
    ours: "Each goes through one loop before the slip, a force that rises until it breaks away, and stick-slip of a mass on a spring; the work of Dahl's loop has a closed form, and the elastic bristle does not drift.",
    run: which_law::run,
}];
