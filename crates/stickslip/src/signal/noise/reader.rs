//! One path of one noise, in order of time.

use super::source::{Scratch, Source, SourceState, Target};
use super::tree::Group;
use super::{Address, CHUNK, Noise};
use crate::error::Error;
use crate::grid::step_count;
use crate::instructions::Instructions;
use crate::signal::Signal;

/// Reads one path at t_n = n h, n = 0, 1, …: the signal's value there, or, of a white noise, its
/// impulse over [t_n, t_n+1] (N·s).
#[derive(Debug, Clone)]
pub struct Reader {
    source: Source,
    source_state: SourceState<1>,
    scratch: Scratch<1>,
    group: Group<1>,
    chunk: [[f64; 1]; CHUNK],
    next: u64,
}

impl Reader {
    /// The path of `noise` at `address` on the grid with `step` (s).
    pub fn new(noise: &Noise, address: Address, step: f64) -> Result<Self, Error> {
        let source = Source::new(noise, 1.0, step, address.channel)?;
        let source_state = source.source_state();
        let group = Group { seed: address.seed, paths: [address.path] };
        Ok(Self {
            source,
            source_state,
            scratch: Scratch::new(),
            group,
            chunk: [[0.0]; CHUNK],
            next: 0,
        })
    }
}

impl Iterator for Reader {
    type Item = f64;

    #[inline]
    fn next(&mut self) -> Option<f64> {
        let i = self.next as usize % CHUNK;
        if i == 0 {
            let number = self.next / CHUNK as u64;
            let Self { source, source_state, scratch, group, chunk, .. } = self;
            let on = Instructions::Portable;
            let target = Target { add: false, values: &mut chunk[..] };
            source.make_on(on, group, number, source_state, scratch, target);
        }
        self.next += 1;
        Some(self.chunk[i][0])
    }
}

