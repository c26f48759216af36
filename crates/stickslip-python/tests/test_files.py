"""Files and folders that are written: nothing that this package did not write is replaced, removed or followed."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import pickle
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable

import pytest

import stickslip as ss

ODD = "a\x1b]0;owned\x07b\u202egnp.exe\u2066c\u2069\x9bd\re"


def obeyed(text: str) -> bool:
    """Whether a terminal would obey something in a text, or show it in another order."""
    return any(c in text for c in "\x1b\x07\x9b\r\u202e\u2066\u2069")


@pytest.fixture(scope="module")
def shaw() -> ss.Oscillator:
    return ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(1.0), drive=ss.harmonic(6.0, 0.5), x0=3.0)


@pytest.fixture(scope="module")
def simulation(shaw: ss.Oscillator) -> ss.Simulation:
    return ss.simulate(shaw, t_end=5.0)


def tree(folder: pathlib.Path) -> dict[str, str]:
    """What is in a folder, links not followed."""

    def seen(path: pathlib.Path) -> str:
        if path.is_symlink():
            return f"link to {os.readlink(path)}"
        return f"folder {tree(path)}" if path.is_dir() else repr(path.read_bytes())

    return {path.name: seen(path) for path in folder.iterdir()}


def test_results_replace_only_results(simulation: ss.Simulation, shaw: ss.Oscillator, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "deep" / "out"
    simulation.write(out)
    assert {"trajectory.csv", "events.csv", "summary.json", ".stickslip"} <= set(tree(out))
    assert set(json.loads((out / "summary.json").read_text())["files"]) == set(tree(out)) - {".stickslip"}
    (out / "paper.tex").write_text("mine")
    # Again, from a copy, and in the other format: what the run before left goes.
    pickle.loads(pickle.dumps(simulation)).write(out)
    assert (out / "paper.tex").read_text() == "mine"
    # Another command's results stay.
    before = tree(out)
    with pytest.raises(ss.FileError, match="holds results of `simulate`; expected an empty directory or results of `orbit`"):
        ss.orbit(shaw).write(out)
    assert tree(out) == before
    # Results that somebody has changed stay, too.
    with open(out / "events.csv", "a") as file:
        file.write("a note\n")
    before = tree(out)
    with pytest.raises(ss.FileError, match=r"events\.csv: is not as `stickslip simulate` has left it"):
        simulation.write(out)
    assert tree(out) == before


@pytest.mark.parametrize("kind", ["file", "link", "dangling", "folder", "pipe", "record", "empty record", "linked record"])
def test_what_is_there_stays(kind: str, simulation: ss.Simulation, tmp_path: pathlib.Path) -> None:
    out, precious = tmp_path / "out", tmp_path / "precious"
    out.mkdir()
    precious.write_text("keep")
    if kind == "file":
        (out / "events.csv").write_text("mine")
    elif kind == "link":
        (out / "events.csv").symlink_to(precious)
    elif kind == "dangling":
        (out / "summary.json").symlink_to(tmp_path / "nowhere")
    elif kind == "folder":
        (out / "motion.svg").mkdir()
    elif kind == "pipe":
        os.mkfifo(out / "trajectory.csv")
        with pytest.raises(ss.FileError, match="is a pipe"):
            simulation.write(out)
        return
    elif kind == "record":
        (out / ".stickslip").write_text("../precious\n")
    elif kind == "empty record":
        (out / ".stickslip").touch()
    else:
        (out / ".stickslip").symlink_to(precious)
    before = tree(tmp_path)
    with pytest.raises(ss.FileError):
        simulation.write(out)
    with pytest.raises(OSError):
        simulation.write(out)
    assert tree(tmp_path) == before


def test_inputs_are_not_replaced(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("load.csv").write_text("t,x\n0,1\n1,2\n2,1\n")
    pathlib.Path("m.toml").write_text(
        "[oscillator]\nmass = 1\nstiffness = 1\nfriction.coulomb = { force = 0.1 }\n"
        '[[oscillator.force]]\nsampled = { file = "load.csv", time = "t", value = "x" }\n[run]\nend = 2\n'
    )
    model = ss.load("m.toml")
    result = ss.simulate(model)
    before = tree(tmp_path)
    for wrong in (
        lambda: model.to_toml("load.csv", overwrite=True),
        lambda: result.report("load.csv", overwrite=True),
        lambda: ss.export_fmu("m.toml", "m.toml", overwrite=True),
    ):
        with pytest.raises(ss.FileError, match="is an input of this run"):
            wrong()
    assert tree(tmp_path) == before


@pytest.mark.parametrize("what", ["report", "to_toml", "samples", "export_fmu"])
def test_single_files(what: str, simulation: ss.Simulation, shaw: ss.Oscillator, tmp_path: pathlib.Path) -> None:
    held = shaw.replace(force=ss.sampled([0.0, 1.0, 5.0], [0.0, 1.0, 0.0]))
    calls: dict[str, tuple[str, Callable[..., object]]] = {
        "report": ("x.html", lambda file, **k: simulation.report(file, **k)),
        "to_toml": ("x.toml", lambda file, **k: shaw.to_toml(file, **k)),
        # The samples lie next to the file of the model.
        "samples": ("x-samples-1.csv", lambda file, **k: held.to_toml(file.parent / "x.toml", **k)),
        "export_fmu": ("x.fmu", lambda file, **k: ss.export_fmu(shaw, file, t_end=1.0, **k)),
    }
    name, write = calls[what]
    out = tmp_path / "out"
    out.mkdir()
    try:
        write(out / name)
    except ss.InputError as missing:
        if what != "export_fmu" or "library" not in str(missing):
            raise
        pytest.skip("there is no library for FMUs")
    made = tree(out)
    # The same once more destroys nothing.
    write(out / name)
    assert tree(out) == made
    for path in out.iterdir():
        path.unlink()
    (out / name).write_text("mine")
    before = tree(out)
    with pytest.raises(ss.FileError, match=r"is there already[\s\S]*overwrite=True"):
        write(out / name)
    assert tree(out) == before, "no other file was written either"
    write(out / name, overwrite=True)
    assert tree(out)[name] == made[name]
    # Links are never followed.
    (out / name).unlink()
    (tmp_path / "precious").write_text("keep")
    (out / name).symlink_to(tmp_path / "precious")
    for options in ({}, {"overwrite": True}):
        with pytest.raises(ss.FileError, match="is a symbolic link; expected a file or nothing"):
            write(out / name, **options)
    assert (tmp_path / "precious").read_text() == "keep"
    with pytest.raises(ss.InputError, match="`overwrite` is 1"):
        write(out / name, overwrite=1)


def test_folders_at_the_same_time(simulation: ss.Simulation, tmp_path: pathlib.Path) -> None:
    """Each in its own folder succeeds; all in one folder leave the whole results of one of them."""
    failed: list[BaseException] = []

    def write(folder: pathlib.Path) -> None:
        try:
            simulation.write(folder)
        except ss.FileError as error:
            assert "another run is writing to it" in str(error)
            failed.append(error)

    for folders in ([tmp_path / str(i) for i in range(8)], [tmp_path / "one"] * 8):
        failed.clear()
        threads = [threading.Thread(target=write, args=(folder,)) for folder in folders]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(failed) < len(set(folders)) or len(set(folders)) == 1 and len(failed) < 8
        for folder in folders:
            names = set(tree(folder))
            assert names == {".stickslip", *json.loads((folder / "summary.json").read_text())["files"]}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_copy_of_the_process_removes_nothing(tmp_path: pathlib.Path) -> None:
    """A process that is forked while a folder is being written ends in order: it must not undo what its parent does."""
    code = """
