"""The cases: what each is, its model file, and what usually goes wrong.

Options: `touch` says what becomes of a velocity that touches zero without changing its sign ("ignore": the slip goes
on); `uncounted` lists kinds of events in intervals of time that are neither missed nor invented, because arithmetic
with 16 digits cannot decide them; `multiple` lists instants at which a root of that order is located.
"""


def case(name, grade, title, model, wrong, **options):
    return {"name": name, "grade": grade, "title": title, "model": model.strip() + "\n", "wrong": wrong, **options}


def oscillator(friction, *, mass="1.0", stiffness="1.0", damping=None, drive=(), force=(), support=(), normal=(),
               stops=None, start=None, end="10.0", scheme="exact", tolerances=None):
    lines = ["[oscillator]", f"mass = {mass}", f"stiffness = {stiffness}"]
    lines += [f"damping = {damping}"] if damping else []
    if isinstance(friction, tuple):
        lines += [f"friction.forward.{friction[0]}", f"friction.backward.{friction[1]}"]
    else:
        lines.append(f"friction.{friction}")
    lines += [f"stops = {stops}"] if stops else []
    for key, signals in (("drive", drive), ("force", force), ("support", support), ("normal", normal)):
        for signal in signals:
            lines += [f"[[oscillator.{key}]]", signal]
    if start:
        lines += ["[oscillator.initial]", f"displacement = {start[0]}", f"velocity = {start[1]}"]
    lines += ["[run]", f"end = {end}", f'scheme = "{scheme}"']
    lines += [tolerances] if tolerances else []
    return "\n".join(lines)


def harmonic(amplitude, frequency, phase="0.0"):
    return f"harmonic = {{ amplitude = {amplitude}, angular_frequency = {frequency}, phase = {phase} }}"


def ramp(rate, offset="0.0"):
    return f"ramp = {{ rate = {rate}, offset = {offset} }}"


def constant(a):
    return f"constant = {a}"


def step(time, before, after):
    return f"step = {{ time = {time}, before = {before}, after = {after} }}"


def coulomb(f):
    return f"coulomb = {{ force = {f} }}"


def two(static, dynamic):
    return f"static-dynamic = {{ static = {static}, dynamic = {dynamic} }}"


FINE = "rtol = 2e-14\natol = 1e-16"

LOWER = [
    case("free-decay", "lower", "Free oscillation with Coulomb friction",
         oscillator(coulomb("1.0"), start=("11.5", "0.0"), end="50.0"),
         "Solvers with a smoothed sign never come to rest: they creep back to x = 0 with the speed that the smoothing allows."),
    case("free-slide", "lower", "A sliding block comes to rest",
         oscillator(coulomb("0.75"), stiffness="0.0", start=("-2.0", "3.0"), end="100.0"),
         "The velocity changes its sign in every step after the stop, or the block creeps."),
    case("viscous-decay", "lower", "Free oscillation with viscous and dry friction",
         oscillator(two("0.6", "0.5"), mass="2.0", stiffness="8.0", damping="0.4", start=("3.0", "-1.0"), end="30.0"),
         "The last half-swing is cut short or lengthened when the stop is found by a sign change between two steps."),
    case("critical-damping", "lower", "A critically damped oscillator with dry friction",
         oscillator(coulomb("0.25"), damping="2.0", force=[harmonic("2.0", "0.75")], start=("2.0", "0.0"), end="25.0"),
         "Formulas for damped oscillations divide by zero at critical damping."),
    case("overdamped", "lower", "An overdamped oscillator with dry friction",
         oscillator(two("0.75", "0.5"), damping="5.0", drive=[harmonic("3.0", "0.5", "0.3")], end="40.0"),
         "Two very different rates: an explicit step that suits the slow one is unstable for the fast one."),
    case("incline-hold", "lower", "A block on an incline that must not creep",
         oscillator(two("0.6", "0.5"), mass="2.0", stiffness="0.0", force=[constant("9.81")], normal=[constant("16.99")],
                    end="1000.0"),
         "Physics engines and smoothed laws let the block creep downhill: a micrometre a second is a millimetre here."),
    case("incline-load-hold", "lower", "Load and hold: a block on an incline is pushed, slides, and holds",
         oscillator(two("0.6", "0.5"), mass="2.0", stiffness="0.0",
                    force=[constant("7.0"), step("1.0", "0.0", "4.0"), step("2.5", "0.0", "-4.0"), step("500.0", "0.0", "2.5")],
                    normal=[constant("17.0")], end="1000.0"),
         "After the stop the load stands at 94 % of the breakaway force for 500 s: smoothed laws creep with 94 % of their "
         "reference velocity."),
    case("pulled-slider", "lower", "Stick-slip of a slider that a spring pulls at constant speed",
         oscillator(two("1.5", "1.0"), mass="0.5", stiffness="4.0", drive=[ramp("0.25")], end="30.0"),
         "The breakaway is found one step late, and every later slip is late by the sum of all delays."),
    case("asymmetric", "lower", "Friction that differs forwards and backwards",
         oscillator((two("1.25", "1.0"), two("0.5", "0.375")), drive=[harmonic("4.0", "0.4")], start=("4.0", "0.0"), end="40.0"),
         "One limit is used for both directions at rest."),
    case("damped-drive", "lower", "A damped oscillator, shaken at its spring's end",
         oscillator(coulomb("0.8"), damping="0.3", drive=[harmonic("2.0", "1.3", "0.7")], end="40.0"),
         "Events are missed when two of them fall into one step."),
    case("five-bounces", "lower", "A ball bounces five times",
         """
[impact]
mass = 1.0
wall = 0.0
restitution = 0.75
[[impact.force]]
constant = -9.81
[impact.initial]
displacement = 2.0
velocity = 1.0
[run]
end = 3.5
scheme = "exact"
""", "The impact is placed at the end of a step; penalty springs delay each bounce by half a period of the spring."),
    case("one-element", "lower", "One elastoplastic element",
         """
[cascade]
mass = 1.0
stiffness = [4.0, 1.0]
threshold = [1.0]
[[cascade.force]]
harmonic = { amplitude = 3.0, angular_frequency = 0.7 }
[run]
end = 30.0
scheme = "exact"
""", "The element's state is integrated and leaves its bounds between two steps."),
]

