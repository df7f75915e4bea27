/* The blocks of an executable as blocks of a program. */
#include <stdarg.h>
#include <string.h>

#include "compile/aot/aot.h"
#include "graph/literal.h"

/* ---- buffers ---- */

static uint32_t constant_of(aot *a, const exe_buffer_info *info, bool *failed)
{
    const uint64_t h = hash_mix(hash_mix(0, (uint64_t)(uintptr_t)info->data), info->bytes);
    const target_constant c = {info->data, info->bytes, NULL};
    for (uint32_t p = hash_first(&a->by_data, h), i;
         (i = hash_at(&a->by_data, h, &p)) != HASH_NONE;)
        if (a->constants.at[i].bytes == c.bytes && a->constants.at[i].n_bytes == c.n_bytes)
            return i;
    if (!VECTOR_PUSH_INDEXED(a->allocator, &a->constants, c, &a->by_data, h)) {
        *failed = true;
        return 0;
    }
    return a->constants.n - 1;
}

target_buffer aot_place(aot_block *k, uint32_t v)
{
    uint64_t offset;
    const exe_buffer_info *info = &k->b->buffers.at[exe_root(k->b, v, &offset)];
    switch (info->kind) {
    case IS_INPUT: /* one that an output changes in place was copied there first */
        for (uint32_t o = 0; k->b->has_updates && o < k->b->n_outputs; o++)
            if (k->b->update[o] == info->index)
                return (target_buffer){TARGET_OUTPUT, o, offset};
        return (target_buffer){TARGET_INPUT, info->index, offset};
    case IS_OUTPUT:
        return (target_buffer){TARGET_OUTPUT, info->index, offset};
    case IS_CONSTANT:
        return (target_buffer){TARGET_CONSTANT, constant_of(k->a, info, &k->failed), offset};
    case IS_TEMP:
    case IS_VIEW:
        break;
    }
    return (target_buffer){TARGET_WORKSPACE, 0, k->b->frame + info->offset + offset};
}

void aot_step(aot_block *k, target_step step, const target_buffer *at, uint32_t n)
{
    aot *a = k->a;
    uint32_t *numbers = ARENA_ARRAY(&a->memory, uint32_t, n);
    for (uint32_t i = 0; numbers && i < n; i++) {
        numbers[i] = a->buffers.n;
        k->failed = k->failed || !VECTOR_PUSH(a->allocator, &a->buffers, at[i]);
    }
    step.buffers = numbers;
    step.n_buffers = n;
    k->failed = k->failed || !numbers || !VECTOR_PUSH(a->allocator, &a->steps, step);
}

void aot_copy(aot_block *k, target_buffer from, target_buffer to, uint64_t bytes)
{
    const target_buffer both[] = {from, to};
    if (bytes > 0 && memcmp(&from, &to, sizeof from) != 0)
        aot_step(k, (target_step){.kind = TARGET_COPY, .bytes = bytes}, both, 2);
}

void aot_copy_buffer(aot_block *k, uint32_t from, uint32_t to, uint64_t bytes)
{
    const target_buffer a = aot_place(k, from), b = aot_place(k, to);
    aot_copy(k, a, b, bytes);
}

/* Which of the first N buffers P looks at (loop_buffer); the others need not be there. */
static void find_read(const loop_program *p, bool *is_read, uint32_t n)
{
    for (loop_value v = 0; v < p->n; v++) {
        uint64_t offset = 0;
        if (p->at[v].op != LOOP_LOAD || p->at[v].type.elem != LOOP_PTR)
            continue;
        const loop_inst *from = &p->at[p->at[v].in[0]];
        if (from->op == LOOP_OFFSET) {
            offset = p->at[from->in[1]].imm;
            from = &p->at[from->in[0]];
        }
        if (from->op == LOOP_PARAM && from->imm == LOOP_BUFFERS && offset / 8 < n)
            is_read[offset / 8] = true;
    }
}

