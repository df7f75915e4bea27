"""Every case with a run, ahead of time, with both compilers: full_compile.py --all."""
import sys

import full_compile

if __name__ == "__main__":
    sys.argv.append("--all")
    sys.exit(full_compile.main())
