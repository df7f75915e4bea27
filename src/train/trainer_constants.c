/* Weights that the program holds as constants: they become inputs, which begin with what they were.
 */
#include <string.h>

#include "api/api.h"
#include "graph/literal.h"
#include "graph/public.h"
#include "train/trainer.h"

/* Is NAME one of those that WANTED stands for: itself, or `w.a` for `w`? */
static bool stands_for(const char *wanted, const char *name, bool whole)
{
    const size_t n = strlen(wanted);
    return strncmp(wanted, name, n) == 0 && name[n] == (whole ? '\0' : '.');
}

/* Has the program an input of that name, or a structure of inputs? */
static bool has_input(const tn_trainer *t, const char *wanted)
{
    tn_port port;
    for (size_t i = 0; i < tn_module_input_count(t->module); i++) {
        if (tn_module_input(t->module, i, &port) != TN_OK)
            return true; /* what is wrong is found again where inputs are listed */
        if (trainer_is_called(wanted, &port, SIZE_MAX) || stands_for(wanted, port.name, false))
            return true;
    }
    return false;
}

/* Constants of floats that WANTED stands for. Their names go to AT, unless it is NULL. */
static size_t constants_called(const tn_trainer *t, const char *wanted, bool whole, const char **at)
{
    const function *f = module_entry(t->module->graph);
    size_t n = 0;
    for (uint32_t i = 0; i < f->nodes.n; i++) {
        const node *c = &f->nodes.at[i];
        if (c->op != OP_CONSTANT || !c->name || !stands_for(wanted, c->name, whole) ||
            !dtype_is_float(value_type(f, c->first_value)->dtype))
            continue;
        if (at)
            at[n] = c->name;
        n++;
    }
    return n;
}

/* Does region F hold the constant NAME, whose data is that of L, as a copy of its own? */
static bool has_copy(const function *f, const char *name, const literal *l)
{
    for (uint32_t i = 0; f->is_region && i < f->nodes.n; i++) {
        const node *n = &f->nodes.at[i];
        const literal *own = literal_of(n);
        if (own && n->name && strcmp(n->name, name) == 0 && own->type == l->type &&
            own->bytes == l->bytes && memcmp(own->data, l->data, l->bytes) == 0)
            return true;
    }
    return false;
}

/* A gradient by the constant NAME would miss what branches and loops do with theirs. */
static tn_status refuse_copies(const tn_trainer *t, const char *name)
{
    const module *m = t->module->graph;
    const function *f = module_entry(m);
    for (uint32_t i = 0; i < f->nodes.n; i++) {
        const node *n = &f->nodes.at[i];
        for (uint32_t k = 0;
             literal_of(n) && n->name && strcmp(n->name, name) == 0 && k < m->functions.n; k++)
            if (has_copy(m->functions.at[k], name, literal_of(n)))
                return trainer_fault(
                    t->cx, DIAG_Usage,
                    "'%s' cannot be trained: a branch or a loop holds a copy of it", name);
    }
    return TN_OK;
}

static tn_status open_called(tn_trainer *t, const char *wanted, bool whole)
{
    const size_t n = constants_called(t, wanted, whole, NULL);
    const char **names = ARENA_ARRAY(&t->memory, const char *, n);
    opened_constant *opened = ARENA_ARRAY(&t->memory, opened_constant, t->n_opened + n);
    if (!names || !opened)
        return diag_no_memory(&t->cx->diag);
    if (t->n_opened)
        memcpy(opened, t->opened, t->n_opened * sizeof *opened);
    t->opened = opened;
    (void)constants_called(t, wanted, whole, names);
    for (size_t i = 0; i < n; i++) {
        opened_constant *own = &opened[t->n_opened];
        TN_TRY(refuse_copies(t, names[i]));
        TN_TRY(tn_module_open_constant(t->module, names[i], &own->value));
        own->name = names[i];
        t->n_opened++;
    }
    return TN_OK;
}

tn_status trainer_open_constants(tn_trainer *t, const tn_train_options *o)
{
    for (size_t k = 0; k < o->n_wrt; k++) {
        const char *name = o->wrt[k];
        const bool is_whole = constants_called(t, name, true, NULL) > 0;
        const size_t n = tn_module_input_count(t->module);
        if (!has_input(t, name) && (is_whole || api_find_input(t->module->graph, name) >= n))
            TN_TRY(open_called(t, name, is_whole));
    }
    return TN_OK;
}

const tn_buffer *trainer_opened(const tn_trainer *t, const char *name)
{
    for (size_t i = 0; i < t->n_opened; i++)
        if (strcmp(t->opened[i].name, name) == 0)
            return &t->opened[i].value;
    return NULL;
}
