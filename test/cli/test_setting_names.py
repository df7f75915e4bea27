"""Messages of the library name settings as its headers do, and the command line gives them the names of its options: no text in
the library is about a flag or a command, and every setting has an option."""
import re
import unittest

from lib.program import ROOT, output

NAMES = dict(re.findall(r'\{"(\w+)", "([^"]+)"\}', (ROOT / "src/cli/session/setting_names.c").read_text(encoding="utf-8")))
TEXT = re.compile(r'"(?:\\.|[^"\\\n])*"')
FLAG = re.compile(r"(?:^|[^\w-])--[a-z]+|[`'( ]tenon (?:run|check|ops|passes|opt|compile|explain|convert)\b")
LINKER = "src/target/shared.c"  # whose flags are those of another program
ALSO_OTHERS = "src/dialect/mlir/hlo/import.c"


class SettingNames(unittest.TestCase):
    def test_every_setting_has_an_option(self):
        settings = re.findall(r'^SETTING\(\w+, "(\w+)"\)', (ROOT / "src/base/context/settings.def").read_text(encoding="utf-8"), re.M)
        self.assertEqual(sorted(settings), sorted(NAMES))
        header = (ROOT / "include/tenon/tenon.h").read_text(encoding="utf-8")
        told = re.search(r" \* setting  (.*?)\n \* names", header, re.S)[1]
        self.assertEqual(sorted(settings), sorted(re.findall(r"\w+", told)))
        options = output("--help") + "".join(output(c, "--help") for c in ("run", "convert", "equiv", "train", "check", "grad"))
        for name in NAMES.values():
            self.assertRegex(options, rf"(?m)(?<!\S){name.strip(chr(39)).split()[-1]}\b")

    def test_no_text_of_the_library_is_about_a_flag(self):
        for path in sorted((ROOT / "src").rglob("*.[chd]*")):
            name = path.relative_to(ROOT).as_posix()
            if name.startswith(("src/cli", "src/lsp")) or name in (LINKER, ALSO_OTHERS) or path.suffix not in (".c", ".h", ".def"):
                continue
            for text in TEXT.findall(path.read_text(encoding="utf-8")):
                self.assertNotRegex(text[1:-1], FLAG, name)


if __name__ == "__main__":
    unittest.main()
