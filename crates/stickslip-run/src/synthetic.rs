//! Synthetic records to try a calibration on: 120 days of weather and the response of a bridge bearing, a slider that is
//! pulled at constant speed, a positioning axis that follows two sines.
//!
//! A fit file may name one of them as `example:bearing.csv`, and so on, where files come from [`WithRecords`].

mod servo_logs;

use std::borrow::Cow;
use std::f64::consts::TAU;
use std::fmt::Write;
use std::io::{self, BufRead};
use stickslip::law::memory::{Direct, Evolution, RateAndState};
use stickslip::model::Hysteretic;
use stickslip::model::hysteretic::Body;
use stickslip::portable;
use stickslip::scheme::memory;
use stickslip::scheme::oscillator::adaptive;
use stickslip::scheme::oscillator::{exact, quasi_static};
use stickslip::{Law, Oscillator, Signal};
use stickslip::{Scheme, solve};
use stickslip_calibrate::servo;
use stickslip_file::{Diagnostic, Pieces, Resources, Result};

const HOUR: f64 = 3600.0;
const ROWS: i32 = 120 * 24;

/// K_BP, K, N/m; f_s, f_d, N; β, m/K; z₀, m.
const BEARING: f64 = 2.0e9;
const STIFFNESS: f64 = 1.89e8;
const STATIC: f64 = 0.47e6;
const DYNAMIC: f64 = 0.42e6;
const BETA: f64 = 3.06e-4;
const ZERO: f64 = 9.67e-3;

/// What the names of built-in records begin with.
const BUILT_IN: &str = "example:";

/// A synthetic record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record {
    /// Its usual file name.
    pub name: &'static str,
}

impl Record {
    /// Temperature and displacement of a bridge bearing.
    pub const BEARING: Self = Self { name: "bearing.csv" };
    /// Temperature of a bridge and displacements of its five bearings.
    pub const BRIDGE: Self = Self { name: "bridge.csv" };
    /// Spring force of a pulled slider.
    pub const SLIDER: Self = Self { name: "force.csv" };
    /// Position and force of a positioning axis.
    pub const DRIVE: Self = Self { name: "drive.csv" };
    /// Base and mass of a shaken rig.
    pub const RIG: Self = Self { name: "rig.csv" };
    /// Goal and angle of a servo that swings a pendulum.
    pub const SERVO: Self = Self { name: "servo.csv" };
    /// Displacement and force of a damper.
    pub const DAMPER: Self = Self { name: "damper.csv" };
    /// Output, process variable and setpoint of a loop whose valve sticks.
    pub const LOOP: Self = Self { name: "loop.csv" };
    /// Angle and motor current of a joint that follows two sines.
    pub const JOINT: Self = Self { name: "joint.csv" };
    /// Load point and friction of rock under velocity steps and a hold.
    pub const ROCK: Self = Self { name: "rock.csv" };
    /// Displacements and forces of a sliding isolator along x and y.
    pub const ISOLATOR: Self = Self { name: "isolator.csv" };

    /// The list of [`Self::LOGS`], with what differs between them.
    pub const INDEX: Self = Self { name: "index.csv" };
    /// Twelve logs of a servo that swings three loads: two trajectories, twice each.
    pub const LOGS: [Self; 12] = [
        Self { name: "log-01.csv" },
        Self { name: "log-02.csv" },
        Self { name: "log-03.csv" },
        Self { name: "log-04.csv" },
        Self { name: "log-05.csv" },
        Self { name: "log-06.csv" },
        Self { name: "log-07.csv" },
        Self { name: "log-08.csv" },
        Self { name: "log-09.csv" },
        Self { name: "log-10.csv" },
        Self { name: "log-11.csv" },
        Self { name: "log-12.csv" },
    ];

    /// Every record but the logs of an index.
    pub const ALL: [Self; 12] = [
        Self::BEARING,
        Self::BRIDGE,
        Self::SLIDER,
        Self::DRIVE,
        Self::RIG,
        Self::SERVO,
        Self::DAMPER,
        Self::LOOP,
        Self::JOINT,
        Self::INDEX,
        Self::ROCK,
        Self::ISOLATOR,
    ];

