"""Machines: several laws, stops, gears and controllers in one network.

Each is a network that other programs chatter through: an event is followed by others at the same instant, or by infinitely
many.
"""

from .models import FINE, case, constant, harmonic, ramp, step

SINE = "-1.5707963267948966"


def sine(amplitude, frequency):
    return harmonic(amplitude, frequency, SINE)


def trapezoid(amplitude, start, rise, top, fall):
    period = repr(float(start) + float(rise) + float(top) + float(fall) + 100.0)
    return (f"trapezoids = {{ amplitude = {amplitude}, period = {period}, start = {start}, rise = {rise}, top = {top}, "
            f"fall = {fall}, count = 1 }}")


def part(kind, **keys):
    return "\n".join([f"[[network.{kind}]]"] + [v if k == "signal" else f"{k.replace('__', '.')} = {v}" for k, v in keys.items()])


def node(name, mass, x="0.0", v="0.0"):
    keys = {"name": f'"{name}"', "mass": mass}
    if x != "0.0":
        keys["displacement"] = x
    if v != "0.0":
        keys["velocity"] = v
    return part("node", **keys)


def ends(a, b):
    return f'["{a}", "{b}"]'


def spring(a, b, k):
    return part("spring", between=ends(a, b), stiffness=k)


def dashpot(a, b, c):
    return part("dashpot", between=ends(a, b), damping=c)


def slider(name, a, static, dynamic, b="ground", **more):
    return part("slider", name=f'"{name}"', between=ends(a, b), static=static, dynamic=dynamic, **more)


def rubs(name, a, law, b="ground"):
    return part("slider", name=f'"{name}"', between=ends(a, b)) + "\n" + law


def stribeck(static, dynamic, velocity, exponent="1.0", viscous=None):
    more = f", viscous = {viscous}" if viscous else ""
    return (f"friction.stribeck-exponential = {{ static = {static}, dynamic = {dynamic}, velocity = {velocity}, "
            f"exponent = {exponent}{more} }}")


def stop(name, a, b="ground", **keys):
    return part("stop", name=f'"{name}"', between=ends(a, b), **keys)


def force(on, signal):
    return part("force", on=f'"{on}"', signal=signal)


def led(on, *signals):
    return [part("node", name=f'"{on}"', mass="0.0")] + [part("motion", on=f'"{on}"', signal=s) for s in signals]


def machine(end, *parts):
    flat = [p for part in parts for p in (part if isinstance(part, list) else [part])]
    # Nodes first: the order of the file is that of the columns.
    flat.sort(key=lambda p: not p.startswith("[[network.node]]"))
    return "\n".join([*flat, "[run]", f"end = {end}", 'scheme = "adaptive"', FINE])


def train(masses, between, pull, laws, starts, rate, end):
    """Three blocks in a row, each pulled by a plate through a spring."""
    names = ["b1", "b2", "b3"]
    return machine(
        end,
        [node(n, m, x) for n, m, x in zip(names, masses, starts)],
        led("plate", ramp(rate)),
        [spring(names[i], names[i + 1], k) for i, k in enumerate(between)],
        [spring("plate", n, k) for n, k in zip(names, pull)],
        [rubs(f"s{i + 1}", n, law) for i, (n, law) in enumerate(zip(names, laws))],
    )


def play(masses, first, second, rubbing, bounds, e, end, wave, *more, damping=()):
    """A driven block and another that rubs, with a backlash between them."""
    return machine(
        end,
        node("driver", masses[0]), node("load", masses[1]),
        spring("driver", "ground", first), spring("load", "ground", second),
        [dashpot(n, "ground", c) for n, c in damping],
        slider("guide", "load", *rubbing),
        stop("play", "driver", "load", lower=bounds[0], upper=bounds[1], restitution=e),
        force("driver", wave), *more,
    )


def belt(law, end, e, upper):
    """A box on a belt that carries it to a gate."""
    static, dynamic = law
    bound = f"[{{ {constant('1.0')} }}, {{ {upper} }}]"
    return machine(
        end, node("box", "2.0", v="0.5"),
        part("slider", name='"belt"', between=ends("box", "ground"), static=static, dynamic=dynamic, support="[{ constant = 0.5 }]"),
        stop("gate", "box", upper=bound, restitution=e),
    )


