"""Data frames, from whichever library is installed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._errors import Error


def frame(columns: Mapping[str, Any]) -> Any:
    """A data frame: pandas if it is installed, otherwise Polars."""
    try:
        import pandas
    except ImportError:
        pass
    else:
        return pandas.DataFrame(dict(columns))
    try:
        import polars
    except ImportError:
        raise Error('there is neither pandas nor polars; install one: pip install pandas') from None
    return polars.DataFrame(dict(columns))
