//! A report: one HTML file with text, tables, figures and interactive time series.
//!
//! The file names nothing outside itself, follows the reader's light or dark setting, prints, and needs
//! JavaScript only for its interactive plots. These are drawn by [uPlot](https://github.com/leeoniya/uPlot) 1.6 (MIT), whose
//! code is copied into every report that has one.

mod branches;
mod plot;
mod table;

pub use crate::figure::fixed;
pub use branches::{Branches, Point};
pub use plot::Interactive;
pub use table::{Table, number};

use crate::figure::{Figure, Text, escape};

const UPLOT_JS: &str = include_str!("../../vendor/uplot/uPlot.iife.min.js");
const UPLOT_CSS: &str = include_str!("../../vendor/uplot/uPlot.min.css");
const UPLOT_LICENSE: &str = include_str!("../../vendor/uplot/LICENSE");
const CSS: &str = include_str!("page.css");
const JS: &str = include_str!("page.js");
const BRANCHES_JS: &str = include_str!("branches.js");
const BRANCHES_CSS: &str = include_str!("branches.css");

/// What a callout says about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Good to know.
    Note,
    /// As it should be.
    Good,
    /// To be looked at before the numbers are used.
    Warning,
}

/// A page under construction: what is added comes below. Texts know the markup of [`Text`] and are
/// escaped.
#[derive(Debug, Clone, Default)]
pub struct Page {
    title: Text,
    subtitle: Text,
    footer: Text,
    body: String,
    plots: usize,
    branches: usize,
    parts: Parts,
}

