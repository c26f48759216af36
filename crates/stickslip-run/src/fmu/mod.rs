//! A model as an FMU, for other simulators: FMI 2.0 and 3.0.

mod description;
mod document;
mod library;
mod terminals;
mod zip;

use crate::input::Input;
pub use description::Version;
use description::{About, escaped};
use serde_json::{Value, json};
use std::path::Path;
use stickslip_file::interface::{Exported, Interface, Meaning};
use stickslip_file::joint_fit::{JointFit, no_fit};
use stickslip_file::joint_unit::{self, FIT, JointUnit};
use stickslip_file::{Diagnostic, Remedy, Resources, Result};
use zip::Zip;

/// The platforms that FMI names: as FMI 3.0 and as FMI 2.0 does, and how the names of their libraries end.
const PLATFORMS: [(&str, &str, &str); 6] = [
    ("x86_64-linux", "linux64", "so"),
    ("aarch64-linux", "aarch64-linux", "so"),
    ("x86_64-windows", "win64", "dll"),
    ("aarch64-windows", "aarch64-windows", "dll"),
    ("x86_64-darwin", "darwin64", "dylib"),
    ("aarch64-darwin", "aarch64-darwin", "dylib"),
];

/// The library of this platform, where the program carries it.
#[cfg(feature = "fmu")]
const CARRIED: Option<&[u8]> = Some(include_bytes!(env!("STICKSLIP_FMI_LIBRARY")));
#[cfg(not(feature = "fmu"))]
const CARRIED: Option<&[u8]> = None;

/// How a model becomes an FMU.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Fmu {
    /// The standard.
    pub version: Version,
    /// What the model is called; by default its file.
    pub name: String,
    /// Libraries for further platforms: the platform, and the file.
    pub libraries: Vec<(String, String)>,
    /// Where the library for this platform is looked for if the program does not carry it.
    pub beside: Vec<String>,
}

impl Fmu {
    /// Files of libraries that may be read.
    fn files(&self) -> impl Iterator<Item = &String> {
        self.libraries.iter().map(|(_, file)| file).chain(&self.beside)
    }
}

/// A platform and its library, from `PLATFORM=FILE`.
///
/// # Errors
/// Where there is no `=`.
pub fn library(text: &str) -> std::result::Result<(String, String), &'static str> {
    let (platform, file) = text.split_once('=').ok_or("expected PLATFORM=FILE")?;
    Ok((platform.to_owned(), file.to_owned()))
}

/// An FMU.
#[derive(Debug, Clone)]
pub struct Package {
    /// The file.
    pub bytes: Vec<u8>,
    /// What is in it, for machines.
    pub summary: Value,
    /// The same in one line.
    pub brief: String,
    /// Files that were read.
    pub inputs: Vec<String>,
    /// What its motions should not be read without, as far as the model tells.
    pub warnings: Vec<String>,
}

/// Whether a file is an FMU that this program made, as it made it.
pub fn is_ours(file: &[u8]) -> bool {
    zip::is_ours(file)
}

/// What FMI calls the platform of this program, if it has a name for it.
pub fn platform() -> Option<&'static str> {
    let system = if cfg!(target_os = "macos") { "darwin" } else { std::env::consts::OS };
    let name = format!("{}-{system}", std::env::consts::ARCH);
    PLATFORMS.iter().map(|p| p.0).find(|p| *p == name)
}

