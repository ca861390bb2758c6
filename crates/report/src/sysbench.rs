//! Interval lines and closing statistics in the form of sysbench 1.0, so that scripts which read sysbench read this.
//!
//! The simulator knows transactions, not the queries in them: `qps` and the reads, writes and others in it are printed
//! as 0.00, to keep every column in its place, and the closing statistics leave out the lines about queries. There are
//! no errors and no reconnects in a simulated server.

use innosim_core::kernel::histogram::Histogram;
use innosim_core::metrics::{RunOutput, SecondSample};
use std::fmt::Write;

/// One interval line. `seconds` are the rows of the interval; the line is stamped with the last of them.
/// `latency_ms_p95` is the 95th percentile of its latencies, ms.
pub fn interval_line(threads: u32, seconds: &[SecondSample], latency_ms_p95: f64) -> String {
    let end = seconds.last().map_or(0, |s| s.second);
    let transactions: u64 = seconds.iter().map(|s| s.transactions).sum();
    let tps = transactions as f64 / seconds.len().max(1) as f64;
    format!(
        "[ {end}s ] thds: {threads} tps: {tps:.2} qps: 0.00 (r/w/o: 0.00/0.00/0.00) lat (ms,95%): {latency_ms_p95:.2} \
         err/s: 0.00 reconn/s: 0.00"
    )
}

fn merged(blocks: &[Histogram]) -> Histogram {
    let mut all = Histogram::new();
    blocks.iter().for_each(|block| all.merge(block));
    all
}

/// Closing statistics of a finished run, over the whole run, warm-up included, as sysbench has it. Latencies are known to
/// the histogram's resolution.
pub fn closing_statistics(output: &RunOutput) -> String {
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
