"""innosim: simulates InnoDB's page flushing and redo log, second by second.

>>> import innosim
>>> run = innosim.run("redo-too-small", duration=60)
>>> run.summary["tps_mean"]                     # transactions a second, after warm-up
>>> run.series()["innodb_checkpoint_age"]       # bytes: a numpy array with a value a second

A flushing rule is a function that is shown a pass of the page cleaner and returns pages:

>>> innosim.run("redo-too-small", rule=lambda see: 0.5 * see.pages_due)

Units: times in seconds (`_s`) or milliseconds (`_ms`), ages, LSNs and redo in bytes, flushing in pages of 16 KiB. Whatever
innosim refuses raises :class:`InnosimError` with the program's own message. Equal arguments give equal results, which are those
of the program, on any machine and any number of cores.
"""

from __future__ import annotations

import json as _json
import os as _os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, Union

import numpy as _np
import numpy.typing as _npt

from . import _executors, _innosim
from ._executors import AnExecutor
from ._innosim import InnosimError, InnosimWarning, Pass, RuleError, __version__

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = [
    "Columns",
    "Comparison",
    "InnosimError",
    "InnosimWarning",
    "Parameter",
    "Pass",
    "Rule",
    "RuleError",
    "Run",
    "Sweep",
    "__version__",
    "compare",
    "models",
    "rules",
    "run",
    "scenarios",
    "sweep",
]

#: A value of a setting: sizes as numbers of bytes or as a text such as `"4G"`, switches as `True`, `False` or `"ON"`, `"OFF"`.
Value: TypeAlias = Union[str, int, float, bool]
#: What a rule returns: pages, or a dict with `pages`, `slots` (pages of each buffer pool instance) and `sleep` (seconds).
Wish: TypeAlias = Union[float, Mapping[str, Any]]
#: A flushing rule: a function, a class whose objects are called so, or the name or file of a script.
Rule: TypeAlias = Union[str, Callable[[Pass], Wish], Callable[..., Callable[[Pass], Wish]]]


class Parameter(NamedTuple):
    """A number that a rule leaves open; the values of `parameters` of a rule that is a class.

    It is given to the class by its name, set with ``set={"rule.NAME": value}`` and swept with
    ``innosim.sweep(..., {"rule.NAME": "0.5..0.9:0.1"}, rule=TheClass)``.
    """

    #: Value if nobody gives one.
    default: float
    #: Smallest value.
    smallest: float
    #: Largest value.
    largest: float
    #: What it does, with its unit.
    help: str


class Columns(Mapping[str, "_npt.NDArray[Any]"]):
    """Columns of equal length by name, as numpy arrays.

    Anything that reads Arrow streams takes it as it is (``polars.DataFrame(columns)``, DuckDB, ...), if pyarrow is there.
    """

    def __init__(self, columns: Mapping[str, _npt.NDArray[Any]]) -> None:
        self._columns = dict(columns)

    def __getitem__(self, name: str) -> _npt.NDArray[Any]:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        rows = len(next(iter(self._columns.values()), ()))
        return f"<innosim.Columns: {rows} rows of {', '.join(self._columns)}>"

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas DataFrame over the same memory."""
        import pandas

        return pandas.DataFrame(self._columns, copy=False)

    def to_arrow(self) -> pyarrow.Table:
        """A pyarrow Table over the same memory."""
        import pyarrow

        return pyarrow.table({name: pyarrow.array(values) for name, values in self._columns.items()})

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The Arrow PyCapsule of a stream over the same memory; needs pyarrow."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)


class Run:
    """What came of a scenario and its replications."""

    #: The object of `summary.json`: figures after warm-up, under the same names and in the same units.
    summary: dict[str, Any]

    def __init__(self, ran: _innosim.Ran) -> None:
        self._ran = ran
        self._series: dict[int, Columns] = {}
        self.summary = _json.loads(ran.summary_json)

    @property
    def scenario_toml(self) -> str:
        """The scenario with everything written out: `innosim.run` and the program run it again to the same bytes. A rule that
        is Python has only its name in it, and must be given again."""
        return self._ran.resolved_toml

    @property
    def event_hashes(self) -> list[int]:
        """A number for each replication that tells whether two runs were the same, event by event."""
        return list(self._ran.event_hashes)

    def series(self, replication: int = 0) -> Columns:
        """The columns of `series.csv`, a value a simulated second; amounts are of that second."""
        if replication not in self._series:
            if not 0 <= replication < len(self._ran):
                last = len(self._ran) - 1
                raise IndexError(f"replications are numbered from 0 to {last}, and {replication} is none")
            self._series[replication] = Columns(self._ran.series(replication))
        return self._series[replication]

    def __repr__(self) -> str:
        summary = self.summary
        return (
            f"<innosim.Run {summary['scenario']} on {summary['model']}: {summary['tps_mean']:.0f} transactions/s, "
            f"{summary['regime']}>"
        )


class Comparison:
    """What came of a comparison."""

    #: Each variant's figures, and its differences to the first, paired run by run, under the names of `compare.json`.
    document: dict[str, Any]
    #: The runs of each variant, by label.
    runs: dict[str, Run]

    def __init__(self, document: str, runs: dict[str, Run]) -> None:
        self.document = _json.loads(document)
        self.runs = runs

    def rows(self) -> list[dict[str, Any]]:
        """A dict for each variant and headline figure: `mean` with the half-width of its 95 % interval `ci95`, and the
        `difference` to the first variant (None for that itself), with `p_adjusted` by Holm's rule over all differences."""
        variants = self.document["variants"]
        rows = []
        for variant in variants:
            for metric in variants[-1]["differences"]:
                difference = variant["differences"].get(metric, {})
                rows.append(
                    {
                        "variant": variant["variant"],
                        "metric": metric,
                        "mean": variant[metric],
                        "ci95": variant.get(f"{metric}_ci95"),
                        "difference": difference.get("mean"),
                        "difference_ci95": difference.get("ci95"),
                        "relative": difference.get("relative"),
                        "p_adjusted": difference.get("p_adjusted"),
                        "significant": difference.get("significant"),
                    }
                )
        return rows

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.rows())

    def __repr__(self) -> str:
        return f"<innosim.Comparison of {', '.join(self.runs)}>"


