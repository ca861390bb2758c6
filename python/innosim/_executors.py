"""Sweeps whose runs are made elsewhere: by any ``concurrent.futures.Executor``, and known by their content.

A run goes out as the text of its scenario and the number of its replication, and comes back as its figures. Its identity is a
hash of both and of innosim's sources, so that what is there already is not made, a run that was made twice counts once, and a
worker with another innosim is found out.
"""

from __future__ import annotations

import json
import os
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from pathlib import Path
from typing import NamedTuple, Union

from . import _innosim
from ._innosim import InnosimError

#: Most runs that are with the workers at a time.
IN_FLIGHT = 256
#: Times that a run is made again whose worker was lost.
MOST_TRIES = 5

#: An executor, or a function that makes one: it is asked again where the first breaks.
AnExecutor = Union[Executor, Callable[[], Executor]]


class Wanted(NamedTuple):
    """A run of a sweep."""

    #: Its identity.
    id: str
    #: Number of its point, from 0.
    point: int
    #: Number of its replication, from 0.
    replication: int


def make(scenario: str, replication: int, wanted: str) -> str:
    """Makes a run of a written-out scenario, on a worker: its figures as JSON."""
    made, figures = _innosim.run_of_sweep(scenario, replication)
    if made != wanted:
        raise InnosimError(
            "the worker's innosim is built of other sources than this one, or reads the scenario otherwise\n"
            "  = help: install the same wheel on all workers"
        )
    return figures


class Journal:
    """Figures of runs by their identity: in a folder if there is one, a line for each in `runs.jsonl`."""

    def __init__(self, folder: str | os.PathLike[str] | None) -> None:
        self._figures: dict[str, str] = {}
        self._path = None
        if folder is None:
            return
        Path(folder).mkdir(parents=True, exist_ok=True)
        self._path = Path(folder) / "runs.jsonl"
        if self._path.exists():
            self._read(self._path.read_bytes())

    def _read(self, content: bytes) -> None:
        whole, _, torn = content.rpartition(b"\n")
        for line in whole.splitlines():
            run = json.loads(line)
            self._figures[run["id"]] = json.dumps(run["figures"])
        if torn and self._path is not None:
            # Whoever wrote it was killed in the middle of a line.
            self._path.write_bytes(whole + b"\n" if whole else b"")

    def __contains__(self, run: str) -> bool:
        return run in self._figures

    def __getitem__(self, run: str) -> str:
        return self._figures[run]

    def keep(self, run: str, figures: str) -> None:
        """Keeps the figures of a run; of one that is there already, nothing."""
        if run in self._figures:
            return
        self._figures[run] = figures
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"id": run, "figures": json.loads(figures)}) + "\n")


def missing(plan: _innosim.SweepPlan, journal: Journal) -> list[Wanted]:
    """The runs that are not there, each once."""
    once = {run[0]: Wanted(*run) for run in reversed(plan.runs()) if run[0] not in journal}
    return list(reversed(once.values()))


def rows(plan: _innosim.SweepPlan, journal: Journal) -> list[dict[str, object]]:
    """The rows of a sweep, in its order."""
    return [json.loads(plan.row(point, replication, journal[run])) for run, point, replication in plan.runs()]


class _Workers:
    """An executor that is replaced when it breaks."""

    def __init__(self, given: AnExecutor) -> None:
        self._given = given
        self._own: Executor | None = None
        self._now: Executor = given if isinstance(given, Executor) else self._another()

    def _another(self) -> Executor:
        given = self._given
        if isinstance(given, ProcessPoolExecutor):
            # A pool of processes is done for when one of them is killed.
            context = getattr(given, "_mp_context", None)
            self._own = ProcessPoolExecutor(getattr(given, "_max_workers", None), mp_context=context)
        elif not isinstance(given, Executor):
            self._own = given()
        else:
            raise InnosimError(
                "the executor is broken and can't be made anew\n  = help: give a function that makes one: executor=lambda: ..."
            )
        return self._own

    def submit(self, scenario: str, run: Wanted) -> Future[str]:
        try:
            return self._now.submit(make, scenario, run.replication, run.id)
        except BrokenExecutor:
            self.renew()
            return self._now.submit(make, scenario, run.replication, run.id)

    def renew(self) -> None:
        if self._own is not None:
            self._own.shutdown(wait=False, cancel_futures=True)
        self._now = self._another()

    def close(self) -> None:
        if self._own is not None:
            self._own.shutdown(wait=True, cancel_futures=True)


def fill(plan: _innosim.SweepPlan, executor: AnExecutor, journal: Journal) -> None:
    """Makes all runs that the journal lacks."""
    todo = deque(missing(plan, journal))
    tries: Counter[str] = Counter()
    workers = _Workers(executor)
    out: dict[Future[str], Wanted] = {}
    try:
        while todo or out:
            while todo and len(out) < IN_FLIGHT:
                run = todo.popleft()
                out[workers.submit(plan.scenario(run.point), run)] = run
            done, _ = wait(out, return_when=FIRST_COMPLETED)
            broken = False
            for future in done:
                run = out.pop(future)
                lost = _taken(future, run, journal)
                if lost is None:
                    continue
                broken = broken or isinstance(lost, BrokenExecutor)
                tries[run.id] += 1
                if tries[run.id] >= MOST_TRIES:
                    raise InnosimError(f"the workers of a run were lost {MOST_TRIES} times: {lost}") from lost
                todo.append(run)
            if broken:
                # Nothing that is with it will come back.
                todo.extend(out.values())
                out.clear()
                workers.renew()
    finally:
        for future in out:
            future.cancel()
        workers.close()


def _taken(future: Future[str], run: Wanted, journal: Journal) -> BaseException | None:
    """Keeps what came of a run; the error if its worker was lost. What innosim refuses would be refused again."""
    try:
        journal.keep(run.id, future.result())
    except InnosimError:
        raise
    except Exception as lost:  # noqa: BLE001  (each engine has its own for a lost worker)
        return lost
    return None


def batches(plan: _innosim.SweepPlan, runs: list[Wanted], size: int) -> Iterator[list[dict[str, object]]]:
    """The runs in batches, each as plain data that makes it."""
    for start in range(0, len(runs), size):
        batch = runs[start : start + size]
        yield [{"id": run.id, "scenario": plan.scenario(run.point), "replication": run.replication} for run in batch]
