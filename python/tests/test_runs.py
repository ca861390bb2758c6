"""Runs, comparisons and sweeps: the same figures as the program's, as arrays and tables."""

import csv
import json
import os
import re
import subprocess
import warnings
from pathlib import Path

import innosim
import numpy as np
import pandas
import pyarrow
import pytest

SHORT = {"duration": 20, "set": {"warmup": "5s"}}
HASHES = Path(__file__).parents[2] / "crates" / "same-bytes" / "hashes.txt"
PROGRAM = os.environ.get("INNOSIM")


@pytest.fixture(scope="module")
def short():
    return innosim.run("redo-too-small", replications=2, **SHORT)


def pinned():
    """The pinned runs of the program: scenario, model, seconds, hash."""
    for line in HASHES.read_text().splitlines():
        name, model, seconds, digest = re.fullmatch(r"(\S+)(?: of (\S+))? for (\d+) s: (\S+)", line).groups()
        yield pytest.param(name, model, int(seconds), int(digest, 16), id=f"{name} {model or ''}")


@pytest.mark.parametrize(("name", "model", "seconds", "digest"), list(pinned()))
def test_every_byte_is_the_programs(name, model, seconds, digest):
    assert innosim.run(name, model=model, duration=seconds)._ran.digest(0) == digest


