//! Where the figures of best points are written: beside their marks, off the lines and off each other.

use crate::dashboard::canvas::{Align, Canvas, Ink, Lettering, Rect};
use crate::dashboard::fonts::{Weight, width};
use crate::dashboard::theme::{PAPER, SMALL, TEXT, WIDTH};
use plotters::prelude::DrawingBackend;

/// Half the width of a mark, px.
const MARK: f64 = 9.5;
/// From the base line up to the top of the figures and down to the bottom of the text's ground, px.
const LETTERS: (f64, f64) = (11.5, 2.5);
/// Between the base lines of texts that stand in a column, px.
const LINE: f64 = 15.0;
/// Marks nearer to each other than this have their texts in a column, px.
const NEAR: (f64, f64) = (20.0, 26.0);
/// From a mark to a text beside it, px.
const BESIDE: f64 = 14.0;
/// Places of a text around its mark, the preferred first: which end stands how far right of it, base line how far below.
const PLACES: [(Align, f64, f64); 8] = [
    (Align::Start, BESIDE, -9.0),
    (Align::Middle, 0.0, -15.0),
    (Align::End, -BESIDE, -9.0),
    (Align::Start, BESIDE, 19.0),
    (Align::End, -BESIDE, 19.0),
    (Align::Middle, 0.0, 25.0),
    (Align::Start, BESIDE, 4.5),
    (Align::End, -BESIDE, 4.5),
];

/// The figure of a best point.
#[derive(Debug, Clone)]
pub(super) struct Note {
    /// Where its mark is.
    pub(super) at: (f64, f64),
    pub(super) text: String,
    pub(super) ink: Ink,
}

/// A text at its place: which end stands where, its base line, and what it covers.
#[derive(Debug, Clone, Copy)]
struct Placed {
    align: Align,
    at: (f64, f64),
    covered: Rect,
}

/// Writes all `notes` of a panel whose lines are `lines`. Marks over each other with the same figure share one.
pub(super) fn draw_notes<B: DrawingBackend>(
    canvas: &mut Canvas<'_, B>,
    notes: &[Note],
    lines: &[Vec<(f64, f64)>],
    plot: Rect,
) {
    let notes = shared(notes);
    let mut taken: Vec<Rect> = notes.iter().map(mark).collect();
    for near in notes.chunk_by(are_near) {
        let cost =
            |texts: &Vec<Placed>| texts.iter().map(|text| cost(text.covered, &taken, lines, plot)).sum::<usize>();
        let Some(texts) = choices(near, plot).into_iter().min_by_key(cost) else { continue };
        for (note, text) in near.iter().zip(&texts) {
            canvas.rectangle(text.covered, PAPER.alpha(0.8));
            canvas.text(&note.text, text.at, Lettering::bold(SMALL, note.ink).align(text.align));
        }
        taken.extend(texts.iter().map(|text| text.covered));
    }
}

fn are_near(a: &Note, b: &Note) -> bool {
    (a.at.0 - b.at.0).abs() < NEAR.0 && (a.at.1 - b.at.1).abs() < NEAR.1
}

/// How the texts of marks that are near each other may stand, the preferred way first.
fn choices(near: &[Note], plot: Rect) -> Vec<Vec<Placed>> {
    if let [alone] = near {
        let place = |&(align, right, below)| placed(alone, align, right, alone.at.1 + below);
        return PLACES.iter().map(|at| vec![place(at)]).collect();
    }
    let baselines = spread(near, plot);
    let column = |(align, right)| near.iter().zip(&baselines).map(|(note, y)| placed(note, align, right, *y)).collect();
    [(Align::Start, BESIDE), (Align::End, -BESIDE)].map(column).into()
}

/// Base lines of texts beside their marks, a line apart at least and in the order of the marks.
fn spread(near: &[Note], plot: Rect) -> Vec<f64> {
    let wanted: Vec<f64> = near.iter().map(|note| note.at.1 + 4.5).collect();
    let mut baselines = wanted.clone();
    for i in 1..baselines.len() {
        baselines[i] = baselines[i].max(baselines[i - 1] + LINE);
    }
    let pushed = baselines.iter().zip(&wanted).map(|(is, wanted)| is - wanted).sum::<f64>() / wanted.len() as f64;
    let lowest = baselines.last().copied().unwrap_or_default() - pushed;
    let up = pushed + (lowest + LETTERS.1 - plot.bottom).max(0.0);
    baselines.into_iter().map(|y| y - up).collect()
}

fn placed(note: &Note, align: Align, right: f64, baseline: f64) -> Placed {
    let wide = width(&note.text, SMALL, Weight::Bold);
    let x = note.at.0 + right;
    let left = match align {
        Align::Start => x,
        Align::Middle => x - wide / 2.0,
        Align::End => x - wide,
    };
    let covered = Rect::new(left - 2.0, baseline - LETTERS.0, left + wide + 2.0, baseline + LETTERS.1);
    Placed { align, at: (x, baseline), covered }
}

