//! Is this the record that its owner thinks it is?

use crate::record::series::Series;
use crate::statistics::estimate::digits;

/// A deck expands by 10⁻⁵ per degree (steel 1.2·10⁻⁵, concrete 1.0·10⁻⁵): β = that times its length.
const EXPANSION: f64 = 1.1e-5;
/// Expansion lengths between 0.3 m and 3 km are believed.
const LENGTHS: (f64, f64) = (0.3, 3000.0);
/// Forces of breakaway that are believed, N.
const FORCES: (f64, f64) = (1e3, 5e7);
/// The response's lead must be so many standard errors from nothing.
const SURE: f64 = 6.0;

/// β that no deck has: units, or columns.
pub fn expansion(beta: f64) -> Option<String> {
    let length = beta.abs() / EXPANSION;
    if beta == 0.0 || (LENGTHS.0..=LENGTHS.1).contains(&length) {
        return None;
    }
    let guess = |by: f64| (LENGTHS.0..=LENGTHS.1).contains(&(length * by));
    let unit = match (guess(1e-3), guess(1e3)) {
        (true, _) => {
            "; if the response's unit were 1000 times smaller beta would be that of a usual deck"
        }
        (_, true) => {
            "; if the response's unit were 1000 times larger beta would be that of a usual deck"
        }
        _ => "",
    };
    Some(format!(
        "beta = {beta:.3e} m/K belongs to a deck of {length:.3e} m (expansion 1.1e-5 per degree was assumed); expected \
         0.3 m to 3 km: check the unit of the response and that the drive is in °C{unit}"
    ))
}

/// A force of breakaway f_s that no bearing of a structure has: the unit of the bearing `stiffness`, K_BP.
pub fn breakaway(force: f64, stiffness: f64) -> Option<String> {
    (!(FORCES.0..=FORCES.1).contains(&force)).then(|| {
        format!(
            "f_s = {} N is implausibly {}: bearings of structures break away at 1 kN to 50 MN. Is the bearing stiffness \
             really {stiffness:.1e} N/m (= {} kN/mm)?",
            digits(force),
            if force < FORCES.0 { "low" } else { "high" },
            digits(1e-6 * stiffness)
        )
    })
}

/// Friction makes the response lag behind the drive: the loop of response over drive turns one way.
/// A response that leads has been swapped with the drive, or the temperature comes late.
pub fn leads(series: &Series, slope: f64) -> Option<String> {
    // −∮ z dT · sign(slope) > 0 for a lag. Noise of z alone gives it a variance σ² Σ ΔT².
    let drive = series.drive();
    let response = series.response();
    let mut area = 0.0;
    let mut spread = 0.0;
    let mut noise = 0.0;
    let mut count = 0.0;
    let mut last = None::<(f64, f64)>;
    let mut first = None::<(f64, f64)>;
    let mean = series.complete().map(|i| response[i]).fold((0.0, 0.0), |s, z| (s.0 + z, s.1 + 1.0));
    let mean = mean.0 / mean.1;
    for i in series.complete() {
        let t = drive[i];
        let z = response[i] - mean;
        if let Some((t0, z0)) = last {
            area += 0.5 * (z + z0) * (t - t0);
            spread += (t - t0) * (t - t0);
            noise += 0.5 * (z - z0) * (z - z0);
            count += 1.0;
        }
        first = first.or(Some((t, z)));
        last = Some((t, z));
    }
    // Close the loop.
    if let (Some((t0, z0)), Some((t, z))) = (first, last) {
        area += 0.5 * (z + z0) * (t0 - t);
    }
    let sigma = (noise / count * spread).sqrt();
    (area * slope.signum() > SURE * sigma).then(|| {
        "the response runs ahead of the drive, which friction cannot do: check that the drive and the response are not \
         swapped; if they are not, the temperature is measured where it changes later than in the deck"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decks_of_usual_length_are_believed() {
        assert_eq!(expansion(3e-4), None);
        assert_eq!(expansion(-3e-4), None);
        assert!(expansion(0.3).unwrap().contains("1000 times smaller"));
        assert!(expansion(3e-7).unwrap().contains("1000 times larger"));
    }

    #[test]
    fn a_lag_is_no_lead() {
        let time: Vec<f64> = (0..4000).map(|i| 3600.0 * f64::from(i)).collect();
        let wave = |shift: f64| -> Vec<f64> {
            time.iter().map(|t| (std::f64::consts::TAU * t / 86_400.0 - shift).sin()).collect()
        };
        let drive = wave(0.0);
        let behind = wave(0.3);
        let ahead = wave(-0.3);
        let lead = |z: &[f64], sign: f64| leads(&Series::new(&time, &drive, z).unwrap(), sign);
        assert!(lead(&behind, 1.0).is_none() && lead(&ahead, 1.0).is_some());
        let mirrored: Vec<f64> = behind.iter().map(|z| -z).collect();
        assert!(lead(&mirrored, -1.0).is_none());
    }
}
