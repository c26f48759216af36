"""The cases of the lower grade: one idea each."""

from .models import case, constant, coulomb, harmonic, oscillator, ramp, step, two

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
