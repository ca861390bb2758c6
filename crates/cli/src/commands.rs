//! The commands, one file each.

pub(crate) mod advise;
pub(crate) mod bare;
pub(crate) mod bench_rules;
pub(crate) mod calibrate;
pub(crate) mod collect;
pub(crate) mod compare;
pub(crate) mod device;
pub(crate) mod explain;
pub(crate) mod merge;
pub(crate) mod meta;
pub(crate) mod models;
pub(crate) mod new_rule;
pub(crate) mod new_scenario;
pub(crate) mod page;
pub(crate) mod pages;
pub(crate) mod recommend;
pub(crate) mod replay;
pub(crate) mod reproduce;
pub(crate) mod rules;
pub(crate) mod run;
pub(crate) mod scenarios;
pub(crate) mod settings;
pub(crate) mod settings_files;
pub(crate) mod sweep;
pub(crate) mod validate;
