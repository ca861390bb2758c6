//! What was resolved, as text: every key that was read, in canonical form, defaults included.
//!
//! The readers in [`crate::section`] note down each value as they convert it. Written out, the result loads to the same
//! values: numbers in their shortest exact form, times in whole units.

/// A table of resolved values.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Resolved {
    entries: Vec<(String, Item)>,
}

#[derive(Debug, Clone, PartialEq)]
enum Item {
    Value(String),
    Table(Resolved),
    Tables(Vec<Resolved>),
}

impl Resolved {
    /// Notes a value, as TOML.
    pub(crate) fn value(&mut self, key: &str, toml: String) {
        self.set(key, Item::Value(toml));
    }

    /// Notes a table.
    pub(crate) fn table(&mut self, key: &str, table: Resolved) {
        self.set(key, Item::Table(table));
    }

    /// Notes a list of tables; an empty list is left out.
    pub(crate) fn tables(&mut self, key: &str, tables: Vec<Resolved>) {
        if !tables.is_empty() {
            self.set(key, Item::Tables(tables));
        }
    }

    /// Adds all entries of `others`, with `workload`, if it holds anything, before the drive.
    pub(crate) fn append(&mut self, others: Resolved, workload: Resolved) {
        let mut workload = Some(workload).filter(|workload| !workload.entries.is_empty());
        for (key, item) in others.entries {
            if key == "drive"
                && let Some(workload) = workload.take()
            {
                self.table("workload", workload);
            }
            self.set(&key, item);
        }
        if let Some(workload) = workload {
            self.table("workload", workload);
        }
    }

    fn set(&mut self, key: &str, item: Item) {
        match self.entries.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = item,
            None => self.entries.push((key.to_owned(), item)),
        }
    }

    /// The value at a dotted path, without the quotes of a string.
    pub(crate) fn at(&self, path: &str) -> Option<String> {
        let (key, rest) = path.split_once('.').map_or((path, None), |(key, rest)| (key, Some(rest)));
        match (self.entries.iter().find(|(name, _)| name == key)?, rest) {
            ((_, Item::Value(toml)), None) => Some(toml.trim_matches('"').to_owned()),
            ((_, Item::Table(table)), Some(rest)) => table.at(rest),
            _ => None,
        }
    }

    /// A copy with only these keys.
    pub(crate) fn only(&self, keys: &[&str]) -> Resolved {
        Resolved { entries: self.entries.iter().filter(|(key, _)| keys.contains(&key.as_str())).cloned().collect() }
    }

    /// As TOML, below the table with this path ("" for the root): plain values first, then the tables.
    pub(crate) fn write(&self, path: &str, out: &mut String) {
        for (key, item) in &self.entries {
            if let Item::Value(toml) = item {
                out.push_str(&format!("{key} = {toml}\n"));
            }
        }
        for (key, item) in &self.entries {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            match item {
                Item::Value(_) => {}
                Item::Table(table) => {
                    out.push_str(&format!("\n[{path}]\n"));
                    table.write(&path, out);
                }
                Item::Tables(tables) => {
                    for table in tables {
                        out.push_str(&format!("\n[[{path}]]\n"));
                        table.write(&path, out);
                    }
                }
            }
        }
    }

    /// As one inline table.
    pub(crate) fn inline(&self) -> String {
        let entries: Vec<String> =
            self.entries.iter().map(|(key, item)| format!("{key} = {}", item.inline())).collect();
        format!("{{ {} }}", entries.join(", "))
    }
}

impl Item {
    fn inline(&self) -> String {
        match self {
            Item::Value(toml) => toml.clone(),
            Item::Table(table) => table.inline(),
            Item::Tables(tables) => {
                format!("[{}]", tables.iter().map(Resolved::inline).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// A string as TOML.
pub(crate) fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// A number as TOML: the shortest text that reads back as the same number.
pub(crate) fn number(value: f64) -> String {
    format!("{value:?}")
}
