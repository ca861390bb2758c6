//! What the page that teaches and the reports share: one look, one way of drawing charts, one way of laying parts into a
//! file that stands alone.
//!
//! `assets/` holds the parts: the look (`look.css`), small helpers (`basics.js`), charts with a legend that tells values
//! (`charts.js`), and the library that draws them, uPlot (MIT, with its licence). A page that takes them carries
//! [`UPLOT_LICENSE`] in a comment, [`STYLE`] in its style and [`SCRIPT`] before its own script.

/// Licence of uPlot, for a comment of the page.
pub const UPLOT_LICENSE: &str = include_str!("../assets/uplot/LICENSE");

/// The look: colours in light and dark, text, tables, controls, charts, and how all of them print.
pub const STYLE: &str =
    concat!(include_str!("../assets/uplot/uPlot.min.css"), "\n", include_str!("../assets/look.css"));

/// The look alone, for a page without charts.
pub const LOOK: &str = include_str!("../assets/look.css");

/// Scripts: uPlot, helpers, charts. They declare `uPlot`, `$`, `node`, `ink` and others, and `charts`.
pub const SCRIPT: &str = concat!(
    include_str!("../assets/uplot/uPlot.iife.min.js"),
    "\n",
    include_str!("../assets/basics.js"),
    "\n",
    include_str!("../assets/charts.js")
);

/// What a page that stands alone lets a browser do: run and style what is inside it, and ask nobody for anything.
pub const POLICY: &str =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:";

/// Kinds of line, told apart by colour and dash: those of the style sheet.
const COLORS: usize = 10;
const DASHES: usize = 3;

/// A piece of the line with this number, for tables and legends, HTML; `charts.swatch` makes the same.
pub fn swatch(line: usize) -> String {
    format!("<span class=\"swatch line-{} dash-{}\"></span>", line % COLORS + 1, line % DASHES)
}

/// Text as HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// JSON as a script of data: only `<` could end it early.
pub fn in_a_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// The template with its places, `{{NAME}}`, filled in one pass, so that nothing that is filled in can be taken for a place.
/// A place without a part stays empty.
pub fn filled(template: &str, parts: &[(&str, String)]) -> String {
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
    fn places_are_filled_once() {
        let parts = [("A", "{{B}}".to_owned()), ("B", "b".to_owned())];
        assert_eq!(filled("<{{A}}, {{B}}, {{C}}>", &parts), "<{{B}}, b, >");
    }

    #[test]
    fn text_and_data_stay_what_they_are() {
        assert_eq!(escaped("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
        assert_eq!(in_a_script(r#"["</script>"]"#), r#"["\u003c/script>"]"#);
    }

    #[test]
    fn nothing_in_the_parts_ends_a_script_or_asks_elsewhere() {
        assert!(!SCRIPT.contains("</script") && !STYLE.contains("</style") && !UPLOT_LICENSE.contains("--"));
        assert!(!SCRIPT.contains("fetch(") && !STYLE.contains("url("));
        // The library names its home, in its first line.
        assert_eq!(SCRIPT.matches("https://").count(), 1);
    }

    #[test]
    fn every_kind_of_line_has_a_style() {
        for line in 0..COLORS {
            assert!(LOOK.contains(&format!("--line-{}:", line + 1)) && LOOK.contains(&format!(".line-{} ", line + 1)));
        }
        for dash in 0..DASHES {
            assert!(LOOK.contains(&format!(".dash-{dash} ")));
        }
        assert_eq!(swatch(11), "<span class=\"swatch line-2 dash-2\"></span>");
    }
}
