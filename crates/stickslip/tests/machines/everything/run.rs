//! A motion of a machine, followed from event to event.

use super::*;

/// A motion as it is followed.
pub(super) struct Run<'a> {
    pub(super) plant: &'a Plant,
    pub(super) t: f64,
    pub(super) y: Vec<f64>,
    pub(super) mode: Mode,
    pub(super) told: Vec<Told>,
    /// Instants of impacts that are not compared.
    pub(super) slow: Vec<f64>,
}

impl<'a> Run<'a> {
    pub(super) fn begin(plant: &'a Plant) -> Result<Self, Left> {
        let n = plant.n();
        let mut y = vec![0.0; 2 * n + 2 * plant.loops.len() + plant.sliders.len()];
        y[n..2 * n].copy_from_slice(&plant.v0);
        for c in 0..plant.loops.len() {
            y[plant.inner(c) + 1] = plant.error(c, 0.0, &y);
        }
        let side = |e: usize| match plant.slide(e, 0.0, &y) {
            0.0 => 0,
            w => w.signum() as i8,
        };
        let slips: Vec<i8> = (0..plant.sliders.len()).map(side).collect();
        let turning =
            |g: &Gear| if y[n + g.ends[0]] == 0.0 { 0 } else { y[n + g.ends[0]].signum() as i8 };
        let bristles = plant.sliders.iter().zip(&slips);
        if bristles.into_iter().any(|(s, side)| matches!(s.rubs, Rubs::Bristle(_)) && *side == 0) {
            return Err(Left::Ambiguous);
        }
        let limit = |c: usize| match plant.loops[c].limit {
            Some((limit, _)) if plant.loops[c].sampling.is_none() => {
                let raw = plant.raw(c, 0.0, &y);
                if raw.abs() > limit { raw.signum() as i8 } else { 0 }
            }
            _ => 0,
        };
        let mode = Mode {
            since: vec![0.0; slips.len()],
            slips,
            stops: vec![Touch::Open; plant.stops.len()],
            gears: plant.gears.iter().map(|g| (turning(g), 1)).collect(),
            limits: (0..plant.loops.len()).map(limit).collect(),
            ticks: vec![Ticks::default(); plant.loops.len()],
            giving: vec![false; plant.sliders.len()],
        };
        let mut run = Self { plant, t: 0.0, y, mode, told: Vec::new(), slow: Vec::new() };
        run.tick();
        run.settle(None)?;
        run.told.clear();
        Ok(run)
    }

    pub(super) fn tell(&mut self, part: Row, kind: EventKind) {
        let place = match part {
            Row::Slider(e) => e,
            Row::Stop(s) => self.plant.sliders.len() + s,
            Row::Gear(g) | Row::Hold(g) => self.plant.sliders.len() + self.plant.stops.len() + g,
        };
        self.told.push((self.t, place, kind));
    }

    /// Lets go what cannot be held, one after the other; what has just come to rest came from a side.
    pub(super) fn settle(&mut self, mut fresh: Option<(Row, i8)>) -> Result<(), Left> {
        for _ in 0..40 {
            let margins = self.plant.margins(self.t, &self.y, &self.mode).ok_or(Left::Ambiguous)?;
            let gives = |(change, margin): &(Change, f64)| {
                let held = matches!(
                    change,
                    Change::Slips(..) | Change::Opens(_) | Change::Starts(..) | Change::Flips(_)
                );
                (held && *margin < -SMALL).then_some(*change)
            };
            let Some(change) = margins.iter().find_map(gives) else {
                // All that give way under what the others hold are known: now they slip.
                if self.mode.giving.iter().any(|g| *g) {
                    self.mode.giving.fill(false);
                    continue;
                }
                return Ok(());
            };
            let was = |row: Row, fresh: &mut Option<(Row, i8)>| {
                fresh.take_if(|f| f.0 == row).map_or(EventKind::Slip, |_| EventKind::Reversal)
            };
            match change {
                Change::Slips(e, side) => {
                    self.mode.slips[e] = side;
                    self.mode.giving[e] = true;
                    // One after the other is not how several give way: that is left to those who solve for all at once.
                    if self.t > 0.0 && self.mode.giving.iter().filter(|g| **g).count() > 1 {
                        return Err(Left::Ambiguous);
                    }
                    // What goes on the way that it came has not turned.
                    let goes_on = fresh
                        .is_some_and(|f| matches!(f.0, Row::Slider(i) if i == e) && f.1 == side);
                    let kind = was(Row::Slider(e), &mut fresh);
                    if !goes_on {
                        self.tell(Row::Slider(e), kind);
                    }
                }
                Change::Starts(g, side) => {
                    self.mode.gears[g].0 = side;
                    let kind = was(Row::Gear(g), &mut fresh);
                    self.tell(Row::Gear(g), kind);
                }
                Change::Opens(s) => {
                    self.mode.stops[s] = Touch::Open;
                    self.tell(Row::Stop(s), EventKind::Release);
                }
                Change::Flips(g) => {
                    self.mode.gears[g].1 *= -1;
                    // A tick may turn the torque of a gear that slides.
                    if self.mode.gears[g].0 != 0 {
                        self.tell(Row::Gear(g), EventKind::LoadReversal);
                    }
                }
                _ => {}
            }
        }
        Err(Left::Ambiguous)
    }

