"""The examples in the docstrings of the package."""
import doctest
import importlib
import pkgutil
import unittest

from lib import package  # noqa: F401

import tenon


def modules():
    return [importlib.import_module(f"tenon.{m.name}") for m in pkgutil.iter_modules(tenon.__path__)]


class Docstrings(unittest.TestCase):
    def test_examples(self):
        n = 0
        for module in modules():
            names = {**vars(tenon), **vars(module)}
            failed, tried = doctest.testmod(module, globs=names)
            self.assertEqual(failed, 0, module.__name__)
            n += tried
        self.assertGreater(n, 15)

    def test_everything_is_documented(self):
        for name in tenon.__all__:
            what = getattr(tenon, name)
            if name != "__version__":
                self.assertTrue(what.__doc__, name)
        for module in (tenon.nn, tenon.train):
            for name in module.__all__:
                self.assertTrue(getattr(module, name).__doc__, name)


if __name__ == "__main__":
    unittest.main()
