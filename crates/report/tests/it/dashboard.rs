//! The picture: well formed, of the promised size, the same every time, and safe with any series.

use crate::synthetic::{Made, idle, scaled, waves};
use innosim_core::metrics::SecondSample;
use innosim_report::{Dashboard, Overlay, OverlayRun, write_dashboards, write_overlay};

/// Size of a PNG, px.
fn png_size(bytes: &[u8]) -> (u32, u32) {
    let mut reader = png::Decoder::new(bytes).read_info().expect("a PNG header");
    let mut pixels = vec![0; reader.output_buffer_size()];
    let info = reader.next_frame(&mut pixels).expect("a whole picture");
    assert!(pixels.iter().any(|&p| p != 255), "something is drawn");
    (info.width, info.height)
}

#[test]
fn control_characters_leave_svg_well_formed() {
    let made = Made::of("A\u{1}\u{1b}[31m \u{ffff}run", waves(60, 30));
    let svg = Dashboard::draw_svg(&made.report()).unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let title = document.descendants().find(|n| n.has_tag_name("title")).and_then(|n| n.text()).unwrap();
    assert_eq!(title, "A\u{fffd}\u{fffd}[31m \u{fffd}run");
}

#[test]
fn svg_is_well_formed_and_says_what_people_know() {
    let made = Made::of("Waves & <troughs>", waves(1200, 300));
    let svg = Dashboard::draw_svg(&made.report()).unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let (width, height) = Dashboard::size();
    assert_eq!(document.root_element().attribute("width"), Some(width.to_string().as_str()));
    let texts: Vec<String> = document
        .descendants()
        .filter(|n| n.has_tag_name("text"))
        .filter_map(|n| n.text().map(|t| t.trim().to_owned()))
        .collect();
    for expected in [
        "Waves & <troughs>",
        "Transactions per Second",
        "InnoDB Checkpoint Age",
        "InnoDB Flushing by Type",
        "Dirty Pages",
        "Redo Generation Rate",
        "sync flushing ran",
        "async 16.6 GiB",
        "warm-up ends",
        "mysql-8.0.21",
    ] {
        assert!(texts.iter().any(|t| t == expected), "{expected} is missing from {texts:?}");
    }
    assert_eq!(texts.iter().filter(|t| *t == "sync flushing ran").count(), 1);
    for text in document.descendants().filter(|n| n.has_tag_name("text")) {
        let at = |name| text.attribute(name).and_then(|v| v.parse::<f64>().ok()).expect("a number");
        assert!((0.0..=f64::from(width) * 10.0).contains(&at("x")), "{:?}", text.text());
        assert!((0.0..=f64::from(height) * 10.0).contains(&at("y")), "{:?}", text.text());
    }
}

#[test]
fn same_run_same_bytes() {
    let made = Made::of("Twice", waves(900, 200));
    assert_eq!(Dashboard::draw_svg(&made.report()).unwrap(), Dashboard::draw_svg(&made.report()).unwrap());
    assert_eq!(Dashboard::draw_png(&made.report()).unwrap(), Dashboard::draw_png(&made.report()).unwrap());
}

#[test]
fn any_series_gives_a_picture() {
    let one_spike =
        |second| SecondSample { second, latency_ms_p95: if second == 30 { 9e5 } else { 1.0 }, ..Default::default() };
    let runs = [
        ("nothing", Vec::new()),
        ("one second", waves(1, 10)),
        ("idle", idle(60)),
        ("tiny", scaled(120, 1e-4)),
        ("huge", scaled(120, 2e5)),
        ("spike", (1..=60).map(one_spike).collect()),
    ];
    for (name, series) in runs {
        let made = Made::of(name, series);
        let svg = Dashboard::draw_svg(&made.report()).unwrap();
        assert!(roxmltree::Document::parse(&svg).is_ok(), "{name}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}");
        assert_eq!(png_size(&Dashboard::draw_png(&made.report()).unwrap()), Dashboard::size(), "{name}");
    }
}

#[test]
fn long_series_stay_small() {
    let made = Made::of("A day", waves(86_400, 9000));
    let svg = Dashboard::draw_svg(&made.report()).unwrap();
    assert!(svg.len() < 1_000_000, "{} bytes", svg.len());
}

#[test]
fn long_titles_and_settings_are_cut() {
    let title =
        "A title that goes on and on and would run over the seed at the right if nobody stopped it, but here it is cut";
    let made = Made::of(title, idle(10));
    let mut report = made.report();
    report.settings_line = "innodb_io_capacity_max=4000, ".repeat(30);
    let svg = Dashboard::draw_svg(&report).unwrap();
    assert!(svg.matches('\u{2026}').count() >= 2);
}

#[test]
fn both_files_are_written() {
    let dir = tempfile::tempdir().unwrap();
    write_dashboards(dir.path(), &Made::of("Files", waves(60, 20)).report()).unwrap();
    let mut names: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["dashboard.png", "dashboard.svg"]);
}

