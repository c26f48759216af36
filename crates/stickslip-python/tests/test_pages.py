"""The pages of the book about Python are those of this package: its docstrings, and what its examples print."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import os
import re
import subprocess
import sys


import pytest
from conftest import WORKSPACE

TOOL = WORKSPACE / "crates" / "stickslip-python" / "tools" / "pages.py"
ALL = sorted((WORKSPACE / "crates" / "stickslip-python" / "examples").glob("*.py"))
EXAMPLES = [p for p in ALL if p.read_text(encoding="utf-8").startswith("# %%")]
RENEW = "not up to date: run tools/pages.py"


@pytest.fixture(scope="module")
def tool():
    if not TOOL.is_file():
        pytest.skip("this is not a checkout")
    spec = importlib.util.spec_from_file_location("pages", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_is_that_of_the_docstrings(tool):
    for page, text in tool.reference().items():
        assert (tool.BOOK / "reference" / page).read_text(encoding="utf-8") == text, f"{page}: {RENEW}"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.stem)
def test_an_example_prints_what_the_book_shows(tool, example, tmp_path):
    for name in ("matplotlib", "pandas", "scipy", "distributed"):
        pytest.importorskip(name)
    source = example.read_text(encoding="utf-8")
    with tool.inside(str(tmp_path)):
        page = tool.page(example.stem, source, {})
    shown = tool.BOOK / "python" / f"{example.stem}.md"
    assert shown.read_text(encoding="utf-8") == page, RENEW
    for line in page.split("\n"):
        if line.startswith("![]("):
            picture = os.path.normpath(shown.parent / line[4:-1])
            assert os.path.getsize(picture) > 1000
    notebook = tool.NOTEBOOKS / f"{example.stem}.ipynb"
    assert notebook.read_text(encoding="utf-8") == tool.notebook(source), RENEW
    assert json.loads(tool.notebook(source))["nbformat"] == 4


@pytest.mark.parametrize("script", sorted(set(ALL) - set(EXAMPLES)), ids=lambda p: p.stem)
def test_a_script_runs(script, tmp_path):
    # Relative entries of the search path would not be found from elsewhere.
    paths = [os.path.abspath(p) for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
    environment = {**os.environ, "MPLBACKEND": "Agg", "PYTHONPATH": os.pathsep.join(paths)}
    subprocess.run([sys.executable, str(script)], cwd=tmp_path, env=environment, check=True, timeout=600)


def test_every_example_stands_in_the_book(tool):
    summary = (tool.BOOK / "SUMMARY.md").read_text(encoding="utf-8")
    assert all(f"(python/{example.stem}.md)" in summary for example in EXAMPLES)
    assert all(f"(reference/{page})" in summary for page in tool.reference())



def blocks(text):
    """Python of a page, and what it prints, where that is shown."""
    found = re.findall(r"^```(python|text)\n(.*?)^```", text, flags=re.M | re.S)
    for (kind, code), (after, shown) in zip(found, [*found[1:], ("", "")]):
        if kind == "python":
            yield code, shown if after == "text" else None


@pytest.mark.parametrize("name", ["tutorials/first-notebook.md", "how-to/python.md", "package", "project"])
def test_listings_print_what_is_shown(tool, name):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    readmes = {"package": TOOL.parents[1] / "README.md", "project": WORKSPACE / "README.md"}
    file = readmes.get(name, tool.BOOK / name)
    space, count = {}, 0
    for code, shown in blocks(file.read_text(encoding="utf-8")):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(file), "exec"), space)
        assert shown is None or printed.getvalue() == shown
        count += 1
    assert count
    matplotlib.pyplot.close("all")


def test_every_public_name_has_an_example(tool):
    import stickslip as ss

    names = [name for _, group in tool.GROUPS.values() for name in group.split() if name != "reference"]
    found = {name: getattr(ss, name) for name in names}
    found |= {name: getattr(ss.reference, name) for name in ("Case", "Scores", "case", "cases", "score")}
    assert not [name for name, value in found.items() if ">>> " not in (value.__doc__ or "")]


def test_every_public_method_has_an_example(tool):
    """In its own docstring, or in that of its class, where it is called."""
    import stickslip as ss

    names = [name for _, group in tool.GROUPS.values() for name in group.split()]
    classes = [value for name in names if isinstance(value := getattr(ss, name), type)]
    missing, count = [], 0
    for value in classes:
        for method, function in tool.methods(value):
            count += 1
            if ">>> " not in (function.__doc__ or "") and f".{method}(" not in (value.__doc__ or ""):
                missing.append(f"{value.__name__}.{method}")
    assert count > 30
    assert not missing
