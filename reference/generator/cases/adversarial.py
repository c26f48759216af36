"""The adversarial cases: what arithmetic with 16 digits decides last, and what has no unique solution."""

from .models import FINE, case, constant, coulomb, harmonic, oscillator, ramp, step, two

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
         "ẋ = 1 − cos(t − 1) touches zero at 1 + 2πk: a stop of length zero may be listed there or not, but the motion continues.",
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
