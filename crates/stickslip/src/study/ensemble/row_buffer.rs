//! What paths are at the rows, kept until there is enough of a row to be counted together.
//!
//! A row's histograms and sums take tens of kilobytes, so a path that goes through all rows would
//! fetch each of them from far away. Here a row's numbers lie side by side.

use super::Ensemble;
use crate::motion::State;

/// Most states that are kept, unless even one batch is more.
const MOST: usize = 1 << 18;

/// States of some paths at all rows.
#[derive(Debug, Clone)]
pub(super) struct RowBuffer {
    points: usize,
    contacts: usize,
    /// Paths it has room for, and those it holds.
    room: usize,
    held: usize,
    /// By row, point, path.
    x: Vec<f64>,
    v: Vec<f64>,
    /// Paths at rest by row and contact.
    at_rest: Vec<u64>,
}

impl RowBuffer {
    /// Room for at least `batch` paths.
    pub fn new(rows: usize, points: usize, contacts: usize, batch: usize) -> Self {
        let all = rows * points;
        let room = batch * (MOST / (all * batch).max(1)).clamp(1, 1024 / batch.min(1024));
        let zero = vec![0.0; all * room];
        let at_rest = vec![0; rows * contacts];
        Self { points, contacts, room, held: 0, x: zero.clone(), v: zero, at_rest }
    }

    /// Path number `i` after those held, at a row.
    #[inline]
    pub fn put(&mut self, row: usize, point: usize, i: usize, state: State) {
        let at = (row * self.points + point) * self.room + self.held + i;
        (self.x[at], self.v[at]) = (state.x, state.v);
    }

    /// `count` more paths are at rest.
    #[inline]
    pub fn rest(&mut self, row: usize, contact: usize, count: u64) {
        self.at_rest[row * self.contacts + contact] += count;
    }

    /// `count` paths more are complete. Whether there is room for a `batch` more.
    pub fn hold(&mut self, count: usize, batch: usize) -> bool {
        self.held += count;
        self.held + batch <= self.room
    }

    /// The states of one row and point, by paths.
    pub fn column(&self, row: usize, point: usize) -> (&[f64], &[f64]) {
        let at = (row * self.points + point) * self.room;
        (&self.x[at..at + self.held], &self.v[at..at + self.held])
    }

    /// Counts all that is held and forgets it. Whether it was finite.
    pub fn count(&mut self, into: &mut Ensemble) -> bool {
        let mut finite = true;
        for (p, point) in into.points.iter_mut().enumerate() {
            for (r, row) in point.rows.iter_mut().enumerate() {
                let (x, v) = self.column(r, p);
                if x.iter().chain(v).all(|u| u.is_finite()) {
                    row.x.add_all(x);
                    row.v.add_all(v);
                } else {
                    finite = false;
                }
            }
        }
        for (c, contact) in into.contacts.iter_mut().enumerate() {
            for (r, sum) in contact.at_rest.iter_mut().enumerate() {
                *sum += std::mem::take(&mut self.at_rest[r * self.contacts + c]);
            }
        }
        self.held = 0;
        finite
    }
}
