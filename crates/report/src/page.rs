//! A page to explore in a browser: one file that needs no network.
//!
//! `page/` holds its parts: the frame with the recipe (`page.html`), how it looks on a screen, a phone and paper
//! (`page.css`), charts with hover and zoom (`charts.js`), and for each kind of page its middle and its script. Tables
//! and the recipe are plain HTML; the charts are drawn from data in the page.

use crate::files::ReportError;
use crate::numbers::rounded;
use serde_json::{Value, json};

const FRAME: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const CHARTS: &str = include_str!("page/charts.js");

/// Colours of lines, those of the pictures.
pub(crate) const COLORS: [&str; 10] =
    ["#0072b2", "#d55e00", "#008a65", "#a34882", "#d68e00", "#56b4e9", "#17202a", "#7a7a00", "#4a3aaa", "#546375"];

/// What it takes to get the same results again.
#[derive(Debug, Clone)]
pub struct Recipe {
    /// The command.
    pub command: String,
    /// Version of the program.
    pub version: String,
    /// Seed.
    pub seed: u64,
    /// Resolved scenarios, TOML, each with its name.
    pub scenarios: Vec<(String, String)>,
}

/// A kind of page with all that goes into it.
pub(crate) struct Page<'a> {
    pub(crate) title: &'a str,
    pub(crate) subtitle: &'a str,
    /// The middle, HTML with places.
    pub(crate) body: &'static str,
    /// What is filled into these places, HTML.
    pub(crate) parts: &'a [(&'static str, String)],
    pub(crate) script: &'static str,
    pub(crate) data: &'a Value,
    pub(crate) recipe: &'a Recipe,
}

impl Page<'_> {
    /// The whole file.
    pub(crate) fn html(&self) -> Result<String, ReportError> {
        let details = |(name, toml): &(String, String)| {
            let (name, toml) = (escaped(name), escaped(toml));
            format!("<details><summary>Resolved scenario: {name}</summary><pre>{toml}</pre></details>\n")
        };
        // In a script, only `<` could end the data early.
        let data = serde_json::to_string(self.data)?.replace('<', "\\u003c");
        let parts = [
            ("TITLE", escaped(self.title)),
            ("SUBTITLE", escaped(self.subtitle)),
            ("STYLE", STYLE.to_owned()),
            ("BODY", filled(self.body, self.parts)),
            ("VERSION", escaped(&self.recipe.version)),
            ("SEED", self.recipe.seed.to_string()),
            ("COMMAND", escaped(&self.recipe.command)),
            ("SCENARIOS", self.recipe.scenarios.iter().map(details).collect()),
            ("DATA", data),
            ("CHARTS", CHARTS.to_owned()),
            ("SCRIPT", self.script.to_owned()),
        ];
        Ok(filled(FRAME, &parts))
    }
}

/// The colour of the line with this number.
pub(crate) fn color(line: usize) -> &'static str {
    COLORS[line % COLORS.len()]
}

/// A number with six digits, without a point where it has none.
pub(crate) fn short(value: f64) -> Value {
    let value = rounded(format!("{value:.5e}").parse().unwrap_or(value));
    if value.fract() == 0.0 && value.abs() < 9e15 { json!(value as i64) } else { json!(value) }
}

/// Text as HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The template with its places filled in one pass, so that nothing that is filled in can be taken for a place.
fn filled(template: &str, parts: &[(&str, String)]) -> String {
    let mut pieces = template.split("{{");
    let mut page = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once("}}").unwrap_or((piece, ""));
        if let Some((_, text)) = parts.iter().find(|(known, _)| *known == name) {
            page.push_str(text);
        }
        page.push_str(rest);
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_and_text_stays_text() {
        let recipe = Recipe {
            command: "innosim compare x --variant \"a:\"".to_owned(),
            version: "0.1.0".to_owned(),
            seed: 7,
            scenarios: vec![("<a>".to_owned(), "x = 1 # {{SEED}}".to_owned())],
        };
        let page = Page {
            title: "A & <b> {{DATA}}",
            subtitle: "sub",
            body: "<p>{{HERE}}</p>",
            parts: &[("HERE", "there".to_owned())],
            script: "go();",
            data: &json!({ "text": "</script>" }),
            recipe: &recipe,
        };
        let html = page.html().unwrap();
        assert_eq!(html.matches("{{").count(), 3, "twice the title's, and the scenario's");
        assert!(html.contains("<h1>A &amp; &lt;b&gt; {{DATA}}</h1>") && html.contains("--variant &quot;a:&quot;"));
        assert!(
            html.contains("<p>there</p>") && html.contains("go();") && html.contains("Resolved scenario: &lt;a&gt;")
        );
        assert!(html.contains(r#"{"text":"\u003c/script>"}"#));
        assert_eq!(html.matches("http").count(), 1, "the name space of SVG, and no address");
    }
}
