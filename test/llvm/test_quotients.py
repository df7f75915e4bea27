"""What lies outside of a tensor of quotients is zero, though both operands are read as zeros there: LLVM takes the quotient of two lanes that it
knows to be zero for zero, and left out the choice between that, which is NaN, and what is outside."""
import pathlib
import sys
import tempfile

from lib import equality

MODULE = """%0 = Input () {{name="x"}} : tensor<{kind}>[{n}]
%1 = Input () {{name="y"}} : tensor<{kind}>[{n}]
%2 = Mean (%0, [], True) : tensor<{kind}>[]
%6 = ConstTensor {{fill=0.0}} : tensor<{kind}>[{n}]
%3 = BinOp ({over}) {{op=Div}} : tensor<{kind}>[{n}]
%4 = BinOp (%3, %1) {{op=Add}} : tensor<{kind}>[{n}]
%5 = SliceGrad ({which}) {{starts=[{start}], steps=[{step}], shape=[{size}], ends=[{end}]}} : tensor<{kind}>[{size}]
outputs: %5
"""

faults = []
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "m.ir"
    for kind in ("f32", "f64"):
        for over in ("%2, %0", "%0, %1", "%0, %2", "%6, %0"):
            for which in ("%3", "%4"):
                for n, start, step, size in ((2, 2, 1, 6), (3, 1, 2, 9), (5, 3, 1, 40)):
                    path.write_text(MODULE.format(kind=kind, over=over, which=which, n=n, start=start, step=step, size=size, end=start + n * step))
                    answer = equality.ask([f"file={path}", "dialect=mind", "levels=2"])
                    faults += [] if answer.startswith("ok ") else [f"{over} of {kind}, {which}, {n} at {start} by {step} in {size}: {answer}"]
print("\n".join(faults) or "all is well")
sys.exit(len(faults) > 0)
