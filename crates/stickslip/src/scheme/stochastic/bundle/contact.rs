//! What contacts do along paths side by side.

use super::{Lane, flag};

/// One contact in every lane. Ways are counted in units of its scale.
#[derive(Debug, Clone)]
pub(crate) struct Contact<const N: usize> {
    /// m in a unit of way.
    scale: f64,
    /// J per unit of way, where that is always the same.
    force: f64,
    /// How many of the lanes are paths.
    used: usize,
    /// 1 where it is at rest now.
    pub rest: Lane<N>,
    /// 1 where the last step was a stick.
    stuck: Lane<N>,
    /// Sliding in the last step, and the energy it took, J, of a path alone.
    slide: Lane<N>,
    taken: Lane<N>,
    /// Of the slip under way: sliding since the last stick, and the number of that step (0: it slid from the start).
    net: Lane<N>,
    began: Lane<N>,
    /// Σ of |sliding| and of the energy.
    slid: Lane<N>,
    lost: Lane<N>,
    /// Of slips that have ended, that which a path begins in among them.
    count: [u64; N],
    moving: [u64; N],
    largest: Lane<N>,
    /// Their durations, in steps; whoever looks takes them out.
    pub ended: Vec<u64>,
}

/// What one contact did along one path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tally {
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

impl<const N: usize> Contact<N> {
    /// At rest, its ways counted in units of `scale` (m), its friction `force` (J per unit) where that is always the same.
    pub fn new(scale: f64, force: f64) -> Self {
        let zero = [0.0; N];
        Self {
            scale,
            force,
            used: N,
            rest: [1.0; N],
            stuck: [1.0; N],
            slide: zero,
            taken: zero,
            net: zero,
            began: zero,
            slid: zero,
            lost: zero,
            count: [0; N],
            moving: [0; N],
            largest: zero,
            ended: Vec::new(),
        }
    }

    /// Starts again with `used` paths, at rest or not.
    pub fn restart(&mut self, used: usize, rests: bool) {
        let ended = std::mem::take(&mut self.ended);
        *self = Self { used, ended, ..Self::new(self.scale, self.force) };
        self.ended.clear();
        if !rests {
            self.rest = [0.0; N];
            self.stuck = [0.0; N];
        }
    }

    /// Follows it through step number `number`, the first is 1, in which it slid by `slide` against `force` (J per unit of
    /// way), or against its own. It rests after the step where `next` is 0.
    #[inline(always)]
    pub fn follow(
        &mut self,
        number: f64,
        slide: &Lane<N>,
        next: &Lane<N>,
        force: Option<&Lane<N>>,
    ) {
        let mut was = [0.0; N];
        let mut changed = 0u64;
        for l in 0..N {
            was[l] = self.stuck[l];
            let way = slide[l].abs();
            let rest = flag(next[l] == 0.0);
            // At rest before and after: a contact that rests at one end only is on its way from it, or to it.
            let stuck = self.rest[l] * rest;
            self.net[l] += slide[l];
            self.slid[l] += way;
            if let Some(force) = force {
                self.lost[l] += force[l] * way;
            }
            // Only a path alone is asked for its last step; the wide lanes are spared the writing.
            if N == 1 {
                let force = force.map_or(self.force, |f| f[l]);
                (self.slide[l], self.taken[l]) = (slide[l], force * way);
            }
            changed |= u64::from(stuck != was[l]);
            (self.rest[l], self.stuck[l]) = (rest, stuck);
        }
        if changed != 0 {
            // Copies, so that the lanes above need not have an address.
            let was = was;
            let slide = *slide;
            self.count(&was, &slide, number);
        }
    }

    /// Slips that begin with step number `number`, and those that have ended with it, the first stick after them.
    #[inline(never)]
    fn count(&mut self, was: &Lane<N>, slide: &Lane<N>, number: f64) {
        for l in 0..self.used {
            if self.stuck[l] < was[l] {
                // The slip has begun in the step that is being counted, so that its own slide is already part of it.
                (self.began[l], self.net[l]) = (number - 1.0, slide[l]);
            } else if self.stuck[l] > was[l] {
                self.largest[l] = self.largest[l].max(self.net[l].abs());
                let steps = (number - 1.0 - self.began[l]) as u64;
                self.moving[l] += steps;
                self.count[l] += 1;
                self.ended.push(steps);
            }
        }
    }

    /// m slid and J lost in the last step, of a path alone.
    pub fn last(&self, lane: usize) -> (f64, f64) {
        (self.scale * self.slide[lane], self.taken[lane])
    }

    /// After the last of `steps`: a slip under way is counted with what it has slid, but how long it lasts is not known.
    pub fn tally(&self, lane: usize, steps: u64) -> Tally {
        let mut moving = self.moving[lane];
        let mut slips = self.count[lane];
        let mut largest = self.largest[lane];
        // The slip under way has slid and has lasted so far, but nobody knows its whole duration.
        if self.stuck[lane] == 0.0 {
            let began = self.began[lane] as u64;
            moving += steps - began;
            slips += u64::from(began < steps);
            largest = largest.max(self.net[lane].abs());
        }
        Tally {
            moving,
            slips,
            largest: self.scale * largest,
            slid: self.scale * self.slid[lane],
            // One of the two is zero: a friction that never changes is multiplied once, at the end.
            dissipated: self.lost[lane] + self.force * self.slid[lane],
        }
    }
}
