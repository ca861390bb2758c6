//! Numbers with a unit, as settings spell them, counted exactly: `500`, `0.25`, `10G`, `250us`.

/// Decimals kept.
const DECIMALS: u32 = 9;
/// 10 to the power of [`DECIMALS`].
const ONE: i128 = 1_000_000_000;

/// Suffixes of sizes and their powers of two, the largest first.
const SIZES: [(&str, u32); 5] = [("T", 40), ("G", 30), ("M", 20), ("K", 10), ("", 0)];

/// A number and what follows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Number {
    /// Billionths.
    pub(super) value: i128,
    /// Unit or size suffix, as written.
    pub(super) unit: String,
}

impl Number {
    /// Reads a number; `None` if the text doesn't begin with one.
    pub(super) fn parse(text: &str) -> Option<Number> {
        let text = text.trim();
        let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
        let end = digits.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(digits.len());
        let (number, unit) = digits.split_at(end);
        let number = number.replace('_', "");
        let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
        if whole.is_empty() || whole.len() > 18 || fraction.len() > DECIMALS as usize || number.ends_with('.') {
            return None;
        }
        if fraction.contains('.') || unit.trim().chars().any(|c| !c.is_alphabetic() && c != '/' && c != '%') {
            return None;
        }
        let padded = format!("{fraction:0<width$}", width = DECIMALS as usize);
        let value = whole.parse::<i128>().ok()? * ONE + padded.parse::<i128>().ok()?;
        Some(Number { value: sign * value, unit: unit.trim().to_owned() })
    }

    /// The same number without its size suffix; `None` if the unit is no size suffix.
    pub(super) fn in_bytes(&self) -> Option<Number> {
        let lowered = self.unit.to_ascii_uppercase();
        let letter = lowered.strip_suffix('B').map_or(lowered.as_str(), |unit| unit.strip_suffix('I').unwrap_or(unit));
        let (_, power) = SIZES.iter().find(|(suffix, _)| *suffix == letter)?;
        Some(Number { value: self.value << power, unit: String::new() })
    }

    /// A size in bytes with the largest suffix that is exact.
    pub(super) fn spelled_as_size(&self) -> String {
        let exact = SIZES.iter().find(|(_, power)| self.value > 0 && self.value % (ONE << power) == 0);
        match exact {
            Some((suffix, power)) => format!("{}{suffix}", self.value / (ONE << power)),
            None => self.to_string(),
        }
    }

    /// The number, rounded where a factor made it finer than settings are: from 100 up to whole numbers, sizes from 1M up
    /// to whole megabytes.
    pub(super) fn rounded(self) -> Number {
        let nearest = |value: i128, step: i128| (value + step / 2) / step * step;
        // `m` may be minutes.
        let bytes = if self.unit.is_empty() || self.unit == "m" { None } else { self.in_bytes() };
        let (value, step, least) = match &bytes {
            Some(bytes) => (bytes.value, ONE << 20, ONE << 20),
            None => (self.value, ONE, 100 * ONE),
        };
        if value % step == 0 || value < least || bytes.is_none() && !self.unit.is_empty() {
            return self;
        }
        let value = nearest(value, step);
        match bytes {
            Some(_) => Number { value: value >> 20, unit: "M".to_owned() },
            None => Number { value, ..self },
        }
    }

    /// This number times `factor`, rounded down to a billionth.
    pub(super) fn times(&self, factor: &Number) -> Option<Number> {
        Some(Number { value: self.value.checked_mul(factor.value)? / ONE, unit: self.unit.clone() })
    }

    /// As a float.
    pub(super) fn as_f64(&self) -> f64 {
        self.value as f64 / ONE as f64
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (sign, size) = if self.value < 0 { ("-", -self.value) } else { ("", self.value) };
        let fraction = format!("{:09}", size % ONE);
        let fraction = fraction.trim_end_matches('0');
        let point = if fraction.is_empty() { "" } else { "." };
        write!(f, "{sign}{}{point}{fraction}{}", size / ONE, self.unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes() {
        for text in ["500", "0.25", "10G", "250us", "-3", "75.5%"] {
            assert_eq!(Number::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "G", "1.2.3", "1.", "x5", "ON", "2x3", "--1", "99999999999999999999"] {
            assert_eq!(Number::parse(text), None, "{text}");
        }
    }

    #[test]
    fn sizes() {
        let bytes = |text: &str| Number::parse(text).unwrap().in_bytes();
        assert_eq!(bytes("2G").unwrap().to_string(), "2147483648");
        assert_eq!(bytes("1.5GiB").unwrap().spelled_as_size(), "1536M");
        assert_eq!(bytes("1000").unwrap().spelled_as_size(), "1000");
        assert_eq!(bytes("5ms"), None);
    }

    #[test]
    fn what_settings_cannot_hold_is_rounded() {
        let rounded = |text: &str| Number::parse(text).unwrap().rounded().to_string();
        assert_eq!(
            ["1093.5M", "1.3G", "1.5G", "640K", "0.5M"].map(rounded),
            ["1094M", "1331M", "1.5G", "640K", "0.5M"]
        );
        assert_eq!(["2744.5", "99.5", "250.5us", "1.5m"].map(rounded), ["2745", "99.5", "250.5us", "1.5m"]);
    }
}
