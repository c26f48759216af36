//! Draws every kind of figure from made-up data, to be looked at: `cargo run --example demo -- DIRECTORY`.

use stickslip_report::compose::{
    Convergence, Errors, EventKind, EventPoint, Fit, Planes, Residuals, Surface, Timeline, greatest,
};
use stickslip_report::figure::{Anchor, Axis, Figure, Ink, Marker, Panel, Style};
use stickslip_report::html::{Interactive, Level, Page, Table, number};

/// Shaw's oscillator by a plain Euler loop: m = K = 1, f_d = 1, f_s = 1.2, d = 6 cos(t/2).
#[derive(Default)]
struct Shaw {
    t: Vec<f64>,
    x: Vec<f64>,
    v: Vec<f64>,
    drive: Vec<f64>,
    load: Vec<f64>,
    friction: Vec<f64>,
    stick: Vec<(f64, f64)>,
    events: Vec<EventPoint>,
}

fn shaw(end: f64, h: f64) -> Shaw {
    let (fs, fd) = (1.2, 1.0);
    let mut s = Shaw::default();
    let (mut x, mut v) = (6.0, 0.0);
    let mut since = Some(0.0);
    let steps = (end / h) as usize;
    for n in 0..=steps {
        let t = n as f64 * h;
        let d = 6.0 * (0.5 * t).cos();
        let b = d - x;
        let p: f64 = v + h * b;
        let next = if p.abs() <= h * fs { 0.0 } else { p - h * fd * p.signum() };
        s.t.push(t);
        s.x.push(x);
        s.v.push(v);
        s.drive.push(d);
        s.load.push(b);
        s.friction.push(b - (next - v) / h);
        x += h * v;
        let kind = match (since, next == 0.0) {
            (Some(start), false) => {
                s.stick.push((start, t));
                since = None;
                Some(EventKind::Slip)
            }
            (None, true) => {
                since = Some(t);
                Some(EventKind::Stick)
            }
            (None, false) if next * v < 0.0 => Some(EventKind::Reversal),
            _ => None,
        };
        s.events.extend(kind.map(|kind| EventPoint { kind, t, x }));
        v = next;
    }
    s.stick.extend(since.map(|start| (start, end)));
    s
}

/// A year of hours: temperature, a bearing that sticks and slips (quasi-static), and its measured displacement.
struct Year {
    t: Vec<f64>,
    temperature: Vec<f64>,
    measured: Vec<f64>,
    fitted: Vec<f64>,
}

fn year() -> Year {
    let mut seed = 7u64;
    let mut noise = move || {
        let mut sum = -6.0;
        for _ in 0..12 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            sum += (seed >> 11) as f64 / (1u64 << 53) as f64;
        }
        sum
    };
    let (beta, rho, delta) = (2.0, 1.3, 1.6);
    let (mut xi, mut weather) = (0.0, 0.0);
    let mut y = Year { t: vec![], temperature: vec![], measured: vec![], fitted: vec![] };
    for i in 0..8760 {
        let hour = f64::from(i);
        let day = hour / 24.0;
        weather = 0.995 * weather + 0.35 * noise();
        let season = -11.0 * (std::f64::consts::TAU * (day - 20.0) / 365.0).cos();
        let temperature =
            11.0 + season + weather - 3.5 * (std::f64::consts::TAU * (hour - 3.0) / 24.0).cos();
        while f64::abs(temperature - xi) > rho {
            xi += delta * f64::signum(temperature - xi);
        }
        let z = 3.0 + beta * (0.9 * xi + 0.1 * temperature);
        let missing = (4000..4200).contains(&i);
        y.t.push(1_356_998_400.0 + 3600.0 * hour);
        y.temperature.push(temperature);
        y.measured.push(if missing { f64::NAN } else { z + 0.15 * noise() });
        y.fitted.push(z);
    }
    y
}

