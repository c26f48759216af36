"""Runs that may be split into parts for the workers of an executor."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ._arguments import described
from ._errors import Error, InputError, suggestion
from ._model import Model
from ._results import Progress, progress_of
from ._stickslip import Product
from ._stickslip import run as run_

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

T = TypeVar("T")

#: Parts of a run for each worker: a few, so that none waits long for the last one.
PARTS_PER_WORKER = 4
#: How often a part is handed out before its worker's failure is taken for its own.
_ATTEMPTS = 3


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


#: Arguments of Python by their keys in a model file.
_KEYS = {"x0": "initial.displacement", "v0": "initial.velocity", "lambda_": "penalty.lambda", "t_end": "run.end"}


def key_of(name: str, model: Model, key: object) -> str:
    """Checks a key of the model file, such as ``oscillator.stiffness``. For an unknown key the error suggests one."""
    if not isinstance(key, str):
        raise InputError(f"`{name}` is {described(key)}; expected a key such as \"{model.kind}.mass\"")
    if key.startswith((f"{model.kind}.", "run.")):
        return key
    known = _paths(model.to_dict()[model.kind], model.kind)
    meant = f"{model.kind}.{_KEYS[key]}" if key in _KEYS and key != "t_end" else None
    ends = [k for k in known if k.endswith(f".{key}")]
    near = f"; did you mean `{meant or ends[0]}`?" if meant or ends else suggestion(key, known)
    if not near:
        near = suggestion(f"{model.kind}.{key}", known)
    shown = described(key) if len(key) > 40 else f"`{key}`"
    error = InputError(f"`{name}` names {shown}, which is no key of this model{near}")
    error.help = f"its numbers are {', '.join(known[:12])}{', …' if len(known) > 12 else ''}"
    raise error


def _paths(it: Any, path: str) -> list[str]:
    """The keys of all numbers in a table."""
    if isinstance(it, Mapping):
        return [p for k, v in it.items() for p in _paths(v, f"{path}.{k}")]
    if isinstance(it, (list, tuple)):
        return [p for i, v in enumerate(it) for p in _paths(v, f"{path}.{i}")]
    return [path] if isinstance(it, (int, float)) and not isinstance(it, bool) else []


def share(count: int, parts: int) -> list[tuple[int, int]]:
    """`count` items in about equal ranges."""
    edges = [count * i // parts for i in range(parts + 1)]
    return [(a, b) for a, b in zip(edges, edges[1:]) if a < b]


def workers(executor: Executor) -> int:
    """The number of workers of an executor, as far as the executor tells."""
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


def run_parts(
    executor: Executor,
    work: Callable[..., T],
    parts: Sequence[tuple[Any, ...]],
    progress: Progress,
    weights: Sequence[int],
) -> list[T]:
    """`work` of the arguments of each part, on the workers of an executor; the results in order of the parts.

    The result of a part depends on its arguments only. A part that was lost with its worker is therefore run again,
    with the same result bit for bit. If a part fails, or on Ctrl-C, the others are cancelled.
    """
    tell = progress_of(progress)
    done, total, out = 0, sum(weights), []
    futures: list[Future[T]] = []
    try:
        for part in parts:
            futures.append(executor.submit(work, *part))
        for i, (part, weight) in enumerate(zip(parts, weights)):
            for attempt in range(1, _ATTEMPTS + 1):
                try:
                    out.append(futures[i].result())
                    break
                except Error:
                    # What is wrong with the model is wrong with it on every worker.
                    raise
                except Exception as e:
                    if attempt == _ATTEMPTS or not _may_pass(e):
                        raise
                    futures[i] = executor.submit(work, *part)
            done += weight
            if tell:
                tell(done, total)
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    return out


def _may_pass(e: Exception) -> bool:
    """Whether an exception may come from the worker and not from the computation."""
    from concurrent.futures import BrokenExecutor, CancelledError

    # A pool that is broken takes no more work; what cannot be pickled will not be the next time either.
    if isinstance(e, (BrokenExecutor, AttributeError, TypeError, ValueError, ArithmeticError, LookupError)):
        return False
    return isinstance(e, (OSError, CancelledError, EOFError)) or type(e).__module__.partition(".")[0] != "builtins"


def check_executor(executor: object) -> None:
    if not hasattr(executor, "submit"):
        raise InputError(f"`executor` is {described(executor)}; expected an executor as those of concurrent.futures")
