"""Records of a fleet in memory, as the tables and the fleet file that are read."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from ._arguments import Array, described, flag, number, numbers, seconds, text
from ._calibrate import RECORD, bearing_document, named
from ._errors import ARGUMENTS, InputError
from ._stickslip import Document

#: What the table of bearings is called in messages.
BEARINGS = "bearings"
#: Dates are counted from here.
_EPOCH = np.datetime64(0, "us")

#: The columns of a table, or its text.
_Table = Union["list[tuple[str, Any]]", str]


def document_of(records: Any, names: Mapping[str, Any], options: Mapping[str, Any]) -> Document:
    """The fleet file of records in memory, whose columns have these `names`, with `options` of the fit."""
    given = dict(options)
    stiffness = {key: given.pop(key) for key in ("bearing_stiffness", "bearing_stiffness_error") if isinstance(given.get(key), Mapping)}
    form, tables, dated = _tables(records, names)
    whole = bearing_document(_EPOCH if dated else None, **given)
    data = whole["data"]
    title = data.pop("title")
    if dated:
        del data["time_unit"]
    data["response_unit"] = text("response_unit", names["response_unit"])
    data["drive_unit"] = text("drive_unit", names["drive_unit"])
    del data["response"]
    data.update(form)
    if stiffness:
        tables[BEARINGS] = _known(stiffness)
        whole["bearings"] = {"file": BEARINGS}
    rate = names["false_discoveries"]
    whole["fleet"] = {
        "changes": flag("changes", names["changes"]),
        "false_discoveries": None if rate is None else number("false_discoveries", rate),
    }
    plain = {table: {key: value for key, value in keys.items() if value is not None} for table, keys in whole.items()}
    return Document(ARGUMENTS, {**({} if title is None else {"title": title}), **plain}, "", {}, tables)


def _tables(records: Any, names: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, _Table], bool]:
    """What `[data]` says of the tables, the tables by their names, and whether their times are dates."""
    time, drive, response, bearing = (names[key] for key in ("time", "drive", "response", "bearing"))
    columns = {"time": time or "time", "drive": drive or "temperature"}
    if isinstance(response, Sequence) and not isinstance(response, str):
        if bearing is not None:
            raise InputError("`bearing` was given with a list of columns in `response`, one for each bearing; expected one of them")
        wide = [text(f"response[{i}]", column) for i, column in enumerate(response)]
        if not wide:
            raise InputError("`response` is an empty list; expected the column of each bearing")
        found = named(records, **columns, **{f"response[{i}]": column for i, column in enumerate(wide)})
        values = {"temperature": found["drive"], **{c: found[f"response[{i}]"] for i, c in enumerate(wide)}}
        table, dated = _table(values, found["time"], "")
        return {"responses": wide, "file": RECORD}, {RECORD: table}, dated
    columns["response"] = response or "displacement"
    tables: dict[str, _Table] = {}
    dates: set[bool] = set()
    for name, record in _each(records, columns, bearing):
        if name == BEARINGS:
            raise InputError(f"a bearing is called {name!r}, as the table of what is known of the bearings is; expected another name")
        where = f" of the bearing {name!r}"
        tables[name], dated = _table({"temperature": record["drive"], "displacement": record["response"]}, record["time"], where)
        dates.add(dated)
    if not tables:
        raise InputError("`records` holds no bearing")
    if len(dates) > 1:
        raise InputError("the times of some bearings are dates and those of others numbers; expected the same kind of times for all")
    return {"response": "displacement", "file": list(tables)}, tables, dates.pop()


def _each(records: Any, columns: Mapping[str, str], bearing: str | None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Time, drive and response of each bearing."""
    if bearing is not None:
        found = named(records, bearing=text("bearing", bearing), **columns)
        labels = found.pop("bearing")
        labels = np.asarray(labels.to_numpy() if hasattr(labels, "to_numpy") else labels)
        arrays = {key: np.asarray(values) for key, values in found.items()}
        places: dict[str, list[int]] = {}
        for i, label in enumerate(labels.tolist()):
            if label is None or label != label or label == "":
                raise InputError(f"`{bearing}[{i}]` names no bearing; expected a name or a number in every row: drop such rows")
            places.setdefault(str(label), []).append(i)
        for name, at in places.items():
            yield name, {key: values[at] for key, values in arrays.items()}
        return
    if not isinstance(records, Mapping):
        raise InputError(
            f"`records` is {described(records)}; expected the path of a fleet file, a frame with `bearing`, the column that names the bearing "
            "of each row, a frame with a list of columns in `response`, or a dictionary from names to records"
        )
    for key, record in records.items():
        name = str(key)
        if isinstance(record, (tuple, list)):
            if len(record) != 3:
                raise InputError(f"the record of the bearing {name!r} has {len(record)} parts; expected three: (time, drive, response)")
            yield name, dict(zip(("time", "drive", "response"), record))
        elif record is None or np.isscalar(record) or isinstance(record, np.ndarray) and record.dtype.names is None:
            raise InputError(
                f"the record of the bearing {name!r} is {described(record)}; expected (time, drive, response), or a frame with such columns"
            )
        else:
            yield name, named(record, **columns)


def _table(columns: Mapping[str, Any], times: Any, where: str) -> tuple[_Table, bool]:
    """A table of these columns, and whether its times are dates."""
    t, origin = seconds(f"time{where}", times, _EPOCH)
    if not np.isfinite(t).all():
        row = int(np.flatnonzero(~np.isfinite(t))[0])
        raise InputError(f"`time[{row}]`{where} is {t[row]!r}; expected a finite number of seconds")
    time: Array | npt.NDArray[np.int64] = t if origin is None else np.round(t * 1e6).astype(np.int64)
    table: list[tuple[str, Any]] = [("time", time)]
    for name, values in columns.items():
        found = numbers(f"{name}{where}", values)
        if len(found) != len(t):
            raise InputError(f"`{name}`{where} holds {len(found)} numbers and `time` {len(t)}; expected as many: NaN marks a missing value")
        table.append((name, found))
    return table, origin is not None


def _known(stiffness: Mapping[str, Mapping[str, Any]]) -> str:
    """What is known of each bearing, as the text of a table."""
    names = list(dict.fromkeys(name for values in stiffness.values() for name in values))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["bearing", *stiffness])
    for name in names:
        known = (values.get(name) for values in stiffness.values())
        writer.writerow([name, *("" if value is None else repr(number("bearing_stiffness", value)) for value in known)])
    return out.getvalue()
