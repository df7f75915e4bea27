"""Random programs of the planner's tests as files of PTIR: products of computed and moved operands, stored weights,
chains of stages, loops, and steps of all kinds. test/unit/graph_random*.h draws them."""
from lib import equality


def write(seed, path):
    """Program SEED at PATH; False where it has no text."""
    return equality.ask([f"file={path}", f"draw={seed}"]).startswith("ok ")
