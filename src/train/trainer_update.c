/* The programs that change weights. */
#include <string.h>

#include "base/text/text.h"
#include "train/trainer.h"

/* ---- making them ---- */

static tn_status bad_update(const tn_trainer *t, const char *what, const char *name)
{
    return trainer_fault(t->cx, DIAG_InvalidInput, "the update program: %s '%s'", what, name);
}

/* Take note of input I by its name. */
static tn_status take_port(const tn_trainer *t, rule *r, size_t i)
{
    const tn_port *port = &r->ports[i];
    const tn_dtype compute = dtype_compute(r->dtype);
    static const char *const names[] = {"weight", "gradient", "rate", "step"};
    size_t *const places[] = {&r->weight, &r->gradient, &r->rate, &r->step};
    enum { N = sizeof places / sizeof *places };
    size_t which = 0;
    while (which < N && strcmp(names[which], port->name) != 0)
        which++;
    if (which < N)
        *places[which] = i;
    else
        r->state[r->n_state++] = i;
    const bool is_vector = which < 2, is_scalar = which == 2 || which == 3;
    if (port->type.rank > 1 || (is_vector && port->type.rank != 1) ||
        (is_scalar && port->type.rank != 0))
        return bad_update(t, "another rank is wanted of", port->name);
    if (port->type.rank == 1 && port->type.dims[0] != TN_DIM_UNKNOWN)
        return bad_update(t, "any extent must suit", port->name);
    if (is_vector && port->type.dtype != (which == 0 ? r->dtype : compute))
        return bad_update(t, "another element type is wanted of", port->name);
    if (is_scalar && !dtype_is_float(port->type.dtype))
        return bad_update(t, "a float is wanted of", port->name);
    return TN_OK;
}

/* The outputs are the new weight and the new state. */
static tn_status check_outputs(const tn_trainer *t, const rule *r)
{
    if (tn_program_output_count(r->program) != 1 + r->n_state)
        return trainer_fault(t->cx, DIAG_InvalidInput,
                             "the update program has %zu output%s for a weight and %zu tensor%s of "
                             "state",
                             tn_program_output_count(r->program),
                             plural(tn_program_output_count(r->program)), r->n_state,
                             plural(r->n_state));
    for (size_t k = 0; k <= r->n_state; k++) {
        const tn_port *in = &r->ports[k == 0 ? r->weight : r->state[k - 1]];
        tn_port out;
        TN_TRY(tn_program_output(r->program, k, &out));
        if (out.type.dtype != in->type.dtype || out.type.rank != in->type.rank)
            return bad_update(t, "an output has another type than", in->name);
    }
    return TN_OK;
}

static tn_status take_ports(tn_trainer *t, rule *r)
{
    r->n_in = tn_program_input_count(r->program);
    r->ports = ARENA_ARRAY(&t->memory, tn_port, r->n_in);
    r->state = ARENA_ARRAY(&t->memory, size_t, r->n_in);
    if (!r->ports || !r->state)
        return diag_no_memory(&t->cx->diag);
    r->weight = r->gradient = r->rate = r->step = SIZE_MAX;
    for (size_t i = 0; i < r->n_in; i++) {
        TN_TRY(tn_program_input(r->program, i, &r->ports[i]));
        TN_TRY(take_port(t, r, i));
    }
    if (r->weight == SIZE_MAX || r->gradient == SIZE_MAX)
        return bad_update(t, "it lacks an input", r->weight == SIZE_MAX ? "weight" : "gradient");
    return check_outputs(t, r);
}

static tn_status add_rule(tn_trainer *t, tn_dtype dtype, const tn_optimizer *o,
                          const tn_module *update)
{
    tn_module *own = NULL;
    rule *r = &t->rules[t->n_rules];
    tn_compile_options compile = t->compile; /* whose bindings are of the program that is trained */
    uint64_t hash;
    compile.bindings = NULL;
    compile.n_bindings = 0;
    *r = (rule){.dtype = dtype};
    if (!update)
        TN_TRY(tn_optimizer_program(t->cx, o, dtype, &own));
    tn_status s = trainer_hash(t->cx, update ? update : own, &hash);
    if (s == TN_OK)
        s = tn_program_compile(update ? update : own, &compile, &r->program);
    tn_module_free(own);
    if (s != TN_OK)
        return s;
    t->update_hash ^= hash;
    t->n_rules++;
    return take_ports(t, r);
}

