//! Problems as text: equal texts for equal problems, whatever their types print for debugging.

use super::machine::Controller;
use super::network::Link;
use super::{
    Bumper, Cascade, Hysteretic, Impact, Initial, Isolated, Machine, Model, Network, NoiseOn,
    Oscillator, Planar, Problem, Stops,
};
use crate::error::Error;
use crate::signal::Signal;
use crate::signal::noise::Noise;
use std::fmt::{Display, Write};

/// A text of named parts.
#[derive(Default)]
struct Text(String);

impl Text {
    fn add(&mut self, name: &str, value: impl Display) {
        // Writing to a text cannot fail.
        let _ = writeln!(self.0, "{name} = {value}");
    }

    fn number(&mut self, name: &str, value: f64) {
        self.add(name, format_args!("{value:?}"));
    }

    fn numbers(&mut self, name: &str, values: &[f64]) {
        self.add(name, format_args!("{values:?}"));
    }

    fn signal(&mut self, name: &str, signal: Option<&Signal>) {
        self.add(name, signal.map_or_else(|| "none".to_owned(), Signal::canonical));
    }

    fn initial(&mut self, at: Initial) {
        self.numbers("initial", &[at.displacement, at.velocity]);
    }
}

impl Problem {
    /// The problem as text, its numbers with all their digits: equal for equal problems. Functions of users stand
    /// in it by their names.
    ///
    /// # Errors
    /// [`Error::Unnamed`] for a function without a name.
    pub fn canonical(&self) -> Result<String, Error> {
        let mut text = Text::default();
        text.add("kind", self.kind());
        match &self.model {
            Model::Oscillator(o) => oscillator(&mut text, o)?,
            Model::Cascade(c) => cascade(&mut text, c),
            Model::Network(n) => network(&mut text, n),
            Model::Impact(i) => impact(&mut text, i),
            Model::Machine(m) => machine(&mut text, m)?,
            Model::Planar(p) => planar(&mut text, p)?,
            Model::Hysteretic(h) => hysteretic(&mut text, h),
            Model::Isolated(i) => isolated(&mut text, i)?,
        }
        self.noises.iter().for_each(|n| noise(&mut text, n));
        text.number("end", self.end);
        Ok(text.0)
    }
}

fn oscillator(text: &mut Text, o: &Oscillator) -> Result<(), Error> {
    text.numbers("mass, stiffness, damping", &[o.mass, o.stiffness, o.damping]);
    text.add("friction", o.friction.canonical()?);
    text.signal("drive", Some(&o.drive));
    text.signal("force", Some(&o.force));
    text.signal("support", Some(&o.support));
    text.signal("normal", o.normal.as_ref());
    text.numbers("nonlinear stiffness", &o.nonlinear.stiffness);
    text.number("quadratic damping", o.nonlinear.damping);
    if o.nonlinear.normal_slope != 0.0 {
        text.number("normal slope", o.nonlinear.normal_slope);
    }
    if let Some(load) = &o.nonlinear.load {
        let unnamed = || Error::Unnamed { what: "the load".into() };
        text.add("load", load.name().ok_or_else(unnamed)?);
    }
    if let Some(Stops { lower, upper, .. }) = o.stops {
        text.add("stops", format_args!("{lower:?}, {upper:?}"));
        let e = o.stops.and_then(|s| s.restitution());
        let soft = o.stops.and_then(|s| s.spring());
        text.add("bumper", format_args!("{e:?}, {soft:?}"));
    }
    text.initial(o.initial);
    Ok(())
}

fn cascade(text: &mut Text, c: &Cascade) {
    text.number("mass", c.mass);
    text.numbers("stiffness", &c.stiffness);
    text.numbers("threshold", &c.threshold);
    text.numbers("prestress", &c.prestress);
    text.signal("force", Some(&c.force));
    text.signal("displacement", c.displacement.as_ref());
    text.initial(c.initial);
}

fn network(text: &mut Text, n: &Network) {
    for node in n.nodes() {
        text.add("node", format_args!("{:?}", node.name));
        text.numbers("state", &[node.mass, node.displacement, node.velocity]);
        text.signal("motion", node.motion.as_ref());
        text.signal("force", Some(&node.force));
    }
    let mut links = |name: &str, links: &[Link]| {
        for l in links {
            text.add(name, format_args!("{:?}, {:?}", l.between(), l.coefficient));
        }
    };
    links("spring", n.springs());
    links("dashpot", n.dashpots());
    for s in n.shared_masses() {
        text.add("shared mass", format_args!("{:?}, {:?}", s.between, s.mass));
    }
    for s in n.sliders() {
        text.add("slider", format_args!("{:?}, {:?}", s.name, s.between()));
        text.numbers("friction", &[s.breakaway, s.dynamic]);
        text.signal("normal", s.normal.as_ref());
    }
}

