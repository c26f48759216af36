//! Names and units of the numbers of a model on axes, by their keys.

use crate::heading::Heading;
use crate::number::{readable, short};
use std::f64::consts::TAU;
use stickslip_file::joined;
use stickslip_report::figure::Axis;

/// The unit of the number at `key`, such as `oscillator.force.0.harmonic.amplitude`; empty where it has none, or it is not known. Of
/// several keys that take the same number it is that of the first.
pub(crate) fn unit_of(key: &str) -> &'static str {
    let key = first(key);
    let parts: Vec<&str> = key.split('.').collect();
    let last = parts.last().copied().unwrap_or_default();
    let is = |name: &str| parts.contains(&name);
    let network = parts.first() == Some(&"network");
    // What a signal stands for, and what it is in a second.
    let (signal, rate) = match () {
        () if is("friction") => ("N", "N/s"),
        () if is("force") || is("force_x") || is("force_y") || is("dither") => ("N", "N/s"),
        () if is("base_x") || is("base_y") => ("m/s²", "m/s³"),
        () if is("normal") => ("N", "N/s"),
        () if is("support") || is("support_x") || is("support_y") => ("m/s", "m/s²"),
        () if is("drive") || is("motion") => ("m", "m/s"),
        () => ("", ""),
    };
    match last {
        "mass" | "added_mass" => "kg",
        "stiffness" => "N/m",
        "damping" => "N·s/m",
        "quadratic_damping" => "N·s²/m²",
        "normal_slope" => "1/m",
        "angular_frequency" => "rad/s",
        "phase" => "rad",
        "static" | "dynamic" | "force" if is("friction") || is("slider") => "N",
        "velocity" if is("friction") => "m/s",
        "viscous" if is("friction") => "N·s/m",
        "amplitude" | "constant" | "value" => signal,
        "rate" => rate,
        "displacement" | "upper" | "lower" | "radius" => "m",
        "weight" => "N",
        "sample_time" | "delay" | "filter" if is("controller") => "s",
        "limit" if is("controller") => "N",
        "force" | "static" | "dynamic" if is("feed_forward") => "N",
        "velocity" if network || is("initial") => "m/s",
        _ => "",
    }
}

/// The first of the keys that take a number.
fn first(key: &str) -> &str {
    joined(key).next().unwrap_or_default()
}

/// The unit of the number at a key of a model under this heading. A force that presses stays one where a model turns.
pub(super) fn unit_under(heading: &Heading, key: &str) -> &'static str {
    if presses(key) { unit_of(key) } else { heading.unit(unit_of(key)) }
}

/// Whether it is a number of a force that presses.
fn presses(key: &str) -> bool {
    key.split('.').any(|part| part == "normal")
}

/// Parts of a key that only say how a signal is written.
const FORMS: [&str; 6] = ["harmonic", "ramp", "chirp", "pulses", "trapezoids", "initial"];

/// The name of the number at a key of a model file as an axis shows it: `angular frequency of drive 0`.
pub(super) fn name_of(key: &str) -> String {
    let names: Vec<String> = joined(key).map(name_of_one).collect();
    let what = |name: &str| name.split_once(OF).map(|(what, _)| what.to_owned());
    // What several keys have in common is said once: `angular frequency of force 0 and force 1`.
    let common = names
        .first()
        .and_then(|n| what(n))
        .filter(|c| names.iter().all(|n| what(n).as_ref() == Some(c)));
    let Some(common) = common else { return names.join(" and ") };
    let owners: Vec<&str> = names.iter().map(|n| &n[common.len() + OF.len()..]).collect();
    format!("{common}{OF}{}", owners.join(" and "))
}

/// Stands between the name of a number and that of what has it.
const OF: &str = " of ";

