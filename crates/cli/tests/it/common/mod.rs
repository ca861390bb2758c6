//! What the tests of the program share.

// Each test file uses a part of this; helpers may fail the test as tests may.
#![allow(dead_code, clippy::unwrap_used)]

use assert_cmd::assert::Assert;
use serde_json::Value;

/// A small scenario that runs in a moment.
pub(crate) const SMALL: &str = "redo-too-small";

/// The program with these arguments.
pub(crate) fn innosim(arguments: &[&str]) -> Assert {
    // Whose terminal the tests run in must not matter.
    assert_cmd::cargo::cargo_bin_cmd!("innosim").env_remove("COLUMNS").args(arguments).assert()
}

/// Sends a signal of this name (`-INT`) to a process, by a program that Unix has.
pub(crate) fn signal(child: &std::process::Child, name: &str) {
    let sent = std::process::Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success(), "{name}");
}

/// Standard output of a program that ended well.
pub(crate) fn stdout(arguments: &[&str]) -> String {
    text(&innosim(arguments).success().get_output().stdout)
}

/// Standard output, which must be one JSON document.
pub(crate) fn json(arguments: &[&str]) -> Value {
    let out = stdout(arguments);
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}:\n{out}"))
}

/// Standard error of a program that ended with this code and printed nothing else.
pub(crate) fn refused(arguments: &[&str], code: i32) -> String {
    let assert = innosim(arguments).code(code);
    let output = assert.get_output();
    assert_eq!(text(&output.stdout), "", "nothing on standard output");
    text(&output.stderr)
}

/// Bytes as text.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}
