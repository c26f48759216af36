//! The pictures of the guide: those that the program draws are what it draws today.
//!
//! Above such a picture a comment says what makes it:
//!
//! ```text
//! <!-- drawn by: MODEL COMMAND [OPTIONS] FIGURE -->
//! ![What is seen](../pictures/NAME.svg)
//! ```
//!
//! MODEL is a template of `stickslip new`, a listing of the page whose first line is `# MODEL`, or a file below `examples/`. FIGURE is
//! a file of the run: an SVG, or a page whose first figure is shown. Figures of papers have `reproduce ITEM FIGURE`. With
//! `STICKSLIP_WRITE_BOOK` set the pictures are drawn anew.

use super::super::sandbox::Sandbox;
use std::fs;
use std::path::{Path, PathBuf};

/// A picture, and the words that say what draws it.
struct Picture {
    page: PathBuf,
    words: Vec<String>,
    /// Its path from the folder of the page.
    file: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Every page below a folder.
pub fn pages(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let below = |path: PathBuf| match path.is_dir() {
        true => pages(&path),
        false => vec![path],
    };
    let mut all: Vec<PathBuf> = entries.flat_map(below).collect();
    all.retain(|path| path.extension().is_some_and(|e| e == "md"));
    all.sort();
    all
}

fn pictures() -> Vec<Picture> {
    let mut all = Vec::new();
    for page in pages(&root().join("book/src")) {
        let text = fs::read_to_string(&page).unwrap();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let Some(made) = line.strip_prefix("<!-- drawn by: ") else { continue };
            let words = made.strip_suffix(" -->").unwrap_or_else(|| panic!("{line}"));
            let words = words.split_whitespace().map(str::to_owned).collect();
            let shown = lines.next().unwrap_or_default();
            let file = shown.split_once("](").and_then(|(_, rest)| rest.strip_suffix(')'));
            let file = file.unwrap_or_else(|| panic!("{}: {line}\n{shown}", page.display()));
            all.push(Picture { page: page.clone(), words, file: file.to_owned() });
        }
    }
    all
}

/// The listing of a page whose first line is `# NAME`.
fn listing(page: &str, name: &str) -> String {
    let first = format!("```toml\n# {name}\n");
    let from = page.find(&first).unwrap_or_else(|| panic!("no listing `# {name}`"));
    let body = &page[from + "```toml\n".len()..];
    body[..body.find("\n```").unwrap() + 1].to_owned()
}

/// The path of a model that a comment of a page names; it is written to the sandbox unless it is one of the examples.
pub fn put(sandbox: &Sandbox, page: &Path, model: &str) -> String {
    if model.contains('/') {
        return root().join(model).display().to_string();
    }
    if model.ends_with(".toml") {
        let page = fs::read_to_string(page).unwrap();
        sandbox.write("model.toml", listing(&page, model));
        return "model.toml".to_owned();
    }
    sandbox.run(&["new", model, "made.toml"]).done();
    "made.toml".to_owned()
}

/// What the program draws now.
fn drawn(picture: &Picture) -> String {
    let [model, command, options @ .., figure] = picture.words.as_slice() else {
        panic!("{}: {:?}", picture.page.display(), picture.words)
    };
    let sandbox = Sandbox::new();
    if model == "reproduce" {
        sandbox.run(&[model.as_str(), command.as_str(), "--out", "r"]).done();
        return sandbox.read(&format!("r/{figure}"));
    }
    let file = put(&sandbox, &picture.page, model);
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let arguments = [&[command.as_str(), file.as_str()], &options[..], &["--out", "r"]].concat();
    sandbox.run(&arguments).done();
    let made = sandbox.read(&format!("r/{figure}"));
    if figure.ends_with(".html") { first_figure(&made) } else { made }
}