    /// Velocities that fit what is held: the least change, weighted by the masses.
    pub(super) fn project(&mut self) -> Result<(), Left> {
        let plant = self.plant;
        let n = plant.n();
        let rows = plant.rows(self.t, &self.mode);
        let m = n + rows.len();
        let (mut a, mut b) = (vec![vec![0.0; m]; m], vec![0.0; m]);
        for i in 0..n {
            a[i][i] = plant.mass[i];
        }
        for (k, (row, line, _)) in rows.iter().enumerate() {
            let wanted = match *row {
                Row::Slider(e) => plant.sliders[e].surface.at(self.t),
                Row::Stop(s) => match self.mode.stops[s] {
                    Touch::Closed(side) => {
                        plant.stops[s].bounds[usize::from(side > 0)].unwrap().rate(self.t)
                    }
                    _ => 0.0,
                },
                Row::Gear(_) | Row::Hold(_) => 0.0,
            };
            for i in 0..n {
                a[n + k][i] = line[i];
                a[i][n + k] = -line[i];
                b[n + k] -= line[i] * self.y[n + i];
            }
            b[n + k] += wanted;
        }
        let found = eliminate(a, b).ok_or(Left::Ambiguous)?;
        (0..n).for_each(|i| self.y[n + i] += found[i]);
        Ok(())
    }

    /// What sampled controllers read and do at this instant.
    pub(super) fn tick(&mut self) {
        let plant = self.plant;
        for (c, l) in plant.loops.iter().enumerate() {
            let Some(s) = l.sampling else { continue };
            if self.mode.ticks[c].k as f64 * s.time <= self.t {
                let raw = across(&self.y, l.of);
                let read =
                    if s.quantum > 0.0 { (raw / s.quantum).round() * s.quantum } else { raw };
                let e = l.reference.at(self.t) - read;
                let m = &mut self.mode.ticks[c];
                m.rate = (l.gains.filter * m.rate + e - m.before.unwrap_or(e))
                    / (l.gains.filter + s.time);
                m.before = Some(e);
                let sum = m.sum + l.gains.integral * s.time * e;
                let u = l.gains.proportional * e + sum + l.gains.derivative * m.rate;
                let (cut, clamp) =
                    l.limit.map_or((u, false), |(most, clamp)| (u.clamp(-most, most), clamp));
                if !(clamp && (u - cut) * (sum - m.sum) > 0.0) {
                    m.sum = sum;
                }
                m.pending.push((m.k as f64 * s.time + s.delay, cut));
                m.k += 1;
            }
            let m = &mut self.mode.ticks[c];
            while m.pending.first().is_some_and(|p| p.0 <= self.t + 1e-12) {
                m.applied = m.pending.remove(0).1;
            }
        }
    }

    /// The next instant at which something is due.
    pub(super) fn due(&self) -> f64 {
        let own = |(l, m): (&Loop, &Ticks)| {
            let tick = l.sampling.map_or(f64::INFINITY, |s| m.k as f64 * s.time);
            m.pending.first().map_or(tick, |p| p.0.min(tick))
        };
        self.plant.loops.iter().zip(&self.mode.ticks).map(own).fold(f64::INFINITY, f64::min)
    }

    pub(super) fn state(&self, s: f64) -> Result<Vec<f64>, Left> {
        Ok(self.made(s)?.0)
    }

    /// The state after a step of `s`, and its error.
    pub(super) fn made(&self, s: f64) -> Result<(Vec<f64>, f64), Left> {
        self.plant.step(self.t, &self.y, s, &self.mode).ok_or(Left::Ambiguous)
    }

    pub(super) fn margins(&self, s: f64, y: &[f64]) -> Result<Vec<(Change, f64)>, Left> {
        self.plant.margins(self.t + s, y, &self.mode).ok_or(Left::Ambiguous)
    }

