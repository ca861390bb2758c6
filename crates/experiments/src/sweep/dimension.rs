//! What varies: `SETTING=FROM..TO:STEP`, `SETTING=FROM..TO:*FACTOR`, `SETTING=V1,V2,...`.
//!
//! Several settings joined by `+` take the same value: `innodb_io_capacity+innodb_io_capacity_max=1000..12000:500`.
//! Ranges count up and hold `FROM`; they hold `TO` if the steps meet it. Sizes may mix suffixes (`512M..4G:512M`);
//! other units must be the same in all three places. What a factor makes is rounded to what settings take: from 100 up to
//! whole numbers, sizes from 1M up to whole megabytes.

use super::argument::{error, names_in};
use super::number::Number;
use innosim_scenario::Diagnostic;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Most values in a dimension.
const MOST_VALUES: usize = 10_000;

/// Settings that take the same values together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dimension {
    /// Names, as written.
    pub settings: Vec<String>,
    /// Values, as a scenario spells them.
    pub values: Vec<String>,
}

impl Dimension {
    /// What gives its settings their value number `i`.
    pub(super) fn assignments(&self, i: usize) -> Vec<String> {
        self.settings.iter().map(|name| format!("{name}={}", self.values[i])).collect()
    }

    /// Reads one `--vary`.
    ///
    /// # Errors
    /// What is wrong with `argument`, and where.
    pub fn parse(argument: &str) -> Result<Dimension, Box<Diagnostic>> {
        let Some((names, values)) = argument.split_once('=') else {
            let message = format!("`{argument}` has no `=`");
            let help = "such as innodb_io_capacity_max=1000..12000:500".to_owned();
            return Err(error(argument, argument, message, help));
        };
        let settings = names_in(argument).map(|name| name_of(argument, name)).collect::<Result<Vec<String>, _>>()?;
        if let Some(twice) = settings.iter().enumerate().find(|(i, name)| settings[..*i].contains(name)) {
            return Err(error(argument, names, format!("`{}` is named twice", twice.1), String::new()));
        }
        let values = match values.split_once("..") {
            Some((from, rest)) => range(argument, values, from, rest)?,
            None => list(argument, values)?,
        };
        let mut seen = HashSet::new();
        if let Some(twice) = values.iter().find(|value| !seen.insert(value.as_str())) {
            let message = format!("the value `{twice}` is given twice");
            return Err(error(argument, twice, message, "leave one out".to_owned()));
        }
        Ok(Dimension { settings, values })
    }

    /// Its name in headings: the settings joined by `+`.
    pub fn name(&self) -> String {
        self.settings.join("+")
    }

    /// Its values as the argument of `--vary`, written out.
    pub fn argument(&self) -> String {
        format!("{}={}", self.name(), self.values.join(","))
    }

    /// Its values as numbers, sizes in bytes, if all are numbers of one unit.
    pub fn numbers(&self) -> Option<Vec<f64>> {
        let numbers: Vec<Number> = self.values.iter().map(|value| Number::parse(value)).collect::<Option<_>>()?;
        if numbers.iter().all(|n| n.unit == numbers[0].unit) {
            let bytes = numbers.iter().map(|n| n.in_bytes().unwrap_or_else(|| n.clone()).as_f64());
            return Some(bytes.collect());
        }
        numbers.iter().map(|n| n.in_bytes().map(|n| n.as_f64())).collect()
    }

    /// Whether the numbers are sizes, written with a suffix.
    pub fn is_size(&self) -> bool {
        let suffixed =
            |text: &String| Number::parse(text).is_some_and(|n| !n.unit.is_empty() && n.in_bytes().is_some());
        self.values.iter().any(suffixed)
    }
}

fn name_of(argument: &str, name: &str) -> Result<String, Box<Diagnostic>> {
    if name.is_empty() {
        return Err(error(argument, argument, format!("`{argument}` names no setting"), String::new()));
    }
    let instead = match name {
        "replications" => "give --replications N: each point is run that often",
        "seed" => "give --replications N for other random numbers, or --seed N for all runs",
        _ => return Ok(name.to_owned()),
    };
    Err(error(argument, name, format!("`{name}` can't be varied"), instead.to_owned()))
}

