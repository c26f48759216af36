//! What one path has been, and how a contact's slips are counted along it.

use crate::lanes::Durations;
use crate::motion::State;
use crate::scheme::stochastic::ContactStep;

/// One path from 0 to the end. Lists by points and by contacts of the model.
#[derive(Debug, Clone, Default)]
pub(super) struct PathSummary {
    /// Its number.
    pub path: u64,
    /// At the end.
    pub states: Vec<State>,
    /// First step at which |x| is over the level; +∞: never.
    pub passages: Vec<f64>,
    /// What the contacts did.
    pub contacts: Vec<Counted>,
    /// Steps that were not solved to their tolerance.
    pub inexact: u64,
}

impl PathSummary {
    /// Lost to all contacts, J.
    pub fn dissipated(&self) -> f64 {
        self.contacts.iter().map(|c| c.dissipated).sum()
    }
}

/// What one contact did along one path.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counted {
    /// Steps that were not stick.
    pub moving: u64,
    /// Slips, that which the path begins in among them.
    pub slips: u64,
    /// Largest slip, from one stick to the next or to the end, m.
    pub largest: f64,
    /// ∫|w| dt, m.
    pub slid: f64,
    /// Lost to its friction, J.
    pub dissipated: f64,
}

/// Follows one contact of one path: by hand what the lanes of
/// [`lanes::oscillators`](crate::lanes::oscillators) count, for any model.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Follower {
    counted: Counted,
    rests: bool,
    sticks: bool,
    /// Step at which the last stick ended; 0 while it slides from the start on.
    began: u64,
    /// Sliding since then, m.
    net: f64,
}

impl Follower {
    /// At t = 0.
    pub fn start(step: &ContactStep) -> Self {
        Self { rests: step.rests, sticks: step.rests, ..Self::default() }
    }

    /// After step `number`, the first is 1; a slip that ends goes to `durations`.
    pub fn follow(&mut self, number: u64, step: &ContactStep, durations: &mut Durations) {
        let sticks = self.rests && step.rests;
        self.counted.slid += step.slide.abs();
        self.counted.dissipated += step.lost;
        if !sticks {
            self.net += step.slide;
        } else if !self.sticks {
            let steps = number - 1 - self.began;
            self.counted.largest = self.counted.largest.max(self.net.abs());
            self.counted.moving += steps;
            self.counted.slips += 1;
            durations.add(steps);
        }
        if sticks {
            self.began = number;
            self.net = 0.0;
        }
        (self.rests, self.sticks) = (step.rests, sticks);
    }

    /// After the last of `steps`: a slip under way is counted with what it has slid, but how long it lasts is not known.
    pub fn finish(mut self, steps: u64) -> Counted {
        if !self.sticks {
            self.counted.moving += steps - self.began;
            self.counted.slips += u64::from(self.began < steps);
            self.counted.largest = self.counted.largest.max(self.net.abs());
        }
        self.counted
    }
}
