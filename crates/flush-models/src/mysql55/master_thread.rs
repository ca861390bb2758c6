//! The master thread of 5.5: its rounds, passes and idle loop, step by step (`innodb-5.5` section 3.2).
//!
//! ```text
//!   round ──> 10 passes of a second: sleep, log_free_check, merge, flush (dirty percentage or adaptive)
//!     ^            │ no activity since the round began ──────────────┐
//!     │            v                                                 v
//!     │     10-second part: flush, merge, purge,             idle loop: purge, merge, flush, wait, checkpoint,
//!     │            │        flush, checkpoint                        │  again without sleep; then suspended
//!     └────────────┴──────────────<── activity ──<───────────────────┘
//! ```
//!
//! With `keep_average` of Percona Server a pass is a tenth of a second and a round has a hundred of them; one that flushes
//! for the share of dirty pages takes a second and the place of ten. The thread is what the machine calls the page cleaner;
//! whatever it does, it does alone and one after the other.
//!
//! It purges if there is no purge thread, until nothing is left, whatever else waits for it meanwhile.
//!
//! Changes of the change buffer are merged by asking for their pages to be read. While there is activity it does not wait
//! for them. In the idle loop the server waits for a place to post the next read; here the thread waits until all are read
//! (errs towards merging a little more slowly).
//!
//! Not here: dropping tables takes no time in this thread; its sync of the redo log is the machine's, once a second.

use super::adaptive::Adaptive;
use super::margin::{LogMargin, MarginStep};
use super::master::{
    FlushReason, OneSecondInput, final_flush_pages, low_io_flush_pages, round_merge_pages, srv_master_one_second,
};
use super::options::{Method, Options};
use crate::legacy::io::{ListLengths, min_n_per_instance, pct_io};
use crate::percona55::methods::FlushUpTo;
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::seam::{CleanerAction, CleanerInput, FlushKind, FlushRequest, FreeCheckWait, PassReport, View};

const SECOND: SimDuration = SimDuration::from_secs(1);
/// Pass of `keep_average`.
const TENTH: SimDuration = SimDuration::from_millis(100);
/// Pause of `estimate` when it finds a batch under way, before it tries again.
const BUSY_PAUSE: SimDuration = SimDuration::from_millis(5);

/// What the thread waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The end of the sleep at the top of a pass.
    Sleep,
    /// A step of its `log_free_check`.
    Margin,
    /// The reads of a pass for the change buffer.
    PassMerge,
    /// The flush of a pass.
    PassFlush,
    /// A pause before that flush is tried again.
    Retry,
    /// The flush of the 10-second part for low I/O.
    LowIoFlush,
    /// Its reads for the change buffer.
    RoundMerge,
    /// Its purge.
    RoundPurge,
    /// Its flush in any case.
    FinalFlush,
    /// Its checkpoint.
    RoundCheckpoint,
    /// The purge of the idle loop.
    IdlePurge,
    /// The reads of the idle loop for the change buffer.
    IdleMerge,
    /// The flush there, after pages whose changes were merged.
    IdleFlush { merged: u64 },
    /// The end of everybody's batches there.
    IdleWait(IdleWork),
    /// The checkpoint there.
    IdleCheckpoint(IdleWork),
    /// Activity.
    Suspended,
}

/// Pages that a turn of the idle loop has merged changes into, and those that its last flush has flushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct IdleWork {
    merged: u64,
    flushed: u64,
}

/// What a round began with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Round {
    /// Reads and writes so far.
    ios: u64,
    /// Activity counter.
    activity: u64,
    /// Passes done.
    passes: u64,
}

/// The master thread.
#[derive(Debug)]
pub(crate) struct MasterThread {
    io_capacity: u64,
    max_dirty_pages_pct: u64,
    purges: bool,
    instances: u64,
    step: Step,
    round: Round,
    ios_at_pass: u64,
    next_loop_time: SimTime,
    wait: FreeCheckWait,
    /// The flush of this pass.
    asked: FlushUpTo,
    pub(crate) adaptive: Adaptive,
    /// Pages that the last flush of a pass asked for.
    pub(crate) n_to_flush: u64,
}

