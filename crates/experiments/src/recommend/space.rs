//! The settings that are searched, and how they are spelt for a model.
//!
//! `innodb_io_capacity_max` is what is searched. `innodb_io_capacity` goes along, so that the whole-number ratio of the
//! two, which enters the flushing formulas of MySQL 8.0, stays as it is. A model without the first is searched by the
//! second.

use innosim_flush_models::registry::{Kind, ModelId, Settings, lookup};

const MAX: &str = "innodb_io_capacity_max";
const CAPACITY: &str = "innodb_io_capacity";
const REDO: &str = "innodb_redo_log_capacity";
const FILE_SIZE: &str = "innodb_log_file_size";
const FILES: &str = "innodb_log_files_in_group";
/// A step is about this part of the value.
const STEPS: f64 = 14.0;
/// A gap of more steps is cut in three, one of fewer in two.
const WIDE: u64 = 4;

/// A setting to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    /// Size of the redo log, bytes.
    pub redo_bytes: u64,
    /// `innodb_io_capacity_max`, pages a second; `innodb_io_capacity` in models without it.
    pub io_capacity_max: u64,
    /// `innodb_io_capacity`, pages a second.
    pub io_capacity: u64,
}

/// How points are spelt for a scenario's model, and where they can lie.
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    /// The model.
    pub model: ModelId,
    /// The present setting.
    pub current: Point,
    /// `innodb_io_capacity_max / innodb_io_capacity`, in whole numbers.
    ratio: u64,
    /// Redo files of `innodb_log_file_size`, for models whose redo log is sized by them; MariaDB has one.
    files: Option<u64>,
    /// Allowed I/O capacities.
    range: (u64, u64),
    /// Allowed redo sizes, bytes.
    redo_range: (u64, u64),
}

impl Space {
    /// The space about the present `settings`; `None` for a model without I/O capacity or redo size.
    pub fn about(settings: &Settings) -> Option<Space> {
        let model = settings.model;
        let has_max = lookup(model, MAX).is_ok();
        let range = whole_range(model, if has_max { MAX } else { CAPACITY })?;
        let io_capacity = settings.integer(CAPACITY).ok()?;
        let io_capacity_max = if has_max { settings.integer(MAX).ok()? } else { io_capacity };
        let capacity = settings.integer(REDO).ok();
        let files = match capacity {
            None if lookup(model, FILES).is_ok() => Some(settings.integer(FILES).ok()?),
            None => Some(1),
            Some(_) => None,
        };
        let (redo_bytes, redo_range) = match files {
            None => (capacity?, whole_range(model, REDO)?),
            Some(files) => {
                let (least, most) = whole_range(model, FILE_SIZE)?;
                (settings.integer(FILE_SIZE).ok()? * files, (least * files, most.saturating_mul(files)))
            }
        };
        let current = Point { redo_bytes, io_capacity_max, io_capacity };
        Some(Space { model, current, ratio: (io_capacity_max / io_capacity.max(1)).max(1), files, range, redo_range })
    }

