//! Commands for people who write flushing rules.

use super::{Common, Form, Format, Unused};
use clap::Args;
use std::path::PathBuf;

/// `innosim bench-rules`.
#[derive(Debug, Args)]
pub(crate) struct BenchRulesArgs {
    /// A rule that takes part beside the shipped ones: a script, or a name of `innosim rules`; repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) rule: Vec<String>,
    /// Leave out the shipped rules that are not named
    #[arg(long)]
    pub(crate) only: bool,
    /// 12 s of each case, once, to see whether a rule runs everywhere; the figures are not those of the suite
    #[arg(long)]
    pub(crate) quick: bool,
    /// List the cases of the suite
    #[arg(long, conflicts_with_all = ["rule", "only", "quick", "out"])]
    pub(crate) list: bool,
    /// Folder for bench-rules.html, bench-rules.txt, bench-rules.md and bench-rules.json
    #[arg(long, short, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) form: Form,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// `innosim rules`.
#[derive(Debug, Args)]
pub(crate) struct RulesArgs {
    /// Print this rule
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Form of the list
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) common: Unused,
}

/// `innosim new-rule`.
#[derive(Debug, Args)]
pub(crate) struct NewRuleArgs {
    /// Name of the rule and of the project: small letters, digits and `-`
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Folder that is made for the project [default: NAME]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Checkout of innosim that the project builds on [default: the sources of this program]
    #[arg(long, value_name = "DIR", conflicts_with = "git")]
    pub(crate) path: Option<PathBuf>,
    /// Repository of innosim that the project builds on
    #[arg(long, value_name = "URL")]
    pub(crate) git: Option<String>,
    /// Revision of that repository: a commit, or a tag
    #[arg(long, value_name = "REV", requires = "git")]
    pub(crate) rev: Option<String>,
    #[command(flatten)]
    pub(crate) form: Form,
    #[command(flatten)]
    pub(crate) unused: Unused,
}
