//! `cargo xtask mutants`: changes the core in one place at a time and looks whether its tests notice.
//!
//! All changes of a sample are built into one copy of the core, each behind a switch that an environment variable throws. So
//! a change costs a run of the tests, not a build. Changes that do not compile are left out; what has been found is kept in
//! `target/mutants/`, and the next call goes on from there.
//!
//! The operators are those of cargo-mutants: other arithmetic, comparisons and connectives, a sign or a `!` left out, guards
//! that always or never hold, and functions that return at once.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::num::NonZero;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ReturnType, UnOp};

type Anything<T> = Result<T, Box<dyn std::error::Error>>;

/// What is changed: rooms of the core.
const ROOMS: [&str; 5] = ["roots", "law", "onestep", "scheme/cursor.rs", "scheme/protocol.rs"];
const CORE: &str = "crates/stickslip/src";
/// The variable that throws a switch.
const SWITCH: &str = "STICKSLIP_MUTANT";
const WHERE: &str = "target/mutants";
/// Tests that are quick and catch most; then the others. (Program: of the units or of all; filters.) Before them come the units of
/// the room itself.
const STAGES: [(&str, &[&str]); 3] = [
    ("stickslip", &[]),
    (
        "all",
        &[
            "laws::",
            "matrix::",
            "wrong_answers::",
            "schemes::oscillator::",
            "onestep_oracle",
            "network_stepping",
        ],
    ),
    ("all", &["schemes::", "studies::", "orbits::", "solution::"]),
];

/// One change of one place.
#[derive(Debug, Clone)]
struct Mutant {
    file: PathBuf,
    line: usize,
    /// What is replaced, and by what: `None` where it is put in front.
    range: Range<usize>,
    new: String,
    statement: bool,
    name: String,
}

/// Finds the changes of a file.
struct Finder<'a> {
    file: &'a Path,
    text: &'a str,
    function: String,
    found: Vec<Mutant>,
}

impl Finder<'_> {
    fn text_of(&self, part: &impl Spanned) -> &str {
        &self.text[part.span().byte_range()]
    }

    fn push(&mut self, part: &impl Spanned, new: String, (statement, what): (bool, String)) {
        let span = part.span();
        let file = self.file.to_owned();
        let line = span.start().line;
        let at = span.start().column + 1;
        let name = format!("{}:{line}:{at}: {what} in {}", file.display(), self.function);
        self.found.push(Mutant { file, line, range: span.byte_range(), new, statement, name });
    }

    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) -> bool {
        if signature.constness.is_some() {
            return false;
        }
        self.function = signature.ident.to_string();
        let ReturnType::Type(_, kind) = &signature.output else {
            self.returns(block, "");
            return true;
        };
        let values: &[&str] = match self.text_of(kind) {
            "bool" => &["true", "false"],
            "f64" => &["0.0", "1.0", "-1.0"],
            "usize" | "u32" | "u64" => &["0", "1"],
            option if option.starts_with("Option<") => &["None"],
            list if list.starts_with("Vec<") => &["Vec::new()"],
            unit if unit.starts_with("Result<(),") => &["Ok(())"],
            _ => &[],
        };
        values.iter().for_each(|value| self.returns(block, value));
        true
    }

    /// The function returns at once.
    fn returns(&mut self, block: &syn::Block, value: &str) {
        let at = block.span().byte_range().start + 1;
        let line = block.span().start().line;
        let name = format!("{}:{line}: {} returns {value}", self.file.display(), self.function);
        let new = format!("return {value};");
        let file = self.file.to_owned();
        self.found.push(Mutant { file, line, range: at..at, new, statement: true, name });
    }
}

fn others(op: &BinOp) -> &'static [&'static str] {
    match op {
        BinOp::Add(_) => &["-", "*"],
        BinOp::Sub(_) => &["+", "/"],
        BinOp::Mul(_) => &["+", "/"],
        BinOp::Div(_) => &["*", "%"],
        BinOp::And(_) => &["||"],
        BinOp::Or(_) => &["&&"],
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::Lt(_) => &["==", ">", "<="],
        BinOp::Gt(_) => &["==", "<", ">="],
        BinOp::Le(_) => &[">"],
        BinOp::Ge(_) => &["<"],
        BinOp::AddAssign(_) => &["-=", "*="],
        BinOp::SubAssign(_) => &["+=", "/="],
        BinOp::MulAssign(_) => &["+=", "/="],
        BinOp::DivAssign(_) => &["*=", "%="],
        _ => &[],
    }
}

