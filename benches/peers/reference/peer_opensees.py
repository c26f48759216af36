"""OpenSees: a mass on a zero-length spring and an elastic-plastic element, stepped by Newmark's or the TRBDF2 scheme."""

from __future__ import annotations

import math

import openseespy.opensees as ops

from cases import Unsupported

PACKAGES = ["openseespy"]
MOST_STEPS = 600_000


def friction_of(case):
    law = case.forward if case.kind == "oscillator" else None
    if law is None:
        raise Unsupported("what is set up here is one mass on a zero-length element that yields")
    if case.white:
        raise Unsupported("it has no noise")
    if not case.same or not law.two_forces or law.kind == "ageing" or case.normal.harmonics or case.moving_support:
        raise Unsupported("its yield force is one constant number, against the ground")
    # A mass that never moves needs the limit at rest only.
    if law.static != law.dynamic and case.certified.get("counts", case.report):
        raise Unsupported("its yield force is one number, with no breakaway force above it")
    if len(case.polynomial) > 1 or case.stops:
        raise Unsupported("a case with one friction force and such a spring or stop is not in the set")
    return case.normal(0.0) * law.static


def series(tag, offset, rate, harmonics, factor):
    """Load patterns for a signal times a factor, from the tag on."""
    def pattern(tag):
        ops.pattern("Plain", tag, tag)
        ops.load(2, 1.0)

    if offset:
        ops.timeSeries("Constant", tag, "-factor", factor * offset)
        pattern(tag)
        tag += 1
    if rate:
        ops.timeSeries("Linear", tag, "-factor", factor * rate)
        pattern(tag)
        tag += 1
    for a, w, q in harmonics:
        ops.timeSeries("Trig", tag, 0.0, 1e12, 2 * math.pi / w, "-factor", factor * a, "-shift", q + math.pi / 2)
        pattern(tag)
        tag += 1
    return tag


def steps(scheme, stiffness, step):
    """`stiffness` of the elastic part in N/m for each kg."""

    def run(case):
        limit = friction_of(case)
        if case.end / step > MOST_STEPS:
            raise TimeoutError(f"more than {MOST_STEPS} steps")
        ops.wipe()
        ops.model("basic", "-ndm", 1, "-ndf", 1)
        ops.node(1, 0.0)
        ops.node(2, 0.0)
        ops.fix(1, 1)
        ops.mass(2, case.m)
        elastic = stiffness * case.m
        ops.uniaxialMaterial("ElasticPP", 1, elastic, limit / elastic)
        ops.uniaxialMaterial("Elastic", 2, case.k, case.c)
        ops.uniaxialMaterial("Parallel", 3, 1, 2)
        ops.element("zeroLength", 1, 1, 2, "-mat", 3, "-dir", 1)
        # The displacement is counted from the start, where the element is relaxed.
        tag = series(1, case.drive.offset - case.x0, case.drive.rate, case.drive.harmonics, case.k) if case.k else 1
        series(tag, case.force.offset, case.force.rate, case.force.harmonics, 1.0)
        ops.setNodeVel(2, 1, case.v0, "-commit")
        ops.constraints("Plain")
        ops.numberer("Plain")
        ops.system("BandGeneral")
        ops.test("NormUnbalance", 1e-12, 50)
        ops.algorithm("Newton")
        ops.integrator(*scheme)
        ops.analysis("Transient")
        rows, wanted, before = [], list(case.times), (0.0, case.x0, case.v0)
        while wanted:
            if ops.analyze(1, step):
                raise RuntimeError(f"its Newton iteration failed at t = {before[0]:.6g} s")
            now = (ops.getTime(), case.x0 + ops.nodeDisp(2, 1), ops.nodeVel(2, 1))
            while wanted and wanted[0] <= now[0]:
                s = wanted.pop(0)
                share = (s - before[0]) / (now[0] - before[0])
                rows.append(("state", s, "", *(a + share * (b - a) for a, b in zip(before[1:], now[1:]))))
            before = now
        return rows

    return run


NEWMARK = ("Newmark", 0.5, 0.25)
PEERS = {"OpenSees, ElasticPP": (False, [steps(NEWMARK, 1e4, 2e-3), steps(("TRBDF2",), 1e6, 1e-3), steps(NEWMARK, 1e8, 1e-4)])}
