"""The cases of the average grade."""

from .models import case, constant, coulomb, harmonic, oscillator, step, two

AVERAGE = [
    case("shaw", "average", "Shaw's harmonic case",
         oscillator(two("1.2", "1.0"), drive=[harmonic("6.0", "0.5")], start=("6.0", "0.0"), end="40.0"),
         "The slip continues through a reversal three times; a solver that stops the mass there goes astray at once."),
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
