"""Larger runs: here, or in parts on the workers of an executor."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ._arguments import described
from ._errors import InputError
from ._model import Model
from ._results import Progress, progress_of
from ._stickslip import Product
from ._stickslip import run as run_

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

T = TypeVar("T")

#: Parts of a run for each worker: a few, so that none waits long for the last one.
PARTS_PER_WORKER = 4


def values_of(chosen: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    return {f"run.{key}": value for key, value in chosen}


def run_model(
    what: str,
    model: Model,
    chosen: tuple[tuple[str, Any], ...],
    options: Mapping[str, Any],
    progress: Progress = None,
) -> Product:
    return run_(what, model._checked, values_of(chosen), dict(options), progress_of(progress))


def share(count: int, parts: int) -> list[tuple[int, int]]:
    """`count` items in about equal ranges."""
    edges = [count * i // parts for i in range(parts + 1)]
    return [(a, b) for a, b in zip(edges, edges[1:]) if a < b]


def workers(executor: Executor) -> int:
    """How many workers an executor has; executors do not have to say it."""
    for name in ("_max_workers", "max_workers"):
        found = getattr(executor, name, None)
        if isinstance(found, int) and found > 0:
            return found
    client = getattr(executor, "_client", None)
    if client is not None:
        try:
            return max(1, int(sum(client.nthreads().values())))
        except Exception:  # noqa: BLE001 - a client that cannot say it is no reason to fail
            pass
    return os.cpu_count() or 1


def in_order(futures: Sequence[Future[T]], progress: Progress, weights: Sequence[int]) -> list[T]:
    """The results of all parts, in order; the others are given up when one fails or Ctrl-C comes."""
    tell = progress_of(progress)
    done, total, out = 0, sum(weights), []
    try:
        for future, weight in zip(futures, weights):
            out.append(future.result())
            done += weight
            if tell:
                tell(done, total)
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    return out


def check_executor(executor: object) -> None:
    if not hasattr(executor, "submit"):
        raise InputError(f"`executor` is {described(executor)}; expected an executor as those of concurrent.futures")
