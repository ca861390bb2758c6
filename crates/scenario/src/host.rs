//! `[host]`: processors, and what takes their time besides transactions.

use crate::diagnostic::Problem;
use crate::distribution::{pairs, pairs_of};
use crate::node::Table;
use crate::resolved::Resolved;
use crate::section::Section;
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::run_spec::{CpuScheduling, CpuSlowdown, CpuSpec, LruMutexSpec, OtherPrograms, StatementLatchSpec};

/// Most threads that run or wait, in cores, and the largest factor that a curve can have.
const MOST_SHARE: f64 = 100.0;
const MOST_FACTOR: f64 = 100.0;

/// Work that a core does more with a second thread on it, as a share: what the makers of such processors state (20 to 30 %).
const SECOND_THREAD_GAIN: f64 = 0.25;

/// Hardware threads from which on threads are taken to compete for the mutexes of the LRU lists.
const CORES_THAT_COMPETE: u32 = 64;

/// What such a mutex costs: calibrated on MySQL 9.7 with 256 and 512 clients and a pool of half the data, on 80 hardware threads. Each
/// thread that waits for it: the recorded cycle with 256 clients, less that and the pages passed over (`lru-list-mutex` section 9.2).
const LRU_MUTEX_HOLD: SimDuration = SimDuration(4_500);
const LRU_MUTEX_PER_WAITER: SimDuration = SimDuration(75);
const LRU_MUTEX_SPIN: f64 = 0.25;

/// What `[host]` says.
pub(crate) struct ReadHost {
    pub(crate) cores: u32,
    pub(crate) memory_bytes: Option<u64>,
    pub(crate) cpu: CpuSpec,
    pub(crate) slowdown: CpuSlowdown,
    pub(crate) other_programs: Vec<OtherPrograms>,
    pub(crate) resolved: Resolved,
}

/// Reads `[host]`: processors, what takes their time, what other programs take of it.
pub(crate) fn read_host(root: &Section<'_>) -> ReadHost {
    let empty = Table::empty(root.at());
    let mut host = Section::open(root.table("host").unwrap_or(&empty), "host", "host", root.report);
    let cores = host.count("cores");
    let memory_bytes = host.optional_integer("memory_gib").map(|gib| gib << 30);
    let scheduling = match host.choice("scheduling") {
        "shared" => CpuScheduling::Shared,
        "balanced" => CpuScheduling::Balanced,
        _ => CpuScheduling::InTurns,
    };
    let sync = SimDuration(host.duration("sync_cpu"));
    let page_write = SimDuration(host.duration("page_write_cpu"));
    let page_read = SimDuration(host.duration("page_read_cpu"));
    let page_checksum = SimDuration(host.duration("page_checksum_cpu"));
    let client_flush = SimDuration(host.duration("client_flush_cpu"));
    let dispatch = SimDuration(host.duration("dispatch_cpu"));
    let mutex_spin = SimDuration(host.duration("mutex_spin_cpu"));
    let lru_mutex = read_lru_mutex(&mut host, cores);
    let statement_latch = StatementLatchSpec {
        hold: SimDuration(host.duration("statement_latch")),
        per_waiter: SimDuration(host.duration("statement_latch_per_waiter")),
    };
    let page_search = SimDuration(host.duration("page_search_cpu"));
    let pool_mutex_wait = SimDuration(host.duration("pool_mutex_wait"));
    let page_access_gap = SimDuration(host.duration("page_access_gap"));
    let purge_change = SimDuration(host.duration("purge_cpu"));
    let cleaner_priority = host.switch("cleaner_priority");
    let log_writer_waits_per_s = host.optional_real("log_writer_waits");
    let single_page_during_lru_batch = host.switch("single_page_during_lru_batch");
    let spec = CpuSpec {
        scheduling,
        sync,
        page_write,
        page_read,
        page_checksum,
        client_flush,
        dispatch,
        mutex_spin,
        lru_mutex,
        statement_latch,
        page_search,
        pool_mutex_wait,
        page_access_gap,
        purge_change,
        cleaner_priority,
        log_writer_waits_per_s,
        single_page_during_lru_batch,
    };
    let slowdown = read_slowdown(&mut host, cores);
    let other_programs = read_other_programs(&mut host, cores);
    ReadHost { cores, memory_bytes, cpu: spec, slowdown, other_programs, resolved: host.resolved }
}

