//! What of a machine is made of pieces, and where they end.

use crate::model::Machine;
use crate::model::machine::{Press, Presser};

/// What is made of pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// The spring of this number, by its elongation, m.
    Spring(usize),
    /// What presses this slider, by its sum before what is negative is cut off, N.
    Press(usize),
}

/// Something made of pieces, and where they end.
#[derive(Debug, Clone)]
pub(super) struct Bend {
    pub of: Of,
    pub edges: Vec<f64>,
}

/// Everything of a machine that is made of pieces.
#[derive(Debug, Clone, Default)]
pub(super) struct Bends {
    /// Springs first: what presses follows from them.
    pub all: Vec<Bend>,
    /// Which of them each spring and each slider is, if any.
    pub of_spring: Vec<Option<usize>>,
    pub of_slider: Vec<Option<usize>>,
}

impl Bends {
    /// Those of `machine`.
    pub fn of(machine: &Machine) -> Self {
        let mut bends = Self::default();
        for (k, spring) in machine.springs().iter().enumerate() {
            let edges = spring.curve.edges();
            let bent = !edges.is_empty();
            bends.of_spring.push(bent.then_some(bends.all.len()));
            if bent {
                bends.all.push(Bend { of: Of::Spring(k), edges });
            }
        }
        for (e, friction) in machine.frictions().iter().enumerate() {
            // A stop never pulls, and begins and ceases to push by events of its own.
            let bent = matches!(friction.press, Some(Press { by: Presser::Spring(_), .. }));
            bends.of_slider.push(bent.then_some(bends.all.len()));
            if bent {
                bends.all.push(Bend { of: Of::Press(e), edges: vec![0.0] });
            }
        }
        bends
    }
}
