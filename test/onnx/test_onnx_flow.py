"""Branches and loops of ONNX, with values of the graphs around them, against NumPy."""
import unittest

import numpy as np

from lib.onnx_case import Case, floats
from lib.onnx_files import graph, model, node


def f32(*numbers):
    return np.array(numbers, dtype=np.float32)


def constant(name, value):
    return node("Constant", "", name, value=np.asarray(value))


X = ("x", "f32", [3])


class Branches(Case):
    def branches(self):
        """Either x W + c or, inside another branch, x - y."""
        w = floats(3, 3)
        yes = graph([node("MatMul", "x w", "a"), node("Add", "a c", "t")], [], [("t", "f32", [3])])
        deep = graph([node("Sub", "x y", "d")], [], [("d", "f32", [3])])
        flat = graph([node("Identity", "y", "i")], [], [("i", "f32", [3])])
        no = graph([node("If", "q", "e", then_branch=deep, else_branch=flat)], [], [("e", "f32", [3])])
        data = model([constant("c", f32(10)), node("Relu", "x0", "x"), node("If", "p", "r", then_branch=yes, else_branch=no),
                      node("Add", "r w0", "z")],
                     [("x0", "f32", [3]), ("y", "f32", [3]), ("p", "i1", []), ("q", "i1", [1])], [("z", "f32", [3])],
                     [("w", w), ("w0", f32(0.5))])
        return data, w

    def test_values_from_outside(self):
        data, w = self.branches()
        x, y = floats(3), floats(3)
        r = np.maximum(x, 0)
        for p, q, want in ((True, False, r @ w + 10), (False, True, r - y), (False, False, y)):
            with self.subTest(p=p, q=q):
                got, = self.run_model(data, {"x0": x, "y": y, "p": np.array(p), "q": np.array([q])})
                np.testing.assert_array_equal(got, want.astype(np.float32) + np.float32(0.5))

    def test_a_known_condition_takes_one_branch(self):
        yes = graph([node("ReduceSum", "x", "t", keepdims=0)], [], [("t", "f32", [])])
        no = graph([node("Identity", "x", "e")], [], [("e", "f32", [3])])
        nodes = [node("If", "p", "z", then_branch=yes, else_branch=no)]
        data = model(nodes, [X, ("p", "i1", [])], [("z", "f32", None)])
        x = floats(3)
        self.assertEqual(self.refused(data), ["DataDependentShape"])
        np.testing.assert_array_equal(self.run_model(data, {"x": x}, "--constant", "p=1")[0], x.sum())
        np.testing.assert_array_equal(self.run_model(data, {"x": x}, "--constant", "p=0")[0], x)
        for p, want in ((True, x.sum()), (False, x)):  # a run takes it from its inputs
            np.testing.assert_array_equal(self.run_model(data, {"x": x, "p": np.array(p)})[0], want)
            np.testing.assert_array_equal(self.run_model(data, {"x": x}, "--input", f"p={str(p).lower()}")[0], want)

    def test_an_inner_name_that_is_an_outer_one(self):
        """As ONNX's checker: outputs of nodes may not be called so, whoever gives the outer value."""
        yes = graph([node("Neg", "x", "y")], [], [("y", "f32", [3])])
        no = graph([node("Abs", "y", "t")], [], [("t", "f32", [3])])
        branch = node("If", "p", "z", then_branch=yes, else_branch=no)
        for before, inputs in ([], [("y", "f32", [3])]), ([node("Exp", "x", "y")], []):
            data = model([*before, branch, node("Add", "z y", "s")], [X, ("p", "i1", []), *inputs], [("s", "f32", [3])])
            self.assertEqual(self.refused(data), ["MultipleDefinitions"])
        both = node("If", "p", "y", then_branch=yes, else_branch=graph([node("Abs", "x", "y")], [], [("y", "f32", [3])]))
        data = model([both], [X, ("p", "i1", [])], [("y", "f32", [3])])  # the outer one comes behind
        x = floats(3)
        np.testing.assert_array_equal(self.run_model(data, {"x": x, "p": np.array(True)})[0], -x)

    def test_no_outputs(self):
        empty = graph([], [], [])
        loop = graph([GOES_ON], [("i", "si64", []), ("go", "i1", [])], [("more", "i1", [])])
        for one in (node("If", "p", "", then_branch=empty, else_branch=empty), node("Loop", "n -", "", body=loop)):
            data = model([one], [("p", "i1", []), ("n", "si64", [])], [("p", "i1", [])])
            self.assertEqual(self.refused(data), ["ArityMismatch"])


