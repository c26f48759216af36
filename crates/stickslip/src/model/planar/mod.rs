//! One mass that slides on a plane: isolators, tables, feeders.

mod bowl;
mod ellipse;
mod pressure;
mod rim;

pub use bowl::Bowl;
pub use ellipse::Ellipse;
pub use pressure::Pressure;
pub(crate) use rim::Cushion;
pub use rim::Rim;

use crate::error::{Error, require};
use crate::interrupt::Interrupt;
use crate::law::Law;
use crate::model::Bumper;
use crate::roots::GivenUp;
use crate::signal::Signal;

/// Two rows of two numbers.
pub type Square = [[f64; 2]; 2];

/// One mass on a plane with dry friction:
///
/// ```text
/// m r̈ + C ṙ + K r = F(t) − m a(t) + R,      w = ṙ − v_s(t)
///
/// slip:  R = −N f(|w|) E² w/|E w|            (the disc E = 1: against the sliding velocity)
/// rest:  w = 0,  |E⁻¹ R| ≤ N f_s
/// ```
///
/// Displacements are relative to the ground, whose acceleration is a(t); v_s is the velocity of the surface in the same
/// coordinates. The numbers of the law are forces, N, or coefficients where there is a normal force N(t), with which they may fall
/// ([`Pressure`]). On a [`Bowl`] its restoring force stands next to K r.
///
/// ```
/// use stickslip::model::Planar;
/// use stickslip::{Law, Problem, Scheme, solve};
/// # fn main() -> Result<(), stickslip::Error> {
/// // A puck of 2 kg slides at (3, 4) m/s against 5 N: at rest after 2·5/5 = 2 s and ½·5·2 = 5 m.
/// let puck = Planar::new(2.0, Law::coulomb(5.0)?).starting_at([0.0, 0.0], [3.0, 4.0]);
/// let scheme = Scheme::suited_to(&puck.clone().into(), None)?.scheme;
/// let solution = solve(&Problem::new(puck, 3.0), &scheme)?;
/// let path = solution.planar().expect("a planar model has a planar path");
/// assert!((solution.events[0].time - 2.0).abs() < 1e-9);
/// assert!((path.state(3.0).x[0] - 3.0).abs() < 1e-9 && (path.state(3.0).x[1] - 4.0).abs() < 1e-9);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Planar {
    /// m > 0, kg.
    pub mass: f64,
    /// K, symmetric and not negative, N/m.
    pub stiffness: Square,
    /// A sphere to slide on, in place of a level surface.
    pub bowl: Option<Bowl>,
    /// C, symmetric and not negative, N·s/m.
    pub damping: Square,
    /// What rubs.
    pub friction: Law,
    /// How far the friction reaches along x and y, as multiples of the law's force.
    pub ellipse: Ellipse,
    /// F(t), force on the mass along x and y, N.
    pub force: [Signal; 2],
    /// a(t), acceleration of the ground along x and y, m/s².
    pub base: [Signal; 2],
    /// v_s(t), velocity of the surface along x and y, m/s.
    pub support: [Signal; 2],
    /// N(t), N; the law's numbers are coefficients then.
    pub normal: Option<Signal>,
    /// How the coefficients fall with N.
    pub pressure: Option<Pressure>,
    /// What limits the displacement.
    pub rim: Option<Rim>,
    /// r(0), m.
    pub displacement: [f64; 2],
    /// ṙ(0), m/s.
    pub velocity: [f64; 2],
}

/// A matrix with these numbers on its diagonal.
fn diagonal([a, b]: [f64; 2]) -> Square {
    [[a, 0.0], [0.0, b]]
}

/// A matrix times a vector.
#[inline]
pub(crate) fn times(a: &Square, u: [f64; 2]) -> [f64; 2] {
    [a[0][0] * u[0] + a[0][1] * u[1], a[1][0] * u[0] + a[1][1] * u[1]]
}

/// The mass comes to the edge of this bowl at `time`, s.
fn leaves(time: f64, bowl: Bowl) -> Error {
    let reason = format!(
        "the mass comes to the edge of the spherical surface, {:?} m from its middle, where the surface is upright; expected displacements \
         below the radius: use a larger radius or a smaller load, or check their units",
        bowl.radius
    );
    Error::NoSolution { time, reason }
}