def controller(**keys):
    return part("controller", name='"pid"', of='"axis"', on='"axis"', **keys)


def hoist(motor, load, ratio, weight, friction, torques, end, *more):
    return machine(
        end, node("motor", motor), node("drum", load),
        part("gear", name='"worm"', between=ends("motor", "drum"), ratio=ratio, friction=friction),
        force("drum", constant(weight)), [force("motor", s) for s in torques], *more,
    )


GAUSS = {"exponent": "2.0"}

MACHINES = [
    case("stribeck-train", "higher", "Three blocks on a plate, the friction of each falls with its speed",
         train(["0.8", "1.0", "1.3"], ["1.2", "0.9"], ["0.5", "0.45", "0.6"],
               [stribeck("1.0", "0.6", "0.4", **GAUSS), stribeck("1.1", "0.65", "0.4", **GAUSS), stribeck("0.95", "0.55", "0.4", **GAUSS)],
               ["0.0", "0.1", "-0.2"], "0.1", "60.0"),
         "A slip begins without an acceleration and grows with the square of the time: a start that is found by its speed comes late."),
    case("stribeck-train-exponential", "higher", "Three blocks on a plate, exponential fall",
         train(["0.8", "1.0", "1.3"], ["1.2", "0.9"], ["0.5", "0.45", "0.6"],
               [stribeck("1.0", "0.6", "0.4"), stribeck("1.1", "0.65", "0.4"), stribeck("0.95", "0.55", "0.4")],
               ["0.0", "0.1", "-0.2"], "0.1", "60.0"),
         "The friction has a corner at zero speed; a law that is rounded there shifts all 33 events."),
    case("stribeck-twins", "higher", "The outer two of three blocks are equal and must stay equal",
         train(["0.9", "1.2", "0.9"], ["1.1", "1.1"], ["0.5", "0.5", "0.5"],
               [stribeck("1.0", "0.6", "0.3", **GAUSS)] * 3, ["0.2", "-0.1", "0.2"], "0.08", "60.0"),
         "Two blocks begin and cease to slip at the same instants; an order among them breaks the symmetry."),
    case("drill-string", "higher", "A rotary table, a string and a bit that rubs",
         machine("120.0", node("table", "1500.0", v="3.2"), node("bit", "350.0"), led("top", ramp("3.2")),
                 spring("top", "table", "6000.0"), dashpot("top", "table", "900.0"), spring("table", "bit", "480.0"),
                 dashpot("table", "bit", "25.0"), rubs("rock", "bit", stribeck("3900.0", "2100.0", "1.4"))),
         "Numbers of a thousand and of one stand side by side: absolute tolerances for one of them lose the other."),
    case("drill-bit", "higher", "A bit that rubs below a table that turns steadily",
         machine("100.0", node("bit", "350.0"), led("top", ramp("3.0")), spring("top", "bit", "480.0"), dashpot("top", "bit", "25.0"),
                 rubs("rock", "bit", stribeck("3900.0", "2300.0", "1.2", "2.0", "12.0"))),
         "The damper pulls the bit that rests, too: its load is not that of the spring alone."),
    case("two-ways", "average", "Friction that is another one backwards, under a drive to and fro",
         machine("40.0", node("block", "2.0"), led("hand", ramp("1.2"), sine("3.0", "0.8")), spring("hand", "block", "9.0"),
                 dashpot("hand", "block", "0.3"),
                 rubs("floor", "block", stribeck("5.0", "3.0", "0.8", viscous="0.05").replace("friction.", "friction.forward.")
                      + "\n" + stribeck("3.2", "2.4", "0.5", viscous="0.05").replace("friction.", "friction.backward."))),
         "At rest the limit is not the same on both sides."),
    case("backlash", "higher", "A driven block and one that rubs, with play between them",
         play(["1.0", "1.5"], "1.0", "2.0", ("0.5", "0.4"), ("-0.15", "0.25"), "0.8", "15.0", sine("1.6", "1.3")),
         "Neighbouring motions separate at every impact: an error of 10⁻¹⁰ is one of 10⁻⁷ at the end."),
    case("backlash-and-wall", "higher", "Play between two blocks, and a wall behind one of them",
         play(["1.4", "1.32"], "0.8", "1.07", ("0.4", "0.3"), ("-0.2", "0.2"), "0.5", "20.0", harmonic("1.97", "1.55", "-1.3207963267948966"),
              stop("wall", "load", upper="0.35", restitution="0.5"), damping=[("driver", "0.11")]),
         "Three stops, and impacts of a body that friction holds."),
    case("plastic-backlash", "higher", "Play without a rebound: the blocks stay together until they are pulled apart",
         play(["1.0", "0.7"], "1.2", "0.6", ("0.5", "0.35"), ("-0.2", "0.3"), "0.0", "30.0", sine("1.5", "0.8"), damping=[("load", "0.1")]),
         "A block comes to rest for an instant and moves the other way, and at that instant the contact opens."),
    case("pushed-apart", "average", "A block pushes another and leaves it behind",
         machine("8.0", node("front", "1.5"), node("back", "1.0", x="0.25"), slider("floor", "back", "2.0", "1.6"),
                 stop("touch", "front", "back", upper="-0.25", restitution="0.5"),
                 force("front", trapezoid("4.0", "0.0", "1.0", "1.0", "1.0")), force("front", trapezoid("-3.0", "2.0", "1.0", "2.0", "0.0"))),
         "The contact opens while both slide: its force has to be looked at, not the gap."),
    case("piling-bounces", "higher", "Play in which bounces pile up again and again",
         play(["1.1", "1.3"], "0.8", "1.5", ("0.55", "0.4"), ("-0.15", "0.15"), "0.5", "25.0", sine("1.4", "1.05")),
         "Infinitely many impacts end in a contact that carries force; a solver that counts them never gets past.", zeno=True),
    case("buffer", "lower", "A wagon runs into a buffer that only pushes",
         machine("3.0", node("wagon", "2.0", v="1.2"), stop("buffer", "wagon", upper="0.5", stiffness="40.0", damping="3.0")),
         "The force of spring and damper vanishes before the buffer is left; without the limit it would pull the wagon back."),
    case("buffer-again", "average", "A wagon on a spring meets its buffer three times",
         machine("10.0", node("wagon", "2.0", v="1.2"), spring("wagon", "ground", "3.0"),
                 stop("buffer", "wagon", upper="0.5", stiffness="40.0", damping="6.0")),
         "Each touch begins with a jump of the force."),
    case("buffer-driven", "average", "A wagon is driven into its buffer and out again",
         machine("15.0", node("wagon", "1.0"), spring("wagon", "ground", "1.0"), stop("buffer", "wagon", upper="0.2", stiffness="25.0", damping="4.0"),
                 force("wagon", constant("0.6")), force("wagon", sine("0.9", "1.7"))),
         "The buffer may push again before the wagon has left it."),
    case("gate-opens", "lower", "A box on a belt is held by a gate until it opens",
         belt(("6.0", "4.0"), "8.0", "0.0", step("4.0", "0.0", "49.0")),
         "The box slips under the gate without moving; it is the belt that moves."),
    case("gate-bounces", "average", "A box on a belt bounces to rest at a gate, which then opens",
         belt(("1.2", "0.8"), "8.0", "0.5", step("4.6", "0.0", "49.0")),
         "The bounces last exactly 2.5 s.", zeno=True),
    case("gate-opens-early", "lower", "A gate opens between two bounces",
         belt(("1.2", "0.8"), "8.0", "0.5", step("3.4", "0.0", "49.0")),
         "The box is in the air, so to speak: nothing happens at the gate when it opens."),
    case("gate-retreats", "average", "A gate retreats more slowly than the belt runs",
         belt(("1.2", "0.8"), "7.0", "0.0", trapezoid("2.0", "3.0", "10.0", "10.0", "0.0")),
         "The box leaves the gate, meets it again while both move, and is carried along in front of it."),
    case("pid-hunts", "higher", "A position loop with an integral hunts around its goal",
         machine("200.0", node("axis", "1.0"), slider("guide", "axis", "1.0", "0.7"),
                 controller(reference="1.0", proportional="6.5", integral="8.5", derivative="3.0")),
         "At rest only the integral moves: every break-away is the end of a wait of seconds."),
    case("pid-hunts-filtered", "higher", "A position loop with a filtered derivative hunts",
         machine("100.0", node("axis", "1.0"), slider("guide", "axis", "1.0", "0.7"),
                 controller(reference="1.0", proportional="6.5", integral="7.5", derivative="3.0", filter="0.1")),
         "Waits one after the other: an error in each adds up."),
    case("pid-hunts-stribeck", "higher", "A position loop hunts on a guide whose friction falls within 0.05 m/s",
         machine("200.0", node("axis", "1.0"), dashpot("axis", "ground", "0.2"), rubs("guide", "axis", stribeck("1.0", "0.6", "0.05", **GAUSS)),
                 controller(reference="0.5", proportional="7.0", integral="8.0", derivative="2.6")),
         "The slip begins without an acceleration."),
    case("pd-rests", "lower", "A loop without an integral comes to rest beside its goal",
         machine("6.0", node("axis", "1.0"), slider("guide", "axis", "1.0", "0.7"),
                 controller(reference="1.0", proportional="10.0", derivative="1.0")),
         "It stays where it is, for ever: whatever creeps there is no rest."),
    case("sampled-pd", "average", "A sampled loop whose force changes a tick after it is computed",
         machine("5.0", node("axis", "1.0"), slider("guide", "axis", "1.0", "0.7"),
                 controller(reference="1.0", proportional="12.0", derivative="3.2", sample_time="0.1", delay="0.1", limit="6.0", anti_windup='"none"')),
         "Slips begin at ticks only, and cease between them."),
    case("sampled-pi", "average", "A sampled loop with an integral and a limit",
         machine("10.0", node("axis", "1.0"), dashpot("axis", "ground", "3.5"), slider("guide", "axis", "1.2", "0.8"),
                 controller(reference="0.8", proportional="5.0", integral="5.0", sample_time="0.2", delay="0.2", limit="3.0", anti_windup='"none"')),
         "The sum keeps growing while the force is at its limit."),
    case("sampled-follows", "average", "A sampled loop follows a sine",
         machine("6.0", node("axis", "0.8", x="0.1"), dashpot("axis", "ground", "0.5"), slider("guide", "axis", "1.2", "0.9"),
                 controller(reference="[{ " + sine("0.7", "2.1") + " }]", proportional="9.0", derivative="2.6", sample_time="0.12", delay="0.12",
                            limit="5.0", anti_windup='"none"')),
         "The reference is read at the ticks, and the force is that of the tick before."),
    case("worm-gear", "average", "A worm gear that locks itself lifts, holds and lowers a load",
         hoist("0.02", "4.0", "20.0", "-30.0", "{ force = 0.15, coefficient = 0.06 }",
               [trapezoid("4.0", "0.0", "2.0", "1.0", "1.0"), trapezoid("1.0", "0.0", "2.0", "2.0", "2.0"), trapezoid("-1.5", "6.0", "1.0", "2.0", "1.0")],
               "20.0"),
         "The friction depends on the acceleration, and the acceleration on the friction."),
    case("driven-back", "average", "A gear that the load drives back",
         hoist("0.03", "6.0", "15.0", "-40.0", "{ force = 0.2, coefficient = 0.03 }",
               [trapezoid("5.0", "0.0", "2.0", "2.0", "1.0"), trapezoid("1.0", "0.0", "2.0", "9.0", "0.0"), trapezoid("3.0", "7.0", "1.0", "4.0", "0.0")],
               "10.0", dashpot("motor", "ground", "0.05")),
         "Lifting and lowering have different inertias."),
    case("flanks-change", "higher", "Hard braking: the torque in a gear changes its sign while it slides",
         hoist("0.02", "8.0", "20.0", "-6.0", "{ force = 0.1, coefficient = 0.055 }",
               [trapezoid("4.0", "0.0", "0.5", "1.0", "0.1"), trapezoid("-8.0", "1.5", "0.1", "0.6", "0.2"), trapezoid("-4.0", "3.0", "0.5", "1.0", "0.5")],
               "6.0"),
         "The acceleration is continuous there and its rate is not: an integrator that steps across loses its order."),
]

for one in MACHINES:
    one.setdefault("settings", ((44, 40), (36, 32)))
