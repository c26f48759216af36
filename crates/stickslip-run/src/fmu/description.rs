//! `modelDescription.xml`: what an importer must know before it loads the library.

use std::collections::BTreeSet;
use stickslip_file::interface::{Interface, Meaning, Variable};

/// The standard that an FMU follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Version {
    /// FMI 2.0.
    #[default]
    Two,
    /// FMI 3.0.
    Three,
}

impl Version {
    /// The version with this number.
    pub fn numbered(number: u8) -> Option<Self> {
        match number {
            2 => Some(Self::Two),
            3 => Some(Self::Three),
            _ => None,
        }
    }
}

/// What the description says beside the variables.
pub struct About<'a> {
    pub version: Version,
    /// The name of the model, and the one that the library has as a file.
    pub name: &'a str,
    pub identifier: &'a str,
    pub token: &'a str,
    /// The end of the run in the model file, s.
    pub end: f64,
    pub interface: &'a Interface,
    /// Event indicators, where model exchange is offered.
    pub indicators: Option<usize>,
}

/// Characters that XML has a use for, or that it forbids, replaced.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            // Not U+FFFD for all of them: two names must not become one.
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                out.push_str(&format!("(U+{:04X})", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out
}

impl About<'_> {
    /// The whole description.
    pub fn xml(&self) -> String {
        match self.version {
            Version::Two => self.two(),
            Version::Three => self.three(),
        }
    }

    fn variables(&self) -> impl Iterator<Item = (usize, &Variable)> {
        let offered = self.indicators.is_some();
        let all = self.interface.variables.iter().enumerate();
        let exchanged = |v: &Variable| {
            matches!(v.meaning, Meaning::Inner(_) | Meaning::Derivative(_) | Meaning::Indicator(_))
        };
        all.filter(move |(_, v)| offered || !exchanged(v))
    }

    /// The references of the states, in their order, and of their derivatives.
    fn states(&self) -> Vec<(usize, usize)> {
        let of =
            |wanted: Meaning| self.variables().find(|(_, v)| v.meaning == wanted).map(|(i, _)| i);
        let states = self.interface.states.iter().enumerate();
        states.filter_map(|(k, s)| Some((*s, of(Meaning::Derivative(k))?))).collect()
    }

    fn head(&self) -> String {
        let made = concat!("stickslip ", env!("CARGO_PKG_VERSION"));
        format!(
            "modelName=\"{}\" description=\"A model with dry friction\" generationTool=\"{made}\" \
             variableNamingConvention=\"flat\"",
            escaped(self.name)
        )
    }

    fn experiment(&self) -> String {
        let step = self.end / 1000.0;
        format!(
            "<DefaultExperiment startTime=\"0\" stopTime=\"{}\" stepSize=\"{step}\"/>\n",
            self.end
        )
    }

    /// The units of the variables, each once.
    fn units(&self) -> String {
        let units: BTreeSet<(String, &str)> = self
            .variables()
            .filter_map(|(_, v)| Some((plain(&v.unit)?, v.unit.as_str())))
            .collect();
        let one = |(name, unit): &(String, &str)| match base_unit(unit) {
            Some(base) => format!("<Unit name=\"{}\"><BaseUnit{base}/></Unit>\n", escaped(name)),
            None => format!("<Unit name=\"{}\"/>\n", escaped(name)),
        };
        units.iter().map(one).collect()
    }

    /// Whether the importer must say which steps it keeps: where it integrates nothing, events are told by those.
    fn looks_back(&self) -> bool {
        self.interface.states.is_empty()
    }

    // ---- FMI 2.0 ----

    fn two(&self) -> String {
        let identifier = self.identifier;
        let mut kinds = String::new();
        if self.indicators.is_some() {
            kinds.push_str(&format!(
                "<ModelExchange modelIdentifier=\"{identifier}\" canGetAndSetFMUstate=\"true\" \
                 canSerializeFMUstate=\"true\" providesDirectionalDerivative=\"true\"{}/>\n",
                if self.looks_back() { "" } else { " completedIntegratorStepNotNeeded=\"true\"" }
            ));
        }
        kinds.push_str(&format!(
            "<CoSimulation modelIdentifier=\"{identifier}\" canHandleVariableCommunicationStepSize=\"true\" \
             canInterpolateInputs=\"true\" canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\"/>\n"
        ));
        let indicators = self
            .indicators
            .map(|n| format!(" numberOfEventIndicators=\"{n}\""))
            .unwrap_or_default();
        let variables: String = self.variables().map(|(i, v)| self.scalar(i, v)).collect();
        self.document(
            "2.0",
            &format!("guid=\"{}\"{indicators}", self.token),
            &[kinds, variables, self.structure_two()],
        )
    }

    /// The whole description: the head of this `version`, with `own` attributes, and the kinds of FMU, the variables and
    /// the structure, which are written differently in each.
    fn document(
        &self,
        version: &str,
        own: &str,
        [kinds, variables, structure]: &[String; 3],
    ) -> String {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"{version}\" {} {own}>\n\
             {kinds}<UnitDefinitions>\n{}</UnitDefinitions>\n\
             <LogCategories><Category name=\"logStatusError\"/></LogCategories>\n{}\
             <ModelVariables>\n{variables}</ModelVariables>\n{structure}</fmiModelDescription>\n",
            self.head(),
            self.units(),
            self.experiment(),
        )
    }

    /// The place of a reference in the list of variables, from 1.
    fn index(&self, reference: usize) -> usize {
        self.variables().position(|(i, _)| i == reference).map_or(0, |i| i + 1)
    }

    fn scalar(&self, reference: usize, v: &Variable) -> String {
        let attributes = attributes(v);
        let (kind, derivative) = match v.meaning {
            _ if v.is_whole() => ("Integer", String::new()),
            Meaning::Derivative(k) => {
                let state = self.states().get(k).map_or(0, |s| self.index(s.0));
                ("Real", format!(" derivative=\"{state}\""))
            }
            _ => ("Real", String::new()),
        };
        format!(
            "<ScalarVariable name=\"{}\" valueReference=\"{reference}\" description=\"{}\" {attributes}><{kind}{}{derivative}/></ScalarVariable>\n",
            escaped(&v.name),
            escaped(&described(v)),
            numbers(v)
        )
    }

    /// Which variables follow from which.
    fn structure(&self) -> Structure {
        let outputs: Vec<usize> =
            self.variables().filter(|(_, v)| v.is_output()).map(|(i, _)| i).collect();
        let derivatives: Vec<usize> = self.states().iter().map(|s| s.1).collect();
        // States that are no outputs are calculated at the start, too.
        let states = self.states().into_iter().map(|s| s.0);
        let inner: Vec<usize> = states.filter(|s| !outputs.contains(s)).collect();
        let mut initial = [&outputs[..], &derivatives, &inner].concat();
        initial.sort_unstable();
        Structure { outputs, derivatives, initial }
    }

    fn structure_two(&self) -> String {
        let list = |of: &[usize]| -> String {
            of.iter().map(|i| format!("<Unknown index=\"{}\"/>", self.index(*i))).collect()
        };
        let Structure { outputs, derivatives, initial } = self.structure();
        let derivatives = match derivatives.is_empty() {
            true => String::new(),
            false => format!("<Derivatives>{}</Derivatives>\n", list(&derivatives)),
        };
        format!(
            "<ModelStructure>\n<Outputs>{}</Outputs>\n{derivatives}<InitialUnknowns>{}</InitialUnknowns>\n</ModelStructure>\n",
            list(&outputs),
            list(&initial)
        )
    }

    // ---- FMI 3.0 ----

    fn three(&self) -> String {
        let identifier = self.identifier;
        let common = "canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\"";
        let mut kinds = String::new();
        if self.indicators.is_some() {
            kinds.push_str(&format!(
                "<ModelExchange modelIdentifier=\"{identifier}\" {common} providesDirectionalDerivatives=\"true\"{}/>\n",
                if self.looks_back() { " needsCompletedIntegratorStep=\"true\"" } else { "" }
            ));
        }
        kinds.push_str(&format!(
            "<CoSimulation modelIdentifier=\"{identifier}\" {common} canHandleVariableCommunicationStepSize=\"true\" \
             mightReturnEarlyFromDoStep=\"true\" canReturnEarlyAfterIntermediateUpdate=\"true\" \
             providesIntermediateUpdate=\"true\"/>\n"
        ));
        let variables: String = self.variables().map(|(i, v)| self.typed(i, v)).collect();
        self.document(
            "3.0",
            &format!("instantiationToken=\"{}\"", self.token),
            &[kinds, variables, self.structure_three()],
        )
    }

    fn typed(&self, reference: usize, v: &Variable) -> String {
        let attributes = attributes(v);
        let kind = if v.is_whole() { "Int32" } else { "Float64" };
        let derivative = match v.meaning {
            Meaning::Derivative(k) => {
                self.states().get(k).map(|s| format!(" derivative=\"{}\"", s.0))
            }
            _ => None,
        };
        format!(
            "<{kind} name=\"{}\" valueReference=\"{reference}\" description=\"{}\" {attributes}{}{}/>\n",
            escaped(&v.name),
            escaped(&described(v)),
            numbers(v),
            derivative.unwrap_or_default()
        )
    }

    fn structure_three(&self) -> String {
        let line = |what: &str, i: usize| format!("<{what} valueReference=\"{i}\"/>\n");
        let Structure { outputs, derivatives, initial } = self.structure();
        let mut out = String::from("<ModelStructure>\n");
        out.extend(outputs.iter().map(|i| line("Output", *i)));
        out.extend(derivatives.iter().map(|i| line("ContinuousStateDerivative", *i)));
        out.extend(initial.iter().map(|i| line("InitialUnknown", *i)));
        let indicators =
            self.variables().filter(|(_, v)| matches!(v.meaning, Meaning::Indicator(_)));
        out.extend(indicators.map(|(i, _)| line("EventIndicator", i)));
        out + "</ModelStructure>\n"
    }
}

