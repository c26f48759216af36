//! What brought a run where it is: the changes of its loads. A run that is begun anew and goes through the same changes
//! arrives in the same state, to the last bit.

use std::sync::Arc;

/// Numbers to a part of the list: parts that are full are shared between copies.
const PART: usize = 4096;

/// The most numbers that are kept, some 64 MB.
const MOST: usize = 1 << 23;

/// The loads that a run goes on under.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// When they begin, s.
    pub time: f64,
    /// When they end at the latest, s.
    pub end: f64,
    /// [value, rate] added at each inlet.
    pub add: Vec<[f64; 2]>,
}

/// The changes of a run in order of time. A copy costs little.
#[derive(Debug, Clone, Default)]
pub struct History {
    full: Vec<Arc<[f64]>>,
    last: Vec<f64>,
    /// How many changes there were.
    count: usize,
    /// It had become too long and was forgotten.
    overflowed: bool,
}

impl History {
    /// Adds a change: when its loads begin and end, and what they add.
    pub fn push(&mut self, time: f64, end: f64, add: &[[f64; 2]]) {
        if self.overflowed {
            return;
        }
        self.count += 1;
        self.last.extend_from_slice(&[time, end]);
        self.last.extend_from_slice(add.as_flattened());
        if self.last.len() >= PART {
            self.full.push(std::mem::take(&mut self.last).into());
        }
        if self.full.len() * PART > MOST {
            *self = Self { overflowed: true, ..Self::default() };
        }
    }

    /// How many changes there were so far.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Every number of it; `None` if it was forgotten.
    pub fn numbers(&self) -> Option<Vec<f64>> {
        let full = self.full.iter().flat_map(|part| part.iter());
        (!self.overflowed).then(|| full.chain(&self.last).copied().collect())
    }

    /// The changes in a list of numbers, with so many inlets; `None` if they are not such a list.
    pub fn changes(numbers: &[f64], inlets: usize) -> Option<Vec<Change>> {
        let chunks = numbers.chunks_exact(2 + 2 * inlets);
        let whole = chunks.remainder().is_empty();
        let one = |c: &[f64]| Change {
            time: c[0],
            end: c[1],
            add: c[2..].chunks_exact(2).map(|a| [a[0], a[1]]).collect(),
        };
        whole.then(|| chunks.map(one).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_reads_back_and_is_forgotten_when_it_is_too_long() {
        let change = |i: usize| Change {
            time: i as f64,
            end: i as f64 + 1.0,
            add: vec![[0.1 * i as f64, 2.0], [3.0, -1.0]],
        };
        let (mut history, want): (_, Vec<_>) =
            (History::default(), (0..5000).map(change).collect());
        want.iter().for_each(|c| history.push(c.time, c.end, &c.add));
        let numbers = history.numbers().unwrap();
        assert_eq!(History::changes(&numbers, 2).unwrap(), want);
        assert!(History::changes(&numbers[1..], 2).is_none());
        for _ in 0..MOST / 6 + PART {
            history.push(want[0].time, want[0].end, &want[0].add);
        }
        assert!(history.numbers().is_none());
    }
}
