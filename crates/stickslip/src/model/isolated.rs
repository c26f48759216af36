//! A rigid slab on isolators, which may turn, with floors above it.

use super::planar::{Ellipse, Square, check_law, check_matrix, lifts_off};
use crate::error::{Error, require};
use crate::law::Law;
use crate::signal::Signal;
use std::sync::Arc;

/// One of the isolators under a slab.
#[derive(Debug, Clone, PartialEq)]
pub struct Isolator {
    /// Its name.
    pub name: Arc<str>,
    /// Where it stands, from the mass centre of the slab, m.
    pub at: [f64; 2],
    /// Its stiffness, symmetric and not negative, N/m: of a friction pendulum its weight over its radius.
    pub stiffness: Square,
    /// Its damping, symmetric and not negative, N·s/m.
    pub damping: Square,
    /// What rubs.
    pub friction: Law,
    /// How far the friction reaches along x and y, as multiples of the law's force.
    pub ellipse: Ellipse,
    /// Its share ≥ 0 of the normal force, where the model has one.
    pub share: f64,
}

impl Isolator {
    /// One at this place (m), with friction alone and no share of a normal force.
    pub fn new(name: impl Into<Arc<str>>, at: [f64; 2], friction: Law) -> Self {
        let none = [[0.0; 2]; 2];
        let ellipse = Ellipse::DISC;
        Self {
            name: name.into(),
            at,
            stiffness: none,
            damping: none,
            friction,
            ellipse,
            share: 0.0,
        }
    }

    /// With a stiffness matrix, N/m.
    pub fn with_stiffness(self, stiffness: Square) -> Self {
        Self { stiffness, ..self }
    }

    /// As a friction pendulum of this `radius` (m) under `weight` (N), for small angles.
    pub fn with_pendulum(self, radius: f64, weight: f64) -> Self {
        let k = weight / radius;
        self.with_stiffness([[k, 0.0], [0.0, k]])
    }

    /// With a damping matrix, N·s/m.
    pub fn with_damping(self, damping: Square) -> Self {
        Self { damping, ..self }
    }

    /// With friction that reaches `e` times the law's force along x and y.
    pub fn with_ellipse(self, e: [f64; 2]) -> Self {
        Self { ellipse: Ellipse(e), ..self }
    }

    /// With this share of the normal force.
    pub fn with_share(self, share: f64) -> Self {
        Self { share, ..self }
    }
}

/// A floor above the slab, or above another floor.
#[derive(Debug, Clone, PartialEq)]
pub struct Floor {
    /// Its name.
    pub name: Arc<str>,
    /// Mass > 0, kg.
    pub mass: f64,
    /// Moment of inertia about the vertical through its mass centre > 0, kg·m².
    pub inertia: f64,
    /// Its mass centre in plan, from that of the slab, m.
    pub at: [f64; 2],
    /// Stiffness of the storey below it, symmetric and not negative, N/m.
    pub stiffness: Square,
    /// Where that stiffness and its damping act, from the mass centre of the slab, m.
    pub stiffness_at: [f64; 2],
    /// Torsional stiffness of the storey about that point ≥ 0, N·m/rad.
    pub torsion: f64,
    /// Damping of the storey, symmetric and not negative, N·s/m.
    pub damping: Square,
    /// Torsional damping of the storey ≥ 0, N·m·s/rad.
    pub torsion_damping: f64,
}

impl Floor {
    /// One of this mass (kg) and inertia (kg·m²) above the mass centre of the slab, on a storey of this stiffness (N/m) and
    /// torsional stiffness (N·m/rad).
    pub fn new(
        name: impl Into<Arc<str>>,
        [mass, inertia]: [f64; 2],
        stiffness: Square,
        torsion: f64,
    ) -> Self {
        Self {
            name: name.into(),
            mass,
            inertia,
            at: [0.0; 2],
            stiffness,
            stiffness_at: [0.0; 2],
            torsion,
            damping: [[0.0; 2]; 2],
            torsion_damping: 0.0,
        }
    }
}

