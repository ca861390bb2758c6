//! `report.html` in a real browser: it draws, zooms, and answers to the mouse, and asks nobody for anything.
//!
//! Without a browser the tests are skipped, and say so; see `innosim_browser_testing`.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

#[path = "it/common/mod.rs"]
mod common;

use common::{innosim, text};
use innosim_browser_testing::{Chromium, Page, Site, run};
use std::fs;
use std::process::ExitCode;

/// Short runs of a small data set.
const SMALL: [&str; 8] =
    ["--duration", "20s", "--quiet", "--set", "workload.tables=1", "--set", "drive.clients=4", "--out"];

fn main() -> ExitCode {
    run(&[
        ("a_sweep_and_a_comparison_can_be_explored", a_sweep_and_a_comparison_can_be_explored),
        ("a_report_prints_in_ink_on_white", a_report_prints_in_ink_on_white),
        ("a_page_that_fails_or_asks_outside_is_found_out", a_page_that_fails_or_asks_outside_is_found_out),
    ])
}

fn a_sweep_and_a_comparison_can_be_explored(chromium: &Chromium) {
    let desk = tempfile::tempdir().unwrap();
    let made = |command: &str, name: &str, more: &[&str]| {
        let folder = desk.path().join(name);
        innosim(&[&[command, "redo-too-small"][..], more, &SMALL, &[folder.to_str().unwrap()]].concat()).success();
    };
    let vary = ["--vary", "innodb_io_capacity_max=4000..8000:1000", "--vary", "innodb_redo_log_capacity=64M,128M"];
    made("sweep", "sweep", &vary);
    made("sweep", "line", &vary[..2]);
    made("compare", "compare", &["--model", "8.0.30", "--model", "8.0.21"]);
    let site = Site::of(desk.path());
    let (screen, phone) = ((1280, 900), (390, 844));
    for (folder, first) in [("sweep", "#curves"), ("line", "#curves"), ("compare", "#chart1")] {
        let address = format!("/{folder}/report.html");
        for size in [screen, phone] {
            let page = chromium.open(&site.url(&address), size);
            explore(&page, first, &format!("{folder} at {size:?}"));
            assert_eq!(page.requests_beyond(&site), [""; 0], "{folder} stands alone");
        }
        let asked = site.asked();
        assert!(asked.iter().all(|path| path.ends_with("/report.html")), "{folder} is one file: {asked:?}");
    }
    let html = text(&fs::read(desk.path().join("sweep/report.html")).unwrap());
    assert!(html.contains("innosim sweep redo-too-small --vary innodb_io_capacity_max=4000,5000"), "its command");
    assert!(html.contains("innodb_buffer_pool_size") && html.contains("build "), "scenario and build");
}

/// Uses the page as a person would, and looks at what comes of it. `first`: where its first chart is.
fn explore(page: &Page, first: &str, what: &str) {
    let chart = format!("charts.all().find((chart) => chart.frame.parentElement.id === '{}')", &first[1..]);
    let over = format!("{first} .u-over");
    let range = || page.eval(&format!("(({{ min, max }}) => [min, max])({chart}.plot.scales.x)"));
    let told =
        || page.eval(&format!("[...{chart}.legend.querySelectorAll('output')].map((o) => o.textContent).join('')"));
    let name = || page.eval(&format!("{chart}.title.textContent"));
    let lines = || page.eval("document.querySelectorAll('#chart1 .legend .entry').length");
    let drawn = "charts.all().every(({ plot: { ctx } }) => new Set(ctx.getImageData(0, 0, ctx.canvas.width, ctx.canvas.height).data)
                 .size > 8)";
    page.wait_until(drawn);
    let odd = "charts.all().flatMap((chart) => chart.spec.data.flat()).filter((v) => v !== null && v !== undefined &&
               !Number.isFinite(v)).length";
    assert_eq!(page.eval(odd), 0, "{what}: every number is one");
    let whole = range();
    assert_eq!(told(), "", "{what}: nothing is pointed at");
    page.hover(&over, (0.6, 0.5));
    page.wait_until(&format!("{chart}.legend.textContent.match(/[0-9]/) !== null"));
    assert_ne!(told(), "", "{what}: the mouse tells values");
    page.drag(&over, (0.4, 0.5), (0.7, 0.5));
    assert_ne!(range(), whole, "{what}: zoom");
    page.double_click(&over, (0.5, 0.5));
    assert_eq!(range(), whole, "{what}: the whole again");
    by_keyboard(page, &chart, what);
    let before = name();
    page.choose("select", "2");
    assert_ne!(name(), before, "{what}: another figure");
    let all = lines();
    page.click("input[type=checkbox]");
    assert_ne!(lines(), all, "{what}: a run unticked");
    page.resize((700, 800));
    let fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
    assert_eq!(page.eval(fits), true, "{what}: no wider than the window");
    assert_eq!(page.errors(), [""; 0], "{what}");
}

