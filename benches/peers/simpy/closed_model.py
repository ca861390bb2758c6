"""The closed model in SimPy, as its documentation teaches it: a process a client, resources for cores and channels.

Usage: closed_model.py PARAMETERS.toml    prints one JSON document: a row a replication, and the CPU time it took.
"""

import json
import random
import sys
import time
import tomllib

import simpy


class Counts:
    """What is counted from the start on; times in seconds."""

    def __init__(self):
        self.transactions = 0
        self.response = 0.0
        self.cpu = 0.0
        self.device = 0.0
        self.syncs = 0

    def values(self):
        return [self.transactions, self.response, self.cpu, self.device, self.syncs]


class Log:
    """Commits that share syncs: one is under way at a time."""

    def __init__(self, env, device, rng, model, counts):
        self.env, self.device, self.rng, self.counts = env, device, rng, counts
        self.rate = 1e6 / model["sync_us"]
        self.waiting = []
        self.busy = False

    def commit(self):
        """An event that happens when the commit is durable."""
        durable = self.env.event()
        self.waiting.append(durable)
        if not self.busy:
            self.busy = True
            self.env.process(self.sync())
        return durable

    def sync(self):
        while self.waiting:
            group, self.waiting = self.waiting, []
            with self.device.request() as channel:
                yield channel
                service = self.rng.expovariate(self.rate)
                self.counts.device += service
                yield self.env.timeout(service)
            self.counts.syncs += 1
            for durable in group:
                durable.succeed()
        self.busy = False


def client(env, cores, device, log, rng, model, counts):
    """A client: transaction after transaction."""
    cpu_rate, read_rate, read_share = 1e6 / model["cpu_us"], 1e6 / model["read_us"], model["read_share"]
    while True:
        began = env.now
        with cores.request() as core:
            yield core
            service = rng.expovariate(cpu_rate)
            counts.cpu += service
            yield env.timeout(service)
        if rng.random() < read_share:
            with device.request() as channel:
                yield channel
                service = rng.expovariate(read_rate)
                counts.device += service
                yield env.timeout(service)
        yield log.commit()
        counts.transactions += 1
        counts.response += env.now - began


def replicate(model, warmup, seconds, seed):
    """One replication: transactions of the whole run, and the five averages over the time after warm-up."""
    env, counts, rng = simpy.Environment(), Counts(), random.Random(seed)
    cores = simpy.Resource(env, model["cores"])
    device = simpy.Resource(env, model["channels"])
    log = Log(env, device, rng, model, counts)
    for _ in range(model["clients"]):
        env.process(client(env, cores, device, log, rng, model, counts))
    env.run(until=warmup)
    before = counts.values()
    env.run(until=warmup + seconds)
    transactions, response, cpu, dev, syncs = (b - a for a, b in zip(before, counts.values()))
    return counts.transactions, {
        "tps": transactions / seconds,
        "response_ms": response / transactions * 1e3,
        "cpu_utilization": cpu / seconds / model["cores"],
        "device_utilization": dev / seconds / model["channels"],
        "group": transactions / syncs,
    }


def main():
    with open(sys.argv[1], "rb") as file:
        parameters = tomllib.load(file)
    runs, model = parameters["runs"], parameters["model"]
    seconds, total, rows = runs["seconds"]["simpy"], 0, []
    began = time.process_time()
    for seed in range(runs["replications"]):
        transactions, row = replicate(model, runs["warmup_s"], seconds, seed)
        total += transactions
        rows.append(row)
    cpu_s = time.process_time() - began
    simulated_s = (runs["warmup_s"] + seconds) * runs["replications"]
    rounds = [{"transactions": total, "simulated_s": simulated_s, "cpu_s": cpu_s}]
    peer = {"name": f"SimPy {simpy.__version__}, Python {sys.version.split()[0]}", "kind": "simpy"}
    json.dump(peer | {"replications": rows, "rounds": rounds}, sys.stdout)


if __name__ == "__main__":
    main()
