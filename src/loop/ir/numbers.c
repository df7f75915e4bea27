/* Make one program of several that differ in constants. */
#include <string.h>

#include "base/memory/hash.h"
#include "loop/ir/numbers.h"

typedef struct numbering {
    const loop_program *p;               /* the first of them */
    const loop_program *const *programs; /* all */
    uint32_t n_programs;
    loop_value first[LOOP_NUMBERS]; /* by number: a constant that is read from it */
    uint32_t n_numbers;
    uint8_t *of;   /* by value: 1 + its number; 0: none */
    loop_inst *at; /* of the program that is made */
    uint32_t n;
    loop_value *renamed; /* by value of P */
} numbering;

static bool is_size(const loop_inst *i)
{
    return i->op == LOOP_CONST && i->n_lanes > 0;
}

/* May the value of this constant be a number? */
static bool may_differ(const loop_inst *i)
{
    return i->op == LOOP_CONST && i->type.elem != LOOP_MASK;
}

/* Are both the same but for the value of a constant? */
static bool is_alike(const loop_inst *x, const loop_inst *y)
{
    return x->op == y->op && x->type.elem == y->type.elem && x->type.lanes == y->type.lanes &&
           x->log_align == y->log_align && x->n_lanes == y->n_lanes &&
           memcmp(x->in, y->in, sizeof x->in) == 0 && (x->imm == y->imm || may_differ(x));
}

static bool are_alike(const loop_program *p, const loop_program *q)
{
    if (p->n != q->n || p->n_tables != q->n_tables || p->n_buffers != q->n_buffers ||
        (p->n_tables && memcmp(p->tables, q->tables, p->n_tables) != 0))
        return false;
    for (loop_value v = 0; v < p->n; v++)
        if (!is_alike(&p->at[v], &q->at[v]))
            return false;
    return true;
}

bool loop_has_sizes(const loop_program *p)
{
    bool has = false;
    for (loop_value v = 0; v < p->n && !has; v++)
        has = is_size(&p->at[v]);
    return has;
}

const loop_program *loop_without_sizes(const loop_program *p, arena *memory)
{
    if (!loop_has_sizes(p))
        return p;
    loop_program *made = ARENA_NEW(memory, loop_program);
    loop_inst *at = ARENA_ARRAY(memory, loop_inst, p->n);
    if (!made || !at)
        return NULL;
    memcpy(at, p->at, p->n * sizeof *at);
    for (loop_value v = 0; v < p->n; v++)
        at[v].n_lanes = is_size(&at[v]) ? 0 : at[v].n_lanes;
    *made = *p;
    made->at = at;
    return made;
}

uint64_t loop_shape_hash(const loop_program *p)
{
    uint64_t h = hash_bytes(p->n_buffers, p->tables, p->n_tables);
    for (loop_value v = 0; v < p->n; v++) {
        const loop_inst *i = &p->at[v];
        h = hash_mix(h, (uint64_t)i->op << 24 | (uint64_t)i->type.elem << 16 |
                            (uint64_t)i->type.lanes << 8 | i->log_align);
        h = hash_mix(h, (uint64_t)i->in[0] << 32 | i->in[1]);
        h = hash_mix(h, (uint64_t)i->in[2] << 32 | i->n_lanes);
        h = may_differ(i) ? h : hash_mix(h, i->imm);
    }
    return h;
}

/* Has constant V the same value in all programs? */
static bool is_same_in_all(const numbering *s, loop_value v)
{
    for (uint32_t k = 1; k < s->n_programs; k++)
        if (s->programs[k]->at[v].imm != s->p->at[v].imm)
            return false;
    return true;
}

/* Are the constants V and W equal to each other in each program? */
static bool are_equal(const numbering *s, loop_value v, loop_value w)
{
    const loop_inst *x = &s->p->at[v], *y = &s->p->at[w];
    bool equal = x->type.elem == y->type.elem && x->n_lanes == y->n_lanes;
    for (uint32_t k = 0; equal && k < s->n_programs; k++)
        equal = s->programs[k]->at[v].imm == s->programs[k]->at[w].imm;
    return equal;
}

/* The number for constant V; LOOP_NUMBERS when there are too many. */
static uint32_t number_of(numbering *s, loop_value v)
{
    uint32_t i = 0;
    while (i < s->n_numbers && !are_equal(s, s->first[i], v))
        i++;
    if (i == s->n_numbers && i < LOOP_NUMBERS)
        s->first[s->n_numbers++] = v;
    return i;
}