impl MasterThread {
    pub(crate) fn new(options: &Options) -> Self {
        MasterThread {
            adaptive: Adaptive::new(options),
            io_capacity: options.io_capacity,
            max_dirty_pages_pct: options.max_dirty_pages_pct,
            purges: options.master_purges,
            instances: options.buffer_pool_instances,
            step: Step::Suspended,
            round: Round::default(),
            ios_at_pass: 0,
            next_loop_time: SimTime::ZERO,
            wait: FreeCheckWait::default(),
            asked: FlushUpTo::default(),
            n_to_flush: 0,
        }
    }

    /// The next step after `input`.
    pub(crate) fn next(&mut self, view: &View<'_>, input: CleanerInput, margin: &mut LogMargin) -> CleanerAction {
        let report = if let CleanerInput::Done(report) = input { report } else { PassReport::default() };
        let merged = if let CleanerInput::Merging { pages } = input { pages } else { 0 };
        match self.step {
            Step::Sleep => self.after_sleep(view, margin),
            Step::Margin => {
                self.wait.report = report;
                self.margin_step(view, margin)
            }
            Step::PassMerge => self.flush_as_asked(view, margin),
            Step::Retry => self.flush_up_to(0),
            Step::PassFlush => self.pass_flushed(view, report, margin),
            Step::LowIoFlush => self.round_merge(),
            Step::RoundMerge => self.round_purge(view),
            Step::RoundPurge => self.final_flush(view),
            Step::FinalFlush => self.enter(Step::RoundCheckpoint, CleanerAction::Checkpoint { wait: true }),
            Step::RoundCheckpoint if self.is_active(view) => self.begin_round(view, margin),
            Step::RoundCheckpoint => self.idle(),
            Step::IdlePurge if self.is_active(view) => self.begin_round(view, margin),
            Step::IdlePurge => self.idle_merge(),
            Step::IdleMerge if self.is_active(view) => self.begin_round(view, margin),
            Step::IdleMerge => self.idle_flush(merged),
            Step::IdleFlush { .. } if self.is_active(view) => self.begin_round(view, margin),
            Step::IdleFlush { merged } => {
                let work = IdleWork { merged, flushed: report.list_pages };
                self.enter(Step::IdleWait(work), CleanerAction::WaitForBatches)
            }
            Step::IdleWait(work) => self.enter(Step::IdleCheckpoint(work), CleanerAction::Checkpoint { wait: true }),
            Step::IdleCheckpoint(work) => self.idle_checkpoint_taken(view, work, margin),
            Step::Suspended => self.begin_round(view, margin),
        }
    }

    fn enter(&mut self, step: Step, action: CleanerAction) -> CleanerAction {
        self.step = step;
        action
    }

    /// Whether there was activity since the round began.
    fn is_active(&self, view: &View<'_>) -> bool {
        view.activity != self.round.activity
    }

    fn begin_round(&mut self, view: &View<'_>, margin: &mut LogMargin) -> CleanerAction {
        self.round = Round { ios: ios(view), activity: view.activity, passes: 0 };
        self.next_loop_time = view.now + period(self.adaptive.method);
        self.begin_pass(view, margin)
    }

    fn begin_pass(&mut self, view: &View<'_>, margin: &mut LogMargin) -> CleanerAction {
        self.ios_at_pass = ios(view);
        if self.next_loop_time <= view.now {
            return self.after_sleep(view, margin);
        }
        let until = self.next_loop_time.min(view.now + SECOND);
        self.enter(Step::Sleep, CleanerAction::Wait { until, wake_on_event: false })
    }

    fn after_sleep(&mut self, view: &View<'_>, margin: &mut LogMargin) -> CleanerAction {
        self.next_loop_time = view.now + period(self.adaptive.method);
        self.wait = FreeCheckWait::default();
        self.margin_step(view, margin)
    }