/* Run function INDEX on the buffers of S; its EXTENT can be cut into PIECES. */
static void add_call(aot_block *k, const exe_step_info *s, uint32_t index, uint32_t first,
                     int64_t extent, int64_t pieces)
{
    const uint32_t n = s->as.n_read + s->as.n_written - first;
    target_buffer *at = ARENA_ARRAY(&k->a->memory, target_buffer, n);
    bool *is_read = ARENA_ARRAY(&k->a->memory, bool, n);
    k->failed = k->failed || !at || !is_read;
    if (k->failed)
        return;
    find_read(k->a->functions.at[index].program, is_read, n);
    for (uint32_t i = 0; i < n; i++)
        if (is_read[i])
            at[i] = aot_place(k, s->as.buffers[first + i]);
        else
            at[i] = (target_buffer){TARGET_NOTHING, 0, 0};
    const target_step step = {
        .kind = TARGET_KERNEL, .index = index, .extent = extent, .pieces = pieces};
    if (extent > 0)
        aot_step(k, step, at, n);
}

/* ---- constants of one element ---- */

/* Fills buffer 0 with elements of SIZE bytes: at most 8, or two halves of 8. */
static const loop_program *filling(const void *one, size_t size, arena *memory)
{
    static const loop_elem elems[] = {
        [1] = LOOP_I8, [2] = LOOP_I16, [4] = LOOP_I32, [8] = LOOP_I64};
    const size_t part = size > 8 ? 8 : size;
    const uint32_t lanes = size > 8 ? 1 : (uint32_t)(64 / part);
    const loop_type t = loop_type_of(elems[part], lanes);
    loop_builder b;
    loop_init(&b, memory);
    const loop_value end = loop_param_value(&b, LOOP_END_AT);
    const loop_value i = loop_for(&b, loop_param_value(&b, LOOP_BEGIN), end, (int64_t)lanes);
    const loop_value base = loop_buffer(&b, 0), each = loop_i64(&b, (int64_t)size);
    const loop_value p = loop_offset(&b, base, loop_binary(&b, LOOP_IMUL, i, each));
    const loop_value left = loop_binary(&b, LOOP_ISUB, end, i), most = loop_i64(&b, (int64_t)lanes);
    const loop_value n = loop_select(&b, loop_binary(&b, LOOP_ILT, left, most), left, most);
    for (size_t at = 0; at < size; at += part) {
        uint64_t bits = 0;
        memcpy(&bits, (const char *)one + at, part);
        const loop_value x = loop_const(&b, t, bits);
        if (lanes == 1)
            loop_store(&b, loop_at(&b, p, (int64_t)at), x, 1);
        else
            loop_store_first(&b, p, x, n, (uint32_t)part);
    }
    loop_end(&b);
    return loop_finish(&b);
}

/* The result of S is N times ONE, which has SIZE bytes. */
static void add_fill(aot_block *k, const exe_step_info *s, const void *one, size_t size, uint64_t n)
{
    aot *a = k->a;
    const target_function f = {arena_printf(&a->memory, "fill%u", (unsigned)a->functions.n),
                               filling(one, size, &a->memory)};
    if (!f.name || !f.program || !VECTOR_PUSH(a->allocator, &a->functions, f))
        k->failed = true;
    else
        add_call(k, s, a->functions.n - 1, s->as.n_read, (int64_t)n, 1);
}

static void add_constant(aot_block *k, const exe_step_info *s, const literal *l)
{
    const size_t size = dtype_bytes(l->type->dtype);
    add_fill(k, s, l->data, size, type_known_bytes(l->type) / size);
}

/* ---- inputs that may hold what is no element ---- */

