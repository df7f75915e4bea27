"""Every error code of Core IR that a program can cause has a case that causes it."""
import re
import sys

from lib.program import TEST

# Codes that no case can cause yet, and why. Remove a line when its code gets a case.
WITHOUT_CASE = {
    "E1006": "block comments belong to the surface language",
    "E2002": "named variables belong to the surface language",
    "E2003": "inference belongs to the surface language",
    "E3010": "annotated literals belong to the surface language",
    "E5002": "a defect of the derivative rules", "E5003": "axes are checked before",
    "E6003": "every instruction has a kernel",
    "E6006": "no trapping mode",
    "E6007": "a limit of time belongs to a run: test/conformance/runtime and test/cli",
}


def main():
    table = (TEST.parent / "src/dialect/mind_codes.c").read_text()
    codes = set(re.findall(r'\[DIAG_\w+\] = \{"(E\d{4})"', table))
    found = {}
    for path in TEST.rglob("*.case"):
        text = path.read_text(encoding="utf-8")
        if re.search(r"^-- module (?!mind)", text, re.M):
            continue
        for code in re.findall(r"^(?:-- error )?(E\d{4})\b", text, re.M):
            found.setdefault(code, []).append(path.name)
    missing = sorted(c for c in codes if c not in found and c not in WITHOUT_CASE)
    unknown = sorted(c for c in found if c not in codes)
    for code in missing:
        print(f"{code} has no case")
    for code in unknown:
        print(f"{code} is no code of Core IR: {found[code]}")
    failed = len(missing) + len(unknown) + (not codes)
    print(f"{len(codes) - len(missing)} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
