"""Many programs of every kind with vectors that are not whole: see test_partial.py."""
import os
import sys

import test_partial

if __name__ == "__main__":
    sys.exit(test_partial.run(int(os.environ.get("PARTIAL", "20")), 2) > 0)
