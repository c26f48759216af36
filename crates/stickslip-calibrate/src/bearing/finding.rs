//! What a fit says about its record besides numbers.

use serde::Serialize;

use crate::statistics::estimate::Estimate;

/// What was found in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum What {
    /// The sensor was reset, or knocked.
    Step,
    /// The sensor drifts.
    Drift,
    /// The reading settles exponentially from the beginning of the record on.
    Creep,
    /// The deck follows the air with a time constant.
    Lag,
    /// The clocks of drive and response differ.
    Shift,
    /// The friction changed.
    Change,
    /// Codes for "no value" among the values.
    Sentinels,
    /// Readings are rounded coarsely.
    Rounding,
    /// The drive is noisy.
    Thermometer,
    /// Spikes.
    Spikes,
    /// The bearing is damped or creeps, but has no dry friction.
    Viscous,
    /// The gain, the unit or the sign of the response changed, or the unit of the temperature.
    Gain,
    /// The expansion changed, or the gain of the thermometer.
    Expansion,
}

impl What {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Drift => "drift",
            Self::Creep => "creep",
            Self::Lag => "lag",
            Self::Shift => "shift",
            Self::Change => "change",
            Self::Sentinels => "sentinels",
            Self::Rounding => "rounding",
            Self::Thermometer => "thermometer",
            Self::Spikes => "spikes",
            Self::Viscous => "viscous",
            Self::Gain => "gain",
            Self::Expansion => "expansion",
        }
    }
}

/// How many states of the friction a record has, as far as the explanation that fits best tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum States {
    /// One, or nothing was looked for.
    #[default]
    One,
    /// Two: the friction changes once.
    Two,
    /// More: the friction changes more than once.
    Several,
    /// As many as there are instants: it rises or falls steadily.
    Gradual,
}

impl States {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::Two => "two",
            Self::Several => "several",
            Self::Gradual => "gradual",
        }
    }
}

/// What a warning says of how a record was made, for whoever lists what was looked for and not found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Logged {
    /// Values are carried forward where readings are missing.
    Carried,
    /// Values between readings were filled in along straight lines.
    FilledIn,
    /// A column is written only when it has moved by a dead band.
    DeadBand,
    /// A sensor is stuck.
    Stuck,
    /// Rows are means over the time between them.
    Means,
    /// The response runs ahead of the drive.
    LateDrive,
    /// The expansion belongs to no deck.
    Expansion,
}

/// What to ask for in another fit; whoever shows it puts it into the words of a fit file or a call.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Remedy {
    /// Steps of the reading at these times, s: [`Trend::steps`](crate::Trend::steps).
    Steps(Vec<f64>),
    /// A drift of the reading: [`Trend::drift`](crate::Trend::drift).
    Drift,
    /// Creep of the reading: [`Creep::Fitted`](crate::Creep::Fitted).
    Creep,
    /// A lag that is fitted: [`Lag::Fitted`](crate::Lag::Fitted).
    Lag,
    /// A shift that is fitted: [`Shift::Fitted`](crate::Shift::Fitted).
    Shift,
    /// Look for changes over time: [`windows`](crate::windows()), or [`changes`](crate::changes()).
    Windows,
    /// Declare these values as missing.
    Missing(Vec<f64>),
    /// State the noise of the drive: [`Options::drive_noise`](crate::Options::drive_noise).
    DriveNoise(f64),
}

/// One thing that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// What.
    pub what: What,
    /// From 0 to 1: the share of what noise does not account for that this explains; of codes, spikes and
    /// rounding the share of the rows that they touch.
    pub strength: f64,
    /// Its size: of a step, a creep and a rounding in m, a drift in m/s, a lag and a shift in s, a change as a ratio, noise of the
    /// drive in its unit, codes and spikes as a count.
    pub estimate: Option<Estimate>,
    /// When, s: of a step or a change.
    pub time: Option<f64>,
    /// One sentence: what was found, and what to do.
    pub suggestion: String,
    /// What to ask for.
    pub remedy: Option<Remedy>,
}
