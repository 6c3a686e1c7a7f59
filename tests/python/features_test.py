# SPDX-License-Identifier: Apache-2.0
"""Features gathered by the module graphrun."""

import ctypes
import gc
import os
import pickle
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

import graphrun


@pytest.fixture(params=["array", "file"])
def source(request, tmp_path):
    """A table of 1000 rows, and the rows."""

    def make(kind=np.float32, shape=(37,), **options):
        rows = (np.arange(1000 * int(np.prod(shape))) * 7 % 2039).astype(kind).reshape(1000, *shape)
        if request.param == "array":
            return graphrun.FeatureTable(rows.copy(), **options), rows
        np.save(tmp_path / "rows.npy", rows)
        return graphrun.FeatureTable(tmp_path / "rows.npy", **{"cache": "32KiB", "threads": 2, **options}), rows

    return make


@pytest.mark.parametrize("kind, shape", [(np.float32, (37,)), (np.float16, (3, 5)), (np.uint8, ()), (np.complex128, (129,))])
def test_rows_are_those_of_the_ids(source, kind, shape):
    table, rows = source(kind, shape)
    gc.collect()  # the table keeps its rows
    for ids in ([5, 5, 999, 0], range(0, 1000, 7), np.arange(999, -1, -1, dtype=np.uint64), np.array([3], dtype=np.int8), []):
        assert (table.gather(ids) == rows[list(ids)]).all()
    assert table.shape == rows.shape and table.dtype == kind and len(table) == 1000 and "1000 rows of" in repr(table)


def test_rows_go_where_they_are_to(source):
    table, rows = source()
    out = np.zeros((2, 37), np.float32)
    assert table.gathered is None
    assert table.gather([7, 8], out) is out and (out == rows[7:9]).all()
    tiers = table.gathered
    assert tiers.device_bytes == 0 and tiers.time_ms >= 0 and (tiers.host_bytes == 2 * 148 or tiers.storage_bytes >= 4096)
    for wrong in (np.zeros((3, 37), np.float32), np.zeros((2, 37)), np.zeros((2, 74), np.float32)[:, ::2]):
        with pytest.raises(graphrun.UsageError, match="out is"):
            table.gather([7, 8], wrong)


def test_hot_rows_of_a_file_are_in_memory(tmp_path):
    rows = np.arange(37000, dtype=np.float32).reshape(1000, 37)
    np.save(tmp_path / "rows.npy", rows)
    table = graphrun.FeatureTable(tmp_path / "rows.npy", cache="32KiB", threads=2, hot=[7, 999])
    assert (table.gather([999, 7, 999]) == rows[[999, 7, 999]]).all()
    assert (table.gathered.host_bytes, table.gathered.storage_bytes) == (3 * 148, 0)
    assert (table.gather([7, 8]) == rows[7:9]).all() and table.gathered.storage_bytes == 4096
    for hot, kind, message in (([0, 0], graphrun.UsageError, "hot names row 0 twice"), (3, TypeError, "hot is a list")):
        with pytest.raises(kind, match=message):
            graphrun.FeatureTable(tmp_path / "rows.npy", hot=hot)
    with pytest.raises(graphrun.UsageError, match="host threads gather: leave them out"):
        graphrun.FeatureTable(tmp_path / "rows.npy", device="cuda", cache="1MiB")
    with pytest.raises(graphrun.UsageError, match="cache: 'x' is not a size"):
        graphrun.FeatureTable(tmp_path / "rows.npy", cache="x")


@pytest.mark.parametrize("device", ["cpu", "CPU", "c_pu", "Auto"])
def test_host_threads_gather_rows_of_a_file_through_the_cache(tmp_path, device):
    if device == "Auto" and "cuda" not in graphrun.build_info()["missing"]:
        pytest.skip("a GPU works")
    np.save(tmp_path / "rows.npy", np.ones((1000, 37)))
    table = graphrun.FeatureTable(tmp_path / "rows.npy", device, cache="32KiB", threads=2)
    assert (table.gather([7]) == 1).all() and (table.gathered.host_bytes, table.gathered.storage_bytes) == (0, 4096)


def test_a_child_process_gathers_from_the_tables_of_its_parent(source, in_child):
    table, rows = source(threads=2)
    assert (table.gather(range(1000)) == rows).all()
    assert in_child(lambda: (table.gather(range(1000)) == rows).all())
    assert (table.gather([3]) == rows[3]).all()


