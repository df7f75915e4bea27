"""The cases that full_gradients.py leaves out."""
import sys

import full_gradients

if __name__ == "__main__":
    sys.argv.append("rest")
    sys.exit(full_gradients.main())
