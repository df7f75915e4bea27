"""tenon explain --dump shows every form on the way, one at a time or all."""
import os
import subprocess
import sys
import tempfile

TENON = os.environ["TENON"]
PROGRAM = """%0 = Input () {name="x"} : tensor<f32>[4,6]
%1 = ConstTensor () {value=[[1.0],[2.0],[3.0],[4.0],[5.0],[6.0]]} : tensor<f32>[6,1]
%2 = MatMul (%0, %1) : tensor<f32>[4,1]
%3 = Exp (%2) {} : tensor<f32>[4,1]
%4 = Transpose (%0) {perm=[1,0]} : tensor<f32>[6,4]
%5 = Slice (%4) {starts=[1,0],ends=[4,4],steps=[1,1]} : tensor<f32>[3,4]
outputs: %3, %5
"""
BY_REFERENCE = """%0 = Input () {name="x"} : tensor<f32>[2,3]
%1 = Slice (%0) {starts=[0,0],ends=[0,3],steps=[1,1]} : tensor<f32>[0,3]
%2 = Neg (%1) : tensor<f32>[0,3]
outputs: %2
"""
failures = 0


def dump(path, *options):
    return subprocess.run([TENON, "explain", path, *options], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)


def expect(what, ok, output):
    global failures
    if not ok:
        failures += 1
        print(f"failed: {what}\n{output}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/p.ir"
        with open(path, "w", encoding="utf-8") as to:
            to.write(PROGRAM)
        stages = {"graph": "%2 = matmul %0, %1", "lowered": "%2 = matmul %0, %1",
                  "kernels": "contract over [4, 1]", "loops": "store", "program": "input 0, 96 bytes"}
        texts = []
        for stage, has in stages.items():
            done = dump(path, "--dump", stage)
            expect(stage, done.returncode == 0 and has in done.stdout, done.stdout + done.stderr)
            texts.append(f"-- {stage}\n{done.stdout}")
        done = dump(path, "--dump", "all")
        expect("all is each after the other", done.stdout == "".join(texts), done.stdout)
        one = dump(path, "--dump", "kernels", "--kernel", "1").stdout
        expect("one kernel", one.startswith("kernel 1 of") and "kernel 0 of" not in one, one)
        whole = f"{folder}/whole.ir"
        with open(whole, "w", encoding="utf-8") as to:
            to.write(BY_REFERENCE)
        done = dump(whole, "--dump", "all")
        expect("a reference kernel writes values whole",
               done.returncode == 0 and "  writes %1 f32[0, 3]\n" in done.stdout,
               done.stdout + done.stderr)
        odd = f"{folder}/odd.ir"
        with open(odd, "w", encoding="utf-8") as to:
            to.write('%0 = Input () {name="a\x1b[31mb\u202ec \u00e9"} : tensor<f32>[2]\n%1 = Neg (%0) : tensor<f32>[2]\noutputs: %1\n')
        done = dump(odd)
        expect("names do not move the cursor", "reads      %0 'a?[31mb?c \u00e9' f32[2]\n" in done.stdout, ascii(done.stdout))
        done = dump(path, "--dump", "asm")
        expect("no such stage", done.returncode == 2 and "lowered" in done.stderr, done.stderr)
        done = dump(path, "--dump", "loops", "--kernel", "9")
        expect("no such kernel", done.returncode == 2 and "there is no kernel 9" in done.stderr and not done.stdout,
               done.stderr)
        done = dump(path, "--kernel", "-1")
        expect("no such number", done.returncode == 2 and "it takes 0 to" in done.stderr, done.stderr)
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
