"""bench/peers.py: what it tells other libraries about the processor, and how it says who is missing."""
import importlib.util
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))  # what peers.py imports stands beside it
spec = importlib.util.spec_from_file_location("peers", ROOT / "bench/peers.py")
peers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(peers)

AVX2 = {"sse2", "avx", "avx2", "fma"}
AVX512 = AVX2 | {"avx512f", "avx512bw", "avx512dq", "avx512vl"}


class Peers(unittest.TestCase):
    def test_only_what_the_processor_has(self):
        self.assertEqual(peers.kernel_choice(AVX512)["ATEN_CPU_CAPABILITY"], "avx512")
        for flags in (AVX2, AVX512 - {"avx512vl"}):
            self.assertEqual(peers.kernel_choice(flags), {"OPENBLAS_CORETYPE": "HASWELL", "ATEN_CPU_CAPABILITY": "avx2"})
        for flags in (set(), {"sse2"}, AVX2 - {"fma"}):
            self.assertEqual(peers.kernel_choice(flags), {})

    def test_what_is_set_stays(self):
        peers.os.environ["ATEN_CPU_CAPABILITY"] = "default"
        self.addCleanup(peers.os.environ.pop, "ATEN_CPU_CAPABILITY")
        self.assertEqual(peers.environment(1)["ATEN_CPU_CAPABILITY"], "default")

    def test_narrow(self):
        told = peers.kernel_choice(AVX512, "x86-64-v3")
        self.assertEqual((told["ATEN_CPU_CAPABILITY"], told["ONEDNN_MAX_CPU_ISA"]), ("avx2", "AVX2"))

    def test_contestants_that_end_are_named(self):
        c = peers.Contestant("torch", ["sh", "-c", "kill -ILL $$"], 1)
        self.assertEqual(c.ask("open gemm-256 "), "!ended")
        c.end()
        c.process.stdout.close()
        c.process.stderr.close()
        self.assertTrue(c.has_ended)
        self.assertEqual(c.missed(), "torch ended by itself, with status -4")


if __name__ == "__main__":
    sys.exit(unittest.main())
