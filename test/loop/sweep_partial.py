"""Many programs of every kind with vectors that are not whole: see full_partial.py."""
import os
import sys

import full_partial

if __name__ == "__main__":
    sys.exit(full_partial.run(int(os.environ.get("PARTIAL", "20")), 2) > 0)
