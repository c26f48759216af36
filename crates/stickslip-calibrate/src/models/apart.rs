//! Columns of derivatives apart from one another.

use crate::statistics::regress::invert;
use crate::statistics::stats::square;
use stickslip::numeric::dot;

/// Columns, with the cosines between them.
pub struct Columns<'a> {
    of: &'a [Vec<f64>],
    size: Vec<f64>,
    cosine: Vec<Vec<f64>>,
}

impl<'a> Columns<'a> {
    pub fn new(of: &'a [Vec<f64>]) -> Self {
        let size: Vec<f64> = of.iter().map(|c| square(c).sqrt()).collect();
        let mut cosine = vec![vec![0.0; of.len()]; of.len()];
        for i in 0..of.len() {
            for j in 0..=i {
                // Cosines, so that the inverse does not depend on the units of the numbers.
                let product = dot(&of[i], &of[j]) / (size[i] * size[j]);
                (cosine[i][j], cosine[j][i]) = (product, product);
            }
        }
        Self { of, size, cosine }
    }

    /// Σ v² of column `k`.
    pub fn square(&self, k: usize) -> f64 {
        self.size[k] * self.size[k]
    }

    /// Those that are not zero everywhere, other than `k`.
    pub fn others(&self, k: usize) -> Vec<usize> {
        // A column of zeros has no direction.
        (0..self.of.len()).filter(|i| *i != k && self.size[*i] > 0.0).collect()
    }

    /// What is left of column `k` without the columns `of`, and its coefficients on them; the column itself where those cannot be
    /// told apart.
    pub fn without(&self, k: usize, of: &[usize]) -> (Vec<f64>, Vec<f64>) {
        let cosines = |i: usize| of.iter().map(|&j| self.cosine[i][j]).collect::<Vec<f64>>();
        let Some(inverse) = invert(of.iter().map(|&i| cosines(i)).collect()) else {
            return (self.of[k].clone(), vec![0.0; of.len()]);
        };
        let right = cosines(k);
        let one = |(row, &i): (&Vec<f64>, &usize)| {
            // From coefficients of unit columns to those of the columns themselves.
            row.iter().zip(&right).map(|(a, b)| a * b).sum::<f64>() * self.size[k] / self.size[i]
        };
        let on: Vec<f64> = inverse.iter().zip(of).map(one).collect();
        let mut left = self.of[k].clone();
        for (&i, b) in of.iter().zip(&on) {
            left.iter_mut().zip(&self.of[i]).for_each(|(l, c)| *l -= b * c);
        }
        (left, on)
    }

    /// Squared sine of the angle of column `k` to the others `of`, and its coefficients on them.
    pub fn apart(&self, k: usize, of: &[usize]) -> (f64, Vec<f64>) {
        let (left, on) = self.without(k, of);
        (square(&left) / self.square(k), on)
    }

    /// Correlation of the estimates of two numbers: minus the cosine between what is left of their columns without `rest`.
    pub fn correlation(&self, i: usize, j: usize, rest: &[usize]) -> f64 {
        let [a, b] = [i, j].map(|k| self.without(k, rest).0);
        let dot: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        -dot / (square(&a) * square(&b)).sqrt()
    }
}