/// References of the variables that others see, in the order of the standard.
struct Structure {
    outputs: Vec<usize>,
    derivatives: Vec<usize>,
    /// What is calculated at the start.
    initial: Vec<usize>,
}

/// What others may do with a variable, and how it changes: both versions of the standard say it alike.
fn attributes(v: &Variable) -> &'static str {
    match v.meaning {
        Meaning::Time => "causality=\"independent\" variability=\"continuous\"",
        Meaning::Input(_) | Meaning::Rate(_) => "causality=\"input\" variability=\"continuous\"",
        Meaning::Parameter(_) if v.tunable => {
            "causality=\"parameter\" variability=\"tunable\" initial=\"exact\""
        }
        Meaning::Parameter(_) => "causality=\"parameter\" variability=\"fixed\" initial=\"exact\"",
        Meaning::Inner(_) | Meaning::Derivative(_) | Meaning::Indicator(_) => {
            "causality=\"local\" variability=\"continuous\" initial=\"calculated\""
        }
        _ if v.is_whole() => "causality=\"output\" variability=\"discrete\" initial=\"calculated\"",
        _ => "causality=\"output\" variability=\"continuous\" initial=\"calculated\"",
    }
}

/// Unit, least value and start of a variable.
fn numbers(v: &Variable) -> String {
    let unit = plain(&v.unit).filter(|_| !v.is_whole());
    let unit = unit.map(|u| format!(" unit=\"{}\"", escaped(&u)));
    let least = v.least.map(|m| format!(" min=\"{m:?}\""));
    let start = v.start.map(|s| format!(" start=\"{s:?}\""));
    [unit, least, start].into_iter().flatten().collect()
}