impl Planar {
    /// A mass (kg) with this friction, at rest at the origin, without springs or loads.
    pub fn new(mass: f64, friction: Law) -> Self {
        let none = || [Signal::default(), Signal::default()];
        Self {
            mass,
            stiffness: [[0.0; 2]; 2],
            bowl: None,
            damping: [[0.0; 2]; 2],
            friction,
            ellipse: Ellipse::DISC,
            force: none(),
            base: none(),
            support: none(),
            normal: None,
            pressure: None,
            rim: None,
            displacement: [0.0; 2],
            velocity: [0.0; 2],
        }
    }

    /// With the stiffnesses k_x and k_y, N/m.
    pub fn with_stiffness(self, k: [f64; 2]) -> Self {
        self.with_stiffness_matrix(diagonal(k))
    }

    /// With the stiffness matrix K, N/m.
    pub fn with_stiffness_matrix(self, stiffness: Square) -> Self {
        Self { stiffness, ..self }
    }

    /// As a friction pendulum of this `radius` (m) under `weight` (N), for small angles: K = W/R.
    pub fn with_pendulum(self, radius: f64, weight: f64) -> Self {
        self.with_stiffness([weight / radius; 2])
    }

    /// As a friction pendulum of this `radius` (m) under `weight` (N), with the restoring force of its slope at any distance
    /// below R: see [`Bowl`].
    ///
    /// ```
    /// use stickslip::model::Planar;
    /// use stickslip::scheme::{oscillator::adaptive::Options, planar};
    /// # fn main() -> Result<(), stickslip::Error> {
    /// // Released at x₀ = 0.6 m without friction it passes the middle with m v²/2 = W (R − √(R² − x₀²)).
    /// let pendulum = Planar::new(1.0, stickslip::Law::coulomb(0.0)?)
    ///     .with_bowl(1.0, 9.81)
    ///     .starting_at([0.6, 0.0], [0.0; 2]);
    /// let path = planar::solve(&pendulum, 1.0, Options::tolerance(1e-11))?;
    /// let [x, v] = [path.state(0.7).x[0], path.state(0.7).v[0]];
    /// let height = |x: f64| 1.0 - (1.0 - x * x).sqrt();
    /// assert!((0.5 * v * v + 9.81 * height(x) - 9.81 * height(0.6)).abs() < 1e-9);
    /// # Ok(()) }
    /// ```
    pub fn with_bowl(self, radius: f64, weight: f64) -> Self {
        Self { bowl: Some(Bowl { radius, weight }), ..self }
    }

    /// With the dampings c_x and c_y, N·s/m.
    pub fn with_damping(self, c: [f64; 2]) -> Self {
        self.with_damping_matrix(diagonal(c))
    }

    /// With the damping matrix C, N·s/m.
    pub fn with_damping_matrix(self, damping: Square) -> Self {
        Self { damping, ..self }
    }

    /// With friction that reaches `e` times the law's force along x and y.
    pub fn with_ellipse(self, e: [f64; 2]) -> Self {
        Self { ellipse: Ellipse(e), ..self }
    }

    /// With a force on the mass, N.
    pub fn with_force(self, force: [Signal; 2]) -> Self {
        Self { force, ..self }
    }

    /// On ground with this acceleration, m/s²; displacements are relative to it.
    pub fn with_base(self, base: [Signal; 2]) -> Self {
        Self { base, ..self }
    }

    /// On a surface with this velocity, m/s.
    pub fn with_support(self, support: [Signal; 2]) -> Self {
        Self { support, ..self }
    }

    /// Pressed by this normal force, N: the law's numbers are coefficients.
    pub fn with_normal(self, normal: Signal) -> Self {
        Self { normal: Some(normal), ..self }
    }

    /// With coefficients that fall with the normal force, by e from `reference` to `reference` + `scale`, N: see [`Pressure`].
    pub fn with_pressure(self, reference: f64, scale: f64) -> Self {
        Self { pressure: Some(Pressure { reference, scale }), ..self }
    }

