//! `innodb_empty_free_list_algorithm = backoff` of Percona Server (`percona` section 4.3): a user thread that finds no
//! free page neither scans nor flushes; it pauses and looks again, longer each time.

/// Longest pause, microseconds.
const LONGEST_PAUSE_US: u64 = 10_000;

/// Pause before the next look after `iteration` looks in vain (from 0), microseconds; 0 yields the CPU only.
pub fn backoff_sleep_us(iteration: u64, high_priority: bool) -> u64 {
    let exponent = match iteration {
        0..=2 => return 0,
        3..=5 => iteration - 3,
        6 | 7 => 4,
        8..=10 => 5,
        _ => iteration - 5,
    };
    let pause = if exponent < 14 { 1 << exponent } else { LONGEST_PAUSE_US };
    if high_priority { pause / 100 } else { pause }
}
