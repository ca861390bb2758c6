//! A scenario as text: the settings, load and device of one recording, the workload's numbers of another (or of
//! itself).

use super::costs::{
    CLIENT_FLUSH_CPU_US, PAGE_READ_CPU_US, PAGE_WRITE_CPU_US, most_sync_cpu_us, page_checksum_cpu_us, sync_cpu_us,
};
use super::others::{Others, other_programs};
use super::purge_cpu::removal_us;
use super::spinning::spin_us;
use super::undo_segments::status_every;
use super::{Calibration, Device, Parameter, UNKNOWN_CPUS, load_of};
use innosim_core::config::PAGE_BYTES;
use innosim_flush_models::registry::undo_segments;
use innosim_flush_models::registry::{ModelId, lookup};
use innosim_recordings::{Quantity, Recording, understood_settings};

/// Share of the pages that could be in the buffer pool from which it counts as warm.
const WARM_SHARE: f64 = 0.85;
/// Dirty pages up to which a pool counts as clean.
const CLEAN_PAGES: f64 = 40.0;
/// Seconds over which servers average redo and flushing, about.
const AVERAGED_S: f64 = 30.0;
/// The workload whose transactions have statements of their own cost, and how many.
pub(super) const TPCC: &str = "sysbench-tpcc";
const TPCC_STATEMENTS: f64 = 35.0;
/// Spread of the CPU time of a transaction around its mean, and the parameter that has it where a recording tells.
const CPU_CV: f64 = 0.5;
pub(crate) const CPU_SCATTER: &str = "cpu_cv";

/// Threads that write and flush the redo log, make checkpoints and wake clients from 8.0 on; earlier servers have fewer.
const LOG_THREADS: f64 = 6.0;
/// Processors of the machine on which threads were traced.
const TRACED_CPUS: u32 = 2;

/// Seconds of `Uptime` before a server's page cleaner runs: 2 to 4 where the first renewal of its averages shows it.
const STARTUP_S: f64 = 3.0;

/// The scenario that predicts `target` with the workload of `calibration`; the error is a sentence.
pub fn scenario_toml(target: &Recording, calibration: &Calibration, device: &Device) -> Result<String, String> {
    let (kind, phase) = load_of(target)?;
    if kind != calibration.kind {
        return Err(format!("{} ran {kind}, {} ran {}", target.name, calibration.recording, calibration.kind));
    }
    // From where the load began, even if the recording begins later: what is dirty then comes from what went before.
    let (start, (_, end)) = (target.load_start(), target.load_window());
    let mut text = machine_toml(target, calibration, device, (end - start, "0s"), Others::AsRecorded)?;
    text.push_str(&format!("\n[workload]\nkind = {kind:?}\ntables = {}\n", phase.tables));
    if kind == TPCC {
        text.push_str(&format!("scale = {}\nthreads = {}\n", phase.scale, phase.threads));
    } else {
        text.push_str(&format!("table_size = {}\nrand_type = {:?}\n", phase.table_size, phase.rand_type));
    }
    for (key, exponent) in [("rand_pareto_h", phase.rand_pareto_h), ("rand_zipfian_exp", phase.rand_zipfian_exp)] {
        text.extend(exponent.map(|exponent| format!("{key} = {exponent:?}\n")));
    }
    text.extend(resident_share(target));
    text.push_str(&parameters_toml(calibration));
    text.push_str(&drive(target)?);
    text.extend(start_on_dirty_pages(target));
    Ok(text)
}

/// The numbers of the workload, a line each.
pub(crate) fn parameters_toml(calibration: &Calibration) -> String {
    let cv = calibration.get(CPU_SCATTER).unwrap_or(CPU_CV);
    let line = |parameter: &Parameter| {
        let note = parameter.uncertainty.map_or_else(String::new, |half| format!(", +- {half:.1}"));
        if parameter.name == "cpu" && calibration.kind == TPCC {
            let statement = parameter.value / TPCC_STATEMENTS;
            return format!("cpu_us_per_statement = {statement:.1}   # {}\n", parameter.method);
        }
        let value = match parameter.name {
            "cpu" => format!("{{ kind = \"lognormal\", mean_us = {:.1}, cv = {cv:.3} }}", parameter.value),
            "redo_bytes_per_transaction" => format!("{:.1}", parameter.value),
            "index_changes_a_page" => format!("{:.2}", parameter.value),
            _ => format!("{:.0}", parameter.value),
        };
        format!("{} = {value}   # {}{note}\n", parameter.name, parameter.method)
    };
    calibration.parameters.iter().filter(|parameter| parameter.name != CPU_SCATTER).map(line).collect()
}

