"""Runs the case files in the folders beside it: programs as text and what must come out of them.

    run_cases.py [--tenon PATH] [--filter TEXT] [--bless] [--jobs N] [--no-jit] [--narrow] [FOLDER or FILE]...

A case starts with lines of `#` that say what it guards. Then come sections:

  -- module mind|ptir|ptir-text|tiny|stablehlo [profile=core-v1] [strict] [bytes]
        the program, in that dialect. With `bytes`, \\xHH stands for a byte and no newline is added
        at the end.
  -- run [threads=1,2] [O=0]
        input values, `name = numbers`; later lines continue the last input. The type is that of
        the declared input, or given as in `name : f32[2, 3] = numbers` (other dialects than mind).
        V*N is V repeated N times.
  -- expect 0 | %id [exact | tol=T | ulp=N]
        the values of an output, by position or id. `exact` (the default) compares bits, except
        that NaN equals NaN; a tolerance T allows T * max(1, |expected|); N ulp are units in the
        last place of the expected value. bf16 and fp8 are given by their bits: 0x7fc0, 0x7f
        (e4m3) and 0x7e (e5m2) stand for any NaN.
  -- error CODE [line:column]
        the run must stop with this error. May be followed by `has TEXT`.
  -- diagnostics
        what `check` must report, complete and in order: `CODE severity line:column`, each followed
        by any of `note line:column`, `has TEXT` (in the message or a note), `node %id`, and
        `fixed` (the edit that the diagnostic offers makes the program valid).
  -- expect text [STYLE]
        what `fmt` prints.
  -- passes NAME NAME...
        followed by `-- expect module`: what `opt` with these passes prints.
  -- gradient 0 | %id wrt NAME [seed=S] [profile=core-v1] [exact | tol=T | ulp=N]
        the gradient of an output by an input, for the input values of the last run (the program
        has none: no run needed). The gradient module must verify, be canonical, come out the same
        twice, and give the primal results with all their bits.
  -- cli ARGUMENTS
        a command; {module} is the program's file. Followed by any of `-- expect stdout`,
        `-- expect stderr`, `-- expect status N`.

Whatever else a case says, its program, when valid, is printed in every style, read back and
printed again, and canonicalised twice; with a `run` section it is evaluated as it is, at every -O
level, after each pass, and run by both engines, all with the same bits.

--bless rewrites the `expect text`, `expect module` and `expect stdout` sections with what came out.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import re
import shlex
import struct
import subprocess
import sys
import tempfile

from lib.npy import DTYPES, file_dtype, pack, read_npy, same_nan, same_narrow_nan, unpack, write_npy
from lib.program import HANG, TENON, TEST, Failure
from lib.serve import serve

DIALECTS = {  # what files are called, and the styles that say all
    "mind": (".ir", ("canonical", "positional", "tool", "records")),
    "mind-source": (".mind", ()),  # only read: what is checked further is its Core IR
    "ptir": (".ptir.json", ("canonical",)),
    "ptir-text": (".ptir", ("canonical",)),
    "tiny": (".tiny.json", ("canonical",)),
    "stablehlo": (".mlir", ()),  # only read: what it becomes may have operations that no text has
}
THOROUGH = ("read", "style", "pass", "random")  # folders where every pair of steps is tried


# ---- values ----------------------------------------------------------------------------------

def ulp(dtype, value):
    """The distance from a finite VALUE to the next larger one in magnitude."""
    code, bits = {"f16": ("e", "H"), "f32": ("f", "I"), "f64": ("d", "Q")}[dtype]
    pattern = struct.unpack("<" + bits, struct.pack("<" + code, abs(value)))[0]
    low, high = (struct.unpack("<" + code, struct.pack("<" + bits, pattern + k))[0] for k in (0, 1))
    return high - low


def close(dtype, got, want, how):
    if want != want or math.isinf(want) or math.isinf(got):
        return got == want or (got != got and want != want)
    kind, limit = how.split("=")
    if kind == "ulp":
        return abs(got - want) <= float(limit) * ulp(dtype, want)
    return abs(got - want) <= float(limit) * max(1.0, abs(want))


# ---- case files -------------------------------------------------------------------------------

class Section:
    def __init__(self, title, lines):
        self.title = title
        self.lines = lines
        self.words = title.split()

    def body(self):
        """The lines without the blank ones before the next section."""
        lines = list(self.lines)
        while lines and not lines[-1].strip():
            lines.pop()
        return lines

    def text(self):
        return "".join(line + "\n" for line in self.body())

    def set_text(self, text):
        self.lines = text.splitlines() + [""]


def parse_case(path):
    lines = path.read_bytes().decode().split("\n")
    if not lines[0].startswith("#"):
        raise Failure("a case starts with a comment that says what it guards")
    head, sections = [], []
    for line in lines:
        if line.startswith("-- "):
            sections.append(Section(line[3:].strip(), []))
        elif sections:
            sections[-1].lines.append(line)
        else:
            head.append(line)
    if not sections or sections[0].words[0] not in ("module", "cli"):
        raise Failure("the first section is `-- module DIALECT`")
    if sections[0].words[0] == "module" and sections[0].words[1] not in DIALECTS:
        raise Failure(f"there is no dialect {sections[0].words[1]}")
    return head, sections


def number(text, dtype):
    if dtype == "i1":
        return {"true": True, "false": False, "1": True, "0": False}[text]
    if dtype[0] in "iu":
        return int(text, 0)
    return float.fromhex(text) if "0x" in text else float(text)


def numbers(text, dtype):
    out = []
    for word in text.split():
        value, star, times = word.partition("*")
        out += [number(value, dtype)] * (int(times) if star else 1)
    return out


TYPE = re.compile(r":\s*[Tt]ensor\s*<\s*(\w+)\s*>?\s*,?\s*\[([^\]]*)\]\s*>?\s*(?:#.*)?$")
NAME = re.compile(r'name\s*[=:]\s*"?((?:[^"\\},\s]|\\.)+)')


PARAMETER = re.compile(r"%?([\w.]+)\s*:\s*[Tt]ensor<\s*(\w+)\s*(?:,([^>]*))?>")


MLIR = re.compile(r"%([\w.$-]+)\s*:\s*tensor<((?:\d+x)*)(\w+(?:<\w+>)?)>")
MLIR_NAMES = {"f8E4M3FN": "fp8_e4m3", "f8E5M2": "fp8_e5m2", "complex<f32>": "cf32", "complex<f64>": "cf64"}


def mlir_types(source):
    """The types of the arguments of @main, or of the first function, by their names."""
    head = re.search(r"func\.func\s+(?:public\s+)?@main\((.*?)\n", source) or \
        re.search(r"func\.func\s+(?:public\s+)?@\w+\((.*?)\n", source)
    types = {}
    for name, dims, dtype in MLIR.findall(head[1] if head else ""):
        plain = MLIR_NAMES.get(dtype) or re.sub(r"^i(?=\d+$)(?!1$)", "si", dtype)
        types[name] = (file_dtype(plain), [int(d) for d in dims.split("x") if d])
    return types, {name: name for name in types}


def parameter_types(source, dialect):
    """The same as declared_types for PTIR: of parameters, by their names."""
    types = {}
    if dialect == "stablehlo":
        return mlir_types(source)
    if dialect == "ptir-text":
        head = re.search(r"func(?:tion)?\s+@?[\w.]+\s*\((.*?)\)\s*->", source, re.S)
        for name, dtype, dims in PARAMETER.findall(head[1] if head else ""):
            types[name] = (dtype.lower(), [d for d in dims.replace(" ", "").split("x") if d])
    else:
        try:
            program = json.loads(source)
            f = next(f for f in program["functions"] if f["name"] == program["entry"])
            for k, t in enumerate(f["parameters"]):
                spec = t["Tensor"]
                types[str(k)] = (spec["dtype"].lower(),
                                 [d.get("Static") for d in spec["shape"]["dims"]])
        except (ValueError, KeyError, StopIteration, TypeError):
            return {}, {}
    types = {name: (file_dtype(dtype), [int(d) for d in dims])
             for name, (dtype, dims) in types.items()
             if all(re.fullmatch(r"\d+", str(d)) for d in dims)}
    return types, {name: name for name in types}


def declared_types(source, dialect="mind"):
    """By value id: (dtype, shape) as the text declares them; and input names with their ids."""
    if dialect != "mind":
        return parameter_types(source, dialect)
    types, inputs = {}, {}
    for line in source.splitlines():
        head = re.match(r"\s*(%\w+)\s*=\s*(\w+)", line)
        found = TYPE.search(line)
        if not head or not found:
            continue
        dims = [d.strip() for d in found[2].split(",") if d.strip()]
        if not all(re.fullmatch(r"-?\d+", d) for d in dims):
            continue
        types[head[1]] = (found[1], [int(d) for d in dims])
        name = NAME.search(line)
        if head[2] == "Input" and name:
            inputs[name[1]] = head[1]
    return types, inputs


def output_ids(source, dialect):
    for line in source.splitlines():
        found = dialect == "mind" and re.match(r"\s*outputs\s*:(.*)", line)
        if found:
            return re.findall(r"%\w+", found[1].split("#")[0])
    return []


# ---- running ----------------------------------------------------------------------------------

class Done:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err


class Case:
    def __init__(self, path, options, folder):
        self.path = path
        self.options = options
        self.folder = folder
        self.head, self.sections = parse_case(path)
        self.flags = []
        self.blessed = False
        self.thorough = path.parent.name in THOROUGH and not getattr(options, "quick", False)
        first = self.sections[0].words
        self.dialect = first[1] if first[0] == "module" else "mind"
        self.extension, self.styles = DIALECTS[self.dialect]
        self.module = folder / ("m" + self.extension)

    def tenon(self, *arguments, stdin=None):
        """Run the program; ending by a signal or with a status of 70 and more is a failure."""
        server = getattr(self.options, "serve", None)
        if server:
            status, out, err = serve(server, self.folder, arguments, stdin)
            done = subprocess.CompletedProcess([], status, out, err)
        else:
            done = self.start(arguments, stdin)
        if done.returncode < 0 or done.returncode >= 70:
            raise Failure(f"`tenon {shlex.join(map(str, arguments))}` ended with "
                          f"{done.returncode}:\n{done.stderr.decode(errors='replace')[-4000:]}")
        return Done(done.returncode, done.stdout, done.stderr)

    def start(self, arguments, stdin):
        given = {"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}
        try:
            return subprocess.run([self.options.tenon, *map(str, arguments)], **given,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, close_fds=False,
                                  timeout=HANG)
        except subprocess.TimeoutExpired:
            raise Failure(f"`tenon {shlex.join(map(str, arguments))}` does not end") from None

    def succeed(self, *arguments, text=None):
        """What the command prints; it must end with 0. TEXT goes into a file that comes last."""
        if text is not None:
            path = self.folder / ("t" + self.extension)
            path.write_text(text, encoding="utf-8")
            arguments = (*arguments, *self.flags, path)
        try:
            done = self.tenon(*arguments)
        except Failure as failure:
            raise Failure(f"{failure}\n{text or ''}") from None
        if done.status != 0:
            raise Failure(f"`tenon {shlex.join(map(str, arguments))}` ended with {done.status}:\n"
                          f"{done.err.decode(errors='replace')}{text or ''}")
        return done

    def fmt(self, text, style):
        return self.succeed("fmt", "--style", style, text=text).out.decode()

    def opt(self, text, passes):
        return self.succeed("opt", "--passes", ",".join(passes), text=text).out.decode()

    def after_passes(self, text):
        """(name, text) after each pass: alone when thorough, else one after the other."""
        if self.thorough:
            return [(name, self.opt(text, [name])) for name in self.options.passes]
        names = self.options.passes
        done = self.succeed("opt", "--passes", ",".join(names), "--dump-after", "all", text=text)
        dumps = re.split(r"^# after (\S+).*\n", done.err.decode(), flags=re.M)
        out = list(zip(dumps[1::2], dumps[2::2]))
        if dumps[0] or dumps[1::2] != names or out[-1][1] != done.out.decode():
            raise Failure(f"odd dumps:\n{done.err.decode()}")
        return out

    def lower(self):
        """The Core IR of a surface program, which takes its place from now on."""
        source = self.succeed("convert", "--to", "mind", *self.flags, self.module).out.decode()
        self.dialect = "mind"
        self.extension, self.styles = DIALECTS[self.dialect]
        self.flags = [f for k, f in enumerate(self.flags)
                      if "--profile" in self.flags[max(k - 1, 0):k + 1]]
        self.module = self.folder / ("m" + self.extension)
        self.module.write_text(source, encoding="utf-8")
        return source

    # ---- what every valid program must satisfy

    def check_printing(self, source):
        """Every style is a fixed point and all styles are one module. Returns the canonical."""
        canonical = printed = self.fmt(source, "canonical")
        for style in self.styles[1:]:  # each from the text of the one before
            printed = self.fmt(source if self.thorough else printed, style)
            if self.thorough:
                self.equal(printed, self.fmt(printed, style), f"printed twice in style {style}")
                self.equal(canonical, self.fmt(printed, self.styles[0]), f"canonical from {style}")
        self.equal(canonical, self.fmt(printed, self.styles[0]), "canonical through every style")
        return canonical

    def check_canonical(self, source):
        once = self.opt(source, ["canonicalize"])
        self.equal(once, self.opt(once, ["canonicalize"]), "canonicalised twice")

    def equal(self, want, got, what):
        if want != got:
            raise Failure(f"{what}: expected\n{want}but got\n{got}")

    # ---- runs

    def write_inputs(self, section, types, inputs):
        values, name = {}, None
        for line in section.body():
            found = re.match(r"\s*([^\s=:]+)\s*(?::\s*(\w+)\s*\[([^\]]*)\]\s*)?=(.*)", line)
            if found:
                name, line = found[1], found[4]
                if found[2]:
                    given = [int(d) for d in found[3].split(",") if d.strip()]
                    inputs, types = {**inputs, name: name}, {**types, name: (found[2], given)}
                values[name] = ""
            if line.strip():
                if name is None:
                    raise Failure(f"values without an input: {line}")
                values[name] += " " + line
        arguments = []
        for at, (name, text) in enumerate(values.items()):
            if name not in inputs:
                raise Failure(f"the type of input {name} is not known")
            dtype, shape = types[inputs[name]]
            dtype = file_dtype(dtype)
            data = numbers(text, dtype)
            if len(data) != math.prod(shape) * len(DTYPES[dtype][1]):
                raise Failure(f"input {name} has shape {shape} but {len(data)} values")
            path = self.folder / f"in{at}.npy"
            write_npy(path, dtype, shape, data)
            arguments += ["--input", f"{name}={path}"]
        return arguments

    def run(self, source, arguments, *more, engine="ref"):
        """The outputs of a run: a list of (dtype, shape, bytes with equal NaNs)."""
        out = self.folder / "out"
        out.mkdir(exist_ok=True)
        for old in out.iterdir():
            old.unlink()
        self.succeed("run", *arguments, *more, "--engine", engine, "--output", out, text=source)
        results = []
        for entry in json.loads((out / "outputs.json").read_text()):
            dtype, shape, raw = read_npy(out / entry["file"])
            if (dtype, shape) != (file_dtype(entry["dtype"]), entry["shape"]):
                raise Failure(f"outputs.json says {entry}, the file {dtype} {shape}")
            raw = same_narrow_nan(entry["dtype"], same_nan(dtype, raw))
            results.append((dtype, shape, raw))
        return results

    def check_run(self, section, source, canonical, types):
        options = dict(word.split("=") for word in section.words[1:])
        arguments = self.write_inputs(section, *declared_types(source, self.dialect))
        plain = self.run(source, arguments, "-O0")
        levels = options["O"].split(",") if "O" in options else ["1", "2"]
        for level in levels:
            if self.run(source, arguments, f"-O{level}") != plain:
                raise Failure(f"-O{level} gives other bits than -O0")
        for level in ["0", levels[-1]] if self.options.jit else []:
            check = ["--check"] if level == "0" else []  # kernel by kernel
            if self.run(source, arguments, f"-O{level}", *check, engine="jit") != plain:
                raise Failure(f"the jit engine gives other bits at -O{level}")
        for threads in options.get("threads", "").split(",") if self.options.jit else []:
            if threads and self.run(source, arguments, "--threads", threads,
                                    engine="jit") != plain:
                raise Failure(f"{threads} threads give other bits")
        seen = {source, canonical}
        for name, text in self.after_passes(source) if self.styles else []:
            if text not in seen and self.run(text, arguments, "-O0") != plain:
                raise Failure(f"after the pass {name} the result differs:\n{text}")
            seen.add(text)
        return plain

    def check_values(self, section, results, ids, types):
        which = section.words[1]
        at = ids.index(which) if which.startswith("%") else int(which)
        if at >= len(results):
            raise Failure(f"there is no output {at}")
        dtype, shape, raw = results[at]
        if ids and ids[at] in types and types[ids[at]] != (dtype, shape):
            raise Failure(f"output {at} is {dtype} {shape}, declared {types[ids[at]]}")
        want = numbers(" ".join(section.body()), dtype)
        got = unpack(dtype, raw)
        if len(want) != len(got):
            raise Failure(f"output {at} has {len(got)} values, expected {len(want)}:\n{got}")
        how = section.words[2] if len(section.words) > 2 else "exact"
        if how == "exact":
            bad = same_nan(dtype, pack(dtype, want)) != raw
        else:
            want = unpack(dtype, pack(dtype, want))
            bad = not all(close(dtype, g, w, how) for g, w in zip(got, want))
        if bad:
            raise Failure(f"output {at}: expected\n{want}\nbut got\n{got}")

    def check_gradient(self, section, run_section, source, types, ids):
        which, _, name, *more = section.words[1:]
        how = [w for w in more if not w.startswith(("seed=", "profile="))] or ["exact"]
        flags = list(self.flags)
        for word in more:
            if word.startswith(("seed=", "profile=")):
                flags += ["--" + word.split("=")[0], word.split("=")[1]]
        asked = [*flags, "--loss", which, "--wrt", name, self.module]
        text = self.succeed("grad", *asked).out.decode()
        self.equal(text, self.succeed("grad", *asked).out.decode(), "the gradient a second time")
        check = [f for f in flags if not f.startswith("--seed")]
        if "--seed" in flags:
            at = flags.index("--seed")
            check = flags[:at] + flags[at + 2:]
        path = self.folder / ("g" + self.extension)
        path.write_text(text, encoding="utf-8")
        self.succeed("check", *check, path)
        self.equal(text, self.succeed("opt", "--passes", "canonicalize", *check, path).out.decode(),
                   "the gradient module, canonicalised")
        arguments = []
        if run_section:
            arguments = self.write_inputs(run_section, *declared_types(source, self.dialect))
        plain = self.run(source, arguments, "-O0")
        results = self.run(text, arguments, "-O0")
        if results[:len(plain)] != plain:
            raise Failure("the gradient module gives other primal results")
        title = Section(f"expect {len(plain)} {how[0]}", section.lines)
        self.check_values(title, results, [], {})

    def check_error(self, section, run_section, source, types):
        arguments = self.write_inputs(run_section, *declared_types(source, self.dialect))
        engines = ["ref", "jit"] if self.options.jit else ["ref"]
        for level in [f"-O{o} --engine={e}" for o in range(3) for e in engines]:
            done = self.tenon("run", "--diagnostics", "json", *self.flags, *arguments,
                              *level.split(), "--output", self.folder / "out", self.module)
            if done.status != 3 or done.out:
                raise Failure(f"run {level} ended with {done.status}, printed "
                              f"{done.out.decode()}{done.err.decode()}")
            found = [d for d in self.parse_diagnostics(done) if d["severity"] == "error"]
            got = [d["code"] for d in found]
            if got != [section.words[1]]:
                raise Failure(f"run {level}: expected {section.words[1]}, got {got}\n"
                              f"{done.err.decode()}")
            place = f"{found[0]['line']}:{found[0]['column']}"
            if len(section.words) > 2 and place != section.words[2]:
                raise Failure(f"the error is at {place}, expected {section.words[2]}")
            for line in section.body():
                self.check_detail(line, found[0], source)

    # ---- diagnostics

    def parse_diagnostics(self, done):
        keys = ["severity", "kind", "code", "message", "file", "line", "column", "length", "node",
                "notes", "fix"]
        out = []
        for line in done.err.decode("utf-8").splitlines():
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:
                raise Failure(f"no JSON diagnostic: {line}") from None
            if list(entry) != keys:
                raise Failure(f"a diagnostic has the fields {list(entry)}")
            out.append(entry)
        return out

    def check_detail(self, line, diagnostic, source):
        word, _, rest = line.strip().partition(" ")
        notes = diagnostic["notes"]
        if word == "note":
            if rest not in [f"{n['line']}:{n['column']}" for n in notes]:
                raise Failure(f"no note at {rest}: {notes}")
        elif word == "has":
            texts = [diagnostic["message"]] + [n["message"] for n in notes]
            if not any(rest.lower() in t.lower() for t in texts):
                raise Failure(f"'{rest}' is not in {texts}")
        elif word == "node":
            if diagnostic["node"] != rest:
                raise Failure(f"the node is '{diagnostic['node']}', not '{rest}'")
        elif word == "fixed":
            fix = diagnostic["fix"]
            if not fix or fix["replacement"] is None:
                raise Failure(f"there is no edit: {diagnostic}")
            raw = source.encode() if isinstance(source, str) else source
            raw = (raw[:fix["offset"]] + fix["replacement"].encode() +
                   raw[fix["offset"] + fix["length"]:])
            done = self.tenon("check", "--from", self.dialect, *self.flags, "-", stdin=raw)
            if done.status != 0:
                raise Failure(f"the edited program is rejected:\n{raw.decode()}"
                              f"{done.err.decode()}")
        else:
            raise Failure(f"unknown line: {line}")

    def check_diagnostics(self, section, source):
        done = self.tenon("check", "--diagnostics", "json", *self.flags, self.module)
        found = self.parse_diagnostics(done)
        want, details = [], []
        for line in section.body():
            if re.match(r"[A-Z]\w* (error|warning|note) \d", line):
                want.append(line.strip())
                details.append([])
            elif line.strip():
                details[-1].append(line)
        got = [f"{d['code']} {d['severity']} {d['line']}:{d['column']}" for d in found]
        if want != got:
            raise Failure(f"expected {want}, got {got}\n"
                          + "\n".join(d["message"] for d in found))
        errors = any(d["severity"] == "error" for d in found)
        if done.status != int(errors) or done.out:
            raise Failure(f"check ended with {done.status} and printed {done.out}")
        for diagnostic, lines in zip(found, details):
            for line in lines:
                self.check_detail(line, diagnostic, source)
        for command in (["fmt"], ["opt"], ["run", "--random", "1"]):
            done = self.tenon(*command, *self.flags, self.module) if errors else None
            if done and (done.status != 1 or done.out):
                raise Failure(f"{command[0]} of a rejected program ended with {done.status}")
        return errors

    # ---- the whole case

    def check_cli(self, section, followers):
        arguments = [a.replace("{module}", str(self.module))
                     for a in shlex.split(section.title[len("cli"):])]
        done = self.tenon(*arguments)
        status = 0
        for s in followers:
            if s.words[1] == "status":
                status = int(s.words[2])
                continue
            got = (done.out if s.words[1] == "stdout" else done.err).decode()
            got = got.replace(str(self.module), "{module}")
            if s.words[1] == "stderr":  # wording is free: each line must occur
                for line in s.body():
                    if line not in got:
                        raise Failure(f"'{line}' is not in stderr:\n{got}")
            else:
                self.text(s, got, "stdout")
        if done.status != status:
            raise Failure(f"`{section.title}` ended with {done.status}:\n{done.err.decode()}")

    def text(self, section, got, what):
        if section.text() == got:
            return
        if not self.options.bless:
            self.equal(section.text(), got, what)
        section.set_text(got)
        self.blessed = True

    def check(self):
        source = canonical = ""
        types, ids, results, run_section, passes = {}, [], None, None, None
        rejected = False
        at = 0
        if self.sections[0].words[0] == "module":
            module = self.sections[0]
            at = 1
            source = module.text()
            for word in module.words[2:]:
                if word.startswith(("profile=", "entry=", "declare=")):
                    self.flags += ["--" + word.split("=", 1)[0], word.split("=", 1)[1]]
            if "strict" in module.words:
                self.flags.append("--strict")
            if "bytes" in module.words:
                raw = re.sub(rb"\\x([0-9a-fA-F]{2})", lambda m: bytes([int(m[1], 16)]),
                             source[:-1].encode())
                self.module.write_bytes(raw)
                source = raw.decode(errors="surrogateescape")
            else:
                raw = source.encode()
                self.module.write_bytes(raw)
            types, _ = declared_types(source, self.dialect)
            ids = output_ids(source, self.dialect)
            reports = [s for s in self.sections if s.title == "diagnostics"]
            if reports:
                rejected = self.check_diagnostics(reports[0], raw)
            else:
                done = self.tenon("check", *self.flags, self.module)
                if done.status != 0 or done.err or done.out:
                    raise Failure(f"check ended with {done.status}:\n{done.err.decode()}")
            if self.dialect == "mind-source" and not rejected:
                source = self.lower()
                types, _ = declared_types(source, self.dialect)
                ids = output_ids(source, self.dialect)
            if not rejected and self.styles:
                canonical = self.check_printing(source)
                self.check_canonical(canonical)
        while at < len(self.sections):
            s = self.sections[at]
            at += 1
            if s.words[0] == "run":
                run_section = s
                if at < len(self.sections) and self.sections[at].words[0] == "error":
                    continue
                results = self.check_run(s, source, canonical, types)
            elif s.words[0] == "error":
                self.check_error(s, run_section, source, types)
            elif s.words[0] == "passes":
                passes = s.words[1:]
            elif s.words[0] == "gradient":
                self.check_gradient(s, run_section, source, types, ids)
            elif s.words[:2] == ["expect", "module"]:
                self.text(s, self.opt(source, passes), f"after {' '.join(passes)}")
            elif s.words[:2] == ["expect", "text"]:
                style = s.words[2] if len(s.words) > 2 else self.styles[0]
                self.text(s, self.fmt(source, style), f"style {style}")
            elif s.words[0] == "cli":
                followers = []
                while at < len(self.sections) and self.sections[at].title.startswith(
                        ("expect stdout", "expect stderr", "expect status")):
                    followers.append(self.sections[at])
                    at += 1
                self.check_cli(s, followers)
            elif s.words[0] == "expect":
                self.check_values(s, results, ids, types)
            elif s.title != "diagnostics":
                raise Failure(f"unknown section `-- {s.title}`")
        if self.blessed:
            self.write()

    def write(self):
        lines = list(self.head)
        for s in self.sections:
            lines += ["-- " + s.title] + s.lines
        while lines and not lines[-1].strip():
            lines.pop()
        self.path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def exact_passes(tenon):
    """The names of the passes that may change no bit."""
    table = subprocess.run([tenon, "passes"], stdout=subprocess.PIPE, text=True, check=True).stdout
    passes = re.findall(r"^(\S+) +exact ", table, re.M)
    if not passes:
        sys.exit("`tenon passes` lists no exact passes")
    return passes


def run_chunk(paths, options):
    failures = []
    for path in paths:
        with tempfile.TemporaryDirectory(prefix="tenon-case-") as folder:
            try:
                Case(path, options, pathlib.Path(folder)).check()
            except Failure as failure:
                failures.append((path, str(failure)))
            except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError,
                    struct.error) as error:
                failures.append((path, f"{type(error).__name__}: {error}"))
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tenon", default=TENON)
    parser.add_argument("--serve", help="test/serve, which runs commands without starting the program for each")
    parser.add_argument("--filter", default="", help="only cases with this text in their path")
    parser.add_argument("--bless", action="store_true", help="rewrite expected texts")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--no-jit", dest="jit", action="store_false",
                        help="leave out the runs by the jit engine")
    parser.add_argument("--quick", action="store_true",
                        help="passes one after the other only, also where each is tried alone")
    parser.add_argument("--narrow", action="store_true",
                        help="leave out cases called too-large: machines with addresses of 32 bits refuse them earlier")
    parser.add_argument("--only-thorough", action="store_true",
                        help=f"only the cases that --quick shortens: {', '.join(THOROUGH)}")
    parser.add_argument("places", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    options.tenon = str(pathlib.Path(options.tenon).resolve())

    options.passes = exact_passes(options.tenon)

    paths = []
    for place in options.places or [TEST]:
        paths += sorted(place.rglob("*.case")) if place.is_dir() else [place]
    known = TEST / "known"  # faults that are known and not mended yet
    paths = [p for p in paths if options.filter in str(p) and known not in p.resolve().parents]
    if options.narrow:
        paths = [p for p in paths if not p.name.startswith("too-large")]
    if options.only_thorough:
        paths = [p for p in paths if p.parent.name in THOROUGH]
    chunks = [paths[i:i + 8] for i in range(0, len(paths), 8)]
    failed = 0
    with concurrent.futures.ProcessPoolExecutor(max_workers=options.jobs) as pool:
        for failures in pool.map(run_chunk, chunks, [options] * len(chunks)):
            for path, message in failures:
                print(f"FAILED {os.path.relpath(path)}\n{message.rstrip()}\n", flush=True)
            failed += len(failures)
    print(f"{len(paths) - failed} passed, {failed} failed")
    return failed != 0 or not paths


if __name__ == "__main__":
    sys.exit(main())
