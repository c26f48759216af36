"""The cases of the higher grade."""

from .models import FINE, case, constant, coulomb, harmonic, oscillator, ramp, two

HIGHER = [
    case("belt", "higher", "A belt with a falling law: self-excited stick-slip",
         oscillator("stribeck-exponential = { static = 1.0, dynamic = 0.5, velocity = 0.3, exponent = 1.0, viscous = 0.02 }",
                    damping="0.05", support=[constant("0.2")], end="60.0", scheme="adaptive", tolerances=FINE),
         "Smoothed laws lose the stick, and with it the amplitude and the period."),
    case("belt-hyperbolic", "higher", "A belt with the law 1/(1 + 3|w|)",
         oscillator("stribeck = { a = 0.0, b = 0.0, c = 3.0, d = 1.0 }", support=[constant("0.2")], end="40.0",
                    scheme="adaptive", tolerances=FINE),
         "The period is known, 12.001031294831 (Leine, van Campen, de Kraker, van den Steen 1998); shooting with a smoothed law misses it."),
    case("stribeck-force", "higher", "Stribeck friction under a harmonic force",
         oscillator("stribeck-exponential = { static = 15.0, dynamic = 5.0, velocity = 0.5, exponent = 1.0, viscous = 1.0 }",
                    stiffness="0.0", force=[harmonic("25.0", "1.5707963267948966", "-1.5707963267948966")], end="5.0",
                    scheme="adaptive", tolerances=FINE),
         "The peak of the friction at small velocities is jumped over by large steps."),
    case("stribeck-stops", "higher", "Stribeck friction between stops that take all speed",
         oscillator("stribeck-exponential = { static = 8.0, dynamic = 3.0, velocity = 0.5, exponent = 1.0, viscous = 1.0 }",
                    stiffness="500.0", drive=[constant("-0.25")], stops="{ lower = -0.4, upper = 0.4, restitution = 0.0 }",
                    start=("0.0", "-5.0"), end="1.5", scheme="adaptive", tolerances=FINE),
         "After the impact the mass must leave the stop at once, and stick for good at t = 1.05 s."),
    case("stribeck-gauss", "higher", "A Gaussian Stribeck peak",
         oscillator("stribeck-exponential = { static = 1.5, dynamic = 1.0, velocity = 0.25, exponent = 2.0, viscous = 0.1 }",
                    drive=[harmonic("3.0", "0.4")], start=("3.0", "0.0"), end="30.0", scheme="adaptive", tolerances=FINE),
         "Implicit steps have several solutions where the friction falls steeply."),
    case("stribeck-formula", "higher", "Stribeck's formula with a quadratic and a cubic term",
         oscillator("stribeck = { a = 0.5, b = 2.0, c = 0.25, d = 1.25 }", damping="0.125", drive=[harmonic("2.0", "0.7")],
                    end="25.0", scheme="adaptive", tolerances=FINE),
         "The friction falls to nearly nothing, so reversals are frequent and sticks short."),
    case("duffing", "higher", "A hardening spring with dry friction",
         oscillator(two("0.5", "0.4"), stiffness="[1.0, 0.0, 0.5]", damping="0.1", force=[harmonic("2.0", "1.1")], end="25.0",
                    scheme="adaptive", tolerances=FINE),
         "No closed form between events: the tolerance of the integrator limits every event."),
    case("three-blocks", "higher", "Three blocks and a plate: two of them break away at the same instant",
         """
[[network.node]]
name = "plate"
mass = 0.0
[[network.node]]
name = "b1"
mass = 1.0
[[network.node]]
name = "b2"
mass = 1.0
displacement = 0.1
[[network.node]]
name = "b3"
mass = 1.0
[[network.motion]]
on = "plate"
ramp = { rate = 0.05, offset = 0.0 }
[[network.spring]]
between = ["b1", "b2"]
stiffness = 5.0
[[network.spring]]
between = ["b2", "b3"]
stiffness = 5.0
[[network.spring]]
between = ["plate", "b1"]
stiffness = 1.0
[[network.spring]]
between = ["plate", "b2"]
stiffness = 1.0
[[network.spring]]
between = ["plate", "b3"]
stiffness = 1.0
[[network.slider]]
name = "s1"
between = ["b1", "ground"]
static = 1.0
dynamic = 0.7
[[network.slider]]
name = "s2"
between = ["b2", "ground"]
static = 1.0
dynamic = 0.7
[[network.slider]]
name = "s3"
between = ["b3", "ground"]
static = 1.0
dynamic = 0.7
[run]
end = 60.0
scheme = "exact"
""", "The outer blocks are equal and must stay equal: an order among simultaneous events breaks the symmetry."),
    case("equal-blocks", "higher", "Four equal blocks break away together",
         "\n".join(
             ['[[network.node]]\nname = "plate"\nmass = 0.0']
             + [f'[[network.node]]\nname = "b{i}"\nmass = 0.5' for i in range(1, 5)]
             + ['[[network.motion]]\non = "plate"\nramp = { rate = 0.25, offset = 0.0 }']
             + [f'[[network.spring]]\nbetween = ["plate", "b{i}"]\nstiffness = 2.0' for i in range(1, 5)]
             + [f'[[network.spring]]\nbetween = ["b{i}", "b{i + 1}"]\nstiffness = 4.0' for i in range(1, 4)]
             + [f'[[network.slider]]\nname = "s{i}"\nbetween = ["b{i}", "ground"]\nstatic = 1.0\ndynamic = 0.625' for i in range(1, 5)]
             + ['[run]\nend = 20.0\nscheme = "exact"']),
         "All four slip and stop at the same instants for ever; one of them alone would be held back by its neighbours."),
    case("stacked-blocks", "higher", "A block on a block: friction between two masses",
         """
[[network.node]]
name = "lower"
mass = 2.0
[[network.node]]
name = "upper"
mass = 1.0
[[network.spring]]
between = ["lower", "ground"]
stiffness = 4.0
[[network.slider]]
name = "between"
between = ["upper", "lower"]
static = 1.0
dynamic = 0.75
[[network.slider]]
name = "floor"
between = ["lower", "ground"]
static = 0.5
dynamic = 0.375
[[network.force]]
on = "lower"
harmonic = { amplitude = 4.0, angular_frequency = 0.9, phase = 0.5 }
[run]
end = 20.0
scheme = "exact"
""", "The limit of one contact depends on the acceleration that the other one allows."),
    case("drive-line", "higher", "A drive line: motor, clutch, gear and load with a brake",
         """
[[network.node]]
name = "motor"
mass = 0.5
[[network.node]]
name = "disc"
mass = 0.25
[[network.node]]
name = "gear"
mass = 1.0
[[network.node]]
name = "load"
mass = 4.0
[[network.slider]]
name = "clutch"
between = ["motor", "disc"]
static = 3.0
dynamic = 2.5
[[network.spring]]
between = ["disc", "gear"]
stiffness = 50.0
[[network.dashpot]]
between = ["disc", "gear"]
damping = 0.5
[[network.spring]]
between = ["gear", "load"]
stiffness = 20.0
[[network.dashpot]]
between = ["gear", "load"]
damping = 0.4
[[network.slider]]
name = "bearing"
between = ["gear", "ground"]
static = 0.25
dynamic = 0.2
[[network.slider]]
name = "brake"
between = ["load", "ground"]
static = 2.0
dynamic = 1.5
[[network.force]]
on = "motor"
constant = 1.0
[[network.force]]
on = "motor"
harmonic = { amplitude = 3.5, angular_frequency = 1.2, phase = -1.0 }
[run]
end = 15.0
scheme = "exact"
""", "The clutch locks and slips while brake and bearing stick: wrong combinations of phases are tried, or a locked clutch drifts.",
         settings=((44, 40), (36, 32))),
    case("cascade-ten", "higher", "Ten elements under two frequencies",
         """
[cascade]
mass = 0.5
stiffness = [10.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.5]
threshold = [0.25, 0.5, 0.125, 0.75, 0.375, 0.625, 0.25, 0.5, 0.125, 1.0]
[[cascade.force]]
harmonic = { amplitude = 2.5, angular_frequency = 0.7 }
[[cascade.force]]
harmonic = { amplitude = 1.25, angular_frequency = 2.3, phase = 1.0 }
[run]
end = 20.0
scheme = "exact"
""", "Dozens of yields of ten elements, with loops inside loops: one missed turning point changes all that follow.",
         settings=((44, 40), (36, 32))),
    case("spring-wall-rest", "higher", "A sprung mass chatters to rest at a wall and is released again",
         """
[impact]
mass = 1.0
stiffness = 1.0
damping = 0.1
wall = 0.0
restitution = 0.5
[[impact.force]]
constant = -1.0
[[impact.force]]
harmonic = { amplitude = 3.0, angular_frequency = 0.5 }
[impact.initial]
displacement = 1.0
[run]
end = 20.0
scheme = "exact"
""", "The accumulation of impacts has no closed form; the release needs the reaction, which penalty methods smear.", zeno=True),
    case("plastic-wall", "higher", "Impacts without restitution, rests and releases",
         """
[impact]
mass = 1.0
stiffness = 0.5
wall = 0.0
restitution = 0.0
[[impact.force]]
harmonic = { amplitude = 2.0, angular_frequency = 1.0, phase = 2.0 }
[impact.initial]
displacement = 1.0
[run]
end = 30.0
scheme = "exact"
""", "The mass must stay at the wall exactly until the reaction vanishes.",
         settings=((44, 40), (36, 32))),
    case("light-mass", "higher", "A mass of 10⁻⁹ kg on a spring of 1 N/m",
         oscillator(two("1.0", "0.75"), mass="1e-9", drive=[harmonic("3.0", "0.5", "-1.5707963267948966")], end="15.0"),
         "Slips last a ten-thousandth of a second between sticks of seconds; explicit methods need a million steps.",
         settings=((96, 60), (80, 48))),
    case("heavy-mass", "higher", "A mass of 10⁶ kg on a spring of 1 N/m",
         oscillator(two("1.0", "0.75"), mass="1e6", drive=[harmonic("6.0", "0.0004")], start=("6.0", "0.0"), end="40000.0"),
         "Velocities of millimetres a second: absolute tolerances made for 1 m/s take them for zero."),
    case("mass-ratio", "higher", "Masses of 10⁻⁶ and 10⁶ kg in one network",
         """
[[network.node]]
name = "heavy"
mass = 1e6
velocity = 0.001
[[network.node]]
name = "light"
mass = 1e-6
[[network.spring]]
between = ["heavy", "light"]
stiffness = 0.25
[[network.dashpot]]
between = ["light", "ground"]
damping = 0.0002
[[network.slider]]
name = "s"
between = ["light", "ground"]
static = 0.001
dynamic = 0.0005
[run]
end = 20.0
scheme = "exact"
""", "The condition number of the mass matrix is 10¹².",
         settings=((44, 40), (36, 32))),
    case("million-cycles", "higher", "Stick through a million load cycles",
         oscillator(two("1.0", "0.75"), stiffness="0.0", force=[harmonic("0.9375", "6.283185307179586", "1.5707963267948966")],
                    start=("0.0", "0.5"), end="1000000.0"),
         "The block slides for a moment, then the load reaches 94 % of the breakaway force two million times; whatever it "
         "creeps in a cycle is multiplied by a million."),
    case("near-touch-slips", "higher", "A load that exceeds the breakaway force by a millionth",
         oscillator(two("1.0", "0.75"), stiffness="0.0", force=[harmonic("1.000001", "1.0", "-2.0")], end="10.0"),
         "The load is above the limit for three milliseconds: a test between steps does not see it."),
    case("near-touch-stays", "higher", "A load that stays below the breakaway force by a billionth",
         oscillator(two("1.0", "0.75"), stiffness="0.0", force=[harmonic("0.999999999", "1.0", "-2.0")], end="100.0"),
         "Tolerances take the load for one that reaches the limit, and the block slips.",
         settings=((44, 40), (36, 32))),
    case("near-stop-passes", "higher", "A velocity that almost vanishes and grows again",
         oscillator(coulomb("1.0"), drive=[ramp("1.0")], start=("-1.0", "0.000001"), end="25.0"),
         "The velocity falls to a millionth of its mean and the slip continues; an event tolerance stops the mass."),
    case("near-stop-sticks", "higher", "A velocity that vanishes for three milliseconds",
         oscillator(coulomb("1.0"), drive=[ramp("1.0")], start=("-1.866027", "0.5"), end="10.0"),
         "The mass sticks for three milliseconds; a test between steps does not see it, or lets the mass move backwards."),
]
