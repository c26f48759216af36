"""Writes the Python pages of the book: the reference from the docstrings, and the examples with their pictures.

    python tools/pages.py             writes everything anew
    python tools/pages.py --check     says what is not up to date (pictures are not compared)

The package must be installed, and matplotlib, pandas and scipy.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
BOOK = HERE.parents[1] / "book" / "src"
EXAMPLES = HERE / "examples"
NOTEBOOKS = EXAMPLES / "notebooks"

# --- The reference ---------------------------------------------------------------------------------

#: The public names by subject: a page for each subject, with its description.
GROUPS = {
    "Models": ("models with one mass, and how to load a model", "Oscillator Cascade Impact Planar Element Corner Schatzman Stops Penalty Model load"),
    "Networks": ("several masses, and machines", "Network node spring dashpot slider stop gear controller"),
    "Friction laws": (
        "friction laws, with and without memory",
        "coulomb static_dynamic stribeck stribeck_exponential velocity_strengthening cubic ageing table directional law_of "
        "dahl lugre elasto_plastic bouc_wen maxwell_slip rate_and_state Law",
    ),
    "Signals": (
        "forces, drives and noise",
        "constant ramp step harmonic chirp pulses trapezoids sampled function white ornstein_uhlenbeck kanai_tajimi Signal",
    ),
    "Motions": ("solving a model once", "solve Path Energy simulate Simulation solve_ivp OdeResult"),
    "Steps": ("advancing a run in your own steps", "cursor Cursor"),
    "Many motions": ("one model with many sets of parameters", "solve_many Motions"),
    "Derivatives": ("derivatives through stick and slip", "sensitivity Sensitivity EnergyRates value_and_grad Outputs Gradient"),
    "Orbits": (
        "periodic orbits, responses, basins and hunting",
        "orbit Orbit orbit_many Orbits response Response response_many Responses basins Basins hunt Hunt",
    ),
    "Studies": (
        "sweeps, ensembles, convergence, all solutions",
        "sweep Sweep ensemble merge Ensemble converge Convergence solutions Solutions",
    ),
    "Fits": ("fits of any model, and of bearings", "fit fit_all calibrate calibrate_all Fit Fits Estimate"),
    "Experiments": (
        "fits of sliders, axes, dampers, isolators, rock, valves, servos and friction curves",
        "friction_curve hysteresis isolator pulled_slider rigid_drive rock_friction servo valve",
    ),
    "Joints": ("fits of robot servos to many logs", "joint JointMotion design Design"),
    "Fleets": ("many bearings, ranked by urgency", "fleet Fleet"),
    "Other simulators": ("export of FMUs", "export_fmu"),
    "Reference set": ("certified solutions to test a simulator", "reference"),
    "Errors and warnings": (
        "exceptions and warnings",
        "Error InputError FileError KeywordError UnsolvableError SchemeError StickslipWarning MotionWarning RecordWarning",
    ),
}
SECTIONS = ("Parameters", "Returns", "Raises", "Attributes", "Examples", "References", "Notes")


def sections(doc: str) -> dict[str, str]:
    """The parts of a numpydoc docstring; what comes first has no name."""
    lines, out, name = inspect.cleandoc(doc).split("\n"), {"": []}, ""
    for i, line in enumerate(lines):
        if line in SECTIONS and i + 1 < len(lines) and set(lines[i + 1]) == {"-"}:
            name = line
            out[name] = []
        elif not (line and set(line) == {"-"} and lines[i - 1] == name):
            out[name].append(line)
    return {k: "\n".join(v).strip("\n") for k, v in out.items()}


def prose(text: str) -> str:
    """reStructuredText's inline marks as Markdown's."""
    text = text.replace("\\|", "|")
    # A mark may go over two lines.
    return re.sub(r"``(.+?)``", lambda m: f"`{' '.join(m[1].split())}`", text, flags=re.S)


def listed(text: str) -> list[str]:
    """`name : type` and its description, as items of a list."""
    out: list[str] = []
    for line in text.split("\n"):
        if line and not line.startswith(" "):
            name, _, kind = line.partition(" : ")
            code = f"`{name}`" if kind or not line.endswith(".") else name
            out.append(f"* {code}" + (f" ({prose(kind)})" if kind else ""))
        elif line.strip():
            joint = ": " if out[-1].startswith("* ") and ": " not in out[-1] else " "
            out[-1] += joint + line.strip()
    # After the lines are joined, for what stands between marks may go over two of them.
    return [prose(item) for item in out]


def examples(text: str) -> list[str]:
    """Examples of a docstring: prose, and code with what it shows."""
    out: list[str] = []
    code = False
    for line in text.split("\n"):
        starts = line.startswith((">>>", "..."))
        if starts and not code:
            out += ["```pycon"]
            code = True
        if code and not line.strip():
            out += ["```", ""]
            code = False
            continue
        out.append(line if code else prose(line))
    return out + (["```"] if code else [])


def signature(name: str, value: object) -> str:
    """A call with its arguments, without the types: those stand below."""
    try:
        found = inspect.signature(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return name
    hidden = {"self", "run", "folder"}
    bare = [
        p.replace(annotation=inspect.Parameter.empty, default="…" if "factory" in repr(p.default) else p.default)
        for p in found.parameters.values()
        if p.name not in hidden
    ]
    text = str(found.replace(parameters=bare, return_annotation=inspect.Signature.empty)).replace("'…'", "…")
    return f"{name}{text}"


def entry(name: str, value: object, level: str, shown: str | None = None) -> list[str]:
    """One public name."""
    parts = sections(value.__doc__ or "")
    out = [f"{level} {name}", ""]
    call = shown or signature(f"ss.{name}", value)
    if not (isinstance(value, type) and issubclass(value, Exception)):
        out += ["```python", call, "```", ""]
    out += [prose(parts[""]), ""]
    for section in ("Parameters", "Attributes", "Returns", "Raises"):
        if section in parts:
            out += [f"**{section}**", "", *listed(parts[section]), ""]
    for section in ("Notes", "References"):
        if section in parts:
            out += [f"**{section}**", "", prose(parts[section]), ""]
    if "Examples" in parts:
        out += ["**Example**", "", *examples(parts["Examples"]), ""]
    return out


def methods(value: type) -> list[tuple[str, object]]:
    """Public methods that a class adds, and how it is called."""
    out = []
    for name, member in vars(value).items():
        plain = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
        if inspect.isfunction(plain) and plain.__doc__ and (name == "__call__" or not name.startswith("_")):
            out.append((name, plain))
    return out


def slug(group: str) -> str:
    """The file name of a group's page."""
    return group.lower().replace(" ", "-") + ".md"


