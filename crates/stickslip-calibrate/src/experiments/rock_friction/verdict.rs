//! What is said of a contact: both laws of evolution, compared, and what neither explains.

use super::clock;
use super::motion::Evolution;
use super::search::{Against, STEPS, nearest, parameters, together};
use super::{EvolutionFit, RockFit, RockFriction, Seen};
use crate::error::Error;
use crate::models::least_squares::{Least, least_squares};
use crate::record::clocks::Found;
use crate::statistics::stats::{median, roughness};
use stickslip::portable;

/// 2 ln of a ratio of likelihoods from which on one law is told to be the less likely one: a chance of 1 in 1000 for laws that are
/// equally good.
const APART: f64 = 14.0;
/// Residuals so many times the noise are no noise.
const SYSTEMATIC: f64 = 1.5;
/// Readings of the displacement that stand farther apart than this share of D_c do not show it: with a thirteenth the intervals of twins hold.
const COARSE: f64 = 0.1;
/// As much of a peak or a fall of friction that is left is told of.
const LEFT: f64 = 0.02;

/// Both laws, of a record of `length` rows in all.
pub fn found(
    record: &Seen,
    start: f64,
    asked: &RockFriction,
    length: usize,
) -> Result<RockFit, Error> {
    let way = record.place[record.place.len() - 1] - record.place[0];
    let of = |evolution| Against { record, evolution, start, asked, way };
    let mut both = Vec::new();
    for evolution in [Evolution::Ageing, Evolution::Slip] {
        both.push((evolution, nearest(&of(evolution))?));
    }
    // Both laws have as many numbers: the squares alone compare them.
    both.sort_by(|a, b| a.1.rss.total_cmp(&b.1.rss));
    let mut warnings = Vec::new();
    // The clocks by the better law; the other one then takes the same.
    let aligned = clock::aligned(&of(both[0].0), &both[0].1);
    let moved;
    let record = match aligned {
        None => record,
        Some(aligned) => {
            let lasts = record.time[record.time.len() - 1] - record.time[0];
            let clocks = aligned.found.clocks();
            let shift = match aligned.found {
                Found::Apart(..) => clocks.said(["displacement", "friction"], lasts),
                Found::Late(_) | Found::Perhaps(_) => {
                    clocks.late_said(["displacement", "friction"])
                }
            };
            warnings.push(format!(
                "{shift}: the numbers are those with the times put right, and they depend on it, since a machine of another stiffness moves the \
                 friction in time, too; record both with one instrument, or give `stiffness`"
            ));
            moved = aligned.record;
            let of = |evolution| Against { record: &moved, evolution, start, asked, way };
            for (evolution, least) in &mut both {
                if let Some(there) = least_squares(&of(*evolution), &least.p, STEPS) {
                    *least = there;
                }
            }
            both.sort_by(|a, b| a.1.rss.total_cmp(&b.1.rss));
            &moved
        }
    };
    let of = |evolution| Against { record, evolution, start, asked, way };
    // Of the better law: the residuals of the other one also remember what that law lacks.
    let together = together(&both[0].1);
    let samples = record.at.len();
    let independent = samples as f64 / together;
    // Of normal residuals, each law with its own best variance, 2 ln of the ratio is N ln of the ratio of the squares.
    let ratio = independent * portable::ln(both[1].1.rss / both[0].1.rss);
    let fit = |(evolution, least): &(Evolution, Least)| {
        let mut fitted = vec![f64::NAN; length];
        for ((&k, f), left) in record.at.iter().zip(&record.friction).zip(&least.residuals) {
            fitted[record.rows[k]] = f - left;
        }
        EvolutionFit {
            evolution: evolution.name(),
            parameters: parameters(&of(*evolution), least, together),
            rmse: (least.rss / samples as f64).sqrt(),
            fitted,
        }
    };
    let laws: Vec<EvolutionFit> = both.iter().map(fit).collect();
    let told_apart = ratio > APART;
    if !told_apart {
        warnings.push(
            "this record does not tell the ageing law and the slip law apart: steps up and down by a factor of ten or more, or holds of \
             different lengths, would"
                .to_owned(),
        );
    }
    remains(record, &laws[0], &mut warnings);
    coarse(record, &laws[0], &mut warnings);
    Ok(RockFit {
        laws,
        likelihood_ratio: ratio,
        told_apart,
        speed: start,
        samples,
        together,
        seconds: 0.0,
        warnings,
    })
}

/// Where readings of the displacement stand too far apart to show the state that follows it.
fn coarse(record: &Seen, best: &EvolutionFit, warnings: &mut Vec<String>) {
    let moves = record.place.windows(2).map(|p| (p[1] - p[0]).abs()).filter(|d| *d > 0.0);
    let usual = median(&mut moves.collect::<Vec<f64>>());
    if let Some(distance) = best.parameters.distance.value
        && usual > COARSE * distance
    {
        warnings.push(format!(
            "from one reading of the displacement to the next the load point usually moves by {usual:.1e} m, {:.0} % of D_c: when its speed \
             steps is not known well enough, which the intervals do not cover; record it more finely",
            100.0 * usual / distance
        ));
    }
}

/// What neither law explains.
fn remains(record: &Seen, best: &EvolutionFit, warnings: &mut Vec<String>) {
    let noise = roughness(&record.friction);
    let high = record.friction.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let low = record.friction.iter().copied().fold(f64::INFINITY, f64::min);
    if best.rmse > SYSTEMATIC * noise && best.rmse > LEFT * (high - low) {
        warnings.push(format!(
            "both laws leave more than the noise of the friction, {:.1} % of its range: the contact does something else, too, such as wear \
             or a drift with the displacement (`trend`), which the intervals do not cover",
            100.0 * best.rmse / (high - low)
        ));
    }
}
