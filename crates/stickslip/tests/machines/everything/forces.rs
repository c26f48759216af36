//! What acts on the nodes of a machine, and what ends a mode.

use super::*;

impl Plant {
    pub(super) fn n(&self) -> usize {
        self.mass.len()
    }

    /// Where the inner numbers of a loop begin in the state, and that of a bristle.
    pub(super) fn inner(&self, c: usize) -> usize {
        2 * self.n() + 2 * c
    }

    pub(super) fn bristle(&self, e: usize) -> usize {
        2 * self.n() + 2 * self.loops.len() + e
    }

    pub(super) fn slide(&self, e: usize, t: f64, y: &[f64]) -> f64 {
        across(&y[self.n()..], self.sliders[e].ends) - self.sliders[e].surface.at(t)
    }

    pub(super) fn press(&self, e: usize, t: f64, y: &[f64], mode: &Mode) -> f64 {
        self.pressing(e, t, y, mode).max(0.0)
    }

    /// Before what would lift it off is cut off.
    pub(super) fn pressing(&self, e: usize, t: f64, y: &[f64], mode: &Mode) -> f64 {
        let s = &self.sliders[e];
        let own = s.normal.map(|n| n.at(t));
        match s.pressed {
            None => own.unwrap_or(1.0),
            Some((Presser::Link(l), factor)) => {
                let z = across(y, self.links[l].ends);
                own.unwrap_or(0.0) + factor * self.links[l].pull.at(z)
            }
            Some((Presser::Stop(k), factor)) => {
                let push = match mode.stops[k] {
                    Touch::Soft(side, true) => self.passed(k, side, t, y)[1],
                    _ => 0.0,
                };
                own.unwrap_or(0.0) + factor * push
            }
        }
    }

    pub(super) fn error(&self, c: usize, t: f64, y: &[f64]) -> f64 {
        self.loops[c].reference.at(t) - across(y, self.loops[c].of)
    }

    /// The force of a continuous controller without its limit.
    pub(super) fn raw(&self, c: usize, t: f64, y: &[f64]) -> f64 {
        let g = &self.loops[c].gains;
        let e = self.error(c, t, y);
        let at = self.inner(c);
        let d = if g.derivative != 0.0 { (e - y[at + 1]) / g.filter } else { 0.0 };
        g.proportional * e + g.integral * y[at] + g.derivative * d
    }

    pub(super) fn control(&self, c: usize, t: f64, y: &[f64], mode: &Mode) -> f64 {
        let l = &self.loops[c];
        match (l.sampling, l.limit, mode.limits[c]) {
            (Some(_), ..) => mode.ticks[c].applied,
            (None, Some((limit, _)), side) if side != 0 => f64::from(side) * limit,
            _ => self.raw(c, t, y),
        }
    }

    /// How far a soft stop is passed on this side, and its force.
    pub(super) fn passed(&self, s: usize, side: i8, t: f64, y: &[f64]) -> [f64; 2] {
        let stop = &self.stops[s];
        let bound = stop.bounds[usize::from(side > 0)].unwrap();
        let side = f64::from(side);
        let p = side * (across(y, stop.ends) - bound.at(t));
        let rate = side * (across(&y[self.n()..], stop.ends) - bound.rate(t));
        match stop.bumper {
            Bumper::Soft { stiffness, damping } => [p, stiffness * p + damping * rate],
            _ => [p, 0.0],
        }
    }

    /// What is held, with its line of the constraints and the rate at which the velocity across must change.
    pub(super) fn rows(&self, t: f64, mode: &Mode) -> Vec<(Row, Vec<f64>, f64)> {
        let n = self.n();
        let line = |ends: Ends, factor: f64| {
            let mut line = vec![0.0; n];
            if let Some(i) = ends[0] {
                line[i] += 1.0;
            }
            if let Some(i) = ends[1] {
                line[i] -= factor;
            }
            line
        };
        let mut rows = Vec::new();
        for (e, s) in self.sliders.iter().enumerate() {
            if mode.slips[e] == 0 && matches!(s.rubs, Rubs::Law(..)) {
                rows.push((Row::Slider(e), line(s.ends, 1.0), s.surface.rate(t)));
            }
        }
        for (s, stop) in self.stops.iter().enumerate() {
            if let Touch::Closed(side) = mode.stops[s] {
                let bound = stop.bounds[usize::from(side > 0)].unwrap();
                rows.push((Row::Stop(s), line(stop.ends, 1.0), bound.bend(t)));
            }
        }
        for (g, gear) in self.gears.iter().enumerate() {
            let ends = gear.ends.map(Some);
            rows.push((Row::Gear(g), line(ends, gear.ratio), 0.0));
            if gear.friction.is_some() && mode.gears[g].0 == 0 {
                rows.push((Row::Hold(g), line([ends[0], None], 1.0), 0.0));
            }
        }
        rows
    }

