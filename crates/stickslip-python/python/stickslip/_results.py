"""The results of larger runs: a summary, tables, figures and pages."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Union

import numpy as np
import numpy.typing as npt

from . import _folder, _frames, _parquet
from ._arguments import flag, path_of, read_only
from ._errors import InputError, MotionWarning, StickslipWarning, suggestion, warn
from ._stickslip import Folder, Product, plain, write_file

if TYPE_CHECKING:
    from typing_extensions import Self

#: Called with the number of parts that are done and of all parts; or True, for a bar by tqdm.
Progress = Union[bool, Callable[[int, int], object], None]

Column = npt.NDArray[Any]


def progress_of(progress: Progress) -> Callable[[int, int], object] | None:
    """The function that receives the progress of a run."""
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
    """The result of a run.

    The columns of its first table are attributes, as arrays of numbers or texts.

    Attributes
    ----------
    summary : dict
        The problem, how it was solved, and the main results.
    tables : tuple of str
        Names of the tables, which `table` returns.
    warnings : tuple of str
        The warnings about this result.
    figures : tuple of str
        Names of the figures, which `figure` returns as SVG.
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
        self._kept["inputs"] = [os.path.abspath(name) for name in product.inputs]
        self._kept["warnings"] = tuple(dict.fromkeys([*self.summary.get("warnings", []), *product.remarks()]))

    def _told(self) -> Self:
        """Issues the warnings of this result, and returns it."""
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
        """A text of the product, which is made once and kept."""
        key = f"content {name}"
        if key not in self._kept:
            if self._product is None:
                raise AssertionError("a pickled result holds all its texts")
            made = plain(self._product.text()) if name == "text" else self._product.content(name)
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
        """The columns of a table; by default of the first one."""
        return dict(self._columns(self._table_name(name)))

    def units(self, name: str | None = None) -> dict[str, str]:
        """The units of the columns of a table."""
        name = self._table_name(name)
        self._columns(name)
        return dict(self._kept[f"units {name}"])

    def figure(self, name: str | None = None) -> str:
        """A figure as SVG; by default the first one."""
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
        """A table as a data frame: pandas if it is installed, otherwise Polars."""
        return _frames.frame(self.table(name))

    def report(self, file: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes a report as a single HTML file that needs no network connection.

        Parameters
        ----------
        file : path-like
            File to write.
        overwrite : bool, optional
            Whether to replace another existing file. Symbolic links are never followed, and input files are never replaced.

        Raises
        ------
        FileError
            If something else exists at this path, or the file cannot be written.
        """
        write_file(path_of("file", file), self._html_page().encode(), self._kept["inputs"], flag("overwrite", overwrite))

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

        All files appear at the same moment. Files that neither this package nor the program has written are never
        replaced or removed, and symbolic links are never followed. The folder may be empty, contain files with other
        names, or contain earlier results of the same command, which are replaced; they are recognised by the file
        ``.stickslip``.

        Parameters
        ----------
        folder : path-like
            The folder; it is created if it does not exist.
        format : {"csv", "parquet"}, optional
            Format of the tables; by default CSV, for fleets both.

        Raises
        ------
        FileError
            If the folder contains results of another command, a foreign file with the name of a result, or results that
            were changed since; if another run is writing to it; or if it cannot be written.
        """
        if format not in (None, "csv", "parquet"):
            raise InputError(f"`format` is {format!r}; expected \"csv\" or \"parquet\"")
        formats = self._formats if format is None else [format]
        with _folder.opened(folder, self._command) as opened:
            self._write_into(opened, formats)

    @property
    def _command(self) -> str:
        """The command of the program that writes the same files."""
        return str(self.summary["command"])

    def _write_into(self, folder: Folder, formats: Sequence[str]) -> None:
        """Writes everything to a folder that has been checked. The files appear at the end."""
        figures, pages, documents = self._kept["names"]
        for name in self.tables:
            if "csv" in formats:
                folder.write(f"{name}.csv", self._csv(name).encode())
            if "parquet" in formats:
                folder.write(f"{name}.parquet", self._parquet(name))
        for suffix, names in (("json", documents), ("svg", figures), ("html", pages)):
            for name in names:
                folder.write(f"{name}.{suffix}", self._once(name).encode())
        summary = {**self.summary, "files": folder.names}
        folder.write("summary.json", (json.dumps(summary, indent=2, ensure_ascii=False) + "\n").encode())
        folder.commit(self._kept["inputs"])

    def _once(self, name: str) -> str:
        """A text of the product, which is not kept because there may be many."""
        if f"content {name}" in self._kept or self._product is None:
            return self._content(name)
        return self._product.content(name)

    @property
    def _formats(self) -> list[str]:
        """The default formats of tables."""
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
        columns = ", ".join(self._columns(self.tables[0])) if self.tables else "nothing"
        return plain(f"<{type(self).__name__}: {rows} rows of {columns}{warned}>")

    def _repr_html_(self) -> str:
        from html import escape

        figure = self.figure() if self.figures else ""
        warned = "".join(f"<li>{escape(plain(w))}</li>" for w in self.warnings)
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
