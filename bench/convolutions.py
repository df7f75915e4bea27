"""Convolutions as published models have them: depthwise, grouped, of small images, along one axis, and their
derivatives; channels first (nchw) or last (nhwc). Part of corners.py, which writes the programs out."""
F = 4  # bytes of a float


class Convolution:
    """N images of C channels with extents SPATIAL, by a filter of extent K along each, padded as *same*."""

    def __init__(self, c, spatial, k, co=None, stride=1, groups=1, last=False, n=1):
        self.n, self.c, self.spatial, self.k, self.co = n, c, spatial, k, co or c
        self.stride, self.groups, self.last, self.pad = stride, groups, last, k // 2
        self.places = [(e + 2 * self.pad - k) // stride + 1 for e in spatial]

    def shapes(self):
        """Of the input, the filter and the result, channels first."""
        return ([self.n, self.c, *self.spatial], [self.co, self.c // self.groups] + [self.k] * len(self.spatial),
                [self.n, self.co, *self.places])

    def text(self):
        x, w, y = self.shapes()
        more = f" groups[{self.groups}]" if self.groups > 1 else ""
        if self.last:
            x, y, w = ([s[0], *s[2:], s[1]] for s in (x, y, [w[1], w[0], *w[2:]]))
            w = [*w[1:-1], w[0], w[-1]]  # kh, kw, ci, co
            more += " lhs_axes[0, 3, 1, 2] rhs_axes[3, 2, 0, 1] out_axes[0, 3, 1, 2]"
        return program(x, w, y, len(self.spatial), more, strides=self.stride, pad=(self.pad, self.pad))

    def flops(self):
        x, w, y = self.shapes()
        return 2 * product(y) * product(w[1:])

    def moved(self):
        x, w, y = self.shapes()
        return F * (product(x) + product(w)), F * product(y)


def product(numbers):
    p = 1
    for n in numbers:
        p *= n
    return p


def program(x, w, y, spatial, more, strides=1, pad=(0, 0), base=1, dilation=1):
    def all_axes(what):
        return "[" + ", ".join([str(what)] * spatial) + "]"

    x, w, y = (f"tensor<f32, {'x'.join(map(str, s))}>" for s in (x, w, y))
    return (f"func @main(%x: {x}, %w: {w}) -> {y} {{\n  %y = convolution(%x, %w) strides{all_axes(strides)} "
            f"padding{all_axes(pad)} base_dilation{all_axes(base)} dilation{all_axes(dilation)}{more} -> {y}\n"
            "  return %y\n}\n")


def both(name, *args, **how):
    return {f"{name}-nchw": Convolution(*args, **how), f"{name}-nhwc": Convolution(*args, last=True, **how)}


def depthwise(c, side, k, stride=1, n=1):
    name = f"depthwise-{k}x{k}{'-s2' if stride > 1 else ''}-{c}x{side}" + (f"-n{n}" if n > 1 else "")
    return both(name, c, [side, side], k, stride=stride, groups=c, n=n)


FORWARD = {**depthwise(32, 56, 3), **depthwise(128, 56, 3), **depthwise(128, 56, 3, n=8), **depthwise(256, 28, 3),
           **depthwise(512, 14, 3), **depthwise(128, 56, 3, 2), **depthwise(256, 28, 3, 2),
           **depthwise(240, 28, 5), **depthwise(480, 14, 5, 2),
           **both("grouped-3x3-256x28", 256, [28, 28], 3, groups=32),
           **both("conv-1x1-512x14", 512, [14, 14], 1), **both("conv-1x1-512x7", 512, [7, 7], 1, co=1024),
           "grouped-1d-512x100": Convolution(512, [100], 5, groups=8),
           "depthwise-1d-512x1000": Convolution(512, [1000], 5, groups=512)}

# name: the convolution whose derivative it is, and by which operand
BACKWARD = {f"conv-3x3-{'s2-' if s > 1 else ''}by-{by}": (Convolution(64, [56, 56], 3, stride=s), by)
            for s in (1, 2) for by in ("input", "filter")}


def derivative_text(c, by):
    x, w, y = c.shapes()
    spare = c.spatial[0] - ((c.places[0] - 1) * c.stride + 1)  # rows behind the last result's centre
    transposed = "[1, 0, 2, 3]"
    if by == "input":
        return program(y, w, x, 2, f" rhs_axes{transposed}", pad=(1, 1 + spare), base=c.stride)
    return program(x, y, w, 2, f" lhs_axes{transposed} rhs_axes{transposed} out_axes{transposed}", pad=(1, 1 - spare),
                   dilation=c.stride)


TEXTS = {**{name: c.text() for name, c in FORWARD.items()},
         **{name: derivative_text(*what) for name, what in BACKWARD.items()}}


def work_of(name):
    """Operations, bytes read, bytes written."""
    c = FORWARD[name] if name in FORWARD else BACKWARD[name][0]
    return c.flops(), *c.moved()


def torch_work(torch, new):
    function = torch.nn.functional
    one, two = function.conv1d, function.conv2d

    def forward(c):
        x, w, _ = c.shapes()
        x, w = new(*x), new(*w)
        if c.last:
            x, w = (t.to(memory_format=torch.channels_last) for t in (x, w))
        apply = one if len(c.spatial) == 1 else two
        return lambda: apply(x, w, None, c.stride, c.pad, 1, c.groups)

    def backward(c, by):
        x, w, y = c.shapes()
        operands, mask = [new(*s) for s in (y, x, w)], [by == "input", by == "filter", False]
        return lambda: torch.ops.aten.convolution_backward(
            *operands, None, [c.stride] * 2, [c.pad] * 2, [1, 1], False, [0, 0], 1, mask)

    return {**{name: (lambda c=c: forward(c)) for name, c in FORWARD.items()},
            **{name: (lambda c=c, by=by: backward(c, by)) for name, (c, by) in BACKWARD.items()}}
