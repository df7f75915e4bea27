"""One training step, by Tenon and by PyTorch: time on the same threads, and peak memory.

    train.py --tenon build/release/tenon [--only NAME] [--threads 1] [--rounds 9] [--steps 0] [--leaves 1] [--memory 0] [--json OUT]

The trainings are those of NETS: loss, gradients and update of all weights in f32, with the batch in one piece. Each side
is a process of its own that lives for all rounds; they take turns, and the figure is the median over the rounds of the
time of a step. With one thread it is processor time, which other programs disturb little; with more it is the clock. Peak memory
is that of the whole process, and in brackets what it took beyond the libraries once they were loaded. Without PyTorch, Tenon's figures
stand alone.
"""
import argparse
import json
import math
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
VOCABULARY, WIDTH, LAYERS, HEADS, TOKENS = 50257, 768, 12, 12, 64
# batch, samples of the data, optimizer, how many times as fast as PyTorch a step is to be
NETS = {"gpt2": (4, 8, "adam", 2), "mlp": (128, 512, "sgd", 1.3), "convnet": (64, 256, "adam", 2)}


def data_of(np, name):
    draw = np.random.default_rng(1)
    samples = NETS[name][1]
    if name == "gpt2":
        ids = draw.integers(0, VOCABULARY, (samples, TOKENS + 1)).astype(np.int32)
        return ids[:, :-1], ids[:, 1:]
    shape = (784,) if name == "mlp" else (28, 28)
    return draw.random((samples, *shape), np.float32), draw.integers(0, 10, samples)


# ---- Tenon ----