fn binds(e: &Expr) -> bool {
    match e {
        Expr::Let(_) => true,
        Expr::Binary(b) => binds(&b.left) || binds(&b.right),
        _ => false,
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|a| {
        a.path().is_ident("test")
            || a.meta.require_list().is_ok_and(|l| l.tokens.to_string() == "test")
    })
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_mod(&mut self, m: &'ast syn::ItemMod) {
        if !is_test(&m.attrs) {
            visit::visit_item_mod(self, m);
        }
    }
    fn visit_item_fn(&mut self, f: &'ast syn::ItemFn) {
        if !is_test(&f.attrs) && self.function(&f.sig, &f.block) {
            visit::visit_block(self, &f.block);
        }
    }
    fn visit_impl_item_fn(&mut self, f: &'ast syn::ImplItemFn) {
        if !is_test(&f.attrs) && self.function(&f.sig, &f.block) {
            visit::visit_block(self, &f.block);
        }
    }
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}
    fn visit_expr_repeat(&mut self, e: &'ast syn::ExprRepeat) {
        self.visit_expr(&e.expr);
    }
    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Some((_, guard)) = arm.guard.as_ref().filter(|(_, guard)| !binds(guard)) {
            for value in ["true", "false"] {
                let what = format!("a guard is {value}");
                self.push(guard.as_ref(), value.to_owned(), (false, what));
            }
        }
        visit::visit_arm(self, arm);
    }
    fn visit_expr_binary(&mut self, e: &'ast syn::ExprBinary) {
        let left = self.text_of(&e.left).to_owned();
        let right = self.text_of(&e.right).to_owned();
        let statement = matches!(self.text_of(&e.op), "+=" | "-=" | "*=" | "/=");
        if !binds(&e.left) && !binds(&e.right) {
            for other in others(&e.op) {
                let what = format!("{other} for {}", self.text_of(&e.op));
                let new = if statement {
                    format!("{left} {other} {right}")
                } else {
                    format!("({left}) {other} ({right})")
                };
                self.push(e, new, (statement, what));
            }
        }
        visit::visit_expr_binary(self, e);
    }
    fn visit_expr_unary(&mut self, e: &'ast syn::ExprUnary) {
        if matches!(e.op, UnOp::Neg(_) | UnOp::Not(_)) {
            let what = format!("no {}", self.text_of(&e.op));
            self.push(e, self.text_of(&e.expr).to_owned(), (false, what));
        }
        visit::visit_expr_unary(self, e);
    }
}

/// Every change there is, in order.
fn all_mutants() -> Anything<Vec<Mutant>> {
    let mut files = Vec::new();
    for room in ROOMS {
        let path = Path::new(CORE).join(room);
        if path.is_dir() {
            let entries = fs::read_dir(&path)?.collect::<Result<Vec<_>, _>>()?;
            files.extend(entries.into_iter().map(|e| e.path()).filter(|p| p.extension().is_some()));
        } else {
            files.push(path);
        }
    }
    // An optional factorisation that the tests do not build.
    files.retain(|f| !f.ends_with("supernodal.rs"));
    files.sort();
    let mut found = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file)?;
        let mut finder = Finder { file, text: &text, function: String::new(), found: Vec::new() };
        finder.visit_file(&syn::parse_file(&text)?);
        found.append(&mut finder.found);
    }
    Ok(found)
}

/// `count` of them by chance, no two in one expression.
fn sample(mut all: Vec<Mutant>, count: usize, mut seed: u64) -> Vec<Mutant> {
    let mut chosen: Vec<Mutant> = Vec::new();
    while chosen.len() < count && !all.is_empty() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let m = all.swap_remove((seed >> 33) as usize % all.len());
        let meets = |o: &Mutant| {
            o.file == m.file && o.range.start <= m.range.end && m.range.start <= o.range.end
        };
        if !chosen.iter().any(meets) {
            chosen.push(m);
        }
    }
    chosen
}