import os, sys
from stickslip._stickslip import Folder
folder = Folder(sys.argv[1], "simulate")
folder.write("events.csv", b"t\\n")
child = os.fork()
if child == 0:
    folder.abandon()
    sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
folder.write("summary.json", b"{}")
folder.commit([])
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code, str(tmp_path / "r")], check=True, timeout=60)
    assert set(tree(tmp_path / "r")) == {".stickslip", "events.csv", "summary.json"}


def test_nothing_that_is_printed_moves_the_cursor(tmp_path: pathlib.Path) -> None:
    model = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(1.0), x0=3.0, title=ODD)
    result = ss.simulate(model, t_end=1.0)
    path = ss.solve(model, 1.0)
    for shown in (repr(model), repr(path), repr(result), result.text, result._repr_html_(), model._repr_html_(), path._repr_html_()):
        assert not obeyed(shown)
    # A name of a node, in the columns and the repr.
    two = ss.Network(nodes=[ss.node(ODD, mass=1.0, x0=1.0)], springs=[ss.spring(ODD, "ground", 1.0)])
    moved = ss.solve(two, 1.0)
    for shown in (repr(ss.simulate(two, t_end=1.0)), repr(two), repr(moved), moved._repr_html_()):
        assert not obeyed(shown), shown
    # Errors about a file, with what stands in it, and about a name of a file.
    file = tmp_path / "m.toml"
    quoted = json.dumps(ODD)
    file.write_text(f"[oscillator]\nmass = 1\nstiffness = 1\n{quoted} = 1\nfriction.coulomb = {{ force = 1 }}\n[run]\nend = 1\n")
    wrong: list[Callable[[], object]] = [
        lambda: ss.load(file),
        lambda: ss.load(f"no{ODD}.toml"),
        lambda: ss.solve(model, 1.0, scheme=ODD),
        lambda: result.write(tmp_path / f"x{ODD}" / "y\0"),
        lambda: ss.sweep(model, {f"oscillator.{ODD}": [1.0]}, 1.0),
        lambda: path[ODD],
        lambda: ss.reference.case(ODD),
        lambda: moved[ODD + "x"],
    ]
    for call in wrong:
        with pytest.raises((ss.Error, ValueError, KeyError)) as raised:
            call()
        assert not obeyed(str(raised.value)), str(raised.value)
        assert not obeyed(getattr(raised.value, "help", None) or "")
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        ss._errors.warn([ODD], ss.MotionWarning)
    assert [obeyed(str(w.message)) for w in given] == [False]
    kept = "tabs\tand\nlines, ü, 物, עברית, f_{s} ± 2 °C"
    assert str(ss.InputError(kept)) == kept