def body(nodes, states, outputs, shape=(3,)):
    """The graph of a Loop: STATES are names, OUTPUTS those behind the condition `more`."""
    return graph(nodes, [("i", "si64", []), ("go", "i1", [])] + [(s, "f32", list(shape)) for s in states.split()],
                 [("more", "i1", [])] + [(o, "f32", None) for o in outputs.split()])


GOES_ON = node("Identity", "go", "more")
COUNTED = [GOES_ON, node("Cast", "i", "k", to=1), node("Mul", "s c", "a"), node("Add", "a k", "t"), node("Add", "t x", "u")]


class Loops(Case):
    def test_inputs_and_initializers_hide_what_is_around_them(self):
        inner = graph([GOES_ON, node("Add", "x y", "t")], [("i", "si64", []), ("go", "i1", []), ("x", "f32", [3])],
                      [("more", "i1", []), ("t", "f32", None)], [("y", f32(10, 20, 30))])
        data = model([node("Abs", "x", "y"), node("Loop", "n - x", "u", body=inner), node("Add", "u y", "z")],
                     [X, ("n", "si64", [])], [("z", "f32", [3])])
        x = floats(3)
        want = x
        for _ in range(3):
            want = want + f32(10, 20, 30)
        np.testing.assert_array_equal(self.run_model(data, {"x": x, "n": np.array(3, np.int64)})[0], want + abs(x))

    def counted(self, x, s, n, c=0.5):
        all_u = []
        for k in range(n):
            s = s * np.float32(c) + np.float32(k)
            all_u.append(s + x)
        return s, np.array(all_u, dtype=np.float32).reshape(n, 3)

    def model_of(self, nodes, inputs, outputs="z all", loop="n - s0", states="s", results="t u", more=(), **options):
        return model([*more, node("Loop", loop, outputs, body=body(nodes, states, results, **options))], inputs,
                     [(o, "f32", None) for o in outputs.split()], [("c", f32(0.5))], opset=16)

    def test_a_known_count(self):
        for n in 0, 1, 2, 7:
            with self.subTest(n=n):
                data = self.model_of(COUNTED, [X, ("s0", "f32", [3])], more=[constant("n", np.int64(n))])
                x, s = floats(3), floats(3)
                for got, want in zip(self.run_model(data, {"x": x, "s0": s}), self.counted(x, s, n)):
                    np.testing.assert_array_equal(got, want)

    def test_a_symbolic_count(self):
        more = [node("Shape", "long", "dims"), constant("zero", np.array(0)), node("Gather", "dims zero", "n")]
        data = self.model_of(COUNTED, [X, ("s0", "f32", [3]), ("long", "f32", ["steps", 2])], more=more)
        x, s = floats(3), floats(3)
        for got, want in zip(self.run_model(data, {"x": x, "s0": s, "long": floats(5, 2)}), self.counted(x, s, 5)):
            np.testing.assert_array_equal(got, want)

    def test_a_count_that_is_data(self):
        inputs = [X, ("s0", "f32", [3]), ("n", "si64", [])]
        self.assertEqual(self.refused(self.model_of(COUNTED, inputs)), ["DataDependentShape"])
        data = self.model_of(COUNTED, inputs, outputs="z", results="t")
        x, s = floats(3), floats(3)
        for n in 0, 1, 4:
            got, = self.run_model(data, {"x": x, "s0": s, "n": np.array(n)})
            np.testing.assert_array_equal(got, self.counted(x, s, n)[0])

    def test_as_long_as_a_condition_holds(self):
        nodes = [node("Add", "s x", "t"), node("ReduceMax", "t", "top", keepdims=0), node("Less", "top limit", "more")]
        for loop in "- - s0", "n - s0", "n p s0", "- p s0":
            inputs = [X, ("s0", "f32", [3]), ("limit", "f32", [])]
            given = {"x": f32(1, 2, 3), "s0": f32(0, 0, 0), "limit": f32(10)[0]}
            if "n" in loop:
                inputs.append(("n", "si64", [1]))
                given["n"] = np.array([2])
            if "p" in loop:
                inputs.append(("p", "i1", [1]))
            for p in (True, False) if "p" in loop else (True,):
                with self.subTest(loop=loop, p=p):
                    data = self.model_of(nodes, inputs, outputs="z", loop=loop, results="t")
                    more = {"p": np.array([p])} if "p" in loop else {}
                    got, = self.run_model(data, given | more)
                    times = 0 if not p else 2 if "n" in loop else 4
                    np.testing.assert_array_equal(got, times * given["x"])

    def test_what_it_carries_grows(self):
        nodes = [GOES_ON, node("Concat", "s x", "t", axis=0)]
        data = self.model_of(nodes, [X, ("s0", "f32", [3])], outputs="z", results="t", more=[constant("n", np.int64(3))])
        x, s = floats(3), floats(3)
        np.testing.assert_array_equal(self.run_model(data, {"x": x, "s0": s})[0], np.concatenate([s, x, x, x]))
        data = self.model_of(nodes, [X, ("s0", "f32", [3]), ("n", "si64", [])], outputs="z", results="t")
        self.assertEqual(self.refused(data), ["DataDependentShape"])

    def test_it_ends_where_it_is_known_to(self):
        nodes = [constant("last", np.int64(2)), node("Less", "i last", "more"), node("Concat", "s x", "t", axis=0)]
        data = self.model_of(nodes, [X, ("s0", "f32", [3])], outputs="z", loop="- - s0", results="t")
        x, s = floats(3), floats(3)
        np.testing.assert_array_equal(self.run_model(data, {"x": x, "s0": s})[0], np.concatenate([s, x, x, x]))
        data = self.model_of([GOES_ON, nodes[2]], [X, ("s0", "f32", [3])], outputs="z", loop="- - s0", results="t")
        self.assertEqual(self.refused(data), ["LimitExceeded"])

    def test_loops_in_loops_and_branches(self):
        inner = body([GOES_ON, node("Add", "v x", "w"), node("Mul", "w s", "m")], "v", "w m")
        nodes = [constant("two", np.int64(2)), node("Loop", "two - s", "w2 ms", body=inner),
                 node("ReduceSum", "ms axis", "t", keepdims=0), GOES_ON]
        yes = graph([node("Loop", "n - s0", "z0", body=body(nodes, "s", "t"))], [], [("z0", "f32", [3])])
        no = graph([node("Identity", "s0", "z1")], [], [("z1", "f32", [3])])
        data = model([node("If", "p", "z", then_branch=yes, else_branch=no)],
                     [X, ("s0", "f32", [3]), ("n", "si64", []), ("p", "i1", [])], [("z", "f32", None)],
                     [("axis", np.array([0]))], opset=16)
        x, s = floats(3) / 4, floats(3) / 4
        want = s
        for _ in range(3):
            want = (want + x) * want + (want + x + x) * want
        given = {"x": x, "s0": s, "n": np.array(3)}
        np.testing.assert_array_equal(self.run_model(data, given | {"p": np.array(True)})[0], want)
        np.testing.assert_array_equal(self.run_model(data, given | {"p": np.array(False)})[0], s)

    def test_a_body_that_cannot_be_read_is_reported_once(self):
        data = self.model_of([GOES_ON, node("Foo", "s", "t")], [X, ("s0", "f32", [3])], outputs="z", results="t",
                             more=[constant("n", np.int64(3))])
        self.assertEqual(self.refused(data), ["UnknownOp"])


