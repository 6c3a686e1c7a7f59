# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C, other signals, progress and silence, each in a process of its own."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time

import pytest

# A walk around a ring that hardly ever restarts, against the order of a sweep: ranks that take hours to settle.
FOR_EVER = """
import signal, graphrun
graph = graphrun.from_edges([*range(1, 1000), 0], range(1000))
graph.bfs(source=0)  # a GPU takes a second or two until it has begun its first run
def run_for_ever():
    graph.pagerank(source=0, damping=1 - 1e-9, tolerance=1e-15, max_iterations=10**9, variant="pull")
"""
RUNNING = (
    FOR_EVER
    + """
print("begun", flush=True)
try:
    run_for_ever()
except KeyboardInterrupt:
    print("ended", graph.bfs(source=1, verify=True).verified, flush=True)
"""
)


@contextlib.contextmanager
def start(code, **streams):
    heard = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell's jobs in the background ignore it
    with subprocess.Popen([sys.executable, "-B", "-c", code], text=True, stdout=subprocess.PIPE, preexec_fn=heard, **streams) as child:
        alarm = threading.Timer(60, child.kill)  # ends what would read from it for ever
        alarm.start()
        try:
            yield child
        finally:
            alarm.cancel()
            child.kill()


def test_ctrl_c_ends_a_run_and_the_graph_goes_on():
    with start(RUNNING) as child:
        assert child.stdout.readline() == "begun\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        begun = time.monotonic()
        assert child.stdout.readline() == "ended True\n"
        assert time.monotonic() - begun < 10 and child.wait(20) == 0


def test_a_handler_that_returns_lets_the_run_go_on():
    code = """
import signal, graphrun
seen = []
signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.02)
answer = graphrun.open("kron:12").pagerank(trials=200)
print(len(seen), len(answer.trials))
"""
    with start(code, stderr=subprocess.DEVNULL) as child:
        assert child.stdout.read() == "1 200\n"


def test_ctrl_c_in_a_line_of_the_log_ends_the_run():
    code = """
import logging, signal, graphrun
class Interrupted(logging.Handler):
    def emit(self, record):
        signal.raise_signal(signal.SIGINT)
graph = graphrun.open("kron:12")
logging.getLogger("graphrun").setLevel(logging.DEBUG)
logging.getLogger("graphrun").addHandler(Interrupted())
try:
    graph.pagerank(trials=200)
except KeyboardInterrupt:
    print("ended")
"""
    with start(code) as child:
        assert child.stdout.read() == "ended\n"


@pytest.mark.parametrize("call", ["graph.bfs(source=1)", "graph.close()"])
def test_a_handler_that_uses_the_graph_of_the_run_is_refused(call):
    code = f"""
{FOR_EVER}
def handle(*_):
    {call}
signal.signal(signal.SIGALRM, handle)
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    run_for_ever()
except graphrun.RunError as error:
    print(error)
print(graph.bfs(source=1, verify=True).verified, flush=True)
"""
    with start(code) as child:
        assert re.fullmatch("this call came within another one .*\nTrue\n", child.communicate(timeout=20)[0])


@pytest.mark.parametrize("each", ["run_for_ever()", "graph.sample([1], [2])", "table.gather([1])", "graphrun.open('kron:10')"])
def test_python_ends_while_a_daemon_thread_calls(each):
    code = f"""
{FOR_EVER}
import sys, threading, time
table = graphrun.FeatureTable([[1], [2]])
begun = threading.Event()
def call():
    while True:
        begun.set()
        {each}
for _ in range(3):
    threading.Thread(target=call, daemon=True).start()
begun.wait()
time.sleep(0.3)
sys.exit(5)
"""
    with start(code, stderr=subprocess.PIPE) as child:
        assert child.communicate(timeout=20) == ("", "") and child.returncode == 5


def test_ctrl_c_ends_a_hop_over_pages():
    code = """
import graphrun
import time
graph = graphrun.open("kron:19")
def sample():
    graph.sample(range(graph.num_vertices), [32], device="cpu", threads=1, backend="bam", cache="64KiB")
sample()  # opens the engine
begun = time.monotonic()
sample()
print(time.monotonic() - begun, flush=True)
try:
    while True:
        sample()
except KeyboardInterrupt:
    print("ended", flush=True)
"""
    with start(code) as child:
        whole = float(child.stdout.readline())
        time.sleep(whole / 8)
        child.send_signal(signal.SIGINT)
        begun = time.monotonic()
        assert child.stdout.readline() == "ended\n"
        assert time.monotonic() - begun < 0.3 + whole / 2 and child.wait(20) == 0


def test_import_prints_nothing():
    with start("import graphrun", stderr=subprocess.STDOUT) as child:
        assert child.stdout.read() == "" and child.wait() == 0


@pytest.mark.parametrize("on_terminal", [True, False])
def test_a_bar_where_tqdm_is_and_a_terminal(on_terminal):
    pytest.importorskip("tqdm")
    screen, stderr = pty.openpty() if on_terminal else os.pipe()
    if on_terminal:
        fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))  # rows and columns
    with start(RUNNING, stderr=stderr) as child:
        os.close(stderr)
        assert child.stdout.readline() == "begun\n"
        shown = b""
        deadline = time.monotonic() + (20 if on_terminal else 2)  # a bar comes when a run has taken a second
        while b"pagerank" not in shown and select.select([screen], [], [], max(0, deadline - time.monotonic()))[0]:
            more = os.read(screen, 4096)
            assert more, "the run ended by itself"
            shown += more
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "ended True\n"
        assert child.wait(20) == 0
    os.close(screen)
    assert (b"pagerank" in shown) == on_terminal, shown