/// What the library's file is called beside a program that was built from source.
pub fn library_name() -> String {
    format!("{}stickslip_fmi{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX)
}

/// Where the library is looked for beside a program: in its folder, and in the one where cargo leaves what others need.
pub fn places(program: Option<&Path>) -> Vec<String> {
    let folder = program.and_then(Path::parent).into_iter();
    let names = folder.flat_map(|f| [f.join(library_name()), f.join("deps").join(library_name())]);
    names.map(|p| p.display().to_string()).collect()
}

/// Makes an FMU of a model.
///
/// # Errors
/// Where the model is wrong or its scheme cannot solve it, a file that it names or a library cannot be read, or there is
/// no library for this platform.
pub fn fmu(options: &Fmu, input: &Input<'_>) -> Result<Package> {
    let (file, interface) = Exported::read(input.document, input.reading)?;
    let (text, data) = resources(input)?;
    let identifier = identifier(options, input.document.name());
    let exchanged = interface.is_exchanged();
    let signs = interface.variables.iter().filter(|v| matches!(v.meaning, Meaning::Indicator(_)));
    let signs = signs.count();
    let about = About {
        version: options.version,
        name: file.title().unwrap_or(&identifier),
        identifier: &identifier,
        token: &interface.token(&text),
        end: file.end(),
        interface: &interface,
        indicators: exchanged.then_some(signs),
    };
    let html = page(&about, OF_A_MODEL, &text);
    let files = [("model.toml".to_owned(), text.into_bytes())].into_iter().chain(data).collect();
    let content = Content { files, html, from: input.reading.resources() };
    let package = packed(options, &about, &content, inputs(options, input))?;
    Ok(Package { warnings: file.warnings().to_vec(), ..package })
}

/// Makes an FMU of the fitted servo in the folder `folder` of results: every term of its model, for co-simulation.
///
/// # Errors
/// Where there is no `fit.json` of a servo with many logs in the folder, or no library for this platform.
pub fn joint_fmu(options: &Fmu, from: &dyn Resources, folder: &str) -> Result<Package> {
    let (name, bytes) = JointFit::bytes_in(from, folder)?;
    let joint = JointUnit::read(&name, &bytes)?;
    let text = String::from_utf8(bytes).map_err(|_| no_fit(&name))?;
    let interface = Interface::of_joint(&joint);
    let identifier = identifier(options, "servo");
    let about = About {
        version: options.version,
        name: &identifier,
        identifier: &identifier,
        token: &interface.token(&text),
        end: joint_unit::END,
        interface: &interface,
        indicators: None,
    };
    let html = page(&about, OF_A_JOINT, &text);
    let files = vec![(FIT.to_owned(), text.into_bytes())];
    packed(options, &about, &Content { files, html, from }, joint_inputs(options, folder))
}

/// The files from which an FMU of a fitted servo is made.
pub fn joint_inputs(options: &Fmu, folder: &str) -> Vec<String> {
    let fit = [JointFit::path_in(folder)].into_iter();
    fit.chain(options.files().cloned()).collect()
}

/// What an FMU holds but for its description and its libraries, and where those are read.
struct Content<'a> {
    files: Vec<Resource>,
    html: String,
    from: &'a dyn Resources,
}

/// Puts the parts of an FMU into one file.
fn packed(
    options: &Fmu,
    about: &About<'_>,
    content: &Content<'_>,
    inputs: Vec<String>,
) -> Result<Package> {
    let interface = about.interface;
    let identifier = about.identifier;
    let mut zip = Zip::default();
    let mut add = |name: &str, bytes: &[u8]| {
        let failed = |e| Diagnostic::new(format!("{name}: cannot be put into the FMU: {e}"));
        zip.add(name, bytes).map_err(failed)
    };
    add("modelDescription.xml", about.xml().as_bytes())?;
    if let Some(terminals) = terminals::xml(interface).filter(|_| options.version == Version::Three)
    {
        add("terminalsAndIcons/terminalsAndIcons.xml", terminals.as_bytes())?;
    }
    for (name, bytes) in &content.files {
        add(&format!("resources/{name}"), bytes)?;
    }
    add("documentation/index.html", content.html.as_bytes())?;
    let mut platforms = Vec::new();
    for (platform, library) in libraries(options, content.from)? {
        let folder = if options.version == Version::Two { platform.1 } else { platform.0 };
        add(&format!("binaries/{folder}/{identifier}.{}", platform.2), &library)?;
        platforms.push(platform.0);
    }
    let bytes = zip.finish().map_err(|e| Diagnostic::new(format!("the FMU: {e}")))?;
    let version = if options.version == Version::Two { "2.0" } else { "3.0" };
    let summary = json!({
        "command": "fmu", "version": env!("CARGO_PKG_VERSION"), "fmi": version, "name": identifier,
        "platforms": platforms, "bytes": bytes.len(), "model_exchange": about.indicators.is_some(),
        "variables": interface.variables.iter().map(|v| &v.name).collect::<Vec<_>>(),
    });
    let brief = format!(
        "FMI {version}, {} variables, for {}, {:.2} MB",
        interface.variables.len(),
        platforms.join(", "),
        bytes.len() as f64 / 1e6
    );
    Ok(Package { bytes, summary, brief, inputs, warnings: Vec::new() })
}

/// The model's name as one of C.
fn identifier(options: &Fmu, otherwise: &str) -> String {
    let path = if options.name.is_empty() { otherwise } else { &options.name };
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let safe = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = stem.chars().map(safe).collect();
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("model_{name}") }
}

/// A file among the resources.
type Resource = (String, Vec<u8>);

/// The files from which an FMU is made: the model, those that it names, and libraries.
pub fn inputs(options: &Fmu, input: &Input<'_>) -> Vec<String> {
    let own = [input.document.name().to_owned()].into_iter();
    own.chain(named(input).1).chain(options.files().cloned()).collect()
}

