/* Whole programs as one C file and its header. */
#include <inttypes.h>

#include "scalar/dtype.h"
#include "target/program.h"

/* Text from outside in a comment: nothing that could end it or mean something to a compiler. */
static void put_note(text_buffer *out, const char *note)
{
    for (; *note; note++) {
        const char ch = *note;
        const bool is_plain = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
                              (ch >= '0' && ch <= '9') || strchr(" _-+.,:;()[]<>=%#@!'/", ch);
        text_putc(out, is_plain ? ch : '_');
    }
}

static void put_upper(text_buffer *out, const char *name)
{
    for (; *name; name++)
        text_putc(out, *name >= 'a' && *name <= 'z' ? (char)(*name - 'a' + 'A') : *name);
}

static void put_ports(text_buffer *out, const char *which, const target_port *ports, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        const target_port *p = &ports[k];
        text_printf(out, " *   %s[%" PRIu32 "]  %s[", which, k, dtype_name(p->dtype));
        for (uint32_t axis = 0; axis < p->rank; axis++)
            text_printf(out, axis ? ",%" PRId64 : "%" PRId64, p->dims[axis]);
        text_printf(out, "]  %" PRIu64 " bytes", p->bytes);
        if (p->name) {
            text_puts(out, "  ");
            put_note(out, p->name);
        }
        text_puts(out, "\n");
    }
}

static void put_contract(const target_program *p, text_buffer *out)
{
    text_puts(out, "/* ");
    put_note(out, p->note ? p->note : p->name);
    text_puts(out, "\n *\n");
    put_ports(out, "inputs", p->inputs, p->n_inputs);
    put_ports(out, "outputs", p->outputs, p->n_outputs);
    text_printf(
        out,
        " *   workspace  %" PRIu64 " bytes, aligned to %d\n"
        " *\n"
        " * Tensors are dense, in row-major order and aligned for their elements. Inputs are\n"
        " * only read; outputs overlap nothing. Returns 0; %d, with nothing done, where an\n"
        " * address is not aligned; or another number when a kernel failed, and outputs are\n"
        " * unspecified. May be called by several threads at once, each with a workspace of\n"
        " * its own. */\n",
        p->workspace_bytes, TARGET_ALIGN, TARGET_MISALIGNED);
}

static void put_prototype(const target_program *p, text_buffer *out)
{
    text_printf(out, "int %s_run(const void *const *inputs, void *const *outputs, void *workspace)",
                p->name);
}