    /// The name of the setting that is searched.
    pub fn searched(&self) -> &'static str {
        if self.has_max() { MAX } else { CAPACITY }
    }

    fn has_max(&self) -> bool {
        lookup(self.model, MAX).is_ok()
    }

    /// The point with this I/O capacity, rounded to its step, at a redo size.
    pub(super) fn point(&self, io_capacity_max: f64, redo_bytes: u64) -> Point {
        let step = step_at(io_capacity_max);
        let rounded = ((io_capacity_max / step as f64).round() as u64 * step).max(step);
        let lowest = whole_range(self.model, CAPACITY).map_or(1, |range| range.0.max(1));
        // Below its lowest value times the ratio the capacity stays there and the ratio falls: what is flushed follows the maximum.
        let least = if self.has_max() { lowest * self.ratio.min(2) } else { lowest };
        let io_capacity_max = rounded.max(least).clamp(self.range.0.max(1), self.range.1);
        let io_capacity = if self.has_max() { (io_capacity_max / self.ratio).max(lowest) } else { io_capacity_max };
        Point { redo_bytes, io_capacity_max: io_capacity_max.max(io_capacity), io_capacity }
    }

    /// What to look at between two points of a redo size that are more than a step apart: the middle, or if they are far apart two.
    pub(super) fn between(&self, low: Point, high: Point) -> Vec<Point> {
        let gap = high.io_capacity_max.saturating_sub(low.io_capacity_max);
        let step = step_at((low.io_capacity_max + high.io_capacity_max) as f64 / 2.0);
        let shares: &[f64] = match gap {
            gap if gap <= step => &[],
            gap if gap <= WIDE * step => &[0.5],
            _ => &[1.0 / 3.0, 2.0 / 3.0],
        };
        let at = |share: &f64| self.point(low.io_capacity_max as f64 + share * gap as f64, low.redo_bytes);
        let mut points: Vec<Point> = shares.iter().map(at).filter(|&point| low < point && point < high).collect();
        points.dedup();
        points
    }

    /// The present redo size times `factor`, if that is allowed, in whole MiB a file.
    pub(super) fn redo_times(&self, factor: f64) -> Option<u64> {
        let files = self.files.unwrap_or(1);
        let bytes = (self.current.redo_bytes as f64 * factor) as u64 / files;
        let bytes = (bytes >> 20 << 20) * files;
        (bytes >= self.redo_range.0.max(32 << 20) && bytes <= self.redo_range.1.min(512 << 30)).then_some(bytes)
    }

    /// The settings of a point as `SETTING=VALUE`.
    pub fn overrides(&self, point: Point) -> Vec<String> {
        self.values(point).into_iter().map(|(name, value)| format!("{name}={value}")).collect()
    }

    /// The settings of a point, by name; redo only if it is not the present one.
    pub fn values(&self, point: Point) -> Vec<(&'static str, u64)> {
        let mut values = vec![(CAPACITY, point.io_capacity)];
        if self.has_max() {
            values.push((MAX, point.io_capacity_max));
        }
        if point.redo_bytes != self.current.redo_bytes {
            values.push(match self.files {
                None => (REDO, point.redo_bytes),
                Some(files) => (FILE_SIZE, point.redo_bytes / files),
            });
        }
        values
    }

    /// Statements that bring a running server from the present setting to `point`, in an order that it accepts;
    /// settings that need a restart are lines of a my.cnf.
    pub fn statements(&self, point: Point) -> Vec<String> {
        let mut values = self.values(point);
        // The server refuses a capacity above its maximum: when both rise, the maximum goes first.
        if self.has_max() && point.io_capacity > self.current.io_capacity_max {
            values.swap(0, 1);
        }
        values.into_iter().map(|(name, value)| self.statement(name, value)).collect()
    }
}

impl Space {
    /// Statements that bring a running server from `point` back to the present setting.
    pub fn back(&self, point: Point) -> Vec<String> {
        let mut values = self.values(self.current);
        if self.has_max() && self.current.io_capacity > point.io_capacity_max {
            values.swap(0, 1);
        }
        let mut lines: Vec<String> =
            values.into_iter().map(|(name, value)| format!("SET GLOBAL {name} = {value};")).collect();
        if point.redo_bytes != self.current.redo_bytes {
            let (name, value) = match self.files {
                None => (REDO, self.current.redo_bytes),
                Some(files) => (FILE_SIZE, self.current.redo_bytes / files),
            };
            lines.push(self.statement(name, value));
        }
        lines
    }

    /// One setting of a running server, or a line of a my.cnf if it needs a restart.
    fn statement(&self, name: &str, value: u64) -> String {
        // MariaDB resizes its one file while it runs, from 10.9.
        if name == FILE_SIZE && !self.model.is_mariadb() {
            format!("# my.cnf, with a restart: {name} = {}M", value >> 20)
        } else {
            format!("SET GLOBAL {name} = {value};")
        }
    }
}

fn whole_range(model: ModelId, name: &str) -> Option<(u64, u64)> {
    match lookup(model, name).ok()?.kind {
        Kind::Integer { min, max } | Kind::Bytes { min, max, .. } => Some((min, max)),
        _ => None,
    }
}

