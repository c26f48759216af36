"""What the wheels bring along: the program, the checker of certificates, and libraries of several platforms."""

from __future__ import annotations

import csv
import importlib.util
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import stickslip as ss

TOOL = Path(__file__).resolve().parents[1] / "tools" / "wheels.py"


def run(*words, cwd, code=0):
    done = subprocess.run([sys.executable, "-m", *words], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done


def test_the_program_comes_with_the_wheel(tmp_path):
    assert run("stickslip", "--version", cwd=tmp_path).stdout.strip() == f"stickslip {ss.__version__}"
    run("stickslip", "new", "simulate", "model.toml", cwd=tmp_path)
    run("stickslip", "simulate", "model.toml", "--out", "motion", "-q", cwd=tmp_path)
    with open(tmp_path / "motion" / "trajectory.csv", newline="") as f:
        rows = list(csv.DictReader(f))
    seen = ss.solve(tmp_path / "model.toml").sample([float(r["t"]) for r in rows])
    assert [float(r["x"]) for r in rows] == seen["x"].tolist()
    assert run("stickslip", "simulate", "none.toml", cwd=tmp_path, code=1).stderr.startswith("error:")
    assert "'--uot'" in run("stickslip", "simulate", "model.toml", "--uot", "x", cwd=tmp_path, code=2).stderr


def test_the_checker_comes_with_the_wheel(tmp_path):
    pytest.importorskip("flint")
    shaw = ss.Oscillator(mass=1, stiffness=1, friction=ss.static_dynamic(1.2, 1.0), x0=6.0)
    certificate = ss.solve(shaw, t_end=10).certificate()
    (tmp_path / "right.json").write_text(json.dumps(certificate))
    assert "right.json: proved" in run("stickslip_checker", "right.json", cwd=tmp_path).stdout
    certificate["problem"]["mass"] = 1.0000001
    (tmp_path / "wrong.json").write_text(json.dumps(certificate))
    assert "wrong.json: rejected" in run("stickslip_checker", "wrong.json", cwd=tmp_path, code=1).stdout


def tool():
    if not TOOL.exists():
        pytest.skip("the tools of a checkout")
    spec = importlib.util.spec_from_file_location("wheels", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_wheels_of_libraries_become_one(tmp_path):
    wheels = tool()
    parts = {"manylinux_2_17_x86_64": "libstickslip_fmi.so", "manylinux_2_28_aarch64": "libstickslip_fmi.so",
             "win_amd64": "stickslip_fmi.dll", "macosx_11_0_arm64": "libstickslip_fmi.dylib"}
    for tag, name in parts.items():
        (tmp_path / name).write_bytes(tag.encode())
        wheels.library_wheel(tmp_path / f"stickslip-0.1.0-cp310-abi3-{tag}.whl", tmp_path / name)
    one = wheels.merged(tmp_path)
    assert [p.name for p in tmp_path.glob("*.whl")] == [one.name] == ["stickslip_fmi-0.1.0-py3-none-any.whl"]
    with zipfile.ZipFile(one) as wheel:
        wheel.extractall(tmp_path / "site")
        recorded = {line.split(",")[0] for line in wheel.read("stickslip_fmi-0.1.0.dist-info/RECORD").decode().splitlines()}
        assert recorded == set(wheel.namelist())
    code = "import stickslip_fmi as f, json; print(json.dumps({k: p.read_text() for k, p in f.libraries.items()}))"
    found = subprocess.run([sys.executable, "-c", code], cwd=tmp_path / "site", capture_output=True, text=True, check=True)
    assert json.loads(found.stdout) == {
        "x86_64-linux": "manylinux_2_17_x86_64", "aarch64-linux": "manylinux_2_28_aarch64",
        "x86_64-windows": "win_amd64", "aarch64-darwin": "macosx_11_0_arm64",
    }


def test_a_wheel_of_an_unknown_platform_is_named(tmp_path):
    with pytest.raises(SystemExit, match="freebsd"):
        tool().platform_of("freebsd_13_amd64")
