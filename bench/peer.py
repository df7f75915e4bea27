"""NumPy and PyTorch as contestants of peers.py (the protocol is in contestant.h):

    peer.py numpy|torch THREADS

Outputs go to memory that is already there wherever the library allows it.
"""
import math
import statistics
import sys
import time

import corners


# ---- the work: each function makes the operands and returns what does it once ----

def numpy_work(np):
    rng = np.random.default_rng(1)

    def new(*shape):
        return rng.random(shape, dtype=np.float32) * 2 - 1

    def gemm(m, k, n):
        a, b, c = new(m, k), new(k, n), np.empty((m, n), np.float32)
        return lambda: np.matmul(a, b, out=c)

    def chain():
        a, b, c, d = (new(1 << 24) for _ in range(4))
        x, y = np.empty_like(a), np.empty_like(a)

        def run():
            np.multiply(a, b, out=x)
            np.add(x, c, out=x)
            np.tanh(x, out=x)
            np.negative(d, out=y)
            np.exp(y, out=y)
            np.multiply(x, y, out=x)
        return run

    def softmax():
        x = new(4096, 1024)
        y = np.empty_like(x)

        def run():
            np.subtract(x, x.max(axis=1, keepdims=True), out=y)
            np.exp(y, out=y)
            np.divide(y, y.sum(axis=1, keepdims=True), out=y)
        return run

    def total():
        x = new(1 << 24)
        return lambda: x.sum()

    def broadcast():
        x, row, y = new(4096, 4096), new(4096), np.empty((4096, 4096), np.float32)
        return lambda: np.add(x, row, out=y)

    def transpose():
        x, y = new(4096, 4096), np.empty((4096, 4096), np.float32)
        return lambda: np.copyto(y, x.T)

    def tiny():
        x, a, b = new(8), new(8), new(8)

        def run():
            for _ in range(500):
                np.multiply(x, a, out=x)
                np.add(x, b, out=x)
        return run

    work = {f"gemm-{n}": (lambda n=n: gemm(n, n, n)) for n in (256, 512, 1024, 2048)}
    work.update({"dense": lambda: gemm(128, 768, 3072), "vector": lambda: gemm(1, 768, 3072),
                 "chain": chain, "softmax": softmax, "sum": total, "broadcast-add": broadcast,
                 "transpose": transpose, "tiny-1000": tiny, **corners.numpy_work(np, new)})
    return work


