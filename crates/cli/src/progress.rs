//! How far runs have come, on a terminal: simulated seconds done, simulated seconds a second, time left.
//!
//! Drawn on standard error, and not at all if that is no terminal.

use crate::interrupt;
use crate::output::note;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use innosim_core::metrics::SecondSample;
use innosim_experiments::runner::Watch;
use std::fmt::Write;
use std::ops::ControlFlow;

/// Progress over one or several runs. Clones share one line.
#[derive(Debug, Clone)]
pub(crate) struct Progress {
    bar: ProgressBar,
    quiet: bool,
}

impl Progress {
    /// Progress over `seconds` simulated seconds in all.
    pub(crate) fn new(title: &str, seconds: u64, quiet: bool) -> Progress {
        if quiet {
            return Progress { bar: ProgressBar::hidden(), quiet };
        }
        let bar = ProgressBar::with_draw_target(Some(seconds), ProgressDrawTarget::stderr());
        let template = "{prefix} {wide_bar} {pos}/{len} s, {speed} simulated s/s, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.with_key("speed", speed).progress_chars("━╸─"));
        }
        bar.set_prefix(title.to_owned());
        bar.tick();
        Progress { bar, quiet }
    }

    /// Progress over runs whose number becomes known as they are planned.
    pub(crate) fn over_runs(title: &str, quiet: bool) -> Progress {
        let progress = Progress::new(title, 0, quiet);
        let template = "{prefix} {wide_bar} {msg}, {speed} simulated s/s, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            progress.bar.set_style(style.with_key("speed", speed).progress_chars("━╸─"));
        }
        progress
    }

    /// More simulated seconds to come.
    pub(crate) fn expect(&self, seconds: u64) {
        self.bar.inc_length(seconds);
    }

    /// Simulated seconds that will not come after all.
    pub(crate) fn forgo(&self, seconds: u64) {
        self.bar.dec_length(seconds);
    }

    /// What has been done, in words.
    pub(crate) fn message(&self, text: String) {
        self.bar.set_message(text);
    }

    /// A line above the progress; a line of standard error if there is none.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            self.bar.suspend(|| note(text));
        }
    }

    /// Takes the progress off the terminal.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Watch for Progress {
    fn second(&self, _: &SecondSample) -> ControlFlow<()> {
        self.bar.inc(1);
        interrupt::go_on()
    }

    fn go_on(&self) -> ControlFlow<()> {
        interrupt::go_on()
    }
}

fn speed(state: &ProgressState, out: &mut dyn Write) {
    let _ = write!(out, "{:.0}", state.per_sec());
}