/// All of a scenario but workload and drive: settings, host and device of `target`, for a run of so many seconds from the
/// beginning of its load, with this warm-up.
pub(crate) fn machine_toml(
    target: &Recording,
    calibration: &Calibration,
    device: &Device,
    (length_s, warmup): (f64, &str),
    others: Others,
) -> Result<String, String> {
    let model = target.model()?;
    let mut text = format!(
        "# {} as the model sees it: settings, load and device of that recording,\n# the workload's numbers from {}.\n\n",
        target.name, calibration.recording
    );
    let duration = length_s.floor().max(1.0);
    text.push_str(&format!(
        "title = {:?}\nmodel = {:?}\nduration = \"{duration}s\"\nwarmup = \"{warmup}\"\n",
        target.name,
        model.name()
    ));
    if let Some(up) = server_up(target) {
        text.push_str(&format!(
            "server_up = \"{up:.1}s\"   # Uptime as the load begins, less {STARTUP_S} s to start\n"
        ));
    }
    if let Some(every) = status_every(target).filter(|_| undo_segments(model).is_some()) {
        text.push_str(&format!("engine_status_every = \"{every}s\"   # by the recorder\n"));
    }
    text.push_str("\n[server]\n");
    let (settings, _) = understood_settings(target, model);
    for (name, value) in &settings {
        let Ok(setting) = lookup(model, name) else { continue };
        text.push_str(&format!("{name} = {:?}\n", setting.spell(*value)));
    }
    text.push_str(&host(target, calibration, model, device, others));
    text.push_str(&device.toml(target, calibration.sync_operations.as_ref()));
    Ok(text)
}

/// `[host]`: processors, what takes their time besides transactions, and other programs.
fn host(target: &Recording, calibration: &Calibration, model: ModelId, device: &Device, others: Others) -> String {
    let most_sync_us = most_sync_cpu_us(calibration.redo_sync_every_us, device.redo_sync_us(target));
    let mut text = format!(
        "\n[host]\ncores = {}\nscheduling = {:?}\nsync_cpu = \"{:.0}us\"\n\
         page_write_cpu = \"{:.0}us\"\npage_read_cpu = \"{PAGE_READ_CPU_US:.0}us\"\n\
         page_checksum_cpu = \"{:.0}us\"\nclient_flush_cpu = \"{CLIENT_FLUSH_CPU_US:.0}us\"\n\
         dispatch_cpu = \"{:.0}us\"\nmutex_spin_cpu = \"{:.0}us\"\npurge_cpu = \"{}us\"\ncleaner_priority = {}\n{}\n",
        target.cpus.unwrap_or(UNKNOWN_CPUS),
        scheduling(target),
        (sync_cpu_us(target) * calibration.cost_scale).min(most_sync_us),
        PAGE_WRITE_CPU_US * calibration.cost_scale,
        page_checksum_cpu_us(target),
        calibration.dispatch_us * calibration.cost_scale,
        spin_us(target) * calibration.cost_scale,
        (removal_us(model) as f64 * calibration.cost_scale).round(),
        model.cleaners_ask_for_priority(),
        calibration.crowding.as_ref().map(crowding_toml).unwrap_or_default()
    );
    for (at, cpus) in other_programs(target, others) {
        // Ticks of all programs and of the known ones are not of one instant.
        let cpus = cpus.min(f64::from(target.cpus.unwrap_or(UNKNOWN_CPUS)));
        text.push_str(&format!("[[host.other]]   # CPU time of the machine less that of server, sysbench and recorder\nat = \"{at:.0}s\"\ncpus = {cpus:?}\n\n"));
    }
    text
}

fn crowding_toml(crowding: &Parameter) -> String {
    format!("crowding = {:.3}\nthreads_per_core = 2   # assumed\n", crowding.value)
}

/// How threads come to processors. Where each of them can have one, none waits in turns either, and that takes half as many
/// events. On two processors threads were traced to stay on theirs; of more, one that idles takes a thread that waits.
fn scheduling(target: &Recording) -> &'static str {
    let says = |name: &str, usual: f64| target.number(name).unwrap_or(usual);
    let background = says("innodb_page_cleaners", 4.0) + says("innodb_purge_threads", 4.0) + LOG_THREADS;
    let of_the_load = || Some(target.load_threads()).filter(|threads| *threads > 0);
    let have_one_each =
        |threads: u32| target.cpus.is_some_and(|cpus| f64::from(cpus) >= f64::from(threads) + background);
    if target.most_connections().or_else(of_the_load).is_some_and(have_one_each) {
        return "in-turns";
    }
    if target.cpus.is_some_and(|cpus| cpus > TRACED_CPUS) { "balanced" } else { "shared" }
}

