//! The cases. A change to any of them changes figures that people compare: it takes a new version of the suite.

/// Version of the suite; results of different versions are not comparable.
pub const SUITE_VERSION: &str = "rules-1";

const UPDATE: &str = include_str!("../../suite/update.toml");
const OPEN: &str = include_str!("../../suite/open.toml");
const TPCC: &str = include_str!("../../suite/tpcc.toml");

/// A case of the suite.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// Name in results.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// The scenario that it changes.
    pub(super) text: &'static str,
    /// Another server than the scenario's.
    pub(super) model: Option<&'static str>,
    /// Its changes.
    pub(super) set: &'static [&'static str],
}

const fn case(name: &'static str, about: &'static str, text: &'static str, set: &'static [&'static str]) -> Case {
    Case { name, about, text, model: None, set }
}

const fn on(model: &'static str, name: &'static str, about: &'static str) -> Case {
    Case { name, about, text: UPDATE, model: Some(model), set: &[] }
}

/// All cases.
pub const SUITE: &[Case] = &[
    case("in-memory", "updates, data in memory, redo 384 MiB, SATA SSD", UPDATE, &[]),
    case("small-redo", "the same with 160 MiB of redo", UPDATE, &["innodb_redo_log_capacity=160M"]),
    case(
        "large-redo",
        "the same with 1.5 GiB of redo",
        UPDATE,
        &["innodb_redo_log_capacity=1536M", "duration=400s", "warmup=180s"],
    ),
    case("io-bound", "the same with a buffer pool for half of the data", UPDATE, &["innodb_buffer_pool_size=384M"]),
    case(
        "slow-device",
        "the same on a device of 2000 writes a second",
        UPDATE,
        &[
            "device.write_iops=2000",
            "innodb_io_capacity=1000",
            "innodb_io_capacity_max=2000",
            "duration=240s",
            "warmup=90s",
        ],
    ),
    case(
        "cloud-burst",
        "the same on a cloud volume whose burst credits run out on the way",
        UPDATE,
        &[
            "device.profile=cloud-volume-burst",
            "device.burst.initial_ops=250000",
            "device.burst.bucket_ops=250000",
            "innodb_io_capacity=500",
            "innodb_io_capacity_max=2000",
        ],
    ),
    case(
        "spike",
        "1500 arrivals a second, 6000 for 30 s, redo 100 MiB",
        OPEN,
        &["drive.spike=[{ at = \"80s\", length = \"30s\", rate = 6000 }]"],
    ),
    case(
        "ramp",
        "arrivals that rise from 1500 to 5000 a second over a minute, redo 100 MiB",
        OPEN,
        &["drive.step=[{ at = \"60s\", rate = 5000, ramp = \"60s\" }]"],
    ),
    on("mysql-5.7", "mysql-5.7", "in-memory on the machinery of 5.7"),
    on("mysql-9.7", "mysql-9.7", "in-memory on the machinery of 9.7"),
    on("mariadb-10.11", "mariadb-10.11", "in-memory on the machinery of MariaDB 10.11"),
    case("published", "sysbench-tpcc on 8.0.21, a tenth of the published case", TPCC, &[]),
];
