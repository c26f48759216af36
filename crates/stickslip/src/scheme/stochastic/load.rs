//! What acts on the mass in each step, known and random.

use super::Rule;
use crate::error::Error;
use crate::instructions::Instructions;
use crate::model::{NoiseOn, NoisyOscillator, Place};
use crate::signal::noise::{CHUNK, Group, Scratch, Source, SourceState, Target};
use crate::signal::{Cursor, Signal};

/// The load of a model on one grid.
#[derive(Debug, Clone)]
pub(crate) struct Load {
    /// h, s.
    pub step: f64,
    /// K d(t) + f(t), N.
    known: Signal,
    /// Where in a step the scheme looks at it, as a part of the step.
    at: f64,
    sources: Vec<(Place, Source)>,
}

/// The known part of the load, in order of time.
#[derive(Debug, Clone)]
pub(crate) struct Known<'a> {
    cursor: Cursor<'a>,
    step: f64,
    at: f64,
    /// Of the chunk read last.
    pub values: [f64; CHUNK],
}

/// Where the noises of `N` paths are.
pub(crate) type NoiseStates<const N: usize> = Vec<SourceState<N>>;

/// What acts at random on `N` paths during one chunk. Paths that are made one after the other share it.
#[derive(Debug, Clone)]
pub(crate) struct NoiseChunk<const N: usize> {
    scratch: Scratch<N>,
    /// Sum of the random forces, K times the random drive included, at the chunk's points, both ends included, N.
    pub force: [[f64; N]; CHUNK + 1],
    /// Impulses of the steps, N·s.
    pub impulse: [[f64; N]; CHUNK],
    /// Velocity of the support at the chunk's points, both ends included, m/s.
    pub support: [[f64; N]; CHUNK + 1],
}

impl Load {
    /// On a grid with steps `step` (s), for the steps of `rule`.
    pub fn new(model: &NoisyOscillator<'_>, step: f64, rule: Rule) -> Result<Self, Error> {
        let mut sources = Vec::with_capacity(model.noises.len());
        for (channel, NoiseOn { place, noise }) in model.noises.iter().enumerate() {
            // A displacement of the drive is a force K d on the mass.
            let gain = if *place == Place::Drive { model.oscillator.stiffness } else { 1.0 };
            sources.push((*place, Source::new(noise, gain, step, channel as u8)?));
        }
        // Explicit schemes look at the start of the step.
        let at = rule.theta().unwrap_or(0.0);
        Ok(Self { step, known: model.oscillator.load_signal(), at, sources })
    }

    /// A reader of the known part.
    pub fn known(&self) -> Known<'_> {
        Known { cursor: self.known.cursor(), step: self.step, at: self.at, values: [0.0; CHUNK] }
    }

    /// Paths before their first chunk.
    pub(crate) fn states_of_noise<const N: usize>(&self) -> NoiseStates<N> {
        self.sources.iter().map(|s| s.1.source_state()).collect()
    }

    /// Whether some noise is white.
    pub(crate) fn has_impulses(&self) -> bool {
        self.sources.iter().any(|s| s.1.is_white())
    }

    /// Whether some noise moves the support.
    pub(crate) fn has_support(&self) -> bool {
        self.sources.iter().any(|s| s.0 == Place::Support)
    }

    /// Makes chunk number `chunk`; chunks come in order from 0.
    pub fn make<const N: usize>(
        &self,
        on: Instructions,
        group: &Group<N>,
        chunk: u64,
        states_of_noise: &mut NoiseStates<N>,
        out: &mut NoiseChunk<N>,
    ) {
        let NoiseChunk { scratch, force, impulse, support } = out;
        // The first of a kind overwrites what the chunk before left; without any it stays 0.
        let mut forced = false;
        let mut struck = false;
        let mut moved = false;
        for ((place, source), source_state) in self.sources.iter().zip(states_of_noise) {
            let (add, values) = match place {
                // White noise has no values, only impulses, whatever it acts on.
                _ if source.is_white() => (&mut struck, &mut impulse[..]),
                Place::Support => (&mut moved, &mut support[..]),
                // Those in a plane, whose paths do not come here, are forces as well.
                Place::Drive | Place::Force | Place::Node(_) => (&mut forced, &mut force[..]),
                Place::PlaneForce(_) | Place::PlaneBase(_) => (&mut forced, &mut force[..]),
            };
            source.make_on(on, group, chunk, source_state, scratch, Target { add: *add, values });
            *add = true;
        }
    }
}

impl<const N: usize> NoiseChunk<N> {
    /// None yet.
    pub fn new() -> Self {
        let zero = [[0.0; N]; CHUNK + 1];
        Self { scratch: Scratch::new(), force: zero, impulse: [[0.0; N]; CHUNK], support: zero }
    }
}

impl Known<'_> {
    /// The values in the steps of chunk number `chunk`, where the scheme looks at them; chunks come in order.
    pub fn chunk(&mut self, chunk: u64) -> &[f64; CHUNK] {
        let first = (chunk * CHUNK as u64) as f64 + self.at;
        self.cursor.fill(Instructions::best(), first, self.step, &mut self.values);
        &self.values
    }
}
