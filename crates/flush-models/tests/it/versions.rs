//! What servers that people run say of themselves, and the model that stands for each: distributions, clouds, containers, forks.

use innosim_flush_models::registry::{ModelId, ServerVersion};

/// `version` and `version_comment`, the model, and whether it stands for that version (or is only the nearest).
const SEEN: [(&str, &str, ModelId, bool); 38] = [
    // The eleven servers of one laboratory in 2026.
    ("5.7.44-log", "MySQL Community Server (GPL)", ModelId::Mysql57, true),
    ("5.7.44-48-log", "Percona Server (GPL), Release 48, Revision 497f936a373", ModelId::Percona57, true),
    ("8.0.45", "MySQL Community Server - GPL", ModelId::Mysql8030, true),
    ("8.0.45-36", "Percona Server (GPL), Release 36, Revision 8fe4a72d", ModelId::Percona80, true),
    ("8.4.7-7", "Percona Server (GPL), Release 7, Revision 9a19f1fd", ModelId::Percona84, true),
    ("8.4.8", "MySQL Community Server - GPL", ModelId::Mysql84, true),
    ("9.6.0", "MySQL Community Server - GPL", ModelId::Mysql97, false),
    ("9.7.0-er", "MySQL Community Server - GPL", ModelId::Mysql97, true),
    ("10.11.16-MariaDB-ubu2204-log", "mariadb.org binary distribution", ModelId::Mariadb1011, true),
    ("11.4.10-MariaDB-ubu2404-log", "mariadb.org binary distribution", ModelId::Mariadb114, true),
    ("12.1.2-MariaDB-ubu2404-log", "mariadb.org binary distribution", ModelId::Mariadb114, true),
    // Distributions.
    ("5.5.62-0+deb8u1", "(Debian)", ModelId::Mysql55, true),
    ("5.7.42-0ubuntu0.18.04.1", "(Ubuntu)", ModelId::Mysql57, true),
    ("8.0.40-0ubuntu0.24.04.1", "(Ubuntu)", ModelId::Mysql8030, true),
    ("8.0.26", "Source distribution", ModelId::Mysql8027, true),
    ("8.4.6-0ubuntu0.25.04.1", "(Ubuntu)", ModelId::Mysql84, true),
    ("10.3.39-MariaDB-0ubuntu0.20.04.2", "Ubuntu 20.04", ModelId::Mysql57, false),
    ("10.5.29-MariaDB-0+deb11u1", "Debian 11", ModelId::Mariadb106, false),
    ("10.6.22-MariaDB-0ubuntu0.22.04.1", "Ubuntu 22.04", ModelId::Mariadb106, true),
    ("10.11.14-MariaDB-0ubuntu0.24.04.1", "Ubuntu 24.04", ModelId::Mariadb1011, true),
    (
        "11.8.3-MariaDB-1+b1 from Debian",
        "-- Please help get to 10k stars at https://github.com/MariaDB/Server",
        ModelId::Mariadb114,
        true,
    ),
    ("10.4.32-MariaDB", "mariadb.org binary distribution", ModelId::Mysql57, false),
    // Clouds.
    ("5.7.44-rds.20240408-log", "Source distribution", ModelId::Mysql57, true),
    ("8.0.39-google", "(Google)", ModelId::Mysql8030, true),
    ("8.0.42-azure", "MySQL Community Server - GPL", ModelId::Mysql8030, true),
    ("8.4.4-cloud", "MySQL Enterprise - Cloud", ModelId::Mysql84, true),
    ("8.0.36-cluster", "MySQL Cluster Community Server - GPL", ModelId::Mysql8030, true),
    ("10.6.14-MariaDB-log", "managed by https://aws.amazon.com/rds/", ModelId::Mariadb106, true),
    // Percona's, with and without a cluster.
    ("5.6.51-91.0", "Percona Server (GPL), Release 91.0, Revision b59139e", ModelId::Mysql56, false),
    ("5.7.40-43-57-log", "Percona XtraDB Cluster (GPL), Release rel43", ModelId::Percona57, true),
    ("8.0.37-29.1", "Percona XtraDB Cluster (GPL), Release rel29", ModelId::Percona80, true),
    ("8.4.9-9", "Percona Server (GPL), Release 9", ModelId::Percona84, true),
    // Old, and enterprise.
    ("5.6.51", "MySQL Community Server (GPL)", ModelId::Mysql56, true),
    ("5.7.19-log", "MySQL Enterprise Server - Advanced Edition (Commercial)", ModelId::Mysql57, false),
    ("8.0.13", "MySQL Enterprise Server - Commercial", ModelId::Mysql8016, false),
    ("8.0.18", "Homebrew", ModelId::Mysql8016, false),
    ("8.0.22-commercial", "MySQL Enterprise Server - Commercial", ModelId::Mysql8021, true),
    ("9.1.0-commercial", "MySQL Enterprise Server - Commercial", ModelId::Mysql97, false),
];

#[test]
fn servers_that_people_run_are_recognised_by_their_variables() {
    let mut wrong = Vec::new();
    for (version, comment, model, stands) in SEEN {
        let of = |name: &str| match name {
            "version" => Some(version),
            "version_comment" => Some(comment),
            _ => None,
        };
        let found = ServerVersion::of_variables(of).map(|server| server.model());
        match found {
            Some(Ok(found)) if found.model == model && found.differs.is_none() == stands => {}
            other => wrong.push(format!("{version}: {other:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_same_is_understood_where_a_model_is_typed() {
    for (version, model) in [
        ("/usr/sbin/mysqld  Ver 8.0.40-0ubuntu0.24.04.1 for Linux on x86_64 ((Ubuntu))", ModelId::Mysql8030),
        (
            "mariadbd  Ver 11.4.5-MariaDB-log for debian-linux-gnu on x86_64 (mariadb.org binary distribution)",
            ModelId::Mariadb114,
        ),
        ("8.0.36-0ubuntu0.22.04.1", ModelId::Mysql8030),
        ("10.6.22-MariaDB", ModelId::Mariadb106),
        ("5.7.44-rds.20240408-log", ModelId::Mysql57),
        ("Percona Server 8.0", ModelId::Percona80),
    ] {
        let found = ModelId::parse(version).unwrap_or_else(|why| panic!("{version}: {why}"));
        assert_eq!(found, model, "{version}");
    }
}
