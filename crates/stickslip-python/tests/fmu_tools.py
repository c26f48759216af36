"""What the tests of FMUs share: models, and instances that FMPy drives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import stickslip as ss

fmpy = pytest.importorskip("fmpy")
from fmpy.fmi2 import FMU2Slave  # noqa: E402
from fmpy.fmi3 import FMU3Slave  # noqa: E402

BOTH = pytest.mark.parametrize("fmi", [2, 3])


def shaw(**changes):
    model = ss.Oscillator(
        mass=1, stiffness=1, friction=ss.static_dynamic(1.2, 1.0), drive=ss.harmonic(6.0, 0.5), x0=6.0, v0=0.0
    )
    return model.replace(**changes) if changes else model


def cascade():
    return ss.Cascade(
        mass=1, stiffness=[3.0, 2.0, 1.5, 1.0, 0.7], threshold=[0.5, 0.8, 0.3, 1.1], force=ss.harmonic(2.5, 0.9)
    )


def network(static=0.4, dynamic=0.3, **run):
    """Two masses in a row, one of them on the ground, under a force on the other."""
    return ss.load(
        {
            "network": {
                "node": [{"name": "a", "mass": 1.0, "displacement": 2.0}, {"name": "b", "mass": 2.0}],
                "spring": [{"between": ["a", "b"], "stiffness": 3.0}, {"between": ["b", "ground"], "stiffness": 1.0}],
                "slider": [{"name": "s", "between": ["a", "ground"], "static": static, "dynamic": dynamic}],
                "force": [{"on": "b", "harmonic": {"amplitude": 1.0, "angular_frequency": 1.3}}],
            },
            "run": {"end": 20.0, "scheme": "exact", **run},
        }
    )


def ball():
    return ss.Impact(mass=1, restitution=0.7, wall=0, force=-9.81, x0=1.0)


def exported(model, tmp_path, fmi=2, t_end=40.0, name="model"):
    path = tmp_path / f"{name}{fmi}.fmu"
    ss.export_fmu(model, path, fmi=fmi, t_end=t_end)
    return str(path)


def run(path, **options):
    options.setdefault("fmi_type", "CoSimulation")
    return fmpy.simulate_fmu(path, **options)


class Instance:
    """An instance for co-simulation between 0 and 40 s, its variables by their names."""

    def __init__(self, path, tmp_path, start=True, **options):
        self.folder = str(tmp_path / f"unpacked-{Path(path).stem}-{id(self)}")
        fmpy.extract(path, unzipdir=self.folder)
        self.description = fmpy.read_model_description(path)
        self.references = {v.name: v.valueReference for v in self.description.modelVariables}
        kind = FMU3Slave if self.description.fmiVersion.startswith("3") else FMU2Slave
        self.three = kind is FMU3Slave
        self.messages = []
        self.fmu = kind(
            guid=self.description.guid,
            unzipDirectory=self.folder,
            modelIdentifier=self.description.coSimulation.modelIdentifier,
            instanceName="one",
        )
        self.fmu.instantiate(**options)
        if start:
            self.start()

    def start(self):
        if self.three:
            self.fmu.enterInitializationMode(startTime=0.0, stopTime=40.0)
        else:
            self.fmu.setupExperiment(startTime=0.0, stopTime=40.0)
            self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()

    def get(self, *names):
        read = self.fmu.getFloat64 if self.three else self.fmu.getReal
        return np.array(read([self.references[n] for n in names]))

    def count(self, name):
        read = self.fmu.getInt32 if self.three else self.fmu.getInteger
        return read([self.references[name]])[0]

    def set(self, name, value):
        write = self.fmu.setFloat64 if self.three else self.fmu.setReal
        write([self.references[name]], [value])

    def step(self, at, length):
        return self.fmu.doStep(currentCommunicationPoint=at, communicationStepSize=length)

    def state(self):
        return self.fmu.getFMUState() if self.three else self.fmu.getFMUstate()

    def back(self, state):
        (self.fmu.setFMUState if self.three else self.fmu.setFMUstate)(state)

    def free(self, state):
        (self.fmu.freeFMUState if self.three else self.fmu.freeFMUstate)(state)

    def written(self, state):
        return (self.fmu.serializeFMUState if self.three else self.fmu.serializeFMUstate)(state)

    def read(self, data):
        return (self.fmu.deserializeFMUState if self.three else self.fmu.deSerializeFMUstate)(data)

    def end(self):
        self.fmu.terminate()
        self.fmu.freeInstance()
