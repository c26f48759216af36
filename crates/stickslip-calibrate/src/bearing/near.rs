//! The best paths of parts of a record.

use crate::bearing::options::Options;
use crate::bearing::search::global::{PROBE, refine, search};
use crate::bearing::search::point::{Point, Scored};
use crate::bearing::search::prepared::Prepared;
use crate::record::series::Series;

/// Paths of a record that leave nothing but noise of it: those of each of its parts lie near.
#[derive(Debug, Clone, PartialEq)]
pub struct Near {
    points: Vec<Point>,
    /// The centre of the drive that the lattices are counted from.
    centre: f64,
}

impl Near {
    /// The minima of a search.
    pub fn of(prepared: &Prepared, minima: &[Scored]) -> Self {
        let points = minima.iter().map(|s| s.point.clone()).collect();
        Self { points, centre: prepared.drive_centre }
    }

    /// One path in a record's centred drive.
    pub fn one(prepared: &Prepared, point: Point) -> Self {
        Self { points: vec![point], centre: prepared.drive_centre }
    }

    /// The same in another centred drive.
    pub fn at(&self, centre: f64) -> Vec<Point> {
        let apart = self.centre - centre;
        let moved = |p: &Point| Point { lattice: p.lattice + apart, ..p.clone() };
        self.points.iter().map(moved).collect()
    }
}

/// The best paths of a part of the record, in the whole record's centred drive.
pub fn known(
    series: &Series,
    prepared: &Prepared,
    options: &Options,
    share: [f64; 2],
    near: Option<&Near>,
) -> Vec<Scored> {
    let n = series.time().len() as f64;
    let a = (share[0] * n) as usize;
    let b = (share[1] * n) as usize;
    let part = Series::new(&series.time()[a..b], &series.drive()[a..b], &series.response()[a..b]);
    let Ok(part) = part else { return Vec::new() };
    let Ok(own) = Prepared::new(&part, options.max_gap, &options.trend) else { return Vec::new() };
    let mut found = match near {
        Some(near) => refine(&own, &near.at(own.drive_centre), options.seed).minima,
        None => search(&own, options.seed, PROBE).minima,
    };
    // Beside a path that leaves noise no other is wanted.
    found.truncate(if near.is_some() { 1 } else { 2 });
    found.into_iter().map(|s| s.recentred(&own, prepared)).collect()
}

/// The halves of a record.
pub const HALVES: [[f64; 2]; 2] = [[0.0, 0.5], [0.5, 1.0]];

/// The best paths of either half of the record, in the whole record's centred drive.
pub fn halves(series: &Series, prepared: &Prepared, options: &Options) -> Vec<Point> {
    let known = |half| known(series, prepared, options, half, None);
    HALVES.into_iter().flat_map(known).map(|s| s.point).collect()
}
