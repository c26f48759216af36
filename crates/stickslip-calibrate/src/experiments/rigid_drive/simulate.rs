//! The found drive, simulated exactly, against the record.
//!
//! Both simulations are the oscillator M ẍ + c ẋ + Kx = K d(t) + f(t) − F_c sign ẋ of Bensoussan et al. 2021, solved
//! between events in closed form (the event-driven scheme of one mass); the record enters as a piecewise linear signal.
//!
//! * *Open loop*: f = measured force − O, c = F_v, K = 0. Nothing brings the drive back: small errors
//!   of the force pile up in the position.
//! * *Closed loop*: with force = g k_v (k_p (reference − x) − ẋ), a spring K = g k_v k_p to the reference
//!   and a damper g k_v. This is how the benchmark's authors compare: ‖x − x_s‖/‖x‖ and the same of the force.

use crate::error::Error;
use crate::record::uniform::Uniform;
use serde::Serialize;
use stickslip::{Law, Oscillator, Signal, scheme::oscillator::exact};

/// force = `gain` · `velocity` · (`position` · (reference − x) − ẋ).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Controller {
    /// k_p, 1/s.
    pub position: f64,
    /// k_v, V·s/m (or N·s/m with `gain` = 1).
    pub velocity: f64,
    /// Force for each unit of the controller's output, N/V.
    pub gain: f64,
}

/// The record against a simulation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// `closed loop` or `open loop`.
    pub name: &'static str,
    /// ‖x − x_s‖/‖x‖.
    pub position_error: f64,
    /// Root mean square of x − x_s, m.
    pub position_rmse: f64,
    /// ‖v − v_s‖/‖v‖.
    pub velocity_error: f64,
    /// ‖force − force_s‖/‖force‖; none in open loop, where the force is given.
    pub force_error: Option<f64>,
    /// x_s, m, on the even grid.
    #[serde(skip)]
    pub position: Vec<f64>,
    /// force_s, N, on the even grid; empty in open loop.
    #[serde(skip)]
    pub force: Vec<f64>,
}

/// Simulates in open loop, and in closed loop if the controller and the reference are known.
pub fn both(
    record: &Uniform,
    velocity: &[f64],
    [m, fv, fc, o]: [f64; 4],
    controller: Option<&Controller>,
    into: &mut Vec<Comparison>,
    warnings: &mut Vec<String>,
) {
    // The exact solution is that of a mass that friction slows down; negative numbers have no such motion.
    if !(m > 0.0 && fv >= 0.0 && fc >= 0.0) {
        warnings.push(
            "a drive with these parameters cannot be simulated: M must be > 0, F_v and F_c ≥ 0"
                .to_owned(),
        );
        return;
    }
    let drive = Drive { record, velocity, parameters: [m, fv, fc, o] };
    let mut add = |result: Result<Comparison, Error>| match result {
        Ok(comparison) => into.push(comparison),
        Err(why) => warnings.push(format!("the drive could not be simulated: {why}")),
    };
    if let (Some(c), Some(reference)) = (controller, record.columns.get(2)) {
        add(drive.closed(c, reference));
    }
    add(drive.open());
}

struct Drive<'a> {
    record: &'a Uniform,
    velocity: &'a [f64],
    parameters: [f64; 4],
}

impl Drive<'_> {
    fn sampled(&self, values: &[f64]) -> Result<Signal, Error> {
        let times: Vec<f64> = (0..values.len()).map(|i| i as f64 * self.record.step).collect();
        Ok(Signal::sampled(&times, values)?)
    }

    fn oscillator(&self, stiffness: f64, damping: f64) -> Result<Oscillator, Error> {
        let [m, fv, fc, _] = self.parameters;
        let law = Law::coulomb(fc)?;
        // From the first reading on, with the filtered velocity: a wrong start would be mistaken for wrong
        // numbers.
        let start = (self.record.columns[0][0], self.velocity[0]);
        Ok(Oscillator::new(m, stiffness, law)
            .with_damping(fv + damping)
            .starting_at(start.0, start.1))
    }

    fn open(&self) -> Result<Comparison, Error> {
        // The offset is a constant force on the drive that the measured force overcomes.
        let net: Vec<f64> = self.record.columns[1].iter().map(|f| f - self.parameters[3]).collect();
        let oscillator = self.oscillator(0.0, 0.0)?.with_force(self.sampled(&net)?);
        self.compare("open loop", &oscillator, None)
    }

    fn closed(&self, c: &Controller, reference: &[f64]) -> Result<Comparison, Error> {
        // The law of the controller, sorted by position and velocity.
        let damping = c.gain * c.velocity;
        let stiffness = c.gain * c.velocity * c.position;
        let oscillator = self
            .oscillator(stiffness, damping)?
            .with_drive(self.sampled(reference)?)
            .with_force(Signal::constant(-self.parameters[3]));
        self.compare("closed loop", &oscillator, Some((c, reference)))
    }

    fn compare(
        &self,
        name: &'static str,
        oscillator: &Oscillator,
        controller: Option<(&Controller, &[f64])>,
    ) -> Result<Comparison, Error> {
        let x = &self.record.columns[0];
        let n = self.record.columns[0].len();
        let end = (n - 1) as f64 * self.record.step;
        let path = exact::solve(oscillator, end)?;
        let mut position = Vec::with_capacity(n);
        let mut speed = Vec::with_capacity(n);
        for i in 0..n {
            // The last instant may lie past the end by rounding.
            let state = path.state((i as f64 * self.record.step).min(end));
            position.push(state.x);
            speed.push(state.v);
        }
        let force: Vec<f64> = controller.map_or_else(Vec::new, |(c, r)| {
            let of =
                |i: usize| c.gain * c.velocity * (c.position * (r[i] - position[i]) - speed[i]);
            (0..n).map(of).collect()
        });
        // Norms over the whole record, as the authors of the benchmark have them.
        let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
        let apart =
            |a: &[f64], b: &[f64]| norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>());
        let measured = &self.record.columns[1];
        Ok(Comparison {
            name,
            position_error: apart(x, &position) / norm(x),
            position_rmse: apart(x, &position) / (n as f64).sqrt(),
            velocity_error: apart(self.velocity, &speed) / norm(self.velocity),
            force_error: (!force.is_empty()).then(|| apart(measured, &force) / norm(measured)),
            position,
            force,
        })
    }
}

impl Controller {
    /// Refuses gains that are not finite numbers > 0.
    pub fn check(&self) -> Result<(), Error> {
        let all = [
            ("the controller's position gain", self.position, "a finite number > 0, in 1/s"),
            ("the controller's velocity gain", self.velocity, "a finite number > 0, in V·s/m"),
            ("the drive's gain", self.gain, "a finite number > 0, in N/V"),
        ];
        match all.into_iter().find(|(_, found, _)| !(*found > 0.0 && found.is_finite())) {
            Some((what, found, expected)) => Err(Error::OutOfRange { what, found, expected }),
            None => Ok(()),
        }
    }
}
