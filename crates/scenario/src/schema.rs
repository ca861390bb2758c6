//! The JSON Schema of scenarios, for editors: made of the declarations of the keys and of the registry of settings.
//!
//! It describes one file. As a file may extend another, few keys are required in it.

use crate::key::{Key, Kind, Presence, keys, variants};
use innosim_flush_models::registry::{ModelId, Setting, settings};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The JSON Schema (draft 2020-12) of a scenario.
pub fn json_schema() -> Value {
    let mut schema = object(keys("scenario"), false);
    schema.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    schema.insert("title".to_owned(), json!("innosim scenario"));
    Value::Object(schema)
}

fn object(keys: &[Key], complete: bool) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for key in keys {
        properties.insert(key.name.to_owned(), property(key));
        if complete && matches!(key.presence, Presence::Required) {
            required.push(json!(key.name));
        }
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), Value::Array(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

fn property(key: &Key) -> Value {
    let mut schema = kind(&key.kind);
    let description = match key.presence {
        Presence::Required | Presence::Default(_) => key.help.to_owned(),
        Presence::Otherwise(otherwise) => format!("{} If left out: {otherwise}.", key.help),
    };
    if let Some(object) = schema.as_object_mut() {
        object.insert("description".to_owned(), json!(description));
        if let Presence::Default(default) = key.presence {
            let literal = serde_json::from_str(default).unwrap_or_else(|_| json!(default));
            object.insert("default".to_owned(), literal);
        }
    }
    schema
}

fn kind(kind: &Kind) -> Value {
    match kind {
        Kind::Text => json!({ "type": ["string", "number"] }),
        Kind::Names => json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 }),
        Kind::Duration | Kind::AutoDuration => json!({ "type": "string" }),
        Kind::Distribution => json!({ "anyOf": [{ "type": "string" }, variant("distribution")] }),
        Kind::Integer { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Kind::Real { min, max, above: false } => json!({ "type": "number", "minimum": min, "maximum": max }),
        Kind::Real { min, max, above: true } => json!({ "type": "number", "exclusiveMinimum": min, "maximum": max }),
        Kind::Ceiling => json!({ "anyOf": [{ "type": "number", "minimum": 1 }, { "const": "none" }] }),
        Kind::Bandwidth => json!({ "type": ["number", "string"] }),
        Kind::Switch => json!({ "type": "boolean" }),
        Kind::OneOf(names) => json!({ "enum": names }),
        Kind::Pairs => {
            let pair = json!({ "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2 });
            json!({ "type": "array", "items": pair, "minItems": 2 })
        }
        Kind::Table(name) => Value::Object(object(keys(name), false)),
        Kind::Tables(name) => json!({ "type": "array", "items": object(keys(name), true) }),
        Kind::Variant(group) => variant(group),
        Kind::Server => server(),
        Kind::Rule => json!({ "anyOf": [{ "type": "string" }, {
            "type": "object",
            "properties": {
                "file": { "type": "string", "description": "Path of the rule's script, or name of a shipped rule." },
                "text": { "type": "string", "description": "The script itself; `file` is its name then." }
            },
            "additionalProperties": { "type": "number" }
        }] }),
    }
}

/// One table of several kinds. `kind` itself may come from the scenario that is extended.
fn variant(group: &str) -> Value {
    let tables: Vec<Value> = variants(group)
        .iter()
        .map(|(name, keys)| {
            let mut schema = object(keys, false);
            if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
                properties.insert("kind".to_owned(), json!({ "const": name }));
            }
            Value::Object(schema)
        })
        .collect();
    json!({ "type": "object", "anyOf": tables })
}

/// Every setting of every model, with what each model takes.
fn server() -> Value {
    let mut by_name: BTreeMap<&'static str, Vec<(ModelId, Setting)>> = BTreeMap::new();
    for model in ModelId::ALL {
        for setting in settings(*model) {
            by_name.entry(setting.name).or_default().push((*model, setting));
        }
    }
    let mut properties = Map::new();
    for (name, variants) in by_name {
        let mut lines: Vec<String> = variants.first().map(|(_, setting)| setting.help.to_owned()).into_iter().collect();
        for (model, setting) in &variants {
            lines.push(format!("{model}: {}; default {}", setting.allowed(), setting.default_text));
        }
        let value = json!({ "type": ["string", "number", "boolean"], "description": lines.join("\n") });
        properties.insert(name.to_owned(), value);
    }
    for (name, help) in [
        ("my_cnf", "Option file of a real server; its settings lie under the keys of this table."),
        ("show_variables", "Text of SHOW GLOBAL VARIABLES; lies over my_cnf and under the keys of this table."),
    ] {
        properties.insert(name.to_owned(), json!({ "type": "string", "description": help }));
    }
    // Names may also be spelt with `-`, and settings without effect may stay.
    json!({ "type": "object", "properties": properties })
}
