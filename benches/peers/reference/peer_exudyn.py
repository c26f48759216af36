"""Exudyn: `CoordinateSpringDamperExt` with its bristle friction and limit stops, and the implicit solver that it recommends."""

from __future__ import annotations

import math

import exudyn as exu
import numpy as np
from exudyn.utilities import (
    CoordinateSpringDamper, CoordinateSpringDamperExt, LoadCoordinate, MarkerNodeCoordinate, Mass1D, Node1D, NodeGenericData,
    NodePointGround, SensorNode,
)

from cases import Unsupported

PACKAGES = ["exudyn"]
MOST_STEPS = 600_000
FAR = 1e6


class Model:
    """Masses on a line, and their markers."""

    def __init__(self, masses, x0, v0):
        self.system = exu.SystemContainer().AddSystem()
        add = self.system
        ground = add.AddNode(NodePointGround())
        self.ground = add.AddMarker(MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
        self.nodes, self.markers = [], []
        for m, x, v in zip(masses, x0, v0):
            node = add.AddNode(Node1D(referenceCoordinates=[0.0], initialCoordinates=[x], initialVelocities=[v]))
            add.AddObject(Mass1D(physicsMass=m, nodeNumber=node))
            self.nodes.append(node)
            self.markers.append(add.AddMarker(MarkerNodeCoordinate(nodeNumber=node, coordinate=0)))

    def slider(self, ends, start, heading, dynamic, over, decay, viscous, bristle, mass, stops=None):
        # It slips in the direction of its first velocity, or its bristle is relaxed where the mass starts.
        data = self.system.AddNode(NodeGenericData(initialCoordinates=[float(np.sign(heading)), start, 0.0], numberOfDataCoordinates=3))
        more = {}
        if stops:
            lower, upper, stiffness, damping = stops
            more = dict(useLimitStops=True, limitStopsLower=lower, limitStopsUpper=upper, limitStopsStiffness=stiffness,
                        limitStopsDamping=damping)
        self.system.AddObject(CoordinateSpringDamperExt(
            markerNumbers=ends, nodeNumber=data, dynamicFrictionForce=dynamic, staticFrictionOffsetForce=over,
            exponentialDecayStatic=decay, viscousFrictionFactor=viscous, stickingStiffness=bristle,
            stickingDamping=2 * math.sqrt(bristle * mass), frictionProportionalZone=0.0, **more))

    def load(self, marker, function):
        self.system.AddLoad(LoadCoordinate(markerNumber=marker, load=1.0, loadUserFunction=lambda mbs, t, load: function(t)))

    def solve(self, end, step, times):
        kinds = (exu.OutputVariableType.Coordinates, exu.OutputVariableType.Coordinates_t)
        sensors = [[self.system.AddSensor(SensorNode(nodeNumber=n, storeInternal=True, outputVariableType=k)) for k in kinds] for n in self.nodes]
        self.system.Assemble()
        settings = exu.SimulationSettings()
        settings.timeIntegration.numberOfSteps = round(end / step)
        settings.timeIntegration.endTime = end
        settings.timeIntegration.verboseMode = 0
        settings.timeIntegration.newton.useModifiedNewton = False
        settings.solutionSettings.writeSolutionToFile = False
        settings.solutionSettings.sensorsWritePeriod = step
        settings.timeIntegration.generalizedAlpha.spectralRadius = 0.8
        if not self.system.SolveDynamic(settings, exu.DynamicSolverType.GeneralizedAlpha, showHints=False):
            raise RuntimeError("its solver gave up")
        paths = [[self.system.GetSensorStoredData(s) for s in pair] for pair in sensors]
        return [[(np.interp(t, p[:, 0], p[:, 1]), np.interp(t, q[:, 0], q[:, 1])) for t in times] for p, q in paths]


def oscillator(case, bristle, decay, step):
    law = case.forward
    if case.white:
        raise Unsupported("it has no noise")
    if not case.same or case.normal.harmonics or law.kind in ("ageing", "stribeck") or law.p.get("exponent", 1.0) != 1.0:
        raise Unsupported("its friction is f_d + (f_s − f_d) exp(−|v|/v_s) + η|v| with constant numbers")
    if case.moving_support and case.support.harmonics:
        raise Unsupported("its friction acts between coordinates, and its ground does not shake")
    normal, own = case.normal(0.0), law.kind == "stribeck-exponential"
    stops = case.stops and (case.stops["lower"], case.stops["upper"], *contact(case.m, case.stops["restitution"], step))
    # The frame moves with a support at constant speed.
    speed = case.support(0.0)
    model = Model([case.m], [case.x0], [case.v0 - speed])
    ends = [model.ground, model.markers[0]]
    decays, viscous = (law.p["velocity"], law.p["viscous"]) if own else (decay, 0.0)
    over = (law.static - law.dynamic) * normal
    model.slider(ends, case.x0, case.v0 - speed, law.dynamic * normal, over, decays, viscous, bristle * case.m, case.m, stops)
    if len(case.polynomial) > 1 or speed:
        def spring(mbs, t, item, x, v, k, d, offset):
            return -case.load(t, x + speed * t, v + speed)

        model.system.AddObject(CoordinateSpringDamper(markerNumbers=ends, springForceUserFunction=spring))
    else:
        def applied(t):
            case.hold(t)
            return case.k * case.drive(t) + case.force(t)

        model.system.AddObject(CoordinateSpringDamper(markerNumbers=ends, stiffness=case.k, damping=case.c))
        model.load(model.markers[0], applied)
    (path,) = model.solve(case.end, step, case.times)
    return [("state", t, "", x + speed * t, v + speed) for t, (x, v) in zip(case.times, path)]


def contact(mass, restitution, step):
    """A penalty stiffness for contacts of some twenty steps, and the damping of the restitution."""
    stiffness = mass * (math.pi / (20 * step)) ** 2
    log = math.log(max(restitution, 1e-3))
    return stiffness, 2 * math.sqrt(stiffness * mass) * -log / math.hypot(math.pi, log)


def impact(case, step):
    if any(w.rate for w in case.walls.values()):
        raise Unsupported("its limit stops do not move")
    model = Model([case.m], [case.x0], [case.v0])
    lower = case.walls["lower"](0.0) if "lower" in case.walls else -FAR
    upper = case.walls["upper"](0.0) if "upper" in case.walls else FAR
    model.slider([model.ground, model.markers[0]], case.x0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, case.m, (lower, upper, *contact(case.m, case.e, step)))
    model.system.AddObject(CoordinateSpringDamper(markerNumbers=[model.ground, model.markers[0]], stiffness=case.k, damping=case.c))
    model.load(model.markers[0], case.force)
    (path,) = model.solve(case.end, step, case.times)
    return [("state", t, "", *p) for t, p in zip(case.times, path)]


def network(case, bristle, decay, step):
    model = Model(case.mass, case.x0, case.v0)
    marker = lambda row, sign: next((model.markers[i] for i in np.flatnonzero(row == sign)), model.ground)
    for _, row, static, dynamic in case.sliders:
        m = min(case.mass[np.flatnonzero(row)])
        model.slider([marker(row, -1.0), marker(row, 1.0)], float(row @ case.x0), row @ case.v0, dynamic, static - dynamic, decay, 0.0, bristle * m, m)
    n = len(case.mass)
    for matrix, word in ((case.stiffness, "stiffness"), (case.damping, "damping")):
        for i in range(n):
            for j in range(i + 1, n):
                if matrix[i, j]:
                    model.system.AddObject(CoordinateSpringDamper(markerNumbers=[model.markers[i], model.markers[j]], **{word: -matrix[i, j]}))
            ground = matrix[i].sum()
            if ground:
                model.system.AddObject(CoordinateSpringDamper(markerNumbers=[model.ground, model.markers[i]], **{word: ground}))
    for node, factor, signal in case.loads:
        model.load(model.markers[node], lambda t, factor=factor, signal=signal: factor * signal(t))
    paths = model.solve(case.end, step, case.times)
    return [("state", t, name, *p) for name, path in zip(case.names, paths) for t, p in zip(case.times, path)]


def steps(bristle, decay, step):
    """`bristle` in N/m for each kg, and the speed over which the breakaway force decays."""

    def run(case):
        if case.kind == "cascade":
            raise Unsupported("its elements need masses between them")
        if case.end / step > MOST_STEPS:
            raise TimeoutError(f"more than {MOST_STEPS} steps")
        if case.kind == "oscillator":
            return oscillator(case, bristle, decay, step)
        return impact(case, step) if case.kind == "impact" else network(case, bristle, decay, step)

    return run


PEERS = {"Exudyn, bristles": (False, [steps(1e4, 1e-2, 2e-3), steps(1e6, 1e-3, 5e-4)])}
