//! `innosim models`: the server models.

use crate::args::ListArgs;
use crate::exit::{Done, Failure};
use crate::output::{note, wrapped};
use crate::show::show;
use innosim_flush_models::registry::{Model, ModelId, settings};
use serde_json::{Value, json};

/// Lists the models.
pub(crate) fn run(args: &ListArgs) -> Done {
    show(args.form.format, &Value::Array(ModelId::ALL.iter().map(|model| as_json(*model)).collect()), &human())
}

/// The model that `--model` names; remarks what may differ where it is the nearest to a version without one of its own.
pub(crate) fn named(text: &str) -> Result<ModelId, Failure> {
    let found = ModelId::named(text)
        .map_err(|unknown| Failure::Input(format!("--model: {unknown}\n  = help: {}", unknown.suggestion)))?;
    if let Some(differs) = found.differs {
        note(&format!("--model: {differs}"));
    }
    Ok(found.model)
}

fn as_json(model: ModelId) -> Value {
    json!({
        "name": model.name(),
        "title": model.title(),
        "about": model.about(),
        "read": model.model().read,
        "assumed": model.model().assumed,
        "near": model.model().stands_for.iter().filter(|near| !near.differs.is_empty()).map(|near| json!({
            "versions": near.servers.to_string(),
            "differs": near.differs,
        })).collect::<Vec<_>>(),
        "settings": settings(model).len(),
    })
}

fn human() -> String {
    let mut text = String::new();
    for model in ModelId::ALL {
        text.push_str(&format!("{:<14} {} ({} settings)\n", model.name(), model.title(), settings(*model).len()));
        text.push_str(&wrapped(model.about(), 15));
        let Model { read, assumed, stands_for, .. } = model.model();
        text.push_str(&wrapped(&format!("Read: {read}."), 15));
        if !assumed.is_empty() {
            text.push_str(&wrapped(&format!("Assumed: {assumed}."), 15));
        }
        for near in stands_for.iter().filter(|near| !near.differs.is_empty()) {
            text.push_str(&wrapped(&format!("The nearest to {}: {}.", near.servers, near.differs), 15));
        }
    }
    text.push('\n');
    text.push_str(&wrapped(
        "A bare version such as 8.0, 8.0.36 or 8.4 is understood. `innosim settings --model NAME` lists settings.",
        0,
    ));
    text
}
