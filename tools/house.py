"""Measures the house: lines, comments, packed lines and hidden arguments of a checkout.

    python tools/house.py [FOLDER]

Tests, doc comments and blank lines are told apart from code: what counts are the files below `src` of each crate.
`docs/house.md` holds its figures for two states of the project.
"""

import re
import sys
from pathlib import Path

ROOMS = {
    "stickslip": ["scheme", "onestep", "study"],
    "stickslip-calibrate": ["bearing", "experiments", "models", "record", "statistics"],
}
MODIFIERS = r"(?:pub(?:\([^)]*\))?\s+)?(?:default\s+)?(?:const\s+)?(?:unsafe\s+)?(?:extern\s+\"C\"\s+)?"

# A tuple of names that are given the parts of a tuple.
PACKED = re.compile(r"let \((?:mut )?\w+(?:, (?:mut )?\w+)+\)(?:: [^=;]+)? = \((?:[^();]|\((?:[^()]|\([^()]*\))*\))*,(?:[^();]|\((?:[^()]|\([^()]*\))*\))*\);")


class Count:
    """Lines of several files by what they are."""

    def __init__(self):
        self.code = self.doc = self.comment = self.test = self.files = 0
        self.packed = self.features = self.public = 0
        self.long = []
        self.tuples = self.over = 0

    def per_hundred(self):
        return 100 * self.comment / self.code if self.code else 0.0


def library(path):
    """The text of a file without its unit tests, and the number of lines of these."""
    text = path.read_text(encoding="utf-8")
    if path.name == "tests.rs" or "tests" in path.parts[path.parts.index("src") :]:
        return "", text.count("\n")
    cut = re.search(r"^#\[cfg\(test\)\]\nmod \w+ \{", text, re.M)
    if cut is None:
        return text, 0
    # Unit tests stand last.
    return text[: cut.start()], text[cut.start() :].count("\n")


def parameters(text):
    """The parameters of every function, each as a list of texts."""
    for found in re.finditer(r"^\s*" + MODIFIERS + r"fn \w+", text, re.M):
        at = found.end()
        if at < len(text) and text[at] == "<":
            depth = 0
            while at < len(text):
                # The arrow of a closure's type closes nothing.
                depth += (text[at] == "<") - (text[at] == ">" and text[at - 1] != "-")
                at += 1
                if depth == 0:
                    break
        if at >= len(text) or text[at] != "(":
            continue
        yield split(text[at + 1 : close(text, at)])


def close(text, at):
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] in "([{") - (text[i] in ")]}")
        if depth == 0:
            return i
    return len(text)


def split(text):
    parts, depth, last = [], 0, 0
    for i, c in enumerate(text):
        if c in "([{<":
            depth += 1
        elif c in ")]}" or (c == ">" and text[i - 1] != "-"):
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[last:i].strip())
            last = i + 1
    parts.append(text[last:].strip())
    return [p for p in parts if p]


def hidden(parameter):
    """How many arguments a parameter hides: those of a tuple pattern beyond the first."""
    return len(split(parameter[1 : close(parameter, 0)])) - 1 if parameter.startswith("(") else 0


def add(count, path):
    text, tests = library(path)
    count.files += 1
    count.test += tests
    code = []
    for line in text.splitlines():
        bare = line.strip()
        if bare.startswith(("///", "//!")):
            count.doc += 1
        elif bare.startswith("//"):
            count.comment += 1
        elif bare:
            count.code += 1
            # A comment behind code; a scheme of an address is none.
            count.comment += bool(re.search(r"[^:\"]// ", line))
            code.append(line)
    bare = "\n".join(code)
    count.packed += len(PACKED.findall(bare))
    count.features += len(re.findall(r"cfg(?:_attr)?\([^\n]*feature = ", bare))
    count.public += len(re.findall(r"^\s*pub (?:const |unsafe )*(?:fn|struct|enum|trait|const|static|type|mod|use) ", bare, re.M))
    for all in parameters(bare):
        tupled = sum(map(hidden, all))
        count.tuples += sum(p.startswith("(") for p in all)
        count.over += bool(tupled) and len(all) + tupled > 7
    lines = text.count("\n") + tests
    if lines > 600:
        count.long.append((lines, path))


def row(name, c):
    print(
        f"| {name} | {c.code:,} | {c.doc:,} | {c.comment:,} | {c.per_hundred():.1f} | {c.test:,} | {c.packed} "
        f"| {c.tuples} | {c.over} | {c.features} |"
    )


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    print("| place | code | doc | inline | inline per 100 | unit tests | packed lets | tuple arguments | more than 7 by them | cfg(feature) |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    everything, long = Count(), []
    for crate in sorted((root / "crates").glob("*/src")):
        whole = Count()
        for path in sorted(crate.rglob("*.rs")):
            add(whole, path)
            add(everything, path)
        row(f"`{crate.parent.name}`", whole)
        long += whole.long
        if crate.parent.name == "stickslip":
            public = whole.public
        for room in ROOMS.get(crate.parent.name, []):
            part = Count()
            for path in sorted((crate / room).rglob("*.rs")):
                add(part, path)
            if part.files:
                row(f"… `{room}`", part)
    row("all", everything)
    print(f"\nItems of the core that are `pub`: {public:,}")
    print("Files of more than 600 lines: " + (", ".join(f"{p.relative_to(root)} ({n})" for n, p in sorted(long, reverse=True)) or "none"))


main()