static bool find_numbers(numbering *s, loop_numbers *numbers)
{
    for (uint32_t k = 1; k < s->n_programs; k++)
        if (!are_alike(s->p, s->programs[k]))
            return false;
    for (loop_value v = 0; v < s->p->n; v++) {
        const loop_inst *x = &s->p->at[v];
        if (!may_differ(x) || (!is_size(x) && is_same_in_all(s, v)))
            continue;
        const uint32_t i = number_of(s, v);
        if (i == LOOP_NUMBERS)
            return false;
        s->of[v] = (uint8_t)(i + 1);
    }
    for (uint32_t k = 0; k < s->n_programs; k++) {
        numbers[k].n = s->n_numbers;
        for (uint32_t i = 0; i < s->n_numbers; i++)
            numbers[k].at[i] = s->programs[k]->at[s->first[i]].imm;
    }
    return true;
}

static loop_value put(numbering *s, loop_inst i)
{
    s->at[s->n] = i;
    return s->n++;
}

static loop_value put_load(numbering *s, loop_elem elem, loop_value base, uint64_t offset)
{
    const loop_inst bytes = {.op = LOOP_CONST, .type = loop_type_of(LOOP_I64, 1), .imm = offset};
    const loop_inst at = {
        .op = LOOP_OFFSET, .type = loop_type_of(LOOP_PTR, 1), .in = {base, put(s, bytes)}};
    const loop_inst load = {
        .op = LOOP_LOAD, .type = loop_type_of(elem, 1), .log_align = 3, .in = {put(s, at)}};
    return put(s, load);
}

/* All numbers are read at the start, so that nothing stored later seems to change them. */
static void put_numbers(numbering *s, uint32_t buffer, loop_value *loaded)
{
    const loop_value base = put_load(s, LOOP_PTR, LOOP_BUFFERS, UINT64_C(8) * buffer);
    for (uint32_t i = 0; i < s->n_numbers; i++)
        loaded[i] = put_load(s, (loop_elem)s->p->at[s->first[i]].type.elem, base, UINT64_C(8) * i);
}

static void put_inst(numbering *s, loop_value v, const loop_value *loaded)
{
    loop_inst i = s->p->at[v];
    if (!s->of[v]) {
        for (unsigned k = 0; k < loop_op_operands((loop_op)i.op); k++)
            i.in[k] = s->renamed[i.in[k]];
        s->renamed[v] = put(s, i);
        return;
    }
    const loop_value number = loaded[s->of[v] - 1];
    const loop_inst splat = {.op = LOOP_SPLAT, .type = i.type, .in = {number}};
    s->renamed[v] = i.type.lanes == 1 ? number : put(s, splat);
}

bool loop_with_numbers(const loop_program *const *programs, uint32_t n, uint32_t buffer,
                       arena *memory, const loop_program **out, loop_numbers *numbers)
{
    enum { PARAMS = 4, A_LOAD = 3 };
    const loop_program *p = programs[0];
    numbering s = {
        .p = p, .programs = programs, .n_programs = n, .of = ARENA_ARRAY(memory, uint8_t, p->n)};
    loop_value loaded[LOOP_NUMBERS];
    *out = NULL;
    for (uint32_t k = 0; k < n; k++)
        numbers[k].n = 0;
    if (!s.of)
        return false;
    if (!find_numbers(&s, numbers))
        return true;
    *out = p;
    if (s.n_numbers == 0)
        return true;
    loop_program *made = ARENA_NEW(memory, loop_program);
    s.at = ARENA_ARRAY(memory, loop_inst, p->n + (size_t)A_LOAD * (s.n_numbers + 1));
    s.renamed = ARENA_ARRAY(memory, loop_value, p->n);
    if (!made || !s.at || !s.renamed)
        return false;
    for (loop_value v = 0; v < p->n; v++) {
        if (v == PARAMS)
            put_numbers(&s, buffer, loaded);
        put_inst(&s, v, loaded);
    }
    *made = *p;
    made->at = s.at;
    made->n = s.n;
    made->n_buffers = buffer < made->n_buffers ? made->n_buffers : buffer + 1;
    made->scratch_bytes = 0; /* a number, too: the caller's */
    *out = made;
    return true;
}