class Scans(Case):
    def test_axes_and_directions(self):
        w = floats(3, 3) / 8
        inner = graph([node("MatMul", "h w", "a"), node("Add", "a p", "b"), node("Add", "b q", "h1"), node("Neg", "h1", "o"),
                       node("Identity", "h1", "o2")],
                      [("h", "f32", [3]), ("p", "f32", [3]), ("q", "f32", [3])],
                      [("h1", "f32", [3]), ("o", "f32", [3]), ("o2", "f32", [3])])
        data = model([node("Scan", "h0 x y", "last z z2", body=inner, num_scan_inputs=2, scan_input_axes=[1, -1],
                           scan_input_directions=[0, 1], scan_output_axes=[1, 0], scan_output_directions=[0, 1])],
                     [("h0", "f32", [3]), ("x", "f32", [3, 4]), ("y", "f32", [3, 4])],
                     [(o, "f32", None) for o in ("last", "z", "z2")], [("w", w)], opset=11)
        h0, x, y = floats(3), floats(3, 4), floats(3, 4)
        got = self.run_model(data, {"h0": h0, "x": x, "y": y})
        h, all_h = h0, []
        for k in range(4):
            h = (h @ w + x[:, k] + y[:, 3 - k]).astype(np.float32)
            all_h.append(h)
        np.testing.assert_allclose(got[0], h, rtol=1e-6)
        np.testing.assert_allclose(got[1], -np.array(all_h).T, rtol=1e-6)
        np.testing.assert_allclose(got[2], np.array(all_h)[::-1], rtol=1e-6)

    def test_batches_of_version_8(self):
        inner = graph([node("Add", "h p", "h1"), node("Mul", "h1 c", "o")], [("h", "f32", [2]), ("p", "f32", [2])],
                      [("h1", "f32", [2]), ("o", "f32", [2])])
        data = model([node("Relu", "c0", "c"), node("Scan", "- h0 x", "last z", body=inner, num_scan_inputs=1, directions=[1])],
                     [("h0", "f32", [3, 2]), ("x", "f32", [3, 4, 2]), ("c0", "f32", [2])], [(o, "f32", None) for o in ("last", "z")],
                     opset=8)
        h, x, c = floats(3, 2), floats(3, 4, 2), f32(2, 3)
        got = self.run_model(data, {"h0": h, "x": x, "c0": c})
        want = h[:, None] + np.cumsum(x[:, ::-1], axis=1)
        np.testing.assert_array_equal(got[0], want[:, -1])
        np.testing.assert_array_equal(got[1], want * c)

    def test_loops_that_sizes_would_make_copies(self):
        """A loop that carries a sequence is written out; the fix says which sizes that needs, but not of other refusals."""
        inner = graph([node("Gather", "x i", "r"), node("SequenceInsert", "s r", "s2"), node("Identity", "ci", "co")],
                      [("i", "si64", []), ("ci", "i1", []), ("s", "f32", None)], [("co", "i1", []), ("s2", "f32", None)])
        data = model([node("Shape", "x", "sizes", end=1), node("Squeeze", "sizes", "n"), node("SequenceEmpty", "", "e"),
                      node("Loop", "n yes e", "q", body=inner), node("ConcatFromSequence", "q", "y", axis=0)],
                     [("x", "f32", ["t", 3])], [("y", "f32", None)], [("yes", np.array(True))], opset=15)
        self.assertIn("--dim t=N", self.checked(data).stderr)
        x = floats(2, 3)
        got, = self.run_model(data, {"x": x})
        np.testing.assert_array_equal(got, x.ravel())
        branch = graph([node("Rlu", "x", "a")], [], [("a", "f32", None)])
        data = model([node("If", "p", "y", then_branch=branch, else_branch=branch)], [("x", "f32", ["t"]), ("p", "i1", [])], [("y", "f32", None)])
        self.assertEqual(self.refused(data), ["UnknownOp"])
        self.assertNotIn("--constant", self.checked(data).stderr)


if __name__ == "__main__":
    unittest.main()
