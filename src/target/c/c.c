/* Loop programs as C17 with the vector types of gcc and clang: the statements. */
#include <inttypes.h>

#include "target/c/print.h"
#include "target/target.h"

static void put(c_printer *c, const char *text)
{
    text_puts(c->out, text);
}

static void indent(c_printer *c)
{
    text_fill(c->out, ' ', 4 * (size_t)c->depth);
}

static void put_definition(c_printer *c, loop_value v)
{
    const loop_inst *i = &c->program->at[v];
    if (i->op == LOOP_LOCAL) {
        text_printf(c->out, "_Alignas(%d) char ", LOOP_ALIGN);
        c_put_name(c, v);
        text_printf(c->out, "[%" PRIu64 "];\n", i->imm);
        return;
    }
    if (i->type.elem == LOOP_PTR) {
        put(c, i->op == LOOP_VAR ? "char *" : "char *const ");
    } else {
        put(c, i->op == LOOP_VAR ? "" : "const ");
        c_put_type(c, c_kind_of_value(c, v), i->type.lanes);
        put(c, " ");
    }
    c_put_name(c, v);
    put(c, " = ");
    c_put_expression(c, v);
    put(c, ";\n");
}

/* `x = x` would be warned of; it comes from a GET of the same variable. */
static bool is_idle(const c_printer *c, const loop_inst *set)
{
    return c->values[set->in[1]].form == C_ALIAS && c->program->at[set->in[1]].in[0] == set->in[0];
}

static void put_set(c_printer *c, const loop_inst *i)
{
    c_put_name(c, i->in[0]);
    put(c, " = ");
    c_put_assigned(c, i->in[0], i->in[1]);
    put(c, ";\n");
}

static void put_store(c_printer *c, const loop_inst *i)
{
    const loop_inst *x = &c->program->at[i->in[1]];
    c_put_access(c, x->type, i->in[0], false);
    put(c, " = ");
    if (x->op == LOOP_SEXT && x->type.lanes == 1) /* gcc warns of the sign else */
        text_printf(c->out, "(%s_m)", c_kind_name(c_kind_of((loop_elem)x->type.elem)));
    c_put_assigned(c, i->in[1], i->in[1]);
    put(c, ";\n");
}

static void put_store_first(c_printer *c, const loop_inst *i)
{
    const loop_type t = c->program->at[i->in[1]].type;
    if (t.lanes == 1) {
        put(c, "if (");
        c_put_whole(c, i->in[2]);
        put(c, ")\n");
        c->depth++;
        indent(c);
        c->depth--;
        put_store(c, i);
        return;
    }
    const c_kind kind = c_kind_of((loop_elem)t.elem);
    c->needs->store_first[kind] = true;
    text_printf(c->out, "store_first_%s(", c_kind_name(kind));
    c_put_whole(c, i->in[0]);
    put(c, ", ");
    c_put_operand(c, i->in[1], false);
    put(c, ", ");
    c_put_operand(c, i->in[2], false);
    put(c, ");\n");
}

static void put_for(c_printer *c, loop_value v)
{
    const loop_inst *i = &c->program->at[v];
    put(c, "for (s64 ");
    c->needs->of[C_TYPE][C_S64][0] = true;
    c_put_name(c, v);
    put(c, " = ");
    c_put_signed(c, i->in[0]);
    put(c, "; ");
    c_put_name(c, v);
    put(c, " < ");
    c_put_signed(c, i->in[1]);
    put(c, "; ");
    c_put_name(c, v);
    text_printf(c->out, " += %" PRIu64 ") {\n", i->imm);
}

