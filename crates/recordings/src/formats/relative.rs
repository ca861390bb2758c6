//! Samples that hold differences to the sample before (`mysqladmin -r`, `pt-mext -r`), made whole again.
//!
//! Both print the first sample as it is and then differences, of counters and gauges alike, so that sums restore every
//! value exactly. Neither says so in its output; what gives them away is a constant: `Innodb_page_size` becomes 0.

use std::collections::BTreeMap;

/// Whether the samples are differences.
pub(super) fn is_relative(columns: &BTreeMap<String, Vec<f64>>) -> bool {
    if let Some([first, second, ..]) = columns.get("Innodb_page_size").map(Vec::as_slice) {
        return *first > 0.0 && *second == 0.0;
    }
    // Without it: time since the server's start that stays at the length of an interval. A server that was started anew
    // grows older.
    match columns.get("Uptime").map(Vec::as_slice) {
        Some([first, rest @ ..]) if rest.len() > 1 => {
            rest.iter().all(|uptime| uptime < first) && rest[rest.len() - 1] <= rest[0] + 2.0
        }
        _ => false,
    }
}

/// Sums up; a sample that a counter is missing from did not change it.
pub(super) fn accumulate(columns: &mut BTreeMap<String, Vec<f64>>) {
    for values in columns.values_mut() {
        let mut sum = 0.0;
        for value in values {
            sum += if value.is_finite() { *value } else { 0.0 };
            *value = sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(name: &str, values: &[f64]) -> BTreeMap<String, Vec<f64>> {
        BTreeMap::from([(name.to_owned(), values.to_vec())])
    }

    #[test]
    fn constants_give_differences_away() {
        assert!(is_relative(&columns("Innodb_page_size", &[16384.0, 0.0, 0.0])));
        assert!(!is_relative(&columns("Innodb_page_size", &[16384.0, 16384.0])));
        assert!(is_relative(&columns("Uptime", &[500.0, 10.0, 10.0, 11.0])));
        assert!(!is_relative(&columns("Uptime", &[500.0, 3.0, 13.0, 23.0])), "a server that was started anew");
        assert!(!is_relative(&columns("Questions", &[500.0, 3.0, 13.0])));
    }

    #[test]
    fn sums_restore_gauges_too() {
        let mut columns = columns("Innodb_buffer_pool_pages_dirty", &[645.0, 122.0, f64::NAN, -700.0]);
        accumulate(&mut columns);
        assert_eq!(columns["Innodb_buffer_pool_pages_dirty"], [645.0, 767.0, 767.0, 67.0]);
    }
}
