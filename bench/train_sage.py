#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times epochs of a GraphSAGE (PyTorch) by the method that brings feature rows to the GPU (Min, dissertation, figures 3.11, 3.12,
3.14, 3.15, 4.9, 4.11 and 4.12). Prints a JSON object a line.

Methods: staged (host threads gather, a DMA copies: the baseline), naive (zero-copy by loads of 4 bytes, not aligned), zero-copy,
tiered (zero-copy; a share of the rows, hot by algorithm 2, in device memory), in-gpu (all rows in device memory). An epoch gathers, then trains, batch
after batch; or, overlapped, gathers batch i + 1 on a stream of its own while batch i trains. Methods take turns in each round.

Batches are drawn before the clock, and their edges are in device memory, unless --sampling draws them in another
thread meanwhile: host threads, or each GPU over edges in host memory. --sampling all-gpus has all GPUs draw each batch, with the
edges distributed over their memory. Several GPUs have a thread and a replica of the model each; replicas are averaged after each
epoch.

exit code 77: no PyTorch, or no GPU for it
"""

import argparse
import contextlib
import json
import queue
import statistics
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

METHODS = {
    "staged": {"delivery": "staged"},
    "naive": {"delivery": "zero-copy", "aligned": False, "load_bytes": 4},
    "zero-copy": {"delivery": "zero-copy"},
    "tiered": {"delivery": "zero-copy"},
    "in-gpu": {"delivery": "zero-copy"},
}


def options_of_line():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], formatter_class=argparse.RawDescriptionHelpFormatter)
    whole = {"type": int, "metavar": "N"}
    parser.add_argument("--graph", default="kron:20:16", help="a file or a generator (default: %(default)s)")
    parser.add_argument("--device", default="cuda", help="cuda, cuda:0-1, or cpu (default: %(default)s)")
    parser.add_argument("--methods", default="staged,zero-copy,tiered,in-gpu", help=f"among {', '.join(METHODS)}")
    parser.add_argument("--overlap", default="no,yes", help="no, yes or both (default: %(default)s)")
    parser.add_argument("--widths", default="256", help="numbers of floats of a row (default: %(default)s)")
    parser.add_argument("--hot-shares", default="0.1", help="shares of hot rows, for tiered (default: %(default)s)")
    parser.add_argument("--multiprocessors", default="16", help="numbers that gather when overlapped; 0: all (default: %(default)s)")
    parser.add_argument("--fanouts", default="12,12,12", help="default: %(default)s")
    parser.add_argument("--batch", **whole, default=1024, help="training vertices of a batch (default: %(default)s)")
    parser.add_argument("--batches", **whole, default=32, help="of an epoch (default: %(default)s)")
    parser.add_argument("--hidden", **whole, default=256, help="width of hidden layers (default: %(default)s)")
    parser.add_argument("--rounds", **whole, default=5, help="timed epochs of each method (default: %(default)s)")
    parser.add_argument("--sampling", choices=("ahead", "cpu", "cuda", "all-gpus"), default="ahead", help="default: %(default)s")
    given = parser.parse_args()
    given.methods, given.overlap = given.methods.split(","), given.overlap.split(",")
    for kind, names, known in (("method", given.methods, METHODS), ("overlap", given.overlap, ("no", "yes"))):
        if unknown := [name for name in names if name not in known]:
            parser.error(f"there is no {kind} {unknown[0]}: choose among {', '.join(known)}")
    for name, kind in (("widths", int), ("hot_shares", float), ("fanouts", int), ("multiprocessors", int)):
        setattr(given, name, [kind(number) for number in getattr(given, name).split(",")])
    return given


class Batch:
    """A sample: seeds, vertices, and edges of each hop on the device."""

    def __init__(self, sample, seeds, device):
        self.vertices, self.counts = sample.vertices, sample.counts
        move = {"device": device, "non_blocking": True}
        self.hops = [
            tuple(torch.from_numpy(ends.astype(np.int64)).to(**move) for ends in (hop.source_places, hop.target_places))
            for hop in sample.hops
        ]
        self.labels = torch.from_numpy(labels[seeds]).to(**move)


def sampled(given, graph, mine, device, on):
    """Yields this GPU's batches of an epoch. Each epoch has the same ones, so that methods train on the same."""
    placement = {
        "cpu": {"device": "cpu", "backend": "incore"},
        "cuda": {"device": device, "backend": "emogi"},
        "all-gpus": {"device": given.device, "backend": "incore"},
    }[on]
    for number in range(mine, given.batches, given.gpus):
        seeds = training[(np.arange(given.batch) + number * given.batch) % len(training)]
        sample = graph.sample(seeds, given.fanouts, seed=1 + number, warm=True, **placement)
        yield Batch(sample, seeds, device)


