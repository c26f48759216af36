#!/bin/sh
# Installs the stickslip program from a release: it downloads the archive for this system, compares its SHA-256 with the list of
# the release, and unpacks it. Nothing else is needed than curl, tar and sha256sum (or shasum).
#
#     sh install.sh [--to FOLDER] [--from ADDRESS]
#
# FOLDER (default: ~/.local) gets bin/stickslip and share/stickslip with the examples. ADDRESS is where the archives and
# SHA256SUMS are; file:///some/folder works too. The release fills in its own address.
set -eu

from='@ADDRESS@'
to="$HOME/.local"
while [ $# -gt 0 ]; do
  case "$1" in
    --to | --from)
      [ $# -ge 2 ] || { echo "install.sh: $1 needs a value after it" >&2; exit 2; }
      ;;
  esac
  case "$1" in
    --to) to=$2; shift 2 ;;
    --from) from=$2; shift 2 ;;
    *) echo "install.sh: $1 is no option; expected --to FOLDER or --from ADDRESS" >&2; exit 2 ;;
  esac
done
case "$from" in
  @*) echo "install.sh: no release is published yet; give the address of the archives by --from" >&2; exit 2 ;;
esac

case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) name=stickslip-linux-x86_64 ;;
  Linux-aarch64 | Linux-arm64) name=stickslip-linux-aarch64 ;;
  Darwin-arm64) name=stickslip-macos-arm64 ;;
  Darwin-x86_64) name=stickslip-macos-x86_64 ;;
  *)
    echo "install.sh: there is no archive for $(uname -s) on $(uname -m); build the program from its source" >&2
    exit 1
    ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in "$name.tar.gz" SHA256SUMS; do
  curl --proto '=https,file' --fail --silent --show-error --location --output "$work/$file" "$from/$file" || {
    echo "install.sh: $from/$file could not be downloaded" >&2
    exit 1
  }
done
wanted=$(grep "[ *]$name.tar.gz\$" "$work/SHA256SUMS" | cut -d ' ' -f 1)
if command -v sha256sum >/dev/null 2>&1; then
  found=$(sha256sum "$work/$name.tar.gz" | cut -d ' ' -f 1)
else
  found=$(shasum -a 256 "$work/$name.tar.gz" | cut -d ' ' -f 1)
fi
if [ -z "$wanted" ] || [ "$wanted" != "$found" ]; then
  echo "install.sh: $name.tar.gz has the SHA-256 $found; the release says ${wanted:-nothing about it}. Nothing was installed." >&2
  exit 1
fi

tar -xzf "$work/$name.tar.gz" -C "$work"
mkdir -p "$to/bin" "$to/share/stickslip"
# A program that is running cannot be written over; it can be replaced.
mv -f "$work/stickslip/stickslip" "$to/bin/stickslip"
cp -R "$work/stickslip/." "$to/share/stickslip/"
"$to/bin/stickslip" --version
echo "installed in $to/bin/stickslip; the examples are in $to/share/stickslip/examples"
case ":$PATH:" in
  *":$to/bin:"*) ;;
  *) echo "add $to/bin to your PATH to call it by its name" ;;
esac
