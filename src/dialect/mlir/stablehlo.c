/* A module as StableHLO in the generic form of MLIR, and the dialect as a whole. */
#include "dialect/mlir/stablehlo.h"

typedef struct hlo_row {
    const char *name; /* of the operation; NULL: there is none */
    hlo_put *put;     /* NULL: the operation with the operands, without attributes */
    hlo_takes *takes; /* NULL: always */
} hlo_row;

static hlo_put hlo_erf;

static const hlo_row *row_of(op_id op)
{
    static const hlo_row rows[OP_COUNT] = {
        [OP_INPUT] = {"argument of @main", NULL, NULL},
        [OP_CONSTANT] = {"stablehlo.constant", NULL, NULL},
        [OP_IOTA] = {"stablehlo.iota", hlo_iota, NULL},
        [OP_RNG_UNIFORM] = {"stablehlo.rng", hlo_random, NULL},
        [OP_RNG_NORMAL] = {"stablehlo.rng", hlo_random, NULL},
        [OP_NEG] = {"stablehlo.negate", NULL, NULL},
        [OP_ABS] = {"stablehlo.abs", NULL, NULL},
        [OP_EXP] = {"stablehlo.exponential", NULL, NULL},
        [OP_LOG] = {"stablehlo.log", NULL, NULL},
        [OP_ERF] = {"chlo.erf", hlo_erf, NULL},
        [OP_TANH] = {"stablehlo.tanh", NULL, NULL},
        [OP_SIN] = {"stablehlo.sine", NULL, NULL},
        [OP_COS] = {"stablehlo.cosine", NULL, NULL},
        [OP_SQRT] = {"stablehlo.sqrt", NULL, NULL},
        [OP_RSQRT] = {"stablehlo.rsqrt", NULL, NULL},
        [OP_TRUNC] = {"stablehlo.floor, stablehlo.ceil", hlo_trunc, NULL},
        [OP_NOT] = {"stablehlo.not", NULL, NULL},
        [OP_CAST] = {"stablehlo.convert", hlo_cast, hlo_takes_cast},
        [OP_STOP_GRADIENT] = {"the operand", hlo_alias, NULL},
        [OP_ADD] = {"stablehlo.add", NULL, NULL},
        [OP_SUB] = {"stablehlo.subtract", NULL, NULL},
        [OP_MUL] = {"stablehlo.multiply", NULL, NULL},
        [OP_DIV] = {"stablehlo.divide", NULL, hlo_takes_div},
        [OP_MOD] = {"stablehlo.remainder", NULL, NULL},
        [OP_POW] = {"stablehlo.power", NULL, NULL},
        [OP_MAXIMUM] = {"stablehlo.maximum", hlo_extremum, NULL},
        [OP_MINIMUM] = {"stablehlo.minimum", hlo_extremum, NULL},
        [OP_AND] = {"stablehlo.and", NULL, NULL},
        [OP_OR] = {"stablehlo.or", NULL, NULL},
        [OP_XOR] = {"stablehlo.xor", NULL, NULL},
        [OP_COMPARE] = {"stablehlo.compare", hlo_compare, NULL},
        [OP_SELECT] = {"stablehlo.select", NULL, NULL},
        [OP_SUM] = {"stablehlo.reduce", hlo_reduce, hlo_takes_reduce},
        [OP_REDUCE_MAX] = {"stablehlo.reduce", hlo_reduce, hlo_takes_reduce},
        [OP_REDUCE_MIN] = {"stablehlo.reduce", hlo_reduce, hlo_takes_reduce},
        [OP_REDUCE_PROD] = {"stablehlo.reduce", hlo_reduce, hlo_takes_reduce},
        [OP_ARG_MAX] = {"stablehlo.reduce", hlo_arg_max, NULL},
        [OP_TOP_K] = {"stablehlo.sort", hlo_top_k, NULL},
        [OP_DOT_GENERAL] = {"stablehlo.dot_general", hlo_dot_general, hlo_takes_dot},
        [OP_CONV2D] = {"stablehlo.convolution", hlo_conv, NULL},
        [OP_CONV2D_GRAD_INPUT] = {"stablehlo.convolution", hlo_conv_grad_input, NULL},
        [OP_CONV2D_GRAD_FILTER] = {"stablehlo.convolution", hlo_conv_grad_filter, NULL},
        [OP_RESHAPE] = {"stablehlo.reshape", NULL, NULL},
        [OP_EXPAND_DIMS] = {"stablehlo.reshape", NULL, NULL},
        [OP_SQUEEZE] = {"stablehlo.reshape", NULL, NULL},
        [OP_TRANSPOSE] = {"stablehlo.transpose", hlo_transpose, NULL},
        [OP_BROADCAST] = {"stablehlo.broadcast_in_dim", hlo_broadcast, NULL},
        [OP_SLICE] = {"stablehlo.slice", hlo_slice, hlo_takes_slice},
        [OP_REVERSE] = {"stablehlo.reverse", hlo_reverse, NULL},
        [OP_PAD] = {"stablehlo.pad", hlo_pad, NULL},
        [OP_CONCAT] = {"stablehlo.concatenate", hlo_concat, NULL},
        [OP_TAKE] = {"stablehlo.gather", hlo_take, hlo_takes_take},
        [OP_GATHER] = {"stablehlo.gather", hlo_gather, hlo_takes_gather},
        [OP_SCATTER_REDUCE] = {"stablehlo.scatter", hlo_scatter_reduce, hlo_takes_along},
        [OP_SEGMENT_REDUCE] = {"stablehlo.scatter", hlo_segment_reduce, hlo_takes_segments},
        [OP_SCATTER_ADD] = {"stablehlo.scatter", hlo_scatter_add, NULL},
        [OP_DYNAMIC_SLICE] = {"stablehlo.dynamic_slice", hlo_dynamic_slice, NULL},
        [OP_DYNAMIC_UPDATE_SLICE] = {"stablehlo.dynamic_update_slice", hlo_dynamic_update, NULL},
        [OP_REDUCE_WINDOW] = {"stablehlo.reduce_window", hlo_reduce_window, hlo_takes_window},
        [OP_COND] = {"stablehlo.if", hlo_cond, NULL},
        [OP_WHILE] = {"stablehlo.while", hlo_while, NULL},
        [OP_SCAN] = {"stablehlo.while", hlo_scan, NULL},
        [OP_QUANTIZE] = {"stablehlo.round_nearest_even", hlo_quantize, NULL},
        [OP_DEQUANTIZE] = {"stablehlo.multiply", hlo_dequantize, NULL},
        [OP_REQUANTIZE] = {"stablehlo.round_nearest_even", hlo_requantize, NULL},
        [OP_CUSTOM_CALL] = {"stablehlo.custom_call", hlo_custom_call, NULL},
    };
    return &rows[op];
}

