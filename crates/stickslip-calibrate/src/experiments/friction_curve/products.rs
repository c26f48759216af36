//! Products of the columns of all laws, block by block.
//!
//! Laws share most of their columns, and the falls that are tried differ in one column alone. So the products of all columns that do not
//! depend on a fall are summed once, each law takes its own, and a fall adds those of its own column.
//!
//! An acceleration that was formed from readings is an average over a window, but the force J a in the effort of a row is that of its
//! instant. Where the acceleration jumps, as along a trapezoid of the speed, the two differ, and the inertia would come out too large.
//! So the effort and all other columns are averaged over the same windows with the same weights. Windows follow each other in steps of
//! a quarter of their length. A row around which others are missing counts by itself.

use super::laws::Term;
use super::rows::Rows;
use crate::parallel;
use crate::statistics::nonnegative::{Gather, Normal};

/// What is summed: a row by itself, or the average of the rows around it.
#[derive(Debug, Clone, Copy)]
struct Observation {
    row: usize,
    /// Rows on either side that are averaged with it.
    around: usize,
    /// √ of what it counts for: every product of two columns then has the weight once.
    root: f64,
}

/// The observations of one block, and their columns.
#[derive(Debug, Clone, Default)]
struct Block {
    all: Vec<Observation>,
    /// The columns times `root` and the effort behind them, one observation after the other.
    values: Vec<f64>,
    /// The products of these columns.
    products: Option<Normal>,
}

/// A column of a law.
#[derive(Debug, Clone, Copy)]
pub enum Column<'a> {
    /// The same for all falls.
    Of(Term),
    /// A value for each row.
    Values(&'a [f64]),
}

/// Columns and their products.
pub struct Table<'a> {
    rows: &'a Rows,
    terms: &'a [Term],
    blocks: Vec<Block>,
}

/// Observations that a law is fitted to, and the rows themselves, which tell what it misses; `None` where these are the same.
pub struct Tables<'a> {
    pub fitted: Table<'a>,
    missed: Option<Table<'a>>,
}

impl<'a> Tables<'a> {
    /// Of these columns, none of which depends on a fall.
    pub fn of(rows: &'a Rows, terms: &'a [Term]) -> Self {
        let mut fitted = Table::new(rows, terms, averages(rows));
        let is_averaged = rows.averaged_by.len() > 1;
        let mut missed = is_averaged.then(|| Table::new(rows, terms, by_rows(rows)));
        let all = 0..rows.index.len();
        for (k, term) in terms.iter().enumerate() {
            let column: Vec<f64> = all.clone().map(|n| term.at(rows, n, None)).collect();
            // The acceleration of a row is an average already.
            fitted.put(k, &column, *term != Term::Inertia);
            missed.iter_mut().for_each(|table| table.put(k, &column, false));
        }
        for table in missed.iter_mut().chain([&mut fitted]) {
            table.put(terms.len(), &rows.effort, true);
            table.multiply();
        }
        Self { fitted, missed }
    }

    /// The rows themselves.
    pub fn missed(&self) -> &Table<'a> {
        self.missed.as_ref().unwrap_or(&self.fitted)
    }

    /// Whether the rows themselves are what is fitted.
    pub fn are_one(&self) -> bool {
        self.missed.is_none()
    }
}

/// Every row by itself.
fn by_rows(rows: &Rows) -> Vec<Observation> {
    let of = |row: usize| Observation { row, around: 0, root: rows.weight[row].sqrt() };
    (0..rows.index.len()).map(of).collect()
}

/// Averages over windows, and by itself each row around which others are missing.
fn averages(rows: &Rows) -> Vec<Observation> {
    let around = rows.averaged_by.len() / 2;
    let stride = (around / 2).max(1);
    let of = |row: usize| {
        let is_whole = rows.has_around(row, around);
        let counts = if is_whole { stride } else { 1 };
        let around = if is_whole { around } else { 0 };
        let root = (counts as f64 * rows.weight[row]).sqrt();
        let is_kept = !is_whole || rows.index[row].is_multiple_of(stride);
        is_kept.then_some(Observation { row, around, root })
    };
    (0..rows.index.len()).filter_map(of).collect()
}

impl<'a> Table<'a> {
    fn new(rows: &'a Rows, terms: &'a [Term], all: Vec<Observation>) -> Self {
        let mut blocks = vec![Block::default(); rows.blocks];
        all.into_iter().for_each(|o| blocks[rows.block[o.row]].all.push(o));
        for block in &mut blocks {
            block.values = vec![0.0; block.all.len() * (terms.len() + 1)];
        }
        Self { rows, terms, blocks }
    }

