"""Flushing rules that are Python functions or classes, good and bad."""

import os
import signal
import threading
import time

import innosim
import numpy as np
import pytest

SHORT = {"duration": 20, "set": {"warmup": "5s"}}


class HoldAge:
    """The shipped rule `hold-age`, line by line."""

    parameters = {
        "target": innosim.Parameter(0.85, 0.05, 0.98, "age to hold, as a share of its limit"),
        "horizon": innosim.Parameter(20.0, 2.0, 120.0, "longest look ahead, seconds of redo"),
    }

    def __init__(self, target, horizon):
        self.target, self.horizon = target, horizon

    def look_ahead(self, see):
        if see.sync_pass:
            return see.sync_reach
        over = see.age - self.target * see.age_limit
        rate = see.redo_rate
        return [max(0.0, over + rate), max(0.0, over + rate * self.horizon / 4.0), max(0.0, over + rate * self.horizon)]

    def __call__(self, see):
        due = see.due
        if see.sync_pass:
            return min(see.dirty_pages, max(due[0], 200.0))
        return max(due[0], max(due[1] / (self.horizon / 4.0), due[2] / self.horizon))


@pytest.mark.parametrize("model", [None, "mysql-5.7", "mariadb-10.11"])
def test_the_same_rule_gives_the_same_run_as_a_script(model):
    scenario = "redo-too-small"
    # MariaDB's page cleaner asks nobody from rest without a low-water mark of dirty pages, which is its default.
    marks = {"innodb_max_dirty_pages_pct_lwm": 0.001} if model == "mariadb-10.11" else {}
    target = {**marks, "rule.target": 0.7}
    script = innosim.run(scenario, model=model, duration=30, rule="hold-age", set=target)
    python = innosim.run(scenario, model=model, duration=30, rule=HoldAge, set=target)
    other = innosim.run(scenario, model=model, duration=30, rule=HoldAge, set=marks)
    assert python.event_hashes == script.event_hashes
    assert python.summary["pages_flushed_per_s_mean"] > 0
    assert other.event_hashes != script.event_hashes


def test_a_rule_sees_each_pass_and_decides_its_pages():
    seen = []

    def rule(see):
        seen.append(see)
        return np.float32(1234.9)

    run = innosim.run("redo-too-small", rule=rule, **SHORT)
    assert len(seen) >= 15, "about one pass a second"
    assert [see.now for see in seen] == sorted(see.now for see in seen)
    assert any(see.age > 0 and see.dirty_pages > 0 and see.pages_due > 0 for see in seen)
    assert set(run.series()["buffer_flush_n_to_flush_requested"][5:].tolist()) == {1234}
    with pytest.raises(AttributeError):
        seen[0].age = 1
    assert repr(seen[0]).startswith("Pass(now=1.0")


def test_the_mean_age_is_counted_for_those_that_ask():
    ages = []

    def rule(see):
        ages.append((see.mean_age, see.age))
        return see.pages_due / 3

    with pytest.raises(innosim.RuleError, match="asks_mean_age = True"):
        innosim.run("redo-too-small", rule=rule, **SHORT)
    rule.asks_mean_age = True
    innosim.run("redo-too-small", rule=rule, **SHORT)
    assert ages and all(0 < mean < age for mean, age in ages)


def test_an_answer_can_say_more():
    times = []

    def rule(see):
        times.append(see.now)
        return {"slots": [see.dirty_pages / 30 / see.instances] * see.instances, "sleep": 0.25}

    innosim.run("redo-too-small", rule=rule, **SHORT)
    assert len(times) > 60
    with pytest.raises(innosim.RuleError, match=r"`sleep` is 7\n.*\n.*from 0.01 to 1"):
        innosim.run("redo-too-small", rule=lambda see: {"pages": 1, "sleep": 7}, **SHORT)


def test_a_class_is_made_anew_for_each_run():
    class Counts:
        made = 0

        def __init__(self):
            Counts.made += 1
            self.passes = 0

        def __call__(self, see):
            self.passes += 1
            return 100 * self.passes

    first = innosim.run("redo-too-small", rule=Counts, replications=2, **SHORT)
    assert Counts.made == 2
    assert innosim.run("redo-too-small", rule=Counts, replications=2, **SHORT).event_hashes == first.event_hashes


def test_parameters_are_swept_like_any_setting():
    sweep = innosim.sweep("redo-too-small", {"rule.target": "0.5..0.9:0.2"}, rule=HoldAge, **SHORT)
    assert [row["rule.target"] for row in sweep.rows] == [0.5, 0.7, 0.9]
    ages = [row["checkpoint_age_mean"] for row in sweep.rows]
    assert ages == sorted(ages) and ages[0] < ages[2]
    with pytest.raises(innosim.InnosimError, match="a number from 0.05 to 0.98"):
        innosim.run("redo-too-small", rule=HoldAge, set={"rule.target": 2})
    with pytest.raises(innosim.InnosimError, match="HoldAge has no parameter `targt`(.|\n)*did you mean target"):
        innosim.run("redo-too-small", rule=HoldAge, set={"rule.targt": 0.5})


def test_the_resolved_scenario_names_the_rule_and_takes_it_again():
    first = innosim.run("redo-too-small", rule=HoldAge, **SHORT)
    assert 'file = "HoldAge"' in first.scenario_toml
    assert innosim.run(first.scenario_toml, rule=HoldAge).event_hashes == first.event_hashes
    with pytest.raises(innosim.InnosimError, match="HoldAge"):
        innosim.run(first.scenario_toml)