/// The text of the model with the names that its files have among the resources, and those that they have here.
fn named(input: &Input<'_>) -> (String, Vec<String>) {
    let from = input.reading.resources();
    let own = input.document.name();
    let mut names: Vec<String> = Vec::new();
    let text = document::text(input.document.root(), &mut |name| {
        let whole = from.resolve(own, name);
        let i = names.iter().position(|n| *n == whole).unwrap_or_else(|| {
            names.push(whole);
            names.len() - 1
        });
        stored(i, name)
    });
    (text, names)
}

/// The text of the model file among the resources, and the files that it names.
fn resources(input: &Input<'_>) -> Result<(String, Vec<Resource>)> {
    let from = input.reading.resources();
    let (text, names) = named(input);
    let read = |(i, whole): (usize, &String)| {
        let failed = |e| Diagnostic::new(format!("{whole}: cannot be put into the FMU: {e}"));
        Ok((stored(i, whole), from.read(whole).map_err(failed)?.into_owned()))
    };
    let data = names.iter().enumerate().map(read).collect::<Result<Vec<_>>>()?;
    Ok((text, data))
}

/// What a file is called among the resources.
fn stored(number: usize, name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    format!("data-{number}-{name}")
}

type Platform = (&'static str, &'static str, &'static str);

/// The libraries: that of this platform, and those that were given.
fn libraries(options: &Fmu, from: &dyn Resources) -> Result<Vec<(Platform, Vec<u8>)>> {
    let mut found = Vec::new();
    for (name, file) in &options.libraries {
        let known: Vec<&str> = PLATFORMS.iter().map(|p| p.0).collect();
        let unknown = || {
            Diagnostic::command_line(format!("there is no platform `{name}`"))
                .help(format!("expected one of: {}", known.join(", ")))
        };
        let platform =
            PLATFORMS.into_iter().find(|p| p.0 == name || p.1 == name).ok_or_else(unknown)?;
        let failed = |e| Diagnostic::new(format!("{file}: the library cannot be read: {e}"));
        let bytes = from.read(file).map_err(failed)?.into_owned();
        library::check(file, &bytes, platform.0)?;
        found.push((platform, bytes));
    }
    let own = platform().and_then(|name| PLATFORMS.into_iter().find(|p| p.0 == name));
    if let Some(own) = own.filter(|own| found.iter().all(|f| f.0 != *own)) {
        let beside = || {
            let read = |f: &String| Some((f.clone(), from.read(f).ok()?.into_owned()));
            options.beside.iter().find_map(read)
        };
        if let Some(library) = CARRIED {
            found.insert(0, (own, library.to_vec()));
        } else if let Some((file, library)) = beside() {
            library::check(&file, &library, own.0)?;
            found.insert(0, (own, library));
        }
    }
    if found.is_empty() {
        return Err(Diagnostic::new(format!(
            "the library that goes into an FMU is not there: this program does not carry it, and there is no {} next to it",
            library_name()
        ))
        .with_remedy(Remedy::Library));
    }
    Ok(found)
}

/// What the page of an FMU says: what it is and how it is used, and what the file in it is called.
type Words = [&'static str; 2];

const OF_A_MODEL: Words = [
    "What is set at an input is added to the model's own signal and held until it is set again; with a rate it changes at that rate from there. \
     Parameters are the numbers of the model file.",
    "Model file",
];
const OF_A_JOINT: Words = [
    "A fitted servo with every term of its model. What is set at an input is held until it is set again; a goal with a rate moves on \
     from there. Parameters are the load, where it begins, and the numbers of the joint under their keys in the fit.",
    "Fit",
];

/// A page about the FMU.
fn page(about: &About<'_>, [use_of_it, heading]: Words, model: &str) -> String {
    let row = |v: &stickslip_file::interface::Variable| {
        let cells = [&v.name, &v.unit, &v.description].map(|c| format!("<td>{}</td>", escaped(c)));
        format!("<tr>{}</tr>\n", cells.concat())
    };
    let rows: String = about.interface.variables.iter().map(row).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title></head><body>\n<h1>{0}</h1>\n\
         <p>A model with dry friction, made by stickslip {1}. {use_of_it}</p>\n\
         <table>\n<tr><th>name</th><th>unit</th><th></th></tr>\n{rows}</table>\n<h2>{heading}</h2>\n<pre>{2}</pre>\n</body></html>\n",
        escaped(about.name),
        env!("CARGO_PKG_VERSION"),
        escaped(model)
    )
}
