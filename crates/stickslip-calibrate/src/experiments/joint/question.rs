//! What is asked: logs, what is known of the joint, what is sought.

use super::logs::{LeftOut, Log};
use super::search::{MOST, Sought};
use super::{Joint, MOUNTINGS, Slot};
use crate::error::Error;
use serde::{Deserialize, Serialize};

/// One log with what is known of it.
#[derive(Debug, Clone)]
pub struct Given {
    /// Its file.
    pub file: String,
    /// Its rows; [`Log::cleaned`] was called.
    pub log: Log,
    /// What was left out.
    pub left_out: LeftOut,
    /// Whether it is scored and not fitted.
    pub held_out: bool,
    /// Columns of the index by which errors are shown, and their values.
    pub labels: Vec<(String, String)>,
}

/// One unknown.
#[derive(Debug, Clone, PartialEq)]
pub struct Unknown {
    /// Its key.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    /// Where it stands.
    pub slot: Slot,
    /// Its range.
    pub range: [f64; 2],
    /// For a friction at rest: the key is of static, the slot of static − dynamic; the range is that of the difference. (The key of a
    /// compliance is of the stiffness; its range is that of the compliance.)
    pub above: Option<Above>,
}

/// What a friction at rest stands above.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Above {
    /// Another unknown.
    Unknown(usize),
    /// A number that is known.
    Known(f64),
}

/// What is asked.
#[derive(Debug, Clone)]
pub struct Question {
    /// The joint before the fit.
    pub joint: Joint,
    /// What is sought.
    pub unknowns: Vec<Unknown>,
    /// Whether the logs' own factors of the gain may be whole gains already, to be multiplied by 1.
    pub gains_may_be_whole: bool,
    /// The logs.
    pub logs: Vec<Given>,
    /// Starts of the search, the given numbers included.
    pub starts: usize,
    /// Whether each term is left out in turn.
    pub terms: bool,
    /// Seed of the starts.
    pub seed: u64,
}

impl Question {
    /// What a search looks for, without the numbers in these slots.
    pub(super) fn sought(&self, without: &[Slot]) -> Vec<Sought> {
        let kept = self.unknowns.iter().filter(|u| !without.contains(&u.slot));
        kept.map(|u| Sought { slot: u.slot, range: u.range }).collect()
    }

    /// The unknown that is the compliance of the bristle.
    pub(super) fn compliance(&self) -> Option<&Unknown> {
        self.unknowns.iter().find(|u| u.slot == Slot::Compliance)
    }

    /// What is asked of the same joint with a rigid gear, where a stiffness of the bristle is sought and something else is left to
    /// seek.
    pub(super) fn of_rigid_gear(&self) -> Option<Self> {
        self.compliance()?;
        let of_bristle = [Slot::Compliance, Slot::BristleDamping, Slot::BreakawayShare];
        let mut rigid = self.without(&of_bristle);
        rigid.joint.set(Slot::Compliance, 0.0);
        Some(rigid).filter(|rigid| !rigid.unknowns.is_empty())
    }

    /// What is asked of the same joint with a bristle that yields from the beginning, where the share up to which it is elastic is
    /// sought.
    pub(super) fn of_lugre(&self) -> Option<Self> {
        self.unknowns.iter().find(|u| u.slot == Slot::BreakawayShare)?;
        let mut lugre = self.without(&[Slot::BreakawayShare]);
        lugre.joint.set(Slot::BreakawayShare, 0.0);
        Some(lugre)
    }

    /// The same question in which the numbers in these slots are not sought.
    fn without(&self, slots: &[Slot]) -> Self {
        let mut other = self.clone();
        let gone: Vec<bool> = self.unknowns.iter().map(|u| slots.contains(&u.slot)).collect();
        other.unknowns.retain(|u| !slots.contains(&u.slot));
        for u in &mut other.unknowns {
            if let Some(Above::Unknown(below)) = &mut u.above {
                *below -= gone[..*below].iter().filter(|gone| **gone).count();
            }
        }
        other
    }

