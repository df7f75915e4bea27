/* Loop programs as C11 with the vector types of gcc and clang: the statements. */
#include <inttypes.h>

#include "loop/ir/narrow.h"
#include "target/c/print.h"

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

static void put_stream(c_printer *c, const loop_inst *i)
{
    const loop_type t = c->program->at[i->in[1]].type;
    c_put_helper(c, "stream_", C_STREAM, c_kind_of((loop_elem)t.elem), t.lanes);
    c_put(c, "(");
    c_put_whole(c, i->in[0]);
    c_put(c, ", ");
    c_put_operand(c, i->in[1], false);
    c_put(c, ");\n");
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
    c_put_helper(c, "store_first_", C_STORE_FIRST, c_kind_of((loop_elem)t.elem), t.lanes);
    c_put(c, "(");
    c_put_whole(c, i->in[0]);
    put(c, ", ");
    c_put_operand(c, i->in[1], false);
    put(c, ", ");
    c_put_operand(c, i->in[2], false);
    put(c, ");\n");
}

/* Is the loop V known to have one iteration, which nothing leaves? */
static bool runs_once(const c_printer *c, loop_value v)
{
    const loop_inst *i = &c->program->at[v];
    const loop_inst *first = c_inst(c, i->in[0]), *end = c_inst(c, i->in[1]);
    const int64_t from = (int64_t)first->imm, to = (int64_t)end->imm;
    if (first->op != LOOP_CONST || end->op != LOOP_CONST || from >= to ||
        (uint64_t)to - (uint64_t)from > i->imm)
        return false;
    uint32_t open = 1;
    for (loop_value k = v + 1; open > 0; k++) {
        const loop_op op = (loop_op)c->program->at[k].op;
        if (op == LOOP_LEAVE)
            return false;
        open += op == LOOP_FOR || op == LOOP_IF;
        open -= op == LOOP_END;
    }
    return true;
}

/* A loop of one iteration is its body: gcc 12 at -O3 may leave what it changes as it was. */
static void put_once(c_printer *c, loop_value v)
{
    put(c, "{\n");
    if (c->values[v].n_uses == 0)
        return;
    indent(c);
    put(c, "    const s64 ");
    c_put_name(c, v);
    put(c, " = ");
    c_put_signed(c, c->program->at[v].in[0]);
    put(c, ";\n");
    c->needs->of[C_TYPE][C_S64][0] = true;
}

static void put_for(c_printer *c, loop_value v)
{
    const loop_inst *i = &c->program->at[v];
    if (runs_once(c, v)) {
        put_once(c, v);
        return;
    }
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
        put_store(c, i);
        break;
    case LOOP_STORE_NONTEMPORAL:
        if (c->program->at[i->in[1]].type.lanes > 1)
            put_stream(c, i);
        else
            put_store(c, i);
        break;
    case LOOP_STORE_FIRST:
        put_store_first(c, i);
        break;
    case LOOP_PREFETCH:
    case LOOP_PREFETCH_FAR:
        put(c, "__builtin_prefetch(");
        c_put_whole(c, i->in[0]);
        put(c, i->op == LOOP_PREFETCH_FAR ? ", 0, 2);\n" : ");\n");
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
    case LOOP_LEAVE:
        put(c, "if (");
        c_put_whole(c, i->in[0]);
        text_printf(c->out, ")\n%*sbreak;\n", 4 * (int)c->depth + 4, "");
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

static void put_function(c_printer *c, const char *name, const char *suffix, bool is_extern)
{
    static const char *const params[] = {"buffers", "begin", "end", "scratch"};
    static const char *const signature =
        "(char *const *buffers, int64_t begin, int64_t end, char *scratch)";
    bool is_used[4] = {false}, fails = false, streams = false;

    for (loop_value v = 0; v < c->program->n; v++) {
        const loop_inst *i = &c->program->at[v];
        if (i->op == LOOP_PARAM && i->imm < 4 && c->values[v].n_uses > 0)
            is_used[i->imm] = true;
        fails = fails || i->op == LOOP_FAIL;
        streams = streams || i->op == LOOP_STORE_NONTEMPORAL;
    }
    if (is_extern)
        text_printf(c->out, "int32_t %s%s%s;\n", name, suffix, signature);
    text_printf(c->out, "%sint32_t %s%s%s\n{\n", is_extern ? "" : "static ", name, suffix,
                signature);
    for (unsigned k = 0; k < 4; k++)
        if (!is_used[k])
            text_printf(c->out, "    (void)%s;\n", params[k]);
    if (fails)
        put(c, "    int32_t status = 0;\n");
    c->depth = 1;
    put_body(c);
    if (streams && c->level != C_ANY)
        put(c, "    _mm_sfence(); /* other threads see what was streamed after this */\n");
    text_printf(c->out, "    return %s;\n}\n", fails ? "status" : "0");
}

static uint32_t register_bytes(c_level level)
{
    return level == C_V4 ? 64 : level == C_V3 ? 32 : 16;
}

void c_put_functions(const target_function *functions, size_t n, bool is_extern, c_level level,
                     const char *suffix, c_needs *needs, text_buffer *body)
{
    arena memory;
    arena_init(&memory, body->allocator);
    for (size_t k = 0; k < n && !body->failed; k++) {
        const arena_mark mark = arena_here(&memory);
        c_printer c = {.out = body, .needs = needs, .level = level};
        c.program = loop_narrow(functions[k].program, register_bytes(level), &memory);
        c.program = c.program ? c_schedule(c.program, &memory) : NULL;
        c.values = c.program ? ARENA_ARRAY(&memory, c_value, c.program->n) : NULL;
        if (!c.values) {
            (void)text_grow(body, SIZE_MAX); /* no memory here is none there */
            break;
        }
        c_analyse(c.program, c.values);
        text_puts(body, k ? "\n" : "");
        put_function(&c, functions[k].name, suffix, is_extern);
        arena_rewind(&memory, mark);
    }
    arena_release(&memory);
}

void target_c(const target_function *functions, size_t n, bool is_extern, int level,
              text_buffer *out)
{
    c_needs needs = {0};
    text_buffer body;
    text_init(&body, out->allocator);
    c_put_functions(functions, n, is_extern, (c_level)level, "", &needs, &body);
    c_put_intro(out);
    c_put_types(&needs, out);
    c_put_helpers(&needs, (c_level)level, false, out);
    text_put(out, body.at, body.failed ? 0 : body.n);
    if (body.failed)
        (void)text_grow(out, SIZE_MAX);
    text_release(&body);
}
