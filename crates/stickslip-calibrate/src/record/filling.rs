//! Columns that were filled in by straight lines between readings further apart than the rows of the table.
//!
//! A path that is read in each row follows the drive from row to row. Between two readings a line does not: what the drive moves the
//! response while the bearing rests is flattened, so that K comes out too small, whatever the residuals say. The lines are seen by the
//! last digit: a row on a line differs from the one between its neighbours by a digit at most, for the three are rounded by half of one
//! each, where noise or the drive would move it by many. Readings two rows apart that lie between the rows leave no row with both of
//! its neighbours on its own line, and are not seen.
//!
//! Of a drive the lines cut off what it does between two readings, at which bearings slip. It needs no other column to be compared with:
//! that of a laboratory is straight, too, but between few slopes.

/// How a response was filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filling {
    /// It was not, as far as can be seen.
    None,
    /// By lines from row to row: the rows between, which are no readings.
    Rows(Vec<usize>),
    /// By lines that bend between two rows, so that no row is a reading.
    Between,
}

/// A row is straight within one digit; from so many on it bends clearly,
const CLEAR: f64 = 5.0;
/// and within so many rows are straight by chance three times as often as within one.
const ALMOST: f64 = 4.0;
/// Straight rows are so many times as many as almost straight ones. Noise about as wide as a digit has twice as many, but no clear bends.
const STRAIGHT: f64 = 2.0;
/// Fewest clear bends between two straight runs, and their least share of all clear bends. If each row is a reading with probability p,
/// (1 − p)² of the bends stand between straight runs; of noise of ten digits, one in a hundred does.
const BENDS: (f64, f64) = (20.0, 0.12);
/// A run says something if the response moves by so many digits in it, and the drive departs by so many from its own line.
const MOVES: f64 = 4.0;
const DEPARTS: f64 = 2.0;
/// Where the drive bends the response, the drive bends so many times as much as it does elsewhere.
const DRIVEN: f64 = 3.0;

/// A column with its last digit.
struct Column<'a> {
    time: &'a [f64],
    values: &'a [f64],
    /// The smallest difference of two rows.
    digit: f64,
}

impl<'a> Column<'a> {
    fn new(time: &'a [f64], values: &'a [f64]) -> Self {
        let size = values.iter().filter(|v| v.is_finite()).fold(0.0, |m: f64, v| m.max(v.abs()));
        // Differences below this are the rounding of a computer.
        let moves = values.windows(2).map(|w| (w[1] - w[0]).abs()).filter(|d| *d > 1e-12 * size);
        let digit = moves.fold(f64::INFINITY, f64::min);
        Self { time, values, digit }
    }

    /// How far a row is from the line between its neighbours, in digits; NaN where a value is missing, and at the ends, which have no
    /// two neighbours. Asked anew each time: of a long record a list of them would take as much memory as the column.
    fn off(&self, row: usize) -> f64 {
        if row == 0 || row + 1 >= self.values.len() {
            return f64::NAN;
        }
        self.off_chord(row, [row - 1, row + 1]) / self.digit
    }

    /// How far a row is from the line between two others.
    fn off_chord(&self, row: usize, [from, to]: [usize; 2]) -> f64 {
        let share = (self.time[row] - self.time[from]) / (self.time[to] - self.time[from]);
        let [first, last] = [self.values[from], self.values[to]];
        self.values[row] - first - share * (last - first)
    }

    /// The furthest of the rows between two others from the line between those, in digits.
    fn departs(&self, [from, to]: [usize; 2]) -> f64 {
        let most = (from + 1..to).map(|i| self.off_chord(i, [from, to]).abs());
        most.fold(0.0, f64::max) / self.digit
    }

    /// Within one digit, but for the rounding of a computer.
    fn straight(&self, row: usize) -> bool {
        self.off(row).abs() < 1.01
    }

    /// The ends of the runs whose rows between all lie on one line. A curve is straight from row to row as well, but
    /// not from end to end.
    fn runs(&self) -> Vec<[usize; 2]> {
        let mut runs = Vec::new();
        let mut row = 0;
        while row < self.values.len() {
            let from = row;
            while row < self.values.len() && self.straight(row) {
                row += 1;
            }
            // The first and the last row of a record have no neighbours, and are not straight.
            if row > from {
                runs.push([from - 1, row]);
            }
            row += 1;
        }
        runs.retain(|run| self.departs(*run) < 1.01);
        runs
    }

