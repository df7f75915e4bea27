/* The model to the graph: programs, functions, instructions. */
#include "dialect/ptir/lower.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void ptir_lower_fault(lowering *l, diag_kind kind, const char *op, span at, const char *format, ...)
{
    diag_channel *d = &l->m->cx->diag;
    va_list args;
    va_start(args, format);
    d->op = op;
    (void)diag_vreport(d, kind, &l->m->source, at, format, args);
    va_end(args);
    if (l->where.inst) {
        char id[16];
        (void)snprintf(id, sizeof id, "%%%" PRIu32, l->where.inst->id);
        diag_node(d, l->where.inst->name ? l->where.inst->name : id);
    }
    l->faults++;
}

tn_status ptir_lower_no_memory(lowering *l)
{
    return module_no_memory(l->m);
}

/* Is there reason to go on after so many faults? */
static tn_status enough(const lowering *l)
{
    return l->faults >= l->m->cx->limits.errors ? TN_ERR_REJECTED : TN_OK;
}

/* A status that ends everything; a rejection was counted where it was reported. */
static bool is_fatal(tn_status s)
{
    return s != TN_OK && s != TN_ERR_REJECTED && s != TN_ERR_UNAVAILABLE;
}

/* ---- values -------------------------------------------------------------------------------- */

static tn_status add_value(lowering *l, uint32_t id, span id_at, lowered v)
{
    lower_scope *s = l->scope;
    uint32_t earlier = ptir_ids_find(&s->ids, id);
    if (earlier != NO_VALUE) {
        ptir_lower_fault(l, DIAG_MultipleDefinitions, NULL, id_at,
                         "value %" PRIu32 " is defined twice", id);
        diag_note(&l->m->cx->diag, &l->m->source, s->values.at[earlier].at, "first here");
        return TN_OK;
    }
    if (!ptir_ids_add(&s->ids, id) || !VECTOR_PUSH(l->m->allocator, &s->values, v))
        return ptir_lower_no_memory(l);
    return TN_OK;
}

/* A value of the declared type, so that what uses it can be looked at. */
static tn_status add_stand_in(lowering *l, uint32_t id, span id_at, lowered v)
{
    uint32_t n = ptir_type_leaves(v.type), k = 0;
    const type **leaves = arena_alloc(l->memory, ((size_t)n + 1) * sizeof(const type *));
    if (!leaves)
        return ptir_lower_no_memory(l);
    ptir_type_flatten(v.type, leaves, &k);
    for (uint32_t i = 0; i < n; i++)
        if (!(leaves[i] = ptir_lower_type(l, leaves[i])))
            return ptir_lower_no_memory(l);
    node_desc desc = {.op = OP_CUSTOM_CALL, .at = v.at};
    tn_status s = function_add_typed(l->scope->f, &desc, leaves, n > 255 ? 0 : n, &v.first);
    if (is_fatal(s))
        return s;
    v.faulty = true;
    v.n = s == TN_OK && n <= 255 ? n : 0;
    return add_value(l, id, id_at, v);
}

/* ---- operands ------------------------------------------------------------------------------ */

/* The value that an operand names; NO_VALUE when it is faulty. */
static value_id named_value(lowering *l, const ptir_operand *o)
{
    lower_scope *s = l->scope;
    uint32_t k = ptir_ids_find(&s->ids, o->id), offset = 0;
    if (k == NO_VALUE) {
        ptir_lower_fault(l, DIAG_UseBeforeDefinition, NULL, o->at,
                         "value %" PRIu32 " is not defined before this use", o->id);
        return NO_VALUE;
    }
    const lowered *v = &s->values.at[k];
    if (o->kind == PTIR_VALUE) {
        if (v->type->tensor && v->n == 1)
            return v->first;
        if (!v->type->tensor)
            ptir_lower_fault(l, DIAG_TypeMismatch, NULL, o->at,
                             "value %" PRIu32 " is a tuple, of which an element must be selected",
                             o->id);
        return NO_VALUE;
    }
    if (v->type->tensor || o->index >= v->type->n) {
        ptir_lower_fault(l, DIAG_TypeMismatch, NULL, o->at,
                         v->type->tensor ? "value %" PRIu32
                                           " is no tuple: it has no element %" PRIu32
                                         : "the tuple %" PRIu32 " has no element %" PRIu32,
                         o->id, o->index);
        return NO_VALUE;
    }
    if (!v->type->items[o->index].tensor) {
        ptir_lower_fault(l, DIAG_TypeMismatch, NULL, o->at,
                         "element %" PRIu32 " of tuple %" PRIu32
                         " is itself a tuple, which no operation "
                         "takes",
                         o->index, o->id);
        return NO_VALUE;
    }
    for (uint32_t i = 0; i < o->index && v->n; i++)
        offset += ptir_type_leaves(&v->type->items[i]);
    return offset < v->n ? v->first + offset : NO_VALUE;
}

