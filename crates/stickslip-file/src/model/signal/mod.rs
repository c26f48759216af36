//! Signals: lists of one-key tables that are summed, one file per kind.

mod chirp;
mod constant;
mod harmonic;
mod kanai_tajimi;
mod ornstein_uhlenbeck;
mod ramp;
mod sampled;
mod step;
mod trapezoids;
mod white;

use crate::diagnostic::Result;
use crate::model::slot::Slot;
use crate::place::Placed;
use crate::reader::{Table, Variant, any};
use crate::reading::Gathered;
use serde::Serialize;

/// A signal, as written in a file.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Signal {
    /// `constant = 2.0`.
    Constant(constant::Constant),
    /// `ramp = { rate, offset }`.
    Ramp(ramp::Ramp),
    /// `step = { time, before, after }`.
    Step(step::Step),
    /// `harmonic = { amplitude, angular_frequency, phase }`.
    Harmonic(harmonic::Harmonic),
    /// `chirp = { amplitude, from, to, duration, phase, sweep }`.
    Chirp(chirp::Chirp),
    /// `pulses = { amplitude, period, width, … }`.
    Pulses(trapezoids::Pulses),
    /// `trapezoids = { amplitude, period, rise, top, fall, … }`.
    Trapezoids(trapezoids::Trapezoids),
    /// `sampled = { file, time, value, … }`.
    Sampled(sampled::Sampled),
    /// `white = { intensity }`.
    White(white::White),
    /// `ornstein-uhlenbeck = { rate, intensity, scale }`.
    OrnsteinUhlenbeck(ornstein_uhlenbeck::OrnsteinUhlenbeck),
    /// `kanai-tajimi = { angular_frequency, damping_ratio, intensity, scale }`.
    KanaiTajimi(kanai_tajimi::KanaiTajimi),
}

/// What has a value at every instant.
const SIGNALS: [&str; 8] =
    ["constant", "ramp", "step", "harmonic", "chirp", "pulses", "trapezoids", "sampled"];

/// The same, and noises, for the models that take them.
const SIGNALS_AND_NOISES: [&str; 11] = [
    "constant",
    "ramp",
    "step",
    "harmonic",
    "chirp",
    "pulses",
    "trapezoids",
    "sampled",
    "white",
    "ornstein-uhlenbeck",
    "kanai-tajimi",
];

/// Reads the list `key` of a model; its values are in `unit`.
pub fn read(
    model: &Table<'_>,
    key: &str,
    unit: &'static str,
    gathered: &mut Gathered,
) -> Result<Vec<Signal>> {
    let list = model.list_of(key, "signal", &SIGNALS)?;
    list.iter().map(|signal| one(signal, key, unit, gathered)).collect()
}

/// The list `key` of a model that takes noises too.
pub fn read_noisy(
    model: &Table<'_>,
    key: &str,
    unit: &'static str,
    gathered: &mut Gathered,
) -> Result<Vec<Signal>> {
    let list = model.list_of(key, "signal", &SIGNALS_AND_NOISES)?;
    list.iter().map(|signal| one(signal, key, unit, gathered)).collect()
}

/// What signals the tables of the list `key` may hold: a force may be a noise.
pub fn kinds(key: &str) -> &'static [&'static str] {
    if key == "force" { &SIGNALS_AND_NOISES } else { &SIGNALS }
}

/// The signal of a table in the list `key` that has other keys `others` too.
pub fn beside(
    table: &Table<'_>,
    others: &[&str],
    key: &str,
    unit: &'static str,
    gathered: &mut Gathered,
) -> Result<Signal> {
    one(&table.variant_beside(others, "signal", kinds(key))?, key, unit, gathered)
}

