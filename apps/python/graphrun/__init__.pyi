# SPDX-License-Identifier: Apache-2.0
"""Types of graphrun. tools/python_stubs.py writes the keywords of options; the tests compare them."""

from collections.abc import Hashable, Iterable, Sequence
from os import PathLike
from types import SimpleNamespace
from typing import Any, overload

import numpy as np
import numpy.typing as npt

__version__: str
UNREACHED: np.uint32
UNREACHED_DISTANCE: np.uint64

Array = npt.NDArray[Any]
Source = Hashable | Iterable[Any]  # a name, a text, several names, or a mapping of names to equal shares

class Error(Exception): ...
class UsageError(Error, ValueError): ...
class DataError(Error): ...
class WideIdsError(DataError): ...
class RunError(Error): ...
class Cancelled(Error): ...
class TimedOut(Cancelled, TimeoutError): ...
class UnavailableError(Error): ...

class Answer:
    columns: dict[str, Array]
    values: Array
    sources: npt.NDArray[np.uint64]
    record: dict[str, Any]
    trials: list[SimpleNamespace]
    trial: SimpleNamespace
    verified: bool | None
    converged: bool
    def hops(self, unreached: float = -1) -> Array: ...
    def to_table(self) -> Table: ...
    def to_pandas(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __getattr__(self, name: str) -> Any: ...

class Sample:
    vertices: Array
    counts: list[int]
    hops: list[SimpleNamespace]
    trial: SimpleNamespace
    def to_pyg(self) -> Any: ...
    def to_dgl(self) -> list[Any]: ...

class Table:
    columns: dict[str, Array]
    def __init__(self, columns: dict[str, Array]) -> None: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def to_pandas(self, index: str | None = None) -> Any: ...
    def to_parquet(self, path: str | PathLike[str]) -> None: ...

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
    @overload
    def index(self, label: list[Any] | Array) -> npt.NDArray[np.int64]: ...
    @overload
    def index(self, label: Hashable) -> int: ...
    def degrees(self, kind: str = "out") -> npt.NDArray[np.int64]: ...
    def neighbors(self, source: Hashable | None = None, index: int | None = None) -> Array: ...
    def path(self, source: Hashable, target: Hashable, **options: Any) -> Array: ...
    def predecessors(self, answer: Answer) -> Array: ...
    def reverse(self) -> Graph: ...
    def subgraph(self, labels: list[Any] | Array | None = None, index: npt.ArrayLike | None = None) -> Graph: ...
    def csr(self) -> tuple[Array, Array, Array | None]: ...
    def to_table(self) -> Table: ...
    def to_pandas(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def to_scipy(self) -> Any: ...
    def to_pyg(self) -> Any: ...
    def to_dgl(self) -> Any: ...
    def save(self, path: str | bytes | PathLike[str]) -> None: ...
    def close(self) -> None: ...
    def cancel(self) -> None: ...
    def __enter__(self) -> Graph: ...
    def __exit__(self, *_: object) -> None: ...
    def bfs(
        self,
        source: Source | None = None,
        index: npt.ArrayLike | None = None,
        *,  # keywords of bfs
        variant: str | None = None, trials: int | None = None, sources: int | None = None, batch: bool | None = None,
        verify: bool | str | None = None, backend: str | None = None, device: str | None = None, threads: int | None = None,
        ranks: int | None = None, cache: int | str | None = None, hot: str | None = None, layout: str | None = None,
        chunk: int | None = None, page: int | str | None = None, queues: int | None = None, queue_depth: int | None = None,
        doorbell_batch: int | None = None, access: str | None = None, count_requests: bool | None = None,
        uvm_advise: str | None = None, gpu_memory: int | str | None = None, oversubscribe: bool | None = None,
        count_migrations: bool | None = None, uvm_fault: int | str | None = None, uvm_prefetch: int | str | None = None,
        uvm_block: int | str | None = None, storage: str | None = None, route: str | None = None,
        stripe: str | Sequence[str] | None = None, delivery: str | None = None, bam_coalesce: bool | str | None = None,
        bam_reuse: bool | str | None = None, bam_cache: bool | str | None = None, fabric: str | None = None,
        remote: str | None = None, token_file: str | None = None, fabric_addresses: str | None = None,
        fabric_endpoints: int | None = None, fabric_deadline: int | None = None, subway_variant: str | None = None,
        warm: bool | None = None, preload: bool | None = None, timeout: float | None = None,
    ) -> Answer: ...
    def sssp(
        self,
        source: Source | None = None,
        index: npt.ArrayLike | None = None,
        *,  # keywords of sssp
        variant: str | None = None, trials: int | None = None, checkpoint: str | None = None, sources: int | None = None,
        delta: float | None = None, distances: str | None = None, weights: str | None = None, verify: bool | str | None = None,
        backend: str | None = None, device: str | None = None, threads: int | None = None, ranks: int | None = None,
        cache: int | str | None = None, hot: str | None = None, layout: str | None = None, chunk: int | None = None,
        page: int | str | None = None, queues: int | None = None, queue_depth: int | None = None,
        doorbell_batch: int | None = None, access: str | None = None, count_requests: bool | None = None,
        uvm_advise: str | None = None, gpu_memory: int | str | None = None, oversubscribe: bool | None = None,
        count_migrations: bool | None = None, uvm_fault: int | str | None = None, uvm_prefetch: int | str | None = None,
        uvm_block: int | str | None = None, storage: str | None = None, route: str | None = None,
        stripe: str | Sequence[str] | None = None, delivery: str | None = None, bam_coalesce: bool | str | None = None,
        bam_reuse: bool | str | None = None, bam_cache: bool | str | None = None, fabric: str | None = None,
        remote: str | None = None, token_file: str | None = None, fabric_addresses: str | None = None,
        fabric_endpoints: int | None = None, fabric_deadline: int | None = None, subway_variant: str | None = None,
        warm: bool | None = None, preload: bool | None = None, timeout: float | None = None,
    ) -> Answer: ...
    def cc(
        self,
        *,  # keywords of cc
        variant: str | None = None, trials: int | None = None, verify: bool | str | None = None, backend: str | None = None,
        device: str | None = None, threads: int | None = None, ranks: int | None = None, cache: int | str | None = None,
        hot: str | None = None, layout: str | None = None, chunk: int | None = None, page: int | str | None = None,
        queues: int | None = None, queue_depth: int | None = None, doorbell_batch: int | None = None, access: str | None = None,
        count_requests: bool | None = None, uvm_advise: str | None = None, gpu_memory: int | str | None = None,
        oversubscribe: bool | None = None, count_migrations: bool | None = None, uvm_fault: int | str | None = None,
        uvm_prefetch: int | str | None = None, uvm_block: int | str | None = None, storage: str | None = None,
        route: str | None = None, stripe: str | Sequence[str] | None = None, delivery: str | None = None,
        bam_coalesce: bool | str | None = None, bam_reuse: bool | str | None = None, bam_cache: bool | str | None = None,
        fabric: str | None = None, remote: str | None = None, token_file: str | None = None,
        fabric_addresses: str | None = None, fabric_endpoints: int | None = None, fabric_deadline: int | None = None,
        subway_variant: str | None = None, warm: bool | None = None, preload: bool | None = None, timeout: float | None = None,
    ) -> Answer: ...
    def pagerank(
        self,
        source: Source | None = None,
        index: npt.ArrayLike | None = None,
        *,  # keywords of pagerank
        variant: str | None = None, trials: int | None = None, checkpoint: str | None = None, sources: int | None = None,
        damping: float | None = None, tolerance: float | None = None, stop: str | None = None,
        max_iterations: int | None = None, shares: str | None = None, certify: bool | None = None, weights: str | None = None,
        verify: bool | str | None = None, backend: str | None = None, device: str | None = None, threads: int | None = None,
        ranks: int | None = None, cache: int | str | None = None, hot: str | None = None, layout: str | None = None,
        chunk: int | None = None, page: int | str | None = None, queues: int | None = None, queue_depth: int | None = None,
        doorbell_batch: int | None = None, access: str | None = None, count_requests: bool | None = None,
        uvm_advise: str | None = None, gpu_memory: int | str | None = None, oversubscribe: bool | None = None,
        count_migrations: bool | None = None, uvm_fault: int | str | None = None, uvm_prefetch: int | str | None = None,
        uvm_block: int | str | None = None, storage: str | None = None, route: str | None = None,
        stripe: str | Sequence[str] | None = None, delivery: str | None = None, bam_coalesce: bool | str | None = None,
        bam_reuse: bool | str | None = None, bam_cache: bool | str | None = None, fabric: str | None = None,
        remote: str | None = None, token_file: str | None = None, fabric_addresses: str | None = None,
        fabric_endpoints: int | None = None, fabric_deadline: int | None = None, subway_variant: str | None = None,
        warm: bool | None = None, preload: bool | None = None, timeout: float | None = None,
    ) -> Answer: ...
    def bc(
        self,
        source: Source | None = None,
        index: npt.ArrayLike | None = None,
        *,  # keywords of bc
        variant: str | None = None, trials: int | None = None, checkpoint: str | None = None, sources: int | None = None,
        definition: str | None = None, verify: bool | str | None = None, backend: str | None = None, device: str | None = None,
        threads: int | None = None, ranks: int | None = None, cache: int | str | None = None, hot: str | None = None,
        layout: str | None = None, chunk: int | None = None, page: int | str | None = None, queues: int | None = None,
        queue_depth: int | None = None, doorbell_batch: int | None = None, access: str | None = None,
        count_requests: bool | None = None, uvm_advise: str | None = None, gpu_memory: int | str | None = None,
        oversubscribe: bool | None = None, count_migrations: bool | None = None, uvm_fault: int | str | None = None,
        uvm_prefetch: int | str | None = None, uvm_block: int | str | None = None, storage: str | None = None,
        route: str | None = None, stripe: str | Sequence[str] | None = None, delivery: str | None = None,
        bam_coalesce: bool | str | None = None, bam_reuse: bool | str | None = None, bam_cache: bool | str | None = None,
        fabric: str | None = None, remote: str | None = None, token_file: str | None = None,
        fabric_addresses: str | None = None, fabric_endpoints: int | None = None, fabric_deadline: int | None = None,
        subway_variant: str | None = None, warm: bool | None = None, preload: bool | None = None, timeout: float | None = None,
    ) -> Answer: ...
    def triangles(
        self,
        *,  # keywords of triangles
        variant: str | None = None, trials: int | None = None, verify: bool | str | None = None, backend: str | None = None,
        device: str | None = None, threads: int | None = None, ranks: int | None = None, cache: int | str | None = None,
        hot: str | None = None, layout: str | None = None, chunk: int | None = None, page: int | str | None = None,
        queues: int | None = None, queue_depth: int | None = None, doorbell_batch: int | None = None, access: str | None = None,
        count_requests: bool | None = None, uvm_advise: str | None = None, gpu_memory: int | str | None = None,
        oversubscribe: bool | None = None, count_migrations: bool | None = None, uvm_fault: int | str | None = None,
        uvm_prefetch: int | str | None = None, uvm_block: int | str | None = None, storage: str | None = None,
        route: str | None = None, stripe: str | Sequence[str] | None = None, delivery: str | None = None,
        bam_coalesce: bool | str | None = None, bam_reuse: bool | str | None = None, bam_cache: bool | str | None = None,
        fabric: str | None = None, remote: str | None = None, token_file: str | None = None,
        fabric_addresses: str | None = None, fabric_endpoints: int | None = None, fabric_deadline: int | None = None,
        subway_variant: str | None = None, warm: bool | None = None, preload: bool | None = None, timeout: float | None = None,
    ) -> Answer: ...
    def cdlp(
        self,
        *,  # keywords of cdlp
        variant: str | None = None, trials: int | None = None, max_iterations: int | None = None,
        verify: bool | str | None = None, backend: str | None = None, device: str | None = None, threads: int | None = None,
        ranks: int | None = None, cache: int | str | None = None, hot: str | None = None, layout: str | None = None,
        chunk: int | None = None, page: int | str | None = None, queues: int | None = None, queue_depth: int | None = None,
        doorbell_batch: int | None = None, access: str | None = None, count_requests: bool | None = None,
        uvm_advise: str | None = None, gpu_memory: int | str | None = None, oversubscribe: bool | None = None,
        count_migrations: bool | None = None, uvm_fault: int | str | None = None, uvm_prefetch: int | str | None = None,
        uvm_block: int | str | None = None, storage: str | None = None, route: str | None = None,
        stripe: str | Sequence[str] | None = None, delivery: str | None = None, bam_coalesce: bool | str | None = None,
        bam_reuse: bool | str | None = None, bam_cache: bool | str | None = None, fabric: str | None = None,
        remote: str | None = None, token_file: str | None = None, fabric_addresses: str | None = None,
        fabric_endpoints: int | None = None, fabric_deadline: int | None = None, subway_variant: str | None = None,
        warm: bool | None = None, preload: bool | None = None, timeout: float | None = None,
    ) -> Answer: ...
    def hot_rows(
        self, count: int, by: str = "personalised", seeds: npt.ArrayLike = (), threads: int = 0
    ) -> npt.NDArray[Any]: ...
    def lcc(
        self,
        *,  # keywords of lcc
        variant: str | None = None, trials: int | None = None, verify: bool | str | None = None, backend: str | None = None,
        device: str | None = None, threads: int | None = None, ranks: int | None = None, cache: int | str | None = None,
        hot: str | None = None, layout: str | None = None, chunk: int | None = None, page: int | str | None = None,
        queues: int | None = None, queue_depth: int | None = None, doorbell_batch: int | None = None, access: str | None = None,
        count_requests: bool | None = None, uvm_advise: str | None = None, gpu_memory: int | str | None = None,
        oversubscribe: bool | None = None, count_migrations: bool | None = None, uvm_fault: int | str | None = None,
        uvm_prefetch: int | str | None = None, uvm_block: int | str | None = None, storage: str | None = None,
        route: str | None = None, stripe: str | Sequence[str] | None = None, delivery: str | None = None,
        bam_coalesce: bool | str | None = None, bam_reuse: bool | str | None = None, bam_cache: bool | str | None = None,
        fabric: str | None = None, remote: str | None = None, token_file: str | None = None,
        fabric_addresses: str | None = None, fabric_endpoints: int | None = None, fabric_deadline: int | None = None,
        subway_variant: str | None = None, warm: bool | None = None, preload: bool | None = None, timeout: float | None = None,
    ) -> Answer: ...
    def kcore(
        self,
        *,  # keywords of kcore
        variant: str | None = None, trials: int | None = None, verify: bool | str | None = None, backend: str | None = None,
        device: str | None = None, threads: int | None = None, ranks: int | None = None, cache: int | str | None = None,
        hot: str | None = None, layout: str | None = None, chunk: int | None = None, page: int | str | None = None,
        queues: int | None = None, queue_depth: int | None = None, doorbell_batch: int | None = None, access: str | None = None,
        count_requests: bool | None = None, uvm_advise: str | None = None, gpu_memory: int | str | None = None,
        oversubscribe: bool | None = None, count_migrations: bool | None = None, uvm_fault: int | str | None = None,
        uvm_prefetch: int | str | None = None, uvm_block: int | str | None = None, storage: str | None = None,
        route: str | None = None, stripe: str | Sequence[str] | None = None, delivery: str | None = None,
        bam_coalesce: bool | str | None = None, bam_reuse: bool | str | None = None, bam_cache: bool | str | None = None,
        fabric: str | None = None, remote: str | None = None, token_file: str | None = None,
        fabric_addresses: str | None = None, fabric_endpoints: int | None = None, fabric_deadline: int | None = None,
        subway_variant: str | None = None, warm: bool | None = None, preload: bool | None = None, timeout: float | None = None,
    ) -> Answer: ...
    def scc(
        self,
        *,  # keywords of scc
        variant: str | None = None, trials: int | None = None, verify: bool | str | None = None, backend: str | None = None,
        device: str | None = None, threads: int | None = None, ranks: int | None = None, cache: int | str | None = None,
        hot: str | None = None, layout: str | None = None, chunk: int | None = None, page: int | str | None = None,
        queues: int | None = None, queue_depth: int | None = None, doorbell_batch: int | None = None, access: str | None = None,
        count_requests: bool | None = None, uvm_advise: str | None = None, gpu_memory: int | str | None = None,
        oversubscribe: bool | None = None, count_migrations: bool | None = None, uvm_fault: int | str | None = None,
        uvm_prefetch: int | str | None = None, uvm_block: int | str | None = None, storage: str | None = None,
        route: str | None = None, stripe: str | Sequence[str] | None = None, delivery: str | None = None,
        bam_coalesce: bool | str | None = None, bam_reuse: bool | str | None = None, bam_cache: bool | str | None = None,
        fabric: str | None = None, remote: str | None = None, token_file: str | None = None,
        fabric_addresses: str | None = None, fabric_endpoints: int | None = None, fabric_deadline: int | None = None,
        subway_variant: str | None = None, warm: bool | None = None, preload: bool | None = None, timeout: float | None = None,
    ) -> Answer: ...
    def topo(
        self,
        *,  # keywords of topo
        variant: str | None = None, trials: int | None = None, verify: bool | str | None = None, backend: str | None = None,
        device: str | None = None, threads: int | None = None, ranks: int | None = None, cache: int | str | None = None,
        hot: str | None = None, layout: str | None = None, chunk: int | None = None, page: int | str | None = None,
        queues: int | None = None, queue_depth: int | None = None, doorbell_batch: int | None = None, access: str | None = None,
        count_requests: bool | None = None, uvm_advise: str | None = None, gpu_memory: int | str | None = None,
        oversubscribe: bool | None = None, count_migrations: bool | None = None, uvm_fault: int | str | None = None,
        uvm_prefetch: int | str | None = None, uvm_block: int | str | None = None, storage: str | None = None,
        route: str | None = None, stripe: str | Sequence[str] | None = None, delivery: str | None = None,
        bam_coalesce: bool | str | None = None, bam_reuse: bool | str | None = None, bam_cache: bool | str | None = None,
        fabric: str | None = None, remote: str | None = None, token_file: str | None = None,
        fabric_addresses: str | None = None, fabric_endpoints: int | None = None, fabric_deadline: int | None = None,
        subway_variant: str | None = None, warm: bool | None = None, preload: bool | None = None, timeout: float | None = None,
    ) -> Answer: ...
    def mis(
        self,
        *,  # keywords of mis
        variant: str | None = None, trials: int | None = None, verify: bool | str | None = None, backend: str | None = None,
        device: str | None = None, threads: int | None = None, ranks: int | None = None, cache: int | str | None = None,
        hot: str | None = None, layout: str | None = None, chunk: int | None = None, page: int | str | None = None,
        queues: int | None = None, queue_depth: int | None = None, doorbell_batch: int | None = None, access: str | None = None,
        count_requests: bool | None = None, uvm_advise: str | None = None, gpu_memory: int | str | None = None,
        oversubscribe: bool | None = None, count_migrations: bool | None = None, uvm_fault: int | str | None = None,
        uvm_prefetch: int | str | None = None, uvm_block: int | str | None = None, storage: str | None = None,
        route: str | None = None, stripe: str | Sequence[str] | None = None, delivery: str | None = None,
        bam_coalesce: bool | str | None = None, bam_reuse: bool | str | None = None, bam_cache: bool | str | None = None,
        fabric: str | None = None, remote: str | None = None, token_file: str | None = None,
        fabric_addresses: str | None = None, fabric_endpoints: int | None = None, fabric_deadline: int | None = None,
        subway_variant: str | None = None, warm: bool | None = None, preload: bool | None = None, timeout: float | None = None,
    ) -> Answer: ...
    def msf(
        self,
        *,  # keywords of msf
        variant: str | None = None, trials: int | None = None, weights: str | None = None, verify: bool | str | None = None,
        backend: str | None = None, device: str | None = None, threads: int | None = None, ranks: int | None = None,
        cache: int | str | None = None, hot: str | None = None, layout: str | None = None, chunk: int | None = None,
        page: int | str | None = None, queues: int | None = None, queue_depth: int | None = None,
        doorbell_batch: int | None = None, access: str | None = None, count_requests: bool | None = None,
        uvm_advise: str | None = None, gpu_memory: int | str | None = None, oversubscribe: bool | None = None,
        count_migrations: bool | None = None, uvm_fault: int | str | None = None, uvm_prefetch: int | str | None = None,
        uvm_block: int | str | None = None, storage: str | None = None, route: str | None = None,
        stripe: str | Sequence[str] | None = None, delivery: str | None = None, bam_coalesce: bool | str | None = None,
        bam_reuse: bool | str | None = None, bam_cache: bool | str | None = None, fabric: str | None = None,
        remote: str | None = None, token_file: str | None = None, fabric_addresses: str | None = None,
        fabric_endpoints: int | None = None, fabric_deadline: int | None = None, subway_variant: str | None = None,
        warm: bool | None = None, preload: bool | None = None, timeout: float | None = None,
    ) -> Answer: ...
    def hits(
        self,
        *,  # keywords of hits
        variant: str | None = None, trials: int | None = None, tolerance: float | None = None,
        max_iterations: int | None = None, verify: bool | str | None = None, backend: str | None = None,
        device: str | None = None, threads: int | None = None, ranks: int | None = None, cache: int | str | None = None,
        hot: str | None = None, layout: str | None = None, chunk: int | None = None, page: int | str | None = None,
        queues: int | None = None, queue_depth: int | None = None, doorbell_batch: int | None = None, access: str | None = None,
        count_requests: bool | None = None, uvm_advise: str | None = None, gpu_memory: int | str | None = None,
        oversubscribe: bool | None = None, count_migrations: bool | None = None, uvm_fault: int | str | None = None,
        uvm_prefetch: int | str | None = None, uvm_block: int | str | None = None, storage: str | None = None,
        route: str | None = None, stripe: str | Sequence[str] | None = None, delivery: str | None = None,
        bam_coalesce: bool | str | None = None, bam_reuse: bool | str | None = None, bam_cache: bool | str | None = None,
        fabric: str | None = None, remote: str | None = None, token_file: str | None = None,
        fabric_addresses: str | None = None, fabric_endpoints: int | None = None, fabric_deadline: int | None = None,
        subway_variant: str | None = None, warm: bool | None = None, preload: bool | None = None, timeout: float | None = None,
    ) -> Answer: ...
    def eigenvector(
        self,
        *,  # keywords of eigenvector
        variant: str | None = None, trials: int | None = None, tolerance: float | None = None,
        max_iterations: int | None = None, verify: bool | str | None = None, backend: str | None = None,
        device: str | None = None, threads: int | None = None, ranks: int | None = None, cache: int | str | None = None,
        hot: str | None = None, layout: str | None = None, chunk: int | None = None, page: int | str | None = None,
        queues: int | None = None, queue_depth: int | None = None, doorbell_batch: int | None = None, access: str | None = None,
        count_requests: bool | None = None, uvm_advise: str | None = None, gpu_memory: int | str | None = None,
        oversubscribe: bool | None = None, count_migrations: bool | None = None, uvm_fault: int | str | None = None,
        uvm_prefetch: int | str | None = None, uvm_block: int | str | None = None, storage: str | None = None,
        route: str | None = None, stripe: str | Sequence[str] | None = None, delivery: str | None = None,
        bam_coalesce: bool | str | None = None, bam_reuse: bool | str | None = None, bam_cache: bool | str | None = None,
        fabric: str | None = None, remote: str | None = None, token_file: str | None = None,
        fabric_addresses: str | None = None, fabric_endpoints: int | None = None, fabric_deadline: int | None = None,
        subway_variant: str | None = None, warm: bool | None = None, preload: bool | None = None, timeout: float | None = None,
    ) -> Answer: ...
    def katz(
        self,
        *,  # keywords of katz
        variant: str | None = None, trials: int | None = None, damping: float | None = None, tolerance: float | None = None,
        max_iterations: int | None = None, verify: bool | str | None = None, backend: str | None = None,
        device: str | None = None, threads: int | None = None, ranks: int | None = None, cache: int | str | None = None,
        hot: str | None = None, layout: str | None = None, chunk: int | None = None, page: int | str | None = None,
        queues: int | None = None, queue_depth: int | None = None, doorbell_batch: int | None = None, access: str | None = None,
        count_requests: bool | None = None, uvm_advise: str | None = None, gpu_memory: int | str | None = None,
        oversubscribe: bool | None = None, count_migrations: bool | None = None, uvm_fault: int | str | None = None,
        uvm_prefetch: int | str | None = None, uvm_block: int | str | None = None, storage: str | None = None,
        route: str | None = None, stripe: str | Sequence[str] | None = None, delivery: str | None = None,
        bam_coalesce: bool | str | None = None, bam_reuse: bool | str | None = None, bam_cache: bool | str | None = None,
        fabric: str | None = None, remote: str | None = None, token_file: str | None = None,
        fabric_addresses: str | None = None, fabric_endpoints: int | None = None, fabric_deadline: int | None = None,
        subway_variant: str | None = None, warm: bool | None = None, preload: bool | None = None, timeout: float | None = None,
    ) -> Answer: ...
    def closeness(
        self,
        source: Source | None = None,
        index: npt.ArrayLike | None = None,
        *,  # keywords of closeness
        variant: str | None = None, trials: int | None = None, checkpoint: str | None = None, sources: int | None = None,
        verify: bool | str | None = None, backend: str | None = None, device: str | None = None, threads: int | None = None,
        ranks: int | None = None, cache: int | str | None = None, hot: str | None = None, layout: str | None = None,
        chunk: int | None = None, page: int | str | None = None, queues: int | None = None, queue_depth: int | None = None,
        doorbell_batch: int | None = None, access: str | None = None, count_requests: bool | None = None,
        uvm_advise: str | None = None, gpu_memory: int | str | None = None, oversubscribe: bool | None = None,
        count_migrations: bool | None = None, uvm_fault: int | str | None = None, uvm_prefetch: int | str | None = None,
        uvm_block: int | str | None = None, storage: str | None = None, route: str | None = None,
        stripe: str | Sequence[str] | None = None, delivery: str | None = None, bam_coalesce: bool | str | None = None,
        bam_reuse: bool | str | None = None, bam_cache: bool | str | None = None, fabric: str | None = None,
        remote: str | None = None, token_file: str | None = None, fabric_addresses: str | None = None,
        fabric_endpoints: int | None = None, fabric_deadline: int | None = None, subway_variant: str | None = None,
        warm: bool | None = None, preload: bool | None = None, timeout: float | None = None,
    ) -> Answer: ...
    def harmonic(
        self,
        source: Source | None = None,
        index: npt.ArrayLike | None = None,
        *,  # keywords of harmonic
        variant: str | None = None, trials: int | None = None, checkpoint: str | None = None, sources: int | None = None,
        verify: bool | str | None = None, backend: str | None = None, device: str | None = None, threads: int | None = None,
        ranks: int | None = None, cache: int | str | None = None, hot: str | None = None, layout: str | None = None,
        chunk: int | None = None, page: int | str | None = None, queues: int | None = None, queue_depth: int | None = None,
        doorbell_batch: int | None = None, access: str | None = None, count_requests: bool | None = None,
        uvm_advise: str | None = None, gpu_memory: int | str | None = None, oversubscribe: bool | None = None,
        count_migrations: bool | None = None, uvm_fault: int | str | None = None, uvm_prefetch: int | str | None = None,
        uvm_block: int | str | None = None, storage: str | None = None, route: str | None = None,
        stripe: str | Sequence[str] | None = None, delivery: str | None = None, bam_coalesce: bool | str | None = None,
        bam_reuse: bool | str | None = None, bam_cache: bool | str | None = None, fabric: str | None = None,
        remote: str | None = None, token_file: str | None = None, fabric_addresses: str | None = None,
        fabric_endpoints: int | None = None, fabric_deadline: int | None = None, subway_variant: str | None = None,
        warm: bool | None = None, preload: bool | None = None, timeout: float | None = None,
    ) -> Answer: ...
    def louvain(
        self,
        *,  # keywords of louvain
        variant: str | None = None, trials: int | None = None, checkpoint: str | None = None, resolution: float | None = None,
        weights: str | None = None, verify: bool | str | None = None, backend: str | None = None, device: str | None = None,
        threads: int | None = None, ranks: int | None = None, cache: int | str | None = None, hot: str | None = None,
        layout: str | None = None, chunk: int | None = None, page: int | str | None = None, queues: int | None = None,
        queue_depth: int | None = None, doorbell_batch: int | None = None, access: str | None = None,
        count_requests: bool | None = None, uvm_advise: str | None = None, gpu_memory: int | str | None = None,
        oversubscribe: bool | None = None, count_migrations: bool | None = None, uvm_fault: int | str | None = None,
        uvm_prefetch: int | str | None = None, uvm_block: int | str | None = None, storage: str | None = None,
        route: str | None = None, stripe: str | Sequence[str] | None = None, delivery: str | None = None,
        bam_coalesce: bool | str | None = None, bam_reuse: bool | str | None = None, bam_cache: bool | str | None = None,
        fabric: str | None = None, remote: str | None = None, token_file: str | None = None,
        fabric_addresses: str | None = None, fabric_endpoints: int | None = None, fabric_deadline: int | None = None,
        subway_variant: str | None = None, warm: bool | None = None, preload: bool | None = None, timeout: float | None = None,
    ) -> Answer: ...
    def walks(
        self,
        source: Source | None = None,
        index: npt.ArrayLike | None = None,
        *,  # keywords of walks
        variant: str | None = None, trials: int | None = None, sources: int | None = None, length: int | None = None,
        walks: int | None = None, node2vec_p: float | None = None, node2vec_q: float | None = None, seed: int | None = None,
        weights: str | None = None, verify: bool | str | None = None, backend: str | None = None, device: str | None = None,
        threads: int | None = None, ranks: int | None = None, cache: int | str | None = None, hot: str | None = None,
        layout: str | None = None, chunk: int | None = None, page: int | str | None = None, queues: int | None = None,
        queue_depth: int | None = None, doorbell_batch: int | None = None, access: str | None = None,
        count_requests: bool | None = None, uvm_advise: str | None = None, gpu_memory: int | str | None = None,
        oversubscribe: bool | None = None, count_migrations: bool | None = None, uvm_fault: int | str | None = None,
        uvm_prefetch: int | str | None = None, uvm_block: int | str | None = None, storage: str | None = None,
        route: str | None = None, stripe: str | Sequence[str] | None = None, delivery: str | None = None,
        bam_coalesce: bool | str | None = None, bam_reuse: bool | str | None = None, bam_cache: bool | str | None = None,
        fabric: str | None = None, remote: str | None = None, token_file: str | None = None,
        fabric_addresses: str | None = None, fabric_endpoints: int | None = None, fabric_deadline: int | None = None,
        subway_variant: str | None = None, warm: bool | None = None, preload: bool | None = None, timeout: float | None = None,
    ) -> Answer: ...
    def sample(
        self,
        seeds: npt.ArrayLike,
        fanouts: Iterable[int],
        seed: int = 1,
        replace: bool = False,
        weighted: bool = False,
        *,  # keywords of sample
        backend: str | None = None, device: str | None = None, threads: int | None = None, ranks: int | None = None,
        cache: int | str | None = None, hot: str | None = None, layout: str | None = None, chunk: int | None = None,
        page: int | str | None = None, queues: int | None = None, queue_depth: int | None = None,
        doorbell_batch: int | None = None, access: str | None = None, count_requests: bool | None = None,
        uvm_advise: str | None = None, gpu_memory: int | str | None = None, oversubscribe: bool | None = None,
        count_migrations: bool | None = None, uvm_fault: int | str | None = None, uvm_prefetch: int | str | None = None,
        uvm_block: int | str | None = None, storage: str | None = None, route: str | None = None,
        stripe: str | Sequence[str] | None = None, delivery: str | None = None, bam_coalesce: bool | str | None = None,
        bam_reuse: bool | str | None = None, bam_cache: bool | str | None = None, fabric: str | None = None,
        remote: str | None = None, token_file: str | None = None, fabric_addresses: str | None = None,
        fabric_endpoints: int | None = None, fabric_deadline: int | None = None, subway_variant: str | None = None,
        warm: bool | None = None, preload: bool | None = None, timeout: float | None = None,
    ) -> Sample: ...
    def to_networkx(self) -> Any: ...

class FeatureTable:
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    @property
    def gathered(self) -> SimpleNamespace | None: ...
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
        replicated: int = 0,
        load_bytes: int = 0,
        delivery: str = "auto",
    ) -> None: ...
    def gather(self, ids: npt.ArrayLike, out: Any = None, stream: Any = None) -> Any: ...
    def __len__(self) -> int: ...

def build_info() -> dict[str, Any]: ...
def keywords(algorithm: str | None = None) -> dict[str, str]: ...
def open(
    path: str | bytes | PathLike[str],
    *,  # keywords of open
    format: str | None = None, ids: int | str | None = None, vertices: str | None = None, num_vertices: int | None = None,
    columns: str | Sequence[str] | None = None, float_weights: bool | None = None, raw_offset_in: int | str | None = None,
    undirected: bool | None = None, bipartite: bool | None = None, drop_self_loops: bool | None = None,
    merge: str | None = None, drop_duplicates: bool | None = None,
) -> Graph: ...
def from_edges(
    sources: npt.ArrayLike,
    targets: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    vertices: int | None = None,
    undirected: bool = False,
    labels: Iterable[Hashable] | None = None,
) -> Graph: ...
def from_scipy(matrix: Any, undirected: bool = False, labels: Iterable[Hashable] | None = None) -> Graph: ...
def from_table(
    table: Any,
    source: str | int = 0,
    target: str | int = 1,
    weight: str | int | None = None,
    undirected: bool = False,
) -> Graph: ...
def from_pandas(
    table: Any,
    source: str | int = 0,
    target: str | int = 1,
    weight: str | int | None = None,
    undirected: bool = False,
) -> Graph: ...
def from_igraph(graph: Any, weight: str | None = "weight") -> Graph: ...
def from_networkx(graph: Any, weight: str | None = "weight") -> Graph: ...
