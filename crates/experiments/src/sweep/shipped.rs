//! The sweeps that come with the program, embedded in it.

use super::file::parse;
use std::sync::OnceLock;

macro_rules! sweeps {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!(env!("INNOSIM_SCENARIOS"), "/sweeps/", $name, ".toml")))),*]
    };
}

const EMBEDDED: &[(&str, &str)] = sweeps![
    "io-capacity-and-redo",
    "doublewrite-pages",
    "instances-and-cleaners",
    "redo-and-device",
    "line-up",
    "tnt-purge-and-redo",
    "io-capacity-and-low-water-mark"
];

/// A sweep that comes with the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShippedSweep {
    /// Name: the file without `.toml`.
    pub name: &'static str,
    /// Title for headings.
    pub title: String,
    /// The story that it tells: its opening comment.
    pub story: String,
    /// The TOML text.
    pub text: &'static str,
}

/// All shipped sweeps.
pub fn shipped() -> &'static [ShippedSweep] {
    static SHIPPED: OnceLock<Vec<ShippedSweep>> = OnceLock::new();
    SHIPPED.get_or_init(|| EMBEDDED.iter().map(|(name, text)| describe(name, text)).collect())
}

fn describe(name: &'static str, text: &'static str) -> ShippedSweep {
    let title = parse(name, text).ok().flatten().map(|sweep| sweep.title).filter(|title| !title.is_empty());
    let comment = text.lines().map_while(|line| line.strip_prefix('#')).map(str::trim);
    ShippedSweep {
        name,
        title: title.unwrap_or_else(|| name.to_owned()),
        story: comment.collect::<Vec<&str>>().join("\n"),
        text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::Request;
    use innosim_scenario::Overrides;

    #[test]
    fn every_shipped_sweep_is_sound() {
        for one in shipped() {
            let sweep = parse(one.name, one.text).unwrap().unwrap();
            assert!(one.story.contains("Look at: "), "{}", one.name);
            let request = Request {
                scenario: sweep.scenario,
                vary: sweep.vary,
                overrides: Overrides { set: sweep.set, duration: sweep.duration, ..Overrides::default() },
                ..Request::default()
            };
            let prepared = request.prepare().unwrap_or_else(|error| panic!("{}: {error}", one.name));
            assert!(prepared.plan.points.len() > 3, "{}", one.name);
        }
    }
}
