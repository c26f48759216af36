"""The statement of a case in formulas that anybody can code."""

FORMULAS = {
    "oscillator": """
One mass m on a spring, with dry friction against a support:

    m ẍ = b(x, ẋ, t) − 𝔽,    b = {spring} − c ẋ + F(t)

with w = ẋ − v_s(t) the velocity relative to the support. 𝔽 is the force of friction:

* **slip**, w ≠ 0: 𝔽 = {slip};
* **stick**, w = 0: ẍ = v̇_s and 𝔽 = b − m v̇_s, as long as {limit}.

A stick ends at the first instant after which |𝔽| would exceed the limit; the slip begins in the direction of the load. A
slip ends when w reaches zero: the mass sticks if the force that it needs is within the limit, and otherwise slips on in
the other direction (a *reversal*).""",
    "network": """
Point masses on one line, joined by springs, dashpots and sliders; each slider transmits dry friction between two masses, or
between a mass and the ground. With w the relative velocity of a slider's first end to its second:

* **slip**, w ≠ 0: the friction on the first end is −dynamic · sign w, the opposite on the second;
* **stick**, w = 0: the friction takes whatever value keeps w = 0, as long as its size is at most `static`.

A slider slips as soon as that size would exceed `static`, in the direction of the load. When w reaches zero the slider
sticks if the friction that this needs is at most `static`, and otherwise slips on in the other direction (a *reversal*). A
node with a [[network.motion]] moves as given.""",
    "machine": """
Nodes on one line (or angles about one axis), joined by springs, dashpots, sliders, stops, gears and controllers. Every part
has two ends, and z = x_first − x_second and ż are taken between them; what acts on the first end acts on the second the other
way. A node with a [[network.motion]] moves as given.

* **springs and dashpots** pull the first end with −k z and −c ż.
* **sliders**: with w = ż less the velocity of the surface (`support`), the friction on the first end is −F(|w|) sign w in a
  *slip*, F = f_d where two forces are given, f_d + (f_s − f_d) exp(−(|w|/w_s)^p) + η|w| for `stribeck-exponential`, and
  another law for each sign of w where `forward` and `backward` stand there. At rest (w = 0) it takes whatever value keeps
  w = 0, as long as its size is at most f_s of the direction in which the slip would begin. A *slip* begins when that would be
  exceeded; when w reaches zero the slider sticks (*stick*) if it can be held, and slips the other way otherwise (*reversal*).
* **rigid stops** keep lower ≤ z ≤ upper. Where a bound is met with the relative velocity u, it becomes −e u, e the
  restitution; the momentum of both ends together is kept, and friction has no impulse (*impact*; x and v of the event are z and ż just
  after it). With e = 0, and after infinitely many impacts, the ends stay together (*contact*) until the force between them
  would pull (*release*). A slider that an impact sets into motion slips from there on (*slip*), one whose velocity it turns goes the
  other way (*reversal*).
* **soft stops** push with max(0, k p + c ṗ) while p > 0, p being how far z is beyond the bound: *contact* where they begin to
  push, *release* where they cease to.
* **gears** keep x_first = ratio · x_second. They hand the torque T to the second side and −T/ratio to the first, where
  f₀ + μ|T| rubs: against the motion in a slip, at most that at rest. A *load-reversal* is a change of the sign of T in a slip.
* **controllers** act on the node `on` with u = P e + I ∫e + D ė, e = reference − measured; with a `filter` τ ė is (e − y)/τ with
  ẏ = (e − y)/τ, y(0) = e(0). With a `sample_time` they read at t_k = k · sample_time and compute P e_k + Σ I T e_i + D (e_k − e_{{k−1}})/T with
  e_{{−1}} = e_0, cut off at ± `limit`, which acts from t_k + `delay` on; before the first it is 0, and the sum keeps growing at the limit.
  What happens at a tick sees the motion up to it: it reads first, then the force changes.

The events of a slider, a stop and a gear have its name; x and v are those between its ends, of a gear those of its first side.""",
    "impact": """
One mass between rigid walls:

    m ẍ = F(t) − k x − c ẋ + R,    lower wall ≤ x ≤ upper wall

An impact with the velocity v turns it into −e v, e the restitution. The reaction R acts only at a wall, never pulls, and
holds the mass there while the other forces press it on. Infinitely many impacts in a finite time end in a rest at the
wall (*rest*); the mass leaves when the reaction vanishes (*release*).""",
    "cascade": """
One mass on a row of n sliders without mass on the ground, u₁ … u_n, between springs k₀ … k_n:

    m ẍ = F(t) − k₀ (x − u₁)
    W_i = k_{{i−1}} (u_{{i−1}} − u_i) + k_i (u_{{i+1}} − u_i),    u₀ = x, u_{{n+1}} = 0
    |W_i| ≤ α_i;  u_i is constant while |W_i| < α_i, and moves only in the direction of W_i = ±α_i

All springs are relaxed at the start. A *yield* is the instant at which an element begins to slip, a *reversal* one at which
the mass turns and all elements stop.""",
}

