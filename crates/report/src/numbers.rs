//! Numbers as people read them: thousands separators, binary units, as many digits as matter.
//!
//! Ages and sizes are in KiB, MiB, GiB (powers of 1024), as the servers' settings are.

use serde_json::{Value, json};

/// A binary unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteUnit {
    /// Its name: `GiB`.
    pub name: &'static str,
    /// Its size, bytes.
    pub bytes: u64,
}

const UNITS: [ByteUnit; 5] = [
    ByteUnit { name: "TiB", bytes: 1 << 40 },
    ByteUnit { name: "GiB", bytes: 1 << 30 },
    ByteUnit { name: "MiB", bytes: 1 << 20 },
    ByteUnit { name: "KiB", bytes: 1 << 10 },
    ByteUnit { name: "B", bytes: 1 },
];

impl ByteUnit {
    /// The largest unit of which `bytes` holds at least one; bytes for less.
    pub fn for_size(bytes: f64) -> ByteUnit {
        UNITS.into_iter().find(|u| bytes >= u.bytes as f64).unwrap_or(UNITS[4])
    }

    /// `bytes` in this unit, without the unit's name, with three or four digits.
    pub fn format(self, bytes: f64) -> String {
        let value = bytes / self.bytes as f64;
        match self.bytes {
            1 => decimal(value, 0),
            _ if value >= 100.0 => decimal(value, 0),
            _ if value >= 10.0 => decimal(value, 1),
            _ => decimal(value, 2),
        }
    }
}

/// Bytes with the unit that suits them: `16.6 GiB`.
pub fn bytes(value: f64) -> String {
    let unit = ByteUnit::for_size(value);
    format!("{} {}", unit.format(value), unit.name)
}

/// `value` with `decimals` digits after the point and commas between thousands: `8,018.56`.
pub fn decimal(value: f64, decimals: usize) -> String {
    let plain = format!("{value:.decimals$}");
    let (sign, digits) = match plain.strip_prefix('-') {
        // -0 is 0.
        Some(digits) if digits.chars().any(|c| c.is_ascii_digit() && c != '0') => ("-", digits),
        Some(digits) => ("", digits),
        None => ("", plain.as_str()),
    };
    let whole_length = digits.find('.').unwrap_or(digits.len());
    let mut text = String::from(sign);
    for (i, c) in digits.char_indices() {
        if i > 0 && i < whole_length && (whole_length - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(c);
    }
    text
}

/// A count or rate with about three digits: `8,019`, `97.4`, `3.25`, `0.041`, `0`.
pub fn rate(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if size >= 100.0 => decimal(value, 0),
        _ if size >= 10.0 => decimal(value, 1),
        _ if size >= 0.1 => decimal(value, 2),
        _ if size < 0.0005 => "0".to_owned(),
        _ => decimal(value, 3),
    }
}

/// A whole count: `1,234,567`.
pub fn count(value: f64) -> String {
    decimal(value.round(), 0)
}

/// A count, or the mean of those of several replications, which is below 1 where most have none: `12`, `0.33`.
pub fn mean_count(value: f64) -> String {
    if value < 1.0 { rate(value) } else { count(value) }
}

/// Milliseconds: `14.7 ms`; from ten seconds up in seconds: `12.3 s`.
pub fn milliseconds(value: f64) -> String {
    if value >= 10_000.0 { format!("{} s", decimal(value / 1000.0, 1)) } else { format!("{} ms", rate(value)) }
}

/// Seconds: `0.42 s`, `38.1 s`, `1,204 s`.
pub fn seconds(value: f64) -> String {
    format!("{} s", rate(value))
}

/// A share of 1 in percent: `92 %`; `0.4 %` where a whole number would say 0, `<0.1 %` where that would.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 0.05 {
        return "<0.1 %".to_owned();
    }
    let decimals = if percent > 0.0 && percent < 9.95 { 1 } else { 0 };
    format!("{} %", decimal(percent, decimals))
}

/// A tick of an axis: no trailing zeros, and `k`-free until a million (`1.5M`, `2G`).
pub fn tick(value: f64) -> String {
    let (scaled, suffix) = match value.abs() {
        v if v >= 1e12 => (value / 1e12, "T"),
        v if v >= 1e9 => (value / 1e9, "G"),
        v if v >= 1e6 => (value / 1e6, "M"),
        _ => (value, ""),
    };
    let text = decimal(scaled, 6);
    format!("{}{suffix}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// What `value` is to JSON and CSV: whole numbers without a point, others with at most nine significant digits, the
/// same text on every machine.
pub fn compact(value: f64) -> String {
    format!("{}", rounded(value))
}

/// `value` rounded to nine significant digits; from a million up to a whole number.
pub fn rounded(value: f64) -> f64 {
    if !value.is_finite() {
        return 0.0;
    }
    if value.abs() >= 1e6 {
        return value.round();
    }
    format!("{value:.8e}").parse().unwrap_or(value)
}

/// A number for JSON: [`rounded`], and without a point where it is whole.
pub fn json_number(value: f64) -> Value {
    let value = rounded(value);
    // 2^53: up to here every whole number is exact.
    if value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0 { json!(value as i64) } else { json!(value) }
}

/// The value with all its real numbers as [`json_number`] has them.
pub fn tidy(value: Value) -> Value {
    match value {
        Value::Array(values) => values.into_iter().map(tidy).collect(),
        Value::Object(fields) => Value::Object(fields.into_iter().map(|(name, value)| (name, tidy(value))).collect()),
        Value::Number(number) if number.is_f64() => number.as_f64().map_or(Value::Null, json_number),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands() {
        let cases = [
            (0.0, 0, "0"),
            (-0.2, 0, "0"),
            (999.0, 0, "999"),
            (1000.0, 0, "1,000"),
            (-1234.5, 1, "-1,234.5"),
            (1_234_567.891, 2, "1,234,567.89"),
        ];
        for (value, decimals, text) in cases {
            assert_eq!(decimal(value, decimals), text);
        }
    }

    #[test]
    fn binary_units() {
        assert_eq!(bytes(0.0), "0 B");
        assert_eq!(bytes(1023.0), "1,023 B");
        assert_eq!(bytes(1024.0), "1.00 KiB");
        assert_eq!(bytes(512.0 * 1024.0 * 1024.0), "512 MiB");
        assert_eq!(bytes(16.61 * 1024f64.powi(3)), "16.6 GiB");
        assert_eq!(bytes(9e15), "8,185 TiB");
    }

    #[test]
    fn rates_times_shares() {
        assert_eq!([8018.56, 97.44, 3.254, 0.0412, 0.0001].map(rate), ["8,019", "97.4", "3.25", "0.041", "0"]);
        assert_eq!([14.73, 9999.0, 12_345.0].map(milliseconds), ["14.7 ms", "9,999 ms", "12.3 s"]);
        assert_eq!([0.0, 1e-6, 0.004, 0.924, 1.0].map(percent), ["0 %", "<0.1 %", "0.4 %", "92 %", "100 %"]);
    }

    #[test]
    fn ticks() {
        assert_eq!([0.0, 0.25, 8000.0, 1.5e6, 2e9].map(tick), ["0", "0.25", "8,000", "1.5M", "2G"]);
    }

    #[test]
    fn compact_is_short_and_safe() {
        assert_eq!([0.1 + 0.2, 3.0, 17_835_890_123.4].map(compact), ["0.3", "3", "17835890123"]);
        assert_eq!(compact(f64::NAN), "0");
        assert_eq!(compact(1.0 / 3.0), "0.333333333");
    }
}
