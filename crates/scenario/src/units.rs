//! Units that people write: lengths of time and bytes a second.
//!
//! Time is read exactly, in integers, and needs a unit: a bare `600` could be seconds or milliseconds, and a wrong
//! guess costs an hour. Bytes are binary for `K`, `M`, `G` (as in my.cnf) and `KiB`, `MiB`, `GiB`, decimal for `KB`,
//! `MB`, `GB` (as on data sheets).

/// Longest time that can be written: about 31 years, far below the end of the 64-bit nanoseconds.
pub(crate) const LONGEST_NS: u64 = 1_000_000_000_000_000_000;

const UNITS_NS: [(&str, u64); 9] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
];

/// What is wrong with a length of time, in words that complete "`60x` is no length of time: ...".
pub(crate) type UnitProblem = String;

/// Nanoseconds of `5000s`, `1.5ms`, `1h30m`, `250us`.
pub fn parse_duration(text: &str) -> Result<u64, String> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err("it is empty".to_owned());
    }
    let mut total: u128 = 0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_').unwrap_or(rest.len());
        let (number, after) = rest.split_at(digits);
        let after = after.trim_start();
        let unit_len = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_len);
        if number.is_empty() {
            return Err(format!("expected a number at `{rest}`"));
        }
        if unit.is_empty() {
            return Err("it has no unit".to_owned());
        }
        let Some((_, scale)) = UNITS_NS.iter().find(|(name, _)| *name == unit) else {
            return Err(format!("`{unit}` is no unit of time"));
        };
        total += scaled(number, *scale).ok_or_else(|| format!("`{number}` is not a number"))?;
        if total > u128::from(LONGEST_NS) {
            return Err("it is longer than 31 years".to_owned());
        }
        rest = after.trim_start();
    }
    u64::try_from(total).map_err(|_| "it is too long".to_owned())
}

/// `number * scale`, rounded down, where the number may have decimals; digits past the 18th decimal are dropped.
fn scaled(number: &str, scale: u64) -> Option<u128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || number.ends_with('.') {
        return None;
    }
    let digits = |text: &str| -> Option<u128> {
        let text = text.replace('_', "");
        if text.len() > 19 { None } else { text.parse().ok() }
    };
    let mut value = digits(whole)?.checked_mul(u128::from(scale))?;
    if !fraction.is_empty() {
        let fraction: String = fraction.chars().take(18).collect();
        let power = 10_u128.pow(u32::try_from(fraction.replace('_', "").len()).ok()?);
        value += digits(&fraction)? * u128::from(scale) / power;
    }
    Some(value)
}

/// A length of time as [`parse_duration`] reads it: `5000s`, `1500ms`, `85us`, `7ns`.
pub(crate) fn format_duration(ns: u64) -> String {
    let (unit, scale) = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)]
        .into_iter()
        .find(|(_, s)| ns.is_multiple_of(*s))
        .unwrap_or(("ns", 1));
    format!("{}{unit}", ns / scale)
}

const UNITS_BYTES: [(&str, f64); 14] = [
    ("", 1.0),
    ("B", 1.0),
    ("K", 1024.0),
    ("M", 1_048_576.0),
    ("G", 1_073_741_824.0),
    ("T", 1_099_511_627_776.0),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
    ("KB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
];

/// Bytes a second of `468MiB/s`, `530MB`, `60M`.
pub(crate) fn parse_bandwidth(text: &str) -> Result<f64, UnitProblem> {
    let text = text.trim();
    let text = text.strip_suffix("/s").unwrap_or(text).trim_end();
    let split = text.find(|c: char| c.is_alphabetic() && c != 'e' && c != 'E').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: f64 = number.trim().parse().map_err(|_| format!("`{}` is not a number", number.trim()))?;
    let Some((_, scale)) = UNITS_BYTES.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit)) else {
        return Err(format!("`{unit}` is no unit of bytes"));
    };
    Ok(number * scale)
}

/// A name or title as it can stand in a line of a terminal, in a picture and in a file: ends of lines and tabs are
/// blanks, other control characters are written out.
pub fn in_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => line.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => line.extend(c.escape_unicode()),
            c => line.push(c),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn durations_are_exact() {
        for (text, ns) in [
            ("5000s", 5_000_000_000_000),
            ("1.5ms", 1_500_000),
            ("0.000000001s", 1),
            ("1h30m", 5_400_000_000_000),
            ("2 min 5 s", 125_000_000_000),
            ("85µs", 85_000),
            ("0ms", 0),
            ("1_000us", 1_000_000),
        ] {
            assert_eq!(parse_duration(text), Ok(ns), "{text}");
        }
        for text in
            ["", "600", "s", "-5s", "1e3s", "5x", "1.s", ".5s", "NaNs", "99999999999999999999s", "40000d", "5s 6"]
        {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn bandwidth_knows_binary_and_decimal_units() {
        assert_eq!(parse_bandwidth("468MiB/s"), Ok(468.0 * 1_048_576.0));
        assert_eq!(parse_bandwidth("530 MB/s"), Ok(530e6));
        assert_eq!(parse_bandwidth("60m"), Ok(60.0 * 1_048_576.0));
        assert_eq!(parse_bandwidth("1e6"), Ok(1e6));
        for text in ["", "fast", "10X", "MB", "1.2.3M"] {
            assert!(parse_bandwidth(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_duration_survives_being_written(ns in 0..=LONGEST_NS) {
            prop_assert_eq!(parse_duration(&format_duration(ns)), Ok(ns));
        }

        #[test]
        fn no_text_panics(text in ".{0,40}") {
            let _ = parse_duration(&text);
            let _ = parse_bandwidth(&text);
        }
    }
}
