"""A Gymnasium environment: the page cleaner of a simulated server, whose pages an agent decides pass by pass.

>>> import gymnasium, innosim.gym
>>> env = gymnasium.make("innosim/Flushing-v0", scenario="redo-too-small", duration=600)

**A step is a pass** of the page cleaner: one a simulated second, or back to back while the server flushes synchronously.
**Action**: the pages of the pass, as a share of `max_pages`, 0 to 1. **Observation**, ten numbers from 0 to 100, most of them
about 1:

==  ======================================================================================
0   age of the oldest dirty page / age at which adaptive flushing is at its full
1   age at which user threads stop / the same
2   dirty pages / pages of the buffer pool
3   free pages / pages of the buffer pool
4   redo since the pass before / age at which adaptive flushing is at its full
5   average redo of a second / the same
6   pages due within 3 seconds of redo / `max_pages`
7   pages written since the pass before / `max_pages`
8   pages under write / `max_pages`
9   1 in a sync pass, else 0
==  ======================================================================================

**Reward**: thousands of transactions since the last step, less `write_cost` for a thousand pages flushed; or `reward(info)`, a
function of your own. `info` has what happened in the whole seconds that ended since the last step (`seconds`, `transactions`,
`pages_flushed`, `redo_bytes`, `free_check_waits`, and `latency_ms_max` in ms) and `see`, the :class:`innosim.Pass` itself.

An episode is a run. It is `truncated` when the time of the scenario is over, and never `terminated`: the server lives on. The
last step's `info` has no `see`, and the run's `event_hash`. ``reset(seed=N)`` runs under that seed; without one, each episode has
a seed of its own, drawn from the environment's generator. Equal seeds and actions give equal episodes, and an agent that decides
as a rule does gives that rule's run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import gymnasium
import numpy as np
import numpy.typing as npt

from . import Pass, Value, _duration, _settings
from ._innosim import Session

__all__ = ["FlushingEnv"]

Observation = npt.NDArray[np.float32]
Info = dict[str, Any]

_BETWEEN = ("seconds", "transactions", "pages_flushed", "redo_bytes", "free_check_waits", "latency_ms_max")
_SIZE = 10
_HIGHEST = 100.0


class FlushingEnv(gymnasium.Env[Observation, npt.NDArray[np.float32]]):
    """Decides how many pages each pass of the page cleaner flushes; the module's text has spaces, rewards and units."""

    metadata = {"render_modes": []}

    def __init__(
        self,
        scenario: str = "redo-too-small",
        *,
        model: str | None = None,
        set: Mapping[str, Value] | None = None,
        duration: float | str | None = None,
        max_pages: float | None = None,
        write_cost: float = 0.0,
        reward: Callable[[Info], float] | None = None,
    ) -> None:
        """
        :param scenario: as for :func:`innosim.run`, and so are `model`, `set` and `duration`.
        :param max_pages: pages of an action of 1; `innodb_io_capacity_max` if not said.
        :param write_cost: what a thousand pages flushed cost, in thousands of transactions.
        :param reward: a function of `info` instead.
        :raises innosim.InnosimError: if the scenario is wrong, or its server takes no rule.
        """
        self._made_of = (scenario, model, _settings(set), _duration(duration))
        # Says now what is wrong with the scenario.
        session = Session(*self._made_of, None)
        session.close()
        self._max_pages = float(max_pages or session.io_capacity_max or 10_000)
        self._write_cost, self._reward = write_cost, reward
        self._session: Session | None = None
        self._pool_pages = 0.0
        self._last = np.zeros(_SIZE, np.float32)
        self.action_space = gymnasium.spaces.Box(0.0, 1.0, (1,), np.float32)
        self.observation_space = gymnasium.spaces.Box(0.0, _HIGHEST, (_SIZE,), np.float32)

    @property
    def max_pages(self) -> float:
        """Pages of an action of 1."""
        return self._max_pages

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """Begins a run, and simulates it up to the first pass."""
        super().reset(seed=seed)
        self.close()
        run_seed = seed if seed is not None else int(self.np_random.integers(2**32))
        self._session = Session(*self._made_of, run_seed)
        see = self._session.step()
        if see is None:
            self.close()
            raise RuntimeError("the run was over before the first pass of its page cleaner that asks a rule")
        info = self._happened(self._session)
        return self._observe(see, info), info

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, Info]:
        """Flushes as decided, and simulates up to the next pass."""
        session = self._session
        if session is None:
            raise RuntimeError("call reset() before step(), and after an episode is over")
        share = float(np.clip(np.asarray(action, np.float64).reshape(-1)[0], 0.0, 1.0))
        see = session.step(min(share * self._max_pages, self._pool_pages))
        info = self._happened(session)
        if see is not None:
            return self._observe(see, info), self._reward_of(info), False, False, info
        info["event_hash"] = session.event_hash
        self.close()
        return self._last, self._reward_of(info), False, True, info

    def close(self) -> None:
        """Ends the run, if there is one."""
        if self._session is not None:
            self._session.close()
            self._session = None

    @staticmethod
    def _happened(session: Session) -> Info:
        return dict(zip(_BETWEEN, session.take_between()))

    def _observe(self, see: Pass, info: Info) -> Observation:
        info["see"] = see
        self._pool_pages = see.pool_pages
        limit, pool = max(see.age_limit, 1.0), max(see.pool_pages, 1.0)
        numbers = [
            see.age / limit,
            see.stop_age / limit,
            see.dirty_pages / pool,
            see.free_pages / pool,
            see.redo / limit,
            see.redo_rate / limit,
            see.pages_due / self._max_pages,
            see.last_pages / self._max_pages,
            see.pending_writes / self._max_pages,
            float(see.sync_pass),
        ]
        self._last = np.clip(np.array(numbers, np.float32), 0.0, np.float32(_HIGHEST))
        return self._last

    def _reward_of(self, info: Info) -> float:
        if self._reward is not None:
            return float(self._reward(info))
        return cast(float, info["transactions"] / 1000.0 - self._write_cost * info["pages_flushed"] / 1000.0)


gymnasium.register(id="innosim/Flushing-v0", entry_point="innosim.gym:FlushingEnv")