def tenon_step(name, threads, leaves, memory):
    import numpy as np
    import tenon
    from tenon import nn

    def mlp(w, x, wanted):
        h = nn.relu(nn.linear(x, w["w1"], w["b1"]))
        h = nn.relu(nn.linear(h, w["w2"], w["b2"]))
        return nn.cross_entropy(nn.linear(h, w["w3"], w["b3"]), wanted)

    def convnet(w, x, wanted):
        h = nn.relu(nn.conv2d(np.expand_dims(x, -1), w["w1"], w["b1"]))
        h = nn.relu(nn.conv2d(h, w["w2"], w["b2"]))
        h = nn.max_pool(h, (2, 2), (2, 2)).reshape(-1, 9216)
        return nn.cross_entropy(nn.linear(h, w["w3"], w["b3"]), wanted)

    def heads(x):
        return np.transpose(x.reshape(-1, TOKENS, HEADS, WIDTH // HEADS), (0, 2, 1, 3))

    def gpt2(w, seen, wanted):
        x = nn.embedding(w["wte"], seen) + w["wpe"][:TOKENS]
        for b in w["blocks"]:
            h = nn.linear(nn.layer_norm(x, b["g1"], b["c1"]), b["wa"], b["ba"])
            q, k, v = (heads(part) for part in np.split(h, 3, axis=-1))
            a = np.transpose(nn.attention(q, k, v, causal=True), (0, 2, 1, 3)).reshape(-1, TOKENS, WIDTH)
            x = x + nn.linear(a, b["wp"], b["bp"])
            h = nn.gelu(nn.linear(nn.layer_norm(x, b["g2"], b["c2"]), b["w1"], b["b1"]), approximate=True)
            x = x + nn.linear(h, b["w2"], b["b2"])
        x = nn.layer_norm(x, w["g"], w["c"])
        return nn.cross_entropy(x @ np.transpose(w["wte"]), wanted)

    block = {"g1": "f32[768]", "c1": "f32[768]", "wa": "f32[768, 2304]", "ba": "f32[2304]", "wp": "f32[768, 768]", "bp": "f32[768]",
             "g2": "f32[768]", "c2": "f32[768]", "w1": "f32[768, 3072]", "b1": "f32[3072]", "w2": "f32[3072, 768]", "b2": "f32[768]"}
    traced = {
        "gpt2": (gpt2, {"wte": f"f32[{VOCABULARY}, 768]", "wpe": "f32[1024, 768]", "blocks": [block] * LAYERS, "g": "f32[768]",
                        "c": "f32[768]"}, "si32[n, 64]", "si32[n, 64]"),
        "mlp": (mlp, {"w1": "f32[784, 512]", "b1": "f32[512]", "w2": "f32[512, 512]", "b2": "f32[512]", "w3": "f32[512, 10]",
                      "b3": "f32[10]"}, "f32[n, 784]", "si64[n]"),
        "convnet": (convnet, {"w1": "f32[3, 3, 1, 32]", "b1": "f32[32]", "w2": "f32[3, 3, 32, 64]", "b2": "f32[64]",
                              "w3": "f32[9216, 10]", "b3": "f32[10]"}, "f32[n, 28, 28]", "si64[n]")}
    f, *types = traced[name]
    program = tenon.function(*types)(f).module
    x, wanted = data_of(np, name)
    batch, _, optimizer, _ = NETS[name]
    ones = {p.name: np.ones(WIDTH, np.float32) for p in program.inputs if p.name.rpartition(".")[2].startswith("g")}
    names = [p.name for p in program.inputs]
    t = tenon.train.Trainer(program, {names[-2]: x, names[-1]: wanted}, wrt="w", batch=batch, leaves=leaves, steps=10**6,
                            rate=1e-4, optimizer=optimizer, init=ones, threads=threads,
                            memory_bytes=memory)
    return lambda: t.step().loss


# ---- PyTorch ----

def torch_step(name, threads, leaves, _memory):
    import numpy as np
    import torch
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    fn, nn = torch.nn.functional, torch.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.n1, self.n2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            self.a, self.p = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
            self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

        def forward(self, x, mask):
            q, k, v = (part.view(-1, TOKENS, HEADS, WIDTH // HEADS).transpose(1, 2)
                       for part in self.a(self.n1(x)).split(WIDTH, dim=-1))
            scores = (q @ k.transpose(-1, -2)) * (1 / math.sqrt(WIDTH // HEADS)) + mask
            a = (torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(-1, TOKENS, WIDTH)
            x = x + self.p(a)
            return x + self.down(fn.gelu(self.up(self.n2(x)), approximate="tanh"))

    class Gpt2(nn.Module):
        def __init__(self):
            super().__init__()
            self.wte, self.wpe = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(1024, WIDTH)
            self.blocks, self.norm = nn.ModuleList(Block() for _ in range(LAYERS)), nn.LayerNorm(WIDTH)
            nn.init.normal_(self.wte.weight, std=0.02)
            self.mask = torch.full((TOKENS, TOKENS), -math.inf).triu(1)
            self.places = torch.arange(TOKENS)

        def forward(self, seen):
            x = self.wte(seen) + self.wpe(self.places)
            for block in self.blocks:
                x = block(x, self.mask)
            return (self.norm(x) @ self.wte.weight.t()).view(-1, VOCABULARY)

    if name == "gpt2":
        net = Gpt2()
    elif name == "mlp":
        net = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
    else:
        net = nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                            nn.Linear(9216, 10))
    x, wanted = (torch.from_numpy(np.ascontiguousarray(a)) for a in data_of(np, name))
    wanted = wanted.long().view(len(x), -1)
    if name == "convnet":
        x = x.unsqueeze(1)
    batch, _, optimizer, _ = NETS[name]
    make = torch.optim.SGD if optimizer == "sgd" else torch.optim.Adam
    descent = make(net.parameters(), lr=1e-4, foreach=True)
    part, at = batch // leaves, [0]

    def step():
        descent.zero_grad(set_to_none=True)
        for _ in range(leaves):
            i = at[0] % len(x)
            loss = fn.cross_entropy(net(x[i:i + part]), wanted[i:i + part].flatten()) / leaves
            loss.backward()
            at[0] += part
        descent.step()
        return loss.item()
    return step


# ---- a side, on request ----

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def serve(side, name, threads, leaves, memory):
    """Answer each number of steps with the seconds of one and the peak memory."""
    if side == "torch":
        import torch  # noqa: F401
    else:
        import tenon  # noqa: F401
    before = peak()
    step = (torch_step if side == "torch" else tenon_step)(name, threads, leaves, memory)
    clock = time.process_time if threads == 1 else time.perf_counter
    for line in sys.stdin:
        begin, n = clock(), int(line)
        for _ in range(n):
            loss = step()
        took = (clock() - begin) / n
        assert math.isfinite(loss)
        print(json.dumps({"seconds": took, "peak": peak(), "before": before}), flush=True)


class Side:
    def __init__(self, tenon, side, name, threads, leaves, memory):
        arguments = side, name, threads, leaves, memory
        wide = "avx512f" in pathlib.Path("/proc/cpuinfo").read_text()
        # OpenBLAS has threads of its own, which torch.set_num_threads does not limit.
        env = {"ATEN_CPU_CAPABILITY": "avx512" if wide else "avx2", **os.environ, "OMP_NUM_THREADS": str(threads),
               "OPENBLAS_NUM_THREADS": str(threads), "PYTHONPATH": str(HERE.parent / "python"),
               "TENON_LIBRARY": str(pathlib.Path(tenon).resolve().parent / "libtenon.so")}
        self.process = subprocess.Popen([sys.executable, __file__, "--serve", *map(str, arguments)], env=env, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def steps(self, n):
        self.process.stdin.write(f"{n}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        return json.loads(answer) if answer else None


def measure(o, name, threads):
    sides = {side: Side(o.tenon, side, name, threads, o.leaves, o.memory) for side in ("tenon", "torch")}
    figures = {side: [] for side in sides}
    for side in list(sides):
        if not sides[side].steps(1):  # what is compiled or laid out once
            del sides[side]
    steps = o.steps or (1 if name == "gpt2" else 20)
    last = {}
    for _ in range(o.rounds):
        for side, process in sides.items():
            last[side] = process.steps(steps)
            figures[side].append(last[side]["seconds"])
    row = {"name": name, "threads": threads, "wanted": NETS[name][3]}
    for side, process in sides.items():
        row[side] = {"seconds": statistics.median(figures[side]), "least": min(figures[side]), "peak": last[side]["peak"],
                     "grown": last[side]["peak"] - last[side]["before"]}
        process.process.stdin.close()
        process.process.wait()
    if len(sides) == 2:
        row["times"] = row["torch"]["seconds"] / row["tenon"]["seconds"]
    return row


def show(row):
    def of(side):
        if side not in row:
            return f"{side} -"
        f = row[side]
        return f"{side} {1e3 * f['seconds']:8.2f} ms, {f['peak'] / 1e6:5.0f} MB ({f['grown'] / 1e6:.0f})"
    times = f"{row['times']:.2f} times as fast, wanted {row['wanted']}" if "times" in row else ""
    print(f"{row['name']:8} {row['threads']} thread{'s'[:row['threads'] > 1]:1}  {of('tenon')}  {of('torch')}  {times}", flush=True)


def main():
    if sys.argv[1:2] == ["--serve"]:
        side, name, *numbers = sys.argv[2:]
        return serve(side, name, *map(int, numbers))
    parser = argparse.ArgumentParser(description="Time and memory of one training step, by Tenon and by PyTorch.")
    parser.add_argument("--tenon", default=HERE.parent / "build/release/tenon", help="beside it is the library")
    parser.add_argument("--only", default="", help="those whose name contains this")
    parser.add_argument("--threads", default="1", help="such as 1,2")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--steps", type=int, default=0, help="of a round; 0: 1 of GPT-2, 20 of the others")
    parser.add_argument("--leaves", type=int, default=1, help="parts of a batch; PyTorch adds up the gradients of as many")
    parser.add_argument("--memory", type=int, default=0, help="bytes that Tenon's gradients may hold of values; 0: all")
    parser.add_argument("--json", type=pathlib.Path, help="also write all figures to a file")
    o = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}; PyTorch's time over Tenon's")
    rows = []
    for name in NETS:
        for threads in map(int, o.threads.split(",")):
            if o.only in name:
                rows.append(measure(o, name, threads))
                show(rows[-1])
    if o.json:
        o.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
