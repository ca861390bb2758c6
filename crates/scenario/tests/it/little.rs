//! Every shipped scenario, cut to some seconds, with the invariants of the machine verified at every event: it runs,
//! does work where it has any, and Little's law holds on each of its stations.

use innosim_core::kernel::station::StationReport;
use innosim_core::kernel::time::SimDuration;
use innosim_core::server::{Server, Silent};
use innosim_core::workload::DriveSpec;
use innosim_scenario::{Overrides, Source, load, shipped};

const SECONDS: u64 = 5;

/// Mean number = completions x mean response / time. Operations in progress at the end count in the one and not in the
/// other, each for no longer than it has been inside; in these runs some hundred milliseconds at most.
fn check_little(scenario: &str, report: &StationReport) {
    let number = report.completions as f64 * report.mean_response_s / report.observed_s;
    let open = (report.arrivals - report.completions) as f64;
    let rounding = 1e-6 * report.mean_number + 0.5 * open / report.observed_s + 1e-9;
    println!("{scenario}: {} {:.5} by Little {number:.5}", report.name, report.mean_number);
    assert!((number - report.mean_number).abs() <= rounding, "{scenario}: {number} for {report:?}");
    assert!((0.0..1.000_001).contains(&report.utilization), "{scenario}: {report:?}");
}

fn check_shipped(chosen: impl Fn(usize) -> bool) {
    for (_, one) in shipped().iter().enumerate().filter(|&(i, _)| chosen(i)) {
        let mut scenario = load(Source::Shipped(one.name), &Overrides::default())
            .unwrap_or_else(|errors| panic!("{}: {errors}", one.name));
        scenario.run.duration = SimDuration::from_secs(SECONDS);
        scenario.run.check = true;
        let out = Server::new(scenario.build_model(), &scenario.run).run(&mut Silent);
        let out = out.unwrap_or_else(|error| panic!("{}: {error}", one.name));
        assert_eq!(out.series.len() as u64, SECONDS, "{}", one.name);
        let transactions: u64 = out.series.iter().map(|s| s.transactions).sum();
        let idle = matches!(&scenario.run.workload.drive, DriveSpec::Open { rate, .. } if rate.is_empty());
        // The transactions of one story are large: it asks for 10 a second.
        let least = if one.name == "stories/redo-files" { 25 } else { 250 };
        assert!(idle || transactions > least, "{}: {transactions} transactions", one.name);
        out.stations.iter().for_each(|report| check_little(one.name, report));
    }
}

#[test]
fn even_scenarios_obey_littles_law() {
    check_shipped(|i| i % 2 == 0);
}

#[test]
fn odd_scenarios_obey_littles_law() {
    check_shipped(|i| i % 2 == 1);
}