def prefetched(batches):
    """Draws batches in another thread, two ahead."""
    drawn = queue.Queue(2)

    def draw():
        try:
            for batch in batches:
                drawn.put(batch)
            drawn.put(None)
        except BaseException as error:
            drawn.put(error)

    threading.Thread(target=draw, daemon=True).start()
    while (batch := drawn.get()) is not None:
        if isinstance(batch, BaseException):
            raise batch
        yield batch


class Trainer:
    """A GPU's replica of the model, with room for the rows of two batches."""

    def __init__(self, given, width, device, most_rows):
        torch.manual_seed(7)
        self.device = torch.device(device)
        hidden = [given.hidden] * (len(given.fanouts) - 1)
        self.model = GraphSage(width, *hidden, CLASSES).to(self.device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=0.001)
        self.rooms = [torch.empty(most_rows, width, device=self.device) for _ in range(2)]
        self.on_gpu = self.device.type == "cuda"
        if self.on_gpu:
            with torch.cuda.device(self.device):
                self.side = torch.cuda.Stream(priority=-1)  # so that its few blocks start between those of training
                self.ready = [torch.cuda.Event() for _ in range(2)]
                self.consumed = [torch.cuda.Event() for _ in range(2)]

    def room(self, turn, batch):
        rows = len(batch.vertices)
        if rows > len(self.rooms[turn]):
            if self.on_gpu:
                torch.cuda.synchronize(self.device)
            self.rooms[turn] = torch.empty(rows + rows // 4, self.rooms[turn].shape[1], device=self.device)
        return self.rooms[turn][:rows]

    def train(self, batch, rows):
        loss = torch.nn.functional.cross_entropy(self.model(rows, batch.hops, batch.counts), batch.labels)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss

    def gather_then_train(self, table, batches):
        for batch in batches:
            rows = self.room(0, batch)
            if self.on_gpu:
                main = torch.cuda.current_stream(self.device)
                table.gather(batch.vertices, out=rows, stream=main)
                main.synchronize()
            else:
                table.gather(batch.vertices, out=rows.numpy())
            loss = self.train(batch, rows)
        return loss

    def gather_while_training(self, table, batches):
        """Gathers a batch on the side stream while the one before it trains."""
        main = torch.cuda.current_stream(self.device)
        for event in self.consumed:
            event.record(main)
        waiting = None

        def train(turn, batch, rows):
            main.wait_event(self.ready[turn])
            loss = self.train(batch, rows)
            self.consumed[turn].record(main)
            return loss

        for number, batch in enumerate(batches):
            turn = number % 2
            rows = self.room(turn, batch)
            self.side.wait_event(self.consumed[turn])
            table.gather(batch.vertices, out=rows, stream=self.side)
            self.ready[turn].record(self.side)
            if waiting is not None:
                train(*waiting)
            waiting = turn, batch, rows
        return train(*waiting)


def average(trainers):
    """Averages the replicas of the model."""
    with torch.no_grad():
        for parameters in zip(*(trainer.model.parameters() for trainer in trainers)):
            mean = sum(parameter.to(trainers[0].device) for parameter in parameters) / len(trainers)
            for parameter in parameters:
                parameter.copy_(mean)


def run_epoch(trainers, table, overlapped, batches_of):
    """Returns the seconds of an epoch on all GPUs, the loss of the last batch, and the costs of the last gather."""
    losses, failed = [None] * len(trainers), []

    def run(mine):
        trainer = trainers[mine]
        try:
            with torch.cuda.device(trainer.device) if trainer.on_gpu else contextlib.nullcontext():
                train = trainer.gather_while_training if overlapped else trainer.gather_then_train
                losses[mine] = train(table, batches_of(mine))
                if trainer.on_gpu:
                    torch.cuda.synchronize(trainer.device)
        except BaseException as error:
            failed.append(error)

    begun = time.perf_counter()
    threads = [threading.Thread(target=run, args=(mine,)) for mine in range(len(trainers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    if len(trainers) > 1:
        average(trainers)
    return time.perf_counter() - begun, losses[0].item(), table.gathered


def verify(table, features, trainer, batch):
    """Returns whether the rows of a batch are right."""
    rows = trainer.room(0, batch)
    table.gather(batch.vertices, out=rows if trainer.on_gpu else rows.numpy())
    return bool((rows.cpu().numpy() == features[batch.vertices]).all())


def variants_of(given, graph, features):
    """Returns the methods to time, with their tables. Some share one."""
    by_score = graph.hot_rows(graph.num_vertices, "weighted", training) if given.device != "cpu" else ()
    tables = {}

    def variant(method, share, overlap, few):
        options = {"delivery": METHODS[method]["delivery"]}
        if given.device != "cpu":
            options = {**METHODS[method], "hot": by_score[: int(share * len(by_score))], "multiprocessors": few}
        if (method, share, few) not in tables:
            tables[method, share, few] = graphrun.FeatureTable(features, device=given.device, **options)
        table = tables[method, share, few]
        return SimpleNamespace(method=method, share=share, overlapped=overlap == "yes", few=few, table=table)

    shares = {"tiered": given.hot_shares, "in-gpu": [1.0]}
    return [
        variant(method, share, overlap, few)
        for method in given.methods
        for share in shares.get(method, [0.0])
        for overlap in given.overlap
        if overlap == "no" or given.device != "cpu"
        for few in (given.multiprocessors if overlap == "yes" and method != "staged" else [0])
    ]


def measure(given, graph, width, devices):
    features = np.random.default_rng(3).random((graph.num_vertices, width), dtype=np.float32)
    ahead = [list(sampled(given, graph, mine, device, "cpu")) for mine, device in enumerate(devices)]
    # A graph keeps the edges of one placement.
    graphs = [graphrun.open(given.graph) if given.sampling == "cuda" else graph for _ in devices]
    most_rows = max(len(batch.vertices) for mine in ahead for batch in mine)
    variants = variants_of(given, graph, features)
    epochs = {id(variant): [] for variant in variants}
    for number in range(1 + given.rounds):  # the first one warms up
        for variant in variants:
            trainers = [Trainer(given, width, device, most_rows) for device in devices]

            def batches_of(mine):
                if given.sampling == "ahead":
                    return ahead[mine]
                return prefetched(sampled(given, graphs[mine], mine, devices[mine], given.sampling))

            if number == 0:
                variant.verified = verify(variant.table, features, trainers[0], ahead[0][0])
            seconds, variant.loss, variant.cost = run_epoch(trainers, variant.table, variant.overlapped, batches_of)
            if number != 0:
                epochs[id(variant)].append(seconds)
    for variant in variants:
        report(given, graph, width, variant, epochs[id(variant)])
    return all(variant.verified for variant in variants)


def report(given, graph, width, variant, seconds):
    cost = variant.cost
    line = {
        "device": "cpu" if given.device == "cpu" else "cuda",
        "emulated": given.device == "cpu",
        "gpu": "" if given.device == "cpu" else torch.cuda.get_device_name(0),
        "gpus": given.gpus if given.device != "cpu" else 0,
        "graph": given.graph,
        "vertices": graph.num_vertices,
        "method": variant.method,
        "overlapped": variant.overlapped,
        "hot_share": variant.share,
        "width": width,
        "row_bytes": 4 * width,
        "fanouts": given.fanouts,
        "batches": given.batches,
        "sampling": given.sampling,
        "multiprocessors": variant.few,
        "epoch_s": statistics.median(seconds),
        "epoch_least_s": min(seconds),
        "epoch_most_s": max(seconds),
        "rounds": len(seconds),
        "gather_ms": cost.time_ms,  # of the last batch
        "host_share": cost.host_bytes / (cost.device_bytes + cost.peer_bytes + cost.host_bytes),
        "loss": variant.loss,
        "verified": variant.verified,
    }
    print(json.dumps(line), flush=True)


def main(given):
    devices = ["cpu"]
    if given.device != "cpu":
        if not torch.cuda.is_available() or "cuda" in graphrun.build_info()["missing"]:
            print("train_sage: no GPU that PyTorch and graphrun can use", file=sys.stderr)
            return 77
        devices = devices_of(given.device)
        missing = [device for device in devices if int(device.removeprefix("cuda:")) >= torch.cuda.device_count()]
        if missing:
            print(f"train_sage: there is no {missing[0]}", file=sys.stderr)
            return 77
    given.gpus = len(devices)
    global training, labels
    graph = graphrun.open(given.graph)
    draw = np.random.default_rng(7)
    labels = draw.integers(CLASSES, size=graph.num_vertices)
    has_arcs = np.flatnonzero(np.diff(graph.offsets))
    training = draw.permutation(has_arcs)[: max(given.batch, len(has_arcs) // 10)]
    rights = [measure(given, graph, width, devices) for width in given.widths]
    return 0 if all(rights) else 1


def devices_of(text):
    """Returns the names of the GPUs of "cuda", "cuda:N", "cuda:N-M" or "cuda:N,M"."""
    numbers = text.removeprefix("cuda").removeprefix(":") or "0"
    if "-" in numbers:
        first, last = numbers.split("-")
        return [f"cuda:{number}" for number in range(int(first), int(last) + 1)]
    return [f"cuda:{number}" for number in numbers.split(",")]


CLASSES = 16
training = labels = None

if __name__ == "__main__":
    given = options_of_line()
    try:
        import numpy as np
        import torch

        import graphrun
    except ImportError as error:
        print(f"train_sage: {error}", file=sys.stderr)
        sys.exit(77)
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "apps" / "python" / "examples"))
    from graph_sage import GraphSage

    try:
        sys.exit(main(given))
    except graphrun.UnavailableError as error:
        print(f"train_sage: {error}", file=sys.stderr)
        sys.exit(77)