LAWS = {
    "coulomb": "f sign w with the one friction force f = {force}; the limit at rest is f too",
    "static-dynamic": "f_d sign w with f_d = {dynamic}; the limit at rest is f_s = {static}",
    "stribeck": "D/(A|w|³ + B w² + C|w| + 1) sign w with A = {a}, B = {b}, C = {c}, D = {d}; the limit at rest is D",
    "stribeck-exponential": "(f_d + (f_s − f_d) exp(−(|w|/w_s)^p) + η|w|) sign w with f_d = {dynamic}, f_s = {static}, "
    "w_s = {velocity}, p = {exponent}, η = {viscous}; the limit at rest is f_s",
    "ageing": "f_d sign w with f_d = {dynamic}; the limit at rest after a time s of rest is "
    "min(f_s, f_d + (f_s − f_d) (s/τ)) with f_s = {static}, τ = {time}",
}

SIGNALS = {
    "constant": lambda p: f"{p}",
    "ramp": lambda p: f"{p.get('offset', 0.0)} + {p['rate']} t",
    "step": lambda p: f"({p['before']} before t = {p['time']}, {p['after']} after)",
    "harmonic": lambda p: f"{p['amplitude']} cos({p['angular_frequency']} t + {p.get('phase', 0.0)})",
    "white": lambda p: f"{p['intensity']} Ḃ(t), B a standard Brownian motion",
}


def is_machine(document):
    """Whether it has what only machines.py treats."""
    t = document.get("network", {})
    return any(k in t for k in ("stop", "gear", "controller")) or any("friction" in s or "support" in s for s in t.get("slider", []))


def signal(signals):
    if not isinstance(signals, list):
        return f"{signals}"
    if not signals:
        return "0"
    return " + ".join(SIGNALS[kind](p) for s in signals for kind, p in s.items() if kind != "on")


def law(table):
    if "forward" in table:
        return f"for w > 0 {law(table['forward'])}; for w < 0 {law(table['backward'])}"
    ((kind, p),) = table.items()
    return LAWS[kind].format(**{"viscous": 0.0, **p})


def numbers(kind, t):
    """The data of the case, one line each."""
    out = []
    if kind == "machine":
        return ["The parts are listed in `model.toml`, each with its numbers. The force or displacement `trapezoids` rises from 0 to "
                "`amplitude` within `rise`, stays there for `top` and falls within `fall`, once from `start` on."]
    if kind == "network":
        return ["The masses, springs, dashpots, sliders and loads are listed in `model.toml`, each with its numbers."]
    out.append(f"m = {t['mass']} kg")
    if kind == "cascade":
        out.append(f"k₀ … k_n = {', '.join(map(str, t['stiffness']))} N/m")
        out.append(f"α₁ … α_n = {', '.join(map(str, t['threshold']))} N")
    else:
        out.append(f"K = {t['stiffness']} N/m" if kind == "oscillator" else f"k = {t.get('stiffness', 0.0)} N/m")
        out.append(f"c = {t.get('damping', 0.0)} N·s/m")
    if kind == "oscillator":
        out.append(f"d(t) = {signal(t.get('drive', []))} m")
    out.append(f"F(t) = {signal(t.get('force', []))} N")
    if kind == "oscillator":
        out.append(f"v_s(t) = {signal(t.get('support', []))} m/s")
        out.append("friction: 𝔽 = " + law(t["friction"]))
        if t.get("normal"):
            out.append(f"these friction numbers are coefficients: all are multiplied by N(t) = {signal(t['normal'])} N")
        if "stops" in t:
            s = t["stops"]
            out.append(f"rigid stops at {s.get('lower', '−∞')} m and {s.get('upper', '∞')} m turn a velocity v into −{s['restitution']} v")
    if kind == "impact":
        out.append(f"walls: x ≥ {signal(t.get('wall', '−∞'))} m, x ≤ {signal(t.get('upper_wall', '∞'))} m; e = {t['restitution']}")
    start = t.get("initial", {})
    out.append(f"x(0) = {start.get('displacement', 0.0)} m, ẋ(0) = {start.get('velocity', 0.0)} m/s")
    return out


#: What makes the motion unique where the load only touches the limit.
STAYS = " Until the load exceeds the limit a mass at rest stays at rest."


def body(document, unique):
    ((kind, t),) = [(k, v) for k, v in document.items() if k not in ("title", "run")]
    kind = "machine" if is_machine(document) else kind
    fill = {}
    if kind == "oscillator":
        k = t["stiffness"]
        spring = "K (d(t) − x)"
        if isinstance(k, list):
            spring = "K₁ z − K₂ z² + K₃ z³ (z = d(t) − x)"
        fill = {"spring": spring, "slip": "the law below, in the direction of w", "limit": "|𝔽| is at most the limit at rest"}
    text = FORMULAS[kind].format(**fill).strip()
    if kind == "oscillator" and unique:
        text += STAYS
    lines = [text, "", "Data (every number is the double nearest to the decimal):", ""]
    lines += [f"* {line}" for line in numbers(kind, t)]
    lines.append(f"* 0 ≤ t ≤ {document['run']['end']} s")
    return "\n".join(lines).replace("+ -", "− ")
