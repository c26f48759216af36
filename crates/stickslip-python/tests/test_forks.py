"""Processes that are made before and after calls that compute on several threads.

A process that was forked has none of its parent's threads: who hands work to them waits for ever. Each way of making
processes runs in an interpreter of its own, which is ended if it hangs.
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
#: Much longer than any of them takes: only what hangs is still there.
PATIENCE = 500

METHODS = ["fork", "os.fork", "executor", "forkserver", "spawn", "joblib-loky", "joblib-multiprocessing", "torch"]


@pytest.mark.parametrize("method", METHODS)
def test_no_child_hangs_and_all_find_the_same_bits(method):
    library = method.partition("-")[0]
    if library in ("joblib", "torch") and importlib.util.find_spec(library) is None:
        pytest.skip(f"there is no {library}")
    known = multiprocessing.get_all_start_methods()
    if method in ("fork", "forkserver", "os.fork") and method.removeprefix("os.") not in known:
        pytest.skip(f"this platform has no {method}")
    command = [sys.executable, "-W", "ignore", str(HERE / "forks.py"), method]
    # In a group of its own, so that no child that hangs is left behind.
    process = subprocess.Popen(
        command, cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=os.name == "posix"
    )
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        pytest.fail(f"{method}: a child hangs")
    assert process.returncode == 0 and out.startswith("ok "), err[-2000:]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
def test_a_fork_while_another_thread_computes():
    code = (
        "import os, threading, forks, stickslip as ss\n"
        "want = forks.digest('ensemble')\n"
        "stop = threading.Event()\n"
        "def busy():\n"
        "    while not stop.is_set(): forks.digest('sweep')\n"
        "thread = threading.Thread(target=busy); thread.start()\n"
        "try:\n"
        "    for _ in range(20):\n"
        "        pid = os.fork()\n"
        "        if pid == 0: os._exit(0 if forks.digest('ensemble') == want else 3)\n"
        "        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0\n"
        "finally:\n"
        "    stop.set(); thread.join()\n"
        "print('ok')\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=HERE, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.stdout == "ok\n", done.stderr[-2000:]
