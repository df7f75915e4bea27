"""Checks the compiled library: no writable globals, no calls that end the process or write to
stdout or depend on the locale, and no exported name without the prefix tn_.

usage: check_globals.py [--exports FILE...] --objects FILE...
"""
import argparse
import re
import subprocess
import sys

ENDS_PROCESS = ["abort", "exit", "_exit", "_Exit", "quick_exit"]
WRITES_STDOUT = ["printf", "vprintf", "puts", "putchar", "perror", "stdout"]
USES_LOCALE = ["strtod", "strtof", "strtold", "atof", "setlocale"]
KEEPS_STATE = ["strtok", "rand", "srand", "localtime", "gmtime"]
FORBIDDEN = {name: why for names, why in [
    (ENDS_PROCESS, "ends the process"), (WRITES_STDOUT, "writes to stdout"),
    (USES_LOCALE, "depends on the locale"), (KEEPS_STATE, "uses hidden process state")]
    for name in names}

# objdump -t: address, seven flag characters, section, tab, size, name
SYMBOL = re.compile(r"^[0-9a-f]+ (.{7}) (\S+)\t[0-9a-f]+ +(?:\.hidden )?(\S*)$")


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def is_writable(section):
    # .data.rel.ro holds constant tables with addresses in them; it is read-only once loaded.
    return (re.match(r"\.(data|bss|tdata|tbss)(\.|$)", section) and
            not section.startswith(".data.rel.ro")) or section == "*COM*"


def object_faults(path):
    for line in output_of("objdump", "-t", path).splitlines():
        match = SYMBOL.match(line)
        if not match:
            continue
        flags, section, name = match.groups()
        # 'd' marks the symbols of the sections themselves
        if is_writable(section) and "d" not in flags:
            yield f"'{name}' is a writable global ({section})"
        if section == "*UND*":
            plain = re.sub(r"^__(\w+)_chk$", r"\1", re.sub(r"^__isoc\d\d_", "", name))
            if plain in FORBIDDEN:
                yield f"'{name}' {FORBIDDEN[plain]}"


def export_faults(path):
    dynamic = ["-D"] if path.endswith(".so") else []
    for line in output_of("nm", "--defined-only", "--extern-only", *dynamic, path).splitlines():
        fields = line.split()
        # 'A' marks the names of versions
        if len(fields) == 3 and not fields[2].startswith("tn_") and fields[1] != "A":
            yield f"exports '{fields[2]}'"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--exports", nargs="*", default=[])
    parser.add_argument("--objects", nargs="+", required=True)
    args = parser.parse_args()
    faults = [f"{path}: {fault}" for path in args.objects for fault in object_faults(path)]
    faults += [f"{path}: {fault}" for path in args.exports for fault in export_faults(path)]
    for fault in faults:
        print(fault)
    print(f"{len(args.objects)} objects, {len(args.exports)} libraries, {len(faults)} faults")
    return faults != []


if __name__ == "__main__":
    sys.exit(main())