/* An instruction that is a statement. */
static void put_statement(c_printer *c, loop_value v)
{
    const loop_inst *i = &c->program->at[v];
    switch ((int)i->op) {
    case LOOP_STORE:
    case LOOP_STORE_NONTEMPORAL:
        put_store(c, i);
        break;
    case LOOP_STORE_FIRST:
        put_store_first(c, i);
        break;
    case LOOP_PREFETCH:
        put(c, "__builtin_prefetch(");
        c_put_whole(c, i->in[0]);
        put(c, ");\n");
        break;
    case LOOP_SET:
        put_set(c, i);
        break;
    case LOOP_FOR:
        put_for(c, v);
        break;
    case LOOP_IF:
        put(c, "if (");
        c_put_whole(c, i->in[0]);
        put(c, ") {\n");
        break;
    case LOOP_ELSE:
        put(c, "} else {\n");
        break;
    case LOOP_END:
        put(c, "}\n");
        break;
    case LOOP_POLL:
        put(c, "{\n");
        indent(c);
        put(c, "    void *const watch = ");
        c_put_whole(c, i->in[0]);
        put(c, ";\n");
        indent(c);
        put(c, "    const int32_t stop = (*(int32_t (**)(void *))watch)(watch);\n");
        indent(c);
        put(c, "    if (stop != 0)\n");
        indent(c);
        put(c, "        return stop;\n");
        indent(c);
        put(c, "}\n");
        break;
    case LOOP_FAIL:
        put(c, "if (");
        c_put_whole(c, i->in[0]);
        text_printf(c->out, ")\n%*sstatus = %" PRId32 ";\n", 4 * (int)c->depth + 4, "",
                    (int32_t)(uint32_t)i->imm);
        break;
    default:
        put_definition(c, v);
        break;
    }
}

static void put_body(c_printer *c)
{
    for (loop_value v = 0; v < c->program->n; v++) {
        const loop_inst *i = &c->program->at[v];
        if (c->values[v].form != C_NAMED || i->op == LOOP_PARAM ||
            (i->op == LOOP_SET && is_idle(c, i)))
            continue;
        if (i->op == LOOP_ELSE || i->op == LOOP_END)
            c->depth--;
        indent(c);
        put_statement(c, v);
        if (i->op == LOOP_FOR || i->op == LOOP_IF || i->op == LOOP_ELSE)
            c->depth++;
    }
}

static void put_function(c_printer *c, const char *name, bool is_extern)
{
    static const char *const params[] = {"buffers", "begin", "end", "scratch"};
    static const char *const signature =
        "(char *const *buffers, int64_t begin, int64_t end, char *scratch)";
    bool is_used[4] = {false}, fails = false;

    for (loop_value v = 0; v < c->program->n; v++) {
        const loop_inst *i = &c->program->at[v];
        if (i->op == LOOP_PARAM && i->imm < 4 && c->values[v].n_uses > 0)
            is_used[i->imm] = true;
        fails = fails || i->op == LOOP_FAIL;
    }
    if (is_extern)
        text_printf(c->out, "int32_t %s%s;\n", name, signature);
    text_printf(c->out, "%sint32_t %s%s\n{\n", is_extern ? "" : "static ", name, signature);
    for (unsigned k = 0; k < 4; k++)
        if (!is_used[k])
            text_printf(c->out, "    (void)%s;\n", params[k]);
    if (fails)
        put(c, "    int32_t status = 0;\n");
    c->depth = 1;
    put_body(c);
    text_printf(c->out, "    return %s;\n}\n", fails ? "status" : "0");
}

void target_c(const target_function *functions, size_t n, bool is_extern, text_buffer *out)
{
    c_needs needs = {0};
    text_buffer body;
    arena memory;

    arena_init(&memory, out->allocator);
    text_init(&body, out->allocator);
    for (size_t k = 0; k < n && !body.failed; k++) {
        const arena_mark mark = arena_here(&memory);
        c_printer c = {.program = functions[k].program,
                       .values = ARENA_ARRAY(&memory, c_value, functions[k].program->n),
                       .out = &body,
                       .needs = &needs};
        if (!c.values) {
            body.failed = true;
            break;
        }
        c_analyse(c.program, c.values);
        text_puts(&body, k ? "\n" : "");
        put_function(&c, functions[k].name, is_extern);
        arena_rewind(&memory, mark);
    }
    c_put_prelude(&needs, out);
    text_put(out, body.at, body.failed ? 0 : body.n);
    if (body.failed)
        (void)text_grow(out, SIZE_MAX); /* no memory here is none there */
    text_release(&body);
    arena_release(&memory);
}