    /// Where in a step of length `hi` the margin of a change becomes negative: by the secant of Illinois.
    pub(super) fn root(&self, change: Change, mut hi: f64) -> Result<f64, Left> {
        let at = |s: f64| -> Result<f64, Left> {
            let y = self.state(s)?;
            let margins = self.margins(s, &y)?;
            Ok(margins.iter().find(|m| m.0 == change).map_or(-1.0, |m| m.1))
        };
        let mut above = at(0.0)?;
        let mut lo = 0.0;
        // A margin that begins at zero and grows first: what is sought is where it comes back.
        let mut k = 0;
        while above <= 1e-12 {
            k += 1;
            if k > 30 {
                return Ok(0.0);
            }
            let s = hi * 0.5f64.powi(k);
            above = at(s)?;
            lo = s;
        }
        let mut below = at(hi)?;
        let mut last = 0;
        for _ in 0..100 {
            if hi - lo < 1e-14 * (1.0 + self.t) {
                break;
            }
            let mut s = (lo * below - hi * above) / (below - above);
            if !(s > lo && s < hi) {
                s = 0.5 * (lo + hi);
            }
            let f = at(s)?;
            if f > 0.0 {
                (lo, above) = (s, f);
                below *= if last == 1 { 0.5 } else { 1.0 };
                last = 1;
            } else {
                (hi, below) = (s, f);
                above *= if last == -1 { 0.5 } else { 1.0 };
                last = -1;
            }
            // From either side: the upper end may still be far away.
            if f.abs() < 1e-15 {
                return Ok(s);
            }
        }
        Ok(hi)
    }

    /// Where in a step of length `hi` a kink of a law is passed.
    pub(super) fn kink(&self, mut hi: f64) -> Result<f64, Left> {
        let before = self.plant.sides(self.t, &self.y, &self.mode);
        let mut lo = 0.0;
        for _ in 0..45 {
            let s = 0.5 * (lo + hi);
            if self.plant.sides(self.t + s, &self.state(s)?, &self.mode) == before {
                lo = s
            } else {
                hi = s
            }
        }
        Ok(hi)
    }

    /// Where in a step of `h`, whose end is `there`, an end is beyond a stop from which it has come back by then.
    fn dip(&self, h: f64, there: &[f64]) -> Result<Option<f64>, Left> {
        let plant = self.plant;
        let n = plant.n();
        for (k, stop) in plant.stops.iter().enumerate() {
            if self.mode.stops[k] != Touch::Open {
                continue;
            }
            for side in [1i8, -1] {
                let Some(bound) = stop.bounds[usize::from(side > 0)] else { continue };
                let closing = |s: f64, y: &[f64]| {
                    f64::from(side) * (across(&y[n..], stop.ends) - bound.rate(self.t + s))
                };
                if closing(0.0, &self.y) <= 0.0 || closing(h, there) >= 0.0 {
                    continue;
                }
                let mut span = [0.0, h];
                for _ in 0..50 {
                    let s = 0.5 * (span[0] + span[1]);
                    let y = self.state(s)?;
                    span[usize::from(closing(s, &y) <= 0.0)] = s;
                }
                let y = self.state(span[1])?;
                if plant.passed(k, side, self.t + span[1], &y)[0] > SMALL {
                    return Ok(Some(span[1]));
                }
            }
        }
        Ok(None)
    }

    /// One step of at most `h`, to the first thing that happens in it.
    pub(super) fn advance(&mut self, h: f64) -> Result<(), Left> {
        let (there, error) = self.made(h)?;
        let before = self.plant.sides(self.t, &self.y, &self.mode);
        let negative = |margins: &[(Change, f64)], but: Option<Change>, least: f64| {
            margins.iter().find(|m| m.1 < -least && Some(m.0) != but).map(|m| m.0)
        };
        let margins = self.margins(h, &there)?;
        let mut target = negative(&margins, None, 0.0);
        let passes = self.plant.sides(self.t + h, &there, &self.mode) != before;
        if target.is_none() && !passes {
            if error > EXACT && h > SHORTEST {
                return self.advance(0.5 * h);
            }
            if let Some(s) = self.dip(h, &there)? {
                return self.advance(s);
            }
            self.t += h;
            self.y = there;
            return Ok(());
        }
        let mut hi = h;
        let (s, y, error) = loop {
            let s = match target {
                Some(change) => self.root(change, hi)?,
                None => self.kink(hi)?,
            };
            let (y, error) = self.made(s)?;
            let margins = self.margins(s, &y)?;
            let other = negative(&margins, target, 1e-11).filter(|_| s > 0.0 && s < hi);
            if let Some(other) = other {
                (hi, target) = (s, Some(other));
                continue;
            }
            if target.is_some() && s < hi && self.plant.sides(self.t + s, &y, &self.mode) != before
            {
                (hi, target) = (s, None);
                continue;
            }
            break (s, y, error);
        };
        if error > EXACT && s > SHORTEST {
            return self.advance(0.5 * s);
        }
        self.t += s;
        self.y = y;
        target.map_or(Ok(()), |change| self.apply(change))
    }

