//! `innosim models`: the server models.

use crate::args::{Format, ListArgs};
use crate::exit::Done;
use crate::output::{print, print_json, wrapped};
use innosim_flush_models::registry::{ModelId, settings};
use serde_json::{Value, json};

/// Lists the models.
pub(crate) fn run(args: &ListArgs) -> Done {
    match args.form.format {
        Format::Json => print_json(&Value::Array(ModelId::ALL.iter().map(|model| as_json(*model)).collect())),
        Format::Human => print(&human()),
    }
}

fn as_json(model: ModelId) -> Value {
    json!({
        "name": model.name(),
        "title": model.title(),
        "about": model.about(),
        "settings": settings(model).len(),
    })
}

fn human() -> String {
    let mut text = String::new();
    for model in ModelId::ALL {
        text.push_str(&format!("{:<14} {} ({} settings)\n", model.name(), model.title(), settings(*model).len()));
        text.push_str(&wrapped(model.about(), 15));
    }
    text.push_str(
        "\nA bare version such as 8.0, 8.0.36 or 8.4 is understood. `innosim settings --model NAME` lists settings.\n",
    );
    text
}
