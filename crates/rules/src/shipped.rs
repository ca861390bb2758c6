//! The rules that come with the program: scripts in `rules/`, a file each, opened by its reasoning and its source.

/// A shipped rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShippedRule {
    /// Name, as in `--rule NAME`.
    pub name: &'static str,
    /// Its script.
    pub text: &'static str,
}

macro_rules! rules {
    ($($name:literal),* $(,)?) => {
        [$(ShippedRule { name: $name, text: include_str!(concat!("../rules/", $name, ".rhai")) }),*]
    };
}

static SHIPPED: [ShippedRule; 8] = rules![
    "fixed-rate",
    "pi-age",
    "hold-age",
    "feed-forward",
    "keep-average",
    "percona-estimate",
    "percona-reflex",
    "spread-checkpoint",
];

/// All shipped rules.
pub fn shipped() -> &'static [ShippedRule] {
    &SHIPPED
}
