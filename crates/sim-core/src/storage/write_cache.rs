//! The write cache of a controller, which a battery keeps: a write is complete once it lies there.
//!
//! The disks work off what lies in the cache in the order in which it came. A write that finds no room waits until the
//! disks have made some, and so do all that come after it: a server that writes for minutes goes at the rate of the
//! disks, one that writes now and then does not feel them. What is written over and over, the doublewrite buffer, is
//! written again before the disks come to it and costs them nothing; so is redo here, which they do write once a turn of the log
//! (errs towards faster disks, by the share of redo in all that is written).
//!
//! Sorting is not in here: the controller writes what it keeps in the order of addresses, so that the seeks of the device that
//! the scenario describes are short ones.

use super::spec::{ArraySpec, DeviceSpec};
use crate::kernel::time::{SimDuration, SimTime};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Writes that the disks have not done yet.
#[derive(Debug, Clone)]
pub(super) struct WriteCache {
    capacity: u64,
    held: u64,
    /// When the disks have done each, and its bytes.
    on_disk: BinaryHeap<Reverse<(SimTime, u64)>>,
    /// When the last write found room.
    last: SimTime,
    link_bytes_per_s: Option<f64>,
}

impl WriteCache {
    /// The empty cache of a device, if it has one.
    pub(super) fn new(spec: &DeviceSpec) -> Option<WriteCache> {
        let ArraySpec { cache_bytes, .. } = spec.array.as_ref()?;
        Some(WriteCache {
            capacity: *cache_bytes,
            held: 0,
            on_disk: BinaryHeap::new(),
            last: SimTime::ZERO,
            link_bytes_per_s: spec.link_bytes_per_s,
        })
    }

    /// When a write of `bytes` that comes at `at` finds room; the disks will have done it at `done`.
    pub(super) fn admit(&mut self, at: SimTime, bytes: u64, done: SimTime) -> SimTime {
        let mut entered = at.max(self.last);
        while let Some(&Reverse((gone, size))) = self.on_disk.peek() {
            if gone > entered && self.held + bytes <= self.capacity {
                break;
            }
            self.on_disk.pop();
            self.held -= size;
            entered = entered.max(gone);
        }
        self.held += bytes;
        self.on_disk.push(Reverse((done.max(entered), bytes)));
        self.last = entered;
        entered
    }

    /// Time in which `bytes` come over the link.
    pub(super) fn transfer(&self, bytes: u64) -> SimDuration {
        let ns = self.link_bytes_per_s.map_or(0.0, |rate| bytes as f64 * 1e9 / rate);
        SimDuration((ns + 0.5) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_wait_for_room_and_for_those_before_them() {
        let array = ArraySpec { cache_bytes: 100, strip_bytes: 1, head_bytes_per_s: 1.0 };
        let spec = DeviceSpec { array: Some(array), link_bytes_per_s: Some(1e9), ..DeviceSpec::instant("array") };
        let mut cache = WriteCache::new(&spec).unwrap();
        let mut admit = |at: u64, bytes: u64, done: u64| cache.admit(SimTime(at), bytes, SimTime(done)).0;
        assert_eq!([admit(0, 60, 50), admit(0, 40, 90)], [0, 0], "both fit");
        assert_eq!(admit(10, 10, 120), 50, "no room until the first is on the disks");
        assert_eq!(admit(20, 10, 130), 50, "none overtakes");
        assert_eq!(admit(60, 40, 200), 60, "60 bytes are there, of which 40 go at 90");
        assert_eq!(admit(61, 1, 300), 90);
        assert_eq!(admit(500, 100, 600), 500, "all is done long ago");
        assert_eq!(WriteCache::new(&DeviceSpec::instant("d")).map(|_| ()), None);
        assert_eq!(cache.transfer(5).0, 5);
    }
}
