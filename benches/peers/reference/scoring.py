"""One peer on all cases: each of its settings in turn, the best result counts."""

from __future__ import annotations

import json
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from cases import Unsupported

#: Seconds of the processor that one run of one setting may take.
limit = 10.0


class TooLong(Exception):
    """A run that has used its time."""


def score(program, name, rows):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "results.csv"
        number = lambda a: "" if a is None else repr(float(a))
        lines = ["event,t,where,x,v"] + [f"{e},{number(t)},{w},{number(x)},{number(v)}" for e, t, w, x, v in rows]
        file.write_text("\n".join(lines) + "\n")
        out = subprocess.run([program, "score", str(file), "--case", name, "--json"], capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


def timed(simulate, case):
    """The rows, and the seconds of the processor; a short run is repeated once, and its shorter time counts."""

    def stop(*_):
        raise TooLong(f"more than {limit:g} s of the processor")

    signal.signal(signal.SIGPROF, stop)
    shortest = None
    for _ in range(2):
        signal.setitimer(signal.ITIMER_PROF, limit)
        clock = time.process_time()
        try:
            rows = simulate(case)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
        took = time.process_time() - clock
        shortest = took if shortest is None else min(shortest, took)
        if took > 0.1:
            break
    return rows, shortest


def best(program, case, settings):
    """The result with the fewest wrong events and the most digits, or why there is none."""
    found, said = None, None
    for simulate in settings:
        try:
            rows, seconds = timed(simulate, case)
        except Unsupported as why:
            return {"state": "unsupported", "said": str(why)}
        except (TooLong, TimeoutError) as why:
            # The settings that follow are finer.
            said = ("too long", str(why))
            break
        except Exception as why:  # a peer that fails is a result too
            if "s of the processor" in str(why):  # stopped inside a simulator that wraps what its callbacks raise
                said = ("too long", f"more than {limit:g} s of the processor")
                break
            said = ("failed", f"{type(why).__name__}: {why}".splitlines()[0][:120])
            continue
        result = score(program, case.name, rows) | {"seconds": seconds}
        order = (-result["missed"] - result["invented"] - result["states_missing"], result["digits"] or result["probability"] or 0.0)
        if found is None or order > found[0]:
            found = (order, result)
    if found is None:
        return {"state": said[0], "said": said[1]}
    return found[1] | {"state": "scored"}
