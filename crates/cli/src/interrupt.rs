//! Ctrl-C, SIGTERM and SIGHUP: the first one asks runs to stop, so that no file is left half-written; the second one ends the
//! program, and where a result is being written, once that is done, which takes a moment; the third one ends it at once.

use innosim_core::metrics::SecondSample;
use innosim_experiments::runner::Watch;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);
/// Somebody asked again while a result was being written.
static INSISTED: AtomicBool = AtomicBool::new(false);
/// Results that are being written.
static WRITING: AtomicU32 = AtomicU32::new(0);
/// Exit code of who was interrupted.
const INTERRUPTED: i32 = 130;

/// Listens from now on. Without a handler the default stays: the program dies, which is as good.
pub(crate) fn listen() {
    let _ = ctrlc::set_handler(|| {
        if !ASKED.swap(true, Ordering::SeqCst) {
            return;
        }
        let insisted = INSISTED.swap(true, Ordering::SeqCst);
        if insisted || WRITING.load(Ordering::SeqCst) == 0 {
            std::process::exit(INTERRUPTED);
        }
    });
}

/// Writes a result, which a second Ctrl-C does not cut in two.
pub(crate) fn while_writing<T>(write: impl FnOnce() -> T) -> T {
    WRITING.fetch_add(1, Ordering::SeqCst);
    let written = write();
    if WRITING.fetch_sub(1, Ordering::SeqCst) == 1 && INSISTED.load(Ordering::SeqCst) {
        std::process::exit(INTERRUPTED);
    }
    written
}

/// Whether runs should stop.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
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
