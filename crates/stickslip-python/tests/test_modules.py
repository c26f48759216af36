"""The modules of the package import one another in no circle, inside functions and for types counted."""

from __future__ import annotations

import ast
import graphlib
from pathlib import Path

import stickslip as ss

FOLDER = Path(ss.__file__).parent


def imported(module: Path) -> set[str]:
    """The modules of the package that a module imports by their relative names."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            found |= {node.module} if node.module else {name.name for name in node.names}
    return found


def test_modules_import_one_another_in_no_circle():
    modules = {path.stem: imported(path) for path in FOLDER.glob("*.py")}
    known = {name: others & modules.keys() for name, others in modules.items()}
    assert {"_signals", "_arguments"} <= known["_model"] and len(known) > 30
    # Raises an error that names the circle.
    graphlib.TopologicalSorter(known).prepare()
