"""The program under test: where it is, and how it is run."""
import os
import pathlib
import subprocess

TEST = pathlib.Path(__file__).resolve().parent.parent
ROOT = TEST.parent
TENON = os.path.abspath(os.environ.get("TENON", ROOT / "build/release/tenon"))
# Seconds. What does not end by then never will: no run of a test takes more than a few, on a
# machine that has nothing else to do.
HANG = 1800


class Failure(Exception):
    """What a test found wrong."""


def start(*arguments, **options):
    """Run the program and return what subprocess.run does; text is captured, unless OPTIONS differ."""
    given = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
             "text": True, "errors": "replace", "timeout": HANG} | options
    if "input" in given:
        del given["stdin"]
    if not given["text"]:
        del given["errors"]
    return subprocess.run([TENON, *map(str, arguments)], **given)


def tenon(*arguments, allowed=(0,), **options):
    """The same; a status that is not ALLOWED is a failure."""
    done = start(*arguments, **options)
    if done.returncode not in allowed:
        said = done.stderr if isinstance(done.stderr, str) else done.stderr.decode(errors="replace")
        raise Failure(f"`tenon {' '.join(map(str, arguments))}` ended with {done.returncode}:\n"
                      f"{said[-4000:]}")
    return done


def output(*arguments):
    """What the program prints; it must end with 0."""
    return tenon(*arguments).stdout