class Sweep:
    """What came of a sweep: a row a run, with the settings that vary, the seed and every figure of a summary, under the names
    of the program's `runs.csv`."""

    #: A dict for each run.
    rows: list[dict[str, Any]]

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.rows)

    def to_arrow(self) -> pyarrow.Table:
        """The rows as a pyarrow Table."""
        import pyarrow

        return pyarrow.Table.from_pylist(self.rows)

    def to_parquet(self, path: str | _os.PathLike[str]) -> None:
        """Writes the rows as one Parquet file; several in a folder are one dataset for DuckDB, pandas or polars."""
        import pyarrow.parquet

        pyarrow.parquet.write_table(self.to_arrow(), path)

    def __repr__(self) -> str:
        return f"<innosim.Sweep of {len(self.rows)} runs>"


def run(
    scenario: str,
    *,
    model: str | None = None,
    set: Mapping[str, Value] | None = None,
    duration: float | str | None = None,
    seed: int | None = None,
    replications: int | None = None,
    rule: Rule | None = None,
    check: bool = False,
    jobs: int | None = None,
) -> Run:
    """Runs a scenario.

    :param scenario: a TOML file, the name of a shipped scenario, or the text of one (several lines).
    :param model: another server model, such as ``"mysql-8.4"``.
    :param set: settings by their real names, and scenario keys by their dotted paths, with their values.
    :param duration: simulated time: seconds, or a text with its unit such as ``"10m"``.
    :param seed: seed of all random numbers.
    :param replications: runs with random numbers of their own; figures become means with 95 % intervals.
    :param rule: in place of the server's adaptive flushing: a function that is shown a :class:`Pass`, about once a simulated
        second, and returns the pages to flush in it; or a class, which is made anew for each run and whose objects are called
        so; or the name or file of a script. With a function or class, runs are made one after the other.
    :param check: verify the invariants at every event (slow).
    :param jobs: runs at a time; one a core if not said.
    :raises RuleError: for what the rule does wrong, with the rule, the second of the run and what it saw; what the rule raised
        is its `__cause__`.
    :raises InnosimError: for anything else that innosim refuses.
    """
    common = (_duration(duration), seed, replications)
    return Run(_innosim.run(scenario, model, _settings(set), common, rule, (check, jobs)))


def compare(
    scenario: str,
    variants: Mapping[str, Mapping[str, Any] | Rule] | None = None,
    *,
    models: Sequence[str] | None = None,
    set: Mapping[str, Value] | None = None,
    duration: float | str | None = None,
    seed: int | None = None,
    replications: int = 3,
    jobs: int | None = None,
) -> Comparison:
    """Compares variants of a scenario under the same random numbers; differences are to the first variant.

    :param variants: for each label a mapping of settings to values, a rule (see :func:`run`), or several of these as
        ``{"set": {...}, "rule": f, "model": "8.4"}``; an empty mapping is the scenario as it stands.
    :param models: server models, each a variant of its own (instead of `variants`).
    :param set: settings that all variants share; a variant's own win.
    :param replications: runs of each variant; at least 2 give intervals.
    :raises RuleError: if a rule did wrong; its `kept` has the runs of the other variants, by label.
    """
    asked: list[tuple[str, str | None, list[str], Rule | None]] = []
    for label, variant in _variants(variants, models).items():
        model, own, rule = _parts(variant)
        asked.append((label, model, _settings({**(set or {}), **own}), rule))
    common = (_duration(duration), seed, replications)
    document, ran, error = _innosim.compare(scenario, asked, common, jobs)
    runs = {one[0]: Run(of_one) for one, of_one in zip(asked, ran) if of_one is not None}
    if document is None:
        raise _keeping(error, runs)
    return Comparison(document, runs)


