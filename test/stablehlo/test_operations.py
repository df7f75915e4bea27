"""Every operation of StableHLO stands in a program: programs/operations.mlir has a function for each of them, which checks itself.
What is refused has one, too, so that a list here says all that is not read."""
import re
import unittest

from lib.program import TEST, start

TEXT = TEST / "stablehlo" / "programs" / "operations.mlir"
OPERATIONS = """
abs add after_all all_gather all_reduce all_to_all and async_done async_start atan2 batch_norm_grad batch_norm_inference
batch_norm_training bitcast_convert broadcast broadcast_in_dim case cbrt ceil cholesky clamp collective_broadcast
collective_permute collective_reduce compare complex composite concatenate constant convert convolution cosine
count_leading_zeros create_token cross-replica-sum custom_call divide dot dot_general dynamic_broadcast_in_dim dynamic_conv
dynamic_gather dynamic_iota dynamic_pad dynamic_reshape dynamic_slice dynamic_update_slice einsum exponential
exponential_minus_one fft floor gather get_dimension_size get_tuple_element if imag infeed iota is_finite log log_plus_one
logistic map maximum minimum multiply negate not optimization_barrier or outfeed pad partition_id popcnt power real
real_dynamic_slice recv reduce reduce_precision reduce_scatter reduce_window remainder replica_id reshape return reverse rng
rng_bit_generator round_nearest_afz round_nearest_even rsqrt scatter select select_and_scatter send set_dimension_size
shift_left shift_right_arithmetic shift_right_logical sign sine slice sort sqrt subtract tan tanh torch_index_select transpose
triangular_solve tuple unary_einsum uniform_dequantize uniform_quantize while xor
""".split()
REFUSED = {"async_done", "async_start", "infeed", "outfeed", "recv", "send"}  # several devices, a host, and what runs beside


class Operations(unittest.TestCase):
    def test_each_stands_in_its_function(self):
        functions = dict(re.findall(r"^func\.func @(\w+)\(\) \{\n(.*?)^\}", TEXT.read_text(encoding="utf-8"), re.M | re.S))
        self.assertEqual(sorted(functions), sorted(name.replace("-", "_") for name in OPERATIONS))
        self.assertEqual(len(OPERATIONS), 118)
        for name in OPERATIONS:
            body = functions[name.replace("-", "_")]
            self.assertRegex(body, rf"stablehlo\.{re.escape(name)}\b")
            self.assertIn("check.expect_", body)

    def test_each_holds_or_is_refused(self):
        for engine in ("ref", "jit"):
            done = start("verify", TEXT, "--engine", engine)
            lines = dict(line.split(": ", 1) for line in done.stdout.splitlines())
            for name in OPERATIONS:
                want = "refused" if name in REFUSED else "passed"
                self.assertEqual(lines[name.replace("-", "_")].split()[0], want, done.stderr)

    def test_others_hold(self):
        for name in ("chlo.mlir", "edges.mlir", "parallel.mlir"):
            path = TEST / "stablehlo" / "programs" / name
            n = path.read_text(encoding="utf-8").count("// -----") + 1
            for engine in ("ref", "jit"):
                done = start("verify", path, "--engine", engine)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertRegex(done.stdout, f"{n} functions: {n} passed")


if __name__ == "__main__":
    unittest.main()