AVERAGE = [
    case("shaw", "average", "Shaw's harmonic case",
         oscillator(two("1.2", "1.0"), drive=[harmonic("6.0", "0.5")], start=("6.0", "0.0"), end="40.0"),
         "The slip goes on through a reversal three times; a solver that stops the mass there goes astray at once."),
    case("peer-p3", "average", "Thirty-nine events of a slowly shaken oscillator",
         oscillator(two("1.0", "0.7"), drive=[harmonic("1.5", "0.3", "-1.5707963267948966")], end="200.0"),
         "Errors of early events are carried on; the motion becomes periodic only slowly."),
    case("two-sided-decay", "average", "Free decay with an initial velocity",
         oscillator(coulomb("1.0"), start=("12.0", "6.0"), end="30.0"),
         "Time-stepping schemes of order one are off by half a step after every reversal."),
    case("resonance", "average", "Force at the natural frequency",
         oscillator(coulomb("1.0"), stiffness="4.0", force=[harmonic("1.5", "2.0", "0.5")], end="25.0"),
         "The closed form of forced oscillations divides by zero; the amplitude grows steadily."),
    case("pulsating-normal", "average", "A normal force that pulsates",
         oscillator(two("0.5", "0.4"), drive=[harmonic("2.5", "0.6")],
                    normal=[constant("2.0"), harmonic("1.0", "2.7", "0.4")], start=("1.0", "0.0"), end="40.0"),
         "The limit of friction moves too: a stick may end because the limit falls while the load stays."),
    case("belt-two-forces", "average", "A mass on a belt with two friction forces",
         oscillator(two("2.0", "1.0"), damping="0.1", support=[constant("0.5")], end="50.0"),
         "At rest relative to the belt the mass moves; a test of ẋ = 0 never finds the stick."),
    case("feeder", "average", "A part on a vibrating feeder",
         oscillator((two("1.0", "0.8"), two("2.0", "1.6")), stiffness="0.0", support=[harmonic("1.0", "4.0", "0.2")], end="12.0"),
         "Stick is relative to a support that accelerates: the inertia force decides, not the velocity."),
    case("load-steps", "average", "Loads that jump",
         oscillator(two("1.0", "0.75"), damping="0.05",
                    force=[step("1.0", "0.0", "3.0"), step("4.5", "0.0", "-4.25"), step("11.0", "0.0", "2.0"), step("19.0", "0.0", "1.5")],
                    end="35.0"),
         "An adaptive step that sees a jump late spoils all that follows."),
    case("two-frequencies", "average", "A drive of two frequencies",
         oscillator(two("1.0", "0.8"), drive=[harmonic("2.0", "0.45"), harmonic("1.25", "1.9", "1.0")], end="60.0"),
         "Short slips between long ones are missed."),
    case("cascade-four", "average", "Four elements in a cascade: nested loops",
         """
[cascade]
mass = 1.0
stiffness = [3.0, 2.0, 1.5, 1.0, 0.7]
threshold = [0.5, 0.8, 0.3, 1.1]
[[cascade.force]]
harmonic = { amplitude = 2.5, angular_frequency = 0.9 }
[run]
end = 20.0
scheme = "exact"
""", "Inner loops do not close: the memory of earlier turning points is lost."),
    case("two-blocks", "average", "Two blocks and a spring between them",
         """
[[network.node]]
name = "a"
mass = 1.0
[[network.node]]
name = "b"
mass = 2.0
displacement = 0.5
[[network.spring]]
between = ["a", "b"]
stiffness = 3.0
[[network.spring]]
between = ["b", "ground"]
stiffness = 1.0
[[network.dashpot]]
between = ["a", "b"]
damping = 0.1
[[network.slider]]
name = "s1"
between = ["a", "ground"]
static = 1.0
dynamic = 0.75
[[network.slider]]
name = "s2"
between = ["b", "ground"]
static = 0.8
dynamic = 0.5
[[network.force]]
on = "a"
harmonic = { amplitude = 2.5, angular_frequency = 0.8 }
[run]
end = 30.0
scheme = "exact"
""", "One block stops and the other one, moving on, breaks it loose again within one step."),
    case("bouncing-ball", "average", "A bouncing ball comes to rest",
         """
[impact]
mass = 1.0
wall = 0.0
restitution = 0.5
[[impact.force]]
constant = -9.81
[impact.initial]
displacement = 1.0
[run]
end = 3.0
scheme = "exact"
""", "Infinitely many impacts before √(2/g) (1 + e)/(1 − e): event locators stop there, or the ball falls through the floor.",
         zeno=True),
    case("two-walls", "average", "An oscillator between two walls",
         """
[impact]
mass = 1.0
stiffness = 2.0
damping = 0.25
wall = -0.5
upper_wall = 0.75
restitution = 0.7
[[impact.force]]
harmonic = { amplitude = 3.0, angular_frequency = 2.4, phase = 0.3 }
[run]
end = 15.0
scheme = "exact"
""", "A fast mass passes a wall and comes back within one step."),
    case("between-stops", "average", "A block with friction between two stops",
         oscillator(two("0.8", "0.6"), stiffness="0.0", force=[harmonic("3.0", "0.9"), harmonic("1.0", "2.2", "0.5")],
                    stops="{ lower = -1.0, upper = 1.5, restitution = 0.6 }", end="22.0"),
         "Stop and friction at the same instant: the reversal at a stop is taken for an end of the slip."),
]

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
         "The velocity falls to a millionth of its mean and the slip goes on; an event tolerance stops the mass."),
    case("near-stop-sticks", "higher", "A velocity that vanishes for three milliseconds",
         oscillator(coulomb("1.0"), drive=[ramp("1.0")], start=("-1.866027", "0.5"), end="10.0"),
         "The mass sticks for three milliseconds; a test between steps does not see it, or lets the mass move backwards."),
]