/// A unit in ASCII, as Modelica writes it: `N.s/m2`. Nothing where it cannot: Modelica has no roots.
fn plain(unit: &str) -> Option<String> {
    let name = unit.replace('·', ".").replace('²', "2").replace('³', "3");
    (!name.is_empty() && name.is_ascii()).then_some(name)
}

/// What a variable is, in a line, with its unit where that can stand nowhere else.
fn described(v: &Variable) -> String {
    match plain(&v.unit) {
        None if !v.unit.is_empty() => format!("{} ({})", v.description, v.unit),
        _ => v.description.clone(),
    }
}

/// A unit in the base units of the SI, as attributes.
fn base_unit(unit: &str) -> Option<String> {
    let mut powers = [0_i32; 4]; // kg, m, s, rad
    for (place, part) in unit.split('/').enumerate() {
        let sign = if place == 0 { 1 } else { -1 };
        for factor in part.split('·') {
            let (name, power) = match (factor.strip_suffix('²'), factor.strip_suffix('³')) {
                (Some(name), _) => (name, 2),
                (_, Some(name)) => (name, 3),
                _ => (factor, 1),
            };
            let [kg, m, s, rad] = match name {
                "1" => [0, 0, 0, 0],
                "kg" => [1, 0, 0, 0],
                "m" => [0, 1, 0, 0],
                "s" => [0, 0, 1, 0],
                "rad" => [0, 0, 0, 1],
                "N" => [1, 1, -2, 0],
                "J" => [1, 2, -2, 0],
                "W" => [1, 2, -3, 0],
                _ => return None,
            };
            for (to, n) in powers.iter_mut().zip([kg, m, s, rad]) {
                *to += sign * power * n;
            }
        }
    }
    let named = ["kg", "m", "s", "rad"].into_iter().zip(powers).filter(|p| p.1 != 0);
    Some(named.map(|(name, n)| format!(" {name}=\"{n}\"")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_those_of_the_si() {
        assert_eq!(base_unit("N·s/m").as_deref(), Some(" kg=\"1\" s=\"-1\""));
        assert_eq!(base_unit("m/s²").as_deref(), Some(" m=\"1\" s=\"-2\""));
        assert_eq!(base_unit("N/s").as_deref(), Some(" kg=\"1\" m=\"1\" s=\"-3\""));
        assert_eq!(base_unit("N/mⁿ"), None);
        assert_eq!(base_unit("N·s³/m³").as_deref(), Some(" kg=\"1\" m=\"-2\" s=\"1\""));
    }

    #[test]
    fn units_are_written_as_modelica_writes_them() {
        for (unit, name) in
            [("N·s/m", "N.s/m"), ("m/s²", "m/s2"), ("N·m/rad", "N.m/rad"), ("kg", "kg")]
        {
            assert_eq!(plain(unit).as_deref(), Some(name));
        }
        assert_eq!([plain("N·√s"), plain("N/mⁿ"), plain("")], [None, None, None]);
    }

    #[test]
    fn texts_are_escaped() {
        assert_eq!(escaped("a<b & \"c\""), "a&lt;b &amp; &quot;c&quot;");
    }
}
