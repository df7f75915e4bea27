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
    /* By number: what it is made of, itself or another, and what that is shifted by. */
    uint8_t base[LOOP_NUMBERS], shift[LOOP_NUMBERS];
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

/* The constant by which I, of P, divides vectors; NULL: it does not. Compilers do that with
 * products, and one by one where it is a number that is read. */
static const loop_inst *vector_divisor(const loop_program *p, const loop_inst *i)
{
    if ((i->op != LOOP_SDIV && i->op != LOOP_UDIV) || i->type.lanes == 1)
        return NULL;
    const loop_inst *by = &p->at[i->in[1]];
    by = by->op == LOOP_SPLAT ? &p->at[by->in[0]] : by;
    return by->op == LOOP_CONST && !is_size(by) ? by : NULL;
}

static bool are_alike(const loop_program *p, const loop_program *q)
{
    if (p->n != q->n || p->n_tables != q->n_tables || p->n_buffers != q->n_buffers ||
        (p->n_tables && memcmp(p->tables, q->tables, p->n_tables) != 0))
        return false;
    for (loop_value v = 0; v < p->n; v++) {
        if (!is_alike(&p->at[v], &q->at[v]))
            return false;
        const loop_inst *by = vector_divisor(p, &p->at[v]);
        if (by && by->imm != vector_divisor(q, &q->at[v])->imm)
            return false;
    }
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
        const loop_inst *by = vector_divisor(p, i);
        h = by ? hash_mix(h, by->imm) : h;
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

/* Is constant V in each program what W is, times 2 to SHIFT? Sizes take other values later. */
static bool is_multiple(const numbering *s, loop_value v, loop_value w, uint32_t shift)
{
    const loop_inst *x = &s->p->at[v], *y = &s->p->at[w];
    bool is = x->type.elem == LOOP_I64 && y->type.elem == LOOP_I64 && !is_size(x) && !is_size(y);
    for (uint32_t k = 0; is && k < s->n_programs; k++)
        is = s->programs[k]->at[v].imm == s->programs[k]->at[w].imm << shift;
    return is;
}

/* The shift that makes number I of number K; 0: none does. */
static uint8_t shift_of(const numbering *s, uint32_t i, uint32_t k)
{
    enum { MOST = 3 };
    uint8_t shift = MOST;
    while (shift > 0 && (i == k || !is_multiple(s, s->first[i], s->first[k], shift)))
        shift--;
    return shift;
}

/* Find the numbers that are 2, 4 or 8 times another, as distances of rows are: addresses can say
 * so, and need no register for them. */
static void find_multiples(numbering *s)
{
    bool is_made[LOOP_NUMBERS] = {false};
    for (uint32_t i = 0; i < s->n_numbers; i++) {
        s->base[i] = (uint8_t)i;
        for (uint32_t k = 0; k < s->n_numbers; k++)
            is_made[i] = is_made[i] || shift_of(s, i, k) > 0;
    }
    for (uint32_t i = 0; i < s->n_numbers; i++)
        for (uint32_t k = 0; k < s->n_numbers && is_made[i] && s->base[i] == i; k++)
            if (!is_made[k] && shift_of(s, i, k) > 0) {
                s->base[i] = (uint8_t)k;
                s->shift[i] = shift_of(s, i, k);
            }
}

/* The most numbers that a loop without loops inside uses. */
static uint32_t count_inside(const numbering *s)
{
    _Static_assert(LOOP_NUMBERS <= 64, "a set of numbers is a word");
    uint64_t used = 0;      /* since the last FOR or END of one */
    uint64_t loops = 0;     /* bit by bit, by depth: is the region a loop? */
    bool is_inside = false; /* what comes is in a loop, and no loop was in it so far */
    uint32_t most = 0;
    for (loop_value v = 0; v < s->p->n; v++) {
        const loop_inst *i = &s->p->at[v];
        if (i->op == LOOP_FOR) {
            used = 0;
            is_inside = true;
        }
        for (unsigned k = 0; k < loop_op_operands((loop_op)i->op); k++)
            if (s->of[i->in[k]])
                used |= UINT64_C(1) << s->base[s->of[i->in[k]] - 1];
        if (i->op == LOOP_FOR || i->op == LOOP_IF)
            loops = loops << 1 | (i->op == LOOP_FOR);
        if (i->op != LOOP_END)
            continue;
        const uint32_t n = (uint32_t)__builtin_popcountll(used);
        if ((loops & 1) && is_inside && n > most)
            most = n;
        is_inside = is_inside && !(loops & 1);
        loops >>= 1;
    }
    return most;
}

/* The numbers by their places in the array. */
static void list_numbers(const numbering *s, loop_numbers *numbers)
{
    const uint32_t n_inside = count_inside(s);
    for (uint32_t k = 0; k < s->n_programs; k++) {
        numbers[k].n_inside = n_inside;
        for (uint32_t i = 0; i < s->n_numbers; i++)
            if (s->base[i] == i)
                numbers[k].at[numbers[k].n++] = s->programs[k]->at[s->first[i]].imm;
    }
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
    find_multiples(s);
    list_numbers(s, numbers);
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
    uint64_t at = 0;
    for (uint32_t i = 0; i < s->n_numbers; i++)
        if (s->base[i] == i) {
            loaded[i] = put_load(s, (loop_elem)s->p->at[s->first[i]].type.elem, base, at);
            at += 8;
        }
}

/* Number I, which stands in place of a constant. */
static loop_value put_number(numbering *s, uint32_t i, const loop_value *loaded)
{
    const loop_inst by = {.op = LOOP_CONST, .type = loop_type_of(LOOP_I64, 1), .imm = s->shift[i]};
    if (s->base[i] == i)
        return loaded[i];
    return put(s, (loop_inst){.op = LOOP_SHL,
                              .type = loop_type_of(LOOP_I64, 1),
                              .in = {loaded[s->base[i]], put(s, by)}});
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
    const loop_value number = put_number(s, s->of[v] - 1U, loaded);
    const loop_inst splat = {.op = LOOP_SPLAT, .type = i.type, .in = {number}};
    s->renamed[v] = i.type.lanes == 1 ? number : put(s, splat);
}

bool loop_with_numbers(const loop_program *const *programs, uint32_t n, uint32_t buffer,
                       arena *memory, const loop_program **out, loop_numbers *numbers)
{
    enum { PARAMS = 4, A_LOAD = 3, A_MULTIPLE = 2 };
    const loop_program *p = programs[0];
    numbering s = {
        .p = p, .programs = programs, .n_programs = n, .of = ARENA_ARRAY(memory, uint8_t, p->n)};
    loop_value loaded[LOOP_NUMBERS];
    *out = NULL;
    for (uint32_t k = 0; k < n; k++)
        numbers[k].n = numbers[k].n_inside = 0;
    if (!s.of)
        return false;
    if (!find_numbers(&s, numbers))
        return true;
    *out = p;
    if (s.n_numbers == 0)
        return true;
    loop_program *made = ARENA_NEW(memory, loop_program);
    s.at = ARENA_ARRAY(memory, loop_inst,
                       (size_t)A_MULTIPLE * p->n + (size_t)A_LOAD * (s.n_numbers + 1));
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
