//! Whatever the data: well-formed files, numbers that are numbers, labels on the page.

use proptest::prelude::*;
use stickslip_report::compose::{
    Convergence, Errors, EventKind, EventPoint, Fit, Planes, Residuals, Surface, Timeline,
};
use stickslip_report::figure::{Anchor, Axis, Figure, Heat, Ink, Marker, Panel, Style, Text};

/// Parses a figure and checks what every figure promises.
fn check(svg: &str) -> roxmltree::Document<'_> {
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|e| panic!("{e}\n{svg}"));
    let numeric =
        ["x", "y", "x1", "y1", "x2", "y2", "width", "height", "d", "font-size", "stroke-width"];
    for node in document.descendants() {
        for a in node.attributes().filter(|a| numeric.contains(&a.name())) {
            assert!(!a.value().contains("NaN") && !a.value().contains("inf"), "{}", a.value());
        }
    }
    let number = |node: &roxmltree::Node<'_, '_>, name: &str| {
        node.attribute(name).and_then(|v| v.parse::<f64>().ok()).expect("a number")
    };
    let (width, height) =
        (number(&document.root_element(), "width"), number(&document.root_element(), "height"));
    for text in document
        .descendants()
        .filter(|n| n.has_tag_name("text") && n.attribute("transform").is_none())
    {
        let (x, y) = (number(&text, "x"), number(&text, "y"));
        let content: String =
            text.descendants().filter_map(|n| n.text().filter(|_| n.is_text())).collect();
        // The estimate errs on the wide side; small type of sub- and superscripts makes it wider still.
        let length = 0.9 * Text::plain(content.clone()).width(number(&text, "font-size"));
        let left = match text.attribute("text-anchor") {
            Some("middle") => x - 0.5 * length,
            Some("end") => x - length,
            _ => x,
        };
        assert!(
            left > -2.0 && left + length < width + 2.0,
            "{content:?} from {left} to {} of {width}",
            left + length
        );
        assert!(y > 0.0 && y < height, "{content:?} at {y} of {height}");
    }
    document
}

/// Numbers as they come: usual, missing, infinite, huge, tiny.
fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => -100.0..100.0f64,
        1 => Just(f64::NAN),
        1 => Just(f64::INFINITY),
        1 => prop_oneof![Just(0.0), Just(-1e300), Just(f64::MAX), Just(1e-300), Just(-f64::MIN_POSITIVE)],
    ]
}