/// The name of the number at one key.
fn name_of_one(key: &str) -> String {
    let parts: Vec<&str> = key.split('.').collect();
    let Some((last, before)) = parts.split_last() else { return String::new() };
    let is = |name: &str| before.contains(&name);
    let what = match *last {
        "static" if is("friction") || is("slider") => "static friction".to_owned(),
        "dynamic" if is("friction") || is("slider") => "kinetic friction".to_owned(),
        "force" if is("coulomb") => "friction".to_owned(),
        "proportional" | "integral" | "derivative" if is("controller") => format!("{last} gain"),
        "force" if is("gear") => "constant friction".to_owned(),
        "coefficient" if is("gear") => "coefficient of friction".to_owned(),
        "forward" | "backward" if is("gear") => format!("coefficient of {last} friction"),
        last if is("friction") => format!("{} of the friction law", last.replace('_', " ")),
        last if is("initial") => format!("initial {last}"),
        "constant" | "value" => String::new(),
        last => last.replace('_', " "),
    };
    // What stands after `friction` is the law.
    let own = before.iter().skip(1).take_while(|p| **p != "friction");
    let of: Vec<&str> = own.filter(|p| !FORMS.contains(p)).copied().collect();
    let of = of.join(" ").replace('_', " ");
    match (what.is_empty(), of.is_empty()) {
        (true, _) => of,
        (_, true) => what,
        _ => format!("{what}{OF}{of}"),
    }
}

/// The name and the unit of the number at a key of a model under this heading, for who draws it.
pub fn named(heading: &Heading, key: &str) -> (String, &'static str) {
    (heading.name(&name_of(key)), unit_under(heading, key))
}

/// The axis of the number at a key, as long as its values.
pub(crate) fn axis_of(key: &str) -> Axis {
    loose_axis_of(key).tight()
}

/// The same with room at its ends.
fn loose_axis_of(key: &str) -> Axis {
    let axis = Axis::linear(name_of(key), unit_of(key));
    if presses(key) { axis.with_unit_kept() } else { axis }
}

/// A number of a model over which something is shown.
///
/// Figures and texts show an angular frequency ω that was written in Hz as the frequency ω/2π. Tables are in SI units.
pub struct Over {
    /// The key, from the top of the document.
    pub key: String,
    hertz: bool,
}

impl Over {
    /// The number at a key, which may have been written in Hz.
    pub fn new(key: impl Into<String>, in_hertz: bool) -> Self {
        let key = key.into();
        let hertz = in_hertz && unit_of(&key) == "rad/s";
        Self { key, hertz }
    }

    /// A value as figures show it.
    pub(super) fn drawn(&self, value: f64) -> f64 {
        if self.hertz { value / TAU } else { value }
    }

    /// A value as texts show it, to so many decimals, with its unit where that is not the SI unit.
    pub(super) fn said(&self, value: f64, decimals: usize) -> String {
        format!("{}{}", readable(self.drawn(value), decimals), if self.hertz { " Hz" } else { "" })
    }

    /// The same in a message, as short as it can be.
    pub(super) fn said_shortly(&self, value: f64) -> String {
        format!("{}{}", short(self.drawn(value)), if self.hertz { " Hz" } else { "" })
    }

    /// The head of a column of a text.
    pub(super) fn head(&self) -> &'static str {
        if self.hertz { "value (Hz)" } else { "value" }
    }

    /// Its name and its unit.
    pub(super) fn name_and_unit(&self, heading: &Heading) -> (String, &'static str) {
        let name = name_of(&self.key);
        if self.hertz {
            return (name.replacen("angular frequency", "frequency", 1), "Hz");
        }
        (name, unit_under(heading, &self.key))
    }

    /// Its axis, as long as its values.
    pub(super) fn axis(&self) -> Axis {
        self.loose_axis().tight()
    }

    /// The same with room at its ends.
    pub(super) fn loose_axis(&self) -> Axis {
        if !self.hertz {
            return loose_axis_of(&self.key);
        }
        Axis::linear(name_of(&self.key).replacen("angular frequency", "frequency", 1), "Hz")
    }
}

