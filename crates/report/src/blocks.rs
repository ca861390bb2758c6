//! Text and tables that stand before the charts of a page: what an answer says and what it stands on.

use innosim_html_assets::escaped;

/// A part of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// A heading.
    Heading(String),
    /// A paragraph.
    Text(String),
    /// Lines to be copied.
    Code(String),
    /// A table; heads of columns with numbers begin with `>`.
    Table {
        /// Heads.
        heads: Vec<String>,
        /// Fields, row by row.
        rows: Vec<Vec<String>>,
    },
    /// A picture as SVG, by [`crate::Overlay::draw_svg`] or another of this crate.
    Picture {
        /// The picture.
        svg: String,
        /// What it shows, for those who can't see it.
        about: String,
    },
}

/// The parts as HTML.
pub(crate) fn html(blocks: &[Block]) -> String {
    blocks.iter().map(one).collect()
}

fn one(block: &Block) -> String {
    match block {
        Block::Heading(text) => format!("<h2>{}</h2>\n", escaped(text)),
        Block::Text(text) => format!("<p>{}</p>\n", escaped(text)),
        Block::Code(text) => format!("<pre>{}</pre>\n", escaped(text)),
        Block::Table { heads, rows } => table(heads, rows),
        // As an image of its own, so that the page's style does not reach into it.
        Block::Picture { svg, about } => {
            format!(
                "<p><img class=\"picture\" alt=\"{}\" src=\"data:image/svg+xml,{}\"></p>\n",
                escaped(about),
                encoded(svg)
            )
        }
    }
}

/// A text as part of an address.
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len() + text.len() / 2);
    for byte in text.bytes() {
        match byte {
            b'"' | b'#' | b'%' | b'<' | b'>' | b'&' | 0..=31 | 127.. => encoded.push_str(&format!("%{byte:02X}")),
            _ => encoded.push(char::from(byte)),
        }
    }
    encoded
}

fn table(heads: &[String], rows: &[Vec<String>]) -> String {
    // Columns of words wrap and begin at the left; the style's are for numbers.
    let class = |head: &String| if head.starts_with('>') { "" } else { " class=\"words\"" };
    let head = |head: &String| format!("<th{}>{}</th>", class(head), escaped(head.trim_start_matches('>')));
    let row = |fields: &Vec<String>| {
        let cell = |(field, head): (&String, &String)| format!("<td{}>{}</td>", class(head), escaped(field));
        format!("<tr>{}</tr>\n", fields.iter().zip(heads).map(cell).collect::<String>())
    };
    format!(
        "<div class=\"wide\"><table>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody>\n</table></div>\n",
        heads.iter().map(head).collect::<String>(),
        rows.iter().map(row).collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        let blocks = [
            Block::Heading("a <b>".to_owned()),
            Block::Code("x = 1 & 2;".to_owned()),
            Block::Picture { svg: "<svg a=\"50%\"/>".to_owned(), about: "it".to_owned() },
            Block::Table {
                heads: vec!["file".to_owned(), ">pages".to_owned()],
                rows: vec![vec!["<i>".to_owned(), "7".to_owned()]],
            },
        ];
        let html = html(&blocks);
        assert!(html.contains("<h2>a &lt;b&gt;</h2>") && html.contains("<pre>x = 1 &amp; 2;</pre>"), "{html}");
        assert!(
            html.contains("<td class=\"words\">&lt;i&gt;</td><td>7</td>") && html.contains("<th>pages</th>"),
            "{html}"
        );
    }
}
