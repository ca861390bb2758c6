//! A page to explore in a browser: one file that needs no network.
//!
//! `page/` holds its parts: the frame with the recipe (`page.html`), what its look has besides the look of all pages
//! (`report.css`), two charts over seconds (`courses.js`), and for each kind of page its middle and its script. Tables and the
//! recipe are plain HTML; the charts are drawn from data in the page. Look and charts are those of
//! [`innosim_html_assets`], as in the page that teaches.

use crate::files::ReportError;
use crate::numbers::json_number;
use innosim_html_assets::{POLICY, SCRIPT, STYLE, UPLOT_LICENSE, escaped, filled, in_a_script};
use serde_json::Value;

const FRAME: &str = include_str!("page/page.html");
/// What the look of reports has besides the look of all pages.
pub(crate) const OWN_STYLE: &str = include_str!("page/report.css");
const COURSES: &str = include_str!("page/courses.js");

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
        let data = in_a_script(&serde_json::to_string(self.data)?);
        let parts = [
            ("TITLE", escaped(self.title)),
            ("SUBTITLE", escaped(self.subtitle)),
            ("POLICY", POLICY.to_owned()),
            ("UPLOT_LICENSE", UPLOT_LICENSE.to_owned()),
            ("STYLE", format!("{STYLE}\n{OWN_STYLE}")),
            ("BODY", filled(self.body, self.parts)),
            ("VERSION", escaped(&self.recipe.version)),
            ("SEED", self.recipe.seed.to_string()),
            ("COMMAND", escaped(&self.recipe.command)),
            ("SCENARIOS", self.recipe.scenarios.iter().map(details).collect()),
            ("DATA", data),
            ("SHARED", SCRIPT.to_owned()),
            ("SCRIPT", format!("{COURSES}\n{}", self.script)),
        ];
        Ok(filled(FRAME, &parts))
    }
}

/// A number with six digits, without a point where it has none.
pub(crate) fn short(value: f64) -> Value {
    json_number(format!("{value:.5e}").parse().unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
        let own = html.replace(SCRIPT, "");
        assert_eq!(own.matches("{{").count(), 3, "twice the title's, and the scenario's");
        assert!(html.contains("<h1>A &amp; &lt;b&gt; {{DATA}}</h1>") && html.contains("--variant &quot;a:&quot;"));
        assert!(
            html.contains("<p>there</p>") && html.contains("go();") && html.contains("Resolved scenario: &lt;a&gt;")
        );
        assert!(html.contains(r#"{"text":"\u003c/script>"}"#));
        assert_eq!(own.replace("http-equiv", "").matches("http").count(), 0, "no address");
    }
}