/// A rigid slab of mass m and inertia J on isolators at the places p_k, with floors on springs above it:
///
/// ```text
/// M q̈ + C q̇ + K q = F(t) − M ι a(t) + Σ_k B_kᵀ R_k,      q = (x, y, θ) of the slab and of each floor
/// w_k = (ẋ − θ̇ p_ky, ẏ + θ̇ p_kx)
///
/// slip:  R_k = −N_k f_k(|w_k|) E_k² w_k/|E_k w_k|
/// rest:  w_k = 0,  |E_k⁻¹ R_k| ≤ N_k f_s,k
/// ```
///
/// Rotations are small: places are linear in θ. Displacements are relative to the ground, whose acceleration is a(t). The numbers of
/// the laws are forces (N), or coefficients where there is a normal force N(t), of which each isolator has its share N_k; overturning
/// does not change the shares.
///
/// A rigid slab of which two isolators rest, rests. Three motions are left: all isolators slide, or one rests and the slab turns about it,
/// or the slab rests. It rests as long as some distribution of forces within all discs balances its load. The forces at rest are
/// not determined by the balance; shown is the distribution in which the largest share |E_k⁻¹ R_k|/(N_k f_s,k) that an isolator has
/// of its limit is as small as possible. With it the forces do not jump where the slab breaks away under a law of one phase.
///
/// ```
/// use stickslip::model::isolated::{Isolated, Isolator};
/// use stickslip::scheme::isolated;
/// use stickslip::Law;
/// # fn main() -> Result<(), stickslip::Error> {
/// // A slab on four isolators, 5 m from its centre, turns at 0.02 rad/s: friction stops it after t = J ω/(4 f r).
/// let r = 5.0;
/// let places = [("east", [r, 0.0]), ("north", [0.0, r]), ("west", [-r, 0.0]), ("south", [0.0, -r])];
/// let friction = Law::coulomb(1e3)?;
/// let isolators = places.map(|(name, at)| Isolator::new(name, at, friction.clone())).to_vec();
/// let slab = Isolated::new(2e4, 2e5, isolators).turning(0.0, 0.02);
/// let path = isolated::implicit_euler(&slab, 1.0, 1e-4)?;
/// let stop = path.events()[0].time;
/// assert!((stop - 2e5 * 0.02 / (4.0 * 1e3 * r)).abs() < 2e-4);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Isolated {
    /// m > 0, kg.
    pub mass: f64,
    /// J > 0 about the vertical through the mass centre, kg·m².
    pub inertia: f64,
    /// What it stands on.
    pub isolators: Vec<Isolator>,
    /// Floors from below: each stands on the one before, the first on the slab.
    pub floors: Vec<Floor>,
    /// F(t), force on the slab's mass centre along x and y, N.
    pub force: [Signal; 2],
    /// Moment on the slab about the vertical, N·m.
    pub moment: Signal,
    /// a(t), acceleration of the ground along x and y, m/s².
    pub base: [Signal; 2],
    /// N(t), N; the laws' numbers are coefficients then.
    pub normal: Option<Signal>,
    /// (x, y) of the slab and of all floors at t = 0, m.
    pub displacement: [f64; 2],
    /// (ẋ, ẏ) of the slab and of all floors at t = 0, m/s.
    pub velocity: [f64; 2],
    /// θ of the slab and of all floors at t = 0, rad.
    pub rotation: f64,
    /// θ̇ of the slab and of all floors at t = 0, rad/s.
    pub spin: f64,
}

impl Isolated {
    /// The largest rotation, rad: places are taken as linear in it, and at 0.2 rad they are off by 2 % of the distance from the centre.
    pub const MOST_ROTATION: f64 = 0.2;

    /// A slab (kg, kg·m²) on these isolators, at rest where they are centred, without loads.
    pub fn new(mass: f64, inertia: f64, isolators: Vec<Isolator>) -> Self {
        Self {
            mass,
            inertia,
            isolators,
            floors: Vec::new(),
            force: [Signal::default(), Signal::default()],
            moment: Signal::default(),
            base: [Signal::default(), Signal::default()],
            normal: None,
            displacement: [0.0; 2],
            velocity: [0.0; 2],
            rotation: 0.0,
            spin: 0.0,
        }
    }

