//! Does the solution depend continuously on the data? Solve with the force f ± ε and see.

use super::solutions::perturbed;
use crate::error::Error;
use crate::model::Oscillator;
use crate::motion::{State, Trajectory};
use crate::portable;

/// What ±ε on the force does to a motion.
#[derive(Debug, Clone)]
pub struct Perturbation {
    /// ε, N.
    pub epsilon: f64,
    /// With f + ε.
    pub plus: Trajectory,
    /// With f − ε.
    pub minus: Trajectory,
    /// sup |u₊ − u₋| in the plane (x, ẋ).
    pub distance: f64,
    /// The same for ε/16: a sixteenth of it, where the data decide.
    pub closer: f64,
    /// Where the paths part: the first instant, s, from which a smaller ε no longer brings them
    /// closer. None where the solution depends continuously on the force.
    pub parts: Option<f64>,
}

/// Instants compared.
const SAMPLES: usize = 4001;

/// Solves with f ± ε and f ± ε/16 by `solve`.
///
/// # Errors
/// As `solve`.
///
/// ```
/// use stickslip::{Law, Oscillator, Signal, scheme::oscillator::exact, study::perturb::perturb};
/// # fn main() -> Result<(), stickslip::Error> {
/// // A load that only touches the static limit: with 1e-9 N more the mass slips, with less it stays.
/// let o = Oscillator::new(1.0, 1.0, Law::static_dynamic(1.0, 0.5)?)
///     .with_force(Signal::harmonic(1.0, 1.0, -std::f64::consts::FRAC_PI_2));
/// let both = perturb(&o, 1e-9, |o| exact::solve(o, 6.0))?;
/// // the slip from 1 N at half a period has a length of 0.285 m
/// assert!(both.parts.is_some() && both.distance > 0.28);
/// # Ok(()) }
/// ```
pub fn perturb(
    o: &Oscillator,
    epsilon: f64,
    solve: impl Fn(&Oscillator) -> Result<Trajectory, Error>,
) -> Result<Perturbation, Error> {
    let both = |e: f64| Ok::<_, Error>((solve(&perturbed(o, e))?, solve(&perturbed(o, -e))?));
    let (plus, minus) = both(epsilon)?;
    let (near, far) = both(epsilon / 16.0)?;
    let wide: Vec<(f64, f64)> = distances(&plus, &minus).collect();
    let narrow: Vec<(f64, f64)> = distances(&near, &far).collect();
    let greatest = |d: &[(f64, f64)]| d.iter().map(|d| d.1).fold(0.0, f64::max);
    let distance = greatest(&wide);
    let closer = greatest(&narrow);
    // Continuous dependence shrinks the distance with ε (at worst like √ε where an event is grazed).
    let parted = |i: &usize| narrow[*i].1 > 0.5 * wide[*i].1 && narrow[*i].1 > 1e-3 * closer;
    let parts = (0..wide.len()).find(parted).filter(|_| closer > 0.3 * distance && closer > 0.0);
    // That far apart they were not at once: back to where the distance did shrink with ε.
    let together = |i: &usize| narrow[*i].1 <= 0.5 * wide[*i].1;
    let parts = parts.map(|i| wide[(0..i).rfind(together).unwrap_or(0)].0);
    Ok(Perturbation { epsilon, plus, minus, distance, closer, parts })
}

fn distances<'a>(a: &'a Trajectory, b: &'a Trajectory) -> impl Iterator<Item = (f64, f64)> + 'a {
    let norm = |a: State, b: State| portable::hypot(a.x - b.x, a.v - b.v);
    a.sample(SAMPLES).zip(b.sample(SAMPLES)).map(move |(a, b)| (a.0, norm(a.1, b.1)))
}
