"""A sweep on a HyperQueue cluster: ``python -m innosim.hyperqueue SCENARIO --vary NAME=VALUES --out DIR``.

Runs go out in batches as files in DIR, which all workers must see; figures come back as files next to them, each named by the
identity of its run. What is there already is not made, and what a lost worker left undone goes out again. At the end DIR has
`runs.jsonl` (all runs by identity) and, with pyarrow, `runs.parquet` (a row for each run).

Needs the package `hyperqueue`; ``--local CORES`` starts a cluster on this machine for as long as it takes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from . import InnosimError, Sweep, _innosim
from ._executors import MOST_TRIES, Journal, batches, make, missing, rows


def main(arguments: list[str] | None = None) -> int:
    """The command line; 0 if all runs are there, 2 for what innosim refuses."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        if words[:1] == ["--make"]:
            _make(Path(words[1]))
        else:
            _sweep(_parser().parse_args(words))
    except InnosimError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m innosim.hyperqueue",
        description="Runs a scenario under every combination of some settings on a HyperQueue cluster.",
    )
    parser.add_argument("scenario", metavar="SCENARIO", help="a TOML file or the name of a shipped scenario")
    parser.add_argument("--vary", action="append", required=True, metavar="NAME=VALUES", help="1000..8000:500 or 1G,2G; repeatable")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="what all runs share; repeatable")
    parser.add_argument("--model", help="server model")
    parser.add_argument("--duration", help="simulated time of a run, with its unit")
    parser.add_argument("--seed", type=int, help="seed of all random numbers")
    parser.add_argument("--replications", type=int, help="runs of each point")
    parser.add_argument("--rule", metavar="FILE", help="flushing rule: a script")
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="folder that all workers see")
    parser.add_argument("--runs-per-task", type=int, default=16, metavar="N", help="runs of a task of HyperQueue (default 16)")
    cluster = parser.add_mutually_exclusive_group()
    cluster.add_argument("--server-dir", type=Path, metavar="DIR", help="server folder of the cluster (default: ~/.hq-server)")
    cluster.add_argument("--local", type=int, metavar="CORES", help="start a cluster on this machine")
    return parser


def _sweep(asked: argparse.Namespace) -> None:
    common = (asked.duration, asked.seed, asked.replications)
    plan = _innosim.SweepPlan(asked.scenario, asked.vary, asked.model, asked.set, common, asked.rule)
    journal = Journal(asked.out)
    made = asked.out / "made"
    made.mkdir(exist_ok=True)
    _gather(made, journal)
    if missing(plan, journal):
        _fill(plan, journal, asked)
    sweep = Sweep(rows(plan, journal))
    told = f"{len(sweep.rows)} runs in {asked.out / 'runs.jsonl'}"
    try:
        sweep.to_parquet(asked.out / "runs.parquet")
        told += ", a row for each in runs.parquet"
    except ImportError:
        told += "; with pyarrow installed there would be runs.parquet too"
    print(told)


def _fill(plan: _innosim.SweepPlan, journal: Journal, asked: argparse.Namespace) -> None:
    try:
        from hyperqueue import Client
        from hyperqueue.cluster import LocalCluster, WorkerConfig
    except ImportError as error:
        raise InnosimError("the package hyperqueue is not installed\n  = help: pip install innosim[hyperqueue]") from error
    cluster = LocalCluster(worker_config=WorkerConfig(cores=asked.local)) if asked.local else None
    try:
        client = cluster.client() if cluster else Client(asked.server_dir)
        for _ in range(MOST_TRIES):
            lacking = missing(plan, journal)
            if not lacking:
                return
            _submit(client, list(batches(plan, lacking, max(asked.runs_per_task, 1))), asked.out)
            _gather(asked.out / "made", journal)
    finally:
        if cluster:
            cluster.stop()
    lacking = missing(plan, journal)
    if lacking:
        raise InnosimError(
            f"{len(lacking)} runs are missing after {MOST_TRIES} tries\n  = help: see {asked.out / 'tasks'}/*.err; the same command goes on"
        )


def _submit(client: Any, work: list[list[dict[str, object]]], out: Path) -> None:
    """Has all batches made, whatever becomes of some."""
    from hyperqueue import Job

    tasks = out / "tasks"
    tasks.mkdir(exist_ok=True)
    job = Job(name="innosim", max_fails=None)
    for number, batch in enumerate(work):
        file = (tasks / f"{number}.json").resolve()
        file.write_text(json.dumps(batch), encoding="utf-8")
        words = [sys.executable, "-m", "innosim.hyperqueue", "--make", str(file)]
        job.program(words, stdout=str(file.with_suffix(".out")), stderr=str(file.with_suffix(".err")))
    client.wait_for_jobs([client.submit(job)], raise_on_error=False)


def _make(file: Path) -> None:
    """Makes the runs of a batch, on a worker."""
    made = file.parent.parent / "made"
    for run in json.loads(file.read_text(encoding="utf-8")):
        whole = made / f"{run['id']}.json"
        if whole.exists():
            continue
        figures = make(run["scenario"], run["replication"], run["id"])
        # Never half a file, whoever else makes the same run.
        part = made / f".{run['id']}.{os.uname().nodename}.{os.getpid()}"
        part.write_text(figures, encoding="utf-8")
        part.replace(whole)


def _gather(made: Path, journal: Journal) -> None:
    """Moves finished runs into the journal."""
    for file in sorted(made.glob("[!.]*.json")):
        journal.keep(file.stem, file.read_text(encoding="utf-8"))
        file.unlink()


if __name__ == "__main__":
    sys.exit(main())