/// The first figure of a page, as a file of its own. Its panels are figures within it.
fn first_figure(page: &str) -> String {
    let figure = &page[page.find("<svg xmlns=").expect("a figure")..];
    let end = "</svg>";
    let mut to = 0;
    loop {
        to += figure[to..].find(end).expect("its end") + end.len();
        if figure[..to].matches("<svg").count() == figure[..to].matches(end).count() {
            return format!("{}\n", &figure[..to]);
        }
    }
}

/// Whether a run of a test may be spent on it every day. A fit takes some seconds and more.
fn is_quick(picture: &Picture) -> bool {
    let models = [
        "simulate",
        "solutions",
        "converge",
        "orbit",
        "response",
        "sweep",
        "cascade-loops",
        "which-law",
        "sign-euler",
    ];
    models.contains(&picture.words[1].as_str())
}

fn check(which: impl Fn(&Picture) -> bool) {
    let write = std::env::var_os("STICKSLIP_WRITE_BOOK").is_some();
    let mut wrong = Vec::new();
    let mut count = 0;
    for picture in pictures().iter().filter(|p| which(p)) {
        let file = picture.page.parent().unwrap().join(&picture.file);
        let now = drawn(picture);
        count += 1;
        if write {
            fs::write(&file, &now).unwrap();
        } else if fs::read_to_string(&file).ok().as_ref() != Some(&now) {
            wrong.push(format!("{} of {}", file.display(), picture.page.display()));
        }
    }
    assert!(count >= 3, "{count} pictures");
    assert!(wrong.is_empty(), "`cargo xtask book` draws them anew: {}", wrong.join("\n"));
}

#[test]
fn pictures_of_motions_are_those_of_the_program() {
    check(is_quick);
}

#[test]
#[ignore = "fits take a minute"]
fn pictures_of_fits_are_those_of_the_program() {
    check(|picture| !is_quick(picture));
}

/// Every picture of the guide and of the README has what makes it: the program, as a comment says; `pages.py`, which runs the
/// notebooks; or `pictures.mjs`, which photographs the lab.
#[test]
fn no_picture_is_made_by_hand() {
    let notebooks = include_str!("../../../../stickslip-python/tools/pages.py");
    let lab = include_str!("../../../../../web/test/pictures.mjs");
    assert!(notebooks.contains("python-{name}-") && lab.contains("`lab-${name}.png`"));
    let made = |file: &str| {
        let name = file.rsplit('/').next().unwrap_or_default();
        name.starts_with("python-") || name.starts_with("lab-")
    };
    let drawn: Vec<PathBuf> = pictures()
        .iter()
        .map(|p| p.page.parent().unwrap().join(&p.file).canonicalize().unwrap())
        .collect();
    let mut shown = pages(&root().join("book/src"));
    shown.push(root().join("README.md"));
    let mut wrong = Vec::new();
    let mut count = 0;
    for page in shown {
        let text = fs::read_to_string(&page).unwrap();
        for line in text.lines().filter(|l| l.starts_with("![")) {
            let file = line.split_once("](").and_then(|(_, rest)| rest.split_once(')')).unwrap().0;
            let path = page.parent().unwrap().join(file).canonicalize().unwrap();
            count += 1;
            if !made(file) && !drawn.contains(&path) {
                wrong.push(format!("{} of {}", file, page.display()));
            }
        }
    }
    assert!(count > 40, "{count} pictures");
    assert!(wrong.is_empty(), "nothing says what draws them: {}", wrong.join("\n"));
}

/// A how-to page begins with its result, and where that can be seen, with its picture.
#[test]
fn pages_begin_with_a_picture_of_their_result() {
    // Its result is a list of answers.
    let without = ["questions.md"];
    let folder = root().join("book/src/how-to");
    let mut wrong = Vec::new();
    for page in pages(&folder) {
        let name = page.file_name().unwrap().to_str().unwrap();
        let text = fs::read_to_string(&page).unwrap();
        let begins = text.split("\n## ").next().is_some_and(|head| head.contains("\n!["));
        if begins == without.contains(&name) {
            wrong.push(name.to_owned());
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
