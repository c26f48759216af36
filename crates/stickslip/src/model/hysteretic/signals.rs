//! The signals of a contact with memory, and where other programs may act on it.

use super::{Body, Carrier, Hysteretic};
use crate::model::Inlet;
use crate::signal::Signal;

impl Body {
    /// Its signals by their names.
    fn signals(&self) -> [(&'static str, &Signal); 3] {
        [("drive", &self.drive), ("force", &self.force), ("support", &self.support)]
    }
}

impl Hysteretic {
    /// Its signals by their names.
    pub(crate) fn signals(&self) -> Vec<(&'static str, &Signal)> {
        let mut all = match &self.carrier {
            Carrier::Mass(body) => body.signals().to_vec(),
            Carrier::Led(displacement) => vec![("displacement", displacement)],
        };
        all.extend(self.normal.as_ref().map(|n| ("normal force", n)));
        all
    }

    /// Where something may be added while it moves.
    pub(crate) fn inlets(&self) -> Vec<Inlet> {
        let mut all = match &self.carrier {
            Carrier::Mass(_) => vec![Inlet::Drive, Inlet::Force, Inlet::Support],
            Carrier::Led(_) => vec![Inlet::Displacement],
        };
        all.extend(self.normal.as_ref().map(|_| Inlet::Normal));
        all
    }

    /// The signal at an inlet.
    pub(crate) fn at_inlet(&mut self, inlet: Inlet) -> Option<&mut Signal> {
        match (&mut self.carrier, inlet) {
            (_, Inlet::Normal) => self.normal.as_mut(),
            (Carrier::Mass(body), Inlet::Drive) => Some(&mut body.drive),
            (Carrier::Mass(body), Inlet::Force) => Some(&mut body.force),
            (Carrier::Mass(body), Inlet::Support) => Some(&mut body.support),
            (Carrier::Led(displacement), Inlet::Displacement) => Some(displacement),
            _ => None,
        }
    }
}
