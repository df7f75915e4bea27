#!/usr/bin/env python3
"""Do the tests find faults? Each of FAULTS below is put into a copy of the sources, which is built; then the tests that
should find it must fail, and without it they must pass.

    tools/mutate.py [--list] [NAME...]      all faults, or those called NAME

A fault is a text that stands exactly once in a file and what takes its place; where it no longer does, that is reported
as a failure, so that the list keeps up with the sources. The copy is in build/mutants and keeps what was built.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
COPY = ROOT / "build/mutants"
BUILD = COPY / "build/dev"
JOBS = str(os.cpu_count())
LONGEST = 1200  # seconds for a build or a test that never ends


@dataclass
class Fault:
    """NEW for OLD in FILE. CHECK finds it: `cases PATTERN...`, `unit NAME` or `script PATH ARGUMENT...`, below test/."""
    name: str
    file: str
    old: str
    new: str
    check: str


FAULTS = [
    # ---- the evaluator's kernels
    Fault("cumulative-group", "src/eval/kernels/cumulative.c", "(size_t)(j / d * d - 1)", "(size_t)(j / d * d - d)", "cases ptir/cumulative*.case"),
    Fault("order-nan", "src/eval/kernels/arg.c", "            keys[i] = UINT64_MAX;", "            keys[i] = 0;", "cases ptir/top-k.case ptir/sort.case"),
    Fault("gather-bounds", "src/eval/kernels/scatter.c", "if (at < 0 || at >= x->dims[axis])\n                    return position_out_of_bounds(call, at, axis, x);\n                memcpy(to",
          "if (at < 0 || at > x->dims[axis])\n                    return position_out_of_bounds(call, at, axis, x);\n                memcpy(to", "cases ptir/*gather*.case"),
    Fault("cast-unsigned", "src/scalar/cast.c", "x = w->i[k] < 0 ? 0 : x;", "x = w->u[k];", "cases ptir/cast-*.case"),
    Fault("exp-digit", "src/scalar/math_exp.c", "0x1.71ddeaa4d7882p-19", "0x1.71ddeab4d7882p-19", "unit scalar_bits"),
    Fault("fold-bytes", "src/eval/parts/fold.c", "ROW(TN_UI8, uint8_t, a[i] < b[i] ? a[i] : b[i])", "ROW(TN_UI8, int8_t, a[i] < b[i] ? a[i] : b[i])", "cases ptir/reduce*.case"),
    Fault("fold-complex", "src/eval/parts/fold.c", "a[i + 1] = a[i] * b[i + 1] + a[i + 1] * b[i];", "a[i + 1] = a[i] * b[i + 1] - a[i + 1] * b[i];", "cases stablehlo/reduce*.case"),
    # ---- index maps
    Fault("border-high", "src/index/border.c", "b->fences[i].value < b->fences[i].high)", "b->fences[i].value <= b->fences[i].high)", "cases tiny/stream-pad.case"),
    Fault("access-constant", "src/index/access_expr.c", "access_add_constant(s, constant_of(e), factor);",
          "access_add_constant(s, sized_of(0), factor);", "unit access"),
    Fault("guard-low", "src/loop/emit/emit_index.c", "if (g->of->low < g->low)", "if (g->of->low < g->low - 1)", "script loop/full_partial.py 3 0 pads moves"),
    Fault("sized-sum", "src/graph/sized.h", "(sized){a.now + b.now, other_add(a.other, b.other)}", "(sized){a.now + b.now, other_add(a.now, b.now)}", "script plan/full_sizes.py"),
    Fault("resize-now", "src/plan/resize.c", "other[n++] = x.other[i];", "other[n++] = x.now[i];", "script plan/full_sizes.py"),
    # ---- loops and kernels
    Fault("cast-compare", "src/loop/element/element_cast.c", "dtype_is_signed(from) ? LOOP_ILT : LOOP_IULT, y,", "LOOP_ILT, y,", "cases ptir/cast-*.case"),
    Fault("cast-odd", "src/loop/element/element_cast.c", "const_like(b, a, 0x7ff)", "const_like(b, a, 0x3ff)", "cases ptir/cast-halfway.case"),
    Fault("cast-nan", "src/loop/element/element_cast.c", "return loop_select(b, loop_binary(b, LOOP_FUNO, x, x), zero, i);", "return i;", "cases ptir/cast-*.case"),
    Fault("divide-near", "src/loop/element/element_divide.c", "is_signed ? 52 : 51", "is_signed ? 54 : 53", "cases ptir/div-above-f64.case"),
    Fault("arg-max-tie", "src/loop/nest/loops/loops_arg_max.c", "loop_binary(b, LOOP_ILT, q.index, p.index));\n        const loop_value is",
          "loop_binary(b, LOOP_ILT, p.index, q.index));\n        const loop_value is", "script loop/full_arg_max.py"),
    Fault("last-record", "src/loop/emit/emit_memory.c", "t->count % each != 0", "t->count % each == each", "script loop/full_partial.py 12 0 every_eighth"),
    Fault("field-of-lane", "src/loop/emit/emit_memory.c", "each * (place % each)", "each", "script loop/full_partial.py 12 0 narrow_rows"),
    Fault("first-true", "src/loop/nest/loops/loops_arg_max.c", "loop_select(b, is_none, zero, index)", "index", "cases exec/arg-max-bool.case"),
    Fault("read-once-own", "src/plan/prologues.c", "from && o > 0 && i < from->n_in", "from && o > 9 && i < from->n_in", "script plan/test_read_once.py"),
    Fault("rows-checked", "src/loop/nest/rows.c", "s->e.is_checked = nest_is_checked_before(f, k);", "s->e.is_checked = true;", "cases ptir/bags-open-out-of-bounds.case"),
    Fault("part-of-segment", "src/loop/nest/loops/loops_segments_sorted.c", "loops_add(l, middle, loop_i64(b, 1))", "middle", "script loop/full_partial.py 12 0 sorted_segments"),
    Fault("cumulative-rest", "src/loop/nest/loops/loops_cumulative.c", "r->reverses && j < stored ? stored - 1 - j : j", "r->reverses && j < stored ? stored - j : j", "script loop/full_partial.py 10 0 cumulated"),
    Fault("columns-zero", "src/loop/nest/rows_any_order.c", "loop_select(b, here, loop_i64(b, 1), loop_get(b, any))", "loop_select(b, here, loop_i64(b, 0), loop_get(b, any))", "cases ptir/extrema-of-columns.case"),
    Fault("columns-nan", "src/loop/nest/rows_any_order.c", "const element other = x[t + 1 < n ? t + 1 : t];", "const element other = x[t];", "cases ptir/extrema-of-columns.case"),
    Fault("strip-odd", "src/loop/nest/rows_strips.c", "        if (n % 2)\n            move_block(s, loop_i64(b, n / 2)", "        if (n % 2 && n > 3)\n            move_block(s, loop_i64(b, n / 2)",
          "script loop/full_columns.py"),
    Fault("kept-passes", "src/loop/nest/rows_plan.c", "note_passes(s, s->k->out[i].value, 1);", "note_passes(s, s->k->out[i].value, 0);", "script loop/full_partial.py 4 0 kept"),
    Fault("none-left", "src/loop/contract/contract_walk.c", "loop_select(b, loop_binary(b, LOOP_ILT, none, left), at, none);", "at;",
          "script loop/full_partial.py 4 0 decoded_tiles open_batches"),
    Fault("constant-columns", "src/loop/contract/contract_problem.c", "s->b_is_constant && !p->has_dynamic_n;", "s->b_is_constant;",
          "script loop/full_partial.py 6 0 open_columns"),
    Fault("c-shift", "src/target/c/arithmetic.c", 'case LOOP_ASHR:\n        return " >> ";', 'case LOOP_ASHR:\n        return " << ";', "unit target_c"),
    Fault("quads-step", "src/loop/contract/contract_walk.c", "loop_i64(b, i * from->pair)", "loop_i64(b, i)", "cases ptir/dot-quads.case"),
    Fault("quads-unsigned", "src/loop/contract/contract_pairs.c", "p->b_is_unsigned = s->b == TN_UI8;", "p->b_is_unsigned = false;", "cases ptir/dot-quads-signs.case"),
    Fault("quads-offset", "src/loop/contract/contract_pairs.c", "UINT32_C(0x80808080)", "UINT32_C(0x80808000)", "cases ptir/dot-quads.case"),
    Fault("open-columns", "src/loop/contract/pack/contract_pack_b.c", "loop_if(b, loop_binary(b, LOOP_ILT, k->columns, loop_i64(b, columns_of(p))));",
          "loop_if(b, loop_binary(b, LOOP_ILT, k->columns, loop_i64(b, columns_of(p) - 1)));", "script loop/full_partial.py 12 0 open_products"),
    Fault("c-unordered", "src/target/c/arithmetic.c", "if (is_vector && i->in[0] != i->in[1]) {", "if (is_vector && false) {", "unit target_c"),
    # ---- the plan and the engine
    Fault("buffers-reuse", "src/plan/buffers.c", "    free_slots(w, b->begin);", "    free_slots(w, b->begin + 1);", "cases convert/buffers*.case"),
    Fault("watched-piece", "src/runtime/tape_run.c", "for (int64_t at = begin, next; at < end; at = next) {", "for (int64_t at = begin, next; at + 1 < end; at = next) {", "script equality/long_equality.py --no-code --only-random --random 5"),
    Fault("cache-key", "src/runtime/cache.c", " || memcmp(bytes, key, key_bytes) != 0)", " || memcmp(bytes, key, key_bytes / 2) != 0)", "unit cache"),
    Fault("cache-oldest", "src/runtime/cache.c", "return x->time.tv_sec < y->time.tv_sec ? -1 : 1;", "return x->time.tv_sec < y->time.tv_sec ? 1 : -1;", "unit cache"),
    Fault("cache-checksum", "src/runtime/cache.c", "if (sum[0] != head.checksum[0] || sum[1] != head.checksum[1])", "if (sum[0] == 0 && sum[1] != head.checksum[1])", "unit cache"),
    Fault("pack-offset", "src/compile/jit_pack.c", "derived_key_number(key, offset_of(s));", "derived_key_number(key, 0);", "cases ptir/weights-alike.case"),
    Fault("pack-where", "src/compile/jit_pack.c", "source_of(s)->data + offset_of(s);", "source_of(s)->data;", "cases ptir/weights-alike.case"),
    Fault("derived-data", "src/graph/derived.c", "        derived_key_bytes(key, l->data, l->bytes);\n        return;", "        return;", "cases ptir/weights-alike.case"),
    # ---- passes
    Fault("cse-random", "src/pass/cse.c", "n->op == OP_INPUT || (op_table[n->op].traits & T_UNSTABLE)", "n->op == OP_INPUT", "cases pass/cse*.case"),
    Fault("add-zero", "src/pass/identities.c", "scalar_of_float(-0.0) : scalar_of_int(0);\n    if (!is_real(c))\n        return NO_VALUE;\n    value_id v = rule_neutral(c, 0, zero);",
          "scalar_of_float(0.0) : scalar_of_int(0);\n    if (!is_real(c))\n        return NO_VALUE;\n    value_id v = rule_neutral(c, 0, zero);", "cases pass/identities*.case"),
    Fault("slice-slice", "src/pass/rules_chains.c", "a[i].start + b[i].start * a[i].step : 0;", "a[i].start + b[i].start : 0;", "cases pass/identities*.case"),
    Fault("weights-order", "src/pass/contractions/transpose_weights.c", "out->perm[i] = moved[a->perm[i]];", "out->perm[i] = a->perm[moved[i]];", "script pass/full_transpose_weights.py"),
    Fault("weights-broadcast", "src/pass/contractions/transpose_weights.c", "axes[kept] = i;", "axes[kept] = a->perm[i];", "script pass/full_transpose_weights.py"),
    Fault("decoded-order", "src/pass/contractions/transpose_weights.c", "static const int64_t perm[] = {1, 0, 2};", "static const int64_t perm[] = {0, 1, 2};", "script pass/full_transpose_weights.py"),
    Fault("windows-pads", "src/pass/split_windows.c", "pads[2 * i + 1] = own ? w->pads[2 * i + 1] : 0;", "pads[2 * i + 1] = own ? w->pads[2 * i] : 0;", "cases pass/split-windows.case"),
    Fault("windows-sums", "src/pass/split_windows.c", "attr_int(n->attrs, KEY_COMBINE, -1) == COMBINE_ADD ||", "", "cases pass/split-windows.case"),
    Fault("take-along-order", "src/pass/take_along.c", "order[i] = (uint32_t)perm[order[i]]", "order[i] = (uint32_t)perm[i]", "cases pass/take-along*.case"),
    Fault("take-along-axes", "src/pass/take_along.c", "axes[i] = before[one->perm[i]]", "axes[i] = (uint32_t)one->perm[i]", "cases pass/take-along*.case"),
    Fault("take-along-uses", "src/pass/take_along.c", "(count && uses[n->first_value] != 1)", "false", "cases pass/take-along*.case"),
    Fault("gradient-draws-again", "src/pass/conversions/differentiate.c", "n->op != OP_INPUT && !node_draws(n);", "n->op != OP_INPUT;", "cases grad/random*.case"),
    Fault("gradient-draws-place", "src/pass/conversions/differentiate.c", "n = i + 1;", "n = 0;", "cases grad/random*.case"),
    Fault("extrema-count", "src/grad/grad.c", "build_cast(&c->b, x, dtype_compute(grad_type(c, x)->dtype));", "x;", "cases grad/extrema*.case"),
    Fault("regions-failing", "src/pass/regions.c", "stops.of[f->outputs.at[output_of(r, k, c)]] != 0;", "false;", "cases pass/regions*.case"),
    Fault("regions-operands", "src/pass/regions.c", "(pass && !failing_covers(all, c->stops[c->first + k]));", "false;", "cases pass/regions*.case"),
    Fault("failing-covers", "src/ops/node_facts.c", "return (dropped & ~kept) == 0 &&", "return (dropped & kept) == 0 &&", "cases pass/*failing*.case"),
    Fault("regions-shared", "src/pass/regions.c", "return goes && !c->is_shared;", "return goes;", "cases pass/regions*.case"),
    Fault("regions-condition", "src/pass/regions.c", "for (uint32_t r = 0; kept && r < c->n_regions; r++)", "for (uint32_t r = 0; kept && r < 1; r++)", "cases pass/regions*.case"),
    Fault("hoist-condition", "src/pass/hoist/hoist.c", "(!c || c->outputs.at[k + 1] == c->inputs.at[k]);", "(!c || c != b);", "cases pass/hoist*.case"),
    Fault("hoist-failing", "src/pass/hoist/hoist.c", "!node_may_fail(f, n);", "true;", "cases pass/hoist*.case"),
    Fault("hoist-shared", "src/pass/hoist/hoist.c", "return runs[body] == 1 &&", "return", "cases pass/hoist*.case"),
    Fault("stacks-halves", "src/pass/reduce_stacks.c", "k < half && k + half < count", "k < half && k + half < count - 1", "cases pass/reduce-stacks*.case"),
    Fault("stacks-nan", "src/pass/reduce_stacks.c", "if (!dtype_is_float(t->dtype) || (op != OP_REDUCE_MAX && op != OP_REDUCE_MIN))", "if (true)", "cases pass/reduce-stacks*.case"),
    Fault("stacks-uses", "src/pass/reduce_stacks.c", "uses[n->in[0]] != 1 ||", "", "cases pass/reduce-stacks*.case"),
    Fault("channels-base", "src/pass/contractions/channels_last.c", "plain = plain && c.at[i].base == 1;", "plain = plain && c.at[i].base >= 1;", "cases pass/channels-last*.case"),
    Fault("short-bound", "src/pass/contractions/short_factors.c", "fits(f, v, INT16_MIN, INT16_MAX)", "fits(f, v, INT16_MIN, INT16_MAX + 1)", "cases pass/short-factors*.case"),
    Fault("short-border", "src/loop/contract/contract_parts.h", "const uint64_t x = (uint64_t)p->spec.a_border;", "const uint64_t x = 0;", "script pass/full_short_bytes.py"),
    Fault("pad-value", "src/pass/rules_chains.c", "if (!scalar_equal(*fill->v.scalar, *attr_find(inner->attrs, KEY_PAD_VALUE)->v.scalar))", "if (false)", "cases pass/identities*.case"),
    Fault("pad-cut", "src/pass/rules_chains.c", "if (a[i] < 0 || b[i] < 0 || !add_i64(a[i], b[i], &amounts[k][i]))", "if (!add_i64(a[i], b[i], &amounts[k][i]))", "cases pass/identities-pad*.case"),
    Fault("empty-view", "src/pass/sizes/bind.c", "empty = empty || a->v.ints[k] == 0;", "empty = empty || a->v.ints[k] == 1;", "cases tiny/view-empty*.case"),
    # ---- derivatives
    Fault("grad-transpose", "src/grad/grad_movement.c", "inverse[perm[i]] = i;", "inverse[i] = perm[i];", "cases grad/transpose.case"),
    Fault("grad-scale", "src/grad/grad_elementwise.c", "0x1p500 : 0x1p60", "0x1p1000 : 0x1p127", "cases grad/large-and-small.case"),
    Fault("grad-tanh", "src/grad/grad_elementwise.c", "build_binary(&c->b, OP_SUB, grad_scalar(c, y, 1), square)", "build_binary(&c->b, OP_ADD, grad_scalar(c, y, 1), square)", "cases grad/tanh.case"),
    Fault("grad-slice", "src/grad/grad_movement.c", "r.start += (r.count - 1) * r.step;", "r.start += r.count * r.step;", "script onnx/test_onnx_write.py"),
    Fault("grad-broadcast", "src/grad/grad_movement.c", "bool grown = carried && x->dims[next] == 1 && y->dims[i] != 1;", "bool grown = carried && x->dims[next] == 1 && y->dims[i] > 2;", "cases grad/broadcast-two.case"),
    Fault("grad-wide", "src/grad/grad_wide.c", "is_function[c->n.op] && has_steps(rule) ?", "is_function[c->n.op] && !has_steps(rule) ?", "cases grad/narrow.case"),
    Fault("grad-shift-rows", "src/grad/grad_shift.c", "of_rows(&h, n->in[1]) != NO_VALUE", "n->in[1] != NO_VALUE", "cases grad/softmax.case"),
    Fault("grad-shift-users", "src/grad/grad_shift.c", "has_no_more_users(&h, h.e, h.s) &&", "(has_no_more_users(&h, h.e, h.s) || true) &&", "cases grad/softmax.case"),
    # ---- readers
    Fault("npy-columns", "src/io/npy_header.c", 'h->columns = take_word(c, "True");', 'h->columns = take_word(c, "True") && false;', "unit io_npy"),
    Fault("safetensors-end", "src/io/safetensors.c", "(uint64_t)e->end > a->in.size - data)", "(uint64_t)e->end > a->in.size)", "unit io_safetensors"),
    Fault("onnx-gemm", "src/dialect/onnx/ops/op_contract.c", 'onnx_attr_int(c, "transA", 0) ? 0 : 1', 'onnx_attr_int(c, "transA", 0) ? 1 : 0', "script onnx/test_onnx_shapes.py"),
    Fault("stablehlo-compare", "src/dialect/mlir/hlo/lower/lower_elementwise.c", '{"LT", "LE", "EQ", "GE", "GT", "NE"}', '{"LT", "LE", "EQ", "GT", "GE", "NE"}', "cases stablehlo/*.case"),
    Fault("stablehlo-packed", "src/dialect/mlir/hlo/dense.c", "(high == 0 && low == 1 && count > 8);", "(high == 0 && low == 1);", "cases stablehlo/constants*.case"),
    Fault("stablehlo-never", "src/dialect/mlir/hlo/lower/lower_control.c", "!known->at[0].is_size && known->at[0].i == 0;", "!known->at[0].is_size;", "cases stablehlo/while*.case"),
    Fault("tiny-shrink", "src/dialect/tiny/read/shrink.c", "c->hi[i] == extent && c->step[i] == 1;", "c->step[i] == 1;", "cases tiny/*shrink*.case"),
    Fault("collective-group", "src/dialect/mlir/hlo/devices/groups.c", "mode == OF_ALL      ? (int64_t)p->replica * p->n_partitions + p->partition", "mode == OF_ALL      ? (int64_t)p->replica * p->n_partitions", "script stablehlo/test_operations.py"),
    Fault("onnx-position", "src/dialect/onnx/refuse.c", "byte_of(c->im, &c->node->message);", "byte_of(c->im, &c->node->message) + 1;", "script onnx/test_onnx.py"),
    Fault("custom-target", "src/dialect/mlir/hlo/lower/lower_custom.c", "(names[i][n] ? target.n >= n : target.n == n)", "target.n >= n", "cases stablehlo/*.case"),
    Fault("sizes-guessed", "src/pass/sizes/sizes.c", "const bool is_guess = n_unknown > 1;", "const bool is_guess = n_unknown > TN_MAX_RANK;", "cases ptir/reshape-to-sizes-of-inputs.case"),
    Fault("sparse-twice", "src/dialect/onnx/sparse.c", "if (flat <= last)", "if (flat < last)", "script onnx/test_onnx_sparse.py"),
    Fault("needed-versions", "src/dialect/onnx/attributes.c", "spans(list, '!', version, false) && out->is_there;", "spans(list, '!', version, false) && !out->is_there;", "script onnx/test_onnx_attributes.py"),
    Fault("custom-smallest", "src/dialect/mlir/hlo/lower/lower_custom.c", "if (largest && !largest->i)", "if (largest && false)", "cases stablehlo/*.case"),
    # ---- writers
    Fault("onnx-unsigned", "src/dialect/onnx/write/contract.c", "x = onnx_cast(w, x, sum);", "x = onnx_cast_plain(w, x, in);", "script onnx/test_onnx_write.py"),
    Fault("onnx-extremes", "src/dialect/onnx/write/write.c", "if (onnx_dtype_of_id(&w->out, x) != TN_SI64)", "if (onnx_dtype_of_id(&w->out, x) != TN_UI64)",
          "script onnx/test_onnx_write.py"),
    Fault("onnx-reach", "src/dialect/onnx/write/contract.c", "const int64_t reach = (v->kernel[i] - 1) * v->dilation[i];\n        out->strides", "const int64_t reach = v->kernel[i] - 1;\n        out->strides",
          "script onnx/test_onnx_write.py"),
    Fault("view-floor", "src/dialect/mlir/stablehlo_view.c", "zero = put_number_of(p, 0);", "zero = put_number_of(p, -100);", "script convert/test_views.py"),
    Fault("view-step", "src/dialect/onnx/write/view.c", "onnx_int(&w->out, TN_SI64, steps[i]));", "onnx_int(&w->out, TN_SI64, 1));", "script convert/test_views.py"),
    Fault("npz-seek", "src/base/system/output.c", "return lseek(o->fd, (off_t)offset, SEEK_SET) >= 0;", "return lseek(o->fd, 0, SEEK_CUR) >= 0 + 0 * (off_t)offset;", "unit output"),
    # ---- products of bf16, decoded weights, sizes, any number of rows and columns, and checks of what is handed in
    Fault("bf16-exact", "src/machine/machine.c", "m.has_bf16_dots && is_relaxed;", "m.has_bf16_dots && (is_relaxed || cpu);", "script pass/full_bf16_products.py"),
    Fault("bf16-computed", "src/loop/contract/contract_walk.c", "loop_const(b, loop_value_type(b, wide), 16);", "loop_const(b, loop_value_type(b, wide), 15);", "script pass/full_bf16_products.py"),
    Fault("bf16-words", "src/loop/contract/contract_walk.c", "from->is_bf16 && from->pair == 1 && !from->load", "from->is_bf16 && from->pair != 0 && !from->load", "script pass/full_bf16_products.py"),
    Fault("decoded-rows", "src/loop/contract/contract_chain.c", ".rows = product,", ".rows = product / 2,", "script plan/full_decoded.py"),
    Fault("sized-apart", "src/graph/sized.h", "x.now == x.other ? ~x.other : x.other", "x.other", "script plan/full_sizes.py"),
    Fault("sort-spare", "src/loop/nest/loops/records.c", "*in_spare = way.passes % 2;", "*in_spare = way.passes % 2 == 0;", "script plan/full_sizes.py"),
    Fault("stage-slots", "src/loop/nest/rows_stage.c", "loop_i64(b, i * s->group)", "loop_i64(b, i)", "script plan/test_sizes.py"),
    Fault("pack-rest", "src/loop/contract/pack/contract_pack_a.c", "if (lanes > 1 && (is_any || whole.now < n.now)) {", "if (lanes > 1 && whole.now < n.now) {", "script plan/full_sizes.py"),
    Fault("fewer-columns", "src/loop/contract/contract_squares.c", "loop_binary(b, LOOP_ISUB, g->fewer, loop_i64(b, 1));", "loop_binary(b, LOOP_ISUB, g->fewer, loop_i64(b, 0));", "script loop/full_partial.py 40 0 open_products"),
    Fault("squares-rest", "src/loop/contract/sweep/contract_sweep_columns.c", "r < columns ? r : columns - 1;", "r < columns + 1 ? r : columns - 1;", "script loop/full_partial.py 4 0 swept_products"),
    Fault("cumulative-back", "src/loop/nest/loops/loops_cumulative.c", "loops_add(l, at, loop_i64(b, r->excludes));", "loops_add(l, at, loop_i64(b, r->excludes && false));", "script plan/full_sizes.py"),
    Fault("exchange-number", "src/compile/tiers/code_exchange.c", "x->numbers[x->rest.units.n] = number;", "x->numbers[x->rest.units.n] = number - number + x->rest.units.n;", "script python/test_tiers.py"),
    Fault("holds-rest", "src/scalar/dtype.c", "    for (; i < n; i++)\n        b |= bytes[i]", "    for (; i + 1 < n; i++)\n        b |= bytes[i]", "script python/test_range.py"),
    Fault("holds-above", "src/compile/aot/aot_steps.c", "(uint8_t)(0xffU << dtype_table[d].bits)", "(uint8_t)(0xfeU << dtype_table[d].bits)", "script compile/full_range.py"),
    Fault("result-inner", "src/dialect/onnx/needed.c", "ok = !attributes[i].g || add_graph(s, attributes[i].g);", "ok = true;", "script onnx/test_onnx_results.py"),
    # ---- training
    Fault("exchange-twice", "src/train/transport/exchange.c", "if (is_in[row[k]] ||", "if (", "unit rank_exchange"),
    Fault("exchange-bytes", "src/train/transport/exchange.c", " || turns[i].bytes != mine->bytes", "", "unit rank_exchange"),
    Fault("ranks-bytes", "src/train/transport/rank_group.c", "if (from->send_bytes != to->receive_bytes)", "if (from->send_bytes < to->receive_bytes)", "unit train_ranks"),
    Fault("ranks-taken", "src/train/transport/rank_group.c", "    while (g->taking > 0)\n", "    while (false && g->taking > 0)\n", "unit train_ranks"),
    Fault("adam-correction", "src/train/optimizer.c", "correction(s, count, s->o->beta2)", "correction(s, count, s->o->beta1)", "unit train"),
]


def run(command, **options):
    try:
        done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                              text=True, errors="replace", timeout=LONGEST, check=False, **options)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        return 124, "it never ends"


def copy_sources():
    """Bring the copy to what the working tree is; what did not change keeps its time."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    for name in listed.stdout.splitlines():
        source, to = ROOT / name, COPY / name
        if not source.is_file():
            to.unlink(missing_ok=True)
        elif not to.exists() or source.read_bytes() != to.read_bytes():
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, to)
            shutil.copymode(source, to)


