//! Worlds that try to stop the clock: no sequence of answers may keep a thread busy within one instant.

use super::*;

/// A small reproducible generator for the tests.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// A machine reduced to marks that move at random, with a cleaner and a checkpointer that are always answered at once
/// or at random times. Counts the calls in one instant.
struct Machine {
    dice: Dice,
    lists: Lists,
    now: SimTime,
    current: u64,
    durable: u64,
    checkpoint: u64,
    oldest: u64,
    activity: u64,
    calls_now: u32,
}

impl Machine {
    fn view(&self) -> View<'_> {
        View {
            current_lsn: self.current,
            written_lsn: self.current,
            durable_lsn: self.durable,
            last_checkpoint_lsn: self.checkpoint,
            oldest_modification_lsn: self.oldest,
            dirty_pages: if self.oldest == 0 { 0 } else { 50_000 },
            activity: self.activity,
            pending_reads: self.activity % 3,
            ..view(&self.lists, self.now)
        }
    }

    fn advance(&mut self, to: SimTime) {
        if to > self.now {
            self.now = to;
            self.calls_now = 0;
        }
    }

    /// The world moves on: redo, flushing, activity.
    fn change(&mut self) {
        match self.dice.roll(6) {
            0 => self.current += self.dice.roll(60_000_000),
            1 => self.durable = self.current,
            2 if self.oldest == 0 => self.oldest = self.current.max(self.checkpoint + 1),
            2 => self.oldest = (self.oldest + self.dice.roll(80_000_000)).min(self.current),
            3 => self.oldest = 0,
            4 => self.activity += 1,
            _ => {}
        }
    }
}

impl Machine {
    fn new(seed: u64, instances: u32) -> Self {
        Machine {
            dice: Dice(seed * 2 + 1),
            lists: Lists(instances, 10),
            now: SimTime::ZERO,
            current: 8204,
            durable: 8204,
            checkpoint: 8204,
            oldest: 0,
            activity: 0,
            calls_now: 0,
        }
    }

    /// Answers the cleaner, at once or later; the second value tells of the end of a pass.
    fn answer_cleaner(
        &mut self,
        server: &mut dyn ServerModel,
        action: CleanerAction,
        event: &mut bool,
    ) -> (CleanerAction, bool) {
        match action {
            CleanerAction::Wait { wake_on_event: true, .. } if *event => {
                *event = false;
                (server.cleaner(&self.view(), CleanerInput::Event), false)
            }
            CleanerAction::Wait { until, .. } if until <= self.now || self.dice.roll(2) == 0 => {
                self.advance(until);
                (server.cleaner(&self.view(), CleanerInput::Timeout), false)
            }
            CleanerAction::Wait { .. } => (action, false),
            CleanerAction::SyncRedo => {
                let took = SimDuration::from_micros(self.dice.roll(3) * 20_000);
                self.advance(self.now + took);
                self.durable = self.current;
                (server.cleaner(&self.view(), CleanerInput::RedoSynced), false)
            }
            CleanerAction::Flush(request) => {
                assert_eq!(request.slots.len(), self.lists.instances() as usize);
                let mut report = PassReport::default();
                if self.dice.roll(4) == 0 {
                    let took = SimDuration::from_micros(self.dice.roll(2_000_000));
                    self.advance(self.now + took);
                    report.list_pages = request.slots.iter().sum::<u64>() / 2;
                }
                let next = server.cleaner(&self.view(), CleanerInput::Done(report));
                if let CleanerAction::Wait { until, .. } = next {
                    assert!(until > self.now, "a pass that ends in no wait");
                }
                (next, true)
            }
            other => unreachable!("8.0 never asks for {other:?}"),
        }
    }

    /// Answers the checkpointer, at once or later.
    fn answer_checkpointer(
        &mut self,
        server: &mut dyn ServerModel,
        action: CheckpointerAction,
        ticked: bool,
    ) -> CheckpointerAction {
        match action.next {
            CheckpointerNext::Write { lsn } => {
                assert!(lsn <= self.durable && lsn >= self.checkpoint, "a checkpoint outside its limits");
                assert!(self.oldest == 0 || lsn <= self.oldest.max(self.checkpoint), "a checkpoint above a dirty page");
                self.advance(self.now + SimDuration::from_micros(100));
                self.checkpoint = lsn;
                server.checkpointer(&self.view(), CheckpointerInput::Written)
            }
            CheckpointerNext::WriteOldest => unreachable!("8.0 names the LSN"),
            CheckpointerNext::Wait { on_cleaner_tick: true, .. } if ticked => {
                server.checkpointer(&self.view(), CheckpointerInput::CleanerTick)
            }
            CheckpointerNext::Wait { timeout, .. } => {
                assert!(timeout > SimDuration::ZERO);
                match self.dice.roll(8) {
                    0 => {
                        self.advance(self.now + timeout);
                        server.checkpointer(&self.view(), CheckpointerInput::Timeout)
                    }
                    1 => {
                        let _ = server.free_check(&self.view(), &mut FreeCheckWait::default());
                        server.checkpointer(&self.view(), CheckpointerInput::Event)
                    }
                    _ => action,
                }
            }
        }
    }
}