    /// The records that a table of records names.
    pub fn named(&self) -> &'static [Self] {
        if *self == Self::INDEX { &Self::LOGS } else { &[] }
    }

    /// The name under which it is built in.
    pub fn built_in(&self) -> String {
        format!("{BUILT_IN}{}", self.name)
    }
}

/// A record as CSV, the same at every call.
///
/// # Errors
/// None that depends on the caller.
pub fn make(record: Record) -> Result<String> {
    match record {
        Record::SLIDER => slider(),
        Record::DRIVE => drive(),
        Record::DAMPER => damper(),
        Record::LOOP => control_loop(),
        Record::JOINT => joint(),
        Record::ROCK => rock(),
        Record::ISOLATOR => isolator(),
        Record::RIG => rig(),
        Record::SERVO => servo_log(),
        Record::BEARING => bearing(),
        Record::BRIDGE => bridge(),
        Record::INDEX => Ok(servo_logs::index("")),
        Record { name } if let Some(number) = Record::LOGS.iter().position(|l| l.name == name) => {
            Ok(servo_logs::log(number))
        }
        Record { name } => Err(Diagnostic::new(format!("there is no built-in record `{name}`"))),
    }
}

/// Files, and the built-in records under their names.
///
/// ```
/// use stickslip_file::{Memory, Resources};
/// use stickslip_run::synthetic::WithRecords;
/// let files = WithRecords(Memory::default());
/// assert!(files.read("example:bearing.csv").unwrap().starts_with(b"time,temperature"));
/// assert!(files.read("example:other.csv").is_err());
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct WithRecords<R>(pub R);

impl<R: Resources> Resources for WithRecords<R> {
    fn read(&self, name: &str) -> io::Result<Cow<'_, [u8]>> {
        let Some(name) = name.strip_prefix(BUILT_IN) else { return self.0.read(name) };
        if name == Record::INDEX.name {
            return Ok(Cow::Owned(servo_logs::index(BUILT_IN).into_bytes()));
        }
        let found = Record::ALL.into_iter().chain(Record::LOGS).find(|r| r.name == name);
        let text = make(found.ok_or(io::ErrorKind::NotFound)?).map_err(io::Error::other)?;
        Ok(Cow::Owned(text.into_bytes()))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn BufRead + '_>> {
        match name.starts_with(BUILT_IN) {
            true => Ok(Box::new(io::Cursor::new(self.read(name)?))),
            false => self.0.open(name),
        }
    }

    fn exists(&self, name: &str) -> bool {
        if name.starts_with(BUILT_IN) { self.read(name).is_ok() } else { self.0.exists(name) }
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        self.0.list(folder)
    }

    fn pieces(&self, name: &str) -> io::Result<Option<Box<dyn Pieces>>> {
        if name.starts_with(BUILT_IN) { Ok(None) } else { self.0.pieces(name) }
    }

    fn version(&self, name: &str) -> Option<u64> {
        self.0.version(name)
    }

    fn is_held(&self, name: &str) -> bool {
        self.0.is_held(name)
    }

    fn signal(&self, name: &str) -> Option<Signal> {
        self.0.signal(name)
    }

    fn law(&self, name: &str) -> Option<Law> {
        self.0.law(name)
    }

    fn load(&self, name: &str) -> Option<stickslip::model::Load> {
        self.0.load(name)
    }

    fn resolve(&self, beside: &str, name: &str) -> String {
        if name.starts_with(BUILT_IN) { name.to_owned() } else { self.0.resolve(beside, name) }
    }
}

/// The record as CSV: `time,temperature,displacement` in UTC, °C and mm.
fn bearing() -> Result<String> {
    let weather = weather();
    let displacements = Bearing { law: [STATIC, DYNAMIC], zero: ZERO, worn: None, seed: 1 };
    let displacements = displacements.displacements(&weather)?;
    let mut out = String::from("time,temperature,displacement\n");
    for (i, z) in displacements.iter().enumerate() {
        let _ = writeln!(out, "{},{:.2},{z:.3}", stamp(weather.times[i])?, weather.temperatures[i]);
    }
    Ok(out)
}