    /// `log_free_check` of the master thread, as any thread's.
    fn margin_step(&mut self, view: &View<'_>, margin: &mut LogMargin) -> CleanerAction {
        let action = match margin.next(view, &mut self.wait) {
            Some(MarginStep::Flush(request)) => CleanerAction::Flush(request),
            Some(MarginStep::WaitForBatches) => CleanerAction::WaitForBatches,
            Some(MarginStep::Checkpoint { wait }) => CleanerAction::Checkpoint { wait },
            None => return self.pass_work(view, margin),
        };
        self.enter(Step::Margin, action)
    }

    /// What a pass does once redo has room: some merging if I/O is low, then a flush for the share of dirty pages, or of
    /// what the method wants.
    fn pass_work(&mut self, view: &View<'_>, margin: &mut LogMargin) -> CleanerAction {
        let dirty_pct = dirty_pct(view);
        let wanted = if dirty_pct > self.max_dirty_pages_pct {
            self.adaptive.passed_over(view);
            self.takes_a_second();
            FlushUpTo::default()
        } else {
            self.adaptive.wanted(view)
        };
        let decision = srv_master_one_second(&OneSecondInput {
            dirty_pct,
            max_dirty_pages_pct: self.max_dirty_pages_pct,
            adaptive_flushing: self.adaptive.method != Method::Off,
            desired_rate: wanted.pages,
            pending_ios: pending_ios(view),
            ios: ios(view) - self.ios_at_pass,
            io_capacity: self.io_capacity,
        });
        self.asked = match (decision.flush_reason, self.adaptive.method) {
            (FlushReason::None, _) => FlushUpTo::default(),
            // The methods of Percona Server limit their batches by an LSN, not by the I/O capacity.
            (FlushReason::Adaptive, Method::Estimate | Method::KeepAverage) => wanted,
            _ => FlushUpTo { pages: decision.flush_pages, lsn_limit: u64::MAX },
        };
        self.n_to_flush = self.asked.pages;
        if decision.ibuf_merge_pages == 0 {
            return self.flush_as_asked(view, margin);
        }
        self.enter(Step::PassMerge, CleanerAction::MergeChanges { pages: decision.ibuf_merge_pages, wait: false })
    }

    /// A pass that is not the method's own is as long as in other methods.
    fn takes_a_second(&mut self) {
        let short = period(self.adaptive.method);
        self.round.passes += SECOND.0 / short.0 - 1;
        self.next_loop_time += SimDuration(SECOND.0 - short.0);
    }

    fn flush_as_asked(&mut self, view: &View<'_>, margin: &mut LogMargin) -> CleanerAction {
        if self.asked.pages == 0 {
            return self.end_pass(view, margin);
        }
        let lists = 0..view.lists.instances();
        let counts = self.adaptive.method == Method::Estimate && self.asked.lsn_limit < u64::MAX;
        self.flush_up_to(if counts { lists.map(|instance| view.lists.listed(instance)).sum() } else { 0 })
    }

    /// `pages_counted`: those that were gone through to decide this.
    fn flush_up_to(&mut self, pages_counted: u64) -> CleanerAction {
        let asked = self.asked;
        let request = FlushRequest {
            lsn_limit: asked.lsn_limit,
            limit_on_tail_only: asked.lsn_limit < u64::MAX,
            pages_counted,
            ..self.request(FlushKind::Adaptive, asked.pages)
        };
        self.enter(Step::PassFlush, CleanerAction::Flush(request))
    }

    fn pass_flushed(&mut self, view: &View<'_>, report: PassReport, margin: &mut LogMargin) -> CleanerAction {
        let limited = self.asked.lsn_limit < u64::MAX;
        if limited && self.adaptive.method == Method::Estimate && report.busy_instances > 0 {
            let until = view.now + BUSY_PAUSE;
            return self.enter(Step::Retry, CleanerAction::Wait { until, wake_on_event: false });
        }
        if self.adaptive.method == Method::KeepAverage {
            self.adaptive.flushed(report.list_pages);
        }
        if self.adaptive.method == Method::Reflex {
            // Reflex skips the sleep of the next pass.
            self.next_loop_time = view.now;
        }
        self.end_pass(view, margin)
    }