    /// Accelerations, and the force of each row on its first end.
    pub(super) fn solve(&self, t: f64, y: &[f64], mode: &Mode) -> Option<Balance> {
        let n = self.n();
        let rows = self.rows(t, mode);
        let mut b = self.loads(t, y, mode);
        let m = n + rows.len();
        let mut a = vec![vec![0.0; m]; m];
        for i in 0..n {
            a[i][i] = self.mass[i];
        }
        for (k, (row, line, wanted)) in rows.iter().enumerate() {
            for i in 0..n {
                a[n + k][i] = line[i];
                a[i][n + k] = -line[i];
            }
            if let Row::Gear(g) = row
                && let Some(friction) = self.gears[*g].friction
            {
                // The torque is −ratio times the force on the first side; friction takes s μ σ of it from there.
                let (side, sign) = mode.gears[*g];
                let mu = if side > 0 { friction[1] } else { friction[2] };
                let taken = f64::from(side) * mu * f64::from(sign) * self.gears[*g].ratio;
                a[self.gears[*g].ends[0]][n + k] -= taken;
            }
            b.push(*wanted);
        }
        let found = eliminate(a, b)?;
        let forces = rows.iter().enumerate().map(|(k, r)| (r.0, found[n + k])).collect();
        Some((found[..n].to_vec(), forces))
    }

    /// Everything that acts on the nodes but what is held.
    pub(super) fn loads(&self, t: f64, y: &[f64], mode: &Mode) -> Vec<f64> {
        let n = self.n();
        let mut f: Vec<f64> = self.force.iter().map(|w| w.at(t)).collect();
        let mut add = |ends: Ends, force: f64| {
            for (end, sign) in ends.into_iter().zip([1.0, -1.0]) {
                if let Some(i) = end {
                    f[i] += sign * force;
                }
            }
        };
        for l in &self.links {
            let z = across(y, l.ends);
            add(l.ends, -l.pull.at(z) - l.damping * across(&y[n..], l.ends));
        }
        for (e, s) in self.sliders.iter().enumerate() {
            let w = self.slide(e, t, y);
            match &s.rubs {
                Rubs::Law(law, _) if mode.slips[e] != 0 => {
                    let side = f64::from(mode.slips[e]);
                    let size = match mode.giving[e] {
                        true => law.limit(side, t - mode.since[e]),
                        false => law.force(side, side * w),
                    };
                    add(s.ends, -side * self.press(e, t, y, mode) * size);
                }
                Rubs::Law(..) => {}
                Rubs::Bristle(b) => {
                    add(s.ends, -self.press(e, t, y, mode) * b.force(w, y[self.bristle(e)]));
                }
            }
        }
        for (s, stop) in self.stops.iter().enumerate() {
            if let Touch::Soft(side, true) = mode.stops[s] {
                add(stop.ends, -f64::from(side) * self.passed(s, side, t, y)[1]);
            }
        }
        for (g, gear) in self.gears.iter().enumerate() {
            let constant = gear.friction.map_or(0.0, |f| f[0]);
            add([Some(gear.ends[0]), None], -f64::from(mode.gears[g].0) * constant);
        }
        for (c, l) in self.loops.iter().enumerate() {
            add([Some(l.on), None], self.control(c, t, y, mode));
        }
        f
    }

    pub(super) fn slope(&self, t: f64, y: &[f64], mode: &Mode) -> Option<Vec<f64>> {
        let n = self.n();
        let mut dy = y[n..2 * n].to_vec();
        dy.extend(self.solve(t, y, mode)?.0);
        for (c, l) in self.loops.iter().enumerate() {
            if l.sampling.is_some() {
                dy.extend([0.0, 0.0]);
                continue;
            }
            let e = self.error(c, t, y);
            let filtered = l.gains.derivative != 0.0;
            let z = if filtered { (e - y[self.inner(c) + 1]) / l.gains.filter } else { 0.0 };
            dy.extend([e, z]);
        }
        for (e, s) in self.sliders.iter().enumerate() {
            let bristle = match &s.rubs {
                Rubs::Bristle(b) => Some(b),
                Rubs::Law(..) => None,
            };
            let z = y[self.bristle(e)];
            dy.push(bristle.map_or(0.0, |b| b.rate(self.slide(e, t, y), z)));
        }
        Some(dy)
    }