static tn_status add_literal(lowering *l, const literal *value, span at, uint8_t spelling,
                             value_id *out)
{
    attr a = {.key = KEY_VALUE, .v.literal = value};
    node_desc desc = {.op = OP_CONSTANT, .at = at, .spelling = spelling};
    *out = NO_VALUE;
    if (!ptir_lower_literal(l, value, at))
        return TN_OK;
    desc.attrs = attrs_of(&l->m->attrs, &a, 1);
    if (!desc.attrs)
        return ptir_lower_no_memory(l);
    tn_status s = function_add(l->scope->f, &desc, out);
    if (s == TN_OK || is_fatal(s))
        return s;
    l->faults++;
    *out = NO_VALUE;
    return TN_OK;
}

/* Values and types of the operands; *OK is false when one is faulty. */
static tn_status resolve_operands(lowering *l, const ptir_inst *inst, value_id **in,
                                  const type ***types, bool *ok)
{
    uint32_t n = inst->n_in;
    *ok = true;
    *in = arena_alloc(l->memory, ((size_t)n + 1) * sizeof **in);
    *types = arena_alloc(l->memory, ((size_t)n + 1) * sizeof **types);
    if (!*in || !*types)
        return ptir_lower_no_memory(l);
    l->where.in = *types;
    l->where.n_in = 0;
    for (uint32_t i = 0; i < n; i++) {
        value_id v = NO_VALUE;
        if (inst->in[i].kind == PTIR_FAULTY)
            v = NO_VALUE;
        else if (inst->in[i].kind == PTIR_LITERAL)
            TN_TRY(add_literal(l, inst->in[i].literal, inst->in[i].at, PTIR_INLINE, &v));
        else
            v = named_value(l, &inst->in[i]);
        (*in)[i] = v;
        if (v == NO_VALUE) {
            *ok = false;
        } else {
            (*types)[i] = value_type(l->scope->f, v);
            l->where.n_in += l->where.n_in == i; /* shown up to the first faulty one */
        }
    }
    return TN_OK;
}

/* ---- instructions -------------------------------------------------------------------------- */

/* Add the node of INST on operands IN; *OK is false after a fault. */
static tn_status add_node(lowering *l, const ptir_inst *inst, const value_id *in,
                          const type *const *types, lowered *v, bool *ok)
{
    function *f = l->scope->f;
    node_desc desc = {.in = in,
                      .n_in = inst->n_in,
                      .at = inst->at,
                      .name = inst->name,
                      .number = inst->id,
                      .spelling = !inst->out.tensor && inst->out.n == 1 ? PTIR_ONE_TUPLE : 0};
    *ok = false;
    TN_TRY(ptir_lower_attrs(l, inst, types, inst->n_in, &desc.op, &desc.attrs));
    if (!desc.attrs || !ptir_lower_check(l, inst, desc.op, types, inst->n_in))
        return TN_OK;
    tn_status s = function_add(f, &desc, &v->first);
    if (is_fatal(s))
        return s;
    if (s != TN_OK) {
        l->faults++;
        return TN_OK;
    }
    v->node = f->nodes.n - 1;
    v->n = f->nodes.at[v->node].n_results;
    return ptir_lower_declared(l, inst, desc.op, v->first, v->n, ok);
}

static tn_status lower_instruction(lowering *l, const ptir_inst *inst)
{
    lowered v = {.type = &inst->out, .inst = inst, .at = inst->id_at};
    value_id *in;
    const type **types;
    bool ok;
    TN_TRY(enough(l));
    TN_TRY(resolve_operands(l, inst, &in, &types, &ok));
    if (ok && inst->op != PTIR_OP_COUNT)
        TN_TRY(add_node(l, inst, in, types, &v, &ok));
    else
        ok = false;
    tn_status s =
        ok ? add_value(l, inst->id, inst->id_at, v) : add_stand_in(l, inst->id, inst->id_at, v);
    l->where.in = NULL;
    l->where.n_in = 0;
    return s;
}

/* ---- parameters ---------------------------------------------------------------------------- */

static int compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The parameters of a region, whose ids are not stored, are 0, 1, .. by the common convention. A
 * body that uses other ids without defining them, exactly as many as there are parameters, means
 * these, ascending. */