/// `[start]` where the recording shows that pages were dirty as the load began, or what the server remembers of what was before.
fn start_on_dirty_pages(target: &Recording) -> Option<String> {
    let first = target.sample_at_start()?;
    let at = |quantity| target.get(quantity)?.at(first);
    let (dirty, present) = (at(Quantity::DirtyPages)?, at(Quantity::LruPages)?);
    let age = at(Quantity::Lsn)? - at(Quantity::CheckpointLsn)?;
    if dirty <= CLEAN_PAGES {
        return start_on_a_clean_pool(target, first);
    }
    (present >= dirty && age > 0.0).then(|| {
        format!(
            "\n[start]   # {dirty:.0} dirty pages of {present:.0} in the buffer pool as the load begins\n\
             dirty_share = {:.4}\ncheckpoint_age_bytes = {age:.0}\n{}",
            dirty / present,
            before_toml(target, first, work_before(target, first))
        )
    })
}

/// `[start]` of a MariaDB that remembers what was before though no page is dirty: its averages of adaptive flushing stay as they are
/// while there is nothing to flush, and it goes on with them even if they are 0. Others begin without: the first recommendation
/// of a MySQL after a pause takes the pause into its averages, and how long that was is not recorded.
pub(crate) fn start_on_a_clean_pool(target: &Recording, first: usize) -> Option<String> {
    target.server.model.filter(|model| model.is_mariadb())?;
    let adaptive =
        target.get(Quantity::AdaptivePages).and_then(|pages| pages.at(first)).is_some_and(|pages| pages > 0.0);
    (adaptive || activity_unseen(target, first)).then(|| {
        format!(
            "\n[start]   # nothing is dirty as the load begins; of what was before, the server remembers this\n\
             dirty_share = 0.0\ncheckpoint_age_bytes = 0\n{}",
            before_toml(target, first, averages(target, first))
        )
    })
}

/// What went on before sample `first`, as lines of `[start]`.
pub(crate) fn before_toml(target: &Recording, first: usize, averages: Option<(f64, f64)>) -> String {
    let (redo, flushed) = averages.unwrap_or_default();
    let mut text = format!("redo_bytes_per_s = {:.0}\npages_flushed_per_s = {:.0}\n", redo.max(0.0), flushed.max(0.0));
    if activity_unseen(target, first) {
        text.push_str("activity_unseen = true   # more index pages were built than flushed on an idle server\n");
    }
    text
}

/// The server's own averages of redo and flushed pages a second at sample `first`, where they are recorded.
fn averages(target: &Recording, first: usize) -> Option<(f64, f64)> {
    let gauge = |quantity| target.get(quantity)?.at(first);
    gauge(Quantity::LsnAvgRate).zip(gauge(Quantity::AvgPageRate))
}

/// Redo and pages flushed a second until sample `first`: the server's own averages where they are recorded, otherwise
/// those of the seconds before. Where a recording begins under load, its first seconds stand for these.
pub(crate) fn work_before(target: &Recording, first: usize) -> Option<(f64, f64)> {
    if let Some(averages) = averages(target, first) {
        return Some(averages);
    }
    let seconds = &target.series.seconds;
    let near = |sample: &usize| (seconds[*sample] - seconds[first]).abs() <= AVERAGED_S;
    let (from, to) = match first {
        0 => (0, (0..seconds.len()).rfind(near)?),
        _ => ((0..first).find(near)?, first),
    };
    let rate = |quantity| {
        let values = target.get(quantity)?;
        Some((values.at(to)? - values.at(from)?) / (seconds[to] - seconds[from]))
            .filter(|rate| rate.is_finite() && *rate >= 0.0)
    };
    Some((rate(Quantity::Lsn)?, rate(Quantity::PagesWritten).unwrap_or(0.0)))
}

