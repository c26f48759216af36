//! Units of the numbers of a model, by their keys.

/// The unit of the number at `key`, such as `oscillator.force.0.harmonic.amplitude`; empty where it has none, or it is not known.
pub(super) fn unit_of(key: &str) -> &'static str {
    let parts: Vec<&str> = key.split('.').collect();
    let last = parts.last().copied().unwrap_or_default();
    let is = |name: &str| parts.contains(&name);
    let network = parts.first() == Some(&"network");
    // What a signal stands for, and what it is in a second.
    let (signal, rate) = match () {
        () if is("friction") => ("N", "N/s"),
        () if is("force") => ("N", "N/s"),
        () if is("normal") => ("N", "N/s"),
        () if is("support") => ("m/s", "m/s²"),
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
        "displacement" | "upper" | "lower" => "m",
        "velocity" if network || is("initial") => "m/s",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::unit_of;

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
            ("oscillator.stops.restitution", ""),
        ] {
            assert_eq!(unit_of(key), unit, "{key}");
        }
    }
}
