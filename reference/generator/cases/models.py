"""Model files from a few words: what the cases are written with."""


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
