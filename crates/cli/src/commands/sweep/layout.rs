//! What runs along a curve: the setting with the most values that are numbers. Every combination of the others is a curve.

use innosim_experiments::sweep::{Dimension, Plan};

/// Points as lines along a dimension.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// The dimension.
    pub(super) along: usize,
    /// Lines, in the order of the plan.
    pub(super) lines: Vec<Line>,
}

/// Points that differ in the dimension alone.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Values of the other dimensions; empty if there are none.
    pub(super) label: String,
    /// Points, in the order of the dimension.
    pub(super) points: Vec<usize>,
}

impl Layout {
    /// Of all points of `plan`.
    pub(super) fn of(plan: &Plan) -> Layout {
        let merit = |d: &Dimension| (d.numbers().is_some(), d.values.len());
        let dimensions = || plan.dimensions.iter().enumerate();
        let along = dimensions().max_by_key(|(i, d)| (merit(d), usize::MAX - i)).map_or(0, |(i, _)| i);
        let mut lines: Vec<Line> = Vec::new();
        for (number, point) in plan.points.iter().enumerate() {
            let others = dimensions().filter(|(i, _)| *i != along);
            let label = others.map(|(i, d)| d.values[point.at[i]].as_str()).collect::<Vec<&str>>().join(" \u{b7} ");
            match lines.iter_mut().find(|line| line.label == label) {
                Some(line) => line.points.push(number),
                None => lines.push(Line { label, points: vec![number] }),
            }
        }
        Layout { along, lines }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use innosim_experiments::sweep::Request;

    #[test]
    fn numbers_run_along_and_names_make_curves() {
        let plan = |vary: &[&str]| {
            let vary = vary.iter().map(|text| (*text).to_owned()).collect();
            Request { scenario: "redo-too-small".to_owned(), vary, ..Request::default() }.prepare().unwrap().plan
        };
        let layout = Layout::of(&plan(&["model=8.0.30,8.4,9.7", "innodb_io_capacity_max=4000,8000"]));
        assert_eq!(layout.along, 1);
        let expected = [("8.0.30", [0, 1]), ("8.4", [2, 3]), ("9.7", [4, 5])];
        let lines: Vec<(&str, &[usize])> =
            layout.lines.iter().map(|l| (l.label.as_str(), l.points.as_slice())).collect();
        assert_eq!(lines, expected.each_ref().map(|(label, points)| (*label, points.as_slice())));
        assert_eq!(Layout::of(&plan(&["innodb_io_capacity_max=4000,8000"])).lines[0].label, "");
    }
}