@pytest.mark.skipif(not PROGRAM, reason="INNOSIM names no program to compare with")
def test_figures_are_those_of_the_program(tmp_path):
    def program(*words):
        return subprocess.run([PROGRAM, *words, "--quiet"], check=True, capture_output=True, text=True).stdout

    common = ["redo-too-small", "--duration", "30s", "--seed", "7", "--replications", "2"]
    theirs = json.loads(program("run", *common, "--format", "json", "--out", str(tmp_path / "run")))
    ours = innosim.run("redo-too-small", duration=30, seed=7, replications=2)
    same = ours.summary.keys() - {"wall_s", "speed"}
    assert theirs.keys() == ours.summary.keys()
    assert {name: theirs[name] for name in same} == {name: ours.summary[name] for name in same}
    with (tmp_path / "run" / "series.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(ours.series())
    for name, values in ours.series().items():
        assert [float(row[name]) for row in rows] == pytest.approx(values.tolist(), rel=1e-6), name

    program("sweep", *common, "--vary", "innodb_io_capacity_max=2000,4000", "--out", str(tmp_path / "sweep"))
    with (tmp_path / "sweep" / "runs.csv").open() as file:
        rows = list(csv.DictReader(file))
    sweep = innosim.sweep("redo-too-small", {"innodb_io_capacity_max": [2000, 4000]}, duration=30, seed=7, replications=2)
    assert len(rows) == len(sweep.rows) == 4
    assert sweep.rows[0].keys() <= rows[0].keys()
    for theirs, ours in zip(rows, sweep.rows):
        assert float(theirs["tps_mean"]) == pytest.approx(ours["tps_mean"], rel=1e-8)
        assert theirs["regime"] == ours["regime"] and int(theirs["point"]) == ours["point"]

    wrong = subprocess.run([PROGRAM, "run", "redo-too-small", "--set", "innodb_io_capcity=1"], capture_output=True, text=True)
    with pytest.raises(innosim.InnosimError) as raised:
        innosim.run("redo-too-small", set={"innodb_io_capcity": 1})
    assert wrong.stderr.strip() == f"error: {raised.value}".strip()


def test_a_run_has_its_summary_and_series(short):
    assert short.summary["scenario"] == "teaching/redo-too-small"
    assert short.summary["replications"] == 2
    series = short.series(1)
    assert series["second"].tolist() == list(range(1, 21))
    assert series["tps"].dtype == np.uint64
    assert series["latency_ms_p95"].dtype == np.float64
    # Means over the replications of what the columns hold after warm-up.
    tps = np.mean([short.series(r)["tps"][5:].mean() for r in range(2)])
    assert short.summary["tps_mean"] == pytest.approx(tps)
    assert "tps_mean_ci95" in short.summary
    assert repr(short).startswith("<innosim.Run teaching/redo-too-small on mysql-8.0.30: ")
    with pytest.raises(KeyError):
        series["nothing"]


def test_the_series_is_not_copied(short):
    series = short.series()
    assert short.series() is series
    frame, table = series.to_pandas(), series.to_arrow()
    assert isinstance(frame, pandas.DataFrame) and isinstance(table, pyarrow.Table)
    assert list(frame.columns) == table.column_names == list(series)
    assert np.shares_memory(frame["tps"].to_numpy(), series["tps"])
    address = table.column("tps").chunk(0).buffers()[1].address
    assert address == series["tps"].__array_interface__["data"][0]


def test_arrow_readers_take_the_series_as_it_is(short):
    read = pyarrow.table(short.series())
    assert read.equals(short.series().to_arrow())


def test_arrays_outlive_their_run():
    series = innosim.run("redo-too-small", **SHORT).series()
    assert int(series["tps"].sum()) > 0


def test_the_same_arguments_give_the_same_events(short):
    again = innosim.run("redo-too-small", replications=2, jobs=1, **SHORT)
    assert again.event_hashes == short.event_hashes
    assert len(set(short.event_hashes)) == 2
    assert innosim.run("redo-too-small", seed=7, **SHORT).event_hashes != short.event_hashes[:1]


def test_a_scenario_is_a_name_a_path_or_a_text(short, tmp_path):
    assert innosim.run(short.scenario_toml).event_hashes == short.event_hashes
    path = tmp_path / "mine.toml"
    path.write_text(short.scenario_toml)
    assert innosim.run(str(path)).event_hashes == short.event_hashes
    text = 'extends = "redo-too-small"\nduration = "20s"\nwarmup = "5s"\nreplications = 2\n'
    assert innosim.run(text).event_hashes == short.event_hashes
    swept = innosim.sweep(text, {"innodb_io_capacity": [1000, 1500]})
    assert len(swept.rows) == 4


def test_variants_are_compared_pair_by_pair():
    comparison = innosim.compare(
        "redo-too-small",
        {"as it is": {}, "more redo": {"innodb_redo_log_capacity": "4G"}, "script": "hold-age", "little flushing": lambda see: see.dirty_pages / 30},
        replications=2,
        **SHORT,
    )
    assert list(comparison.runs) == ["as it is", "more redo", "script", "little flushing"]
    rows = [row for row in comparison.rows() if row["metric"] == "pages_flushed_per_s_mean"]
    assert [row["variant"] for row in rows] == list(comparison.runs)
    _, _, _, little = (run.summary["pages_flushed_per_s_mean"] for run in comparison.runs.values())
    assert rows[0]["difference"] is None
    assert rows[3]["mean"] == pytest.approx(little)
    assert rows[3]["difference"] == pytest.approx(little - rows[0]["mean"])
    assert rows[3]["ci95"] > 0 and 0 <= rows[3]["p_adjusted"] <= 1
    assert len(comparison.to_pandas()) == len(comparison.rows()) == 32


def test_models_are_compared():
    comparison = innosim.compare("redo-too-small", models=["8.0.30", "8.4"], replications=1, **SHORT)
    assert [variant["model"] for variant in comparison.document["variants"]] == ["mysql-8.0.30", "mysql-8.4"]


def test_a_sweep_is_a_row_a_run():
    sweep = innosim.sweep("redo-too-small", {"innodb_io_capacity_max": [2000, 4000]}, replications=2, **SHORT)
    assert [(row["innodb_io_capacity_max"], row["replication"]) for row in sweep.rows] == [
        (2000, 0),
        (2000, 1),
        (4000, 0),
        (4000, 1),
    ]
    alone = innosim.run("redo-too-small", duration=20, set={"warmup": "5s", "innodb_io_capacity_max": 4000})
    assert sweep.rows[2]["tps_mean"] == pytest.approx(alone.summary["tps_mean"])
    assert len(sweep.to_pandas()) == sweep.to_arrow().num_rows == 4


def test_errors_carry_the_message_of_the_program():
    for words, call in [
        ("did you mean innodb_io_capacity_max", lambda: innosim.run("redo-too-small", set={"innodb_io_capacity_mx": 1})),
        ("did you mean", lambda: innosim.run("redo-too-smal")),
        ("at least a second", lambda: innosim.run("redo-too-small", duration=0.5)),
        ("no model `mysql-7`", lambda: innosim.run("redo-too-small", model="mysql-7")),
        ("two variants", lambda: innosim.compare("redo-too-small", {"one": {}})),
        ("one of the two", lambda: innosim.compare("redo-too-small")),
        ("variant `wrong`: ", lambda: innosim.compare("redo-too-small", {"right": {}, "wrong": {"innodb_nothing": 1}})),
        ("nothing varies", lambda: innosim.sweep("redo-too-small", {})),
    ]:
        with pytest.raises(innosim.InnosimError, match=words) as raised:
            call()
        assert not str(raised.value).startswith("error")
    with pytest.raises(IndexError, match="0 to 0"):
        innosim.run("redo-too-small", **SHORT).series(3)


def test_notes_are_warnings_at_the_line_that_called():
    settings = {"innodb_adaptive_flushing": False}
    with pytest.warns(innosim.InnosimWarning, match="never asked") as caught:
        innosim.run("activity-spike", model="mariadb-10.11", duration=2, rule="hold-age", set=settings)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        innosim.run("redo-too-small", duration=2)


def test_lists():
    assert "mysql-8.4" in innosim.models()
    assert "teaching/redo-too-small" in innosim.scenarios()
    assert innosim.rules()["hold-age"].startswith("Holds the age")