fn overlay<'a>(runs: &'a [Made], label: impl Fn(usize) -> String) -> Overlay<'a> {
    let run = |(i, made): (usize, &'a Made)| OverlayRun {
        label: label(i),
        about: "innodb_io_capacity_max=4000".to_owned(),
        figures: vec![format!("{i},000"), "+1.0 % *".to_owned()],
        output: &made.output,
        recorded: false,
    };
    Overlay {
        latency: true,
        title: "Two & more".to_owned(),
        subtitle: "tpcc-sata-waves".to_owned(),
        origin: "seed 42".to_owned(),
        heads: vec!["tps", "difference"],
        runs: runs.iter().enumerate().map(run).collect(),
        warmup_s: 300.0,
        remark: "Figures leave out the first 300 s.".to_owned(),
    }
}

#[test]
fn runs_laid_over_each_other_carry_their_names() {
    let runs = [Made::of("a", waves(900, 300)), Made::of("b", waves(600, 200))];
    let overlay = overlay(&runs, |i| format!("run {i}"));
    let svg = overlay.draw_svg().unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let texts: Vec<&str> =
        document.descendants().filter(|n| n.has_tag_name("text")).filter_map(|n| n.text().map(str::trim)).collect();
    // Once in the table and once in each panel.
    assert_eq!(texts.iter().filter(|text| **text == "run 1").count(), 6, "{texts:?}");
    for expected in ["Two & more", "Transactions per Second", "InnoDB Checkpoint Age", "limit 16.6 GiB", "+1.0 % *"] {
        assert!(texts.contains(&expected), "{expected} is missing from {texts:?}");
    }
    assert_eq!(svg, overlay.draw_svg().unwrap());
    assert_eq!(png_size(&overlay.draw_png().unwrap()), overlay.size());
}

/// Of a recorded run what was not recorded is no line at 0.
#[test]
fn what_was_not_recorded_is_not_drawn() {
    let mut runs = [Made::of("a", waves(900, 300)), Made::of("b", waves(900, 300))];
    runs[1].output.series.iter_mut().for_each(|second| second.transactions = 0);
    let names = |recorded: bool| {
        let mut overlay = overlay(&runs, |i| format!("run {i}"));
        overlay.runs[1].recorded = recorded;
        let svg = overlay.draw_svg().unwrap();
        roxmltree::Document::parse(&svg)
            .unwrap()
            .descendants()
            .filter(|n| n.has_tag_name("text") && n.text().map(str::trim) == Some("run 1"))
            .count()
    };
    assert_eq!(names(false) - names(true), 1, "the label of its line of throughput");
}

#[test]
fn long_names_of_runs_stand_whole_in_the_table_and_numbered_at_the_lines() {
    let runs = [Made::of("a", waves(60, 20)), Made::of("b", waves(60, 20))];
    let long =
        "as it is on the server in the data centre today, before anybody has changed a setting of its redo log, with";
    let overlay = overlay(&runs, |i| format!("{long} {i}"));
    let svg = overlay.draw_svg().unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let texts = document.descendants().filter(|n| n.has_tag_name("text")).filter_map(|n| n.text().map(str::trim));
    let texts: Vec<&str> = texts.collect();
    let all = texts.join(" ");
    for (i, at) in ["1: as", "2: as"].iter().enumerate() {
        assert!(all.contains(&format!("{}: {long} {i}", i + 1)), "{texts:?}");
        let cut = texts.iter().filter(|text| text.starts_with(at) && text.ends_with('\u{2026}')).count();
        assert_eq!(cut, 5, "once in each panel: {texts:?}");
    }
    assert_eq!(texts.iter().filter(|text| **text == "innodb_io_capacity_max=4000").count(), 2, "{texts:?}");
}

#[test]
fn any_number_of_runs_gives_a_picture() {
    for count in [0, 1, 4, Overlay::MOST, 30] {
        let series = |i| if i == 1 { Vec::new() } else { waves(60 + i as u64, 20) };
        let runs: Vec<Made> = (0..count).map(|i| Made::of("x", series(i))).collect();
        let overlay = overlay(&runs, |i| format!("a label that is far too long for its place {i}"));
        let svg = overlay.draw_svg().unwrap();
        assert!(roxmltree::Document::parse(&svg).is_ok() && !svg.contains("NaN"), "{count}");
        assert!(overlay.size().1 < 2500, "{count}");
        assert_eq!(png_size(&overlay.draw_png().unwrap()), overlay.size(), "{count}");
    }
}

#[test]
fn both_files_of_an_overlay_are_written() {
    let dir = tempfile::tempdir().unwrap();
    let runs = [Made::of("a", waves(60, 20))];
    write_overlay(dir.path(), "compare", &overlay(&runs, |_| "a".to_owned())).unwrap();
    assert!(dir.path().join("compare.svg").is_file() && dir.path().join("compare.png").is_file());
}
