//! A device as fio measured it.

use crate::device::read_device;
use crate::diagnostic::{Diagnostics, Report};
use crate::fio::{FioJob, fitted_toml};
use crate::node::{Table, parse};
use crate::source::{SourceMap, Span};
use innosim_core::storage::DeviceSpec;

/// A device as fio measured it.
#[derive(Debug, Clone)]
pub struct FioDevice {
    /// The device.
    pub spec: DeviceSpec,
    /// The same as TOML: a `[device]` table's keys.
    pub toml: String,
}

impl FioDevice {
    /// The table `[device]`, as it stands in a scenario.
    pub fn section(&self) -> String {
        let lines = self.toml.lines().map(|line| if line == "[[at_depth]]" { "[[device.at_depth]]" } else { line });
        let lines: Vec<&str> = std::iter::once("[device]").chain(lines).collect();
        lines.join("\n") + "\n"
    }
}

/// The device that jobs determine, behind `cap`, which is written as in `[device]`: `{ write_iops = 3000 }`.
pub fn device_of(jobs: &[FioJob], cap: Option<&str>) -> Result<FioDevice, Diagnostics> {
    let (mut sources, report) = (SourceMap::default(), Report::default());
    let toml = fitted_toml(jobs, cap, &mut sources).map_err(|problem| problem.into_diagnostics(&sources))?;
    let source = sources.add_file("device from fio", &toml);
    let table = parse(source, &toml).unwrap_or_else(|_| Table::empty(Span { source, start: 0, end: 0 }));
    let (spec, _) = read_device(&table, "device", &report);
    report.finish(&sources).map(|_| FioDevice { spec, toml })
}
