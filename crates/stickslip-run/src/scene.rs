//! One motion, solved and ready to be drawn while somebody changes its numbers: columns at chosen times, with what
//! acts on the mass beside how it moves.

use crate::export::motion::Solved;
use crate::input::Input;
use crate::product::Column;
use crate::shown::Shown;
use crate::simulate::solved;
use stickslip::{Model, Solution};
use stickslip_file::{ModelFile, Result};

/// A solved motion.
#[derive(Debug)]
pub struct Scene {
    model: ModelFile,
    solved: Solved,
}

/// A column beside those of the solution.
type Beside = (&'static str, &'static str);

/// Of an oscillator: the far end of its spring, the surface it rubs on, the load, and what friction holds at rest and
/// resists with in a slow slip.
const OSCILLATOR: [Beside; 5] =
    [("drive", "m"), ("support", "m/s"), ("load", "N"), ("holds", "N"), ("resists", "N")];
/// Of a cascade: the force on it.
const CASCADE: [Beside; 1] = [("load", "N")];
/// Of a mass between walls: the walls, and the force on it.
const IMPACT: [Beside; 3] = [("lower", "m"), ("upper", "m"), ("load", "N")];

impl Scene {
    /// Solves the model by the scheme of its file; of a noisy one path 0 of the seed.
    ///
    /// ```
    /// use stickslip_file::{Document, Memory, Reading};
    /// use stickslip_run::{Input, Scene};
    /// # fn main() -> Result<(), stickslip_file::Diagnostic> {
    /// let text = "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction.coulomb.force = 1.0\n\
    ///             [oscillator.initial]\ndisplacement = 3.0\n[run]\nend = 10.0\n";
    /// let document = Document::parse("m.toml", text)?;
    /// let scene = Scene::solve(&Input::new(&document, &Reading::new(Memory::default())))?;
    /// let times = scene.times(100);
    /// let table = scene.table(&times);
    /// assert_eq!(table.len(), times.len() * scene.columns().len());
    /// assert_eq!(table[0], 3.0);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Where the model is wrong, or its scheme cannot solve it.
    pub fn solve(input: &Input<'_>) -> Result<Self> {
        let model = input.model()?;
        let solved = solved(&model)?;
        Ok(Self { model, solved })
    }

    /// The model.
    pub fn model(&self) -> &ModelFile {
        &self.model
    }

    /// How it moves.
    pub fn solution(&self) -> &Solution {
        &self.solved.solution
    }

    fn shown(&self) -> Shown<'_> {
        let turns = self.model.rotation;
        Shown::new(&self.solved.problem, &self.solved.solution, self.solved.bearing_stiffness)
            .turning(turns)
    }

    fn beside(&self) -> &'static [Beside] {
        match &self.solved.problem.model {
            Model::Oscillator(_) => &OSCILLATOR,
            Model::Cascade(_) => &CASCADE,
            Model::Impact(_) => &IMPACT,
            _ => &[],
        }
    }

    /// The columns of the solution, then what acts on the mass.
    pub fn columns(&self) -> Vec<Column> {
        let shown = self.shown().columns().into_iter().map(|(column, _)| column);
        let unit = |unit| self.solved.heading.unit(unit);
        let beside =
            self.beside().iter().map(|(name, straight)| Column::new(*name, unit(straight)));
        shown.chain(beside).collect()
    }

    /// `count` equally spaced times, and both sides of every event that is near no other one: enough for a curve that
    /// shows where forces jump.
    pub fn times(&self, count: usize) -> Vec<f64> {
        let solution = self.solution();
        let mut times: Vec<f64> = solution.equally_spaced(count.max(2)).collect();
        let sides = solution.events.iter().take(count).flat_map(|e| [e.time.next_down(), e.time]);
        times.extend(sides.filter(|t| *t >= solution.span().0));
        times.sort_unstable_by(f64::total_cmp);
        times.dedup();
        times
    }

    /// The values at these times, which should not go back: one column after the other.
    pub fn table(&self, times: &[f64]) -> Vec<f64> {
        let shown = self.shown();
        let count = times.len();
        let own = shown.width();
        let beside = self.beside().len();
        let mut out = vec![0.0; (own + beside) * count];
        let mut rows = shown.rows();
        let mut row = vec![0.0; own];
        let mut other = [f64::NAN; OSCILLATOR.len()];
        for (i, &t) in times.iter().enumerate() {
            rows.at(t, &mut row);
            acting(&self.solved.problem.model, t, &row, &mut other);
            for (c, value) in row.iter().chain(&other[..beside]).enumerate() {
                out[c * count + i] = *value;
            }
        }
        out
    }
}

/// What acts on the mass at `t` (s), where the columns of the solution are `row`.
fn acting(model: &Model, t: f64, row: &[f64], out: &mut [f64]) {
    match model {
        Model::Oscillator(o) => {
            let normal = o.normal_force(row[0], t);
            let forces = [o.load(row[0], row[1], t), o.friction.breakaway() * normal];
            out[..2].copy_from_slice(&[o.drive.value(t), o.support.value(t)]);
            out[2..4].copy_from_slice(&forces);
            out[4] = o.friction.sliding() * normal;
        }
        Model::Cascade(c) => out[0] = c.force.value(t),
        Model::Impact(i) => {
            let at =
                |wall: &Option<stickslip::Signal>| wall.as_ref().map_or(f64::NAN, |w| w.value(t));
            out[..3].copy_from_slice(&[at(&i.lower), at(&i.upper), i.force.value(t)]);
        }
        _ => {}
    }
}
