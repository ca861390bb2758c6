//! Sentences in lines.

/// The words of `text` after `lead`, in lines of at most `width` columns, of which the others begin with `hang` blanks.
pub fn flowing(text: &str, lead: &str, hang: usize, width: usize) -> String {
    let mut lines = vec![lead.to_owned()];
    let mut column = lead.chars().count();
    let mut is_first = true;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if !is_first && column + 1 + length > width {
            lines.push(" ".repeat(hang));
            (column, is_first) = (hang, true);
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(if is_first { "" } else { " " });
            line.push_str(word);
        }
        column += length + usize::from(!is_first);
        is_first = false;
    }
    lines.join("\n")
}