def torch_work(torch, np):
    torch.manual_seed(1)
    torch.set_grad_enabled(False)
    fn = torch.nn.functional

    # memory of NumPy's, which lies on huge pages
    def empty(*shape):
        return torch.from_numpy(np.empty(shape, np.float32))

    def new(*shape):
        return empty(*shape).uniform_(-1, 1)

    def gemm(m, k, n):
        a, b, c = new(m, k), new(k, n), empty(m, n)
        return lambda: torch.mm(a, b, out=c)

    def dense_gelu():
        a, w, bias, c = new(128, 768), new(768, 3072), new(3072), empty(128, 3072)
        return lambda: fn.gelu(torch.addmm(bias, a, w, out=c), approximate="tanh")

    def softmax():
        x, y = new(4096, 1024), empty(4096, 1024)
        return lambda: torch.softmax(x, 1, out=y)

    def layer_norm():
        x, gamma, beta = new(4096, 1024), new(1024), new(1024)
        return lambda: fn.layer_norm(x, (1024,), gamma, beta)

    def chain():
        a, b, c, d = (new(1 << 24) for _ in range(4))
        x, y = empty(*a.shape), empty(*a.shape)

        def run():
            torch.addcmul(c, a, b, out=x)
            x.tanh_()
            torch.neg(d, out=y)
            y.exp_()
            x.mul_(y)
        return run

    def total():
        x = new(1 << 24)
        return lambda: x.sum()

    def broadcast():
        x, row, y = new(4096, 4096), new(4096), empty(4096, 4096)
        return lambda: torch.add(x, row, out=y)

    def transpose():
        x, y = new(4096, 4096), empty(4096, 4096)
        return lambda: y.copy_(x.t())

    def tiny():
        x, a, b = new(8), new(8), new(8)

        def run():
            for _ in range(500):
                x.mul_(a)
                x.add_(b)
        return run

    def attend(q, k, v, mask=None):
        scores = torch.matmul(q, k.transpose(-1, -2)).mul_(1 / math.sqrt(q.shape[-1]))
        if mask is not None:
            scores.add_(mask)
        return torch.matmul(torch.softmax(scores, -1), v)

    def attention(s):
        q, k, v = (new(1, 12, s, 64) for _ in range(3))
        return lambda: attend(q, k, v)

    def conv(side, ci, window, stride, co):
        x = new(1, ci, side, side).to(memory_format=torch.channels_last)
        layer = torch.nn.Conv2d(ci, co, window, stride, window // 2, bias=False).eval()
        layer = layer.to(memory_format=torch.channels_last)
        return lambda: layer(x)

    def gpt2(n, past):
        width, heads, layers, vocab = 768, 12, 12, 50257
        wte, wpe = new(vocab, width) * 0.02, new(1024, width) * 0.02
        norm = [torch.ones(width), torch.zeros(width)]
        blocks = [[new(width, 3 * width) * 0.02, torch.zeros(3 * width),
                   new(width, width) * 0.02, torch.zeros(width),
                   new(width, 4 * width) * 0.02, torch.zeros(4 * width),
                   new(4 * width, width) * 0.02, torch.zeros(width)] for _ in range(layers)]
        keys = [[new(1, heads, past + n, width // heads) for _ in range(2)] for _ in range(layers)]
        ids = torch.arange(n)
        mask = None if past else torch.full((n, n), -math.inf).triu(1)

        def run():
            x = wte[ids] + wpe[past:past + n]
            for (wa, ba, wp, bp, w1, b1, w2, b2), (k, v) in zip(blocks, keys):
                h = torch.addmm(ba, fn.layer_norm(x, (width,), *norm), wa)
                q, kn, vn = h.view(n, 3, heads, width // heads).permute(1, 2, 0, 3)
                k[0, :, past:] = kn
                v[0, :, past:] = vn
                a = attend(q[None], k, v, mask)[0].transpose(0, 1).reshape(n, width)
                x = x + torch.addmm(bp, a, wp)
                h = torch.addmm(b1, fn.layer_norm(x, (width,), *norm), w1)
                x = x + torch.addmm(b2, fn.gelu(h, approximate="tanh"), w2)
            return torch.mv(wte, fn.layer_norm(x[-1:], (width,), *norm)[0])
        return run

    def mlp_step():
        net = torch.nn.Sequential(torch.nn.Linear(784, 512), torch.nn.ReLU(),
                                  torch.nn.Linear(512, 512), torch.nn.ReLU(),
                                  torch.nn.Linear(512, 10))
        x, label = new(128, 784), torch.randint(10, (128,))
        descent = torch.optim.SGD(net.parameters(), lr=0.01)

        def run():
            with torch.enable_grad():
                descent.zero_grad(set_to_none=True)
                fn.cross_entropy(net(x), label).backward()
            descent.step()
        return run

    work = {f"gemm-{n}": (lambda n=n: gemm(n, n, n)) for n in (256, 512, 1024, 2048)}
    work.update({f"attention-{s}": (lambda s=s: attention(s)) for s in (128, 512, 1024)})
    work.update({"dense": lambda: gemm(128, 768, 3072), "dense-gelu": dense_gelu,
                 "vector": lambda: gemm(1, 768, 3072), "softmax": softmax,
                 "layer-norm": layer_norm, "chain": chain, "sum": total,
                 "broadcast-add": broadcast, "transpose": transpose, "tiny-1000": tiny,
                 "conv-3x3": lambda: conv(56, 64, 3, 1, 64),
                 "conv-7x7": lambda: conv(224, 3, 7, 2, 64),
                 "conv-1x1": lambda: conv(56, 256, 1, 1, 64),
                 "gpt2-prefill": lambda: gpt2(128, 0), "gpt2-decode": lambda: gpt2(1, 128),
                 "mlp-step": mlp_step, **corners.torch_work(torch, new, empty)})
    return work


# ---- the protocol ----

def measure(run, clock, seconds, least):
    run()
    last = time.monotonic() + 20 * seconds
    times, spent, repeats = [], 0.0, 1
    while len(times) < least or (spent < seconds and len(times) < 20000):
        start = clock()
        for _ in range(repeats):
            run()
        took = clock() - start
        spent += took
        times.append(took / repeats)
        if took < 2e-5:
            repeats *= 2
            times.clear()
        if len(times) >= least and time.monotonic() > last:
            break
    return f"{min(times):.9g} {statistics.median(times):.9g} {len(times)}"


def main():
    library, threads = sys.argv[1], int(sys.argv[2])
    import numpy
    if library == "numpy":
        work = numpy_work(numpy)
    else:
        import torch
        torch.set_num_threads(threads)
        work = torch_work(torch, numpy)
    clock = time.thread_time if threads == 1 else time.monotonic
    run = None
    for line in sys.stdin:
        words = line.split()
        if words[0] == "open":
            run = work[words[1]]() if words[1] in work else None
            if threads == 1: # autograd may use a thread of its own
                clock = time.process_time if words[1] == "mlp-step" else time.thread_time
            answer = "ready" if run else "!not done"
        elif words[0] == "go":
            answer = measure(run, clock, float(words[1]), int(words[2]))
        else:
            run, answer = None, "closed"
        print(answer, flush=True)


if __name__ == "__main__":
    main()
