//! Interval lines and closing statistics in the form of sysbench 1.0, so that scripts which read sysbench read this.
//!
//! The simulator knows transactions, not the queries in them: `qps` and the reads, writes and others in it are printed
//! as 0.00, to keep every column in its place, and the closing statistics leave out the lines about queries. There are
//! no errors and no reconnects in a simulated server.

use innosim_core::kernel::histogram::Histogram;
use innosim_core::metrics::{RunOutput, SecondSample};
use std::fmt::Write;

/// Seconds that one latency histogram of a run covers.
const HISTOGRAM_S: u64 = 10;

/// One interval line. `seconds` are the rows of the interval; the line is stamped with the last of them.
///
/// While a run is under way only the percentiles of its seconds are known: pass `None` and the line shows their mean,
/// weighted by transactions.
pub fn interval_line(threads: u32, seconds: &[SecondSample], latency_ms_p95: Option<f64>) -> String {
    let end = seconds.last().map_or(0, |s| s.second);
    let transactions: u64 = seconds.iter().map(|s| s.transactions).sum();
    let tps = transactions as f64 / seconds.len().max(1) as f64;
    let weighted: f64 = seconds.iter().map(|s| s.latency_ms_p95 * s.transactions as f64).sum();
    let p95 = latency_ms_p95.unwrap_or(weighted / transactions.max(1) as f64);
    format!(
        "[ {end}s ] thds: {threads} tps: {tps:.2} qps: 0.00 (r/w/o: 0.00/0.00/0.00) lat (ms,95%): {p95:.2} \
         err/s: 0.00 reconn/s: 0.00"
    )
}

/// The whole report of a finished run: a line for each `interval_s` seconds, then the closing statistics. Those are
/// over the whole run, warm-up included, as sysbench has it.
pub fn render_sysbench(output: &RunOutput, threads: u32, interval_s: u64) -> String {
    let mut text = String::new();
    let interval = interval_s.max(1);
    for seconds in output.series.chunks(interval as usize) {
        let p95 = interval_p95(output, seconds, interval);
        let _ = writeln!(text, "{}", interval_line(threads, seconds, p95));
    }
    text.push_str(&closing_statistics(output));
    text
}

/// Exact 95th percentile of an interval that the histograms cover exactly.
fn interval_p95(output: &RunOutput, seconds: &[SecondSample], interval_s: u64) -> Option<f64> {
    let first = seconds.first()?.second.checked_sub(1)?;
    if !interval_s.is_multiple_of(HISTOGRAM_S) || !first.is_multiple_of(HISTOGRAM_S) {
        return None;
    }
    let from = (first / HISTOGRAM_S) as usize;
    let blocks = output.latency_by_10s.get(from..)?;
    Some(merged(&blocks[..blocks.len().min((interval_s / HISTOGRAM_S) as usize)]).quantile(0.95).as_millis_f64())
}

fn merged(blocks: &[Histogram]) -> Histogram {
    let mut all = Histogram::new();
    blocks.iter().for_each(|block| all.merge(block));
    all
}

/// Closing statistics of a finished run. Latencies of a whole run are known to the histogram's resolution.
fn closing_statistics(output: &RunOutput) -> String {
    let total_s = output.series.last().map_or(0, |s| s.second) as f64;
    let transactions: u64 = output.series.iter().map(|s| s.transactions).sum();
    let rate = if total_s > 0.0 { transactions as f64 / total_s } else { 0.0 };
    let all = merged(&output.latency_by_10s);
    let ms = |p: f64| all.quantile(p).as_millis_f64();
    let sum = all.mean().as_millis_f64() * all.count() as f64;
    let rows = [
        ("min", ms(0.0)),
        ("avg", all.mean().as_millis_f64()),
        ("max", all.max().as_millis_f64()),
        ("95th percentile", ms(0.95)),
        ("sum", sum),
    ];
    let mut text = format!(
        "\nSQL statistics:\n    {:<37}{:<6} ({rate:.2} per sec.)\n\nGeneral statistics:\n    {:<37}{total_s:.4}s\n    \
         {:<37}{transactions}\n\nLatency (ms):\n",
        "transactions:", transactions, "total time:", "total number of events:"
    );
    for (name, value) in rows {
        let _ = writeln!(text, "         {:<23}{value:>20.2}", format!("{name}:"));
    }
    text
}