    /// One step by Gragg's midpoint rule with 2, 4, … 10 parts, extrapolated; and how far it is from the one of an order less.
    pub(super) fn step(&self, t: f64, y: &[f64], h: f64, mode: &Mode) -> Option<(Vec<f64>, f64)> {
        let first = self.slope(t, y, mode)?;
        let mut table: Vec<Vec<f64>> = Vec::new();
        let mut error = f64::INFINITY;
        for j in 1..=5usize {
            let parts = 2 * j;
            let d = h / parts as f64;
            let mut before = y.to_vec();
            let mut now: Vec<f64> = y.iter().zip(&first).map(|(y, f)| y + d * f).collect();
            for k in 1..parts {
                let f = self.slope(t + d * k as f64, &now, mode)?;
                let next = before.iter().zip(&f).map(|(y, f)| y + 2.0 * d * f).collect();
                before = std::mem::replace(&mut now, next);
            }
            let mut row = now;
            let mut new = vec![row.clone()];
            for (k, older) in table.iter().enumerate() {
                let ratio = (parts as f64 / (2 * (j - 1 - k)) as f64).powi(2) - 1.0;
                row = row.iter().zip(older).map(|(a, b)| a + (a - b) / ratio).collect();
                new.push(row.clone());
            }
            if let [.., before, last] = &new[..] {
                let off = |(a, b): (&f64, &f64)| (a - b).abs() / (1.0 + a.abs());
                error = before.iter().zip(last).map(off).fold(0.0, f64::max);
            }
            table = new;
        }
        Some((table.pop()?, error))
    }

    /// Where laws and springs have kinks, and sliders are lifted off: which side of each of them a state is on.
    pub(super) fn sides(&self, t: f64, y: &[f64], mode: &Mode) -> Vec<bool> {
        let mut all = Vec::new();
        for l in &self.links {
            let z = across(y, l.ends);
            all.extend(l.pull.kinks().into_iter().flatten().map(|k| z > k));
        }
        for (e, s) in self.sliders.iter().enumerate() {
            if matches!(s.pressed, Some((Presser::Link(_), _))) {
                all.push(self.pressing(e, t, y, mode) > 0.0);
            }
        }
        for (e, s) in self.sliders.iter().enumerate() {
            let w = self.slide(e, t, y);
            match &s.rubs {
                Rubs::Law(_, kinks) => all.extend(kinks.iter().map(|k| w.abs() > *k)),
                Rubs::Bristle(Bristle::BoucWen(_)) => all.push(y[self.bristle(e)] > 0.0),
                Rubs::Bristle(_) => {}
            }
        }
        all
    }

    /// What ends a mode where it becomes negative.
    pub(super) fn margins(&self, t: f64, y: &[f64], mode: &Mode) -> Option<Vec<(Change, f64)>> {
        let n = self.n();
        let forces = self.solve(t, y, mode)?.1;
        let of = |row: Row| forces.iter().find(|f| f.0 == row).map_or(0.0, |f| f.1);
        let mut all = Vec::new();
        for (e, s) in self.sliders.iter().enumerate() {
            let side = f64::from(mode.slips[e]);
            match &s.rubs {
                Rubs::Bristle(_) => all.push((Change::Turns(e), side * self.slide(e, t, y))),
                Rubs::Law(..) if side != 0.0 => {
                    all.push((Change::Halts(e), side * self.slide(e, t, y)));
                }
                Rubs::Law(law, _) => {
                    for side in [1i8, -1] {
                        let to = f64::from(side);
                        let limit = self.press(e, t, y, mode) * law.limit(to, t - mode.since[e]);
                        all.push((Change::Slips(e, side), limit + to * of(Row::Slider(e))));
                    }
                }
            }
        }
        for (s, stop) in self.stops.iter().enumerate() {
            match mode.stops[s] {
                Touch::Open => {
                    for side in [1i8, -1] {
                        if stop.bounds[usize::from(side > 0)].is_some() {
                            all.push((Change::Hits(s, side), -self.passed(s, side, t, y)[0]));
                        }
                    }
                }
                Touch::Closed(side) => {
                    all.push((Change::Opens(s), -f64::from(side) * of(Row::Stop(s))));
                }
                Touch::Soft(side, true) => {
                    all.push((Change::Ceases(s), self.passed(s, side, t, y)[1]));
                }
                Touch::Soft(side, false) => {
                    let [p, f] = self.passed(s, side, t, y);
                    all.extend([(Change::Pushes(s), -f), (Change::Leaves(s), p)]);
                }
            }
        }
        for (g, gear) in self.gears.iter().enumerate() {
            let Some([constant, forward, backward]) = gear.friction else { continue };
            let (side, sign) = mode.gears[g];
            let load = -f64::from(sign) * gear.ratio * of(Row::Gear(g));
            all.push((Change::Flips(g), load));
            if side != 0 {
                all.push((Change::Stalls(g), f64::from(side) * y[n + gear.ends[0]]));
                continue;
            }
            let held = of(Row::Hold(g));
            all.push((Change::Starts(g, 1), constant + forward * load + held));
            all.push((Change::Starts(g, -1), constant + backward * load - held));
        }
        for (c, l) in self.loops.iter().enumerate() {
            let Some((limit, _)) = l.limit.filter(|_| l.sampling.is_none()) else { continue };
            let raw = self.raw(c, t, y);
            match mode.limits[c] {
                0 => {
                    all.push((Change::Limit(c, 1), limit - raw));
                    all.push((Change::Limit(c, -1), limit + raw));
                }
                side => all.push((Change::Limit(c, 0), f64::from(side) * raw - limit)),
            }
        }
        Some(all)
    }
}