/// Whether index pages were built in bulk that the page cleaner of a MariaDB has not seen: it sees them when it flushes while
/// idle, which leaves no trace of when it did. It is taken not to have where fewer pages were flushed so since the server's start
/// than were built, as then something else wrote them.
pub(crate) fn activity_unseen(target: &Recording, first: usize) -> bool {
    let at = |name| target.series.column(name)?.at(first);
    let is_mariadb = target.server.model.is_some_and(|model| model.is_mariadb());
    let (built, flushed) = (at("m.innodb_activity_count"), at("m.buffer_flush_background_total_pages"));
    is_mariadb && built.zip(flushed).is_some_and(|(built, flushed)| built > flushed)
}

/// `resident_share` of a buffer pool that was not warm as the load began, where the recording shows that.
fn resident_share(target: &Recording) -> Option<String> {
    let first = target.sample_at_start()?;
    let present = target.get(Quantity::LruPages)?.at(first)?;
    let data = target.data.pages()?;
    let pool = target.number("innodb_buffer_pool_size")? / PAGE_BYTES as f64;
    let share = present / data.max(1.0);
    (present < WARM_SHARE * data.min(pool)).then(|| {
        format!(
            "resident_share = {share:.3}   # {present:.0} pages in the buffer pool as the load begins, of {data:.0}\n"
        )
    })
}

/// How long the server's page cleaner had been up as the load began, seconds; `None` if the recording doesn't say.
fn server_up(target: &Recording) -> Option<f64> {
    let start = target.load_start();
    let uptime = target.series.column("Uptime")?;
    let known = uptime.timed(&target.series.seconds);
    let (second, uptime) = known.min_by(|a, b| (a.0 - start).abs().total_cmp(&(b.0 - start).abs()))?;
    // The server counts whole seconds.
    let up = uptime + 0.5 - STARTUP_S - (second - start);
    (up > 0.0).then_some(up)
}

/// `[drive]`: a closed loop, or the sum of the rates of all load generators over time.
fn drive(target: &Recording) -> Result<String, String> {
    let phases = &target.phases;
    let open = phases.iter().filter(|phase| phase.rate.is_some()).count();
    let begin = phases.iter().map(|phase| phase.start_s).fold(f64::INFINITY, f64::min);
    if open == 0 && phases.iter().all(|phase| phase.start_s - begin < 1.0) {
        return Ok(format!("\n[drive]\nkind = \"closed\"\nclients = {}\n", target.load_threads()));
    }
    if open < phases.len() {
        return Err(format!(
            "{}: load generators without a rate start later than others or beside some with a rate\n  \
             = help: such a mix is not modelled; give each a --rate, or start all of them at once",
            target.name
        ));
    }
    let begin = target.load_start();
    let mut bounds: Vec<f64> =
        phases.iter().flat_map(|phase| [phase.start_s, phase.end_s]).map(|at| at.max(begin)).collect();
    bounds.sort_by(f64::total_cmp);
    // A sysbench that ends with the load is no step, nor are starts within a second of each other.
    bounds.dedup_by(|later, earlier| *later - *earlier < 1.0);
    bounds.pop();
    let active = |at: f64| phases.iter().filter(move |phase| phase.start_s <= at + 1.0 && phase.end_s > at + 1.0);
    let clients = bounds.iter().map(|at| active(*at).map(|phase| phase.threads).sum::<u32>()).max().unwrap_or(1);
    let mut text = format!("\n[drive]\nkind = \"open\"\nclients = {}\n", clients.max(1));
    for (i, at) in bounds.iter().enumerate() {
        let rate: f64 = active(*at).filter_map(|phase| phase.rate).sum();
        if i == 0 {
            text.push_str(&format!("rate = {rate:?}\n"));
        } else {
            text.push_str(&format!("\n[[drive.step]]\nat = \"{:.0}s\"\nrate = {rate:?}\n", at - bounds[0]));
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::recorded;
    use innosim_recordings::Series;

    /// Where the server's connections are not recorded, the load generator's log tells how many there are.
    #[test]
    fn a_processor_for_each_thread_of_the_load_and_of_the_server_lets_none_wait() {
        let mut recording = recorded("mysql97/wo-closed-256-ssdsmall");
        recording.series = Series::default();
        recording.variables =
            [("innodb_page_cleaners", "6"), ("innodb_purge_threads", "4")].map(|(k, v)| (k.into(), v.into())).into();
        recording.phases.truncate(1);
        let mut with = |cpus, threads| {
            recording.cpus = Some(cpus);
            recording.phases[0].threads = threads;
            scheduling(&recording)
        };
        assert_eq!([with(79, 64), with(80, 64)], ["balanced", "in-turns"]);
        assert_eq!([with(2, 0), with(80, 0)], ["shared", "balanced"], "nobody knows");
    }
}
