//! Reading vector files.

pub(crate) mod legacy;
pub(crate) mod mariadb;
pub(crate) mod mysql55;
pub(crate) mod mysql56;
pub(crate) mod mysql57;
pub(crate) mod percona;
pub(crate) mod pure;
pub(crate) mod recommendation;
pub(crate) mod redo;

use serde_json::{Map, Value};
use std::path::PathBuf;

/// The test of one vector file.
pub(crate) type Test = fn(&VectorFile);

/// One vector file.
pub(crate) struct VectorFile {
    name: String,
    json: Value,
}

/// One case of a pure function or one step of a sequence.
pub(crate) struct Case {
    /// Where it is, for messages.
    pub(crate) place: String,
    /// What goes in.
    pub(crate) input: Fields,
    /// What must come out.
    pub(crate) output: Fields,
    /// Configuration of a sequence.
    pub(crate) config: Fields,
    /// State before a step.
    pub(crate) state_in: Fields,
    /// State after a step.
    pub(crate) state_out: Fields,
}

/// The fields of a case by name.
#[derive(Default)]
pub(crate) struct Fields(Map<String, Value>);

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors")
}

/// Names of all vector files.
pub(crate) fn file_names() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .expect("the folder of vectors")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a readable name"))
        .collect();
    names.sort();
    names
}

impl VectorFile {
    /// Reads a file.
    pub(crate) fn load(name: &str) -> Self {
        let text = std::fs::read_to_string(folder().join(name)).expect("a vector file");
        let json: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(json["schema"], "innodb-flush-vectors/1", "{name}");
        VectorFile { name: name.to_owned(), json }
    }

    /// The sequences of a function with state: name and steps.
    pub(crate) fn sequences(&self) -> Vec<Vec<Case>> {
        let list = self.json["cases"].as_array().expect("cases");
        list.iter()
            .map(|sequence| {
                let steps = sequence["steps"].as_array().expect("steps");
                steps
                    .iter()
                    .enumerate()
                    .map(|(i, step)| {
                        let mut case = Case::new(format!("{}: {} step {i}", self.name, sequence["name"]), step);
                        case.config = Fields::of(&sequence["config"]);
                        case
                    })
                    .collect()
            })
            .collect()
    }

    /// The cases of a pure function.
    pub(crate) fn pure(&self) -> Vec<Case> {
        assert_eq!(self.json["kind"], "pure", "{}", self.name);
        let list = self.json["cases"].as_array().expect("cases");
        list.iter().enumerate().map(|(i, case)| Case::new(format!("{} case {i}", self.name), case)).collect()
    }

    /// All cases, whatever the kind.
    pub(crate) fn pure_or_steps(&self) -> Vec<Case> {
        if self.json["kind"] == "pure" { self.pure() } else { self.sequences().into_iter().flatten().collect() }
    }
}

impl Case {
    fn new(place: String, json: &Value) -> Self {
        Case {
            place,
            input: Fields::of(&json["in"]),
            output: Fields::of(&json["out"]),
            config: Fields::default(),
            state_in: Fields::of(&json["state_in"]),
            state_out: Fields::of(&json["state_out"]),
        }
    }

    /// Whether the case says what must come out, be it only the state after a step.
    pub(crate) fn has_output(&self) -> bool {
        !self.output.0.is_empty() || !self.state_out.0.is_empty()
    }

    /// Checks a whole number of the output.
    pub(crate) fn expect(&self, field: &str, value: u64) {
        assert_eq!(self.output.u64(field), value, "{}: {field}", self.place);
    }

    /// Checks a switch of the output.
    pub(crate) fn expect_bool(&self, field: &str, value: bool) {
        assert_eq!(self.output.bool(field), value, "{}: {field}", self.place);
    }

    /// Checks a number of the output that may be absent.
    pub(crate) fn expect_option(&self, field: &str, value: Option<u64>) {
        assert_eq!(self.output.option(field), value, "{}: {field}", self.place);
    }
}

impl Fields {
    fn of(json: &Value) -> Self {
        Fields(json.as_object().cloned().unwrap_or_default())
    }

    /// A field as it is.
    pub(crate) fn get(&self, name: &str) -> &Value {
        self.0.get(name).unwrap_or_else(|| panic!("no field {name}"))
    }

    /// Whether the field is there.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// A whole number.
    pub(crate) fn u64(&self, name: &str) -> u64 {
        self.get(name).as_u64().unwrap_or_else(|| panic!("{name} is not a whole number"))
    }

    /// A whole number or nothing.
    pub(crate) fn option(&self, name: &str) -> Option<u64> {
        self.get(name).as_u64()
    }

    /// A number with a fraction.
    pub(crate) fn f64(&self, name: &str) -> f64 {
        self.get(name).as_f64().unwrap_or_else(|| panic!("{name} is not a number"))
    }

    /// A switch.
    pub(crate) fn bool(&self, name: &str) -> bool {
        self.get(name).as_bool().unwrap_or_else(|| panic!("{name} is not a switch"))
    }

    /// A word.
    pub(crate) fn str(&self, name: &str) -> &str {
        self.get(name).as_str().unwrap_or_else(|| panic!("{name} is not a word"))
    }
}
