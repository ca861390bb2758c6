"""The environment: by Gymnasium's own checker, and against a run with the same decisions."""

import threading
import warnings

import gymnasium
import innosim
import innosim.gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

SHORT = {"duration": 20, "set": {"warmup": "5s"}}


def make(**more):
    return gymnasium.make("innosim/Flushing-v0", scenario="redo-too-small", **{**SHORT, **more})


def episode(env, seed, policy):
    """Observations, rewards and the last info of an episode."""
    observation, info = env.reset(seed=seed)
    observations, rewards, over = [observation], [], False
    while not over:
        observation, reward, terminated, over, info = env.step(policy(observation))
        assert not terminated
        observations.append(observation)
        rewards.append(reward)
    return np.stack(observations), rewards, info


def test_it_keeps_to_the_interface():
    env = make()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped, skip_render_check=True)
    env.close()


def test_an_episode_is_the_run_of_a_rule_that_decides_the_same():
    env = make(max_pages=4000)
    _, rewards, info = episode(env, 3, lambda seen: np.array([0.5 * min(seen[0], 1.0)], np.float32))

    def rule(see):
        share = np.float32(0.5 * min(np.float32(see.age / see.age_limit), 1.0))
        return float(share) * 4000

    run = innosim.run("redo-too-small", seed=3, rule=rule, **SHORT)
    assert run.event_hashes == [info["event_hash"]]
    # What happened before the first pass belongs to no step.
    assert 0 < sum(rewards) * 1000 <= run.series()["tps"].sum()
    with pytest.raises(RuntimeError, match="reset"):
        env.unwrapped.step(0.5)


def test_seeds_are_kept():
    def observations(seed):
        return episode(make(), seed, lambda seen: np.array([0.3], np.float32))[0]

    assert np.array_equal(observations(1), observations(1))
    assert not np.array_equal(observations(1)[:8], observations(2)[:8])
    env = make()
    first = env.reset(seed=5)[0]
    later = env.reset()[0]
    assert not np.array_equal(first, later), "an episode without a seed has one of its own"


def test_observations_stay_in_their_space():
    env = make(max_pages=1)
    observations, *_ = episode(env, 1, lambda seen: np.array([1.0], np.float32))
    assert all(env.observation_space.contains(one) for one in observations)


def test_rewards_can_be_ones_own():
    env = make(reward=lambda info: -info["pages_flushed"])
    env.reset(seed=1)
    _, reward, _, _, info = env.step(np.array([1.0], np.float32))
    assert reward == -info["pages_flushed"]
    assert isinstance(info["see"], innosim.Pass)
    env.close()


def test_it_closes_cleanly_in_the_middle_and_twice():
    before = threading.active_count()
    env = make(duration=100_000)
    env.reset(seed=1)
    env.step(np.array([0.1], np.float32))
    env.reset(seed=2)
    env.close()
    env.close()
    assert threading.active_count() == before
    with pytest.raises(RuntimeError, match="reset"):
        env.unwrapped.step(0.5)


def test_a_server_without_rules_is_refused():
    with pytest.raises(innosim.InnosimError, match="rule"):
        innosim.gym.FlushingEnv("furious-flushing-of-55")