/// The same for a bridge with five bearings, `time,temperature,b1,…,b5`. They have friction of their own, and that of the fourth
/// rises by 25 % after 70 days.
fn bridge() -> Result<String> {
    let weather = weather();
    let bearing = |i: u8| {
        let share = 0.9 + 0.05 * f64::from(i);
        let law = [share * STATIC, share * DYNAMIC];
        let worn = (i == 4).then_some((70 * 24, 1.25));
        Bearing { law, zero: ZERO + 1e-3 * f64::from(i), worn, seed: 10 + u64::from(i) }
    };
    let all = (1..=5).map(|i| bearing(i).displacements(&weather)).collect::<Result<Vec<_>>>()?;
    let mut out = String::from("time,temperature,b1,b2,b3,b4,b5\n");
    for (i, t) in weather.times.iter().enumerate() {
        let _ = write!(out, "{},{:.2}", stamp(*t)?, weather.temperatures[i]);
        for z in &all {
            let _ = write!(out, ",{:.3}", z[i]);
        }
        out.push('\n');
    }
    Ok(out)
}

/// Times, s, and temperatures of the air, °C.
struct Weather {
    times: Vec<f64>,
    temperatures: Vec<f64>,
}

fn weather() -> Weather {
    let times: Vec<f64> = (0..ROWS).map(|i| HOUR * f64::from(i)).collect();
    let temperatures = times.iter().map(|&t| temperature(t)).collect();
    Weather { times, temperatures }
}

/// A time of a record as it is written.
fn stamp(t: f64) -> Result<jiff::Timestamp> {
    let start: jiff::Timestamp = "2024-03-01T00:00:00Z"
        .parse()
        .map_err(|e| Diagnostic::new(format!("the first time of the record: {e}")))?;
    Ok(start + jiff::SignedDuration::from_secs(t as i64))
}

/// A bearing of a synthetic record.
struct Bearing {
    /// f_s and f_d, N.
    law: [f64; 2],
    /// z₀, m.
    zero: f64,
    /// From which row on the friction is how many times as large.
    worn: Option<(usize, f64)>,
    seed: u64,
}

impl Bearing {
    /// What the sensor at this bearing shows, mm.
    fn displacements(&self, weather: &Weather) -> Result<Vec<f64>> {
        let ends: Vec<f64> = weather.temperatures.iter().map(|t| BETA * t).collect();
        let (rows, factor) = self.worn.unwrap_or((ends.len(), 1.0));
        let mut places = self.path(&weather.times[..rows], &ends[..rows], 1.0, ends[0])?;
        if rows < ends.len() {
            // It goes on from where it is.
            let times: Vec<f64> =
                (rows - 1..ends.len()).map(|i| HOUR * (i + 1 - rows) as f64).collect();
            let from = places[rows - 1];
            places.extend(&self.path(&times, &ends[rows - 1..], factor, from)?[1..]);
        }
        let mut noise = noise(self.seed);
        let shown = places.iter().zip(&ends).map(|(x, d)| {
            let z = self.zero + x + STIFFNESS * (d - x) / BEARING + 0.05e-3 * noise();
            1e3 * z
        });
        Ok(shown.collect())
    }

    /// Where its sliding part is at these times, from 0 on, with the friction so many times as large, m.
    fn path(&self, times: &[f64], ends: &[f64], factor: f64, from: f64) -> Result<Vec<f64>> {
        let [breakaway, sliding] = self.law.map(|force| factor * force);
        let bearing = Oscillator::new(1.0, STIFFNESS, Law::static_dynamic(breakaway, sliding)?)
            .with_drive(Signal::sampled(times, ends)?)
            .starting_at(from, 0.0);
        let path = quasi_static::solve(&bearing, times[times.len() - 1])?;
        Ok(times.iter().map(|t| path.state(*t).x).collect())
    }
}

/// A slider: μ_s = 0.32, μ_d = 0.30; `time,force` in s and mN.
fn slider() -> Result<String> {
    const MASS: f64 = 0.030;
    const SPRING: f64 = 170.0;
    let velocity = 50e-6;
    let weight = MASS * 9.80665;
    let step = 1e-3;
    let law = Law::static_dynamic(0.32 * weight, 0.30 * weight)?;
    let drive = Signal::ramp(velocity, 0.0);
    let path = exact::solve(&Oscillator::new(MASS, SPRING, law).with_drive(drive), 60.0)?;
    let mut noise = noise(2);
    let mut out = String::from("time,force\n");
    for i in 0..60_000 {
        let t = step * f64::from(i);
        let force = SPRING * (velocity * t - path.state(t).x) + 7e-4 * weight * noise();
        let _ = writeln!(out, "{t:.3},{:.3}", 1e3 * force);
    }
    Ok(out)
}

