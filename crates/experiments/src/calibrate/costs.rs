//! What syncs and page writes cost, besides the device's own time: CPU, and operations of a cap.
//!
//! **CPU.** The CPU time of a transaction, as counters show it, depends on the load: in our recordings of one server
//! 550 us at 300 transactions a second, 310 at 4000, 190 at 9000 with all processors busy. What it depends on is the
//! syncs: at 300 each transaction has a redo sync of its own, at 9000 six share one. 5.6 takes 311 us a transaction
//! with 0.486 redo syncs each and 286 with 0.229, both at a busy machine; less what pages and data files take, that is
//! 183 us a redo sync, woken threads included. 9.7 flushing after the load, with nobody else at work, takes 92 to
//! 107 us a page with 0.81 syncs of data files a page, and 25 without doublewrite with 0.03: 84 to 100 us such a sync,
//! for which no client waits, half of 200. (Together with 300 transactions a second the fit would be 317 us a redo
//! sync. But a machine that idles takes more for everything: MariaDB takes 341 us at 300 a second, 161 at 4000, with
//! 0.98 and 0.84 syncs.) MariaDB, which wakes after a sync only those whose redo is durable and one that leads, takes
//! less: in closed loops of 64, 16 and 4 clients its own CPU time is 74, 83 and 117 us a transaction with 0.10, 0.21 and
//! 0.57 syncs (those of data files counted half), which is 65 us a transaction and 90 us a sync. (It was taken for 128:
//! 13 080 transactions with 2040 syncs and 1500 with 1410, in a live check, took 1.63 and 0.345 s, but the second load
//! came at a rate, and what sysbench takes to dispatch, [`super::dispatch`], was in it.) Page writes take what is left where there are many of
//! them, 28 us. A page read takes 70 us of server and client together, the frame that must be freed for it included:
//! with `oltp_point_select` on MariaDB, all rows in memory and then with 0.61 reads a transaction, 16 clients show 66 us
//! a read more, 74 and 77 behind a cap of 4000 and 16 000 reads a second, 4 clients 70. (It was taken for fio's own, 44,
//! one read at a time on an idle machine. But beside other work fio takes 21, and the server's part is most of it.) With
//! 70, `mysql56/iobound` and `/uniclosed` show 169 and 176 us for a transaction of its own, where with 44 they show 186
//! and 176. What a client's own flush of old pages takes besides, in 5.6: with 500 to 1900 such
//! flushes a second, the counters of two recordings show 55 to 190 us more for each than all this, 125 in the middle.
//!
//! 5.5 and 5.6 go over a page byte by byte for its checksum. While they flush after the load, with nobody else at work,
//! nine recordings of them show 37 to 43 us of user time a page, those of MariaDB and of 9.7 without doublewrite, which
//! have crc32 done by the processor, 12 to 17: the checksum takes 25, and about five cycles a byte is what its chain of
//! dependent steps needs.
//!
//! **As many syncs as there were.** Redo is synced by one thread after another, so a recorded sync took no longer, device and CPU
//! time together, than from one to the next. Where the log's threads sync one after the other without a pause, on a machine with
//! processors for all, that is 29 to 50 us: a tenth of what ours take. What the device leaves of it is the most that the threads
//! between two syncs compute.
//!
//! These costs belong to machine and kernel rather than to the server, and one recording seldom tells them apart, so
//! they are not fitted to it: they are taken off its CPU time, and what is left is the transaction's own.
//!
//! **Operations.** A cap counts what the file system writes for a sync: the cache flush, and inodes or journal where
//! metadata changed. It is what the disk wrote, less pages, doublewrite batches and one redo write a redo sync, by
//! syncs. Recordings of ours: 1.1 a sync at 2000 syncs a second, 1.3 to 1.8 at some hundreds.

use super::counters::Load;
use super::{Parameter, log_threads};
use innosim_flush_models::registry::{ModelId, lookup};
use innosim_recordings::{Column, Quantity, Recording};

