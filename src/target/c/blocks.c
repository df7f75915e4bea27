/* The blocks of a program as C functions, and what these call. */
#include <inttypes.h>

#include "target/c/print.h"
#include "target/target_program.h"

/* A block on its way to C. */
typedef struct c_file {
    const target_program *p;
    const target_used *used;
    text_buffer *out;
    const char *suffix; /* of the functions of this section */
    bool is_entry;
    uint32_t depth;
} c_file;

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
        if (f->p->takes_weights)
            text_printf(out, "(char *)(uintptr_t)weights + %" PRIu64, f->used->offsets[b->index]);
        else
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

/* What the entry and every block get behind the workspace. */
static const char *further_parameters(const target_program *p)
{
    static const char *const texts[] = {
        "", ", const char *weights", ", const struct tenon_threads *threads",
        ", const char *weights, const struct tenon_threads *threads"};
    return texts[(p->takes_weights ? 1 : 0) + (p->shares_work ? 2 : 0)];
}

const char *c_further_arguments(const target_program *p)
{
    static const char *const texts[] = {"", ", weights", ", threads", ", weights, threads"};
    return texts[(p->takes_weights ? 1 : 0) + (p->shares_work ? 2 : 0)];
}

static void put_call(const c_file *f, const target_step *s)
{
    const target_program *p = f->p;
    if (s->kind == TARGET_KERNEL && target_is_shared(p, s)) {
        text_printf(f->out, "status = share(threads, %s%s, ", p->functions[s->index].name,
                    f->suffix);
        put_list(f, s->buffers, s->n_buffers);
        text_printf(f->out, ", %" PRId64 ", %" PRId64 ", work", s->extent, s->pieces);
        put_offset(f->out, p->temporary_bytes);
    } else if (s->kind == TARGET_KERNEL) {
        text_printf(f->out, "status = %s%s(", p->functions[s->index].name, f->suffix);
        put_list(f, s->buffers, s->n_buffers);
        text_printf(f->out, ", 0, %" PRId64 ", work", s->extent);
        put_offset(f->out, p->temporary_bytes);
    } else {
        const uint32_t n_in = p->blocks[s->index].n_inputs;
        text_printf(f->out, "status = block%" PRIu32 "%s(", s->index, f->suffix);
        put_list(f, s->buffers, n_in);
        text_puts(f->out, ", ");
        put_list(f, s->buffers + n_in, p->blocks[s->index].n_outputs);
        text_printf(f->out, ", work%s", c_further_arguments(p));
    }
    put_check(f);
}

/* What is copied is hidden from the compiler: gcc 12 for AVX-512 takes 32 bytes of a constant whose
 * upper half is 0 or -1 for the lower half repeated. */
