"""The examples run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
NEEDS = {"shaw": ["matplotlib"], "bearing": ["pandas"], "tanh": ["scipy"], "response": ["pandas"]}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.stem)
def test_it_runs(example, tmp_path):
    for name in NEEDS.get(example.stem, []):
        pytest.importorskip(name)
    # Relative entries of the search path would not be found from elsewhere.
    paths = [os.path.abspath(p) for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
    environment = {**os.environ, "MPLBACKEND": "Agg", "PYTHONPATH": os.pathsep.join(paths)}
    subprocess.run([sys.executable, str(example)], cwd=tmp_path, env=environment, check=True, timeout=600)
