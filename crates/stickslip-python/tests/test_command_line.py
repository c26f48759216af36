"""The same bits as the command line."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
import stickslip as ss


def rows(file):
    with open(file, newline="") as f:
        return list(csv.DictReader(f))


def column(table, name):
    return np.array([float(r[name]) for r in table])


@pytest.mark.parametrize("name", ["shaw", "ball", "cascade", "network"])
@pytest.mark.parametrize("scheme", ["exact", "steps"])
def test_one_motion(name, scheme, request, program, tmp_path):
    model = request.getfixturevalue(name)
    stepping = {"shaw": "euler", "ball": "moreau", "cascade": "implicit-euler", "network": "theta"}
    how = {"scheme": "exact"} if scheme == "exact" else {"scheme": stepping[name], "step": 0.01}
    end = 1.0 if name == "ball" else 20.0
    model.to_toml(tmp_path / "m.toml")
    more = [f"--step={how['step']}"] if "step" in how else []
    program(
        "simulate", str(tmp_path / "m.toml"), "--end", str(end), "--scheme", how["scheme"], *more,
        "--rows", "501", "--out", str(tmp_path / "out"), "-q",
    )
    path = ss.solve(model, end, **how)
    table = rows(tmp_path / "out" / "trajectory.csv")
    data = path.sample(column(table, "t"))
    for c in path.columns:
        if c in table[0]:
            assert (column(table, c) == data[c]).all(), c
    events = rows(tmp_path / "out" / "events.csv")
    assert [e["event"] for e in events] == path.events["event"].tolist()
    assert (column(events, "t") == path.events["t"]).all() and (column(events, "x") == path.events["x"]).all()


def test_an_ensemble(noisy, program, tmp_path):
    noisy.to_toml(tmp_path / "m.toml")
    program(
        "ensemble", str(tmp_path / "m.toml"), "--end", "5", "--step", "0.01", "--paths", "500", "--seed", "7",
        "--out", str(tmp_path / "out"), "-q",
    )
    ens = ss.ensemble(noisy, 5.0, step=0.01, paths=500, seed=7)
    assert (tmp_path / "out" / "ensemble.csv").read_text() == ens._csv("ensemble")
    assert ss.merge([tmp_path / "out" / "partial.json"])._csv("ensemble") == ens._csv("ensemble")


def test_a_sweep(shaw, program, tmp_path):
    shaw.to_toml(tmp_path / "m.toml")
    program(
        "sweep", str(tmp_path / "m.toml"), "--end", "20", "--vary", "oscillator.stiffness=1:2:5",
        "--out", str(tmp_path / "out"), "-q",
    )
    tab = ss.sweep(shaw, {"oscillator.stiffness": [1.0, 1.25, 1.5, 1.75, 2.0]}, 20.0)
    assert (tmp_path / "out" / "sweep.csv").read_text() == tab._csv("sweep")


def test_the_order_of_a_scheme(shaw, program, tmp_path):
    shaw.to_toml(tmp_path / "m.toml")
    program(
        "converge", str(tmp_path / "m.toml"), "--end", "5", "--scheme", "euler", "--step", "0.05",
        "--halvings", "3", "--out", str(tmp_path / "out"), "-q",
    )
    table = ss.converge(shaw, 5.0, "euler", step=0.05, halvings=3)
    assert (tmp_path / "out" / "convergence.csv").read_text() == table._csv("convergence")


def test_a_calibration(program, tmp_path):
    program("new", "calibrate", str(tmp_path / "fit.toml"))
    program("calibrate", str(tmp_path / "fit.toml"), "--out", str(tmp_path / "out"), "-q")
    fit = ss.calibrate(tmp_path / "fit.toml")
    other = json.loads((tmp_path / "out" / "fit.json").read_text())
    found = fit.summary["fit"]
    for values in (other, found):
        values.pop("seconds", None)
    assert found == other
