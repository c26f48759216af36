//! A fitted servo as a joint of other simulators: MJCF, URDF, USD.
//!
//! They know dry friction, viscous friction, an armature and an actuator that follows a position; MuJoCo knows LuGre's friction
//! besides. What that leaves out costs an error on the logs, which the fit has measured and which stands in the file that is written.

use std::f64::consts::PI;
use stickslip_calibrate::joint::SimplifiedBristle;
use stickslip_file::joint_fit::{JointFit, Simplified, SoughtNumber, no_fit};
use stickslip_file::{Resources, Result};

/// The form of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointFormat {
    /// MuJoCo.
    Mjcf,
    /// ROS.
    Urdf,
    /// OpenUSD with the schemas of UsdPhysics and PhysX (Isaac).
    Usd,
}

impl JointFormat {
    /// By its name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "mjcf" => Some(Self::Mjcf),
            "urdf" => Some(Self::Urdf),
            "usd" => Some(Self::Usd),
            _ => None,
        }
    }
}

/// The numbers that simulators have.
struct Plain {
    friction: f64,
    /// Viscous friction and counter-voltage, N·m·s/rad.
    damping: f64,
    /// The counter-voltage alone; none of it under a controlled current, N·m·s/rad.
    braking: f64,
    armature: f64,
    /// N·m/rad.
    stiffness: f64,
    /// What the controller gives against the speed, N·m·s/rad.
    derivative: f64,
    /// N·m.
    largest: f64,
    /// rad/s at which the motor has no torque left.
    fastest: f64,
    delay: f64,
    speed_limit: Option<f64>,
    gain: f64,
    /// What is said of the angle at which the load hangs.
    hangs: Option<String>,
    /// Mean absolute error of the full model and of this one, with and without the delay and the limit of the goal, rad.
    errors: [f64; 3],
    /// LuGre's friction in place of the dry one, where the gear has a bristle.
    lugre: Option<Lugre>,
}

/// Friction with a bristle, as MuJoCo has it.
struct Lugre {
    bristle: SimplifiedBristle,
    /// In slip, N·m.
    friction: f64,
    /// Viscous friction and counter-voltage, N·m·s/rad.
    damping: f64,
    /// Mean absolute error with goals that are delayed and limited, rad.
    error: f64,
}

impl Lugre {
    fn of(found: &Simplified, braking: f64) -> Option<Self> {
        let damping = found.viscous + braking;
        let bristle = found.bristle?;
        Some(Self { bristle, friction: found.friction, damping, error: found.error })
    }
}

/// The joint that a fit in the folder `folder` of results has found, as text.
///
/// # Errors
/// Where there is no `fit.json` of a servo with many logs in the folder.
pub fn joint_export(
    resources: &dyn Resources,
    folder: &str,
    format: JointFormat,
) -> Result<String> {
    let (name, bytes) = JointFit::bytes_in(resources, folder)?;
    let fit = JointFit::read(&name, &bytes)?;
    let plain = plain(&fit).ok_or_else(|| no_fit(&name))?;
    Ok(match format {
        JointFormat::Mjcf => mjcf(&plain),
        JointFormat::Urdf => urdf(&plain),
        JointFormat::Usd => usd(&plain),
    })
}

/// A speed that no joint reaches, rad/s: a controlled current has no fastest one, and URDF wants a number.
const NEVER: f64 = 1e4;

fn plain(fit: &JointFit) -> Option<Plain> {
    let drive = &fit.joint.drive;
    let alone = fit.simplified("alone")?;
    let with_drive = fit.simplified("with-drive")?;
    let full = fit.error.and_then(|error| error.held_out.or(error.fitted))?;
    let gain = fit.usual_gain?;
    let supply = fit.usual_supply?;
    let per_volt = drive.per_volt();
    let braking = drive.braking();
    Some(Plain {
        friction: with_drive.friction,
        damping: with_drive.viscous + braking,
        braking,
        armature: fit.joint.gear.armature,
        stiffness: per_volt * supply * gain * drive.gain,
        derivative: per_volt * supply * drive.derivative,
        largest: per_volt * supply * drive.limit,
        fastest: match drive.current {
            true => NEVER,
            false => supply * drive.limit / drive.torque_constant,
        },
        delay: drive.delay,
        speed_limit: Some(drive.speed_limit).filter(|limit| limit.is_finite()),
        gain,
        hangs: hangs(fit),
        errors: [full, with_drive.error, alone.error],
        lugre: fit.simplified("lugre").and_then(|found| Lugre::of(found, braking)),
    })
}