def test_what_a_rule_raises_names_rule_line_second_and_input():
    def divides(see):
        if see.now > 5:
            return 1 / 0
        return 0

    with pytest.raises(innosim.RuleError) as raised:
        innosim.run("redo-too-small", rule=divides, **SHORT)
    words = str(raised.value)
    assert words.startswith("teaching/redo-too-small, seed 1, replication 0: at 5.0"), words
    line = divides.__code__.co_firstlineno + 2
    assert f"of the run: rule divides: test_rules.py:{line}: it raised ZeroDivisionError: division by zero" in words
    assert "\n  it saw: age " in words and " dirty pages, " in words
    assert isinstance(raised.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        (-1, "`pages` is -1, below 0"),
        (float("nan"), "`pages` is NaN"),
        (float("inf"), "`pages` is inf, and the buffer pool has"),
        (1e12, "`pages` is 1000000000000, and the buffer pool has"),
        (10**400, "it returns 1000000"),
        ("many", r"it returns 'many' \(str\)"),
        (None, "it returns None"),
        (True, r"it returns True \(bool\)"),
        ([1], r"it returns \[1\] \(list\)"),
        ({}, "without `pages`"),
        ({"page": 1}, "a dict with `page`"),
        ({"pages": "x"}, r"`pages` is 'x' \(str\)"),
        ({"pages": 1, "slots": 3}, r"`slots` is 3 \(int\)"),
        ({"slots": [1] * 99}, "`slots` has 99 entries"),
    ],
)
def test_what_is_no_number_of_pages_is_refused(wish, words):
    with pytest.raises(innosim.RuleError, match=words) as raised:
        innosim.run("redo-too-small", rule=lambda see: wish, **SHORT)
    assert "rule <lambda>: " in str(raised.value) and "it saw: " in str(raised.value)
    assert len(str(raised.value)) < 600


def test_faults_elsewhere_are_told_too():
    class Fails:
        def __init__(self):
            raise RuntimeError("no model file")

        def __call__(self, see):
            return 0

    class LooksWrong(HoldAge):
        def look_ahead(self, see):
            return "far"

    class LooksBack(HoldAge):
        def look_ahead(self, see):
            return -5

    class Mute:
        pass

    for rule, words in [
        (Fails, "rule Fails: test_rules.py:[0-9]*: it raised RuntimeError: no model file"),
        (LooksWrong, r"`look_ahead` returns 'far' \(str\)"),
        (LooksBack, "`look_ahead` gives"),
        (Mute, "an object of Mute can't be called"),
        (lambda see: see.agee, "has no attribute 'agee'(.|\n)*docs/rules.md"),
    ]:
        with pytest.raises(innosim.RuleError, match=words):
            innosim.run("redo-too-small", rule=rule, **SHORT)


def test_what_is_no_rule_is_refused():
    with pytest.raises(innosim.InnosimError, match="a rule is a function"):
        innosim.run("redo-too-small", rule=5, **SHORT)
    with pytest.raises(innosim.InnosimError, match="neither a file nor a shipped rule"):
        innosim.run("redo-too-small", rule="hold-agee", **SHORT)
    with pytest.raises(innosim.InnosimError, match="rule"):
        innosim.run("furious-flushing-of-55", rule=lambda see: 0, duration=20)

    class Wrong:
        parameters = {"gain": 3}

    with pytest.raises(innosim.InnosimError, match="`parameters` of a rule is a dict"):
        innosim.run("redo-too-small", rule=Wrong)

    class Outside:
        parameters = {"gain": innosim.Parameter(9, 0, 1, "x")}

    with pytest.raises(innosim.InnosimError, match="rule Outside: parameter `gain`: 9 is outside 0 to 1"):
        innosim.run("redo-too-small", rule=Outside)


def test_a_failing_rule_ends_no_other_run():
    class FailsAbove(HoldAge):
        def __call__(self, see):
            if self.target > 0.8:
                raise ValueError("too high")
            return super().__call__(see)

    with pytest.raises(innosim.RuleError, match="ValueError: too high") as raised:
        innosim.sweep("redo-too-small", {"rule.target": [0.6, 0.9, 0.7]}, rule=FailsAbove, **SHORT)
    assert [row["rule.target"] for row in raised.value.kept.rows] == [0.6, 0.7]

    with pytest.raises(innosim.RuleError) as raised:
        variants = {"own": {}, "bad": lambda see: -1, "good": lambda see: see.dirty_pages / 30}
        innosim.compare("redo-too-small", variants, replications=2, **SHORT)
    assert list(raised.value.kept) == ["own", "good"]


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize("what", ["run", "rule", "endless", "sweep"])
def test_ctrl_c_ends_it(what):
    def endless(see):
        while True:
            pass

    def interrupt():
        time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        if what == "run":
            innosim.run("redo-too-small", duration=1_000_000)
        elif what == "rule":
            innosim.run("redo-too-small", duration=1_000_000, rule=lambda see: 2000)
        elif what == "endless":
            innosim.run("redo-too-small", duration=100, rule=endless)
        else:
            innosim.sweep("redo-too-small", {"innodb_io_capacity_max": "2000..9000:1"}, duration=1000)
    # A moment; more on a machine with much else to do.
    assert time.monotonic() - began < 20


def test_other_threads_go_on_during_a_run():
    ticks = []
    over = threading.Event()

    def tick():
        while not over.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    began = time.monotonic()
    innosim.run("redo-too-small", duration=60)
    ended = time.monotonic()
    over.set()
    thread.join()
    assert len([at for at in ticks if began < at < ended]) > 5