#[cfg(test)]
mod tests {
    use super::{Heading, name_of, named, unit_of};

    #[test]
    fn keys_have_the_units_of_the_reference() {
        for (key, unit) in [
            ("oscillator.force.0.harmonic.angular_frequency", "rad/s"),
            ("oscillator.force.0.harmonic.amplitude", "N"),
            ("oscillator.support.0.constant", "m/s"),
            ("oscillator.drive.0.ramp.rate", "m/s"),
            ("oscillator.drive.harmonic.amplitude", "m"),
            ("oscillator.friction.coulomb.force", "N"),
            ("oscillator.friction.stribeck-exponential.velocity", "m/s"),
            ("oscillator.stiffness", "N/m"),
            ("network.motion.0.ramp.rate", "m/s"),
            ("network.slider.0.static", "N"),
            ("network.controller.0.sample_time", "s"),
            ("network.controller.0.limit", "N"),
            ("network.controller.0.dither.0.harmonic.amplitude", "N"),
            ("network.controller.0.feed_forward.tanh.force", "N"),
            ("network.controller.0.feed_forward.tanh.velocity", "m/s"),
            ("network.controller.0.proportional", ""),
            ("network.gear.0.ratio", ""),
            ("network.gear.0.friction.force", "N"),
            ("oscillator.stops.restitution", ""),
            ("planar.base_x.0.harmonic.amplitude", "m/s²"),
            ("planar.force_y.0.harmonic.amplitude", "N"),
            ("planar.pendulum.radius", "m"),
            (
                "planar.force_x.0.harmonic.angular_frequency+planar.force_y.0.harmonic.angular_frequency",
                "rad/s",
            ),
        ] {
            assert_eq!(unit_of(key), unit, "{key}");
        }
    }

    /// A force that presses is one in a model that turns, too.
    #[test]
    fn what_turns_has_other_words_and_units() {
        let turning = Heading::new("", true);
        for (key, name, unit) in [
            ("oscillator.force.0.harmonic.amplitude", "amplitude of torque 0", "N·m"),
            ("oscillator.initial.velocity", "initial angular velocity", "rad/s"),
            (
                "network.force.0.harmonic.angular_frequency",
                "angular frequency of torque 0",
                "rad/s",
            ),
            ("oscillator.normal.0.constant", "normal 0", "N"),
        ] {
            assert_eq!(named(&turning, key), (name.to_owned(), unit), "{key}");
        }
    }

    #[test]
    fn axes_have_names_and_not_keys() {
        for (key, name) in [
            ("oscillator.drive.0.harmonic.angular_frequency", "angular frequency of drive 0"),
            ("oscillator.force.0.constant", "force 0"),
            ("oscillator.friction.static-dynamic.static", "static friction"),
            ("oscillator.friction.coulomb.force", "friction"),
            ("oscillator.friction.stribeck.velocity", "velocity of the friction law"),
            ("oscillator.initial.velocity", "initial velocity"),
            ("oscillator.stiffness", "stiffness"),
            ("network.slider.1.dynamic", "kinetic friction of slider 1"),
            ("network.controller.0.integral", "integral gain of controller 0"),
            ("network.controller.0.sample_time", "sample time of controller 0"),
            ("network.gear.1.ratio", "ratio of gear 1"),
            ("network.gear.1.friction.coefficient", "coefficient of friction of gear 1"),
            ("network.gear.1.friction.backward", "coefficient of backward friction of gear 1"),
            ("network.node.0.mass", "mass of node 0"),
            (
                "planar.force_x.0.harmonic.angular_frequency+planar.force_y.0.harmonic.angular_frequency",
                "angular frequency of force x 0 and force y 0",
            ),
            (
                "network.slider.0.static+network.node.1.mass",
                "static friction of slider 0 and mass of node 1",
            ),
        ] {
            assert_eq!(name_of(key), name, "{key}");
        }
    }
}
