//! `innosim page` in a real browser, opened from disk as people do: it computes what the program computes, every lesson can
//! be taken, knobs turn, time moves, and nothing is asked of anybody.
//!
//! Without a browser, or without the Rust target for one, the tests are skipped, and say so.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

#[path = "it/common/mod.rs"]
mod common;

use common::{innosim, json};
use innosim_browser_testing::{Chromium, Page, Site, run_if};
use innosim_report::numbers::rounded;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::OnceLock;
use std::time::Duration;

const TARGET: &str = "wasm32-unknown-unknown";
const SCREEN: (u32, u32) = (1280, 900);
const PHONE: (u32, u32) = (390, 844);
/// Most bytes of the folder.
const MOST: u64 = 3_000_000;

fn main() -> ExitCode {
    let ready = if has_target() { Ok(()) } else { Err(format!("no Rust target {TARGET}: rustup target add {TARGET}")) };
    run_if(
        ready,
        &[
            ("the_folder_is_small_and_the_page_stands_alone", the_folder_is_small_and_the_page_stands_alone),
            ("a_run_has_the_hash_that_the_program_prints", a_run_has_the_hash_that_the_program_prints),
            ("runs_of_every_model_are_those_of_the_program", runs_of_every_model_are_those_of_the_program),
            ("every_lesson_can_be_taken", every_lesson_can_be_taken),
            ("knobs_and_time_can_be_moved", knobs_and_time_can_be_moved),
            ("a_link_brings_back_what_was_chosen", a_link_brings_back_what_was_chosen),
            ("a_picture_takes_no_longer_than_a_frame", a_picture_takes_no_longer_than_a_frame),
        ],
    )
}

fn has_target() -> bool {
    let told = Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).output();
    told.is_ok_and(|told| Path::new(String::from_utf8_lossy(&told.stdout).trim()).is_dir())
}

/// The folder that the command leaves, once for all tests.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page");
        innosim(&["page", "--quiet", "--out", folder.to_str().unwrap()]).success();
        folder
    })
}

/// The page, opened from disk and ready. `fragment`: what stands after `#`.
fn open(chromium: &Chromium, fragment: &str, size: (u32, u32)) -> Page {
    let page = chromium.open(&format!("file://{}/index.html#{fragment}", folder().display()), size);
    page.wait_until("document.body.classList.contains('open')");
    page
}

fn finish(page: &Page) {
    page.wait_until("document.body.dataset.state === 'over' && page.runs.every((run) => run.finished)");
}

/// Waits until what a knob began is over; it begins a moment after the last move.
fn settle(page: &Page) {
    std::thread::sleep(Duration::from_millis(200));
    finish(page);
}

fn fits(page: &Page) -> bool {
    page.eval("document.documentElement.scrollWidth <= document.documentElement.clientWidth") == true
}

fn the_folder_is_small_and_the_page_stands_alone(chromium: &Chromium) {
    let names = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut files: Vec<String> = std::fs::read_dir(folder()).unwrap().map(names).collect();
    files.sort();
    assert_eq!(files, ["engine.wasm", "index.html"]);
    let size: u64 = files.iter().map(|name| folder().join(name).metadata().unwrap().len()).sum();
    assert!(size < MOST, "{size} bytes");
    // From a server, so that whatever it asks for is seen.
    let site = Site::of(folder());
    let page = chromium.open(&site.url("/"), SCREEN);
    page.wait_until("document.body.classList.contains('open')");
    finish(&page);
    assert_eq!(page.requests_beyond(&site), [""; 0]);
    assert_eq!(site.asked(), ["/"]);
    assert_eq!(page.errors(), [""; 0]);
}

fn a_run_has_the_hash_that_the_program_prints(chromium: &Chromium) {
    let choice = "story=teaching/activity-spike&seconds=40&seed=9&io_capacity_max=3000&redo_mib=256&load=2000&b=\
                  &b.model=mysql-5.6&b.load=500";
    let page = open(chromium, choice, SCREEN);
    finish(&page);
    let common = ["run", "activity-spike", "--duration", "40s", "--seed", "9", "--format", "json", "--quiet"];
    let a = ["innodb_io_capacity_max=3000", "innodb_redo_log_capacity=256M", "drive.rate=2000"];
    let a: Vec<&str> = common.into_iter().chain(a.into_iter().flat_map(|set| ["--set", set])).collect();
    let b: Vec<&str> = common.into_iter().chain(["--model", "5.6", "--set", "drive.rate=500"]).collect();
    for (run, arguments) in [a, b].iter().enumerate() {
        let program = json(arguments);
        assert_eq!(page.eval(&format!("page.runs[{run}].finished.event_hash")), program["event_hash"], "{arguments:?}");
        assert_eq!(page.eval(&format!("page.runs[{run}].finished.tps_mean")).as_f64(), program["tps_mean"].as_f64());
    }
    let shown =
        page.eval("[...document.querySelectorAll('td[data-figure=event_hash]')].map((cell) => cell.textContent)");
    assert_eq!(shown, page.eval("page.runs.map((run) => run.finished.event_hash)"), "the page shows them");
}

