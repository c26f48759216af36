//! Words of other programs, books and habits, and how they are written here.

/// What to write in place of a key that does not exist; `table` is the path of the table that it stands in.
pub fn of_key(key: &str, table: &str) -> Option<String> {
    let key = key.to_lowercase().replace('_', "-");
    let of = |list: &[&str]| list.contains(&key.as_str());
    let kind = table.split('.').next().filter(|t| !t.is_empty()).unwrap_or("oscillator");
    let in_law = table.contains("friction") || table.contains("slider");
    Some(if key == "average" && table.starts_with("data") {
        "means over intervals are compared with the means of a motion where the whole motion is computed: in the kinds `thermal-bearing` and `model`, and \
         in `servo` of single logs under a goal. This kind reads slips, reversals or forces from the rows, and a mean smooths them: \
         record readings"
            .into()
    } else if of(&["belt", "belt-velocity", "belt-speed", "conveyor", "surface"]) {
        "a surface that moves is the support: write [[oscillator.support]] and below it `constant = SPEED`, in m/s".into()
    } else if of(&["gravity", "g", "weight", "gravitational-acceleration"]) {
        format!(
            "write the weight as a signal, in N: [[{kind}.normal]] with `constant = MASS * 9.81` where it presses the contact, \
             [[{kind}.force]] where it acts along the motion"
        )
    } else if of(&["inertia", "moment-of-inertia", "rotational-inertia"]) {
        "write a moment of inertia, in kg·m², as `mass`; displacements are then rad and forces N·m"
            .into()
    } else if of(&[
        "mu",
        "mu-s",
        "mu-k",
        "mu-d",
        "mus",
        "muk",
        "mud",
        "coefficient",
        "friction-coefficient",
    ]) {
        if in_law {
            "with a normal force the numbers of the law are coefficients: write them under the law's own keys, and add \
             [[oscillator.normal]] (or `normal` of the slider) with `constant = NORMAL FORCE`, in N"
                .into()
        } else {
            "write `friction.coulomb.force = MU` (or `friction.static-dynamic`), and add [[oscillator.normal]] with \
             `constant = NORMAL FORCE`, in N: with a normal force the numbers of the law are coefficients"
                .into()
        }
    } else if !in_law && of(&["k", "spring", "spring-constant"]) {
        "the spring is `stiffness`, in N/m".into()
    } else if !in_law
        && of(&["c", "damper", "dashpot", "viscous-damping"])
        && !table.starts_with("network")
    {
        "the damper is `damping`, in N·s/m".into()
    } else if of(&["m"]) {
        "the mass is `mass`, in kg".into()
    } else if of(&["x0", "v0", "initial-displacement", "initial-velocity"]) {
        format!("write [{kind}.initial] with `displacement`, in m, and `velocity`, in m/s")
    } else {
        return None;
    })
}

/// What to write in place of a signal that does not exist.
pub fn of_signal(name: &str) -> Option<&'static str> {
    let sine = "write `harmonic = { amplitude = …, angular_frequency = …, phase = -1.5707963267948966 }`: it is \
                amplitude·cos(angular_frequency·t + phase), with the phase −π/2 a sine";
    match name.to_lowercase().as_str() {
        "sine" | "sin" | "sinus" | "sinusoid" | "sinusoidal" => Some(sine),
        "cosine" | "cos" => Some(
            "write `harmonic = { amplitude = …, angular_frequency = … }`: it is amplitude·cos(angular_frequency·t + phase)",
        ),
        "table" | "csv" | "file" | "data" | "measured" | "series" => {
            Some("write `sampled = { file = \"….csv\", time = \"COLUMN\", value = \"COLUMN\" }`")
        }
        "noise" | "random" | "gaussian" => Some(
            "write `ornstein-uhlenbeck = { rate = …, intensity = … }`, or, of a force, `white = { intensity = … }`",
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_other_programs_are_known() {
        for (key, table, says) in [
            ("belt", "oscillator", "[[oscillator.support]]"),
            ("belt_velocity", "oscillator", "[[oscillator.support]]"),
            ("gravity", "oscillator", "[[oscillator.normal]]"),
            ("g", "impact", "[[impact.force]]"),
            ("inertia", "oscillator", "`mass`"),
            ("mu", "oscillator", "friction.coulomb.force"),
            ("mu", "oscillator.friction.coulomb", "coefficients"),
            ("mu_s", "oscillator.friction.static-dynamic", "coefficients"),
            ("k", "oscillator", "`stiffness`"),
            ("c", "oscillator", "`damping`"),
            ("x0", "cascade", "[cascade.initial]"),
            ("average", "data", "record readings"),
        ] {
            let hint = of_key(key, table).unwrap_or_else(|| panic!("{key}"));
            assert!(hint.contains(says), "{key}: {hint}");
        }
        assert_eq!(of_key("stifness", "oscillator"), None);
        assert!(of_signal("sine").unwrap().contains("-1.5707963267948966"));
        assert_eq!(of_signal("harmonik"), None);
    }
}
