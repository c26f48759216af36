"""What maturin leaves to be done for the wheels.

`python wheels.py WHEEL LIBRARY` writes, next to WHEEL, the wheel of the package `stickslip-fmi`, which holds the library
that goes into FMUs and nothing else: whoever makes no FMUs need not load it.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import zipfile
from pathlib import Path

NAME = "stickslip_fmi"

INIT = '''"""The library that goes into FMUs: `stickslip.export_fmu` finds it here."""

from pathlib import Path

#: The library for this platform.
library = Path(__file__).with_name("{library}")
'''

METADATA = """\
Metadata-Version: 2.1
Name: stickslip-fmi
Version: {version}
Summary: The library that stickslip puts into FMUs
License: MIT OR Apache-2.0
Requires-Python: >=3.10
"""

WHEEL = """\
Wheel-Version: 1.0
Generator: stickslip
Root-Is-Purelib: false
Tag: {tag}
"""


def recorded(files: dict[str, bytes], record: str) -> dict[str, bytes]:
    """The files of a wheel with the list of them all (PEP 427)."""
    lines = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    return {**files, record: "".join([*lines, f"{record},,\n"]).encode()}


def fmi_wheel(beside: Path, library: Path) -> Path:
    """The wheel of the library, for the platform of the wheel that it lies beside."""
    _, version, *_, platform = beside.stem.split("-")
    tag = f"py3-none-{platform}"
    about = f"{NAME}-{version}.dist-info"
    files = {
        f"{NAME}/__init__.py": INIT.format(library=library.name).encode(),
        f"{NAME}/py.typed": b"",
        f"{NAME}/{library.name}": library.read_bytes(),
        f"{about}/METADATA": METADATA.format(version=version).encode(),
        f"{about}/WHEEL": WHEEL.format(tag=tag).encode(),
    }
    for licence in sorted(Path(__file__).parent.parent.glob("LICENSE-*")):
        files[f"{about}/licenses/{licence.name}"] = licence.read_bytes()
    path = beside.with_name(f"{NAME}-{version}-{tag}.whl")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in recorded(files, f"{about}/RECORD").items():
            out.writestr(name, content)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("library", type=Path)
    asked = parser.parse_args()
    for wheel in [asked.wheel, fmi_wheel(asked.wheel, asked.library)]:
        print(wheel, wheel.stat().st_size)


if __name__ == "__main__":
    main()
