//! A servo: a motor, its gear with friction, and a load, from logs of its angle.
//!
//! ```text
//! (J + Jₐ) θ̈ + F(θ̇) = τ − c θ̇ − G sin(θ − θ₀)
//! τ = (k/R) (u − k θ̇)                  driven by a voltage u (k: torque constant, N·m/A or V·s/rad; R: resistance, Ω)
//! τ = k i                              driven by a current i
//! u = clip(g (r − θ), ±u_max)          under a controller of gain g (V/rad) that is told to go to r
//! ```
//!
//! All at the shaft of the gear: J and G = m g l are the load's, Jₐ the armature's, c and the law F are of the gear. Below
//! the limit of the voltage the controller is a spring of stiffness k g/R whose far end is moved by r, and the counter-voltage
//! a damper k²/R: an [`Oscillator`] whose displacements are angles (rad) and forces torques (N·m). So only k/R and
//! c + k²/R are seen by any log of angles and voltages, never k, R and c apart: one of them must be known.
//!
//! The model of motor and controller is the usual one; logs of a public servo with these numbers: Duclusaud, Passault,
//! Padois and Ly (2024), "Extended friction models for the physics simulation of servo actuators", arXiv 2410.08650.

pub use crate::record::logger::turned_over;

use stickslip::{Error, Law, Oscillator, Problem, Signal, portable};

/// What moves the servo.
#[derive(Debug, Clone)]
pub enum Input {
    /// u(t), V.
    Voltage(Signal),
    /// i(t), A.
    Current(Signal),
    /// A controller that holds an angle.
    Goal {
        /// r(t), rad.
        goal: Signal,
        /// g, V/rad.
        gain: f64,
        /// u_max, V; infinite where nothing limits it.
        limit: f64,
    },
}

/// The numbers of motor and gear.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motor {
    /// k, N·m/A.
    pub torque_constant: f64,
    /// R, Ω.
    pub resistance: f64,
    /// Jₐ, kg·m², at the shaft of the gear.
    pub armature: f64,
    /// c, N·m·s/rad.
    pub damping: f64,
}

/// What the servo moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// J, kg·m².
    pub inertia: f64,
    /// G = m g l, N·m.
    pub gravity: f64,
    /// θ₀, the angle at which the load hangs, rad.
    pub vertical: f64,
}

/// The servo over `[from, to]` (s) of its input, its time counted from `from`.
///
/// ```
/// use stickslip::scheme::oscillator::adaptive;
/// use stickslip::{Law, Scheme, Signal, solve};
/// use stickslip_calibrate::servo::{Input, Load, Motor, servo};
/// // A goal that the limited voltage cannot reach against gravity: it rests where (k/R) u_max = G sin θ.
/// let motor = Motor { torque_constant: 0.4, resistance: 4.0, armature: 0.002, damping: 0.01 };
/// let load = Load { inertia: 0.005, gravity: 0.48, vertical: 0.0 };
/// let goal = Signal::sampled(&[0.0, 9.0], &[2.0, 2.0])?;
/// let input = Input::Goal { goal, gain: 20.0, limit: 2.4 };
/// let problem = servo(Law::coulomb(0.0)?, motor, load, &input, [0.0, 9.0])?;
/// let motion = solve(&problem, &Scheme::Adaptive(adaptive::Options::default()))?;
/// let mut row = [0.0; 3];
/// motion.row(9.0, &mut row);
/// assert!((row[0] - 0.5f64.asin()).abs() < 1e-5);
/// # Ok::<(), stickslip::Error>(())
/// ```
///
/// # Errors
/// Where a number has no such model, or the input does not reach over `[from, to]`.
pub fn servo(
    law: Law,
    motor: Motor,
    load: Load,
    input: &Input,
    [from, to]: [f64; 2],
) -> Result<Problem, Error> {
    let Motor { torque_constant: k, resistance, armature, damping } = motor;
    let part = |s: &Signal| {
        s.window(from, to).ok_or_else(|| Error::BadModel {
            reason: "its input does not cover this part of the log".to_owned(),
        })
    };
    let per_volt = k / resistance;
    // A current source works against the counter-voltage; under a voltage it brakes like a damper.
    let brake = if matches!(input, Input::Current(_)) { 0.0 } else { k * per_volt };
    let bare = |stiffness| {
        Oscillator::new(load.inertia + armature, stiffness, law.clone())
            .with_damping(damping + brake)
    };
    let Load { gravity, vertical, .. } = load;
    let weight = move |angle: f64| gravity * portable::sin(angle - vertical);
    let shaft = match input {
        Input::Voltage(u) => bare(0.0).with_force(per_volt * part(u)?),
        Input::Current(i) => bare(0.0).with_force(k * part(i)?),
        Input::Goal { goal, gain, limit } => {
            let goal = part(goal)?;
            let held = bare(per_volt * gain).with_drive(goal.clone());
            if limit.is_finite() {
                let gain = *gain;
                let limit = *limit;
                // The spring of the controller goes on beyond its limit: what the voltage cannot give is taken
                // off as a load.
                let lost = move |angle: f64, t: f64| {
                    let asked = gain * (goal.value(t) - angle);
                    per_volt * (asked.clamp(-limit, limit) - asked)
                };
                return Ok(Problem::new(
                    held.with_load(move |angle, _, t| lost(angle, t) - weight(angle)),
                    to - from,
                ));
            }
            held
        }
    };
    // Gravity pulls the load back to its vertical.
    Ok(Problem::new(shaft.with_load(move |angle, _, _| -weight(angle)), to - from))
}