/// A copy of the project in which every change is behind its switch.
fn write_tree(tree: &Path, mutants: &BTreeMap<usize, Mutant>) -> Anything<()> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .output()?;
    for name in String::from_utf8(listed.stdout)?.lines() {
        let from = Path::new(name);
        let to = tree.join(name);
        if !from.is_file() {
            continue;
        }
        fs::create_dir_all(to.parent().unwrap_or(tree))?;
        let mut text = fs::read(from)?;
        let mut here: Vec<_> = mutants.iter().filter(|(_, m)| m.file == from).collect();
        here.sort_by_key(|(_, m)| std::cmp::Reverse(m.range.start));
        for (n, m) in here {
            let old = String::from_utf8(text[m.range.clone()].to_vec())?;
            let (open, close) = if m.statement { ("{", "}") } else { ("(", ")") };
            let switched = if old.is_empty() {
                format!(" if crate::mutated({n}) {{ {} }} ", m.new)
            } else {
                format!("{open}if crate::mutated({n}) {{ {} }} else {{ {old} }}{close}", m.new)
            };
            text.splice(m.range.clone(), switched.into_bytes());
        }
        if from == Path::new(CORE).join("lib.rs") {
            text.extend_from_slice(switch().as_bytes());
        }
        if fs::read(&to).ok().as_ref() != Some(&text) {
            fs::write(&to, text)?;
        }
    }
    Ok(())
}

fn switch() -> String {
    format!(
        "\n#[doc(hidden)]\npub(crate) fn mutated(n: u32) -> bool {{\n\
         static ON: std::sync::OnceLock<u32> = std::sync::OnceLock::new();\n\
         *ON.get_or_init(|| std::env::var(\"{SWITCH}\").ok().and_then(|n| n.parse().ok()).unwrap_or(u32::MAX)) == n\n}}\n"
    )
}

/// Builds the copy; leaves out what does not compile. The test programs by their names.
fn build(
    tree: &Path,
    mutants: &mut BTreeMap<usize, Mutant>,
) -> Anything<BTreeMap<String, PathBuf>> {
    for _ in 0..8 {
        write_tree(tree, mutants)?;
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        let target =
            std::env::var("STICKSLIP_MUTANTS_TARGET").unwrap_or_else(|_| "../build".to_owned());
        let built = Command::new(cargo)
            .args(["test", "--no-run", "-p", "stickslip", "--lib", "--test", "all"])
            .args([
                "--message-format",
                "json",
                "--config",
                "profile.dev.package.stickslip.opt-level=2",
            ])
            .env("CARGO_TARGET_DIR", target)
            .current_dir(tree)
            .stderr(Stdio::inherit())
            .output()?;
        let text = String::from_utf8(built.stdout)?;
        let messages: Vec<Value> =
            text.lines().filter_map(|l| serde_json::from_str(l).ok()).collect();
        if built.status.success() {
            let program = |m: &Value| {
                let path = m["executable"].as_str()?.into();
                Some((m["target"]["name"].as_str()?.to_owned(), path))
            };
            return Ok(messages.iter().filter_map(program).collect());
        }
        let before = mutants.len();
        let errors = messages.iter().filter(|m| m["message"]["level"] == "error");
        for span in
            errors.flat_map(|m| m["message"]["spans"].as_array().cloned().unwrap_or_default())
        {
            let (Some(file), Some(line)) =
                (span["file_name"].as_str(), span["line_start"].as_u64())
            else {
                continue;
            };
            mutants.retain(|_, m| m.file != Path::new(file) || m.line as u64 != line);
        }
        if mutants.len() == before {
            return Err(format!("the copy does not compile: see {}", tree.display()).into());
        }
        eprintln!("{} changes do not compile and are left out", before - mutants.len());
    }
    Err("the copy does not compile".into())
}

/// Whether the tests of a stage pass with switch `n`, within `limit` of the processor's time. The first that fails is enough.
fn passes(
    programs: &BTreeMap<String, PathBuf>,
    (name, filters): (&str, &[&str]),
    n: usize,
    limit: Duration,
) -> Anything<bool> {
    let program = programs.get(name).ok_or("a test program is missing")?;
    let mut run = Command::new("sh")
        .args(["-c", "ulimit -t $0; exec \"$@\"", &limit.as_secs().to_string()])
        .arg(program)
        .args(filters)
        .args(["--test-threads", "1"])
        .env(SWITCH, n.to_string())
        .current_dir("crates/stickslip")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut lines = BufReader::new(run.stdout.take().ok_or("a test program is silent")?).lines();
    if lines.any(|line| line.is_ok_and(|l| l.starts_with("test ") && l.ends_with("FAILED"))) {
        run.kill()?;
        run.wait()?;
        return Ok(false);
    }
    Ok(run.wait()?.success())
}

