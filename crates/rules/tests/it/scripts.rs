//! Scripts as rules: what a good one does, and how each kind of bad one ends.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use innosim_core::kernel::time::SimTime;
use innosim_core::seam::{AdaptiveFlushing, FlushLists, Recommendation, RuleInput, View};
use innosim_flush_models::registry::{ModelId, Settings};
use innosim_rules::{Rule, Values, shipped};
use std::collections::BTreeMap;

/// A page each thousand bytes of redo, in two instances.
struct Lists;

impl FlushLists for Lists {
    fn instances(&self) -> u32 {
        2
    }

    fn pages_up_to(&self, _instance: u32, lsn: u64, cap: u64) -> u64 {
        (lsn.saturating_sub(OLDEST) / 2000).min(cap)
    }
}

const OLDEST: u64 = 1_000_000_000;

fn view(second: u64) -> View<'static> {
    let current = OLDEST + 500_000_000 + second * 1_000_000;
    View {
        now: SimTime(second * 1_000_000_000),
        current_lsn: current,
        last_checkpoint_lsn: OLDEST,
        oldest_modification_lsn: OLDEST,
        dirty_pages: 500_000,
        lru_pages: 800_000,
        free_pages: 200_000,
        ..View::at_rest(&Lists)
    }
}

const INPUT: RuleInput = RuleInput {
    sync_limit_lsn: None,
    last_pages: 1000,
    limit_for_age_bytes: 1_000_000_000,
    free_check_capacity_bytes: 1_100_000_000,
};

fn settings() -> Settings {
    Settings::resolve(ModelId::Mysql8030, &BTreeMap::new()).unwrap()
}

fn built(text: &str) -> Box<dyn AdaptiveFlushing> {
    Rule::from_script("test.rhai", text).unwrap().build(&Values::default(), &settings()).unwrap()
}

fn passes(text: &str, count: u64) -> Vec<Recommendation> {
    let mut rule = built(text);
    let all = (0..count).map(|second| rule.recommend(&view(second), INPUT)).collect();
    assert_eq!(rule.failure(), None);
    all
}

/// Why a rule gave up in its first passes.
fn failure(text: &str) -> String {
    let mut rule = built(text);
    for second in 0..3 {
        rule.recommend(&view(second), INPUT);
    }
    rule.failure().unwrap_or("it did not fail").to_owned()
}

