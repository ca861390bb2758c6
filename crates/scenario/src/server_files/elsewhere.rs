//! Settings of a server as other programs hold them: options on a command line (a process list, a compose file), JSON of names
//! and values (a parameter group, a tuner, what SET PERSIST leaves), an option file inside YAML (a ConfigMap), names and values of
//! YAML (a role, a template) or of Terraform. They become the lines of an option file, by whose numbers remarks go then.

/// Pairs of keys under which JSON has a name and its value.
const KEYS: [(&str, &str); 3] = [("ParameterName", "ParameterValue"), ("name", "value"), ("Variable_name", "Value")];

/// The text as an option file of the server, if it is such a text; `None` if no setting of InnoDB is in it.
pub fn as_option_file(text: &str) -> Option<String> {
    if let Some(inside) = inside_yaml(text) {
        return Some(inside);
    }
    let lines: Vec<String> = if text.trim_start().starts_with(['{', '[']) && !text.trim_start().starts_with("[mysqld") {
        of_json(text)?
    } else {
        let options: Vec<String> = text.lines().map(of_command_line).collect();
        if options.iter().any(|line| !line.is_empty()) { options } else { of_names_and_values(text) }
    };
    let lines: Vec<&str> = lines.iter().map(String::as_str).filter(|line| !line.is_empty()).collect();
    let has_some = lines.iter().any(|line| line.starts_with("innodb") || line.contains("\ninnodb"));
    has_some.then(|| format!("[mysqld]\n{}\n", lines.join("\n")))
}

/// An option file that is a block of YAML (a ConfigMap, the values of a chart): its lines, without their indent.
pub(super) fn inside_yaml(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let group = lines.iter().position(|line| line.starts_with(' ') && line.trim_start().starts_with("[mysqld"))?;
    let opens = |line: &&str| [": |", ": |-", ": |+", ": >", ": >-"].iter().any(|mark| line.trim_end().ends_with(mark));
    let block = lines[..group].iter().rposition(opens)?;
    let indent = lines[group].len() - lines[group].trim_start().len();
    let is_inside = |line: &&&str| line.trim().is_empty() || line.starts_with(&" ".repeat(indent));
    let inside: Vec<&str> = lines[block + 1..].iter().take_while(is_inside).map(|line| line.trim()).collect();
    Some(inside.join("\n") + "\n")
}

/// Lines such as `mysql_innodb_io_capacity: 2000`, and pairs of lines such as `name = "innodb_io_capacity"`, `value = "2000"`.
fn of_names_and_values(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut name: Option<String> = None;
    for line in text.lines() {
        let line = line.trim().trim_start_matches("- ").trim_end_matches(',');
        let Some((key, value)) = line.split_once([':', '=']) else { continue };
        let (key, value) = (key.trim().trim_matches('"'), value.trim().trim_matches(['"', '\'']));
        let setting = key.find("innodb_").map(|at| &key[at..]);
        if key.eq_ignore_ascii_case("name") || key == "ParameterName" {
            name = Some(value.to_owned()).filter(|name| is_option(&format!("{name}=")));
        } else if let Some(name) = name.take_if(|_| key.eq_ignore_ascii_case("value") || key == "ParameterValue") {
            lines.push(format!("{name} = {value}"));
        } else if let Some(setting) = setting.filter(|name| is_option(&format!("{name}=")) && !value.is_empty()) {
            lines.push(format!("{setting} = {value}"));
        }
    }
    lines
}

/// What a server would start with (`mysqld --verbose --help`), as lines of a name, a tab and its value.
fn of_verbose_help(text: &str) -> Option<String> {
    const HEAD: &str = "Variables (--variable-name=value)";
    // What a server prints for a number that follows from others.
    const NOT_SET: &str = "18446744073709551615";
    let (before, table) = text.split_once(HEAD)?;
    let mut rows = String::from("Variable_name\tValue\n");
    let version = before.lines().find_map(|line| line.split_once("  Ver ")?.1.split_whitespace().next());
    rows.extend(version.map(|version| format!("version\t{version}\n")));
    let lines = table.lines().skip_while(|line| !line.starts_with("-----")).skip(1);
    for line in lines.take_while(|line| !line.trim().is_empty()) {
        let Some((name, value)) = line.split_once(char::is_whitespace) else { continue };
        let value = match value.trim() {
            "(No default value)" | NOT_SET => continue,
            "TRUE" => "ON",
            "FALSE" => "OFF",
            value => value,
        };
        rows.push_str(&format!("{}\t{value}\n", name.replace('-', "_")));
    }
    Some(rows)
}

