"""Operands of shapes that do not fit are refused: where the operators allow no broadcasting, and where an operand would
make the result larger."""
import unittest

from lib.onnx_case import Case
from lib.onnx_files import model, node

# operator, version, attributes, dtypes and shapes of the inputs, those that are refused: input, shape
CASES = [
    ("Conv", 22, {}, [[1, 4, 5, 5], [6, 4, 3, 3], [6]], [(2, [1]), (2, [4]), (2, []), (2, [1, 6])]),
    ("Conv", 22, {"kernel_shape": [3, 3]}, [[1, 4, 5, 5], [6, 4, 3, 3]], [(1, [6, 4, 3, 1]), (1, [6, 4, 1, 3])]),
    ("ConvTranspose", 22, {"kernel_shape": [3]}, [[1, 4, 5], [4, 6, 3], [6]], [(1, [4, 6, 2]), (2, [1]), (2, [4])]),
    ("BatchNormalization", 15, {}, [[2, 3, 4], [3], [3], [3], [3]],
     [(1, [1]), (2, [4]), (3, []), (4, [1, 3]), (1, [3, 1])]),
    ("InstanceNormalization", 22, {}, [[2, 3, 4], [3], [3]], [(1, [1]), (2, [4]), (1, [])]),
    ("GroupNormalization", 21, {"num_groups": 2}, [[2, 4, 3], [4], [4]], [(1, [2]), (2, [1])]),
    ("GroupNormalization", 18, {"num_groups": 2}, [[2, 4, 3], [2], [2]], [(1, [4]), (2, [1])]),
    ("LayerNormalization", 17, {}, [[2, 4], [4], [4]], [(1, [3]), (2, [2, 2, 4]), (1, [3, 4])]),
    ("PRelu", 16, {}, [[3, 1], [1]], [(1, [4]), (1, [2, 1]), (1, [1, 3, 1])]),
    ("Gemm", 13, {}, [[1, 3], [3, 4], [4]], [(2, [2, 4]), (2, [3]), (2, [1, 1, 4])]),
    ("QuantizeLinear", 21, {}, [[2, 3, 4], [3], ("ui8", [3])], [(1, [4]), (2, [1]), (2, [4]), (1, [])]),
    ("DequantizeLinear", 21, {"axis": 0}, [("ui8", [2, 3]), [2], ("ui8", [2])], [(1, [3]), (2, [3]), (2, [])]),
    ("MatMulInteger", 10, {}, [("ui8", [2, 3]), ("ui8", [3, 4]), ("ui8", [2]), ("ui8", [4])], [(2, [3]), (3, [3])]),
    ("ConvInteger", 10, {}, [("ui8", [1, 1, 4, 4]), ("ui8", [2, 1, 3, 3]), ("ui8", [])], [(2, [2])]),
    ("QLinearMatMul", 21, {}, [("ui8", [2, 3]), [], ("ui8", []), ("ui8", [3, 4]), [4], ("ui8", [4]), [], ("ui8", [])],
     [(4, [3]), (5, [3]), (1, [5]), (6, [3]), (7, [5])]),
    ("QLinearConv", 10, {}, [("ui8", [1, 1, 4, 4]), [], ("ui8", []), ("ui8", [2, 1, 3, 3]), [2], ("ui8", [2]), [],
                             ("ui8", []), ("si32", [2])], [(4, [3]), (5, [3]), (8, [1]), (8, [3])]),
    ("GatherElements", 13, {"axis": 1}, [[2, 3], ("si64", [2, 4])], [(1, [3, 3]), (1, [2])]),
    ("ScatterElements", 18, {"axis": 1}, [[2, 3], ("si64", [2, 1]), [2, 1]], [(1, [3, 1]), (2, [1, 2]), (2, [2, 2])]),
    ("GatherND", 13, {"batch_dims": 1}, [[2, 3, 4], ("si64", [2, 1])], [(1, [3, 1]), (1, [1, 1]), (1, [2, 3])]),
    ("ScatterND", 18, {}, [[4, 3], ("si64", [2, 1]), [2, 3]], [(2, [3, 2]), (2, [2, 1]), (2, [6]), (2, [1, 2, 3])]),
    ("MaxUnpool", 22, {"kernel_shape": [2], "strides": [2]}, [[1, 1, 3], ("si64", [1, 1, 3])],
     [(1, [1, 3, 1]), (1, [3]), (1, [1, 1, 2])]),
    ("ReverseSequence", 10, {}, [[4, 3], ("si64", [3])], [(1, [4]), (1, [1]), (1, [])]),
    ("Einsum", 12, {"equation": "ij,jk->ik"}, [[2, 3], [3, 4]], [(0, [2, 4]), (1, [2, 4])]),
    ("Einsum", 12, {"equation": "ii->i"}, [[3, 3]], [(0, [2, 3])]),
    ("Clip", 13, {}, [[2, 3], [], []], [(1, [2, 2, 3]), (2, [4])]),
    ("RMSNormalization", 23, {}, [[2, 4], [4]], [(1, [3]), (1, [2, 2, 4])]),
    ("NegativeLogLikelihoodLoss", 22, {}, [[2, 5, 3], ("si64", [2, 3]), [5]],
     [(1, [2, 1]), (1, [3, 3]), (1, [2]), (2, [4]), (2, [1])]),
    ("RoiAlign", 22, {"sampling_ratio": 1}, [[1, 2, 4, 4], [3, 4], ("si64", [3])], [(2, [1]), (2, [4])]),
    ("Split", 13, {}, [[4, 3]], [(0, [3, 4])]),
    ("RNN", 22, {"hidden_size": 2}, [[5, 3, 4], [1, 2, 4], [1, 2, 2], [1, 4], ("si32", [3]), [1, 3, 2]],
     [(1, [1, 2, 3]), (3, [1, 2]), (3, [4]), (4, [1]), (5, [1, 1, 2]), (5, [3, 1, 2])]),
    ("GRU", 22, {"hidden_size": 2, "layout": 1}, [[3, 5, 4], [1, 6, 4], [1, 6, 2], [1, 12], ("si32", [3]), [3, 1, 2]],
     [(2, [1, 6, 3]), (3, [1, 6]), (4, [5]), (5, [1, 3, 2])]),
    ("LSTM", 22, {"hidden_size": 2}, [[5, 3, 4], [1, 8, 4], [1, 8, 2], [1, 16], ("si32", [3]), [1, 3, 2], [1, 3, 2],
                                      [1, 6]],
     [(3, [1, 8]), (6, [1, 3, 1]), (6, [1, 1, 2]), (7, [1, 2]), (7, [6])]),
]
RESULTS = {"Split": 2, "GRU": 2, "LSTM": 3, "RNN": 2}


def build(op, version, attributes, inputs):
    typed = [i if isinstance(i, tuple) else ("f32", i) for i in inputs]
    names = [f"x{i}" for i in range(len(typed))]
    outputs = [f"y{i}" for i in range(RESULTS.get(op, 1))]
    return model([node(op, " ".join(names), " ".join(outputs), **attributes)],
                 [(n, dtype, shape) for n, (dtype, shape) in zip(names, typed)],
                 [(y, "f32", None) for y in outputs], opset=version)


class Shapes(Case):
    def test_fitting(self):
        for op, version, attributes, inputs, _ in CASES:
            with self.subTest(op=op, version=version):
                self.accepted(build(op, version, attributes, inputs))

    def test_wrong(self):
        for op, version, attributes, inputs, wrong in CASES:
            for k, shape in wrong:
                with self.subTest(op=op, version=version, input=k, shape=shape):
                    given = list(inputs)
                    given[k] = (given[k][0], shape) if isinstance(given[k], tuple) else shape
                    kind, = self.refused(build(op, version, attributes, given))
                    self.assertIn(kind, ("DimensionMismatch", "RankMismatch"))


if __name__ == "__main__":
    unittest.main()
