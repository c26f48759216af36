//! Which files each command may write: nothing else in a folder of results is ever replaced or removed.

use stickslip_file::regular::is_plain;

/// The file that says what came out, which every command writes.
const SUMMARY: &str = "summary.json";

/// What a command writes, by its stems; `*` stands for any plain text.
struct Written {
    command: &'static str,
    /// CSV or Parquet.
    tables: &'static [&'static str],
    figures: &'static [&'static str],
    pages: &'static [&'static str],
    /// Names with their endings.
    others: &'static [&'static str],
}

const NOTHING: Written =
    Written { command: "", tables: &[], figures: &[], pages: &[], others: &[] };

const ALL: [Written; 16] = [
    Written {
        command: "simulate",
        tables: &["trajectory", "events", "perturbation"],
        figures: &[
            "motion",
            "planes",
            "plane",
            "orbit",
            "loops",
            "slips",
            "bounces",
            "perturbation",
        ],
        ..NOTHING
    },
    Written { command: "converge", tables: &["convergence"], figures: &["convergence"], ..NOTHING },
    Written {
        command: "solutions",
        tables: &["solutions", "family", "jump", "corner", "bounces"],
        figures: &["solutions", "jump", "corner", "paths", "schatzman"],
        ..NOTHING
    },
    Written { command: "certify", others: &["certificate.json"], ..NOTHING },
    Written {
        command: "calibrate",
        tables: &[
            "fit",
            "events",
            "windows",
            "records",
            "residuals",
            "spectrum",
            "correlation",
            "slips",
        ],
        figures: &[
            "record",
            "curve",
            "plane",
            "residuals",
            "surface",
            "profiles",
            "windows",
            "loop",
            "spectrum",
            "friction",
            "simulation",
            "ageing",
            "distributions",
            "slips",
            "correlation",
            "curve",
            "terms",
            "groups",
        ],
        pages: &["report"],
        others: &["fit.json"],
    },
    Written {
        command: "fleet",
        tables: &["fleet"],
        pages: &["index", "report-*"],
        others: &["partial.json"],
        ..NOTHING
    },
    Written {
        command: "ensemble",
        tables: &["ensemble", "durations", "final", "spectrum"],
        figures: &["ensemble", "histogram", "durations", "spectrum"],
        others: &["partial.json"],
        ..NOTHING
    },
    Written {
        command: "merge",
        tables: &[
            "ensemble",
            "durations",
            "final",
            "spectrum",
            "fleet",
            "sweep",
            "section",
            "section_down",
            "lyapunov",
        ],
        figures: &[
            "ensemble",
            "histogram",
            "durations",
            "spectrum",
            "sweep",
            "section",
            "section_down",
            "lyapunov",
        ],
        pages: &["index", "report-*"],
        others: &["partial.json"],
    },
    Written {
        command: "sweep",
        tables: &["sweep", "quantiles", "section", "section_down", "lyapunov"],
        figures: &["sweep", "section", "section_down", "lyapunov"],
        others: &["partial.json"],
        ..NOTHING
    },
    Written {
        command: "orbit",
        tables: &["orbit"],
        figures: &["orbit"],
        others: &["orbit.json"],
        ..NOTHING
    },
    Written {
        command: "response",
        tables: &["response", "boundaries", "peaks"],
        figures: &["response", "boundaries", "peaks"],
        pages: &["response"],
        ..NOTHING
    },
    Written {
        command: "basins",
        tables: &["basins"],
        figures: &["basins"],
        others: &["basins.json"],
        ..NOTHING
    },
    Written {
        command: "design",
        tables: &["design", "expected"],
        figures: &["goals"],
        pages: &["report"],
        others: &["design.json"],
    },
    Written {
        command: "hunt",
        tables: &["starts", "cycles", "hunt"],
        figures: &["hunt"],
        others: &["hunt.json"],
        ..NOTHING
    },
    // The items of the gallery have figures and model files of their own.
    Written {
        command: "reproduce",
        figures: &["*"],
        pages: &["index"],
        others: &["*.toml", "*.csv"],
        ..NOTHING
    },
    Written {
        command: "reference",
        tables: &["reference"],
        others: &["model.toml", "statement.md", "certified.json"],
        ..NOTHING
    },
];

const SCORE: Written = Written { command: "score", tables: &["score"], ..NOTHING };

fn of(command: &str) -> Option<&'static Written> {
    ALL.iter().chain([&SCORE]).find(|w| w.command == command)
}

/// Whether there is such a command.
pub fn is_command(command: &str) -> bool {
    of(command).is_some()
}

/// Whether a command may write a file of this name.
pub fn may_write(command: &str, name: &str) -> bool {
    is_plain(name) && matches(command, name, fits)
}

fn matches(command: &str, name: &str, fits: impl Fn(&str, &str) -> bool) -> bool {
    let Some(written) = of(command) else { return false };
    let any = |patterns: &[&str], text: &str| patterns.iter().any(|p| fits(p, text));
    let by_ending = name.rsplit_once('.').is_some_and(|(stem, ending)| match ending {
        "csv" | "parquet" => any(written.tables, stem),
        "svg" => any(written.figures, stem),
        "html" => any(written.pages, stem),
        _ => false,
    });
    name == SUMMARY || by_ending || any(written.others, name)
}

/// Whether a text is as a pattern says, with at most one `*` in it.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else { return pattern == text };
    let inside = text.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    inside.is_some_and(|inside| !inside.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every file of Rust in a folder and below.
    fn sources(folder: &std::path::Path, texts: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            match entry.path() {
                path if path.is_dir() => sources(&path, texts),
                path if path.extension().is_some_and(|e| e == "rs") => {
                    texts.push(std::fs::read_to_string(path).unwrap());
                }
                _ => {}
            }
        }
    }

    /// A table, figure, page or document that no list above has could not be written.
    #[test]
    fn what_the_sources_name_is_in_the_lists() {
        let mut texts = Vec::new();
        sources(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/export"), &mut texts);
        let calls = [
            ("Table::new(", "csv"),
            (".figure(", "svg"),
            (".page(", "html"),
            (".document(", "json"),
        ];
        let mut seen = 0;
        for (text, (call, ending)) in
            texts.iter().flat_map(|text| calls.iter().map(move |call| (text, call)))
        {
            let names = text.split(call).skip(1).filter_map(|rest| {
                let (name, _) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
                (!name.contains(' ')).then(|| format!("{name}.{ending}"))
            });
            for name in names {
                let known = ALL.iter().any(|written| may_write(written.command, &name));
                assert!(known, "{name}: add it to the command that writes it, in this file");
                seen += 1;
            }
        }
        assert!(seen > 40, "{seen}");
    }

    #[test]
    fn a_command_writes_its_own_names_only() {
        let yes = [
            ("simulate", "events.csv"),
            ("simulate", "events.parquet"),
            ("orbit", "summary.json"),
            ("fleet", "report-b0~2.html"),
            ("reproduce", "shaw.toml"),
        ];
        for (command, name) in yes {
            assert!(may_write(command, name), "{command} {name}");
        }
        let no = [
            ("simulate", "paper.tex"),
            ("simulate", ".bashrc"),
            ("simulate", "orbit.csv"),
            ("orbit", "events.csv"),
            ("fleet", "report-.html"),
            ("fleet", "report-/../../x.html"),
            ("reproduce", ".svg"),
            ("reproduce", "../a.svg"),
            ("none", "summary.json"),
        ];
        for (command, name) in no {
            assert!(!may_write(command, name), "{command} {name}");
        }
    }
}