    /// Within a soft rim at `radius` (m) from the origin, with a spring (N/m) and a dashpot (N·s/m) that push along the radius: see
    /// [`Rim`].
    pub fn with_rim(self, radius: f64, stiffness: f64, damping: f64) -> Self {
        Self { rim: Some(Rim { radius, bumper: Bumper::Soft { stiffness, damping } }), ..self }
    }

    /// Within a rigid rim at `radius` (m) from the origin, with a coefficient of restitution: see [`Rim`].
    ///
    /// ```
    /// use stickslip::model::Planar;
    /// use stickslip::scheme::{oscillator::adaptive::Options, planar};
    /// # fn main() -> Result<(), stickslip::Error> {
    /// // Without friction a puck that is thrown aslant at 45° comes by equal chords along a square.
    /// let puck = Planar::new(1.0, stickslip::Law::coulomb(0.0)?)
    ///     .with_rigid_rim(1.0, 1.0)
    ///     .starting_at([1.0, 0.0], [-1.0, 1.0]);
    /// let path = planar::solve(&puck, 4.5, Options::tolerance(1e-11))?;
    /// let times: Vec<f64> = path.events().iter().map(|e| e.time).collect();
    /// assert!(times.len() == 4 && (times[3] - 4.0).abs() < 1e-10, "{times:?}");
    /// # Ok(()) }
    /// ```
    pub fn with_rigid_rim(self, radius: f64, restitution: f64) -> Self {
        Self { rim: Some(Rim { radius, bumper: Bumper::Rigid { restitution } }), ..self }
    }

    /// Spring and dashpot of a soft rim.
    #[inline]
    pub(crate) fn cushion(&self) -> Option<Cushion> {
        self.rim.and_then(Rim::cushion)
    }

    /// A rigid rim with its coefficient of restitution.
    #[inline]
    pub(crate) fn rigid_rim(&self) -> Option<(Rim, f64)> {
        self.rim.and_then(|rim| Some((rim, rim.restitution()?)))
    }

    /// Starting from `displacement` (m) and `velocity` (m/s) at t = 0.
    pub fn starting_at(self, displacement: [f64; 2], velocity: [f64; 2]) -> Self {
        Self { displacement, velocity, ..self }
    }

    /// A bound on the angular frequencies of the mass on its springs, rad/s: the trace bounds the stiffness of both.
    pub(crate) fn swings(&self) -> f64 {
        let at_rest = self.tangent([0.0; 2]);
        let rim = self.cushion().map_or(0.0, |rim| rim.stiffness);
        ((at_rest[0][0] + at_rest[1][1] + rim) / self.mass).sqrt()
    }

    /// What pulls the mass at `r` (m) back: K r, and the force of the bowl, N. Not a number beyond the edge of a bowl.
    #[inline]
    pub fn restoring(&self, r: [f64; 2]) -> [f64; 2] {
        let spring = times(&self.stiffness, r);
        match self.bowl {
            None => spring,
            Some(bowl) => {
                let secant = bowl.secant(r);
                [0, 1].map(|i| spring[i] + secant * r[i])
            }
        }
    }

    /// The derivative of [`restoring`](Self::restoring) by `r`, N/m.
    pub(crate) fn tangent(&self, r: [f64; 2]) -> Square {
        let Some(bowl) = self.bowl else { return self.stiffness };
        let slope = bowl.tangent(r);
        [0, 1].map(|i| [0, 1].map(|j| self.stiffness[i][j] + slope[i][j]))
    }

    /// The energy of springs, bowl and rim at `r` (m), J.
    pub(crate) fn elastic(&self, r: [f64; 2]) -> f64 {
        let spring = times(&self.stiffness, r);
        let bowl = self.bowl.map_or(0.0, |bowl| bowl.energy(r));
        let rim = self.cushion().map_or(0.0, |rim| rim.energy(r));
        0.5 * (r[0] * spring[0] + r[1] * spring[1]) + bowl + rim
    }

    /// An error if the mass is at `r` (m) at the instant `time` (s), beyond the edge of its bowl.
    pub(crate) fn check_place(&self, time: f64, r: [f64; 2]) -> Result<(), Error> {
        match self.bowl {
            Some(bowl) if bowl.ends_before(r) => Err(leaves(time, bowl)),
            _ => Ok(()),
        }
    }