def anchor(title: str) -> str:
    """The anchor that mdBook gives a heading."""
    return re.sub(r"[^\w-]", "", title.lower().replace(" ", "-"))


def described(name: str, value: object) -> list[str]:
    """A public name with its methods."""
    out = entry(name, value, "##")
    for method, function in methods(value) if isinstance(value, type) else []:
        about = name[0].lower() + name[1:]
        call = signature("", function)
        call = call.replace("(cls, ", "(").replace("(cls)", "()")
        shown = f"{about}{call}" if method == "__call__" else f"{about}.{method}{call}"
        if isinstance(vars(value)[method], classmethod):
            shown = f"ss.{name}.{method}{call}"
        title = f"{name}, called" if method == "__call__" else f"{name}.{method}"
        out += entry(title, function, "###", shown)
    return out


def tidy(lines: list[str]) -> str:
    """A page with single empty lines."""
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip("\n") + "\n"


def reference() -> dict[str, str]:
    """The pages of the reference, by their paths from its folder."""
    import stickslip as ss

    known = {n for _, names in GROUPS.values() for n in names.split()}
    missing = set(ss.__all__) - known - {"__version__"}
    if missing or known - set(ss.__all__):
        raise SystemExit(f"the groups of the reference and the package differ: {sorted(missing ^ (known - set(ss.__all__)))}")
    index = [
        "# Python package",
        "",
        "These pages list every public name of `import stickslip as ss`. They are made from the docstrings, so `help(ss.solve)`",
        "shows the same text. All quantities are in SI units. Where a signal is expected, a number stands for a constant. Where",
        "numbers are expected, lists and arrays are accepted.",
        "",
        "| page | about | names |",
        "|---|---|---|",
    ]
    texts: dict[str, str] = {}
    for group, (about, names) in GROUPS.items():
        page = [f"# {group}", "", f"Part of the [reference of the Python package](../python.md): {about}.", ""]
        links = []
        seen: list[str] = []
        for name in names.split():
            value = getattr(ss, name)
            # A class and the function that returns it differ in a capital only: mdBook numbers their anchors.
            place = anchor(name)
            twin = f"-{seen.count(place)}" if place in seen else ""
            seen.append(place)
            links.append(f"[`{name}`](python/{slug(group)}#{place}{twin})")
            if inspect.ismodule(value):
                links[-1] = f"[`{name}`](python/{slug(group)})"
                page += [*examples(inspect.cleandoc(value.__doc__ or "")), ""]
                for inner, member in vars(value).items():
                    if getattr(member, "__module__", "") == value.__name__ and member.__doc__ and not inner.startswith("_"):
                        page += entry(f"{name}.{inner}", member, "##")
                continue
            page += described(name, value)
        texts[f"python/{slug(group)}"] = tidy(page)
        index.append(f"| [{group}](python/{slug(group)}) | {about} | {', '.join(links)} |")
    texts["python.md"] = tidy(index)
    return texts