/// A chart can be walked through and zoomed with keys, and says what is there.
fn by_keyboard(page: &Page, chart: &str, what: &str) {
    let press = |key: &str| {
        page.eval(&format!(
            "{chart}.place.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true }}))"
        ));
    };
    let said = || page.eval(&format!("{chart}.place.getAttribute('aria-valuetext')"));
    let range = || page.eval(&format!("(({{ min, max }}) => max - min)({chart}.plot.scales.x)")).as_f64().unwrap();
    assert_eq!(page.eval(&format!("{chart}.place.tabIndex")), 0, "{what}: it can be reached");
    press("Home");
    let first = said();
    assert!(first.as_str().is_some_and(|words| words.contains(':')), "{what}: {first}");
    press("ArrowRight");
    assert_ne!(said(), first, "{what}: arrows walk");
    let whole = range();
    press("+");
    assert!(range() < 0.6 * whole, "{what}: plus zooms");
    press("Escape");
    assert!((range() - whole).abs() < 1e-9, "{what}: escape shows all");
}

/// On paper everything is light, whatever the screen is, and charts are as wide as the paper.
fn a_report_prints_in_ink_on_white(chromium: &Chromium) {
    let desk = tempfile::tempdir().unwrap();
    let folder = desk.path().join("compare");
    let variants = ["compare", "redo-too-small", "--model", "8.0.30", "--model", "8.0.21", "--replications", "1"];
    innosim(&[&variants[..], &SMALL, &[folder.to_str().unwrap()]].concat()).success();
    let site = Site::of(desk.path());
    let page = chromium.open(&site.url("/compare/report.html"), (1240, 900));
    page.prefer("dark");
    let looks = || page.eval("[ink('paper'), ink('line-1'), charts.all()[0].plot.width]");
    page.wait_until("ink('paper') !== '#fff'");
    let dark = looks();
    page.eval("dispatchEvent(new Event('beforeprint'))");
    let paper = looks();
    assert_eq!((&paper[0], &paper[1]), (&"#fff".into(), &"#0072b2".into()), "{paper}");
    page.eval("dispatchEvent(new Event('afterprint'))");
    assert_eq!(looks(), dark, "and all is as before");
    assert_eq!(page.errors(), [""; 0]);
}

/// What the other tests rest on: an error is seen, and so is a request to elsewhere.
fn a_page_that_fails_or_asks_outside_is_found_out(chromium: &Chromium) {
    let desk = tempfile::tempdir().unwrap();
    let page = r#"<!doctype html><title>bad</title><img src="http://127.0.0.1:9/gone.png"><script src="missing.js"></script>
<script>setTimeout(() => { throw new Error("thrown late"); }); Promise.reject("refused"); console.error("printed");</script>"#;
    fs::write(desk.path().join("index.html"), page).unwrap();
    let site = Site::of(desk.path());
    let page = chromium.open(&site.url("/"), (800, 600));
    page.wait_until("window.__errors.length >= 5");
    let errors = page.errors().join("\n");
    for part in ["thrown late", "refused", "printed"] {
        assert!(errors.contains(part), "{part} in {errors}");
    }
    assert_eq!(page.requests_beyond(&site), ["http://127.0.0.1:9/gone.png"]);
    assert_eq!(site.asked(), ["/", "/missing.js"]);
}
