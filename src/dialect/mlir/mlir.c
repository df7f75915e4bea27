/* The module as MLIR text, and the dialect as a whole. */
#include "dialect/mlir/linalg.h"

/* ---- the vocabulary ------------------------------------------------------------------------ */

typedef struct mlir_row {
    const char *text;
    void (*put)(mlir_text *w, const node *n); /* NULL: elsewhere */
    bool (*takes)(const function *f, const node *n, char why[OBJECTION_SIZE]);
} mlir_row;

static const mlir_row *row_of(op_id op)
{
#define mlir_none NULL
#define mlir_takes_none NULL
    static const mlir_row rows[OP_COUNT] = {
#define ARITH(op, text, on_float, on_signed, on_unsigned, hlo, put, takes)                         \
    [OP_##op] = {text, mlir_elementwise, mlir_takes_elementwise},
#define OTHER(op, text, family, hlo, put, takes)                                                   \
    [OP_##op] = {text, mlir_##family, mlir_takes_##family},
#include "dialect/mlir/ops.def"
    };
#undef mlir_none
#undef mlir_takes_none
    return &rows[op];
}

static const char *spelling_of(op_id op)
{
    return row_of(op)->text;
}

static bool mlir_takes(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const mlir_row *row = row_of((op_id)n->op);
    return !row->takes || row->takes(f, n, why);
}

/* ---- @main --------------------------------------------------------------------------------- */

static void put_node(mlir_text *w, const node *n)
{
    if (!is_writable(w, &dialect_mlir, n) || n->op == OP_INPUT)
        return;
    if (n->op == OP_CONSTANT) {
        tensor t = type_of_value(w, n->first_value);
        text_fill(w->out, ' ', 2 * (size_t)w->depth);
        put(w, "%v = arith.constant ", n->first_value);
        put_dense(w, literal_of(n));
        put(w, " : %t\n", &t);
        return;
    }
    row_of((op_id)n->op)->put(w, n);
}

/* The types of values, with commas. */
static void put_types(mlir_text *w, const value_id *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        tensor t = type_of_value(w, v[i]);
        put(w, "%s%t", i ? ", " : "", &t);
    }
}

static void put_values(mlir_text *w, const value_id *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        put(w, "%s%v", i ? ", " : "", v[i]);
}

static void put_main(mlir_text *w)
{
    const function *f = w->f;
    put(w, "  func.func @main(");
    for (uint32_t i = 0; i < f->inputs.n; i++) {
        tensor t = type_of_value(w, f->inputs.at[i]);
        put(w, "%s%v: %t", i ? ", " : "", f->inputs.at[i], &t);
    }
    put(w, ")");
    if (f->outputs.n) {
        put(w, " -> (");
        put_types(w, f->outputs.at, f->outputs.n);
        put(w, ")");
    }
    put(w, " {\n");
    w->depth = 2;
    for (uint32_t i = 0; i < f->nodes.n && !w->out->failed; i++) {
        put_node(w, &f->nodes.at[i]);
        if (w->n_errors >= w->m->cx->limits.errors)
            break;
    }
    put(w, "    return");
    if (f->outputs.n) {
        put(w, " ");
        put_values(w, f->outputs.at, f->outputs.n);
        put(w, " : ");
        put_types(w, f->outputs.at, f->outputs.n);
    }
    put(w, "\n  }\n");
}

/* ---- @entry -------------------------------------------------------------------------------- */

/* Print every element of output K, in row-major order. */
static void put_printing(mlir_text *w, uint32_t k)
{
    tensor t = type_of_value(w, w->f->outputs.at[k]);
    tn_dtype d = t.dtype;
    bool is_float = dtype_is_float(d);
    for (uint32_t i = 0; i < t.rank; i++) {
        line(w, "%%n%un%u = arith.constant %d : index", i, k, t.dims[i]);
        line(w, "scf.for %%i%u = %%c0 to %%n%un%u step %%c1 {", i, i, k);
        w->depth++;
    }
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, w->f->outputs.n > 1 ? "%%x%u = tensor.extract %%r#%u[" : "%%x%u = tensor.extract %%r[",
        k, k);
    for (uint32_t i = 0; i < t.rank; i++)
        put(w, i ? ", %%i%u" : "%%i%u", i);
    put(w, "] : %t\n", &t);
    const char *widen = is_float ? "extf" : dtype_is_signed(d) ? "extsi" : "extui";
    const char *wide = is_float ? "f64" : "i64";
    bool is_wide = dtype_table[d].bits == 64;
    if (!is_wide)
        line(w, "%%y%u = arith.%s %%x%u : %e to %s", k, widen, k, d, wide);
    line(w, "func.call @tenon_print_%s(%%%s%u) : (%s) -> ()", wide, is_wide ? "x" : "y", k, wide);
    for (uint32_t i = 0; i < t.rank; i++) {
        w->depth--;
        line(w, "}");
    }
}