/// A table of names and values in quoted CSV, in XML (`mysql --xml`) or as `mysqld --verbose --help` prints it, as lines of a
/// name, a tab and its value.
pub fn as_rows(text: &str) -> Option<String> {
    if let Some(rows) = of_verbose_help(text) {
        return Some(rows);
    }
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    let plain = |line: &str| line.replace('"', "").to_ascii_lowercase();
    if lines.peek().is_some_and(|head| plain(head) == "variable_name,value") {
        // Names have no commas; writers quote all fields, the texts, or those that need it.
        let row = |line: &str| {
            let (name, value) = line.split_once(',').unwrap_or((line, ""));
            format!("{}\t{}\n", name.trim_matches('"'), value.trim_matches('"'))
        };
        return Some(lines.map(row).collect());
    }
    let field = |line: &str, names: [&str; 2]| {
        let rest = names.iter().find_map(|name| line.split_once(&format!("<field name=\"{name}\">")))?.1;
        Some(rest.split_once("</field>")?.0.to_owned())
    };
    let (mut rows, mut name) = (String::new(), None);
    for line in lines {
        name = field(line, ["Variable_name", "VARIABLE_NAME"]).or(name);
        if let (Some(value), Some(name)) = (field(line, ["Value", "VARIABLE_VALUE"]), name.clone()) {
            rows.push_str(&format!("{name}\t{value}\n"));
        }
    }
    (!rows.is_empty()).then(|| format!("Variable_name\tValue\n{rows}"))
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
                _ => object.iter().for_each(|(name, one)| {
                    // What SET PERSIST leaves, and plain names with their values.
                    let value = one.get("Value").unwrap_or(one);
                    match value {
                        serde_json::Value::String(value) if name.starts_with("innodb_") => {
                            lines.push(format!("{name} = {value}"));
                        }
                        value if value.is_number() && name.starts_with("innodb_") => {
                            lines.push(format!("{name} = {value}"));
                        }
                        _ => collect(one, lines),
                    }
                }),
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
        let persisted =
            r#"{"Version": 2, "mysql_dynamic_variables": {"innodb_io_capacity": {"Value": "300", "Metadata": {}}}}"#;
        assert_eq!(as_option_file(persisted).unwrap(), "[mysqld]\ninnodb_io_capacity = 300\n");
        let group = "parameter {\n  name  = \"innodb_io_capacity\"\n  value = \"3000\"\n}\n";
        assert_eq!(as_option_file(group).unwrap(), "[mysqld]\ninnodb_io_capacity = 3000\n");
        let role = "mysql_config_file: /etc/my.cnf\nmysql_innodb_log_file_size: 1G\n";
        assert_eq!(as_option_file(role).unwrap(), "[mysqld]\ninnodb_log_file_size = 1G\n");
        let map = "kind: ConfigMap\ndata:\n  my.cnf: |\n    [mysqld]\n    innodb_io_capacity = 7\n  other: x\n";
        assert_eq!(as_option_file(map).unwrap(), "[mysqld]\ninnodb_io_capacity = 7\n");
        for other in ["", "[1, 2", "tps: 3 --report-interval=1", "{\"a\": [1]}", "-- \n --=\n"] {
            assert_eq!(as_option_file(other), None, "{other}");
        }
    }

    #[test]
    fn what_mysqld_would_start_with_is_rows() {
        let help = "mysqld  Ver 8.0.36 for Linux on x86_64 (MySQL Community Server - GPL)\n\nVariables (--variable-name=value)\nand boolean options \
                    {FALSE|TRUE}  Value (after reading options)\n----------- -----\ninnodb-adaptive-flushing  TRUE\n\
                    innodb-io-capacity-max   18446744073709551615\ninnodb-data-home-dir  (No default value)\ninnodb-io-capacity  700\n\nTo see\n";
        let rows = "Variable_name\tValue\nversion\t8.0.36\ninnodb_adaptive_flushing\tON\ninnodb_io_capacity\t700\n";
        assert_eq!(as_rows(help).unwrap(), rows);
    }

    #[test]
    fn tables_in_csv_and_xml_are_rows() {
        assert_eq!(
            as_rows("\"Variable_name\",\"Value\"\n\"version\",\"8.0.36\"\n").unwrap(),
            "Variable_name\tValue\nversion\t8.0.36\n"
        );
        let xml =
            "<row>\n<field name=\"Variable_name\">version</field>\n\t<field name=\"Value\">8.0.36</field>\n</row>";
        let minimal =
            "Variable_name,Value\nversion,8.0.36\ntls_version,\"TLSv1.2,TLSv1.3\"\ninnodb_io_capacity,\"200\"\n";
        let rows = "Variable_name\tValue\nversion\t8.0.36\ntls_version\tTLSv1.2,TLSv1.3\ninnodb_io_capacity\t200\n";
        assert_eq!(as_rows(minimal).unwrap(), rows);
        assert_eq!(as_rows(xml).unwrap(), "Variable_name\tValue\nversion\t8.0.36\n");
        assert_eq!(as_rows("Variable_name\tValue\nversion\t8.0.36\n"), None);
    }
}
