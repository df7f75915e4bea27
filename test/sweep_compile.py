"""Every case with a run, ahead of time, with both compilers: test_compile.py --all."""
import sys

import test_compile

if __name__ == "__main__":
    sys.argv.append("--all")
    sys.exit(test_compile.main())
