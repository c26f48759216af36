//! What is said around the numbers of a fit: nested laws keep their order, residuals that are no noise are told, an open
//! interval gives no value, and the search ends where a minimum is.

use crate::campaign::{Tally, campaign};
use crate::common::asked::{question, sensor, unknown};
use crate::common::{Noise, sized};
use stickslip::scheme::oscillator::adaptive;
use stickslip::{Error, Law, Oscillator, Problem, Scheme, Signal, solve};
use stickslip_calibrate::Unwatched;
use stickslip_calibrate::models::{Comparison, Family, ModelFit, Unknown, fit};

struct Of<F>(F);

impl<F: Fn(&[f64]) -> Result<Problem, Error> + Sync> Family for Of<F> {
    fn problem(&self, values: &[f64]) -> Result<Problem, Error> {
        (self.0)(values)
    }
}

fn precise() -> Scheme {
    let mut options = adaptive::Options::default();
    (options.rtol, options.atol) = (1e-8, 1e-11);
    Scheme::Adaptive(options)
}

/// Displacements of a true model at `times`, with noise of `share` of their spread.
fn shown(problem: &Problem, scheme: &Scheme, times: &[f64], share: f64, seed: u64) -> Vec<f64> {
    let solution = solve(problem, scheme).unwrap();
    let mut row = vec![0.0; solution.columns().len()];
    let clean: Vec<f64> = times
        .iter()
        .map(|t| {
            solution.row(*t, &mut row);
            row[0]
        })
        .collect();
    let mean = clean.iter().sum::<f64>() / clean.len() as f64;
    let spread =
        (clean.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / clean.len() as f64).sqrt();
    let mut draw = Noise::new(seed);
    clean.iter().map(|x| x + share * spread * draw.normal()).collect()
}

const STEP: f64 = 0.02;
const ROWS: usize = 400;

fn times() -> Vec<f64> {
    (0..ROWS).map(|i| STEP * i as f64).collect()
}

fn shaking(seed: u64) -> Signal {
    let mut draw = Noise::new(seed + 500);
    let waves: Vec<[f64; 3]> = (0..4)
        .map(|k| [0.5 + draw.unit(), (1.0 + k as f64) * (2.0 + draw.unit()), 6.0 * draw.unit()])
        .collect();
    let base = |t: f64| waves.iter().map(|[a, w, p]| 0.02 * a * (w * t + p).sin()).sum::<f64>();
    let values: Vec<f64> = times().iter().map(|t| base(*t)).collect();
    Signal::sampled(&times(), &values).unwrap()
}

/// A mass of 3 kg on 1500 N/m that is shaken, with this friction.
fn rig(damping: f64, friction: Law, seed: u64) -> Problem {
    let o = Oscillator::new(3.0, 1500.0, friction).with_damping(damping).with_drive(shaking(seed));
    Problem::new(o, STEP * (ROWS - 1) as f64)
}

fn two_forces() -> Vec<Unknown> {
    let dynamic = unknown("oscillator.friction.static-dynamic.dynamic", [0.0, 40.0]);
    let above = unknown("oscillator.friction.static-dynamic.static", [0.0, 40.0]);
    vec![dynamic, Unknown { above: Some(0), ..above }]
}

fn compared(problem: &Problem, scheme: &Scheme, seed: u64, damping: Option<f64>) -> ModelFit {
    let x = shown(problem, scheme, &times(), 0.01, seed);
    let family = Of(move |p: &[f64]| {
        let c = damping.unwrap_or_else(|| p[2]);
        Ok(rig(c, Law::static_dynamic(p[1], p[0])?, seed))
    });
    let mut unknowns = two_forces();
    if damping.is_none() {
        unknowns.push(unknown("oscillator.damping", [0.0, 100.0]));
    }
    let mut asked = question(times(), vec![sensor("x", x)], unknowns);
    asked.compare = true;
    fit(&family, &asked, &Unwatched).unwrap()
}

/// No law leaves more than one that is a case of it, unless that is said.
fn keeps_its_order(comparison: &Comparison) {
    let of = |law: &str| comparison.candidates.iter().find(|c| c.law == law);
    let failed = comparison.answers.iter().any(|a| a.verdict == "failed");
    for (poor, rich) in [
        ("none", "coulomb"),
        ("none", "viscous"),
        ("coulomb", "static-dynamic"),
        ("coulomb", "stribeck"),
        ("coulomb", "asymmetric"),
    ] {
        let (Some(poor), Some(rich)) = (of(poor), of(rich)) else { continue };
        let kept = rich.relative <= 1.02 * poor.relative;
        assert!(kept || failed, "{} {} {} {}", poor.law, poor.relative, rich.law, rich.relative);
    }
}

