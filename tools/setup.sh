#!/bin/sh
# Installs the Debian packages that building and testing need; does nothing when all are present.
# Further package names may be given as arguments; after --try it is no failure when these cannot be
# installed, and whatever needs them is left out.
set -u
try=""
[ "${1-}" = --try ] && shift && try=yes
packages="build-essential cmake ninja-build pkg-config libzip-dev clang clang-format clang-tidy
    libclang-rt-14-dev libonnx-testdata llvm-19-dev python3 python3-numpy python3-build
    python3-wheel python3-setuptools python3-markdown python3-hypothesis python3-pyflakes mypy mandoc zsh
    fish shellcheck abigail-tools openmpi-bin libopenmpi-dev mpich libmpich-dev $*"

if ! command -v dpkg-query >/dev/null; then
    echo "setup: not a Debian system; please see to it that these, or what they are called here," \
        "are present:" >&2
    echo "   " $packages >&2
    exit 0
fi

missing=""
for package in $packages; do
    # Node.js from elsewhere brings npm, and Debian's does not go with it.
    [ "$package" = npm ] && command -v npm >/dev/null && continue
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)
    [ "$status" = installed ] || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

if [ "$(id -u)" -eq 0 ]; then
    as_root="env"
elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    as_root="sudo"
else
    echo "setup: these packages are missing, and neither root nor sudo is at hand:$missing" >&2
    echo "setup: as root, run: apt-get install$missing" >&2
    [ -n "$try" ] && exit 0
    exit 1
fi

echo "setup: installing$missing"
export DEBIAN_FRONTEND=noninteractive
if ! $as_root apt-get -qq update ||
    ! $as_root apt-get -qq -y --no-install-recommends install $missing; then
    echo "setup: apt-get failed; still missing:$missing" >&2
    [ -n "$try" ] && exit 0
    exit 1
fi