/// A drive of 95 kg with F_v = 203 N·s/m and F_c = 20.4 N under a controller:
/// `time,position,force,reference` in s, m and N.
fn drive() -> Result<String> {
    const GAINS: [f64; 3] = [160.0, 240.0, 35.0];
    let times: Vec<f64> = (0..20_000).map(|i| 1e-3 * f64::from(i)).collect();
    let wave = |t: &f64| 0.06 * portable::sin(1.1 * t) + 0.02 * portable::sin(3.7 * t);
    let reference: Vec<f64> = times.iter().map(wave).collect();
    let damping = GAINS[1] * GAINS[2];
    let drive = Oscillator::new(95.0, damping * GAINS[0], Law::coulomb(20.4)?)
        .with_damping(203.0 + damping)
        .with_drive(Signal::sampled(&times, &reference)?);
    let path = exact::solve(&drive, 19.999)?;
    let mut noise = noise(3);
    let mut out = String::from("time,position,force,reference\n");
    for (t, r) in times.iter().zip(&reference) {
        let s = path.state(*t);
        let force = damping * (GAINS[0] * (r - s.x) - s.v) + noise();
        let _ = writeln!(out, "{t:.3},{:.7},{force:.4},{r:.7}", s.x + 2e-6 * noise());
    }
    Ok(out)
}

/// A mass of 3.08 kg on a frame of 1191 N/m whose base is shaken, held by 1.1 N in slip and 1.3 N at rest:
/// `t_s,base_mm,mass_mm`.
fn rig() -> Result<String> {
    let times: Vec<f64> = (0..600).map(|i| 8e-3 * f64::from(i)).collect();
    let wave =
        |t: &f64| 1.4e-3 * portable::sin(TAU * t) + 0.5e-3 * portable::sin(TAU * 0.31 * t + 0.4);
    let base: Vec<f64> = times.iter().map(wave).collect();
    let rig = Oscillator::new(3.08, 1191.0, Law::static_dynamic(1.3, 1.1)?)
        .with_damping(2.0)
        .with_drive(Signal::sampled(&times, &base)?)
        .starting_at(0.3e-3, 0.0);
    let path = exact::solve(&rig, 8e-3 * 599.0)?;
    let mut noise = noise(4);
    let mut out = String::from("t_s,base_mm,mass_mm\n");
    for (t, b) in times.iter().zip(&base) {
        let x = 1e3 * path.state(*t).x + 0.01 * noise();
        let _ = writeln!(out, "{t:.3},{:.5},{x:.5}", 1e3 * b);
    }
    Ok(out)
}

/// A damper of three friction elements, which slide at 0.2, 1 and 3 mm with 40, 60 and 30 N, beside 8 N/mm and
/// 0.5 N·s/mm: `time,displacement,force`.
fn damper() -> Result<String> {
    const ELEMENTS: [(f64, f64); 3] = [(0.2, 40.0), (1.0, 60.0), (3.0, 30.0)];
    let mut noise = noise(5);
    let mut stretch = [0.0f64; 3];
    let mut before = 0.0;
    let mut out = String::from("time,displacement,force\n");
    for i in 0..4000 {
        let t = 0.01 * f64::from(i);
        let swell = 6.0 + 2.0 * portable::sin(TAU * t / 37.0);
        let (sin, cos) = portable::sin_cos(TAU * 0.5 * t);
        let x = swell * sin;
        let v = swell * TAU * 0.5 * cos;
        let mut force = 8.0 * x + 0.5 * v + 0.5 * noise();
        for (s, (r, f)) in stretch.iter_mut().zip(ELEMENTS) {
            *s = (*s + x - before).clamp(-r, r);
            force += f * *s / r;
        }
        before = x;
        let _ = writeln!(out, "{t:.2},{x:.5},{force:.4}");
    }
    Ok(out)
}

