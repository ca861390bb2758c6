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
    let device_active = course.mean(Track::DeviceActive, course.within(course.counted_from_s, course.end_s()));
    let what = What::Busy { device, device_active, cpu, device_full_s };
    let known = [device, device_active, cpu].iter().any(Option::is_some);
    known.then(|| Event { at_s: course.end_s(), what })
}
