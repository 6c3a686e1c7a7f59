"""Types of graphrun. Keywords are those that graphrun.keywords() lists; the tests compare them."""

from collections.abc import Hashable, Iterable, Sequence
from os import PathLike
from types import SimpleNamespace
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt
from typing_extensions import Unpack

__version__: str
UNREACHED: np.uint32
UNREACHED_DISTANCE: np.uint64

Array = npt.NDArray[Any]
Vertex = int | np.integer[Any] | str

class Error(Exception): ...
class UsageError(Error, ValueError): ...
class DataError(Error): ...
class WideIdsError(DataError): ...
class RunError(Error): ...
class UnavailableError(Error): ...

class _Loading(TypedDict, total=False):
    format: str
    ids: str | int
    vertices: str
    columns: str | Sequence[str]
    float_weights: bool
    raw_offset_in: int | str
    undirected: bool
    bipartite: bool
    drop_self_loops: bool
    drop_duplicates: bool

class _Placement(TypedDict, total=False):
    backend: str
    device: str
    threads: int
    ranks: int
    cache: int | str
    layout: str
    chunk: int
    page: int | str
    queues: int
    queue_depth: int
    access: str
    count_requests: bool
    uvm_advise: str
    uvm_fault: int | str
    uvm_prefetch: int | str
    uvm_block: int | str
    storage: str
    route: str
    hot: str
    cold_tier: bool
    stripe: str | Sequence[str]
    delivery: str
    bam_coalesce: bool | str
    bam_reuse: bool | str
    bam_cache: bool | str
    fabric: str
    remote: str
    token_file: str
    fabric_addresses: str
    fabric_endpoints: int
    fabric_deadline: int
    subway_variant: str
    warm: bool
    preload: bool

class _Run(_Placement, total=False):
    variant: str
    trials: int
    verify: bool | str

class _Bfs(_Run, total=False):
    sources: int
    batch: bool

class _Sssp(_Run, total=False):
    sources: int
    delta: float
    weights: str

class _PageRank(_Run, total=False):
    sources: int
    damping: float
    tolerance: float
    stop: str
    max_iterations: int
    certify: bool

class _Betweenness(_Run, total=False):
    sources: int

class Answer:
    record: dict[str, Any]
    trials: list[SimpleNamespace]
    trial: SimpleNamespace
    verified: bool | None

class BfsAnswer(Answer):
    values: npt.NDArray[np.uint32]
    parents: Array
    sources: Array
    reached: int

class SsspAnswer(Answer):
    distances: Array
    values: npt.NDArray[np.float64]
    reached: int

class ComponentsAnswer(Answer):
    values: Array
    components: int

class PageRankAnswer(Answer):
    values: npt.NDArray[np.float64]
    residual: float
    certificate: dict[str, float] | None
    converged: bool

class BetweennessAnswer(Answer):
    values: npt.NDArray[np.float64]
    sources: npt.NDArray[np.uint64]

class TrianglesAnswer(Answer):
    triangles: int

class Sample:
    vertices: Array
    counts: list[int]
    hops: list[SimpleNamespace]
    trial: SimpleNamespace

class Graph:
    num_vertices: int
    num_edges: int
    symmetric: bool
    name: str
    assumptions: list[str]
    offsets: npt.NDArray[np.uint64]
    neighbours: Array
    weights: Array | None
    labels: Array
    def index(self, label: Hashable) -> int: ...
    def close(self) -> None: ...
    def bfs(self, source: Vertex | None = None, **options: Unpack[_Bfs]) -> BfsAnswer: ...
    def sssp(self, source: Vertex | None = None, **options: Unpack[_Sssp]) -> SsspAnswer: ...
    def cc(self, **options: Unpack[_Run]) -> ComponentsAnswer: ...
    def pagerank(self, source: Vertex | Iterable[int] | None = None, **options: Unpack[_PageRank]) -> PageRankAnswer: ...
    def bc(self, source: Vertex | Iterable[int] | None = None, **options: Unpack[_Betweenness]) -> BetweennessAnswer: ...
    def triangles(self, **options: Unpack[_Run]) -> TrianglesAnswer: ...
    def sample(
        self,
        seeds: npt.ArrayLike,
        fanouts: Iterable[int],
        seed: int = 1,
        replace: bool = False,
        weighted: bool = False,
        **options: Unpack[_Placement],
    ) -> Sample: ...
    def to_networkx(self) -> Any: ...

class FeatureTable:
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    gathered: SimpleNamespace | None
    def __init__(
        self,
        rows: npt.ArrayLike | str | bytes | PathLike[str],
        device: str = "cpu",
        hot: npt.ArrayLike = (),
        aligned: bool = True,
        cache: int | str | None = None,
        page: int | str | None = None,
        threads: int = 0,
        multiprocessors: int = 0,
    ) -> None: ...
    def gather(self, ids: npt.ArrayLike, out: Any = None) -> Any: ...
    def __len__(self) -> int: ...

def build_info() -> dict[str, Any]: ...
def keywords(algorithm: str | None = None) -> dict[str, str]: ...
def open(path: str | bytes | PathLike[str], **options: Unpack[_Loading]) -> Graph: ...
def from_edges(
    sources: npt.ArrayLike,
    targets: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    vertices: int | None = None,
    undirected: bool = False,
    labels: Iterable[Hashable] | None = None,
) -> Graph: ...
def from_scipy(matrix: Any, undirected: bool = False, labels: Iterable[Hashable] | None = None) -> Graph: ...
def from_networkx(graph: Any, weight: str | None = "weight") -> Graph: ...
