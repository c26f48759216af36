//! A network of a file as one of the library, or as a machine.

use super::Network;
use super::slider::{Presser, Rubs, Slider};
use super::spring::{Pull, Spring};
use crate::diagnostic::Result;
use crate::model::gear::Gear;
use crate::model::hysteretic::Remembered;
use crate::model::signal::{self, Signal};
use crate::reader::Table;
use crate::reading::Gathered;
use stickslip::model::network::Matrices as BuiltMatrices;
use stickslip::model::{Machine, Network as Built, NetworkBuilder};
use stickslip::{Error, Law, Model};

impl Network {
    /// The library's network, without noises, or the machine that it is where a network cannot hold all of it or
    /// `adaptive` is asked for; `t` is the table that it was read from.
    pub fn build(&self, t: &Table<'_>, adaptive: bool, gathered: &mut Gathered) -> Result<Model> {
        let laws = self.slider.iter().map(|s| s.rubs.law()).collect::<Result<Vec<_>>>()?;
        let network = self.network(t, &laws, gathered)?;
        let plain = |s: &Slider, law: &Option<Law>| {
            s.support.is_empty() && s.normal_from.is_none() && s.rubs.forces(law.as_ref()).1
        };
        let plain = self.slider.iter().zip(&laws).all(|(s, law)| plain(s, law));
        let plain = plain && self.stop.is_empty() && self.controller.is_empty();
        let plain = plain && self.gear.is_empty();
        if plain && !adaptive && self.spring.iter().all(|s| self.is_linear(s)) {
            return Ok(network.into());
        }
        self.machine(network, laws).map(Model::from).map_err(|e| self.placed(t, e, false))
    }

    /// The machine of a network.
    fn machine(&self, network: Built, laws: Vec<Option<Law>>) -> Result<Machine, Error> {
        let mut machine = Machine::geared(network, self.gear.iter().map(Gear::build))?;
        for (s, law) in self.slider.iter().zip(laws) {
            if let Some(law) = law {
                machine = machine.with_law(&s.name, law)?;
            }
            if let Rubs::Remembers { friction, z } = &s.rubs {
                let remembered = z.as_ref().map_or(&[][..], Remembered::numbers).iter().copied();
                machine = machine.with_memory(&s.name, friction.build()?, remembered)?;
            }
            if !s.support.is_empty() {
                machine = machine.with_support(&s.name, signal::sum(&s.support)?)?;
            }
        }
        for s in &self.spring {
            if self.is_linear(s) {
                continue;
            }
            let between = [&*s.between[0], &*s.between[1]];
            machine = match &s.name {
                Some(name) => machine.with_named_spring(name, between, s.curve()?)?,
                None => machine.with_spring(between, s.curve()?)?,
            };
        }
        for s in &self.stop {
            let bound = |signals: &[Signal]| match signals {
                [] => Ok(None),
                some => signal::sum(some).map(Some),
            };
            let bounds = [bound(&s.lower)?, bound(&s.upper)?];
            let between = [&*s.between[0], &*s.between[1]];
            machine = machine.with_stop(&s.name, between, bounds, s.bumper.build())?;
        }
        for s in &self.slider {
            let Some(press) = &s.normal_from else { continue };
            machine = match &press.by {
                Presser::Spring(by) => machine.pressed_by_spring(&s.name, by, press.factor)?,
                Presser::Stop(by) => machine.pressed_by_stop(&s.name, by, press.factor)?,
            };
        }
        for c in &self.controller {
            machine = c.add_to(machine)?;
        }
        machine.check_joined()?;
        Ok(machine)
    }

    /// Whether the library's network itself holds this spring: the machine holds those that are not linear, and those by which
    /// sliders are pressed.
    pub(super) fn is_linear(&self, s: &Spring) -> bool {
        let presses = |slider: &Slider| {
            let by = slider.normal_from.as_ref().map(|p| &p.by);
            matches!(by, Some(Presser::Spring(name)) if s.name.as_ref() == Some(name))
        };
        let plain = matches!(s.pull, Pull::Linear(_)) && s.play.is_none();
        plain && !self.slider.iter().any(presses)
    }

    /// The library's network with what it can hold.
    fn network(
        &self,
        t: &Table<'_>,
        laws: &[Option<Law>],
        gathered: &mut Gathered,
    ) -> Result<Built> {
        let built = self.builder(laws)?.build().map_err(|e| self.placed(t, e, true))?;
        for (i, f) in self.force.iter().enumerate().filter(|f| f.1.signal.noise().is_some()) {
            if built.nodes().iter().all(|n| n.name != f.on) {
                let name = &f.on;
                let message = format!(
                    "a noise acts on node `{name}`, but the displacement at a contact along a direction has taken its place"
                );
                let help = "give another node the greatest weight in the direction of that contact";
                return Err(t.fault_in("force", i, "on", message).help(help));
            }
        }
        gathered.warnings.extend(built.remarks().iter().map(ToString::to_string));
        Ok(built)
    }

    /// Without noises.
    fn builder(&self, laws: &[Option<Law>]) -> Result<NetworkBuilder> {
        let mut b = Built::builder();
        // What only a machine has may be all that joins a node: that is looked at when the machine is complete.
        let more = !self.stop.is_empty() || !self.controller.is_empty() || !self.gear.is_empty();
        if more || !self.spring.iter().all(|s| self.is_linear(s)) {
            b = b.unjoined();
        }
        for n in &self.node {
            b = b.node(&n.name, n.mass).starting_at(&n.name, n.displacement, n.velocity);
        }
        if let Some(m) = &self.matrices {
            let mass = m.mass.clone();
            let damping = m.damping.clone();
            b = b.matrices(BuiltMatrices { mass, damping, stiffness: m.stiffness.clone() });
        }
        for s in self.spring.iter().filter(|s| self.is_linear(s)) {
            if let Pull::Linear(stiffness) = s.pull {
                b = b.spring(&s.between[0], &s.between[1], stiffness);
            }
        }
        for d in &self.dashpot {
            b = b.dashpot(&d.between[0], &d.between[1], d.damping);
        }
        for (s, law) in self.slider.iter().zip(laws) {
            let ([breakaway, dynamic], _) = s.rubs.forces(law.as_ref());
            b = match &s.between {
                Some([one, other]) => b.slider(&s.name, one, other, breakaway, dynamic),
                None => {
                    let names = self.node.iter().map(|n| n.name.as_str());
                    let along = names.zip(s.direction.iter().copied()).filter(|w| w.1 != 0.0);
                    b.slider_along(&s.name, along, breakaway, dynamic)
                }
            };
            if !s.normal.is_empty() {
                b = b.normal(signal::sum(&s.normal)?);
            }
        }
        for f in &self.force {
            b = b.force(&f.on, f.signal.build()?);
        }
        for m in &self.motion {
            b = b.motion(&m.on, m.signal.build()?);
        }
        Ok(b)
    }
}
