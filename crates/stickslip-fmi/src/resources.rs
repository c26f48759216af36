//! The files of one FMU.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use stickslip_file::{Resources, regular};

/// The folder `resources` of an unpacked FMU.
#[derive(Debug, Clone)]
pub struct Folder(PathBuf);

impl Folder {
    /// The folder that an importer names: a path, or a URI `file:///…`.
    ///
    /// # Errors
    /// If it is a URI of another kind.
    pub fn named(location: &str) -> Result<Self, String> {
        let Some(rest) = location.strip_prefix("file:") else {
            return if location.contains("://") {
                Err(format!(
                    "the resources are at {location:?}; expected a path, or a URI with file:"
                ))
            } else {
                Ok(Self(PathBuf::from(location)))
            };
        };
        // file:/path, file:///path and file://host/path are all written.
        let path = match rest.strip_prefix("//") {
            Some(after) => after.find('/').map_or("", |i| &after[i..]),
            None => rest,
        };
        let path = decoded(path);
        // file:///C:/folder
        let drive = path.as_bytes().get(2) == Some(&b':');
        Ok(Self(PathBuf::from(if drive { &path[1..] } else { &path[..] })))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(Path::new(name))
    }
}

/// A URI's path with its %XX replaced.
fn decoded(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut out = Vec::new();
    let mut i = 0;
    while i < bytes.len() {
        let code = path.get(i + 1..i + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code.filter(|_| bytes[i] == b'%') {
            Some(byte) => {
                out.push(byte);
                i += 3;
            }
            None => {
                out.push(bytes[i]);
                i += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

impl Resources for Folder {
    fn read(&self, name: &str) -> io::Result<Cow<'_, [u8]>> {
        regular::read(self.path(name).as_ref()).map(Cow::Owned)
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn BufRead + '_>> {
        Ok(Box::new(BufReader::new(regular::open(self.path(name).as_ref())?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_paths_or_uris_of_files() {
        let path =
            |l: &str| Folder::named(l).map(|f| f.0.display().to_string()).unwrap_or_default();
        for uri in ["file:///a/b%20c", "file:/a/b c", "file://localhost/a/b%20c", "/a/b c"] {
            assert_eq!(path(uri), "/a/b c");
        }
        assert_eq!(path("file:///C:/fmu/resources"), "C:/fmu/resources");
        assert!(Folder::named("https://example.org/fmu").is_err());
    }
}
