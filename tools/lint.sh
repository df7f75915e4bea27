#!/bin/sh
# clang-tidy (checks in .clang-tidy) and cppcheck over the library and the program.
cd "$(dirname "$0")/.." || exit 1
jobs=$(nproc)
failed=0

cmake --preset ci-clang >/dev/null || exit 1
run-clang-tidy -quiet -j "$jobs" -p build/ci-clang "$PWD/src/" >build/tidy.txt 2>&1 || failed=1
sed 's/\x1b\[[0-9;]*m//g' build/tidy.txt |
    grep -v -E '^$|^clang-tidy-|warnings? (generated|treated as errors?)'

# cppcheck 2.10 misreads hexadecimal floating constants, hence the one check that is left out.
mkdir -p build/cppcheck
cppcheck --quiet -j "$jobs" --cppcheck-build-dir=build/cppcheck --inline-suppr --std=c11 \
    --enable=warning,performance,portability --error-exitcode=1 \
    --suppress=incorrectLogicOperator \
    -DTENON_VERSION='""' -Iinclude -Isrc src || failed=1

[ $failed -eq 0 ] && echo "lint: clean"
exit $failed
