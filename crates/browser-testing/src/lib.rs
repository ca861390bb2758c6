//! Support for tests that open pages in a real browser.
//!
//! A test file of this kind has no harness of its own (`harness = false` in the manifest) and gives its tests to [`run`]:
//!
//! ```no_run
//! use innosim_browser_testing::{Chromium, Site, run};
//!
//! fn the_page_has_a_title(chromium: &Chromium) {
//!     let site = Site::of("out");
//!     let page = chromium.open(&site.url("/report.html"), (1240, 900));
//!     assert_eq!(page.eval("document.title"), "a sweep");
//!     assert!(page.errors().is_empty() && page.requests_beyond(&site).is_empty());
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     run(&[("the_page_has_a_title", the_page_has_a_title)])
//! }
//! ```
//!
//! The browser is the one that `INNOSIM_BROWSER` names, or a Chromium on the path. A machine without one prints each test as
//! `ignored, skipped: no browser ...`; it is never counted as passed. `INNOSIM_BROWSER=required` makes that a failure, which is
//! what continuous integration wants.

// A failed step fails the test that took it; this crate is for tests alone.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc)]

mod chromium;
mod page;
mod protocol;
mod site;

pub use chromium::Chromium;
pub use page::Page;
pub use site::Site;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::process::ExitCode;

/// A test: its name and what it does with the browser. It fails by panicking.
pub type Test = (&'static str, fn(&Chromium));

/// Runs the tests as `cargo test` expects: one after the other, each with a browser of its own and a new profile.
pub fn run(tests: &[Test]) -> ExitCode {
    run_if(Ok(()), tests)
}

/// The same if something else than a browser is there that the tests need too; where it is not, `ready` says what is
/// missing, and they are skipped or fail as without a browser.
pub fn run_if(ready: Result<(), String>, tests: &[Test]) -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1);
    let trials = tests.iter().map(|&(name, test)| {
        let ready = ready.clone();
        Trial::ignorable_test(name, move || outcome(ready, test))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

fn outcome(ready: Result<(), String>, test: fn(&Chromium)) -> Result<Completion, Failed> {
    match Chromium::find_if(ready) {
        Ok(path) => {
            test(&Chromium::start(&path));
            Ok(Completion::Completed)
        }
        Err(chromium::Absent::Allowed(why)) => Ok(Completion::ignored_with(format!("skipped: {why}"))),
        Err(chromium::Absent::Required(why)) => Err(Failed::from(why)),
    }
}