    /// With these floors, from below.
    pub fn with_floors(self, floors: Vec<Floor>) -> Self {
        Self { floors, ..self }
    }

    /// With a force on the slab, N.
    pub fn with_force(self, force: [Signal; 2]) -> Self {
        Self { force, ..self }
    }

    /// With a moment on the slab, N·m.
    pub fn with_moment(self, moment: Signal) -> Self {
        Self { moment, ..self }
    }

    /// On ground with this acceleration, m/s².
    pub fn with_base(self, base: [Signal; 2]) -> Self {
        Self { base, ..self }
    }

    /// Pressed by this normal force, N: the laws' numbers are coefficients, and each isolator has its share of it.
    pub fn with_normal(self, normal: Signal) -> Self {
        Self { normal: Some(normal), ..self }
    }

    /// Starting from `displacement` (m) and `velocity` (m/s), the slab and all floors together.
    pub fn starting_at(self, displacement: [f64; 2], velocity: [f64; 2]) -> Self {
        Self { displacement, velocity, ..self }
    }

    /// Starting from this `rotation` (rad) and `spin` (rad/s), the slab and all floors together, about the mass centre of the slab.
    pub fn turning(self, rotation: f64, spin: f64) -> Self {
        Self { rotation, spin, ..self }
    }

    /// The names of its coordinates: x, y and theta of the slab, and those of a floor with its name.
    pub fn coordinates(&self) -> Vec<String> {
        let of = |body: Option<&Floor>| {
            let after = body.map(|f| format!("_{}", f.name)).unwrap_or_default();
            ["x", "y", "theta"].map(|name| format!("{name}{after}"))
        };
        std::iter::once(None).chain(self.floors.iter().map(Some)).flat_map(of).collect()
    }

    /// A bound on the angular frequencies of slab and floors, rad/s: the largest trace of a stiffness over the least inertia in its units.
    pub(crate) fn swings(&self) -> f64 {
        let square = |k: &Square, arm: [f64; 2]| {
            let far = arm[0] * arm[0] + arm[1] * arm[1];
            [k[0][0] + k[1][1], (k[0][0] + k[1][1]) * far]
        };
        let mut sum = [0.0; 2];
        for i in &self.isolators {
            let more = square(&i.stiffness, i.at);
            sum = [sum[0] + more[0], sum[1] + more[1]];
        }
        let mut mass = self.mass;
        let mut inertia = self.inertia;
        let mut below = [0.0; 2];
        for f in &self.floors {
            mass = mass.min(f.mass);
            inertia = inertia.min(f.inertia);
            // A storey acts on the bodies above and below it.
            for centre in [below, f.at] {
                let arm = [0, 1].map(|i| f.stiffness_at[i] - centre[i]);
                let more = square(&f.stiffness, arm);
                sum = [sum[0] + more[0], sum[1] + more[1] + f.torsion];
            }
            below = f.at;
        }
        // A quadratic form of forces and moments is at most the sum of its diagonal over the masses.
        (sum[0] / mass + sum[1] / inertia).sqrt()
    }

    /// Every signal.
    pub(crate) fn signals(&self) -> impl Iterator<Item = &Signal> {
        let all = self.force.iter().chain(&self.base).chain([&self.moment]);
        all.chain(self.normal.as_ref())
    }

