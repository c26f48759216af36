#!/usr/bin/env python3
"""Mutation testing of the checker of certificates: changes of its source, each of which must let a forgery through or reject an honest one.

    pip install python-flint
    python tools/mutate_checker.py [COUNT [SEED]]

A change that nothing notices is either of no effect on what is proved (it rejects later, or for another reason), or a check that no forgery
tests. All changes without COUNT; so many, drawn by chance, with it. Changes run on all processors, each within limits of time and memory, and
what became of each is printed as soon as it is known.
"""
import ast
import importlib
import importlib.util
import multiprocessing
import os
import random
import resource
import sys
from multiprocessing.connection import wait
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKER = HERE.parent / "crates" / "stickslip-python" / "python" / "stickslip_checker"
FILES = ("form", "model", "common", "oscillator", "cascade", "impact")

#: A change may make the checker loop, or compute with ever more digits: then it is noticed. The time is that of the processor, so that a
#: machine with much else to do does not take a slow change for a loop.
SECONDS = 600
MEMORY = 3 << 30

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
        change.visit(ast.parse((CHECKER / f"{name}.py").read_text()))
        for i in range(change.count):
            yield name, i


def drawn(job):
    """Some forgeries of a kind."""
    kind, name, certificate = job
    made = list(importlib.import_module("forge_certificates").forgeries(kind, name, certificate))
    return [content() for _, content in random.Random(name).sample(made, min(DRAWN, len(made)))]


def forged():
    """The honest certificates and the forgeries, made by the checker as it is."""
    sys.path[:0] = [str(HERE), str(CHECKER.parent)]
    forge = importlib.import_module("forge_certificates")
    jobs = [(kind, name, certificate) for name, certificate in forge.honest().items() for kind in forge.KINDS]
    with multiprocessing.Pool() as pool:
        tried = [content for made in pool.imap(drawn, jobs) for content in made]
    random.Random(0).shuffle(tried)
    return [path.read_bytes() for path in forge.HONEST.values()], tried, forge.FILES


def tried(job):
    """What notices a change; nothing if it lives."""
    name, number = job
    path = CHECKER / f"{name}.py"
    change = Change(number)
    tree = ast.fix_missing_locations(change.visit(ast.parse(path.read_text())))
    # This process is a copy of its own: nothing else sees the change.
    for module in [m for m in sys.modules if m in ("check_certificate", "forge_certificates") or m.startswith("stickslip_checker")]:
        del sys.modules[module]
    if name != "common":
        importlib.import_module("stickslip_checker.common")
    spec = importlib.util.spec_from_file_location(f"stickslip_checker.{name}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[f"stickslip_checker.{name}"] = module
    try:
        exec(compile(tree, str(path), "exec"), module.__dict__)  # noqa: S102
        importlib.import_module("stickslip_checker")
        setattr(sys.modules["stickslip_checker"], name, module)
        checker = importlib.import_module("check_certificate")
        for content in HONEST:
            try:
                checker.proved(content, SAMPLES)
            except checker.Rejected as why:
                return change.what, f"an honest certificate is rejected: {why}"
        for what, refused, must_be in importlib.import_module("forge_certificates").undecided():
            if refused != must_be:
                return change.what, f"{what}: refused is {refused}"
        for content in FORGED:
            try:
                checker.proved(content, SAMPLES)
            except checker.Rejected:
                continue
            return change.what, "a forgery is proved"
    except Exception as wrong:  # noqa: BLE001
        return change.what, f"it fails: {wrong!r}"
    return change.what, None


class Trial:
    """A change that is tried in a process of its own, which neither a loop nor a crash can keep."""

    def __init__(self, job):
        self.job = job
        self.receive, send = multiprocessing.Pipe(duplex=False)
        self.process = multiprocessing.Process(target=self.work, args=(send,))
        self.process.start()
        # From here on only the process holds this end: when it ends, however it does, the other end says so.
        send.close()

    def work(self, send):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        # What a crash of the arithmetic prints is of no interest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
        send.send(tried(self.job))

    def found(self):
        """Which file, what was changed, and what noticed it."""
        name, number = self.job
        try:
            found = self.receive.recv()
        except EOFError:
            found = f"change {number}", "it does not end, or ends the checker"
        self.process.join()
        self.process.close()
        self.receive.close()
        return name, *found


def outcomes(jobs, at_once):
    """What became of each job, in the order in which they end. One thread alone starts processes: a copy of a process with several may
    begin with a lock that nobody will open."""
    waiting, running = list(reversed(jobs)), []
    while waiting or running:
        while waiting and len(running) < at_once:
            running.append(Trial(waiting.pop()))
        wait([trial.receive for trial in running])
        for trial in [t for t in running if t.receive.poll()]:
            running.remove(trial)
            yield trial.found()


def main():
    global HONEST, FORGED, SAMPLES
    multiprocessing.set_start_method("fork")
    HONEST, FORGED, SAMPLES = forged()
    print(f"{len(HONEST)} honest certificates, {len(FORGED)} forgeries", flush=True)
    jobs = list(changes())
    total = len(jobs)
    if len(sys.argv) > 1:
        seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
        jobs = random.Random(seed).sample(jobs, min(int(sys.argv[1]), total))
    lived = []
    for done, (name, what, why) in enumerate(outcomes(jobs, os.cpu_count() or 1), 1):
        print(f"{done:4} of {len(jobs)}: {name}.py, {what}: {why or 'LIVES'}", flush=True)
        if why is None:
            lived.append(f"{name}.py, {what}")
    print("Not noticed:", *sorted(lived), sep="\n")
    print(f"{len(jobs)} of {total} changes, {len(FORGED)} forgeries: {len(jobs) - len(lived)} noticed, {len(lived)} not ({100 * (1 - len(lived) / len(jobs)):.1f} %)")


if __name__ == "__main__":
    main()
