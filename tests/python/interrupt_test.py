"""Ctrl-C, other signals, progress and silence, each in a process of its own."""

import os
import pty
import select
import signal
import subprocess
import sys
import time

import pytest

RUNNING = """
import sys, graphrun
graph = graphrun.open("kron:12")
print("begun", flush=True)
try:
    graph.pagerank(trials=10**6)
except KeyboardInterrupt:
    print("ended", graph.bfs(source=1, verify=True).verified, flush=True)
"""


def start(code, **streams):
    return subprocess.Popen([sys.executable, "-B", "-c", code], text=True, stdout=subprocess.PIPE, **streams)


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
signal.setitimer(signal.ITIMER_REAL, 0.05)
answer = graphrun.open("kron:12").pagerank(trials=500)
print(len(seen), len(answer.trials))
"""
    with start(code, stderr=subprocess.DEVNULL) as child:
        assert child.stdout.read() == "1 500\n"


def test_import_prints_nothing():
    with start("import graphrun", stderr=subprocess.STDOUT) as child:
        assert child.stdout.read() == "" and child.wait() == 0


@pytest.mark.parametrize("on_terminal", [True, False])
def test_a_bar_where_tqdm_is_and_a_terminal(on_terminal):
    pytest.importorskip("tqdm")
    code = """
import signal, graphrun
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 2)
try:
    graphrun.open("kron:12").pagerank(trials=10**6)
except KeyboardInterrupt:
    pass
"""
    screen, stderr = pty.openpty() if on_terminal else os.pipe()
    with start(code, stderr=stderr) as child:
        os.close(stderr)
        shown = b""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and select.select([screen], [], [], 20)[0]:
            try:
                piece = os.read(screen, 4096)
            except OSError:  # a terminal that nobody has open any more
                break
            if not piece:
                break
            shown += piece
        assert child.wait(20) == 0
    os.close(screen)
    assert (b"running" in shown or b"iterat" in shown) == on_terminal, shown