    fn count(&self, within: std::ops::Range<f64>) -> f64 {
        (0..self.values.len()).filter(|row| within.contains(&self.off(*row).abs())).count() as f64
    }
}

/// The median of what is there.
fn usual(values: impl Iterator<Item = f64>) -> f64 {
    let mut seen: Vec<f64> = values.filter(|v| v.is_finite()).collect();
    if seen.is_empty() { 0.0 } else { crate::statistics::stats::median(&mut seen) }
}

/// How the response was filled in, if it was.
pub fn filling(time: &[f64], drive: &[f64], response: &[f64]) -> Filling {
    let column = Column::new(time, response);
    let driven = Column::new(time, drive);
    let straight = column.count(0.0..1.01);
    if straight < STRAIGHT * column.count(1.01..ALMOST) {
        return Filling::None;
    }
    let runs = column.runs();
    // Rows that rest, and rows of a drive that is straight itself, are straight anyhow.
    let tells = |run: &[usize; 2]| {
        let moved = (response[run[1]] - response[run[0]]).abs() > MOVES * column.digit;
        moved && driven.departs(*run) > DEPARTS
    };
    let mut bends = Vec::new();
    let mut between = 0.0;
    for pair in runs.windows(2) {
        let [end, start] = [pair[0][1], pair[1][0]];
        if !pair.iter().any(tells) {
            continue;
        }
        let [one, two] = [column.off(end), column.off(start)];
        if end == start && one.abs() > CLEAR {
            bends.push(end);
        } else if end + 1 == start && one * two > 0.0 && (one + two).abs() > CLEAR {
            // A slip between two readings bends to one side and back; lines that meet there, to one side.
            between += 1.0;
        }
    }
    let at_rows = bends.len() as f64;
    let clear = column.count(CLEAR..f64::INFINITY);
    if at_rows.max(between) < BENDS.0.max(BENDS.1 * clear) {
        return Filling::None;
    }
    if between > at_rows {
        return Filling::Between;
    }
    let off = |row: usize| driven.off(row).abs();
    let elsewhere = usual(runs.iter().flat_map(|r| r[0] + 1..r[1]).map(off));
    if usual(bends.into_iter().map(off)) > DRIVEN * elsewhere.max(1.0) {
        return Filling::None;
    }
    // Two lines that happen to go on almost straight are no single line from end to end: row by row they are.
    Filling::Rows((0..response.len()).filter(|row| column.straight(*row)).collect())
}

/// A drive was filled in if it has so many lines, and this share of its rows.
const LINES: (f64, f64) = (20.0, 0.03);
/// A program of ramps goes up and down at a few rates: so many of them, each within this share,
const RATES: (usize, f64) = (4, 0.05);
/// hold no more of the lines between readings than this.
const VARIED: f64 = 0.6;

/// A drive that was filled in by lines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drawn {
    /// Rows that lie on the line between their neighbours.
    pub rows: usize,
    /// By how much it usually bends from row to row where two lines meet.
    pub bend: f64,
}

/// The share of slopes that the most frequent rates hold.
fn of_few_rates(mut slopes: Vec<f64>) -> f64 {
    slopes.sort_unstable_by(f64::total_cmp);
    let all = slopes.len() as f64;
    let mut held = 0;
    for _ in 0..RATES.0 {
        let until = |from: usize| slopes.partition_point(|s| *s <= slopes[from] * (1.0 + RATES.1));
        let best = (0..slopes.len()).max_by_key(|from| until(*from) - from);
        let Some(from) = best else { break };
        let to = until(from);
        held += to - from;
        slopes.drain(from..to);
    }
    held as f64 / all
}

