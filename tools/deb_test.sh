#!/bin/sh
# Installs the packages of `make deb` in a fresh system and runs debian/tests there: tools/deb_test.sh DEBS
# The system is that of this machine's release, from the mirror that apt is configured with. As root.
set -eu
unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER # of the caller; the fresh root may lack them
debs=$(cd "${1:-build/deb}" && pwd)
top=$(cd "$(dirname "$0")/.." && pwd)
[ "$(id -u)" -eq 0 ] || { echo "deb_test: this needs root" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

. /etc/os-release
# Sources of other parties are for other programs.
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' "Codename: $VERSION_CODENAME" | sed -n 1p)
echo "deb_test: $VERSION_CODENAME from ${mirror:=http://deb.debian.org/debian}"
mmdebstrap --quiet --variant=apt --skip=cleanup/apt/lists \
    --customize-hook='copy-in /etc/resolv.conf /etc' "$VERSION_CODENAME" "$work/root" "$mirror"
mkdir "$work/tree"
(cd "$top" && git ls-files -z | tar --null --files-from=- -cf - | tar -xf - -C "$work/tree")
status=0
autopkgtest --output-dir "$work/out" "$debs"/*.deb "$work/tree/" -- chroot "$work/root" || status=$?
# 2: some test was skipped; 8: there was none
if [ "$status" -ne 0 ]; then
    echo "deb_test: failed ($status)" >&2
    exit 1
fi
echo "deb_test: the packages install and work"
