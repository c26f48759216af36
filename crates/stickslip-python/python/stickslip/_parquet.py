"""Writes tables as Parquet with pyarrow or Polars, whichever is installed. Reading needs neither."""

from __future__ import annotations

import importlib.util
import io
import json
import re
from collections.abc import Sequence
from typing import Any

from ._errors import InputError

#: A column to be written: name, unit, whether its values are times, and the values.
Column = tuple[str, str, bool, Any]

#: How dates in ISO 8601 begin.
_DATE = re.compile(r"\d{4,}-\d\d-\d\d")


def _has(library: str) -> bool:
    return importlib.util.find_spec(library) is not None


def is_there() -> bool:
    """Whether a library that writes Parquet is installed."""
    return _has("pyarrow") or _has("polars")


def written(name: str, columns: Sequence[Column]) -> bytes:
    """A table as the bytes of a Parquet file: typed columns, compressed by zstd, the units in the metadata."""
    units = json.dumps({column: unit for column, unit, _, _ in columns if unit}, ensure_ascii=False)
    metadata = {"units": units, "table": name}
    out = io.BytesIO()
    if _has("pyarrow"):
        _write_by_pyarrow(out, columns, metadata)
    elif _has("polars"):
        _write_by_polars(out, columns, metadata)
    else:
        raise InputError("Parquet was asked for, but there is neither pyarrow nor polars; install one: pip install pyarrow")
    return out.getvalue()


def _zone(times: Any) -> str | None:
    """The zone of times: that of instants, none of calendar times."""
    return "UTC" if any(time.endswith("Z") for time in times.tolist()) else None


def _are_dates(times: Any) -> bool:
    """Whether times are written as dates; those that are counted in seconds stay texts, as the program writes them."""
    return all(_DATE.match(time) for time in times.tolist() if time)


def _write_by_pyarrow(out: io.BytesIO, columns: Sequence[Column], metadata: dict[str, str]) -> None:
    import pyarrow
    import pyarrow.parquet

    arrays = []
    for _, _, times, values in columns:
        if values.dtype.kind == "U":
            array = pyarrow.array([value or None for value in values.tolist()], pyarrow.string())
            array = array.cast(pyarrow.timestamp("us", _zone(values))) if times and _are_dates(values) else array
        else:
            array = pyarrow.array(values, from_pandas=True)
        arrays.append(array)
    table = pyarrow.table(arrays, [column[0] for column in columns]).replace_schema_metadata(metadata)
    pyarrow.parquet.write_table(table, out, compression="zstd")


def _write_by_polars(out: io.BytesIO, columns: Sequence[Column], metadata: dict[str, str]) -> None:
    import polars

    series = []
    for name, _, times, values in columns:
        if values.dtype.kind == "U":
            made = polars.Series(name, [value or None for value in values.tolist()], polars.String)
            made = made.str.to_datetime(time_unit="us", time_zone=_zone(values)) if times and _are_dates(values) else made
        else:
            made = polars.Series(name, values)
            made = made.fill_nan(None) if values.dtype.kind == "f" else made
        series.append(made)
    polars.DataFrame(series).write_parquet(out, compression="zstd", metadata=metadata)
