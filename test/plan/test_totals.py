"""What `explain` and `info` say of a whole run: kernels of what runs, as often as it does so at least, and nothing is planned of functions
that the entry does not lead to, or that are part of a kernel that loops over them."""
import json
import pathlib
import tempfile

from lib.program import tenon

SQUARE = "tensor<f32, 64x64>"
PRODUCT = f"dot_general(%x, %x) contract_lhs[1] contract_rhs[0] -> {SQUARE}"
FLOPS = 2 * 64 ** 3  # of it


def unary(name, what, regions=False):
    word = "region" if regions else "func"
    return f"{word} @{name}(%x: {SQUARE}) -> {SQUARE} {{\n  %y = {what}\n  return %y\n}}\n"


def exp(name, regions=False):
    return unary(name, f"exp(%x) -> {SQUARE}", regions)


def explained(folder, text):
    """What is said of TEXT, and the functions in it by name."""
    path = pathlib.Path(folder) / "p.ptir"
    path.write_text(text)
    said = json.loads(tenon("explain", "--json", path).stdout)
    words = tenon("explain", path).stdout
    assert said["together"]["flops"] == json.loads(tenon("info", "--json", path).stdout)["flops"], said["together"]
    for f in said["functions"]:
        assert f["compiled"] or f["why"] in words, (f, words)
        assert f["runs"] or not f["compiled"], f
    return said, {f["name"]: f for f in said["functions"]}


def sums(f):
    return tuple(sum(k[key] for k in f["kernels"] if key in k) for key in ("bytes", "flops", "least_ns"))


def is_cost(said, wanted):
    have = said["together"]
    assert (have["bytes"], have["flops"]) == wanted[:2], (have, wanted)
    if "least_ns" in have:  # there is machine code, whose limits were measured
        assert abs(have["least_ns"] - wanted[2]) <= 16 + wanted[2] // 1000, (have, wanted)


def main():
    with tempfile.TemporaryDirectory() as folder:
        # a function that the entry does not lead to, which no kernel could compute
        huge = "func @other(%x: tensor<f32, 4194304x1>, %y: tensor<f32, 1x4194304>) -> tensor<f32> {\n" \
               "  %z = sub(%x, %y) -> tensor<f32, 4194304x4194304>\n  %s = reduce_sum(%z) axes[0, 1] -> tensor<f32>\n  return %s\n}\n"
        huge = huge.replace("sub(%x, %y)", "add(%a, %b)").replace(
            "  %z", "  %a = broadcast_to(%x) result_shape[4194304, 4194304] -> tensor<f32, 4194304x4194304>\n"
            "  %b = broadcast_to(%y) result_shape[4194304, 4194304] -> tensor<f32, 4194304x4194304>\n  %z", 1)
        said, of = explained(folder, exp("main") + huge)
        assert (of["main"]["runs"], of["other"]["runs"], said["programs"], said["not_covered"]) == (True, False, 1, 0), said
        is_cost(said, sums(of["main"]))
        done = tenon("run", pathlib.Path(folder) / "p.ptir", "--random", 1)
        assert done.stderr == "", done.stderr  # no word of a function that does not run

        # of a condition the region that takes less
        cond = f"func @main(%p: tensor<i1>, %x: {SQUARE}) -> {SQUARE} {{\n" \
               f"  %y = cond(%p, %x) true_region[0] false_region[1] -> {SQUARE}\n  return %y\n}}\n"
        said, of = explained(folder, cond + unary("0", PRODUCT, True) + exp("1", True))
        assert of["region0"]["runs"] and of["region1"]["runs"]
        is_cost(said, tuple(map(min, sums(of["region0"]), sums(of["region1"]))))

        # all turns of a scan that runs its region
        scan = f"func @main(%c: {SQUARE}, %x: tensor<f32, 10x64x64>) -> {SQUARE} {{\n" \
               f"  %y = scan(%c, %x) body_region[0] carry_count[1] scan_output_count[0] -> ({SQUARE})\n  return %y[0]\n}}\n"
        body = f"region @0(%c: {SQUARE}, %x: {SQUARE}) -> {SQUARE} {{\n  %y = OP -> {SQUARE}\n  return %y\n}}\n"
        said, of = explained(folder, scan + body.replace("OP", "dot_general(%c, %x) contract_lhs[1] contract_rhs[0]"))
        assert said["together"]["flops"] == 10 * FLOPS, said["together"]
        is_cost(said, tuple(10 * x for x in sums(of["region0"])))

        # a scan that is a kernel: it is counted once, and its region has no code of its own
        said, of = explained(folder, scan + body.replace("OP", "add(%c, %x)"))
        assert said["functions"][0]["kernels"][0]["kind"] == "loops" and not of["region0"]["runs"], said
        assert said["programs"] == len(of["main"]["kernels"][0]["steps"]), said
        is_cost(said, sums(of["main"]))

        # scans in each other: what is more than 64 bits count stays at the most that they do
        turns, levels = 1 << 20, 5
        inner = f"scan(%c, %s) body_region[NEXT] carry_count[1] scan_output_count[0] -> ({SQUARE})\n"
        deep = f"func @main(%c: {SQUARE}, %s: tensor<f32, {turns}>) -> {SQUARE} {{\n  %y = {inner}  return %y[0]\n}}\n".replace("NEXT", "0")
        for level in range(levels):
            deep += f"region @{level}(%c: {SQUARE}, %x: tensor<f32>) -> {SQUARE} {{\n"
            if level + 1 < levels:
                deep += f"  %s = broadcast_to(%x) result_shape[{turns}] -> tensor<f32, {turns}>\n  %y = {inner}  return %y[0]\n}}\n".replace("NEXT", str(level + 1))
            else:
                deep += f"  %y = {PRODUCT.replace('%x', '%c')}\n  return %y\n}}\n"
        said, of = explained(folder, deep)
        assert set(said["together"].values()) == {2 ** 64 - 1}, said["together"]

        # one turn of a while
        loop = f"func @main(%n: tensor<si32>, %x: {SQUARE}) -> {SQUARE} {{\n" \
               f"  %l = while(%n, %x) cond_region[0] body_region[1] -> (tensor<si32>, {SQUARE})\n  return %l[1]\n}}\n" \
               f"region @0(%i: tensor<si32>, %x: {SQUARE}) -> (tensor<i1>, tensor<si32>, {SQUARE}) {{\n" \
               "  %z = constant value[0] -> tensor<si32>\n  %m = compare(%i, %z) op[greater] -> tensor<i1>\n  return %m, %i, %x\n}\n" \
               f"region @1(%i: tensor<si32>, %x: {SQUARE}) -> (tensor<si32>, {SQUARE}) {{\n" \
               "  %o = constant value[1] -> tensor<si32>\n  %j = sub(%i, %o) -> tensor<si32>\n" \
               f"  %y = {PRODUCT}\n  return %j, %y\n}}\n"
        said, of = explained(folder, loop)
        is_cost(said, tuple(map(sum, zip(sums(of["region0"]), sums(of["region1"])))))

        # which is a kernel: data say how often its loop runs, so its code is optimised from the start
        said, of = explained(folder, loop.replace(PRODUCT, f"exp(%x) -> {SQUARE}"))
        kernel, = of["main"]["kernels"]
        assert (kernel["kind"], kernel["flops"], kernel["limit"] if "limit" in kernel else "loop") == ("loops", 64 * 64 + 2, "loop"), kernel
        assert [step["tier"] for step in kernel["steps"]] == ["optimized"], kernel
        is_cost(said, sums(of["main"]))


if __name__ == "__main__":
    main()