/// CPU time of a redo sync of MySQL, µs.
const SYNC_CPU_US: f64 = 200.0;
/// The same of MariaDB.
const MARIADB_SYNC_CPU_US: f64 = 90.0;
/// Share of it between the end of one sync and the beginning of the next, as `CpuSpec::sync` is used from 5.7 on. (Before it is a half: errs
/// towards too little CPU time there.)
pub(super) const UNTIL_THE_NEXT: f64 = 0.75;
/// The least, µs: a call of fdatasync with nothing to wait for takes a thread 10 to 16 on ext4.
const LEAST_SYNC_CPU_US: f64 = 10.0;
/// CPU time of a page write, µs.
pub(super) const PAGE_WRITE_CPU_US: f64 = 28.0;
/// CPU time of a page read, µs.
pub(super) const PAGE_READ_CPU_US: f64 = 70.0;
/// CPU time of a page's checksum by the algorithm `innodb`, µs.
const PAGE_CHECKSUM_CPU_US: f64 = 25.0;
/// CPU time of a client's own flush of old pages, µs.
pub(super) const CLIENT_FLUSH_CPU_US: f64 = 125.0;
/// A sync of a data file by that of a redo sync, as `CpuSpec::data_sync` has it.
const DATA_SYNC_SHARE: f64 = 0.5;
/// Operations that a sync takes where no recording tells: in the middle of ours.
pub(super) const SYNC_OPERATIONS: f64 = 1.4;
/// Pages of a doublewrite write that counts as one operation.
const PAGES_OF_ONE_WRITE: f64 = 64.0;
/// Where neighbours are flushed, adjacent pages are one operation: only times with fewer pages than this share of the
/// disk's writes tell what syncs cost.
const FEW_PAGES: f64 = 0.1;

/// Counters of redo syncs.
pub(super) const REDO_SYNCS: [&str; 2] = ["Innodb_os_log_fsyncs", "m.os_log_fsyncs"];

/// What a server did in a time, by its counters.
pub(super) struct Work {
    redo_syncs: Column,
    syncs: Column,
    pages: Column,
    reads: Column,
    client_flushes: Column,
    /// What a redo sync takes, µs.
    sync_us: f64,
    /// What the checksum of a page takes, µs.
    checksum_us: f64,
}

/// CPU time of a redo sync, threads that it wakes included, on our machines, µs.
pub(super) fn sync_cpu_us(server: &Recording) -> f64 {
    if server.server.model.is_some_and(ModelId::is_mariadb) {
        MARIADB_SYNC_CPU_US
    } else {
        SYNC_CPU_US + log_threads::cpu_us(server)
    }
}

/// The most CPU time of a redo sync that lets the next begin `every_us` after it, on a device that takes `device_us` of that, µs; no bound
/// where syncs are not counted.
pub(super) fn most_sync_cpu_us(every_us: Option<f64>, device_us: f64) -> f64 {
    every_us.map_or(f64::INFINITY, |every_us| ((every_us - device_us) / UNTIL_THE_NEXT).max(LEAST_SYNC_CPU_US))
}

/// Time from one redo sync to the next, in the mean of the load, µs; `None` where they are not counted.
pub(super) fn redo_sync_every_us(load: &Load, recording: &Recording) -> Option<f64> {
    let syncs = load.a_second(&load.column(recording, &REDO_SYNCS)?)?;
    (syncs > 0.0).then(|| 1e6 / syncs)
}

/// CPU time of the checksum of a page beyond that of its write, µs: nothing worth naming where the processor has an
/// instruction for it.
pub(super) fn page_checksum_cpu_us(server: &Recording) -> f64 {
    let says = |name: &str| server.variables.get(name).map(String::as_str);
    let byte_by_byte =
        goes_byte_by_byte(server.server.model, says("innodb_checksum_algorithm"), says("innodb_checksums"));
    if byte_by_byte { PAGE_CHECKSUM_CPU_US } else { 0.0 }
}

/// Whether a server goes over each page byte by byte.
fn goes_byte_by_byte(model: Option<ModelId>, algorithm: Option<&str>, checksums: Option<&str>) -> bool {
    let older = match algorithm {
        Some(algorithm) => algorithm.ends_with("innodb"),
        // Before 5.6 there is no other.
        None => matches!(model, Some(ModelId::Mysql55 | ModelId::Percona55)),
    };
    older && checksums != Some("OFF")
}

impl Work {
    /// Counters at the samples under load; a server that doesn't count redo syncs is taken to sync nothing else.
    pub(super) fn of(load: &Load, recording: &Recording) -> Option<Work> {
        let syncs = load.column(recording, &["Innodb_data_fsyncs", "m.os_data_fsyncs"]);
        let redo = load.column(recording, &REDO_SYNCS);
        let redo = redo.filter(|redo| redo.growth().is_some_and(|grown| grown > 0.0));
        let (redo_syncs, syncs) = match (redo, syncs) {
            (Some(redo), Some(all)) => (redo, all),
            (Some(redo), None) => (redo.clone(), redo),
            (None, Some(all)) => (all.clone(), all),
            (None, None) => return None,
        };
        let pages = load.of_quantity(recording, Quantity::PagesWritten)?;
        let or_none = |name| load.column(recording, &[name]).unwrap_or_else(|| Column::zeros(pages.len()));
        let reads = or_none("Innodb_buffer_pool_reads");
        // From 5.7 on the page cleaner does it.
        let by_clients = recording.server.model == Some(ModelId::Mysql56);
        let client_flushes = if by_clients { or_none("m.buffer_flush_sync") } else { Column::zeros(pages.len()) };
        // Whatever the device took of it.
        let sync_us = sync_cpu_us(recording).min(most_sync_cpu_us(redo_sync_every_us(load, recording), 0.0));
        let checksum_us = page_checksum_cpu_us(recording);
        Some(Work { redo_syncs, syncs, pages, reads, client_flushes, sync_us, checksum_us })
    }

