/* The model to the graph: programs, functions, instructions. */
#include "dialect/ptir/lower.h"
#include "base/text/text.h"
#include "ops/infer.h"

#include <inttypes.h>
#include <stdio.h>

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

tn_status ptir_lower_enough(const lowering *l)
{
    return l->faults >= l->m->cx->limits.errors ? TN_ERR_REJECTED : TN_OK;
}

bool ptir_lower_is_fatal(tn_status s)
{
    return s != TN_OK && s != TN_ERR_REJECTED && s != TN_ERR_UNAVAILABLE;
}

/* ---- values -------------------------------------------------------------------------------- */

tn_status ptir_lower_add(lowering *l, uint32_t id, span id_at, lowered v)
{
    lower_scope *s = l->scope;
    uint32_t earlier = ptir_ids_find(&s->ids, id);
    if (earlier != NO_VALUE) {
        ptir_lower_fault(l, DIAG_MultipleDefinitions, NULL, id_at,
                         "value %" PRIu32 " is defined twice", id);
        s->lost_ids = true;
        diag_note(&l->m->cx->diag, &l->m->source, s->values.at[earlier].at, "first here");
        return TN_OK;
    }
    if (!ptir_ids_add(&s->ids, id) || !VECTOR_PUSH(l->m->allocator, &s->values, v))
        return ptir_lower_no_memory(l);
    return TN_OK;
}

tn_status ptir_lower_stand_in(lowering *l, uint32_t id, span id_at, lowered v)
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
    if (ptir_lower_is_fatal(s))
        return s;
    l->stand_ins++;
    v.faulty = true;
    v.n = s == TN_OK && n <= 255 ? n : 0;
    return ptir_lower_add(l, id, id_at, v);
}

/* ---- operands ------------------------------------------------------------------------------ */

/* The value that an operand names; NO_VALUE when it is faulty. */
static value_id named_value(lowering *l, const ptir_operand *o)
{
    lower_scope *s = l->scope;
    uint32_t k = ptir_ids_find(&s->ids, o->id), offset = 0;
    if (k == NO_VALUE && !s->lost_ids)
        ptir_lower_fault(l, DIAG_UseBeforeDefinition, NULL, o->at,
                         "value %" PRIu32 " is not defined before this use", o->id);
    if (k == NO_VALUE)
        return NO_VALUE;
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
        if (v->type->tensor)
            ptir_lower_fault(l, DIAG_TypeMismatch, NULL, o->at,
                             "value %" PRIu32 " is no tuple: it has no element %" PRIu32, o->id,
                             o->index);
        else
            ptir_lower_fault(l, DIAG_TypeMismatch, NULL, o->at,
                             "the tuple has %" PRIu32
                             " element%s, counted from 0, and none with the "
                             "number %" PRIu32,
                             v->type->n, plural(v->type->n), o->index);
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
    if (s == TN_OK || ptir_lower_is_fatal(s))
        return s;
    l->faults++;
    *out = NO_VALUE;
    return TN_OK;
}

/* The operands of an instruction as the graph has them. */
typedef struct operands {
    value_id *in;
    const type **types;
    uint32_t n;
    bool ok; /* none is faulty */
} operands;

static void push_operand(lowering *l, operands *to, value_id v)
{
    to->in[to->n] = v;
    if (v == NO_VALUE) {
        to->ok = false;
    } else {
        to->types[to->n] = value_type(l->scope->f, v);
        l->where.n_in += l->where.n_in == to->n; /* shown up to the first faulty one */
    }
    to->n++;
}

/* The tuple that O names, when INST may take its elements for it; else NULL. Regions may have
 * tuples as parameters, so what runs them is given tuples. */
static const lowered *whole_tuple(const lowering *l, const ptir_inst *inst, const ptir_operand *o)
{
    const lower_scope *s = l->scope;
    if (o->kind != PTIR_VALUE || inst->op == PTIR_OP_COUNT ||
        !(op_table[ptir_ops[inst->op].op].traits & T_REGIONS))
        return NULL;
    const uint32_t k = ptir_ids_find(&s->ids, o->id);
    return k != NO_VALUE && !s->values.at[k].type->tensor ? &s->values.at[k] : NULL;
}

static tn_status resolve_operands(lowering *l, const ptir_inst *inst, operands *to)
{
    size_t room = 1;
    for (uint32_t i = 0; i < inst->n_in; i++) {
        const lowered *tuple = whole_tuple(l, inst, &inst->in[i]);
        room += tuple ? tuple->n + 1 : 1;
    }
    *to = (operands){.in = arena_alloc(l->memory, room * sizeof *to->in),
                     .types = arena_alloc(l->memory, room * sizeof *to->types),
                     .ok = true};
    if (!to->in || !to->types)
        return ptir_lower_no_memory(l);
    l->where.in = to->types;
    l->where.n_in = 0;
    for (uint32_t i = 0; i < inst->n_in; i++) {
        const ptir_operand *o = &inst->in[i];
        const lowered *tuple = whole_tuple(l, inst, o);
        value_id v = NO_VALUE;
        if (tuple && tuple->faulty) {
            to->ok = false;
            continue;
        }
        for (uint32_t k = 0; tuple && k < tuple->n; k++)
            push_operand(l, to, tuple->first + k);
        if (tuple)
            continue;
        if (o->kind == PTIR_LITERAL)
            TN_TRY(add_literal(l, o->literal, o->at, PTIR_INLINE, &v));
        else if (o->kind != PTIR_FAULTY)
            v = named_value(l, o);
        push_operand(l, to, v);
    }
    return TN_OK;
}