/// What is said of the friction of a random rig: none, a force, two forces, a force that falls with the velocity, or another one each
/// way. Nothing is shown that is not there, and an effect of a third and more is not denied.
fn laws_of_a_rig(seed: u64, tally: &mut Tally) {
    let mut draw = Noise::new(seed + 11_000_000);
    let mut between = |a: f64, b: f64| a + (b - a) * draw.unit();
    let damping = between(2.0, 8.0);
    let force = between(3.0, 9.0);
    let more = between(1.35, 1.7);
    let (law, rests, falls, apart) = match seed % 5 {
        0 => (Law::coulomb(0.0), false, false, false),
        1 => (Law::coulomb(force), false, false, false),
        2 => (Law::static_dynamic(more * force, force), true, false, false),
        3 => {
            let velocity = between(0.02, 0.08);
            (Law::stribeck_exponential(more * force, force, velocity, 1.0, 0.0), true, true, false)
        }
        _ => {
            let [forward, backward] = [force, more * force].map(|f| Law::coulomb(f).unwrap());
            (Law::asymmetric(forward, backward), false, false, true)
        }
    };
    let scheme = if falls { precise() } else { Scheme::Exact };
    let found = compared(&rig(damping, law.unwrap(), seed), &scheme, seed, None);
    let comparison = found.comparison.as_ref().unwrap();
    keeps_its_order(comparison);
    for answer in &comparison.answers {
        let (there, shown, denied) = match answer.what {
            // A force that falls at once may be shown as one that falls within a small velocity, or denied as such.
            "stribeck" if rests && !falls => continue,
            "dry-friction" => (!seed.is_multiple_of(5), "dry friction", "no dry friction"),
            "static-above-dynamic" => (rests, "more at rest", "no more at rest"),
            "stribeck" => (falls, "falls", "does not fall"),
            _ => (apart, "differs by direction", "alike in both directions"),
        };
        match answer.verdict {
            "yes" => tally.judged(seed, shown, there, &answer.sentence),
            "no" => tally.judged(seed, denied, !there, &answer.sentence),
            _ => tally.add("not decided"),
        }
    }
    // The law that was fitted is that of the rig in the first three, and its two forces are those of it where the record shows them.
    if seed % 5 == 2 && found.plausible {
        tally.interval(&found.parameters[0].estimate, force);
        tally.interval(&found.parameters[1].estimate, more * force);
        tally.interval(&found.parameters[2].estimate, damping);
    }
}

/// Minutes: `STICKSLIP_PROBLEMS=40 cargo test -p stickslip-calibrate --test all campaign_of_compared -- --ignored --nocapture`.
#[test]
#[ignore = "a campaign"]
fn campaign_of_compared_laws() {
    campaign(laws_of_a_rig).check("compared laws");
}

/// Two rigs of those of the campaign: another force each way is told, and is not invented where the friction is greater at rest, whose slips
/// two forces follow better than one.
#[test]
fn laws_of_a_rig_are_told_apart() {
    let mut tally = Tally::default();
    laws_of_a_rig(4, &mut tally);
    assert!(tally.of("differs by direction") == 1.0);
    laws_of_a_rig(2, &mut tally);
    tally.check("compared laws");
    assert!(tally.of("differs by direction") == 1.0 && tally.of("more at rest") == 1.0);
}

/// Friction that falls with the velocity, fitted as two forces: the laws keep their order, the fit is not called clean, and
/// where another law leaves far less the headline says so.
#[test]
fn a_falling_friction_is_neither_denied_nor_called_clean() {
    for seed in 700..sized(701, 702) {
        let mut draw = Noise::new(seed);
        let dynamic = 4.0 + 4.0 * draw.unit();
        let law = Law::stribeck_exponential(1.4 * dynamic, dynamic, 0.04, 1.0, 0.0).unwrap();
        let found = compared(&rig(4.0, law, seed), &precise(), seed, None);
        let comparison = found.comparison.as_ref().unwrap();
        keeps_its_order(comparison);
        let stribeck = comparison.answers.iter().find(|a| a.what == "stribeck").unwrap();
        assert_ne!(stribeck.verdict, "no", "{seed}: {}", stribeck.sentence);
        assert!(!found.plausible, "{seed}: {:?}", found.parameters);
    }
}