/// The angle at which the load hangs where it is not 0: one for each mounting that was sought, or the one of all.
fn hangs(fit: &JointFit) -> Option<String> {
    let of_mounting = |(key, found): (&String, &SoughtNumber)| {
        let name = key.strip_prefix("vertical[")?.strip_suffix(']')?;
        Some(format!("{name}: {:.4}", found.value?))
    };
    let each: Vec<String> = fit.parameters.iter().filter_map(of_mounting).collect();
    if !each.is_empty() {
        let all = each.join(", ");
        return Some(format!(
            "The load hangs at other angles than 0, rad, by its mounting: {all}."
        ));
    }
    let [first, rest @ ..] = fit.joint.vertical;
    let is_one = first != 0.0 && rest.iter().all(|angle| *angle == first);
    is_one.then(|| format!("The load hangs at {first:.4} rad and not at 0."))
}

/// What the reader of the file must know, line by line.
fn remarks(p: &Plain) -> Vec<String> {
    let [full, with_drive, alone] = p.errors;
    let mut said = vec![
        format!("Mean absolute error of the angle on the logs: {full:.4} rad with the full model,"),
        format!(
            "{with_drive:.4} rad with this joint if the goals are sent as below, {alone:.4} rad if they are sent as they are."
        ),
        format!("The gain is that of a log with the factor {}; it grows in proportion.", p.gain),
    ];
    if p.braking > 0.0 {
        said.push(
            "The damping holds the counter-voltage: while the motor is switched off it is less."
                .to_owned(),
        );
    }
    said.extend(p.hangs.clone());
    if p.delay > 0.0 {
        said.push(format!("Delay the goals by {:.4} s.", p.delay));
    }
    if let Some(limit) = p.speed_limit {
        said.push(format!("Let the goals move by at most {limit:.4} rad/s."));
    }
    said
}

/// MuJoCo's joint with LuGre's friction: a `dcmotor` without input and without a motor beside the actuator.
fn with_lugre(p: &Plain, lugre: &Lugre, position: &str) -> String {
    let [_, with_drive, _] = p.errors;
    let b = &lugre.bristle;
    let mut said = remarks(p);
    said.insert(2, format!(
        "The two are those of a joint with `frictionloss`. With the bristle (LuGre) below it is {:.4} rad in place of {with_drive:.4} rad.",
        lugre.error
    ));
    said.push("The actuators of a joint are both: <position> and <dcmotor>, which has no input. MuJoCo 4.0 or later.".to_owned());
    format!(
        "<mujoco>\n  <!--\n    {}\n  -->\n  <default>\n    <default class=\"servo\">\n      \
         <joint frictionloss=\"0\" damping=\"{:.6}\" armature=\"{:.6}\"/>\n      {position}\n      \
         <dcmotor input=\"none\" motorconst=\"0 0\" resistance=\"1\" lugre=\"{:.6} {:.6} {:.6} {:.6} {:.6}\"/>\n    \
         </default>\n  </default>\n</mujoco>\n",
        said.join("\n    "),
        lugre.damping,
        p.armature,
        b.stiffness,
        b.damping,
        lugre.friction,
        b.at_rest,
        b.velocity
    )
}

fn mjcf(p: &Plain) -> String {
    let force = match p.largest.is_finite() {
        true => format!(" forcerange=\"{:.6} {:.6}\"", -p.largest, p.largest),
        false => String::new(),
    };
    let derivative = match p.derivative > 0.0 {
        true => format!(" kv=\"{:.6}\"", p.derivative),
        false => String::new(),
    };
    let position = format!("<position kp=\"{:.6}\"{derivative}{force}/>", p.stiffness);
    if let Some(lugre) = &p.lugre {
        return with_lugre(p, lugre, &position);
    }
    format!(
        "<mujoco>\n  <!--\n    {}\n  -->\n  <default>\n    <default class=\"servo\">\n      \
         <joint frictionloss=\"{:.6}\" damping=\"{:.6}\" armature=\"{:.6}\"/>\n      \
         {position}\n    </default>\n  </default>\n</mujoco>\n",
        remarks(p).join("\n    "),
        p.friction,
        p.damping,
        p.armature
    )
}