/* The rule for weight W, which is made if it is the first of its type. */
static tn_status find_rule(tn_trainer *t, weight *w, const tn_optimizer *o, const tn_module *update)
{
    const tn_dtype dtype = w->value.type.dtype;
    w->rule = 0;
    while (w->rule < t->n_rules && t->rules[w->rule].dtype != dtype)
        w->rule++;
    return w->rule < t->n_rules ? TN_OK : add_rule(t, dtype, o, update);
}

/* ---- their state ---- */

static tn_buffer state_buffer(const weight *w, const rule *r, size_t k)
{
    const tn_type *port = &r->ports[r->state[k]].type;
    tn_buffer b = {.data = w->state[k], .type = {.dtype = port->dtype, .rank = port->rank}};
    b.type.dims[0] = (int64_t)w->n;
    b.bytes = (port->rank == 0 ? 1 : w->n) * dtype_bytes(port->dtype);
    return b;
}

tn_buffer trainer_state(const tn_trainer *t, const weight *w, size_t k)
{
    return state_buffer(w, &t->rules[w->rule], k);
}

static tn_status make_state(tn_trainer *t, weight *w)
{
    const rule *r = &t->rules[w->rule];
    w->state = ARENA_ARRAY(&t->memory, void *, r->n_state);
    for (size_t k = 0; w->state && k < r->n_state; k++) {
        const size_t bytes = state_buffer(w, r, k).bytes;
        w->state[k] = arena_alloc_aligned(&t->memory, bytes, 64);
        if (w->state[k])
            memset(w->state[k], 0, bytes);
    }
    return t->memory.failed ? diag_no_memory(&t->cx->diag) : TN_OK;
}

tn_status trainer_make_rules(tn_trainer *t, const tn_optimizer *o, const tn_module *update)
{
    t->rules = ARENA_ARRAY(&t->memory, rule, TN_DTYPE_COUNT);
    if (!t->rules)
        return diag_no_memory(&t->cx->diag);
    for (size_t k = 0; k < t->n_weights; k++) {
        TN_TRY(find_rule(t, &t->weights[k], o, update));
        TN_TRY(make_state(t, &t->weights[k]));
    }
    return TN_OK;
}

/* ---- running them ---- */

/* Change W in place, and its state. */
static tn_status update(const tn_trainer *t, weight *w, void *gradients, double rate)
{
    enum { MOST = 64 };
    const rule *r = &t->rules[w->rule];
    const tn_run_options run = {.size = sizeof run,
                                .threads = t->compile.threads,
                                .seed =
                                    tn_leaf_seed(~t->o.seed, t->step, (uint64_t)(w - t->weights))};
    const tn_type flat = {w->value.type.dtype, 1, {(int64_t)w->n}};
    double scalars[2];
    tn_buffer in[MOST], out[MOST];
    const double values[] = {rate, (double)(t->step + 1)};
    const size_t places[] = {r->rate, r->step};
    if (r->n_in > MOST)
        return trainer_fault(t->cx, DIAG_Usage, "the update program has too many inputs");
    for (size_t i = 0; i < 2; i++)
        if (places[i] != SIZE_MAX) {
            const tn_type *type = &r->ports[places[i]].type;
            (void)dtype_cast(TN_F64, &values[i], type->dtype, &scalars[i], 1);
            in[places[i]] = (tn_buffer){&scalars[i], sizeof scalars[i], *type};
        }
    in[r->weight] = (tn_buffer){w->value.data, w->value.bytes, flat};
    in[r->gradient] = (tn_buffer){
        (char *)gradients + w->at, w->n * dtype_bytes(w->sum), {w->sum, 1, {(int64_t)w->n}}};
    out[0] = in[r->weight];
    for (size_t k = 0; k < r->n_state; k++)
        out[1 + k] = in[r->state[k]] = state_buffer(w, r, k);
    return tn_program_run(r->program, in, r->n_in, out, 1 + r->n_state, &run);
}

tn_status trainer_update(tn_trainer *t, void *gradients, double rate)
{
    for (size_t k = t->owned[t->transport.rank]; k < t->owned[t->transport.rank + 1]; k++)
        if (t->placed[k]->n > 0)
            TN_TRY(update(t, t->placed[k], gradients, rate));
    return TN_OK;
}
