//! Files of programs that run in a terminal: those of the file system, standard input under the name `-`, and those of one
//! folder.

use crate::resources::{Paths, Pieces, Resources};
use std::borrow::Cow;
use std::io::{self, BufRead, Read};
use std::sync::OnceLock;

/// Files by their paths; `-` is standard input, which is read once.
#[derive(Debug, Default)]
pub struct Files {
    input: OnceLock<Vec<u8>>,
}

impl Files {
    fn input(&self) -> io::Result<&[u8]> {
        if let Some(known) = self.input.get() {
            return Ok(known);
        }
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        Ok(self.input.get_or_init(|| bytes))
    }
}

impl Resources for Files {
    fn read(&self, name: &str) -> io::Result<Cow<'_, [u8]>> {
        match name {
            "-" => self.input().map(Cow::Borrowed),
            _ => Paths.read(name).map(|bytes| Cow::Owned(bytes.into_owned())),
        }
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn BufRead + '_>> {
        match name {
            "-" => Ok(Box::new(self.input()?)),
            _ => Paths::open_file(name),
        }
    }

    fn exists(&self, name: &str) -> bool {
        name == "-" || Paths.exists(name)
    }

    fn pieces(&self, name: &str) -> io::Result<Option<Box<dyn Pieces>>> {
        if name == "-" { Ok(None) } else { Paths.pieces(name) }
    }

    fn version(&self, name: &str) -> Option<u64> {
        Paths.version(name)
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        Paths.list(folder)
    }

    fn resolve(&self, beside: &str, name: &str) -> String {
        if name == "-" { name.to_owned() } else { Paths.resolve(beside, name) }
    }
}

/// The files of one folder, by their names in it.
#[derive(Debug, Clone)]
pub struct Folder(pub std::path::PathBuf);

impl Folder {
    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Resources for Folder {
    fn read(&self, name: &str) -> io::Result<Cow<'_, [u8]>> {
        // What `Paths` returns is its own copy, whatever it borrows from.
        Paths.read(&self.path(name)).map(|bytes| Cow::Owned(bytes.into_owned()))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn BufRead + '_>> {
        Paths::open_file(&self.path(name))
    }
}
