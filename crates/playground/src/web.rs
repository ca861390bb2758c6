//! What a browser calls. Texts are JSON, rows are numbers; an error is a message for people.

// The macro's own code; ours has none.
#![allow(missing_debug_implementations)]

use crate::{Run, Wish, catalogue};
use wasm_bindgen::prelude::*;

/// What there is to choose from, JSON.
#[wasm_bindgen(js_name = catalogue)]
pub fn catalogue_json() -> String {
    catalogue().to_string()
}

/// A run.
#[wasm_bindgen]
pub struct WebRun(Run);

#[wasm_bindgen]
impl WebRun {
    /// Begins the run of a wish, JSON.
    ///
    /// # Errors
    /// A message for people.
    #[wasm_bindgen(constructor)]
    pub fn new(wish: &str) -> Result<WebRun, String> {
        let wish: Wish = serde_json::from_str(wish).map_err(|error| format!("this link is damaged: {error}"))?;
        Run::new(&wish).map(WebRun).map_err(|errors| errors.to_string())
    }

    /// What is known before it runs, JSON.
    pub fn head(&self) -> String {
        self.0.head().to_string()
    }

    /// Rows of so many seconds more.
    pub fn advance(&mut self, seconds: u32) -> Vec<f64> {
        self.0.advance(seconds)
    }

    /// Hash and figures of the whole run, JSON; `null` the second time.
    pub fn finish(&mut self) -> String {
        self.0.finish().map_or_else(|| "null".to_owned(), |finished| finished.json().to_string())
    }
}