# --- The examples ----------------------------------------------------------------------------------


def cells(source: str) -> list[tuple[str, str]]:
    """The cells of an example: their kind and text."""
    out = []
    for part in re.split(r"^# %%", source, flags=re.M)[1:]:
        head, _, body = part.partition("\n")
        if "[markdown]" in head:
            text = "\n".join(re.sub(r"^# ?", "", line) for line in body.strip("\n").split("\n"))
            out.append(("markdown", text))
        else:
            out.append(("code", body.strip("\n")))
    return out


def notebook(source: str) -> str:
    """An example as a notebook, not yet run."""
    made = []
    for i, (kind, text) in enumerate(cells(source)):
        cell = {"cell_type": kind, "id": f"cell-{i}", "metadata": {}, "source": text.splitlines(keepends=True)}
        made.append(cell | ({"execution_count": None, "outputs": []} if kind == "code" else {}))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def page(name: str, source: str, pictures: dict[str, str]) -> str:
    """An example with all that it prints; its figures go into `pictures`."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.hashsalt": "stickslip", "svg.fonttype": "none", "figure.dpi": 100})
    plt.show = lambda *_, **__: None  # type: ignore[assignment]
    # What somebody else has left open is no picture of this page.
    plt.close("all")
    out: list[str] = []
    space: dict[str, object] = {"__name__": name}
    first = True
    for kind, text in cells(source):
        if kind == "markdown":
            out += [text, ""]
            if first:
                file, folder = f"{name}.py", "crates/stickslip-python/examples"
                out += [f"*This page is `{folder}/{file}`, run. As a notebook: `{folder}/notebooks/{name}.ipynb`.*", ""]
                first = False
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(text, f"{name}.py", "exec"), space)
        out += ["```python", text, "```", ""]
        if printed.getvalue():
            out += ["```text", printed.getvalue().rstrip("\n"), "```", ""]
        for number in plt.get_fignums():
            picture = f"python-{name}-{len([p for p in pictures if p.startswith(f'python-{name}-')]) + 1}.svg"
            made = io.StringIO()
            figure = plt.figure(number)
            figure.savefig(made, format="svg", metadata={"Date": None})
            if "STICKSLIP_PNG" in os.environ:
                figure.savefig(Path(os.environ["STICKSLIP_PNG"]) / picture.replace(".svg", ".png"))
            pictures[picture] = "\n".join(line.rstrip() for line in made.getvalue().split("\n"))
            out += [f"![](../pictures/{picture})", ""]
        plt.close("all")
    return "\n".join(out).rstrip("\n") + "\n"


@contextlib.contextmanager
def inside(folder: str) -> Iterator[None]:
    """Works in a folder for a while."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def pages() -> tuple[dict[Path, str], dict[Path, str]]:
    """All files with their texts: pages, and pictures."""
    texts = {BOOK / "reference" / path: text for path, text in reference().items()}
    pictures: dict[str, str] = {}
    for example in sorted(EXAMPLES.glob("*.py")):
        source = example.read_text(encoding="utf-8")
        if not source.startswith("# %%"):
            continue
        texts[NOTEBOOKS / f"{example.stem}.ipynb"] = notebook(source)
        with tempfile.TemporaryDirectory() as folder, inside(folder):
            texts[BOOK / "python" / f"{example.stem}.md"] = page(example.stem, source, pictures)
    return texts, {BOOK / "pictures" / name: svg for name, svg in pictures.items()}


def main() -> int:
    texts, pictures = pages()
    if "--check" in sys.argv:
        old = [p for p, text in texts.items() if not p.is_file() or p.read_text(encoding="utf-8") != text]
        old += [p for p in pictures if not p.is_file()]
        for path in old:
            print(f"{path} is not up to date; run tools/pages.py", file=sys.stderr)
        return 1 if old else 0
    for path, text in {**texts, **pictures}.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
