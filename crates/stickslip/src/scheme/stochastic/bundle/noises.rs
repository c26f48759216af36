//! The noises on cascades and networks, a chunk of steps at a time.

use crate::error::Error;
use crate::instructions::Instructions;
use crate::model::{NoiseOn, Place};
use crate::signal::noise::{CHUNK, Group, Scratch, Source, SourceState, Target};

/// One noise.
#[derive(Debug, Clone)]
pub(super) struct Channel<const N: usize> {
    /// The node it acts on.
    pub node: usize,
    /// Whether it gives impulses of the steps (N·s), not forces at their ends (N).
    pub white: bool,
    source: Source,
    state: SourceState<N>,
    /// Of the chunk made last: values at its points, both ends included, or impulses that begin there.
    pub values: Vec<[f64; N]>,
}

/// All noises of a model.
#[derive(Debug, Clone)]
pub(super) struct Noises<const N: usize> {
    pub channels: Vec<Channel<N>>,
    scratch: Scratch<N>,
    group: Group<N>,
}

impl<const N: usize> Noises<N> {
    /// On a grid with steps `step` (s).
    pub fn new(noises: &[NoiseOn], step: f64) -> Result<Self, Error> {
        let mut channels = Vec::with_capacity(noises.len());
        for (channel, NoiseOn { place, noise }) in noises.iter().enumerate() {
            // The number of the noise is part of its address, so that two alike on one model are independent.
            let source = Source::new(noise, 1.0, step, channel as u8)?;
            channels.push(Channel {
                // The mass of a cascade is its only point; the number is not looked at there.
                node: if let Place::Node(i) = place { *i } else { 0 },
                white: source.is_white(),
                state: source.source_state(),
                source,
                values: vec![[0.0; N]; CHUNK + 1],
            });
        }
        Ok(Self { channels, scratch: Scratch::new(), group: Group { seed: 0, paths: [0; N] } })
    }

    /// For other paths.
    pub fn restart(&mut self, group: Group<N>) {
        self.group = group;
        self.channels.iter_mut().for_each(|c| c.state = c.source.source_state());
    }

    /// Makes chunk number `chunk`; chunks come in order from 0.
    pub fn make(&mut self, on: Instructions, chunk: u64) {
        let Self { channels, scratch, group } = self;
        for c in channels {
            // Each noise has room of its own: it overwrites what its chunk before has left.
            let target = Target { add: false, values: &mut c.values[..] };
            c.source.make_on(on, group, chunk, &mut c.state, scratch, target);
        }
    }
}
