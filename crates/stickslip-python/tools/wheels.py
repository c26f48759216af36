"""What maturin leaves to be done for the wheels.

`python wheels.py library WHEEL LIBRARY` writes, next to WHEEL, the wheel of the package `stickslip-fmi`, which holds the
library that goes into FMUs and nothing else: whoever makes no FMUs need not load it.

`python wheels.py merge FOLDER` puts all wheels of `stickslip-fmi` in FOLDER, each with the library of its own platform,
into one that has the libraries of all of them, so that an FMU that is made on one system runs on the others.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import zipfile
from pathlib import Path

NAME = "stickslip_fmi"

#: The platforms as FMI 3.0 names them, by what the tag of a wheel begins and ends with.
PLATFORMS = {
    ("manylinux", "x86_64"): "x86_64-linux",
    ("manylinux", "aarch64"): "aarch64-linux",
    ("linux", "x86_64"): "x86_64-linux",
    ("linux", "aarch64"): "aarch64-linux",
    ("musllinux", "x86_64"): "x86_64-linux",
    ("musllinux", "aarch64"): "aarch64-linux",
    ("win", "amd64"): "x86_64-windows",
    ("macosx", "x86_64"): "x86_64-darwin",
    ("macosx", "arm64"): "aarch64-darwin",
}

INIT = '''"""The library that goes into FMUs, for each platform: `stickslip.export_fmu` finds it here."""

import platform
import sys
from pathlib import Path

#: The libraries by the names that FMI 3.0 gives the platforms.
libraries = {{
    name: Path(__file__).with_name(name) / file
    for name, file in {libraries}.items()
}}


def _here() -> str:
    machine = {{"amd64": "x86_64", "arm64": "aarch64"}}.get(platform.machine().lower(), platform.machine())
    system = {{"win32": "windows"}}.get(sys.platform, sys.platform)
    return f"{{machine}}-{{system}}"


#: The library for this platform; `None` if it is not among them.
library = libraries.get(_here())
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


def platform_of(tag: str) -> str:
    """The platform of a wheel's tag, as FMI 3.0 names it."""
    for (system, machine), name in PLATFORMS.items():
        if tag.startswith(system) and tag.endswith(machine):
            return name
    raise SystemExit(f"{tag}: no platform of FMI is known by this tag of a wheel")


def written(folder: Path, version: str, tag: str, libraries: dict[str, tuple[str, bytes]]) -> Path:
    """The wheel with these libraries: for each platform the name of the file, and the file."""
    about = f"{NAME}-{version}.dist-info"
    names = {platform: file for platform, (file, _) in sorted(libraries.items())}
    files = {f"{NAME}/__init__.py": INIT.format(libraries=names).encode(), f"{NAME}/py.typed": b""}
    for platform, (file, content) in sorted(libraries.items()):
        files[f"{NAME}/{platform}/{file}"] = content
    files[f"{about}/METADATA"] = METADATA.format(version=version).encode()
    files[f"{about}/WHEEL"] = WHEEL.format(tag=tag).encode()
    for licence in sorted(Path(__file__).parent.parent.glob("LICENSE-*")):
        files[f"{about}/licenses/{licence.name}"] = licence.read_bytes()
    path = folder / f"{NAME}-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in recorded(files, f"{about}/RECORD").items():
            out.writestr(name, content)
    return path


def library_wheel(beside: Path, library: Path) -> Path:
    """The wheel of the library, for the platform of the wheel that it lies beside."""
    _, version, *_, tag = beside.stem.split("-")
    libraries = {platform_of(tag): (library.name, library.read_bytes())}
    return written(beside.parent, version, f"py3-none-{tag}", libraries)


def merged(folder: Path) -> Path:
    """One wheel in place of those of single platforms."""
    parts = sorted(p for p in folder.glob(f"{NAME}-*.whl") if not p.stem.endswith("-any"))
    if not parts:
        raise SystemExit(f"{folder}: there is no wheel of {NAME}")
    versions = {part.stem.split("-")[1] for part in parts}
    if len(versions) > 1:
        raise SystemExit(f"{folder}: wheels of several versions: {', '.join(sorted(versions))}")
    libraries: dict[str, tuple[str, bytes]] = {}
    for part in parts:
        with zipfile.ZipFile(part) as wheel:
            for name in wheel.namelist():
                place = name.split("/")
                if len(place) == 3 and place[0] == NAME:
                    libraries[place[1]] = (place[2], wheel.read(name))
    path = written(folder, versions.pop(), "py3-none-any", libraries)
    for part in parts:
        part.unlink()
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("library")
    one.add_argument("wheel", type=Path)
    one.add_argument("library", type=Path)
    commands.add_parser("merge").add_argument("folder", type=Path)
    asked = parser.parse_args()
    if asked.command == "merge":
        wheels = [merged(asked.folder)]
    else:
        # Of the wheel only the name is needed: a dry run gives one that stands for another platform.
        there = [asked.wheel] if asked.wheel.is_file() else []
        wheels = [*there, library_wheel(asked.wheel, asked.library)]
    for wheel in wheels:
        print(wheel, wheel.stat().st_size)


if __name__ == "__main__":
    main()