    pub(super) fn apply(&mut self, change: Change) -> Result<(), Left> {
        match change {
            Change::Slips(e, side) => {
                self.mode.slips[e] = side;
                self.mode.giving[e] = true;
                self.tell(Row::Slider(e), EventKind::Slip);
            }
            Change::Starts(g, side) => {
                self.mode.gears[g].0 = side;
                self.tell(Row::Gear(g), EventKind::Slip);
            }
            Change::Halts(e) => return self.rest(Row::Slider(e)),
            Change::Stalls(g) => return self.rest(Row::Gear(g)),
            Change::Turns(e) => {
                self.mode.slips[e] *= -1;
                self.tell(Row::Slider(e), EventKind::Reversal);
            }
            Change::Flips(g) => {
                self.mode.gears[g].1 *= -1;
                if self.mode.gears[g].0 != 0 {
                    self.tell(Row::Gear(g), EventKind::LoadReversal);
                }
            }
            Change::Opens(s) => {
                self.mode.stops[s] = Touch::Open;
                self.tell(Row::Stop(s), EventKind::Release);
            }
            Change::Pushes(s) | Change::Ceases(s) => {
                let pushes = matches!(change, Change::Pushes(_));
                if let Touch::Soft(side, _) = self.mode.stops[s] {
                    self.mode.stops[s] = Touch::Soft(side, pushes);
                }
                let kind = if pushes { EventKind::Contact } else { EventKind::Release };
                self.tell(Row::Stop(s), kind);
            }
            Change::Leaves(s) => self.mode.stops[s] = Touch::Open,
            Change::Limit(c, to) => self.mode.limits[c] = to,
            Change::Hits(s, side) => return self.hit(s, side),
        }
        self.settle(None)
    }

    /// A slider or a gear whose velocity has come to zero.
    pub(super) fn rest(&mut self, row: Row) -> Result<(), Left> {
        let was = match row {
            Row::Slider(e) => std::mem::take(&mut self.mode.slips[e]),
            Row::Gear(g) | Row::Hold(g) => std::mem::take(&mut self.mode.gears[g].0),
            Row::Stop(_) => 0,
        };
        if let Row::Slider(e) = row {
            self.mode.since[e] = self.t;
        }
        self.project()?;
        let place = self.told.len();
        self.settle(Some((row, was)))?;
        let rests = match row {
            Row::Slider(e) => self.mode.slips[e] == 0,
            Row::Gear(g) | Row::Hold(g) => self.mode.gears[g].0 == 0,
            Row::Stop(_) => false,
        };
        if rests {
            self.tell(row, EventKind::Stick);
            let stick = self.told.pop().unwrap();
            self.told.insert(place, stick);
        }
        Ok(())
    }

