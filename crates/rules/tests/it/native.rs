//! Rules in Rust: how they are registered and built, and how each kind of bad one ends.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::seam::{AdaptiveFlushing, FlushGauges, FlushLists, Recommendation, RuleInput, View, WorkBefore};
use innosim_flush_models::registry::{ModelId, Settings};
use innosim_rules::{NativeRule, Parameter, Rule, RuleContext, Values, asked, register};
use std::collections::BTreeMap;
use std::sync::Once;

struct Lists;

impl FlushLists for Lists {
    fn instances(&self) -> u32 {
        2
    }

    fn pages_up_to(&self, _instance: u32, _lsn: u64, _cap: u64) -> u64 {
        0
    }
}

/// A rule that does one deed of a list.
struct Doer(u8);

impl AdaptiveFlushing for Doer {
    fn recommend(&mut self, view: &View<'_>, _input: RuleInput) -> Recommendation {
        let decision = |n_pages, slots: &[u64]| Recommendation { n_pages, slots: slots.to_vec() };
        match self.0 {
            1 => decision(5, &[2, 3]),
            2 => panic!("no idea"),
            3 => decision(view.lru_pages + view.free_pages + 1, &[]),
            4 => decision(5, &[5]),
            7 => decision(asked().iter().filter(|asked| asked.rule == "doer").count().min(1) as u64, &[]),
            _ => decision(100, &[]),
        }
    }

    fn gauges(&self) -> FlushGauges {
        assert_ne!(self.0, 8, "no gauges");
        FlushGauges { n_to_flush_requested: 9, ..FlushGauges::default() }
    }

    fn next_pass_in(&self) -> Option<SimDuration> {
        match self.0 {
            1 => Some(SimDuration::from_millis(100)),
            5 => Some(SimDuration::ZERO),
            _ => None,
        }
    }
}

fn doer(context: &RuleContext<'_>) -> Box<dyn AdaptiveFlushing> {
    let deed = context.parameter("deed").unwrap() as u8;
    assert_ne!(deed, 6, "no deed");
    Box::new(Doer(deed))
}

fn native(name: &str, parameters: &[&str]) -> NativeRule {
    let parameter = |name: &&str| Parameter {
        name: (*name).to_owned(),
        default: 0.0,
        min: 0.0,
        max: 9.0,
        help: "which one".to_owned(),
    };
    NativeRule {
        name: name.to_owned(),
        about: "does a deed".to_owned(),
        parameters: parameters.iter().map(parameter).collect(),
        build: doer,
    }
}

/// The rule, built to do a deed.
fn built(deed: u8) -> Box<dyn AdaptiveFlushing> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| register(native("doer", &["deed"])).unwrap());
    let settings = Settings::resolve(ModelId::Mysql8030, &BTreeMap::new()).unwrap();
    let rule = Rule::named("doer").unwrap();
    assert_eq!((rule.story(), rule.text()), ("does a deed", None));
    rule.build(&Values([("deed".to_owned(), f64::from(deed))].into()), &settings).unwrap()
}

/// What comes of a pass, and why it failed.
fn pass(deed: u8) -> (u64, Option<String>) {
    let mut rule = built(deed);
    rule.starts_after(WorkBefore::default());
    let view = View {
        now: SimTime(1_500_000_000),
        current_lsn: 5000,
        oldest_modification_lsn: 1000,
        dirty_pages: 7,
        lru_pages: 90,
        free_pages: 10,
        ..View::at_rest(&Lists)
    };
    let input =
        RuleInput { sync_limit_lsn: None, last_pages: 0, limit_for_age_bytes: 9000, free_check_capacity_bytes: 9500 };
    let pages = rule.recommend(&view, input).n_pages;
    let gauges = rule.gauges();
    assert_eq!(gauges.n_to_flush_requested > 0, rule.failure().is_none() && deed != 8);
    (pages, rule.failure().map(str::to_owned))
}

#[test]
fn what_can_be_followed_passes() {
    assert_eq!(pass(0), (100, None));
    assert_eq!(pass(1), (5, None));
    assert_eq!(built(1).next_pass_in(), Some(SimDuration::from_millis(100)));
    assert_eq!(pass(7), (1, None), "a rule that is being asked can be seen");
    assert_eq!(pass(8), (100, None), "gauges alone end nothing");
}

#[test]
fn what_goes_wrong_is_told_with_rule_and_input() {
    for (deed, words) in [
        (2, "it panicked: no idea"),
        (3, "it asks for 101 pages, and the buffer pool has 100"),
        (4, "it gives 1 slots, and there are 2 instances"),
        (5, "its next pass is to come in 0 s; 0.01 to 1 are possible"),
    ] {
        let (pages, failure) = pass(deed);
        let failure = failure.unwrap();
        assert!(pages == 0 && failure.starts_with("rule doer: ") && failure.contains(words), "{failure}");
        assert!(failure.ends_with("\n  it saw: age 4000 of 9000 bytes, 7 dirty pages"), "{failure}");
    }
    let (_, panic) = pass(2);
    assert!(panic.unwrap().contains("native.rs:"), "a panic has its place");
    let (_, unbuilt) = pass(6);
    let unbuilt = unbuilt.unwrap();
    assert!(unbuilt.contains("no deed") && unbuilt.contains("it was being built"), "{unbuilt}");
}

#[test]
fn a_name_and_parameters_must_be_good() {
    built(0);
    for (rule, words) in [
        (native("Doer", &[]), "no name of a rule"),
        (native("", &[]), "no name of a rule"),
        (native("doer", &[]), "there is a rule `doer` already"),
        (native("hold-age", &[]), "there is a rule `hold-age` already"),
        (native("other", &["deed", "deed"]), "rule `other`: parameter `deed` is declared twice"),
    ] {
        let error = register(rule).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}