/* Fails where a byte of buffer 0 is none of D, which has gaps. */
static const loop_program *checking(tn_dtype d, arena *memory)
{
    enum { LANES = 64 };
    const loop_type t = loop_type_of(LOOP_I8, LANES);
    loop_builder b;
    loop_init(&b, memory);
    const loop_value end = loop_param_value(&b, LOOP_END_AT);
    const loop_value none = loop_const(&b, t, 0), all = loop_var(&b, none);
    const loop_value lanes = loop_i64(&b, LANES);
    const uint8_t spare = (uint8_t)(0xffU << dtype_table[d].bits);
    const loop_value above = loop_const(&b, t, spare);
    const loop_value least = loop_const(&b, t, (uint8_t)dtype_int_min(d));
    const loop_value i = loop_for(&b, loop_param_value(&b, LOOP_BEGIN), end, LANES);
    const loop_value base = loop_buffer(&b, 0), p = loop_offset(&b, base, i);
    const loop_value left = loop_binary(&b, LOOP_ISUB, end, i), n = loop_min(&b, left, lanes);
    const loop_value loaded = loop_load_first(&b, t, p, n, 1);
    const loop_value x = dtype_is_signed(d) ? loop_binary(&b, LOOP_ISUB, loaded, least) : loaded;
    const loop_value before = loop_get(&b, all);
    loop_set(&b, all, loop_binary(&b, LOOP_OR, before, x));
    loop_end(&b);
    const loop_value seen = loop_get(&b, all), wrong = loop_binary(&b, LOOP_AND, seen, above);
    const loop_value right = loop_binary(&b, LOOP_IEQ, wrong, none);
    const loop_value fails = loop_unary(&b, LOOP_NOT, right);
    loop_fail(&b, loop_any(&b, fails), TARGET_OUT_OF_RANGE);
    return loop_finish(&b);
}

/* Before anything else, so that nothing is done. */
static void check_inputs(aot_block *k, const module *m)
{
    const function *f = module_entry(m);
    aot *a = k->a;
    for (uint32_t i = 0; i < f->inputs.n; i++) {
        size_t bytes;
        const type *t = value_type(f, f->inputs.at[i]);
        const target_buffer at = {TARGET_INPUT, i, 0};
        if (!dtype_has_gaps(t->dtype) || !type_bytes(t, &bytes) || bytes == 0)
            continue;
        const target_function check = {arena_printf(&a->memory, "check%u", (unsigned)i),
                                       checking(t->dtype, &a->memory)};
        if (!check.name || !check.program || !VECTOR_PUSH(a->allocator, &a->functions, check))
            k->failed = true;
        else
            aot_step(k,
                     (target_step){.kind = TARGET_KERNEL,
                                   .index = a->functions.n - 1,
                                   .extent = (int64_t)bytes,
                                   .pieces = 1},
                     &at, 1);
    }
}

/* ---- steps ---- */

/* NAME as part of an identifier. */
static const char *identifier(arena *memory, uint32_t number, const char *name)
{
    char *text = arena_printf(memory, "k%u_%.40s", (unsigned)number, name);
    for (char *p = text; p && *p; p++)
        if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9')))
            *p = '_';
    return text;
}

static void add_kernel(aot_block *k, const exe_step_info *s)
{
    target_function *f = &k->a->functions.at[s->as.code];
    if (!f->name)
        f->name = identifier(&k->a->memory, s->as.code, s->as.name ? s->as.name : "");
    k->failed = k->failed || !f->name;
    add_call(k, s, s->as.code, 0, s->as.extent, s->pieces);
}

static bool writes_something(const aot_block *k, const exe_step *s)
{
    for (uint32_t i = s->n_read; i < s->n_read + s->n_written; i++)
        if (k->b->buffers.at[s->buffers[i]].bytes > 0)
            return true;
    return false;
}

