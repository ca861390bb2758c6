//! Settings beside those in force, and which of them would have led to the same decisions so far. No source: nothing here is
//! of a server.
//!
//! As long as they would, a server with them is the same server, byte by byte. What a pass decides is looked at as it is
//! decided. Settings that move averages or choose between kinds of passes are not followed: they agree only if they are equal.

use innosim_core::seam::LiveSettings;

/// Other settings, each until it disagrees.
#[derive(Debug, Clone, Default)]
pub(super) struct Others {
    agreeing: Vec<(usize, LiveSettings)>,
    count: usize,
}

impl Others {
    /// These, beside `own`.
    pub(super) fn beside(own: LiveSettings, others: &[LiveSettings]) -> Self {
        let alike = |other: &LiveSettings| {
            let LiveSettings { flushing_avg_loops, flush_sync, idle_flush_pct, .. } = *other;
            (flushing_avg_loops, flush_sync, idle_flush_pct)
                == (own.flushing_avg_loops, own.flush_sync, own.idle_flush_pct)
        };
        let agreeing = others.iter().copied().enumerate().filter(|(_, other)| alike(other)).collect();
        Others { agreeing, count: others.len() }
    }

    /// Something was decided, and those who would not have decided the same don't agree any more.
    pub(super) fn decided(&mut self, same: impl Fn(LiveSettings) -> bool) {
        self.agreeing.retain(|(_, other)| same(*other));
    }

    /// Which of them agree, one by one.
    pub(super) fn agreeing(&self) -> Vec<bool> {
        let mut agree = vec![false; self.count];
        self.agreeing.iter().for_each(|(place, _)| agree[*place] = true);
        agree
    }
}
