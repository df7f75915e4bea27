"""`tenon explain --svg`: well-formed pictures, equal each time, whatever names a program has."""
import pathlib
import tempfile
import unittest
import xml.etree.ElementTree as tree

from lib.program import ROOT, output

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '</script><img src=x onerror=alert(1)>&"\x01'

LOOP = """func @main(%n: tensor<si32>) -> tensor<si32> {
  %last = while(%n) cond_region[0] body_region[1] -> (tensor<si32>)
  return %last[0]
}
region @0(%n: tensor<si32>) -> (tensor<i1>, tensor<si32>) {
  %more = compare(%n, literal<si32>[9]) op[less] -> tensor<i1>
  return %more, %n
}
region @1(%n: tensor<si32>) -> tensor<si32> {
  %next = add(%n, literal<si32>[1]) -> tensor<si32>
  return %next
}
"""


def picture(text, name="p.ir"):
    """The root element of the picture of a program, and the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, name)
        path.write_text(text, encoding="utf-8")
        text = output("explain", path, "--svg")
        assert text == output("explain", path, "--svg")
    return tree.fromstring(text), text


def texts(root):
    return [t.text for t in root.iter(f"{SVG}text")]


class Pictures(unittest.TestCase):
    def test_constants_are_in_their_users(self):
        root, _ = picture('%0 = Input () {name="x"} : tensor<f32>[2,3]\n'
                          "%1 = ConstF32 () {value=0.5} : tensor<f32>[]\n"
                          "%2 = BinOp (%0, %1) {op=Mul} : tensor<f32>[2,3]\noutputs: %2\n")
        self.assertEqual(len(root.findall(f"{SVG}rect")), 3)
        self.assertEqual(len(root.findall(f"{SVG}path")), 2)
        self.assertIn("with 0.5", texts(root))

    def test_unused_nodes_have_no_boxes(self):
        root, _ = picture('%0 = Input () {name="x"} : tensor<f32>[2,3]\n'
                          "%1 = Exp (%0) : tensor<f32>[2,3]\n"
                          "%2 = Log (%0) : tensor<f32>[2,3]\noutputs: %2\n")
        self.assertNotIn("exp", texts(root))
        self.assertIn("log", texts(root))

    def test_functions_that_do_not_run_have_no_pictures(self):
        root, _ = picture("""func @main(%x: tensor<f32, 2>) -> tensor<f32, 2> {
  %y = exp(%x) -> tensor<f32, 2>
  return %y
}
func @other(%x: tensor<f32, 2>) -> tensor<f32, 2> {
  %y = neg(%x) -> tensor<f32, 2>
  return %y
}
""", name="p.ptir")
        self.assertIn("exp", texts(root))
        for word in ("neg", "other", "main"):
            self.assertNotIn(word, texts(root))

    def test_names_are_texts_only(self):
        root, text = picture('%0 = Input () {name="' + HOSTILE.replace('"', '\\"') + '"} : tensor<f32>[2]\n'
                             "%1 = Relu (%0) : tensor<f32>[2]\noutputs: %1\n", name="<b>&.ir")
        self.assertNotIn("<img", text)
        self.assertNotIn("<b>", text)
        self.assertIn("<b>&.ir", root.find(f"{SVG}title").text)
        self.assertTrue(any(t.startswith("</script>") for t in texts(root)))

    def test_regions_have_pictures(self):
        root, _ = picture(LOOP, "loop.ptir")
        self.assertIn("while", texts(root))
        self.assertIn("runs region0, region1", texts(root))
        self.assertEqual(len([t for t in root.iter(f"{SVG}text") if t.get("class") == "t h"]), 3)

    def test_large_functions_are_drawn_as_kernels(self):
        lines = ['%0 = Input () {name="x"} : tensor<f32>[64,64]']
        for i in range(1, 500):
            op = f"MatMul (%{i - 1}, %0)" if i % 5 == 0 else f"Relu (%{i - 1})" if i % 5 == 1 else f"Exp (%{i - 1})"
            lines.append(f"%{i} = {op} : tensor<f32>[64,64]")
        root, _ = picture("\n".join(lines) + "\noutputs: %499\n")
        self.assertTrue(any(t.startswith("kernel 0: ") for t in texts(root)))
        self.assertLess(len(root.findall(f"{SVG}rect")), 300)

    def test_the_pictures_of_the_documents(self):
        pictures = ROOT / "docs" / "pictures"
        net = output("explain", ROOT / "examples" / "aot" / "net.ir", "--svg", "--cpu", "x86-64-v3")
        self.assertEqual(net, (pictures / "net.svg").read_text(encoding="utf-8"))
        readme = (ROOT / "README.md").read_text(encoding="utf-8").split("<!-- file norm.ir -->", 1)[1]
        with tempfile.TemporaryDirectory() as folder:
            norm, grad = pathlib.Path(folder, "norm.ir"), pathlib.Path(folder, "norm-grad.ir")
            norm.write_text("".join(line[4:] + "\n" for line in readme.strip("\n").split("\n\n")[0].split("\n")), encoding="utf-8")
            output("grad", norm, "-o", grad)
            self.assertEqual(output("explain", grad, "--svg", "--cpu", "x86-64-v3"), (pictures / "norm.svg").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