/* ---- instructions -------------------------------------------------------------------------- */

tn_status ptir_lower_number(lowering *l, uint32_t id, const char **name)
{
    char text[16];
    if (id == l->scope->f->values.n)
        return TN_OK;
    const int n = snprintf(text, sizeof text, "%%%" PRIu32, id);
    *name = module_string(l->m, text, (size_t)n);
    return *name ? TN_OK : ptir_lower_no_memory(l);
}

/* Add the node of INST on its operands; *OK is false after a fault. */
static tn_status add_node(lowering *l, const ptir_inst *inst, const operands *in, lowered *v,
                          bool *ok)
{
    function *f = l->scope->f;
    node_desc desc = {.in = in->in,
                      .n_in = in->n,
                      .at = inst->at,
                      .name = inst->name,
                      .number = inst->id,
                      .place = l->where.index + 1,
                      .spelling = !inst->out.tensor && inst->out.n == 1 ? PTIR_ONE_TUPLE : 0};
    *ok = false;
    if (!desc.name)
        TN_TRY(ptir_lower_number(l, inst->id, &desc.name));
    TN_TRY(ptir_lower_attrs(l, inst, in->types, in->n, &desc.op, &desc.attrs));
    if (!desc.attrs || !ptir_lower_check(l, inst, desc.op, in->types, in->n))
        return TN_OK;
    tn_status s = function_add(f, &desc, &v->first);
    if (ptir_lower_is_fatal(s))
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
    operands in;
    bool ok = false;
    TN_TRY(ptir_lower_enough(l));
    TN_TRY(resolve_operands(l, inst, &in));
    if (in.ok && inst->op != PTIR_OP_COUNT)
        TN_TRY(add_node(l, inst, &in, &v, &ok));
    tn_status s = ok ? ptir_lower_add(l, inst->id, inst->id_at, v)
                     : ptir_lower_stand_in(l, inst->id, inst->id_at, v);
    l->where.in = NULL;
    l->where.n_in = 0;
    return s;
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
    if (number == NO_VALUE && !s->lost_ids)
        ptir_lower_fault(l, DIAG_UndefinedOutput, NULL, o->at,
                         "result %" PRIu32 " is value %" PRIu32 ", which nothing defines", k,
                         o->id);
    if (number == NO_VALUE)
        return TN_OK;
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
                         "result %" PRIu32 " is declared with another type than value %" PRIu32
                         " has",
                         k, o->id);
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
        ptir_lower_fault(
            l, from->stores_ids ? DIAG_UndefinedOutput : DIAG_RegionSignature, NULL, from->at,
            from->stores_ids ? "'results' declares %" PRIu32 " of the values, and 'result_ids' "
                               "returns %" PRIu32
                             : "the results are the last %" PRIu32
                               " instructions of the body, which has %" PRIu32,
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
    TN_TRY(ptir_lower_parameters(l));
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
                         "regions nested deeper than %" PRIu32 " level%s", l->m->cx->limits.nesting,
                         plural(l->m->cx->limits.nesting));
        return TN_OK;
    }
    const uint32_t faults = l->faults, stand_ins = l->stand_ins;
    l->regions[k] = REGION_OPEN;
    l->depth++;
    tn_status s = lower_function(l, from, l->m->functions.at[l->p->functions.n + k]);
    l->depth--;
    l->regions[k] = l->faults == faults && l->stand_ins == stand_ins ? REGION_DONE : REGION_FAULTY;
    return s;
}

/* ---- programs ------------------------------------------------------------------------------ */

static tn_status add_functions(lowering *l)
{
    const ptir_program *p = l->p;
    bool found = false;
    for (uint32_t i = 0; i < p->functions.n; i++) {
        const ptir_function *from = &p->functions.at[i];
        TN_TRY(ptir_lower_enough(l));
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
        char name[32];
        const uint64_t id = p->regions.at[k].region;
        TN_TRY(ptir_lower_enough(l));
        int n = snprintf(name, sizeof name, PTIR_REGION_PREFIX "%" PRIu64, id);
        function *f = module_add_function(l->m, name, (size_t)n);
        if (!f)
            return ptir_lower_no_memory(l);
        f->is_region = true;
        l->lost_regions = l->lost_regions || ptir_lower_find_region(l, id) != NO_VALUE;
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
            if (!ptir_lower_give_symbols(l, &from->parameters.at[k]))
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
