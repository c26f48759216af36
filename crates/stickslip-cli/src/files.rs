//! Where the command line takes files from: the file system, and standard input under the name `-`.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};
use std::sync::OnceLock;
use stickslip_file::{Paths, Resources};

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

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        Paths.list(folder)
    }

    fn resolve(&self, beside: &str, name: &str) -> String {
        if name == "-" { name.to_owned() } else { Paths.resolve(beside, name) }
    }
}
