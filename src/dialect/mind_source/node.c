/* Adding nodes, reporting, and counting work. */
#include <stdio.h>
#include <string.h>

#include "dialect/mind_source/lower.h"

/* Steps that calls may add to those of the text itself, which are fewer than its bytes: functions
 * that call each other twice double the work with every line. A step takes some 250 bytes. */
enum { MOST_STEPS = 1 << 22 };

value lowering_fault(lowering *l, diag_kind kind, span at, const char *format, ...)
{
    char message[1024];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    surface_report(l->s, kind, at, "%s", message);
    return BAD;
}

value lowering_no_memory(lowering *l)
{
    surface_no_memory(l->s);
    return BAD;
}

bool lowering_step(lowering *l, span at)
{
    if (surface_stopped(l->s))
        return false;
    const uint64_t most = MOST_STEPS + l->s->m->source.length;
    if (++l->steps <= most && l->f->nodes.n < l->s->m->cx->limits.nodes)
        return true;
    (void)lowering_fault(l, DIAG_LimitExceeded, at, "the program makes more instructions than %s",
                         l->steps > most ? "can be read" : "the limit allows");
    l->s->status = TN_ERR_REJECTED;
    return false;
}

/* The notes of a type rule say what the operands are: in the words of the language. */
static void restate_operands(lowering *l, const value_id *in, uint32_t n_in)
{
    diag_channel *d = &l->s->m->cx->diag;
    for (uint32_t i = 0; i < n_in && i < d->open.n_notes; i++) {
        const char *note = arena_printf(&d->text, "operand %" PRIu32 " is %s", i,
                                        type_words(l, value_type(l->f, in[i])));
        if (note)
            d->notes[i].message = note;
    }
}

value_id lowering_node(lowering *l, op_id op, const value_id *in, uint32_t n_in, attr *entries,
                       uint32_t n, span at)
{
    if (!lowering_step(l, at))
        return NO_VALUE;
    for (uint32_t i = 0; i < n_in; i++)
        if (in[i] == NO_VALUE)
            return NO_VALUE;
    const attrs *a = attrs_of(&l->s->m->attrs, entries, n);
    if (!a) {
        surface_no_memory(l->s);
        return NO_VALUE;
    }
    /* Values have no names in the text: diagnostics show none instead of a number. */
    node_desc desc = {.op = op, .in = in, .n_in = n_in, .attrs = a, .at = at, .name = ""};
    value_id v = NO_VALUE;
    tn_status status = function_add(l->f, &desc, &v);
    if (status == TN_OK) {
        l->f->nodes.at[l->f->nodes.n - 1].name = NULL;
        return v;
    }
    const diag_channel *d = &l->s->m->cx->diag;
    if (status == TN_ERR_REJECTED)
        restate_operands(l, in, n_in);
    if (status != TN_ERR_REJECTED || d->refused_with != TN_OK ||
        surface_errors(l->s) >= l->s->m->cx->limits.errors)
        l->s->status = status;
    return NO_VALUE;
}

value_id lowering_input(lowering *l, const char *name, const type *t, span at)
{
    attr entries[2] = {{.key = KEY_NAME}, {.key = KEY_TYPE, .v.type = t}};
    entries[0].v.s = module_string(l->s->m, name, strlen(name));
    if (!entries[0].v.s) {
        surface_no_memory(l->s);
        return NO_VALUE;
    }
    const uint64_t h = hash_mix(0, (uint64_t)(uintptr_t)entries[0].v.s);
    for (uint32_t p = hash_first(&l->inputs, h), i;
         (i = hash_at(&l->inputs, h, &p)) != HASH_NONE;) {
        const node *n = node_of(l->f, l->f->inputs.at[i]);
        if (attr_string(n->attrs, KEY_NAME) != entries[0].v.s)
            continue;
        (void)lowering_fault(l, DIAG_InvalidInput, at, "there are two inputs called '%.100s'",
                             name);
        diag_note(&l->s->m->cx->diag, &l->s->m->source, n->at, "the first is here");
        return NO_VALUE;
    }
    const uint32_t index = l->f->inputs.n;
    const value_id v = lowering_node(l, OP_INPUT, NULL, 0, entries, 2, at);
    if (v != NO_VALUE && !hash_add(l->s->m->allocator, &l->inputs, h, index)) {
        surface_no_memory(l->s);
        return NO_VALUE;
    }
    return v;
}