def targets_of(check):
    kind, *rest = check.split()
    is_python = kind == "script" and "lib import package" in (COPY / "test" / rest[0]).read_text(encoding="utf-8")
    return ["tenon", "serve", "equality", *[f"unit_{name}" for name in rest if kind == "unit"], *["tenon_shared"] * is_python]


def build(targets):
    return run(["cmake", "--build", BUILD, "-j", JOBS, "--target", *targets], cwd=COPY)


def try_check(check):
    """What the tests say: 0 where all is well."""
    with tempfile.TemporaryDirectory(prefix="tenon-cache-") as cache:  # kernels of this very build
        return try_with(check, dict(os.environ, PYTHONPATH=str(COPY / "test"), TENON=str(BUILD / "tenon"),
                                    EQUALITY=str(BUILD / "test/equality"), TENON_CACHE_DIR=cache))


def try_with(check, env):
    kind, *rest = check.split()
    if kind == "unit":
        return run([BUILD / f"test/unit_{rest[0]}"], cwd=BUILD, env=env)
    if kind == "script":
        return run(["/usr/bin/python3", COPY / "test" / rest[0], *rest[1:]], cwd=BUILD, env=env)
    cases = sorted(path for pattern in rest for path in (COPY / "test").glob(pattern))
    return run(["/usr/bin/python3", COPY / "test/run_cases.py", "--quick", "--tenon", BUILD / "tenon", "--serve", BUILD / "test/serve",
                *cases], cwd=BUILD, env=env)