fn list(argument: &str, values: &str) -> Result<Vec<String>, Box<Diagnostic>> {
    let items: Vec<String> = values.split(',').map(|value| value.trim().to_owned()).collect();
    if items.len() == 1 && items[0].is_empty() {
        return Err(error(argument, argument, format!("`{argument}` has no values"), String::new()));
    }
    if items.iter().any(String::is_empty) {
        let message = format!("`{values}` has an empty place in its list");
        return Err(error(argument, values, message, "take out the extra comma".to_owned()));
    }
    Ok(items)
}

/// `FROM..TO:STEP`, of which `rest` is what follows the dots.
fn range(argument: &str, whole: &str, from: &str, rest: &str) -> Result<Vec<String>, Box<Diagnostic>> {
    let Some((to, step)) = rest.split_once(':') else {
        let message = format!("the range `{whole}` has no step");
        return Err(error(argument, whole, message, format!("write {whole}:STEP, or {whole}:*2 to double")));
    };
    let (factor, step) = step.trim().strip_prefix('*').map_or((false, step), |factor| (true, factor));
    let number = |text: &str| {
        Number::parse(text).ok_or_else(|| {
            let message = format!("`{}` is not a number", text.trim());
            let part = if text.trim().is_empty() { whole } else { text.trim() };
            error(argument, part, message, "for values that are not numbers write a list".to_owned())
        })
    };
    let (from, to, step) = (number(from)?, number(to)?, number(step)?);
    if from.value > to.value && from.unit == to.unit {
        let message = format!("the range `{whole}` holds no value: {from} is above {to}");
        return Err(error(argument, whole, message, format!("ranges count up: write {to}..{from}:...")));
    }
    if factor { doubled(argument, whole, &from, &to, &step) } else { stepped(argument, whole, [from, to, step]) }
}

fn stepped(argument: &str, whole: &str, ends: [Number; 3]) -> Result<Vec<String>, Box<Diagnostic>> {
    if ends[2].value <= 0 {
        let message = format!("the step `{}` is not above 0", ends[2]);
        let help = "ranges count up from the smaller end by a step above 0".to_owned();
        return Err(error(argument, whole, message, help));
    }
    let (ends, sizes) = common_unit(argument, whole, ends)?;
    let [from, to, step] = &ends;
    if from.value > to.value {
        let message = format!("the range `{whole}` holds no value: its first end is above its second");
        return Err(error(argument, whole, message, "ranges count up: exchange the ends".to_owned()));
    }
    let count = (to.value - from.value) / step.value + 1;
    if count > MOST_VALUES as i128 {
        let message = format!("the range `{whole}` holds {count} values");
        return Err(error(argument, whole, message, format!("at most {MOST_VALUES} are run: take a larger step")));
    }
    let value = |i: i128| Number { value: from.value + i * step.value, unit: from.unit.clone() };
    Ok((0..count).map(value).map(|n| if sizes { n.spelled_as_size() } else { n.to_string() }).collect())
}

/// Brings numbers with different size suffixes to bytes. Numbers with one unit stay as they are.
fn common_unit(argument: &str, whole: &str, ends: [Number; 3]) -> Result<([Number; 3], bool), Box<Diagnostic>> {
    if ends.iter().all(|n| n.unit == ends[0].unit) {
        return Ok((ends, false));
    }
    match ends.each_ref().map(Number::in_bytes) {
        [Some(from), Some(to), Some(step)] => Ok(([from, to, step], true)),
        _ => {
            let message = format!("the range `{whole}` mixes units");
            Err(error(argument, whole, message, "give both ends and the step the same unit".to_owned()))
        }
    }
}