def sweep(
    scenario: str,
    vary: Mapping[str, str | Sequence[Value]],
    *,
    model: str | None = None,
    set: Mapping[str, Value] | None = None,
    duration: float | str | None = None,
    seed: int | None = None,
    replications: int | None = None,
    rule: Rule | None = None,
    jobs: int | None = None,
    executor: AnExecutor | None = None,
    store: str | _os.PathLike[str] | None = None,
) -> Sweep:
    """Runs a scenario under every combination of what varies.

    :param vary: for each setting its values: a sequence, or a text such as ``"1000..8000:500"`` as the command line takes it.
        Settings joined by ``+`` take the same value.
    :param executor: makes the runs: any ``concurrent.futures.Executor`` (a process pool, ``dask.distributed.Client().get_executor()``,
        Ray's, ``mpi4py.futures.MPIPoolExecutor``, Parsl's), or a function that makes one. A run whose worker is lost is made again.
        The rule must be a script. The rows are the same as without one.
    :param store: folder that keeps finished runs by their identity, with `executor`: what is there is not made again.
    :raises RuleError: if a rule did wrong in a run; its `kept` is the :class:`Sweep` of the others.
    """
    words = []
    for name, values in vary.items():
        words.append(f"{name}={values if isinstance(values, str) else ','.join(_spelled(value) for value in values)}")
    common = (_duration(duration), seed, replications)
    if executor is not None:
        if jobs is not None or not (rule is None or isinstance(rule, str)):
            raise InnosimError("with an executor there are no `jobs`, and the rule is a script: its name or file")
        plan = _innosim.SweepPlan(scenario, words, model, _settings(set), common, rule)
        journal = _executors.Journal(store)
        _executors.fill(plan, executor, journal)
        return Sweep(_executors.rows(plan, journal))
    if store is not None:
        raise InnosimError("a store goes with an executor\n  = help: without one, `innosim sweep --out DIR` keeps finished runs")
    rows, error = _innosim.sweep(scenario, words, model, _settings(set), common, (rule, jobs))
    made = Sweep(_json.loads(rows))
    if error is not None:
        raise _keeping(error, made)
    return made


def models() -> list[str]:
    """Names of the server models."""
    return _innosim.models()


def scenarios() -> dict[str, str]:
    """Names of the shipped scenarios with their titles."""
    return dict(_innosim.scenarios())


def rules() -> dict[str, str]:
    """Names of the shipped flushing rules, each with what it does."""
    return dict(_innosim.rules())


def _settings(settings: Mapping[str, Value] | None) -> list[str]:
    """Settings as the command line has them: `NAME=VALUE`."""
    if settings is None:
        settings = {}
    if not isinstance(settings, Mapping):
        raise TypeError(f"set is a mapping of settings to values, not {type(settings).__name__}")
    return [f"{name}={_spelled(value)}" for name, value in settings.items()]


def _spelled(value: Value) -> str:
    if isinstance(value, (bool, _np.bool_)):
        return "ON" if value else "OFF"
    return str(value)


def _duration(duration: float | str | None) -> str | None:
    """Seconds as a number, or a text with its unit."""
    if duration is None or isinstance(duration, str):
        return duration
    return f"{duration}s"


def _keeping(error: BaseException | None, kept: object) -> BaseException:
    """The error of a run, with what came of the others."""
    if error is None:
        return InnosimError("a run ended without a result")
    error.kept = kept  # type: ignore[attr-defined]
    return error


def _variants(
    variants: Mapping[str, Mapping[str, Any] | Rule] | None, models: Sequence[str] | None
) -> Mapping[str, Mapping[str, Any] | Rule]:
    if (variants is None) == (models is None):
        raise InnosimError("give variants or models, one of the two")
    chosen: Mapping[str, Mapping[str, Any] | Rule]
    chosen = variants if variants is not None else {name: {"model": name} for name in models or ()}
    if len(chosen) < 2:
        raise InnosimError("a comparison takes at least two variants")
    return chosen


def _parts(variant: Mapping[str, Any] | Rule) -> tuple[str | None, dict[str, Value], Rule | None]:
    """Model, settings and rule of a variant."""
    if isinstance(variant, str) or callable(variant):
        return None, {}, variant
    if not isinstance(variant, Mapping):
        raise TypeError(f"a variant is a mapping of settings or a rule, not {type(variant).__name__}")
    if variant.keys() & {"set", "rule", "model"}:
        unknown = sorted(variant.keys() - {"set", "rule", "model"})
        if unknown:
            raise InnosimError(f"a variant with `set`, `rule` or `model` has its settings in `set`, not beside it: {unknown}")
        return variant.get("model"), dict(variant.get("set") or {}), variant.get("rule")
    return None, dict(variant), None