#[allow(clippy::too_many_lines, reason = "one page after the other, as a reader would write it")]
fn main() -> std::io::Result<()> {
    let directory = std::env::args().nth(1).unwrap_or_else(|| "out/demo".to_owned());
    let directory = std::path::Path::new(&directory);
    std::fs::create_dir_all(directory)?;
    let mut page = Page::new("Figures of stickslip");
    page.subtitle("Made-up data; every kind of figure once");
    page.summary([
        "The bearing sticks and slips: breakaway at f_{s}/K = 2.6 mm.",
        "95 % interval: 2.5 to 2.7 mm; K itself cannot be known from this record.",
    ]);
    let show = |name: &str, figure: &Figure<'_>, page: &mut Page| -> std::io::Result<()> {
        page.figure(figure, name);
        std::fs::write(directory.join(format!("{name}.svg")), figure.to_svg())
    };

    let s = shaw(40.0, 0.002);
    let timeline = Timeline {
        title: "Shaw's oscillator",
        t: &s.t,
        x: &s.x,
        drive: &s.drive,
        v: &s.v,
        load: &s.load,
        friction: &s.friction,
        limit: Some((1.2, 1.0)),
        stick: &s.stick,
        events: &s.events,
        name_events: true,
        stops: &[],
        stop_force: &[],
    };
    page.section("Simulation");
    show("timeline", &timeline.figure(), &mut page)?;
    let on_plane: Vec<EventPoint> =
        s.events.iter().map(|e| EventPoint { t: 6.0 * (0.5 * e.t).cos(), ..*e }).collect();
    let planes = Planes {
        title: "",
        v: &s.v,
        load: &s.load,
        drive: &s.drive,
        x: &s.x,
        limit: Some((1.2, 1.0)),
        events: &on_plane,
    };
    show("planes", &planes.figure(), &mut page)?;

    let long = shaw(20_000.0, 0.02);
    let many = Timeline {
        title: "A million steps",
        events: &long.events,
        name_events: false,
        t: &long.t,
        x: &long.x,
        v: &long.v,
        stick: &long.stick,
        ..Timeline::default()
    };
    show("million", &many.figure(), &mut page)?;
    show(
        "million-plane",
        &Planes {
            v: &long.v,
            load: &long.load,
            drive: &long.drive,
            x: &long.x,
            ..Planes::default()
        }
        .figure(),
        &mut page,
    )?;

    let h: Vec<f64> = (0..7).map(|i| 0.05 / f64::from(1 << i)).collect();
    let error: Vec<f64> = h.iter().map(|h| 2.1 * h * (1.0 + 2.0 * h)).collect();
    let other: Vec<f64> = h.iter().map(|h| 0.6 * h.powf(0.93)).collect();
    let series = [
        Errors { label: "f_{s} = f_{d}", h: &h, error: &error },
        Errors { label: "f_{s} > f_{d}", h: &h, error: &other },
    ];
    page.section("Convergence");
    show(
        "convergence",
        &Convergence {
            series: &series,
            order: 1.0,
            error: ("sup norm error", "m"),
            ..Convergence::default()
        }
        .figure(),
        &mut page,
    )?;

    let y = year();
    let fit = Fit {
        title: "",
        time: Axis::calendar(0.0),
        t: &y.t,
        drive: &y.temperature,
        drive_name: ("temperature T", "°C"),
        measured: &y.measured,
        fitted: &y.fitted,
        response_name: ("displacement z", "mm"),
        zooms: None,
    };
    page.section("Calibration");
    page.table(
        &Table::new(["parameter", "value", "unit", "95 % interval"])
            .row(["K", &number(1.89e8, 3), "N/m", "—"])
            .row([
                "f_{s}/K",
                &number(2.61e-3, 3),
                "m",
                &format!("{} … {}", number(2.5e-3, 3), number(2.7e-3, 3)),
            ])
            .row(["β", &number(-1.97e-3, 3), "m/K", "−0.00199 … −0.00195"])
            .caption("Fitted parameters"),
    );
    page.callout(
        Level::Warning,
        "K cannot be known from this record",
        "Without K_{BP} only f_{s}/K and f_{d}/K are seen.",
    );
    page.callout(Level::Good, "The fit is global", "The whole (ρ, δ) box was searched.");
    page.interactive(
        &Interactive::new(Axis::calendar(0.0), &y.t)
            .panel("displacement", "mm", 260.0)
            .line(&y.measured, Style::new(Ink::Sky).label("measured").width(3.0))
            .line(&y.fitted, Style::new(Ink::Vermillion).label("fitted").width(1.2))
            .panel("temperature", "°C", 150.0)
            .line(&y.temperature, Style::new(Ink::Black).label("temperature")),
    );
    show("fit", &fit.over_time(), &mut page)?;
    show("fit-plane", &fit.plane(), &mut page)?;
    let residual: Vec<f64> = y.measured.iter().zip(&y.fitted).map(|(a, b)| a - b).collect();
    let residuals = Residuals {
        title: "",
        time: Axis::calendar(0.0),
        t: &y.t,
        residual: &residual,
        unit: "mm",
        recorded: greatest(&y.measured),
        lags: 48,
    };
    show("residuals", &residuals.figure(), &mut page)?;
    let n = 240;
    let error: Vec<f64> = (0..n * n)
        .map(|i| {
            let (r, d) = (0.2 + 2.8 * (i % n) as f64 / n as f64, 4.0 * (i / n) as f64 / n as f64);
            let wave = 0.04 * ((17.0 * r).sin() * (13.0 * d).cos());
            if d < 2.0 * r {
                0.1 + 0.3 * (r - 1.3).hypot(0.7 * (d - 1.6)) + wave.abs()
            } else {
                f64::NAN
            }
        })
        .collect();
    let others = [(1.0, 1.2), (1.9, 2.1)];
    let surface = Surface {
        title: "",
        rho: (0.2, 3.0),
        delta: (0.0, 4.0),
        unit: "°C",
        columns: n,
        error: &error,
        error_unit: "mm",
        minimum: Some((1.3, 1.6)),
        others: &others,
    };
    show("surface", &surface.figure(), &mut page)?;

    // Parameters over time with intervals, a step line, notes.
    let t: Vec<f64> = (0..12).map(|i| 1_356_998_400.0 + 30.4 * 86_400.0 * f64::from(i)).collect();
    let value: Vec<f64> = t
        .iter()
        .enumerate()
        .map(|(i, _)| 4.7e5 + 8e3 * (i as f64).sin() + 3e3 * i as f64)
        .collect();
    let (low, high): (Vec<f64>, Vec<f64>) = value.iter().map(|v| (v - 2e4, v + 2e4)).unzip();
    let drift = Panel::new(Axis::calendar(0.0), Axis::linear("f_{s}", "N"))
        .between(&t, low, high, Style::new(Ink::Blue).label("95 % interval"))
        .line(&t, &value, Style::new(Ink::Blue))
        .points(
            &t,
            &value,
            Style::new(Ink::Blue).label("estimate").marker(Marker::Square).size(7.0),
        )
        .step(&t, &value, Style::new(Ink::Orange).label("as steps").dashed())
        .note(t[8], value[8], "alarm", Anchor::Middle);
    let day: Vec<f64> = (0..=48).map(|i| 1_356_998_400.0 + 3600.0 * f64::from(i)).collect();
    let tiny: Vec<f64> = day.iter().map(|t| 3e-6 * (t / 9000.0).sin()).collect();
    let small = Panel::new(Axis::calendar(0.0).label("UTC"), Axis::linear("x", "m"))
        .line(&day, &tiny, Ink::Green)
        .title("Two days, micrometres");
    let empty = Panel::new(Axis::linear("t", "s"), Axis::linear("x", "m")).title("Nothing");
    page.section("More");
    show("drift", &Figure::new().panel(drift).beside([small, empty]), &mut page)?;
    page.section("A million points");
    page.interactive(
        &Interactive::new(Axis::linear("t", "s"), &long.t)
            .panel("x", "m", 220.0)
            .line(&long.x, Style::new(Ink::Blue).label("x"))
            .panel("v", "m/s", 160.0)
            .line(&long.v, Style::new(Ink::Vermillion).label("v"))
            .bands(&long.stick),
    );
    page.details("The model file", |p| {
        p.code("[oscillator]\nmass = 1.0\nstiffness = 1.0");
    });
    page.footer("stickslip 0.1.0");
    std::fs::write(directory.join("index.html"), page.to_html())
}
