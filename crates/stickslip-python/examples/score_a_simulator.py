"""Score a simulator on the reference set: here time steps of Euler's scheme, on one mass without stops."""

import stickslip as ss


def simulate(case):
    if not isinstance(case.model, ss.Oscillator) or not case.unique or case.model.stops:
        raise NotImplementedError("one mass without stops only")
    # In place of this line: your simulator, with what case.model or case.toml say.
    path = ss.solve(case.model, t_end=case.end, scheme="euler", step=case.end / 20_000)
    rows = [(e["event"], e["t"], e["where"], e["x"], e["v"]) for e in path.events]
    x, v = path(case.times)
    rows += [("state", t, "", xt, vt) for t, xt, vt in zip(case.times, x, v)]
    return rows


scores = ss.reference.score(simulate, ["free-decay", "shaw", "incline-hold", "two-blocks"])
print(scores)
for s in scores:
    assert s["error"] or s["creep"] == 0.0
