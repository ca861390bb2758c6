//! The lessons say what is so: every claim of `page/lessons.json` holds in the runs that it shows, and runs of the page are
//! those of the program.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use innosim_core::metrics::Summary;
use innosim_core::server::{Server, Silent};
use innosim_playground::{AGES, FIELDS, Finished, RATES, Run, Wish, catalogue};
use innosim_scenario::{Overrides, Source, load};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

fn lessons() -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("../page/lessons.json")).unwrap();
    all["lessons"].as_array().unwrap().clone()
}

/// The wish of a run of a lesson, as the page puts it together.
fn wish(lesson: &Value, run: &Value) -> Wish {
    let mut wish = json!({ "story": lesson["story"], "seconds": lesson["seconds"], "seed": lesson["seed"] });
    for (key, value) in run["changes"].as_object().unwrap() {
        wish[key] = value.clone();
    }
    serde_json::from_value(wish).unwrap()
}

fn figure(runs: &[Summary], run: &str, name: &str) -> f64 {
    let number = ["a", "b", "c"].iter().position(|known| *known == run).unwrap();
    runs[number].value(name).unwrap_or_else(|| panic!("no figure {name}"))
}

fn verify(lesson: &Value) {
    let runs = lesson["runs"].as_array().unwrap();
    let summary = |run: &Value| Run::new(&wish(lesson, run)).unwrap().finish().unwrap().summary;
    let runs: Vec<Summary> = runs.iter().map(summary).collect();
    let checks = lesson["checks"].as_array().unwrap();
    assert!(checks.len() >= 3, "{}", lesson["id"]);
    for check in checks {
        let found = figure(&runs, check[0].as_str().unwrap(), check[1].as_str().unwrap());
        let bound = check[3].as_f64().unwrap_or_else(|| {
            let than = &check[3];
            let other = figure(&runs, than["run"].as_str().unwrap(), than["figure"].as_str().unwrap());
            other * than["times"].as_f64().unwrap()
        });
        let holds = match check[2].as_str().unwrap() {
            ">" => found > bound,
            "<" => found < bound,
            other => panic!("no comparison {other}"),
        };
        assert!(holds, "{}: {check}: {found} against {bound}", lesson["id"]);
    }
}

#[test]
fn every_lesson_asks_a_question_with_one_right_answer() {
    for lesson in lessons() {
        let options = lesson["options"].as_array().unwrap().len() as u64;
        assert!((2..=4).contains(&options) && lesson["right"].as_u64().unwrap() < options, "{}", lesson["id"]);
        for part in ["title", "question", "watch", "then"] {
            assert!(lesson[part].as_str().unwrap().len() > 10, "{}: {part}", lesson["id"]);
        }
        assert!(lesson["look"].as_array().unwrap().len() >= 3, "{}", lesson["id"]);
    }
}

#[test]
fn a_run_of_the_page_is_the_programs() {
    let wish = Wish {
        story: "teaching/io-capacity-max-too-low".to_owned(),
        model: Some("mysql-5.7".to_owned()),
        seconds: Some(12),
        seed: Some(7),
        io_capacity: Some(400),
        io_capacity_max: Some(900),
        redo_mib: Some(256),
        load: Some(8),
        rows: Some("pareto".to_owned()),
        ..Wish::default()
    };
    let mut run = Run::new(&wish).unwrap();
    let head = run.head();
    let rows = run.advance(5);
    assert_eq!(rows.len(), 5 * (FIELDS.len() + AGES + RATES));
    assert_eq!(rows[0], 1.0);
    let finished: Finished = run.finish().unwrap();
    assert!(run.finish().is_none() && run.advance(1).is_empty());
    // What the page says one should type.
    let command = head["command"].as_str().unwrap();
    let mut words = command.split(' ').skip(2);
    let mut overrides = Overrides::default();
    let story = words.next().unwrap();
    while let Some(option) = words.next() {
        let value = words.next().unwrap().to_owned();
        match option {
            "--set" => overrides.set.push(value),
            "--model" => overrides.model = Some(value),
            "--duration" => overrides.duration = Some(value),
            "--seed" => overrides.seed = Some(value.parse().unwrap()),
            other => panic!("{other} in {command}"),
        }
    }
    let scenario = load(Source::Shipped(story), &overrides).unwrap();
    let output = Server::new(scenario.build_model(), &scenario.run).run(&mut Silent).unwrap();
    assert_eq!(finished.event_hash, output.event_hash, "{command}");
    // And what it lets people download.
    let text = head["toml"].as_str().unwrap();
    let again = load(Source::Text { name: "page.toml", text }, &Overrides::default()).unwrap();
    assert_eq!(again.run, scenario.run);
}