static const char *spelling_of(op_id op)
{
    return row_of(op)->name;
}

/* Elementwise operations have no implicit broadcasting. */
static bool has_one_shape(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const type *t = value_type(f, n->first_value);
    for (uint32_t i = 0; i < n->n_in; i++) {
        const type *in = value_type(f, n->in[i]);
        if (in->rank != t->rank || memcmp(in->dims, t->dims, t->rank * sizeof *t->dims) != 0)
            return object(why, "its operands must have the shape of the result");
    }
    return true;
}

static bool takes(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const hlo_row *row = row_of((op_id)n->op);
    if (op_table[n->op].traits & T_ELEMENTWISE && !has_one_shape(f, n, why))
        return false;
    return !row->takes || row->takes(f, n, why);
}

/* ---- operations ---------------------------------------------------------------------------- */

static void put_results(mlir_text *w, const node *n)
{
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    for (uint32_t r = 0; r < n->n_results; r++)
        put(w, "%s%v", r ? ", " : "", n->first_value + r);
    put(w, n->n_results ? " = " : "");
}

static void put_signature(mlir_text *w, const node *n)
{
    put(w, " : (");
    for (uint32_t i = 0; i < n->n_in; i++) {
        tensor t = type_of_value(w, n->in[i]);
        put(w, "%s%t", i ? ", " : "", &t);
    }
    put(w, n->n_results == 1 ? ") -> " : ") -> (");
    for (uint32_t r = 0; r < n->n_results; r++) {
        tensor t = type_of_value(w, n->first_value + r);
        put(w, "%s%t", r ? ", " : "", &t);
    }
    put(w, n->n_results == 1 ? "\n" : ")\n");
}

void hlo_open(mlir_text *w, const node *n, const char *name)
{
    put_results(w, n);
    put(w, "\"stablehlo.%s\"(", name);
    for (uint32_t i = 0; i < n->n_in; i++)
        put(w, "%s%v", i ? ", " : "", n->in[i]);
    put(w, ")");
}

