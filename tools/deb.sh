#!/bin/sh
# Builds the Debian packages from an export of the tracked files, without a network:
#   tools/deb.sh [OUT] [options of dpkg-buildpackage]
# OUT (build/deb) gets the packages; those in debian/control that building needs must be installed.
set -eu
cd "$(dirname "$0")/.."
out=${1:-build/deb}
[ $# -eq 0 ] || shift
version=$(dpkg-parsechangelog --show-field Version)
tree=$out/tenon-$version

rm -rf "$out"
mkdir -p "$tree"
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -z | tar --null --files-from=- -cf - | tar -xf - -C "$tree"
else
    tar --exclude=./build -cf - . | tar -xf - -C "$tree" # an archive of sources has nothing else
fi
cd "$tree"
# Debian's Python, and its compilers, whatever else is in PATH.
PATH=/usr/sbin:/usr/bin:/sbin:/bin dpkg-buildpackage --no-sign "$@"
cd ..
rm -rf "tenon-$version"
lintian --fail-on error,warning --tag-display-limit 0 ./*.changes