    /// One column of all observations, the effort as the last one.
    fn put(&mut self, k: usize, column: &[f64], is_averaged: bool) {
        let width = self.terms.len() + 1;
        for block in &mut self.blocks {
            for (o, row) in block.all.iter().zip(block.values.chunks_exact_mut(width)) {
                let value = if is_averaged { self.rows.seen(o, column) } else { column[o.row] };
                row[k] = o.root * value;
            }
        }
    }

    /// Multiplies all columns with each other.
    fn multiply(&mut self) {
        let width = self.terms.len() + 1;
        let noise = self.rows.noise_of_acceleration;
        let inertia = self.terms.iter().position(|t| *t == Term::Inertia);
        let of = |block: &Block| {
            let mut sums = Gather::new(width - 1);
            for row in block.values.chunks_exact(width) {
                let (effort, columns) = row.split_last().unwrap_or((&0.0, &[]));
                sums.add(columns, *effort);
            }
            let mut normal = sums.finish();
            // Noise adds to the square of the acceleration and not to its product with the effort, which would make the inertia too
            // small.
            if let Some(k) = inertia {
                let counted: f64 = block.all.iter().map(|o| o.root * o.root).sum();
                normal.product[k][k] -= counted * noise;
            }
            normal
        };
        let products = parallel::map(self.blocks.iter().collect(), of);
        self.blocks.iter_mut().zip(products).for_each(|(b, normal)| b.products = Some(normal));
    }

    /// The normal equations of each block for these columns.
    pub fn normals(&self, columns: &[Column<'_>]) -> Vec<Normal> {
        let values = columns.iter().filter_map(|column| match column {
            Column::Values(values) => Some(*values),
            Column::Of(_) => None,
        });
        let values: Vec<&[f64]> = values.collect();
        // Each of the columns as its place among those of the table, after which those of values and the effort follow.
        let mut next = self.terms.len() + 1;
        let place = |column: &Column<'_>| match column {
            Column::Of(term) => self.terms.iter().position(|t| t == term).unwrap_or_default(),
            Column::Values(_) => {
                next += 1;
                next - 1
            }
        };
        let places: Vec<usize> = columns.iter().map(place).collect();
        parallel::map(self.blocks.iter().collect(), |block| self.normal(block, &places, &values))
    }

    fn normal(&self, block: &Block, places: &[usize], values: &[&[f64]]) -> Normal {
        let Some(known) = &block.products else { return Normal::new(places.len()) };
        let effort = self.terms.len();
        let sums = self.with_values(block, values);
        // The product of two places, one of which may be the effort.
        let product = |a: usize, b: usize| {
            let [low, high] = [a.min(b), a.max(b)];
            match (low < effort, high.checked_sub(effort + 1)) {
                (_, Some(k)) => sums[k][low],
                (true, None) if high == effort => known.right[low],
                _ => known.product[low][high],
            }
        };
        let row = |a: usize| places.iter().map(|b| product(a, *b)).collect();
        Normal {
            product: places.iter().map(|a| row(*a)).collect(),
            right: places.iter().map(|a| product(*a, effort)).collect(),
            square: known.square,
        }
    }

    /// For each of the `values`: its products with the columns, with the effort, and with all `values`.
    fn with_values(&self, block: &Block, values: &[&[f64]]) -> Vec<Vec<f64>> {
        let width = self.terms.len() + 1;
        let mut sums = vec![vec![0.0; width + values.len()]; values.len()];
        let mut own = vec![0.0; values.len()];
        for (o, row) in block.all.iter().zip(block.values.chunks_exact(width)) {
            for (value, column) in own.iter_mut().zip(values) {
                *value = o.root * self.rows.seen(o, column);
            }
            for (value, sums) in own.iter().zip(&mut sums) {
                for (sum, other) in sums.iter_mut().zip(row.iter().chain(&own)) {
                    *sum += value * other;
                }
            }
        }
        sums
    }
}

impl Rows {
    /// The value of a column at an observation.
    fn seen(&self, o: &Observation, column: &[f64]) -> f64 {
        if o.around == 0 {
            return column[o.row];
        }
        let near = &column[o.row - o.around..=o.row + o.around];
        self.averaged_by.iter().zip(near).map(|(weight, value)| weight * value).sum()
    }
}

/// The sum over blocks.
pub fn total(blocks: &[Normal]) -> Normal {
    let width = blocks.first().map_or(0, |b| b.right.len());
    blocks.iter().fold(Normal::new(width), |sum, b| sum.plus(1.0, b))
}