fn one(
    signal: &Variant<'_>,
    key: &str,
    unit: &'static str,
    gathered: &mut Gathered,
) -> Result<Signal> {
    Ok(match signal.name {
        "constant" => Signal::Constant(constant::Constant::read(signal, unit)?),
        "ramp" => Signal::Ramp(ramp::Ramp::read(signal, unit)?),
        "step" => Signal::Step(step::Step::read(signal, unit)?),
        "harmonic" => Signal::Harmonic(harmonic::Harmonic::read(signal, unit)?),
        "chirp" => Signal::Chirp(chirp::Chirp::read(signal, unit)?),
        "pulses" => Signal::Pulses(trapezoids::Pulses::read(signal, unit, gathered)?),
        "trapezoids" => Signal::Trapezoids(trapezoids::Trapezoids::read(signal, unit, gathered)?),
        "white" => Signal::White(white::White::read(signal, key)?),
        "ornstein-uhlenbeck" => {
            Signal::OrnsteinUhlenbeck(ornstein_uhlenbeck::OrnsteinUhlenbeck::read(signal)?)
        }
        "kanai-tajimi" => Signal::KanaiTajimi(kanai_tajimi::KanaiTajimi::read(signal)?),
        _ => Signal::Sampled(sampled::Sampled::read(signal, gathered)?),
    })
}

/// The sum of signals in the library.
pub fn sum(signals: &[Signal]) -> Result<stickslip::Signal, stickslip::Error> {
    signals.iter().map(Signal::build).sum()
}

/// The noises among signals, in the library.
pub fn noises(signals: &[Signal]) -> impl Iterator<Item = stickslip::Noise> + '_ {
    signals.iter().filter_map(Signal::noise)
}

/// [`read`] for a key that may hold a number instead: a constant.
pub fn read_or_number(
    model: &Table<'_>,
    key: &str,
    unit: &'static str,
    gathered: &mut Gathered,
) -> Result<Vec<Signal>> {
    if !model.has_number(key) {
        return read(model, key, unit, gathered);
    }
    let value = model.number(key, any(unit))?;
    Ok(vec![Signal::Constant(constant::Constant::of(value))])
}

impl Signal {
    /// The number at these keys; nothing of sweeps, trains, samples and noises, which are read anew.
    pub fn slot(&self, keys: &[&str]) -> Option<Slot<Self>> {
        macro_rules! inside {
            ($variant:ident, $kind:ty) => {{
                let field = <$kind>::slot(keys.get(1)?)?;
                Some(Box::new(move |it: &mut Self| match it {
                    Self::$variant(signal) => Some(field(signal)),
                    _ => None,
                }))
            }};
        }
        match self {
            Self::Constant(_) => Some(Box::new(|it| match it {
                Self::Constant(signal) => Some(signal.value()),
                _ => None,
            })),
            Self::Ramp(_) => inside!(Ramp, ramp::Ramp),
            Self::Step(_) => inside!(Step, step::Step),
            Self::Harmonic(_) => inside!(Harmonic, harmonic::Harmonic),
            Self::Chirp(_)
            | Self::Pulses(_)
            | Self::Trapezoids(_)
            | Self::Sampled(_)
            | Self::White(_)
            | Self::OrnsteinUhlenbeck(_)
            | Self::KanaiTajimi(_) => None,
        }
    }

    /// The library's signal; of a noise, whose path is chosen later, 0.
    pub fn build(&self) -> Result<stickslip::Signal, stickslip::Error> {
        Ok(match self {
            Self::Constant(s) => s.build(),
            Self::Ramp(s) => s.build(),
            Self::Step(s) => s.build(),
            Self::Harmonic(s) => s.build(),
            Self::Chirp(s) => s.build()?,
            Self::Pulses(s) => s.build()?,
            Self::Trapezoids(s) => s.build()?,
            Self::Sampled(s) => s.build()?,
            Self::White(_) | Self::OrnsteinUhlenbeck(_) | Self::KanaiTajimi(_) => {
                stickslip::Signal::default()
            }
        })
    }

    /// The library's noise, if it is one.
    pub fn noise(&self) -> Option<stickslip::Noise> {
        match self {
            Self::White(s) => Some(s.build()),
            Self::OrnsteinUhlenbeck(s) => Some(s.build()),
            Self::KanaiTajimi(s) => Some(s.build()),
            _ => None,
        }
    }

