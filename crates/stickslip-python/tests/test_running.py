"""Threads, memory, Ctrl-C, imports and the documentation's examples."""

from __future__ import annotations

import doctest
import gc
import importlib
import os
import pkgutil
import signal
import subprocess
import sys
import threading
import time

import pytest
import stickslip as ss


def test_eight_threads_solve_at_once(shaw):
    want = ss.solve(shaw, 40.0).events
    found, failed = [], []

    def work():
        try:
            for i in range(20):
                model = shaw.replace(x0=6.0) if i % 2 else shaw
                path = ss.solve(model, 40.0)
                found.append((path.events == want).all() and path([1.0, 2.0]).shape == (2, 2))
        except BaseException as e:
            failed.append(e)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed and len(found) == 160 and all(found)


def test_other_threads_run_while_one_computes(shaw):
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.wait(0.001):
            ticks.append(1)

    thread = threading.Thread(target=tick)
    thread.start()
    ss.solve(shaw, 40.0, "euler", step=1e-6)
    stop.set()
    thread.join()
    assert len(ticks) > 10


def memory():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is looked up in /proc")
def test_memory_does_not_grow(shaw):
    def call(n):
        for i in range(n):
            path = ss.solve(shaw, 40.0)
            if i % 10 == 0:
                assert path.x.sum() != 0.0
            if i % 100 == 0:
                with pytest.raises(ss.InputError):
                    ss.solve(shaw, -1.0)
                ss.load(shaw.to_toml())
        gc.collect()

    call(2000)
    before = memory()
    call(20_000)
    assert memory() - before < 8 << 20


#: What a shell starts in the background ignores Ctrl-C, and so do its children unless they say otherwise.
HEARD = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"


@pytest.mark.skipif(os.name == "nt", reason="sends a signal of POSIX")
def test_ctrl_c_ends_a_long_computation():
    code = (
        f"{HEARD}import stickslip as ss, time, sys\n"
        "m = ss.Oscillator(mass=1, stiffness=1, friction=ss.static_dynamic(1.2, 1.0), drive=ss.harmonic(6.0, 0.5), x0=6)\n"
        "print('ready', flush=True)\n"
        "def long():\n"
        "    for _ in range(1000): ss.sweep(m, {'oscillator.stiffness': [1 + 1e-5*i for i in range(100000)]}, 400.0)\n"
        "try:\n"
        "    long()\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', flush=True)\n"
        "    import os; os._exit(0)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert out == "interrupted\n" and process.returncode == 0


LONG = {
    "exact": "ss.solve(m, 4e5)",
    "euler": "ss.solve(m, 1e4, 'euler', step=1e-4)",
    "adaptive": "ss.solve(m, 1e5, 'adaptive')",
    # One search over millions of periods of a load that stays below the limit, though its amplitudes do not together.
    "one search": "ss.solve(m.replace(drive=ss.harmonic(0.65, 1e6) + ss.harmonic(0.65, 2e6), x0=0), 80)",
    # Found at once: one slip, and a sum over millions of periods.
    "energy": "ss.solve(m.replace(force=ss.harmonic(1.0, 1e6), v0=1e3, damping=0.01), 60).energy",
    "law": "ss.solve(m.replace(friction=ss.law_of(lambda s: 1.0, (0.0, 0.0), limit=1.2)), 1e5, 'adaptive')",
    "converge": "ss.converge(m, 1e3, 'euler', step=1e-2, halvings=8)",
}


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="times of processes are looked up in /proc")
@pytest.mark.parametrize("what", LONG)
def test_nothing_goes_on_after_ctrl_c(what):
    code = (
        f"{HEARD}import stickslip as ss, time\n"
        "m = ss.Oscillator(mass=1, stiffness=1, friction=ss.static_dynamic(1.2, 1.0), drive=ss.harmonic(6.0, 0.5), x0=6)\n"
        "print('ready', flush=True)\n"
        # In a function: Python 3.11 lets the interruption past a `try` around a `while True` at the jump back.
        "def for_ever():\n"
        f"    while True: {LONG[what]}\n"
        "try:\n"
        "    for_ever()\n"
        "except KeyboardInterrupt:\n"
        "    time.sleep(0.3)\n"
        "    print('interrupted', flush=True)\n"
        "    time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.4)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        before = cpu_seconds(process.pid)
        time.sleep(0.3)
        # Not a duration: work that goes on would have cost 0.3 s of a core that is free, or some of a busy one.
        assert cpu_seconds(process.pid) - before <= 0.02
    finally:
        process.kill()
        process.communicate()


def test_an_exception_of_progress_stops_the_run(noisy):
    class Enough(Exception):
        pass

    def progress(done, total):
        raise Enough

    with pytest.raises(Enough):
        ss.ensemble(noisy, 50.0, step=0.001, paths=20_000, progress=progress)


def test_numpy_is_the_only_dependency():
    code = (
        "import sys\n"
        "for name in ('matplotlib', 'pandas', 'polars', 'scipy', 'tqdm', 'distributed'): sys.modules[name] = None\n"
        "import stickslip as ss\n"
        "path = ss.solve(ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(1.0), x0=3.0), 5.0)\n"
        "assert path._repr_html_()\n"
        "for call in (path.plot, path.to_frame):\n"
        "    try: call()\n"
        "    except ss.Error as e: assert 'pip install' in str(e)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_nothing_prints(shaw, noisy, capfd):
    ss.solve(shaw, 40.0).energy
    ss.ensemble(noisy, 1.0, step=0.01, paths=100)
    assert capfd.readouterr() == ("", "")


def modules():
    return ["stickslip", *(f"stickslip.{m.name}" for m in pkgutil.iter_modules(ss.__path__) if m.name != "_stickslip")]


@pytest.mark.parametrize("name", modules())
def test_examples_of_the_documentation(name):
    if name in ("stickslip.jax", "stickslip.torch"):
        pytest.importorskip(name.partition(".")[2])
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0


def test_everything_is_documented():
    for name in ss.__all__:
        value = getattr(ss, name)
        if callable(value):
            assert value.__doc__ and len(value.__doc__) > 20, name
            if value.__module__.startswith("stickslip") and not isinstance(value, type):
                assert "Parameters" in value.__doc__ or ";" in value.__doc__, name
            # Results come from functions, which have the examples; what somebody calls shows how.
            if value.__module__.startswith("stickslip") and ("Parameters\n" in value.__doc__ or not isinstance(value, type)):
                assert ">>> " in value.__doc__, name
    assert "Parameters" in ss.solve.__doc__ and "Raises" in ss.solve.__doc__