/// How bad it is to write there: outside of the panel, over another text or a mark, over lines.
fn cost(covered: Rect, taken: &[Rect], lines: &[Vec<(f64, f64)>], plot: Rect) -> usize {
    let outside = covered.left < plot.left || covered.right > WIDTH - 4.0 || covered.bottom > plot.bottom;
    let over = taken.iter().filter(|other| overlap(covered, **other)).count();
    let crossed = lines.iter().flat_map(|line| line.windows(2)).filter(|s| crosses(covered, s[0], s[1])).count();
    1000 * usize::from(outside) + 100 * over + 10 * crossed
}

/// The notes from left to right and from top to bottom, without those whose mark lies over another one with the same
/// text; that is then in nobody's colour.
fn shared(notes: &[Note]) -> Vec<Note> {
    let mut kept: Vec<Note> = Vec::new();
    for note in notes {
        match kept.iter_mut().find(|other| other.text == note.text && overlap(mark(other), mark(note))) {
            Some(other) => other.ink = TEXT,
            None => kept.push(note.clone()),
        }
    }
    kept.sort_by(|a, b| a.at.0.total_cmp(&b.at.0).then(a.at.1.total_cmp(&b.at.1)));
    kept
}

fn mark(note: &Note) -> Rect {
    let (x, y) = note.at;
    Rect::new(x - MARK, y - MARK, x + MARK, y + MARK)
}

fn overlap(a: Rect, b: Rect) -> bool {
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

/// Whether the line from `from` to `to` passes through a rectangle: the part of it within the rectangle's columns lies
/// neither all above nor all below.
fn crosses(r: Rect, from: (f64, f64), to: (f64, f64)) -> bool {
    let (left, right) = (from.0.max(r.left), to.0.min(r.right));
    if left > right || to.0 <= from.0 {
        return false;
    }
    let y = |x: f64| from.1 + (x - from.0) / (to.0 - from.0) * (to.1 - from.1);
    let (a, b) = (y(left), y(right));
    a.min(b) < r.bottom && a.max(b) > r.top
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::theme::{BLUE, GREEN};

    fn note(x: f64, y: f64, text: &str, ink: Ink) -> Note {
        Note { at: (x, y), text: text.to_owned(), ink }
    }

    #[test]
    fn a_line_crosses_what_it_passes_through() {
        let r = Rect::new(10.0, 10.0, 20.0, 20.0);
        assert!(crosses(r, (0.0, 15.0), (30.0, 15.0)) && crosses(r, (0.0, 0.0), (30.0, 30.0)));
        assert!(!crosses(r, (0.0, 5.0), (30.0, 5.0)) && !crosses(r, (0.0, 0.0), (9.0, 30.0)));
    }

    #[test]
    fn marks_over_each_other_share_a_figure() {
        let notes = [note(0.0, 0.0, "0", BLUE), note(2.0, 0.0, "0", GREEN), note(90.0, 0.0, "0", GREEN)];
        let kept = shared(&notes);
        assert_eq!((kept.len(), kept[0].ink, kept[1].ink), (2, TEXT, GREEN));
        assert_eq!(shared(&[note(0.0, 0.0, "1", BLUE), note(2.0, 0.0, "2", GREEN)]).len(), 2);
    }

    #[test]
    fn texts_of_near_marks_stand_in_their_order() {
        let plot = Rect::new(0.0, 0.0, 400.0, 100.0);
        let near = [note(50.0, 40.0, "3", BLUE), note(50.0, 43.0, "2", GREEN), note(50.0, 50.0, "1", BLUE)];
        let baselines = spread(&near, plot);
        assert!(baselines.windows(2).all(|pair| pair[1] - pair[0] >= LINE), "{baselines:?}");
        let low = [note(50.0, 99.0, "3", BLUE), note(50.0, 100.0, "2", GREEN)];
        assert!(spread(&low, plot).iter().all(|y| y + LETTERS.1 <= plot.bottom));
    }

    #[test]
    fn a_text_stands_off_lines_and_inside_the_panel() {
        let plot = Rect::new(0.0, 0.0, 400.0, 100.0);
        let rising = [vec![(150.0, 50.0), (250.0, 20.0)]];
        let alone = [note(150.0, 50.0, "25,916", BLUE)];
        let free = |texts: &Vec<Placed>| cost(texts[0].covered, &[mark(&alone[0])], &rising, plot) == 0;
        let first = choices(&alone, plot).into_iter().position(|texts| free(&texts));
        assert_eq!(first, Some(1), "above and to the right is the line");
    }
}
