"""A wheel with the library in it suits every Python 3 of one kind of machine."""
import pathlib

from setuptools import setup
from setuptools.dist import Distribution
from wheel.bdist_wheel import bdist_wheel

HAS_LIBRARY = any((pathlib.Path(__file__).parent / "tenon").glob("libtenon.so.*"))


class WithLibrary(Distribution):
    def has_ext_modules(self) -> bool:
        return HAS_LIBRARY


class Wheel(bdist_wheel):  # type: ignore[misc]
    def get_tag(self) -> tuple[str, str, str]:
        platform: str = super().get_tag()[2]
        return "py3", "none", platform if HAS_LIBRARY else "any"


setup(distclass=WithLibrary, cmdclass={"bdist_wheel": Wheel})