    /// CPU time up to each sample that is not the transactions' own, µs.
    pub(super) fn cpu_us(&self) -> Column {
        let of = |i: usize| {
            let (redo_syncs, pages) = (self.redo_syncs.at(i)?, self.pages.at(i)?);
            let data = (self.syncs.at(i)? - redo_syncs).max(0.0);
            Some(
                self.sync_us * (redo_syncs + DATA_SYNC_SHARE * data)
                    + (PAGE_WRITE_CPU_US + self.checksum_us) * pages
                    + PAGE_READ_CPU_US * self.reads.at(i)?
                    + CLIENT_FLUSH_CPU_US * self.client_flushes.at(i)?,
            )
        };
        (0..self.syncs.len()).map(of).collect()
    }

    /// Operations that a sync takes of the cap; `None` if the recording does not tell.
    pub(super) fn sync_operations(&self, load: &Load, recording: &Recording) -> Option<Parameter> {
        let writes = load.column(recording, &["cg.write_ios", "disk.wr_ios"])?;
        let zeros = || Column::zeros(writes.len());
        let batches = load.column(recording, &["Innodb_dblwr_writes"]).unwrap_or_else(zeros);
        let copied = load.column(recording, &["Innodb_dblwr_pages_written"]).unwrap_or_else(zeros);
        let merges = merges_pages(recording);
        let at = |i: usize| {
            let doublewrite = batches.at(i)?.max(copied.at(i)? / PAGES_OF_ONE_WRITE);
            Some(writes.at(i)? - self.pages.at(i)? - doublewrite - self.redo_syncs.at(i)?)
        };
        let beyond: Column = (0..writes.len()).map(at).collect();
        let tells = |from: usize, to: usize| {
            let grown = |column: &Column| Some(column.at(to)? - column.at(from)?);
            !merges || grown(&self.pages).zip(grown(&writes)).is_some_and(|(pages, all)| pages < FEW_PAGES * all)
        };
        let (value, uncertainty) = load.ratio_where(&beyond, &self.syncs, tells)?;
        (value >= 1.0).then(|| Parameter {
            name: "sync_operations",
            value,
            uncertainty,
            unit: "",
            method: "writes of the disk beyond pages, doublewrite and redo / syncs".to_owned(),
        })
    }
}

/// Whether adjacent pages are written together.
fn merges_pages(recording: &Recording) -> bool {
    let names = ["innodb_flush_neighbors", "innodb_flush_neighbor_pages"];
    match names.iter().find_map(|name| recording.variables.get(*name)) {
        Some(value) => !["0", "OFF", "none"].contains(&value.as_str()),
        // Before 5.6 there is no choice.
        None => recording.server.model.is_some_and(|model| lookup(model, names[0]).is_err()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 20,421 syncs a second on a device that takes 28 us for each leave 21 us between two.
    #[test]
    fn as_many_syncs_fit_as_were_recorded() {
        let every_us = 1e6 / 20_421.0;
        let most = |device_us| most_sync_cpu_us(Some(every_us), device_us);
        assert!((28.0 + UNTIL_THE_NEXT * most(28.0) - every_us).abs() < 1e-9 && most(28.0) < most(0.0));
        assert_eq!(most(60.0), LEAST_SYNC_CPU_US, "that device is another one");
        assert_eq!(most_sync_cpu_us(None, 28.0), f64::INFINITY);
    }

    #[test]
    fn older_checksums_go_byte_by_byte() {
        let [of_55, of_56, of_97] = [ModelId::Mysql55, ModelId::Mysql56, ModelId::Mysql97].map(Some);
        assert!(goes_byte_by_byte(of_55, None, Some("ON")));
        assert!(!goes_byte_by_byte(of_55, None, Some("OFF")));
        assert!(goes_byte_by_byte(of_56, Some("innodb"), Some("ON")));
        assert!(goes_byte_by_byte(of_56, Some("strict_innodb"), None));
        assert!(!goes_byte_by_byte(of_56, Some("crc32"), None));
        assert!(!goes_byte_by_byte(of_97, None, None));
    }
}
