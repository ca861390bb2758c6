//! `innosim new-rule`, end to end: a project is made, built against this workspace without a network, and run.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use crate::common::{innosim, json, refused, text};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The workspace that these tests belong to.
const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Builds the project's program, quickly rather than fast, in the workspace's own target folder: most dependencies are there,
/// compiled the same way.
fn built(project: &Path, name: &str) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("..");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let quickly = ["profile.dev.opt-level=0", "profile.dev.debug=false", "profile.dev.incremental=false"];
    let output = Command::new(cargo)
        .current_dir(project)
        .args(["build", "--offline", "--quiet", "--bins", "--target-dir"])
        .arg(&target)
        .args(quickly.iter().flat_map(|setting| ["--config", setting]))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    target.join("debug").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

fn ran(program: &Path, at: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } =
        Command::new(program).current_dir(at).args(arguments).arg("--quiet").output().unwrap();
    (status.code(), text(&stdout), text(&stderr))
}

#[test]
fn what_is_there_stays_and_bad_names_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path().to_str().unwrap();
    let error = refused(&["new-rule", "hold-half", "--dir", there], 2);
    assert!(error.contains("is there already\n  = help: choose another name"), "{error}");
    let fresh = folder.path().join("fresh");
    let place = fresh.to_str().unwrap();
    for (name, words) in [
        ("Hold", "is no name of a rule"),
        ("7up", "is no name of a rule"),
        ("a--b", "is no name of a rule"),
        ("a_b", "is no name of a rule"),
        ("../up", "is no name of a rule"),
        ("", "is no name of a rule"),
        ("match", "that Rust or Cargo keeps for itself"),
        ("hold-age", "that innosim has already"),
        ("server", "that innosim has already"),
    ] {
        let error = refused(&["new-rule", name, "--dir", place], 2);
        assert!(error.contains(words) && error.contains("  = help: a name has small letters"), "{name}: {error}");
    }
    let error = refused(&["new-rule", "hold-half", "--dir", place, "--path", there], 2);
    assert!(error.contains("is no checkout of innosim"), "{error}");
    assert!(!fresh.exists(), "nothing is left");
}

#[test]
fn a_project_can_build_on_a_repository() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("p");
    let git = ["--git", "https://example.com/innosim.git", "--rev", "4ccfc22"];
    let made = [&["new-rule", "hold-half", "--dir", place.to_str().unwrap()], &git[..]].concat();
    let out = text(&innosim(&made).success().get_output().stdout);
    assert!(out.contains("cargo run --release -- compare redo-too-small --rule hold-half"), "{out}");
    let manifest: toml::Table = fs::read_to_string(place.join("Cargo.toml")).unwrap().parse().unwrap();
    let dependency = manifest["dependencies"]["innosim-cli"].as_table().unwrap();
    assert_eq!(dependency["git"].as_str(), Some("https://example.com/innosim.git"));
    assert_eq!(dependency["rev"].as_str(), Some("4ccfc22"));
    assert!(!place.join("Cargo.lock").exists(), "the repository says which versions it needs");
}

/// What takes minutes.
mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run long"]
    fn a_project_builds_and_its_program_has_all_commands_with_the_rule_in_them() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("hold-half");
        let place = project.to_str().unwrap();
        let made = json(&["new-rule", "hold-half", "--dir", place, "--path", WORKSPACE, "--format", "json"]);
        assert_eq!(made["name"], "hold-half");
        for file in made["files"].as_array().unwrap() {
            let text = fs::read_to_string(project.join(file.as_str().unwrap())).unwrap();
            assert!(!text.contains("{{"), "{file}: a name is left open: {text}");
        }
        // A rule that goes wrong when its target is at its highest: what is shipped never does.
        let rule = project.join("src/lib.rs");
        let good = fs::read_to_string(&rule).unwrap();
        let wish = "self.pages = (wish as u64).min(view.dirty_pages);";
        let bad = format!("assert!(self.target < 0.95, \"too high\");\n        {wish}");
        assert!(good.contains(wish));
        fs::write(&rule, good.replace(wish, &bad)).unwrap();
        let program = built(&project, "hold-half");

        let (code, out, error) = ran(&program, &project, &["rules"]);
        assert!(code == Some(0) && out.contains("rule.target = 0.7"), "{out}{error}");
        let short = ["redo-too-small", "--rule", "hold-half", "--duration", "6s", "--set", "warmup=2s"];
        let (code, out, error) = ran(&program, &project, &[&["compare"], &short[..]].concat());
        assert_eq!((code, error.as_str()), (Some(0), ""));
        assert!(out.contains("hold-half") && out.contains("server's own rule"), "{out}");
        let sweep = [&["sweep"], &short[..], &["--vary", "rule.target=0.5,0.95", "--out", "sweep"]].concat();
        let (code, _, error) = ran(&program, &project, &sweep);
        assert!(code == Some(2) && error.contains("1 of 2 runs failed, the others are kept"), "{error}");
        assert!(error.contains("rule hold-half: src/lib.rs:") && error.contains("it panicked: too high"), "{error}");
        assert!(error.contains("it saw: age "), "{error}");
        assert_eq!(fs::read_to_string(project.join("sweep/runs.csv")).unwrap().lines().count(), 2);
    }
}
