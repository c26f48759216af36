//! One motion of a network.

use crate::commands::Job;
use crate::export::{Product, Writer, network as export, summary::Head};
use crate::fault::{Fault, Result, warned};
use crate::file::{Gathered, NetworkModel, NetworkScheme, Node, Schemes};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;
use stickslip::Network;
use stickslip::scheme::network::{self, NetworkPath, NetworkRun};

/// A network that is ready to be solved.
pub struct Simulation {
    model: NetworkModel,
    network: Network,
    gathered: Gathered,
}

/// A network that has been solved.
pub struct Solved {
    /// The file with every default filled in.
    pub model: NetworkModel,
    /// What moved.
    pub network: Network,
    /// How.
    pub path: NetworkPath,
    /// What it cost, and its energies.
    pub run: NetworkRun,
}

/// Reads and checks the document of a model file.
pub fn read(document: &Node, mut gathered: Gathered) -> Result<Simulation> {
    let (model, noisy) = NetworkModel::read(document, &mut gathered)?;
    let network = model.known(noisy)?;
    Ok(Simulation { model, network, gathered })
}

impl Job for Simulation {
    fn title(&self) -> &'static str {
        "simulating"
    }

    fn inputs(&self) -> &[PathBuf] {
        &self.gathered.inputs
    }

    fn warnings(&self) -> &[String] {
        &self.gathered.warnings
    }

    fn solve(self: Box<Self>) -> Result<Product> {
        let Self { model, network, gathered } = *self;
        let end = model.run.end.value;
        let step = || {
            let step = model.run.step.as_ref().map(|s| s.value);
            step.ok_or_else(|| {
                Fault::new("`run.step` is missing; this scheme for networks needs a step > 0, in s")
                    .help("add a line `step = 0.01` to [run], or give --step, or --scheme exact")
            })
        };
        let clock = Instant::now();
        let (path, run) = match model.run.scheme {
            NetworkScheme::ImplicitEuler => network::solve(&network, end, step()?, 1.0)?,
            NetworkScheme::Theta => network::solve(&network, end, step()?, 0.5)?,
            NetworkScheme::SignEuler => network::sign_euler(&network, end, step()?)?,
            NetworkScheme::Exact => (network::exact(&network, end)?, NetworkRun::default()),
        };
        let seconds = clock.elapsed().as_secs_f64();
        let run = match model.run.scheme {
            NetworkScheme::Exact => NetworkRun { energy: path.energy(&network), ..run },
            _ => run,
        };
        let mut remarks: Vec<String> = path.warnings().iter().map(warned).collect();
        remarks.extend(run.counts.warning().iter().map(warned));
        let how = (model.run.scheme.name(), model.run.seed);
        let warnings: Vec<String> = gathered.warnings.iter().chain(&remarks).cloned().collect();
        let head = Head::of("simulate", &model, how, seconds, &warnings);
        let summary = head.with(export::summary(&network, &path, &run));
        let solved = Rc::new(Solved { model, network, path, run });
        let write = |write: export::Export| -> Writer {
            let solved = solved.clone();
            Box::new(move |w| write(w, &solved))
        };
        let files = vec![
            ("trajectory.csv", write(export::trajectory)),
            ("events.csv", write(export::events)),
            ("motion.svg", write(export::motion)),
            ("loops.svg", write(export::loops)),
            ("slips.svg", write(export::slips)),
        ];
        Ok(Product { remarks, summary, files, text: write(export::text) })
    }
}