    /// Mountings of which each hangs at an angle of its own that is sought.
    fn sought_mountings(&self) -> Vec<usize> {
        let of = |u: &Unknown| match u.slot {
            Slot::Vertical(mounting) => mounting,
            _ => None,
        };
        self.unknowns.iter().filter_map(of).collect()
    }

    /// A load whose mounting no fitted log shows hangs at the mean of those that were found: nothing better is known of it.
    pub(super) fn with_unseen_mountings(&self, mut joint: Joint) -> Joint {
        let sought = self.sought_mountings();
        if sought.is_empty() {
            return joint;
        }
        let mean = sought.iter().map(|&m| joint.vertical[m]).sum::<f64>() / sought.len() as f64;
        let unseen = (0..joint.vertical.len()).filter(|m| !sought.contains(m));
        unseen.for_each(|m| joint.vertical[m] = mean);
        joint
    }

    /// Logs whose mounting no fitted log shows, while the others have angles of their own.
    pub(super) fn of_unseen_mountings(&self) -> usize {
        let sought = self.sought_mountings();
        match sought.is_empty() {
            true => 0,
            false => self.logs.iter().filter(|g| !sought.contains(&g.log.mounting)).count(),
        }
    }

    /// Refuses what cannot be fitted before anything is computed.
    pub(super) fn check(&self) -> Result<(), Error> {
        let n = self.unknowns.len();
        if n == 0 || n > MOST {
            return Err(Error::Unfit(format!(
                "{n} numbers are sought; expected 1 to {MOST} of them"
            )));
        }
        if let Some(given) = self.logs.iter().find(|g| g.log.mounting >= MOUNTINGS) {
            return Err(Error::Unfit(format!(
                "{}: the logs have more than {MOUNTINGS} mountings of a load; expected at most that many",
                given.file
            )));
        }
        if self.logs.iter().all(|g| g.held_out) {
            return Err(Error::Unfit(
                "every log is held out; expected at least one that is fitted".to_owned(),
            ));
        }
        let shares = self.unknowns.iter().filter(|u| u.slot == Slot::BreakawayShare);
        if let Some(u) = shares.into_iter().find(|u| u.range[0] <= 0.0 || u.range[1] >= 1.0) {
            let [from, to] = u.range;
            return Err(Error::Unfit(format!(
                "`{}` is sought from {from} to {to}; expected a range above 0 and below 1",
                u.name
            )));
        }
        // The friction of what a gear transmits, the backlash and the compliance at their largest, the armature at its least.
        let mut worst = self.joint;
        for u in &self.unknowns {
            match u.slot {
                Slot::BackDriven(_)
                | Slot::Driving(_)
                | Slot::Transmitted(_)
                | Slot::Backlash
                | Slot::Compliance => worst.set(u.slot, u.range[1]),
                Slot::Armature => worst.set(u.slot, u.range[0]),
                _ => {}
            }
        }
        let worst = worst.gear;
        if let Some(refused) = worst.refuses_bristle() {
            return Err(Error::Unfit(refused.to_owned()));
        }
        let armature = worst.armature;
        for given in &self.logs {
            let inertia = given.log.load.inertia;
            // With the least armature of its range: the search may go there, and would divide by this sum.
            if armature + inertia <= 0.0 {
                return Err(Error::Unfit(format!(
                    "{}: neither the armature nor the load has an inertia; expected a sum above 0 kg·m²",
                    given.file
                )));
            }
            // Before the acceleration is looked at: with a backlash the shares that could make it ambiguous are refused
            // altogether.
            if let Some(refused) = worst.refuses_backlash(&given.log.load) {
                return Err(Error::Unfit(format!("{}: {refused}", given.file)));
            }
            if !worst.is_well_posed(&given.log.load) {
                return Err(Error::Unfit(format!(
                    "{}: with a friction of {} of the torque that a back-driven gear transmits the acceleration is not \
                 unique; expected less than 1 + armature/inertia of the load = {:.4}",
                    given.file,
                    worst.largest_back_driven(),
                    1.0 + armature / inertia
                )));
            }
        }
        Ok(())
    }
}
