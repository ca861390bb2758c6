//! Files that people take for a scenario: each gets one error that says what it is and what to type.

use crate::diagnostic::Diagnostics;
use std::path::Path;

/// Whether the text is an option file of a server: it has a group that only these have.
pub fn is_option_file(text: &str) -> bool {
    let group = |line: &str| ["[mysqld", "[mariadb"].iter().any(|start| line.starts_with(start));
    text.lines().any(|line| group(line.trim_start()))
}

/// What is wrong with a file that holds something else than a scenario; nothing if it may be one.
pub(crate) fn not_a_scenario(label: &str, text: &str) -> Option<Diagnostics> {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'))?;
    let (what, help) = if is_option_file(text) {
        ("is an option file of a server, not a scenario".to_owned(), option_file_help(Path::new(label)))
    } else if first.starts_with("Variable_name") || first.starts_with("*****") {
        ("is the output of a SHOW statement, not a scenario".to_owned(), format!("give it as --show-variables {label}"))
    } else if label.ends_with(".csv") || (first.matches(',').count() >= 2 && !first.contains('=')) {
        let help = "`innosim explain FOLDER` reads what `innosim run --out FOLDER` left, and recordings; a scenario is a \
                    TOML file (`innosim scenarios` lists the shipped ones)";
        ("is a table of comma-separated values, not a scenario".to_owned(), help.to_owned())
    } else if label.ends_with(".json") {
        ("is JSON, not a scenario".to_owned(), "a scenario is a TOML file".to_owned())
    } else {
        return None;
    };
    Some(Diagnostics::single(format!("{label}: {what}"), Some(help)))
}

/// What to type instead of an option file.
pub fn option_file_help(path: &Path) -> String {
    let path = path.display();
    [
        format!("innosim recommend --my-cnf {path}"),
        "            what the settings alone tell, and what is missing".to_owned(),
        format!("          innosim new-scenario --my-cnf {path} --device nvme -o my-server.toml"),
        "            a scenario with these settings, to fill in the load".to_owned(),
        "          innosim collect > collect.sh".to_owned(),
        "            a script that records the server's load, for innosim advise".to_owned(),
    ]
    .join("\n")
}