/// WebAssembly gives the same bytes.
fn runs_of_every_model_are_those_of_the_program(chromium: &Chromium) {
    let page = open(chromium, "lesson=1", SCREEN);
    let models = json(&["models", "--format", "json"]);
    for model in models.as_array().unwrap().iter().map(|model| model["name"].as_str().unwrap()) {
        let finished = page.eval(&format!(
            "(async () => {{ const run = new engine.Run(() => {{}});
             await run.begin({{ story: 'teaching/activity-spike', model: '{model}', seconds: 10 }});
             while (!run.finished && !run.error) await new Promise((turn) => setTimeout(turn, 10));
             run.end(); return run.finished ?? run.error; }})()"
        ));
        let program =
            json(&["run", "activity-spike", "--model", model, "--duration", "10s", "--format", "json", "--quiet"]);
        assert_eq!(finished["event_hash"], program["event_hash"], "{model}: {finished}");
        for (figure, value) in finished.as_object().unwrap() {
            let as_written = |value: &Value| value.as_f64().map(rounded);
            assert_eq!(as_written(value), as_written(&program[figure]), "{model}: {figure}");
        }
    }
}

fn every_lesson_can_be_taken(chromium: &Chromium) {
    let page = open(chromium, "lesson=1", SCREEN);
    let lessons = page.eval("page.lessons.all.length").as_u64().unwrap();
    assert_eq!(lessons, 8);
    for number in 0..lessons {
        page.click(&format!("#lesson-bar button:nth-child({})", number + 2));
        let right = page.eval(&format!("page.lessons.all[{number}].right")).as_u64().unwrap();
        assert_eq!(page.eval("page.lessons.answer.hidden"), true, "no answer before a prediction");
        page.click(&format!(".option:nth-of-type({}) input", right + 1));
        finish(&page);
        page.eval("page.player.seek(Infinity)");
        page.wait_until("!page.lessons.answer.hidden");
        let verdict = page.eval("document.querySelector('.verdict').textContent");
        assert_eq!(verdict, "As you predicted.", "lesson {}", number + 1);
        assert!(page.eval("document.querySelectorAll('.answer dt').length").as_u64() >= Some(3));
        for (size, scheme) in [(SCREEN, "light"), (PHONE, "dark")] {
            page.resize(size);
            page.prefer(scheme);
            page.eval("document.querySelector('#stage').scrollIntoView()");
            let drawn = "[...document.querySelectorAll('#stage canvas, #plots canvas')].every((canvas) => new Set(canvas\
                         .getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data).size > 8)";
            page.wait_until(drawn);
            assert!(fits(&page), "lesson {} at {size:?}", number + 1);
            let name = format!("lesson-{}-{}-{scheme}.png", number + 1, size.0);
            page.picture(&Path::new(env!("CARGO_TARGET_TMPDIR")).join(name));
        }
        page.resize(SCREEN);
        page.prefer("light");
        assert_eq!(page.errors(), [""; 0], "lesson {}", number + 1);
    }
}

/// Sixty pictures a second leave each 16 ms. Half of them must keep that even on a machine that has other things to do.
fn a_picture_takes_no_longer_than_a_frame(chromium: &Chromium) {
    let page = open(chromium, "lesson=7", SCREEN);
    page.click(".option input");
    finish(&page);
    page.eval("page.player.pause()");
    let times =
        "(() => { const times = []; for (let second = 60; second < 120; second++) { const began = performance.now();
                 page.player.show(second + 0.5); times.push(performance.now() - began); }
                 return times.sort((a, b) => a - b); })()";
    let times: Vec<f64> = page.eval(times).as_array().unwrap().iter().map(|time| time.as_f64().unwrap()).collect();
    assert!(times[30] < 16.0, "three runs beside each other: {times:?} ms");
}

