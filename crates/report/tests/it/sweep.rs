//! Pictures and page of made-up sweeps: well-formed, whole, the same bytes each time, and safe with odd values.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use innosim_core::metrics::{Regime, Summary};
use innosim_report::dashboard::sweep::{
    Band, Course, SweepAxis, SweepCurve, SweepFigures, SweepPoint, SweepView, write_sweep_pictures,
};
use innosim_report::sweep::{PointRows, RunRow, SweepTable};
use innosim_report::{Recipe, SweepPage};
use std::collections::BTreeMap;

fn axis(name: &str, values: &[f64]) -> SweepAxis {
    let labels = values.iter().map(ToString::to_string).collect();
    SweepAxis { name: name.to_owned(), labels, numbers: Some(values.to_vec()) }
}

fn figures(a: f64, b: f64) -> SweepFigures {
    let band = |mean: f64| Band { mean, half_width: Some(mean * 0.01) };
    let tps = 8000.0 + 500.0 * b - 40.0 * (a - 6.0 + b) * (a - 6.0 + b);
    let wave = |i: usize| tps * (1.0 + 0.1 * ((i % 20) as f64 / 10.0 - 1.0));
    SweepFigures {
        tps: band(tps),
        stall_seconds: band((4.0 - a).max(0.0) * 30.0),
        age_mean: band(0.9 - a * 0.03),
        age_max: band(1.05 - a * 0.04),
        writes: band(0.6 + a * 0.03 - b * 0.1),
        regime: if a < 4.0 { Regime::Waves } else { Regime::Steady },
        course: Course {
            step_s: 10.0,
            seconds: 2000.0,
            warmup_s: 400.0,
            tps: (0..200).map(wave).collect(),
            age: (0..200).map(|i| (f64::from(i) / 60.0).min(0.9)).collect(),
            flushed: vec![5000.0; 200],
        },
    }
}

fn view(rows: &[f64], columns: &[f64]) -> SweepView {
    let mut points = Vec::new();
    for (i, a) in rows.iter().enumerate() {
        for (j, b) in columns.iter().enumerate() {
            points.push(SweepPoint { at: vec![i, j], figures: Some(figures(*a, *b)) });
        }
    }
    let line = |j: usize| SweepCurve {
        label: format!("{}G", columns[j]),
        points: (0..rows.len()).map(|i| i * columns.len() + j).collect(),
        best: Some(rows.len() / 2 * columns.len() + j),
        plateau: vec![rows.len() / 2 * columns.len() + j],
    };
    SweepView {
        title: "io_capacity_max & redo <made up>".to_owned(),
        subtitle: "a made-up sweep".to_owned(),
        origin: "seed 1 \u{b7} innosim 0".to_owned(),
        axes: vec![axis("innodb_io_capacity_max", rows), axis("innodb_log_file_size", columns)],
        points,
        along: 0,
        curves: (0..columns.len()).map(line).collect(),
        best: Some(0),
        plateau: vec![0, 1],
    }
}

fn files(view: &SweepView) -> BTreeMap<String, Vec<u8>> {
    let dir = tempfile::tempdir().unwrap();
    write_sweep_pictures(dir.path(), view).unwrap();
    let entries = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|p| (p.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(p).unwrap())).collect()
}

#[test]
fn pictures_are_well_formed_and_repeat() {
    let rows: Vec<f64> = (1..=12).map(f64::from).collect();
    let view = view(&rows, &[0.0, 1.0]);
    let drawn = files(&view);
    assert_eq!(
        drawn.keys().collect::<Vec<_>>(),
        ["curves.png", "curves.svg", "heatmap.png", "heatmap.svg", "series.png", "series.svg"]
    );
    for (name, bytes) in &drawn {
        if name.ends_with(".svg") {
            let text = std::str::from_utf8(bytes).unwrap();
            let svg = roxmltree::Document::parse(text).unwrap();
            assert!(svg.descendants().any(|n| n.tag_name().name() == "title"));
            assert!(text.contains("innodb_io_capacity_max") && !text.contains("NaN"), "{name}");
        } else {
            assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 10_000, "{name}");
        }
    }
    assert!(drawn == files(&view));
}

