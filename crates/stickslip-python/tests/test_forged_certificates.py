"""False certificates of every kind, none of which the checker may prove; and that it says what it proved, and no more."""

from __future__ import annotations

import importlib
import json
import os
import random
from types import ModuleType
from typing import Any

import pytest
from test_certificates import TOOLS, checker  # noqa: F401


@pytest.fixture(scope="module")
def forge(checker: ModuleType) -> ModuleType:  # noqa: F811
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(TOOLS))
        return importlib.import_module("forge_certificates")


KINDS = ("time", "order", "omission", "duplication", "pieces", "phases", "states", "others", "impossible", "bindings", "surplus",
         "strange", "texts")


def test_the_honest_ones_are_proved(forge):
    assert set(forge.KINDS) == set(KINDS) and len(forge.HONEST) >= 30
    for name, path in forge.HONEST.items():
        assert forge.refused(path.read_bytes(), forge.FILES) is None, name
    kinds = {c["problem"]["kind"] for c in forge.honest().values()}
    assert kinds == {"oscillator", "cascade", "impact"}
    # Every way in which an arc can end is among them.
    endings = {arc["ending"] for c in forge.honest().values() for arc in c["arcs"]}
    form = importlib.import_module("stickslip_checker.form")
    assert endings == {ending for known in form.ENDINGS.values() for ending in known}


@pytest.mark.parametrize("kind", KINDS)
def test_no_forgery_is_proved(kind, forge):
    """Some of each kind and certificate, at night more; `tools/forge_certificates.py` tries all of them."""
    count, drawn = 0, 6 if os.environ.get("STICKSLIP_NIGHTLY") else 2
    for name, certificate in forge.honest().items():
        # Those that are drawn are the same every time.
        made = list(forge.forgeries(kind, name, certificate))
        for what, content in random.Random(name).sample(made, min(drawn, len(made))):
            assert forge.refused(content(), forge.FILES) is not None, (name, what)
            count += 1
    assert count >= 30


def test_nothing_else_happens_at_a_knot_in_contact(forge):
    """A mass rests on a wall; the load jumps and presses on, and later it jumps and lifts the mass. Only what the first arcs are said to
    end as is false, and no number tells of it."""
    honest = forge.honest()["contact-knots"]
    assert [arc["ending"] for arc in honest["arcs"]] == ["knot", "release", "end"]
    tried = [content for what, content in forge.forgeries("phases", "contact-knots", honest) if what.startswith(("arc 0 ends", "arc 1 ends"))]
    assert len(tried) >= 10
    for content in tried:
        assert forge.refused(content(), forge.FILES) is not None, content()


def test_a_number_that_is_filled_in_where_nothing_was_changed_is_proved(forge):
    """The forger fills in what the checker then proves: what stands in the way of a forgery is what was changed."""
    for name, certificate in forge.honest().items():
        assert forge.refused(forge.written(forge.filled(certificate)), forge.FILES) is None, name
        assert forge.refused(forge.written(forge.short(certificate)), forge.FILES) is None, name


def test_what_is_undecided_is_refused(forge):
    """Where a ball of numbers does not say on which side it is, nothing is proved; beside it, it is."""
    tried = list(forge.undecided())
    assert len(tried) == 7
    for what, refused, must_be in tried:
        assert refused == must_be, what


def said(checker: Any, forge: Any, name: str, *more: str, tmp: Any = None, capsys: Any) -> str:  # noqa: F811
    failed = checker.main([*more, str(tmp or forge.HONEST[name])])
    out = str(capsys.readouterr().out)
    assert failed == ("rejected" in out)
    return out


def test_what_the_checker_says_is_what_it_proved(forge, checker, capsys, tmp_path):  # noqa: F811
    """Every sentence that it prints, where it holds and where it does not."""
    models = str(forge.CORPUS / "certificate-models")
    tell = lambda name, *more, tmp=None: said(checker, forge, name, *more, tmp=tmp, capsys=capsys)  # noqa: E731
    slips = tell("slips")
    assert "exactly 2 events (1 reversal, 1 slip), each between the two times" in slips
    assert "From t = 0 to 11.0 s" in slips and "File" not in slips and "were not compared" not in slips
    assert "1 event (1 impact)" in tell("bounces")
    assert "has no event." in tell("critical")
    # Its model: that of another is rejected, and without one nothing is said of one.
    certificate = json.loads(forge.HONEST["slips"].read_bytes())
    own, other = tmp_path / "own.json", tmp_path / "other.json"
    own.write_text(json.dumps({"model": certificate["model"]["resolved"], "command": "certify"}))
    other.write_text(json.dumps(certificate["model"]["resolved"] | {"title": "another"}))
    assert "that of the model that was given" in tell("slips", "--model", str(own)) and "that was given" not in slips
    assert "rejected: the certificate is of another model" in tell("slips", "--model", str(other))
    # Its files.
    creeping = tell("creeping")
    assert "'drive.csv': SHA-256" in creeping and "not compared with a file" in creeping
    assert "but for the samples of 'drive.csv', which were not compared" in creeping
    with_files = tell("creeping", "--files", models)
    assert "that of the file that was given" in with_files and "not compared" not in with_files
    (tmp_path / "drive.csv").write_text("time,way,other\n0.5,0,1\n")
    assert "is not the file that was read" in tell("creeping", "--files", str(tmp_path))
    (tmp_path / "drive.csv").unlink()
    assert "rejected" in tell("creeping", "--files", str(tmp_path))


def test_samples_of_a_file_are_compared_with_the_problem(forge, checker):  # noqa: F811
    """A file with other samples, its SHA-256 in place: the problem is then not that of the model."""
    import hashlib

    certificate = json.loads(forge.HONEST["creeping"].read_bytes())
    for old, new, proved in ((b"1.5,1,2", b"1.5,1.01,2", False), (b"1.5,1,2", b"1.4,1,2", False), (b"0.5,0,1", b"0.5,0,9", True)):
        changed = forge.FILES["drive.csv"].replace(old, new)
        assert changed != forge.FILES["drive.csv"]
        certificate["model"]["files"][0]["sha256"] = hashlib.sha256(changed).hexdigest()
        why = forge.refused(forge.written(certificate), {"drive.csv": changed})
        assert (why is None) == proved, why


def test_the_canonical_form_is_that_of_rfc_8785(checker):  # noqa: F811
    model = importlib.import_module("stickslip_checker.model")
    # Appendix B of the RFC.
    for value, expected in (
        (0.0, "0"), (-0.0, "0"), (5e-324, "5e-324"), (1.7976931348623157e308, "1.7976931348623157e+308"), (9007199254740992.0, "9007199254740992"),
        (295147905179352830000.0, "295147905179352830000"), (9.999999999999997e22, "9.999999999999997e+22"), (1e23, "1e+23"),
        (999999999999999700000.0, "999999999999999700000"), (1e21, "1e+21"), (9.999999999999997e-7, "9.999999999999997e-7"),
        (0.000001, "0.000001"), (333333333.33333325, "333333333.33333325"), (-1.5, "-1.5"),
    ):
        assert model.written(value) == expected
    assert model.canonical({"b": [1.0, None, True], "a": "é\n\x1f"}) == '{"a":"é\\n\\u001f","b":[1,null,true]}'
