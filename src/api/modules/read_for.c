/* Programs whose nodes compute shapes, read for the inputs of a run. */
#include "api/api.h"
#include "base/context/diag_hold.h"
#include "scalar/dtype.h"

/* What is known of the inputs, besides their extents; more from one attempt to the next. */
typedef enum attempt { WITH_SIZES, WITH_INTEGERS, WITH_NUMBERS, N_ATTEMPTS } attempt;

enum { MOST_INTEGERS = 4096, MOST_FLOATS = 16 };

typedef struct reading {
    context *cx;
    tn_read_options options; /* of the caller */
    const char *path, *text;
    size_t length;
    const tn_known_input *inputs;
    size_t n_inputs;
    tn_input_shape *shapes; /* room for those of the options and of all inputs */
    tn_known_input *known;
    bool *taken;
} reading;

/* Does the attempt HOW take the value V? Types of 8 and 16 bits may be the bits of others. */
static bool takes(const tn_buffer *v, attempt how)
{
    const tn_dtype d = v->type.dtype;
    const bool is_truth = d == TN_I1, is_float = d == TN_F32 || d == TN_F64;
    const int64_t most = is_float ? MOST_FLOATS : MOST_INTEGERS;
    int64_t n = 1;
    for (uint32_t i = 0; i < v->type.rank && n <= most; i++)
        n = v->type.dims[i] > most ? most + 1 : n * v->type.dims[i];
    if (!v->data || n > most || how == WITH_SIZES)
        return false;
    if (is_float)
        return how == WITH_NUMBERS && v->type.rank < 2;
    return is_truth || (d >= TN_SI32 && d <= TN_UI64);
}

/* Set up options for HOW. False when it knows no more than the attempt before. */
static bool prepare(reading *r, attempt how, tn_read_options *o)
{
    bool is_more = how == WITH_SIZES;
    *o = r->options;
    o->known = r->known;
    o->shapes = r->shapes;
    o->n_shapes += r->n_inputs;
    for (size_t i = 0; i < r->n_inputs; i++) {
        const bool had = r->taken[i];
        r->taken[i] = takes(r->inputs[i].value, how);
        if (r->taken[i])
            r->known[o->n_known++] = r->inputs[i];
        is_more = is_more || r->taken[i] != had;
    }
    return is_more;
}

static tn_status read_once(const reading *r, const tn_read_options *o, tn_module **m)
{
    return r->path ? tn_module_read_file(r->cx, o, r->path, m)
                   : tn_module_read(r->cx, o, r->text, r->length, m);
}

static tn_status read_for(reading *r, tn_module **m)
{
    diag_held first, held;
    tn_read_options o;
    (void)prepare(r, WITH_SIZES, &o);
    diag_hold(&first, &r->cx->diag);
    tn_status status = read_once(r, &o, m);
    diag_unhold(&first);
    for (attempt how = WITH_INTEGERS; status == TN_ERR_REJECTED && how < N_ATTEMPTS; how++) {
        if (!prepare(r, how, &o))
            continue;
        diag_hold(&held, &r->cx->diag);
        status = read_once(r, &o, m);
        diag_unhold(&held);
        if (status != TN_ERR_REJECTED) {
            diag_held_end(&first, false);
            diag_held_end(&held, true);
            return status;
        }
        diag_held_end(&held, false);
    }
    diag_held_end(&first, true);
    return status;
}

tn_status tn_module_read_for(tn_context *cx, const tn_read_options *options, const char *path,
                             const char *text, size_t length, const tn_known_input *inputs,
                             size_t n_inputs, bool *taken, tn_module **out)
{
    reading r = {.cx = cx, .path = path, .text = text, .length = length};
    arena memory;
    *out = NULL;
    if (OPTIONS_READ(&cx->diag, tn_read_options, n_results, &r.options, options) != TN_OK)
        return context_done(cx, TN_ERR_USAGE);
    tn_status checked = api_check_known(cx, "inputs", inputs, n_inputs, false);
    if (checked == TN_OK)
        checked = options_list(&cx->diag, "shapes", r.options.shapes, r.options.n_shapes);
    if (checked == TN_OK)
        checked = options_list(&cx->diag, "known", r.options.known, r.options.n_known);
    if (checked != TN_OK)
        return context_done(cx, checked);
    r.options.size = sizeof r.options;
    r.inputs = inputs;
    r.n_inputs = n_inputs;
    arena_init(&memory, &cx->allocator);
    const size_t n_shapes = r.options.n_shapes, n_known = r.options.n_known;
    r.shapes = ARENA_ARRAY(&memory, tn_input_shape, n_shapes + n_inputs);
    r.known = ARENA_ARRAY(&memory, tn_known_input, n_known + n_inputs);
    r.taken = ARENA_ARRAY(&memory, bool, n_inputs);
    if (!r.shapes || !r.known || !r.taken) {
        arena_release(&memory);
        return context_done(cx, diag_no_memory(&cx->diag));
    }
    if (n_shapes)
        memcpy(r.shapes, r.options.shapes, n_shapes * sizeof *r.shapes);
    if (n_known)
        memcpy(r.known, r.options.known, n_known * sizeof *r.known);
    for (size_t i = 0; i < n_inputs; i++) {
        const tn_type *t = &inputs[i].value->type;
        r.shapes[n_shapes + i] = (tn_input_shape){inputs[i].name, t->rank, t->dims};
    }
    const tn_status status = read_for(&r, out);
    if (taken && n_inputs)
        memcpy(taken, r.taken, n_inputs * sizeof *taken);
    arena_release(&memory);
    return status;
}