void hlo_close(mlir_text *w, const node *n, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_all(w, format, args);
    va_end(args);
    put_signature(w, n);
}

void hlo_op(mlir_text *w, const node *n, const char *name, const char *format, ...)
{
    va_list args;
    hlo_open(w, n, name);
    va_start(args, format);
    put_all(w, format, args);
    va_end(args);
    put_signature(w, n);
}

void hlo_scalar(mlir_text *w, const char *prefix, value_id v, tn_dtype d, scalar value)
{
    tensor t = type_of_scalar(d);
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%n = \"stablehlo.constant\"() {value = dense<", prefix, v);
    put_number(w, d, value);
    put(w, "> : %t} : () -> %t\n", &t, &t);
}

void hlo_nothing(mlir_text *w, value_id v)
{
    tensor t = type_of_value(w, v);
    line(w, "%v = \"stablehlo.constant\"() {value = dense<> : %t} : () -> %t", v, &t, &t);
}

/* The only operation that stands in StableHLO's companion dialect. */
static void hlo_erf(mlir_text *w, const node *n)
{
    put_results(w, n);
    put(w, "\"chlo.erf\"(%v)", n->in[0]);
    put_signature(w, n);
}

static void put_constant(mlir_text *w, const node *n)
{
    tensor t = type_of_value(w, n->first_value);
    put_results(w, n);
    put(w, "\"stablehlo.constant\"() {value = ");
    put_dense(w, literal_of(n));
    put(w, " : %t} : () -> %t\n", &t, &t);
}

void hlo_nodes(mlir_text *w)
{
    const function *f = w->f;
    for (uint32_t i = 0; i < f->nodes.n && !w->out->failed; i++) {
        const node *n = &f->nodes.at[i];
        const hlo_row *row = row_of((op_id)n->op);
        if (!is_writable(w, &dialect_stablehlo, n)) {
            if (w->n_errors >= w->m->cx->limits.errors)
                return;
        } else if (n->op == OP_CONSTANT) {
            put_constant(w, n);
        } else if (row->put) {
            row->put(w, n);
        } else if (n->op != OP_INPUT) {
            hlo_op(w, n, row->name + strlen("stablehlo."), "");
        }
    }
}

/* ---- the module ---------------------------------------------------------------------------- */

static void put_main(mlir_text *w)
{
    const function *f = w->f;
    put(w, "  func.func @main(");
    for (uint32_t i = 0; i < f->inputs.n; i++) {
        tensor t = type_of_value(w, f->inputs.at[i]);
        put(w, "%s%v: %t", i ? ", " : "", f->inputs.at[i], &t);
    }
    put(w, f->outputs.n ? ") -> (" : ")");
    for (uint32_t i = 0; i < f->outputs.n; i++) {
        tensor t = type_of_value(w, f->outputs.at[i]);
        put(w, "%s%t", i ? ", " : "", &t);
    }
    put(w, f->outputs.n ? ") {\n" : " {\n");
    w->depth = 2;
    hlo_nodes(w);
    put(w, "    func.return");
    for (uint32_t i = 0; i < f->outputs.n; i++)
        put(w, "%s%v", i ? ", " : " ", f->outputs.at[i]);
    for (uint32_t i = 0; i < f->outputs.n; i++) {
        tensor t = type_of_value(w, f->outputs.at[i]);
        put(w, "%s%t", i ? ", " : " : ", &t);
    }
    put(w, "\n  }\n");
}

tn_status stablehlo_write(const module *m, const write_options *options, text_buffer *out)
{
    mlir_text w = {.m = m, .out = out, .n_scopes = m->functions.n + 1};
    (void)options;
    TN_TRY(text_begin(&w, module_entry(m), 0));
    put(&w, "module {\n");
    put_main(&w);
    put(&w, "}\n");
    text_end(&w);
    return w.status == TN_OK && out->failed ? module_no_memory(m) : w.status;
}

static const expressible stablehlo_expressible = {
    .family = "stablehlo",
    .dtypes = (1U << TN_DTYPE_COUNT) - 1,
    .explicit_broadcast = true,
    .takes = takes,
};

const dialect dialect_stablehlo = {
    .name = "stablehlo",
    .extensions = ".stablehlo.mlir",
    .styles = "canonical",
    .write = stablehlo_write,
    .code_of = no_code,
    .looks_like = never_looks_like,
    .spelling = spelling_of,
    .can = &stablehlo_expressible,
    .canonical = true,
};
