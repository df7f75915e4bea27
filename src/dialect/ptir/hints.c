/* Fusion hints: remarks that name instructions of their function by repeating them. */
#include <inttypes.h>

#include "dialect/ptir/lower.h"

static bool same_literal(const literal *a, const literal *b)
{
    return a->type == b->type && a->bytes == b->bytes && a->splat == b->splat &&
           (a->bytes == 0 || memcmp(a->data, b->data, a->bytes) == 0);
}

static bool same_operand(const ptir_operand *a, const ptir_operand *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == PTIR_LITERAL)
        return same_literal(a->literal, b->literal);
    return a->kind != PTIR_FAULTY && a->id == b->id &&
           (a->kind == PTIR_VALUE || a->index == b->index);
}

static bool same_type(const ptir_type *a, const ptir_type *b)
{
    bool same = a->tensor == b->tensor && a->n == b->n;
    for (uint32_t i = 0; same && i < a->n; i++)
        same = same_type(&a->items[i], &b->items[i]);
    return same;
}

static bool same_attr(const attr *a, const attr *b)
{
    if (a->key != b->key || a->n != b->n)
        return false;
    switch (attr_keys[a->key].kind) {
    case ATTR_INTS:
        return a->n == 0 || memcmp(a->v.ints, b->v.ints, a->n * sizeof *a->v.ints) == 0;
    case ATTR_SCALAR:
        return scalar_equal(*a->v.scalar, *b->v.scalar);
    case ATTR_LITERAL:
        return same_literal(a->v.literal, b->v.literal);
    case ATTR_DICT: /* its names must do; a kernel's attributes follow from its operands */
        for (uint32_t i = 0; i < a->n; i++)
            if (a->v.dict[i].key != b->v.dict[i].key)
                return false;
        return true;
    case ATTR_INT:
    case ATTR_BOOL:
    case ATTR_FLOAT:
    case ATTR_WORD:
    case ATTR_DTYPE:
    case ATTR_STRING:
    case ATTR_TYPE:
    case ATTR_TYPES:
    case ATTR_FUNCTION:
        return a->v.i == b->v.i;
    }
    return false;
}

static bool same_instruction(const ptir_inst *a, const ptir_inst *b)
{
    bool same = a->op == b->op && a->word == b->word && a->n_attrs == b->n_attrs &&
                a->n_in == b->n_in && same_type(&a->out, &b->out);
    for (uint32_t i = 0; same && i < a->n_attrs; i++)
        same = same_attr(&a->attrs[i], &b->attrs[i]);
    for (uint32_t i = 0; same && i < a->n_in; i++)
        same = same_operand(&a->in[i], &b->in[i]);
    return same;
}

/* The nodes of the values IDS; false when one is not defined. */
static bool nodes_of(const lower_scope *s, const ptir_ids *ids, uint32_t *out)
{
    for (uint32_t i = 0; i < ids->n; i++) {
        uint32_t k = ptir_ids_find(&s->ids, ids->at[i]);
        if (k == NO_VALUE)
            return false;
        out[i] = s->values.at[k].node;
    }
    return true;
}

static bool nodes_of_body(const lower_scope *s, const ptir_insts *body, uint32_t *out)
{
    for (uint32_t i = 0; i < body->n; i++) {
        uint32_t k = ptir_ids_find(&s->ids, body->at[i].id);
        if (k == NO_VALUE || !s->values.at[k].inst ||
            !same_instruction(&body->at[i], s->values.at[k].inst))
            return false;
        out[i] = s->values.at[k].node;
    }
    return true;
}

static tn_status lower_hint(lowering *l, const ptir_hint *from)
{
    module *m = l->m;
    attr dict = from->attrs;
    uint32_t *inputs = ARENA_ARRAY(&m->arena, uint32_t, from->inputs.n);
    uint32_t *exports = ARENA_ARRAY(&m->arena, uint32_t, from->exports.n);
    uint32_t *nodes = ARENA_ARRAY(&m->arena, uint32_t, from->body.n);
    const attrs *own = attrs_of(&m->attrs, &dict, 1);
    if (!inputs || !exports || !nodes || !own)
        return ptir_lower_no_memory(l);
    if (!nodes_of(l->scope, &from->inputs, inputs) ||
        !nodes_of(l->scope, &from->exports, exports) ||
        !nodes_of_body(l->scope, &from->body, nodes)) {
        diag_warn(&m->cx->diag, DIAG_Advice, &m->source, from->at,
                  "hint %" PRIu32 " does not repeat instructions of its function and is left out",
                  from->id);
        return TN_OK;
    }
    fusion_hint made = {.id = from->id,
                        .kind = from->kind,
                        .policy = from->policy,
                        .n_inputs = from->inputs.n,
                        .n_exports = from->exports.n,
                        .n_nodes = from->body.n,
                        .inputs = inputs,
                        .exports = exports,
                        .nodes = nodes,
                        .attrs = own};
    return VECTOR_PUSH(m->allocator, &l->scope->f->hints, made) ? TN_OK : ptir_lower_no_memory(l);
}

tn_status ptir_lower_hints(lowering *l)
{
    const ptir_function *from = l->scope->from;
    for (uint32_t i = 0; i < from->hints.n && !l->faults; i++)
        TN_TRY(lower_hint(l, &from->hints.at[i]));
    return TN_OK;
}