fn machine(text: &mut Text, m: &Machine) -> Result<(), Error> {
    network(text, m.network());
    for friction in m.frictions() {
        text.add("law", friction.law.canonical()?);
        text.signal("support", Some(&friction.support));
        if let Some(b) = &friction.bristle {
            let remembers: Vec<String> = b.remembers.iter().map(|z| format!("{z:?}")).collect();
            let law = b.law.law().canonical();
            text.add("bristle", format_args!("{law}, {}", remembers.join(", ")));
        }
    }
    for stop in m.stops() {
        text.add("stop", format_args!("{:?}, {:?}, {:?}", stop.name, stop.between(), stop.bumper));
        text.signal("lower", stop.lower.as_ref());
        text.signal("upper", stop.upper.as_ref());
    }
    for gear in m.gears() {
        text.add("gear", format_args!("{:?}, {:?}, {:?}", gear.name, gear.nodes(), gear.friction));
        text.number("ratio", gear.ratio);
    }
    for spring in m.springs() {
        text.add("curved spring", format_args!("{:?}, {:?}", spring.between(), spring.curve));
    }
    m.controllers().iter().for_each(|c| controller(text, c));
    Ok(())
}

fn controller(text: &mut Text, c: &Controller) {
    let law = &c.law;
    text.add("controller", format_args!("{:?}, {:?}, {:?}", c.name, c.of(), c.on()));
    text.add("rule", format_args!("{:?}, {:?}", law.quantity, law.rule));
    text.add("limit", format_args!("{:?}, {:?}", law.limit, law.sampling));
    text.add("feed forward", format_args!("{:?}", law.feed_forward));
    text.signal("reference", Some(&law.reference));
    text.signal("dither", Some(&law.dither));
}

fn hysteretic(text: &mut Text, h: &Hysteretic) {
    text.add("friction", h.law().canonical());
    text.numbers("z", &h.memory);
    if let Some(body) = h.body() {
        text.numbers("mass, stiffness, damping", &[body.mass, body.stiffness, body.damping]);
        text.initial(body.initial);
    }
    for (name, signal) in h.signals() {
        text.signal(name, Some(signal));
    }
}

fn impact(text: &mut Text, i: &Impact) {
    text.numbers("mass, stiffness, damping", &[i.mass, i.stiffness, i.damping]);
    text.number("restitution", i.restitution);
    text.signal("force", Some(&i.force));
    text.signal("lower", i.lower.as_ref());
    text.signal("upper", i.upper.as_ref());
    text.initial(i.initial);
}

fn planar(text: &mut Text, p: &Planar) -> Result<(), Error> {
    text.number("mass", p.mass);
    text.numbers("stiffness", p.stiffness.as_flattened());
    if let Some(bowl) = p.bowl {
        text.numbers("bowl", &[bowl.radius, bowl.weight]);
    }
    text.numbers("damping", p.damping.as_flattened());
    text.add("friction", p.friction.canonical()?);
    text.numbers("ellipse", &p.ellipse.0);
    let mut pair = |name: &str, signals: &[Signal; 2]| {
        signals.iter().for_each(|s| text.signal(name, Some(s)));
    };
    pair("force", &p.force);
    pair("base", &p.base);
    pair("support", &p.support);
    text.signal("normal", p.normal.as_ref());
    if let Some(pressure) = p.pressure {
        text.numbers("pressure", &[pressure.reference, pressure.scale]);
    }
    if let Some(rim) = p.rim {
        match rim.bumper {
            Bumper::Soft { stiffness, damping } => {
                text.numbers("rim", &[rim.radius, stiffness, damping]);
            }
            Bumper::Rigid { restitution } => {
                text.numbers("rigid rim", &[rim.radius, restitution]);
            }
        }
    }
    text.numbers("initial displacement", &p.displacement);
    text.numbers("initial velocity", &p.velocity);
    Ok(())
}

fn isolated(text: &mut Text, slab: &Isolated) -> Result<(), Error> {
    text.numbers("mass, inertia", &[slab.mass, slab.inertia]);
    for i in &slab.isolators {
        text.add("isolator", format_args!("{:?}", i.name));
        text.numbers("at", &i.at);
        text.numbers("stiffness", i.stiffness.as_flattened());
        text.numbers("damping", i.damping.as_flattened());
        text.add("friction", i.friction.canonical()?);
        text.numbers("ellipse, share", &[i.ellipse.0[0], i.ellipse.0[1], i.share]);
    }
    for f in &slab.floors {
        text.add("floor", format_args!("{:?}", f.name));
        text.numbers("mass, inertia", &[f.mass, f.inertia]);
        text.numbers("places", [f.at, f.stiffness_at].as_flattened());
        text.numbers("stiffness", f.stiffness.as_flattened());
        text.numbers("damping", f.damping.as_flattened());
        text.numbers("torsion", &[f.torsion, f.torsion_damping]);
    }
    for signal in slab.force.iter().chain(&slab.base).chain([&slab.moment]) {
        text.signal("load", Some(signal));
    }
    text.signal("normal", slab.normal.as_ref());
    text.numbers("initial displacement", &slab.displacement);
    text.numbers("initial velocity", &slab.velocity);
    text.numbers("initial rotation, spin", &[slab.rotation, slab.spin]);
    Ok(())
}

fn noise(text: &mut Text, on: &NoiseOn) {
    let (kind, numbers) = match on.noise {
        Noise::White { intensity } => ("white", vec![intensity]),
        Noise::OrnsteinUhlenbeck { rate, intensity, scale } => {
            ("ornstein-uhlenbeck", vec![rate, intensity, scale])
        }
        Noise::KanaiTajimi { angular_frequency, damping_ratio, intensity, scale } => {
            ("kanai-tajimi", vec![angular_frequency, damping_ratio, intensity, scale])
        }
    };
    text.add("noise", format_args!("{} {kind} {numbers:?}", on.place));
}
