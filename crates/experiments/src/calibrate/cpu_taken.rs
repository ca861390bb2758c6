//! CPU time that a unit of work took in all, its share of syncs and page writes included.
//!
//! In a closed loop the time of a unit of work and that of a sync pull throughput in opposite directions: slower units let
//! fewer of them share a sync, slower syncs let more. So many pairs of both bring the clients to the recorded
//! throughput, and on a processor that is faster than ours the costs of ours ([`super::costs`]) find a wrong pair, with
//! units that are too slow as well. The recorded CPU time decides: all together can take no more than what was taken. An
//! example with everything recorded (MariaDB 10.11 behind a cap, 16 clients): 90 us a sync need 76 us a unit, and
//! the machine would be twice as busy as it was; with both at 38 us it is as busy as recorded. fio's own CPU time
//! there was 40 us a synced write, where it is 67 on our machine.

use super::costs::Work;
use super::counters::{Load, OWN_TICKS, TICK_S};
use super::cpu_demand::LEAST_OWN_SHARE;
use innosim_recordings::Recording;

/// What the machine takes beyond its server, as a share of it, from which on clients are among it.
const CLIENTS_ARE_THERE: f64 = 0.1;
/// Least share of our machines' costs.
const LEAST_SCALE: f64 = 0.1;

/// CPU time that a unit of work took in all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CpuTaken {
    /// Of the server, µs.
    server_us: f64,
    /// Of the clients, µs; `None` where they ran is not known.
    clients_us: Option<f64>,
    /// What its share of syncs and page writes takes on our machines, µs.
    costs_us: f64,
    /// Whether the clients' part is that of all other programs of the machine.
    pub clients_are_the_others: bool,
}

impl CpuTaken {
    /// `None` where the server's time is not recorded.
    pub(super) fn of(recording: &Recording, load: &Load, work: Option<&Work>) -> Option<CpuTaken> {
        let a_unit = |names: &[&str]| Some(load.ratio(&load.sum(recording, names)?).0 * TICK_S * 1e6);
        let [user, system, clients] = OWN_TICKS;
        let server = a_unit(&[user, system]).filter(|us| *us > 0.0)?;
        // A recorder that does not know the load generator counts nothing.
        let known = a_unit(&[clients]).filter(|us| *us > 0.0);
        let of_machine = || a_unit(&["cpu.user", "cpu.system"]).filter(|all| *all > (1.0 + CLIENTS_ARE_THERE) * server);
        let clients_us = known.or_else(|| Some(of_machine()? - server));
        let costs_us = load.ratio(&work?.cpu_us()).0;
        let clients_are_the_others = clients_us.is_some() && known.is_none();
        (costs_us > 0.0).then_some(CpuTaken { server_us: server, clients_us, costs_us, clients_are_the_others })
    }

    fn all_us(&self) -> f64 {
        self.server_us + self.clients_us.unwrap_or(0.0)
    }

    /// What a unit itself took, µs, if the machine's other programs are none of its clients: less what syncs and page writes take on our
    /// machines, and a tenth of all at least.
    pub fn own_us(&self) -> f64 {
        let all_us = if self.clients_are_the_others { self.server_us } else { self.all_us() };
        (all_us - self.costs_us).max(LEAST_OWN_SHARE * all_us)
    }

    /// Share of our machines' costs that is left for syncs and page writes where a unit itself takes `own_us`; all, where the clients'
    /// part is not known.
    pub fn cost_scale(&self, own_us: f64) -> f64 {
        match self.clients_us {
            Some(_) => ((self.all_us() - own_us) / self.costs_us).clamp(LEAST_SCALE, 1.0),
            None => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;

    /// Of a MariaDB with 1000 updates, 100 syncs and 50 page writes a second, and so many ticks a second.
    fn taken(server: f64, clients: f64, machine: f64) -> Option<CpuTaken> {
        let counters = [
            ("Com_update", 1_000.0),
            ("Innodb_lsn_current", 400_000.0),
            ("Innodb_checkpoint_age", 0.0),
            ("Innodb_buffer_pool_pages_dirty", 0.0),
            ("Innodb_data_fsyncs", 100.0),
            ("Innodb_pages_written", 50.0),
        ];
        let (mut status, mut processes) = (String::new(), String::new());
        for second in 0..120 {
            let grown = |rate: f64| 1e6 + rate * f64::from(second);
            writeln!(status, "TS {}.0\nVariable_name\tValue", 1_777_489_071 + second).unwrap();
            counters.iter().for_each(|(name, rate)| writeln!(status, "{name}\t{:.0}", grown(*rate)).unwrap());
            let (half, of_server) = (grown(machine / 2.0), grown(server / 2.0));
            writeln!(
                processes,
                "TS {}.0\ncpu {half:.0} 0 {half:.0} 0 0 0 0 0 0 0\nCOLUMN\tVALUE",
                1_777_489_071 + second
            )
            .unwrap();
            writeln!(processes, "proc.mysqld_utime\t{of_server:.0}\nproc.mysqld_stime\t{of_server:.0}").unwrap();
            writeln!(processes, "proc.sysbench_cpu\t{:.0}", grown(clients)).unwrap();
        }
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("status.txt"), status).unwrap();
        std::fs::write(folder.path().join("processes.txt"), processes).unwrap();
        let variables = "Variable_name\tValue\nversion\t10.11.19-MariaDB\ninnodb_io_capacity\t2000\n";
        std::fs::write(folder.path().join("variables.txt"), variables).unwrap();
        let recording = innosim_recordings::find(folder.path()).unwrap().remove(0).as_unknown_load().unwrap().recording;
        let load = Load::of(&recording).unwrap();
        CpuTaken::of(&recording, &load, Work::of(&load, &recording).as_ref())
    }

    #[test]
    fn clients_are_known_or_what_the_machine_takes_beyond_its_server() {
        let near = |taken: Option<CpuTaken>, all_us: f64, others: bool| {
            let taken = taken.unwrap();
            assert!(
                (taken.all_us() / all_us - 1.0).abs() < 1e-3 && taken.clients_are_the_others == others,
                "{taken:?}"
            );
            // 0.1 syncs of 90 us, 0.05 pages of 28.
            assert!((taken.costs_us / 10.4 - 1.0).abs() < 1e-3, "{taken:?}");
        };
        near(taken(20.0, 10.0, 60.0), 300.0, false);
        near(taken(20.0, 0.0, 60.0), 600.0, true);
        let elsewhere = taken(20.0, 0.0, 20.0).unwrap();
        assert!(elsewhere.clients_us.is_none() && !elsewhere.clients_are_the_others, "where they ran is not known");
        assert!((elsewhere.own_us() / 189.6 - 1.0).abs() < 1e-3 && elsewhere.cost_scale(10.0) == 1.0, "{elsewhere:?}");
        assert_eq!(taken(0.0, 0.0, 20.0), None);
    }

    #[test]
    fn costs_are_what_the_units_leave() {
        let taken = CpuTaken { server_us: 40.0, clients_us: Some(6.0), costs_us: 16.0, clients_are_the_others: true };
        assert_eq!(taken.own_us(), 24.0);
        assert_eq!(CpuTaken { clients_are_the_others: false, ..taken }.own_us(), 30.0);
        assert_eq!(CpuTaken { costs_us: 60.0, ..taken }.own_us(), 4.0, "a tenth at least");
        assert!((taken.cost_scale(40.0) - 0.375).abs() < 1e-12);
        assert_eq!(taken.cost_scale(20.0), 1.0, "costs are never raised");
        assert_eq!(taken.cost_scale(76.0), LEAST_SCALE);
    }
}