#[test]
fn a_rule_sees_decides_and_remembers() {
    let text = "
        param(\"gain\", 2, 0, 10, \"how much\");
        fn start() { #{ passes: 0 } }
        fn pass(see, set) { this.passes += 1; set.gain * 100 * this.passes + floor(see.age / see.age_limit) }";
    let pages: Vec<u64> = passes(text, 3).into_iter().map(|r| r.n_pages).collect();
    assert_eq!(pages, [200, 400, 600]);
    let rule = Rule::from_script("test.rhai", text).unwrap();
    assert_eq!(rule.parameters()[0].allowed(), "a number from 0 to 10; default 2");
    let mut other = rule.build(&Values([("gain".to_owned(), 0.5)].into()), &settings()).unwrap();
    assert_eq!(other.recommend(&view(0), INPUT).n_pages, 50);
}

#[test]
fn pages_due_are_counted_as_far_as_the_rule_looks_ahead() {
    let due = "fn look_ahead(see, set) { [10000.0, 4e6] } fn pass(see, set) { #{ slots: see.due_by_instance } }";
    let passed = passes(due, 1).remove(0);
    assert_eq!((passed.n_pages, passed.slots), (10, vec![5, 5]));
    assert_eq!(passes("fn look_ahead(see, set) { [1, 4e6] } fn pass(see, set) { see.due[1] }", 1)[0].n_pages, 4000);
    // Three seconds of redo at the average rate if the rule does not say.
    let seen = passes("fn pass(see, set) { see.pages_due }", 61);
    assert_eq!((seen[0].n_pages, seen[60].n_pages), (0, 2250));
}

#[test]
fn numbers_come_from_libm_and_mix() {
    let same = |script: &str, number: f64| {
        let text = format!("fn pass(see, set) {{ floor(1e6 * ({script})) }}");
        assert_eq!(passes(&text, 1)[0].n_pages, (1e6 * number) as u64, "{script}");
    };
    same("ln(2)", libm::log(2.0));
    same("exp(-1.5)", libm::exp(-1.5));
    same("pow(0.5, 1)", 0.5);
    same("sqrt(0.25) * min(1, 0.5) / max(2.0, 1)", 0.125);
    same("clamp(3, 0, 0.5) + clamp(0.1, 0.0, 1.0)", 0.6);
}

#[test]
fn a_pass_can_say_when_the_next_one_comes() {
    let mut rule = built("fn pass(see, set) { #{ pages: 10, sleep: 0.25 } }");
    rule.recommend(&view(0), INPUT);
    assert_eq!(rule.next_pass_in().map(|pause| pause.0), Some(250_000_000));
}

#[test]
fn what_is_no_rule_is_refused_with_its_line() {
    for (text, line, words) in [
        ("", 0, "is empty"),
        ("innodb_io_capacity = 2000", 1, "innodb_io_capacity"),
        ("fn pass(see, set) {\n  see.age +\n}", 3, ""),
        ("fn pas(see, set) { 1 }", 0, "no function `pass`"),
        ("\nfn pass(see) { 1 }", 2, "takes 1 arguments"),
        ("fn pass(see, set) {\n  unknown + 1 }", 2, "unknown"),
        ("fn pass(see, set) { 2.0 ** 0.5 }", 1, "**"),
        ("fn pass(see, set) { eval(\"1\") }", 1, "eval"),
        ("fn pass(see, set) { print(1); 1 }", 1, "print"),
        ("import \"os\" as os; fn pass(see, set) { 1 }", 1, "import"),
        ("\nparam(\"gain\", 3, 0, 1, \"\"); fn pass(see, set) { 1 }", 2, "outside"),
        ("param(\"text\", 0, 0, 1, \"\"); fn pass(see, set) { 1 }", 1, "can't be called"),
        ("param(\"a\", 0, 0, 1); fn pass(see, set) { 1 }", 1, "param"),
        ("loop {} fn pass(see, set) { 1 }", 1, "endless"),
        ("\u{0}\u{1}\u{2}", 1, ""),
    ] {
        let fault = Rule::from_script("test.rhai", text).unwrap_err();
        assert_eq!(fault.line, line, "{text}: {fault}");
        assert!(fault.to_string().contains(words), "{text}: {fault}");
    }
    assert!(Rule::from_script("test.rhai", &"// long\n".repeat(40_000)).unwrap_err().message.contains("longer"));
}

#[test]
fn what_goes_wrong_in_a_pass_names_line_and_input() {
    for (text, words) in [
        ("\nfn pass(see, set) {\n loop {} }", "test.rhai:2"),
        ("fn pass(see, set) {\n loop {} }", "endless loop"),
        ("fn pass(see, set) { see.agee }", "Unknown property 'agee' of 'see'"),
        ("fn pass(see, set) { see.agee }", "= help: docs/rules.md lists what `see` and `set` have"),
        ("fn pass(see, set) { set.gain }", "gain"),
        ("fn pass(see, set) { this.x }", "`this` has what fn start() gives it"),
        ("\n\nfn pass(see, set) { -5 }", "test.rhai:3: `pages` is -5, below 0"),
        ("fn pass(see, set) { 0.0 / 0.0 }", "NaN"),
        ("fn pass(see, set) { 1e30 }", "the buffer pool has 1000000 pages"),
        ("fn pass(see, set) { }", "gives nothing"),
        ("fn pass(see, set) { 1 / 0 }", "ivision by zero"),
        ("fn pass(see, set) { let a = []; while true { a.push(1.0); } a.len() }", "of more than 4096"),
        ("fn pass(see, set) { let s = \"x\"; while true { s += s; } 1 }", "of more than 4096"),
        ("fn start() { #{ m: [] } } fn pass(see, set) { for i in 0..3000 { this.m.push(i); } 1 }", "of more than 4096"),
        ("fn f(x) { f(x) } fn pass(see, set) { f(1) }", "too deeply"),
        ("fn pass(see, set) { throw \"I give up\" }", "I give up"),
        ("fn pass(see, set) { 9223372036854775807 + 1 }", "verflow"),
        ("fn look_ahead(see, set) { -1 } fn pass(see, set) { see.pages_due }", "`look_ahead` gives -1"),
        ("fn start() { loop {} } fn pass(see, set) { 1 }", "endless loop"),
    ] {
        let text = failure(text);
        assert!(text.starts_with("rule test.rhai:") && text.contains(words), "{words}: {text}");
        assert!(text.contains("it saw: "), "{text}");
    }
    let text = failure("fn pass(see, set) { -5 }");
    assert!(text.contains("age 500000000 of 1000000000 bytes, 500000 dirty pages"), "{text}");
}

#[test]
fn shipped_rules_tell_their_reason_and_their_source_and_work() {
    for shipped in shipped() {
        let rule = Rule::from_script(shipped.name, shipped.text)
            .unwrap_or_else(|fault| panic!("{}", fault.in_file(shipped.name)));
        assert!(rule.story().contains("Source:"), "{}", shipped.name);
        assert!(rule.parameters().iter().all(|parameter| parameter.help.len() > 10), "{}", shipped.name);
        let mut built = rule.build(&Values::default(), &settings()).unwrap();
        for second in 0..120 {
            built.recommend(&view(second), INPUT);
            let sync = RuleInput { sync_limit_lsn: Some(OLDEST + 5_000_000), ..INPUT };
            assert!(built.recommend(&view(second), sync).n_pages > 0, "{}", shipped.name);
        }
        assert_eq!(built.failure(), None);
    }
}
