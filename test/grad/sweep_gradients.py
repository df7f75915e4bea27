"""Every case of full_gradients.py."""
import sys

import full_gradients

if __name__ == "__main__":
    sys.argv.append("all")
    sys.exit(full_gradients.main())