impl Noise {
    /// One path on [0, `end`] (s) as a signal with knots every `step` (s), for schemes that need a
    /// function of time: linear between the path's points; of white noise the mean force over
    /// each step, ΔL/h, so that the Euler scheme with this step sees its impulses exactly. An
    /// event-driven scheme converges to the path's motion as the step falls.
    ///
    /// # Errors
    /// If a number is outside its range, or `step` does not fit the run.
    pub fn realize(&self, address: Address, end: f64, step: f64) -> Result<Signal, Error> {
        let count = step_count(end, step)?;
        let times: Vec<f64> = (0..=count).map(|n| n as f64 * step).collect();
        let mut values: Vec<f64> = Reader::new(self, address, step)?.take(count + 1).collect();
        if self.is_white() {
            values.iter_mut().for_each(|impulse| *impulse /= step);
            Signal::stepwise(&times, &values)
        } else {
            Signal::sampled(&times, &values)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATHS: u64 = 4000;

    fn values(noise: &Noise, path: u64, step: f64, count: usize) -> Vec<f64> {
        let address = Address { seed: 5, path, channel: 1 };
        Reader::new(noise, address, step).unwrap().take(count).collect()
    }

    /// Sample covariance of jointly normal (a, b) with mean 0, in units of its standard deviation.
    fn score(pairs: &[(f64, f64)], aa: f64, bb: f64, ab: f64) -> f64 {
        let n = pairs.len() as f64;
        let mean = pairs.iter().map(|(a, b)| a * b).sum::<f64>() / n;
        (mean - ab) / ((aa * bb + ab * ab) / n).sqrt()
    }

    /// Variances and autocovariances of OU from 0: σ²/(2r) (e^{−r|t−s|} − e^{−r(t+s)}). 21 statistics
    /// at 4.5 σ: false alarm 1.4·10⁻⁴ (fixed seed).
    #[test]
    fn ornstein_uhlenbeck_covariances() {
        let r = 1.3;
        let s = 0.8;
        let noise = Noise::OrnsteinUhlenbeck { rate: r, intensity: s, scale: 1.0 };
        let exact = |t: f64, u: f64| {
            s * s / (2.0 * r) * ((-r * (t - u).abs()).exp() - (-r * (t + u)).exp())
        };
        let h = 0.06;
        let at = [1usize, 3, 7, 20, 33, 100];
        let paths: Vec<Vec<f64>> = (0..PATHS).map(|p| values(&noise, p, h, 101)).collect();
        for (k, &i) in at.iter().enumerate() {
            for &j in &at[k..] {
                let t = i as f64 * h;
                let u = j as f64 * h;
                let pairs: Vec<_> = paths.iter().map(|p| (p[i], p[j])).collect();
                let z = score(&pairs, exact(t, t), exact(u, u), exact(t, u));
                assert!(z.abs() < 4.5, "{i} {j}: {z}");
            }
        }
    }

    /// Stationary variance and autocovariance of Kanai–Tajimi's signal. With a = 2ξω, d = ω√(1−ξ²):
    /// R_x(τ) = σ²/(4ξω³) e^{−ξωτ}(cos dτ + ξω/d sin dτ), R_y = −R_x″, and the signal's
    /// autocovariance is s²(ω⁴ R_x + a² R_y) (the cross terms cancel).
    #[test]
    fn kanai_tajimi_covariances() {
        let w = 2.0f64;
        let xi = 0.4f64;
        let s = 0.7;
        let noise = Noise::KanaiTajimi {
            angular_frequency: w,
            damping_ratio: xi,
            intensity: s,
            scale: 1.5,
        };
        let a = xi * w;
        let d = w * (1.0 - xi * xi).sqrt();
        let rx = |t: f64| {
            s * s / (4.0 * xi * w.powi(3))
                * (-a * t).exp()
                * ((d * t).cos() + a / d * (d * t).sin())
        };
        let ry = |t: f64| {
            s * s / (4.0 * xi * w) * (-a * t).exp() * ((d * t).cos() - a / d * (d * t).sin())
        };
        let exact = |t: f64| 2.25 * (w.powi(4) * rx(t) + (2.0 * a).powi(2) * ry(t));
        assert!((exact(0.0) - noise.stationary_variance().unwrap()).abs() < 1e-12);
        let h = 0.05;
        let paths: Vec<Vec<f64>> = (0..PATHS).map(|p| values(&noise, p, h, 401)).collect();
        for lag in [0usize, 1, 5, 16, 40, 100] {
            let pairs: Vec<_> = paths.iter().map(|p| (p[300], p[300 + lag])).collect();
            let z = score(&pairs, exact(0.0), exact(0.0), exact(lag as f64 * h));
            assert!(z.abs() < 4.5, "{lag}: {z}");
        }
        // Short lags on one step far coarser than the filter: exact in law all the same.
        let coarse: Vec<_> =
            (0..PATHS).map(|p| values(&noise, p, 7.0, 12)).map(|v| (v[10], v[11])).collect();
        let z = score(&coarse, exact(0.0), exact(0.0), exact(7.0));
        assert!(z.abs() < 4.5, "coarse: {z}");
    }

    /// Increments over h have variance σ²h, neighbours are uncorrelated, and those of h/2 add up.
    #[test]
    fn white_increments() {
        let noise = Noise::White { intensity: 2.0 };
        let h = 0.3;
        let pairs: Vec<_> = (0..PATHS)
            .flat_map(|p| {
                values(&noise, p, h, 40).windows(2).map(|w| (w[0], w[1])).collect::<Vec<_>>()
            })
            .collect();
        assert!(score(&pairs, 4.0 * h, 4.0 * h, 0.0).abs() < 4.5);
        let own: Vec<_> = pairs.iter().map(|p| (p.0, p.0)).collect();
        assert!(score(&own, 4.0 * h, 4.0 * h, 4.0 * h).abs() < 4.5);
        let coarse = values(&noise, 3, h, 200);
        let fine = values(&noise, 3, h / 2.0, 400);
        for (c, f) in coarse.iter().zip(fine.chunks(2)) {
            assert!((c - (f[0] + f[1])).abs() < 1e-12);
        }
    }

    /// Refinement of every kind of signal: the same bits at common points.
    #[test]
    fn halving_keeps_every_path() {
        for noise in [
            Noise::OrnsteinUhlenbeck { rate: 0.5, intensity: 1.0, scale: 2.0 },
            Noise::KanaiTajimi {
                angular_frequency: 3.0,
                damping_ratio: 0.3,
                intensity: 1.0,
                scale: 1.0,
            },
        ] {
            let coarse = values(&noise, 8, 0.1, 100);
            for k in 1..6 {
                let fine = values(&noise, 8, 0.1 / f64::from(1 << k), 100 << k);
                assert!(fine.iter().step_by(1 << k).eq(&coarse));
            }
        }
    }

    #[test]
    fn seeds_paths_and_channels_are_independent() {
        let noise = Noise::OrnsteinUhlenbeck { rate: 1.0, intensity: 1.0, scale: 1.0 };
        let at = |seed, path, channel| {
            Reader::new(&noise, Address { seed, path, channel }, 0.1).unwrap().nth(77).unwrap()
        };
        let near = [at(1, 1, 1), at(2, 1, 1), at(1, 2, 1), at(1, 1, 2), at(1, 1 + (1 << 32), 1)];
        for (i, a) in near.iter().enumerate() {
            assert!(near[..i].iter().all(|b| a != b));
        }
    }

    #[test]
    fn bad_numbers_are_refused() {
        let a = Address::default();
        for noise in [
            Noise::White { intensity: 0.0 },
            Noise::OrnsteinUhlenbeck { rate: -1.0, intensity: 1.0, scale: 1.0 },
            Noise::OrnsteinUhlenbeck { rate: 1.0, intensity: f64::NAN, scale: 1.0 },
            Noise::KanaiTajimi {
                angular_frequency: 1.0,
                damping_ratio: 0.0,
                intensity: 1.0,
                scale: 1.0,
            },
        ] {
            assert!(Reader::new(&noise, a, 0.1).is_err());
        }
        assert!(Noise::White { intensity: 1.0 }.realize(a, 1.0, -0.1).is_err());
        let ou = Noise::OrnsteinUhlenbeck { rate: 2.0, intensity: 1.0, scale: 1.0 };
        assert!(ou.warning(1.0).is_some() && ou.warning(0.01).is_none());
    }
}