def test_places_that_cannot_be_written(simulation: ss.Simulation, tmp_path: pathlib.Path) -> None:
    with pytest.raises(ss.FileError, match="cannot be written: it is a file"):
        (tmp_path / "file").write_text("x")
        simulation.write(tmp_path / "file")
    for wrong in (3, None, b"x", ""):
        with pytest.raises(ss.InputError, match="expected a path"):
            simulation.write(wrong)
        with pytest.raises(ss.InputError, match="expected a path"):
            simulation.report(wrong)


MODEL_OF_A_FILE = """[oscillator]
mass = 1
stiffness = 1
friction.coulomb = { force = 0.1 }
[[oscillator.force]]
sampled = { file = "load.csv", time = "t", value = "x" }
[run]
end = 2
"""


def test_a_pickled_path_is_solved_again_from_the_same_files_or_not_at_all(tmp_path: pathlib.Path) -> None:
    load, other = "t,x\n0,1\n1,2\n2,1\n", "t,x\n0,3\n1,2\n2,1\n"
    (tmp_path / "load.csv").write_text(load)
    (tmp_path / "m.toml").write_text(MODEL_OF_A_FILE)
    path = ss.solve(tmp_path / "m.toml")
    at, proof = path(1.7), path.certificate()
    pickled = pickle.dumps(path)
    # The file of the model may change: the path holds the model. The file of the load may not.
    (tmp_path / "m.toml").write_text("")
    (tmp_path / "load.csv").write_text(other)
    copy = pickle.loads(pickled)
    assert copy.x.tolist() == path.x.tolist(), "what it holds it gives"
    for asked in (lambda: copy(1.7), copy.certificate, lambda: copy.sample(5)):
        with pytest.raises(ss.InputError, match=r"load\.csv has changed since this path was solved: its SHA-256 was [0-9a-f]{64}"):
            asked()
    # A copy of a copy that was never solved again knows it, too.
    with pytest.raises(ss.InputError, match="has changed since"):
        pickle.loads(pickle.dumps(copy))(1.7)
    (tmp_path / "load.csv").unlink()
    with pytest.raises(ss.InputError, match=r"load\.csv"):
        pickle.loads(pickled)(1.7)
    (tmp_path / "load.csv").write_text(load)
    again = pickle.loads(pickled)
    assert again(1.7).tolist() == at.tolist() and again.certificate() == proof
    assert proof["model"]["files"] == [{"name": "load.csv", "sha256": hashlib.sha256(load.encode()).hexdigest()}]


def test_the_certificate_of_a_path_names_the_files_that_it_was_computed_from(tmp_path: pathlib.Path) -> None:
    """They have changed since then, in the same process."""
    load = "t,x\n0,1\n1,2\n2,1\n"
    (tmp_path / "load.csv").write_text(load)
    (tmp_path / "m.toml").write_text(MODEL_OF_A_FILE)
    path = ss.solve(tmp_path / "m.toml")
    (tmp_path / "load.csv").write_text("t,x\n0,3\n1,2\n2,1\n")
    named = path.certificate()["model"]["files"]
    assert named == [{"name": "load.csv", "sha256": hashlib.sha256(load.encode()).hexdigest()}]