static tn_status region_parameter_ids(lowering *l, const ptir_function *from, uint32_t *ids)
{
    const uint32_t n = from->parameters.n;
    ptir_id_map defined;
    ptir_ids used = {0};
    bool ok = ptir_ids_init(&defined, l->m->allocator, l->memory, 0, 0), plain = true;
    for (uint32_t i = 0; ok && i < from->body.n; i++)
        if (ptir_ids_find(&defined, from->body.at[i].id) == NO_VALUE)
            ok = ptir_ids_add(&defined, from->body.at[i].id);
    for (uint32_t i = 0; i < n; i++) {
        ids[i] = i;
        plain = plain && ptir_ids_find(&defined, i) == NO_VALUE;
    }
    for (uint32_t i = 0; ok && i < from->body.n; i++) {
        const ptir_inst *inst = &from->body.at[i];
        for (uint32_t k = 0; ok && k < inst->n_in; k++) {
            const ptir_operand *o = &inst->in[k];
            if (o->kind == PTIR_LITERAL || o->kind == PTIR_FAULTY ||
                ptir_ids_find(&defined, o->id) != NO_VALUE)
                continue;
            plain = plain && o->id < n;
            ok = ptir_ids_add(&defined, o->id) && PTIR_PUSH(l->memory, &used, o->id);
        }
    }
    ptir_ids_release(&defined);
    if (!ok)
        return ptir_lower_no_memory(l);
    if (!plain && used.n == n) {
        if (n > 1)
            qsort(used.at, n, sizeof *used.at, compare_ids);
        if (n)
            memcpy(ids, used.at, n * sizeof *ids);
    }
    return TN_OK;
}

static tn_status add_parameter(lowering *l, uint32_t k, uint32_t id)
{
    const ptir_function *from = l->scope->from;
    const ptir_type *t = &from->parameters.at[k];
    lowered v = {.type = t, .at = from->at};
    char position[16];
    (void)snprintf(position, sizeof position, "%" PRIu32, k);
    const char *name = k < from->parameter_names.n ? from->parameter_names.at[k] : NULL;
    if (!name)
        name = module_string(l->m, position, strlen(position));
    if (!name)
        return ptir_lower_no_memory(l);
    if (!t->tensor) {
        ptir_lower_fault(l, DIAG_InvalidInput, NULL, from->at,
                         "parameter %" PRIu32 " is a tuple; pass its elements one by one", k);
        return add_stand_in(l, id, from->at, v);
    }
    attr entries[] = {{.key = KEY_NAME, .v.s = name}, {.key = KEY_TYPE, .v.type = t->tensor}};
    node_desc desc = {.op = OP_INPUT, .at = from->at, .number = id};
    desc.attrs = attrs_of(&l->m->attrs, entries, 2);
    if (!desc.attrs)
        return ptir_lower_no_memory(l);
    tn_status s = function_add(l->scope->f, &desc, &v.first);
    if (is_fatal(s))
        return s;
    if (s != TN_OK) {
        l->faults++;
        return add_stand_in(l, id, from->at, v);
    }
    v.n = 1;
    v.node = l->scope->f->nodes.n - 1;
    return add_value(l, id, from->at, v);
}

static tn_status lower_parameters(lowering *l)
{
    const ptir_function *from = l->scope->from;
    uint32_t n = from->parameters.n, *ids = from->parameter_ids.at;
    if (from->stores_ids && from->parameter_ids.n != n) {
        ptir_lower_fault(l, DIAG_InvalidInput, NULL, from->at,
                         "%" PRIu32 " parameters have %" PRIu32 " ids", n, from->parameter_ids.n);
        n = n < from->parameter_ids.n ? n : from->parameter_ids.n;
    }
    if (!from->stores_ids) {
        ids = arena_alloc(l->memory, ((size_t)n + 1) * sizeof *ids);
        if (!ids)
            return ptir_lower_no_memory(l);
        TN_TRY(region_parameter_ids(l, from, ids));
    }
    for (uint32_t k = 0; k < n; k++) {
        TN_TRY(enough(l));
        TN_TRY(add_parameter(l, k, ids[k]));
    }
    return TN_OK;
}

/* ---- results ------------------------------------------------------------------------------- */

static tn_status add_outputs(lowering *l, value_id first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        TN_TRY(function_add_output(l->scope->f, first + i));
    return TN_OK;
}

