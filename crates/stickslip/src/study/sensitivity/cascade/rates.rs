//! How the numbers in the equation of motion of a cascade change with a number of its model.

use super::Chain;
use crate::error::Error;
use crate::model::Cascade;
use crate::motion::State;
use crate::signal::SignalRate;
use crate::study::sensitivity::number::Number;
use crate::study::sensitivity::partial::other_parts;
use crate::study::sensitivity::signals::signal_rate;

/// The derivatives of the numbers of a [`Chain`] with respect to a number.
#[derive(Debug)]
pub(super) struct Rates<'a> {
    pub mass: f64,
    pub stiffness: Vec<f64>,
    pub weight: Vec<f64>,
    pub reach: Vec<f64>,
    pub held: Vec<f64>,
    pub plays: Vec<f64>,
    pub start: State,
    pub force: Option<SignalRate<'a>>,
}

impl<'a> Rates<'a> {
    /// Differences of springs and limits, in which a number mostly enters linearly; what follows from these is by the chain rule.
    pub fn new(chain: &Chain<'a>, number: &Number<Cascade>) -> Result<Self, Error> {
        let own = chain.own;
        let n = own.elements();
        if number.models().any(|c| c.elements() != n || c.displacement.is_some()) {
            return Err(other_parts());
        }
        // dC_j = −Σ_{i≤j} dk_i/k_i²
        let mut sum = 0.0;
        let softer = |(i, k): (usize, &f64)| {
            sum -= number.rate(own, |c| c.stiffness[i]) / (k * k);
            sum
        };
        let compliance: Vec<f64> = own.stiffness.iter().enumerate().map(softer).collect();
        let stiffness: Vec<f64> =
            chain.stiffness.iter().zip(&compliance).map(|(s, dc)| -s * s * dc).collect();
        let pull = own.initial_pull();
        let start = State {
            x: number.rate(own, |c| c.initial.displacement),
            v: number.rate(own, |c| c.initial.velocity),
        };
        // r_j = Σ_{i≤j} α_i C_{i−1}, p_j = x − Σ_{i≤j} q_i C_{i−1}, T_j = Σ_{i≤j} α_i − S_j r_j
        let (mut r, mut p, mut limits) = (0.0, start.x, 0.0);
        let (mut reach, mut plays, mut held) = (vec![], vec![], vec![0.0]);
        for j in 0..n {
            let (c, dc) = (chain.compliance[j], compliance[j]);
            let limit = number.rate(own, |c| c.threshold[j]);
            r += limit * c + own.threshold[j] * dc;
            p -= number.rate(own, |c| c.prestress.get(j).map_or(0.0, |w| -w)) * c + pull[j] * dc;
            limits += limit;
            reach.push(r);
            plays.push(p);
            held.push(limits - stiffness[j + 1] * chain.reach[j] - chain.stiffness[j + 1] * r);
        }
        let signals = number.of(|c| Some(&c.force)).ok_or_else(other_parts)?;
        Ok(Self {
            mass: number.rate(own, |c| c.mass),
            weight: stiffness.windows(2).map(|s| s[0] - s[1]).collect(),
            stiffness,
            reach,
            held,
            plays,
            start,
            force: signal_rate(&own.force, &signals).map_err(|()| other_parts())?,
        })
    }

    /// Whether an element that is at its limit at the start is there whatever the number is.
    pub fn stays(&self, j: usize) -> bool {
        self.plays.get(j) == Some(&self.start.x) && self.reach.get(j) == Some(&0.0)
    }

    /// By how much the breakpoint of the load at `t` moves, s.
    pub fn breakpoint(&self, t: f64) -> f64 {
        self.force.as_ref().and_then(|f| f.breakpoint(t)).unwrap_or(0.0)
    }
}
