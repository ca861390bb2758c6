//! A name that is no model's, and the one that is probably meant.

use crate::settings::ModelId;

/// A name that is no model's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no model `{given}`{}", why.as_ref().map_or_else(String::new, |why| format!(": {why}")))]
pub struct UnknownModel {
    /// What was asked for.
    pub given: String,
    /// The model that is probably meant; `None` if nothing is near.
    pub near: Option<ModelId>,
    /// Why no model fits, where the server is known.
    pub why: Option<String>,
    /// A sentence about that one, or the list of names.
    pub suggestion: String,
}

impl UnknownModel {
    /// An error for a server that has a model neither of its own nor near.
    pub(super) fn refused(given: &str, why: &str) -> Self {
        UnknownModel {
            given: given.trim().to_owned(),
            near: None,
            why: Some(why.to_owned()),
            suggestion: format!("the models are {}", names()),
        }
    }

    /// An error for a name that may be misspelt.
    pub(super) fn like(given: &str, lowered: &str) -> Self {
        // The letters of a version tell nothing of which was meant.
        let is_version = lowered.starts_with(|first: char| first.is_ascii_digit());
        let close = ModelId::ALL
            .iter()
            .filter(|_| !is_version)
            .map(|model| (strsim::damerau_levenshtein(lowered, model.name()), model.name(), *model))
            .filter(|(distance, _, _)| *distance <= 3)
            .min_by_key(|(distance, name, _)| (*distance, *name));
        let suggestion = match close {
            Some((_, name, _)) => format!("did you mean {name}?"),
            None if is_version => {
                format!("no model stands for that version; the models are {}", names())
            }
            None => format!("the models are {}", names()),
        };
        UnknownModel { given: given.trim().to_owned(), near: close.map(|(_, _, model)| model), why: None, suggestion }
    }
}

fn names() -> String {
    let names: Vec<_> = ModelId::ALL.iter().map(|model| model.name()).collect();
    names.join(", ")
}