def test_a_child_process_gathers_from_no_other_file(tmp_path, monkeypatch, in_child):
    (tmp_path / "elsewhere").mkdir()
    np.save(tmp_path / "rows.npy", np.ones((1000, 4)))
    np.save(tmp_path / "elsewhere" / "rows.npy", np.zeros((1000, 4)))
    monkeypatch.chdir(tmp_path)
    table = graphrun.FeatureTable("rows.npy", threads=2)
    assert in_child(lambda: os.chdir("elsewhere") or (table.gather([3]) == 1).all())

    def is_told():
        with pytest.raises(graphrun.DataError, match="rows.npy was changed .* or another file"):
            table.gather([3])
        return True

    def is_told_that_it_is_gone():
        with pytest.raises(graphrun.DataError, match="rows.npy: .*No such file"):
            table.gather([3])
        return True

    assert not in_child(is_told)
    os.utime("rows.npy", ns=(0, 0))
    assert in_child(is_told)
    os.replace("elsewhere/rows.npy", "rows.npy")
    assert in_child(is_told)
    os.remove("rows.npy")
    assert in_child(is_told_that_it_is_gone)
    assert (table.gather([3]) == 1).all()  # it has the file open


def test_a_table_that_was_pickled_gathers_the_same(source):
    table, rows = source()
    again = pickle.loads(pickle.dumps(table))
    assert (again.gather([3, 0, 3]) == rows[[3, 0, 3]]).all() and again.shape == table.shape


def test_a_row_that_cannot_be_read_spoils_no_others(tmp_path):
    path = tmp_path / "rows.npy"
    np.save(path, np.ones((20000, 512), np.uint8))
    whole = path.read_bytes()
    stamp = os.stat(path)
    table = graphrun.FeatureTable(path, cache="1MiB")
    os.truncate(path, 5_000_000)
    with pytest.raises(graphrun.RunError, match="reading page"):
        table.gather([19999])
    with pytest.raises(graphrun.DataError, match="was changed since it was opened"):
        table.gather([0])
    path.write_bytes(whole)
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert table.gather([0, 19999]).min() == 1


def test_a_pickled_table_is_of_no_other_file(tmp_path):
    np.save(tmp_path / "rows.npy", np.zeros((4, 4)))
    pickled = pickle.dumps(graphrun.FeatureTable(tmp_path / "rows.npy", hot=[1]))
    assert pickle.loads(pickled).gather([1]).tolist() == [[0] * 4]
    np.save(tmp_path / "rows.npy", np.zeros((5, 4)))
    with pytest.raises(graphrun.DataError, match="was changed since it was opened"):
        pickle.loads(pickled)


def test_a_table_gives_up_its_rows_with_its_last_name(source):
    table, _ = source()
    gone = [weakref.ref(held) for held in (table, table._engine, table._rows) if held is not None]
    del table
    assert len(gone) >= 2 and not any(held() for held in gone)


