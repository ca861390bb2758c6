//! `report.html` in a real browser: it draws, zooms, and answers to the mouse, and asks nobody for anything.
//!
//! Without a browser the tests are skipped, and say so; see `innosim_browser_testing`.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

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
    let (screen, phone) = ((1240, 900), (500, 900));
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
    let chart = format!("{first} svg");
    let texts = || page.eval(&format!("[...document.querySelectorAll('{chart} text')].map((t) => t.textContent)"));
    let lines = || page.eval("document.querySelectorAll('#chart1 svg g path').length");
    let paths = "[...document.querySelectorAll('svg path')].filter((p) => p.getAttribute('d').length > 20).length";
    assert!(page.eval(paths).as_u64().unwrap() >= 3, "{what}: lines are drawn");
    let odd = "[...document.querySelectorAll('svg')].filter((s) => /NaN|undefined|Infinity/.test(s.outerHTML)).length";
    assert_eq!(page.eval(odd), 0, "{what}: every number is one");
    let whole = texts();
    page.hover(&chart, (0.6, 0.5));
    let tip = page.eval(&format!("document.querySelector('{first} .tip').innerText"));
    assert!(!tip.as_str().unwrap().is_empty(), "{what}: the mouse tells values");
    page.drag(&chart, (0.4, 0.5), (0.7, 0.5));
    assert_ne!(texts(), whole, "{what}: zoom");
    page.double_click(&chart, (0.5, 0.5));
    assert_eq!(texts(), whole, "{what}: the whole again");
    page.choose("select", "2");
    assert_ne!(texts()[0], whole[0], "{what}: another figure");
    let all = lines();
    page.click("input[type=checkbox]");
    assert_ne!(lines(), all, "{what}: a run unticked");
    page.resize((700, 800));
    let fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
    assert_eq!(page.eval(fits), true, "{what}: no wider than the window");
    assert_eq!(page.errors(), [""; 0], "{what}");
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