    fn end_pass(&mut self, view: &View<'_>, margin: &mut LogMargin) -> CleanerAction {
        if !self.is_active(view) {
            return self.idle();
        }
        self.round.passes += 1;
        if self.round.passes < passes(self.adaptive.method) {
            return self.begin_pass(view, margin);
        }
        let low_io = low_io_flush_pages(pending_ios(view), ios(view) - self.round.ios, self.io_capacity);
        if low_io == 0 {
            return self.round_merge();
        }
        let request = self.request(FlushKind::Background, low_io);
        self.enter(Step::LowIoFlush, CleanerAction::Flush(request))
    }

    fn round_merge(&mut self) -> CleanerAction {
        let pages = round_merge_pages(self.io_capacity);
        self.enter(Step::RoundMerge, CleanerAction::MergeChanges { pages, wait: false })
    }

    fn round_purge(&mut self, view: &View<'_>) -> CleanerAction {
        if self.purges {
            return self.enter(Step::RoundPurge, CleanerAction::Purge);
        }
        self.final_flush(view)
    }

    fn final_flush(&mut self, view: &View<'_>) -> CleanerAction {
        let pages = final_flush_pages(dirty_pct(view), self.io_capacity);
        let request = self.request(FlushKind::Background, pages);
        self.enter(Step::FinalFlush, CleanerAction::Flush(request))
    }

    fn idle(&mut self) -> CleanerAction {
        if self.purges {
            return self.enter(Step::IdlePurge, CleanerAction::Purge);
        }
        self.idle_merge()
    }

    fn idle_merge(&mut self) -> CleanerAction {
        let pages = pct_io(self.io_capacity, 100);
        self.enter(Step::IdleMerge, CleanerAction::MergeChanges { pages, wait: true })
    }

    fn idle_flush(&mut self, merged: u64) -> CleanerAction {
        let request = self.request(FlushKind::Background, pct_io(self.io_capacity, 100));
        self.enter(Step::IdleFlush { merged }, CleanerAction::Flush(request))
    }

    fn idle_checkpoint_taken(&mut self, view: &View<'_>, work: IdleWork, margin: &mut LogMargin) -> CleanerAction {
        if dirty_pct(view) > self.max_dirty_pages_pct {
            return self.idle_flush(work.merged);
        }
        if self.is_active(view) {
            return self.begin_round(view, margin);
        }
        if work.merged + work.flushed > 0 {
            return self.idle();
        }
        let lsn = view.current_lsn + 1;
        self.enter(Step::Suspended, CleanerAction::WaitForWork { until: SimTime::NEVER, dirty_pages: u64::MAX, lsn })
    }

    /// `buf_flush_list` without limit of LSN.
    fn request(&self, kind: FlushKind, pages: u64) -> FlushRequest {
        FlushRequest::list(kind, vec![min_n_per_instance(pages, self.instances); self.instances as usize])
    }
}

/// Length of a pass.
fn period(method: Method) -> SimDuration {
    if method == Method::KeepAverage { TENTH } else { SECOND }
}

/// Passes of a round.
fn passes(method: Method) -> u64 {
    if method == Method::KeepAverage { 100 } else { 10 }
}

/// `n_ios`: reads and writes so far.
fn ios(view: &View<'_>) -> u64 {
    view.redo_writes + view.page_reads + view.page_writes
}

/// Reads and writes in flight.
fn pending_ios(view: &View<'_>) -> u64 {
    view.pending_reads + view.pending_writes + u64::from(view.redo_sync_in_progress)
}

/// Dirty pages, whole percent of the pool.
fn dirty_pct(view: &View<'_>) -> u64 {
    ListLengths { lru: view.lru_pages, free: view.free_pages, flush_list: view.dirty_pages }.modified_ratio_pct()
}
