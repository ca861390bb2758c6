"""The compiled half. Use the package `innosim`."""

from collections.abc import Callable, Sequence
from typing import Any, final

import numpy.typing as npt

__version__: str

class InnosimError(Exception):
    """What innosim refuses, or what went wrong in a run; its text is the one that the program prints."""

class RuleError(InnosimError):
    """A flushing rule raised, or answered what no server could follow. The text names the rule, the second of the run and what
    the rule saw; what it raised is the cause. `kept` has what came of the other runs of a comparison or sweep."""

    kept: Any

class InnosimWarning(UserWarning):
    """A scenario runs, but perhaps not as its author thinks."""

@final
class Pass:
    """One pass of the page cleaner, as a flushing rule sees it: `see` of docs/rules.md, name by name."""

    @property
    def now(self) -> float:
        """Time of the run, seconds."""
    @property
    def elapsed(self) -> float:
        """Time since the pass before, seconds."""
    @property
    def age(self) -> float:
        """Age of the oldest dirty page, bytes: current LSN less its oldest modification; 0 if none is dirty."""
    @property
    def checkpoint_age(self) -> float:
        """Current LSN less the last checkpoint, bytes."""
    @property
    def age_limit(self) -> float:
        """Age at which adaptive flushing is at its full, bytes."""
    @property
    def stop_age(self) -> float:
        """Age at which user threads stop, bytes."""
    @property
    def redo(self) -> float:
        """Redo since the pass before, bytes."""
    @property
    def redo_rate(self) -> float:
        """Average redo, bytes a second."""
    @property
    def flush_rate(self) -> float:
        """Average flushing, pages a second."""
    @property
    def last_pages(self) -> float:
        """Pages written since the pass before, or asked for, as the server has it."""
    @property
    def dirty_pages(self) -> float:
        """Dirty pages."""
    @property
    def pool_pages(self) -> float:
        """Pages of the buffer pool."""
    @property
    def free_pages(self) -> float:
        """Pages on the free list."""
    @property
    def pages_due(self) -> float:
        """Pages on the flush list within the first stretch that the rule looks ahead; 3 seconds of redo if it does not say."""
    @property
    def due(self) -> list[float]:
        """The same for each stretch."""
    @property
    def due_by_instance(self) -> list[float]:
        """The first stretch for each buffer pool instance, pages."""
    @property
    def mean_age(self) -> float:
        """Mean age of the dirty pages, bytes. It takes a walk over all of them, and is there only for a rule with
        `asks_mean_age = True` (an attribute of the class or function)."""
    @property
    def pending_writes(self) -> float:
        """Pages under write."""
    @property
    def page_reads(self) -> float:
        """Pages read since the start of the run."""
    @property
    def page_writes(self) -> float:
        """Pages written since the start of the run."""
    @property
    def instances(self) -> int:
        """Instances of the buffer pool."""
    @property
    def sync_pass(self) -> bool:
        """Whether this is a sync pass: user threads wait or are about to."""
    @property
    def sync_reach(self) -> float:
        """How far beyond the oldest page a sync pass must get, bytes."""
    @property
    def io_capacity(self) -> float:
        """`innodb_io_capacity`, pages a second."""
    @property
    def io_capacity_max(self) -> float:
        """`innodb_io_capacity_max`, pages a second."""
    @property
    def max_dirty_pages_pct(self) -> float:
        """`innodb_max_dirty_pages_pct`, percent."""

@final
class Ran:
    @property
    def summary_json(self) -> str: ...
    @property
    def resolved_toml(self) -> str: ...
    @property
    def event_hashes(self) -> list[int]: ...
    def series(self, replication: int) -> dict[str, npt.NDArray[Any]]: ...
    def digest(self, replication: int) -> int: ...
    def __len__(self) -> int: ...

@final
class Session:
    @property
    def io_capacity_max(self) -> int | None: ...
    @property
    def event_hash(self) -> int | None: ...
    def __new__(
        cls, scenario: str, model: str | None, set: list[str], duration: str | None, seed: int | None
    ) -> Session: ...
    def step(self, pages: float | None = None) -> Pass | None: ...
    def take_between(self) -> tuple[int, int, int, int, int, float]: ...
    def close(self) -> None: ...

_Common = tuple[str | None, int | None, int | None]
_Rule = str | Callable[..., Any]

def run(
    scenario: str, model: str | None, set: list[str], common: _Common, rule: _Rule | None, how: tuple[bool, int | None]
) -> Ran: ...
def compare(
    scenario: str,
    asked: Sequence[tuple[str, str | None, list[str], _Rule | None]],
    common: _Common,
    jobs: int | None,
) -> tuple[str | None, list[Ran | None], BaseException | None]: ...
def sweep(
    scenario: str,
    vary: list[str],
    model: str | None,
    set: list[str],
    common: _Common,
    how: tuple[_Rule | None, int | None],
) -> tuple[str, BaseException | None]: ...
@final
class SweepPlan:
    def __new__(
        cls, scenario: str, vary: list[str], model: str | None, set: list[str], common: _Common, rule: str | None
    ) -> SweepPlan: ...
    def runs(self) -> list[tuple[str, int, int]]: ...
    def scenario(self, point: int) -> str: ...
    def row(self, point: int, replication: int, figures: str) -> str: ...

def run_of_sweep(scenario: str, replication: int) -> tuple[str, str]: ...
def models() -> list[str]: ...
def scenarios() -> list[tuple[str, str]]: ...
def rules() -> list[tuple[str, str]]: ...
