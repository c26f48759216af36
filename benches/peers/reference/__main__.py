"""Other simulators on the cases of the reference set: docs/peers.md.

    cargo xtask peers

runs `python benches/peers/reference PROGRAM [CASE …]`. Each file `peer_*.py` is a simulator: `PACKAGES`, and `PEERS`, which
gives its name, whether it lists events, and the settings that are tried. Each runs in a process of its own, as many at once
as there are cores. All results are scored by `stickslip score`. What is not installed is left out, and said so.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cases
import page
import scoring

HERE = Path(__file__).resolve().parent
#: Where the lines of a run go.
PARTS = cases.ROOT / "target" / "peers" / "results"
#: In the order of the table.
MODULES = ["peer_scipy", "peer_cvode", "peer_diffrax", "peer_pathsim", "peer_mujoco", "peer_exudyn", "peer_opensees"]


def one(module, peer, program, wanted):
    """All cases on one peer: a line of JSON for each."""
    found = importlib.import_module(module)
    events, settings = found.PEERS[peer]
    if hasattr(found, "prepare"):
        found.prepare()
    for name in wanted:
        # That a case begins is written too, so that a crash can be laid at its door.
        print(json.dumps({"case": name}), flush=True)
        s = scoring.best(program, cases.load(name), settings)
        print(json.dumps(s | {"case": name, "events": events}), flush=True)


def lines_of(file):
    """Results come in lines of JSON; simulators print to the same stream."""
    if not file.exists():
        return []
    return [json.loads(s) for s in file.read_text().splitlines() if s.startswith('{"') and s.endswith("}")]


def run(module, peer, program, wanted):
    """All cases in a process of its own; where that ends early, the case counts as failed, and the rest goes on."""
    file = PARTS / f"{peer}.jsonl"
    file.unlink(missing_ok=True)
    results, left = {}, list(wanted)
    while left:
        asked = [sys.executable, str(HERE), program, "--limit", str(scoring.limit), "--one", module, peer, *left]
        with file.open("a") as stream:
            out = subprocess.run(asked, stdout=stream, stderr=subprocess.PIPE, text=True)
        lines = lines_of(file)
        results |= {s["case"]: s for s in lines if "state" in s}
        begun = {s["case"] for s in lines} - set(results)
        if not begun and out.returncode:
            raise RuntimeError(out.stderr.strip().splitlines()[-1] if out.stderr.strip() else f"exit status {out.returncode}")
        for case in begun:
            results[case] = {"case": case, "events": False, "state": "failed", "said": f"its process ended with status {out.returncode}"}
        left = [c for c in left if c not in results]
    return results


def arguments():
    parser = argparse.ArgumentParser(description="Other simulators on the cases of the reference set.")
    parser.add_argument("program", help="the program `stickslip`")
    parser.add_argument("cases", nargs="*", help="some cases instead of all")
    parser.add_argument("--limit", type=float, default=scoring.limit, help="seconds of the processor for one run of one setting")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="simulators that run at once")
    parser.add_argument("--page", action="store_true", help="only write the page again, from the lines of the last run")
    parser.add_argument("--one", nargs=2, metavar=("MODULE", "PEER"), help="one simulator only, to the standard output")
    return parser.parse_intermixed_args()


def everyone(modules, asked, wanted, left_out):
    """The results of every simulator that could be loaded."""
    PARTS.mkdir(parents=True, exist_ok=True)
    started, results = time.monotonic(), {}
    with ThreadPoolExecutor(asked.jobs) as pool:
        jobs = {peer: pool.submit(run, module, peer, asked.program, wanted) for module, found in modules.items() for peer in found.PEERS}
        for peer, job in jobs.items():
            try:
                results[peer] = job.result()
                print(f"{peer}: done after {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
            except RuntimeError as why:
                left_out.append(f"{peer}: left out ({why}).")
    return results


def main():
    asked = arguments()
    scoring.limit = asked.limit
    if asked.one:
        one(*asked.one, asked.program, asked.cases)
        return
    started = time.monotonic()
    own = subprocess.run([asked.program, "score", "--self", "--json", "--quiet"], capture_output=True, text=True, check=True)
    ours = {s["case"]: s | {"events": True, "state": "scored"} for s in json.loads(own.stdout)}
    wanted = asked.cases or list(ours)
    ours = {c: ours[c] for c in wanted}
    modules, left_out = {}, []
    for module in MODULES:
        try:
            modules[module] = importlib.import_module(module)
        except (ImportError, OSError, RuntimeError) as why:
            left_out.append(f"{module.removeprefix('peer_')}: left out, since it could not be loaded here ({str(why).splitlines()[0][:100]}).")
    if asked.page:
        peers = [peer for found in modules.values() for peer in found.PEERS]
        others = {peer: {s["case"]: s for s in lines_of(PARTS / f"{peer}.jsonl") if "state" in s} for peer in peers}
    else:
        others = everyone(modules, asked, wanted, left_out)
    packages = ["numpy", *(p for found in modules.values() for p in found.PACKAGES)]
    minutes = None if asked.page else (time.monotonic() - started) / 60
    page.write({"stickslip": ours} | others, ours, packages, minutes, left_out)


if __name__ == "__main__":
    main()
