//! Where other programs may act on a model while it moves.

use super::{Inlet, Isolated, Machine, Model, Oscillator, Planar};
use crate::error::Error;
use crate::signal::Signal;

/// Every inlet of an oscillator.
const OSCILLATOR: [Inlet; 4] = [Inlet::Drive, Inlet::Force, Inlet::Support, Inlet::Normal];

impl Oscillator {
    /// Takes the signals of another oscillator that is otherwise the same.
    pub(crate) fn take_signals(&mut self, of: &Self) {
        self.drive.clone_from(&of.drive);
        self.force.clone_from(&of.force);
        self.support.clone_from(&of.support);
        self.normal.clone_from(&of.normal);
    }

    fn at_inlet(&mut self, inlet: Inlet) -> Option<&mut Signal> {
        match inlet {
            Inlet::Drive => Some(&mut self.drive),
            Inlet::Force => Some(&mut self.force),
            Inlet::Support => Some(&mut self.support),
            Inlet::Normal => self.normal.as_mut(),
            _ => None,
        }
    }
}

impl Planar {
    fn at_inlet(&mut self, inlet: Inlet) -> Option<&mut Signal> {
        match inlet {
            Inlet::PlaneForce(axis) => self.force.get_mut(axis),
            Inlet::PlaneBase(axis) => self.base.get_mut(axis),
            Inlet::PlaneSupport(axis) => self.support.get_mut(axis),
            Inlet::Normal => self.normal.as_mut(),
            _ => None,
        }
    }
}

impl Isolated {
    fn at_inlet(&mut self, inlet: Inlet) -> Option<&mut Signal> {
        match inlet {
            Inlet::PlaneForce(axis) => self.force.get_mut(axis),
            Inlet::PlaneBase(axis) => self.base.get_mut(axis),
            Inlet::Normal => self.normal.as_mut(),
            _ => None,
        }
    }
}

impl Model {
    /// Where something may be added to its signals while it moves, in a fixed order.
    pub fn inlets(&self) -> Vec<Inlet> {
        match self {
            Self::Oscillator(o) => {
                let given = |i: &Inlet| *i != Inlet::Normal || o.normal.is_some();
                OSCILLATOR.into_iter().filter(given).collect()
            }
            Self::Hysteretic(h) => h.inlets(),
            Self::Cascade(c) if c.displacement.is_some() => vec![Inlet::Displacement],
            Self::Cascade(_) => vec![Inlet::Force],
            Self::Network(_) | Self::Machine(_) => {
                let Some(n) = self.network_in() else { return Vec::new() };
                let nodes = n.nodes().iter().enumerate();
                let of = |(i, node): (usize, &super::network::Node)| match node.motion {
                    Some(_) => Inlet::NodeMotion(i),
                    None => Inlet::NodeForce(i),
                };
                let sliders = n.sliders().iter().enumerate();
                let pressed = sliders.filter(|(_, s)| s.normal.is_some());
                let pressed = pressed.map(|(i, _)| Inlet::SliderNormal(i));
                let more = self.as_machine().into_iter().flat_map(Machine::inlets);
                nodes.map(of).chain(pressed).chain(more).collect()
            }
            Self::Impact(i) => {
                let walls = [
                    i.lower.as_ref().map(|_| Inlet::LowerWall),
                    i.upper.as_ref().map(|_| Inlet::UpperWall),
                ];
                [Some(Inlet::Force)].into_iter().chain(walls).flatten().collect()
            }
            Self::Isolated(i) => {
                let axes = |inlet: fn(usize) -> Inlet| [inlet(0), inlet(1)];
                let moved = [Inlet::PlaneForce, Inlet::PlaneBase];
                let pressed = i.normal.as_ref().map(|_| Inlet::Normal);
                moved.into_iter().flat_map(axes).chain(pressed).collect()
            }
            Self::Planar(p) => {
                let axes = |inlet: fn(usize) -> Inlet| [inlet(0), inlet(1)];
                let moved = [Inlet::PlaneForce, Inlet::PlaneBase, Inlet::PlaneSupport];
                let pressed = p.normal.as_ref().map(|_| Inlet::Normal);
                moved.into_iter().flat_map(axes).chain(pressed).collect()
            }
        }
    }