ADVERSARIAL = [
    case("double-root-stop", "adversarial", "The velocity has a double root, and the mass stops there",
         oscillator(two("2.0", "1.0"), stiffness="0.0", force=[ramp("2.0", "-3.0")], start=("0.0", "4.0"), end="4.0"),
         "ẋ = (t − 2)² touches zero: without a change of sign no sign test sees the stop. All numbers are exact in binary.",
         touch="event", multiple=[["2.0", 2]]),
    case("triple-root-rest", "adversarial", "The distance to the wall has a triple root",
         """
[impact]
mass = 1.0
wall = 0.0
restitution = 0.5
[[impact.force]]
ramp = { rate = -6.0, offset = 12.0 }
[impact.initial]
displacement = 8.0
velocity = -12.0
[run]
end = 4.0
scheme = "exact"
""", "x = (2 − t)³ reaches the wall without speed and without acceleration, and stays. All numbers are exact in binary.",
         multiple=[["2.0", 3]], closed="triple-root", uncounted=[["impact", "1.999", "2.001"]]),
    case("grazing-slip", "adversarial", "A velocity that touches zero once in every period",
         oscillator(coulomb("1.0"), drive=[ramp("1.0")], end="20.0"),
         "ẋ = 1 − cos(t − 1) touches zero at 1 + 2πk: a stop of length zero may be listed there or not, but the motion goes on.",
         uncounted=[["stick", "7.28", "7.29"], ["slip", "7.28", "7.29"], ["stick", "13.56", "13.57"],
                    ["slip", "13.56", "13.57"], ["stick", "19.84", "19.86"], ["slip", "19.84", "19.86"]]),
    case("grazing-load", "adversarial", "A load that touches the friction force and never exceeds it",
         oscillator(coulomb("1.0"), stiffness="0.0", force=[harmonic("1.0", "1.0")], end="1000.0"),
         "With one friction force a touch changes nothing: the block stays at rest for ever.", closed="at-rest"),
    case("ageing-above", "adversarial", "Friction that grows with the time at rest: a load just above",
         oscillator('ageing = { kind = "power", dynamic = 1.0, static = 3.0, time = 2.0, exponent = 1.0 }', stiffness="0.0",
                    force=[ramp("1.0", "1.000001")], end="1.0", scheme="adaptive", tolerances=FINE),
         "The block leaves at once: a first step at rest makes it stay for ever.", closed="ageing-above"),
    case("ageing-below", "adversarial", "Friction that grows with the time at rest: a load just below",
         oscillator('ageing = { kind = "power", dynamic = 1.0, static = 3.0, time = 2.0, exponent = 1.0 }', stiffness="0.0",
                    force=[ramp("1.0", "0.999999")], end="1.0", scheme="adaptive", tolerances=FINE),
         "The limit grows as fast as the load and is ahead by a millionth: the block stays.", closed="at-rest"),
    case("ageing-ill-posed", "adversarial", "Friction that grows with the time at rest, at the limit",
         oscillator('ageing = { kind = "power", dynamic = 1.0, static = 3.0, time = 2.0, exponent = 1.0 }', stiffness="0.0",
                    force=[ramp("1.0", "1.0")], end="1.0", scheme="adaptive"),
         "Every instant of leaving gives a solution (Schatzman, Lamarque, Bastien 1999).", report=("not-unique", "0")),
    case("limit-held", "adversarial", "A load that stands exactly at the breakaway force",
         oscillator(two("1.25", "1.0"), stiffness="0.0", force=[constant("1.25")], end="5.0"),
         "Every instant of leaving gives a solution: x = (t − u)²/8 after t = u.", report=("not-unique", "0")),
    case("limit-touched", "adversarial", "A load that touches the breakaway force",
         oscillator(two("1.0", "0.5"), stiffness="0.0", force=[harmonic("1.0", "1.0", "-2.0")], end="4.0"),
         "At the touch the block may stay or leave, and the two motions differ by metres.", report=("not-unique", "2")),
    case("limit-touched-network", "adversarial", "Loads in a network that touch the breakaway force",
         """
[[network.node]]
name = "a"
mass = 1.0
[[network.node]]
name = "b"
mass = 1.0
[[network.spring]]
between = ["a", "b"]
stiffness = 2.0
[[network.slider]]
name = "s1"
between = ["a", "ground"]
static = 1.0
dynamic = 0.5
[[network.slider]]
name = "s2"
between = ["b", "ground"]
static = 1.0
dynamic = 0.5
[[network.force]]
on = "a"
harmonic = { amplitude = 1.0, angular_frequency = 1.0, phase = -2.0 }
[run]
end = 4.0
scheme = "exact"
""", "As in one mass: the touch lets the slider stay or slip.", report=("not-unique", "2")),
    case("walls-meet", "adversarial", "Two walls that meet",
         """
[impact]
mass = 1.0
restitution = 0.5
[[impact.wall]]
ramp = { rate = 1.0, offset = -1.0 }
[[impact.upper_wall]]
constant = 1.0
[run]
end = 5.0
scheme = "exact"
""", "The lower wall reaches the upper one at t = 2 s: there is no motion beyond.", report=("no-solution", "2")),
    case("brownian", "adversarial", "A block with dry friction under white noise: the law of its velocity",
         """
[oscillator]
mass = 1.0
stiffness = 0.0
friction.coulomb = { force = 1.0 }
[[oscillator.force]]
white = { intensity = 1.0 }
[run]
end = 1.0
scheme = "euler"
step = 0.0005
seed = 1
""", "An explicit step leaves no mass at rest and distorts the law near zero velocity.", law="brownian"),
]

ALL = LOWER + AVERAGE + HIGHER + ADVERSARIAL
