/* A module as StableHLO in the generic form of MLIR, and the dialect as a whole. */
#include <inttypes.h>
#include <stdio.h>

#include "dialect/mlir/pretty/pretty.h"
#include "dialect/mlir/stablehlo.h"
#include "graph/dim_name.h"
#include "ops/shape.h"

typedef struct hlo_row {
    const char *name; /* of the operation; NULL: there is none */
    hlo_put *put;     /* NULL: the operation with the operands, without attributes */
    hlo_takes *takes; /* NULL: always */
} hlo_row;

static const hlo_row *row_of(op_id op)
{
    static const hlo_row rows[OP_COUNT] = {
#define ARITH(op, text, on_float, on_signed, on_unsigned, hlo, put, takes)                         \
    [OP_##op] = {hlo, put, takes},
#define OTHER(op, text, family, hlo, put, takes) [OP_##op] = {hlo, put, takes},
#include "dialect/mlir/ops.def"
    };
    return &rows[op];
}

static const char *spelling_of(op_id op)
{
    return row_of(op)->name;
}

const char *stablehlo_plain_name(op_id op)
{
    const hlo_row *row = row_of(op);
    return op_table[op].traits & T_ELEMENTWISE && !row->put ? row->name : NULL;
}

/* Elementwise operations have no implicit broadcasting. */
static bool has_one_shape(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const type *t = value_type(f, n->first_value);
    for (uint32_t i = 0; i < n->n_in; i++) {
        const type *in = value_type(f, n->in[i]);
        bool same = in->rank == t->rank;
        for (uint32_t k = 0; same && k < t->rank; k++)
            same = dims_may_equal(in->dims[k], t->dims[k]);
        if (!same)
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

/* The operation NAME, of StableHLO or its companion dialect, with the operands alone. */
static void put_plain(mlir_text *w, const node *n, const char *name)
{
    put_results(w, n);
    put(w, "\"%s\"(", name);
    for (uint32_t i = 0; i < n->n_in; i++)
        put(w, "%s%v", i ? ", " : "", n->in[i]);
    put(w, ")");
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
            put_plain(w, n, row->name);
        }
    }
}

/* ---- the module ---------------------------------------------------------------------------- */

/* Attributes of an input or output, in braces that are opened with the first. */
static void put_port_text(mlir_text *w, uint32_t *n, const char *key, const char *text)
{
    put(w, "%s%s = ", (*n)++ ? ", " : " {", key);
    put_string(w, text);
}

/* The NAME of an input or output as JAX writes it, unless it is AS_READ: what the reader calls it
 * without that. */
static void put_port_name(mlir_text *w, uint32_t *n, const char *key, const char *name,
                          const char *as_read)
{
    if (name && strcmp(name, as_read) != 0)
        put_port_text(w, n, key, name);
}

/* Would a `?` at axis AXIS of the input NAME be read as D? */
static bool is_size_as_read(const mlir_text *w, const char *name, uint32_t axis, dim d)
{
    char number[12];
    const dim_expr *e = dim_expr_of(&w->m->types, d);
    const size_t n = strlen(name);
    (void)snprintf(number, sizeof number, "_%" PRIu32, axis);
    return e->op == DIM_SYM && strncmp(e->name, name, n) == 0 && strcmp(e->name + n, number) == 0;
}

/* The shape of an input with its sizes by name, which says that it is data, too. */
static void put_port_shape(mlir_text *w, uint32_t *n, const type *t)
{
    put(w, "%stenon.shape = [", (*n)++ ? ", " : " {");
    for (uint32_t k = 0; k < t->rank; k++) {
        const char *size = dim_spell(&w->m->types, t->dims[k], &w->m->cx->diag.text);
        put(w, k ? ", " : "");
        put_string(w, size ? size : "");
        w->out->failed = w->out->failed || !size;
    }
    put(w, "]");
}

/* MAY_SAY_SIZE: a number without axes is read as the size of other inputs. */
static void put_input_attributes(mlir_text *w, uint32_t i, bool may_say_size)
{
    const value_id v = w->f->inputs.at[i];
    const type *t = value_type(w->f, v);
    const char *name = attr_string(node_of(w->f, v)->attrs, KEY_NAME);
    char as_read[24];
    uint32_t n = 0;
    bool plain = true;
    (void)snprintf(as_read, sizeof as_read, "%" PRIu32, v);
    put_port_name(w, &n, "jax.arg_info", name, as_read);
    for (uint32_t k = 0; k < t->rank; k++)
        plain = plain && (!dim_is_symbolic(t->dims[k]) ||
                          is_size_as_read(w, name ? name : as_read, k, t->dims[k]));
    if (hlo_says_size(w, v))
        put_port_text(w, &n, "jax.global_constant", name);
    else if (!plain ||
             (may_say_size && t->rank == 0 && (t->dtype == TN_SI32 || t->dtype == TN_SI64)))
        put_port_shape(w, &n, t);
    put(w, n ? "}" : "");
}

static void put_main(mlir_text *w)
{
    const function *f = w->f;
    char as_read[24];
    bool is_open = false;
    for (uint32_t i = 0; i < f->inputs.n; i++) {
        tensor t = type_of_value(w, f->inputs.at[i]);
        is_open = is_open || hlo_is_open(&t);
    }
    put(w, "  func.func @main(");
    for (uint32_t i = 0; i < f->inputs.n; i++) {
        const value_id v = f->inputs.at[i];
        tensor t = type_of_value(w, v);
        put(w, "%s%v: %t", i ? ", " : "", v, &t);
        put_input_attributes(w, i, is_open);
    }
    put(w, f->outputs.n ? ") -> (" : ")");
    for (uint32_t i = 0; i < f->outputs.n; i++) {
        tensor t = type_of_value(w, f->outputs.at[i]);
        put(w, "%s%t", i ? ", " : "", &t);
        (void)snprintf(as_read, sizeof as_read, "output%" PRIu32, i);
        uint32_t n = 0;
        put_port_name(w, &n, "jax.result_info",
                      i < f->output_names.n ? f->output_names.at[i] : NULL, as_read);
        put(w, n ? "}" : "");
    }
    put(w, f->outputs.n ? ") {\n" : " {\n");
    w->depth = 2;
    hlo_sizes_here(w);
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

/* Operations of F with those of its regions in their places; WRITTEN has what is known, by
 * function, or 0. UINT64_MAX: that many or more. */
static uint64_t written_nodes(const module *m, int64_t index, uint64_t *written)
{
    const function *f = m->functions.at[index];
    uint64_t n = f->nodes.n + 1;
    if (written[index])
        return written[index];
    for (uint32_t i = 0; i < f->nodes.n; i++) {
        const attrs *a = f->nodes.at[i].attrs;
        for (uint32_t k = 0; op_table[f->nodes.at[i].op].traits & T_REGIONS && k < a->n; k++) {
            const bool is_region = attr_keys[a->at[k].key].kind == ATTR_FUNCTION;
            const uint64_t more = is_region ? written_nodes(m, a->at[k].v.i, written) : 0;
            n = n > UINT64_MAX - more ? UINT64_MAX : n + more;
        }
    }
    written[index] = n;
    return n;
}

/* Regions that several operations share are written for each of them, which may double the text
 * with every level. */
static tn_status check_written_nodes(const module *m)
{
    const uint32_t most = m->cx->limits.nodes;
    arena memory;
    arena_init(&memory, m->allocator);
    uint64_t *written = ARENA_ARRAY(&memory, uint64_t, m->functions.n);
    const uint64_t n = written ? written_nodes(m, m->entry, written) : 0;
    arena_release(&memory);
    if (!written)
        return module_no_memory(m);
    if (n <= most)
        return TN_OK;
    return diag_report(&m->cx->diag, DIAG_LimitExceeded, &m->source, NO_SPAN,
                       "with the regions written for each operation that shares them, the program "
                       "has more operations than the limit of %" PRIu32 "; %s nodes=N permits more",
                       most, diag_setting_name(&m->cx->diag, SETTING_LIMIT));
}

static tn_status write_generic(const module *m, text_buffer *out)
{
    mlir_text w = {.m = m, .out = out, .n_scopes = m->functions.n + 1};
    TN_TRY(check_written_nodes(m));
    TN_TRY(text_begin(&w, module_entry(m), 0));
    tn_status s = hlo_sizes_begin(&w);
    if (s == TN_OK) {
        put(&w, "module {\n");
        put_main(&w);
        put(&w, "}\n");
        hlo_sizes_end(&w);
        s = w.status;
    }
    text_end(&w);
    return s;
}

tn_status stablehlo_write(const module *m, const write_options *options, text_buffer *out)
{
    text_buffer generic;
    if (!options || !options->style || strcmp(options->style, "pretty") != 0)
        return write_generic(m, out);
    text_init(&generic, m->allocator);
    generic.most = out->most;
    tn_status s = write_generic(m, &generic);
    out->too_long = generic.too_long;
    out->failed = generic.failed;
    if (s == TN_OK && !generic.failed)
        s = pretty_print(m, &generic, out);
    text_release(&generic);
    return s;
}

static const expressible stablehlo_expressible = {
    .family = "stablehlo",
    .dtypes = (1U << TN_DTYPE_COUNT) - 1,
    .explicit_broadcast = true,
    .symbols = true,
    .takes = takes,
};

const dialect dialect_stablehlo = {
    .name = "stablehlo",
    .extensions = ".stablehlo.mlir .mlir",
    .styles = "canonical pretty",
    .read = stablehlo_read,
    .lowers_to = "stablehlo",
    .write = stablehlo_write,
    .code_of = no_code,
    .looks_like = stablehlo_looks_like,
    .spelling = spelling_of,
    .can = &stablehlo_expressible,
    .canonical = true,
};
