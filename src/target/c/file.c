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
                              (ch >= '0' && ch <= '9') || strchr(" _-+.,:;()[]<>=%#@!'", ch);
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
    text_printf(out,
                " *   workspace  %" PRIu64 " bytes, aligned to %d\n"
                " *\n"
                " * Tensors are dense, in row-major order and aligned for their elements. Inputs are\n"
                " * only read; outputs overlap nothing. Returns 0, or another number when a kernel\n"
                " * failed; outputs are unspecified then. May be called by several threads at once,\n"
                " * each with a workspace of its own. */\n",
                p->workspace_bytes, TARGET_ALIGN);
}

static void put_prototype(const target_program *p, text_buffer *out)
{
    text_printf(out,
                "int %s_run(const void *const *inputs, void *const *outputs, void *workspace)",
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

static void put_buffer(const target_buffer *b, text_buffer *out)
{
    switch (b->place) {
    case TARGET_INPUT:
        text_printf(out, "(char *)(uintptr_t)inputs[%" PRIu32 "]", b->index);
        break;
    case TARGET_OUTPUT:
        text_printf(out, "(char *)outputs[%" PRIu32 "]", b->index);
        break;
    case TARGET_CONSTANT:
        text_printf(out, "(char *)(uintptr_t)constant%" PRIu32, b->index);
        break;
    case TARGET_WORKSPACE:
        text_puts(out, "work");
        break;
    }
    put_offset(out, b->offset);
}

static void put_step(const target_program *p, const target_step *s, text_buffer *out)
{
    if (s->note) {
        text_puts(out, "    /* ");
        put_note(out, s->note);
        text_puts(out, " */\n");
    }
    text_printf(out, "    status = %s((char *[]){", p->functions[s->function].name);
    for (uint32_t k = 0; k < s->n_buffers; k++) {
        text_puts(out, k ? ", " : "");
        put_buffer(&p->buffers[s->buffers[k]], out);
    }
    text_puts(out, s->n_buffers ? "}, 0, " : "work}, 0, ");
    text_printf(out, "%" PRId64 ", work", s->extent);
    put_offset(out, s->scratch);
    text_puts(out, ");\n    if (status != 0)\n        return status;\n");
}

/* Compilers warn of static kernels and constants that no step uses: they are left out. */
static bool put_used(const target_program *p, arena *memory, text_buffer *out)
{
    target_function *called = ARENA_ARRAY(memory, target_function, p->n_functions);
    bool *is_called = ARENA_ARRAY(memory, bool, p->n_functions),
         *is_read = ARENA_ARRAY(memory, bool, p->n_constants);
    uint32_t n = 0;
    if (!called || !is_called || !is_read)
        return false;
    for (uint32_t k = 0; k < p->n_steps; k++) {
        const target_step *s = &p->steps[k];
        is_called[s->function] = true;
        for (uint32_t b = 0; b < s->n_buffers; b++)
            if (p->buffers[s->buffers[b]].place == TARGET_CONSTANT)
                is_read[p->buffers[s->buffers[b]].index] = true;
    }
    for (uint32_t k = 0; k < p->n_functions; k++)
        if (is_called[k])
            called[n++] = p->functions[k];
    target_c(called, n, false, out);
    for (uint32_t k = 0; k < p->n_constants; k++)
        if (is_read[k])
            put_constant(&p->constants[k], k, out);
    return true;
}

static void put_entry(const target_program *p, text_buffer *out)
{
    text_puts(out, "\n");
    put_prototype(p, out);
    text_puts(out, ";\n");
    put_prototype(p, out);
    text_puts(out, "\n{\n");
    if (p->n_steps == 0) {
        text_puts(out, "    (void)inputs;\n    (void)outputs;\n    (void)workspace;\n"
                       "    return 0;\n}\n");
        return;
    }
    text_puts(out, "    char *const work = workspace;\n    int32_t status = 0;\n"
                   "    (void)inputs;\n    (void)outputs;\n");
    for (uint32_t k = 0; k < p->n_steps && !out->failed; k++)
        put_step(p, &p->steps[k], out);
    text_puts(out, "    return 0;\n}\n");
}

void target_c_file(const target_program *p, text_buffer *out)
{
    arena memory;
    arena_init(&memory, out->allocator);
    put_contract(p, out);
    text_puts(out, "\n/* cc -std=c17 -O2 -march=native -fno-math-errno -c FILE, and -lm. The results have the\n"
                   " * same bits for every machine and optimisation. */\n\n"
                   "#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__\n"
                   "#error \"the constants are little-endian\"\n"
                   "#endif\n");
    if (!put_used(p, &memory, out))
        (void)text_grow(out, SIZE_MAX); /* no memory */
    put_entry(p, out);
    arena_release(&memory);
}