void target_c_header(const target_program *p, text_buffer *out)
{
    text_puts(out, "#ifndef ");
    put_upper(out, p->name);
    text_puts(out, "_RUN_H\n#define ");
    put_upper(out, p->name);
    text_puts(out, "_RUN_H\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    text_puts(out, "#define ");
    put_upper(out, p->name);
    text_printf(out, "_INPUTS %" PRIu32 "\n#define ", p->n_inputs);
    put_upper(out, p->name);
    text_printf(out, "_OUTPUTS %" PRIu32 "\n#define ", p->n_outputs);
    put_upper(out, p->name);
    text_printf(out, "_WORKSPACE_BYTES %" PRIu64 "u\n\n", p->workspace_bytes);
    put_contract(p, out);
    put_prototype(p, out);
    text_puts(out, ";\n\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

/* A block on its way to C. */
typedef struct c_file {
    const target_program *p;
    text_buffer *out;
    bool is_entry;
    uint32_t depth;
} c_file;

/* Bytes as numbers of 32 bits where they are whole ones. */
static void put_constant(const target_constant *c, uint32_t index, text_buffer *out)
{
    const unsigned char *at = c->bytes;
    const uint64_t width = c->n_bytes % 4 == 0 && c->n_bytes > 0 ? 4 : 1, n = c->n_bytes / width,
                   per_line = width == 4 ? 8 : 16;
    text_puts(out, "\n");
    if (c->note) {
        text_puts(out, "/* ");
        put_note(out, c->note);
        text_puts(out, " */\n");
    }
    text_printf(out, "_Alignas(%d) static const uint%d_t constant%" PRIu32 "[%" PRIu64 "] = {",
                TARGET_ALIGN, (int)(8 * width), index, n ? n : 1);
    for (uint64_t k = 0; k < n; k++) {
        uint32_t number = at[k];
        if (width == 4)
            memcpy(&number, at + 4 * k, 4);
        text_puts(out, k % per_line == 0 ? "\n    " : " ");
        text_printf(out, width == 4 ? "0x%08" PRIx32 "," : "0x%02" PRIx32 ",", number);
        if (out->failed)
            return;
    }
    text_puts(out, n ? "\n};\n" : "0};\n");
}

static void put_offset(text_buffer *out, uint64_t offset)
{
    if (offset > 0)
        text_printf(out, " + %" PRIu64, offset);
}

/* As a `char *`; the entry's own arrays have other types than those of the blocks. */
static void put_buffer(const c_file *f, uint32_t buffer)
{
    const target_buffer *b = &f->p->buffers[buffer];
    text_buffer *out = f->out;
    switch (b->place) {
    case TARGET_INPUT:
        text_printf(out, "%sinputs[%" PRIu32 "]", f->is_entry ? "(char *)(uintptr_t)" : "",
                    b->index);
        break;
    case TARGET_OUTPUT:
        text_printf(out, "%soutputs[%" PRIu32 "]", f->is_entry ? "(char *)" : "", b->index);
        break;
    case TARGET_CONSTANT:
        text_printf(out, "(char *)(uintptr_t)constant%" PRIu32, b->index);
        break;
    case TARGET_WORKSPACE:
        text_puts(out, "work");
        break;
    case TARGET_POINTER:
        text_printf(out, "p%" PRIu32, b->index);
        break;
    case TARGET_NOTHING:
        text_puts(out, "0");
        break;
    }
    put_offset(out, b->offset);
}

/* An array of buffers; one without elements is not C. */
static void put_list(const c_file *f, const uint32_t *buffers, uint32_t n)
{
    text_puts(f->out, "(char *[]){");
    for (uint32_t k = 0; k < n; k++) {
        text_puts(f->out, k ? ", " : "");
        put_buffer(f, buffers[k]);
    }
    text_puts(f->out, n ? "}" : "work}");
}

static void indent(const c_file *f)
{
    text_fill(f->out, ' ', 4 * (size_t)f->depth);
}

/* What goes on only with status 0. */
static void put_check(const c_file *f)
{
    text_puts(f->out, ");\n");
    indent(f);
    text_puts(f->out, "if (status != 0)\n");
    indent(f);
    text_puts(f->out, "    return status;\n");
}

static void put_call(const c_file *f, const target_step *s)
{
    const target_program *p = f->p;
    if (s->kind == TARGET_KERNEL) {
        text_printf(f->out, "status = %s(", p->functions[s->index].name);
        put_list(f, s->buffers, s->n_buffers);
        text_printf(f->out, ", 0, %" PRId64 ", work", s->extent);
        put_offset(f->out, s->scratch);
    } else {
        const uint32_t n_in = p->blocks[s->index].n_inputs;
        text_printf(f->out, "status = block%" PRIu32 "(", s->index);
        put_list(f, s->buffers, n_in);
        text_puts(f->out, ", ");
        put_list(f, s->buffers + n_in, p->blocks[s->index].n_outputs);
        text_puts(f->out, ", work");
    }
    put_check(f);
}

static void put_copy(const c_file *f, const target_step *s)
{
    text_puts(f->out, "copy_bytes(");
    put_buffer(f, s->buffers[1]);
    text_puts(f->out, ", ");
    put_buffer(f, s->buffers[0]);
    text_printf(f->out, ", %" PRIu64 ");\n", s->bytes);
}

/* START, the byte at the buffer of S, STOP. */
static void put_test(const c_file *f, const target_step *s, const char *start, const char *stop)
{
    text_puts(f->out, start);
    text_puts(f->out, "*(");
    put_buffer(f, s->buffers[0]);
    text_puts(f->out, ")");
    text_puts(f->out, stop);
}

static void put_loop(const c_file *f, const target_step *s)
{
    if (s->extent < 0)
        text_puts(f->out, "for (;;) {\n");
    else
        text_printf(f->out,
                    "for (int64_t turn%" PRIu32 " = 0; turn%" PRIu32 " < %" PRId64 "; turn%" PRIu32
                    "++) {\n",
                    f->depth, f->depth, s->extent, f->depth);
}

static void put_step(c_file *f, const target_step *s)
{
    if (s->kind == TARGET_ELSE || s->kind == TARGET_END)
        f->depth--;
    indent(f);
    if (s->note) {
        text_puts(f->out, "/* ");
        put_note(f->out, s->note);
        text_puts(f->out, " */\n");
        indent(f);
    }
    switch (s->kind) {
    case TARGET_KERNEL:
    case TARGET_BLOCK:
        put_call(f, s);
        break;
    case TARGET_COPY:
        put_copy(f, s);
        break;
    case TARGET_POINT:
        text_printf(f->out, "p%" PRIu32 " = ", s->index);
        put_buffer(f, s->buffers[0]);
        text_puts(f->out, ";\n");
        break;
    case TARGET_LOOP:
        put_loop(f, s);
        break;
    case TARGET_LEAVE:
        put_test(f, s, "if (", " == 0)\n");
        indent(f);
        text_puts(f->out, "    break;\n");
        break;
    case TARGET_IF:
        put_test(f, s, "if (", " != 0) {\n");
        break;
    case TARGET_ELSE:
        text_puts(f->out, "} else {\n");
        break;
    case TARGET_END:
        text_puts(f->out, "}\n");
        break;
    }
    if (s->kind == TARGET_LOOP || s->kind == TARGET_IF || s->kind == TARGET_ELSE)
        f->depth++;
}

static void put_block_prototype(text_buffer *out, uint32_t block)
{
    text_printf(out,
                "static int32_t block%" PRIu32
                "(char *const *inputs, char *const *outputs, char *work)",
                block);
}

static void put_port_checks(const char *which, const target_port *ports, uint32_t n,
                            text_buffer *out)
{
    for (uint32_t k = 0; k < n; k++)
        if (ports[k].align > 1)
            text_printf(out, "    off |= (uintptr_t)%s[%" PRIu32 "] %% %" PRIu32 ";\n", which, k,
                        ports[k].align);
}

static void put_checks(const target_program *p, text_buffer *out)
{
    if (p->workspace_bytes > 0)
        text_printf(out, "    uintptr_t off = (uintptr_t)workspace %% %d;\n", TARGET_ALIGN);
    else
        text_puts(out, "    uintptr_t off = 0;\n");
    put_port_checks("inputs", p->inputs, p->n_inputs, out);
    put_port_checks("outputs", p->outputs, p->n_outputs, out);
    text_printf(out, "    if (off != 0)\n        return %d;\n", TARGET_MISALIGNED);
}

static void put_body(const target_program *p, uint32_t block, text_buffer *out)
{
    const target_block *b = &p->blocks[block];
    c_file f = {.p = p, .out = out, .is_entry = block == 0, .depth = 1};
    text_puts(out, "\n{\n");
    if (block == 0)
        text_puts(out, "    char *const work = workspace;\n");
    if (target_block_calls(b))
        text_puts(out, "    int32_t status;\n");
    for (uint32_t k = 0; k < b->n_pointers; k++)
        text_printf(out, k ? ", *p%" PRIu32 " = work" : "    char *p%" PRIu32 " = work", k);
    text_puts(out, b->n_pointers ? ";\n" : "");
    text_puts(out, "    (void)inputs;\n    (void)outputs;\n    (void)work;\n");
    if (block == 0)
        put_checks(p, out);
    for (uint32_t k = 0; k < b->n_steps && !out->failed; k++)
        put_step(&f, &b->steps[k]);
    text_puts(out, "    return 0;\n}\n");
}

static bool copies_something(const target_program *p, const target_used *used)
{
    for (uint32_t i = 0; i < p->n_blocks; i++)
        for (uint32_t k = 0; used->blocks[i] && k < p->blocks[i].n_steps; k++)
            if (p->blocks[i].steps[k].kind == TARGET_COPY)
                return true;
    return false;
}

/* Compilers warn of static functions and constants that nothing uses: they are left out. */
static bool put_program(const target_program *p, arena *memory, text_buffer *out)
{
    target_function *called = ARENA_ARRAY(memory, target_function, p->n_functions);
    target_used used;
    uint32_t n = 0;
    if (!called || !target_find_used(p, memory, &used))
        return false;
    for (uint32_t k = 0; k < p->n_functions; k++)
        if (used.functions[k])
            called[n++] = p->functions[k];
    target_c(called, n, false, out);
    for (uint32_t k = 0; k < p->n_constants; k++)
        if (used.constants[k])
            put_constant(&p->constants[k], k, out);
    if (copies_something(p, &used))
        text_puts(out, "\nstatic void copy_bytes(char *to, const char *from, __SIZE_TYPE__ n)\n{\n"
                       "    if (to != from)\n        __builtin_memcpy(to, from, n);\n}\n");
    text_puts(out, "\n");
    for (uint32_t k = 1; k < p->n_blocks; k++)
        if (used.blocks[k]) {
            put_block_prototype(out, k);
            text_puts(out, ";\n");
        }
    for (uint32_t k = 1; k < p->n_blocks; k++)
        if (used.blocks[k]) {
            text_puts(out, "\n");
            if (p->blocks[k].note) {
                text_puts(out, "/* ");
                put_note(out, p->blocks[k].note);
                text_puts(out, " */\n");
            }
            put_block_prototype(out, k);
            put_body(p, k, out);
        }
    text_puts(out, "\n");
    put_prototype(p, out);
    text_puts(out, ";\n");
    put_prototype(p, out);
    put_body(p, 0, out);
    return true;
}

void target_c_file(const target_program *p, text_buffer *out)
{
    arena memory;
    arena_init(&memory, out->allocator);
    put_contract(p, out);
    text_puts(out, "\n/* cc -std=c17 -O2 -march=native -ffp-contract=off -fno-math-errno -c FILE, "
                   "and -lm. The\n"
                   " * results have the same bits for every machine and optimisation. */\n\n"
                   "#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__\n"
                   "#error \"the constants are little-endian\"\n"
                   "#endif\n");
    if (!put_program(p, &memory, out))
        (void)text_grow(out, SIZE_MAX); /* no memory */
    arena_release(&memory);
}