/* Result K, of the type that the function declares, is OPERAND. */
static tn_status lower_result(lowering *l, uint32_t k, const ptir_operand *o)
{
    lower_scope *s = l->scope;
    const ptir_type *declared = &s->from->results.at[k];
    diag_kind kind = s->f->is_region ? DIAG_RegionSignature : DIAG_TypeMismatch;
    if (o->kind == PTIR_FAULTY)
        return TN_OK;
    uint32_t number = ptir_ids_find(&s->ids, o->id), n = 1;
    value_id first = NO_VALUE;
    if (number == NO_VALUE) {
        ptir_lower_fault(l, DIAG_UndefinedOutput, NULL, o->at,
                         "result %" PRIu32 " is value %" PRIu32 ", which nothing defines", k,
                         o->id);
        return TN_OK;
    }
    const lowered *v = &s->values.at[number];
    if (o->kind == PTIR_VALUE) {
        first = v->first;
        n = v->n;
    } else {
        first = named_value(l, o);
    }
    if (v->faulty || first == NO_VALUE)
        return TN_OK;
    bool same_form = o->kind == PTIR_ELEMENT
                         ? declared->tensor != NULL
                         : (declared->tensor != NULL) == (v->type->tensor != NULL);
    if (!same_form || !ptir_lower_types_agree(l, declared, first, n)) {
        ptir_lower_fault(l, kind, NULL, o->at,
                         "result %" PRIu32 " has another type than value %" PRIu32, k, o->id);
        return TN_OK;
    }
    return add_outputs(l, first, n);
}

static tn_status lower_results(lowering *l)
{
    const ptir_function *from = l->scope->from;
    const uint32_t n = from->results.n;
    const uint32_t have = from->stores_ids ? from->result_ids.n : from->body.n;
    if (from->stores_ids ? have != n : have < n) {
        ptir_lower_fault(l, from->stores_ids ? DIAG_UndefinedOutput : DIAG_RegionSignature, NULL,
                         from->at,
                         from->stores_ids ? "%" PRIu32 " results have %" PRIu32 " ids"
                                          : "%" PRIu32 " results of only %" PRIu32 " instructions",
                         n, have);
        return TN_OK;
    }
    for (uint32_t k = 0; k < n; k++) {
        ptir_operand o = {.kind = PTIR_VALUE, .at = from->at};
        if (from->stores_ids)
            o = from->result_ids.at[k];
        else
            o.id = from->body.at[have - n + k].id;
        TN_TRY(lower_result(l, k, &o));
    }
    return TN_OK;
}

/* ---- functions ----------------------------------------------------------------------------- */

static uint32_t largest_id(const ptir_function *from)
{
    uint32_t largest = 0;
    for (uint32_t i = 0; i < from->parameter_ids.n; i++)
        largest = largest > from->parameter_ids.at[i] ? largest : from->parameter_ids.at[i];
    for (uint32_t i = 0; i < from->body.n; i++)
        largest = largest > from->body.at[i].id ? largest : from->body.at[i].id;
    return largest;
}

static tn_status lower_parts(lowering *l)
{
    const ptir_function *from = l->scope->from;
    TN_TRY(lower_parameters(l));
    for (uint32_t i = 0; i < from->body.n; i++) {
        l->where.inst = &from->body.at[i];
        l->where.index = i;
        TN_TRY(lower_instruction(l, &from->body.at[i]));
    }
    l->where.inst = NULL;
    TN_TRY(lower_results(l));
    return ptir_lower_hints(l);
}

static tn_status lower_function(lowering *l, const ptir_function *from, function *f)
{
    lower_scope scope = {.from = from, .f = f};
    lower_scope *outer = l->scope;
    ptir_where where = l->where;
    tn_status s = TN_OK;

    l->scope = &scope;
    l->where = (ptir_where){.m = l->m, .function = f->name, .is_region = f->is_region};
    if (f->is_region)
        l->where.function = arena_printf(l->memory, "%" PRIu64, from->region);
    if (!ptir_ids_init(&scope.ids, l->m->allocator, l->memory, largest_id(from),
                       from->parameters.n + from->body.n) ||
        !VECTOR_RESERVE(l->m->allocator, &f->nodes, from->parameters.n + from->body.n))
        s = ptir_lower_no_memory(l);
    else
        s = lower_parts(l);
    ptir_ids_release(&scope.ids);
    VECTOR_RELEASE(l->m->allocator, &scope.values);
    l->scope = outer;
    l->where = where;
    return s;
}

uint32_t ptir_lower_find_region(const lowering *l, uint64_t id)
{
    uint64_t h = hash_mix(2, id);
    for (uint32_t p = hash_first(&l->region_ids, h), k;
         (k = hash_at(&l->region_ids, h, &p)) != HASH_NONE;)
        if (l->p->regions.at[k].region == id)
            return k;
    return NO_VALUE;
}

