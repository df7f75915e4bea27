"""What the scripts of the tests share. They find it with test/ in PYTHONPATH, as CMake sets it."""