fn knobs_and_time_can_be_moved(chromium: &Chromium) {
    let page = open(chromium, "story=teaching/redo-too-small&seconds=30", SCREEN);
    finish(&page);
    let before = page.eval("page.runs[0].finished.event_hash");
    for knob in ["io_capacity", "io_capacity_max", "redo_mib", "load"] {
        let hash = page.eval("page.runs[0].finished.event_hash");
        page.drag(&format!("input[data-knob={knob}]"), (0.5, 0.5), (0.2, 0.5));
        settle(&page);
        assert_ne!(page.eval("page.runs[0].finished.event_hash"), hash, "{knob}");
    }
    for (knob, value) in [("rows", "zipfian"), ("model", "mysql-5.5"), ("device", "nvme"), ("doublewrite", "off")] {
        let hash = page.eval("page.runs[0].finished.event_hash");
        page.choose(&format!("select[data-knob={knob}]"), value);
        settle(&page);
        assert_ne!(page.eval("page.runs[0].finished.event_hash"), hash, "{knob}");
    }
    let hidden = "document.querySelector('input[data-knob=io_capacity_max]').closest('.knob').hidden";
    assert_eq!(page.eval(hidden), true, "5.5 has no io_capacity_max");
    page.click("#add");
    settle(&page);
    let hashes: Value = page.eval("page.runs.map((run) => run.finished.event_hash)");
    assert!(hashes[0] == hashes[1] && hashes[0] != before, "the same settings meet the same random numbers: {hashes}");
    page.eval("page.player.pause()");
    page.eval("page.player.seek(10)");
    page.click("#step");
    assert_eq!(page.eval("page.player.time"), 11);
    page.click("#back");
    page.click("#back");
    assert_eq!(page.eval("page.player.time"), 9);
    page.click("#rewind");
    assert_eq!(page.eval("page.player.time"), 1);
    page.click("#play");
    page.wait_until("page.player.time > 5");
    page.eval("page.player.pause()");
    page.wait_until("document.querySelector('#live').textContent.includes('checkpoint age')");
    for (canvas, words) in [("ring", "checkpoint age"), ("ages", "dirty pages"), ("rates", "pages dirty")] {
        let said = page.eval(&format!("document.querySelector('[data-{canvas}]').getAttribute('aria-label')"));
        assert!(said.as_str().unwrap().contains(words), "{said}");
    }
    scenarios_are_handed_out(&page);
    page.resize(PHONE);
    assert!(fits(&page), "on a phone");
    page.choose("input[data-knob=redo_mib]", "0");
    assert_eq!(page.errors(), [""; 0]);
}

/// What is downloaded is a scenario for each run, which runs to the same hash.
fn scenarios_are_handed_out(page: &Page) {
    let catch = "(() => { window.handed = []; const make = URL.createObjectURL;
                 URL.createObjectURL = (blob) => { window.handed.push([null, blob]); return make(blob); };
                 HTMLAnchorElement.prototype.click = function () { window.handed.at(-1)[0] = this.download; }; })()";
    page.eval(catch);
    page.click("#download");
    let handed = page.eval("Promise.all(window.handed.map(async ([name, blob]) => [name, await blob.text()]))");
    let names = [&handed[0][0], &handed[1][0]];
    assert_eq!(names, ["redo-too-small-A.toml", "redo-too-small-B.toml"]);
    let desk = tempfile::tempdir().unwrap();
    let file = desk.path().join("a.toml");
    std::fs::write(&file, handed[0][1].as_str().unwrap()).unwrap();
    let program = json(&["run", file.to_str().unwrap(), "--quiet", "--format", "json"]);
    assert_eq!(program["event_hash"], page.eval("page.runs[0].finished.event_hash"));
}

fn a_link_brings_back_what_was_chosen(chromium: &Chromium) {
    let page = open(chromium, "story=teaching/idle-server&seconds=20&b=&b.io_capacity=100", PHONE);
    finish(&page);
    page.choose(".panel.run-a select[data-knob=device]", "disk");
    page.wait_until("location.hash.includes('device=disk')");
    finish(&page);
    let (hash, hashes) = (page.eval("location.hash"), page.eval("page.runs.map((run) => run.finished.event_hash)"));
    let again = open(chromium, hash.as_str().unwrap().trim_start_matches('#'), SCREEN);
    finish(&again);
    assert_eq!(again.eval("page.runs.map((run) => run.finished.event_hash)"), hashes);
    let wrong = open(chromium, "story=teaching/redo-too-small&seconds=20&io_capacity=7", SCREEN);
    wrong.wait_until("document.querySelector('.message').textContent.includes('innodb_io_capacity')");
    assert_eq!(wrong.errors(), [""; 0]);
}
