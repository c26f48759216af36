//! The motion of a record, as laws with memory are led along it.

use crate::experiments::hysteresis::linear::turn_between;
use stickslip::law::memory::Way;

/// One record.
#[derive(Debug, Clone, Default)]
pub struct Path {
    pub name: String,
    /// Whether it is only predicted.
    pub held: bool,
    pub x: Vec<f64>,
    pub force: Vec<f64>,
    /// From the row before to each row: up to a turn between them, if there is one, and on from there.
    pub ways: Vec<[Way; 2]>,
    /// The velocity at each row, m/s.
    pub speeds: Vec<f64>,
    /// The cycle of each row; those of several records are counted on.
    pub cycle: Vec<usize>,
    /// Cycles of this record.
    pub cycles: usize,
    /// The first row that counts: what the contact remembers at the start of a record is not known until it has turned.
    pub first: usize,
    /// How far one row goes after a turn, as is usual, m.
    pub step: f64,
    /// Which rows of the record these are, and how many it has.
    pub rows: Vec<usize>,
    pub length: usize,
}

impl Path {
    pub fn new(time: Vec<f64>, x: Vec<f64>, force: Vec<f64>) -> Self {
        let all: Vec<usize> = (0..x.len()).collect();
        let way = |i: usize| {
            let before = i.saturating_sub(1);
            let whole = time[i] - time[before];
            let turn = if i == 0 { None } else { turn_between(&time, &x, &all, i) };
            // What is not seen of a turn is longer than the difference of two rows.
            let extreme = turn.unwrap_or(x[i]);
            let lengths = [extreme - x[before], x[i] - extreme];
            let sum = lengths[0].abs() + lengths[1].abs();
            let share = |l: f64| if sum > 0.0 { l.abs() / sum } else { 0.5 };
            lengths.map(|length| Way { length, time: whole * share(length) })
        };
        // Over both neighbours, so that the velocity belongs to the row itself.
        let speed = |i: usize| {
            let a = i.saturating_sub(1);
            let b = (i + 1).min(x.len() - 1);
            (x[b] - x[a]) / (time[b] - time[a])
        };
        let ways = (0..x.len()).map(way).collect();
        let speeds = (0..x.len()).map(speed).collect();
        Self { ways, speeds, x, force, ..Self::default() }
    }

    /// Counts its cycles, there and back, from `first` on; `turns` are the rows at which it turns, with both ends.
    pub fn divide(&mut self, turns: &[usize], first: usize) {
        self.cycles = (turns.len() - 1).div_ceil(2).max(1);
        self.cycle = vec![first; self.x.len()];
        self.first = if self.cycles > 2 { turns[1] } else { 0 };
        for (stroke, ends) in turns.windows(2).enumerate() {
            self.cycle[ends[0]..=ends[1]].fill(first + stroke / 2);
        }
    }

    /// ∮ F dx, J.
    pub fn work(&self, force: &[f64]) -> f64 {
        let both = force.windows(2).zip(&self.ways[1..]);
        both.map(|(f, [to, from])| 0.5 * (f[0] + f[1]) * (to.length + from.length)).sum()
    }
}