    /// Checks every number; each `solve` calls it first.
    ///
    /// # Errors
    /// With the first number that is outside its range, and for a law that has no meaning in a plane.
    pub fn check(&self) -> Result<(), Error> {
        require("the mass", self.mass, self.mass > 0.0, "a finite mass > 0 kg")?;
        let positive = "a finite moment of inertia > 0 kg·m²";
        require("the inertia", self.inertia, self.inertia > 0.0, positive)?;
        if self.isolators.is_empty() {
            let reason = "a slab stands on isolators, and there is none; add one";
            return Err(Error::BadModel { reason: reason.into() });
        }
        self.isolators.iter().try_for_each(|i| self.check_isolator(i))?;
        self.check_places()?;
        self.floors.iter().try_for_each(check_floor)?;
        for x in self.displacement {
            require("the initial displacement", x, true, "a finite displacement, m")?;
        }
        for v in self.velocity {
            require("the initial velocity", v, true, "a finite velocity, m/s")?;
        }
        let small = self.rotation.abs() <= Self::MOST_ROTATION;
        require("the initial rotation", self.rotation, small, "at most 0.2 rad either way")?;
        require("the initial spin", self.spin, true, "a finite number of rad/s")?;
        self.signals().try_for_each(|s| s.check("a signal of the slab"))
    }

    /// An error where two isolators that rub stand at one place: neither would know its part of the force.
    fn check_places(&self) -> Result<(), Error> {
        let rubs = |i: &&Isolator| i.friction.limit(1.0, 0.0) > 0.0;
        let rubbing: Vec<&Isolator> = self.isolators.iter().filter(rubs).collect();
        for (k, one) in rubbing.iter().enumerate() {
            if let Some(other) = rubbing[k + 1..].iter().find(|other| other.at == one.at) {
                let reason = format!(
                    "the isolators {} and {} rub and stand at the same place; give one with the friction of both, and the springs of \
                     both if there are any",
                    one.name, other.name
                );
                return Err(Error::BadModel { reason });
            }
        }
        Ok(())
    }

    fn check_isolator(&self, isolator: &Isolator) -> Result<(), Error> {
        let Isolator { at, share, ellipse, .. } = isolator;
        for x in *at {
            require("the place of an isolator", x, true, "a finite coordinate, m")?;
        }
        check_matrix("the stiffness of an isolator", &isolator.stiffness)?;
        check_matrix("the damping of an isolator", &isolator.damping)?;
        for e in ellipse.0 {
            require("a half-axis of the ellipse", e, e > 0.0, "a finite number > 0")?;
        }
        require("the share of an isolator", *share, *share >= 0.0, "a finite share ≥ 0")?;
        check_law(&isolator.friction)
    }

    /// [`check`](Self::check), and that the signals cover [0, `end`] (s).
    ///
    /// # Errors
    /// As [`check`](Self::check), and if a signal is too short.
    pub fn check_until(&self, end: f64) -> Result<(), Error> {
        self.check()?;
        require("the end of the run", end, end > 0.0, "a finite time > 0 s")?;
        self.force.iter().try_for_each(|s| s.require_domain("force", 0.0, end))?;
        self.moment.require_domain("moment", 0.0, end)?;
        self.base.iter().try_for_each(|s| s.require_domain("base acceleration", 0.0, end))?;
        self.normal.iter().try_for_each(|s| s.require_domain("normal force", 0.0, end))
    }

    /// The instant before `end` (s) at which the normal force falls below zero, if it does.
    ///
    /// # Errors
    /// As [`Planar`](super::Planar)'s.
    pub(crate) fn lifts_off(&self, end: f64) -> Result<Option<f64>, Error> {
        lifts_off(self.normal.as_ref(), end)
    }
}

fn check_floor(floor: &Floor) -> Result<(), Error> {
    require("the mass of a floor", floor.mass, floor.mass > 0.0, "a finite mass > 0 kg")?;
    let positive = "a finite moment of inertia > 0 kg·m²";
    require("the inertia of a floor", floor.inertia, floor.inertia > 0.0, positive)?;
    for x in floor.at.iter().chain(&floor.stiffness_at) {
        require("a place of a floor", *x, true, "a finite coordinate, m")?;
    }
    check_matrix("the stiffness of a storey", &floor.stiffness)?;
    check_matrix("the damping of a storey", &floor.damping)?;
    let [k, c] = [floor.torsion, floor.torsion_damping];
    require("the torsional stiffness of a storey", k, k >= 0.0, "a finite number ≥ 0 N·m/rad")?;
    require("the torsional damping of a storey", c, c >= 0.0, "a finite number ≥ 0 N·m·s/rad")
}
