//! Regular files: no link is followed, and no pipe is waited for.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a file to read and write it; nothing where there is none. A symbolic link is not followed.
///
/// # Errors
/// Where there is something else than a regular file, or it cannot be opened.
pub fn open_own(path: &Path) -> io::Result<Option<File>> {
    let found = match std::fs::symlink_metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        found => found?,
    };
    if let Some(other) = unlike_a_file(&found) {
        return Err(io::Error::other(format!("it is {other}; expected a regular file or nothing")));
    }
    let file = match OpenOptions::new().read(true).write(true).open(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    // What was looked at is what was opened: nobody has put a link in its place meanwhile.
    if !is_same(&found, &file.metadata()?) {
        return Err(io::Error::other("another program has replaced it while it was opened"));
    }
    Ok(Some(file))
}

/// Opens a file to read it, also through links. A pipe is not waited for, and a device is not read for ever.
///
/// # Errors
/// Where there is something else than a regular file, or it cannot be opened.
pub fn open(path: &Path) -> io::Result<File> {
    let found = std::fs::metadata(path)?;
    match unlike_a_file(&found) {
        None => File::open(path),
        Some(_) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Some(other) => {
            let said = format!("it is {other}; expected a regular file, which can be read twice");
            Err(io::Error::other(said))
        }
    }
}

/// The whole of such a file.
///
/// # Errors
/// As for [`open`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut open(path)?, &mut bytes)?;
    Ok(bytes)
}

/// What is not a regular file, in words.
pub fn unlike_a_file(found: &Metadata) -> Option<&'static str> {
    let kind = found.file_type();
    match () {
        () if kind.is_file() => None,
        () if kind.is_dir() => Some("a directory"),
        () if kind.is_symlink() => Some("a symbolic link"),
        () => Some(special(found)),
    }
}

#[cfg(unix)]
fn special(found: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    let kind = found.file_type();
    match () {
        () if kind.is_fifo() => "a pipe",
        () if kind.is_socket() => "a socket",
        () => "a device",
    }
}

#[cfg(not(unix))]
fn special(_: &Metadata) -> &'static str {
    "a device"
}

/// Whether both are of one file, under whatever names. Where that cannot be known: whether they look alike.
#[cfg(unix)]
pub fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Whether both are of one file, under whatever names. Where that cannot be known: whether they look alike.
#[cfg(not(unix))]
pub fn is_same(one: &Metadata, other: &Metadata) -> bool {
    one.len() == other.len() && one.created().ok() == other.created().ok()
}

/// How many names a file has: one that has several is somebody's under another name.
#[cfg(unix)]
pub fn names_of(found: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(found)
}

/// How many names a file has; one where that cannot be known.
#[cfg(not(unix))]
pub fn names_of(_: &Metadata) -> u64 {
    1
}

/// Sixteen hexadecimal digits that nobody can foresee.
pub fn token() -> String {
    use std::hash::{BuildHasher, Hasher};
    // The keys of the standard library's hash tables come from the operating system.
    let random = std::hash::RandomState::new().build_hasher();
    format!("{:016x}", random.finish())
}

/// Whether a name that stands in a file is that of a file inside a folder: no path, nothing hidden, nothing that a
/// terminal or a file system takes for something else.
pub fn is_plain(name: &str) -> bool {
    let odd = |c: char| c.is_control() || "/\\:*?\"<>|".contains(c);
    !name.is_empty() && name.len() <= 255 && !name.starts_with('.') && !name.contains(odd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_path_in_them_are_not_plain() {
        for name in ["events.csv", "report-b 1.html", "µ.csv", "a..b"] {
            assert!(is_plain(name), "{name}");
        }
        let long = "x".repeat(256);
        for name in [
            "",
            ".",
            "..",
            ".bashrc",
            "../rel.txt",
            "/etc/passwd",
            "a\\b",
            "c:d",
            "a\nb",
            "a\0",
            &long,
        ] {
            assert!(!is_plain(name), "{name:?}");
        }
    }

    #[test]
    fn tokens_differ() {
        let all: std::collections::HashSet<String> = (0..1000).map(|_| token()).collect();
        assert!(all.len() == 1000 && all.iter().all(|t| t.len() == 16));
    }

    /// A pipe that nobody writes to is not waited for, and a device without an end is not read.
    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_read() {
        let folder = tempfile::TempDir::new().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "x").unwrap();
        std::os::unix::fs::symlink("file", at("link")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        assert_eq!(read(&at("file")).unwrap(), b"x");
        assert_eq!(read(&at("link")).unwrap(), b"x");
        for (name, said) in [("pipe", "a pipe"), ("socket", "a socket")] {
            assert!(open(&at(name)).unwrap_err().to_string().contains(said));
        }
        assert!(open(Path::new("/dev/zero")).unwrap_err().to_string().contains("a device"));
        assert_eq!(open(folder.path()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        assert_eq!(open(&at("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_folders_are_not_opened() {
        let folder = tempfile::TempDir::new().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "x").unwrap();
        std::os::unix::fs::symlink(at("file"), at("link")).unwrap();
        std::os::unix::fs::symlink(at("nowhere"), at("dangling")).unwrap();
        assert!(open_own(&at("file")).unwrap().is_some());
        assert!(open_own(&at("none")).unwrap().is_none());
        for name in ["link", "dangling"] {
            let said = open_own(&at(name)).unwrap_err().to_string();
            assert!(said.contains("symbolic link"), "{said}");
        }
        assert!(open_own(folder.path()).unwrap_err().to_string().contains("a directory"));
        std::fs::hard_link(at("file"), at("second")).unwrap();
        let [one, two] = ["file", "second"].map(|name| std::fs::metadata(at(name)).unwrap());
        assert!(is_same(&one, &two) && names_of(&one) == 2);
    }
}
