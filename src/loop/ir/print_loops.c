/* Loop programs as text, and as keys of caches. */
#include <inttypes.h>
#include <string.h>

#include "loop/ir/loop.h"

static void print_operands(const loop_program *p, const loop_inst *i, text_buffer *out)
{
    for (unsigned k = 0; k < loop_op_operands((loop_op)i->op); k++)
        text_printf(out, "%s%%%" PRIu32, k ? ", " : " ", i->in[k]);
    switch ((int)i->op) {
    case LOOP_CONST:
        text_printf(out, i->log_align ? " 0x%" PRIx64 " loaded" : " 0x%" PRIx64, i->imm);
        break;
    case LOOP_PARAM:
    case LOOP_LANE:
    case LOOP_LOCAL:
    case LOOP_FAIL:
        text_printf(out, " %" PRIu64, i->imm);
        break;
    case LOOP_FOR:
        text_printf(out, " step %" PRIu64, i->imm);
        break;
    case LOOP_SHUFFLE:
        for (uint32_t k = 0; k < i->n_lanes; k++)
            text_printf(out, " %u", p->tables[i->imm + k]);
        break;
    case LOOP_LOAD:
    case LOOP_LOAD_FIRST:
    case LOOP_STORE:
    case LOOP_STORE_FIRST:
        text_printf(out, " align %u", 1u << i->log_align);
        break;
    default:
        break;
    }
}

void loop_print(const loop_program *p, text_buffer *out)
{
    unsigned depth = 0;
    for (uint32_t v = 0; v < p->n; v++) {
        const loop_inst *i = &p->at[v];
        if (i->op == LOOP_ELSE || i->op == LOOP_END)
            depth--;
        for (unsigned k = 0; k < 2 * depth; k++)
            text_puts(out, " ");
        if (i->type.elem != LOOP_NONE)
            text_printf(out, "%%%" PRIu32 " = ", v);
        text_puts(out, loop_op_name((loop_op)i->op));
        if (i->type.elem != LOOP_NONE && i->type.lanes == 1)
            text_printf(out, ".%s", loop_elem_name((loop_elem)i->type.elem));
        else if (i->type.elem != LOOP_NONE)
            text_printf(out, ".%sx%u", loop_elem_name((loop_elem)i->type.elem), i->type.lanes);
        print_operands(p, i, out);
        text_puts(out, "\n");
        if (i->op == LOOP_FOR || i->op == LOOP_IF || i->op == LOOP_ELSE)
            depth++;
    }
}

/* Instructions are stored field by field, without padding. */
enum { KEY_HEAD = 24, KEY_INST = 4 + 4 + 3 * 4 + 8 };

static char *put(char *to, const void *from, size_t n)
{
    memcpy(to, from, n);
    return to + n;
}

const void *loop_key(const loop_program *p, arena *memory, size_t *bytes)
{
    *bytes = KEY_HEAD + (size_t)p->n * KEY_INST + p->n_tables;
    char *key = arena_alloc(memory, *bytes), *at = key;
    if (!key)
        return NULL;
    at = put(at, &p->n, 4);
    at = put(at, &p->n_tables, 4);
    at = put(at, &p->n_buffers, 4);
    at = put(at, &(uint32_t){0}, 4);
    at = put(at, &p->scratch_bytes, 8);
    for (uint32_t v = 0; v < p->n; v++) {
        const loop_inst *i = &p->at[v];
        at = put(at, (const uint8_t[]){i->op, i->type.elem, i->type.lanes, i->log_align}, 4);
        at = put(at, &i->n_lanes, 4);
        at = put(at, i->in, 12);
        at = put(at, &i->imm, 8);
    }
    if (p->n_tables)
        (void)put(at, p->tables, p->n_tables);
    return key;
}