/// An isolator of μ_slow = 0.04, μ_fast = 0.09, 40 s/m and 1,000 kN on a radius of 2 m, along a figure that grows to 120 and 80 mm:
/// `time,x,y,force_x,force_y,load` in s, mm and kN.
fn isolator() -> Result<String> {
    const LOAD: f64 = 1000.0;
    const RADIUS: f64 = 2000.0;
    let mut noise = noise(11);
    let mut out = String::from("time,x,y,force_x,force_y,load\n");
    for i in 0..3000 {
        let t = 0.02 * f64::from(i);
        // The amplitude grows as 1 − cos, so that slow cycles come before fast ones.
        let (sin, cos) = portable::sin_cos(TAU * t / 120.0);
        let grows = [0.5 * (1.0 - cos), 0.5 * TAU / 120.0 * sin];
        let along = |size: f64, w: f64, phase: f64| {
            let (s, c) = portable::sin_cos(w * t + phase);
            [size * grows[0] * s, size * (grows[0] * w * c + grows[1] * s)]
        };
        let [x, y] = [along(120.0, 1.1, 0.0), along(80.0, 1.9, 1.0)];
        let speed = portable::hypot(x[1], y[1]).max(1e-9);
        let mu = 0.09 - 0.05 * portable::exp(-0.04 * speed);
        let [fx, fy] = [x, y].map(|[r, v]| LOAD * (r / RADIUS + mu * v / speed) + 0.4 * noise());
        let [x, y] = [x[0] + 0.01 * noise(), y[0] + 0.01 * noise()];
        let _ = writeln!(out, "{t:.2},{x:.4},{y:.4},{fx:.3},{fy:.3},{LOAD}");
    }
    Ok(out)
}

/// A flow loop under PI control whose valve needs 1.5 % of change to move, and then moves all the way:
/// `time,output,process_variable,setpoint`, every 10 s.
fn control_loop() -> Result<String> {
    let mut noise = noise(6);
    let mut integral = 0.0;
    let mut valve = 49.0;
    let mut flow = 48.0f64;
    let mut out = String::from("time,output,process_variable,setpoint\n");
    for i in 0..900 {
        let error = 50.0 - flow;
        integral += error * 10.0 / 120.0;
        let output = 49.2 + 0.1 * error + integral;
        if (output - valve).abs() > 1.5 {
            valve = output;
        }
        flow += (valve - flow) * (1.0 - portable::exp(-10.0 / 15.0));
        let _ = writeln!(out, "{},{output:.4},{:.4},50", 10 * i, flow + 0.03 * noise());
    }
    Ok(out)
}

/// A joint of 0.12 N·m/A that moves 0.08 kg·m² against gravity (1.1 N·m in sin q) and rubs with
/// 0.40 + 0.25 exp(−|v|/0.05) N·m and 0.6 N·m·s/rad: `time,angle,current`, every 5 ms, angles in degrees.
fn joint() -> Result<String> {
    const INERTIA: f64 = 0.08;
    let mut noise = noise(8);
    let mut out = String::from("time,angle,current\n");
    for i in 0..6000 {
        let t = 5e-3 * f64::from(i);
        let mut q = 0.0;
        let mut v = 0.0;
        let mut a = 0.0;
        for (amplitude, rate, phase) in [(0.8, 0.9, 0.3), (0.25, 2.3, 1.0)] {
            let (sin, cos) = portable::sin_cos(rate * t + phase);
            q += amplitude * sin;
            v += amplitude * rate * cos;
            a -= amplitude * rate * rate * sin;
        }
        let dry = 0.40 + 0.25 * portable::exp(-v.abs() / 0.05);
        let torque = INERTIA * a + 1.1 * portable::sin(q) + dry * v.signum() + 0.6 * v;
        let angle = q.to_degrees() + 1.5e-3 * noise();
        let _ = writeln!(out, "{t:.3},{angle:.5},{:.5}", torque / 0.12 + 0.15 * noise());
    }
    Ok(out)
}