fn series() -> impl Strategy<Value = Vec<f64>> {
    prop_oneof![
        3 => prop::collection::vec(value(), 0..60),
        1 => prop::collection::vec(-1.0..1.0f64, 0..60),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_data_make_a_figure(a in series(), b in series(), c in series(), log: bool, calendar: bool) {
        let pairs: Vec<(f64, f64)> = a.iter().copied().zip(b.iter().copied()).collect();
        let events: Vec<EventPoint> = pairs.iter().zip([EventKind::Slip, EventKind::Stick, EventKind::Reversal].into_iter().cycle())
            .map(|(&(t, x), kind)| EventPoint { kind, t, x }).collect();
        let time = if calendar { Axis::calendar(1.4e9) } else { Axis::linear("t", "s").tight() };
        check(&Timeline {
            title: "a < b & \"c\"", t: &a, x: &b, drive: &c, v: &c, load: &b, friction: &c,
            limit: Some((1.2, 1.0)), stick: &pairs, events: &events, name_events: true,
            stops: &b,
            stop_force: &c,
        }.figure().to_svg());
        check(&Planes { title: "", v: &a, load: &b, drive: &c, x: &a, limit: Some((f64::NAN, 1.0)), events: &events }.figure().to_svg());
        let errors = [Errors { label: "one", h: &a, error: &b }, Errors { label: "two", h: &b, error: &c }];
        check(&Convergence { series: &errors, order: 1.0, ..Convergence::default() }.figure().to_svg());
        let fit = Fit { time: time.clone(), t: &a, drive: &b, measured: &c, fitted: &a, drive_name: ("T", "°C"), response_name: ("z", "mm"), ..Fit::default() };
        check(&fit.over_time().to_svg());
        check(&fit.plane().to_svg());
        check(&Residuals { time: time.clone(), t: &a, residual: &b, unit: "mm", ..Residuals::default() }.figure().to_svg());
        check(&Surface { rho: (0.0, 1.0), delta: (0.0, 1.0), columns: 7, error: &a, minimum: pairs.first().copied(), others: &pairs, ..Surface::default() }.figure().to_svg());
        let axis = |name: &str| if log { Axis::log(name, "m") } else { Axis::linear(name, "m") };
        let heat = Heat::new((a.first().copied().unwrap_or(0.0), 1.0), (0.5, 2.0), 3, &b);
        let all = Panel::new(axis("x"), axis("y"))
            .line(&a, &b, Ink::Blue).step(&a, &c, Ink::Green).points(&a, &b, Style::new(Ink::Orange).marker(Marker::Plus).label("p"))
            .outline(&a, &b, Ink::Purple).between(&a, &b, &c, Ink::Sky).bars(&a, &b, Ink::Grey).bands(pairs.clone(), Ink::Grey)
            .horizontal(b.first().copied().unwrap_or(1.0), Style::new(Ink::Black).label("limit"))
            .note(a.first().copied().unwrap_or(0.0), 0.5, "note_{1}", Anchor::End).tag(0.5, "τ_{1}");
        check(&Figure::new().beside([all.clone(), all.heat(if log { heat.log() } else { heat })]).to_svg());
    }

    #[test]
    fn any_text_is_text(title in "\\PC{0,12}", label in ".{0,12}") {
        let panel = Panel::new(Axis::linear(&*label, "m"), Axis::linear("y", &*label)).title(&*title).line(&[0.0, 1.0], &[0.0, 1.0], Style::new(Ink::Blue).label(&*label));
        let svg = Figure::new().title(&*title).panel(panel).to_svg();
        roxmltree::Document::parse(&svg).map_err(|e| TestCaseError::fail(e.to_string()))?;
    }
}

fn texts(svg: &str) -> Vec<String> {
    let document = check(svg);
    let of = |n: roxmltree::Node<'_, '_>| {
        n.descendants().filter_map(|n| n.text().filter(|_| n.is_text())).collect::<String>()
    };
    document.descendants().filter(|n| n.has_tag_name("text")).map(of).collect()
}

#[test]
fn dates_stand_on_the_axis() {
    // 2013-01-01 to the end of the year, as hours after an origin.
    let t: Vec<f64> = (0..8760).map(|i| 3600.0 * f64::from(i)).collect();
    let y: Vec<f64> = t.iter().map(|t| (t / 1e6).sin()).collect();
    let panel = Panel::new(Axis::calendar(1_356_998_400.0), Axis::linear("T", "°C")).line(
        &t,
        &y,
        Ink::Blue,
    );
    let texts = texts(&Figure::new().panel(panel).to_svg());
    for expected in ["Jan", "Jul", "Dec", "2013", "T (°C)", "−0.5"] {
        assert!(texts.iter().any(|t| t == expected), "{expected} is not among {texts:?}");
    }
}

/// Where none of the fonts that a figure asks for is installed, DejaVu Sans stands in, which is wider. The widths are those that
/// Chromium 156 measures in it, px at 14.5 px; the tables of the font give the same to 0.3 px.
#[test]
fn entries_of_a_legend_stand_apart_in_the_widest_font() {
    let names = [
        ("f_{s} = 1.2 f_{d}, Shaw's", 131.75),
        ("f_{s} = 1.5 f_{d}", 71.84),
        ("f_{s} = f_{d}: the theorem", 143.44),
        ("f_{s} = 1.43 f_{d}, a stick after each slip", 245.33),
        ("|b| = f_{s} at the end of a slip", 192.14),
    ];
    for (name, truly) in names {
        let counted = Text::parse(name).width(14.5);
        assert!(counted > truly - 0.5 && counted < 1.1 * truly, "{name}: {counted}, {truly}");
    }
    for width in [400.0, 560.0, 720.0, 1200.0] {
        let mut panel = Panel::new(Axis::default(), Axis::default());
        for (name, _) in names {
            panel = panel.line(vec![0.0, 1.0], vec![0.0, 1.0], Style::new(Ink::Blue).label(name));
        }
        let svg = Figure::new().width(width).panel(panel).to_svg();
        let document = check(&svg);
        let place = |n: &roxmltree::Node<'_, '_>| {
            let of = |a: &str| n.attribute(a).unwrap().parse::<f64>().unwrap();
            (of("x"), of("y"))
        };
        let all = document.descendants().filter(|n| n.has_tag_name("text"));
        let at: Vec<(f64, f64)> = all.take(names.len()).map(|n| place(&n)).collect();
        for (i, (_, truly)) in names.iter().enumerate() {
            let end = at[i].0 + truly;
            assert!(end < width, "{width}: entry {i} ends at {end}");
            // The sample of the next entry begins 28 px before its name.
            if at.get(i + 1).is_some_and(|next| next.1 == at[i].1) {
                assert!(at[i + 1].0 - 28.0 >= end + 12.0, "{width}: entry {i} ends at {end}");
            }
        }
    }
}

#[test]
fn a_million_points_are_a_small_file() {
    let n = 1_000_000;
    let t: Vec<f64> = (0..n).map(|i| f64::from(i) * 1e-3).collect();
    let mut y: Vec<f64> = t.iter().map(|t| (40.0 * t).sin() + (1234.5 * t).sin()).collect();
    y[777_777] = 9.0;
    let over_time =
        Panel::new(Axis::linear("t", "s").tight(), Axis::linear("y", "")).line(&t, &y, Ink::Blue);
    let svg = Figure::new().panel(over_time).to_svg();
    assert!(svg.len() < 120_000, "{} bytes", svg.len());
    // A single spike sets the axis, so it is drawn too (its column keeps its extreme).
    assert!(texts(&svg).iter().any(|t| t == "8"));
    let z: Vec<f64> = t.iter().map(|t| (40.0 * t).cos()).collect();
    let plane = Panel::new(Axis::linear("y", ""), Axis::linear("z", ""))
        .line(&y, &z, Ink::Blue)
        .points(&y, &z, Ink::Green);
    let svg = Figure::new().panel(plane).to_svg();
    assert!(svg.len() < 3_000_000, "{} bytes", svg.len());
}

#[test]
fn a_gap_breaks_the_line() {
    let svg = |y: &[f64]| {
        let x: Vec<f64> = (0..y.len()).map(|i| i as f64).collect();
        Figure::new()
            .panel(Panel::new(Axis::default(), Axis::default()).line(x, y.to_vec(), Ink::Blue))
            .to_svg()
    };
    let pieces = |svg: &str| {
        let document = check(svg);
        let line = document.descendants().find(|n| n.attribute("class") == Some("n sb")).unwrap();
        line.attribute("d").unwrap().matches('M').count()
    };
    assert_eq!(pieces(&svg(&[0.0, 1.0, 0.0, 1.0])), 1);
    assert_eq!(pieces(&svg(&[0.0, 1.0, f64::NAN, 1.0])), 2);
    assert_eq!(pieces(&svg(&[0.0, f64::INFINITY, f64::NAN, 1.0, 2.0, f64::NAN, 3.0])), 3);
}

/// Numbers at the ends of two axes, one above the other, and of their colour bars.
#[test]
fn numbers_of_stacked_panels_do_not_touch() {
    let heat = || Heat::new((0.0, 1.0), (0.5, 2.0), 2, vec![0.0, 1.0, 2.0, 3.0]).label("z", "m");
    let map =
        || Panel::new(Axis::linear("x", ""), Axis::linear("y", "")).heat(heat()).height(240.0);
    let curve = || {
        let axis = Axis::linear("y", "").limits(0.0, 2.0);
        Panel::new(Axis::linear("x", ""), axis).line(vec![0.0, 1.0], vec![0.0, 2.0], Ink::Blue)
    };
    for svg in [
        Figure::new().stack([map(), map(), map()]).to_svg(),
        Figure::new().stack([curve(), curve()]).to_svg(),
    ] {
        let document = check(&svg);
        let number = |n: &roxmltree::Node<'_, '_>, name: &str| -> f64 {
            n.attribute(name).unwrap().parse().unwrap()
        };
        let upright = |n: &roxmltree::Node<'_, '_>| {
            n.has_tag_name("text") && n.attribute("transform").is_none()
        };
        let all: Vec<(f64, f64, f64)> = document
            .descendants()
            .filter(upright)
            .map(|n| (number(&n, "x"), number(&n, "y"), number(&n, "font-size")))
            .collect();
        for (i, a) in all.iter().enumerate() {
            for b in all.iter().skip(i + 1).filter(|b| b.0 == a.0) {
                assert!((a.1 - b.1).abs() > 0.95 * a.2, "{a:?} and {b:?}");
            }
        }
    }
}

/// Names of what a picture could show and does not are no entries; a long name of an axis does not reach the next panel's.
#[test]
fn what_does_not_occur_is_not_named_and_names_of_axes_stand_apart() {
    let (t, x) = (vec![0.0, 1.0], vec![0.0, 1.0]);
    let panel = |stick: Vec<(f64, f64)>| {
        let label = "share of time in stick";
        Panel::new(Axis::linear("t", "s"), Axis::linear(label, "1"))
            .bands(stick, Style::new(Ink::Grey).label("stick"))
            .between(Vec::<f64>::new(), Vec::new(), Vec::new(), Style::new(Ink::Blue).label("back"))
            .line(t.clone(), x.clone(), Ink::Blue)
            .height(110.0)
    };
    let none = texts(&Figure::new().panel(panel(Vec::new())).to_svg());
    assert!(!none.iter().any(|t| t == "stick" || t == "back" || t.contains("(1)")), "{none:?}");
    let some = texts(&Figure::new().panel(panel(vec![(0.0, 0.5)])).to_svg());
    assert!(some.iter().any(|t| t == "stick"), "{some:?}");
    let load = Planes { v: &t, load: &x, x: &x, ..Planes::default() };
    let planes = texts(&load.figure().to_svg());
    assert!(planes.iter().any(|t| t.contains("load b")), "{planes:?}");
    assert!(!planes.iter().any(|t| t.contains("drive d")), "{planes:?}");

    let svg = Figure::new().stack([panel(vec![(0.0, 0.5)]), panel(Vec::new())]).to_svg();
    let document = check(&svg);
    let upwards: Vec<(f64, f64, f64)> = document
        .descendants()
        .filter(|n| n.has_tag_name("text") && n.attribute("transform").is_some())
        .map(|n| {
            let of = |a: &str| n.attribute(a).unwrap().parse::<f64>().unwrap();
            let half = 0.5 * Text::plain(n.text().unwrap()).width(of("font-size"));
            (of("x"), of("y") - half, of("y") + half)
        })
        .collect();
    // Two lines for each of the two panels, the upper panel first, in letters of their full size.
    assert_eq!(upwards.len(), 4);
    for (above, below) in [(0, 2), (1, 3)] {
        assert_eq!(upwards[above].0, upwards[below].0);
        assert!(upwards[above].2 < upwards[below].1, "{upwards:?}");
    }
    assert!(upwards[1].0 - upwards[0].0 > 15.5, "{upwards:?}");
    assert!(
        svg.matches("font-size=\"15.5\" text-anchor=\"middle\" transform").count() == 4,
        "{svg}"
    );
}

/// Forces of 800 N and of 40 kN in one figure are both in kN; what is a thousand times smaller than that has a unit of its own.
#[test]
fn axes_of_one_unit_agree_on_its_prefix() {
    let panel = |most: f64, unit: &str| {
        Panel::new(Axis::linear("time t", "s"), Axis::linear("force", unit)).line(
            vec![0.0, 1.0],
            vec![0.0, most],
            Ink::Blue,
        )
    };
    let units = |panels: &[(f64, &str)]| -> Vec<String> {
        let panels = panels.iter().map(|p| panel(p.0, p.1));
        let all = texts(&Figure::new().stack(panels).to_svg()).into_iter();
        all.filter_map(|t| Some(t.strip_prefix("force (")?.strip_suffix(')')?.to_owned())).collect()
    };
    assert_eq!(units(&[(800.0, "N")]), ["N"]);
    assert_eq!(units(&[(12e3, "N")]), ["kN"]);
    assert_eq!(units(&[(800.0, "N"), (40e3, "N")]), ["kN", "kN"]);
    assert_eq!(units(&[(0.8, "mm"), (40e3, "N")]), ["mm", "kN"]);
    assert_eq!(units(&[(1e-4, "N"), (40e3, "N")]), ["µN", "kN"]);
    assert_eq!(units(&[(2e-3, "rad")]), ["mrad"]);
    let sides = [panel(800.0, "N"), panel(40e3, "N")];
    let said = texts(&Figure::new().beside(sides).to_svg());
    assert_eq!(said.iter().filter(|t| *t == "force (kN)").count(), 2);
}
