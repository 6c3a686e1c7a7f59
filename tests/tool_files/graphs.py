# SPDX-License-Identifier: Apache-2.0
"""Small random graphs, and files that should be read as them."""

import random
from dataclasses import dataclass, field


@dataclass
class Graph:
    """Edges (u, v, weight) by the names that a file gives vertices; weight None: there is none."""

    edges: list
    directed: bool = True

    def arcs(self, both=False):
        """What graphconv should list; `both`: the format stores an undirected edge as two arcs."""
        arcs = [(str(u), str(v), w) for u, v, w in self.edges]
        if both and not self.directed:
            arcs += [(v, u, w) for u, v, w in arcs if u != v]
        return arcs

    def unweighted(self):
        return Graph([(u, v, None) for u, v, _ in self.edges], self.directed)

    def nodes(self):
        return list(dict.fromkeys(x for u, v, _ in self.edges for x in (u, v)))


@dataclass
class File:
    """Bytes that a tool writes, and the arcs that they mean; `must`: graphrun reads this form, so that it may not refuse it."""

    name: str
    content: bytes
    arcs: list
    must: bool = True
    options: list = field(default_factory=list)


WORDS = "ann bob cy dee eve fay gus hal ida joe kim lea max ned oda pam quinn ray sue tom".split()


def random_graph(rng, names="0", weights="none", directed=True):
    """`names`: 0 or 1 (numbers from there on), words or spaced; `weights`: none, whole or real."""
    n = rng.randint(6, 20)
    called = {
        "0": lambda v: v,
        "1": lambda v: v + 1,
        "words": lambda v: WORDS[v],
        "spaced": lambda v: f"{WORDS[v].title()}, {WORDS[-1 - v]}",
    }[names]
    pairs = {(v, (v + 1) % n) for v in range(n)} | {(rng.randrange(n), rng.randrange(n)) for _ in range(2 * n)}
    if not directed:
        pairs = {(min(p), max(p)) for p in pairs}
    pairs = [p for p in pairs if p[0] != p[1]]
    rng.shuffle(pairs)
    weigh = {"none": lambda: None, "whole": lambda: rng.randint(1, 99), "real": lambda: rng.randint(1, 800) / 16}[weights]
    return Graph([(called(u), called(v), weigh()) for u, v in pairs], directed)


def lines(rows, sep=" ", end="\n"):
    """Rows of fields as bytes; None is left out at the end of a row."""
    return "".join(sep.join(str(x) for x in row if x is not None) + end for row in rows).encode()


def seeded(seed):
    return random.Random(seed)


WRITERS = []  # each makes a File of a random graph


def writer(function):
    WRITERS.append(function)
    return function


def quoted(text):
    return '"' + str(text).replace('"', '""') + '"'


def table(header, rows, sep=",", quote=lambda x: x):
    return lines([[quote(h) for h in header]] + [[x if isinstance(x, (int, float)) else quote(x) for x in row if x is not None] for row in rows], sep)
