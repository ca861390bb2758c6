//! Settings of a server as other programs hold them: options on a command line (a process list, a compose file), or JSON of names
//! and values (a parameter group, a tuner). They become the lines of an option file, by whose numbers remarks go then.

/// Pairs of keys under which JSON has a name and its value.
const KEYS: [(&str, &str); 3] = [("ParameterName", "ParameterValue"), ("name", "value"), ("Variable_name", "Value")];

/// The text as an option file of the server, if it is such a text; `None` if no setting of InnoDB is in it.
pub fn as_option_file(text: &str) -> Option<String> {
    let lines: Vec<String> = if text.trim_start().starts_with(['{', '[']) && !text.trim_start().starts_with("[mysqld") {
        of_json(text)?
    } else {
        text.lines().map(of_command_line).collect()
    };
    let lines: Vec<&str> = lines.iter().map(String::as_str).filter(|line| !line.is_empty()).collect();
    let has_some = lines.iter().any(|line| line.starts_with("innodb") || line.contains("\ninnodb"));
    has_some.then(|| format!("[mysqld]\n{}\n", lines.join("\n")))
}

/// The options of a line, a line each: `--innodb-io-capacity=200 --skip-log-bin`.
fn of_command_line(line: &str) -> String {
    let words = line.split(|c: char| c.is_whitespace() || "\"',[]".contains(c));
    let options: Vec<&str> =
        words.filter_map(|word| word.strip_prefix("--")).filter(|option| is_option(option)).collect();
    options.join("\n")
}

fn is_option(option: &str) -> bool {
    let name = option.split('=').next().unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !name.is_empty()
        && name.chars().all(plain)
        && (option.contains('=') || name.starts_with("skip") || name.starts_with("innodb"))
}

fn of_json(text: &str) -> Option<Vec<String>> {
    let document: serde_json::Value = serde_json::from_str(text).ok()?;
    let mut lines = Vec::new();
    collect(&document, &mut lines);
    Some(lines)
}

fn collect(value: &serde_json::Value, lines: &mut Vec<String>) {
    match value {
        serde_json::Value::Array(all) => all.iter().for_each(|one| collect(one, lines)),
        serde_json::Value::Object(object) => {
            let pair = KEYS.iter().find_map(|(name, value)| Some((object.get(*name)?.as_str()?, object.get(*value)?)));
            match pair {
                Some((name, serde_json::Value::String(value))) => lines.push(format!("{name} = {value}")),
                Some((name, value)) if value.is_number() || value.is_boolean() => {
                    lines.push(format!("{name} = {value}"))
                }
                _ => object.values().for_each(|one| collect(one, lines)),
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_processes_compose_files_and_parameter_groups() {
        let process = "mysql 12 0.1 /usr/sbin/mysqld --daemonize --innodb-buffer-pool-size=8G --skip-log-bin --pid=1\n";
        assert_eq!(as_option_file(process).unwrap(), "[mysqld]\ninnodb-buffer-pool-size=8G\nskip-log-bin\npid=1\n");
        let compose = "    command: ['mysqld', '--innodb-io-capacity=800', '--innodb_log_file_size=256M']\n";
        assert_eq!(as_option_file(compose).unwrap(), "[mysqld]\ninnodb-io-capacity=800\ninnodb_log_file_size=256M\n");
        let group =
            r#"{"Parameters": [{"ParameterName": "innodb_io_capacity", "ParameterValue": "2000"}, {"name": "x"}]}"#;
        assert_eq!(as_option_file(group).unwrap(), "[mysqld]\ninnodb_io_capacity = 2000\n");
        let knobs = r#"[{"name": "innodb_io_capacity", "value": 4000}]"#;
        assert_eq!(as_option_file(knobs).unwrap(), "[mysqld]\ninnodb_io_capacity = 4000\n");
        for other in ["", "[1, 2", "tps: 3 --report-interval=1", "{\"a\": [1]}", "-- \n --=\n"] {
            assert_eq!(as_option_file(other), None, "{other}");
        }
    }
}