/// A servo of 0.3 N·m/A and 4 Ω that swings 0.5 kg at 0.1 m, its gear rubbing by 0.012 N·m in slip and 0.018 N·m at
/// rest; angles to 4096 counts a turn: `t_s,goal_rad,angle_rad`.
fn servo_log() -> Result<String> {
    let times: Vec<f64> = (0..1000).map(|i| 6e-3 * f64::from(i)).collect();
    let wave = |t: &f64| 0.9 * portable::sin(2.1 * t) + 0.5 * portable::sin(5.3 * t);
    let goal: Vec<f64> = times.iter().map(wave).collect();
    let motor =
        servo::Motor { torque_constant: 0.3, resistance: 4.0, armature: 2e-3, damping: 4e-3 };
    let load = servo::Load { inertia: 5e-3, gravity: 0.5 * 9.806_65 * 0.1, vertical: 0.0 };
    let input =
        servo::Input::Goal { goal: Signal::sampled(&times, &goal)?, gain: 12.0, limit: 7.4 };
    let law = Law::static_dynamic(0.018, 0.012)?;
    let problem = servo::servo(law, motor, load, &input, [0.0, 6e-3 * 999.0])?;
    let motion = solve(&problem, &Scheme::Adaptive(adaptive::Options::default()))?;
    let mut rows = motion.rows();
    let mut row = [0.0; 3];
    let count = TAU / 4096.0;
    let mut out = String::from("t_s,goal_rad,angle_rad\n");
    for (t, r) in times.iter().zip(&goal) {
        rows.at(*t, &mut row);
        let _ = writeln!(out, "{t:.3},{r:.5},{:.5}", (row[0] / count).round() * count);
    }
    Ok(out)
}

/// Rock of a = 0.008, b = 0.012, D_c = 8 µm (ageing law) in a machine of 4,000 /m: steps of the load point from 1 to 10 µm/s and back,
/// and a hold of 100 s: `time,load_point,friction` in s and µm.
fn rock() -> Result<String> {
    // Speed of the load point (m/s), how long (s), and rows.
    const PROGRAM: [(f64, f64, i32); 5] = [
        (1e-6, 60.0, 100),
        (1e-5, 20.0, 300),
        (1e-6, 200.0, 300),
        (0.0, 100.0, 100),
        (1e-6, 150.0, 250),
    ];
    let [mut times, mut places] = [vec![0.0], vec![0.0]];
    for (speed, long, rows) in PROGRAM {
        let from = [times[times.len() - 1], places[places.len() - 1]];
        for i in 1..=rows {
            let after = long * f64::from(i) / f64::from(rows);
            times.push(from[0] + after);
            places.push(from[1] + speed * after);
        }
    }
    let direct = Direct { coefficient: 0.6, a: 0.008, b: 0.012 };
    let law = RateAndState::new(direct, 8e-6, 1e-6, Evolution::Ageing)?;
    // By the normal stress, so that forces are coefficients; the spring is drawn already as a steady slide draws it.
    let body = Body {
        drive: Signal::sampled(&times, &places)?,
        force: Signal::constant(direct.coefficient),
        ..Body::new(0.0, 4000.0)
    };
    let rock = Hysteretic::carrying(law, body).with_normal(Signal::constant(1.0));
    let end = times[times.len() - 1];
    let path = memory::solve(&rock, end, adaptive::Options::default())?;
    let mut noise = noise(9);
    let mut out = String::from("time,load_point,friction\n");
    for (t, place) in times.iter().zip(&places) {
        let friction = -path.state(*t).friction + 3e-4 * noise();
        let _ = writeln!(out, "{t:.3},{:.4},{friction:.5}", 1e6 * place);
    }
    Ok(out)
}

/// Days, fronts and spring, °C.
fn temperature(t: f64) -> f64 {
    let wave = |days: f64, amplitude: f64, phase: f64| {
        amplitude * portable::sin(TAU * t / (days * 24.0 * HOUR) + phase)
    };
    12.0 + wave(1.0, 4.0, -1.9)
        + wave(4.7, 2.5, 0.3)
        + wave(11.3, 4.0, 1.0)
        + wave(29.0, 5.0, 2.2)
        + wave(365.0, 8.0, -0.4)
}

/// Deviates near enough to normal for an example: sums of twelve uniform ones.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    let mut uniform = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    move || (0..12).map(|_| uniform()).sum::<f64>() - 6.0
}
