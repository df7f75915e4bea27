#!/bin/sh
# Records what callers of the library were compiled with, or compares with that:
#   tools/abi.sh record LIBRARY     when a version is released, or something was added
#   tools/abi.sh check LIBRARY      ends with 1 if programs that use an earlier build could break
# LIBRARY has debugging information (build/dev/libtenon.so).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
version=$(sed -n 's/^project(tenon VERSION \([0-9]*\.[0-9]*\).*/\1/p' "$root/CMakeLists.txt")
record=$root/abi/$version.abi

case ${1-} in
record)
    mkdir -p "$root/abi"
    abidw --headers-dir "$root/include" --drop-private-types --exported-interfaces-only --no-corpus-path \
        --no-comp-dir-path --no-show-locs --out-file "$record" "$2"
    ;;
check)
    status=0
    abidiff --drop-private-types --headers-dir2 "$root/include" "$record" "$2" || status=$?
    # Bits: 1 an error, 2 wrong usage, 4 a change, 8 one that breaks programs.
    [ $((status & 11)) -eq 0 ] || {
        echo "abi: programs compiled before would break ($status); see cmake/tenon.map" >&2
        exit 1
    }
    ;;
*)
    sed -n '2,5s/^# //p' "$0" >&2
    exit 2
    ;;
esac
