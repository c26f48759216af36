"""Mechanical systems with dry friction: exact where the mathematics allows it.

>>> import stickslip as ss
>>> shaw = ss.Oscillator(
...     mass=1, stiffness=1, friction=ss.static_dynamic(1.2, 1.0), drive=ss.harmonic(6.0, 0.5), x0=6.0
... )
>>> path = ss.solve(shaw, t_end=40)
>>> path
<Path of oscillator by exact, 0 … 40 s: 3 × reversal, 4 × slip, 3 × stick>

The models are `Oscillator`, `Cascade`, `Network`, `Impact`, `Planar` and `Element`. `load` reads a model from a file,
and ``model.to_toml()`` writes it to one. Signals such as `harmonic` can be added with ``+``. Friction laws such as
`static_dynamic` give the friction of a contact. All quantities are in SI units.
"""

from . import reference
from ._calibrate import Fits, calibrate, calibrate_all
from ._cursor import Cursor, cursor
from ._ensembles import Ensemble, ensemble, merge
from ._errors import (
    Error,
    FileError,
    InputError,
    KeywordError,
    MotionWarning,
    RecordWarning,
    SchemeError,
    StickslipWarning,
    UnsolvableError,
)
from ._experiments import friction_curve, hysteresis, isolator, pulled_slider, rigid_drive, rock_friction, servo, valve
from ._fleet import Fleet, fleet
from ._fit import Estimate, Fit
from ._fit_model import fit, fit_all
from ._fmu import export_fmu
from ._joint import joint
from ._joint_next import Design, JointMotion, design
from ._laws import (
    Law,
    ageing,
    bouc_wen,
    coulomb,
    cubic,
    dahl,
    directional,
    elasto_plastic,
    law_of,
    lugre,
    maxwell_slip,
    rate_and_state,
    static_dynamic,
    stribeck,
    stribeck_exponential,
    table,
    velocity_strengthening,
)
from ._gradients import Gradient, Outputs, value_and_grad
from ._load import load
from ._machine import controller, gear, stop
from ._many import Motions, solve_many
from ._many_orbits import Orbits, orbit_many
from ._many_responses import Responses, response_many
from ._model import Model
from ._models import Cascade, Corner, Element, Impact, Oscillator, Penalty, Planar, Schatzman, Stops
from ._network import Network, dashpot, node, slider, spring
from ._orbits import Basins, Hunt, Orbit, Response, basins, hunt, orbit, response
from ._path import Energy, Path
from ._sensitivity import EnergyRates, Sensitivity, sensitivity
from ._signals import (
    Signal,
    chirp,
    constant,
    function,
    harmonic,
    kanai_tajimi,
    ornstein_uhlenbeck,
    pulses,
    ramp,
    sampled,
    step,
    trapezoids,
    white,
)
from ._solve import OdeResult, solve, solve_ivp
from ._stickslip import __version__
from ._studies import Convergence, Simulation, Solutions, converge, simulate, solutions
from ._sweeps import Sweep, sweep

__all__ = [
    "Basins",
    "Cascade",
    "Convergence",
    "Corner",
    "Cursor",
    "Design",
    "Element",
    "Energy",
    "EnergyRates",
    "Ensemble",
    "Error",
    "Estimate",
    "FileError",
    "Fit",
    "Fits",
    "Fleet",
    "Gradient",
    "Hunt",
    "Impact",
    "InputError",
    "JointMotion",
    "KeywordError",
    "Law",
    "Model",
    "MotionWarning",
    "Motions",
    "Network",
    "OdeResult",
    "Orbit",
    "Orbits",
    "Oscillator",
    "Outputs",
    "Path",
    "Penalty",
    "Planar",
    "RecordWarning",
    "Response",
    "Responses",
    "Schatzman",
    "SchemeError",
    "Sensitivity",
    "Signal",
    "Simulation",
    "Solutions",
    "StickslipWarning",
    "Stops",
    "Sweep",
    "UnsolvableError",
    "__version__",
    "ageing",
    "basins",
    "bouc_wen",
    "calibrate",
    "calibrate_all",
    "chirp",
    "constant",
    "controller",
    "converge",
    "coulomb",
    "cubic",
    "cursor",
    "dahl",
    "dashpot",
    "design",
    "directional",
    "elasto_plastic",
    "ensemble",
    "fit",
    "fit_all",
    "fleet",
    "export_fmu",
    "friction_curve",
    "function",
    "gear",
    "harmonic",
    "hunt",
    "hysteresis",
    "isolator",
    "joint",
    "kanai_tajimi",
    "law_of",
    "load",
    "lugre",
    "maxwell_slip",
    "merge",
    "node",
    "orbit",
    "orbit_many",
    "ornstein_uhlenbeck",
    "pulled_slider",
    "pulses",
    "ramp",
    "rate_and_state",
    "reference",
    "response",
    "response_many",
    "rigid_drive",
    "rock_friction",
    "sampled",
    "sensitivity",
    "servo",
    "simulate",
    "slider",
    "solutions",
    "solve",
    "solve_ivp",
    "solve_many",
    "spring",
    "static_dynamic",
    "step",
    "stop",
    "stribeck",
    "stribeck_exponential",
    "sweep",
    "table",
    "trapezoids",
    "value_and_grad",
    "valve",
    "velocity_strengthening",
    "white",
]