/// Drives cleaner and checkpointer with random answers for `steps` steps.
fn drive(model: ModelId, seed: u64, steps: u32, flush_sync: bool) {
    let s = settings(model, &[("innodb_flush_sync", Value::Switch(flush_sync))]);
    let mut server = build(&s).unwrap();
    let mut m = Machine::new(seed, server.config().buffer_pool.instances);
    let mut cleaner = server.cleaner(&m.view(), CleanerInput::Start);
    let mut checkpointer = server.checkpointer(&m.view(), CheckpointerInput::Start);
    let mut event = false;
    for _ in 0..steps {
        m.change();
        m.calls_now += 1;
        assert!(m.calls_now < 40, "{model}: too many calls at {} (cleaner {cleaner:?})", m.now);
        event |= checkpointer.wake_cleaner || m.dice.roll(10) == 0;
        checkpointer.wake_cleaner = false;
        let ticked;
        (cleaner, ticked) = m.answer_cleaner(server.as_mut(), cleaner, &mut event);
        checkpointer = m.answer_checkpointer(server.as_mut(), checkpointer, ticked);
    }
    assert!(m.now > SimTime(1_000_000_000), "{model}: time stood still");
}

#[test]
fn random_worlds_never_stop_the_clock() {
    for model in MODELS {
        for seed in 1..40 {
            drive(model, seed, 3000, seed % 3 != 0);
        }
    }
}

/// A world that stands still, answered at once: how many calls it takes until both threads wait for time to pass
/// or write a checkpoint, which takes time.
fn calls_until_quiet(
    server: &mut dyn ServerModel,
    frozen: &View<'_>,
    inputs: (CleanerInput, CheckpointerInput),
) -> u32 {
    let mut calls = 2;
    let mut cleaner = server.cleaner(frozen, inputs.0);
    let mut checkpointer = server.checkpointer(frozen, inputs.1);
    let mut event = true;
    loop {
        event |= checkpointer.wake_cleaner;
        checkpointer.wake_cleaner = false;
        let tick = matches!(cleaner, CleanerAction::Flush(_));
        cleaner = match cleaner {
            CleanerAction::Flush(_) => server.cleaner(frozen, CleanerInput::Done(PassReport::default())),
            CleanerAction::SyncRedo => server.cleaner(frozen, CleanerInput::RedoSynced),
            CleanerAction::Wait { wake_on_event: true, .. } if event => {
                event = false;
                server.cleaner(frozen, CleanerInput::Event)
            }
            quiet => quiet,
        };
        checkpointer = match checkpointer.next {
            CheckpointerNext::Wait { on_cleaner_tick: true, .. } if tick => {
                server.checkpointer(frozen, CheckpointerInput::CleanerTick)
            }
            _ => checkpointer,
        };
        let waits = matches!(cleaner, CleanerAction::Wait { wake_on_event, .. } if !(wake_on_event && event));
        let quiet = !checkpointer.wake_cleaner;
        calls += 1;
        if (waits && quiet) || calls > 1000 {
            return calls;
        }
    }
}

#[test]
fn a_world_that_stands_still_comes_to_rest() {
    let mut dice = Dice(77);
    for round in 0..4000_u64 {
        let model = MODELS[(round % 4) as usize];
        let s = settings(model, &[("innodb_flush_sync", Value::Switch(round % 3 > 0))]);
        let mut server = build(&s).unwrap();
        let lists = Lists(server.config().buffer_pool.instances, dice.roll(3) * 100);
        let current = 8204 + dice.roll(11) * 100_000_000 + dice.roll(600);
        let frozen = View {
            current_lsn: current,
            durable_lsn: current - dice.roll(2) * dice.roll(current - 8203),
            oldest_modification_lsn: dice.roll(2) * (8204 + dice.roll(current - 8203)),
            activity: dice.roll(3),
            pending_reads: dice.roll(2),
            ..view(&lists, SimTime(dice.roll(4) * 700_000_000))
        };
        let start = view(&lists, SimTime::ZERO);
        server.cleaner(&start, CleanerInput::Start);
        server.checkpointer(&start, CheckpointerInput::Start);
        let _ = server.free_check(&frozen, &mut FreeCheckWait::default());
        server.writer_in_extra_margin(&frozen, dice.roll(2) == 0);
        let inputs = match dice.roll(3) {
            0 => (CleanerInput::Event, CheckpointerInput::Event),
            1 => (CleanerInput::Timeout, CheckpointerInput::Timeout),
            _ => (CleanerInput::Timeout, CheckpointerInput::Event),
        };
        let calls = calls_until_quiet(server.as_mut(), &frozen, inputs);
        assert!(calls < 20, "{model}: {calls} calls in one instant: {frozen:?} {server:?}", server = s.model);
    }
}