tn_status ptir_lower_region(lowering *l, uint32_t k, span at)
{
    const ptir_function *from = &l->p->regions.at[k];
    if (l->regions[k] == REGION_OPEN) {
        ptir_lower_fault(l, DIAG_Cycle, NULL, at, "region %" PRIu64 " reaches itself",
                         from->region);
        return TN_OK;
    }
    if (l->regions[k] != REGION_NEW)
        return TN_OK;
    if (l->depth >= l->m->cx->limits.nesting) {
        ptir_lower_fault(l, DIAG_LimitExceeded, NULL, at,
                         "regions nested deeper than %" PRIu32 " levels", l->m->cx->limits.nesting);
        return TN_OK;
    }
    uint32_t faults = l->faults;
    l->regions[k] = REGION_OPEN;
    l->depth++;
    tn_status s = lower_function(l, from, l->m->functions.at[l->p->functions.n + k]);
    l->depth--;
    l->regions[k] = l->faults == faults ? REGION_DONE : REGION_FAULTY;
    return s;
}

/* ---- programs ------------------------------------------------------------------------------ */

static tn_status add_functions(lowering *l)
{
    const ptir_program *p = l->p;
    bool found = false;
    for (uint32_t i = 0; i < p->functions.n; i++) {
        const ptir_function *from = &p->functions.at[i];
        if (!module_add_function(l->m, from->name, strlen(from->name)))
            return ptir_lower_no_memory(l);
        if (from->name == p->entry) { /* interned */
            if (found)
                ptir_lower_fault(l, DIAG_MultipleDefinitions, NULL, from->at,
                                 "there are two functions called '%s'", from->name);
            l->m->entry = found ? l->m->entry : i;
            found = true;
        }
    }
    if (!found)
        ptir_lower_fault(l, DIAG_UndefinedName, NULL, p->entry_at,
                         "there is no function '%s' to be the entry", p->entry);
    for (uint32_t k = 0; k < p->regions.n; k++) {
        char name[24];
        int n = snprintf(name, sizeof name, "region%" PRIu32, k);
        function *f = module_add_function(l->m, name, (size_t)n);
        if (!f)
            return ptir_lower_no_memory(l);
        f->is_region = true;
        uint64_t id = p->regions.at[k].region;
        if (ptir_lower_find_region(l, id) != NO_VALUE)
            ptir_lower_fault(l, DIAG_MultipleDefinitions, NULL, p->regions.at[k].at,
                             "there are two regions %" PRIu64, id);
        else if (!hash_add(l->m->allocator, &l->region_ids, hash_mix(2, id), k))
            return ptir_lower_no_memory(l);
    }
    return TN_OK;
}

/* Symbols of parameters are given by the caller; all others are named by what they describe. */
static tn_status give_symbols(lowering *l)
{
    for (uint32_t i = 0; i < l->p->functions.n + l->p->regions.n; i++) {
        const ptir_function *from = i < l->p->functions.n
                                        ? &l->p->functions.at[i]
                                        : &l->p->regions.at[i - l->p->functions.n];
        for (uint32_t k = 0; k < from->parameters.n; k++)
            if (from->parameters.at[k].tensor &&
                !ptir_lower_give_symbols(l, from->parameters.at[k].tensor))
                return ptir_lower_no_memory(l);
    }
    return TN_OK;
}

static tn_status lower_program(lowering *l)
{
    TN_TRY(add_functions(l));
    TN_TRY(give_symbols(l));
    for (uint32_t k = 0; k < l->p->regions.n; k++)
        TN_TRY(ptir_lower_region(l, k, l->p->regions.at[k].at));
    for (uint32_t i = 0; i < l->p->functions.n; i++)
        TN_TRY(lower_function(l, &l->p->functions.at[i], l->m->functions.at[i]));
    return TN_OK;
}

tn_status ptir_lower(module *m, const ptir_program *p, arena *memory, uint32_t faults)
{
    lowering l = {.m = m, .p = p, .memory = memory, .faults = faults};
    l.where.m = m;
    l.regions = ARENA_ARRAY(memory, region_state, p->regions.n + 1);
    if (!l.regions)
        return module_no_memory(m);
    m->source.reading = &l.where;
    tn_status s = lower_program(&l);
    m->source.reading = NULL;
    hash_release(m->allocator, &l.region_ids);
    return s == TN_OK && l.faults ? TN_ERR_REJECTED : s;
}
