//! Where the files of a document come from: its folder, and what Python holds in memory.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, BufRead};
use std::path::PathBuf;
use std::sync::Arc;
use stickslip::Signal;
use stickslip_file::{Paths, Resources};

/// Signals that a text cannot hold, by the names that stand in it, and a folder for the rest.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// Names of files start from here.
    pub folder: PathBuf,
    /// Signals in memory.
    pub signals: Arc<HashMap<String, Signal>>,
}

impl Resources for Given {
    fn read(&self, name: &str) -> io::Result<Cow<'_, [u8]>> {
        Paths.read(name)
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn BufRead + '_>> {
        Paths.open(name)
    }

    fn exists(&self, name: &str) -> bool {
        Paths.exists(name)
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        Paths.list(folder)
    }

    fn resolve(&self, _beside: &str, name: &str) -> String {
        if self.signals.contains_key(name) {
            return name.to_owned();
        }
        self.folder.join(name).display().to_string()
    }

    fn signal(&self, name: &str) -> Option<Signal> {
        self.signals.get(name).cloned()
    }
}
