//! One FMU on every system that runs here: a small host in C moves it by 400 steps and prints the bits of two outputs.

use crate::bits::random_for_wine;
use crate::python;
use crate::shell::{is_there, run, run_in, target};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The host: the importer that the tests of the package use too.
const HOST: &str = include_str!("../../crates/stickslip-fmi/tests/importer.c");

/// A system: where its library lies in an FMU, what compiles the host, and what runs it here.
struct System {
    folder: &'static str,
    compiler: &'static str,
    runner: &'static [&'static str],
    /// How the host names the library in its own folder.
    library: &'static str,
}

/// The first is this machine's own, with which the others are compared.
const SYSTEMS: [System; 3] = [
    System { folder: "linux64", compiler: "cc", runner: &[], library: "./unit.so" },
    System {
        folder: "aarch64-linux",
        compiler: "aarch64-linux-gnu-gcc",
        runner: &["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu"],
        library: "./unit.so",
    },
    System {
        folder: "win64",
        compiler: "x86_64-w64-mingw32-gcc",
        runner: &["wine"],
        library: "unit.dll",
    },
];

/// Moves the FMU that the wheels made on all systems: which agree, or what differs.
pub fn moved() -> Result<String, String> {
    let fmu = target().join("release-python").join("shaw.fmu");
    let place = target().join("release-fmu");
    let failed = |e: std::io::Error| format!("{}: {e}", place.display());
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).map_err(failed)?;
    let [from, to] = [&fmu, &place].map(|p| p.display().to_string());
    let unpack = ["-m", "zipfile", "-e", &from, &to];
    run("unpacking an FMU", &python::of_environment("python"), &unpack)?;
    let host = place.join("host.c");
    fs::write(&host, HOST).map_err(failed)?;
    let description = fs::read_to_string(place.join("modelDescription.xml")).map_err(failed)?;
    let mut given = vec![attribute(&description, "", "guid")?];
    for name in ["force", "x", "v"] {
        let start = format!("<ScalarVariable name=\"{name}\"");
        given.push(attribute(&description, &start, "valueReference")?);
    }
    let mut all: Vec<(&str, String)> = Vec::new();
    let mut lacking = Vec::new();
    for system in &SYSTEMS {
        let tools = [Some(&system.compiler), system.runner.first()];
        match tools.into_iter().flatten().find(|t| !is_there(t)) {
            Some(missing) => lacking.push(format!("{}: there is no {missing}", system.folder)),
            None => all.push((system.folder, bits_on(system, &place, &given)?)),
        }
    }
    let lines = all.first().map_or(0, |(_, text)| text.lines().count());
    if lines != 400 {
        return Err(format!("{lines} steps on this machine; expected 400"));
    }
    for (folder, text) in &all[1..] {
        if let Some((i, _)) =
            text.lines().zip(all[0].1.lines()).enumerate().find(|l| l.1.0 != l.1.1)
        {
            return Err(format!("other bits on {folder} from step {} on", i + 1));
        }
        if text.lines().count() != lines {
            return Err(format!("{} steps on {folder}; expected {lines}", text.lines().count()));
        }
    }
    let names: Vec<&str> = all.iter().map(|a| a.0).collect();
    let left_out: String = lacking.iter().map(|l| format!("; left out {l}")).collect();
    Ok(format!("the same bits in {lines} steps on {}{left_out}", names.join(", ")))
}

/// The value of an attribute after some text.
fn attribute(xml: &str, after: &str, name: &str) -> Result<String, String> {
    let key = format!(" {name}=\"");
    let found = xml.split_once(after).and_then(|(_, rest)| rest.split_once(&key));
    let value = found.and_then(|(_, rest)| rest.split_once('"')).map(|(value, _)| value.to_owned());
    value.ok_or_else(|| format!("modelDescription.xml: there is no {name} after {after:?}"))
}

/// What the host prints on a system; the FMU lies unpacked in `place`.
fn bits_on(system: &System, place: &Path, given: &[String]) -> Result<String, String> {
    let folder = place.join("hosts").join(system.folder);
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    fs::create_dir_all(&folder).map_err(failed)?;
    let libraries = fs::read_dir(place.join("binaries").join(system.folder)).map_err(failed)?;
    let library = libraries.filter_map(|e| Some(e.ok()?.path())).next();
    let library = library.ok_or_else(|| format!("the FMU has no library for {}", system.folder))?;
    fs::copy(library, folder.join(system.library)).map_err(failed)?;
    let windows = system.library.ends_with("dll");
    let program = if windows { "host.exe" } else { "host" };
    let mut compile = vec!["-O1", "-o", program, "../../host.c"];
    if windows {
        random_for_wine(&folder)?;
    } else {
        compile.push("-ldl");
    }
    run_in("the host of an FMU", folder.clone(), system.compiler, &compile)?;
    let program = format!("./{program}");
    let words: Vec<&str> = system.runner.iter().copied().chain([program.as_str()]).collect();
    let mut host = Command::new(words[0]);
    host.args(&words[1..]).args([system.library, "../../resources"]).args(given);
    let ended = host.current_dir(&folder).output().map_err(failed)?;
    if !ended.status.success() {
        let why = String::from_utf8_lossy(&ended.stderr);
        return Err(format!("the host on {} ended with {}: {why}", system.folder, ended.status));
    }
    Ok(String::from_utf8_lossy(&ended.stdout).replace('\r', ""))
}

#[cfg(test)]
mod tests {
    use super::attribute;

    #[test]
    fn an_attribute_is_that_of_its_element() {
        let xml = "<a guid=\"{1}\"><ScalarVariable name=\"x\" valueReference=\"7\"/><ScalarVariable name=\"v\" valueReference=\"8\"/>";
        assert_eq!(attribute(xml, "", "guid").unwrap(), "{1}");
        assert_eq!(attribute(xml, "<ScalarVariable name=\"v\"", "valueReference").unwrap(), "8");
        assert!(attribute(xml, "<ScalarVariable name=\"w\"", "valueReference").is_err());
    }
}