/// What only some pages need: named where it is asked for, so that a program none of whose pages has plots carries nothing of
/// the plotting library.
#[derive(Debug, Clone, Copy, Default)]
struct Parts {
    /// Of plots: style and script of the library, its licence, and the script of the page.
    plots: Option<[&'static str; 4]>,
    /// Of branches: style and script.
    branches: Option<[&'static str; 2]>,
}

impl Page {
    /// An empty page.
    pub fn new(title: impl Into<Text>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// A line below the title: the record, the date, the version.
    pub fn subtitle(&mut self, text: impl Into<Text>) -> &mut Self {
        self.subtitle = text.into();
        self
    }

    /// The last line.
    pub fn footer(&mut self, text: impl Into<Text>) -> &mut Self {
        self.footer = text.into();
        self
    }

    fn element(&mut self, tag: &str, text: impl Into<Text>) -> &mut Self {
        self.body += &format!("<{tag}>");
        text.into().html(&mut self.body);
        self.body += &format!("</{tag}>\n");
        self
    }

    /// The box that a hurried reader reads: a paragraph for each line.
    pub fn summary<T: Into<Text>>(&mut self, lines: impl IntoIterator<Item = T>) -> &mut Self {
        self.body += "<div class=\"summary\">";
        lines.into_iter().for_each(|line| {
            self.element("p", line);
        });
        self.body += "</div>\n";
        self
    }

    /// A heading.
    pub fn section(&mut self, heading: impl Into<Text>) -> &mut Self {
        self.element("h2", heading)
    }

    /// A smaller heading.
    pub fn subsection(&mut self, heading: impl Into<Text>) -> &mut Self {
        self.element("h3", heading)
    }

    /// A place that [`links`](Self::links) lead to, named by letters, digits and `-`.
    pub fn anchor(&mut self, name: &str) -> &mut Self {
        self.body += &format!("<a id=\"{}\"></a>\n", id(name));
        self
    }

    /// A list of links to places of this page: (anchor, text).
    pub fn links<'t, T: Into<Text>>(
        &mut self,
        links: impl IntoIterator<Item = (&'t str, T)>,
    ) -> &mut Self {
        self.body += "<ul class=\"links\">\n";
        for (anchor, text) in links {
            self.body += &format!("<li><a href=\"#{}\">", id(anchor));
            text.into().html(&mut self.body);
            self.body += "</a></li>\n";
        }
        self.body += "</ul>\n";
        self
    }

    /// A figure that is an SVG document already, with its caption.
    pub fn svg(&mut self, svg: &str, caption: impl Into<Text>) -> &mut Self {
        self.body += "<figure>\n";
        self.body += svg;
        let caption = caption.into();
        if !caption.is_empty() {
            self.element("figcaption", caption);
        }
        self.body += "</figure>\n";
        self
    }

    /// A paragraph.
    pub fn text(&mut self, text: impl Into<Text>) -> &mut Self {
        self.element("p", text)
    }

    /// Text as it is typed: a model file, a command.
    pub fn code(&mut self, text: &str) -> &mut Self {
        self.body += "<pre><code>";
        // Line by line: the escape makes spaces of line ends.
        for line in text.lines() {
            escape(&mut self.body, line);
            self.body.push('\n');
        }
        self.body += "</code></pre>\n";
        self
    }

    /// A list.
    pub fn list<T: Into<Text>>(&mut self, items: impl IntoIterator<Item = T>) -> &mut Self {
        self.body += "<ul>\n";
        items.into_iter().for_each(|item| {
            self.element("li", item);
        });
        self.body += "</ul>\n";
        self
    }

    /// A table.
    pub fn table(&mut self, table: &Table) -> &mut Self {
        table.html(&mut self.body);
        self
    }

    /// A figure for paper, and for readers without JavaScript, of what an interactive plot shows on the screen.
    pub fn paper(&mut self, figure: &Figure<'_>, caption: impl Into<Text>) -> &mut Self {
        self.body += "<div class=\"paper\">\n";
        self.svg(&figure.to_svg(), caption);
        self.body += "</div>\n";
        self
    }

    /// A figure with its caption.
    pub fn figure(&mut self, figure: &Figure<'_>, caption: impl Into<Text>) -> &mut Self {
        self.svg(&figure.to_svg(), caption)
    }

    /// A box beside the text: a heading, and what there is to say.
    pub fn callout(
        &mut self,
        level: Level,
        heading: impl Into<Text>,
        text: impl Into<Text>,
    ) -> &mut Self {
        let class = match level {
            Level::Note => "note",
            Level::Good => "good",
            Level::Warning => "warn",
        };
        self.body += &format!("<div class=\"call {class}\" role=\"note\">");
        self.element("b", heading).element("p", text);
        self.body += "</div>\n";
        self
    }

    /// A part that is closed until the reader opens it.
    pub fn details(&mut self, heading: impl Into<Text>, fill: impl FnOnce(&mut Self)) -> &mut Self {
        self.body += "<details>";
        self.element("summary", heading);
        fill(self);
        self.body += "</details>\n";
        self
    }

    /// An interactive plot.
    pub fn interactive(&mut self, plot: &Interactive<'_>) -> &mut Self {
        plot.html(self.plots, &mut self.body);
        self.plots += 1;
        self.parts.plots = Some([UPLOT_CSS, UPLOT_JS, UPLOT_LICENSE, JS]);
        self
    }

    /// An interactive plot of branches.
    pub fn branches(&mut self, branches: &Branches) -> &mut Self {
        branches.html(self.branches, &mut self.body);
        self.branches += 1;
        self.parts.branches = Some([BRANCHES_CSS, BRANCHES_JS]);
        self
    }

    /// The whole file.
    pub fn to_html(&self) -> String {
        let mut head = String::new();
        escape(&mut head, &self.title.flat());
        let mut top = String::new();
        self.title.html(&mut top);
        let mut subtitle = String::new();
        self.subtitle.html(&mut subtitle);
        let mut footer = String::new();
        self.footer.html(&mut footer);
        let subtitle = if subtitle.is_empty() {
            subtitle
        } else {
            format!("<p class=\"sub\">{subtitle}</p>\n")
        };
        let footer =
            if footer.is_empty() { footer } else { format!("<footer>{footer}</footer>\n") };
        let mut style = CSS.to_owned();
        let mut script = String::new();
        if let Some([library_style, library, licence, plots]) = self.parts.plots {
            style = format!("{library_style}\n{CSS}");
            script = format!("<script>\n/*\n{licence}*/\n{library}\n{plots}</script>\n");
        }
        if let Some([branch_style, branches]) = self.parts.branches {
            style += branch_style;
            script += &format!("<script>\n{branches}</script>\n");
        }
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{head}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n\
             <h1>{top}</h1>\n{subtitle}{}{footer}</main>\n{script}</body>\n</html>\n",
            self.body
        )
    }
}

/// What may name a place in a page.
fn id(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Axis, Ink, Panel};

    #[test]
    fn a_page_is_whole_and_escaped() {
        let mut page = Page::new("a <b> & c");
        page.summary(["one", "f_{s} = 1 N"])
            .section("<script>alert(1)</script>")
            .code("a < b\n\tc");
        page.details("more", |p| {
            p.text("inside").callout(Level::Warning, "K", "not identifiable");
        });
        let panel = Panel::new(Axis::linear("t", "s"), Axis::linear("x", "m")).line(
            &[0.0, 1.0],
            &[0.0, 1.0],
            Ink::Blue,
        );
        page.figure(&Figure::new().panel(panel), "a line");
        let html = page.to_html();
        assert!(!html.contains("<script>") && html.contains("a < b").eq(&false));
        assert!(
            html.contains("<title>a &lt;b&gt; &amp; c</title>") && html.contains("f<sub>s</sub>")
        );
        for tag in ["div", "details", "figure", "main", "p", "pre"] {
            let count = |t: &str| html.matches(t).count();
            assert_eq!(
                count(&format!("<{tag}>")) + count(&format!("<{tag} ")),
                count(&format!("</{tag}>")),
                "{tag}"
            );
        }
    }

    #[test]
    fn the_plotting_library_comes_only_when_needed() {
        let mut page = Page::new("t");
        assert!(page.to_html().len() < 8_000);
        let t: Vec<f64> = (0..100).map(f64::from).collect();
        page.interactive(&Interactive::new(Axis::linear("t", "s"), &t).line(&t, Ink::Blue));
        let html = page.to_html();
        assert!(html.contains("uPlot") && html.contains("Leon Sorokin"));
        for outside in ["src=\"http", "href=\"http", "@import", "url(http"] {
            assert!(!html.contains(outside), "{outside}");
        }
    }
}
