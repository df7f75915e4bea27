"""full_compile.py with another sample of the cases; `full_compile.py --all` takes them all."""
import sys

import full_compile

if __name__ == "__main__":
    sys.argv += ["--seed", "2"]
    sys.exit(full_compile.main())
