//! Ctrl-C: the first one asks runs to stop, so that no file is left half-written; the second one ends the program.

use innosim_core::metrics::SecondSample;
use innosim_experiments::runner::Watch;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Listens from now on. Without a handler the default stays: the program dies, which is as good.
pub(crate) fn listen() {
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

/// Whether runs should stop.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// `Break` if runs should stop.
pub(crate) fn go_on() -> ControlFlow<()> {
    if asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// Lets runs go on until somebody presses Ctrl-C.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UntilAsked;

impl Watch for UntilAsked {
    fn second(&self, _: &SecondSample) -> ControlFlow<()> {
        go_on()
    }

    fn go_on(&self) -> ControlFlow<()> {
        go_on()
    }
}