#[test]
fn a_knob_turns_what_each_server_has() {
    let wish = |model: &str, doublewrite: &str| Wish {
        story: "teaching/redo-too-small".to_owned(),
        model: Some(model.to_owned()),
        redo_mib: Some(256),
        doublewrite: Some(doublewrite.to_owned()),
        io_capacity_max: Some(5000),
        device: Some("nvme".to_owned()),
        ..Wish::default()
    };
    for model in catalogue()["models"].as_array().unwrap() {
        let name = model["name"].as_str().unwrap();
        let head = Run::new(&wish(name, "64")).unwrap().head();
        assert_eq!(head["controls"]["redo_mib"], 256, "{name}");
        let batches = head["controls"]["doublewrite_batches"] == true;
        assert_eq!(head["controls"]["doublewrite"], if batches { "64" } else { "on" }, "{name}");
        let off = Run::new(&wish(name, "off")).unwrap().head();
        assert_eq!(off["controls"]["doublewrite"], "off", "{name}");
        let most = &head["controls"]["io_capacity_max"];
        assert!(most == 5000 || most.is_null() && name.ends_with("5.5"), "{name}: {most}");
    }
}

#[test]
fn pages_are_dirty_by_how_often_they_are_changed() {
    let last = |rows: &str| {
        let wish = Wish {
            story: "teaching/redo-too-small".to_owned(),
            seconds: Some(40),
            rows: Some(rows.to_owned()),
            ..Wish::default()
        };
        let mut run = Run::new(&wish).unwrap();
        assert_eq!(run.head()["controls"]["rows"], rows);
        let rows = run.advance(40);
        rows[rows.len() - FIELDS.len() - AGES - RATES..].to_vec()
    };
    let dirty_at = FIELDS.iter().position(|(name, _)| *name == "dirty_pages").unwrap();
    for (rows, fewest_bands) in [("uniform", 3), ("special", 4), ("pareto", 6), ("zipfian", 8)] {
        let row = last(rows);
        let (pages, dirty) = row[FIELDS.len() + AGES..].split_at(RATES / 2);
        let all: f64 = dirty.iter().sum();
        assert!(all > 0.95 * row[dirty_at] && all <= row[dirty_at], "{rows}: {all} of {} dirty pages", row[dirty_at]);
        assert!((90_000.0..91_000.0).contains(&pages.iter().sum::<f64>()), "{rows}: {pages:?}");
        let shares: Vec<f64> =
            pages.iter().zip(dirty).filter(|(pages, _)| **pages > 200.0).map(|(pages, dirty)| dirty / pages).collect();
        assert!(shares.len() >= fewest_bands, "{rows}: {shares:?}");
        // The oftener pages are changed, the more of them are dirty.
        assert!(shares.windows(2).all(|pair| pair[1] < pair[0] + 0.02), "{rows}: {shares:?}");
    }
}

#[test]
fn a_wish_that_is_wrong_gets_an_answer() {
    let wrong = Wish { story: "teaching/redo-too-small".to_owned(), io_capacity: Some(7), ..Wish::default() };
    let message = Run::new(&wrong).unwrap_err().to_string();
    assert!(message.contains("innodb_io_capacity") && message.contains("100"), "{message}");
    let none = Wish { story: "teaching/none".to_owned(), ..Wish::default() };
    assert!(Run::new(&none).is_err());
}

/// What takes half a minute.
mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run long"]
    fn every_lesson_says_what_its_runs_show() {
        let lessons = lessons();
        assert_eq!(lessons.len(), 8);
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(lesson) = lessons.get(next.fetch_add(1, Ordering::Relaxed)) {
                verify(lesson);
            }
        };
        thread::scope(|scope| {
            let processors = thread::available_parallelism().map_or(1, usize::from);
            let threads: Vec<_> = (0..processors).map(|_| scope.spawn(work)).collect();
            threads.into_iter().for_each(|thread| thread.join().unwrap());
        });
    }
}