    /// Checks that the signal is defined until the end of the run.
    pub fn check_covers(&self, end: &Placed<f64>) -> Result<()> {
        match self {
            Self::Sampled(s) => s.check_covers(end),
            Self::Pulses(s) => s.check_covers(end),
            Self::Trapezoids(s) => s.check_covers(end),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Document, Memory, ModelFile, Reading};
    use stickslip::Model;
    use stickslip::signal::{Chirp, Sweep, Trapezoid};

    fn file(text: &str) -> Result<ModelFile, String> {
        let table = "t,v\n0,1\n1,3\n4,2\n";
        let reading = Reading::new(Memory::default().with("s.csv", table));
        let document = Document::parse("m.toml", text).unwrap();
        ModelFile::read(&document, &reading).map_err(|e| e.to_string())
    }

    /// The force of an oscillator.
    fn force(signal: &str) -> Result<stickslip::Signal, String> {
        let text = format!(
            "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction.coulomb.force = 1.0\n\
             force = [{{ {signal} }}]\n[run]\nend = 3.0\n"
        );
        match file(&text)?.problem.model {
            Model::Oscillator(o) => Ok(o.force),
            _ => panic!("no oscillator"),
        }
    }

    #[test]
    fn shapes_are_read() {
        let swept = |sweep: Sweep| {
            let c = Chirp { amplitude: 2.0, from: 1.0, to: 8.0, duration: 2.5, phase: 0.5, sweep };
            stickslip::Signal::chirp(c).unwrap()
        };
        let linear =
            "chirp = { amplitude = 2.0, from = 1.0, to = 8.0, duration = 2.5, phase = 0.5 }";
        assert_eq!(force(linear).unwrap(), swept(Sweep::Linear));
        let other = linear.replace(" }", ", sweep = \"logarithmic\" }");
        assert_eq!(force(&other).unwrap(), swept(Sweep::Logarithmic));
        let pulses =
            "pulses = { amplitude = 2.0, period = 0.5, width = 0.1, start = 0.2, offset = -1.0";
        let want = |count| stickslip::Signal::pulses(2.0, 0.5, 0.1, 0.2, -1.0, count).unwrap();
        assert_eq!(force(&format!("{pulses}, count = 2 }}")).unwrap(), want(2));
        // Six begin within the run of 3 s: at 0.2, 0.7, …, 2.7 s.
        assert_eq!(force(&format!("{pulses} }}")).unwrap(), want(6));
        let shape = Trapezoid {
            amplitude: 2.0,
            period: 1.0,
            rise: 0.1,
            top: 0.2,
            fall: 0.3,
            start: 0.0,
            offset: 0.0,
        };
        let trapezoids =
            "trapezoids = { amplitude = 2.0, period = 1.0, rise = 0.1, top = 0.2, fall = 0.3 }";
        assert_eq!(force(trapezoids).unwrap(), stickslip::Signal::trapezoids(shape, 4).unwrap());
        let held = "sampled = { file = \"s.csv\", time = \"t\", value = \"v\", hold = \"zero\", scale = 2.0 }";
        let want = stickslip::Signal::stepwise(&[0.0, 1.0, 4.0], &[2.0, 6.0, 4.0]).unwrap();
        assert_eq!(force(held).unwrap(), want);
    }

    #[test]
    fn what_is_wrong_with_a_shape_is_said() {
        let told = |signal: &str, what: &str| {
            let message = force(signal).expect_err(signal);
            assert!(message.contains(what), "{message}");
        };
        told("chirp = { amplitude = 1.0, from = -1.0, to = 2.0, duration = 1.0 }", "≥ 0, in rad/s");
        let sweep = "sweep = \"logarithmic\"";
        told(
            &format!(
                "chirp = {{ amplitude = 1.0, from = 0.0, to = 2.0, duration = 1.0, {sweep} }}"
            ),
            "> 0, in rad/s",
        );
        told(
            "chirp = { amplitude = 1.0, from = 1.0, to = 2.0, duration = 1.0, sweep = \"octaves\" }",
            "sweep",
        );
        told("chirp = { amplitude = 1.0, from = 1.0, to = 1e200, duration = 1.0 }", "chirp");
        told("pulses = { amplitude = 1.0, period = 1.0, width = 2.0 }", "longer than the period");
        told("pulses = { amplitude = 1.0, period = 1e-9, width = 1e-10 }", "at most 1000000");
        told("pulses = { amplitude = 1.0, period = 1.0, width = 0.5, count = 0 }", "whole number");
        told(
            "pulses = { amplitude = 1.0, period = 1.0, width = 0.5, count = 10000000000 }",
            "at most 1000000",
        );
        told(
            "pulses = { amplitude = 1.0, period = 1e-300, width = 1e-301, start = -1e300 }",
            "at most",
        );
        told("trapezoids = { amplitude = 1.0, period = 1.0 }", "neither");
        told(
            "trapezoids = { amplitude = 1.0, period = 1.0, rise = 0.5, top = 0.6 }",
            "longer than the period",
        );
        told(
            "sampled = { file = \"s.csv\", time = \"t\", value = \"v\", hold = \"first\" }",
            "hold",
        );
    }

    /// In every list of signals of every kind of model.
    #[test]
    fn every_model_takes_every_shape() {
        let shapes = [
            "{ chirp = { amplitude = 0.1, from = 1.0, to = 8.0, duration = 2.0 } }",
            "{ pulses = { amplitude = 0.1, period = 0.5, width = 0.1 } }",
            "{ trapezoids = { amplitude = 0.1, period = 0.5, rise = 0.1, fall = 0.1 } }",
            "{ sampled = { file = \"s.csv\", time = \"t\", value = \"v\", hold = \"zero\" } }",
        ];
        let nodes = "[[network.node]]\nname = \"a\"\nmass = 1.0\n[[network.node]]\nname = \"b\"\nmass = 1.0\n\
                     [[network.spring]]\nbetween = [\"a\", \"b\"]\nstiffness = 1.0\n";
        let slider = "[[network.slider]]\nbetween = [\"a\", \"ground\"]\nstatic = 1.0\n";
        let stop = "[[network.stop]]\nbetween = [\"a\", \"ground\"]\nstiffness = 1e3\nupper";
        let oscillator =
            "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction.coulomb.force = 1.0\n";
        let controller = "[[network.controller]]\nof = \"a\"\non = \"a\"\nproportional = 1.0\n";
        let planar = "[planar]\nmass = 1.0\nfriction.coulomb.force = 1.0\n";
        for start in [
            format!("{oscillator}drive"),
            format!("{oscillator}force"),
            format!("{oscillator}support"),
            format!("{oscillator}normal = [{{ constant = 9.0 }}]\nforce"),
            "[cascade]\nmass = 1.0\nstiffness = [1.0, 1.0]\nthreshold = [1.0]\nforce".to_owned(),
            "[impact]\nmass = 1.0\nwall = -9.0\nrestitution = 0.5\nforce".to_owned(),
            format!("{planar}force_x"),
            format!("{nodes}{slider}support"),
            format!("{nodes}{slider}normal"),
            format!("{nodes}{stop}"),
            format!("{nodes}{controller}reference"),
            format!("{nodes}{controller}dither"),
        ] {
            for shape in shapes {
                let text = format!(
                    "{start} = [{shape}, {{ constant = 9.0 }}]\n[run]\nend = 3.0\nstep = 0.01\n"
                );
                file(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
            }
        }
        for shape in shapes {
            let inside = &shape[2..shape.len() - 2];
            let text = format!(
                "{nodes}[[network.force]]\non = \"a\"\n{inside}\n[run]\nend = 3.0\nstep = 0.01\n"
            );
            file(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        }
    }
}
