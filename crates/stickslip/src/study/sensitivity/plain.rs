//! Neighbours of a model that differ from it in numbers only: the same signals act on them, and one look at those serves all.

use super::Change;
use crate::model::Oscillator;
use crate::motion::State;

/// What acts at one instant: the drive (m), the force (N) and the normal force (N, or a factor).
#[derive(Clone, Copy)]
pub(super) struct Acting {
    pub drive: f64,
    pub force: f64,
    pub normal: f64,
}

/// The derivatives of the numbers in a = (K (d − x) − c v + f ∓ F_n A)/m and in the load, with respect to the number that changes;
/// nothing where it is the start.
#[derive(Clone, Copy, Default)]
pub(super) struct Plain {
    /// Of K/m, c/m and 1/m.
    per_mass: [f64; 3],
    /// Of A/m and of A, ahead and back.
    friction: [[f64; 2]; 2],
    /// Of K and c.
    load: [f64; 2],
}

/// A of a slip ahead and back, where the forces are linear in x and v and friction is constant in each phase.
fn sliding(o: &Oscillator) -> Option<[f64; 2]> {
    let of = o.friction.constants().filter(|_| o.nonlinear.is_none())?;
    Some(of.map(|(_, sliding)| sliding))
}

/// Whether the closed forms of `o` need no more than its numbers.
pub(super) fn is_plain(o: &Oscillator) -> bool {
    sliding(o).is_some()
}

impl Plain {
    /// `None` where the neighbours of `o` have other signals, or forces that are not linear.
    pub fn new(o: &Oscillator, change: &Change<'_>) -> Option<Self> {
        let Change::Number { less, more, apart } = *change else { return Some(Self::default()) };
        let alike =
            |n: &&Oscillator| n.drive == o.drive && n.force == o.force && n.normal == o.normal;
        let [less, more] = [less, more].map(|n| Some(n).filter(alike));
        let less = less?;
        let more = more?;
        let a = sliding(less)?;
        let b = sliding(more)?;
        sliding(o)?;
        let rate = |of: &dyn Fn(&Oscillator) -> f64| (of(more) - of(less)) / apart;
        let friction =
            [0, 1].map(|i| [(b[i] / more.mass - a[i] / less.mass) / apart, (b[i] - a[i]) / apart]);
        Some(Self {
            per_mass: [
                rate(&|o| o.stiffness / o.mass),
                rate(&|o| o.damping / o.mass),
                rate(&|o| 1.0 / o.mass),
            ],
            friction,
            load: [rate(&|o| o.stiffness), rate(&|o| o.damping)],
        })
    }

    /// ∂ₚa of a mass that slips towards `side`.
    #[inline]
    pub fn acceleration(&self, side: f64, u: State, acting: &Acting) -> f64 {
        let [stiffness, damping, inverse] = self.per_mass;
        let [friction, _] = self.friction[usize::from(side < 0.0)];
        stiffness * (acting.drive - u.x) - damping * u.v + inverse * acting.force
            - side * acting.normal * friction
    }

    /// ∂ₚb.
    pub fn load(&self, u: State, acting: &Acting) -> f64 {
        self.load[0] * (acting.drive - u.x) - self.load[1] * u.v
    }

    /// ∂ₚ of the force of a support that rubs a mass which slips towards `side`.
    pub fn friction(&self, side: f64, acting: &Acting) -> f64 {
        -side * acting.normal * self.friction[usize::from(side < 0.0)][1]
    }
}
