//! Times in people's files: which clock they are of, and how clocks are tied together.

/// Seconds of a day.
pub(crate) const DAY_S: f64 = 86_400.0;

/// Where a file's time axis has its zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Clock {
    /// 1970-01-01 00:00:00 UTC.
    Unix,
    /// The same reading of a clock on the wall, of an unknown zone.
    Local,
    /// Start of the server.
    Uptime,
    /// Unknown.
    #[default]
    Own,
}

/// A time on clock `to` = the time on clock `from` + `offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Link {
    pub(crate) from: Clock,
    pub(crate) to: Clock,
    pub(crate) offset: f64,
}

/// Seconds since 1970-01-01 00:00:00, of `2026-11-21 15:20:23`, `2026-11-21T15:20:23.5` or `261121 15:20:23` (hours may
/// have one digit); with what follows it.
pub(crate) fn parse_date_time(text: &str) -> Option<(f64, &str)> {
    let text = text.trim_start();
    let date_end = text.find([' ', 'T'])?;
    let (date, rest) = (&text[..date_end], text[date_end + 1..].trim_start());
    let days = parse_date(date)?;
    let (seconds, rest) = parse_time_of_day(rest)?;
    Some((days as f64 * DAY_S + seconds, rest))
}

/// Seconds since midnight, of `15:20:23` or `9:02:34.5`; with what follows it.
pub(crate) fn parse_time_of_day(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || ":.".contains(c))).unwrap_or(text.len());
    let mut parts = text[..end].split(':');
    let hour: u32 = parts.next()?.parse().ok()?;
    let minute: u32 = parts.next()?.parse().ok()?;
    let second: f64 = parts.next()?.parse().ok()?;
    if hour > 23 || minute > 59 || !(0.0..61.0).contains(&second) || parts.next().is_some() {
        return None;
    }
    Some((f64::from(hour * 3600 + minute * 60) + second, &text[end..]))
}

/// Days since 1970-01-01 of `2026-11-21`, `2026_11_21` or `261121`.
fn parse_date(date: &str) -> Option<i64> {
    let fields: Vec<&str> = date.split(['-', '_']).collect();
    let (year, month, day) = match fields[..] {
        [year, month, day] if year.len() == 4 => (year, month, day),
        [date] if date.len() == 6 && date.is_ascii() => (&date[..2], &date[2..4], &date[4..]),
        _ => return None,
    };
    let number = |text: &str| text.parse::<u16>().ok().map(i64::from);
    let (mut year, month, day) = (number(year)?, number(month)?, number(day)?);
    if year < 100 {
        year += 2000;
    }
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || year < 1970 {
        return None;
    }
    // Years counted from March, so that the leap day is the last one.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = y / 4 - y / 100 + y / 400;
    Some(365 * y + leap_days + (153 * m + 2) / 5 + day - 719_469)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_as_servers_write_them() {
        // date -u -d '2026-11-21 15:20:23' +%s
        let at = 1_795_274_423.0;
        assert_eq!(parse_date_time("2026-11-21 15:20:23 0x7f INNODB"), Some((at, " 0x7f INNODB")));
        assert_eq!(parse_date_time("261121 15:20:23 INNODB"), Some((at, " INNODB")));
        assert_eq!(parse_date_time("2026-11-21T15:20:23.5"), Some((at + 0.5, "")));
        assert_eq!(parse_date_time("120607  9:02:34 x").map(|(t, _)| t), Some(1_339_059_754.0));
        assert_eq!(parse_date_time("1970-01-01 00:00:00"), Some((0.0, "")));
    }

    #[test]
    fn other_texts_are_no_dates() {
        for text in
            ["", "[ 1s ] thds", "2026-13-01 00:00:00", "2026-11-21", "2026-11-21 25:00:00", "1:2:3 4", "ä 1:2:3"]
        {
            assert_eq!(parse_date_time(text), None, "{text}");
        }
    }
}
