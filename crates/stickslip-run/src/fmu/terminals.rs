//! `terminalsAndIcons.xml` of FMI 3.0: the flanges, so that a tool connects what belongs together with one line.
//!
//! A flange has the members of a flange in Modelica: `s` (or `phi`), `v` (or `w`), `f` (or `tau`).

use super::description::escaped;
use stickslip_file::interface::{Interface, Variable};

/// The names of a flange's members where it moves straight on, and where it turns.
const MEMBERS: [[&str; 3]; 2] = [["s", "v", "f"], ["phi", "w", "tau"]];

/// A flange: its name, and the variables that it has for position, velocity and force.
type Flange = (String, [Option<String>; 3]);

/// The flanges of a model by the names of its variables.
fn flanges(interface: &Interface) -> Vec<Flange> {
    let find = |name: String| interface.variables.iter().find(|v| v.name == name);
    let named = |names: [&str; 3], end: &str| {
        names.map(|n| {
            if n.is_empty() { None } else { find(format!("{n}{end}")).map(|v| v.name.clone()) }
        })
    };
    if find("velocity".to_owned()).is_some() && find("deflection".to_owned()).is_some() {
        return vec![("flange".to_owned(), named(["", "velocity", "friction"], ""))];
    }
    if find("displacement".to_owned()).is_some() {
        let members = ["displacement", "displacement_rate", "spring_force"];
        return vec![("flange".to_owned(), named(members, ""))];
    }
    let mut all = vec![
        ("flange".to_owned(), named(["x", "v", "force"], "")),
        ("drive".to_owned(), named(["drive", "drive_rate", ""], "")),
        ("support".to_owned(), named(["", "support", "friction"], "")),
    ];
    let nodes = interface.variables.iter().filter_map(|v| v.name.strip_prefix("x_"));
    all.extend(nodes.map(|node| {
        let end = format!("_{node}");
        (format!("flange{end}"), named(["x", "v", "force"], &end))
    }));
    all.retain(|(_, members)| members.iter().flatten().count() > 1);
    all
}

/// The file; `None` for a model without flanges.
pub fn xml(interface: &Interface) -> Option<String> {
    let turns =
        interface.variables.iter().any(|v: &Variable| v.name == "velocity" && v.unit == "rad/s");
    let names = MEMBERS[usize::from(turns)];
    let flanges = flanges(interface);
    let member = |(name, of): (&str, &String)| {
        let of = escaped(of);
        format!(
            "<TerminalMemberVariable variableName=\"{of}\" memberName=\"{name}\" variableKind=\"signal\"/>\n"
        )
    };
    let one = |(name, members): &Flange| {
        let given = names.into_iter().zip(members).filter_map(|(n, m)| Some((n, m.as_ref()?)));
        let members: String = given.map(member).collect();
        format!(
            "<Terminal name=\"{}\" matchingRule=\"bus\" description=\"A mechanical flange: position, velocity and force\">\n\
             {members}</Terminal>\n",
            escaped(name)
        )
    };
    let all: String = flanges.iter().map(one).collect();
    (!flanges.is_empty()).then(|| {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiTerminalsAndIcons fmiVersion=\"3.0\">\n\
             <Terminals>\n{all}</Terminals>\n</fmiTerminalsAndIcons>\n"
        )
    })
}