/// Two forces fitted as such: the fit is clean, and no other law is preferred.
#[test]
fn a_right_model_is_clean() {
    for seed in 720..sized(721, 722) {
        let mut draw = Noise::new(seed);
        let dynamic = 4.0 + 4.0 * draw.unit();
        let law = Law::static_dynamic(1.3 * dynamic, dynamic).unwrap();
        let found = compared(&rig(4.0, law, seed), &Scheme::Exact, seed, None);
        keeps_its_order(found.comparison.as_ref().unwrap());
        assert!(found.plausible, "{seed}: {:?}", found.warnings);
        let e = &found.parameters[0].estimate;
        let [low, high] = e.ci95.unwrap();
        assert!(low - 0.1 < dynamic && dynamic < high + 0.1, "{seed}: {e:?}, {dynamic}");
    }
}

/// A damper that the model leaves out: its residuals are hardly larger than the noise, and alike over rows.
#[test]
fn a_damper_left_out_is_not_clean() {
    for seed in 740..sized(741, 742) {
        let law = Law::coulomb(3.0).unwrap();
        let found = compared(&rig(5.0, law, seed), &Scheme::Exact, seed, Some(0.0));
        assert!(
            found.autocorrelation > 2.0 && !found.plausible,
            "{seed}: {}",
            found.autocorrelation
        );
    }
}

/// A rig whose friction has bristles: the force in slip is `force`, before it a spring that yields over `reach`. By steps of the
/// classical Runge–Kutta method: LuGre, Canudas de Wit et al. 1995, with one force and bristles whose damping is 0.3 √(σ₀ m).
fn bristly(damping: f64, force: f64, reach: f64, seed: u64) -> Vec<f64> {
    const INNER: usize = 200;
    let base = shaking(seed);
    let (mass, stiffness, bristles) = (3.0, 1500.0, force / reach);
    let within = 0.3 * (bristles * mass).sqrt();
    let rate = |t: f64, [x, v, z]: [f64; 3]| {
        let turn = v - bristles * v.abs() / force * z;
        let load = stiffness * (base.value(t) - x) - damping * v;
        [v, (load - bristles * z - within * turn) / mass, turn]
    };
    let moved = |y: [f64; 3], h: f64, r: [f64; 3]| [0, 1, 2].map(|i| y[i] + h * r[i]);
    let h = STEP / INNER as f64;
    let mut state = [0.0; 3];
    let mut seen = Vec::with_capacity(ROWS);
    for row in 0..ROWS {
        seen.push(state[0]);
        for step in 0..INNER {
            let t = STEP * row as f64 + h * step as f64;
            let a = rate(t, state);
            let b = rate(t + h / 2.0, moved(state, h / 2.0, a));
            let c = rate(t + h / 2.0, moved(state, h / 2.0, b));
            let d = rate(t + h, moved(state, h, c));
            state = [0, 1, 2].map(|i| state[i] + h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]));
        }
    }
    let mean = seen.iter().sum::<f64>() / ROWS as f64;
    let spread = (seen.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / ROWS as f64).sqrt();
    let mut draw = Noise::new(seed);
    seen.iter().map(|x| x + 0.01 * spread * draw.normal()).collect()
}

/// Two forces and a damping, fitted to displacements of the rig.
fn two_forces_of(x: Vec<f64>, seed: u64) -> ModelFit {
    let family = Of(move |p: &[f64]| Ok(rig(p[2], Law::static_dynamic(p[1], p[0])?, seed)));
    let mut unknowns = two_forces();
    unknowns.push(unknown("oscillator.damping", [0.0, 100.0]));
    fit(&family, &question(times(), vec![sensor("x", x)], unknowns), &Unwatched).unwrap()
}

fn alike(found: &ModelFit) -> bool {
    found.warnings.iter().any(|w| w.contains("resemble their neighbours more than chance allows"))
}

/// Bristles that yield over a sixth of the noise: what two forces leave is hardly larger than the noise and does not last two rows, and
/// yet it resembles its neighbours.
#[test]
fn bristles_that_the_model_lacks_are_not_clean() {
    for seed in [781, 787] {
        let found = two_forces_of(bristly(5.0, 6.0, 5e-5, seed), seed);
        assert!(found.autocorrelation < 2.0, "{seed}: {}", found.autocorrelation);
        assert!(!found.plausible && alike(&found), "{seed}: {:?}", found.warnings);
    }
}

/// How often residuals of a right model are said to resemble their neighbours: two of these 200, on which nothing
/// was tuned. Of residuals that are independent it would be 0.07 %; those of a fit are not quite.
#[test]
#[ignore = "a campaign"]
fn campaign_of_right_models_that_are_not_alike() {
    let told = (310_000..310_200u64)
        .filter(|&seed| {
            let mut draw = Noise::new(seed);
            let dynamic = 4.0 + 4.0 * draw.unit();
            let law = Law::static_dynamic(1.3 * dynamic, dynamic).unwrap();
            let x = shown(&rig(5.0, law, seed), &Scheme::Exact, &times(), 0.01, seed);
            alike(&two_forces_of(x, seed))
        })
        .count();
    println!("{told} of 200 right models are said to leave residuals that are alike");
    assert!(told <= 4, "{told} of 200");
}