    /// Two ends meet.
    pub(super) fn hit(&mut self, s: usize, side: i8) -> Result<(), Left> {
        let plant = self.plant;
        let stop = plant.stops[s];
        let Bumper::Rigid { restitution } = stop.bumper else {
            self.mode.stops[s] = Touch::Soft(side, true);
            self.tell(Row::Stop(s), EventKind::Contact);
            return self.settle(None);
        };
        if self.mode.stops.iter().any(|t| matches!(t, Touch::Closed(_))) {
            return Err(Left::Ambiguous);
        }
        let n = plant.n();
        let bound = stop.bounds[usize::from(side > 0)].unwrap();
        let met = across(&self.y[n..], stop.ends) - bound.rate(self.t);
        let closing = f64::from(side) * met;
        let slides: Vec<f64> =
            (0..plant.sliders.len()).map(|e| plant.slide(e, self.t, &self.y)).collect();
        let still = closing < 1e-9;
        let e = if still { 0.0 } else { restitution };
        let (share, weight) = self.blow(stop.ends)?;
        for (i, share) in share.iter().enumerate() {
            self.y[n + i] -= (1.0 + e) * met / weight * share;
        }
        if closing.abs() < SLOW {
            self.slow.push(self.t);
        }
        if e > 0.0 {
            self.tell(Row::Stop(s), EventKind::Impact);
        } else {
            self.mode.stops[s] = Touch::Closed(side);
            self.tell(Row::Stop(s), EventKind::Contact);
        }
        if !still {
            self.torn(&slides);
        }
        if e == 0.0 {
            self.project()?;
        }
        self.settle(None)?;
        // What the stop holds still does not slide: stop and slider hold one mass together, more forces than equations.
        let still_slides = |e: usize| {
            let slides = self.mode.slips[e] != 0 && matches!(plant.sliders[e].rubs, Rubs::Law(..));
            slides && plant.slide(e, self.t, &self.y).abs() < SMALL
        };
        let holds = matches!(self.mode.stops[s], Touch::Closed(_));
        if holds && (0..plant.sliders.len()).any(still_slides) {
            return Err(Left::Ambiguous);
        }
        // A stop that lets go at once has been hit, no more.
        if e == 0.0 && !still && self.mode.stops[s] == Touch::Open {
            let here = (self.t, plant.sliders.len() + s);
            self.told.retain(|e| (e.0, e.1) != here || e.2 != EventKind::Release);
            for told in self.told.iter_mut().filter(|e| (e.0, e.1) == here) {
                told.2 = EventKind::Impact;
            }
        }
        Ok(())
    }

    /// What an impact does to sliders and gears.
    pub(super) fn torn(&mut self, before: &[f64]) {
        let plant = self.plant;
        let n = plant.n();
        for e in 0..plant.sliders.len() {
            let w = plant.slide(e, self.t, &self.y);
            let changed = (w - before[e]).abs() > 1e-13;
            let (was, now) = (self.mode.slips[e], w.signum() as i8);
            if changed && was != now {
                self.mode.slips[e] = now;
                let kind = if was == 0 { EventKind::Slip } else { EventKind::Reversal };
                self.tell(Row::Slider(e), kind);
            }
        }
        for (g, gear) in plant.gears.iter().enumerate() {
            let v = self.y[n + gear.ends[0]];
            let (was, now) = (self.mode.gears[g].0, v.signum() as i8);
            if gear.friction.is_some() && v.abs() > 1e-13 && was != now {
                self.mode.gears[g].0 = now;
                let kind = if was == 0 { EventKind::Slip } else { EventKind::Reversal };
                self.tell(Row::Gear(g), kind);
            }
        }
    }

    /// What an impulse of 1 between these ends does to the velocities, through gears, and across the ends.
    pub(super) fn blow(&self, ends: Ends) -> Result<(Vec<f64>, f64), Left> {
        let plant = self.plant;
        let n = plant.n();
        let m = n + plant.gears.len();
        let (mut a, mut b) = (vec![vec![0.0; m]; m], vec![0.0; m]);
        for i in 0..n {
            a[i][i] = plant.mass[i];
        }
        for (g, gear) in plant.gears.iter().enumerate() {
            for (i, f) in gear.ends.into_iter().zip([1.0, -gear.ratio]) {
                a[n + g][i] = f;
                a[i][n + g] = -f;
            }
        }
        for (end, sign) in ends.into_iter().zip([1.0, -1.0]) {
            if let Some(i) = end {
                b[i] = sign;
            }
        }
        let mut found = eliminate(a, b).ok_or(Left::Ambiguous)?;
        found.truncate(n);
        let weight = across(&found, ends);
        Ok((found, weight))
    }

    pub(super) fn run(mut self, end: f64, h: f64) -> Result<Self, Left> {
        let mut rounds = 0;
        while self.t < end {
            rounds += 1;
            if rounds > 200_000 || self.told.len() > 2000 {
                return Err(Left::Endless);
            }
            let due = self.due();
            if due <= self.t {
                self.tick();
                self.settle(None)?;
                continue;
            }
            let until = due.min(end);
            let left = until - self.t;
            if left <= h * (1.0 + 1e-9) {
                self.advance(left)?;
                if (self.t - until).abs() < 1e-13 * (1.0 + until) {
                    self.t = until;
                }
            } else {
                self.advance(h)?;
            }
        }
        self.told.retain(|e| e.0 > 0.0);
        Ok(self)
    }
}

impl Plant {
    pub(super) fn solved(&self, end: f64, h: f64) -> Result<Run<'_>, Left> {
        Run::begin(self)?.run(end, h)
    }
}