def test_a_table_gives_up_its_file_with_its_last_name(tmp_path):
    def is_open():
        files = [os.path.realpath(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd")]
        return str(file) in files or str(file) in Path("/proc/self/maps").read_text()

    file = tmp_path / "rows.npy"
    np.save(file, np.ones((1000, 37)))
    table = graphrun.FeatureTable(file, cache="32KiB", threads=2)
    assert (table.gather(range(1000)) == 1).all() and is_open()
    del table
    assert not is_open()


def test_names_of_files_need_not_be_utf8(tmp_path):
    file = tmp_path / os.fsdecode(b"\x80.npy")
    np.save(file, np.ones((8, 4)))
    for name in (file, os.fsencode(file)):
        assert (graphrun.FeatureTable(name).gather([3]) == 1).all()


def test_no_rows_go_over_what_is_read():
    rows = np.arange(4000, dtype=np.int64).reshape(1000, 4)
    table = graphrun.FeatureTable(rows)
    ids = np.arange(8, dtype=np.uint32)
    with pytest.raises(graphrun.UsageError, match="out is memory of the rows"):
        table.gather(ids, out=rows[5:13])
    assert rows[5, 0] == 20
    with pytest.raises(graphrun.UsageError, match="out has a mask"):
        table.gather(ids, out=np.ma.zeros((8, 4), np.int64))


def test_ids_may_change_while_rows_come():
    table = graphrun.FeatureTable(np.zeros((1000, 64)), threads=2)
    ids = np.zeros(200_000, np.uint32)
    going = True

    def change():
        while going:
            ids.fill(2**32 - 1)
            ids.fill(0)

    other = threading.Thread(target=change)
    other.start()
    try:
        for _ in range(50):
            try:
                table.gather(ids)
            except graphrun.UsageError:
                pass  # no such row
    finally:
        going = False
        other.join()


@pytest.mark.parametrize("shape", ["(-5, 4)", "(-5, -4)", "(5000000000000000000000, 4)", "(True,)", "(10, 4)", "5"])
def test_a_damaged_header_is_an_error_of_data(tmp_path, shape):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    file = tmp_path / "rows.npy"
    file.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(64))
    with pytest.raises(graphrun.DataError, match="rows.npy"):
        graphrun.FeatureTable(file)


@pytest.mark.parametrize("name", ["rows.csv", "rows.npz", "empty.npy"])
def test_another_file_than_of_one_array_is_told_by_what_would_do(tmp_path, name):
    file = tmp_path / name
    if name == "rows.npz":
        np.savez(file, np.zeros((4, 4)))
    else:
        file.write_text("a,b\n1,2\n" if name == "rows.csv" else "")
    with pytest.raises(graphrun.DataError, match=rf"{name} is no .npy file, in which numpy.save\(\) puts one array"):
        graphrun.FeatureTable(file)


def test_a_pipe_is_no_table(tmp_path):
    os.mkfifo(tmp_path / "rows.npy")
    with pytest.raises(graphrun.DataError, match="rows.npy is not a regular file"):
        graphrun.FeatureTable(tmp_path / "rows.npy")


def test_a_sample_has_its_features(source):
    table, rows = source()
    graph = graphrun.open("kron:9")
    batch = graph.sample(range(0, 512, 9), [4, 4], device="cpu")
    gathered = table.gather(batch.vertices)
    last = batch.hops[-1]
    assert (gathered[last.target_places] == rows[last.targets]).all()


class Broken:
    """What says that it is an array, and not of what."""

    def __init__(self, **interface):
        self.__array_interface__ = interface


class OnGpu:
    """What says that it is an array in the memory of a GPU."""

    def __init__(self, array):
        self.__cuda_array_interface__ = array.__array_interface__


@pytest.mark.parametrize("call, kind, message", [
    (lambda table: table.gather([1000]), graphrun.UsageError, "from 0 to 999, not from 1000"),
    (lambda table: table.gather([-1]), graphrun.UsageError, "from -1"),
    (lambda table: table.gather([[1]]), graphrun.UsageError, "2 dimensions"),
    (lambda table: table.gather([0.5]), TypeError, "whole numbers"),
    (lambda table: table.gather(3), TypeError, "ids is a list or an array of whole numbers, not 3"),
    (lambda table: graphrun.FeatureTable(np.zeros((4, 4)), aligned=3), TypeError, "aligned is True or False"),
    (lambda table: graphrun.FeatureTable(np.zeros((4, 4)), threads="a"), TypeError, "threads is a whole number"),
    (lambda table: graphrun.FeatureTable(np.zeros((4, 4)), cache="1MiB"), graphrun.UsageError, "threads gather: leave them out"),
    (lambda table: graphrun.FeatureTable("a.npy\0x"), graphrun.DataError, r"'a.npy\\x00x' has a null byte"),
    (lambda table: graphrun.FeatureTable(np.zeros((4, 4)), device="\ud800"), graphrun.UsageError, "device has"),
    (lambda table: graphrun.FeatureTable(np.zeros((4, 4)), threads=True), TypeError, "threads is a whole number, not True"),
    (lambda table: table.gather({1, 2}), TypeError, "ids is a list or an array of whole numbers, not {1, 2}"),
    (lambda table: table.gather([0], out=[[0.0, 0.0]]), TypeError, "not list"),
    (lambda table: table.gather([0], out=Broken()), graphrun.UsageError, "out says that it is an array, but not where"),
    (lambda table: table.gather([0], out=Broken(data=None, shape=(1, 2), typestr="<f8")), graphrun.UsageError, "out says"),
    (lambda table: table.gather([0], out=Broken(data=("x", False), shape=(1, 2), typestr="<f8")), graphrun.UsageError, "out says"),
    (lambda table: table.gather([0], out=Broken(data=(1, False), shape=(1, 2), typestr="what")), graphrun.UsageError, "out says"),
    (lambda table: graphrun.FeatureTable(np.zeros((0, 4))).gather([0]), graphrun.UsageError, "ids are of rows, and the table has none"),
    (lambda table: graphrun.FeatureTable(np.ma.masked_array(np.ones((3, 4)), np.eye(3, 4))), graphrun.UsageError, "have no mask"),
    (lambda table: graphrun.FeatureTable([[1], [2, 3]]), graphrun.UsageError, r"of rows of one length, not \[\[1\], \[2, 3\]\]"),
    (lambda table: table.gather([0], out=OnGpu(np.zeros((1, 2)))), graphrun.UsageError, "by host threads"),
    (lambda table: table.gather([0], out=OnGpu(np.zeros((1, 3)))), graphrun.UsageError, "out is"),
    (lambda table: graphrun.FeatureTable(np.zeros((4, 4)), multiprocessors=2), graphrun.UsageError, "multiprocessors"),
    (lambda table: graphrun.FeatureTable(np.zeros((4, 4))[:, ::2]), graphrun.UsageError, "C order"),
    (lambda table: graphrun.FeatureTable(np.zeros((4, 4)), hot=[1]), graphrun.UsageError, "memory of a GPU"),
    (lambda table: graphrun.FeatureTable(np.zeros((4, 0))), graphrun.UsageError, "at least 1 byte"),
    (lambda table: graphrun.FeatureTable(np.zeros((4, 4)), device="cuda:77"), graphrun.UnavailableError, "cuda:77 cannot be used"),
    (lambda table: graphrun.FeatureTable(np.array([object()])), TypeError, "numbers"),
    (lambda table: graphrun.FeatureTable(np.zeros((4, 4)), delivery="mail"), graphrun.UsageError, "zero-copy"),
    (lambda table: graphrun.FeatureTable(np.zeros((4, 4)), replicated=1), graphrun.UsageError, "1 rows have a copy"),
    (lambda table: graphrun.FeatureTable(np.zeros((4, 4)), load_bytes=4), graphrun.UsageError, "a GPU that gathers"),
    (lambda table: table.gather([1], stream=0), graphrun.UsageError, "an out in its memory"),
    (lambda table: graphrun.FeatureTable("/nowhere/rows.npy"), graphrun.DataError, "nowhere"),
    (lambda table: graphrun.FeatureTable(__file__), graphrun.DataError, "features_test.py"),
])  # fmt: skip
def test_errors_are_typed(call, kind, message):
    with pytest.raises(kind, match=message):
        call(graphrun.FeatureTable(np.zeros((1000, 2))))


def test_hot_rows_are_those_that_samples_read():
    arms = graphrun.from_edges([0, 0, 0, 4, 5, 6], [1, 2, 3, 5, 6, 4])
    assert arms.hot_rows(1, "degree").size == 1 and arms.hot_rows(99, "pagerank").size == 7
    assert set(arms.hot_rows(3, "personalised", seeds=[4, 4])) == {4, 5, 6}
    assert arms.hot_rows(2, seeds=[5])[0] in (4, 5, 6)
    for by, seeds, message in (("weighted", (), "name seeds"), ("prefix", (), "degree"), ("weighted", [9], "9")):
        with pytest.raises(graphrun.UsageError, match=message):
            arms.hot_rows(1, by, seeds)


def test_a_gpu_gathers_the_same():
    if "cuda" in graphrun.build_info()["missing"]:
        pytest.skip("no GPU")
    rows = np.random.default_rng(1).random((1000, 37), dtype=np.float32)
    ids = np.arange(1000)
    for options in (
        {}, {"aligned": False}, {"hot": np.arange(500)}, {"multiprocessors": 2}, {"load_bytes": 4}, {"delivery": "staged"},
        {"delivery": "dma"},
    ):  # fmt: skip
        ids = np.roll(ids, 1)  # other rows than those that memory may still have of the last table
        table = graphrun.FeatureTable(rows, device="cuda", **options)
        assert (table.gather(ids) == rows[ids]).all()
        assert table.gathered.device_bytes == (500 * 148 if "hot" in options else 0)


def test_the_gpu_of_a_thread_stays():
    if "cuda" in graphrun.build_info()["missing"]:
        pytest.skip("no GPU")
    driver = ctypes.CDLL("libcuda.so.1")
    seen = []

    def run():
        context = ctypes.c_void_p()
        graphrun.open("kron:8").bfs(device="cuda")
        seen.append((driver.cuCtxGetCurrent(ctypes.byref(context)), context.value))

    thread = threading.Thread(target=run)  # a new one has none
    thread.start()
    thread.join()
    assert seen == [(0, None)]


def test_hot_rows_are_in_the_memory_of_several_gpus():
    if "cuda" in graphrun.build_info()["missing"]:
        pytest.skip("no GPU")
    rows = np.random.default_rng(1).random((1000, 37), dtype=np.float32)
    try:
        table = graphrun.FeatureTable(rows, device="cuda:0-1", hot=np.arange(500))
    except graphrun.UnavailableError as error:
        pytest.skip(str(error))
    assert (table.gather(range(1000)) == rows).all()
    tiers = table.gathered
    assert (tiers.device_bytes, tiers.peer_bytes, tiers.host_bytes) == (250 * 148, 250 * 148, 500 * 148)


def test_a_child_process_is_told_how_to_have_the_gpu(in_child):
    if "cuda" in graphrun.build_info()["missing"]:
        pytest.skip("no GPU")
    table = graphrun.FeatureTable(np.zeros((4, 4)), device="cuda")
    table.gather([1])

    def is_told():
        with pytest.raises(graphrun.UnavailableError, match="start it by spawn"):
            table.gather([1])
        return True

    assert in_child(is_told)


@pytest.mark.parametrize("package", ["torch", "cupy"])
def test_rows_come_into_the_memory_of_a_gpu(package):
    if "cuda" in graphrun.build_info()["missing"]:
        pytest.skip("no GPU")
    arrays = pytest.importorskip(package)
    rows = np.random.default_rng(2).random((1000, 37), dtype=np.float32)
    table = graphrun.FeatureTable(rows, device="cuda")
    out = arrays.zeros((500, 37), dtype=arrays.float32, **({"device": "cuda"} if package == "torch" else {}))
    assert table.gather(range(0, 1000, 2), out=out) is out
    assert ((out.cpu().numpy() if package == "torch" else out.get()) == rows[::2]).all()
    with pytest.raises(graphrun.UsageError, match="out is"):
        table.gather([1], out=out)


@pytest.mark.parametrize("package", ["torch", "cupy"])
def test_rows_come_in_the_order_of_a_stream(package):
    if "cuda" in graphrun.build_info()["missing"]:
        pytest.skip("no GPU")
    arrays = pytest.importorskip(package)
    rows = np.random.default_rng(2).random((1000, 37), dtype=np.float32)
    table = graphrun.FeatureTable(rows, device="cuda", hot=np.arange(300))
    on_gpu = {"device": "cuda"} if package == "torch" else {}
    stream = arrays.cuda.Stream() if package == "torch" else arrays.cuda.Stream(non_blocking=True)
    outs = [arrays.zeros((1000, 37), dtype=arrays.float32, **on_gpu) for _ in range(10)]
    (arrays.cuda.synchronize if package == "torch" else arrays.cuda.get_current_stream().synchronize)()
    with arrays.cuda.stream(stream) if package == "torch" else stream:
        for k, out in enumerate(outs):
            ids = np.roll(np.arange(1000), k)
            assert table.gather(ids, out=out, stream=stream) is out
            ids[:] = 0  # they have been read
            out *= 2  # after the gather
    stream.synchronize()
    for k, out in enumerate(outs):
        seen = out.cpu().numpy() if package == "torch" else out.get()
        assert (seen == 2 * rows[np.roll(np.arange(1000), k)]).all()
    assert (table.gathered.device_bytes, table.gathered.host_bytes) == (300 * 148, 700 * 148)
    with pytest.raises(TypeError, match="stream"):
        table.gather([1], out=outs[0][:1], stream="main")