static void put_copy_bytes(text_buffer *out)
{
    text_puts(out, "\nstatic void copy_bytes(char *to, const char *from, __SIZE_TYPE__ n)\n{\n"
                   "    __asm__(\"\" : \"+r\"(from));\n"
                   "    if (to != from)\n        __builtin_memcpy(to, from, n);\n}\n");
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
        c_put_note(f->out, s->note);
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

/* Block 0 gets what the entry gets. */
static void put_block_prototype(const c_file *f, uint32_t block)
{
    const char *more = further_parameters(f->p);
    if (block == 0)
        text_printf(f->out,
                    "static int32_t run%s(const void *const *inputs, void *const *outputs, "
                    "char *work%s)",
                    f->suffix, more);
    else
        text_printf(f->out,
                    "static int32_t block%" PRIu32
                    "%s(char *const *inputs, char *const *outputs, char *work%s)",
                    block, f->suffix, more);
}

/* Nothing tells at compile time, and clang disregards its pragma then. */
static void put_contraction_check(text_buffer *out)
{
    text_printf(out,
                "#if defined(__clang__) /* -ffp-contract=fast */\n"
                "    volatile float near_one = 0x1.001p0f;\n"
                "    const float x = near_one;\n"
                "    if (x * x - 0x1.002p0f != 0.0f)\n"
                "        return %d;\n"
                "#endif\n",
                TARGET_CONTRACTED);
}

static void put_block(c_file *f, uint32_t block)
{
    const target_block *b = &f->p->blocks[block];
    text_buffer *out = f->out;
    f->is_entry = block == 0;
    f->depth = 1;
    text_puts(out, "\n");
    if (b->note) {
        text_puts(out, "/* ");
        c_put_note(out, b->note);
        text_puts(out, " */\n");
    }
    put_block_prototype(f, block);
    text_puts(out, "\n{\n");
    if (target_block_calls(b))
        text_puts(out, "    int32_t status;\n");
    for (uint32_t k = 0; k < b->n_pointers; k++)
        text_printf(out, k ? ", *p%" PRIu32 " = work" : "    char *p%" PRIu32 " = work", k);
    text_puts(out, b->n_pointers ? ";\n" : "");
    text_puts(out, "    (void)inputs;\n    (void)outputs;\n    (void)work;\n");
    if (f->p->takes_weights)
        text_puts(out, "    (void)weights;\n");
    if (f->p->shares_work)
        text_puts(out, "    (void)threads;\n");
    if (block == 0)
        put_contraction_check(out);
    for (uint32_t k = 0; k < b->n_steps && !out->failed; k++)
        put_step(f, &b->steps[k]);
    text_puts(out, "    return 0;\n}\n");
}

void c_put_blocks(const target_program *p, const target_used *used, const char *suffix,
                  text_buffer *out)
{
    c_file f = {.p = p, .used = used, .out = out, .suffix = suffix};
    text_puts(out, "\n");
    for (uint32_t k = 1; k < p->n_blocks; k++)
        if (used->blocks[k]) {
            put_block_prototype(&f, k);
            text_puts(out, ";\n");
        }
    for (uint32_t k = 1; k < p->n_blocks; k++)
        if (used->blocks[k])
            put_block(&f, k);
    put_block(&f, 0);
}

static bool copies_something(const target_program *p, const target_used *used)
{
    for (uint32_t i = 0; i < p->n_blocks; i++)
        for (uint32_t k = 0; used->blocks[i] && k < p->blocks[i].n_steps; k++)
            if (p->blocks[i].steps[k].kind == TARGET_COPY)
                return true;
    return false;
}

/* How a kernel is shared out; its parts differ by at most one item. */
static void put_share(const target_program *p, text_buffer *out)
{
    text_printf(
        out,
        "\n/* A kernel whose work is shared out. Each part has a slot of the workspace: its "
        "status, then\n"
        " * scratch memory. */\n"
        "typedef int32_t kernel_function(char *const *buffers, int64_t begin, int64_t end, "
        "char *scratch);\n"
        "typedef struct shared_kernel {\n"
        "    kernel_function *kernel;\n"
        "    char *const *buffers;\n"
        "    int64_t extent, parts;\n"
        "    char *slots;\n"
        "} shared_kernel;\n"
        "enum { STATUS_BYTES = %d, SLOT_BYTES = %" PRIu64 " };\n\n",
        TARGET_ALIGN, target_slot(p));
    text_puts(
        out,
        "static void run_part(void *arg, unsigned index)\n{\n"
        "    const shared_kernel *k = arg;\n"
        "    const int64_t i = index, each = k->extent / k->parts, more = k->extent % "
        "k->parts;\n"
        "    const int64_t begin = i * each + (i < more ? i : more);\n"
        "    const int64_t end = begin + each + (i < more);\n"
        "    char *slot = k->slots + i * SLOT_BYTES;\n"
        "    const int32_t status = k->kernel(k->buffers, begin, end, slot + "
        "STATUS_BYTES);\n"
        "    __builtin_memcpy(slot, &status, sizeof status);\n}\n\n"
        "/* Run KERNEL on [0, EXTENT), as at most MOST parts; the status of the first one that "
        "failed. */\n"
        "static int32_t share(const struct tenon_threads *threads, kernel_function *kernel,\n"
        "                     char *const *buffers, int64_t extent, int64_t most, char "
        "*slots)\n{\n"
        "    const int64_t n = threads ? threads->threads : 1;\n"
        "    shared_kernel k = {kernel, buffers, extent, n < most ? n : most, slots};\n"
        "    int32_t status = 0;\n"
        "    if (k.parts < 2)\n"
        "        return kernel(buffers, 0, extent, slots + STATUS_BYTES);\n"
        "    threads->run(threads->user, run_part, &k, (unsigned)k.parts);\n"
        "    for (int64_t i = k.parts; i-- > 0;) {\n"
        "        int32_t own;\n"
        "        __builtin_memcpy(&own, slots + i * SLOT_BYTES, sizeof own);\n"
        "        status = own != 0 ? own : status;\n"
        "    }\n"
        "    return status;\n}\n");
}

void c_put_block_helpers(const target_program *p, const target_used *used, text_buffer *out)
{
    if (copies_something(p, used))
        put_copy_bytes(out);
    if (p->shares_work) {
        text_puts(out, "\n");
        c_put_threads(out);
    }
    if (used->shares)
        put_share(p, out);
}
