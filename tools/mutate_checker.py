#!/usr/bin/env python3
"""Mutation testing of the checker of certificates: changes of its source, each of which must let a forgery through or reject an honest one.

    pip install python-flint
    python tools/mutate_checker.py [COUNT [SEED]]

A change that nothing notices is either of no effect on what is proved (it rejects later, or for another reason), or a check that no forgery
tests. All changes without COUNT; so many, drawn by chance, with it. Changes run on all processors.
"""
import ast
import importlib
import importlib.util
import multiprocessing
import os
import random
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
FILES = ("form", "model", "common", "oscillator", "cascade", "impact")

#: A change may make the checker loop: then it is noticed.
SECONDS = 600

#: Forgeries of each kind and honest certificate.
DRAWN = 12


class Change(ast.NodeTransformer):
    """Makes the change number `wanted`, counting those that could be made."""

    def __init__(self, wanted=-1):
        self.wanted, self.count, self.what = wanted, 0, None

    def here(self, what, node):
        self.count += 1
        if self.count - 1 == self.wanted:
            self.what = f"line {node.lineno}: {what}"
            return True
        return False

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "require":
            why = ast.unparse(node.args[1])[:60]
            if self.here(f"nothing is required: {why}", node):
                node.args[0] = ast.copy_location(ast.Constant(True), node)
        return node

    def visit_Compare(self, node):
        self.generic_visit(node)
        for i, op in enumerate(node.ops):
            other = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}.get(type(op))
            if other and self.here(f"{type(op).__name__} becomes {other.__name__} in {ast.unparse(node)[:60]}", node):
                node.ops[i] = other()
        return node

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        other = ast.Or if isinstance(node.op, ast.And) else ast.And
        if self.here(f"{type(node.op).__name__} becomes {other.__name__} in {ast.unparse(node)[:60]}", node):
            node.op = other()
        return node

    def visit_BinOp(self, node):
        self.generic_visit(node)
        other = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}.get(type(node.op))
        if other and not any(isinstance(n, ast.Constant) and isinstance(n.value, str) for n in ast.walk(node)):
            if self.here(f"{type(node.op).__name__} becomes {other.__name__} in {ast.unparse(node)[:60]}", node):
                node.op = other()
        return node

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, (ast.USub, ast.Not)) and not isinstance(node.operand, ast.Constant):
            if self.here(f"without {type(node.op).__name__}: {ast.unparse(node)[:60]}", node):
                return node.operand
        return node


def changes():
    for name in FILES:
        change = Change()
        change.visit(ast.parse((HERE / "certificates" / f"{name}.py").read_text()))
        for i in range(change.count):
            yield name, i


def forged():
    """The honest certificates and the forgeries, made by the checker as it is."""
    sys.path.insert(0, str(HERE))
    forge = importlib.import_module("forge_certificates")
    tried = []
    for name, certificate in forge.honest().items():
        for kind in forge.KINDS:
            made = list(forge.forgeries(kind, name, certificate))
            tried += random.Random(name).sample(made, min(DRAWN, len(made)))
    random.Random(0).shuffle(tried)
    return [path.read_bytes() for path in forge.HONEST.values()], [content for _, content in tried], forge.FILES


def tried(job):
    """What notices a change; nothing if it lives."""
    name, number = job
    signal.alarm(SECONDS)
    path = HERE / "certificates" / f"{name}.py"
    change = Change(number)
    tree = ast.fix_missing_locations(change.visit(ast.parse(path.read_text())))
    # This process is a copy of its own: nothing else sees the change.
    for module in [m for m in sys.modules if m == "check_certificate" or m.startswith("certificates")]:
        del sys.modules[module]
    if name != "common":
        importlib.import_module("certificates.common")
    spec = importlib.util.spec_from_file_location(f"certificates.{name}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[f"certificates.{name}"] = module
    try:
        exec(compile(tree, str(path), "exec"), module.__dict__)  # noqa: S102
        importlib.import_module("certificates")
        setattr(sys.modules["certificates"], name, module)
        checker = importlib.import_module("check_certificate")
        for content in HONEST:
            try:
                checker.proved(content, SAMPLES)
            except checker.Rejected as why:
                return change.what, f"an honest certificate is rejected: {why}"
        for content in FORGED:
            try:
                checker.proved(content, SAMPLES)
            except checker.Rejected:
                continue
            return change.what, "a forgery is proved"
    except Exception as wrong:  # noqa: BLE001
        return change.what, f"it fails: {wrong!r}"
    return change.what, None


def one(job):
    """In a process of its own, which a loop cannot keep."""
    receive, send = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=lambda: send.send(tried(job)))
    process.start()
    process.join(SECONDS)
    if process.is_alive():
        process.kill()
    found = receive.recv() if receive.poll() else (f"change {job[1]}", "it does not end")
    return job[0], *found


def main():
    global HONEST, FORGED, SAMPLES
    multiprocessing.set_start_method("fork")
    HONEST, FORGED, SAMPLES = forged()
    jobs = list(changes())
    total = len(jobs)
    if len(sys.argv) > 1:
        seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
        jobs = random.Random(seed).sample(jobs, min(int(sys.argv[1]), total))
    lived = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, what, why in pool.map(one, jobs):
            if why is None:
                lived.append(f"{name}.py, {what}")
    print(*sorted(lived), sep="\n")
    print(f"{len(jobs)} of {total} changes, {len(FORGED)} forgeries: {len(jobs) - len(lived)} noticed, {len(lived)} not ({100 * (1 - len(lived) / len(jobs)):.1f} %)")


if __name__ == "__main__":
    main()