/* O may be of a copy of M that reports nothing. */
static tn_status report(const module *m, const step_origin *o, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static tn_status report(const module *m, const step_origin *o, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const tn_status s = node_vreport(o->f, o->n, &m->cx->diag, op_table[o->n->op].text,
                                     DIAG_NotImplemented, format, args);
    va_end(args);
    return s;
}

static bool has_kernels(const aot *a, const function *f)
{
    for (uint32_t i = 0; i < a->made.plan.m->functions.n; i++)
        if (a->made.plan.functions[i].f == f)
            return a->made.plan.functions[i].plans != NULL;
    return false;
}

static tn_status refuse(const aot *a, const module *m, const step_origin *o)
{
    const char *target = attr_string(o->n->attrs, KEY_TARGET);
    if (o->n->op == OP_CUSTOM_CALL)
        return report(m, o,
                      "the custom call '%s' runs a function of the process that registered it, "
                      "which code made ahead of time does not have",
                      target ? target : "");
    if (!has_kernels(a, o->f))
        return report(m, o,
                      "a tensor near '%s' is too large: it has more elements than anybody could "
                      "wait for",
                      op_table[o->n->op].text);
    return report(
        m, o,
        "only the library itself runs '%s': it has no compiled form, which code made ahead "
        "of time needs",
        op_table[o->n->op].text);
}

static tn_status add_step(aot_block *k, const module *m, const exe_step_info *s)
{
    const step_origin *o = s->as.what;
    switch (s->as.kind) {
    case EXE_KERNEL:
        add_kernel(k, s);
        break;
    case EXE_COPY:
        aot_copy_buffer(k, s->as.buffers[0], s->as.buffers[1], s->as.bytes);
        break;
    case EXE_COND:
        aot_cond(k, s);
        break;
    case EXE_WHILE:
        aot_while(k, s);
        break;
    case EXE_SCAN:
        aot_scan(k, s);
        break;
    case EXE_HOST:
        if (o->n->op == OP_CONSTANT)
            add_constant(k, s, literal_of(o->n));
        else if (exe_is_seed(&s->as))
            add_fill(k, s, &k->a->seed, sizeof k->a->seed, 1);
        else if (writes_something(k, &s->as) || o->n->op == OP_CUSTOM_CALL)
            return refuse(k->a, m, o);
        break;
    }
    return TN_OK;
}

/* ---- blocks ---- */

static tn_status add_block(aot_block *k, const module *m)
{
    const exe_block_info *b = k->b;
    tn_status status = TN_OK;
    for (uint32_t o = 0; b->has_updates && o < b->n_outputs; o++)
        if (b->update[o] != NEVER)
            aot_copy(k, (target_buffer){TARGET_INPUT, b->update[o], 0},
                     (target_buffer){TARGET_OUTPUT, o, 0}, b->output_bytes[o]);
    for (uint32_t i = 0; i < b->steps.n; i++) {
        const tn_status s = add_step(k, m, &b->steps.at[i]);
        status = status == TN_OK ? s : status;
    }
    for (uint32_t o = 0; b->has_passes && o < b->n_outputs; o++)
        if (b->pass[o] != NEVER)
            aot_copy(k, (target_buffer){TARGET_INPUT, b->pass[o], 0},
                     (target_buffer){TARGET_OUTPUT, o, 0}, b->output_bytes[o]);
    return status;
}

tn_status aot_add_blocks(aot *a, const module *m)
{
    const executable *t = a->exe;
    target_block *blocks = ARENA_ARRAY(&a->memory, target_block, t->blocks.n);
    uint32_t *first = ARENA_ARRAY(&a->memory, uint32_t, t->blocks.n);
    tn_status status = TN_OK;
    if (!blocks || !first)
        return module_no_memory(m);
    for (uint32_t i = 0; i < t->blocks.n; i++) {
        aot_block k = {.a = a, .b = &t->blocks.at[i]};
        first[i] = a->steps.n;
        if (i == 0)
            check_inputs(&k, m);
        const tn_status s = add_block(&k, m);
        if (k.failed)
            return module_no_memory(m);
        status = status == TN_OK ? s : status;
        blocks[i] = (target_block){.n_steps = a->steps.n - first[i],
                                   .n_inputs = k.b->n_inputs,
                                   .n_outputs = k.b->n_outputs,
                                   .n_pointers = k.n_pointers};
    }
    for (uint32_t i = 0; i < t->blocks.n; i++)
        blocks[i].steps = blocks[i].n_steps ? a->steps.at + first[i] : NULL;
    a->program.blocks = blocks;
    a->program.n_blocks = t->blocks.n;
    return status;
}
