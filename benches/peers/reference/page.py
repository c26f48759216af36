"""docs/peers.md and its two figures."""

from __future__ import annotations

import os
import platform
from importlib import metadata

import numpy as np

import scoring
from cases import ROOT

FOLDER = ROOT / "docs"


def digits(s):
    return s["digits"] if s["events"] else s["digits_states"]


def cell(s):
    if s is None:
        return "not run"
    if s["state"] != "scored":
        return {"unsupported": "–", "too long": "time", "failed": "failed"}[s["state"]]
    if s["counts"] == "report":
        return "reported" if s["reported"] else "not reported"
    if s["counts"] == "law":
        return f"p = {s['probability']:.2f}" if s["probability"] is not None else "–"
    text = f"{digits(s) or 0:.1f}"
    wrong = s["missed"] + s["invented"] if s["events"] else 0
    return f"{text} ({s['missed']}/{s['invented']})" if wrong else text


def versions(packages):
    def version(name):
        try:
            return f"{name} {metadata.version(name)}"
        except metadata.PackageNotFoundError:
            return f"{name} (not installed)"

    return ", ".join(version(p) for p in packages)


def measured(results, peer):
    return [s for s in results[peer].values() if s and s["state"] == "scored" and s["counts"] == "motion"]


def colour(i):
    """Of series `i`, a colour of its own: the first, which is ours, in black."""
    return "black" if i == 0 else f"C{i - 1}"


def figures(results):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "peers"
    import matplotlib.pyplot as plt

    markers = "os^Dv<>P*Xhpd"
    figure, axes = plt.subplots(figsize=(8.5, 5))
    for i, name in enumerate(results):
        points = [(max(s["seconds"], 1e-6), digits(s) or 0) for s in measured(results, name) if s["seconds"] is not None]
        if points:
            axes.plot(*zip(*points), markers[i % len(markers)], color=colour(i), label=name, alpha=0.7, markersize=4)
    axes.set(xscale="log", xlabel="processor time, s", ylabel="correct digits", ylim=(-0.5, 16.5))
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.tight_layout()
    figure.savefig(FOLDER / "peers-digits.svg", metadata={"Date": None})
    figure, axes = plt.subplots(figsize=(8.5, 4.5))
    for i, name in enumerate(results):
        creeps = [max(s["creep"], 1e-20) for s in measured(results, name)]
        axes.plot(creeps, [i] * len(creeps), "|", color=colour(i), markersize=12)
    axes.set(xscale="log", xlabel="creep at rest, m/s (left edge: none)", xlim=(5e-21, 10))
    axes.set_yticks(range(len(results)), list(results))
    axes.invert_yaxis()
    figure.tight_layout()
    figure.savefig(FOLDER / "peers-creep.svg", metadata={"Date": None})


def line(cells):
    return "| " + " | ".join(cells) + " |"


def totals(results):
    names = list(results)

    def of(reduce, key):
        values = lambda n: [s[key] for s in measured(results, n) if s[key] is not None]
        return [f"{reduce(values(n)):.1e}" if values(n) else "–" for n in names]

    scored = [str(len(measured(results, n))) for n in names]
    twelve = [str(sum((digits(s) or 0) >= 12 and not (s["events"] and s["missed"] + s["invented"]) for s in measured(results, n))) for n in names]
    return [
        ["cases with a unique solution that are scored", *scored],
        ["… of them with 12 digits or more", *twelve],
        ["median processor time, s", *of(np.median, "seconds")],
        ["greatest creep at rest, m/s", *of(max, "creep")],
        ["greatest energy from nothing", *of(max, "energy")],
    ]


def remarks(results):
    """Each sentence once for a peer, with the cases it holds for."""
    said = {}
    for name, cases in results.items():
        for case, s in cases.items():
            if s and s.get("said"):
                said.setdefault((name, s["said"].rstrip(".")), []).append(f"`{case}`")
    return [f"* {name}: {why} ({', '.join(cases)})." for (name, why), cases in said.items()]


def own(ours):
    rows = [line(["case", "grade", "digits", "missed", "invented", "creep, m/s", "energy from nothing", "time, s"]), line(["---"] * 8)]
    for s in ours.values():
        shown = cell(s | {"events": True})
        rows.append(line([s["case"], s["grade"], shown, str(s["missed"]), str(s["invented"]), f"{s['creep']:.0e}" if s["creep"] else "0",
                          f"{s['energy']:.0e}" if s["energy"] else "0", f"{s['seconds']:.1e}"]))
    return rows


def words(ours):
    """What the issue of the set asks of ourselves, counted."""
    unique = [s for s in ours.values() if s["counts"] == "motion"]
    reports = [s for s in ours.values() if s["counts"] == "report"]
    least = min(unique, key=lambda s: s["digits"])
    wrong = sum(s["missed"] + s["invented"] for s in unique)
    return (f"Of {len(unique)} cases with a unique solution, the least number of digits is {least['digits']:.1f} (`{least['case']}`); "
            f"{wrong} events are missed or invented; the greatest creep at rest is {max(s['creep'] for s in unique):g} m/s; "
            f"{sum(s['reported'] for s in reports)} of {len(reports)} ill-posed cases are reported.")


def write(results, ours, packages, minutes, left_out):
    figures(results)
    names = list(results)
    cases = list(ours)
    table = [line(["case", *names]), line(["---"] * (len(names) + 1))]
    table += [line([c, *(cell(results[n].get(c)) for n in names)]) for c in cases]
    table += [line(row) for row in totals(results)]
    busy = os.getloadavg()[2] / (os.cpu_count() or 1)
    text = (ROOT / "benches" / "peers" / "reference" / "page.md").read_text()
    parts = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "load": f"{busy:.1f} programs waited for each core in the last quarter of an hour",
        "versions": versions(packages), "minutes": f"in {minutes:.0f} minutes" if minutes else "from the lines of an earlier run", "limit": f"{scoring.limit:g}",
        "table": "\n".join(table), "own": "\n".join(own(ours)), "words": words(ours),
        "remarks": "\n".join(remarks(results) + [f"* {n}" for n in left_out]) or "None.",
    }
    for key, value in parts.items():
        text = text.replace("{" + key + "}", value)
    (FOLDER / "peers.md").write_text(text)