fn urdf(p: &Plain) -> String {
    let limit = match p.largest.is_finite() {
        true => format!("  <limit effort=\"{:.6}\" velocity=\"{:.6}\"/>\n", p.largest, p.fastest),
        false => String::new(),
    };
    let derivative = match p.derivative > 0.0 {
        true => format!(" and {:.6} N m s/rad against the speed", p.derivative),
        false => String::new(),
    };
    format!(
        "<!--\n  {}\n  URDF has no armature and no gain: add {:.6} kg m2 about the axis to the link, and follow the goals \
         with {:.6} N m/rad{derivative}.\n-->\n<joint name=\"servo\" type=\"continuous\">\n{limit}  <dynamics damping=\"{:.6}\" friction=\"{:.6}\"/>\n</joint>\n",
        remarks(p).join("\n  "),
        p.armature,
        p.stiffness,
        p.damping,
        p.friction
    )
}

/// Angles are in degrees in USD: stiffness and damping are for each degree.
fn usd(p: &Plain) -> String {
    let each_degree = PI / 180.0;
    let force = match p.largest.is_finite() {
        true => format!("    float drive:angular:physics:maxForce = {:.6}\n", p.largest),
        false => String::new(),
    };
    let remarks: String = remarks(p).iter().map(|r| format!("# {r}\n")).collect();
    format!(
        "#usda 1.0\n{remarks}over \"servo\" (\n    prepend apiSchemas = [\"PhysicsDriveAPI:angular\", \"PhysxJointAxisAPI:angular\"]\n)\n{{\n    \
         float drive:angular:physics:stiffness = {:.9}\n    float drive:angular:physics:damping = {:.9}\n{force}    \
         float physxJointAxis:angular:armature = {:.9}\n    float physxJointAxis:angular:staticFrictionEffort = {:.9}\n    \
         float physxJointAxis:angular:dynamicFrictionEffort = {:.9}\n    \
         float physxJointAxis:angular:viscousFrictionCoefficient = {:.9}\n}}\n",
        p.stiffness * each_degree,
        p.derivative * each_degree,
        p.armature,
        p.friction,
        p.friction,
        p.damping * each_degree
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip_file::Memory;

    /// k 2, R 4, 12 V, duty 0.5 for each radian: 3 N·m/rad, 6 N·m, 1 N·m·s/rad of counter-voltage, 6 rad/s.
    const FIT: &str = r#"{"joint": {"drive": {"gain": 0.25, "delay": 0.03, "speed_limit": 4.9, "start": 0.0, "derivative": 0.0,
        "limit": 1.0, "torque_constant": 2.0, "resistance": 4.0, "tick": 0.0, "current": false}, "gear": {"ways": [WAY, WAY],
        "armature": 0.02}, "vertical": 0.0}, "usual_gain": 2.0, "usual_supply": 12.0, "error": {"fitted": 0.02,
        "held_out": 0.011, "repeatability": null}, "simplified": [{"what": "with-drive", "friction": 0.17, "viscous": 0.02,
        "error": 0.0144}, {"what": "alone", "friction": 0.2, "viscous": 0.5, "error": 0.05}], "parameters": {}}"#;
    const WAY: &str = r#"{"dynamic": 0.1, "drop": 0.0, "velocity": 1.0, "exponent": 1.0, "viscous": 0.0, "quadratic": 0.0,
        "external": 0.0, "motor": 0.0, "rest": 0.0, "driving": 0.0, "back_driven": 0.0}"#;

    /// The export of the fit in which `from` is `to`.
    fn with(from: &str, to: &str, format: JointFormat) -> String {
        assert!(FIT.contains(from), "{from}");
        let fit = FIT.replacen(from, to, 1).replace("WAY", WAY);
        joint_export(&Memory::default().with("out/fit.json", fit), "out/", format).unwrap()
    }

    fn of(format: JointFormat) -> String {
        with("", "", format)
    }

    /// Under a controlled current there is no counter-voltage to speak of.
    #[test]
    fn the_counter_voltage_is_told_only_where_there_is_one() {
        let said = "The damping holds the counter-voltage";
        assert!(of(JointFormat::Urdf).contains(said));
        let text = with("\"current\": false", "\"current\": true", JointFormat::Urdf);
        assert!(!text.contains(said) && text.contains("<dynamics"), "{text}");
    }

    #[test]
    fn the_numbers_are_those_of_the_fit() {
        let mjcf = of(JointFormat::Mjcf);
        for part in [
            "frictionloss=\"0.170000\" damping=\"1.020000\" armature=\"0.020000\"",
            "kp=\"3.000000\" forcerange=\"-6.000000 6.000000\"",
            "0.0110 rad with the full model",
            "0.0144 rad with this joint",
            "Delay the goals by 0.0300 s.",
        ] {
            assert!(mjcf.contains(part), "{part}: {mjcf}");
        }
        let urdf = of(JointFormat::Urdf);
        assert!(urdf.contains("<dynamics damping=\"1.020000\" friction=\"0.170000\"/>"), "{urdf}");
        assert!(urdf.contains("<limit effort=\"6.000000\" velocity=\"6.000000\"/>"), "{urdf}");
        // 3 N·m/rad are 0.0523599 N·m for each degree.
        let usd = of(JointFormat::Usd);
        assert!(usd.contains("physics:stiffness = 0.052359878"), "{usd}");
        assert!(usd.contains("viscousFrictionCoefficient = 0.017802358"), "{usd}");
    }

    /// 0.1 of duty for each rad/s, with 12 V and k/R = 0.5: 0.6 N·m·s/rad, 0.010471976 for each degree.
    #[test]
    fn the_derivative_of_the_controller_is_that_of_the_actuator() {
        let of = |format| with("\"derivative\": 0.0", "\"derivative\": 0.1", format);
        let mjcf = of(JointFormat::Mjcf);
        assert!(mjcf.contains("kp=\"3.000000\" kv=\"0.600000\" forcerange"), "{mjcf}");
        let urdf = of(JointFormat::Urdf);
        assert!(urdf.contains("and 0.600000 N m s/rad against the speed."), "{urdf}");
        let usd = of(JointFormat::Usd);
        assert!(usd.contains("physics:damping = 0.010471976"), "{usd}");
    }

    #[test]
    fn the_angle_at_which_the_load_hangs_is_told() {
        let said = |parameters: &str| {
            let parameters = format!("\"parameters\": {parameters}");
            with("\"parameters\": {}", &parameters, JointFormat::Mjcf)
        };
        let each = r#"{"vertical[0.5]": {"value": 0.01884}, "vertical[0.7]": {"value": -0.0061}, "resistance": {"value": 4.0}}"#;
        let told = "The load hangs at other angles than 0, rad, by its mounting: 0.5: 0.0188, 0.7: -0.0061.";
        assert!(said(each).contains(told), "{}", said(each));
        assert!(!said(r#"{"resistance": {"value": 4.0}}"#).contains("hangs"));
        let of_all = with("\"vertical\": 0.0", "\"vertical\": 0.02", JointFormat::Urdf);
        assert!(of_all.contains("The load hangs at 0.0200 rad and not at 0."), "{of_all}");
    }

    /// A bristle is a `dcmotor` of MuJoCo; its damping is the viscous friction of that fit, 0.015, and the counter-voltage, 1.
    #[test]
    fn a_bristle_is_that_of_mujoco() {
        let from = r#"{"what": "alone","#;
        let bristle = r#"{"what": "lugre", "friction": 0.06, "viscous": 0.015, "error": 0.0125, "bristle": {"stiffness": 20.0,
            "damping": 0.02, "static": 0.09, "velocity": 0.2}}, {"what": "alone","#;
        let mjcf = with(from, bristle, JointFormat::Mjcf);
        for part in [
            "frictionloss=\"0\" damping=\"1.015000\" armature=\"0.020000\"",
            "<dcmotor input=\"none\" motorconst=\"0 0\" resistance=\"1\" lugre=\"20.000000 0.020000 0.060000 0.090000 0.200000\"/>",
            "it is 0.0125 rad in place of 0.0144 rad.",
            "kp=\"3.000000\" forcerange",
        ] {
            assert!(mjcf.contains(part), "{part}: {mjcf}");
        }
        assert!(!with(from, bristle, JointFormat::Urdf).contains("lugre"));
    }

    /// A servo whose limits are infinite: they are null in JSON.
    #[test]
    fn what_is_infinite_is_not_exported() {
        let free = with("\"limit\": 1.0", "\"limit\": null", JointFormat::Mjcf);
        assert!(!free.contains("forcerange"), "{free}");
        let fast = with("\"speed_limit\": 4.9", "\"speed_limit\": null", JointFormat::Mjcf);
        assert!(!fast.contains("Let the goals move"), "{fast}");
    }

    #[test]
    fn another_fit_is_refused() {
        let files = Memory::default().with("out/fit.json", r#"{"parameters": {}}"#);
        let said = joint_export(&files, "out", JointFormat::Usd).unwrap_err();
        assert!(said.message().contains("is not the fit of a servo"), "{}", said.message());
        assert!(joint_export(&files, "elsewhere", JointFormat::Usd).is_err());
    }
}