/// Whether any stage notices change `n`.
fn notices(
    programs: &BTreeMap<String, PathBuf>,
    (n, mutant): (usize, &Mutant),
    limits: &[Duration],
) -> Anything<bool> {
    let room = mutant.file.strip_prefix(CORE)?.iter().next().and_then(|room| room.to_str());
    let own = format!("{}::", room.unwrap_or_default());
    if !passes(programs, (STAGES[0].0, &[&own]), n, limits[0])? {
        return Ok(true);
    }
    for (stage, limit) in STAGES.into_iter().zip(limits) {
        if !passes(programs, stage, n, *limit)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn work(count: usize, seed: u64) -> Anything<bool> {
    let all = all_mutants()?;
    eprintln!("{} changes; a sample of {count}, seed {seed}", all.len());
    let mut mutants: BTreeMap<usize, Mutant> =
        sample(all, count, seed).into_iter().enumerate().collect();
    let folder = PathBuf::from(WHERE);
    let programs = build(&folder.join("tree"), &mut mutants)?;
    let kept = folder.join(format!("found-{count}-{seed}.txt"));
    let known = fs::read_to_string(&kept).unwrap_or_default();
    let mut file = fs::OpenOptions::new().create(true).append(true).open(&kept)?;
    let mut limits = Vec::new();
    for stage in STAGES {
        let begun = Instant::now();
        if !passes(&programs, stage, usize::MAX >> 40, Duration::from_secs(3600))? {
            return Err(format!("without a change, the tests {stage:?} fail").into());
        }
        eprintln!("{stage:?}: {:?}", begun.elapsed());
        limits.push(3 * begun.elapsed() + Duration::from_secs(20));
    }
    let line = |word: &str, m: &Mutant| format!("{word} {}", m.name);
    let is_known =
        |m: &Mutant| ["caught", "missed"].iter().any(|w| known.lines().any(|l| l == line(w, m)));
    let left: Vec<(usize, &Mutant)> =
        mutants.iter().filter(|(_, m)| !is_known(m)).map(|(n, m)| (*n, m)).collect();
    let next = AtomicUsize::new(0);
    let file = Mutex::new(&mut file);
    // One change on each core: the tests of a change go one after the other.
    let worker = || -> Result<(), String> {
        while let Some((n, m)) = left.get(next.fetch_add(1, Ordering::Relaxed)) {
            let caught = notices(&programs, (*n, m), &limits).map_err(|e| e.to_string())?;
            let line = line(if caught { "caught" } else { "missed" }, m);
            eprintln!("{line}");
            writeln!(file.lock().map_err(|e| e.to_string())?, "{line}")
                .map_err(|e| e.to_string())?;
        }
        Ok(())
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
        let ended = workers
            .into_iter()
            .map(|w| w.join().unwrap_or_else(|_| Err("a worker failed".to_owned())));
        ended.collect::<Result<Vec<()>, String>>()
    })?;
    let found = fs::read_to_string(&kept)?;
    let is_missed = |m: &&Mutant| found.lines().any(|l| l == line("missed", m));
    let missed: Vec<&Mutant> = mutants.values().filter(is_missed).collect();
    let share = 100.0 * (1.0 - missed.len() as f64 / mutants.len().max(1) as f64);
    println!(
        "{} of {} changes were caught ({share:.1} %)",
        mutants.len() - missed.len(),
        mutants.len()
    );
    missed.iter().for_each(|m| println!("missed: {}", m.name));
    Ok(missed.is_empty())
}

fn main() -> ExitCode {
    let number =
        |i: usize, usual: u64| std::env::args().nth(i).map_or(Some(usual), |n| n.parse().ok());
    let (Some(count), Some(seed)) = (number(1, 150), number(2, 1)) else {
        eprintln!("cargo xtask mutants [COUNT [SEED]]");
        return ExitCode::from(2);
    };
    match work(count as usize, seed) {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