    /// What a step from `r` (m) that failed with `error` tells: next to the edge of a bowl, where its force grows without bound, that
    /// the mass comes there.
    pub(crate) fn failed(&self, time: f64, r: [f64; 2], error: Error) -> Error {
        match self.bowl {
            Some(bowl) if bowl.ends_before(r.map(|x| 1.01 * x)) => leaves(time, bowl),
            _ => error,
        }
    }

    /// Every signal.
    pub(crate) fn signals(&self) -> impl Iterator<Item = &Signal> {
        let all = self.force.iter().chain(&self.base).chain(&self.support);
        all.chain(self.normal.as_ref())
    }

    /// Checks every number; each `solve` calls it first.
    ///
    /// # Errors
    /// With the first number that is outside its range, and for a law that has no meaning in a plane.
    pub fn check(&self) -> Result<(), Error> {
        let m = self.mass;
        require("the mass", m, m > 0.0, "a finite mass > 0 kg")?;
        check_matrix("the stiffness", &self.stiffness)?;
        check_matrix("the damping", &self.damping)?;
        for e in self.ellipse.0 {
            require("a half-axis of the ellipse", e, e > 0.0, "a finite number > 0")?;
        }
        for x in self.displacement {
            require("the initial displacement", x, true, "a finite displacement, m")?;
        }
        for v in self.velocity {
            require("the initial velocity", v, true, "a finite velocity, m/s")?;
        }
        check_law(&self.friction)?;
        self.check_bowl()?;
        self.check_pressure()?;
        self.check_rim()?;
        self.signals().try_for_each(|s| s.check("a signal of the planar model"))
    }

    /// A bowl that stands, with the mass inside.
    fn check_bowl(&self) -> Result<(), Error> {
        let Some(Bowl { radius, weight }) = self.bowl else { return Ok(()) };
        require("the radius of the sphere", radius, radius > 0.0, "a finite radius > 0 m")?;
        require("the weight on the sphere", weight, weight > 0.0, "a finite weight > 0 N")?;
        if !self.support.iter().all(Signal::is_zero) {
            let reason = "the spherical surface of a pendulum with its exact force carries its middle along when it moves, and a \
                          velocity of the surface (`support_x`, `support_y`) is that of a level one; give the motion as \
                          accelerations of the ground (`base_x`, `base_y`)";
            return Err(Error::BadModel { reason: reason.into() });
        }
        let [x, y] = self.displacement;
        let far = crate::portable::hypot(x, y);
        require(
            "the initial distance from the middle of the sphere",
            far,
            far < radius,
            "a distance below its radius, m",
        )
    }

    /// A pressure that there is, and a factor that is a number.
    fn check_pressure(&self) -> Result<(), Error> {
        let Some(Pressure { reference, scale }) = self.pressure else { return Ok(()) };
        require("the reference of the pressure", reference, reference >= 0.0, "a force ≥ 0 N")?;
        let expected = "a force > 0 N, no less than a fiftieth of the reference";
        require("the scale of the pressure", scale, scale > 0.0, expected)?;
        require("the scale of the pressure", scale, 50.0 * scale >= reference, expected)?;
        if self.normal.is_none() {
            let reason = "the friction is to fall with the pressure, and there is no normal force; expected one (`normal`, N), \
                          with which the numbers of the law are coefficients";
            return Err(Error::BadModel { reason: reason.into() });
        }
        Ok(())
    }

    /// A rim that stands, with numbers in their ranges.
    fn check_rim(&self) -> Result<(), Error> {
        let Some(Rim { radius, bumper }) = self.rim else { return Ok(()) };
        require("the radius of the rim", radius, radius > 0.0, "a finite radius > 0 m")?;
        match bumper {
            Bumper::Soft { stiffness: k, damping: c } => {
                require("the stiffness of the rim", k, k > 0.0, "a finite stiffness > 0 N/m")?;
                require("the damping of the rim", c, c >= 0.0, "a finite damping ≥ 0 N·s/m")?;
            }
            Bumper::Rigid { restitution: e } => {
                let what = "the coefficient of restitution of the rim";
                require(what, e, (0.0..=1.0).contains(&e), "a number from 0 to 1")?;
                let [x, y] = self.displacement;
                let far = crate::portable::hypot(x, y);
                // What starts at the rim may lie beyond it by rounding.
                let inside = far <= radius * (1.0 + Rim::ROUNDING);
                let what = "the initial distance from the middle of the rigid rim";
                require(what, far, inside, "a distance no greater than its radius, m")?;
            }
        }
        if !self.support.iter().all(Signal::is_zero) {
            let reason = "a rim stands on the ground, and a surface that moves (`support_x`, `support_y`) would carry a mass at rest into \
                          it, which is not offered; leave one of them out, or give the motion as accelerations of the ground \
                          (`base_x`, `base_y`)";
            return Err(Error::BadModel { reason: reason.into() });
        }
        Ok(())
    }

