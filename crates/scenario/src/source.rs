//! The texts that a scenario is made of, and places in them.
//!
//! A scenario can come from several texts: the file, the files it extends, the device profile that it names, arguments
//! of the command line. All live in one [`SourceMap`]; a [`Span`] names a text and a range of its bytes, so that every
//! value knows for its whole life where it was written.

/// Longest piece of a source line that is shown, in characters.
const SHOWN_CHARS: usize = 160;

/// A range of bytes in one text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    /// Index of the text in the [`SourceMap`].
    pub(crate) source: usize,
    /// First byte.
    pub(crate) start: usize,
    /// Byte after the last.
    pub(crate) end: usize,
}

impl Span {
    /// The whole of a text of `len` bytes.
    pub(crate) fn whole(source: usize, len: usize) -> Span {
        Span { source, start: 0, end: len }
    }
}

/// A place in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// File, shipped scenario or profile; on the command line the option (`--set`).
    pub file: String,
    /// Whether the text is an argument of the command line.
    pub on_command_line: bool,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Length in characters, at least 1.
    pub width: usize,
    /// The line itself, tabs as single blanks.
    pub source_line: String,
}

impl Place {
    /// The same place where the line is a part of `argument`, which followed `option`.
    pub fn within(self, option: &str, argument: &str) -> Place {
        let before = argument.find(&self.source_line).map(|start| argument[..start].chars().count());
        let (source_line, before) = match before {
            Some(before) => (argument.replace('\t', " "), before),
            None => (self.source_line, 0),
        };
        Place { file: option.to_owned(), source_line, column: self.column + before, ..self }
    }
}

/// One text.
#[derive(Debug, Clone)]
struct Text {
    name: String,
    text: String,
    on_command_line: bool,
}

/// All texts of a scenario.
#[derive(Debug, Clone, Default)]
pub(crate) struct SourceMap {
    texts: Vec<Text>,
}

impl SourceMap {
    /// Adds the text of a file (or of a shipped scenario, or of a profile) and returns its index.
    pub(crate) fn add_file(&mut self, name: &str, text: &str) -> usize {
        self.add(name, text, false)
    }

    /// Adds an argument of the command line, `option` being the option that it follows.
    pub(crate) fn add_argument(&mut self, option: &str, text: &str) -> usize {
        self.add(option, text, true)
    }

    fn add(&mut self, name: &str, text: &str, on_command_line: bool) -> usize {
        self.texts.push(Text { name: name.to_owned(), text: text.to_owned(), on_command_line });
        self.texts.len() - 1
    }

    /// Whether a value was given on the command line.
    pub(crate) fn on_command_line(&self, at: Span) -> bool {
        self.texts.get(at.source).is_some_and(|text| text.on_command_line)
    }

    /// The rest of a line from a column (both from 1; column 0: the whole line) of a text; `None` for line 0.
    pub(crate) fn at_line(&self, source: usize, line: usize, column: usize) -> Option<Span> {
        let text = self.texts.get(source)?.text.as_str();
        let before: usize = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
        let whole = text[before..].lines().next().unwrap_or_default();
        let indent = whole.len() - whole.trim_start().len();
        let into = match column.checked_sub(1) {
            None => indent,
            Some(characters) => whole.char_indices().nth(characters).map_or(whole.len(), |(at, _)| at),
        };
        let rest = whole[into..].trim_end().len();
        // A word is enough where the place in the line is known.
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let length = if column == 0 { rest } else { whole[into..].find(|c| !word(c)).unwrap_or(rest).max(1).min(rest) };
        Some(Span { source, start: before + into, end: before + into + length })
    }

    /// Line, column and source line of a span, for people. A span of several lines is cut at the end of its first.
    pub(crate) fn place(&self, at: Span) -> Option<Place> {
        let source = self.texts.get(at.source)?;
        let text = source.text.as_str();
        let start = floor_boundary(text, at.start);
        let end = floor_boundary(text, at.end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        let line: String = text[line_start..line_end].trim_end_matches('\r').replace('\t', " ");
        let shown = line.chars().count().min(SHOWN_CHARS);
        let column = text[line_start..start].chars().count();
        let width = text[start..end.min(line_end).max(start)].chars().count();
        Some(Place {
            file: source.name.clone(),
            on_command_line: source.on_command_line,
            line: text[..start].matches('\n').count() + 1,
            column: column + 1,
            width: width.min(shown.saturating_sub(column)).max(1),
            source_line: line.chars().take(shown).collect(),
        })
    }
}

/// The nearest character boundary at or before `index`.
fn floor_boundary(text: &str, index: usize) -> usize {
    let mut index = index.min(text.len());
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_line_column_and_the_source_line() {
        let mut map = SourceMap::default();
        let source = map.add_file("x.toml", "a = 1\r\nbé = 22\nc = 3\n");
        let place = map.place(Span { source, start: 13, end: 15 }).unwrap();
        assert_eq!((place.line, place.column, place.width), (2, 6, 2));
        assert_eq!(place.source_line, "bé = 22");
    }

    #[test]
    fn spans_out_of_range_or_inside_a_character_do_not_panic() {
        let mut map = SourceMap::default();
        let source = map.add_file("x.toml", "é");
        for (start, end) in [(0, 1), (1, 1), (1, 9), (7, 9), (2, 0)] {
            assert!(map.place(Span { source, start, end }).is_some());
        }
        assert_eq!(map.place(Span::whole(4, 0)), None);
    }
}
