"""Reads models from files, texts and dictionaries."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import Any, Union

from ._arguments import described
from ._errors import ARGUMENTS, InputError, suggesting
from ._model import Model
from ._models import Cascade, Corner, Element, Impact, Oscillator, Planar, Schatzman
from ._network import Network
from ._stickslip import Document, read_text

#: The kinds of models, by their tables in a model file.
KINDS: dict[str, type[Model]] = {
    kind.kind: kind for kind in (Oscillator, Cascade, Network, Impact, Planar, Element, Corner, Schatzman)
}

#: What `load` takes, and whatever takes a model.
ModelLike = Union[Model, str, "os.PathLike[str]", Mapping[str, Any]]


@suggesting
def load(source: ModelLike) -> Model:
    """Loads a model of any kind from a model file.

    Parameters
    ----------
    source : path-like, str, dict
        The path of a model file; or its text, recognised by an ``=`` in it; or its contents as nested dictionaries.

    Returns
    -------
    Oscillator, Cascade, Network, Impact, Planar, Element, Corner or Schatzman
        The model. It keeps the file's settings of the run, so ``solve(model)`` needs no more arguments.

    Raises
    ------
    InputError
        If the file does not exist, or something in it is wrong; the message names the line.

    Examples
    --------
    >>> import stickslip as ss
    >>> model = ss.load('''
    ... [impact]
    ... mass = 1.0
    ... restitution = 0.9
    ... wall = 0.0
    ... ''')
    >>> model.restitution
    0.9
    """
    if isinstance(source, Model):
        return source
    if isinstance(source, Mapping):
        return _from_document(dict(source), "", ARGUMENTS)
    if isinstance(source, str) and ("=" in source and not os.path.exists(source)):
        return _read("<text>", source, "")
    if not isinstance(source, (str, os.PathLike)):
        raise InputError(f"`source` is {described(source)}; expected a path, a text or a dictionary")
    name = os.fspath(source)
    return _read(name, read_text(name), os.path.dirname(os.path.abspath(name)))


def _read(name: str, text: str, folder: str) -> Model:
    document = Document(name, text, folder, {}, {})
    # Whatever is wrong is found here, at its line.
    document.check()
    return _from_document(document.tree(), folder, name, document)


def _from_document(tree: dict[str, Any], folder: str, name: str, document: Document | None = None) -> Model:
    title, run = tree.pop("title", None), tree.pop("run", {})
    kinds = [k for k in tree if k in KINDS]
    if len(kinds) != 1 or len(tree) != 1:
        if name == ARGUMENTS and not kinds:
            raise InputError(f"the document holds no model; expected one of the tables {', '.join(KINDS)}")
        Document(name, tree, folder, {}, {}).check()
        raise InputError(f"the document holds {', '.join(tree)}; expected one model and `run`")
    cls = KINDS[kinds[0]]
    table = tree[kinds[0]]
    if not isinstance(table, Mapping):
        raise InputError(f"`{kinds[0]}` is {described(table)}; expected a table")
    if document is None:
        # A dictionary: let the library say what is wrong with it in terms of its keys.
        _check_dictionary({"title": title} if title is not None else {}, kinds[0], table, run)
    arguments = cls._from_table(table)
    known = {f.name for f in dataclasses.fields(cls)}  # type: ignore[arg-type]
    for key in arguments:
        if key not in known:
            raise InputError(f"unknown key `{kinds[0]}.{key}`")
    make: Any = cls
    made: Model = make(**arguments, title=title, run=run, folder=folder)
    return made


def _check_dictionary(head: dict[str, Any], kind: str, table: Mapping[str, Any], run: Any) -> None:
    if "samples" in repr(table):
        return
    whole = {**head, kind: table, **({"run": run} if run else {})}
    Document(ARGUMENTS, whole, "", {}, {}).check()


def model_of(value: ModelLike) -> Model:
    """`value` as a model: a model, or what `load` takes."""
    if isinstance(value, (Model, str, os.PathLike, Mapping)):
        return load(value)
    raise InputError(f"`model` is {described(value)}; expected a model, or the path of a model file")