/// Where the friction at rest never shows, no value of it is given: any above that in slip does as well.
#[test]
fn an_open_interval_gives_no_value() {
    for seed in 760..sized(761, 762) {
        let law = Law::static_dynamic(4.2, 4.0).unwrap();
        let found = compared(&rig(4.0, law, seed), &Scheme::Exact, seed, None);
        let e = &found.parameters[1].estimate;
        let answers = &found.comparison.as_ref().unwrap().answers;
        let shown = answers.iter().find(|a| a.what == "static-above-dynamic").unwrap();
        if let (Some(value), Some([low, high])) = (e.value, e.ci95) {
            let inside = (value - low).min(high - value) >= 0.1 * (high - low);
            let narrow = high - low < 0.05 * value;
            assert!(inside || narrow, "{seed}: {e:?} {}", shown.sentence);
            assert!(low <= 4.3 && high >= 4.1, "{seed}: {e:?}");
        }
    }
}

/// Without a friction that falls the mass would come to rest: laws that do not fall say nothing of one another.
fn the_belt_says_what_moves_it(comparison: &Comparison) {
    let of = |what: &str| comparison.answers.iter().find(|a| a.what == what).unwrap();
    assert_eq!(of("stribeck").verdict, "yes", "{}", of("stribeck").sentence);
    assert_eq!(of("dry-friction").verdict, "yes", "{}", of("dry-friction").sentence);
    for what in ["static-above-dynamic", "asymmetric"] {
        assert_eq!(of(what).verdict, "failed", "{}", of(what).sentence);
        assert!(of(what).sentence.contains("follows the record"), "{}", of(what).sentence);
    }
}

/// A mass on a belt moves itself, and each slip hangs on all before it. The fit leaves no more than the truth does, and is
/// near it.
#[test]
fn a_belt_is_fitted_to_its_minimum() {
    belts_are_fitted(780..781);
}

/// Twelve belts, each with numbers of its own.
#[test]
#[ignore = "a campaign"]
fn campaign_of_belts() {
    belts_are_fitted(800..812);
}

fn belts_are_fitted(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let mut draw = Noise::new(seed);
        let dynamic = 5.0 + 3.0 * draw.unit();
        let truth = [dynamic, 1.35 * dynamic, 0.05 + 0.1 * draw.unit()];
        let belt = 0.12 + 0.08 * draw.unit();
        let make = move |p: &[f64]| {
            let law = Law::stribeck_exponential(p[1], p[0], p[2], 1.0, 0.0)?;
            let o = Oscillator::new(0.6, 165.0, law)
                .with_damping(0.2)
                .with_support(Signal::constant(belt));
            Ok(Problem::new(o, STEP * (ROWS - 1) as f64))
        };
        let x = shown(&make(&truth).unwrap(), &precise(), &times(), 0.01, seed);
        let exact = shown(&make(&truth).unwrap(), &precise(), &times(), 0.0, seed);
        let least: f64 = x.iter().zip(&exact).map(|(a, b)| (a - b).powi(2)).sum();
        let dynamic = unknown("oscillator.friction.stribeck-exponential.dynamic", [0.0, 30.0]);
        let above = unknown("oscillator.friction.stribeck-exponential.static", [0.0, 30.0]);
        let velocity = unknown("oscillator.friction.stribeck-exponential.velocity", [0.01, 1.0]);
        let unknowns = vec![dynamic, Unknown { above: Some(0), ..above }, velocity];
        let mut asked = question(times(), vec![sensor("x", x)], unknowns);
        asked.scheme = precise();
        asked.compare = true;
        let found = fit(&Of(make), &asked, &Unwatched).unwrap();
        the_belt_says_what_moves_it(found.comparison.as_ref().unwrap());
        let left = found.rmse.powi(2) * ROWS as f64;
        assert!(left < 1.005 * least, "{seed}: {left:.4e}, truth {least:.4e}");
        for (n, truth) in found.parameters.iter().zip(truth) {
            let e = &n.estimate;
            let (value, error) = (e.value.unwrap(), e.stderr.unwrap());
            assert!(
                (value - truth).abs() < 4.0 * error,
                "{seed} {}: {value} ± {error}, {truth}",
                n.name
            );
        }
    }
}