#[test]
fn missing_points_single_values_and_many_curves_are_drawn() {
    let mut one = view(&[5.0], &[0.0]);
    assert_eq!(files(&one).len(), 6);
    one.points[0].figures = None;
    assert_eq!(files(&one).len(), 6);
    let columns: Vec<f64> = (0..8).map(f64::from).collect();
    let many = view(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], &columns);
    assert_eq!(files(&many).len(), 4, "no curves of eight lines");
}

/// More points than there is room for are not left out in silence.
#[test]
fn panels_of_some_points_say_of_how_many() {
    let series = |rows: u32| {
        let rows: Vec<f64> = (1..=rows).map(f64::from).collect();
        String::from_utf8(files(&view(&rows, &[0.0, 1.0]))["series.svg"].clone()).unwrap()
    };
    assert!(series(25).contains("48 of 50 points. Each panel"));
    assert!(series(24).contains("Each panel") && !series(24).contains(" points. Each"));
}

#[test]
fn the_page_holds_all_that_it_needs() {
    let mut view = view(&[1.0, 2.0, 3.0, 4.0, 5.0], &[0.0, 1.0]);
    view.points[9].figures = None;
    let summary = |point: usize| Summary { tps_mean: 100.0 + point as f64, ..Summary::default() };
    let summaries: Vec<Summary> = (0..10).map(summary).collect();
    let run = |summary| RunRow {
        replication: 0,
        simulated_s: 2000.0,
        ended: "planned",
        warmup_s: 400,
        warmup_converged: true,
        warm_s: 0,
        same_as: None,
        summary,
        batches: None,
        own_windows: None,
        why_exact: None,
    };
    let values = ["1".to_owned(), "2".to_owned()];
    let rows = |point: usize| PointRows {
        values: &values,
        model: "mysql-8.4",
        seed: 1,
        simulated_s: 2000.0,
        off_by: None,
        runs: if point == 9 { Vec::new() } else { vec![run(&summaries[point])] },
    };
    let columns = ["a".to_owned(), "b".to_owned()];
    let table = SweepTable {
        innosim_version: "0",
        scenario: "s",
        columns: &columns,
        coarse: false,
        points: (0..10).map(rows).collect(),
    };
    let page = SweepPage {
        view: &view,
        table: &table,
        recipe: Recipe {
            command: "innosim sweep s --out DIR".to_owned(),
            version: "0".to_owned(),
            seed: 1,
            scenarios: vec![("s".to_owned(), "x = 1".to_owned())],
        },
        verdict: "best".to_owned(),
        heads: vec!["tps".to_owned()],
        rows: (0..10).map(|point| (point < 9).then(|| vec![format!("tps{point}")])).collect(),
        warnings: vec!["one <warning>".to_owned(), "two".to_owned()],
    };
    let html = page.html().unwrap();
    assert_eq!(html, page.html().unwrap());
    assert!(
        html.contains("<h1>io_capacity_max &amp; redo &lt;made up&gt;</h1>") && html.contains("one &lt;warning&gt;")
    );
    assert_eq!(html.matches("type=\"checkbox\" data-point=").count(), 9, "the point without a run has no row");
    assert_eq!(html.matches(" checked> ").count(), 4, "the best of both curves, and the first one's ends");
    let start = html.find("id=\"data\">").unwrap() + 10;
    let end = start + html[start..].find("</script>").unwrap();
    let data: serde_json::Value = serde_json::from_str(&html[start..end]).unwrap();
    assert_eq!(data["figures"]["tps_mean"][3][0], 103);
    assert!(data["figures"]["tps_mean"][9].is_null() && data["courses"][9].is_null());
    assert_eq!(data["courses"][0]["series"]["flushed"].as_array().unwrap().len(), 200);
    assert_eq!((data["axis"].as_str(), data["at"][3].as_u64()), (Some("innodb_io_capacity_max"), Some(1)));
    assert_eq!(
        html.replace("http-equiv", "").matches("http").count(),
        1,
        "the home of the charting library, in its first line, and no address"
    );
}