/// Values about `value` are told apart in steps of 1, 2 or 5 times a power of ten: 500 about 7000.
pub(super) fn step_at(value: f64) -> u64 {
    let wanted = (value / STEPS).max(1.0);
    let power = 10f64.powi(wanted.log10().floor() as i32);
    let nearest = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .min_by(|a, b| distance(a * power, wanted).total_cmp(&distance(b * power, wanted)))
        .unwrap_or(1.0);
    (nearest * power).round() as u64
}

fn distance(a: f64, b: f64) -> f64 {
    (a / b).ln().abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use innosim_scenario::{Overrides, Source, load};

    fn space(scenario: &str) -> Space {
        Space::about(&load(Source::Shipped(scenario), &Overrides::default()).unwrap().settings).unwrap()
    }

    #[test]
    fn steps() {
        assert_eq!([7000.0, 6500.0, 4500.0, 600.0, 20_000.0, 5.0].map(step_at), [500, 500, 500, 50, 2000, 1]);
    }

    #[test]
    fn the_ratio_of_the_two_capacities_stays() {
        let s = space("teaching/redo-too-small");
        assert_eq!((s.current.io_capacity, s.current.io_capacity_max), (2000, 4000));
        let p = s.point(6100.0, s.current.redo_bytes);
        assert_eq!((p.io_capacity, p.io_capacity_max), (3000, 6000));
        assert_eq!(s.overrides(p), ["innodb_io_capacity=3000", "innodb_io_capacity_max=6000"]);
        assert_eq!(s.point(0.0, 1).io_capacity_max, 200, "innodb_io_capacity is at least 100");
    }

    /// A server with the defaults of 200 and a high maximum: its best maximum may be far below 100 times the ratio.
    #[test]
    fn a_large_ratio_does_not_bound_the_search() {
        let overrides = Overrides {
            set: vec!["innodb_io_capacity=200".to_owned(), "innodb_io_capacity_max=3200".to_owned()],
            ..Overrides::default()
        };
        let settings = load(Source::Shipped("teaching/redo-too-small"), &overrides).unwrap().settings;
        let s = Space::about(&settings).unwrap();
        let at = |pages| (s.point(pages, 1).io_capacity, s.point(pages, 1).io_capacity_max);
        assert_eq!([3200.0, 1600.0, 400.0, 0.0].map(at), [(200, 3200), (100, 1600), (100, 400), (100, 200)]);
    }

    #[test]
    fn statements_in_an_order_that_the_server_takes() {
        let s = space("teaching/redo-too-small");
        let high = Point { redo_bytes: 1 << 30, io_capacity_max: 10_000, io_capacity: 5000 };
        let expected = [
            "SET GLOBAL innodb_io_capacity_max = 10000;",
            "SET GLOBAL innodb_io_capacity = 5000;",
            "SET GLOBAL innodb_redo_log_capacity = 1073741824;",
        ];
        assert_eq!(s.statements(high), expected);
        let low = s.point(1000.0, s.current.redo_bytes);
        assert_eq!(s.statements(low)[0], "SET GLOBAL innodb_io_capacity = 500;");
    }

    #[test]
    fn redo_in_files_and_in_bytes() {
        let files = space("percona-2020-08/7000-bpi32");
        assert_eq!(files.current.redo_bytes, 20 << 30);
        assert_eq!(files.redo_times(2.0), Some(40 << 30));
        let double = files.point(5000.0, 40 << 30);
        assert!(files.overrides(double).contains(&format!("innodb_log_file_size={}", 20u64 << 30)));
        assert!(files.statements(double)[2].starts_with("# my.cnf"));
        assert_eq!(space("teaching/redo-too-small").redo_times(1e6), None);
    }

    #[test]
    fn mariadb_has_one_redo_file_and_resizes_it_while_it_runs() {
        let overrides = Overrides {
            model: Some("mariadb-10.11".to_owned()),
            set: vec!["innodb_log_file_size=1G".to_owned()],
            ..Overrides::default()
        };
        let settings = load(Source::Shipped("teaching/redo-too-small"), &overrides).unwrap().settings;
        let space = Space::about(&settings).unwrap();
        assert_eq!((space.current.redo_bytes, space.redo_times(2.0)), (1 << 30, Some(2 << 30)));
        let double = space.point(3000.0, 2 << 30);
        assert_eq!(space.statements(double)[2], "SET GLOBAL innodb_log_file_size = 2147483648;");
    }
}