fn doubled(
    argument: &str,
    whole: &str,
    from: &Number,
    to: &Number,
    factor: &Number,
) -> Result<Vec<String>, Box<Diagnostic>> {
    if !factor.unit.is_empty() || factor.as_f64() <= 1.0 || from.value <= 0 {
        let message = format!("the range `{whole}` does not grow");
        return Err(error(argument, whole, message, "a factor is above 1 and starts from above 0".to_owned()));
    }
    let ([from, to, _], sizes) = common_unit(argument, whole, [from.clone(), to.clone(), from.clone()])?;
    let mut values = Vec::new();
    let mut next = Some(from);
    while let Some(value) = next.filter(|value| value.value <= to.value) {
        if values.len() == MOST_VALUES {
            let message = format!("the range `{whole}` holds more than {MOST_VALUES} values");
            return Err(error(argument, whole, message, "take a larger factor".to_owned()));
        }
        let spelled = if sizes { Number { unit: "B".to_owned(), ..value.clone() } } else { value.clone() }.rounded();
        values.push(match spelled.in_bytes() {
            Some(bytes) if sizes => bytes.spelled_as_size(),
            _ => spelled.to_string(),
        });
        next = value.times(factor).filter(|grown| grown.value > value.value);
    }
    if values.is_empty() {
        let message = format!("the range `{whole}` holds no value");
        return Err(error(argument, whole, message, "exchange its ends".to_owned()));
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(argument: &str) -> Vec<String> {
        Dimension::parse(argument).unwrap().values
    }

    #[test]
    fn ranges_and_lists() {
        assert_eq!(values("a=1000..3000:1000"), ["1000", "2000", "3000"]);
        assert_eq!(values("a=1..6:2"), ["1", "3", "5"]);
        assert_eq!(values("a=0.5..1:0.25"), ["0.5", "0.75", "1"]);
        assert_eq!(values("a=512M..2G:512M"), ["512M", "1G", "1536M", "2G"]);
        assert_eq!(values("a=10G..30G:10G"), ["10G", "20G", "30G"]);
        assert_eq!(values("a=4..128:*2"), ["4", "8", "16", "32", "64", "128"]);
        assert_eq!(values("a=300M..1G:*1.5"), ["300M", "450M", "675M", "1013M"]);
        assert_eq!(values("a=10G..16G:*1.3"), ["10G", "13G"]);
        assert_eq!(values("a=1000..3000:*1.4"), ["1000", "1400", "1960", "2744"]);
        assert_eq!(values("a=1ms..3ms:1ms"), ["1ms", "2ms", "3ms"]);
        assert_eq!(values("model=8.0, 8.4"), ["8.0", "8.4"]);
        assert_eq!(values("a=5..5:1"), ["5"]);
    }

    #[test]
    fn settings_that_go_together() {
        let both = Dimension::parse("innodb_io_capacity+innodb_io_capacity_max=1000,2000").unwrap();
        assert_eq!(both.settings, ["innodb_io_capacity", "innodb_io_capacity_max"]);
        assert_eq!(both.name(), "innodb_io_capacity+innodb_io_capacity_max");
    }

    #[test]
    fn numbers_for_axes() {
        let numbers = |argument: &str| Dimension::parse(argument).unwrap().numbers();
        assert_eq!(numbers("a=512M..1G:512M"), Some(vec![536_870_912.0, 1_073_741_824.0]));
        assert_eq!(numbers("a=1ms,2ms"), Some(vec![1.0, 2.0]));
        assert_eq!(numbers("a=1ms,2s"), None);
        assert_eq!(numbers("a=ON,OFF"), None);
        assert!(Dimension::parse("a=512M..1G:512M").unwrap().is_size());
        assert!(!Dimension::parse("a=1..3:1").unwrap().is_size());
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        let wrong = [
            "innodb_io_capacity_max",
            "=1..2:1",
            "a=",
            "a=1,,2",
            "a=1,2,1",
            "a+a=1",
            "a=12000..1000:500",
            "a=1000..12000:-500",
            "a=1000..12000:0",
            "a=1000..12000",
            "a=low..high:1",
            "a=1ms..2s:1ms",
            "a=1..1000000:1",
            "a=1..8:*1",
            "a=8G..512M:1G",
            "seed=1..5:1",
            "replications=1,2",
        ];
        let told: Vec<String> = wrong.iter().map(|text| Dimension::parse(text).unwrap_err().to_string()).collect();
        insta::assert_snapshot!(told.join("\n\n"));
    }
}