    /// [`check`](Self::check), and that the signals cover [0, `end`] (s).
    ///
    /// # Errors
    /// As [`check`](Self::check), and if a signal is too short.
    pub fn check_until(&self, end: f64) -> Result<(), Error> {
        self.check()?;
        require("the end of the run", end, end > 0.0, "a finite time > 0 s")?;
        self.force.iter().try_for_each(|s| s.require_domain("force", 0.0, end))?;
        self.base.iter().try_for_each(|s| s.require_domain("base acceleration", 0.0, end))?;
        self.support
            .iter()
            .try_for_each(|s| s.require_domain("velocity of the surface", 0.0, end))?;
        self.normal.iter().try_for_each(|s| s.require_domain("normal force", 0.0, end))
    }

    /// The instant before `end` (s) at which the normal force falls below zero and the mass lifts off, if it does.
    ///
    /// # Errors
    /// If the normal force is negative from the start, or varies too often to be searched.
    pub(crate) fn lifts_off(&self, end: f64) -> Result<Option<f64>, Error> {
        lifts_off(self.normal.as_ref(), end)
    }
}

/// A law that is the same in every direction, does not age, and starts with a finite slope.
pub(super) fn check_law(friction: &Law) -> Result<(), Error> {
    let reason = match friction {
        Law::Coulomb(_) | Law::StaticDynamic(_) | Law::VelocityStrengthening(_) => {
            return Ok(());
        }
        Law::StribeckExponential(_) if friction.weakening() < f64::INFINITY => {
            return Ok(());
        }
        Law::StribeckExponential(_) => {
            "friction that falls infinitely fast with the first motion (an exponent below 1) lets the mass leave its rest \
             at any time; use an exponent of 1 or more"
        }
        Law::Asymmetric(_) => {
            "a law with two directions has no meaning in a plane; use `ellipse` for friction that differs along x and y"
        }
        _ => {
            "in a plane the laws are coulomb, static-dynamic, stribeck-exponential and velocity-strengthening; use one of them"
        }
    };
    Err(Error::BadLaw { name: "of the mass on a plane".into(), reason: reason.into() })
}

/// The instant before `end` (s) at which this normal force falls below zero, if it does.
pub(super) fn lifts_off(normal: Option<&Signal>, end: f64) -> Result<Option<f64>, Error> {
    let Some(normal) = normal else { return Ok(None) };
    match normal.first_negative(0.0, end) {
        Ok(Some((time, value))) if time <= 0.0 => Err(Error::NegativeNormalForce { time, value }),
        Ok(found) => Ok(found.map(|(time, _)| time)),
        Err(GivenUp) => Err(Interrupt::of_search(0.0, "the normal force".into())),
    }
}

/// An error unless the matrix is symmetric and not negative: uᵀ A u ≥ 0 for every u.
pub(super) fn check_matrix(what: &'static str, a: &Square) -> Result<(), Error> {
    let expected = "a symmetric 2 × 2 matrix of finite numbers that does not let energy out, with a_xx ≥ 0, a_yy ≥ 0 and \
                    a_xy² ≤ a_xx a_yy";
    let [[xx, xy], [yx, yy]] = *a;
    for number in [xx, xy, yx, yy] {
        require(what, number, true, expected)?;
    }
    require(what, yx, xy == yx, expected)?;
    require(what, xx, xx >= 0.0, expected)?;
    require(what, yy, yy >= 0.0, expected)?;
    require(what, xy, xy * xy <= xx * yy * (1.0 + 1e-12), expected)
}