static tn_status put_entry(mlir_text *w, const void *const *inputs)
{
    const function *f = w->f;
    for (uint32_t i = 0; i < f->outputs.n; i++)
        if (dtype_is_complex(value_type(f, f->outputs.at[i])->dtype))
            return diag_report(&w->m->cx->diag, DIAG_NotExpressible, NULL, NO_SPAN,
                               "the entry function cannot print complex output %u", i);
    put(w, "  func.func private @tenon_print_f64(f64)\n");
    put(w, "  func.func private @tenon_print_i64(i64)\n");
    put(w, "  func.func @entry() {\n");
    w->depth = 2;
    line(w, "%%c0 = arith.constant 0 : index");
    line(w, "%%c1 = arith.constant 1 : index");
    for (uint32_t i = 0; i < f->inputs.n; i++) {
        tensor t = type_of_value(w, f->inputs.at[i]);
        text_fill(w->out, ' ', 2 * (size_t)w->depth);
        put(w, "%%a%u = arith.constant ", i);
        put_dense_data(w, &t, inputs[i]);
        put(w, " : %t\n", &t);
    }
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    if (f->outputs.n > 1)
        put(w, "%%r:%u = ", f->outputs.n);
    else
        put(w, f->outputs.n ? "%%r = " : "");
    put(w, "func.call @main(");
    for (uint32_t i = 0; i < f->inputs.n; i++)
        put(w, i ? ", %%a%u" : "%%a%u", i);
    put(w, ") : (");
    put_types(w, f->inputs.at, f->inputs.n);
    put(w, ") -> (");
    put_types(w, f->outputs.at, f->outputs.n);
    put(w, ")\n");
    for (uint32_t i = 0; i < f->outputs.n; i++)
        put_printing(w, i);
    line(w, "return");
    put(w, "  }\n");
    return TN_OK;
}

/* ---- the dialect --------------------------------------------------------------------------- */

tn_status mlir_write(const module *m, const write_options *options, text_buffer *out)
{
    mlir_text w = {.m = m, .out = out, .is_signless = true};
    TN_TRY(text_begin(&w, module_entry(m), 0));
    put(&w, "module {\n");
    put_main(&w);
    if (w.status == TN_OK && options && options->entry)
        w.status = put_entry(&w, options->inputs);
    put(&w, "}\n");
    text_end(&w);
    return w.status;
}

const char *no_code(int kind)
{
    (void)kind;
    return NULL;
}

bool never_looks_like(const char *text, size_t length)
{
    (void)text;
    (void)length;
    return false;
}

static const expressible mlir_expressible = {
    .family = "mlir",
    .dtypes = (1U << TN_DTYPE_COUNT) - 1,
    .takes = mlir_takes,
};

const dialect dialect_mlir = {
    .name = "mlir",
    .extensions = ".linalg.mlir",
    .styles = "canonical",
    .write = mlir_write,
    .code_of = no_code,
    .looks_like = never_looks_like,
    .spelling = spelling_of,
    .can = &mlir_expressible,
    .canonical = true,
};