def try_fault(fault):
    """(word, what was said)"""
    path = COPY / fault.file
    text = path.read_text(encoding="utf-8")
    if text.count(fault.old) != 1:
        return "does not apply", f"the text stands {text.count(fault.old)} times in {fault.file}"
    try:
        path.write_text(text.replace(fault.old, fault.new), encoding="utf-8")
        status, said = build(targets_of(fault.check))
        if status:
            return "does not build", said[-3000:]
        status, said = try_check(fault.check)
        return ("found", "") if status else ("MISSED", said[-1000:])
    finally:
        path.write_text(text, encoding="utf-8")


def prepare(faults):
    """Build the copy, and see that the tests pass without a fault."""
    copy_sources()
    status, said = (0, "") if (BUILD / "build.ninja").exists() else run(["cmake", "--preset", "dev", "-DTENON_WERROR=OFF"], cwd=COPY)
    checks = sorted({fault.check for fault in faults})
    if not status:
        status, said = build(sorted({t for check in checks for t in targets_of(check)}))
    if status:
        sys.exit(f"the sources do not build:\n{said[-3000:]}")
    for check in checks:
        status, said = try_check(check)
        if status:
            sys.exit(f"`{check}` fails without a fault:\n{said[-3000:]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("names", nargs="*")
    o = parser.parse_args()
    faults = [f for f in FAULTS if not o.names or f.name in o.names]
    if o.list:
        print("\n".join(f"{f.name}: {f.file}, {f.check}" for f in faults))
        return 0
    prepare(faults)
    n_found = 0
    for fault in faults:
        word, said = try_fault(fault)
        n_found += word == "found"
        print(f"{fault.name}: {word}{f' by `{fault.check}`' if word in ('found', 'MISSED') else ''}", flush=True)
        if word != "found":
            print(said, flush=True)
    print(f"{n_found} of {len(faults)} faults found")
    return n_found != len(faults)


if __name__ == "__main__":
    sys.exit(main())
