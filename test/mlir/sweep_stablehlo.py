"""full_stablehlo.py with more cases."""
import os
import sys

import full_stablehlo

if __name__ == "__main__":
    os.environ.setdefault("STABLEHLO_EVERY", "6")
    sys.exit(full_stablehlo.main())