/// What the mutexes of the LRU lists cost. Measured on a machine of two processors with 80 hardware threads; smaller ones are
/// taken not to have that contention unless they say so.
fn read_lru_mutex(host: &mut Section<'_>, cores: u32) -> LruMutexSpec {
    let default = if cores >= CORES_THAT_COMPETE { LRU_MUTEX_HOLD } else { SimDuration::ZERO };
    LruMutexSpec {
        hold: host.optional_duration("lru_mutex_hold").map_or(default, SimDuration),
        per_waiter: host.optional_duration("lru_mutex_per_waiter").map_or(LRU_MUTEX_PER_WAITER, SimDuration),
        spin_share: host.optional_real("lru_mutex_spin").unwrap_or(LRU_MUTEX_SPIN),
    }
}

/// The law by its parameters, or as a curve.
fn read_slowdown(host: &mut Section<'_>, cores: u32) -> CpuSlowdown {
    let crowding = host.optional_real("crowding").unwrap_or(0.0);
    let threads = host.optional_integer("threads_per_core").unwrap_or(1);
    let gain = host.optional_real("second_thread_gain").unwrap_or(SECOND_THREAD_GAIN);
    let law = CpuSlowdown::of_shared_cores(cores, crowding, threads as u32, gain);
    let Some(node) = host.raw("slowdown") else { return law };
    if law != CpuSlowdown::default() {
        let problem =
            Problem::new(format!("`{}` stands beside crowding or threads_per_core", host.path_of("slowdown")));
        host.report.add(problem.at(node.at).help("keep the curve, or the parameters of the law"));
    }
    let curve = pairs_of(&node).filter(|pairs| {
        let rises = pairs.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1);
        let in_range =
            |&(share, factor): &(f64, f64)| share > 0.0 && share <= MOST_SHARE && (1.0..=MOST_FACTOR).contains(&factor);
        !pairs.is_empty() && rises && pairs.iter().all(in_range)
    });
    let Some(curve) = curve else {
        let problem = Problem::new(format!("`{}` is no curve of CPU time", host.path_of("slowdown"))).at(node.at);
        let allowed = format!(
            "pairs of (threads that run or wait as a share of the cores, above 0 to {MOST_SHARE}; factor from 1 to {MOST_FACTOR}), both \
             rising, such as [[0.05, 1.0], [0.5, 1.6], [1.0, 2.6]]"
        );
        host.report.add(problem.allowed(allowed));
        return CpuSlowdown::default();
    };
    host.resolved.value("slowdown", pairs(&curve));
    CpuSlowdown(curve)
}

fn read_other_programs(host: &mut Section<'_>, cores: u32) -> Vec<OtherPrograms> {
    let mut steps: Vec<OtherPrograms> = Vec::new();
    let mut resolved = Vec::new();
    for mut one in host.sections("other") {
        let (from, cpus) = (SimTime(one.duration("at")), one.real("cpus"));
        if steps.last().is_some_and(|last| last.from >= from) {
            let problem = Problem::new(format!("`{}` is not after the one before it", one.path_of("at")));
            one.report.add(problem.at(one.at_key("at")).help("write them in order of time"));
        }
        if cpus > f64::from(cores) {
            let problem = Problem::new(format!("`{}` is {cpus}, more than there are processors", one.path_of("cpus")));
            let help = "it is a mean over time, seconds of CPU time a second";
            one.report.add(problem.at(one.at_key("cpus")).allowed(format!("0 to {cores} (host.cores)")).help(help));
        }
        resolved.push(one.resolved);
        steps.push(OtherPrograms { from, cpus });
    }
    host.resolved.tables("other", resolved);
    steps
}