/// How a drive was filled in, if it was.
pub fn drawn(time: &[f64], drive: &[f64]) -> Option<Drawn> {
    let column = Column::new(time, drive);
    let straight = column.count(0.0..1.01);
    let clear = column.count(CLEAR..f64::INFINITY);
    if straight < STRAIGHT * column.count(1.01..ALMOST) {
        return None;
    }
    let rises = |run: &[usize; 2]| drive[run[1]] - drive[run[0]];
    let mut runs = column.runs();
    runs.retain(|run| rises(run).abs() > MOVES * column.digit);
    let lines = runs.len() as f64;
    // Each line ends in a bend, which most show clearly.
    if lines < LINES.0.max(LINES.1 * drive.len() as f64) || 2.0 * clear < lines {
        return None;
    }
    let slope = |run: &[usize; 2]| (rises(run) / (time[run[1]] - time[run[0]])).abs();
    if of_few_rates(runs.iter().map(slope).collect()) > VARIED {
        return None;
    }
    let bends = (0..drive.len()).map(|row| column.off(row).abs()).filter(|o| *o > CLEAR);
    Some(Drawn { rows: straight as usize, bend: column.digit * usual(bends) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::random::Draws;
    use stickslip::portable::sin;

    const ROWS: usize = 2000;

    fn times() -> Vec<f64> {
        (0..ROWS).map(|i| 3600.0 * i as f64).collect()
    }

    /// A day and some weather, to 0.01 °C.
    fn drive() -> Vec<f64> {
        let mut draws = Draws::new(11, 12);
        let at = |i: usize| 9.0 * sin(0.2618 * i as f64) + 4.0 * sin(0.031 * i as f64);
        (0..ROWS).map(|i| (100.0 * (at(i) + 0.05 * draws.normal())).round() / 100.0).collect()
    }

    /// A response with noise of `noise` digits, to one digit.
    fn response(noise: f64) -> Vec<f64> {
        let mut draws = Draws::new(13, 14);
        drive().iter().map(|t| (40.0 * t + noise * draws.normal()).round()).collect()
    }

    /// Which rows are readings: each with probability `share`.
    fn readings(share: f64) -> Vec<usize> {
        let mut draws = Draws::new(15, 16);
        let mut rows: Vec<usize> = (1..ROWS - 1).filter(|_| draws.unit() < share).collect();
        rows.insert(0, 0);
        rows.push(ROWS - 1);
        rows
    }

    /// Lines between readings at `at` rows, which need not be whole, to `digit`.
    fn lines(at: &[f64], values: &[f64], digit: f64) -> Vec<f64> {
        let mut k = 0;
        let mut out = Vec::new();
        for i in 0..ROWS {
            let x = i as f64;
            while k + 2 < at.len() && at[k + 1] < x {
                k += 1;
            }
            let share = (x - at[k]) / (at[k + 1] - at[k]);
            let v = values[k] + share * (values[k + 1] - values[k]);
            out.push(if digit > 0.0 { (v / digit).round() * digit } else { v });
        }
        out
    }

    #[test]
    fn rows_on_lines_between_readings_are_told() {
        let whole = response(30.0);
        for share in [0.15, 0.3, 0.5, 0.6] {
            let rows = readings(share);
            let at: Vec<f64> = rows.iter().map(|r| *r as f64).collect();
            let values: Vec<f64> = rows.iter().map(|r| whole[*r]).collect();
            for digit in [0.0, 1.0] {
                let filled = lines(&at, &values, digit);
                let Filling::Rows(found) = filling(&times(), &drive(), &filled) else {
                    panic!("{share} {digit}")
                };
                let between = ROWS - rows.len();
                let wrong = found.iter().filter(|r| rows.contains(r)).count();
                assert!(found.len() - wrong == between, "{share} {digit}: {} {wrong}", found.len());
                assert!(wrong < rows.len() / 10, "{share} {digit}: {wrong} of {}", rows.len());
            }
        }
    }

    #[test]
    fn lines_that_bend_between_rows_are_told() {
        let whole = response(30.0);
        for (every, from) in [(3.0, 0.5), (2.7, 0.2), (5.3, 0.4)] {
            let at: Vec<f64> =
                (0..).map(|k| from + every * f64::from(k)).take_while(|x| *x < 1999.0).collect();
            let values: Vec<f64> = at.iter().map(|x| whole[*x as usize]).collect();
            assert_eq!(filling(&times(), &drive(), &lines(&at, &values, 1.0)), Filling::Between);
        }
    }

    #[test]
    fn readings_of_every_row_are_not_called_lines() {
        let none = |drive: &[f64], response: &[f64], what: &str| {
            assert_eq!(filling(&times(), drive, response), Filling::None, "{what}");
        };
        let drive = drive();
        for noise in [0.0, 0.3, 1.0, 3.0, 30.0] {
            none(&drive, &response(noise), &format!("noise of {noise} digits"));
            let coarse: Vec<f64> =
                response(noise).iter().map(|z| (z / 20.0).round() * 20.0).collect();
            none(&drive, &coarse, &format!("coarse, noise of {noise} digits"));
            let slow: Vec<f64> = response(noise).iter().map(|z| (0.02 * z).round()).collect();
            none(&drive, &slow, &format!("hardly moving, noise of {noise} digits"));
        }
        // Quiet by night, and rough by day.
        let mut draws = Draws::new(17, 18);
        let rough = |i: usize| if i % 24 < 12 { 0.3 } else { 12.0 };
        let days: Vec<f64> =
            (0..ROWS).map(|i| (0.1 * i as f64 + rough(i) * draws.normal()).round()).collect();
        none(&drive, &days, "quiet nights");
        // Ramps of a laboratory bend the response where they bend themselves, and where it breaks away they do not.
        let ramps: Vec<f64> = (0..ROWS).map(|i| (i as f64 / 40.0).rem_euclid(2.0)).collect();
        let ramps: Vec<f64> = ramps.iter().map(|r| 20.0 * r.min(2.0 - r)).collect();
        let slides: Vec<f64> = (0..ROWS).map(|i| (40.0 * ramps[i]).max(300.0).round()).collect();
        none(&ramps, &slides, "ramps");
        // Smooth, without noise, sliding and resting by turns.
        let smooth: Vec<f64> = (0..ROWS).map(|i| 9.0 * sin(0.04 * i as f64)).collect();
        let slides: Vec<f64> = smooth.iter().map(|t| (400.0 * t).clamp(-2000.0, 2000.0)).collect();
        none(&smooth, &slides, "smooth");
        let rounded: Vec<f64> = slides.iter().map(|z| z.round()).collect();
        none(&smooth, &rounded, "smooth and rounded");
    }

    /// The drive between readings at some rows, which need not be whole, with lines between them.
    fn drive_between(at: &[f64]) -> Vec<f64> {
        let values: Vec<f64> = at.iter().map(|x| drive()[*x as usize]).collect();
        lines(at, &values, 0.01)
    }

    #[test]
    fn a_drive_that_was_filled_in_is_told() {
        let every = |rows: f64| -> Vec<f64> {
            (0..).map(|k| 0.3 + rows * f64::from(k)).take_while(|x| *x < 1999.0).collect()
        };
        let some = |share: f64| readings(share).into_iter().map(|r| r as f64).collect();
        let cases: [(&str, Vec<f64>); 6] = [
            ("every 2.3", every(2.3)),
            ("every 3.1", every(3.1)),
            ("every 6.5", every(6.5)),
            ("of six", some(0.16)),
            ("of three", some(0.33)),
            ("of two", some(0.5)),
        ];
        for (name, at) in cases {
            let found = drawn(&times(), &drive_between(&at)).unwrap_or_else(|| panic!("{name}"));
            assert!(found.rows > 100 && found.bend > 0.1 && found.bend < 9.0, "{name} {found:?}");
        }
    }

    #[test]
    fn a_drive_of_readings_or_ramps_is_not_called_filled_in() {
        let none = |drive: &[f64], what: &str| assert_eq!(drawn(&times(), drive), None, "{what}");
        none(&drive(), "readings");
        for digit in [0.1, 0.5, 1.0] {
            let coarse: Vec<f64> = drive().iter().map(|t| (t / digit).round() * digit).collect();
            none(&coarse, &format!("to {digit}"));
        }
        let slow = |i: usize| (100.0 * (9.0 * sin(0.02 * i as f64))).round() / 100.0;
        none(&(0..ROWS).map(slow).collect::<Vec<_>>(), "smooth");
        none(&(0..ROWS).map(|i| 9.0 * sin(0.02 * i as f64)).collect::<Vec<_>>(), "not rounded");
        // Up and down between two temperatures, with and without a hold.
        for (period, hold) in [(40usize, 0usize), (7, 0), (30, 8)] {
            let ramp = |i: usize| {
                let at = i % (2 * (period + hold));
                let up = at.min(period) as f64;
                let down = at.saturating_sub(period + hold).min(period) as f64;
                (100.0 * 17.0 * (up - down) / period as f64).round() / 100.0
            };
            none(&(0..ROWS).map(ramp).collect::<Vec<_>>(), &format!("ramps of {period} rows"));
        }
        // Up in 20 rows, and down in 33.
        let saw = |i: usize| {
            let at = (i % 53) as f64;
            (100.0 * 17.0 * (at / 20.0).min((53.0 - at) / 33.0)).round() / 100.0
        };
        none(&(0..ROWS).map(saw).collect::<Vec<_>>(), "up faster than down");
        let mut draws = Draws::new(21, 22);
        let rough: Vec<f64> = (0..ROWS).map(|_| (100.0 * draws.normal()).round() / 100.0).collect();
        none(&rough, "rough");
    }
}
