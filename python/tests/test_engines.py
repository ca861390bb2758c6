"""Sweeps on engines that people have: the rows are those of a sweep without one, whatever becomes of the workers."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor

import innosim
import psutil
import pytest

VARY = {"innodb_io_capacity_max+innodb_io_capacity": [1000, 2000, 4000]}
LONG = {"duration": 20, "set": {"warmup": "5s"}, "replications": 2}


@pytest.fixture(scope="module")
def plain():
    return innosim.sweep("redo-too-small", VARY, **LONG).rows


class Nobody(Executor):
    """Makes nothing."""

    def submit(self, fn, /, *args, **kwargs) -> Future:
        raise AssertionError("there is nothing to make")


def kill_when(ready, victims):
    """Kills one of the victims as soon as it is time; the thread that does so, and whom it killed."""
    killed = []

    def run():
        while not killed:
            if ready():
                for process in victims():
                    os.kill(process, signal.SIGKILL)
                    killed.append(process)
                    return
            time.sleep(0.01)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, killed


def has_lines(file):
    return lambda: file.exists() and file.stat().st_size > 0


def test_a_pool_of_processes_makes_the_same_rows_and_each_run_once(plain, tmp_path):
    with ProcessPoolExecutor(2) as pool:
        assert innosim.sweep("redo-too-small", VARY, executor=pool, store=tmp_path, **LONG).rows == plain
    journal = (tmp_path / "runs.jsonl").read_text()
    assert len(journal.splitlines()) == len(plain)
    # What is there is not made; whoever wrote it was killed in the middle of a line.
    (tmp_path / "runs.jsonl").write_text(journal + journal[:40])
    assert innosim.sweep("redo-too-small", VARY, executor=Nobody(), store=tmp_path, **LONG).rows == plain
    assert (tmp_path / "runs.jsonl").read_text() == journal
    # More values cost only their own runs.
    more = {"innodb_io_capacity_max+innodb_io_capacity": [500, 1000, 2000, 4000]}
    with ThreadPoolExecutor(1) as pool:
        made = innosim.sweep("redo-too-small", more, executor=pool, store=tmp_path, **LONG).rows
    assert [row["tps_mean"] for row in made[2:]] == [row["tps_mean"] for row in plain]
    assert len((tmp_path / "runs.jsonl").read_text().splitlines()) == len(plain) + 2


def test_a_pool_of_which_a_process_is_killed(plain, tmp_path):
    with ProcessPoolExecutor(2) as pool:
        thread, killed = kill_when(has_lines(tmp_path / "runs.jsonl"), lambda: list(pool._processes or ()))
        assert innosim.sweep("redo-too-small", VARY, executor=pool, store=tmp_path, **LONG).rows == plain
        thread.join(10)
    assert killed


def test_a_dask_cluster_of_which_a_worker_is_killed(plain, tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, cluster.get_client() as client:
        workers = lambda: [worker.process.pid for worker in cluster.workers.values()]  # noqa: E731
        thread, killed = kill_when(has_lines(tmp_path / "runs.jsonl"), workers)
        with client.get_executor() as executor:
            assert innosim.sweep("redo-too-small", VARY, executor=executor, store=tmp_path, **LONG).rows == plain
        thread.join(10)
    assert killed


def test_a_hyperqueue_cluster_of_which_a_task_is_killed(plain, tmp_path):
    pytest.importorskip("hyperqueue")
    parquet = pytest.importorskip("pyarrow.parquet")
    words = [sys.executable, "-m", "innosim.hyperqueue", "redo-too-small", "--duration", "20s", "--set", "warmup=5s", "--replications", "2"]
    words += ["--vary", "innodb_io_capacity_max+innodb_io_capacity=1000,2000,4000", "--local", "2", "--runs-per-task", "1"]
    running = subprocess.Popen([*words, "--out", str(tmp_path)], stdout=subprocess.PIPE, text=True)

    def tasks():
        ours = psutil.Process(running.pid).children(recursive=True)
        return [one.pid for one in ours if "--make" in one.cmdline()]

    thread, killed = kill_when(lambda: any((tmp_path / "made").glob("*.json")), tasks)
    said, _ = running.communicate(timeout=300)
    thread.join(10)
    # HyperQueue's server introduces itself first.
    said = said.splitlines()[-1]
    assert running.returncode == 0 and said.startswith("6 runs in "), said
    assert killed
    assert parquet.read_table(tmp_path / "runs.parquet").to_pylist() == plain
    # Everything is there: no cluster is needed.
    again = subprocess.run([*words, "--out", str(tmp_path)], check=True, capture_output=True, text=True)
    assert again.stdout.strip() == said


def test_what_an_executor_can_not_do_is_refused(tmp_path):
    with pytest.raises(innosim.InnosimError, match="the rule is a script"):
        innosim.sweep("redo-too-small", VARY, rule=lambda see: 1, executor=Nobody(), **LONG)
    with pytest.raises(innosim.InnosimError, match="a store goes with an executor"):
        innosim.sweep("redo-too-small", VARY, store=tmp_path, **LONG)
    with pytest.raises(innosim.InnosimError, match="not a setting"), ThreadPoolExecutor(1) as pool:
        innosim.sweep("redo-too-small", {"innodb_io_capcity": [1, 2]}, executor=pool, **LONG)
