"""What larger runs return: a summary, tables, figures and pages."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, ClassVar, Union

import numpy as np
import numpy.typing as npt

from . import _frames, _parquet
from ._arguments import read_only
from ._errors import InputError, MotionWarning, StickslipWarning, suggestion, warn
from ._stickslip import Product

if TYPE_CHECKING:
    from typing_extensions import Self

#: Called with the number of parts that are done and of all parts; or True, for a bar by tqdm.
Progress = Union[bool, Callable[[int, int], object], None]

Column = npt.NDArray[Any]


def progress_of(progress: Progress) -> Callable[[int, int], object] | None:
    """The function that is told how far a run is."""
    if progress is None or progress is False:
        return None
    if progress is not True:
        if not callable(progress):
            raise InputError(f"`progress` is {progress!r}; expected True or a function of two numbers")
        return progress
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise InputError("`progress` is True, but there is no tqdm: install it, or pass a function") from None
    bar = tqdm()

    def tell(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)
        if total and done >= total:
            bar.close()

    return tell


class Result:
    """What a run returns.

    The columns of its first table are attributes: arrays of numbers or of texts.

    Attributes
    ----------
    summary : dict
        What was solved, how, and what came out.
    tables : tuple of str
        Names of the tables; `table` gives one.
    warnings : tuple of str
        What the result should not be read without.
    figures : tuple of str
        Names of the figures; `figure` gives one as SVG.
    text : str
        The result as the command line prints it.
    """

    #: What its warnings are about.
    _category: ClassVar[type[StickslipWarning]] = MotionWarning

    def __init__(self, product: Product) -> None:
        self._product: Product | None = product
        self._kept: dict[str, Any] = {"summary": json.loads(product.summary)}
        self._kept["names"] = product.names()
        self._kept["tables"] = tuple(product.tables)
        self._kept["warnings"] = tuple(dict.fromkeys([*self.summary.get("warnings", []), *product.remarks()]))

    def _told(self) -> Self:
        """This result, its warnings given."""
        warn(self.warnings, self._category)
        return self

    @property
    def summary(self) -> dict[str, Any]:
        return self._kept["summary"]  # type: ignore[no-any-return]

    @property
    def warnings(self) -> tuple[str, ...]:
        return self._kept["warnings"]  # type: ignore[no-any-return]

    @property
    def tables(self) -> tuple[str, ...]:
        return self._kept["tables"]  # type: ignore[no-any-return]

    @property
    def figures(self) -> tuple[str, ...]:
        return tuple(self._kept["names"][0])

    @property
    def text(self) -> str:
        return self._content("text")

    def _content(self, name: str) -> str:
        """A text of the product, made once."""
        key = f"content {name}"
        if key not in self._kept:
            if self._product is None:
                raise AssertionError("a pickled result holds all its texts")
            made = self._product.text() if name == "text" else self._product.content(name)
            self._kept[key] = made
        return self._kept[key]  # type: ignore[no-any-return]

    def _columns(self, name: str) -> dict[str, Column]:
        key = f"table {name}"
        if key not in self._kept:
            if self._product is None:
                raise AssertionError("a pickled result holds all its tables")
            made = self._product.table(name)
            self._kept[key] = {c: read_only(np.asarray(v)) for c, _, _, v in made}
            self._kept[f"units {name}"] = {c: unit for c, unit, _, _ in made}
            self._kept[f"times {name}"] = {c for c, _, times, _ in made if times}
        return self._kept[key]  # type: ignore[no-any-return]

    def _table_name(self, name: str | None) -> str:
        if name is None:
            return self.tables[0]
        if name not in self.tables:
            raise InputError(f"there is no table {name!r}{suggestion(str(name), self.tables)}; there are {', '.join(self.tables)}")
        return name

    def table(self, name: str | None = None) -> dict[str, Column]:
        """The columns of a table, the first one without `name`."""
        return dict(self._columns(self._table_name(name)))

    def units(self, name: str | None = None) -> dict[str, str]:
        """The units of a table's columns."""
        name = self._table_name(name)
        self._columns(name)
        return dict(self._kept[f"units {name}"])

    def figure(self, name: str | None = None) -> str:
        """A figure as SVG, the first one without `name`."""
        known = self.figures
        if name is None and known:
            name = known[0]
        if name not in known:
            raise InputError(f"there is no figure {name!r}{suggestion(str(name), known)}; there are {', '.join(known)}")
        return self._content(str(name))

    def __getitem__(self, name: str) -> Column:
        """A column of the first table."""
        columns = self._columns(self.tables[0])
        if name not in columns:
            raise InputError(f"there is no column {name!r}{suggestion(str(name), columns)}; there are {', '.join(columns)}")
        return columns[name]

    def __getattr__(self, name: str) -> Column:
        if name.startswith("_"):
            raise AttributeError(name)
        columns = self._columns(self.tables[0]) if self.tables else {}
        if name in columns:
            return columns[name]
        raise AttributeError(f"{type(self).__name__} has no `{name}`{suggestion(name, (*columns, *dir(type(self))))}")

    def __dir__(self) -> list[str]:
        columns = self._columns(self.tables[0]) if self.tables else {}
        return [*super().__dir__(), *(c for c in columns if c.isidentifier())]

    def to_frame(self, name: str | None = None) -> Any:
        """A table as a data frame of pandas, or of polars where there is no pandas."""
        return _frames.frame(self.table(name))

    def report(self, file: str | os.PathLike[str]) -> None:
        """Writes a report for people: one HTML file that needs no network.

        Parameters
        ----------
        file : path-like
            Where to write it.
        """
        FilePath(file).write_text(self._html_page(), encoding="utf-8", newline="\n")

    def _html_page(self) -> str:
        pages: list[str] = self._kept["names"][1]
        if pages:
            return self._content(pages[0])
        from html import escape

        title = escape(str(self.summary.get("model", {}).get("title") or type(self).__name__))
        figures = "\n".join(self.figure(name) for name in self.figures)
        warned = "".join(f"<li>{escape(w)}</li>" for w in self.warnings)
        return (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>\n'
            f"<body><h1>{title}</h1>\n<ul>{warned}</ul>\n{figures}\n<pre>{escape(self.text)}</pre></body></html>\n"
        )

    def write(self, folder: str | os.PathLike[str], *, format: str | None = None) -> None:
        """Writes everything that the command line writes: summary, tables, figures and pages.

        Parameters
        ----------
        folder : path-like
            Where to; it is made if it is not there.
        format : {"csv", "parquet"}, optional
            Format of the tables; CSV without it, and both for fleets.
        """
        if format not in (None, "csv", "parquet"):
            raise InputError(f"`format` is {format!r}; expected \"csv\" or \"parquet\"")
        formats = self._formats if format is None else [format]
        to = FilePath(folder)
        to.mkdir(parents=True, exist_ok=True)
        figures, pages, documents = self._kept["names"]
        files: list[tuple[str, Callable[[], str | bytes]]] = []
        for suffix, names in (("svg", figures), ("html", pages), ("json", documents)):
            files += [(f"{name}.{suffix}", lambda name=name: self._once(name)) for name in names]  # type: ignore[misc]
        if "csv" in formats:
            files += [(f"{name}.csv", lambda name=name: self._csv(name)) for name in self.tables]  # type: ignore[misc]
        if "parquet" in formats:
            files += [(f"{name}.parquet", lambda name=name: self._parquet(name)) for name in self.tables]  # type: ignore[misc]
        # The summary comes last: where it is, the others are whole.
        files.append(("summary.json", lambda: json.dumps(self.summary, indent=2, ensure_ascii=False) + "\n"))
        for name, make in files:
            made = make()
            # No file is ever seen half written. The temporary one is new: a link of its name would not be followed.
            temporary = to / f".{name}.{secrets.token_hex(8)}.new"
            with open(temporary, "xb") as file:
                try:
                    file.write(made if isinstance(made, bytes) else made.encode())
                except BaseException:
                    temporary.unlink(missing_ok=True)
                    raise
            try:
                os.replace(temporary, to / name)
            finally:
                temporary.unlink(missing_ok=True)

    def _once(self, name: str) -> str:
        """A text of the product that is not kept, for there may be many."""
        if f"content {name}" in self._kept or self._product is None:
            return self._content(name)
        return self._product.content(name)

    @property
    def _formats(self) -> list[str]:
        """In which formats tables are usually written."""
        return ["csv"]

    def _parquet(self, name: str) -> bytes:
        columns, units = self.table(name), self.units(name)
        times = self._kept[f"times {name}"]
        return _parquet.written(name, [(c, units[c], c in times, values) for c, values in columns.items()])

    def _csv(self, name: str) -> str:
        key = f"csv {name}"
        if key not in self._kept:
            if self._product is None:
                raise AssertionError("a pickled result holds all its tables")
            self._kept[key] = self._product.csv(name)
        return self._kept[key]  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        rows = len(next(iter(self._columns(self.tables[0]).values()), ())) if self.tables else 0
        warned = f", {len(self.warnings)} warning{'s' * (len(self.warnings) > 1)}" if self.warnings else ""
        return f"<{type(self).__name__}: {rows} rows of {', '.join(self._columns(self.tables[0])) if self.tables else 'nothing'}{warned}>"

    def _repr_html_(self) -> str:
        from html import escape

        figure = self.figure() if self.figures else ""
        warned = "".join(f"<li>{escape(w)}</li>" for w in self.warnings)
        return f"<div><p><code>{escape(repr(self))}</code></p>{figure}{f'<ul>{warned}</ul>' if warned else ''}</div>"

    def __getstate__(self) -> Mapping[str, Any]:
        # The copy has no product behind it: it holds all that the product can give.
        figures, pages, documents = self._kept["names"]
        for name in ("text", *figures, *pages, *documents):
            self._content(name)
        for name in self.tables:
            self._columns(name)
            self._csv(name)
        return {**self.__dict__, "_product": None}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
