/* What the values of a run are: their range, and how many are NaN, infinite or denormal. */
#include <inttypes.h>
#include <math.h>

#include "eval/custom_set.h"
#include "eval/eval.h"
#include "graph/literal.h"
#include "ops/node_facts.h"
#include "report/report.h"

#define MOST_BYTES ((uint64_t)256 << 20) /* of all values together */

typedef struct value_range {
    int64_t n_nan, n_infinite, n_denormal, n_zero, n_finite;
    double least, most, sum;
} value_range;

/* The smallest positive normal number of D; 0 for what has no denormal numbers. */
static double least_normal(tn_dtype d)
{
    return d == TN_F64                       ? 0x1p-1022
           : d == TN_F32 || d == TN_BF16     ? 0x1p-126
           : d == TN_F16 || d == TN_FP8_E5M2 ? 0x1p-14
           : d == TN_FP8_E4M3                ? 0x1p-6
                                             : 0;
}

static double number_of(const scalar *s)
{
    return s->kind == DTYPE_SIGNED ? (double)s->i : s->kind == DTYPE_FLOAT ? s->f : (double)s->u;
}

static value_range range_of(const type *t, const void *data)
{
    value_range r = {.least = HUGE_VAL, .most = -HUGE_VAL};
    const size_t size = dtype_bytes(t->dtype);
    const double normal = least_normal(t->dtype);
    for (int64_t i = 0; i < t->count; i++) {
        const scalar s = scalar_load(t->dtype, (const char *)data + (size_t)i * size);
        const double x = number_of(&s);
        if (isnan(x) || isinf(x)) {
            *(isnan(x) ? &r.n_nan : &r.n_infinite) += 1;
            continue;
        }
        r.n_finite++;
        r.n_zero += x == 0;
        r.n_denormal += x != 0 && fabs(x) < normal;
        r.least = x < r.least ? x : r.least;
        r.most = x > r.most ? x : r.most;
        r.sum += x;
    }
    return r;
}

static void put_value(const function *f, value_id v, const tensor *t, text_buffer *out)
{
    const value_range r = range_of(t->type, t->data);
    text_printf(out, "{\"value\":%" PRIu32 ",\"op\":\"%s\",\"type\":\"", v,
                op_table[node_of(f, v)->op].text);
    type_print(f->module, t->type, out);
    text_printf(out,
                "\",\"nan\":%" PRId64 ",\"infinite\":%" PRId64 ",\"denormal\":%" PRId64
                ",\"zero\":%" PRId64,
                r.n_nan, r.n_infinite, r.n_denormal, r.n_zero);
    if (r.n_finite > 0) {
        text_puts(out, ",\"least\":");
        text_f64(out, r.least);
        text_puts(out, ",\"most\":");
        text_f64(out, r.most);
        if (isfinite(r.sum)) {
            text_puts(out, ",\"mean\":");
            text_f64(out, r.sum / (double)r.n_finite);
        }
    }
    text_puts(out, "}");
}

/* The values of F to look at, in order, as many as fit of those that outputs need (NEEDED, by
 * node); *LEFT_OUT: the others. */
static uint32_t choose_values(const function *f, const bool *needed, value_id *wanted,
                              uint32_t *left_out)
{
    uint64_t bytes = 0;
    uint32_t n = 0;
    *left_out = 0;
    for (value_id v = 0; v < f->values.n; v++) {
        const type *t = value_type(f, v);
        const node *of = node_of(f, v);
        size_t own = 0;
        if (!needed[f->values.at[v].node] || of->op == OP_INPUT || literal_of(of) ||
            dtype_is_complex(t->dtype))
            continue;
        if (!type_bytes(t, &own) || own > MOST_BYTES - bytes) {
            ++*left_out;
            continue;
        }
        bytes += own;
        wanted[n++] = v;
    }
    return n;
}

static tn_status evaluate_all(const report *r, const function *f, const value_id *wanted,
                              uint32_t n, arena *memory, text_buffer *out)
{
    tensor *in = ARENA_ARRAY(memory, tensor, f->inputs.n);
    tensor *values = ARENA_ARRAY(memory, tensor, n);
    eval_run run = {.cx = r->p->cx,
                    .seed = r->o->seed,
                    .bytes_limit = r->p->cx->limits.run_bytes,
                    .most_turns = r->p->turns,
                    .custom = &r->p->custom->registry};
    if (!in || !values)
        return diag_no_memory(&r->p->cx->diag);
    for (uint32_t i = 0; i < f->inputs.n; i++)
        in[i] = (tensor){function_input_type(f, i), r->o->in[i].data};
    TN_TRY(evaluate_values(&run, f, wanted, n, in, values));
    for (uint32_t i = 0; i < n; i++) {
        text_puts(out, i ? ",\n" : "");
        put_value(f, wanted[i], &values[i], out);
        memory_free(&r->p->cx->allocator, values[i].data, type_known_bytes(values[i].type));
    }
    return TN_OK;
}

tn_status report_values(const report *r, text_buffer *out)
{
    const function *f = module_entry(r->made->plan.m);
    uint32_t left_out;
    arena memory;
    if (r->o->n_in != f->inputs.n)
        return diag_report(&r->p->cx->diag, DIAG_Usage, NULL, NO_SPAN,
                           "the program has %" PRIu32 " input%s, and %zu are given", f->inputs.n,
                           plural(f->inputs.n), r->o->n_in);
    arena_init(&memory, &r->p->allocator);
    value_id *wanted = ARENA_ARRAY(&memory, value_id, f->values.n);
    const bool *needed = function_needed_nodes(f, &memory);
    tn_status s = TN_OK;
    if (!wanted || !needed)
        s = diag_no_memory(&r->p->cx->diag);
    else {
        const uint32_t n = choose_values(f, needed, wanted, &left_out);
        text_printf(out, "{\"left_out\":%" PRIu32 ",\"of\":[", left_out);
        s = evaluate_all(r, f, wanted, n, &memory, out);
        text_puts(out, "]}");
    }
    arena_release(&memory);
    return s;
}
