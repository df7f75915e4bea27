"""The site that `make docs` makes: no link leads nowhere, nothing comes from a network, and every page is in it."""
import html.parser
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import xml.etree.ElementTree as xml

from lib.program import ROOT

LOADS = {("img", "src"), ("script", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.anchors, self.loads, self.open = [], set(), [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.anchors.add(value)
            elif name in ("href", "src"):
                self.links.append(value)
                if (tag, name) in LOADS:
                    self.loads.append(value)


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not importlib.util.find_spec("markdown"):
            raise unittest.SkipTest("there is no python3-markdown")
        cls.folder = tempfile.TemporaryDirectory()
        cls.site = pathlib.Path(cls.folder.name) / "html"
        done = subprocess.run([sys.executable, ROOT / "tools/site/site.py", cls.site], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0, done.stdout
        cls.pages = {p.relative_to(cls.site).as_posix(): Page(p) for p in cls.site.rglob("*.html")}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_links(self):
        for name, page in self.pages.items():
            self.assertGreater(len(page.links), 10, name)
            for link in page.links:
                parts = urllib.parse.urlsplit(link)
                if parts.scheme:
                    continue
                to = (self.site / name).parent / urllib.parse.unquote(parts.path) if parts.path else self.site / name
                self.assertTrue(to.is_file(), f"{name}: {link}")
                if parts.fragment:
                    there = self.pages[to.resolve().relative_to(self.site.resolve()).as_posix()]
                    self.assertIn(parts.fragment, there.anchors, f"{name}: {link}")

    def test_no_network(self):
        for name, page in self.pages.items():
            for link in page.loads:
                self.assertEqual(urllib.parse.urlsplit(link).scheme, "", f"{name} loads {link}")
        self.assertNotIn("url(", (self.site / "style.css").read_text())
        self.assertNotIn("@import", (self.site / "style.css").read_text())

    def test_complete(self):
        """Every page below docs/ is in the site, and every name of the headers has its place."""
        for path in (ROOT / "docs").rglob("*.md"):
            self.assertIn(path.relative_to(ROOT / "docs").with_suffix(".html").as_posix(), self.pages)
        for path in (ROOT / "include/tenon").iterdir():
            page = self.pages[f"api/{path.name}.html"]
            text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
            functions = set(re.findall(r"(?m)^TN_API[^;(]*?\b(tn_\w+)\(", text))
            functions |= set(re.findall(r"(?m)^TN_(?:UNARY|BINARY)\((tn_\w+)", text))
            types = set(re.findall(r"(?m)^} (tn_\w+);", text))
            self.assertTrue(functions or types, path.name)
            self.assertEqual((functions | types) - page.anchors, set(), path.name)

    def test_pictures(self):
        for path in (ROOT / "docs").rglob("*.svg"):
            picture = xml.parse(path).getroot()
            self.assertIsNotNone(picture.find("{http://www.w3.org/2000/svg}title"), path.name)


if __name__ == "__main__":
    unittest.main()
