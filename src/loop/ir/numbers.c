/* Make one program of two that differ in constants. */
#include <string.h>

#include "loop/ir/numbers.h"

typedef struct numbering {
    const loop_program *p;
    uint64_t other[LOOP_NUMBERS]; /* by number: its bits in the other program */
    uint8_t elem[LOOP_NUMBERS];
    uint32_t name[LOOP_NUMBERS]; /* of sizes; 0 for others */
    loop_numbers *numbers;
    uint8_t *of;   /* by value: 1 + its number; 0: none */
    loop_inst *at; /* of the program that is made */
    uint32_t n;
    loop_value *renamed; /* by value of P */
} numbering;

static bool is_size(const loop_inst *i)
{
    return i->op == LOOP_CONST && i->n_lanes > 0;
}

/* Are both the same but for the value of a constant? */
static bool is_alike(const loop_inst *x, const loop_inst *y)
{
    return x->op == y->op && x->type.elem == y->type.elem && x->type.lanes == y->type.lanes &&
           x->log_align == y->log_align && x->n_lanes == y->n_lanes &&
           memcmp(x->in, y->in, sizeof x->in) == 0 &&
           (x->imm == y->imm || (x->op == LOOP_CONST && x->type.elem != LOOP_MASK));
}

/* The number for X, which is Y in the other program; LOOP_NUMBERS when there are too many. */
static uint32_t number_of(numbering *s, const loop_inst *x, const loop_inst *y)
{
    loop_numbers *numbers = s->numbers;
    uint32_t i = 0;
    while (i < numbers->n && (s->elem[i] != x->type.elem || s->name[i] != x->n_lanes ||
                              numbers->at[i] != x->imm || s->other[i] != y->imm))
        i++;
    if (i == numbers->n && i < LOOP_NUMBERS) {
        s->elem[i] = x->type.elem;
        s->name[i] = x->n_lanes;
        numbers->at[i] = x->imm;
        s->other[i] = y->imm;
        numbers->n++;
    }
    return i;
}

static bool find_numbers(numbering *s, const loop_program *other)
{
    const loop_program *p = s->p;
    if (p->n != other->n || p->n_tables != other->n_tables || p->n_buffers != other->n_buffers ||
        (p->n_tables && memcmp(p->tables, other->tables, p->n_tables) != 0))
        return false;
    for (loop_value v = 0; v < p->n; v++) {
        const loop_inst *x = &p->at[v], *y = &other->at[v];
        if (!is_alike(x, y))
            return false;
        if (x->op != LOOP_CONST || (x->imm == y->imm && !is_size(x)))
            continue;
        const uint32_t i = number_of(s, x, y);
        if (i == LOOP_NUMBERS)
            return false;
        s->of[v] = (uint8_t)(i + 1);
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
    for (uint32_t i = 0; i < s->numbers->n; i++)
        loaded[i] = put_load(s, (loop_elem)s->elem[i], base, UINT64_C(8) * i);
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

bool loop_with_numbers(const loop_program *p, const loop_program *other, uint32_t buffer,
                       arena *memory, const loop_program **out, loop_numbers *numbers)
{
    enum { PARAMS = 4, A_LOAD = 3 };
    numbering s = {.p = p, .numbers = numbers, .of = ARENA_ARRAY(memory, uint8_t, p->n)};
    loop_value loaded[LOOP_NUMBERS];
    *out = NULL;
    numbers->n = 0;
    if (!s.of)
        return false;
    if (!find_numbers(&s, other)) {
        numbers->n = 0;
        return true;
    }
    *out = p;
    if (numbers->n == 0)
        return true;
    loop_program *made = ARENA_NEW(memory, loop_program);
    s.at = ARENA_ARRAY(memory, loop_inst, p->n + (size_t)A_LOAD * (numbers->n + 1));
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