    /// The signal at an inlet, if the model has one there.
    fn at_inlet(&mut self, inlet: Inlet) -> Option<&mut Signal> {
        match self {
            Self::Oscillator(o) => o.at_inlet(inlet),
            Self::Cascade(c) => match inlet {
                Inlet::Force => Some(&mut c.force),
                Inlet::Displacement => c.displacement.as_mut(),
                _ => None,
            },
            Self::Network(n) => n.at_inlet(inlet),
            Self::Machine(m) => m.at_inlet(inlet),
            Self::Hysteretic(h) => h.at_inlet(inlet),
            Self::Impact(i) => match inlet {
                Inlet::Force => Some(&mut i.force),
                Inlet::LowerWall => i.lower.as_mut(),
                Inlet::UpperWall => i.upper.as_mut(),
                _ => None,
            },
            Self::Planar(p) => p.at_inlet(inlet),
            Self::Isolated(i) => i.at_inlet(inlet),
        }
    }
}

/// A model to whose signals something is added while it moves.
///
/// ```
/// use stickslip::model::{Inlet, Loads};
/// use stickslip::{Law, Model, Oscillator, Signal};
/// # fn main() -> Result<(), stickslip::Error> {
/// let o = Oscillator::new(1.0, 1.0, Law::coulomb(1.0)?).with_force(Signal::constant(2.0));
/// let loads = Loads::of(&o.into());
/// let mut add = vec![[0.0; 2]; loads.inlets().len()];
/// add[1] = [0.5, 1.0]; // to the force, 0.5 N and 1 N/s from t = 3 s on
/// let pulled = loads.from(3.0, 9.0, &add)?;
/// let force = pulled.as_oscillator().map(|o| o.force.value(4.0));
/// assert_eq!((loads.inlets()[1], force), (Inlet::Force, Some(3.5)));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Loads {
    /// The model without its signals.
    bare: Model,
    inlets: Vec<Inlet>,
    /// The model's own signals at the inlets.
    own: Vec<Signal>,
}

impl Loads {
    /// Those of a model.
    pub fn of(model: &Model) -> Self {
        let mut bare = model.clone();
        let inlets = model.inlets();
        let take = |i: &Inlet| bare.at_inlet(*i).map(std::mem::take).unwrap_or_default();
        let own = inlets.iter().map(take).collect();
        Self { bare, inlets, own }
    }

    /// The inlets, as [`Model::inlets`] lists them.
    pub fn inlets(&self) -> &[Inlet] {
        &self.inlets
    }

    /// The model's own signals at the inlets.
    pub fn own(&self) -> &[Signal] {
        &self.own
    }

    /// The model over [`t`, `until`] (s) with `add` = [value, rate] added at each inlet: value + rate·(s − t) at s. Of
    /// its own signals only the piece at `t` is left, continued over all times: see [`Signal::smooth_from`].
    ///
    /// # Errors
    /// If what is added is not finite, or a normal force would be negative in between.
    pub fn from(&self, t: f64, until: f64, add: &[[f64; 2]]) -> Result<Model, Error> {
        let mut model = self.bare.clone();
        self.put(&mut model, t, until, add)?;
        Ok(model)
    }

    /// The same in place: in `model`, which [`from`](Self::from) has made, from `t` to `until` (s). Nothing is
    /// allocated.
    ///
    /// # Errors
    /// As [`from`](Self::from); signals before the one that is wrong have then been changed.
    pub fn put(
        &self,
        model: &mut Model,
        t: f64,
        until: f64,
        add: &[[f64; 2]],
    ) -> Result<(), Error> {
        for ((inlet, own), add) in self.inlets.iter().zip(&self.own).zip(add) {
            let Some(signal) = model.at_inlet(*inlet) else { continue };
            signal.set_smooth_from(own, t, *add);
            signal.check("what is added to a signal")?;
            if inlet.is_normal() {
                signal.require_pressing(t, until)?;
            }
        }
        Ok(())
    }

    /// The first instant after `t` (s) at which one of the model's own signals is not smooth, s (+∞ when there is none).
    pub fn next_breakpoint(&self, t: f64) -> f64 {
        self.own.iter().map(|s| s.next_breakpoint(t)).fold(f64::INFINITY, f64::min)
    }
}
