//! What is shared while files are read: where they come from, and the series that were read.

use crate::diagnostic::{Diagnostic, Remedy, Result};
use crate::document::Document;
use crate::node;
use crate::overrides::Override;
use crate::resources::{Resources, open};
use crate::table::Record;
use crate::units;
use crate::witness::Witness;
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;
use std::fmt;
use std::io::Read;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Longest model file: nobody writes more by hand, and a mistaken path is soon noticed.
const LONGEST: u64 = 16 << 20;

/// What is in a series: the file and its columns, the unit of its times.
pub(crate) type SeriesKey = String;

/// Reads documents and the series that they name, each series once: when a model is read again with
/// one number changed, no file is opened. Clones share what was read.
///
/// ```
/// use stickslip_file::{Memory, Reading};
/// let reading = Reading::new(Memory::default().with("m.toml", "run.end = 3.0"));
/// let document = reading.document("m.toml", &[])?;
/// # Ok::<(), stickslip_file::Diagnostic>(())
/// ```
#[derive(Clone)]
pub struct Reading {
    shared: Arc<Shared>,
    echoes: bool,
}

struct Shared {
    resources: Arc<dyn Resources>,
    /// The same where the contents of files are to be known by their SHA-256.
    witness: Option<Arc<Witness>>,
    series: Mutex<HashMap<SeriesKey, Arc<Record>>>,
}

impl fmt::Debug for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reading").finish_non_exhaustive()
    }
}

impl Reading {
    /// Reads from `resources`.
    pub fn new(resources: impl Resources + 'static) -> Self {
        let resources = Arc::new(resources);
        let shared = Shared { resources, witness: None, series: Mutex::default() };
        Self { shared: Arc::new(shared), echoes: true }
    }

    /// From the same resources, with the SHA-256 of each file that is read: see [`ModelFile::files`](crate::ModelFile::files). Files are
    /// read as a whole, and one that changes between two readings is an error.
    #[must_use]
    pub fn witnessing(&self) -> Self {
        let witness = Arc::new(Witness::new(self.shared.resources.clone()));
        let shared =
            Shared { resources: witness.clone(), witness: Some(witness), series: Mutex::default() };
        Self { shared: Arc::new(shared), echoes: self.echoes }
    }

    /// The SHA-256 of the file `name`, if it was read and files are witnessed.
    pub(crate) fn digest(&self, name: &str) -> Option<String> {
        self.shared.witness.as_ref()?.digest(name)
    }

    /// The same without what summaries say of the models that are read: for those who read one file thousands of times with other
    /// numbers.
    #[must_use]
    pub fn without_echo(&self) -> Self {
        Self { echoes: false, ..self.clone() }
    }

    /// Where files come from.
    pub fn resources(&self) -> &dyn Resources {
        &*self.shared.resources
    }

    /// The document in the file `name`, with `overrides` put in.
    ///
    /// # Errors
    /// Where the file cannot be read, or is not TOML; where an override fits nowhere.
    pub fn document(&self, name: &str, overrides: &[Override]) -> Result<Document> {
        let mut document = Document::parse(name, self.text(name)?)?;
        overrides.iter().try_for_each(|o| document.apply(o))?;
        Ok(document)
    }

    /// The text of the file `name`.
    ///
    /// # Errors
    /// Where it cannot be read, or is no text.
    pub fn text(&self, name: &str) -> Result<String> {
        let mut bytes = Vec::new();
        open(self.resources(), name)?
            .take(LONGEST + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| Diagnostic::new(format!("{name}: cannot be read: {e}")))?;
        if bytes.len() as u64 > LONGEST {
            return Err(Diagnostic::new(format!(
                "{name}: longer than 16 MiB; expected a model or fit file"
            ))
            .help(
                "give the TOML file that describes the problem; measured series stay in \
                 files of their own, named in it",
            ));
        }
        if bytes.starts_with(&[0xEF, 0xBB, 0xBF]) {
            bytes.drain(..3);
        }
        let text = String::from_utf8(bytes).map_err(|e| {
            let line = e.as_bytes()[..e.utf8_error().valid_up_to()].split(|&b| b == b'\n').count();
            Diagnostic::new(format!("{name}, line {line}: not UTF-8 text; expected a TOML file"))
                .help("save the file as UTF-8")
        })?;
        if text.trim().is_empty() {
            let message = format!("{name}: the file is empty; expected a model");
            return Err(Diagnostic::new(message).with_remedy(Remedy::Template));
        }
        Ok(text)
    }

    /// The series `key`, read by `read` if it has not been read yet.
    pub(crate) fn series(
        &self,
        key: SeriesKey,
        read: impl FnOnce() -> Result<Record>,
    ) -> Result<Arc<Record>> {
        let known = || self.shared.series.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(&key) {
            return Ok(found.clone());
        }
        let found = Arc::new(read()?);
        Ok(known().entry(key).or_insert(found).clone())
    }
}

/// `run.end` of a document, if it is a number; what else is wrong with it is said where it is read.
fn end_of(document: &Document) -> Option<f64> {
    match &document.root().get("run")?.node.get("end")?.node.value {
        node::Value::Number { number, .. } => Some(*number),
        node::Value::Text(text) => units::in_si(text),
        _ => None,
    }
}

/// What is gathered while one document is read.
#[derive(Debug, Clone)]
pub struct Gathered {
    pub(crate) reading: Reading,
    /// The document's own name: names in it are relative to its folder.
    pub(crate) name: String,
    /// Files that were read, the document's own first.
    pub inputs: Vec<PathBuf>,
    /// What users should know.
    pub warnings: Vec<String>,
    /// How tables are written: footnotes, which change no verdict.
    pub notices: Vec<String>,
    /// Names of sampled files, as the document has them, with their SHA-256; empty where files are not witnessed.
    pub digests: Vec<(String, String)>,
    /// The end of the run, s, if the document gives it: for signals that last as long.
    pub(crate) end: Option<f64>,
}

impl Gathered {
    /// What a summary says of something that was read.
    pub(crate) fn echo(&self, value: &impl Serialize) -> Value {
        if !self.reading.echoes {
            return Value::Null;
        }
        serde_json::to_value(value).unwrap_or_default()
    }

    /// Nothing yet, for this document.
    pub fn new(reading: &Reading, document: &Document) -> Self {
        let name = document.name().to_owned();
        Self {
            reading: reading.clone(),
            inputs: vec![PathBuf::from(&name)],
            name,
            warnings: Vec::new(),
            notices: Vec::new(),
            digests: Vec::new(),
            end: end_of(document),
        }
    }

    /// A file by its whole name is one of the inputs from now on.
    pub(crate) fn listed(&mut self, name: &str) {
        let path = PathBuf::from(name);
        if !self.inputs.contains(&path) {
            self.inputs.push(path);
        }
    }

    /// The whole name of a file that the document names; it is one of the inputs from now on.
    pub(crate) fn input(&mut self, name: &str) -> String {
        let name = self.reading.resources().resolve(&self.name, name);
        self.listed(&name);
        name
    }
}
