//! How full device and processors were.

use crate::course::{Course, Track};
use crate::event::{Event, What};
use crate::flushing::FULL;

pub(crate) fn whole(course: &Course) -> Option<Event> {
    let counted = course.within(course.counted_from_s, course.end_s());
    let device = course.mean(Track::DeviceBusy, counted.clone());
    let cpu = course.mean(Track::CpuBusy, counted.clone()).or(course.cpu_busy_mean);
    let busy = course.track(Track::DeviceBusy);
    let device_full_s =
        busy.map_or(0.0, |busy| counted.filter(|&i| busy[i] >= FULL).map(|i| course.steps[i]).sum::<f64>());
    (device.is_some() || cpu.is_some())
        .then(|| Event { at_s: course.end_s(), what: What::Busy { device, cpu, device_full_s } })
}
